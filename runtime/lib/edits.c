/* edits.c - rows of lib/collections.fn that put into lists, replace and delete, in dicts too. */
#include "runtime/core/args.h"
#include "runtime/core/base.h"
#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/printable.h"
#include "runtime/core/session.h"
#include "runtime/lib/query.h"
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

/* A record without some of its members is a record. False: it is none, or what is left is none. */
static bool
record_without(vt_rt *rt, const vt_dict *d, uint32_t n, const vt_value *keys, vt_value *out)
{
	uint64_t without = 0;
	vt_dict *made;
	if (d->shape == NULL || d->n > VT_SHAPE_KEYS)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		int slot = vt_shape_find(d->shape, vt_as_str(keys[i]));
		if (slot >= 0)
			without |= UINT64_C(1) << slot;
	}
	made = vt_dict_rest(rt, d, without);
	if (made != NULL)
		*out = vt_mkptr(made);
	return made != NULL;
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

/* ---- insertion and deletion, element by element ---- */

/* i: number of the next element, position, count.  v: source, values to put in or VT_UNDEF, whether
 * they run. */
static bool
in_range(const vt_iter *it)
{
	return it->i[0] >= it->i[1] && (it->i[2] < 0 || it->i[0] - it->i[1] < it->i[2]);
}

/* The values stand where the first element of the range was. */
static vt_status
next_replace(vt_rt *rt, vt_iter *it, vt_value *out)
{
	bool inside;
	for (;;) {
		if (it->v[2] == VT_TRUE) {
			VT_TRY(vt_next(rt, it->v[1], out));
			if (*out != VT_UNDEF)
				return VT_OK;
			it->v[2] = VT_UNDEF;
			vt_clear(&it->v[1]);
		}
		VT_TRY(vt_next(rt, it->v[0], out));
		if (*out == VT_UNDEF)
			return VT_OK;
		inside = in_range(it);
		it->i[0]++;
		if (!inside)
			return VT_OK;
		vt_clear(out);
		if (it->v[1] != VT_UNDEF)
			it->v[2] = VT_TRUE;
	}
}

/* Items of the source as they are: at most `most`, or all when it is negative. */
static uint32_t
bulk_as_is(vt_rt *rt, vt_iter *it, int64_t most, uint32_t room, vt_value *out)
{
	vt_iter *of = VT_AS(vt_iter, it->v[0]);
	uint32_t n;

	it->h.aux = VT_ONE_WAY;
	if (!vt_is(it->v[0], ITER) || of->ops->bulk == NULL) {
		it->h.aux |= VT_NO_MORE;
		return 0;
	}
	of->h.aux = 0;
	n = of->ops->bulk(rt, of, most >= 0 && most < room ? (uint32_t)most : room, out);
	it->h.aux |= of->h.aux & VT_NO_MORE;
	of->h.aux = 0;
	return n;
}

/* What is in front of the range, and what is behind it. */
static uint32_t
bulk_replace(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	int64_t most = it->i[0] < it->i[1] ? it->i[1] - it->i[0] : -1;
	uint32_t n = it->v[2] == VT_TRUE || in_range(it) ? 0 : bulk_as_is(rt, it, most, room, out);

	it->i[0] += n;
	return n;
}

static const vt_iter_ops delete_ops = {next_replace, NULL, "generator", 240, bulk_replace};
static const vt_iter_ops replace_ops = {next_replace, NULL, "generator", 256, bulk_replace};
static const vt_iter_ops replace_many_ops = {next_replace, NULL, "generator", 264, bulk_replace};

/* v[3]: the element in front of which the values go; VT_TRUE in v[2] while they run; i[2]: they
 * did. */
static vt_status
next_insert(vt_rt *rt, vt_iter *it, vt_value *out)
{
	for (;;) {
		if (it->v[2] == VT_TRUE) {
			VT_TRY(vt_next(rt, it->v[1], out));
			if (*out != VT_UNDEF)
				return VT_OK;
			it->v[2] = VT_UNDEF;
			*out = it->v[3];
			it->v[3] = VT_UNDEF;
			if (*out != VT_UNDEF)
				return VT_OK;
		}
		VT_TRY(vt_next(rt, it->v[0], out));
		if (*out == VT_UNDEF ? it->i[1] < it->i[0] || it->i[2] : it->i[0]++ != it->i[1])
			return VT_OK;
		it->v[3] = *out;
		*out = VT_UNDEF;
		it->v[2] = VT_TRUE;
		it->i[2] = 1;
	}
}

static uint32_t
bulk_insert(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	bool passed = it->i[0] > it->i[1];
	uint32_t n = it->v[2] == VT_TRUE || it->i[0] == it->i[1]
			     ? 0
			     : bulk_as_is(rt, it, passed ? -1 : it->i[1] - it->i[0], room, out);

	it->i[0] += n;
	return n;
}

static const vt_iter_ops insert_ops = {next_insert, NULL, "generator", 232, bulk_insert};
static const vt_iter_ops insert_many_ops = {next_insert, NULL, "generator", 240, bulk_insert};

/* What an edited list was made into at once. */
static const vt_iter_ops edited_ops = {vt_next_of_list, NULL, "generator", 240, vt_bulk_of_list};

/*
 * A short list is edited at once, with the value in place of `count` elements at a position; no
 * value: VT_UNDEF.  False: it is to be done element by element.
 */
