/*
 * scalar.c - numbers with units, and how values compare.
 *
 * A scalar keeps the number and the unit as written and the number in the type's canonical unit, an
 * integer where the type wants one: exactly when number and factor are integers, else rounded.
 */
#include "runtime/tosca/int.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum vt_tform
vt_tosca_form(vt_value v)
{
	const vt_dict *d = vt_as_dict(v);
	if (!vt_is(v, DICT))
		return VT_TO_PLAIN;
	switch (vt_dict_len(d)) {
	case 1: return vt_is(vt_dict_get_c(d, "$string"), STR) ? VT_TO_VERSION : VT_TO_PLAIN;
	case 2:
		if (vt_is_integer(vt_dict_get_c(d, "$number")) &&
			vt_is(vt_dict_get_c(d, "$string"), STR))
			return VT_TO_TIMESTAMP;
		if (vt_is_integer(vt_dict_get_c(d, "lower")) &&
			vt_is_integer(vt_dict_get_c(d, "upper")))
			return VT_TO_RANGE;
		return vt_is(vt_dict_get_c(d, "$originalString"), STR) &&
				       vt_is(vt_dict_get_c(d, "bytes"), STR)
			       ? VT_TO_BYTES
			       : VT_TO_PLAIN;
	case 4:
		return vt_is_number(vt_dict_get_c(d, "scalar")) &&
				       vt_is(vt_dict_get_c(d, "unit"), STR) &&
				       vt_is_number(vt_dict_get_c(d, "$number")) &&
				       vt_is(vt_dict_get_c(d, "$string"), STR)
			       ? VT_TO_SCALAR
			       : VT_TO_PLAIN;
	}
	return VT_TO_PLAIN;
}

/* ---- numbers ----------------------------------------------------------------------------- */

static vt_value
vt_tosca_integral(vt_rt *rt, double d)
{
	return d == floor(d) && fabs(d) < 9007199254740992.0 ? vt_int_new(rt, (int64_t)d)
							     : vt_float_new(rt, d);
}

/* Plain notation below a million, else with an exponent of two digits and more: 1.031798784e+07. */
static void
put_float(vt_buf *b, double d)
{
	char digit[24];
	int e = 0, n;
	if (d == 0 || !isfinite(d)) {
		vt_buf_puts(b, d == 0 ? "0" : "inf");
		return;
	}
	if (d < 0)
		vt_buf_putc(b, '-');
	n = (int)(vt_decimal_put(digit, vt_decimal_shortest(fabs(d), &e)) - digit);
	while (n > 1 && digit[n - 1] == '0')
		n--, e++;
	e += n - 1; /* of the first digit */
	if (e < -4 || e >= 6) {
		vt_buf_printf(b, "%c%s%.*se%c%02d", digit[0], n > 1 ? "." : "", n - 1, digit + 1,
			e < 0 ? '-' : '+', abs(e));
		return;
	}
	if (e < 0)
		vt_buf_printf(b, "0.%.*s", -e - 1, "0000");
	for (int i = 0; i < n || i <= e; i++) {
		if (i == e + 1 && e >= 0)
			vt_buf_putc(b, '.');
		vt_buf_putc(b, i < n ? digit[i] : '0');
	}
}

static void
put_number(vt_buf *b, vt_value number, bool integral)
{
	double d = 0;
	if (integral && vt_is_integer(number)) {
		vt_int_repr(b, number, 10);
		return;
	}
	if (vt_is(number, FLOAT))
		d = vt_as_float(number);
	else if (vt_is_int(number))
		d = (double)vt_toint(number);
	else if (!vt_big_double(number, &d))
		d = INFINITY;
	put_float(b, d);
}

