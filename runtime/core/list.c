/*
 * list.c - TUPLE and LIST.
 *
 * Items lie behind the head while they fit a slab, so that a short list is one object; a longer or
 * growing list has a block of its own (v != inl).  Items are VT_UNDEF until somebody fills them.
 *
 * A list with VT_F_SHIFTED has lost items at its front: v points into its block, and v[-1] says how
 * many words in front of v are dead.  So a queue costs the same for each item, however long it is.
 */
#include "runtime/core/bytes.h"
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/core/session.h"

#include <stdlib.h>
#include <string.h>

enum { INLINE_MAX = (512 - sizeof(vt_list)) / sizeof(vt_value) };

vt_list *
vt_list_grow(vt_rt *rt, enum vt_kind kind, uint32_t cap)
{
	bool in = cap <= INLINE_MAX;
	vt_list *l =
		vt_heap_take(rt->s->heap, sizeof *l + (in ? cap * sizeof(vt_value) : 0), kind, 0);
	l->n = 0;
	l->cap = cap;
	l->v = in ? l->inl : vt_block_new(rt->s->heap, (size_t)cap * sizeof(vt_value));
	return l;
}

vt_list *
vt_list_new(vt_rt *rt, enum vt_kind kind, uint32_t n)
{
	vt_list *l = vt_list_grow(rt, kind, n);
	for (uint32_t i = 0; i < n; i++)
		l->v[i] = VT_UNDEF;
	l->n = n;
	return l;
}

/* The items to the front of their block. */
static void
unshift(vt_list *l)
{
	uint32_t dead;
	if (!(l->h.flags & VT_F_SHIFTED))
		return;
	dead = (uint32_t)l->v[-1];
	l->v = memmove(l->v - dead, l->v, l->n * sizeof(vt_value));
	l->cap += dead;
	l->h.flags &= (uint8_t)~VT_F_SHIFTED;
}

/* The chain of the borrowings begins in the block, which may move. */
static void
resize(vt_list *l, uint64_t cap)
{
	unshift(l);
	if (vt_has_borrowings(l))
		vt_settle_borrowings(l);
	l->v = vt_block_resize(l->v, cap * sizeof(vt_value));
}

static void
make_room(vt_rt *rt, vt_list *l, uint64_t n)
{
	uint64_t cap = n < UINT32_MAX / 2 ? n * 2 : UINT32_MAX;
	if (l->h.flags & VT_F_BORROWED)
		vt_settle_row(&l->h);
	if (n <= l->cap)
		return;
	if (n > UINT32_MAX)
		vt_xmalloc(SIZE_MAX);
	unshift(l);
	if (n + n / 4 <= l->cap) /* many were dead: as good as twice the room */
		return;
	if (l->v == l->inl)
		l->v = memcpy(vt_block_new(rt->s->heap, cap * sizeof(vt_value)), l->inl,
			l->n * sizeof(vt_value));
	else
		resize(l, cap);
	l->cap = (uint32_t)cap;
}

_Static_assert(VT_ITEM_INT == 1, "vt_put_index_hot");

/* An item of a list that nobody else has gives way to another one. */
void
vt_list_put(vt_list *l, uint32_t i, vt_value owned)
{
	if (l->h.flags & VT_F_BORROWED)
		vt_settle_row(&l->h);
	if (vt_has_borrowings(l))
		vt_settle_borrowings(l);
	vt_note_item(l, owned);
	vt_move(&l->v[i], owned);
}

/* Items come that are filled in elsewhere. */
static void
forget_items(vt_list *l)
{
	if (l->h.kind == VT_K_TUPLE)
		l->h.aux = 0;
}

/* Most of the block is dead: that costs less than what made it so. */
static void
shrink(vt_list *l)
{
	uint32_t cap = l->n < 4 ? 8 : 2 * l->n;
	unshift(l);
	resize(l, cap);
	l->cap = cap;
}

