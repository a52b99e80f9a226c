/*
 * reflect.c - what typeinfo() gives, and Meta: muranopl-engine.md 7 and 12, runtime/lib/reflect.fn.
 *
 * A REFLECT value is a pair of pointers: TYPE vt_class; METHOD vt_method_decl and vt_class;
 * PROPERTY vt_prop_decl and vt_class; ARGUMENT vt_param_decl and vt_method_decl; PACKAGE and
 * VERSION vt_package_decl.  Methods and properties come in the order of the class list; the
 * reference has none.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"
#include "registry.h"

#include <stdlib.h>
#include <string.h>

#define WHAT(T, v) ((const T *)VT_AS(vt_reflect_obj, v)->what)

static vt_class *
type_of(vt_value v)
{
	return (vt_class *)VT_AS(vt_reflect_obj, v)->what;
}

static vt_status
give(vt_value v, vt_value *out)
{
	*out = v;
	return VT_OK;
}

static vt_status
give_name(const vt_str *name, vt_value *out)
{
	return give(vt_copy(vt_mkptr(name)), out);
}

static vt_status
give_text(vt_rt *rt, const char *s, vt_value *out)
{
	return give(vt_str_c(rt, s), out);
}

static const vt_package_decl *
package_of(const vt_class_decl *d)
{
	return d->unit && d->unit->pkg ? d->unit->pkg : &vt_core_package;
}

static vt_status
give_type(vt_rt *rt, const vt_class_decl *d, vt_value *out)
{
	bool ok;
	vt_class *c = vt_class_link(rt, d, &ok);
	return c == NULL ? VT_ERROR : give(vt_reflect_new(rt, VT_R_TYPE, c, NULL), out);
}

/* ---- types ---- */

vt_status
vt_lib_type_prop_name(vt_args *a, vt_value *out)
{
	return give_name(type_of(a->v[0])->decl->name, out);
}

vt_status
vt_lib_type_usage(vt_args *a, vt_value *out)
{
	return give_text(a->rt, type_of(a->v[0])->decl->is_meta ? "Meta" : "Class", out);
}

/* What a class has of each kind is the same each time: it is kept. */
enum of_class { ANCESTORS = 1, METHODS, PROPERTIES }; /* less than the alignment of a class */

static vt_status
list_of(vt_args *a, enum of_class what, void (*fill)(vt_rt *, const vt_class *, vt_list *),
	vt_value *out)
{
	vt_class *c = type_of(a->v[0]);
	vt_value key = vt_mkint((intptr_t)c + (intptr_t)what),
		 kept = vt_dict_get(vt_meta_cache(a->rt), key);
	vt_list *l;
	if (kept != VT_UNDEF)
		return give(vt_copy(kept), out);
	l = vt_list_grow(a->rt, VT_K_TUPLE, 8);
	fill(a->rt, c, l);
	l->h.flags |= VT_F_FINAL;
	*out = vt_mkptr(l);
	return vt_dict_set(a->rt, vt_meta_cache(a->rt), key, *out);
}

static void
put_ancestors(vt_rt *rt, const vt_class *c, vt_list *l)
{
	for (uint32_t i = 1; i < c->nlinear; i++)
		vt_list_push(rt, l, vt_reflect_new(rt, VT_R_TYPE, c->linear[i], NULL));
}

vt_status
vt_lib_type_ancestors(vt_args *a, vt_value *out)
{
	return list_of(a, ANCESTORS, put_ancestors, out);
}

/* Symbol choice again: a method is listed unless a descendant of its class declares the name too.
 */
static bool
method_hidden(const vt_class *c, uint32_t at, const vt_str *name)
{
	for (uint32_t i = 0; i < c->nlinear; i++) {
		const vt_method_decl *m;
		if (i == at || !vt_class_is(c->linear[i], c->linear[at]))
			continue;
		for (uint32_t pos = 0; (m = vt_own_method(c->linear[i], &pos)) != NULL;)
			if (vt_str_eq(m->name, name))
				return true;
	}
	return false;
}

static bool
is_listed(const vt_str *name)
{
	return name->s[0] != '.' && strncmp(name->s, "__", 2) != 0;
}

