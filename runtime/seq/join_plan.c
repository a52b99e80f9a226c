/*
 * join_plan.c - join() whose predicate is `left = right and rest` (vt_join).  Further equations
 * that follow the first one narrow the index down where many rows share a key; the rest asks them
 * again.
 *
 * For the first item of the left side the predicate is asked for each item of the right side, which
 * is read meanwhile: as the nested loops do.  After that the right side's keys are worked out by
 * their program and indexed.  Programs raise nothing: where that of the keys is not for all of the
 * right side there is no index, and where one is not for an item of the left side, this item is
 * compared with all.  So pairs and errors come in the order of the nested loops.
 */
#include "runtime/core/blocks.h"
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/core/args.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/core/siphash.h"
#include "runtime/seq/lambda_program.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>
#include <string.h>

/* v[0]: the left side, a list or an iterator; v[1]: the predicate; v[2]: the selector; v[3]: the
 * list of the right side as far as it was read. */
/* i[]: position in a left side that is a list; the partner after the one that was given, plus one,
 * or 0: the item of the left side is new; how partners are found */
enum { LEFT, NEXT, MODE };
enum { READING, INDEXED, COMPARING };

/* LARGE: an index with so many keys is hardly in the cache. */
enum { NONE = UINT32_MAX, LARGE = 512 };
typedef struct slot {
	uint64_t hash;
	uint32_t first, last; /* positions in the right side; NONE: free */
} slot;
/* p of the iterator */
typedef struct plan {
	const vt_join *join;
	const vt_lambda_program *left; /* what is looked up: join->left or join->all_left */
	vt_value source; /* what the right side comes from, as far as it is not in v[3] */
	vt_value item;   /* of the left side, where that is an iterator; or VT_UNDEF */
	uint32_t found;  /* the first partner of the item at hand; NONE */
	bool all;        /* the item at hand is compared with all */
	bool opened;
	vt_pull pull;  /* of a left side that is an iterator */
	vt_value *key; /* of the right side; owned */
	uint32_t n, *next, mask, different;
	/*
	 * Keys come from outside.  The place of a hash in a large index is drawn by an odd factor.
	 * An index in which hashes meet all the same is made again with hashes under a secret.
	 */
	unsigned shift;
	bool keyed;
	vt_seed secret;
	slot *slots;
} plan;
/* keys that need no secret; steps that are too many; rows a key that are many */
enum { FEW_KEYS = 64, FAR = 128, MANY_EACH = 4 };

bool
vt_can_plan_join(vt_rt *rt, const vt_unit *u, vt_value predicate, vt_value selector)
{
	const vt_lambda *l = VT_AS(vt_lambda, predicate);

	return vt_is(predicate, LAMBDA) && l->code != NULL && l->code->join != NULL &&
	       l->scope != NULL && vt_is(selector, LAMBDA) && u != NULL &&
	       u->opt.limit_iterators < 0 && vt_lambda_program_usable(rt, l->code, l->scope);
}

/* ---- the index ---- */

static bool
hash_keyed(const plan *p, vt_value v, uint64_t *hash)
{
	if (v == VT_UNDEF || !vt_hash_try(v, hash) ||
		(vt_is(v, FLOAT) && vt_float_of(v) != vt_float_of(v)))
		return false;
	*hash = vt_hash_keyed(&p->secret, v);
	return true;
}

static bool
hash_of(const plan *p, vt_value v, uint64_t *hash)
{
	if (p->keyed)
		return hash_keyed(p, v, hash);
	if (vt_is(v, STR)) {
		*hash = vt_str_hash(vt_as_str(v));
		return true;
	}
	if (vt_is_int(v)) {
		*hash = (uint64_t)v * 0x9e3779b97f4a7c15u;
		return true;
	}
	if (vt_is(v, FLOAT) && vt_float_of(v) != vt_float_of(v))
		return false;
	if (vt_is_number(v)) { /* 1.0 is 1 */
		double d = vt_is(v, FLOAT) ? vt_float_of(v) : 0;
		if (!vt_is(v, FLOAT) || d != (double)(int64_t)d || d > 1e15 || d < -1e15)
			return vt_hash_try(v, hash);
		return hash_of(p, vt_mkint((int64_t)d), hash);
	}
	if (vt_is_bool(v))
		return hash_of(p, vt_mkint(v == VT_TRUE), hash);
	return v != VT_UNDEF && vt_hash_try(v, hash);
}

