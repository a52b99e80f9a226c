/*
 * join.c - join() whose predicate is an equation of a member of $1 and one of $2.
 *
 * The pairs come in the order of the nested loops, and so do errors: for the first item of the left
 * side the keys of the right side are read one after the other, as the loop would read them; once
 * all have been read they are indexed, and from then on a left item finds its partners by its key.
 * A right side that is no list is pulled meanwhile, item by item.  It holds dicts only, whose
 * members cannot change: the keys of what else comes are read each time, and there is no index.
 * Where a key cannot be looked up (unhashable, or NaN, which equals nothing) it is compared with
 * all others.
 */
#include "runtime/core/blocks.h"
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/seq/lambda_program.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"
#include "runtime/core/args.h"

#include <stdlib.h>
#include <string.h>

/* v[0]: the left side, a list or an iterator. v[3]: a list of these.  SOURCE: what the right side
 * comes from, as far as it is not in RIGHT yet.  KEYS: VT_UNDEF where the key is read each time,
 * into LOOSE_KEY. */
enum { RIGHT, SOURCE, LEFT_ITEM, LEFT_KEY, KEYS, LOOSE_KEY, INDEX, BUCKET, NSTATE };
/* i[]: position in the right side or in the bucket; is there an index?; position in a left side
 * that is a list */
enum { AT, STATE, LEFT };
enum { READING, INDEXED, COMPARING, UNOPENED };

bool
vt_can_look_up(vt_rt *rt, vt_value left, vt_value right, vt_value predicate)
{
	const vt_code *c = vt_is(predicate, LAMBDA) ? VT_AS(vt_lambda, predicate)->code : NULL;
	if (c == NULL || c->left == NULL || !vt_code_is_direct(c->left) ||
		!vt_code_is_direct(c->right) || VT_AS(vt_lambda, predicate)->scope == NULL ||
		rt->s->host_hides || vt_metered(rt) || vt_is(left, ORDERING))
		return false;
	if (!vt_is_sequence(right))
		return vt_is(right, ITER) || vt_is(right, MEMO);
	for (uint32_t i = 0; i < vt_as_list(right)->n; i++)
		if (!vt_is(vt_as_list(right)->v[i], DICT))
			return false;
	return true;
}

/* The selector may change an object between two pairs. */
static bool
is_constant(vt_value left)
{
	return !vt_is_ptr(left) || vt_head_of(left)->kind <= VT_K_DICT;
}

static bool
other_can_be_key(vt_value v)
{
	uint64_t hash;
	return !(vt_is(v, FLOAT) && vt_float_of(v) != vt_float_of(v)) && vt_hash_try(v, &hash);
}

static inline bool
can_be_key(vt_value v)
{
	return vt_is_int(v) || vt_is(v, STR) || other_can_be_key(v);
}

/* Positions by key, or nothing when a key is none. */
static void
build_index(vt_rt *rt, vt_iter *it, vt_value *s)
{
	const vt_list *keys = vt_as_list(s[KEYS]);
	vt_dict *d = vt_dict_new_hashed(rt, false);
	it->i[STATE] = INDEXED;
	for (uint32_t i = 0; i < keys->n && it->i[STATE] == INDEXED; i++) {
		vt_value bucket;
		if (keys->v[i] == VT_UNDEF || !can_be_key(keys->v[i])) {
			it->i[STATE] = COMPARING;
			break;
		}
		bucket = vt_dict_get(d, keys->v[i]);
		if (bucket == VT_UNDEF) {
			bucket = vt_mkptr(vt_list_grow(rt, VT_K_LIST, 1));
			(void)vt_dict_set(rt, d, keys->v[i], bucket);
			vt_release(bucket);
		}
		vt_list_push(rt, vt_as_list(bucket), vt_mkint(i));
	}
	s[INDEX] = vt_mkptr(d);
}

