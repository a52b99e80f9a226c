/*
 * iter.c - iteration, and the conversions that walk whole values.
 *
 * An ITER is a heap state machine: v[0] is what it walks, i[0] where it stands.
 */
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/seq/lambda_program.h"
#include "runtime/core/exception.h"
#include "runtime/core/kind.h"
#include "runtime/core/number.h"
#include "runtime/seq/seq.h"
#include "runtime/seq/unmade.h"
#include "runtime/task/task.h"

#include <stdlib.h>
#include <string.h>

vt_iter *
vt_iter_new(vt_rt *rt, const vt_iter_ops *ops)
{
	vt_iter *it = vt_alloc(rt, sizeof *it, VT_K_ITER);

	it->ops = ops;
	for (size_t i = 0; i < VT_LEN(it->v); i++)
		it->v[i] = VT_UNDEF;
	for (size_t i = 0; i < VT_LEN(it->i); i++)
		it->i[i] = 0;
	it->p = NULL;
	return it;
}

/* The finaliser of the kind. */
void
vt_iter_fini(vt_head *h)
{
	vt_iter *it = (vt_iter *)h;

	if (it->ops->drop)
		it->ops->drop(it);
	for (size_t i = 0; i < VT_LEN(it->v); i++)
		vt_release(it->v[i]);
}

/* ---- iterators over the kinds ----------------------------------------------------------- */

static vt_status
next_dict(vt_rt *rt, vt_iter *it, vt_value *out)
{
	uint32_t pos = (uint32_t)it->i[0];
	vt_value kv[2];

	*out = VT_UNDEF;
	if (!vt_dict_at(vt_as_dict(it->v[0]), &pos, &kv[0], &kv[1]))
		return VT_OK;
	it->i[0] = pos;
	if (it->i[1] == VT_VIEW_ITEMS)
		*out = vt_pair_of(rt->s->heap, kv[0], kv[1]);
	else
		*out = vt_copy(it->i[1] == VT_VIEW_KEYS ? kv[0] : kv[1]);
	return VT_OK;
}

static uint32_t
bulk_dict(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	vt_unmade *u =
		it->i[1] == VT_VIEW_ITEMS && room >= VT_BULK ? vt_unmade_wanted(rt, it) : NULL;
	const vt_dict *d = vt_as_dict(it->v[0]);
	uint32_t pos = (uint32_t)it->i[0], n;

	if (u != NULL) {
		vt_unmade_columns(u, rt, 2, VT_K_TUPLE);
		vt_unmade_items(u, d, &pos);
		n = u->n;
		for (uint32_t k = 0; k < u->m; k++)
			for (uint32_t i = 0; i < n; i++)
				vt_retain(u->col[k][i]);
		if (n == 0)
			vt_unmade_close(u);
	} else {
		n = vt_dict_read(rt, d, (enum vt_view)it->i[1], &pos, room, out);
	}
	it->i[0] = pos;
	return n;
}

static vt_status
next_set(vt_rt *rt, vt_iter *it, vt_value *out)
{
	uint32_t pos = (uint32_t)it->i[0];
	vt_value item;

	(void)rt;
	*out = VT_UNDEF;
	if (vt_set_at(vt_as_set(it->v[0]), &pos, &item)) {
		it->i[0] = pos;
		*out = vt_copy(item);
	}
	return VT_OK;
}

static vt_status
next_char(vt_rt *rt, vt_iter *it, vt_value *out)
{
	const vt_str *s = vt_as_str(it->v[0]);
	const char *p = s->s + it->i[0], *q = p;

	*out = VT_UNDEF;
	if (it->i[0] >= s->bytes)
		return VT_OK;
	vt_utf8_next(&q);
	*out = vt_str_new(rt, p, (size_t)(q - p));
	it->i[0] += q - p;
	return VT_OK;
}

/* v[0] is the MEMO; it pulls from its source what nobody has pulled yet. */
static vt_status
next_memo(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_memo *m = VT_AS(vt_memo, it->v[0]);
	vt_list *seen = vt_as_list(m->seen);

	if (it->i[0] < seen->n) {
		*out = vt_copy(seen->v[it->i[0]++]);
		return VT_OK;
	}
	VT_TRY(vt_next(rt, m->source, out));
	if (*out != VT_UNDEF) {
		vt_list_push(rt, seen, vt_copy(*out));
		it->i[0]++;
		if (vt_metered(rt) && vt_quota_value(rt, m->seen) != VT_OK) {
			vt_clear(out);
			return VT_ERROR;
		}
	}
	return VT_OK;
}

