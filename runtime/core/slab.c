/*
 * slab.c - rows of results: many lists or records of one size at once.
 *
 * A bulk of rows lies side by side in a slab of 4 KiB, so that making one is a few stores and
 * giving it back a count.  A row is a list or record as any other, which may outlive the others of
 * its slab.
 *
 * Rows whose members come from the items of a list may *borrow* them: no reference is counted
 * while that list lives, since the list holds them.  A borrowing ties such slabs to their one or
 * two lists.  When one of these goes, or is about to be changed or moved, the borrowing is settled:
 * the members of all rows that are left are counted, and the rows are as others are.  So a
 * borrowing keeps nothing alive, and a row that outlives its source is whole.  Code that changes a
 * row settles that row first.  (A short second list has no place for the chain of its borrowings
 * and is held instead.)
 *
 * Invariants: members of a row with VT_F_BORROWED are texts and numbers. The count of a row that
 * was given back is 0. A list with borrowings has a block of its own, whose head has their chain.
 */
#include "runtime/core/bytes.h"
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"

#include <stdlib.h>

typedef struct vt_slab {
	vt_heap *heap;
	vt_borrowing *borrowing;     /* NULL: all members are counted */
	struct vt_slab *next, *prev; /* of the borrowing; next: of those that nobody uses */
	uint32_t size, n;            /* bytes of a row, rows that were given out; texts: 0 */
	uint32_t live;               /* what was given out and not given back */
} vt_slab;

struct vt_borrowing {
	vt_heap *heap;
	vt_slab *slabs; /* newest first */
	struct {
		vt_list *of;
		vt_borrowing *next, **back;
	} from[2]; /* of NULL: there is no second one, or it is held */
	vt_list *held;
};

enum { FIRST = (sizeof(vt_slab) + VT_GRAIN - 1) / VT_GRAIN * VT_GRAIN };

static vt_slab *
slab_of(const void *row)
{
	return (vt_slab *)((uintptr_t)row & ~(uintptr_t)(VT_SLAB - 1));
}

static vt_head *
row_at(vt_slab *s, uint32_t i)
{
	return (vt_head *)(void *)((char *)s + FIRST + (size_t)i * s->size);
}

/* ---- borrowings -------------------------------------------------------------------------- */

static void
link_borrowing(vt_borrowing *l, int k, vt_list *of)
{
	void **first = vt_block_borrowings(of->v);

	l->from[k].of = of;
	l->from[k].next = *first;
	l->from[k].back = (vt_borrowing **)first;
	*first = l;
	if (l->from[k].next != NULL)
		l->from[k].next->from[l->from[k].next->from[0].of != of].back = &l->from[k].next;
}

static void
unlink_borrowing(vt_borrowing *l, int k)
{
	vt_borrowing *next = l->from[k].next;

	if (l->from[k].of == NULL)
		return;
	*l->from[k].back = next;
	if (next != NULL)
		next->from[next->from[0].of != l->from[k].of].back = l->from[k].back;
}

static void
end_borrowing(vt_borrowing *l)
{
	unlink_borrowing(l, 0);
	unlink_borrowing(l, 1);
	if (l->held != NULL)
		vt_release(vt_mkptr(l->held));
	vt_block_free(l);
}

/* Constants have their items somewhere else, and stay. */
bool
vt_can_borrow(const vt_list *a, const vt_list *b)
{
	return a->v != a->inl && a->h.rc > 1 && a->h.rc < VT_IMMORTAL &&
	       !(a->h.flags & VT_F_SHIFTED) &&
	       (b == NULL || (b->h.rc <= VT_IMMORTAL && !(b->h.flags & VT_F_SHIFTED)));
}

vt_borrowing *
vt_borrowing_of(vt_heap *h, vt_list *a, vt_list *b)
{
	vt_borrowing *l = *vt_block_borrowings(a->v);

	if (b == a || (b != NULL && b->h.rc == VT_IMMORTAL))
		b = NULL;
	if (l != NULL && l->from[0].of == a && (l->held != NULL ? l->held : l->from[1].of) == b)
		return l;
	l = vt_block_new(h, sizeof *l);
	*l = (vt_borrowing){.heap = h};
	link_borrowing(l, 0, a);
	if (b != NULL && b->v != b->inl)
		link_borrowing(l, 1, b);
	else if (b != NULL)
		l->held = vt_as_list(vt_copy(vt_mkptr(b)));
	return l;
}

void
vt_settle_row(vt_head *h)
{
	vt_list *l = (vt_list *)h;
	vt_dict *d = (vt_dict *)h;
	uint32_t n = h->kind == VT_K_DICT ? d->n : l->n;
	const vt_value *v = h->kind == VT_K_DICT ? d->inl : l->inl;

	h->flags &= (uint8_t)~VT_F_BORROWED;
	for (uint32_t i = 0; i < n; i++)
		vt_retain(v[i]);
}

