/*
 * format_spec.c - values as a specification of format() wants them: str, int and float as in Python
 * (PEP 3101).
 */
#include "runtime/lib/format.h"
#include "runtime/core/number.h"
#include "runtime/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Nobody reads a number of so many characters; the reference would make it. */
enum { WIDEST = 1 << 24 };

/* Reads digits of any script: how many there were, or -1 with ValueError pending. */
int
vt_format_number(vt_rt *rt, text *t, int64_t *n)
{
	int count = 0;
	*n = 0;
	while (t->p < t->end) {
		const char *p = t->p;
		int digit = vt_digit_value(vt_utf8_next(&p));
		if (digit < 0)
			break;
		if (*n > (INT64_MAX - digit) / 10) {
			(void)wrong(rt, "Too many decimal digits in format string");
			return -1;
		}
		*n = *n * 10 + digit;
		t->p = p;
		count++;
	}
	return count;
}

/* ---- the specification: [[fill]align][sign][z][#][0][width][group][.precision][type] --------- */

typedef struct spec {
	text fill;  /* one code point */
	char align; /* < > = ^ */
	char sign;  /* + - blank, or 0 */
	char group; /* , _ or 0 */
	bool no_neg_0, alt;
	int64_t width, precision; /* -1: not given */
	uint32_t type;            /* a letter, or 0 */
} spec;

static bool
take(text *t, char c)
{
	if (t->p == t->end || *t->p != c)
		return false;
	t->p++;
	return true;
}

static bool
is_align(text t)
{
	return t.p < t.end && strchr("<>=^", *t.p) != NULL && *t.p != '\0';
}

/* Was there an alignment? */
static bool
read_align(text *t, spec *s, bool *filled)
{
	text after = *t;
	*filled = false;
	if (t->p == t->end)
		return false;
	vt_utf8_next(&after.p);
	if (is_align(after)) {
		s->fill = (text){t->p, after.p};
		s->align = *after.p;
		t->p = after.p + 1;
		*filled = true;
		return true;
	}
	if (!is_align(*t))
		return false;
	s->align = *t->p++;
	return true;
}

static void
read_flags(text *t, spec *s)
{
	static const char zero[] = "0";
	bool filled, aligned = read_align(t, s, &filled);
	if (t->p < t->end && (*t->p == '+' || *t->p == '-' || *t->p == ' '))
		s->sign = *t->p++;
	s->no_neg_0 = take(t, 'z');
	s->alt = take(t, '#');
	if (!filled && take(t, '0')) {
		s->fill = (text){zero, zero + 1};
		if (!aligned && s->align == '>')
			s->align = '=';
	}
}

static vt_status
read_group(vt_rt *rt, text *t, spec *s)
{
	bool both = false;
	if (take(t, ','))
		s->group = ',';
	if (t->p < t->end && *t->p == '_') {
		both = s->group != 0;
		s->group = '_';
		t->p++;
	}
	if (both || (s->group == '_' && t->p < t->end && *t->p == ','))
		return wrong(rt, "Cannot specify both ',' and '_'.");
	return VT_OK;
}

static vt_status
read_precision(vt_rt *rt, text *t, spec *s)
{
	int count;
	if (!take(t, '.'))
		return VT_OK;
	count = vt_format_number(rt, t, &s->precision);
	if (count == 0)
		return wrong(rt, "Format specifier missing precision");
	return count < 0 ? VT_ERROR : VT_OK;
}

/* Puts a character as the messages cite it. */
static void
cite(vt_buf *b, uint32_t c)
{
	if (c > 32 && c < 128)
		vt_buf_printf(b, "'%c'", (char)c);
	else
		vt_buf_printf(b, "'\\x%x'", c);
}

static vt_status
check_group(vt_rt *rt, const spec *s)
{
	vt_buf b = {0};
	if (s->group == 0 || s->type == 0 ||
		(s->type < 128 && strchr("defgEG%F", (int)s->type) != NULL))
		return VT_OK;
	if (s->group == '_' && s->type < 128 && strchr("boxX", (int)s->type) != NULL)
		return VT_OK;
	vt_buf_printf(&b, "Cannot specify '%c' with ", s->group);
	cite(&b, s->type);
	vt_buf_putc(&b, '.');
	return vt_raise_value(rt, VT_E_VALUE, vt_str_take(rt, &b));
}