/* The first k items of a list that nobody else has go. */
void
vt_list_drop(vt_list *l, uint32_t k)
{
	uint32_t dead = k + (l->h.flags & VT_F_SHIFTED ? (uint32_t)l->v[-1] : 0);
	if (l->h.flags & VT_F_BORROWED)
		vt_settle_row(&l->h);
	if (vt_has_borrowings(l))
		vt_settle_borrowings(l);
	for (uint32_t i = 0; i < k; i++)
		vt_clear(&l->v[i]);
	l->n -= k;
	if (k == 0)
		return;
	if (l->v == l->inl) {
		memmove(l->v, l->v + k, l->n * sizeof(vt_value));
		return;
	}
	l->v += k;
	l->cap -= k;
	l->v[-1] = dead;
	l->h.flags |= VT_F_SHIFTED;
	if (dead > 64 && dead / 4 > l->n)
		shrink(l);
}

/* Room for n more items at `at`, VT_UNDEF, in a list that nobody else has. */
void
vt_list_open(vt_rt *rt, vt_list *l, uint32_t at, uint32_t n)
{
	make_room(rt, l, (uint64_t)l->n + n);
	forget_items(l);
	if (vt_has_borrowings(l))
		vt_settle_borrowings(l);
	memmove(l->v + at + n, l->v + at, (l->n - at) * sizeof(vt_value));
	for (uint32_t i = 0; i < n; i++)
		l->v[at + i] = VT_UNDEF;
	l->n += n;
}

/* n items at `at` go. */
void
vt_list_close(vt_list *l, uint32_t at, uint32_t n)
{
	if (at == 0) {
		vt_list_drop(l, n);
		return;
	}
	if (l->h.flags & VT_F_BORROWED)
		vt_settle_row(&l->h);
	if (vt_has_borrowings(l))
		vt_settle_borrowings(l);
	for (uint32_t i = 0; i < n; i++)
		vt_clear(&l->v[at + i]);
	if (l->n - at > n)
		memmove(l->v + at, l->v + at + n, (l->n - at - n) * sizeof(vt_value));
	l->n -= n;
}

void
vt_list_push(vt_rt *rt, vt_list *l, vt_value owned)
{
	if (l->n == l->cap)
		make_room(rt, l, l->cap < 3 ? 4 : (uint64_t)l->cap + 1);
	l->v[l->n++] = owned;
	vt_note_item(l, owned);
	if ((l->h.flags & VT_F_FINAL) && vt_is_ptr(owned) && !vt_is_final(owned))
		l->h.flags &= (uint8_t)~VT_F_FINAL;
}

void
vt_list_append(vt_rt *rt, vt_list *l, uint32_t n, const vt_value *owned)
{
	make_room(rt, l, (uint64_t)l->n + n);
	forget_items(l);
	for (uint32_t i = 0; i < n; i++)
		l->v[l->n + i] = owned[i];
	l->n += n;
}

vt_list *
vt_list_owned(vt_rt *rt, enum vt_kind kind, uint32_t n, const vt_value *owned)
{
	vt_list *l = vt_list_grow(rt, kind, n);
	vt_list_append(rt, l, n, owned);
	return l;
}

void
vt_list_trim(vt_list *l)
{
	if (l->v == l->inl || l->n == l->cap || l->n == 0)
		return;
	resize(l, l->n);
	l->cap = l->n;
}

static __attribute__((noinline)) bool
are_final(uint32_t n, const vt_value *items)
{
	for (uint32_t i = 0; i < n; i++)
		if (!vt_final_now(items[i]) && !vt_is_final(items[i]))
			return false;
	return true;
}

/* Copies n items; are all final? They are where `final` says so.  One loop: where it ends is mostly
 * guessed wrong. */
static inline bool
copy_items(vt_value *to, uint32_t n, const vt_value *items, bool final)
{
	bool now = true;

	if (final) {
		for (uint32_t i = 0; i < n; i++)
			to[i] = vt_copy(items[i]);
		return true;
	}
	for (uint32_t i = 0; i < n; i++) {
		now &= vt_final_now(items[i]);
		to[i] = vt_copy(items[i]);
	}
	return now || are_final(n, items);
}

