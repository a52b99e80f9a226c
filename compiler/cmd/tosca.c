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

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct given {
	const char *name, *value;
} given;
typedef struct tosca_args {
	const char **files;
	uint32_t nfiles;
	const char **paths;
	uint32_t npaths;
	const char **maps;
	uint32_t nmaps;
	const char **inputs;
	uint32_t ninputs; /* files of them */
	given *given;
	uint32_t ngiven;
	const vt_tformat *format;
	enum vc_diag_format diags;
	bool list, compact, pretty, werror;
	bool partial; /* inputs may be missing */
	uint32_t max_errors, max_depth, max_yaml, max_nodes, max_nesting;
	uint64_t max_steps;
} tosca_args;

static int
usage(const char *what, const char *arg)
{
	return cmd_usage("tosca", what, arg);
}

/* ---- results ---- */

static bool
is_pretty(const tosca_args *a)
{
	return !a->compact && (a->pretty || isatty(STDOUT_FILENO));
}

static void
print(vt_buf *b)
{
	fwrite(b->p, 1, b->n, stdout);
	vt_buf_free(b);
}

/* The part of a long result that there is; what cannot be written shows where stdout is closed. */
static void
print_part(vt_buf *b)
{
	fwrite(b->p, 1, b->n, stdout);
	b->n = 0;
}

static bool
print_result(vt_tosca *e, const tosca_args *a)
{
	vt_buf b = {NULL, 0, 0};
	char *why = NULL;
	e->full = print_part;
	bool ok = a->format->put(e, &b, is_pretty(a), &why);
	if (ok) {
		print(&b);
		return true;
	}
	vc_say("vetro: the service cannot be told as %s: %s\n", a->format->name,
		why ? why : "no reason is known");
	vt_buf_free(&b);
	free(why);
	return false;
}

/* ---- YAML to values ---- */

static vt_value
number_of(vt_rt *rt, const ynode *y)
{
	vt_value v = VT_NULL;
	if (y->type == YT_FLOAT)
		return vt_float_new(rt, y->f);
	if (y->fits)
		return vt_int_new(rt, y->i);
	return vt_int_parse(rt, y->digits, strlen(y->digits), 10, &v) == VT_OK ? v : VT_NULL;
}

/* Depth is limited where YAML is read. */
static vt_value
value_of(vt_rt *rt, const ynode *y)
{
	if (y->kind == YN_SEQ) {
		vt_list *l = vt_list_grow(rt, VT_K_TUPLE, y->n);
		for (uint32_t i = 0; i < y->n; i++)
			vt_list_push(rt, l, value_of(rt, y->item[i]));
		return vt_mkptr(l);
	}
	if (y->kind == YN_MAP) {
		vt_dict *d = vt_dict_new_cap(rt, true, y->n);
		for (uint32_t i = 0; i < y->n; i++) {
			vt_value key = value_of(rt, y->key[i]), item = value_of(rt, y->item[i]);
			vt_dict_set(rt, d, key, item);
			vt_release(key);
			vt_release(item);
		}
		return vt_mkptr(d);
	}
	if (y->kind == YN_ERROR)
		return VT_NULL;
	switch ((enum yn_type)y->type) {
	case YT_NULL: return VT_NULL;
	case YT_BOOL: return y->i ? VT_TRUE : VT_FALSE;
	case YT_INT:
	case YT_FLOAT: return number_of(rt, y);
	case YT_STR:
	case YT_DATE:
	case YT_DATETIME:
	case YT_BINARY: break;
	}
	return vt_str_new(rt, y->text, y->ntext);
}

/* ---- inputs ---- */

