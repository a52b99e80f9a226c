/*
 * seq.h - iterators, scopes and lambdas, orderings.
 */
#ifndef VT_SEQ_SEQ_H
#define VT_SEQ_SEQ_H

#include "vt.h"

#include "runtime/core/value.h"
#include "runtime/task/task.h"

#include <stdbool.h>

/* ---- representation of the kinds ---- */
vt_iter *vt_iter_new(vt_rt *, const vt_iter_ops *); /* all v VT_UNDEF, i 0, p NULL */

/* ---- scope.c ---- */
void vt_scope_fini(vt_head *);
void vt_lambda_fini(vt_head *);

/* ---- code: a C function, or what is run in its place ---- */
static inline vt_status
vt_code_run(vt_rt *rt, const vt_code *code, vt_scope *sc, vt_value *out)
{
	return likely(code->fn != NULL) ? code->fn(rt, sc, out)
					: code->body->run(rt, code, sc, NULL, out);
}
/* May it be called without a scope of its own? */
static inline bool
vt_code_is_direct(const vt_code *code)
{
	return code->direct != NULL || code->flags & VT_CODE_DIRECT;
}
static inline vt_status
vt_code_direct(
	vt_rt *rt, const vt_code *code, vt_scope *around, const vt_value *args, vt_value *out)
{
	return likely(code->direct != NULL) ? code->direct(rt, around, args, out)
					    : code->body->run(rt, code, around, args, out);
}

/* ---- merge.c: mergeWith() into a dict where that lies, which nobody else holds ----
 *
 * Mergers may fail, and the dict has to be as it was then: all values that change are worked out
 * first, and put in afterwards. */

/* What lists or other values in both are merged by. */
typedef struct vt_merger {
	bool there; /* false: by what mergeWith() does without one */
	bool sum;   /* it is `$1 + $2` */
	bool null;  /* it is written as null, which is a lambda that gives it */
	const struct vt_lambda_program *program; /* NULL: one that may do more than compute */
	const vt_scope *scope;
} vt_merger;

/* A value that comes to lie in a slot, or below a new key of d.  extends: its items come behind
 * those of the list that is there. */
typedef struct vt_merge_change {
	vt_dict *d;
	vt_value key, v, *slot;
	bool extends;
} vt_merge_change;

typedef struct vt_merge {
	vt_rt *rt;
	vt_merger lists, items;
	bool final;        /* what is assigned changes, and stays evaluated */
	int64_t levels;    /* 0: all */
	enum vt_kind kind; /* of lists that are made */
	vt_merge_change *v;
	uint32_t n, room;
} vt_merge;

/* A dict that mergeWith() may change where it is, when every change is taken: the next call of its
 * row does that and nothing else.  So only what calls mergeWith() links it. */
typedef struct vt_merge_offer {
	vt_value x, y;
	bool (*takes)(const struct vt_merge_offer *, const vt_merge_change *);
	const void *of;
	bool done;
} vt_merge_offer;

/* The merger that a value of mergeWith() is: a lambda, or null. */
vt_merger vt_merger_of(vt_rt *, vt_value);
/* The same of the code of an argument in a program of that scope; NULL: it is null. */
vt_merger vt_merger_of_code(vt_rt *, const vt_code *, vt_scope *);
/* The arguments of mergeWith() behind the first, as they are written: into *m, or NULL.  False:
 * they are none that it could be seen of. */
bool vt_merge_arguments(vt_rt *, const vt_site *, vt_scope *, vt_merge *m);
/* What changes in x when y is merged into it.  False: it is for the general way, which has the
 * errors; nothing is noted then. */
bool vt_merge_note(vt_merge *, vt_value x, vt_value y);
/* Nothing may have changed x since it was noted. */
void vt_merge_make(vt_merge *);
void vt_merge_forget(vt_merge *);
void vt_merge_end(vt_merge *);
/* The distinct items of two lists, which have at most VT_MERGE_FEW. */
enum { VT_MERGE_FEW = 16 };
vt_status vt_distinct_of_few(vt_rt *, enum vt_kind, vt_value x, vt_value y, vt_value *out);

