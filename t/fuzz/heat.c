/*
 * Fuzz target: any bytes are a Heat template, which is checked without files beside it; the same
 * template has the same errors again.  driver.c says how it is run.
 */
#include "compiler/heat/heat.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int
check(const char *text, size_t n)
{
	static const heat_request none;
	vc *c = vc_new();
	uint32_t count = 0;
	c->limit.max_nodes = 20000;
	vc_source *src = vc_source_take(c, "template.yaml", vc_strndup(c, text, n), n);
	ynode **docs = src ? vc_yaml_parse(c, src, &heat_yaml, &count) : NULL;
	if (count && docs[0]->kind == YN_MAP)
		heat_check(c, docs[0], &none);
	int errors = vc_errors(c);
	vc_free(c);
	return errors;
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
	if (check(text, n) != check(text, n))
		abort();
	free(text);
	return 0;
}
