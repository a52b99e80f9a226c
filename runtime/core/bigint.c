/*
 * bigint.c - integers beyond 63 bits.  The one file that names GMP.
 *
 * Layout: sign times number of limbs, then the limbs, as GMP's mpn layer has them; no second block.
 * Invariant: a BIGINT never holds what an immediate could.  Immediate operands become a one-limb
 * number on the C stack.  Results above MAX_BITS are refused before GMP would end the process.
 */
#include "runtime/core/base.h"
#include "runtime/core/bytes.h"
#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"

#include <gmp.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BITS ((uint64_t)1 << 30)

typedef struct big {
	vt_head h;
	int32_t size;
	mp_limb_t limb[];
} big;
_Static_assert(sizeof(mp_limb_t) == 8 && offsetof(big, limb) == 16, "as emitted code writes them");

static void *
enlarge(void *p, size_t before, size_t n)
{
	(void)before;
	return vt_xrealloc(p, n);
}

static void
let_go(void *p, size_t n)
{
	(void)n;
	free(p);
}

/* Out of memory GMP itself would abort the process. */
void
vt_big_own_memory(void)
{
	mp_set_memory_functions(vt_xmalloc, enlarge, let_go);
}

/* A read-only view of an integer or bool. */
typedef struct operand {
	mpz_t z;
	mp_limb_t one;
} operand;

static mpz_srcptr
view(operand *o, vt_value v)
{
	const big *b;
	int64_t i;
	if (vt_is(v, BIGINT)) {
		b = VT_AS(big, v);
		return mpz_roinit_n(o->z, b->limb, b->size);
	}
	i = vt_is_int(v) ? vt_toint(v) : v == VT_TRUE;
	o->one = i < 0 ? (mp_limb_t)0 - (mp_limb_t)i : (mp_limb_t)i;
	return mpz_roinit_n(o->z, &o->one, i == 0 ? 0 : i < 0 ? -1 : 1);
}

/* The value of n limbs; the upper ones may be 0. */
static vt_value
from_limbs(vt_rt *rt, const mp_limb_t *limb, size_t n, bool negative)
{
	big *b;
	while (n > 0 && limb[n - 1] == 0)
		n--;
	if (n == 0 || (n == 1 && limb[0] <= (mp_limb_t)VT_INT_MAX + negative)) {
		int64_t i = n == 0 ? 0 : (int64_t)limb[0];
		return vt_mkint(negative ? -i : i);
	}
	b = vt_heap_take(rt->s->heap, sizeof *b + n * sizeof(mp_limb_t), VT_K_BIGINT, 0);
	b->size = negative ? -(int32_t)n : (int32_t)n;
	vt_copy_short((char *)b->limb, (const char *)limb, n * sizeof(mp_limb_t));
	return vt_mkptr(b);
}

/* Makes a value of z and clears it. */
static vt_value
give(vt_rt *rt, mpz_t z)
{
	vt_value v = from_limbs(rt, mpz_limbs_read(z), mpz_size(z), mpz_sgn(z) < 0);
	mpz_clear(z);
	return v;
}

static vt_status
too_large(vt_rt *rt)
{
	return vt_raise(
		rt, VT_E_OVERFLOW, "integer of more than %llu bits", (unsigned long long)MAX_BITS);
}

static uint64_t
bits(mpz_srcptr z)
{
	size_t n = mpz_size(z);
	return n == 0 ? 0 : 64 * n - (uint64_t)__builtin_clzl(mpz_getlimbn(z, (mp_size_t)n - 1));
}

vt_value
vt_int_new(vt_rt *rt, int64_t i)
{
	mp_limb_t size = i < 0 ? (mp_limb_t)0 - (mp_limb_t)i : (mp_limb_t)i;
	return from_limbs(rt, &size, 1, i < 0);
}

int64_t
vt_int_clamped(vt_value v)
{
	int64_t n, most = INT64_C(1) << 61;
	if (!vt_int_fits(v, &n))
		n = vt_num_cmp(v, vt_mkint(0)) < 0 ? -most : most;
	return n < -most ? -most : n > most ? most : n;
}

