/*
 * heap.c - memory of counted values.
 *
 * One size class a 16 bytes up to 512.  A class carves its objects from 64 KiB chunks, aligned to their
 * size, whose header names the heap, so that freeing an object needs nothing but its address.  What is
 * larger comes from malloc with the heap's address in the 16 bytes in front.  Under AddressSanitizer
 * everything is "larger", so that each object has its own red zone.
 *
 * Invariant: `live` counts objects given out and not given back; `depth` counts finalisers on the C stack.
 */
#include "vti.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 64 * 1024, GRAIN = 16, SMALL = 512, NCLASS = SMALL / GRAIN + 1, NEST = 40 };

#ifdef __SANITIZE_ADDRESS__
enum { ALL_LARGE = 1 };
#else
enum { ALL_LARGE = 0 };
#endif

/* A free object: its first words are the list's link and the index of its class. */
typedef struct cell { struct cell *next; } cell;
typedef struct chunk { vt_heap *heap; struct chunk *next; uint32_t class; } chunk;
typedef struct large { vt_heap *heap; uint64_t size; } large;

struct vt_heap {
	cell *free[NCLASS];
	char *bump[NCLASS], *end[NCLASS];   /* the part of the newest chunk that was never used */
	uint64_t live;
	chunk *chunks;
	uint32_t depth;
	vt_head **dead; size_t ndead, capdead; /* waiting because finalisers were nested too deep */
};

_Static_assert(sizeof(chunk) <= 2 * GRAIN, "the first object of a chunk starts behind its header");
_Static_assert(sizeof(large) == GRAIN, "large objects keep malloc's alignment");

static _Noreturn void
no_memory(void)
{
	static const char text[] = "vetro: out of memory\n";
	if (write(2, text, sizeof text - 1) < 0)
		_exit(3);
	_exit(3);
}

void *
vt_xmalloc(size_t n)
{
	void *p = malloc(n ? n : 1);
	if (unlikely(p == NULL))
		no_memory();
	return p;
}

void *
vt_xrealloc(void *old, size_t n)
{
	void *p = realloc(old, n ? n : 1);
	if (unlikely(p == NULL))
		no_memory();
	return p;
}

char *
vt_xstrdup(const char *s)
{
	size_t n = strlen(s) + 1;
	return memcpy(vt_xmalloc(n), s, n);
}

vt_heap *
vt_heap_new(void)
{
	vt_heap *h = calloc(1, sizeof *h);
	if (h == NULL)
		no_memory();
	return h;
}

void
vt_heap_destroy(vt_heap *h)
{
	for (chunk *c = h->chunks, *next; c != NULL; c = next) {
		next = c->next;
		free(c);
	}
	free(h->dead);
	free(h);
}

uint64_t
vt_heap_live(const vt_heap *h)
{
	return h->live;
}

static void *
carve(vt_heap *h, uint32_t class)
{
	chunk *c;
	size_t size = (size_t)class * GRAIN;
	char *p = h->bump[class];
	if (p == NULL || (size_t)(h->end[class] - p) < size) {
		c = aligned_alloc(CHUNK, CHUNK);
		if (c == NULL)
			no_memory();
		*c = (chunk){ h, h->chunks, class };
		h->chunks = c;
		p = (char *)c + 2 * GRAIN;
		h->end[class] = (char *)c + CHUNK;
	}
	h->bump[class] = p + size;
	return p;
}

static void *
alloc_large(vt_heap *h, size_t size)
{
	large *l = size > SIZE_MAX - sizeof *l ? NULL : malloc(sizeof *l + size);
	if (l == NULL)
		no_memory();
	*l = (large){ h, size };
	return l + 1;
}

void *
vt_alloc(vt_rt *rt, size_t size, enum vt_kind kind)
{
	vt_heap *h = rt->s->heap;
	uint32_t class = (uint32_t)((size + GRAIN - 1) / GRAIN);
	vt_head *o;
	h->live++;
	if (unlikely(ALL_LARGE || size > SMALL)) {
		o = alloc_large(h, size);
		*o = (vt_head){ 1, (uint8_t)kind, VT_F_LARGE, 0 };
		return o;
	}
	if (likely(h->free[class] != NULL)) {
		cell *c = h->free[class];
		h->free[class] = c->next;
		o = (vt_head *)c;
	} else {
		o = carve(h, class);
	}
	*o = (vt_head){ 1, (uint8_t)kind, 0, 0 };
	return o;
}

static chunk *
chunk_of(void *p)
{
	return (chunk *)((uintptr_t)p & ~(uintptr_t)(CHUNK - 1));
}

static vt_heap *
heap_of(vt_head *o)
{
	return o->flags & VT_F_LARGE ? ((large *)(void *)o - 1)->heap : chunk_of(o)->heap;
}

void
vt_free_mem(void *head)
{
	vt_head *o = head;
	chunk *c;
	if (o->flags & VT_F_LARGE) {
		((large *)head - 1)->heap->live--;
		free((large *)head - 1);
		return;
	}
	c = chunk_of(o);
	c->heap->live--;
	((cell *)head)->next = c->heap->free[c->class];
	c->heap->free[c->class] = head;
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
 * A finaliser releases what its object holds and so comes back here.  Beyond NEST levels the object waits
 * in `dead` until the outermost call takes it: a list nested a million deep needs no deep C stack.
 */
void
vt_free_with(vt_head *o, void (*drop)(vt_head *))
{
	vt_heap *h = heap_of(o);
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

/* ---- buffers ------------------------------------------------------------------------------------ */

static char *
room(vt_buf *b, size_t n)
{
	if (n > SIZE_MAX / 2 - b->n)
		no_memory();
	if (b->n + n > b->cap) {
		b->cap = b->n + n > 2 * b->cap ? b->n + n + 32 : 2 * b->cap;
		b->p = vt_xrealloc(b->p, b->cap);
	}
	return b->p + b->n;
}

void
vt_buf_put(vt_buf *b, const void *p, size_t n)
{
	if (n == 0)
		return;
	memcpy(room(b, n), p, n);
	b->n += n;
}

void
vt_buf_puts(vt_buf *b, const char *s)
{
	vt_buf_put(b, s, strlen(s));
}

void
vt_buf_putc(vt_buf *b, char c)
{
	*room(b, 1) = c;
	b->n++;
}

static void
put_formatted(vt_buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return;
	vsnprintf(room(b, (size_t)n + 1), (size_t)n + 1, fmt, ap);
	b->n += (size_t)n;
}

void
vt_buf_printf(vt_buf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	put_formatted(b, fmt, ap);
	va_end(ap);
}

void
vt_buf_vprintf(vt_buf *b, const char *fmt, va_list ap)
{
	put_formatted(b, fmt, ap);
}

void
vt_buf_free(vt_buf *b)
{
	free(b->p);
	*b = (vt_buf){ 0 };
}

char *
vt_asprintf(const char *fmt, ...)
{
	vt_buf b = { 0 };
	va_list ap;
	va_start(ap, fmt);
	put_formatted(&b, fmt, ap);
	va_end(ap);
	vt_buf_putc(&b, '\0');
	return b.p;
}
