/*
 * part.c - iterators over lists, or parts of them: v[0] is the list, i[0] where it stands.
 *
 * How many items such an iterator still has is known, so what they become is made in one piece.
 */
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/lambda_program.h"
#include "runtime/seq/seq.h"

const char vt_name_of_limit[] = "itertools.islice";
const char vt_name_of_skip[] = "itertools.islice";

vt_status
vt_next_of_list(vt_rt *rt, vt_iter *it, vt_value *out)
{
	const vt_list *l = vt_as_list(it->v[0]);

	(void)rt;
	*out = it->i[0] < l->n ? vt_copy(l->v[it->i[0]++]) : VT_UNDEF;
	return VT_OK;
}

uint32_t
vt_bulk_of_list(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	enum { AHEAD = 24 };
	const vt_list *l = vt_as_list(it->v[0]);
	uint32_t n = l->n - (uint32_t)it->i[0];

	(void)rt;
	n = it->i[0] >= l->n ? 0 : n < room ? n : room;
	for (uint32_t i = 0; i < n; i++) {
		const vt_value *v = &l->v[it->i[0] + i];
		if (it->i[0] + i + AHEAD < l->n)
			__builtin_prefetch((const char *)(uintptr_t)v[AHEAD], 1);
		out[i] = vt_copy(*v);
	}
	it->i[0] += n;
	if (it->i[0] >= l->n)
		it->h.aux |= VT_AT_END;
	return n;
}

/* i[1]: where the part ends, in the list. */
static vt_status
next_of_part(vt_rt *rt, vt_iter *it, vt_value *out)
{
	(void)rt;
	*out = it->i[0] < it->i[1] ? vt_copy(vt_as_list(it->v[0])->v[it->i[0]++]) : VT_UNDEF;
	return VT_OK;
}

static uint32_t
bulk_of_part(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	int64_t left = it->i[1] - it->i[0];

	return vt_bulk_of_list(rt, it, left < room ? (uint32_t)left : room, out);
}

/* i[0]: how many are left. */
static vt_status
next_reversed(vt_rt *rt, vt_iter *it, vt_value *out)
{
	(void)rt;
	*out = it->i[0] > 0 ? vt_copy(vt_as_list(it->v[0])->v[--it->i[0]]) : VT_UNDEF;
	return VT_OK;
}

static uint32_t
bulk_reversed(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	const vt_value *v = vt_as_list(it->v[0])->v;
	uint32_t n = it->i[0] < room ? (uint32_t)it->i[0] : room;

	(void)rt;
	for (uint32_t i = 0; i < n; i++)
		out[i] = vt_copy(v[it->i[0] - 1 - i]);
	it->i[0] -= n;
	return n;
}

static const vt_iter_ops list_ops = {vt_next_of_list, NULL, "tuple_iterator", 48, vt_bulk_of_list};
static const vt_iter_ops rest_ops = {
	vt_next_of_list, NULL, "itertools.islice", 72, vt_bulk_of_list};
static const vt_iter_ops part_ops = {next_of_part, NULL, "itertools.islice", 72, bulk_of_part};
static const vt_iter_ops made_ops[] = {{vt_next_of_list, NULL, "map", 48, vt_bulk_of_list},
	{vt_next_of_list, NULL, "filter", 48, vt_bulk_of_list}};
static const vt_iter_ops reversed_ops = {next_reversed, NULL, "reversed", 48, bulk_reversed};

static vt_value
over(vt_rt *rt, const vt_iter_ops *ops, vt_value owned_list, int64_t at)
{
	vt_iter *it = vt_iter_new(rt, ops);

	it->v[0] = owned_list;
	it->i[0] = at;
	return vt_mkptr(it);
}

vt_value
vt_iter_over(vt_rt *rt, vt_value owned_list)
{
	return over(rt, &list_ops, owned_list, 0);
}

