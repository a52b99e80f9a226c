/*
 * serialize.c - objects back to plain data: the model, dump(), results (muranopl-engine.md 8 and
 * 10).
 *
 * An object is written where its owner holds it and named by its id elsewhere.  Which objects
 * nobody owns is only known after a walk over everything, so there are several: the first makes a
 * tree in which each reference stands as the OBJECT itself (nothing else in the tree is one), the
 * next ones put objects that were not yet written in the place of their first reference, the last
 * turns what is left into ids.
 */
#include "runtime/core/session.h"
#include "runtime/object/serialize.h"
#include "runtime/core/number.h"
#include "runtime/core/exception.h"
#include "runtime/seq/seq.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

static vt_status walk(struct ser *, vt_value, vt_object *parent, bool raw, vt_value *out);

void
vt_type_string(vt_buf *b, const vt_class_decl *cls)
{
	const vt_package_decl *pkg = cls->unit ? cls->unit->pkg : NULL;
	vt_buf_put(b, cls->name->s, cls->name->bytes);
	vt_buf_printf(b, "/%s@", pkg ? pkg->version : "0.0.0");
	if (pkg != NULL)
		vt_buf_put(b, pkg->name->s, pkg->name->bytes);
	else
		vt_buf_puts(b, "io.murano");
}

static vt_value
type_string(vt_rt *rt, const vt_class_decl *cls)
{
	vt_buf b = {0};
	vt_type_string(&b, cls);
	return vt_str_take(rt, &b);
}

static bool
is_typeinfo(vt_value v)
{
	return vt_is(v, REFLECT) && vt_head_of(v)->aux == VT_R_TYPE;
}

/* ---- meta ---- */

static bool
meta_is(vt_rt *rt, const vt_meta_decl *m, const char *fqn)
{
	vt_value name = vt_resolve_name(rt, m->unit, m->name);
	bool same = vt_is(name, STR) && strcmp(vt_as_str(name)->s, fqn) == 0;
	vt_release(name);
	return same;
}

/* One property of the first meta object of a class: owned; VT_UNDEF when there is no such object.
 */
static vt_status
meta_value(vt_rt *rt, const vt_meta_decl *meta, uint32_t n, const char *fqn, const char *key,
	vt_value *out)
{
	uint32_t i = 0;
	vt_scope *sc;
	vt_value props = VT_UNDEF, v;
	vt_status st;
	while (i < n && !meta_is(rt, &meta[i], fqn))
		i++;
	if (i == n)
		return VT_OK;
	*out = VT_NULL;
	if (meta[i].properties == NULL)
		return VT_OK;
	sc = vt_scope_root(rt, meta[i].unit, VT_NULL);
	st = vt_code_run(rt, meta[i].properties, sc, &props);
	vt_scope_drop(sc);
	if (st != VT_OK)
		return st;
	v = vt_is(props, DICT) ? vt_dict_get_c(vt_as_dict(props), key) : VT_UNDEF;
	*out = v == VT_UNDEF ? VT_NULL : vt_copy(v);
	vt_release(props);
	return VT_OK;
}

/* ---- one object -------------------------------------------------------------------------- */

static bool
written(const struct ser *s, const vt_object *o)
{
	return vt_set_has(s->done, vt_object_id(o));
}

static bool
is_nested(const vt_object *o, const vt_object *ancestor)
{
	while (o != NULL && o != ancestor)
		o = o->owner;
	return o == ancestor;
}

static vt_value
slot_value(const vt_object *o, const vt_str *name)
{
	for (uint32_t i = 0; i < o->cls->nslots; i++)
		if (vt_str_eq(o->cls->slots[i].name, name))
			return o->v[i];
	return VT_UNDEF;
}

/* S5: a property may ask to be written as a reference. */
static vt_status
as_reference(struct ser *s, const vt_prop_decl *p, vt_value v, bool *out)
{
	vt_value how = VT_UNDEF;
	*out = false;
	if (!s->refs || p->nmeta == 0 || !vt_is(v, OBJECT))
		return VT_OK;
	VT_TRY(meta_value(
		s->rt, p->meta, p->nmeta, "io.murano.metadata.engine.Serialize", "as", &how));
	*out = vt_is(how, STR) && strcmp(vt_as_str(how)->s, "reference") == 0;
	vt_release(how);
	return VT_OK;
}

