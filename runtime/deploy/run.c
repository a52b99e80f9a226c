/*
 * run.c - doing a plan.
 *
 * A few tasks take the steps that are ready, the first in the order of the plan first; marks are
 * done by whoever reaches them.  Who has nothing to do waits for an event descriptor, on the poll
 * that also waits for the processes, and is woken once for each step that has become ready.  After
 * a failure what waits for the failed step is blocked, and the rest goes on.
 */
#define _GNU_SOURCE
#include "runtime/deploy/progress.h"
#include "runtime/core/exception.h"
#include "runtime/task/task.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const double TICK = 0.2; /* seconds */

/* ---- steps that are ready: a heap by their place in the plan ---- */

static void
put_ready(vt_tdeploy *d, uint32_t a)
{
	uint32_t i = d->nready++;
	while (i > 0 && d->ready[(i - 1) / 2] > a) {
		d->ready[i] = d->ready[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	d->ready[i] = a;
}

static uint32_t
take_ready(vt_tdeploy *d)
{
	uint32_t first = d->ready[0], last = d->ready[--d->nready], i = 0;
	for (uint32_t k; (k = 2 * i + 1) < d->nready; i = k) {
		if (k + 1 < d->nready && d->ready[k + 1] < d->ready[k])
			k++;
		if (last <= d->ready[k])
			break;
		d->ready[i] = d->ready[k];
	}
	d->ready[i] = last;
	return first;
}

static void
wake(int events, uint64_t n)
{
	ssize_t k;
	do
		k = write(events, &n, sizeof n);
	while (k < 0 && errno == EINTR);
}

/* ---- what an end brings ---- */

static void reach(vt_tdeploy *, uint32_t first);
static void begin_handlers(vt_tdeploy *, vt_taction *);

/* What comes behind a step that has ended. Marks are walked from a list, not by recursion: chains
 * are long. */
static uint32_t
free_next(vt_tdeploy *d, const vt_taction *a, uint32_t *marks, uint32_t n)
{
	vt_tplan *p = d->plan;
	for (uint32_t k = 0; k < a->nnext; k++) {
		vt_taction *next = &p->a[p->edge[a->next + k]];
		if (next->waits > 0 && --next->waits == 0 && next->status == VT_TW_WAITING)
			marks[n++] = (uint32_t)(next - p->a);
	}
	return n;
}

static void
finish(vt_tdeploy *d, vt_taction *a)
{
	a->status = VT_TW_DONE;
	d->done++;
}

/* Everything that is reached from here without work. */
static void
reach(vt_tdeploy *d, uint32_t first)
{
	uint32_t *marks = vt_xmalloc((d->plan->n + 1) * sizeof *marks), n = 0, woken = 0;
	marks[n++] = first;
	while (n) {
		vt_taction *a = &d->plan->a[marks[--n]];
		if (a->had_failed && a->status != VT_TW_DONE) {
			begin_handlers(d, a);
			continue;
		}
		if (vt_tprogress_counts(a) && a->status != VT_TW_DONE) {
			a->status = VT_TW_READY;
			put_ready(d, (uint32_t)(a - d->plan->a));
			woken++;
			continue;
		}
		if (a->status != VT_TW_DONE) {
			if (a->off)
				;
			else if (!a->was || (d->plan->undo && a->role == VT_TL_DELETE) ||
				 vt_troles[a->role].after)
				(void)vt_tstate_done(d->state, d->plan, a);
			finish(d, a);
		}
		n = free_next(d, a, marks, n);
	}
	free(marks);
	if (woken)
		wake(d->wake, woken);
}

/* What waits for it, whatever else it waits for, is never done. */
static void
block_next(vt_tdeploy *d, const vt_taction *failed)
{
	vt_tplan *p = d->plan;
	uint32_t *list = vt_xmalloc((p->n + 1) * sizeof *list), n = 0;
	list[n++] = (uint32_t)(failed - p->a);
	while (n) {
		const vt_taction *a = &p->a[list[--n]];
		for (uint32_t k = 0; k < a->nnext; k++) {
			vt_taction *next = &p->a[p->edge[a->next + k]];
			if (next->status == VT_TW_BLOCKED)
				continue;
			next->status = VT_TW_BLOCKED;
			d->done++;
			list[n++] = (uint32_t)(next - p->a);
		}
	}
	free(list);
}

/* What begins because this one has failed, be it what waits for others too. */
static void
begin_handlers(vt_tdeploy *d, vt_taction *a)
{
	vt_tplan *p = d->plan;
	a->status = VT_TW_FAILED;
	block_next(d, a);
	for (uint32_t k = 0; k < a->nhandlers; k++) {
		vt_taction *h = &p->a[p->handler[a->handler + k]];
		if (h->status == VT_TW_WAITING || h->status == VT_TW_BLOCKED) {
			h->status = VT_TW_WAITING;
			h->waits = 0;
			reach(d, (uint32_t)(h - p->a));
		}
	}
}

/* ---- work ---- */

static void
end_if_over(vt_tdeploy *d)
{
	if (d->over || d->running || d->nready)
		return;
	d->over = true;
	wake(d->wake, d->workers);
	wake(d->tick, 1);
}

static bool
ended_well(vt_tdeploy *d, vt_taction *a)
{
	if (!vt_tstate_done(d->state, d->plan, a))
		return false;
	finish(d, a);
	a->ended = vt_clock();
	d->ran++;
	vt_tprogress_event(d, a, a->passed ? "passed over" : "done", NULL);
	return true;
}

/* False: nothing may begin that cannot be written down. */
static bool
begin(vt_tdeploy *d, vt_taction *a)
{
	bool ok = vt_tstate_started(d->state, d->plan, a);
	if (!ok) {
		d->failures++;
		d->nready = 0;
		a->status = VT_TW_FAILED;
	} else {
		vt_tprogress_event(d, a, "...", NULL);
	}
	return ok;
}

static vt_status
work_on(vt_tdeploy *d, vt_taction *a)
{
	char *why = NULL;
	vt_status st = VT_OK;
	double again = 0;
	a->status = VT_TW_RUNNING;
	a->began = vt_clock();
	if (!vt_tosca_passes(d, a, &why) && why == NULL) {
		d->running++;
		for (uint32_t tries = 1; st == VT_OK && again >= 0; tries++) {
			if (!begin(d, a)) {
				d->running--;
				return VT_OK;
			}
			st = vt_tosca_perform(d, a, tries, &why, &again);
			if (st == VT_OK && why && again >= 0) {
				vt_tprogress_event(d, a, "is tried again", why);
				free(why);
				why = NULL;
				st = vt_sleep(d->rt, again);
			}
		}
		d->running--;
	}
	if (st != VT_OK) {
		free(why);
		return st;
	}
	if (why == NULL && ended_well(d, a)) {
		reach(d, (uint32_t)(a - d->plan->a));
	} else {
		bool handled = why && a->nhandlers && vt_tstate_handled(d->state, d->plan, a);
		d->failures += !handled;
		d->done++;
		a->ended = vt_clock();
		if (why)
			vt_tprogress_event(d, a, "failed", why);
		if (why && !handled)
			(void)vt_tstate_failed(d->state, d->plan, a, why);
		begin_handlers(d, a);
	}
	free(why);
	return VT_OK;
}

/* The last of the tasks lets the seconds of the display go on. */
static vt_status
tick(vt_tdeploy *d)
{
	int ready;
	while (!d->over) {
		VT_TRY(vt_wait_fd(d->rt, d->tick, VT_FD_READ, TICK, &ready));
		if (!d->over)
			vt_tprogress_draw(d);
	}
	return VT_OK;
}

static vt_status
worker(vt_rt *rt, void *data, uint32_t index, vt_value *out)
{
	vt_tdeploy *d = data;
	uint64_t one;
	int ready;
	(void)out;
	if (index == d->workers)
		return tick(d);
	for (;;) {
		while (d->nready > 0 && !d->over)
			VT_TRY(work_on(d, &d->plan->a[take_ready(d)]));
		end_if_over(d);
		if (d->over)
			return VT_OK;
		VT_TRY(vt_wait_fd(rt, d->wake, VT_FD_READ, -1, &ready));
		if (read(d->wake, &one, sizeof one) < 0 && errno != EAGAIN && errno != EINTR)
			return vt_raise(rt, VT_E_RUNTIME, "the event descriptor failed: %s",
				strerror(errno));
	}
}

static void
report_blocked(vt_tdeploy *d)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < d->plan->n; i++)
		n += d->plan->a[i].status == VT_TW_BLOCKED && vt_tprogress_counts(&d->plan->a[i]);
	if (n && (!d->plan->workflow || d->failures))
		vt_say("%s: %u step%s that wait%s for this %s not run\n", d->self, n,
			n > 1 ? "s" : "", n > 1 ? "" : "s", n > 1 ? "were" : "was");
}