bool
vt_int_fits(vt_value v, int64_t *out)
{
	operand o;
	mpz_srcptr z;
	if (vt_is_int(v) || vt_is_bool(v)) {
		*out = vt_is_int(v) ? vt_toint(v) : v == VT_TRUE;
		return true;
	}
	if (!vt_is(v, BIGINT))
		return false;
	z = view(&o, v);
	if (!mpz_fits_slong_p(z))
		return false;
	*out = mpz_get_si(z);
	return true;
}

/* ---- a few limbs ---------------------------------------------------------------------------- */

/* Size and sign of an integer or bool; to be read only. */
typedef struct magnitude {
	const mp_limb_t *l;
	mp_size_t n; /* limbs, the highest is not 0; 0: the number is 0 */
	bool negative;
	mp_limb_t one;
} magnitude;

enum { FEW = 16 };
__extension__ typedef unsigned __int128 two_limbs;

static inline void
measure(magnitude *m, vt_value v)
{
	int64_t i;
	if (vt_is(v, BIGINT)) {
		const big *b = VT_AS(big, v);
		m->l = b->limb;
		m->negative = b->size < 0;
		m->n = m->negative ? -(mp_size_t)b->size : b->size;
		return;
	}
	i = vt_is_int(v) ? vt_toint(v) : v == VT_TRUE;
	m->one = i < 0 ? (mp_limb_t)0 - (mp_limb_t)i : (mp_limb_t)i;
	m->l = &m->one;
	m->n = i != 0;
	m->negative = i < 0;
}

static inline int
compare(const magnitude *a, const magnitude *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	return a->n == 0 ? 0 : mpn_cmp(a->l, b->l, a->n);
}

static inline two_limbs
as_two(const magnitude *m)
{
	return m->n == 0 ? 0 : m->n == 1 ? m->l[0] : (two_limbs)m->l[1] << 64 | m->l[0];
}

/* a + b; with `negative` in place of b's sign it is a - b, too. */
static vt_value
sum_of(vt_rt *rt, const magnitude *a, const magnitude *b, bool negative)
{
	bool less = compare(a, b) < 0, same = a->negative == negative;
	bool sign = less ? negative : a->negative;
	const magnitude *most = less ? b : a, *least = less ? a : b;
	mp_limb_t r[FEW + 1];
	if (most->n <= 2) {
		two_limbs x = as_two(most), y = as_two(least), z = same ? x + y : x - y;
		r[0] = (mp_limb_t)z;
		r[1] = (mp_limb_t)(z >> 64);
		r[2] = same && z < x;
		return from_limbs(rt, r, 3, sign);
	}
	if (least->n == 0)
		return from_limbs(rt, most->l, (size_t)most->n, sign);
	r[most->n] = 0;
	if (same)
		r[most->n] = mpn_add(r, most->l, most->n, least->l, least->n);
	else
		(void)mpn_sub(r, most->l, most->n, least->l, least->n);
	return from_limbs(rt, r, (size_t)most->n + 1, sign);
}

static vt_value
product_of(vt_rt *rt, const magnitude *a, const magnitude *b)
{
	const magnitude *most = a->n >= b->n ? a : b, *least = most == a ? b : a;
	bool negative = a->negative != b->negative;
	mp_limb_t r[2 * FEW];
	if (least->n == 0)
		return vt_mkint(0);
	if (most->n <= 2) {
		mp_limb_t a1 = most->n == 2 ? most->l[1] : 0, b1 = least->n == 2 ? least->l[1] : 0;
		two_limbs low = (two_limbs)most->l[0] * least->l[0];
		two_limbs x = (two_limbs)a1 * least->l[0] + (mp_limb_t)(low >> 64);
		two_limbs y = (two_limbs)most->l[0] * b1 + (mp_limb_t)x;
		two_limbs high = (two_limbs)a1 * b1 + (mp_limb_t)(x >> 64) + (mp_limb_t)(y >> 64);
		r[0] = (mp_limb_t)low;
		r[1] = (mp_limb_t)y;
		r[2] = (mp_limb_t)high;
		r[3] = (mp_limb_t)(high >> 64);
		return from_limbs(rt, r, 4, negative);
	}
	if (a->l == b->l)
		mpn_sqr(r, a->l, a->n);
	else
		(void)mpn_mul(r, most->l, most->n, least->l, least->n);
	return from_limbs(rt, r, (size_t)(a->n + b->n), negative);
}