/* An exact product of integers, or a rounded or plain one of doubles. */
static vt_value
scaled(vt_rt *rt, vt_value number, double factor, bool integral)
{
	vt_value out = VT_UNDEF, f;
	double d = 0;
	if (vt_is_integer(number) && factor == floor(factor) && fabs(factor) < 1e18) {
		f = vt_int_new(rt, (int64_t)factor);
		(void)vt_num_binary(rt, VT_OP_MUL, number, f, &out);
		vt_release(f);
		return out;
	}
	if (vt_num_double(rt, number, &d) != VT_OK) {
		vt_exc_clear(rt);
		return VT_UNDEF;
	}
	d *= factor;
	if (!isfinite(d))
		return VT_UNDEF;
	if (!integral || d == floor(d))
		return vt_tosca_integral(rt, d);
	return vt_float_to_int(rt, round(d), &out) == VT_OK ? out : VT_UNDEF;
}

/* ---- units ---- */

static bool
same_fold(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int x = (unsigned char)a[i], y = (unsigned char)b[i];
		x |= x >= 'A' && x <= 'Z' ? 32 : 0;
		y |= y >= 'A' && y <= 'Z' ? 32 : 0;
		if (x != y)
			return false;
	}
	return true;
}

static const vt_tunit *
vt_tosca_unit(const vt_tosca *t, const vt_tdata *d, const char *s, size_t n)
{
	const vt_tunit *unit = t->m->unit + d->units.first, *near = NULL;
	for (uint32_t i = 0; i < d->units.n; i++) {
		const vt_str *name = t->m->str[unit[i].name];
		if (name->bytes != n)
			continue;
		if (memcmp(name->s, s, n) == 0)
			return &unit[i];
		if (d->fold && near == NULL && same_fold(name->s, s, n))
			near = &unit[i];
	}
	return near;
}

/* number is given away; VT_UNDEF: too large. */
static vt_value
make(vt_tosca *t, const vt_tdata *d, vt_value number, const vt_tunit *unit)
{
	vt_rt *rt = t->rt;
	vt_value canonical = scaled(rt, number, unit->factor, d->integral);
	vt_dict *o;
	vt_buf b = {0};
	if (canonical == VT_UNDEF) {
		vt_release(number);
		return VT_UNDEF;
	}
	put_number(&b, canonical, d->integral);
	vt_buf_printf(&b, " %s", t->m->str[d->unit]->s);
	o = vt_dict_new_cap(rt, true, 4);
	vt_dict_set_c(rt, o, "scalar", number);
	vt_dict_set_c(rt, o, "unit", vt_copy(vt_tosca_str(t, unit->name)));
	vt_dict_set_c(rt, o, "$number", canonical);
	vt_dict_set_c(rt, o, "$string", vt_str_take(rt, &b));
	return vt_mkptr(o);
}

static const char *
skip_digits(const char *p)
{
	while (*p >= '0' && *p <= '9')
		p++;
	return p;
}

/* Where the number ends; s itself when there is none. */
static const char *
number_end(const char *s, bool sign, bool *whole)
{
	const char *p = s + (sign && (*s == '-' || *s == '+')), *q = skip_digits(p), *e;
	*whole = true;
	if (*q == '.' && q[1] >= '0' && q[1] <= '9') {
		*whole = false;
		q = skip_digits(q + 1);
	}
	if (q == p)
		return s;
	e = *q == 'e' || *q == 'E' ? q + 1 : q;
	if (e > q) {
		e += *e == '-' || *e == '+';
		if (*e >= '0' && *e <= '9') {
			*whole = false;
			q = skip_digits(e);
		}
	}
	return q;
}

static vt_value
number_value(vt_rt *rt, const char *s, size_t n, bool whole)
{
	vt_value out = VT_UNDEF;
	double d;
	if (n > 1000)
		return VT_UNDEF;
	if (*s == '+')
		s++, n--;
	if (whole)
		return vt_int_parse(rt, s, n, 10, &out) == VT_OK ? out : VT_UNDEF;
	if (!vt_float_parse(s, n, &d) || !isfinite(d))
		return VT_UNDEF;
	return vt_tosca_integral(rt, d);
}

