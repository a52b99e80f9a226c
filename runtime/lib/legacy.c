/* legacy.c - rows of lib/legacy.fn that are not those of the standard library under another
 * kind. */
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "runtime/seq/seq.h"
#include "registry.h"
#include "runtime/core/args.h"

#include <string.h>

vt_status
vt_lib_legacy_to_list(vt_args *a, vt_value *out)
{
	return vt_collect(a->rt, a->unit, a->v[0], VT_K_LIST, out);
}

vt_status
vt_lib_legacy_dict(vt_args *a, vt_value *out)
{
	vt_dict *d = vt_dict_new(a->rt, true);
	bool strings = true;
	vt_status st = VT_OK;
	for (uint32_t i = 0; i < a->nrest && st == VT_OK; i++) {
		const vt_list *t = vt_as_list(a->rest[i]);
		if (t->n < 2)
			st = vt_raise(a->rt, VT_E_STOP_ITERATION, "%s", "");
		else
			st = vt_dict_set(a->rt, d, t->v[0], t->v[1]);
		if (st == VT_OK && vt_metered(a->rt))
			st = vt_quota_dict(a->rt, d, t->v[0], &strings);
	}
	return vt_settle(st, vt_mkptr(d), out);
}

vt_status
vt_lib_legacy_dict_attr(vt_args *a, vt_value *out)
{
	vt_value v = vt_dict_get(vt_as_dict(a->v[0]), a->v[1]);
	*out = v == VT_UNDEF ? VT_NULL : vt_copy(v);
	return VT_OK;
}

/* The compiler hands over a chain as one call: 1 => 2 => 3 has 3 in rest. */
vt_status
vt_lib_legacy_pair(vt_args *a, vt_value *out)
{
	vt_value left = VT_UNDEF;
	vt_list *t;
	VT_TRY(vt_apply(a->rt, a->v[0], 0, NULL, &left));
	t = vt_list_grow(a->rt, VT_K_TUPLE, a->nrest + 2);
	vt_list_push(a->rt, t, left);
	vt_list_push(a->rt, t, vt_copy(a->v[1]));
	vt_list_extend(a->rt, t, a->nrest, a->rest);
	*out = vt_mkptr(t);
	return VT_OK;
}

/* ---- pairs for as() and switch() ------------------------------------------------------------- */

struct pair {
	vt_value left, right;
};

static void
drop_pair(struct pair *p)
{
	vt_clear(&p->left);
	vt_clear(&p->right);
}

/* A tuple where => is an operator; where it is not, the two sides as lambdas. Both are
 * evaluated. */
static vt_status
take_pair(vt_args *a, vt_value lambda, vt_scope *sc, uint32_t n, const vt_value *args,
	const char *size, const char *kind, struct pair *p)
{
	vt_value v = VT_UNDEF;
	*p = (struct pair){VT_UNDEF, VT_UNDEF};
	if (vt_is(lambda, MAPPING)) {
		VT_TRY(vt_apply_in(a->rt, VT_AS(vt_mapping, lambda)->key, sc, n, args, &p->left));
		return vt_apply_in(a->rt, VT_AS(vt_mapping, lambda)->value, sc, n, args, &p->right);
	}
	VT_TRY(vt_apply_in(a->rt, lambda, sc, n, args, &v));
	if (!vt_is(v, TUPLE) || vt_as_list(v)->n != 2) {
		vt_status st = vt_raise(a->rt, VT_E_VALUE, "%s", vt_is(v, TUPLE) ? size : kind);
		vt_release(v);
		return st;
	}
	p->left = vt_copy(vt_as_list(v)->v[0]);
	p->right = vt_copy(vt_as_list(v)->v[1]);
	vt_release(v);
	return VT_OK;
}

static vt_status
set_variable(vt_rt *rt, vt_scope *sc, vt_value name, vt_value v)
{
	vt_value stripped;
	if (!vt_is(name, STR))
		return vt_raise(rt, VT_E_ATTRIBUTE, "'%s' object has no attribute 'startswith'",
			vt_py_type(name));
	stripped = vt_str_c(rt, vt_as_str(name)->s + (vt_as_str(name)->s[0] == '$'));
	vt_scope_set(rt, sc, vt_as_str(stripped), v);
	vt_release(stripped);
	return VT_OK;
}

/* "$0" is where the receiver stands, for the method calls that the context passes on to it. */
vt_status
vt_lib_legacy_as(vt_args *a, vt_value *out)
{
	vt_scope *sc = vt_scope_child(a->rt, a->scope, 0, NULL);
	vt_value zero = vt_str_c(a->rt, "0");
	vt_status st = VT_OK;
	for (uint32_t i = 0; i < a->nrest && st == VT_OK; i++) {
		struct pair p;
		st = take_pair(a, a->rest[i], sc, 1, a->v, "as() tuples must be of size 2",
			"as() must have tuple parameters", &p);
		if (st == VT_OK)
			st = set_variable(a->rt, sc, p.right, p.left);
		drop_pair(&p);
	}
	vt_scope_set(a->rt, sc, vt_as_str(zero), a->v[0]);
	vt_release(zero);
	if (st == VT_OK)
		*out = vt_mkptr(sc);
	else
		vt_scope_drop(sc);
	return st;
}

