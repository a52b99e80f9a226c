/*
 * pieces.c - rows of lib/queries.fn that take a collection apart: limit, skip, distinct, positions
 * of items, slices and splits; and the characters of a text, of lib/strings.fn.
 */
#include "runtime/lib/query.h"
#include "runtime/object/object.h"
#include "runtime/seq/lambda_program.h"
#include "registry.h"
#include "runtime/task/task.h"

#include <stdlib.h>
#include <string.h>

/* ---- parts of a collection ---- */

/* A count of islice(): 0 up to what 63 bits hold. */
static vt_status
slice_count(vt_rt *rt, vt_value v, const char *what, int64_t *n)
{
	if (vt_is_bool(v))
		v = vt_mkint(v == VT_TRUE);
	if (!vt_int_fits(v, n) || *n < 0)
		return vt_raise(rt, VT_E_VALUE,
			"%s for islice() must be None or an integer: 0 <= x <= sys.maxsize.", what);
	return VT_OK;
}

/* i[0]: how many are left. Does not ask for one more than it gives. */
static vt_status
next_limit(vt_rt *rt, vt_iter *it, vt_value *out)
{
	*out = VT_UNDEF;
	if (it->i[0] <= 0)
		return VT_OK;
	it->i[0]--;
	VT_TRY(vt_next(rt, it->v[0], out));
	if (*out == VT_UNDEF)
		it->i[0] = 0;
	return VT_OK;
}

/* What the source gives at once, and no more than is wanted of it. */
static uint32_t
bulk_of_source(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	vt_iter *from = VT_AS(vt_iter, it->v[0]);
	uint32_t n;
	if (!vt_is(it->v[0], ITER) || from->ops->bulk == NULL || room == 0)
		return 0;
	from->h.aux = it->h.aux;
	n = from->ops->bulk(rt, from, room, out);
	it->h.aux = from->h.aux | VT_ONE_WAY;
	from->h.aux = 0;
	return n;
}

static uint32_t
bulk_limit(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	uint32_t n = bulk_of_source(rt, it, it->i[0] < room ? (uint32_t)it->i[0] : room, out);
	it->i[0] -= n;
	return n;
}

/* i[0]: how many are still to be dropped. */
static vt_status
next_skip(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value item;
	if (it->i[0] > 0 && vt_iter_jump(it->v[0], it->i[0]) >= 0)
		it->i[0] = 0;
	for (; it->i[0] > 0; it->i[0]--) {
		VT_TRY(vt_next(rt, it->v[0], &item));
		if (item == VT_UNDEF)
			it->i[0] = 1;
		vt_release(item);
	}
	return vt_next(rt, it->v[0], out);
}

static uint32_t
bulk_skip(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	return it->i[0] > 0 ? 0 : bulk_of_source(rt, it, room, out);
}

static const vt_iter_ops limit_ops = {next_limit, NULL, vt_name_of_limit, 72, bulk_limit};
static const vt_iter_ops skip_ops = {next_skip, NULL, vt_name_of_skip, 72, bulk_skip};

static vt_status
counted(vt_args *a, const vt_iter_ops *ops, int64_t n, vt_value *out)
{
	vt_iter *it;
	VT_TRY(vt_query_machine(a, ops, VT_UNDEF, &it));
	it->i[0] = n;
	*out = vt_mkptr(it);
	return VT_OK;
}

vt_status
vt_lib_limit(vt_args *a, vt_value *out)
{
	int64_t n;
	VT_TRY(slice_count(a->rt, a->v[1], "Stop argument", &n));
	if (!vt_query_is_open_list(a, a->v[0]) || vt_metered(a->rt))
		return counted(a, &limit_ops, n, out);
	*out = vt_part_over(a->rt, vt_copy(a->v[0]), n);
	return VT_OK;
}

vt_status
vt_lib_skip(vt_args *a, vt_value *out)
{
	int64_t n;
	VT_TRY(slice_count(a->rt, a->v[1], "Indices", &n));
	if (!vt_query_is_open_list(a, a->v[0]) || vt_metered(a->rt))
		return counted(a, &skip_ops, n, out);
	*out = vt_rest_over(a->rt, vt_copy(a->v[0]), n);
	return VT_OK;
}

vt_value
vt_quick_limit(vt_rt *rt, const vt_value *v)
{
	if (!vt_is_sequence(v[0]) || !vt_is_int(v[1]) || vt_toint(v[1]) < 0)
		return VT_UNDEF;
	return vt_part_over(rt, vt_copy(v[0]), vt_toint(v[1]));
}

