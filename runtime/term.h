/*
 * term.h - lambdas as tables (vt_terms), evaluated where the loop is.
 *
 * A test of a member against a number is five instructions; calling it costs as many times that.
 * False: the table is not for this item; nothing has happened, and the code has to run.
 */
#ifndef TERM_H
#define TERM_H

#include "vti.h"

/* Borrowed. */
static inline bool
vt_term_left(vt_rt *rt, const vt_term *t, vt_value item, vt_value *out)
{
	const vt_record *r = (const vt_record *)(uintptr_t)item;
	const vt_ic *ic;

	*out = item;
	if (t->whole)
		return true;
	ic = vt_ic_at(rt, t->ic);
	if (!vt_is_ptr(item) || !vt_is_record(r) || r->shape != ic->key || ic->aux == 0)
		return false;
	*out = r->v[ic->aux - 1];
	return *out != VT_UNDEF;
}

/* The records of a list lie where they were made: the processor is told of the next ones while one
 * is looked at. */
static inline void
vt_list_ahead(const vt_list *l, uint32_t i)
{
	if (i + 6 < l->n) {
		const char *p = (const char *)(uintptr_t)l->v[i + 6];
		__builtin_prefetch(p);
		__builtin_prefetch(p + 64);
	}
}

/* Gives *out away. On words: 2x+1 and 2y are the operands, so that the processor sees the overflow.
 */
static inline __attribute__((always_inline)) bool
vt_term_value(vt_rt *rt, const vt_term *t, vt_value item, vt_value *out)
{
	vt_value left;
	int64_t a, b = (int64_t)t->right, r;

	if (!vt_term_left(rt, t, item, &left))
		return false;
	if (t->op == VT_TERM_NONE) {
		*out = vt_copy(left);
		return true;
	}
	if (!vt_is_int(left))
		return false;
	a = (int64_t)left;
	switch ((enum vt_binop)t->op) {
	case VT_OP_ADD:
		if (__builtin_add_overflow(a, b - 1, &r))
			return false;
		*out = (vt_value)r;
		return true;
	case VT_OP_SUB:
		if (__builtin_sub_overflow(a, b - 1, &r))
			return false;
		*out = (vt_value)r;
		return true;
	case VT_OP_MUL:
		if (__builtin_mul_overflow(a - 1, vt_toint(t->right), &r))
			return false;
		*out = (vt_value)(r + 1);
		return true;
	case VT_OP_LT: *out = vt_mkbool(a < b); return true;
	case VT_OP_LE: *out = vt_mkbool(a <= b); return true;
	case VT_OP_GT: *out = vt_mkbool(a > b); return true;
	case VT_OP_GE: *out = vt_mkbool(a >= b); return true;
	case VT_OP_DIV:
	case VT_OP_MOD: break;
	}
	return false;
}

bool vt_terms_record(vt_rt *, const vt_terms *, vt_value item, vt_value *out); /* pipe.c */

static inline bool
vt_terms_value(vt_rt *rt, const vt_terms *t, vt_value item, vt_value *out)
{
	return t->keys == NULL ? vt_term_value(rt, t->t, item, out)
			       : vt_terms_record(rt, t, item, out);
}

/* The table of a lambda, where it may be used; or NULL. */
static inline const vt_terms *
vt_terms_of(vt_rt *rt, vt_value lambda)
{
	const vt_lambda *l = VT_AS(vt_lambda, lambda);
	return l->code != NULL && l->scope != NULL && !rt->s->host_hides && !vt_metered(rt)
		       ? l->code->terms
		       : NULL;
}

#endif
