/*
 * template_data.c - what template() makes of an object, where that is plain: it and the objects
 * that it owns hold nothing but data.  vt_serialize makes the same (VT_DUMP_MIXED) in several
 * walks, and does all others.
 *
 * Both dicts of an object have shapes that its class keeps.
 */
#include "runtime/core/dict.h"
#include "runtime/core/shape.h"
#include "runtime/object/contract.h"
#include "runtime/object/object.h"

#include <stdlib.h>
#include <string.h>

/* Of a class, and names that are left out: a value that is held; or VT_NULL. */
struct vt_data_plan {
	struct vt_data_plan *next;
	vt_value exclude;
	vt_shape *whole,
		*header; /* "?" and the properties; what is in "?"; NULL: no object is plain */
	vt_value type;
	uint32_t n;
	uint32_t *slot; /* of the properties */
};
enum { HEADER = 4, MOST_OBJECTS = 16, DEEPEST = 32, MOST_PLANS = 4 };

/* Objects that have their place already. */
struct seen {
	vt_rt *rt;
	const vt_object *o[MOST_OBJECTS];
	uint32_t n;
};

/* ---- plans ---- */

static bool
add_key(vt_rt *rt, vt_shape **s, vt_value key)
{
	if (*s != NULL)
		*s = vt_shape_add(rt, *s, vt_as_str(key));
	return *s != NULL;
}

static bool
add_name(vt_rt *rt, vt_shape **s, const char *name)
{
	vt_value key = vt_str_c(rt, name);
	bool ok = add_key(rt, s, key);
	vt_release(key);
	return ok;
}

static bool
is_data(const vt_prop_decl *d)
{
	return d->usage != VT_P_RUNTIME && d->usage != VT_P_CONFIG && d->usage != VT_P_STATIC;
}

static bool
has_data(const vt_class_decl *decl, const vt_str *name)
{
	for (uint32_t i = 0; decl != NULL && i < decl->nprops; i++)
		if (is_data(decl->props[i]) && vt_str_eq(decl->props[i]->name, name))
			return true;
	return false;
}

static bool
is_there(const vt_class *c, const vt_str *name)
{
	for (uint32_t i = 0; i < c->nlinear; i++)
		if (has_data(c->linear[i]->native, name) || has_data(c->linear[i]->decl, name))
			return true;
	return false;
}

/* False for what is no name of a property that goes: a path to somewhere below it, or what is not
 * there, or not any more. */
static bool
are_names(const vt_class *c, vt_value exclude)
{
	for (uint32_t i = 0; vt_is_sequence(exclude) && i < vt_as_list(exclude)->n; i++) {
		vt_value *v = vt_as_list(exclude)->v;
		if (!vt_is(v[i], STR) || !is_there(c, vt_as_str(v[i])))
			return false;
		for (uint32_t k = 0; k < i; k++)
			if (vt_str_eq(vt_as_str(v[k]), vt_as_str(v[i])))
				return false;
	}
	return true;
}

static bool
is_excluded(vt_value exclude, const vt_str *name)
{
	for (uint32_t i = 0; vt_is_sequence(exclude) && i < vt_as_list(exclude)->n; i++)
		if (vt_str_eq(vt_as_str(vt_as_list(exclude)->v[i]), name))
			return true;
	return false;
}

/* Of a name that is declared twice the first place counts. False: a property asks for more. */
static bool
plan_declared(vt_rt *rt, struct vt_data_plan *p, const vt_class *c, const vt_class_decl *decl)
{
	for (uint32_t i = 0; decl != NULL && i < decl->nprops; i++) {
		const vt_prop_decl *d = decl->props[i];
		uint32_t slot = 0;
		if (!is_data(d))
			continue;
		while (slot < c->nslots && !vt_str_eq(c->slots[slot].name, d->name))
			slot++;
		if (d->nmeta > 0 || slot == c->nslots)
			return false;
		if (vt_shape_find(p->whole, d->name) >= 0 || is_excluded(p->exclude, d->name))
			continue;
		if (!add_key(rt, &p->whole, vt_mkptr(d->name)))
			return false;
		p->slot[p->n++] = slot;
	}
	return true;
}

