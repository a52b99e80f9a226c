/*
 * tosca.c - `vetro tosca`: a service with its inputs, resolved; and what `vetro check` does
 * with TOSCA.
 *
 * The front end makes a model of the files, the engine a representation graph of the model; both
 * report, and a result is printed only when neither did.
 */
#include "compiler/cmd/cmd.h"
#include "compiler/tosca/front.h"

#include "runtime/yay/api.h"
#include "runtime/call/call.h"
#include "runtime/core/number.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- results ---- */

/* In lines on a terminal, or where somebody asks. */
static int
layout_of(const cmd_options *a)
{
	bool asked = a->pretty || a->tab || a->indent >= 0;

	return vt_json_layout(a->compact || !(asked || isatty(STDOUT_FILENO)), a->tab, a->indent);
}

/* The part of a long result that there is; what cannot be written shows where stdout is closed. */
static void
print_part(vt_buf *b)
{
	fwrite(b->p, 1, b->n, stdout);
	b->n = 0;
}

static bool
print_result(vt_tosca *e, const cmd_options *a, vt_buf *into)
{
	vt_buf b = {NULL, 0, 0};
	char *why = NULL;
	e->full = into ? NULL : print_part;
	const vt_tformat *f = vt_tosca_find_format(a->form);
	bool ok = f->put(e, &b, layout_of(a), &why);
	if (ok && into)
		*into = b;
	else if (ok)
		vt_buf_print(&b, stdout);
	if (ok)
		return true;
	vt_say("vetro: the service cannot be shown as %s: %s\n", f->name,
		why ? why : "no reason is known");
	vt_buf_free(&b);
	free(why);
	return false;
}

/* ---- inputs ---- */

/* One document of YAML 1.2, or NULL: reported unless the text is empty. */
static ynode *
parse_yaml(vc *c, vc_source *src)
{
	uint32_t n = 0;
	ynode **docs = src ? vc_yaml_parse(c, src, &tosca_yaml, &n) : NULL;
	if (n > 1)
		vc_report(c, VC_E2004, docs[1]->span,
			"inputs are one YAML document, and this is the second");
	return n ? docs[0] : NULL;
}

static te *
service_of(const tosca_unit *u)
{
	te *e = te_one(u->file, "service_template");
	return e ? e : te_one(u->file, "topology_template");
}

static void
hint_inputs(struct tosca *t, const vt_tosca *e, const char *name)
{
	const char **names = NULL;
	size_t count = 0;
	for (uint32_t i = 0; e->nservices && i < e->services[0]->inputs.n; i++)
		vc_push(t->c, names, count) = vt_tosca_text(e, e->services[0]->inputs.cell[i].name);
	const char *near = vt_nearest(name, names, count);
	if (near)
		vc_hint(t->c, "did you mean '%s'?", near);
	else
		vc_hint(t->c, "--list shows the inputs that there are");
}

/* An input that could not be read has no cell, and is said to be so already. */
static void
give(struct tosca *t, vt_tosca *e, const char *name, const ynode *y, vc_span at)
{
	vt_value text = vt_str_c(e->rt, name), v = yn_value(e->rt, y);
	if (!vt_tosca_input(e, vt_as_str(text), v)) {
		te *service = service_of(t->root);
		if (!service || !te_named(service, "inputs", name)) {
			vc_report(t->c, VC_E2080, at, "the service has no input '%s'", name);
			hint_inputs(t, e, name);
		}
	}
	vt_release(v);
	vt_release(text);
}

struct from_yay {
	struct tosca *t;
	vt_tosca *e;
	const char *path;
};

static uint32_t
slot_of_input(const vt_tosca *e, const char *name)
{
	for (uint32_t i = 0; e->nservices && i < e->services[0]->inputs.n; i++)
		if (!strcmp(vt_tosca_text(e, e->services[0]->inputs.cell[i].name), name))
			return e->services[0]->inputs.cell[i].slot;
	return 0;
}

/* A value of a Yay file; a text becomes what the input's type reads in it. */
static bool
give_yay(void *ctx, const char *name, vt_value v, bool text)
{
	struct from_yay *g = ctx;
	vt_tosca *e = g->e;
	vt_value key = vt_str_c(e->rt, name);
	vt_value typed =
		text ? vt_tosca_text_value(e->rt, e->m, slot_of_input(e, name), v) : vt_copy(v);
	if (!vt_tosca_input(e, vt_as_str(key), typed)) {
		vc_report(g->t->c, VC_E2080, vc_file_span(g->t->c, g->path),
			"the service has no input '%s'", name);
		hint_inputs(g->t, e, name);
	}
	vt_release(typed);
	vt_release(key);
	return true;
}

