/*
 * timer.h - what the benchmark's drivers in C share: many runs of one job, their median, one line
 * of JSON.
 *
 * A job runs twice to warm up, then until the time is used up, at least five times; once when that
 * one takes many times the time there is.  Short jobs are timed several at once, so that reading
 * the clocks costs nothing.  What counts is the smaller of
 * elapsed and processor time: on a busy machine the first grows with what others do.
 */
#ifndef BENCH_TIMER_H
#define BENCH_TIMER_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TIMER_MOST = 20000, TIMER_LEAST = 5, TIMER_LONG = 20 };

typedef struct timer {
	double *seconds;
	int n;
	double all;
} timer;

static double
timer_clock(clockid_t which)
{
	struct timespec t;

	clock_gettime(which, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int
timer_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Seconds of one run, from `times` of them; negative when the job fails. */
static double
timer_sample(int times, int (*job)(void *), void *data)
{
	double wall = timer_clock(CLOCK_MONOTONIC), cpu = timer_clock(CLOCK_PROCESS_CPUTIME_ID);

	for (int i = 0; i < times; i++)
		if (!job(data))
			return -1;
	cpu = timer_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	wall = timer_clock(CLOCK_MONOTONIC) - wall;
	return (cpu < wall ? cpu : wall) / times;
}

/* Runs job(data) again and again; job gives false when it fails. */
static inline int
timer_run(timer *t, double budget, int (*job)(void *), void *data)
{
	double one;
	int times;

	t->seconds = (double *)malloc(TIMER_MOST * sizeof *t->seconds);
	t->n = 0;
	t->all = 0;
	if (!t->seconds || timer_sample(1, job, data) < 0 || (one = timer_sample(1, job, data)) < 0)
		return 0;
	times = one < 1e-6 ? 1000 : one < 1e-3 ? (int)(1e-3 / one) + 1 : 1;
	while (t->n < TIMER_MOST &&
		(t->all < budget || (t->n < TIMER_LEAST && t->all < TIMER_LONG * budget))) {
		one = timer_sample(times, job, data);
		if (one < 0)
			return 0;
		t->seconds[t->n++] = one;
		t->all += one * times;
	}
	qsort(t->seconds, (size_t)t->n, sizeof *t->seconds, timer_order);
	return 1;
}

static inline void
timer_print(timer *t)
{
	printf("{\"seconds\":%.9g,\"least\":%.9g,\"runs\":%d}\n", t->seconds[t->n / 2],
		t->seconds[0], t->n);
	free(t->seconds);
}

#endif