vt_value
vt_quick_skip(vt_rt *rt, const vt_value *v)
{
	if (!vt_is_sequence(v[0]) || !vt_is_int(v[1]) || vt_toint(v[1]) < 0)
		return VT_UNDEF;
	return vt_rest_over(rt, vt_copy(v[0]), vt_toint(v[1]));
}

/* The iterator has looked at nothing yet, so that the list may as well lose its first items where
 * it lies, and get the others at its end. */
int
vt_skip_and_add(vt_rt *rt, vt_value list, uint32_t holders, vt_value *skipped, vt_value more)
{
	vt_list *l = vt_as_list(list);
	int64_t n = vt_rest_from(*skipped, list);
	if (n < 0 || !vt_may_change(list, holders + 1) || !vt_is_sequence(more) || more == list ||
		!vt_settles(more) || (uint64_t)l->n + vt_as_list(more)->n > VT_MOST_ITEMS)
		return 0;
	for (uint32_t i = 0; i < vt_as_list(more)->n; i++)
		if (!vt_stays(vt_as_list(more)->v[i]))
			return 0;
	vt_clear(skipped);
	vt_list_drop(l, (uint32_t)n);
	vt_list_add_final(rt, l, vt_as_list(more));
	return 1;
}

/* p of takeWhile() and skipWhile(), from the first bulk on: their source, where that can be set
 * back, or nobody else asks for the rest.  NULL: it is asked item by item. */
static vt_pull *
pull_of(vt_rt *rt, vt_iter *it)
{
	const vt_iter *source = VT_AS(const vt_iter, it->v[0]);
	vt_pull *p = it->p;
	if (p != NULL || !vt_is(it->v[0], ITER) || source->ops->bulk == NULL ||
		source->v[0] == VT_UNDEF || !vt_is_sequence(source->v[0]) ||
		(source->ops->bulk != vt_bulk_of_list && !vt_is_alone(it->v[0], 1)))
		return p;
	it->p = p = vt_xmalloc(sizeof *p);
	vt_pull_open(p, rt, it->v[0]);
	return p;
}

static void
drop_pull(vt_iter *it)
{
	vt_pull_free(it->p);
}

/* The next item of the source. */
static vt_status
next_of_source(vt_rt *rt, vt_iter *it, vt_value *out)
{
	return it->p != NULL ? vt_pull_next(it->p, out) : vt_next(rt, it->v[0], out);
}

/* Of the items that there are at once the first ones, for which the predicate is true.  *more: the
 * program is not for the next one, or there is none. */
static uint32_t
count_true(vt_rt *rt, vt_iter *it, uint32_t room, bool *more)
{
	const vt_lambda_program *t = vt_lambda_program_of(rt, it->v[1], 1);
	vt_pull *p = room < VT_BULK || t == NULL ? NULL : pull_of(rt, it);
	uint32_t n, m, i = 0;
	vt_batch *s;
	*more = false;
	if (p == NULL || vt_metered(rt) || !vt_program_is_closed(rt, t, vt_scope_of(it->v[1])) ||
		(n = vt_pull_ahead(p)) == 0)
		return 0;
	s = vt_batch_new(rt, vt_scope_of(it->v[1]));
	m = n = n < room ? n : room;
	m = vt_batch_fill_list(s, t, n, p->item + p->at, 0);
	while (i < m && vt_batch_true(s, t, i))
		i++;
	it->i[0] = i < m;
	*more = i == n;
	vt_batch_free(s);
	return i;
}

/* i[0]: the predicate was false once. */
static vt_status
next_take_while(vt_rt *rt, vt_iter *it, vt_value *out)
{
	bool yes = false;
	vt_value item;
	vt_status st;
	*out = VT_UNDEF;
	if (it->i[0])
		return VT_OK;
	VT_TRY(next_of_source(rt, it, &item));
	if (item == VT_UNDEF)
		return VT_OK;
	st = vt_query_test(rt, it->v[1], item, &yes);
	if (st == VT_OK && yes) {
		*out = item;
		return VT_OK;
	}
	it->i[0] = st == VT_OK;
	vt_release(item);
	if (it->p != NULL)
		vt_pull_close(it->p);
	return st;
}