static void
put_methods(vt_rt *rt, const vt_class *c, vt_list *l)
{
	const vt_method_decl *m;
	for (uint32_t i = 0; i < c->nlinear; i++)
		for (uint32_t pos = 0; (m = vt_own_method(c->linear[i], &pos)) != NULL;)
			if (is_listed(m->name) && !method_hidden(c, i, m->name))
				vt_list_push(
					rt, l, vt_reflect_new(rt, VT_R_METHOD, m, c->linear[i]));
}

vt_status
vt_lib_type_methods(vt_args *a, vt_value *out)
{
	return list_of(a, METHODS, put_methods, out);
}

static bool
property_hidden(const vt_class *c, uint32_t at, const vt_str *name)
{
	for (uint32_t i = 0; i < c->nlinear; i++) {
		const vt_class_decl *d = c->linear[i]->decl;
		if (i == at || !vt_class_is(c->linear[i], c->linear[at]))
			continue;
		for (uint32_t k = 0; k < d->nprops; k++)
			if (vt_str_eq(d->props[k]->name, name))
				return true;
	}
	return false;
}

static void
put_properties(vt_rt *rt, const vt_class *c, vt_list *l)
{
	for (uint32_t i = 0; i < c->nlinear; i++) {
		const vt_class_decl *d = c->linear[i]->decl;
		for (uint32_t k = 0; k < d->nprops; k++)
			if (is_listed(d->props[k]->name) &&
				!property_hidden(c, i, d->props[k]->name))
				vt_list_push(rt, l,
					vt_reflect_new(
						rt, VT_R_PROPERTY, d->props[k], c->linear[i]));
	}
}

vt_status
vt_lib_type_properties(vt_args *a, vt_value *out)
{
	return list_of(a, PROPERTIES, put_properties, out);
}

vt_status
vt_lib_type_package(vt_args *a, vt_value *out)
{
	return give(
		vt_reflect_new(a->rt, VT_R_PACKAGE, package_of(type_of(a->v[0])->decl), NULL), out);
}

vt_status
vt_lib_type_version(vt_args *a, vt_value *out)
{
	return give(
		vt_reflect_new(a->rt, VT_R_VERSION, package_of(type_of(a->v[0])->decl), NULL), out);
}

vt_status
vt_lib_type_reference(vt_args *a, vt_value *out)
{
	return give(type_of(a->v[0])->typeref, out);
}

static vt_status
want_meta(vt_args *a)
{
	if (type_of(a->v[0])->decl->is_meta)
		return VT_OK;
	return vt_raise(a->rt, VT_E_NO_MATCHING_FUNCTION,
		"No function \"%s\" matches supplied arguments", a->row ? a->row->name : "");
}

vt_status
vt_lib_type_cardinality(vt_args *a, vt_value *out)
{
	VT_TRY(want_meta(a));
	return give_text(a->rt, type_of(a->v[0])->decl->cardinality_many ? "Many" : "One", out);
}

vt_status
vt_lib_type_targets(vt_args *a, vt_value *out)
{
	static const char *const names[] = {"Package", "Type", "Property", "Method", "Argument"};
	vt_list *l;
	VT_TRY(want_meta(a));
	l = vt_list_grow(a->rt, VT_K_LIST, VT_LEN(names));
	for (size_t i = 0; i < VT_LEN(names); i++)
		if (type_of(a->v[0])->decl->applies & (1u << i))
			vt_list_push(a->rt, l, vt_str_c(a->rt, names[i]));
	return give(vt_mkptr(l), out);
}

vt_status
vt_lib_type_inherited(vt_args *a, vt_value *out)
{
	VT_TRY(want_meta(a));
	return give(vt_mkbool(type_of(a->v[0])->decl->inherited), out);
}

/* ---- properties ---- */

vt_status
vt_lib_prop_name(vt_args *a, vt_value *out)
{
	return give_name(WHAT(vt_prop_decl, a->v[0])->name, out);
}

vt_status
vt_lib_prop_has_default(vt_args *a, vt_value *out)
{
	return give(vt_mkbool(WHAT(vt_prop_decl, a->v[0])->dflt != NULL), out);
}

vt_status
vt_lib_prop_usage(vt_args *a, vt_value *out)
{
	static const char *const names[] = {
		"In", "Out", "InOut", "Const", "Runtime", "Config", "Static"};
	return give_text(a->rt, names[WHAT(vt_prop_decl, a->v[0])->usage], out);
}

