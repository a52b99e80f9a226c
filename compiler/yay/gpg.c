/*
 * gpg.c - what gpg makes of an encrypted file, or of a text that it reads from a pipe.  It
 * leads a process group of its own, so that one that takes too long ends with all it started, and
 * what it decrypted is wiped.
 */
#define _GNU_SOURCE
#include "compiler/yay/run.h"
#include "runtime/core/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MOST_WORDS = 4096, MOST_REPORTED = 400, END_POLL_MS = 20 };

typedef struct child {
	pid_t pid;
	int in, out, err; /* our ends; -1: closed */
} child;

static void
shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* 0, or errno. */
static int
launch(child *k, const char *program, const char *path)
{
	char *argv[] = {(char *)(uintptr_t)program, "--batch", "--quiet", "--decrypt",
		path ? "--" : NULL, (char *)(uintptr_t)path, NULL};
	int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, rc;
	posix_spawn_file_actions_t act;
	posix_spawnattr_t attr;
	sigset_t pipes;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) {
		rc = errno;
	} else {
		posix_spawn_file_actions_init(&act);
		posix_spawn_file_actions_adddup2(&act, in[0], 0);
		posix_spawn_file_actions_adddup2(&act, out[1], 1);
		posix_spawn_file_actions_adddup2(&act, err[1], 2);
		posix_spawnattr_init(&attr);
		sigemptyset(&pipes);
		sigaddset(&pipes, SIGPIPE);
		posix_spawnattr_setsigdefault(&attr, &pipes);
		posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
		rc = posix_spawnp(&k->pid, program, &act, &attr, argv, environ);
		posix_spawnattr_destroy(&attr);
		posix_spawn_file_actions_destroy(&act);
	}
	shut(&in[0]);
	shut(&out[1]);
	shut(&err[1]);
	k->in = in[1], k->out = out[0], k->err = err[0];
	if (k->in >= 0)
		(void)fcntl(k->in, F_SETFL, O_NONBLOCK);
	return rc;
}

/* What comes first, up to the limit. False: there is more. */
static bool
take(int *fd, vt_buf *b, size_t limit)
{
	char part[65536];
	ssize_t n = read(*fd, part, sizeof part);
	size_t got = n > 0 ? (size_t)n : 0, room = limit - b->n;

	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		shut(fd);
	if (got > 0)
		vt_buf_put(b, part, got < room ? got : room);
	explicit_bzero(part, sizeof part);
	return got <= room;
}

static void
give(int *fd, const char *text, size_t n, size_t *sent)
{
	ssize_t got = write(*fd, text + *sent, n - *sent);

	if (got > 0)
		*sent += (size_t)got;
	if (*sent == n || (got < 0 && errno != EINTR && errno != EAGAIN))
		shut(fd);
}

/* NULL, or what went wrong. A pipe to gpg that breaks shows in gpg's status. */
static const char *
talk(child *k, const char *text, size_t n, size_t limit, double timeout, vt_buf *plain,
	vt_buf *words)
{
	int64_t until = (vt_clock_ns() / 1000000) + (int64_t)(timeout * 1000), left;
	size_t sent = 0;

	while (k->out >= 0 || k->err >= 0) {
		struct pollfd p[3] = {
			{k->in, POLLOUT, 0}, {k->out, POLLIN, 0}, {k->err, POLLIN, 0}};
		if ((left = until - (vt_clock_ns() / 1000000)) <= 0)
			return "it takes too long";
		(void)poll(p, 3, left > 100000 ? 100000 : (int)left);
		if (p[0].revents)
			give(&k->in, text, n, &sent);
		if (p[1].revents && !take(&k->out, plain, limit))
			return "the text is too large";
		if (p[2].revents)
			(void)take(&k->err, words, MOST_WORDS);
	}
	return NULL;
}

static int
end(child *k, bool kill_it)
{
	int status = -1;

	shut(&k->in);
	shut(&k->out);
	shut(&k->err);
	if (kill_it) {
		kill(-k->pid, SIGTERM);
		for (int i = 0; i < 20 && waitpid(k->pid, &status, WNOHANG) == 0; i++)
			(void)poll(NULL, 0, END_POLL_MS);
		kill(-k->pid, SIGKILL);
	}
	while (waitpid(k->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* What gpg said, in one line and without its name. */
static const char *
said(vc *c, const vt_buf *words)
{
	vt_buf b = {0};
	const char *line = words->p, *end = words->p + words->n, *eol;

	for (; line && line < end && b.n < MOST_REPORTED; line = eol + 1) {
		eol = memchr(line, '\n', (size_t)(end - line));
		eol = eol ? eol : end;
		if (eol - line > 5 && memcmp(line, "gpg: ", 5) == 0)
			line += 5;
		vt_buf_puts(&b, b.n ? "; " : "");
		vt_put_printable(&b, line, (size_t)(eol - line));
	}
	return b.n ? vc_take(c, &b) : "gpg failed";
}

static void
wipe(vt_buf *b)
{
	if (b->p)
		explicit_bzero(b->p, b->n);
	vt_buf_free(b);
}

char *
yay_decrypt(
	yay_world *w, const char *path, const char *text, size_t n, size_t *size, const char **why)
{
	const char *program = w->gpg ? w->gpg : "gpg";
	vt_buf plain = {0}, words = {0};
	child k = {-1, -1, -1, -1};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	char *got = NULL;
	int rc = launch(&k, program, path), status = -1;

	if (rc != 0) {
		shut(&k.in), shut(&k.out), shut(&k.err);
		*why = vc_format(w->c, "%s: %s", program, strerror(rc));
		return NULL;
	}
	sigaction(SIGPIPE, &ignore, &before);
	*why = talk(&k, text, path ? 0 : n, w->c->limit.max_file,
		w->gpg_timeout > 0 ? w->gpg_timeout : 120, &plain, &words);
	sigaction(SIGPIPE, &before, NULL);
	status = end(&k, *why != NULL);
	if (!*why && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		got = vc_strndup(w->c, plain.p ? plain.p : "", *size = plain.n);
	else if (!*why)
		*why = said(w->c, &words);
	wipe(&plain);
	vt_buf_free(&words);
	return got;
}
