/*
 * process.c - commands that a build runs.  What ends the process has to wait until the directory of
 * the build is gone.
 */
#include "compiler/build/process.h"
#include "runtime/core/base.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void
vc_argv_add(vc_argv *a, const char *word)
{
	if (word && a->n < (int)VC_LEN(a->v) - 1)
		a->v[a->n++] = word;
	a->v[a->n] = NULL;
}

static sigset_t
ending_signals(void)
{
	sigset_t s;

	sigemptyset(&s);
	sigaddset(&s, SIGHUP);
	sigaddset(&s, SIGINT);
	sigaddset(&s, SIGTERM);
	return s;
}

void
vc_signals_hold(sigset_t *before)
{
	sigset_t s = ending_signals();

	sigprocmask(SIG_BLOCK, &s, before);
}

/* What came meanwhile does what it would have done. */
void
vc_signals_release(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

bool
vc_signals_pending(void)
{
	sigset_t s;

	return sigpending(&s) == 0 &&
	       (sigismember(&s, SIGHUP) || sigismember(&s, SIGINT) || sigismember(&s, SIGTERM));
}

/* Ours, but that the temporary files are to stand beside the log: a compiler that is killed leaves
 * them. malloc'd, with its last text. */
static char **
environment(const char *log)
{
	size_t n = 0, k = 0;
	char **e;

	while (environ[n])
		n++;
	e = vt_xmalloc((n + 2) * sizeof *e);
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], "TMPDIR=", 7) != 0)
			e[k++] = environ[i];
	e[k++] = vt_asprintf("TMPDIR=%.*s", (int)(strrchr(log, '/') - log), log);
	e[k] = NULL;
	return e;
}

static void
free_environment(char **e)
{
	size_t n = 0;

	while (e[n + 1])
		n++;
	free(e[n]);
	free(e);
}

pid_t
vc_process_start(const vc_argv *a, const char *log)
{
	char **env = environment(log);
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t how;
	sigset_t held;
	pid_t pid;
	int rc;

	sigprocmask(SIG_BLOCK, NULL, &held);
	sigdelset(&held, SIGHUP);
	sigdelset(&held, SIGINT);
	sigdelset(&held, SIGTERM);
	posix_spawnattr_init(&how);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&how, &held);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 1, log, O_CREAT | O_WRONLY | O_APPEND, 0600);
	posix_spawn_file_actions_adddup2(&fa, 1, 2);
	rc = posix_spawnp(&pid, a->v[0], &fa, &how, (char *const *)a->v, env);
	free_environment(env);
	posix_spawn_file_actions_destroy(&fa);
	posix_spawnattr_destroy(&how);
	errno = rc;
	return rc == 0 ? pid : -1;
}

bool
vc_process_succeeded(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