/* What somebody has pulled already; else many more of the source. */
static uint32_t
bulk_memo(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	const vt_memo *m = VT_AS(vt_memo, it->v[0]);
	vt_list *seen = vt_as_list(m->seen);
	vt_iter *from = VT_AS(vt_iter, m->source);
	uint32_t n = 0;

	if (vt_metered(rt) || room < VT_BULK)
		return 0;
	if (it->i[0] >= seen->n && vt_is(m->source, ITER) && from->ops->bulk != NULL) {
		from->h.aux = 0;
		n = from->ops->bulk(rt, from, VT_BULK, out);
		for (uint32_t i = 0; i < n; i++)
			vt_list_push(rt, seen, out[i]);
	}
	for (n = 0; n < room && it->i[0] < seen->n; n++)
		out[n] = vt_copy(seen->v[it->i[0]++]);
	return n;
}

static const vt_iter_ops dict_ops = {next_dict, NULL, "dict_keyiterator", 72, bulk_dict};
static const vt_iter_ops set_ops = {next_set, NULL, "set_iterator", 64, NULL};
static const vt_iter_ops char_ops = {next_char, NULL, "str_iterator", 48, NULL};
static const vt_iter_ops memo_ops = {next_memo, NULL, "generator", 232, bulk_memo};

static vt_value
over(vt_rt *rt, const vt_iter_ops *ops, vt_value owned, int64_t mode)
{
	vt_iter *it = vt_iter_new(rt, ops);

	it->v[0] = owned;
	it->i[1] = mode;
	return vt_mkptr(it);
}

static vt_status
not_iterable(vt_rt *rt, vt_value v)
{
	return vt_raise(rt, VT_E_TYPE, "'%s' object is not iterable", vt_py_type(v));
}

vt_status
vt_iterate(vt_rt *rt, vt_value v, vt_value *out)
{
	vt_value sorted;

	switch (VT_KIND(v)) {
	case VT_K_TUPLE:
	case VT_K_LIST: *out = vt_iter_over(rt, vt_copy(v)); return VT_OK;
	case VT_K_DICT: *out = over(rt, &dict_ops, vt_copy(v), VT_VIEW_KEYS); return VT_OK;
	case VT_K_SET: *out = over(rt, &set_ops, vt_copy(v), 0); return VT_OK;
	case VT_K_STR: *out = over(rt, &char_ops, vt_copy(v), 0); return VT_OK;
	case VT_K_MEMO: *out = over(rt, &memo_ops, vt_copy(v), 0); return VT_OK;
	case VT_K_ITER: *out = vt_copy(v); return VT_OK;
	case VT_K_VIEW:
		*out = over(
			rt, &dict_ops, vt_copy(VT_AS(vt_view_obj, v)->dict), vt_head_of(v)->aux);
		return VT_OK;
	case VT_K_ORDERING:
		VT_TRY(vt_ordering_sorted(rt, VT_AS(vt_ordering, v), &sorted));
		*out = vt_iter_over(rt, vt_copy(sorted));
		return VT_OK;
	case VT_K_HOST:
		if (vt_has_items(v))
			return vt_foreign_of(v)->ops->iterate(rt, vt_foreign_of(v)->user, out);
		break;
	}
	return not_iterable(rt, v);
}

bool
vt_is_iterable(const vt_unit *u, vt_value v)
{
	switch (VT_KIND(v)) {
	case VT_K_TUPLE:
	case VT_K_LIST:
	case VT_K_SET:
	case VT_K_ITER:
	case VT_K_VIEW:
	case VT_K_ORDERING:
	case VT_K_MEMO: return true;
	case VT_K_HOST: return vt_has_items(v);
	case VT_K_DICT: return u && u->opt.iterable_dicts;
	}
	return false;
}

