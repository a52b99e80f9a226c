/*
 * nest.h - pipelines over a list of each item, on their way: batch_nest.c and nest_made.c only.
 */
#ifndef VT_SEQ_NEST_H
#define VT_SEQ_NEST_H

#include "runtime/core/heap.h"
#include "runtime/seq/batch.h"

enum { VT_NEST_STAGES = 5 };

typedef struct nest {
	vt_batch *s;
	const vt_lambda_step *t;
	const vt_nest *x;
	vt_batch *stage[VT_NEST_STAGES];
	bool lists;   /* a list is made of each */
	bool tracks;  /* which is final until something comes to it that is not */
	bool filters; /* a stage lets some through only */
	uint32_t n;   /* items of the step */
	vt_value *v;  /* what becomes of them; owned */
	uint32_t count[VT_BULK];
	bool bad[VT_BULK], decided[VT_BULK];
	/* of takeWhile() or skipWhile(): it has come to where that changes; SLICED: what the last
	 * stage has given for the item before */
	bool turned[VT_BULK];
	vt_value key[VT_BULK];  /* LEAST, GREATEST: of v; SPLIT, SLICED: the last list; owned */
	vt_value kept[VT_BULK]; /* lists that were made of other sources */
	/* a piece of the lists: items, and the item of the step that each belongs to */
	uint32_t m;
	vt_value item[VT_BULK + VT_SPILL];
	uint8_t of[VT_BULK + VT_SPILL];
	char *pairs; /* where items that are pairs lie meanwhile, PAIR bytes each; or NULL */
	/* pairs come as columns where they can; these are: item[] has the first members */
	bool apart, columns;
	vt_value second[VT_BULK];
	/* where the first stage keeps items whose member is equal to a value of the step's item */
	const vt_str *member; /* or NULL: it is another stage */
	const vt_value *same; /* that value by the step's items; or NULL: the constant */
	vt_value constant;
	uint8_t computed;       /* the register of the stage that gives keys[]; or VT_STEP_K */
	vt_value keys[VT_BULK]; /* owned; VT_UNDEF: not known */
} nest;

/* What the pipeline is over. */
typedef struct items {
	const vt_value *v;
	uint32_t n;
	const vt_value *second; /* v are keys and these their values; or NULL */
	bool slack;             /* see vt_values */
} items;

static inline bool
is_fold(const vt_nest *x)
{
	return x->reduce == VT_NEST_FOLDED || x->reduce == VT_NEST_ACCUMULATED;
}

/* ---- nest_made.c ---- */
/* The values that generate() makes of the first n items. */
void vt_nest_generate(nest *, uint32_t n, const vt_value *from);
/* What a fold makes of their lists. */
void vt_nest_fold(nest *, uint32_t n, const items *lists);
/* Is the first stage where($.member = value), and whatever else behind an `and`?  Sets what nest
 * has of it. */
void vt_nest_find_member(nest *);
/* The values that are computed, if that list has an index. */
void vt_nest_find_keys(nest *, vt_value list);
/* Are all items wanted that the first stage lets through? */
bool vt_nest_reads_all(const nest *);

#endif
