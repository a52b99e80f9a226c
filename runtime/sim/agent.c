/*
 * agent.c - queues without a broker, and agents that answer as soon as a plan comes
 * (agent-protocol.md).
 *
 * "queues" of the state: name -> list of messages {"id", "body", "at"} that nobody has received
 * yet, by "at"; "results": names of those that get answers; "agents": queue -> {"stamp": the last
 * one, "plans": how many ran}.  A real agent is told its queue of results by the machine's user
 * data; here every queue of results that was declared gets all of them, since a listener passes
 * over what nobody waits for.
 */
#include "runtime/sim/plan.h"
#include "runtime/sim/sim.h"
#include "runtime/core/number.h"
#include "runtime/task/task.h"

#include <stdlib.h>
#include <string.h>

static const double agent_seconds = 0;
static const char results[] = "-execution-results-";

/* A task that waits in receive(). */
typedef struct sim_reader {
	struct sim_reader *next;
	vt_event event;
} sim_reader;

static vt_list *
queue_of(vt_sim *s, const char *name)
{
	vt_dict *all = sim_table(s, NULL, "queues");
	vt_value v = vt_dict_get_c(all, name);
	if (!vt_is(v, LIST)) {
		v = vt_mkptr(vt_list_grow(s->rt, VT_K_LIST, 0));
		vt_dict_set_c(s->rt, all, name, v);
	}
	return vt_as_list(v);
}

static vt_status
declare(vt_rt *rt, void *ctx, vt_value broker, const char *queue)
{
	(void)rt;
	(void)broker;
	(void)queue_of(ctx, queue);
	if (strncmp(queue, results, sizeof results - 1) == 0)
		vt_dict_set_c(rt, sim_table(ctx, NULL, "results"), queue, VT_TRUE);
	return VT_OK;
}

/* ---- what an agent answers --------------------------------------------------------------- */

static void
put(vt_sim *s, vt_dict *d, const char *name, vt_value owned)
{
	vt_dict_set_c(s->rt, d, name, owned);
}

/* A plan for Windows: a list of commands.  Other plans of format 1 are run as those of 2.0 are. */
static bool
is_v1(vt_value plan)
{
	const char *v = vt_text_or(vt_member(plan, "FormatVersion"), "1.");
	return strncmp(v, "1.", 2) == 0 && (vt_is_sequence(vt_member(plan, "Scripts")) ||
						   vt_member(plan, "Commands") != VT_NULL);
}

/* What the scenario says of a script of that plan. */
typedef struct sim_script {
	vt_sim *sim;
	const char *queue, *plan;
} sim_script;

static vt_value
outcome(void *ctx, const char *script, const char *commandline)
{
	sim_script *x = ctx;
	const char *const facts[][2] = {{"name", script}, {"queue", x->queue}, {"plan", x->plan},
		{"commandline", commandline}};
	return sim_rule(x->sim, "scripts", VT_LEN(facts), facts);
}

/* {"code", "message", "details"} of a scenario; a message alone will do. */
static vt_value
error_body(vt_sim *s, vt_value error)
{
	vt_dict *body = vt_dict_new(s->rt, false);
	put(s, body, "Message",
		vt_is(error, STR) ? vt_copy(error) : vt_copy(vt_member(error, "message")));
	put(s, body, "AdditionalInfo", vt_copy(vt_member(error, "details")));
	return vt_mkptr(body);
}

/* By the rule, else by running the plan; *seconds: what its scripts take.  VT_UNDEF: no answer. */
static vt_value
answer_v2(vt_sim *s, const char *queue, vt_value plan, vt_value id, vt_value rule, double *seconds)
{
	vt_value error = vt_member(rule, "error"), code = vt_member(error, "code"), body;
	bool answered = vt_is(rule, DICT) && vt_dict_get_c(vt_as_dict(rule), "answer") != VT_UNDEF;
	vt_dict *d;
	if (error != VT_NULL) {
		code = vt_is_int(code) ? code : vt_mkint(100);
		body = error_body(s, error);
	} else if (answered) {
		code = vt_mkint(0);
		body = vt_copy(vt_member(rule, "answer"));
	} else {
		sim_script x = {s, queue, vt_text_or(vt_member(plan, "Name"), "")};
		sim_plan_answer a;
		sim_plan_run(s->rt, plan, outcome, &x, &a);
		code = vt_mkint(a.code);
		body = a.sent ? vt_copy(a.body) : VT_UNDEF;
		*seconds += a.seconds;
		sim_plan_drop(&a);
	}
	if (body == VT_UNDEF)
		return VT_UNDEF;
	d = vt_dict_new(s->rt, false);
	put(s, d, "FormatVersion", vt_str_c(s->rt, "2.0.0"));
	put(s, d, "ID", vt_str_printf(s->rt, "%s-result", vt_text_or(id, "plan")));
	put(s, d, "SourceID", vt_copy(id));
	put(s, d, "Action", vt_str_c(s->rt, "Execution:Result"));
	put(s, d, "ErrorCode", code);
	put(s, d, "Time", sim_time_text(s, sim_now(s)));
	put(s, d, "Body", body);
	return vt_mkptr(d);
}

