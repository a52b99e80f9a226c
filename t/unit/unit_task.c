/*
 * unit_task.c - green threads: TAP.  Tasks are C functions here; t/murano/parallel.t is about
 * MuranoPL.
 *
 * `unit_task N` measures instead: N tasks at a time that sleep(0) once, and N that do one addition;
 * `unit_task N switch` N switches between two tasks, and in a ring of 1000.
 * In a torture build with VETRO_TORTURE_SEED tasks run in any order: what was done counts then.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <stdio.h>

static bool any_order;

/* What tasks did, in order. */
struct log {
	vt_buf b;
	double unit;
	int inside;
	bool mixed;
};

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
sort_words(char *text)
{
	char *copy = vt_xstrdup(text), *word[256], *at = text;
	size_t n = 0;
	for (char *w = strtok(copy, " "); w != NULL; w = strtok(NULL, " "))
		word[n++] = w;
	qsort(word, n, sizeof *word, by_text);
	for (size_t i = 0; i < n; i++)
		at += sprintf(at, "%s ", word[i]);
	free(copy);
}

static void
said(struct log *l, const char *want, const char *what)
{
	char *expected = vt_xstrdup(want);
	vt_buf_putc(&l->b, '\0');
	if (any_order) {
		sort_words(l->b.p);
		sort_words(expected);
	}
	ok(strcmp(l->b.p, expected) == 0, what);
	if (strcmp(l->b.p, expected) != 0)
		printf("#      got: %s\n# expected: %s\n", l->b.p, expected);
	l->b.n = 0;
	free(expected);
}

/* ---- order ------------------------------------------------------------------------------- */

static vt_status
step_twice(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	struct log *l = data;
	vt_buf_printf(&l->b, "a%u ", i);
	VT_TRY(vt_sleep(rt, 0));
	vt_buf_printf(&l->b, "b%u ", i);
	return VT_OK;
}

static vt_status
later_first(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	struct log *l = data;
	VT_TRY(vt_sleep(rt, (double)(4 - i) * l->unit));
	vt_buf_printf(&l->b, "%u ", i);
	return VT_OK;
}

/* Two times; at each of them those that came first are the first to go on. */
static vt_status
at_one_time(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	struct log *l = data;
	VT_TRY(vt_sleep(rt, i % 2 == 0 ? 2 : 1));
	vt_buf_printf(&l->b, "%u ", i);
	return VT_OK;
}

static vt_status
nested(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	struct log *l = data;
	vt_buf_printf(&l->b, "<%u ", i);
	VT_TRY(vt_run_all(rt, 2, 0, step_twice, l, out));
	vt_buf_printf(&l->b, "%u> ", i);
	return VT_OK;
}

static vt_status
slow_first(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	struct log *l = data;
	vt_buf_printf(&l->b, "a%u ", i);
	VT_TRY(vt_sleep(rt, i == 0 ? 10 : 0));
	vt_buf_printf(&l->b, "b%u ", i);
	return VT_OK;
}

/* Of three that start together the first ends at once, so that its place is free before they all
 * run. */
static vt_status
quick_first(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	struct log *l = data;
	vt_buf_printf(&l->b, "a%u ", i);
	if (i == 0)
		return VT_OK;
	VT_TRY(vt_sleep(rt, 0));
	vt_buf_printf(&l->b, "b%u ", i);
	return VT_OK;
}

static void
test_order(vt_rt *rt)
{
	struct log l = {.unit = 1};
	vt_value out = VT_UNDEF;
	vt_run_all(rt, 3, 0, step_twice, &l, &out);
	said(&l, "a0 a1 a2 b0 b1 b2 ", "sleep(0) lets the others run, in order");
	vt_run_all(rt, 3, 1, step_twice, &l, &out);
	said(&l, "a0 b0 a1 b1 a2 b2 ", "one at a time");
	vt_run_all(rt, 4, 2, step_twice, &l, &out);
	said(&l, "a0 a1 b0 b1 a2 a3 b2 b3 ", "two at a time");
	vt_run_all(rt, 4, 0, later_first, &l, &out);
	said(&l, "3 2 1 0 ", "timers go off in the order of their time");
	vt_run_all(rt, 9, 0, at_one_time, &l, &out);
	said(&l, "1 3 5 7 0 2 4 6 8 ", "those of one time in the order in which they were set");
	vt_run_all(rt, 2, 0, nested, &l, &out);
	said(&l, "<0 <1 a0 a1 a0 a1 b0 b1 b0 b1 0> 1> ", "groups in tasks");
	vt_run_all(rt, 7, 2, slow_first, &l, &out);
	said(&l, "a0 a1 b1 a2 b2 a3 b3 b0 a4 a5 b4 b5 a6 b6 ",
		"a slow first one holds back those far behind");
	vt_run_all(rt, 5, 3, quick_first, &l, &out);
	said(&l, "a0 a1 a2 b1 b2 a3 b3 a4 b4 ", "one that ends while others of its group start");
	vt_run_all(rt, 0, 0, step_twice, &l, &out);
	said(&l, "", "no task at all");
	vt_buf_free(&l.b);
}

