/*
 * select_many.c - selectMany() of lib/queries.fn.
 *
 * Where the selector is a lambda program, it is worked out for many items at a time, and what its
 * collections hold is given many at a time as well.
 */
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/lib/query.h"
#include "runtime/seq/lambda_program.h"
#include "runtime/seq/unmade.h"
#include "registry.h"

#include <stdlib.h>
#include <string.h>

/* p of the iterator. v[2]: the iterator of the collection at hand. */
typedef struct many {
	vt_pull pull;        /* the source */
	uint32_t at, n, pos; /* made[at, n) are the selector's answers; pos: in the first of them */
	vt_value made[VT_BULK];
} many;

static many *
many_of(vt_rt *rt, vt_iter *it)
{
	many *m = it->p;

	if (m == NULL) {
		it->p = m = vt_xmalloc(sizeof *m);
		vt_pull_open(&m->pull, rt, it->v[0]);
		m->at = m->n = m->pos = 0;
	}
	return m;
}

static void
drop_many(vt_iter *it)
{
	many *m = it->p;

	if (m == NULL)
		return;
	while (m->at < m->n)
		vt_release(m->made[m->at++]);
	while (m->pull.at < m->pull.n)
		vt_release(m->pull.item[m->pull.at++]);
	vt_pull_give(&m->pull);
	free(m);
}

/* ---- one by one ---- */

/* The next answer of the selector; VT_UNDEF: there is none. */
static vt_status
next_made(vt_rt *rt, vt_iter *it, many *m, vt_value *made)
{
	vt_value item;
	vt_status st;

	*made = VT_UNDEF;
	if (m->at < m->n) {
		*made = m->made[m->at++];
		return VT_OK;
	}
	if (m->pull.at < m->pull.n)
		item = m->pull.item[m->pull.at++];
	else
		VT_TRY(vt_next(rt, it->v[0], &item));
	if (item == VT_UNDEF)
		return VT_OK;
	st = vt_apply(rt, it->v[1], 1, &item, made);
	vt_release(item);
	return st;
}

static vt_status
next_select_many(vt_rt *rt, vt_iter *it, vt_value *out)
{
	many *m = many_of(rt, it);
	vt_value made;
	vt_status st;
	*out = VT_UNDEF;
	for (;;) {
		if (it->v[2] != VT_UNDEF) {
			VT_TRY(vt_next(rt, it->v[2], out));
			if (*out != VT_UNDEF)
				return VT_OK;
			vt_clear(&it->v[2]);
		}
		VT_TRY(next_made(rt, it, m, &made));
		if (made == VT_UNDEF)
			return VT_OK;
		if (!vt_is_iterable(NULL, made)) {
			*out = made;
			return VT_OK;
		}
		st = vt_iterate(rt, made, &it->v[2]);
		if (vt_is(made, VIEW) && st == VT_OK && m->pos > 0) {
			VT_AS(vt_iter, it->v[2])->i[0] = m->pos;
			m->pos = 0;
		}
		vt_clear(&made);
		if (st != VT_OK)
			return st;
		for (; m->pos > 0; m->pos--) { /* they were given before */
			VT_TRY(vt_next(rt, it->v[2], out));
			vt_clear(out);
		}
	}
}

/* ---- many at once ---- */

/* plain: whoever asks takes a list for an iterator, also for one that lies in a list. */
static const vt_lambda_program *
program_of(vt_rt *rt, vt_value lambda, bool plain)
{
	const vt_lambda *l = VT_AS(vt_lambda, lambda);
	const vt_lambda_program *t = vt_lambda_program_of(rt, lambda, 1);

	if (vt_is(lambda, LAMBDA) && l->code != NULL && l->code->many != NULL &&
		(plain || !l->code->many->parts) && l->code->many->nargs <= 1 && l->scope != NULL &&
		!rt->s->host_hides && !vt_metered(rt) && l->code->unit->opt.limit_iterators < 0 &&
		!vt_scope_hides(l->scope))
		t = l->code->many;
	return t != NULL && vt_program_is_closed(rt, t, l->scope) ? t : NULL;
}

/* Answers for the next items; false: there are none at once. */
static bool
make_more(vt_rt *rt, vt_iter *it, many *m, const vt_lambda_program *t)
{
	uint32_t n = vt_pull_ahead(&m->pull);
	const vt_value *v;
	vt_batch *s;

	m->at = m->n = m->pos = 0;
	if (n == 0)
		return false;
	s = vt_batch_new(rt, vt_scope_of(it->v[1]));
	n = vt_batch_fill_list(s, t, n, m->pull.item + m->pull.at, 0);
	v = n > 0 ? vt_batch_results(s, t, &n) : NULL;
	for (uint32_t i = 0; i < n; i++)
		m->made[i] = vt_copy(v[i]);
	vt_batch_free(s);
	for (uint32_t i = 0; i < n; i++)
		vt_release(m->pull.item[m->pull.at++]);
	for (uint32_t i = 0; i < n; i++)
		vt_unwrap_made(&m->made[i]);
	m->n = n;
	return n > 0;
}

