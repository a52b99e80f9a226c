/*
 * batch_order.c - what becomes of a list that a pipeline inside of a lambda has made: its items
 * once each, from the last to the first, in groups, or in order.  Such lists are mostly short:
 * these are sorted by comparing.
 */
#include "runtime/seq/batch.h"
#include "runtime/seq/seq.h"

#include "runtime/core/blocks.h"
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"

#include <stdlib.h>
#include <string.h>

/* BRIEF: comparing each with each costs as much as merging two halves. */
enum { FEW = VT_ORDER_FEW, BRIEF = 8, LONG = 48 };

/* ---- order ---- */

bool
vt_batch_ordered(vt_value a, vt_value b)
{
	return (vt_is_number(a) && vt_is_number(b)) || (vt_is(a, STR) && vt_is(b, STR));
}

int
vt_batch_order(vt_value a, vt_value b)
{
	int c;

	if (vt_both_int(a, b))
		return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
	if (vt_is_float_word(a) && vt_is_float_word(b))
		return (vt_float_of_word(a) > vt_float_of_word(b)) -
		       (vt_float_of_word(a) < vt_float_of_word(b));
	if (!vt_is(a, STR))
		return vt_num_cmp(a, b);
	c = vt_str_cmp(vt_as_str(a), vt_as_str(b));
	return (c > 0) - (c < 0);
}

/* Numbers alone, of which each has a place, or texts alone. */
static bool
are_ordered(uint32_t n, const vt_value *key)
{
	for (uint32_t i = 0; i < n; i++) {
		if (vt_both_int(key[0], key[i]))
			continue;
		if (!vt_batch_ordered(key[0], key[i]) || vt_batch_order(key[i], key[i]) != 0)
			return false;
	}
	return true;
}

static inline bool
comes_first(vt_value a, vt_value b, int before)
{
	if (likely(vt_both_int(a, b)))
		return before < 0 ? (int64_t)a < (int64_t)b : (int64_t)a > (int64_t)b;
	return vt_batch_order(a, b) == before;
}

/* before: what order() says of two that stand in order. */
static void
insertion(uint32_t n, vt_value *key, vt_value *v, int before)
{
	for (uint32_t i = 1; i < n; i++) {
		vt_value k = key[i], x = v[i];
		uint32_t at = i;
		for (; at > 0 && comes_first(k, key[at - 1], before); at--) {
			key[at] = key[at - 1];
			v[at] = v[at - 1];
		}
		key[at] = k;
		v[at] = x;
	}
}

static void
sort_few(uint32_t n, vt_value *key, vt_value *v, int before)
{
	vt_value was[2][FEW];
	uint8_t order[FEW];

	if (!vt_order_few(n, key, before > 0, order)) {
		insertion(n, key, v, before);
		return;
	}
	memcpy(was[0], key, n * sizeof *key);
	memcpy(was[1], v, n * sizeof *v);
	for (uint32_t i = 0; i < n; i++) {
		key[i] = was[0][order[i]];
		v[i] = was[1][order[i]];
	}
}

/* spare: room for the first half of both. */
static void
merge(uint32_t n, vt_value *key, vt_value *v, int before, vt_value *spare)
{
	uint32_t half = n / 2, i = 0, j = half, to = 0;
	vt_value *left = spare + half;

	memcpy(spare, key, half * sizeof *key);
	memcpy(left, v, half * sizeof *v);
	while (i < half && j < n) {
		bool right = comes_first(key[j], spare[i], before);
		key[to] = vt_pick(right, key[j], spare[i]);
		v[to++] = vt_pick(right, v[j], left[i]);
		j += right;
		i += !right;
	}
	for (; i < half; i++) {
		key[to] = spare[i];
		v[to++] = left[i];
	}
}

static void
sort(uint32_t n, vt_value *key, vt_value *v, int before, vt_value *spare)
{
	uint32_t half = n / 2;

	if (n <= BRIEF) {
		sort_few(n, key, v, before);
		return;
	}
	sort(half, key, v, before, spare);
	sort(n - half, key + half, v + half, before, spare);
	if (comes_first(key[half], key[half - 1], before))
		merge(n, key, v, before, spare);
}

/* By words of the keys, which takes as long for each of many.  False: they are not for it. */
static bool
sort_many(vt_rt *rt, uint32_t n, const vt_value *key, vt_value *v, bool falling)
{
	vt_value *column = vt_block_new(rt->s->heap, (size_t)n * (2 * sizeof *v + 8));
	vt_value *was = column + n;
	uint32_t *order = (uint32_t *)(void *)(was + n);
	uint8_t *tied = (uint8_t *)(order + n);
	bool exact = false;

	memcpy(column, key, n * sizeof *column);
	memcpy(was, v, n * sizeof *was);
	if (vt_sort_columns(rt, n, 1, &column, falling, order, &exact, tied) && exact)
		for (uint32_t i = 0; i < n; i++)
			v[i] = was[order[i]];
	else
		exact = false;
	vt_block_free(column);
	return exact;
}