static void
test_clock(vt_rt *rt)
{
	int64_t at = vt_task_clock(rt);
	struct log l = {.unit = 1e6};
	vt_value out = VT_UNDEF;
	vt_run_all(rt, 4, 0, later_first, &l, &out);
	ok(vt_task_clock(rt) - at == INT64_C(4000000) * 1000000000,
		"virtual time jumps to the next timer");
	vt_virtual_time(rt, false);
	l.unit = 0.002;
	at = vt_task_clock(rt);
	vt_run_all(rt, 4, 0, later_first, &l, &out);
	ok(vt_task_clock(rt) - at >= 8000000, "real time does not");
	vt_virtual_time(rt, true);
	vt_buf_free(&l.b);
}

/* ---- results ----------------------------------------------------------------------------- */

static vt_status
fail_late(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	VT_TRY(vt_sleep(rt, i == 1 ? 5 : 1));
	*(uint32_t *)data += 1;
	if (i == 2) {
		*out = vt_str_c(rt, "returned");
		return VT_RETURN;
	}
	return i >= 1 ? vt_raise(rt, VT_E_VALUE, "task %u", i) : VT_OK;
}

static vt_status
return_value(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	*out = vt_str_printf(rt, "value %u", i);
	return i == 0 ? VT_OK : VT_RETURN;
}

static void
test_results(vt_rt *rt)
{
	uint32_t n = 0;
	vt_value out = VT_UNDEF;
	ok(vt_run_all(rt, 4, 0, fail_late, &n, &out) == VT_ERROR && n == 4, "all run to their end");
	ok(strcmp(vt_as_str(vt_pending(rt)->message)->s, "task 1") == 0,
		"the first by position wins");
	vt_exc_clear(rt);
	ok(vt_run_all(rt, 3, 0, return_value, NULL, &out) == VT_RETURN &&
			strcmp(vt_as_str(out)->s, "value 1") == 0,
		"a returned value");
	vt_release(out);
}

/* ---- depth ------------------------------------------------------------------------------- */

struct deep {
	uint32_t left, most;
};

static vt_status deeper(vt_rt *, void *);

/* As vt_invoke does it. */
static vt_status
deep(vt_rt *rt, struct deep *d)
{
	volatile char frame[600];
	vt_status st;
	if (vt_stack_low(rt))
		return vt_on_segment(rt, deeper, d);
	if (rt->depth >= rt->max_depth)
		return vt_raise(rt, VT_E_RECURSION, "too deep");
	frame[0] = frame[sizeof frame - 1] = 1;
	rt->depth++;
	d->most = rt->depth > d->most ? rt->depth : d->most;
	st = d->left-- == 0 ? vt_sleep(rt, 0) : deep(rt, d);
	rt->depth--;
	return frame[0] == 1 ? st : VT_ERROR;
}

static vt_status
deeper(vt_rt *rt, void *data)
{
	return deep(rt, data);
}

static vt_status
deep_task(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	struct deep d = {.left = 100 * i, .most = 0};
	vt_status st = deep(rt, &d);
	if (d.most > *(uint32_t *)data)
		*(uint32_t *)data = d.most;
	return st;
}

/* What is left of a stack at the lowest point where anything is called must do for the walks that
 * do not look. */
static vt_status
walk_deep_value(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	volatile char frame[VT_STACK_SLACK + (60 << 10)];
	vt_value *v = data;
	vt_buf b = {0};
	bool same;
	frame[0] = frame[sizeof frame - 1] = 0;
	same = vt_eq(v[0], v[1]);
	(void)vt_hash(v[0]);
	vt_repr(rt, &b, v[0]);
	vt_json_write(rt, &b, v[0], 0);
	vt_encode_result(rt, &b, v[0]);
	vt_buf_free(&b);
	return same || frame[0] == 1 ? VT_OK : VT_RETURN;
}

