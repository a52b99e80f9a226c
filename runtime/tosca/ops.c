/* ops.c - functions of booleans and numbers, comparisons and constraints. */
#include "runtime/tosca/int.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/text/text.h"

#include <math.h>
#include <string.h>

/* ---- booleans ---- */

static bool
booleans(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!vt_is_bool(args[i]))
			return vt_tosca_fail(
				t, ctx, "takes booleans, not %s", vt_tosca_noun(args[i]));
	return true;
}

static uint32_t
count_true(const vt_value *args, uint32_t n)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < n; i++)
		count += args[i] == VT_TRUE;
	return count;
}

bool
vt_tf_and(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	return booleans(t, ctx, args, n) && vt_tosca_give(out, vt_mkbool(count_true(args, n) == n));
}

bool
vt_tf_or(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	return booleans(t, ctx, args, n) && vt_tosca_give(out, vt_mkbool(count_true(args, n) > 0));
}

bool
vt_tf_xor(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	return booleans(t, ctx, args, n) && vt_tosca_give(out, vt_mkbool(count_true(args, n) == 1));
}

bool
vt_tf_not(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	return booleans(t, ctx, args, n) && vt_tosca_give(out, vt_mkbool(args[0] == VT_FALSE));
}

/* ---- comparison ---- */

static bool
compared(vt_tosca *t, const vt_tctx *ctx, vt_value a, vt_value b, int *c)
{
	vt_buf x = {0}, y = {0};
	*c = vt_tosca_compare(t, a, b);
	if (*c != 2)
		return true;
	vt_tosca_put_value(&x, t, a);
	vt_tosca_put_value(&y, t, b);
	vt_tosca_fail(t, ctx, "cannot compare %s with %s: %.*s, %.*s", vt_tosca_noun(a),
		vt_tosca_noun(b), (int)x.n, x.p, (int)y.n, y.p);
	vt_buf_free(&x);
	vt_buf_free(&y);
	return false;
}

/* Plain values of two kinds; texts are read as what stands beside them, and null is anything. */
static bool
are_apart(vt_value a, vt_value b)
{
	enum { NONE, NUMBER, BOOLEAN, TEXT, LIST, MAP } kind[2] = {NONE, NONE};
	vt_value v[2] = {a, b};
	for (int i = 0; i < 2; i++) {
		if (vt_tosca_form(v[i]) != VT_TO_PLAIN)
			return false;
		kind[i] = vt_is_number(v[i])     ? NUMBER
			  : vt_is_bool(v[i])     ? BOOLEAN
			  : vt_is(v[i], STR)     ? TEXT
			  : vt_is_sequence(v[i]) ? LIST
			  : vt_is(v[i], DICT)    ? MAP
						 : NONE;
	}
	return kind[0] && kind[1] && kind[0] != kind[1];
}

bool
vt_tf_equal(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)n;
	if (t->m->version & VT_TV_2_0 && are_apart(args[0], args[1]))
		return vt_tosca_fail(t, ctx, "compares %s with %s: both have to be of one type",
			vt_tosca_noun(args[0]), vt_tosca_noun(args[1]));
	return vt_tosca_give(out, vt_mkbool(vt_tosca_equal(t, args[0], args[1])));
}

bool
vt_tf_greater_than(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	int c;
	(void)n;
	return compared(t, ctx, args[0], args[1], &c) && vt_tosca_give(out, vt_mkbool(c > 0));
}

bool
vt_tf_greater_or_equal(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	int c;
	(void)n;
	return compared(t, ctx, args[0], args[1], &c) && vt_tosca_give(out, vt_mkbool(c >= 0));
}

bool
vt_tf_less_than(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	int c;
	(void)n;
	return compared(t, ctx, args[0], args[1], &c) && vt_tosca_give(out, vt_mkbool(c < 0));
}

bool
vt_tf_less_or_equal(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	int c;
	(void)n;
	return compared(t, ctx, args[0], args[1], &c) && vt_tosca_give(out, vt_mkbool(c <= 0));
}

/* In 1.x a number may stand there as a text. */
static bool
equals_text(vt_tosca *t, vt_value number, vt_value text)
{
	vt_buf b = {0};
	if (t->m->version & VT_TV_2_0 || !vt_is_number(number) || !vt_is(text, STR))
		return false;
	vt_json_write(t->rt, &b, number, 0);
	bool same = b.n == vt_as_str(text)->bytes && !memcmp(b.p, vt_as_str(text)->s, b.n);
	vt_buf_free(&b);
	return same;
}