static uint32_t
bulk_take_while(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	bool more;
	uint32_t n;
	vt_pull *p;
	it->h.aux = VT_ONE_WAY;
	if (it->i[0])
		return 0;
	n = count_true(rt, it, room, &more);
	p = it->p;
	for (uint32_t i = 0; i < n; i++)
		out[i] = p->item[p->at++];
	if (it->i[0]) { /* the item that ends it is read, too */
		vt_release(p->item[p->at++]);
		vt_pull_close(p);
	}
	return n;
}

static vt_status
next_skip_while(vt_rt *rt, vt_iter *it, vt_value *out)
{
	bool yes = true;
	vt_status st;
	if (it->i[0])
		return next_of_source(rt, it, out);
	for (;;) {
		VT_TRY(next_of_source(rt, it, out));
		if (*out == VT_UNDEF)
			return VT_OK;
		st = vt_query_test(rt, it->v[1], *out, &yes);
		if (st != VT_OK || !yes)
			break;
		vt_clear(out);
	}
	if (st != VT_OK)
		vt_clear(out);
	it->i[0] = st == VT_OK;
	return st;
}

static uint32_t
bulk_skip_while(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	bool more = true;
	vt_pull *p;
	uint32_t n;
	it->h.aux = VT_ONE_WAY;
	while (!it->i[0] && more) {
		n = count_true(rt, it, room, &more);
		for (p = it->p; n > 0; n--)
			vt_release(p->item[p->at++]);
	}
	p = it->p;
	if (!it->i[0] || p == NULL || room < VT_BULK)
		return 0;
	n = vt_pull_ahead(p);
	n = n < room ? n : room;
	for (uint32_t i = 0; i < n; i++)
		out[i] = p->item[p->at++];
	return n;
}

static const vt_iter_ops take_while_ops = {
	next_take_while, drop_pull, "itertools.takewhile", 56, bulk_take_while};
static const vt_iter_ops skip_while_ops = {
	next_skip_while, drop_pull, "itertools.dropwhile", 56, bulk_skip_while};

vt_status
vt_lib_take_while(vt_args *a, vt_value *out)
{
	return vt_query_lazily(a, &take_while_ops, a->v[1], out);
}

vt_status
vt_lib_skip_while(vt_args *a, vt_value *out)
{
	return vt_query_lazily(a, &skip_while_ops, a->v[1], out);
}

/* p of distinct(), from the first bulk on: its source, and texts that were seen. */
enum { NEAR = 64 };
typedef struct near_keys {
	vt_pull pull;
	const vt_str *key[NEAR]; /* owned; by hash */
} near_keys;

static void
drop_near(vt_iter *it)
{
	near_keys *p = it->p;
	if (p == NULL)
		return;
	while (p->pull.at < p->pull.n)
		vt_release(p->pull.item[p->pull.at++]);
	for (uint32_t i = 0; i < NEAR; i++)
		if (p->key[i] != NULL)
			vt_release(vt_mkptr(p->key[i]));
	vt_pull_give(&p->pull);
	free(p);
}

static near_keys *
near_of(vt_rt *rt, vt_iter *it)
{
	near_keys *p = it->p;
	if (p == NULL) {
		it->p = p = vt_xmalloc(sizeof *p);
		memset(p, 0, sizeof *p);
		vt_pull_open(&p->pull, rt, it->v[0]);
	}
	return p;
}

/* Is the key a text that was seen lately?  If not it is one from now on. */
static bool
is_near(near_keys *p, vt_value key)
{
	const vt_str *s = vt_as_str(key), **at;
	if (!vt_is(key, STR))
		return false;
	at = &p->key[vt_str_hash(s) % NEAR];
	if (*at != NULL && (*at == s || vt_str_eq(*at, s)))
		return true;
	if (*at != NULL)
		vt_release(vt_mkptr(*at));
	*at = VT_AS(const vt_str, vt_copy(key));
	return false;
}

/* As far as the keys can be told apart: what cannot be hashed is an error, and left to next(). */
static uint32_t
take_fresh(vt_rt *rt, vt_iter *it, near_keys *p, uint32_t n, const vt_value *keys, vt_value *out,
	uint32_t *made)
{
	vt_set *seen = vt_as_set(it->v[2]);
	vt_set_warm(seen, n, keys);
	for (uint32_t i = 0; i < n; i++) {
		vt_value *item = &p->pull.item[p->pull.at];
		uint32_t before = vt_set_len(seen);
		bool known = is_near(p, keys[i]);
		if (!known && (!vt_hashable(keys[i]) || before >= MAX_KEYS ||
				      vt_set_add(rt, seen, keys[i]) != VT_OK))
			return i;
		if (!known && vt_set_len(seen) > before)
			out[(*made)++] = *item;
		else
			vt_release(*item);
		p->pull.at++;
	}
	return n;
}

