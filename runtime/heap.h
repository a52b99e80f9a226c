/*
 * heap.h - the inner side of heap.c, for the files that make values by the million.
 *
 * Invariant: a class's cells are its free list and, behind them, what no one had yet: bump..end.
 */
#ifndef VT_HEAP_H
#define VT_HEAP_H

#include "vti.h"

#include <string.h>

enum { VT_GRAIN = 8, VT_SMALL = 512, VT_NCLASS = VT_SMALL / VT_GRAIN + 1 };

#ifdef __SANITIZE_ADDRESS__
enum { VT_ALL_LARGE = 1 }; /* each object has a red zone of its own */
#else
enum { VT_ALL_LARGE = 0 };
#endif

typedef struct vt_cell {
	struct vt_cell *next;
} vt_cell;

typedef struct vt_sizeclass {
	vt_cell *free;
	char *bump, *end; /* the part of the newest chunk that was never used */
} vt_sizeclass;

struct vt_heap {
	vt_sizeclass class[VT_NCLASS];
	uint64_t live;           /* objects and blocks given out and not given back */
	char *chunk, *chunk_end; /* the rest of the newest span */
	struct vt_span *spans;   /* what came from the kernel, newest first */
	struct vt_large *large;  /* what came from malloc */
	uint64_t mapped;         /* bytes in spans */
	uint32_t depth;          /* finalisers on the C stack */
	vt_head **dead;          /* waiting because finalisers were nested too deep */
	size_t ndead, capdead;
};

void *vt_heap_more(vt_heap *, size_t size, vt_head); /* large, or the class needs a chunk */

/* As vt_alloc, for a size that the compiler knows, or nearly. */
static inline void *
vt_heap_take(vt_heap *h, size_t size, enum vt_kind kind, uint8_t flags)
{
	vt_head head = {1, (uint8_t)kind, flags, 0};
	vt_sizeclass *c = &h->class[(size + VT_GRAIN - 1) / VT_GRAIN % VT_NCLASS];
	size_t rounded = (size + VT_GRAIN - 1) & ~(size_t)(VT_GRAIN - 1);
	void *o = c->free;

	if (unlikely(VT_ALL_LARGE || size > VT_SMALL))
		return vt_heap_more(h, size, head);
	if (o != NULL)
		c->free = c->free->next;
	else if (likely((size_t)(c->end - c->bump) >= rounded)) {
		o = c->bump;
		c->bump += rounded;
	} else
		return vt_heap_more(h, size, head);
	h->live++;
	memcpy(o, &head, sizeof head);
	return o;
}

/* Chunks of a class are aligned to their size and begin with this. */
enum { VT_CHUNK = 64 * 1024 };
typedef struct vt_chunk { vt_heap *heap; uint32_t class; } vt_chunk;
static inline vt_chunk *
vt_chunk_of(const void *p)
{
	return (vt_chunk *)((uintptr_t)p & ~(uintptr_t)(VT_CHUNK - 1));
}

/* As vt_free_mem, in place. */
static inline void
vt_heap_give(vt_head *o)
{
	vt_sizeclass *k;
	vt_chunk *c;

	if (unlikely(o->flags & VT_F_LARGE)) {
		vt_free_mem(o);
		return;
	}
	c = vt_chunk_of(o);
	k = &c->heap->class[c->class];
	c->heap->live--;
	((vt_cell *)(void *)o)->next = k->free;
	k->free = (vt_cell *)(void *)o;
}

/*
 * Memory that a value owns beside its own: it goes with the heap when the session ends, whether its
 * owner was freed or not.
 */
void *vt_block_new(vt_heap *, size_t);
void *vt_block_resize(void *, size_t);
void vt_block_free(void *); /* NULL too */

#endif
