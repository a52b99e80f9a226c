/* bench_work.c - the process in which `vetro bench --query` measures vetro itself. */
#include "compiler/cmd/bench_int.h"
#include "compiler/cmd/cmd.h"
#include "compiler/query/int.h"
#include "compiler/query/compile.h"
#include "runtime/text/limit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double
clock_of(clockid_t which)
{
	struct timespec t;

	clock_gettime(which, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds of one evaluation out of `times`; negative: it failed. */
static double
sample(qr *q, const struct vt_program *p, int times, qr_error *e)
{
	double cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID), wall = clock_of(CLOCK_MONOTONIC);

	for (int i = 0; i < times; i++)
		if (!qr_drop(q, p, e))
			return -1;
	wall = clock_of(CLOCK_MONOTONIC) - wall;
	cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	return (cpu > 0 && cpu < wall ? cpu : wall) / times;
}

static bool
measure(qr *q, const struct vt_program *p, double budget, qr_error *e)
{
	enum { MOST = 2000 };
	double *t = vt_xmalloc(MOST * sizeof *t), one, all = 0;
	uint32_t n = 0;
	int times;

	one = sample(q, p, 1, e) < 0 ? -1 : sample(q, p, 1, e);
	times = one > 0 && one < 1e-4 ? (int)(1e-4 / one) + 1 : 1;
	while (one >= 0 && n < MOST && (n < 3 || all < budget)) {
		one = sample(q, p, times, e);
		if (one >= 0) {
			t[n++] = one;
			all += one * times;
		}
	}
	if (one >= 0)
		printf("{\"runs\":%u,\"call\":%.9g,\"peak\":%ld}\n", n, bench_median(t, n),
			vt_peak_bytes());
	free(t);
	return one >= 0;
}

static void
nothing(void *ctx)
{
	(void)ctx;
}

/* argv: EXPR FILE SECONDS [legacy] */
int
bench_work(int argc, const char *const *argv)
{
	const char *file = argc > 1 ? argv[1] : "";
	bool legacy = argc > 3 && strcmp(argv[3], "legacy") == 0;
	query_args a = {.files = {&file, 1}};
	qr_request r = {.expr = argv[0],
		.n = strlen(argv[0]),
		.legacy = legacy,
		.layers = qr_layers(legacy, false),
		.opt = qr_default_options};
	qr_error e = {.type = NULL};
	const struct vt_program *p = NULL;
	int rc = VC_EINPUT;
	query_input *in;
	qr *q = qr_open();
	qc *code;

	if (argc < 3)
		return VC_EUSAGE;
	if (legacy)
		qr_force_legacy(&r.opt);
	in = query_input_new(&a, a.files.v, a.files.n, q, r.opt.convert_input, nothing, NULL);
	if (query_input_next(in) == QUERY_DOC && (code = qc_compile(&r, 0, &p, &e)) != NULL) {
		rc = measure(q, p, atof(argv[2]), &e) ? VC_OK : VC_EINPUT;
		qr_close(q);
		qc_free(code);
	} else {
		qr_close(q);
	}
	query_input_free(in);
	if (e.message)
		vt_say("vetro bench: %s: %s\n", e.type, e.message);
	qr_error_free(&e);
	return rc;
}
