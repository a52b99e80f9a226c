/*
 * fold.c - constants of a Yay document worked out before it is evaluated.
 *
 * A constant is what is made of literals and of names that a block has `set` to one: no layer and
 * no include can change these, as they can every key and, by a key of its name, every function.
 * What a constant comes to is asked of the evaluator itself; what would fail stays as it is, for
 * who asks for it.  Places stay, so that errors and anchors are what they were: rows are rewritten
 * where they stand, and a decision that goes away leaves a row at its place.
 */
#include "compiler/yay/tree.h"
#include "compiler/yay/run.h"
#include "runtime/call/call.h"
#include "runtime/core/number.h"

#include <string.h>

enum { DEEPEST = 500, LONGEST = 4096, MOST_FAILURES = 100 };
enum { UNKNOWN, UNDER_WAY, CONSTANT, OTHER };

typedef struct fold {
	vc *c;
	const vt_ydoc *d;
	const yay_bind *bind;
	uint8_t *is;
	uint32_t depth, n, failed;
	vt_yrow *row;   /* the result */
	vt_yrow *asked; /* what the evaluator sees: names are what they were set to */
	vt_ydoc tmp;
	vt_rt *rt;
	vt_yay *y;
	/* strings of the result */
	uint32_t *str, nstrs, capstrs;
	char *chars;
	size_t nchars, capchars;
} fold;

#define ROW(f, r) (&(f)->d->row[r])

/* ---- what is constant ---- */

static bool is_constant(fold *, uint32_t row);

static bool
all_constant(fold *f, uint32_t first)
{
	for (uint32_t r = first; r; r = ROW(f, r)->next)
		if (!is_constant(f, ROW(f, r)->kind == YAY_LINK ? ROW(f, r)->a : r))
			return false;
	return true;
}

static bool
name_is_constant(fold *f, uint32_t row)
{
	const yay_bind *b = &f->bind[row];
	uint32_t to;

	if (b->kind != YB_SET)
		return false;
	to = ROW(f, b->slot)->b;
	if (!is_constant(f, to))
		return false;
	f->asked[row] = f->asked[to];
	f->asked[row].next = ROW(f, row)->next;
	return true;
}

static bool
judge(fold *f, uint32_t row)
{
	const vt_yrow *r = ROW(f, row);

	switch (r->kind) {
	case YAY_STR:
	case YAY_NUM:
	case YAY_BOOL:
	case YAY_TEXT: return true;
	case YAY_IDENT: return name_is_constant(f, row);
	case YAY_UNARY:
	case YAY_NOT:
	case YAY_REPR: return is_constant(f, r->a);
	case YAY_BINARY:
	case YAY_AND:
	case YAY_OR:
	case YAY_INDEX:
	case YAY_ELSE: return is_constant(f, r->a) && is_constant(f, r->b);
	case YAY_TERNARY:
		return is_constant(f, r->a) && is_constant(f, r->b) && is_constant(f, r->c);
	case YAY_COMPARE: return is_constant(f, r->a) && all_constant(f, r->b);
	case YAY_MERGED:
	case YAY_TUPLE:
	case YAY_DISPLAY: return all_constant(f, r->a);
	}
	return false;
}

static bool
is_constant(fold *f, uint32_t row)
{
	if (!row || f->is[row] == UNDER_WAY || f->depth > DEEPEST)
		return false;
	if (f->is[row] == UNKNOWN) {
		f->is[row] = UNDER_WAY;
		f->depth++;
		bool yes = judge(f, row);
		f->depth--;
		f->is[row] = yes ? CONSTANT : OTHER;
	}
	return f->is[row] == CONSTANT;
}

/* ---- values ---- */

/* What the evaluator makes of it: owned, a scalar; VT_UNDEF: nothing that could be written down. */
static vt_value
value_of(fold *f, uint32_t row)
{
	static const vt_yay_limits limits = {50000000, 20000000, 1 << 20, 1, LONGEST};
	vt_value v = VT_UNDEF;

	if (f->failed > MOST_FAILURES)
		return VT_UNDEF;
	if (!f->y) {
		f->rt = vt_rt_new(NULL);
		f->y = vt_yay_new(f->rt, NULL, &limits);
		f->tmp = *f->d;
		f->tmp.row = f->asked;
	}
	f->tmp.root = row;
	if (vt_yay_value(f->y, vt_yay_expression(f->y, &f->tmp), VT_YAS_VALUE, &v) &&
		(vt_is_integer(v) || vt_is_bool(v) || vt_is(v, FLOAT) || vt_is(v, STR)))
		return v;
	vt_release(v);
	f->failed++;
	return VT_UNDEF;
}