static vt_status
add_prop(struct ser *s, vt_dict *d, const vt_object *o, const vt_prop_decl *p)
{
	bool ref;
	vt_value v = VT_UNDEF;
	if (p->usage != VT_P_RUNTIME && p->usage != VT_P_CONFIG && p->usage != VT_P_STATIC)
		v = slot_value(o, p->name);
	if (v == VT_UNDEF)
		return VT_OK;
	VT_TRY(as_reference(s, p, v, &ref));
	return vt_dict_set(s->rt, d, vt_mkptr(p->name), ref ? vt_object_id(vt_obj_of(v)) : v);
}

static vt_status
add_declared(struct ser *s, vt_dict *d, const vt_object *o, const vt_class_decl *decl)
{
	for (uint32_t i = 0; decl != NULL && i < decl->nprops; i++)
		VT_TRY(add_prop(s, d, o, decl->props[i]));
	return VT_OK;
}

/* Ancestors first, so that the most derived declaration has the last word. */
static vt_status
add_props(struct ser *s, vt_dict *d, const vt_object *o, const vt_class *cls)
{
	for (uint32_t i = cls->nlinear; i-- > 0;) {
		VT_TRY(add_declared(s, d, o, cls->linear[i]->native));
		VT_TRY(add_declared(s, d, o, cls->linear[i]->decl));
	}
	return VT_OK;
}

static vt_value
dependency(vt_rt *rt, vt_value record)
{
	vt_value who = vt_dict_get_c(vt_as_dict(record), "subscriber");
	vt_value handler = vt_dict_get_c(vt_as_dict(record), "handler");
	vt_object *o = vt_is(who, OBJECT) || vt_is(who, CAST) ? vt_obj_of(who) : NULL;
	vt_dict *d;
	if (who == VT_UNDEF || who == VT_NULL || (o != NULL && (o->destroyed || o->doomed)))
		return VT_UNDEF;
	d = vt_dict_new(rt, false);
	vt_dict_set_c(rt, d, "subscriber", vt_copy(o ? vt_object_id(o) : who));
	vt_dict_set_c(rt, d, "handler", handler == VT_UNDEF ? VT_NULL : vt_copy(handler));
	return vt_mkptr(d);
}

static void
add_dependencies(vt_rt *rt, vt_dict *header, vt_value from)
{
	vt_value on =
		vt_is(from, DICT) ? vt_dict_get_c(vt_as_dict(from), "onDestruction") : VT_UNDEF;
	vt_list *l;
	vt_dict *d;
	if (!vt_is_sequence(on) || vt_as_list(on)->n == 0)
		return;
	l = vt_list_grow(rt, VT_K_LIST, vt_as_list(on)->n);
	for (uint32_t i = 0; i < vt_as_list(on)->n; i++) {
		vt_value r = vt_as_list(on)->v[i];
		r = vt_is(r, DICT) ? dependency(rt, r) : VT_UNDEF;
		if (r != VT_UNDEF)
			vt_list_push(rt, l, r);
	}
	if (l->n == 0) {
		vt_release(vt_mkptr(l));
		return;
	}
	d = vt_dict_new(rt, false);
	vt_dict_set_c(rt, d, "onDestruction", vt_mkptr(l));
	vt_dict_set_c(rt, header, "dependencies", vt_mkptr(d));
}

/* ---- _actions: S4 ---- */

static vt_status
action_text(vt_rt *rt, vt_dict *entry, const vt_method_decl *m, const char *fqn, const char *key,
	bool always)
{
	vt_value text = VT_UNDEF;
	VT_TRY(meta_value(rt, m->meta, m->nmeta, fqn, "text", &text));
	if (text == VT_UNDEF && always)
		text = vt_copy(vt_mkptr(m->name));
	if (text != VT_UNDEF)
		vt_dict_set_c(rt, entry, key, text);
	return VT_OK;
}

static vt_status
action_entry(vt_rt *rt, vt_dict *entry, const vt_method_decl *m)
{
	vt_dict_set_c(rt, entry, "name", vt_copy(vt_mkptr(m->name)));
	VT_TRY(action_text(rt, entry, m, "io.murano.metadata.Title", "title", true));
	VT_TRY(action_text(rt, entry, m, "io.murano.metadata.Description", "description", false));
	return action_text(rt, entry, m, "io.murano.metadata.HelpText", "helpText", false);
}