static char *
units_known(const vt_tosca *t, const vt_tdata *d, const char *s, size_t n)
{
	vt_buf b = {0};
	enum { SHOWN = 12 };
	if (n == 0)
		vt_buf_puts(&b, "the unit is missing");
	else
		vt_buf_printf(&b, "unknown unit '%.*s'", n > 40 ? 40 : (int)n, s);
	vt_buf_puts(&b, "; known are");
	for (uint32_t i = 0; i < d->units.n && i < SHOWN; i++)
		vt_buf_printf(&b, "%s %s", i ? "," : "",
			t->m->str[t->m->unit[d->units.first + i].name]->s);
	vt_buf_puts(&b, d->units.n > SHOWN ? "..." : "");
	vt_buf_putc(&b, '\0');
	vt_buf_repair(&b);
	return b.p;
}

bool
vt_tosca_read_scalar(vt_tosca *t, const vt_tdata *d, const vt_str *s, vt_value *out, char **why)
{
	bool whole;
	const char *end = s->s + s->bytes, *p = number_end(s->s, d->spaced, &whole), *u = p;
	const vt_tunit *unit;
	vt_value number;
	while (*u == ' ' || *u == '\t')
		u++;
	if (p == s->s)
		*why = vt_xstrdup("it does not begin with a number");
	else if (d->spaced && u == p && u < end)
		*why = vt_xstrdup("a blank is needed between number and unit");
	else if ((unit = vt_tosca_unit(t, d, u, (size_t)(end - u))) == NULL)
		*why = units_known(t, d, u, (size_t)(end - u));
	else if (d->integral == 1 && !whole)
		*why = vt_xstrdup("the number must be an integer");
	else if ((number = number_value(t->rt, s->s, (size_t)(p - s->s), whole)) == VT_UNDEF ||
		 (*out = make(t, d, number, unit)) == VT_UNDEF)
		*why = vt_xstrdup("the number is too large");
	else
		return true;
	return false;
}

/* The unit behind the number of "$string". */
static const char *
dimension(vt_value scalar, size_t *n)
{
	const vt_str *s = vt_as_str(vt_dict_get_c(vt_as_dict(scalar), "$string"));
	const char *blank = memchr(s->s, ' ', s->bytes);
	*n = blank != NULL ? (size_t)(s->s + s->bytes - blank - 1) : 0;
	return blank != NULL ? blank + 1 : "";
}

bool
vt_tosca_same_unit(vt_value a, vt_value b)
{
	size_t n, m;
	const char *x = dimension(a, &n), *y = dimension(b, &m);
	return n == m && memcmp(x, y, n) == 0;
}

bool
vt_tosca_rescale(vt_tosca *t, const vt_tdata *d, vt_value v, vt_value *out)
{
	const vt_dict *o = vt_as_dict(v);
	const vt_str *name = vt_as_str(vt_dict_get_c(o, "unit"));
	const vt_tunit *unit = vt_tosca_unit(t, d, name->s, name->bytes);
	vt_value number = vt_dict_get_c(o, "scalar"), made;
	if (unit == NULL || (d->integral == 1 && !vt_is_integer(number)))
		return false;
	made = make(t, d, vt_copy(number), unit);
	if (made == VT_UNDEF)
		return false;
	*out = made;
	return true;
}

vt_value
vt_tosca_like(vt_tosca *t, vt_value like, vt_value number)
{
	size_t n;
	const char *unit = dimension(like, &n);
	const vt_str *before = vt_as_str(vt_dict_get_c(vt_as_dict(like), "$string"));
	bool integral =
		vt_is_integer(number) && memchr(before->s, 'e', (size_t)(unit - before->s)) == NULL;
	vt_dict *o = vt_dict_new_cap(t->rt, true, 4);
	vt_buf b = {0};
	put_number(&b, number, integral);
	vt_buf_putc(&b, ' ');
	vt_buf_put(&b, unit, n);
	vt_dict_set_c(t->rt, o, "scalar", vt_copy(number));
	vt_dict_set_c(t->rt, o, "unit", vt_str_new(t->rt, unit, n));
	vt_dict_set_c(t->rt, o, "$number", number);
	vt_dict_set_c(t->rt, o, "$string", vt_str_take(t->rt, &b));
	return vt_mkptr(o);
}

/* ---- comparison ---- */

