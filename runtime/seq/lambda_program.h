/*
 * lambda_program.h - lambdas as programs (vt_lambda_program), worked out for many items at a time:
 * lambda_program.c.
 *
 * A program changes nothing and raises nothing, so a loop may evaluate it for the next items before
 * it uses the first; where an item is not for the program the loop takes those in front of it, runs
 * the code for that one, and goes on behind it.
 */
#ifndef LAMBDA_PROGRAM_H
#define LAMBDA_PROGRAM_H

#include "runtime/core/value.h"
#include "runtime/text/text.h"

enum { VT_BULK_BITS = 6, VT_BULK = 1 << VT_BULK_BITS }; /* items at a time */

/*
 * The registers of a program over `n` items.  A column is of values, or of texts that lie in them
 * or in `scratch`.  Values are borrowed from the items, or owned by the batch until its next fill.
 * VT_UNDEF is what a SOFT step was not for.
 */
typedef struct vt_batch {
	vt_rt *rt;
	uint32_t n, cap;
	const vt_value *col[VT_STEPS_MOST + 1]; /* NULL: texts */
	vt_text *text[VT_STEPS_MOST + 1];
	uint8_t chain[VT_STEPS_MOST + 1]; /* of texts that are only measured yet: 1 + the step where
					 their chain begins; 0: p is there */
	vt_value *v;                      /* cap * (VT_STEPS_MOST + 1) */
	vt_text *t;
	char *scratch; /* room bytes, the first `used` of them taken */
	size_t used, room;
	const vt_lambda_program *program; /* of the last fill */
	vt_scope *scope;                  /* where the lambda was written */
	/* of a nested program: the batch around it, the registers of that which the step hands on,
	 * and by item the one it belongs to */
	const struct vt_batch *up;
	const uint8_t *outer, *seg;
	uint32_t at;   /* SOFT steps: the items in front are done */
	uint64_t owns; /* registers whose values are given back at the next fill, */
	uint32_t made[VT_STEPS_MOST + 1]; /* and how many these are */
	const vt_value *given[2];         /* items and others of the last fill */
	bool still;      /* nothing but C runs until the columns have been read: see VT_STILL */
	bool failed;     /* a function of def() could not be done for an item: no other is tried */
	bool brief;      /* a pipeline over more than VT_BULK items is not for it */
	uint32_t behind; /* how many items lie behind those: the next ones, which may be fetched */
	bool far;        /* so many that what their members refer to is in no near cache */
	const void *
		known[2]; /* the shape that all n of them have, where that was found out; or NULL */
	const struct vt_unmade
		*unmade; /* of the fill at hand: the items, which are not made; NULL */
	/* by register, what a fold has found out about its calls; or NULL */
	struct vt_repeated_call **kept;
	uint64_t skips;        /* steps that fills leave out, by bits */
	struct vt_batch *next; /* of those that nobody uses */
} vt_batch;

/* A batch for VT_BULK items at a time, of lambdas written in that scope; the session keeps those
 * that were given back. */
vt_batch *vt_batch_new(vt_rt *, vt_scope *);
void vt_batch_free(vt_batch *);
/* The same of a list that goes on behind items[n] with so many more. */
uint32_t vt_batch_fill_list(
	vt_batch *, const vt_lambda_program *, uint32_t n, const vt_value *items, uint32_t behind);
/* The same for records of shapes that are known; NULL: not known. */
uint32_t vt_batch_fill_known(vt_batch *, const vt_lambda_program *, uint32_t n,
	const vt_value *items, const vt_value *others, const void *shape, const void *other_shape);
/* The results of these as a column of borrowed values; NULL: they have to be made. */
static inline const vt_value *
vt_batch_column(const vt_batch *s, const vt_lambda_program *t)
{
	return t->kind == VT_PROGRAM_VALUE ? s->col[t->out[0]] : NULL;
}
/* The same, made where they have to be; the batch owns them.  What cannot be made cuts *n. */
const vt_value *vt_batch_results(vt_batch *, const vt_lambda_program *, uint32_t *n);
/* Do the values live until the batch is filled again, and no longer? */
bool vt_batch_owns_results(const vt_batch *, const vt_lambda_program *);
static inline vt_scope *
vt_scope_of(vt_value lambda)
{
	return VT_AS(vt_lambda, lambda)->scope;
}
/*
 * For an expression's caller: lists and records that hold nothing but numbers and texts become what
 * he gets (convert_output), and `plain` says whether all results are such.  Their members come
 * from the items of `from`, a list or two, and may be borrowed (slab.c); not so if from[0] is NULL.
 */