static void
settle_borrowing(vt_borrowing *l)
{
	for (vt_slab *s = l->slabs, *next; s != NULL; s = next) {
		next = s->next;
		for (uint32_t i = 0; i < s->n; i++)
			if (row_at(s, i)->rc != 0 && (row_at(s, i)->flags & VT_F_BORROWED))
				vt_settle_row(row_at(s, i));
		s->borrowing = NULL;
	}
	end_borrowing(l);
}

void
vt_settle_borrowings(vt_list *l)
{
	void **first = vt_block_borrowings(l->v);

	while (*first != NULL)
		settle_borrowing(*first);
}

/* ---- slabs ------------------------------------------------------------------------------- */

static vt_slab *
new_slab(vt_heap *h, vt_borrowing *borrowing, uint32_t size)
{
	vt_slab *s = h->slabs != NULL ? h->slabs : vt_heap_slabs(h);

	h->slabs = s->next;
	ASAN_UNPOISON_MEMORY_REGION(s, VT_SLAB);
	*s = (vt_slab){.heap = h, .borrowing = borrowing, .size = size};
	if (borrowing == NULL)
		return s;
	s->next = borrowing->slabs;
	if (s->next != NULL)
		s->next->prev = s;
	return borrowing->slabs = s;
}

void
vt_slab_add(vt_heap *h, void *memory)
{
	vt_slab *s = memory;

	s->next = h->slabs;
	h->slabs = s;
}

static void
end_slab(vt_slab *s)
{
	vt_heap *h = s->heap;
	vt_borrowing *l = s->borrowing;

	if (h->texts == s) {
		h->texts = NULL;
		h->at = h->at_end = NULL;
	}
	if (l != NULL) {
		*(s->prev != NULL ? &s->prev->next : &l->slabs) = s->next;
		if (s->next != NULL)
			s->next->prev = s->prev;
		if (l->slabs == NULL)
			end_borrowing(l);
	}
	vt_slab_add(h, s);
}

void
vt_rows_take(
	vt_heap *h, vt_borrowing *borrowing, uint32_t size, vt_head head, uint32_t n, vt_value *out)
{
	uint32_t most = (VT_SLAB - FIRST) / size;

	head.flags |= VT_F_SLAB | VT_F_BORROWED;
	h->live += n;
	while (n > 0) {
		vt_slab *s = borrowing->slabs;
		char *at;
		uint32_t k;
		if (s == NULL || s->size != size || s->n == most)
			s = new_slab(h, borrowing, size);
		k = most - s->n < n ? most - s->n : n;
		at = (char *)row_at(s, s->n);
		for (uint32_t i = 0; i < k; i++, at += size) {
			memcpy(at, &head, sizeof head);
			out[i] = vt_mkptr(at);
		}
		s->n += k;
		s->live += k;
		out += k;
		n -= k;
	}
}

/* What is left of the slab is lost: texts are short beside it.  Behind each, VT_OVER bytes may be
 * written until the next one is taken. */
vt_str *
vt_text_take(vt_heap *h, size_t size, uint8_t flags)
{
	size_t rounded = (size + VT_GRAIN - 1) & ~(size_t)(VT_GRAIN - 1);
	vt_head head = {1, VT_K_STR, flags | VT_F_SLAB | VT_F_BORROWED, 0};
	char *at;

	if ((size_t)(h->at_end - h->at) < rounded) {
		h->texts = new_slab(h, NULL, 0);
		h->at = (char *)h->texts + FIRST;
		h->at_end = (char *)h->texts + VT_SLAB - VT_OVER;
	}
	at = h->at;
	h->at += rounded;
	h->texts->live++;
	h->live++;
	memcpy(at, &head, sizeof head);
	return (vt_str *)(void *)at;
}

/* ---- lanes ------------------------------------------------------------------------------- */

/*
 * A lane gives memory out from slabs of its own, one value behind the other.  Its slab counts as
 * LANE_OPEN values more until it is full, so that giving out is a few stores.  What has a place
 * beyond LANES lies by size, as all else does.
 */
enum { LANES = 256, LANE_OPEN = 1 << 16 /* more than a slab can hold */, LANE_RUN = 16 };

typedef struct lane {
	const void *place; /* NULL: nobody's */
	vt_slab *slab;     /* at hand, or NULL: its memory from `at` on */
	vt_slab *next;     /* slabs that were set aside, so that they lie in a row */
	char *at, *end;
	uint32_t n;    /* what the slab gave out */
	uint32_t seen; /* n when another place asked for the lane */
	uint8_t run;   /* how many slabs were set aside last */
	uint8_t kind;
} lane;
struct vt_lanes {
	lane at[LANES];
};

