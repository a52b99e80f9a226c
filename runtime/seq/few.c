/*
 * few.c - pipelines of methods over a few items, which are loops of the method: what emitted C
 * needs beside the lambdas, which stand in the loop (compiler/lower/loop.c).
 */
#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"

#include <string.h>

/* More go through lambda programs by the dozen. */
enum { LOOPS = 32 };

/* A range of words: i[2] has how many come (lib/generators.c). */
static bool
few_words(vt_rt *rt, vt_iter *it, vt_value *list)
{
	vt_list *l;

	if (it->ops->bulk == NULL || strcmp(it->ops->name, "range_iterator") != 0 ||
		it->i[2] > LOOPS)
		return false;
	l = vt_list_grow(rt, VT_K_TUPLE, (uint32_t)it->i[2]);
	l->n = it->ops->bulk(rt, it, l->cap, l->v);
	*list = vt_mkptr(l);
	return true;
}

/* Keys, values, pairs of both; or both by turns. */
static vt_value
list_of_dict(vt_rt *rt, const vt_dict *d, enum vt_few_of what)
{
	static const uint8_t views[] = {[VT_FEW_KEYS] = VT_VIEW_KEYS,
		[VT_FEW_VALUES] = VT_VIEW_VALUES,
		[VT_FEW_ITEMS] = VT_VIEW_ITEMS};
	uint32_t n = vt_dict_len(d), at = 0;
	vt_list *l = vt_list_grow(rt, VT_K_TUPLE, n * (1 + (what == VT_FEW_PAIRS)));
	vt_value k, v;

	if (what != VT_FEW_PAIRS) {
		l->n = vt_dict_read(rt, d, (enum vt_view)views[what], &at, n, l->v);
		return vt_mkptr(l);
	}
	while (vt_dict_at(d, &at, &k, &v)) {
		l->v[l->n++] = vt_copy(k);
		l->v[l->n++] = vt_copy(v);
	}
	return vt_mkptr(l);
}

static bool
few_of_view(vt_rt *rt, const vt_view_obj *view, vt_value *list)
{
	const vt_dict *d = VT_AS(vt_dict, view->dict);

	if (vt_dict_len(d) > LOOPS)
		return false;
	*list = list_of_dict(rt, d,
		view->h.aux == VT_VIEW_KEYS     ? VT_FEW_KEYS
		: view->h.aux == VT_VIEW_VALUES ? VT_FEW_VALUES
						: VT_FEW_ITEMS);
	return true;
}

/* What keys(), values() and items() would be called on. */
static bool
few_of_dict(vt_rt *rt, const vt_unit *u, vt_value source, enum vt_few_of what, vt_value *list)
{
	const vt_dict *d = vt_is(source, DICT) ? VT_AS(vt_dict, source) : NULL;

	if (d == NULL || vt_dict_len(d) > LOOPS || rt->s->host_hides || vt_metered(rt) ||
		(u->opt.limit_iterators >= 0 && vt_dict_len(d) > u->opt.limit_iterators))
		return false;
	*list = list_of_dict(rt, d, what);
	return true;
}

int
vt_few(vt_rt *rt, const vt_unit *u, vt_value source, int what, vt_value *list)
{
	if (what > VT_FEW_AGAIN)
		return few_of_dict(rt, u, source, (enum vt_few_of)what, list);
	if (!vt_pipe_takes(rt, u, source))
		return 0;
	if (vt_is_sequence(source)) {
		if (vt_as_list(source)->n > LOOPS)
			return 0;
		*list = vt_copy(source);
		return 1;
	}
	if (vt_is(source, ITER))
		return what == VT_FEW_LIST && few_words(rt, VT_AS(vt_iter, source), list);
	return vt_is(source, VIEW) && few_of_view(rt, VT_AS(vt_view_obj, source), list);
}

vt_value
vt_room(vt_rt *rt, vt_value list, int what, int times)
{
	enum { FINAL = 1, DICT, FROZEN };
	uint32_t n = vt_as_list(list)->n * (uint32_t)times;
	vt_list *l;

	if (what >= DICT)
		return vt_mkptr(vt_dict_new_cap(rt, what == FROZEN, n));
	l = vt_list_grow(rt, VT_K_TUPLE, n);
	if (what == FINAL)
		l->h.flags |= VT_F_FINAL;
	return vt_mkptr(l);
}

/* To be sure, whatever is deeper counts as one. */
static bool
has_iterators(vt_value v, uint32_t depth)
{
	enum { DEEPEST = 16 };
	vt_value key, x;

	if (vt_is_final(v))
		return false;
	if (vt_is_sequence(v) && depth < DEEPEST) {
		const vt_list *l = vt_as_list(v);
		for (uint32_t i = 0; i < l->n; i++)
			if (has_iterators(l->v[i], depth + 1))
				return true;
		return false;
	}
	if (!vt_is(v, DICT) || depth == DEEPEST)
		return true;
	for (uint32_t at = 0; vt_dict_at(vt_as_dict(v), &at, &key, &x);)
		if (has_iterators(key, depth + 1) || has_iterators(x, depth + 1))
			return true;
	return false;
}