static vt_status
read_spec(vt_rt *rt, text t, vt_value v, uint32_t type, char align, spec *s)
{
	static const char blank[] = " ";
	text whole = t;
	int count;
	*s = (spec){.fill = {blank, blank + 1},
		.align = align,
		.width = -1,
		.precision = -1,
		.type = type};
	read_flags(&t, s);
	count = vt_format_number(rt, &t, &s->width);
	if (count < 0)
		return VT_ERROR;
	if (count == 0)
		s->width = -1;
	VT_TRY(read_group(rt, &t, s));
	VT_TRY(read_precision(rt, &t, s));
	if (t.p < t.end)
		s->type = vt_utf8_next(&t.p);
	if (t.p < t.end)
		return vt_raise(rt, VT_E_VALUE,
			"Invalid format specifier '%.*s' for object of type '%s'",
			(int)size_of(whole), whole.p, vt_py_type(v));
	VT_TRY(check_group(rt, s));
	if (s->width > WIDEST)
		return vt_raise(
			rt, VT_E_MEMORY_QUOTA, "a format width of more than %d characters", WIDEST);
	return VT_OK;
}

static vt_status
unknown_code(vt_rt *rt, const spec *s, vt_value v)
{
	vt_buf b = {0};
	vt_buf_puts(&b, "Unknown format code ");
	cite(&b, s->type);
	vt_buf_printf(&b, " for object of type '%s'", vt_py_type(v));
	return vt_raise_value(rt, VT_E_VALUE, vt_str_take(rt, &b));
}

static void
put_fill(vt_buf *b, const spec *s, int64_t n)
{
	for (; n > 0; n--)
		vt_buf_put(b, s->fill.p, size_of(s->fill));
}

/* ---- str ------------------------------------------------------------------------------------- */

static vt_status
check_str(vt_rt *rt, const spec *s, vt_value v)
{
	if (s->type != 's')
		return unknown_code(rt, s, v);
	if (s->sign != 0)
		return wrong(rt, s->sign == ' ' ? "Space not allowed in string format specifier"
						: "Sign not allowed in string format specifier");
	if (s->no_neg_0)
		return wrong(
			rt, "Negative zero coercion (z) not allowed in string format specifier");
	if (s->alt)
		return wrong(rt, "Alternate form (#) not allowed in string format specifier");
	if (s->align == '=')
		return wrong(rt, "'=' alignment not allowed in string format specifier");
	return VT_OK;
}

