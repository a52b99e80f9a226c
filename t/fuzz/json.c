/*
 * Fuzz target: any bytes are a JSON value or an error with a place; what was read is written and
 * read again. driver.c says how it is run.
 */
#include "vti.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	vt_rt *rt = vt_rt_new(NULL);
	vt_value v, again;
	vt_buf b = {0};
	char *err = NULL;
	int flags = n && data[0] == '~' ? VT_JSON_TAGGED : 0;

	if (vt_json_read(rt, (const char *)data + (flags != 0), n - (flags != 0), flags, 200, &v,
		    &err)) {
		vt_json_write(rt, &b, v, 0);
		if (flags == 0 && vt_json_read(rt, b.p, b.n, 0, 400, &again, &err)) {
			if (!vt_eq(v, again) && vt_eq(v, v))
				abort();
			vt_release(again);
		}
		vt_release(v);
		vt_buf_free(&b);
	}
	free(err);
	vt_rt_free(rt);
	return 0;
}
