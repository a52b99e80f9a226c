/*
 * yay.c - `vetro yay`: a configuration resolved, or a part of it without the rest.
 */
#define _GNU_SOURCE
#include "compiler/cmd/cmd.h"
#include "compiler/yay/run.h"
#include "compiler/yay/tree.h"

#include "runtime/yay/api.h"
#include "runtime/call/call.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct yay_args {
	const char **files;
	uint32_t nfiles;
	const char **dirs;
	uint32_t ndirs;
	const char **sets;
	uint32_t nsets;
	const char **lua;
	uint32_t nlua;
	const char **mem;
	uint32_t nmem;
	const char *select, *as, *expression, *format, *emit, *dflt, *gpg, *ca_file;
	enum vc_diag_format diags;
	bool show_secrets, compact, raw, batch, offline, no_cache;
	double gpg_timeout, http_timeout;
	vt_yay_limits limits;
} yay_args;

static int
usage(const char *what, const char *arg)
{
	return cmd_usage("yay", what, arg);
}

/* ---- problems ---- */

enum { MOST_BLANK = 1000000 };

/* From `from` to the end of a word: a line of a document shows no password of a URL. */
static void
blank_url(char *from)
{
	size_t word = strcspn(from, " \t\r\n\"'"), host = strcspn(from, "/?# \t\r\n\"'");
	char *at = memrchr(from, '@', host), *query = memchr(from, '?', word);

	if (at)
		memset(from, '*', (size_t)(at - from));
	if (query)
		memset(query + 1, '*', (size_t)(from + word - query - 1));
}

/* The same bytes but for those, so that places stay where they are. */
static const char *
without_passwords(vc *c, const char *text)
{
	const char *found = text ? strstr(text, "://") : NULL;
	char *copy;

	if (!found)
		return text;
	copy = vc_strdup(c, text);
	for (char *p = copy; (p = strstr(p, "://")); p += 3)
		blank_url(p + 3);
	return copy;
}

/* A place in a text that is not shown. */
static const char *
blank_text(vc *c, const vt_yplace *p)
{
	char *text;

	if (!p->doc || !p->line || p->col > MOST_BLANK || p->line > MOST_BLANK)
		return NULL;
	text = vc_alloc(c, p->line + p->col + 2);
	memset(text, '\n', p->line + p->col + 1);
	memset(text + p->line - 1, ' ', p->col);
	return text;
}

/* Text of a document that could not be read is with the world no more: the file says it again. */
static const char *
text_of_place(vc *c, const yay_world *w, const vt_yplace *p)
{
	size_t n;

	if (!yay_world_shows(w, p->doc, p->name))
		return blank_text(c, p);
	if (p->doc)
		return without_passwords(c, p->doc->text);
	return p->name && access(p->name, R_OK) == 0
		       ? without_passwords(c, vc_bytes_read(c, p->name, &n))
		       : NULL;
}

static int
report(vc *c, const yay_world *w, const char *file, const vt_yfault *f)
{
	vt_yplace at = f->nplaces ? f->place[0] : (vt_yplace){.name = file};
	const char *hint;

	vc_report(c, (enum vc_code)vt_yay_diag(f),
		yay_span(c, at.name, text_of_place(c, w, &at), at.line, at.col), "%s",
		f->message ? f->message : f->type);
	hint = f->kind == VT_YE_SYNTAX ? w->hint : yay_hint(c, w, f);
	if (hint)
		vc_hint(c, "%s", hint);
	for (uint32_t i = 1; i < f->nplaces; i++)
		vc_note(c,
			yay_span(c, f->place[i].name, text_of_place(c, w, &f->place[i]),
				f->place[i].line, f->place[i].col),
			f->kind == VT_YE_CYCLE ? "which needs this" : "through this");
	return VC_EINPUT;
}

