/*
 * attribute.c - `a.name`: a key of a dict, a property of an object, a cast or a type, a member of a
 * host's value, an attribute of dates and spans, and each item's of a collection.
 */
#include "runtime/call/call.h"
#include "runtime/call/resolve.h"
#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/seq/lambda_program.h"
#include "runtime/seq/seq.h"

#include <stdio.h>
#include <string.h>

/*
 * The lazy `collection.name`: v[0] is a list, of which i[0] says where it stands, or an iterator;
 * v[1] what that has given and bulk could not use, from i[0] on. p: the site. Keeps no scope: the
 * one of the call may be gone, and a name needs none.
 */
static vt_status
next_attr(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value item = VT_UNDEF, list = vt_is_sequence(it->v[0]) ? it->v[0] : it->v[1];
	vt_status st;
	*out = VT_UNDEF;
	if (list != VT_UNDEF && it->i[0] < vt_as_list(list)->n)
		item = vt_copy(vt_as_list(list)->v[it->i[0]++]);
	else if (list != it->v[0])
		VT_TRY(vt_next(rt, it->v[0], &item));
	if (item == VT_UNDEF)
		return VT_OK;
	st = vt_attr(rt, NULL, it->p, item, out);
	vt_release(item);
	return st;
}

/* Which of its slots the site has found: its cache's, or what other classes found there. */
static inline const vt_value *
slot_again(vt_rt *rt, const vt_site *site, const vt_ic *ic, const void *key, const vt_object *o)
{
	if (ic->key != key && (ic = vt_found_by(rt, site, key)) == NULL)
		return NULL;
	/* aux2: of a cast, the class that the object is of */
	return ic->aux2 == 0 || ic->aux2 == (uintptr_t)o->cls ? &o->v[ic->aux - 1] : NULL;
}

/* What a dict has of that name, or an object of a class that the site knows; or VT_UNDEF. */
static inline vt_value
member_again(vt_rt *rt, const vt_site *site, vt_value x, bool still)
{
	vt_ic *ic = vt_ic_at(rt, site->ic);
	const vt_value *slot;
	if (likely(vt_is(x, DICT)))
		return vt_dict_get_ic(vt_as_dict(x), site->name, ic);
	if (!still || (!vt_is(x, OBJECT) && !vt_is(x, CAST)))
		return VT_UNDEF;
	slot = slot_again(rt, site, ic, vt_key_of(x), vt_obj_of(x));
	return slot != NULL ? *slot : VT_UNDEF;
}

/* Of as many of the items as have it so. */
static uint32_t
members_of(
	vt_rt *rt, const vt_site *site, uint32_t n, const vt_value *item, bool still, vt_value *out)
{
	enum { AHEAD = 24 };
	uint32_t i = 0;
	for (; i < n; i++) {
		vt_value v = member_again(rt, site, item[i], still);
		if (i + AHEAD < n && vt_is_ptr(item[i + AHEAD]))
			__builtin_prefetch(vt_head_of(item[i + AHEAD]));
		if (v == VT_UNDEF)
			break;
		out[i] = vt_copy(v);
	}
	return i;
}

static uint32_t
members_of_list(vt_rt *rt, vt_iter *it, const vt_list *l, uint32_t room, bool still, vt_value *out)
{
	uint32_t left = it->i[0] < l->n ? l->n - (uint32_t)it->i[0] : 0, n;
	n = members_of(rt, it->p, left < room ? left : room, l->v + it->i[0], still, out);
	it->i[0] += n;
	return n;
}

/* What the iterator gives at once, in its place; what has no such member waits for next(). */
static uint32_t
members_of_iter(vt_rt *rt, vt_iter *it, uint32_t room, bool still, vt_value *out)
{
	vt_iter *from = VT_AS(vt_iter, it->v[0]);
	uint32_t n, i = 0;
	from->h.aux = still ? VT_STILL : 0;
	it->h.aux = VT_ONE_WAY;
	n = from->ops->bulk(rt, from, room, out);
	it->h.aux |= from->h.aux & (VT_NO_MORE | VT_AT_END);
	for (vt_value v; i < n && members_of(rt, it->p, 1, &out[i], still, &v) == 1; i++)
		vt_move(&out[i], v);
	if (i < n) {
		vt_list *rest = vt_list_grow(rt, VT_K_LIST, n - i);
		vt_list_append(rt, rest, n - i, out + i);
		vt_move(&it->v[1], vt_mkptr(rest));
		it->i[0] = 0;
		it->h.aux = VT_ONE_WAY;
	}
	return i;
}

