/*
 * object.c - io.murano.Object, io.murano.Exception and io.murano.StackTrace (appendix A).
 */
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/core/args.h"
#include "natives.h"

#include <string.h>

/* Attributes belong to the class of the code that sets them, unless it names another owner. */
static const vt_str *
attribute_owner(vt_args *a, vt_value given)
{
	vt_class *c;
	if (vt_is(given, TYPEREF))
		return vt_cls_of(given)->decl->name;
	if (vt_is(given, STR)) {
		c = vt_unit_class(a->rt, a->unit, vt_as_str(given));
		return c ? c->decl->name : NULL;
	}
	return a->unit->cls ? a->unit->cls->name : a->method->cls->name;
}

vt_status
vt_sys_set_attr(vt_args *a, vt_value *out)
{
	const vt_str *owner = attribute_owner(a, a->v[2]);
	if (owner == NULL)
		return VT_ERROR;
	VT_TRY(vt_attribute_set(a->rt, vt_obj_of(a->self), owner, a->v[0], a->v[1]));
	*out = VT_NULL;
	return VT_OK;
}

vt_status
vt_sys_get_attr(vt_args *a, vt_value *out)
{
	const vt_str *owner = attribute_owner(a, a->v[2]);
	vt_value v;
	if (owner == NULL)
		return VT_ERROR;
	v = vt_attribute_get(a->rt, vt_obj_of(a->self), owner, a->v[0]);
	*out = vt_copy(v == VT_NULL ? a->v[1] : v);
	return VT_OK;
}

/* ---- exceptions ---- */

static vt_value
slot(vt_value object, const char *name)
{
	vt_object *o = vt_obj_of(object);
	for (uint32_t i = 0; i < o->cls->nslots; i++)
		if (strcmp(o->cls->slots[i].name->s, name) == 0)
			return o->v[i];
	return VT_UNDEF;
}

vt_status
vt_sys_exception_to_string(vt_args *a, vt_value *out)
{
	vt_value e = slot(a->self, "nativeException");
	vt_buf b = {0};
	if (!vt_is(e, EXC))
		return vt_raise(a->rt, VT_E_ATTRIBUTE, "'%s' object has no attribute 'format'",
			e == VT_UNDEF ? "NoneType" : vt_py_type(e));
	vt_exc_format(a->rt, &b, VT_AS(vt_exc, e));
	*out = vt_str_take(a->rt, &b);
	return VT_OK;
}

static vt_value
field(vt_value frame, const char *name)
{
	vt_value v = vt_is(frame, DICT) ? vt_dict_get_c(vt_as_dict(frame), name) : VT_UNDEF;
	return v == VT_UNDEF ? VT_NULL : v;
}

static void
format_frame(vt_rt *rt, vt_buf *b, vt_value frame, const char *prefix)
{
	vt_value place = field(frame, "location"), file = field(place, "file"),
		 type = field(frame, "typeName");
	vt_buf_puts(b, prefix);
	vt_buf_puts(b, "File ");
	if (file == VT_NULL) {
		vt_buf_puts(b, "<unknown>");
	} else {
		vt_buf_putc(b, '"');
		vt_pystr(rt, b, file);
		vt_buf_puts(b, "\", line ");
		vt_pystr(rt, b, field(place, "line"));
		vt_buf_putc(b, ':');
		vt_pystr(rt, b, field(place, "col"));
	}
	vt_buf_puts(b, " in method ");
	vt_pystr(rt, b, field(frame, "methodName"));
	if (type != VT_NULL) {
		vt_buf_puts(b, " of type ");
		vt_pystr(rt, b, type);
	}
	vt_buf_printf(b, "\n%s    ", prefix);
	vt_pystr(rt, b, field(frame, "instruction"));
}

vt_status
vt_sys_trace_to_string(vt_args *a, vt_value *out)
{
	vt_value frames = slot(a->self, "frames"), prefix = a->v[0];
	vt_buf b = {0};
	for (uint32_t i = 0; vt_is_sequence(frames) && i < vt_as_list(frames)->n; i++) {
		if (i > 0)
			vt_buf_putc(&b, '\n');
		format_frame(a->rt, &b, vt_as_list(frames)->v[i],
			vt_is(prefix, STR) ? vt_as_str(prefix)->s : "");
	}
	*out = vt_str_take(a->rt, &b);
	return VT_OK;
}
