/*
 * numbers.c - columns of numbers: sums, products and the like, and what comes first.
 *
 * Integers are computed as words until one overflows.  Floats, and integers beside them, become
 * columns of doubles and are words again behind that, without a branch for any of them.  What is
 * neither, or has no word as its answer, goes one by one.
 */
#include "runtime/core/number.h"
#include "runtime/core/kind.h"
#include "runtime/core/value.h"
#include "runtime/seq/batch.h"

#include <string.h>

/* On words: 2x+1 and 2y are the operands, so that the processor sees the overflow. */
#define ARITHMETIC(name, builtin, left, right, result) \
	static uint32_t name( \
		uint32_t n, const vt_value *x, const vt_value *y, size_t dy, vt_value *v) \
	{ \
		int64_t made; \
		for (uint32_t i = 0; i < n; i++, y += dy) { \
			if (!vt_both_int(x[i], *y) || builtin((int64_t)(left), right, &made)) \
				return i; \
			v[i] = (vt_value)(result); \
		} \
		return n; \
	}
ARITHMETIC(sums, __builtin_add_overflow, x[i], (int64_t)(*y - 1), made)
ARITHMETIC(differences, __builtin_sub_overflow, x[i], (int64_t)(*y - 1), made)
ARITHMETIC(products, __builtin_mul_overflow, x[i] - 1, vt_toint(*y), made + 1)

/* False: the words are not enough. */
static uint32_t
quotients(unsigned op, uint32_t n, const vt_value *x, const vt_value *y, size_t dy, vt_value *v)
{
	for (uint32_t i = 0; i < n; i++, y += dy) {
		int64_t a, b, q;
		if (!vt_both_int(x[i], *y) || (b = vt_toint(*y)) <= 0)
			return i;
		a = vt_toint(x[i]);
		q = a / b - (a % b < 0);
		v[i] = vt_mkint(op == VT_STEP_DIV ? q : a - q * b);
	}
	return n;
}

/* Of the integers in front; what is behind is asked one by one. */
uint32_t
vt_step_ints(unsigned op, uint32_t n, const vt_value *x, const vt_value *y, size_t dy, vt_value *v)
{
	return op == VT_STEP_ADD   ? sums(n, x, y, dy, v)
	       : op == VT_STEP_SUB ? differences(n, x, y, dy, v)
	       : op == VT_STEP_MUL ? products(n, x, y, dy, v)
				   : quotients(op, n, x, y, dy, v);
}

/* A float, or an integer that is one as it is. */
static inline bool
real(vt_value v, double *d)
{
	const int64_t most = (int64_t)1 << 52;

	if (vt_is_float_word(v))
		*d = vt_float_of_word(v);
	else if (vt_is_int(v) && vt_toint(v) < most && vt_toint(v) > -most)
		*d = (double)vt_toint(v);
	else if (vt_is_float(v))
		*d = vt_float_of(v);
	else
		return false;
	return true;
}

/* Floats, and integers beside them. */
bool
vt_step_real(vt_rt *rt, unsigned op, vt_value x, vt_value y, vt_value *out)
{
	double a, b;

	if (vt_both_int(x, y) || !real(x, &a) || !real(y, &b) || op > VT_STEP_DIV ||
		(op == VT_STEP_DIV && b == 0))
		return false;
	*out = vt_mkfloat(rt, op == VT_STEP_ADD   ? a + b
			      : op == VT_STEP_SUB ? a - b
			      : op == VT_STEP_MUL ? a * b
						  : a / b);
	return true;
}

#ifdef __clang__
#define VECTORS
#else
#define VECTORS __attribute__((optimize("O3"))) /* -O2 leaves such loops as they are */
#endif
/* 1 or 0, without a comparison, which no register of two words has. */
static inline uint64_t
below_two(uint64_t u)
{
	return (u - 2) >> 63 & ~u >> 63;
}

/* What a column is: all float words; all integers of less than 51 bits; some of both; or else. */
enum column { OTHERS, INTEGERS, BOTH, FLOATS };

/*
 * A column as doubles.  No branch asks for anything in the first two loops, which go by two values
 * where the processor has registers for that.
 */
