/* const.c - what code of a program makes: constants that are no static data, dicts. */
#include "runtime/core/dict.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"

#include <string.h>

vt_status
vt_big_const(vt_rt *rt, const char *digits, vt_value *out)
{
	return vt_int_parse(rt, digits, strlen(digits), 10, out);
}

/* ---- dicts that code puts together ---- */

vt_status
vt_dict_of(vt_rt *rt, uint32_t n, const vt_value *pairs, vt_value *out)
{
	vt_dict *d = vt_dict_new_cap(rt, true, n);
	d->h.flags |= VT_F_FINAL; /* vt_dict_set takes it back for what is not */
	for (uint32_t i = 0; i < n; i++) {
		vt_status st = vt_dict_set(rt, d, pairs[2 * i], pairs[2 * i + 1]);
		if (st != VT_OK) {
			vt_release(vt_mkptr(d));
			return st;
		}
	}
	*out = vt_mkptr(d);
	return VT_OK;
}

vt_status
vt_record_of(vt_rt *rt, vt_ic *ic, uint32_t n, const vt_value *pairs, vt_value *out)
{
	vt_value v[VT_SHAPE_KEYS];
	vt_shape *s = (vt_shape *)(uintptr_t)ic->key;
	bool final = true;
	vt_dict *d;
	if (unlikely(s == NULL)) {
		VT_TRY(vt_dict_of(rt, n, pairs, out));
		s = vt_as_dict(*out)->shape;
		if (s != NULL && s->n == n) /* no key twice */
			ic->key = s;
		return VT_OK;
	}
	v[0] = VT_UNDEF; /* n may be 0 */
	for (uint32_t i = 0; i < n; i++) {
		v[i] = vt_copy(pairs[2 * i + 1]);
		final = final && vt_is_final(v[i]);
	}
	d = vt_dict_shaped(rt, true, s, v);
	if (final)
		d->h.flags |= VT_F_FINAL;
	*out = vt_mkptr(d);
	return VT_OK;
}