/* Is the quotient 1, of numbers of as many limbs?  Then r is the rest. */
static bool
is_once(mp_limb_t *r, const magnitude *a, const magnitude *b)
{
	(void)mpn_sub_n(r, a->l, b->l, b->n);
	return mpn_cmp(r, b->l, b->n) < 0;
}

static inline vt_value
from_two(vt_rt *rt, two_limbs x, bool negative)
{
	mp_limb_t r[2] = {(mp_limb_t)x, (mp_limb_t)(x >> 64)};
	return from_limbs(rt, r, 2, negative);
}

/* Quotient or rest of numbers of at most two limbs, the second of which is not 0. */
static vt_value
parts_of_two(vt_rt *rt, bool rest, const magnitude *a, const magnitude *b)
{
	two_limbs x = as_two(a), y = as_two(b), q, r;
	bool across = a->negative != b->negative;
	if (x >= y && x - y < y) {
		q = 1;
		r = x - y;
	} else {
		q = x / y;
		r = x - q * y;
	}
	if (across && r != 0) {
		q++; /* there is a rest: y is not 1, and q not the largest */
		r = y - r;
	}
	return rest ? from_two(rt, r, b->negative) : from_two(rt, q, across);
}

/*
 * The rest of a number of a few limbs by one of two, as Moeller and Granlund have it in "Improved
 * division by invariant integers": a step is two products with what stands for 1/d.
 */
static two_limbs
rest_by_two(const magnitude *a, two_limbs d)
{
	unsigned shift = (unsigned)__builtin_clzll((mp_limb_t)(d >> 64));
	mp_limb_t d0 = (mp_limb_t)(d <<= shift), d1 = (mp_limb_t)(d >> 64), p, v, top;
	two_limbs t, q, r;
	v = (mp_limb_t)(((two_limbs)~d1 << 64 | ~(mp_limb_t)0) / d1);
	p = d1 * v + d0;
	if (p < d0) {
		v--;
		v -= p >= d1;
		p -= p >= d1 ? d1 : 0;
		p -= d1;
	}
	t = (two_limbs)v * d0;
	p += (mp_limb_t)(t >> 64);
	if (p < (mp_limb_t)(t >> 64)) {
		v--;
		v -= ((two_limbs)p << 64 | (mp_limb_t)t) >= d;
	}
	top = a->l[a->n - 1];
	r = (two_limbs)(shift > 0 ? top >> (64 - shift) : 0) << 64;
	r |= shift > 0 ? top << shift | a->l[a->n - 2] >> (64 - shift) : top;
	for (mp_size_t i = a->n - 1; i-- > 0;) {
		mp_limb_t u = a->l[i] << shift, q1;
		if (shift > 0 && i > 0)
			u |= a->l[i - 1] >> (64 - shift);
		q = (two_limbs)v * (mp_limb_t)(r >> 64) + r;
		q1 = (mp_limb_t)(q >> 64);
		r = (two_limbs)((mp_limb_t)r - q1 * d1) << 64 | u;
		r -= (two_limbs)d0 * q1 + d;
		if ((mp_limb_t)(r >> 64) >= (mp_limb_t)q)
			r += d;
		if (unlikely(r >= d))
			r -= d;
	}
	return r >> shift;
}

/* Quotient or rest of numbers that are not 0, towards minus infinity: the rest has b's sign. */
static vt_value
parts_of(vt_rt *rt, bool rest, const magnitude *a, const magnitude *b)
{
	mp_limb_t q[FEW + 2] = {0}, r[FEW];
	bool across = a->negative != b->negative;
	mp_size_t k = b->n, n = compare(a, b) < 0 ? 0 : a->n - k + 1;
	if (n == 0) {
		memcpy(r, a->l, (size_t)a->n * sizeof *r);
		memset(r + a->n, 0, (size_t)(k - a->n) * sizeof *r);
	} else if (k > 1 && n == 1 && is_once(r, a, b)) {
		q[0] = 1;
	} else if (k > 1) {
		mpn_tdiv_qr(q, r, 0, a->l, a->n, b->l, k);
	} else if (rest) {
		r[0] = mpn_mod_1(a->l, a->n, b->l[0]);
	} else {
		r[0] = mpn_divrem_1(q, 0, a->l, a->n, b->l[0]);
	}
	if (across && !mpn_zero_p(r, k)) {
		(void)mpn_sub_n(r, b->l, r, k);
		if (n == 0)
			q[0] = 1;
		else
			q[n] = mpn_add_1(q, q, n, 1);
	}
	return rest ? from_limbs(rt, r, (size_t)k, b->negative)
		    : from_limbs(rt, q, (size_t)n + 1, across);
}