/* ---- output.c ---- */
/* Is the dict one that a merge makes, and may change? */
static inline bool
vt_dict_is_made(vt_value d)
{
	return (vt_head_of(d)->flags & (VT_F_FROZEN | VT_F_FINAL)) == 0;
}
/* May y be merged into x where that lies, if nobody else holds x?  Lists in both cannot. */
bool vt_dict_merges(vt_value x, vt_value y);
void vt_dict_merge(vt_rt *, vt_dict *x, const vt_dict *y);
/* The same of a single value, which comes to lie where `to` is; VT_UNDEF: where nothing is. */
bool vt_value_merges(vt_value to, vt_value v);
void vt_dict_merge_value(vt_rt *, vt_dict *, vt_value key, vt_value v);
vt_dict *vt_dict_to_merge(vt_rt *, vt_value *); /* a dict in one that is merged into */

/* ---- iter.c, join.c, ordering.c ---- */
/* A number, null, true or false, or a text. */
static inline bool
vt_is_scalar(vt_value v)
{
	return !vt_is_ptr(v) || vt_head_of(v)->kind <= VT_K_STR;
}
/* A list or dict of a document, with all that is in it. */
static inline bool
vt_is_of_document(vt_value v)
{
	return (vt_head_of(v)->flags & VT_F_DATA) != 0 &&
	       (vt_head_of(v)->kind == VT_K_DICT || vt_head_of(v)->kind == VT_K_TUPLE);
}
/* YAQL's Iterable: dicts only with iterable_dicts */
bool vt_is_iterable(const vt_unit *, vt_value);
/* An iterator over any Python-iterable value (dict: keys, str: characters). TypeError otherwise.
 * Owned. */
vt_status vt_iterate(vt_rt *, vt_value, vt_value *iter);
/* the same; an ordering is sorted when its first item is wanted */
vt_status vt_iterate_later(vt_rt *, vt_value, vt_value *iter);
extern const vt_iter_ops vt_deferred_ops; /* v[0]: what is iterated from the first item on */
/* The same through Iterable's limiter (limitIterators of the unit): what an Iterable parameter
 * gives. */
vt_status vt_iterate_limited(vt_rt *, const vt_unit *, vt_value, vt_value *iter);
/* A tower of iterators is recursion as much as calls are, and is bounded like them. */
static inline vt_status
vt_next(vt_rt *rt, vt_value iter, vt_value *out)
{
	vt_status st;
	*out = VT_UNDEF;
	if (unlikely(rt->stack_limit != 0))
		return vt_next_in_task(rt, iter, out);
	if (unlikely(rt->depth >= rt->max_depth))
		return vt_raise_depth(rt);
	rt->depth++;
	st = VT_AS(vt_iter, iter)->ops->next(rt, VT_AS(vt_iter, iter), out);
	rt->depth--;
	return st;
}
/* The condition of a loop over an iterator: the next item, which the body owns; st says how it
 * ended. */
#define VT_EACH(rt, iter, item, st) \
	((st) == VT_OK && ((st) = vt_next(rt, iter, &(item))) == VT_OK && (item) != VT_UNDEF)
/* tuple(x): a tuple is returned as is */
vt_status vt_to_tuple(vt_rt *, const vt_unit *, vt_value, vt_value *out);
/* The items of anything iterable as a new tuple or list. */
vt_status vt_collect(vt_rt *, const vt_unit *, vt_value, enum vt_kind, vt_value *out);
/*
 * An endless iterator must not eat the machine where a collection has to be whole.  The limit is
 * far above what a program means; the unit's limitIterators, where it is set, is below it.
 */
enum { VT_MOST_ITEMS = 20000000 };
vt_status vt_too_large(vt_rt *, int64_t limit);             /* CollectionTooLargeException */
vt_status vt_list_keep(vt_rt *, vt_list *, vt_value owned); /* vt_list_push within VT_MOST_ITEMS */
vt_value vt_memo_new(vt_rt *, vt_value owned_iter);
/* toList() of the legacy layer makes lists where the standard one makes tuples. */
static inline enum vt_kind
vt_list_kind(const vt_unit *u)
{
	return u != NULL && (u->layers & VT_L_LEGACY) ? VT_K_LIST : VT_K_TUPLE;
}
/* len() of sized kinds; -1 when not sized */
vt_status vt_len(vt_rt *, vt_value, int64_t *n);
/* Data of the caller for `$`, and what #finalize gives back, by the options of the unit: yaql.md
 * 3.3. */
