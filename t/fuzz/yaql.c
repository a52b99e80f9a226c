/*
 * Fuzz target: any bytes are an expression in every dialect or an error with a place inside the
 * text. The first byte chooses the dialect. driver.c says how it is run.
 */
#include "vc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	vc_buf b = {NULL, 0, 0};
	yq_error err;
	vc *c = vc_new();
	yq_node *tree = n ? yq_parse(c, (const char *)data + 1, n - 1, data[0] & 7, &err) : NULL;

	if (tree)
		yq_dump(&b, tree);
	else if (n && (err.at > n - 1 || !err.message || !*err.message))
		abort();
	if (n)
		yq_tokens(c, &b, (const char *)data + 1, n - 1, data[0] & 7);
	vc_buf_free(&b);
	vc_free(c);
	return 0;
}