bool
vt_big_few(vt_rt *rt, int op, vt_value va, vt_value vb, vt_value *out)
{
	magnitude a, b;
	measure(&a, va);
	measure(&b, vb);
	if (a.n > FEW || b.n > FEW)
		return false;
	if (op == VT_OP_ADD || op == VT_OP_SUB)
		*out = sum_of(rt, &a, &b, b.negative != (op == VT_OP_SUB));
	else if (op == VT_OP_MUL)
		*out = product_of(rt, &a, &b);
	else if (b.n == 0)
		return false;
	else if (op == VT_OP_MOD && !vt_is_bool(va) && a.negative == b.negative &&
		 compare(&a, &b) < 0)
		*out = vt_copy(va);
	else if (a.n <= 2 && b.n <= 2)
		*out = parts_of_two(rt, op == VT_OP_MOD, &a, &b);
	else if (op == VT_OP_MOD && b.n == 2 && a.negative == b.negative)
		*out = from_two(rt, rest_by_two(&a, as_two(&b)), b.negative);
	else
		*out = parts_of(rt, op == VT_OP_MOD, &a, &b);
	return true;
}

/* ---- of any size ---------------------------------------------------------------------------- */

vt_status
vt_big_binary(vt_rt *rt, int op, vt_value va, vt_value vb, vt_value *out)
{
	operand x, y;
	mpz_srcptr a = view(&x, va), b = view(&y, vb);
	mpz_t r;
	if (vt_big_few(rt, op, va, vb, out))
		return VT_OK;
	if (op == VT_OP_MUL ? bits(a) + bits(b) > MAX_BITS
			    : bits(a) >= MAX_BITS || bits(b) >= MAX_BITS)
		return too_large(rt);
	mpz_init(r);
	if (op == VT_OP_ADD)
		mpz_add(r, a, b);
	else if (op == VT_OP_SUB)
		mpz_sub(r, a, b);
	else if (op == VT_OP_MUL)
		mpz_mul(r, a, b);
	else if (op == VT_OP_DIV)
		mpz_fdiv_q(r, a, b);
	else
		mpz_fdiv_r(r, a, b);
	*out = give(rt, r);
	return VT_OK;
}

int
vt_big_cmp(vt_value va, vt_value vb)
{
	magnitude a, b;
	int c;
	measure(&a, va);
	measure(&b, vb);
	if (a.negative != b.negative)
		return a.negative ? -1 : 1;
	c = compare(&a, &b);
	return a.negative ? (c < 0) - (c > 0) : (c > 0) - (c < 0);
}

int
vt_big_cmp_double(vt_value va, double d)
{
	operand x;
	int c = mpz_cmp_d(view(&x, va), d);
	return (c > 0) - (c < 0);
}

int
vt_big_sign(vt_value v)
{
	operand x;
	return mpz_sgn(view(&x, v));
}

/* The 64 leading bits, the lowest of them sticky, round as the whole number would. */
bool
vt_big_double(vt_value v, double *out)
{
	operand x;
	mpz_srcptr a = view(&x, v);
	uint64_t n = bits(a), top;
	mpz_t t;
	if (n <= 64) {
		*out = mpz_sgn(a) * (double)mpz_getlimbn(a, 0);
		return true;
	}
	if (n > 1024)
		return false;
	mpz_init(t);
	mpz_tdiv_q_2exp(t, a, n - 64);
	top = mpz_getlimbn(t, 0) | (mpz_scan1(a, 0) < n - 64);
	mpz_clear(t);
	*out = mpz_sgn(a) * ldexp((double)top, (int)(n - 64));
	return isfinite(*out);
}

vt_value
vt_big_from_double(vt_rt *rt, double d)
{
	mpz_t z;
	mpz_init_set_d(z, d);
	return give(rt, z);
}

/* Python's modulus for numeric hashes, so that floats hash alike: see number.c. */
uint64_t
vt_big_hash(vt_value v)
{
	operand x;
	return mpz_tdiv_ui(view(&x, v), ((uint64_t)1 << 61) - 1);
}

_Static_assert(sizeof(mp_limb_t) == sizeof(uint64_t), "vt_hash_magnitude takes limbs of 64 bits");

