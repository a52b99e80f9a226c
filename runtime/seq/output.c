/*
 * output.c - what leaves an expression: plain lists and dicts, made where they lie where nobody
 * else has them.
 *
 * And mergeWith() of a dict that nobody else holds: it is changed where it lies, and so are the
 * dicts in it.  What a merge makes is a new dict at each level, which keeps the order of the old
 * one.  So what only the old one holds may become the new one.
 */

#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
#include "runtime/core/kind.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"

/* What nobody can change need not be copied: a document's lists are tuples, but those who get
 * results see no difference. */
static inline bool
is_shared(const vt_walk *w, vt_value v)
{
	return w->shares && w->depth > 0 && vt_is_of_document(v);
}

static inline bool
is_plain(const vt_walk *w, vt_value v)
{
	return vt_is_scalar(v) || is_shared(w, v);
}

static bool
output_plain_list(const vt_walk *w, vt_list *l)
{
	enum { SHORT = 16 };

	if (l->n > SHORT || (l->h.kind == VT_K_TUPLE && !w->u->opt.tuples_to_lists))
		return false;
	for (uint32_t i = 0; i < l->n; i++)
		if (!is_plain(w, l->v[i]))
			return false;
	l->h.kind = VT_K_LIST;
	l->h.aux = 0; /* of a tuple: vt_item_class */
	l->h.flags &= (uint8_t)~VT_F_FINAL;
	return true;
}

/* A record of numbers and texts that nobody else holds only changes its kind: most of what queries
 * make. */
bool
vt_output_plain(const vt_walk *w, vt_value v)
{
	vt_dict *d = vt_as_dict(v);

	if (is_shared(w, v))
		return true;
	if (d->h.rc != 1 || vt_metered(w->rt) || w->u->opt.limit_iterators >= 0)
		return false;
	if (d->h.kind == VT_K_TUPLE || d->h.kind == VT_K_LIST)
		return output_plain_list(w, vt_as_list(v));
	if (d->h.kind != VT_K_DICT || d->shape == NULL)
		return false;
	for (uint32_t i = 0; i < d->n; i++)
		if (!is_plain(w, d->v[i]))
			return false;
	d->h.flags &= (uint8_t) ~(VT_F_FINAL | VT_F_FROZEN);
	return true;
}

/* The reference passes what it walks to #iter: dicts as their items, what has no length comes back
 * as a generator. */
static vt_status
quota_of_output(vt_walk *w, vt_value v)
{
	bool generator = vt_is(v, ITER) || vt_is(v, ORDERING) || vt_is(v, MEMO) ||
			 (vt_is(v, VIEW) && vt_head_of(v)->aux == VT_VIEW_VALUES);

	if (vt_is(v, DICT) || !(generator || vt_is_sequence(v) || vt_is_set_like(v)))
		return VT_OK;
	VT_TRY(vt_quota_value(w->rt, v));
	return generator ? vt_quota_bytes(w->rt, VT_LIMITED_SIZE) : VT_OK;
}

static vt_status output_item(vt_walk *, vt_value, vt_value *out);

/* A list that stays as it is meanwhile. */
static vt_status
output_list(vt_walk *w, vt_list *from, vt_value *out)
{
	vt_status st = vt_walk_deeper(w);
	vt_list *l;

	if (st != VT_OK)
		return st;
	vt_retain(vt_mkptr(from));
	l = vt_list_grow(w->rt, VT_K_LIST, from->n);
	for (uint32_t i = 0; st == VT_OK && i < from->n; i++) {
		vt_value v = from->v[i];
		if (is_plain(w, v))
			l->v[i] = vt_copy(v);
		else
			st = output_item(w, v, &l->v[i]);
		l->n = i + (st == VT_OK);
	}
	vt_release(vt_mkptr(from));
	w->depth--;
	return vt_settle(st, vt_mkptr(l), out);
}

/* Nothing is counted or limited on the way. */
static bool
is_short_way(const vt_walk *w)
{
	return w->own != NULL && !vt_metered(w->rt) && w->u->opt.limit_iterators < 0;
}

static bool
has_only_scalars(const vt_set *s)
{
	uint32_t pos = 0;
	vt_value item;

	while (vt_set_at(s, &pos, &item))
		if (!vt_is_scalar(item))
			return false;
	return true;
}

