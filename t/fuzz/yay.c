/*
 * Fuzz target: any bytes are a configuration with a value, or an error with a place inside the
 * text; with its constants folded it has the same value or fails alike; and it can be made C.
 * driver.c says how it is run.
 */
#include "compiler/yay/tree.h"

#include "runtime/yay/yay.h"
#include "runtime/call/call.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* What it comes to as JSON, or its first error: in b. False: it was too much. */
static bool
judge_value(const vt_ydoc *d, vt_buf *b)
{
	static const vt_yay_limits limits = {200000, 200000, 1 << 20, 100, 1 << 20};
	vt_rt *rt = vt_rt_new(NULL);
	vt_yay *y = vt_yay_new(rt, NULL, &limits);
	vt_value v, again;
	vt_ynode *root;
	bool done = true;

	vt_yay_load(y, d, false);
	root = vt_yay_root(y);
	if (!vt_yay_value(y, root, VT_YAS_VALUE, &v)) {
		const vt_yfault *f = vt_yay_fault(y);
		if (f->kind == VT_YE_NONE || !f->message)
			abort();
		for (uint32_t i = 0; i < f->nplaces; i++)
			if (f->place[i].doc && f->place[i].line == 0)
				abort();
		vt_buf_printf(b, "%s at %u:%u", f->type, f->nplaces ? f->place[0].line : 0,
			f->nplaces ? f->place[0].col : 0);
		done = f->kind != VT_YE_LIMIT;
	} else {
		if (!vt_yay_value(y, root, VT_YAS_VALUE, &again))
			abort();
		vt_json_write(rt, b, v, 0);
		vt_release(again);
		vt_release(v);
	}
	vt_yay_free(y);
	vt_rt_free(rt);
	return done;
}

static void
judge(vc *c, const vt_ydoc *d)
{
	const vt_ydoc *folded = yay_fold(c, d, NULL);
	vt_buf plain = {0}, same = {0};
	vt_buf code = {NULL, 0, 0};

	if (judge_value(d, &plain) && folded != d && judge_value(folded, &same) &&
		(plain.n != same.n || memcmp(plain.p, same.p, plain.n)))
		abort();
	yay_emit_code(c, &code, folded, 0, true);
	vt_buf_free(&code);
	vt_buf_free(&plain);
	vt_buf_free(&same);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	vc *c = vc_new();
	char *text = vc_strndup(c, (const char *)data, n);
	yay_fault f;
	const vt_ydoc *d = yay_read(c, "fuzz", text, n, false, &f, NULL, NULL);
	vt_buf b = {NULL, 0, 0};

	if (!d && (!f.type || f.from > n || f.to > n || f.line == 0))
		abort();
	if (d) {
		yay_put_ast(&b, d);
		judge(c, d);
	}
	vt_buf_free(&b);
	vc_free(c);
	return 0;
}