static vt_status
add_action(vt_rt *rt, vt_dict *to, const vt_object *o, const vt_method_decl *m, vt_value old)
{
	vt_value id = vt_str_printf(rt, "%s_%s", vt_as_str(vt_object_id(o))->s, m->name->s), was;
	vt_dict *entry;
	vt_status st;
	was = vt_is(old, DICT) ? vt_dict_get(vt_as_dict(old), id) : VT_UNDEF;
	if (vt_is(was, DICT)) {
		entry = vt_dict_copy(rt, vt_as_dict(was), false);
	} else {
		entry = vt_dict_new(rt, false);
		vt_dict_set_c(rt, entry, "enabled", VT_TRUE);
	}
	st = action_entry(rt, entry, m);
	if (st == VT_OK)
		st = vt_dict_set(rt, to, id, vt_mkptr(entry));
	vt_release(vt_mkptr(entry));
	vt_release(id);
	return st;
}

bool
vt_class_has_actions(vt_rt *rt, const vt_class *cls)
{
	const vt_method_decl *m;
	for (uint32_t i = 0; i < cls->nlinear; i++)
		for (uint32_t pos = 0; (m = vt_own_method(cls->linear[i], &pos)) != NULL;)
			if (m->name->s[0] != '.' && vt_exposed(rt, m))
				return true;
	return false;
}

static vt_status
add_actions(struct ser *s, vt_dict *header, const vt_object *o, const vt_class *cls)
{
	vt_value old = vt_dict_get_c(header, "_actions");
	vt_dict *all = vt_dict_new(s->rt, false);
	vt_status st = VT_OK;
	for (uint32_t i = 0; st == VT_OK && i < cls->nlinear; i++) {
		uint32_t pos = 0;
		const vt_method_decl *m;
		while (st == VT_OK && (m = vt_own_method(cls->linear[i], &pos)) != NULL)
			if (m->name->s[0] != '.' && vt_exposed(s->rt, m))
				st = add_action(s->rt, all, o, m, old);
	}
	if (st == VT_OK)
		vt_dict_set_c(s->rt, header, "_actions", vt_mkptr(all));
	else
		vt_release(vt_mkptr(all));
	return st;
}

/* ---- the header ---- */

static vt_status
fill_header(struct ser *s, vt_dict *h, const vt_object *o, const vt_class *cls)
{
	vt_value key, v;
	vt_dict_set_c(s->rt, h, "id", vt_copy(vt_object_id(o)));
	vt_dict_set_c(s->rt, h, "name", vt_copy(o->name));
	vt_dict_set_c(s->rt, h, "metadata", vt_copy(o->more->metadata));
	if (o->destroyed)
		vt_dict_set_c(s->rt, h, "destroyed", VT_TRUE);
	if (s->dependencies)
		add_dependencies(s->rt, h, o->more->dependencies);
	if (s->designer && vt_is(o->more->designer, DICT))
		for (uint32_t i = 0; vt_dict_at(vt_as_dict(o->more->designer), &i, &key, &v);)
			VT_TRY(vt_dict_set(s->rt, h, key, v));
	return s->actions ? add_actions(s, h, o, cls) : VT_OK;
}

vt_status
vt_header_of(struct ser *s, const vt_object *o, const vt_class *cls, vt_dict **out)
{
	vt_dict *h = vt_dict_new(s->rt, false);
	vt_status st;
	vt_dict_set_c(s->rt, h, "type",
		s->kind == VT_DUMP_MIXED ? vt_reflect_new(s->rt, VT_R_TYPE, cls, NULL)
					 : type_string(s->rt, cls->decl));
	st = fill_header(s, h, o, cls);
	if (st == VT_OK)
		*out = h;
	else
		vt_release(vt_mkptr(h));
	return st;
}

static vt_status
inline_form(struct ser *s, vt_dict *d, const vt_object *o, vt_class *cls)
{
	vt_dict *props = vt_dict_new(s->rt, false);
	vt_value key = vt_reflect_new(s->rt, VT_R_TYPE, cls, NULL);
	vt_status st = add_props(s, props, o, cls);
	if (st == VT_OK)
		st = vt_dict_set(s->rt, d, key, vt_mkptr(props));
	vt_release(key);
	vt_release(vt_mkptr(props));
	return st == VT_OK ? fill_header(s, d, o, cls) : st;
}

