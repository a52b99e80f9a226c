/*
 * Fuzz target: the JSON reader against a slow one that is written here, byte by byte, from RFC 8259
 * and with the plain functions of the runtime.  Both refuse a text or give equal values; what was
 * read is written and read again; a text and the same text with something behind agree on where the
 * value ends. driver.c says how it is run.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { DEPTH = 200 };

/* ---- the slow reader: NULL is an error, else the place behind; *out is the caller's then ---- */

typedef struct slow {
	vt_rt *rt;
	const char *end;
	int flags;
} slow;

static const char *slow_value(const slow *, const char *, int depth, vt_value *out);

static const char *
slow_blanks(const slow *s, const char *p)
{
	while (p < s->end && *p && strchr(" \t\r\n", *p))
		p++;
	return p;
}

static bool
at(const slow *s, const char *p, const char *set)
{
	return p < s->end && *p && strchr(set, *p);
}

static const char *
slow_hex(const slow *s, const char *p, uint32_t *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++, p++) {
		if (!at(s, p, "0123456789abcdefABCDEF"))
			return NULL;
		*out = *out * 16 + (uint32_t)(*p <= '9' ? *p - '0' : (*p | 32) - 'a' + 10);
	}
	return p;
}

static const char *
slow_escape(const slow *s, const char *p, vt_buf *b)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	uint32_t cp, low;

	if (at(s, p, from)) {
		vt_buf_putc(b, to[strchr(from, *p) - from]);
		return p + 1;
	}
	if (!at(s, p, "u") || !(p = slow_hex(s, p + 1, &cp)))
		return NULL;
	if (cp >= 0xd800 && cp < 0xdc00) {
		if (s->end - p < 2 || p[0] != '\\' || p[1] != 'u' ||
			!(p = slow_hex(s, p + 2, &low)) || low < 0xdc00 || low > 0xdfff)
			return NULL;
		cp = 0x10000 + (cp - 0xd800) * 0x400 + low - 0xdc00;
	} else if (cp >= 0xdc00 && cp < 0xe000)
		return NULL;
	vt_utf8_put(b, cp);
	return p;
}

/* Decodes each code point and encodes it again: what differs is not UTF-8. */
static bool
slow_utf8(const vt_buf *b)
{
	for (size_t i = 0; i < b->n;) {
		unsigned char c = (unsigned char)b->p[i];
		size_t k = c < 0x80   ? 1
			   : c < 0xc0 ? 0
			   : c < 0xe0 ? 2
			   : c < 0xf0 ? 3
			   : c < 0xf8 ? 4
				      : 0;
		uint32_t cp = k == 1 ? c : c & (0x7fu >> k);
		vt_buf again = {0};
		bool same;
		if (k == 0 || k > b->n - i)
			return false;
		for (size_t j = 1; j < k; j++)
			cp = cp << 6 | ((unsigned char)b->p[i + j] & 0x3f);
		vt_utf8_put(&again, cp);
		same = cp < 0x110000 && (cp < 0xd800 || cp > 0xdfff) && again.n == k &&
		       memcmp(again.p, b->p + i, k) == 0;
		vt_buf_free(&again);
		if (!same)
			return false;
		i += k;
	}
	return true;
}

static const char *
slow_string(const slow *s, const char *p, vt_value *out)
{
	vt_buf b = {0};

	for (p++; p != NULL && p < s->end && *p != '"';) {
		if ((unsigned char)*p < 32)
			p = NULL;
		else if (*p == '\\')
			p = slow_escape(s, p + 1, &b);
		else
			vt_buf_putc(&b, *p++);
	}
	if (p == NULL || p >= s->end || !slow_utf8(&b))
		p = NULL;
	else {
		*out = vt_str_new(s->rt, b.n ? b.p : "", b.n);
		p++;
	}
	vt_buf_free(&b);
	return p;
}

static const char *
slow_digits(const slow *s, const char *p)
{
	if (!at(s, p, "0123456789"))
		return NULL;
	while (at(s, p, "0123456789"))
		p++;
	return p;
}

static const char *
slow_number(const slow *s, const char *p, vt_value *out)
{
	const char *start = p, *digits;
	bool integer = true;
	char *text;

	p += *p == '-';
	digits = p;
	p = slow_digits(s, p);
	if (p == NULL || (*digits == '0' && p > digits + 1))
		return NULL;
	if (at(s, p, ".")) {
		integer = false;
		if (!(p = slow_digits(s, p + 1)))
			return NULL;
	}
	if (at(s, p, "eE")) {
		integer = false;
		p++;
		if (!(p = slow_digits(s, p + at(s, p, "+-"))))
			return NULL;
	}
	if (p - start > 4300)
		return NULL;
	text = memcpy(vt_xmalloc((size_t)(p - start) + 1), start, (size_t)(p - start));
	text[p - start] = '\0';
	if (integer)
		vt_int_parse(s->rt, text, strlen(text), 10, out);
	else
		*out = vt_float_new(s->rt, strtod(text, NULL));
	free(text);
	return p;
}

static const char *
slow_array(const slow *s, const char *p, int depth, vt_value *out)
{
	vt_list *l = vt_list_grow(s->rt, s->flags & VT_JSON_MUTABLE ? VT_K_LIST : VT_K_TUPLE, 0);
	vt_value item;

	p = slow_blanks(s, p + 1);
	if (at(s, p, "]"))
		p++;
	else
		while ((p = slow_value(s, p, depth + 1, &item)) != NULL) {
			vt_list_push(s->rt, l, item);
			p = slow_blanks(s, p);
			if (at(s, p, "]")) {
				p++;
				break;
			}
			p = at(s, p, ",") ? p + 1 : NULL;
			if (p == NULL)
				break;
		}
	if (p == NULL)
		vt_release(vt_mkptr(l));
	*out = vt_mkptr(l);
	return p;
}

