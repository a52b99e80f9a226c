/*
 * query.h - what the rows of lib/queries.fn share: where items come from and what a lambda says.
 *
 * What the reference writes as a generator or takes from itertools is a state machine here: v[0] is
 * the iterator it reads, v[1] and v[2] its lambdas, i[] its counters.
 */
#ifndef VT_LIB_QUERY_H
#define VT_LIB_QUERY_H

#include "runtime/core/args.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/lambda_program.h"
#include "runtime/seq/seq.h"

/* A predicate's answer. */
static inline vt_status
vt_query_test(vt_rt *rt, vt_value lambda, vt_value item, bool *yes)
{
	vt_value r = VT_UNDEF;
	VT_TRY(vt_apply(rt, lambda, 1, &item, &r));
	*yes = vt_is_true(r);
	vt_release(r);
	return VT_OK;
}

/* A selector's answer; without a selector the item itself. */
static inline vt_status
vt_query_selected(vt_rt *rt, vt_value lambda, vt_value item, vt_value *out)
{
	if (vt_is(lambda, LAMBDA))
		return vt_apply(rt, lambda, 1, &item, out);
	*out = vt_copy(item);
	return VT_OK;
}

/*
 * May the call change the first argument in its place?  It is what a fold has made so far, the call
 * is the last that the fold's lambda does with it, and nobody else holds it.
 */
static inline bool
vt_fold_may_change(vt_args *a)
{
	vt_value v = a->v[0];
	if (a->rt->s->spare != v || a->site == NULL || !(a->site->flags & VT_SITE_LAST) ||
		vt_head_of(v)->rc != 1)
		return false;
	for (uint32_t i = 1; i < a->nv; i++)
		if (a->v[i] == v)
			return false;
	for (uint32_t i = 0; i < a->nrest; i++)
		if (a->rest[i] == v)
			return false;
	a->rt->s->spare = VT_UNDEF;
	return true;
}
/* combined.c: `chain + more` in its place, where nobody else has the chain; false: it is none. */
bool vt_chain_extend(vt_args *, vt_value chain, vt_value more, vt_status *);
/* Have only so many the iterator, and nobody else what it reads of?  True of what is none. */
bool vt_is_alone(vt_value, uint32_t holders);
/* To pull items of what the argument v gives, where the rest may be left: many at a time only where
 * nobody asks for that.  iter: of vt_query_source(). */
void vt_query_pull(vt_args *, vt_value v, vt_value iter, vt_pull *);
/* How many items the first parts of a chain have, if that is known; it has given them then. */
int64_t vt_chain_pass(vt_value chain);
/* The items of y behind those of the tuple x, which nobody else holds. */
static inline vt_status
vt_extend_tuple(vt_rt *rt, vt_list *x, const vt_list *y)
{
	uint8_t final = x->h.flags & y->h.flags & VT_F_FINAL;
	if ((uint64_t)x->n + y->n > VT_MOST_ITEMS)
		return vt_too_large(rt, VT_MOST_ITEMS);
	for (uint32_t i = 0; i < y->n; i++)
		vt_list_push(rt, x, vt_copy(y->v[i]));
	x->h.flags = (uint8_t)((x->h.flags & ~VT_F_FINAL) | final);
	return VT_OK;
}

/* What VT_MOST_ITEMS is to lists, for the keys of a set or dict, which take more. */
enum { MAX_KEYS = 5000000 };

static inline vt_status
vt_query_bounded(vt_rt *rt, uint32_t nkeys)
{
	return likely(nkeys <= MAX_KEYS) ? VT_OK : vt_too_large(rt, MAX_KEYS);
}

/* *fresh: the set did not have the key yet. */
static inline vt_status
vt_query_remember(vt_rt *rt, vt_set *seen, vt_value key, bool *fresh)
{
	uint32_t before = vt_set_len(seen);
	VT_TRY(vt_set_add(rt, seen, key));
	*fresh = vt_set_len(seen) > before;
	if (*fresh && vt_metered(rt))
		VT_TRY(vt_quota_set(rt, seen));
	return vt_query_bounded(rt, before);
}

/* A list that needs no iterator: nothing counts its items. */
static inline bool
vt_query_is_open_list(const vt_args *a, vt_value v)
{
	return vt_is_sequence(v) && (a->unit == NULL || a->unit->opt.limit_iterators < 0);
}

/* ---- queries.c ---- */

/* The iterator of an Iterable argument. */
vt_status vt_query_source(vt_args *a, vt_value v, vt_value *iter);
/* A state machine over the first argument, with a lambda in v[1]. */
vt_status vt_query_machine(vt_args *a, const vt_iter_ops *ops, vt_value lambda, vt_iter **out);
/* The same as a result. */
vt_status vt_query_lazily(vt_args *a, const vt_iter_ops *ops, vt_value lambda, vt_value *out);
/* v as what can be iterated more than once. */
vt_status vt_query_memorized(vt_args *a, vt_value v, vt_value *out);

/* ---- pieces.c ---- */

/* distinct() */
extern const vt_iter_ops vt_query_distinct_ops;

/* A set of what the iterator gives; of the members of both. */
vt_status vt_set_from(vt_rt *, vt_value iter, vt_value *out);
vt_value vt_set_sum(vt_rt *, vt_value x, vt_value y);

#endif