static bool
same_key(vt_rt *rt, vt_value a, vt_value b)
{
	if (vt_both_int(a, b))
		return a == b;
	if (vt_is(a, STR) && vt_is(b, STR))
		return vt_same_text(vt_as_str(a), vt_as_str(b));
	return vt_equal(rt, a, b);
}

static uint32_t
place_of(const plan *p, uint64_t hash)
{
	return (uint32_t)(hash * (p->secret.k[0] | 1) >> p->shift);
}

/* Where the key is, or would go; *steps: how far from where it should be. */
static slot *
slot_of(vt_rt *rt, const plan *p, vt_value key, uint64_t hash, uint32_t *steps)
{
	uint32_t at = place_of(p, hash), n = 0;

	while (p->slots[at].first != NONE &&
		(p->slots[at].hash != hash || !same_key(rt, p->key[p->slots[at].first], key))) {
		at = (at + 1) & p->mask;
		n++;
	}
	*steps = n;
	return &p->slots[at];
}

static uint32_t
first_of(vt_rt *rt, const plan *p, vt_value key, uint64_t hash)
{
	uint32_t steps;

	return slot_of(rt, p, key, hash, &steps)->first;
}

/* The keys of the right side; false: the program is not for one of them. */
static bool
read_keys(vt_rt *rt, vt_iter *it, plan *p, const vt_lambda_program *t)
{
	const vt_list *right = vt_as_list(it->v[3]);
	vt_batch *s = vt_batch_new(rt, vt_scope_of(it->v[1]));
	bool ok = true;

	p->key = vt_block_new(rt->s->heap, (size_t)right->n * sizeof *p->key + 1);
	for (uint32_t at = 0; ok && at < right->n;) {
		uint32_t n = vt_batch_fill_next(s, t, right, &at), m = n;
		const vt_value *v = n > 0 ? vt_batch_results(s, t, &m) : NULL;
		ok = n > 0 && m == n;
		for (uint32_t i = 0; ok && i < n; i++)
			p->key[p->n++] = vt_copy(v[i]);
	}
	vt_batch_free(s);
	return ok;
}

static void
make_slots(vt_rt *rt, plan *p)
{
	uint32_t n = 16;

	p->shift = 60;
	while (n < 2 * p->n && n < 1u << 30)
		n *= 2, p->shift--;
	p->mask = n - 1;
	p->secret = p->n > FEW_KEYS ? vt_seed_new() : (vt_seed){{0x9e3779b97f4a7c15u}};
	p->slots = vt_block_new(rt->s->heap, (size_t)n * sizeof *p->slots);
	p->next = vt_block_new(rt->s->heap, (size_t)p->n * sizeof *p->next + 1);
}

/* False: one of the keys has no hash.  *far: hashes meet, and not all keys were taken. */
static bool
fill_slots(vt_rt *rt, plan *p, bool *far)
{
	*far = false;
	p->different = 0;
	for (uint32_t i = 0; i <= p->mask; i++)
		p->slots[i].first = NONE;
	for (uint32_t i = 0; i < p->n; i++) {
		uint64_t hash;
		uint32_t steps;
		slot *s;
		if (!hash_of(p, p->key[i], &hash))
			return false;
		s = slot_of(rt, p, p->key[i], hash, &steps);
		p->next[i] = NONE;
		p->different += s->first == NONE;
		if (s->first == NONE)
			*s = (slot){hash, i, i};
		else
			p->next[s->last] = i, s->last = i;
		*far = steps > FAR && !p->keyed;
		if (*far)
			return true;
	}
	return true;
}

static void
drop_index(plan *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		vt_release(p->key[i]);
	vt_block_free(p->key);
	vt_block_free(p->next);
	vt_block_free(p->slots);
	p->n = 0;
	p->key = NULL;
	p->next = NULL;
	p->slots = NULL;
	p->keyed = false;
}

