/*
 * fold.c - lambdas of folds, by the batch: `$1` is what was made so far, `$2` the next item.
 *
 * The steps that depend on `$2` alone are worked out for many items at once.  What is left are the
 * steps that need `$1`: they are done item by item, in the place of the item in the batch.
 */
#include "runtime/seq/fold.h"
#include "runtime/seq/word.h"

#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 4 };

static bool
reads_left(const vt_lambda_step *x)
{
	return x->op != VT_STEP_ITEM && x->op != VT_STEP_CONST && x->op != VT_STEP_DYN &&
	       x->op != VT_STEP_OUTER && !vt_step_makes(x) && x->a != VT_STEP_K;
}

static bool
has_two_sides(const vt_lambda_step *x)
{
	return (x->op >= VT_STEP_ADD && x->op <= VT_STEP_NE) || x->op == VT_STEP_AND ||
	       x->op == VT_STEP_OR || x->op == VT_STEP_CHOOSE;
}

static bool
has_third(const vt_lambda_step *x)
{
	return x->op == VT_STEP_CHOOSE || x->op == VT_STEP_NEST;
}

uint64_t
vt_step_operands(const vt_lambda_step *x)
{
	uint64_t of = 0;

	if (reads_left(x))
		of |= UINT64_C(1) << x->a;
	if (has_two_sides(x) && x->b != VT_STEP_K)
		of |= UINT64_C(1) << x->b;
	if (has_third(x) && x->c != VT_STEP_K)
		of |= UINT64_C(1) << x->c;
	if (x->guard != VT_STEP_K)
		of |= UINT64_C(1) << x->guard;
	for (uint32_t i = 0; i < x->n; i++)
		if (x->args[i] != VT_STEP_K)
			of |= UINT64_C(1) << x->args[i];
	return of;
}

/* Loops over texts begin at the first item of a batch. */
static bool
wants_texts(const vt_lambda_step *x)
{
	return (x->op >= VT_STEP_UPPER && x->op <= VT_STEP_FIND) || x->op >= VT_STEP_PIECE;
}

/* Is the register read only once, by a step that takes it in that way? */
static bool
is_only(const vt_fold *f, uint32_t r, bool (*way)(const vt_fold *, uint32_t step, uint32_t r))
{
	uint32_t uses = 0, good = 0;

	for (uint32_t k = r + 1; k < f->t->n; k++) {
		if (!(vt_step_operands(&f->t->t[k]) >> r & 1))
			continue;
		uses++;
		good += way(f, k, r);
	}
	for (uint32_t k = 0; k < f->t->nout; k++)
		uses += f->t->out[k] == r;
	return uses == 1 && good == 1;
}

/* Is the left side or the receiver of the step another one, which needs $1? */
static bool
is_on_sum(const vt_fold *f, const vt_lambda_step *x, uint32_t r)
{
	return x->a != VT_STEP_K && x->a != r && (f->needs >> x->a & 1);
}

static bool
is_added_by(const vt_fold *f, uint32_t step, uint32_t r)
{
	const vt_lambda_step *x = &f->t->t[step];

	return x->op == VT_STEP_ADD && x->b == r && is_on_sum(f, x, r);
}

/* As what a set is united with, or so. */
static bool
is_united_by(const vt_fold *f, uint32_t step, uint32_t r)
{
	const vt_lambda_step *x = &f->t->t[step];

	return x->op == VT_STEP_CALL && x->n == 1 && is_on_sum(f, x, r);
}

/* By mergeWith(), or as a value of a dict that is. */
static bool
is_merged_by(const vt_fold *f, uint32_t step, uint32_t r)
{
	const vt_lambda_step *x = &f->t->t[step];
	const vt_site *site = x->by;

	return f->merged >> step & 1 ||
	       (x->op == VT_STEP_CALL && x->n >= 1 && x->args[0] == r && site->nargs == x->n &&
		       strcmp(site->name->s, "mergeWith") == 0 && is_on_sum(f, x, r));
}

static bool
makes_dict(const vt_lambda_step *x)
{
	return x->op == VT_STEP_DICT || x->op == VT_STEP_MAP;
}

