/*
 * heap.h - the inner side of heap.c, for the files that make values by the million.
 *
 * Invariant: a class's cells are its free list and, behind them, what no one had yet: bump..end.
 */
#ifndef VT_HEAP_H
#define VT_HEAP_H

#include "runtime/core/bytes.h"
#include "runtime/core/value.h"

#include <string.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

/* More flags of a head, of lists and records: in a slab; with borrowed members (slab.c). */
#define VT_F_SLAB 64
#define VT_F_BORROWED 128

enum { VT_SLAB = 4096, VT_GRAIN = 8, VT_SMALL = 512, VT_NCLASS = VT_SMALL / VT_GRAIN + 1 };

/* Blocks that a heap keeps rather than give them back to the kernel, which would clear their pages
 * anew, at up to 10 us each in a virtual machine: so many, of at least so many bytes. Together they
 * have at most VT_SPARE_FREE bytes and as many again as spans have, and never more than
 * VT_SPARE_MOST. */
enum {
	VT_SPARES = 32,
	VT_SPARE_MIN = 32 << 10,
	VT_SPARE_FREE = 16 << 20,
	VT_SPARE_MOST = 256 << 20
};
/* Shorter blocks have classes: one a 16 bytes up to VT_BLOCK_FEW, then four from a power of two to
 * the next. */
enum {
	VT_BLOCK_FEW = 512,
	VT_BLOCK_STEPS = VT_BLOCK_FEW / 16 + 1,
	VT_BLOCK_DOUBLINGS = 6,
	VT_BLOCK_CLASSES = VT_BLOCK_STEPS + 4 * VT_BLOCK_DOUBLINGS
};

#ifdef __SANITIZE_ADDRESS__
enum { VT_ALL_LARGE = 1 }; /* each object has a red zone of its own */
#else
enum { VT_ALL_LARGE = 0 };
#endif

/* Kinds of values that refer to the code that made them. */
#define VT_CODED \
	(1u << VT_K_ITER | 1u << VT_K_ORDERING | 1u << VT_K_MEMO | 1u << VT_K_LAMBDA | \
		1u << VT_K_SCOPE)

typedef struct vt_cell {
	struct vt_cell *next;
} vt_cell;

typedef struct vt_spare {
	struct vt_large *block;
	size_t size; /* usable bytes, its header among them */
} vt_spare;

typedef struct vt_sizeclass {
	vt_cell *free;
	char *bump, *end; /* the part of the newest chunk that was never used */
} vt_sizeclass;

struct vt_heap {
	vt_sizeclass class[VT_NCLASS];
	uint64_t live;             /* objects and blocks given out and not given back */
	uint64_t coded;            /* those among them that refer to code: VT_CODED */
	char *chunk, *chunk_end;   /* the rest of the newest span */
	struct vt_span *spans;     /* what came from the kernel, newest first */
	struct vt_large *large;    /* what came from malloc */
	vt_spare spare[VT_SPARES]; /* and is kept for the next that needs as much, oldest first */
	uint32_t nspares;
	size_t spared;                            /* bytes of them */
	struct vt_large *block[VT_BLOCK_CLASSES]; /* those that nobody has */
	char *piece, *piece_end;                  /* what the next ones are cut from */
	uint64_t mapped;                          /* bytes in spans */
	struct vt_slab *slabs;                    /* slab.c: those that nobody uses */
	struct vt_slab *texts; /* where the next text goes, to at..at_end; or NULL */
	char *at, *at_end;
	uint32_t depth; /* finalisers on the C stack */
	vt_head **dead; /* waiting because finalisers were nested too deep */
	size_t ndead, capdead;
};

void *vt_heap_more(vt_heap *, size_t size, vt_head); /* large, or the class needs a chunk */

/* A cell of a class without its head; NULL: it takes vt_heap_more. */
static inline void *
vt_heap_at_hand(vt_heap *h, size_t size)
{
	size_t rounded = (size + VT_GRAIN - 1) & ~(size_t)(VT_GRAIN - 1);
	vt_sizeclass *c;
	vt_cell *o;

	if (unlikely(VT_ALL_LARGE || size > VT_SMALL))
		return NULL;
	c = &h->class[rounded / VT_GRAIN];
	if ((o = c->free) != NULL)
		c->free = o->next;
	else if (likely((size_t)(c->end - c->bump) >= rounded)) {
		o = (vt_cell *)(void *)c->bump;
		c->bump += rounded;
	} else
		return NULL;
	h->live++;
	return o;
}