/* The same of keys, values or items of a dict; pos: that of vt_dict_at. */
static void
give_view(vt_rt *rt, many *m, uint32_t room, vt_value *out, uint32_t *made)
{
	vt_value view = m->made[m->at];
	const vt_dict *d = vt_as_dict(VT_AS(vt_view_obj, view)->dict);

	*made += vt_dict_read(
		rt, d, (enum vt_view)vt_head_of(view)->aux, &m->pos, room - *made, out + *made);
	if (*made == room)
		return;
	m->pos = 0;
	m->at++;
	vt_release(view);
}

/* What a later answer holds is asked of the memory meanwhile. */
static void
look_ahead(const many *m)
{
	enum { AHEAD = 8, MOST = 6 };
	vt_value v = m->at + AHEAD < m->n ? m->made[m->at + AHEAD] : VT_NULL;
	const vt_value *items = NULL;
	uint32_t n = 0;

	if (vt_is_sequence(v)) {
		items = vt_as_list(v)->v;
		n = vt_as_list(v)->n;
	} else if (vt_is(v, VIEW) && vt_head_of(v)->aux != VT_VIEW_KEYS) {
		const vt_dict *d = vt_as_dict(VT_AS(vt_view_obj, v)->dict);
		items = d->shape != NULL ? d->v : NULL;
		n = d->shape != NULL ? d->n : 0;
	}
	for (uint32_t i = 0; i < n && i < MOST; i++) {
		__builtin_prefetch((const char *)(uintptr_t)items[i]);
		__builtin_prefetch((const char *)(uintptr_t)(items[i] + 64));
	}
}

/* The items of a list, or keys or values that lie side by side; false: it is none of these. */
static inline bool
span_of(vt_value v, vt_values *s)
{
	const vt_dict *d;

	if (vt_is_sequence(v)) {
		*s = vt_values_of_list(vt_as_list(v));
		return true;
	}
	if (!vt_is(v, VIEW) || vt_head_of(v)->aux == VT_VIEW_ITEMS)
		return false;
	d = vt_as_dict(VT_AS(vt_view_obj, v)->dict);
	if (d->shape != NULL)
		*s = vt_values_of_dict(d, vt_head_of(v)->aux == VT_VIEW_KEYS);
	return d->shape != NULL;
}

/*
 * The items of lists that have room, list after list.  Where the items are is known before one of
 * them is looked at, so that the memory is asked for many at a time.
 */
static void
give_lists(many *m, uint32_t room, vt_value *out, uint32_t *made)
{
	uint32_t first = m->at, from = *made, n = from;
	vt_values s;

	for (; m->at < m->n && span_of(m->made[m->at], &s); m->at++) {
		if (s.n > room - n)
			break;
		vt_spill(out + n, room - n, s);
		n += s.n;
	}
	for (uint32_t i = from; i < n; i++) {
		__builtin_prefetch((const char *)(uintptr_t)out[i]);
		__builtin_prefetch((const char *)(uintptr_t)(out[i] + 48));
	}
	for (uint32_t i = from; i < n; i++)
		vt_retain(out[i]);
	for (uint32_t i = first; i < m->at; i++)
		vt_release(m->made[i]);
	*made = n;
}

/* What the first answer holds, as far as there is room; false: it has to be asked for. */
static bool
give_first(vt_rt *rt, many *m, uint32_t room, vt_value *out, uint32_t *made)
{
	vt_value v = m->made[m->at];
	const vt_list *l;
	vt_values s;

	if (m->pos == 0 && span_of(v, &s)) {
		give_lists(m, room, out, made);
		if (m->at == m->n || *made == room)
			return true;
		v = m->made[m->at];
	}
	if (m->pos == 0)
		look_ahead(m);
	if (!vt_is_iterable(NULL, v)) {
		out[(*made)++] = v;
		m->at++;
		return true;
	}
	if (vt_is(v, VIEW)) {
		give_view(rt, m, room, out, made);
		return true;
	}
	if (!vt_is_sequence(v))
		return false;
	l = vt_as_list(v);
	while (m->pos < l->n && *made < room) {
		out[(*made)++] = vt_copy(l->v[m->pos++]);
		if (m->pos + 4 < l->n)
			__builtin_prefetch((const char *)(uintptr_t)l->v[m->pos + 4]);
	}
	if (m->pos == l->n) {
		m->pos = 0;
		m->at++;
		vt_release(v);
	}
	return true;
}