static void
find_needs(vt_fold *f)
{
	const vt_lambda_program *t = f->t;

	for (uint32_t r = 0; r < t->n; r++) {
		const vt_lambda_step *x = &t->t[r];
		bool seed = x->op == VT_STEP_ITEM && x->a == 0;
		if (seed || (vt_step_operands(x) & f->needs) != 0)
			f->needs |= UINT64_C(1) << r;
	}
	/* a list, dict or set that is only added need not be made: fold_place.c */
	for (uint32_t r = 0; r < t->n; r++)
		if (vt_step_makes(&t->t[r]) && is_only(f, r, is_added_by))
			f->needs |= UINT64_C(1) << r;
	for (uint32_t r = 0; r < t->n; r++)
		if (vt_fold_makes_set(&t->t[r]) && is_only(f, r, is_united_by))
			f->needs |= UINT64_C(1) << r;
	for (uint32_t r = t->n; r-- > 0;)
		if (makes_dict(&t->t[r]) && is_only(f, r, is_merged_by))
			f->merged |= UINT64_C(1) << r;
	f->needs |= f->merged;
}

static bool
sort_steps(vt_fold *f)
{
	find_needs(f);
	for (uint32_t r = 0; r < f->t->n; r++) {
		if (!(f->needs >> r & 1))
			continue;
		if (wants_texts(&f->t->t[r]))
			return false;
		f->step[f->nsteps++] = (uint8_t)r;
	}
	return true;
}

vt_fold *
vt_fold_new(vt_rt *rt, vt_value lambda)
{
	const vt_lambda_program *t = vt_lambda_program_of(rt, lambda, 2);

	if (t == NULL || t->nargs > 2 || !vt_program_is_closed(rt, t, vt_scope_of(lambda)))
		return NULL;
	return vt_fold_of(rt, t, vt_scope_of(lambda));
}

vt_fold *
vt_fold_of(vt_rt *rt, const vt_lambda_program *t, vt_scope *scope)
{
	vt_fold *f = vt_xmalloc(sizeof *f);

	*f = (vt_fold){.t = t};
	if (!sort_steps(f)) {
		free(f);
		return NULL;
	}
	f->s = vt_batch_new(rt, scope);
	f->s->kept = f->kept;
	vt_fold_plan(f);
	f->plain = vt_fold_is_plain(f);
	vt_fold_look_inside(f);
	return f;
}

void
vt_fold_nest(vt_fold *f, const vt_batch *up, const uint8_t *outer, const uint8_t *of)
{
	f->s->up = up;
	f->s->still = up->still;
	f->s->outer = outer;
	f->s->seg = of;
}

void
vt_fold_free(vt_fold *f)
{
	if (f == NULL)
		return;
	vt_fold_leave_inside(f);
	vt_merge_end(&f->merge);
	f->s->kept = NULL;
	vt_batch_free(f->s);
	for (uint32_t r = 0; r < VT_STEPS_MOST; r++)
		free(f->kept[r]);
	free(f);
}

/* The columns of what depends on $1: nothing is there yet. */
static void
blank(vt_fold *f, uint32_t n)
{
	for (uint32_t k = 0; k < f->nsteps; k++) {
		vt_value *v = vt_batch_values(f->s, f->step[k]);
		for (uint32_t i = 0; i < n; i++)
			v[i] = VT_UNDEF;
	}
}

/* The values that steps read, in the registers' own places, where quick steps find them. */
static void
gather(vt_fold *f, uint32_t n, uint64_t of)
{
	vt_batch *s = f->s;

	for (; of != 0; of &= of - 1) {
		uint32_t r = (uint32_t)__builtin_ctzll(of);
		vt_value *v = s->v + (size_t)r * VT_BULK;
		if (s->col[r] == v)
			continue;
		for (uint32_t i = 0; i < n; i++)
			v[i] = s->col[r] != NULL ? s->col[r][i] : VT_UNDEF;
	}
}

