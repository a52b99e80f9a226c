/*
 * yaml_write.c - a value as YAML: `vetro query -y`, `vetro tosca -f yaml`.
 *
 * Block style, two blanks a level.  A text goes out bare only when no reader of YAML 1.1 or 1.2
 * could take it for something else; text of several lines becomes a literal block; everything else
 * is quoted.
 */
#include "runtime/core/base.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_NESTED = 2000 };

typedef struct writer {
	vt_rt *rt;
	vt_buf *b;
	uint32_t nested;
} writer;

static void write_block(writer *, vt_value, int indent, bool inline_first);

static void
blanks(vt_buf *b, int n)
{
	while (n-- > 0)
		vt_buf_putc(b, ' ');
}

/* ---- text -------------------------------------------------------------------------------- */

/* Words that stand for something else in one version of YAML or the other. */
static bool
is_word(const vt_str *s)
{
	static const char *const words[] = {
		"null", "true", "false", "yes", "no", "on", "off", "y", "n", "inf", "nan"};

	for (size_t i = 0; i < VT_LEN(words); i++)
		if (strcasecmp(s->s, words[i]) == 0)
			return true;
	return false;
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Begins with a letter, so it is no number, no date and no indicator. */
static bool
is_bare(const vt_str *s)
{
	if (s->bytes == 0 || !(is_letter(s->s[0]) || s->s[0] == '_' || s->s[0] == '/') ||
		s->s[s->bytes - 1] == ' ' || strlen(s->s) != s->bytes || is_word(s))
		return false;
	for (uint32_t i = 0; i < s->bytes; i++) {
		char c = s->s[i];
		if (c == ':' && i + 1 < s->bytes && s->s[i + 1] != ' ')
			continue;
		if (!is_letter(c) && !(c >= '0' && c <= '9') && !strchr("_-./+@%=() ", c))
			return false;
	}
	return true;
}

/* A literal block keeps its text as long as its first line does not hide the indentation. */
static bool
is_literal(const vt_str *s)
{
	const char *p = s->s, *end = p + s->bytes;

	if (memchr(p, '\n', s->bytes) == NULL || *p == ' ' || *p == '\n' || *p == '\t')
		return false;
	while (p < end) {
		uint32_t cp = vt_utf8_next(&p);
		if (cp != '\n' && cp != '\t' && (cp == 0xfeff || !vt_is_printable(cp)))
			return false;
	}
	return true;
}

static void
write_quoted(vt_buf *b, const vt_str *s)
{
	const char *p = s->s, *end = p + s->bytes;

	vt_buf_putc(b, '"');
	while (p < end) {
		const char *start = p;
		uint32_t cp = vt_utf8_next(&p);
		if (cp == '"' || cp == '\\')
			vt_buf_printf(b, "\\%c", (int)cp);
		else if (cp == '\n' || cp == '\t')
			vt_buf_puts(b, cp == '\n' ? "\\n" : "\\t");
		else if (cp != 0xfeff && vt_is_printable(cp))
			vt_buf_put(b, start, (size_t)(p - start));
		else
			vt_buf_printf(b,
				cp < 0x100     ? "\\x%02x"
				: cp < 0x10000 ? "\\u%04x"
					       : "\\U%08x",
				cp);
	}
	vt_buf_putc(b, '"');
}

static void
write_literal(vt_buf *b, const vt_str *s, int indent)
{
	const char *p = s->s, *end = p + s->bytes, *nl;
	bool one = s->s[s->bytes - 1] == '\n', more = one && s->s[s->bytes - 2] == '\n';

	vt_buf_puts(b, more ? "|+" : one ? "|" : "|-");
	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (nl == NULL)
			nl = end;
		vt_buf_putc(b, '\n');
		if (nl > p)
			blanks(b, indent);
		vt_buf_put(b, p, (size_t)(nl - p));
	}
}

/* A date that stood in YAML without quotes. */
static bool
is_stamp(const vt_str *s)
{
	return (s->h.flags & VT_F_STAMP) && s->bytes > 0 && s->s[0] >= '0' && s->s[0] <= '9' &&
	       strspn(s->s, "0123456789-+:. \tTtZz") == s->bytes;
}

static void
write_text(vt_buf *b, const vt_str *s)
{
	if (is_bare(s) || is_stamp(s))
		vt_buf_put(b, s->s, s->bytes);
	else
		write_quoted(b, s);
}