static vt_status
read_left_key(vt_rt *rt, vt_iter *it, vt_value *s)
{
	const vt_lambda *p = VT_AS(vt_lambda, it->v[1]);
	vt_value argv[2] = {s[LEFT_ITEM], s[LEFT_ITEM]};
	vt_clear(&s[LEFT_KEY]);
	return vt_code_direct(rt, p->code->left, p->scope, argv, &s[LEFT_KEY]);
}

/* Not before there is a left item. */
static vt_status
open_right(vt_rt *rt, vt_iter *it, vt_value *s)
{
	vt_value of = s[SOURCE];
	vt_status st;
	s[SOURCE] = VT_UNDEF;
	st = vt_iterate(rt, of, &s[SOURCE]);
	vt_release(of);
	it->i[STATE] = READING;
	return st;
}

/* Is there an item at that place of the right side? */
static vt_status
has_right(vt_rt *rt, vt_value *s, uint32_t at, bool *yes)
{
	vt_value item = VT_UNDEF;
	*yes = at < vt_as_list(s[RIGHT])->n;
	if (*yes || s[SOURCE] == VT_UNDEF)
		return VT_OK;
	VT_TRY(vt_next(rt, s[SOURCE], &item));
	*yes = item != VT_UNDEF;
	if (!*yes)
		vt_clear(&s[SOURCE]);
	else
		VT_TRY(vt_list_keep(rt, vt_as_list(s[RIGHT]), item));
	return VT_OK;
}

/* The next left item and its key. False: the end, or an error. */
static bool
next_left(vt_rt *rt, vt_iter *it, vt_value *s, vt_status *st)
{
	vt_clear(&s[LEFT_ITEM]);
	vt_clear(&s[LEFT_KEY]);
	if (vt_is_sequence(it->v[0])) {
		const vt_list *l = vt_as_list(it->v[0]);
		*st = VT_OK;
		if (it->i[LEFT] < l->n)
			s[LEFT_ITEM] = vt_copy(l->v[it->i[LEFT]++]);
	} else {
		*st = vt_next(rt, it->v[0], &s[LEFT_ITEM]);
	}
	if (*st != VT_OK || s[LEFT_ITEM] == VT_UNDEF)
		return false;
	it->i[AT] = 0;
	if (it->i[STATE] == UNOPENED)
		*st = open_right(rt, it, s);
	else if (vt_as_list(s[RIGHT])->n > 0)
		*st = read_left_key(rt, it, s);
	vt_clear(&s[BUCKET]);
	if (*st == VT_OK && it->i[STATE] == INDEXED && is_constant(s[LEFT_ITEM]) &&
		can_be_key(s[LEFT_KEY])) {
		vt_value b = vt_dict_get(vt_as_dict(s[INDEX]), s[LEFT_KEY]);
		s[BUCKET] = b == VT_UNDEF ? VT_NULL : vt_copy(b);
	}
	return *st == VT_OK;
}

/* The key of the right side's item that stands at `at`; the first time it is read. */
static vt_status
key_at(vt_rt *rt, vt_iter *it, vt_value *s, uint32_t at, vt_value *key)
{
	const vt_lambda *p = VT_AS(vt_lambda, it->v[1]);
	vt_value argv[2] = {s[LEFT_ITEM], vt_as_list(s[RIGHT])->v[at]};
	vt_list *keys = vt_as_list(s[KEYS]);
	if (at < keys->n && keys->v[at] != VT_UNDEF) {
		*key = keys->v[at];
		return VT_OK;
	}
	VT_TRY(vt_code_direct(rt, p->code->right, p->scope, argv, key));
	if (vt_is(argv[1], DICT)) {
		vt_list_push(rt, keys, *key);
		return VT_OK;
	}
	if (at == keys->n)
		vt_list_push(rt, keys, VT_UNDEF);
	vt_move(&s[LOOSE_KEY], *key);
	return VT_OK;
}

