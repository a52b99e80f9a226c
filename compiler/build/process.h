/*
 * process.h - commands that a build runs, and the signals that have to wait meanwhile.
 */
#ifndef BUILD_PROCESS_H
#define BUILD_PROCESS_H

#include "compiler/base/base.h"

#include <signal.h>
#include <sys/types.h>

/* The words of a command, closed by NULL. */
typedef struct vc_argv {
	const char *v[64];
	int n;
} vc_argv;

void vc_argv_add(vc_argv *, const char *word); /* nothing where word is NULL */
/* Starts a command whose two outputs go to a log, and which signals end; -1 with errno when it
 * cannot be started. */
pid_t vc_process_start(const vc_argv *, const char *log);
bool vc_process_succeeded(int status);
/* What ends this process waits in between; then it does what it would have done. */
void vc_signals_hold(sigset_t *before);
void vc_signals_release(const sigset_t *before);
bool vc_signals_pending(void); /* one of them has come */

#endif
