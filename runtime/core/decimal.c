/*
 * decimal.c - doubles from decimal digits and back, both exact.
 *
 * Reading follows D. Lemire, "Number parsing at a gigabyte per second" (2021): the digits times a
 * 128-bit power of ten decide in all but a handful of cases, which are left to the caller.  Writing
 * follows R. Giulietti, "The Schubfach way to render doubles" (2020): of the multiples of a power
 * of ten at most two are near enough, and three products rounded to odd say which of them lie in
 * the interval that reads back as the double.  Both use the table of lua/build/pow10.lua.
 */
#include "runtime/core/number.h"

#include "pow10.h"

#include <string.h>

enum { MANTISSA = 52, BIAS = 1023, INFINITE = 2047 };
#define HIDDEN (UINT64_C(1) << MANTISSA)

typedef struct wide {
	uint64_t hi, lo;
} wide;

static inline wide
times(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 p = (unsigned __int128)a * b;
	return (wide){(uint64_t)(p >> 64), (uint64_t)p};
#else
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t low = al * bl, mid = ah * bl + (low >> 32), mid2 = al * bh + (uint32_t)mid;
	return (wide){ah * bh + (mid >> 32) + (mid2 >> 32), mid2 << 32 | (uint32_t)low};
#endif
}

static inline double
from_bits(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof d);
	return d;
}

/* floor(log2(10^e)) for |e| < 1233. */
static inline int
log2_of_pow10(int e)
{
	return (e * 1741647) >> 19;
}

/* ---- digits to double ---------------------------------------------------------------------- */

/*
 * The upper 128 bits of w * 10^e, w normalised.  The second word of the power is only needed where
 * the first product leaves the rounding open.  Negative powers down to -27 are rounded up, so that
 * the quotients that are exactly half way come out as such.
 */
static wide
scaled(uint64_t w, int e)
{
	wide t = {pow10_table[e - POW10_FIRST].hi,
		pow10_table[e - POW10_FIRST].lo + (e < 0 && e >= -27)};
	wide p = times(w, t.hi);

	if ((p.hi & 0x1ff) == 0x1ff) {
		uint64_t more = times(w, t.lo).hi;
		p.lo += more;
		p.hi += p.lo < more;
	}
	return p;
}

static bool
subnormal(uint64_t mantissa, int exponent, double *out)
{
	if (-exponent + 1 >= 64) {
		*out = 0;
		return true;
	}
	mantissa >>= -exponent + 1;
	mantissa = (mantissa + (mantissa & 1)) >> 1;
	*out = from_bits(
		mantissa); /* one that was rounded up to HIDDEN is the smallest normal double */
	return true;
}

bool
vt_decimal_double(uint64_t m, int64_t e, double *out)
{
	uint64_t mantissa;
	int zeros, upper, exponent;
	wide p;

	if (m == 0 || e < POW10_FIRST || e > 308)
		return false;
	zeros = __builtin_clzll(m);
	p = scaled(m << zeros, (int)e);
	if (p.lo == UINT64_MAX && (e < -27 || e > 55))
		return false;
	upper = (int)(p.hi >> 63);
	mantissa = p.hi >> (upper + 64 - MANTISSA - 3);
	exponent = log2_of_pow10((int)e) + 63 + upper - zeros + BIAS;
	if (exponent <= 0)
		return subnormal(mantissa, exponent, out);
	/* Half way between two doubles: to the even one.  Only these powers can meet it. */
	if (p.lo <= 1 && e >= -4 && e <= 23 && (mantissa & 3) == 1 &&
		mantissa << (upper + 64 - MANTISSA - 3) == p.hi)
		mantissa &= ~UINT64_C(1);
	mantissa = (mantissa + (mantissa & 1)) >> 1;
	if (mantissa >= 2 * HIDDEN) {
		mantissa = HIDDEN;
		exponent++;
	}
	if (exponent >= INFINITE)
		return false;
	*out = from_bits((mantissa & ~HIDDEN) | (uint64_t)exponent << MANTISSA);
	return true;
}

/* ---- double to digits ---------------------------------------------------------------------- */

/* c * g / 2^128 rounded to odd: the lowest bit says that something was cut off. */
static uint64_t
round_to_odd(wide g, uint64_t c)
{
	wide x = times(g.lo, c), y = times(g.hi, c);

	y.lo += x.hi;
	y.hi += y.lo < x.hi;
	return y.hi | (y.lo > 1);
}

