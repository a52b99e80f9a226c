/*
 * inside.c - the last words of a path: what is inside of a value, or of the type of one that is not
 * known yet.
 */
#include "runtime/tosca/mem.h"
#include "runtime/core/session.h"
#include "runtime/text/nearest.h"

#include <stdlib.h>

enum { MOST_KEYS = 100 }; /* that a hint looks at */

static const char *
text_of(vt_value v)
{
	return vt_is(v, STR) ? vt_as_str(v)->s : "";
}

/* A number, also as a text of digits. */
bool
vt_tosca_index_of(vt_value v, uint32_t *out)
{
	if (vt_is_int(v) && vt_toint(v) >= 0 && vt_toint(v) < UINT32_MAX) {
		*out = (uint32_t)vt_toint(v);
		return true;
	}
	const char *s = text_of(v);
	*out = 0;
	for (uint32_t i = 0; s[i]; i++) {
		if (s[i] < '0' || s[i] > '9' || i > 8)
			return false;
		*out = *out * 10 + (uint32_t)(s[i] - '0');
	}
	return s[0] != 0;
}

static bool
no_key(vt_tosca *t, const vt_tctx *ctx, vt_value map, vt_value key)
{
	const char **names = NULL, *near;
	size_t n = 0;
	uint32_t pos = 0;
	vt_value k, v;
	vt_tosca_fail(
		t, ctx, "the map has no key '%s'", vt_is(key, STR) ? text_of(key) : "of that kind");
	while (n < MOST_KEYS && vt_dict_at(vt_as_dict(map), &pos, &k, &v))
		if (vt_is(k, STR))
			vt_push(names, n) = vt_as_str(k)->s;
	near = n && vt_is(key, STR) ? vt_nearest(text_of(key), names, n) : NULL;
	if (near)
		vt_tosca_hint(t, "did you mean '%s'?", near);
	free(names);
	return false;
}

/* What is inside of a value; borrowed. */
bool
vt_tosca_inside(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *arg, uint32_t n, vt_value v, vt_value *out)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at;
		if (vt_is(v, DICT)) {
			vt_value next =
				vt_hashable(arg[i]) ? vt_dict_get(vt_as_dict(v), arg[i]) : VT_UNDEF;
			if (next == VT_UNDEF && t->open)
				return false; /* its type may be the one that is not there */
			if (next == VT_UNDEF)
				return no_key(t, ctx, v, arg[i]);
			v = next;
		} else if (vt_is_sequence(v)) {
			if (!vt_tosca_index_of(arg[i], &at) || at >= vt_as_list(v)->n)
				return vt_tosca_fail(t, ctx,
					"the list has %u entries, and none at the index that is "
					"asked for",
					vt_as_list(v)->n);
			v = vt_as_list(v)->v[at];
		} else {
			return vt_tosca_fail(
				t, ctx, "there is nothing inside of %s", vt_tosca_noun(v));
		}
	}
	return vt_tosca_give(out, vt_copy(v));
}

static uint32_t
slot_schema(const vt_tmodel *m, vt_tspan slots, uint32_t name)
{
	for (uint32_t i = 0; name && i < slots.n; i++)
		if (m->slot[slots.first + i].name == name)
			return m->slot[slots.first + i].schema;
	return 0;
}

/* The same of a value that is not known yet: whether its type has such a thing inside. Gives false.
 */
bool
vt_tosca_inside_type(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *arg, uint32_t n, uint32_t schema)
{
	if (t->m->version & (VT_TV_HOT | VT_TV_CLOUDIFY))
		return false; /* their types are loose */
	for (uint32_t i = 0; i < n && schema && t->m->schema[schema].type; i++) {
		const vt_tschema *s = &t->m->schema[schema];
		const vt_tdata *d = &t->m->data[s->type];
		const char *type = vt_tosca_text(t, d->canon);
		uint32_t at;
		switch ((enum vt_tbase)d->base) {
		case VT_TB_STRING:
		case VT_TB_INTEGER:
		case VT_TB_FLOAT:
		case VT_TB_BOOLEAN:
		case VT_TB_NULL:
		case VT_TB_BYTES:
		case VT_TB_TIMESTAMP:
			return vt_tosca_fail(
				t, ctx, "there is nothing inside of a value of type %s", type);
		case VT_TB_LIST:
			if (!vt_tosca_index_of(arg[i], &at))
				return vt_tosca_fail(t, ctx,
					"the entries of a list are found by their indexes, 0 and "
					"so on");
			schema = s->entry ? s->entry : d->entry;
			break;
		case VT_TB_MAP: schema = s->entry ? s->entry : d->entry; break;
		case VT_TB_COMPLEX:
			schema = vt_is(arg[i], STR)
					 ? slot_schema(t->m, d->props,
						   vt_tosca_find_str(t, vt_as_str(arg[i])))
					 : 0;
			if (!schema && d->props.n)
				return vt_tosca_fail(t, ctx, "the type %s has no property '%s'",
					type, text_of(arg[i]));
			break;
		case VT_TB_ANY:
		case VT_TB_VERSION:
		case VT_TB_RANGE:
		case VT_TB_SCALAR:
		case VT_TB_HEAT_STRING:
		case VT_TB_HEAT_NUMBER:
		case VT_TB_HEAT_LIST:
		case VT_TB_HEAT_JSON:
		case VT_TB_HEAT_BOOLEAN:
		case VT_TB_JSON:
		case VT_TB_XML: return false;
		}
	}
	return false;
}
