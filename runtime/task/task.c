/*
 * task.c - green threads: who runs when.
 *
 * There is no scheduler task.  Whoever waits takes the next from the run queue and switches to it;
 * with nothing to run it polls.  The queue is first in, first out, as eventlet's hub is, so that
 * the order of effects is the reference's and the same in each run.
 *
 * A group is one vt_run_all: it follows eventlet's GreenPool.imap.  A SPAWN entry is its loop over
 * the items, which takes the slots that are free; the START entry stands for the tasks it has
 * then spawned. With fewer slots than items the loop runs ahead of the first unfinished item by
 * at most the limit and two more: there the reference's queue of results is full.
 *
 * A task gets a stack when it starts, not before, and one that ends starts the next on its own
 * stack: tasks that never wait are little more than calls.
 *
 * Invariants: the fields of vt_local of a task that does not run are in its vt_task, of the running
 * one in the session; `stack` there is always right.  The stack of a dead task goes back only when
 * another one runs.
 */
#define _GNU_SOURCE
#include "runtime/task/int.h"
#include "runtime/core/session.h"
#include "runtime/core/exception.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* All stacks begin at the same place of a page, and a cache has few lines for one place: so tasks
 * begin a bit lower. */
enum { SHIFTS = 8, SHIFT = 64 };
enum { POLL_EVERY = 32, REPORTED_TASKS = 20, REPORTED_FRAMES = 12 };
static const int64_t second = 1000000000;

typedef struct vt_group {
	vt_item spawn, start; /* start is in the run queue while reserved > 0 */
	bool spawning;        /* spawn is in the run queue */
	vt_task *parent;      /* NULL: nobody waits */
	uint32_t n, limit;
	uint32_t next;          /* the first that has not started */
	uint32_t reserved;      /* spawned but not started: what START stands for */
	uint32_t running, lead; /* lead: all before it have ended */
	uint8_t *ended;         /* by position; NULL when all fit the limit */
	vt_task_fn fn;
	void *data;
	void (*done)(void *);
	vt_local inherit;
	uint64_t branch; /* of who made it: vt_task_branch */
	uint32_t worst;  /* position of the result that counts so far */
	vt_status status;
	vt_value value; /* its exception or returned value */
} group;

/* ---- queues ------------------------------------------------------------------------------ */

void
vt_queue_put(vt_queue *q, vt_item *i)
{
	i->next = NULL;
	*q->tail = i;
	q->tail = &i->next;
}

vt_item *
vt_queue_take(vt_queue *q)
{
	vt_item *i = q->head;
	if (i != NULL && (q->head = i->next) == NULL)
		q->tail = &q->head;
	return i;
}

static void
take_out(vt_queue *q, vt_item *i)
{
	vt_item **p = &q->head;
	while (*p != i)
		p = &(*p)->next;
	if ((*p = i->next) == NULL)
		q->tail = p;
}

/* The next to run. */
static vt_item *
take_ready(vt_sched *s)
{
#ifdef VT_TORTURE
	enum { AMONG = 8 };
	vt_item *v[AMONG], *i = s->ready.head;
	uint32_t n = 0;
	for (; s->random != 0 && i != NULL && n < AMONG; i = i->next)
		v[n++] = i;
	if (n > 0) {
		i = v[vt_torture_random(s) % n];
		take_out(&s->ready, i);
		return i;
	}
#endif
	return vt_queue_take(&s->ready);
}

static void
put_front(vt_queue *q, vt_item *i)
{
	i->next = q->head;
	q->head = i;
	if (i->next == NULL)
		q->tail = &i->next;
}

/* ---- time -------------------------------------------------------------------------------- */

static int64_t
now(vt_sched *s)
{
	return s->rt->s->virtual_time ? s->skipped : vt_clock_ns();
}

static bool
earlier(const vt_task *a, const vt_task *b)
{
	return a->when != b->when ? a->when < b->when : a->order < b->order;
}

