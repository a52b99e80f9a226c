/* bench_int.h - what the files of `vetro bench` share: bench.c (the command), bench_side.c (who
 * takes part, and their processes) and bench_work.c (an expression, again and again). */
#ifndef BENCH_INT_H
#define BENCH_INT_H

#include "compiler/base/base.h"

enum { BENCH_ARGS = 192, BENCH_METRICS = 2, BENCH_ROUNDS = 25 };

/* How a contestant's time is come by. */
enum bench_how {
	/* it measures itself and prints {"load":, "call":, "peak":}, or "call" alone */
	BENCH_REPORTS,
	/* jq: the program k times in one process, less the process that runs it no time */
	BENCH_REPEATS,
	BENCH_PROCESS /* a process, less one that does nothing */
};

typedef struct bench_argv {
	const char *v[BENCH_ARGS];
	uint32_t n;
} bench_argv;

typedef struct bench_side {
	const char *name;
	enum bench_how how;
	bench_argv run, idle; /* idle: a process that starts and does nothing */
	const char *program;  /* of BENCH_REPEATS: what `run` repeats */
	const char *file;
	const char *gone;  /* why it does not take part; NULL: it does */
	uint32_t n, times; /* rounds so far; of BENCH_REPEATS: k, once it is known */
	double seconds[BENCH_METRICS][BENCH_ROUNDS];
	double start; /* median of idle */
	long peak;    /* bytes */
} bench_side;

/* One process, from start to end, with what it printed. */
typedef struct bench_use {
	double wall, cpu;
	long peak;
	int status;
	bool late;
	vt_buf out;
} bench_use;

/* more than there is room for are left out: cmd_bench checks */
void bench_add(bench_argv *, const char *);
/* False: it could not be started. quiet: its standard error goes nowhere. limit: seconds. */
bool bench_run(const bench_argv *, bool quiet, double limit, bench_use *);
bool bench_succeeded(const bench_use *);
/* runs well with these arguments; NULL: none */
bool bench_here(const char *command, const char *a, const char *b);
/* A round of everybody who is there, in turn; the first of them is vetro, whose failure is
 * everybody's: false, reported. */
bool bench_round(vc *, bench_side *, uint32_t n, double budget, double limit);
bool bench_starts(vc *, bench_side *, uint32_t n, double limit);
double bench_median(double *, uint32_t n); /* sorts */

/* bench_work.c: bench-worker, a process of vetro's own that measures one expression. */
int bench_work(int argc, const char *const *argv);

#endif
