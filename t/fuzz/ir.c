/*
 * Fuzz target: any bytes are IR text that prints and verifies, or a diagnostic.  driver.c says how
 * it is run.
 */
#include "compiler/base/base.h"
#include "compiler/emit/emit.h"
#include "compiler/ir/ir.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	vc *c = vc_new();
	char *text = vc_strndup(c, (const char *)data, n);
	ir_module *m = ir_read(c, vc_source_new(c, "fuzz.ir", text, n));
	vt_buf b = {0};
	uint32_t nfiles;

	if (m && ir_verify(c, m)) {
		ir_print(c, &b, m);
		vt_buf_free(&b);
		if (m->npackages) {
			vc_cfile *f = vc_emit(c, m, NULL, true, &nfiles);
			for (uint32_t i = 0; i < nfiles; i++)
				vt_buf_free(&f[i].text);
		}
	}
	vc_free(c);
	return 0;
}
