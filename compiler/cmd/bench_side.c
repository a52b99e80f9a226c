/*
 * bench_side.c - the contestants of `vetro bench`: their processes, and what those take.
 *
 * A process that measures itself reports its greatest size too: what the system counts for a child
 * includes the pages of the process that started it.
 */
#define _GNU_SOURCE /* pipe2, wait4 */
#include "compiler/cmd/bench_int.h"
#include "compiler/cmd/cmd.h"
#include "runtime/core/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void
bench_add(bench_argv *a, const char *s)
{
	if (a->n + 1 < BENCH_ARGS)
		a->v[a->n++] = s;
	a->v[a->n] = NULL;
}

static pid_t
start(const bench_argv *a, bool quiet, int out)
{
	posix_spawn_file_actions_t fa;
	pid_t pid;
	int rc;

	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, out, 1);
	if (quiet)
		posix_spawn_file_actions_addopen(&fa, 2, "/dev/null", O_WRONLY, 0);
	rc = posix_spawnp(&pid, a->v[0], &fa, NULL, (char *const *)a->v, environ);
	posix_spawn_file_actions_destroy(&fa);
	return rc == 0 ? pid : -1;
}

/* What it prints, until it closes its output; false: the time is over. */
static bool
collect(int from, double end, vt_buf *out)
{
	struct pollfd p = {from, POLLIN, 0};
	char chunk[4096];
	ssize_t n;

	for (;;) {
		double left = end - vt_clock();
		int rc = left > 0 ? poll(&p, 1, left > 1000 ? 1000000 : (int)(left * 1000) + 1) : 0;
		if (rc < 0 && errno == EINTR)
			continue;
		if (rc == 0 && left > 0)
			continue;
		if (rc <= 0)
			return false;
		n = read(from, chunk, sizeof chunk);
		if (n <= 0)
			return true;
		vt_buf_put(out, chunk, (size_t)n);
	}
}

