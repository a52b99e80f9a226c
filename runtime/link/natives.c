/*
 * natives.c - the classes that every program has of the runtime: appendix A of muranopl-engine.md.
 *
 * runtime/native/classes.def describes them; what is made of it is as the compiler would emit it.
 * A program that declares a class of the same name in its own io.murano gets that class with the
 * native methods added (runtime/object/class.c).
 */
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/core/args.h"

#include <string.h>

#define VT_NATIVE_CORE
#include "natives.h"

static const vt_class_decl *
find_class(const vt_class_decl *const *v, uint32_t n, const char *fqn)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(v[i]->name->s, fqn) == 0)
			return v[i];
	return NULL;
}

const vt_class_decl *
vt_native_class(vt_rt *rt, const char *fqn)
{
	const vt_class_decl *d = find_class(vt_native_classes, vt_nnative_classes, fqn);
	return d || !rt->program ? d : find_class(rt->program->natives, rt->program->nnatives, fqn);
}
