/* branching.c - rows of lib/branching.fn. */
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "runtime/seq/seq.h"
#include "registry.h"
#include "runtime/core/args.h"

static vt_status
holds(vt_rt *rt, vt_value lambda, bool *yes)
{
	vt_value v = VT_UNDEF;
	VT_TRY(vt_apply(rt, lambda, 0, NULL, &v));
	*yes = vt_truth(v);
	vt_release(v);
	return VT_OK;
}

vt_status
vt_lib_switch(vt_args *a, vt_value *out)
{
	for (uint32_t i = 0; i < a->nrest; i++) {
		const vt_mapping *m = VT_AS(vt_mapping, a->rest[i]);
		bool yes;
		VT_TRY(holds(a->rt, m->key, &yes));
		if (yes)
			return vt_apply(a->rt, m->value, 0, NULL, out);
	}
	*out = VT_NULL;
	return VT_OK;
}

vt_status
vt_lib_select_case(vt_args *a, vt_value *out)
{
	uint32_t i;
	bool yes = false;
	for (i = 0; i < a->nrest; i++) {
		VT_TRY(holds(a->rt, a->rest[i], &yes));
		if (yes)
			break;
	}
	*out = vt_mkint(i);
	return VT_OK;
}

vt_status
vt_lib_switch_case(vt_args *a, vt_value *out)
{
	int64_t at;
	if (a->nrest == 0) {
		*out = VT_NULL;
		return VT_OK;
	}
	if (!vt_int_fits(a->v[0], &at) || at < 0 || at >= a->nrest)
		at = a->nrest - 1;
	return vt_apply(a->rt, a->rest[at], 0, NULL, out);
}

vt_status
vt_lib_coalesce(vt_args *a, vt_value *out)
{
	for (uint32_t i = 0; i < a->nrest; i++) {
		vt_value v = VT_UNDEF;
		VT_TRY(vt_apply(a->rt, a->rest[i], 0, NULL, &v));
		if (v != VT_NULL) {
			*out = v;
			return VT_OK;
		}
	}
	*out = VT_NULL;
	return VT_OK;
}

/* ---- examine() and selectAllCases(): v[0] the list of lambdas, i[0] the next one ------------- */

static vt_status
next_examined(vt_rt *rt, vt_iter *it, vt_value *out)
{
	const vt_list *l = vt_as_list(it->v[0]);
	bool yes;
	*out = VT_UNDEF;
	if (it->i[0] >= l->n)
		return VT_OK;
	VT_TRY(holds(rt, l->v[it->i[0]++], &yes));
	*out = vt_mkbool(yes);
	return VT_OK;
}

static vt_status
next_case(vt_rt *rt, vt_iter *it, vt_value *out)
{
	const vt_list *l = vt_as_list(it->v[0]);
	*out = VT_UNDEF;
	while (it->i[0] < l->n) {
		int64_t at = it->i[0]++;
		bool yes;
		VT_TRY(holds(rt, l->v[at], &yes));
		if (yes) {
			*out = vt_mkint(at);
			return VT_OK;
		}
	}
	return VT_OK;
}

static const vt_iter_ops examine_ops = {next_examined, NULL, "generator", 224, NULL};
static const vt_iter_ops case_ops = {next_case, NULL, "generator", 216, NULL};

static vt_status
over_lambdas(vt_args *a, const vt_iter_ops *ops, vt_value *out)
{
	vt_value l = VT_UNDEF;
	vt_iter *it;
	VT_TRY(vt_tuple_of(a->rt, a->nrest, a->rest, &l));
	it = vt_iter_new(a->rt, ops);
	it->v[0] = l;
	*out = vt_mkptr(it);
	return VT_OK;
}

vt_status
vt_lib_examine(vt_args *a, vt_value *out)
{
	return over_lambdas(a, &examine_ops, out);
}

vt_status
vt_lib_select_all_cases(vt_args *a, vt_value *out)
{
	return over_lambdas(a, &case_ops, out);
}
