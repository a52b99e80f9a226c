/* common.c - rows of lib/common.fn. */
#include "runtime/core/value.h"
#include "registry.h"
#include "runtime/core/args.h"

vt_status
vt_lib_const_true(vt_args *a, vt_value *out)
{
	*out = VT_TRUE;
	return VT_OK;
}

vt_status
vt_lib_const_false(vt_args *a, vt_value *out)
{
	*out = VT_FALSE;
	return VT_OK;
}

vt_status
vt_lib_equal(vt_args *a, vt_value *out)
{
	*out = vt_mkbool(vt_equal(a->rt, a->v[0], a->v[1]));
	return VT_OK;
}

vt_status
vt_lib_not_equal(vt_args *a, vt_value *out)
{
	*out = vt_mkbool(!vt_equal(a->rt, a->v[0], a->v[1]));
	return VT_OK;
}