static vt_status
header_form(struct ser *s, vt_dict *d, const vt_object *o, vt_class *cls)
{
	vt_dict *h = NULL;
	VT_TRY(vt_header_of(s, o, cls, &h));
	vt_dict_set_c(s->rt, d, "?", vt_mkptr(h));
	return add_props(s, d, o, cls);
}

/* cls is the object's own class, or the ancestor it is seen as. */
static vt_status
write_object(struct ser *s, vt_object *o, vt_class *cls, vt_value *out)
{
	vt_dict *d = vt_dict_new(s->rt, false);
	vt_status st;
	if (s->kind == VT_DUMP_INLINE)
		st = inline_form(s, d, o, cls);
	else
		st = header_form(s, d, o, cls);
	if (st == VT_OK)
		st = vt_set_add(s->rt, s->done, vt_object_id(o));
	if (st == VT_OK)
		st = walk(s, vt_mkptr(d), o, true, out);
	vt_release(vt_mkptr(d));
	return st;
}

/* ---- the walks ---- */

static vt_status
walk_object(struct ser *s, vt_value v, vt_object *parent, bool raw, vt_value *out)
{
	vt_object *o = vt_obj_of(v);
	bool here;
	if (raw) {
		here = o->owner == parent && !written(s, o);
		s->again = s->again || !here;
	} else {
		here = !written(s, o);
		if (here && s->refs && o->owner != NULL)
			here = is_nested(parent, o->owner) && written(s, o->owner);
	}
	if (here)
		return write_object(s, o, vt_cls_of(v), out);
	*out = vt_copy(vt_mkptr(o));
	return VT_OK;
}

static vt_value
walked_key(struct ser *s, vt_value key)
{
	vt_buf b = {0};
	if (!is_typeinfo(key) || s->kind != VT_DUMP_SERIALIZABLE)
		return vt_copy(key);
	vt_pystr(s->rt, &b, key);
	return vt_str_take(s->rt, &b);
}

static vt_status
walk_entry(struct ser *s, vt_dict *to, vt_value key, vt_value v, vt_object *parent, bool raw)
{
	vt_value k, w = VT_UNDEF;
	vt_status st = VT_OK;
	if (s->kind == VT_DUMP_MIXED && is_typeinfo(v) && vt_is(key, STR) &&
		strcmp(vt_as_str(key)->s, "type") == 0)
		w = vt_copy(v);
	else
		st = walk(s, v, parent, raw, &w);
	if (st != VT_OK)
		return st;
	k = walked_key(s, key);
	st = vt_dict_set(s->rt, to, k, w);
	vt_release(k);
	vt_release(w);
	return st;
}

static vt_status
walk_dict(struct ser *s, const vt_dict *from, vt_object *parent, bool raw, vt_value *out)
{
	vt_dict *d = vt_dict_new(s->rt, false);
	vt_value key, v;
	vt_status st = VT_OK;
	for (uint32_t i = 0; st == VT_OK && vt_dict_at(from, &i, &key, &v);)
		st = walk_entry(s, d, key, v, parent, raw);
	if (st == VT_OK)
		*out = vt_mkptr(d);
	else
		vt_release(vt_mkptr(d));
	return st;
}

/* The next element of a list or set, borrowed. */
static bool
element(vt_value v, uint32_t *i, vt_value *out)
{
	if (vt_is(v, SET))
		return vt_set_at(vt_as_set(v), i, out);
	if (*i >= vt_as_list(v)->n)
		return false;
	*out = vt_as_list(v)->v[(*i)++];
	return true;
}

static vt_status
walk_list(struct ser *s, vt_value from, vt_object *parent, bool raw, vt_value *out)
{
	vt_list *l = vt_list_grow(s->rt, VT_K_LIST, 4);
	vt_value v, w;
	for (uint32_t i = 0; element(from, &i, &v);) {
		vt_status st = walk(s, v, parent, raw, &w);
		if (st != VT_OK) {
			vt_release(vt_mkptr(l));
			return st;
		}
		vt_list_push(s->rt, l, w);
	}
	*out = vt_mkptr(l);
	return VT_OK;
}