int
vt_has_iterators(vt_value v)
{
	return has_iterators(v, 0);
}

vt_status
vt_put_pair(vt_rt *rt, vt_value dict, vt_value key, vt_value v)
{
	return vt_dict_put(rt, vt_as_dict(dict), key, v);
}

vt_status
vt_put_more(vt_rt *rt, vt_value room, vt_value item)
{
	return vt_list_keep(rt, vt_as_list(room), item);
}

vt_status
vt_forget(vt_rt *rt)
{
	const vt_exc *e = vt_pending(rt);

	if (e != NULL && e->type == VT_E_CANCELLED)
		return VT_ERROR;
	vt_exc_clear(rt);
	return VT_OK;
}

vt_status
vt_many(vt_rt *rt, vt_value v, vt_value *items)
{
	if (vt_is_sequence(v)) {
		*items = vt_copy(v);
		return VT_OK;
	}
	return vt_is_iterable(NULL, v) ? vt_iterate(rt, v, items) : vt_tuple_of(rt, 1, &v, items);
}

vt_status
vt_more_of_iter(vt_rt *rt, vt_value iter, vt_value *item)
{
	return vt_stopped(rt) ? vt_raise_depth(rt) : vt_next(rt, iter, item);
}

vt_status
vt_put_group(vt_rt *rt, vt_value dict, vt_value key, vt_value v)
{
	vt_value l = vt_dict_get(vt_as_dict(dict), key);
	vt_status st = VT_OK;

	if (l == VT_UNDEF) {
		l = vt_mkptr(vt_list_grow(rt, VT_K_LIST, 4));
		st = vt_dict_set(rt, vt_as_dict(dict), key, l);
		vt_release(l);
	}
	return st == VT_OK ? vt_list_keep(rt, vt_as_list(l), vt_copy(v)) : st;
}

vt_status
vt_seen(vt_rt *rt, vt_value room, vt_value v, int *seen)
{
	vt_list *l = vt_as_list(room);
	bool scalar = vt_is_int(v) || vt_is(v, STR);

	if (!scalar && !vt_hashable(v))
		return vt_unhashable(rt, v);
	*seen = 1;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->v[i] == v || (!vt_both_int(l->v[i], v) && vt_equal(rt, l->v[i], v)))
			return VT_OK;
	*seen = 0;
	vt_list_push(rt, l, vt_copy(v));
	return VT_OK;
}

/* The lists of groups are nobody else's yet. */
static vt_value
list_of_groups(vt_rt *rt, const vt_dict *d)
{
	vt_list *l = vt_list_grow(rt, VT_K_TUPLE, vt_dict_len(d));
	uint8_t final = VT_F_FINAL;
	vt_value k, v;

	for (uint32_t at = 0; vt_dict_at(d, &at, &k, &v);) {
		vt_list *group = vt_as_list(v);
		bool settles = true;
		for (uint32_t i = 0; settles && i < group->n; i++)
			settles = vt_is_final(group->v[i]);
		if (settles) {
			group->h.kind = VT_K_TUPLE;
			group->h.aux = 0;
			group->h.flags |= VT_F_FINAL;
		}
		l->v[l->n] = vt_pair_of(rt->s->heap, k, v);
		final &= vt_head_of(l->v[l->n++])->flags;
	}
	l->h.flags |= final;
	return vt_mkptr(l);
}

vt_value
vt_turn(vt_rt *rt, vt_value from, int what)
{
	const vt_list *was = vt_as_list(from);
	vt_list *l;

	if (what == VT_TURN_PAIRS)
		return list_of_dict(rt, vt_as_dict(from), VT_FEW_PAIRS);
	if (what == VT_TURN_GROUPS)
		return list_of_groups(rt, vt_as_dict(from));
	if (what == VT_TURN_SAME)
		return vt_copy(from);
	if (what == VT_TURN_KEYED && was->n > 1)
		return vt_copy(from);
	l = vt_list_grow(rt, VT_K_TUPLE, was->n);
	for (uint32_t i = was->n; what == VT_TURN_BACK && i > 0;)
		l->v[l->n++] = vt_copy(was->v[--i]);
	return vt_mkptr(l);
}

vt_value
vt_new_pair(vt_rt *rt, vt_value a, vt_value b, int changes)
{
	vt_list *l;

	if (!changes)
		return vt_pair_of(rt->s->heap, a, b);
	l = vt_list_grow(rt, VT_K_LIST, 2);
	l->v[l->n++] = vt_copy(a);
	l->v[l->n++] = vt_copy(b);
	return vt_mkptr(l);
}
