/*
 * front.c - one text to a Yay document, and --emit=tokens and --emit=ast.
 */
#include "yay_parse.h"

#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/text/report.h"

#include <stdlib.h>
#include <string.h>

static void
begin(yay_ctx *x, vc *c, const char *name, const char *text, size_t n, yay_fault *fault)
{
	*x = (yay_ctx){.c = c, .name = name, .text = text, .fault = fault};
	x->cur = (const unsigned char *)text;
	x->lim = x->cur + n;
	x->caprows = 64, x->capstrs = 64, x->capchars = 1024;
	x->row = vt_xzalloc(x->caprows * sizeof *x->row);
	x->str = vt_xzalloc(x->capstrs * sizeof *x->str);
	x->chars = vt_xmalloc(x->capchars);
	x->nrows = x->nstrs = 1;
	*fault = (yay_fault){0};
}

/* What is of use while a text is read only. */
static void
end(yay_ctx *x)
{
	free(x->tok);
	free(x->hash);
}

/* As much of an array as is used, until the compilation ends. */
static void *
kept(vc *c, void *array, size_t bytes)
{
	array = vt_xrealloc(array, bytes);
	vc_defer(c, free, array);
	return array;
}

/* A mistake that the lexer would have come to is the one that is told: it is met before any of the
 * grammar's where all tokens are made first, as the reference makes them. */
static bool
parse(yay_ctx *x)
{
	yay_fault f;

	if (yr_parse(x) == 0 && !x->fault->type)
		return true;
	f = *x->fault;
	if (x->broken)
		return false;
	*x->fault = (yay_fault){0};
	do
		x->at = x->ntok;
	while (!x->whole && yr_lex_more(x));
	if (!x->fault->type)
		*x->fault = f;
	return false;
}

static bool
is_text(yay_ctx *x, size_t n)
{
	size_t good = vt_utf8_check(x->text, n);
	yay_loc l = {(uint32_t)good, (uint32_t)good + 1, 1, 1};

	if (n > x->c->limit.max_file || n > UINT32_MAX / 64) {
		yr_fail(x, "LexerError", (yay_loc){0, 0, 1, 1}, VC_E3001,
			"the text is larger than the limit");
		return false;
	}
	if (good == n)
		return true;
	for (size_t i = 0; i < good; i++) {
		l.col += (x->text[i] & 0xc0) != 0x80;
		if (x->text[i] == '\n')
			l.line++, l.col = 1;
	}
	yr_fail(x, "LexerError", l, VC_E3001, "a byte that is not UTF-8");
	return false;
}

/* Entries of one MAP with equal names, each with the one before it, by a table of names. */
static void
link_entries(yay_ctx *x)
{
	uint32_t *seen = vt_xzalloc((x->nstrs + 1) * sizeof *seen);

	for (uint32_t r = 1; r < x->nrows; r++) {
		if (x->row[r].kind != YAY_MAP)
			continue;
		for (uint32_t e = x->row[r].a; e; e = x->row[e].next) {
			x->row[e].c = seen[x->row[e].a];
			seen[x->row[e].a] = e;
		}
		for (uint32_t e = x->row[r].a; e; e = x->row[e].next)
			seen[x->row[e].a] = 0;
	}
	free(seen);
}

const vt_ydoc *
yay_read(vc *c, const char *name, const char *text, size_t n, bool expression, yay_fault *fault,
	const yay_old **old, uint32_t *nold)
{
	yay_ctx x;
	vt_ydoc *d;
	bool good;

	begin(&x, c, name, text, n, fault);
	if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		x.cur += 3;
	yr_lex_begin(&x, expression);
	good = is_text(&x, n) && parse(&x);
	end(&x);
	if (good)
		link_entries(&x);
	x.row = kept(c, x.row, x.nrows * sizeof *x.row);
	x.str = kept(c, x.str, (x.nstrs + 1) * sizeof *x.str);
	x.chars = kept(c, x.chars, x.nchars + 1);
	if (!good)
		return NULL;
	d = vc_alloc(c, sizeof *d);
	*d = (vt_ydoc){name, text, x.row, x.nrows, x.result, x.str, x.chars, x.nstrs, NULL};
	if (old)
		*old = x.old, *nold = x.nold;
	return d;
}

yay_token *
yay_tokens(vc *c, const char *name, const char *text, size_t n, uint32_t *ntok)
{
	yay_ctx x;
	yay_fault fault;
	yay_token *all = NULL;

	*ntok = 0;
	begin(&x, c, name, text, n, &fault);
	if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		x.cur += 3;
	yr_lex_begin(&x, false);
	for (x.at = x.ntok; !x.whole;)
		for (yr_lex_more(&x); x.at < x.ntok; x.at++)
			vc_push(c, all, *ntok) = x.tok[x.at];
	end(&x);
	free(x.row);
	free(x.str);
	free(x.chars);
	return all;
}

/* ---- --emit=tokens ---- */

static void
put_token(vt_buf *b, const yay_token *t)
{
	vt_buf_printf(b, "%u:%u %s", t->loc.line, t->loc.col, yr_token_name(t->kind));
	if (t->text) {
		vt_buf_puts(b, " ");
		vt_put_json_repaired(b, t->text, t->n);
	}
	vt_buf_puts(b, "\n");
}