/* The set that a record's keys become, or that a set of scalars is; VT_UNDEF: of something else. */
static vt_value
set_at_once(vt_rt *rt, vt_value v)
{
	const vt_dict *d = vt_record_of_keys(v);
	vt_set *s;

	if (vt_is(v, SET) && has_only_scalars(VT_AS(vt_set, v)))
		return vt_copy(v);
	if (d == NULL)
		return VT_UNDEF;
	s = vt_set_new(rt);
	(void)vt_set_add_all(rt, s, d->n, vt_record_keys(d)); /* texts have a hash */
	return vt_mkptr(s);
}

/* convert_output_data of the reference: what leaves an expression. */
static vt_status
output_item(vt_walk *w, vt_value v, vt_value *out)
{
	const vt_options *o = &w->u->opt;

	if (vt_is_ptr(v) && is_shared(w, v)) {
		*out = vt_copy(v);
		return VT_OK;
	}
	if (vt_metered(w->rt))
		VT_TRY(quota_of_output(w, v));
	if (vt_is(v, DICT)) {
		if (o->limit_iterators >= 0 && vt_dict_len(vt_as_dict(v)) > o->limit_iterators)
			return vt_too_large(w->rt, o->limit_iterators);
		return vt_walk_dict(w, v, out);
	}
	if (vt_is_set_like(v)) {
		if (is_short_way(w) && !o->sets_to_lists &&
			(*out = set_at_once(w->rt, v)) != VT_UNDEF)
			return VT_OK;
		VT_TRY(vt_walk_items(w, v, VT_K_LIST, out));
		if (o->sets_to_lists) {
			vt_head_of(*out)->aux = VT_LIST_SET;
			return VT_OK;
		}
		return vt_walk_set(w, *out, out);
	}
	if (is_short_way(w) && (vt_is(v, LIST) || (vt_is(v, TUPLE) && o->tuples_to_lists)))
		return output_list(w, vt_as_list(v), out);
	if (vt_is(v, TUPLE))
		return vt_walk_items(w, v, o->tuples_to_lists ? VT_K_LIST : VT_K_TUPLE, out);
	if (vt_is(v, LIST) || vt_is(v, ITER) || vt_is(v, VIEW) || vt_is(v, ORDERING) ||
		vt_is(v, MEMO) || vt_has_items(v))
		return vt_walk_items(w, v, VT_K_LIST, out);
	*out = vt_copy(v);
	return VT_OK;
}

/* What nobody else holds is converted where it lies: an evaluation has just made it. */
static vt_status
output_in_place(vt_walk *w, uint32_t n, vt_value *v)
{
	vt_status st = vt_walk_deeper(w);

	for (uint32_t i = 0; st == VT_OK && i < n; i++) {
		vt_value item = v[i];
		if (is_plain(w, item))
			continue;
		v[i] = VT_NULL;
		st = w->own(w, item, &v[i]);
		if (st != VT_OK) /* what stands there then is nobody's */
			v[i] = VT_NULL;
	}
	w->depth--;
	return st;
}

/* Keys that are no numbers and texts change on their way out, and may meet then. */
static bool
has_scalar_keys(vt_dict *d)
{
	vt_value key;

	for (uint32_t pos = 0; vt_dict_place(d, &pos, &key) != NULL;)
		if (!vt_is_scalar(key))
			return false;
	return true;
}

static vt_status
output_table_in_place(vt_walk *w, vt_dict *d)
{
	vt_value key, *v;
	vt_status st = VT_OK;

	for (uint32_t pos = 0; st == VT_OK && (v = vt_dict_place(d, &pos, &key)) != NULL;)
		st = output_in_place(w, 1, v);
	return st;
}

/* The list of an iterator over one that nobody else has, nor has begun to read; else the value. */
static vt_value
list_in_place(vt_value owned)
{
	vt_iter *it = VT_AS(vt_iter, owned);
	vt_value l = it->v[0];

	if (it->ops->bulk != vt_bulk_of_list || it->i[0] != 0 || !vt_is_sequence(l) ||
		vt_head_of(l)->rc != 1)
		return owned;
	it->v[0] = VT_UNDEF;
	vt_release(owned);
	vt_head_of(l)->kind = VT_K_LIST;
	return l;
}

