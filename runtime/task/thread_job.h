/*
 * thread_job.h - calls of libraries that block, on threads of their own, while other tasks run.
 *
 * The functions must not touch the session: it belongs to one thread.
 */
#ifndef VT_THREAD_JOB_H
#define VT_THREAD_JOB_H

#include "runtime/core/value.h"

#include <pthread.h>

/*
 * Runs fn(arg) on a new thread; the current task waits.  VT_OK: fn has ended.  VT_ERROR: the task
 * was cancelled, or there is no thread (an exception says); fn may still run, and drop(arg) is
 * called once it has ended. After VT_OK the caller has arg again.
 */
vt_status vt_offload(vt_rt *, void (*fn)(void *), void *arg, void (*drop)(void *));

/* A thread that no signal reaches, with the same stack however small `ulimit -s` is. 0 or errno. */
int vt_thread_start(pthread_t *, bool detached, void *(*)(void *), void *arg);

#endif