/* As vt_alloc, for a size that the compiler knows, or nearly. */
static inline void *
vt_heap_take(vt_heap *h, size_t size, enum vt_kind kind, uint8_t flags)
{
	vt_head head = {1, (uint8_t)kind, flags, 0};
	void *o = vt_heap_at_hand(h, size);
	if (unlikely(o == NULL))
		return vt_heap_more(h, size, head);
	memcpy(o, &head, sizeof head);
	return o;
}

/* Cells that went together mostly lie in a row: those that come after the next one are asked of the
 * memory, for each names only the one behind it. */
static inline void
vt_ask_along(const void *cell, const void *next)
{
	uintptr_t step = (uintptr_t)next - (uintptr_t)cell;

	__builtin_prefetch((const char *)((uintptr_t)next + 6 * step), 1);
}

/* Before a cell of that size is taken: as vt_ask_along. */
static inline void
vt_ask_cells(const vt_heap *h, size_t size)
{
	const vt_cell *o = h->class[(size + VT_GRAIN - 1) / VT_GRAIN % VT_NCLASS].free;

	if (o != NULL && size <= VT_SMALL)
		vt_ask_along(o, o->next);
}

/* n objects of one size, with nothing but a head. */
static inline void
vt_heap_take_many(
	vt_heap *h, size_t size, enum vt_kind kind, uint8_t flags, uint32_t n, vt_value *out)
{
	vt_head head = {1, (uint8_t)kind, flags, 0};
	bool small = !VT_ALL_LARGE && size <= VT_SMALL;
	vt_sizeclass *c = &h->class[(size + VT_GRAIN - 1) / VT_GRAIN % VT_NCLASS];
	vt_cell *o = small ? c->free : NULL;
	uint32_t i = 0;

	for (; o != NULL && i < n; i++) {
		vt_cell *next = o->next;
		vt_ask_along(o, next);
		memcpy(o, &head, sizeof head);
		out[i] = vt_mkptr(o);
		o = next;
	}
	if (small)
		c->free = o;
	h->live += i;
	for (; i < n; i++)
		out[i] = vt_mkptr(vt_heap_take(h, size, kind, flags));
}

/* Chunks of a class are aligned to their size and begin with this. */
enum { VT_CHUNK = 64 * 1024 };
typedef struct vt_chunk {
	vt_heap *heap;
	uint32_t class;
} vt_chunk;
static inline vt_chunk *
vt_chunk_of(const void *p)
{
	return (vt_chunk *)((uintptr_t)p & ~(uintptr_t)(VT_CHUNK - 1));
}

/*
 * Small memory that a value owns beside its own, of at most VT_SMALL bytes; its owner knows that it
 * is such.  vt_cell_more: the class needs a chunk.
 */
void *vt_cell_more(vt_heap *, size_t);
void vt_block_free(void *);
static inline void *
vt_cell_new(vt_heap *h, size_t size)
{
	void *p = vt_heap_at_hand(h, size);
	return likely(p != NULL) ? p : vt_cell_more(h, size);
}
static inline void
vt_cell_free(void *p)
{
	vt_chunk *c = vt_chunk_of(p);
	vt_sizeclass *k;

	if (VT_ALL_LARGE) {
		vt_block_free(p);
		return;
	}
	k = &c->heap->class[c->class];
	c->heap->live--;
	((vt_cell *)p)->next = k->free;
	k->free = p;
}

/* As vt_free_mem, in place. */
static inline void
vt_heap_give(vt_head *o)
{
	if (unlikely(o->flags & (VT_F_LARGE | VT_F_SLAB)))
		vt_free_mem(o);
	else
		vt_cell_free(o);
}

/* The same for many, which nothing refers to any more. */
static inline void
vt_heap_give_many(uint32_t n, vt_head *const *o)
{
	for (uint32_t i = 0; i < n;) {
		vt_chunk *c = vt_chunk_of(o[i]);
		vt_sizeclass *k;
		vt_cell *free;
		uint32_t from = i;
		if (unlikely(VT_ALL_LARGE || (o[i]->flags & (VT_F_LARGE | VT_F_SLAB)))) {
			vt_free_mem(o[i++]);
			continue;
		}
		k = &c->heap->class[c->class];
		for (free = k->free; i < n && vt_chunk_of(o[i]) == c; i++) {
			((vt_cell *)(void *)o[i])->next = free;
			free = (vt_cell *)(void *)o[i];
		}
		k->free = free;
		c->heap->live -= i - from;
	}
}

