/*
 * symbols.c - functions and tables of the runtime by name, and whether code can be loaded.
 *
 * vetro shows its symbols to the dynamic linker (-rdynamic), which finds them again.  A static
 * vetro (make static) has none of that: it brings a table, which the build makes of libvt.a, sorted
 * by name.  It cannot load shared objects either, for they would bring a second libc.
 */
#include "compiler/build/build.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct vc_static_name {
	const char *name;
	const void *address;
} vc_static_name;

extern const vc_static_name vc_static_names[] __attribute__((weak));
extern const unsigned vc_nstatic_names __attribute__((weak));

static int
compare(const void *name, const void *row)
{
	return strcmp(name, ((const vc_static_name *)row)->name);
}

bool
vc_loads_code(void)
{
	return &vc_nstatic_names == NULL;
}

const void *
vc_symbol(const char *name)
{
	const vc_static_name *row;

	if (vc_loads_code())
		return dlsym(RTLD_DEFAULT, name);
	row = bsearch(name, vc_static_names, vc_nstatic_names, sizeof *row, compare);
	return row ? row->address : NULL;
}
