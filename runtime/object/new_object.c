/*
 * new_object.c - what new() makes: by a maker (init_properties.c) where it can, else by a load.
 */
#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/core/shape.h"
#include "runtime/object/object.h"
#include "runtime/object/store.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>
#include <string.h>

/* ---- makers of sites and shapes ---- */

static struct vt_made_by *
maker_place(const struct vt_store *s, const void *site, vt_value type)
{
	uint64_t h = ((uintptr_t)site ^ type * 31) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t i = (uint32_t)(h >> 40) & (s->mcap - 1);
	while (s->makers[i].m != NULL && (s->makers[i].site != site || s->makers[i].type != type))
		i = (i + 1) & (s->mcap - 1);
	return &s->makers[i];
}

vt_maker *
vt_maker_at(vt_rt *rt, const void *site, vt_value type)
{
	const struct vt_store *s = vt_store_of(rt);
	return s->mcap > 0 ? maker_place(s, site, type)->m : NULL;
}

void
vt_maker_keep(vt_rt *rt, const void *site, vt_value type, vt_maker *m)
{
	struct vt_store *s = vt_store_of(rt);
	if (2 * (s->nmakers + 1) > s->mcap) {
		struct vt_made_by *old = s->makers;
		uint32_t n = s->mcap;
		s->mcap = n ? 2 * n : 16;
		s->makers = vt_xmalloc(s->mcap * sizeof *s->makers);
		memset(s->makers, 0, s->mcap * sizeof *s->makers);
		for (uint32_t i = 0; i < n; i++)
			if (old[i].m != NULL)
				*maker_place(s, old[i].site, old[i].type) = old[i];
		free(old);
	}
	*maker_place(s, site, type) = (struct vt_made_by){site, type, m};
	s->nmakers++;
}

/* More than that are of a program that makes up its keys. */
enum { MOST_RECORD_MAKERS = 1000, MOST_GIVEN = 16 };

static __attribute__((cold)) vt_maker *
record_maker(vt_rt *rt, vt_class *cls, const vt_shape *shape, uint32_t n)
{
	vt_value constants[MOST_GIVEN];
	const vt_str *names[MOST_GIVEN];
	vt_maker *m;
	if (vt_store_of(rt)->nmakers >= MOST_RECORD_MAKERS)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		if (shape->key[i]->s[0] == '_')
			return NULL;
		names[i] = shape->key[i];
		constants[i] = VT_UNDEF;
	}
	m = vt_maker_new(rt, cls, 0, n, names, constants);
	vt_maker_keep(rt, shape, cls->typeref, m);
	return m;
}

/* Of the properties in a record, whose shape has a maker; what vt_make gives. */
static int
make_record(vt_rt *rt, vt_class *cls, const vt_unit *caller, vt_object *owner, vt_value given,
	vt_value *out)
{
	const vt_dict *d = vt_as_dict(given);
	vt_maker *m;
	if (!vt_is(given, DICT) || d->shape == NULL || d->n > MOST_GIVEN || vt_metered(rt))
		return -1;
	m = vt_maker_at(rt, d->shape, cls->typeref);
	if (m == NULL && (m = record_maker(rt, cls, d->shape, d->n)) == NULL)
		return -1;
	return vt_make(rt, m, caller, owner, d->v, out);
}

/* ---- new() ---- */

static vt_status
copy_extra(vt_rt *rt, vt_dict *to, vt_value extra)
{
	vt_value key, v;
	for (uint32_t i = 0; vt_is(extra, DICT) && vt_dict_at(vt_as_dict(extra), &i, &key, &v);)
		if (vt_is(key, STR) && vt_as_str(key)->s[0] == '_')
			VT_TRY(vt_dict_set(rt, to, key, v));
	return VT_OK;
}

/* new(): the inline form, with a store of its own. */
vt_status
vt_new_object(vt_rt *rt, const vt_unit *caller, vt_class *cls, vt_value params, vt_value owner,
	vt_value name, vt_value extra, vt_value *out)
{
	vt_dict *model;
	vt_object *o = vt_is(owner, OBJECT) || vt_is(owner, CAST) ? vt_obj_of(owner) : NULL;
	vt_value set = VT_NULL;
	vt_status st;
	if (vt_is(params, DICT)) /* an iterator must last for both passes */
		VT_TRY(vt_final_fast(rt, caller ? caller : &vt_core_unit, params, &set));
	if ((name == VT_UNDEF || name == VT_NULL) && !vt_is(extra, DICT) &&
		(st = make_record(rt, cls, caller, o, set, out)) >= 0) {
		vt_release(set);
		return st;
	}
	model = vt_dict_new(rt, true);
	st = vt_dict_set(rt, model, cls->typeref, set);
	vt_release(set);
	vt_dict_set_c(rt, model, "name", vt_copy(name == VT_UNDEF ? VT_NULL : name));
	if (st == VT_OK)
		st = copy_extra(rt, model, extra);
	if (st == VT_OK)
		st = vt_store_load(rt, vt_mkptr(model), o, NULL, false, caller, out);
	vt_release(vt_mkptr(model));
	return st;
}

vt_status
vt_new_of_model(vt_rt *rt, const vt_unit *caller, vt_value model, vt_object *owner, vt_value *out)
{
	vt_value type, given;
	uint32_t pos = 0;
	int st = -1;
	if (vt_is(model, DICT) && vt_dict_len(vt_as_dict(model)) == 1 &&
		vt_dict_at(vt_as_dict(model), &pos, &type, &given) && vt_is(type, TYPEREF))
		st = make_record(rt, vt_cls_of(type), caller, owner, given, out);
	return st >= 0 ? st : vt_store_load(rt, model, owner, NULL, false, caller, out);
}
