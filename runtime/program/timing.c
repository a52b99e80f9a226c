/* timing.c - `time` of a deploy binary: the run of a model again and again, for `vetro bench`. */
#include "runtime/program/deploy.h"
#include "runtime/program/exception.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/object/object.h"
#include "runtime/text/limit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_RUNS = 10000 };
struct timing {
	double load, call; /* seconds */
};

struct clocks {
	double wall, cpu;
};

static double
clock_seconds(clockid_t which)
{
	struct timespec t;
	clock_gettime(which, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Reading the processor's clock is slow and stays outside of the elapsed time. */
static struct clocks
clocks_start(void)
{
	double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
	return (struct clocks){clock_seconds(CLOCK_MONOTONIC), cpu};
}

/* The smaller of elapsed and processor time: on a busy machine the first grows with what others
 * do. */
static double
clocks_since(struct clocks start)
{
	double wall = clock_seconds(CLOCK_MONOTONIC) - start.wall;
	double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - start.cpu;
	return cpu > 0 && cpu < wall ? cpu : wall;
}

static vt_status
call_repeatedly(vt_deploy *c, vt_rt *rt, vt_value args, vt_value kwargs, double times)
{
	const char *method = c->o->call ? c->o->call : "deploy";
	vt_value target = VT_UNDEF, out = VT_UNDEF;
	vt_status st = vt_deploy_target(c, rt, &target);
	if (st == VT_OK && target == VT_NULL)
		return vt_raise(
			rt, VT_E_VALUE, "the model has no Objects: there is nothing to call");
	for (double i = 0; st == VT_OK && i < times; i++) {
		st = vt_deploy_call_public(rt, target, method, args, kwargs, &out);
		vt_clear(&out);
	}
	vt_release(target);
	return st;
}

/* A session of its own: an earlier run has left nothing that this one could find done. */
static int
time_once(vt_deploy *c, double times, struct timing *t)
{
	vt_value model = VT_UNDEF, args = VT_NULL, kwargs = VT_NULL;
	struct clocks begin;
	int rc;
	vt_rt *rt = vt_deploy_open(c, &rc);
	if (rt == NULL)
		return rc;
	rc = vt_deploy_read_model(c, rt, c->o->model, &model) ? DONE : FAILED;
	if (rc == DONE && !vt_deploy_arguments(c, rt, &args, &kwargs))
		rc = USAGE;
	if (rc == DONE) {
		vt_status st;
		begin = clocks_start();
		st = vt_load_model(rt, model, VT_NULL) ? VT_OK : VT_ERROR;
		t->load = clocks_since(begin);
		begin = clocks_start();
		if (st == VT_OK)
			st = call_repeatedly(c, rt, args, kwargs, times);
		t->call = clocks_since(begin);
		if (st != VT_OK) {
			vt_exception_print(c->self, NULL, NULL, vt_pending(rt));
			vt_exc_clear(rt);
			rc = FAILED;
		}
	}
	vt_release(model);
	vt_release(args);
	vt_release(kwargs);
	vt_rt_free(rt);
	return rc;
}

static int
by_load(const void *a, const void *b)
{
	double x = ((const struct timing *)a)->load, y = ((const struct timing *)b)->load;
	return (x > y) - (x < y);
}

static int
by_call(const void *a, const void *b)
{
	double x = ((const struct timing *)a)->call, y = ((const struct timing *)b)->call;
	return (x > y) - (x < y);
}

int
vt_deploy_time(vt_deploy *c)
{
	double begin = clock_seconds(CLOCK_MONOTONIC), load;
	struct timing *t;
	int n = 0, rc;
	t = vt_xmalloc(MOST_RUNS * sizeof *t);
	rc = time_once(c, c->o->repeat, t); /* warms up, and is not counted */
	while (rc == DONE && n < MOST_RUNS &&
		(n == 0 || clock_seconds(CLOCK_MONOTONIC) - begin < c->o->seconds))
		rc = time_once(c, c->o->repeat, &t[n++]);
	if (rc == DONE) {
		qsort(t, (size_t)n, sizeof *t, by_load);
		load = t[n / 2].load;
		qsort(t, (size_t)n, sizeof *t, by_call);
		printf("{\"runs\":%d,\"load\":%.9g,\"call\":%.9g,\"peak\":%ld}\n", n, load,
			t[n / 2].call / c->o->repeat, vt_peak_bytes());
		rc = fflush(stdout) == 0 ? DONE : FAILED;
	}
	free(t);
	return rc;
}
