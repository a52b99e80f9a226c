/*
 * process.c - the process of an operation.
 *
 * A child leads a process group, so that a time-out or an interrupt ends all it has started, and
 * dies with us.  Its end makes a pidfd readable, which is waited for on the one poll of the
 * scheduler; a kernel without pidfds is asked every few milliseconds.  Between fork and exec
 * nothing but system calls happens.
 */
#define _GNU_SOURCE
#include "runtime/deploy/deploy.h"
#include "runtime/task/task.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const double asked_every = 0.01, grace = 2.0, looked_at_every = 1.0;

/* ---- the child ---- */

_Noreturn static void
fail(int fd)
{
	int why = errno;
	ssize_t n = write(fd, &why, sizeof why);
	(void)n;
	_exit(127);
}

/* Ours close themselves; those that whoever started us left open must not reach an operation
 * either. */
static void
close_others(void)
{
#ifdef SYS_close_range
	enum { ON_EXEC = 4 };
	if (syscall(SYS_close_range, 3u, ~0u, ON_EXEC) == 0)
		return;
#endif
	for (int fd = 3; fd < 1024; fd++)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Gives the file to whom it feeds and then holds the pipe, whose end tells a machine far away that
 * we are gone.  It dies with the process it feeds. */
_Noreturn static void
feed(int from, int to)
{
	char chunk[16384];
	ssize_t n, k;
	while ((n = read(from, chunk, sizeof chunk)) > 0)
		for (ssize_t at = 0; at < n; at += k)
			if ((k = write(to, chunk + at, (size_t)(n - at))) <= 0)
				_exit(0);
	for (;;)
		(void)pause();
}

static int
fed(const char *path, int report)
{
	int from = open(path, O_RDONLY | O_NOFOLLOW), ends[2];
	pid_t feeder, self = getpid();
	if (from < 0 || pipe(ends) != 0 || (feeder = fork()) < 0)
		return -1;
	if (feeder == 0) {
		close(report);
		close(ends[0]);
#ifdef PR_SET_PDEATHSIG
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != self)
			_exit(0);
#endif
		feed(from, ends[1]);
	}
	close(ends[1]);
	close(from);
	return ends[0];
}

static void
close_between(int from, int to)
{
#ifdef SYS_close_range
	if (from > to || syscall(SYS_close_range, (unsigned)from, (unsigned)to, 0) == 0)
		return;
#endif
	for (int fd = from; fd <= to && fd < 1024; fd++)
		close(fd);
}

/* The lock on the journal must not outlive who holds it, and we may: all but these two go. */
static void
close_all_but(int a, int b)
{
	int low = a < b ? a : b, high = a < b ? b : a;
	close_between(3, low - 1);
	close_between(low + 1, high - 1);
	close_between(high + 1, INT_MAX);
}

