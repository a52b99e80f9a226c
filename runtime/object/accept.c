/*
 * accept.c - values that a contract hands on as they are, by the table that the emitter made of it.
 *
 * The contract does not run for them.  All else, and whatever a predicate says but true, is for the
 * contract: it makes objects, adds members and says what is wrong.
 */
#include "runtime/core/blocks.h"
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/object/contract.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"

/* ---- lists and dicts of plain items ---- */

/* Is it evaluated, so that what changes nothing of it may hand it on? */
static bool
is_final(vt_value v, enum vt_kind kind, uint8_t flags)
{
	return VT_KIND(v) == (int)kind && (vt_head_of(v)->flags & flags) == flags;
}

/* The classes of items that are in a set of VT_TAKES_*. */
static unsigned
classes_in(uint32_t set)
{
	return (set & VT_TAKES_INT ? VT_ITEM_INT : 0u) | (set & VT_TAKES_NULL ? VT_ITEM_NULL : 0u) |
	       ((set & VT_TAKES_BOOL) == VT_TAKES_BOOL ? VT_ITEM_BOOL : 0u) |
	       (set & VT_TAKES_KIND(VT_K_STR) ? VT_ITEM_STR : 0u) |
	       (set & VT_TAKES_KIND(VT_K_FLOAT) ? VT_ITEM_FLOAT : 0u);
}

/* Was it looked at, with nothing else found? */
static bool
is_known(unsigned found, uint32_t set)
{
	return found != 0 && (found & ~classes_in(set)) == 0;
}

int
vt_takes_items(vt_value v, uint32_t set)
{
	vt_list *l = vt_as_list(v);
	unsigned found = 0;
	if (!is_final(v, VT_K_TUPLE, VT_F_FINAL))
		return 0;
	if ((set & VT_TAKES_ANY) == VT_TAKES_ANY || is_known(l->h.aux, set))
		return 1;
	for (uint32_t i = 0; i < l->n; i++) {
		if (vt_is_int(l->v[i]) && (set & VT_TAKES_INT)) {
			found |= VT_ITEM_INT;
			continue;
		}
		if (!vt_takes(l->v[i], set))
			return 0;
		found |= vt_item_class(l->v[i]);
	}
	if (!(found & VT_ITEM_OTHER) && l->h.rc < VT_IMMORTAL)
		l->h.aux = (uint16_t)found;
	return 1;
}

/* What the values of a dict with a shape are, as vt_item_class says it; 0: the set lacks one. */
static unsigned
classes_of_values(const vt_dict *d, uint32_t set)
{
	unsigned found = 0;
	for (uint32_t i = 0; i < d->n; i++) {
		if (vt_is_int(d->v[i]) && (set & VT_TAKES_INT)) {
			found |= VT_ITEM_INT;
			continue;
		}
		if (!vt_takes(d->v[i], set))
			return 0;
		found |= vt_item_class(d->v[i]);
	}
	return found;
}

int
vt_takes_entries(vt_value v, uint32_t keys, uint32_t values)
{
	vt_head *h = vt_head_of(v);
	vt_value key, value;
	unsigned found = 0;
	if (!is_final(v, VT_K_DICT, VT_F_FINAL | VT_F_FROZEN))
		return 0;
	if ((keys & values & VT_TAKES_ANY) == VT_TAKES_ANY ||
		(is_known(h->aux & 255, keys) && is_known(h->aux >> 8, values)))
		return 1;
	if (vt_as_dict(v)->shape != NULL && vt_as_dict(v)->n > 0) { /* which has texts alone */
		if (!(keys & VT_TAKES_KIND(VT_K_STR)))
			return 0;
		if ((values & VT_TAKES_ANY) == VT_TAKES_ANY)
			return 1;
		found = classes_of_values(vt_as_dict(v), values);
		if (found != 0 && !(found & VT_ITEM_OTHER) && h->rc < VT_IMMORTAL)
			h->aux = (uint16_t)(VT_ITEM_STR | found << 8);
		return found != 0;
	}
	for (uint32_t pos = 0; vt_dict_at(vt_as_dict(v), &pos, &key, &value);) {
		if (!vt_takes(key, keys) || !vt_takes(value, values))
			return 0;
		found |= vt_item_class(key) | vt_item_class(value) << 8;
	}
	if (!(found & (VT_ITEM_OTHER | VT_ITEM_OTHER << 8)) && h->rc < VT_IMMORTAL)
		h->aux = (uint16_t)found;
	return 1;
}

/* ---- values by tables ---- */

static inline bool
holds(vt_rt *rt, const vt_accept *a, vt_value v)
{
	for (uint32_t i = 0; i < VT_ACCEPT_CHECKS && a->check[i] != NULL; i++)
		if (!vt_holds(rt, a->check[i], v))
			return false;
	return true;
}

