/*
 * tosca_process.c - the process of an operation.
 *
 * A child leads a process group, so that a time-out or an interrupt ends all it has started, and
 * dies with us.  Its end makes a pidfd readable, which is waited for on the one poll of the
 * scheduler; a kernel without pidfds is asked every few milliseconds.  Between fork and exec
 * nothing but system calls happens.
 */
#define _GNU_SOURCE
#include "tosca_deploy.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const double asked_every = 0.01, grace = 2.0;

/* ---- the child ---- */

_Noreturn static void
fail(int fd)
{
	int why = errno;
	ssize_t n = write(fd, &why, sizeof why);
	(void)n;
	_exit(127);
}

_Noreturn static void
become(const vt_child *c, pid_t parent, int tell)
{
	static const int usual[] = {SIGINT, SIGTERM, SIGPIPE, SIGCHLD, SIGHUP, SIGQUIT};
	sigset_t none;
	int in, out;
	setpgid(0, 0);
#ifdef PR_SET_PDEATHSIG
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
#endif
	for (size_t i = 0; i < VT_LEN(usual); i++)
		(void)signal(usual[i], SIG_DFL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	in = open("/dev/null", O_RDONLY);
	out = open(c->log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
	if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0 ||
		chdir(c->dir) != 0)
		fail(tell);
	execvpe(c->argv[0], c->argv, c->env);
	fail(tell);
}

/* ---- the parent ---- */

/* -1: *why is errno. The pipe is closed by a successful exec. */
static pid_t
launch(const vt_child *c, int *why)
{
	int tell[2];
	pid_t pid, parent = getpid();
	if (pipe2(tell, O_CLOEXEC) != 0) {
		*why = errno;
		return -1;
	}
	pid = fork();
	if (pid == 0)
		become(c, parent, tell[1]);
	*why = errno;
	close(tell[1]);
	if (pid > 0) {
		ssize_t n;
		setpgid(pid, pid);
		do
			n = read(tell[0], why, sizeof *why);
		while (n < 0 && errno == EINTR);
		if (n == (ssize_t)sizeof *why) {
			while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
				;
			pid = -1;
		}
	}
	close(tell[0]);
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

static double
clock_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* VT_OK with *out 0: time is over. */
static vt_status
await(vt_rt *rt, pid_t pid, double timeout, int *status, bool *ended)
{
	double until = timeout > 0 ? clock_now() + timeout : 0;
	int fd = open_pid(pid), ready;
	vt_status st = VT_OK;
	*ended = has_ended(pid, status);
	while (!*ended && st == VT_OK) {
		double left = until > 0 ? until - clock_now() : -1;
		if (until > 0 && left <= 0)
			break;
		if (fd >= 0)
			st = vt_wait_fd(rt, fd, VT_FD_READ, left, &ready);
		else
			st = vt_sleep(rt, asked_every);
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
	if (await(rt, pid, c->timeout, &status, &ended) != VT_OK) {
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
