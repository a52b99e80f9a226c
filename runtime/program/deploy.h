/* deploy.h - inside of a deploy binary: its options, and what the commands share. */
#ifndef VT_DEPLOY_H
#define VT_DEPLOY_H

#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/mugl/mugl.h"
#include "runtime/program/status.h"
#include "runtime/text/cli.h"

/* The command line: a field for each row of options.def. */
typedef struct vt_deploy_options {
	vt_cli_line line;
#define OPTION(kind, field, ...) VT_CLI_FIELD(kind, field);
#define ALSO(...)
#include "runtime/program/options.def"
} vt_deploy_options;
extern const vt_cli vt_deploy_cli;

/* What is done at the steps of a program; the same for all sessions of a process. */
typedef struct vt_steps {
	const vt_program *program;
	bool trace;
	uint64_t *counts; /* shared with other processes; or NULL */
	size_t n;         /* of them */
	uint32_t *first;  /* by class: the number of its first step in counts */
} vt_steps;

typedef struct vt_deploy {
	const vt_program *program;
	const char *self; /* argv[0] without folders */
	const vt_deploy_options *o;
	mugl *before; /* --diff: the model as it was loaded; or NULL */
	mugl *marks;  /* the snapshot that was the model, where it has taint or protect; or NULL */
	bool simulated; /* without being asked: tests */
	bool resumes;   /* --snapshot holds what an interrupted run left */
	bool plans;     /* a dry run that nobody asked for: `plan` */
	bool undoes;    /* all there is goes */
	bool keeps;     /* a deployment whose state is kept, without --snapshot */
	char *hint;     /* what is to be done about an exception; or NULL */
	double began;   /* vt_clock() */
	FILE *log;      /* of the run; or NULL */
	vt_steps steps; /* --trace, --counts-fd */
} vt_deploy;

/* The commands: the exit status. */
#define COMMAND(function, ...) int function(vt_deploy *);
#include "runtime/program/commands.def"

/* ---- input.c; false: reported ---- */
/* NULL: reported. It needs the text; the name is shown. */
mugl *vt_deploy_graph(const char *name, const char *text, size_t n);
/* NULL: *rc says why not. */
vt_rt *vt_deploy_open(vt_deploy *, int *rc);
const char *vt_deploy_shown(const char *path); /* "<stdin>" for "-" */
/* One of both: *g of a snapshot, *model of any other JSON, or of Yay. The graph needs the text. */
bool vt_deploy_read(
	vt_deploy *, vt_rt *, const char *path, vt_buf *text, vt_value *model, mugl **g);
bool vt_deploy_read_model(vt_deploy *, vt_rt *, const char *path, vt_value *model);
/* --args: an object is arguments by name, an array arguments by position. */
bool vt_deploy_arguments(vt_deploy *, vt_rt *, vt_value *args, vt_value *kwargs);
vt_status vt_deploy_call_public(vt_rt *, vt_value target, const char *method, vt_value args,
	vt_value kwargs, vt_value *out);

/* ---- answer.c ---- */
bool vt_deploy_put(vt_deploy *, vt_buf *, unsigned flags); /* with a line's end */
void vt_deploy_put_error(vt_deploy *, vt_rt *, vt_buf *);
/* What there is to write has the marks of what was read. */
bool vt_deploy_mark(const vt_deploy *, mugl *, mugl_problems *);
bool vt_deploy_save(const char *path, const mugl *);
/* The newest stamp of a plan, into a snapshot and out of it. */
void vt_deploy_put_stamp(const vt_rt *, mugl *);
void vt_deploy_take_stamp(vt_rt *, const mugl *);
/* SystemData and its like; false: reported */
bool vt_deploy_put_rest(vt_rt *, mugl *);
void vt_deploy_take_rest(vt_rt *, const mugl *, vt_value model);
/* The objects as they are now: --snapshot and --diff. */
bool vt_deploy_keep(vt_deploy *, vt_rt *, vt_buf *answer);
bool vt_deploy_is_json(const vt_deploy *);
/* {"result" or "error", "model", "effects", "traces"}; gives out up. given: the model to begin
 * with, or VT_UNDEF. The exit status. */
int vt_deploy_finish(vt_deploy *, vt_rt *, vt_status, vt_value out, vt_value given, bool loaded);

/* ---- steps.c: a program that was built with steps links it (vt_program.stepping) ---- */
struct vt_stepping {
	/* What the options ask for; false: reported. */
	bool (*begin)(vt_deploy *, vt_rt *);
	/* All steps, one a line, in the order of their counts: package, its version, class, kind,
	 * line, column, text, parted by tabs. */
	void (*list)(const vt_program *, vt_buf *);
};

/* ---- run.c ---- */
vt_status vt_deploy_target(vt_deploy *, vt_rt *, vt_value *out); /* what --object names */
void vt_deploy_find_stamp(vt_deploy *, vt_rt *); /* the snapshot of the run before has it */

/* Loads the model and calls the method, as `run` does; what is wrong is pending.  *loaded: the
 * model is there. */
bool vt_deploy_try(vt_deploy *, vt_rt *, vt_value model, bool *loaded);
/* Takes down what a model without objects had; the exit status. */
int vt_deploy_undo(vt_deploy *, vt_rt *, vt_value model);

/* ---- operate.c ---- */
const char *vt_deploy_name(const vt_deploy *);                /* of the package */
char *vt_deploy_state_path(const vt_deploy *);                /* malloc'd */
char *vt_deploy_logs_of(const char *state);                   /* the folder beside it; malloc'd */
const char *vt_deploy_ended_as(const vt_deploy *, bool good); /* "deployed", "failed", ... */
/* After a deployment that ended so; why: or NULL. */
void vt_deploy_keep_state(vt_deploy *, vt_rt *, bool good, const char *why);
/* What is reported in between goes to the log VERB beside the state. */
void vt_deploy_begin_log(vt_deploy *, const char *verb);
void vt_deploy_end_log(vt_deploy *);
/* Is the result of a run for a terminal, and not asked for as JSON? */
bool vt_deploy_is_for_people(const vt_deploy *);
/* What it is told then. result: as JSON; NULL: it failed. */
void vt_deploy_put_summary(
	const vt_deploy *, vt_rt *, vt_buf *, bool good, const char *result, size_t);

/* ---- operate_page.c ---- */
/* The page of --html.  g: the objects, or NULL; log: NULL: all logs; more: members of JSON, each
 * with a comma before it.  The exit status. */
int vt_deploy_put_page(vt_deploy *, const mugl *g, const vt_buf *log, const char *more);
/* Of a run that has ended; why: it failed; result: JSON, or nothing. */
bool vt_deploy_put_run_page(vt_deploy *, vt_rt *, const char *why, const vt_buf *result);
/* Puts the end of the log of `verb`, or of all; the lines that have the word; both may be NULL. */
void vt_deploy_log_end(const vt_deploy *, const char *verb, const char *word, vt_buf *);

/* ---- request_journal.c ---- */
/* Opens the journal of what `is` describes: names and texts by turns, then NULL.  False:
 * reported. */
bool vt_deploy_journal(vt_deploy *, vt_rt *, const char *path, const char *const *is);
/* Opens that of a session, where one is wanted.  False: reported. */
bool vt_session_journal(vt_deploy *, vt_rt *);
/* The end of a session with this status; the exit status. */
int vt_session_forget(vt_deploy *, vt_rt *, int rc);
/* Ends the requests that a server which was killed had begun.  False: reported, or interrupted. */
bool vt_actions_resume(vt_deploy *);

#endif
