/*
 * limit.c - what a process may take: --memory and --timeout of every program.
 *
 * Both messages are made at the beginning. Where memory has run out, and in a handler of signals,
 * nothing can be formatted.
 */
#define _GNU_SOURCE
#include "runtime/text/limit.h"
#include "runtime/core/diag.h"
#include "runtime/core/number.h"
#include "runtime/text/outfile.h"
#include "runtime/text/report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

/* How long a run may take to end in order. */
enum { GRACE = 10 };

static struct {
	vt_buf no_memory, no_time;
	double until; /* of vt_clock(); 0: none */
	double mib;
} limits;
static volatile sig_atomic_t late;

static void
make_text(vt_buf *b, const char *self, enum vt_diag code, const char *message, const char *hint)
{
	vt_report r = {.code = vt_diag_name(code), .self = self, .message = message, .hint = hint};

	b->n = 0;
	vt_report_text(b, &r, vt_wants_colour(stderr));
}

/* ---- memory ---- */

/* The sanitizers reserve more than any limit. */
static bool
set_memory(double mib)
{
#if defined(__SANITIZE_ADDRESS__)
	(void)mib;
	return false;
#else
	struct rlimit r;
	double bytes = mib * 1048576;

	if (getrlimit(RLIMIT_AS, &r) != 0)
		return false;
	if ((r.rlim_max != RLIM_INFINITY && bytes > (double)r.rlim_max) ||
		(r.rlim_cur != RLIM_INFINITY && bytes > (double)r.rlim_cur))
		return false; /* there is a stricter one */
	r.rlim_cur = (rlim_t)bytes;
	return setrlimit(RLIMIT_AS, &r) == 0;
#endif
}

static void
limit_memory(const char *self, double mib)
{
	char *message;

	if (!set_memory(mib))
		return;
	limits.mib = mib;
	message = vt_asprintf("it needs more memory than --memory allows, %lld MiB",
		(long long)(mib < 1 ? 1 : mib));
	make_text(&limits.no_memory, self, VT_E0991, message,
		"a value that grows with each step of a computation may be the cause; --memory MIB "
		"allows more");
	free(message);
	vt_no_memory_says(limits.no_memory.p, limits.no_memory.n, VT_LIMIT_MEMORY);
}

/* ---- time ---- */

static void
end_now(int sig)
{
	(void)sig;
	vt_outfile_abandon();
	_exit(VT_LIMIT_TIME);
}

static void
set_timer(double seconds)
{
	struct itimerval t = {.it_value = {(time_t)seconds,
				      (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)}};

	if (seconds > 0 && t.it_value.tv_sec == 0 && t.it_value.tv_usec == 0)
		t.it_value.tv_usec = 1;
	(void)setitimer(ITIMER_REAL, &t, NULL);
}

/* Compilers and the like, which would go on. The kernel lists them as numbers with blanks. */
static void
end_children(int sig)
{
	char text[4096];
	int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text);
	pid_t pid = 0;

	for (ssize_t i = 0; i < n; i++) {
		if (text[i] >= '0' && text[i] <= '9')
			pid = pid * 10 + (text[i] - '0');
		else if (pid > 0) {
			(void)kill(pid, sig);
			pid = 0;
		}
	}
	if (fd >= 0)
		close(fd);
}

/* Who handles or awaits SIGTERM ends in order, with its children. */
static bool
ends_in_order(void)
{
	struct sigaction old;

	return sigaction(SIGTERM, NULL, &old) == 0 && old.sa_handler != SIG_DFL &&
	       old.sa_handler != SIG_IGN;
}

static void
on_time(int sig)
{
	struct sigaction end = {.sa_handler = end_now};
	int before = errno;

	(void)sig;
	if (late)
		end_now(0);
	late = 1;
	(void)vt_write_all(STDERR_FILENO, limits.no_time.p, limits.no_time.n);
	set_timer(GRACE);
	if (!ends_in_order()) {
		(void)sigaction(SIGTERM, &end, NULL);
		end_children(SIGTERM);
	}
	(void)kill(getpid(), SIGTERM); /* held back where something has to be removed first */
	errno = before;
}

static void
limit_time(const char *self, double seconds)
{
	struct sigaction a = {.sa_handler = on_time, .sa_flags = SA_RESTART};
	char *message = vt_asprintf("it takes longer than --timeout allows, %g s", seconds);

	make_text(&limits.no_time, self, VT_E0992, message, "--timeout SECONDS allows more");
	free(message);
	limits.until = vt_clock() + seconds;
	(void)sigaction(SIGALRM, &a, NULL);
	set_timer(seconds);
}

int
vt_limit_status(int status)
{
	set_timer(0);
	return late ? VT_LIMIT_TIME : status;
}

/* ---- all ---- */

/* A write beyond `ulimit -f` is to fail as one on a full disk. Unlike SIG_IGN a handler is not
 * inherited by what is executed. */
static void
ignore(int sig)
{
	(void)sig;
}

static double
number_of(const char *name)
{
	const char *s = getenv(name);
	char *end;
	long n = s ? strtol(s, &end, 10) : 0;

	return n > 0 && *end == '\0' ? (double)n : 0;
}

static double
stricter(double a, double b)
{
	return a > 0 && (b <= 0 || a < b) ? a : b;
}

void
vt_limit_begin(const char *self, double mib, double seconds)
{
	struct sigaction a = {.sa_handler = ignore, .sa_flags = SA_RESTART};

	(void)sigaction(SIGXFSZ, &a, NULL);
	mib = stricter(mib, number_of("VETRO_MEMORY"));
	seconds = stricter(seconds, number_of("VETRO_TIMEOUT"));
	if (mib > 0)
		limit_memory(self, mib);
	if (seconds > 0)
		limit_time(self, seconds);
}

void
vt_limit_hand_over(void)
{
	char text[32];

	if (limits.mib > 0) {
		snprintf(text, sizeof text, "%lld", (long long)(limits.mib + 0.999));
		(void)setenv("VETRO_MEMORY", text, 1);
	}
	if (limits.until > 0) {
		double left = limits.until - vt_clock();
		set_timer(0);
		snprintf(text, sizeof text, "%lld", (long long)(left > 1 ? left + 0.999 : 1));
		(void)setenv("VETRO_TIMEOUT", text, 1);
	}
}

long
vt_peak_bytes(void)
{
	char line[256];
	long kb = 0;
	FILE *f = fopen("/proc/self/status", "re");
	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (strncmp(line, "VmHWM:", 6) == 0)
			kb = atol(line + 6);
	if (f != NULL)
		fclose(f);
	return kb * 1024;
}