static uint32_t
new_string(fold *f, const char *s, size_t n)
{
	while (f->nchars + n + 1 > f->capchars) {
		char *more = vc_alloc(f->c, 2 * f->capchars);
		memcpy(more, f->chars, f->nchars);
		f->chars = more;
		f->capchars *= 2;
	}
	if (f->nstrs + 2 > f->capstrs) {
		uint32_t *more = vc_alloc(f->c, 2 * f->capstrs * sizeof *more);
		memcpy(more, f->str, (f->nstrs + 1) * sizeof *more);
		f->str = more;
		f->capstrs *= 2;
	}
	memcpy(f->chars + f->nchars, s, n);
	f->nchars += n;
	f->str[f->nstrs + 1] = (uint32_t)f->nchars;
	return f->nstrs++;
}

/* A float is written so that it reads as the same. */
static bool
put_value(fold *f, uint32_t row, vt_value v)
{
	vt_yrow *r = &f->row[row];
	vt_buf b = {0};
	double again;
	bool good = true;

	if (vt_is(v, STR))
		vt_buf_put(&b, vt_as_str(v)->s, vt_as_str(v)->bytes);
	else if (!vt_is_bool(v))
		vt_repr(f->rt, &b, v);
	if (vt_is(v, FLOAT)) {
		vt_value text = vt_str_new(f->rt, b.p, b.n);
		good = vt_float_from_str(vt_as_str(text), &again) && again == vt_as_float(v);
		vt_release(text);
	}
	if (good) {
		r->kind = vt_is(v, STR) ? YAY_STR : vt_is_bool(v) ? YAY_BOOL : YAY_NUM;
		r->flag = vt_is(v, FLOAT) ? YAY_FLOAT : 0;
		r->op = 0;
		r->a = vt_is_bool(v) ? 0 : new_string(f, b.p ? b.p : "", b.n);
		r->b = v == VT_TRUE;
		r->c = 0;
		f->n++;
	}
	vt_buf_free(&b);
	return good;
}

/* The truth of a constant, as a guard or a condition has it; false: it has none. */
static bool
truth(fold *f, uint32_t row, bool *yes)
{
	vt_value v;

	if (!is_constant(f, row) || (v = value_of(f, row)) == VT_UNDEF)
		return false;
	*yes = vt_is_true(v);
	vt_release(v);
	return true;
}

/* ---- expressions: a parent before its parts ---- */

static void
choose(fold *f, uint32_t row, uint32_t which)
{
	vt_yrow *r = &f->row[row];

	r->kind = YAY_CHOSEN;
	r->a = which;
	r->b = r->c = 0;
	r->flag = r->op = 0;
	f->n++;
}

/* `and` and `or` want numbers: one side that is known leaves that much of the other. */
static void
half(fold *f, uint32_t row)
{
	const vt_yrow *r = ROW(f, row);
	vt_value v, n = VT_UNDEF;

	if (!is_constant(f, r->a) || (v = value_of(f, r->a)) == VT_UNDEF)
		return;
	if (vt_is_integer(v) || vt_is_bool(v) || vt_is(v, FLOAT))
		n = v;
	if (n != VT_UNDEF && vt_is_true(n) == (r->kind == YAY_OR)) {
		put_value(f, row, n);
	} else if (n != VT_UNDEF) {
		choose(f, row, r->b);
		f->row[row].kind = YAY_NUMBER;
	}
	vt_release(v);
}

static bool
is_leaf(enum vt_yay_kind k)
{
	return k == YAY_STR || k == YAY_NUM || k == YAY_BOOL || k == YAY_TEXT || k == YAY_IDENT ||
	       k == YAY_TUPLE || k == YAY_DISPLAY;
}

/* The grammar makes rows of parts before that of the whole: what is between the two is part of
 * it. */
static uint32_t
leftmost(const fold *f, uint32_t row)
{
	while (!is_leaf(ROW(f, row)->kind) && ROW(f, row)->a)
		row = ROW(f, row)->a;
	return row;
}

