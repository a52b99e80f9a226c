/* emit.h - emit_yay*.c: the expressions and loops of one Yay document as C. */
#ifndef EMIT_YAY_H
#define EMIT_YAY_H

#include "compiler/emit/ctext.h"
#include "compiler/yay/tree.h"

#include <stdarg.h>

typedef struct yx {
	vc *c;
	const vt_ydoc *d;
	const yay_bind *bind;
	uint32_t at; /* number of the document */
	bool lines;  /* every line of C is one of the document's */
	vt_buf *out;
	vt_buf body;                                   /* of the function under way */
	uint32_t nshapes, nvalues, nborrowed, nlabels; /* its variables: t1.., v1.., b1.. */
	uint32_t depth, weight;
	const char *fail; /* where a failure goes */
	bool too_big;
	uint8_t *has;      /* by row: code was made */
	uint32_t n, nonce; /* how many functions; how many of what is evaluated once */
} yx;

/* What an expression has left: a shape, or a value of a scalar. */
typedef struct yx_val {
	bool shape, owned; /* owned: to be given away once, by taking it */
	uint32_t row;
	char name[32];
} yx_val;

#define YROW(x, r) (&(x)->d->row[r])
void yx_put(yx *, const char *fmt, ...) VT_PRINTF(2, 3);
void yx_vput(yx *, const char *fmt, va_list);
yx_val yx_expr(yx *, uint32_t row); /* emit_expr.c */
yx_val yx_shape(yx *, yx_val);      /* the same as a shape */

#endif
