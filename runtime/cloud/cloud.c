/*
 * cloud.c - what a session keeps of the world outside: settings, effects, what has to end with the
 * run.
 */
#include "runtime/cloud/cloud.h"
#include "runtime/core/printable.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/task/task.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static vt_status vt_finish_session(vt_rt *rt);

/* ---- the session's cloud ----------------------------------------------------------------- */

typedef struct vt_ending {
	struct vt_ending *next;
	vt_status (*fn)(vt_rt *, vt_value object);
	vt_value object;
} vt_ending;

static vt_ending *
take_ending(vt_cloud *c)
{
	vt_ending *e = c->endings;
	if (e != NULL)
		c->endings = e->next;
	return e;
}

static void
drop_cloud(vt_rt *rt)
{
	vt_cloud *c = rt->s->cloud;
	for (vt_ending *e; (e = take_ending(c)) != NULL; free(e))
		vt_release(e->object);
	vt_clear(&c->cidrs);
	if (c->drop_services != NULL)
		c->drop_services(c->services);
	if (c->drop_queues != NULL)
		c->drop_queues(c->queue_ctx);
	if (c->drop_sim != NULL)
		c->drop_sim(c->sim);
	free(c);
	rt->s->cloud = NULL;
	rt->s->cloud_drop = NULL;
	rt->s->cloud_finish = NULL;
}

vt_cloud *
vt_cloud_of(vt_rt *rt)
{
	vt_cloud *c = rt->s->cloud;
	if (c != NULL)
		return c;
	c = vt_xzalloc(sizeof *c);
	c->cidrs = VT_UNDEF;
	rt->s->cloud_drop = drop_cloud;
	rt->s->cloud_finish = vt_finish_session;
	return rt->s->cloud = c;
}

void
vt_on_finish(vt_rt *rt, vt_status (*fn)(vt_rt *, vt_value), vt_value object)
{
	vt_cloud *c = vt_cloud_of(rt);
	vt_ending *e = vt_xmalloc(sizeof *e);
	*e = (vt_ending){c->endings, fn, vt_copy(object)};
	c->endings = e;
	rt->s->cloud_busy = true;
}

/* by way of rt->s->cloud_finish */
static vt_status
vt_finish_session(vt_rt *rt)
{
	vt_value first = VT_UNDEF;
	rt->s->cloud_busy = false;
	for (vt_ending *e; (e = take_ending(vt_cloud_of(rt))) != NULL; free(e)) {
		if (e->fn(rt, e->object) != VT_OK && first == VT_UNDEF)
			first = vt_exc_take(rt);
		vt_exc_clear(rt);
		vt_release(e->object);
	}
	if (first == VT_UNDEF)
		return VT_OK;
	vt_exc_set(rt, first);
	return VT_ERROR;
}

/* ---- answers of services ----------------------------------------------------------------- */

/* What an OpenStack service says went wrong: {"error": {"message"}}, {"<Fault>": {"message"}},
 * {"faultstring"}. */
static vt_value
said(vt_value body)
{
	vt_value key, v, m;
	if (!vt_is(body, DICT))
		return vt_is(body, STR) ? body : VT_UNDEF;
	if (vt_is(m = vt_dict_get_c(vt_as_dict(body), "faultstring"), STR))
		return m;
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(body), &i, &key, &v);)
		if (vt_is(v, DICT) && vt_is(m = vt_dict_get_c(vt_as_dict(v), "message"), STR))
			return m;
	m = vt_dict_get_c(vt_as_dict(body), "message");
	if (!vt_is(m, STR))
		m = vt_dict_get_c(vt_as_dict(body), "explanation");
	return vt_is(m, STR) ? m : VT_UNDEF;
}

static enum vt_again
again(int status)
{
	if (status == 429 || (status > 501 && status < 505)) /* nobody has looked at it */
		return VT_AGAIN_ANY;
	return status < 500 && status != 408 ? VT_AGAIN_NEVER : VT_AGAIN_READING;
}

static const char *
advice(const vt_service_answer *a)
{
	if (a->from == NULL)
		return "";
	return a->status == 401
		       ? "; the service takes no token of this Keystone: do both belong together?"
	       : a->status == 403 ? "; the user may not do that in this project: openstack role "
				    "assignment list shows what it may"
	       : a->status == 404 ? "; is the service's address in the catalogue right (openstack "
				    "catalog list)?"
	       : a->status >= 500 ? "; the log of the service has more"
				  : "";
}

