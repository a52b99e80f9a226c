/*
 * cloud.h - what the native classes of io.murano.system ask of the world outside, and who answers.
 *
 * A class (heat.c, agent.c, ...) holds the language's side: merging templates, waiting for a
 * state, building plans, retrying. It speaks to OpenStack's services in requests and answers of
 * JSON, and to agents in messages, and does not know who is at the other end:
 *
 *     openstack.c, keystone.c   the services, over http.c            (heat-protocol.md)
 *     amqp.c                    RabbitMQ                             (agent-protocol.md)
 *     sim.c                     a simulated cloud: --dry-run         (deterministic, no time
 *     passes)
 *
 * Everything that waits does so in a green thread (vt_sleep, vt_wait_fd) and may switch tasks.
 * A class file names the real side itself (vt_services_real, vt_queues_real), so that a program
 * which has no such class does not link it.
 *
 * What a run did, or would have done, is kept in the session's effects (vt_effect); `deploy run`
 * prints them with --dry-run.
 */
#ifndef VT_CLOUD_H
#define VT_CLOUD_H

#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/net/queue.h"
#include "runtime/net/settings.h"

/* ---- services ------------------------------------------------------------------------------- */

typedef struct vt_service_request {
	/* its type in the catalogue: "orchestration", "network", "workflow", "image", "identity" */
	const char *service;
	const char *region; /* NULL or "": the home region */
	const char *method; /* "GET", "POST", "PUT", "DELETE" */
	/* below the service's endpoint, already escaped, query included: "/stacks/web" */
	const char *path;
	vt_value body;    /* sent as JSON; borrowed. VT_UNDEF: no body */
	const char *type; /* of the body; NULL: application/json. "text/plain": body is a STR */
	/* With the token of the user who asked for the run, where there is one beside a trust:
	 * a trust cannot be handed on, which a service may have to do with what it is given. */
	bool as_user;
} vt_service_request;

typedef struct vt_service_answer {
	int status;    /* of HTTP, after redirects, which keep method and body */
	vt_value body; /* owned: what the JSON says, a STR for other text, VT_NULL for none */
	/* malloc'd: the address that was asked, as it may be shown; NULL: a simulated one */
	char *from;
} vt_service_answer;

/*
 * VT_OK with any status that an answer has, 404 and 409 too; vt_service_check makes an exception of
 * those that nobody wants. VT_ERROR: no answer came (VT_E_CLOUD with the address, why, and what to
 * do), or the task was cancelled. Never retried here, except one new token after a 401.
 */
typedef vt_status vt_service_fn(
	vt_rt *, void *ctx, const vt_service_request *, vt_service_answer *out);

/* Raises what an answer of 300 and above says: its text, method and address; true when it is
 * below. */
bool vt_service_check(vt_rt *, const vt_service_request *, const vt_service_answer *);
void vt_service_drop(vt_service_answer *);

/* ---- who answers ---------------------------------------------------------------------------- */

/*
 * May a request that failed be made again?  Credentials, certificates and what a service refuses
 * will not change by themselves; after a 500 only what changes nothing is repeated; what never
 * reached the service, always.
 */
enum vt_again { VT_AGAIN_NEVER, VT_AGAIN_READING, VT_AGAIN_ANY };

typedef struct vt_cloud {
	vt_service_fn *request; /* NULL: not asked for yet */
	void *services;
	void (*drop_services)(void *);
	const vt_queues *queues; /* NULL: not asked for yet */
	void *queue_ctx;
	void (*drop_queues)(void *);
	enum vt_again again; /* of the request that failed last */
	struct vt_sim *sim;  /* --dry-run, once something asked for it */
	void (*drop_sim)(struct vt_sim *);
	struct vt_ending *endings; /* vt_on_finish */
	vt_value cidrs;            /* network.c: {network: number of its CIDR}, or VT_UNDEF */
} vt_cloud;

/* The session's; they are opened when first asked for: simulated when rt->s->dry_run, else the real
 * ones. */
vt_status vt_services(vt_rt *, vt_cloud **out);  /* cloud_services.c: names vt_services_real */
vt_status vt_queues_of(vt_rt *, vt_cloud **out); /* cloud_queues.c: names vt_queues_real */
vt_cloud *vt_cloud_of(vt_rt *); /* cloud.c: makes an empty one and sets rt->s->cloud_drop */

/*
 * The end of a run (session.finish() of the reference): what is registered runs last in, first out,
 * once.  `object` is held until then.  The first that fails leaves its exception; the others run
 * all the same.
 */
void vt_on_finish(vt_rt *, vt_status (*)(vt_rt *, vt_value object), vt_value object);

/* openstack.c: fills its part. No connection is made yet; settings are read and checked. */
vt_status vt_services_real(vt_rt *, vt_cloud *);
/* sim.c: fills both. */
vt_status vt_sim_open(vt_rt *, vt_cloud *);
/* sim/scenario.c: is it a scenario?  Else *err (malloc'd) gives the place in the text, why, and
 * what would be right. */