/* Until somebody has noted that we are there. */
static void
wait_at(const int *gate)
{
	char c;
	ssize_t n;
	do
		n = read(gate[0], &c, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(127);
}

_Noreturn static void
become(const vt_child *c, pid_t parent, int report, const int *gate)
{
	static const int usual[] = {SIGINT, SIGTERM, SIGPIPE, SIGCHLD, SIGHUP, SIGQUIT};
	sigset_t none;
	int in, out, log;
	close_all_but(report, gate[0]);
	setpgid(0, 0);
#ifdef PR_SET_PDEATHSIG
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
#endif
	wait_at(gate);
	for (size_t i = 0; i < VT_LEN(usual); i++)
		(void)signal(usual[i], SIG_DFL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	in = c->in ? fed(c->in, report) : open("/dev/null", O_RDONLY);
	log = open(c->log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
	out = c->out ? open(c->out, O_WRONLY | O_TRUNC | O_NOFOLLOW) : log;
	if (in < 0 || out < 0 || log < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 ||
		dup2(log, 2) < 0 || chdir(c->dir) != 0)
		fail(report);
	close_others();
	execvpe(c->argv[0], c->argv, c->env);
	fail(report);
}

/* ---- the parent ---- */

static void
reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* It is noted before it does anything: then a run that goes on after a kill finds it. */
static bool
let_begin(const vt_child *c, pid_t pid, int gate)
{
	setpgid(pid, pid);
	return (!c->begins || c->begins(c->ctx, pid)) && write(gate, "", 1) == 1;
}

/* What it reports when it could not become the program; 0: it is. */
static int
reported(int report)
{
	int why;
	ssize_t n;
	do
		n = read(report, &why, sizeof why);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof why ? why : 0;
}

/* -1: *why is errno. The pipe is closed by a successful exec. */
static pid_t
launch(const vt_child *c, int *why)
{
	int report[2], gate[2];
	pid_t pid, parent = getpid();
	*why = pipe2(report, O_CLOEXEC) != 0 ? errno : 0;
	if (*why == 0 && pipe2(gate, O_CLOEXEC) != 0) {
		*why = errno;
		close(report[0]);
		close(report[1]);
	}
	if (*why != 0)
		return -1;
	pid = fork();
	if (pid == 0)
		become(c, parent, report[1], gate);
	*why = errno;
	close(report[1]);
	if (pid > 0) {
		*why = let_begin(c, pid, gate[1]) ? 0 : errno ? errno : EIO;
		close(gate[1]);
		if (*why == 0)
			*why = reported(report[0]);
		if (*why != 0) {
			reap(pid);
			pid = -1;
		}
	} else {
		close(gate[1]);
	}
	close(gate[0]);
	close(report[0]);
	return pid;
}

static bool
has_ended(pid_t pid, int *status)
{
	pid_t got;
	do
		got = waitpid(pid, status, WNOHANG);
	while (got < 0 && errno == EINTR);
	return got != 0;
}

static void
sleep_for(double seconds)
{
	struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
	while (nanosleep(&t, &t) != 0 && errno == EINTR)
		;
}

/* Asks to end, then ends. Nothing else runs meanwhile: tasks that are cancelled cannot wait. */
static void
kill_group(pid_t pid, int *status)
{
	kill(-pid, SIGTERM);
	kill(-pid, SIGCONT);
	for (double t = 0; t < grace; t += asked_every) {
		if (has_ended(pid, status)) {
			kill(-pid, SIGKILL);
			return;
		}
		sleep_for(asked_every);
	}
	kill(-pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
}

static int
open_pid(pid_t pid)
{
#ifdef SYS_pidfd_open
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd >= 0)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
#else
	return -1;
#endif
}

/* A log that has become too long keeps its end.  Who writes appends, and so goes on behind it. */
static void
cut_log(const vt_child *c)
{
	enum { KEPT = 64 << 10 };
	static const char note[] = "[what was here before has been cut: the log was too long]\n";
	char *end;
	struct stat st;
	int fd = open(c->log, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		(uint64_t)st.st_size > c->most_log) {
		off_t from = st.st_size > KEPT ? st.st_size - KEPT : 0;
		end = vt_xmalloc(KEPT);
		ssize_t n = pread(fd, end, KEPT, from);
		if (ftruncate(fd, 0) == 0 && write(fd, note, sizeof note - 1) > 0 && n > 0)
			n = write(fd, end, (size_t)n);
		free(end);
	}
	if (fd >= 0)
		close(fd);
}

/* VT_OK with *out 0: time is over. */
static vt_status
await(vt_rt *rt, const vt_child *c, pid_t pid, int *status, bool *ended)
{
	double until = c->timeout > 0 ? vt_clock() + c->timeout : 0;
	int fd = open_pid(pid), ready;
	vt_status st = VT_OK;
	*ended = has_ended(pid, status);
	while (!*ended && st == VT_OK) {
		double left = until > 0 ? until - vt_clock() : -1;
		if (until > 0 && left <= 0)
			break;
		if (c->most_log && (left < 0 || left > looked_at_every))
			left = looked_at_every;
		if (fd >= 0)
			st = vt_wait_fd(rt, fd, VT_FD_READ, left, &ready);
		else
			st = vt_sleep(rt, asked_every);
		if (c->most_log)
			cut_log(c);
		if (st == VT_OK)
			*ended = has_ended(pid, status);
	}
	if (fd >= 0)
		close(fd);
	return st;
}

vt_status
vt_child_run(vt_rt *rt, const vt_child *c, vt_child_result *r)
{
	int why = 0, status = 0;
	bool ended = false;
	pid_t pid = launch(c, &why);
	if (pid < 0) {
		*r = (vt_child_result){VT_CHILD_FAILED, why};
		return VT_OK;
	}
	if (await(rt, c, pid, &status, &ended) != VT_OK) {
		kill_group(pid, &status);
		return VT_ERROR;
	}
	if (!ended) {
		kill_group(pid, &status);
		*r = (vt_child_result){VT_CHILD_TIMEOUT, 0};
	} else if (WIFEXITED(status)) {
		*r = (vt_child_result){VT_CHILD_EXIT, WEXITSTATUS(status)};
	} else {
		*r = (vt_child_result){VT_CHILD_SIGNAL, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
	}
	return VT_OK;
}
