/*
 * format.c - format(): Python's str.format (PEP 3101) with the specifications of str, int and
 * float.
 *
 *	{field!conversion:spec}     field: number or name, then .attribute and [item] in any order
 *
 * Of attributes only the plain numbers of integers, datetimes and timespans are here: what else
 * Python objects have would let an expression look into the program.
 */
#include "runtime/lib/format.h"
#include "runtime/core/number.h"
#include "registry.h"
#include "runtime/core/args.h"
#include "runtime/core/kind.h"

#include <string.h>

enum numbering { UNKNOWN, AUTOMATIC, MANUAL };
typedef struct fmt {
	vt_args *a;
	enum numbering numbering;
	uint32_t next;
} fmt;

/* *n is -1 when the text is no number. */
static vt_status
as_number(vt_rt *rt, text t, int64_t *n)
{
	int count = vt_format_number(rt, &t, n);
	if (count < 0)
		return VT_ERROR;
	if (count == 0 || t.p < t.end)
		*n = -1;
	return VT_OK;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* The number that the attribute is; false: the value has no such one. */
static bool
attribute(vt_value v, text name, int64_t *n)
{
	static const char *const parts[] = {
		"year", "month", "day", "hour", "minute", "second", "microsecond"};
	enum { DAY = 86400 };
	int x[7];
	char s[16];
	if (size_of(name) >= sizeof s)
		return false;
	memcpy(s, name.p, size_of(name));
	s[size_of(name)] = '\0';
	if (vt_is(v, DATETIME)) {
		vt_civil(
			VT_AS(vt_datetime, v)->us, &x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6]);
		for (size_t i = 0; i < VT_LEN(parts); i++)
			if (strcmp(s, parts[i]) == 0) {
				*n = x[i];
				return true;
			}
		return false;
	}
	if (!vt_is(v, TIMESPAN))
		return false;
	if (strcmp(s, "days") == 0)
		*n = VT_AS(vt_timespan, v)->days;
	else if (strcmp(s, "seconds") == 0)
		*n = VT_AS(vt_timespan, v)->us / 1000000;
	else if (strcmp(s, "microseconds") == 0)
		*n = VT_AS(vt_timespan, v)->us % 1000000;
	else
		return false;
	return true;
}

static bool
is(text t, const char *s)
{
	return size_of(t) == strlen(s) && memcmp(t.p, s, size_of(t)) == 0;
}

static vt_status
get_attribute(vt_rt *rt, vt_value v, text name, vt_value *out)
{
	int64_t n;
	if (vt_is_integer(v) && (is(name, "real") || is(name, "numerator")))
		*out = vt_copy(v);
	else if (vt_is_integer(v) && (is(name, "imag") || is(name, "denominator")))
		*out = vt_mkint(is(name, "denominator"));
	else if (attribute(v, name, &n))
		*out = vt_int_new(rt, n);
	else
		return vt_raise(rt, VT_E_ATTRIBUTE, "'%s' object has no attribute '%.*s'",
			vt_py_type(v), (int)size_of(name), name.p);
	return VT_OK;
}

static vt_status
dict_item(vt_rt *rt, vt_value v, text name, int64_t index, vt_value *out)
{
	vt_value key = index >= 0 ? vt_int_new(rt, index) : vt_str_new(rt, name.p, size_of(name));
	vt_value found = vt_dict_get(vt_as_dict(v), key);
	vt_status st = VT_OK;
	if (found == VT_UNDEF)
		st = vt_raise_key(rt, key);
	else
		*out = vt_copy(found);
	vt_release(key);
	return st;
}

static vt_status
sequence_item(vt_rt *rt, vt_value v, int64_t index, vt_value *out)
{
	bool s = vt_is(v, STR);
	if (index < 0 && s)
		return vt_raise(rt, VT_E_TYPE, "string indices must be integers, not 'str'");
	if (index < 0)
		return vt_raise(rt, VT_E_TYPE, "%s indices must be integers or slices, not str",
			vt_py_type(v));
	if (index >= (s ? vt_as_str(v)->points : vt_as_list(v)->n))
		return vt_raise(
			rt, VT_E_INDEX, "%s index out of range", s ? "string" : vt_py_type(v));
	*out = s ? vt_str_sub(rt, vt_as_str(v), (uint32_t)index, (uint32_t)index + 1)
		 : vt_copy(vt_as_list(v)->v[index]);
	return VT_OK;
}

static vt_status
get_item(vt_rt *rt, vt_value v, text name, vt_value *out)
{
	int64_t index;
	VT_TRY(as_number(rt, name, &index));
	if (vt_is(v, DICT))
		return dict_item(rt, v, name, index, out);
	if (vt_is(v, STR) || vt_is_sequence(v))
		return sequence_item(rt, v, index, out);
	return vt_raise(rt, VT_E_TYPE, "'%s' object is not subscriptable", vt_py_type(v));
}