static int
run_tasks(vt_tdeploy *d)
{
	vt_value out = VT_UNDEF;
	vt_status st = vt_run_all(d->rt, d->workers + (d->live != NULL), 0, worker, d, &out);
	vt_tprogress_end(d);
	vt_release(out);
	if (st == VT_ERROR) {
		vt_buf b = {NULL, 0, 0};
		vt_exc_str(d->rt, &b, vt_pending(d->rt));
		vt_say("%s: %.*s; the same command goes on from here\n", d->self, (int)b.n,
			b.p ? b.p : "");
		vt_buf_free(&b);
		vt_exc_clear(d->rt);
		return 1;
	}
	report_blocked(d);
	return d->failures ? 1 : 0;
}

int
vt_tosca_execute(vt_tdeploy *d)
{
	vt_tplan *p = d->plan;
	int rc;
	d->wake = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE | EFD_CLOEXEC);
	d->tick = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (d->wake < 0 || d->tick < 0) {
		vt_say("%s: there is no event descriptor: %s\n", d->self, strerror(errno));
		if (d->wake >= 0)
			close(d->wake);
		return 1;
	}
	vt_tprogress_begin(d);
	d->ready = vt_xmalloc((p->n + 1) * sizeof *d->ready);
	d->nready = d->running = d->done = d->failures = 0;
	d->over = false;
	for (uint32_t i = 0; i < p->n; i++)
		if (p->a[i].nbefore == 0 && !p->a[i].held)
			reach(d, i);
	rc = run_tasks(d);
	free(d->ready);
	close(d->wake);
	close(d->tick);
	return rc;
}

