/*
 * tosca_deploy.h - a service that is deployed: what tosca_main.c (commands), tosca_plan.c (what
 * waits for what), tosca_run.c (doing it), tosca_op.c (one operation), tosca_process.c (its
 * process) and tosca_state.c (what was done) share.  docs/tosca-deploy.md describes what users see
 * of it.
 */
#ifndef VT_TOSCA_DEPLOY_H
#define VT_TOSCA_DEPLOY_H

#include "vti.h"
#include "tosca.h"

/* ---- tosca_input.c
 * ------------------------------------------------------------------------------------------- */
typedef struct vt_tinputs {
	vt_rt *rt;
	const vt_tmodel *m;
	const char *self;
	vt_dict *values;
} vt_tinputs;
/* What a file, or NAME=VALUE, gives goes into the values; the last one counts. False: told. */
bool vt_tinputs_file(vt_tinputs *, const char *path);
bool vt_tinputs_word(vt_tinputs *, const char *word);

/* ---- tosca_process.c
 * -------------------------------------------------------------------------------------- */
typedef struct vt_child {
	char *const *argv; /* argv[0] has a slash, or is looked for in PATH */
	char *const *env;
	const char *dir; /* working directory */
	const char *log; /* file that both outputs are appended to */
	double timeout;  /* seconds; 0: none */
} vt_child;
enum vt_child_end {
	VT_CHILD_EXIT,
	VT_CHILD_SIGNAL,
	VT_CHILD_TIMEOUT,
	VT_CHILD_FAILED /* never ran: code is errno */
};
typedef struct vt_child_result {
	enum vt_child_end end;
	int code;
} vt_child_result;
/*
 * Runs it in a process group of its own while other tasks go on.  VT_ERROR: this task was
 * cancelled; the group has been killed.  Processes that it leaves behind when it ends by itself
 * live on: daemons.
 */
vt_status vt_child_run(vt_rt *, const vt_child *, vt_child_result *);

/* ---- tosca_plan.c
 * ------------------------------------------------------------------------------------------- */
/* Steps of a node in their order; VT_TO_... of relationships run once for each of them. */
#define VT_TROLES(X)                                                                               \
	X(CREATE, "create", "creating", "created")                                                 \
	X(PRE_SOURCE, "pre_configure_source", "configuring", NULL)                                 \
	X(PRE_TARGET, "pre_configure_target", "configuring", NULL)                                 \
	X(CONFIGURE, "configure", "configuring", NULL)                                             \
	X(POST_SOURCE, "post_configure_source", "configuring", NULL)                               \
	X(POST_TARGET, "post_configure_target", "configuring", NULL)                               \
	X(CONFIGURED, "configured", NULL, "configured")                                            \
	X(START, "start", "starting", "started")                                                   \
	X(ADD_TARGET, "add_target", NULL, NULL)                                                    \
	X(ADD_SOURCE, "add_source", NULL, NULL)                                                    \
	X(REMOVE_TARGET, "remove_target", NULL, NULL)                                              \
	X(STOP, "stop", "stopping", "configured")                                                  \
	X(REMOVE_SOURCE, "remove_source", NULL, NULL)                                              \
	X(DELETE, "delete", "deleting", NULL)
enum vt_trole {
#define X(sym, op, during, after) VT_TL_##sym,
	VT_TROLES(X)
#undef X
		VT_TL_COUNT
};
/* op: its name in the interface; during, after: the state of the node, or NULL: it stays. */
typedef struct vt_trole_row {
	const char *op, *during, *after;
} vt_trole_row;
extern const vt_trole_row vt_troles[VT_TL_COUNT];

enum vt_tstatus {
	VT_TW_WAITING,
	VT_TW_READY,
	VT_TW_RUNNING,
	VT_TW_DONE,
	VT_TW_FAILED,
	VT_TW_BLOCKED
};
typedef struct vt_taction {
	vt_tnodei *node; /* in whose order it stands */
	vt_treli *rel;   /* of Configure; or NULL */
	const vt_tiface *iface;
	const vt_top *op;         /* NULL: nothing to run, a mark in the order */
	uint8_t role, status;     /* enum vt_trole, enum vt_tstatus */
	bool was;                 /* done by an earlier run */
	uint32_t waits;           /* for so many that are not done */
	uint32_t next, nnext;     /* plan->edge: who waits for this one */
	uint32_t before, nbefore; /* plan->edge: for whom it waits */
} vt_taction;
typedef struct vt_tplan {
	vt_tosca *t;
	vt_taction *a;
	uint32_t n; /* by node; a node's in their order */
	uint32_t *edge;
	uint32_t *first, *last; /* by position in t->nodes: the actions of a node */
	bool undo;
} vt_tplan;
/* All steps that lead to a running service, or with `undo` to none. NULL: nodes wait for each
 * other; *loop tells which (malloc'd). */
