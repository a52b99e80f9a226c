/* collections.c - rows of lib/collections.fn: lists, dicts and sets. */
#include "runtime/core/base.h"
#include "runtime/core/printable.h"
#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "runtime/lib/query.h"
#include "runtime/seq/lambda_program.h"
#include "runtime/seq/seq.h"
#include "registry.h"
#include "runtime/core/args.h"

static bool
is_iterator(vt_value v)
{
	return vt_is(v, ITER) || vt_is(v, MEMO);
}

/* ---- lists ---- */

vt_status
vt_lib_make_list(vt_args *a, vt_value *out)
{
	if (vt_metered(a->rt))
		VT_TRY(vt_quota_sum(a->rt, a->nrest, a->rest));
	return vt_tuple_of(a->rt, a->nrest, a->rest, out);
}

/* What list() and set() do with their arguments: an iterator stands for its elements, and those
 * likewise. */
static vt_status
spread(vt_rt *rt, vt_value v, uint32_t depth, vt_list *to)
{
	vt_value iter = VT_UNDEF, item;
	vt_status st = VT_OK;
	vt_pull p;
	if (!is_iterator(v))
		return vt_list_keep(rt, to, vt_copy(v));
	if (depth >= 200)
		return vt_raise_depth(rt);
	VT_TRY(vt_iterate(rt, v, &iter));
	vt_pull_open_still(&p, rt, iter);
	while (VT_PULL_EACH(&p, item, st)) {
		st = spread(rt, item, depth + 1, to);
		vt_release(item);
		vt_pull_to_list(&p, to, true);
	}
	vt_pull_close(&p);
	vt_release(iter);
	return st;
}

static vt_status
add_to_set(vt_rt *rt, vt_set *set, vt_value v)
{
	VT_TRY(vt_set_add(rt, set, v));
	return likely(vt_set_len(set) <= VT_MOST_ITEMS) ? VT_OK : vt_too_large(rt, VT_MOST_ITEMS);
}

enum { GENERATOR = 232 }; /* quota.c: what the reference passes on to them */

/* The rest arguments, spread; what toList() or toSet() then gets, within the unit's limit. */
static vt_status
arguments(vt_args *a, enum vt_kind kind, vt_value *out)
{
	int64_t limit = a->unit != NULL ? a->unit->opt.limit_iterators : -1;
	vt_list *l;
	vt_status st;
	if (limit < 0 && a->nrest == 1 &&
		(*out = vt_collect_range(a->rt, a->rest[0], kind)) != VT_UNDEF)
		return VT_OK;
	l = vt_list_grow(a->rt, kind, a->nrest);
	st = vt_metered(a->rt) ? vt_quota_bytes(a->rt, GENERATOR) : VT_OK;
	for (uint32_t i = 0; i < a->nrest && st == VT_OK; i++) {
		st = spread(a->rt, a->rest[i], 0, l);
		if (st == VT_OK && limit >= 0 && l->n > limit)
			st = vt_too_large(a->rt, limit);
	}
	return vt_settle(st, vt_mkptr(l), out);
}

vt_status
vt_lib_list(vt_args *a, vt_value *out)
{
	return arguments(a, vt_list_kind(a->unit), out);
}

vt_status
vt_lib_to_list(vt_args *a, vt_value *out)
{
	return vt_to_tuple(a->rt, a->unit, a->v[0], out);
}

vt_value
vt_quick_to_list(vt_rt *rt, const vt_value *v)
{
	return vt_is(v[0], TUPLE) ? vt_copy(v[0]) : vt_collect_part(rt, v[0], VT_K_TUPLE);
}

vt_status
vt_lib_list_indexer(vt_args *a, vt_value *out)
{
	const vt_list *l = vt_as_list(a->v[0]);
	int64_t i = 0;
	if (vt_is_bool(a->v[1]))
		i = a->v[1] == VT_TRUE;
	else if (!vt_int_fits(a->v[1], &i))
		return vt_raise(a->rt, VT_E_INDEX, "cannot fit 'int' into an index-sized integer");
	if (i < 0)
		i += l->n;
	if (i < 0 || i >= l->n)
		return vt_raise(a->rt, VT_E_INDEX, "%s index out of range", vt_py_type(a->v[0]));
	*out = vt_copy(l->v[i]);
	return VT_OK;
}