bool
vt_tosca_number(vt_value v, vt_value *number)
{
	if (vt_is_number(v))
		*number = v;
	else if (vt_tosca_form(v) == VT_TO_SCALAR)
		*number = vt_dict_get_c(vt_as_dict(v), "$number");
	else
		return false;
	return true;
}

static vt_value
text_of(vt_value v)
{
	return vt_dict_get_c(vt_as_dict(v), "$string");
}

/* A data type in whose canonical unit the scalar is: what "1 GB" beside it means. */
static const vt_tdata *
type_of(const vt_tosca *t, vt_value scalar)
{
	size_t n;
	const char *canonical = dimension(scalar, &n);
	const vt_str *unit = vt_as_str(vt_dict_get_c(vt_as_dict(scalar), "unit"));
	for (uint32_t i = 1; i < t->m->n_data; i++) {
		const vt_tdata *d = &t->m->data[i];
		const vt_str *name = d->base == VT_TB_SCALAR && d->unit ? t->m->str[d->unit] : NULL;
		if (name != NULL && name->bytes == n && memcmp(name->s, canonical, n) == 0 &&
			vt_tosca_unit(t, d, unit->s, unit->bytes) != NULL)
			return d;
	}
	return NULL;
}

/* A text beside a value of another form, read as that form; owned. VT_UNDEF: it is none. */
static vt_value
read_like(vt_tosca *t, vt_value like, vt_value text)
{
	const vt_str *s = vt_as_str(text);
	vt_value out = VT_UNDEF;
	char *why = NULL;
	const vt_tdata *d;
	switch (vt_tosca_form(like)) {
	case VT_TO_SCALAR:
		d = type_of(t, like);
		if (d != NULL && !vt_tosca_read_scalar(t, d, s, &out, &why))
			free(why);
		break;
	case VT_TO_VERSION: (void)vt_tosca_read_version(t->rt, s, &out); break;
	case VT_TO_TIMESTAMP: (void)vt_tosca_read_timestamp(t->rt, s, false, &out); break;
	case VT_TO_BYTES: (void)vt_tosca_read_bytes(t->rt, s, &out); break;
	case VT_TO_PLAIN:
	case VT_TO_RANGE: break;
	}
	return out;
}

static int
ordered(vt_value a, vt_value b)
{
	enum vt_tform form = vt_tosca_form(a), other = vt_tosca_form(b);
	vt_value x, y;
	if (form == VT_TO_VERSION && other == form)
		return vt_tosca_cmp_versions(vt_as_str(text_of(a)), vt_as_str(text_of(b)));
	if (form == VT_TO_TIMESTAMP && other == form)
		return vt_num_cmp(vt_dict_get_c(vt_as_dict(a), "$number"),
			vt_dict_get_c(vt_as_dict(b), "$number"));
	if (vt_is(a, STR) && vt_is(b, STR)) {
		int c = vt_str_cmp(vt_as_str(a), vt_as_str(b));
		return c < 0 ? -1 : c > 0;
	}
	if (form == VT_TO_SCALAR && other == form && !vt_tosca_same_unit(a, b))
		return 2;
	return vt_tosca_number(a, &x) && vt_tosca_number(b, &y) ? vt_num_cmp(x, y) : 2;
}

/* Before 2.0 a version may be written without quotes: `greater_or_equal: 6.5`. */
static bool
is_bare_version(const vt_tosca *t, vt_value v, vt_value beside)
{
	return vt_is(v, FLOAT) && vt_tosca_form(beside) == VT_TO_VERSION &&
	       !(t->m->version & (VT_TV_2_0 | VT_TV_HOT));
}

static int
compare_bare(vt_tosca *t, vt_value a, vt_value b)
{
	vt_buf text = {0};
	vt_float_repr(&text, vt_as_float(vt_is(a, FLOAT) ? a : b));
	vt_value made = vt_str_new(t->rt, text.p, text.n);
	int c = vt_is(a, FLOAT) ? vt_tosca_compare(t, made, b) : vt_tosca_compare(t, a, made);
	vt_release(made);
	vt_buf_free(&text);
	return c;
}

