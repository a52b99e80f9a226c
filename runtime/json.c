/*
 * json.c - JSON text to values and back: RFC 8259, strict.
 *
 * The reader is recursive with a depth limit and builds values directly; strings without escapes
 * are taken in one piece.  Tagged mode decodes and encodes what JSON cannot hold ({"$int": ..},
 * {"$set": ..} ...), the value encoding of the conformance suite.
 */
#include "vti.h"

#include <stdlib.h>
#include <string.h>

/* ---- reader ----------------------------------------------------------------------------- */

typedef struct reader {
	vt_rt *rt;
	const char *text, *p, *end;
	int flags;
	uint32_t depth, max_depth;
	const char *why; /* NULL: no error */
} reader;

static bool read_value(reader *, vt_value *out);

static bool
bad(reader *r, const char *why)
{
	if (r->why == NULL)
		r->why = why;
	return false;
}

static void
blanks(reader *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\t' || *r->p == '\r'))
		r->p++;
}

static bool
hex4(reader *r, uint32_t *out)
{
	uint32_t v = 0;

	if (r->end - r->p < 4)
		return bad(r, "a \\u escape needs four hexadecimal digits");
	for (int i = 0; i < 4; i++) {
		char c = *r->p++;
		int d = c >= '0' && c <= '9'   ? c - '0'
			: c >= 'a' && c <= 'f' ? c - 'a' + 10
			: c >= 'A' && c <= 'F' ? c - 'A' + 10
					       : -1;
		if (d < 0)
			return bad(r, "a \\u escape needs four hexadecimal digits");
		v = v * 16 + (uint32_t)d;
	}
	*out = v;
	return true;
}

static bool
read_unicode(reader *r, vt_buf *b)
{
	uint32_t cp, low;

	if (!hex4(r, &cp))
		return false;
	if (cp >= 0xd800 && cp < 0xdc00) {
		if (r->end - r->p < 2 || r->p[0] != '\\' || r->p[1] != 'u')
			return bad(r, "half of a surrogate pair");
		r->p += 2;
		if (!hex4(r, &low))
			return false;
		if (low < 0xdc00 || low > 0xdfff)
			return bad(r, "half of a surrogate pair");
		cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
	} else if (cp >= 0xdc00 && cp < 0xe000)
		return bad(r, "half of a surrogate pair");
	vt_utf8_put(b, cp);
	return true;
}

static bool
read_escape(reader *r, vt_buf *b)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;
	char c;

	if (++r->p >= r->end)
		return bad(r, "a string that is not closed");
	c = *r->p++;
	if (c == 'u')
		return read_unicode(r, b);
	at = c ? strchr(from, c) : NULL;
	if (at == NULL)
		return bad(r, "an escape that does not exist");
	vt_buf_putc(b, to[at - from]);
	return true;
}

/* The rest of a string that has escapes; what stands before them is in the buffer. */
static bool
read_escaped(reader *r, vt_buf *b)
{
	while (r->p < r->end && *r->p != '"') {
		const char *start = r->p;
		while (r->p < r->end && *r->p != '"' && *r->p != '\\' && (unsigned char)*r->p >= 32)
			r->p++;
		vt_buf_put(b, start, (size_t)(r->p - start));
		if (r->p < r->end && *r->p == '\\') {
			if (!read_escape(r, b))
				return false;
		} else if (r->p < r->end && *r->p != '"')
			return bad(r, "a control character in a string");
	}
	if (r->p >= r->end)
		return bad(r, "a string that is not closed");
	return true;
}

static bool
read_string(reader *r, vt_value *out)
{
	const char *start = ++r->p;
	vt_buf b = {0};
	bool ok;

	while (r->p < r->end && *r->p != '"' && *r->p != '\\' && (unsigned char)*r->p >= 32)
		r->p++;
	if (r->p < r->end && *r->p == '"') {
		size_t n = (size_t)(r->p++ - start);
		if (vt_utf8_check(start, n) != n)
			return bad(r, "bytes that are not UTF-8");
		*out = vt_str_new(r->rt, start, n);
		return true;
	}
	vt_buf_put(&b, start, (size_t)(r->p - start));
	ok = read_escaped(r, &b);
	if (ok)
		r->p++;
	if (ok && vt_utf8_check(b.p, b.n) != b.n)
		ok = bad(r, "bytes that are not UTF-8");
	if (ok)
		*out = vt_str_new(r->rt, b.p ? b.p : "", b.n);
	vt_buf_free(&b);
	return ok;
}

