/*
 * listener.c - io.murano.system.AgentListener (muranopl-engine.md, appendix A;
 * agent-protocol.md): one task receives the results of a region's agents and hands them to those
 * who wait.
 */
#include "runtime/cloud/agent.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BUCKETS = 512 };

typedef struct listener {
	char *queue;
	vt_awaited *awaited[BUCKETS]; /* by id */
	vt_value broker; /* of the queue it receives from; VT_UNDEF while nothing runs */
	bool runs, stopping;
	uint64_t task; /* 0: it has not begun */
	uint32_t nth;  /* how many tasks there were */
	vt_event ended;
	uint32_t refs; /* the object's and the task's */
} listener;

static void
drop_listener(void *data)
{
	listener *l = data;
	if (--l->refs > 0)
		return;
	vt_release(l->broker);
	free(l->queue);
	free(l);
}

vt_status vt_listener_new(vt_args *, vt_value *out);
vt_status
vt_listener_new(vt_args *a, vt_value *out)
{
	vt_value name = vt_new_arg(a, "name");
	vt_object *o = vt_obj_of(a->self);
	vt_value lower;
	listener *l;
	if (!vt_is(name, STR))
		return vt_no_arg(a, "name");
	lower = vt_str_lower(a->rt, vt_as_str(name));
	l = vt_xmalloc(sizeof *l);
	*l = (listener){.queue = vt_asprintf("-execution-results-%s", vt_as_str(lower)->s),
		.broker = VT_UNDEF,
		.refs = 1};
	vt_release(lower);
	vt_object_set_native(o, l, drop_listener);
	*out = VT_NULL;
	return VT_OK;
}

static listener *
listener_in(vt_rt *rt, vt_value v)
{
	return vt_native_of(
		rt, v, drop_listener, "the region of the agent's host has no agentListener");
}

bool
vt_agents_disabled(vt_rt *rt)
{
	return vt_setting_bool(rt, "engine", "disable_murano_agent", false);
}

vt_status
vt_agents_refused(vt_rt *rt)
{
	return vt_raise(rt, VT_E_POLICY_VIOLATION,
		"Use of murano-agent is disallowed by the server configuration");
}

/* ---- the task that receives -------------------------------------------------------------- */

static vt_awaited **
bucket_of(listener *l, const char *id)
{
	return &l->awaited[vt_hash_bytes(id, strlen(id)) % BUCKETS];
}

/* Into the journal, also for who has not asked for it again yet; then to who waits for it. */
static void
hand_out(vt_rt *rt, listener *l, vt_message *m)
{
	vt_value source = vt_member(m->body, "SourceID");
	const char *id = vt_text_or(source, m->id);
	vt_awaited **at, *w;
	if (id == NULL)
		return;
	(void)vt_journal_answer(rt, id, m->body);
	for (at = bucket_of(l, id); *at != NULL && strcmp((*at)->id, id) != 0;)
		at = &(*at)->next;
	if ((w = *at) == NULL)
		return; /* nobody waits for it any more */
	*at = w->next;
	w->result = vt_copy(m->body);
	vt_event_set(rt, &w->event);
}

/* What came is acknowledged when the journal has it on the disk, all at a time. */
static vt_status
receive_all(vt_rt *rt, listener *l, const vt_cloud *c)
{
	enum { AT_A_TIME = 64 };
	while (!l->stopping) {
		bool more = true;
		for (int n = 0; more && n < AT_A_TIME && !l->stopping; n++) {
			vt_message m = {.body = VT_UNDEF};
			VT_TRY(c->queues->receive(
				rt, c->queue_ctx, l->broker, l->queue, n == 0, &m));
			more = m.body != VT_UNDEF;
			if (more)
				hand_out(rt, l, &m);
			vt_message_drop(&m);
		}
		VT_TRY(vt_journal_sync(rt));
		c->queues->settle(rt, c->queue_ctx, l->broker, l->queue);
	}
	return VT_OK;
}

