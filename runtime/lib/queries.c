/*
 * queries.c - rows of lib/queries.fn.
 *
 * What the reference writes as a generator or takes from itertools is a state machine here: v[0] is
 * the iterator it reads, v[1] and v[2] its lambdas, i[] its counters.
 */
#include "runtime/seq/lambda_table.h"
#include "registry.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"
#include "runtime/task/task.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the rest is made of ---- */

/* The iterator of an Iterable argument. An ordering is sorted when its first element is wanted, not
 * before. */
static vt_status
source(vt_args *a, vt_value v, vt_value *iter)
{
	vt_iter *it;
	vt_status st;
	if (!vt_is(v, ORDERING))
		return vt_iterate_limited(a->rt, a->unit, v, iter);
	it = vt_iter_new(a->rt, &vt_deferred_ops);
	it->v[0] = vt_copy(v);
	st = vt_iterate_limited(a->rt, a->unit, vt_mkptr(it), iter);
	vt_release(vt_mkptr(it));
	return st;
}

/* A state machine over the first argument, with a lambda in v[1]. */
static vt_status
machine(vt_args *a, const vt_iter_ops *ops, vt_value lambda, vt_iter **out)
{
	vt_value iter = VT_UNDEF;
	VT_TRY(source(a, a->v[0], &iter));
	*out = vt_iter_new(a->rt, ops);
	(*out)->v[0] = iter;
	(*out)->v[1] = vt_copy(lambda);
	return VT_OK;
}

static vt_status
lazily(vt_args *a, const vt_iter_ops *ops, vt_value lambda, vt_value *out)
{
	vt_iter *it;
	VT_TRY(machine(a, ops, lambda, &it));
	*out = vt_mkptr(it);
	return VT_OK;
}

/* A predicate's answer. */
static vt_status
test(vt_rt *rt, vt_value lambda, vt_value item, bool *yes)
{
	vt_value r = VT_UNDEF;
	VT_TRY(vt_apply(rt, lambda, 1, &item, &r));
	*yes = vt_is_true(r);
	vt_release(r);
	return VT_OK;
}

/* A selector's answer; without a selector the item itself. */
static vt_status
selected(vt_rt *rt, vt_value lambda, vt_value item, vt_value *out)
{
	if (vt_is(lambda, LAMBDA))
		return vt_apply(rt, lambda, 1, &item, out);
	*out = vt_copy(item);
	return VT_OK;
}

/* What VT_MOST_ITEMS is to lists, for the keys of a set or dict, which take more. */
enum { MAX_KEYS = 5000000 };

static vt_status
bounded(vt_rt *rt, uint32_t nkeys)
{
	return likely(nkeys <= MAX_KEYS) ? VT_OK : vt_too_large(rt, MAX_KEYS);
}

/* *fresh: the set did not have the key yet. */
static vt_status
remember(vt_rt *rt, vt_set *seen, vt_value key, bool *fresh)
{
	uint32_t before = vt_set_len(seen);
	VT_TRY(vt_set_add(rt, seen, key));
	*fresh = vt_set_len(seen) > before;
	if (*fresh && vt_metered(rt))
		VT_TRY(vt_quota_set(rt, seen));
	return bounded(rt, before);
}

/* ---- filters and selections ---- */

/* The next item for which the predicate v[1] answers as wanted. */
static vt_status
next_answering(vt_rt *rt, vt_iter *it, bool wanted, vt_value *out)
{
	vt_value item;
	vt_status st = VT_OK;
	bool yes = false;
	*out = VT_UNDEF;
	while (VT_EACH(rt, it->v[0], item, st)) {
		st = test(rt, it->v[1], item, &yes);
		if (st == VT_OK && yes == wanted) {
			*out = item;
			break;
		}
		vt_release(item);
	}
	return st;
}

static vt_status
next_where(vt_rt *rt, vt_iter *it, vt_value *out)
{
	return next_answering(rt, it, true, out);
}

static const vt_iter_ops where_ops = {next_where, NULL, "filter", 48, NULL};

vt_status
vt_lib_where(vt_args *a, vt_value *out)
{
	return lazily(a, &where_ops, a->v[1], out);
}

vt_status
vt_lib_select(vt_args *a, vt_value *out)
{
	return lazily(a, &vt_map_ops, a->v[1], out);
}

/*
 * v[1]: the name; p: the unit. Calls the member operator each time: elements may be dicts, objects
 * or collections again. It keeps no scope: the caller's may live on the C stack, and a name needs
 * none.
 */
static vt_status
next_member(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value item;
	vt_status st;
	*out = VT_UNDEF;
	VT_TRY(vt_next(rt, it->v[0], &item));
	if (item == VT_UNDEF)
		return VT_OK;
	st = vt_call_member(rt, NULL, it->p, NULL, item, vt_as_str(it->v[1]), out);
	vt_release(item);
	return st;
}

static const vt_iter_ops member_ops = {next_member, NULL, "map", 48, NULL};

vt_status
vt_lib_collection_attr(vt_args *a, vt_value *out)
{
	vt_iter *it;
	VT_TRY(machine(a, &member_ops, a->v[1], &it));
	it->p = (void *)(uintptr_t)a->unit;
	*out = vt_mkptr(it);
	return VT_OK;
}

/* ---- counting ---- */

vt_status
vt_lib_count(vt_args *a, vt_value *out)
{
	vt_value iter = VT_UNDEF, item;
	vt_status st = VT_OK;
	int64_t n = 0;
	vt_pull p;
	VT_TRY(source(a, a->v[0], &iter));
	vt_pull_open(&p, a->rt, iter);
	while (VT_PULL_EACH(&p, item, st)) {
		vt_release(item);
		n++;
	}
	vt_pull_close(&p);
	vt_release(iter);
	*out = st == VT_OK ? vt_mkint(n) : VT_UNDEF;
	return st;
}

/* A list that needs no iterator: nothing counts its items. */
static bool
is_open_list(const vt_args *a, vt_value v)
{
	return vt_is_sequence(v) && (a->unit == NULL || a->unit->opt.limit_iterators < 0);
}

/* Is one of the n answers as wanted? */
static bool
column_has(const vt_batch *s, const vt_terms *t, uint32_t n, bool wanted)
{
	const vt_value *v = vt_batch_column(s, t);
	vt_value other = vt_mkbool(!wanted);
	for (uint32_t i = 0; i < n; i++)
		if ((v == NULL || v[i] != other) && vt_batch_true(s, t, i) == wanted)
			return true;
	return false;
}

/* The same of a list whose predicate is a table. */
static vt_status
search_list(vt_args *a, const vt_terms *t, bool wanted, bool *found)
{
	const vt_list *l = vt_as_list(a->v[0]);
	vt_batch *s = vt_batch_new(a->rt);
	vt_status st = VT_OK;
	bool yes = false;
	for (uint32_t at = 0; st == VT_OK && !*found && at < l->n;) {
		uint32_t n = vt_batch_fill_next(s, t, l, &at);
		*found = column_has(s, t, n, wanted);
		if (n == 0) {
			st = test(a->rt, a->v[1], l->v[at++], &yes);
			*found = st == VT_OK && yes == wanted;
		}
	}
	vt_batch_free(s);
	return st;
}