static VECTORS enum column
doubles_of(uint32_t n, const vt_value *v, double *d)
{
	const uint64_t most = UINT64_C(1) << 51;
	uint64_t floats = 0, whole = 0;

	if (vt_is_float_word(v[0])) {
		for (uint32_t i = 0; i < n; i++) {
			uint64_t u = v[i] >> 3;
			floats |= (v[i] & 7) ^ 2;
			u += VT_FLOAT_BIAS & (below_two(u) - 1); /* but of 0.0 and -0.0 */
			u = u >> 1 | u << 63;
			memcpy(&d[i], &u, sizeof u);
		}
		if (floats == 0)
			return FLOATS;
	} else {
		for (uint32_t i = 0; i < n; i++) {
			/* the lowest bits of a double that is 3 * 2^51 more */
			uint64_t u = (v[i] + most) >> 1;
			double x;
			whole |= (~v[i] & 1) | u >> 51;
			u += UINT64_C(0x4338000000000000) - most / 2;
			memcpy(&x, &u, sizeof x);
			d[i] = x - 0x1.8p52;
		}
		if (whole == 0)
			return INTEGERS;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!vt_is_float_word(v[i]) && (!vt_is_int(v[i]) || (v[i] + most) >> 52 != 0))
			return OTHERS;
		d[i] = vt_is_int(v[i]) ? (double)vt_toint(v[i]) : vt_float_of_word(v[i]);
	}
	return BOTH;
}

/* Both sides; the right one may be one value.  What the two are together: FLOATS where each pair
 * has one. */
static VECTORS enum column
sides_of(uint32_t n, const vt_value *x, const vt_value *y, size_t dy, double *a, double *b)
{
	enum column left, right;

	if (n == 0 || n > VT_BULK || !(vt_is_int(*x) || vt_is_float_word(*x)) ||
		!(vt_is_int(*y) || vt_is_float_word(*y)) ||
		(left = doubles_of(n, x, a)) == OTHERS ||
		(right = doubles_of(dy == 0 ? 1 : n, y, b)) == OTHERS)
		return OTHERS;
	for (uint32_t i = 1; dy == 0 && i < n; i++)
		b[i] = b[0];
	return left > right ? left : right;
}

/* More than 0: it is no word. */
static inline uint64_t
put_word(double d, vt_value *v)
{
	uint64_t u, w;

	memcpy(&u, &d, sizeof u);
	u = u << 1 | u >> 63;
	w = u - (VT_FLOAT_BIAS & (below_two(u) - 1));
	*v = w << 3 | 2;
	return w >> 61 | (below_two(w) & ~below_two(u));
}

#define EACH(op) \
	for (uint32_t i = 0; i < n; i++) \
	beyond |= put_word(a[i] op b[i], &v[i])

VECTORS bool
vt_step_words(unsigned op, uint32_t n, const vt_value *x, const vt_value *y, size_t dy, vt_value *v)
{
	double a[VT_BULK], b[VT_BULK];
	uint64_t beyond = 0;

	if (op > VT_STEP_DIV || sides_of(n, x, y, dy, a, b) != FLOATS)
		return false;
	if (op == VT_STEP_ADD)
		EACH(+);
	else if (op == VT_STEP_SUB)
		EACH(-);
	else if (op == VT_STEP_MUL)
		EACH(*);
	else
		EACH(/); /* by 0 it is no word */
	return beyond == 0;
}

/* Null, or a value that it comes before. */
static bool
after_null(vt_value v)
{
	return !vt_is_ptr(v) ? v != VT_UNDEF && v != VT_NOVALUE : vt_head_of(v)->kind <= VT_K_STR;
}

/* Dates of one zone, and lengths of time. */
static bool
moments(vt_value x, vt_value y, int *order)
{
	int64_t a, b;

	if (vt_is(x, DATETIME) && vt_is(y, DATETIME)) {
		const vt_datetime *s = VT_AS(vt_datetime, x), *t = VT_AS(vt_datetime, y);
		if (s->offset != t->offset || s->naive != t->naive || vt_is_date(x) ||
			vt_is_date(y))
			return false;
		a = s->us;
		b = t->us;
	} else if (vt_is(x, TIMESPAN) && vt_is(y, TIMESPAN)) {
		a = vt_span_us(x);
		b = vt_span_us(y);
	} else {
		return false;
	}
	*order = (a > b) - (a < b);
	return true;
}

