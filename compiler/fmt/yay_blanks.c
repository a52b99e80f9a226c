/*
 * yay_blanks.c - blanks between the tokens of Yay, on their lines: one where there are several, one
 * inside of {{ and }}, one behind a comma and before a comment.
 *
 * Texts are tokens, so their blanks stay.  What stands between two lines stays as well.
 */
#include "compiler/fmt/int.h"
#include "compiler/yay/front.h"
#include "yay_parse.h"

#include <string.h>

typedef struct gap {
	const yay_token *before, *behind; /* or NULL */
	const char *p;
	size_t n;
	bool code; /* inside of a template or on the line of a directive */
} gap;

static bool
is_blanks(const gap *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->p[i] != ' ' && g->p[i] != '\t')
			return false;
	return true;
}

/* Blanks and then a comment. */
static bool
is_comment(const gap *g)
{
	size_t i = 0;

	while (i < g->n && (g->p[i] == ' ' || g->p[i] == '\t'))
		i++;
	return i > 0 && i < g->n && g->p[i] == '#';
}

static bool
is_kind(const yay_token *t, const char *kinds)
{
	return t && t->kind < 128 && t->kind > 0 && strchr(kinds, t->kind);
}

static void
put_gap(const gap *g, vt_buf *out)
{
	const yay_token *a = g->before, *b = g->behind;
	bool opens = a && a->kind == LDBRACE, closes = b && b->kind == RDBRACE;

	if (a && a->kind == VALUE && g->n && *g->p == '"') { /* the quote behind it */
		gap rest = {NULL, b, g->p + 1, g->n - 1, false};
		vt_buf_putc(out, '"');
		put_gap(&rest, out);
		return;
	}
	if (!is_blanks(g)) {
		size_t skip = is_comment(g) ? strspn(g->p, " \t") - 1 : 0;
		vt_buf_put(out, g->p + skip, g->n - skip);
		return;
	}
	if (!g->code) {
		vt_buf_put(out, g->p, g->n);
		return;
	}
	bool one = g->n > 0 || opens || closes || is_kind(a, ",");
	if (is_kind(b, ",)]:") || is_kind(a, "([") || (b && b->kind == NEWLINE))
		one = opens || closes;
	if (one)
		vt_buf_putc(out, ' ');
}

/* Tokens that stand for what is between lines. */
static bool
is_empty(const yay_token *t)
{
	return t->kind == NEWLINE || t->kind == INDENT || t->kind == DEDENT ||
	       t->kind == MULTILINE_END || t->kind == DOCUMENT_START || t->kind == YAYY_EOF;
}

static bool
begins_directive(const yay_token *t)
{
	switch (t->kind) {
	case SEARCH:
	case INCLUDE:
	case NEW:
	case PROTOTYPE:
	case FOR:
	case SET:
	case IF:
	case ELIF:
	case ELSE:
	case SELECT:
	case MACRO:
	case CALL:
	case CREATE: return true;
	}
	return false;
}

void
fmt_yay_blanks(vc *c, const vc_source *src, vt_buf *out)
{
	uint32_t n, open = 0;
	yay_token *all = yay_tokens(c, src->name, src->text, src->n, &n);
	const yay_token *before = NULL;
	size_t at = 0;
	bool directive = false;

	for (uint32_t i = 0; i < n; i++) {
		const yay_token *t = &all[i];
		if (is_empty(t)) {
			directive &= t->kind != NEWLINE;
			if (t->kind == NEWLINE && before && t->loc.from >= at) {
				gap g = {before, t, src->text + at, t->loc.from - at, false};
				put_gap(&g, out);
				at = t->loc.from;
			}
			before = NULL;
			continue;
		}
		if (t->loc.from < at || t->loc.to > src->n)
			continue; /* the lexer has put it in */
		directive |= !before && begins_directive(t);
		open -= t->kind == RDBRACE && open > 0;
		gap g = {before, t, src->text + at, t->loc.from - at,
			before && (directive || open > 0 || t->kind == RDBRACE)};
		if (before)
			put_gap(&g, out);
		else
			vt_buf_put(out, src->text + at, t->loc.from - at);
		vt_buf_put(out, src->text + t->loc.from, t->loc.to - t->loc.from);
		open += t->kind == LDBRACE;
		at = t->loc.to;
		before = t;
	}
	vt_buf_put(out, src->text + at, src->n - at);
}
