/*
 * printable.c - text from outside, made harmless for terminals, DOT, XML and shells.
 *
 * Messages quote files and other machines.  Control characters and those that turn the direction of
 * writing would let a text forge what the terminal shows, so they appear as \u{..}.
 */
#include "runtime/core/printable.h"

#include <string.h>

typedef struct range {
	uint32_t first, last;
} range;

/* Two cells: Unicode's East_Asian_Width W and F, with neighbouring blocks joined. */
static const range wide[] = {
	{0x1100, 0x115f},
	{0x231a, 0x231b},
	{0x2329, 0x232a},
	{0x23e9, 0x23ec},
	{0x2e80, 0x303e},
	{0x3041, 0x33ff},
	{0x3400, 0x4dbf},
	{0x4e00, 0xa4cf},
	{0xa960, 0xa97f},
	{0xac00, 0xd7a3},
	{0xf900, 0xfaff},
	{0xfe30, 0xfe6f},
	{0xff01, 0xff60},
	{0xffe0, 0xffe6},
	{0x16fe0, 0x18cff},
	{0x1aff0, 0x1b2ff},
	{0x1f300, 0x1f64f},
	{0x1f680, 0x1f6ff},
	{0x1f900, 0x1faff},
	{0x20000, 0x3fffd},
};
/* No cell: combining marks of the common scripts, joiners and variation selectors. */
static const range narrow[] = {
	{0x300, 0x36f},
	{0x483, 0x489},
	{0x591, 0x5bd},
	{0x610, 0x61a},
	{0x64b, 0x65f},
	{0x93a, 0x93a},
	{0x93c, 0x93c},
	{0x941, 0x948},
	{0x94d, 0x94d},
	{0xe31, 0xe31},
	{0xe34, 0xe3a},
	{0xe47, 0xe4e},
	{0x1ab0, 0x1aff},
	{0x1dc0, 0x1dff},
	{0x200c, 0x200d},
	{0x20d0, 0x20ff},
	{0xfe00, 0xfe0f},
	{0xfe20, 0xfe2f},
	{0xe0100, 0xe01ef},
};
/* Shown as \u{..}: controls, line and paragraph separators, direction marks, invisible formatting.
 */
static const range hidden[] = {
	{0, 0x1f},
	{0x7f, 0x9f},
	{0xad, 0xad},
	{0x61c, 0x61c},
	{0x200b, 0x200b},
	{0x200e, 0x200f},
	{0x2028, 0x202e},
	{0x2060, 0x206f},
	{0xfeff, 0xfeff},
	{0xfff9, 0xfffb},
	{0xe0000, 0xe007f},
};

static bool
in_ranges(uint32_t ch, const range *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ch >= r[i].first && ch <= r[i].last)
			return true;
	return false;
}

uint32_t
vt_next_char(const char *s, size_t left, unsigned *length)
{
	const unsigned char *p = (const unsigned char *)s;
	unsigned n = *p < 0x80 ? 1 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc2 ? 2 : 0;
	*length = 1;
	if (n == 1)
		return *p;
	if (!n || n > left || *p > 0xf4)
		return 0xfffd;
	uint32_t ch = *p & (0x7f >> n);
	for (unsigned i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0xfffd;
		ch = ch << 6 | (p[i] & 0x3f);
	}
	if (ch > 0x10ffff || (ch >= 0xd800 && ch < 0xe000) || (n == 3 && ch < 0x800) ||
		(n == 4 && ch < 0x10000))
		return 0xfffd;
	*length = n;
	return ch;
}

unsigned
vt_put_shown(vt_buf *b, uint32_t ch, const char *bytes, unsigned length)
{
	if (in_ranges(ch, hidden, VT_LEN(hidden))) {
		size_t before = b->n;
		vt_buf_printf(b, "\\u{%x}", ch);
		return (unsigned)(b->n - before);
	}
	if (ch == 0xfffd)
		vt_buf_puts(b, "\xef\xbf\xbd");
	else
		vt_buf_put(b, bytes, length);
	if (ch < 0x300)
		return 1;
	return in_ranges(ch, narrow, VT_LEN(narrow)) ? 0
	       : in_ranges(ch, wide, VT_LEN(wide))   ? 2
						     : 1;
}