static vt_status
walk_heap(struct ser *s, vt_value v, vt_object *parent, bool raw, vt_value *out)
{
	switch (VT_KIND(v)) {
	case VT_K_OBJECT:
	case VT_K_CAST: return walk_object(s, v, parent, raw, out);
	case VT_K_DICT: return walk_dict(s, vt_as_dict(v), parent, raw, out);
	case VT_K_TUPLE:
	case VT_K_LIST:
	case VT_K_SET: return walk_list(s, v, parent, raw, out);
	case VT_K_TYPEREF:
		*out = type_string(s->rt, VT_AS(vt_typeref_obj, v)->cls->decl);
		return VT_OK;
	}
	if (is_typeinfo(v)) {
		*out = type_string(s->rt, ((const vt_class *)VT_AS(vt_reflect_obj, v)->what)->decl);
		return VT_OK;
	}
	return vt_raise(s->rt, VT_E_VALUE, "%s", ""); /* the reference has no text here either */
}

static vt_status
walk(struct ser *s, vt_value v, vt_object *parent, bool raw, vt_value *out)
{
	vt_rt *rt = s->rt;
	vt_status st;
	if (!vt_is_ptr(v) || vt_head_of(v)->kind <= VT_K_STR) {
		*out = vt_copy(v == VT_NOVALUE ? VT_NULL : v);
		return VT_OK;
	}
	if (vt_too_deep(rt))
		return vt_raise_depth(rt);
	rt->depth++;
	st = walk_heap(s, v, parent, raw, out);
	rt->depth--;
	return st;
}

static vt_value link_ids(vt_rt *, vt_value owned);

static vt_value
link_dict(vt_rt *rt, vt_value owned)
{
	vt_dict *d = vt_dict_new(rt, false);
	vt_value key, v;
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(owned), &i, &key, &v);) {
		v = link_ids(rt, vt_copy(v));
		(void)vt_dict_set(rt, d, key, v); /* its keys were keys before */
		vt_release(v);
	}
	vt_release(owned);
	return vt_mkptr(d);
}

/* The references that are left become ids.  The walks have checked the depth. */
static vt_value
link_ids(vt_rt *rt, vt_value owned)
{
	if (vt_is(owned, OBJECT)) {
		vt_value id = vt_copy(vt_object_id(vt_obj_of(owned)));
		vt_release(owned);
		return id;
	}
	if (vt_is(owned, DICT))
		return link_dict(rt, owned);
	if (vt_is(owned, LIST))
		for (uint32_t i = 0; i < vt_as_list(owned)->n; i++)
			vt_as_list(owned)->v[i] = link_ids(rt, vt_as_list(owned)->v[i]);
	return owned;
}

/* *linked: references are left in it, as OBJECTs. */
static vt_status
make_tree(struct ser *s, vt_value v, bool *linked, vt_value *out)
{
	vt_object *o = vt_is(v, OBJECT) || vt_is(v, CAST) ? vt_obj_of(v) : NULL,
		  *parent = o ? o->owner : NULL;
	vt_value tree = VT_UNDEF, next;
	s->again = false;
	VT_TRY(walk(s, v, parent, true, &tree));
	*linked = s->again;
	while (s->again) {
		vt_status st;
		s->again = false;
		st = walk(s, tree, parent, false, &next);
		vt_release(tree);
		if (st != VT_OK)
			return st;
		tree = next;
	}
	*out = tree;
	return VT_OK;
}

static vt_status
serialize_tree(struct ser *s, vt_value v, vt_value *out)
{
	bool linked;
	vt_value tree = VT_UNDEF;
	VT_TRY(make_tree(s, v, &linked, &tree));
	*out = linked ? link_ids(s->rt, tree) : tree;
	return VT_OK;
}

vt_status
vt_serialize_refs(vt_rt *rt, vt_value v, enum vt_dump kind, bool allow_refs, vt_value *out)
{
	struct ser s = {.rt = rt,
		.kind = kind,
		.refs = allow_refs,
		.designer = true,
		.done = vt_set_new(rt)};
	vt_status st = serialize_tree(&s, v, out);
	vt_release(vt_mkptr(s.done));
	return st;
}

