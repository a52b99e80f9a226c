/* ctext.c - text from outside in emitted C: strings, identifiers, comments, #line. */
#include "compiler/emit/ctext.h"
#include "runtime/text/digest.h"

#include <string.h>

/* The standard limits the length of string literals, so long ones stand in pieces. */
enum { PIECE = 100, FILE_NAME = 80, SHOWN = 200 };

/* What stands for itself between quotes. '?' does not: it may begin a trigraph. */
static bool
is_plain(unsigned char ch)
{
	return ch >= 32 && ch < 127 && ch != '"' && ch != '\\' && ch != '?';
}

static void
put_piece(vt_buf *b, const char *s, size_t n)
{
	vt_buf_puts(b, "\"");
	for (size_t i = 0; i < n; i++) {
		unsigned char ch = (unsigned char)s[i];
		if (is_plain(ch))
			vt_buf_put(b, s + i, 1);
		else if (ch == '"' || ch == '\\')
			vt_buf_printf(b, "\\%c", ch);
		else if (ch == '\n')
			vt_buf_puts(b, "\\n");
		else
			vt_buf_printf(b, "\\%03o", ch); /* octal ends after three digits */
	}
	vt_buf_puts(b, "\"");
}

void
ct_string(vt_buf *b, const char *s, size_t n)
{
	put_piece(b, s, n < PIECE ? n : PIECE);
	for (size_t i = PIECE; i < n; i += PIECE) {
		vt_buf_puts(b, "\n\t");
		put_piece(b, s + i, n - i < PIECE ? n - i : PIECE);
	}
}

void
ct_text(vt_buf *b, const char *s)
{
	if (s)
		ct_string(b, s, strlen(s));
	else
		vt_buf_puts(b, "NULL");
}

const char *
ct_literal(vc *c, const char *s)
{
	vt_buf b = {0};

	ct_text(&b, s);
	return vc_take(c, &b);
}

/* Letters and digits stand for themselves; the rest is escaped so that no two names meet. */
const char *
ct_name(vc *c, const char *prefix, const char *name)
{
	vt_buf b = {0};

	vt_buf_puts(&b, prefix);
	for (const char *p = name; *p; p++) {
		unsigned char ch = (unsigned char)*p;
		if ((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
			(ch >= '0' && ch <= '9'))
			vt_buf_put(&b, p, 1);
		else if (ch == '_')
			vt_buf_puts(&b, "__");
		else if (ch == '.')
			vt_buf_puts(&b, "_o");
		else if (ch == ':')
			vt_buf_puts(&b, "_c");
		else if (ch == '#')
			vt_buf_puts(&b, "_h");
		else
			vt_buf_printf(&b, "_x%02x", ch);
	}
	return vc_take(c, &b);
}

const char *
ct_file(vc *c, char kind, const char *name)
{
	const char *whole = ct_name(c, "", name);
	char hex[VT_DIGEST_TEXT] = "";

	if (strlen(whole) <= FILE_NAME)
		return vc_format(c, "%c_%s.c", kind, whole);
	vt_digest("sha256", whole, strlen(whole), hex);
	return vc_format(c, "%c_%.*s_%s.c", kind, (int)FILE_NAME, whole, hex);
}

/* Every byte that could end the comment, begin another one or join two lines is a `_`. */
void
ct_comment(vt_buf *b, const char *name, uint32_t line)
{
	vt_buf_puts(b, "/* ");
	for (size_t i = 0; name[i] && i < SHOWN; i++)
		vt_buf_putc(b, is_plain((unsigned char)name[i]) && name[i] != '*' && name[i] != '/'
				       ? name[i]
				       : '_');
	if (line)
		vt_buf_printf(b, ", line %u", line);
	vt_buf_puts(b, " */\n");
}

/* One piece: a literal in two is no file name. */
static void
put_line(vt_buf *b, uint32_t line, const char *file)
{
	vt_buf_printf(b, "#line %u ", line);
	put_piece(b, file, strlen(file));
	vt_buf_puts(b, "\n");
}

void
ct_lines(vt_buf *b, uint32_t line, const char *file, const char *text, size_t n)
{
	static const char mark[] = "#line ";
	bool marked = false;

	for (const char *p = text, *end = text + n, *nl; p < end; p = nl + 1) {
		if (!(nl = memchr(p, '\n', (size_t)(end - p))))
			nl = end - 1;
		if (!marked && (size_t)(end - p) >= sizeof mark &&
			!memcmp(p, mark, sizeof mark - 1))
			marked = true;
		else if (marked)
			marked = false;
		else
			put_line(b, line, file);
		vt_buf_put(b, p, (size_t)(nl + 1 - p));
	}
}

void
ct_own_lines(vt_buf *b, const char *cfile)
{
	put_line(b, 1, cfile);
}

void
ct_bytes(vt_buf *t, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	vt_buf_puts(t, "\"");
	for (size_t i = 0; i < n; i++) {
		if (i % 32 == 0 && i)
			vt_buf_puts(t, "\"\n\"");
		if (p[i] >= 'A' && p[i] <= 'Z')
			vt_buf_printf(t, "%c", p[i]);
		else
			vt_buf_printf(t,
				i + 1 < n && i % 32 != 31 && p[i + 1] >= '0' && p[i + 1] <= '9'
					? "\\%03o"
					: "\\%o",
				p[i]);
	}
	vt_buf_puts(t, "\"");
}
