/*
 * murano.c - the functions MuranoPL adds to YAQL: muranopl-engine.md 7, runtime/lib/murano.fn.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "runtime/object/maker.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"
#include "runtime/task/task.h"
#include "registry.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

static bool
is_object(vt_value v)
{
	return vt_is(v, OBJECT) || vt_is(v, CAST);
}

/* A `type` parameter: a reference, or a name as the caller's file understands it. */
static vt_class *
class_arg(vt_args *a, vt_value v)
{
	if (vt_is(v, TYPEREF))
		return vt_cls_of(v);
	return vt_unit_class(a->rt, a->unit, vt_as_str(v));
}

/* ---- objects ---- */

vt_status
vt_lib_id(vt_args *a, vt_value *out)
{
	*out = vt_copy(vt_object_id(vt_obj_of(a->v[0])));
	return VT_OK;
}

vt_status
vt_lib_object_name(vt_args *a, vt_value *out)
{
	*out = is_object(a->v[0]) ? vt_copy(vt_obj_of(a->v[0])->name) : VT_NULL;
	return VT_OK;
}

vt_status
vt_lib_metadata(vt_args *a, vt_value *out)
{
	*out = vt_copy(vt_obj_of(a->v[0])->more->metadata);
	return VT_OK;
}

vt_status
vt_lib_type_of(vt_args *a, vt_value *out)
{
	*out = is_object(a->v[0]) ? vt_cls_of(a->v[0])->typeref : VT_NULL;
	return VT_OK;
}

vt_status
vt_lib_type_name(vt_args *a, vt_value *out)
{
	*out = is_object(a->v[0]) ? vt_copy(vt_mkptr(vt_cls_of(a->v[0])->decl->name)) : VT_NULL;
	return VT_OK;
}

vt_status
vt_lib_type_ref(vt_args *a, vt_value *out)
{
	vt_class *c = class_arg(a, a->v[0]);
	if (c == NULL)
		return VT_ERROR;
	*out = c->typeref;
	return VT_OK;
}

vt_status
vt_lib_typeinfo(vt_args *a, vt_value *out)
{
	*out = is_object(a->v[0]) ? vt_reflect_new(a->rt, VT_R_TYPE, vt_cls_of(a->v[0]), NULL)
				  : VT_NULL;
	return VT_OK;
}

vt_status
vt_lib_typeinfo_of(vt_args *a, vt_value *out)
{
	vt_class *c = class_arg(a, a->v[0]);
	if (c == NULL)
		return VT_ERROR;
	*out = vt_reflect_new(a->rt, VT_R_TYPE, c, NULL);
	return VT_OK;
}

vt_status
vt_lib_is_object(vt_args *a, vt_value *out)
{
	*out = vt_mkbool(is_object(a->v[0]) || vt_is(a->v[0], TYPEREF));
	return VT_OK;
}

vt_status
vt_lib_is(vt_args *a, vt_value *out)
{
	vt_class *c;
	if (!is_object(a->v[0])) {
		*out = VT_FALSE;
		return VT_OK;
	}
	c = class_arg(a, a->v[1]);
	if (c == NULL)
		return VT_ERROR;
	*out = vt_mkbool(vt_class_is(vt_cls_of(a->v[0]), c));
	return VT_OK;
}

vt_status
vt_lib_require(vt_args *a, vt_value *out)
{
	if (a->v[0] == VT_NULL)
		return vt_raise(a->rt, VT_E_VALUE, "Required value is missing");
	*out = vt_copy(a->v[0]);
	return VT_OK;
}

/* Until the expression ends the owner is an interface, which equals no object: a cast to its own
 * class, which vt_final makes the object itself. */
vt_status
vt_lib_find(vt_args *a, vt_value *out)
{
	vt_class *c = class_arg(a, a->v[1]);
	vt_object *o;
	vt_cast *seen;
	if (c == NULL)
		return VT_ERROR;
	o = vt_find_owner(vt_obj_of(a->v[0]), c);
	if (o == NULL) {
		*out = VT_NULL;
		return VT_OK;
	}
	seen = vt_alloc(a->rt, sizeof *seen, VT_K_CAST);
	vt_retain(vt_mkptr(o));
	seen->obj = o;
	seen->cls = o->cls;
	*out = vt_mkptr(seen);
	return VT_OK;
}

/* ---- casts ---- */

/* The ancestor of that name which the caller's package (or the version asked for) admits. */
static vt_status
find_cast(vt_args *a, vt_value obj, vt_class *want, vt_value version, vt_class **out)
{
	vt_class *seen = vt_cls_of(obj);
	for (uint32_t i = 0; i < seen->nlinear; i++) {
		vt_class *c = seen->linear[i];
		if (!vt_str_eq(c->decl->name, want->decl->name))
			continue;
		if (!vt_version_fits(a->rt, a->unit->pkg, c->decl, version))
			continue;
		if (*out != NULL)
			return vt_raise(a->rt, VT_E_AMBIGUOUS_CLASS,
				"Found more than one version of class \"%s\"", want->decl->name->s);
		*out = c;
	}
	if (*out == NULL)
		return vt_raise(
			a->rt, VT_E_NO_CLASS, "Class \"%s\" is not found in ", want->decl->name->s);
	return VT_OK;
}

