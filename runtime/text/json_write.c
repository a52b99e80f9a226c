/*
 * json_write.c - values to JSON text.
 *
 * Room is asked for once a token, a bound that is easy to find, and the token then written without
 * further tests.  Keys of shapes are written as the shape has them ready.
 */
#include "runtime/core/bytes.h"
#include "runtime/core/dict.h"
#include "runtime/text/json.h"
#include "runtime/core/number.h"
#include "runtime/text/text.h"
#include "runtime/core/kind.h"

#include <stdlib.h>

typedef struct writer {
	vt_rt *rt;
	vt_buf *b;
	int flags;
	uint32_t depth;  /* of indentation */
	uint32_t nested; /* of values: bounds the recursion */
	bool finite;     /* infinity is null, too */
	bool lost;       /* a float was none of JSON */
	FILE *to;        /* or NULL: what is written so far may go there when it is much */
	const vt_buf *whole;
} writer;
enum { MUCH = 256 << 10 };
enum { MAX_NESTED = 2000 };
static void write_value(writer *, vt_value);

/* Where n bytes may be written; ended() says how many were. */
static inline char *
room(vt_buf *b, size_t n)
{
	return likely(b->cap - b->n >= n) ? b->p + b->n : vt_buf_room(b, n);
}

static inline void
ended(vt_buf *b, const char *end)
{
	b->n = (size_t)(end - b->p);
}

static inline void
put_char(vt_buf *b, char c)
{
	*room(b, 1) = c;
	b->n++;
}

#define PUT_TEXT(b, text) \
	ended(b, (char *)memcpy(room(b, sizeof(text)), text, sizeof(text) - 1) + sizeof(text) - 1)

/* ---- strings ----------------------------------------------------------------------------- */

/* n < 16 bytes; false, and nothing to be kept of it, when one of them needs an escape. */
static inline bool
copy_tail(char *o, const char *p, size_t n)
{
	uint64_t a = 0, b = 0;
	uint32_t c, d;

	if (n >= 8) {
		a = vt_load8(p);
		b = vt_load8(p + n - 8);
		vt_store8(o, a);
		vt_store8(o + n - 8, b);
		return (vt_stop_bytes(a) | vt_stop_bytes(b)) == 0;
	}
	if (n >= 4) {
		memcpy(&c, p, 4);
		memcpy(&d, p + n - 4, 4);
		memcpy(o, &c, 4);
		memcpy(o + n - 4, &d, 4);
		return vt_stop_bytes((uint64_t)c << 32 | d) == 0;
	}
	for (size_t i = 0; i < n; i++) {
		o[i] = p[i];
		if ((unsigned char)p[i] < 32 || p[i] == '"' || p[i] == '\\')
			return false;
	}
	return true;
}

/* At most six bytes. */
static char *
put_escaped(char *o, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	char esc = c == '"' || c == '\\' ? (char)c
		   : c == '\n'           ? 'n'
		   : c == '\t'           ? 't'
		   : c == '\r'           ? 'r'
		   : c == '\b'           ? 'b'
		   : c == '\f'           ? 'f'
					 : 0;

	if (!esc && c >= 32) {
		*o++ = (char)c;
		return o;
	}
	*o++ = '\\';
	if (esc) {
		*o++ = esc;
		return o;
	}
	memcpy(o, "u00", 3);
	o[3] = hex[c >> 4];
	o[4] = hex[c & 15];
	return o + 5;
}

void
vt_json_str(vt_buf *b, const char *s, size_t n)
{
	size_t i = 0;
	char *o = room(b, n + 2 + VT_BLOCK);

	*o++ = '"';
	while (n - i >= VT_BLOCK) {
		uint32_t stop = vt_marks16(s + i).stop, k;
		memcpy(o, s + i, VT_BLOCK);
		k = stop ? (uint32_t)__builtin_ctz(stop) : VT_BLOCK;
		i += k;
		o += k;
		if (stop) {
			ended(b, put_escaped(o, (unsigned char)s[i++]));
			o = room(b, n - i + 2 + VT_BLOCK);
		}
	}
	if (copy_tail(o, s + i, n - i)) {
		o += n - i;
	} else {
		ended(b, o);
		o = room(b, (n - i) * 6 + 1);
		while (i < n)
			o = put_escaped(o, (unsigned char)s[i++]);
	}
	*o++ = '"';
	ended(b, o);
}

