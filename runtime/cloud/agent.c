/*
 * agent.c - io.murano.system.Agent (muranopl-engine.md, appendix A; agent-protocol.md).
 */
#include "runtime/net/sign.h"
#include "runtime/cloud/agent.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/object/object.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct agent {
	vt_value host; /* id of the object it belongs to, which holds the agent: counted, neither
			  would ever be garbage */
	char *queue;
	vt_sign *key;
	int64_t last_stamp;
	bool declared;
} agent;

/* One message and what becomes of it. */
typedef struct job {
	vt_args *a;
	agent *g;
	vt_value plan;    /* as it is sent */
	vt_value id;      /* of the message */
	vt_value timeout; /* as it was given */
	bool wait;
	vt_value region, broker;
	vt_dict *effect; /* the effect: in the session's list, which holds it; or NULL */
} job;

static void
drop_agent(void *data)
{
	agent *g = data;
	vt_sign_close(g->key);
	vt_release(g->host);
	free(g->queue);
	free(g);
}

/* A key that is configured and not there is no reason to send plans that nobody believes. */
static vt_status
open_key(vt_rt *rt, vt_sign **out)
{
	const char *path = vt_setting_text(rt, "engine", "signing_key", ""), *home = getenv("HOME");
	char *err = NULL, *full;
	vt_status st = VT_OK;
	if (*path == '\0')
		return VT_OK;
	full = path[0] == '~' && path[1] == '/' && home ? vt_asprintf("%s%s", home, path + 1)
							: vt_xstrdup(path);
	*out = vt_sign_open(full, &err);
	if (*out == NULL)
		st = vt_raise(rt, VT_E_OS, "the setting engine.signing_key: %s", err);
	free(err);
	free(full);
	return st;
}

static char *
queue_of(vt_rt *rt, vt_value environment_id, vt_value host_id)
{
	vt_value text =
		vt_str_printf(rt, "e%s-h%s", vt_as_str(environment_id)->s, vt_as_str(host_id)->s);
	vt_value lower = vt_str_lower(rt, vt_as_str(text));
	char *s = vt_xstrdup(vt_as_str(lower)->s);
	vt_release(text);
	vt_release(lower);
	return s;
}

vt_status vt_agent_new(vt_args *, vt_value *out);
vt_status
vt_agent_new(vt_args *a, vt_value *out)
{
	vt_value host = vt_new_arg(a, "host");
	vt_object *o = vt_obj_of(a->self), *env;
	vt_sign *key = NULL;
	agent *g;
	if (!vt_is(host, OBJECT) && !vt_is(host, CAST))
		return vt_no_arg(a, "host");
	env = vt_owner_named(a->rt, vt_obj_of(host), "io.murano.Environment");
	if (env == NULL)
		return vt_no_attribute(a->rt, VT_NULL, "id");
	VT_TRY(open_key(a->rt, &key));
	g = vt_xmalloc(sizeof *g);
	*g = (agent){.host = vt_copy(vt_obj_of(host)->id),
		.queue = queue_of(a->rt, env->id, vt_obj_of(host)->id),
		.key = key};
	vt_object_set_native(o, g, drop_agent);
	*out = VT_NULL;
	return VT_OK;
}

static agent *
agent_of(vt_args *a)
{
	return vt_native_of(a->rt, a->self, drop_agent,
		"the agent has not been made yet: its constructor did not run");
}

vt_status vt_agent_queue_name(vt_args *, vt_value *out);
vt_status
vt_agent_queue_name(vt_args *a, vt_value *out)
{
	agent *g = agent_of(a);
	if (g == NULL)
		return VT_ERROR;
	*out = vt_str_c(a->rt, g->queue);
	return VT_OK;
}

