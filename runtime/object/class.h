/*
 * class.h - what class.c and packages.c share: names and the packages that a class is looked for
 * in.
 */
#ifndef VT_OBJECT_CLASS_H
#define VT_OBJECT_CLASS_H

#include "runtime/core/value.h"
#include "runtime/object/object.h"

#include <string.h>

static inline bool
is_named(const vt_str *s, const char *text, size_t n)
{
	return s->bytes == n && memcmp(s->s, text, n) == 0;
}

static inline bool
same_name(const vt_str *a, const vt_str *b)
{
	return a == b || (a->bytes == b->bytes && memcmp(a->s, b->s, a->bytes) == 0);
}

static inline bool
is_core(const vt_package_decl *p)
{
	return is_named(p->name, "io.murano", 9);
}

/* ---- packages.c ---- */

/* NULL: the program has no such package. */
const vt_package_decl *vt_find_package(vt_rt *rt, const vt_str *name, const char *spec);
const vt_class_decl *vt_decl_in(vt_rt *rt, const vt_package_decl *p, const vt_str *name);

#endif
