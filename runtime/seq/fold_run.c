/*
 * fold_run.c - folds over numbers: all that depends on `$1` are integers, floats and booleans.
 *
 * Most folds count, add, compare or choose.  For these the sum and what is made of it stay in local
 * registers, for as many items as there are at hand: nothing is counted, and a float is made only
 * where somebody keeps it.  Another kind, an overflow and whatever may raise end a run; the item is
 * then done as all others are (fold.c).
 *
 * So it is with several numbers in a list or a record, as in `[$1[0] + $2, $1[1] + 1]`: each is a
 * register, and the list is made at the end of a run.
 */
#include "runtime/seq/fold.h"

#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"

#include <string.h>

/* v: an integer, boolean or null; VT_UNDEF: the float d; VT_NOVALUE: none. */
typedef struct number {
	vt_value v;
	double d;
} number;

#define NOTHING ((number){VT_NOVALUE, 0})

/* In parts, as it was stored: a load of both would wait until the stores of each are through. */
static inline void
copy_number(number *to, const number *x)
{
	to->v = x->v;
	if (x->v == VT_UNDEF)
		to->d = x->d;
}

/* Of the i-th item: in a column, or in a register. */
typedef struct operand {
	const vt_value *column;
	const number *at;
} operand;

typedef struct step {
	operand a, b, c, guard;
	uint8_t op, flags, r; /* op: enum vt_lambda_step_op or enum extreme */
	bool guarded;
} step;

enum extreme { RUN_MAX = 200, RUN_MIN }; /* beyond the operations of programs */

typedef struct run {
	vt_rt *rt;
	uint32_t nsteps;
	step step[VT_STEPS_MOST];
	number r[VT_STEPS_MOST], k[VT_STEPS_MOST]; /* registers; constants of the steps */
	number sum, nothing;
	/* of a list or record: its members, and what becomes of them */
	number part[VT_FOLD_PARTS];
	operand next[VT_FOLD_PARTS];
} run;

/* ---- which folds ---- */

/* max() and min() of two numbers. */
static unsigned
extreme(const vt_lambda_step *x)
{
	const vt_site *site = x->by;

	if (x->op != VT_STEP_CALL || x->n != 2 || x->a != VT_STEP_K || site->nargs != 2 ||
		site->kind != VT_SITE_FUNCTION || site->args[0].keyword != NULL ||
		site->args[1].keyword != NULL)
		return 0;
	return strcmp(site->name->s, "max") == 0   ? RUN_MAX
	       : strcmp(site->name->s, "min") == 0 ? RUN_MIN
						   : 0;
}

static bool
is_plain(const vt_lambda_step *x)
{
	if (x->op == VT_STEP_ITEM)
		return x->a == 0;
	if (x->op == VT_STEP_CHOOSE)
		return x->b != VT_STEP_K;
	return (x->op >= VT_STEP_ADD && x->op <= VT_STEP_OR) || extreme(x) != 0;
}

static bool
is_sum(const vt_fold *f, uint8_t r)
{
	return r != VT_STEP_K && f->t->t[r].op == VT_STEP_ITEM && f->t->t[r].a == 0;
}

/* $1 + {..}: the record that is added; or NULL. */
static const vt_lambda_step *
added_record(const vt_fold *f)
{
	const vt_lambda_step *x = &f->t->t[f->t->out[0]];

	return x->op == VT_STEP_ADD && is_sum(f, x->a) && x->b != VT_STEP_K &&
			       f->t->t[x->b].op == VT_STEP_MAP
		       ? &f->t->t[x->b]
		       : NULL;
}

static uint8_t
part_of(const vt_fold *f, const vt_str *key)
{
	for (uint8_t k = 0; k < f->nparts; k++)
		if (f->part_key[k] == key || vt_str_eq(f->part_key[k], key))
			return k;
	return VT_STEP_K;
}

/* False: there are too many, or it is there. */
static bool
add_part(vt_fold *f, const vt_str *key, uint8_t into)
{
	if (f->nparts == VT_FOLD_PARTS || (key != NULL && part_of(f, key) != VT_STEP_K))
		return false;
	f->part_key[f->nparts] = key;
	f->into[f->nparts++] = into;
	return true;
}

