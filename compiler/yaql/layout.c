/*
 * layout.c - an expression with its blanks where they belong.
 *
 * One on both sides of an operator and behind a comma, none inside of brackets, around a dot and
 * behind a sign.  Tokens are copied as they are written, and a line end stays where it is.
 */
#include "yaql_parse.h"

#include <string.h>

typedef struct piece {
	int kind;
	uint32_t from, to;
	bool ends_value; /* an operator behind it has two sides */
} piece;

static bool
is_open(int kind)
{
	return kind == FUNC || kind == CALL || kind == '(' || kind == '[' || kind == '{';
}

static bool
is_sided(int kind)
{
	return kind == MAPPING || kind == SEND || kind == ARROW || kind == OR || kind == AND ||
	       kind == NOT || kind == COMPARE || kind == ADD || kind == MULTIPLY || kind == MATCH;
}

/* Whether a blank stands between two tokens; `sign`: the first is one. */
static bool
is_apart(const piece *a, const piece *b, bool sign)
{
	if (is_open(a->kind) || b->kind == ')' || b->kind == ']' || b->kind == '}' ||
		b->kind == ',' || a->kind == DOT || b->kind == DOT || a->kind == COLON ||
		b->kind == COLON || b->kind == CALL || sign)
		return false;
	if (a->kind == ',' || is_sided(a->kind) || is_sided(b->kind))
		return true;
	/* an index, or what only stood beside each other */
	return b->kind != '[';
}

static void
put_gap(vt_buf *out, const char *text, const piece *a, const piece *b, bool sign)
{
	const char *line = NULL;

	for (uint32_t i = a->to; i < b->from; i++)
		if (text[i] == '\n')
			line = text + i;
	if (line)
		vt_buf_put(out, line, (size_t)(text + b->from - line));
	else if (is_apart(a, b, sign))
		vt_buf_putc(out, ' ');
}

static bool
next_piece(yq_ctx *x, piece *p)
{
	int kind = yq_lex(x);

	*p = (piece){kind, x->loc.from, x->loc.to, x->after_value};
	return kind > 0;
}

/* The same tokens, in order: blanks that were left out did not join two, or make a call. */
static bool
same_tokens(vc *c, const char *a, size_t na, const char *b, size_t nb, unsigned flags)
{
	yq_error e;
	yq_ctx x, y;
	piece p, q;
	bool more, other;

	yq_ctx_init(&x, c, a, na, flags, &e);
	yq_ctx_init(&y, c, b, nb, flags, &e);
	do {
		more = next_piece(&x, &p);
		other = next_piece(&y, &q);
		if (p.kind != q.kind ||
			(more && (p.to - p.from != q.to - q.from ||
					 memcmp(a + p.from, b + q.from, p.to - p.from))))
			return false;
	} while (more && other);
	return more == other;
}

bool
yq_layout(vc *c, vt_buf *out, const char *text, size_t n, unsigned flags)
{
	char *own = vc_strndup(c, text, n);
	size_t at = out->n;
	yq_error e;
	yq_ctx x;
	piece now, last = {0};
	bool sign = false;

	if (!yq_parse(c, own, n, flags, &e))
		return false;
	yq_ctx_init(&x, c, own, n, flags, &e);
	for (bool first = true; next_piece(&x, &now); first = false) {
		if (!first)
			put_gap(out, own, &last, &now, sign);
		sign = now.kind == ADD && (first || !last.ends_value);
		vt_buf_put(out, own + now.from, now.to - now.from);
		last = now;
	}
	if (same_tokens(c, own, n, out->p + at, out->n - at, flags))
		return true;
	out->n = at;
	return false;
}
