/*
 * repetition.c - a text so many times.  Rows of lib/strings.fn.
 */
#include "runtime/core/args.h"
#include "runtime/core/bytes.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "registry.h"

#include <string.h>

static vt_value
write_repeated(vt_rt *rt, const vt_str *s, int64_t n)
{
	char *at;
	vt_value made = vt_str_room(rt, (size_t)n * s->bytes, (uint32_t)n * s->points, &at);
	if (s->bytes == 1)
		memset(at, s->s[0], (size_t)n);
	else
		for (size_t all = (size_t)n * s->bytes, have = 0, more; have < all; have += more) {
			more = have == 0 ? s->bytes : have < all - have ? have : all - have;
			vt_copy_short(at + have, have == 0 ? s->s : at, more);
		}
	return made;
}

vt_value
vt_quick_str_times_int(vt_rt *rt, const vt_value *v)
{
	const vt_str *s = vt_as_str(v[0]);
	if (!vt_is(v[0], STR) || !vt_is_int(v[1]) || vt_toint(v[1]) < 0 || s->bytes == 0 ||
		vt_toint(v[1]) > (int64_t)INT32_MAX / s->bytes)
		return VT_UNDEF;
	return write_repeated(rt, s, vt_toint(v[1]));
}

static vt_status
repeated(vt_args *a, const vt_str *s, vt_value count, vt_value *out)
{
	int64_t n;
	bool fits = vt_int_fits(count, &n);
	if (!fits)
		n = vt_num_cmp(count, vt_mkint(0)) < 0 ? INT64_MIN : INT64_MAX;
	if (vt_metered(a->rt))
		VT_TRY(vt_quota_repeat(a->rt, vt_mkptr(s), n));
	if (!fits)
		return vt_raise(
			a->rt, VT_E_OVERFLOW, "cannot fit 'int' into an index-sized integer");
	if (n > 0 && s->bytes > 0 && n > (int64_t)INT32_MAX / s->bytes)
		return vt_raise_long_text(a->rt);
	if (n < 0 || s->bytes == 0)
		n = 0;
	*out = write_repeated(a->rt, s, n);
	return VT_OK;
}

vt_status
vt_lib_str_times_int(vt_args *a, vt_value *out)
{
	return repeated(a, vt_as_str(a->v[0]), a->v[1], out);
}

vt_status
vt_lib_int_times_str(vt_args *a, vt_value *out)
{
	return repeated(a, vt_as_str(a->v[1]), a->v[0], out);
}
