/*
 * agent.h - plans for agents (agent_plan.c), and who waits for their results (listener.c).
 */
#ifndef VT_SYS_AGENT_H
#define VT_SYS_AGENT_H

#include "runtime/cloud/native_class.h"
#include "runtime/task/task.h"

/* ---- agent_plan.c ---- */

/* A plan from its template: files and scripts put into it, formats 1.x and 2.x.  id and stamp are
 * texts and integers that the caller chose. */
vt_status vt_plan_build(vt_rt *, const vt_unit *, vt_value template, vt_value resources,
	vt_value id, vt_value stamp, vt_value *out);
/* What a result comes to: its value, or AgentException. */
vt_status vt_plan_result(vt_rt *, vt_value result, vt_value *out);

/* ---- listener.c ---- */

/* One that waits for the result of a plan. */
typedef struct vt_awaited {
	struct vt_awaited *next;
	const char *id; /* of the plan */
	vt_event event;
	vt_value result; /* once event.set */
} vt_awaited;
/* The listener must be an AgentListener of ours: AttributeError otherwise. */
vt_status vt_listener_await(vt_rt *, vt_value listener, vt_awaited *);
void vt_listener_forget(vt_value listener, vt_awaited *);

/* murano.conf's [engine] disable_murano_agent. */
bool vt_agents_disabled(vt_rt *);
vt_status vt_agents_refused(vt_rt *); /* PolicyViolationException */
/* A region's agentRabbitMq, as vt_queues takes it; owned. */
vt_status vt_broker_of(vt_rt *, vt_value region, vt_value *out);

#endif