/* The next partner of the left item, as a position; -1: there is no more. */
static vt_status
next_partner(vt_rt *rt, vt_iter *it, vt_value *s, int64_t *partner)
{
	vt_value key;
	bool more;
	*partner = -1;
	if (s[BUCKET] != VT_UNDEF) {
		const vt_list *b = s[BUCKET] == VT_NULL ? NULL : vt_as_list(s[BUCKET]);
		if (b != NULL && it->i[AT] < b->n)
			*partner = vt_toint(b->v[it->i[AT]++]);
		return VT_OK;
	}
	for (;;) {
		uint32_t at = (uint32_t)it->i[AT];
		VT_TRY(has_right(rt, s, at, &more));
		if (!more)
			break;
		it->i[AT]++;
		if (at > 0 ? !is_constant(s[LEFT_ITEM]) : s[LEFT_KEY] == VT_UNDEF)
			VT_TRY(read_left_key(rt, it, s));
		VT_TRY(key_at(rt, it, s, at, &key));
		if (vt_equal(rt, s[LEFT_KEY], key)) {
			*partner = at;
			return VT_OK;
		}
	}
	if (it->i[STATE] == READING)
		build_index(rt, it, s);
	return VT_OK;
}

static vt_status
next_join(vt_rt *rt, vt_iter *it, vt_value *out)
{
	vt_value *s = vt_as_list(it->v[3])->v, argv[2];
	vt_status st = VT_OK;
	int64_t partner = -1;
	*out = VT_UNDEF;
	while (partner < 0) {
		if (s[LEFT_ITEM] != VT_UNDEF)
			VT_TRY(next_partner(rt, it, s, &partner));
		if (partner < 0 && !next_left(rt, it, s, &st))
			return st;
	}
	argv[0] = s[LEFT_ITEM];
	argv[1] = vt_as_list(s[RIGHT])->v[partner];
	return vt_apply(rt, it->v[2], 2, argv, out);
}

/* ---- many at once ------------------------------------------------------------------------ */

/* Partners of text keys by their hash: what is here is borrowed, from the sides and the index. */
typedef struct near_bucket {
	const vt_str *key;
	const vt_list *bucket; /* NULL: no partners, or one */
	vt_value only;         /* that one, or VT_UNDEF */
} near_bucket;
/* p of the iterator, from the first bulk on. */
typedef struct lookups {
	const void
		*right_shape; /* of all items of the right side; NULL: they have none in common */
	uint32_t mask;
	bool borrows;       /* keys are the left side's, and stay */
	near_bucket near[]; /* by the key's hash & mask */
} lookups;

/* The shape that all n records have, or NULL. */
static const void *
shape_of_all(const vt_value *v, uint32_t n)
{
	const void *shape = n > 0 && vt_is(v[0], DICT) ? vt_as_dict(v[0])->shape : NULL;

	for (uint32_t i = 1; i < n && shape != NULL; i++)
		if (!vt_is(v[i], DICT) || vt_as_dict(v[i])->shape != shape)
			shape = NULL;
	return shape;
}

static lookups *
lookups_of(vt_iter *it)
{
	const vt_list *right = vt_as_list(vt_as_list(it->v[3])->v[RIGHT]);
	lookups *p = it->p;
	if (p == NULL) {
		uint32_t n = vt_as_list(it->v[0])->n < 1024 ? 32 : 256;
		it->p = p = vt_xzalloc(sizeof *p + n * sizeof *p->near);
		p->mask = n - 1;
		p->right_shape = shape_of_all(right->v, right->n);
	}
	return p;
}

static void
drop_lookups(vt_iter *it)
{
	free(it->p);
}

static near_bucket
look_up(const vt_dict *index, vt_value key, const vt_list *right)
{
	vt_value b = vt_dict_get(index, key);
	near_bucket made = {NULL, b == VT_UNDEF ? NULL : vt_as_list(b), VT_UNDEF};
	if (b != VT_UNDEF && made.bucket->n == 1) {
		made.only = right->v[vt_toint(made.bucket->v[0])];
		made.bucket = NULL;
	}
	return made;
}

