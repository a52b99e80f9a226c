/*
 * combined.c - rows of lib/queries.fn that make one collection of several: concat, zip, join,
 * selectMany.  mergeWith() is in merging.c.
 */
#include "runtime/core/dict.h"
#include "runtime/lib/query.h"
#include "runtime/seq/lambda_program.h"
#include "runtime/seq/unmade.h"
#include "registry.h"

#include <stdlib.h>
#include <string.h>
#include "runtime/task/task.h"

/* ---- collections made of others ---- */

/* v[0]: a list of iterators; i[0]: the one that runs. */
static vt_status
next_chain(vt_rt *rt, vt_iter *it, vt_value *out)
{
	const vt_list *l = vt_as_list(it->v[0]);
	*out = VT_UNDEF;
	for (; it->i[0] < l->n; it->i[0]++) {
		VT_TRY(vt_next(rt, l->v[it->i[0]], out));
		if (*out != VT_UNDEF)
			return VT_OK;
	}
	return VT_OK;
}

/* Are there so few items that they are better taken one by one? */
static bool
is_short(vt_rt *rt, vt_value iter)
{
	enum { SHORT = 16 };
	vt_pull p;
	vt_pull_open(&p, rt, iter);
	return vt_is_sequence(VT_AS(vt_iter, iter)->v[0]) && vt_pull_most(&p) < SHORT;
}

static bool
is_many(vt_rt *rt, vt_value iter)
{
	return vt_is(iter, ITER) && VT_AS(vt_iter, iter)->ops->bulk != NULL && !is_short(rt, iter);
}

static bool
any_many(vt_rt *rt, const vt_list *l, int64_t from)
{
	for (int64_t i = from; i < l->n; i++)
		if (is_many(rt, l->v[i]))
			return true;
	return false;
}

static uint32_t
bulk_chain(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	const vt_list *l = vt_as_list(it->v[0]);
	uint32_t n = 0;
	it->h.aux = VT_ONE_WAY;
	for (; it->i[0] < l->n && n < room; it->i[0]++) {
		vt_iter *of = VT_AS(vt_iter, l->v[it->i[0]]);
		if (!is_many(rt, l->v[it->i[0]]))
			break;
		of->h.aux = 0;
		n += of->ops->bulk(rt, of, room - n, out + n);
		if (!(of->h.aux & VT_AT_END)) /* what gives nothing at once may go on */
			break;
	}
	if (n == 0 && !any_many(rt, l, it->i[0]))
		it->h.aux |= VT_NO_MORE;
	return n;
}

static const vt_iter_ops chain_ops = {next_chain, NULL, "itertools.chain", 48, bulk_chain};
static const vt_iter_ops append_ops = {next_chain, NULL, "generator", 208, bulk_chain};

/* A state machine over a list of iterators, one a value. */
static vt_status
over_all(vt_args *a, const vt_iter_ops *ops, uint32_t n, const vt_value *values, vt_value *out)
{
	vt_list *l = vt_list_grow(a->rt, VT_K_LIST, n + 1);
	vt_iter *it = vt_iter_new(a->rt, ops);
	vt_status st = VT_OK;
	it->v[0] = vt_mkptr(l);
	for (uint32_t i = 0; i < n && st == VT_OK; i++) {
		vt_value iter = VT_UNDEF;
		st = vt_query_source(a, values[i], &iter);
		if (st == VT_OK)
			vt_list_push(a->rt, l, iter);
	}
	return vt_settle(st, vt_mkptr(it), out);
}

vt_status
vt_lib_concat(vt_args *a, vt_value *out)
{
	return over_all(a, &chain_ops, a->nrest, a->rest, out);
}

/* A chain that nobody else holds gets one more part: chains of chains would be as deep as long. */
bool
vt_chain_extend(vt_args *a, vt_value chain, vt_value more, vt_status *st)
{
	vt_value iter = VT_UNDEF;
	if (!vt_is(chain, ITER) || VT_AS(vt_iter, chain)->ops != &chain_ops || chain == more ||
		vt_head_of(chain)->rc != 1 || !vt_is_iterable(NULL, more))
		return false;
	*st = vt_query_source(a, more, &iter);
	if (*st == VT_OK)
		*st = vt_list_keep(a->rt, vt_as_list(VT_AS(vt_iter, chain)->v[0]), iter);
	return true;
}

