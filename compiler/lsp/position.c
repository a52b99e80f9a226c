/*
 * position.c - lines and characters of the protocol, and file URIs.
 *
 * Lines end at \n, \r\n or \r.  Bytes that are no UTF-8 count for one unit each, so that a broken
 * text has positions as well.
 */
#include "compiler/lsp/int.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of the character at s, and its units. */
static size_t
step(const char *s, size_t left, enum lsp_encoding e, uint32_t *units)
{
	unsigned char ch = (unsigned char)*s;
	size_t n = ch < 0xc0 ? 1 : ch < 0xe0 ? 2 : ch < 0xf0 ? 3 : 4;

	if (n > left)
		n = 1;
	for (size_t i = 1; i < n; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			n = 1;
	*units = e == LSP_UTF8 ? (uint32_t)n : e == LSP_UTF16 && n == 4 ? 2 : 1;
	return n;
}

/* Where the next line begins; n: there is none. */
static size_t
next_line(const char *text, size_t n, size_t at, bool *found)
{
	while (at < n && text[at] != '\n' && text[at] != '\r')
		at++;
	*found = at < n;
	if (at < n)
		at += text[at] == '\r' && at + 1 < n && text[at + 1] == '\n' ? 2 : 1;
	return at;
}

size_t
lsp_offset(const char *text, size_t n, enum lsp_encoding e, lsp_position p)
{
	size_t at = 0;
	bool found = true;
	uint32_t units, passed = 0;

	for (uint32_t i = 0; i < p.line && found; i++)
		at = next_line(text, n, at, &found);
	if (!found)
		return n;
	while (at < n && text[at] != '\n' && text[at] != '\r') {
		size_t k = step(text + at, n - at, e, &units);
		if (passed + units > p.character)
			break;
		passed += units;
		at += k;
	}
	return at;
}

lsp_position
lsp_position_of(const char *text, size_t n, enum lsp_encoding e, size_t offset)
{
	lsp_position p = {0, 0};
	size_t at = 0;
	uint32_t units;

	if (offset > n)
		offset = n;
	for (;;) {
		bool found;
		size_t next = next_line(text, n, at, &found);
		if (!found || next > offset)
			break;
		at = next;
		p.line++;
	}
	while (at < offset && text[at] != '\n' && text[at] != '\r') {
		at += step(text + at, n - at, e, &units);
		p.character += units;
	}
	return p;
}

/* ---- URIs ---- */

static int
hex(char ch)
{
	return ch >= '0' && ch <= '9'   ? ch - '0'
	       : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10
	       : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10
					: -1;
}

char *
lsp_path_of_uri(const char *uri)
{
	static const char scheme[] = "file://";
	size_t n = sizeof scheme - 1, k = 0;
	char *path;

	if (strncmp(uri, scheme, n) != 0)
		return NULL;
	if (strncmp(uri + n, "localhost/", 10) == 0)
		n += 9;
	if (uri[n] != '/')
		return NULL;
	path = vt_xmalloc(strlen(uri + n) + 1);
	for (const char *s = uri + n; *s && *s != '?' && *s != '#'; s++) {
		int high = *s == '%' ? hex(s[1]) : -1, low = high < 0 ? -1 : hex(s[2]);
		path[k++] = low < 0 ? *s : (char)(high << 4 | low);
		if (low >= 0)
			s += 2;
		if (!path[k - 1]) {
			free(path);
			return NULL;
		}
	}
	path[k] = 0;
	return path;
}

void
lsp_put_uri(vt_buf *b, const char *path)
{
	vt_buf_puts(b, "\"file://");
	for (; *path; path++) {
		unsigned char ch = (unsigned char)*path;
		bool plain = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
			     (ch >= '0' && ch <= '9') || strchr("/-._~", ch);
		vt_buf_printf(b, plain ? "%c" : "%%%02X", ch);
	}
	vt_buf_putc(b, '"');
}

void
lsp_put_range(vt_buf *b, const lsp_server *s, const char *text, size_t n, size_t from, size_t to)
{
	lsp_position p = lsp_position_of(text, n, s->encoding, from),
		     q = lsp_position_of(text, n, s->encoding, to < from ? from : to);

	vt_buf_printf(b,
		"{\"start\":{\"line\":%u,\"character\":%u},\"end\":{\"line\":%u,\"character\":%u}}",
		p.line, p.character, q.line, q.character);
}

/* A source without text stands for a file as a whole: its beginning. */
void
lsp_put_span(vt_buf *b, const lsp_server *s, vc_span span)
{
	lsp_put_range(b, s, span.src && span.src->text ? span.src->text : "",
		span.src && span.src->text ? span.src->n : 0, span.from, span.to);
}