uint64_t
vt_big_hash_keyed(vt_value v, const vt_seed *s)
{
	operand x;
	mpz_srcptr z = view(&x, v);
	return vt_hash_magnitude(
		s, (const uint64_t *)mpz_limbs_read(z), mpz_size(z), mpz_sgn(z) < 0);
}

vt_status
vt_big_pow(vt_rt *rt, vt_value va, uint64_t n, vt_value *out)
{
	operand x;
	mpz_srcptr a = view(&x, va);
	mpz_t r;
	if (mpz_cmpabs_ui(a, 1) > 0 && n > MAX_BITS / (bits(a) > 1 ? bits(a) - 1 : 1))
		return too_large(rt);
	mpz_init(r);
	if (mpz_cmpabs_ui(a, 1) <= 0) /* 0, 1 and -1 to any power */
		mpz_set_si(r, n == 0 || mpz_sgn(a) > 0 ? 1 : mpz_sgn(a) == 0 ? 0 : n % 2 ? -1 : 1);
	else
		mpz_pow_ui(r, a, n);
	*out = give(rt, r);
	return VT_OK;
}

/* The sign of the result is the sign of the modulus. */
vt_status
vt_big_powmod(vt_rt *rt, vt_value va, vt_value vb, vt_value vm, vt_value *out)
{
	operand x, y, w;
	mpz_srcptr a = view(&x, va), b = view(&y, vb), m = view(&w, vm);
	mpz_t r, base, e;
	mpz_init(r);
	mpz_init_set(base, a);
	mpz_init_set(e, b);
	if (mpz_sgn(b) < 0 && mpz_invert(base, a, m) == 0) {
		mpz_clears(r, base, e, NULL);
		return vt_raise(rt, VT_E_VALUE, "base is not invertible for the given modulus");
	}
	mpz_abs(e, e);
	mpz_powm(r, base, e, m);
	mpz_fdiv_r(r, r, m);
	mpz_clears(base, e, NULL);
	*out = give(rt, r);
	return VT_OK;
}

vt_value
vt_big_round(vt_rt *rt, vt_value va, uint64_t digits)
{
	operand x;
	mpz_srcptr a = view(&x, va);
	mpz_t p, q, r;
	int c;
	if (digits > bits(a) / 3 + 1) /* 10^digits is more than twice |a| */
		return vt_mkint(0);
	mpz_inits(p, q, r, NULL);
	mpz_ui_pow_ui(p, 10, digits);
	mpz_fdiv_qr(q, r, a, p);
	mpz_mul_2exp(r, r, 1);
	c = mpz_cmp(r, p);
	if (c > 0 || (c == 0 && mpz_odd_p(q)))
		mpz_add_ui(q, q, 1);
	mpz_mul(q, q, p);
	mpz_clears(p, r, NULL);
	return give(rt, q);
}

/* ---- text ---- */

static int
digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'z' ? c - 'a' + 10
	       : c >= 'A' && c <= 'Z' ? c - 'A' + 10
				      : 99;
}

static vt_status
bad_digits(vt_rt *rt, const char *s, size_t n, int base)
{
	return vt_raise(rt, VT_E_VALUE, "invalid literal for int() with base %d: '%.*s'", base,
		n > 200 ? 200 : (int)n, s);
}

/* What an immediate can hold is read without GMP: 18 digits in the largest base that fits. */
static bool
parse_small(const char *s, size_t n, int base, int64_t *out)
{
	int64_t r = 0;
	for (size_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(r, base, &r) ||
			__builtin_add_overflow(r, digit(s[i]), &r))
			return false;
	*out = r;
	return true;
}

vt_status
vt_int_parse(vt_rt *rt, const char *s, size_t n, int base, vt_value *out)
{
	size_t sign = n > 0 && (*s == '-' || *s == '+'), count = n - sign;
	const char *p = s + sign;
	int64_t small;
	char *text;
	mpz_t z;
	for (size_t i = 0; i < count; i++)
		if (digit(p[i]) >= base)
			return bad_digits(rt, s, n, base);
	if (count == 0)
		return bad_digits(rt, s, n, base);
	if (parse_small(p, count, base, &small)) {
		*out = vt_int_new(rt, *s == '-' ? -small : small);
		return VT_OK;
	}
	if (count > MAX_BITS / 4)
		return too_large(rt);
	text = vt_xmalloc(count + 1);
	memcpy(text, p, count);
	text[count] = '\0';
	mpz_init(z);
	mpz_set_str(z, text, base);
	free(text);
	if (*s == '-')
		mpz_neg(z, z);
	*out = give(rt, z);
	return VT_OK;
}