static int
report_syntax(vc *c, const char *name, const char *text, const yay_fault *f)
{
	if (!f->type) {
		vc_report(c, VC_E3009, vc_file_span(c, name), "the file is not there");
		return VC_EINPUT;
	}
	vc_report(c, f->code, yay_span(c, name, without_passwords(c, text), f->line, f->col), "%s",
		f->message);
	if (f->hint)
		vc_hint(c, "%s", f->hint);
	return VC_EINPUT;
}

static int
emit(vc *c, const yay_args *a, const char *path)
{
	vc_source *src = vc_source_read(c, path);
	vt_buf b = {0};
	yay_fault f;
	const vt_ydoc *d;
	int rc = VC_OK;

	if (!src)
		return VC_EINPUT;
	if (!strcmp(a->emit, "tokens")) {
		yay_put_tokens(c, &b, src->name, src->text, src->n, &f);
		if (f.type)
			rc = report_syntax(c, src->name, src->text, &f);
	} else if ((d = yay_read(c, src->name, src->text, src->n, false, &f, NULL, NULL))) {
		yay_put_ast(&b, strcmp(a->emit, "folded") ? d : yay_fold(c, d, NULL));
	} else {
		rc = report_syntax(c, src->name, src->text, &f);
	}
	fwrite(b.p, 1, b.n, stdout);
	vt_buf_free(&b);
	return rc;
}

/* ---- results ---- */

static int
print(vt_rt *rt, const yay_args *a, vt_value v)
{
	vt_buf b = {0};

	if (a->raw && vt_is(v, STR))
		vt_buf_put(&b, vt_as_str(v)->s, vt_as_str(v)->bytes);
	else if (a->format && !strcmp(a->format, "yaml"))
		vt_yaml_write(rt, &b, v);
	else
		vt_json_write(rt, &b, v, a->compact ? 0 : VT_JSON_PRETTY);
	if (!b.n || b.p[b.n - 1] != '\n')
		vt_buf_putc(&b, '\n');
	fwrite(b.p, 1, b.n, stdout);
	vt_buf_free(&b);
	return VC_OK;
}

static enum vt_yay_as
kind_of(const yay_args *a)
{
	for (int i = 0; a->as && i < VT_YAS_COUNT; i++)
		if (!strcmp(a->as, vt_yay_as_names[i]))
			return (enum vt_yay_as)i;
	return a->as ? VT_YAS_COUNT : VT_YAS_VALUE;
}

/* The value as the type has it, but with secrets masked: what has the type is looked at first. */
static bool
masked_value(vt_rt *rt, vt_yay *y, vt_ynode *n, enum vt_yay_as as, vt_value *out)
{
	vt_value v;
	bool secret;

	if (as == VT_YAS_VALUE)
		return vt_yay_value(y, n, VT_YAS_SAFE_VALUE, out);
	if (as == VT_YAS_STRING)
		return vt_yay_value(y, n, VT_YAS_SAFE_STRING, out);
	if (!vt_yay_value(y, n, as, out))
		return false;
	if (as == VT_YAS_LIST || as == VT_YAS_DICT ||
		(as == VT_YAS_ITERABLE && vt_yay_value(y, n, VT_YAS_LIST, &v))) {
		if (as == VT_YAS_ITERABLE)
			vt_release(v);
		vt_clear(out);
		return vt_yay_value(y, n, VT_YAS_SAFE_VALUE, out);
	}
	if (as != VT_YAS_INT && as != VT_YAS_FLOAT && as != VT_YAS_NUMBER && as != VT_YAS_BOOL)
		return true;
	secret = vt_yay_value(y, n, VT_YAS_LABELS, &v) && vt_as_list(v)->n > 0;
	vt_release(v);
	if (secret)
		vt_move(out, vt_str_c(rt, "*****"));
	return true;
}

static vt_ynode *
place(vc *c, const yay_args *a, vt_yay *y)
{
	vt_ynode *n = vt_yay_root(y);
	const vt_ydoc *d;
	yay_fault f;

	if (a->expression) {
		if (!(d = yay_read(c, "<expression>", a->expression, strlen(a->expression), true,
			      &f, NULL, NULL))) {
			report_syntax(c, "<expression>", a->expression, &f);
			return NULL;
		}
		n = vt_yay_expression(y, d);
	}
	return a->select ? vt_yay_at(y, n, a->select, strlen(a->select)) : n;
}