/* One document of YAML 1.2, or NULL: reported unless the text is empty. */
static ynode *
parse_yaml(vc *c, vc_source *src)
{
	uint32_t n = 0;
	bool empty = c->keep_empty;
	c->yaml_core = c->keep_empty = true;
	ynode **docs = src ? vc_yaml_parse(c, src, false, &n) : NULL;
	c->yaml_core = false;
	c->keep_empty = empty;
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
	const char *near = vc_nearest(name, names, count);
	if (near)
		vc_hint(t->c, "did you mean '%s'?", near);
	else
		vc_hint(t->c, "--list shows the inputs that there are");
}

/* An input that could not be read has no cell, and is said to be so already. */
static void
give(struct tosca *t, vt_tosca *e, const char *name, const ynode *y, vc_span at)
{
	vt_value text = vt_str_c(e->rt, name), v = value_of(e->rt, y);
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
give_word(struct tosca *t, vt_tosca *e, const given *g)
{
	vc *c = t->c;
	vc_source *src = vc_source_take(
		c, vc_format(c, "--input %s", g->name), vc_strdup(c, g->value), strlen(g->value));
	int before = vc_errors(c);
	ynode *y = parse_yaml(c, src), none = {.kind = YN_SCALAR, .type = YT_STR, .text = ""};
	if (vc_errors(c) == before)
		give(t, e, g->name, y ? y : &none, (vc_span){src, 0, (uint32_t)src->n});
}

/* Files in their order, then words: the last one counts. */
static void
give_inputs(struct tosca *t, vt_tosca *e, const tosca_args *a)
{
	for (uint32_t i = 0; i < a->ninputs; i++)
		give_file(t, e, a->inputs[i]);
	for (uint32_t i = 0; i < a->ngiven; i++)
		give_word(t, e, &a->given[i]);
}

/* ---- --list ---- */

static void
put(vt_rt *rt, vt_dict *d, const te *e, const char *keyname)
{
	const ynode *y = te_y(e, keyname);
	if (y)
		vt_dict_set_c(rt, d, keyname, value_of(rt, y));
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
print_list(vt_rt *rt, const struct tosca *t, const tosca_args *a)
{
	const te *service = service_of(t->root);
	vt_dict *d = vt_dict_new(rt, true);
	put_parameters(rt, d, service, "inputs");
	put_parameters(rt, d, service, "outputs");
	vt_buf b = {NULL, 0, 0};
	if (!strcmp(a->format->name, "yaml")) {
		vt_yaml_write(rt, &b, vt_mkptr(d));
	} else {
		vt_json_write(rt, &b, vt_mkptr(d), is_pretty(a) ? VT_JSON_PRETTY : 0);
		vt_buf_putc(&b, '\n');
	}
	print(&b);
	vt_release(vt_mkptr(d));
}

/* ---- runs ---- */

static void
set_limits(vt_tosca *e, const tosca_args *a)
{
	if (a->max_nodes)
		e->limit.max_nodes = a->max_nodes;
	if (a->max_nesting)
		e->limit.max_depth = a->max_nesting;
	if (a->max_steps)
		e->limit.max_steps = a->max_steps;
}

/* Whatever the front end found, the engine goes over what is left, so that one run tells all. */
static bool
run_engine(struct tosca *t, const vt_tmodel *m, vt_rt *rt, const tosca_args *a, bool check,
	tosca_yaql **yaql)
{
	vt_tosca *e = vt_tosca_new(rt, m);
	*yaql = tosca_yaql_open(e);
	set_limits(e, a);
	e->partial = check || a->list || a->partial || vc_errors(t->c);
	give_inputs(t, e, a);
	e->partial |= vc_errors(t->c) > 0;
	vt_tosca_run(e);
	vt_tosca_check_types(e);
	tosca_report(t, e);
	bool ok = vc_errors(t->c) || check || a->list || print_result(e, a);
	vt_tosca_free(e);
	return ok;
}

/* False: what went wrong is no diagnostic, and told. */
static bool
run(vc *c, const tosca_args *a, bool check)
{
	struct tosca t = {
		.c = c, .paths = a->paths, .npaths = a->npaths, .maps = a->maps, .nmaps = a->nmaps};
	const vt_tmodel *m = tosca_compile(&t, a->files, a->nfiles);
	if (!m)
		return true;
	if (!a->list)
		tosca_drop(&t);
	vt_big_own_memory();
	vt_rt *rt = vt_rt_new(NULL);
	tosca_yaql *yaql;
	bool ok = run_engine(&t, m, rt, a, check, &yaql);
	if (a->list && !vc_errors(c))
		print_list(rt, &t, a);
	vt_rt_free(rt);
	tosca_yaql_close(yaql);
	return ok;
}

void
cmd_check_tosca(vc *c, const char *path, const char *const *paths, uint32_t npaths,
	const char *const *maps, uint32_t nmaps)
{
	tosca_args a = {.files = &path,
		.nfiles = 1,
		.paths = (const char **)paths,
		.npaths = npaths,
		.maps = (const char **)maps,
		.nmaps = nmaps,
		.format = vt_tformats};
	run(c, &a, true);
}

int
cmd_tosca_dot(vc *c, const char *path)
{
	tosca_args a = {.files = &path,
		.nfiles = 1,
		.format = vt_tosca_find_format("dot"),
		.partial = true};
	bool ok = run(c, &a, false);
	vc_print_diags(c, VC_TEXT, stderr);
	return !ok || vc_errors(c) ? VC_EINPUT : VC_OK;
}

/* ---- the command line ---- */

static int
set_format(tosca_args *a, const char *name)
{
	a->format = vt_tosca_find_format(name);
	if (a->format)
		return VC_OK;
	vt_buf b = {NULL, 0, 0};
	vt_buf_puts(&b, "-f knows ");
	vt_tosca_format_names(&b);
	vt_buf_puts(&b, ", not");
	vt_buf_putc(&b, 0);
	int rc = usage(b.p, name);
	vt_buf_free(&b);
	return rc;
}

static int
set_input(tosca_args *a, char *text)
{
	char *eq = strchr(text, '=');
	if (!eq || eq == text)
		return usage("--input wants NAME=VALUE, not", text);
	*eq = 0;
	a->given[a->ngiven++] = (given){text, eq + 1};
	return VC_OK;
}

static int
set_map(tosca_args *a, const char *text)
{
	const char *eq = strrchr(text, '=');
	if (!eq || eq == text || !eq[1])
		return usage("--map wants URL=PATH, not", text);
	a->maps[a->nmaps++] = text;
	return VC_OK;
}

static bool
set_number(const char *text, uint64_t most, uint64_t *out)
{
	char *end;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *out > 0 && *out <= most;
}

/* -1: it is another option. */
static int
limit_option(tosca_args *a, int argc, char **argv, int *i, bool *missing)
{
	struct {
		const char *name;
		uint32_t *to;
		uint64_t most;
	} rows[] = {
		{"--max-errors", &a->max_errors, 1000000},
		{"--max-depth", &a->max_depth, 1000},
		{"--max-yaml-nodes", &a->max_yaml, 1000000000},
		{"--max-nodes", &a->max_nodes, 1000000000},
		{"--max-nesting", &a->max_nesting, 2000},
	};
	uint64_t n;
	const char *v = cmd_option_value("--max-steps", argc, argv, i, missing);
	if (v && !set_number(v, UINT64_MAX / 2, &a->max_steps))
		return usage("not a number from 1 on:", v);
	if (v || *missing)
		return v ? VC_OK : -1;
	for (size_t k = 0; k < VC_LEN(rows); k++) {
		v = cmd_option_value(rows[k].name, argc, argv, i, missing);
		if (!v)
			continue;
		if (!set_number(v, rows[k].most, &n))
			return usage("out of range:", v);
		*rows[k].to = (uint32_t)n;
		return VC_OK;
	}
	return -1;
}

static int
value_option(tosca_args *a, int argc, char **argv, int *i)
{
	bool missing = false;
	const char *arg = argv[*i], *v;
	if ((v = cmd_option_value("--inputs", argc, argv, i, &missing)))
		a->inputs[a->ninputs++] = v;
	else if ((v = cmd_option_value("--input", argc, argv, i, &missing)))
		return set_input(a, (char *)v);
	else if ((v = cmd_option_value("--map", argc, argv, i, &missing)))
		return set_map(a, v);
	else if ((v = cmd_option_value("--service", argc, argv, i, &missing)))
		a->files[a->nfiles++] = v;
	else if ((v = cmd_option_value("-I", argc, argv, i, &missing)))
		a->paths[a->npaths++] = v;
	else if ((v = cmd_option_value("-f", argc, argv, i, &missing)))
		return set_format(a, v);
	else if ((v = cmd_option_value("--format", argc, argv, i, &missing)))
		return cmd_diag_format(v, &a->diags)
			       ? VC_OK
			       : usage("--format knows text, json and sarif, not", v);
	else {
		int rc = missing ? -1 : limit_option(a, argc, argv, i, &missing);
		return rc >= 0   ? rc
		       : missing ? usage("a value is missing after", arg)
				 : cmd_unknown_option("tosca", arg);
	}
	return VC_OK;
}

static int
option(tosca_args *a, int argc, char **argv, int *i)
{
	const char *arg = argv[*i];
	if (!strcmp(arg, "--list"))
		a->list = true;
	else if (!strcmp(arg, "-c") || !strcmp(arg, "--compact-output"))
		a->compact = true;
	else if (!strcmp(arg, "-p") || !strcmp(arg, "--pretty"))
		a->pretty = true;
	else if (!strcmp(arg, "-Werror") || !strcmp(arg, "--werror"))
		a->werror = true;
	else if (!strncmp(arg, "-I", 2) && arg[2])
		a->paths[a->npaths++] = arg + 2;
	else
		return value_option(a, argc, argv, i);
	return VC_OK;
}

/* FILEs in front of those of --service, so that the first is the service itself. */
static int
parse(tosca_args *a, int argc, char **argv, const char **own)
{
	uint32_t n = 0;
	bool rest = false;
	for (int i = 1; i < argc; i++) {
		int rc = VC_OK;
		if (!rest && !strcmp(argv[i], "--"))
			rest = true;
		else if (!rest && argv[i][0] == '-' && argv[i][1])
			rc = option(a, argc, argv, &i);
		else
			own[n++] = argv[i];
		if (rc)
			return rc;
	}
	if (!n)
		return usage("no FILE given", NULL);
	memcpy(own + n, a->files, a->nfiles * sizeof *own);
	a->files = own;
	a->nfiles += n;
	return VC_OK;
}

static int
compile(const tosca_args *a)
{
	vc *c = vc_new();
	c->werror = a->werror;
	if (a->max_errors)
		c->limit.max_errors = a->max_errors;
	if (a->max_depth)
		c->limit.max_depth = a->max_depth;
	if (a->max_yaml)
		c->limit.max_nodes = a->max_yaml;
	bool ok = run(c, a, false);
	vc_print_diags(c, a->diags, stderr);
	int rc = ok && !vc_errors(c) ? VC_OK : VC_EINPUT;
	vc_free(c);
	return rc;
}

int
cmd_tosca(int argc, char **argv)
{
	size_t n = (size_t)argc + 1;
	const char **words = calloc(n * 6, sizeof *words);
	given *pairs = calloc(n, sizeof *pairs);
	int rc = VC_EFAULT;
	if (words && pairs) {
		tosca_args a = {.files = words,
			.paths = words + n,
			.maps = words + 2 * n,
			.inputs = words + 3 * n,
			.given = pairs,
			.format = vt_tformats};
		rc = parse(&a, argc, argv, words + 4 * n);
		if (!rc)
			rc = compile(&a);
	}
	free(words);
	free(pairs);
	return rc;
}