/*
 * A choice gives one of its sides as it is, with its place; all else makes something new, and its
 * parts need not be looked at: the first of them is the result.
 */
static uint32_t
visit(fold *f, uint32_t row)
{
	const vt_yrow *r = ROW(f, row);
	vt_value v;
	bool yes;

	if (r->kind == YAY_TERNARY) {
		if (truth(f, r->b, &yes))
			choose(f, row, yes ? r->a : r->c);
	} else if (r->kind == YAY_ELSE) {
		if (is_constant(f, r->a) && (v = value_of(f, r->a)) != VT_UNDEF) {
			choose(f, row, r->a);
			vt_release(v);
		}
	} else if (r->kind == YAY_INDEX || is_leaf(r->kind)) {
		return row;
	} else if (is_constant(f, row)) {
		bool good = (v = value_of(f, row)) != VT_UNDEF && put_value(f, row, v);
		vt_release(v);
		return good ? leftmost(f, row) : row;
	} else if (r->kind == YAY_AND || r->kind == YAY_OR) {
		half(f, row);
	}
	return row;
}

/* ---- texts: what stands beside each other and is known becomes one part ---- */

static bool
is_text(const fold *f, uint32_t r)
{
	uint8_t k = r ? f->row[r].kind : YAY_NONE;

	return k == YAY_TEXT || k == YAY_STR || (k == YAY_NUM && !(f->row[r].flag & YAY_FLOAT));
}

static void
join_parts(fold *f, uint32_t merged)
{
	for (uint32_t p = f->row[merged].a; p; p = f->row[p].next) {
		vt_buf b = {0};
		if (!is_text(f, p) || !is_text(f, f->row[p].next))
			continue;
		for (uint32_t q = p; is_text(f, q); q = f->row[q].next) {
			uint32_t k = f->row[q].a;
			vt_buf_put(&b, f->chars + f->str[k], f->str[k + 1] - f->str[k]);
			f->row[p].next = f->row[q].next;
		}
		f->row[p].kind = YAY_TEXT;
		f->row[p].flag = YAY_BLOCK;
		f->row[p].a = new_string(f, b.p ? b.p : "", b.n);
		vt_buf_free(&b);
	}
}

/* ---- decisions ---- */

/* What an `if` of constants comes to: a body, or 0. False: it depends. */
static bool
decided(fold *f, uint32_t row, uint32_t *body)
{
	bool yes;

	for (; row && ROW(f, row)->kind == YAY_IF; row = ROW(f, row)->c) {
		if (!truth(f, ROW(f, row)->a, &yes))
			return false;
		if (yes) {
			*body = ROW(f, row)->b;
			return true;
		}
	}
	*body = row;
	return true;
}

static bool
is_of(const fold *f, uint32_t body, uint8_t kind)
{
	if (f->row[body].kind != YAY_BODY || f->row[body].b || !f->row[body].a)
		return false;
	for (uint32_t r = f->row[body].a; r; r = f->row[r].next)
		if (f->row[r].kind != kind)
			return false;
	return true;
}

static bool
is_list(const fold *f, uint32_t r)
{
	return f->row[r].kind == YAY_LIST || f->row[r].kind == YAY_FOR;
}

/*
 * Where the block is a list or a map whatever the decision is, and stays the one at the same place,
 * the directive itself goes: with nothing in its stead, or with a branch that has no names of its
 * own.
 */
static void
splice(fold *f, uint32_t body, uint32_t before, uint32_t row, uint32_t chosen)
{
	uint32_t after = f->row[row].next, last;
	bool map = false, list = false, list_behind = false;

	for (uint32_t r = f->row[body].a; r; r = f->row[r].next) {
		map |= f->row[r].kind == YAY_MAP;
		list |= is_list(f, r);
	}
	for (uint32_t r = after; r; r = f->row[r].next)
		list_behind |= is_list(f, r);
	if (!map && !list)
		return;
	if (!chosen) {
		f->row[before].next = after;
		return;
	}
	if (list ? !list_behind || !is_of(f, chosen, YAY_LIST) : !is_of(f, chosen, YAY_MAP))
		return;
	for (last = f->row[chosen].a; f->row[last].next; last = f->row[last].next)
		;
	f->row[before].next = f->row[chosen].a;
	f->row[last].next = after;
}