bool
vt_batch_sort(vt_rt *rt, uint32_t n, vt_value *key, vt_value *v, bool falling)
{
	vt_value few[2 * FEW], *room = few;

	if (n < 2)
		return n == 0 || are_ordered(n, key);
	if (!are_ordered(n, key))
		return false;
	if (n > LONG && sort_many(rt, n, key, v, falling))
		return true;
	if (n > FEW)
		room = vt_xmalloc((size_t)2 * n * sizeof *room);
	if (key == v) /* what is moved along may be the keys themselves */
		key = memcpy(room + n, v, n * sizeof *key);
	sort(n, key, v, falling ? 1 : -1, room);
	if (room != few)
		free(room);
	return true;
}

/* ---- order by rows of keys ---- */

/* What is sorted: positions, by their rows. */
typedef struct rows {
	uint32_t m;
	const vt_value *key;
	unsigned falls;
} rows;

static bool
row_comes_first(const rows *r, uint32_t a, uint32_t b)
{
	for (uint32_t k = 0; k < r->m; k++) {
		int c = vt_batch_order(r->key[a * r->m + k], r->key[b * r->m + k]);
		if (c != 0)
			return c == (r->falls >> k & 1 ? 1 : -1);
	}
	return false;
}

/* By halves, into the first of both; to[] begins with the same. */
static void
sort_rows(const rows *r, uint32_t n, uint32_t *to, uint32_t *spare)
{
	uint32_t half = n / 2, i = 0, j = half;

	if (n < 2)
		return;
	sort_rows(r, half, spare, to);
	sort_rows(r, n - half, spare + half, to + half);
	for (uint32_t k = 0; k < n; k++)
		to[k] = i < half && (j == n || !row_comes_first(r, spare[j], spare[i]))
				? spare[i++]
				: spare[j++];
}

bool
vt_batch_sort_rows(uint32_t n, uint32_t m, const vt_value *key, unsigned falls, vt_value *v)
{
	rows r = {m, key, falls};
	uint32_t few[2 * FEW], *at = few;
	vt_value items[FEW], *was = items;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < m; k++)
			if (!vt_batch_ordered(key[k], key[i * m + k]) ||
				vt_batch_order(key[i * m + k], key[i * m + k]) != 0)
				return false;
	if (n > FEW) {
		was = vt_xmalloc((size_t)n * sizeof *was);
		at = vt_xmalloc((size_t)2 * n * sizeof *at);
	}
	for (uint32_t i = 0; i < n; i++) {
		at[i] = at[n + i] = i;
		was[i] = v[i];
	}
	sort_rows(&r, n, at, at + n);
	for (uint32_t i = 0; i < n; i++)
		v[i] = was[at[i]];
	if (n > FEW) {
		free(was);
		free(at);
	}
	return true;
}

/* ---- each once ---- */

static bool
is_among(uint32_t n, const vt_value *v, vt_value x)
{
	const vt_str *s;

	if (!vt_is_ptr(x)) {
		for (uint32_t i = 0; i < n; i++)
			if (v[i] == x)
				return true;
		return false;
	}
	s = vt_as_str(x);
	for (uint32_t i = 0; i < n; i++) {
		if (vt_same_text(vt_as_str(v[i]), s))
			return true;
	}
	return false;
}

/* A float is a word, and one like no other.  Zeros have two words, and of those that are no numbers
 * each is another. */
static bool
is_plain_float(vt_value v)
{
	double d;

	if (!vt_is_float_word(v))
		return false;
	d = vt_float_of(v);
	return d < 0 || d > 0;
}

/* Small integers alone, floats alone or texts alone: the same where they are one word or text. */
static bool
are_alike(const vt_list *l)
{
	vt_value first = l->n > 0 ? l->v[0] : VT_NULL;
	uint32_t i = 0;

	if (vt_is_int(first))
		while (i < l->n && vt_is_int(l->v[i]))
			i++;
	else if (vt_is(first, STR))
		while (i < l->n && vt_is(l->v[i], STR))
			i++;
	else
		while (i < l->n && is_plain_float(l->v[i]))
			i++;
	return i == l->n;
}

static inline bool
same_item(bool texts, vt_value a, vt_value b)
{
	const vt_str *x = vt_as_str(a), *y = vt_as_str(b);

	if (a == b || !texts)
		return a == b;
	return x->bytes == y->bytes && vt_str_hash(x) == vt_str_hash(y) &&
	       vt_same_bytes(x->s, y->s, x->bytes);
}