/* ---- decimal digits to a double: what decimal.c leaves open ---- */

/* q * 2^-shift to the nearest double, ties to even; more: q was cut off. */
static double
round_quotient(mpz_t q, long shift, bool more)
{
	enum { PRECISION = 53, LOWEST = -1022 };
	long top = (long)bits(q) - 1 - shift,
	     keep = top >= LOWEST ? PRECISION : PRECISION - (LOWEST - top);
	long drop = (long)bits(q) - keep;
	double r;
	bool half;
	if (keep < 0)
		return 0;
	half = mpz_tstbit(q, (mp_bitcnt_t)drop - 1);
	more |= mpz_scan1(q, 0) < (mp_bitcnt_t)drop - 1;
	mpz_tdiv_q_2exp(q, q, (mp_bitcnt_t)drop);
	if (half && (more || mpz_odd_p(q)))
		mpz_add_ui(q, q, 1);
	r = mpz_get_d(q); /* exact */
	return ldexp(r, (int)(drop - shift));
}

/* num / den, both above 0; both change. */
static double
quotient(mpz_t num, mpz_t den)
{
	long shift = 66 - ((long)bits(num) - (long)bits(den));
	mpz_t rest;
	double r;
	mpz_init(rest);
	if (shift > 0)
		mpz_mul_2exp(num, num, (mp_bitcnt_t)shift);
	else
		mpz_mul_2exp(den, den, (mp_bitcnt_t)-shift);
	mpz_tdiv_qr(num, rest, num, den);
	r = round_quotient(num, shift, mpz_sgn(rest) != 0);
	mpz_clear(rest);
	return r;
}

/* Of more than 768 digits the rest only says that there is more: no point half way between two
 * doubles has as many. */
double
vt_big_decimal(const char *d, size_t n, int64_t e)
{
	enum { MOST = 800 };
	char text[MOST + 2];
	mpz_t num, den;
	double r;
	while (n > 0 && *d == '0')
		d++, n--;
	while (n > 0 && d[n - 1] == '0')
		n--, e++;
	if (n == 0 || e < -400 - (int64_t)n)
		return 0;
	if (e > 400 - (int64_t)n)
		return HUGE_VAL;
	memcpy(text, d, n <= MOST ? n : MOST);
	text[n <= MOST ? n : MOST] = '\0';
	if (n > MOST) {
		e += (int64_t)n - (MOST + 1);
		strcpy(text + MOST, "1");
	}
	mpz_init(num);
	mpz_init(den);
	mpz_set_str(num, text, 10);
	mpz_ui_pow_ui(den, 10, (unsigned long)(e < 0 ? -e : e));
	if (e > 0) {
		mpz_mul(num, num, den);
		mpz_set_ui(den, 1);
	}
	r = quotient(num, den);
	mpz_clear(num);
	mpz_clear(den);
	return r;
}

char *
vt_int_digits(char *end, int64_t n)
{
	static const char pairs[] = "0001020304050607080910111213141516171819"
				    "2021222324252627282930313233343536373839"
				    "4041424344454647484950515253545556575859"
				    "6061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";
	char *p = end;
	uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
	for (; rest >= 100; rest /= 100)
		memcpy(p -= 2, pairs + rest % 100 * 2, 2);
	if (rest >= 10)
		memcpy(p -= 2, pairs + rest * 2, 2);
	else
		*--p = (char)('0' + rest);
	if (n < 0)
		*--p = '-';
	return p;
}

static void
small_repr(vt_buf *b, int64_t i, int base)
{
	char t[72], *end = t + sizeof t, *p = end;
	uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
	if (base == 10) {
		p = vt_int_digits(end, i);
	} else {
		do
			*--p = "0123456789abcdef"[u % (unsigned)base];
		while ((u /= (unsigned)base) != 0);
		if (i < 0)
			*--p = '-';
	}
	vt_buf_put(b, p, (size_t)(end - p));
}