/* With VT_JSON_ASCII, what lies beyond is escaped, as one or two UTF-16 units. */
static void
write_ascii(writer *w, const char *s, size_t n)
{
	vt_buf plain = {0};

	vt_json_str(&plain, s, n);
	for (const char *p = plain.p, *end = p + plain.n; p < end;) {
		uint32_t c = vt_utf8_next(&p);
		if (c < 0x80)
			put_char(w->b, (char)c);
		else if (c < 0x10000)
			vt_buf_printf(w->b, "\\u%04x", c);
		else
			vt_buf_printf(w->b, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
				0xdc00 + (c & 0x3ff));
	}
	vt_buf_free(&plain);
}

static void
write_str(writer *w, const char *s, size_t n)
{
	if (w->flags & VT_JSON_ASCII)
		write_ascii(w, s, n);
	else
		vt_json_str(w->b, s, n);
}

/* ---- containers and numbers ------------------------------------------------------------------ */

void
vt_json_line(vt_buf *b, int flags, uint32_t depth)
{
	size_t by = (size_t)flags >> 8 & 15,
	       n = flags & VT_JSON_TAB ? depth : (by ? by : 2) * depth;
	char *o;

	if (!(flags & VT_JSON_PRETTY))
		return;
	o = room(b, n + 1);
	*o++ = '\n';
	memset(o, flags & VT_JSON_TAB ? '\t' : ' ', n);
	ended(b, o + n);
}

static void
newline(writer *w)
{
	vt_json_line(w->b, w->flags, w->depth);
}

static void
write_items(writer *w, const vt_value *v, uint32_t n)
{
	put_char(w->b, '[');
	w->depth++;
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			put_char(w->b, ',');
		newline(w);
		write_value(w, v[i]);
	}
	w->depth--;
	if (n)
		newline(w);
	put_char(w->b, ']');
}

static void
write_float(writer *w, double d)
{
	if (d - d == 0)
		ended(w->b, vt_decimal_repr(room(w->b, VT_FLOAT_TEXT), d));
	else if (w->flags & VT_JSON_TAGGED)
		vt_buf_printf(w->b, "{\"$float\":\"%s\"}", d != d ? "nan" : d > 0 ? "inf" : "-inf");
	else {
		w->lost = true;
		vt_buf_puts(w->b, d != d || w->finite ? "null" : d > 0 ? "1e999" : "-1e999");
	}
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
	} else if (vt_is_int(v)) {
		char *o = room(w->b, 24);
		if (vt_toint(v) < 0)
			*o++ = '-';
		ended(w->b, vt_decimal_put(
				    o, (uint64_t)(vt_toint(v) < 0 ? -vt_toint(v) : vt_toint(v))));
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
		put_char(w->b, ',');
	newline(w);
	write_key(w, k);
	put_char(w->b, ':');
	if (w->flags & VT_JSON_PRETTY)
		put_char(w->b, ' ');
	write_value(w, v);
}

