/*
 * groups.c - groupBy() of lib/queries.fn.
 */
#include "runtime/core/blocks.h"
#include "runtime/core/dict.h"
#include "runtime/lib/query.h"
#include "runtime/seq/lambda_program.h"
#include "runtime/seq/unmade.h"
#include "registry.h"
#include "runtime/task/task.h"

#include <string.h>

/* Adds to the list of the key. The dict holds the only reference to it. */
static vt_status
add_to_group(vt_rt *rt, vt_dict *groups, vt_value key, vt_value value)
{
	uint32_t before = vt_dict_len(groups);
	VT_TRY(vt_put_group(rt, vt_mkptr(groups), key, value));
	return vt_dict_len(groups) > before ? vt_query_bounded(rt, before + 1) : VT_OK;
}

static vt_status
group(vt_args *a, vt_value item, vt_dict *groups, bool *strings)
{
	vt_value key = VT_UNDEF, value = VT_UNDEF;
	vt_status st = vt_query_selected(a->rt, a->v[2], item, &value);
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
aggregate(vt_rt *rt, vt_iter *it, vt_value pair, vt_value *out)
{
	vt_status st = VT_ERROR;
	if (it->v[2] == VT_UNDEF)
		st = aggregated(rt, it, vt_as_list(pair)->v, out);
	if (st != VT_OK && it->v[2] != VT_UNDEF)
		st = aggregated_pair(rt, it, pair, out);
	return st;
}

static vt_status
next_group(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value pair;
	vt_status st;
	*out = VT_UNDEF;
	VT_TRY(vt_next(rt, it->v[0], &pair));
	if (pair == VT_UNDEF || !vt_is(it->v[1], LAMBDA)) {
		*out = pair;
		return VT_OK;
	}
	st = aggregate(rt, it, pair, out);
	vt_release(pair);
	return st;
}

/* The aggregator's program, where it stands for calls with the values. */
static const vt_lambda_program *
program_of(vt_rt *rt, vt_value lambda)
{
	const vt_lambda_program *t = vt_lambda_program_of(rt, lambda, 1);
	return t != NULL && vt_program_is_closed(rt, t, vt_scope_of(lambda)) ? t : NULL;
}

/* As aggregated() and aggregated_pair(); false: that has to say what comes of it. */
static bool
take_aggregate(vt_rt *rt, vt_iter *it, vt_value pair, vt_value made, vt_value *out)
{
	const vt_list *kv = vt_as_list(pair);
	if (it->v[2] != VT_UNDEF) {
		*out = vt_copy(made);
		return vt_is_sequence(made) && vt_as_list(made)->n == 2;
	}
	*out = vt_pair_of(rt->s->heap, kv->v[0], made);
	if (!looks_old(rt, vt_as_list(kv->v[1]), made))
		it->i[0] = 1;
	return true;
}

/* What the program makes of many pairs, or of their values; how many it is for. */
static uint32_t
aggregate_pairs(vt_rt *rt, vt_iter *it, const vt_lambda_program *t, uint32_t n,
	const vt_value *pair, vt_value *out)
{
	vt_batch *s = vt_batch_new(rt, vt_scope_of(it->v[1]));
	vt_value of[VT_BULK];
	const vt_value *made;
	uint32_t i;
	for (i = 0; i < n; i++)
		of[i] = it->v[2] != VT_UNDEF ? pair[i] : vt_as_list(pair[i])->v[1];
	n = vt_batch_fill_list(s, t, n, of, 0);
	made = n > 0 ? vt_batch_results(s, t, &n) : NULL;
	for (i = 0; i < n; i++)
		if (!take_aggregate(rt, it, pair[i], made[i], &out[i])) {
			vt_clear(&out[i]);
			break;
		}
	vt_batch_free(s);
	return i;
}

/* The first group shows whether the aggregator wants pairs: it is made by the code, and the others
 * by the program.  How many; 0: it fails, and is to fail again where that counts. */
static uint32_t
begin_with_pairs(vt_rt *rt, vt_iter *it, const vt_lambda_program *t, uint32_t n,
	const vt_value *pair, vt_value *out)
{
	if (it->v[2] != VT_UNDEF || it->i[0])
		return 0;
	if (aggregate(rt, it, pair[0], &out[0]) != VT_OK) {
		vt_exc_clear(rt);
		vt_clear(&it->v[2]);
		return 0;
	}
	return n == 1 || it->v[2] == VT_UNDEF
		       ? 1
		       : 1 + aggregate_pairs(rt, it, t, n - 1, pair + 1, out + 1);
}

/* v[0] walks a dict that nothing was deleted from: what it gave too much is one step back each. */
static uint32_t
bulk_group(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	vt_iter *all = VT_AS(vt_iter, it->v[0]);
	bool plain = !vt_is(it->v[1], LAMBDA);
	const vt_lambda_program *t = plain ? NULL : program_of(rt, it->v[1]);
	vt_value pair[VT_BULK];
	uint32_t n, done;
	if (all->ops->bulk == NULL || room < VT_BULK || (!plain && t == NULL) ||
		(it->v[2] != VT_UNDEF && it->i[0]))
		return 0;
	all->h.aux = plain ? it->h.aux & VT_WANTS_UNMADE : 0;
	it->h.aux = VT_ONE_WAY;
	if (plain)
		return all->ops->bulk(rt, all, room, out);
	n = all->ops->bulk(rt, all, VT_BULK, pair);
	done = n > 0 ? aggregate_pairs(rt, it, t, n, pair, out) : 0;
	if (n > 0 && done == 0)
		done = begin_with_pairs(rt, it, t, n, pair, out);
	all->i[0] -= n - done;
	for (uint32_t i = 0; i < n; i++)
		vt_release(pair[i]);
	return done;
}

static const vt_iter_ops group_ops = {next_group, NULL, "map", 48, bulk_group};

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

/* Groups whose keys are texts, integers or other words, two to a place: the dict is asked the first
 * time only. */
enum { NEAR_BITS = 6, NEAR = 1 << NEAR_BITS };
typedef struct near_groups {
	vt_value key[2 * NEAR]; /* texts borrowed from the dict; 0: none */
	vt_list *list[2 * NEAR];
	bool borrows; /* keys stay where they are */
} near_groups;

/* By the upper bits: those below may be the same in texts that differ at their end. */
static inline uint32_t
near_place(vt_value key)
{
	uint64_t h = vt_is_ptr(key) ? vt_str_hash(vt_as_str(key)) : key;
	return 2 * (uint32_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> (64 - NEAR_BITS));
}

static inline bool
same_key(vt_value near, vt_value key)
{
	const vt_str *x = vt_as_str(near), *y = vt_as_str(key);
	if (near == key)
		return true;
	return near != 0 && vt_is_ptr(near) && vt_is_ptr(key) &&
	       vt_same_words(x->s, x->bytes, y->s, y->bytes);
}

/* Integers and the like, where there is room, need nothing but their place. */
static inline vt_status
keep(vt_rt *rt, vt_list *l, vt_value value)
{
	if (vt_is_ptr(value) || l->n == l->cap || l->n >= VT_MOST_ITEMS)
		return vt_list_keep(rt, l, vt_copy(value));
	l->v[l->n++] = value;
	vt_note_item(l, value);
	return VT_OK;
}

static inline vt_status
add_near(vt_rt *rt, near_groups *near, vt_dict *groups, vt_value key, vt_value value)
{
	uint32_t at, before = vt_dict_len(groups);
	if (vt_is_ptr(key) && !vt_is(key, STR))
		return add_to_group(rt, groups, key, value);
	at = near_place(key);
	if (same_key(near->key[at], key))
		return keep(rt, near->list[at], value);
	if (same_key(near->key[at + 1], key))
		return keep(rt, near->list[at + 1], value);
	VT_TRY(add_to_group(rt, groups, key, value));
	if (vt_is_ptr(key) && !near->borrows && vt_dict_len(groups) == before)
		return VT_OK;
	at += near->key[at] != 0 && near->key[at + 1] == 0;
	near->key[at] = key;
	near->list[at] = vt_as_list(vt_dict_get(groups, key));
	return VT_OK;
}

/* In many groups each list lies somewhere else: the memory is asked for all of them at once.  The
 * list of each key; NULL: there is none yet. */
static void
find_lists(vt_dict *groups, uint32_t n, const vt_value *key, vt_list **list)
{
	vt_dict_warm(groups, n, key);
	for (uint32_t i = 0; i < n; i++) {
		vt_value l = vt_dict_get(groups, key[i]);
		list[i] = l != VT_UNDEF ? vt_as_list(l) : NULL;
	}
	for (uint32_t i = 0; i < n; i++)
		if (list[i] != NULL)
			__builtin_prefetch(&list[i]->v[list[i]->n], 1);
}

/* How groups are made by the batch: programs of both lambdas. */
typedef struct grouping {
	const vt_lambda_program *t[2];
	vt_batch *s[2];
	near_groups near;
	bool programs;
	bool members; /* they read nothing but members */
	bool stays;   /* the items are held until all are in groups */
	bool asks;    /* the value is what a function in C gives, as for a constant */
} grouping;

static void
open_grouping(vt_args *a, grouping *g, bool stays)
{
	g->stays = stays;
	g->t[0] = vt_lambda_program_of(a->rt, a->v[1], 1);
	g->t[1] = vt_lambda_program_of(a->rt, a->v[2], 1);
	memset(g->near.key, 0, sizeof g->near.key);
	g->asks = vt_is(a->v[2], LAMBDA) && VT_AS(vt_lambda, a->v[2])->code == NULL &&
		  g->t[1] == NULL;
	g->programs =
		g->t[0] != NULL && (!vt_is(a->v[2], LAMBDA) || g->t[1] != NULL || g->asks) &&
		vt_program_is_closed(a->rt, g->t[0], vt_scope_of(a->v[1])) &&
		(g->t[1] == NULL || vt_program_is_closed(a->rt, g->t[1], vt_scope_of(a->v[2])));
	g->members = g->programs && g->t[1] != NULL && vt_program_reads_members(g->t[0]) &&
		     vt_program_reads_members(g->t[1]);
	if (!g->programs)
		return;
	g->s[0] = vt_batch_new(a->rt, vt_scope_of(a->v[1]));
	g->s[1] = vt_batch_new(a->rt, g->t[1] != NULL ? vt_scope_of(a->v[2]) : NULL);
	g->s[0]->still = g->s[1]->still = true;
}

static void
close_grouping(grouping *g)
{
	if (!g->programs)
		return;
	vt_batch_free(g->s[0]);
	vt_batch_free(g->s[1]);
}

/* The first n values go to the groups of their keys. */
static vt_status
add_columns(vt_args *a, grouping *g, uint32_t n, const vt_value *key, const vt_value *value,
	vt_dict *groups)
{
	near_groups *near = &g->near;
	enum { MANY = NEAR };
	vt_list *list[VT_BULK];
	bool many = n > 0 && vt_dict_len(groups) > MANY;
	vt_status st = VT_OK;
	near->borrows = g->stays && !vt_batch_owns_results(g->s[0], g->t[0]);
	if (many)
		find_lists(groups, n, key, list);
	for (uint32_t i = 0; st == VT_OK && i < n; i++) {
		vt_value made = g->asks ? VT_UNDEF : value[i];
		if (g->asks)
			st = vt_apply(a->rt, a->v[2], 1, &value[i], &made);
		if (st == VT_OK && many && list[i] != NULL)
			st = keep(a->rt, list[i], made);
		else if (st == VT_OK)
			st = add_near(a->rt, near, groups, key[i], made);
		if (g->asks)
			vt_release(made);
	}
	return st;
}

/* Those of the first n items that the programs of both lambdas are for; *done: how many.  So many
 * more lie behind them. */
static vt_status
group_columns(vt_args *a, grouping *g, const vt_value *value, uint32_t n, uint32_t behind,
	vt_dict *groups, uint32_t *done)
{
	const vt_lambda_program *const *t = g->t;
	vt_batch *const *s = g->s;
	const vt_value *key;
	n = vt_batch_fill_list(s[0], t[0], n, value, behind);
	if (t[1] != NULL && n > 0) {
		n = vt_batch_fill_known(s[1], t[1], n, value, NULL, s[0]->known[0], NULL);
		value = n > 0 ? vt_batch_results(s[1], t[1], &n) : NULL;
	}
	key = n > 0 ? vt_batch_results(s[0], t[0], &n) : NULL;
	*done = n;
	return add_columns(a, g, n, key, value, groups);
}

/* The same of items that are not made. */
static vt_status
group_unmade(vt_args *a, grouping *g, const vt_unmade *u, vt_dict *groups, uint32_t *done)
{
	const vt_value *key = NULL, *value = NULL;
	uint32_t n = u->n;
	*done = 0;
	if (!vt_program_takes(g->t[0], u) || !vt_program_takes(g->t[1], u))
		return VT_OK;
	n = vt_batch_fill_unmade(g->s[0], g->t[0], u);
	if (n > 0) {
		uint32_t both = vt_batch_fill_unmade(g->s[1], g->t[1], u);
		n = both < n ? both : n;
	}
	if (n > 0)
		value = vt_batch_results(g->s[1], g->t[1], &n);
	if (n > 0)
		key = vt_batch_results(g->s[0], g->t[0], &n);
	*done = n;
	return add_columns(a, g, n, key, value, groups);
}

static vt_status
group_list(vt_args *a, vt_dict *groups)
{
	const vt_list *l = vt_as_list(a->v[0]);
	bool strings = true;
	vt_status st = VT_OK;
	grouping g;
	open_grouping(a, &g, true);
	for (uint32_t at = 0, done; st == VT_OK && at < l->n; at += done) {
		uint32_t n = l->n - at < VT_BULK ? l->n - at : VT_BULK;
		done = 0;
		if (g.programs)
			st = group_columns(a, &g, l->v + at, n, l->n - at - n, groups, &done);
		if (st == VT_OK && done == 0) {
			st = group(a, l->v[at], groups, &strings);
			done = 1;
		}
	}
	close_grouping(&g);
	return st;
}

/* What the pull has at once, by the batch, and one item by the code where that is not enough. */
static vt_status
group_ahead(vt_args *a, grouping *g, vt_pull *p, vt_dict *groups, bool *strings)
{
	vt_unmade u;
	uint32_t n, done = 0;
	vt_status st = VT_OK;
	vt_value item;
	vt_unmade_none(&u);
	n = g->members ? vt_pull_unmade(p, &u) : vt_pull_ahead(p);
	if (u.m > 0) {
		st = group_unmade(a, g, &u, groups, &done);
		vt_pull_settle(p, &u, done);
	} else if (n > 0 && g->programs) {
		st = group_columns(a, g, p->item + p->at, n, 0, groups, &done);
		for (uint32_t i = 0; i < done; i++)
			vt_release(p->item[p->at++]);
	}
	if (st != VT_OK || done > 0)
		return st;
	st = vt_pull_next(p, &item);
	if (st != VT_OK || item == VT_UNDEF)
		return st == VT_OK ? VT_BREAK : st;
	st = group(a, item, groups, strings);
	vt_release(item);
	return st;
}

static vt_status
group_pulled(vt_args *a, vt_dict *groups)
{
	vt_value iter = VT_UNDEF;
	vt_status st = VT_OK;
	bool strings = true;
	grouping g;
	vt_pull p;
	VT_TRY(vt_query_source(a, a->v[0], &iter));
	vt_pull_open(&p, a->rt, iter);
	open_grouping(a, &g, false);
	while (st == VT_OK)
		st = group_ahead(a, &g, &p, groups, &strings);
	close_grouping(&g);
	vt_pull_close(&p);
	vt_release(iter);
	return st == VT_BREAK ? VT_OK : st;
}

vt_status
vt_lib_group_by(vt_args *a, vt_value *out)
{
	vt_dict *groups = vt_dict_new_hashed(a->rt, false);
	vt_status st = (vt_query_is_open_list(a, a->v[0]) ? group_list : group_pulled)(a, groups);
	vt_iter *it;
	if (st != VT_OK) {
		vt_release(vt_mkptr(groups));
		return st;
	}
	it = vt_iter_new(a->rt, &group_ops);
	it->v[1] = vt_copy(a->v[3]);
	it->i[0] = a->unit != NULL && (a->unit->layers & VT_L_NO_FALLBACK) != 0;
	*out = vt_mkptr(it);
	return iterate_items(a->rt, groups, &it->v[0]);
}
