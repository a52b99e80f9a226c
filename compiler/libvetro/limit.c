/*
 * limit.c - the time an evaluation may take.
 *
 * A thread sleeps until the deadline and then takes away the depth that calls may have, so that the
 * next call and the next step of any iterator fails: the evaluation itself looks at nothing new.
 * The thread belongs to its engine and is started by the first evaluation with a limit.  Starting a
 * watch wakes the thread only when it sleeps without a deadline or past the new one: a short
 * evaluation costs two uncontended locks and a look at the clock.
 */
#include "compiler/libvetro/int.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

struct watch {
	vt_rt *rt;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct timespec until; /* while armed */
	struct timespec sleep; /* when the thread wakes by itself; tv_sec 0: never */
	bool armed, over, quit, started;
};

static bool
before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static void
look(watch *w)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!w->armed || before(&now, &w->until))
		return;
	w->over = true;
	w->armed = false;
	__atomic_store_n(&w->rt->max_depth, 0, __ATOMIC_RELAXED);
}

static void *
keep_watch(void *data)
{
	watch *w = data;

	pthread_mutex_lock(&w->lock);
	while (!w->quit) {
		look(w);
		w->sleep = w->armed ? w->until : (struct timespec){0, 0};
		if (w->armed)
			pthread_cond_timedwait(&w->changed, &w->lock, &w->until);
		else
			pthread_cond_wait(&w->changed, &w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

watch *
lv_watch_new(vt_rt *rt)
{
	watch *w = vt_xmalloc(sizeof *w);
	pthread_condattr_t attr;
	sigset_t all, old;

	*w = (watch){.rt = rt};
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->changed, &attr);
	pthread_condattr_destroy(&attr);
	/* Signals are the program's and must not arrive here. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	w->started = pthread_create(&w->thread, NULL, keep_watch, w) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (w->started)
		return w;
	lv_watch_free(w);
	return NULL;
}

void
lv_watch_free(watch *w)
{
	if (w == NULL)
		return;
	if (w->started) {
		pthread_mutex_lock(&w->lock);
		w->quit = true;
		pthread_cond_signal(&w->changed);
		pthread_mutex_unlock(&w->lock);
		pthread_join(w->thread, NULL);
	}
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

void
lv_watch_start(watch *w, int64_t milliseconds)
{
	pthread_mutex_lock(&w->lock);
	clock_gettime(CLOCK_MONOTONIC, &w->until);
	w->until.tv_sec += (time_t)(milliseconds / 1000);
	w->until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
	if (w->until.tv_nsec >= 1000000000) {
		w->until.tv_sec++;
		w->until.tv_nsec -= 1000000000;
	}
	w->armed = true;
	w->over = false;
	if (w->sleep.tv_sec == 0 || before(&w->until, &w->sleep))
		pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

bool
lv_watch_over(watch *w)
{
	bool over;

	pthread_mutex_lock(&w->lock);
	over = w->over;
	pthread_mutex_unlock(&w->lock);
	return over;
}

bool
lv_watch_stop(watch *w)
{
	bool over;

	pthread_mutex_lock(&w->lock);
	over = w->over;
	w->armed = w->over = false;
	pthread_mutex_unlock(&w->lock);
	return over;
}