static vt_value
answer_v1(vt_sim *s, vt_value id, vt_value rule)
{
	vt_value error = vt_member(rule, "error"), message;
	vt_dict *d = vt_dict_new(s->rt, false), *last = vt_dict_new(s->rt, false);
	vt_list *all = vt_list_grow(s->rt, VT_K_LIST, 1), *info;
	put(s, d, "FormatVersion", vt_str_c(s->rt, "1.0.0"));
	put(s, d, "SourceID", vt_copy(id));
	put(s, d, "IsException", VT_FALSE);
	put(s, last, "IsException", vt_mkbool(error != VT_NULL));
	if (error == VT_NULL) {
		put(s, last, "Result", vt_copy(vt_member(rule, "answer")));
	} else {
		message = vt_is(error, STR) ? error : vt_member(error, "message");
		info = vt_list_grow(s->rt, VT_K_LIST, 2);
		vt_list_push(s->rt, info, vt_str_c(s->rt, "AgentError"));
		vt_list_push(s->rt, info, vt_copy(message));
		put(s, last, "Result", vt_mkptr(info));
	}
	vt_list_push(s->rt, all, vt_mkptr(last));
	put(s, d, "Result", vt_mkptr(all));
	return vt_mkptr(d);
}

/* An agent drops a plan whose stamp is not above the last. */
static bool
is_new(vt_sim *s, const char *queue, vt_value plan)
{
	vt_dict *agent = sim_table(s, sim_table(s, NULL, "agents"), queue);
	vt_value stamp = vt_member(plan, "Stamp"), last = vt_dict_get_c(agent, "stamp"),
		 n = vt_dict_get_c(agent, "plans");
	if (vt_is_integer(stamp) && last != VT_UNDEF && vt_is_integer(last) &&
		vt_num_cmp(stamp, last) <= 0)
		return false;
	if (vt_is_integer(stamp))
		put(s, agent, "stamp", vt_copy(stamp));
	put(s, agent, "plans", vt_mkint((vt_is_int(n) ? vt_toint(n) : 0) + 1));
	return true;
}

static void
wake_all(vt_sim *s)
{
	for (sim_reader *r = s->readers; r != NULL; r = r->next)
		vt_event_set(s->rt, &r->event);
}

static double
due(vt_sim *s, vt_value message)
{
	double at = 0;
	if (vt_num_double(s->rt, vt_member(message, "at"), &at) != VT_OK)
		vt_exc_clear(s->rt);
	return at;
}

/* By the time when they are due, and those of one time in the order in which they came. */
static void
put_message(vt_sim *s, vt_list *l, vt_value m, double at)
{
	uint32_t i = l->n;
	vt_list_push(s->rt, l, m);
	for (; i > 0 && l->v[i - 1] != VT_NULL && due(s, l->v[i - 1]) > at; i--)
		l->v[i] = l->v[i - 1];
	l->v[i] = m;
}

static void
deliver(vt_sim *s, const char *id, vt_value body, double at)
{
	vt_value key, v;
	for (uint32_t i = 0; vt_dict_at(sim_table(s, NULL, "results"), &i, &key, &v);) {
		vt_dict *m = vt_dict_new(s->rt, false);
		put(s, m, "id", vt_str_c(s->rt, id));
		put(s, m, "body", vt_copy(body));
		put(s, m, "at", vt_float_new(s->rt, at));
		put_message(s, queue_of(s, vt_as_str(key)->s), vt_mkptr(m), at);
	}
	wake_all(s);
}