static bool
is_digit(const reader *r)
{
	return r->p < r->end && *r->p >= '0' && *r->p <= '9';
}

static bool
digits(reader *r)
{
	if (!is_digit(r))
		return bad(r, "a number without digits");
	while (is_digit(r))
		r->p++;
	return true;
}

/* Numbers longer than this are refused: turning digits into a number costs more than linear time.
 */
enum { MAX_DIGITS = 4300 };

static bool
read_number(reader *r, vt_value *out)
{
	const char *start = r->p;
	bool is_float = false;
	size_t n;

	if (*r->p == '-')
		r->p++;
	if (r->p < r->end && *r->p == '0') {
		r->p++;
		if (is_digit(r))
			return bad(r, "a number with a leading zero");
	} else if (!digits(r))
		return false;
	if (r->p < r->end && *r->p == '.') {
		is_float = true;
		r->p++;
		if (!digits(r))
			return false;
	}
	if (r->p < r->end && (*r->p == 'e' || *r->p == 'E')) {
		is_float = true;
		r->p++;
		if (r->p < r->end && (*r->p == '+' || *r->p == '-'))
			r->p++;
		if (!digits(r))
			return false;
	}
	n = (size_t)(r->p - start);
	if (n > MAX_DIGITS)
		return bad(r, "a number with too many digits");
	if (is_float) {
		vt_value s = vt_str_new(r->rt, start, n);
		double d = 0;
		vt_float_from_str(vt_as_str(s), &d);
		vt_release(s);
		*out = vt_float_new(r->rt, d);
		return true;
	}
	return vt_int_parse(r->rt, start, n, 10, out) == VT_OK ||
	       bad(r, "a number that cannot be read");
}

static bool
word(reader *r, const char *text, vt_value v, vt_value *out)
{
	size_t n = strlen(text);

	if ((size_t)(r->end - r->p) < n || memcmp(r->p, text, n) != 0)
		return bad(r, "something that is no JSON value");
	r->p += n;
	*out = v;
	return true;
}

static bool
read_array(reader *r, vt_value *out)
{
	vt_list *l = vt_list_grow(r->rt, r->flags & VT_JSON_MUTABLE ? VT_K_LIST : VT_K_TUPLE, 4);
	bool ok = true;

	r->p++;
	blanks(r);
	if (r->p < r->end && *r->p == ']') {
		r->p++;
	} else
		for (;;) {
			vt_value item;
			ok = read_value(r, &item);
			if (!ok)
				break;
			vt_list_push(r->rt, l, item);
			blanks(r);
			if (r->p < r->end && *r->p == ',') {
				r->p++;
				continue;
			}
			ok = r->p < r->end && *r->p == ']' ? (r->p++, true)
							   : bad(r, "expected , or ] in an array");
			break;
		}
	if (ok)
		*out = vt_mkptr(l);
	else
		vt_release(vt_mkptr(l));
	return ok;
}

static bool
read_member(reader *r, vt_dict *d)
{
	vt_value key, value;
	bool ok;

	blanks(r);
	if (r->p >= r->end || *r->p != '"')
		return bad(r, "expected a string as the key of an object");
	if (!read_string(r, &key))
		return false;
	blanks(r);
	if (r->p >= r->end || *r->p != ':') {
		vt_release(key);
		return bad(r, "expected : after a key");
	}
	r->p++;
	ok = read_value(r, &value);
	if (ok) {
		vt_dict_set(r->rt, d, key, value);
		vt_release(value);
	}
	vt_release(key);
	return ok;
}

static bool decode(reader *, vt_value *v);

