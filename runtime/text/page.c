/*
 * page.c - a graph as one page of HTML: templates/graph/page.html with data in it.
 *
 * The page fetches nothing, and its policy lets it run its own script only.
 */
#include "runtime/text/text.h"

#include "graph_page.h"

#include <string.h>

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
	vt_buf_put(b, vt_graph_page, (size_t)(at - vt_graph_page));
	put_data(b, json, n);
	vt_buf_puts(b, at + sizeof mark - 1);
}