static void
run_plan(vt_sim *s, const char *queue, const char *id, vt_value plan)
{
	const char *name = vt_text_or(vt_member(plan, "Name"), "");
	const char *const facts[][2] = {{"queue", queue}, {"name", name}};
	vt_value rule = sim_rule(s, "agents", VT_LEN(facts), facts), source, body, slow;
	double at = sim_now(s) + sim_latency(s, "agent", agent_seconds), more = 0;
	if (!is_new(s, queue, plan) || vt_is_true(vt_member(rule, "silent")))
		return;
	slow = vt_member(rule, "seconds");
	if (vt_is_number(slow))
		(void)vt_num_double(s->rt, slow, &more);
	source = vt_str_c(s->rt, id);
	body = is_v1(plan) ? answer_v1(s, source, rule)
			   : answer_v2(s, queue, plan, source, rule, &more);
	if (body != VT_UNDEF)
		deliver(s, id, body, at + more);
	vt_release(body == VT_UNDEF ? VT_NULL : body);
	vt_release(source);
}

static vt_status
send(vt_rt *rt, void *ctx, vt_value broker, const char *queue, const vt_message *m,
	const char *text, size_t n)
{
	vt_sim *s = ctx;
	(void)rt;
	(void)broker;
	(void)text;
	(void)n;
	sim_before(s);
	run_plan(s, queue, m->id, m->body);
	return sim_after(s);
}

/* ---- receiving --------------------------------------------------------------------------- */

/* Those taken are null until half of the list is: they stand before all others. */
static uint32_t
taken(const vt_list *l)
{
	uint32_t low = 0, high = l->n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (l->v[mid] == VT_NULL)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* How many at the front have been received and not settled. */
static uint32_t
unsettled(vt_sim *s, const char *queue)
{
	vt_value n = vt_member(s->unsettled, queue);
	return vt_is_int(n) ? (uint32_t)vt_toint(n) : 0;
}

static void
set_unsettled(vt_sim *s, const char *queue, uint32_t n)
{
	if (s->unsettled == VT_UNDEF)
		s->unsettled = vt_mkptr(vt_dict_new_hashed(s->rt, false));
	vt_dict_set_c(s->rt, vt_as_dict(s->unsettled), queue, vt_mkint(n));
}

/* The message that is due first, or VT_UNDEF; *wait until it is. */
static vt_value
first_due(vt_sim *s, const vt_list *l, const char *queue, double *wait)
{
	uint32_t i = taken(l) + unsettled(s, queue);
	*wait = i >= l->n ? -1 : due(s, l->v[i]) - sim_now(s);
	return i >= l->n ? VT_UNDEF : l->v[i];
}

static void
settle(vt_rt *rt, void *ctx, vt_value broker, const char *queue)
{
	vt_sim *s = ctx;
	vt_list *l = queue_of(s, queue);
	uint32_t i = taken(l), n = unsettled(s, queue);
	(void)rt;
	(void)broker;
	set_unsettled(s, queue, 0);
	for (; n > 0 && i < l->n; n--) {
		vt_release(l->v[i]);
		l->v[i++] = VT_NULL;
	}
	if (i < l->n - i)
		return;
	memmove(l->v, l->v + i, (l->n - i) * sizeof *l->v);
	l->n -= i;
}

static vt_status
wait_for_more(vt_sim *s, double seconds)
{
	sim_reader r = {.next = s->readers}, **at;
	vt_status st;
	s->readers = &r;
	st = vt_event_wait(s->rt, &r.event, seconds);
	for (at = &s->readers; *at != &r; at = &(*at)->next)
		;
	*at = r.next;
	return st;
}

static vt_status
receive(vt_rt *rt, void *ctx, vt_value broker, const char *queue, bool wait_for_it, vt_message *out)
{
	vt_sim *s = ctx;
	vt_value m;
	(void)rt;
	(void)broker;
	*out = (vt_message){.body = VT_UNDEF};
	for (;;) {
		double wait;
		m = first_due(s, queue_of(s, queue), queue, &wait);
		if (m != VT_UNDEF && wait <= 0) {
			set_unsettled(s, queue, unsettled(s, queue) + 1);
			*out = (vt_message){.id = vt_xstrdup(vt_text_or(vt_member(m, "id"), "")),
				.body = vt_copy(vt_member(m, "body"))};
			return VT_OK;
		}
		if (!wait_for_it)
			return VT_OK;
		VT_TRY(wait_for_more(s, wait));
	}
}

static void
stop(vt_rt *rt, void *ctx, vt_value broker, const char *queue)
{
	(void)rt;
	(void)ctx;
	(void)broker;
	(void)queue;
}

const vt_queues sim_queues = {
	.declare = declare, .send = send, .receive = receive, .settle = settle, .stop = stop};
