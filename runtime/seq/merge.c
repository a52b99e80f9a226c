/*
 * merge.c - mergeWith() of a dict that nobody else holds: it is changed where it lies, and so are
 * the dicts in it.
 *
 * What a merge makes is a new dict at each level, which keeps the order of the old one.  So what
 * only the old one holds may become the new one.
 */
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/seq/seq.h"

enum { DEEPEST = 32 };

/* What a merge makes, and may change. */
static bool
is_made(vt_value v)
{
	return (vt_head_of(v)->flags & (VT_F_FROZEN | VT_F_FINAL)) == 0;
}

static inline bool
is_container(vt_value v)
{
	return vt_is_ptr(v) && (vt_is(v, DICT) || vt_is_sequence(v));
}

static bool
holds_container(const vt_dict *record)
{
	for (uint32_t i = 0; i < record->n; i++)
		if (is_container(record->v[i]))
			return true;
	return false;
}

/* Can v come to lie where `to` is?  VT_UNDEF: where nothing is. */
static bool
merges_value(vt_value to, vt_value v, uint32_t depth)
{
	vt_value key, inner;

	if (to == VT_UNDEF || !is_container(v))
		return true;
	if (!vt_is(v, DICT) || !vt_is(to, DICT) || to == v || depth == 0)
		return false;
	if (vt_as_dict(v)->shape != NULL && !holds_container(vt_as_dict(v)))
		return true;
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(v), &i, &key, &inner);)
		if (is_container(inner) &&
			!merges_value(vt_dict_get(vt_as_dict(to), key), inner, depth - 1))
			return false;
	return true;
}

bool
vt_dict_merges(vt_value x, vt_value y)
{
	return vt_is(x, DICT) && is_made(x) &&
	       (y == VT_UNDEF || (vt_is(y, DICT) && x != y && merges_value(x, y, DEEPEST)));
}

bool
vt_value_merges(vt_value to, vt_value v)
{
	return merges_value(to, v, DEEPEST);
}

vt_dict *
vt_dict_to_merge(vt_rt *rt, vt_value *to)
{
	if (vt_head_of(*to)->rc != 1 || !is_made(*to))
		vt_move(to, vt_mkptr(vt_dict_copy(rt, vt_as_dict(*to), false)));
	return vt_as_dict(*to);
}

void
vt_dict_merge_value(vt_rt *rt, vt_dict *d, vt_value key, vt_value v)
{
	vt_value *to = vt_dict_slot(d, key);

	if (to == NULL)
		(void)vt_dict_put(rt, d, key, v);
	else if (!vt_is_ptr(v) || !vt_is(v, DICT))
		vt_move(to, vt_copy(v));
	else
		vt_dict_merge(rt, vt_dict_to_merge(rt, to), vt_as_dict(v));
}

/* Of a record into one that has most of its keys, and at best all in the same places: how many of
 * its members, from the first on. */
static uint32_t
merge_record(vt_rt *rt, vt_dict *d, const vt_dict *y)
{
	uint32_t i, n;
	vt_value *to = vt_dict_record(d, &n);

	d->h.aux = 0;
	for (i = 0; i < y->n; i++) {
		const vt_str *key = y->shape->key[i];
		int at = i < n && d->shape->key[i] == key ? (int)i : vt_shape_find(d->shape, key);
		if (at < 0)
			break;
		if (is_container(y->v[i]))
			vt_dict_merge_value(rt, d, vt_mkptr(key), y->v[i]);
		else
			vt_move(&to[at], vt_copy(y->v[i]));
	}
	return i;
}

void
vt_dict_merge(vt_rt *rt, vt_dict *d, const vt_dict *y)
{
	bool records = d->shape != NULL && y->shape != NULL;
	vt_value key, v;

	for (uint32_t i = records ? merge_record(rt, d, y) : 0; vt_dict_at(y, &i, &key, &v);)
		vt_dict_merge_value(rt, d, key, v);
}