/* Of what the program makes of the right side. */
static bool
index_by(vt_rt *rt, vt_iter *it, plan *p, const vt_lambda_program *right)
{
	bool far = false, filled;

	if (!read_keys(rt, it, p, right))
		return false;
	make_slots(rt, p);
	filled = fill_slots(rt, p, &far);
	if (filled && far) {
		p->keyed = true;
		filled = fill_slots(rt, p, &far);
	}
	return filled;
}

/* By the first equation; where many share a key, by all that the predicate begins with. */
static void
build_index(vt_rt *rt, vt_iter *it, plan *p)
{
	const vt_join *join = p->join;
	bool good = index_by(rt, it, p, join->right);

	if (good && p->n / MANY_EACH > p->different && join->all_left != NULL &&
		join->all_right != NULL) {
		drop_index(p);
		p->left = join->all_left;
		good = index_by(rt, it, p, join->all_right);
		if (!good) { /* it is not for all of them */
			drop_index(p);
			p->left = join->left;
			good = index_by(rt, it, p, join->right);
		}
	}
	it->i[MODE] = good ? INDEXED : COMPARING;
}

static void
drop_plan(vt_iter *it)
{
	plan *p = it->p;

	while (p->pull.at < p->pull.n)
		vt_release(p->pull.item[p->pull.at++]);
	vt_pull_give(&p->pull);
	vt_release(p->source);
	vt_release(p->item);
	drop_index(p);
	free(p);
}

/* ---- pair by pair ---- */

/* Is there an item at that place of the right side? */
static vt_status
has_right(vt_rt *rt, vt_iter *it, plan *p, uint32_t at, bool *yes)
{
	vt_list *right = vt_as_list(it->v[3]);
	vt_value item = VT_UNDEF;

	*yes = at < right->n;
	if (*yes || p->source == VT_UNDEF)
		return VT_OK;
	VT_TRY(vt_next(rt, p->source, &item));
	*yes = item != VT_UNDEF;
	if (!*yes)
		vt_clear(&p->source);
	else
		VT_TRY(vt_list_keep(rt, right, item));
	return VT_OK;
}

/* How the partners of the item are found. */
static void
look_up(vt_rt *rt, vt_iter *it, plan *p)
{
	const vt_lambda_program *t = p->left;
	vt_batch *s;
	uint64_t hash;

	p->all = it->i[MODE] != INDEXED;
	p->found = NONE;
	if (p->all)
		return;
	s = vt_batch_new(rt, vt_scope_of(it->v[1]));
	p->all = true;
	if (vt_batch_fill_known(s, t, 1, &p->item, NULL, NULL, NULL) == 1) {
		uint32_t n = 1;
		const vt_value *v = vt_batch_results(s, t, &n);
		if (n == 1 && hash_of(p, v[0], &hash)) {
			p->all = false;
			p->found = first_of(rt, p, v[0], hash);
		}
	}
	vt_batch_free(s);
}

/* The right side is read from the first item of the left side on. */
static vt_status
open_right(vt_rt *rt, vt_iter *it, plan *p)
{
	vt_value of = p->source;
	vt_status st;

	p->opened = true;
	if (of == VT_UNDEF)
		build_index(rt, it, p);
	if (of == VT_UNDEF || vt_is(of, ITER))
		return VT_OK;
	p->source = VT_UNDEF;
	st = vt_iterate(rt, of, &p->source);
	vt_release(of);
	return st;
}

/* The item of the left side at hand; VT_UNDEF: there is none any more. */
static vt_status
left_item(vt_rt *rt, vt_iter *it, plan *p)
{
	if (p->item != VT_UNDEF)
		return VT_OK;
	if (vt_is_sequence(it->v[0])) {
		const vt_list *l = vt_as_list(it->v[0]);
		if (it->i[LEFT] < l->n)
			p->item = vt_copy(l->v[it->i[LEFT]]);
	} else {
		if (p->pull.at < p->pull.n)
			p->item = p->pull.item[p->pull.at++];
		else
			VT_TRY(vt_next(rt, it->v[0], &p->item));
	}
	if (p->item == VT_UNDEF)
		return VT_OK;
	if (!p->opened)
		VT_TRY(open_right(rt, it, p));
	look_up(rt, it, p);
	return VT_OK;
}