vt_value
vt_made_over(vt_rt *rt, vt_value owned_list, bool filtered)
{
	return over(rt, &made_ops[filtered], owned_list, 0);
}

void
vt_unwrap_made(vt_value *v)
{
	const vt_iter *it = VT_AS(vt_iter, *v);

	if (vt_is(*v, ITER) && (it->ops == &made_ops[0] || it->ops == &made_ops[1]) &&
		it->h.rc == 1 && it->i[0] == 0)
		vt_move(v, vt_copy(it->v[0]));
}

vt_value
vt_rest_over(vt_rt *rt, vt_value owned_list, int64_t from)
{
	uint32_t n = vt_as_list(owned_list)->n;

	return over(rt, &rest_ops, owned_list, from < n ? from : n);
}

vt_value
vt_part_over(vt_rt *rt, vt_value owned_list, int64_t most)
{
	uint32_t n = vt_as_list(owned_list)->n;
	vt_value iter = over(rt, &part_ops, owned_list, 0);

	VT_AS(vt_iter, iter)->i[1] = most < n ? most : n;
	return iter;
}

vt_value
vt_reversed_over(vt_rt *rt, vt_value owned_list)
{
	return over(rt, &reversed_ops, owned_list, vt_as_list(owned_list)->n);
}

int64_t
vt_iter_jump(vt_value iter, int64_t n)
{
	vt_iter *it = VT_AS(vt_iter, iter);
	int64_t left;

	if (!vt_is(iter, ITER) || it->ops != &list_ops)
		return -1;
	left = vt_as_list(it->v[0])->n - it->i[0];
	n = n < left ? n : left;
	it->i[0] += n > 0 ? n : 0;
	return n > 0 ? n : 0;
}

int64_t
vt_rest_from(vt_value iter, vt_value list)
{
	const vt_iter *it = VT_AS(vt_iter, iter);
	if (!vt_is(iter, ITER) || it->ops != &rest_ops || it->v[0] != list || it->h.rc != 1)
		return -1;
	return it->i[0];
}

/* A list of the items, with room for some more. */
static vt_value
cut_out(vt_rt *rt, const vt_list *l, uint32_t from, uint32_t to, uint32_t room)
{
	vt_list *made = vt_list_grow(rt, VT_K_TUPLE, to - from + room);
	for (uint32_t i = from; i < to; i++)
		made->v[i - from] = vt_copy(l->v[i]);
	made->n = to - from;
	made->h.flags |= l->h.flags & VT_F_FINAL;
	made->h.aux = l->h.aux; /* what is known of all items */
	return vt_mkptr(made);
}

int
vt_part_list(vt_rt *rt, const vt_ic *cut, const vt_ic *turned, vt_value v, vt_value n,
	uint32_t room, vt_value *out)
{
	bool skips = vt_found(cut, VT_IN_SKIP);
	const vt_list *l = vt_as_list(v);
	uint32_t at, from, to;
	if (!vt_is(v, TUPLE) || !vt_is_int(n) || vt_toint(n) < 0 || !vt_turns(turned) ||
		!(skips || vt_found(cut, VT_IN_TAKE)) || vt_metered(rt))
		return 0;
	at = vt_toint(n) < l->n ? (uint32_t)vt_toint(n) : l->n;
	from = skips ? at : 0;
	to = skips ? l->n : at;
	*out = cut_out(rt, l, from, to, room);
	return 1;
}

int
vt_cut_between(vt_rt *rt, const vt_ic *cut, const vt_ic *taken, const vt_ic *turned, vt_value v,
	vt_value m, vt_value n, uint32_t room, vt_value *out)
{
	const vt_list *l = vt_as_list(v);
	uint32_t from, to;
	if (!vt_is(v, TUPLE) || !vt_both_int(m, n) || vt_toint(m) < 0 || vt_toint(n) < 0 ||
		!vt_found(cut, VT_IN_SKIP) || !vt_found(taken, VT_IN_TAKE) ||
		(turned != NULL && !vt_turns(turned)) || vt_metered(rt))
		return 0;
	from = vt_toint(m) < l->n ? (uint32_t)vt_toint(m) : l->n;
	to = vt_toint(n) < l->n - from ? from + (uint32_t)vt_toint(n) : l->n;
	if (turned != NULL) {
		*out = cut_out(rt, l, from, to, room);
	} else {
		*out = over(rt, &part_ops, vt_copy(v), from);
		VT_AS(vt_iter, *out)->i[1] = to;
	}
	return 1;
}

