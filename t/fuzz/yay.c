/*
 * Fuzz target: any bytes are a configuration with a value, or an error with a place inside the
 * text; what has a value can be written, and read again it is the same. driver.c says how it is
 * run.
 */
#include "yay.h"

#include "../../runtime/yay.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
judge_value(const vt_ydoc *d)
{
	static const vt_yay_limits limits = {200000, 200000, 1 << 20, 100, 1 << 20};
	vt_rt *rt = vt_rt_new(NULL);
	vt_yay *y = vt_yay_new(rt, NULL, &limits);
	vt_value v, again;
	vt_ynode *root;

	vt_yay_load(y, d, false);
	root = vt_yay_root(y);
	if (!vt_yay_value(y, root, VT_YAS_VALUE, &v)) {
		const vt_yfault *f = vt_yay_fault(y);
		if (f->kind == VT_YE_NONE || !f->message)
			abort();
		for (uint32_t i = 0; i < f->nplaces; i++)
			if (f->place[i].doc && f->place[i].line == 0)
				abort();
	} else {
		if (!vt_yay_value(y, root, VT_YAS_VALUE, &again))
			abort();
		vt_release(again);
		vt_release(v);
	}
	vt_yay_free(y);
	vt_rt_free(rt);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	vc *c = vc_new();
	char *text = vc_strndup(c, (const char *)data, n);
	yay_fault f;
	const vt_ydoc *d = yay_read(c, "fuzz", text, n, false, &f, NULL, NULL);
	vc_buf b = {NULL, 0, 0};

	if (!d && (!f.type || f.from > n || f.to > n || f.line == 0))
		abort();
	if (d) {
		yay_put_ast(&b, d);
		judge_value(d);
	}
	vc_buf_free(&b);
	vc_free(c);
	return 0;
}
