/*
 * batch_order.c - what becomes of a list that a pipeline inside of a lambda has made: its items
 * once each, from the last to the first, or in order.  Such lists are short, so they are sorted by
 * comparing.
 */
#include "runtime/seq/batch.h"

#include "runtime/core/dict.h"
#include "runtime/core/number.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 16 };

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

/* spare: room for the first half of both. */
static void
merge(uint32_t n, vt_value *key, vt_value *v, int before, vt_value *spare)
{
	uint32_t half = n / 2, i = 0, j = half, to = 0;
	vt_value *left = spare + half;

	memcpy(spare, key, half * sizeof *key);
	memcpy(left, v, half * sizeof *v);
	while (i < half) {
		if (j < n && comes_first(key[j], spare[i], before)) {
			key[to] = key[j];
			v[to++] = v[j++];
		} else {
			key[to] = spare[i];
			v[to++] = left[i++];
		}
	}
}

static void
sort(uint32_t n, vt_value *key, vt_value *v, int before, vt_value *spare)
{
	uint32_t half = n / 2;

	if (n <= FEW) {
		insertion(n, key, v, before);
		return;
	}
	sort(half, key, v, before, spare);
	sort(n - half, key + half, v + half, before, spare);
	if (comes_first(key[half], key[half - 1], before))
		merge(n, key, v, before, spare);
}

bool
vt_batch_sort(uint32_t n, vt_value *key, vt_value *v, bool falling)
{
	vt_value few[FEW];
	vt_value *room = NULL;

	if (n < 2)
		return n == 0 || are_ordered(n, key);
	if (!are_ordered(n, key))
		return false;
	if (n > FEW)
		room = vt_xmalloc((size_t)2 * n * sizeof *room);
	if (key == v) { /* what is moved along may be the keys themselves */
		key = n > FEW ? room + n : few;
		memcpy(key, v, n * sizeof *key);
	}
	sort(n, key, v, falling ? 1 : -1, room);
	free(room);
	return true;
}

/* ---- each once ---- */

static bool
is_among(uint32_t n, const vt_value *v, vt_value x)
{
	const vt_str *s;

	if (vt_is_int(x)) {
		for (uint32_t i = 0; i < n; i++)
			if (v[i] == x)
				return true;
		return false;
	}
	s = vt_as_str(x);
	for (uint32_t i = 0; i < n; i++) {
		const vt_str *of = vt_as_str(v[i]);
		if (of == s || (of->bytes == s->bytes && memcmp(of->s, s->s, s->bytes) == 0))
			return true;
	}
	return false;
}

/* Small integers alone, or texts alone. */
static bool
are_alike(const vt_list *l)
{
	bool texts = l->n > 0 && vt_is(l->v[0], STR);

	for (uint32_t i = 0; i < l->n; i++)
		if (texts ? !vt_is(l->v[i], STR) : !vt_is_int(l->v[i]))
			return false;
	return true;
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

	if (l->n > FEW || !are_alike(l))
		return distinct_many(rt, l);
	for (uint32_t i = 0; i < l->n; i++) {
		if (is_among(n, l->v, l->v[i]))
			vt_release(l->v[i]);
		else
			l->v[n++] = l->v[i];
	}
	l->n = n;
	return true;
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
