/*
 * queries.c - rows of lib/queries.fn: filters, counts, single elements, folds, orderings and what
 * is kept in memory.  query.h says how they are made.
 */
#include "runtime/lib/query.h"
#include "runtime/seq/lambda_program.h"
#include "registry.h"
#include "runtime/call/call.h"
#include "runtime/task/task.h"

/* ---- what the rest is made of ---- */

/* The iterator of an Iterable argument. An ordering is sorted when its first element is wanted, not
 * before. */
vt_status
vt_query_source(vt_args *a, vt_value v, vt_value *iter)
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
vt_status
vt_query_machine(vt_args *a, const vt_iter_ops *ops, vt_value lambda, vt_iter **out)
{
	vt_value iter = VT_UNDEF;
	VT_TRY(vt_query_source(a, a->v[0], &iter));
	*out = vt_iter_new(a->rt, ops);
	(*out)->v[0] = iter;
	(*out)->v[1] = vt_copy(lambda);
	return VT_OK;
}

vt_status
vt_query_lazily(vt_args *a, const vt_iter_ops *ops, vt_value lambda, vt_value *out)
{
	vt_iter *it;
	VT_TRY(vt_query_machine(a, ops, lambda, &it));
	*out = vt_mkptr(it);
	return VT_OK;
}

/* ---- filters and selections ---- */

/* The next item for which the predicate v[1] is true. */
static vt_status
next_where(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value item;
	vt_status st = VT_OK;
	bool yes = false;
	*out = VT_UNDEF;
	while (VT_EACH(rt, it->v[0], item, st)) {
		st = vt_query_test(rt, it->v[1], item, &yes);
		if (st == VT_OK && yes) {
			*out = item;
			break;
		}
		vt_release(item);
	}
	return st;
}

static const vt_iter_ops where_ops = {next_where, NULL, "filter", 48, NULL};

vt_status
vt_lib_where(vt_args *a, vt_value *out)
{
	return vt_query_lazily(a, &where_ops, a->v[1], out);
}

vt_status
vt_lib_select(vt_args *a, vt_value *out)
{
	return vt_query_lazily(a, &vt_map_ops, a->v[1], out);
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
	VT_TRY(vt_query_machine(a, &member_ops, a->v[1], &it));
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
	if (vt_query_is_open_list(a, a->v[0])) {
		*out = vt_mkint(vt_as_list(a->v[0])->n);
		return VT_OK;
	}
	VT_TRY(vt_query_source(a, a->v[0], &iter));
	n = vt_chain_pass(iter);
	vt_pull_open_still(&p, a->rt, iter);
	p.counts = true;
	while (VT_PULL_EACH(&p, item, st)) {
		vt_release(item);
		n++;
	}
	vt_pull_close(&p);
	vt_release(iter);
	*out = st == VT_OK ? vt_mkint(n) : VT_UNDEF;
	return st;
}

/* Is one of the n answers as wanted? */
static bool
column_has(const vt_batch *s, const vt_lambda_program *t, uint32_t n, bool wanted)
{
	const vt_value *v = vt_batch_column(s, t);
	vt_value other = vt_mkbool(!wanted);
	for (uint32_t i = 0; i < n; i++)
		if ((v == NULL || v[i] != other) && vt_batch_true(s, t, i) == wanted)
			return true;
	return false;
}

/* The same of a list whose predicate is a lambda program. */
static vt_status
search_list(vt_args *a, const vt_lambda_program *t, bool wanted, bool *found)
{
	const vt_list *l = vt_as_list(a->v[0]);
	vt_batch *s = vt_batch_new(a->rt, vt_scope_of(a->v[1]));
	vt_status st = VT_OK;
	bool yes = false;
	s->still = true;
	for (uint32_t at = 0; st == VT_OK && !*found && at < l->n;) {
		uint32_t n = vt_batch_fill_next(s, t, l, &at);
		*found = column_has(s, t, n, wanted);
		if (n == 0) {
			st = vt_query_test(a->rt, a->v[1], l->v[at++], &yes);
			*found = st == VT_OK && yes == wanted;
		}
	}
	vt_batch_free(s);
	return st;
}

