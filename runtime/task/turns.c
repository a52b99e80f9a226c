/*
 * turns.c - Parallel whose branches run as statements of their method: what other tasks see of it.
 */
#include "runtime/task/int.h"

static vt_status
nothing(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	(void)rt, (void)data, (void)i, (void)out;
	return VT_OK;
}

vt_status
vt_let_others(vt_rt *rt, uint32_t n)
{
	vt_sched *s = rt->s->sched;
	vt_value out = VT_UNDEF;
	if (s == NULL || (s->nalive == 0 && s->current == &s->main && s->ready.head == NULL &&
				 !s->main.cancelled))
		return VT_OK;
	return vt_run_all(rt, n, 0, nothing, NULL, &out);
}