/* The argument that the field starts with. */
static vt_status
argument(fmt *f, text name, vt_value *out)
{
	vt_rt *rt = f->a->rt;
	bool empty = name.p == name.end;
	vt_value key, v;
	int64_t index;
	VT_TRY(as_number(rt, name, &index));
	if (!empty && index < 0) {
		key = vt_str_new(rt, name.p, size_of(name));
		v = f->a->kw == VT_NULL || f->a->kw == VT_UNDEF
			    ? VT_UNDEF
			    : vt_dict_get(vt_as_dict(f->a->kw), key);
		if (v == VT_UNDEF)
			(void)vt_raise_key(rt, key);
		vt_release(key);
		*out = v == VT_UNDEF ? v : vt_copy(v);
		return v == VT_UNDEF ? VT_ERROR : VT_OK;
	}
	if (f->numbering == UNKNOWN)
		f->numbering = empty ? AUTOMATIC : MANUAL;
	if (empty != (f->numbering == AUTOMATIC))
		return wrong(rt, empty ? "cannot switch from manual field specification to "
					 "automatic field numbering"
				       : "cannot switch from automatic field numbering to manual "
					 "field specification");
	index = empty ? f->next++ : index;
	if (index >= f->a->nrest)
		return vt_raise(rt, VT_E_INDEX,
			"Replacement index %lld out of range for positional args tuple",
			(long long)index);
	*out = vt_copy(f->a->rest[index]);
	return VT_OK;
}

/* One .name or [name] of the path. */
static vt_status
step(vt_rt *rt, text *path, vt_value v, vt_value *out)
{
	bool item = *path->p == '[';
	text name;
	if (!item && *path->p != '.')
		return wrong(rt, "Only '.' or '[' may follow ']' in format field specifier");
	name.p = name.end = path->p + 1;
	while (name.end < path->end &&
		(item ? *name.end != ']' : *name.end != '.' && *name.end != '['))
		name.end++;
	if (item && name.end == path->end)
		return wrong(rt, "Missing ']' in format string");
	path->p = name.end + item;
	if (name.p == name.end)
		return wrong(rt, "Empty attribute in format string");
	return item ? get_item(rt, v, name, out) : get_attribute(rt, v, name, out);
}

static vt_status
field_value(fmt *f, text field, vt_value *out)
{
	text first = {field.p, field.p};
	vt_value v = VT_UNDEF;
	while (first.end < field.end && *first.end != '.' && *first.end != '[')
		first.end++;
	VT_TRY(argument(f, first, &v));
	field.p = first.end;
	while (field.p < field.end) {
		vt_value next = VT_UNDEF;
		vt_status st = step(f->a->rt, &field, v, &next);
		vt_release(v);
		VT_TRY(st);
		v = next;
	}
	*out = v;
	return VT_OK;
}

static void
put_ascii(vt_buf *b, text t)
{
	while (t.p < t.end) {
		uint32_t c = vt_utf8_next(&t.p);
		if (c < 0x80)
			vt_buf_putc(b, (char)c);
		else
			vt_buf_printf(b,
				c < 0x100     ? "\\x%02x"
				: c < 0x10000 ? "\\u%04x"
					      : "\\U%08x",
				c);
	}
}

/* Makes *v what !s, !r or !a make of it. */
static vt_status
convert(vt_rt *rt, uint32_t conversion, vt_value *v)
{
	vt_buf b = {0}, ascii = {0};
	if (conversion == 's') {
		vt_pystr(rt, &b, *v);
	} else if (conversion == 'r' || conversion == 'a') {
		vt_repr(rt, &b, *v);
	} else {
		vt_buf_printf(&b,
			conversion > 32 && conversion < 127 ? "Unknown conversion specifier %c"
							    : "Unknown conversion specifier \\x%x",
			conversion);
		return vt_raise_value(rt, VT_E_VALUE, vt_str_take(rt, &b));
	}
	if (conversion == 'a') {
		put_ascii(&ascii, (text){b.p, b.p + b.n});
		vt_buf_free(&b);
		b = ascii;
	}
	vt_move(v, vt_str_take(rt, &b));
	return VT_OK;
}

/* ---- the format string ----------------------------------------------------------------------- */

typedef struct field {
	text name, spec;
	uint32_t conversion;
	bool nested;
} field;

/* The name ends at : ! or }; *stop is that character, or something else when the text ends
 * before. */