/* What its vertices are called by: the part, or else the first file. */
static const char *
graph_name(vc *c, const yay_args *a)
{
	const char *from = a->select ? a->select : a->files[0], *dot;

	if (!a->select && strrchr(from, '/'))
		from = strrchr(from, '/') + 1;
	dot = a->select ? NULL : strchr(from, '.');
	if (a->expression || !strcmp(from, "-") || dot == from)
		return "yay";
	return dot ? vc_strndup(c, from, (size_t)(dot - from)) : from;
}

static int
graph(vc *c, const yay_args *a, yay_world *w, vt_yay *y)
{
	vt_ynode *n = place(c, a, y);
	const char *why = NULL;
	vt_buf b = {0};
	bool good = n && yay_put_mugl(w->rt, y, n, graph_name(c, a), a->show_secrets, &b, &why);

	if (good)
		fwrite(b.p, 1, b.n, stdout);
	else if (why)
		vc_report(c, VC_E3005, vc_file_span(c, a->files[0]), "%s", why);
	else if (vt_yay_fault(y)->kind)
		report(c, w, a->files[0], vt_yay_fault(y));
	vt_buf_free(&b);
	return good ? VC_OK : VC_EINPUT;
}

static int
evaluate(vc *c, const yay_args *a, yay_world *w, vt_yay *y)
{
	enum vt_yay_as as = kind_of(a);
	vt_value v = VT_UNDEF;
	vt_ynode *n = place(c, a, y);
	bool good = n && (a->show_secrets ? vt_yay_value(y, n, as, &v)
					  : masked_value(w->rt, y, n, as, &v));

	if (!good && a->dflt && vt_yay_fault(y)->kind == VT_YE_NO_MATCHING) {
		v = vt_yay_given_value(w->rt, a->dflt);
		good = true;
	}
	if (!good)
		return vt_yay_fault(y)->kind ? report(c, w, a->files[0], vt_yay_fault(y))
					     : VC_EINPUT;
	print(w->rt, a, v);
	vt_release(v);
	return VC_OK;
}

static int
load(vc *c, const yay_args *a, yay_world *w, vt_yay *y)
{
	const vt_ydoc *d;
	yay_fault f;

	for (uint32_t i = 0; i < a->nfiles; i++) {
		bool secret = false;
		size_t n;
		if (!(d = yay_world_open(w, a->files[i], &secret, &f)))
			return report_syntax(c, a->files[i],
				f.line && !secret && access(a->files[i], R_OK) == 0
					? vc_bytes_read(c, a->files[i], &n)
					: NULL,
				&f);
		if (a->format && !strcmp(a->format, "dot")) {
			vt_buf b = {0};
			if (secret && !a->show_secrets)
				return usage("a graph shows what is secret: --show-secrets with",
					a->files[i]);
			yay_put_dot(&b, d);
			fwrite(b.p, 1, b.n, stdout);
			vt_buf_free(&b);
			continue;
		}
		vt_yay_load(y, d, secret);
	}
	for (uint32_t i = 0; i < a->nsets; i++)
		if (!vt_yay_override(w->rt, y, a->sets[i]))
			return usage("--set takes PATH=VALUE, not", a->sets[i]);
	for (uint32_t i = 0; i < a->ndirs; i++)
		vt_yay_search(y, a->dirs[i]);
	return VC_OK;
}