static vt_value
nest(vt_rt *rt, int n)
{
	vt_value v = vt_mkint(1);
	for (int i = 0; i < n; i++) {
		vt_dict *d = vt_dict_new(rt, true);
		vt_value t = VT_UNDEF;
		vt_dict_set_c(rt, d, "k", v);
		v = vt_mkptr(d);
		vt_tuple_of(rt, 1, &v, &t);
		vt_release(v);
		v = t;
	}
	return v;
}

static void
test_depth(vt_rt *rt)
{
	uint32_t most = 0, max = rt->max_depth;
	vt_value out = VT_UNDEF, v[2] = {nest(rt, 490), nest(rt, 490)};
	rt->max_depth = 2000;
	ok(vt_run_all(rt, 10, 0, deep_task, &most, &out) == VT_OK && most == 901,
		"calls nest beyond a stack");
	rt->max_depth = 5000;
	ok(vt_run_all(rt, 51, 0, deep_task, &most, &out) == VT_ERROR &&
			vt_pending(rt)->type == VT_E_RECURSION,
		"and no deeper than the limit");
	vt_exc_clear(rt);
	rt->max_depth = max;
	ok(vt_run_all(rt, 3, 0, walk_deep_value, v, &out) == VT_OK,
		"values of any depth are walked");
	vt_release(v[0]);
	vt_release(v[1]);
}

/* ---- locks ------------------------------------------------------------------------------- */

static struct vt_method_decl method[2];

struct crossing {
	struct log l;
	uint32_t first, second;
};

static vt_status
cross(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	vt_hold a = {.self = VT_NULL, .key = VT_UNDEF, .method = &method[i]}, b = a, again = a;
	vt_status st;
	b.method = &method[1 - i];
	VT_TRY(vt_lock(rt, &a));
	st = vt_sleep(rt, 1);
	if (st == VT_OK && (st = vt_lock(rt, &again)) == VT_OK)
		vt_unlock(rt, &again);
	if (st == VT_OK && (st = vt_lock(rt, &b)) == VT_OK)
		vt_unlock(rt, &b);
	vt_unlock(rt, &a);
	return st;
}

static vt_status
in_turn(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	struct log *l = data;
	vt_hold h = {.self = VT_NULL, .key = VT_UNDEF, .method = &method[0]};
	vt_status st;
	VT_TRY(vt_lock(rt, &h));
	vt_buf_printf(&l->b, "a%u ", i);
	l->mixed |= l->inside++ != 0;
	st = vt_sleep(rt, 0);
	l->mixed |= --l->inside != 0;
	vt_buf_printf(&l->b, "b%u ", i);
	vt_unlock(rt, &h);
	return st;
}

static void
test_locks(vt_rt *rt)
{
	static struct {
		vt_head h;
		uint32_t bytes, points;
		uint64_t hash;
		char s[4];
	} name = {{VT_IMMORTAL, VT_K_STR, VT_F_ASCII, 0}, 3, 3, 0, "met"};
	static vt_class_decl cls;
	struct log l = {0};
	vt_value out = VT_UNDEF;
	const uint32_t none = rt->nlocks; /* one in a torture build: torture.c */
	cls.name = method[0].name = method[1].name = (const vt_str *)&name;
	method[0].cls = method[1].cls = &cls;
	vt_run_all(rt, 3, 0, in_turn, &l, &out);
	said(&l, "a0 b0 a1 b1 a2 b2 ", "one task at a time, in the order in which they came");
	ok(rt->nlocks == none && !l.mixed, "no lock is left");
	ok(vt_run_all(rt, 2, 0, cross, &l, &out) == VT_ERROR &&
			vt_pending(rt)->type == VT_E_DEADLOCK,
		"two that wait for each other");
	ok(strstr(vt_as_str(vt_pending(rt)->message)->s, "met.met, which task ") != NULL,
		"are told");
	vt_exc_clear(rt);
	ok(rt->nlocks == none && rt->holds == NULL, "and their locks are free again");
	vt_buf_free(&l.b);
}

/* ---- descriptors, cancelling ------------------------------------------------------------- */

static vt_status
talk(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	int *fd = data, ready = 0;
	char c = 'x';
	if (i == 1) {
		VT_TRY(vt_sleep(rt, 0.01));
		return write(fd[1], &c, 1) == 1 ? VT_OK : VT_RETURN;
	}
	VT_TRY(vt_wait_fd(rt, fd[0], VT_FD_READ, i == 2 ? 0.001 : -1, &ready));
	if (i == 2)
		return ready == VT_FD_TIMEOUT ? VT_OK : VT_RETURN;
	return ready == VT_FD_READ && read(fd[0], &c, 1) == 1 ? VT_OK : VT_RETURN;
}