static void
give_yay_file(struct tosca *t, vt_tosca *e, const char *path)
{
	struct from_yay g = {t, e, path};
	char *why = NULL;
	if (!vt_yay_reader.entries(e->rt, path, NULL, 0, give_yay, &g, &why))
		vc_report(t->c, VC_E3012, vc_file_span(t->c, path), "%s", why);
	free(why);
}

static void
give_file(struct tosca *t, vt_tosca *e, const char *path)
{
	vc *c = t->c;
	if (vt_yay_is_named(path)) {
		give_yay_file(t, e, path);
		return;
	}
	ynode *y = parse_yaml(c, vc_source_read(c, path));
	if (!y || y->kind == YN_ERROR || (y->kind == YN_SCALAR && y->type == YT_NULL))
		return;
	if (y->kind != YN_MAP) {
		vc_report(c, VC_E2004, y->span, "a file of inputs is a map of values by name");
		return;
	}
	for (uint32_t i = 0; i < y->n; i++)
		if (te_text(y->key[i]))
			give(t, e, y->key[i]->text, y->item[i], y->key[i]->span);
		else if (y->key[i]->kind != YN_ERROR)
			vc_report(c, VC_E2004, y->key[i]->span, "the name of an input is a string");
}

static void
give_word(struct tosca *t, vt_tosca *e, const char *word)
{
	vc *c = t->c;
	const char *value = strchr(word, '=') + 1;
	char *name = vc_strndup(c, word, (size_t)(value - 1 - word));
	vc_source *src = vc_source_take(
		c, vc_format(c, "--input %s", name), vc_strdup(c, value), strlen(value));
	int before = vc_errors(c);
	ynode *y = parse_yaml(c, src), none = {.kind = YN_SCALAR, .type = YT_STR, .text = ""};
	if (vc_errors(c) == before)
		give(t, e, name, y ? y : &none, (vc_span){src, 0, (uint32_t)src->n});
}

/* Files in their order, then words: the last one counts. */
static void
give_inputs(struct tosca *t, vt_tosca *e, const cmd_options *a)
{
	for (uint32_t i = 0; i < a->inputs.n; i++)
		give_file(t, e, a->inputs.v[i]);
	for (uint32_t i = 0; i < a->input.n; i++)
		give_word(t, e, a->input.v[i]);
}

/* ---- --list ---- */

static void
put(vt_rt *rt, vt_dict *d, const te *e, const char *keyname)
{
	const ynode *y = te_y(e, keyname);
	if (y)
		vt_dict_set_c(rt, d, keyname, yn_value(rt, y));
}

static vt_value
parameter(vt_rt *rt, const te *e, bool input)
{
	vt_dict *d = vt_dict_new(rt, true);
	put(rt, d, e, "type");
	put(rt, d, e, "key_schema");
	put(rt, d, e, "entry_schema");
	put(rt, d, e, "description");
	if (input) {
		bool required =
			te_bool(e, "required", true) && !te_y(e, "default") && !te_y(e, "value");
		vt_dict_set_c(rt, d, "required", required ? VT_TRUE : VT_FALSE);
	}
	put(rt, d, e, "default");
	put(rt, d, e, "constraints");
	put(rt, d, e, "validation");
	put(rt, d, e, "status");
	return vt_mkptr(d);
}

static void
put_parameters(vt_rt *rt, vt_dict *to, const te *service, const char *keyname)
{
	uint32_t n = 0;
	te **all = service ? te_all(service, keyname, &n) : NULL;
	vt_dict *d = vt_dict_new_cap(rt, true, n);
	for (uint32_t i = 0; i < n; i++)
		vt_dict_set_c(
			rt, d, all[i]->name, parameter(rt, all[i], !strcmp(keyname, "inputs")));
	vt_dict_set_c(rt, to, keyname, vt_mkptr(d));
}

static void
print_list(vt_rt *rt, const struct tosca *t, const cmd_options *a)
{
	const te *service = service_of(t->root);
	vt_dict *d = vt_dict_new(rt, true);
	put_parameters(rt, d, service, "inputs");
	put_parameters(rt, d, service, "outputs");
	vt_buf b = {NULL, 0, 0};
	if (!strcmp(a->form, "yaml")) {
		vt_yaml_write(rt, &b, vt_mkptr(d));
	} else {
		vt_json_write(rt, &b, vt_mkptr(d), layout_of(a));
		vt_buf_putc(&b, '\n');
	}
	vt_buf_print(&b, stdout);
	vt_release(vt_mkptr(d));
}