/* ---- what a run did ---- */

static const char *
ended_as(const vt_taction *a)
{
	if (a->status == VT_TW_DONE)
		return a->passed ? "passed over" : "done";
	return a->status == VT_TW_FAILED    ? "failed"
	       : a->status == VT_TW_BLOCKED ? "not run"
	       : a->began > 0               ? "interrupted"
					    : "not run";
}

void
vt_tosca_put_steps(const vt_tdeploy *d, double since, vt_list *to)
{
	vt_rt *rt = d->rt;
	double now = vt_clock();
	for (uint32_t i = 0; i < d->plan->n; i++) {
		const vt_taction *a = &d->plan->a[i];
		vt_buf node = {NULL, 0, 0}, step = {NULL, 0, 0};
		vt_dict *one;
		if (!vt_tprogress_counts(a) || (a->held && !(a->began > 0)))
			continue;
		one = vt_dict_new(rt, true);
		vt_tosca_path(&node, d->t, a->node);
		vt_tplan_step_name(&step, d->plan, a);
		vt_dict_set_c(rt, one, "node", vt_str_take(rt, &node));
		vt_dict_set_c(rt, one, "step", vt_str_take(rt, &step));
		vt_dict_set_c(rt, one, "status", vt_str_c(rt, ended_as(a)));
		if (a->began > 0) {
			double end = a->ended > 0 ? a->ended : now;
			vt_dict_set_c(rt, one, "at", vt_float_new(rt, a->began - since));
			vt_dict_set_c(rt, one, "seconds", vt_float_new(rt, end - a->began));
		}
		vt_list_push(rt, to, vt_mkptr(one));
	}
}

