/*
 * operate_page.c - the pages of the binary of a package: `plan`, `run`, `status`, `logs`,
 * `undeploy` and `drift` with --html.
 *
 * templates/graph/page.html shows them: objects as a graph, logs, and what the command has found.
 */
#include "runtime/cloud/cloud.h"
#include "runtime/program/deploy.h"
#include "runtime/program/logs.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/core/printable.h"
#include "runtime/text/outfile.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

void
vt_deploy_log_end(const vt_deploy *c, const char *verb, const char *word, vt_buf *log)
{
	char *state = vt_deploy_state_path(c), *dir = vt_deploy_logs_of(state);
	const vt_logs o = {.self = c->self, .dir = dir, .file = verb, .word = word};
	(void)vt_logs_ends(&o, NULL, log);
	free(dir);
	free(state);
}

int
vt_deploy_put_page(vt_deploy *c, const mugl *g, const vt_buf *log, const char *more)
{
	vt_buf data = {0}, page = {0}, all = {0};
	mugl_problems bad = {0};
	bool ok = true;
	if (log == NULL)
		vt_deploy_log_end(c, NULL, NULL, &all);
	else
		vt_buf_put(&all, log->p ? log->p : "", log->n);
	vt_buf_puts(&data, "{\"title\":");
	vt_put_json_repaired(&data, vt_deploy_name(c), strlen(vt_deploy_name(c)));
	vt_buf_puts(&data, ",\"graph\":");
	if (g != NULL)
		ok = mugl_write(g, 0, &data, &bad);
	else
		vt_buf_puts(&data, "{}");
	vt_buf_puts(&data, ",\"log\":");
	vt_put_json_repaired(&data, all.n ? all.p : "", all.n);
	vt_buf_puts(&data, more);
	vt_buf_putc(&data, '}');
	vt_put_graph_page(&page, data.p, data.n);
	ok = ok && vt_put_output(c->self, c->o->html, &page, VT_FILE_PRIVATE | VT_FILE_DURABLE);
	mugl_problems_print(&bad, c->o->html, NULL, 0, stderr);
	mugl_problems_free(&bad);
	vt_buf_free(&all);
	vt_buf_free(&data);
	vt_buf_free(&page);
	return ok ? DONE : FAILED;
}

/* "run": {"status", "seconds", "why"?, "result"?, "effects"?} */
static void
put_run(const vt_deploy *c, vt_rt *rt, vt_buf *b, const char *why, const vt_buf *result)
{
	const char *status = vt_deploy_ended_as(c, why == NULL);
	vt_buf_puts(b, ",\"run\":{\"status\":");
	vt_json_str(b, status, strlen(status));
	vt_buf_printf(b, ",\"seconds\":%.3f", vt_clock() - c->began);
	if (why != NULL) {
		vt_buf_puts(b, ",\"why\":");
		vt_put_json_repaired(b, why, strlen(why));
	}
	if (result->n > 0) {
		vt_buf_puts(b, ",\"result\":");
		vt_buf_put(b, result->p, result->n);
	}
	if (rt->s->dry_run) {
		vt_value effects = vt_effects(rt);
		vt_buf_puts(b, ",\"effects\":");
		vt_encode_result(rt, b, effects);
		vt_release(effects);
	}
	vt_buf_putc(b, '}');
}

bool
vt_deploy_put_run_page(vt_deploy *c, vt_rt *rt, const char *why, const vt_buf *result)
{
	vt_buf more = {0}, log = {0};
	mugl *g = rt->s->root == VT_NULL ? NULL : mugl_from_model(rt, rt->s->root);
	bool ok;
	if (g == NULL)
		vt_exc_clear(rt); /* the page has no objects then; the answer says what is wrong */
	if (c->log != NULL)
		vt_deploy_log_end(c, c->undoes ? "undeploy" : "run", NULL, &log);
	put_run(c, rt, &more, why, result);
	vt_buf_putc(&more, '\0');
	ok = vt_deploy_put_page(c, g, &log, more.p) == DONE;
	mugl_free(g);
	vt_buf_free(&more);
	vt_buf_free(&log);
	return ok;
}