/* The same of an ordering. */
static vt_status
order_in_place(vt_walk *w, vt_value *owned)
{
	vt_ordering *o = VT_AS(vt_ordering, *owned);
	vt_value sorted;

	VT_TRY(vt_ordering_sorted(w->rt, o, &sorted));
	if (vt_head_of(sorted)->rc != 1 || o->h.rc != 1)
		return VT_OK;
	o->sorted = VT_UNDEF;
	vt_move(owned, sorted);
	vt_head_of(sorted)->kind = VT_K_LIST;
	return VT_OK;
}

static vt_status
output_own(vt_walk *w, vt_value owned, vt_value *out)
{
	const vt_options *o = &w->u->opt;
	vt_status st = VT_OK;

	if (vt_is_scalar(owned) || vt_output_plain(w, owned)) {
		*out = owned;
		return VT_OK;
	}
	if (vt_head_of(owned)->rc == 1 && !vt_metered(w->rt) && o->limit_iterators < 0) {
		vt_head *h;
		uint32_t n;
		vt_value *values;
		if (vt_is(owned, ITER))
			owned = list_in_place(owned);
		else if (vt_is(owned, ORDERING) && (st = order_in_place(w, &owned)) != VT_OK)
			return vt_settle(st, owned, out);
		h = vt_head_of(owned);
		if (h->kind == VT_K_LIST || (h->kind == VT_K_TUPLE && o->tuples_to_lists)) {
			if (vt_has_borrowings(vt_as_list(owned)))
				vt_settle_borrowings(vt_as_list(owned));
			st = output_in_place(w, vt_as_list(owned)->n, vt_as_list(owned)->v);
			h->kind = VT_K_LIST;
			h->flags &= (uint8_t)~VT_F_FINAL;
			return vt_settle(st, owned, out);
		}
		if (h->kind == VT_K_DICT && (values = vt_dict_record(vt_as_dict(owned), &n))) {
			st = output_in_place(w, n, values);
			h->flags &= (uint8_t) ~(VT_F_FINAL | VT_F_FROZEN);
			return vt_settle(st, owned, out);
		}
		if (h->kind == VT_K_DICT && has_scalar_keys(vt_as_dict(owned))) {
			st = output_table_in_place(w, vt_as_dict(owned));
			h->flags &= (uint8_t) ~(VT_F_FINAL | VT_F_FROZEN);
			return vt_settle(st, owned, out);
		}
	}
	st = output_item(w, owned, out);
	vt_release(owned);
	return st;
}

static vt_status
convert_output(vt_rt *rt, const vt_unit *u, vt_value v, bool own, bool shares, vt_value *out)
{
	vt_walk w = {.rt = rt,
		.u = u,
		.item = output_item,
		.own = output_own,
		.frozen = false,
		.loose_sets = true,
		.shares = shares && !vt_metered(rt) && u->opt.limit_iterators < 0 &&
			  u->opt.tuples_to_lists};

	VT_TRY(own ? output_own(&w, v, out) : output_item(&w, v, out));
	if (vt_metered(rt) && vt_is(*out, LIST) && vt_head_of(*out)->aux == VT_LIST_APPENDED)
		vt_head_of(*out)->aux = VT_LIST_COLLECTED;
	return VT_OK;
}

vt_status
vt_convert_output(vt_rt *rt, const vt_unit *u, vt_value v, vt_value *out)
{
	return convert_output(rt, u, v, false, false, out);
}

vt_status
vt_convert_output_own(vt_rt *rt, const vt_unit *u, vt_value owned, vt_value *out)
{
	return convert_output(rt, u, owned, true, false, out);
}

vt_status
vt_convert_result(vt_rt *rt, const vt_unit *u, vt_value owned, vt_value *out)
{
	return convert_output(rt, u, owned, true, true, out);
}

/* ---- mergeWith() ---- */

enum { DEEPEST = 32 };

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
	return vt_is(x, DICT) && vt_dict_is_made(x) &&
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
	if (vt_head_of(*to)->rc != 1 || !vt_dict_is_made(*to))
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
