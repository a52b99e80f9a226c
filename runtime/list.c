/*
 * list.c - TUPLE and LIST.
 *
 * A list made with its final size has its items behind the header (inl); one that grows has a block of its own, so
 * that pushing is amortised constant.
 */
#include "vti.h"

#include <stdlib.h>
#include <string.h>

vt_list *
vt_list_new(vt_rt *rt, enum vt_kind kind, uint32_t n)
{
	vt_list *l = vt_alloc(rt, sizeof *l + n * sizeof(vt_value), kind);

	l->n = l->cap = n;
	l->v = l->inl;
	for (uint32_t i = 0; i < n; i++)
		l->v[i] = VT_UNDEF;
	return l;
}

vt_list *
vt_list_grow(vt_rt *rt, enum vt_kind kind, uint32_t cap)
{
	vt_list *l;

	if (cap <= 8) {
		l = vt_list_new(rt, kind, cap);
		l->n = 0;
		return l;
	}
	l = vt_alloc(rt, sizeof *l, kind);
	l->n = 0;
	l->cap = cap;
	l->v = vt_xmalloc(cap * sizeof *l->v);
	return l;
}

void
vt_list_push(vt_rt *rt, vt_list *l, vt_value owned)
{
	(void)rt;
	if (l->n == l->cap) {
		uint32_t cap = l->cap < 4 ? 8 : l->cap * 2;
		if (cap <= l->cap) {
			fputs("vetro: a list is too long\n", stderr);
			exit(3);
		}
		if (l->v == l->inl) {
			vt_value *v = vt_xmalloc(cap * sizeof *v);
			memcpy(v, l->v, l->n * sizeof *v);
			l->v = v;
		} else
			l->v = vt_xrealloc(l->v, cap * sizeof *l->v);
		l->cap = cap;
	}
	l->v[l->n++] = owned;
}

/* Releases the block only; the items are value.c's, which bounds the depth. */
void
vt_list_free(vt_head *h)
{
	vt_list *l = (vt_list *)h;

	for (uint32_t i = 0; i < l->n; i++)
		vt_release(l->v[i]);
	if (l->v != l->inl)
		free(l->v);
}
