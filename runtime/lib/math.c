/* math.c - rows of lib/math.fn. */
#include "runtime/call/call.h"
#include "runtime/core/printable.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "registry.h"

#include <math.h>
#include <stdlib.h>
#include <sys/random.h>

#define ARITHMETIC(name, op) \
	vt_status vt_lib_num_##name(vt_args *a, vt_value *out) \
	{ \
		return vt_num_binary(a->rt, op, a->v[0], a->v[1], out); \
	}
ARITHMETIC(add, VT_OP_ADD)
ARITHMETIC(sub, VT_OP_SUB)
ARITHMETIC(mul, VT_OP_MUL)
ARITHMETIC(div, VT_OP_DIV)
ARITHMETIC(mod, VT_OP_MOD)

/* vt_num_cmp gives 2 when there is no order: then nothing holds. */
#define COMPARISON(name, test) \
	vt_status vt_lib_num_##name(vt_args *a, vt_value *out) \
	{ \
		int order = vt_num_cmp(a->v[0], a->v[1]); \
		*out = vt_mkbool(order != 2 && (test)); \
		return VT_OK; \
	}
COMPARISON(lt, order < 0)
COMPARISON(le, order <= 0)
COMPARISON(gt, order > 0)
COMPARISON(ge, order >= 0)

#define BITS(name, op) \
	vt_status vt_lib_##name(vt_args *a, vt_value *out) \
	{ \
		return vt_int_bits(a->rt, op, a->v[0], a->v[1], out); \
	}
BITS(bit_and, VT_BIT_AND)
BITS(bit_or, VT_BIT_OR)
BITS(bit_xor, VT_BIT_XOR)
BITS(shift_left, VT_BIT_SHL)
BITS(shift_right, VT_BIT_SHR)

/* Of two small integers, where the result is one as well. */
#define QUICK(name, fits, made) \
	vt_value vt_quick_##name(vt_rt *rt, const vt_value *v) \
	{ \
		int64_t a = vt_toint(v[0]), b = vt_toint(v[1]); \
		(void)rt; \
		return vt_both_int(v[0], v[1]) && (fits) ? (made) : VT_UNDEF; \
	}
QUICK(bit_and, true, vt_mkint(a &b))
QUICK(bit_or, true, vt_mkint(a | b))
QUICK(bit_xor, true, vt_mkint(a ^ b))
QUICK(shift_left, a >= 0 && a < 1 << 30 && b >= 0 && b < 32, vt_mkint(a << b))
QUICK(shift_right, b >= 0, vt_mkint(a >> (b < 63 ? b : 63)))

vt_value
vt_quick_bit_not(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	return vt_is_int(v[0]) ? vt_mkint(~vt_toint(v[0])) : VT_UNDEF;
}

/* b > a of small integers, or of floats that are words; -1: these are others. */
static int
word_greater(vt_value a, vt_value b)
{
	if (vt_both_int(a, b))
		return (int64_t)b > (int64_t)a;
	return vt_two_float_words(a, b) ? vt_float_of_word(b) > vt_float_of_word(a) : -1;
}

vt_value
vt_quick_max(vt_rt *rt, const vt_value *v)
{
	int yes = word_greater(v[0], v[1]);
	(void)rt;
	return yes < 0 ? VT_UNDEF : v[yes];
}

vt_value
vt_quick_min(vt_rt *rt, const vt_value *v)
{
	int yes = word_greater(v[0], v[1]);
	(void)rt;
	return yes < 0 ? VT_UNDEF : v[!yes];
}

vt_status
vt_lib_bit_not(vt_args *a, vt_value *out)
{
	return vt_int_not(a->rt, a->v[0], out);
}

vt_status
vt_lib_num_pos(vt_args *a, vt_value *out)
{
	*out = vt_copy(a->v[0]);
	return VT_OK;
}

vt_status
vt_lib_num_neg(vt_args *a, vt_value *out)
{
	return vt_num_neg(a->rt, a->v[0], out);
}

/* Not by comparison: -0.0 is not less than zero. */
vt_status
vt_lib_abs(vt_args *a, vt_value *out)
{
	if (vt_is(a->v[0], FLOAT)) {
		*out = vt_mkfloat(a->rt, fabs(vt_float_of(a->v[0])));
		return VT_OK;
	}
	return vt_num_cmp(a->v[0], vt_mkint(0)) < 0 ? vt_lib_num_neg(a, out)
						    : vt_lib_num_pos(a, out);
}

vt_value
vt_quick_abs(vt_rt *rt, const vt_value *v)
{
	if (vt_is(v[0], FLOAT))
		return vt_mkfloat(rt, fabs(vt_float_of(v[0])));
	return vt_is_int(v[0]) && vt_toint(v[0]) >= -VT_INT_MAX ? vt_mkint(llabs(vt_toint(v[0])))
								: VT_UNDEF;
}

