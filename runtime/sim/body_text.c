/*
 * body_text.c - methods of texts in a plan's Body, format() and the operator %.
 */
#define _GNU_SOURCE
#include "runtime/sim/body.h"
#include "runtime/core/args.h"
#include "runtime/core/number.h"
#include "runtime/lib/format.h"
#include "registry.h"

#include <stdlib.h>
#include <string.h>

static const vt_str *
str_of(const body_value *v)
{
	return vt_as_str(v->v);
}

/* A text at that place; NULL: something else, raised. */
static const vt_str *
text_arg(body *b, const char *name, const body_args *a, uint32_t i)
{
	if (body_is_text(a->v[i]))
		return str_of(a->v[i]);
	(void)body_raise(b, "TypeError", "%s() argument %u must be str, not %s", name, i + 1,
		body_type(a->v[i]));
	return NULL;
}

/* ---- cutting ----------------------------------------------------------------------------- */

static bool
is_in(const vt_str *set, const char *p, size_t n, uint32_t c)
{
	return set == NULL ? vt_is_space(c) : memmem(set->s, set->bytes, p, n) != NULL;
}

/* The character before p. */
static const char *
before(const char *p, uint32_t *c)
{
	const char *q = --p;
	while (((unsigned char)*p & 0xc0) == 0x80)
		q = --p;
	*c = vt_utf8_next(&q);
	return p;
}

static body_value *
strip(body *b, const char *name, body_value *self, const body_args *a)
{
	const vt_str *s = str_of(self), *set = NULL;
	const char *from = s->s, *to = s->s + s->bytes, *p;
	uint32_t c;
	if (a->n > 0 && !body_is_none(a->v[0]) && (set = text_arg(b, name, a, 0)) == NULL)
		return NULL;
	while (name[0] != 'r' && (p = from) < to) {
		c = vt_utf8_next(&p);
		if (!is_in(set, from, (size_t)(p - from), c))
			break;
		from = p;
	}
	while (name[0] != 'l' && to > from) {
		p = before(to, &c);
		if (!is_in(set, p, (size_t)(to - p), c))
			break;
		to = p;
	}
	return body_text(b, from, (size_t)(to - from));
}

static bool
push_part(body *b, body_value *l, const char *from, const char *to)
{
	return body_step(b, 1) && body_push(b, l, body_text(b, from, (size_t)(to - from)));
}

static body_value *
split_blanks(body *b, const vt_str *s, int64_t most)
{
	body_value *l = body_new(b, BODY_LIST);
	const char *p = s->s, *end = s->s + s->bytes, *next;
	for (;;) {
		const char *from;
		for (; p < end; p = next) {
			next = p;
			if (!vt_is_space(vt_utf8_next(&next)))
				break;
		}
		if (p == end)
			return l;
		from = p;
		if (most >= 0 && l->n >= most) { /* the rest, without the blanks at its end */
			uint32_t c;
			while (end > from && (next = before(end, &c), vt_is_space(c)))
				end = next;
			return push_part(b, l, from, end) ? l : NULL;
		}
		for (; p < end; p = next) {
			next = p;
			if (vt_is_space(vt_utf8_next(&next)))
				break;
		}
		if (!push_part(b, l, from, p))
			return NULL;
	}
}

static body_value *
split_at(body *b, const vt_str *s, const vt_str *sep, int64_t most)
{
	body_value *l = body_new(b, BODY_LIST);
	const char *p = s->s, *end = s->s + s->bytes, *at;
	if (sep->bytes == 0)
		return body_raise(b, "ValueError", "empty separator");
	while ((most < 0 || l->n < most) &&
		(at = memmem(p, (size_t)(end - p), sep->s, sep->bytes)) != NULL) {
		if (!push_part(b, l, p, at))
			return NULL;
		p = at + sep->bytes;
	}
	return push_part(b, l, p, end) ? l : NULL;
}

static body_value *
split(body *b, const char *name, body_value *self, const body_args *a)
{
	const vt_str *sep = NULL;
	int64_t most = -1;
	if (a->n > 0 && !body_is_none(a->v[0]) && (sep = text_arg(b, name, a, 0)) == NULL)
		return NULL;
	if (a->n > 1 && !body_index(b, a->v[1], &most))
		return NULL;
	if (name[0] == 'r' && most >= 0)
		return body_unable(b, "rsplit() with a limit");
	return sep == NULL ? split_blanks(b, str_of(self), most)
			   : split_at(b, str_of(self), sep, most);
}