bool
bench_run(const bench_argv *a, bool quiet, double limit, bench_use *use)
{
	struct rusage r;
	double begin;
	int ends[2];
	pid_t pid;

	*use = (bench_use){.status = -1};
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	begin = vt_clock();
	pid = start(a, quiet, ends[1]);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return false;
	}
	if (!collect(ends[0], begin + limit, &use->out)) {
		kill(pid, SIGKILL);
		use->late = true;
	}
	close(ends[0]);
	while (wait4(pid, &use->status, 0, &r) < 0 && errno == EINTR)
		;
	use->wall = vt_clock() - begin;
	use->cpu = (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
		   (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6;
	use->peak = r.ru_maxrss * 1024;
	vt_buf_put(&use->out, "", 1); /* numbers are read out of it as of a string */
	return true;
}

/* of one flat object that is ours */
static bool
bench_number(const vt_buf *json, const char *key, double *out)
{
	char quoted[64];
	const char *at;
	char *end;

	snprintf(quoted, sizeof quoted, "\"%s\":", key);
	at = json->p ? strstr(json->p, quoted) : NULL;
	if (!at)
		return false;
	at += strlen(quoted);
	*out = strtod(at, &end);
	return end > at;
}

bool
bench_succeeded(const bench_use *use)
{
	return !use->late && WIFEXITED(use->status) && WEXITSTATUS(use->status) == 0;
}

bool
bench_here(const char *command, const char *a, const char *b)
{
	bench_argv v = {{command}, 1};
	bench_use use;
	bool ok;

	if (a)
		bench_add(&v, a);
	if (b)
		bench_add(&v, b);
	ok = bench_run(&v, true, 60, &use) && bench_succeeded(&use);
	vt_buf_free(&use.out);
	return ok;
}

/* Elapsed time grows with what others do on the machine; processor time with threads. */
static double
smaller(const bench_use *use)
{
	return use->cpu < use->wall ? use->cpu : use->wall;
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double
bench_median(double *v, uint32_t n)
{
	if (n == 0)
		return 0;
	qsort(v, n, sizeof *v, by_size);
	return v[n / 2];
}

/* ---- one measurement ---- */

static bool
one(vc *c, bench_side *s, const bench_argv *a, double limit, bench_use *use)
{
	bool ok = bench_run(a, s->n > 0 || s->how != BENCH_REPORTS, limit, use);

	if (!ok)
		s->gone = "it cannot be started";
	else if (use->late)
		s->gone = vc_format(c, "it took longer than %g s, which --timeout allows", limit);
	else if (!bench_succeeded(use))
		s->gone = "it failed";
	return s->gone == NULL;
}

/* The text of {"error": text}, as it is written there. */
static const char *
why_none(vc *c, const vt_buf *json)
{
	static const char key[] = "{\"error\":\"";
	const char *at = json->p ? strstr(json->p, key) : NULL, *end = at ? strrchr(at, '"') : NULL;
	vt_buf b = {0};

	if (!at || end < at + sizeof key)
		return "it reported no time";
	at += sizeof key - 1;
	vt_put_printable(&b, at, (size_t)(end - at));
	return vc_take(c, &b);
}

static bool
report(vc *c, bench_side *s, double limit, double got[BENCH_METRICS])
{
	bench_use use;
	double peak = 0;
	bool ok = one(c, s, &s->run, limit, &use);

	if (ok && !bench_number(&use.out, "call", &got[0])) {
		s->gone = why_none(c, &use.out);
		ok = false;
	}
	if (ok)
		(void)bench_number(&use.out, "load", &got[1]);
	if (ok && bench_number(&use.out, "peak", &peak) && (long)peak > s->peak)
		s->peak = (long)peak;
	vt_buf_free(&use.out);
	return ok;
}

static bool
repeated(vc *c, bench_side *s, uint32_t k, double limit, double *seconds)
{
	char times[16];
	bench_argv a = {
		{s->name, "--argjson", "k", times,
			vc_format(c, "[range($k) as $round | (%s) | length] | length", s->program),
			s->file},
		6};
	bench_use use;
	bool ok;

	snprintf(times, sizeof times, "%u", k);
	ok = one(c, s, &a, limit, &use);
	*seconds = smaller(&use);
	if (ok && use.peak > s->peak)
		s->peak = use.peak;
	vt_buf_free(&use.out);
	return ok;
}

/* k is doubled until the work is well above the start and the reading. */
static bool
repeats(vc *c, bench_side *s, double budget, double limit, double *got)
{
	double none, some = 0;

	if (!repeated(c, s, 0, limit, &none))
		return false;
	if (s->times == 0)
		s->times = 1;
	for (;;) {
		if (!repeated(c, s, s->times, limit, &some))
			return false;
		if (some - none >= budget || some - none >= limit / 4 || s->times >= 1u << 20)
			break;
		s->times *= 2;
	}
	*got = (some - none) / s->times;
	if (*got <= 0)
		s->gone = "its time cannot be distinguished from its start";
	return s->gone == NULL;
}

static bool
process(vc *c, bench_side *s, double limit, double *got)
{
	bench_use idle, use;
	bool ok = one(c, s, &s->idle, limit, &idle);

	vt_buf_free(&idle.out);
	ok = ok && one(c, s, &s->run, limit, &use);
	if (!ok)
		return false;
	*got = smaller(&use) - smaller(&idle);
	if (*got <= 0)
		*got = 1e-6; /* less than the clocks measure */
	if (use.peak > s->peak)
		s->peak = use.peak;
	vt_buf_free(&use.out);
	return true;
}

static bool
measure(vc *c, bench_side *s, double budget, double limit)
{
	double got[BENCH_METRICS] = {0};
	bool ok = false;

	switch (s->how) {
	case BENCH_REPORTS: ok = report(c, s, limit, got); break;
	case BENCH_REPEATS: ok = repeats(c, s, budget, limit, got); break;
	case BENCH_PROCESS: ok = process(c, s, limit, got); break;
	}
	for (uint32_t m = 0; ok && m < BENCH_METRICS; m++)
		s->seconds[m][s->n] = got[m];
	s->n += ok;
	return ok;
}

/* Contestants but vetro may fall out on the way. */
static bool
goes_on(const bench_side *sides, const bench_side *s)
{
	if (s->gone)
		vt_say("vetro bench: %s is left out: %s\n", s->name, s->gone);
	return s != sides || !s->gone;
}

bool
bench_round(vc *c, bench_side *sides, uint32_t n, double budget, double limit)
{
	for (bench_side *s = sides; s < sides + n; s++)
		if (!s->gone && s->n < BENCH_ROUNDS && !measure(c, s, budget, limit) &&
			!goes_on(sides, s))
			return false;
	return true;
}

bool
bench_starts(vc *c, bench_side *sides, uint32_t n, double limit)
{
	for (bench_side *s = sides; s < sides + n; s++) {
		double t[7];
		uint32_t got = 0, most = 7;
		for (; !s->gone && got < most; got++) {
			bench_use use;
			if (!one(c, s, &s->idle, limit, &use) && !goes_on(sides, s))
				return false;
			t[got] = smaller(&use);
			if (use.wall > 0.2)
				most = use.wall > 1 ? 1 : 3;
			vt_buf_free(&use.out);
		}
		if (!s->gone)
			s->start = bench_median(t, got);
	}
	return true;
}
