/*
 * lambda_program.c - programs of lambdas (vt_lambda_program), a column at a time.
 *
 * Each step is one loop over the items, so what it costs to find out what is to be done is shared
 * by all of them.  A loop that meets something that is not for it cuts the batch there: those in
 * front are worked out to the end.
 */
#define _GNU_SOURCE
#include "runtime/seq/fold.h"

#include "runtime/core/blocks.h"
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/core/exception.h"
#include "runtime/core/kind.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"
#include "runtime/seq/unmade.h"

#include <stdlib.h>

enum { SCRATCH = 16 * 1024 };

vt_batch *
vt_batch_new(vt_rt *rt, vt_scope *scope)
{
	size_t values = (size_t)VT_BULK * (VT_STEPS_MOST + 1);
	vt_batch *s = rt->s->batch;

	if (s != NULL) {
		rt->s->batch = s->next;
		s->scope = scope;
		s->still = s->brief = s->failed = false;
		return s;
	}
	s = vt_xmalloc(sizeof *s + values * (sizeof *s->v + sizeof *s->t) + SCRATCH);
	s->rt = rt;
	s->scope = scope;
	s->up = NULL;
	s->kept = NULL;
	s->unmade = NULL;
	s->skips = 0;
	s->at = 0;
	s->still = s->brief = s->failed = false;
	s->owns = 0;
	s->cap = VT_BULK;
	s->t = (vt_text *)(void *)(s + 1);
	s->v = (vt_value *)(void *)(s->t + values);
	s->scratch = (char *)(s->v + values);
	s->room = SCRATCH;
	return s;
}

void
vt_batch_give_back(vt_batch *s)
{
	while (s->owns != 0) {
		uint32_t r = (uint32_t)__builtin_ctzll(s->owns);
		const vt_value *v = s->v + (size_t)r * s->cap;
		for (uint32_t i = 0; i < s->made[r]; i++)
			vt_release(v[i]);
		s->owns &= s->owns - 1;
	}
}

void
vt_batch_free(vt_batch *s)
{
	vt_batch_give_back(s);
	s->up = NULL;
	s->next = s->rt->s->batch;
	s->rt->s->batch = s;
}

void
vt_batches_drop(vt_rt *rt)
{
	for (vt_batch *s = rt->s->batch, *next; s != NULL; s = next) {
		next = s->next;
		free(s);
	}
	rt->s->batch = NULL;
}

/* ---- columns ----------------------------------------------------------------------------- */

static vt_value
constant(const vt_lambda_step *t)
{
	return t->heap != NULL ? vt_mkptr(t->heap) : t->k;
}

/* The right operands, step by step: 0 for a constant, which is at *k. NULL: texts. */
static const vt_value *
right_values(vt_batch *s, const vt_lambda_step *t, vt_value *k, size_t *step)
{
	*step = t->b != VT_STEP_K;
	if (*step)
		return vt_batch_from(s, t->b);
	*k = constant(t);
	return k;
}

/* ---- numbers and truth ------------------------------------------------------------------- */

static void
arithmetic(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	size_t dy;
	vt_value k;
	const vt_value *x = vt_batch_from(s, t->a), *y = right_values(s, t, &k, &dy);
	vt_value *v = vt_batch_values(s, r);
	uint32_t i, n = x == NULL || y == NULL ? 0 : s->n;
	vt_repeated_call own, *c = vt_batch_repeated(s, r, &own);

	i = n > 0 ? vt_step_ints(t->op, n, x, y, dy, v) : 0;
	if (i < n && vt_step_words(t->op, n - i, x + i, y + dy * i, dy, v + i))
		i = n;
	for (; i < n; i++) {
		vt_value l = x[i], m = y[dy * i];
		if (l == VT_UNDEF || m == VT_UNDEF)
			break;
		if (vt_is_real(l) && vt_is_real(m) &&
			(vt_both_int(l, m) ? vt_step_ints(t->op, 1, &l, &m, 0, &v[i]) == 1
					   : vt_step_real(s->rt, t->op, l, m, &v[i]))) {
			if (vt_is_ptr(v[i]))
				vt_batch_own(s, r);
			continue;
		}
		vt_batch_own(s, r);
		if (!vt_step_counts(s, t, i) || !vt_batch_binary(s, t, r, c, l, m, &v[i]))
			break;
	}
	s->n = i;
}

