/*
 * heap.c - memory of counted values.
 *
 * One size class a 8 bytes up to 512.  A class carves its objects from 64 KiB chunks, aligned to
 * their size, whose header names the heap, so that freeing an object needs nothing but its address.
 * Chunks are cut from spans, which the kernel gives: 1 MiB first, then as much as there is already,
 * up to 32 MiB; the larger ones ask for huge pages, since first touches are a good part of what
 * reading a document costs. Arrays, tables and long texts are blocks: up to VT_SPARE_MIN bytes they
 * have classes of their own, cut from chunks as they are asked for, and never go back. Longer ones
 * come from malloc, in a list, so that a session that ends can let go of everything without a walk;
 * some of them are kept.  Under AddressSanitizer every object comes from malloc.
 */
#define _GNU_SOURCE
#include "runtime/core/bytes.h"
#include "runtime/core/heap.h"
#include "runtime/core/session.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	CHUNK = VT_CHUNK,
	HEADER = 16,
	NEST = 40,
	HUGE_PAGE = 2 << 20,
	SPAN_MIN = 1 << 20,
	SPAN_MAX = 32 << 20,
	QUARTER = 7 /* 1 << 7: of VT_BLOCK_FEW */
};

typedef vt_chunk chunk;
typedef struct vt_span {
	void *base;
	size_t size;
	struct vt_span *next;
} span;
/* In front of a block.  Invariant: *back points to this, and next->back to next; or back is NULL
 * and the block has a class. */
typedef struct vt_large {
	vt_heap *heap;
	void *borrowings;
	union {
		struct vt_large *next; /* of all, or of the free ones of its class */
		size_t room;           /* bytes of its class, while somebody has it */
	};
	struct vt_large **back;
} large;

/* A first span that a heap left: for the next heap, of whatever thread.  Sessions follow each other
 * in a process, and pages that are there save a fault each. */
static _Atomic(void *) first_span;

_Static_assert(sizeof(chunk) <= HEADER, "the first object of a chunk starts behind its header");
_Static_assert(4 << QUARTER == VT_BLOCK_FEW && VT_BLOCK_FEW << VT_BLOCK_DOUBLINGS == VT_SPARE_MIN,
	"every shorter block has a class");
_Static_assert(sizeof(large) % 16 == 0, "large objects keep malloc's alignment");

vt_heap *
vt_heap_new(void)
{
	vt_heap *h = calloc(1, sizeof *h);
	if (h == NULL)
		vt_no_memory();
	return h;
}

static void
leave_span(void *base, size_t size)
{
	if (size == SPAN_MIN)
		base = atomic_exchange(&first_span, base);
	if (base != NULL)
		munmap(base, size);
}

void
vt_heap_destroy(vt_heap *h)
{
	for (large *l = h->large, *next; l != NULL; l = next) {
		next = l->next;
		free(l);
	}
	for (span *s = h->spans, *next; s != NULL; s = next) {
		next = s->next;
		ASAN_UNPOISON_MEMORY_REGION(s->base, s->size); /* others may get the addresses */
		leave_span(s->base, s->size);
		free(s);
	}
	for (uint32_t i = 0; i < h->nspares; i++)
		free(h->spare[i].block);
	free(h->dead);
	free(h);
}

uint64_t
vt_heap_live(const vt_heap *h)
{
	return h->live;
}

/* Maps more than is needed and gives the ends back: mmap aligns to pages only. */
static char *
map_aligned(size_t size, size_t align)
{
	char *p = mmap(NULL, size + align, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0),
	     *at;
	if (p == MAP_FAILED || vt_torture_fails())
		vt_no_memory();
	at = (char *)(((uintptr_t)p + align - 1) & ~(uintptr_t)(align - 1));
	if (at > p)
		munmap(p, (size_t)(at - p));
	if (p + align > at)
		munmap(at + size, (size_t)(p + align - at));
	return at;
}

