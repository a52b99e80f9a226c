/* exception.h - how a program shows an exception that nothing caught. */
#ifndef VT_PROGRAM_EXCEPTION_H
#define VT_PROGRAM_EXCEPTION_H

#include "runtime/core/exception.h"
#include "runtime/core/value.h"

/* file: what was read, for an exception without frames; what: what failed.  Both may be NULL. */
void vt_exception_print(const char *self, const char *file, const char *what, vt_exc *);

/* The same with a hint of the caller's; or NULL. */
void vt_exception_print_with(const char *self, const char *hint, vt_exc *);

#endif