vt_tplan *vt_tplan_new(vt_tosca *, bool undo, char **loop);
void vt_tplan_free(vt_tplan *);
void vt_tplan_node_name(vt_buf *, const vt_tosca *,
	const vt_tnodei *); /* with those of the nodes that its service stands for */
/* Within its node: "Standard.create", "host.Configure.pre_configure_source". */
void vt_tplan_step_name(vt_buf *, const vt_tplan *, const vt_taction *);
/* In an order in which they can be done; malloc'd, plan->n of them. */
uint32_t *vt_tplan_order(const vt_tplan *);

/* ---- tosca_state.c
 * -------------------------------------------------------------------------------------------- */
typedef struct vt_tstate vt_tstate;
/* What the file says, with its journal; an empty state when there is none. NULL: told on stderr. */
vt_tstate *vt_tstate_open(vt_rt *, const char *self, const char *path);
void vt_tstate_close(vt_tstate *);
void vt_tstate_remove(vt_tstate *);                          /* nothing is left to be known */
bool vt_tstate_empty(const vt_tstate *);                     /* no node of it is there */
bool vt_tstate_is_of(const vt_tstate *, const char *digest); /* was it made by that program? */
vt_value vt_tstate_inputs(vt_tstate *);                      /* dict; owned */
/* Begins anew: these nodes, none of them there. */
bool vt_tstate_begin(vt_tstate *, const vt_tprogram *, vt_tosca *, vt_value inputs);
bool vt_tstate_adopt(vt_tstate *, const vt_tprogram *, vt_tosca *,
	vt_value inputs); /* the same with what was done */
/* What was done before, put into the plan and into the engine's attributes. */
void vt_tstate_apply(vt_tstate *, vt_tosca *);
void vt_tstate_mark(vt_tstate *, vt_tplan *);
bool vt_tstate_started(
	vt_tstate *, const vt_tplan *, const vt_taction *); /* begins: written before it runs */
bool vt_tstate_done(vt_tstate *, const vt_tplan *, const vt_taction *);
bool vt_tstate_failed(vt_tstate *, const vt_tplan *, const vt_taction *, const char *why);
void vt_tstate_set_state(vt_tstate *, vt_tosca *, vt_tnodei *, const char *state);
/* An attribute that an operation has set, an output that it gave. */
void vt_tstate_set(
	vt_tstate *, vt_tosca *, vt_tnodei *, const char *section, const char *key, vt_value);
bool vt_tstate_touch(
	vt_tstate *, vt_tosca *, vt_tnodei *); /* what was set of a node is written now */
char *vt_tstate_of(vt_tstate *, vt_tosca *, vt_tnodei *); /* malloc'd; NULL: it is not there */
bool vt_tstate_save(vt_tstate *); /* the whole file; the journal begins anew */

/* ---- tosca_op.c: one operation
 * ---------------------------------------------------------------------------------- */
typedef struct vt_tdeploy {
	const vt_tprogram *p;
	vt_rt *rt;
	vt_tosca *t;
	vt_tplan *plan;
	vt_tstate *state;
	const char *self; /* argv[0] */
	const char *work; /* directory of this run */
	const char *logs; /* directory that stays */
	double timeout;   /* of an operation that says none; 0: none */
	uint32_t workers;
	bool progress, keep, undo;
	/* of the run: */
	uint32_t *ready, nready; /* a heap: the first in the order of the plan comes first */
	uint32_t running, done, todo, failures;
	int wake; /* a descriptor that is readable once for each ready step, and when all is over */
	bool over;
} vt_tdeploy;
/* VT_ERROR: cancelled. *why: malloc'd, what went wrong, or NULL: done. */
vt_status vt_tosca_perform(vt_tdeploy *, const vt_taction *, char **why);
vt_tctx vt_tplan_ctx(const vt_taction *);
/* The operation's input as text for a process; false: unknown. */
void vt_tosca_plain(vt_rt *, vt_buf *, vt_value);

/* ---- tosca_run.c
 * --------------------------------------------------------------------------------------------------
 */
/* All of the plan. 0, or the exit status 1; what failed was told. */
int vt_tosca_execute(vt_tdeploy *);
/* The plan as text: what would run, and what each step waits for. */
void vt_tosca_show_plan(const vt_tplan *, vt_buf *);

#endif