static inline __attribute__((always_inline)) bool
is_one(vt_rt *rt, const vt_accept *a, vt_value v)
{
	if (!(vt_takes(v, a->set) && vt_final_now(v)) &&
		(a->seen == NULL || rt->ic == NULL || !vt_sees_one(vt_ic_at(rt, a->seen), v)))
		return false;
	return holds(rt, a, v);
}

/* Do kinds alone decide? What was found of a list or dict is kept then. */
static bool
is_by_kind(const vt_accept *a)
{
	return a->kind == VT_ACCEPT_VALUE && a->seen == NULL && a->check[0] == NULL;
}

static bool
is_list(vt_rt *rt, const vt_accept *a, vt_value v)
{
	const vt_list *l = vt_as_list(v);
	if (is_by_kind(a->of))
		return vt_takes_items(v, a->of[0].set) != 0;
	if (!vt_is(v, TUPLE) || !(l->h.flags & VT_F_FINAL))
		return false;
	if (a->of->kind == VT_ACCEPT_VALUE) {
		for (uint32_t i = 0; i < l->n; i++)
			if (!is_one(rt, a->of, l->v[i]))
				return false;
		return true;
	}
	for (uint32_t i = 0; i < l->n; i++)
		if (!vt_accepted(rt, a->of, l->v[i]))
			return false;
	return true;
}

static bool
is_evaluated_dict(vt_value v)
{
	const uint8_t whole = VT_F_FINAL | VT_F_FROZEN;
	return vt_is(v, DICT) && (vt_head_of(v)->flags & whole) == whole;
}

static bool
is_dict(vt_rt *rt, const vt_accept *a, vt_value v)
{
	vt_value key, value;
	if (is_by_kind(&a->of[0]) && is_by_kind(&a->of[1]))
		return vt_takes_entries(v, a->of[0].set, a->of[1].set) != 0;
	if (!is_evaluated_dict(v))
		return false;
	for (uint32_t pos = 0; vt_dict_at(vt_as_dict(v), &pos, &key, &value);)
		if (!vt_accepted(rt, &a->of[0], key) || !vt_accepted(rt, &a->of[1], value))
			return false;
	return true;
}

static bool
is_record(vt_rt *rt, const vt_accept *a, vt_value v)
{
	const vt_dict *d = vt_as_dict(v);
	if (!is_evaluated_dict(v) || d->shape == NULL || d->n != a->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++) {
		const vt_str *key = d->shape->key[i];
		const vt_accept *of = &a->of[i];
		if ((key != a->keys[i] && !vt_same_text(key, a->keys[i])) ||
			!(of->kind == VT_ACCEPT_VALUE ? is_one(rt, of, d->v[i])
						      : vt_accepted(rt, of, d->v[i])))
			return false;
	}
	return true;
}

/* Of one value; predicates, and lists and dicts that are not evaluated yet, may say no later. */
static bool
may_be_one(const vt_accept *a, vt_value v)
{
	return vt_takes(v, a->set) || (a->seen != NULL && vt_is(v, OBJECT)) ||
	       ((a->set & VT_TAKES_FINAL) && (vt_is(v, DICT) || vt_is_sequence(v)));
}

bool
vt_may_accept(const vt_accept *a, vt_value v)
{
	vt_value key, value;
	uint32_t pos = 0;
	switch ((enum vt_accept_kind)a->kind) {
	case VT_ACCEPT_VALUE: return may_be_one(a, v);
	case VT_ACCEPT_LIST:
		return vt_is_sequence(v) &&
		       (vt_as_list(v)->n == 0 || vt_may_accept(a->of, vt_as_list(v)->v[0]));
	case VT_ACCEPT_DICT:
		return vt_is(v, DICT) && (!vt_dict_at(vt_as_dict(v), &pos, &key, &value) ||
						 vt_may_accept(&a->of[1], value));
	case VT_ACCEPT_RECORD: return vt_is(v, DICT) && vt_dict_len(vt_as_dict(v)) == a->n;
	}
	return false;
}

/* vt_settles leaves a list of scalars a list, which no table takes. */
bool
vt_settles_whole(vt_value v)
{
	vt_list *l = vt_as_list(v);
	if (!vt_is(v, LIST) || l->h.rc != 1 || vt_has_borrowings(l))
		return vt_settles(v);
	for (uint32_t i = 0; i < l->n; i++)
		if (!vt_final_now(l->v[i]))
			return vt_settles(v);
	l->h.kind = VT_K_TUPLE;
	l->h.aux = 0; /* how the list was made */
	l->h.flags |= VT_F_FINAL;
	return true;
}

int
vt_accepted(vt_rt *rt, const vt_accept *a, vt_value v)
{
	switch ((enum vt_accept_kind)a->kind) {
	case VT_ACCEPT_VALUE: return is_one(rt, a, v);
	case VT_ACCEPT_LIST: return is_list(rt, a, v);
	case VT_ACCEPT_DICT: return is_dict(rt, a, v);
	case VT_ACCEPT_RECORD: return is_record(rt, a, v);
	}
	return 0;
}
