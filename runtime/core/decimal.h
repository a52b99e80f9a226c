/* decimal.h - between decimal digits and doubles without an intermediate text; decimal.c. */
#ifndef VT_DECIMAL_H
#define VT_DECIMAL_H

#include "runtime/core/value.h"

/* The double next to m * 10^e, m not 0.  False: these digits do not decide, or it is none that is
 * finite. */
bool vt_decimal_double(uint64_t m, int64_t e, double *out);
/* The shortest digits that read back as d, and of these the nearest; d is m * 10^*e.  d > 0,
 * finite. */
uint64_t vt_decimal_shortest(double d, int *e);
/* Writes u without a NUL; at most 20 bytes. */
char *vt_decimal_put(char *to, uint64_t u);
/* Writes a finite d as Python's repr does; at most VT_FLOAT_TEXT bytes. */
enum { VT_FLOAT_TEXT = 32 };
char *vt_decimal_repr(char *to, double d);

#endif
