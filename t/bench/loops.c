/*
 * loops.c - the loops of t/bench/package as a C programmer writes them.
 *
 * usage: loops int|call|lines N SECONDS
 *
 * int: one remainder hangs on the one before, so that no compiler can sum it up.  call: the
 * function is not inlined into itself, for what is measured is calls; `inlined` is the time where
 * the compiler may do as it likes.  None checks for overflow, which integers of MuranoPL do not
 * have.  lines: one word of each line of 64 bytes in n bytes, in order, which is the least that
 * reading a document costs that has so many.
 */
#include "timer.h"

#include <stdint.h>
#include <string.h>
#include <stdio.h>

typedef struct loop {
	int64_t n;
	int64_t (*run)(int64_t n);
	volatile int64_t result;
} loop;

static int64_t
int_loop(int64_t n)
{
	int64_t s = 1;

	for (int64_t i = 0; i < n; i++)
		s = (s * 31 + i) % 1000003;
	return s;
}

static int64_t
read_lines(int64_t n)
{
	static char *memory;
	int64_t s = 0;

	if (memory == NULL && (memory = malloc((size_t)n)) == NULL)
		exit(1);
	if (memory[0] == 0)
		memset(memory, 1, (size_t)n);
	for (int64_t i = 0; i + 64 <= n; i += 64)
		s += memory[i];
	return s;
}

static __attribute__((noinline, noclone)) int64_t
fib(int64_t n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int64_t
fib_inlined(int64_t n)
{
	return n < 2 ? n : fib_inlined(n - 1) + fib_inlined(n - 2);
}

static int
once(void *data)
{
	loop *l = data;

	l->result = l->run(*(volatile int64_t *)&l->n);
	return 1;
}

int
main(int argc, char **argv)
{
	timer t;
	loop l = {.run = NULL};
	double inlined = 0;

	if (argc != 4)
		return 2;
	l.n = atoll(argv[2]);
	if (!strcmp(argv[1], "call")) {
		l.run = fib_inlined;
		if (!timer_run(&t, atof(argv[3]), once, &l))
			return 1;
		inlined = t.seconds[t.n / 2];
		free(t.seconds);
	}
	l.run = !strcmp(argv[1], "call") ? fib : !strcmp(argv[1], "lines") ? read_lines : int_loop;
	if (!timer_run(&t, atof(argv[3]), once, &l))
		return 1;
	printf("{\"seconds\":%.9g,\"inlined\":%.9g,\"result\":%lld}\n", t.seconds[t.n / 2], inlined,
		(long long)l.result);
	free(t.seconds);
	return 0;
}