static const char *
slow_member(const slow *s, const char *p, int depth, vt_dict *d)
{
	vt_value key, v;

	p = slow_blanks(s, p);
	if (!at(s, p, "\"") || !(p = slow_string(s, p, &key)))
		return NULL;
	p = slow_blanks(s, p);
	p = at(s, p, ":") ? slow_value(s, p + 1, depth + 1, &v) : NULL;
	if (p != NULL) {
		vt_dict_set(s->rt, d, key, v);
		vt_release(v);
	}
	vt_release(key);
	return p == NULL ? NULL : slow_blanks(s, p);
}

static const char *
slow_object(const slow *s, const char *p, int depth, vt_value *out)
{
	vt_dict *d = vt_dict_new(s->rt, !(s->flags & VT_JSON_MUTABLE));

	p = slow_blanks(s, p + 1);
	if (at(s, p, "}"))
		p++;
	else
		while ((p = slow_member(s, p, depth, d)) != NULL) {
			if (at(s, p, "}")) {
				p++;
				break;
			}
			p = at(s, p, ",") ? p + 1 : NULL;
			if (p == NULL)
				break;
		}
	if (p == NULL)
		vt_release(vt_mkptr(d));
	*out = vt_mkptr(d);
	return p;
}

static const char *
slow_value(const slow *s, const char *p, int depth, vt_value *out)
{
	static const struct {
		const char *text;
		vt_value v;
	} words[] = {{"null", VT_NULL}, {"true", VT_TRUE}, {"false", VT_FALSE}};

	p = slow_blanks(s, p);
	if (p >= s->end || depth >= DEPTH)
		return NULL;
	if (at(s, p, "\""))
		return slow_string(s, p, out);
	if (at(s, p, "["))
		return slow_array(s, p, depth, out);
	if (at(s, p, "{"))
		return slow_object(s, p, depth, out);
	if (at(s, p, "-0123456789"))
		return slow_number(s, p, out);
	for (size_t i = 0; i < VT_LEN(words); i++) {
		size_t n = strlen(words[i].text);
		if ((size_t)(s->end - p) >= n && memcmp(p, words[i].text, n) == 0) {
			*out = words[i].v;
			return p + n;
		}
	}
	return NULL;
}

/* ---- comparison ---- */

static void
must(bool good)
{
	if (!good)
		abort();
}

/* The same text, and so the same order of members and kinds of numbers. */
static void
must_be_alike(vt_rt *rt, vt_value a, vt_value b)
{
	vt_buf x = {0}, y = {0};

	vt_repr(rt, &x, a);
	vt_repr(rt, &y, b);
	must(x.n == y.n && memcmp(x.p, y.p, x.n) == 0);
	vt_buf_free(&x);
	vt_buf_free(&y);
}

static void
round_trip(vt_rt *rt, vt_value v, int read, int write)
{
	vt_buf b = {0};
	vt_value again;

	vt_json_write(rt, &b, v, write);
	must(vt_json_read(rt, b.p, b.n, read, 2 * DEPTH, &again, NULL));
	if (!(write & VT_JSON_SORT))
		must_be_alike(rt, v, again);
	vt_release(again);
	vt_buf_free(&b);
}

static void
compare(vt_rt *rt, const char *text, size_t n, int flags)
{
	slow s = {rt, text + n, flags};
	vt_value v = VT_UNDEF, w = VT_UNDEF;
	size_t used = 0;
	char *err = NULL;
	bool whole = vt_json_read(rt, text, n, flags, DEPTH, &v, &err);
	const char *end = slow_value(&s, text, 0, &w);

	must(whole == (end != NULL && slow_blanks(&s, end) == s.end) && whole == (err == NULL));
	free(err);
	if (whole) {
		must_be_alike(rt, v, w);
		round_trip(rt, v, flags, 0);
		round_trip(rt, v, flags, VT_JSON_PRETTY);
		round_trip(rt, v, flags, VT_JSON_ASCII | VT_JSON_SORT);
		vt_clear(&v);
	}
	must(vt_json_read_prefix(rt, text, n, flags, DEPTH, &v, &used, NULL) == (end != NULL));
	if (end != NULL) {
		must(text + used == end);
		must_be_alike(rt, v, w);
		vt_release(v);
		vt_release(w);
	}
}

/* Tagged texts have no slow reader: they are read, written and read again. */
static void
tagged(vt_rt *rt, const char *text, size_t n)
{
	vt_value v, again;
	vt_buf b = {0};
	char *err = NULL;

	if (vt_json_read(rt, text, n, VT_JSON_TAGGED, DEPTH, &v, &err)) {
		vt_json_write(rt, &b, v, VT_JSON_TAGGED | VT_JSON_TUPLES);
		if (vt_json_read(rt, b.p, b.n, VT_JSON_TAGGED, 2 * DEPTH, &again, NULL))
			vt_release(again);
		vt_buf_free(&b);
		vt_release(v);
	}
	free(err);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	vt_rt *rt = vt_rt_new(NULL);
	char *text = memcpy(vt_xmalloc(n), data, n); /* its end is the end of a block */

	/* Twice: the second time the shapes and the next keys are known. */
	for (int i = 0; i < 2; i++) {
		compare(rt, text, n, 0);
		compare(rt, text, n, VT_JSON_MUTABLE);
	}
	tagged(rt, text, n);
	free(text);
	vt_rt_free(rt);
	return 0;
}
