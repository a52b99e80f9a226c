/*
 * op.c - numbers, texts and operators, with Python's results and Yay's failures.
 */
#include "runtime/yay/int.h"
#include "runtime/core/printable.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers and texts of scalars ---- */

bool
yay_may_be_number(const char *text, size_t n)
{
	unsigned char ch = n ? (unsigned char)text[0] : 0;

	return (ch >= '0' && ch <= '9') || ch >= 0x80 || (ch && strchr("+-. \tiInN", ch));
}

bool
yay_text_number(vt_yay *s, vt_value str, vt_value *out)
{
	const vt_str *t = vt_as_str(str);
	double f;

	if (!yay_may_be_number(t->s, t->bytes))
		return false;
	if (t->bytes > 4300 * 4)
		return false;
	if (vt_int_from_str(s->rt, t, out))
		return true;
	if (!vt_float_from_str(t, &f))
		return false;
	*out = vt_float_new(s->rt, f);
	return true;
}

bool
yay_number(vt_yay *s, yshape *sh, vt_value *out)
{
	s->secret |= sh->secret;
	if (sh->kind == Y_SCALAR && (vt_is_number(sh->value) || vt_is_bool(sh->value))) {
		*out = vt_copy(sh->value);
		return true;
	}
	if (sh->kind == Y_SCALAR && vt_is(sh->value, STR) && yay_text_number(s, sh->value, out))
		return true;
	return yay_fail(s, VT_YE_TYPE, sh->doc, sh->row, "Expected integer or float");
}

vt_value
yay_text(vt_yay *s, yshape *sh, bool safe)
{
	vt_buf b = {0};

	if (sh->kind != Y_SCALAR) {
		yay_fail(s, VT_YE_TYPE, sh->doc, sh->row, "Expected string");
		return VT_UNDEF;
	}
	if (!safe)
		s->secret |= sh->secret;
	if (safe && sh->secret)
		return sh->safe != VT_UNDEF ? vt_copy(sh->safe) : vt_str_c(s->rt, "*****");
	if (sh->text != VT_UNDEF)
		return vt_copy(sh->text);
	if (vt_is(sh->value, STR))
		return vt_copy(sh->value);
	vt_pystr(s->rt, &b, sh->value);
	return vt_str_take(s->rt, &b);
}

/* ---- operators ---- */

static const char *
op_name(int op, char one[2])
{
	static const char *const names[] = {"//", "**", "<<", ">>"};

	if (op >= YAY_OP_FLOORDIV && op <= YAY_OP_SHR)
		return names[op - YAY_OP_FLOORDIV];
	one[0] = (char)op, one[1] = 0;
	return one;
}

static yshape *
by_zero(vt_yay *s, ydoc *d, uint32_t row, vt_value a, vt_value b)
{
	vt_buf t = {0};
	char one[2];

	if (s->secret) {
		vt_buf_puts(&t, "divide by zero is invalid");
	} else {
		vt_pystr_cut(s->rt, &t, a);
		vt_buf_printf(&t, " %s ", op_name(ROW(d, row)->op, one));
		vt_pystr_cut(s->rt, &t, b);
		vt_buf_puts(&t, " - divide by zero is invalid");
	}
	vt_buf_putc(&t, 0);
	yay_fail(s, VT_YE_ZERO_DIVISION, d, ROW(d, row)->b, "%s", t.p);
	vt_buf_free(&t);
	return NULL;
}

static bool
is_zero(vt_value v)
{
	return v == vt_mkint(0) || v == VT_FALSE || (vt_is(v, FLOAT) && vt_as_float(v) == 0);
}

static vt_value
whole(vt_value v)
{
	return vt_is_bool(v) ? vt_mkint(v == VT_TRUE) : v;
}

static vt_status
true_division(vt_yay *s, vt_value a, vt_value b, vt_value *out)
{
	double x, y;

	VT_TRY(vt_num_double(s->rt, a, &x));
	VT_TRY(vt_num_double(s->rt, b, &y));
	*out = vt_float_new(s->rt, x / y);
	return VT_OK;
}

static vt_status
floor_division(vt_yay *s, vt_value a, vt_value b, vt_value *out)
{
	double x, y;

	if (vt_is_integer(a) && vt_is_integer(b))
		return vt_num_binary(s->rt, VT_OP_DIV, a, b, out);
	VT_TRY(vt_num_double(s->rt, a, &x));
	VT_TRY(vt_num_double(s->rt, b, &y));
	*out = vt_float_new(s->rt, floor(x / y));
	return VT_OK;
}