vt_status vt_agent_signing_key(vt_args *, vt_value *out);
vt_status
vt_agent_signing_key(vt_args *a, vt_value *out)
{
	const char *prefix = vt_text_or(a->v[0], "");
	vt_buf pem = {0}, b = {0};
	agent *g = agent_of(a);
	if (g == NULL)
		return VT_ERROR;
	if (a->v[0] != VT_NULL && !vt_is(a->v[0], STR))
		return vt_raise(a->rt, VT_E_NO_MATCHING_METHOD,
			"No method \"signingKey\" matches supplied arguments");
	if (g->key != NULL && !vt_sign_public(g->key, &pem))
		return vt_raise(a->rt, VT_E_RUNTIME,
			"the public half of engine.signing_key cannot be written");
	for (size_t i = 0, n; i < pem.n; i += n) {
		const char *end = memchr(pem.p + i, '\n', pem.n - i);
		n = end ? (size_t)(end - (pem.p + i)) + 1 : pem.n - i;
		vt_buf_puts(&b, prefix);
		vt_buf_put(&b, pem.p + i, n);
	}
	vt_buf_free(&pem);
	*out = vt_str_take(a->rt, &b);
	return VT_OK;
}

/* ---- messages ---------------------------------------------------------------------------- */

/* Ten-thousandths of a second since 1970, growing: an agent drops a plan whose stamp does not. */
static vt_value
next_stamp(vt_rt *rt, agent *g)
{
	struct timespec t;
	int64_t now;
	vt_wall_clock(rt, &t);
	now = (int64_t)t.tv_sec * 10000 + t.tv_nsec / 100000;
	if (rt->s->stamp_before > g->last_stamp) /* the clock may have been put back since */
		g->last_stamp = rt->s->stamp_before;
	g->last_stamp = now > g->last_stamp ? now : g->last_stamp + 1;
	return vt_int_new(rt, g->last_stamp);
}

static void
note_stamp(vt_rt *rt, agent *g, vt_value stamp)
{
	int64_t n = vt_is_int(stamp) ? vt_toint(stamp) : 0;
	if (n > g->last_stamp)
		g->last_stamp = n;
	if (n > rt->s->stamp)
		rt->s->stamp = n;
}

/* The host's region, and the broker that its agents are at. */
static vt_status
find_region(job *j)
{
	vt_rt *rt = j->a->rt;
	vt_object *host = vt_store_find(rt, vt_as_str(j->g->host));
	vt_value held;
	vt_status st;
	if (host == NULL)
		return vt_raise(
			rt, VT_E_DESTROYED, "the host of the agent %s is gone", j->g->queue);
	held = vt_copy(vt_mkptr(host));
	st = vt_send(rt, held, "getRegion", &j->region);
	vt_release(held);
	if (st != VT_OK)
		return st;
	return vt_broker_of(rt, j->region, &j->broker);
}

static vt_status
post(job *j, const vt_cloud *c)
{
	vt_rt *rt = j->a->rt;
	vt_message m = {.id = vt_as_str(j->id)->s, .body = j->plan};
	vt_buf text = {0}, signed_text = {0}, signature = {0};
	vt_status st = VT_OK;
	vt_json_write(rt, &text, j->plan, 0);
	if (j->g->key != NULL) {
		vt_buf_puts(&signed_text, j->g->queue);
		vt_buf_put(&signed_text, text.p, text.n);
		if (!vt_sign_make(j->g->key, signed_text.p, signed_text.n, &signature))
			st = vt_raise(rt, VT_E_RUNTIME, "the plan cannot be signed");
		m.signature = signature.p;
		m.nsignature = signature.n;
	}
	if (st == VT_OK)
		st = c->queues->send(rt, c->queue_ctx, j->broker, j->g->queue, &m, text.p, text.n);
	vt_buf_free(&signature);
	vt_buf_free(&signed_text);
	vt_buf_free(&text);
	return st;
}

