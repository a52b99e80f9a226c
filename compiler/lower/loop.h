/* loop.h - loops over few items: what inline.c, loop.c and sink.c share. */
#ifndef VC_LOWER_LOOP_H
#define VC_LOWER_LOOP_H

#include "compiler/lower/chain.h"

#include "runtime/abi/vt.h"

/* An item on its way. */
typedef struct item {
	int32_t whole;   /* or -1: it has yet to be made of its parts */
	int32_t part[2]; /* or -1 */
	bool changes;    /* what is made of them is a list that may be changed */
} item;

/* A loop in the loop. */
typedef struct inner {
	int32_t floor;       /* temporaries from here on are of this round */
	int32_t again, skip; /* labels: the next item of it; the next one of the loop around */
	uint32_t step;
} inner;

/* What a loop keeps. */
typedef struct loop {
	int32_t result;      /* temporary */
	int32_t list;        /* temporary of the list that is made */
	int32_t value, some; /* variables: what there is so far, and whether there is any */
	int32_t given;       /* temporary: initial value or default; or -1 */
	int32_t floor;       /* temporaries from here on are of this round */
	int32_t left;        /* temporary of what is looked for; or -1 */
	/* labels: the next item; no more of them; the same when this one is gone; a result */
	int32_t skip, done, stop, out;
	int32_t first; /* behind the step that has a first item of its own; or -1 */
	uint8_t sink;
	bool pairs;        /* the source has the parts of pairs by turns */
	bool more;         /* there may be more items than the source has */
	uint32_t from, to; /* steps */
	uint32_t nkeys;    /* of the order */
	inner inner[MOST_STEPS];
	uint32_t ninner;
} loop;

/* loop.c */
int32_t lw_own_variable(lw *);
int32_t lw_read(lw *, int32_t var);
int32_t lw_constant(lw *, enum ir_const_kind, int64_t);
void lw_set_constant(lw *, int32_t var, enum ir_const_kind, int64_t);
/* var + t, by the operator where the function would use it. */
void lw_loop_add(lw *, const chain *, int32_t var, int32_t t);
/* A collection with room for so many times the items of the list. */
int32_t lw_room(lw *, int32_t list, enum ir_room, uint32_t times);
/* Two or three operands, and nothing comes of it. */
ir_ins *lw_do_with(lw *, enum ir_op, int32_t a, int32_t b, int32_t third);
/* The list that `few` gives, where it jumps to the label. */
int32_t lw_few(lw *, int32_t from, enum vt_few_of, int32_t label);
int32_t lw_whole(lw *, item *);
/* The lambda's value with the item for `$`. */
int32_t lw_lambda(lw *, const yq_node *, item *);
/* The value of a lambda with so_far in the variable for `$1`, and the temporary for `$2`. */
int32_t lw_folded(lw *, const yq_node *, int32_t so_far, int32_t x);
/* Loop after loop. */
void lw_run_loops(lw *, chain *, loop *, int32_t list);

/* sink.c */
void lw_open_sink(lw *, loop *, int32_t list);
/* An item that has come through all steps. */
void lw_take(lw *, const chain *, const loop *, item *);
/* What comes of it when all items are through. */
void lw_close_sink(lw *, const chain *, const loop *);
/* The argument of the sink that is no lambda; -1: there is none. */
int32_t lw_sink_given(lw *, const chain *);

#endif
