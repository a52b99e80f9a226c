/*
 * batch.h - inside of lambda_program.c, batch_member.c and batch_result.c: the columns of a batch.
 */
#ifndef VT_BATCH_H
#define VT_BATCH_H

#define VT_BATCH_INSIDE
#include "runtime/core/bytes.h"
#include "runtime/core/session.h"
#include "runtime/seq/lambda_program.h"

/* FEW_ROWS: so many are worth a slab. MANY: when more follow, they will hardly be in the cache;
 * FAR: and what they refer to neither. */
enum { FEW_ROWS = 16, MANY = 1024, FAR = 8192 };

/* Does the step make a list or dict of other registers? */
static inline bool
vt_step_makes(const vt_lambda_step *x)
{
	return x->op >= VT_STEP_LIST && x->op <= VT_STEP_DICT;
}

/* Where the step writes: the register's own values, from the item on that is next. */
static inline vt_value *
vt_batch_values(vt_batch *s, uint32_t r)
{
	vt_value *v = s->v + (size_t)r * s->cap;

	s->col[r] = v;
	s->text[r] = NULL;
	return v + s->at;
}
/* A register's values from that item on; NULL: texts. */
static inline const vt_value *
vt_batch_from(const vt_batch *s, uint32_t r)
{
	return s->col[r] != NULL ? s->col[r] + s->at : NULL;
}
static inline void
vt_batch_own(vt_batch *s, uint32_t r)
{
	s->owns |= UINT64_C(1) << r;
}
/* Is the step to be done for the i-th item? */
static inline bool
vt_step_counts(const vt_batch *s, const vt_lambda_step *t, uint32_t i)
{
	vt_value v;

	if (t->guard == VT_STEP_K)
		return true;
	v = vt_batch_from(s, t->guard)[i];
	if (v == VT_UNDEF)
		return false;
	return vt_is_true(v) != ((t->flags & VT_STEP_UNLESS) != 0);
}

/* One of both, without a branch: where which one it is nobody can foretell. */
static inline vt_value
vt_pick(bool first, vt_value a, vt_value b)
{
	return b ^ ((a ^ b) & -(vt_value)first);
}

static inline bool
vt_all_ints(const vt_value *v, uint32_t n)
{
	vt_value all = 1;

	for (uint32_t i = 0; i < n; i++)
		all &= v[i];
	return vt_is_int(all);
}

static inline bool
vt_all_float_words(const vt_value *v, uint32_t n)
{
	vt_value other = 0;

	for (uint32_t i = 0; i < n; i++)
		other |= (v[i] & 7) ^ 2;
	return other == 0;
}

/* Short ones are copied by blocks that overlap. */
static inline void
vt_copy_text(char *to, const char *p, size_t n)
{
	if (n >= VT_BLOCK) {
		vt_copy16(to, p, n);
	} else if (n >= 8) {
		uint64_t a = vt_load8(p), b = vt_load8(p + n - 8);
		vt_store8(to, a);
		vt_store8(to + n - 8, b);
	} else {
		for (size_t i = 0; i < n; i++)
			to[i] = p[i];
	}
}

/* ---- lookup.c ---- */

/* Where the items of a list stand: by themselves, or by the member of that name. */
typedef struct vt_lookup {
	const vt_list *list; /* counted where there is an index; NULL: a free entry */
	const vt_str *name;  /* or NULL; of the program */
	uint32_t n, asked;
	bool never;     /* items have keys that cannot be looked up */
	uint32_t busy;  /* who stands in a chain of it: it stays until then */
	vt_dict *first; /* key -> the first position; NULL: no index yet */
	uint32_t *next; /* by position: the next one with the same key, or UINT32_MAX */
} vt_lookup;
/* NULL: the list has to be read, all of it or until something is found. */
vt_lookup *vt_lookup_of(vt_rt *, const vt_list *, const vt_str *name, bool to_end);
/* *at: the first position, UINT32_MAX: there is none. False: nothing can be said about the key. */
bool vt_lookup_first(const vt_lookup *, vt_value key, uint32_t *at);

/* batch_text.c: the text with its characters in the other order. */
vt_value vt_text_turned(vt_rt *, const vt_str *);
/* The texts of a column become strings. */
void vt_make_texts(vt_batch *s, const vt_lambda_program *t, uint8_t r, uint32_t n, bool slab);

/* Without some steps, whose bits those are; `others` are the $2. */
uint32_t vt_batch_fill_but(vt_batch *s, const vt_lambda_program *t, uint32_t n,
	const vt_value *others, uint64_t without);
/* Step r for s->n items, 0 where it is not for them; which step is next. */
uint32_t vt_batch_step(vt_batch *s, const vt_lambda_program *t, uint32_t r, const vt_value *items,
	const vt_value *others);