static void
put_timer(vt_sched *s, uint32_t i, vt_task *t)
{
	s->timers[i] = t;
	t->timer = i + 1;
}

static void
sift(vt_sched *s, uint32_t i, vt_task *t)
{
	while (i > 0 && earlier(t, s->timers[(i - 1) / 2])) {
		put_timer(s, i, s->timers[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	for (uint32_t k; (k = 2 * i + 1) < s->ntimers; i = k) {
		if (k + 1 < s->ntimers && earlier(s->timers[k + 1], s->timers[k]))
			k++;
		if (!earlier(s->timers[k], t))
			break;
		put_timer(s, i, s->timers[k]);
	}
	put_timer(s, i, t);
}

static void
set_timer(vt_sched *s, vt_task *t, double seconds)
{
	t->when = seconds > 9e9 ? INT64_MAX : now(s) + (int64_t)(seconds * (double)second);
	t->order = s->last_order++;
	s->timers = vt_grow(s->timers, s->ntimers, sizeof *s->timers);
	sift(s, s->ntimers++, t);
}

static void
clear_timer(vt_sched *s, vt_task *t)
{
	uint32_t i = t->timer - 1;
	vt_task *last;
	if (t->timer == 0)
		return;
	t->timer = 0;
	last = s->timers[--s->ntimers];
	if (last != t)
		sift(s, i, last);
}

static void
expire(vt_sched *s)
{
	int64_t at = s->ntimers > 0 ? now(s) : 0;
	while (s->ntimers > 0 && s->timers[0]->when <= at) {
		vt_task *t = s->timers[0];
		t->timed_out = true;
		vt_wake(s, t);
	}
}

/* ---- descriptors ------------------------------------------------------------------------- */

static void
add_fd(vt_sched *s, vt_task *t)
{
	s->waiters = vt_grow(s->waiters, s->nfds, sizeof *s->waiters);
	s->waiters[s->nfds] = t;
	vt_push(s->fds, s->nfds) = (struct pollfd){.fd = t->fd, .events = t->events};
}

static void
drop_fd(vt_sched *s, const vt_task *t)
{
	uint32_t i = 0;
	while (s->waiters[i] != t)
		i++;
	s->nfds--;
	s->fds[i] = s->fds[s->nfds];
	s->waiters[i] = s->waiters[s->nfds];
}

/* A descriptor that is closed or broken is ready for everything: the call that follows says why.
 */
static short
ready_for(const struct pollfd *p)
{
	short both = p->events & (POLLIN | POLLOUT);
	return p->revents & ~both ? both : p->revents & both;
}

static void
poll_fds(vt_sched *s, int64_t wait)
{
	int ms = wait < 0                  ? -1
		 : wait > 1000000 * second ? 1000000000
					   : (int)((wait + 999999) / 1000000);
	int n = poll(s->fds, s->nfds, ms);
	for (uint32_t i = s->nfds; n > 0 && i > 0; i--)
		if (s->fds[i - 1].revents != 0) {
			s->waiters[i - 1]->events = ready_for(&s->fds[i - 1]);
			vt_wake(s, s->waiters[i - 1]);
		}
}

/* Nothing is ready: until something is. */
static void
idle(vt_sched *s)
{
	int64_t wait = s->ntimers == 0 ? -1 : s->timers[0]->when - now(s);
	if (s->ntimers > 0 && s->rt->s->virtual_time) {
		if (s->nfds > 0)
			poll_fds(s, 0);
		if (s->ready.head == NULL)
			s->skipped = s->timers[0]->when;
		return;
	}
	if (s->nfds > 0 || s->timers[0]->when == INT64_MAX) {
		poll_fds(s, s->ntimers > 0 && wait < 0 ? 0 : wait);
	} else if (wait > 0) {
		struct timespec t = {wait / second, wait % second};
		nanosleep(&t, NULL);
	}
}

/* ---- waking ------------------------------------------------------------------------------ */

void
vt_wake(vt_sched *s, vt_task *t)
{
	clear_timer(s, t);
	if (t->waiting == WAIT_FD)
		drop_fd(s, t);
	t->waiting = WAIT_NONE;
	vt_queue_put(&s->ready, &t->item);
}

/* Wakes a waiting task with an exception, which is given away. */
static void
vt_wake_failed(vt_sched *s, vt_task *t, vt_value exc)
{
	if (t->waiting == WAIT_LOCK)
		vt_lock_forget(s, t);
	t->failed = true;
	vt_move(&t->local.exc, exc);
	vt_wake(s, t);
}

/* ---- deadlock ---------------------------------------------------------------------------- */

static void
report_frames(vt_buf *b, const vt_act *a)
{
	for (int n = 0; a != NULL && n < REPORTED_FRAMES; a = a->up, n++)
		vt_buf_printf(b, "\n    %s line %llu in method %s of type %s",
			a->hold.method->cls->unit ? a->hold.method->cls->unit->file : "io.murano",
			(unsigned long long)(a->at ? a->at->pos >> 20 : 0), a->hold.method->name->s,
			a->hold.method->cls->name->s);
}

static void
report_task(vt_sched *s, vt_buf *b, const vt_task *t)
{
	vt_buf_printf(b, "\n  task %llu waits for ", (unsigned long long)t->id);
	if (t->waiting == WAIT_LOCK)
		vt_lock_report(s, b, t);
	else
		vt_buf_puts(b, "the branches that it started");
	report_frames(b, t->local.act);
}

/* The current task is about to wait for `owner`, which waits, by way of others, for it: see
 * vt_lock_wait. */
vt_status
vt_deadlock(vt_sched *s, vt_task *owner)
{
	vt_task *t = s->current;
	vt_buf b = {0};
	int n = 1;
	vt_buf_puts(&b, "tasks wait for each other:");
	t->waiting = WAIT_LOCK;
	t->local.act = s->rt->act;
	report_task(s, &b, t);
	for (vt_task *other = owner; other != t && n < REPORTED_TASKS; other = other->via, n++)
		report_task(s, &b, other);
	t->waiting = WAIT_NONE;
	return vt_raise_value(s->rt, VT_E_DEADLOCK, vt_str_take(s->rt, &b));
}

/* The last wait that closes a ring is one for a lock, and vt_lock_wait refuses it. */
static void
stuck(void)
{
	fputs("vetro: no task can run, and none waits for what may come\n", stderr);
	_exit(3);
}

/* ---- groups ------------------------------------------------------------------------------ */

/* Who waits for the end of this task's group. */
vt_task *
vt_task_parent(const vt_task *t)
{
	return t->group != NULL ? t->group->parent : NULL;
}

static group *
started_by(vt_item *start)
{
	return (group *)(void *)((char *)start - offsetof(group, start));
}

static void
queue_spawn(vt_sched *s, group *g)
{
	if (g->spawning)
		return;
	g->spawning = true;
	vt_queue_put(&s->ready, &g->spawn);
}

static void
spawn(vt_sched *s, group *g)
{
	uint64_t most = g->n, ahead = (uint64_t)g->lead + g->limit + 2;
	uint64_t begun = (uint64_t)g->next + g->reserved;
	uint32_t slots = g->limit - g->running - g->reserved, todo;
	if (g->ended != NULL && ahead < most)
		most = ahead;
	todo = begun < most ? (uint32_t)(most - begun) : 0;
	todo = todo < slots ? todo : slots;
	g->spawning = false;
	if (todo > 0 && g->reserved == 0)
		vt_queue_put(&s->ready, &g->start);
	g->reserved += todo;
}

/* The position that starts now. Those that were spawned together start one after another. */
static uint32_t
begin(vt_sched *s, group *g)
{
	g->running++;
	if (--g->reserved > 0)
		put_front(&s->ready, &g->start);
	return g->next++;
}

static void
finish_detached(vt_sched *s, group *g)
{
	vt_buf b = {0};
	if (g->status == VT_ERROR && VT_AS(vt_exc, g->value)->type != VT_E_CANCELLED) {
		vt_exc_str(s->rt, &b, VT_AS(vt_exc, g->value));
		vt_say("vetro: a task in the background failed: %.*s\n", (int)b.n, b.p ? b.p : "");
		vt_buf_free(&b);
	}
	vt_release(g->value);
	if (g->done != NULL)
		g->done(g->data);
	free(g);
}

/* out is owned. */
static void
keep_result(vt_sched *s, group *g, uint32_t index, vt_status st, vt_value out)
{
	if (st == VT_ERROR)
		vt_move(&out, vt_exc_take(s->rt));
	if (st != VT_OK && (g->status == VT_OK || index < g->worst)) {
		g->status = st;
		g->worst = index;
		vt_move(&g->value, out);
		out = VT_UNDEF;
	}
	vt_release(out);
}

static void
end(vt_sched *s, group *g, uint32_t index)
{
	g->running--;
	if (g->ended != NULL) {
		g->ended[index] = 1;
		while (g->lead < g->n && g->ended[g->lead])
			g->lead++;
		if (g->next + g->reserved < g->n)
			queue_spawn(s, g);
	}
	if (g->running > 0 || g->next < g->n)
		return;
	if (g->parent == NULL)
		finish_detached(s, g);
	else if (g->parent->waiting == WAIT_JOIN)
		vt_wake(s, g->parent);
}

/* ---- switching --------------------------------------------------------------------------- */

static void
save(vt_sched *s, vt_task *t)
{
	vt_rt *rt = s->rt;
	t->local.act = rt->act;
	t->local.depth = rt->depth;
	t->local.holds = rt->holds;
	t->local.exc = rt->s->exc;
	t->local.stashed = rt->s->stashed;
	rt->s->exc = rt->s->stashed = VT_UNDEF;
	rt->act = NULL;
	t->local.store = rt->s->storing;
	vt_lua_switch(rt, &t->local.lua, NULL);
}

static void
load(vt_sched *s, vt_task *t)
{
	vt_rt *rt = s->rt;
	s->current = t;
	rt->act = t->local.act;
	rt->depth = t->local.depth;
	rt->holds = t->local.holds;
	rt->stack_limit = t->local.stack.limit;
	if (unlikely(rt->s->interrupt != 0))
		rt->max_depth = t->notified ? rt->s->max_depth : 0;
	rt->s->exc = t->local.exc;
	rt->s->stashed = t->local.stashed;
	t->local.exc = t->local.stashed = VT_UNDEF;
	rt->s->storing = t->local.store;
	vt_lua_switch(rt, NULL, &t->local.lua);
}

/* The first thing on a stack that runs again, or for the first time. */
static void
arrived(vt_sched *s, vt_task *from, vt_task *t)
{
	const void *bottom = NULL;
	size_t size = 0;
	VT_FIBER_ARRIVE(t->fake, &bottom, &size);
	if (from == &s->main && from->local.stack.size == 0)
		from->local.stack = (vt_stack){bottom, size, 0};
	if (s->dead != NULL)
		vt_stack_give(s->stacks, s->dead->top);
	s->dead = NULL;
	load(s, t);
}

static void
change(vt_sched *s, vt_task *to, bool ends)
{
	vt_task *from = s->current;
	if (ends)
		s->dead = from;
	VT_FIBER_LEAVE(ends ? NULL : &from->fake, &to->local.stack);
	vt_switch(&from->sp, to->sp);
	arrived(s, s->current, from);
}

/* ---- tasks ------------------------------------------------------------------------------- */

static void
link_task(vt_sched *s, vt_task *t)
{
	t->prev = s->main.prev;
	t->next = &s->main;
	t->prev->next = t->next->prev = t;
	s->nalive++;
}

static void
unlink_task(vt_sched *s, vt_task *t)
{
	t->prev->next = t->next;
	t->next->prev = t->prev;
	s->nalive--;
}

/* Statements of a branch have positions of their own, so the activation they belong to is copied.
 */
static void
become(vt_sched *s, vt_task *t, group *g)
{
	t->group = g;
	t->index = begin(s, g);
	t->branch = (g->branch ^ (t->index + 1)) * UINT64_C(0x9e3779b97f4a7c15);
	t->nspawned = 0;
	t->joined = NULL;
	t->id = ++s->last_id;
	t->cancelled = t->notified = t->timed_out = t->failed = false;
	t->waiting = WAIT_NONE;
	t->timer = 0;
	t->lock = NULL;
	t->local.depth = g->inherit.depth;
	t->local.store = g->inherit.store;
	t->local.lua = (vt_lua_task){0};
	t->local.holds = NULL;
	t->local.exc = t->local.stashed = VT_UNDEF;
	t->local.act = NULL;
	if (g->inherit.act != NULL) {
		t->base = *g->inherit.act;
		t->local.act = &t->base;
	}
	link_task(s, t);
}

static void
run(vt_sched *s, vt_task *t)
{
	group *g = t->group;
	vt_value out = VT_UNDEF;
	vt_status st = vt_torture_point(s->rt);
	if (st == VT_OK)
		st = g->fn(s->rt, g->data, t->index, &out);
	keep_result(s, g, t->index, st, out);
	vt_clear(&s->rt->s->stashed);
	save(s, t);
	vt_lua_task_end(s->rt, &t->local.lua);
	unlink_task(s, t);
	end(s, g, t->index);
}

static vt_item *pick(vt_sched *);
static void go_on(vt_sched *, vt_item *, bool ends);

/* The bottom of every stack of a task. */
static void
task_main(vt_sched *s, vt_task *t)
{
	vt_item *i;
	for (;;) {
		run(s, t);
		i = pick(s);
		if (i->kind != ITEM_START)
			break;
		become(s, t, started_by(i));
		load(s, t);
	}
	go_on(s, i, true);
}

static void
first_steps(void *p)
{
	vt_task *t = p;
	arrived(t->s, t->s->current, t);
	task_main(t->s, t);
}

/* No memory for a stack: the task has failed before it began. */
static void
fail_start(vt_sched *s, group *g)
{
	uint32_t index = begin(s, g);
	s->rt->act = g->inherit.act;
	(void)vt_raise(s->rt, VT_E_RUNTIME, "no memory for the stack of another task (%llu run)",
		(unsigned long long)s->nalive);
	keep_result(s, g, index, VT_ERROR, VT_UNDEF);
	s->rt->act = NULL;
	end(s, g, index);
}

static vt_task *
start(vt_sched *s, group *g)
{
	char *top = vt_stack_take(s->stacks), *base;
	vt_task *t;
	if (top == NULL)
		return NULL;
	base = top - VT_STACK;
	t = (vt_task *)(void *)(top - sizeof *t - s->nalive % SHIFTS * SHIFT);
	VT_FIBER_FRESH(top - 32 * 1024, 32 * 1024);
	memset(t, 0, sizeof *t);
	t->s = s;
	t->top = top;
	t->item.kind = ITEM_TASK;
	t->local.stack = (vt_stack){base, (size_t)((char *)t - base), (uintptr_t)base + VT_RESERVE};
	t->sp = vt_switch_prepare(base, (char *)t, first_steps, t);
	become(s, t, g);
	return t;
}

static vt_status
raise_cancelled(vt_rt *rt)
{
	int sig = rt->s->interrupt;
	return sig != 0 ? vt_raise(rt, VT_E_CANCELLED, "interrupted by signal %d (%s)", sig,
				  strsignal(sig))
			: vt_raise(rt, VT_E_CANCELLED, "the task was cancelled");
}

/* ---- choosing ---------------------------------------------------------------------------- */

static void cancel(vt_sched *, vt_task *);

/* Whoever waits fails now, whoever is ready at its next call or wait. */
static void
interrupt(vt_sched *s)
{
	s->interrupted = true;
	cancel(s, &s->main);
	for (vt_task *t = s->main.next; t != &s->main; t = t->next)
		cancel(s, t);
}

/* The current task is to end. */
vt_status
vt_cancelled(vt_rt *rt)
{
	vt_task *t = rt->s->sched->current;
	t->cancelled = t->notified = true;
	if (rt->s->interrupt != 0)
		rt->max_depth = rt->s->max_depth;
	return raise_cancelled(rt);
}

/* What runs next: a task, or a group that starts one. The current task's state is saved. */
static vt_item *
pick(vt_sched *s)
{
	for (;;) {
		vt_item *i;
		if (unlikely(s->rt->s->interrupt != 0) && !s->interrupted)
			interrupt(s);
		if (s->ready.head == NULL || ++s->turns % POLL_EVERY == 0) {
			expire(s);
			if (s->nfds > 0)
				poll_fds(s, s->ready.head == NULL && s->ntimers == 0 ? -1 : 0);
		}
		i = take_ready(s);
		if (i != NULL && i->kind != ITEM_SPAWN)
			return i;
		if (i != NULL)
			spawn(s, (group *)i);
		else if (unlikely(s->rt->s->interrupt != 0) && !s->interrupted)
			continue; /* it came while the descriptors were asked */
		else if (s->ntimers > 0 || s->nfds > 0)
			idle(s);
		else
			stuck();
	}
}

static void
go_on(vt_sched *s, vt_item *i, bool ends)
{
	vt_task *t = NULL;
	while (i->kind == ITEM_START && (t = start(s, started_by(i))) == NULL) {
		fail_start(s, started_by(i));
		i = pick(s);
	}
	if (i->kind != ITEM_START)
		t = (vt_task *)i;
	if (t == s->current && !ends)
		load(s, t);
	else
		change(s, t, ends);
}

vt_status
vt_block(vt_sched *s, enum vt_waiting why)
{
	vt_task *t = s->current;
	t->waiting = (uint8_t)why;
	vt_locks_publish(s);
	save(s, t);
	go_on(s, pick(s), false);
	if (!t->failed)
		return VT_OK;
	t->failed = false;
	return VT_ERROR;
}

vt_sched *
vt_sched_of(vt_rt *rt)
{
	vt_sched *s = rt->s->sched;
	if (s != NULL)
		return s;
	s = vt_xzalloc(sizeof *s);
	s->rt = rt;
	s->stacks = vt_stacks_new();
	s->current = s->main.prev = s->main.next = &s->main;
	s->main.item.kind = ITEM_TASK;
	s->main.local.exc = s->main.local.stashed = VT_UNDEF;
	s->ready.tail = &s->ready.head;
#ifdef VT_TORTURE
	vt_torture_seed(s);
#endif
	return rt->s->sched = s;
}

/* ---- what the runtime uses --------------------------------------------------------------- */

static void
init_group(vt_sched *s, group *g, uint32_t n, uint32_t limit, vt_task_fn fn, void *data)
{
	*g = (group){.spawn.kind = ITEM_SPAWN,
		.start.kind = ITEM_START,
		.n = n,
		.limit = limit == 0 || limit > n ? n : limit,
		.fn = fn,
		.data = data,
		.value = VT_UNDEF,
		.branch = s->current->branch,
		.inherit = {.act = s->rt->act, .depth = s->rt->depth}};
	g->inherit.store = s->rt->s->storing;
	if (g->limit < n) {
		g->ended = vt_xzalloc(n);
	}
	queue_spawn(s, g);
}

/* What has not started never will. */
static void
cut(vt_sched *s, group *g)
{
	if (g->spawning)
		take_out(&s->ready, &g->spawn);
	if (g->reserved > 0)
		take_out(&s->ready, &g->start);
	g->spawning = false;
	g->reserved = 0;
	g->n = g->next;
	if (g->running == 0 && g->parent->waiting == WAIT_JOIN)
		vt_wake(s, g->parent);
}

vt_status
vt_run_all(vt_rt *rt, uint32_t n, uint32_t limit, vt_task_fn fn, void *data, vt_value *out)
{
	vt_sched *s = vt_sched_of(rt);
	vt_task *t = s->current;
	group g;
	vt_status st = VT_OK;
	if (n == 0)
		return VT_OK;
	if (t->cancelled)
		return vt_cancelled(rt);
	init_group(s, &g, n, limit, fn, data);
	g.parent = t;
	t->joined = &g;
	while (g.running > 0 || g.next < g.n)
		if (vt_block(s, WAIT_JOIN) != VT_OK)
			vt_exc_clear(rt);
	t->joined = NULL;
	free(g.ended);
	if (t->cancelled)
		st = vt_cancelled(rt);
	if (st != VT_OK || g.status == VT_OK) {
		vt_release(g.value);
		return st;
	}
	if (g.status == VT_ERROR)
		vt_exc_set(rt, g.value);
	else
		*out = g.value;
	return g.status;
}

vt_status
vt_spawn(vt_rt *rt, vt_task_fn fn, void *data, void (*done)(void *))
{
	vt_sched *s = vt_sched_of(rt);
	group *g = vt_xmalloc(sizeof *g);
	init_group(s, g, 1, 1, fn, data);
	g->branch += ++s->current->nspawned << 32;
	g->inherit.act = NULL; /* it may outlive the method that spawned it */
	g->inherit.depth = 0;
	g->inherit.store = (vt_store_task){0};
	g->done = done;
	return VT_OK;
}

vt_status
vt_sleep(vt_rt *rt, double seconds)
{
	vt_sched *s = vt_sched_of(rt);
	vt_task *t = s->current;
	if (t->cancelled)
		return vt_cancelled(rt);
	if (seconds > 0) {
		set_timer(s, t, seconds);
		return vt_block(s, WAIT_TIMER);
	}
	vt_queue_put(&s->ready, &t->item);
	return vt_block(s, WAIT_NONE);
}

void
vt_event_set(vt_rt *rt, vt_event *e)
{
	vt_task *t = e->waiter;
	e->set = true;
	e->waiter = NULL;
	if (t != NULL && t->waiting == WAIT_TIMER) /* else something else has woken it already */
		vt_wake(rt->s->sched, t);
}

vt_status
vt_event_wait(vt_rt *rt, vt_event *e, double seconds)
{
	vt_sched *s = vt_sched_of(rt);
	vt_task *t = s->current;
	vt_status st;
	if (t->cancelled)
		return vt_cancelled(rt);
	if (e->set)
		return VT_OK;
	if (seconds >= 0)
		set_timer(s, t, seconds);
	e->waiter = t;
	st = vt_block(s, WAIT_TIMER);
	if (e->waiter == t)
		e->waiter = NULL;
	return st;
}

vt_status
vt_wait_fd(vt_rt *rt, int fd, int events, double seconds, int *ready)
{
	vt_sched *s = vt_sched_of(rt);
	vt_task *t = s->current;
	*ready = VT_FD_TIMEOUT;
	if (t->cancelled)
		return vt_cancelled(rt);
	t->fd = fd;
	t->events =
		(short)((events & VT_FD_READ ? POLLIN : 0) | (events & VT_FD_WRITE ? POLLOUT : 0));
	t->timed_out = false;
	if (seconds >= 0)
		set_timer(s, t, seconds);
	add_fd(s, t);
	VT_TRY(vt_block(s, WAIT_FD));
	if (!t->timed_out)
		*ready = (t->events & POLLIN ? VT_FD_READ : 0) |
			 (t->events & POLLOUT ? VT_FD_WRITE : 0);
	return VT_OK;
}

uint64_t
vt_task_branch(vt_rt *rt)
{
	return rt->s->sched ? rt->s->sched->current->branch : 0;
}

uint64_t
vt_task_id(vt_rt *rt)
{
	return rt->s->sched ? rt->s->sched->current->id : 0;
}

int64_t
vt_task_clock(vt_rt *rt)
{
	return now(vt_sched_of(rt));
}

void
vt_virtual_time(vt_rt *rt, bool on)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	rt->s->began =
		(int64_t)t.tv_sec * second + t.tv_nsec - (rt->s->sched ? rt->s->sched->skipped : 0);
	rt->s->virtual_time = on;
}

void
vt_wall_clock(vt_rt *rt, struct timespec *t)
{
	int64_t at = rt->s->began + (rt->s->sched ? rt->s->sched->skipped : 0);
	if (rt->s->virtual_time)
		*t = (struct timespec){at / second, at % second};
	else
		clock_gettime(CLOCK_REALTIME, t);
}

bool
vt_is_virtual_time(vt_rt *rt)
{
	return rt->s->virtual_time;
}

/* vt_next for all tasks but the first: another one may be in the same iterator, waiting. */
vt_status
vt_next_in_task(vt_rt *rt, vt_value iter, vt_value *out)
{
	vt_iter *it = VT_AS(vt_iter, iter);
	vt_status st;
	if (vt_too_deep(rt))
		return vt_raise_depth(rt);
	if (it->h.flags & VT_F_BUSY)
		return vt_raise(rt, VT_E_VALUE, "generator already executing");
	it->h.flags |= VT_F_BUSY;
	rt->depth++;
	st = it->ops->next(rt, it, out);
	rt->depth--;
	it->h.flags &= (uint8_t)~VT_F_BUSY;
	return st;
}

static void
cancel(vt_sched *s, vt_task *t)
{
	if (t->cancelled)
		return;
	t->cancelled = true;
	if (t->joined != NULL)
		cut(s, t->joined);
	if (t->waiting == WAIT_NONE || t->waiting == WAIT_JOIN)
		return;
	(void)raise_cancelled(s->rt);
	t->notified = true;
	vt_wake_failed(s, t, vt_exc_take(s->rt));
}

void
vt_task_cancel(vt_rt *rt, uint64_t id)
{
	vt_sched *s = rt->s->sched;
	for (vt_task *t = s->main.next; t != &s->main; t = t->next)
		if (t->id == id) {
			cancel(s, t);
			return;
		}
}

/* Again and again: a task that is cancelled may start others before it waits. */
void
vt_tasks_cancel(vt_rt *rt)
{
	vt_sched *s = rt->s->sched;
	vt_value pending;
	if (s == NULL)
		return;
	pending = vt_pending(rt) ? vt_exc_take(rt) : VT_UNDEF;
	while (s->nalive > (s->current == &s->main ? 0u : 1u) || s->ready.head != NULL) {
		for (vt_task *t = s->main.next; t != &s->main; t = t->next)
			if (t != s->current)
				cancel(s, t);
		vt_queue_put(&s->ready, &s->current->item);
		(void)vt_block(s, WAIT_NONE);
	}
	if (pending != VT_UNDEF)
		vt_exc_set(rt, pending);
}

void
vt_tasks_destroy(vt_rt *rt)
{
	vt_sched *s = rt->s->sched;
	if (s == NULL)
		return;
	vt_locks_destroy(s);
	vt_stacks_destroy(s->stacks);
	vt_segments_destroy(s);
	free(s->timers);
	free(s->fds);
	free(s->waiters);
	free(s);
	rt->s->sched = NULL;
}

/* For debuggers: VT_LAYOUT. */
static const uint32_t vt_layout_task[] VT_LAYOUT = {offsetof(vt_session, sched),
	offsetof(vt_sched, main), offsetof(vt_sched, current), offsetof(vt_task, next),
	offsetof(vt_task, id), offsetof(vt_task, waiting),
	offsetof(vt_task, local) + offsetof(vt_local, act), offsetof(vt_task, lock),
	offsetof(vt_task, joined), offsetof(vt_task, sp)};