static vt_status
receive(vt_rt *rt, void *data, uint32_t index, vt_value *out)
{
	listener *l = data;
	vt_cloud *c;
	vt_status st;
	(void)index;
	(void)out;
	l->task = vt_task_id(rt);
	if (l->stopping)
		return VT_OK;
	st = vt_queues_of(rt, &c);
	if (st == VT_OK)
		st = receive_all(rt, l, c);
	if (st != VT_OK && vt_pending(rt)->type == VT_E_CANCELLED) {
		vt_exc_clear(rt);
		st = VT_OK;
	}
	return st;
}

static void
receive_ended(void *data)
{
	listener *l = data;
	l->runs = l->stopping = false;
	l->task = 0;
	drop_listener(l);
}

static vt_status
stop(vt_rt *rt, listener *l)
{
	vt_cloud *c = rt->s->cloud;
	uint32_t nth = l->nth;
	if (!l->runs)
		return VT_OK;
	l->stopping = true;
	l->refs++;
	if (l->task != 0)
		vt_task_cancel(rt, l->task);
	while (l->runs && l->nth == nth)
		if (vt_sleep(rt, 0) != VT_OK)
			break;
	/* Who is cancelled here leaves a task that still uses queue and broker; the run's end stops
	 * them. */
	if (!l->runs && c != NULL && c->queues != NULL && c->queues->stop != NULL)
		c->queues->stop(rt, c->queue_ctx, l->broker, l->queue);
	drop_listener(l);
	return vt_pending(rt) ? VT_ERROR : VT_OK;
}

static vt_status
stop_at_end(vt_rt *rt, vt_value object)
{
	return stop(rt, vt_obj_of(object)->more->native);
}

static bool
is_flag(vt_value v)
{
	static const char *const words[] = {"true", "false", "yes", "no", "on", "off", "1", "0"};
	for (size_t i = 0; vt_is(v, STR) && i < VT_LEN(words); i++)
		if (strcasecmp(vt_as_str(v)->s, words[i]) == 0)
			return true;
	return vt_is_bool(v);
}

/* What is malformed is an error: it must not become the broker of this machine, another port or a
 * connection that anybody can read. */
static vt_status
check_broker(vt_rt *rt, vt_value broker)
{
	static const char *const texts[] = {"host", "login", "password", "virtual_host"},
				 *const flags[] = {"ssl", "insecure"};
	const char *bad = NULL;
	vt_value port;
	if (broker == VT_NULL || broker == VT_UNDEF)
		return VT_OK;
	if (!vt_is(broker, DICT))
		return vt_raise(rt, VT_E_CLOUD, "agentRabbitMq of a region is no mapping");
	for (size_t i = 0; i < VT_LEN(texts) && !bad; i++) {
		vt_value v = vt_dict_get_c(vt_as_dict(broker), texts[i]);
		if (v != VT_UNDEF && v != VT_NULL && (!vt_is(v, STR) || !vt_as_str(v)->bytes))
			bad = texts[i];
	}
	for (size_t i = 0; i < VT_LEN(flags) && !bad; i++) {
		vt_value v = vt_dict_get_c(vt_as_dict(broker), flags[i]);
		if (v != VT_UNDEF && v != VT_NULL && !is_flag(v))
			bad = flags[i];
	}
	port = vt_dict_get_c(vt_as_dict(broker), "port");
	if (!bad && port != VT_UNDEF && port != VT_NULL &&
		(!vt_is_int(port) || vt_toint(port) < 1 || vt_toint(port) > 65535))
		bad = "port";
	return bad ? vt_raise(rt, VT_E_CLOUD,
			     "agentRabbitMq of a region has a malformed %s; it is not guessed", bad)
		   : VT_OK;
}

vt_status
vt_broker_of(vt_rt *rt, vt_value region, vt_value *out)
{
	vt_value config = VT_UNDEF;
	*out = VT_NULL;
	if (!vt_is(region, OBJECT) && !vt_is(region, CAST))
		return VT_OK;
	VT_TRY(vt_send(rt, region, "getConfig", &config));
	*out = vt_copy(vt_member(config, "agentRabbitMq"));
	vt_release(config);
	if (check_broker(rt, *out) == VT_OK)
		return VT_OK;
	vt_move(out, VT_NULL);
	return VT_ERROR;
}

