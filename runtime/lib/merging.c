/* merging.c - mergeWith(), a row of lib/queries.fn. */
#include "runtime/core/dict.h"
#include "runtime/core/number.h"
#include "runtime/lib/query.h"
#include "runtime/seq/seq.h"
#include "registry.h"

typedef struct merging {
	vt_args *a;
	vt_value lists, items;
} merging;

static const char *
class_name(vt_value v)
{
	const char *name = vt_py_type(v);
	return vt_is(v, DICT) && (vt_head_of(v)->flags & VT_F_FROZEN)
		       ? "yaql.language.utils.FrozenDict"
		       : name;
}

static vt_status
cannot_merge(vt_rt *rt, vt_value x, vt_value y)
{
	return vt_raise(rt, VT_E_TYPE, "Cannot merge <class '%s'> with <class '%s'>", class_name(x),
		class_name(y));
}

/* Without a merger of lists: the distinct elements of both, by toList(). */
static vt_status
merge_lists(const merging *m, vt_value x, vt_value y, vt_value *out)
{
	vt_rt *rt = m->a->rt;
	vt_value argv[2] = {x, y};
	vt_set *seen;
	vt_list *l;
	vt_status st = VT_OK;
	if (vt_is(m->lists, LAMBDA))
		return vt_apply(rt, m->lists, 2, argv, out);
	if (VT_KIND(x) != VT_KIND(y))
		return vt_raise(rt, VT_E_TYPE, "can only concatenate %s (not \"%s\") to %s",
			vt_py_type(x), vt_py_type(y), vt_py_type(x));
	if (vt_metered(rt))
		VT_TRY(vt_quota_bytes(rt, vt_query_distinct_ops.size));
	else if (vt_as_list(x)->n + (uint64_t)vt_as_list(y)->n <= VT_MERGE_FEW)
		return vt_distinct_of_few(rt, vt_list_kind(m->a->unit), x, y, out);
	seen = vt_set_new(rt);
	l = vt_list_grow(rt, vt_list_kind(m->a->unit), vt_as_list(x)->n + vt_as_list(y)->n);
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < vt_as_list(argv[k])->n && st == VT_OK; i++) {
			uint32_t before = vt_set_len(seen);
			st = vt_set_add(rt, seen, vt_as_list(argv[k])->v[i]);
			if (vt_set_len(seen) > before)
				vt_list_push(rt, l, vt_copy(vt_as_list(argv[k])->v[i]));
		}
	if (st == VT_OK && vt_metered(rt) && (st = vt_quota_set(rt, seen)) == VT_OK)
		st = vt_quota_value(rt, vt_mkptr(l));
	vt_release(vt_mkptr(seen));
	return vt_settle(st, vt_mkptr(l), out);
}

static vt_status merge_dicts(
	const merging *, vt_value x, vt_value y, int64_t levels, vt_value *out);

static vt_status
merge_values(const merging *m, vt_value x, vt_value y, int64_t levels, vt_value *out)
{
	vt_value argv[2] = {x, y};
	vt_rt *rt = m->a->rt;
	if (levels != 1 && vt_is(y, DICT))
		return vt_is(x, DICT) ? merge_dicts(m, x, y, levels == 0 ? 0 : levels - 1, out)
				      : cannot_merge(rt, x, y);
	if (levels != 1 && vt_is_sequence(y))
		return vt_is_sequence(x) ? merge_lists(m, x, y, out) : cannot_merge(rt, x, y);
	if (vt_is(m->items, LAMBDA))
		return vt_apply(rt, m->items, 2, argv, out);
	*out = vt_copy(y);
	return VT_OK;
}

static vt_status
merge_into(const merging *m, vt_value x, vt_value y, int64_t levels, vt_dict *d)
{
	vt_rt *rt = m->a->rt;
	vt_value key, v, other, made = VT_UNDEF;
	vt_status st;
	for (uint32_t pos = 0; vt_dict_at(vt_as_dict(x), &pos, &key, &v);) {
		other = vt_dict_get(vt_as_dict(y), key);
		if (other == VT_UNDEF)
			made = vt_copy(v);
		else
			VT_TRY(merge_values(m, v, other, levels, &made));
		st = vt_dict_set(rt, d, key, made);
		vt_clear(&made);
		VT_TRY(st);
	}
	for (uint32_t pos = 0; vt_dict_at(vt_as_dict(y), &pos, &key, &v);)
		if (vt_dict_get(d, key) == VT_UNDEF)
			VT_TRY(vt_dict_set(rt, d, key, v));
	return VT_OK;
}

/* Are the values of y only put in, with nothing of them to be merged?  Then their order is free. */
static bool
only_replaces(const merging *m, const vt_dict *y, int64_t levels)
{
	vt_value key, v;
	if (vt_is(m->items, LAMBDA))
		return false;
	for (uint32_t pos = 0; vt_dict_at(y, &pos, &key, &v);)
		if (levels != 1 && (vt_is(v, DICT) || vt_is_sequence(v)))
			return false;
	return true;
}

static vt_status
put_all(vt_rt *rt, vt_dict *d, bool grows, vt_value y)
{
	vt_value key, v;
	if (grows)
		vt_dict_put_all(rt, d, vt_as_dict(y));
	for (uint32_t pos = 0; !grows && vt_dict_at(vt_as_dict(y), &pos, &key, &v);)
		VT_TRY(vt_dict_set(rt, d, key, v));
	return VT_OK;
}

