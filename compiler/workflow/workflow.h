/*
 * workflow.h - workflows of Mistral and Orquesta, and YAQL that stands inside of other texts.
 *
 * A host adds functions to YAQL and says what $ is.  Its functions are declared in a file below
 * templates/hosts; what else a workflow may name follows from the workflow itself.
 */
#ifndef VC_WORKFLOW_WORKFLOW_H
#define VC_WORKFLOW_WORKFLOW_H

#include "compiler/base/base.h"
#include "compiler/check/check.h"
#include "compiler/yaml/yaml.h"

enum wf_kind { WF_NONE, WF_MISTRAL, WF_ORQUESTA };

/* By the name that --kind has; WF_NONE: another kind. */
enum wf_kind wf_kind_named(const char *);
/* By what the file says; WF_NONE: it is no workflow, or cannot be read. */
enum wf_kind wf_kind_of(vc *, const char *path);
/* Reports what is wrong with the workflows of a file; functions: files that declare more. */
void wf_check(vc *, vc_source *, enum wf_kind, const char *const *functions, uint32_t n);

/* Keys of "workflow", "task", "retry" and so on, ended by NULL; NULL: there is nothing of that
 * name. */
const char *const *wf_mistral_keys(const char *noun);
const char *const *wf_orquesta_keys(const char *noun);

/* ---- names.c: sets of names, in the order in which they came ---- */
typedef struct wf_names {
	const char **v;
	uint32_t n;
	uint32_t *slot, nslots;       /* by hash: number + 1 */
	const struct wf_names *outer; /* which has more of them; or NULL */
} wf_names;
void wf_add(vc *, wf_names *, const char *);
/* The number in this very set; UINT32_MAX: absent. */
uint32_t wf_find(const vc *, const wf_names *, const char *);
bool wf_has(const vc *, const wf_names *, const char *); /* or outer ones */

/* ---- host.c: functions of a host ---- */
typedef struct wf_host wf_host;
wf_host *wf_host_read(vc *, enum wf_kind, const char *const *functions, uint32_t n);

/* ---- expr.c: an expression ---- */
/* What an expression may name.  NULL among the sets: nobody knows. */
typedef struct wf_scope {
	vc *c;
	const wf_host *host;   /* NULL: the library alone */
	const wf_names *tasks; /* of the workflow */
	const wf_names *keys;  /* of $ */
	const char *part;      /* a key of $, whose keys are: */
	const wf_names *parts;
	const wf_names *vars;  /* of ctx() */
	const wf_names *items; /* of item() */
	struct wf_flow *flow;  /* which notes what is read; or NULL */
	const char *nobody;    /* "nothing in the workflow sets it": why a key is not there */
	bool untyped;          /* nothing is said of types */
	/* NULL: as the code has it. Hints follow by vc_hint. */
	void (*say)(void *who, enum vc_code, vc_span, const char *text);
	void *who;
} wf_scope;
/* Checks text[from..from + n) of a scalar; what it gives. */
vc_type wf_expression(const wf_scope *, const ynode *, uint32_t from, uint32_t n);

#endif