static vt_status
next_mapped(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value item;
	vt_status st;

	*out = VT_UNDEF;
	VT_TRY(vt_next(rt, it->v[0], &item));
	if (item == VT_UNDEF)
		return VT_OK;
	st = vt_apply(rt, it->v[1], 1, &item, out);
	vt_release(item);
	return st;
}

const vt_iter_ops vt_map_ops = {next_mapped, NULL, "map", 48, NULL};

static vt_status
next_deferred(vt_rt *rt, vt_iter *it, vt_value *out)
{
	if (it->v[1] == VT_UNDEF)
		VT_TRY(vt_iterate(rt, it->v[0], &it->v[1]));
	return vt_next(rt, it->v[1], out);
}

/* Once next() has sorted it; no ordering has the same iterator twice. */
static uint32_t
bulk_deferred(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	vt_iter *inner = VT_AS(vt_iter, it->v[1]);

	it->h.aux = VT_ONE_WAY;
	if (!vt_is(it->v[1], ITER) || inner->ops->bulk == NULL)
		return 0;
	inner->h.aux = 0;
	return inner->ops->bulk(rt, inner, room, out);
}

const vt_iter_ops vt_deferred_ops = {next_deferred, NULL, "generator", 232, bulk_deferred};

vt_status
vt_iterate_later(vt_rt *rt, vt_value v, vt_value *iter)
{
	if (!vt_is(v, ORDERING))
		return vt_iterate(rt, v, iter);
	*iter = vt_mkptr(vt_iter_new(rt, &vt_deferred_ops));
	VT_AS(vt_iter, *iter)->v[0] = vt_copy(v);
	return VT_OK;
}

/* ---- limits ----------------------------------------------------------------------------- */

vt_status
vt_too_large(vt_rt *rt, int64_t limit)
{
	return vt_raise(
		rt, VT_E_TOO_LARGE, "Collection length exceeds %lld elements", (long long)limit);
}

/* v[0]: the iterator below; i[0]: items given; i[1]: how many are allowed. */
static vt_status
next_limited(vt_rt *rt, vt_iter *it, vt_value *out)
{
	VT_TRY(vt_next(rt, it->v[0], out));
	if (*out != VT_UNDEF && ++it->i[0] > it->i[1]) {
		vt_clear(out);
		return vt_too_large(rt, it->i[1]);
	}
	return VT_OK;
}

static const vt_iter_ops limited_ops = {next_limited, NULL, "generator", VT_LIMITED_SIZE, NULL};

vt_status
vt_iterate_limited(vt_rt *rt, const vt_unit *u, vt_value v, vt_value *out)
{
	int64_t limit = u ? u->opt.limit_iterators : -1, n;
	vt_value inner;

	if (likely(limit < 0))
		return vt_iterate(rt, v, out);
	VT_TRY(vt_len(rt, v, &n));
	if (vt_is(v, VIEW) && vt_head_of(v)->aux == VT_VIEW_VALUES)
		n = -1; /* no Set of Python: counted as it is consumed */
	if (n > limit)
		return vt_too_large(rt, limit);
	if (n >= 0)
		return vt_iterate(rt, v, out);
	VT_TRY(vt_iterate(rt, v, &inner));
	*out = over(rt, &limited_ops, inner, limit);
	return VT_OK;
}

vt_status
vt_len(vt_rt *rt, vt_value v, int64_t *n)
{
	(void)rt;
	switch (VT_KIND(v)) {
	case VT_K_TUPLE:
	case VT_K_LIST: *n = vt_as_list(v)->n; return VT_OK;
	case VT_K_DICT: *n = vt_dict_len(vt_as_dict(v)); return VT_OK;
	case VT_K_SET: *n = vt_set_len(vt_as_set(v)); return VT_OK;
	case VT_K_STR: *n = vt_as_str(v)->points; return VT_OK;
	case VT_K_VIEW: *n = vt_dict_len(vt_as_dict(VT_AS(vt_view_obj, v)->dict)); return VT_OK;
	}
	*n = -1;
	return VT_OK;
}

vt_status
vt_list_keep(vt_rt *rt, vt_list *l, vt_value owned)
{
	vt_list_push(rt, l, owned);
	return likely(l->n <= VT_MOST_ITEMS) ? VT_OK : vt_too_large(rt, VT_MOST_ITEMS);
}

