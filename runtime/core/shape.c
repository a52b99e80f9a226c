/*
 * shape.c - see shape.h.
 */
#include "runtime/core/dict.h"
#include "runtime/core/shape.h"
#include "runtime/core/number.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- places ------------------------------------------------------------------------------ */

enum { DEEPEST = 8 };
typedef struct check {
	const char *text, *end;
	const char *key[DEEPEST]; /* the way down: a member's name, or NULL and an index */
	uint32_t index[DEEPEST], n;
	vt_buf why;
} check;

static const char *
skip_blank(const check *c, const char *p)
{
	while (p < c->end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p;
}

static const char *
skip_string(const check *c, const char *p)
{
	for (p++; p < c->end && *p != '"'; p++)
		if (*p == '\\' && p + 1 < c->end)
			p++;
	return p < c->end ? p + 1 : p;
}

/* Behind a value; the text is known to be JSON. */
static const char *
skip_value(const check *c, const char *p)
{
	uint32_t depth = 0;
	for (p = skip_blank(c, p); p < c->end;) {
		if (*p == '"') {
			p = skip_string(c, p);
		} else if (*p == '{' || *p == '[') {
			depth++;
			p++;
			continue;
		} else if (*p == '}' || *p == ']') {
			if (depth == 0)
				return p;
			depth--;
			p++;
		} else if (*p == ',' && depth == 0) {
			return p;
		} else {
			p++;
			continue;
		}
		if (depth == 0)
			return p;
	}
	return p;
}

/* Does the string at p say that?  One with escapes says nothing here: keys of scenarios need none.
 */
static bool
says(const check *c, const char *p, const char *key)
{
	size_t n = strlen(key);
	return (size_t)(c->end - p) > n + 1 && memcmp(p + 1, key, n) == 0 && p[n + 1] == '"';
}

static const char *
member_at(const check *c, const char *p, const char *key)
{
	for (p = skip_blank(c, p + 1); p < c->end && *p == '"';) {
		bool found = says(c, p, key);
		const char *name = p;
		p = skip_blank(c, skip_string(c, p));
		if (p < c->end && *p == ':')
			p = skip_blank(c, p + 1);
		if (found)
			return p < c->end ? p : name;
		p = skip_blank(c, skip_value(c, p));
		if (p < c->end && *p == ',')
			p = skip_blank(c, p + 1);
	}
	return c->text;
}

static const char *
item_at(const check *c, const char *p, uint32_t index)
{
	for (p = skip_blank(c, p + 1); p < c->end && index > 0; index--) {
		p = skip_blank(c, skip_value(c, p));
		if (p < c->end && *p == ',')
			p = skip_blank(c, p + 1);
	}
	return p;
}

static bool wrong(check *, const char *fmt, ...) VT_PRINTF(2, 3);
static bool
wrong(check *c, const char *fmt, ...)
{
	const char *at = skip_blank(c, c->text);
	unsigned line = 1, column = 1;
	va_list ap;
	for (uint32_t i = 0; i < c->n; i++)
		at = c->key[i] ? member_at(c, at, c->key[i]) : item_at(c, at, c->index[i]);
	for (const char *p = c->text; p < at && p < c->end; p++) {
		column = *p == '\n' ? 1 : column + ((*p & 0xc0) != 0x80);
		line += *p == '\n';
	}
	if (c->text < c->end && *skip_blank(c, c->text) == '{')
		vt_buf_printf(&c->why, "%u:%u:", line, column);
	vt_buf_putc(&c->why, ' '); /* in YAML the names must do */
	for (uint32_t i = 0; i < c->n; i++)
		if (c->key[i] != NULL)
			vt_buf_printf(&c->why, "%s%s", i > 0 ? "." : "", c->key[i]);
		else
			vt_buf_printf(&c->why, "[%u]", c->index[i]);
	vt_buf_puts(&c->why, c->n > 0 ? ": " : "");
	va_start(ap, fmt);
	vt_buf_vprintf(&c->why, fmt, ap);
	va_end(ap);
	return false;
}

/* ---- checking ---------------------------------------------------------------------------- */

static bool check_value(check *, vt_value, const vt_field *);

/* Do at most two letters differ, side by side? */
static bool
is_near(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), same = 0, tail = 0;
	while (same < n && same < m && a[same] == b[same])
		same++;
	while (tail < n - same && tail < m - same && a[n - 1 - tail] == b[m - 1 - tail])
		tail++;
	return n - same - tail <= 2 && m - same - tail <= 2 && same + tail > 0;
}