/* The slab at hand gives out no more. */
static void
close_slab(lane *l)
{
	vt_slab *s = l->slab;

	if (s == NULL)
		return;
	s->heap->live += l->n;
	s->live -= LANE_OPEN - l->n;
	if (s->live == 0)
		end_slab(s);
}

/* Twice as many as the last time. */
static void
set_aside(vt_heap *h, lane *l)
{
	vt_slab **last = &l->next;

	l->run = l->run == 0 ? 1 : l->run < LANE_RUN ? 2 * l->run : LANE_RUN;
	for (uint32_t i = 0; i < l->run; i++) {
		*last = h->slabs != NULL ? h->slabs : vt_heap_slabs(h);
		h->slabs = (*last)->next;
		last = &(*last)->next;
	}
	*last = NULL;
}

static __attribute__((cold, noinline)) void
next_slab(vt_heap *h, lane *l)
{
	vt_slab *s;

	close_slab(l);
	if (l->next == NULL)
		set_aside(h, l);
	s = l->slab = l->next;
	l->next = s->next;
	*s = (vt_slab){.heap = h, .live = LANE_OPEN};
	l->at = (char *)s + FIRST;
	l->end = (char *)s + VT_SLAB;
	l->n = 0;
}

static void *
give_out(vt_heap *h, lane *l, size_t size, vt_head head)
{
	void *o;

	if (unlikely((size_t)(l->end - l->at) < size))
		next_slab(h, l);
	o = l->at;
	l->at += (size + VT_GRAIN - 1) & ~(size_t)(VT_GRAIN - 1);
	l->n++;
	head.flags |= VT_F_SLAB;
	memcpy(o, &head, sizeof head);
	return o;
}

vt_lanes *
vt_lanes_new(void)
{
	return VT_ALL_LARGE ? NULL : vt_xzalloc(sizeof(vt_lanes));
}

void
vt_lanes_free(vt_lanes *lanes, vt_heap *h)
{
	for (uint32_t i = 0; lanes != NULL && i < LANES; i++) {
		lane *l = &lanes->at[i];
		close_slab(l);
		for (vt_slab *s = l->next, *next; s != NULL; s = next) {
			next = s->next;
			vt_slab_add(h, s);
		}
	}
	free(lanes);
}

/* A lane goes to another place, with its slab, when the one that has it got nothing in the time
 * between two that asked. */
static __attribute__((cold, noinline)) bool
turns(lane *l, const void *place, uint8_t kind)
{
	bool idle = l->place == NULL || l->seen == l->n;

	l->seen = l->n;
	if (!idle)
		return false;
	l->place = place;
	l->kind = kind;
	return true;
}

void *
vt_lanes_take(vt_lanes *lanes, vt_heap *h, const void *place, size_t size, vt_head head)
{
	lane *l = &lanes->at[(((uintptr_t)place >> 4) * 5 + head.kind) % LANES];

	if (unlikely(l->place != place || l->kind != head.kind) && !turns(l, place, head.kind))
		return NULL;
	return give_out(h, l, size, head);
}

/* The memory of what was given back; its head stays, for who looks through the slab. */
static inline void
poison(vt_head *h, const vt_slab *s)
{
	size_t size =
		h->kind == VT_K_STR ? sizeof(vt_str) + ((vt_str *)(void *)h)->bytes + 1 : s->size;

	ASAN_POISON_MEMORY_REGION((char *)h + sizeof *h, size - sizeof *h);
	(void)size;
}

void
vt_row_give(vt_head *row)
{
	vt_slab *s = slab_of(row);

	row->rc = 0;
	s->heap->live--;
	poison(row, s);
	if (--s->live == 0)
		end_slab(s);
}

vt_heap *
vt_row_heap(const vt_head *row)
{
	return slab_of(row)->heap;
}

/* Rows of one slab that follow each other in a list, and that nobody else has: their members
 * are borrowed. */
uint32_t
vt_rows_drop(uint32_t n, const vt_value *v)
{
	vt_slab *s = slab_of((void *)(uintptr_t)v[0]);
	vt_value other =
		~(vt_value)(VT_SLAB - 1) | 3; /* bits that are not the slab's, or no pointer's */
	uint32_t i = 0;

	for (; i < n; i++) {
		vt_head *h = vt_head_of(v[i]);
		if (((v[i] ^ vt_mkptr(s)) & other) != 0 || h->rc != 1 ||
			!(h->flags & VT_F_BORROWED))
			break;
		h->rc = 0;
		poison(h, s);
	}
	s->heap->live -= i;
	s->live -= i;
	if (i > 0 && s->live == 0)
		end_slab(s);
	return i;
}