vt_status
vt_lib_sign(vt_args *a, vt_value *out)
{
	int order = vt_num_cmp(a->v[0], vt_mkint(0));
	*out = vt_mkint(order == 2 ? 0 : order);
	return VT_OK;
}

vt_value
vt_quick_is_integer(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	return vt_mkbool(vt_is_integer(v[0]));
}

vt_status
vt_lib_is_integer(vt_args *a, vt_value *out)
{
	*out = vt_mkbool(vt_is_integer(a->v[0]));
	return VT_OK;
}

vt_value
vt_quick_is_number(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	return vt_mkbool(vt_is_number(v[0]));
}

vt_status
vt_lib_is_number(vt_args *a, vt_value *out)
{
	*out = vt_mkbool(vt_is_number(a->v[0]));
	return VT_OK;
}

/* ---- conversions ----------------------------------------------------------------------------- */

static vt_status
bad_text(vt_rt *rt, const char *before, vt_value v)
{
	vt_buf b = {0};
	vt_buf_puts(&b, before);
	vt_repr_cut(rt, &b, v);
	return vt_raise_value(rt, VT_E_VALUE, vt_str_take(rt, &b));
}

/* Digits, and perhaps a sign in front. */
vt_value
vt_quick_int(vt_rt *rt, const vt_value *v)
{
	enum { DIGITS = 17 };
	const vt_str *s = vt_as_str(v[0]);
	int64_t n = 0;
	uint32_t i;
	bool minus;
	(void)rt;
	if (vt_is_float(v[0]))
		return fabs(vt_float_of(v[0])) < 0x1p53 ? vt_mkint((int64_t)vt_float_of(v[0]))
							: VT_UNDEF;
	if (!vt_is_ptr(v[0]))
		return vt_is_int(v[0])                       ? v[0]
		       : v[0] == VT_NULL || vt_is_bool(v[0]) ? vt_mkint(v[0] == VT_TRUE)
							     : VT_UNDEF;
	if (!vt_is(v[0], STR) || s->bytes == 0 || s->bytes > DIGITS)
		return VT_UNDEF;
	minus = s->s[0] == '-';
	for (i = minus; i < s->bytes && s->s[i] >= '0' && s->s[i] <= '9'; i++)
		n = 10 * n + (s->s[i] - '0');
	return i < s->bytes || i == minus ? VT_UNDEF : vt_mkint(minus ? -n : n);
}

vt_status
vt_lib_int(vt_args *a, vt_value *out)
{
	vt_value v = a->v[0];
	if (v == VT_NULL || vt_is_bool(v)) {
		*out = vt_mkint(v == VT_TRUE);
		return VT_OK;
	}
	if (vt_is(v, FLOAT))
		return vt_float_to_int(a->rt, vt_float_of(v), out);
	if (vt_is_integer(v)) {
		*out = vt_copy(v);
		return VT_OK;
	}
	if (!vt_is(v, STR))
		return vt_raise(a->rt, VT_E_TYPE,
			"int() argument must be a string, a bytes-like object or a real number, "
			"not '%s'",
			vt_py_type(v));
	if (!vt_int_from_str(a->rt, vt_as_str(v), out))
		return bad_text(a->rt, "invalid literal for int() with base 10: ", v);
	return VT_OK;
}

vt_value
vt_quick_float(vt_rt *rt, const vt_value *v)
{
	double d;
	if (vt_is(v[0], FLOAT))
		return vt_copy(v[0]);
	if (vt_is(v[0], STR))
		return vt_float_from_str(vt_as_str(v[0]), &d) ? vt_mkfloat(rt, d) : VT_UNDEF;
	if (v[0] == VT_NULL || vt_is_bool(v[0]))
		return vt_mkfloat(rt, v[0] == VT_TRUE);
	return vt_is_int(v[0]) ? vt_mkfloat(rt, (double)vt_toint(v[0])) : VT_UNDEF;
}

vt_status
vt_lib_float(vt_args *a, vt_value *out)
{
	vt_value v = a->v[0];
	double d = 0.0;
	if (vt_is(v, STR)) {
		if (!vt_float_from_str(vt_as_str(v), &d))
			return bad_text(a->rt, "could not convert string to float: ", v);
	} else if (vt_is_number(v) || vt_is_bool(v)) {
		VT_TRY(vt_num_double(a->rt, v, &d));
	} else if (v != VT_NULL) {
		return vt_raise(a->rt, VT_E_TYPE,
			"float() argument must be a string or a real number, not '%s'",
			vt_py_type(v));
	}
	*out = vt_mkfloat(a->rt, d);
	return VT_OK;
}

/* To a few decimals; what is too large for that is not rounded here. */
vt_value
vt_quick_round(vt_rt *rt, const vt_value *v)
{
	vt_value made = VT_UNDEF;
	int64_t digits = vt_toint(v[1]);
	if (!vt_is_int(v[1]) || digits < 0 || digits > 100)
		return VT_UNDEF;
	if (vt_is_int(v[0]))
		return v[0];
	if (!vt_is_float(v[0]) || !(fabs(vt_float_of(v[0])) < 1e100))
		return VT_UNDEF;
	return vt_num_round(rt, v[0], digits, &made) == VT_OK ? made : VT_UNDEF;
}