/* ---- what is made in one piece --------------------------------------------------------------- */

/* The items of the list, or that the iterator has still to give, `step` from one to the next;
 * false: that is not known. */
typedef struct part {
	const vt_value *v;
	uint32_t n;
	int step;
	bool final; /* all of the list is */
} part;

static bool part_of(vt_value v, part *p);

static bool
is_limit(const vt_iter *it)
{
	return it->ops->name == vt_name_of_limit;
}

static bool
is_skip(const vt_iter *it)
{
	return it->ops->name == vt_name_of_skip;
}

/* The same of limit or skip. */
static bool
part_of_machine(const vt_iter *it, part *p)
{
	uint32_t drop = 0;

	if (!part_of(it->v[0], p))
		return false;
	if (is_limit(it)) {
		p->n = it->i[0] < p->n ? (uint32_t)it->i[0] : p->n;
	} else {
		drop = it->i[0] < p->n ? (uint32_t)it->i[0] : p->n;
		p->v += (int64_t)p->step * drop;
		p->n -= drop;
	}
	return p->n > 0;
}

static bool
part_of(vt_value v, part *p)
{
	const vt_iter *it = VT_AS(vt_iter, v);
	bool list = vt_is_sequence(v);
	const vt_list *l;
	int64_t from, end;

	if (!list && vt_is(v, ITER) && (is_limit(it) || is_skip(it)))
		return part_of_machine(it, p);
	if (!list && (!vt_is(v, ITER) || (it->ops->next != vt_next_of_list &&
						 it->ops != &part_ops && it->ops != &reversed_ops)))
		return false;
	l = vt_as_list(list ? v : it->v[0]);
	p->final = (l->h.flags & VT_F_FINAL) != 0;
	if (!list && it->ops == &reversed_ops) {
		p->v = l->v + it->i[0] - 1;
		p->n = (uint32_t)it->i[0];
		p->step = -1;
		return it->i[0] > 0 && it->i[0] <= VT_MOST_ITEMS;
	}
	from = list ? 0 : it->i[0];
	end = !list && it->ops == &part_ops ? it->i[1] : l->n;
	p->v = l->v + from;
	p->n = (uint32_t)(end - from);
	p->step = 1;
	return from < end && end - from <= VT_MOST_ITEMS;
}

/* So many of what it gives have been given. */
static void
pass(vt_value v, uint32_t n)
{
	vt_iter *it = VT_AS(vt_iter, v);

	if (!vt_is(v, ITER))
		return;
	if (is_limit(it)) {
		it->i[0] -= n;
		pass(it->v[0], n);
	} else if (is_skip(it)) {
		pass(it->v[0], n + (uint32_t)it->i[0]);
		it->i[0] = 0;
	} else {
		it->i[0] += it->ops == &reversed_ops ? -(int64_t)n : (int64_t)n;
	}
}

static bool
has_final_items(const part *p)
{
	const vt_value *v = p->v;

	for (uint32_t i = 0; i < p->n && !p->final; i++, v += p->step)
		if (!vt_final_now(*v) && !vt_is_final(*v))
			return false;
	return true;
}

/* What is made of them; they have been given then. */
static vt_value
list_of(vt_rt *rt, vt_value from, const part *p, enum vt_kind kind)
{
	vt_list *l = vt_list_grow(rt, kind, p->n);
	const vt_value *v = p->v;

	for (uint32_t i = 0; i < p->n; i++, v += p->step)
		l->v[i] = vt_copy(*v);
	l->n = p->n;
	pass(from, p->n);
	return vt_mkptr(l);
}