static int
text_order(vt_text a, vt_text b)
{
	int c = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

	return c ? (c < 0 ? -1 : 1) : (a.n > b.n) - (a.n < b.n);
}

/* Is one side a text that no value holds?  Then *x and *y are the sides. */
static bool
compares_texts(vt_batch *s, const vt_lambda_step *t, const vt_text **x, const vt_text **y)
{
	if (s->col[t->a] != NULL && (t->b == VT_STEP_K || s->col[t->b] != NULL))
		return false;
	*x = vt_batch_texts(s, t->a);
	*y = t->b == VT_STEP_K ? NULL : vt_batch_texts(s, t->b);
	if (t->b == VT_STEP_K && (t->heap == NULL || !vt_is(vt_mkptr(t->heap), STR)))
		s->n = 0;
	return true;
}

static void
compare_texts(vt_batch *s, const vt_lambda_step *t, uint32_t r, const vt_text *x, const vt_text *y)
{
	vt_value *v = vt_batch_values(s, r);

	for (uint32_t i = 0; i < s->n; i++) {
		int order = text_order(x[i], y != NULL ? y[i] : vt_text_of(t->heap));
		v[i] = vt_mkbool(t->op == VT_STEP_EQ   ? order == 0
				 : t->op == VT_STEP_NE ? order != 0
						       : vt_step_answer(t->op, order));
	}
}

/* Of the items in front; what the loop is not for, as sets, is a call. */
static uint32_t
compare(vt_batch *s, const vt_lambda_step *t, uint32_t r, const vt_value *x, const vt_value *y,
	size_t dy, vt_value *v)
{
	uint32_t n = s->n, i = vt_step_order(t->op, n, x, y, dy, v);
	vt_repeated_call own, *c = i < n ? vt_batch_repeated(s, r, &own) : NULL;

	for (; i < n; i++) {
		if (vt_step_compare(t->op, x[i], y[dy * i], &v[i]))
			continue;
		if (x[i] == VT_UNDEF || y[dy * i] == VT_UNDEF || vt_is_scalar(x[i]) ||
			!vt_step_counts(s, t, i) ||
			!vt_batch_binary(s, t, r, c, x[i], y[dy * i], &v[i]))
			break;
	}
	return i;
}

static void
comparison(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_text *a, *b;

	if (compares_texts(s, t, &a, &b)) {
		compare_texts(s, t, r, a, b);
	} else {
		size_t dy;
		vt_value k;
		const vt_value *x = vt_batch_from(s, t->a), *y = right_values(s, t, &k, &dy);
		s->n = compare(s, t, r, x, y, dy, vt_batch_values(s, r));
	}
}

static bool
same_text(const vt_str *x, const vt_str *y)
{
	return x == y || vt_same_words(x->s, x->bytes, y->s, y->bytes);
}

bool
vt_step_same(vt_rt *rt, vt_value x, vt_value y)
{
	return vt_both_int(x, y) || x == VT_NULL || y == VT_NULL ? x == y
	       : vt_is(x, STR) && vt_is(y, STR) ? same_text(vt_as_str(x), vt_as_str(y))
	       : vt_two_float_words(x, y)       ? vt_float_of_word(x) == vt_float_of_word(y)
						: vt_equal(rt, x, y);
}

/* What is null: the values themselves need not be looked at. */
static uint32_t
equal_null(uint32_t n, const vt_value *x, bool wanted, vt_value *v)
{
	uint32_t i;

	for (i = 0; i < n && x[i] != VT_UNDEF; i++)
		v[i] = vt_mkbool((x[i] == VT_NULL) == wanted);
	return i;
}

static void
equality(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_text *a, *b;
	const vt_value *x, *y;
	vt_value *v, k;
	size_t dy;
	bool wanted = t->op == VT_STEP_EQ;

	if (compares_texts(s, t, &a, &b)) {
		compare_texts(s, t, r, a, b);
		return;
	}
	x = vt_batch_from(s, t->a);
	y = right_values(s, t, &k, &dy);
	v = vt_batch_values(s, r);
	if (dy == 0 && *y == VT_NULL) {
		s->n = equal_null(s->n, x, wanted, v);
		return;
	}
	for (uint32_t i = 0; i < s->n; i++, y += dy) {
		if (unlikely(x[i] == VT_UNDEF || *y == VT_UNDEF)) {
			s->n = i;
			break;
		}
		v[i] = vt_mkbool(vt_step_same(s->rt, x[i], *y) == wanted);
	}
}

