/*
 * number.c - Python's arithmetic over int, float and bool.
 *
 * Immediates are computed here with overflow checks; only what does not fit reaches bigint.c.
 * Floats are printed and read without the locale, by decimal.c; what is beyond it is left to
 * bigint.c, which only ever sees an integer mantissa with an exponent.
 */
#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
#include "runtime/core/number.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

static bool
is_small(vt_value v)
{
	return vt_is_int(v) || vt_is_bool(v);
}

static int64_t
small(vt_value v)
{
	return vt_is_int(v) ? vt_toint(v) : v == VT_TRUE;
}

static bool
is_numeric(vt_value v)
{
	return vt_is_number(v) || vt_is_bool(v);
}

double
vt_as_float(vt_value v)
{
	return vt_float_of(v);
}

vt_value
vt_float_new(vt_rt *rt, double d)
{
	vt_value word = vt_float_word(d);
	vt_float *f;

	if (word != VT_UNDEF)
		return word;
	f = vt_heap_take(rt->s->heap, sizeof *f, VT_K_FLOAT, 0);
	f->d = d;
	return vt_mkptr(f);
}

static vt_status
to_double(vt_rt *rt, vt_value v, double *out)
{
	if (vt_is(v, FLOAT))
		*out = vt_float_of(v);
	else if (is_small(v))
		*out = (double)small(v);
	else if (!vt_big_double(v, out))
		return vt_raise(rt, VT_E_OVERFLOW, "int too large to convert to float");
	return VT_OK;
}

vt_status
vt_num_double(vt_rt *rt, vt_value v, double *out)
{
	if (!is_numeric(v))
		return vt_raise(rt, VT_E_TYPE, "must be real number, not %s", vt_py_type(v));
	return to_double(rt, v, out);
}

vt_status
vt_float_to_int(vt_rt *rt, double d, vt_value *out)
{
	if (isnan(d))
		return vt_raise(rt, VT_E_VALUE, "cannot convert float NaN to integer");
	if (isinf(d))
		return vt_raise(rt, VT_E_OVERFLOW, "cannot convert float infinity to integer");
	*out = fabs(d) < 4e18 ? vt_mkint((int64_t)d) : vt_big_from_double(rt, trunc(d));
	return VT_OK;
}

/* ---- arithmetic ---- */

static vt_status
small_div(vt_rt *rt, int op, int64_t a, int64_t b, vt_value *out)
{
	int64_t q, r;
	if (b == 0)
		return vt_raise(rt, VT_E_ZERO_DIVISION,
			op == VT_OP_DIV ? "integer division or modulo by zero"
					: "integer modulo by zero");
	q = a / b;
	r = a % b;
	if (r != 0 && (r < 0) != (b < 0)) {
		q--;
		r += b;
	}
	/* VT_INT_MIN / -1 does not fit an immediate */
	*out = vt_int_new(rt, op == VT_OP_DIV ? q : r);
	return VT_OK;
}

static vt_status
int_binary(vt_rt *rt, int op, vt_value a, vt_value b, vt_value *out)
{
	int64_t r;
	if (!is_small(a) || !is_small(b)) {
		if ((op == VT_OP_DIV || op == VT_OP_MOD) && is_small(b) && small(b) == 0)
			return small_div(rt, op, 1, 0, out);
		return vt_big_binary(rt, op, a, b, out);
	}
	if (op == VT_OP_DIV || op == VT_OP_MOD)
		return small_div(rt, op, small(a), small(b), out);
	if (op == VT_OP_MUL && __builtin_mul_overflow(small(a), small(b), &r))
		return vt_big_binary(rt, op, a, b, out);
	if (op != VT_OP_MUL) /* the sum of two 63-bit numbers fits 64 */
		r = op == VT_OP_ADD ? small(a) + small(b) : small(a) - small(b);
	*out = vt_int_new(rt, r);
	return VT_OK;
}

/*
 * fmod(), which goes bit by bit.  By a whole number that is not large the remainder is exact at
 * once: both a and the product are multiples of a's last bit, and what is left is no longer than a.
 * A quotient that was rounded up leaves what has the other sign, and is one too large.
 */
