/* boolean.c - rows of lib/boolean.fn. */
#include "runtime/core/value.h"
#include "runtime/seq/seq.h"
#include "registry.h"
#include "runtime/core/args.h"

/* Gives the left operand when its truth is `stop`, else the right one. */
static vt_status
either(vt_args *a, bool stop, vt_value *out)
{
	vt_value left = VT_UNDEF;
	VT_TRY(vt_apply(a->rt, a->v[0], 0, NULL, &left));
	if ((vt_truth(left) != 0) == stop) {
		*out = left;
		return VT_OK;
	}
	vt_release(left);
	return vt_apply(a->rt, a->v[1], 0, NULL, out);
}

vt_status
vt_lib_and(vt_args *a, vt_value *out)
{
	return either(a, false, out);
}

vt_status
vt_lib_or(vt_args *a, vt_value *out)
{
	return either(a, true, out);
}

vt_status
vt_lib_not(vt_args *a, vt_value *out)
{
	*out = vt_mkbool(!vt_truth(a->v[0]));
	return VT_OK;
}

vt_status
vt_lib_bool(vt_args *a, vt_value *out)
{
	*out = vt_mkbool(vt_truth(a->v[0]));
	return VT_OK;
}

vt_value
vt_quick_is_boolean(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	return vt_mkbool(vt_is_bool(v[0]));
}

vt_status
vt_lib_is_boolean(vt_args *a, vt_value *out)
{
	*out = vt_mkbool(vt_is_bool(a->v[0]));
	return VT_OK;
}
