/* attributes.c - what code keeps beside an object, by class and key: muranopl-engine.md O8. */
#include "runtime/core/session.h"
#include "runtime/object/object.h"
#include "runtime/object/store.h"

#include <string.h>

/*
 * {object id: (class, {key: value})}: rows come out by object, as the reference writes them.  Most
 * objects have attributes of one class, whose keys stand as they are; those of other classes, and
 * all keys that are tuples, are (class, key).
 */
static const vt_list *
attributes_of(vt_rt *rt, vt_value id)
{
	vt_value all = rt->s->attributes;
	vt_value own = vt_is(all, DICT) ? vt_dict_get(vt_as_dict(all), id) : VT_UNDEF;
	return own == VT_UNDEF ? NULL : vt_as_list(own);
}

static vt_value
key_among(vt_rt *rt, const vt_list *own, const vt_str *cls, vt_value key)
{
	vt_value part[2] = {vt_mkptr(cls), key}, made = VT_UNDEF;
	if (!vt_is(key, TUPLE) && vt_str_eq(vt_as_str(own->v[0]), cls))
		return vt_copy(key);
	(void)vt_tuple_of(rt, 2, part, &made);
	return made;
}

vt_value
vt_attribute_get(vt_rt *rt, const vt_object *o, const vt_str *cls, vt_value key)
{
	const vt_list *own = attributes_of(rt, vt_object_id(o));
	vt_value k, v;
	if (own == NULL)
		return VT_NULL;
	k = key_among(rt, own, cls, key);
	v = vt_dict_get(vt_as_dict(own->v[1]), k);
	vt_release(k);
	return v == VT_UNDEF ? VT_NULL : v;
}

static const vt_list *
attributes_made(vt_rt *rt, vt_value id, const vt_str *cls)
{
	const vt_list *own = attributes_of(rt, id);
	vt_value part[2] = {vt_mkptr(cls)}, made;
	if (own != NULL)
		return own;
	if (!vt_is(rt->s->attributes, DICT))
		vt_move(&rt->s->attributes, vt_mkptr(vt_dict_new_hashed(rt, false)));
	part[1] = vt_mkptr(vt_dict_new_hashed(rt, false));
	(void)vt_tuple_of(rt, 2, part, &made);
	vt_release(part[1]);
	(void)vt_dict_set(rt, vt_as_dict(rt->s->attributes), id, made);
	vt_release(made);
	return attributes_of(rt, id);
}

vt_status
vt_attribute_put(vt_rt *rt, vt_value id, const vt_str *cls, vt_value key, vt_value v)
{
	const vt_list *own = attributes_made(rt, id, cls);
	vt_value k = key_among(rt, own, cls, key);
	vt_status st = VT_OK;
	if (v != VT_NULL)
		st = vt_dict_set(rt, vt_as_dict(own->v[1]), k, v);
	else
		(void)vt_dict_del(rt, vt_as_dict(own->v[1]), k);
	vt_release(k);
	return st;
}

vt_status
vt_attribute_set(vt_rt *rt, const vt_object *o, const vt_str *cls, vt_value key, vt_value v)
{
	bool object = vt_is(v, OBJECT) || vt_is(v, CAST);
	return vt_attribute_put(
		rt, vt_object_id(o), cls, key, object ? vt_object_id(vt_obj_of(v)) : v);
}

static bool
is_in_set(vt_rt *rt, vt_value id, const void *objects)
{
	(void)rt;
	return vt_set_has(objects, id);
}

vt_value
vt_attribute_rows(vt_rt *rt, const vt_set *objects)
{
	return vt_attribute_rows_of(rt, is_in_set, objects);
}

vt_value
vt_attribute_rows_of(
	vt_rt *rt, bool (*has)(vt_rt *, vt_value id, const void *), const void *objects)
{
	vt_list *l = vt_list_grow(rt, VT_K_LIST, 0);
	vt_value all = rt->s->attributes, id, own, k, v, row;
	const vt_list *pair;
	for (uint32_t p = 0; vt_is(all, DICT) && vt_dict_at(vt_as_dict(all), &p, &id, &own);) {
		if (!has(rt, id, objects))
			continue;
		pair = vt_as_list(own);
		for (uint32_t q = 0; vt_dict_at(vt_as_dict(pair->v[1]), &q, &k, &v);) {
			vt_value part[4] = {id, pair->v[0], k, v};
			if (vt_is(k, TUPLE))
				memcpy(part + 1, vt_as_list(k)->v, 2 * sizeof *part);
			(void)vt_tuple_of(rt, 4, part, &row);
			vt_list_push(rt, l, row);
		}
	}
	return vt_mkptr(l);
}

void
vt_attributes_forget(vt_rt *rt)
{
	vt_value all = rt->s->attributes, id, own;
	vt_list *gone;
	if (!vt_is(all, DICT))
		return;
	gone = vt_list_grow(rt, VT_K_LIST, 0);
	for (uint32_t p = 0; vt_dict_at(vt_as_dict(all), &p, &id, &own);) {
		vt_object *o = vt_is(id, STR) ? vt_store_peek(rt, vt_as_str(id)) : NULL;
		if (o != NULL && o->destroyed)
			vt_list_push(rt, gone, vt_copy(id));
	}
	for (uint32_t i = 0; i < gone->n; i++)
		(void)vt_dict_del(rt, vt_as_dict(all), gone->v[i]);
	vt_release(vt_mkptr(gone));
}