static double
remainder_of(double a, double b)
{
	double r;

	if (!(fabs(a) < 0x1p52 && fabs(b) < 0x1p26) || b != (double)(int64_t)b)
		return fmod(a, b);
	r = a - (double)(int64_t)(a / b) * b;
	return (r < 0) != (a < 0) && r != 0 ? r + copysign(b, a) : r;
}

double
vt_float_mod(double a, double b)
{
	double r = remainder_of(a, b);
	if (r == 0)
		return copysign(0.0, b);
	return (r < 0) != (b < 0) ? r + b : r;
}

static vt_status
float_binary(vt_rt *rt, int op, double a, double b, vt_value *out)
{
	if (b == 0 && (op == VT_OP_DIV || op == VT_OP_MOD))
		return vt_raise(rt, VT_E_ZERO_DIVISION,
			op == VT_OP_DIV ? "float division by zero" : "float modulo");
	*out = vt_mkfloat(rt, op == VT_OP_ADD   ? a + b
			      : op == VT_OP_SUB ? a - b
			      : op == VT_OP_MUL ? a * b
			      : op == VT_OP_DIV ? a / b
						: vt_float_mod(a, b));
	return VT_OK;
}

vt_status
vt_num_binary(vt_rt *rt, int op, vt_value a, vt_value b, vt_value *out)
{
	static const char *const sign[] = {"+", "-", "*", "/", "%"};
	double x = 0, y = 0;
	if (vt_both_int(a, b) && op <= VT_OP_MUL)
		return int_binary(rt, op, a, b, out);
	if (!is_numeric(a) || !is_numeric(b))
		return vt_raise(rt, VT_E_TYPE, "unsupported operand type(s) for %s: '%s' and '%s'",
			sign[op], vt_py_type(a), vt_py_type(b));
	if (!vt_is(a, FLOAT) && !vt_is(b, FLOAT))
		return int_binary(rt, op, a, b, out);
	VT_TRY(to_double(rt, a, &x));
	VT_TRY(to_double(rt, b, &y));
	return float_binary(rt, op, x, y, out);
}

vt_status
vt_num_neg(vt_rt *rt, vt_value v, vt_value *out)
{
	if (is_small(v)) {
		*out = vt_int_new(rt, -small(v));
		return VT_OK;
	}
	if (vt_is(v, FLOAT)) {
		*out = vt_mkfloat(rt, -vt_float_of(v));
		return VT_OK;
	}
	if (!vt_is(v, BIGINT))
		return vt_raise(rt, VT_E_TYPE, "bad operand type for unary -: '%s'", vt_py_type(v));
	return vt_big_binary(rt, VT_OP_SUB, vt_mkint(0), v, out);
}

/* An immediate against a finite double, without rounding either. */
static int
cmp_small_double(int64_t i, double d)
{
	int64_t t;
	if (d >= 0x1p62)
		return -1;
	if (d < -0x1p62)
		return 1;
	t = (int64_t)d;
	if (i != t)
		return i < t ? -1 : 1;
	d -= (double)t; /* exact: either t is below 2^53 or d has no fraction */
	return d > 0 ? -1 : d < 0;
}

static int
cmp_int_double(vt_value a, double d)
{
	if (isnan(d))
		return 2;
	if (isinf(d))
		return d > 0 ? -1 : 1;
	return is_small(a) ? cmp_small_double(small(a), d) : vt_big_cmp_double(a, d);
}

int
vt_num_cmp(vt_value a, vt_value b)
{
	int c;
	if (is_small(a) && is_small(b))
		return (small(a) > small(b)) - (small(a) < small(b));
	if (vt_is(a, FLOAT) && vt_is(b, FLOAT)) {
		double x = vt_float_of(a), y = vt_float_of(b);
		return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
	}
	if (vt_is(b, FLOAT))
		return cmp_int_double(a, vt_float_of(b));
	if (vt_is(a, FLOAT)) {
		c = cmp_int_double(b, vt_float_of(a));
		return c == 2 ? 2 : -c;
	}
	return vt_big_cmp(a, b);
}

