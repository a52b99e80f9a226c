/*
 * definition.c - reading the definition of an object, "?" and the inline form: O2, O3.
 *
 * Where shapes are known nothing is looked up by name.  Most objects look as one before, and
 * vt_as_before says all of them.
 */
#include "runtime/core/base.h"
#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/core/shape.h"
#include "runtime/object/definition.h"

#include <string.h>

static const struct header_name {
	const char *s;
	size_t n;
} header_names[VT_H_COUNT] = {
	[VT_H_ID] = {"id", 2},
	[VT_H_NAME] = {"name", 4},
	[VT_H_METADATA] = {"metadata", 8},
	[VT_H_DESTROYED] = {"destroyed", 9},
	[VT_H_DEPENDENCIES] = {"dependencies", 12},
	[VT_H_TYPE] = {"type", 4},
	[VT_H_VERSION] = {"classVersion", 12},
	[VT_H_PACKAGE] = {"package", 7},
	[VT_H_HEADER] = {"?", 1},
};

static void
learn_shape(vt_known_shape *k, const vt_shape *s)
{
	*k = (vt_known_shape){.shape = s};
	for (uint32_t i = 0; i < s->n; i++) {
		const vt_str *key = s->key[i];
		for (int h = 0; h < VT_H_COUNT; h++)
			if (header_names[h].n == key->bytes &&
				memcmp(header_names[h].s, key->s, key->bytes) == 0)
				k->at[h] = (uint8_t)(i + 1);
		k->typed = k->typed || vt_is_typename(key, true);
		k->designer = k->designer || key->s[0] == '_';
	}
	k->plain = !k->designer;
	for (int h = VT_H_NAME; h < VT_H_COUNT; h++)
		k->plain = k->plain && (h == VT_H_TYPE || k->at[h] == 0);
}

static const vt_known_shape *
other_shape(vt_known_shape *k, const vt_shape *s)
{
	if (k[1].shape == s)
		return k + 1;
	k[1] = k[0];
	learn_shape(k, s);
	return k;
}

/* NULL: the dict has no shape. The answer holds until the next call. Two shapes with one place are
 * both kept. */
static inline const vt_known_shape *
known_shape(struct vt_store *s, const vt_dict *d)
{
	vt_known_shape *k;
	if (unlikely(d->shape == NULL))
		return NULL;
	k = &s->known[((uintptr_t)d->shape >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32 &
		      (VT_KNOWN_SHAPES - 2)];
	return likely(k[0].shape == d->shape) ? k : other_shape(k, d->shape);
}

static inline vt_value
member_at(const vt_known_shape *k, const vt_dict *d, enum vt_header_key key)
{
	vt_value v;
	if (k != NULL)
		return k->at[key] > 0 ? d->v[k->at[key] - 1] : VT_NULL;
	v = vt_dict_get_c(d, header_names[key].s);
	return v == VT_UNDEF ? VT_NULL : v;
}

vt_value
vt_header_get(vt_value header, const char *key)
{
	vt_value v = vt_is(header, DICT) ? vt_dict_get_c(vt_as_dict(header), key) : VT_UNDEF;
	return v == VT_UNDEF ? VT_NULL : v;
}

/* All but the type. */
static void
parse_header(vt_parsed *p, const vt_known_shape *k)
{
	const vt_dict *d = vt_as_dict(p->header);
	p->id = member_at(k, d, VT_H_ID);
	p->name = member_at(k, d, VT_H_NAME);
	p->metadata = member_at(k, d, VT_H_METADATA);
	p->destroyed = member_at(k, d, VT_H_DESTROYED);
	p->dependencies = member_at(k, d, VT_H_DEPENDENCIES);
	p->designer = k == NULL || k->designer;
}

static inline vt_value
member_of(const vt_known_shape *k, const vt_dict *d, enum vt_header_key key)
{
	return k->at[key] > 0 ? d->v[k->at[key] - 1] : VT_NULL;
}

static vt_class *
type_value(vt_value v)
{
	if (vt_is(v, TYPEREF))
		return vt_cls_of(v);
	if (vt_is(v, REFLECT) && vt_head_of(v)->aux == VT_R_TYPE)
		return (vt_class *)VT_AS(vt_reflect_obj, v)->what;
	return NULL;
}

/* {ns:Type: {..}, id, name}: the first key that is, or names, a type. */
static vt_status
parse_inline(vt_rt *rt, vt_value model, const vt_unit *scope, vt_parsed *p, bool *hit)
{
	vt_value key, v;
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(model), &i, &key, &v);) {
		p->cls = type_value(key);
		if (p->cls == NULL && scope != NULL && vt_is(key, STR) &&
			vt_is_typename(vt_as_str(key), true)) {
			p->cls = vt_unit_class(rt, scope, vt_as_str(key));
			if (p->cls == NULL)
				return VT_ERROR;
		}
		if (p->cls == NULL)
			continue;
		p->props = v;
		p->header = model;
		*hit = true;
		return VT_OK;
	}
	return VT_OK;
}