static bool
read_object(reader *r, vt_value *out)
{
	vt_dict *d = vt_dict_new(r->rt, !(r->flags & VT_JSON_MUTABLE));
	bool ok = true;

	r->p++;
	blanks(r);
	if (r->p < r->end && *r->p == '}') {
		r->p++;
	} else
		for (;;) {
			ok = read_member(r, d);
			if (!ok)
				break;
			blanks(r);
			if (r->p < r->end && *r->p == ',') {
				r->p++;
				continue;
			}
			ok = r->p < r->end && *r->p == '}' ? (r->p++, true)
							   : bad(r, "expected , or } in an object");
			break;
		}
	if (!ok) {
		vt_release(vt_mkptr(d));
		return false;
	}
	*out = vt_mkptr(d);
	return !(r->flags & VT_JSON_TAGGED) || decode(r, out);
}

static bool
read_value(reader *r, vt_value *out)
{
	bool ok;

	blanks(r);
	if (r->p >= r->end)
		return bad(r, "the text ends where a value is expected");
	if (r->depth >= r->max_depth)
		return bad(r, "nested too deeply");
	r->depth++;
	switch (*r->p) {
	case '{': ok = read_object(r, out); break;
	case '[': ok = read_array(r, out); break;
	case '"': ok = read_string(r, out); break;
	case 't': ok = word(r, "true", VT_TRUE, out); break;
	case 'f': ok = word(r, "false", VT_FALSE, out); break;
	case 'n': ok = word(r, "null", VT_NULL, out); break;
	case '-':
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9': ok = read_number(r, out); break;
	default: ok = bad(r, "something that is no JSON value"); break;
	}
	r->depth--;
	return ok;
}

static char *
place(const reader *r)
{
	unsigned long line = 1, col = 1;

	for (const char *p = r->text; p < r->p && p < r->end; p++) {
		if (*p == '\n')
			line++, col = 1;
		else if (((unsigned char)*p & 0xc0) != 0x80)
			col++;
	}
	return vt_asprintf("line %lu column %lu: %s", line, col, r->why);
}

bool
vt_json_read(vt_rt *rt, const char *text, size_t n, int flags, uint32_t max_depth, vt_value *out,
	char **err)
{
	reader r = {.rt = rt,
		.text = text,
		.p = text,
		.end = text + n,
		.flags = flags,
		.max_depth = max_depth ? max_depth : 1000};
	bool ok = read_value(&r, out);

	if (ok) {
		blanks(&r);
		if (r.p < r.end) {
			vt_clear(out);
			ok = bad(&r, "text after the value");
		}
	}
	if (!ok && err)
		*err = place(&r);
	if (!ok)
		vt_exc_clear(rt);
	return ok;
}

/* ---- tagged values ---------------------------------------------------------------------- */