typedef struct vt_output {
	bool plain;
	bool counts; /* how many results there are is all that is asked: VT_WANTS_COUNT */
	bool shares; /* what a document has is plain: VT_SHARES */
	vt_list *from[2];
} vt_output;
/* The results as values of their own. What cannot be made ends them early. vt_output: or NULL. */
uint32_t vt_batch_make(
	vt_batch *, const vt_lambda_program *, uint32_t n, vt_value *out, vt_output *);
/* What aux of an iterator says of its bulk(): who asks wants such; all of them were such. */
enum {
	VT_WANTS_PLAIN = 1,
	VT_GAVE_PLAIN = 2,
	VT_NO_MORE = 8, /* the rest is better taken one by one */
	/* Who asks takes all that it gets before any code of the program runs: so properties of
	 * objects may be read ahead. */
	VT_STILL = 16,
	VT_WANTS_COUNT = 32,  /* anything may stand for the items */
	VT_WANTS_UNMADE = 64, /* the session's `unmade` takes tuples or records that are not made */
	VT_AT_END = 128,      /* it has given all: nothing will come */
	VT_SHARES = 256, /* with VT_WANTS_PLAIN: parts of a document are as the caller gets them */
	VT_ONE_WAY = 4   /* what it read cannot be set back, and nobody else will ask */
};
/* The truth of the i-th result. */
bool vt_batch_true(const vt_batch *, const vt_lambda_program *, uint32_t i);

/*
 * Runs the program of a lambda for the items of the list from *at on, and moves *at behind them;
 * 0: the lambda has to be called for the next one.
 */
static inline uint32_t
vt_batch_fill_next(vt_batch *s, const vt_lambda_program *t, const vt_list *l, uint32_t *at)
{
	uint32_t n = l->n - *at < VT_BULK ? l->n - *at : VT_BULK;
	n = vt_batch_fill_list(s, t, n, l->v + *at, l->n - *at - n);
	*at += n;
	return n;
}
/* What VT_STEP_DYN gives; borrowed. */
static inline vt_value
vt_step_variable(vt_rt *rt, const vt_scope *sc, const vt_lambda_step *t)
{
	vt_value of;

	if (t->heap != NULL)
		return vt_scope_get(rt, (vt_scope *)(uintptr_t)sc, t->heap);
	of = sc->base->v[vt_toint(t->k)];
	return of == VT_UNDEF ? VT_NULL : of;
}

/* May the code be replaced by its program when it is called as a lambda written in that scope? */
bool vt_lambda_program_usable(vt_rt *, const vt_code *, const vt_scope *);
/*
 * Lambdas of folds: fold.c.  vt_fold_fill reads the next items and says how many it is for;
 * vt_fold_step gives what the i-th of them and the sum become, or false: the lambda has to be
 * called.  NULL: the lambda is no program, or none that gains by it.
 */
typedef struct vt_fold vt_fold;
vt_fold *vt_fold_new(vt_rt *, vt_value lambda);
void vt_fold_free(vt_fold *); /* NULL too */
uint32_t vt_fold_fill(vt_fold *, uint32_t n, const vt_value *items);
bool vt_fold_step(vt_fold *, uint32_t i, vt_value sum, vt_value *out);
/* The items i to n where all that depends on the sum is numbers: how many that was for.  *sum is
 * what they make of it; each: what each of them makes of it; or NULL. */
uint32_t vt_fold_run(vt_fold *, uint32_t i, uint32_t n, vt_value *sum, vt_value *each);
/* The same where the sum, which nobody else holds, is changed in its place; false: it is as it
 * was. */
bool vt_fold_change(vt_fold *, uint32_t i, vt_value *sum);
/* Is the lambda a fold itself?  Then a change may fail in the middle: the fold is lost, and does
 * nothing any more.  Who runs it keeps a copy of the sum, and goes on from there. */
bool vt_fold_nests(const vt_fold *);
bool vt_fold_is_lost(const vt_fold *);
/* A sum of its own, to be changed. */
vt_value vt_fold_own(vt_rt *, vt_value sum);

/*
 * What works programs out is no part of a binary that has none.  So those who use it must not make
 * the linker take it, and ask whether it is there; vt_lambda_programs makes it.
 */