vt_status
vt_lib_len(vt_args *a, vt_value *out)
{
	int64_t n = 0;
	VT_TRY(vt_len(a->rt, a->v[0], &n));
	*out = vt_mkint(n);
	return VT_OK;
}

vt_value
vt_quick_is_list(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	return vt_mkbool(vt_is_sequence(v[0]));
}

vt_status
vt_lib_is_list(vt_args *a, vt_value *out)
{
	*out = vt_mkbool(vt_is_sequence(a->v[0]));
	return VT_OK;
}

vt_value
vt_quick_is_dict(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	return vt_mkbool(vt_is(v[0], DICT));
}

vt_status
vt_lib_is_dict(vt_args *a, vt_value *out)
{
	*out = vt_mkbool(vt_is(a->v[0], DICT));
	return VT_OK;
}

vt_status
vt_lib_is_set(vt_args *a, vt_value *out)
{
	*out = vt_mkbool(vt_is_set_like(a->v[0]));
	return VT_OK;
}

static vt_status
add_tuples(vt_rt *rt, const vt_list *x, const vt_list *y, vt_value *out)
{
	if ((uint64_t)x->n + y->n > VT_MOST_ITEMS)
		return vt_too_large(rt, VT_MOST_ITEMS);
	*out = vt_mkptr(vt_list_join(rt, x, y));
	return VT_OK;
}

vt_status
vt_lib_add_iterables(vt_args *a, vt_value *out)
{
	vt_value x = a->v[0], y = a->v[1];
	vt_args both;
	vt_status st;
	if (vt_metered(a->rt) && VT_KIND(x) == VT_KIND(y) && (vt_is(x, TUPLE) || vt_is(x, SET)))
		VT_TRY(vt_quota_sum(a->rt, 2, a->v));
	if (vt_is(x, TUPLE) && vt_is(y, TUPLE) && a->unit != NULL &&
		a->unit->opt.limit_iterators < 0 && vt_fold_may_change(a)) {
		VT_TRY(vt_extend_tuple(a->rt, vt_as_list(x), vt_as_list(y)));
		*out = vt_copy(x);
		return VT_OK;
	}
	if (vt_is(x, TUPLE) && vt_is(y, TUPLE) && a->unit != NULL &&
		a->unit->opt.limit_iterators < 0)
		return add_tuples(a->rt, vt_as_list(x), vt_as_list(y), out);
	if (vt_is(x, ITER) && a->unit != NULL && a->unit->opt.limit_iterators < 0 &&
		vt_fold_may_change(a) && vt_chain_extend(a, x, y, &st)) {
		VT_TRY(st);
		*out = vt_copy(x);
		return VT_OK;
	}
	if (vt_is(x, SET) && vt_is(y, SET) && a->rt->s->spare == x && !vt_metered(a->rt))
		return vt_lib_set_union(a, out);
	both = *a;
	both.rest = a->v;
	both.nrest = 2;
	VT_TRY(vt_lib_concat(&both, out)); /* checks the limits of both */
	if (vt_is(x, TUPLE) && vt_is(y, TUPLE)) {
		vt_clear(out);
		return add_tuples(a->rt, vt_as_list(x), vt_as_list(y), out);
	}
	if (vt_is(x, SET) && vt_is(y, SET)) {
		vt_clear(out);
		*out = vt_set_sum(a->rt, x, y);
		return VT_OK;
	}
	return VT_OK;
}