static void
new_span(vt_heap *h)
{
	size_t size = h->mapped < SPAN_MIN   ? SPAN_MIN
		      : h->mapped > SPAN_MAX ? SPAN_MAX
					     : (size_t)h->mapped;
	span *s = vt_xmalloc(sizeof *s);
	void *base = size == SPAN_MIN ? atomic_exchange(&first_span, NULL) : NULL;
	if (base == NULL)
		base = map_aligned(size, size >= 2 * HUGE_PAGE ? HUGE_PAGE : CHUNK);
	*s = (span){base, size, h->spans};
#ifdef MADV_HUGEPAGE
	if (size >= 2 * HUGE_PAGE)
		madvise(s->base, size, MADV_HUGEPAGE);
#endif
	h->spans = s;
	h->mapped += size;
	h->chunk = s->base;
	h->chunk_end = h->chunk + size;
}

static void
new_chunk(vt_heap *h, vt_sizeclass *c)
{
	if (h->chunk == h->chunk_end)
		new_span(h);
	*(chunk *)(void *)h->chunk = (chunk){h, (uint32_t)(c - h->class)};
	c->bump = h->chunk + HEADER;
	h->chunk += CHUNK;
	c->end = h->chunk;
}

static void
link_large(large *l)
{
	vt_heap *h = l->heap;
	l->next = h->large;
	l->back = &h->large;
	if (l->next)
		l->next->back = &l->next;
	h->large = l;
}

static void
unlink_large(large *l)
{
	*l->back = l->next;
	if (l->next)
		l->next->back = l->back;
}

static large *
remove_spare(vt_heap *h, uint32_t i)
{
	vt_spare o = h->spare[i];
	h->nspares--;
	h->spared -= o.size;
	memmove(h->spare + i, h->spare + i + 1, (h->nspares - i) * sizeof o);
	return o.block;
}

/* The smallest block that was kept and suffices, if it has at most twice what is needed, and less
 * than `most`; or NULL. */
static large *
take_spare(vt_heap *h, size_t size, size_t most)
{
	size_t least = size < most / 2 ? 2 * size + 1 : most;
	uint32_t at = h->nspares;
	for (uint32_t i = 0; size >= VT_SPARE_MIN && i < h->nspares; i++)
		if (h->spare[i].size >= size && h->spare[i].size < least) {
			least = h->spare[i].size;
			at = i;
		}
	return at < h->nspares ? remove_spare(h, at) : NULL;
}

/* For as long as there is room for it, which the oldest make. */
static void
keep_spare(vt_heap *h, large *l)
{
	size_t size = malloc_usable_size(l), most = VT_SPARE_FREE + h->mapped;
	most = most < VT_SPARE_MOST ? most : VT_SPARE_MOST;
	if (VT_ALL_LARGE || size < VT_SPARE_MIN || size > most) {
		free(l);
		return;
	}
	while (h->nspares == VT_SPARES || h->spared + size > most)
		free(remove_spare(h, 0));
	h->spare[h->nspares++] = (vt_spare){l, size};
	h->spared += size;
}

/* Of 1 to VT_SPARE_MIN bytes. */
static uint32_t
block_class(size_t size)
{
	uint32_t e;
	if (size <= VT_BLOCK_FEW)
		return (uint32_t)(size + 15) / 16;
	e = 61 - (uint32_t)__builtin_clzl(size - 1); /* quarters of the power of two below */
	return VT_BLOCK_STEPS + (e - QUARTER) * 4 + ((size - 1) >> e & 3);
}

static size_t
class_bytes(uint32_t i)
{
	uint32_t k = i - VT_BLOCK_STEPS;
	return i < VT_BLOCK_STEPS ? 16 * (size_t)i : (size_t)(k % 4 + 5) << (QUARTER + k / 4);
}

static void
free_block(vt_heap *h, large *l, uint32_t which)
{
	l->next = h->block[which];
	h->block[which] = l;
}

