/*
 * deploy.h - a service that is deployed: what main.c (commands), plan.c (what waits for what),
 * run.c (doing it), op.c (one operation), process.c (its process) and state.c (what was done)
 * share.
 *
 * docs/tosca-deploy.md describes what users see of it.
 */
#ifndef VT_TOSCA_DEPLOY_H
#define VT_TOSCA_DEPLOY_H

#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/tosca/tosca.h"

#include <sys/types.h>

/* ---- input.c ---- */
typedef struct vt_tinputs {
	vt_rt *rt;
	const vt_tmodel *m;
	const char *self;
	vt_tspan slots[2]; /* that may be given */
	vt_dict *values;
	const char *path; /* of the file that is read */
} vt_tinputs;
/* What a file, or NAME=VALUE, gives goes into the values; the last one counts. False: reported. */
bool vt_tinputs_file(vt_tinputs *, const char *path);
bool vt_tinputs_word(vt_tinputs *, const char *word);

/* ---- process.c ---- */
typedef struct vt_child {
	char *const *argv; /* argv[0] has a slash, or is looked for in PATH */
	char *const *env;
	const char *dir;   /* working directory */
	const char *log;   /* file that both outputs are appended to */
	double timeout;    /* seconds; 0: none */
	const char *in;    /* file that standard input gives, and then stays open; NULL: nothing */
	const char *out;   /* file that standard output goes to instead of the log; or NULL */
	uint64_t most_log; /* bytes: of a log that grows beyond, the end is kept; 0: all of it */
	/* There is a process that leads a group and has not begun yet.  False: it never will, and
	 * ends with VT_CHILD_FAILED and errno. */
	bool (*begins)(void *ctx, pid_t);
	void *ctx;
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

/* ---- left.c ---- */

/* A process group, so that it is known again: numbers of processes come again. */
typedef struct vt_group {
	pid_t pid;      /* of its leader */
	uint64_t start; /* of the leader, in ticks since the system began */
	char boot[40];  /* which time it began */
	char id[40];    /* VETRO_STEP_ID in the environment of its processes */
} vt_group;
/* The leader is there and has not begun. */
bool vt_group_note(vt_group *, pid_t, const char *id);
/* Ends what is left of it.  False: it does not end. */
bool vt_group_end(const vt_group *);

/* ---- plan.c ---- */
/*
 * Steps of a node in their order; those of relationships run once for each of them.  The columns:
 * name of the operation; state of the node while it runs and after it, or NULL: it stays; name in
 * the lifecycle of Cloudify, or NULL; who has it; which end of a relationship it is about.
 */
#define VT_TROLES(X) \
	X(PRECREATE, "precreate", "creating", NULL, "precreate", CLOUDIFY, NODE) \
	X(CREATE, "create", "creating", "created", "create", TOSCA, NODE) \
	X(PRE_SOURCE, "pre_configure_source", "configuring", NULL, NULL, TOSCA, SOURCE) \
	X(PRE_TARGET, "pre_configure_target", "configuring", NULL, NULL, TOSCA, TARGET) \
	X(LINK_SOURCE, "preconfigure", "configuring", NULL, "preconfigure", CLOUDIFY, SOURCE) \
	X(LINK_TARGET, "preconfigure", "configuring", NULL, "preconfigure", CLOUDIFY, TARGET) \
	X(CONFIGURE, "configure", "configuring", NULL, "configure", TOSCA, NODE) \
	X(POST_SOURCE, "post_configure_source", "configuring", NULL, NULL, TOSCA, SOURCE) \
	X(POST_TARGET, "post_configure_target", "configuring", NULL, NULL, TOSCA, TARGET) \
	X(LINKED_SOURCE, "postconfigure", "configuring", NULL, "postconfigure", CLOUDIFY, SOURCE) \
	X(LINKED_TARGET, "postconfigure", "configuring", NULL, "postconfigure", CLOUDIFY, TARGET) \
	X(CONFIGURED, "configured", NULL, "configured", NULL, TOSCA, NODE) \
	X(START, "start", "starting", "started", "start", TOSCA, NODE) \
	X(POSTSTART, "poststart", NULL, NULL, "poststart", CLOUDIFY, NODE) \
	X(ADD_TARGET, "add_target", NULL, NULL, NULL, TOSCA, SOURCE) \
	X(ADD_SOURCE, "add_source", NULL, NULL, NULL, TOSCA, SOURCE) \
	X(ESTABLISH_SOURCE, "establish", NULL, NULL, "establish", CLOUDIFY, SOURCE) \
	X(ESTABLISH_TARGET, "establish", NULL, NULL, "establish", CLOUDIFY, TARGET) \
	X(REMOVE_TARGET, "remove_target", NULL, NULL, NULL, TOSCA, SOURCE) \
	X(PRESTOP, "prestop", "stopping", NULL, "prestop", CLOUDIFY, NODE) \
	X(STOP, "stop", "stopping", "configured", "stop", TOSCA, NODE) \
	X(REMOVE_SOURCE, "remove_source", NULL, NULL, NULL, TOSCA, SOURCE) \
	X(UNLINK_SOURCE, "unlink", NULL, NULL, "unlink", CLOUDIFY, SOURCE) \
	X(UNLINK_TARGET, "unlink", NULL, NULL, "unlink", CLOUDIFY, TARGET) \
	X(ERASE, "delete", "deleting", NULL, "delete", CLOUDIFY, NODE) \
	X(DELETE, "delete", "deleting", NULL, "postdelete", TOSCA, NODE) \
	X(TARGET_CHANGED, "target_changed", NULL, NULL, NULL, TOSCA, SOURCE) \
	X(UPDATED, "updated", NULL, NULL, NULL, TOSCA, NODE) \
	X(CALL, "call", NULL, NULL, NULL, TOSCA, SOURCE) \
	X(STATE, "set_state", NULL, NULL, NULL, TOSCA, NODE) \
	X(STEP, "step", NULL, NULL, NULL, TOSCA, NODE)
enum vt_trole {
#define X(sym, ...) VT_TL_##sym,
	VT_TROLES(X)
#undef X
		VT_TL_COUNT
};
enum { VT_TLW_TOSCA, VT_TLW_CLOUDIFY }; /* whose lifecycle has it */
enum { VT_TLE_NODE, VT_TLE_SOURCE, VT_TLE_TARGET };
typedef struct vt_trole_row {
	const char *op, *during, *after, *cloudify;
	uint8_t whose, end;
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
	bool off;                 /* no part of this run: neither done nor written down */
	uint32_t waits;           /* for so many that are not done */
	double began, ended;      /* in seconds of the monotonic clock; 0: not yet */
	uint32_t next, nnext;     /* plan->edge: who waits for this one */
	uint32_t before, nbefore; /* plan->edge: for whom it waits */
	/* of workflows: */
	char *label;                  /* what it is called, owned; or NULL: by its role */
	const vt_tactivity *activity; /* whose inputs go over those of the operation */
	const vt_tstep *step;
	vt_tservicei *inputs;        /* of whose inputs the activity speaks */
	uint32_t gate;               /* the first of its step and node, whose filter counts */
	uint32_t outer;              /* of a gate: that of the step which inlines it; or itself */
	uint32_t handler, nhandlers; /* plan->handler: what begins when it fails */
	bool declared;               /* changes the node's state as a run does */
	bool held;                   /* begins only when something fails */
	bool had_failed;             /* in an earlier run, which went on with the handlers */
	bool passed;                 /* its filter, which the gate has asked, did not hold */
} vt_taction;
typedef struct vt_tplan {
	vt_tosca *t;
	vt_taction *a;
	uint32_t n; /* by node; a node's in their order */
	uint32_t *edge;
	uint32_t *handler; /* of workflows: actions */
	const vt_tworkflow *workflow;
	uint32_t *first, *last; /* by position in t->nodes: the actions of a node */
	bool undo;
} vt_tplan;
/* What an update does to a node besides what it has not got yet. */
enum {
	VT_TU_CHANGED = 1, /* stopped, configured and started again */
	VT_TU_NOTIFIED = 2 /* notified that what it needs has changed */
};
/*
 * All steps that lead to a running service, or with `undo` to none. update: VT_TU_* by position in
 * t->nodes, or NULL. NULL: nodes wait for each other; *loop says which (malloc'd).
 */
vt_tplan *vt_tplan_new(vt_tosca *, bool undo, const uint8_t *update, char **loop);
typedef struct vt_tpair {
	uint32_t from, to;
} vt_tpair;
/* Who waits for whom; the end of making a plan. False: they wait for each other. */
bool vt_tplan_connect(vt_tplan *, const vt_tpair *, uint32_t n);
/* Adds the roles of a node that is brought up, or taken down; where there is nothing to run too. */
void vt_tplan_add_node(vt_tplan *, vt_tnodei *, bool undo);
uint32_t vt_tplan_add(vt_tplan *, vt_taction);
vt_tspan vt_tplan_ifaces(
	const vt_tosca *, const vt_tnodei *, const vt_treli *); /* r NULL: of the node */
/* Which role an operation has in the life of a node, or of a relationship; VT_TL_CALL: none. */
enum vt_trole vt_tplan_role(const vt_tosca *, const vt_tiface *, bool of_rel, const char *op);
void vt_tplan_free(vt_tplan *);
/* Inputs that its operations must have and that have no value, now, are problems of the engine. */
void vt_tplan_check_inputs(const vt_tplan *);
/* The operation of a role, NULL: none, or not implemented. r NULL: of the node. */
const vt_top *vt_tplan_op(
	const vt_tosca *, const vt_tnodei *, const vt_treli *r, enum vt_trole, const vt_tiface **);
void vt_tplan_rel_name(vt_buf *, const vt_tosca *, const vt_treli *); /* "host", or "host[1]" */
/* Within its node: "Standard.create", "host.Configure.pre_configure_source". */
void vt_tplan_step_name(vt_buf *, const vt_tplan *, const vt_taction *);
/* In an order in which they can be done; malloc'd, plan->n of them. */
uint32_t *vt_tplan_order(const vt_tplan *);

/* ---- state.c ---- */
typedef struct vt_tstate vt_tstate;
/* What the file says, with its journal; an empty state when there is none. NULL: reported on
 * stderr. */
vt_tstate *vt_tstate_open(vt_rt *, const char *self, const char *path);
/* The same to look at, while a run may be under way; it is never written. */
vt_tstate *vt_tstate_look(vt_rt *, const char *self, const char *path);
bool vt_tstate_is_held(const char *path);                               /* by a run */
vt_tstate *vt_tstate_none(vt_rt *, const char *self, const char *path); /* empty, never written */
void vt_tstate_close(vt_tstate *);
void vt_tstate_remove(vt_tstate *);                          /* nothing is left to be known */
bool vt_tstate_empty(const vt_tstate *);                     /* no node of it is there */
bool vt_tstate_is_of(const vt_tstate *, const char *digest); /* was it made by that program? */
char *vt_tstate_service(const vt_tstate *);                  /* its name, malloc'd, or NULL */
vt_value vt_tstate_inputs(vt_tstate *);                      /* dict; owned */
vt_value vt_tstate_wanted(vt_tstate *); /* inputs of an update that goes on; owned, or VT_UNDEF */
/* Begins one, which takes these away, to make anew what `again` says ("", NULL: nothing); kept. */
bool vt_tstate_want(vt_tstate *, const vt_tplan *away, vt_value inputs, const char *again);
char *vt_tstate_again(const vt_tstate *); /* what it said, malloc'd, or NULL */
void vt_tstate_pretend(vt_tstate *);      /* from now on nothing is written: a dry run */
/* Whose it is: a name, a version (or NULL), and the digest of the program that was here last. */
typedef struct vt_towner {
	const char *service, *version, *program;
} vt_towner;
/* These nodes, of which nothing may be there yet; those that are not among them go. */
bool vt_tstate_adopt(vt_tstate *, const vt_towner *, vt_tosca *, vt_value inputs);
/* Puts the names of what has been begun and is in neither of these; how many. old: or NULL. */
uint32_t vt_tstate_strangers(vt_tstate *, const vt_tosca *, const vt_tosca *old, vt_buf *names);
bool vt_tstate_keep(vt_tstate *); /* what was adopted is written, for its owner only */
/* What a node is made of: hashes by which an update finds what changed, and values for people, also
 * of what changes nothing. */
typedef struct vt_tparts {
	struct vt_dict *hash, *value; /* {part: text}, {part: value} */
} vt_tparts;
/* Where a node is made of something else than it was, an update of it begins. */
void vt_tstate_remake(vt_tstate *, vt_tosca *, vt_tnodei *, const vt_tparts *now);
vt_value vt_tstate_made(
	const vt_tstate *, const vt_tosca *, const vt_tnodei *); /* values; or VT_UNDEF */
void vt_tstate_notify(vt_tstate *, vt_tosca *, vt_tnodei *);     /* what it needs has changed */
/* VT_TU_* of its update, 0: there is none; names of what has changed, if asked for. */
/* A workflow that runs: its name, its inputs (owned, or VT_UNDEF). NULL: none; malloc'd. */
char *vt_tstate_workflow(vt_tstate *, vt_value *inputs);
void vt_tstate_set_workflow(vt_tstate *, const vt_tosca *, const char *name,
	vt_value inputs); /* name NULL: it has ended */
bool vt_tstate_handled(vt_tstate *, const vt_tplan *,
	const vt_taction *); /* it failed, and its handlers take over */
uint8_t vt_tstate_update(const vt_tstate *, const vt_tosca *, const vt_tnodei *, vt_buf *parts);
bool vt_tstate_has(const vt_tstate *, const vt_tosca *,
	const vt_tnodei *); /* has anything been done for it? */
/* What was done before, put into the plan and into the engine's attributes. */
void vt_tstate_apply(vt_tstate *, vt_tosca *);
void vt_tstate_mark(vt_tstate *, vt_tplan *);
bool vt_tstate_started(
	vt_tstate *, const vt_tplan *, const vt_taction *); /* begins: written before it runs */
/* How often the step was begun since it last ended well. */
int64_t vt_tstate_attempt(vt_tstate *, const vt_tplan *, const vt_taction *);
/* The process that does it: written before that begins. */
bool vt_tstate_process(vt_tstate *, const vt_tplan *, const vt_taction *, const vt_group *);
/* Ends processes of steps that a killed run has left.  False: told. */
bool vt_tstate_end_left(vt_tstate *);
bool vt_tstate_done(vt_tstate *, const vt_tplan *, const vt_taction *);
bool vt_tstate_failed(vt_tstate *, const vt_tplan *, const vt_taction *, const char *why);
/* A gate whose filter does not hold, of which a later run must know. */
void vt_tstate_passed(vt_tstate *, const vt_tplan *, const vt_taction *);
void vt_tstate_set_state(vt_tstate *, vt_tosca *, vt_tnodei *, const char *state);
/* An attribute that an operation has set, an output that it gave. */
void vt_tstate_set(
	vt_tstate *, vt_tosca *, vt_tnodei *, const char *section, const char *key, vt_value);
bool vt_tstate_touch(
	vt_tstate *, vt_tosca *, vt_tnodei *); /* what was set of a node is written now */
char *vt_tstate_of(vt_tstate *, vt_tosca *, vt_tnodei *); /* malloc'd; NULL: it is not there */
char *vt_tstate_why(
	const vt_tstate *, const vt_tosca *, const vt_tnodei *);            /* it failed; or NULL */
vt_value vt_tstate_found(vt_tstate *, const vt_tosca *, const vt_tnodei *); /* {attribute: value} */
bool vt_tstate_save(vt_tstate *); /* the whole file; the journal begins anew */

/* Is it made of something else than it was? No, when it is not there. */
bool vt_tstate_differs(const vt_tstate *, const vt_tosca *, const vt_tnodei *, struct vt_dict *now);
bool vt_tstate_knows(const vt_tstate *, const vt_tosca *, const vt_tnodei *); /* has it a vertex? */

/* ---- update.c: another service than the one that is there ---- */
/* parts.c: by position in t->nodes; before the engine goes live. */
vt_tparts *vt_tupdate_parts(vt_tosca *, const vt_tprogram *);
#define VT_TPART_SECRET "$secret" /* {this: hash} is the value of a part that nobody may see */
void vt_tupdate_free(vt_tparts *, uint32_t n);
void vt_tupdate_key(
	vt_buf *, const vt_tosca *, const vt_tnodei *); /* by which a node is the same one */
/*
 * Steps that take away what is in `old` and not in t, marked; NULL and no *loop: there are none.
 * again: by position in t->nodes, what goes as well; or NULL.
 */
vt_tplan *vt_tupdate_away(vt_tstate *, vt_tosca *old, vt_tosca *t, const bool *again, char **loop);
/* What has changed, or has this name, with all that needs it; malloc'd. */
bool *vt_tupdate_again(const vt_tstate *, vt_tosca *, const vt_tparts *parts, const char *name);
/* The state learns what the nodes are made of now; VT_TU_* by position, malloc'd. */
uint8_t *vt_tupdate_begin(vt_tstate *, vt_tosca *, const vt_tparts *parts);
/* ---- workflow.c: workflows that the service declares ---- */
const vt_tworkflow *vt_tworkflow_in(const vt_tmodel *, vt_tspan, const char *name); /* or NULL */
/* Its steps, with these inputs. NULL: *why, malloc'd. */
vt_tplan *vt_tworkflow_plan(vt_tosca *, const vt_tworkflow *, vt_value inputs, char **why);
/* ---- condition.c */
/* 1: it holds, 0: it does not, -1: *why, malloc'd. n: whose attributes; NULL: those of the targets
 * that it names. */
int vt_tosca_holds(vt_tosca *, vt_tnodei *, uint32_t expr, char **why);
int vt_tosca_filter_holds(vt_tosca *, const vt_tstep *, vt_tnodei *, char **why); /* of the step */

/* ---- compare.c: what an update brings, for people. changes and objects may be NULL */
typedef struct vt_tchanges {
	vt_dict *lines;   /* {node: what happens to it} */
	vt_list *objects; /* {name, type, action, parts: [{part, old, new}]} */
	vt_value *old;    /* what nodes were made of before, by position in t->nodes; or NULL */
	const vt_tparts *now;
	uint32_t create, change, notify, remove;
} vt_tchanges;
/* What goes, and what vt_tupdate_begin found. c NULL: the lines alone. */
void vt_tupdate_show_away(const vt_tplan *, vt_buf *, vt_tchanges *c);
void vt_tupdate_show(const vt_tstate *, const vt_tosca *, vt_buf *, vt_tchanges *c);

/* ---- ssh.c: a script on another machine ---- */
typedef struct vt_tssh { /* the options; NULL: what ssh's own configuration says */
	const char *user, *key, *known_hosts;
	uint32_t port;          /* 0: as ssh is configured */
	bool accept_new, local; /* local: no script leaves this machine */
} vt_tssh;
/* What runs there: files by their paths, and the assignments of its environment. */
typedef struct vt_tremote {
	const char *host;
	const char *dir;     /* here, of the operation: has inputs.json and context.json */
	const char *primary; /* the path of one of the files */
	bool has_ctx;
	const char *by; /* what runs it: a word and a blank, or "" */
	const vt_tblob **file;
	uint32_t nfiles;
	char *const *set; /* NAME=VALUE */
	uint32_t nset;
} vt_tremote;
bool vt_tssh_is_local(const char *host);
bool vt_tssh_may_name(const char *host, size_t n); /* may it be given to ssh? */
/* Writes what goes there to `path`; malloc'd command for the shell of that machine, NULL: errno. */
char *vt_tssh_pack(const vt_tremote *, const char *path);
extern const char vt_tssh_mark[]; /* line before the outputs */
enum { VT_TSSH_NO_ROOM = 125, VT_TSSH_LOST = 255 };
/* Calls put for each word of the command line that comes before `host`. */
void vt_tssh_words(const vt_tssh *, void (*put)(void *, char *owned), void *ctx);
/* Those of them that ansible's --ssh-common-args wants; malloc'd. */
char *vt_tssh_for_ansible(const vt_tssh *);

/* ---- op.c: one operation ---- */
typedef struct vt_tdeploy {
	const vt_tprogram *p;
	vt_rt *rt;
	vt_tosca *t;
	vt_tplan *plan;
	vt_tstate *state;
	const char *self;  /* argv[0] */
	char *work;        /* directory of this run */
	char *logs;        /* directory that stays */
	double timeout;    /* of an operation that says none; 0: none */
	double retries;    /* of an operation that says none: how often again when it fails */
	double pause;      /* seconds before that */
	uint64_t most_log; /* of an operation; 0: no limit */
	vt_tssh ssh;
	uint32_t workers;
	bool progress, keep;
	bool hushed;     /* failures are not told as they come */
	bool wants_live; /* a terminal gets a display of the run, instead of lines */
	/* of the run: */
	uint32_t *ready, nready; /* a heap: the first in the order of the plan comes first */
	uint32_t running, done, failures;
	int wake; /* a descriptor that is readable once for each ready step, and when all is over */
	bool over;
	uint32_t ran;              /* steps that have ended well, of all plans */
	struct vt_tprogress *live; /* the display, or NULL */
	int tick;                  /* a descriptor that is readable when the run is over */
} vt_tdeploy;
/* VT_ERROR: cancelled. *why: malloc'd, what went wrong, or NULL: done. *again: seconds after which
 * it may be tried again; below 0: it may not. tries: how often it was in this run. */
vt_status vt_tosca_perform(
	vt_tdeploy *, const vt_taction *, uint32_t tries, char **why, double *again);
/* What a log is called: NODE.STEP without what a file's name should not have; malloc'd. */
char *vt_tosca_log_name(const char *);
/* Is it of a step of a workflow whose filter does not hold? *why: that cannot be known. */
bool vt_tosca_passes(vt_tdeploy *, vt_taction *, char **why);
/* The files that `name`, said in model->file `file`, is: rows of refs; none: it was not there. */
const vt_tblobref *vt_tosca_blobs(const vt_tprogram *, uint32_t file, uint32_t name, uint32_t *n);

/* ---- run.c ------------------------------------------------------------------------- */
/* All of the plan. 0, or the exit status 1; what failed was reported. */
int vt_tosca_execute(vt_tdeploy *);
/* Its steps as they ended: {"node", "step", "status", "at", "seconds"}, `at` after since. */
void vt_tosca_put_steps(const vt_tdeploy *, double since, vt_list *to);
/* The plan as text: what would run, and what each step waits for. Numbers go on from `from`; how
 * many steps there are. steps: they are put there as well, unless it is NULL. */
uint32_t vt_tosca_show_plan(const vt_tplan *, vt_buf *, vt_list *steps, uint32_t from);

#endif