/* A register's truth can be asked for. */
static bool
is_plain(vt_value v)
{
	return v != VT_UNDEF && (!vt_is_ptr(v) || vt_head_of(v)->kind <= VT_K_DICT);
}

static void
negation(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_value *x = vt_batch_from(s, t->a);
	vt_value *v = vt_batch_values(s, r);
	uint32_t i;

	for (i = 0; x != NULL && i < s->n && x[i] != VT_UNDEF; i++)
		v[i] = vt_mkbool(!vt_is_true(x[i]));
	s->n = i;
}

/* The right side was worked out where it need not have been: that changes nothing. */
static void
junction(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_value *x = vt_batch_from(s, t->a), *y = vt_batch_from(s, t->b);
	vt_value *v = vt_batch_values(s, r), decides = vt_mkbool(t->op == VT_STEP_OR);
	uint32_t i, n = x == NULL || y == NULL ? 0 : s->n;

	for (i = 0; i < n; i++) {
		if (likely(vt_is_bool(x[i])))
			v[i] = vt_pick(x[i] == decides, x[i], y[i]);
		else if (is_plain(x[i]))
			v[i] = vt_is_true(x[i]) == (t->op == VT_STEP_OR) ? x[i] : y[i];
		else
			break;
		if (v[i] == VT_UNDEF)
			break;
	}
	s->n = i;
}

/* ---- lists and lengths ------------------------------------------------------------------- */

/* Data that len() takes: it does not take the values of a dict. */
static bool
has_length(vt_value x)
{
	return vt_is_data(x, false) && !vt_is(x, MEMO) &&
	       !(vt_is(x, VIEW) && vt_head_of(x)->aux == VT_VIEW_VALUES);
}

static void
length(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_value *x = vt_batch_from(s, t->a);
	const vt_text *texts = s->text[t->a];
	vt_value *v = vt_batch_values(s, r);
	uint32_t i;

	for (i = 0; i < s->n; i++) {
		int64_t k = -1;
		if (x == NULL)
			v[i] = vt_mkint(texts[i].points);
		else if (vt_is(x[i], STR))
			v[i] = vt_mkint(vt_as_str(x[i])->points);
		else if (vt_is_sequence(x[i]))
			v[i] = vt_mkint(vt_as_list(x[i])->n);
		else if (vt_is(x[i], DICT))
			v[i] = vt_mkint(vt_dict_len(vt_as_dict(x[i])));
		else if (x[i] != VT_UNDEF && has_length(x[i]) && vt_len(s->rt, x[i], &k) == VT_OK &&
			 k >= 0)
			v[i] = vt_mkint(k);
		else if (x[i] == VT_UNDEF || !vt_step_counts(s, t, i) ||
			 !vt_batch_ask(s, t, i, &v[i]))
			break;
	}
	s->n = i;
}

/* The sum of small integers of the list from there on, added to *sum, which is one; false: no such
 * list, or too large. */
static bool
vt_sum_small(const vt_list *l, uint32_t from, vt_value *sum)
{
	int64_t total = (int64_t)*sum, next;

	for (uint32_t i = from; i < l->n; i++) {
		if (!vt_is_int(l->v[i]) ||
			__builtin_add_overflow(total, (int64_t)(l->v[i] - 1), &next))
			return false;
		total = next;
	}
	*sum = (vt_value)total;
	return true;
}

/* Of small integers; the sum of nothing is an error. */
static void
sum(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_value *x = vt_batch_from(s, t->a);
	vt_value *v = vt_batch_values(s, r);
	uint32_t i, n = x != NULL ? s->n : 0;

	for (i = 0; i < n; i++) {
		v[i] = vt_mkint(0);
		if (x[i] != VT_UNDEF && vt_is_sequence(x[i]) && vt_as_list(x[i])->n > 0 &&
			vt_sum_small(vt_as_list(x[i]), 0, &v[i]))
			continue;
		v[i] = VT_UNDEF;
		vt_batch_own(s, r);
		if (!vt_step_counts(s, t, i) || !vt_batch_ask(s, t, i, &v[i]))
			break;
	}
	s->n = i;
}

