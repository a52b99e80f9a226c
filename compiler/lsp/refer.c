/*
 * refer.c - where a name is used: every word of the packages at hand that names the same.
 *
 * The packages are the one that is looked at and those that it requires.  Core classes have no
 * file that an editor could open.
 */
#include "compiler/lsp/scope.h"
#include "compiler/murano/package.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
	const lsp_place *from;
	lsp_named target;
	const char *word;
	bool declaration; /* it counts too */
	bool highlight;   /* ranges of this document alone */
	vt_buf *out;
	uint32_t n;
} search;

static bool
same_target(const search *s, const lsp_place *p, const lsp_named *x)
{
	const lsp_named *t = &s->target;

	if (!x->found)
		return false;
	if (t->variable)
		return x->variable && p->method == s->from->method && p->cls == s->from->cls;
	if (t->property || t->method)
		return x->property == t->property && x->method == t->method;
	if (t->function)
		return x->function && strcmp(x->function, t->function) == 0 &&
		       x->on_value == t->on_value;
	return x->cls == t->cls && !x->property && !x->method && !x->variable && !x->function;
}

static bool
is_declaration(const search *s, const lsp_place *p)
{
	const lsp_named *t = &s->target;
	vc_span at = t->property ? t->property->span
		     : t->method ? t->method->span
		     : t->cls    ? t->cls->span
				 : (vc_span){0};

	return at.src && p->cls && at.src == p->cls->src && p->at >= at.from && p->at <= at.to;
}

static void
put_use(search *s, const lsp_place *p)
{
	const lsp_document *d = p->d;

	vt_buf_puts(s->out, s->n++ ? ",{" : "{");
	if (!s->highlight) {
		vt_buf_puts(s->out, "\"uri\":");
		if (d->uri)
			lsp_put_text(s->out, d->uri);
		else
			lsp_put_uri(s->out, d->path);
		vt_buf_puts(s->out, ",");
	}
	vt_buf_puts(s->out, "\"range\":");
	lsp_put_range(s->out, p->w->s, d->text, d->n, p->from, p->to);
	vt_buf_puts(s->out, "}");
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
		if (same_target(s, &p, &x) && (s->declaration || !is_declaration(s, &p)))
			put_use(s, &p);
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

static void
answer(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out, bool highlight)
{
	lsp_place p;
	search s = {.from = &p, .out = out, .highlight = highlight};

	if (!lsp_place_of(w, d, params, &p) || !(s.target = lsp_name_at(&p)).found)
		return;
	s.word = vc_strndup(w->c, d->text + p.from, p.to - p.from);
	s.declaration = highlight || lsp_at(params, "context", "includeDeclaration") == VT_TRUE;
	vt_buf_puts(out, "[");
	if (highlight || s.target.variable)
		search_text(&s, d);
	else
		search_packages(&s);
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