vt_status
vt_lib_round(vt_args *a, vt_value *out)
{
	int64_t digits;
	if (!vt_int_fits(a->v[1], &digits))
		digits = vt_num_cmp(a->v[1], vt_mkint(0)) < 0 ? INT32_MIN : INT32_MAX;
	return vt_num_round(a->rt, a->v[0], digits, out);
}

vt_status
vt_lib_pow(vt_args *a, vt_value *out)
{
	return vt_num_pow(a->rt, a->v[0], a->v[1], a->v[2], out);
}

/* Of a number above zero nothing is refused but what is too large. */
vt_value
vt_quick_pow(vt_rt *rt, const vt_value *v)
{
	vt_value r;
	double x;
	if (v[2] != VT_NULL && v[2] != VT_NOVALUE)
		return VT_UNDEF;
	if (vt_both_int(v[0], v[1]))
		return vt_num_small_pow(v[0], v[1], VT_NULL, &r) ? r : VT_UNDEF;
	if (!vt_is_number_word(v[0]) || !vt_is_number_word(v[1]))
		return VT_UNDEF;
	x = vt_number_of_word(v[0]);
	return x > 0 && isfinite(x = pow(x, vt_number_of_word(v[1]))) ? vt_mkfloat(rt, x)
								      : VT_UNDEF;
}

/* ---- min, max -------------------------------------------------------------------------------- */

/* b > a by the operator, which def() or the host may have redefined for other types than these. */
static vt_status
second_greater(vt_args *a, bool *yes)
{
	vt_value argv[2] = {a->v[1], a->v[0]}, r = VT_UNDEF;
	if (vt_is_number(argv[0]) && vt_is_number(argv[1])) {
		*yes = vt_num_cmp(argv[0], argv[1]) == 1;
		return VT_OK;
	}
	VT_TRY(vt_call_name(a->rt, a->scope, a->unit, "#operator_>", 2, argv, &r));
	*yes = vt_truth(r);
	vt_release(r);
	return VT_OK;
}

vt_status
vt_lib_max(vt_args *a, vt_value *out)
{
	bool yes;
	VT_TRY(second_greater(a, &yes));
	*out = vt_copy(a->v[yes]);
	return VT_OK;
}

vt_status
vt_lib_min(vt_args *a, vt_value *out)
{
	bool yes;
	VT_TRY(second_greater(a, &yes));
	*out = vt_copy(a->v[!yes]);
	return VT_OK;
}

/* ---- random ---------------------------------------------------------------------------------- */

/* The kernel is the source: there is no state to keep, and nothing to seed. */
static uint64_t
random_word(void)
{
	uint64_t w = 0;
	while (getrandom(&w, sizeof w, 0) != (ssize_t)sizeof w)
		;
	return w;
}

vt_status
vt_lib_random(vt_args *a, vt_value *out)
{
	*out = vt_drawn(a->rt, vt_mkfloat(a->rt, (double)(random_word() >> 11) * 0x1p-53));
	return VT_OK;
}

/* [0, span], without the bias of a remainder. */
static uint64_t
random_below(uint64_t span)
{
	uint64_t mask = span, w;
	for (unsigned s = 1; s < 64; s <<= 1)
		mask |= mask >> s;
	do
		w = random_word() & mask;
	while (w > span);
	return w;
}

static vt_status
random_bound(vt_rt *rt, vt_value v, int nth, int64_t *out)
{
	if (vt_is(v, FLOAT)) {
		double d = vt_float_of(v);
		if (d != floor(d) || fabs(d) >= 0x1p62)
			return vt_raise(rt, VT_E_VALUE, "non-integer arg %d for randrange()", nth);
		*out = (int64_t)d;
		return VT_OK;
	}
	if (!vt_is_integer(v) && !vt_is_bool(v))
		return vt_raise(rt, VT_E_TYPE, "random() takes integers, not '%s'", vt_py_type(v));
	if (!vt_int_fits(v, out))
		return vt_raise(rt, VT_E_OVERFLOW, "random() takes integers of 64 bits");
	return VT_OK;
}

vt_status
vt_lib_random_between(vt_args *a, vt_value *out)
{
	int64_t from, to;
	VT_TRY(random_bound(a->rt, a->v[0], 1, &from));
	VT_TRY(random_bound(a->rt, a->v[1], 2, &to));
	if (from > to)
		return vt_raise(a->rt, VT_E_VALUE, "empty range for randrange() (%lld, %lld, %lld)",
			(long long)from, (long long)to + 1, (long long)to + 1 - (long long)from);
	from = (int64_t)((uint64_t)from + random_below((uint64_t)to - (uint64_t)from));
	*out = vt_drawn(a->rt, vt_int_new(a->rt, from));
	return VT_OK;
}
