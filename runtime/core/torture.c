/*
 * torture.c - what a build with CONFIG=torture does to itself; empty in all others.
 *
 * VETRO_FAIL_ALLOC=N lets the N-th allocation fail, "N+" that one and all that follow, and 0 none:
 * the number of allocations is reported at the end then. The program's malloc, calloc and realloc
 * stand in front of AddressSanitizer's, so that those of libc, Lua, PCRE2, libyaml and libtcc are
 * meant too; VETRO_FAIL_TRACE=1 shows the stack of the one that fails.
 *
 * State of the process, not of a session: allocations do not know theirs.
 */
#include "runtime/core/value.h"

typedef int vt_torture_file; /* an empty file is no C */

#ifdef VT_TORTURE
#include <errno.h>
#include <stdlib.h>
#include <sanitizer/common_interface_defs.h>
#include <stdio.h>

void *__interceptor_malloc(size_t);
void *__interceptor_calloc(size_t, size_t);
void *__interceptor_realloc(void *, size_t);

static uint64_t allocations, fail_at;
static bool fail_rest, tell_count, show_stack;

__attribute__((constructor)) static void
read_environment(void)
{
	const char *n = getenv("VETRO_FAIL_ALLOC");
	char *end;
	if (n == NULL || *n == '\0')
		return;
	fail_at = strtoull(n, &end, 10);
	fail_rest = *end == '+';
	tell_count = fail_at == 0;
	show_stack = getenv("VETRO_FAIL_TRACE") != NULL;
	allocations = 0;
}

__attribute__((destructor)) static void
report(void)
{
	if (tell_count)
		fprintf(stderr, "vetro: %llu allocations\n", (unsigned long long)allocations);
}

bool
vt_torture_fails(void)
{
	uint64_t n = __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
	if (fail_at == 0 || (fail_rest ? n < fail_at : n != fail_at))
		return false;
	if (show_stack) {
		show_stack = false;
		__sanitizer_print_stack_trace();
	}
	errno = ENOMEM;
	return true;
}

void *
malloc(size_t n)
{
	return vt_torture_fails() ? NULL : __interceptor_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	return vt_torture_fails() ? NULL : __interceptor_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	return n > 0 && vt_torture_fails() ? NULL : __interceptor_realloc(p, n);
}
#endif
