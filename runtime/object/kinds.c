/*
 * kinds.c - what values of the kinds OBJECT, CAST, TYPEREF and REFLECT do: rows of link/kinds.c.
 */
#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"

void
vt_cast_free(vt_head *h)
{
	vt_release(vt_mkptr(((vt_cast *)h)->obj));
}

/* ---- equality and hashes ---- */

/* Identity, as in the reference: an object seen as its ancestor is another thing than the object.
 * A cast to the object's own class is what find() gives before it is assigned (lib/murano.c). */
bool
vt_object_equal(vt_value a, vt_value b)
{
	return vt_obj_of(a) == vt_obj_of(b) && vt_cls_of(a) == vt_cls_of(b);
}

bool
vt_reflect_equal(vt_value a, vt_value b)
{
	const vt_reflect_obj *x = VT_AS(vt_reflect_obj, a), *y = VT_AS(vt_reflect_obj, b);

	return x->h.aux == y->h.aux && x->what == y->what && x->of == y->of;
}

uint64_t
vt_object_hash(vt_value v, const vt_seed *s)
{
	return vt_hash_word(s, 19, (uintptr_t)vt_obj_of(v));
}

uint64_t
vt_typeref_hash(vt_value v, const vt_seed *s)
{
	return vt_hash_word(s, 23, (uintptr_t)VT_AS(vt_typeref_obj, v)->cls);
}

uint64_t
vt_reflect_hash(vt_value v, const vt_seed *s)
{
	return vt_hash_word(s, 29, (uintptr_t)VT_AS(vt_reflect_obj, v)->what);
}

/* ---- text ---- */

static const char *
version_of(const vt_class_decl *c)
{
	return c->unit && c->unit->pkg ? c->unit->pkg->version : "0.0.0";
}

void
vt_object_label(vt_buf *b, vt_value v)
{
	const vt_object *o = vt_obj_of(v);

	vt_buf_puts(b, vt_is(vt_object_id(o), STR) ? vt_as_str(vt_object_id(o))->s : "");
}

/* Python shows where in memory the object is.  The same run must give the same message: no address
 * here. */
void
vt_object_repr(vt_buf *b, vt_value v)
{
	const vt_class_decl *c = vt_cls_of(v)->decl;

	vt_buf_printf(b, "<%s/%s ", c->name->s, version_of(c));
	vt_object_label(b, v);
	vt_buf_puts(b, " (ADDR)>");
}

void
vt_typeref_repr(vt_buf *b, vt_value v)
{
	const vt_class_decl *c = VT_AS(vt_typeref_obj, v)->cls->decl;

	vt_buf_printf(b, "*MuranoClass(%s/%s)", c->name->s, version_of(c));
}

/* ---- what typeinfo() gives ---- */

vt_value
vt_reflect_new(vt_rt *rt, enum vt_reflect kind, const void *what, const void *of)
{
	vt_reflect_obj *r = vt_alloc(rt, sizeof *r, VT_K_REFLECT);
	r->h.aux = (uint16_t)kind;
	r->what = what;
	r->of = of;
	return vt_mkptr(r);
}

void
vt_reflect_repr(vt_buf *b, vt_value v)
{
	const vt_reflect_obj *r = VT_AS(vt_reflect_obj, v);
	const vt_method_decl *m = r->what;
	switch ((enum vt_reflect)r->h.aux) {
	case VT_R_TYPE:
		vt_buf_printf(b, "Murano%sClass(%s/%s)",
			((const vt_class *)r->what)->decl->is_meta ? "Meta" : "",
			((const vt_class *)r->what)->decl->name->s,
			vt_class_version(((const vt_class *)r->what)->decl));
		return;
	case VT_R_METHOD:
		vt_buf_printf(b, "MuranoMethod(%s::%s)", m->cls->name->s, m->name->s);
		return;
	case VT_R_PROPERTY:
		vt_buf_printf(b, "MuranoProperty(%s::%s)",
			((const vt_prop_decl *)r->what)->cls->name->s,
			((const vt_prop_decl *)r->what)->name->s);
		return;
	case VT_R_ARGUMENT:
		vt_buf_printf(b, "MuranoMethodArgument(%s::%s)",
			((const vt_method_decl *)r->of)->name->s,
			((const vt_param_decl *)r->what)->name->s);
		return;
	case VT_R_PACKAGE:
		vt_buf_printf(b, "MuranoPackage(%s)", ((const vt_package_decl *)r->what)->name->s);
		return;
	case VT_R_VERSION: vt_buf_puts(b, ((const vt_package_decl *)r->what)->version); return;
	}
}