/* The first element whose truth, or the predicate's answer for it, is as wanted. */
static vt_status
search(vt_args *a, bool wanted, bool *found)
{
	vt_value iter = VT_UNDEF, item;
	const vt_terms *t = is_open_list(a, a->v[0]) ? vt_terms_of(a->rt, a->v[1], 1) : NULL;
	vt_status st = VT_OK;
	bool yes = false;
	*found = false;
	if (t != NULL)
		return search_list(a, t, wanted, found);
	VT_TRY(source(a, a->v[0], &iter));
	while (!*found && VT_EACH(a->rt, iter, item, st)) {
		if (vt_is(a->v[1], LAMBDA))
			st = test(a->rt, a->v[1], item, &yes);
		else
			/* any() without a predicate asks only for an element */
			yes = wanted || vt_truth(item);
		*found = st == VT_OK && yes == wanted;
		vt_release(item);
	}
	vt_release(iter);
	return st;
}

vt_status
vt_lib_any(vt_args *a, vt_value *out)
{
	bool found;
	VT_TRY(search(a, true, &found));
	*out = vt_mkbool(found);
	return VT_OK;
}

vt_status
vt_lib_all(vt_args *a, vt_value *out)
{
	bool found;
	VT_TRY(search(a, false, &found));
	*out = vt_mkbool(!found);
	return VT_OK;
}

/* ---- single elements ---- */

/* The end of an iteration as an error: what next() of Python raises. */
static vt_status
no_item(vt_rt *rt)
{
	return vt_raise(rt, VT_E_STOP_ITERATION, "%s", "");
}

static vt_status
or_default(vt_args *a, vt_value *out)
{
	if (*out != VT_UNDEF)
		return VT_OK;
	if (a->v[1] == VT_NOVALUE)
		return no_item(a->rt);
	*out = vt_copy(a->v[1]);
	return VT_OK;
}

vt_status
vt_lib_first(vt_args *a, vt_value *out)
{
	vt_value iter = VT_UNDEF;
	vt_status st;
	VT_TRY(source(a, a->v[0], &iter));
	st = vt_next(a->rt, iter, out);
	vt_release(iter);
	return st == VT_OK ? or_default(a, out) : st;
}

vt_status
vt_lib_last(vt_args *a, vt_value *out)
{
	vt_value iter = VT_UNDEF, item, last = VT_UNDEF;
	vt_status st = VT_OK;
	VT_TRY(source(a, a->v[0], &iter));
	if (vt_is_sequence(a->v[0])) {
		const vt_list *l = vt_as_list(a->v[0]);
		last = l->n > 0 ? vt_copy(l->v[l->n - 1]) : VT_UNDEF;
	} else {
		while (VT_EACH(a->rt, iter, item, st))
			vt_move(&last, item);
	}
	vt_release(iter);
	if (st != VT_OK) {
		vt_release(last);
		return st;
	}
	*out = last;
	return or_default(a, out);
}

vt_status
vt_lib_single(vt_args *a, vt_value *out)
{
	vt_value iter = VT_UNDEF, item = VT_UNDEF, more = VT_UNDEF;
	vt_status st;
	VT_TRY(source(a, a->v[0], &iter));
	st = vt_next(a->rt, iter, &item);
	if (st == VT_OK && item == VT_UNDEF)
		st = no_item(a->rt);
	if (st == VT_OK)
		st = vt_next(a->rt, iter, &more);
	if (st == VT_OK && more != VT_UNDEF)
		st = vt_raise(a->rt, VT_E_STOP_ITERATION, "Collection contains more than one item");
	vt_release(more);
	vt_release(iter);
	return vt_settle(st, item, out);
}

/* ---- folds ---- */

/* How two elements become one: a lambda, or the function of that name. */
typedef struct fold {
	vt_args *a;
	vt_value lambda;
	const char *name;
	int op;
} fold;
enum { FOLD_CALL = -1, FOLD_MIN = -2, FOLD_MAX = -3 };

/* Numbers take the way that the call would end at. */
static vt_status
combine(const fold *f, vt_value x, vt_value y, vt_value *out)
{
	vt_value argv[2] = {x, y};
	vt_args *a = f->a;
	if (f->lambda != VT_NULL)
		return vt_apply(a->rt, f->lambda, 2, argv, out);
	if (f->op != FOLD_CALL && vt_is_number(x) && vt_is_number(y)) {
		if (f->op == VT_OP_ADD)
			return vt_num_binary(a->rt, VT_OP_ADD, x, y, out);
		*out = vt_copy((vt_num_cmp(y, x) == 1) == (f->op == FOLD_MAX) ? y : x);
		return VT_OK;
	}
	return vt_call_name(a->rt, a->scope, a->unit, f->name, 2, argv, out);
}

/* Takes small integers in place; how many there were. */
static uint32_t
fold_small(const fold *f, uint32_t n, const vt_value *items, vt_value *sum)
{
	uint32_t i = 0;
	if (f->op == FOLD_CALL || f->a->rt->s->host_hides || !vt_is_int(*sum))
		return 0;
	if (f->op == VT_OP_ADD) {
		int64_t total = (int64_t)*sum, next;
		for (; i < n && vt_is_int(items[i]) &&
			!__builtin_add_overflow(total, (int64_t)(items[i] - 1), &next);
			i++)
			total = next;
		*sum = (vt_value)total;
		return i;
	}
	for (; f->op == FOLD_MIN && i < n && vt_is_int(items[i]); i++)
		*sum = (int64_t)items[i] < (int64_t)*sum ? items[i] : *sum;
	for (; f->op == FOLD_MAX && i < n && vt_is_int(items[i]); i++)
		*sum = (int64_t)items[i] > (int64_t)*sum ? items[i] : *sum;
	return i;
}

/* One item into the sum; takes it. */
static vt_status
fold_one(const fold *f, vt_value *sum, vt_value item)
{
	vt_value next = VT_UNDEF;
	vt_status st;
	if (fold_small(f, 1, &item, sum) == 1)
		return VT_OK;
	st = combine(f, *sum, item, &next);
	vt_release(item);
	if (st == VT_OK)
		vt_move(sum, next);
	return st;
}

static vt_status
no_seed(vt_rt *rt)
{
	return vt_raise(rt, VT_E_TYPE, "reduce() of empty iterable with no initial value");
}

static vt_status
reduce_list(const fold *f, const vt_list *l, vt_value *sum)
{
	vt_status st = VT_OK;
	uint32_t i = 0;
	if (*sum == VT_UNDEF) {
		if (l->n == 0)
			return no_seed(f->a->rt);
		*sum = vt_copy(l->v[i++]);
	}
	while (st == VT_OK && i < l->n) {
		i += fold_small(f, l->n - i, l->v + i, sum);
		if (i < l->n)
			st = fold_one(f, sum, vt_copy(l->v[i++]));
	}
	return st;
}

/* What was pulled at once goes in at once. */
static vt_status
reduce_pulled(const fold *f, vt_pull *p, vt_value *sum)
{
	vt_status st = VT_OK;
	vt_value item;
	if (*sum == VT_UNDEF && (st = vt_pull_next(p, sum)) == VT_OK && *sum == VT_UNDEF)
		st = no_seed(f->a->rt);
	while (VT_PULL_EACH(p, item, st)) {
		st = fold_one(f, sum, item);
		if (st == VT_OK && p->at < p->n)
			p->at += fold_small(f, p->n - p->at, p->item + p->at, sum);
	}
	return st;
}