void
vt_int_repr(vt_buf *b, vt_value v, int base)
{
	operand x;
	mpz_srcptr z;
	char *text;
	if (!vt_is(v, BIGINT)) {
		small_repr(b, vt_is_int(v) ? vt_toint(v) : v == VT_TRUE, base);
		return;
	}
	z = view(&x, v);
	text = vt_xmalloc(mpz_sizeinbase(z, base) + 2);
	mpz_get_str(text, base, z);
	vt_buf_puts(b, text);
	free(text);
}

/* ---- bits: two's complement without an end ---- */

static vt_status
shift(vt_rt *rt, int op, mpz_srcptr a, vt_value vb, vt_value *out)
{
	int64_t n = INT64_MAX;
	mpz_t r;
	if (vt_big_sign(vb) < 0)
		return vt_raise(rt, VT_E_VALUE, "negative shift count");
	(void)vt_int_fits(vb, &n);
	if (mpz_sgn(a) == 0) {
		*out = vt_mkint(0);
		return VT_OK;
	}
	if (op == VT_BIT_SHL && ((uint64_t)n >= MAX_BITS || bits(a) + (uint64_t)n > MAX_BITS))
		return vt_raise(rt, VT_E_OVERFLOW, "too many digits in integer");
	mpz_init(r);
	if (op == VT_BIT_SHL)
		mpz_mul_2exp(r, a, (mp_bitcnt_t)n);
	else
		mpz_fdiv_q_2exp(r, a, (mp_bitcnt_t)n);
	*out = give(rt, r);
	return VT_OK;
}

static const char *
bit_sign(int op)
{
	static const char *const text[] = {"&", "|", "^", "<<", ">>"};
	return text[op];
}

static bool
is_int_like(vt_value v)
{
	return vt_is_integer(v) || vt_is_bool(v);
}

/* Immediates need no GMP: but bools under a logical operator stay bools, as in Python. */
static bool
bits_fast(int op, vt_value va, vt_value vb, vt_value *out)
{
	int64_t a, b, r;
	if (vt_is(va, BIGINT) || vt_is(vb, BIGINT) || op == VT_BIT_SHL)
		return false;
	a = vt_is_int(va) ? vt_toint(va) : va == VT_TRUE;
	b = vt_is_int(vb) ? vt_toint(vb) : vb == VT_TRUE;
	if (op == VT_BIT_SHR && b < 0)
		return false;
	r = op == VT_BIT_AND   ? (a & b)
	    : op == VT_BIT_OR  ? (a | b)
	    : op == VT_BIT_XOR ? (a ^ b)
			       : a >> (b > 63 ? 63 : b);
	*out = vt_is_bool(va) && vt_is_bool(vb) && op != VT_BIT_SHR ? vt_mkbool(r) : vt_mkint(r);
	return true;
}

vt_status
vt_int_bits(vt_rt *rt, int op, vt_value va, vt_value vb, vt_value *out)
{
	operand x, y;
	mpz_srcptr a, b;
	mpz_t r;
	if (!is_int_like(va) || !is_int_like(vb))
		return vt_raise(rt, VT_E_TYPE, "unsupported operand type(s) for %s: '%s' and '%s'",
			bit_sign(op), vt_py_type(va), vt_py_type(vb));
	if (bits_fast(op, va, vb, out))
		return VT_OK;
	a = view(&x, va);
	if (op == VT_BIT_SHL || op == VT_BIT_SHR)
		return shift(rt, op, a, vb, out);
	b = view(&y, vb);
	mpz_init(r);
	if (op == VT_BIT_AND)
		mpz_and(r, a, b);
	else if (op == VT_BIT_OR)
		mpz_ior(r, a, b);
	else
		mpz_xor(r, a, b);
	*out = give(rt, r);
	return VT_OK;
}

vt_status
vt_int_not(vt_rt *rt, vt_value v, vt_value *out)
{
	operand x;
	mpz_t r;
	if (!is_int_like(v))
		return vt_raise(rt, VT_E_TYPE, "bad operand type for unary ~: '%s'", vt_py_type(v));
	if (!vt_is(v, BIGINT)) {
		*out = vt_mkint(~(vt_is_int(v) ? vt_toint(v) : (int64_t)(v == VT_TRUE)));
		return VT_OK;
	}
	mpz_init(r);
	mpz_com(r, view(&x, v));
	*out = give(rt, r);
	return VT_OK;
}
