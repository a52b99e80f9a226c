/*
 * inputs.c - which files a compilation read, for who says what its result is made of.  A file is
 * known by the bytes that were read of it first.
 */
#include "compiler/base/base.h"
#include "runtime/text/digest.h"

#include <string.h>

void
vc_input_note(vc *c, const char *path, const char *bytes, size_t n)
{
	char hex[VT_DIGEST_TEXT];

	if (!c->keeps_inputs)
		return;
	for (uint32_t i = 0; i < c->ninputs; i++)
		if (strcmp(c->inputs[i].path, path) == 0)
			return;
	vt_digest("sha256", bytes, n, hex);
	vc_push(c, c->inputs, c->ninputs) = (vc_input){vc_strdup(c, path), vc_strdup(c, hex)};
}

void
vc_input_file(vc *c, const char *path)
{
	size_t n;

	if (c->keeps_inputs)
		vc_bytes_read(c, path, &n); /* which notes it */
}
