/*
 * op_outputs.c - what an operation gave: lines or JSON in a file become outputs and attributes.
 *
 * The `outputs` of the operation say which attribute gets which.  What set_stats of a playbook
 * gives and they do not name is the attribute of its name, where the node (or the relationship) has
 * one: xOpera's services need no more than that.
 */
#define _GNU_SOURCE
#include "runtime/core/printable.h"
#include "runtime/deploy/op.h"
#include "runtime/deploy/notify.h"
#include "runtime/text/outfile.h"
#include "runtime/text/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_OUTPUT = 16 << 20 };

FILE *
vt_op_open_plain(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	FILE *f = NULL;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		f = fdopen(fd, "rb");
	if (fd >= 0 && !f)
		close(fd);
	return f;
}

static char *
read_file(const char *path, size_t *n)
{
	FILE *f = vt_op_open_plain(path);
	vt_buf b = {NULL, 0, 0};
	/* a file with more shows that it has more */
	(void)vt_read_all(f, MOST_OUTPUT + (64 << 10), &b);
	if (f)
		fclose(f);
	vt_buf_repair(&b);
	*n = b.n;
	vt_buf_putc(&b, 0);
	return b.p;
}

/* NAME=VALUE; a name that comes twice has the last value. Blank lines and those without a name are
 * left out. */
static bool
read_lines(vt_operation *o, char *p, vt_dict *out)
{
	bool ok = true;
	for (char *next; *p; p = next) {
		size_t n = strcspn(p, "\n");
		next = p + n + (p[n] == '\n');
		p[n] = '\0';
		if (n && p[n - 1] == '\r')
			p[n - 1] = '\0';
		char *eq = strchr(p, '=');
		if (!eq || eq == p)
			continue;
		*eq = '\0';
		if (!strcmp(p, "ctx:"))
			ok = vt_op_take_ctx(o, eq + 1) && ok;
		else if (out)
			vt_dict_set_c(o->rt, out, p, vt_str_c(o->rt, eq + 1));
	}
	return ok;
}