bool
vt_tf_valid_values(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	const vt_list *l = vt_as_list(args[1]);
	bool found = false;
	(void)n;
	if (!vt_is_sequence(args[1]))
		return vt_tosca_fail(
			t, ctx, "takes a list of values, not %s", vt_tosca_noun(args[1]));
	for (uint32_t i = 0; i < l->n && !found; i++)
		found = vt_tosca_equal(t, args[0], l->v[i]) || equals_text(t, args[0], l->v[i]);
	return vt_tosca_give(out, vt_mkbool(found));
}

static bool
is_unbounded(vt_value v)
{
	return vt_is(v, STR) && strcmp(vt_as_str(v)->s, "UNBOUNDED") == 0;
}

/* Is the value between the bounds? VT_NULL and UNBOUNDED are none. */
static bool
between(vt_tosca *t, const vt_tctx *ctx, vt_value v, vt_value lo, vt_value hi, bool *in)
{
	int c;
	*in = true;
	if (lo != VT_NULL && !is_unbounded(lo)) {
		if (!compared(t, ctx, v, lo, &c))
			return false;
		*in = c >= 0;
	}
	if (hi != VT_NULL && !is_unbounded(hi)) {
		if (!compared(t, ctx, v, hi, &c))
			return false;
		*in &= c <= 0;
	}
	return true;
}

bool
vt_tf_in_range(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	const vt_list *l = vt_as_list(args[1]);
	vt_value lo = args[1], hi = n == 3 ? args[2] : VT_NULL;
	bool in = true, also = true;
	if (n == 2) {
		if (!vt_is_sequence(args[1]) || l->n != 2)
			return vt_tosca_fail(t, ctx, "takes the bounds as a list of two");
		lo = l->v[0], hi = l->v[1];
	}
	if (vt_tosca_form(args[0]) == VT_TO_RANGE) {
		const vt_dict *d = vt_as_dict(args[0]);
		return between(t, ctx, vt_dict_get_c(d, "lower"), lo, hi, &in) &&
		       between(t, ctx, vt_dict_get_c(d, "upper"), lo, hi, &also) &&
		       vt_tosca_give(out, vt_mkbool(in && also));
	}
	return between(t, ctx, args[0], lo, hi, &in) && vt_tosca_give(out, vt_mkbool(in));
}

/* ---- lengths ---- */

static bool
length_of(vt_tosca *t, const vt_tctx *ctx, vt_value v, int64_t *n)
{
	if (vt_is(v, STR))
		*n = vt_as_str(v)->points;
	else if (vt_is_sequence(v))
		*n = vt_as_list(v)->n;
	else if (vt_tosca_form(v) == VT_TO_BYTES)
		*n = vt_tosca_bytes_len(vt_as_str(vt_dict_get_c(vt_as_dict(v), "bytes")));
	else if (vt_is(v, DICT))
		*n = vt_dict_len(vt_as_dict(v));
	else
		return vt_tosca_fail(
			t, ctx, "takes a string, a list or a map, not %s", vt_tosca_noun(v));
	return true;
}

bool
vt_tf_length(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	int64_t len;
	(void)n;
	return length_of(t, ctx, args[0], &len) && vt_tosca_give(out, vt_mkint(len));
}

static bool
length_and(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, int64_t *len, int64_t *want)
{
	*want = 0;
	if (!vt_is_integer(args[1]))
		return vt_tosca_fail(t, ctx, "takes a number of characters or entries, not %s",
			vt_tosca_noun(args[1]));
	*want = vt_int_clamped(args[1]);
	return length_of(t, ctx, args[0], len);
}

bool
vt_tf_has_length(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	int64_t len, want;
	(void)n;
	return length_and(t, ctx, args, &len, &want) && vt_tosca_give(out, vt_mkbool(len == want));
}

bool
vt_tf_min_length(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	int64_t len, want;
	(void)n;
	return length_and(t, ctx, args, &len, &want) && vt_tosca_give(out, vt_mkbool(len >= want));
}

bool
vt_tf_max_length(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	int64_t len, want;
	(void)n;
	return length_and(t, ctx, args, &len, &want) && vt_tosca_give(out, vt_mkbool(len <= want));
}