uint32_t
vt_fold_fill(vt_fold *f, uint32_t n, const vt_value *items)
{
	uint64_t read = 0;

	if (f->lost || vt_patience_waits(&f->lean) || vt_patience_waits(&f->failed))
		return 0;
	n = vt_batch_fill_but(f->s, f->t, n, items, f->needs);
	if (n > 0) {
		blank(f, n);
		for (uint32_t k = 0; k < f->nsteps; k++)
			read |= vt_step_operands(&f->t->t[f->step[k]]);
		for (uint32_t k = 0; k < f->t->nout; k++)
			read |= UINT64_C(1) << f->t->out[k];
		read &= ~f->needs;
		vt_batch_strings(f->s, f->t, read);
		gather(f, n, read);
	}
	vt_fold_begin_inside(f);
	vt_patience_tell(&f->lean, n >= FEW);
	return n;
}

static bool
result(vt_fold *f, uint32_t i, vt_value *out)
{
	const vt_lambda_program *t = f->t;
	vt_batch *s = f->s;
	vt_value v[VT_STEPS_MOST], pairs[2 * VT_STEPS_MOST];
	vt_status st = VT_OK;

	for (uint32_t k = 0; k < t->nout; k++) {
		v[k] = s->col[t->out[k]][i];
		pairs[2 * k] = t->kind == VT_PROGRAM_RECORD ? vt_mkptr(t->keys[k]) : VT_NULL;
		pairs[2 * k + 1] = v[k];
		if (v[k] == VT_UNDEF)
			return false;
	}
	switch ((enum vt_lambda_program_kind)t->kind) {
	case VT_PROGRAM_VALUE: *out = vt_copy(v[0]); break;
	case VT_PROGRAM_LIST: st = vt_tuple_of(s->rt, t->nout, v, out); break;
	case VT_PROGRAM_RECORD:
		st = vt_record_of(s->rt, vt_ic_at(s->rt, t->ic), t->nout, pairs, out);
		break;
	}
	if (st != VT_OK)
		vt_exc_clear(s->rt);
	return st == VT_OK;
}

void
vt_fold_leave(vt_fold *f, uint32_t i)
{
	vt_batch *s = f->s;

	for (uint64_t of = s->owns & f->needs; of != 0; of &= of - 1)
		vt_clear(&s->v[(size_t)__builtin_ctzll(of) * s->cap + i]);
	s->owns &= ~f->needs;
}

/* A register's value of the item at hand; VT_UNDEF: a text, or it has none. */
static inline vt_value
word_of(const vt_batch *s, uint8_t r)
{
	return r != VT_STEP_K && s->col[r] != NULL ? s->col[r][s->at] : VT_UNDEF;
}

/* A float, which the register owns. */
static __attribute__((noinline)) bool
as_real(vt_fold *f, const vt_lambda_step *x, uint8_t r, const vt_value *v)
{
	vt_batch *s = f->s;

	if (x->op < VT_STEP_ADD || x->op > VT_STEP_DIV || v[1] == VT_UNDEF ||
		!vt_step_real(s->rt, x->op, v[0], v[1], &s->v[(size_t)r * s->cap + s->at]))
		return false;
	vt_batch_own(s, r);
	return true;
}

/* Most steps make a word of words, and own nothing. */
static inline __attribute__((always_inline)) bool
as_word(vt_fold *f, const vt_lambda_step *x, uint8_t r)
{
	vt_batch *s = f->s;
	vt_value v[3], guard;

	if (x->op > VT_STEP_LEN && x->op != VT_STEP_CHOOSE && x->op != VT_STEP_NEST)
		return false;
	if (x->guard != VT_STEP_K) {
		guard = word_of(s, x->guard);
		if (guard == VT_UNDEF || vt_is_true(guard) == ((x->flags & VT_STEP_UNLESS) != 0)) {
			s->v[(size_t)r * s->cap + s->at] = VT_UNDEF;
			return (x->flags & VT_STEP_SOFT) != 0;
		}
	}
	v[0] = word_of(s, x->a);
	v[1] = x->b != VT_STEP_K ? word_of(s, x->b) : x->heap != NULL ? vt_mkptr(x->heap) : x->k;
	v[2] = x->op == VT_STEP_CHOOSE || x->op == VT_STEP_NEST ? word_of(s, x->c) : VT_UNDEF;
	if (v[0] == VT_UNDEF && x->op != VT_STEP_CHOOSE)
		return false;
	return vt_step_word(s->rt, x, v, &s->v[(size_t)r * s->cap + s->at]) || as_real(f, x, r, v);
}

