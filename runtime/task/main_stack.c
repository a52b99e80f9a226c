/*
 * main_stack.c - a main stack that is large enough.
 *
 * The kernel grows the stack of a process on demand up to the limit in force at that time, which a
 * process may raise up to the hard one. Where that is small (`ulimit -s 64`) main() goes on in a
 * mapping of its own.
 */
#define _GNU_SOURCE
#include "runtime/task/int.h"

#include <sys/mman.h>
#include <sys/resource.h>

enum { GUARD = 64 << 10 };

struct main_hop {
	int (*fn)(void *);
	void *arg;
	int rc;
	void *back, *here, *fake;
	vt_stack from;
};

static size_t mapped;

size_t
vt_main_stack(void)
{
	struct rlimit r;

	if (mapped > 0)
		return mapped;
	if (getrlimit(RLIMIT_STACK, &r) != 0 || r.rlim_cur == RLIM_INFINITY)
		return SIZE_MAX;
	return (size_t)r.rlim_cur;
}

static void
raise_limit(size_t bytes)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_STACK, &r) != 0)
		return;
	r.rlim_cur = r.rlim_max == RLIM_INFINITY || r.rlim_max > bytes ? bytes : r.rlim_max;
	(void)setrlimit(RLIMIT_STACK, &r);
}

static void
main_hop(void *p)
{
	struct main_hop *h = p;

	VT_FIBER_ARRIVE(NULL, &h->from.bottom, &h->from.size);
	h->rc = h->fn(h->arg);
	VT_FIBER_LEAVE(NULL, &h->from);
	vt_switch(&h->here, h->back);
}

int
vt_with_stack(size_t bytes, int (*fn)(void *), void *arg)
{
	struct main_hop h = {.fn = fn, .arg = arg};
	vt_stack to = {.size = bytes};
	char *base;

	if (vt_main_stack() < bytes && mapped == 0)
		raise_limit(bytes);
	if (vt_main_stack() >= bytes)
		return fn(arg);
	base = mmap(NULL, bytes + GUARD, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (base == MAP_FAILED)
		vt_no_memory();
	(void)mprotect(base, GUARD, PROT_NONE);
	to.bottom = base + GUARD;
	mapped = bytes;
	VT_FIBER_LEAVE(&h.fake, &to);
	vt_switch(&h.back, vt_switch_prepare(base + GUARD, base + GUARD + bytes, main_hop, &h));
	VT_FIBER_ARRIVE(h.fake, &to.bottom, &to.size);
	mapped = 0;
	munmap(base, bytes + GUARD);
	return h.rc;
}