/* ---- constraints of Heat ---- */

static vt_value
member(vt_value map, const char *key)
{
	vt_value v = vt_is(map, DICT) ? vt_dict_get_c(vt_as_dict(map), key) : VT_UNDEF;
	return v == VT_UNDEF ? VT_NULL : v;
}

/* A parameter may be given as the text of its number. Owned. */
static vt_value
as_number(vt_tosca *t, vt_value v)
{
	vt_value number = VT_UNDEF;
	double d;
	if (vt_is(v, STR) && vt_int_from_str(t->rt, vt_as_str(v), &number))
		return number;
	return vt_is(v, STR) && vt_float_from_str(vt_as_str(v), &d) ? vt_float_new(t->rt, d)
								    : vt_copy(v);
}

bool
vt_tf_between(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_value v = as_number(t, args[0]);
	bool in, ok = between(t, ctx, v, member(args[1], "min"), member(args[1], "max"), &in);
	(void)n;
	vt_release(v);
	return ok && vt_tosca_give(out, vt_mkbool(in));
}

bool
vt_tf_length_between(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	int64_t len;
	bool in;
	(void)n;
	return length_of(t, ctx, args[0], &len) &&
	       between(t, ctx, vt_mkint(len), member(args[1], "min"), member(args[1], "max"),
		       &in) &&
	       vt_tosca_give(out, vt_mkbool(in));
}

bool
vt_tf_modulo(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_value step = member(args[1], "step"), offset = member(args[1], "offset"),
		 rest = VT_UNDEF, less = VT_UNDEF;
	vt_value v = as_number(t, args[0]);
	bool ok;
	(void)n;
	if (!vt_is_integer(v) || !vt_is_integer(step) ||
		!(offset == VT_NULL || vt_is_integer(offset)) ||
		vt_num_cmp(step, vt_mkint(0)) == 0) {
		vt_release(v);
		return vt_tosca_fail(
			t, ctx, "takes an integer and { step, offset }, where step is not 0");
	}
	ok = vt_num_binary(t->rt, VT_OP_SUB, v, offset == VT_NULL ? vt_mkint(0) : offset, &less) ==
		     VT_OK &&
	     vt_num_binary(t->rt, VT_OP_MOD, less, step, &rest) == VT_OK;
	vt_release(less);
	vt_release(v);
	if (!ok)
		vt_exc_clear(t->rt);
	ok = ok && vt_tosca_give(out, vt_mkbool(vt_num_cmp(rest, vt_mkint(0)) == 0));
	vt_release(rest);
	return ok || vt_tosca_fail(t, ctx, "the numbers are too large");
}

bool
vt_tf_custom_constraint(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)t, (void)ctx, (void)args, (void)n;
	return vt_tosca_give(out, VT_TRUE);
}

/* ---- regular expressions ---- */

/* The pending exception as a failure of the function. */
static bool
failed(vt_tosca *t, const vt_tctx *ctx, const char *what)
{
	vt_exc *e = vt_pending(t->rt);
	vt_buf b = {0};
	if (e != NULL)
		vt_pystr(t->rt, &b, e->message);
	vt_tosca_fail(t, ctx, "%s: %.*s", what, (int)b.n, b.n ? b.p : "");
	vt_buf_free(&b);
	vt_exc_clear(t->rt);
	return false;
}

bool
vt_tosca_search(vt_tosca *t, const vt_tctx *ctx, vt_value text, vt_value pattern, vt_value *out)
{
	vt_value regex = VT_UNDEF;
	const size_t *spans = NULL;
	bool ok;
	if (vt_regex_make(t->rt, pattern, 0, &regex) != VT_OK)
		return failed(t, ctx, "the pattern is no regular expression");
	ok = vt_regex_match(t->rt, VT_AS(vt_regex, regex), vt_as_str(text), 0, false, &spans) ==
	     VT_OK;
	vt_release(regex);
	if (!ok)
		return failed(t, ctx, "the pattern cannot be matched");
	return vt_tosca_give(out, vt_mkbool(spans != NULL));
}

static bool
two_texts(vt_tosca *t, const vt_tctx *ctx, const vt_value *args)
{
	for (int i = 0; i < 2; i++)
		if (!vt_is(args[i], STR))
			return vt_tosca_fail(t, ctx, "takes a string and a pattern, not %s",
				vt_tosca_noun(args[i]));
	return true;
}

