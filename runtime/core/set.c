/*
 * set.c - SET: a hashed dictionary whose values are null, so that there is one hash table in the
 * runtime.
 */
#include "runtime/core/value.h"

struct vt_set {
	vt_head h;
	vt_dict *d;
};

vt_set *
vt_set_new(vt_rt *rt)
{
	vt_dict *d = vt_dict_new_hashed(rt, true);
	vt_set *s = vt_alloc(rt, sizeof *s, VT_K_SET);
	s->d = d;
	return s;
}

uint32_t
vt_set_len(const vt_set *s)
{
	return vt_dict_len(s->d);
}

bool
vt_set_has(const vt_set *s, vt_value v)
{
	return vt_dict_get(s->d, v) != VT_UNDEF;
}

void
vt_set_warm(const vt_set *s, uint32_t n, const vt_value *key)
{
	vt_dict_warm(s->d, n, key);
}

/* The member that was there first stays. */
vt_status
vt_set_add(vt_rt *rt, vt_set *s, vt_value v)
{
	VT_TRY(vt_dict_set(rt, s->d, v, VT_NULL));
	if ((s->h.flags & VT_F_FINAL) && !vt_is_final(v))
		s->h.flags &= (uint8_t)~VT_F_FINAL;
	return VT_OK;
}

bool
vt_set_del(vt_set *s, vt_value v)
{
	return vt_dict_del(NULL, s->d, v);
}

bool
vt_set_at(const vt_set *s, uint32_t *pos, vt_value *item)
{
	vt_value none;
	return vt_dict_at(s->d, pos, item, &none);
}

void
vt_set_free(vt_head *h)
{
	vt_release(vt_mkptr(((vt_set *)h)->d));
}