void
vt_list_extend(vt_rt *rt, vt_list *l, uint32_t n, const vt_value *items)
{
	if (l->cap - l->n < n)
		make_room(rt, l, (uint64_t)l->n + n);
	for (uint32_t i = 0; i < n && unlikely(l->h.aux != 0); i++)
		vt_note_item(l, items[i]);
	if (!copy_items(l->v + l->n, n, items, false))
		l->h.flags &= (uint8_t)~VT_F_FINAL;
	l->n += n;
}

vt_list *
vt_list_join(vt_rt *rt, const vt_list *x, const vt_list *y)
{
	vt_list *l = vt_list_grow(rt, VT_K_TUPLE, x->n + y->n);
	bool final = copy_items(l->v, x->n, x->v, x->h.flags & VT_F_FINAL);
	if (copy_items(l->v + x->n, y->n, y->v, y->h.flags & VT_F_FINAL) && final)
		l->h.flags |= VT_F_FINAL;
	l->n = x->n + y->n;
	if (x->h.kind == VT_K_TUPLE && y->h.kind == VT_K_TUPLE && (x->h.aux != 0 || x->n == 0) &&
		(y->h.aux != 0 || y->n == 0)) /* vt_note_item */
		l->h.aux = x->h.aux | y->h.aux;
	return l;
}

vt_list *
vt_list_and(vt_rt *rt, const vt_list *x, uint32_t n, const vt_value *v)
{
	vt_list *l = vt_list_grow(rt, VT_K_TUPLE, x->n + n);
	if (copy_items(l->v, x->n, x->v, x->h.flags & VT_F_FINAL))
		l->h.flags |= VT_F_FINAL;
	l->n = x->n;
	l->h.aux = x->n > 0 && x->h.kind == VT_K_TUPLE ? x->h.aux : 0;
	for (uint32_t i = 0; i < n; i++) {
		l->v[l->n++] = vt_copy(v[i]);
		vt_note_item(l, v[i]);
	}
	return l;
}

/* Short ones get room behind their head: most never come to have more items than that. */
vt_list *
vt_list_to_grow(vt_rt *rt, const vt_list *x, uint32_t room)
{
	vt_list *l = vt_list_grow(rt, VT_K_TUPLE, x->n + x->n / 4 + room);
	if (copy_items(l->v, x->n, x->v, x->h.flags & VT_F_FINAL))
		l->h.flags |= VT_F_FINAL;
	l->n = x->n;
	l->h.aux = x->n > 0 && x->h.kind == VT_K_TUPLE ? x->h.aux : 0;
	return l;
}

bool
vt_has_final_items(vt_value v)
{
	const vt_list *l = vt_as_list(v);

	if (l->h.flags & VT_F_FINAL)
		return true;
	for (uint32_t i = 0; i < l->n; i++)
		if (!vt_is_final(l->v[i]))
			return false;
	if (l->h.kind == VT_K_TUPLE)
		vt_head_of(v)->flags |= VT_F_FINAL;
	return true;
}

void
vt_list_add_final(vt_rt *rt, vt_list *l, const vt_list *more)
{
	for (uint32_t i = 0; i < more->n; i++)
		if (likely(l->n < l->cap)) {
			vt_note_item(l, more->v[i]);
			l->v[l->n++] = vt_copy(more->v[i]);
		} else
			vt_list_push(rt, l, vt_copy(more->v[i]));
	l->h.flags |= VT_F_FINAL;
}

/* What nobody holds any more; true: what is left is to give its memory back.  Records and short
 * lists are many: their members are released here, one level deep. */