/* Microseconds since 0001-01-01 of a proleptic Gregorian date. */
static int64_t
days_before(int64_t y, int64_t m, int64_t d)
{
	static const int cumulative[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
	bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;

	y--;
	return y * 365 + y / 4 - y / 100 + y / 400 + cumulative[m - 1] + (m > 2 && leap) + d - 1;
}

static int64_t
month_days(int y, int mo)
{
	return mo == 12 ? 31 : days_before(y, mo + 1, 1) - days_before(y, mo, 1);
}

/* Seconds, as an integer or a float; none in a naive datetime. */
static bool
offset_in_day(vt_value v, int32_t *seconds)
{
	double d = 0;

	if (vt_is(v, FLOAT))
		d = vt_as_float(v);
	else if (vt_is_int(v))
		d = (double)vt_toint(v);
	else if (v != VT_NULL && v != VT_UNDEF)
		return false;
	if (!(d > -86400 && d < 86400))
		return false;
	*seconds = (int32_t)d;
	return *seconds == d;
}

static bool
decode_datetime(reader *r, const vt_dict *d, vt_value text, vt_value *out)
{
	int y, mo, day, h, mi, s, us = 0;
	int32_t seconds;
	vt_value offset = vt_dict_get_c(d, "offset");
	vt_datetime *t;

	if (!vt_is(text, STR) ||
		sscanf(vt_as_str(text)->s, "%d-%d-%dT%d:%d:%d.%d", &y, &mo, &day, &h, &mi, &s,
			&us) < 6 ||
		y < 1 || y > 9999 || mo < 1 || mo > 12 || day < 1 || day > month_days(y, mo) ||
		h < 0 || h > 23 || mi < 0 || mi > 59 || s < 0 || s > 59 || us < 0 || us > 999999 ||
		!offset_in_day(offset, &seconds))
		return bad(r, "a $datetime that is none");
	t = vt_alloc(r->rt, sizeof *t, VT_K_DATETIME);
	t->us = ((days_before(y, mo, day) * 24 + h) * 60 + mi) * 60 * INT64_C(1000000) +
		s * INT64_C(1000000) + us;
	t->naive = offset == VT_NULL || offset == VT_UNDEF;
	t->offset = seconds;
	*out = vt_mkptr(t);
	return true;
}

static bool
decode_set(reader *r, vt_value list, vt_value *out)
{
	vt_set *s = vt_set_new(r->rt);

	for (uint32_t i = 0; vt_is_sequence(list) && i < vt_as_list(list)->n; i++)
		if (vt_set_add(r->rt, s, vt_as_list(list)->v[i]) != VT_OK) {
			vt_release(vt_mkptr(s));
			return bad(r, "a $set with an unhashable member");
		}
	*out = vt_mkptr(s);
	return true;
}

static bool
decode_pairs(reader *r, vt_value list, vt_value *out)
{
	vt_dict *d = vt_dict_new(r->rt, !(r->flags & VT_JSON_MUTABLE));

	for (uint32_t i = 0; vt_is_sequence(list) && i < vt_as_list(list)->n; i++) {
		vt_value pair = vt_as_list(list)->v[i];
		if (!vt_is_sequence(pair) || vt_as_list(pair)->n != 2 ||
			vt_dict_set(r->rt, d, vt_as_list(pair)->v[0], vt_as_list(pair)->v[1]) !=
				VT_OK) {
			vt_release(vt_mkptr(d));
			return bad(r, "a $dict with a bad pair");
		}
	}
	*out = vt_mkptr(d);
	return true;
}

static bool
decode_float(reader *r, vt_value text, vt_value *out)
{
	double d;

	if (!vt_is(text, STR) || !vt_float_from_str(vt_as_str(text), &d))
		return bad(r, "a $float that is none");
	*out = vt_float_new(r->rt, d);
	return true;
}

/* Replaces a dict that is a tag by what it stands for. */
static bool
decode(reader *r, vt_value *v)
{
	const vt_dict *d = vt_as_dict(*v);
	uint32_t pos = 0;
	vt_value key, x, made = VT_UNDEF;
	const char *tag;
	bool ok = true;

	if (vt_dict_len(d) == 0 || vt_dict_len(d) > 2 || !vt_dict_at(d, &pos, &key, &x) ||
		!vt_is(key, STR) || vt_as_str(key)->s[0] != '$')
		return true;
	tag = vt_as_str(key)->s + 1;
	if (strcmp(tag, "int") == 0)
		ok = vt_is(x, STR) &&
		     vt_int_parse(r->rt, vt_as_str(x)->s, vt_as_str(x)->bytes, 10, &made) == VT_OK;
	else if (strcmp(tag, "float") == 0)
		ok = decode_float(r, x, &made);
	else if (strcmp(tag, "tuple") == 0)
		ok = vt_to_tuple(r->rt, NULL, x, &made) == VT_OK;
	else if (strcmp(tag, "gen") == 0)
		ok = vt_iterate(r->rt, x, &made) == VT_OK;
	else if (strcmp(tag, "set") == 0)
		ok = decode_set(r, x, &made);
	else if (strcmp(tag, "dict") == 0)
		ok = decode_pairs(r, x, &made);
	else if (strcmp(tag, "datetime") == 0)
		ok = decode_datetime(r, d, x, &made);
	else if (strcmp(tag, "novalue") == 0)
		made = VT_NOVALUE;
	else if (strcmp(tag, "timespan") == 0 && vt_is_int(x)) {
		vt_timespan *t = vt_alloc(r->rt, sizeof *t, VT_K_TIMESPAN);
		t->us = vt_toint(x);
		made = vt_mkptr(t);
	}
	if (!ok) {
		vt_clear(v);
		return bad(r, "a tagged value that cannot be read");
	}
	if (made != VT_UNDEF)
		vt_move(v, made);
	return true;
}

/* ---- writer ----------------------------------------------------------------------------- */

typedef struct writer {
	vt_rt *rt;
	vt_buf *b;
	int flags;
	uint32_t depth;  /* of indentation */
	uint32_t nested; /* of values: bounds the recursion */
} writer;
enum { MAX_NESTED = 2000 };
static void write_value(writer *, vt_value);

/* With VT_JSON_ASCII, what lies beyond is escaped, as one or two UTF-16 units. */
static void
write_str(writer *w, const char *s, size_t n)
{
	vt_buf plain = {0};

	if (!(w->flags & VT_JSON_ASCII)) {
		vt_json_str(w->b, s, n);
		return;
	}
	vt_json_str(&plain, s, n);
	for (const char *p = plain.p, *end = p + plain.n; p < end;) {
		uint32_t c = vt_utf8_next(&p);
		if (c < 0x80)
			vt_buf_putc(w->b, (char)c);
		else if (c < 0x10000)
			vt_buf_printf(w->b, "\\u%04x", c);
		else
			vt_buf_printf(w->b, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
				0xdc00 + (c & 0x3ff));
	}
	vt_buf_free(&plain);
}

void
vt_json_str(vt_buf *b, const char *s, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	size_t start = 0;

	vt_buf_putc(b, '"');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		char esc = c == '"' || c == '\\' ? (char)c
			   : c == '\n'           ? 'n'
			   : c == '\t'           ? 't'
			   : c == '\r'           ? 'r'
			   : c == '\b'           ? 'b'
			   : c == '\f'           ? 'f'
						 : 0;
		if (!esc && c >= 32)
			continue;
		vt_buf_put(b, s + start, i - start);
		start = i + 1;
		vt_buf_putc(b, '\\');
		if (esc)
			vt_buf_putc(b, esc);
		else {
			vt_buf_puts(b, "u00");
			vt_buf_putc(b, hex[c >> 4]);
			vt_buf_putc(b, hex[c & 15]);
		}
	}
	vt_buf_put(b, s + start, n - start);
	vt_buf_putc(b, '"');
}

