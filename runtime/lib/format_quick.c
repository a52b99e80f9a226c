/*
 * format_quick.c - format() of plain fields with plain values, straight into a text.
 *
 *	{} {3} {name}, behind it :[[fill]align][0][width][.precision][dfs]
 *
 * Everything else, what is wrong and what gets long is left to format.c, which begins anew.
 */
#include "runtime/lib/format.h"
#include "runtime/core/dict.h"
#include "runtime/core/number.h"

#include <math.h>
#include <string.h>

enum { ROOM = 1024, WIDEST = 64, MOST_DECIMALS = 9, MOST_FIELDS = 100 };

typedef struct quick {
	vt_args *a;
	text t; /* what is left of the format string */
	char *at, *end;
	uint32_t next;
	bool counts, names; /* fields without and with a number were there */
} quick;

typedef struct plain_spec {
	char fill, align, type; /* align, type: or 0 */
	bool zero;
	int width, precision; /* precision: -1 is not given */
} plain_spec;

static bool
put(quick *q, const char *p, size_t n)
{
	if (n > (size_t)(q->end - q->at))
		return false;
	memcpy(q->at, p, n);
	q->at += n;
	return true;
}

static void
put_fill(quick *q, char fill, int n)
{
	for (; n > 0; n--)
		*q->at++ = fill;
}

/* -1: there is none, or it is larger than `most`. */
static int
small_number(text *t, int most)
{
	int n = -1;

	for (; t->p < t->end && *t->p >= '0' && *t->p <= '9' && n <= most; t->p++)
		n = (n < 0 ? 0 : n * 10) + (*t->p - '0');
	return n > most ? -1 : n;
}

/* ---- values ---- */

/* A text with so many code points, whose sign is in front of zeros that fill. */
static bool
put_padded(quick *q, const plain_spec *s, const char *p, size_t n, uint32_t points, char align)
{
	int padding = (uint32_t)s->width > points ? s->width - (int)points : 0, left;
	bool sign = s->zero && n > 0 && *p == '-';

	align = s->align != 0 ? s->align : align;
	left = align == '>' || s->zero ? padding : align == '^' ? padding / 2 : 0;
	if (n + (size_t)padding > (size_t)(q->end - q->at))
		return false;
	if (sign)
		*q->at++ = '-';
	put_fill(q, s->zero ? '0' : s->fill, left);
	put(q, p + sign, n - sign);
	put_fill(q, s->fill, padding - left);
	return true;
}

/* The digits in front of end, with so many decimals.  A double is a whole number times a power of
 * two, so that rounding half to even is exact. NULL: it is too large. */
static char *
fixed(char *end, double d, int precision)
{
	unsigned __int128 product, unit;
	uint64_t power = 1, n;
	int e;
	double m = frexp(fabs(d), &e);

	if (!(fabs(d) < 1e9))
		return NULL;
	for (int i = 0; i < precision; i++)
		power *= 10;
	product = (unsigned __int128)(uint64_t)ldexp(m, 53) * power;
	e = 53 - e; /* d is product / power / 2^e; e > 0, for d < 2^53 */
	unit = (unsigned __int128)1 << (e < 127 ? e : 127);
	n = (uint64_t)(product / unit);
	product -= n * unit;
	n += product > unit / 2 || (product == unit / 2 && (n & 1));
	for (int i = 0; i < precision; i++, n /= 10)
		*--end = (char)('0' + n % 10);
	if (precision > 0)
		*--end = '.';
	end = vt_int_digits(end, (int64_t)n);
	if (signbit(d))
		*--end = '-';
	return end;
}

static bool
put_float(quick *q, const plain_spec *s, double d)
{
	char digits[64], *end = digits + sizeof digits, *p;

	if (s->type != 'f' || s->precision > MOST_DECIMALS)
		return false;
	p = fixed(end, d, s->precision < 0 ? 6 : s->precision);
	return p != NULL && put_padded(q, s, p, (size_t)(end - p), (uint32_t)(end - p), '>');
}

static bool
put_value(quick *q, const plain_spec *s, vt_value v)
{
	char digits[VT_INT_TEXT], *end = digits + sizeof digits, *p;

	if (vt_is(v, FLOAT))
		return put_float(q, s, vt_float_of(v));
	if (vt_is_int(v) && s->type == 'f')
		return vt_toint(v) < INT32_MAX && vt_toint(v) > INT32_MIN &&
		       put_float(q, s, (double)vt_toint(v));
	if (s->precision >= 0)
		return false;
	if (vt_is_int(v) && (s->type == 0 || s->type == 'd')) {
		p = vt_int_digits(end, vt_toint(v));
		return put_padded(q, s, p, (size_t)(end - p), (uint32_t)(end - p), '>');
	}
	return vt_is(v, STR) && (s->type == 0 || s->type == 's') && !s->zero &&
	       put_padded(q, s, vt_as_str(v)->s, vt_as_str(v)->bytes, vt_as_str(v)->points, '<');
}