/* The partner after the last one, as a position; -1: there is none. */
static vt_status
next_candidate(vt_rt *rt, vt_iter *it, plan *p, int64_t *at)
{
	bool more;

	if (!p->all) {
		uint32_t next = it->i[NEXT] == 0 ? p->found : p->next[it->i[NEXT] - 1];
		*at = next == NONE ? -1 : (int64_t)next;
		return VT_OK;
	}
	VT_TRY(has_right(rt, it, p, (uint32_t)it->i[NEXT], &more));
	*at = more ? it->i[NEXT] : -1;
	return VT_OK;
}

static void
end_item(vt_rt *rt, vt_iter *it, plan *p)
{
	vt_clear(&p->item);
	it->i[LEFT]++;
	it->i[NEXT] = 0;
	if (it->i[MODE] == READING)
		build_index(rt, it, p);
}

static vt_status
next_planned(vt_rt *rt, vt_iter *it, vt_value *out)
{
	plan *p = it->p;
	int64_t at;

	*out = VT_UNDEF;
	for (;;) {
		vt_value argv[2], yes = VT_UNDEF;
		vt_status st;
		VT_TRY(left_item(rt, it, p));
		if (p->item == VT_UNDEF)
			return VT_OK;
		VT_TRY(next_candidate(rt, it, p, &at));
		if (at < 0) {
			end_item(rt, it, p);
			continue;
		}
		it->i[NEXT] = at + 1;
		argv[0] = vt_copy(p->item);
		argv[1] = vt_copy(vt_as_list(it->v[3])->v[at]);
		st = vt_apply(rt, it->v[1], 2, argv, &yes);
		bool is = st == VT_OK && vt_is_true(yes);
		vt_release(yes);
		if (is)
			st = vt_apply(rt, it->v[2], 2, argv, out);
		vt_release(argv[0]);
		vt_release(argv[1]);
		if (st != VT_OK || is)
			return st;
	}
}

/* ---- many at once ---- */

/* Candidates for the pairs of a piece: each remembers where the iterator stands behind it. */
typedef struct pairs {
	uint32_t n;
	vt_value left[VT_BULK], right[VT_BULK];
	uint32_t item[VT_BULK], at[VT_BULK];
} pairs;

/* In a large index each key lies somewhere else: the memory is asked for all of them at once. */
static void
warm_slots(const plan *p, const vt_list *right, const vt_value *keys, uint32_t n)
{
	uint32_t at[VT_BULK];
	uint64_t hash;

	if (p->n < LARGE)
		return;
	for (uint32_t i = 0; i < n; i++) {
		at[i] = hash_of(p, keys[i], &hash) ? place_of(p, hash) : 0;
		__builtin_prefetch(&p->slots[at[i]]);
	}
	for (uint32_t i = 0; i < n; i++) {
		at[i] = p->slots[at[i]].first;
		if (at[i] == NONE)
			continue;
		__builtin_prefetch(&p->key[at[i]]);
		__builtin_prefetch(&p->next[at[i]]);
		__builtin_prefetch(&right->v[at[i]]);
	}
	for (uint32_t i = 0; i < n; i++)
		if (at[i] != NONE) {
			__builtin_prefetch((const char *)(uintptr_t)p->key[at[i]]);
			__builtin_prefetch((const char *)(uintptr_t)right->v[at[i]]);
			__builtin_prefetch((const char *)(uintptr_t)(right->v[at[i]] + 64));
		}
}

/* At most `room` pairs, <= VT_BULK, from the i-th item of the left side on; *took: how many are
 * done with, with their partners. */