static bool
unknown_member(check *c, const char *name, const vt_field *object)
{
	vt_buf all = {0};
	const char *near = NULL;
	bool r;
	for (const vt_field *f = object->fields; f->name != NULL; f++) {
		vt_buf_printf(&all, "%s%s", all.n ? ", " : "", f->name);
		if (is_near(name, f->name))
			near = f->name;
	}
	vt_buf_putc(&all, '\0');
	r = near == NULL && object->open ? true
	    : near                       ? wrong(c, "nobody reads this; is it %s?", near)
					 : wrong(c, "nobody reads this; there are %s", all.p);
	vt_buf_free(&all);
	return r;
}

static bool
down(check *c, const char *key, uint32_t index)
{
	if (c->n == DEEPEST)
		return false;
	c->key[c->n] = key;
	c->index[c->n++] = index;
	return true;
}

static bool
check_object(check *c, vt_value v, const vt_field *object)
{
	const vt_field *fields = object->fields;
	vt_value key, member;
	if (!vt_is(v, DICT))
		return wrong(c, "an object is expected, { ... }");
	for (uint32_t i = 0; fields != NULL && vt_dict_at(vt_as_dict(v), &i, &key, &member);) {
		const vt_field *f = fields;
		if (!down(c, vt_as_str(key)->s, 0))
			return true;
		while (f->name != NULL && strcmp(f->name, vt_as_str(key)->s) != 0)
			f++;
		if (f->name == NULL ? !unknown_member(c, vt_as_str(key)->s, object)
				    : !check_value(c, member, f))
			return false;
		c->n--;
	}
	return true;
}

static bool
check_items(check *c, vt_value v, const vt_field *f)
{
	if (!vt_is_sequence(v))
		return wrong(c, "a list is expected, [ ... ]");
	for (uint32_t i = 0; i < vt_as_list(v)->n; i++) {
		if (!down(c, NULL, i))
			return true;
		if (!check_object(c, vt_as_list(v)->v[i], f))
			return false;
		c->n--;
	}
	return true;
}

static bool
check_map(check *c, vt_value v, const vt_field *f)
{
	vt_value key, member;
	if (!vt_is(v, DICT))
		return wrong(c, "an object is expected, { ... }");
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(v), &i, &key, &member);) {
		if (!down(c, vt_as_str(key)->s, 0))
			return true;
		if (!(f->fields == NULL ? vt_is(member, STR) || wrong(c, "a text is expected")
					: check_object(c, member, f)))
			return false;
		c->n--;
	}
	return true;
}