bool
vt_is_visible(const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		unsigned length;
		uint32_t ch = vt_next_char(s + i, n - i, &length);
		if (in_ranges(ch, hidden, VT_LEN(hidden)) || (ch == 0xfffd && length == 1))
			return false;
		i += length;
	}
	return true;
}

void
vt_put_printable(vt_buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		unsigned length;
		uint32_t ch = vt_next_char(s + i, n - i, &length);
		if (ch == '\n')
			vt_buf_puts(b, "\\n");
		else
			vt_put_shown(b, ch, s + i, length);
		i += length;
	}
}

void
vt_put_lines(vt_buf *b, const char *s, size_t n)
{
	const char *end = s + n;

	while (s < end) {
		size_t k = 0;
		while (s + k < end && s[k] != '\n' && s[k] != '\t')
			k++;
		vt_put_printable(b, s, k);
		s += k;
		if (s < end)
			vt_buf_putc(b, *s++);
	}
}

/* ---- DOT, XML, shells ---- */

/* Graphviz reads entities of HTML in labels, so an ampersand begins one. */
void
vt_put_dot(vt_buf *b, const char *s, size_t n, bool record)
{
	for (unsigned length; n; s += length, n -= length) {
		uint32_t ch = vt_next_char(s, n, &length);
		if (ch == '"' || ch == '\\' ||
			(record && ch && ch < 128 && strchr("{}|<> ", (int)ch)))
			vt_buf_putc(b, '\\');
		if (ch == '&')
			vt_buf_puts(b, "&amp;");
		else if (ch == 0xfffd)
			vt_buf_puts(b, "\xef\xbf\xbd");
		else if (ch < 32 || ch == 127 || !vt_is_printable(ch))
			vt_buf_printf(b, "U+%04X", ch);
		else
			vt_buf_put(b, s, length);
	}
}

/* XML 1.0 has no character for them, not even by number. */
static bool
is_none(uint32_t ch)
{
	return ch == 0xfffe || ch == 0xffff;
}

static void
put_xml_char(vt_buf *b, uint32_t ch, const char *s, unsigned length)
{
	switch (ch) {
	case '\n':
	case '\t': vt_buf_put(b, s, 1); return;
	case '&': vt_buf_puts(b, "&amp;"); return;
	case '<': vt_buf_puts(b, "&lt;"); return;
	case '>': vt_buf_puts(b, "&gt;"); return;
	case '"': vt_buf_puts(b, "&quot;"); return;
	}
	if (is_none(ch))
		vt_buf_printf(b, "\\u{%x}", ch);
	else
		vt_put_shown(b, ch, s, length);
}

void
vt_put_xml(vt_buf *b, const char *s, size_t n)
{
	for (unsigned length; n; s += length, n -= length) {
		uint32_t ch = vt_next_char(s, n, &length);
		put_xml_char(b, ch, s, length);
	}
}

void
vt_put_file_name(vt_buf *b, const char *text, size_t most)
{
	size_t from = b->n, left = strlen(text);
	unsigned n;

	for (; left; text += n, left -= n) {
		uint32_t ch = vt_next_char(text, left, &n);
		bool plain = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
			     (ch >= '0' && ch <= '9') || ch == '-' || ch == '_' ||
			     (ch == '.' && b->n > 0) || (ch >= 0xa0 && ch != 0xfffd);
		if (b->n - from + n > most)
			break;
		if (plain)
			vt_buf_put(b, text, n);
		else
			vt_buf_putc(b, '_');
	}
}

void
vt_put_sh_inside(vt_buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] == '\'')
			vt_buf_puts(b, "'\\''");
		else
			vt_buf_putc(b, s[i]);
}

void
vt_put_sh(vt_buf *b, const char *s, size_t n)
{
	vt_buf_putc(b, '\'');
	vt_put_sh_inside(b, s, n);
	vt_buf_putc(b, '\'');
}
