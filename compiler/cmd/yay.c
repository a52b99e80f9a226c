/*
 * yay.c - `vetro yay`: a configuration resolved, or a part of it without the rest.
 */
#include "compiler/cmd/cmd.h"
#include "compiler/yay/run.h"
#include "compiler/yay/tree.h"

#include "runtime/yay/api.h"
#include "runtime/call/call.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- problems ---- */

enum { MOST_BLANK = 1000000, STACK = 4 << 20 };

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
	struct stat st;
	size_t n;

	if (!yay_world_shows(w, p->doc, p->name))
		return blank_text(c, p);
	if (p->doc)
		return yay_shown(c, p->name, p->doc->text);
	return p->name && stat(p->name, &st) == 0 && S_ISREG(st.st_mode) &&
			       access(p->name, R_OK) == 0
		       ? yay_shown(c, p->name, vc_bytes_read(c, p->name, &n))
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
	vc_report(c, f->code, yay_span(c, name, yay_shown(c, name, text), f->line, f->col), "%s",
		f->message);
	if (f->hint)
		vc_hint(c, "%s", f->hint);
	return VC_EINPUT;
}

static int
emit(vc *c, const cmd_options *a, const char *path)
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
	vt_buf_print(&b, stdout);
	return rc;
}

/* ---- results ---- */

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
place(vc *c, const cmd_options *a, vt_yay *y)
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
graph_name(vc *c, const cmd_options *a)
{
	const char *from = a->select ? a->select : a->line.words.v[0], *dot;

	if (!a->select && strrchr(from, '/'))
		from = strrchr(from, '/') + 1;
	dot = a->select ? NULL : strchr(from, '.');
	if (a->expression || !strcmp(from, "-") || dot == from)
		return "yay";
	return dot ? vc_strndup(c, from, (size_t)(dot - from)) : from;
}

static int
graph(vc *c, const cmd_options *a, yay_world *w, vt_yay *y)
{
	vt_ynode *n = place(c, a, y);
	const char *why = NULL;
	vt_buf b = {0};
	bool good = n && yay_put_mugl(w->rt, y, n, graph_name(c, a), a->show_secrets, &b, &why);

	if (good)
		fwrite(b.p, 1, b.n, stdout);
	else if (why)
		vc_report(c, VC_E3005, vc_file_span(c, a->line.words.v[0]), "%s", why);
	else if (vt_yay_fault(y)->kind)
		report(c, w, a->line.words.v[0], vt_yay_fault(y));
	vt_buf_free(&b);
	return good ? VC_OK : VC_EINPUT;
}

static int
evaluate(vc *c, const cmd_options *a, yay_world *w, vt_yay *y)
{
	enum vt_yay_as as = (enum vt_yay_as)a->as;
	vt_value v = VT_UNDEF;
	vt_ynode *n = place(c, a, y);
	bool yaml = !strcmp(a->form, "yaml");
	bool good = n && (as == VT_YAS_VALUE && !yaml ? vt_yay_shown(y, n, !a->show_secrets, &v)
				 : a->show_secrets    ? vt_yay_value(y, n, as, &v)
						      : masked_value(w->rt, y, n, as, &v));

	if (!good && a->otherwise && vt_yay_fault(y)->kind == VT_YE_NO_MATCHING) {
		v = vt_yay_given_value(w->rt, a->otherwise);
		good = true;
	}
	if (!good)
		return vt_yay_fault(y)->kind ? report(c, w, a->line.words.v[0], vt_yay_fault(y))
					     : VC_EINPUT;
	vt_yay_print(w->rt, v, a->raw, yaml, vt_json_layout(a->compact, a->tab, a->indent));
	vt_release(v);
	return VC_OK;
}

/* NULL: reported. */
static const vt_ydoc *
open_document(vc *c, yay_world *w, const char *file, bool *secret)
{
	yay_fault f;
	size_t n;
	const vt_ydoc *d;

	*secret = false;
	d = yay_world_open(w, file, secret, &f);
	if (!d)
		report_syntax(c, file,
			f.line && !*secret && access(file, R_OK) == 0 ? vc_bytes_read(c, file, &n)
								      : NULL,
			&f);
	return d;
}