static void
write_shaped(writer *w, const vt_dict *d)
{
	const vt_shape **path = vt_shape_path(d->shape);

	for (uint32_t i = 0; i < d->n; i++) {
		const vt_shape *s = path[i];
		char *o;
		if (s->quoted_n == 0) {
			write_member(w, vt_mkptr(s->key[i]), d->v[i], i == 0);
			continue;
		}
		if (i)
			put_char(w->b, ',');
		newline(w);
		o = room(w->b, sizeof s->quoted + 1);
		if (s->quoted_n <= VT_BLOCK)
			memcpy(o, s->quoted, VT_BLOCK);
		else
			memcpy(o, s->quoted, sizeof s->quoted);
		o += s->quoted_n;
		if (w->flags & VT_JSON_PRETTY)
			*o++ = ' ';
		ended(w->b, o);
		write_value(w, d->v[i]);
	}
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
	bool plain = d->shape != NULL || string_keys(d);

	if (!plain && (w->flags & VT_JSON_TAGGED)) {
		write_pairs(w, d);
		return;
	}
	put_char(w->b, '{');
	w->depth++;
	if (plain && (w->flags & VT_JSON_SORT))
		write_sorted(w, d);
	else if (d->shape != NULL && !(w->flags & VT_JSON_ASCII))
		write_shaped(w, d);
	else
		while (vt_dict_at(d, &pos, &k, &v))
			write_member(w, k, v, n++ == 0);
	w->depth--;
	if (vt_dict_len(d))
		newline(w);
	put_char(w->b, '}');
}

static void
write_text_of(writer *w, vt_value v)
{
	vt_buf b = {0};

	vt_pystr(w->rt, &b, v);
	write_str(w, b.p ? b.p : "", b.n);
	vt_buf_free(&b);
}

static vt_value
next_part(writer *w, vt_iter *it)
{
	vt_value v = VT_UNDEF;

	it->ops->next(w->rt, it, &v);
	return v;
}

static void
write_parts(writer *w, vt_iter *it)
{
	bool dict = it->h.aux == VT_PARTS_DICT, first = true;
	vt_value k, v;

	put_char(w->b, dict ? '{' : '[');
	w->depth++;
	for (; (k = next_part(w, it)) != VT_UNDEF; first = false) {
		if (dict) {
			write_member(w, k, v = next_part(w, it), first);
			vt_release(v);
		} else {
			if (!first)
				put_char(w->b, ',');
			newline(w);
			write_value(w, k);
		}
		vt_release(k);
	}
	w->depth--;
	if (!first)
		newline(w);
	put_char(w->b, dict ? '}' : ']');
}