bool
vt_fold_word(vt_fold *f, uint8_t r)
{
	return as_word(f, &f->t->t[r], r);
}

/* Is the step not to be done for the item at hand? */
static inline bool
is_left(const vt_lambda_step *x, const vt_value *v)
{
	vt_value guard = v[(size_t)x->guard * VT_BULK];
	bool unless = (x->flags & VT_STEP_UNLESS) != 0;

	return guard != vt_mkbool(!unless) && (guard == VT_UNDEF || vt_is_true(guard) == unless);
}

bool
vt_fold_do(vt_fold *f, const uint8_t *step, uint32_t n, vt_value sum)
{
	vt_batch *s = f->s;
	vt_value *v = s->v + s->at;

	for (uint32_t k = 0; k < n; k++) {
		const uint8_t r = step[k];
		const vt_lambda_step *x = &f->t->t[r];
		vt_value *to = v + (size_t)r * VT_BULK;
		if (x->guard != VT_STEP_K && is_left(x, v)) {
			*to = VT_UNDEF;
			if (!(x->flags & VT_STEP_SOFT))
				return false;
		} else if (!vt_quick_step(s->rt, x, &sum, v, VT_BULK_BITS, to) &&
			   !as_word(f, x, r) && !vt_batch_one(s, x, r)) {
			return false;
		}
	}
	return true;
}

bool
vt_fold_step(vt_fold *f, uint32_t i, vt_value sum, vt_value *out)
{
	vt_batch *s = f->s;
	uint32_t n = s->n;
	bool done;

	s->at = i;
	done = !f->lost && vt_fold_do(f, f->step, f->nsteps, sum);
	s->at = 0;
	s->n = n;
	done = done && result(f, i, out);
	vt_fold_leave(f, i);
	if (i == 0)
		vt_patience_tell(&f->failed, done);
	return done;
}

/* The dicts that are merged next lie anywhere: what two of them hold is asked for while one is
 * merged. */
static void
ask_ahead(const vt_value *item, uint32_t i, uint32_t n)
{
	enum { NEXT = 2, LATER = 6, MOST = 8 };

	if (i + LATER < n && vt_is_ptr(item[i + LATER])) {
		__builtin_prefetch((const char *)(uintptr_t)item[i + LATER]);
		__builtin_prefetch((const char *)(uintptr_t)(item[i + LATER] + 64));
	}
	if (i + NEXT < n && vt_is(item[i + NEXT], DICT)) {
		const vt_dict *d = vt_as_dict(item[i + NEXT]);
		for (uint32_t k = 0; d->shape != NULL && k < d->n && k < MOST; k++)
			__builtin_prefetch((const char *)(uintptr_t)d->v[k], 1);
	}
}

bool
vt_fold_change(vt_fold *f, uint32_t i, vt_value *sum)
{
	vt_session *session = f->s->rt->s;
	vt_value spare = session->spare;
	uint32_t n = f->s->n;
	bool done;

	if (vt_fold_nests(f))
		return vt_fold_change_inside(f, i, sum);
	if (unlikely(!f->begun)) {
		f->begun = true;
		f->singles = f->singly && vt_is(*sum, DICT) && vt_dict_len(vt_as_dict(*sum)) == 0;
	}
	if ((f->spine == 0 && f->key_sum == NULL && f->path.n == 0) ||
		vt_patience_waits(&f->misses) || spare != *sum || !vt_is_ptr(*sum) ||
		vt_head_of(*sum)->rc != 1)
		return false;
	if (f->ahead != VT_STEP_K)
		ask_ahead(f->s->col[f->ahead], i, n);
	f->s->at = i;
	session->spare = VT_UNDEF;
	done = vt_fold_change_item(f, sum);
	session->spare = spare;
	f->s->at = 0;
	f->s->n = n;
	vt_fold_leave(f, i);
	vt_merge_forget(&f->merge);
	vt_patience_tell(&f->misses, done);
	if (done)
		vt_patience_tell(&f->failed, true);
	return done;
}
