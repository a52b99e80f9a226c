/*
 * agent.c - `vetro agent --batch`: the simulated agent alone, one plan a line.
 *
 * {"plan", "scripts"?: {name: [{"exitCode", "stdout", "stderr"}...]}} -> {"ErrorCode", "Body",
 * "commandlines"}; docs/dry-run.md has an example.
 */
#include "compiler/cmd/cmd.h"
#include "runtime/call/call.h"
#include "runtime/sim/plan.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 200 };

typedef struct request {
	vt_rt *rt;
	vt_value scripts; /* of the request, or VT_UNDEF */
	vt_dict *calls;   /* script -> how often it was called */
} request;

/* The outcomes of a script stand in the order of its calls; behind them it goes well. */
static vt_value
outcome(void *ctx, const char *script, const char *commandline)
{
	request *r = ctx;
	vt_value all = vt_is(r->scripts, DICT) ? vt_dict_get_c(vt_as_dict(r->scripts), script)
					       : VT_UNDEF,
		 n = vt_dict_get_c(r->calls, script);
	int64_t i = n == VT_UNDEF ? 0 : vt_toint(n);
	(void)commandline;
	vt_dict_set_c(r->rt, r->calls, script, vt_mkint(i + 1));
	return vt_is_sequence(all) && i < vt_as_list(all)->n ? vt_as_list(all)->v[i] : VT_NULL;
}

static void
put_error(vt_buf *b, const char *why)
{
	vt_buf_puts(b, "{\"error\":{\"type\":\"bad_request\",\"message\":");
	vt_json_str(b, why, strlen(why));
	vt_buf_puts(b, "}}\n");
}

static void
run(vt_rt *rt, vt_value plan, vt_value scripts, vt_buf *b)
{
	request r = {.rt = rt, .scripts = scripts, .calls = vt_dict_new_hashed(rt, false)};
	sim_plan_answer a;
	sim_plan_run(rt, plan, outcome, &r, &a);
	if (a.sent)
		vt_buf_printf(b, "{\"ErrorCode\":%d,\"Body\":", a.code);
	else
		vt_buf_puts(b, "{\"ErrorCode\":null,\"Body\":");
	vt_json_write(rt, b, a.body, 0);
	vt_buf_puts(b, ",\"commandlines\":");
	vt_json_write(rt, b, a.commandlines, 0);
	vt_buf_puts(b, "}\n");
	sim_plan_drop(&a);
	vt_release(vt_mkptr(r.calls));
}

static void
answer(void *ctx, const char *line, size_t n)
{
	vt_rt *rt = vt_rt_new(NULL); /* a plan leaves nothing behind for the next */
	vt_value v = VT_UNDEF, plan, scripts;
	char *err = NULL;
	vt_buf b = {0};

	(void)ctx;
	if (!vt_json_read(rt, line, n, 0, DEPTH, &v, &err)) {
		put_error(&b, err != NULL ? err : "no JSON");
	} else {
		plan = vt_is(v, DICT) ? vt_dict_get_c(vt_as_dict(v), "plan") : VT_UNDEF;
		scripts = vt_is(v, DICT) ? vt_dict_get_c(vt_as_dict(v), "scripts") : VT_UNDEF;
		if (plan == VT_UNDEF)
			put_error(&b, "a request is an object with a plan");
		else
			run(rt, plan, scripts, &b);
		vt_release(v);
	}
	fwrite(b.p, 1, b.n, stdout);
	fflush(stdout);
	vt_buf_free(&b);
	free(err);
	vt_rt_free(rt);
}

int
cmd_agent_batch(cmd_options *a)
{
	(void)a;
	return vc_each_line(answer, NULL);
}