static vt_status
repeat(vt_rt *rt, const vt_list *l, int64_t times, vt_value *out)
{
	vt_list *made;
	uint64_t n;
	if (vt_metered(rt))
		VT_TRY(vt_quota_repeat(rt, vt_mkptr(l), times));
	if (times < 0)
		times = 0;
	if (l->n > 0 && times > VT_MOST_ITEMS / l->n)
		return vt_too_large(rt, VT_MOST_ITEMS);
	n = l->n > 0 ? (uint64_t)times : 0;
	made = vt_list_grow(rt, l->h.kind, (uint32_t)(n * l->n));
	for (uint64_t i = 0; i < n; i++)
		vt_list_extend(rt, made, l->n, l->v);
	made->h.flags |= l->h.kind == VT_K_TUPLE ? l->h.flags & VT_F_FINAL : 0;
	made->h.aux = VT_LIST_EXACT;
	*out = vt_mkptr(made);
	return VT_OK;
}

vt_status
vt_lib_list_by_int(vt_args *a, vt_value *out)
{
	return repeat(a->rt, vt_as_list(a->v[0]), vt_int_clamped(a->v[1]), out);
}

vt_status
vt_lib_int_by_list(vt_args *a, vt_value *out)
{
	return repeat(a->rt, vt_as_list(a->v[1]), vt_int_clamped(a->v[0]), out);
}

/* ---- dicts ---- */

/* Borrowed, VT_UNDEF when there is no such key. */
static vt_status
lookup(vt_rt *rt, vt_value dict, vt_value key, vt_value *found)
{
	*found = vt_dict_get(vt_as_dict(dict), key);
	return *found == VT_UNDEF && !vt_hashable(key) ? vt_unhashable(rt, key) : VT_OK;
}

vt_status
vt_lib_dict_indexer(vt_args *a, vt_value *out)
{
	vt_value v;
	VT_TRY(lookup(a->rt, a->v[0], a->v[1], &v));
	if (v == VT_UNDEF)
		return vt_raise_key(a->rt, a->v[1]);
	*out = vt_copy(v);
	return VT_OK;
}

vt_status
vt_lib_dict_get(vt_args *a, vt_value *out)
{
	vt_value v;
	VT_TRY(lookup(a->rt, a->v[0], a->v[1], &v));
	*out = vt_copy(v == VT_UNDEF ? a->v[2] : v);
	return VT_OK;
}

vt_status
vt_lib_contains_key(vt_args *a, vt_value *out)
{
	vt_value v;
	VT_TRY(lookup(a->rt, a->v[0], a->v[1], &v));
	*out = vt_mkbool(v != VT_UNDEF);
	return VT_OK;
}

vt_value
vt_quick_contains_key(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	if (!vt_is(v[0], DICT) || (!vt_is(v[1], STR) && !vt_is_int(v[1]) &&
					  !(vt_is(v[1], TUPLE) && vt_hashable(v[1]))))
		return VT_UNDEF;
	return vt_mkbool(vt_dict_get(vt_as_dict(v[0]), v[1]) != VT_UNDEF);
}

static vt_value
has_value(const vt_dict *d, vt_value wanted)
{
	vt_value key, v;
	for (uint32_t pos = 0; vt_dict_at(d, &pos, &key, &v);)
		if (vt_both_int(v, wanted) ? v == wanted : vt_same(v, wanted))
			return VT_TRUE;
	return VT_FALSE;
}

vt_value
vt_quick_contains_value(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	return vt_is(v[0], DICT) ? has_value(vt_as_dict(v[0]), v[1]) : VT_UNDEF;
}

vt_status
vt_lib_contains_value(vt_args *a, vt_value *out)
{
	*out = has_value(vt_as_dict(a->v[0]), a->v[1]);
	return VT_OK;
}

/* Sets the keys of the rules among the rest arguments. */
static vt_status
set_rules(vt_args *a, vt_dict *d)
{
	for (uint32_t i = 0; i < a->nrest; i++) {
		const vt_mapping *m = VT_AS(vt_mapping, a->rest[i]);
		VT_TRY(vt_dict_set(a->rt, d, m->key, m->value));
	}
	return VT_OK;
}