static int64_t
bits_of(vt_value v)
{
	vt_buf b = {0};
	int64_t n;

	if (vt_is_int(v))
		return 64;
	vt_int_repr(&b, v, 16);
	n = 4 * (int64_t)b.n;
	vt_buf_free(&b);
	return n;
}

/* Results that would not fit into the machine are refused before they are made. */
bool
yay_too_many_bits(vt_yay *s, int op, vt_value a, vt_value b)
{
	double limit = (double)s->limit.text, n;

	if (!vt_is_integer(a) || !vt_is_integer(b))
		return false;
	n = (double)vt_int_clamped(b);
	if (op == YAY_OP_SHL)
		return n + (double)bits_of(a) > limit;
	if (op == '*')
		return !vt_both_int(a, b) && (double)bits_of(a) + (double)bits_of(b) > limit;
	return op == YAY_OP_POW && n > 0 && a != vt_mkint(0) && a != vt_mkint(1) &&
	       a != vt_mkint(-1) &&
	       n * (vt_is_int(a) ? log2(fabs((double)vt_toint(a)) + 1) : (double)bits_of(a)) >
		       limit;
}

vt_status
yay_compute(vt_yay *s, int op, vt_value a, vt_value b, vt_value *out)
{
	switch (op) {
	case '+': return vt_num_binary(s->rt, VT_OP_ADD, a, b, out);
	case '-': return vt_num_binary(s->rt, VT_OP_SUB, a, b, out);
	case '*': return vt_num_binary(s->rt, VT_OP_MUL, a, b, out);
	case '/': return true_division(s, a, b, out);
	case '%': return vt_num_binary(s->rt, VT_OP_MOD, a, b, out);
	case YAY_OP_FLOORDIV: return floor_division(s, a, b, out);
	case YAY_OP_POW: return vt_num_pow(s->rt, a, b, VT_NULL, out);
	}
	if (!vt_is_integer(a) || !vt_is_integer(b))
		return vt_raise(s->rt, VT_E_TYPE, "Expected integer");
	if ((op == YAY_OP_SHL || op == YAY_OP_SHR) && vt_num_cmp(b, vt_mkint(0)) < 0)
		return vt_raise(s->rt, VT_E_TYPE, "negative shift count");
	return vt_int_bits(s->rt,
		op == '&'          ? VT_BIT_AND
		: op == '|'        ? VT_BIT_OR
		: op == '^'        ? VT_BIT_XOR
		: op == YAY_OP_SHL ? VT_BIT_SHL
				   : VT_BIT_SHR,
		a, b, out);
}

static yshape *
arithmetic(vt_yay *s, ydoc *d, uint32_t row, vt_value a, vt_value b)
{
	int op = ROW(d, row)->op;
	vt_value x = whole(a), y = whole(b), out = VT_UNDEF;

	if ((op == '/' || op == '%' || op == YAY_OP_FLOORDIV) && is_zero(y))
		return by_zero(s, d, row, a, b);
	if (op == YAY_OP_POW && is_zero(x) && vt_num_cmp(y, vt_mkint(0)) < 0)
		return by_zero(s, d, row, a, b);
	if (yay_too_many_bits(s, op, x, y))
		return yay_fail(s, VT_YE_LIMIT, d, row, "the number would be too large"), NULL;
	if (yay_compute(s, op, x, y, &out) != VT_OK)
		return yay_fail_rt(s, d, row), NULL;
	return yay_scalar(s, d, row, out);
}

/* + joins texts when one side is no number. */
static yshape *
joined(vt_yay *s, ydoc *d, uint32_t row, yshape *a, yshape *b)
{
	vt_value x, y = VT_UNDEF;
	yshape *out = NULL;

	if ((x = yay_text(s, a, false)) == VT_UNDEF || (y = yay_text(s, b, false)) == VT_UNDEF)
		yay_led(s, d, row);
	else if ((uint64_t)vt_as_str(x)->bytes + vt_as_str(y)->bytes > s->limit.text)
		yay_fail(s, VT_YE_LIMIT, d, row, "a text of more than %llu bytes",
			(unsigned long long)s->limit.text);
	else
		out = yay_scalar(s, d, row, vt_str_concat(s->rt, vt_as_str(x), vt_as_str(y)));
	vt_release(x);
	vt_release(y);
	return out;
}