static bool
find_parts(vt_fold *f)
{
	const vt_lambda_program *t = f->t;
	const vt_lambda_step *map = t->kind == VT_PROGRAM_VALUE ? added_record(f) : NULL;
	const vt_str *const *keys = map != NULL                    ? map->by
				    : t->kind == VT_PROGRAM_RECORD ? t->keys
								   : NULL;
	const uint8_t *of = map != NULL ? map->args : t->out;
	uint32_t n = map != NULL ? map->n : t->nout;

	f->whole = map != NULL                    ? VT_FOLD_ADDED
		   : t->kind == VT_PROGRAM_RECORD ? VT_FOLD_RECORD
		   : t->kind == VT_PROGRAM_LIST   ? VT_FOLD_LIST
						  : VT_FOLD_VALUE;
	for (uint32_t k = 0; f->whole != VT_FOLD_VALUE && k < n; k++)
		if (of[k] == VT_STEP_K || is_sum(f, of[k]) ||
			!add_part(f, keys != NULL ? keys[k] : NULL, of[k]))
			return false;
	return f->whole != VT_FOLD_VALUE;
}

/* A step that reads a part of $1. */
static bool
reads_part(vt_fold *f, uint8_t r)
{
	const vt_lambda_step *x = &f->t->t[r];

	if (!is_sum(f, x->a))
		return false;
	if (x->op == VT_STEP_INDEX && f->whole == VT_FOLD_LIST) {
		int64_t k = vt_toint(x->k);
		f->part[r] = k >= 0 && k < f->nparts ? (uint8_t)k : VT_STEP_K;
		return f->part[r] != VT_STEP_K && (x->c == 0 || x->c == f->nparts);
	}
	if (x->op != VT_STEP_ATTR || f->whole == VT_FOLD_LIST)
		return false;
	f->part[r] = part_of(f, x->heap);
	if (f->part[r] == VT_STEP_K && f->whole == VT_FOLD_ADDED && add_part(f, x->heap, VT_STEP_K))
		f->part[r] = (uint8_t)(f->nparts - 1);
	return f->part[r] != VT_STEP_K;
}

/* Is the step one of those that only make the list or record? */
static bool
makes_whole(const vt_fold *f, uint8_t r)
{
	const vt_lambda_step *root = &f->t->t[f->t->out[0]];

	return f->whole == VT_FOLD_ADDED && (r == f->t->out[0] || r == root->b);
}

static bool
has_plain_parts(vt_fold *f)
{
	uint64_t sums = 0;

	memset(f->part, VT_STEP_K, sizeof f->part);
	if (!find_parts(f))
		return false;
	for (uint32_t k = 0; k < f->nsteps; k++) {
		uint8_t r = f->step[k];
		if (is_sum(f, r))
			sums |= UINT64_C(1) << r;
		else if (!makes_whole(f, r) && !reads_part(f, r) &&
			 (!is_plain(&f->t->t[r]) || vt_step_operands(&f->t->t[r]) & sums))
			return false;
	}
	return true;
}

bool
vt_fold_is_plain(vt_fold *f)
{
	const vt_lambda_program *t = f->t;

	if (has_plain_parts(f))
		return true;
	f->whole = VT_FOLD_VALUE;
	memset(f->part, VT_STEP_K, sizeof f->part);
	if (t->kind != VT_PROGRAM_VALUE || !(f->needs >> t->out[0] & 1))
		return false;
	for (uint32_t k = 0; k < f->nsteps; k++)
		if (!is_plain(&t->t[f->step[k]]))
			return false;
	return true;
}

/* ---- operands ---- */

static inline bool
number_of(vt_value v, number *out)
{
	if (vt_is_float(v)) {
		*out = (number){VT_UNDEF, vt_float_of(v)};
		return true;
	}
	*out = (number){v, 0};
	return !vt_is_ptr(v) && v != VT_UNDEF && v != VT_NOVALUE;
}

static inline bool
load(const operand *o, uint32_t i, number *out)
{
	if (o->column != NULL)
		return number_of(o->column[i], out);
	copy_number(out, o->at);
	return out->v != VT_NOVALUE;
}

/* A register's, or, of VT_STEP_K, a constant's. */
static operand
operand_of(const vt_fold *f, run *u, uint8_t r, const number *constant)
{
	if (r == VT_STEP_K)
		return (operand){.at = constant};
	if (f->part[r] != VT_STEP_K)
		return (operand){.at = &u->part[f->part[r]]};
	if (f->needs >> r & 1)
		return (operand){.at = f->t->t[r].op == VT_STEP_ITEM ? &u->sum : &u->r[r]};
	return (operand){f->s->col[r], &u->nothing};
}