vt_status
vt_lib_make_dict(vt_args *a, vt_value *out)
{
	vt_dict *d;
	if (vt_metered(a->rt))
		VT_TRY(vt_quota_sum(a->rt, a->nrest, a->rest));
	d = vt_dict_new(a->rt, true);
	return vt_settle(set_rules(a, d), vt_mkptr(d), out);
}

static vt_status
read_pair(vt_rt *rt, vt_value item, vt_value *kv)
{
	vt_value iter = VT_UNDEF;
	vt_status st;
	if (vt_is_sequence(item) && vt_as_list(item)->n >= 2) {
		kv[0] = vt_copy(vt_as_list(item)->v[0]);
		kv[1] = vt_copy(vt_as_list(item)->v[1]);
		return VT_OK;
	}
	VT_TRY(vt_iterate(rt, item, &iter));
	st = vt_next(rt, iter, &kv[0]);
	if (st == VT_OK && kv[0] != VT_UNDEF)
		st = vt_next(rt, iter, &kv[1]);
	if (st == VT_OK && kv[1] == VT_UNDEF)
		st = vt_raise(rt, VT_E_STOP_ITERATION, "%s", "");
	vt_release(iter);
	return st;
}

/* Reads the first argument and sets what `pair` makes of every element. */
static vt_status
dict_from(vt_args *a, vt_dict *d, vt_status (*pair)(vt_args *, vt_value item, vt_value *kv))
{
	vt_value iter = VT_UNDEF, item = VT_UNDEF, kv[2] = {VT_UNDEF, VT_UNDEF};
	bool strings = true;
	vt_status st = VT_OK;
	vt_pull p;
	VT_TRY(vt_iterate_limited(a->rt, a->unit, a->v[0], &iter));
	vt_pull_open(&p, a->rt, iter);
	while (VT_PULL_EACH(&p, item, st)) {
		st = pair(a, item, kv);
		if (st == VT_OK)
			st = vt_dict_put(a->rt, d, kv[0], kv[1]);
		if (st == VT_OK && vt_dict_len(d) > VT_MOST_ITEMS)
			st = vt_too_large(a->rt, VT_MOST_ITEMS);
		if (st == VT_OK && vt_metered(a->rt))
			st = vt_quota_dict(a->rt, d, kv[0], &strings);
		vt_clear(&kv[0]);
		vt_clear(&kv[1]);
		vt_clear(&item);
	}
	vt_pull_close(&p);
	vt_release(iter);
	return st;
}

static vt_status
pair_of_item(vt_args *a, vt_value item, vt_value *kv)
{
	return read_pair(a->rt, item, kv);
}

static vt_status
pair_by_selectors(vt_args *a, vt_value item, vt_value *kv)
{
	VT_TRY(vt_apply(a->rt, a->v[1], 1, &item, &kv[0]));
	if (vt_is(a->v[2], LAMBDA))
		return vt_apply(a->rt, a->v[2], 1, &item, &kv[1]);
	kv[1] = vt_copy(item);
	return VT_OK;
}

/* The pairs of items that are there at once, by the selectors' programs; how many. */
static uint32_t
many_pairs(vt_args *a, uint32_t n, const vt_value *item, vt_value *key, vt_value *value)
{
	uint32_t made = vt_apply_many(a->rt, a->v[1], n, item, key), m = made;
	if (made > 0 && vt_is(a->v[2], LAMBDA))
		m = vt_apply_many(a->rt, a->v[2], made, item, value);
	else
		for (uint32_t i = 0; i < m; i++)
			value[i] = vt_copy(item[i]);
	while (made > m)
		vt_release(key[--made]);
	return m;
}

static vt_status
set_many(vt_args *a, vt_dict *d, vt_pull *p, uint32_t n)
{
	vt_value key[VT_BULK], value[VT_BULK];
	vt_status st = VT_OK;
	n = many_pairs(a, n, p->item + p->at, key, value);
	for (uint32_t i = 0; i < n; i++) {
		if (st == VT_OK)
			st = vt_dict_put(a->rt, d, key[i], value[i]);
		vt_release(key[i]);
		vt_release(value[i]);
		vt_release(p->item[p->at++]);
	}
	if (st == VT_OK && vt_dict_len(d) > VT_MOST_ITEMS)
		st = vt_too_large(a->rt, VT_MOST_ITEMS);
	return st;
}