static vt_status
read_name(vt_rt *rt, text *t, field *x, char *stop)
{
	*stop = '\0';
	x->name = (text){t->p, t->p};
	while (t->p < t->end) {
		*stop = *t->p++;
		if (*stop == '{')
			return wrong(rt, "unexpected '{' in field name");
		if (*stop == '[')
			while (t->p < t->end && *t->p != ']')
				t->p++;
		if (*stop == '}' || *stop == ':' || *stop == '!')
			break;
	}
	x->name.end = t->p > x->name.p ? t->p - 1 : t->p;
	return VT_OK;
}

/* Behind `!`. *done: the field ends there. */
static vt_status
read_conversion(vt_rt *rt, text *t, field *x, bool *done)
{
	*done = false;
	if (t->p == t->end)
		return wrong(rt, "end of string while looking for conversion specifier");
	x->conversion = vt_utf8_next(&t->p);
	if (t->p == t->end)
		return VT_OK;
	if (*t->p == '}')
		*done = true;
	else if (*t->p != ':')
		return wrong(rt, "expected ':' after conversion specifier");
	t->p++;
	return VT_OK;
}

/* Reads behind the opening brace, up to the closing one included. */
static vt_status
read_field(vt_rt *rt, text *t, field *x)
{
	char stop;
	bool done = false;
	VT_TRY(read_name(rt, t, x, &stop));
	x->spec = (text){t->p, t->p};
	if (stop == '}')
		return VT_OK;
	if (stop != ':' && stop != '!')
		return wrong(rt, "expected '}' before end of string");
	if (stop == '!')
		VT_TRY(read_conversion(rt, t, x, &done));
	x->spec = (text){t->p, t->p};
	if (done)
		return VT_OK;
	for (int depth = 1; t->p < t->end; t->p++) {
		depth += *t->p == '{' ? 1 : *t->p == '}' ? -1 : 0;
		x->nested |= *t->p == '{';
		x->spec.end = t->p;
		if (depth == 0) {
			t->p++;
			return VT_OK;
		}
	}
	return wrong(rt, "unmatched '{' in format spec");
}

static vt_status build(fmt *, vt_buf *, text, int depth);

static vt_status
put_field(fmt *f, vt_buf *b, const field *x, int depth)
{
	vt_value v = VT_UNDEF;
	vt_buf inner = {0};
	text t = x->spec;
	vt_status st;
	VT_TRY(field_value(f, x->name, &v));
	st = x->conversion ? convert(f->a->rt, x->conversion, &v) : VT_OK;
	if (st == VT_OK && x->nested) {
		st = build(f, &inner, t, depth - 1);
		t = (text){inner.p, inner.p + inner.n};
	}
	if (st == VT_OK)
		st = vt_format_value(f->a->rt, b, v, t);
	vt_buf_free(&inner);
	vt_release(v);
	return st;
}

/* Copies text up to the next field; false: there is none. Doubled braces stand for one. */
static vt_status
put_literal(fmt *f, vt_buf *b, text *t, bool *more)
{
	*more = false;
	while (t->p < t->end) {
		const char *from = t->p;
		char c;
		while (t->p < t->end && *t->p != '{' && *t->p != '}')
			t->p++;
		vt_buf_put(b, from, (size_t)(t->p - from));
		if (t->p == t->end)
			return VT_OK;
		c = *t->p++;
		if (t->p < t->end && *t->p == c) {
			vt_buf_putc(b, c);
			t->p++;
			continue;
		}
		if (c == '}' || t->p == t->end)
			return wrong(f->a->rt, c == '}'
						       ? "Single '}' encountered in format string"
						       : "Single '{' encountered in format string");
		*more = true;
		return VT_OK;
	}
	return VT_OK;
}

static vt_status
build(fmt *f, vt_buf *b, text t, int depth)
{
	bool more;
	if (depth == 0)
		return wrong(f->a->rt, "Max string recursion exceeded");
	for (;;) {
		field x = {.conversion = 0};
		VT_TRY(put_literal(f, b, &t, &more));
		if (!more)
			return VT_OK;
		VT_TRY(read_field(f->a->rt, &t, &x));
		VT_TRY(put_field(f, b, &x, depth));
		if (b->n > INT32_MAX)
			return vt_raise(f->a->rt, VT_E_MEMORY_QUOTA, "a string of more than 2 GiB");
	}
}

vt_status
vt_lib_format(vt_args *a, vt_value *out)
{
	const vt_str *s = vt_as_str(a->v[0]);
	fmt f = {.a = a};
	vt_buf b = {0};
	vt_status st;
	if (vt_format_quickly(a, out))
		return VT_OK;
	st = build(&f, &b, (text){s->s, s->s + s->bytes}, 2);
	if (st == VT_OK)
		*out = vt_str_take(a->rt, &b);
	vt_buf_free(&b);
	return st;
}