static inline bool
drop_item(vt_value v)
{
	vt_head *h = vt_head_of(v);
	vt_dict *d = vt_as_dict(v);
	vt_list *l = vt_as_list(v);
	if (h->kind <= VT_K_STR)
		return true;
	if (h->flags & VT_F_BORROWED)
		return true;
	if (h->kind == VT_K_DICT && d->shape != NULL && d->v == d->inl) {
		for (uint32_t i = 0; i < d->n; i++)
			vt_release(d->inl[i]);
		return true;
	}
	if (h->kind <= VT_K_LIST && l->v == l->inl) {
		for (uint32_t i = 0; i < l->n; i++)
			vt_release(l->inl[i]);
		return true;
	}
	vt_free(v);
	return false;
}

void
vt_list_free(vt_head *h)
{
	enum { AHEAD = 8, MANY = 64 };
	vt_list *l = (vt_list *)h;
	vt_head *dead[MANY];
	uint32_t ndead = 0;
	vt_value *end, *far;
	if (h->flags & VT_F_BORROWED)
		return;
	if (vt_has_borrowings(l))
		vt_settle_borrowings(l);
	end = l->v + l->n;
	far = l->n > AHEAD ? end - AHEAD : l->v;
	for (vt_value *at = l->v; at < end; at++) {
		vt_value v = *at;
		if (at < far)
			__builtin_prefetch((const char *)(uintptr_t)at[AHEAD], 1);
		if (!vt_is_ptr(v) || vt_head_of(v)->rc >= VT_IMMORTAL)
			continue;
		if (vt_head_of(v)->rc == 1 && (vt_head_of(v)->flags & VT_F_BORROWED)) {
			at += vt_rows_drop((uint32_t)(end - at), at) - 1;
			continue;
		}
		if (--vt_head_of(v)->rc != 0)
			continue;
		if (drop_item(v))
			dead[ndead++] = vt_head_of(v);
		if (ndead == MANY) {
			vt_heap_give_many(MANY, dead);
			ndead = 0;
		}
	}
	vt_heap_give_many(ndead, dead);
	if (l->v != l->inl)
		vt_block_free(l->h.flags & VT_F_SHIFTED ? l->v - l->v[-1] : l->v);
}

/* A tuple whose items need no evaluation says so at once: vt_final_fast then takes it as it is. */
vt_status
vt_tuple_of(vt_rt *rt, uint32_t n, const vt_value *items, vt_value *out)
{
	vt_list *l = vt_list_grow(rt, VT_K_TUPLE, n);
	if (copy_items(l->v, n, items, false))
		l->h.flags |= VT_F_FINAL;
	l->n = n;
	*out = vt_mkptr(l);
	return VT_OK;
}

vt_value
vt_pair_of(vt_heap *h, vt_value a, vt_value b)
{
	bool are = (vt_final_now(a) || vt_is_final(a)) && (vt_final_now(b) || vt_is_final(b));
	uint8_t final = are ? VT_F_FINAL : 0;
	vt_list *l = vt_heap_take(h, sizeof *l + 2 * sizeof(vt_value), VT_K_TUPLE, final);
	l->n = l->cap = 2;
	l->v = l->inl;
	l->v[0] = vt_copy(a);
	l->v[1] = vt_copy(b);
	return vt_mkptr(l);
}

/* Nothing but a text equals a text. */
static int
has_text(const vt_list *l, const vt_str *text)
{
	for (uint32_t i = 0; i < l->n; i++) {
		const vt_str *x = vt_as_str(l->v[i]);
		if (vt_is(l->v[i], STR) &&
			(x == text || (x->bytes == text->bytes && x->s[0] == text->s[0] &&
					      vt_same_bytes(x->s, text->s, x->bytes))))
			return 1;
	}
	return 0;
}

int
vt_list_has(vt_value list, vt_value item)
{
	const vt_list *l = vt_as_list(list);
	if (vt_is(item, STR))
		return has_text(l, vt_as_str(item));
	for (uint32_t i = 0; i < l->n; i++)
		if (l->v[i] == item || (!vt_both_int(l->v[i], item) && vt_same(l->v[i], item)))
			return 1;
	return 0;
}