/* ---- --dry-run ---- */

/* Steps with an operation that it waits for: marks in between stand for what they wait for. */
static uint32_t
real_before(const vt_tplan *p, uint32_t of, uint32_t *seen, uint32_t *stack, uint32_t *out)
{
	uint32_t n = 0, top = 0;
	stack[top++] = of;
	seen[of] = of + 1;
	while (top) {
		const vt_taction *a = &p->a[stack[--top]];
		for (uint32_t k = 0; k < a->nbefore; k++) {
			uint32_t b = p->edge[a->before + k];
			if (seen[b] == of + 1)
				continue;
			seen[b] = of + 1;
			if (vt_tprogress_counts(&p->a[b]))
				out[n++] = b;
			else
				stack[top++] = b;
		}
	}
	return n;
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static void
show_step(const vt_tplan *p, vt_buf *b, uint32_t a, uint32_t number, uint32_t *before, uint32_t n)
{
	vt_buf_printf(b, "%4u  ", number);
	vt_tosca_path(b, p->t, p->a[a].node);
	vt_buf_puts(b, ": ");
	vt_tplan_step_name(b, p, &p->a[a]);
	vt_buf_printf(b, "  %s",
		p->a[a].op ? vt_tosca_text(p->t, p->a[a].op->primary)
			   : vt_tosca_text(p->t, p->a[a].activity->name));
	if (n)
		vt_buf_puts(b, "  after ");
	for (uint32_t i = 0; i < n; i++)
		vt_buf_printf(b, "%s%u", i ? ", " : "", before[i]);
	vt_buf_putc(b, '\n');
}

static vt_value
describe_step(const vt_tplan *p, uint32_t a, uint32_t number, const uint32_t *before, uint32_t n)
{
	vt_rt *rt = p->t->rt;
	vt_dict *d = vt_dict_new(rt, true);
	vt_list *after = vt_list_grow(rt, VT_K_TUPLE, n);
	vt_buf node = {NULL, 0, 0}, step = {NULL, 0, 0};
	vt_tosca_path(&node, p->t, p->a[a].node);
	vt_tplan_step_name(&step, p, &p->a[a]);
	vt_dict_set_c(rt, d, "number", vt_mkint(number));
	vt_dict_set_c(rt, d, "node", vt_str_take(rt, &node));
	vt_dict_set_c(rt, d, "step", vt_str_take(rt, &step));
	vt_dict_set_c(rt, d, "file",
		vt_copy(vt_tosca_str(
			p->t, p->a[a].op ? p->a[a].op->primary : p->a[a].activity->name)));
	for (uint32_t i = 0; i < n; i++)
		vt_list_push(rt, after, vt_mkint(before[i]));
	vt_dict_set_c(rt, d, "after", vt_mkptr(after));
	return vt_mkptr(d);
}

uint32_t
vt_tosca_show_plan(const vt_tplan *p, vt_buf *b, vt_list *steps, uint32_t from)
{
	size_t size = (p->n + 1) * sizeof(uint32_t);
	uint32_t *order = vt_tplan_order(p), *number = vt_xmalloc(size), *seen = vt_xmalloc(size),
		 *stack = vt_xmalloc(size), *before = vt_xmalloc(size), count = from;
	memset(seen, 0, size);
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t a = order[i], n;
		if (!vt_tprogress_counts(&p->a[a]))
			continue;
		number[a] = ++count;
		n = real_before(p, a, seen, stack, before);
		for (uint32_t k = 0; k < n; k++)
			before[k] = number[before[k]];
		if (n)
			qsort(before, n, sizeof *before, by_number);
		show_step(p, b, a, count, before, n);
		if (steps)
			vt_list_push(p->t->rt, steps, describe_step(p, a, count, before, n));
	}
	free(order);
	free(number);
	free(seen);
	free(stack);
	free(before);
	return count - from;
}
