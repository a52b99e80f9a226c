/* int.h - what the files of this room share. */
#ifndef VC_WORKFLOW_INT_H
#define VC_WORKFLOW_INT_H

#include "compiler/workflow/workflow.h"

/* ---- host.c ---- */
/* What an argument of a function of the host may be. */
enum wf_type {
	WF_ANY,
	WF_TEXT,
	WF_INTEGER,
	WF_NUMBER,
	WF_BOOLEAN,
	WF_LIST,
	WF_DICT,
	WF_TASK,     /* a task of the workflow */
	WF_VARIABLE, /* a variable of the workflow */
	WF_ITEM,     /* a name that `with` gives */
	WF_NTYPES
};
typedef struct wf_parameter {
	const char *name;
	uint8_t type; /* enum wf_type */
	bool nullable, has_default;
	bool rest, keywords; /* *name, **name */
} wf_parameter;
typedef struct wf_function {
	const char *name;
	wf_parameter *params;
	uint32_t nparams;
} wf_function;
typedef struct wf_functions {
	wf_names names;
	wf_function *of; /* by number in names */
	uint32_t n;
} wf_functions;
struct wf_host {
	const char *name;
	wf_functions functions, actions;
	wf_names variables;
};
const wf_function *wf_function_of(const vc *, const wf_host *, const char *name); /* or NULL */
const wf_function *wf_action_of(const vc *, const wf_host *, const char *name);   /* or NULL */
const char *wf_type_name(enum wf_type);
uint32_t wf_type_kinds(enum wf_type); /* enum vc_kinds */

/* ---- expr.c ---- */
/* Are so many problems known that a look through n names, which takes time, is no help? */
bool wf_enough(const wf_scope *, uint32_t n);
void wf_say(const wf_scope *, enum vc_code, vc_span, const char *fmt, ...) VT_PRINTF(4, 5);

/* ---- workflow.c ---- */
/* Is this a map of tasks, whatever its key is?  A keyname of tasks stands in one of them. */
bool wf_like_tasks(const ynode *);
bool wf_has_flows(const ynode *map); /* of workflows or actions */

/* ---- text.c: texts with expressions in them, and the shape of documents ---- */
void wf_value(const wf_scope *, const ynode *); /* all texts of a value */
/* The same of a place that wants something of these kinds (enum vc_kinds); what: its name. */
void wf_typed(const wf_scope *, const ynode *, uint32_t kinds, const char *what);
/* Does an expression begin here?  Then *end is behind it. */
bool wf_block(const char *text, const char **end);
const char *wf_text(const ynode *); /* NULL: it is no text */
/* The next NAME= of `a=1 b=<% $.x %> c="d e"`, outside of expressions and quotes; or NULL. */
const char *wf_inline_name(const char **at, size_t *n);
extern const char wf_word_chars[];
/* Checks the keys of an entity; names end with NULL. False: it is no map, reported. */
bool wf_keys(const wf_scope *, const ynode *, const char *noun, const char *const *names);
/* A map of names; NULL: it is not there, or reported. */
const ynode *wf_map(const wf_scope *, const ynode *of, const char *key);
/* The tasks of a workflow, also below a key that is misspelt, which wf_keys() reported.  missing:
 * there are none at all. */
const ynode *wf_tasks(const wf_scope *, const ynode *of, bool *missing);
/* The n-th entry of a list of names and of maps of one key, of which *value may be NULL.
 * False: reported. */
bool wf_entry(const wf_scope *, const ynode *list, uint32_t n, const ynode **key,
	const ynode **value, const char *what);

/* ---- graph.c: the tasks of a workflow: which leads to which, and what they publish ---- */
enum { WF_ALWAYS = UINT32_MAX };
typedef struct wf_flow {
	wf_scope *s;
	const char *const *commands; /* what may stand for a task that is next; ends with NULL */
	const char *no_task;         /* a key among the tasks that is none; or NULL */
	wf_names tasks, vars;
	const ynode **key; /* of each task */
	struct wf_edge {
		uint32_t from, to;
	} * edge;
	struct wf_given {
		uint32_t var, task; /* which publishes it; WF_ALWAYS: it is there from the start */
	} * given;
	struct wf_use {
		uint32_t var, task;
		bool later;
		vc_span at;
	} * use;
	uint32_t nkeys, nedges, ngiven, nuses;
	uint32_t task; /* the one that is looked at, or WF_ALWAYS */
	bool later;    /* what is looked at is evaluated when the task has published */
} wf_flow;
/* Is entry i of `tasks` a task?  Then it is the one that is looked at; wf_enter() adds it first. */
bool wf_enter(wf_flow *, const ynode *tasks, uint32_t i);
bool wf_at(wf_flow *, const ynode *tasks, uint32_t i);
/* A variable of the workflow, which that task publishes. */
void wf_give(wf_flow *, const char *name, uint32_t task);
/* An expression reads it; keys: the set in which it was found. */
void wf_used(wf_flow *, const wf_names *keys, const char *name, vc_span);
void wf_edge_add(wf_flow *, uint32_t from, uint32_t to);
bool wf_is_command(const wf_flow *, const char *name);
/* The number of the task that text[from..to) names; WF_ALWAYS: none, which is reported unless it is
 * a command. */
uint32_t wf_named_task(const wf_flow *, const ynode *, uint32_t from, uint32_t to);
/* Of how many tasks each is the next; then check(who, task, inbound) of all of them. */
void wf_check_joins(wf_flow *, const ynode *tasks,
	void (*check)(wf_flow *, const ynode *task, uint32_t inbound));
void wf_check_reach(const wf_flow *);
/* Variables that are read before a task can have published them. */
void wf_check_order(const wf_flow *);

/* ---- call.c: what a task runs, with its inputs ---- */
typedef struct wf_wanted {
	const char *noun, *name; /* "workflow", "deploy" */
	wf_names inputs;
	bool *optional; /* by number in inputs */
	/* What is reported of an input that is not among them, and of one that is not given. */
	enum vc_code unexpected, missing;
	bool (*also)(const char *); /* takes this one beside its inputs; or NULL */
} wf_wanted;
/* `NAME a=1 b=<% $.x %>`, and a map of inputs beside it, which may be NULL. */
void wf_check_inputs(const wf_scope *, const wf_wanted *, const ynode *call, const ynode *input);
/* The same of an action; own: the actions of the document. */
void wf_check_action(const wf_scope *, const wf_names *own, const ynode *call, const ynode *input);

/* ---- mistral.c, orquesta.c ---- */
void wf_check_mistral(wf_scope *, const ynode *doc);
void wf_check_orquesta(wf_scope *, const ynode *doc);

#endif