/* ---- other values ------------------------------------------------------------------------- */

/* YAML 1.1 wants a point in every float. */
static void
write_float(vt_buf *b, double d)
{
	size_t from = b->n, i;

	if (!(d - d == 0)) {
		vt_buf_puts(b, d != d ? ".nan" : d > 0 ? ".inf" : "-.inf");
		return;
	}
	vt_float_repr(b, d);
	for (i = from; i < b->n && b->p[i] != 'e'; i++)
		if (b->p[i] == '.')
			return;
	vt_buf_puts(b, ".0");
	if (i + 2 < b->n) {
		memmove(b->p + i + 2, b->p + i, b->n - 2 - i);
		memcpy(b->p + i, ".0", 2);
	}
}

/* What has no form of its own goes out as in JSON, which is a part of YAML. */
static void
write_other(writer *w, vt_value v)
{
	vt_json_write(w->rt, w->b, v, 0);
}

static void
write_scalar(writer *w, vt_value v)
{
	if (vt_is(v, STR))
		write_text(w->b, vt_as_str(v));
	else if (vt_is(v, FLOAT))
		write_float(w->b, vt_as_float(v));
	else if (vt_is_integer(v))
		vt_int_repr(w->b, v, 10);
	else
		write_other(w, v);
}

/* A key in the short form must end within 1024 characters, escapes included. */
enum { SHORT_KEY = 100 };

static void
write_key(writer *w, vt_value k, int indent)
{
	vt_buf text = {0};
	vt_value s;

	if (vt_is_number(k) || vt_is_bool(k) || k == VT_NULL ||
		(vt_is(k, STR) && is_stamp(vt_as_str(k)))) {
		write_scalar(w, k);
		return;
	}
	vt_yaqlstr(w->rt, &text, k);
	s = vt_str_take(w->rt, &text);
	if (vt_as_str(s)->bytes > SHORT_KEY)
		vt_buf_puts(w->b, "? ");
	write_text(w->b, vt_as_str(s));
	if (vt_as_str(s)->bytes > SHORT_KEY) {
		vt_buf_putc(w->b, '\n');
		blanks(w->b, indent);
	}
	vt_release(s);
}

static bool
is_container(vt_value v)
{
	return (vt_is(v, DICT) && vt_dict_len(vt_as_dict(v))) ||
	       (vt_is_sequence(v) && vt_as_list(v)->n);
}

/* A value behind "key:" or "-". */
static void
write_child(writer *w, vt_value v, int indent, bool in_list)
{
	if (!is_container(v)) {
		vt_buf_putc(w->b, ' ');
		if (vt_is(v, STR) && is_literal(vt_as_str(v)))
			write_literal(w->b, vt_as_str(v), indent);
		else
			write_scalar(w, v);
		vt_buf_putc(w->b, '\n');
		return;
	}
	vt_buf_putc(w->b, in_list ? ' ' : '\n');
	write_block(w, v, indent, in_list);
}

/* inline_first: the first line's indentation is there already, being that of "- ". */
static void
write_block(writer *w, vt_value v, int indent, bool inline_first)
{
	vt_value key, value;
	uint32_t pos = 0;

	if (w->nested >= MAX_NESTED) {
		blanks(w->b, inline_first ? 0 : indent);
		vt_buf_puts(w->b, "null\n");
		return;
	}
	w->nested++;
	if (vt_is(v, DICT))
		while (vt_dict_at(vt_as_dict(v), &pos, &key, &value)) {
			blanks(w->b, inline_first ? 0 : indent);
			inline_first = false;
			write_key(w, key, indent);
			vt_buf_putc(w->b, ':');
			write_child(w, value, indent + 2, false);
		}
	else
		for (; pos < vt_as_list(v)->n; pos++) {
			blanks(w->b, inline_first ? 0 : indent);
			inline_first = false;
			vt_buf_putc(w->b, '-');
			write_child(w, vt_as_list(v)->v[pos], indent + 2, true);
		}
	w->nested--;
}

void
vt_yaml_write(vt_rt *rt, vt_buf *b, vt_value value)
{
	writer w = {rt, b, 0};

	if (is_container(value)) {
		write_block(&w, value, 0, true);
		return;
	}
	if (vt_is(value, STR) && is_literal(vt_as_str(value)))
		write_literal(b, vt_as_str(value), 2);
	else
		write_scalar(&w, value);
	vt_buf_putc(b, '\n');
}