bool
vt_service_check(vt_rt *rt, const vt_service_request *q, const vt_service_answer *a)
{
	vt_value why;
	if (a->status < 300)
		return true;
	why = said(a->body);
	vt_cloud_of(rt)->again = again(a->status);
	(void)vt_raise(rt, VT_E_CLOUD, "%s %s (%s%s%s) answered %d%s%s%s", q->method,
		a->from ? a->from : q->path, q->service, q->region && *q->region ? " in " : "",
		q->region ? q->region : "", a->status, why != VT_UNDEF ? ": " : "",
		why != VT_UNDEF ? vt_as_str(why)->s : "", advice(a));
	return false;
}

void
vt_service_drop(vt_service_answer *a)
{
	vt_clear(&a->body);
	free(a->from);
	a->from = NULL;
}

/* ---- effects ----------------------------------------------------------------------------- */

/* The scenario's {"stop": {"effect": n}}: as by kill -9, when the n-th is done. */
static void
stop_at(vt_rt *rt)
{
	vt_value stop = vt_is(rt->s->scenario, DICT)
				? vt_dict_get_c(vt_as_dict(rt->s->scenario), "stop")
				: VT_UNDEF;
	vt_value n = vt_is(stop, DICT) ? vt_dict_get_c(vt_as_dict(stop), "effect") : VT_UNDEF;
	int64_t all = 0;
	for (size_t i = 0; i < VT_EFFECT_KINDS; i++)
		if (rt->s->effects[i] != VT_NULL)
			all += vt_as_list(rt->s->effects[i])->n;
	if (n != VT_UNDEF && vt_is_int(n) && vt_toint(n) == all)
		(void)raise(SIGKILL);
}

void
vt_effect(vt_rt *rt, enum vt_effect_kind kind, vt_value v)
{
	vt_value *list = &rt->s->effects[kind];
	if (!rt->s->dry_run) {
		vt_release(v);
		return;
	}
	if (*list == VT_NULL)
		*list = vt_mkptr(vt_list_grow(rt, VT_K_LIST, 0));
	vt_list_push(rt, vt_as_list(*list), v);
	stop_at(rt);
}

vt_value
vt_effects(vt_rt *rt)
{
	static const char *const name[VT_EFFECT_KINDS] = {"heat", "agent", "reports", "instances"};
	vt_dict *d = vt_dict_new(rt, false);
	for (size_t i = 0; i < VT_EFFECT_KINDS; i++)
		vt_dict_set_c(rt, d, name[i],
			rt->s->effects[i] != VT_NULL ? vt_copy(rt->s->effects[i])
						     : vt_mkptr(vt_list_grow(rt, VT_K_LIST, 0)));
	return vt_mkptr(d);
}

void
vt_notice(vt_rt *rt, const char *event, vt_value payload, bool again)
{
	if (rt->s->noticed != NULL)
		rt->s->noticed(rt, rt->s->noticed_ctx, event, payload, again);
	vt_release(payload);
}

void
vt_keep_notice(vt_rt *rt, void *ctx, const char *event, vt_value payload, bool again)
{
	vt_dict *d = vt_dict_new(rt, false);
	(void)ctx, (void)again;
	if (rt->s->notices == VT_UNDEF)
		rt->s->notices = vt_mkptr(vt_list_grow(rt, VT_K_LIST, 0));
	vt_dict_set_c(rt, d, "event_type", vt_str_c(rt, event));
	vt_dict_set_c(rt, d, "payload", vt_copy(payload));
	vt_list_push(rt, vt_as_list(rt->s->notices), vt_mkptr(d));
}

void
vt_progress(vt_rt *rt, const char *fmt, ...)
{
	vt_buf b = {0};
	va_list ap;
	if (!rt->s->progress && !rt->s->tells && !vt_report_is_logged())
		return;
	if (rt->s->virtual_time)
		vt_buf_printf(&b, "%8.1fs  ", (double)vt_task_clock(rt) / 1e9);
	else if (rt->s->counts_from > 0)
		vt_buf_printf(
			&b, "[%u, %.0f s] ", ++rt->s->events, vt_clock() - rt->s->counts_from);
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	if (rt->s->progress || rt->s->tells)
		vt_report_event(&b);
	else
		vt_report_event_quietly(&b);
}

void
vt_message_drop(vt_message *m)
{
	free((char *)(uintptr_t)m->id);
	m->id = NULL;
	vt_clear(&m->body);
}
