/*
 * Fuzz target: the reader of graphs.  It agrees with the JSON reader on what is JSON; what it takes
 * is written, read again and written as the same bytes; a graph does not differ from itself; what
 * can be repaired is valid then.   driver.c says how it is run.
 */
#include "runtime/mugl/mugl.h"
#include "runtime/call/call.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { DEPTH = 200, COMPARABLE = 4000 };

static void
must(bool good)
{
	if (!good)
		abort();
}

static void
same_json(vt_rt *rt, const char *text, size_t n, bool taken)
{
	vt_value v = VT_UNDEF;
	bool json;

	if (n > COMPARABLE) /* the other one has a limit on digits */
		return;
	json = vt_json_read(rt, text, n, 0, DEPTH, &v, NULL);
	must(json == taken);
	if (json)
		vt_release(v);
}

static bool
is_syntax(const mugl_problems *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->p[i].code == MUGL_BAD_JSON || p->p[i].code == MUGL_TOO_DEEP)
			return true;
	return p->errors > p->n;
}

static void
again(const mugl *g, bool snapshot)
{
	mugl_options o = {.snapshot = snapshot, .max_depth = DEPTH + 1};
	mugl_problems bad = {0};
	vt_buf a = {0}, b = {0};
	char x[65], y[65];
	mugl *h;

	must(mugl_write(g, 0, &a, &bad));
	h = mugl_read(a.p, a.n, &o, &bad);
	must(h != NULL && bad.errors == 0);
	must(mugl_write(h, 0, &b, &bad));
	must(a.n == b.n && memcmp(a.p, b.p, a.n) == 0);
	mugl_digest(g, x);
	mugl_digest(h, y);
	must(strcmp(x, y) == 0 && (!snapshot || mugl_in_order(h)));
	mugl_free(h);
	vt_buf_free(&a);
	vt_buf_free(&b);
	mugl_problems_free(&bad);
}

static void
plans(const mugl *g)
{
	mugl_plan *p = mugl_diff(g, g, true);
	mugl *empty = mugl_new(NULL);
	vt_buf b = {0};

	must(mugl_plan_empty(p));
	mugl_plan_free(p);
	for (int i = 0; i < 2; i++) {
		p = mugl_diff(i ? empty : g, i ? g : empty, false);
		mugl_plan_json(p, &b);
		mugl_plan_text(p, &b, false);
		mugl_free(mugl_plan_apply(p));
		mugl_plan_free(p);
	}
	mugl_dot(g, &b);
	vt_buf_free(&b);
	mugl_free(empty);
}

static void
shown(const mugl_problems *p, const char *text, size_t n)
{
	vt_buf b = {0};
	FILE *f = fopen("/dev/null", "w");

	for (uint32_t i = 0; i < p->n; i++)
		mugl_problem_json(&b, &p->p[i]);
	if (f) {
		mugl_problems_print(p, "-", text, n, f);
		fclose(f);
	}
	vt_buf_free(&b);
}

static void
once(vt_rt *rt, const char *text, size_t n, bool snapshot, bool compare)
{
	mugl_options o = {.snapshot = snapshot, .max_depth = DEPTH};
	mugl_problems bad = {0};
	mugl *g = mugl_read(text, n, &o, &bad), *s;
	mugl_problems more = {0};

	if (compare)
		same_json(rt, text, n, !is_syntax(&bad));
	if (g && bad.errors == 0) {
		again(g, snapshot);
		plans(g);
		s = mugl_snapshot(g, &more);
		must(s == NULL || mugl_check(s, true, &more));
		mugl_free(s);
	}
	shown(&bad, text, n);
	mugl_free(g);
	mugl_problems_free(&bad);
	mugl_problems_free(&more);
}

static void
repaired(const char *text, size_t n, bool snapshot)
{
	mugl_options o = {
		.snapshot = snapshot, .lenient = true, .unchecked = true, .max_depth = DEPTH};
	mugl_problems removed = {0}, left = {0};
	mugl *g = mugl_read(text, n, &o, &removed);

	if (g && mugl_repair(g, snapshot, &removed, &left))
		again(g, snapshot);
	shown(&removed, text, n);
	mugl_free(g);
	mugl_problems_free(&removed);
	mugl_problems_free(&left);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	vt_rt *rt = vt_rt_new(NULL);
	char *text = memcpy(vt_xmalloc(n), data, n); /* its end is the end of a block */

	for (int snapshot = 0; snapshot < 2; snapshot++) {
		once(rt, text, n, snapshot, !snapshot);
		repaired(text, n, snapshot);
	}
	free(text);
	vt_rt_free(rt);
	return 0;
}