static int
load(vc *c, const cmd_options *a, yay_world *w, vt_yay *y)
{
	for (uint32_t i = 0; i < a->line.words.n; i++) {
		bool secret;
		const vt_ydoc *d = open_document(c, w, a->line.words.v[i], &secret);
		if (!d)
			return VC_EINPUT;
		if (!strcmp(a->form, "dot")) {
			vt_buf b = {0};
			if (secret && !a->show_secrets)
				return vt_cli_usage(&a->line,
					"a graph shows what is secret: --show-secrets with %s",
					a->line.words.v[i]);
			yay_put_dot(&b, d);
			vt_buf_print(&b, stdout);
			continue;
		}
		vt_yay_load(y, d, secret);
	}
	for (uint32_t i = 0; i < a->paths.n; i++)
		vt_yay_search(y, a->paths.v[i]);
	return VC_OK;
}

/* `before` is the same configuration without them. */
static int
put_overrides(const cmd_options *a, yay_world *w, vt_yay *y, vt_yay *before)
{
	for (uint32_t i = 0; i < a->sets.n; i++) {
		if (!vt_yay_override(w->rt, y, a->sets.v[i]))
			return vt_cli_usage(
				&a->line, "--set takes PATH=VALUE, not %s", a->sets.v[i]);
		vt_yay_note_new(before, "vetro", "--set", a->sets.v[i]);
	}
	return VC_OK;
}

static int
load_with_overrides(
	vc *c, const cmd_options *a, yay_world *w, vt_yay *y, const vt_yay_limits *limits)
{
	vt_yay_host host = yay_host_of(w);
	vt_yay *before;
	int rc = load(c, a, w, y);

	if (rc != VC_OK || a->sets.n == 0 || !strcmp(a->form, "dot"))
		return rc;
	before = vt_yay_new(w->rt, &host, limits);
	rc = load(c, a, w, before);
	if (rc == VC_OK)
		rc = put_overrides(a, w, y, before);
	vt_yay_free(before);
	return rc;
}

static int
resolve(vc *c, const cmd_options *a)
{
	yay_world w = {.c = c,
		.rt = vt_rt_new(NULL),
		.files = VT_NULL,
		.secret = VT_NULL,
		.gpg = a->gpg,
		.gpg_timeout = (double)a->gpg_timeout,
		.mem = a->mem.v,
		.nmem = a->mem.n,
		.dirs = a->paths.v,
		.ndirs = a->paths.n,
		.offline = a->offline,
		.no_cache = a->no_cache,
		.http_timeout = (double)a->http_timeout,
		.ca_file = a->ca_file};
	vt_yay_host host = yay_host_of(&w);
	vt_yay_limits limits = {a->max_steps, (uint32_t)a->max_places, STACK,
		(uint32_t)a->max_documents, a->max_text << 20};
	vt_yay *y = vt_yay_new(w.rt, &host, &limits);
	char *why = NULL;
	int rc = VC_OK;

	if (!yay_load_lua(&w, a->lua.v, a->lua.n, &why)) {
		vc_report(c, VC_E3011, (vc_span){0}, "%s", why);
		rc = VC_EINPUT;
	}
	free(why);
	if (rc == VC_OK)
		rc = load_with_overrides(c, a, &w, y, &limits);
	if (rc == VC_OK && !strcmp(a->form, "mugl"))
		rc = graph(c, a, &w, y);
	else if (rc == VC_OK && !(!strcmp(a->form, "dot")))
		rc = evaluate(c, a, &w, y);
	vt_yay_free(y);
	yay_world_close(&w);
	vt_rt_free(w.rt);
	return rc;
}

/* ---- the command line ---- */

/* `vetro yay dot FILE`, where there is no file of that name. */
static void
take_dot(cmd_options *o)
{
	vt_cli_list *w = &o->line.words;

	if (w->n < 2 || strcmp(w->v[0], "dot") != 0 || access("dot", F_OK) == 0)
		return;
	o->form = "dot";
	memmove(w->v, w->v + 1, --w->n * sizeof *w->v);
}

int
cmd_yay(cmd_options *o)
{
	vc *c;
	int rc;

	take_dot(o);
	c = vc_new();
	c->passes_off = o->passes_off;
	rc = o->batch  ? yay_batch(o->lua.v, o->lua.n, c->passes_off)
	     : o->emit ? emit(c, o, o->line.words.v[0])
		       : resolve(c, o);
	vc_print_diags(c, (enum vc_diag_format)o->diags, stderr);
	vc_free(c);
	return rc;
}

/* ---- vetro check ---- */

