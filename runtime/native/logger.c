/*
 * logger.c - io.murano.system.Logger (appendix A): lines on standard error.
 *
 * A message is formatted as the function format() does it; when its arguments do not fit, a warning
 * says so and the message is written as it is.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"
#include "natives.h"

#include <stdlib.h>
#include <string.h>

vt_status
vt_sys_logger_new(vt_args *a, vt_value *out)
{
	vt_value name =
		vt_is(a->kw, DICT) ? vt_dict_get_c(vt_as_dict(a->kw), "loggerName") : VT_UNDEF;
	vt_object *o = vt_obj_of(a->self);
	vt_buf b = {0};
	vt_pystr(a->rt, &b, name == VT_UNDEF ? VT_NULL : name);
	vt_buf_putc(&b, '\0');
	vt_object_set_native(o, vt_xstrdup(b.p), free);
	vt_buf_free(&b);
	*out = VT_NULL;
	return VT_OK;
}

/* Only whole lines leave, so that concurrent writers do not mix; below info nothing is said. */
static void
write_line(vt_args *a, const char *level, const char *text, size_t n)
{
	const char *name = vt_obj_of(a->self)->more->native;
	vt_buf b = {0};
	if (strcmp(level, "trace") == 0 || strcmp(level, "debug") == 0)
		return;
	vt_buf_printf(&b, "%s applications.%s: ", level, name ? name : "None");
	vt_buf_put(&b, text, n);
	vt_report_record(&b);
}

static void
cannot_format(vt_args *a, vt_value message)
{
	vt_value text = vt_str_printf(a->rt, "Can not format string: %s", vt_as_str(message)->s);
	write_line(a, "warning", vt_as_str(text)->s, vt_as_str(text)->bytes);
	vt_release(text);
}

static vt_status
call_format(vt_args *a, vt_value message, vt_value *out)
{
	vt_value name = vt_str_c(a->rt, "format"), self = vt_mkptr(vt_obj_of(a->self));
	vt_list *args = vt_list_grow(a->rt, VT_K_TUPLE, a->nrest + 1);
	vt_scope *sc = vt_scope_root(a->rt, &vt_core_unit, self);
	vt_dict *none = vt_is(a->kw, DICT) ? NULL : vt_dict_new(a->rt, true);
	vt_status st;
	vt_list_push(a->rt, args, vt_copy(message));
	for (uint32_t i = 0; i < a->nrest; i++)
		vt_list_push(a->rt, args, vt_copy(a->rest[i]));
	st = vt_call_dynamic(a->rt, sc, &vt_core_unit, vt_as_str(name), VT_UNDEF, vt_mkptr(args),
		none ? vt_mkptr(none) : a->kw, out);
	vt_scope_drop(sc);
	if (none != NULL)
		vt_release(vt_mkptr(none));
	vt_release(vt_mkptr(args));
	vt_release(name);
	return st;
}

/* The text to write; owned. */
static vt_status
formatted(vt_args *a, vt_value message, vt_value *out)
{
	vt_exc *e;
	if (!vt_is(message, STR))
		return vt_raise(a->rt, VT_E_NO_MATCHING_METHOD,
			"No method \"%s\" matches supplied arguments", a->method->name->s);
	if (call_format(a, message, out) == VT_OK)
		return VT_OK;
	e = vt_pending(a->rt);
	if (e == NULL || (e->type != VT_E_KEY && e->type != VT_E_INDEX))
		return VT_ERROR;
	vt_exc_clear(a->rt);
	cannot_format(a, message);
	*out = vt_copy(message);
	return VT_OK;
}

/* The level is the method's name. */
vt_status
vt_sys_logger_log(vt_args *a, vt_value *out)
{
	vt_value text = VT_UNDEF;
	VT_TRY(formatted(a, a->v[0], &text));
	write_line(a, a->method->name->s, vt_as_str(text)->s, vt_as_str(text)->bytes);
	vt_release(text);
	*out = VT_NULL;
	return VT_OK;
}

static vt_status
trace_text(vt_args *a, vt_value exception, vt_value *out)
{
	vt_value prop = vt_str_c(a->rt, "stackTrace"), method = vt_str_c(a->rt, "toString"),
		 trace = VT_UNDEF;
	const vt_method_decl *m;
	bool ambiguous;
	vt_status st = vt_get_prop(a->rt, &vt_core_unit, exception, vt_as_str(prop), &trace);
	if (st == VT_OK && !vt_is(trace, OBJECT))
		st = vt_raise(a->rt, VT_E_TYPE, "the exception has no stack trace");
	if (st == VT_OK) {
		m = vt_class_method(a->rt, vt_cls_of(trace), vt_as_str(method), &ambiguous);
		st = m == NULL ? VT_ERROR
			       : vt_invoke(a->rt, &vt_core_unit, m, trace, 0, NULL, VT_NULL, out);
	}
	vt_release(trace);
	vt_release(prop);
	vt_release(method);
	return st;
}

vt_status
vt_sys_logger_exception(vt_args *a, vt_value *out)
{
	vt_value text = VT_UNDEF, trace = VT_UNDEF;
	vt_buf b = {0};
	vt_status st;
	VT_TRY(formatted(a, a->v[1], &text));
	st = vt_is(a->v[0], OBJECT) || vt_is(a->v[0], CAST)
		     ? trace_text(a, a->v[0], &trace)
		     : vt_raise(a->rt, VT_E_TYPE, "'%s' object is not subscriptable",
			       vt_py_type(a->v[0]));
	if (st == VT_OK) {
		vt_pystr(a->rt, &b, text);
		vt_buf_putc(&b, '\n');
		vt_pystr(a->rt, &b, trace);
		write_line(a, "error", b.p, b.n);
		*out = VT_NULL;
	}
	vt_buf_free(&b);
	vt_release(text);
	vt_release(trace);
	return st;
}