/* A list was made as long as it might become. */
static void
spare(vt_list *l)
{
	if (l->n < l->cap / 4 * 3)
		vt_list_trim(l);
}

vt_status
vt_collect(vt_rt *rt, const vt_unit *u, vt_value v, enum vt_kind kind, vt_value *out)
{
	vt_value it = VT_UNDEF, item;
	vt_list *l;
	vt_status st = VT_OK;
	vt_pull p;

	if ((u == NULL || u->opt.limit_iterators < 0) &&
		((item = vt_collect_part(rt, v, kind)) != VT_UNDEF ||
			(item = vt_collect_range(rt, v, kind)) != VT_UNDEF)) {
		*out = item;
		return VT_OK;
	}
	VT_TRY(vt_iterate_limited(rt, u, v, &it));
	vt_pull_open_still(&p, rt, it);
	l = vt_list_grow(rt, kind, vt_pull_most(&p));
	while (VT_PULL_EACH(&p, item, st)) {
		st = vt_list_keep(rt, l, item);
		vt_pull_to_list(&p, l, false);
	}
	vt_pull_close(&p);
	vt_release(it);
	spare(l);
	return vt_settle(st, vt_mkptr(l), out);
}

vt_value
vt_memo_new(vt_rt *rt, vt_value iter)
{
	vt_memo *m = vt_alloc(rt, sizeof *m, VT_K_MEMO);
	m->source = iter;
	m->seen = vt_mkptr(vt_list_grow(rt, VT_K_LIST, 4));
	return vt_mkptr(m);
}

vt_status
vt_to_tuple(vt_rt *rt, const vt_unit *u, vt_value v, vt_value *out)
{
	if (vt_is(v, TUPLE) && (u == NULL || u->opt.limit_iterators < 0 ||
				       vt_as_list(v)->n <= u->opt.limit_iterators)) {
		*out = vt_copy(v);
		return VT_OK;
	}
	return vt_collect(rt, u, v, VT_K_TUPLE, out);
}

/* ---- evaluation to plain data ----------------------------------------------------------- */

vt_status
vt_walk_deeper(vt_walk *w)
{
	if (++w->depth > 1000 || vt_too_deep(w->rt))
		return vt_raise_depth(w->rt);
	return VT_OK;
}

/* What is as the caller gets it needs no look. */
static inline void
take_plain(vt_pull *p, vt_list *l)
{
	uint32_t n = p->plain ? p->n - p->at : 0;

	if (n == 0 || n > l->cap - l->n)
		return;
	memcpy(l->v + l->n, p->item + p->at, n * sizeof *l->v);
	l->n += n;
	p->at = p->n;
}

static vt_status final_item(vt_walk *, vt_value, vt_value *out);
static bool settles(vt_value, uint32_t depth);

/* Is it final as it is, or becomes so where it lies? It is the caller's own. */
static inline bool
is_or_becomes_final(const vt_walk *w, vt_value owned)
{
	return w->item == final_item && !vt_metered(w->rt) &&
	       (w->u == NULL || w->u->opt.limit_iterators < 0) &&
	       (vt_final_now(owned) || settles(owned, 0));
}

vt_status
vt_walk_items(vt_walk *w, vt_value v, enum vt_kind kind, vt_value *out)
{
	vt_value it, item, made;
	vt_list *l;
	vt_pull p;
	vt_status st = vt_walk_deeper(w);

	if (st == VT_OK)
		st = vt_iterate_limited(w->rt,
			w->lazy_limit && (vt_is_sequence(v) || vt_is_set_like(v)) ? NULL : w->u, v,
			&it);
	if (st != VT_OK)
		return st;
	vt_pull_open_still(&p, w->rt, it); /* objects have no iterators: nothing runs for theirs */
	p.wants_plain = w->own != NULL && !vt_metered(w->rt) && w->u->opt.limit_iterators < 0 &&
			w->u->opt.tuples_to_lists;
	p.shares = w->shares;
	l = vt_list_grow(w->rt, kind, vt_pull_most(&p));
	while (take_plain(&p, l), VT_PULL_EACH(&p, item, st)) {
		if (l->n < l->cap &&
			(w->own != NULL ? vt_is_scalar(item) || vt_output_plain(w, item)
					: is_or_becomes_final(w, item))) {
			l->v[l->n++] = item;
			continue;
		}
		if (w->own) {
			st = w->own(w, item, &made);
		} else {
			st = w->item(w, item, &made);
			vt_release(item);
		}
		if (st == VT_OK)
			st = vt_list_keep(w->rt, l, made);
	}
	vt_pull_close(&p);
	vt_release(it);
	spare(l);
	w->depth--;
	return vt_settle(st, vt_mkptr(l), out);
}

