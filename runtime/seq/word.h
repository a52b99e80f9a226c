/*
 * word.h - steps of lambda programs that make a word of words, where nothing has to be asked but
 * what kinds these are: what most steps are that are done item by item.
 */
#ifndef VT_SEQ_WORD_H
#define VT_SEQ_WORD_H

#include "runtime/core/dict.h"
#include "runtime/seq/batch.h"

/* A constant argument of a call. */
static inline vt_value
vt_step_argument(const vt_lambda_step *x, uint32_t k)
{
	const vt_arg *a = &((const vt_site *)x->by)->args[k];

	return a->value != NULL ? vt_mkptr(a->value) : a->imm;
}

/* max() and min() of two integers: both ask whether the second is greater, and of two that are
 * equal it makes no difference. */
static inline vt_value
vt_extreme_of(unsigned how, vt_value a, vt_value b)
{
	return ((int64_t)b > (int64_t)a) == (how == VT_CALL_MAX) ? b : a;
}

/*
 * Register r is v[r << shift].  False: it is not for these values, or another step; then nothing
 * has happened.
 */
static inline __attribute__((always_inline)) bool
vt_quick_step(vt_rt *rt, const vt_lambda_step *x, const vt_value *args, const vt_value *v,
	unsigned shift, vt_value *to)
{
#define OF(r) v[(size_t)(r) << shift]
#define RIGHT (x->b != VT_STEP_K ? OF(x->b) : x->heap != NULL ? vt_mkptr(x->heap) : x->k)
#define ARGUMENT(k) (x->args[k] != VT_STEP_K ? OF(x->args[k]) : vt_step_argument(x, k))
#define BOTH_INT(a, b) ((a) & (b)&1)
#define COMPARED(op, sign) \
	case op: a = OF(x->a), b = RIGHT; return vt_order_fast(a, sign, b, to);
	vt_value a, b;

	switch (x->op) {
	case VT_STEP_ITEM: *to = args[x->a]; return true;
	case VT_STEP_CONST: *to = x->heap != NULL ? vt_mkptr(x->heap) : x->k; return true;
	case VT_STEP_ATTR: {
		const vt_ic *ic = vt_ic_at(rt, x->ic);
		a = OF(x->a);
		if (!vt_is(a, DICT) || vt_as_dict(a)->shape == NULL ||
			ic->key != vt_as_dict(a)->shape || ic->aux == 0)
			return false;
		*to = vt_as_dict(a)->v[ic->aux - 1];
		return true;
	}
	case VT_STEP_INDEX:
		a = OF(x->a);
		if (!vt_is_sequence(a) || (uint64_t)vt_toint(x->k) >= vt_as_list(a)->n ||
			(x->c != 0 && vt_as_list(a)->n != x->c))
			return false;
		*to = vt_as_list(a)->v[vt_toint(x->k)];
		return true;
	case VT_STEP_LEN:
		a = OF(x->a);
		if (!vt_is_sequence(a))
			return false;
		*to = vt_mkint(vt_as_list(a)->n);
		return true;
	case VT_STEP_ADD: a = OF(x->a), b = RIGHT; return vt_add_fast(a, b, to);
	case VT_STEP_SUB: a = OF(x->a), b = RIGHT; return vt_sub_fast(a, b, to);
	case VT_STEP_MUL:
		a = OF(x->a), b = RIGHT;
		return vt_mul_fast(a, b, to);
		COMPARED(VT_STEP_LT, <)
		COMPARED(VT_STEP_LE, <=)
		COMPARED(VT_STEP_GT, >)
		COMPARED(VT_STEP_GE, >=)
	case VT_STEP_EQ:
	case VT_STEP_NE:
		a = OF(x->a), b = RIGHT;
		*to = vt_mkbool((a == b) == (x->op == VT_STEP_EQ));
		return BOTH_INT(a, b) ||
		       ((a == VT_NULL || b == VT_NULL) && a != VT_UNDEF && b != VT_UNDEF);
	case VT_STEP_NOT:
		a = OF(x->a);
		*to = a ^ VT_TRUE ^ VT_FALSE;
		return vt_is_bool(a);
	case VT_STEP_AND:
	case VT_STEP_OR:
		a = OF(x->a);
		if (!vt_is_bool(a))
			return false;
		*to = (a == VT_TRUE) == (x->op == VT_STEP_OR) ? a : OF(x->b);
		return *to != VT_UNDEF;
	case VT_STEP_CHOOSE:
		a = OF(x->c);
		if (!vt_is_bool(a) || x->b == VT_STEP_K)
			return false;
		*to = a == VT_TRUE ? OF(x->a) : OF(x->b);
		return *to != VT_UNDEF;
	case VT_STEP_NEST: { /* the first or last item of a list */
		const vt_nest *nest = x->by;
		a = OF(x->a);
		if (x->heap != NULL || !vt_is_sequence(a) || vt_as_list(a)->n == 0 || nest->n > 0 ||
			nest->skip > 0 || nest->most != UINT32_MAX || nest->generates ||
			(nest->reduce != VT_NEST_FIRST && nest->reduce != VT_NEST_LAST))
			return false;
		*to = vt_as_list(a)->v[nest->reduce == VT_NEST_LAST ? vt_as_list(a)->n - 1 : 0];
		return true;
	}
	case VT_STEP_GET:
		if (x->n == 0)
			return false;
		a = OF(x->a), b = ARGUMENT(0);
		if (!vt_is(a, DICT) || !vt_is(b, STR))
			return false;
		*to = vt_dict_get_str(vt_as_dict(a), vt_as_str(b));
		b = x->n == 1 ? VT_NULL : ARGUMENT(1);
		if (*to == VT_UNDEF)
			*to = b;
		return b != VT_UNDEF;
	case VT_STEP_CALL:
		if (x->n != 2 || (x->c != VT_CALL_AT && x->c != VT_CALL_MAX && x->c != VT_CALL_MIN))
			return false;
		a = ARGUMENT(0), b = ARGUMENT(1);
		if (x->c != VT_CALL_AT) {
			*to = vt_extreme_of(x->c, a, b);
			return BOTH_INT(a, b);
		}
		if (vt_is(a, DICT) && vt_is(b, STR))
			*to = vt_dict_get_str(vt_as_dict(a), vt_as_str(b));
		else if (vt_is_int(b) && vt_is_sequence(a) &&
			 (uint64_t)vt_toint(b) < vt_as_list(a)->n)
			*to = vt_as_list(a)->v[vt_toint(b)];
		else
			return false;
		return *to != VT_UNDEF;
	}
	return false;
#undef OF
#undef RIGHT
#undef ARGUMENT
#undef BOTH_INT
#undef COMPARED
}

#endif
