/*
 * goto.c - from a name to other places than its definition: where it was declared first, where its
 * type is declared, and what stands for it: classes that extend it, methods that override it, types
 * that are derived from it.
 */
#include "compiler/lsp/know.h"
#include "compiler/lsp/scope.h"
#include "compiler/murano/package.h"

#include <string.h>

/* ---- members of classes ---- */

static const mpl_method *
own_method(const mpl_class *k, const char *name)
{
	for (uint32_t i = 0; i < k->nmethods; i++)
		if (strcmp(k->methods[i]->name, name) == 0)
			return k->methods[i];
	return NULL;
}

static const mpl_property *
own_property(const mpl_class *k, const char *name)
{
	for (uint32_t i = 0; i < k->nprops; i++)
		if (strcmp(k->props[i]->name, name) == 0)
			return k->props[i];
	return NULL;
}

/* The member of that name which the class declares itself. */
static vc_span
own_member(const lsp_named *x, const mpl_class *k)
{
	const mpl_method *m = x->method ? own_method(k, x->method->name) : NULL;
	const mpl_property *p = x->property ? own_property(k, x->property->name) : NULL;

	return m ? m->span : p ? p->span : (vc_span){0};
}

/* What the position names in MuranoPL. */
static bool
named(lsp_worker *w, const lsp_document *d, vt_value params, lsp_place *p, lsp_named *x)
{
	if (lsp_language_of(w, d) || !lsp_place_of(w, d, params, p))
		return false;
	*x = lsp_name_at(p);
	return x->found;
}

/* ---- textDocument/declaration ---- */

typedef struct first {
	const lsp_named *x;
	vc_span at;
} first;

/* Classes come before what they extend: the last one that has the member had it first. */
static void
look_first(void *ctx, const mpl_class *k)
{
	first *f = ctx;
	vc_span at = own_member(f->x, k);

	if (at.src)
		f->at = at;
}

/* Where no other place declared it before, that is the definition. */
void
lsp_declaration(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	lsp_place p;
	lsp_named x;
	lsp_known k;
	first f = {.x = &x};

	w->exact = true;
	if (lsp_known_asked(w, d, params, &k)) {
		lsp_put_location(w, out, k.item.at);
	} else if (named(w, d, params, &p, &x) && (x.method || x.property)) {
		lsp_each_class(x.cls, look_first, &f);
		lsp_put_location(w, out, f.at);
	}
	w->exact = false;
	if (!out->n)
		lsp_definition(w, d, params, out);
}

/* ---- textDocument/typeDefinition ---- */

static vc_type
contract_type(lsp_worker *w, const mpl_class *k, const ynode *contract)
{
	return contract ? vc_contract_type(w->c, k, contract) : (vc_type){0};
}

static vc_type
type_of(lsp_worker *w, const lsp_named *x)
{
	const mpl_argument *a = lsp_argument_of(x);

	if (x->property)
		return contract_type(w, x->property->cls, x->property->contract);
	if (x->method)
		return ty_result(ty_program(w->c), x->method,
			(vc_type){.kinds = VC_K_OBJECT, .cls = x->cls}, x->method->name);
	if (a)
		return contract_type(w, x->argument_of->cls, a->contract);
	if (x->variable)
		return x->type;
	return (vc_type){.cls = x->cls};
}

/* Of a list that is the class of its items. */
vc_span
lsp_type_place(vc_type t)
{
	for (uint32_t depth = 0; depth < 8 && !t.cls && t.item; depth++)
		t = *t.item;
	return t.cls ? t.cls->span : (vc_span){0};
}

/* In Yay `new Site as web:` says of which prototype the name is, or `new Site:` below it does. */
static bool
prototype_of(lsp_worker *w, vc_span at, lsp_known *k)
{
	const vc_source *src = at.src;
	const char *path = src && src->text ? vc_real_path(w->c, src->name) : NULL;
	const lsp_document *open = path ? lsp_document_at(w->s, path) : NULL;
	lsp_document *d = vc_alloc(w->c, sizeof *d);

	if (!path)
		return false;
	*d = (lsp_document){.path = (char *)(uintptr_t)path,
		.uri = (char *)(uintptr_t)path,
		.text = (char *)(uintptr_t)src->text,
		.n = src->n};
	lsp_line l = lsp_line_at(d, at.from);
	if (strncmp(d->text + l.text, "new ", 4) != 0 && l.to < d->n)
		l = lsp_line_at(d, l.to + 1);
	return strncmp(d->text + l.text, "new ", 4) == 0 &&
	       lsp_known_at(w, open ? open : d, &lsp_yay_language, l.text + 4, k);
}