static bool
edited_list(vt_args *a, vt_value value, int64_t count, vt_value *out)
{
	enum { SHORT = 64 };
	const vt_list *from = vt_is_sequence(a->v[0]) ? vt_as_list(a->v[0]) : NULL;
	int64_t at = vt_int_clamped(a->v[1]), behind;
	uint8_t final;
	vt_iter *it;
	vt_list *l;
	if (from == NULL || from->n > SHORT || at < 0 || at > from->n || vt_metered(a->rt) ||
		!vt_query_is_open_list(a, a->v[0]))
		return false;
	behind = count < 0 || count > from->n - at ? from->n : at + count;
	final = from->h.kind == VT_K_TUPLE ? from->h.flags & VT_F_FINAL : 0;
	if (value != VT_UNDEF && !vt_is_final(value))
		final = 0;
	l = vt_list_grow(a->rt, VT_K_TUPLE, from->n + 1);
	for (uint32_t i = 0; i < from->n; i++) {
		if (i == at && behind > at && value != VT_UNDEF)
			l->v[l->n++] = vt_copy(value);
		if (i < at || i >= behind)
			l->v[l->n++] = vt_copy(from->v[i]);
	}
	l->h.flags = (uint8_t)((l->h.flags & ~VT_F_FINAL) | final);
	it = vt_iter_new(a->rt, &edited_ops);
	it->v[0] = vt_mkptr(l);
	*out = vt_mkptr(it);
	return true;
}

/* values: an iterator that is given away, or VT_UNDEF. */
static vt_status
edited(vt_args *a, const vt_iter_ops *ops, vt_value values, int64_t count, vt_value *out)
{
	vt_iter *it = vt_iter_new(a->rt, ops);
	it->v[1] = values;
	it->i[1] = vt_int_clamped(a->v[1]);
	it->i[2] = count;
	return vt_settle(vt_iterate_limited(a->rt, a->unit, a->v[0], &it->v[0]), vt_mkptr(it), out);
}

static vt_value
single(vt_rt *rt, vt_value v)
{
	vt_value one = VT_UNDEF;
	(void)vt_tuple_of(rt, 1, &v, &one);
	return vt_iter_over(rt, one);
}

vt_status
vt_lib_delete(vt_args *a, vt_value *out)
{
	if (edited_list(a, VT_UNDEF, vt_int_clamped(a->v[2]), out))
		return VT_OK;
	return edited(a, &delete_ops, VT_UNDEF, vt_int_clamped(a->v[2]), out);
}

vt_status
vt_lib_replace(vt_args *a, vt_value *out)
{
	if (edited_list(a, a->v[2], vt_int_clamped(a->v[3]), out))
		return VT_OK;
	return edited(a, &replace_ops, single(a->rt, a->v[2]), vt_int_clamped(a->v[3]), out);
}

vt_status
vt_lib_replace_many(vt_args *a, vt_value *out)
{
	vt_value values = VT_UNDEF;
	VT_TRY(vt_iterate_limited(a->rt, a->unit, a->v[2], &values));
	return edited(a, &replace_many_ops, values, vt_int_clamped(a->v[3]), out);
}

/* A set has no positions: the reference's overload refuses it. Nothing is inserted at a negative
 * position. */
vt_status
vt_lib_insert(vt_args *a, vt_value *out)
{
	if (vt_is_set_like(a->v[0])) {
		vt_buf b = {0};
		vt_buf_puts(&b, "No method \"insert\" for receiver ");
		vt_repr_cut(a->rt, &b, a->v[0]);
		vt_buf_puts(&b, " matches supplied arguments");
		return vt_raise_value(a->rt, VT_E_NO_MATCHING_METHOD, vt_str_take(a->rt, &b));
	}
	return edited(a, &insert_ops, single(a->rt, a->v[2]), vt_int_clamped(a->v[1]) < 0, out);
}

vt_status
vt_lib_insert_many(vt_args *a, vt_value *out)
{
	vt_value values = VT_UNDEF;
	VT_TRY(vt_iterate_limited(a->rt, a->unit, a->v[2], &values));
	VT_TRY(edited(a, &insert_many_ops, values, 0, out));
	if (VT_AS(vt_iter, *out)->i[1] < 0)
		VT_AS(vt_iter, *out)->i[1] = 0;
	return VT_OK;
}

/* A list of Python, not a tuple: as the reference makes it. */
vt_status
vt_lib_list_insert(vt_args *a, vt_value *out)
{
	const vt_list *from = vt_as_list(a->v[0]);
	int64_t at;
	vt_list *l;
	if (!vt_int_fits(a->v[1], &at))
		return vt_raise(
			a->rt, VT_E_OVERFLOW, "Python int too large to convert to C ssize_t");
	l = vt_list_grow(a->rt, VT_K_LIST, from->n + 1);
	if (at < 0)
		at = at < -(int64_t)from->n ? 0 : at + from->n;
	at = at < from->n ? at : from->n;
	for (uint32_t i = 0; i < from->n; i++)
		l->v[i + (i >= at)] = vt_copy(from->v[i]);
	l->v[at] = vt_copy(a->v[2]);
	l->n = from->n + 1;
	l->h.aux = VT_LIST_INSERTED;
	*out = vt_mkptr(l);
	return VT_OK;
}
