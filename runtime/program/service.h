/* service.h - inside of the binary of a service: its options, and what the commands share. */
#ifndef VT_SERVICE_H
#define VT_SERVICE_H

#include "runtime/mugl/mugl.h"
#include "runtime/program/status.h"
#include "runtime/text/cli.h"
#include "runtime/deploy/deploy.h"

/* The command line: a field for each row of service_options.def. */
typedef struct vt_service_options {
	vt_cli_line line;
#define OPTION(kind, field, ...) VT_CLI_FIELD(kind, field);
#define ALSO(...)
#include "runtime/program/service_options.def"
} vt_service_options;
extern const vt_cli vt_service_cli;

typedef struct vt_service {
	const vt_tprogram *p;
	const char *self;
	const vt_service_options *o;
	vt_rt *rt;
	vt_tosca *t;
	vt_dict *inputs;
	const char *word;     /* of `workflow`: its name; of `notify`: the event; or NULL */
	vt_tspan more_inputs; /* and its inputs */
	bool notifies;        /* the workflow is what triggers do at the event */
	bool dry;             /* nothing is done */
	double began;         /* vt_clock() */
	uint32_t ran;         /* steps that have ended well */
	const char *only;     /* `logs`: whose log goes on the page; or NULL */
	vt_list *did;         /* --html of a run: its steps as they ended; or NULL */
	vt_list *steps;       /* of `plan`: where they go, and what changes; or NULL */
	vt_tchanges *changes;
	const char *heals; /* a node that is made anew, with what needs it; or NULL */
} vt_service;

/* The commands: the exit status. */
#define COMMAND(function, ...) int function(vt_service *);
#include "runtime/program/service_commands.def"

/* ---- service_show.c: DONE, or the status after reporting why not ---- */
int vt_service_put(vt_service *, vt_buf *); /* an answer; frees the buffer */
int vt_service_put_value(vt_service *, vt_value owned);
int vt_service_report(
	const vt_service *, uint32_t from);   /* FAILED: there are problems from there on */
bool vt_service_is_given(const vt_service *); /* some input */
int vt_service_inputs(vt_service *);
int vt_service_evaluate(vt_service *, vt_dict *inputs);
int vt_service_live(vt_service *, vt_tstate *);
/* *out NULL: there is none. False: reported. */
bool vt_service_open_state(vt_service *, const char *path, vt_tstate **out);
bool vt_service_look_state(vt_service *, const char *path, vt_tstate **out); /* only to read it */
vt_value vt_service_outputs_of(vt_service *);

/* ---- service_identity.c ---- */
/* What the service is called, and its version (or NULL): its state belongs to both. */
const char *vt_service_name(const vt_tprogram *);
vt_towner vt_service_owner(const vt_tprogram *);
/* Where its state is, or is to be; malloc'd. */
char *vt_service_state_path(const vt_service *);
/* The state of another service is reported, and false. */
bool vt_service_is_ours(vt_service *, vt_tstate *, const char *path);
/* False: something is there that this build knows nothing of, which was reported.  old: the service
 * with the inputs of the state, or NULL. */
bool vt_service_knows_all(vt_service *, vt_tstate *, const vt_tosca *old, const char *path);

/* ---- service_view.c ---- */
int vt_service_put_plan(vt_service *, vt_tstate *, vt_buf *text, uint32_t steps);
bool vt_service_is_json(const vt_service *); /* unless it is for a terminal, or asked for as text */
/* A run for people: what there is, the outputs.  result: what it gives as JSON, which it owns. */
int vt_service_put_summary(vt_service *, vt_value result);

/* {"title", "topology", "states", "failures", "logs", what: value} as a page to --html. */
int vt_service_put_page(vt_service *, vt_tstate *, const char *what, vt_value);

/* ---- service_logs.c ---- */
/* {node: the end of its logs}, of those that c->only names */
vt_value vt_service_logs_by_node(vt_service *);

/* ---- service_run.c ---- */
vt_value vt_service_states(vt_service *, vt_tstate *); /* {node: state} */
int vt_service_deploy(vt_service *, bool undoing);
/* A key of the inputs that is none: how many nodes of a template a scaled service has. */
#define VT_SERVICE_COUNT "$count/"
#define VT_SERVICE_GROUP "$group/"                 /* behind it: of a group or policy */
bool vt_service_ready(vt_service *, vt_tdeploy *); /* its operations have all inputs; reports */
/* What the options say of the run. */
void vt_service_begin(vt_service *, vt_tdeploy *);
void vt_service_end(vt_tdeploy *);
/* Where operations work and write their logs; false: reported. */
bool vt_service_make_room(vt_service *, vt_tdeploy *, const char *path);
void vt_service_drop_room(vt_tdeploy *);
char *vt_service_logs_of(const char *state);        /* where the logs of that state are; malloc'd */
int vt_service_execute(vt_service *, vt_tdeploy *); /* does the plan */
int vt_service_show(vt_service *, vt_buf *, uint32_t steps);
/* {"outputs", "nodes"}: what there is now, whatever came of the run. */
int vt_service_result(vt_service *, vt_tstate *, bool undo, int rc);

#endif
