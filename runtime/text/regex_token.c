/*
 * regex_token.c - reads Python's regular expressions for regex_parse.c: tokens and escapes, and the
 * errors of both with their places.
 */
#include "runtime/text/regex_int.h"
#include "runtime/core/printable.h"
#include "runtime/core/exception.h"

#include <stdlib.h>
#include <string.h>

/* ---- errors ---------------------------------------------------------------------------------- */

uint32_t
re_tell(const parser *p)
{
	return p->index - p->next.n;
}

/* message, then the place as re.error shows it. */
vt_status
re_fail_at(parser *p, uint32_t pos, vt_buf *message)
{
	uint32_t line = 1, start = 0;
	bool lines = false;
	for (uint32_t i = 0; i < p->n; i++) {
		if (p->cp[i] != '\n')
			continue;
		lines = true;
		if (i < pos) {
			line++;
			start = i + 1;
		}
	}
	vt_buf_printf(message, " at position %u", pos);
	if (lines)
		vt_buf_printf(message, " (line %u, column %u)", line, pos - start + 1);
	return vt_raise_value(p->rt, VT_E_RE, vt_str_take(p->rt, message));
}

vt_status
re_fail(parser *p, uint32_t before, const char *fmt, ...)
{
	vt_buf b = {0};
	va_list ap;
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	return re_fail_at(p, re_tell(p) - before, &b);
}

static void
put_points(vt_buf *b, const uint32_t *c, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		vt_utf8_put(b, c[i]);
}

/* fmt has one %s for the text of the code points. */
vt_status
re_fail_citing(parser *p, uint32_t before, const char *fmt, const uint32_t *c, uint32_t n)
{
	vt_buf cited = {0}, b = {0};
	const char *at = strstr(fmt, "%s");
	put_points(&cited, c, n);
	vt_buf_put(&b, fmt, (size_t)(at - fmt));
	vt_buf_put(&b, cited.p, cited.n);
	vt_buf_puts(&b, at + 2);
	vt_buf_free(&cited);
	return re_fail_at(p, re_tell(p) - before, &b);
}

