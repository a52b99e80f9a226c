/* deletions.c - rows of lib/collections.fn that take keys out of dicts. */
#include "runtime/core/args.h"
#include "runtime/core/base.h"
#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"
#include "registry.h"

/* Python takes a key out of an empty dict without hashing it. */
static vt_status
drop_key(vt_rt *rt, vt_dict *d, vt_value key)
{
	if (vt_dict_len(d) == 0)
		return VT_OK;
	if (!vt_hashable(key))
		return vt_unhashable(rt, key);
	vt_dict_del(rt, d, key);
	return VT_OK;
}

static bool
is_among(const vt_str *key, uint32_t n, const vt_value *keys)
{
	for (uint32_t i = 0; i < n; i++)
		if (vt_is(keys[i], STR) && vt_str_eq(key, vt_as_str(keys[i])))
			return true;
	return false;
}

/* A record without some of its members is a record. False: it is none, or what is left is none. */
static bool
record_without(vt_rt *rt, const vt_dict *d, uint32_t n, const vt_value *keys, vt_value *out)
{
	vt_shape *shape = vt_shape_root(rt);
	vt_dict *made;
	uint32_t m = 0;
	if (d->shape == NULL || d->n == 0 || d->n > VT_SHAPE_KEYS)
		return false;
	made = vt_dict_new_cap(rt, false, d->n);
	for (uint32_t i = 0; i < d->n && shape != NULL; i++) {
		const vt_str *key = d->shape->key[i];
		if (is_among(key, n, keys))
			continue;
		shape = vt_shape_add(rt, shape, key);
		if (shape != NULL)
			made->v[m++] = vt_copy(d->v[i]);
	}
	made->n = m;
	if (shape == NULL) {
		vt_release(vt_mkptr(made));
		return false;
	}
	made->shape = shape;
	*out = vt_mkptr(made);
	return true;
}

vt_status
vt_lib_dict_delete(vt_args *a, vt_value *out)
{
	bool texts = !vt_metered(a->rt);
	for (uint32_t i = 0; i < a->nrest; i++)
		texts = texts && vt_is(a->rest[i], STR);
	if (texts && record_without(a->rt, vt_as_dict(a->v[0]), a->nrest, a->rest, out))
		return VT_OK;
	vt_dict *d = vt_dict_copy(a->rt, vt_as_dict(a->v[0]), false);
	vt_status st = vt_metered(a->rt) ? vt_quota_dict_copy(a->rt, d) : VT_OK;
	for (uint32_t i = 0; i < a->nrest && st == VT_OK; i++)
		st = drop_key(a->rt, d, a->rest[i]);
	return vt_settle(st, vt_mkptr(d), out);
}

vt_status
vt_lib_dict_delete_all(vt_args *a, vt_value *out)
{
	vt_value iter = VT_UNDEF, key;
	vt_dict *d;
	vt_status st = VT_OK;
	VT_TRY(vt_iterate_limited(a->rt, a->unit, a->v[1], &iter));
	d = vt_dict_copy(a->rt, vt_as_dict(a->v[0]), false);
	if (vt_metered(a->rt))
		st = vt_quota_dict_copy(a->rt, d);
	while (VT_EACH(a->rt, iter, key, st)) {
		st = drop_key(a->rt, d, key);
		vt_release(key);
	}
	vt_release(iter);
	return vt_settle(st, vt_mkptr(d), out);
}