int
vt_tosca_compare(vt_tosca *t, vt_value a, vt_value b)
{
	vt_value made = VT_UNDEF;
	int c;
	if (is_bare_version(t, a, b) || is_bare_version(t, b, a))
		return compare_bare(t, a, b);
	if (vt_is(a, STR) && vt_is(b, DICT)) {
		made = read_like(t, b, a);
		c = made == VT_UNDEF ? 2 : ordered(made, b);
	} else if (vt_is(a, DICT) && vt_is(b, STR)) {
		made = read_like(t, a, b);
		c = made == VT_UNDEF ? 2 : ordered(a, made);
	} else {
		return ordered(a, b);
	}
	vt_release(made);
	return c;
}

static bool
equal_lists(vt_tosca *t, const vt_list *a, const vt_list *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (!vt_tosca_equal(t, a->v[i], b->v[i]))
			return false;
	return true;
}

static bool
equal_maps(vt_tosca *t, const vt_dict *a, const vt_dict *b)
{
	uint32_t pos = 0;
	vt_value key, x, y;
	if (vt_dict_len(a) != vt_dict_len(b))
		return false;
	while (vt_dict_at(a, &pos, &key, &x)) {
		y = vt_dict_get(b, key);
		if (y == VT_UNDEF || !vt_tosca_equal(t, x, y))
			return false;
	}
	return true;
}

bool
vt_tosca_equal(vt_tosca *t, vt_value a, vt_value b)
{
	bool same;
	int c;
	if (a == b)
		return true;
	if (vt_is_bool(a) || vt_is_bool(b) || a == VT_NULL || b == VT_NULL)
		return false;
	c = vt_tosca_compare(t, a, b);
	if (c != 2)
		return c == 0;
	if (t->depth >= t->limit.max_depth) /* no value is made deeper than that */
		return false;
	t->depth++;
	same = vt_is_sequence(a) && vt_is_sequence(b) ? equal_lists(t, vt_as_list(a), vt_as_list(b))
	       : vt_is(a, DICT) && vt_is(b, DICT)     ? equal_maps(t, vt_as_dict(a), vt_as_dict(b))
						      : false;
	t->depth--;
	return same;
}

/* ---- as shown ---- */

static vt_value
shown_list(vt_tosca *t, vt_value v)
{
	const vt_list *l = vt_as_list(v);
	vt_list *o = NULL;
	for (uint32_t i = 0; i < l->n; i++) {
		vt_value x = vt_tosca_shown(t, l->v[i]);
		if (x != l->v[i] && o == NULL) {
			o = vt_list_grow(t->rt, VT_K_TUPLE, l->n);
			vt_list_extend(t->rt, o, i, l->v);
		}
		if (o != NULL)
			vt_list_push(t->rt, o, x);
		else
			vt_release(x);
	}
	return o != NULL ? vt_mkptr(o) : vt_copy(v);
}

static vt_value
shown_map(vt_tosca *t, vt_value v)
{
	vt_value key, x, shown;
	vt_dict *o = NULL;
	uint32_t pos = 0;
	while (vt_dict_at(vt_as_dict(v), &pos, &key, &x)) {
		shown = vt_tosca_shown(t, x);
		if (shown != x && o == NULL)
			o = vt_dict_copy(t->rt, vt_as_dict(v), true);
		if (shown != x)
			(void)vt_dict_set(t->rt, o, key, shown);
		vt_release(shown);
	}
	return o != NULL ? vt_mkptr(o) : vt_copy(v);
}

vt_value
vt_tosca_shown(vt_tosca *t, vt_value v)
{
	vt_value out;
	if (vt_is(v, FLOAT)) {
		double d = vt_as_float(v);
		if (d == floor(d) && fabs(d) < 1e21 && vt_float_to_int(t->rt, d, &out) == VT_OK)
			return out;
		return vt_copy(v);
	}
	if ((!vt_is_sequence(v) && !vt_is(v, DICT)) || t->depth >= t->limit.max_depth)
		return vt_copy(v);
	t->depth++;
	out = vt_is(v, DICT) ? shown_map(t, v) : shown_list(t, v);
	t->depth--;
	return out;
}