static void
collect(vt_rt *rt, const vt_iter *it, const plan *p, const vt_value *items, const vt_value *keys,
	uint32_t n, pairs *q, uint32_t room, uint32_t *took, uint32_t *resume)
{
	const vt_list *right = vt_as_list(it->v[3]);
	uint32_t from = (uint32_t)it->i[NEXT], i;
	uint64_t hash;

	*resume = 0;
	warm_slots(p, right, keys, n);
	for (i = 0; i < n; i++, from = 0) {
		uint32_t at;
		if (!hash_of(p, keys[i], &hash)) {
			*resume = from;
			break;
		}
		*resume = from;
		at = from > 0 ? p->next[from - 1] : first_of(rt, p, keys[i], hash);
		for (; at != NONE && q->n < room; at = p->next[at]) {
			q->left[q->n] = items[i];
			q->right[q->n] = right->v[at];
			q->item[q->n] = i;
			q->at[q->n++] = *resume = at + 1;
		}
		if (at != NONE) /* the rest of them the next time */
			break;
		*resume = 0;
	}
	*took = i;
}

/* Leaves those for which the rest of the predicate is true; false: it is not for all. */
static bool
filter(vt_batch *s, const vt_lambda_program *t, pairs *q)
{
	uint32_t m = 0, n;

	if (t == NULL || q->n == 0)
		return true;
	n = vt_batch_fill_known(s, t, q->n, q->left, q->right, NULL, NULL);
	for (uint32_t i = 0; i < n; i++) {
		bool yes = vt_batch_true(s, t, i);
		q->left[m] = q->left[i];
		q->right[m] = q->right[i];
		q->item[m] = q->item[i];
		q->at[m] = q->at[i];
		m += yes;
	}
	n = q->n == n;
	q->n = m;
	return n;
}

typedef struct bulk {
	vt_rt *rt;
	vt_iter *it;
	plan *p;
	const vt_lambda_program *selector;
	vt_batch *keys, *rest, *made;
	vt_output *output;
} bulk;

/* The items of the left side that are at hand: the one that is not done with, then others. */
static const vt_value *
window(bulk *b, uint32_t *n)
{
	const vt_iter *it = b->it;
	vt_pull *pull = &b->p->pull;

	if (b->p->item != VT_UNDEF) {
		*n = 1;
		return &b->p->item;
	}
	if (vt_is_sequence(it->v[0])) {
		const vt_list *l = vt_as_list(it->v[0]);
		*n = it->i[LEFT] < l->n ? l->n - (uint32_t)it->i[LEFT] : 0;
		return l->v + it->i[LEFT];
	}
	*n = vt_pull_ahead(pull);
	return pull->item + pull->at;
}

static void
advance(bulk *b, uint32_t n)
{
	vt_pull *pull = &b->p->pull;

	b->it->i[LEFT] += n;
	if (n > 0 && b->p->item != VT_UNDEF) {
		vt_clear(&b->p->item);
		return;
	}
	for (; !vt_is_sequence(b->it->v[0]) && n > 0; n--)
		vt_release(pull->item[pull->at++]);
}

/* One piece of the left side; *go_on: all of it was taken. */
static uint32_t
join_piece(bulk *b, uint32_t room, vt_value *out, bool *go_on)
{
	vt_iter *it = b->it;
	const vt_value *key, *items;
	uint32_t left, n, m, took, resume, ready;
	pairs q;

	*go_on = false;
	q.n = 0;
	items = window(b, &left);
	n = left < VT_BULK ? left : VT_BULK;
	if (n == 0)
		return 0;
	m = vt_batch_fill_list(b->keys, b->p->left, n, items, left - n);
	key = m > 0 ? vt_batch_results(b->keys, b->p->left, &m) : NULL;
	if (m == 0)
		return 0;
	collect(b->rt, it, b->p, items, key, m, &q, room < VT_BULK ? room : VT_BULK, &took,
		&resume);
	if (!filter(b->rest, b->p->join->rest, &q))
		return 0;
	ready = q.n > 0 ? vt_batch_fill_known(
				  b->made, b->selector, q.n, q.left, q.right, NULL, NULL)
			: 0;
	if (ready < q.n) { /* the next one is left to the code */
		took = q.item[ready];
		resume = ready > 0 && q.item[ready - 1] == took ? q.at[ready - 1]
			 : took == 0                            ? (uint32_t)it->i[NEXT]
								: 0;
	}
	m = ready > 0 ? vt_batch_make(b->made, b->selector, ready, out, b->output) : 0;
	if (m < ready) {
		while (m > 0)
			vt_release(out[--m]);
		return 0;
	}
	advance(b, took);
	it->i[NEXT] = resume;
	*go_on = (took == n || resume > 0) && ready == q.n;
	return m;
}