/* ---- a program ---- */

static void
constants(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	vt_value *v = vt_batch_values(s, r);

	for (uint32_t i = 0; i < s->n; i++)
		v[i] = constant(t);
}

static void
step(vt_batch *s, const vt_lambda_step *t, uint32_t r, const vt_value *items,
	const vt_value *others)
{
	switch ((enum vt_lambda_step_op)t->op) {
	case VT_STEP_ITEM:
		s->col[r] = t->a ? others : items;
		s->text[r] = NULL;
		return;
	case VT_STEP_CONST: constants(s, t, r); return;
	case VT_STEP_ATTR: vt_batch_member(s, t, r); return;
	case VT_STEP_INDEX: vt_batch_index(s, t, r); return;
	case VT_STEP_ADD:
	case VT_STEP_SUB:
	case VT_STEP_MUL:
	case VT_STEP_DIV:
	case VT_STEP_MOD: arithmetic(s, t, r); return;
	case VT_STEP_LT:
	case VT_STEP_LE:
	case VT_STEP_GT:
	case VT_STEP_GE: comparison(s, t, r); return;
	case VT_STEP_EQ:
	case VT_STEP_NE: equality(s, t, r); return;
	case VT_STEP_NOT: negation(s, t, r); return;
	case VT_STEP_AND:
	case VT_STEP_OR: junction(s, t, r); return;
	case VT_STEP_LEN: length(s, t, r); return;
	case VT_STEP_SUM: sum(s, t, r); return;
	case VT_STEP_STARTS:
	case VT_STEP_ENDS: vt_batch_starts_or_ends(s, t, r); return;
	case VT_STEP_MATCH:
	case VT_STEP_UNMATCH: vt_batch_match(s, t, r); return;
	case VT_STEP_FIND: vt_batch_find(s, t, r); return;
	case VT_STEP_DYN: vt_batch_variable(s, t, r); return;
	case VT_STEP_OUTER: vt_batch_outer(s, t, r); return;
	case VT_STEP_GET: vt_batch_get(s, t, r); return;
	case VT_STEP_IN: vt_batch_in(s, t, r); return;
	case VT_STEP_CHOOSE: vt_batch_choose(s, t, r); return;
	case VT_STEP_CALL: vt_batch_call(s, t, r); return;
	case VT_STEP_NEST: vt_batch_nest(s, t, r); return;
	case VT_STEP_LIST: vt_batch_list(s, t, r); return;
	case VT_STEP_MAP: vt_batch_map(s, t, r); return;
	case VT_STEP_DICT: vt_batch_dict(s, t, r); return;
	case VT_STEP_EDIT: vt_batch_edit(s, t, r); return;
	case VT_STEP_DEFINED: vt_batch_defined(s, t, r); return;
	case VT_STEP_LISTED: vt_batch_listed(s, t, r); return;
	case VT_STEP_PIECE:
	case VT_STEP_PIECES:
	case VT_STEP_SPAN:
	case VT_STEP_PART:
	case VT_STEP_TRIM:
	case VT_STEP_STR:
	case VT_STEP_GROUP: vt_batch_part(s, t, r); return;
	case VT_STEP_UPPER:
	case VT_STEP_LOWER:
	case VT_STEP_REPLACE: break; /* vt_batch_fill_texts */
	}
	s->n = 0;
}

/* Texts that a step takes as values become strings, which the batch owns. */
static void
make_strings(vt_batch *s, const vt_lambda_program *t, uint32_t r)
{
	if (r >= t->n || s->col[r] != NULL)
		return;
	vt_make_texts(s, t, (uint8_t)r, s->n, false);
	vt_batch_own(s, r);
	s->made[r] = s->n;
}