bool
vt_tf_matches(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)n;
	return two_texts(t, ctx, args) && vt_tosca_search(t, ctx, args[0], args[1], out);
}

bool
vt_tf_pattern(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_value whole;
	bool ok;
	(void)n;
	if (!two_texts(t, ctx, args))
		return false;
	whole = vt_str_printf(t->rt, "\\A(?:%s)\\Z", vt_as_str(args[1])->s);
	ok = vt_tosca_search(t, ctx, args[0], whole, out);
	vt_release(whole);
	return ok;
}

/* ---- arithmetic ---- */

static bool
numbers(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, uint32_t *scalars)
{
	vt_value number;
	*scalars = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!vt_tosca_number(args[i], &number))
			return vt_tosca_fail(t, ctx, "takes numbers and scalars, not %s",
				vt_tosca_noun(args[i]));
		*scalars += vt_is(args[i], DICT);
	}
	return true;
}

static bool
number_op(vt_tosca *t, const vt_tctx *ctx, int op, vt_value a, vt_value b, vt_value *out)
{
	if (vt_num_binary(t->rt, op, a, b, out) != VT_OK)
		return failed(t, ctx, "the numbers are too large");
	if (vt_is(*out, FLOAT) && !isfinite(vt_as_float(*out))) {
		vt_clear(out);
		return vt_tosca_fail(t, ctx, "the numbers are too large");
	}
	return true;
}

/* The result in the dimension of `like`, or a plain number when that is none. */
static bool
in_unit(vt_tosca *t, vt_value like, vt_value number, vt_value *out)
{
	return vt_tosca_give(out, vt_is(like, DICT) ? vt_tosca_like(t, like, number) : number);
}

static bool
one_dimension(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n)
{
	uint32_t scalars;
	if (!numbers(t, ctx, args, n, &scalars))
		return false;
	if (scalars != 0 && scalars != n)
		return vt_tosca_fail(t, ctx, "takes numbers or scalars, not both");
	for (uint32_t i = 1; i < n && scalars; i++)
		if (!vt_tosca_same_unit(args[0], args[i]))
			return vt_tosca_fail(t, ctx, "takes scalars of one dimension");
	return true;
}

/* All arguments, one after the other. */
static bool
fold(vt_tosca *t, const vt_tctx *ctx, int op, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_value sum = VT_UNDEF, number;
	(void)vt_tosca_number(args[0], &number);
	sum = vt_copy(number);
	for (uint32_t i = 1; i < n; i++) {
		vt_value next = VT_UNDEF;
		(void)vt_tosca_number(args[i], &number);
		if (!number_op(t, ctx, op, sum, number, &next)) {
			vt_release(sum);
			return false;
		}
		vt_move(&sum, next);
	}
	return vt_tosca_give(out, sum);
}

static bool
linear(vt_tosca *t, const vt_tctx *ctx, int op, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_value sum = VT_UNDEF;
	return one_dimension(t, ctx, args, n) && fold(t, ctx, op, args, n, &sum) &&
	       in_unit(t, args[0], sum, out);
}

bool
vt_tf_sum(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	return linear(t, ctx, VT_OP_ADD, args, n, out);
}

bool
vt_tf_difference(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	return linear(t, ctx, VT_OP_SUB, args, n, out);
}

/* Products of many large integers grow without end. */
static bool
small_enough(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n)
{
	enum { FACTORS = 1000 };
	return n <= FACTORS || vt_tosca_fail(t, ctx, "takes at most %d factors, not %u %s", FACTORS,
				       n, vt_tosca_noun(args[0]));
}

bool
vt_tf_product(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_value product = VT_UNDEF, like = VT_UNDEF;
	uint32_t scalars;
	if (!small_enough(t, ctx, args, n) || !numbers(t, ctx, args, n, &scalars))
		return false;
	if (scalars > 1)
		return vt_tosca_fail(t, ctx, "takes one scalar at most");
	for (uint32_t i = 0; i < n; i++)
		like = vt_is(args[i], DICT) ? args[i] : like;
	return fold(t, ctx, VT_OP_MUL, args, n, &product) && in_unit(t, like, product, out);
}