vt_status
vt_lib_prop_declaring_type(vt_args *a, vt_value *out)
{
	return give_type(a->rt, WHAT(vt_prop_decl, a->v[0])->cls, out);
}

/* The object as the declaring type; null: the static. */
static vt_status
property_target(vt_args *a, vt_value *out)
{
	const vt_prop_decl *p = WHAT(vt_prop_decl, a->v[0]);
	vt_object *o = vt_obj_of(a->v[1]);
	vt_class *seen = vt_class_seen(vt_cls_of(a->v[1]), p->cls);
	if (seen == NULL)
		return vt_raise(a->rt, VT_E_TYPE,
			"Cannot cast MuranoClass(%s/%s) to MuranoClass(%s/%s)",
			vt_cls_of(a->v[1])->decl->name->s,
			vt_class_version(vt_cls_of(a->v[1])->decl), p->cls->name->s,
			vt_class_version(p->cls));
	*out = vt_upcast(a->rt, o, seen);
	return VT_OK;
}

static vt_class *
property_class(vt_args *a)
{
	return (vt_class *)VT_AS(vt_reflect_obj, a->v[0])->of;
}

vt_status
vt_lib_prop_get_value(vt_args *a, vt_value *out)
{
	const vt_prop_decl *p = WHAT(vt_prop_decl, a->v[0]);
	vt_value target = VT_UNDEF;
	vt_status st;
	if (a->v[1] == VT_NULL)
		return vt_get_static(a->rt, a->unit, property_class(a), p->name, out);
	VT_TRY(property_target(a, &target));
	st = vt_get_prop(a->rt, a->unit, target, p->name, out);
	vt_release(target);
	return st;
}

vt_status
vt_lib_prop_set_value(vt_args *a, vt_value *out)
{
	const vt_prop_decl *p = WHAT(vt_prop_decl, a->v[0]);
	vt_value target = VT_UNDEF;
	vt_status st;
	*out = VT_NULL;
	if (a->v[1] == VT_NULL)
		return vt_set_static(a->rt, a->unit, property_class(a), p->name, a->v[2]);
	VT_TRY(property_target(a, &target));
	st = vt_set_prop(a->rt, a->unit, target, p->name, a->v[2]);
	vt_release(target);
	return st;
}

/* ---- methods and arguments ---- */

vt_status
vt_lib_method_name(vt_args *a, vt_value *out)
{
	return give_name(WHAT(vt_method_decl, a->v[0])->name, out);
}

vt_status
vt_lib_method_arguments(vt_args *a, vt_value *out)
{
	const vt_method_decl *m = WHAT(vt_method_decl, a->v[0]);
	vt_list *l;
	if (m->native != NULL)
		return give(VT_NULL, out);
	l = vt_list_grow(a->rt, VT_K_TUPLE, m->nparams);
	for (uint32_t i = 0; i < m->nparams; i++)
		vt_list_push(a->rt, l, vt_reflect_new(a->rt, VT_R_ARGUMENT, &m->params[i], m));
	return give(vt_mkptr(l), out);
}

vt_status
vt_lib_method_declaring_type(vt_args *a, vt_value *out)
{
	return give_type(a->rt, WHAT(vt_method_decl, a->v[0])->cls, out);
}

vt_status
vt_lib_method_invoke(vt_args *a, vt_value *out)
{
	const vt_method_decl *m = WHAT(vt_method_decl, a->v[0]);
	vt_class *c = (vt_class *)VT_AS(vt_reflect_obj, a->v[0])->of;
	bool is_static = m->usage == VT_M_STATIC || m->usage == VT_M_EXTENSION;
	if (a->v[1] == VT_NULL && !is_static)
		return vt_raise(a->rt, VT_E_EXCEPTION, "A class instance is required");
	if (a->v[1] != VT_NULL && !vt_class_is(vt_cls_of(a->v[1]), c))
		return vt_raise(a->rt, VT_E_EXCEPTION, "'this' must be of compatible type");
	return vt_invoke(a->rt, a->unit, m, a->v[1] == VT_NULL ? c->typeref : a->v[1], a->nrest,
		a->rest, a->kw, out);
}

vt_status
vt_lib_argument_name(vt_args *a, vt_value *out)
{
	return give_name(WHAT(vt_param_decl, a->v[0])->name, out);
}