static void
values_for(vt_batch *s, const vt_lambda_program *t, const vt_lambda_step *x)
{
	bool reads = x->op > VT_STEP_FIND ? x->op < VT_STEP_PIECE && x->op != VT_STEP_DYN &&
						    x->op != VT_STEP_OUTER
					  : (x->flags & (VT_STEP_SOFT | VT_STEP_PLAIN)) != 0;

	if (!reads)
		return;
	if (!vt_step_makes(x) && x->op != VT_STEP_CONST && x->op != VT_STEP_ITEM)
		make_strings(s, t, x->a);
	if (x->op == VT_STEP_CHOOSE || (x->op >= VT_STEP_ADD && x->op <= VT_STEP_OR))
		make_strings(s, t, x->b);
	if (x->op == VT_STEP_CHOOSE || x->op == VT_STEP_NEST)
		make_strings(s, t, x->c);
	make_strings(s, t, x->guard);
	for (uint32_t i = 0; i < x->n; i++)
		make_strings(s, t, x->args[i]);
}

/* What the step is not for is left open; the items behind it are not concerned. */
static void
soft_step(vt_batch *s, const vt_lambda_step *t, uint32_t r, const vt_value *items,
	const vt_value *others)
{
	uint32_t n = s->n;

	while (s->at < n) {
		s->n = n - s->at;
		step(s, t, r, items, others);
		s->at += s->n;
		if (s->at == n)
			break;
		do /* of those behind it, what it need not be done for either */
			s->v[(size_t)r * s->cap + s->at++] = VT_UNDEF;
		while (s->at < n && !vt_step_counts(s, t, 0));
	}
	s->at = 0;
	s->n = n;
}

/* Step r of s->n items, with the texts behind it that are made along with it; which is next. */
static inline uint32_t
step_on(vt_batch *s, const vt_lambda_program *t, uint32_t r, const vt_value *items,
	const vt_value *others, uint64_t without)
{
	const vt_lambda_step *x = &t->t[r];
	uint32_t next = r;

	if (x->op >= VT_STEP_ADD && x->op <= VT_STEP_REPLACE)
		next = vt_batch_fill_texts(s, t, r, without);
	if (next != r || s->n == 0)
		return next;
	values_for(s, t, x);
	(x->flags & VT_STEP_SOFT ? soft_step : step)(s, x, r, items, others);
	if (s->owns >> r & 1)
		s->made[r] = s->n;
	return r + 1;
}

uint32_t
vt_batch_step(vt_batch *s, const vt_lambda_program *t, uint32_t r, const vt_value *items,
	const vt_value *others)
{
	return step_on(s, t, r, items, others, 0);
}

/* Which steps are done: all but those whose bits are in `without`. */
static uint32_t
fill_but(vt_batch *s, const vt_lambda_program *t, uint32_t n, const vt_value *items,
	const vt_value *others, uint64_t without)
{
	if (s->owns != 0)
		vt_batch_give_back(s);
	s->program = t;
	s->given[0] = items;
	s->given[1] = others;
	s->n = n;
	s->used = 0;
	s->failed = false;
	for (uint32_t r = 0; r < t->n && s->n > 0;)
		r = without >> r & 1 || (s->unmade != NULL && vt_unmade_step(s, t, r))
			    ? r + 1
			    : step_on(s, t, r, items, others, without);
	return s->n;
}

static uint32_t
fill(vt_batch *s, const vt_lambda_program *t, uint32_t n, const vt_value *items,
	const vt_value *others)
{
	return fill_but(s, t, n, items, others, s->skips);
}

uint32_t
vt_batch_fill_but(vt_batch *s, const vt_lambda_program *t, uint32_t n, const vt_value *others,
	uint64_t without)
{
	s->behind = 0;
	s->far = false;
	s->known[0] = s->known[1] = NULL;
	return fill_but(s, t, n, NULL, others, without);
}

bool
vt_batch_one(vt_batch *s, const vt_lambda_step *x, uint32_t r)
{
	s->n = 1;
	step(s, x, r, NULL, NULL);
	if (s->n == 0 && (x->flags & VT_STEP_SOFT)) {
		s->v[(size_t)r * s->cap + s->at] = VT_UNDEF;
		s->n = 1;
	}
	return s->n == 1;
}

void
vt_batch_strings(vt_batch *s, const vt_lambda_program *t, uint64_t of)
{
	for (; of != 0; of &= of - 1)
		make_strings(s, t, (uint32_t)__builtin_ctzll(of));
}

