/*
 * switch.c - stacks: a new one's first frame, and switching where no assembler file knows the
 * machine.
 *
 * The way of ucontext costs two system calls a switch; -DVT_UCONTEXT takes it on any machine, for
 * tests.
 */
#include "runtime/task/int.h"

#include <string.h>

#if defined(VT_UCONTEXT) || !(defined(__x86_64__) || defined(__aarch64__))
#include <ucontext.h>

/* The start of a context, and what `save` of a switch points to: it lives on the stack that is
 * left. */
struct start {
	ucontext_t context;
	void (*fn)(void *);
	void *arg;
};

static void
run(unsigned hi, unsigned lo)
{
	struct start *s = (struct start *)(((uintptr_t)hi << 16 << 16) | lo);
	s->fn(s->arg);
}

void *
vt_switch_prepare(char *base, char *top, void (*fn)(void *), void *arg)
{
	struct start *s = (struct start *)((uintptr_t)(top - sizeof *s) & ~(uintptr_t)63);
	uintptr_t p = (uintptr_t)s;
	getcontext(&s->context);
	s->fn = fn;
	s->arg = arg;
	s->context.uc_stack.ss_sp = base;
	s->context.uc_stack.ss_size = (size_t)((char *)s - base);
	s->context.uc_link = NULL;
	makecontext(&s->context, (void (*)(void))run, 2, (unsigned)(p >> 16 >> 16), (unsigned)p);
	return &s->context;
}

void
vt_switch(void **save, void *to)
{
	ucontext_t here;
	*save = &here;
	swapcontext(&here, to);
}

#else

void vt_switch_start(void);

/* The frame that vt_switch takes off: fn and arg are in registers that vt_switch_start looks at. */
void *
vt_switch_prepare(char *base, char *top, void (*fn)(void *), void *arg)
{
	uintptr_t *sp = (uintptr_t *)((uintptr_t)top & ~(uintptr_t)15);
#ifdef __x86_64__
	enum { WORDS = 7, R12 = 3, RBX = 4, RIP = 6 };
	sp -= WORDS;
	memset(sp, 0, WORDS * sizeof *sp);
	sp[R12] = (uintptr_t)fn;
	sp[RBX] = (uintptr_t)arg;
	sp[RIP] = (uintptr_t)vt_switch_start;
#else
	enum { WORDS = 20, X19 = 0, X20 = 1, X30 = 11 };
	sp -= WORDS;
	memset(sp, 0, WORDS * sizeof *sp);
	sp[X19] = (uintptr_t)arg;
	sp[X20] = (uintptr_t)fn;
	sp[X30] = (uintptr_t)vt_switch_start;
#endif
	(void)base;
	return sp;
}
#endif