/* What y's values replace x's by, where both are records; NULL: key by key. */
static vt_dict *
sum_of_records(vt_rt *rt, vt_value x, vt_value y)
{
	vt_dict *d = vt_dict_sum(rt, vt_as_dict(x), vt_as_dict(y));
	if (d != NULL)
		d->h.flags &= (uint8_t) ~(VT_F_FROZEN | VT_F_FINAL);
	return d;
}

/* What a fold has made so far is changed where it lies. */
static vt_status
merge_flat(vt_args *a, vt_value *out)
{
	vt_value x = a->v[0];
	bool own = vt_dict_is_made(x) && vt_fold_may_change(a);
	vt_dict *d = own ? NULL : sum_of_records(a->rt, x, a->v[1]);
	if (d != NULL) {
		*out = vt_mkptr(d);
		return VT_OK;
	}
	d = own ? vt_as_dict(vt_copy(x)) : vt_dict_copy(a->rt, vt_as_dict(x), false);
	return vt_settle(put_all(a->rt, d, own, a->v[1]), vt_mkptr(d), out);
}

/* The sum of two records, whose first values are x's keys: what is merged comes in their places. */
static vt_status
merge_records(const merging *m, vt_value x, vt_value y, int64_t levels, vt_dict *d)
{
	const vt_dict *from = vt_as_dict(x);
	vt_status st = VT_OK;
	for (uint32_t k = 0; k < from->n && st == VT_OK; k++) {
		vt_value other = d->v[k], made = VT_UNDEF;
		bool may = vt_is(m->items, LAMBDA) ||
			   (vt_is_ptr(other) && (vt_is(other, DICT) || vt_is_sequence(other)));
		if (!may || vt_dict_get_str(vt_as_dict(y), from->shape->key[k]) == VT_UNDEF)
			continue;
		st = merge_values(m, from->v[k], other, levels, &made);
		if (st == VT_OK)
			vt_move(&d->v[k], made);
	}
	return st;
}

static vt_status
merge_dicts(const merging *m, vt_value x, vt_value y, int64_t levels, vt_value *out)
{
	vt_rt *rt = m->a->rt;
	vt_dict *d;
	vt_status st;
	if (vt_too_deep(rt))
		return vt_raise_depth(rt);
	rt->depth++;
	d = sum_of_records(rt, x, y);
	if (d != NULL) {
		st = merge_records(m, x, y, levels, d);
	} else {
		d = vt_dict_new(rt, false);
		st = merge_into(m, x, y, levels, d);
	}
	rt->depth--;
	return vt_settle(st, vt_mkptr(d), out);
}

/* What a fold has made so far is changed where it lies.  False: not that way. */
static bool
merge_in_place(const merging *m, int64_t levels, vt_value *out)
{
	vt_args *a = m->a;
	vt_merge merge = {.rt = a->rt,
		.kind = vt_list_kind(a->unit),
		.levels = levels,
		.lists = vt_merger_of(a->rt, m->lists),
		.items = vt_merger_of(a->rt, m->items)};
	bool done = !vt_metered(a->rt) && vt_is(a->v[0], DICT) && vt_dict_is_made(a->v[0]) &&
		    vt_fold_may_change(a) && vt_merge_note(&merge, a->v[0], a->v[1]);
	if (done) {
		vt_merge_make(&merge);
		*out = vt_copy(a->v[0]);
	}
	vt_merge_end(&merge);
	return done;
}

/* What a variable or property has is changed where it lies, or is not. */
static vt_status
merge_offered(vt_args *a)
{
	vt_merge_offer *o = a->rt->s->offer;
	vt_merge m = {.rt = a->rt, .kind = vt_list_kind(a->unit), .final = true};
	a->rt->s->offer = NULL; /* mergers may merge too */
	o->done = vt_merge_arguments(a->rt, a->site, a->scope, &m) && vt_merge_note(&m, o->x, o->y);
	for (uint32_t i = 0; i < m.n && o->done; i++)
		o->done = o->takes(o, &m.v[i]);
	if (o->done)
		vt_merge_make(&m);
	vt_merge_end(&m);
	return VT_OK;
}

vt_status
vt_lib_merge_with(vt_args *a, vt_value *out)
{
	if (unlikely(a->rt->s->offer != NULL))
		return merge_offered(a);
	merging m = {a, a->v[2], a->v[3]};
	int64_t levels = vt_int_clamped(a->v[4]);
	if (only_replaces(&m, vt_as_dict(a->v[1]), levels))
		return merge_flat(a, out);
	if (levels == 0 && !vt_is(m.items, LAMBDA) && vt_dict_merges(a->v[0], a->v[1]) &&
		vt_fold_may_change(a)) {
		vt_dict_merge(a->rt, vt_as_dict(a->v[0]), vt_as_dict(a->v[1]));
		*out = vt_copy(a->v[0]);
		return VT_OK;
	}
	if (merge_in_place(&m, levels, out))
		return VT_OK;
	return merge_dicts(&m, a->v[0], a->v[1], levels, out);
}
