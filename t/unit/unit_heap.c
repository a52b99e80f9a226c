/*
 * unit_heap.c - blocks of a heap: arrays, tables and long texts: TAP.
 *
 * What a block holds stays when it grows, shrinks or moves; what nobody has any more is given again,
 * so that work that is done over and over asks the kernel for nothing.
 */
#include "runtime/core/base.h"
#include "runtime/core/heap.h"
#include "runtime/core/session.h"
#include "unit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { BLOCKS = 64, STEPS = 40000 };

typedef struct held {
	unsigned char *p;
	size_t n;
	unsigned char with; /* what it is full of */
} held;

static uint64_t seed = 18;

static uint64_t
any(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % below;
}

/* Of all magnitudes, to 4 MiB. */
static size_t
any_size(void)
{
	return 1 + (size_t)any(UINT64_C(1) << (3 + any(20)));
}

static bool
is_full(const held *h, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (h->p[i] != h->with)
			return false;
	return true;
}

static void
fill(held *h, unsigned char with)
{
	h->with = with;
	memset(h->p, with, h->n);
}

/* Blocks come, go and change their sizes in any order. */
static void
test_contents(vt_heap *heap)
{
	held block[BLOCKS] = {{NULL, 0, 0}};
	bool kept = true, aligned = true;

	for (int step = 0; step < STEPS; step++) {
		held *h = &block[any(BLOCKS)];
		size_t n = any_size(), least;
		if (h->p == NULL) {
			h->p = vt_block_new(heap, h->n = n);
		} else if (any(3) == 0) {
			kept &= is_full(h, h->n);
			vt_block_free(h->p);
			h->p = NULL;
			continue;
		} else {
			n = any(2) ? h->n * 2 < (8 << 20) ? h->n * 2 : 1 : h->n / (1 + any(4)) + 1;
			least = n < h->n ? n : h->n;
			h->p = vt_block_resize(h->p, n);
			kept &= is_full(h, least);
			h->n = n;
		}
		aligned &= (uintptr_t)h->p % 16 == 0;
		fill(h, (unsigned char)step);
	}
	for (int i = 0; i < BLOCKS; i++) {
		kept &= block[i].p == NULL || is_full(&block[i], block[i].n);
		vt_block_free(block[i].p);
	}
	ok(kept, "what blocks hold stays when they change their sizes, whatever others do");
	ok(aligned, "all are aligned");
	ok(vt_heap_live(heap) == 0, "none is left");
}

/* A list that grows, is cut to what it has, and goes. */
static void
grow(vt_heap *heap, size_t to)
{
	size_t n = 64;
	char *p = memset(vt_block_new(heap, n), 1, n);

	for (; n < to; n *= 2) {
		p = vt_block_resize(p, 2 * n);
		memset(p + n, 1, n);
	}
	vt_block_free(vt_block_resize(p, n / 2 + n / 8));
}

static long
faults(void)
{
	struct rusage u;

	return getrusage(RUSAGE_SELF, &u) == 0 ? u.ru_minflt : 0;
}

static void
test_again(vt_heap *heap)
{
	long before;
	void *short_ones[100];

	for (int i = 0; i < 8; i++)
		grow(heap, 2 << 20);
	before = faults();
	for (int i = 0; i < 50; i++)
		grow(heap, 2 << 20);
	if (VT_ALL_LARGE)
		ok(true, "a long list that comes again # SKIP every block is malloc's");
	else
		ok(faults() - before < 1000, "a long list that comes again needs no new pages");
	for (int round = 0; round < 3; round++) {
		before = faults();
		for (int i = 0; i < 100; i++)
			short_ones[i] = memset(vt_block_new(heap, 20000), 2, 20000);
		for (int i = 0; i < 100; i++)
			vt_block_free(short_ones[i]);
	}
	ok(VT_ALL_LARGE || faults() - before < 100, "nor do many shorter ones");
	ok(vt_heap_live(heap) == 0, "none is left");
}

/* Sessions that follow each other: each has a heap of its own. */
static void
test_heaps(void)
{
	long before = 0;

	for (int i = 0; i < 100; i++) {
		vt_heap *heap = vt_heap_new();
		void *p = memset(vt_block_new(heap, 20000), 3, 20000);

		if (i == 0)
			before = faults();
		vt_block_free(p);
		vt_heap_destroy(heap);
	}
	ok(VT_ALL_LARGE || faults() - before < 100, "nor do heaps that follow each other");
}

int
main(void)
{
	vt_heap *heap = vt_heap_new();

	test_contents(heap);
	test_again(heap);
	vt_heap_destroy(heap);
	test_heaps();
	printf("1..%d\n", tests);
	return failures != 0;
}
