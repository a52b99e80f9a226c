/*
 * op_ctx.c - `ctx`, which scripts for Cloudify and ARIA call: what an operation finds of it beside
 * its files, and what it has told by it.
 *
 * The command and the Python package are one file (templates/ctx/cloudify.py).  It reads
 * context.json, and each change is a line of the outputs: ctx:=[who, name, value].
 */
#define _GNU_SOURCE
#include "runtime/core/number.h"
#include "runtime/deploy/op.h"
#include "runtime/text/text.h"
#include "ctx_py.h"

#include <stdlib.h>
#include <string.h>

#define FOLDER ".vetro-ctx/"
#define IMPORTS "from cloudify import "

/* ---- what is beside the files ---- */

static const struct {
	const char *path, *text;
} tools[] = {
	{FOLDER "cloudify/__init__.py", vt_ctx_py},
	{FOLDER "cloudify/exceptions.py",
		IMPORTS "NonRecoverableError, RecoverableError, OperationRetry  # noqa\n"},
	{FOLDER "cloudify/state.py", IMPORTS "ctx, ctx_parameters, current_ctx  # noqa\n"},
	{FOLDER "cloudify/decorators.py", IMPORTS "operation  # noqa\n"},
	{FOLDER "ctx", "#!/usr/bin/env python3\n"
		       "import os\n"
		       "import sys\n"
		       "sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))\n"
		       "from cloudify import main\n"
		       "sys.exit(main(sys.argv[1:]))\n"},
};

/* Does a file speak of it? Whoever does not keeps the environment as it is. */
bool
vt_op_uses_ctx(const vt_operation *o)
{
	for (uint32_t i = 0; i < o->nblobs; i++) {
		const vt_tblob *b = o->blobs[i];
		const char *p = b->data, *end = b->data + b->n;
		while ((p = memmem(p, (size_t)(end - p), "ctx", 3)) != NULL) {
			bool begins = p == b->data || strchr(" \t\n\r(`\"'=;|&", p[-1]);
			p += 3;
			if (begins && (p == end || strchr(" \t\n.,;\"')", *p)))
				return true;
		}
	}
	return false;
}

bool
vt_op_add_ctx(vt_operation *o)
{
	for (size_t i = 0; i < VT_LEN(tools); i++)
		if (!vt_op_add_file(o, tools[i].path, tools[i].text, strlen(tools[i].text),
			    vt_ends_with(tools[i].path, "/ctx")))
			return false;
	o->ctx_folder = vt_asprintf("%s/%.*s", o->files, (int)sizeof FOLDER - 2, FOLDER);
	return true;
}

/* Behind what is there: a command of that name stays the one that is found. */
void
vt_op_ctx_environment(vt_operation *o)
{
	static const char *const lists[] = {"PATH", "PYTHONPATH"};
	for (size_t i = 0; i < VT_LEN(lists) && o->ctx_folder; i++) {
		const char *was = getenv(lists[i]);
		char *all = vt_asprintf(
			"%s%s%s", was ? was : "", was && *was ? ":" : "", o->ctx_folder);
		vt_op_set_env(o, lists[i], all);
		free(all);
	}
}

/* ---- what it has told ---- */

#define RUNTIME "ctx/runtime/"

static vt_tnodei *
node_named(const vt_operation *o, const char *who)
{
	const vt_treli *r = o->a->rel;
	if (!strcmp(who, "instance"))
		return o->a->node;
	if (r && !strcmp(who, "source"))
		return r->source;
	return r && !strcmp(who, "target") ? r->target : NULL;
}

/* A declared attribute, else a property that only running nodes have. */
static bool
set_runtime(vt_operation *o, vt_tnodei *n, vt_value name, vt_value v)
{
	vt_tattr a = {.node = n, .name = vt_tosca_find_str(o->t, vt_as_str(name))};
	if (a.name && vt_tosca_find(&n->attrs, a.name))
		return vt_op_put_attribute(o, &a, vt_as_str(name)->s, v);
	char *key = vt_asprintf(RUNTIME "%s", vt_as_str(name)->s);
	vt_tosca_put_output(o->t, n, NULL, "ctx", "runtime", vt_as_str(name)->s, v);
	vt_tstate_set(o->d->state, o->t, n, "outputs", key, v);
	free(key);
	return n == o->a->node || vt_tstate_touch(o->d->state, o->t, n);
}

static bool
one_told(vt_operation *o, const vt_list *l)
{
	const char *who = vt_as_str(l->v[0])->s;
	vt_tnodei *n = node_named(o, who);
	double seconds = 0;
	if (n)
		return set_runtime(o, n, l->v[1], l->v[2]);
	if (!strcmp(who, "returns")) {
		vt_op_keep_output(o, "result", l->v[2]);
		return true;
	}
	o->again = strcmp(who, "retry") == 0;
	o->never = !o->again;
	if (o->again && vt_is_number(l->v[2]) && vt_num_double(o->rt, l->v[2], &seconds) == VT_OK)
		o->pause = seconds;
	return vt_op_fail(o, "%s%s%s", o->again ? "it asks to be tried again" : "it gives up",
		vt_as_str(l->v[1])->bytes ? ": " : "", vt_as_str(l->v[1])->s);
}

bool
vt_op_take_ctx(vt_operation *o, const char *text)
{
	vt_value v = VT_UNDEF;
	char *err = NULL;
	bool ok = vt_json_read(o->rt, text, strlen(text), 0, 0, &v, &err);
	const vt_list *l = ok && vt_is_sequence(v) ? vt_as_list(v) : NULL;
	free(err);
	if (l && l->n == 3 && vt_is(l->v[0], STR) && vt_is(l->v[1], STR))
		ok = one_told(o, l);
	else
		ok = vt_op_fail(o, "its outputs have a line 'ctx:' that ctx did not write");
	vt_clear(&v);
	return ok;
}

/* Those that are no attributes, for the next operation. */
vt_value
vt_op_runtime(vt_operation *o, const vt_tnodei *n)
{
	vt_dict *d = vt_dict_new(o->rt, true);
	vt_value key, v;
	uint32_t pos = 0;
	while (n->outputs && vt_dict_at(n->outputs, &pos, &key, &v)) {
		const vt_str *s = vt_as_str(key);
		size_t skip = sizeof RUNTIME - 1;
		if (s->bytes > skip && !memcmp(s->s, RUNTIME, skip))
			vt_dict_set_c(o->rt, d, s->s + skip, vt_copy(v));
	}
	return vt_mkptr(d);
}