static uint32_t
bulk_distinct(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	bool by_key = vt_is(it->v[1], LAMBDA);
	const vt_lambda_program *t = by_key ? vt_lambda_program_of(rt, it->v[1], 1) : NULL;
	near_keys *p = near_of(rt, it);
	uint32_t made = 0, n, m;
	vt_batch *s;
	if ((by_key && (t == NULL || !vt_program_is_closed(rt, t, vt_scope_of(it->v[1])))) ||
		room < VT_BULK || vt_metered(rt))
		return 0;
	it->h.aux = VT_ONE_WAY;
	while (2 * made < room && (n = vt_pull_ahead(&p->pull)) > 0) {
		const vt_value *items = p->pull.item + p->pull.at, *keys = items;
		m = n = n < room - made ? n : room - made;
		s = by_key ? vt_batch_new(rt, vt_scope_of(it->v[1])) : NULL;
		if (by_key) {
			m = vt_batch_fill_list(s, t, n, items, 0);
			keys = m > 0 ? vt_batch_results(s, t, &m) : NULL;
		}
		m = take_fresh(rt, it, p, m, keys, out, &made);
		if (by_key)
			vt_batch_free(s);
		if (m < n)
			break;
	}
	return made;
}

/* v[2]: the set of keys seen. */
static vt_status
next_distinct(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_set *seen = vt_as_set(it->v[2]);
	near_keys *p = near_of(rt, it);
	vt_value item, key = VT_UNDEF;
	vt_status st = VT_OK;
	bool fresh = false;
	*out = VT_UNDEF;
	for (;;) {
		if (p->pull.at < p->pull.n)
			item = p->pull.item[p->pull.at++];
		else if ((st = vt_next(rt, it->v[0], &item)) != VT_OK || item == VT_UNDEF)
			break;
		st = vt_query_selected(rt, it->v[1], item, &key);
		if (st == VT_OK)
			st = vt_query_remember(rt, seen, key, &fresh);
		vt_clear(&key);
		if (st == VT_OK && fresh) {
			*out = item;
			break;
		}
		vt_release(item);
		if (st != VT_OK)
			break;
	}
	return st;
}

const vt_iter_ops vt_query_distinct_ops = {
	next_distinct, drop_near, "generator", 264, bulk_distinct};

/* What is left of a short list, made at once. */
static const vt_iter_ops distinct_list_ops = {
	vt_next_of_list, NULL, "generator", 264, vt_bulk_of_list};

static bool
is_one_of(vt_value v, const vt_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->v[i] == v || (vt_is(v, STR) && vt_str_eq(vt_as_str(l->v[i]), vt_as_str(v))))
			return true;
	return false;
}

/* A few texts or small integers are compared with each other. False: it is no such list. */
static bool
distinct_few(vt_args *a, vt_value *out)
{
	enum { FEW = 16 };
	const vt_list *from = vt_is_sequence(a->v[0]) ? vt_as_list(a->v[0]) : NULL;
	bool texts = from != NULL && from->n > 0 && vt_is(from->v[0], STR);
	vt_iter *it;
	vt_list *l;
	if (from == NULL || from->n > FEW || a->v[1] != VT_NULL || vt_metered(a->rt) ||
		!vt_query_is_open_list(a, a->v[0]))
		return false;
	for (uint32_t i = 0; i < from->n; i++)
		if (texts ? !vt_is(from->v[i], STR) : !vt_is_int(from->v[i]))
			return false;
	l = vt_list_grow(a->rt, VT_K_TUPLE, from->n);
	for (uint32_t i = 0; i < from->n; i++)
		if (!is_one_of(from->v[i], l))
			l->v[l->n++] = vt_copy(from->v[i]);
	l->h.flags |= VT_F_FINAL;
	it = vt_iter_new(a->rt, &distinct_list_ops);
	it->v[0] = vt_mkptr(l);
	*out = vt_mkptr(it);
	return true;
}

