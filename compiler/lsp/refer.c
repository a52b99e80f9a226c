/*
 * refer.c - where a name is used: every word of the packages at hand that names the same; and
 * the symbols of the workspace.
 *
 * The packages are the one that is looked at and those that it requires.  Core classes have no
 * file that an editor could open.
 */
#include "compiler/lsp/know.h"
#include "compiler/lsp/scope.h"
#include "compiler/murano/package.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
	const lsp_place *from;
	lsp_named target;
	const char *word;
	bool family; /* members of that name in classes above and below are the same */
	lsp_use *use;
	void *ctx;
} search;

static bool
is_heir(const mpl_class *k, const mpl_class *of)
{
	bool is = k == of;

	for (uint32_t i = 0; k->parent && i < k->nparents && !is; i++)
		is = k->parent[i] && is_heir(k->parent[i], of);
	return is;
}

static bool
same_member(const search *s, const lsp_named *x)
{
	const lsp_named *t = &s->target;

	if (x->property == t->property && x->method == t->method)
		return true;
	return s->family && !x->property == !t->property && !x->method == !t->method && x->cls &&
	       t->cls && (is_heir(x->cls, t->cls) || is_heir(t->cls, x->cls));
}

/* Who overrides a method takes the same arguments: a call by name may come to either. */
static bool
same_argument(const search *s, const lsp_named *x)
{
	const mpl_method *a = s->target.argument_of, *b = x->argument_of;

	if (a == b)
		return true;
	return s->family && strcmp(a->name, b->name) == 0 &&
	       (is_heir(a->cls, b->cls) || is_heir(b->cls, a->cls));
}

static bool
same_target(const search *s, const lsp_place *p, const lsp_named *x)
{
	const lsp_named *t = &s->target;

	if (!x->found)
		return false;
	if (t->argument_of)
		return x->variable && x->argument_of && same_argument(s, x);
	if (t->variable)
		return x->variable && !x->argument_of && p->method == s->from->method &&
		       p->cls == s->from->cls;
	if (t->property || t->method)
		return same_member(s, x);
	if (t->function)
		return x->function && strcmp(x->function, t->function) == 0 &&
		       x->on_value == t->on_value;
	return x->cls == t->cls && !x->property && !x->method && !x->variable && !x->function;
}

static void
search_text(search *s, const lsp_document *d)
{
	size_t n = strlen(s->word);

	for (const char *at = d->text; (at = strstr(at, s->word)) != NULL; at += n) {
		size_t from = (size_t)(at - d->text);
		lsp_place p;
		if ((from > 0 && lsp_is_word(at[-1])) || lsp_is_word(at[n]))
			continue;
		lsp_place_at(s->from->w, d, from, &p);
		lsp_named x = lsp_name_at(&p);
		if (same_target(s, &p, &x))
			s->use(s->ctx, &p);
	}
}

/* Classes of one file follow one another. */
static void
search_packages(search *s)
{
	lsp_worker *w = s->from->w;
	uint32_t n;
	mpl_package **all = vc_packages(w->c, &n);

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < all[i]->nclasses; k++) {
			const vc_source *src = all[i]->classes[k]->src;
			if (!src || *src->name == '<' || (k && all[i]->classes[k - 1]->src == src))
				continue;
			const char *path = vc_real_path(w->c, src->name);
			const lsp_document *open = path ? lsp_document_at(w->s, path) : NULL;
			lsp_document d = {.path = (char *)(uintptr_t)path,
				.text = (char *)(uintptr_t)src->text,
				.n = src->n};
			if (path)
				search_text(s, open ? open : &d);
		}
}

void
lsp_each_use(const lsp_place *from, const lsp_named *target, bool family, bool here, lsp_use *use,
	void *ctx)
{
	search s = {from, *target,
		vc_strndup(from->w->c, from->d->text + from->from, from->to - from->from), family,
		use, ctx};

	if (here || (target->variable && !target->argument_of))
		search_text(&s, from->d);
	else
		search_packages(&s);
}

/* ---- answers ---- */