vt_status
vt_lib_argument_has_default(vt_args *a, vt_value *out)
{
	return give(vt_mkbool(WHAT(vt_param_decl, a->v[0])->dflt != NULL), out);
}

vt_status
vt_lib_argument_usage(vt_args *a, vt_value *out)
{
	static const char *const names[] = {"Standard", "VarArgs", "KwArgs"};
	return give_text(a->rt, names[WHAT(vt_param_decl, a->v[0])->usage], out);
}

vt_status
vt_lib_argument_method(vt_args *a, vt_value *out)
{
	const vt_method_decl *m = VT_AS(vt_reflect_obj, a->v[0])->of;
	bool ok;
	vt_class *c = vt_class_link(a->rt, m->cls, &ok);
	return c == NULL ? VT_ERROR : give(vt_reflect_new(a->rt, VT_R_METHOD, m, c), out);
}

/* ---- packages and versions ---- */

vt_status
vt_lib_package_name(vt_args *a, vt_value *out)
{
	return give_name(WHAT(vt_package_decl, a->v[0])->name, out);
}

vt_status
vt_lib_package_version(vt_args *a, vt_value *out)
{
	return give(vt_reflect_new(a->rt, VT_R_VERSION, WHAT(vt_package_decl, a->v[0]), NULL), out);
}

vt_status
vt_lib_package_types(vt_args *a, vt_value *out)
{
	const vt_package_decl *p = WHAT(vt_package_decl, a->v[0]);
	vt_list *l = vt_list_grow(a->rt, VT_K_TUPLE, p->nclasses);
	for (uint32_t i = 0; i < p->nclasses; i++) {
		vt_value v = VT_UNDEF;
		if (give_type(a->rt, p->classes[i], &v) != VT_OK) {
			vt_release(vt_mkptr(l));
			return VT_ERROR;
		}
		vt_list_push(a->rt, l, v);
	}
	return give(vt_mkptr(l), out);
}

static vt_status
version_number(vt_args *a, int part, vt_value *out)
{
	const char *p = WHAT(vt_package_decl, a->v[0])->version;
	int64_t n = 0;
	for (; part > 0 && *p != '\0'; p++)
		part -= *p == '.';
	for (; *p >= '0' && *p <= '9' && n < VT_INT_MAX / 16; p++)
		n = n * 10 + (*p - '0');
	return give(vt_mkint(n), out);
}

vt_status
vt_lib_version_major(vt_args *a, vt_value *out)
{
	return version_number(a, 0, out);
}

vt_status
vt_lib_version_minor(vt_args *a, vt_value *out)
{
	return version_number(a, 1, out);
}

vt_status
vt_lib_version_patch(vt_args *a, vt_value *out)
{
	return version_number(a, 2, out);
}

/* The identifiers between the dots of "-a.1" or "+b.2". */
static vt_status
version_words(vt_args *a, char mark, vt_value *out)
{
	const char *v = WHAT(vt_package_decl, a->v[0])->version, *p, *plus = strchr(v, '+');
	vt_list *l = vt_list_grow(a->rt, VT_K_TUPLE, 2);
	p = mark == '+' ? plus : strchr(v, '-');
	if (p != NULL && mark == '-' && plus != NULL && plus < p)
		p = NULL;
	while (p != NULL && *p != '\0' && (*p == mark || *p == '.')) {
		size_t n = strcspn(++p, mark == '-' ? ".+" : ".");
		vt_list_push(a->rt, l, vt_str_new(a->rt, p, n));
		p += n;
	}
	return give(vt_mkptr(l), out);
}

vt_status
vt_lib_version_prerelease(vt_args *a, vt_value *out)
{
	return version_words(a, '-', out);
}

vt_status
vt_lib_version_build(vt_args *a, vt_value *out)
{
	return version_words(a, '+', out);
}

/* ---- Meta ---- */

static vt_status
meta_properties(vt_rt *rt, vt_class *declaring, const vt_meta_decl *m, vt_value *out)
{
	static const vt_names none;
	vt_scope *sc;
	vt_value v = VT_UNDEF;
	vt_status st;
	*out = VT_NULL;
	if (m->properties == NULL)
		return VT_OK;
	sc = vt_scope_method(rt, m->unit, declaring ? declaring->typeref : VT_NULL, &none);
	st = vt_code_run(rt, m->properties, sc, &v);
	vt_scope_drop(sc);
	if (st != VT_OK)
		return st;
	st = vt_final_fast(rt, m->unit, v, out);
	vt_release(v);
	return st;
}