/*
 * Numbers are reduced modulo the prime 2^61 - 1, fractions by multiplying with the inverse of the
 * denominator (a power of two: a rotation).  So equal numbers of different types meet.
 */
static uint64_t
hash_double(double d)
{
	const uint64_t prime = ((uint64_t)1 << 61) - 1, leading = (uint64_t)1 << 52;
	uint64_t bits, m;
	unsigned e;

	if (isnan(d) || isinf(d))
		return isnan(d) ? 0x7ff8 : 314159;
	memcpy(&bits, &d, sizeof bits);
	e = (unsigned)(bits >> 52 & 0x7ff); /* d is m * 2^(e - 1075) */
	m = (bits & (leading - 1)) | (e > 0 ? leading : 0);
	e = ((e > 0 ? e : 1) + 18 * 61 - 1075) % 61;
	return ((m << e) & prime) | m >> (61 - e);
}

uint64_t
vt_num_hash(vt_value v)
{
	const uint64_t prime = ((uint64_t)1 << 61) - 1;
	uint64_t h;
	bool negative;
	if (likely(vt_is_int(v) && (uint64_t)vt_toint(v) < prime))
		return (uint64_t)vt_toint(v);
	if (vt_is(v, FLOAT)) {
		h = hash_double(vt_float_of(v));
		negative = vt_float_of(v) < 0;
	} else if (is_small(v)) {
		negative = small(v) < 0;
		h = negative ? 0 - (uint64_t)small(v) : (uint64_t)small(v);
		h = (h & prime) + (h >> 61); /* the remainder, for 2^61 leaves 1 */
		h -= h >= prime ? prime : 0;
	} else {
		h = vt_big_hash(v);
		negative = vt_big_sign(v) < 0;
	}
	return negative ? ~h : h;
}

/* ---- pow and round ---- */

static vt_status
float_pow(vt_rt *rt, double a, double b, vt_value *out)
{
	double r;
	if (a == 0 && b < 0)
		return vt_raise(rt, VT_E_ZERO_DIVISION, "0.0 cannot be raised to a negative power");
	if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b))
		return vt_raise(rt, VT_E_VALUE,
			"a fractional power of a negative number is not a real number");
	r = pow(a, b);
	if (isinf(r) && isfinite(a) && isfinite(b))
		return vt_raise(rt, VT_E_OVERFLOW, "(34, 'Numerical result out of range')");
	*out = vt_mkfloat(rt, r);
	return VT_OK;
}

static bool
is_integral(vt_value v)
{
	return vt_is_integer(v) || vt_is_bool(v);
}

static vt_status
pow_mod(vt_rt *rt, vt_value a, vt_value b, vt_value m, vt_value *out)
{
	if (!is_numeric(a) || !is_numeric(b) || !is_numeric(m))
		return vt_raise(rt, VT_E_TYPE,
			"unsupported operand type(s) for ** or pow(): '%s', '%s', '%s'",
			vt_py_type(a), vt_py_type(b), vt_py_type(m));
	if (!is_integral(a) || !is_integral(b) || !is_integral(m))
		return vt_raise(rt, VT_E_TYPE,
			"pow() 3rd argument not allowed unless all arguments are integers");
	if (is_small(m) && small(m) == 0)
		return vt_raise(rt, VT_E_VALUE, "pow() 3rd argument cannot be 0");
	return vt_big_powmod(rt, a, b, m, out);
}

/* Integers that fit into words all the way; mod: null, or what the power is a remainder by. */
bool
vt_num_small_pow(vt_value va, vt_value vb, vt_value mod, vt_value *out)
{
	int64_t a, n, r = 1, m = mod == VT_NULL ? 0 : vt_is_int(mod) ? vt_toint(mod) : -1;
	if (!vt_both_int(va, vb) || m < 0 || m > INT32_MAX || (mod != VT_NULL && m == 0))
		return false;
	a = m ? ((vt_toint(va) % m) + m) % m : vt_toint(va);
	n = vt_toint(vb);
	if (n < 0)
		return false;
	for (; n > 0; n >>= 1) {
		if ((n & 1) && __builtin_mul_overflow(r, a, &r))
			return false;
		if (n > 1 && __builtin_mul_overflow(a, a, &a))
			return false;
		r = m ? r % m : r;
		a = m ? a % m : a;
	}
	r = m ? r % m : r;
	if (r > VT_INT_MAX || r < VT_INT_MIN)
		return false;
	*out = vt_mkint(r);
	return true;
}

