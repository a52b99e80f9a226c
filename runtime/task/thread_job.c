/*
 * thread_job.c - see thread_job.h.  A job belongs to its thread and its task together; an atomic
 * word decides who of the two comes second and frees it.
 */
#define _GNU_SOURCE
#include "runtime/task/thread_job.h"
#include "runtime/core/exception.h"
#include "runtime/task/task.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { RUNNING, ENDED, ABANDONED };

/* Whoever comes second, the thread or the task, frees it. */
typedef struct job {
	void (*fn)(void *), (*drop)(void *);
	void *arg;
	int fd; /* readable when fn has ended */
	int state;
} job;

static void
free_job(job *j)
{
	close(j->fd);
	free(j);
}

static void *
thread_main(void *p)
{
	job *j = p;
	uint64_t one = 1;
	int was = RUNNING;
	j->fn(j->arg);
	if (__atomic_compare_exchange_n(
		    &j->state, &was, ENDED, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		while (write(j->fd, &one, sizeof one) < 0 && errno == EINTR)
			;
		return NULL;
	}
	j->drop(j->arg);
	free_job(j);
	return NULL;
}

/* Signals are for the thread of the session. */
int
vt_thread_start(pthread_t *t, bool detached, void *(*fn)(void *), void *arg)
{
	enum { STACK_BYTES = 8 << 20 };
	sigset_t all, old;
	pthread_attr_t attr;
	int rc;
	sigfillset(&all);
	pthread_attr_init(&attr);
	if (detached)
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	(void)pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(t, &attr, fn, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return rc;
}

static int
start(job *j)
{
	pthread_t t;
	return vt_thread_start(&t, true, thread_main, j);
}

static vt_status
no_thread(vt_rt *rt, job *j, int why)
{
	vt_status st = vt_raise(rt, VT_E_OS, "no thread can be started: %s", strerror(why));
	j->drop(j->arg);
	if (j->fd >= 0)
		close(j->fd);
	free(j);
	return st;
}

/* A task that is cancelled while the thread writes to fd waits for that, which takes no time, and
 * only then frees. */
vt_status
vt_offload(vt_rt *rt, void (*fn)(void *), void *arg, void (*drop)(void *))
{
	job *j = vt_xmalloc(sizeof *j);
	uint64_t count;
	int ready = 0, was = RUNNING, rc;
	vt_status st = VT_OK;
	*j = (job){fn, drop, arg, eventfd(0, EFD_CLOEXEC), RUNNING};
	if (j->fd < 0)
		return no_thread(rt, j, errno);
	if ((rc = start(j)) != 0)
		return no_thread(rt, j, rc);
	while (st == VT_OK && !(ready & VT_FD_READ))
		st = vt_wait_fd(rt, j->fd, VT_FD_READ, -1, &ready);
	if (st != VT_OK && __atomic_compare_exchange_n(&j->state, &was, ABANDONED, false,
				   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return st;
	while (read(j->fd, &count, sizeof count) < 0 && errno == EINTR)
		;
	if (st != VT_OK)
		drop(arg);
	free_job(j);
	return st;
}