void
lsp_type_definition(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	lsp_place p;
	lsp_named x;
	lsp_known k, of;

	if (lsp_known_asked(w, d, params, &k)) {
		bool yay = lsp_language_of(w, d) == &lsp_yay_language;
		vc_span at = yay && prototype_of(w, k.item.at, &of) ? of.item.at : k.item.type;
		lsp_put_location(w, out, at);
	} else if (named(w, d, params, &p, &x) && !x.function) {
		lsp_put_location(w, out, lsp_type_place(type_of(w, &x)));
	}
}

/* ---- textDocument/implementation ---- */

typedef struct places {
	lsp_worker *w;
	vt_buf *out;
	uint32_t n;
} places;

static void
put_another(places *l, vc_span at)
{
	size_t before = l->out->n, empty;

	vt_buf_puts(l->out, l->n ? "," : "");
	empty = l->out->n;
	lsp_put_location(l->w, l->out, at);
	if (l->out->n == empty)
		l->out->n = before;
	else
		l->n++;
}

static void
put_type(void *ctx, const char *name, const char *noun, vc_span at)
{
	(void)name;
	(void)noun;
	put_another(ctx, at);
}

/* A method that is not abstract stands for itself too. */
static void
put_heirs(places *l, const lsp_named *x)
{
	uint32_t n = 0;
	mpl_class **heir = ty_heirs(ty_program(l->w->c), x->cls, &n);

	for (uint32_t i = 0; heir && i < n; i++) {
		bool itself = heir[i] == x->cls;
		vc_span at = x->method || x->property ? own_member(x, heir[i])
			     : itself                 ? (vc_span){0}
						      : heir[i]->span;
		if (at.src && !(itself && x->method && x->method->abstract))
			put_another(l, at);
	}
}

/* Of a prototype: what is made of it, in all files of the workspace. */
static void
put_new(void *ctx, const lsp_document *d, const lsp_known *k)
{
	places *l = ctx;
	size_t from = k->from;

	while (from > 0 && d->text[from - 1] == ' ')
		from--;
	if (from < 3 || from == k->from || memcmp(d->text + from - 3, "new", 3) != 0 ||
		(from > 3 && lsp_is_word(d->text[from - 4])))
		return;
	vt_buf_puts(l->out, l->n++ ? ",{\"uri\":" : "{\"uri\":");
	if (lsp_document_at(l->w->s, d->path))
		lsp_put_text(l->out, lsp_document_at(l->w->s, d->path)->uri);
	else
		lsp_put_uri(l->out, d->path);
	vt_buf_puts(l->out, ",\"range\":");
	lsp_put_range(l->out, l->w->s, d->text, d->n, k->from, k->to);
	vt_buf_puts(l->out, "}");
}

static void
put_made(places *l, const lsp_document *d, size_t at)
{
	lsp_known k;

	l->w->exact = true;
	if (lsp_known_at(l->w, d, &lsp_yay_language, at, &k) && k.item.at.src)
		lsp_each_known_use(l->w, d, &lsp_yay_language, &k, put_new, l);
	l->w->exact = false;
}

void
lsp_implementation(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	lsp_place p;
	lsp_named x;
	places l = {w, out, 0};

	if (!d || !lsp_place_of(w, d, params, &p))
		return;
	vt_buf_puts(out, "[");
	if (lsp_language_of(w, d) == &lsp_tosca_language)
		lsp_tosca_relatives(w, d, p.at, LSP_ALL_HEIRS, put_type, &l);
	else if (lsp_language_of(w, d) == &lsp_yay_language)
		put_made(&l, d, p.at);
	else if (named(w, d, params, &p, &x) && x.cls && !x.variable && !x.function)
		put_heirs(&l, &x);
	vt_buf_puts(out, "]");
}
