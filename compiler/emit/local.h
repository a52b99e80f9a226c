/* local.h - what a method makes for itself alone: local.c. */
#ifndef EMIT_LOCAL_H
#define EMIT_LOCAL_H

#include "compiler/emit/function.h"

/* Of a function; all by op. */
struct em_local {
	/* by op: room for so many items on the stack, for a `list`, or the `final` of a pipeline */
	uint8_t *list;
	/* by op: a `pipe` whose iterator lies there; 2: so does the scope of its lambdas */
	uint8_t *pipe;
	int32_t *temp;    /* by op: the temporary that holds it last, or -1 */
	uint32_t *until;  /* by op: where something else is put into that temporary */
	int32_t *var;     /* by op: the variable that holds it, or -1 */
	uint8_t *stacked; /* by op: a temporary that it takes may hold such a list */
	uint32_t *kept;   /* the ops that keep something on the stack, in their order */
	uint32_t n, rooms;
	bool scope; /* `zs` is used */
};

/* capture.c: what lambdas read of the variables, as the array `vars` by variable. */
void em_captured_array(fn *);

#endif