/* The first answer, an iterator that gives many, becomes the one at hand; false: it is none. */
static bool
begin_inner(vt_iter *it, many *m)
{
	vt_value v = m->made[m->at];

	if (!vt_is(v, ITER) || VT_AS(vt_iter, v)->ops->bulk == NULL)
		return false;
	it->v[2] = v;
	m->at++;
	return true;
}

/* Of the iterator at hand, which goes at its end; false: it does not give many. */
static bool
give_inner(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out, uint32_t *made)
{
	vt_iter *inner = VT_AS(vt_iter, it->v[2]);
	uint32_t n;
	bool end;

	if (inner->ops->bulk == NULL)
		return false;
	inner->h.aux = 0;
	n = inner->ops->bulk(rt, inner, room - *made, out + *made);
	end = (inner->h.aux & VT_AT_END) != 0;
	inner->h.aux = 0;
	*made += n;
	if (end)
		vt_clear(&it->v[2]);
	return n > 0 || end;
}

static bool
has_pairs(vt_value v)
{
	return vt_is(v, VIEW) && vt_head_of(v)->aux == VT_VIEW_ITEMS;
}

/* The pairs from `from` on become counted, and the answers from `first` on, which held them, go. */
static void
settle_pairs(vt_unmade *u, many *m, uint32_t from, uint32_t first)
{
	for (uint32_t k = 0; k < u->m; k++)
		for (uint32_t i = from; i < u->n; i++)
			vt_retain(u->col[k][i]);
	for (uint32_t i = first; i < m->at; i++)
		vt_release(m->made[i]);
}

/* Pairs of items() that need not be made, as far as the answers are such. */
static uint32_t
give_unmade(vt_rt *rt, vt_iter *it, many *m, const vt_lambda_program *t, vt_unmade *u)
{
	uint32_t first, from = 0;

	if ((m->at == m->n && !make_more(rt, it, m, t)) || !has_pairs(m->made[m->at]))
		return 0;
	first = m->at;
	vt_unmade_columns(u, rt, 2, VT_K_TUPLE);
	while (u->n < VT_BULK) {
		if (m->at == m->n) {
			settle_pairs(u, m, from, first);
			from = u->n;
			first = 0;
			if (!make_more(rt, it, m, t))
				break;
		}
		vt_value view = m->made[m->at];
		if (!has_pairs(view))
			break;
		look_ahead(m);
		vt_unmade_items(u, vt_as_dict(VT_AS(vt_view_obj, view)->dict), &m->pos);
		if (u->n == VT_BULK)
			break;
		m->pos = 0;
		m->at++;
	}
	settle_pairs(u, m, from, first);
	if (u->n > 0)
		return u->n;
	vt_unmade_close(u);
	return 0;
}

static uint32_t
bulk_select_many(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	const vt_lambda_program *t = program_of(rt, it->v[1], (it->h.aux & VT_WANTS_PLAIN) != 0);
	vt_unmade *u = vt_unmade_wanted(rt, it);
	many *m = many_of(rt, it);
	uint32_t made = 0;

	if (t == NULL || room < VT_BULK)
		return 0;
	it->h.aux = VT_ONE_WAY;
	if (u != NULL && it->v[2] == VT_UNDEF && (made = give_unmade(rt, it, m, t, u)) > 0)
		return made;
	while (made < room) {
		if (it->v[2] != VT_UNDEF) {
			if (!give_inner(rt, it, room, out, &made))
				break;
			continue;
		}
		if (m->at == m->n && !make_more(rt, it, m, t))
			break;
		if (!give_first(rt, m, room, out, &made) && !begin_inner(it, m))
			break;
	}
	return made;
}

static const vt_iter_ops select_many_ops = {
	next_select_many, drop_many, "generator", 240, bulk_select_many};

vt_status
vt_lib_select_many(vt_args *a, vt_value *out)
{
	return vt_query_lazily(a, &select_many_ops, a->v[1], out);
}

/* ---- flatten ---- */

/* The next item of the innermost iterator. */
static vt_status
next_open(vt_rt *rt, vt_iter *it, vt_value *out)
{
	const vt_list *open = vt_as_list(it->v[0]);
	vt_pull *p = open->n == 1 ? it->p : NULL;
	if (p == NULL || p->at == p->n)
		return vt_next(rt, open->v[open->n - 1], out);
	*out = p->item[p->at++];
	return VT_OK;
}

