/*
 * set.c - SET: insertion-ordered and hashed.  The members are the keys of a dict in its hashed form.
 */
#include "vti.h"

struct vt_set {
	vt_head h;
	vt_dict *members;      /* member -> null */
};

vt_set *
vt_set_new(vt_rt *rt)
{
	vt_set *s = vt_alloc(rt, sizeof *s, VT_K_SET);

	s->members = vt_dict_new(rt, false);
	return s;
}

uint32_t
vt_set_len(const vt_set *s)
{
	return vt_dict_len(s->members);
}

bool
vt_set_has(const vt_set *s, vt_value v)
{
	return vt_dict_get(s->members, v) != VT_UNDEF;
}

vt_status
vt_set_add(vt_rt *rt, vt_set *s, vt_value v)
{
	if (vt_set_has(s, v))
		return VT_OK;
	return vt_dict_set(rt, s->members, v, VT_NULL);
}

bool
vt_set_del(vt_set *s, vt_value v)
{
	return vt_dict_del(NULL, s->members, v);
}

bool
vt_set_at(const vt_set *s, uint32_t *pos, vt_value *item)
{
	vt_value unused;

	return vt_dict_at(s->members, pos, item, &unused);
}

void
vt_set_free(vt_head *h)
{
	vt_set *s = (vt_set *)h;

	vt_release(vt_mkptr(s->members));
}
