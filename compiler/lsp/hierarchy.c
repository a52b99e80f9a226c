/*
 * hierarchy.c - who calls a method and what it calls; what a type extends and what extends it.
 *
 * An item names its file and place, and is found again by them: the file need not be open.
 */
#include "compiler/lsp/know.h"
#include "compiler/lsp/scope.h"
#include "compiler/murano/package.h"

#include <stdlib.h>
#include <string.h>

/* Kinds of symbols. */
enum { S_CLASS = 5, S_METHOD = 6 };

static void
put_item(lsp_worker *w, vt_buf *out, const char *name, const char *detail, int kind, vc_span at)
{
	const char *path = at.src ? lsp_path_of_source(w->c, at.src) : NULL;
	const lsp_document *d = path ? lsp_document_at(w->s, path) : NULL;

	vt_buf_puts(out, "{\"name\":");
	lsp_put_text(out, name);
	vt_buf_printf(out, ",\"kind\":%d,\"detail\":", kind);
	lsp_put_text(out, detail);
	vt_buf_puts(out, ",\"uri\":");
	if (d)
		lsp_put_text(out, d->uri);
	else
		lsp_put_uri(out, path ? path : "");
	vt_buf_puts(out, ",\"range\":");
	lsp_put_place(w, out, d, at);
	vt_buf_puts(out, ",\"selectionRange\":");
	lsp_put_place(w, out, d, at);
	vt_buf_puts(out, "}");
}

static bool
has_file(lsp_worker *w, vc_span at)
{
	return at.src && lsp_path_of_source(w->c, at.src);
}

/* ---- the item of a request ---- */

/* Its file, open or not. */
static const lsp_document *
document_of(lsp_worker *w, vt_value item)
{
	const char *uri = lsp_text(item, "uri");
	const lsp_document *open = lsp_document_of(w->s, uri);
	char *path = uri && !open ? lsp_path_of_uri(uri) : NULL;
	const char *real = path ? vc_real_path(w->c, path) : NULL;
	vc_source *src = real ? vc_source_read(w->c, real) : NULL;
	lsp_document *d = src ? vc_alloc(w->c, sizeof *d) : NULL;

	free(path);
	if (!d)
		return open;
	*d = (lsp_document){
		.path = (char *)(uintptr_t)real, .text = (char *)(uintptr_t)src->text, .n = src->n};
	return d;
}

static bool
place_of_item(lsp_worker *w, vt_value params, lsp_place *p)
{
	vt_value item = lsp_get(params, "item");
	const lsp_document *d = document_of(w, item);
	lsp_position at;

	if (!d || !lsp_read_position(lsp_at(item, "selectionRange", "start"), &at))
		return false;
	lsp_place_at(w, d, lsp_offset(d->text, d->n, w->s->encoding, at), p);
	return true;
}

/* ---- calls ---- */

/* The method that the place names, else the one around it. */
static const mpl_method *
method_at(const lsp_place *p)
{
	lsp_named x = lsp_name_at(p);

	return x.method ? x.method : x.found && !x.variable ? NULL : p->method;
}

static void
put_method(lsp_worker *w, vt_buf *out, const mpl_method *m)
{
	put_item(w, out, m->name, m->cls->name, S_METHOD, m->span);
}

void
lsp_prepare_calls(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	lsp_place p;
	const mpl_method *m;

	if (w->p->kind != LSP_PACKAGE || !lsp_place_of(w, d, params, &p) || !(m = method_at(&p)) ||
		!has_file(w, m->span))
		return;
	vt_buf_puts(out, "[");
	put_method(w, out, m);
	vt_buf_puts(out, "]");
}

/* Calls by the method at their other end. */
typedef struct call {
	const mpl_method *m;
	vt_buf ranges;
	uint32_t n;
} call;
typedef struct calls {
	lsp_worker *w;
	const mpl_method *of;
	call *v;
	uint32_t n;
} calls;

static void
add_call(calls *c, const mpl_method *m, const lsp_place *p)
{
	uint32_t i = 0;

	while (i < c->n && c->v[i].m != m)
		i++;
	if (i == c->n)
		vc_push(c->w->c, c->v, c->n) = (call){.m = m};
	vt_buf_puts(&c->v[i].ranges, c->v[i].n++ ? "," : "");
	lsp_put_range(&c->v[i].ranges, c->w->s, p->d->text, p->d->n, p->from, p->to);
}

static void
put_calls(calls *c, vt_buf *out, const char *end)
{
	uint32_t put = 0;

	vt_buf_puts(out, "[");
	for (uint32_t i = 0; i < c->n; i++) {
		if (has_file(c->w, c->v[i].m->span)) {
			vt_buf_printf(out, "%s{\"%s\":", put++ ? "," : "", end);
			put_method(c->w, out, c->v[i].m);
			vt_buf_printf(out, ",\"fromRanges\":[%.*s]}", (int)c->v[i].ranges.n,
				c->v[i].ranges.p);
		}
		vt_buf_free(&c->v[i].ranges);
	}
	vt_buf_puts(out, "]");
}

