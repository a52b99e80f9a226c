/*
 * sim.h - inside of the simulated cloud (docs/dry-run.md).
 *
 *     sim.c           the cloud: its clock, its state, who answers which request, the file it may
 * be kept in scenario.c  what is scripted: reading, checking, finding the rule for an event
 *     heat.c      stacks          hot.c   their templates: functions, resources, outputs
 *     net.c       Neutron         misc.c  Glance, Mistral, Keystone
 *     agent.c     queues, and agents behind them
 *
 * All that the cloud knows is one tree of mutable dicts (vt_sim.state), so that it can be written
 * and read again. Nothing is random: ids are made of names, addresses are counted.
 */
#ifndef VT_SIM_H
#define VT_SIM_H

#include "runtime/cloud/native_class.h"

typedef struct vt_sim {
	vt_rt *rt;
	vt_value state;             /* DICT */
	vt_value scenario;          /* DICT, or VT_NULL */
	vt_value unsettled;         /* queue -> how many; or VT_UNDEF: agent.c */
	struct sim_reader *readers; /* tasks that receive: agent.c */
	vt_dict *building;          /* the resources of the stack that is being made; or NULL */
	char *file;                 /* of the state; or NULL */
	uint64_t requests;          /* that change something */
	uint64_t stop_at;           /* 0: never */
	bool stop_after;
} vt_sim;

/* ---- sim.c ---- */

double sim_now(vt_sim *);                 /* seconds since 1970, of the virtual clock */
vt_value sim_time_text(vt_sim *, double); /* "2026-11-21T01:10:18Z" */
/* A dict below the state, made when it is not there. Borrowed. */
vt_dict *sim_table(vt_sim *, vt_dict *in, const char *name);
int64_t sim_count(vt_sim *, const char *what); /* 1, 2, 3... */
double sim_latency(vt_sim *, const char *what, double otherwise);
/* Around what changes the state. */
void sim_before(vt_sim *);
vt_status sim_after(vt_sim *);
/* "web-id", or "web-id-2" where that is taken. Owned. */
vt_value sim_new_id(vt_sim *, const char *name);
/* An answer that says why: {"error": {"message", "type"}}. */
vt_status sim_refuse(vt_sim *, vt_service_answer *, int status, const char *type, const char *fmt,
	...) VT_PRINTF(5, 6);
vt_value sim_object(vt_rt *, const char *name, vt_value owned); /* {name: owned} */

/* The parts of a path: "/stacks/a%20b/id?x=y" is {"stacks", "a b", "id"} and {"x": "y"}. */
enum { SIM_PARTS = 8 };
typedef struct sim_path {
	char *text, *part[SIM_PARTS];
	uint32_t n;
	vt_value query; /* DICT of STR */
} sim_path;

/* ---- scenario.c ---- */

/* The rule of a list ("heat", "agents") whose texts match and whose turn it is; VT_NULL. Borrowed.
 */
vt_value sim_rule(vt_sim *, const char *list, uint32_t n, const char *const (*facts)[2]);

/* ---- services: each fills the answer ---- */

typedef struct sim_request {
	vt_sim *sim;
	const vt_service_request *q;
	sim_path path;
	const char *region; /* never NULL */
	vt_service_answer *out;
} sim_request;
bool sim_is(const sim_request *, const char *method, uint32_t parts, const char *first);
vt_status sim_heat(sim_request *);
vt_status sim_network(sim_request *);
vt_status sim_image(sim_request *);
vt_status sim_workflow(sim_request *);
vt_status sim_identity(sim_request *);
vt_status sim_nothing(sim_request *); /* 404 for paths that are not simulated */

/* ---- hot.c ---- */

/*
 * Makes or updates the resources of a stack from its template. NULL, or why the template is refused
 * (malloc'd). The stack's "resources" and "parameters" are new then.
 */
char *sim_hot_build(vt_sim *, const char *region, vt_dict *stack);
/* The list of outputs; values null where not `ready`. Owned. */
vt_value sim_hot_outputs(vt_sim *, const char *region, vt_dict *stack, bool ready);
/* Why it fails, by resources that are made to fail (malloc'd), or NULL; *seconds: how long its
 * resources take. */
char *sim_hot_fails(vt_sim *, vt_dict *stack, const char *action, double *seconds);

/* ---- heat.c, net.c ---- */

vt_dict *sim_stacks(vt_sim *, const char *region); /* name -> stack */
/* The number of a network: addresses on it carry it. network is an id or a name. */
int64_t sim_net_number(vt_sim *, const char *region, const char *network);
vt_value sim_net_name(
	vt_sim *, const char *region, const char *network); /* owned; VT_NULL: unknown */

/* ---- agent.c ---- */

extern const vt_queues sim_queues;

#endif