/* ---- runs ---- */

static void
set_limits(vt_tosca *e, const cmd_options *a)
{
	if (a->max_nodes)
		e->limit.max_nodes = (uint32_t)a->max_nodes;
	if (a->max_nesting)
		e->limit.max_depth = (uint32_t)a->max_nesting;
	if (a->max_steps)
		e->limit.max_steps = a->max_steps;
	if (a->max_value)
		e->limit.max_value = a->max_value << 20;
}

typedef struct mode {
	const char *const *files;
	uint32_t nfiles;
	bool check, partial; /* report only; inputs may be missing */
	vt_buf *into;        /* where the result goes; NULL: it is printed */
} mode;

/* Whatever the front end found, the engine goes over what is left, so that one run reports all. */
static bool
run_engine(struct tosca *t, const vt_tmodel *m, vt_rt *rt, const cmd_options *a, const mode *w,
	tosca_yaql **yaql)
{
	vt_tosca *e = vt_tosca_new(rt, m);
	*yaql = tosca_yaql_open(e);
	set_limits(e, a);
	e->keeps_leniencies = true;
	e->partial = w->check || a->list || w->partial || vc_errors(t->c);
	if (!w->check)
		give_inputs(t, e, a);
	e->partial |= vc_errors(t->c) > 0;
	e->open = tosca_is_open(t);
	vt_tosca_run(e);
	vt_tosca_check_types(e);
	tosca_report(t, e);
	bool ok = vc_errors(t->c) || w->check || a->list || print_result(e, a, w->into);
	vt_tosca_free(e);
	return ok;
}

/* False: what went wrong is no diagnostic, and reported. */
static bool
run(vc *c, const cmd_options *a, const mode *w)
{
	struct tosca t = {.c = c,
		.paths = a->paths.v,
		.npaths = a->paths.n,
		.maps = a->maps.v,
		.nmaps = a->maps.n,
		.environments = a->environments.v,
		.nenvironments = a->environments.n,
		.check_only = w->check};
	for (uint32_t i = 0; i < w->nfiles; i++)
		vc_allow_beside(c, w->files[i]);
	vc_allow_dirs(c, a->paths.v, a->paths.n);
	vc_allow_dirs(c, a->allow_dir.v, a->allow_dir.n);
	const vt_tmodel *m = tosca_compile(&t, w->files, w->nfiles);
	if (!m)
		return true;
	if (w->check)
		tosca_look_for_files(&t, m);
	if (!a->list)
		tosca_drop(&t);
	vt_rt *rt = vt_rt_new(NULL);
	tosca_yaql *yaql;
	bool ok = run_engine(&t, m, rt, a, w, &yaql);
	if (a->list && !vc_errors(c))
		print_list(rt, &t, a);
	vt_rt_free(rt);
	tosca_yaql_close(yaql);
	return ok;
}

void
cmd_check_tosca(vc *c, const char *path, const cmd_options *a)
{
	run(c, a, &(mode){&path, 1, true, false, NULL});
}

int
cmd_tosca_dot(vc *c, const char *path)
{
	return cmd_tosca_view(c, path, "dot", NULL);
}

int
cmd_tosca_view(vc *c, const char *path, const char *form, vt_buf *out)
{
	cmd_options a = {.form = form};
	bool ok = run(c, &a, &(mode){&path, 1, false, true, out});
	vc_print_diags(c, VC_TEXT, stderr);
	return !ok || vc_errors(c) ? VC_EINPUT : VC_OK;
}

/* The words in front of those of --service, so that the first is the service itself. */
int
cmd_tosca(cmd_options *a)
{
	vc *c = vc_new();
	const vt_cli_list *w = &a->line.words;
	const char **files = vc_alloc(c, (w->n + a->services.n) * sizeof *files);
	memcpy(files, w->v, w->n * sizeof *files);
	for (uint32_t i = 0; i < a->services.n; i++)
		files[w->n + i] = a->services.v[i];
	c->werror = a->werror;
	c->strict = a->strict;
	c->limit.max_errors = (uint32_t)a->max_errors;
	cmd_limit_files(c, a);
	c->limit.max_depth = (uint32_t)a->max_depth;
	c->limit.max_nodes = (uint32_t)a->max_yaml;
	bool ok = run(c, a, &(mode){files, w->n + a->services.n, false, false, NULL});
	vc_print_diags(c, (enum vc_diag_format)a->diags, stderr);
	int rc = ok && !vc_errors(c) ? VC_OK : VC_EINPUT;
	vc_free(c);
	return rc;
}