static void
newline(writer *w)
{
	if (!(w->flags & VT_JSON_PRETTY))
		return;
	vt_buf_putc(w->b, '\n');
	for (uint32_t i = 0; i < w->depth; i++)
		vt_buf_puts(w->b, "  ");
}

static void
write_items(writer *w, const vt_value *v, uint32_t n)
{
	vt_buf_putc(w->b, '[');
	w->depth++;
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			vt_buf_putc(w->b, ',');
		newline(w);
		write_value(w, v[i]);
	}
	w->depth--;
	if (n)
		newline(w);
	vt_buf_putc(w->b, ']');
}

static void
write_float(writer *w, double d)
{
	bool finite = d == d && d - d == 0;

	if (finite)
		vt_float_repr(w->b, d);
	else if (w->flags & VT_JSON_TAGGED)
		vt_buf_printf(w->b, "{\"$float\":\"%s\"}", d != d ? "nan" : d > 0 ? "inf" : "-inf");
	else
		vt_buf_puts(w->b, d != d ? "null" : d > 0 ? "1e999" : "-1e999");
}

static void
write_int(writer *w, vt_value v)
{
	int64_t i;
	bool small = vt_int_fits(v, &i) && i < (INT64_C(1) << 53) && i > -(INT64_C(1) << 53);

	if (!small && (w->flags & VT_JSON_TAGGED)) {
		vt_buf_puts(w->b, "{\"$int\":\"");
		vt_int_repr(w->b, v, 10);
		vt_buf_puts(w->b, "\"}");
	} else
		vt_int_repr(w->b, v, 10);
}

static bool
string_keys(const vt_dict *d)
{
	uint32_t pos = 0;
	vt_value k, x;

	while (vt_dict_at(d, &pos, &k, &x))
		if (!vt_is(k, STR))
			return false;
	return true;
}

static void
write_key(writer *w, vt_value k)
{
	vt_buf b = {0};

	if (vt_is(k, STR)) {
		write_str(w, vt_as_str(k)->s, vt_as_str(k)->bytes);
		return;
	}
	vt_yaqlstr(w->rt, &b, k);
	write_str(w, b.p ? b.p : "", b.n);
	vt_buf_free(&b);
}