static vt_status
reduce(const fold *f, vt_value seed, vt_value *out)
{
	vt_value iter = VT_UNDEF, sum = seed == VT_NOVALUE ? VT_UNDEF : vt_copy(seed);
	vt_status st;
	vt_pull p;
	if (is_open_list(f->a, f->a->v[0])) {
		st = reduce_list(f, vt_as_list(f->a->v[0]), &sum);
		return vt_settle(st, sum, out);
	}
	st = source(f->a, f->a->v[0], &iter);
	if (st == VT_OK) {
		vt_pull_open(&p, f->a->rt, iter);
		st = reduce_pulled(f, &p, &sum);
		vt_pull_close(&p);
	}
	vt_release(iter);
	return vt_settle(st, sum, out);
}

vt_status
vt_lib_sum(vt_args *a, vt_value *out)
{
	return reduce(&(fold){a, VT_NULL, "#operator_+", VT_OP_ADD}, a->v[1], out);
}

vt_status
vt_lib_fold_min(vt_args *a, vt_value *out)
{
	return reduce(&(fold){a, VT_NULL, "min", FOLD_MIN}, a->v[1], out);
}

vt_status
vt_lib_fold_max(vt_args *a, vt_value *out)
{
	return reduce(&(fold){a, VT_NULL, "max", FOLD_MAX}, a->v[1], out);
}

vt_status
vt_lib_aggregate(vt_args *a, vt_value *out)
{
	return reduce(&(fold){a, a->v[1], NULL, FOLD_CALL}, a->v[2], out);
}

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

/* i[0]: how many are still to be dropped. */
static vt_status
next_skip(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value item;
	for (; it->i[0] > 0; it->i[0]--) {
		VT_TRY(vt_next(rt, it->v[0], &item));
		if (item == VT_UNDEF)
			it->i[0] = 1;
		vt_release(item);
	}
	return vt_next(rt, it->v[0], out);
}

static const vt_iter_ops limit_ops = {next_limit, NULL, "itertools.islice", 72, NULL};
static const vt_iter_ops skip_ops = {next_skip, NULL, "itertools.islice", 72, NULL};

static vt_status
counted(vt_args *a, const vt_iter_ops *ops, const char *what, vt_value *out)
{
	int64_t n;
	vt_iter *it;
	VT_TRY(slice_count(a->rt, a->v[1], what, &n));
	VT_TRY(machine(a, ops, VT_UNDEF, &it));
	it->i[0] = n;
	*out = vt_mkptr(it);
	return VT_OK;
}

vt_status
vt_lib_limit(vt_args *a, vt_value *out)
{
	return counted(a, &limit_ops, "Stop argument", out);
}

vt_status
vt_lib_skip(vt_args *a, vt_value *out)
{
	return counted(a, &skip_ops, "Indices", out);
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
	VT_TRY(vt_next(rt, it->v[0], &item));
	if (item == VT_UNDEF)
		return VT_OK;
	st = test(rt, it->v[1], item, &yes);
	if (st == VT_OK && yes) {
		*out = item;
		return VT_OK;
	}
	it->i[0] = st == VT_OK;
	vt_release(item);
	return st;
}

static vt_status
next_skip_while(vt_rt *rt, vt_iter *it, vt_value *out)
{
	if (it->i[0])
		return vt_next(rt, it->v[0], out);
	VT_TRY(next_answering(rt, it, false, out));
	it->i[0] = *out != VT_UNDEF;
	return VT_OK;
}

static const vt_iter_ops take_while_ops = {next_take_while, NULL, "itertools.takewhile", 56, NULL};
static const vt_iter_ops skip_while_ops = {next_skip_while, NULL, "itertools.dropwhile", 56, NULL};

vt_status
vt_lib_take_while(vt_args *a, vt_value *out)
{
	return lazily(a, &take_while_ops, a->v[1], out);
}

vt_status
vt_lib_skip_while(vt_args *a, vt_value *out)
{
	return lazily(a, &skip_while_ops, a->v[1], out);
}

/* v[2]: the set of keys seen. */
static vt_status
next_distinct(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_set *seen = vt_as_set(it->v[2]);
	vt_value item, key = VT_UNDEF;
	vt_status st = VT_OK;
	bool fresh = false;
	*out = VT_UNDEF;
	while (VT_EACH(rt, it->v[0], item, st)) {
		st = selected(rt, it->v[1], item, &key);
		if (st == VT_OK)
			st = remember(rt, seen, key, &fresh);
		vt_clear(&key);
		if (st == VT_OK && fresh) {
			*out = item;
			break;
		}
		vt_release(item);
	}
	return st;
}

static const vt_iter_ops distinct_ops = {next_distinct, NULL, "generator", 264, NULL};

vt_status
vt_lib_distinct(vt_args *a, vt_value *out)
{
	vt_iter *it;
	VT_TRY(machine(a, &distinct_ops, a->v[1], &it));
	it->v[2] = vt_mkptr(vt_set_new(a->rt));
	*out = vt_mkptr(it);
	return VT_OK;
}

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

static const vt_iter_ops chain_ops = {next_chain, NULL, "itertools.chain", 48, NULL};
static const vt_iter_ops append_ops = {next_chain, NULL, "generator", 208, NULL};

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
		st = source(a, values[i], &iter);
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

vt_status
vt_lib_append(vt_args *a, vt_value *out)
{
	vt_value more = VT_UNDEF, iter;
	VT_TRY(over_all(a, &append_ops, 1, a->v, out));
	VT_TRY(vt_tuple_of(a->rt, a->nrest, a->rest, &more));
	iter = vt_iter_over(a->rt, more);
	vt_list_push(a->rt, vt_as_list(VT_AS(vt_iter, *out)->v[0]), iter);
	return VT_OK;
}