static void
add_caller(void *ctx, const lsp_place *p)
{
	calls *c = ctx;

	if (p->method && p->d->text[p->to] == '(')
		add_call(c, p->method, p);
}

void
lsp_incoming_calls(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	lsp_place p;
	calls c = {.w = w};

	(void)d;
	if (!place_of_item(w, params, &p) || !(c.of = method_at(&p)))
		return;
	lsp_named target = {.method = c.of, .cls = c.of->cls, .found = true};
	p.from = p.at;
	p.to = p.at + strlen(c.of->name);
	lsp_each_use(&p, &target, false, false, add_caller, &c);
	put_calls(&c, out, "from");
}

void
lsp_outgoing_calls(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	lsp_place p;
	calls c = {.w = w};

	(void)d;
	if (!place_of_item(w, params, &p) || !(c.of = method_at(&p)))
		return;
	for (size_t i = p.to; i < p.d->n; i++) {
		lsp_place q;
		if (p.d->text[i] != '(' || i == 0 || !lsp_is_word(p.d->text[i - 1]))
			continue;
		lsp_place_at(w, p.d, i - 1, &q);
		if (q.method != c.of)
			break;
		lsp_named x = lsp_name_at(&q);
		if (x.method)
			add_call(&c, x.method, &q);
	}
	put_calls(&c, out, "to");
}

/* ---- types ---- */

static const mpl_class *
class_at(const lsp_place *p)
{
	lsp_named x = lsp_name_at(p);

	return x.cls && !x.method && !x.property ? x.cls : x.found ? NULL : p->cls;
}

static void
put_class(lsp_worker *w, vt_buf *out, const mpl_class *k, uint32_t *n)
{
	if (!k || !has_file(w, k->span))
		return;
	vt_buf_puts(out, (*n)++ ? "," : "");
	put_item(w, out, k->name, k->pkg ? k->pkg->name : "", S_CLASS, k->span);
}

typedef struct relatives {
	lsp_worker *w;
	vt_buf *out;
	uint32_t n;
} relatives;

static void
put_type(void *ctx, const char *name, const char *noun, vc_span at)
{
	relatives *r = ctx;

	if (!has_file(r->w, at))
		return;
	vt_buf_puts(r->out, r->n++ ? "," : "");
	put_item(r->w, r->out, name, noun, S_CLASS, at);
}

void
lsp_prepare_types(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	lsp_place p;
	uint32_t n = 0;
	relatives r = {w, out, 0};

	if (!lsp_place_of(w, d, params, &p))
		return;
	vt_buf_puts(out, "[");
	if (w->p->kind == LSP_PACKAGE)
		put_class(w, out, class_at(&p), &n);
	else if (lsp_language_of(w, d) == &lsp_tosca_language)
		lsp_tosca_relatives(w, d, p.at, LSP_ITSELF, put_type, &r);
	vt_buf_puts(out, "]");
}

static void
put_heirs(lsp_worker *w, vt_buf *out, const mpl_class *of)
{
	uint32_t packages, n = 0;
	mpl_package **all = vc_packages(w->c, &packages);

	for (uint32_t i = 0; i < packages; i++)
		for (uint32_t k = 0; k < all[i]->nclasses; k++) {
			const mpl_class *cls = all[i]->classes[k];
			bool is = false;
			for (uint32_t j = 0; cls->parent && j < cls->nparents; j++)
				is |= cls->parent[j] == of;
			if (is)
				put_class(w, out, cls, &n);
		}
}

static void
answer_types(lsp_worker *w, vt_value params, vt_buf *out, enum lsp_relation which)
{
	lsp_place p;
	const mpl_class *k;
	uint32_t n = 0;
	relatives r = {w, out, 0};

	if (!place_of_item(w, params, &p))
		return;
	vt_buf_puts(out, "[");
	if (lsp_language_of(w, p.d) == &lsp_tosca_language) {
		lsp_tosca_relatives(w, p.d, p.at, which, put_type, &r);
	} else if (w->p->kind == LSP_PACKAGE && (k = class_at(&p)) != NULL) {
		for (uint32_t i = 0; which == LSP_PARENTS && k->parent && i < k->nparents; i++)
			put_class(w, out, k->parent[i], &n);
		if (which == LSP_HEIRS)
			put_heirs(w, out, k);
	}
	vt_buf_puts(out, "]");
}

void
lsp_supertypes(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	(void)d;
	answer_types(w, params, out, LSP_PARENTS);
}

void
lsp_subtypes(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	(void)d;
	answer_types(w, params, out, LSP_HEIRS);
}