/* Strings are what they are in every walk, so that the keys of a shape need no look. */
static vt_status
walk_record(vt_walk *w, const vt_dict *d, vt_value *out)
{
	vt_dict *made;
	vt_value x;
	vt_status st = VT_OK;

	VT_TRY(vt_walk_deeper(w));
	made = vt_dict_shaped(w->rt, w->frozen, d->shape, NULL);
	for (uint32_t i = 0; i < d->n && st == VT_OK; i++) {
		if (vt_is_scalar(d->v[i]))
			made->v[i] = vt_copy(d->v[i]);
		else if ((st = w->item(w, d->v[i], &x)) == VT_OK)
			made->v[i] = x;
	}
	w->depth--;
	return vt_settle(st, vt_mkptr(made), out);
}

/* What leaves an expression has sets that Python can change: they are no members and no keys. */
static vt_status
check_member(vt_walk *w, vt_value v)
{
	return w->loose_sets && vt_is(v, SET) ? vt_raise(w->rt, VT_E_TYPE, "unhashable type: 'set'")
					      : VT_OK;
}

vt_status
vt_walk_dict(vt_walk *w, vt_value v, vt_value *out)
{
	vt_dict *d;
	uint32_t pos = 0;
	vt_value k, x, k2 = VT_UNDEF, x2 = VT_UNDEF;
	vt_status st;

	if (vt_as_dict(v)->shape != NULL)
		return walk_record(w, vt_as_dict(v), out);
	VT_TRY(vt_walk_deeper(w));
	d = vt_dict_new(w->rt, w->frozen);
	st = VT_OK;
	while (st == VT_OK && vt_dict_at(vt_as_dict(v), &pos, &k, &x)) {
		st = w->item(w, k, &k2);
		if (st == VT_OK)
			st = check_member(w, k2);
		if (st == VT_OK)
			st = w->item(w, x, &x2);
		if (st == VT_OK)
			st = vt_dict_set(w->rt, d, k2, x2);
		vt_clear(&k2);
		vt_clear(&x2);
	}
	w->depth--;
	return vt_settle(st, vt_mkptr(d), out);
}

vt_status
vt_walk_set(vt_walk *w, vt_value list, vt_value *out)
{
	vt_set *s = vt_set_new(w->rt);
	vt_status st = VT_OK;

	for (uint32_t i = 0; i < vt_as_list(list)->n && st == VT_OK; i++) {
		st = check_member(w, vt_as_list(list)->v[i]);
		if (st == VT_OK)
			st = vt_set_add(w->rt, s, vt_as_list(list)->v[i]);
	}
	vt_release(list);
	return vt_settle(st, vt_mkptr(s), out);
}

static bool
limited(const vt_walk *w)
{
	return w->u != NULL && w->u->opt.limit_iterators >= 0;
}

static vt_status
final_item(vt_walk *w, vt_value v, vt_value *out)
{
	if (vt_is_final(v) || (vt_is(v, TUPLE) && vt_has_final_items(v))) {
		*out = vt_copy(v);
		return VT_OK;
	}
	if (vt_is(v, DICT))
		VT_TRY(vt_walk_dict(w, v, out));
	else if (vt_is_set_like(v)) {
		VT_TRY(vt_walk_items(w, v, VT_K_LIST, out));
		VT_TRY(vt_walk_set(w, *out, out));
	} else if (vt_is_sequence(v) || vt_is(v, ITER) || vt_is(v, VIEW) || vt_is(v, ORDERING) ||
		   vt_is(v, MEMO)) {
		if (!limited(w) && (*out = vt_final_part(w->rt, v)) != VT_UNDEF)
			return VT_OK;
		VT_TRY(vt_walk_items(w, v, VT_K_TUPLE, out));
	} else {
		bool own = vt_is(v, CAST) && vt_casts_to_own(v);
		*out = vt_copy(own ? vt_mkptr(VT_AS(vt_cast, v)->obj) : v);
		return VT_OK;
	}
	vt_head_of(*out)->flags |= VT_F_FINAL;
	return VT_OK;
}