static void
decide(fold *f, uint32_t body)
{
	uint32_t before = 0, next, chosen;

	for (uint32_t r = f->row[body].a; r; before = r, r = next) {
		next = f->row[r].next;
		if (ROW(f, r)->kind != YAY_IF || !decided(f, r, &chosen))
			continue;
		f->row[r].c = 0;
		if (chosen)
			f->row[r].b = chosen;
		f->row[f->row[r].a].kind = YAY_BOOL;
		f->row[f->row[r].a].a = f->row[f->row[r].a].op = f->row[f->row[r].a].flag = 0;
		f->row[f->row[r].a].b = chosen != 0;
		f->n++;
		if (before) {
			splice(f, body, before, r, chosen);
			if (f->row[before].next != r) { /* it is gone */
				while (f->row[before].next != next)
					before = f->row[before].next;
				r = before;
			}
		}
	}
}

/* ---- a document ---- */

/* All rows are copied for it, several times, while what is won is with the operators.  So a long
 * document is folded only where one row in so many is one. */
enum { SHORT = 20000, SPARSE = 8 };

static bool
is_worth_it(const vt_ydoc *d)
{
	uint32_t n = 0;

	for (uint32_t r = 1; r < d->nrows; r++) {
		uint8_t k = d->row[r].kind;
		n += k == YAY_MERGED || k == YAY_IF || (k >= YAY_INDEX && k < YAY_NKINDS);
	}
	return n > 0 && (d->nrows < SHORT || n > d->nrows / SPARSE);
}

static void
begin(fold *f)
{
	size_t bytes = f->d->nrows * sizeof *f->row;
	uint32_t nchars = f->d->str[f->d->nstrs];

	f->bind = yay_bind_names(f->c, f->d);
	f->is = vc_alloc(f->c, f->d->nrows);
	f->row = vc_alloc(f->c, bytes);
	f->asked = vc_alloc(f->c, bytes);
	memcpy(f->row, f->d->row, bytes);
	memcpy(f->asked, f->d->row, bytes);
	f->nstrs = f->d->nstrs;
	f->capstrs = f->nstrs + 64;
	f->str = vc_alloc(f->c, f->capstrs * sizeof *f->str);
	memcpy(f->str, f->d->str, (f->nstrs + 1) * sizeof *f->str);
	f->nchars = nchars;
	f->capchars = nchars + 1024;
	f->chars = vc_alloc(f->c, f->capchars);
	memcpy(f->chars, f->d->chars, nchars);
}

static void
fold_rows(fold *f)
{
	for (uint32_t r = f->d->nrows - 1; r > 0; r--)
		r = visit(f, r);
	for (uint32_t r = 1; r < f->d->nrows && f->n; r++)
		if (f->row[r].kind == YAY_MERGED)
			join_parts(f, r);
		else if (f->row[r].kind == YAY_BODY)
			decide(f, r);
	if (f->y) {
		vt_yay_free(f->y);
		vt_rt_free(f->rt);
	}
}

/* As many rows as there were take the place of those; strings are copied. */
static const vt_ydoc *
folded(const fold *f, const vt_ydoc *d)
{
	vt_ydoc *out = vc_alloc(f->c, sizeof *out);
	size_t nstr = (f->nstrs + 1) * sizeof *f->str;

	memcpy((vt_yrow *)(uintptr_t)d->row, f->row, d->nrows * sizeof *f->row);
	*out = *d;
	out->nstrs = f->nstrs;
	out->str = memcpy(vc_alloc(f->c, nstr), f->str, nstr);
	out->chars = vc_strndup(f->c, f->chars, f->nchars);
	return out;
}

/* What is needed meanwhile, several times the document, has memory of its own. */
const vt_ydoc *
yay_fold(vc *c, const vt_ydoc *d, uint32_t *n)
{
	fold f = {.c = c, .d = d};
	vc_arena *own, *before;

	if (n)
		*n = 0;
	if (!d->root || d->row[d->root].kind != YAY_BODY || !is_worth_it(d))
		return d;
	own = vc_arena_new();
	before = vc_arena_use(c, own);
	begin(&f);
	fold_rows(&f);
	vc_arena_use(c, before);
	if (n)
		*n = f.n;
	if (f.n)
		d = folded(&f, d);
	vc_arena_free(own);
	return d;
}
