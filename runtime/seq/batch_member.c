/* batch_member.c - steps of lambda programs that read members of dicts, properties of objects, or
 * an item of a list. */
#include "runtime/seq/batch.h"
#include "runtime/core/bytes.h"
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"
#include <stdlib.h>

/* What an item of the next batch is wanted for. */
static inline void
ask_ahead(uintptr_t next, size_t slot)
{
	__builtin_prefetch((const char *)(next + sizeof(vt_record) + 8 * slot));
	if (sizeof(vt_record) + 8 * slot > 64)
		__builtin_prefetch((const char *)next);
}

/* Those from i on that have the shape; where they end.  What a step will want next is asked of the
 * memory meanwhile: `ahead` the items of the next batch, `texts` the values. */
static inline __attribute__((always_inline)) uint32_t
members(const vt_value *from, vt_value *v, uint32_t i, uint32_t n, const void *shape, size_t slot,
	bool ahead, bool texts)
{
	for (; i < n; i++) {
		const vt_record *r = (const vt_record *)(uintptr_t)from[i];
		if (ahead)
			ask_ahead(from[i + VT_BULK], slot);
		if (!vt_is_ptr(from[i]) || r->h.kind != VT_K_DICT || r->shape != shape)
			break;
		v[i] = r->v[slot];
		if (texts)
			__builtin_prefetch((const char *)(uintptr_t)v[i]);
	}
	return i;
}

static uint32_t
members_of(const vt_value *from, vt_value *v, uint32_t i, uint32_t n, const void *shape,
	size_t slot, bool ahead)
{
	const vt_record *r = (const vt_record *)(uintptr_t)from[i];

	if (!vt_is_ptr(from[i]) || r->h.kind != VT_K_DICT || r->shape != shape)
		return i;
	if (vt_is_ptr(r->v[slot]))
		return ahead ? members(from, v, i, n, shape, slot, true, true)
			     : members(from, v, i, n, shape, slot, false, true);
	return ahead ? members(from, v, i, n, shape, slot, true, false)
		     : members(from, v, i, n, shape, slot, false, false);
}