void
yay_put_tokens(vc *c, vt_buf *b, const char *name, const char *text, size_t n, yay_fault *fault)
{
	yay_ctx x;

	begin(&x, c, name, text, n, fault);
	yr_lex_begin(&x, false);
	x.whole = !is_text(&x, n);
	for (x.at = x.ntok; !x.whole;)
		for (yr_lex_more(&x); x.at < x.ntok && x.tok[x.at].kind != YAYY_EOF; x.at++)
			put_token(b, &x.tok[x.at]);
	end(&x);
	free(x.row);
	free(x.str);
	free(x.chars);
}

/* ---- --emit=ast: one row a line, below what holds it ---- */

static const char *const kinds[] = {"none",
#define X(sym, name) name,
	VT_YAY_ROWS(X)
#undef X
};

enum { A = 1, B = 2, C = 4, D = 8 };
/* Which of a, b, c and d are names, and which are rows (chains where they have a next). */
static const struct {
	uint8_t names, rows;
} shape[YAY_NKINDS] = {
	[YAY_BODY] = {0, A},
	[YAY_MAP] = {0, A},
	[YAY_ENTRY] = {A, B},
	[YAY_LIST] = {0, A},
	[YAY_ITEM] = {0, A},
	[YAY_INCLUDE] = {0, A},
	[YAY_SEARCH] = {0, A},
	[YAY_CONFIGURE] = {A, B},
	[YAY_NEW] = {C, A | B},
	[YAY_CREATE] = {0, A | B},
	[YAY_PROTOTYPE] = {A, B},
	[YAY_MACRO] = {A, B},
	[YAY_SET] = {0, A | B},
	[YAY_CALL] = {0, A | B},
	[YAY_FOR] = {0, A | B | C | D},
	[YAY_IF] = {0, A | B | C},
	[YAY_SELECT] = {0, A | B},
	[YAY_TEXT] = {A, 0},
	[YAY_MERGED] = {0, A},
	[YAY_IDENT] = {A, 0},
	[YAY_STR] = {A, 0},
	[YAY_NUM] = {A, 0},
	[YAY_NUMBER] = {0, A},
	[YAY_CHOSEN] = {0, A},
	[YAY_ATTR] = {B, A},
	[YAY_INDEX] = {0, A | B},
	[YAY_SLICE] = {0, A | B | C | D},
	[YAY_INVOKE] = {0, A | B},
	[YAY_KWARG] = {A, B},
	[YAY_UNARY] = {0, A},
	[YAY_BINARY] = {0, A | B},
	[YAY_AND] = {0, A | B},
	[YAY_OR] = {0, A | B},
	[YAY_NOT] = {0, A},
	[YAY_COMPARE] = {0, A | B},
	[YAY_LINK] = {0, A},
	[YAY_TERNARY] = {0, A | B | C},
	[YAY_ELSE] = {0, A | B},
	[YAY_TUPLE] = {0, A},
	[YAY_DISPLAY] = {0, A},
	[YAY_DICT] = {0, A},
	[YAY_SETOF] = {0, A},
	[YAY_PAIR] = {0, A | B},
	[YAY_COMP] = {0, A | B},
	[YAY_CFOR] = {0, A | B},
	[YAY_CIF] = {0, A},
	[YAY_LAMBDA] = {0, A | B},
	[YAY_PARAM] = {0, A | B},
	[YAY_REPR] = {0, A},
};

static void
put_op(vt_buf *b, uint8_t op)
{
	static const char *const ops[] = {
		"//", "**", "<<", ">>", "==", "!=", "<=", ">=", "in", "not in", "is", "is not"};

	if (op >= YAY_OP_FLOORDIV)
		vt_buf_printf(b, " %s", ops[op - YAY_OP_FLOORDIV]);
	else if (op)
		vt_buf_printf(b, " %c", op);
}

/* Sums of many terms are deep to the left: what lies deeper than this is not shown. */
enum { DEEPEST = 2000 };
static void
put_row(vt_buf *b, const vt_ydoc *d, uint32_t r, int indent, bool chain)
{
	if (r && indent > 2 * DEEPEST) {
		vt_buf_puts(b, "...\n");
		return;
	}
	for (; r; r = chain ? d->row[r].next : 0) {
		const vt_yrow *p = &d->row[r];
		uint32_t at[4] = {p->a, p->b, p->c, VT_YAY_HAS_D(p->kind) ? VT_YAY_D(*p) : 0};
		vt_buf_printf(b, "%*s%s", indent, "", kinds[p->kind]);
		put_op(b, p->op);
		for (int i = 0; i < 4; i++)
			if ((shape[p->kind].names >> i & 1) && at[i]) {
				vt_buf_puts(b, " ");
				vt_put_json_repaired(b, d->chars + d->str[at[i]],
					d->str[at[i] + 1] - d->str[at[i]]);
			}
		if (p->kind == YAY_BOOL)
			vt_buf_puts(b, p->b ? " true" : " false");
		vt_buf_printf(b, "%s%s  @%u:%u\n", p->flag & YAY_EXTEND ? " extend" : "",
			p->flag & YAY_OLD ? " old" : "", p->line, p->col);
		for (int i = 0; i < 4; i++)
			if (shape[p->kind].rows >> i & 1)
				put_row(b, d, at[i], indent + 2, true);
	}
}

void
yay_put_ast(vt_buf *b, const vt_ydoc *d)
{
	put_row(b, d, d->root, 0, false);
}