static inline near_bucket
bucket_of(const vt_dict *index, vt_value key, const vt_list *right, lookups *look)
{
	const vt_str *s = vt_as_str(key);
	near_bucket *at;
	if (!vt_is(key, STR) || !look->borrows)
		return look_up(index, key, right);
	at = &look->near[(vt_str_hash(s) ^ vt_str_hash(s) >> 8) & look->mask];
	if (at->key == NULL || !vt_same_text(at->key, s)) {
		*at = look_up(index, key, right);
		at->key = s;
	}
	return *at;
}

/* Pairs that the selector gets, whole left items only: item[k] says of which. */
typedef struct pairs {
	uint32_t n;
	vt_value left[VT_BULK], right[VT_BULK];
	uint8_t item[VT_BULK];
} pairs;

static inline void
add_pair(pairs *p, uint32_t i, vt_value left, vt_value right)
{
	p->left[p->n] = left;
	p->right[p->n] = right;
	p->item[p->n++] = (uint8_t)i;
}

/* How many of the n left items fit into the room, or can be looked up. */
static uint32_t
collect_pairs(const vt_iter *it, uint32_t n, const vt_value *items, const vt_value *keys,
	uint32_t room, lookups *look, pairs *p)
{
	vt_value *s = vt_as_list(it->v[3])->v;
	const vt_list *right = vt_as_list(s[RIGHT]);
	const vt_dict *index = vt_as_dict(s[INDEX]);
	uint32_t i;
	for (i = 0; i < n && p->n < room && is_constant(items[i]) && can_be_key(keys[i]); i++) {
		near_bucket b = bucket_of(index, keys[i], right, look);
		if (b.only != VT_UNDEF)
			add_pair(p, i, items[i], b.only);
		if (b.bucket == NULL)
			continue;
		if (b.bucket->n > room - p->n)
			break;
		for (uint32_t k = 0; k < b.bucket->n; k++)
			add_pair(p, i, items[i], right->v[vt_toint(b.bucket->v[k])]);
	}
	return i;
}

/* With an index, a left side that is a list, and whose last item has had all its partners. */
static bool
can_go_ahead(const vt_iter *it)
{
	const vt_value *s = vt_as_list(it->v[3])->v;
	const vt_list *l = s[BUCKET] == VT_UNDEF  ? vt_as_list(s[RIGHT])
			   : s[BUCKET] == VT_NULL ? NULL
						  : vt_as_list(s[BUCKET]);
	return it->i[STATE] == INDEXED && vt_is_sequence(it->v[0]) &&
	       (l == NULL || it->i[AT] >= l->n);
}

/* One piece of the left side; *went_on: the whole of it was taken. */
static uint32_t
join_piece(vt_iter *it, vt_batch *keys, vt_batch *made, const vt_lambda_program *left,
	const vt_lambda_program *selector, lookups *look, uint32_t room, vt_value *out,
	vt_output *output, bool *went_on)
{
	const vt_list *l = vt_as_list(it->v[0]);
	const vt_value *items = l->v + it->i[LEFT], *key;
	uint32_t n = l->n - (uint32_t)it->i[LEFT], took, ready;
	pairs p;
	p.n = 0;
	n = n < VT_BULK ? n : VT_BULK;
	took = vt_batch_fill_list(keys, left, n, items, l->n - (uint32_t)it->i[LEFT] - n);
	key = took ? vt_batch_results(keys, left, &took) : NULL;
	look->borrows = !vt_batch_owns_results(keys, left);
	took = took ? collect_pairs(it, took, items, key, room, look, &p) : 0;
	ready = p.n ? vt_batch_fill_known(made, selector, p.n, p.left, p.right, keys->known[0],
			      look->right_shape)
		    : 0;
	if (ready < p.n) {
		took = p.item[ready];
		while (ready > 0 && p.item[ready - 1] == took)
			ready--;
	}
	p.n = ready ? vt_batch_make(made, selector, ready, out, output) : 0;
	if (p.n < ready) { /* not all could be made */
		for (uint32_t i = 0; i < p.n; i++)
			vt_release(out[i]);
		*went_on = false;
		return 0;
	}
	it->i[LEFT] += took;
	*went_on = took == n && it->i[LEFT] < l->n;
	return p.n;
}

