/*
 * Fuzz target: any bytes are a workflow of Mistral or of Orquesta, or a file that declares
 * functions; the same text has the same errors again.  driver.c says how it is run.
 */
#include "compiler/workflow/workflow.h"
#include "t/fuzz/document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int
check(vc *c, vc_source *src)
{
	bool mistral = src && (memchr(src->text, '\r', src->n) || !strstr(src->text, "1.0"));
	if (src)
		wf_check(c, src, mistral ? WF_MISTRAL : WF_ORQUESTA, NULL, 0);
	return (int)vc_said(c);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_document(data, n, check);
}