/* How many bytes of line end stand there; 0: none. */
static size_t
line_end(const char *p, const char *end)
{
	unsigned char c = (unsigned char)*p, d = p + 1 < end ? (unsigned char)p[1] : 0;
	if (c == '\r')
		return d == '\n' ? 2 : 1;
	if (c == '\n' || c == '\v' || c == '\f' || (c >= 0x1c && c <= 0x1e))
		return 1;
	if (c == 0xc2 && d == 0x85)
		return 2;
	return c == 0xe2 && d == 0x80 && p + 2 < end &&
			       ((unsigned char)p[2] == 0xa8 || (unsigned char)p[2] == 0xa9)
		       ? 3
		       : 0;
}

static body_value *
splitlines(body *b, const char *name, body_value *self, const body_args *a)
{
	const vt_str *s = str_of(self);
	body_value *l = body_new(b, BODY_LIST);
	const char *p = s->s, *from = p, *end = p + s->bytes;
	bool keep = a->n > 0 && body_true(a->v[0]);
	(void)name;
	while (p < end) {
		size_t n = line_end(p, end);
		if (n == 0) {
			p++;
			continue;
		}
		if (!push_part(b, l, from, keep ? p + n : p))
			return NULL;
		from = p += n;
	}
	return from == end || push_part(b, l, from, end) ? l : NULL;
}

/* ---- putting together -------------------------------------------------------------------- */

static bool
put(body *b, vt_buf *t, const char *s, size_t n)
{
	if (!body_charge(b, n))
		return false;
	vt_buf_put(t, s, n);
	return true;
}

static body_value *
finish(body *b, vt_buf *t, bool good)
{
	if (good)
		return body_scalar(b, vt_str_take(b->rt, t));
	vt_buf_free(t);
	return NULL;
}

static body_value *
join(body *b, const char *name, body_value *self, const body_args *a)
{
	vt_buf t = {0};
	bool bad = false, good = true;
	body_value *x;
	(void)name;
	for (uint32_t i = 0; good && (x = body_nth(b, a->v[0], i, &bad)) != NULL; i++) {
		if (!body_is_text(x)) {
			(void)body_raise(b, "TypeError",
				"sequence item %u: expected str instance, %s found", i,
				body_type(x));
			good = false;
			break;
		}
		good = body_step(b, 1) &&
		       (i == 0 || put(b, &t, str_of(self)->s, str_of(self)->bytes)) &&
		       put(b, &t, str_of(x)->s, str_of(x)->bytes);
	}
	return finish(b, &t, good && !bad);
}

static body_value *
replace(body *b, const char *name, body_value *self, const body_args *a)
{
	const vt_str *s = str_of(self), *old = text_arg(b, name, a, 0),
		     *new = old ? text_arg(b, name, a, 1) : NULL;
	const char *p = s->s, *end = p + s->bytes, *at;
	int64_t most = -1;
	vt_buf t = {0};
	bool good = true;
	if (new == NULL || (a->n > 2 && !body_index(b, a->v[2], &most)))
		return NULL;
	if (old->bytes == 0)
		return body_unable(b, "replace() of the empty text");
	while (good && most-- != 0 && (at = memmem(p, (size_t)(end - p), old->s, old->bytes))) {
		good = body_step(b, 1) && put(b, &t, p, (size_t)(at - p)) &&
		       put(b, &t, new->s, new->bytes);
		p = at + old->bytes;
	}
	good = good && put(b, &t, p, (size_t)(end - p));
	return finish(b, &t, good);
}

static body_value *
change_case(body *b, const char *name, body_value *self, const body_args *a)
{
	(void)a;
	return body_scalar(b, name[0] == 'u' ? vt_str_upper(b->rt, str_of(self))
					     : vt_str_lower(b->rt, str_of(self)));
}

static body_value *
pad(body *b, const char *name, body_value *self, const body_args *a)
{
	const vt_str *s = str_of(self), *fill = NULL;
	int64_t width, more, left;
	vt_buf t = {0};
	bool good = true;
	if (!body_index(b, a->v[0], &width))
		return NULL;
	if (a->n > 1 && (fill = text_arg(b, name, a, 1)) == NULL)
		return NULL;
	more = width - s->points;
	left = name[0] == 'r' ? more : 0;
	for (int64_t i = 0; good && i < left; i++)
		good = put(b, &t, fill ? fill->s : " ", fill ? fill->bytes : 1);
	good = good && put(b, &t, s->s, s->bytes);
	for (int64_t i = 0; good && name[0] == 'l' && i < more; i++)
		good = put(b, &t, fill ? fill->s : " ", fill ? fill->bytes : 1);
	return finish(b, &t, good);
}

/* ---- asking ------------------------------------------------------------------------------ */

