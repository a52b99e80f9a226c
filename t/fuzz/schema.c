/*
 * Fuzz target: a JSON schema and a text that it is to hold for, with a NUL (or in seeds a tab)
 * between them.  Whatever they are, there is an answer; the same one when asked again.   driver.c
 * says how it is run.
 */
#include "runtime/tosca/int.h"
#include "runtime/call/call.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
bool vt_tf_schema(vt_tosca *, const vt_tctx *, const vt_value *args, uint32_t n, vt_value *out);

static int
ask(vt_rt *rt, const vt_tmodel *m, const char *p, size_t ns, size_t n)
{
	vt_tosca *t = vt_tosca_new(rt, m);
	vt_tctx ctx = {.value = VT_UNDEF};
	vt_value args[2] = {vt_str_new(rt, p + ns + 1, n - ns - 1), vt_str_new(rt, p, ns)},
		 out = VT_UNDEF;
	bool known = vt_tf_schema(t, &ctx, args, 2, &out);
	int answer = known ? out == VT_TRUE : 2;
	if (known && !vt_is_bool(out))
		abort();
	vt_clear(&out);
	vt_release(args[0]);
	vt_release(args[1]);
	vt_tosca_free(t);
	return answer;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const vt_tmodel none;
	vt_buf b = {NULL, 0, 0};
	size_t ns;
	vt_buf_put(&b, (const char *)data, n);
	vt_buf_repair(&b);
	for (ns = 0; ns < b.n && b.p[ns] != '\0' && b.p[ns] != '\t'; ns++)
		;
	if (ns < b.n) {
		vt_rt *rt = vt_rt_new(NULL);
		if (ask(rt, &none, b.p, ns, b.n) != ask(rt, &none, b.p, ns, b.n))
			abort();
		vt_rt_free(rt);
	}
	vt_buf_free(&b);
	return 0;
}
