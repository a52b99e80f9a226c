/*
 * format.h - what format.c and format_spec.c share: parts of a format string and the numbers in
 * them.
 */
#ifndef VT_LIB_FORMAT_H
#define VT_LIB_FORMAT_H

#include "runtime/core/args.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/value.h"

/* Part of a format string: valid UTF-8, [p, end). */
typedef struct text {
	const char *p, *end;
} text;

static inline vt_status
wrong(vt_rt *rt, const char *message)
{
	return vt_raise_value(rt, VT_E_VALUE, vt_str_c(rt, message));
}

static inline size_t
size_of(text t)
{
	return (size_t)(t.end - t.p);
}

/* ---- format_spec.c ---- */

/* Reads digits of any script: how many there were, or -1 with ValueError pending. */
int vt_format_number(vt_rt *rt, text *t, int64_t *n);
/* format(v, spec) */
vt_status vt_format_value(vt_rt *rt, vt_buf *b, vt_value v, text spec_text);

/* ---- format_quick.c ---- */

/* format() of a plain format string; false: nothing was done. */
bool vt_format_quickly(vt_args *, vt_value *out);

#endif