vt_status
vt_lib_distinct(vt_args *a, vt_value *out)
{
	vt_iter *it;
	if (distinct_few(a, out))
		return VT_OK;
	VT_TRY(vt_query_machine(a, &vt_query_distinct_ops, a->v[1], &it));
	it->v[2] = vt_mkptr(vt_set_new(a->rt));
	*out = vt_mkptr(it);
	return VT_OK;
}

/* ---- positions ---- */

/* The same of a list whose predicate is a lambda program. */
static vt_status
position_by_program(vt_args *a, const vt_lambda_program *t, bool last, int64_t *found)
{
	const vt_list *l = vt_as_list(a->v[0]);
	vt_batch *s = vt_batch_new(a->rt, vt_scope_of(a->v[1]));
	vt_status st = VT_OK;
	bool yes = false;
	s->still = true;
	for (uint32_t at = 0; st == VT_OK && (last || *found < 0) && at < l->n;) {
		uint32_t from = at, n = vt_batch_fill_next(s, t, l, &at);
		for (uint32_t i = 0; i < n && (last || *found < 0); i++)
			if (vt_batch_true(s, t, i))
				*found = from + i;
		if (n > 0)
			continue;
		st = vt_query_test(a->rt, a->v[1], l->v[at++], &yes);
		if (st == VT_OK && yes)
			*found = from;
	}
	vt_batch_free(s);
	return st;
}

/* The same of an item. */
static int64_t
position_in(vt_rt *rt, const vt_list *l, vt_value item, bool last)
{
	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t at = last ? l->n - 1 - i : i;
		if (vt_both_int(l->v[at], item) ? l->v[at] == item : vt_equal(rt, l->v[at], item))
			return at;
	}
	return -1;
}

/* The first or last position whose element equals v[1], or for which the lambda v[1] is true; -1.
 */
static vt_status
position(vt_args *a, bool by_lambda, bool last, vt_value *out)
{
	const vt_lambda_program *t = by_lambda ? vt_lambda_program_of(a->rt, a->v[1], 1) : NULL;
	vt_value iter = VT_UNDEF, item;
	vt_status st = VT_OK;
	int64_t found = -1;
	bool yes = false;
	vt_pull p;
	if (t != NULL && vt_query_is_open_list(a, a->v[0])) {
		VT_TRY(position_by_program(a, t, last, &found));
		*out = vt_mkint(found);
		return VT_OK;
	}
	if (!by_lambda && vt_query_is_open_list(a, a->v[0])) {
		*out = vt_mkint(position_in(a->rt, vt_as_list(a->v[0]), a->v[1], last));
		return VT_OK;
	}
	VT_TRY(vt_query_source(a, a->v[0], &iter));
	vt_query_pull(a, a->v[0], iter, &p);
	p.singly |=
		by_lambda && (t == NULL || !vt_program_is_closed(a->rt, t, vt_scope_of(a->v[1])));
	for (int64_t i = 0; (last || found < 0) && VT_PULL_EACH(&p, item, st); i++) {
		if (by_lambda)
			st = vt_query_test(a->rt, a->v[1], item, &yes);
		else
			yes = vt_equal(a->rt, item, a->v[1]);
		if (st == VT_OK && yes)
			found = i;
		vt_release(item);
	}
	vt_pull_close(&p);
	vt_release(iter);
	if (st == VT_OK)
		*out = vt_mkint(found);
	return st;
}

#define POSITION(name, by_lambda, last) \
	vt_status vt_lib_##name(vt_args *a, vt_value *out) \
	{ \
		return position(a, by_lambda, last, out); \
	}
vt_value
vt_quick_index_of(vt_rt *rt, const vt_value *v)
{
	return vt_is_sequence(v[0]) ? vt_mkint(position_in(rt, vt_as_list(v[0]), v[1], false))
				    : VT_UNDEF;
}

vt_value
vt_quick_last_index_of(vt_rt *rt, const vt_value *v)
{
	return vt_is_sequence(v[0]) ? vt_mkint(position_in(rt, vt_as_list(v[0]), v[1], true))
				    : VT_UNDEF;
}

POSITION(index_of, false, false)
POSITION(last_index_of, false, true)
POSITION(index_where, true, false)
POSITION(last_index_where, true, true)

/* ---- pieces ---- */