/* Records the effect; its result follows when it comes. */
static void
report(job *j)
{
	vt_rt *rt = j->a->rt;
	vt_value name = vt_member(j->plan, "Name");
	const char *nl = vt_is(name, STR) ? strchr(vt_as_str(name)->s, '\n') : NULL;
	vt_dict *d;
	vt_progress(rt, "agent %s: %.*s", j->g->queue, nl ? (int)(nl - vt_as_str(name)->s) : 200,
		vt_text_or(name, "plan"));
	if (!rt->s->dry_run)
		return;
	d = vt_dict_new(rt, false);
	vt_dict_set_c(rt, d, "queue", vt_str_c(rt, j->g->queue));
	vt_dict_set_c(rt, d, "wait", vt_mkbool(j->wait));
	if (j->wait)
		vt_dict_set_c(rt, d, "timeout", vt_copy(j->timeout));
	vt_dict_set_c(rt, d, "plan", vt_copy(j->plan));
	j->effect = d;
	vt_effect(rt, VT_EFFECT_AGENT, vt_mkptr(d));
}

static double
seconds_of(vt_rt *rt, vt_value timeout)
{
	double d = 0;
	if (vt_is_number(timeout) && vt_num_double(rt, timeout, &d) != VT_OK)
		vt_exc_clear(rt);
	return d > 0 ? d : 0;
}

static vt_status
timed_out(job *j)
{
	vt_buf b = {0};
	vt_buf_puts(&b, "The murano-agent did not respond within ");
	vt_pystr(j->a->rt, &b, j->timeout);
	vt_buf_puts(&b, " seconds");
	return vt_raise_value(j->a->rt, VT_E_TIMEOUT, vt_str_take(j->a->rt, &b));
}

static vt_status
await(job *j, const vt_cloud *c, vt_value *result)
{
	vt_rt *rt = j->a->rt;
	vt_value at = vt_is(j->region, OBJECT) || vt_is(j->region, CAST)
			      ? vt_peek(rt, vt_obj_of(j->region), "agentListener")
			      : VT_NULL;
	vt_awaited w = {.id = vt_as_str(j->id)->s, .result = VT_UNDEF};
	vt_status st = vt_listener_await(rt, at, &w);
	if (st == VT_OK) {
		st = post(j, c);
		if (st == VT_OK) {
			report(j);
			st = vt_event_wait(rt, &w.event, seconds_of(rt, j->timeout));
		}
		if (st == VT_OK && !w.event.set)
			st = timed_out(j);
		if (st == VT_OK)
			*result = vt_copy(w.result);
		vt_listener_forget(at, &w);
	}
	vt_release(at);
	return st;
}

static vt_status
deliver(job *j, vt_value *result)
{
	vt_rt *rt = j->a->rt;
	vt_cloud *c;
	vt_status st;
	VT_TRY(vt_queues_of(rt, &c));
	VT_TRY(find_region(j));
	if (!j->g->declared) {
		VT_TRY(c->queues->declare(rt, c->queue_ctx, j->broker, j->g->queue));
		j->g->declared = true;
	}
	if (j->wait)
		return await(j, c, result);
	st = post(j, c);
	if (st == VT_OK)
		report(j);
	return st;
}

static void
note_result(job *j, vt_status st, vt_value value)
{
	vt_rt *rt = j->a->rt;
	vt_exc *e = vt_pending(rt);
	if (j->effect == NULL)
		return;
	if (st == VT_OK)
		vt_dict_set_c(rt, j->effect, "result", vt_copy(value));
	else
		vt_dict_set_c(rt, j->effect, "error",
			vt_str_printf(
				rt, "%s: %s", vt_exc_shown_type(e), vt_as_str(e->message)->s));
}

static vt_status
run(job *j, const vt_done *done, vt_value *out)
{
	vt_rt *rt = j->a->rt;
	vt_value result = VT_NULL;
	vt_status st;
	if (done->result != VT_UNDEF) { /* of a run before, which was killed after it */
		vt_progress(rt, "agent %s: done before", j->g->queue);
		return vt_plan_result(rt, done->result, out);
	}
	j->region = j->broker = VT_NULL;
	st = deliver(j, &result);
	if (st == VT_OK || vt_pending(rt)->type != VT_E_CANCELLED)
		vt_journal_end(rt, done, result);
	if (st == VT_OK)
		st = vt_plan_result(rt, result, out);
	if (j->wait)
		note_result(j, st, *out);
	vt_release(result);
	vt_release(j->region);
	vt_release(j->broker);
	return st;
}