static body_value *
affix(body *b, const char *name, body_value *self, const body_args *a)
{
	const vt_str *s = str_of(self);
	const body_value *one = a->v[0];
	for (uint32_t i = 0; i < (one->kind == BODY_TUPLE ? one->n : 1); i++) {
		const body_value *x = one->kind == BODY_TUPLE ? one->item[i] : one;
		const vt_str *t;
		if (!body_is_text(x))
			return body_raise(b, "TypeError",
				"%s first arg must be str or a tuple of str, not %s", name,
				body_type(x));
		t = str_of(x);
		if (t->bytes <= s->bytes &&
			memcmp(name[0] == 's' ? s->s : s->s + s->bytes - t->bytes, t->s,
				t->bytes) == 0)
			return body_bool(b, true);
	}
	return body_bool(b, false);
}

static body_value *
find(body *b, const char *name, body_value *self, const body_args *a)
{
	const vt_str *part = text_arg(b, name, a, 0), *s = str_of(self);
	int64_t at;
	if (part == NULL || !body_step(b, s->bytes / 16 + 1))
		return NULL;
	at = name[0] == 'r' ? vt_str_rfind(b->rt, s, part, 0, s->points)
			    : vt_str_find(b->rt, s, part, 0, s->points);
	if (at < 0 && strstr(name, "index") != NULL)
		return body_raise(b, "ValueError", "substring not found");
	return body_int(b, at);
}

static body_value *
count(body *b, const char *name, body_value *self, const body_args *a)
{
	const vt_str *s = str_of(self), *x = text_arg(b, name, a, 0);
	const char *p = s->s, *end = p + s->bytes;
	int64_t n = 0;
	if (x == NULL || x->bytes == 0)
		return x == NULL ? NULL : body_int(b, (int64_t)s->points + 1);
	for (; (p = memmem(p, (size_t)(end - p), x->s, x->bytes)) != NULL; p += x->bytes) {
		n++;
		if (!body_step(b, 1))
			return NULL;
	}
	return body_int(b, n);
}

static body_value *
is_digits(body *b, const char *name, body_value *self, const body_args *a)
{
	const char *p = str_of(self)->s, *end = p + str_of(self)->bytes;
	bool good = p < end;
	(void)name;
	(void)a;
	while (p < end && good)
		good = vt_digit_value(vt_utf8_next(&p)) >= 0;
	return body_bool(b, good);
}

/* ---- format() ---------------------------------------------------------------------------- */

/* Makes *out the value as the runtime has it; an exception becomes its text. */
static bool
plain(body *b, const body_value *v, vt_value *out)
{
	*out = v->kind == BODY_EXCEPTION ? body_str(b, v) : body_plain(b, v);
	return *out != VT_UNDEF;
}

enum { WIDTHS = 10000, PATTERN = 1 << 16 };

/* Could the text become much longer than what goes in?  Widths of five digits, or given ones. */
static bool
is_wide(const vt_str *s)
{
	size_t digits = 0;
	bool inside = false;
	for (const char *p = s->s; *p != '\0'; p++) {
		digits = *p >= '0' && *p <= '9' ? digits + 1 : 0;
		if (digits > 4 || (inside && *p == '{' && p[-1] != '{'))
			return true;
		inside = *p == '{' || (inside && *p != '}');
	}
	return s->bytes > PATTERN;
}

static size_t
fields_of(const vt_str *s, char c)
{
	size_t n = 0;
	for (size_t i = 0; i < s->bytes; i++)
		n += s->s[i] == c;
	return n;
}

static bool
format_fits(body *b, const vt_str *pattern, char c, const vt_value *v, uint32_t n)
{
	size_t most = WIDTHS;
	for (uint32_t i = 0; i < n; i++)
		if (vt_is(v[i], STR) && vt_as_str(v[i])->bytes > most)
			most = vt_as_str(v[i])->bytes;
	if (!is_wide(pattern) && fields_of(pattern, c) <= BODY_MEMORY / most)
		return true;
	(void)body_unable(b, "a format that wide");
	return false;
}