/* The step for the item at s->at alone; false: it is not for it. */
bool vt_batch_one(vt_batch *s, const vt_lambda_step *x, uint32_t r);
/* Those of the registers that are texts become strings. */
void vt_batch_strings(vt_batch *s, const vt_lambda_program *t, uint64_t of);

/* fold.c: the same as vt_fold_new of a program, which may be nested in that of a batch: `of` says
 * for each item to which of that one's it belongs. */
vt_fold *vt_fold_of(vt_rt *, const vt_lambda_program *, vt_scope *);
void vt_fold_nest(vt_fold *, const vt_batch *up, const uint8_t *outer, const uint8_t *of);

/* unmade.c: a step that reads no more than a member of what is not made; false: another. */
bool vt_unmade_step(vt_batch *s, const vt_lambda_program *t, uint32_t r);
/* The shape of the records that a program makes. NULL: keys that are none. */
struct vt_shape *vt_batch_shape(vt_batch *s, const vt_lambda_program *t);

/* The values that the batch owns. */
void vt_batch_give_back(vt_batch *s);

/* The registers that a step reads, as bits: fold.c. */
uint64_t vt_step_operands(const vt_lambda_step *);
/* What a step makes of two values. False: it is not for them. */
bool vt_step_same(vt_rt *rt, vt_value x, vt_value y);
/* numbers.c; dy: how far the right ones are apart, 0 or 1. */
bool vt_step_compare(unsigned op, vt_value x, vt_value y, vt_value *v);
bool vt_step_real(vt_rt *rt, unsigned op, vt_value x, vt_value y, vt_value *out); /* a float */
/* Of small integers in front, as far as they are such: how many. */
uint32_t vt_step_ints(
	unsigned op, uint32_t n, const vt_value *x, const vt_value *y, size_t dy, vt_value *v);
/* Of floats, and integers beside them, n > 0, all at once; false: some are not to be had from words
 * alone, or their answers are none. */
bool vt_step_words(
	unsigned op, uint32_t n, const vt_value *x, const vt_value *y, size_t dy, vt_value *v);
/* Which comes first, of what has an order. */
uint32_t vt_step_order(
	unsigned op, uint32_t n, const vt_value *x, const vt_value *y, size_t dy, vt_value *v);
/* What the operator says of -1, 0 or 1; of 2, two that have no order, it is false. */
static inline bool
vt_step_answer(unsigned op, int order)
{
	switch (op) {
	case VT_STEP_LT: return order == -1;
	case VT_STEP_LE: return order == -1 || order == 0;
	case VT_STEP_GT: return order == 1;
	}
	return order == 1 || order == 0;
}

/* Steps: a member; an item of a list. */
void vt_batch_member(vt_batch *s, const vt_lambda_step *t, uint32_t r);
void vt_batch_index(vt_batch *s, const vt_lambda_step *t, uint32_t r);

/* batch_text.c */
const vt_text *vt_batch_texts(vt_batch *s, uint32_t r);
uint32_t vt_batch_fill_texts(
	vt_batch *s, const vt_lambda_program *t, uint32_t from, uint64_t without);
void vt_batch_starts_or_ends(vt_batch *s, const vt_lambda_step *t, uint32_t r);
/* The k-th piece of each text, cut at `by`; -1: how many there are. */
void vt_batch_pieces(vt_batch *s, uint32_t r, const vt_value *of, const vt_str *by, int64_t k);
/* A part of a text, where it lies. */
void vt_batch_part(vt_batch *s, const vt_lambda_step *t, uint32_t r);
void vt_batch_match(vt_batch *s, const vt_lambda_step *t, uint32_t r);
void vt_batch_find(vt_batch *s, const vt_lambda_step *t, uint32_t r);

/* batch_call.c: each ends the batch in front of what it is not for. */
/*
 * A call for many items.  What the first of them found out about the row is used for the others as
 * long as their values are of the same kinds.
 */
typedef struct vt_repeated_call {
	bool is_ready, has_other;
	uint32_t tries;
	uint8_t r[VT_READY_VALUES]; /* registers of the values; VT_STEP_K: they stay */
	vt_ready_call call;
	vt_ready_call other; /* for values of other kinds */
} vt_repeated_call;
/* Of the step that makes register r: what a fold keeps, or `own`. */
vt_repeated_call *vt_batch_repeated(vt_batch *s, uint32_t r, vt_repeated_call *own);
/* One item by the call that the step stands for; false: it fails. */
bool vt_batch_ask(vt_batch *s, const vt_lambda_step *t, uint32_t i, vt_value *out);
/* The general form of a binary operator; the register owns its values. */
bool vt_batch_binary(vt_batch *s, const vt_lambda_step *t, uint32_t r, vt_repeated_call *c,
	vt_value x, vt_value y, vt_value *out);