/* The same of items that the iterator has at once: how many were looked at. */
static uint32_t
search_pulled(vt_pull *p, const vt_lambda_program *t, vt_scope *scope, bool wanted, bool *found)
{
	uint32_t n = vt_pull_ahead(p);
	vt_batch *s;
	if (n == 0)
		return 0;
	s = vt_batch_new(p->rt, scope);
	n = vt_batch_fill_list(s, t, n, p->item + p->at, 0);
	*found = n > 0 && column_has(s, t, n, wanted);
	vt_batch_free(s);
	for (uint32_t i = 0; i < n; i++)
		vt_release(p->item[p->at++]);
	return n;
}

/* The first element whose truth, or the predicate's answer for it, is as wanted. */
static vt_status
search(vt_args *a, bool wanted, bool *found)
{
	vt_value iter = VT_UNDEF, item;
	const vt_lambda_program *t = vt_lambda_program_of(a->rt, a->v[1], 1);
	vt_status st = VT_OK;
	bool yes = false;
	vt_pull p;
	*found = false;
	if (t != NULL && vt_query_is_open_list(a, a->v[0]))
		return search_list(a, t, wanted, found);
	VT_TRY(vt_query_source(a, a->v[0], &iter));
	vt_query_pull(a, a->v[0], iter, &p);
	p.singly |= t == NULL || !vt_program_is_closed(a->rt, t, vt_scope_of(a->v[1]));
	while (!*found && st == VT_OK) {
		if (!p.singly && search_pulled(&p, t, vt_scope_of(a->v[1]), wanted, found) > 0)
			continue;
		if ((st = vt_pull_next(&p, &item)) != VT_OK || item == VT_UNDEF)
			break;
		if (vt_is(a->v[1], LAMBDA))
			st = vt_query_test(a->rt, a->v[1], item, &yes);
		else
			/* any() without a predicate asks only for an element */
			yes = wanted || vt_truth(item);
		*found = st == VT_OK && yes == wanted;
		vt_release(item);
	}
	vt_pull_close(&p);
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

/* With what stands for an item that is not there. */
static inline vt_value
quick_item(const vt_value *v, bool last)
{
	const vt_list *l = vt_as_list(v[0]);
	if (!vt_is_sequence(v[0]))
		return VT_UNDEF;
	if (l->n > 0)
		return vt_copy(l->v[last ? l->n - 1 : 0]);
	return v[1] == VT_NOVALUE ? VT_UNDEF : vt_copy(v[1]);
}

vt_value
vt_quick_first(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	return quick_item(v, false);
}

vt_value
vt_quick_last(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	return quick_item(v, true);
}

vt_status
vt_lib_first(vt_args *a, vt_value *out)
{
	vt_value iter = VT_UNDEF;
	vt_status st;
	if (vt_query_is_open_list(a, a->v[0])) {
		const vt_list *l = vt_as_list(a->v[0]);
		*out = l->n > 0 ? vt_copy(l->v[0]) : VT_UNDEF;
		return or_default(a, out);
	}
	VT_TRY(vt_query_source(a, a->v[0], &iter));
	st = vt_next(a->rt, iter, out);
	vt_release(iter);
	return st == VT_OK ? or_default(a, out) : st;
}

vt_status
vt_lib_last(vt_args *a, vt_value *out)
{
	vt_value iter = VT_UNDEF, item, last = VT_UNDEF;
	vt_status st = VT_OK;
	vt_pull p;
	if (!vt_query_is_open_list(a, a->v[0]))
		VT_TRY(vt_query_source(a, a->v[0], &iter));
	if (vt_is_sequence(a->v[0])) {
		const vt_list *l = vt_as_list(a->v[0]);
		last = l->n > 0 ? vt_copy(l->v[l->n - 1]) : VT_UNDEF;
	} else {
		vt_pull_open_still(&p, a->rt, iter);
		while (VT_PULL_EACH(&p, item, st))
			vt_move(&last, item);
		vt_pull_close(&p);
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
	VT_TRY(vt_query_source(a, a->v[0], &iter));
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
	vt_fold *many; /* the lambda for many items at a time; or NULL */
} fold;
enum { FOLD_CALL = -1, FOLD_MIN = -2, FOLD_MAX = -3 };

/* What has been made so far is the lambda's to change, where it is done with it. */
static vt_value
spare_of(const fold *f, vt_value sum)
{
	return vt_is_ptr(sum) && !vt_metered(f->a->rt) && !f->a->rt->s->host_hides ? sum : VT_UNDEF;
}

static vt_status
fold_by_lambda(const fold *f, const vt_value *argv, vt_value *out)
{
	vt_session *s = f->a->rt->s;
	vt_value was = s->spare;
	vt_status st;
	s->spare = spare_of(f, argv[0]);
	st = vt_apply(f->a->rt, f->lambda, 2, argv, out);
	s->spare = was;
	return st;
}

/* Tuples and dicts that nobody else holds grow where they are. */
static bool
grows(const fold *f, vt_value x, vt_value y, vt_status *st, vt_value *out)
{
	vt_rt *rt = f->a->rt;
	vt_value key, v;
	if (f->op != VT_OP_ADD || rt->s->host_hides || vt_metered(rt) || !vt_is_ptr(x) ||
		vt_head_of(x)->rc != 1 || x == y || f->a->unit == NULL ||
		f->a->unit->opt.limit_iterators >= 0)
		return false;
	if (vt_chain_extend(f->a, x, y, st)) {
		if (*st == VT_OK)
			*out = vt_copy(x);
		return true;
	}
	if (!((vt_is(x, TUPLE) && vt_is(y, TUPLE)) || (vt_is(x, DICT) && vt_is(y, DICT))))
		return false;
	*st = VT_OK;
	if (vt_is(x, TUPLE))
		*st = vt_extend_tuple(rt, vt_as_list(x), vt_as_list(y));
	for (uint32_t pos = 0;
		vt_is(x, DICT) && *st == VT_OK && vt_dict_at(vt_as_dict(y), &pos, &key, &v);)
		*st = vt_dict_set(rt, vt_as_dict(x), key, v);
	if (*st == VT_OK)
		*out = vt_copy(x);
	return true;
}

/* Is y greater than x?  *known: they are texts, or instants of one zone. */
static bool
is_greater(vt_value y, vt_value x, bool *known)
{
	const vt_datetime *a, *b;
	*known = true;
	if (vt_is(x, STR) && vt_is(y, STR))
		return vt_str_cmp(vt_as_str(y), vt_as_str(x)) > 0;
	*known = vt_is(x, DATETIME) && vt_is(y, DATETIME);
	if (!*known)
		return false;
	a = VT_AS(vt_datetime, x);
	b = VT_AS(vt_datetime, y);
	*known = a->offset == b->offset && a->naive == b->naive && a->h.aux != VT_DATE_ONLY &&
		 b->h.aux != VT_DATE_ONLY;
	return b->us > a->us;
}

/* Numbers and what is_greater() knows take the way that the call would end at. */
static vt_status
combine(const fold *f, vt_value x, vt_value y, vt_value *out)
{
	vt_value argv[2] = {x, y};
	vt_args *a = f->a;
	vt_status st;
	if (f->lambda != VT_NULL)
		return fold_by_lambda(f, argv, out);
	if (f->op != FOLD_CALL && vt_is_number(x) && vt_is_number(y)) {
		if (f->op == VT_OP_ADD)
			return vt_num_binary(a->rt, VT_OP_ADD, x, y, out);
		*out = vt_copy((vt_num_cmp(y, x) == 1) == (f->op == FOLD_MAX) ? y : x);
		return VT_OK;
	}
	if (f->op == FOLD_MIN || f->op == FOLD_MAX) {
		bool known, greater = is_greater(y, x, &known);
		if (known) {
			*out = vt_copy(greater == (f->op == FOLD_MAX) ? y : x);
			return VT_OK;
		}
	}
	if (grows(f, x, y, &st, out))
		return st;
	return vt_call_name(a->rt, a->scope, a->unit, f->name, 2, argv, out);
}

/* Takes small integers in place; how many there were. */
static uint32_t
fold_small(const fold *f, uint32_t n, const vt_value *items, vt_value *sum)
{
	uint32_t i = 0;
	if (f->op == FOLD_CALL || f->a->rt->s->host_hides)
		return 0;
	if (f->op == VT_OP_ADD && vt_is_float(*sum) && n > 0 && vt_is_float(items[0])) {
		double total = vt_float_of(*sum);
		for (; i < n && vt_is_float(items[i]); i++)
			total += vt_float_of(items[i]);
		vt_move(sum, vt_mkfloat(f->a->rt, total));
	}
	if (f->op != VT_OP_ADD && vt_is_float_word(*sum)) {
		bool up = f->op == FOLD_MAX; /* as combine() has it, for NaN and -0.0 too */
		for (; i < n && vt_is_float_word(items[i]); i++)
			if ((vt_float_of_word(items[i]) > vt_float_of_word(*sum)) == up)
				*sum = items[i];
		return i;
	}
	if (!vt_is_int(*sum))
		return i;
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
	if (fold_small(f, 1, &item, sum) == 1) {
		vt_release(item);
		return VT_OK;
	}
	st = combine(f, *sum, item, &next);
	vt_release(item);
	if (st == VT_OK)
		vt_move(sum, next);
	return st;
}

/* The same by the lambda's program; how many it was for. */
static uint32_t
fold_many(const fold *f, uint32_t n, const vt_value *items, vt_value *sum)
{
	vt_session *s = f->a->rt->s;
	vt_value was = s->spare, next;
	uint32_t i;
	if (f->many == NULL)
		return fold_small(f, n, items, sum);
	n = vt_fold_fill(f->many, n < VT_BULK ? n : VT_BULK, items);
	for (i = vt_fold_run(f->many, 0, n, sum, NULL); i < n;
		i += 1 + vt_fold_run(f->many, i + 1, n, sum, NULL)) {
		s->spare = spare_of(f, *sum);
		if (vt_fold_change(f->many, i, sum))
			continue;
		if (!vt_fold_step(f->many, i, *sum, &next))
			break;
		vt_move(sum, next);
	}
	s->spare = was;
	return i;
}

static vt_status
no_seed(vt_rt *rt)
{
	return vt_raise(rt, VT_E_TYPE, "reduce() of empty iterable with no initial value");
}

/*
 * What the sum was at an item, where the lambda is a fold itself: see vt_fold_nests.  It is copied
 * anew when as many items have gone in as it had members, so the copies cost a constant an item.
 */
typedef struct history {
	vt_value sum;   /* VT_UNDEF: none */
	uint32_t at;    /* the item in front of which it was that */
	uint32_t next;  /* when it is copied again */
	vt_list *items; /* those since then, where they have been pulled; or NULL */
} history;

static bool
nests(const fold *f)
{
	return f->many != NULL && vt_fold_nests(f->many) && !vt_fold_is_lost(f->many);
}

static uint32_t
size_of(vt_value v)
{
	if (!vt_is_ptr(v))
		return 0;
	return vt_is(v, DICT) ? vt_dict_len(vt_as_dict(v)) : vt_is(v, TUPLE) ? vt_as_list(v)->n : 0;
}

static void
keep(const fold *f, history *h, uint32_t at, vt_value *sum)
{
	uint32_t size = size_of(*sum);
	if (h->sum != VT_UNDEF && at < h->next)
		return;
	vt_release(h->sum);
	h->sum = *sum;
	*sum = vt_fold_own(f->a->rt, h->sum);
	h->at = at;
	h->next = at + (size > VT_BULK ? size : VT_BULK);
}

/* Is the fold lost?  Then the sum is what was kept. */
static bool
go_back(const fold *f, history *h, vt_value *sum)
{
	if (h->sum == VT_UNDEF || !vt_fold_is_lost(f->many))
		return false;
	vt_move(sum, h->sum);
	h->sum = VT_UNDEF;
	return true;
}

static void
forget(history *h)
{
	vt_release(h->sum);
	if (h->items != NULL)
		vt_release(vt_mkptr(h->items));
}

static vt_status
reduce_list(const fold *f, const vt_list *l, vt_value *sum)
{
	vt_status st = VT_OK;
	uint32_t i = 0;
	history h = {VT_UNDEF, 0, 0, NULL};
	if (*sum == VT_UNDEF) {
		if (l->n == 0)
			return no_seed(f->a->rt);
		*sum = vt_copy(l->v[i++]);
	}
	while (st == VT_OK && i < l->n) {
		uint32_t done;
		if (nests(f))
			keep(f, &h, i, sum);
		done = fold_many(f, l->n - i, l->v + i, sum);
		i += done;
		if (go_back(f, &h, sum))
			i = h.at;
		else if (i < l->n && (done == 0 || f->many == NULL))
			st = fold_one(f, sum, vt_copy(l->v[i++]));
	}
	forget(&h);
	return st;
}

/* Where items are pulled, those since then are kept as well. */
static void
keep_pulled(const fold *f, history *h, vt_value *sum)
{
	uint32_t n = h->items != NULL ? h->items->n : 0;
	if (h->sum != VT_UNDEF && n < h->next)
		return;
	if (h->items != NULL)
		vt_release(vt_mkptr(h->items));
	h->items = vt_list_grow(f->a->rt, VT_K_LIST, VT_BULK);
	h->next = 0;
	keep(f, h, 0, sum);
}

/* An item that went in; takes it. */
static void
note(const fold *f, history *h, vt_value item)
{
	if (h->items != NULL)
		vt_list_push(f->a->rt, h->items, item);
	else
		vt_release(item);
}

/* The items that were pulled since then go in again, where the fold is lost. */
static vt_status
fold_again(const fold *f, history *h, vt_value *sum)
{
	vt_list *items = h->items;
	vt_status st;
	if (!go_back(f, h, sum))
		return VT_OK;
	h->items = NULL;
	st = reduce_list(f, items, sum);
	vt_release(vt_mkptr(items));
	return st;
}

/* What was pulled at once goes in at once. */
static vt_status
reduce_pulled(const fold *f, vt_pull *p, vt_value *sum)
{
	vt_status st = VT_OK;
	vt_value item;
	history h = {VT_UNDEF, 0, 0, NULL};
	if (*sum == VT_UNDEF && (st = vt_pull_next(p, sum)) == VT_OK && *sum == VT_UNDEF)
		st = no_seed(f->a->rt);
	while (st == VT_OK) {
		uint32_t n = p->singly && p->at == p->n ? 0 : vt_pull_ahead(p);
		if (nests(f))
			keep_pulled(f, &h, sum);
		if (n > 0)
			n = fold_many(f, n, p->item + p->at, sum);
		for (uint32_t i = 0; i < n; i++)
			note(f, &h, p->item[p->at++]);
		st = fold_again(f, &h, sum);
		if (n > 0 || st != VT_OK)
			continue;
		if ((st = vt_pull_next(p, &item)) != VT_OK || item == VT_UNDEF)
			break;
		if (h.items != NULL)
			vt_list_push(f->a->rt, h.items, vt_copy(item));
		st = fold_one(f, sum, item);
	}
	forget(&h);
	return st;
}

static vt_status
reduce(const fold *f, vt_value seed, vt_value *out)
{
	vt_value iter = VT_UNDEF, sum = seed == VT_NOVALUE ? VT_UNDEF : vt_copy(seed);
	vt_status st;
	vt_pull p;
	if (vt_query_is_open_list(f->a, f->a->v[0])) {
		st = reduce_list(f, vt_as_list(f->a->v[0]), &sum);
		return vt_settle(st, sum, out);
	}
	st = vt_query_source(f->a, f->a->v[0], &iter);
	if (st == VT_OK) {
		vt_pull_open(&p, f->a->rt, iter);
		p.still = f->op != FOLD_CALL;
		st = reduce_pulled(f, &p, &sum);
		vt_pull_close(&p);
	}
	vt_release(iter);
	return vt_settle(st, sum, out);
}

/* Of integers whose sum is one. */
vt_value
vt_quick_sum(vt_rt *rt, const vt_value *v)
{
	const vt_list *l = vt_as_list(v[0]);
	int64_t sum = vt_is_int(v[1]) ? vt_toint(v[1]) : 0;
	(void)rt;
	if (!vt_is_sequence(v[0]) || (v[1] != VT_NOVALUE ? !vt_is_int(v[1]) : l->n == 0))
		return VT_UNDEF;
	for (uint32_t i = 0; i < l->n; i++)
		if (!vt_is_int(l->v[i]) || __builtin_add_overflow(sum, vt_toint(l->v[i]), &sum))
			return VT_UNDEF;
	return sum < VT_INT_MIN || sum > VT_INT_MAX ? VT_UNDEF : vt_mkint(sum);
}

vt_status
vt_lib_sum(vt_args *a, vt_value *out)
{
	return reduce(&(fold){a, VT_NULL, "#operator_+", VT_OP_ADD, NULL}, a->v[1], out);
}

/* The function of that name may be one of the program. */
static vt_status
extreme(vt_args *a, const char *name, int op, vt_value *out)
{
	if (a->rt->s->host_hides || vt_scope_hides(a->scope))
		op = FOLD_CALL;
	return reduce(&(fold){a, VT_NULL, name, op, NULL}, a->v[1], out);
}

vt_status
vt_lib_fold_min(vt_args *a, vt_value *out)
{
	return extreme(a, "min", FOLD_MIN, out);
}

vt_status
vt_lib_fold_max(vt_args *a, vt_value *out)
{
	return extreme(a, "max", FOLD_MAX, out);
}

vt_status
vt_lib_aggregate(vt_args *a, vt_value *out)
{
	enum { FEW = 8 }; /* to plan a fold takes longer than these */
	bool few = vt_is_sequence(a->v[0]) && vt_as_list(a->v[0])->n <= FEW;
	vt_fold *many = vt_fold_new != NULL && !few ? vt_fold_new(a->rt, a->v[1]) : NULL;
	vt_status st = reduce(&(fold){a, a->v[1], NULL, FOLD_CALL, many}, a->v[2], out);
	if (many != NULL)
		vt_fold_free(many);
	return st;
}

/* ---- orderings ---- */

vt_status
vt_lib_order_by(vt_args *a, vt_value *out)
{
	vt_ordering *o = vt_ordering_new(a->rt, a->unit, a->v[1]);
	vt_status st;
	if (vt_is(a->v[0], TUPLE) && vt_query_is_open_list(a, a->v[0])) {
		o->source = vt_copy(a->v[0]);
		st = VT_OK;
	} else {
		st = vt_query_source(a, a->v[0], &o->source);
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
	VT_TRY(vt_query_source(a, v, &iter));
	if (is_sized(v)) {
		vt_release(iter);
		iter = vt_copy(v);
	}
	*out = iter;
	return VT_OK;
}

/* The same, made to be iterated more than once. */
vt_status
vt_query_memorized(vt_args *a, vt_value v, vt_value *out)
{
	VT_TRY(as_iterable(a, v, out));
	if (vt_is(*out, ITER))
		*out = vt_memo_new(a->rt, *out);
	return VT_OK;
}

vt_status
vt_lib_memorize(vt_args *a, vt_value *out)
{
	return vt_query_memorized(a, a->v[0], out);
}

vt_status
vt_lib_default_if_empty(vt_args *a, vt_value *out)
{
	vt_value all = VT_UNDEF, iter = VT_UNDEF, item = VT_UNDEF;
	vt_status st;
	VT_TRY(vt_query_memorized(a, a->v[0], &all));
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
vt_status
vt_lib_reverse(vt_args *a, vt_value *out)
{
	vt_value all = VT_UNDEF;
	if (vt_query_is_open_list(a, a->v[0]))
		all = vt_copy(a->v[0]);
	else
		VT_TRY(vt_to_tuple(a->rt, a->unit, a->v[0], &all));
	*out = vt_reversed_over(a->rt, all);
	return VT_OK;
}

vt_value
vt_quick_reverse(vt_rt *rt, const vt_value *v)
{
	return vt_is_sequence(v[0]) ? vt_reversed_over(rt, vt_copy(v[0])) : VT_UNDEF;
}

vt_status
vt_lib_is_iterable(vt_args *a, vt_value *out)
{
	*out = vt_mkbool(vt_is_iterable(NULL, a->v[0]));
	return VT_OK;
}
