/*
 * arena.c - the memory of one compilation, and the compilation itself.
 *
 * Chunks grow geometrically up to 1 MiB; a request larger than a quarter chunk gets a chunk of its
 * own, linked behind the current one so that the room left in that is not lost.  Nothing is freed
 * before vc_free.  Room is zeroed when it is given out, so that what nobody asks for is never
 * touched.  Running out of memory ends the process: there is no way on for a compiler.
 */
#include "compiler/base/base.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_MIN = 64 << 10, CHUNK_MAX = 1 << 20, ALIGN = 8 };

typedef struct chunk {
	struct chunk *next;
	size_t used, size;
	_Alignas(ALIGN) char room[];
} chunk;

typedef struct deferred {
	struct deferred *next;
	void (*call)(void *);
	void *arg;
} deferred;

struct vc_arena {
	chunk *head;
	size_t next_size;
	deferred *deferred;
};

static chunk *
chunk_new(size_t size)
{
	chunk *k = vt_xmalloc(sizeof(chunk) + size);
	k->next = NULL;
	k->used = 0;
	k->size = size;
	return k;
}

vc_arena *
vc_arena_new(void)
{
	vc_arena *a = vt_xzalloc(sizeof *a);
	a->next_size = CHUNK_MIN;
	a->head = chunk_new(a->next_size);
	return a;
}

void
vc_arena_free(vc_arena *a)
{
	for (deferred *d = a->deferred; d; d = d->next)
		d->call(d->arg);
	while (a->head) {
		chunk *next = a->head->next;
		free(a->head);
		a->head = next;
	}
	free(a);
}

vc_arena *
vc_arena_use(vc *c, vc_arena *a)
{
	vc_arena *old = c->arena;
	c->arena = a;
	return old;
}

static void *
arena_slow(vc_arena *a, size_t n)
{
	if (n > a->next_size / 4) {
		chunk *own = chunk_new(n);
		own->used = n;
		own->next = a->head->next;
		a->head->next = own;
		return memset(own->room, 0, n);
	}
	if (a->next_size < CHUNK_MAX)
		a->next_size *= 2;
	chunk *k = chunk_new(a->next_size);
	k->next = a->head;
	k->used = n;
	a->head = k;
	return memset(k->room, 0, n);
}

void *
vc_alloc(vc *c, size_t n)
{
	if (n > SIZE_MAX / 2)
		vt_no_memory();
	n = (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	chunk *k = c->arena->head;
	if (k->size - k->used < n)
		return arena_slow(c->arena, n);
	void *p = k->room + k->used;
	k->used += n;
	return memset(p, 0, n);
}

void
vc_defer(vc *c, void (*call)(void *), void *arg)
{
	deferred *d = vc_alloc(c, sizeof *d);
	*d = (deferred){c->arena->deferred, call, arg};
	c->arena->deferred = d;
}

char *
vc_strndup(vc *c, const char *s, size_t n)
{
	char *p = vc_alloc(c, n + 1);
	if (n)
		memcpy(p, s, n);
	return p;
}

char *
vc_strdup(vc *c, const char *s)
{
	return vc_strndup(c, s, strlen(s));
}

char *
vc_take(vc *c, vt_buf *b)
{
	char *s = vc_strndup(c, b->p, b->n);

	vt_buf_free(b);
	return s;
}

char *
vc_take_text(vc *c, char *s)
{
	char *copy = vc_strdup(c, s);

	free(s);
	return copy;
}

char *
vc_format(vc *c, const char *fmt, ...)
{
	va_list ap;

	c->scratch.n = 0;
	va_start(ap, fmt);
	vt_buf_vprintf(&c->scratch, fmt, ap);
	va_end(ap);
	return vc_strndup(c, c->scratch.p, c->scratch.n);
}

void *
vc_grow(vc *c, void *vec, size_t n, size_t size)
{
	size_t bytes = vt_grown(n, size);
	return bytes ? memcpy(vc_alloc(c, bytes), n ? vec : "", n * size) : vec;
}

/* ---- the compilation ---- */

vc *
vc_new(void)
{
	vc *c = vt_xzalloc(sizeof *c);
	c->arena = vc_arena_new();
	c->limit.max_depth = 200;
	c->limit.max_nodes = 2000000;
	c->limit.max_file = (size_t)64 << 20;
	c->limit.max_errors = 100;
	c->limit.max_entries = 20000;
	c->limit.max_resources = (size_t)16 << 20;
	c->seed = vt_seed_new();
	return c;
}

uint64_t
vc_hash(const vc *c, const char *s, size_t n)
{
	return vt_sip(&c->seed, s, n);
}

void
vc_free(vc *c)
{
	if (!c)
		return;
	vc_arena_free(c->arena);
	vt_buf_free(&c->scratch);
	free(c);
}