int64_t
vt_chain_pass(vt_value chain)
{
	vt_iter *it = VT_AS(vt_iter, chain);
	int64_t all = 0, n;
	if (!vt_is(chain, ITER) || (it->ops != &chain_ops && it->ops != &append_ops))
		return 0;
	while (it->i[0] < vt_as_list(it->v[0])->n &&
		(n = vt_part_pass(vt_as_list(it->v[0])->v[it->i[0]])) > 0) {
		all += n;
		it->i[0]++;
	}
	return all;
}

/* What a short list has become at once. */
static const vt_iter_ops appended_ops = {vt_next_of_list, NULL, "generator", 208, vt_bulk_of_list};

static vt_value
appended(vt_rt *rt, const vt_list *to, uint32_t n, const vt_value *more)
{
	vt_list *l = vt_list_grow(rt, VT_K_TUPLE, to->n + n);
	vt_iter *it = vt_iter_new(rt, &appended_ops);
	l->h.flags |= VT_F_FINAL; /* as long as what is pushed is */
	vt_list_extend(rt, l, to->n, to->v);
	vt_list_extend(rt, l, n, more);
	it->v[0] = vt_mkptr(l);
	return vt_mkptr(it);
}

vt_status
vt_lib_append(vt_args *a, vt_value *out)
{
	enum { SHORT = 64 };
	vt_value more = VT_UNDEF, iter;
	if (vt_query_is_open_list(a, a->v[0]) && vt_as_list(a->v[0])->n <= SHORT &&
		!vt_metered(a->rt)) {
		*out = appended(a->rt, vt_as_list(a->v[0]), a->nrest, a->rest);
		return VT_OK;
	}
	VT_TRY(over_all(a, &append_ops, 1, a->v, out));
	VT_TRY(vt_tuple_of(a->rt, a->nrest, a->rest, &more));
	iter = vt_iter_over(a->rt, more);
	vt_list_push(a->rt, vt_as_list(VT_AS(vt_iter, *out)->v[0]), iter);
	return VT_OK;
}

/* p of a zip, once many were asked for at a time: a pull for each iterator. */
static void
drop_pulls(vt_iter *it)
{
	vt_pull *p = it->p;
	for (uint32_t k = 0; p != NULL && k < vt_as_list(it->v[0])->n; k++) {
		while (p[k].at < p[k].n)
			vt_release(p[k].item[p[k].at++]);
		vt_pull_give(&p[k]);
	}
	free(p);
}

bool
vt_is_alone(vt_value v, uint32_t holders)
{
	const vt_iter *it = VT_AS(vt_iter, v);
	if (vt_is_sequence(v) && !vt_is_final(v) && vt_as_list(v)->n > 0 &&
		vt_is(vt_as_list(v)->v[0], ITER)) { /* of iterators, as concat() has it */
		for (uint32_t i = 0; i < vt_as_list(v)->n; i++)
			if (!vt_is_alone(vt_as_list(v)->v[i], 1))
				return false;
		return true;
	}
	if (!vt_is(v, ITER))
		return true;
	if (it->h.rc > holders)
		return false;
	for (uint32_t i = 0; i < VT_LEN(it->v); i++)
		if (!vt_is_alone(it->v[i], 1))
			return false;
	return true;
}

void
vt_query_pull(vt_args *a, vt_value v, vt_value iter, vt_pull *p)
{
	enum { FIRST = 16 }; /* who finds what is wanted soon asks for no more */
	vt_pull_open(p, a->rt, iter);
	p->singly = vt_metered(a->rt) || !vt_is_alone(iter, iter == v ? 2 : 1);
	p->lean.wait = FIRST;
}

/* A zip ends with the shortest, and then the others must stand where next() would have left them:
 * one over a list can be set back, and nobody asks for one that nobody else has. */
static bool
may_go_ahead(const vt_list *iters, uint32_t k)
{
	const vt_iter *it = VT_AS(vt_iter, iters->v[k]);
	for (uint32_t i = 0; i < k; i++)
		if (iters->v[i] == iters->v[k])
			return false;
	return vt_is_alone(iters->v[k], 1) || (vt_is_sequence(it->v[0]) && vt_is_final(it->v[0]));
}

static void
close_pulls(vt_iter *it)
{
	vt_pull *p = it->p;
	for (uint32_t k = 0; p != NULL && k < vt_as_list(it->v[0])->n; k++)
		vt_pull_close(&p[k]);
	free(p);
	it->p = NULL;
}

