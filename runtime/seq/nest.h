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
	bool ends;    /* the first or last item of a list is all that is wanted */
	bool cuts;    /* it is over a part of the list */
	bool as_is;   /* `x.name` of a dict x is what it gives, list or not */
	bool one;     /* the first item is enough */
	bool starts;  /* start() is called: an item has something before the first one comes */
	const vt_value *other; /* by items: what stands for a value that is none; or NULL */
	uint32_t n;            /* items of the step */
	vt_value *v;           /* what becomes of them; owned */
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
	vt_value *members;      /* of items of lists, where it is over `list.name`; or NULL */
	uint64_t nmembers;
} nest;

/* What the pipeline is over. */
typedef struct items {
	const vt_value *v;
	uint32_t n;
	const vt_value *second; /* v are keys and these their values; or NULL */
	bool slack;             /* see vt_values */
} items;

/* A piece on its way through the stages: cur[i] was made of item[at[i]], for item of[i] of the
 * step.  They point into the nest as long as nothing is left out, and then into what is its own. */
typedef struct piece {
	uint32_t n;
	const vt_value *cur;
	const uint8_t *at, *of;
	vt_value own[2][VT_BULK];
	uint8_t own_at[VT_BULK], own_of[VT_BULK];
	const vt_value
		*beside; /* of pairs: cur has their first members, this the second; or NULL */
	vt_value second[2][VT_BULK];
	vt_value before[VT_BULK]; /* what the keys are of: LEAST, GREATEST, those of dicts */
} piece;

static inline bool
makes_dict(const vt_nest *x)
{
	return x->reduce == VT_NEST_DICT || x->reduce == VT_NEST_OPEN_DICT;
}

static inline bool
makes_groups(const vt_nest *x)
{
	return x->reduce == VT_NEST_GROUPED || x->reduce == VT_NEST_OLD_GROUPED;
}

static inline bool
makes_list(const vt_nest *x)
{
	return (x->reduce >= VT_NEST_ACCUMULATED && x->reduce <= VT_NEST_FALLING) ||
	       makes_groups(x) || x->reduce >= VT_NEST_RISING_BY;
}

static inline bool
is_fold(const vt_nest *x)
{
	return x->reduce == VT_NEST_FOLDED || x->reduce == VT_NEST_ACCUMULATED;
}

/* ---- nest_made.c ---- */
/* What has come out of the stages goes to its items. */
void vt_nest_take(nest *, const piece *);
/* Of numbers that are words, the least or greatest by item of the step.  False: some are others,
 * and nothing has changed. */
bool vt_nest_best(nest *, const piece *, bool greater);
/* The list of an item is put in order, or whatever else the end of it asks for.  False: it cannot
 * be. */
bool vt_nest_arrange(nest *, uint32_t item);
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