static uint32_t
bulk_attr(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	const bool still = (it->h.aux & VT_STILL) != 0; /* properties may change else */
	if (rt->ic == NULL)
		return 0;
	if (vt_is_sequence(it->v[0]))
		return members_of_list(rt, it, vt_as_list(it->v[0]), room, still, out);
	if (it->v[1] != VT_UNDEF && it->i[0] < vt_as_list(it->v[1])->n) {
		it->h.aux = VT_ONE_WAY;
		return members_of_list(rt, it, vt_as_list(it->v[1]), room, still, out);
	}
	if (!vt_is(it->v[0], ITER) || VT_AS(vt_iter, it->v[0])->ops->bulk == NULL) {
		it->h.aux = VT_NO_MORE;
		return 0;
	}
	return members_of_iter(rt, it, room, still, out);
}

static const vt_iter_ops attr_ops = {next_attr, NULL, "map", 48, bulk_attr};

static vt_status
attr_of_each(vt_rt *rt, const vt_site *site, vt_value a, vt_value *out)
{
	vt_value source = VT_UNDEF;
	vt_iter *it;
	if (vt_is_sequence(a) && !vt_metered(rt) &&
		(site->unit == NULL || site->unit->opt.limit_iterators < 0))
		source = vt_copy(a);
	else
		VT_TRY(vt_iterate_limited(rt, site->unit, a, &source));
	it = vt_iter_new(rt, &attr_ops);
	it->v[0] = source;
	it->p = (void *)(uintptr_t)site;
	*out = vt_mkptr(it);
	return VT_OK;
}

static vt_status
no_key(vt_rt *rt, const vt_unit *unit, const vt_str *name, vt_value *out)
{
	if (unit != NULL && (unit->layers & VT_L_LEGACY)) {
		*out = VT_NULL;
		return VT_OK;
	}
	return vt_raise_key(rt, vt_mkptr(name));
}

/* Does code of the unit read the slot itself when it names the property of the object, seen as one
 * of the class? */
static bool
plain_slot(const vt_unit *unit, vt_class *as, vt_object *o, const vt_str *name, uint32_t *slot)
{
	vt_class *mine = unit->cls ? vt_class_seen(as, unit->cls) : NULL;
	vt_propinfo p;
	if (!vt_class_symbol(mine ? mine : as, name, &p) || !vt_class_symbol(o->cls, name, &p) ||
		p.ambiguous || p.decl->usage == VT_P_STATIC)
		return false;
	*slot = p.slot;
	return true;
}

static __attribute__((cold)) void
learn_attr(vt_rt *rt, const vt_site *site, vt_value a, vt_ic *ic)
{
	vt_object *o = vt_is(a, TYPEREF) ? NULL : vt_obj_of(a);
	const void *was = ic->key;
	uint32_t slot;
	if (o == NULL || !plain_slot(site->unit, vt_cls_of(a), o, site->name, &slot)) {
		if (!vt_is(a, CAST))
			vt_learn_static(rt, site->unit, a, site->name, ic);
		return;
	}
	*ic = (vt_ic){.key = vt_key_of(a),
		.aux = slot + 1,
		.aux2 = vt_is(a, CAST) ? (uintptr_t)o->cls : 0};
	if (was != NULL)
		vt_keep_found(rt, site, ic);
}

/* Of an object, a cast or a type. */
static vt_status
object_attr(vt_rt *rt, const vt_site *site, vt_value a, vt_value *out)
{
	vt_ic *ic = rt->ic != NULL ? vt_ic_at(rt, site->ic) : NULL;
	bool type = vt_is(a, TYPEREF);
	const void *key = vt_key_of(a);
	const vt_value *slot;
	vt_status st;
	if (ic != NULL && !type && (slot = slot_again(rt, site, ic, key, vt_obj_of(a))) != NULL &&
		*slot != VT_UNDEF) {
		*out = vt_copy(*slot);
		return VT_OK;
	}
	if (ic != NULL && vt_get_static_again(rt, site->unit, a, ic, out, &st))
		return st;
	if (type)
		VT_TRY(vt_get_static(rt, site->unit, vt_cls_of(a), site->name, out));
	else
		VT_TRY(vt_get_prop(rt, site->unit, a, site->name, out));
	if (ic != NULL && ic->key != key)
		learn_attr(rt, site, a, ic);
	return VT_OK;
}

static vt_status
dict_attr(vt_rt *rt, const vt_site *site, vt_value a, vt_value *out)
{
	vt_value v = rt->ic != NULL
			     ? vt_dict_get_ic(vt_as_dict(a), site->name, vt_ic_at(rt, site->ic))
			     : vt_dict_get_str(vt_as_dict(a), site->name);
	if (v == VT_UNDEF)
		return no_key(rt, site->unit, site->name, out);
	*out = vt_copy(v);
	return VT_OK;
}

/* In a cache: what is kept there is the row of a property of dates, spans or
 * reflection. */
static const char property_key;