static void
add_step(const vt_fold *f, run *u, uint8_t r)
{
	const vt_lambda_step *x = &f->t->t[r];
	step *s = &u->step[u->nsteps];
	number *k = &u->k[u->nsteps++];
	unsigned ends = extreme(x);

	if (!number_of(x->heap != NULL ? vt_mkptr(x->heap) : x->k, k))
		*k = NOTHING;
	*s = (step){.op = ends ? (uint8_t)ends : x->op, .flags = x->flags, .r = r};
	s->a = operand_of(f, u, ends ? x->args[0] : x->a, &u->nothing);
	s->b = operand_of(f, u, ends ? x->args[1] : x->b, k);
	s->c = operand_of(f, u, x->op == VT_STEP_CHOOSE ? x->c : VT_STEP_K, &u->nothing);
	s->guarded = x->guard != VT_STEP_K;
	s->guard = operand_of(f, u, x->guard, &u->nothing);
}

/* ---- one step ---- */

static inline bool
is_real(const number *x)
{
	return x->v == VT_UNDEF;
}

static inline bool
truth(const number *x)
{
	return is_real(x) ? x->d != 0 : vt_is_true(x->v);
}

/* A float, or an integer that is one as it is. */
static inline bool
real_of(const number *x, double *d)
{
	int64_t i = vt_toint(x->v);

	*d = is_real(x) ? x->d : (double)i;
	return is_real(x) || (vt_is_int(x->v) && i < INT64_C(1) << 52 && i > -(INT64_C(1) << 52));
}

static bool
compute_reals(unsigned op, double a, double b, number *out)
{
	out->v = VT_UNDEF;
	switch (op) {
	case VT_STEP_ADD: out->d = a + b; return true;
	case VT_STEP_SUB: out->d = a - b; return true;
	case VT_STEP_MUL: out->d = a * b; return true;
	case VT_STEP_DIV: out->d = b != 0 ? a / b : 0; return b != 0;
	case VT_STEP_LT: out->v = vt_mkbool(a < b); return true;
	case VT_STEP_LE: out->v = vt_mkbool(a <= b); return true;
	case VT_STEP_GT: out->v = vt_mkbool(a > b); return true;
	case VT_STEP_GE: out->v = vt_mkbool(a >= b); return true;
	case VT_STEP_EQ: out->v = vt_mkbool(a == b); return true;
	case VT_STEP_NE: out->v = vt_mkbool(a != b); return true;
	}
	return false;
}

static bool
compute_words(vt_rt *rt, unsigned op, vt_value a, vt_value b, vt_value *out)
{
	switch (op) {
	case VT_STEP_ADD: return vt_add_fast(a, b, out);
	case VT_STEP_SUB: return vt_sub_fast(a, b, out);
	case VT_STEP_MUL: return vt_mul_fast(a, b, out);
	case VT_STEP_DIV: return vt_div_fast(a, b, out);
	case VT_STEP_MOD: return vt_mod_fast(a, b, out);
	case VT_STEP_EQ:
	case VT_STEP_NE:
		*out = vt_mkbool(vt_step_same(rt, a, b) == (op == VT_STEP_EQ));
		return true;
	}
	return vt_step_compare(op, a, b, out);
}

/* Both ask whether b > a; of two that are equal max() gives the first and min() the second. */
static bool
take_extreme(unsigned op, const number *a, const number *b, number *out)
{
	bool greater;
	double x, y;

	if (vt_both_int(a->v, b->v))
		greater = (int64_t)b->v > (int64_t)a->v;
	else if (real_of(a, &x) && real_of(b, &y))
		greater = y > x;
	else
		return false;
	*out = greater == (op == RUN_MAX) ? *b : *a;
	return true;
}

static inline bool
two_sides(vt_rt *rt, unsigned op, const number *a, const number *b, number *out)
{
	double x, y;

	if (op >= RUN_MAX)
		return take_extreme(op, a, b, out);
	if (!is_real(a) && !is_real(b))
		return compute_words(rt, op, a->v, b->v, &out->v);
	return real_of(a, &x) && real_of(b, &y) && compute_reals(op, x, y, out);
}

