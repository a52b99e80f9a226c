/*
 * tree.h - what is done to a Yay document between its grammar and its evaluation.
 *
 *   scope.c   where a name of an expression was bound, as far as the text says
 *   fold.c    constant folding
 *   emit.c    expressions as C; emit_expr.c: operators, emit_yay_loop.c: `for`
 *   build.c   documents as tables, and the program around them
 */
#ifndef YAY_TREE_H
#define YAY_TREE_H

#include "compiler/yay/front.h"

/*
 * A name inside a loop, a lambda or a comprehension is a variable of a frame that lies `hops`
 * frames above the one that the expression is evaluated in; a name that a block has `set` is the
 * block's. All else depends on layers, on includes and on who calls: it is looked for when it is
 * needed.
 */
enum yay_bound { YB_NONE, YB_VAR, YB_SET };
typedef struct yay_bind {
	uint8_t kind; /* enum yay_bound */
	uint16_t hops;
	uint32_t slot; /* YB_VAR: which of the frame's variables; YB_SET: the SET row */
} yay_bind;

/* By row; rows that are no names or cannot be reached have YB_NONE. */
const yay_bind *yay_bind_names(vc *, const vt_ydoc *);

/* Called for every expression that is evaluated as a whole, and for every FOR. */
typedef struct yay_visitor {
	void *ctx;
	/* again: in a loop, or whatever else may come more than once */
	void (*expr)(void *ctx, uint32_t row, bool again);
	void (*loop)(void *ctx, uint32_t row);
} yay_visitor;
yay_bind *yay_walk(vc *, const vt_ydoc *, const yay_visitor * /* or NULL */);

bool yay_is_plain_compare(const vt_ydoc *, const vt_yrow *); /* of a COMPARE: no `in` and no `is` */

/* The document with its constants worked out, which takes over the rows of the one that is given;
 * *n gets how many there were. Secret documents stay as they are. */
const vt_ydoc *yay_fold(vc *, const vt_ydoc *, uint32_t *n);

/* C of the expressions of document number `at`, and its table of them: `y<at>`. False: it has
 * none. */
bool yay_emit_code(vc *, vt_buf *, const vt_ydoc *, uint32_t at, bool lines);

#endif