static uint32_t
bulk_join(vt_rt *rt, vt_iter *it, uint32_t room, vt_value *out)
{
	const vt_lambda *p = VT_AS(vt_lambda, it->v[1]);
	const vt_lambda_program *selector = vt_lambda_program_of(rt, it->v[2], 2),
				*left = p->code->left->program;
	vt_batch *keys, *made;
	uint32_t n = 0;
	bool go_on = true, wants_plain = (it->h.aux & VT_WANTS_PLAIN) != 0, plain = true;
	vt_output output = {.counts = (it->h.aux & VT_WANTS_COUNT) != 0,
		.shares = (it->h.aux & VT_SHARES) != 0};
	vt_list *right;
	if (selector == NULL || left == NULL || left->nargs != 1 ||
		!vt_lambda_program_usable(rt, p->code->left, p->scope) || !can_go_ahead(it))
		return 0;
	keys = vt_batch_new(rt, p->scope);
	made = vt_batch_new(rt, vt_scope_of(it->v[2]));
	right = vt_as_list(vt_as_list(it->v[3])->v[RIGHT]);
	if (vt_can_borrow(vt_as_list(it->v[0]), right)) {
		output.from[0] = vt_as_list(it->v[0]);
		output.from[1] = right;
	}
	while (go_on && n < room) {
		n += join_piece(it, keys, made, left, selector, lookups_of(it),
			room - n < VT_BULK ? room - n : VT_BULK, out + n,
			wants_plain || output.counts ? &output : NULL, &go_on);
		plain = plain && output.plain;
	}
	if (wants_plain && plain)
		it->h.aux = VT_GAVE_PLAIN;
	vt_batch_free(made);
	vt_batch_free(keys);
	return n;
}

static const vt_iter_ops join_ops = {next_join, drop_lookups, "generator", 272, bulk_join};

vt_status
vt_join_by_key(vt_args *a, vt_value *out)
{
	vt_value source = VT_UNDEF;
	vt_status st;
	vt_iter *it;
	vt_list *s;
	if (vt_is_sequence(a->v[0]) && a->unit->opt.limit_iterators < 0)
		source = vt_copy(a->v[0]);
	else
		VT_TRY(vt_iterate_limited(a->rt, a->unit, a->v[0], &source));
	it = vt_iter_new(a->rt, &join_ops);
	s = vt_list_new(a->rt, VT_K_LIST, NSTATE);
	it->v[0] = source;
	it->v[1] = vt_copy(a->v[2]);
	it->v[2] = vt_copy(a->v[3]);
	it->v[3] = vt_mkptr(s);
	*out = vt_mkptr(it);
	if (vt_is_sequence(a->v[1])) {
		s->v[RIGHT] = vt_copy(a->v[1]);
		s->v[KEYS] = vt_mkptr(vt_list_grow(a->rt, VT_K_LIST, vt_as_list(a->v[1])->n));
		return VT_OK;
	}
	s->v[RIGHT] = vt_mkptr(vt_list_grow(a->rt, VT_K_LIST, 8));
	s->v[KEYS] = vt_mkptr(vt_list_grow(a->rt, VT_K_LIST, 8));
	it->i[STATE] = UNOPENED;
	st = vt_iterate_limited(a->rt, a->unit, a->v[1], &s->v[SOURCE]);
	if (st != VT_OK)
		vt_clear(out);
	return st;
}