/* Is the step not to be done?  What it is not for is left open where that may be. */
static bool
is_left(const step *s, uint32_t i, number *out, bool *good)
{
	number of;

	*good = true;
	if (load(&s->guard, i, &of) && truth(&of) == ((s->flags & VT_STEP_UNLESS) == 0))
		return false;
	*out = NOTHING;
	*good = (s->flags & VT_STEP_SOFT) != 0;
	return true;
}

static bool
choose(const step *s, uint32_t i, number *out)
{
	number c;

	return load(&s->c, i, &c) && load(truth(&c) ? &s->a : &s->b, i, out);
}

/* The value of a step for the i-th item; false: it is not for these. */
static inline bool
do_step(run *u, const step *s, uint32_t i, number *out)
{
	number a, b;
	bool good;

	if (unlikely(s->guarded) && is_left(s, i, out, &good))
		return good;
	if (s->op == VT_STEP_CHOOSE)
		return choose(s, i, out);
	if (!load(&s->a, i, &a))
		return false;
	switch (s->op) {
	case VT_STEP_NOT: out->v = vt_mkbool(!truth(&a)); return true;
	case VT_STEP_AND:
	case VT_STEP_OR: *out = a; return truth(&a) == (s->op == VT_STEP_OR) || load(&s->b, i, out);
	}
	return load(&s->b, i, &b) && two_sides(u->rt, s->op, &a, &b, out);
}

/* ---- a run ---- */

static vt_value
value_of(vt_rt *rt, const number *x)
{
	return is_real(x) ? vt_mkfloat(rt, x->d) : x->v;
}

static bool
do_item(run *u, uint32_t i)
{
	for (uint32_t k = 0; k < u->nsteps; k++)
		if (!do_step(u, &u->step[k], i, &u->r[u->step[k].r]))
			return false;
	return true;
}

/* Integers that are added to the sum, or taken from it: the one step there is. */
static uint32_t
add_up(run *u, uint32_t i, uint32_t n, vt_value *each)
{
	const step *s = &u->step[0];
	const vt_value *v = s->b.column;
	vt_value sum = u->sum.v;

	if (u->nsteps != 1 || s->guarded || s->a.at != &u->sum || v == NULL ||
		(s->op != VT_STEP_ADD && s->op != VT_STEP_SUB))
		return i;
	for (; i < n; i++) {
		if (!(s->op == VT_STEP_ADD ? vt_add_fast(sum, v[i], &sum)
					   : vt_sub_fast(sum, v[i], &sum)))
			break;
		if (each != NULL)
			*each++ = sum;
	}
	u->sum.v = sum;
	return i;
}

/* ---- lists and records of numbers ---- */

/* The members of a list or record that an item before has made; NULL: it is another value. */
static const vt_value *
members(const vt_fold *f, vt_value sum)
{
	const vt_dict *d;

	if (!vt_is_ptr(sum) || !vt_is_final(sum))
		return NULL;
	if (f->whole == VT_FOLD_LIST)
		return vt_is(sum, TUPLE) && vt_as_list(sum)->n == f->nparts ? vt_as_list(sum)->v
									    : NULL;
	d = vt_as_dict(sum);
	return vt_is(sum, DICT) && d->shape != NULL && d->n == f->nparts &&
			       d->shape == vt_ic_at(f->s->rt, f->t->ic)->key
		       ? d->v
		       : NULL;
}

static bool
read_parts(const vt_fold *f, run *u, vt_value sum)
{
	const vt_value *v = f->whole != VT_FOLD_ADDED ? members(f, sum) : NULL;

	if (f->whole == VT_FOLD_ADDED ? !vt_is_ptr(sum) || !vt_is(sum, DICT) || !vt_is_final(sum)
				      : v == NULL)
		return false;
	for (uint32_t k = 0; k < f->nparts; k++)
		if (!number_of(v != NULL ? v[k]
					 : vt_dict_get(vt_as_dict(sum), vt_mkptr(f->part_key[k])),
			    &u->part[k]))
			return false;
	return true;
}

