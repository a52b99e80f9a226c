/*
 * page.c - a graph as one page of HTML: templates/graph/page.html with data in it.
 *
 * The page fetches nothing, and its policy lets it run its own script only.  It is handed around,
 * so what nobody may read is covered.
 */
#include "runtime/text/text.h"
#include "runtime/core/printable.h"

#include "graph_page.h"

#include <string.h>

/* The end of the token of JSON that begins at p: a text, or what is none up to the next text. */
static const char *
token_end(const char *p, const char *end)
{
	if (*p == '"') {
		for (p++; p < end && *p != '"'; p++)
			p += *p == '\\' && p + 1 < end;
		return p < end ? p + 1 : end;
	}
	if (!strchr("-0123456789", *p))
		return p + 1;
	while (p < end && strchr("+-.eE0123456789", *p))
		p++;
	return p;
}

/* A page is handed around: texts and numbers that have a secret are covered. */
static void
cover(vt_buf *to, const char *p, size_t n)
{
	const char *end = p + n, *next;
	for (; p < end; p = next) {
		size_t from = to->n;
		bool number = *p != '"' && strchr("-0123456789", *p);
		next = token_end(p, end);
		if (number && vt_has_secret(p, (size_t)(next - p))) {
			vt_buf_puts(to, "\"*****\"");
			continue;
		}
		vt_buf_put(to, p, (size_t)(next - p));
		if (*p == '"')
			vt_redact(to, from);
	}
}

/* JSON inside of a script element, where nothing may look like markup. */
static void
put_data(vt_buf *b, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '<' || p[i] == '>' || p[i] == '&')
			vt_buf_printf(b, "\\u%04x", (unsigned)p[i]);
		else
			vt_buf_putc(b, p[i]);
	}
}

void
vt_put_graph_page(vt_buf *b, const char *json, size_t n)
{
	static const char mark[] = "@DATA@";
	const char *at = strstr(vt_graph_page, mark);
	vt_buf covered = {NULL, 0, 0};
	vt_buf_put(b, vt_graph_page, (size_t)(at - vt_graph_page));
	cover(&covered, json, n);
	put_data(b, covered.p, covered.n);
	vt_buf_free(&covered);
	vt_buf_puts(b, at + sizeof mark - 1);
}
