/*
 * stack.c - memory for the stacks of tasks.
 *
 * Arenas of 64 stacks, then of as many as there are already: a million stacks are a few mappings.
 * They are mapped without reservation, so that only touched pages count: one or two of a task that
 * does little. There are no guard pages (the kernel has 65,530 mappings for a process):
 * vt_stack_low looks at a limit.
 *
 * Invariants: the stacks from bump on were never taken since the arena was last empty; a free one's
 * last word links to the next.  An arena all of whose stacks are back gives its pages to the kernel
 * in one call, unless few were used: a program that goes back and forth around an arena's end must
 * not pay each time.
 */
#define _GNU_SOURCE
#include "runtime/task/int.h"

#include <stdlib.h>
#include <sys/mman.h>

#ifdef VT_VALGRIND
#include <valgrind/valgrind.h>
#define REPORT_STACK(top) \
	VALGRIND_STACK_REGISTER((top)-VT_STACK, top) /* for good: it is a stack again later */
#else
#define REPORT_STACK(top) ((void)(top))
#endif

enum { FIRST = 64, MOST = 1 << 19, KEEP = 256, MOST_ARENAS = 64 };

typedef struct arena {
	char *base;
	char *free; /* upper end of a stack, or NULL */
	uint32_t n, bump, live, reported;
} arena;

struct vt_stacks {
	arena v[MOST_ARENAS];
	uint32_t n, total;
};

struct vt_stacks *
vt_stacks_new(void)
{
	struct vt_stacks *s = vt_xmalloc(sizeof *s);
	s->n = s->total = 0;
	return s;
}

void
vt_stacks_destroy(struct vt_stacks *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		munmap(s->v[i].base, (size_t)s->v[i].n * VT_STACK);
	free(s);
}

/* As many as asked for, or half of them, and so on. */
static bool
add_arena(struct vt_stacks *s)
{
	uint32_t n = s->total < FIRST ? FIRST : s->total > MOST ? MOST : s->total;
	void *p = MAP_FAILED;
	if (s->n == MOST_ARENAS || vt_torture_fails())
		return false;
	for (; n >= FIRST && p == MAP_FAILED; n = p == MAP_FAILED ? n / 2 : n)
		p = mmap(NULL, (size_t)n * VT_STACK, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return false;
#ifdef MADV_NOHUGEPAGE
	madvise(p, (size_t)n * VT_STACK, MADV_NOHUGEPAGE); /* the first touch would take 2 MiB */
#endif
	s->v[s->n++] = (arena){.base = p, .n = n};
	s->total += n;
	return true;
}

static char **
link_of(char *top)
{
	return (char **)(void *)(top - sizeof(char *));
}

static char *
new_stack(arena *a)
{
	char *top = a->base + (size_t)++a->bump * VT_STACK;
	if (a->bump > a->reported) {
		a->reported = a->bump;
		REPORT_STACK(top);
	}
	return top;
}

char *
vt_stack_take(struct vt_stacks *s)
{
	for (uint32_t i = 0; i < s->n || add_arena(s); i++) {
		arena *a = &s->v[i];
		char *top = a->free;
		if (top == NULL && a->bump == a->n)
			continue;
		if (top != NULL)
			a->free = *link_of(top);
		else
			top = new_stack(a);
		a->live++;
		return top;
	}
	return NULL;
}

/*
 * MADV_FREE lets the kernel take the pages when it needs them.  Measured with a million tasks:
 * those that follow cost 1.1 us each, against 4 us after MADV_DONTNEED, which makes each touch its
 * page for the first time again.
 */
#ifdef MADV_FREE
enum { GIVE_BACK = MADV_FREE };
#else
enum { GIVE_BACK = MADV_DONTNEED };
#endif

static void
empty(arena *a)
{
	if (a->bump > KEEP)
		madvise(a->base, (size_t)a->bump * VT_STACK, GIVE_BACK);
	a->free = NULL;
	a->bump = 0;
}

void
vt_stack_give(struct vt_stacks *s, char *top)
{
	arena *a = s->v;
	while (top <= a->base || top > a->base + (size_t)a->n * VT_STACK)
		a++;
	*link_of(top) = a->free;
	a->free = top;
	if (--a->live == 0 && a > s->v)
		empty(a);
}