void vt_batch_call(vt_batch *s, const vt_lambda_step *t, uint32_t r);
/* isString() and the like; how: enum vt_step_call. */
static inline bool
vt_step_asks_kind(const vt_lambda_step *t)
{
	return t->c >= VT_CALL_STRING && t->c <= VT_CALL_BOOLEAN;
}
static inline bool
vt_step_has_kind(unsigned how, vt_value v)
{
	switch (how) {
	case VT_CALL_STRING: return vt_is(v, STR);
	case VT_CALL_LIST: return vt_is_sequence(v);
	case VT_CALL_DICT: return vt_is(v, DICT);
	case VT_CALL_INTEGER: return vt_is_integer(v);
	case VT_CALL_NUMBER: return vt_is_number(v);
	}
	return vt_is_bool(v);
}
void vt_batch_get(vt_batch *s, const vt_lambda_step *t, uint32_t r);
void vt_batch_in(vt_batch *s, const vt_lambda_step *t, uint32_t r);
void vt_batch_choose(vt_batch *s, const vt_lambda_step *t, uint32_t r);
void vt_batch_variable(vt_batch *s, const vt_lambda_step *t, uint32_t r);
void vt_batch_outer(vt_batch *s, const vt_lambda_step *t, uint32_t r);
void vt_batch_list(vt_batch *s, const vt_lambda_step *t, uint32_t r);
void vt_batch_map(vt_batch *s, const vt_lambda_step *t, uint32_t r);
void vt_batch_dict(vt_batch *s, const vt_lambda_step *t, uint32_t r);
/* Data, which calls do not change: no iterator, object or function.  `fresh`: the program's own
 * iterators are data as well. */
bool vt_is_data(vt_value v, bool fresh);
static inline bool
vt_batch_owns(const vt_batch *s, uint8_t r)
{
	return s->owns >> r & 1;
}
/* What a step takes of a register; VT_UNDEF: it is no data. */
static inline vt_value
vt_batch_operand(const vt_batch *s, uint8_t r, uint32_t i)
{
	const vt_value *v = vt_batch_from(s, r);

	if (v == NULL)
		return VT_UNDEF;
	return !vt_is_ptr(v[i]) || vt_head_of(v[i])->kind <= VT_K_STR ||
			       vt_is_data(v[i], vt_batch_owns(s, r))
		       ? v[i]
		       : VT_UNDEF;
}

/* Are these the items of a long list, whose next ones follow them? */
static inline bool
vt_batch_goes_on(const vt_batch *s, const vt_value *from)
{
	return from == s->given[0] && s->n == VT_BULK && s->behind >= MANY;
}

/* batch_list.c */
void vt_batch_listed(vt_batch *s, const vt_lambda_step *t, uint32_t r);
/* What a collection has, as a list; *kept: that list, where it was made for this.  NULL: it is none
 * that may be read.  fresh: it is the program's own. */
const vt_list *vt_batch_whole(vt_rt *rt, vt_value v, bool fresh, vt_value *kept);
/* A list that holds final values alone is final: steps of other programs take it. */
void vt_batch_note_final(vt_list *l);

/* batch_edit.c */
void vt_batch_edit(vt_batch *s, const vt_lambda_step *t, uint32_t r);

/* lambda_once.c: a step that makes a word of the words v[]: registers a, b and c.  False: it is not
 * for them, or another step. */
bool vt_step_word(vt_rt *, const vt_lambda_step *, const vt_value *v, vt_value *to);
/* A function of def(), item by item. */
void vt_batch_defined(vt_batch *s, const vt_lambda_step *t, uint32_t r);

/* batch_order.c */
bool vt_batch_ordered(vt_value a, vt_value b); /* both numbers, or both texts */
int vt_batch_order(vt_value a, vt_value b);    /* of such: -1, 0, 1; 2: NaN */
/* By keys, which may be the values themselves and are written over.  False: not all are ordered. */
bool vt_batch_sort(vt_rt *, uint32_t n, vt_value *key, vt_value *v, bool falling);
/* The same by rows of m keys; falls: bits of those from the greatest to the least. */
bool vt_batch_sort_rows(uint32_t n, uint32_t m, const vt_value *key, unsigned falls, vt_value *v);
bool vt_batch_distinct(vt_rt *, vt_list *); /* false: not for such items */
/* A value to those of its key, in a list of [key, values]; *index: who calls releases it.  False:
 * it is not for such keys. */
bool vt_batch_group(vt_rt *, vt_list *groups, vt_value *index, vt_value key, vt_value v);
/* Would each method of a collection refuse the second value of the first group, if there is one? */
bool vt_batch_groups_are_old(const vt_list *groups);
void vt_batch_turn(vt_list *);

/* batch_nest.c */
void vt_batch_nest(vt_batch *s, const vt_lambda_step *t, uint32_t r);

#endif