/*
 * Memory that a value owns beside its own: it goes with the heap when the session ends, whether its
 * owner was freed or not.
 */
void *vt_block_new(vt_heap *, size_t);
void *vt_block_resize(void *, size_t);
/* vt_block_free: NULL too */
void **vt_block_borrowings(void *); /* of the list whose items are in the block */

/* ---- slab.c ---- */
typedef struct vt_borrowing vt_borrowing;
struct vt_slab *vt_heap_slabs(vt_heap *); /* heap.c: new ones, in heap->slabs */
void vt_slab_add(vt_heap *, void *);
/* May rows borrow what is in the lists, and is it worth it?  b: or NULL. */
bool vt_can_borrow(const vt_list *a, const vt_list *b);
/* By which rows borrow the items of both lists; b NULL: of a alone. vt_rows_take must follow. */
vt_borrowing *vt_borrowing_of(vt_heap *, vt_list *a, vt_list *b);
/* Rows with that head, n > 0, whose members are borrowed. */
void vt_rows_take(vt_heap *, vt_borrowing *, uint32_t size, vt_head, uint32_t n, vt_value *out);
/* A string of that size, to be filled in but for its head; for many that stay and go together. */
enum { VT_SLAB_TEXT = 512 };
struct vt_str *vt_text_take(vt_heap *, size_t, uint8_t flags);
/* How many of the items, from the first on, had VT_F_BORROWED, lay in one slab, and nobody else had
 * them: they are given back. The first one is such. */
uint32_t vt_rows_drop(uint32_t n, const vt_value *);
void vt_row_give(vt_head *);
vt_heap *vt_row_heap(const vt_head *);
/* Makes the members of a row its own, before it is changed; or those of all rows that
 * borrow the list's items. */
void vt_settle_row(vt_head *);
void vt_settle_borrowings(vt_list *);
/*
 * Values of one place of a document beside each other.
 *
 * A pipeline reads one member of each record: a few kinds of values out of many.  Memory that is
 * read in one piece costs 2 ns a line, memory with gaps 7 ns (measured over 64 MB).  So each place
 * has a lane a kind: the texts of one member lie in a row, and so do the records of an inner list.
 */
typedef struct vt_lanes vt_lanes;
enum { VT_LANE_MOST = 512 };               /* bytes of a value */
vt_lanes *vt_lanes_new(void);              /* NULL: each value has a red zone of its own */
void vt_lanes_free(vt_lanes *, vt_heap *); /* NULL too */
/* Memory with that head beside the values of that kind that have the same place, at most
 * VT_LANE_MOST bytes; NULL: the place has no lane. */
void *vt_lanes_take(vt_lanes *, vt_heap *, const void *place, size_t size, vt_head);
/* Values side by side; slack: what lies behind them may be read, as far as the page goes. */
typedef struct vt_values {
	const vt_value *v;
	uint32_t n;
	bool slack;
} vt_values;
static inline vt_values
vt_values_of_list(const vt_list *l)
{
	return (vt_values){l->v, l->n, !VT_ALL_LARGE && l->v == l->inl};
}
/*
 * They are copied to where `room` values fit, room >= n.  How many there are decides no branch as
 * long as they are few: which way it goes nobody can foretell, and that costs more than reading
 * what lies behind them, which is not looked at, and writing it where nothing is yet.
 */
enum { VT_SPILL = 8 };
static inline void
vt_spill(vt_value *to, uint32_t room, vt_values s)
{
	if (s.slack && room >= s.n + VT_SPILL &&
		vt_may_overread((const char *)s.v, VT_SPILL * sizeof *to)) {
		memcpy(to, s.v, VT_SPILL * sizeof *to);
		if (s.n > VT_SPILL)
			memcpy(to + VT_SPILL, s.v + VT_SPILL, (s.n - VT_SPILL) * sizeof *to);
	} else {
		memcpy(to, s.v, s.n * sizeof *to);
	}
}
static inline bool
vt_has_borrowings(const vt_list *l)
{
	return l->v != l->inl && !(l->h.flags & VT_F_SHIFTED) && *vt_block_borrowings(l->v) != NULL;
}

#endif
