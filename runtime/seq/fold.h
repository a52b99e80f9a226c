/*
 * fold.h - inside fold.c, fold_plan.c and fold_place.c: a lambda of aggregate() or accumulate() at
 * work.
 */
#ifndef VT_FOLD_H
#define VT_FOLD_H

#include "runtime/seq/batch.h"
#include "runtime/seq/seq.h"

#include <string.h>

/* What the lambda makes: a value; a list or a record of numbers; $1 with other numbers in it. */
enum vt_fold_whole { VT_FOLD_VALUE, VT_FOLD_LIST, VT_FOLD_RECORD, VT_FOLD_ADDED };
enum { VT_FOLD_PARTS = 8 };

/* A step that is done before anything is changed, where register `guard` is `want`, if it has one
 * that says so: `same` that follow have the same one.  quick: it may be one of words. */
typedef struct vt_fold_first {
	uint8_t r, guard, same;
	bool quick;
	vt_value want;
} vt_fold_first;

/* A key: a register's value, or a constant where the register is VT_STEP_K. */
typedef struct vt_fold_key {
	uint8_t r;
	vt_value k;
} vt_fold_key;

/* A register that reads below key `at` of a path.  same: by its very register; defaults: it has
 * `none` where nothing is. */
typedef struct vt_fold_read {
	uint8_t r, at;
	bool same, defaults;
	vt_fold_key key, none;
} vt_fold_read;

/* Of a lambda that changes what lies at a path in $1: fold_path.c. */
enum vt_fold_grows { VT_FOLD_ANEW, VT_FOLD_ITEMS, VT_FOLD_SET };
enum { VT_FOLD_DEEP = 4, VT_FOLD_READS = 12 };
typedef struct vt_fold_path {
	uint8_t n; /* how many keys; 0: it is no such lambda */
	uint8_t nreads, nsteps, leaf, grows;
	vt_fold_key key[VT_FOLD_DEEP];
	vt_fold_read read[VT_FOLD_READS];
	uint8_t step[VT_STEPS_MOST]; /* what has to be worked out of what lies there */
	vt_patience misses;
} vt_fold_path;

struct vt_fold {
	vt_batch *s;
	const vt_lambda_program *t;
	uint64_t needs;   /* registers that depend on $1, or are only added to what does */
	uint64_t merged;  /* of these, dicts that are only merged into what depends on $1 */
	uint64_t spine;   /* of these, what is only made to become the next $1: fold_place.c */
	uint64_t inner;   /* of the item at hand: what is changed inside of $1 */
	uint64_t made;    /* of the item at hand: what stands in its register */
	uint64_t passing; /* registers that nobody needs when changes are made: fold_place.c */
	uint64_t lent;    /* of the item at hand: of these, what is read and held by others alone */
	uint64_t self;    /* registers that are $1 */
	uint8_t nsteps, step[VT_STEPS_MOST];
	uint8_t nfirst;
	vt_fold_first first[VT_STEPS_MOST]; /* those that are neither spine nor $1 */
	uint8_t how[VT_STEPS_MOST];         /* enum how */
	uint8_t of[VT_STEPS_MOST];          /* the register of that; VT_STEP_K: none */
	uint64_t takes[VT_STEPS_MOST];      /* the registers of the spine that a step reads */
	uint8_t ahead;                      /* of the dicts that are merged; or VT_STEP_K */
	/* of a lambda that adds to what lies below a key: the sum, and get(); or NULL */
	const vt_lambda_step *key_sum, *key_get;
	/* of a lambda that only sets keys of $1: those steps, the first one first */
	uint8_t nsets, sets[VT_FOLD_PARTS];
	uint8_t key_none;   /* the register of what stands for nothing; VT_STEP_K: get() has it */
	bool coalesces;     /* null is nothing as well */
	bool adds_one;      /* the lambda is `$1.add(x)`, where x is the item's */
	bool plain;         /* the lambda may be one of numbers: fold_run.c */
	vt_value *slot;     /* where the first set() of the item writes; or NULL */
	vt_patience lean;   /* of columns: next to nothing was done */
	vt_patience failed; /* of columns: the first item of a batch was not for them */
	vt_patience misses; /* of changes: $1 could not be changed in its place */
	vt_patience odd;    /* of runs: the next item was not for them */
	struct vt_repeated_call *kept[VT_STEPS_MOST];
	/* of a lambda that makes a list or record of numbers: fold_run.c */
	uint8_t whole, nparts;                 /* enum vt_fold_whole */
	uint8_t part[VT_STEPS_MOST];           /* by register: the part of $1 that it reads */
	uint8_t into[VT_FOLD_PARTS];           /* by part: the register that it becomes */
	const vt_str *part_key[VT_FOLD_PARTS]; /* of records */
	struct vt_fold_inside *inside;         /* fold_nest.c; or NULL */
	/* of mergeWith(): what was found below the key of a value, where it can be used so */
	vt_value *place[VT_STEPS_MOST];
	uint64_t known; /* of lists that may grow: the item is there */
	vt_fold_path path;
	/* of mergeWith() of $1 with mergers: its step, the first change; VT_STEP_K: none */
	uint8_t merging;
	vt_merge merge;
	bool singly;         /* all lists that are merged have one item */
	bool begun, singles; /* and $1 was an empty dict when the fold began */
	bool lost;
};