uint32_t
vt_batch_fill_known(vt_batch *s, const vt_lambda_program *t, uint32_t n, const vt_value *items,
	const vt_value *others, const void *shape, const void *other_shape)
{
	s->behind = 0;
	s->far = false;
	s->known[0] = shape;
	s->known[1] = other_shape;
	return fill(s, t, n, items, others);
}

uint32_t
vt_batch_fill_unmade(vt_batch *s, const vt_lambda_program *t, const vt_unmade *u)
{
	uint32_t n;

	s->unmade = u;
	n = vt_batch_fill_known(s, t, u->n, NULL, NULL, NULL, NULL);
	s->unmade = NULL;
	return n;
}

uint32_t
vt_batch_fill_list(
	vt_batch *s, const vt_lambda_program *t, uint32_t n, const vt_value *items, uint32_t behind)
{
	s->behind = behind;
	s->far = behind >= FAR;
	s->known[0] = s->known[1] = NULL;
	return fill(s, t, n, items, NULL);
}

bool
vt_batch_true(const vt_batch *s, const vt_lambda_program *t, uint32_t i)
{
	uint8_t r = t->out[0];

	if (t->kind != VT_PROGRAM_VALUE)
		return t->nout > 0;
	return s->col[r] != NULL ? vt_is_true(s->col[r][i]) : s->text[r][i].n > 0;
}

/* ---- where programs may be used ------------------------------------------------------------ */

bool
vt_lambda_program_usable(vt_rt *rt, const vt_code *code, const vt_scope *sc)
{
	if (rt->s->host_hides || vt_metered(rt))
		return false;
	return (code->program != NULL && !code->program->calls) ||
	       (code->unit->opt.limit_iterators < 0 && !vt_scope_hides(sc));
}

static bool
is_open(vt_value v)
{
	return vt_is_ptr(v) && vt_head_of(v)->kind > VT_K_SET && vt_head_of(v)->kind < VT_K_REGEX;
}

static bool
is_iterator(const vt_lambda_program *t, uint8_t r)
{
	const vt_nest *nest = t->t[r].op == VT_STEP_NEST ? t->t[r].by : NULL;

	return nest != NULL && nest->iterator;
}

/* Is the member, of that name or at that place, a value of a row that `made` makes? */
static bool
is_value(const vt_lambda_program *made, const vt_lambda_step *x)
{
	if (made->kind == VT_PROGRAM_LIST)
		return x->op == VT_STEP_INDEX && vt_toint(x->k) < made->nout &&
		       !is_iterator(made, made->out[vt_toint(x->k)]);
	for (uint32_t k = 0; made->kind == VT_PROGRAM_RECORD && k < made->nout; k++)
		if (x->op == VT_STEP_ATTR && vt_str_eq(made->keys[k], x->heap))
			return !is_iterator(made, made->out[k]);
	return false;
}

bool
vt_program_leaves_iterators(const vt_lambda_program *made, const vt_lambda_program *t)
{
	uint64_t rows = 0;

	for (uint32_t r = 0; r < t->n; r++) {
		const vt_lambda_step *x = &t->t[r];
		if (x->op == VT_STEP_ITEM)
			rows |= UINT64_C(1) << r;
		else if (vt_step_operands(x) & rows && !is_value(made, x))
			return false;
	}
	return true;
}

bool
vt_program_is_closed(vt_rt *rt, const vt_lambda_program *t, vt_scope *sc)
{
	if (!t->mixed)
		return true;
	for (uint32_t i = 0; i < t->n; i++) {
		const vt_nest *nest = t->t[i].by;
		if (t->t[i].op == VT_STEP_DYN && is_open(vt_step_variable(rt, sc, &t->t[i])))
			return false;
		if (t->t[i].op == VT_STEP_DEFINED && t->t[i].by != NULL &&
			!vt_program_is_closed(rt, t->t[i].by, sc))
			return false;
		if (t->t[i].op != VT_STEP_NEST)
			continue;
		for (uint32_t k = 0; k < nest->n; k++)
			if (!vt_program_is_closed(rt, nest->stage[k].program, sc))
				return false;
	}
	return true;
}
