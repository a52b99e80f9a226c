/*
 * inlay.c - what nobody has written and yet is known: types of variables, results of methods, names
 * of parameters before the arguments of a call.
 */
#include "compiler/lsp/know.h"
#include "compiler/lsp/scope.h"
#include "compiler/murano/package.h"

#include <string.h>

/* Kinds of hints in the protocol. */
enum { TYPE = 1, PARAMETER = 2 };

typedef struct hints {
	lsp_worker *w;
	const lsp_document *d;
	size_t from, to; /* of the document: what is asked for */
	const vc_source *src;
	vt_buf *out;
	uint32_t n;
} hints;

/* The text that was read may be older than the one that is shown. */
static size_t
shown(const hints *h, size_t at)
{
	const lsp_document *d = h->d;
	bool same = h->src->n == d->n && memcmp(h->src->text, d->text, d->n) == 0;

	return same ? at : lsp_from_known(h->src->text, h->src->n, d, at);
}

static void
put_hint(hints *h, size_t at, const char *label, int kind)
{
	lsp_position p;

	if (at < h->from || at > h->to)
		return;
	p = lsp_position_of(h->d->text, h->d->n, h->w->s->encoding, at);
	vt_buf_printf(h->out,
		"%s{\"position\":{\"line\":%u,\"character\":%u},\"label\":", h->n++ ? "," : "",
		p.line, p.character);
	lsp_put_text(h->out, label);
	vt_buf_printf(
		h->out, ",\"kind\":%d%s}", kind, kind == PARAMETER ? ",\"paddingRight\":true" : "");
}

/* ---- types ---- */

static bool
says_something(vc_type t)
{
	return t.kinds != 0 && t.kinds != VC_K_ALL;
}

/* `$x: value`; a property's type is that of its contract. */
static void
assigned(void *who, const mpl_stmt *s, vc_type type)
{
	hints *h = who;
	const ynode *to = s->a;
	bool variable = to && to->kind == YN_SCALAR && to->text[0] == '$' &&
			strspn(to->text + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
					     "0123456789") +
					1 ==
				to->ntext;

	if (variable && to->ntext > 1 && says_something(type) && to->span.src == h->src)
		put_hint(h, shown(h, to->span.to),
			vc_format(h->w->c, ": %s", vc_type_text(h->w->c, type)), TYPE);
}

static void
put_result(hints *h, const mpl_method *m)
{
	vc_type self = {.kinds = VC_K_OBJECT, .exact = true, .cls = m->cls};
	vc_type t = ty_result(ty_program(h->w->c), m, self, m->name);

	if (says_something(t) && t.kinds != VC_K_NULL)
		put_hint(h, shown(h, m->span.to),
			vc_format(h->w->c, " gives %s", vc_type_text(h->w->c, t)), TYPE);
}

static void
put_method(hints *h, const mpl_class *k, const mpl_method *m)
{
	vc_typing *t;

	if (m->native || m->span.src != h->src || !m->nbody)
		return;
	put_result(h, m);
	t = vc_typing_new(h->w->c, k, m);
	t->assign = assigned;
	t->who = h;
	ty_statements(t, m->body, m->nbody);
}

/* ---- parameters ---- */

/* Where the argument ends that begins there: at its comma or bracket. */
static size_t
argument_end(const lsp_document *d, size_t at)
{
	int depth = 0;

	for (; at < d->n && d->text[at] != '\n'; at++) {
		char ch = d->text[at];
		if (ch == '\'' || ch == '"') {
			const char *end = strchr(d->text + at + 1, ch);
			if (!end)
				break;
			at = (size_t)(end - d->text);
		} else if (strchr("([{", ch)) {
			depth++;
		} else if (strchr(")]}", ch) && depth-- == 0) {
			break;
		} else if (ch == ',' && depth == 0) {
			break;
		}
	}
	return at;
}

/* A variable of the parameter's name says it already, and so does `name => value`. */
static bool
is_plain(const lsp_document *d, size_t from, size_t to, const char *name)
{
	const char *arrow = memchr(d->text + from, '=', to - from);
	size_t n = strlen(name);

	if (arrow && arrow[1] == '>')
		return false;
	return !(to - from == n + 1 && d->text[from] == '$' &&
		 strncmp(d->text + from + 1, name, n) == 0);
}

static void
put_arguments(hints *h, const mpl_method *m, size_t open)
{
	const lsp_document *d = h->d;
	size_t at = open + 1;

	for (uint32_t i = 0; i < m->nargs && m->args[i].usage == MPL_STANDARD; i++) {
		at += strspn(d->text + at, " ");
		size_t end = argument_end(d, at);
		if (end > at && is_plain(d, at, end, m->args[i].name))
			put_hint(h, at, vc_format(h->w->c, "%s:", m->args[i].name), PARAMETER);
		if (end >= d->n || d->text[end] != ',')
			return;
		at = end + 1;
	}
}

/* One argument needs no name. */
static void
put_calls(hints *h)
{
	const char *text = h->d->text;

	for (size_t i = h->from; i < h->to && i < h->d->n; i++) {
		lsp_place p;
		if (text[i] != '(' || i == 0 || !lsp_is_word(text[i - 1]))
			continue;
		lsp_place_at(h->w, h->d, i - 1, &p);
		if (p.from == p.line || text[p.from - 1] != '.' || !p.cls)
			continue;
		lsp_named x = lsp_name_at(&p);
		if (x.method && x.method->nargs > 1)
			put_arguments(h, x.method, i);
	}
}

/* textDocument/inlayHint */
void
lsp_inlay_hints(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	vt_value range = lsp_get(params, "range");
	lsp_position from, to;
	hints h = {.w = w, .d = d, .out = out};
	uint32_t n;

	if (!d || w->p->kind != LSP_PACKAGE || !lsp_read_position(lsp_get(range, "start"), &from) ||
		!lsp_read_position(lsp_get(range, "end"), &to))
		return;
	h.from = lsp_offset(d->text, d->n, w->s->encoding, from);
	h.to = lsp_offset(d->text, d->n, w->s->encoding, to);
	vt_buf_puts(out, "[");
	mpl_class **all = lsp_classes_of(w, d, &n);
	for (uint32_t i = 0; i < n; i++) {
		h.src = all[i]->src;
		for (uint32_t k = 0; k < all[i]->nmethods; k++)
			put_method(&h, all[i], all[i]->methods[k]);
	}
	if (n)
		put_calls(&h);
	vt_buf_puts(out, "]");
}
