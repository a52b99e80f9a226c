/*
 * Fuzz target: the simulated cloud.  A line is {"scenario": ..., "do": [[service, region, method,
 * path, body], [queue, plan]...]}: what the checker of scenarios takes is used for the requests and
 * plans that follow. driver.c says how it is run.
 */
#include "runtime/cloud/cloud.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { DEPTH = 100, MOST = 40 };

static const char *
text(vt_value list, uint32_t i)
{
	vt_value v = i < vt_as_list(list)->n ? vt_as_list(list)->v[i] : VT_NULL;
	return vt_is(v, STR) ? vt_as_str(v)->s : "";
}

static void
ask(vt_rt *rt, vt_value what)
{
	vt_service_request q = {.service = text(what, 0),
		.region = text(what, 1),
		.method = text(what, 2),
		.path = text(what, 3),
		.body = VT_UNDEF};
	vt_service_answer a = {.body = VT_UNDEF};
	vt_buf b = {0};
	vt_cloud *c;
	if (vt_as_list(what)->n > 4)
		q.body = vt_as_list(what)->v[4];
	if (vt_services(rt, &c) != VT_OK || c->request(rt, c->services, &q, &a) != VT_OK) {
		vt_exc_clear(rt);
		return;
	}
	if (a.status < 200 || a.status > 599)
		abort();
	(void)vt_service_check(rt, &q, &a);
	vt_exc_clear(rt);
	vt_json_write(rt, &b, a.body, 0);
	vt_buf_free(&b);
	vt_service_drop(&a);
}

static void
post(vt_rt *rt, vt_value what)
{
	vt_message m = {.id = "m", .body = vt_as_list(what)->v[1]};
	vt_cloud *c;
	if (vt_queues_of(rt, &c) != VT_OK)
		abort();
	(void)c->queues->declare(rt, c->queue_ctx, VT_NULL, "-execution-results-f");
	(void)c->queues->send(rt, c->queue_ctx, VT_NULL, text(what, 0), &m, "", 0);
	vt_exc_clear(rt);
}

static void
run(vt_rt *rt, vt_value all)
{
	for (uint32_t i = 0; vt_is_sequence(all) && i < vt_as_list(all)->n && i < MOST; i++) {
		vt_value what = vt_as_list(all)->v[i];
		if (!vt_is_sequence(what))
			continue;
		if (vt_as_list(what)->n == 2)
			post(rt, what);
		else
			ask(rt, what);
		if (vt_sleep(rt, 3) != VT_OK)
			vt_exc_clear(rt);
	}
}

static void
drop_key(vt_rt *rt, vt_dict *d, const char *name)
{
	vt_value key = vt_str_c(rt, name);
	(void)vt_dict_del(rt, d, key);
	vt_release(key);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	vt_rt *rt = vt_rt_new(NULL);
	vt_value v = VT_UNDEF, scenario;
	char *err = NULL;
	vt_buf shown = {0};
	rt->s->dry_run = true;
	vt_virtual_time(rt, true);
	if (vt_json_read(rt, (const char *)data, n, VT_JSON_MUTABLE, DEPTH, &v, &err) &&
		vt_is(v, DICT)) {
		(void)vt_scenario_check((const char *)data, n, v, &err);
		free(err);
		err = NULL;
		scenario = vt_dict_get_c(vt_as_dict(v), "scenario");
		if (vt_is(scenario, DICT)) {
			vt_json_write(rt, &shown, scenario, 0);
			if (vt_scenario_check(shown.p, shown.n, scenario, &err)) {
				drop_key(rt, vt_as_dict(scenario), "state");
				drop_key(rt, vt_as_dict(scenario), "stop");
				rt->s->scenario = vt_copy(scenario);
			}
			vt_buf_free(&shown);
		}
		run(rt, vt_dict_get_c(vt_as_dict(v), "do"));
	}
	free(err);
	vt_release(v);
	vt_rt_free(rt);
	return 0;
}
