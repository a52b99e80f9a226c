/*
 * interrupt.c - SIGINT and SIGTERM end a run in order: every task is unwound, then the command
 * writes what there is.
 *
 * The handler takes away the depth that calls may have, so that the next call or step of an
 * iterator comes here: code looks at nothing new.  A task hears of it once; what it does while it
 * unwinds (Finally) may call again, but not wait. A later signal has its usual effect; one that
 * follows at once belongs to the first: timeout(1) signals its child and then the child's group.
 *
 * A handler can know its session only by a variable of the process: `watched`, which the commands
 * of a deploy binary set, one session at a time. The library never does.
 */
#define _GNU_SOURCE
#include "runtime/task/int.h"
#include "runtime/core/session.h"

#include <signal.h>
#include <time.h>

enum { SAME_SIGNAL_MS = 500 }; /* what comes within it is not a second signal */

static vt_rt *volatile watched;
static volatile sig_atomic_t caught;
static struct timespec since;
static bool over; /* signals are blocked to the end */

/* The signal comes once more as this returns, with its usual effect. */
static void
end_at_once(int sig)
{
	struct sigaction usual = {.sa_handler = SIG_DFL};
	(void)sigaction(sig, &usual, NULL);
	(void)raise(sig);
}

static void
on_signal(int sig)
{
	vt_rt *rt = watched;
	struct timespec now = {0};
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	if (caught) {
		int64_t ms = ((int64_t)now.tv_sec - since.tv_sec) * 1000 +
			     (now.tv_nsec - since.tv_nsec) / 1000000;
		if (ms >= SAME_SIGNAL_MS)
			end_at_once(sig);
		return;
	}
	since = now;
	caught = sig;
	if (rt == NULL)
		return;
	__atomic_store_n(&rt->s->interrupt, sig, __ATOMIC_RELAXED);
	__atomic_store_n(&rt->max_depth, 0, __ATOMIC_RELAXED);
}

/* Reads return early, so no SA_RESTART. */
static void catch (int sig)
{
	struct sigaction a = {.sa_handler = on_signal}, old;
	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		(void)sigaction(sig, &a, NULL);
}

void
vt_interrupt_watch(vt_rt *rt)
{
	rt->s->max_depth = rt->max_depth;
	rt->s->interrupted = vt_interrupt_raise;
	watched = rt;
	catch (SIGINT);
	catch (SIGTERM);
}

int
vt_interrupt_caught(void)
{
	return caught;
}

void
vt_interrupt_block(bool on)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGALRM); /* runtime/text/limit.c */
	if (on || !over)
		(void)sigprocmask(on ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

int
vt_interrupt_over(void)
{
	vt_interrupt_block(true);
	over = true;
	return caught;
}

vt_status
vt_interrupt_raise(vt_rt *rt)
{
	(void)vt_sched_of(rt);
	return vt_cancelled(rt);
}

void
vt_interrupt_end(vt_rt *rt)
{
	vt_sched *s = rt->s->sched;
	watched = NULL;
	if (rt->s->interrupt == 0)
		return;
	vt_tasks_cancel(rt);
	rt->s->interrupt = 0;
	rt->max_depth = rt->s->max_depth;
	if (s != NULL)
		s->main.cancelled = s->main.notified = false;
}