vt_status vt_convert_input(vt_rt *, const vt_unit *, vt_value, vt_value *out);
vt_status vt_convert_output(vt_rt *, const vt_unit *, vt_value, vt_value *out);
/* takes the value, also on error */
vt_status vt_convert_output_own(vt_rt *, const vt_unit *, vt_value owned, vt_value *out);
/* For those to whom tuples are lists: below the first level it may have parts of a document. */
vt_status vt_convert_result(vt_rt *, const vt_unit *, vt_value owned, vt_value *out);
/* join.c: join() by an equation over a right side that is a list of dicts. */
/* join_plan.c: the same by programs (vt_join), over anything. */
bool vt_can_plan_join(vt_rt *, const vt_unit *, vt_value predicate, vt_value selector);
vt_status vt_join_planned(struct vt_args *, vt_value *out);
bool vt_can_look_up(vt_rt *, vt_value left, vt_value right, vt_value predicate);
vt_status vt_join_by_key(struct vt_args *, vt_value *out);
/* v[0]: an iterator; v[1]: the lambda that makes the items of its items */
extern const vt_iter_ops vt_map_ops;
/* Is it evaluated, or does it become so where it lies, which nobody but the caller can see?  For
 * what is handed to a function of the library without quotas. */
bool vt_settles(vt_value);
/* ---- part.c ---- */

/* Iterators over a list that is given away: all of it, what is behind the first ones, the first
 * ones, and from its end. */
vt_value vt_iter_over(vt_rt *, vt_value owned_list);
/* The same as what select() or, `filtered`, where() gives. */
vt_value vt_made_over(vt_rt *, vt_value owned_list, bool filtered);
/* One of these that has not begun, and that nobody else holds, becomes its list. */
void vt_unwrap_made(vt_value *);
vt_value vt_rest_over(vt_rt *, vt_value owned_list, int64_t from);
vt_value vt_part_over(vt_rt *, vt_value owned_list, int64_t most);
vt_value vt_reversed_over(vt_rt *, vt_value owned_list);
/* By these, which have the same text, part.c knows iterators of limit() and skip() over anything,
 * whose i[0] is how many are left or to be dropped: not all programs link their vt_iter_ops. */
extern const char vt_name_of_limit[], vt_name_of_skip[];
/* Passes by up to n items of an iterator over a whole list, and says how many; -1: it is none. */
int64_t vt_iter_jump(vt_value iter, int64_t n);
/* Where one of vt_rest_over over the list stands that nobody else holds; -1: it is none. */
int64_t vt_rest_from(vt_value iter, vt_value list);
/* A list, a view, or what an iterator over a list has still to give, in one piece; VT_UNDEF: it is
 * none, or there is nothing.  The second one: final, where all items are. */
vt_value vt_collect_part(vt_rt *, vt_value, enum vt_kind);
/* Of integers: i[0] is the next, i[1] the step, i[2] how many come, to the end or v[0]. */
uint32_t vt_bulk_words(vt_rt *, vt_iter *, uint32_t room, vt_value *items);
/* The same of a range, whose unit has no limit. */
vt_value vt_collect_range(vt_rt *, vt_value, enum vt_kind);
vt_value vt_final_part(vt_rt *, vt_value);
/* How many items these are; -1: neither. */
int64_t vt_part_left(vt_value);
/* The same, and the iterator has given them then. */
int64_t vt_part_pass(vt_value iter);
/* Of an iterator whose v[0] is a list, and i[0] where it stands. */
vt_status vt_next_of_list(vt_rt *, vt_iter *, vt_value *out);
uint32_t vt_bulk_of_list(vt_rt *, vt_iter *, uint32_t room, vt_value *out);

/* ---- ordering.c ---- */

/* ORDERING: orderBy's value; see ordering.c. */
typedef struct vt_ordering {
	vt_head h;
	vt_value source; /* anything iterable */
	/* list of lambdas; aux bit i of `down` gives the direction of the i-th */
	vt_value keys;
	uint64_t down;
	vt_value sorted; /* tuple after the first iteration, else VT_UNDEF */
	const vt_unit *unit;
	struct vt_ordering *next, **link; /* all of the session: see vt_orderings_break */
} vt_ordering;
vt_status vt_ordering_sorted(vt_rt *, vt_ordering *, vt_value *out); /* borrowed tuple */
/* By a first key, without a source; counted. */
vt_ordering *vt_ordering_new(vt_rt *, const vt_unit *, vt_value key);
void vt_ordering_free(vt_head *); /* releases what it holds */
/* thenBy() can make an ordering hold a lambda whose scope holds the ordering: the end of a session
 * cuts that. */