static int
by_key(const void *a, const void *b)
{
	return vt_str_cmp(vt_as_str(*(const vt_value *)a), vt_as_str(*(const vt_value *)b));
}

static void
write_member(writer *w, vt_value k, vt_value v, bool first)
{
	if (!first)
		vt_buf_putc(w->b, ',');
	newline(w);
	write_key(w, k);
	vt_buf_puts(w->b, w->flags & VT_JSON_PRETTY ? ": " : ":");
	write_value(w, v);
}

static void
write_sorted(writer *w, const vt_dict *d)
{
	uint32_t n = vt_dict_len(d), pos = 0, i = 0;
	vt_value *keys = vt_xmalloc(n * sizeof *keys), x;

	while (i < n && vt_dict_at(d, &pos, &keys[i], &x))
		i++;
	qsort(keys, i, sizeof *keys, by_key);
	for (uint32_t k = 0; k < i; k++)
		write_member(w, keys[k], vt_dict_get(d, keys[k]), k == 0);
	free(keys);
}

static void
write_pairs(writer *w, const vt_dict *d)
{
	uint32_t pos = 0;
	vt_value k, v;
	bool first = true;

	vt_buf_puts(w->b, "{\"$dict\":[");
	while (vt_dict_at(d, &pos, &k, &v)) {
		vt_buf_puts(w->b, first ? "[" : ",[");
		write_value(w, k);
		vt_buf_putc(w->b, ',');
		write_value(w, v);
		vt_buf_putc(w->b, ']');
		first = false;
	}
	vt_buf_puts(w->b, "]}");
}

static void
write_dict(writer *w, const vt_dict *d)
{
	uint32_t pos = 0, n = 0;
	vt_value k, v;
	bool plain = string_keys(d);

	if (!plain && (w->flags & VT_JSON_TAGGED)) {
		write_pairs(w, d);
		return;
	}
	vt_buf_putc(w->b, '{');
	w->depth++;
	if (plain && (w->flags & VT_JSON_SORT))
		write_sorted(w, d);
	else
		while (vt_dict_at(d, &pos, &k, &v))
			write_member(w, k, v, n++ == 0);
	w->depth--;
	if (vt_dict_len(d))
		newline(w);
	vt_buf_putc(w->b, '}');
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(((const vt_buf *)a)->p, ((const vt_buf *)b)->p);
}

/* Members in the order of their encoded text, so that equal sets are equal texts. */
static void
write_set(writer *w, const vt_set *s)
{
	uint32_t n = vt_set_len(s), pos = 0, i = 0;
	vt_buf *texts = vt_xmalloc((n + 1) * sizeof *texts), *whole = w->b;
	vt_value v;

	while (i < n && vt_set_at(s, &pos, &v)) {
		texts[i] = (vt_buf){0};
		w->b = &texts[i++];
		write_value(w, v);
		vt_buf_putc(w->b, '\0');
	}
	w->b = whole;
	qsort(texts, i, sizeof *texts, by_text);
	vt_buf_puts(w->b, w->flags & VT_JSON_TAGGED ? "{\"$set\":[" : "[");
	for (uint32_t k = 0; k < i; k++) {
		vt_buf_puts(w->b, k ? "," : "");
		vt_buf_puts(w->b, texts[k].p);
		vt_buf_free(&texts[k]);
	}
	vt_buf_puts(w->b, w->flags & VT_JSON_TAGGED ? "]}" : "]");
	free(texts);
}

static void
write_text_of(writer *w, vt_value v)
{
	vt_buf b = {0};

	vt_pystr(w->rt, &b, v);
	write_str(w, b.p ? b.p : "", b.n);
	vt_buf_free(&b);
}