static int
resolve(vc *c, const yay_args *a)
{
	yay_world w = {.c = c,
		.rt = vt_rt_new(NULL),
		.files = VT_NULL,
		.secret = VT_NULL,
		.gpg = a->gpg,
		.gpg_timeout = a->gpg_timeout,
		.mem = a->mem,
		.nmem = a->nmem,
		.dirs = a->dirs,
		.ndirs = a->ndirs,
		.offline = a->offline,
		.no_cache = a->no_cache,
		.http_timeout = a->http_timeout,
		.ca_file = a->ca_file};
	vt_yay_host host = yay_host_of(&w);
	vt_yay *y = vt_yay_new(w.rt, &host, &a->limits);
	char *why = NULL;
	int rc = VC_OK;

	if (!yay_load_lua(&w, a->lua, a->nlua, &why)) {
		vc_report(c, VC_E3011, (vc_span){0}, "%s", why);
		rc = VC_EINPUT;
	}
	free(why);
	if (rc == VC_OK)
		rc = load(c, a, &w, y);
	if (rc == VC_OK && a->format && !strcmp(a->format, "mugl"))
		rc = graph(c, a, &w, y);
	else if (rc == VC_OK && !(a->format && !strcmp(a->format, "dot")))
		rc = evaluate(c, a, &w, y);
	vt_yay_free(y);
	yay_world_close(&w);
	vt_rt_free(w.rt);
	return rc;
}

/* ---- the command line ---- */

static bool
set_value(vc *c, yay_args *a, int argc, char **argv, int *i, bool *missing)
{
	const struct {
		const char *name;
		const char **to;
		const char ***list;
		uint32_t *n;
	} options[] = {
		{"--select", &a->select, NULL, NULL},
		{"--as", &a->as, NULL, NULL},
		{"-f", &a->format, NULL, NULL},
		{"--expression", &a->expression, NULL, NULL},
		{"--emit", &a->emit, NULL, NULL},
		{"--default", &a->dflt, NULL, NULL},
		{"--gpg", &a->gpg, NULL, NULL},
		{"--cacert", &a->ca_file, NULL, NULL},
		{"--mem", NULL, &a->mem, &a->nmem},
		{"--search", NULL, &a->dirs, &a->ndirs},
		{"--set", NULL, &a->sets, &a->nsets},
		{"--lua", NULL, &a->lua, &a->nlua},
	};

	for (size_t k = 0; k < VC_LEN(options); k++) {
		const char *v = cmd_option_value(options[k].name, argc, argv, i, missing);
		if (*missing)
			return false;
		if (!v)
			continue;
		if (options[k].to)
			*options[k].to = v;
		else
			vc_push(c, *options[k].list, *options[k].n) = v;
		return true;
	}
	return false;
}

static bool
set_flag(yay_args *a, const char *arg)
{
	if (!strcmp(arg, "--show-secrets"))
		return a->show_secrets = true;
	if (!strcmp(arg, "--offline"))
		return a->offline = true;
	if (!strcmp(arg, "--no-cache"))
		return a->no_cache = true;
	if (!strcmp(arg, "--batch"))
		return a->batch = true;
	if (!strcmp(arg, "-c"))
		return a->compact = true;
	if (!strcmp(arg, "-r"))
		return a->raw = true;
	return false;
}

/* 1 to most; false: it is no such number. */
static bool
number(const char *text, uint64_t most, uint64_t *out)
{
	char *end;

	*out = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
	return *out && !*end && *out <= most;
}

/* -1: it is none of these; else the status. */
static int
set_limit(yay_args *a, int argc, char **argv, int *i, bool *missing)
{
	static const struct {
		const char *name;
		uint64_t most;
	} known[] = {{"--max-steps", UINT64_MAX - 1}, {"--max-places", UINT32_MAX - 1},
		{"--max-documents", UINT32_MAX - 1}, {"--max-text", 4096}, {"--gpg-timeout", 86400},
		{"--http-timeout", 86400}};

	for (size_t k = 0; k < VC_LEN(known); k++) {
		const char *v = cmd_option_value(known[k].name, argc, argv, i, missing);
		uint64_t n;
		if (*missing)
			return -1;
		if (!v)
			continue;
		if (!number(v, known[k].most, &n))
			return usage(k < 3    ? "a limit takes a number from 1 on, not"
				     : k == 3 ? "--max-text takes 1 to 4096 MiB, not"
					      : "a time-out takes 1 to 86400 seconds, not",
				v);
		switch (k) {
		case 0: a->limits.steps = n; break;
		case 1: a->limits.nodes = (uint32_t)n; break;
		case 2: a->limits.includes = (uint32_t)n; break;
		case 3: a->limits.text = n << 20; break;
		case 4: a->gpg_timeout = (double)n; break;
		case 5: a->http_timeout = (double)n; break;
		}
		return VC_OK;
	}
	return -1;
}