static body_value *
format(body *b, const char *name, body_value *self, const body_args *a)
{
	vt_value *rest = vt_xmalloc((a->n + 1) * sizeof *rest), out = VT_UNDEF, pattern = self->v;
	vt_args args = {.rt = b->rt, .v = &pattern, .nv = 1, .rest = rest, .kw = VT_NULL};
	vt_dict *kw = vt_dict_new(b->rt, false);
	bool good = true;
	(void)name;
	for (; good && args.nrest < a->n; args.nrest += good)
		good = plain(b, a->v[args.nrest], &rest[args.nrest]);
	for (uint32_t i = 0; good && a->named != NULL && i < a->named->n; i++) {
		vt_value v;
		good = plain(b, a->named->item[i], &v);
		if (good)
			vt_dict_set_c(b->rt, kw, str_of(a->named->key[i])->s, v);
	}
	args.kw = vt_mkptr(kw);
	good = good && format_fits(b, str_of(self), '{', rest, args.nrest);
	if (good && vt_lib_format(&args, &out) != VT_OK) {
		(void)body_raise_pending(b);
		out = VT_UNDEF;
	}
	for (uint32_t i = 0; i < args.nrest; i++)
		vt_release(rest[i]);
	free(rest);
	vt_release(args.kw);
	return out == VT_UNDEF ? NULL : body_scalar(b, out);
}

/* ---- the operator % ---------------------------------------------------------------------- */

typedef struct percent {
	body *b;
	body_value *values; /* a tuple, or the one value, or a dict */
	uint32_t used;
	vt_buf out;
} percent;

static body_value *
next_value(percent *x)
{
	body_value *v = x->values;
	uint32_t i = x->used++;
	if (v->kind == BODY_TUPLE ? i < v->n : i == 0)
		return v->kind == BODY_TUPLE ? v->item[i] : v;
	return body_raise(x->b, "TypeError", "not enough arguments for format string");
}

/* %(name)s */
static body_value *
named_value(percent *x, const char **p)
{
	const char *end = strchr(*p, ')');
	body_value *v;
	if (end == NULL)
		return body_raise(x->b, "ValueError", "incomplete format key");
	if (!body_is_dict(x->values))
		return body_raise(x->b, "TypeError", "format requires a mapping");
	v = body_text(x->b, *p + 1, (size_t)(end - *p - 1));
	*p = end + 1;
	x->used = 1;
	return body_item(x->b, x->values, v);
}

static bool
put_formatted(percent *x, vt_value v, const vt_buf *spec)
{
	text s = {spec->p ? spec->p : "", spec->p ? spec->p + spec->n : ""};
	if (vt_format_value(x->b->rt, &x->out, v, s) == VT_OK)
		return true;
	(void)body_raise_pending(x->b);
	return false;
}

/* The value of %d, %x: an integer; of %f: any number. */
static bool
number_for(percent *x, char type, const body_value *v, vt_value *out)
{
	bool whole = strchr("diuxXo", type) != NULL, based = strchr("xXo", type) != NULL;
	*out = VT_UNDEF;
	if (v->kind != BODY_SCALAR || !(vt_is_number(v->v) || vt_is_bool(v->v)) ||
		(based && vt_is(v->v, FLOAT))) {
		(void)body_raise(x->b, "TypeError", "%%%c format: a%s is required, not %s", type,
			based ? "n integer" : " real number", body_type(v));
		return false;
	}
	if (whole && vt_is(v->v, FLOAT) &&
		vt_float_to_int(x->b->rt, vt_as_float(v->v), out) != VT_OK)
		(void)body_raise_pending(x->b);
	else if (*out == VT_UNDEF)
		*out = vt_is_bool(v->v) ? vt_mkint(v->v == VT_TRUE) : vt_copy(v->v);
	return *out != VT_UNDEF;
}

/* Flags, width and precision of % as format() has them. */
static void
specification(
	vt_buf *spec, const char *flags, size_t n, const char *width, size_t nwidth, bool number)
{
	bool left = memchr(flags, '-', n) != NULL, zero = memchr(flags, '0', n) != NULL;
	vt_buf_puts(spec, left ? "<" : number && zero ? "" : ">");
	if (number && memchr(flags, '+', n) != NULL)
		vt_buf_putc(spec, '+');
	else if (number && memchr(flags, ' ', n) != NULL)
		vt_buf_putc(spec, ' ');
	if (number && memchr(flags, '#', n) != NULL)
		vt_buf_putc(spec, '#');
	if (number && zero && !left)
		vt_buf_putc(spec, '0');
	vt_buf_put(spec, width, nwidth);
}

static bool
put_value(percent *x, char type, const body_value *v, vt_buf *spec)
{
	vt_value plain_value = VT_UNDEF;
	bool good;
	if (strchr("sra", type) != NULL) {
		plain_value = type == 's' ? body_str(x->b, v) : body_repr(x->b, v);
		good = plain_value != VT_UNDEF;
	} else {
		good = number_for(x, type, v, &plain_value);
		vt_buf_putc(spec, type == 'i' || type == 'u' ? 'd' : type);
	}
	good = good && put_formatted(x, plain_value, spec);
	vt_release(plain_value);
	return good;
}