/* As long as there are many items at once that the programs are for; the rest is left. */
static vt_status
set_pulled(vt_args *a, vt_dict *d, vt_pull *p)
{
	uint32_t before, n;
	vt_status st = VT_OK;
	do {
		n = vt_pull_ahead(p);
		before = p->at;
		if (n > 0)
			st = set_many(a, d, p, n);
	} while (st == VT_OK && n > 0 && p->at - before == n);
	return st;
}

static vt_status
set_by_selectors(vt_args *a, vt_dict *d, vt_value iter)
{
	vt_value item, kv[2] = {VT_UNDEF, VT_UNDEF};
	vt_status st;
	vt_pull p;
	vt_pull_open(&p, a->rt, iter);
	st = set_pulled(a, d, &p);
	while (VT_PULL_EACH(&p, item, st)) {
		st = pair_by_selectors(a, item, kv);
		if (st == VT_OK)
			st = vt_dict_put(a->rt, d, kv[0], kv[1]);
		if (st == VT_OK && vt_dict_len(d) > VT_MOST_ITEMS)
			st = vt_too_large(a->rt, VT_MOST_ITEMS);
		vt_clear(&kv[0]);
		vt_clear(&kv[1]);
		vt_release(item);
		if (st == VT_OK && p.at == p.n)
			st = set_pulled(a, d, &p);
	}
	vt_pull_close(&p);
	return st;
}

vt_status
vt_lib_dict_of_pairs(vt_args *a, vt_value *out)
{
	vt_dict *d = vt_dict_new(a->rt, true);
	return vt_settle(dict_from(a, d, pair_of_item), vt_mkptr(d), out);
}

/* A dict for the keys of so many items, which are data: many need not be names first. */
static vt_dict *
dict_for(vt_rt *rt, vt_value items)
{
	enum { FEW = 16, MOST = 256 };
	uint32_t n = vt_is_sequence(items) ? vt_as_list(items)->n : 0;
	return n <= FEW ? vt_dict_new(rt, false)
			: vt_dict_new_table(rt, false, n < MOST ? n : MOST);
}

/* A plain dict, which cannot be hashed: the reference has it so. */
vt_status
vt_lib_to_dict(vt_args *a, vt_value *out)
{
	vt_dict *d = dict_for(a->rt, a->v[0]);
	vt_value iter = VT_UNDEF;
	vt_status st;
	if (vt_metered(a->rt))
		return vt_settle(dict_from(a, d, pair_by_selectors), vt_mkptr(d), out);
	st = vt_iterate_limited(a->rt, a->unit, a->v[0], &iter);
	if (st == VT_OK)
		st = set_by_selectors(a, d, iter);
	vt_release(iter);
	return vt_settle(st, vt_mkptr(d), out);
}

/* Keys that come into the dict that a fold makes are data, rather than names. */
static vt_status
set_one(vt_args *a, vt_dict *d, vt_value key, vt_value v)
{
	bool grows = vt_mkptr(d) == a->v[0] && vt_is_final(key) && vt_is_final(v);
	return grows ? vt_dict_put(a->rt, d, key, v) : vt_dict_set(a->rt, d, key, v);
}

static vt_status
set_all(vt_args *a, vt_dict *d, vt_value from)
{
	vt_value key, v;
	for (uint32_t pos = 0; vt_dict_at(vt_as_dict(from), &pos, &key, &v);)
		VT_TRY(set_one(a, d, key, v));
	return VT_OK;
}

/* Is the first argument a FrozenDict that a fold makes, so that nobody else sees it? */
static bool
may_change(vt_args *a)
{
	return (vt_head_of(a->v[0])->flags & VT_F_FROZEN) && vt_fold_may_change(a);
}