/* The step for the item at hand, where it makes a word or a float of words.  False: it has to be
 * done in another way. */
bool vt_fold_word(vt_fold *, uint8_t r);

/* What a step does with $1, or with what lies in it. */
enum how {
	OTHER,
	SELF,
	READ,
	ADD,
	SET,
	MERGE,
	MERGE_BY,
	CHOOSE,
	MAKE,
	REPLACE,
	TO_LIST,
	FORGET,
	CUT,
	/* of sets */
	ADD_ITEMS,
	REMOVE_ITEMS,
	UNITE,
	SUBTRACT
};

static inline bool
vt_fold_of_sets(const vt_fold *f, uint8_t r)
{
	return f->how[r] >= ADD_ITEMS;
}

static inline bool
vt_fold_changes(const vt_fold *f, uint8_t r)
{
	return f->how[r] == ADD || f->how[r] == SET || f->how[r] == MERGE ||
	       f->how[r] == MERGE_BY || f->how[r] == REPLACE || f->how[r] == TO_LIST ||
	       f->how[r] == FORGET || f->how[r] == CUT || vt_fold_of_sets(f, r);
}

/* `set(..)`, or toSet() of a list. */
static inline bool
vt_fold_makes_set(const vt_lambda_step *x)
{
	const vt_site *site = x->by;

	return x->op == VT_STEP_CALL && site->nargs == x->n && x->guard == VT_STEP_K &&
	       (x->a == VT_STEP_K ? strcmp(site->name->s, "set") == 0
				  : x->n == 0 && strcmp(site->name->s, "toSet") == 0);
}

/* Keys and values of a dict that a step makes. */
static inline uint32_t
vt_fold_pairs(const vt_lambda_step *x)
{
	return x->op == VT_STEP_DICT ? x->n / 2u : x->op == VT_STEP_MAP ? x->n : 0;
}

static inline uint8_t
vt_fold_pair(const vt_lambda_step *x, uint32_t k)
{
	return x->op == VT_STEP_DICT ? x->args[2 * k + 1] : x->args[k];
}

/* ---- of the item at hand: what registers hold, and keys ---- */
static inline bool
vt_fold_in_spine(const vt_fold *f, uint8_t r)
{
	return r != VT_STEP_K && (f->spine >> r & 1);
}

static inline vt_value
vt_fold_value(const vt_fold *f, uint8_t r)
{
	const vt_value *v = vt_batch_from(f->s, r);

	return v != NULL ? *v : VT_UNDEF;
}

