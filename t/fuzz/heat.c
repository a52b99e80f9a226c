/*
 * Fuzz target: any bytes are a Heat template, which is checked without files beside it; the same
 * template has the same errors again.  driver.c says how it is run.
 */
#include "compiler/heat/heat.h"
#include "t/fuzz/document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int
check(vc *c, vc_source *src)
{
	static const heat_request none;
	uint32_t count = 0;
	ynode **docs = src ? vc_yaml_parse(c, src, &heat_yaml, &count) : NULL;
	if (count && docs[0]->kind == YN_MAP)
		heat_check(c, docs[0], &none, NULL);
	return vc_errors(c);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_document(data, n, check);
}