static int
check_args(yay_args *a)
{
	if (a->batch)
		return a->nfiles ? usage("--batch takes no FILE, as", a->files[0]) : VC_OK;
	if (!a->nfiles)
		return usage("a FILE is missing", NULL);
	if (a->format && strcmp(a->format, "json") && strcmp(a->format, "yaml") &&
		strcmp(a->format, "dot") && strcmp(a->format, "mugl"))
		return usage("-f is json, yaml, mugl or dot, not", a->format);
	if (a->emit && strcmp(a->emit, "tokens") && strcmp(a->emit, "ast") &&
		strcmp(a->emit, "folded"))
		return usage("--emit is tokens, ast or folded, not", a->emit);
	for (uint32_t i = 0; i < a->nmem; i++)
		if (!strchr(a->mem[i], '=') || a->mem[i][0] == '=')
			return usage("--mem takes NAME=TEXT, not", a->mem[i]);
	return kind_of(a) == VT_YAS_COUNT ? usage("--as knows no type", a->as) : VC_OK;
}

static int
read_args(vc *c, yay_args *a, int argc, char **argv)
{
	bool missing = false;
	const char *v;
	int rc;

	for (int i = 1; i < argc; i++) {
		if (vc_pass_option(argv[i], &c->passes_off))
			continue;
		if (set_flag(a, argv[i]) || set_value(c, a, argc, argv, &i, &missing))
			continue;
		if (!missing && (rc = set_limit(a, argc, argv, &i, &missing)) >= 0) {
			if (rc != VC_OK)
				return rc;
			continue;
		}
		if (!missing && (v = cmd_option_value("--format", argc, argv, &i, &missing))) {
			if (!cmd_diag_format(v, &a->diags))
				return usage("--format is text, json or sarif, not", v);
		} else if (missing) {
			return usage("a value is missing after", argv[i]);
		} else if (argv[i][0] == '-' && argv[i][1]) {
			return cmd_unknown_option("yay", argv[i]);
		} else {
			vc_push(c, a->files, a->nfiles) = argv[i];
		}
	}
	if (a->nfiles && !a->format && !strcmp(a->files[0], "dot") && access("dot", F_OK) != 0)
		a->format = "dot", a->files++, a->nfiles--;
	return check_args(a);
}

int
cmd_yay(int argc, char **argv)
{
	vc *c = vc_new();
	yay_args a = {.limits = {50000000, 20000000, 4 << 20, 10000, 64 << 20}};
	int rc;

	if ((rc = read_args(c, &a, argc, argv)) == VC_OK) {
		rc = a.batch  ? yay_batch(a.lua, a.nlua, c->passes_off)
		     : a.emit ? emit(c, &a, a.files[0])
			      : resolve(c, &a);
		vc_print_diags(c, a.diags, stderr);
	}
	vc_free(c);
	return rc;
}

/* ---- vetro check ---- */

typedef struct yay_check {
	vc *c;
	const yay_world *w;
	vt_yay *y;
	const char *file;
	vt_yplace *told; /* where something is wrong already */
	uint32_t ntold, depth;
} yay_check;

/* One mistake is met on many ways, and told once. */
static bool
is_told(yay_check *k, const vt_yfault *f)
{
	vt_yplace p = f->nplaces ? f->place[0] : (vt_yplace){0};

	for (uint32_t i = 0; i < k->ntold; i++)
		if (k->told[i].name == p.name && k->told[i].line == p.line &&
			k->told[i].col == p.col)
			return true;
	/* a circle is one, wherever it is entered */
	for (uint32_t i = 0; i < f->nplaces && (i == 0 || f->kind == VT_YE_CYCLE); i++)
		vc_push(k->c, k->told, k->ntold) = f->place[i];
	return false;
}

