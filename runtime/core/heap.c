/*
 * heap.c - memory of counted values.
 *
 * One size class a 8 bytes up to 512.  A class carves its objects from 64 KiB chunks, aligned to
 * their size, whose header names the heap, so that freeing an object needs nothing but its address.
 * Chunks are cut from spans, which the kernel gives: 1 MiB first, then as much as there is already,
 * up to 32 MiB; the larger ones ask for huge pages, since first touches are a good part of what
 * reading a document costs. What is larger than a class comes from malloc, in a list, so that a
 * session that ends can let go of everything without a walk. A few large blocks are kept.  Under
 * AddressSanitizer everything is "larger".
 */
#define _GNU_SOURCE
#include "runtime/core/bytes.h"
#include "runtime/core/heap.h"
#include "runtime/core/session.h"

#include <malloc.h>
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
	SPAN_MAX = 32 << 20
};

typedef vt_chunk chunk;
typedef struct vt_span {
	void *base;
	size_t size;
	struct vt_span *next;
} span;
/* In front of the object.  Invariant: *back points to this, and next->back to next. */
typedef struct vt_large {
	vt_heap *heap;
	void *borrowings;
	struct vt_large *next, **back;
} large;

_Static_assert(sizeof(chunk) <= HEADER, "the first object of a chunk starts behind its header");
_Static_assert(sizeof(large) % 16 == 0, "large objects keep malloc's alignment");

static void
drop_blocks(vt_heap *h)
{
	for (uint32_t i = 0; i < VT_BLOCK_CLASSES; i++)
		for (large *l = h->block[i], *next; l != NULL; l = next) {
			next = l->next;
			free(l);
		}
}

vt_heap *
vt_heap_new(void)
{
	vt_heap *h = calloc(1, sizeof *h);
	if (h == NULL)
		vt_no_memory();
	return h;
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
		munmap(s->base, s->size);
		free(s);
	}
	for (int i = 0; i < VT_SPARE; i++)
		free(h->spare[i]);
	drop_blocks(h);
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
	*s = (span){map_aligned(size, size >= 2 * HUGE_PAGE ? HUGE_PAGE : CHUNK), size, h->spans};
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

/* A block that was kept, not much larger than is needed; or NULL. */
static large *
take_spare(vt_heap *h, size_t size)
{
	for (int i = 0; size >= VT_SPARE_MIN && i < VT_SPARE; i++) {
		large *l = h->spare[i];
		size_t room = l != NULL ? malloc_usable_size(l) : 0;
		if (room >= size && room / 2 <= size) {
			h->spare[i] = NULL;
			return l;
		}
	}
	return NULL;
}

/* In an empty place, or in that of the smallest. */
static void
keep_spare(vt_heap *h, large *l)
{
	size_t size = malloc_usable_size(l), least = SIZE_MAX, room;
	large **at = NULL;
	if (VT_ALL_LARGE || size < VT_SPARE_MIN || size > VT_SPARE_MAX) {
		free(l);
		return;
	}
	for (int i = 0; i < VT_SPARE; i++) {
		room = h->spare[i] != NULL ? malloc_usable_size(h->spare[i]) : 0;
		if (room < least) {
			least = room;
			at = &h->spare[i];
		}
	}
	free(*at);
	*at = l;
}

/* A small block that was kept; or NULL. */
static large *
take_block(vt_heap *h, size_t size)
{
	size_t i = (size - 8 + 15) / 16;
	large *l = i < VT_BLOCK_CLASSES ? h->block[i] : NULL;
	if (l != NULL) {
		h->block[i] = l->next;
		h->nblocks--;
	}
	return l;
}

/* False: it is not kept. */
static bool
keep_block(vt_heap *h, large *l)
{
	size_t i = (malloc_usable_size(l) - 8) / 16;
	if (VT_ALL_LARGE || i >= VT_BLOCK_CLASSES || h->nblocks == VT_BLOCKS_MOST)
		return false;
	l->next = h->block[i];
	h->block[i] = l;
	h->nblocks++;
	return true;
}

static void *
alloc_large(vt_heap *h, size_t size)
{
	large *l = size > SIZE_MAX - sizeof *l ? NULL : take_spare(h, sizeof *l + size);
	if (l == NULL && size < VT_SMALL)
		l = take_block(h, sizeof *l + size);
	if (l == NULL && size <= SIZE_MAX - sizeof *l)
		l = malloc(sizeof *l + size);
	if (l == NULL)
		vt_no_memory();
	l->heap = h;
	l->borrowings = NULL;
	link_large(l);
	h->live++;
	return l + 1;
}

static void
free_large(void *p)
{
	large *l = (large *)p - 1;
	l->heap->live--;
	unlink_large(l);
	if (!keep_block(l->heap, l))
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

/* A large block that shrinks is a spare one afterwards: its pages are there for the next. */
static void *
shrink(large *l, size_t size)
{
	void *p = alloc_large(l->heap, size);
	((large *)p - 1)->borrowings = l->borrowings;
	memcpy(p, l + 1, size);
	free_large(l + 1);
	return p;
}

void *
vt_block_resize(void *p, size_t size)
{
	large *l = (large *)p - 1;
	size_t room = malloc_usable_size(l);
	if (!VT_ALL_LARGE && size < room / 2 && room >= VT_SPARE_MIN && room <= VT_SPARE_MAX)
		return shrink(l, size);
	if (size > SIZE_MAX - sizeof *l)
		vt_no_memory();
	unlink_large(l);
	l = vt_xrealloc(l, sizeof *l + size);
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