/* vt_next, without a call for what walks a list. */
static inline vt_status
next_of(vt_rt *rt, vt_value iter, vt_value *item)
{
	vt_iter *it = VT_AS(vt_iter, iter);
	const vt_list *l;
	if (it->ops->next != vt_next_of_list)
		return vt_next(rt, iter, item);
	l = vt_as_list(it->v[0]);
	*item = it->i[0] < l->n ? vt_copy(l->v[it->i[0]++]) : VT_UNDEF;
	return VT_OK;
}

/* One item of each iterator, into a list with room for them. *ended: how many had none (the first
 * of them stops a zip). */
static vt_status
row(vt_rt *rt, vt_iter *it, bool longest, vt_list *items, uint32_t *ended)
{
	const vt_list *iters = vt_as_list(it->v[0]);
	vt_pull *p = it->p;
	vt_value item;
	*ended = 0;
	for (uint32_t i = 0; i < iters->n; i++) {
		if (p != NULL && p[i].at < p[i].n)
			item = p[i].item[p[i].at++];
		else
			VT_TRY(next_of(rt, iters->v[i], &item));
		if (item == VT_UNDEF) {
			++*ended;
			if (!longest)
				return VT_OK;
			item = vt_copy(it->v[1]);
		}
		items->v[items->n++] = item;
	}
	return VT_OK;
}

/* v[1]: what fills the gaps of zipLongest, VT_UNDEF for zip; i[0]: at the end. */
static vt_status
next_zip(vt_rt *rt, vt_iter *it, vt_value *out)
{
	const vt_list *iters = vt_as_list(it->v[0]);
	bool longest = it->v[1] != VT_UNDEF;
	vt_list *items;
	uint32_t ended = 0;
	vt_status st;
	*out = VT_UNDEF;
	if (it->i[0])
		return VT_OK;
	items = vt_list_grow(rt, VT_K_TUPLE, iters->n);
	st = row(rt, it, longest, items, &ended);
	it->i[0] = longest ? ended == iters->n : ended > 0;
	if (it->i[0] || st != VT_OK)
		close_pulls(it);
	if (st == VT_OK && !it->i[0])
		*out = vt_mkptr(items);
	else
		vt_release(vt_mkptr(items));
	return st;
}

/* A pull for each of the iterators; NULL: one of them is read by others too. */
static vt_pull *
pulls_of(vt_rt *rt, vt_iter *it)
{
	const vt_list *iters = vt_as_list(it->v[0]);
	vt_pull *p = it->p;
	if (p != NULL)
		return p;
	for (uint32_t k = 0; k < iters->n; k++)
		if (!vt_is(iters->v[k], ITER) || !may_go_ahead(iters, k) ||
			is_short(rt, iters->v[k]))
			return NULL;
	p = it->p = vt_xmalloc((iters->n + 1) * sizeof *p);
	for (uint32_t k = 0; k < iters->n; k++)
		vt_pull_open(&p[k], rt, iters->v[k]);
	return p;
}

/* A row of what has been pulled. */
static vt_value
row_of_pulls(vt_rt *rt, vt_pull *p, uint32_t m, bool *plain)
{
	vt_list *l = vt_list_grow(rt, VT_K_TUPLE, m);
	bool final = true;
	for (uint32_t k = 0; k < m; k++) {
		vt_value v = p[k].item[p[k].at++];
		final = final && vt_is_final(v);
		*plain = *plain && (!vt_is_ptr(v) || vt_head_of(v)->kind <= VT_K_STR);
		l->v[l->n++] = v;
	}
	if (final)
		l->h.flags |= VT_F_FINAL;
	return vt_mkptr(l);
}

/* n rows that need not be made. */
static void
columns_of_pulls(vt_rt *rt, vt_pull *p, uint32_t m, uint32_t n, vt_unmade *u)
{
	vt_value *to = vt_unmade_columns(u, rt, m, VT_K_TUPLE);
	for (uint32_t k = 0; k < m; k++, to += VT_BULK) {
		memcpy(to, p[k].item + p[k].at, n * sizeof *to);
		p[k].at += n;
	}
	u->n = n;
}