/* The first argument as a FrozenDict to be changed. */
static vt_dict *
own_copy(vt_args *a)
{
	if (may_change(a))
		return vt_as_dict(vt_copy(a->v[0]));
	return vt_dict_copy(a->rt, vt_as_dict(a->v[0]), true);
}

vt_status
vt_lib_dict_set(vt_args *a, vt_value *out)
{
	vt_dict *d;
	if (vt_metered(a->rt))
		VT_TRY(vt_quota_sum(a->rt, 3, a->v));
	d = own_copy(a);
	return vt_settle(set_one(a, d, a->v[1], a->v[2]), vt_mkptr(d), out);
}

vt_value
vt_quick_dict_set(vt_rt *rt, const vt_value *v)
{
	vt_dict *d;
	if (!vt_is(v[0], DICT) || !vt_is(v[1], STR) || v[2] == VT_NOVALUE || !vt_final_now(v[2]) ||
		rt->s->spare == v[0])
		return VT_UNDEF;
	d = vt_dict_with(rt, vt_as_dict(v[0]), vt_as_str(v[1]), v[2]);
	return d != NULL ? vt_mkptr(d) : VT_UNDEF;
}

/* Also the operator `+`. */
vt_status
vt_lib_dict_set_all(vt_args *a, vt_value *out)
{
	vt_dict *d;
	if (vt_metered(a->rt))
		VT_TRY(vt_quota_sum(a->rt, 2, a->v));
	if (!may_change(a) &&
		(d = vt_dict_sum(a->rt, vt_as_dict(a->v[0]), vt_as_dict(a->v[1]))) != NULL) {
		*out = vt_mkptr(d);
		return VT_OK;
	}
	d = own_copy(a);
	return vt_settle(set_all(a, d, a->v[1]), vt_mkptr(d), out);
}

vt_value
vt_quick_dict_set_all(vt_rt *rt, const vt_value *v)
{
	vt_dict *d;
	if (!vt_is(v[0], DICT) || !vt_is(v[1], DICT) || rt->s->spare == v[0])
		return VT_UNDEF;
	d = vt_dict_sum(rt, vt_as_dict(v[0]), vt_as_dict(v[1]));
	return d != NULL ? vt_mkptr(d) : VT_UNDEF;
}

vt_status
vt_lib_dict_set_rules(vt_args *a, vt_value *out)
{
	vt_dict *d;
	if (vt_metered(a->rt)) /* the rest stands behind the only other argument */
		VT_TRY(vt_quota_sum(a->rt, 1 + a->nrest, a->v));
	d = vt_dict_copy(a->rt, vt_as_dict(a->v[0]), true);
	return vt_settle(set_rules(a, d), vt_mkptr(d), out);
}

static vt_value
view(vt_rt *rt, vt_value dict, enum vt_view which)
{
	vt_view_obj *v = vt_heap_take(rt->s->heap, sizeof *v, VT_K_VIEW, 0);
	v->h.aux = which;
	v->dict = vt_copy(dict);
	return vt_mkptr(v);
}

vt_status
vt_lib_keys(vt_args *a, vt_value *out)
{
	*out = view(a->rt, a->v[0], VT_VIEW_KEYS);
	return VT_OK;
}

vt_value
vt_quick_keys(vt_rt *rt, const vt_value *v)
{
	return vt_is(v[0], DICT) ? view(rt, v[0], VT_VIEW_KEYS) : VT_UNDEF;
}

vt_status
vt_lib_values(vt_args *a, vt_value *out)
{
	*out = view(a->rt, a->v[0], VT_VIEW_VALUES);
	return VT_OK;
}

vt_value
vt_quick_values(vt_rt *rt, const vt_value *v)
{
	return vt_is(v[0], DICT) ? view(rt, v[0], VT_VIEW_VALUES) : VT_UNDEF;
}

vt_status
vt_lib_items(vt_args *a, vt_value *out)
{
	*out = view(a->rt, a->v[0], VT_VIEW_ITEMS);
	return VT_OK;
}

vt_value
vt_quick_items(vt_rt *rt, const vt_value *v)
{
	return vt_is(v[0], DICT) ? view(rt, v[0], VT_VIEW_ITEMS) : VT_UNDEF;
}

