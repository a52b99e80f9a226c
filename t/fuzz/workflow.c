/*
 * Fuzz target: any bytes are a workflow of Mistral or of Orquesta, or a file that declares
 * functions; the same text has the same errors again.  driver.c says how it is run.
 */
#include "compiler/workflow/workflow.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int
check(const char *text, size_t n, enum wf_kind kind)
{
	vc *c = vc_new();
	c->limit.max_nodes = 20000;
	vc_source *src = vc_source_take(c, "workflow.yaml", vc_strndup(c, text, n), n);
	if (src)
		wf_check(c, src, kind, NULL, 0);
	int said = (int)vc_said(c);
	vc_free(c);
	return said;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = malloc(n + 1);
	memcpy(text, data, n);
	for (size_t i = 0; i < n; i++)
		if (text[i] == '\t') /* lines of a seed */
			text[i] = '\n';
	text[n] = 0;
	enum wf_kind kind =
		memchr(text, '\r', n) || !strstr(text, "1.0") ? WF_MISTRAL : WF_ORQUESTA;
	if (check(text, n, kind) != check(text, n, kind))
		abort();
	free(text);
	return 0;
}