static vt_status
make_meta(vt_rt *rt, vt_class *declaring, const vt_meta_decl *m, vt_value *out)
{
	vt_class *c = vt_unit_class(rt, m->unit, m->name);
	vt_value props = VT_UNDEF;
	vt_status st;
	if (c == NULL)
		return VT_ERROR;
	if (!c->decl->is_meta)
		return vt_raise(rt, VT_E_VALUE, "Only Meta classes can be attached");
	VT_TRY(meta_properties(rt, declaring, m, &props));
	st = vt_new_object(rt, m->unit, c, props, VT_NULL, VT_NULL, VT_NULL, out);
	vt_release(props);
	return st;
}

static vt_status
make_all(vt_rt *rt, vt_class *declaring, const vt_meta_decl *m, uint32_t n, vt_value *out)
{
	vt_list *l = vt_list_grow(rt, VT_K_TUPLE, n);
	vt_status st = VT_OK;
	for (uint32_t i = 0; i < n && st == VT_OK; i++) {
		vt_value v = VT_UNDEF;
		st = make_meta(rt, declaring, &m[i], &v);
		if (st == VT_OK)
			vt_list_push(rt, l, v);
	}
	return vt_settle(st, vt_mkptr(l), out);
}

/* The objects of one list, made once a session. Borrowed tuple. */
static vt_status
meta_objects(vt_rt *rt, vt_class *declaring, const vt_meta_decl *m, uint32_t n, vt_value *out)
{
	vt_value key = vt_mkint((intptr_t)m), v = vt_dict_get(vt_meta_cache(rt), key);
	vt_status st;
	if (v == VT_UNDEF) {
		VT_TRY(make_all(rt, declaring, m, n, &v));
		st = vt_dict_set(rt, vt_meta_cache(rt), key, v);
		vt_release(v);
		VT_TRY(st);
	}
	*out = v;
	return VT_OK;
}

/* What is merged: the lists of one class, one of its methods, or one of its properties. */
struct merge {
	vt_rt *rt;
	vt_class *initial;
	enum vt_meta_target kind;
	const vt_str *name;
};
struct finds {
	vt_meta_item *v;
	uint32_t n;
};
struct types {
	vt_class **v;
	uint32_t n;
};

static void
add_found(struct finds *f, vt_class *cls, vt_object *item)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (f->v[i].cls == cls && f->v[i].item == item)
			return;
	vt_push(f->v, f->n) = (vt_meta_item){cls, item};
}

static bool
has_type(const struct types *t, const vt_class *c)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->v[i] == c)
			return true;
	return false;
}

static void
add_type(struct types *t, vt_class *c)
{
	if (has_type(t, c))
		return;
	vt_push(t->v, t->n) = c;
}

static struct types
copy_types(const struct types *t)
{
	struct types r = {0};
	for (uint32_t i = 0; i < t->n; i++)
		add_type(&r, t->v[i]);
	return r;
}

static vt_status
own_meta(struct merge *g, vt_class *c, vt_value *out)
{
	const vt_class_decl *d = c->decl;
	const vt_method_decl *m;
	*out = VT_UNDEF;
	if (g->kind == VT_META_TYPE)
		return d->nmeta ? meta_objects(g->rt, c, d->meta, d->nmeta, out) : VT_OK;
	if (g->kind == VT_META_METHOD) {
		for (uint32_t pos = 0; (m = vt_own_method(c, &pos)) != NULL;)
			if (vt_str_eq(m->name, g->name) && m->nmeta > 0)
				return meta_objects(g->rt, c, m->meta, m->nmeta, out);
		return VT_OK;
	}
	for (uint32_t i = 0; i < d->nprops; i++)
		if (vt_str_eq(d->props[i]->name, g->name) && d->props[i]->nmeta > 0)
			return meta_objects(g->rt, c, d->props[i]->meta, d->props[i]->nmeta, out);
	return VT_OK;
}

static vt_status merge_classes(
	struct merge *, vt_class **, uint32_t n, const struct types *skip, struct finds *out);