/* Rows of scalars become what an expression's caller gets. */
static void
make_plain(uint32_t n, vt_value *rows)
{
	for (uint32_t i = 0; i < n; i++) {
		vt_head_of(rows[i])->kind = VT_K_LIST;
		vt_head_of(rows[i])->flags &= (uint8_t)~VT_F_FINAL;
	}
}

static uint32_t
bulk_zip(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	bool wants_plain = (it->h.aux & VT_WANTS_PLAIN) != 0, plain = wants_plain;
	uint32_t n = room, m = vt_as_list(it->v[0])->n;
	vt_unmade *u = vt_unmade_wanted(rt, it);
	vt_pull *p = it->i[0] || room < VT_BULK || vt_metered(rt) ? NULL : pulls_of(rt, it);
	it->h.aux = p == NULL ? VT_ONE_WAY | VT_NO_MORE : VT_ONE_WAY;
	if (p == NULL || m == 0)
		return 0;
	for (uint32_t k = 0; k < m && n > 0; k++) {
		uint32_t here = vt_pull_ahead(&p[k]);
		n = here < n ? here : n;
	}
	if (u != NULL && n > 0 && m <= VT_UNMADE_MOST) {
		columns_of_pulls(rt, p, m, n, u);
		return n;
	}
	for (uint32_t i = 0; i < n; i++)
		out[i] = row_of_pulls(rt, p, m, &plain);
	if (plain && n > 0) {
		make_plain(n, out);
		it->h.aux |= VT_GAVE_PLAIN;
	}
	return n;
}

static const vt_iter_ops zip_ops = {next_zip, drop_pulls, "zip", 64, bulk_zip};
static const vt_iter_ops zip_longest_ops = {
	next_zip, drop_pulls, "itertools.zip_longest", 72, bulk_zip};

vt_status
vt_lib_zip(vt_args *a, vt_value *out)
{
	return over_all(a, &zip_ops, a->nrest, a->rest, out);
}

vt_status
vt_lib_zip_longest(vt_args *a, vt_value *out)
{
	vt_value fill = a->kw == VT_NULL ? VT_UNDEF : vt_dict_get_c(vt_as_dict(a->kw), "default");
	VT_TRY(over_all(a, &zip_longest_ops, a->nrest, a->rest, out));
	VT_AS(vt_iter, *out)->v[1] = fill == VT_UNDEF ? VT_NULL : vt_copy(fill);
	return VT_OK;
}

/* p: the source, once many were asked for at a time */
static void
drop_pull(vt_iter *it)
{
	vt_pull_free(it->p);
}

static vt_pull *
pull_of(vt_rt *rt, vt_iter *it)
{
	if (it->p == NULL) {
		it->p = vt_xmalloc(sizeof(vt_pull));
		vt_pull_open(it->p, rt, it->v[0]);
	}
	return it->p;
}

static vt_status
next_of_pull(vt_rt *rt, vt_iter *it, vt_value *item)
{
	vt_pull *p = it->p;
	if (p == NULL || p->at == p->n)
		return vt_next(rt, it->v[0], item);
	*item = p->item[p->at++];
	return VT_OK;
}

/* v[1]: the number of the next item. */
static vt_status
next_enumerate(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value item;
	vt_list *pair;
	*out = VT_UNDEF;
	VT_TRY(next_of_pull(rt, it, &item));
	if (item == VT_UNDEF)
		return VT_OK;
	pair = vt_list_grow(rt, VT_K_LIST, 2);
	vt_list_push(rt, pair, vt_copy(it->v[1]));
	vt_list_push(rt, pair, item);
	*out = vt_mkptr(pair);
	item = VT_UNDEF;
	if (vt_num_binary(rt, VT_OP_ADD, it->v[1], vt_mkint(1), &item) != VT_OK) {
		vt_clear(out);
		return VT_ERROR;
	}
	vt_move(&it->v[1], item);
	return VT_OK;
}