/* The only function that the property of such a value can be; NULL: it has to be looked for. */
static const vt_fnrow *
property_row(vt_rt *rt, const vt_unit *unit, vt_value a, const vt_str *name)
{
	char full[64];
	uint32_t n;
	const vt_fnrow *rows, *found = NULL;
	if (snprintf(full, sizeof full, "#property#%s", name->s) >= (int)sizeof full ||
		vt_host_defined(rt, full) || vt_host_defined(rt, "#operator_."))
		return NULL;
	rows = vt_fn_find(full, &n);
	for (uint32_t i = 0; rows != NULL && i < n; i++) {
		bool fits = rows[i].nparams == 1 &&
			    vt_row_is_there(&rows[i], unit ? unit->layers : 0) &&
			    vt_type_check(rt, unit, &rows[i].params[0], a);
		if (fits && found != NULL)
			return NULL;
		found = fits ? &rows[i] : found;
	}
	return found;
}

/* *done: the property of such a value has been asked for. */
static vt_status
property(vt_rt *rt, vt_scope *sc, const vt_site *site, vt_value a, bool *done, vt_value *out)
{
	vt_ic *ic = rt->ic != NULL ? vt_ic_at(rt, site->ic) : NULL;
	bool naive = vt_is(a, DATETIME) && (VT_AS(vt_datetime, a)->naive || vt_is_date(a));
	*done = false;
	if (ic == NULL || naive || vt_metered(rt) || (sc != NULL && vt_scope_hides(sc)))
		return VT_OK;
	if (ic->key != &property_key || ic->aux != vt_tag_of(a)) {
		const vt_fnrow *row = property_row(rt, site->unit, a, site->name);
		if (row == NULL)
			return VT_OK;
		*ic = (vt_ic){.key = &property_key,
			.target = (void *)(uintptr_t)row,
			.aux = vt_tag_of(a)};
	}
	*done = true;
	return ((const vt_fnrow *)ic->target)
		->fn(&(vt_args){.rt = rt,
			     .scope = sc,
			     .unit = site->unit,
			     .site = site,
			     .row = ic->target,
			     .self = VT_UNDEF,
			     .kw = VT_NULL,
			     .v = &a,
			     .nv = 1},
			out);
}

static vt_status
attr(vt_rt *rt, vt_scope *sc, const vt_site *site, vt_value a, vt_value *out)
{
	if (vt_is(a, DICT))
		return dict_attr(rt, site, a, out);
	if (vt_is(a, DATETIME) || vt_is(a, TIMESPAN) || vt_is(a, REFLECT)) {
		bool done;
		vt_status st = property(rt, sc, site, a, &done, out);
		if (done)
			return st;
	}
	if (vt_is(a, OBJECT) || vt_is(a, CAST) || vt_is(a, TYPEREF))
		return object_attr(rt, site, a, out);
	if (vt_is(a, HOST) && vt_has_items(a)) {
		const vt_foreign *f = vt_foreign_of(a); /* its own members first */
		bool done;
		vt_status st = f->ops->get(rt, f->user, site->name->s, out, &done);
		if (done)
			return st;
	}
	if (vt_is_iterable(site->unit, a))
		return attr_of_each(rt, site, a, out);
	return vt_call_member(rt, sc, site->unit, site, a, site->name, out);
}

/* Of an object whose class the site has seen, but not last. */
static inline bool
attr_again(vt_rt *rt, const vt_site *site, vt_value a, vt_value *out)
{
	const vt_object *o = VT_AS(vt_object, a);
	const vt_value *slot;
	if (!vt_is(a, OBJECT) ||
		(slot = slot_again(rt, site, vt_ic_at(rt, site->ic), o->cls, o)) == NULL ||
		*slot == VT_UNDEF)
		return false;
	*out = vt_copy(*slot);
	return true;
}

vt_status
vt_attr(vt_rt *rt, vt_scope *sc, const vt_site *site, vt_value a, vt_value *out)
{
	vt_status st;
	bool known = rt->ic != NULL && (vt_is(a, OBJECT) || vt_is(a, TYPEREF));
	if (known && vt_get_static_again(rt, site->unit, a, vt_ic_at(rt, site->ic), out, &st))
		return st == VT_ERROR ? vt_placed(rt, site) : st;
	if (known && attr_again(rt, site, a, out))
		return VT_OK;
	st = attr(rt, sc, site, a, out);
	return st == VT_ERROR ? vt_placed(rt, site) : st;
}

vt_value
vt_attr_learn(vt_rt *rt, const vt_site *site, vt_value a)
{
	vt_ic *ic = vt_ic_at(rt, site->ic);
	const vt_object *o;
	const vt_value *slot;
	if (!vt_is(a, OBJECT)) {
		if (vt_is(a, DICT))
			(void)vt_dict_get_ic(vt_as_dict(a), site->name, ic);
		return vt_member_of(ic, a);
	}
	o = VT_AS(vt_object, a);
	if ((slot = slot_again(rt, site, ic, o->cls, o)) == NULL) {
		learn_attr(rt, site, a, ic);
		slot = slot_again(rt, site, ic, o->cls, o);
	}
	return slot != NULL ? *slot : VT_UNDEF;
}