/* ---- methods ----------------------------------------------------------------------------- */

static vt_value
timeout_of(vt_args *a, vt_value given)
{
	double d =
		vt_setting_number(a->rt, "engine", "agent_timeout", a->rt->s->dry_run ? 60 : 3600);
	if (given != VT_NULL)
		return vt_copy(given);
	return d == (double)(int64_t)d ? vt_int_new(a->rt, (int64_t)d) : vt_float_new(a->rt, d);
}

/* The id of a plan that was begun before, else a new one. */
static vt_status
begin(job *j, vt_value template, bool raw, vt_done *done, vt_value *id, vt_value *stamp)
{
	vt_rt *rt = j->a->rt;
	vt_value given = raw ? vt_member(template, "ID") : VT_NULL;
	*id = *stamp = VT_UNDEF;
	VT_TRY(vt_journal_begin(rt, "agent", j->g->queue, template, done));
	*id = vt_is(given, STR)      ? vt_copy(given)
	      : vt_is(done->id, STR) ? vt_copy(done->id)
				     : vt_new_uuid(rt);
	*stamp = done->stamp != VT_NULL ? vt_copy(done->stamp) : next_stamp(rt, j->g);
	note_stamp(rt, j->g, *stamp); /* the run before may have had another clock */
	if (done->result != VT_UNDEF)
		return VT_OK;
	return vt_journal_note(rt, done, *id, *stamp);
}

/* resources VT_UNDEF: the template is the plan. */
static vt_status
send_plan(job *j, vt_value template, vt_value resources, vt_value *out)
{
	vt_rt *rt = j->a->rt;
	vt_value id = VT_UNDEF, stamp = VT_UNDEF, given;
	vt_done done;
	vt_status st;
	if (vt_agents_disabled(rt))
		return vt_agents_refused(rt);
	if (resources == VT_UNDEF && !vt_is(template, DICT))
		return vt_no_attribute(rt, template, "get");
	st = begin(j, template, resources == VT_UNDEF, &done, &id, &stamp);
	j->plan = VT_UNDEF;
	if (st == VT_OK && done.result == VT_UNDEF)
		st = resources != VT_UNDEF ? vt_plan_build(rt, j->a->unit, template, resources, id,
						     stamp, &j->plan)
					   : VT_OK;
	if (st == VT_OK && j->plan == VT_UNDEF)
		j->plan = vt_copy(template);
	if (st == VT_OK) {
		given = vt_member(j->plan, "ID");
		j->id = vt_copy(vt_is(given, STR) ? given : id);
		*out = VT_NULL;
		st = run(j, &done, out);
		vt_release(j->id);
	}
	vt_release(j->plan);
	vt_release(id);
	vt_release(stamp);
	vt_journal_drop(&done);
	return st;
}

static bool
is_resources(vt_value v)
{
	vt_object *o = vt_is(v, OBJECT) || vt_is(v, CAST) ? vt_obj_of(v) : NULL;
	for (uint32_t i = 0; o != NULL && i < o->cls->nlinear; i++)
		if (strcmp(o->cls->linear[i]->decl->name->s, "io.murano.system.Resources") == 0)
			return true;
	return false;
}