static vt_status
try_case(vt_args *a, vt_value lambda, vt_scope *sc, bool *hit, vt_value *out)
{
	struct pair p;
	vt_status st = take_pair(a, lambda, sc, 0, NULL, "switch() tuples must be of size 2",
		"switch() must have tuple or mapping parameters", &p);
	*hit = st == VT_OK && vt_truth(p.left);
	if (*hit)
		*out = vt_copy(p.right);
	drop_pair(&p);
	return st;
}

vt_status
vt_lib_legacy_switch(vt_args *a, vt_value *out)
{
	vt_scope *sc = vt_scope_child(a->rt, a->scope, 1, a->v);
	vt_status st = VT_OK;
	bool hit = false;
	for (uint32_t i = 0; i < a->nrest && st == VT_OK && !hit; i++)
		st = try_case(a, a->rest[i], sc, &hit, out);
	if (st == VT_OK && !hit)
		*out = VT_NULL;
	vt_scope_drop(sc);
	return st;
}

/* ---- indexer, range -------------------------------------------------------------------------- */

static vt_status
item_at(vt_rt *rt, const vt_list *l, vt_value index, vt_value *out)
{
	int64_t i;
	bool fits = vt_int_fits(index, &i);
	if (fits && i < 0)
		i += l->n;
	if (!fits || i < 0 || i >= l->n)
		return vt_raise(rt, VT_E_INDEX, "%s index out of range",
			l->h.kind == VT_K_TUPLE ? "tuple" : "list");
	*out = vt_copy(l->v[i]);
	return VT_OK;
}

/* v[0] the collection's iterator, v[1] the predicate. */
static vt_status
next_filtered(vt_rt *rt, vt_iter *it, vt_value *out)
{
	for (;;) {
		vt_value v = VT_UNDEF, r = VT_UNDEF;
		vt_status st;
		*out = VT_UNDEF;
		VT_TRY(vt_next(rt, it->v[0], &v));
		if (v == VT_UNDEF)
			return VT_OK;
		st = vt_apply(rt, it->v[1], 1, &v, &r);
		if (st == VT_OK && vt_truth(r)) {
			vt_release(r);
			*out = v;
			return VT_OK;
		}
		vt_release(r);
		vt_release(v);
		VT_TRY(st);
	}
}

static const vt_iter_ops filter_ops = {next_filtered, NULL, "filter", 48, NULL};

vt_status
vt_lib_legacy_indexer(vt_args *a, vt_value *out)
{
	vt_value index = VT_UNDEF, source = VT_UNDEF;
	vt_iter *it;
	if (vt_is_sequence(a->v[0])) {
		vt_status st;
		VT_TRY(vt_apply(a->rt, a->v[1], 0, NULL, &index));
		if (vt_is_integer(index)) {
			st = item_at(a->rt, vt_as_list(a->v[0]), index, out);
			vt_release(index);
			return st;
		}
		vt_release(index);
	}
	VT_TRY(vt_iterate_limited(a->rt, a->unit, a->v[0], &source));
	it = vt_iter_new(a->rt, &filter_ops);
	it->v[0] = source;
	it->v[1] = vt_copy(a->v[1]);
	*out = vt_mkptr(it);
	return VT_OK;
}

/* i[0] the next integer; without an end. */
static vt_status
next_count(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value step = vt_mkint(1), sum = VT_UNDEF;
	*out = vt_copy(it->v[0]);
	if (vt_num_binary(rt, VT_OP_ADD, it->v[0], step, &sum) != VT_OK) {
		vt_clear(out);
		return VT_ERROR;
	}
	vt_move(&it->v[0], sum);
	return VT_OK;
}

/* i[0] the next integer, i[1] the end. */
static vt_status
next_in_range(vt_rt *rt, vt_iter *it, vt_value *out)
{
	*out = it->i[0] < it->i[1] ? vt_int_new(rt, it->i[0]++) : VT_UNDEF;
	return VT_OK;
}

static const vt_iter_ops count_ops = {next_count, NULL, "count", 56, NULL};
static const vt_iter_ops range_ops = {next_in_range, NULL, "range", 48, NULL};
enum { LISTED = 100000 };

static vt_value
start_of(vt_value v)
{
	return vt_is_bool(v) ? vt_mkint(v == VT_TRUE) : vt_copy(v);
}

/*
 * A range is a sequence of its own kind to the reference: with a length, read as often as one
 * likes. A list serves; one that nobody could want in memory is an iterator.
 */
vt_status
vt_lib_legacy_range(vt_args *a, vt_value *out)
{
	int64_t from, to;
	vt_iter *it;
	vt_list *l;
	if (a->v[1] == VT_NULL) {
		it = vt_iter_new(a->rt, &count_ops);
		it->v[0] = start_of(a->v[0]);
		*out = vt_mkptr(it);
		return VT_OK;
	}
	if (!vt_int_fits(a->v[0], &from) || !vt_int_fits(a->v[1], &to))
		return vt_raise(a->rt, VT_E_OVERFLOW, "range() takes integers of 64 bits");
	if (from >= to || (uint64_t)to - (uint64_t)from <= LISTED) {
		l = vt_list_grow(a->rt, VT_K_LIST, from < to ? (uint32_t)(to - from) : 0);
		for (; from < to; from++)
			vt_list_push(a->rt, l, vt_int_new(a->rt, from));
		*out = vt_mkptr(l);
		return VT_OK;
	}
	it = vt_iter_new(a->rt, &range_ops);
	it->i[0] = from;
	it->i[1] = to;
	*out = vt_mkptr(it);
	return VT_OK;
}
