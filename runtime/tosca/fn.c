/* fn.c - the table of functions; fn.def has the rows. */
#include "runtime/tosca/int.h"
#include "runtime/core/printable.h"

#include <string.h>

enum {
	V1 = VT_TV_1_0 | VT_TV_1_1 | VT_TV_1_2 | VT_TV_1_3,
	V12 = VT_TV_1_2 | VT_TV_1_3,
	V2 = VT_TV_2_0,
	V2OLD = VT_TV_2_0_OLD,
	CFY = VT_TV_CLOUDIFY,
	HOT = VT_TV_HOT
};

const vt_tfunc_row vt_tfuncs[] = {
	{.name = ""},
#define GROUP(title)
#define FN(name, versions, clause, min, max, flags, fn, args, doc, example) \
	{name, versions, clause, min, max, flags, fn, args, doc, example},
#include "runtime/tosca/fn.def"
#undef FN
#undef GROUP
	{.name = NULL},
};

uint32_t
vt_tfunc_find(const char *name, uint32_t version, bool clause)
{
	for (uint32_t i = 1; vt_tfuncs[i].name != NULL; i++) {
		const vt_tfunc_row *f = &vt_tfuncs[i];
		if (f->name[0] == name[0] && ((clause ? f->clause : f->versions) & version) &&
			strcmp(f->name, name) == 0)
			return i;
	}
	return 0;
}

bool
vt_tosca_fail(vt_tosca *t, const vt_tctx *ctx, const char *fmt, ...)
{
	vt_buf b = {0};
	va_list ap;
	if (ctx->fn != NULL)
		vt_buf_printf(&b, "%s%s: ", t->m->version & VT_TV_2_0 ? "$" : "", ctx->fn);
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	vt_buf_repair(&b);
	vt_tosca_problem(t, VT_E2070, ctx->place, "%.*s", (int)b.n, b.p);
	vt_buf_free(&b);
	return false;
}