static vt_status
method(vt_args *a, bool wait, vt_value timeout, vt_value resources, vt_value template,
	vt_value *out)
{
	job j = {.a = a, .g = agent_of(a), .wait = wait};
	vt_status st;
	if (j.g == NULL)
		return VT_ERROR;
	if (resources != VT_UNDEF && !is_resources(resources))
		return vt_raise(a->rt, VT_E_NO_MATCHING_METHOD,
			"resources of a plan is an object of io.murano.system.Resources, not a "
			"'%s'",
			vt_py_type(resources));
	j.timeout = wait ? timeout_of(a, timeout) : vt_mkint(0);
	st = send_plan(&j, template, resources, out);
	vt_release(j.timeout);
	return st;
}

vt_status vt_agent_call(vt_args *, vt_value *out);
vt_status
vt_agent_call(vt_args *a, vt_value *out)
{
	return method(a, true, a->v[2], a->v[1], a->v[0], out);
}

vt_status vt_agent_send(vt_args *, vt_value *out);
vt_status
vt_agent_send(vt_args *a, vt_value *out)
{
	return method(a, false, VT_NULL, a->v[1], a->v[0], out);
}

vt_status vt_agent_call_raw(vt_args *, vt_value *out);
vt_status
vt_agent_call_raw(vt_args *a, vt_value *out)
{
	return method(a, true, a->v[1], VT_UNDEF, a->v[0], out);
}

vt_status vt_agent_send_raw(vt_args *, vt_value *out);
vt_status
vt_agent_send_raw(vt_args *a, vt_value *out)
{
	return method(a, false, VT_NULL, VT_UNDEF, a->v[0], out);
}

/* A plan that does nothing.  Agents want Files in it, though the reference sends none
 * (agent-protocol.md 5). */
static vt_value
nothing_to_do(vt_rt *rt)
{
	vt_dict *d = vt_dict_new(rt, false);
	vt_dict_set_c(rt, d, "Body", vt_str_c(rt, "return"));
	vt_dict_set_c(rt, d, "FormatVersion", vt_str_c(rt, "2.0.0"));
	vt_dict_set_c(rt, d, "Scripts", vt_mkptr(vt_dict_new(rt, false)));
	vt_dict_set_c(rt, d, "Files", vt_mkptr(vt_dict_new(rt, false)));
	return vt_mkptr(d);
}

vt_status vt_agent_wait_ready(vt_args *, vt_value *out);
vt_status
vt_agent_wait_ready(vt_args *a, vt_value *out)
{
	vt_value plan = nothing_to_do(a->rt), r = VT_UNDEF;
	vt_status st = method(a, true, a->v[0], VT_UNDEF, plan, &r);
	vt_release(plan);
	vt_release(r);
	if (st == VT_OK)
		*out = VT_NULL;
	return st;
}

vt_status vt_agent_is_ready(vt_args *, vt_value *out);
vt_status
vt_agent_is_ready(vt_args *a, vt_value *out)
{
	vt_status st = vt_agent_wait_ready(a, out);
	bool late = st != VT_OK && vt_pending(a->rt)->type == VT_E_TIMEOUT;
	if (st != VT_OK && !late)
		return st;
	if (late)
		vt_exc_clear(a->rt);
	*out = vt_mkbool(!late);
	return VT_OK;
}

vt_status vt_agent_build_plan(vt_args *, vt_value *out);
vt_status
vt_agent_build_plan(vt_args *a, vt_value *out)
{
	agent *g = agent_of(a);
	vt_value id, stamp;
	vt_status st;
	if (g == NULL)
		return VT_ERROR;
	if (!is_resources(a->v[1]))
		return vt_raise(a->rt, VT_E_NO_MATCHING_METHOD,
			"resources of a plan is an object of io.murano.system.Resources, not a "
			"'%s'",
			vt_py_type(a->v[1]));
	id = vt_drawn(a->rt, vt_new_uuid(a->rt));
	stamp = vt_drawn(a->rt, next_stamp(a->rt, g));
	note_stamp(a->rt, g, stamp);
	st = vt_plan_build(a->rt, a->unit, a->v[0], a->v[1], id, stamp, out);
	vt_release(id);
	vt_release(stamp);
	return st;
}

#define VT_NATIVE_Agent
#include "natives.h"