static void
write_datetime(writer *w, vt_value v)
{
	const vt_datetime *t = VT_AS(vt_datetime, v);
	int64_t days = t->us / INT64_C(86400000000), us = t->us % INT64_C(86400000000),
		y = days / 366 + 1, m = 1;

	if (!(w->flags & VT_JSON_TAGGED)) {
		write_text_of(w, v);
		return;
	}
	while (days_before(y + 1, 1, 1) <= days)
		y++;
	while (m < 12 && days_before(y, m + 1, 1) <= days)
		m++;
	vt_buf_printf(w->b,
		"{\"$datetime\":\"%04d-%02d-%02dT%02d:%02d:%02d.%06d\",\"offset\":", (int)y, (int)m,
		(int)(days - days_before(y, m, 1) + 1), (int)(us / INT64_C(3600000000)),
		(int)(us / 60000000 % 60), (int)(us / 1000000 % 60), (int)(us % 1000000));
	if (t->naive)
		vt_buf_puts(w->b, "null}");
	else
		vt_buf_printf(w->b, "%d.0}", (int)t->offset); /* Python counts an offset in floats */
}

static void
write_list(writer *w, vt_value v)
{
	const vt_list *l = vt_as_list(v);
	const char *tag = NULL;

	if ((w->flags & VT_JSON_TAGGED) && vt_is(v, LIST) && l->h.aux == 1)
		tag = "{\"$setlist\":";
	else if ((w->flags & VT_JSON_TUPLES) && vt_is(v, TUPLE))
		tag = "{\"$tuple\":";
	vt_buf_puts(w->b, tag ? tag : "");
	write_items(w, l->v, l->n);
	vt_buf_puts(w->b, tag ? "}" : "");
}

static void
write_tagged(writer *w, vt_value v, const char *tagged)
{
	if (w->flags & VT_JSON_TAGGED)
		vt_buf_puts(w->b, tagged);
	else
		write_text_of(w, v);
}

static void
write_value(writer *w, vt_value v)
{
	if (vt_is_integer(v)) {
		write_int(w, v);
		return;
	}
	if (!vt_is_ptr(v)) {
		if (v == VT_NOVALUE)
			write_tagged(w, v, "{\"$novalue\":true}");
		else
			vt_buf_puts(w->b, v == VT_TRUE ? "true" : v == VT_FALSE ? "false" : "null");
		return;
	}
	if (w->nested >= MAX_NESTED) {
		vt_buf_puts(w->b, "null");
		return;
	}
	w->nested++;
	switch ((enum vt_kind)vt_head_of(v)->kind) {
	case VT_K_FLOAT: write_float(w, vt_as_float(v)); break;
	case VT_K_STR: write_str(w, vt_as_str(v)->s, vt_as_str(v)->bytes); break;
	case VT_K_TUPLE:
	case VT_K_LIST: write_list(w, v); break;
	case VT_K_DICT: write_dict(w, vt_as_dict(v)); break;
	case VT_K_SET: write_set(w, vt_as_set(v)); break;
	case VT_K_DATETIME: write_datetime(w, v); break;
	case VT_K_TIMESPAN:
		if (w->flags & VT_JSON_TAGGED)
			vt_buf_printf(
				w->b, "{\"$timespan\":%lld}", (long long)VT_AS(vt_timespan, v)->us);
		else
			write_text_of(w, v);
		break;
	case VT_K_SCOPE: write_tagged(w, v, "{\"$context\":true}"); break;
	case VT_K_OBJECT:
	case VT_K_CAST:
	case VT_K_TYPEREF: vt_encode_result(w->rt, w->b, v); break;
	case VT_K_REGEX:
		if ((w->flags & VT_JSON_TAGGED) && vt_regex_json)
			vt_regex_json(w->b, vt_head_of(v));
		else
			write_text_of(w, v);
		break;
	case VT_K_BIGINT:
	case VT_K_ITER:
	case VT_K_VIEW:
	case VT_K_ORDERING:
	case VT_K_MEMO:
	case VT_K_LAMBDA:
	case VT_K_MAPPING:
	case VT_K_REFLECT:
	case VT_K_EXC:
	case VT_K_HOST:
	case VT_K_COUNT: write_text_of(w, v); break;
	}
	w->nested--;
}

void
vt_json_write(vt_rt *rt, vt_buf *b, vt_value v, int flags)
{
	writer w = {.rt = rt, .b = b, .flags = flags};

	write_value(&w, v);
}