vt_status
re_fail_name(parser *p, uint32_t before, const char *what, vt_value name)
{
	vt_buf b = {0};
	vt_buf_puts(&b, what);
	vt_repr_cut(p->rt, &b, name);
	return re_fail_at(p, re_tell(p) - before, &b);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

vt_status
re_advance(parser *p)
{
	p->next.n = 0;
	if (p->index >= p->n)
		return VT_OK;
	p->next.c[0] = p->cp[p->index];
	if (p->next.c[0] == '\\') {
		if (p->index + 1 >= p->n) {
			vt_buf b = {0};
			vt_buf_puts(&b, "bad escape (end of pattern)");
			return re_fail_at(p, p->n - 1, &b);
		}
		p->next.c[1] = p->cp[p->index + 1];
		p->next.n = 2;
	} else {
		p->next.n = 1;
	}
	p->index += p->next.n;
	return VT_OK;
}

bool
re_next_is(const parser *p, uint32_t c)
{
	return p->next.n == 1 && p->next.c[0] == c;
}

vt_status
re_match(parser *p, uint32_t c, bool *yes)
{
	*yes = re_next_is(p, c);
	return *yes ? re_advance(p) : VT_OK;
}

vt_status
re_get(parser *p, token *t)
{
	*t = p->next;
	return re_advance(p);
}

bool
re_one_of(token t, const char *set)
{
	return t.n == 1 && t.c[0] != 0 && t.c[0] < 128 && strchr(set, (int)t.c[0]) != NULL;
}

bool
re_letter(uint32_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

#define OCTAL "01234567"
#define HEX "0123456789abcdefABCDEF"

uint32_t
re_digit(uint32_t c)
{
	return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

/* Text up to the terminator, which is taken too, as a string. */
vt_status
re_get_until(parser *p, uint32_t terminator, const char *what, vt_value *name, uint32_t *len)
{
	vt_buf b = {0};
	token t;
	*len = 0;
	for (;;) {
		vt_status st = re_get(p, &t);
		if (st == VT_OK && t.n == 0)
			st = *len == 0 ? re_fail(p, 0, "missing %s", what)
				       : re_fail(p, *len, "missing %c, unterminated name",
						 (char)terminator);
		else if (st == VT_OK && t.n == 1 && t.c[0] == terminator && *len == 0)
			st = re_fail(p, 1, "missing %s", what);
		if (st != VT_OK) {
			vt_buf_free(&b);
			return st;
		}
		if (t.n == 1 && t.c[0] == terminator)
			break;
		put_points(&b, t.c, t.n);
		*len += t.n;
	}
	*name = vt_str_take(p->rt, &b);
	return VT_OK;
}

bool
vt_is_identifier(const vt_str *s)
{
	const char *p = s->s, *end = s->s + s->bytes;
	uint32_t c;
	if (p == end)
		return false;
	c = vt_utf8_next(&p);
	if (!vt_is_word(c) || vt_digit_value(c) >= 0)
		return false;
	while (p < end)
		if (!vt_is_word(vt_utf8_next(&p)))
			return false;
	return true;
}

/* A decimal number, saturated; false: something else. */
bool
re_number_of(const vt_str *s, uint64_t *n)
{
	*n = 0;
	for (uint32_t i = 0; i < s->bytes; i++) {
		if (s->s[i] < '0' || s->s[i] > '9')
			return false;
		*n = *n > (uint64_t)1e17 ? *n : *n * 10 + (uint64_t)(s->s[i] - '0');
	}
	return s->bytes > 0;
}

/* ---- escapes --------------------------------------------------------------------------------- */

static vt_status
get_while(parser *p, escape *e, uint32_t most, const char *set)
{
	for (; most > 0 && re_one_of(p->next, set); most--) {
		e->c[e->n++] = p->next.c[0];
		VT_TRY(re_advance(p));
	}
	return VT_OK;
}

static uint64_t
value_of(const escape *e, uint32_t from, uint32_t base)
{
	uint64_t v = 0;
	for (uint32_t i = from; i < e->n; i++)
		v = v * base + re_digit(e->c[i]);
	return v;
}

static vt_status
bad_escape(parser *p, const escape *e)
{
	return re_fail_citing(p, e->n, "bad escape %s", e->c, e->n);
}

static vt_status
octal_range(parser *p, const escape *e)
{
	return re_fail_citing(
		p, e->n, "octal escape value %s outside of range 0-0o377", e->c, e->n);
}

static vt_status
hex_escape(parser *p, escape *e, code *c)
{
	uint32_t digits = e->c[1] == 'x' ? 2 : e->c[1] == 'u' ? 4 : 8;
	uint64_t v;
	VT_TRY(get_while(p, e, digits, HEX));
	if (e->n != digits + 2)
		return re_fail_citing(p, e->n, "incomplete escape %s", e->c, e->n);
	v = value_of(e, 2, 16);
	if (v > INT32_MAX)
		return vt_raise(p->rt, VT_E_OVERFLOW, "Python int too large to convert to C int");
	if (v > 0x10ffff)
		return bad_escape(p, e);
	*c = (code){LITERAL, (uint32_t)v};
	return VT_OK;
}

/* \a and its like; 0: none. */
static uint32_t
control(uint32_t c, bool in_class)
{
	switch (c) {
	case 'a': return 7;
	case 'b': return in_class ? 8 : 0;
	case 'f': return 12;
	case 'n': return 10;
	case 'r': return 13;
	case 't': return 9;
	case 'v': return 11;
	case '\\': return '\\';
	default: return 0;
	}
}

vt_status
re_check_reference(parser *p, uint32_t g, uint32_t before)
{
	if (g >= p->ngroups || !p->groups[g].closed)
		return re_fail(p, before, "cannot refer to an open group");
	return VT_OK;
}

vt_status
re_check_behind(parser *p, uint32_t g)
{
	if (p->behind == 0)
		return VT_OK;
	VT_TRY(re_check_reference(p, g, 0));
	if (g >= p->behind)
		return re_fail(
			p, 0, "cannot refer to group defined in the same lookbehind subpattern");
	return VT_OK;
}

/* A group's number of one or two digits, or three octal digits. */
static vt_status
digit_escape(parser *p, escape *e, code *c)
{
	uint32_t g;
	VT_TRY(get_while(p, e, 1, DECIMAL));
	if (e->n == 3 && e->c[1] < '8' && e->c[2] < '8' && re_one_of(p->next, OCTAL)) {
		VT_TRY(get_while(p, e, 1, OCTAL));
		*c = (code){LITERAL, (uint32_t)value_of(e, 1, 8)};
		return c->c > 0377 ? octal_range(p, e) : VT_OK;
	}
	g = (uint32_t)value_of(e, 1, 10);
	if (g >= p->ngroups)
		return re_fail(p, e->n - 1, "invalid group reference %u", g);
	VT_TRY(re_check_reference(p, g, e->n));
	VT_TRY(re_check_behind(p, g));
	*c = (code){BACKREF, g};
	return VT_OK;
}

static vt_status
octal_escape(parser *p, escape *e, code *c)
{
	VT_TRY(get_while(p, e, 2, OCTAL));
	*c = (code){LITERAL, (uint32_t)value_of(e, 1, 8)};
	return c->c > 0377 ? octal_range(p, e) : VT_OK;
}

vt_status
re_read_escape(parser *p, token t, bool in_class, code *c)
{
	uint32_t x = t.c[1];
	escape e = {{t.c[0], x}, 2};
	if (x < 128 && x != 0 && strchr("dDsSwW", (int)x) != NULL) {
		*c = (code){CATEGORY, x};
		return VT_OK;
	}
	if (!in_class && x < 128 && x != 0 && strchr("AbBZ", (int)x) != NULL) {
		*c = (code){PLACE, x};
		return VT_OK;
	}
	*c = (code){LITERAL, control(x, in_class)};
	if (c->c != 0)
		return VT_OK;
	if (x == 'x' || x == 'u' || x == 'U')
		return hex_escape(p, &e, c);
	if (x == 'N')
		return re_fail(p, 2, "\\N, a character by its name, is not supported");
	if (x == '0' || (in_class && x >= '0' && x <= '7'))
		return octal_escape(p, &e, c);
	if (!in_class && x >= '1' && x <= '9')
		return digit_escape(p, &e, c);
	if (re_letter(x) || x == '8' || x == '9')
		return bad_escape(p, &e);
	c->c = x;
	return VT_OK;
}