/* ---- fields ---- */

static bool
is_align(text t, size_t i)
{
	return i < size_of(t) && (t.p[i] == '<' || t.p[i] == '>' || t.p[i] == '^');
}

/* From the colon, or the brace that ends the field, on. */
static bool
read_spec(quick *q, plain_spec *s)
{
	text *t = &q->t;

	*s = (plain_spec){.fill = ' ', .precision = -1};
	if (t->p < t->end && *t->p == ':') {
		t->p++;
		if (is_align(*t, 1) && (*t->p & 0x80) == 0 && *t->p != '{' && *t->p != '}')
			s->fill = *t->p++;
		if (is_align(*t, 0))
			s->align = *t->p++;
		if (t->p < t->end && *t->p == '0') {
			if (s->align != 0)
				return false;
			s->zero = true;
			t->p++;
		}
		s->width = small_number(t, WIDEST);
		s->width = s->width < 0 ? 0 : s->width;
		if (t->p < t->end && *t->p == '.') {
			t->p++;
			if ((s->precision = small_number(t, MOST_DECIMALS)) < 0)
				return false;
		}
		if (t->p < t->end && (*t->p == 'd' || *t->p == 'f' || *t->p == 's'))
			s->type = *t->p++;
	}
	if (t->p == t->end || *t->p != '}')
		return false;
	t->p++;
	return true;
}

static bool
ends_name(char c)
{
	return c == '}' || c == ':' || c == '!' || c == '.' || c == '[' || c == '{';
}

static vt_value
named(quick *q)
{
	const vt_dict *kw =
		q->a->kw == VT_NULL || q->a->kw == VT_UNDEF ? NULL : vt_as_dict(q->a->kw);
	const char *from = q->t.p;
	size_t n;

	while (q->t.p < q->t.end && !ends_name(*q->t.p))
		q->t.p++;
	n = (size_t)(q->t.p - from);
	for (uint32_t i = 0; kw != NULL && kw->shape != NULL && i < kw->n; i++)
		if (kw->shape->key[i]->bytes == n && memcmp(kw->shape->key[i]->s, from, n) == 0)
			return kw->v[i];
	return VT_UNDEF;
}

/* The value that the field begins with; VT_UNDEF: another way. */
static vt_value
field_value(quick *q)
{
	text *t = &q->t;
	int i;

	if (t->p == t->end || (*t->p & 0x80))
		return VT_UNDEF;
	if (*t->p == '}' || *t->p == ':') {
		q->counts = true;
		i = (int)q->next++;
	} else if (*t->p >= '0' && *t->p <= '9') {
		q->names = true;
		i = small_number(t, MOST_FIELDS);
	} else {
		return named(q);
	}
	return i < 0 || i >= (int)q->a->nrest || (q->counts && q->names) ? VT_UNDEF : q->a->rest[i];
}

/* What a field without a specification gives, whose brace was read. */
static inline bool
put_plain(quick *q, vt_value v)
{
	char digits[VT_INT_TEXT], *end = digits + sizeof digits, *p;

	if (vt_is(v, STR))
		return put(q, vt_as_str(v)->s, vt_as_str(v)->bytes);
	if (!vt_is_int(v))
		return put_value(q, &(plain_spec){.fill = ' ', .precision = -1}, v);
	p = vt_int_digits(end, vt_toint(v));
	return put(q, p, (size_t)(end - p));
}

bool
vt_format_quickly(vt_args *a, vt_value *out)
{
	char room[ROOM];
	const vt_str *x = vt_as_str(a->v[0]);
	quick q = {a, {x->s, x->s + x->bytes}, room, room + ROOM, 0, false, false};
	plain_spec s;
	vt_value v;

	for (;;) {
		while (q.t.p < q.t.end && *q.t.p != '{' && *q.t.p != '}' && q.at < q.end)
			*q.at++ = *q.t.p++;
		if (q.t.p == q.t.end)
			break;
		if (*q.t.p++ != '{' || (v = field_value(&q)) == VT_UNDEF)
			return false;
		if (q.t.p < q.t.end && *q.t.p == '}') {
			q.t.p++;
			if (!put_plain(&q, v))
				return false;
		} else if (!read_spec(&q, &s) || !put_value(&q, &s, v))
			return false;
	}
	*out = vt_str_new(a->rt, room, (size_t)(q.at - room));
	return true;
}
