/* sets.c - operators and methods of sets: rows of lib/collections.fn. */
#include "runtime/core/args.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/lib/query.h"
#include "runtime/seq/seq.h"
#include "registry.h"

/* The set itself, or a view's members as one. */
static vt_status
members(vt_rt *rt, vt_value v, vt_value *out)
{
	vt_value iter = VT_UNDEF;
	vt_status st;
	if (vt_is(v, SET)) {
		*out = vt_copy(v);
		return VT_OK;
	}
	VT_TRY(vt_iterate(rt, v, &iter));
	st = vt_set_from(rt, iter, out);
	vt_release(iter);
	return st;
}

enum set_op { SET_UNION, SET_INTERSECTION, SET_DIFFERENCE, SET_SYMMETRIC };

static vt_set *
combine(vt_rt *rt, enum set_op op, const vt_set *x, const vt_set *y)
{
	vt_set *s = vt_set_new(rt);
	switch (op) {
	case SET_UNION:
		vt_set_take(rt, s, x, NULL, true);
		vt_set_take(rt, s, y, NULL, true);
		((vt_head *)(void *)s)->aux =
			(uint16_t)vt_py_union_slots(vt_set_len(x), vt_set_len(y));
		break;
	case SET_INTERSECTION: vt_set_take(rt, s, x, y, true); break;
	case SET_DIFFERENCE: vt_set_take(rt, s, x, y, false); break;
	case SET_SYMMETRIC:
		vt_set_take(rt, s, x, y, false);
		vt_set_take(rt, s, y, x, false);
		break;
	}
	return s;
}

vt_value
vt_set_sum(vt_rt *rt, vt_value x, vt_value y)
{
	return vt_mkptr(combine(rt, SET_UNION, vt_as_set(x), vt_as_set(y)));
}

/* The view of a dict is a set but has none of these methods. */
static vt_status
set_method(vt_rt *rt, enum set_op op, vt_value x, vt_value y, vt_value *out)
{
	static const char *const names[] = {
		"union", "intersection", "difference", "symmetric_difference"};
	vt_value other = VT_UNDEF;
	if (!vt_is(x, SET))
		return vt_raise(rt, VT_E_ATTRIBUTE, "'%s' object has no attribute '%s'",
			vt_py_type(x), names[op]);
	VT_TRY(members(rt, y, &other));
	*out = vt_mkptr(combine(rt, op, vt_as_set(x), vt_as_set(other)));
	vt_release(other);
	return VT_OK;
}

static vt_value
quick_method(vt_rt *rt, enum set_op op, const vt_value *v)
{
	return vt_is(v[0], SET) && vt_is(v[1], SET)
		       ? vt_mkptr(combine(rt, op, vt_as_set(v[0]), vt_as_set(v[1])))
		       : VT_UNDEF;
}

#define SET_METHOD(name, op) \
	vt_value vt_quick_set_##name(vt_rt *rt, const vt_value *v) \
	{ \
		return quick_method(rt, op, v); \
	} \
	vt_status vt_lib_set_##name(vt_args *a, vt_value *out) \
	{ \
		return set_method(a->rt, op, a->v[0], a->v[1], out); \
	}
SET_METHOD(intersect, SET_INTERSECTION)
SET_METHOD(difference, SET_DIFFERENCE)
SET_METHOD(symmetric_difference, SET_SYMMETRIC)

/* add() and remove(): the rest arguments are the other set. */
static vt_status
with_rest(vt_args *a, enum set_op op, vt_value *out)
{
	vt_set *s = vt_set_new(a->rt);
	vt_status st = VT_OK;
	if (vt_is(a->v[0], SET))
		for (uint32_t i = 0; i < a->nrest && st == VT_OK; i++)
			st = vt_set_add(a->rt, s, a->rest[i]);
	if (st == VT_OK)
		st = set_method(a->rt, op, a->v[0], vt_mkptr(s), out);
	vt_release(vt_mkptr(s));
	return st;
}

