/*
 * definition.h - what the definition of an object says.
 */
#ifndef VT_OBJECT_DEFINITION_H
#define VT_OBJECT_DEFINITION_H

#include "runtime/core/dict.h"
#include "runtime/object/store.h"

/* What "?" or the inline form says. Borrowed from the model, but for cls. */
typedef struct vt_parsed {
	vt_class *cls;
	vt_value model, props, id, name, metadata, destroyed, dependencies, header;
	bool designer; /* there may be designer keys */
	bool plain;    /* "?" has an id and a type at most */
} vt_parsed;

vt_status vt_parse_model(
	vt_rt *, vt_value model, const vt_unit *scope, vt_class *dflt, vt_parsed *);
vt_value vt_header_get(vt_value header, const char *key); /* borrowed, or VT_NULL */

static inline uint32_t
vt_model_place(const vt_dict *d)
{
	return ((uintptr_t)d->shape >> 4 ^ (uintptr_t)d->shape >> 8) & (VT_KNOWN_MODELS - 1);
}

/* Most objects look as one before: the same shapes and the same type. */
static inline bool
vt_as_before(const struct vt_store *s, vt_value model, vt_parsed *p)
{
	const vt_known_model *k;
	const vt_dict *d, *header;
	if (!vt_is(model, DICT) || (d = vt_as_dict(model))->shape == NULL)
		return false;
	k = &s->before[vt_model_place(d)];
	if (k->model != d->shape)
		return false;
	p->header = d->v[k->header];
	if (!vt_is(p->header, DICT) || (header = vt_as_dict(p->header))->shape != k->of_header ||
		header->v[k->type] != vt_mkptr(k->name))
		return false;
	p->cls = k->cls;
	p->props = model;
	p->id = k->id > 0 ? header->v[k->id - 1] : VT_NULL;
	p->dependencies = VT_NULL;
	p->plain = true;
	return true;
}

static inline bool
vt_class_in(const vt_ic *ic, const vt_class *cls)
{
	uint64_t c = (uint64_t)(uintptr_t)cls;
	return c == (uint64_t)(uintptr_t)ic->key || c == (uint64_t)(uintptr_t)ic->target ||
	       c == ic->aux || c == ic->aux2;
}

/* Is it data that looks so, of one of the four classes that a cache of class() has? */
static inline bool
vt_loads_as(const struct vt_store *s, vt_value model, const vt_ic *ic)
{
	vt_parsed p;
	return vt_as_before(s, model, &p) && vt_class_in(ic, p.cls);
}

#endif