#ifndef VT_BATCH_INSIDE
#pragma weak vt_batch_fill_known
#pragma weak vt_batch_fill_list
#pragma weak vt_batch_free
#pragma weak vt_batch_make
#pragma weak vt_batch_new
#pragma weak vt_batch_owns_results
#pragma weak vt_batch_results
#pragma weak vt_batch_true
#pragma weak vt_fold_change
#pragma weak vt_fold_fill
#pragma weak vt_fold_free
#pragma weak vt_fold_is_lost
#pragma weak vt_fold_nests
#pragma weak vt_fold_new
#pragma weak vt_fold_own
#pragma weak vt_fold_run
#pragma weak vt_fold_step
#pragma weak vt_lambda_program_many
#pragma weak vt_lambda_program_once
#pragma weak vt_lambda_program_run
#pragma weak vt_lambda_program_usable
#pragma weak vt_program_is_closed
#pragma weak vt_program_leaves_iterators
#define vt_lambda_program_usable(rt, code, sc) \
	(vt_batch_new != NULL && (vt_lambda_program_usable)(rt, code, sc))
#endif
/* Of what vt_lambda_constant() made of a number, a text or the like; else NULL. */
const vt_lambda_program *vt_lambda_constant_program(vt_rt *, const vt_lambda *);
/* The program of a lambda that gets n arguments, where it may be used; or NULL. */
static inline const vt_lambda_program *
vt_lambda_program_of(vt_rt *rt, vt_value lambda, uint32_t n)
{
	const vt_lambda *l = VT_AS(vt_lambda, lambda);
	if (vt_is(lambda, LAMBDA) && l->native != NULL)
		return vt_lambda_constant_program(rt, l);
	return vt_is(lambda, LAMBDA) && l->code != NULL && l->code->program != NULL &&
			       l->code->program->nargs <= n && l->scope != NULL &&
			       vt_lambda_program_usable(rt, l->code, l->scope)
		       ? l->code->program
		       : NULL;
}

/* Does it read no variable that holds an iterator or what else could notice that others are used up
 * ahead of it? */
bool vt_program_is_closed(vt_rt *, const vt_lambda_program *, vt_scope *);

/* Does the program read no iterator of the rows that `made` makes, nor the rows themselves? */
bool vt_program_leaves_iterators(const vt_lambda_program *made, const vt_lambda_program *);

uint32_t vt_lambda_program_many(vt_rt *, const vt_lambda_program *, vt_scope *, uint32_t n,
	const vt_value *items, vt_value *out);
/* The lambda for many items at once: values of their own, and for how many, from the first one on.
 * For the next one it has to be called. */
static inline uint32_t
vt_apply_many(vt_rt *rt, vt_value lambda, uint32_t n, const vt_value *items, vt_value *out)
{
	const vt_lambda_program *t = vt_lambda_program_of(rt, lambda, 1);
	return t != NULL ? vt_lambda_program_many(rt, t, vt_scope_of(lambda), n, items, out) : 0;
}

/* One call, with as many arguments as the program reads. False: nothing has happened, and the code
 * has to run. */
bool vt_lambda_program_once(
	vt_rt *, const vt_code *, const vt_scope *, const vt_value *args, vt_value *out);
/* The same without asking whether the program may be used, or is worth a try. */
bool vt_lambda_program_run(
	vt_rt *, const vt_lambda_program *, const vt_scope *, const vt_value *args, vt_value *out);
/* The same of a whole expression over its data, in the scope that was made for it. */
bool vt_program_of_whole(vt_rt *, const vt_code *, vt_scope *, vt_value data, vt_value *out);
static inline bool
vt_lambda_program_value(
	vt_rt *rt, const vt_code *code, const vt_scope *sc, const vt_value *args, vt_value *out)
{
	const vt_lambda_program *t = code->program;
	const vt_record *r = (const vt_record *)(uintptr_t)args[0];
	const vt_ic *ic;

	if (t->n != 2 || t->t[1].op != VT_STEP_ATTR || t->t[0].a != 0 ||
		t->kind != VT_PROGRAM_VALUE)
		return vt_lambda_program_once(rt, code, sc, args, out);
	ic = vt_ic_at(rt, t->t[1].ic);
	if (!vt_is_ptr(args[0]) || !vt_is_record(r) || r->shape != ic->key || ic->aux == 0 ||
		r->v[ic->aux - 1] == VT_UNDEF)
		return false;
	*out = vt_copy(r->v[ic->aux - 1]);
	return true;
}

/* The records of a list lie where they were made: the processor is told of the next ones while one
 * is looked at. */
static inline void
vt_list_ahead(const vt_list *l, uint32_t i)
{
	if (i + 6 < l->n) {
		uintptr_t at = l->v[i + 6]; /* also an integer: a word, not an address */
		__builtin_prefetch((const char *)at);
		__builtin_prefetch((const char *)(at + 64));
	}
}