/* Behind a %. */
static bool
conversion(percent *x, const char **at)
{
	const char *p = *at, *flags, *width;
	body_value *v = NULL;
	vt_buf spec = {0};
	size_t nflags, nwidth;
	bool good;
	if (*p == '(' && (v = named_value(x, &p)) == NULL)
		return false;
	flags = p;
	p += nflags = strspn(p, "-+ #0");
	width = p;
	p += nwidth = strspn(p, "0123456789.");
	*at = p + (*p != '\0');
	if (*p == '%') {
		vt_buf_putc(&x->out, '%');
		return true;
	}
	if (*p == '*' || *p == 'c' || *p == 'l' || *p == 'h' || *p == 'L')
		return body_unable(x->b, "%%%c in a format", *p) != NULL;
	if (*p == '\0' || strchr("sradiuxXofFeEgG", *p) == NULL)
		return body_raise(x->b, "ValueError",
			       *p ? "unsupported format character" : "incomplete format") != NULL;
	if (v == NULL && (v = next_value(x)) == NULL)
		return false;
	specification(&spec, flags, nflags, width, nwidth, strchr("sra", *p) == NULL);
	good = put_value(x, *p, v, &spec);
	vt_buf_free(&spec);
	return good;
}

body_value *
body_percent(body *b, body_value *pattern, body_value *values)
{
	percent x = {.b = b, .values = values};
	const vt_str *s = str_of(pattern);
	const char *p = s->s, *end = p + s->bytes, *at;
	vt_value one = body_is_text(values) ? values->v : VT_NULL;
	if (!format_fits(b, s, '%', &one, 1))
		return NULL;
	while ((at = memchr(p, '%', (size_t)(end - p))) != NULL) {
		vt_buf_put(&x.out, p, (size_t)(at - p));
		p = at + 1;
		if (!body_step(b, 1) || !conversion(&x, &p) || x.out.n > BODY_MEMORY) {
			vt_buf_free(&x.out);
			return body_stopped(b) ? NULL : body_unable(b, "a text that long");
		}
	}
	vt_buf_put(&x.out, p, (size_t)(end - p));
	if (x.used < (values->kind == BODY_TUPLE ? values->n : !body_is_dict(values))) {
		vt_buf_free(&x.out);
		return body_raise(
			b, "TypeError", "not all arguments converted during string formatting");
	}
	return finish(b, &x.out, true);
}

/* ---- the table --------------------------------------------------------------------------- */

static const struct text_method {
	const char *name;
	body_value *(*fn)(body *, const char *name, body_value *, const body_args *);
	uint32_t least, most;
} methods[] = {
	{"count", count, 1, 1},
	{"endswith", affix, 1, 1},
	{"find", find, 1, 1},
	{"format", format, 0, UINT32_MAX},
	{"index", find, 1, 1},
	{"isdigit", is_digits, 0, 0},
	{"join", join, 1, 1},
	{"ljust", pad, 1, 2},
	{"lower", change_case, 0, 0},
	{"lstrip", strip, 0, 1},
	{"replace", replace, 2, 3},
	{"rfind", find, 1, 1},
	{"rindex", find, 1, 1},
	{"rjust", pad, 1, 2},
	{"rsplit", split, 0, 2},
	{"rstrip", strip, 0, 1},
	{"split", split, 0, 2},
	{"splitlines", splitlines, 0, 1},
	{"startswith", affix, 1, 1},
	{"strip", strip, 0, 1},
	{"upper", change_case, 0, 0},
};
static const char others[] =
	" capitalize casefold center encode expandtabs format_map isalnum isalpha isascii "
	"isdecimal isidentifier islower isnumeric isprintable isspace istitle isupper maketrans "
	"partition removeprefix removesuffix rpartition swapcase title translate zfill ";

bool
body_has_method(body *b, const body_value *v, const char *name)
{
	(void)v;
	for (size_t i = 0; i < VT_LEN(methods); i++)
		if (strcmp(methods[i].name, name) == 0)
			return true;
	if (body_has_word(others, name, strlen(name)))
		(void)body_unable(b, "the method %s() of a text", name);
	return false;
}

body_value *
body_text_method(body *b, const char *name, body_value *self, const body_args *a)
{
	const struct text_method *m = methods;
	body_args plain_args = {.v = a->v, .n = a->n};
	while (strcmp(m->name, name) != 0)
		m++;
	if (!body_arity(b, name, m->fn == format ? &plain_args : a, m->least, m->most))
		return NULL;
	return m->fn(b, name, self, a);
}