static uint32_t
bulk_enumerate(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	vt_unmade *u = vt_unmade_wanted(rt, it);
	vt_value *number = NULL;
	vt_pull *p;
	uint32_t n;
	if (room < VT_BULK || !vt_is_int(it->v[1]) || vt_toint(it->v[1]) > VT_INT_MAX - VT_BULK ||
		vt_metered(rt))
		return 0;
	p = pull_of(rt, it);
	n = vt_pull_ahead(p);
	it->h.aux = VT_ONE_WAY;
	if (u != NULL && n > 0) {
		number = vt_unmade_columns(u, rt, 2, VT_K_LIST);
		memcpy(number + VT_BULK, p->item + p->at, n * sizeof *number);
		p->at += n;
		u->n = n;
		for (uint32_t i = 0; i < n; i++, it->v[1] += vt_mkint(1) - vt_mkint(0))
			number[i] = it->v[1];
		return n;
	}
	for (uint32_t i = 0; i < n; i++) {
		vt_list *pair = vt_list_grow(rt, VT_K_LIST, 2);
		pair->v[0] = it->v[1];
		pair->v[1] = p->item[p->at++];
		pair->n = 2;
		out[i] = vt_mkptr(pair);
		it->v[1] += vt_mkint(1) - vt_mkint(0);
	}
	return n;
}

static const vt_iter_ops enumerate_ops = {
	next_enumerate, drop_pull, "generator", 232, bulk_enumerate};

vt_status
vt_lib_enumerate(vt_args *a, vt_value *out)
{
	vt_value start = vt_is_bool(a->v[1]) ? vt_mkint(a->v[1] == VT_TRUE) : a->v[1];
	if (start == VT_NULL)
		return vt_raise(
			a->rt, VT_E_TYPE, "'NoneType' object cannot be interpreted as an integer");
	return vt_query_lazily(a, &enumerate_ops, start, out);
}

/* ---- nested collections ---- */

/* v[3]: a list of these. i[0]: where a right side that is a list stands; such a one needs no
 * iterator. */
enum { JOIN_RIGHT, JOIN_LEFT_ITEM, JOIN_RIGHT_ITER, JOIN_N };

/* The next item of the left side. False: it is over, or failed. */
static bool
next_left(vt_rt *rt, vt_iter *it, vt_value *left, vt_status *st)
{
	vt_clear(left);
	*st = next_of_pull(rt, it, left);
	it->i[0] = 0;
	return *st == VT_OK && *left != VT_UNDEF;
}

static vt_status
next_pair_of_list(vt_rt *rt, vt_iter *it, vt_value *s, vt_value *argv)
{
	const vt_list *right = vt_as_list(s[JOIN_RIGHT]);
	vt_status st = VT_OK;
	while (s[JOIN_LEFT_ITEM] == VT_UNDEF || it->i[0] == right->n)
		if (!next_left(rt, it, &s[JOIN_LEFT_ITEM], &st))
			return st;
	argv[0] = s[JOIN_LEFT_ITEM];
	argv[1] = vt_copy(right->v[it->i[0]++]);
	return VT_OK;
}

/* The next pair into argv; argv[1] is owned by the caller. The end: argv[1] is VT_UNDEF. */
static vt_status
next_pair(vt_rt *rt, vt_iter *it, vt_value *argv)
{
	vt_value *s = vt_as_list(it->v[3])->v;
	vt_status st;
	argv[1] = VT_UNDEF;
	if (vt_is_sequence(s[JOIN_RIGHT]))
		return next_pair_of_list(rt, it, s, argv);
	for (;;) {
		if (s[JOIN_RIGHT_ITER] == VT_UNDEF) {
			if (!next_left(rt, it, &s[JOIN_LEFT_ITEM], &st))
				return st;
			VT_TRY(vt_iterate(rt, s[JOIN_RIGHT], &s[JOIN_RIGHT_ITER]));
		}
		VT_TRY(vt_next(rt, s[JOIN_RIGHT_ITER], &argv[1]));
		argv[0] = s[JOIN_LEFT_ITEM];
		if (argv[1] != VT_UNDEF)
			return VT_OK;
		vt_clear(&s[JOIN_RIGHT_ITER]);
	}
}

static vt_status
next_join(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value argv[2], r = VT_UNDEF;
	vt_status st = VT_OK;
	bool yes = false;
	*out = VT_UNDEF;
	while (st == VT_OK && !yes) {
		VT_TRY(next_pair(rt, it, argv));
		if (argv[1] == VT_UNDEF)
			return VT_OK;
		st = vt_apply(rt, it->v[1], 2, argv, &r);
		yes = st == VT_OK && vt_is_true(r);
		vt_clear(&r);
		if (yes)
			st = vt_apply(rt, it->v[2], 2, argv, out);
		vt_release(argv[1]);
	}
	return st;
}