/*
 * Whether a faster way is tried again that may not be for what comes: after some failures in a row
 * it is let alone for a while, each time longer.  No failure is for ever, for what comes later may
 * be of another kind.
 */
typedef struct vt_patience {
	uint32_t failed; /* how often in turn */
	uint32_t wait;   /* chances that are still let pass by */
} vt_patience;
enum { VT_TRIES = 4, VT_WAIT_LEAST = 64, VT_WAIT_MOST = 6 }; /* 64 to 64 << 6 chances */
static inline bool
vt_patience_waits(vt_patience *p)
{
	if (likely(p->wait == 0))
		return false;
	p->wait--;
	return true;
}
static inline void
vt_patience_tell(vt_patience *p, bool good)
{
	uint32_t more;

	if (likely(good)) {
		p->failed = 0;
		return;
	}
	if (++p->failed < VT_TRIES)
		return;
	more = p->failed - VT_TRIES;
	p->wait = VT_WAIT_LEAST << (more < VT_WAIT_MOST ? more : VT_WAIT_MOST);
}

typedef struct vt_unmade vt_unmade; /* unmade.h */

/*
 * Pulls the items of an iterator, many at a time where it has a bulk().  A consumer may stop
 * anywhere: in the end the iterator stands where next() would have left it.
 */
typedef struct vt_pull {
	vt_rt *rt;
	vt_value iter; /* borrowed */
	uint32_t at, n;
	vt_patience lean; /* of bulk(): it failed where next to nothing was to be had at once */
	int64_t from[3];  /* i[] of the iterator before the last bulk */
	vt_value *item;   /* NULL before the first bulk */
	bool wants_plain, shares, /* VT_SHARES */
		plain, /* VT_WANTS_PLAIN; item[at, n) are what an expression's caller gets */
		one_way, still, /* VT_STILL */
		counts,         /* VT_WANTS_COUNT */
		singly;         /* the iterator has no more for many at once: VT_NO_MORE */
	uint8_t reads;          /* of a pipeline: enum vt_pull_reads */
} vt_pull;
/* What its first stage wants of the items. */
enum vt_pull_reads { VT_READS_UNKNOWN, VT_READS_MEMBERS, VT_READS_ALL };

/* pipe.c: is it a pipeline with C functions, of too few items to ask for many at once? */
bool vt_pipe_is_short(const vt_iter *);
static inline void
vt_pull_open(vt_pull *p, vt_rt *rt, vt_value iter)
{
	p->rt = rt;
	p->iter = iter;
	p->at = p->n = 0;
	p->lean = (vt_patience){0, 0};
	p->item = NULL;
	p->reads = VT_READS_UNKNOWN;
	p->wants_plain = p->plain = p->one_way = p->still = p->singly = p->counts = p->shares =
		false;
}
/* The same for who runs no code of the program while there are items in the pull. */
static inline void
vt_pull_open_still(vt_pull *p, vt_rt *rt, vt_value iter)
{
	vt_pull_open(p, rt, iter);
	p->still = true;
}
/* What lies in it has been taken. */
void vt_pull_give(vt_pull *);
/* One that an iterator has from malloc(), with what it still holds; NULL too. */
void vt_pull_free(vt_pull *);
/* How many items there may be, where that is known; else 8. */
uint32_t vt_pull_most(const vt_pull *);
vt_status vt_pull_more(vt_pull *, vt_value *out);
/* Fills an empty pull with what there is at once; how many items it has. */
uint32_t vt_pull_ahead(vt_pull *);
/* The same for who can do with what is not made: if there is such, it is in *u and not in the pull.
 * vt_pull_settle comes before anything else is asked of the pull. */
uint32_t vt_pull_unmade(vt_pull *, vt_unmade *u);
/* So many of them have been used; the others are made. */
void vt_pull_settle(vt_pull *, vt_unmade *u, uint32_t done);
void vt_pull_close(vt_pull *);
/* Gives what lies in the pull to a list that is being made; `closed`: up to an iterator. */
void vt_pull_to_list(vt_pull *, vt_list *, bool closed);
/* As vt_next. */
static inline vt_status
vt_pull_next(vt_pull *p, vt_value *out)
{
	if (unlikely(p->at == p->n))
		return vt_pull_more(p, out);
	*out = p->item[p->at++];
	return VT_OK;
}
#define VT_PULL_EACH(pull, item, st) \
	((st) == VT_OK && ((st) = vt_pull_next(pull, &(item))) == VT_OK && (item) != VT_UNDEF)

#endif