vt_status
vt_final(vt_rt *rt, const vt_unit *u, vt_value v, vt_value *out)
{
	vt_walk w = {.rt = rt, .u = u, .item = final_item, .frozen = true, .lazy_limit = true};

	return final_item(&w, v, out);
}

/* Does each of them become final where it lies? */
static bool
all_settle(uint32_t n, const vt_value *v, uint32_t depth)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!vt_is_ptr(v[i]) || vt_head_of(v[i])->kind <= VT_K_STR)
			continue;
		if (!settles(v[i], depth))
			return false;
	}
	return true;
}

static bool
table_settles(vt_dict *d, uint32_t depth)
{
	vt_value key, v;

	for (uint32_t pos = 0; vt_dict_at(d, &pos, &key, &v);)
		if (!vt_is_final(key) || !settles(v, depth))
			return false;
	return true;
}

static bool
settles(vt_value v, uint32_t depth)
{
	enum { DEEPEST = 64 };
	vt_head *h = vt_is_ptr(v) ? vt_head_of(v) : NULL;
	vt_value *values;
	uint32_t n;

	if (vt_is_final(v))
		return true;
	if (h == NULL || h->rc != 1 || depth > DEEPEST)
		return false;
	if (h->kind == VT_K_DICT) {
		values = vt_dict_record(vt_as_dict(v), &n);
		if (values ? !all_settle(n, values, depth + 1)
			   : !table_settles(vt_as_dict(v), depth + 1))
			return false;
		h->flags |= VT_F_FINAL | VT_F_FROZEN;
		return true;
	}
	if (!vt_is_sequence(v))
		return false;
	if (vt_has_borrowings(vt_as_list(v)))
		vt_settle_borrowings(vt_as_list(v));
	if (!all_settle(vt_as_list(v)->n, vt_as_list(v)->v, depth + 1))
		return false;
	h->kind = VT_K_TUPLE;
	h->aux = 0; /* how the list was made */
	h->flags |= VT_F_FINAL;
	return true;
}

bool
vt_settles(vt_value v)
{
	return (vt_is_sequence(v) && vt_has_final_items(v)) || settles(v, 0);
}

vt_status
vt_final_held(vt_rt *rt, const vt_unit *u, vt_value *held, vt_value *out)
{
	if (!vt_metered(rt) && u->opt.limit_iterators < 0 && settles(*held, 0)) {
		*out = *held;
		*held = VT_UNDEF;
		return VT_OK;
	}
	return vt_final(rt, u, *held, out);
}

/* Is it evaluated, and certain to be a member of a set?  What another program brings may refuse. */
static bool
is_member(vt_value v, uint32_t depth)
{
	enum { DEEPEST = 8 };
	const vt_list *l = vt_as_list(v);
	vt_value key, x;

	if (vt_is_scalar(v) || vt_is(v, OBJECT))
		return true;
	if (!vt_is_ptr(v) || !(vt_head_of(v)->flags & VT_F_FINAL) || depth > DEEPEST)
		return false;
	if (vt_is(v, DICT)) {
		for (uint32_t pos = 0; vt_dict_at(vt_as_dict(v), &pos, &key, &x);)
			if (!vt_is_scalar(x) && !is_member(x, depth + 1))
				return false;
		return true;
	}
	if (!vt_is(v, TUPLE))
		return false;
	if (l->h.aux != 0 && l->h.aux < VT_ITEM_OTHER)
		return true;
	for (uint32_t i = 0; i < l->n; i++)
		if (!vt_is_scalar(l->v[i]) && !is_member(l->v[i], depth + 1))
			return false;
	return true;
}

/* The keys or pairs of a dict whose values are as they stay, as a tuple: what is final of a view is
 * a set of just these, in their order. */
