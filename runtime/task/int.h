/*
 * int.h - the inner side of green threads: stack.c (where tasks run), switch.c (how they take
 * turns), task.c (when), segment.c (where deep calls go on) and lock.c (what only one may do).
 * What the rest of the runtime may use is in task.h.
 */
#ifndef VT_TASK_INT_H
#define VT_TASK_INT_H

#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/task/task.h"
#include "runtime/core/session.h"

/* ---- switch.c and switch_*.S -------------------------------------------------------------------
 */

void vt_switch(void **save, void *to);
/* What to switch to so that fn(arg) runs on the stack [base, top); fn never returns. */
void *vt_switch_prepare(char *base, char *top, void (*fn)(void *), void *arg);

/* Around a switch AddressSanitizer hears which stack is left and which is reached. */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <stdio.h>
#define VT_FIBER_LEAVE(fake, to) __sanitizer_start_switch_fiber(fake, (to)->bottom, (to)->size)
#define VT_FIBER_ARRIVE(fake, bottom, size) __sanitizer_finish_switch_fiber(fake, bottom, size)
#define VT_FIBER_FRESH(p, n) \
	__asan_unpoison_memory_region(p, n) /* frames that never returned left their marks */
#else
#define VT_FIBER_LEAVE(fake, to) ((void)(fake), (void)(to))
#define VT_FIBER_ARRIVE(fake, bottom, size) ((void)(fake), (void)(bottom), (void)(size))
#define VT_FIBER_FRESH(p, n) ((void)(p), (void)(n))
#endif

/* ---- stack.c ---- */

/*
 * A task's stack is small, and goes on in segments when calls nest: vt_invoke and lambdas change to
 * one below base + RESERVE.  Recursion that cannot do that (iterators, loading, writing) may use
 * VT_STACK_SLACK of the reserve and then fails.  The rest is for what does not look: walks over
 * values that are nested up to 1000 deep, of which equality takes most, 170 KiB with gcc -O2;
 * t/unit/unit_task.c tries them there.
 */
#if defined(__SANITIZE_ADDRESS__)
enum { VT_STACK = 4 << 20, VT_SEGMENT = 8 << 20, VT_RESERVE = 3584 << 10 };
#else
enum { VT_STACK = 512 << 10, VT_SEGMENT = 1 << 20, VT_RESERVE = 448 << 10 };
#endif

/* The part of memory that the machine's stack pointer is in. The main stack has limit 0:
 * rt->max_depth bounds it. */
typedef struct vt_stack {
	const void *bottom;
	size_t size;
	uintptr_t limit;
} vt_stack;

struct vt_stacks;
struct vt_stacks *vt_stacks_new(void);
void vt_stacks_destroy(struct vt_stacks *);
/* The upper end of a stack of VT_STACK bytes, or NULL. */
char *vt_stack_take(struct vt_stacks *);
void vt_stack_give(
	struct vt_stacks *, char *top); /* never the one that is running: its pages may go */

/* ---- task.c ---- */

enum item_kind { ITEM_TASK, ITEM_SPAWN, ITEM_START };
/* What waits in the run queue, in a lock's queue or nowhere. */
typedef struct vt_item {
	struct vt_item *next;
	uint8_t kind;
} vt_item;
typedef struct vt_queue {
	vt_item *head, **tail;
} vt_queue;

/* All that belongs to the running task and lives in the session while it runs. */
typedef struct vt_local {
	vt_act *act;
	uint32_t depth;
	struct vt_hold *holds;
	vt_value exc, stashed;
	vt_stack stack;
	vt_store_task store;
	vt_lua_task lua;
} vt_local;

enum vt_waiting { WAIT_NONE, WAIT_TIMER, WAIT_FD, WAIT_LOCK, WAIT_JOIN };

typedef struct vt_task {
	vt_item item;             /* first: the queue links it */
	uint8_t waiting;          /* enum vt_waiting */
	bool cancelled, notified; /* it ends; it has heard of the signal that ends it */
	bool timed_out, failed;   /* failed: wakes up with the exception in local.exc */
	uint32_t timer;           /* place in the heap + 1; 0: none */
	int fd;
	short events;
	char *top;  /* the end of its stack; NULL: the main task */
	void *sp;   /* where it goes on; of the running task without meaning */
	void *fake; /* of AddressSanitizer */
	vt_local local;
	struct vt_group *group;      /* NULL: the main task */
	uint32_t index;              /* what it runs of its group */
	uint64_t branch, nspawned;   /* vt_task_branch; how many it spawned */
	uint64_t id;                 /* 0: the main task */
	struct vt_task *prev, *next; /* all that live */
	struct vt_sched *s;
	struct vt_group *joined; /* whose end it waits for, or NULL */
	int64_t when;            /* of its timer, nanoseconds */
	uint64_t order;          /* timers of one time go off in the order in which they were set */
	struct vt_lock *lock;    /* that it waits for */
	struct vt_hold *hold;    /* what it will hold then */
	/* of the search for a deadlock: */
	uint64_t search;            /* the last one that came here */
	struct vt_task *todo, *via; /* what it looks at next; whom this one waits for */
	vt_act base;                /* the activation that spawned it, with a position of its own */
} vt_task;

typedef struct vt_sched {
	vt_rt *rt;
	struct vt_stacks *stacks;
	vt_task main, *current;
	vt_task *dead; /* ended; its stack is given back by whoever runs next */
	vt_queue ready;
	vt_task **timers;
	uint32_t ntimers, nfds, turns;
	struct pollfd *fds; /* of nfds tasks, as last asked for */
	vt_task **waiters;
	uint64_t last_id, last_order, last_search, nalive;
	struct vt_locks *locks;
	int64_t skipped; /* the virtual clock */
	char *segment_pool[8];
	uint32_t nsegments;
	bool interrupted; /* all tasks are cancelled because of rt->s->interrupt */
	uint64_t random;  /* of torture.c; 0: tasks change only where they must */
} vt_sched;

vt_sched *vt_sched_of(vt_rt *); /* makes it */
void vt_queue_put(vt_queue *, vt_item *);
vt_item *vt_queue_take(vt_queue *); /* NULL: empty */
/* Runs others until the current task is ready again. */
vt_status vt_block(vt_sched *, enum vt_waiting);
void vt_wake(vt_sched *, vt_task *);      /* cancels its timer, makes it ready */
vt_task *vt_task_parent(const vt_task *); /* or NULL */
vt_status vt_deadlock(vt_sched *, vt_task *owner);
vt_status vt_cancelled(vt_rt *); /* raises what ends the current task */

/* ---- segment.c ---- */

void vt_segments_destroy(vt_sched *);

/* ---- torture.c ---- */

#ifdef VT_TORTURE
uint64_t vt_torture_random(vt_sched *);
void vt_torture_seed(vt_sched *);
#endif

/* ---- lock.c ---- */

void vt_locks_destroy(vt_sched *);
void vt_locks_publish(
	vt_sched *); /* the current task is about to wait: others must see what it holds */
void vt_lock_forget(vt_sched *, vt_task *);                 /* it waits no longer */
void vt_lock_report(vt_sched *, vt_buf *, const vt_task *); /* what it waits for, and who has it */

#endif
