/*
 * interrupt.c - SIGINT and SIGTERM end a run in order: every task is unwound, then the command
 * writes what there is.
 *
 * The handler takes away the depth that calls may have, so that the next call or step of an
 * iterator comes here: code looks at nothing new.  A task hears of it once; what it does while it
 * unwinds (Finally) may call again, but not wait. The second signal has its usual effect.
 *
 * A handler can know its session only by a variable of the process: `watched`, which the commands
 * of a deploy binary set, one session at a time. The library never does.
 */
#define _GNU_SOURCE
#include "runtime/task/int.h"
#include "runtime/core/session.h"

#include <signal.h>

static vt_rt *volatile watched;
static volatile sig_atomic_t caught;
static bool over; /* signals are blocked to the end */

static void
on_signal(int sig)
{
	vt_rt *rt = watched;
	struct sigaction usual = {.sa_handler = SIG_DFL};
	caught = sig;
	(void)sigaction(SIGINT, &usual, NULL);
	(void)sigaction(SIGTERM, &usual, NULL);
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
