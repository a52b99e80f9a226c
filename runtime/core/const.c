/* const.c - constants that are no static data. */
#include "runtime/core/number.h"
#include "runtime/core/value.h"

#include <string.h>

vt_status
vt_big_const(vt_rt *rt, const char *digits, vt_value *out)
{
	return vt_int_parse(rt, digits, strlen(digits), 10, out);
}