static bool
is_constant(vt_value v)
{
	return vt_is(v, TYPEREF) || vt_head_of(v)->rc == VT_IMMORTAL;
}

/* What a site has found for objects of a class is kept, where nothing but constants ask for it. */
static vt_status
cast_at(vt_args *a, vt_class **c)
{
	const void *key = (const char *)vt_cls_of(a->v[0]) + 6;
	bool kept =
		a->site != NULL && a->rt->ic != NULL && a->v[2] == VT_NULL && is_constant(a->v[1]);
	const vt_ic *found = kept ? vt_found_by(a->rt, a->site, key) : NULL;
	vt_class *want;
	if (found != NULL && found->aux == a->v[1]) {
		*c = found->target;
		return VT_OK;
	}
	if ((want = class_arg(a, a->v[1])) == NULL)
		return VT_ERROR;
	VT_TRY(find_cast(a, a->v[0], want, a->v[2], c));
	if (kept)
		vt_keep_found(a->rt, a->site, &(vt_ic){.key = key, .target = *c, .aux = a->v[1]});
	return VT_OK;
}

vt_status
vt_lib_cast(vt_args *a, vt_value *out)
{
	vt_class *c = NULL;
	VT_TRY(cast_at(a, &c));
	*out = vt_upcast(a->rt, vt_obj_of(a->v[0]), c);
	return VT_OK;
}

static void
report_class(vt_buf *b, const vt_class *c)
{
	vt_buf_printf(b, "MuranoClass(%s/%s)", c->decl->name->s, vt_class_version(c->decl));
}

static vt_status
cannot_cast(vt_rt *rt, const vt_class *from, const vt_class *to)
{
	vt_buf b = {0};
	vt_buf_puts(&b, "Cannot cast ");
	report_class(&b, from);
	vt_buf_puts(&b, " to ");
	report_class(&b, to);
	return vt_raise_value(rt, VT_E_TYPE, vt_str_take(rt, &b));
}

/* The object as each of the direct parents of the class whose code is running. Owned list. */
static vt_status
parents_of(vt_args *a, vt_value obj, vt_value *out)
{
	vt_class *mine = NULL;
	vt_list *l;
	bool ok;
	if (a->unit->cls != NULL)
		mine = vt_class_seen(vt_obj_of(obj)->cls, a->unit->cls);
	if (mine == NULL && a->unit->cls != NULL &&
		(mine = vt_class_link(a->rt, a->unit->cls, &ok)) == NULL)
		return VT_ERROR;
	if (mine == NULL)
		return vt_raise(
			a->rt, VT_E_ATTRIBUTE, "'NoneType' object has no attribute 'parents'");
	l = vt_list_grow(a->rt, VT_K_LIST, mine->nparents);
	for (uint32_t i = 0; i < mine->nparents; i++) {
		vt_class *c = vt_class_seen(vt_cls_of(obj), mine->parents[i]->decl);
		if (c == NULL) {
			vt_release(vt_mkptr(l));
			return cannot_cast(a->rt, vt_cls_of(obj), mine->parents[i]);
		}
		vt_list_push(a->rt, l, vt_upcast(a->rt, vt_obj_of(obj), c));
	}
	*out = vt_mkptr(l);
	return VT_OK;
}

vt_status
vt_lib_super(vt_args *a, vt_value *out)
{
	vt_value l = VT_UNDEF;
	vt_iter *it;
	VT_TRY(parents_of(a, a->v[0], &l));
	if (!vt_is(a->v[1], LAMBDA)) {
		*out = l;
		return VT_OK;
	}
	it = vt_iter_new(a->rt, &vt_map_ops);
	it->v[0] = vt_iter_over(a->rt, l);
	it->v[1] = vt_copy(a->v[1]);
	*out = vt_mkptr(it);
	return VT_OK;
}

struct selection {
	const vt_list *from;
	vt_value lambda;
	vt_list *to;
};

static vt_status
select_one(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	struct selection *s = data;
	(void)out;
	return vt_apply(rt, s->lambda, 1, &s->from->v[i], &s->to->v[i]);
}

/* As many at a time as the engine's pool takes. Owned iterator. */
vt_status
vt_select_all(vt_rt *rt, vt_value list, vt_value lambda, vt_value *out)
{
	enum { POOL = 1000 };
	const vt_list *from = vt_as_list(list);
	struct selection s = {from, lambda, vt_list_new(rt, VT_K_LIST, from->n)};
	vt_value none = VT_UNDEF;
	vt_status st = vt_run_all(rt, from->n, POOL, select_one, &s, &none);
	if (st != VT_OK) {
		vt_release(vt_mkptr(s.to));
		return st;
	}
	*out = vt_iter_over(rt, vt_mkptr(s.to));
	return VT_OK;
}