static __attribute__((cold)) struct vt_data_plan *
plan_new(vt_rt *rt, vt_class *c, vt_value exclude)
{
	static const char *const names[HEADER] = {"type", "id", "name", "metadata"};
	struct vt_data_plan *p = vt_xmalloc(sizeof *p);
	bool ok = are_names(c, exclude);
	*p = (struct vt_data_plan){.next = c->data,
		.exclude = vt_copy(exclude),
		.whole = vt_shape_root(rt),
		.header = vt_shape_root(rt),
		.slot = vt_xmalloc((c->nslots + 1) * sizeof *p->slot),
		.type = vt_reflect_new(rt, VT_R_TYPE, c, NULL)};
	for (int i = 0; i < HEADER; i++)
		ok = ok && add_name(rt, &p->header, names[i]);
	ok = ok && add_name(rt, &p->whole, "?");
	for (uint32_t i = c->nlinear; ok && i-- > 0;)
		ok = plan_declared(rt, p, c, c->linear[i]->native) &&
		     plan_declared(rt, p, c, c->linear[i]->decl);
	if (!ok)
		p->whole = NULL;
	c->data = p;
	return p;
}

/* NULL: too many of them are there. */
static struct vt_data_plan *
plan_of(vt_rt *rt, vt_class *c, vt_value exclude)
{
	struct vt_data_plan *p = c->data;
	int n = 0;
	for (; p != NULL && p->exclude != exclude; p = p->next)
		n++;
	return p != NULL || n == MOST_PLANS ? p : plan_new(rt, c, exclude);
}

void
vt_data_plan_free(struct vt_data_plan *p)
{
	for (struct vt_data_plan *next; p != NULL; p = next) {
		next = p->next;
		vt_release(p->exclude);
		vt_release(p->type);
		free(p->slot);
		free(p);
	}
}

/* ---- data ---- */

static bool put_object(struct seen *, const vt_object *, vt_value exclude, vt_value *out);

/* Evaluated, and without an object or type in it. */
static bool
is_plain(vt_value v, int depth)
{
	const uint8_t whole = VT_F_FINAL | VT_F_FROZEN;
	vt_value key, value;
	if (!vt_is_ptr(v) || vt_head_of(v)->kind <= VT_K_STR)
		return v != VT_OBJREF && v != VT_PASSKEY && v != VT_NOVALUE && v != VT_UNDEF;
	if (depth == DEEPEST)
		return false;
	if (vt_is(v, DICT)) {
		if ((vt_head_of(v)->flags & whole) != whole)
			return false;
		for (uint32_t pos = 0; vt_dict_at(vt_as_dict(v), &pos, &key, &value);)
			if (!is_plain(key, depth + 1) || !is_plain(value, depth + 1))
				return false;
		return true;
	}
	if (!vt_is(v, TUPLE) || !(vt_head_of(v)->flags & VT_F_FINAL))
		return false;
	for (uint32_t i = 0; i < vt_as_list(v)->n; i++)
		if (!is_plain(vt_as_list(v)->v[i], depth + 1))
			return false;
	return true;
}

/* An object stands where its owner holds it first. */
static bool
put_value(struct seen *s, const vt_object *of, vt_value v, vt_value *out)
{
	if (vt_is(v, OBJECT))
		return vt_obj_of(v)->owner == of && put_object(s, vt_obj_of(v), VT_NULL, out);
	if (!is_plain(v, 0))
		return false;
	*out = vt_copy(v);
	return true;
}

static vt_value
header_of(vt_rt *rt, const struct vt_data_plan *p, const vt_object *o)
{
	vt_dict *d = vt_dict_room(rt, true, p->header);
	d->v[0] = vt_copy(p->type);
	d->v[1] = vt_copy(vt_object_id(o));
	d->v[2] = vt_copy(o->name);
	d->v[3] = VT_NULL;
	d->h.flags |= VT_F_FINAL;
	return vt_mkptr(d);
}

static bool
put_object(struct seen *s, const vt_object *o, vt_value exclude, vt_value *out)
{
	const struct vt_data_plan *p = plan_of(s->rt, o->cls, exclude);
	vt_dict *d;
	if (p == NULL || p->whole == NULL || o->more != &vt_object_plain || o->destroyed ||
		s->n == MOST_OBJECTS)
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->o[i] == o)
			return false;
	s->o[s->n++] = o;
	d = vt_dict_shaped(s->rt, true, p->whole, NULL);
	*out = vt_mkptr(d);
	d->v[0] = header_of(s->rt, p, o);
	for (uint32_t i = 0; i < p->n; i++)
		if (!put_value(s, o, o->v[p->slot[i]], &d->v[i + 1])) {
			vt_clear(out);
			return false;
		}
	d->h.flags |= VT_F_FINAL;
	return true;
}

bool
vt_plain_data(vt_rt *rt, const vt_object *o, vt_value exclude, vt_value *out)
{
	struct seen s;
	s.rt = rt;
	s.n = 0;
	return put_object(&s, o, exclude, out);
}