/* False: the operator of the language has to say. */
bool
vt_step_compare(unsigned op, vt_value x, vt_value y, vt_value *v)
{
	double a, b;
	int order;

	if (x == VT_UNDEF || y == VT_UNDEF)
		return false;
	if (vt_is(x, STR) && vt_is(y, STR))
		*v = vt_mkbool(vt_step_answer(op, vt_str_cmp(vt_as_str(x), vt_as_str(y))));
	else if (real(x, &a) && real(y, &b))
		*v = vt_mkbool(vt_step_answer(op, a < b ? -1 : a > b ? 1 : a == b ? 0 : 2));
	else if (vt_is_number(x) && vt_is_number(y))
		*v = vt_mkbool(vt_step_answer(op, vt_num_cmp(x, y)));
	else if ((x == VT_NULL || y == VT_NULL) && after_null(x) && after_null(y))
		*v = vt_mkbool(vt_step_answer(op, (x != VT_NULL) - (y != VT_NULL)));
	else if (moments(x, y, &order))
		*v = vt_mkbool(vt_step_answer(op, order));
	else
		return false;
	return true;
}

#define COMPARISON(name, op, sign) \
	static uint32_t name( \
		uint32_t n, const vt_value *x, const vt_value *y, size_t dy, vt_value *v) \
	{ \
		double a, b; \
		for (uint32_t i = 0; i < n; i++, y += dy) { \
			if (likely(vt_both_int(x[i], *y))) \
				v[i] = vt_mkbool((int64_t)x[i] sign(int64_t) * y); \
			else if (real(x[i], &a) && real(*y, &b)) \
				v[i] = vt_mkbool(a sign b); \
			else if (!vt_step_compare(op, x[i], *y, &v[i])) \
				return i; \
		} \
		return n; \
	}
/* With a constant integer: whether all are integers is asked first, and then nothing else. */
static void
compare_ints(unsigned op, uint32_t n, const vt_value *x, vt_value k, vt_value *v)
{
	/* `>=` is not `<`, and `<=` is not `>`. */
	vt_value yes = vt_mkbool(op == VT_STEP_LT || op == VT_STEP_GT),
		 no = yes ^ VT_TRUE ^ VT_FALSE;

	if (op == VT_STEP_LT || op == VT_STEP_GE) {
		for (uint32_t i = 0; i < n; i++)
			v[i] = (int64_t)x[i] < (int64_t)k ? yes : no;
	} else {
		for (uint32_t i = 0; i < n; i++)
			v[i] = (int64_t)x[i] > (int64_t)k ? yes : no;
	}
}

#undef EACH
#define EACH(op) \
	for (uint32_t i = 0; i < n; i++) \
	v[i] = vt_mkbool(a[i] op b[i])

/* The same of columns of floats, or of those beside integers. */
static VECTORS bool
compare_words(unsigned op, uint32_t n, const vt_value *x, const vt_value *y, size_t dy, vt_value *v)
{
	double a[VT_BULK], b[VT_BULK];

	if (sides_of(n, x, y, dy, a, b) == OTHERS)
		return false;
	if (op == VT_STEP_LT)
		EACH(<);
	else if (op == VT_STEP_LE)
		EACH(<=);
	else if (op == VT_STEP_GT)
		EACH(>);
	else
		EACH(>=);
	return true;
}

COMPARISON(less, VT_STEP_LT, <)
COMPARISON(less_equal, VT_STEP_LE, <=)
COMPARISON(greater, VT_STEP_GT, >)
COMPARISON(greater_equal, VT_STEP_GE, >=)

uint32_t
vt_step_order(unsigned op, uint32_t n, const vt_value *x, const vt_value *y, size_t dy, vt_value *v)
{
	static uint32_t (*const loops[])(uint32_t, const vt_value *, const vt_value *, size_t,
		vt_value *) = {less, less_equal, greater, greater_equal};

	if (dy == 0 && vt_is_int(*y) && vt_all_ints(x, n)) {
		compare_ints(op, n, x, *y, v);
		return n;
	}
	return n > 0 && !vt_both_int(*x, *y) && compare_words(op, n, x, y, dy, v)
		       ? n
		       : loops[op - VT_STEP_LT](n, x, y, dy, v);
}