/* The values into the set itself, where nobody else holds it. */
static bool
adds_in_place(vt_args *a, uint32_t n, const vt_value *values, vt_status *st, vt_value *out)
{
	vt_set *s = vt_as_set(a->v[0]);
	uint32_t before, after;
	if (!vt_is(a->v[0], SET) || !vt_fold_may_change(a))
		return false;
	before = vt_set_len(s);
	*st = VT_OK;
	for (uint32_t i = 0; i < n && *st == VT_OK; i++)
		*st = vt_set_add(a->rt, s, values[i]);
	after = vt_set_len(s);
	vt_head_of(a->v[0])->aux = (uint16_t)vt_py_union_slots(before, after - before);
	if (*st == VT_OK)
		*out = vt_copy(a->v[0]);
	return true;
}

/* In a fold, the set may be one that changes in its place. */
vt_value
vt_quick_set_union(vt_rt *rt, const vt_value *v)
{
	return rt->s->spare != v[0] ? quick_method(rt, SET_UNION, v) : VT_UNDEF;
}

/* The same of another set's. */
vt_status
vt_lib_set_union(vt_args *a, vt_value *out)
{
	vt_value items = VT_UNDEF;
	vt_status st;
	bool done;
	if (!vt_is(a->v[1], SET) || a->v[0] == a->v[1] || a->rt->s->spare != a->v[0])
		return set_method(a->rt, SET_UNION, a->v[0], a->v[1], out);
	VT_TRY(vt_to_tuple(a->rt, NULL, a->v[1], &items));
	done = adds_in_place(a, vt_as_list(items)->n, vt_as_list(items)->v, &st, out);
	vt_release(items);
	return done ? st : set_method(a->rt, SET_UNION, a->v[0], a->v[1], out);
}

vt_status
vt_lib_set_add(vt_args *a, vt_value *out)
{
	vt_status st;
	if (adds_in_place(a, a->nrest, a->rest, &st, out))
		return st;
	return with_rest(a, SET_UNION, out);
}

vt_status
vt_lib_set_remove(vt_args *a, vt_value *out)
{
	return with_rest(a, SET_DIFFERENCE, out);
}

/* Is x a subset of y, and (proper) a smaller one? */
static vt_status
subset(vt_rt *rt, vt_value x, vt_value y, bool proper, vt_value *out)
{
	vt_value sx = VT_UNDEF, sy = VT_UNDEF;
	vt_status st = members(rt, x, &sx);
	if (st == VT_OK)
		st = members(rt, y, &sy);
	if (st == VT_OK)
		*out = vt_mkbool(vt_set_len(vt_as_set(sx)) + proper <= vt_set_len(vt_as_set(sy)) &&
				 vt_set_within(vt_as_set(sx), vt_as_set(sy)));
	vt_release(sx);
	vt_release(sy);
	return st;
}

/* The same of two sets. */
static inline vt_value
is_within(const vt_value *v, uint32_t x, bool proper)
{
	const vt_set *a, *b;
	if (!vt_is(v[0], SET) || !vt_is(v[1], SET))
		return VT_UNDEF;
	a = vt_as_set(v[x]);
	b = vt_as_set(v[!x]);
	return vt_mkbool(vt_set_len(a) + proper <= vt_set_len(b) && vt_set_within(a, b));
}

vt_value
vt_quick_set_lt(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	return is_within(v, 0, true);
}

vt_value
vt_quick_set_le(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	return is_within(v, 0, false);
}

vt_value
vt_quick_set_gt(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	return is_within(v, 1, true);
}

vt_value
vt_quick_set_ge(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	return is_within(v, 1, false);
}

vt_status
vt_lib_set_lt(vt_args *a, vt_value *out)
{
	return subset(a->rt, a->v[0], a->v[1], true, out);
}

vt_status
vt_lib_set_le(vt_args *a, vt_value *out)
{
	return subset(a->rt, a->v[0], a->v[1], false, out);
}

vt_status
vt_lib_set_gt(vt_args *a, vt_value *out)
{
	return subset(a->rt, a->v[1], a->v[0], true, out);
}

vt_status
vt_lib_set_ge(vt_args *a, vt_value *out)
{
	return subset(a->rt, a->v[1], a->v[0], false, out);
}