/* What the parts of `sum` have become, or VT_UNDEF. */
static vt_value
whole_of(const vt_fold *f, const run *u, vt_value sum)
{
	vt_value v[VT_FOLD_PARTS], pairs[2 * VT_FOLD_PARTS], made = VT_UNDEF;
	vt_status st = VT_OK;

	for (uint32_t k = 0; k < f->nparts; k++) {
		pairs[2 * k] = f->part_key[k] != NULL ? vt_mkptr(f->part_key[k]) : VT_NULL;
		pairs[2 * k + 1] = v[k] = value_of(u->rt, &u->part[k]);
	}
	if (f->whole == VT_FOLD_LIST)
		st = vt_tuple_of(u->rt, f->nparts, v, &made);
	else if (f->whole == VT_FOLD_RECORD)
		st = vt_record_of(u->rt, vt_ic_at(u->rt, f->t->ic), f->nparts, pairs, &made);
	else
		made = vt_mkptr(vt_dict_copy(u->rt, vt_as_dict(sum), true));
	for (uint32_t k = 0; k < f->nparts; k++) {
		if (f->whole == VT_FOLD_ADDED && f->into[k] != VT_STEP_K)
			vt_move(vt_dict_slot(vt_as_dict(made), pairs[2 * k]), vt_copy(v[k]));
		vt_release(v[k]);
	}
	if (st != VT_OK)
		vt_exc_clear(u->rt);
	return st == VT_OK ? made : VT_UNDEF;
}

/* The parts that the i-th item makes. */
static bool
do_parts(const vt_fold *f, run *u, uint32_t i)
{
	number next[VT_FOLD_PARTS];

	if (!do_item(u, i))
		return false;
	for (uint32_t k = 0; k < f->nparts; k++)
		if (f->into[k] != VT_STEP_K && !load(&u->next[k], i, &next[k]))
			return false;
	for (uint32_t k = 0; k < f->nparts; k++)
		if (f->into[k] != VT_STEP_K)
			u->part[k] = next[k];
	return true;
}

/* Items up to n; *sum is what they make of it.  How many it was for. */
static uint32_t
run_parts(const vt_fold *f, run *u, uint32_t from, uint32_t n, vt_value *sum, vt_value *each)
{
	vt_value made = VT_UNDEF;
	uint32_t i = from;

	for (uint32_t k = 0; k < f->nparts; k++)
		if (f->into[k] != VT_STEP_K)
			u->next[k] = operand_of(f, u, f->into[k], &u->nothing);
	while (i < n && do_parts(f, u, i)) {
		i++;
		if (each == NULL)
			continue;
		if ((made = whole_of(f, u, *sum)) == VT_UNDEF)
			break;
		each[i - from - 1] = made;
	}
	if (i > from && each == NULL && (made = whole_of(f, u, *sum)) == VT_UNDEF)
		return 0;
	if (i > from && each != NULL && made == VT_UNDEF)
		i--;
	if (i > from)
		vt_move(sum, each == NULL ? made : vt_copy(each[i - from - 1]));
	return i - from;
}

static bool
open_run(const vt_fold *f, run *u, vt_value sum)
{
	if (f->whole != VT_FOLD_VALUE ? !read_parts(f, u, sum) : !number_of(sum, &u->sum))
		return false;
	u->rt = f->s->rt;
	u->nsteps = 0;
	u->nothing = NOTHING;
	for (uint32_t k = 0; k < f->nsteps; k++) {
		uint8_t r = f->step[k];
		if (f->t->t[r].op != VT_STEP_ITEM && f->part[r] == VT_STEP_K && !makes_whole(f, r))
			add_step(f, u, r);
	}
	return u->nsteps > 0;
}

uint32_t
vt_fold_run(vt_fold *f, uint32_t from, uint32_t n, vt_value *sum, vt_value *each)
{
	uint32_t i = from;
	number *result;
	run u;

	if (!f->plain || vt_patience_waits(&f->odd) || from == n || !open_run(f, &u, *sum))
		return 0;
	if (f->whole != VT_FOLD_VALUE) {
		i += run_parts(f, &u, from, n, sum, each);
		vt_patience_tell(&f->odd, i > from);
		if (from == 0 && i > from)
			vt_patience_tell(&f->failed, true);
		return i - from;
	}
	result = &u.r[f->t->out[0]];
	i = add_up(&u, i, n, each);
	for (; i < n && do_item(&u, i) && result->v != VT_NOVALUE; i++) {
		copy_number(&u.sum, result);
		if (each != NULL)
			each[i - from] = value_of(u.rt, &u.sum);
	}
	if (i > from)
		vt_move(sum, value_of(u.rt, &u.sum));
	vt_patience_tell(&f->odd, i > from);
	if (from == 0 && i > from)
		vt_patience_tell(&f->failed, true);
	return i - from;
}