yshape *
yay_binary(vt_yay *s, ydoc *d, uint32_t row, yshape *a, yshape *b)
{
	vt_value x = VT_UNDEF, y = VT_UNDEF;
	yshape *out = NULL, *bad;

	if ((bad = a, yay_number(s, a, &x)) && (bad = b, yay_number(s, b, &y)))
		out = arithmetic(s, d, row, x, y);
	else if (ROW(d, row)->op == '+')
		yay_forgive(s), out = joined(s, d, row, a, b);
	else
		yay_led(s, d, bad == a ? ROW(d, row)->a : ROW(d, row)->b);
	vt_release(x);
	vt_release(y);
	return out;
}

yshape *
yay_unary(vt_yay *s, ydoc *d, uint32_t row, yshape *a)
{
	int op = ROW(d, row)->op;
	vt_value x, out = VT_UNDEF, w;
	vt_status st = VT_OK;

	if (!yay_number(s, a, &x))
		return yay_led(s, d, ROW(d, row)->a), NULL;
	w = whole(x);
	if (op == '-')
		st = vt_num_neg(s->rt, w, &out);
	else if (op == '+')
		out = vt_copy(w);
	else
		st = vt_is_integer(w) ? vt_int_not(s->rt, w, &out)
				      : vt_raise(s->rt, VT_E_TYPE, "Expected integer");
	vt_release(x);
	return st == VT_OK ? yay_scalar(s, d, row, out) : (yay_fail_rt(s, d, row), NULL);
}

/* ---- comparisons ---- */

static bool
equal(vt_yay *s, yshape *a, yshape *b, bool same_type, bool *out)
{
	vt_value x = VT_UNDEF, y = VT_UNDEF;
	bool good = yay_resolve(s, a, &x) && yay_resolve(s, b, &y);

	s->secret |= a->secret || b->secret;
	if (good)
		*out = vt_eq(x, y) && (!same_type || strcmp(vt_py_type(x), vt_py_type(y)) == 0);
	vt_release(x);
	vt_release(y);
	return good;
}

static bool
contains(vt_yay *s, yshape *item, yshape *in, bool *out)
{
	yvec v = {0};
	bool good = true;

	*out = false;
	if (in->kind == Y_SCALAR && vt_is(in->value, STR)) {
		vt_value t = yay_text(s, item, false);
		if (t == VT_UNDEF)
			return false;
		s->secret |= in->secret;
		*out = vt_str_find(NULL, vt_as_str(in->value), vt_as_str(t), 0, UINT32_MAX) >= 0;
		vt_release(t);
		return true;
	}
	if (!yay_items(s, in, &v, "Expected iterable"))
		return false;
	for (uint32_t i = 0; i < v.n && good && !*out; i++) {
		yshape *sh = yay_expand(s, v.v[i]);
		good = sh && equal(s, item, sh, false, out);
	}
	free(v.v);
	return good;
}

static bool
ordered(vt_yay *s, int op, yshape *a, yshape *b, bool *out)
{
	vt_value x = VT_UNDEF, y = VT_UNDEF;
	int k;

	if (!yay_number(s, a, &x) || !yay_number(s, b, &y)) {
		vt_release(x);
		return false;
	}
	k = vt_num_cmp(x, y);
	*out = op == '<'         ? k == -1
	       : op == '>'       ? k == 1
	       : op == YAY_OP_LE ? k == -1 || k == 0
				 : k == 1 || k == 0;
	vt_release(x);
	vt_release(y);
	return true;
}

bool
yay_compare(vt_yay *s, ydoc *d, uint32_t row, int op, yshape *a, yshape *b, bool *out)
{
	bool good;

	switch (op) {
	case YAY_OP_EQ: good = equal(s, a, b, false, out); break;
	case YAY_OP_NE:
		good = equal(s, a, b, false, out);
		*out = !*out;
		break;
	case YAY_OP_IS: good = equal(s, a, b, true, out); break;
	case YAY_OP_IS_NOT:
		good = equal(s, a, b, true, out);
		*out = !*out;
		break;
	case YAY_OP_IN: good = contains(s, a, b, out); break;
	case YAY_OP_NOT_IN:
		good = contains(s, a, b, out);
		*out = !*out;
		break;
	default: good = ordered(s, op, a, b, out);
	}
	if (!good)
		yay_led(s, d, row);
	return good;
}
