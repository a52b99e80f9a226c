/*
 * native.h - native classes that need no cloud.
 */
#ifndef VT_NATIVE_NATIVE_H
#define VT_NATIVE_NATIVE_H

#include "vt.h"

#include <stdbool.h>

/* ---- resources.c ---- */
/* native/resources.c: a file of a Resources object (its package's) as text, or as base64 of its
 * bytes. */
vt_status vt_resource_read(
	vt_rt *, const vt_unit *, vt_value resources, vt_value path, bool base64, vt_value *out);

#endif