vt_status
vt_lib_psuper(vt_args *a, vt_value *out)
{
	vt_value l = VT_UNDEF;
	vt_status st;
	VT_TRY(parents_of(a, a->v[0], &l));
	if (!vt_is(a->v[1], LAMBDA)) {
		*out = l;
		return VT_OK;
	}
	st = vt_select_all(a->rt, l, a->v[1], out);
	vt_release(l);
	return st;
}

/* ---- new() ---- */

/* new(Type, owner, name, extra, property => value...) */
vt_status
vt_lib_new(vt_args *a, vt_value *out)
{
	vt_class *c = class_arg(a, a->v[0]);
	if (c == NULL)
		return VT_ERROR;
	return vt_new_object(a->rt, a->unit, c, a->kw, a->v[1], a->v[2], a->v[3], out);
}

/* new(Type, {properties}, owner, name, extra) */
vt_status
vt_lib_new_from_dict(vt_args *a, vt_value *out)
{
	vt_class *c = class_arg(a, a->v[0]);
	if (c == NULL)
		return VT_ERROR;
	return vt_new_object(a->rt, a->unit, c, a->v[1], a->v[2], a->v[3], a->v[4], out);
}

/* new({model}, owner) */
vt_status
vt_lib_new_from_model(vt_args *a, vt_value *out)
{
	vt_object *owner = is_object(a->v[1]) ? vt_obj_of(a->v[1]) : NULL;
	vt_value model = VT_UNDEF;
	vt_status st;
	VT_TRY(vt_final_fast(a->rt, a->unit, a->v[0], &model));
	st = vt_new_of_model(a->rt, a->unit, model, owner, out);
	vt_release(model);
	return st;
}

/* ---- operators ---- */

vt_status
vt_lib_object_property(vt_args *a, vt_value *out)
{
	return vt_get_prop(a->rt, a->unit, a->v[0], vt_as_str(a->v[1]), out);
}

vt_status
vt_lib_static_property(vt_args *a, vt_value *out)
{
	return vt_get_static(a->rt, a->unit, vt_cls_of(a->v[0]), vt_as_str(a->v[1]), out);
}

static vt_status
resolve_type(vt_args *a, const char *prefix, vt_value name, vt_value *out)
{
	vt_value text = vt_str_printf(a->rt, "%s:%s", prefix, vt_as_str(name)->s);
	vt_status st = vt_typeref(a->rt, a->unit, vt_as_str(text), out);
	vt_release(text);
	return st;
}

vt_status
vt_lib_prefixed_type(vt_args *a, vt_value *out)
{
	return resolve_type(a, vt_as_str(a->v[0])->s, a->v[1], out);
}

vt_status
vt_lib_own_type(vt_args *a, vt_value *out)
{
	return resolve_type(a, "", a->v[0], out);
}

/* ---- the rest ---- */

vt_status
vt_lib_call_on(vt_args *a, vt_value *out)
{
	vt_value recv = a->v[3] == VT_NOVALUE ? VT_UNDEF : a->v[3];
	return vt_call_dynamic(
		a->rt, a->scope, a->unit, vt_as_str(a->v[0]), recv, a->v[1], a->v[2], out);
}

static bool
dump_kind(const char *s, enum vt_dump *kind)
{
	static const struct {
		const char *name;
		enum vt_dump kind;
	} table[] = {
		{"Serializable", VT_DUMP_SERIALIZABLE},
		{"Inline", VT_DUMP_INLINE},
		{"Mixed", VT_DUMP_MIXED},
	};
	for (size_t i = 0; i < VT_LEN(table); i++)
		if (strcmp(s, table[i].name) == 0) {
			*kind = table[i].kind;
			return true;
		}
	return false;
}

vt_status
vt_lib_dump(vt_args *a, vt_value *out)
{
	enum vt_dump kind;
	vt_value obj = a->v[0];
	if (!dump_kind(vt_as_str(a->v[1])->s, &kind))
		return vt_raise(a->rt, VT_E_VALUE, "Invalid Serialization Type");
	if (vt_truth(a->v[2]))
		obj = vt_mkptr(vt_obj_of(obj));
	return vt_serialize(a->rt, obj, kind, out);
}

vt_status
vt_lib_sleep(vt_args *a, vt_value *out)
{
	double s;
	VT_TRY(vt_num_double(a->rt, a->v[0], &s));
	if (s >= 1e9)
		return vt_raise(a->rt, VT_E_OVERFLOW, "timeout value is too large");
	*out = VT_NULL;
	if (vt_drawn(a->rt, VT_UNDEF) != VT_UNDEF) /* the run before has slept */
		return VT_OK;
	VT_TRY(vt_sleep(a->rt, s));
	(void)vt_drawn(a->rt, VT_TRUE);
	return VT_OK;
}
