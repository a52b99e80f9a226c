/*
 * when.c - when a task has something to do by the clock.
 *
 * What a socket will tell is not in it: a task that waits for one wakes nobody.
 */
#include "compiler/engine/supervisor.h"

enum { LONG = 3600 };
static const double SOON = 0.25;

/* When murano-api may hear of it; with whole seconds in its database it mixes up what is near. */
double
eng_task_release(const engine *e, const eng_task *t)
{
	return (t->held_from > t->arrived ? t->held_from : t->arrived) + e->hold;
}

static double
least(double a, double b)
{
	return a < b ? a : b;
}

/* A worker has its limit, and what it told may be due. */
static double
next_of_running(const engine *e, const eng_task *t, double now)
{
	double most = t->request.method != ENG_HANDLE_TASK ? e->call_seconds : e->task_seconds,
	       release = eng_task_release(e, t);
	double next = most > 0 && !t->ran_out ? t->arrived + most : now + LONG;
	if (t->nnotes > 0 && t->notes[t->nnotes - 1].sent == 0 && eng_broker_up(e->broker))
		next = least(next, release > now ? release : now + SOON);
	return next;
}

static double
next_of_telling(const engine *e, const eng_task *t, double now)
{
	double release = eng_task_release(e, t);
	if (release > now)
		return release;
	if (t->next_try > now)
		return t->next_try;
	return t->asked > 0 ? t->asked + ENG_CALL_SECONDS : now + SOON;
}

double
eng_task_next(const engine *e, const eng_task *t)
{
	double now = vt_clock(), next = now + LONG;
	switch (t->state) {
	case ENG_LOCKED: next = t->next_try; break;
	case ENG_RUNNING: next = next_of_running(e, t, now); break;
	case ENG_TELLING: next = next_of_telling(e, t, now); break;
	case ENG_PREPARING:
	case ENG_HOSTING: break;
	case ENG_ENDED: return now;
	}
	if (t->tag != 0 && t->lock >= 0)
		next = least(next, t->delivered + e->consumer_timeout / 2);
	return next;
}
