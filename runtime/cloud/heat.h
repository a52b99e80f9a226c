/*
 * heat.h - io.murano.system.HeatStack: heat.c, which changes stacks, and heat_report.c, which
 * says what becomes of them.
 */
#ifndef VT_SYS_HEAT_H
#define VT_SYS_HEAT_H

#include "runtime/cloud/native_class.h"
#include "runtime/task/task.h"

/* A push that runs in a task of its own. */
typedef struct push_task {
	bool dropped; /* it must not begin */
	bool begun, ended;
	vt_value failed; /* exception, or VT_UNDEF */
	struct waiter *waiters;
	uint32_t refs; /* the stack's, the task's and those of who waits */
} push_task;

struct waiter {
	struct waiter *next;
	vt_event event;
};

/* Whose push it is: one at a time, the others in the order in which they came. */
typedef struct turn {
	bool taken;
	struct waiter *first, *last;
} turn;

typedef struct heat {
	vt_value name, region, description;
	vt_value template; /* VT_UNDEF: not known yet */
	vt_value parameters, files, environment;
	vt_value created, updated;      /* timestamps when it was last settled; VT_NULL */
	vt_value outputs_from, outputs; /* the answer's list and what it was made into; VT_UNDEF */
	bool applied;
	uint64_t changes, there; /* changes of what shall be there, and up to which one it is */
	turn turn;
	bool hooked; /* the end of the session waits for the push */
	push_task *push;
	bool follows; /* an operation was begun: its events are reported */
	char *seen;   /* the last event that was reported; or NULL */
} heat;

/* What one look at a stack says. */
typedef struct look {
	vt_value stack; /* its document; VT_UNDEF: there is none */
	const char *status;
	bool settled;
} look;

/* "/stacks/NAME", with the id once it is known, and `rest`; malloc'd. */
char *vt_heat_path(const heat *, vt_value stack, const char *rest);
/* path is given away.  Status 404 and 409 are the caller's, others of 300 and above an exception.
 */
vt_status vt_heat_ask(
	vt_rt *, heat *, const char *method, char *path, vt_value body, vt_service_answer *out);

vt_status vt_heat_look(vt_rt *, heat *, look *); /* once; its stack is the caller's to release */
bool vt_heat_is_gone(const look *);
vt_value vt_heat_resources(vt_value template); /* in either spelling; VT_NULL: none; borrowed */

/* ---- heat_report.c ---- */

/* With --progress: what the stack's resources have done since the last time.  Fails only when the
 * task is cancelled. */
vt_status vt_heat_follow(vt_rt *, heat *, const look *);
/* From now on; what was before is not reported. */
vt_status vt_heat_follow_from(vt_rt *, heat *, vt_value stack);
/* Says what failed in it, stacks below it included; *more is what of that the reason of the stack
 * does not say. */
vt_status vt_heat_failed(vt_rt *, heat *, const look *, vt_buf *more);

/* ---- heat_request.c ---- */

vt_value vt_heat_tags(vt_rt *); /* those of the settings */
/* Template, parameters, files and environment. */
void vt_heat_put_common(vt_rt *, heat *, vt_dict *, vt_value template);
vt_value vt_heat_body(vt_rt *, heat *, vt_value template, bool create);
/* Did the request of a run that was killed arrive, and end well?  What cannot be compared did not.
 */
vt_status vt_heat_find_there(vt_rt *, heat *, vt_value stack, vt_value template, bool *there);

#endif