/* ---- membership ---- */

/* `key, value = item` of Python over anything iterable; both are given away. */
static vt_status
unpack(vt_rt *rt, vt_value item, vt_value pair[3])
{
	vt_value iter = VT_UNDEF;
	vt_status st = VT_OK;
	uint32_t n = 0;
	pair[0] = pair[1] = pair[2] = VT_UNDEF;
	if (!vt_is_iterable(NULL, item) && !vt_is(item, STR) && !vt_is(item, DICT))
		return vt_raise(
			rt, VT_E_TYPE, "cannot unpack non-iterable %s object", vt_py_type(item));
	VT_TRY(vt_iterate(rt, item, &iter));
	while (n < 3 && st == VT_OK) {
		st = vt_next(rt, iter, &pair[n]);
		if (st != VT_OK || pair[n] == VT_UNDEF)
			break;
		n++;
	}
	vt_release(iter);
	VT_TRY(st);
	if (n > 2)
		return vt_raise(rt, VT_E_VALUE, "too many values to unpack (expected 2)");
	if (n < 2)
		return vt_raise(
			rt, VT_E_VALUE, "not enough values to unpack (expected 2, got %u)", n);
	return VT_OK;
}

/* The items of a FrozenDict take whatever comes apart into two; those of a plain dict are
 * tuples. */
static vt_status
in_items(vt_rt *rt, vt_value dict, vt_value item, bool *found)
{
	vt_value pair[3], other = VT_UNDEF;
	vt_status st;
	if (!(vt_head_of(dict)->flags & VT_F_FROZEN) &&
		!(vt_is(item, TUPLE) && vt_as_list(item)->n == 2))
		return VT_OK;
	st = unpack(rt, item, pair);
	if (st == VT_OK)
		st = lookup(rt, dict, pair[0], &other);
	if (st == VT_OK)
		*found = other != VT_UNDEF && vt_same(other, pair[1]);
	for (uint32_t i = 0; i < 3; i++)
		vt_release(pair[i]);
	return st;
}

static vt_status
in_view(vt_rt *rt, const vt_view_obj *v, vt_value item, bool *found)
{
	vt_value key, other;
	*found = false;
	if (v->h.aux == VT_VIEW_VALUES) {
		for (uint32_t pos = 0;
			!*found && vt_dict_at(vt_as_dict(v->dict), &pos, &key, &other);)
			*found = vt_same(other, item);
		return VT_OK;
	}
	if (v->h.aux == VT_VIEW_KEYS) {
		VT_TRY(lookup(rt, v->dict, item, &other));
		*found = other != VT_UNDEF;
	} else {
		VT_TRY(in_items(rt, v->dict, item, found));
	}
	return VT_OK;
}

static vt_status
scan(vt_args *a, vt_value all, vt_value iter, vt_value item, bool *found)
{
	vt_status st = VT_OK;
	vt_value v;
	vt_pull p;
	*found = false;
	vt_query_pull(a, all, iter, &p);
	while (!*found && VT_PULL_EACH(&p, v, st)) {
		*found = vt_same(v, item);
		vt_release(v);
	}
	vt_pull_close(&p);
	return st;
}

static bool
list_has(const vt_list *l, vt_value item)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->v[i] == item || vt_same(l->v[i], item))
			return true;
	return false;
}

/* Sets and their like ask for the hash; everything else is read until the item is found. */
static vt_status
contains(vt_args *a, vt_value all, vt_value item, vt_value *out)
{
	vt_value iter = VT_UNDEF;
	bool found = false, open;
	vt_status st;
	if (vt_query_is_open_list(a, all)) {
		*out = vt_mkbool(list_has(vt_as_list(all), item));
		return VT_OK;
	}
	open = a->unit == NULL || a->unit->opt.limit_iterators < 0;
	if (!open || !(vt_is(all, SET) || vt_is(all, VIEW)))
		VT_TRY(vt_iterate_limited(a->rt, a->unit, all, &iter));
	if (vt_is(all, SET)) {
		st = vt_hashable(item) ? VT_OK : vt_unhashable(a->rt, item);
		found = st == VT_OK && vt_set_has(vt_as_set(all), item);
	} else if (vt_is_set_like(all) || (open && vt_is(all, VIEW))) {
		st = in_view(a->rt, VT_AS(vt_view_obj, all), item, &found);
	} else {
		st = scan(a, all, iter, item, &found);
	}
	vt_release(iter);
	*out = st == VT_OK ? vt_mkbool(found) : VT_UNDEF;
	return st;
}