/* A class's own list, then that of its parents without what it overrides. */
static vt_status
merge_class(struct merge *g, vt_class *c, const struct types *skip, struct finds *all)
{
	struct types below = copy_types(skip);
	struct finds up = {0};
	vt_value items;
	vt_status st = own_meta(g, c, &items);
	for (uint32_t i = 0; st == VT_OK && items != VT_UNDEF && i < vt_as_list(items)->n; i++) {
		vt_object *o = vt_obj_of(vt_as_list(items)->v[i]);
		if (c != g->initial && (!o->cls->decl->inherited || has_type(skip, o->cls)))
			continue;
		if (!o->cls->decl->cardinality_many)
			add_type(&below, o->cls);
		add_found(all, c, o);
	}
	if (st == VT_OK)
		st = merge_classes(g, c->parents, c->nparents, &below, &up);
	for (uint32_t i = 0; i < up.n; i++)
		add_found(all, up.v[i].cls, up.v[i].item);
	free(up.v);
	free(below.v);
	return st;
}

/* Two classes may not each bring one of a kind of which there is only one. */
static vt_status
check_single(vt_rt *rt, const struct finds *all, struct finds *out)
{
	for (uint32_t i = 0; i < all->n; i++) {
		vt_class *type = all->v[i].item->cls;
		bool again = false;
		for (uint32_t k = 0; k < i && !type->decl->cardinality_many; k++) {
			if (all->v[k].item->cls != type)
				continue;
			if (all->v[k].cls != all->v[i].cls)
				return vt_raise(rt, VT_E_VALUE,
					"Found more than one instance of Meta %s with Cardinality "
					"One",
					type->decl->name->s);
			again = true;
		}
		if (!again)
			add_found(out, all->v[i].cls, all->v[i].item);
	}
	return VT_OK;
}

static vt_status
merge_classes(struct merge *g, vt_class **classes, uint32_t n, const struct types *skip,
	struct finds *out)
{
	struct finds all = {0};
	vt_status st = VT_OK;
	for (uint32_t i = 0; i < n && st == VT_OK; i++)
		st = merge_class(g, classes[i], skip, &all);
	if (st == VT_OK)
		st = check_single(g->rt, &all, out);
	free(all.v);
	return st;
}

vt_status
vt_meta_of(vt_rt *rt, vt_class *c, enum vt_meta_target kind, const vt_str *name, vt_meta_item **out,
	uint32_t *n)
{
	struct merge g = {.rt = rt, .initial = c, .kind = kind, .name = name};
	struct types none = {0};
	struct finds f = {0};
	vt_status st = merge_classes(&g, &g.initial, 1, &none, &f);
	if (st != VT_OK) {
		free(f.v);
		f = (struct finds){0};
	}
	*out = f.v;
	*n = f.n;
	return st;
}

vt_status
vt_meta_of_param(vt_rt *rt, vt_class *c, const vt_param_decl *p, vt_meta_item **out, uint32_t *n)
{
	vt_value items;
	*out = NULL;
	*n = 0;
	if (p->nmeta == 0)
		return VT_OK;
	VT_TRY(meta_objects(rt, c, p->meta, p->nmeta, &items));
	*out = vt_xmalloc(p->nmeta * sizeof **out);
	for (uint32_t i = 0; i < vt_as_list(items)->n; i++)
		(*out)[(*n)++] = (vt_meta_item){c, vt_obj_of(vt_as_list(items)->v[i])};
	return VT_OK;
}

static vt_status
merged(struct merge *g, vt_value *out)
{
	struct types none = {0};
	struct finds f = {0};
	vt_list *l;
	vt_status st = merge_classes(g, &g->initial, 1, &none, &f);
	if (st == VT_OK) {
		l = vt_list_grow(g->rt, VT_K_TUPLE, f.n);
		for (uint32_t i = 0; i < f.n; i++)
			vt_list_push(g->rt, l, vt_copy(vt_mkptr(f.v[i].item)));
		*out = vt_mkptr(l);
	}
	free(f.v);
	return st;
}

/* What is merged of a class is kept, as its lists are. */
vt_status
vt_lib_type_meta(vt_args *a, vt_value *out)
{
	struct merge g = {.rt = a->rt, .initial = type_of(a->v[0]), .kind = VT_META_TYPE};
	vt_value key = vt_mkint((intptr_t)g.initial), kept = vt_dict_get(vt_meta_cache(a->rt), key);
	if (kept != VT_UNDEF) {
		*out = vt_copy(kept);
		return VT_OK;
	}
	VT_TRY(merged(&g, out));
	return vt_dict_set(a->rt, vt_meta_cache(a->rt), key, *out);
}