static bool
final_view(vt_rt *rt, const vt_view_obj *view, vt_value *out)
{
	const vt_dict *d = vt_as_dict(view->dict);
	vt_value key, v;
	vt_list *l;
	if (d->shape != NULL && view->h.aux == VT_VIEW_KEYS) {
		*out = vt_shape_names(d->shape);
		return true;
	}
	for (uint32_t pos = 0; vt_dict_at(d, &pos, &key, &v);)
		if (!vt_is_scalar(key) || (view->h.aux == VT_VIEW_ITEMS && !is_member(v, 0)))
			return false;
	l = vt_list_grow(rt, VT_K_TUPLE, vt_dict_len(d));
	l->n = vt_dict_read(rt, d, (enum vt_view)view->h.aux, &(uint32_t){0}, vt_dict_len(d), l->v);
	l->h.flags |= VT_F_FINAL;
	*out = vt_mkptr(l);
	return true;
}

vt_status
vt_final_walked(vt_rt *rt, const vt_unit *u, vt_value *held, vt_value *out)
{
	if (vt_is(*held, VIEW) && vt_head_of(*held)->aux != VT_VIEW_VALUES && !vt_metered(rt) &&
		u->opt.limit_iterators < 0 && final_view(rt, VT_AS(vt_view_obj, *held), out)) {
		vt_clear(held); /* the loop may change the dict where it is */
		return VT_OK;
	}
	return vt_final_held(rt, u, held, out);
}

static const vt_iter_ops input_ops;

/* convert_input_data: lists become tuples, dicts FrozenDicts; iterators stay lazy. */
static vt_status
input_item(vt_walk *w, vt_value v, vt_value *out)
{
	if (vt_is(v, ITER)) {
		*out = over(w->rt, &input_ops, vt_copy(v), 0);
		return VT_OK;
	}
	if (vt_is(v, DICT))
		return vt_walk_dict(w, v, out);
	if (vt_is_sequence(v))
		return vt_walk_items(w, v, VT_K_TUPLE, out);
	*out = vt_copy(v);
	return VT_OK;
}

vt_status
vt_convert_input(vt_rt *rt, const vt_unit *u, vt_value v, vt_value *out)
{
	vt_walk w = {.rt = rt, .item = input_item, .frozen = true};

	(void)u;
	return input_item(&w, v, out);
}

/* What an iterator of the caller gives is converted as it comes. */
static vt_status
next_input(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value item;
	vt_status st;

	VT_TRY(vt_next(rt, it->v[0], &item));
	if (item == VT_UNDEF) {
		*out = VT_UNDEF;
		return VT_OK;
	}
	st = vt_convert_input(rt, NULL, item, out);
	vt_release(item);
	return st;
}

static const vt_iter_ops input_ops = {next_input, NULL, "map", 48, NULL};

/* ---- For and Repeat --------------------------------------------------------------------- */

vt_status
vt_iter_begin(vt_rt *rt, const vt_unit *u, vt_value collection, vt_value *iter)
{
	(void)u;
	return vt_iterate(rt, collection, iter);
}

vt_status
vt_iter_next(vt_rt *rt, vt_value iter, vt_value *out)
{
	return vt_next(rt, iter, out);
}

vt_status
vt_repeat_count(vt_rt *rt, vt_value v, vt_value *out)
{
	int64_t n;

	if (!(vt_is_integer(v) || vt_is_bool(v)))
		return vt_raise(rt, VT_E_TYPE, "'%s' object cannot be interpreted as an integer",
			vt_py_type(v));
	/* A count beyond 63 bits never ends: neither does the largest one that fits. */
	*out = vt_mkint(vt_int_fits(v, &n) && n <= VT_INT_MAX ? (n < 0 ? 0 : n) : VT_INT_MAX);
	return VT_OK;
}

vt_status
vt_make_bool(vt_rt *rt, const vt_unit *u, vt_value *held)
{
	vt_value v = *held, plain = VT_UNDEF;
	vt_status st = VT_OK;

	if (u == NULL || vt_final_now(v)) {
		*held = vt_mkbool(vt_is_true(v));
	} else {
		st = vt_final(rt, u, v, &plain);
		*held = st == VT_OK ? vt_mkbool(vt_is_true(plain)) : VT_UNDEF;
		vt_release(plain);
	}
	vt_release(v);
	return st;
}