static uint32_t
bulk_planned(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	plan *p = it->p;
	const vt_lambda *on = VT_AS(vt_lambda, it->v[1]);
	bulk b = {.rt = rt, .it = it, .p = p};
	vt_output output = {.counts = (it->h.aux & VT_WANTS_COUNT) != 0,
		.shares = (it->h.aux & VT_SHARES) != 0};
	bool go_on = true, wants_plain = (it->h.aux & VT_WANTS_PLAIN) != 0, plain = true;
	uint32_t n = 0;

	bool list = vt_is_sequence(it->v[0]);
	if (it->i[MODE] != INDEXED || room < VT_BULK ||
		!vt_lambda_program_usable(rt, on->code, on->scope))
		return 0;
	b.selector = vt_lambda_program_of(rt, it->v[2], 2);
	if (b.selector == NULL || b.selector->nargs > 2)
		return 0;
	if (!list && (!vt_program_is_closed(rt, on->code->program, on->scope) ||
			     !vt_program_is_closed(rt, b.selector, vt_scope_of(it->v[2]))))
		return 0;
	if (list)
		vt_clear(&p->item);
	if (list && vt_can_borrow(vt_as_list(it->v[0]), vt_as_list(it->v[3]))) {
		output.from[0] = vt_as_list(it->v[0]);
		output.from[1] = vt_as_list(it->v[3]);
	}
	b.output = wants_plain || output.counts ? &output : NULL;
	b.keys = vt_batch_new(rt, on->scope);
	b.rest = vt_batch_new(rt, on->scope);
	b.made = vt_batch_new(rt, vt_scope_of(it->v[2]));
	while (go_on && 2 * n < room) { /* the rest of the predicate may let little through */
		uint32_t m = join_piece(&b, room - n, out + n, &go_on);
		plain = plain && (output.plain || m == 0);
		n += m;
	}
	vt_batch_free(b.made);
	vt_batch_free(b.rest);
	vt_batch_free(b.keys);
	it->h.aux =
		(uint16_t)((wants_plain && plain ? VT_GAVE_PLAIN : 0) | (list ? 0 : VT_ONE_WAY));
	return n;
}

static const vt_iter_ops planned_ops = {next_planned, drop_plan, "generator", 272, bulk_planned};

vt_status
vt_join_planned(vt_args *a, vt_value *out)
{
	const vt_code *code = VT_AS(vt_lambda, a->v[2])->code;
	vt_value source = VT_UNDEF, right = VT_UNDEF;
	plan *p;
	vt_iter *it;

	if (vt_is_sequence(a->v[0]))
		source = vt_copy(a->v[0]);
	else if (vt_is(a->v[0], ORDERING)) {
		vt_iter *later = vt_iter_new(a->rt, &vt_deferred_ops);
		later->v[0] = vt_copy(a->v[0]);
		source = vt_mkptr(later);
	} else
		VT_TRY(vt_iterate_limited(a->rt, a->unit, a->v[0], &source));
	p = vt_xmalloc(sizeof *p);
	*p = (plan){.join = code->join,
		.left = code->join->left,
		.source = VT_UNDEF,
		.item = VT_UNDEF,
		.found = NONE};
	it = vt_iter_new(a->rt, &planned_ops);
	it->p = p;
	it->v[0] = source;
	vt_pull_open(&p->pull, a->rt, source);
	it->v[1] = vt_copy(a->v[2]);
	it->v[2] = vt_copy(a->v[3]);
	*out = vt_mkptr(it);
	if (vt_is_sequence(a->v[1])) {
		it->v[3] = vt_copy(a->v[1]);
		return VT_OK;
	}
	right = vt_mkptr(vt_list_grow(a->rt, VT_K_LIST, 8));
	it->v[3] = right;
	if (vt_is(a->v[1], ORDERING)) {
		p->source = vt_copy(a->v[1]);
		return VT_OK;
	}
	if (vt_iterate_limited(a->rt, a->unit, a->v[1], &p->source) != VT_OK) {
		vt_clear(out);
		return VT_ERROR;
	}
	return VT_OK;
}
