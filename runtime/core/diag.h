/* diag.h - the codes of diagnostics, which the compiler, its binaries and `vetro explain` share. */
#ifndef VT_DIAG_H
#define VT_DIAG_H

#include "runtime/core/exception.h"
#include "runtime/core/value.h"

enum vt_diag {
#define DIAG(code, severity, title) VT_##code,
#include "runtime/core/diag.def"
#undef DIAG
	VT_NDIAGS
};
const char *vt_diag_name(enum vt_diag); /* "E0101" */
/* exception.c: the codes of exception classes; an unknown one has that of Exception. */
enum vt_diag vt_etype_diag(enum vt_etype);
enum vt_diag vt_diag_of_class(const char *shown);

#endif