static bool
is_unit(vt_value v)
{
	return is_small(v) && small(v) >= -1 && small(v) <= 1;
}

vt_status
vt_num_pow(vt_rt *rt, vt_value a, vt_value b, vt_value mod, vt_value *out)
{
	double x = 0, y = 0;
	int64_t n;
	if (vt_num_small_pow(a, b, mod, out))
		return VT_OK;
	if (mod != VT_NULL)
		return pow_mod(rt, a, b, mod, out);
	if (!is_numeric(a) || !is_numeric(b))
		return vt_raise(rt, VT_E_TYPE,
			"unsupported operand type(s) for ** or pow(): '%s' and '%s'", vt_py_type(a),
			vt_py_type(b));
	if (is_integral(a) && is_integral(b) && vt_big_sign(b) >= 0) {
		if (!vt_int_fits(b, &n)) { /* only the parity of such an exponent can matter */
			if (!is_unit(a))
				return vt_raise(rt, VT_E_OVERFLOW, "integer power too large");
			VT_TRY(vt_int_bits(rt, VT_BIT_AND, b, vt_mkint(1), &mod));
			n = 2 + vt_toint(mod);
		}
		return vt_big_pow(rt, a, (uint64_t)n, out);
	}
	VT_TRY(to_double(rt, a, &x));
	VT_TRY(to_double(rt, b, &y));
	return float_pow(rt, x, y, out);
}

/* A decimal number: digits d[0..n-1] times 10^e. */
static double
from_digits(const char *d, size_t n, int64_t e, bool negative)
{
	double r;
	uint64_t m = 0;
	for (size_t i = 0; n <= 19 && i < n; i++)
		m = m * 10 + (uint64_t)(d[i] - '0');
	if (m == 0 || !vt_decimal_double(m, e, &r))
		r = vt_big_decimal(d, n, e);
	return negative ? -r : r;
}

/* The exact decimal expansion of |d|: *point digits, then the fraction, into t (1,400 bytes hold
 * any). */
static size_t
expand(double d, int decimals, char *t, size_t size, size_t *point)
{
	size_t n = 0;
	int len = snprintf(t, size, "%.*f", decimals, fabs(d));
	bool seen = false;
	*point = 0;
	for (int i = 0; i < len; i++) {
		if (t[i] >= '0' && t[i] <= '9')
			t[n++] = t[i];
		else if (!seen) { /* the locale's decimal point, of one or more bytes */
			seen = true;
			*point = n;
		}
	}
	if (!seen)
		*point = n;
	return n;
}

/* Rounds a double to a multiple of 10^k, k > 0, half to even on the exact value. */
static double
round_left(double d, int64_t k)
{
	char t[1500];
	size_t point, n = expand(d, 1074, t + 1, sizeof t - 1, &point), keep;
	bool up;
	if (k > (int64_t)point)
		return copysign(0.0, d);
	keep = point - (size_t)k; /* t[1..keep] stay; t[0] takes a carry */
	t[0] = '0';
	up = t[1 + keep] > '5' ||
	     (t[1 + keep] == '5' &&
		     (strspn(t + 2 + keep, "0") < n - keep - 1 || (keep > 0 && (t[keep] & 1))));
	for (size_t i = keep; up; i--) {
		up = t[i] == '9';
		t[i] = up ? '0' : (char)(t[i] + 1);
	}
	return from_digits(t, keep + 1, k, d < 0);
}

static double
round_right(double d, int64_t digits)
{
	char t[1500];
	size_t point, n = expand(d, (int)digits, t, sizeof t, &point);
	double r = from_digits(t, n, -(int64_t)(n - point), d < 0);
	return r == 0 ? copysign(0.0, d) : r;
}