/* 10^e, rounded up unless it is exact. */
static wide
power_up(int e)
{
	wide g = {pow10_table[e - POW10_FIRST].hi, pow10_table[e - POW10_FIRST].lo};

	if (e < 0 || e > 55)
		g.hi += ++g.lo == 0;
	return g;
}

static uint64_t
without_zeros(uint64_t m, int *e)
{
	while (m % 100 == 0)
		m /= 100, *e += 2;
	if (m % 10 == 0)
		m /= 10, ++*e;
	return m;
}

uint64_t
vt_decimal_shortest(double d, int *e)
{
	uint64_t bits, c, lower, v, upper, s, ten;
	int q, k, h;
	bool closer, odd, down, up;
	wide g;

	memcpy(&bits, &d, sizeof bits);
	q = (int)(bits >> MANTISSA & INFINITE);
	c = bits & (HIDDEN - 1);
	/* The neighbour below a power of two is half as far away. */
	closer = c == 0 && q > 1;
	c |= q ? HIDDEN : 0;
	q = (q ? q : 1) - BIAS - MANTISSA;
	odd = c & 1; /* the bounds of the interval belong to an even double */
	k = (q * 1262611 - (closer ? 524031 : 0)) >> 22;
	h = q + log2_of_pow10(-k) + 1;
	g = power_up(-k);
	lower = round_to_odd(g, (4 * c - 2 + closer) << h) + odd;
	v = round_to_odd(g, 4 * c << h);
	upper = round_to_odd(g, (4 * c + 2) << h) - odd;
	s = v / 4;
	ten = s / 10;
	*e = k + 1;
	down = lower <= 40 * ten;
	up = 40 * ten + 40 <= upper;
	if (s >= 10 && down != up)
		return without_zeros(ten + up, e);
	*e = k;
	down = lower <= 4 * s;
	up = 4 * s + 4 <= upper;
	if (down == up)
		up = v > 4 * s + 2 || (v == 4 * s + 2 && (s & 1));
	return without_zeros(s + up, e);
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char pairs[] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
	"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";

static inline int
digit_count(uint64_t u)
{
	int n = 1;

	for (; u >= 10000; u /= 10000)
		n += 4;
	return n + (u >= 10) + (u >= 100) + (u >= 1000);
}

char *
vt_decimal_put(char *to, uint64_t u)
{
	int n = digit_count(u);
	char *end = to + n, *p = end;

	while (u >= 100) {
		p -= 2;
		memcpy(p, pairs + u % 100 * 2, 2);
		u /= 100;
	}
	if (u >= 10)
		memcpy(to, pairs + u * 2, 2);
	else
		*to = (char)('0' + u);
	return end;
}

static char *
put_zeros(char *to, int n)
{
	if (n > 0)
		to = (char *)memset(to, '0', (size_t)n) + n;
	return to;
}

/* n digits, of which `before` stand in front of the point; there may be fewer than that, or less
 * than none. */
static char *
put_plain(char *to, const char *digits, int n, int before)
{
	size_t all = (size_t)(unsigned)n, whole = before <= 0  ? 0
						  : before < n ? (size_t)before
							       : all;

	if (before <= 0)
		*to++ = '0';
	memcpy(to, digits, whole);
	to = put_zeros(to + whole, before - (int)whole);
	*to++ = '.';
	to = put_zeros(to, -before);
	memcpy(to, digits + whole, all - whole);
	to += all - whole;
	if (whole == all)
		*to++ = '0';
	return to;
}

static char *
put_exponent(char *to, const char *digits, int n, int e)
{
	*to++ = digits[0];
	if (n > 1) {
		*to++ = '.';
		memcpy(to, digits + 1, (size_t)n - 1);
		to += n - 1;
	}
	*to++ = 'e';
	*to++ = e < 0 ? '-' : '+';
	e = e < 0 ? -e : e;
	if (e < 10)
		*to++ = '0';
	return vt_decimal_put(to, (uint64_t)e);
}

char *
vt_decimal_repr(char *to, double d)
{
	char digits[20];
	int n, e = 0;

	if (__builtin_signbit(d))
		*to++ = '-';
	if (d == 0)
		return (char *)memcpy(to, "0.0", 3) + 3;
	n = (int)(vt_decimal_put(digits, vt_decimal_shortest(d < 0 ? -d : d, &e)) - digits);
	e += n; /* digits in front of the point */
	return e > -4 && e <= 16 ? put_plain(to, digits, n, e) : put_exponent(to, digits, n, e - 1);
}
