/*
 * native_classes.c - the native classes that need a cloud: a program lists those it may come to, so
 * that only these are linked.
 *
 * Some class other than that itself must mention it.  A mention in a comment counts too: it costs
 * bytes and changes nothing.
 */
#include "compiler/emit/int.h"
#include "compiler/murano/ast.h"
#include "compiler/murano/package.h"

#include <string.h>

static bool
is_mentioned(vc *c, const char *fqn)
{
	uint32_t n;
	mpl_package **p = vc_packages(c, &n);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < p[i]->nclasses && !p[i]->builtin; k++) {
			const mpl_class *cls = p[i]->classes[k];
			if (strcmp(cls->name, fqn) != 0 && vc_class_mentions(c, cls, fqn))
				return true;
		}
	return false;
}

const char *
em_natives(em *e)
{
	uint32_t n = 0;
	vt_buf b = {0};
	const vc_native *native;
	for (uint32_t i = 0; (native = vc_native_at(i)) != NULL; i++) {
		if (!native->symbol || !is_mentioned(e->c, native->fqn))
			continue;
		em_declare(e, "extern const vt_class_decl", native->symbol);
		vt_buf_printf(&b, "%s&%s", n++ ? ", " : "", native->symbol);
	}
	e->c->reaches_cloud = n > 0;
	if (n == 0)
		return "NULL, 0";
	vt_buf_printf(&e->tables, "static const vt_class_decl *const natives[] = {%.*s};\n",
		(int)b.n, b.p);
	vt_buf_free(&b);
	return vc_format(e->c, "natives, %u", n);
}