/*
 * To a few digits behind the point, where the product has the bits that it needs (64, and 10^4 adds
 * ten) and the result is a quotient of integers that doubles hold.  False: it is not so.
 */
static bool
round_few(double d, int64_t digits, double *out)
{
	static const double power[] = {1, 10, 100, 1000, 10000};
	if (LDBL_MANT_DIG < 64 || digits < 0 || digits >= (int64_t)VT_LEN(power) ||
		fabs(d) >= 9e15 / power[digits])
		return false;
	*out = (double)rintl((long double)d * power[digits]) / power[digits];
	return true;
}

static vt_status
round_float(vt_rt *rt, double d, int64_t digits, vt_value *out)
{
	double r = d;
	if (!isfinite(d) || d == 0 || digits > 323) /* no double has a digit to lose there */
		r = d;
	else if (digits < -308)
		r = copysign(0.0, d);
	else if (!round_few(d, digits, &r))
		r = digits < 0 ? round_left(d, -digits) : round_right(d, digits);
	if (isinf(r) && isfinite(d))
		return vt_raise(rt, VT_E_OVERFLOW, "rounded value too large to represent");
	*out = vt_mkfloat(rt, r);
	return VT_OK;
}

vt_status
vt_num_round(vt_rt *rt, vt_value v, int64_t digits, vt_value *out)
{
	if (!is_numeric(v))
		return vt_raise(
			rt, VT_E_TYPE, "type %s doesn't define __round__ method", vt_py_type(v));
	if (vt_is(v, FLOAT))
		return round_float(rt, vt_float_of(v), digits, out);
	if (digits >= 0)
		*out = is_small(v) ? vt_mkint(small(v)) : vt_copy(v);
	else
		*out = vt_big_round(rt, v, 0 - (uint64_t)digits);
	return VT_OK;
}

/* ---- text ---- */

void
vt_float_repr(vt_buf *b, double d)
{
	char text[VT_FLOAT_TEXT];
	if (isnan(d))
		vt_buf_puts(b, "nan");
	else if (isinf(d))
		vt_buf_puts(b, d < 0 ? "-inf" : "inf");
	else
		vt_buf_put(b, text, (size_t)(vt_decimal_repr(text, d) - text));
}

/* ---- reading what a user wrote ---- */

/* Turns digits of any script into ASCII and cuts blanks off both ends, as int() and float() do. */
static void
plain_text(const vt_str *s, vt_buf *b)
{
	const char *p = s->s, *end = p + s->bytes;
	size_t keep = 0;
	while (p < end) {
		uint32_t c = vt_utf8_next(&p);
		int d = vt_digit_value(c);
		if (b->n == 0 && vt_is_space(c))
			continue;
		vt_utf8_put(b, d >= 0 ? (uint32_t)('0' + d) : c);
		if (!vt_is_space(c))
			keep = b->n;
	}
	b->n = keep;
	vt_buf_putc(b, '\0');
	b->n--;
}

/* Copies digits, dropping single underscores between two of them; NULL when there is no digit
 * here. */
static const char *
take_digits(const char *p, vt_buf *out)
{
	const char *start = p;
	for (;; p++) {
		if (*p >= '0' && *p <= '9')
			vt_buf_putc(out, *p);
		else if (*p != '_' || p == start || p[-1] == '_' || p[1] < '0' || p[1] > '9')
			break;
	}
	return p == start ? NULL : p;
}

/* A sign and up to 18 ASCII digits, and nothing else. */
static bool
plain_int(const vt_str *s, vt_value *out)
{
	uint32_t i = s->bytes > 0 && (s->s[0] == '-' || s->s[0] == '+'), first = i;
	int64_t n = 0;
	if (s->bytes == first || s->bytes - first > 18)
		return false;
	for (; i < s->bytes; i++) {
		if (s->s[i] < '0' || s->s[i] > '9')
			return false;
		n = n * 10 + (s->s[i] - '0');
	}
	*out = vt_mkint(s->s[0] == '-' ? -n : n); /* below 2^62 */
	return true;
}