/* The queue is there before a plan leaves: an agent that cannot answer would try for a minute. */
static vt_status
start(vt_rt *rt, vt_value object, listener *l)
{
	vt_object *region;
	vt_value broker = VT_NULL;
	vt_cloud *c;
	vt_status st;
	if (l->runs || vt_agents_disabled(rt))
		return VT_OK;
	region = vt_owner_named(rt, vt_obj_of(object), "io.murano.CloudRegion");
	VT_TRY(vt_broker_of(rt, region ? vt_mkptr(region) : VT_NULL, &broker));
	st = vt_queues_of(rt, &c);
	if (st == VT_OK)
		st = c->queues->declare(rt, c->queue_ctx, broker, l->queue);
	if (st != VT_OK || l->runs) { /* another task was faster */
		vt_release(broker);
		return st;
	}
	vt_move(&l->broker, broker);
	vt_on_finish(rt, stop_at_end, vt_mkptr(vt_obj_of(object)));
	l->runs = true;
	l->nth++;
	l->refs++;
	return vt_spawn(rt, receive, l, receive_ended);
}

/* ---- those who wait ---------------------------------------------------------------------- */

vt_status
vt_listener_await(vt_rt *rt, vt_value object, vt_awaited *w)
{
	listener *l = listener_in(rt, object);
	vt_awaited **at;
	if (l == NULL)
		return VT_ERROR;
	VT_TRY(start(rt, object, l));
	at = bucket_of(l, w->id);
	w->result = VT_UNDEF;
	w->next = *at;
	*at = w;
	return VT_OK;
}

void
vt_listener_forget(vt_value object, vt_awaited *w)
{
	listener *l = vt_obj_of(object)->more->native;
	for (vt_awaited **at = bucket_of(l, w->id); *at != NULL; at = &(*at)->next)
		if (*at == w) {
			*at = w->next;
			break;
		}
	vt_clear(&w->result);
}

/* ---- methods ----------------------------------------------------------------------------- */

vt_status vt_listener_queue_name(vt_args *, vt_value *out);
vt_status
vt_listener_queue_name(vt_args *a, vt_value *out)
{
	listener *l = listener_in(a->rt, a->self);
	if (l == NULL)
		return VT_ERROR;
	*out = vt_str_c(a->rt, l->queue);
	return VT_OK;
}

vt_status vt_listener_start(vt_args *, vt_value *out);
vt_status
vt_listener_start(vt_args *a, vt_value *out)
{
	listener *l = listener_in(a->rt, a->self);
	if (l == NULL)
		return VT_ERROR;
	*out = VT_NULL;
	return start(a->rt, a->self, l);
}

vt_status vt_listener_stop(vt_args *, vt_value *out);
vt_status
vt_listener_stop(vt_args *a, vt_value *out)
{
	listener *l = listener_in(a->rt, a->self);
	if (l == NULL)
		return VT_ERROR;
	*out = VT_NULL;
	return stop(a->rt, l);
}

/* An event is an object of the engine, which no expression can make. */
vt_status vt_listener_subscribe(vt_args *, vt_value *out);
vt_status
vt_listener_subscribe(vt_args *a, vt_value *out)
{
	(void)out;
	if (vt_agents_disabled(a->rt))
		return vt_agents_refused(a->rt);
	return vt_raise(a->rt, VT_E_TYPE,
		"subscribe() is for agents: MuranoPL has no events; use Agent.call()");
}

vt_status vt_listener_unsubscribe(vt_args *, vt_value *out);
vt_status
vt_listener_unsubscribe(vt_args *a, vt_value *out)
{
	(void)out;
	return vt_agents_disabled(a->rt) ? vt_agents_refused(a->rt) : vt_raise_key(a->rt, a->v[0]);
}

#define VT_NATIVE_AgentListener
#include "natives.h"