static inline vt_value
vt_fold_argument(const vt_fold *f, const vt_lambda_step *x, uint32_t k)
{
	const vt_arg *a = &((const vt_site *)x->by)->args[k];

	if (x->args[k] != VT_STEP_K)
		return vt_fold_value(f, x->args[k]);
	return a->value != NULL ? vt_mkptr(a->value) : a->imm;
}

static inline bool
vt_fold_is_key(vt_value key)
{
	return key != VT_UNDEF && (vt_is_int(key) || vt_is(key, STR));
}

static inline bool
vt_fold_same_key(vt_value a, vt_value b)
{
	return a == b || (vt_fold_is_key(a) && vt_is(a, STR) && vt_is(b, STR) &&
				 vt_str_eq(vt_as_str(a), vt_as_str(b)));
}

/* A key of a dict that was not made. */
static inline vt_value
vt_fold_pair_key(const vt_fold *f, const vt_lambda_step *m, uint32_t k)
{
	return m->op == VT_STEP_MAP ? vt_mkptr(((const vt_str *const *)m->by)[k])
				    : vt_fold_value(f, m->args[2 * k]);
}

/* fold_path.c: can the set x become what register r makes of it, in its place? */
bool vt_fold_fits_set(vt_fold *, uint8_t r, vt_value x);
void vt_fold_change_set(vt_fold *, uint8_t r, vt_set *);
void vt_fold_unite(vt_rt *, vt_set *, const vt_set *more);
/* Of a lambda that `adds_one`; false: another way. */
bool vt_fold_add_one(vt_fold *, vt_value sum);
/* fold_place.c: the step of the spine as a step after all; false: it has no value. */
bool vt_fold_make_plainly(vt_fold *, uint8_t r);
/* merge.c: can the dict of register m, which was not made, be merged into d?  What would be
 * new in it is made.  `own`: d is nobody else's, and no other change comes before; `stays`: it is
 * not copied. */
bool vt_fold_merges_pairs(
	vt_fold *, const vt_lambda_step *merge, uint8_t m, vt_value d, bool own, bool stays);
void vt_fold_merge_pairs(vt_fold *, uint8_t m, vt_dict *);
/* With mergers: what changes in x is noted in f->merge; false: another way. */
bool vt_fold_notes_merge(vt_fold *, const vt_lambda_step *, vt_value x);
/* fold_run.c: do all steps that depend on $1 compute, compare or choose? */
bool vt_fold_is_plain(vt_fold *);
/* fold_plan.c: finds the spine. */
void vt_fold_plan(vt_fold *);
/* fold_path.c: does the lambda change what lies at a path?  And does it for the item at hand:
 * false, and nothing has been changed. */
void vt_fold_find_path(vt_fold *);
bool vt_fold_change_path(vt_fold *, vt_value sum);
/* From so many bytes on a text grows where it lies, and from so many items on a list, dict or set:
 * to make another for each item would be quadratic. */
enum { VT_FOLD_LONG_TEXT = 256, VT_FOLD_LONG = 32 };
/* Steps of the item at hand. */
bool vt_fold_do(vt_fold *, const uint8_t *step, uint32_t n, vt_value sum);
/* What was made for the i-th item is given back. */
void vt_fold_leave(vt_fold *, uint32_t i);
/* fold_nest.c: is the lambda a fold over a list of the item? */
void vt_fold_look_inside(vt_fold *);
void vt_fold_leave_inside(vt_fold *);
void vt_fold_begin_inside(vt_fold *); /* behind a fill */
/* The list of the i-th item into the sum, in its place; false: see vt_fold_is_lost. */
bool vt_fold_change_inside(vt_fold *, uint32_t i, vt_value *sum);
/* fold_place.c: the sum as the item that the batch stands at changes it; false: it is as it was. */
bool vt_fold_change_item(vt_fold *, vt_value *sum);

#endif