typedef struct yay_check {
	vc *c;
	const yay_world *w;
	vt_yay *y;
	const char *file;
	vt_yplace *reported; /* where something is wrong already */
	uint32_t nreported, depth;
	const void **seen; /* hash of lists and mappings that were gone over; a power of two */
	uint32_t nseen, capseen;
} yay_check;

/* One mistake is met along many paths, and reported once. */
static bool
is_reported(yay_check *k, const vt_yfault *f)
{
	vt_yplace p = f->nplaces ? f->place[0] : (vt_yplace){0};

	for (uint32_t i = 0; i < k->nreported; i++)
		if (k->reported[i].name == p.name && k->reported[i].line == p.line &&
			k->reported[i].col == p.col)
			return true;
	/* a circle is one, wherever it is entered */
	for (uint32_t i = 0; i < f->nplaces && (i == 0 || f->kind == VT_YE_CYCLE); i++)
		vc_push(k->c, k->reported, k->nreported) = f->place[i];
	return false;
}

static bool
check_failed(yay_check *k)
{
	const vt_yfault *f = vt_yay_fault(k->y);

	if (f->kind != VT_YE_NONE && !is_reported(k, f))
		report(k->c, k->w, k->file, f);
	return f->kind != VT_YE_LIMIT && (uint32_t)vc_errors(k->c) < k->c->limit.max_errors;
}

static const void **
seen_at(const yay_check *k, const void *p)
{
	uint32_t mask = k->capseen - 1, i = (uint32_t)((uintptr_t)p / 16 * 2654435761u) & mask;

	while (k->seen[i] != NULL && k->seen[i] != p)
		i = (i + 1) & mask;
	return &k->seen[i];
}

/* What several places refer to is gone over once: the ways to it may be more than can be gone. */
static bool
is_seen(yay_check *k, const void *p)
{
	const void **old = k->seen, **at;
	uint32_t n = k->capseen;

	if (k->nseen * 2 >= n) {
		k->capseen = n ? 2 * n : 64;
		k->seen = vc_alloc(k->c, k->capseen * sizeof *k->seen);
		for (uint32_t i = 0; i < n; i++)
			if (old[i] != NULL)
				*seen_at(k, old[i]) = old[i];
	}
	at = seen_at(k, p);
	if (*at == p)
		return true;
	*at = p;
	k->nseen++;
	return false;
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
	if (is_seen(k, vt_yay_identity(k->y, at)))
		return true;
	k->depth++;
	for (uint32_t i = 0; i < n && go_on; i++)
		go_on = check_part(k, vt_yay_part(k->y, at, i, &key));
	k->depth--;
	return go_on;
}

static bool
is_reported_at(void *ctx, const vt_ydoc *d, uint32_t line, uint32_t col)
{
	const yay_check *k = ctx;

	for (uint32_t i = 0; i < k->nreported; i++)
		if (k->reported[i].name && strcmp(k->reported[i].name, d->name) == 0 &&
			k->reported[i].line == line && k->reported[i].col == col)
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
	yay_warn_missing(k->w, docs, k->w->nopened, dirs, ndirs, is_reported_at, k);
}

void
cmd_check_yay(vc *c, const char *const *files, uint32_t nfiles, const cmd_options *o)
{
	yay_world w = {.c = c, .rt = vt_rt_new(NULL), .files = VT_NULL, .secret = VT_NULL};
	vt_yay_host host = yay_host_of(&w);
	vt_yay *y = vt_yay_new(w.rt, &host, NULL);
	yay_check k = {c, &w, y, files[0], NULL, 0, 0, NULL, 0, 0};
	char *why = NULL;
	bool secret, good = yay_load_lua(&w, o->lua.v, o->lua.n, &why);
	const vt_ydoc *d;

	if (!good)
		vc_report(c, VC_E3011, (vc_span){0}, "%s", why);
	free(why);
	for (uint32_t i = 0; i < nfiles; i++)
		good &= (d = open_document(c, &w, files[i], &secret)) && vt_yay_load(y, d, secret);
	for (uint32_t i = 0; i < o->paths.n; i++)
		vt_yay_search(y, o->paths.v[i]);
	if (good) {
		check_part(&k, vt_yay_root(y));
		check_includes(&k, o->paths.v, o->paths.n);
	}
	vt_yay_free(y);
	yay_world_close(&w);
	vt_rt_free(w.rt);
}