static bool
check_failed(yay_check *k)
{
	const vt_yfault *f = vt_yay_fault(k->y);

	if (f->kind != VT_YE_NONE && !is_told(k, f))
		report(k->c, k->w, k->file, f);
	return f->kind != VT_YE_LIMIT && (uint32_t)vc_errors(k->c) < k->c->limit.max_errors;
}

/* All that can be reached, part by part, so that a part that fails does not hide the next. False:
 * enough. */
static bool
check_part(yay_check *k, vt_ynode *at)
{
	enum { DEEP = 1000 };
	enum vt_yshape_kind kind;
	vt_value v = VT_UNDEF, key;
	uint32_t n = 0;
	bool go_on = true;

	if (!at || !vt_yay_shape(k->y, at, &kind, &n))
		return check_failed(k);
	if (kind == VT_YS_SCALAR || k->depth == DEEP) {
		go_on = vt_yay_value(k->y, at, VT_YAS_VALUE, &v) || check_failed(k);
		vt_release(v);
		return go_on;
	}
	k->depth++;
	for (uint32_t i = 0; i < n && go_on; i++)
		go_on = check_part(k, vt_yay_part(k->y, at, i, &key));
	k->depth--;
	return go_on;
}

static bool
is_told_at(void *ctx, const vt_ydoc *d, uint32_t line, uint32_t col)
{
	const yay_check *k = ctx;

	for (uint32_t i = 0; i < k->ntold; i++)
		if (k->told[i].name && strcmp(k->told[i].name, d->name) == 0 &&
			k->told[i].line == line && k->told[i].col == col)
			return true;
	return false;
}

/* Those that nothing came by. */
static void
check_includes(yay_check *k, const char *const *dirs, uint32_t ndirs)
{
	const vt_ydoc **docs = vc_alloc(k->c, (k->w->nopened + 1) * sizeof *docs);

	for (uint32_t i = 0; i < k->w->nopened; i++)
		docs[i] = k->w->opened[i].doc;
	yay_warn_missing(k->w, docs, k->w->nopened, dirs, ndirs, is_told_at, k);
}

static bool
check_open(vc *c, yay_world *w, vt_yay *y, const char *file)
{
	bool secret = false;
	yay_fault f;
	size_t n;
	const vt_ydoc *d = yay_world_open(w, file, &secret, &f);

	if (d)
		return vt_yay_load(y, d, secret);
	report_syntax(c, file,
		f.line && !secret && access(file, R_OK) == 0 ? vc_bytes_read(c, file, &n) : NULL,
		&f);
	return false;
}

void
cmd_check_yay(vc *c, const char *const *files, uint32_t nfiles, const char *const *dirs,
	uint32_t ndirs, const char *const *lua, uint32_t nlua)
{
	yay_world w = {.c = c, .rt = vt_rt_new(NULL), .files = VT_NULL, .secret = VT_NULL};
	vt_yay_host host = yay_host_of(&w);
	vt_yay *y = vt_yay_new(w.rt, &host, NULL);
	yay_check k = {c, &w, y, files[0], NULL, 0, 0};
	char *why = NULL;
	bool good = yay_load_lua(&w, lua, nlua, &why);

	if (!good)
		vc_report(c, VC_E3011, (vc_span){0}, "%s", why);
	free(why);
	for (uint32_t i = 0; i < nfiles; i++)
		good &= check_open(c, &w, y, files[i]);
	for (uint32_t i = 0; i < ndirs; i++)
		vt_yay_search(y, dirs[i]);
	if (good) {
		check_part(&k, vt_yay_root(y));
		check_includes(&k, dirs, ndirs);
	}
	vt_yay_free(y);
	yay_world_close(&w);
	vt_rt_free(w.rt);
}