/* What a and b give as plain numbers; the result is in the unit of a unless b has one too. */
static bool
operands(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, vt_value *a, vt_value *b,
	vt_value *like)
{
	uint32_t scalars;
	if (!numbers(t, ctx, args, 2, &scalars))
		return false;
	if (vt_is(args[1], DICT) && (scalars == 1 || !vt_tosca_same_unit(args[0], args[1])))
		return vt_tosca_fail(
			t, ctx, "the divisor must be a number or a scalar of the same dimension");
	(void)vt_tosca_number(args[0], a);
	(void)vt_tosca_number(args[1], b);
	*like = scalars == 1 ? args[0] : VT_UNDEF;
	return vt_num_cmp(*b, vt_mkint(0)) != 0 || vt_tosca_fail(t, ctx, "division by zero");
}

/* a - b * trunc(a / b) */
static bool
truncated_rest(vt_tosca *t, const vt_tctx *ctx, vt_value a, vt_value b, vt_value *out)
{
	vt_value rest = VT_UNDEF, less = VT_UNDEF;
	int sign;
	if (!number_op(t, ctx, VT_OP_MOD, a, b, &rest))
		return false;
	sign = vt_num_cmp(rest, vt_mkint(0));
	if (sign == 0 || (sign < 0) == (vt_num_cmp(a, vt_mkint(0)) < 0))
		return vt_tosca_give(out, rest);
	if (number_op(t, ctx, VT_OP_SUB, rest, b, &less))
		*out = less;
	vt_release(rest);
	return less != VT_UNDEF;
}

bool
vt_tf_remainder(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_value a, b, like, rest = VT_UNDEF;
	(void)n;
	if (vt_is(args[0], FLOAT) || vt_is(args[1], FLOAT))
		return vt_tosca_fail(
			t, ctx, "takes an integer or a number with a unit, and an integer");
	if (!operands(t, ctx, args, &a, &b, &like) || !truncated_rest(t, ctx, a, b, &rest))
		return false;
	return in_unit(t, vt_is(args[0], DICT) ? args[0] : VT_UNDEF, rest, out);
}

/* An integer when both are and b divides a, else a float. */
static bool
divided(vt_tosca *t, const vt_tctx *ctx, vt_value a, vt_value b, vt_value *out)
{
	vt_value rest = VT_UNDEF;
	bool whole;
	double x, y;
	if (vt_is_integer(a) && vt_is_integer(b)) {
		if (!number_op(t, ctx, VT_OP_MOD, a, b, &rest))
			return false;
		whole = vt_num_cmp(rest, vt_mkint(0)) == 0;
		vt_release(rest);
		if (whole)
			return number_op(t, ctx, VT_OP_DIV, a, b, out);
	}
	if (vt_num_double(t->rt, a, &x) != VT_OK || vt_num_double(t->rt, b, &y) != VT_OK)
		return failed(t, ctx, "the numbers are too large");
	x /= y;
	return isfinite(x) ? vt_tosca_give(out, vt_float_new(t->rt, x))
			   : vt_tosca_fail(t, ctx, "the result is too large");
}

bool
vt_tf_quotient(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_value a, b, like, q = VT_UNDEF;
	(void)n;
	return operands(t, ctx, args, &a, &b, &like) && divided(t, ctx, a, b, &q) &&
	       in_unit(t, like, q, out);
}

static bool
to_integer(vt_tosca *t, const vt_tctx *ctx, vt_value v, double (*how)(double), vt_value *out)
{
	if (vt_is_integer(v))
		return vt_tosca_give(out, vt_copy(v));
	if (!vt_is(v, FLOAT))
		return vt_tosca_fail(t, ctx, "takes a number, not %s", vt_tosca_noun(v));
	return vt_float_to_int(t->rt, how(vt_as_float(v)), out) == VT_OK ||
	       failed(t, ctx, "there is no such integer");
}

/* Halves go down. d - 0.5 would be wrong for large numbers. */
static double
half_down(double d)
{
	double low = floor(d);
	return d - low > 0.5 ? low + 1 : low;
}

bool
vt_tf_round(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)n;
	return to_integer(t, ctx, args[0], half_down, out);
}

bool
vt_tf_floor(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)n;
	return to_integer(t, ctx, args[0], floor, out);
}

bool
vt_tf_ceil(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)n;
	return to_integer(t, ctx, args[0], ceil, out);
}