static bool
is_word_of(const char *words, const char *s)
{
	size_t n = strcspn(s, " ") == strlen(s) ? strlen(s) : 0;
	for (const char *p = words; (p = strstr(p, s)) != NULL; p++)
		if ((p == words || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0') && n > 0)
			return true;
	return false;
}

/* -1: none. */
static double
amount(vt_value v)
{
	double d;
	if (vt_is(v, STR))
		return vt_float_from_str(vt_as_str(v), &d) ? d : -1;
	return !vt_is_number(v)  ? -1
	       : vt_is_int(v)    ? (double)vt_toint(v)
	       : vt_is(v, FLOAT) ? vt_as_float(v)
				 : -1;
}

static bool
is_amount(vt_value v)
{
	return amount(v) >= 0 && amount(v) < 1e12;
}

static bool
is_flag(vt_value v)
{
	static const char *const words[] = {"true", "false", "yes", "no", "on", "off", "1", "0"};
	if (!vt_is(v, STR))
		return vt_is_bool(v) || v == vt_mkint(0) || v == vt_mkint(1);
	for (size_t i = 0; i < VT_LEN(words); i++)
		if (strcasecmp(vt_as_str(v)->s, words[i]) == 0)
			return true;
	return false;
}

static bool
are_texts(vt_value v)
{
	for (uint32_t i = 0; vt_is_sequence(v) && i < vt_as_list(v)->n; i++)
		if (!vt_is(vt_as_list(v)->v[i], STR))
			return false;
	return vt_is_sequence(v);
}

static bool
check_value(check *c, vt_value v, const vt_field *f)
{
	switch (f->type) {
	case T_ANY: return true;
	case T_TEXT: return vt_is(v, STR) || wrong(c, "a text is expected");
	case T_WORD:
		return (vt_is(v, STR) && is_word_of(f->words, vt_as_str(v)->s)) ||
		       wrong(c, "one of these is expected: %s", f->words);
	case T_NUMBER:
		return (vt_is_number(v) && vt_num_cmp(v, vt_mkint(0)) >= 0 &&
			       vt_num_cmp(v, vt_mkint(1000000000)) < 0) ||
		       wrong(c, "a number of seconds is expected");
	case T_COUNT:
		return (vt_is_int(v) && vt_toint(v) >= 1) ||
		       wrong(c, "a number from 1 on is expected");
	case T_STATUS:
		return (vt_is_int(v) && vt_toint(v) >= 400 && vt_toint(v) <= 599) ||
		       wrong(c, "a status of HTTP is expected, 400 to 599");
	case T_BOOL: return vt_is_bool(v) || wrong(c, "true or false is expected");
	case T_LIST: return vt_is_sequence(v) || wrong(c, "a list is expected, [ ... ]");
	case T_ITEMS: return check_items(c, v, f);
	case T_MAP: return check_map(c, v, f);
	case T_OBJECT: return check_object(c, v, f);
	case T_ERROR: return vt_is(v, STR) || check_object(c, v, f);
	case T_AMOUNT: return is_amount(v) || wrong(c, "a number from 0 on is expected");
	case T_PORT:
		return (is_amount(v) && amount(v) >= 1 && amount(v) <= 65535) ||
		       wrong(c, "a port is expected, 1 to 65535");
	case T_FLAG: return is_flag(v) || wrong(c, "true or false is expected");
	case T_TEXTS:
		return vt_is(v, STR) || are_texts(v) ||
		       wrong(c, "a list of texts is expected, [ ... ]");
	case T_EXIT:
		return (vt_is_int(v) && vt_toint(v) >= 0 && vt_toint(v) <= 255) ||
		       wrong(c, "an exit code is expected, 0 to 255");
	}
	return true;
}

bool
vt_shape_check(const char *text, size_t n, vt_value v, const vt_field *whole, char **err)
{
	check c = {.text = text, .end = text + n};
	bool ok = check_object(&c, v, whole);
	vt_buf_putc(&c.why, '\0');
	if (ok)
		vt_buf_free(&c.why);
	else
		*err = c.why.p;
	return ok;
}

int
vt_get_named(vt_value dict, vt_value name, vt_value absent, vt_ic *place, vt_value *out)
{
	const vt_dict *d = vt_as_dict(dict);
	vt_value v;
	if (d->shape == NULL)
		return vt_get_in_place(dict, name, absent, out);
	v = vt_dict_get_ic(d, vt_as_str(name), place);
	if (v == VT_UNDEF)
		v = absent;
	if (v == VT_UNDEF)
		return 0;
	*out = vt_copy(v);
	return 1;
}