/* Of such as are alike: by a table of the positions, one up, of those that stay. */
static void
distinct_alike(vt_list *l)
{
	enum { FEW_PLACES = 1024 };
	uint32_t bits = 6, few[FEW_PLACES], *at = few, n = 0;
	bool texts = vt_is(l->v[0], STR);

	while (1u << bits < 2 * l->n)
		bits++;
	if (1u << bits > FEW_PLACES)
		at = vt_xmalloc((sizeof *at) << bits);
	memset(at, 0, (sizeof *at) << bits);
	for (uint32_t i = 0; i < l->n; i++) {
		vt_value v = l->v[i];
		uint64_t h = texts ? vt_str_hash(vt_as_str(v)) : v;
		uint32_t k = (uint32_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits));
		while (at[k] != 0 && !same_item(texts, l->v[at[k] - 1], v))
			k = (k + 1) & ((1u << bits) - 1);
		if (at[k] != 0) {
			vt_release(v);
			continue;
		}
		l->v[n++] = v;
		at[k] = n;
	}
	l->n = n;
	if (at != few)
		free(at);
}

static bool
distinct_many(vt_rt *rt, vt_list *l)
{
	vt_set *seen;
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++)
		if (vt_is_ptr(l->v[i]) && vt_head_of(l->v[i])->kind > VT_K_STR)
			return false;
	seen = vt_set_new(rt);
	for (uint32_t i = 0; i < l->n; i++) {
		if (vt_set_has(seen, l->v[i])) {
			vt_release(l->v[i]);
			continue;
		}
		(void)vt_set_add(rt, seen, l->v[i]);
		l->v[n++] = l->v[i];
	}
	l->n = n;
	vt_release(vt_mkptr(seen));
	return true;
}

bool
vt_batch_distinct(vt_rt *rt, vt_list *l)
{
	uint32_t n = 0;

	if (!are_alike(l))
		return distinct_many(rt, l);
	if (l->n > FEW && l->n >> 28 == 0) {
		distinct_alike(l);
		return true;
	}
	for (uint32_t i = 0; i < l->n; i++) {
		if (is_among(n, l->v, l->v[i]))
			vt_release(l->v[i]);
		else
			l->v[n++] = l->v[i];
	}
	l->n = n;
	return true;
}

/* ---- groups ---- */

static bool
is_key(vt_value v)
{
	if (!vt_is_ptr(v))
		return v != VT_UNDEF;
	if (vt_is(v, FLOAT))
		return vt_num_cmp(v, v) == 0;
	return vt_head_of(v)->kind <= VT_K_STR || vt_hashable(v);
}

static bool
same_key(vt_value a, vt_value b)
{
	if (a == b || vt_both_int(a, b))
		return a == b;
	if (vt_is(a, STR) && vt_is(b, STR))
		return vt_same_text(vt_as_str(a), vt_as_str(b));
	return vt_same(a, b);
}

/* Where the group of the key is; groups->n: there is none yet. */
static uint32_t
group_at(vt_rt *rt, const vt_list *groups, vt_value *index, vt_value key)
{
	vt_value found;

	if (groups->n <= FEW) {
		for (uint32_t i = 0; i < groups->n; i++)
			if (same_key(vt_as_list(groups->v[i])->v[0], key))
				return i;
		return groups->n;
	}
	if (*index == VT_UNDEF) {
		*index = vt_mkptr(vt_dict_new_hashed(rt, false));
		for (uint32_t i = 0; i < groups->n; i++)
			(void)vt_dict_put(rt, vt_as_dict(*index), vt_as_list(groups->v[i])->v[0],
				vt_mkint(i));
	}
	found = vt_dict_get(vt_as_dict(*index), key);
	return found != VT_UNDEF ? (uint32_t)vt_toint(found) : groups->n;
}

bool
vt_batch_group(vt_rt *rt, vt_list *groups, vt_value *index, vt_value key, vt_value v)
{
	uint32_t at = is_key(key) && v != VT_UNDEF ? group_at(rt, groups, index, key) : UINT32_MAX;

	if (at == UINT32_MAX)
		return false;
	if (at == groups->n) {
		vt_value values = vt_mkptr(vt_list_grow(rt, VT_K_LIST, 4));
		if (*index != VT_UNDEF)
			(void)vt_dict_put(rt, vt_as_dict(*index), key, vt_mkint(at));
		vt_list_push(rt, groups, vt_pair_of(rt->s->heap, key, values));
		vt_release(values);
	}
	vt_list_push(rt, vt_as_list(vt_as_list(groups->v[at])->v[1]), vt_copy(v));
	return true;
}

bool
vt_batch_groups_are_old(const vt_list *groups)
{
	const vt_list *l = groups->n > 0 ? vt_as_list(vt_as_list(groups->v[0])->v[1]) : NULL;

	return l == NULL || l->n < 2 || vt_is_number(l->v[1]) || !vt_is_ptr(l->v[1]);
}

void
vt_batch_turn(vt_list *l)
{
	for (uint32_t i = 0, j = l->n; i + 1 < j; i++) {
		vt_value v = l->v[i];
		l->v[i] = l->v[--j];
		l->v[j] = v;
	}
}