bool
vt_int_from_str(vt_rt *rt, const vt_str *s, vt_value *out)
{
	vt_buf text = {0}, digits = {0};
	const char *p;
	bool ok;
	if (plain_int(s, out))
		return true;
	plain_text(s, &text);
	p = text.p;
	if (*p == '-' || *p == '+')
		vt_buf_putc(&digits, *p++);
	p = take_digits(p, &digits);
	ok = p != NULL && p == text.p + text.n &&
	     vt_int_parse(rt, digits.p, digits.n, 10, out) == VT_OK;
	if (!ok && p != NULL && vt_pending(rt))
		vt_exc_clear(rt);
	vt_buf_free(&text);
	vt_buf_free(&digits);
	return ok;
}

static bool
word(const char *p, const char *lower)
{
	for (; *lower; p++, lower++)
		if ((*p | 32) != *lower)
			return false;
	return *p == '\0';
}

static bool
special(const char *p, double *out)
{
	if (word(p, "inf") || word(p, "infinity"))
		*out = INFINITY;
	else if (word(p, "nan"))
		*out = NAN;
	else
		return false;
	return true;
}

/* [digits] [. digits] [e [sign] digits], not without a digit in front of e. */
static bool
decimal(const char *p, double *out)
{
	vt_buf m = {0}, x = {0};
	const char *q = take_digits(p, &m);
	int64_t e = 0, shift = 0;
	bool negative = false, ok = true;
	p = q ? q : p;
	if (*p == '.') {
		size_t before = m.n;
		q = take_digits(++p, &m);
		p = q ? q : p;
		shift = (int64_t)(m.n - before);
	}
	if (m.n > 0 && (*p | 32) == 'e') {
		p++;
		negative = *p == '-';
		q = take_digits(p + (*p == '-' || *p == '+'), &x);
		ok = q != NULL;
		p = q ? q : p;
		for (size_t i = 0; i < x.n && e < 1000000000000; i++)
			e = e * 10 + (x.p[i] - '0');
	}
	ok = ok && m.n > 0 && *p == '\0';
	if (ok)
		*out = from_digits(m.p, m.n, (negative ? -e : e) - shift, false);
	vt_buf_free(&m);
	vt_buf_free(&x);
	return ok;
}

/* A sign, up to 19 ASCII digits and a point, and nothing else. */
static bool
plain_float(const vt_str *s, double *out)
{
	const char *p = s->s, *end = p + s->bytes, *point = NULL;
	bool negative = p < end && *p == '-';
	uint64_t m = 0;
	uint32_t n = 0;
	for (p += p < end && (*p == '-' || *p == '+'); p < end; p++) {
		if (*p == '.' && point == NULL)
			point = p;
		else if (*p >= '0' && *p <= '9' && ++n <= 19)
			m = m * 10 + (uint64_t)(*p - '0');
		else
			return false;
	}
	if (n == 0)
		return false;
	*out = 0;
	if (m != 0 && !vt_decimal_double(m, point != NULL ? point + 1 - end : 0, out))
		return false;
	*out = negative ? -*out : *out;
	return true;
}

bool
vt_float_from_str(const vt_str *s, double *out)
{
	vt_buf text = {0};
	const char *p;
	bool ok;
	if (plain_float(s, out))
		return true;
	plain_text(s, &text);
	p = text.p;
	p += *p == '-' || *p == '+';
	ok = strlen(text.p) == text.n && (special(p, out) || decimal(p, out));
	if (ok && *text.p == '-')
		*out = -*out;
	vt_buf_free(&text);
	return ok;
}

bool
vt_float_parse(const char *s, size_t n, double *out)
{
	char local[64], *t = n >= sizeof local ? vt_xmalloc(n + 1) : local;
	bool ok;
	memcpy(t, s, n);
	t[n] = '\0';
	ok = decimal(*t == '-' ? t + 1 : t, out);
	if (ok && *t == '-')
		*out = -*out;
	if (t != local)
		free(t);
	return ok;
}