/* Nothing has to be looked at. */
static void
known_members(const vt_value *from, vt_value *v, uint32_t n, size_t slot)
{
	if (vt_is_ptr(((const vt_record *)(uintptr_t)from[0])->v[slot])) {
		for (uint32_t i = 0; i < n; i++) {
			v[i] = ((const vt_record *)(uintptr_t)from[i])->v[slot];
			__builtin_prefetch((const char *)(uintptr_t)v[i]);
		}
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		v[i] = ((const vt_record *)(uintptr_t)from[i])->v[slot];
}

/* Which of the given columns it is; -1: none. */
static int
given(const vt_batch *s, const vt_value *from)
{
	return from == s->given[0] ? 0 : from == s->given[1] ? 1 : -1;
}

/*
 * The same of records of any shape that has the key in one of two places, which most often it has:
 * what has one key more or less begins with the same ones.  Which of the shapes the next record has
 * is nobody's guess, so no branch asks.
 */
static uint32_t
alike(const vt_value *from, vt_value *v, uint32_t i, uint32_t n, const vt_str *key,
	const size_t place[2], bool ahead)
{
	bool texts = i > 0 && vt_is_ptr(v[i - 1]);

	for (; i < n; i++) {
		const vt_record *r = (const vt_record *)(uintptr_t)from[i];
		const vt_shape *shape;
		size_t at;
		if (ahead)
			ask_ahead(from[i + VT_BULK], place[0]);
		if (!vt_is_ptr(from[i]) || r->h.kind != VT_K_DICT || (shape = r->shape) == NULL)
			break;
		at = place[0] < shape->n && shape->key[place[0]] == key;
		at = place[1] ^ ((place[0] ^ place[1]) & -at);
		if (at >= shape->n || shape->key[at] != key)
			break;
		v[i] = r->v[at];
		if (texts)
			__builtin_prefetch((const char *)(uintptr_t)v[i]);
	}
	return i;
}

/* any: stands for no shape. */
static uint32_t
any_members(const vt_lambda_step *t, const vt_value *from, vt_value *v, uint32_t n, const void *any,
	const void *shape, size_t slot, bool ahead, const void **known)
{
	const vt_str *key = shape == any ? NULL : ((const vt_shape *)shape)->key[slot];
	uint32_t i = key == NULL ? 0 : members_of(from, v, 0, n, shape, slot, ahead);
	size_t place[2] = {slot, slot};

	*known = i == n ? shape : NULL;
	if (i < n && key != NULL)
		i = alike(from, v, i, n, key, place, ahead);
	for (; i < n; i = alike(from, v, i, n, key, place, ahead)) {
		const vt_dict *d = vt_as_dict(from[i]);
		int at = -1;
		if (vt_is(from[i], DICT) && d->shape != NULL)
			at = vt_shape_find(d->shape, t->heap);
		if (at < 0)
			return i;
		v[i++] = d->v[at];
		place[1] = (size_t)at;
		if (key != NULL)
			continue;
		key = d->shape->key[at];
		place[0] = place[1];
	}
	return n;
}

/* What is owned already stays so. */
static void
adopt(vt_batch *s, uint32_t r, uint32_t n)
{
	vt_value *v = s->v + (size_t)r * s->cap;

	if (s->owns >> r & 1)
		return;
	for (uint32_t i = 0; i < s->at + n; i++)
		if (v[i] != VT_UNDEF)
			vt_retain(v[i]);
	vt_batch_own(s, r);
}

/* Members of lists, dates and the like, one by one, from the s->n-th on. */
static void
ask_members(vt_batch *s, const vt_lambda_step *t, uint32_t r, const vt_value *from, uint32_t n)
{
	vt_value *v = s->v + (size_t)r * s->cap + s->at;
	bool fresh = s->owns >> t->a & 1;
	uint32_t i = s->n;

	if (from[i] == VT_UNDEF || vt_is(from[i], DICT) || !vt_is_ptr(from[i]) ||
		!vt_is_data(from[i], fresh) || !vt_step_counts(s, t, i))
		return;
	adopt(s, r, i);
	for (; i < n; i++) {
		v[i] = VT_UNDEF;
		if (from[i] == VT_UNDEF || !vt_is_ptr(from[i]) || vt_is(from[i], DICT) ||
			!vt_is_data(from[i], fresh) || !vt_step_counts(s, t, i))
			break;
		if (s->rt->s->calls->attr(s->rt, s->scope, t->by, from[i], &v[i]) != VT_OK) {
			vt_exc_clear(s->rt);
			break;
		}
		if (t->flags & VT_STEP_SHARED && vt_is(v[i], ITER)) {
			vt_clear(&v[i]);
			break;
		}
	}
	s->n = i;
}

/* Properties of the objects, from the s->n-th on: borrowed as members are.  Code may change them,
 * so only where none runs before they have been used. */
static void
read_properties(vt_batch *s, const vt_lambda_step *t, const vt_value *from, vt_value *v, uint32_t n)
{
	const vt_ic *ic = vt_ic_at(s->rt, t->ic);
	uint32_t i = s->n;

	for (; i < n && from[i] != VT_UNDEF && vt_is(from[i], OBJECT); i++) {
		v[i] = vt_member_of(ic, from[i]);
		if (v[i] == VT_UNDEF &&
			(v[i] = s->rt->s->calls->learn(s->rt, t->by, from[i])) == VT_UNDEF)
			break;
	}
	s->n = i;
}

/* Members of what is no record of a shape, from the s->n-th on. */
static void
other_members(vt_batch *s, const vt_lambda_step *t, uint32_t r, const vt_value *from, uint32_t n)
{
	vt_value x = from[s->n];

	if (s->still && x != VT_UNDEF && vt_is(x, OBJECT) && !(s->owns >> r & 1))
		read_properties(s, t, from, s->v + (size_t)r * s->cap + s->at, n);
	else
		ask_members(s, t, r, from, n);
}

void
vt_batch_member(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	vt_ic *ic = vt_ic_at(s->rt, t->ic);
	const vt_value *from = vt_batch_from(s, t->a);
	vt_value *v = vt_batch_values(s, r);
	const void *shape = s, *known; /* s: none */
	size_t slot = 0;
	int which = given(s, from);
	bool all = s->at == 0 && !(t->flags & VT_STEP_SOFT);

	if (from == NULL) {
		s->n = 0;
		return;
	}
	if (from[0] != VT_UNDEF && vt_is(from[0], DICT) && vt_as_dict(from[0])->shape != NULL &&
		vt_dict_get_ic(vt_as_dict(from[0]), t->heap, ic) != VT_UNDEF) {
		shape = ic->key;
		slot = (size_t)ic->aux - 1;
	}
	if (which >= 0 && !(s->owns >> r & 1) && s->known[which] == shape) {
		known_members(from, v, s->n, slot);
		return;
	}
	uint32_t n = s->n;
	s->n = any_members(t, from, v, n, s, shape, slot,
		which == 0 && n == VT_BULK && s->behind >= MANY, &known);
	if (s->owns >> r & 1) /* some were asked before */
		for (uint32_t i = 0; i < s->n; i++)
			vt_retain(v[i]);
	if (s->n < n)
		other_members(s, t, r, from, n);
	if (!all)
		return;
	if (which == 0)
		s->behind = 0; /* once is enough */
	if (which >= 0)
		s->known[which] = known == s ? NULL : known;
}

void
vt_batch_index(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_value *from = vt_batch_from(s, t->a);
	vt_value *v = vt_batch_values(s, r);
	int64_t k = vt_toint(t->k);
	uint32_t n = from != NULL ? s->n : 0;

	for (uint32_t i = 0; i < n; i++) {
		if (from[i] != VT_UNDEF && vt_is_sequence(from[i]) && k < vt_as_list(from[i])->n &&
			(t->c == 0 || vt_as_list(from[i])->n == t->c))
			v[i] = vt_as_list(from[i])->v[k];
		else
			n = i;
	}
	s->n = n;
}