/* The rest of the last chunk becomes a block as well. */
static void
next_piece(vt_heap *h)
{
	size_t rest = (size_t)(h->piece_end - h->piece);
	uint32_t which = rest < sizeof(large) ? 0 : block_class(rest);
	if (class_bytes(which) > rest)
		which--;
	if (class_bytes(which) >= sizeof(large))
		free_block(h, (large *)(void *)h->piece, which);
	if (h->chunk == h->chunk_end)
		new_span(h);
	h->piece = h->chunk;
	h->chunk += CHUNK;
	h->piece_end = h->chunk;
}

/* One that is there of the class, or of the next three, before memory is cut that was never used.
 */
static large *
take_block(vt_heap *h, size_t size)
{
	uint32_t which = block_class(size), at = which, end = which + 4;
	large *l;
	for (; at < end && at < VT_BLOCK_CLASSES && h->block[at] == NULL; at++)
		;
	if (at < end && at < VT_BLOCK_CLASSES) {
		l = h->block[at];
		h->block[at] = l->next;
	} else {
		at = which;
		if ((size_t)(h->piece_end - h->piece) < class_bytes(at))
			next_piece(h);
		l = (large *)(void *)h->piece;
		h->piece += class_bytes(at);
	}
	l->room = class_bytes(at);
	l->back = NULL;
	return l;
}

static bool
has_class(const large *l)
{
	return !VT_ALL_LARGE && l->back == NULL;
}

static size_t
room_of(large *l)
{
	return has_class(l) ? l->room : malloc_usable_size(l);
}

static void *
own_large(vt_heap *h, large *l)
{
	l->heap = h;
	l->borrowings = NULL;
	link_large(l);
	h->live++;
	return l + 1;
}

static void *
alloc_large(vt_heap *h, size_t size)
{
	large *l;
	if (size > SIZE_MAX - sizeof *l)
		vt_no_memory();
	if (!VT_ALL_LARGE && sizeof *l + size <= VT_SPARE_MIN) {
		l = take_block(h, sizeof *l + size);
		l->heap = h;
		l->borrowings = NULL;
		h->live++;
		return l + 1;
	}
	l = take_spare(h, sizeof *l + size, SIZE_MAX);
	if (l == NULL)
		l = malloc(sizeof *l + size);
	if (l == NULL)
		vt_no_memory();
	return own_large(h, l);
}

static void
free_large(void *p)
{
	large *l = (large *)p - 1;
	l->heap->live--;
	if (has_class(l)) {
		free_block(l->heap, l, block_class(l->room));
		return;
	}
	unlink_large(l);
	keep_spare(l->heap, l);
}

void *
vt_heap_more(vt_heap *h, size_t size, vt_head head)
{
	vt_head *o;
	if (VT_ALL_LARGE || size > VT_SMALL) {
		/* what reads texts by blocks reads some bytes behind them: bytes.h */
		o = alloc_large(
			h, VT_ALL_LARGE || size > SIZE_MAX - VT_OVER ? size : size + VT_OVER);
		head.flags |= VT_F_LARGE;
		*o = head;
		return o;
	}
	new_chunk(h, &h->class[(size + VT_GRAIN - 1) / VT_GRAIN]);
	return vt_heap_take(h, size, head.kind, head.flags);
}

void *
vt_cell_more(vt_heap *h, size_t size)
{
	if (VT_ALL_LARGE)
		return alloc_large(h, size);
	new_chunk(h, &h->class[(size + VT_GRAIN - 1) / VT_GRAIN]);
	return vt_heap_at_hand(h, size);
}

void *
vt_alloc(vt_rt *rt, size_t size, enum vt_kind kind)
{
	rt->s->heap->coded += VT_CODED >> kind & 1;
	return vt_heap_take(rt->s->heap, size, kind, 0);
}