/* Absent in a program that has no class that needs a cloud. */
bool vt_scenario_check(const char *text, size_t n, vt_value scenario, char **err)
	__attribute__((weak));

/* ---- effects --------------------------------------------------------------------------------- */

enum vt_effect_kind {
	VT_EFFECT_HEAT,
	VT_EFFECT_AGENT,
	VT_EFFECT_REPORT,
	VT_EFFECT_INSTANCE,
	VT_EFFECT_KINDS
};
/* Keeps one; v is given away. Only with --dry-run. */
void vt_effect(vt_rt *, enum vt_effect_kind, vt_value v);
/* {"heat": [...], "agent": [...], "reports": [...], "instances": [...]} of so far; owned. */
vt_value vt_effects(vt_rt *);
/* heat.c: [{"name","region","resources"}] of the stacks that this run has brought about, for
 * the state; owned. */
vt_value vt_heat_kept(vt_rt *);
/* heat_report.c: what is there against such a list: [{"name", "why": [text]}]; owned. */
vt_status vt_heat_drift(vt_rt *, vt_value stacks, vt_value *out);
/*
 * What murano's engine would send to murano-api as a notification: "murano." and the event, and the
 * payload, which is given away.  The session's `noticed` hears of it.  again: an earlier part of
 * the run, which was cut off, said the same.
 */
void vt_notice(vt_rt *, const char *event, vt_value payload, bool again);
/* For `noticed`: it goes into rt->s->notices, for the answer. */
void vt_keep_notice(vt_rt *, void *ctx, const char *event, vt_value payload, bool again);
/* A line for people on standard error, where the session's `progress` is on. */
void vt_progress(vt_rt *, const char *, ...) VT_PRINTF(2, 3);

/* ---- journal.c: what an interrupted run has done ---- */

/*
 * Beside the file of --snapshot stands FILE.journal while a run is under way (journal.c).  It has
 * the model that the run began with, what was drawn, and each effect begun and done; a begin is on
 * the disk before what follows it.  A run that finds one begins with that model and goes on where
 * the other was killed: an effect that is asked for again at the same place (same objects, methods
 * and statements on the stack, same content) takes the id it had, and what it gave if it was done.
 */
typedef struct vt_done {
	const char *target;
	vt_value key, id; /* texts; id is the plan's, or null; owned */
	vt_value stamp;   /* as given by the run that began it; or null */
	vt_value result;  /* of an effect that is done; VT_UNDEF: it is not */
	bool again;       /* begun by an earlier run */
} vt_done;
/* Without a journal: *out with id VT_NULL and nothing known. content is borrowed.  An effect that
 * failed in the run before fails again. */
vt_status vt_journal_begin(
	vt_rt *, const char *kind, const char *target, vt_value content, vt_done *out);
/* before it is sent */
vt_status vt_journal_note(vt_rt *, const vt_done *, vt_value id, vt_value stamp);
/* It has ended: with the result, or with the pending exception. */
void vt_journal_end(vt_rt *, const vt_done *, vt_value result);
/* The same by the id of a plan.  False: nobody knows it, or it has ended before. */
bool vt_journal_answer(vt_rt *, const char *id, vt_value body);
vt_status vt_journal_sync(vt_rt *); /* what was noted is on the disk then */
void vt_journal_drop(vt_done *);
/* Had an earlier run begun one of that kind there without seeing its end?  Says once. */
bool vt_journal_left(vt_rt *, const char *kind, const char *target);
/* Did an earlier run do one of that kind there, which this one has not come to yet? */
bool vt_journal_ahead(vt_rt *, const char *kind, const char *target);
/* Opens or makes the file, for a run that `what` describes: an object of JSON. False: reported on
 * stderr. */
bool vt_journal_open(vt_rt *, const char *path, const char *what, const char *self);
/* What the run that was killed began with: *model owned; *graph the text of its snapshot where it
 * had marks, else VT_UNDEF.  False: there was none. */
bool vt_journal_model(vt_rt *, vt_value *model, vt_value *graph);
/* Begins the journal of a run with that model.  False: reported. */
bool vt_journal_start(vt_rt *, vt_value model, const char *graph, size_t n);
void vt_journal_close(vt_rt *, bool remove); /* remove: the run has ended by itself */
/*
 * What a client asked for, in order.  False: a session that goes on was asked something else there
 * when it was killed.
 */
bool vt_journal_asked(vt_rt *, const char *request, size_t n);
/* How many requests of the session that was killed have not come again. */
uint32_t vt_journal_unasked(const vt_rt *);
/* What the client gets, on the disk before it does.  False: reported. */
bool vt_journal_tell(vt_rt *, int status, const char *text, size_t n);
/* What it got, or would have got: *text owned.  False: it is not known. */
bool vt_journal_told(const vt_rt *, int *status, vt_value *text);

#endif