/* The item of the left side with the next ones of the right side, by programs. */
typedef struct candidates {
	vt_rt *rt;
	vt_iter *it;
	vt_batch *s[2];
	const vt_lambda_program *t[2]; /* the predicate, the selector */
	uint32_t n;
	vt_value left[VT_BULK], right[VT_BULK];
	uint8_t at[VT_BULK];
} candidates;

/* Pairs of right[from, from + n); how many of these are done with. */
static uint32_t
join_candidates(candidates *c, const vt_value *right, uint32_t n, vt_value *out, uint32_t *made)
{
	vt_value left = vt_as_list(c->it->v[3])->v[JOIN_LEFT_ITEM];
	uint32_t m, k;
	for (uint32_t i = 0; i < n; i++)
		c->left[i] = left;
	n = vt_batch_fill_known(c->s[0], c->t[0], n, c->left, right, NULL, NULL);
	for (uint32_t i = m = 0; i < n; i++)
		if (vt_batch_true(c->s[0], c->t[0], i)) {
			c->right[m] = right[i];
			c->at[m++] = (uint8_t)i;
		}
	if (m == 0)
		return n;
	k = vt_batch_fill_known(c->s[1], c->t[1], m, c->left, c->right, NULL, NULL);
	k = k > 0 ? vt_batch_make(c->s[1], c->t[1], k, out + *made, NULL) : 0;
	*made += k;
	return k < m ? c->at[k] : n;
}

/* False: next() has to say what comes. */
static bool
left_at_hand(candidates *c, const vt_list *right)
{
	vt_value *left = &vt_as_list(c->it->v[3])->v[JOIN_LEFT_ITEM];
	vt_pull *p = pull_of(c->rt, c->it);
	if (*left != VT_UNDEF && c->it->i[0] < right->n)
		return true;
	if (right->n == 0 || vt_pull_ahead(p) == 0)
		return false;
	vt_move(left, p->item[p->at++]);
	c->it->i[0] = 0;
	return true;
}

static const vt_lambda_program *
program_of(vt_rt *rt, vt_value lambda)
{
	const vt_lambda_program *t = vt_lambda_program_of(rt, lambda, 2);
	return t != NULL && vt_program_is_closed(rt, t, vt_scope_of(lambda)) ? t : NULL;
}

static uint32_t
bulk_join(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	vt_value all = vt_as_list(it->v[3])->v[JOIN_RIGHT];
	const vt_list *right = vt_is_sequence(all) ? vt_as_list(all) : NULL;
	candidates c = {.rt = rt, .it = it};
	uint32_t made = 0, n, done;
	if (right == NULL || room < VT_BULK || (c.t[0] = program_of(rt, it->v[1])) == NULL ||
		(c.t[1] = program_of(rt, it->v[2])) == NULL)
		return 0;
	it->h.aux = VT_ONE_WAY;
	for (int i = 0; i < 2; i++)
		c.s[i] = vt_batch_new(rt, vt_scope_of(it->v[1 + i]));
	do {
		if (!left_at_hand(&c, right))
			break;
		n = right->n - (uint32_t)it->i[0];
		n = n < VT_BULK ? n : VT_BULK;
		n = n < room - made ? n : room - made;
		done = join_candidates(&c, right->v + it->i[0], n, out, &made);
		it->i[0] += done;
	} while (done == n && 2 * made < room);
	for (int i = 0; i < 2; i++)
		vt_batch_free(c.s[i]);
	return made;
}

static const vt_iter_ops join_ops = {next_join, drop_pull, "generator", 272, bulk_join};

vt_status
vt_lib_join_collections(vt_args *a, vt_value *out)
{
	vt_list *state;
	vt_iter *it;
	vt_status st;
	if (vt_can_plan_join(a->rt, a->unit, a->v[2], a->v[3]))
		return vt_join_planned(a, out);
	if (vt_can_look_up(a->rt, a->v[0], a->v[1], a->v[2]))
		return vt_join_by_key(a, out);
	VT_TRY(vt_query_machine(a, &join_ops, a->v[2], &it));
	it->v[2] = vt_copy(a->v[3]);
	state = vt_list_new(a->rt, VT_K_LIST, JOIN_N);
	it->v[3] = vt_mkptr(state);
	st = vt_query_memorized(a, a->v[1], &state->v[JOIN_RIGHT]);
	return vt_settle(st, vt_mkptr(it), out);
}