vt_status
vt_serialize(vt_rt *rt, vt_value v, enum vt_dump kind, vt_value *out)
{
	return vt_serialize_refs(rt, v, kind, true, out);
}

/* ---- the model: S1 ---- */

static vt_status
model_part(vt_rt *rt, vt_dict *d, vt_value root, const char *key, bool designer)
{
	struct ser s = {.rt = rt,
		.kind = VT_DUMP_SERIALIZABLE,
		.designer = designer,
		.actions = designer,
		.dependencies = true,
		.done = vt_set_new(rt)};
	vt_value tree = VT_UNDEF;
	vt_status st = serialize_tree(&s, root, &tree);
	if (st == VT_OK)
		vt_dict_set_c(rt, d, key, tree);
	if (st == VT_OK && designer)
		vt_dict_set_c(rt, d, "Attributes", vt_attribute_rows(rt, s.done));
	vt_release(vt_mkptr(s.done));
	return st;
}

vt_status
vt_serialize_objects(vt_rt *rt, vt_value root, vt_value *tree, vt_value *rows)
{
	struct ser s = {.rt = rt,
		.kind = VT_DUMP_SERIALIZABLE,
		.designer = true,
		.actions = true,
		.dependencies = true,
		.done = vt_set_new(rt)};
	bool linked;
	vt_status st = make_tree(&s, root, &linked, tree);
	if (st == VT_OK)
		*rows = vt_attribute_rows(rt, s.done);
	vt_release(vt_mkptr(s.done));
	return st;
}

vt_status
vt_serialize_model(vt_rt *rt, vt_value root, vt_value *out)
{
	vt_dict *d = vt_dict_new(rt, false);
	vt_value key, v;
	vt_status st = VT_OK;
	vt_dict_set_c(rt, d, "Objects", VT_NULL);
	vt_dict_set_c(rt, d, "ObjectsCopy", VT_NULL);
	vt_dict_set_c(rt, d, "Attributes", vt_mkptr(vt_list_grow(rt, VT_K_LIST, 0)));
	for (uint32_t i = 0;
		rt->s->kept != VT_NULL && vt_dict_at(vt_as_dict(rt->s->kept), &i, &key, &v);)
		(void)vt_dict_set(rt, d, key, v);
	if (root != VT_NULL && root != VT_UNDEF) {
		st = model_part(rt, d, root, "Objects", true);
		if (st == VT_OK)
			st = model_part(rt, d, root, "ObjectsCopy", false);
	}
	if (st == VT_OK)
		*out = vt_mkptr(d);
	else
		vt_release(vt_mkptr(d));
	return st;
}

/* ---- results as JSON ---- */

static void encode(vt_rt *, vt_buf *, vt_value, int depth);

static void
encode_tag(vt_buf *b, const char *tag, const vt_str *s)
{
	vt_buf_printf(b, "{\"$%s\":", tag);
	vt_json_str(b, s->s, s->bytes);
	vt_buf_putc(b, '}');
}

static void
encode_repr(vt_rt *rt, vt_buf *b, vt_value v)
{
	vt_buf text = {0};
	vt_repr(rt, &text, v);
	vt_buf_puts(b, "{\"$repr\":");
	vt_json_str(b, text.p ? text.p : "", text.n);
	vt_buf_putc(b, '}');
	vt_buf_free(&text);
}

static void
encode_object(vt_buf *b, vt_value v)
{
	const vt_str *id = vt_as_str(vt_object_id(vt_obj_of(v))), *type = vt_cls_of(v)->decl->name;
	vt_buf_puts(b, "{\"$object\":");
	vt_json_str(b, id->s, id->bytes);
	vt_buf_puts(b, ",\"type\":");
	vt_json_str(b, type->s, type->bytes);
	vt_buf_putc(b, '}');
}

static void
encode_list(vt_rt *rt, vt_buf *b, vt_value from, int depth)
{
	vt_value v;
	bool first = true;
	vt_buf_putc(b, '[');
	for (uint32_t i = 0; element(from, &i, &v); first = false) {
		if (!first)
			vt_buf_putc(b, ',');
		encode(rt, b, v, depth);
	}
	vt_buf_putc(b, ']');
}