static vt_value
piece(vt_rt *rt, enum vt_kind kind, const vt_list *l, int64_t from, int64_t to)
{
	vt_list *made = vt_list_grow(rt, kind, to > from ? (uint32_t)(to - from) : 0);
	if (to > from)
		vt_list_extend(rt, made, (uint32_t)(to - from), l->v + from);
	return vt_mkptr(made);
}

static vt_status
in_pieces(vt_args *a, const vt_iter_ops *ops, vt_value *out)
{
	vt_iter *it;
	VT_TRY(vt_query_machine(a, ops, a->v[1], &it));
	it->i[2] = vt_list_kind(a->unit);
	*out = vt_mkptr(it);
	return VT_OK;
}

/* The slice that is being made: bulk_slice() may have left one that is not full yet. */
static vt_list *
begun(vt_rt *rt, vt_iter *it, uint32_t room)
{
	if (it->v[2] == VT_UNDEF)
		it->v[2] = vt_mkptr(vt_list_grow(rt, (enum vt_kind)it->i[2], room));
	return vt_as_list(it->v[2]);
}

/* v[1]: the length; v[2]: what is begun; i[2]: the kind of the pieces. */
static vt_status
next_slice(vt_rt *rt, vt_iter *it, vt_value *out)
{
	int64_t length;
	vt_list *l;
	vt_value item;
	vt_status st = VT_OK;
	*out = VT_UNDEF;
	VT_TRY(slice_count(rt, it->v[1], "Stop argument", &length));
	l = begun(rt, it, 4);
	while (l->n < length && st == VT_OK && (st = next_of_source(rt, it, &item)) == VT_OK &&
		item != VT_UNDEF)
		st = vt_list_keep(rt, l, item);
	if (st == VT_OK && l->n > 0)
		*out = it->v[2];
	else
		vt_release(it->v[2]);
	it->v[2] = VT_UNDEF;
	return st;
}

/* An iterator that nobody else has may be read ahead. */
static vt_pull *
own_pull(vt_rt *rt, vt_iter *it)
{
	const vt_iter *source = VT_AS(const vt_iter, it->v[0]);
	if (it->p == NULL && vt_is(it->v[0], ITER) && source->ops->bulk != NULL &&
		source->h.rc == 1) {
		it->p = vt_xmalloc(sizeof(vt_pull));
		vt_pull_open(it->p, rt, it->v[0]);
	}
	return it->p;
}

static uint32_t
bulk_slice(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	int64_t length = vt_is_int(it->v[1]) ? vt_toint(it->v[1]) : 0;
	vt_pull *p = length > 0 && room >= VT_BULK && !vt_metered(rt) ? own_pull(rt, it) : NULL;
	uint32_t made = 0;
	while (p != NULL && made < room) {
		vt_list *l = begun(rt, it, length < VT_BULK ? (uint32_t)length : VT_BULK);
		uint32_t n;
		while (l->n < length && l->n < VT_MOST_ITEMS && (n = vt_pull_ahead(p)) > 0) {
			n = n < length - l->n ? n : (uint32_t)(length - l->n);
			n = n < VT_MOST_ITEMS - l->n ? n : VT_MOST_ITEMS - l->n;
			vt_list_append(rt, l, n, p->item + p->at);
			p->at += n;
		}
		if (l->n < length)
			break;
		out[made++] = it->v[2];
		it->v[2] = VT_UNDEF;
	}
	it->h.aux = VT_ONE_WAY;
	return made;
}

static const vt_iter_ops slice_ops = {next_slice, drop_pull, "generator", 248, bulk_slice};

vt_status
vt_lib_slice(vt_args *a, vt_value *out)
{
	return in_pieces(a, &slice_ops, out);
}

/* The whole collection as a tuple in v[2], read when the first piece is asked for. */
static vt_status
whole(vt_rt *rt, vt_iter *it)
{
	if (it->v[2] != VT_UNDEF)
		return VT_OK;
	return vt_to_tuple(rt, NULL, it->v[0], &it->v[2]);
}

/* i: start of the piece, the next element to test, kind of the pieces. */
static vt_status
next_split_where(vt_rt *rt, vt_iter *it, vt_value *out)
{
	const vt_list *l;
	int64_t from = it->i[0], at;
	bool yes = false;
	*out = VT_UNDEF;
	VT_TRY(whole(rt, it));
	l = vt_as_list(it->v[2]);
	while (it->i[1] < l->n) {
		at = it->i[1];
		VT_TRY(vt_query_test(rt, it->v[1], l->v[at], &yes));
		it->i[1]++;
		if (yes) {
			it->i[0] = at + 1;
			*out = piece(rt, (enum vt_kind)it->i[2], l, from, at);
			return VT_OK;
		}
	}
	it->i[0] = l->n;
	if (from < l->n)
		*out = piece(rt, (enum vt_kind)it->i[2], l, from, l->n);
	return VT_OK;
}