/* One item of each iterator. *ended: how many had none (the first of them stops a zip). */
static vt_status
row(vt_rt *rt, const vt_list *iters, bool longest, vt_value fill, vt_list *items, uint32_t *ended)
{
	vt_value item;
	*ended = 0;
	for (uint32_t i = 0; i < iters->n; i++) {
		VT_TRY(vt_next(rt, iters->v[i], &item));
		if (item == VT_UNDEF) {
			++*ended;
			if (!longest)
				return VT_OK;
			item = vt_copy(fill);
		}
		vt_list_push(rt, items, item);
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
	st = row(rt, iters, longest, it->v[1], items, &ended);
	it->i[0] = longest ? ended == iters->n : ended > 0;
	if (st == VT_OK && !it->i[0])
		*out = vt_mkptr(items);
	else
		vt_release(vt_mkptr(items));
	return st;
}

static const vt_iter_ops zip_ops = {next_zip, NULL, "zip", 64, NULL};
static const vt_iter_ops zip_longest_ops = {next_zip, NULL, "itertools.zip_longest", 72, NULL};

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

/* v[1]: the number of the next item. */
static vt_status
next_enumerate(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value item;
	vt_list *pair;
	*out = VT_UNDEF;
	VT_TRY(vt_next(rt, it->v[0], &item));
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

static const vt_iter_ops enumerate_ops = {next_enumerate, NULL, "generator", 232, NULL};

vt_status
vt_lib_enumerate(vt_args *a, vt_value *out)
{
	vt_value start = vt_is_bool(a->v[1]) ? vt_mkint(a->v[1] == VT_TRUE) : a->v[1];
	if (start == VT_NULL)
		return vt_raise(
			a->rt, VT_E_TYPE, "'NoneType' object cannot be interpreted as an integer");
	return lazily(a, &enumerate_ops, start, out);
}

/* ---- ranges ---- */

/* v[0] next, v[1] end or VT_UNDEF, v[2] step. Integers of any size. */
static vt_status
next_range(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value next = VT_UNDEF;
	*out = VT_UNDEF;
	if (it->v[1] != VT_UNDEF &&
		vt_num_cmp(it->v[0], it->v[1]) * vt_num_cmp(it->v[2], vt_mkint(0)) >= 0)
		return VT_OK;
	if (!vt_add_fast(it->v[0], it->v[2], &next))
		VT_TRY(vt_num_binary(rt, VT_OP_ADD, it->v[0], it->v[2], &next));
	*out = it->v[0];
	it->v[0] = next;
	return VT_OK;
}

static const vt_iter_ops range_ops = {next_range, NULL, "range_iterator", 48, NULL};
static const vt_iter_ops sequence_ops = {next_range, NULL, "itertools.count", 56, NULL};

static vt_value
as_int(vt_value v)
{
	return vt_is_bool(v) ? vt_mkint(v == VT_TRUE) : vt_copy(v);
}

static vt_value
range(vt_rt *rt, const vt_iter_ops *ops, vt_value from, vt_value to, vt_value step)
{
	vt_iter *it = vt_iter_new(rt, ops);
	it->v[0] = as_int(from);
	it->v[1] = as_int(to);
	it->v[2] = as_int(step);
	return vt_mkptr(it);
}

vt_status
vt_lib_range(vt_args *a, vt_value *out)
{
	*out = range(a->rt, &range_ops, vt_mkint(0), a->v[0], vt_mkint(1));
	return VT_OK;
}

vt_status
vt_lib_range_from(vt_args *a, vt_value *out)
{
	if (vt_num_cmp(a->v[2], vt_mkint(0)) == 0)
		return vt_raise(a->rt, VT_E_VALUE, "range() arg 3 must not be zero");
	*out = range(a->rt, &range_ops, a->v[0], a->v[1], a->v[2]);
	return VT_OK;
}

vt_status
vt_lib_sequence(vt_args *a, vt_value *out)
{
	*out = range(a->rt, &sequence_ops, a->v[0], VT_UNDEF, a->v[1]);
	/* itertools.count() gives its start as it is, unless it counts by one. */
	if (vt_is_bool(a->v[0]) && vt_num_cmp(a->v[1], vt_mkint(1)) != 0)
		VT_AS(vt_iter, *out)->v[0] = a->v[0];
	return VT_OK;
}

/* ---- orderings ---- */

vt_status
vt_lib_order_by(vt_args *a, vt_value *out)
{
	vt_ordering *o = vt_ordering_new(a->rt, a->unit, a->v[1]);
	vt_status st;
	if (vt_is(a->v[0], TUPLE) && is_open_list(a, a->v[0])) {
		o->source = vt_copy(a->v[0]);
		st = VT_OK;
	} else {
		st = source(a, a->v[0], &o->source);
	}
	return vt_settle(st, vt_mkptr(o), out);
}

vt_status
vt_lib_order_by_descending(vt_args *a, vt_value *out)
{
	VT_TRY(vt_lib_order_by(a, out));
	VT_AS(vt_ordering, *out)->down = 1;
	return VT_OK;
}

/* Changes the ordering that it is called on, as the reference does; one that was sorted stays as it
 * is. */
static vt_status
then_by(vt_args *a, uint64_t down, vt_value *out)
{
	vt_ordering *o = VT_AS(vt_ordering, a->v[0]);
	vt_list *keys = vt_as_list(o->keys), *more;
	*out = vt_copy(a->v[0]);
	if (o->sorted != VT_UNDEF)
		return VT_OK;
	if (keys->n >= 64) {
		vt_clear(out);
		return vt_raise(a->rt, VT_E_VALUE, "an ordering has at most 64 keys");
	}
	/* A sort in progress may be using the keys: they are replaced, not extended. */
	more = vt_list_grow(a->rt, VT_K_LIST, keys->n + 1);
	vt_list_extend(a->rt, more, keys->n, keys->v);
	vt_list_push(a->rt, more, vt_copy(a->v[1]));
	o->down |= down << keys->n;
	vt_move(&o->keys, vt_mkptr(more));
	return VT_OK;
}

vt_status
vt_lib_then_by(vt_args *a, vt_value *out)
{
	return then_by(a, 0, out);
}

vt_status
vt_lib_then_by_descending(vt_args *a, vt_value *out)
{
	return then_by(a, 1, out);
}

/* ---- collections kept in memory ---- */

/* Python's Sequence and Set: what the limiter passes on as it is. */
static bool
is_sized(vt_value v)
{
	return vt_is_sequence(v) || vt_is(v, DICT) || vt_is(v, SET) ||
	       (vt_is(v, VIEW) && vt_head_of(v)->aux != VT_VIEW_VALUES);
}

/* What an Iterable parameter is in the reference: a sized collection itself, else an iterator. */
static vt_status
as_iterable(vt_args *a, vt_value v, vt_value *out)
{
	vt_value iter = VT_UNDEF;
	VT_TRY(source(a, v, &iter));
	if (is_sized(v)) {
		vt_release(iter);
		iter = vt_copy(v);
	}
	*out = iter;
	return VT_OK;
}

/* The same, made to be iterated more than once. */
static vt_status
memorized(vt_args *a, vt_value v, vt_value *out)
{
	VT_TRY(as_iterable(a, v, out));
	if (vt_is(*out, ITER))
		*out = vt_memo_new(a->rt, *out);
	return VT_OK;
}

vt_status
vt_lib_memorize(vt_args *a, vt_value *out)
{
	return memorized(a, a->v[0], out);
}

vt_status
vt_lib_default_if_empty(vt_args *a, vt_value *out)
{
	vt_value all = VT_UNDEF, iter = VT_UNDEF, item = VT_UNDEF;
	vt_status st;
	VT_TRY(memorized(a, a->v[0], &all));
	st = vt_iterate(a->rt, all, &iter);
	if (st == VT_OK)
		st = vt_next(a->rt, iter, &item);
	vt_release(iter);
	if (st == VT_OK && item == VT_UNDEF) {
		vt_clear(&all);
		st = as_iterable(a, a->v[1], &all);
	}
	vt_release(item);
	return vt_settle(st, all, out);
}

/* v[0] a tuple; i[0] how many are left of it. */
static vt_status
next_reversed(vt_rt *rt, vt_iter *it, vt_value *out)
{
	*out = it->i[0] > 0 ? vt_copy(vt_as_list(it->v[0])->v[--it->i[0]]) : VT_UNDEF;
	return VT_OK;
}

static const vt_iter_ops reversed_ops = {next_reversed, NULL, "reversed", 48, NULL};

vt_status
vt_lib_reverse(vt_args *a, vt_value *out)
{
	vt_value all = VT_UNDEF;
	vt_iter *it;
	VT_TRY(vt_to_tuple(a->rt, a->unit, a->v[0], &all));
	it = vt_iter_new(a->rt, &reversed_ops);
	it->v[0] = all;
	it->i[0] = vt_as_list(all)->n;
	*out = vt_mkptr(it);
	return VT_OK;
}

/* v[1]: the items so far; v[0] is dropped at its end, then i[0] goes round in v[1]. */
static vt_status
next_cycle(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_list *seen = vt_as_list(it->v[1]);
	*out = VT_UNDEF;
	if (it->v[0] != VT_UNDEF) {
		VT_TRY(vt_next(rt, it->v[0], out));
		if (*out != VT_UNDEF)
			return vt_list_keep(rt, seen, vt_copy(*out));
		vt_clear(&it->v[0]);
	}
	if (seen->n > 0) {
		*out = vt_copy(seen->v[it->i[0]]);
		it->i[0] = (it->i[0] + 1) % seen->n;
	}
	return VT_OK;
}

static const vt_iter_ops cycle_ops = {next_cycle, NULL, "itertools.cycle", 64, NULL};

vt_status
vt_lib_cycle(vt_args *a, vt_value *out)
{
	vt_iter *it;
	VT_TRY(machine(a, &cycle_ops, VT_UNDEF, &it));
	it->v[1] = vt_mkptr(vt_list_grow(a->rt, VT_K_LIST, 4));
	*out = vt_mkptr(it);
	return VT_OK;
}

/* i[0]: how many times more; negative: without an end. */
static vt_status
next_repeat(vt_rt *rt, vt_iter *it, vt_value *out)
{
	*out = VT_UNDEF;
	if (it->i[0] == 0)
		return VT_OK;
	if (it->i[0] > 0)
		it->i[0]--;
	*out = vt_copy(it->v[0]);
	return VT_OK;
}

static const vt_iter_ops repeat_ops = {next_repeat, NULL, "itertools.repeat", 48, NULL};

vt_status
vt_lib_repeat(vt_args *a, vt_value *out)
{
	vt_iter *it;
	int64_t times = vt_int_clamped(a->v[1]);
	/* itertools.repeat() takes a C integer; anything negative has no end. */
	if (times > 0 && !vt_int_fits(a->v[1], &times))
		return vt_raise(
			a->rt, VT_E_OVERFLOW, "Python int too large to convert to C ssize_t");
	it = vt_iter_new(a->rt, &repeat_ops);
	it->v[0] = vt_copy(a->v[0]);
	it->i[0] = times;
	*out = vt_mkptr(it);
	return VT_OK;
}

/* ---- nested collections ---- */

/* v[2]: the iterator of the selector's last answer, when that was a collection. */
static vt_status
next_select_many(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value item, made = VT_UNDEF;
	vt_status st;
	*out = VT_UNDEF;
	for (;;) {
		if (it->v[2] != VT_UNDEF) {
			VT_TRY(vt_next(rt, it->v[2], out));
			if (*out != VT_UNDEF)
				return VT_OK;
			vt_clear(&it->v[2]);
		}
		VT_TRY(vt_next(rt, it->v[0], &item));
		if (item == VT_UNDEF)
			return VT_OK;
		st = vt_apply(rt, it->v[1], 1, &item, &made);
		vt_release(item);
		if (st != VT_OK)
			return st;
		if (!vt_is_iterable(NULL, made)) {
			*out = made;
			return VT_OK;
		}
		st = vt_iterate(rt, made, &it->v[2]);
		vt_clear(&made);
		if (st != VT_OK)
			return st;
	}
}

static const vt_iter_ops select_many_ops = {next_select_many, NULL, "generator", 240, NULL};

vt_status
vt_lib_select_many(vt_args *a, vt_value *out)
{
	return lazily(a, &select_many_ops, a->v[1], out);
}

/* v[3]: a list of these. i[0]: where a right side that is a list stands; such a one needs no
 * iterator. */
enum { JOIN_RIGHT, JOIN_LEFT_ITEM, JOIN_RIGHT_ITER, JOIN_N };

/* The next item of the left side. False: it is over, or failed. */
static bool
next_left(vt_rt *rt, vt_iter *it, vt_value *left, vt_status *st)
{
	vt_clear(left);
	*st = vt_next(rt, it->v[0], left);
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

static const vt_iter_ops join_ops = {next_join, NULL, "generator", 272, NULL};

vt_status
vt_lib_join_collections(vt_args *a, vt_value *out)
{
	vt_list *state;
	vt_iter *it;
	vt_status st;
	if (vt_can_look_up(a->rt, a->v[0], a->v[1], a->v[2]))
		return vt_join_by_key(a, out);
	VT_TRY(machine(a, &join_ops, a->v[2], &it));
	it->v[2] = vt_copy(a->v[3]);
	state = vt_list_new(a->rt, VT_K_LIST, JOIN_N);
	it->v[3] = vt_mkptr(state);
	st = memorized(a, a->v[1], &state->v[JOIN_RIGHT]);
	return vt_settle(st, vt_mkptr(it), out);
}

/* ---- positions ---- */

/* The first or last position whose element equals v[1], or for which the lambda v[1] is true; -1.
 */
static vt_status
position(vt_args *a, bool by_lambda, bool last, vt_value *out)
{
	vt_value iter = VT_UNDEF, item;
	vt_status st = VT_OK;
	int64_t found = -1;
	bool yes = false;
	VT_TRY(source(a, a->v[0], &iter));
	for (int64_t i = 0; (last || found < 0) && VT_EACH(a->rt, iter, item, st); i++) {
		if (by_lambda)
			st = test(a->rt, a->v[1], item, &yes);
		else
			yes = vt_equal(a->rt, item, a->v[1]);
		if (st == VT_OK && yes)
			found = i;
		vt_release(item);
	}
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
POSITION(index_of, false, false)
POSITION(last_index_of, false, true)
POSITION(index_where, true, false)
POSITION(last_index_where, true, true)

/* ---- pieces ---- */

static vt_value
piece(vt_rt *rt, enum vt_kind kind, const vt_list *l, int64_t from, int64_t to)
{
	vt_list *made = vt_list_grow(rt, kind, to > from ? (uint32_t)(to - from) : 0);
	for (; from < to; from++)
		vt_list_push(rt, made, vt_copy(l->v[from]));
	return vt_mkptr(made);
}

static vt_status
in_pieces(vt_args *a, const vt_iter_ops *ops, vt_value *out)
{
	vt_iter *it;
	VT_TRY(machine(a, ops, a->v[1], &it));
	it->i[2] = vt_list_kind(a->unit);
	*out = vt_mkptr(it);
	return VT_OK;
}

/* v[1]: the length; i[2]: the kind of the pieces. */
static vt_status
next_slice(vt_rt *rt, vt_iter *it, vt_value *out)
{
	int64_t length;
	vt_list *l;
	vt_value item;
	vt_status st = VT_OK;
	*out = VT_UNDEF;
	VT_TRY(slice_count(rt, it->v[1], "Stop argument", &length));
	l = vt_list_grow(rt, (enum vt_kind)it->i[2], 4);
	while (l->n < length && VT_EACH(rt, it->v[0], item, st))
		st = vt_list_keep(rt, l, item);
	if (st == VT_OK && l->n > 0)
		*out = vt_mkptr(l);
	else
		vt_release(vt_mkptr(l));
	return st;
}

static const vt_iter_ops slice_ops = {next_slice, NULL, "generator", 248, NULL};

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
		VT_TRY(test(rt, it->v[1], l->v[at], &yes));
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

/* ---- accumulate, generate ---- */

/* v[2]: the seed, VT_NOVALUE without one; later the value so far. i[0]: the first value was given.
 */
static vt_status
next_accumulate(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value argv[2], next = VT_UNDEF;
	vt_status st;
	*out = VT_UNDEF;
	if (!it->i[0] && it->v[2] == VT_NOVALUE) {
		VT_TRY(vt_next(rt, it->v[0], &next));
		if (next == VT_UNDEF)
			return vt_raise(rt, VT_E_TYPE,
				"accumulate() of empty sequence with no initial value");
		it->v[2] = next;
	} else if (it->i[0]) {
		VT_TRY(vt_next(rt, it->v[0], &argv[1]));
		if (argv[1] == VT_UNDEF)
			return VT_OK;
		argv[0] = it->v[2];
		st = vt_apply(rt, it->v[1], 2, argv, &next);
		vt_release(argv[1]);
		if (st != VT_OK)
			return st;
		vt_move(&it->v[2], next);
	}
	it->i[0] = 1;
	*out = vt_copy(it->v[2]);
	return VT_OK;
}

static const vt_iter_ops accumulate_ops = {next_accumulate, NULL, "generator", 256, NULL};

vt_status
vt_lib_accumulate(vt_args *a, vt_value *out)
{
	vt_iter *it;
	VT_TRY(machine(a, &accumulate_ops, a->v[1], &it));
	it->v[2] = vt_copy(a->v[2]);
	*out = vt_mkptr(it);
	return VT_OK;
}

static void
drop_past(vt_iter *it)
{
	if (it->p != NULL)
		vt_release(vt_mkptr(it->p));
}

/* With decycle: is the item new? */
static vt_status
is_new(vt_rt *rt, vt_iter *it, vt_value item, bool *yes)
{
	*yes = true;
	return it->p == NULL ? VT_OK : remember(rt, it->p, item, yes);
}

/* v: the current value, predicate, producer, selector; i[0]: how far it is. */
enum { GENERATE_START, GENERATE_RUN, GENERATE_END };

static vt_status
next_generate(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value next = VT_UNDEF;
	bool yes = false, fresh = true;
	vt_status st = VT_OK;
	*out = VT_UNDEF;
	if (it->i[0] == GENERATE_END)
		return VT_OK;
	if (it->i[0] == GENERATE_RUN) {
		st = vt_apply(rt, it->v[2], 1, &it->v[0], &next);
		if (st == VT_OK)
			vt_move(&it->v[0], next);
	}
	it->i[0] = GENERATE_END;
	if (st == VT_OK)
		st = test(rt, it->v[1], it->v[0], &yes);
	if (st == VT_OK && yes)
		st = is_new(rt, it, it->v[0], &fresh);
	if (st != VT_OK || !yes || !fresh)
		return st;
	VT_TRY(selected(rt, it->v[3], it->v[0], out));
	it->i[0] = GENERATE_RUN;
	return VT_OK;
}

static const vt_iter_ops generate_ops = {next_generate, drop_past, "generator", 264, NULL};

vt_status
vt_lib_generate(vt_args *a, vt_value *out)
{
	vt_iter *it = vt_iter_new(a->rt, &generate_ops);
	for (size_t i = 0; i < 4; i++)
		it->v[i] = vt_copy(a->v[i]);
	it->p = a->v[4] == VT_TRUE ? vt_set_new(a->rt) : NULL;
	*out = vt_mkptr(it);
	return VT_OK;
}

/*
 * v: the list of what is to come, producer, selector, the item whose children are not there yet.
 * Breadth first it is a queue whose head is i[0]; depth first (i[1]) a stack whose top is the
 * list's end.
 */
/*
 * The reference has a deque here, and its size tells where in a block it begins: i[2].  An empty
 * one that is extended begins at 1; a stack turns until what came last stands in front.
 */
static vt_status
quota_of_queue(vt_rt *rt, vt_iter *it, uint32_t added)
{
	int64_t n = vt_as_list(it->v[0])->n - it->i[0], turn;
	if (n == added)
		it->i[2] = 1;
	/* deque.rotate() turns the shorter way */
	turn = added > n / 2 ? (n ? added % n : 0) : added;
	if (turn > n / 2)
		turn -= n;
	if (it->i[1])
		it->i[2] = ((it->i[2] - turn) % 64 + 64) % 64;
	return vt_quota_bytes(rt, (double)vt_py_deque_size(n, it->i[2]));
}

static vt_status
next_children(vt_rt *rt, vt_iter *it)
{
	vt_list *l = vt_as_list(it->v[0]);
	vt_value made = VT_UNDEF, iter = VT_UNDEF, item;
	uint32_t from = l->n, before = from;
	vt_status st = vt_apply(rt, it->v[1], 1, &it->v[3], &made);
	if (st == VT_OK)
		st = vt_iterate(rt, made, &iter);
	while (VT_EACH(rt, iter, item, st))
		st = vt_list_keep(rt, l, item);
	vt_release(iter);
	vt_release(made);
	for (uint32_t to = l->n; it->i[1] && from + 1 < to; from++) {
		vt_value v = l->v[from];
		l->v[from] = l->v[--to];
		l->v[to] = v;
	}
	if (st == VT_OK && vt_metered(rt))
		st = quota_of_queue(rt, it, l->n - before);
	return st;
}

static vt_value
next_in_queue(vt_iter *it)
{
	vt_list *l = vt_as_list(it->v[0]);
	vt_value v;
	if (it->i[1])
		return l->n > 0 ? l->v[--l->n] : VT_UNDEF;
	if (it->i[0] >= l->n)
		return VT_UNDEF;
	v = l->v[it->i[0]];
	l->v[it->i[0]++] = VT_UNDEF;
	if (it->i[0] >= 1024 && it->i[0] * 2 >= l->n) {
		for (uint32_t i = 0; i + it->i[0] < l->n; i++)
			l->v[i] = l->v[i + it->i[0]];
		l->n -= (uint32_t)it->i[0];
		it->i[0] = 0;
	}
	return v;
}

static vt_status
next_generate_many(vt_rt *rt, vt_iter *it, vt_value *out)
{
	bool fresh = false;
	vt_value item;
	*out = VT_UNDEF;
	if (it->v[3] != VT_UNDEF) {
		vt_status st = next_children(rt, it);
		vt_clear(&it->v[3]);
		if (st != VT_OK)
			return st;
	}
	while (!fresh) {
		item = next_in_queue(it);
		if (item == VT_UNDEF)
			return VT_OK;
		it->i[2] = (it->i[2] + 1) % 64;
		vt_move(&it->v[3], item);
		VT_TRY(is_new(rt, it, item, &fresh));
	}
	return selected(rt, it->v[2], it->v[3], out);
}

static const vt_iter_ops generate_many_ops = {
	next_generate_many, drop_past, "generator", 296, NULL};

vt_status
vt_lib_generate_many(vt_args *a, vt_value *out)
{
	vt_iter *it = vt_iter_new(a->rt, &generate_many_ops);
	vt_list *l = vt_list_grow(a->rt, VT_K_LIST, 4);
	vt_list_push(a->rt, l, vt_copy(a->v[0]));
	it->v[0] = vt_mkptr(l);
	it->v[1] = vt_copy(a->v[1]);
	it->v[2] = vt_copy(a->v[2]);
	it->p = a->v[3] == VT_TRUE ? vt_set_new(a->rt) : NULL;
	it->i[1] = a->v[4] == VT_TRUE;
	*out = vt_mkptr(it);
	return VT_OK;
}

/* ---- groups ---- */

/* Adds to the list of the key. The dict holds the only reference to it. */
static vt_status
add_to_group(vt_rt *rt, vt_dict *groups, vt_value key, vt_value value)
{
	vt_value l = vt_dict_get(groups, key);
	vt_status st;
	if (l == VT_UNDEF) {
		l = vt_mkptr(vt_list_grow(rt, VT_K_LIST, 4));
		st = vt_dict_set(rt, groups, key, l);
		vt_release(l);
		if (st == VT_OK)
			st = bounded(rt, vt_dict_len(groups));
		if (st != VT_OK)
			return st;
	}
	return vt_list_keep(rt, vt_as_list(l), vt_copy(value));
}

static vt_status
group(vt_args *a, vt_value item, vt_dict *groups, bool *strings)
{
	vt_value key = VT_UNDEF, value = VT_UNDEF;
	vt_status st = selected(a->rt, a->v[2], item, &value);
	if (st == VT_OK)
		st = vt_apply(a->rt, a->v[1], 1, &item, &key);
	if (st == VT_OK)
		st = add_to_group(a->rt, groups, key, value);
	if (st == VT_OK && vt_metered(a->rt))
		st = vt_quota_dict(a->rt, groups, key, strings);
	vt_release(key);
	vt_release(value);
	return st;
}

/* Errors after which the aggregator may be one that wants the pair of key and values: YAQL 1.1.1
 * gave it that. */
static bool
may_fall_back(vt_rt *rt)
{
	const vt_exc *e = vt_pending(rt);
	return e != NULL && (e->type == VT_E_NO_MATCHING_METHOD ||
				    e->type == VT_E_NO_MATCHING_FUNCTION || e->type == VT_E_INDEX);
}

/* Looks the result as if the aggregator made a pair of key and value from the values alone, by
 * chance? */
static bool
looks_old(vt_rt *rt, const vt_list *values, vt_value r)
{
	return values->n == 2 && vt_is_sequence(r) && vt_as_list(r)->n == 2 &&
	       vt_equal(rt, vt_as_list(r)->v[0], values->v[0]);
}

/* v[2]: the first such error; i[0]: there is no way back. */
static vt_status
aggregated(vt_rt *rt, vt_iter *it, const vt_value *kv, vt_value *out)
{
	vt_value pair[2] = {kv[0], VT_UNDEF};
	vt_status st = vt_apply(rt, it->v[1], 1, &kv[1], &pair[1]);
	if (st != VT_OK) {
		if (may_fall_back(rt))
			it->v[2] = vt_exc_take(rt);
		return st;
	}
	if (!looks_old(rt, vt_as_list(kv[1]), pair[1]))
		it->i[0] = 1;
	st = vt_tuple_of(rt, 2, pair, out);
	vt_release(pair[1]);
	return st;
}

/* With the pair; any failure of it gives way to the first error. */
static vt_status
aggregated_pair(vt_rt *rt, vt_iter *it, vt_value pair, vt_value *out)
{
	vt_value r = VT_UNDEF;
	int64_t n = -1;
	vt_status st = it->i[0] ? VT_ERROR : vt_apply(rt, it->v[1], 1, &pair, &r);
	if (st == VT_OK && vt_len(rt, r, &n) == VT_OK && n == 2) {
		*out = r;
		return VT_OK;
	}
	vt_release(r);
	vt_exc_clear(rt);
	vt_exc_set(rt, vt_copy(it->v[2]));
	return VT_ERROR;
}

static vt_status
next_group(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value pair;
	vt_status st = VT_ERROR;
	*out = VT_UNDEF;
	VT_TRY(vt_next(rt, it->v[0], &pair));
	if (pair == VT_UNDEF || !vt_is(it->v[1], LAMBDA)) {
		*out = pair;
		return VT_OK;
	}
	if (it->v[2] == VT_UNDEF)
		st = aggregated(rt, it, vt_as_list(pair)->v, out);
	if (st != VT_OK && it->v[2] != VT_UNDEF)
		st = aggregated_pair(rt, it, pair, out);
	vt_release(pair);
	return st;
}

static const vt_iter_ops group_ops = {next_group, NULL, "map", 48, NULL};

/* An iterator over the items of a dict that is given away. */
static vt_status
iterate_items(vt_rt *rt, vt_dict *d, vt_value *out)
{
	vt_view_obj *view = vt_alloc(rt, sizeof *view, VT_K_VIEW);
	vt_status st;
	view->h.aux = VT_VIEW_ITEMS;
	view->dict = vt_mkptr(d);
	st = vt_iterate(rt, vt_mkptr(view), out);
	vt_release(vt_mkptr(view));
	return st;
}

/* Groups whose keys are texts, by their hash: the dict is asked the first time only. */
enum { NEAR = 64 };
typedef struct near_groups {
	const vt_str *key[NEAR]; /* borrowed from the dict; NULL: none */
	vt_list *list[NEAR];
} near_groups;

static inline bool
same_bytes(const vt_str *x, const vt_str *y)
{
	return x->bytes == y->bytes && vt_str_hash(x) == vt_str_hash(y) &&
	       memcmp(x->s, y->s, x->bytes) == 0;
}

static vt_status
add_near(vt_rt *rt, near_groups *near, vt_dict *groups, vt_value key, vt_value value)
{
	const vt_str *s = vt_as_str(key);
	uint32_t at;
	if (!vt_is(key, STR))
		return add_to_group(rt, groups, key, value);
	at = (uint32_t)vt_str_hash(s) % NEAR;
	if (near->key[at] == NULL || !same_bytes(near->key[at], s)) {
		VT_TRY(add_to_group(rt, groups, key, value));
		near->key[at] = s;
		near->list[at] = vt_as_list(vt_dict_get(groups, key));
		return VT_OK;
	}
	return vt_list_keep(rt, near->list[at], vt_copy(value));
}

/* Those of the list's items, from *at on, that the tables of both lambdas are for. */
static vt_status
group_columns(vt_args *a, const vt_list *l, uint32_t *at, const vt_terms *const *t,
	vt_batch *const *s, near_groups *near, vt_dict *groups)
{
	uint32_t n = l->n - *at < VT_BULK ? l->n - *at : VT_BULK;
	const vt_value *key, *value = l->v + *at;
	vt_status st = VT_OK;
	n = vt_batch_fill_list(s[0], t[0], n, value, l->n - *at - n);
	if (t[1] != NULL && n > 0) {
		n = vt_batch_fill_known(s[1], t[1], n, value, NULL, s[0]->known[0], NULL);
		value = vt_batch_column(s[1], t[1]);
	}
	key = vt_batch_column(s[0], t[0]);
	for (uint32_t i = 0; st == VT_OK && i < n; i++)
		st = add_near(a->rt, near, groups, key[i], value[i]);
	*at += n;
	return st;
}

static vt_status
group_list(vt_args *a, vt_dict *groups)
{
	const vt_list *l = vt_as_list(a->v[0]);
	const vt_terms *t[2] = {vt_terms_of(a->rt, a->v[1], 1), vt_terms_of(a->rt, a->v[2], 1)};
	vt_batch *s[2] = {vt_batch_new(a->rt), vt_batch_new(a->rt)};
	near_groups near = {.key = {NULL}};
	bool tables = vt_terms_are_column(t[0]) &&
		      (!vt_is(a->v[2], LAMBDA) || vt_terms_are_column(t[1])),
	     strings = true;
	vt_status st = VT_OK;
	for (uint32_t at = 0; st == VT_OK && at < l->n;) {
		uint32_t from = at;
		if (tables)
			st = group_columns(a, l, &at, t, s, &near, groups);
		if (st == VT_OK && at == from)
			st = group(a, l->v[at++], groups, &strings);
	}
	vt_batch_free(s[0]);
	vt_batch_free(s[1]);
	return st;
}

static vt_status
group_pulled(vt_args *a, vt_dict *groups)
{
	vt_value iter = VT_UNDEF, item;
	vt_status st;
	bool strings = true;
	vt_pull p;
	VT_TRY(source(a, a->v[0], &iter));
	vt_pull_open(&p, a->rt, iter);
	st = VT_OK;
	while (VT_PULL_EACH(&p, item, st)) {
		st = group(a, item, groups, &strings);
		vt_release(item);
	}
	vt_pull_close(&p);
	vt_release(iter);
	return st;
}

vt_status
vt_lib_group_by(vt_args *a, vt_value *out)
{
	vt_dict *groups = vt_dict_new_hashed(a->rt, false);
	vt_status st = (is_open_list(a, a->v[0]) ? group_list : group_pulled)(a, groups);
	vt_iter *it;
	if (st != VT_OK) {
		vt_release(vt_mkptr(groups));
		return st;
	}
	it = vt_iter_new(a->rt, &group_ops);
	it->v[1] = vt_copy(a->v[3]);
	*out = vt_mkptr(it);
	return iterate_items(a->rt, groups, &it->v[0]);
}

/* ---- mergeWith ---- */

typedef struct merging {
	vt_args *a;
	vt_value lists, items;
} merging;

static const char *
class_name(vt_value v)
{
	const char *name = vt_py_type(v);
	return vt_is(v, DICT) && (vt_head_of(v)->flags & VT_F_FROZEN)
		       ? "yaql.language.utils.FrozenDict"
		       : name;
}

static vt_status
cannot_merge(vt_rt *rt, vt_value x, vt_value y)
{
	return vt_raise(rt, VT_E_TYPE, "Cannot merge <class '%s'> with <class '%s'>", class_name(x),
		class_name(y));
}

/* Without a merger of lists: the distinct elements of both, by toList(). */
static vt_status
merge_lists(const merging *m, vt_value x, vt_value y, vt_value *out)
{
	vt_rt *rt = m->a->rt;
	vt_value argv[2] = {x, y};
	vt_set *seen;
	vt_list *l;
	vt_status st = VT_OK;
	if (vt_is(m->lists, LAMBDA))
		return vt_apply(rt, m->lists, 2, argv, out);
	if (VT_KIND(x) != VT_KIND(y))
		return vt_raise(rt, VT_E_TYPE, "can only concatenate %s (not \"%s\") to %s",
			vt_py_type(x), vt_py_type(y), vt_py_type(x));
	if (vt_metered(rt))
		VT_TRY(vt_quota_bytes(rt, distinct_ops.size));
	seen = vt_set_new(rt);
	l = vt_list_grow(rt, vt_list_kind(m->a->unit), vt_as_list(x)->n + vt_as_list(y)->n);
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < vt_as_list(argv[k])->n && st == VT_OK; i++) {
			uint32_t before = vt_set_len(seen);
			st = vt_set_add(rt, seen, vt_as_list(argv[k])->v[i]);
			if (vt_set_len(seen) > before)
				vt_list_push(rt, l, vt_copy(vt_as_list(argv[k])->v[i]));
		}
	if (st == VT_OK && vt_metered(rt) && (st = vt_quota_set(rt, seen)) == VT_OK)
		st = vt_quota_value(rt, vt_mkptr(l));
	vt_release(vt_mkptr(seen));
	return vt_settle(st, vt_mkptr(l), out);
}

static vt_status merge_dicts(
	const merging *, vt_value x, vt_value y, int64_t levels, vt_value *out);

static vt_status
merge_values(const merging *m, vt_value x, vt_value y, int64_t levels, vt_value *out)
{
	vt_value argv[2] = {x, y};
	vt_rt *rt = m->a->rt;
	if (levels != 1 && vt_is(y, DICT))
		return vt_is(x, DICT) ? merge_dicts(m, x, y, levels == 0 ? 0 : levels - 1, out)
				      : cannot_merge(rt, x, y);
	if (levels != 1 && vt_is_sequence(y))
		return vt_is_sequence(x) ? merge_lists(m, x, y, out) : cannot_merge(rt, x, y);
	if (vt_is(m->items, LAMBDA))
		return vt_apply(rt, m->items, 2, argv, out);
	*out = vt_copy(y);
	return VT_OK;
}

static vt_status
merge_into(const merging *m, vt_value x, vt_value y, int64_t levels, vt_dict *d)
{
	vt_rt *rt = m->a->rt;
	vt_value key, v, other, made = VT_UNDEF;
	vt_status st;
	for (uint32_t pos = 0; vt_dict_at(vt_as_dict(x), &pos, &key, &v);) {
		other = vt_dict_get(vt_as_dict(y), key);
		if (other == VT_UNDEF)
			made = vt_copy(v);
		else
			VT_TRY(merge_values(m, v, other, levels, &made));
		st = vt_dict_set(rt, d, key, made);
		vt_clear(&made);
		VT_TRY(st);
	}
	for (uint32_t pos = 0; vt_dict_at(vt_as_dict(y), &pos, &key, &v);)
		if (vt_dict_get(d, key) == VT_UNDEF)
			VT_TRY(vt_dict_set(rt, d, key, v));
	return VT_OK;
}

static vt_status
merge_dicts(const merging *m, vt_value x, vt_value y, int64_t levels, vt_value *out)
{
	vt_rt *rt = m->a->rt;
	vt_dict *d;
	vt_status st;
	if (vt_too_deep(rt))
		return vt_raise(rt, VT_E_RECURSION, "maximum recursion depth exceeded");
	rt->depth++;
	d = vt_dict_new(rt, false);
	st = merge_into(m, x, y, levels, d);
	rt->depth--;
	return vt_settle(st, vt_mkptr(d), out);
}

vt_status
vt_lib_merge_with(vt_args *a, vt_value *out)
{
	return merge_dicts(
		&(merging){a, a->v[2], a->v[3]}, a->v[0], a->v[1], vt_int_clamped(a->v[4]), out);
}

vt_status
vt_lib_is_iterable(vt_args *a, vt_value *out)
{
	*out = vt_mkbool(vt_is_iterable(NULL, a->v[0]));
	return VT_OK;
}