vt_status
vt_lib_in(vt_args *a, vt_value *out)
{
	return contains(a, a->v[1], a->v[0], out);
}

vt_status
vt_lib_contains(vt_args *a, vt_value *out)
{
	return contains(a, a->v[0], a->v[1], out);
}

/* ---- sets ---- */

/* The members of anything iterable as a new set. */
vt_status
vt_set_from(vt_rt *rt, vt_value iter, vt_value *out)
{
	vt_set *s = vt_set_new(rt);
	vt_value item;
	vt_status st = VT_OK;
	vt_pull p;
	vt_pull_open(&p, rt, iter);
	while (VT_PULL_EACH(&p, item, st)) {
		st = add_to_set(rt, s, item);
		vt_release(item);
	}
	vt_pull_close(&p);
	return vt_settle(st, vt_mkptr(s), out);
}

/* Is each argument a member, and does nobody count them? */
static bool
are_members(const vt_args *a)
{
	if (vt_metered(a->rt) || (a->unit != NULL && a->unit->opt.limit_iterators >= 0))
		return false;
	for (uint32_t i = 0; i < a->nrest; i++)
		if (is_iterator(a->rest[i]))
			return false;
	return true;
}

static vt_status
set_of(vt_rt *rt, uint32_t n, const vt_value *v, vt_value *out)
{
	vt_set *s = vt_set_new(rt);
	return vt_settle(vt_set_add_all(rt, s, n, v), vt_mkptr(s), out);
}

vt_status
vt_lib_set(vt_args *a, vt_value *out)
{
	vt_value all = VT_UNDEF, iter;
	vt_status st;
	if (are_members(a))
		return set_of(a->rt, a->nrest, a->rest, out);
	VT_TRY(arguments(a, VT_K_LIST, &all));
	iter = vt_iter_over(a->rt, all);
	st = vt_set_from(a->rt, iter, out);
	vt_release(iter);
	return st;
}

vt_value
vt_quick_to_set(vt_rt *rt, const vt_value *v)
{
	const vt_list *l = vt_as_list(v[0]);
	vt_value made = VT_UNDEF;
	if (!vt_is_sequence(v[0]))
		return VT_UNDEF;
	for (uint32_t i = 0; i < l->n; i++)
		if (!vt_is_scalar(l->v[i]) || l->v[i] == VT_UNDEF)
			return VT_UNDEF; /* it may not be hashable */
	(void)set_of(rt, l->n, l->v, &made);
	return made;
}

vt_status
vt_lib_to_set(vt_args *a, vt_value *out)
{
	bool open = !vt_metered(a->rt) && a->unit != NULL && a->unit->opt.limit_iterators < 0;
	const vt_dict *record = vt_record_of_keys(a->v[0]);
	vt_value iter = VT_UNDEF;
	vt_status st;
	if (open && vt_is_sequence(a->v[0]))
		return set_of(a->rt, vt_as_list(a->v[0])->n, vt_as_list(a->v[0])->v, out);
	if (open && record != NULL)
		return set_of(a->rt, record->n, vt_record_keys(record), out);
	VT_TRY(vt_iterate_limited(a->rt, a->unit, a->v[0], &iter));
	if (vt_is(a->v[0], SET)) {
		*out = vt_copy(a->v[0]);
		st = VT_OK;
	} else {
		st = vt_set_from(a->rt, iter, out);
	}
	vt_release(iter);
	return st;
}
