/*
 * join.c - join() whose predicate is an equation of a member of $1 and one of $2.
 *
 * The pairs come in the order of the nested loops, and so do errors: for the first item of the left
 * side the keys of the right side are read one after the other, as the loop would read them; once
 * all have been read they are indexed, and from then on a left item finds its partners by its key.
 * The right side holds dicts only, whose members cannot change meanwhile.  Where a key cannot be
 * looked up (unhashable, or NaN, which equals nothing) it is compared with all others.
 */
#include "term.h"

#include <string.h>

/* v[0]: the left side, a list or an iterator. v[3]: a list of these. */
enum { RIGHT, LEFT_ITEM, LEFT_KEY, KEYS, INDEX, BUCKET, NSTATE };
/* i[]: position in the right side or in the bucket; is there an index?; position in a left side
 * that is a list */
enum { AT, STATE, LEFT };
enum { READING, INDEXED, COMPARING };

bool
vt_can_look_up(vt_rt *rt, vt_value left, vt_value right, vt_value predicate)
{
	const vt_code *c = vt_is(predicate, LAMBDA) ? VT_AS(vt_lambda, predicate)->code : NULL;
	if (c == NULL || c->left == NULL || c->left->direct == NULL || c->right->direct == NULL ||
		VT_AS(vt_lambda, predicate)->scope == NULL || rt->s->host_hides || vt_metered(rt) ||
		!vt_is_sequence(right) || vt_is(left, ORDERING))
		return false;
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
can_be_key(vt_value v)
{
	uint64_t hash;
	if (vt_is_int(v) || vt_is(v, STR))
		return true;
	return !(vt_is(v, FLOAT) && vt_as_float(v) != vt_as_float(v)) && vt_hash_try(v, &hash);
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
		if (!can_be_key(keys->v[i])) {
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
	return p->code->left->direct(rt, p->scope, argv, &s[LEFT_KEY]);
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
	if (vt_as_list(s[RIGHT])->n > 0)
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
	vt_list *keys = vt_as_list(s[KEYS]);
	if (at == keys->n) {
		vt_value argv[2] = {s[LEFT_ITEM], vt_as_list(s[RIGHT])->v[at]};
		VT_TRY(p->code->right->direct(rt, p->scope, argv, key));
		vt_list_push(rt, keys, *key);
	}
	*key = keys->v[at];
	return VT_OK;
}

/* The next partner of the left item, as a position; -1: there is no more. */
static vt_status
next_partner(vt_rt *rt, vt_iter *it, vt_value *s, int64_t *partner)
{
	const vt_list *right = vt_as_list(s[RIGHT]);
	vt_value key;
	*partner = -1;
	if (s[BUCKET] != VT_UNDEF) {
		const vt_list *b = s[BUCKET] == VT_NULL ? NULL : vt_as_list(s[BUCKET]);
		if (b != NULL && it->i[AT] < b->n)
			*partner = vt_toint(b->v[it->i[AT]++]);
		return VT_OK;
	}
	while (it->i[AT] < right->n) {
		uint32_t at = (uint32_t)it->i[AT]++;
		if (at > 0 && !is_constant(s[LEFT_ITEM]))
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

/* ---- many at once -----------------------------------------------------------------------------
 */

/* Buckets of text keys by their hash; keys and buckets are borrowed. */
enum { NEAR = 64 };
typedef struct near_bucket {
	const vt_str *key;
	const vt_list *bucket; /* NULL: no partners */
} near_bucket;

static const vt_list *
bucket_of(const vt_dict *index, vt_value key, near_bucket *near)
{
	const vt_str *s = vt_as_str(key);
	near_bucket *at = vt_is(key, STR) ? &near[vt_str_hash(s) % NEAR] : NULL;
	vt_value b;
	if (at != NULL && at->key != NULL && vt_str_eq(at->key, s))
		return at->bucket;
	b = vt_dict_get(index, key);
	if (at != NULL)
		*at = (near_bucket){s, b == VT_UNDEF ? NULL : vt_as_list(b)};
	return b == VT_UNDEF ? NULL : vt_as_list(b);
}

/* Pairs that the selector gets, whole left items only: item[k] says of which. */
typedef struct pairs {
	uint32_t n;
	vt_value left[VT_BULK], right[VT_BULK];
	uint8_t item[VT_BULK];
} pairs;

/* How many of the n left items fit into the room, or can be looked up. */
static uint32_t
collect_pairs(const vt_iter *it, uint32_t n, const vt_value *items, const vt_value *keys,
	uint32_t room, near_bucket *near, pairs *p)
{
	vt_value *s = vt_as_list(it->v[3])->v;
	const vt_list *right = vt_as_list(s[RIGHT]), *b;
	uint32_t i;
	for (i = 0; i < n && is_constant(items[i]) && can_be_key(keys[i]); i++) {
		b = bucket_of(vt_as_dict(s[INDEX]), keys[i], near);
		if (b == NULL)
			continue;
		if (b->n > room - p->n)
			break;
		for (uint32_t k = 0; k < b->n; k++, p->n++) {
			p->left[p->n] = items[i];
			p->right[p->n] = right->v[vt_toint(b->v[k])];
			p->item[p->n] = (uint8_t)i;
		}
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
join_piece(vt_iter *it, vt_sheet *keys, vt_sheet *made, const vt_terms *left,
	const vt_terms *selector, near_bucket *near, uint32_t room, vt_value *out, bool *went_on)
{
	const vt_list *l = vt_as_list(it->v[0]);
	const vt_value *items = l->v + it->i[LEFT];
	uint32_t n = l->n - (uint32_t)it->i[LEFT], took, ready;
	pairs p = {.n = 0};
	n = n < VT_BULK ? n : VT_BULK;
	took = vt_sheet_fill(keys, left, n, items, NULL);
	took = took ? collect_pairs(it, took, items, vt_sheet_column(keys, left), room, near, &p)
		    : 0;
	ready = p.n ? vt_sheet_fill(made, selector, p.n, p.left, p.right) : 0;
	if (ready < p.n) {
		took = p.item[ready];
		while (ready > 0 && p.item[ready - 1] == took)
			ready--;
	}
	p.n = ready ? vt_sheet_make(made, selector, ready, out) : 0;
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
	const vt_terms *selector = vt_terms_of(rt, it->v[2], 2), *left = p->code->left->terms;
	near_bucket near[NEAR];
	vt_sheet *keys, *made;
	uint32_t n = 0;
	bool go_on = true;
	if (selector == NULL || !vt_terms_are_column(left) || left->nargs != 1 ||
		!vt_code_terms(rt, p->code->left, p->scope) || !can_go_ahead(it))
		return 0;
	memset(near, 0, sizeof near);
	keys = vt_sheet_new(rt);
	made = vt_sheet_new(rt);
	while (go_on && n < room)
		n += join_piece(it, keys, made, left, selector, near,
			room - n < VT_BULK ? room - n : VT_BULK, out + n, &go_on);
	vt_sheet_free(made);
	vt_sheet_free(keys);
	return n;
}

static const vt_iter_ops join_ops = {next_join, NULL, "generator", 272, bulk_join};

vt_status
vt_join_by_key(vt_args *a, vt_value *out)
{
	vt_value source = VT_UNDEF;
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
	s->v[RIGHT] = vt_copy(a->v[1]);
	s->v[KEYS] = vt_mkptr(vt_list_grow(a->rt, VT_K_LIST, vt_as_list(a->v[1])->n));
	*out = vt_mkptr(it);
	return VT_OK;
}