static void
write_iter(writer *w, vt_value v)
{
	vt_iter *it = VT_AS(vt_iter, v);

	if (w->to != NULL && (it->h.aux == VT_PARTS_LIST || it->h.aux == VT_PARTS_DICT))
		write_parts(w, it);
	else
		write_text_of(w, v);
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
write_datetime(writer *w, vt_value v)
{
	if ((w->flags & VT_JSON_TAGGED) && vt_is_date(v))
		vt_buf_puts(w->b, "{\"$python\":\"datetime.date\"}");
	else if (w->flags & VT_JSON_TAGGED)
		vt_json_put_datetime(w->b, VT_AS(vt_datetime, v));
	else
		write_text_of(w, v);
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
	if (tag)
		vt_buf_puts(w->b, tag);
	write_items(w, l->v, l->n);
	if (tag)
		put_char(w->b, '}');
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
write_word(writer *w, vt_value v)
{
	if (v == VT_NOVALUE)
		write_tagged(w, v, "{\"$novalue\":true}");
	else if (v == VT_TRUE)
		PUT_TEXT(w->b, "true");
	else if (v == VT_FALSE)
		PUT_TEXT(w->b, "false");
	else
		PUT_TEXT(w->b, "null");
}

static void
put_span(vt_buf *b, vt_wide us)
{
	const int64_t half = INT64_C(1000000000000000);

	vt_buf_printf(b, "{\"$timespan\":%s", us < 0 ? "-" : "");
	us = us < 0 ? -us : us;
	if (us >= half)
		vt_buf_printf(b, "%lld%015lld}", (long long)(us / half), (long long)(us % half));
	else
		vt_buf_printf(b, "%lld}", (long long)us);
}

static void
write_timespan(writer *w, vt_value v)
{
	if (w->flags & VT_JSON_TAGGED)
		put_span(w->b, vt_span_us(v));
	else
		write_text_of(w, v);
}

static void
write_regex(writer *w, vt_value v)
{
	if ((w->flags & VT_JSON_TAGGED) && vt_regex_json)
		vt_regex_json(w->b, vt_head_of(v));
	else
		write_text_of(w, v);
}

/* What is a part of something that has yet to be ordered stays. */
static void
hand_out(writer *w)
{
	if (w->b == w->whole && w->b->n >= MUCH) {
		fwrite(w->b->p, 1, w->b->n, w->to);
		w->b->n = 0;
	}
}

static void
write_value(writer *w, vt_value v)
{
	if (vt_is_integer(v)) {
		write_int(w, v);
		return;
	}
	if (vt_is(v, FLOAT)) {
		write_float(w, vt_float_of(v));
		return;
	}
	if (!vt_is_ptr(v)) {
		write_word(w, v);
		return;
	}
	if (unlikely(w->to != NULL))
		hand_out(w);
	if (w->nested >= MAX_NESTED) {
		vt_buf_puts(w->b, "null");
		return;
	}
	w->nested++;
	switch ((enum vt_kind)vt_head_of(v)->kind) {
	case VT_K_STR: write_str(w, vt_as_str(v)->s, vt_as_str(v)->bytes); break;
	case VT_K_TUPLE:
	case VT_K_LIST: write_list(w, v); break;
	case VT_K_DICT: write_dict(w, vt_as_dict(v)); break;
	case VT_K_SET: write_set(w, vt_as_set(v)); break;
	case VT_K_DATETIME: write_datetime(w, v); break;
	case VT_K_TIMESPAN: write_timespan(w, v); break;
	case VT_K_SCOPE: write_tagged(w, v, "{\"$context\":true}"); break;
	case VT_K_OBJECT:
	case VT_K_CAST:
	case VT_K_TYPEREF: vt_kinds[VT_KIND(v)].json(w->rt, w->b, v); break;
	case VT_K_REGEX: write_regex(w, v); break;
	case VT_K_ITER: write_iter(w, v); break;
	case VT_K_FLOAT:
	case VT_K_BIGINT: /* written already */
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
	vt_json_write_at(rt, b, v, flags, 0);
}

void
vt_json_print(vt_rt *rt, FILE *to, vt_value v, int flags)
{
	vt_buf b = {0};
	writer w = {.rt = rt, .b = &b, .flags = flags, .to = to, .whole = &b};

	write_value(&w, v);
	vt_buf_print(&b, to);
}

bool
vt_json_write_finite(vt_rt *rt, vt_buf *b, vt_value v, int flags)
{
	writer w = {.rt = rt, .b = b, .flags = flags, .finite = true};

	write_value(&w, v);
	return !w.lost;
}

void
vt_json_write_at(vt_rt *rt, vt_buf *b, vt_value v, int flags, uint32_t depth)
{
	writer w = {.rt = rt, .b = b, .flags = flags, .depth = depth, .nested = depth};

	write_value(&w, v);
}

/* ---- pieces ---- */

/* A byte outside of texts. */
static void
lay_out(vt_json_pieces *j, vt_buf *b, char c)
{
	bool closes = c == '}' || c == ']';

	j->depth -= closes;
	if (closes != j->opened) /* {} and [] stay in their line */
		vt_json_line(b, j->flags, j->depth);
	j->opened = c == '{' || c == '[';
	j->depth += j->opened;
	vt_buf_putc(b, c);
}

void
vt_json_lay_out(vt_json_pieces *j, vt_buf *b, const char *p, size_t n)
{
	for (const char *end = p + n; p < end; p++) {
		if (j->in_text) {
			vt_buf_putc(b, *p);
			j->in_text = j->escaped || *p != '"';
			j->escaped = !j->escaped && *p == '\\';
		} else if (*p == ',') {
			vt_buf_putc(b, ',');
			vt_json_line(b, j->flags, j->depth);
		} else if (*p == ':') {
			vt_buf_puts(b, ": ");
		} else if (*p == '\n') {
			vt_buf_putc(b, '\n');
		} else if (*p != ' ') {
			lay_out(j, b, *p);
			j->in_text = *p == '"';
		}
	}
}