typedef struct uses {
	const lsp_named *target;
	bool declaration; /* it counts too */
	bool highlight;   /* ranges of this document alone */
	vt_buf *out;
	uint32_t n;
} uses;

static bool
is_declaration(const lsp_named *t, const lsp_place *p)
{
	vc_span at = t->argument_of ? lsp_argument_of(t)->span
		     : t->property  ? t->property->span
		     : t->method    ? t->method->span
		     : t->cls       ? t->cls->span
				    : (vc_span){0};

	return at.src && p->cls && at.src == p->cls->src && p->at >= at.from && p->at <= at.to;
}

static void
put_use(void *ctx, const lsp_place *p)
{
	uses *u = ctx;
	const lsp_document *d = p->d;

	if (!u->declaration && is_declaration(u->target, p))
		return;
	vt_buf_puts(u->out, u->n++ ? ",{" : "{");
	if (!u->highlight) {
		vt_buf_puts(u->out, "\"uri\":");
		if (d->uri && d->uri != d->path)
			lsp_put_text(u->out, d->uri);
		else
			lsp_put_uri(u->out, d->path);
		vt_buf_puts(u->out, ",");
	}
	vt_buf_puts(u->out, "\"range\":");
	lsp_put_range(u->out, p->w->s, d->text, d->n, p->from, p->to);
	vt_buf_puts(u->out, "}");
}

/* ---- languages other than MuranoPL ---- */

typedef struct known_uses {
	uses u;
	lsp_worker *w;
	vc_span at;
} known_uses;

static void
put_known(void *ctx, const lsp_document *d, const lsp_known *k)
{
	known_uses *x = ctx;
	const char *path = x->at.src ? vc_real_path(x->w->c, x->at.src->name) : NULL;
	bool here = path && d->path && strcmp(path, d->path) == 0 && k->from <= x->at.from &&
		    x->at.from <= k->to;

	if (here && !x->u.declaration)
		return;
	put_use(&x->u, &(lsp_place){.w = x->w, .d = d, .from = k->from, .to = k->to});
}

/* Names without a declaration that one could go to have no references: keynames, functions. */
static void
answer_known(
	lsp_worker *w, const lsp_document *d, const lsp_language *l, size_t at, const uses *how)
{
	lsp_known k;
	static const lsp_named none;
	known_uses x = {.u = *how, .w = w};

	x.u.target = &none;
	w->exact = true;
	if (!lsp_known_at(w, d, l, at, &k) || !k.item.at.src) {
		w->exact = false;
		return;
	}
	x.at = k.item.at;
	vt_buf_puts(how->out, "[");
	if (how->highlight)
		lsp_each_known(w, d, l, &k, put_known, &x);
	else
		lsp_each_known_use(w, d, l, &k, put_known, &x);
	w->exact = false;
	vt_buf_puts(how->out, "]");
}

static void
answer(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out, bool highlight)
{
	const lsp_language *l = lsp_language_of(w, d);
	lsp_place p;
	lsp_named target;
	uses u = {.target = &target, .out = out, .highlight = highlight};

	u.declaration = highlight || lsp_at(params, "context", "includeDeclaration") == VT_TRUE;
	if (!lsp_place_of(w, d, params, &p))
		return;
	if (l) {
		answer_known(w, d, l, p.at, &u);
		return;
	}
	if (!(target = lsp_name_at(&p)).found)
		return;
	vt_buf_puts(out, "[");
	lsp_each_use(&p, &target, false, highlight, put_use, &u);
	vt_buf_puts(out, "]");
}

void
lsp_references(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	answer(w, d, params, out, false);
}

void
lsp_highlight(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	answer(w, d, params, out, true);
}

/* ---- symbols of the workspace ---- */

typedef struct symbols {
	lsp_worker *w;
	const char *query;
	vt_buf *out;
	uint32_t n;
} symbols;

enum { MOST_SYMBOLS = 1000, S_CLASS = 5, S_METHOD = 6, S_PROPERTY = 7 };