static const char *
text_or_null(vt_value v)
{
	return vt_is(v, STR) ? vt_as_str(v)->s : NULL;
}

static vt_class *
known_type(vt_rt *rt, const vt_str *type)
{
	uint32_t n = type->bytes,
		 h = n ? n * 33u + (uint8_t)type->s[n - 1] * 5u + (uint8_t)type->s[n / 2] : 0;
	vt_known_type *k = &vt_store_of(rt)->types[h & (VT_KNOWN_TYPES - 1)];
	vt_class *c;
	if (likely(k->type != NULL && vt_str_eq(k->type, type)))
		return k->cls;
	c = vt_model_class(rt, type->s, NULL, NULL);
	if (c == NULL)
		return NULL;
	if (k->type != NULL)
		vt_release(vt_mkptr(k->type));
	*k = (vt_known_type){vt_as_str(vt_str_new(rt, type->s, n)), c};
	return c;
}

static vt_status
parse_type(vt_rt *rt, vt_parsed *p, const vt_known_shape *k)
{
	const vt_dict *d = vt_as_dict(p->header);
	vt_value type = member_at(k, d, VT_H_TYPE);
	p->cls = type_value(type);
	if (p->cls != NULL || !vt_truth(type))
		return VT_OK;
	if (!vt_is(type, STR))
		return vt_raise(rt, VT_E_TYPE, "expected string or bytes-like object");
	p->cls = vt_model_class(rt, vt_as_str(type)->s, text_or_null(member_at(k, d, VT_H_VERSION)),
		text_or_null(member_at(k, d, VT_H_PACKAGE)));
	return p->cls != NULL ? VT_OK : VT_ERROR;
}

/* "?" beside the properties, or nothing at all. */
static vt_status
parse_beside(vt_rt *rt, vt_value model, const vt_known_shape *k, vt_parsed *p)
{
	vt_value type;
	p->props = model;
	p->header = member_at(k, vt_as_dict(model), VT_H_HEADER);
	p->id = p->name = p->metadata = p->destroyed = p->dependencies = VT_NULL;
	if (!vt_is(p->header, DICT))
		return VT_OK;
	k = known_shape(vt_store_of(rt), vt_as_dict(p->header));
	if (likely(k != NULL && k->plain)) {
		type = member_of(k, vt_as_dict(p->header), VT_H_TYPE);
		if (likely(vt_is(type, STR) && vt_as_str(type)->bytes > 0)) {
			p->plain = true;
			p->id = member_of(k, vt_as_dict(p->header), VT_H_ID);
			p->cls = known_type(rt, vt_as_str(type));
			return p->cls != NULL ? VT_OK : VT_ERROR;
		}
	}
	parse_header(p, k);
	return parse_type(rt, p, k);
}

/* header: the place of "?".  The type is held, so that no other text comes to lie there. */
static void
learn_model(vt_rt *rt, const vt_dict *d, uint8_t header, const vt_parsed *p)
{
	const vt_dict *h = vt_as_dict(p->header);
	const vt_known_shape *of = known_shape(vt_store_of(rt), h);
	struct vt_store *s = vt_store_of(rt);
	uint8_t type = of->at[VT_H_TYPE];
	vt_known_model *m = &s->before[vt_model_place(d)];
	if (m->name != NULL)
		vt_release(vt_mkptr(m->name));
	*m = (vt_known_model){d->shape, h->shape, vt_as_str(vt_copy(h->v[type - 1])), p->cls,
		header, (uint8_t)(type - 1), of->at[VT_H_ID]};
}

vt_status
vt_parse_model(vt_rt *rt, vt_value model, const vt_unit *scope, vt_class *dflt, vt_parsed *p)
{
	const vt_known_shape *k;
	bool is_inline = false;
	uint8_t header; /* what is known of the shape is over with the next one */
	*p = (vt_parsed){.model = model};
	if (!vt_is(model, DICT))
		return vt_raise(rt, VT_E_VALUE, "Invalid object representation format");
	k = known_shape(vt_store_of(rt), vt_as_dict(model));
	if (k == NULL || k->typed)
		VT_TRY(parse_inline(rt, model, scope, p, &is_inline));
	header = k != NULL && !k->typed ? k->at[VT_H_HEADER] : 0;
	if (is_inline)
		parse_header(p, k);
	else
		VT_TRY(parse_beside(rt, model, k, p));
	if (p->plain && header > 0)
		learn_model(rt, vt_as_dict(model), (uint8_t)(header - 1), p);
	if (p->cls == NULL)
		p->cls = dflt;
	if (p->cls == NULL)
		return vt_raise(rt, VT_E_VALUE,
			"Invalid object representation: no type information was provided");
	return VT_OK;
}