/* v[0]: the iterators that are open, the innermost last. */
static vt_status
next_flatten(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_list *open = vt_as_list(it->v[0]);
	vt_value inner = VT_UNDEF;
	vt_status st;
	*out = VT_UNDEF;
	while (open->n > 0) {
		VT_TRY(next_open(rt, it, out));
		if (*out == VT_UNDEF) {
			vt_release(open->v[--open->n]);
			continue;
		}
		if (!vt_is_iterable(NULL, *out))
			return VT_OK;
		st = open->n >= 1000 ? vt_raise_depth(rt) : vt_iterate(rt, *out, &inner);
		vt_clear(out);
		if (st != VT_OK)
			return st;
		vt_list_push(rt, open, inner);
	}
	return VT_OK;
}

static bool flat(const vt_list *l, uint32_t depth, uint32_t room, vt_value *out, uint32_t *n);

/* The same of keys() or values(). */
static bool
flat_view(const vt_view_obj *view, uint32_t depth, uint32_t room, vt_value *out, uint32_t *n)
{
	bool keys = view->h.aux == VT_VIEW_KEYS;
	vt_value key, v;
	vt_list one = {.n = 1, .v = keys ? &key : &v};
	uint32_t pos = 0;

	if (view->h.aux == VT_VIEW_ITEMS || depth == 0)
		return false;
	while (vt_dict_at(vt_as_dict(view->dict), &pos, &key, &v))
		if (!flat(&one, depth - 1, room, out, n))
			return false;
	return true;
}

/* The items of a list, and of what lies in it, to n values that have room; false: there is none for
 * all of them, or some are no lists. */
static bool
flat(const vt_list *l, uint32_t depth, uint32_t room, vt_value *out, uint32_t *n)
{
	for (uint32_t i = 0; i < l->n; i++) {
		vt_value v = l->v[i];
		if (vt_is_sequence(v)) {
			if (depth == 0 || !flat(vt_as_list(v), depth - 1, room, out, n))
				return false;
		} else if (vt_is(v, VIEW)) {
			if (!flat_view(VT_AS(vt_view_obj, v), depth, room, out, n))
				return false;
		} else if (vt_is_iterable(NULL, v) || *n == room) {
			return false;
		} else {
			out[(*n)++] = v;
		}
	}
	return true;
}

/* p: the pull of the outermost iterator, once many were asked for at a time. */
static void
drop_flatten(vt_iter *it)
{
	vt_pull_free(it->p);
}

static vt_pull *
flatten_pull(vt_rt *rt, vt_iter *it)
{
	if (it->p == NULL) {
		it->p = vt_xmalloc(sizeof(vt_pull));
		vt_pull_open(it->p, rt, vt_as_list(it->v[0])->v[0]);
	}
	return it->p;
}

/* Items of the outermost iterator, as long as what they have in them finds room. */
static uint32_t
bulk_flatten(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	enum { DEPTH = 20 };
	const vt_list *open = vt_as_list(it->v[0]);
	uint32_t n = 0;
	vt_pull *p;
	it->h.aux = VT_ONE_WAY;
	if (open->n != 1 || room < VT_BULK || vt_metered(rt) || !vt_is(open->v[0], ITER))
		return 0;
	for (p = flatten_pull(rt, it); vt_pull_ahead(p) > 0; p->at++) {
		vt_value v = p->item[p->at];
		vt_list one = {.n = 1, .v = &v};
		uint32_t from = n;
		if (!flat(&one, DEPTH, room, out, &n)) {
			n = from;
			break;
		}
		while (from < n)
			vt_retain(out[from++]);
		vt_release(v);
	}
	return n;
}

static const vt_iter_ops flatten_ops = {next_flatten, drop_flatten, "generator", 224, bulk_flatten};

static vt_value
flatten_of(vt_rt *rt, vt_value first)
{
	vt_list *open = vt_list_grow(rt, VT_K_LIST, 4);
	vt_iter *it = vt_iter_new(rt, &flatten_ops);

	vt_list_push(rt, open, first);
	it->v[0] = vt_mkptr(open);
	return vt_mkptr(it);
}

vt_status
vt_lib_flatten(vt_args *a, vt_value *out)
{
	vt_value first = VT_UNDEF;

	VT_TRY(vt_query_source(a, a->v[0], &first));
	*out = flatten_of(a->rt, first);
	return VT_OK;
}

/* An item of a loop over few: compiler/lower/loop.c. */
vt_status
vt_flat(vt_rt *rt, vt_value v, vt_value *items)
{
	enum { DEPTH = 20, FEW = 32 };
	vt_list one = {.n = 1, .v = &v};
	vt_value few[FEW], first;
	uint32_t n = 0;

	if (vt_is_sequence(v) && flat(vt_as_list(v), 0, FEW, few, &n)) {
		*items = vt_copy(v);
		return VT_OK;
	}
	n = 0;
	if (flat(&one, DEPTH, FEW, few, &n))
		return vt_tuple_of(rt, n, few, items);
	VT_TRY(vt_iterate(rt, v, &first));
	*items = flatten_of(rt, first);
	return VT_OK;
}