static vt_status
background(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	vt_value held = vt_str_c(rt, "held by a task that is cancelled");
	vt_status st = vt_sleep(rt, 1e8);
	vt_release(held);
	*(int *)data += st == VT_ERROR && vt_pending(rt)->type == VT_E_CANCELLED;
	return st;
}

static vt_status
background_group(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	return vt_run_all(rt, 5, 2, background, data, out);
}

static void
done(void *data)
{
	*(int *)data += 100;
}

static void
test_io(vt_rt *rt)
{
	int fd[2], n = 0;
	vt_value out = VT_UNDEF;
	if (pipe(fd) != 0)
		exit(1);
	vt_virtual_time(rt, false);
	ok(vt_run_all(rt, 3, 0, talk, fd, &out) == VT_OK, "a descriptor, and a timeout");
	vt_virtual_time(rt, true);
	close(fd[0]);
	close(fd[1]);
	vt_spawn(rt, background, &n, done);
	vt_spawn(rt, background_group, &n, done);
	vt_sleep(rt, 1);
	vt_tasks_cancel(rt);
	ok(n == 203 && vt_pending(rt) == NULL, "tasks in the background are unwound");
}

/* ---- many -------------------------------------------------------------------------------- */

static vt_status
nap(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	VT_TRY(vt_sleep(rt, 0));
	*(uint64_t *)data += i;
	return VT_OK;
}

static vt_status
sum(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	*(uint64_t *)data += i;
	return VT_OK;
}

static double
seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
measure(vt_rt *rt, const char *what, uint32_t n, vt_task_fn fn)
{
	struct rusage u;
	uint64_t total = 0;
	vt_value out = VT_UNDEF;
	for (int round = 0; round < 3; round++) {
		double at = seconds();
		vt_run_all(rt, n, 0, fn, &total, &out);
		at = seconds() - at;
		getrusage(RUSAGE_SELF, &u);
		printf("%s: %.0f ns a task, %.2f KB a task at most\n", what, at * 1e9 / n,
			(double)u.ru_maxrss / n);
	}
}

struct turns {
	uint32_t each;
	uint64_t done;
};

/* Each sleep(0) is a turn for the next. */
static vt_status
yield(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	struct turns *t = data;
	for (uint32_t k = 0; k < t->each; k++) {
		VT_TRY(vt_sleep(rt, 0));
		t->done++;
	}
	return VT_OK;
}

static void
measure_switch(vt_rt *rt, uint32_t tasks, uint32_t n)
{
	struct turns t = {.each = n / tasks};
	vt_value out = VT_UNDEF;
	for (int round = 0; round < 5; round++) {
		double at = seconds();
		t.done = 0;
		vt_run_all(rt, tasks, 0, yield, &t, &out);
		at = seconds() - at;
		printf("%u tasks in turn: %.1f ns a switch\n", tasks, at * 1e9 / (double)t.done);
	}
}

static void
test_many(vt_rt *rt)
{
	enum { N = 20000 };
	struct turns turns = {.each = 50};
	uint64_t total = 0;
	vt_value out = VT_UNDEF;
	vt_run_all(rt, 1000, 0, yield, &turns, &out);
	ok(turns.done == 50000, "1,000 tasks take 50 turns each");
	vt_run_all(rt, N, 0, nap, &total, &out);
	vt_run_all(rt, N, 100, nap, &total, &out);
	vt_run_all(rt, N, 0, sum, &total, &out);
	ok(total == 3 * (uint64_t)N * (N - 1) / 2, "20,000 tasks at a time");
}

int
main(int argc, char **argv)
{
	const char *seed = getenv("VETRO_TORTURE_SEED");
	vt_rt *rt = vt_rt_new(NULL);
	if (argc > 1) {
		uint32_t n = (uint32_t)strtoul(argv[1], NULL, 10);
		if (argc > 2) {
			measure_switch(rt, 2, n);
			measure_switch(rt, 1000, n);
			vt_rt_free(rt);
			return 0;
		}
		measure(rt, "one addition", n, sum);
		measure(rt, "sleep(0)", n, nap);
		vt_rt_free(rt);
		return 0;
	}
	any_order = seed != NULL && strcmp(seed, "0") != 0;
	vt_virtual_time(rt, true);
	test_order(rt);
	test_clock(rt);
	test_results(rt);
	test_depth(rt);
	test_locks(rt);
	test_io(rt);
	test_many(rt);
	ok(vt_task_id(rt) == 0 && rt->depth == 0 && rt->act == NULL, "the first task is as it was");
	vt_rt_free(rt);
	printf("1..%d\n", tests);
	return failures != 0;
}