vt_status
vt_lib_method_meta(vt_args *a, vt_value *out)
{
	struct merge g = {.rt = a->rt,
		.initial = (vt_class *)VT_AS(vt_reflect_obj, a->v[0])->of,
		.kind = VT_META_METHOD,
		.name = WHAT(vt_method_decl, a->v[0])->name};
	return merged(&g, out);
}

vt_status
vt_lib_prop_meta(vt_args *a, vt_value *out)
{
	struct merge g = {.rt = a->rt,
		.initial = (vt_class *)VT_AS(vt_reflect_obj, a->v[0])->of,
		.kind = VT_META_PROPERTY,
		.name = WHAT(vt_prop_decl, a->v[0])->name};
	return merged(&g, out);
}

static const char SYNCHRONIZE[] = "io.murano.metadata.engine.Synchronize";

/* Whatever prefix a name is written with. */
static bool
may_synchronize(const vt_method_decl *m)
{
	static const char last[] = "Synchronize";
	for (uint32_t i = 0; i < m->nmeta; i++) {
		const vt_str *s = m->meta[i].name;
		if (s->bytes >= sizeof last - 1 &&
			strcmp(s->s + s->bytes - (sizeof last - 1), last) == 0)
			return true;
	}
	return false;
}

static vt_status
read_meta(vt_rt *rt, vt_value item, const char *name, vt_value *out)
{
	vt_value text = vt_str_c(rt, name);
	vt_status st = vt_get_prop(rt, vt_cls_of(item)->decl->unit, item, vt_as_str(text), out);
	vt_release(text);
	return st;
}

/* The first Synchronize of the method itself; it is not inherited. */
vt_status
vt_method_sync(vt_rt *rt, const vt_method_decl *m, vt_sync *out)
{
	vt_value v = VT_UNDEF, item = VT_UNDEF, on_this = VT_UNDEF, names = VT_UNDEF;
	bool ok;
	vt_class *c;
	if (!may_synchronize(m))
		return VT_OK;
	c = vt_class_link(rt, m->cls, &ok);
	VT_TRY(c == NULL ? VT_ERROR : meta_objects(rt, c, m->meta, m->nmeta, &v));
	for (uint32_t i = 0; item == VT_UNDEF && i < vt_as_list(v)->n; i++)
		if (strcmp(vt_cls_of(vt_as_list(v)->v[i])->decl->name->s, SYNCHRONIZE) == 0)
			item = vt_as_list(v)->v[i];
	if (item == VT_UNDEF)
		return VT_OK;
	VT_TRY(read_meta(rt, item, "onThis", &on_this));
	out->on_this = vt_truth(on_this);
	vt_release(on_this);
	VT_TRY(read_meta(rt, item, "onArgs", &names));
	out->on_args = vt_is_sequence(names) ? names : VT_UNDEF;
	vt_release(names); /* the object holds it for the session */
	return VT_OK;
}

static vt_status
plain_meta(vt_rt *rt, vt_class *declaring, const vt_meta_decl *m, uint32_t n, vt_value *out)
{
	vt_value v = VT_UNDEF;
	if (n == 0)
		return vt_tuple_of(rt, 0, NULL, out);
	VT_TRY(meta_objects(rt, declaring, m, n, &v));
	return give(vt_copy(v), out);
}

vt_status
vt_lib_argument_meta(vt_args *a, vt_value *out)
{
	const vt_param_decl *p = WHAT(vt_param_decl, a->v[0]);
	const vt_method_decl *m = VT_AS(vt_reflect_obj, a->v[0])->of;
	bool ok;
	vt_class *c = vt_class_link(a->rt, m->cls, &ok);
	return c == NULL ? VT_ERROR : plain_meta(a->rt, c, p->meta, p->nmeta, out);
}

vt_status
vt_lib_package_meta(vt_args *a, vt_value *out)
{
	const vt_package_decl *p = WHAT(vt_package_decl, a->v[0]);
	return plain_meta(a->rt, NULL, p->meta, p->nmeta, out);
}