void *
vt_block_new(vt_heap *h, size_t size)
{
	return alloc_large(h, size);
}

/* The block's new place, of so many bytes; the old one can be had by others. */
static void *
move_large(large *l, void *to, size_t bytes)
{
	((large *)to - 1)->borrowings = l->borrowings;
	memcpy(to, l + 1, bytes);
	free_large(l + 1);
	return to;
}

/* Another block of malloc for that one, where that saves the kernel from clearing pages, now or the
 * next time; or NULL. */
static large *
other_large(large *l, size_t need, size_t room)
{
	large *to = take_spare(l->heap, need, need <= room ? room : SIZE_MAX);
	return to == NULL && need < room / 2 ? vt_xmalloc(need) : to;
}

/* A block that would be left with little room to spare stays where it is. */
void *
vt_block_resize(void *p, size_t size)
{
	large *l = (large *)p - 1, *to = NULL;
	size_t room = room_of(l), need = sizeof *l + size, bytes;
	if (size > SIZE_MAX - sizeof *l)
		vt_no_memory();
	bytes = (need < room ? need : room) - sizeof *l;
	if (!VT_ALL_LARGE) {
		bool same = has_class(l) && need <= room && block_class(need) == block_class(room);
		if (same || (need <= room && need > room - room / 8))
			return p;
		if (has_class(l) || need <= VT_SPARE_MIN)
			return move_large(l, alloc_large(l->heap, size), bytes);
		to = other_large(l, need, room);
	}
	if (to != NULL)
		return move_large(l, own_large(l->heap, to), bytes);
	unlink_large(l);
	l = vt_xrealloc(l, need);
	link_large(l);
	return l + 1;
}

void
vt_block_free(void *p)
{
	if (p != NULL)
		free_large(p);
}

void **
vt_block_borrowings(void *p)
{
	return &((large *)p - 1)->borrowings;
}

/* A chunk in slabs; the first comes first. */
struct vt_slab *
vt_heap_slabs(vt_heap *h)
{
	if (h->chunk == h->chunk_end)
		new_span(h);
	for (uint32_t i = CHUNK; i > 0; i -= VT_SLAB)
		vt_slab_add(h, h->chunk + i - VT_SLAB);
	h->chunk += CHUNK;
	return h->slabs;
}

static vt_heap *
heap_of(vt_head *o)
{
	if (o->flags & VT_F_SLAB)
		return vt_row_heap(o);
	return o->flags & VT_F_LARGE ? ((large *)(void *)o - 1)->heap : vt_chunk_of(o)->heap;
}

void
vt_free_mem(void *head)
{
	vt_head *o = head;
	if (o->flags & VT_F_SLAB)
		vt_row_give(o);
	else if (o->flags & VT_F_LARGE)
		free_large(head);
	else
		vt_heap_give(o);
}

static void
bury(vt_heap *h, vt_head *o)
{
	if (h->ndead == h->capdead) {
		h->capdead = h->capdead ? h->capdead * 2 : 64;
		h->dead = vt_xrealloc(h->dead, h->capdead * sizeof *h->dead);
	}
	h->dead[h->ndead++] = o;
}

/*
 * A finaliser releases what its object holds and so comes back here.  Beyond NEST levels the object
 * waits in `dead` until the outermost call takes it: a list nested a million deep needs no deep C
 * stack.
 */
void
vt_free_with(vt_head *o, void (*drop)(vt_head *))
{
	vt_heap *h = heap_of(o);
	h->coded -= VT_CODED >> o->kind & 1;
	if (h->depth >= NEST) {
		bury(h, o);
		return;
	}
	h->depth++;
	drop(o);
	h->depth--;
	vt_free_mem(o);
	while (h->depth == 0 && h->ndead > 0) {
		o = h->dead[--h->ndead];
		h->depth++;
		vt_finaliser(o->kind)(o);
		h->depth--;
		vt_free_mem(o);
	}
}
