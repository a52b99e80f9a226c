/*
 * segment.c - the further segments of a task's stack: a call that nests deeply runs on one.
 */
#define _GNU_SOURCE
#include "runtime/task/int.h"
#include "runtime/core/exception.h"

#include <sys/mman.h>

struct hop {
	vt_sched *s;
	vt_status (*fn)(vt_rt *, void *);
	void *data;
	vt_status st;
	void *back, *here, *fake;
	vt_stack from;
};

static void
hop_main(void *p)
{
	struct hop *h = p;
	VT_FIBER_ARRIVE(NULL, &h->from.bottom, &h->from.size);
	h->st = h->fn(h->s->rt, h->data);
	VT_FIBER_LEAVE(NULL, &h->from);
	vt_switch(&h->here, h->back);
}

static char *
take_segment(vt_sched *s)
{
	void *p;
	if (s->nsegments > 0)
		return s->segment_pool[--s->nsegments];
	if (vt_torture_fails())
		return NULL;
	p = mmap(NULL, VT_SEGMENT, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
#ifdef MADV_NOHUGEPAGE
	if (p != MAP_FAILED)
		madvise(p, VT_SEGMENT, MADV_NOHUGEPAGE);
#endif
	return p == MAP_FAILED ? NULL : p;
}

static void
give_segment(vt_sched *s, char *base)
{
	if (s->nsegments < VT_LEN(s->segment_pool))
		s->segment_pool[s->nsegments++] = base;
	else
		munmap(base, VT_SEGMENT);
}

void
vt_segments_destroy(vt_sched *s)
{
	for (uint32_t i = 0; i < s->nsegments; i++)
		munmap(s->segment_pool[i], VT_SEGMENT);
	s->nsegments = 0;
}

/* A call on another stack, inside of the same task. */
vt_status
vt_on_segment(vt_rt *rt, vt_status (*fn)(vt_rt *, void *), void *data)
{
	vt_sched *s = vt_sched_of(rt);
	vt_task *t = s->current;
	char *base = take_segment(s);
	struct hop h = {.s = s, .fn = fn, .data = data, .from = t->local.stack};
	if (base == NULL)
		return vt_raise(rt, VT_E_RECURSION, "no memory for a deeper stack");
	VT_FIBER_FRESH(base + VT_SEGMENT - 32 * 1024, 32 * 1024);
	t->local.stack = (vt_stack){base, VT_SEGMENT, (uintptr_t)base + VT_RESERVE};
	rt->stack_limit = t->local.stack.limit;
	VT_FIBER_LEAVE(&h.fake, &t->local.stack);
	vt_switch(&h.back, vt_switch_prepare(base, base + VT_SEGMENT, hop_main, &h));
	VT_FIBER_ARRIVE(h.fake, &h.from.bottom, &h.from.size);
	t->local.stack = h.from;
	t->local.stack.limit = rt->stack_limit = h.from.limit;
	give_segment(s, base);
	return h.st;
}