int64_t
vt_part_left(vt_value v)
{
	part p;

	return part_of(v, &p) ? (int64_t)p.n : -1;
}

int64_t
vt_part_pass(vt_value iter)
{
	int64_t n = vt_part_left(iter);

	if (n > 0)
		pass(iter, (uint32_t)n);
	return n;
}

/* What a view gives. */
static vt_value
list_of_view(vt_rt *rt, const vt_view_obj *view, enum vt_kind kind)
{
	const vt_dict *d = vt_as_dict(view->dict);
	vt_list *l = vt_list_new(rt, kind, vt_dict_len(d));

	l->n = vt_dict_read(rt, d, (enum vt_view)view->h.aux, &(uint32_t){0}, l->n, l->v);
	return vt_mkptr(l);
}

/* All that the iterator gives is the tuple that it walks. */
static vt_value
tuple_of(vt_value v, const part *p)
{
	vt_iter *it = VT_AS(vt_iter, v);

	if (!vt_is(v, ITER) || p->step < 0 || !vt_is(it->v[0], TUPLE) ||
		vt_as_list(it->v[0])->v != p->v || vt_as_list(it->v[0])->n != p->n)
		return VT_UNDEF;
	it->i[0] += p->n;
	return vt_copy(it->v[0]);
}

vt_value
vt_collect_part(vt_rt *rt, vt_value v, enum vt_kind kind)
{
	vt_value made;
	part p;

	if (vt_metered(rt))
		return VT_UNDEF;
	if (vt_is(v, VIEW))
		return list_of_view(rt, VT_AS(vt_view_obj, v), kind);
	if (!part_of(v, &p))
		return VT_UNDEF;
	if (kind == VT_K_TUPLE && (made = tuple_of(v, &p)) != VT_UNDEF)
		return made;
	made = list_of(rt, v, &p, kind);
	if (kind == VT_K_TUPLE && has_final_items(&p))
		vt_head_of(made)->flags |= VT_F_FINAL;
	return made;
}

uint32_t
vt_bulk_words(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	uint32_t n = it->i[2] < room ? (uint32_t)it->i[2] : room;

	(void)rt;
	for (uint32_t k = 0; k < n; k++)
		out[k] = vt_mkint(it->i[0] + (int64_t)k * it->i[1]);
	it->i[0] += (int64_t)n * it->i[1];
	it->i[2] -= n;
	if (it->i[2] == 0 && it->v[0] == VT_UNDEF)
		it->h.aux |= VT_AT_END;
	return n;
}

vt_value
vt_collect_range(vt_rt *rt, vt_value v, enum vt_kind kind)
{
	vt_iter *it = VT_AS(vt_iter, v);
	vt_list *l;

	if (!vt_is(v, ITER) || it->ops->bulk != vt_bulk_words || it->v[0] != VT_UNDEF ||
		it->i[2] > VT_MOST_ITEMS || vt_metered(rt))
		return VT_UNDEF;
	l = vt_list_new(rt, kind, (uint32_t)it->i[2]);
	l->n = it->ops->bulk(rt, it, (uint32_t)it->i[2], l->v);
	if (kind == VT_K_TUPLE)
		l->h.flags |= VT_F_FINAL;
	return vt_mkptr(l);
}

vt_value
vt_final_part(vt_rt *rt, vt_value v)
{
	vt_value made;
	part p;

	if (!part_of(v, &p))
		return vt_collect_range(rt, v, VT_K_TUPLE);
	if (vt_metered(rt) || !has_final_items(&p))
		return VT_UNDEF;
	if (p.final && (made = tuple_of(v, &p)) != VT_UNDEF)
		return made;
	made = list_of(rt, v, &p, VT_K_TUPLE);
	vt_head_of(made)->flags |= VT_F_FINAL;
	return made;
}