/* As above; v[3]: the predicate's answer for the element before. */
static vt_status
next_slice_where(vt_rt *rt, vt_iter *it, vt_value *out)
{
	const vt_list *l;
	int64_t from = it->i[0], at;
	vt_value r = VT_UNDEF;
	bool cut;
	*out = VT_UNDEF;
	VT_TRY(whole(rt, it));
	l = vt_as_list(it->v[2]);
	while (it->i[1] < l->n) {
		at = it->i[1];
		VT_TRY(vt_apply(rt, it->v[1], 1, &l->v[at], &r));
		it->i[1]++;
		cut = it->v[3] != VT_UNDEF && !vt_equal(rt, r, it->v[3]);
		vt_move(&it->v[3], r);
		if (cut) {
			it->i[0] = at;
			*out = piece(rt, (enum vt_kind)it->i[2], l, from, at);
			return VT_OK;
		}
	}
	it->i[0] = l->n;
	if (from < l->n)
		*out = piece(rt, (enum vt_kind)it->i[2], l, from, l->n);
	return VT_OK;
}

static const vt_iter_ops split_where_ops = {next_split_where, NULL, "generator", 248, NULL};
static const vt_iter_ops slice_where_ops = {next_slice_where, NULL, "generator", 264, NULL};

vt_status
vt_lib_split_where(vt_args *a, vt_value *out)
{
	return in_pieces(a, &split_where_ops, out);
}

vt_status
vt_lib_slice_where(vt_args *a, vt_value *out)
{
	return in_pieces(a, &slice_where_ops, out);
}

vt_status
vt_lib_split_at(vt_args *a, vt_value *out)
{
	vt_value all = VT_UNDEF;
	const vt_list *l;
	vt_list *two;
	int64_t at = vt_int_clamped(a->v[1]);
	if (vt_query_is_open_list(a, a->v[0]) && !vt_metered(a->rt))
		all = vt_copy(a->v[0]);
	else
		VT_TRY(vt_to_tuple(a->rt, a->unit, a->v[0], &all));
	if (vt_metered(a->rt) &&
		(vt_quota_bytes(a->rt, vt_is(a->v[0], ITER) ? vt_deferred_ops.size : 0) != VT_OK ||
			vt_quota_value(a->rt, all) != VT_OK)) {
		vt_release(all);
		return VT_ERROR;
	}
	l = vt_as_list(all);
	if (at < 0)
		at = at < -(int64_t)l->n ? 0 : at + l->n;
	at = at > l->n ? l->n : at;
	two = vt_list_grow(a->rt, VT_K_LIST, 2);
	vt_list_push(a->rt, two, piece(a->rt, vt_list_kind(a->unit), l, 0, at));
	vt_list_push(a->rt, two, piece(a->rt, vt_list_kind(a->unit), l, at, l->n));
	vt_release(all);
	two->h.aux = VT_LIST_EXACT;
	*out = vt_mkptr(two);
	return VT_OK;
}

/* ---- characters ---- */

static vt_value
characters(vt_rt *rt, const vt_str *s)
{
	vt_list *l = vt_list_grow(rt, VT_K_TUPLE, s->points);
	l->h.flags |= VT_F_FINAL;
	if (s->h.flags & VT_F_ASCII) {
		vt_str_characters(s, l->v);
		l->n = s->bytes;
		return vt_mkptr(l);
	}
	for (const char *p = s->s, *end = s->s + s->bytes; p < end;) {
		const char *from = p;
		vt_utf8_next(&p);
		l->v[l->n++] = vt_str_part(rt, s, from, (size_t)(p - from));
	}
	return vt_mkptr(l);
}

vt_value
vt_quick_to_char_array(vt_rt *rt, const vt_value *v)
{
	return vt_is(v[0], STR) ? characters(rt, vt_as_str(v[0])) : VT_UNDEF;
}

vt_status
vt_lib_to_char_array(vt_args *a, vt_value *out)
{
	*out = characters(a->rt, vt_as_str(a->v[0]));
	return VT_OK;
}
