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
struct wf_host {
	const char *name;
	wf_names functions, variables;
	wf_function *function; /* by number in functions */
	uint32_t nfunctions;
};
const wf_function *wf_function_of(const vc *, const wf_host *, const char *name); /* or NULL */
const char *wf_type_name(enum wf_type);
uint32_t wf_type_kinds(enum wf_type); /* enum vc_kinds */

/* ---- expr.c ---- */
/* Are so many problems known that a look through n names, which takes time, is no help? */
bool wf_enough(const wf_scope *, uint32_t n);
void wf_say(const wf_scope *, enum vc_code, vc_span, const char *fmt, ...) VT_PRINTF(4, 5);

/* ---- text.c: texts with expressions in them, and the shape of documents ---- */
void wf_value(const wf_scope *, const ynode *); /* all texts of a value */
/* The same of a place that wants something of these kinds (enum vc_kinds); what: its name. */
void wf_typed(const wf_scope *, const ynode *, uint32_t kinds, const char *what);
/* Does an expression begin here?  Then *end is behind it. */
bool wf_block(const char *text, const char **end);
const char *wf_text(const ynode *); /* NULL: it is no text */
/* Checks the keys of an entity; names end with NULL. False: it is no map, reported. */
bool wf_keys(const wf_scope *, const ynode *, const char *noun, const char *const *names);
/* A map of names; NULL: it is not there, or reported. */
const ynode *wf_map(const wf_scope *, const ynode *of, const char *key);
/* The n-th entry of a list of names and of maps of one key, of which *value may be NULL.
 * False: reported. */
bool wf_entry(const wf_scope *, const ynode *list, uint32_t n, const ynode **key,
	const ynode **value, const char *what);

/* ---- graph.c: which task leads to which ---- */
typedef struct wf_graph {
	const wf_names *tasks;
	const ynode *const *key; /* of each task */
	struct wf_edge {
		uint32_t from, to;
	} * edge;
	uint32_t nedges;
} wf_graph;
void wf_edge_add(vc *, wf_graph *, uint32_t from, uint32_t to);
uint32_t *wf_inbound(vc *, const wf_graph *); /* by task: of how many it is the next */
void wf_check_reach(const wf_scope *, const wf_graph *);

/* ---- mistral.c, orquesta.c ---- */
void wf_check_mistral(wf_scope *, const ynode *doc);
void wf_check_orquesta(wf_scope *, const ynode *doc);

#endif