/* The letters of the query in their order, whatever stands between, as editors want it. */
static bool
fits(const char *name, const char *query)
{
	for (; *query && *name; name++)
		query += tolower((unsigned char)*name) == tolower((unsigned char)*query);
	return !*query;
}

static void
put_symbol(symbols *s, const char *name, int kind, const char *in, vc_span at)
{
	const char *path;

	if (s->n >= MOST_SYMBOLS || !at.src || !fits(name, s->query))
		return;
	path = vc_real_path(s->w->c, at.src->name);
	if (!path)
		return;
	const lsp_document *d = lsp_document_at(s->w->s, path);
	vt_buf_puts(s->out, s->n++ ? ",{\"name\":" : "{\"name\":");
	lsp_put_text(s->out, name);
	vt_buf_printf(s->out, ",\"kind\":%d,\"containerName\":", kind);
	lsp_put_text(s->out, in);
	vt_buf_puts(s->out, ",\"location\":{\"uri\":");
	if (d)
		lsp_put_text(s->out, d->uri);
	else
		lsp_put_uri(s->out, path);
	vt_buf_puts(s->out, ",\"range\":");
	lsp_put_span(s->out, s->w->s, at);
	vt_buf_puts(s->out, "}}");
}

static void
put_class(symbols *s, const mpl_class *k)
{
	put_symbol(s, k->name, S_CLASS, k->pkg->name, k->span);
	for (uint32_t i = 0; i < k->nprops; i++)
		put_symbol(s, k->props[i]->name, S_PROPERTY, k->name, k->props[i]->span);
	for (uint32_t i = 0; i < k->nmethods; i++)
		put_symbol(s, k->methods[i]->name, S_METHOD, k->name, k->methods[i]->span);
}

/* ---- and of languages other than MuranoPL: names in all files of the workspace ---- */

static void
put_name(void *ctx, const lsp_document *d, const char *name, int kind, const char *in, size_t from,
	size_t to)
{
	symbols *s = ctx;

	if (s->n >= MOST_SYMBOLS || !fits(name, s->query))
		return;
	vt_buf_puts(s->out, s->n++ ? ",{\"name\":" : "{\"name\":");
	lsp_put_text(s->out, name);
	vt_buf_printf(s->out, ",\"kind\":%d,\"containerName\":", kind);
	lsp_put_text(s->out, in);
	vt_buf_puts(s->out, ",\"location\":{\"uri\":");
	if (d->uri && d->uri != d->path)
		lsp_put_text(s->out, d->uri);
	else
		lsp_put_uri(s->out, d->path);
	vt_buf_puts(s->out, ",\"range\":");
	lsp_put_range(s->out, s->w->s, d->text, d->n, from, to);
	vt_buf_puts(s->out, "}}");
}

static void
put_names(void *ctx, const lsp_document *d)
{
	symbols *s = ctx;
	const lsp_host *host = s->w->s->host;
	vc *c = vc_new();

	if (s->n < MOST_SYMBOLS && d->path && host->kind(host->ctx, c, d->path) == s->w->p->kind)
		lsp_each_symbol(s->w, d, put_name, s);
	vc_free(c);
}

/* Of the packages that the last project used has at hand, without what vetro brings; or of the
 * files of its language. */
void
lsp_workspace_symbols(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	const char *query = lsp_text(params, "query");
	symbols s = {w, query ? query : "", out, 0};
	const lsp_document *last = lsp_document_at(w->s, w->p->path);
	uint32_t n = 0;
	mpl_package **all = w->p->kind == LSP_PACKAGE ? vc_packages(w->c, &n) : NULL;

	(void)d;
	vt_buf_puts(out, "[");
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < all[i]->nclasses; k++) {
			const mpl_class *cls = all[i]->classes[k];
			if (cls->src && *cls->src->name != '<')
				put_class(&s, cls);
		}
	if (!all && last && w->s->nfolders)
		lsp_each_file(w, lsp_language_of(w, last), put_names, &s);
	else if (!all && last)
		put_names(&s, last);
	vt_buf_puts(out, "]");
}
