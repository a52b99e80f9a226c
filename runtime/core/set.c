/* set.c - sets: a hashed dictionary whose values are null.  What walks its table is in dict.c. */
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"

vt_set *
vt_set_new(vt_rt *rt)
{
	vt_set *s = vt_heap_take(rt->s->heap, sizeof *s, VT_K_SET, VT_F_FINAL);
	s->d.h = (vt_head){1, VT_K_DICT, VT_F_FROZEN, 0};
	s->d.shape = NULL, s->d.t = NULL, s->d.n = s->d.cap = 0;
	return s;
}

uint32_t
vt_set_len(const vt_set *s)
{
	return vt_dict_len(&s->d);
}

bool
vt_set_has(const vt_set *s, vt_value v)
{
	return vt_dict_get(&s->d, v) != VT_UNDEF;
}

vt_status
vt_set_add_all(vt_rt *rt, vt_set *s, uint32_t n, const vt_value *v)
{
	uint32_t i = vt_set_few(rt, s, n, v);
	for (; i < n; i++)
		VT_TRY(vt_set_add(rt, s, v[i]));
	return VT_OK;
}

bool
vt_set_del(vt_set *s, vt_value v)
{
	return vt_dict_del(NULL, &s->d, v);
}

bool
vt_set_at(const vt_set *s, uint32_t *pos, vt_value *item)
{
	vt_value none;
	return vt_dict_at(&s->d, pos, item, &none);
}

void
vt_set_free(vt_head *h)
{
	vt_dict_free(&((vt_set *)h)->d.h);
}