bool
vt_has_text_keys(const vt_dict *d)
{
	vt_value key, v;
	for (uint32_t i = 0; vt_dict_at(d, &i, &key, &v);)
		if (!vt_is(key, STR))
			return false;
	return true;
}

static void
encode_dict(vt_rt *rt, vt_buf *b, const vt_dict *d, int depth)
{
	bool text = vt_has_text_keys(d), first = true;
	vt_value key, v;
	vt_buf_puts(b, text ? "{" : "{\"$dict\":[");
	for (uint32_t i = 0; vt_dict_at(d, &i, &key, &v); first = false) {
		if (!first)
			vt_buf_putc(b, ',');
		if (!text)
			vt_buf_putc(b, '[');
		encode(rt, b, key, depth);
		vt_buf_putc(b, text ? ':' : ',');
		encode(rt, b, v, depth);
		if (!text)
			vt_buf_putc(b, ']');
	}
	vt_buf_puts(b, text ? "}" : "]}");
}

/* Iterators, views and orderings: what they hold, if they still know. */
static void
encode_lazy(vt_rt *rt, vt_buf *b, vt_value v, int depth)
{
	vt_value t = VT_UNDEF;
	if (vt_to_tuple(rt, NULL, v, &t) != VT_OK) {
		vt_exc_clear(rt);
		encode_repr(rt, b, v);
		return;
	}
	encode_list(rt, b, t, depth);
	vt_release(t);
}

static void
encode_reflect(vt_rt *rt, vt_buf *b, vt_value v)
{
	if (is_typeinfo(v))
		encode_tag(b, "typeinfo",
			((const vt_class *)VT_AS(vt_reflect_obj, v)->what)->decl->name);
	else
		encode_repr(rt, b, v);
}

static void
encode_int(vt_buf *b, int64_t i)
{
	char *to = vt_buf_room(b, 24), *end = to;
	if (i < 0)
		*end++ = '-';
	end = vt_decimal_put(end, i < 0 ? -(uint64_t)i : (uint64_t)i);
	b->n += (size_t)(end - to);
}

static void
encode(vt_rt *rt, vt_buf *b, vt_value v, int depth)
{
	if (vt_is_int(v)) {
		encode_int(b, vt_toint(v));
		return;
	}
	if (!vt_is_ptr(v)) {
		vt_json_write(rt, b, v, VT_JSON_TAGGED);
		return;
	}
	if (vt_is(v, STR)) {
		vt_json_str(b, vt_as_str(v)->s, vt_as_str(v)->bytes);
		return;
	}
	if (depth >= VT_ENCODE_DEPTH) {
		vt_buf_puts(b, "{\"$repr\":\"...\"}");
		return;
	}
	switch ((enum vt_kind)vt_head_of(v)->kind) {
	case VT_K_TUPLE:
	case VT_K_LIST:
	case VT_K_SET: encode_list(rt, b, v, depth + 1); return;
	case VT_K_DICT: encode_dict(rt, b, vt_as_dict(v), depth + 1); return;
	case VT_K_ITER:
	case VT_K_VIEW:
	case VT_K_ORDERING:
	case VT_K_MEMO: encode_lazy(rt, b, v, depth + 1); return;
	case VT_K_OBJECT:
	case VT_K_CAST: encode_object(b, v); return;
	case VT_K_TYPEREF: encode_tag(b, "type", VT_AS(vt_typeref_obj, v)->cls->decl->name); return;
	case VT_K_REFLECT: encode_reflect(rt, b, v); return;
	case VT_K_LAMBDA:
	case VT_K_MAPPING:
	case VT_K_EXC:
	case VT_K_HOST:
	case VT_K_COUNT: encode_repr(rt, b, v); return;
	case VT_K_BIGINT: /* plain: who reads results of MuranoPL knows JSON's integers have no
			     limit */
		vt_json_write(rt, b, v, 0);
		return;
	case VT_K_FLOAT:
	case VT_K_STR:
	case VT_K_SCOPE:
	case VT_K_REGEX:
	case VT_K_DATETIME:
	case VT_K_TIMESPAN: vt_json_write(rt, b, v, VT_JSON_TAGGED); return;
	}
}

void
vt_encode_result(vt_rt *rt, vt_buf *b, vt_value v)
{
	encode(rt, b, v, 0);
}
