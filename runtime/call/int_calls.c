/*
 * int_calls.c - what calls in integer methods find (compiler/emit/int_method.c), without making
 * them.
 */
#include "runtime/call/resolve.h"
#include "runtime/core/exception.h"

static bool
site_finds(vt_rt *rt, const vt_site *s, vt_value self, const vt_method_decl *m)
{
	vt_ic *ic = cache_of(rt, s);
	if (ic == NULL || s->nargs > SMALL)
		return false;
	if (ic->key != vt_cls_of(self))
		vt_call_learn(rt, s, self);
	return ic->key == vt_cls_of(self) && ic->target == m && ic->aux == 1;
}

const vt_method_decl *
vt_int_method_found(vt_rt *rt, const vt_site *s, const vt_ic *ic, vt_value recv)
{
	const vt_ic *found;
	if (!vt_is(recv, OBJECT) || s->nargs > SMALL)
		return NULL;
	found = vt_find_method(rt, s, ic, recv);
	if (found == NULL) {
		vt_call_learn(rt, s, recv);
		found = vt_find_method(rt, s, ic, recv);
	}
	return found != NULL && found->aux == 1 ? found->target : NULL;
}

int
vt_int_method_bind(vt_rt *rt, vt_ic *own, vt_value self, const vt_bound *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!site_finds(rt, b[i].site, self, b[i].method)) {
			own->aux++;
			return 0;
		}
	own->key = vt_cls_of(self);
	return 1;
}