void vt_orderings_break(vt_rt *);

/* ---- iter.c, scope.c ---- */
vt_scope *vt_scope_root(vt_rt *, const vt_unit *, vt_value data); /* $ = data */
/* vt_scope_end of a branch of Parallel */
void vt_scope_end_branch(vt_rt *, vt_scope *);
/* Has the function of a def() the name of one of the library?  SHADOWS: only calls that are written
 * may mean it; HIDES: any call by that name is no longer what it seems. */
enum vt_def_hides { VT_DEF_NEW, VT_DEF_SHADOWS, VT_DEF_HIDES };
/* def(), of a scope that has no function yet */
void vt_scope_define(vt_scope *, const vt_str *name, vt_value lambda, enum vt_def_hides);
/* to contract functions in lambdas; NULL takes it back */
void vt_scope_borrow_cx(vt_scope *, vt_cx *);
vt_cx *vt_scope_cx(const vt_scope *); /* or NULL */
/* What stands in the scope and those around it but the outermost, inner ones first: a dict by the
 * names without $, or VT_UNDEF. */
vt_value vt_scope_inner(vt_rt *, const vt_scope *);
/* borrowed lambda of def() visible here, or VT_UNDEF */
vt_value vt_scope_function(vt_scope *, const vt_str *name);
/* Does one that is to be seen hide a function of the library, or do so at least? */
bool vt_scope_hides(const vt_scope *);
bool vt_scope_has(const vt_scope *, enum vt_def_hides least);
/* vt_head.aux of a scope: a context of a host, or that in which an expression runs there. */
enum { VT_SCOPE_CONTEXT = 1, VT_SCOPE_TOP };
vt_value vt_lambda_new(vt_rt *, const vt_code *, vt_scope *);
/* finalisers: release what the object holds; vt_free gives the memory back */
void vt_scope_fini(vt_head *);
void vt_lambda_fini(vt_head *);
void vt_iter_fini(vt_head *);
vt_value vt_lambda_native(vt_rt *,
	vt_status (*)(vt_rt *, void *, uint32_t, const vt_value *, vt_value *), void *data,
	void (*)(void *));
/* One that gives the value, whatever it is called with. */
vt_value vt_lambda_constant(vt_rt *, vt_value);
vt_status vt_apply(vt_rt *, vt_value lambda, uint32_t n, const vt_value *args, vt_value *out);
vt_status vt_apply_kw(vt_rt *, vt_value lambda, uint32_t n, const vt_value *args,
	vt_value kwargs_dict, vt_value *out);
/* Lambda[ctx] */
vt_status vt_apply_in(
	vt_rt *, vt_value lambda, vt_scope *ctx, uint32_t n, const vt_value *args, vt_value *out);

/* ---- context.c: contexts that a host makes, counted ---- */
vt_scope *vt_context_new(vt_rt *, const vt_unit *, vt_scope *parent); /* parent: or NULL */
/* One that stands for n others, at least one, in one level. */
vt_scope *vt_context_view(
	vt_rt *, const vt_unit *, vt_scope *parent, vt_scope *const *of, uint32_t n);
vt_scope *vt_context_first(vt_scope *);                        /* what is written goes there */
const vt_scope *vt_context_part(const vt_scope *, uint32_t i); /* itself, or its parts; or NULL */
/* Variables can make a context hold itself: the end of a session cuts that. */
void vt_contexts_break(vt_rt *);
/* What the host registered there; *NULL at first. */
void **vt_context_table(vt_scope *, void (*drop)(void *));
void *vt_context_has_table(const vt_scope *);
/* How what is registered there is named: enum vt_names_as. */
void vt_context_name_as(vt_scope *, uint8_t names_as);
uint8_t vt_context_names_as(const vt_rt *, const vt_scope *);
/* A variable of this level, borrowed; VT_UNDEF: it is not set. */
vt_value vt_context_own(const vt_scope *, const vt_str *name);
void vt_context_set(vt_rt *, vt_scope *, const vt_str *name, vt_value);
bool vt_context_unset(vt_rt *, vt_scope *, const vt_str *name);
vt_value vt_context_names(vt_rt *, const vt_scope *); /* a dict: the keys are the names */

