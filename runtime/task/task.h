/*
 * task.h - green threads: what other rooms may ask of the scheduler, locks and signals.
 */
#ifndef VT_TASK_TASK_H
#define VT_TASK_TASK_H

#include "vt.h"

#include "runtime/core/value.h"

#include <stdbool.h>
#include <time.h>

/* ---- task.c ---- */
/* Is the stack of this task nearly used up?  Recursion then either fails or goes on with
 * vt_on_segment. */
static inline bool
vt_stack_low(const vt_rt *rt)
{
	return unlikely((uintptr_t)__builtin_frame_address(0) < rt->stack_limit);
}
/* What recursion that fails may use of a task's stack beyond the point where calls go on
 * elsewhere. */
#if defined(__SANITIZE_ADDRESS__)
enum { VT_STACK_SLACK = 1536 << 10 };
#else
enum { VT_STACK_SLACK = 192 << 10 };
#endif
/* May recursion that counts in rt->depth not go deeper? */
static inline bool
vt_too_deep(const vt_rt *rt)
{
	return unlikely(rt->depth >= rt->max_depth) ||
	       unlikely((uintptr_t)__builtin_frame_address(0) + VT_STACK_SLACK < rt->stack_limit);
}
vt_status vt_next_in_task(vt_rt *, vt_value iter, vt_value *out); /* task.c */

/* ---- segment.c, task.c: green threads; docs/internals/runtime-task.md ---- */
/*
 * Tasks take turns on one OS thread and change only where one waits: vt_sleep, vt_wait_fd, vt_lock
 * and the end of vt_run_all.  Between them code is atomic.  Whoever waits must hold nothing that
 * another task could free: values that variables or properties own are copied before.
 */
typedef vt_status (*vt_task_fn)(vt_rt *, void *data, uint32_t index, vt_value *out);
/*
 * Runs fn(data, i) for i in 0..n-1, each in a task of its own and at most `limit` of them at a time
 * (0: all), and waits for all.  The result is that of the first, by position, that did not end with
 * VT_OK: with VT_ERROR its exception, with VT_RETURN its value in *out.  fn keeps its results in
 * data; what it puts in *out is the value of a VT_RETURN.
 */
vt_status vt_run_all(vt_rt *, uint32_t n, uint32_t limit, vt_task_fn, void *data, vt_value *out);
/* A task that nobody waits for; its exception is reported on stderr. done(data) runs when it ends,
 * however. */
vt_status vt_spawn(vt_rt *, vt_task_fn, void *data, void (*done)(void *));
vt_status vt_sleep(vt_rt *, double seconds); /* 0 and less: lets the others run once */
enum { VT_FD_READ = 1, VT_FD_WRITE = 2, VT_FD_TIMEOUT = 0 };
/* Waits until the descriptor is ready for one of `events`; seconds < 0: for ever. *ready:
 * VT_FD_TIMEOUT or what it is ready for. */
vt_status vt_wait_fd(vt_rt *, int fd, int events, double seconds, int *ready);
/* The same number for the same branch of the same tasks in every run of the program. */
uint64_t vt_task_branch(vt_rt *);
uint64_t vt_task_id(vt_rt *);   /* of the running task; 0 is the session's own */
int64_t vt_task_clock(vt_rt *); /* nanoseconds; virtual time when that is on */
void vt_virtual_time(vt_rt *, bool);
/* of now(); in virtual time it goes on only while tasks sleep */
void vt_wall_clock(vt_rt *, struct timespec *);
bool vt_is_virtual_time(vt_rt *);
/* One task waits for it, or none; it stays set. A task that waits is cancelled as one that
 * sleeps. */
typedef struct vt_event {
	struct vt_task *waiter;
	bool set;
} vt_event;
void vt_event_set(vt_rt *, vt_event *);
/* seconds < 0: for ever. Ask vt_event.set what came. */
vt_status vt_event_wait(vt_rt *, vt_event *, double seconds);
/* another one gets an exception that nothing catches */
void vt_task_cancel(vt_rt *, uint64_t id);
/* Every other task gets an exception that nothing catches, and has ended when this returns. */
void vt_tasks_cancel(vt_rt *);
void vt_tasks_destroy(vt_rt *); /* the session's end; nothing runs any more */
/* runs it on a fresh piece of stack */
vt_status vt_on_segment(vt_rt *, vt_status (*)(vt_rt *, void *), void *data);
/*
 * A method that is running: MuranoPL lets only one task at a time into one method of one object.
 * The record costs nothing until the task waits: then vt_locks_publish makes it visible.  self
 * VT_UNDEF: no lock.
 */
#ifdef VT_TORTURE
/* torture_point.c: a place where tasks may change. */
vt_status vt_torture_point(vt_rt *);
#else
#define vt_torture_point(rt) VT_OK
#endif
vt_status vt_lock_wait(vt_rt *, vt_hold *); /* another task may be in there */
static inline vt_status
vt_lock(vt_rt *rt, vt_hold *h)
{
	h->lock = NULL;
	VT_TRY(vt_torture_point(rt));
	if (unlikely(rt->nlocks != 0) && h->self != VT_UNDEF)
		VT_TRY(vt_lock_wait(rt, h));
	h->up = rt->holds;
	rt->holds = h;
	return VT_OK;
}
static inline void
vt_unlock(vt_rt *rt, vt_hold *h)
{
	rt->holds = h->up;
	if (unlikely(h->lock != NULL))
		vt_lock_release(rt, h);
}

/* ---- main_stack.c ---- */
/* fn(arg) on a stack of so many bytes: this one, which grows where the system lets it, or another.
 */
int vt_with_stack(size_t bytes, int (*fn)(void *), void *arg);
size_t vt_main_stack(void); /* how large it is; SIZE_MAX: without a limit */

/* ---- interrupt.c: SIGINT and SIGTERM, for the commands of a deploy binary ---- */
void vt_interrupt_watch(vt_rt *); /* from now on they unwind the tasks of this session */
/* the run is over: no task is left, and what follows may call again */
void vt_interrupt_end(vt_rt *);
int vt_interrupt_caught(void); /* the signal, or 0 */
void vt_interrupt_block(bool); /* while a file is written */
/* The run is over: the signal, or 0. One that comes now changes neither that nor the status. */
int vt_interrupt_over(void);
vt_status vt_interrupt_raise(vt_rt *); /* in the running task */

#endif