static vt_status
format_str(vt_rt *rt, vt_buf *b, vt_value v, text spec_text)
{
	const vt_str *x = vt_as_str(v);
	int64_t points = x->points, padding, left;
	spec s;
	VT_TRY(read_spec(rt, spec_text, v, 's', '<', &s));
	VT_TRY(check_str(rt, &s, v));
	if (s.precision >= 0 && s.precision < points)
		points = s.precision;
	padding = s.width > points ? s.width - points : 0;
	left = s.align == '>' ? padding : s.align == '^' ? padding / 2 : 0;
	put_fill(b, &s, left);
	vt_buf_put(b, x->s, vt_str_offset(x, (uint32_t)points));
	put_fill(b, &s, padding - left);
	return VT_OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* A number without its sign: prefix as 0x, digits that may be grouped, then all the rest. */
typedef struct number {
	bool negative;
	const char *prefix;
	text digits, rest;
} number;

static void
turn(char *p, size_t n)
{
	for (size_t i = 0; i + 1 < n - i; i++) {
		char c = p[i];
		p[i] = p[n - 1 - i];
		p[n - 1 - i] = c;
	}
}

/* Digits in groups, with leading zeros up to `least` characters; more when a separator would come
 * first. */
static void
put_grouped(vt_buf *b, text digits, char separator, int64_t least, int group)
{
	size_t start = b->n;
	int64_t left = (int64_t)size_of(digits);
	for (;;) {
		int64_t want = left > least ? left : least > 1 ? least : 1, n;
		want = separator != 0 && want > group ? group : want;
		for (n = 0; n < want; n++)
			vt_buf_putc(b, n < left ? digits.p[left - 1 - n] : '0');
		left = left > want ? left - want : 0;
		least -= want;
		if (left == 0 && least <= 0)
			break;
		vt_buf_putc(b, separator);
		least--;
	}
	turn(b->p + start, b->n - start);
}

static void
put_number(vt_buf *b, const spec *s, const number *x)
{
	char sign = x->negative ? '-' : s->sign == '-' ? 0 : s->sign;
	int64_t others = (sign != 0) + (int64_t)strlen(x->prefix) + (int64_t)size_of(x->rest),
		padding, left;
	bool zeros = s->align == '=' && size_of(s->fill) == 1 && *s->fill.p == '0';
	vt_buf digits = {0};
	if (size_of(x->digits) > 0)
		put_grouped(&digits, x->digits, s->group, zeros ? s->width - others : 0,
			s->type < 128 && strchr("boxX", (int)s->type) != NULL && s->type != 0 ? 4
											      : 3);
	padding = s->width - others - (int64_t)digits.n;
	padding = padding > 0 ? padding : 0;
	left = s->align == '>' ? padding : s->align == '^' ? padding / 2 : 0;
	put_fill(b, s, left);
	if (sign != 0)
		vt_buf_putc(b, sign);
	vt_buf_puts(b, x->prefix);
	put_fill(b, s, s->align == '=' ? padding : 0);
	vt_buf_put(b, digits.p, digits.n);
	vt_buf_put(b, x->rest.p, size_of(x->rest));
	put_fill(b, s, s->align == '=' ? 0 : padding - left);
	vt_buf_free(&digits);
}

/* ---- float ----------------------------------------------------------------------------------- */

/* What stands for a decimal point in a locale is no digit, sign or letter of the C formats. */
static void
plain_point(vt_buf *b)
{
	size_t n = 0;
	bool was = false;
	for (size_t i = 0; i < b->n; i++) {
		char c = b->p[i];
		bool good = (c >= '0' && c <= '9') || c == 'e' || c == '+' || c == '-';
		if (good || !was)
			b->p[n++] = good ? c : '.';
		was = !good;
	}
	b->n = n;
}

/* m * 10^e with the digits of m behind the first one in the buffer: d.ddde+XX taken apart. */
static int
take_exponent(vt_buf *b, vt_buf *digits)
{
	size_t i = 0;
	int e = 0, sign;
	for (; i < b->n && b->p[i] != 'e'; i++)
		if (b->p[i] != '.')
			vt_buf_putc(digits, b->p[i]);
	sign = i + 1 < b->n && b->p[i + 1] == '-' ? -1 : 1;
	for (i += 2; i < b->n; i++)
		e = e * 10 + (b->p[i] - '0');
	return sign * e;
}

static void
put_zeros(vt_buf *b, int64_t n)
{
	for (; n > 0; n--)
		vt_buf_putc(b, '0');
}

/* digits stand for 0.ddd * 10^point. */
static void
put_positional(vt_buf *b, const vt_buf *digits, int point, bool dot, bool dot_zero)
{
	int n = (int)digits->n;
	if (point <= 0) {
		vt_buf_puts(b, "0.");
		put_zeros(b, -point);
		vt_buf_put(b, digits->p, digits->n);
	} else if (point < n) {
		vt_buf_put(b, digits->p, (size_t)point);
		vt_buf_putc(b, '.');
		vt_buf_put(b, digits->p + point, (size_t)(n - point));
	} else {
		vt_buf_put(b, digits->p, digits->n);
		put_zeros(b, point - n);
		vt_buf_puts(b, dot_zero ? ".0" : dot ? "." : "");
	}
}

/* Python's g. dot_zero: the form without a type letter, which shows a float as one and keeps a
 * place for it. */
static void
put_general(vt_buf *b, double d, int precision, bool alt, bool dot_zero)
{
	vt_buf e = {0}, digits = {0};
	int point;
	precision = precision > 0 ? precision : 1;
	vt_buf_printf(&e, "%.*e", precision - 1, d);
	plain_point(&e);
	point = take_exponent(&e, &digits) + 1;
	while (!alt && digits.n > 1 && digits.p[digits.n - 1] == '0')
		digits.n--;
	if (point > -4 && point <= precision - dot_zero) {
		put_positional(b, &digits, point, alt, dot_zero);
	} else {
		vt_buf_putc(b, digits.p[0]);
		if (digits.n > 1 || alt)
			vt_buf_putc(b, '.');
		vt_buf_put(b, digits.p + 1, digits.n - 1);
		vt_buf_printf(b, "e%c%02d", point - 1 < 0 ? '-' : '+', abs(point - 1));
	}
	vt_buf_free(&digits);
	vt_buf_free(&e);
}

static void
put_repr(vt_buf *b, double d, bool alt)
{
	vt_buf r = {0};
	const char *e;
	vt_float_repr(&r, d);
	e = memchr(r.p, 'e', r.n);
	if (alt && e != NULL && memchr(r.p, '.', r.n) == NULL) {
		vt_buf_put(b, r.p, (size_t)(e - r.p));
		vt_buf_putc(b, '.');
		vt_buf_put(b, e, r.n - (size_t)(e - r.p));
	} else {
		vt_buf_put(b, r.p, r.n);
	}
	vt_buf_free(&r);
}

/* The text of a float that is not negative. */
static void
put_float(vt_buf *b, double d, const spec *s, uint32_t type)
{
	int precision = s->precision < 0 ? 6 : (int)s->precision;
	size_t start = b->n;
	vt_buf t = {0};
	if (isnan(d) || isinf(d)) {
		vt_buf_puts(b, isnan(d) ? "nan" : "inf");
	} else if (type == 'g' || (type == 0 && s->precision >= 0)) {
		put_general(b, d, precision, s->alt, type == 0);
	} else if (type == 0) {
		put_repr(b, d, s->alt);
	} else {
		vt_buf_printf(&t,
			type == 'e' ? s->alt ? "%#.*e" : "%.*e"
			: s->alt    ? "%#.*f"
				    : "%.*f",
			precision, d);
		plain_point(&t);
		vt_buf_put(b, t.p, t.n);
		vt_buf_free(&t);
	}
	for (size_t i = start; i < b->n && s->type < 'a' && s->type >= 'A'; i++)
		if (b->p[i] >= 'a' && b->p[i] <= 'z')
			b->p[i] = (char)(b->p[i] - 'a' + 'A');
}

static bool
is_zero(const vt_buf *b)
{
	for (size_t i = 0; i < b->n && b->p[i] != 'e' && b->p[i] != 'E'; i++)
		if (b->p[i] != '0' && b->p[i] != '.')
			return false;
	return true;
}

static text
leading_digits(const vt_buf *b)
{
	text t = {b->p, b->p};
	while (t.end < b->p + b->n && *t.end >= '0' && *t.end <= '9')
		t.end++;
	return t;
}

/* The letter that gives the layout: 0 e f g, or '?' for one that floats do not have. */
static uint32_t
float_layout(uint32_t type)
{
	switch (type) {
	case 0: return 0;
	case 'e':
	case 'E': return 'e';
	case 'f':
	case 'F':
	case '%': return 'f';
	case 'g':
	case 'G':
	case 'n': return 'g';
	default: return '?';
	}
}

static vt_status
put_spec_float(vt_rt *rt, vt_buf *b, const spec *s, double d)
{
	vt_buf t = {0};
	number x = {.prefix = ""};
	if (s->precision > INT32_MAX)
		return wrong(rt, "precision too big");
	if (s->precision > WIDEST)
		return vt_raise(
			rt, VT_E_MEMORY_QUOTA, "a format precision of more than %d digits", WIDEST);
	if (s->type == '%')
		d *= 100;
	put_float(&t, fabs(d), s, float_layout(s->type));
	x.negative = signbit(d) && !isnan(d) && !(s->no_neg_0 && is_zero(&t));
	if (s->type == '%')
		vt_buf_putc(&t, '%');
	x.digits = leading_digits(&t);
	x.rest = (text){x.digits.end, t.p + t.n};
	put_number(b, s, &x);
	vt_buf_free(&t);
	return VT_OK;
}

static vt_status
format_float(vt_rt *rt, vt_buf *b, vt_value v, text spec_text)
{
	spec s;
	VT_TRY(read_spec(rt, spec_text, v, 0, '>', &s));
	if (float_layout(s.type) == '?')
		return unknown_code(rt, &s, v);
	return put_spec_float(rt, b, &s, vt_as_float(v));
}

/* ---- int ------------------------------------------------------------------------------------- */

static vt_status
check_int(vt_rt *rt, const spec *s)
{
	if (s->precision >= 0)
		return wrong(rt, "Precision not allowed in integer format specifier");
	if (s->no_neg_0)
		return wrong(
			rt, "Negative zero coercion (z) not allowed in integer format specifier");
	if (s->type == 'c' && s->sign != 0)
		return wrong(rt, "Sign not allowed with integer format specifier 'c'");
	if (s->type == 'c' && s->alt)
		return wrong(
			rt, "Alternate form (#) not allowed with integer format specifier 'c'");
	return VT_OK;
}

/* A code point: padded as a number, but no digit. */
static vt_status
put_char(vt_rt *rt, vt_buf *b, spec *s, vt_value v)
{
	vt_buf t = {0};
	number x = {.prefix = ""};
	int64_t c;
	if (!vt_int_fits(v, &c))
		return vt_raise(rt, VT_E_OVERFLOW, "Python int too large to convert to C long");
	if (c < 0 || c > 0x10ffff)
		return vt_raise(rt, VT_E_OVERFLOW, "%%c arg not in range(0x110000)");
	if (c >= 0xd800 && c <= 0xdfff)
		return vt_raise(rt, VT_E_VALUE,
			"a string cannot hold the surrogate code point U+%04X", (unsigned)c);
	vt_utf8_put(&t, (uint32_t)c);
	x.rest = (text){t.p, t.p + t.n};
	if (s->width >= 0)
		s->width += (int64_t)t.n - 1; /* put_number counts bytes */
	put_number(b, s, &x);
	vt_buf_free(&t);
	return VT_OK;
}

static vt_status
put_int(vt_rt *rt, vt_buf *b, spec *s, vt_value v)
{
	bool hex = s->type == 'x' || s->type == 'X';
	int base = hex ? 16 : s->type == 'o' ? 8 : s->type == 'b' ? 2 : 10;
	vt_buf t = {0};
	number x = {.prefix = ""};
	VT_TRY(check_int(rt, s));
	if (s->type == 'c')
		return put_char(rt, b, s, v);
	vt_int_repr(&t, vt_is_bool(v) ? vt_mkint(v == VT_TRUE) : v, base);
	x.negative = t.p[0] == '-';
	for (size_t i = 0; i < t.n && s->type == 'X'; i++)
		if (t.p[i] >= 'a' && t.p[i] <= 'f')
			t.p[i] = (char)(t.p[i] - 'a' + 'A');
	if (s->alt && base != 10)
		x.prefix = s->type == 'X' ? "0X" : hex ? "0x" : base == 8 ? "0o" : "0b";
	x.digits = (text){t.p + x.negative, t.p + t.n};
	x.rest = (text){x.digits.end, x.digits.end};
	put_number(b, s, &x);
	vt_buf_free(&t);
	return VT_OK;
}

static vt_status
format_int(vt_rt *rt, vt_buf *b, vt_value v, text spec_text)
{
	double d;
	spec s;
	VT_TRY(read_spec(rt, spec_text, v, 'd', '>', &s));
	switch (s.type) {
	case 'b':
	case 'c':
	case 'd':
	case 'o':
	case 'x':
	case 'X':
	case 'n': return put_int(rt, b, &s, v);
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
	case '%': VT_TRY(vt_num_double(rt, v, &d)); return put_spec_float(rt, b, &s, d);
	default: return unknown_code(rt, &s, v);
	}
}

/* format(v, spec) */
vt_status
vt_format_value(vt_rt *rt, vt_buf *b, vt_value v, text spec_text)
{
	if (spec_text.p == spec_text.end) {
		vt_pystr(rt, b, v);
		return VT_OK;
	}
	if (vt_is(v, STR))
		return format_str(rt, b, v, spec_text);
	if (vt_is_integer(v) || vt_is_bool(v))
		return format_int(rt, b, v, spec_text);
	if (vt_is(v, FLOAT))
		return format_float(rt, b, v, spec_text);
	if (vt_is(v, DATETIME))
		return vt_datetime_strftime(
			rt, b, VT_AS(vt_datetime, v), spec_text.p, size_of(spec_text));
	return vt_raise(
		rt, VT_E_TYPE, "unsupported format string passed to %s.__format__", vt_py_type(v));
}