/* ---- lambda_program.c ---- */
void vt_pulls_drop(vt_rt *);     /* seq/pull.c: buffers that nobody uses */
void vt_lookups_forget(vt_rt *); /* seq/lookup.c, where rt->s->lookups is not NULL */
#pragma weak vt_lookups_forget
void vt_batches_drop(vt_rt *); /* seq/lambda_program.c, where rt->s->batch is not NULL */
#pragma weak vt_batches_drop

/* ---- sort.c: the order of rows by columns of numbers or texts ---- */
/*
 * The stable order of n rows by m columns, the first decides first; bit k of `down` turns the k-th.
 * False: a column is neither of small integers alone nor of texts alone.  Where *exact comes out
 * false, rows may stand beside each other in an order that nobody looked at: tied[i] is then 1 when
 * the i-th row in `order` is one of those and so is the one before it.  The columns are written
 * over.
 */
bool vt_sort_columns(vt_rt *rt, uint32_t n, uint32_t m, vt_value *const *column, uint64_t down,
	uint32_t *order, bool *exact, uint8_t *tied);

/* The stable order of at most VT_ORDER_FEW keys: each is compared with each, and nothing that a
 * comparison says decides a branch.  False: they are not numbers alone, or texts alone, or only
 * what texts say behind their first eight bytes would tell. */
enum { VT_ORDER_FEW = 16 };
bool vt_order_few(uint32_t n, const vt_value *key, bool down, uint8_t *order);

/* ---- walks over whole values that give new ones: iter.c and output.c ---- */

/* A walk over a value that gives a new one; bounded in depth. */
typedef struct vt_walk {
	vt_rt *rt;
	const vt_unit *u;
	uint32_t depth;
	vt_status (*item)(struct vt_walk *, vt_value, vt_value *out);
	/* or NULL: the same for what is given away; then it is the way out */
	vt_status (*own)(struct vt_walk *, vt_value owned, vt_value *out);
	bool frozen;     /* what dicts become */
	bool loose_sets; /* sets become such as may change */
	bool lazy_limit; /* only iterators are limited, not what has a length */
	bool shares;     /* what a document has may leave as it is, below the first level */
} vt_walk;

enum { VT_LIMITED_SIZE = 232 }; /* of the generator that counts, for the quota */

vt_status vt_walk_deeper(vt_walk *); /* w->depth goes down again when that level is done */
vt_status vt_walk_items(vt_walk *, vt_value, enum vt_kind, vt_value *out);
vt_status vt_walk_dict(vt_walk *, vt_value, vt_value *out);
vt_status vt_walk_set(vt_walk *, vt_value owned_list, vt_value *out);
/* Is the value as an expression's caller gets it, or becomes so where it lies? */
bool vt_output_plain(const vt_walk *, vt_value owned);

/* ---- scope.c and context.c only: the rare part of a scope, which is dynamic names and what
 * contexts of a host have ---- */
typedef struct vt_scope_ext {
	vt_dict *vars; /* name -> value, or NULL */
	/* what def() made here, one function: its name, or NULL */
	const vt_str *fname;
	vt_value function;
	/* of the contract that runs in the scope and those below it, or NULL; borrowed */
	vt_cx *cx;
	/* of a context of a host: what it registered there, or NULL; drop frees it */
	void *table;
	void (*drop)(void *);
	/* of one that stands for others: these, counted; none of them has parts */
	vt_scope **part;
	uint32_t nparts;
	uint8_t hides;    /* enum vt_def_hides */
	uint8_t names_as; /* enum vt_names_as and one more; 0: as the context around it */
	/* all contexts of the session: see vt_contexts_break */
	vt_scope *next, **link;
} vt_scope_ext;

vt_scope_ext *vt_scope_ext_of(vt_scope *); /* is made when there is none */
/* $1 spelled as a name; 0 when the name is no number. */
uint32_t vt_scope_position(const vt_str *);

void vt_context_fini(vt_scope_ext *);
/* Of the scope alone, borrowed; VT_UNDEF: it has none. */
vt_value vt_context_arg(const vt_scope *, uint32_t n);
vt_value vt_context_of_parts(const vt_scope *, const vt_str *name);
vt_value vt_context_function(const vt_scope *, const vt_str *name);

#endif