/* What another machine sent behind the line that begins the outputs. */
static char *
behind_mark(char *text)
{
	size_t n = strlen(vt_tssh_mark);
	for (char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n')
		if (!strncmp(p, vt_tssh_mark, n) && p[n] == '\n')
			return p + n + 1;
	return text + strlen(text);
}

/* Lines, or one JSON object. */
static bool
read_outputs(vt_operation *o, vt_dict **out)
{
	size_t n;
	char *all = read_file(o->outputs, &n), *text = o->host ? behind_mark(all) : all,
	     *err = NULL;
	vt_value v = VT_UNDEF;
	bool ok = true;
	n -= (size_t)(text - all);
	*out = NULL;
	if (n > MOST_OUTPUT) {
		ok = vt_op_fail(o, "it gave more than %d MiB of outputs", MOST_OUTPUT >> 20);
	} else if (text[strspn(text, " \t\r\n")] == '{') {
		ok = vt_json_read(o->rt, text, n, 0, 0, &v, &err) ||
		     vt_op_fail(o, "its outputs are no JSON: %s", err);
		free(err);
		*out = ok ? vt_as_dict(v) : NULL;
	} else {
		*out = vt_dict_new(o->rt, false);
		ok = read_lines(o, text, *out);
	}
	free(all);
	return ok;
}

/* Of an operation that failed only what it told by ctx counts: it may have given a reason. */
void
vt_op_take_told(vt_operation *o)
{
	size_t n;
	char *all = read_file(o->outputs, &n), *why = *o->why;
	*o->why = NULL;
	if (n <= MOST_OUTPUT)
		(void)read_lines(o, o->host ? behind_mark(all) : all, NULL);
	if ((o->again || o->never) && *o->why) {
		free(why);
	} else {
		free(*o->why);
		*o->why = why;
	}
	free(all);
}

static char *
rel_key(const vt_tosca *t, const vt_treli *r, const char *rest)
{
	return vt_asprintf("%s[%u]/%s", vt_tosca_text(t, r->name), r->index, rest);
}

void
vt_op_keep_output(vt_operation *o, const char *name, vt_value v)
{
	const char *iface = vt_tosca_text(o->t, o->a->iface->name),
		   *op = vt_tosca_text(o->t, o->a->op->name);
	vt_treli *r = o->a->rel;
	vt_tnodei *n = r ? r->source : o->a->node;
	char *plain = vt_asprintf("%s/%s/%s", iface, op, name),
	     *key = r ? rel_key(o->t, r, plain) : vt_xstrdup(plain);
	vt_tosca_put_output(o->t, n, r, iface, op, name, v);
	vt_tstate_set(o->d->state, o->t, n, "outputs", key, v);
	free(plain);
	free(key);
}

bool
vt_op_put_attribute(vt_operation *o, const vt_tattr *a, const char *name, vt_value v)
{
	uint32_t before = o->t->nproblems;
	char *key;
	vt_tnodei *n;
	if (!vt_tosca_put_attribute(o->t, a, v))
		return vt_op_had_problem(o, before, "output", name)
			       ? false
			       : vt_op_fail(o, "its output '%s' does not suit the attribute", name);
	n = a->rel ? a->rel->source : a->node ? a->node : a->cap->node;
	key = a->rel   ? rel_key(o->t, a->rel, vt_tosca_text(o->t, a->name))
	      : a->cap ? vt_asprintf("%s/%s", vt_tosca_text(o->t, a->cap->def->name),
				 vt_tosca_text(o->t, a->name))
		       : vt_xstrdup(vt_tosca_text(o->t, a->name));
	vt_tstate_set(o->d->state, o->t, n,
		a->rel   ? "relationships"
		: a->cap ? "capabilities"
			 : "attributes",
		key, v);
	free(key);
	/* The record of the step has its own node; that of another one goes into the journal by
	 * itself. */
	return n == o->a->node || vt_tstate_touch(o->d->state, o->t, n);
}

static bool
map_output(vt_operation *o, const vt_tassign *m, vt_value v)
{
	vt_tattr a;
	char *why = NULL;
	if (!m->expr)
		return true;
	if (vt_tosca_find_attribute(o->t, &o->ctx, m->expr, &a, &why))
		return vt_op_put_attribute(o, &a, vt_tosca_text(o->t, m->name), v);
	vt_op_fail(o, "its output '%s' leads nowhere: %.*s", vt_tosca_text(o->t, m->name),
		VT_WHOLE(why));
	free(why);
	return false;
}

static bool
is_mapped(const vt_operation *o, uint32_t name)
{
	vt_tspan mapped = o->a->op->outputs;
	for (uint32_t i = 0; i < mapped.n; i++)
		if (o->t->m->assign[mapped.first + i].name == name)
			return true;
	return false;
}

/* Of a playbook: an output that nobody maps, where there is an attribute of its name. */
static bool
by_its_name(vt_operation *o, const vt_str *name, vt_value v)
{
	vt_treli *r = o->a->rel;
	vt_tattr a = {
		.node = r ? NULL : o->a->node, .rel = r, .name = vt_tosca_find_str(o->t, name)};
	if (!o->playbook || !a.name || is_mapped(o, a.name) ||
		!vt_tosca_find(r ? &r->attrs : &o->a->node->attrs, a.name))
		return true;
	return vt_op_put_attribute(o, &a, name->s, v);
}

static bool
apply(vt_operation *o, vt_dict *d)
{
	vt_value key, v;
	uint32_t pos = 0;
	bool ok = true;
	const vt_tspan mapped = o->a->op->outputs;
	while (ok && vt_dict_at(d, &pos, &key, &v))
		if (vt_is(key, STR)) {
			vt_op_keep_output(o, vt_as_str(key)->s, v);
			ok = by_its_name(o, vt_as_str(key), v);
		}
	for (uint32_t i = 0; ok && i < mapped.n; i++) {
		const vt_tassign *m = &o->t->m->assign[mapped.first + i];
		v = vt_dict_get_str(d, o->t->m->str[m->name]);
		if (v != VT_UNDEF)
			ok = map_output(o, m, v);
	}
	return ok;
}

bool
vt_op_take_outputs(vt_operation *o)
{
	vt_dict *d;
	bool ok = read_outputs(o, &d) && apply(o, d);
	if (d)
		vt_release(vt_mkptr(d));
	return ok;
}

/* A notification is an operation that somebody else has done: its outputs come from there. */
bool
vt_tnotified(vt_tdeploy *d, vt_tnodei *n, const vt_tiface *iface, const vt_top *op, vt_dict *values,
	char **why)
{
	vt_taction a = {.node = n, .iface = iface, .op = op};
	vt_operation o = {.d = d,
		.a = &a,
		.t = d->t,
		.rt = d->t->rt,
		.ctx = vt_tosca_node_ctx(n),
		.why = why};
	vt_value key, v;
	uint32_t pos = 0;
	while (vt_dict_at(values, &pos, &key, &v))
		if (!is_mapped(&o, vt_tosca_find_str(d->t, vt_as_str(key))))
			return vt_op_fail(&o, "it has no output '%s'", vt_as_str(key)->s);
	return apply(&o, values);
}
