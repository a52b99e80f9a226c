/* document.h - a target whose input is a text that is checked: the same text has the same errors again. Tabs of a seed,
 * which is one line, stand for ends of lines. */
#ifndef FUZZ_DOCUMENT_H
#define FUZZ_DOCUMENT_H

#include "compiler/base/base.h"

#include <stdlib.h>
#include <string.h>

/* check: reports what is wrong with the source, and says how much that is. */
static inline int
fuzz_once(const char *text, size_t n, int (*check)(vc *, vc_source *))
{
	vc *c = vc_new();
	c->limit.max_nodes = 20000;
	vc_source *src = vc_source_take(c, "document.yaml", vc_strndup(c, text, n), n);
	int said = check(c, src);
	vc_free(c);
	return said;
}

static inline int
fuzz_document(const uint8_t *data, size_t n, int (*check)(vc *, vc_source *))
{
	char *text = malloc(n + 1);
	memcpy(text, data, n);
	for (size_t i = 0; i < n; i++)
		if (text[i] == '\t')
			text[i] = '\n';
	text[n] = 0;
	if (fuzz_once(text, n, check) != fuzz_once(text, n, check))
		abort();
	free(text);
	return 0;
}

#endif
