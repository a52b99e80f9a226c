/*
 * refer_places.c - where in the text the rows of a document have their names.
 *
 * Rows have a line and a column for messages, which is not always that of the name.  Names of
 * expressions, of attributes and of texts become rows in the order of their tokens, so the n-th of
 * them is the n-th of those tokens; the others are found by line and column.
 */
#include "compiler/yay/refer.h"
#include "yay_parse.h"

#include <stdlib.h>
#include <string.h>

typedef struct rows {
	const vt_ydoc *d;
	const yay_token *tok;
	uint32_t ntok;
	yay_bytes *at;
	bool good;
} rows;

/* The token that begins at a line and column; ntok: none does. */
static uint32_t
token_at(const rows *x, uint32_t line, uint32_t col)
{
	uint32_t low = 0, high = x->ntok;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		const yay_loc *l = &x->tok[mid].loc;
		if (l->line < line || (l->line == line && l->col < col))
			low = mid + 1;
		else
			high = mid;
	}
	/* tokens without text stand before one at the same place */
	while (low < x->ntok && x->tok[low].loc.line == line && x->tok[low].loc.col == col &&
		!x->tok[low].text)
		low++;
	return low < x->ntok && x->tok[low].loc.line == line && x->tok[low].loc.col == col
		       ? low
		       : x->ntok;
}

/* The bytes of a string as the text has them: in quotes or not. */
static bool
set(rows *x, uint32_t row, const yay_token *t, uint32_t str)
{
	uint32_t n = x->d->str[str + 1] - x->d->str[str], from = t->loc.from;
	const char *s = x->d->chars + x->d->str[str];

	for (; from + n <= t->loc.to; from++)
		if (memcmp(x->d->text + from, s, n) == 0) {
			x->at[row] = (yay_bytes){from, from + n};
			return true;
		}
	return false;
}

static bool
is_kwarg(const rows *x, uint32_t token, const uint32_t *kwarg, uint32_t n)
{
	(void)x;
	for (uint32_t low = 0, high = n; low < high;) {
		uint32_t mid = low + (high - low) / 2;
		if (kwarg[mid] == token)
			return true;
		if (kwarg[mid] < token)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Behind the token of a directive on its line: the name, which `as` may stand before. */
static uint32_t
name_behind(const rows *x, uint32_t token, bool as)
{
	for (uint32_t i = token; i + 1 < x->ntok && x->tok[i].kind != NEWLINE; i++)
		if ((as ? x->tok[i].kind == AS
			: x->tok[i].kind == MACRO || x->tok[i].kind == PROTOTYPE) &&
			x->tok[i + 1].kind == IDENTIFIER)
			return i + 1;
	return x->ntok;
}

static bool
is_new(const rows *x, const vt_yrow *entry)
{
	const vt_yrow *body = &x->d->row[entry->b];

	return entry->b && body->kind == YAY_BODY && body->a &&
	       x->d->row[body->a].kind == YAY_NEW && x->d->row[body->a].c;
}

/* Names that are found by their place; tokens of those that the others must not count. */
static uint32_t *
by_place(rows *x, uint32_t *n)
{
	uint32_t *taken = vt_xmalloc((x->d->nrows + 1) * sizeof *taken);

	*n = 0;
	for (uint32_t r = 1; r < x->d->nrows; r++) {
		const vt_yrow *p = &x->d->row[r];
		bool made = p->kind == YAY_ENTRY && is_new(x, p);
		if (p->kind != YAY_ENTRY && p->kind != YAY_KWARG && p->kind != YAY_MACRO &&
			p->kind != YAY_PROTOTYPE)
			continue;
		uint32_t t = token_at(x, p->line, p->col);
		if (made || p->kind == YAY_MACRO || p->kind == YAY_PROTOTYPE)
			t = name_behind(x, t, made);
		x->good &= t < x->ntok && set(x, r, &x->tok[t], p->a);
		if (t < x->ntok && (made || p->kind != YAY_ENTRY))
			taken[(*n)++] = t;
	}
	qsort(taken, *n, sizeof *taken, by_number);
	return taken;
}

static uint32_t
next_row(const rows *x, uint32_t row, enum vt_yay_kind kind)
{
	while (row < x->d->nrows && x->d->row[row].kind != kind)
		row++;
	return row;
}

/* The n-th row of a kind is the n-th token. */
static void
by_order(rows *x, const uint32_t *taken, uint32_t ntaken)
{
	uint32_t name = 1, attr = 1, str = 1;

	for (uint32_t i = 0; i < x->ntok && x->good; i++) {
		const yay_token *t = &x->tok[i];
		uint32_t *row = &name;
		enum vt_yay_kind kind = YAY_IDENT;
		if (t->kind == STRING)
			row = &str, kind = YAY_STR;
		else if (t->kind != IDENTIFIER || is_kwarg(x, i, taken, ntaken))
			continue;
		else if (i > 0 && x->tok[i - 1].kind == '.')
			row = &attr, kind = YAY_ATTR;
		*row = next_row(x, *row, kind);
		x->good = *row < x->d->nrows;
		if (!x->good)
			return;
		const vt_yrow *p = &x->d->row[*row];
		if (!set(x, *row, t, kind == YAY_ATTR ? p->b : p->a) && kind != YAY_STR)
			x->good = false;
		++*row;
	}
	x->good &= next_row(x, name, YAY_IDENT) == x->d->nrows &&
		   next_row(x, attr, YAY_ATTR) == x->d->nrows;
}

yay_bytes *
yay_refer_rows(vc *c, const vt_ydoc *d, size_t n)
{
	rows x = {.d = d, .good = true};
	uint32_t ntaken, *taken;

	x.tok = yay_tokens(c, d->name, d->text, n, &x.ntok);
	x.at = vc_alloc(c, d->nrows * sizeof *x.at);
	memset(x.at, 0, d->nrows * sizeof *x.at);
	taken = by_place(&x, &ntaken);
	by_order(&x, taken, ntaken);
	free(taken);
	return x.good ? x.at : NULL;
}
