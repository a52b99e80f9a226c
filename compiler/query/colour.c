/* colour.c - JSON in the colours of a terminal. */
#include "compiler/query/run_int.h"

#include <string.h>

static const char NULLS[] = "\033[1;30m", WORDS[] = "\033[0;39m", TEXTS[] = "\033[0;32m",
		  KEYS[] = "\033[34;1m", MARKS[] = "\033[1;39m", END[] = "\033[0m";

static size_t
text_length(const char *p, size_t n)
{
	size_t i = 1;

	while (i < n && p[i] != '"')
		i += p[i] == '\\' ? 2 : 1;
	return i < n ? i + 1 : n;
}

static size_t
token_length(const char *p, size_t n)
{
	size_t i = 1;

	if (*p == '"')
		return text_length(p, n);
	if (strchr("[]{},:", *p))
		return 1;
	while (i < n && !strchr("[]{},: \n\t", p[i]))
		i++;
	return i;
}

void
qr_put_coloured(vt_buf *b, const char *p, size_t n)
{
	for (size_t i = 0, k; i < n; i += k) {
		const char *colour;
		if (p[i] == ' ' || p[i] == '\n' || p[i] == '\t') {
			vt_buf_putc(b, p[i]);
			k = 1;
			continue;
		}
		k = token_length(p + i, n - i);
		if (p[i] == '"')
			colour = i + k < n && p[i + k] == ':' ? KEYS : TEXTS;
		else
			colour = strchr("[]{},:", p[i]) ? MARKS : p[i] == 'n' ? NULLS : WORDS;
		vt_buf_puts(b, colour);
		vt_buf_put(b, p + i, k);
		vt_buf_puts(b, END);
	}
}
