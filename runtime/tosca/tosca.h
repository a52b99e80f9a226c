/*
 * tosca.h - the TOSCA engine: a model (vt_tosca.h) becomes a representation graph with values.
 *
 * session.c makes and ends an engine and keeps its problems; type.c gives values their types and
 * checks them; graph.c makes nodes, resolve.c relates them; eval.c evaluates expressions, fn.c
 * has the functions, path.c the functions that walk the graph; out.c gives the result.
 *
 * Values are vt_values: strings, integers, floats, booleans and null as themselves, lists and maps
 * as TUPLE and FrozenDict in the order of the file.  Scalars, versions, timestamps and ranges are
 * dicts in the notation that the topology shows: {"scalar", "unit", "$number", "$string"},
 * {"$string"}, ...; type.c has the table.
 *
 * Lazy: a cell (one property, attribute, input...) is evaluated when somebody asks for it, once.  A
 * cell that depends on itself is a problem.  What cannot be known yet, because an input was not
 * given or a problem was reported, is VT_UNDEF inside cells and makes what depends on it unknown,
 * silently.
 */
#ifndef VT_TOSCA_ENGINE_H
#define VT_TOSCA_ENGINE_H

#include "runtime/core/diag.h"
#include "vt_tosca.h"

typedef struct vt_tosca vt_tosca;

/* ---- problems ---- */
typedef struct vt_tproblem {
	enum vt_diag code;
	vt_tplace place;
	char *message, *hint; /* malloc'd; hint may be NULL */
	bool again;           /* only the node that is named is another one: not shown */
} vt_tproblem;
void vt_tosca_problem(vt_tosca *, enum vt_diag, vt_tplace, const char *fmt, ...) VT_PRINTF(4, 5);
/* Something that is taken, for whoever keeps_leniencies. */
void vt_tosca_lenient(vt_tosca *, enum vt_diag, vt_tplace, const char *fmt, ...) VT_PRINTF(4, 5);
/* belongs to the last problem */
void vt_tosca_hint(vt_tosca *, const char *fmt, ...) VT_PRINTF(2, 3);

/* place.c: 1-based, the column in code points; false: the place is nowhere */
bool vt_tosca_locate(const vt_tmodel *, vt_tplace, uint32_t *line, uint32_t *col);

/* ---- cells ---- */
enum vt_tcell_state { VT_TC_NEW, VT_TC_BUSY, VT_TC_DONE };
typedef struct vt_tcell {
	uint32_t name, slot; /* slot 0: undeclared, without a type */
	uint32_t expr;       /* assigned, or the declaration's default; 0: nothing */
	uint8_t state;       /* enum vt_tcell_state */
	uint8_t given;       /* value came from outside (input): still to be typed */
	uint8_t live;        /* operations may give it another value at any time: live.c */
	uint8_t hushed;      /* DONE: something was wrong, and nobody heard of it */
	uint32_t epoch;      /* DONE: the value is that of t->epoch, or 0: it stays */
	vt_value value;      /* DONE: VT_UNDEF is unknown, VT_NOVALUE: nothing was assigned */
	vt_tplace place;
} vt_tcell;
typedef struct vt_tnodei vt_tnodei;
typedef struct vt_treli vt_treli;
typedef struct vt_tbag {
	vt_tcell *cell;
	uint32_t n;
} vt_tbag;

/* Of what an expression speaks: SELF, SOURCE, TARGET, and the service whose inputs are meant. */
typedef struct vt_tservicei vt_tservicei;
typedef struct vt_tctx {
	vt_tservicei *service;
	vt_tnodei *node; /* SELF of a node, or of one of its capabilities */
	vt_treli *rel;   /* SELF of a relationship: has SOURCE and TARGET */
	vt_treli *asks;  /* in a filter of a requirement: the relationship that would be made */
	vt_value value;  /* $value, or VT_UNDEF */
	vt_tplace place; /* of the call that runs */
	const vt_value *args;
	uint32_t nargs; /* $arg0... of a custom function */
	const char *fn; /* name of the function that runs, for vt_tosca_fail; or NULL */
} vt_tctx;

/* ---- the representation graph ---- */
typedef struct vt_tcapi {
	const vt_tcapdef *def;
	vt_tnodei *node;
	vt_tbag props, attrs;
	uint32_t used; /* relationships that lead here */
	bool closed;   /* to relationships of its own service */
	/* what they take of properties, in canonical units: alloc.c; or NULL */
	vt_tbag *taken;
	/* of a substituted node, for which this one stands; or NULL: relationships to it lead here
	 * too */
	struct vt_tcapi *outer;
} vt_tcapi;
struct vt_treli {
	const vt_treq *req;
	uint32_t name, type; /* of the requirement; relationship type or 0 */
	vt_tnodei *source, *target;
	vt_tcapi *cap;
	uint32_t index; /* among those of the same name of the source */
	uint32_t at;    /* among all of the source */
	vt_tbag props, attrs;
	/* of operations that ran, by "interface/operation/name"; or NULL */
	struct vt_dict *outputs;
	vt_treli *next_in; /* of the target: relationships that lead to it */
};
struct vt_tnodei {
	const vt_tnode *t;
	vt_tservicei *service;
	uint32_t index, of; /* which of `of` representations of the template */
	vt_tbag props, attrs;
	vt_tcapi *caps;
	uint32_t ncaps;
	vt_treli **rels;
	uint32_t nrels, caprels; /* outgoing, in the order of the requirements */
	vt_treli *in;
	vt_tservicei *inside;    /* the service that substitutes this node; or NULL */
	uint32_t order;          /* position in t->nodes */
	struct vt_dict *outputs; /* as those of relationships */
	uint32_t mark;           /* of walks over the graph */
};
struct vt_tservicei {
	const vt_tservice *s;
	vt_tnodei *outside; /* the node that it substitutes; or NULL */
	vt_tbag inputs, outputs;
	vt_tbag *groups, *policies; /* properties, by group and policy of the service */
	/* by node template of the service: its first representation, the others follow */
	vt_tnodei **first;
	uint32_t *count;         /* and how many it has */
	uint32_t *names, nnames; /* hash: name -> node template + 1 */
	uint32_t *sorted;        /* node templates by name */
};
typedef struct vt_tosca_limits {
	uint32_t max_nodes; /* representations: 1,000,000 */
	uint32_t max_depth; /* of nested values and calls: 500 */
	uint64_t max_steps; /* expressions evaluated: 1,000,000,000 */
	uint64_t max_value; /* bytes of one value as it would be written: 64 MiB */
} vt_tosca_limits;
struct vt_tosca {
	vt_rt *rt;
	const vt_tmodel *m;
	vt_tosca_limits limit;
	vt_tproblem *problems;
	uint32_t nproblems;
	/* what the standard does not allow and is taken; a check shows it, a run does not */
	vt_tproblem *leniencies;
	uint32_t nleniencies;
	bool keeps_leniencies;
	vt_tservicei **services;
	uint32_t nservices; /* [0] the root's */
	/* By name of the root's templates: how many, whatever they say; or NULL.  Owned. */
	struct vt_dict *counts;
	vt_tnodei **nodes;
	uint32_t nnodes; /* in the order of the templates */
	uint32_t depth;
	uint64_t steps;
	bool partial; /* inputs may be missing: check */
	bool open;    /* types are missing, reported: what they may declare is unknown */
	/* counts new relationships, then changes of attributes by operations; 0: none yet */
	uint32_t epoch;
	bool touched; /* what is being evaluated has read what may change */
	/* or NULL: takes what a long result has so far, and empties the buffer */
	void (*full)(vt_buf *);
	/* The code of a YAQL expression, which outlives the engine; NULL: *why, malloc'd, says why
	 * not. Or NULL: there is none. */
	const struct vt_program *(*yaql)(struct vt_tosca *, const struct vt_str *, char **why);
	void *yaql_ctx;
	struct vt_tosca_mem *mem; /* everything of the engine dies with it */
};

/* ---- session.c ---- */
vt_tosca *vt_tosca_new(vt_rt *, const vt_tmodel *);
void vt_tosca_free(vt_tosca *);
/* zeroed; lives as long as the engine */
void *vt_tosca_alloc(vt_tosca *, size_t);
/* Gives an input of the root service its value (borrowed); false: there is no such input. */
bool vt_tosca_input(vt_tosca *, const vt_str *name, vt_value);
/* All of it: inputs, nodes, topology, every cell. Problems say what went wrong. */
void vt_tosca_run(vt_tosca *);
/* Every cell again, of a service that is live: what is reported reads values where they are. */
void vt_tosca_values(vt_tosca *);
/* Values that stand in types: defaults against their schemas. */
void vt_tosca_check_types(vt_tosca *);
/* The text of an index, and the index of a text: 0 when the model has no such string. */
const char *vt_tosca_text(const vt_tosca *, uint32_t str);
static inline vt_value
vt_tosca_str(const vt_tosca *t, uint32_t str)
{
	return vt_mkptr(t->m->str[str]);
}
uint32_t vt_tosca_find_str(const vt_tosca *, const vt_str *);
bool vt_tosca_is(const vt_tmodel *, uint32_t type, uint32_t ancestor); /* types of one kind */

/* hot.c: for vt_tosca.yaql, with a vt_tprogram as yaql_ctx: what was compiled ahead. */
const struct vt_program *vt_tosca_find_yaql(vt_tosca *, const struct vt_str *, char **why);

/* ---- eval.c ---- */
/* False: unknown or reported; *out is then VT_UNDEF. */
bool vt_tosca_eval(vt_tosca *, const vt_tctx *, uint32_t expr, vt_value *out);
/* The value of a cell, typed and checked; borrowed. VT_UNDEF: unknown. */
vt_value vt_tosca_cell(vt_tosca *, const vt_tctx *, vt_tcell *);
/* Cells of slots with what is assigned to them; assigned names without a slot get cells of their
 * own. */
vt_tbag vt_tosca_bag(vt_tosca *, vt_tspan slots, vt_tspan assigns);
/* NULL: none of that name */
vt_tcell *vt_tosca_find(const vt_tbag *, uint32_t name);
/* The same for who changes it: nodes whose templates assign nothing have their cells together until
 * then. */
vt_tcell *vt_tosca_find_own(vt_tosca *, vt_tbag *, uint32_t name);

/* ---- type.c ---- */
/* What a value is, reported only when there is something to report: "property 'x' of node 'y'". a,
 * b and n are say's own. */
typedef struct vt_titem {
	void (*say)(vt_buf *, const vt_tosca *, const struct vt_titem *);
	const void *a, *b;
	uint32_t n;
} vt_titem;
/*
 * Types and checks a value (borrowed): the value as the topology shows it in *out. False: reported
 * at the place of the expression nearest (expr may be 0: then ctx->place), or unknown. item may be
 * NULL.
 */
bool vt_tosca_type(vt_tosca *, const vt_tctx *, uint32_t schema, uint32_t expr, vt_value,
	const vt_titem *item, vt_value *out);
/* The same without the constraints: what a value must be, not what it may be. */
bool vt_tosca_shape(vt_tosca *, const vt_tctx *, uint32_t schema, uint32_t expr, vt_value,
	const vt_titem *item, vt_value *out);
/* -1 0 1; 2: nothing to compare */
int vt_tosca_compare(vt_tosca *, vt_value a, vt_value b);
/* numbers, and the $number of scalars; borrowed */
bool vt_tosca_number(vt_value, vt_value *number);
/* As the topology shows it: floats without a fraction are integers. Owned. */
vt_value vt_tosca_shown(vt_tosca *, vt_value);

/* ---- fn.c and path.c: functions ---- */
/* Arguments are evaluated, known and borrowed. False: reported with vt_tosca_fail, or unknown (*out
 * VT_UNDEF). */
enum {
	VT_TF_LAZY = 1,   /* gets the expression: args are row numbers */
	VT_TF_GRAPH = 2,  /* needs nodes: not in inputs or types */
	VT_TF_CHECK = 4,  /* a constraint or validation operator */
	VT_TF_UNKNOWN = 8 /* takes unknown arguments: VT_UNDEF */
};
typedef struct vt_tfunc_row {
	const char *name;  /* without $ */
	uint32_t versions; /* where it is a function: enum vt_tversion */
	/* where it is a constraint operator: called with $value and its operand as written */
	uint32_t clause;
	int16_t min, max; /* arguments; max -1: any number */
	uint32_t flags;
	vt_tfn fn;
	const char *args; /* as documented: "text, separators, index" */
	const char *doc, *example;
} vt_tfunc_row;
/* [0] is no function; ends with a NULL name */
extern const vt_tfunc_row vt_tfuncs[];
uint32_t vt_tfunc_find(const char *name, uint32_t version, bool clause); /* 0: none */
/* Says that the running function failed, at the place of its call. Always false. */
bool vt_tosca_fail(vt_tosca *, const vt_tctx *, const char *fmt, ...) VT_PRINTF(3, 4);

/* ---- graph.c ---- */
void vt_tosca_nodes(vt_tosca *);   /* inputs and representations of the root service */
void vt_tosca_resolve(vt_tosca *); /* requirements to relationships; substitutions */
vt_tctx vt_tosca_node_ctx(vt_tnodei *);
vt_tctx vt_tosca_rel_ctx(vt_treli *);
vt_tctx vt_tosca_service_ctx(vt_tservicei *);
/* template: among those of the service; or NULL */
vt_tnodei *vt_tosca_node(vt_tservicei *, uint32_t template, uint32_t index);
/* web, or web_1 where there are several */
void vt_tosca_name(vt_buf *, const vt_tosca *, const vt_tnodei *);
/* outer/web inside of a substituted node */
void vt_tosca_path(vt_buf *, const vt_tosca *, const vt_tnodei *);

/* ---- live.c: attributes of a service that runs ---- */
/* From now on attributes change: what was evaluated from them is evaluated again. */
void vt_tosca_go_live(vt_tosca *);
/* An attribute of a node, of one of its capabilities or of a relationship. */
typedef struct vt_tattr {
	vt_tnodei *node;
	vt_tcapi *cap;
	vt_treli *rel;
	uint32_t name;
} vt_tattr;
/* The path of an output's mapping: an entity, a capability where it is its, the name. False: *why
 * is malloc'd. */
/* The node that hosts it: the target of its requirement `host`; NULL: none. */
vt_tnodei *vt_tosca_host(const vt_tosca *, const vt_tnodei *);
bool vt_tosca_find_attribute(vt_tosca *, const vt_tctx *, uint32_t path, vt_tattr *, char **why);
/* Gives it a value (borrowed): typed as declared; a text is read as JSON where no text is wanted.
 * False: problems say why. */
bool vt_tosca_put_attribute(vt_tosca *, const vt_tattr *, vt_value);
/* An output of an operation, for get_operation_output. */
void vt_tosca_put_output(vt_tosca *, vt_tnodei *, vt_treli *, const char *iface, const char *op,
	const char *name, vt_value);
/* what a text is for a slot; owned */
/* The type of the slot makes what it wants of a text, or has none. */
bool vt_tosca_reads_text(const vt_tmodel *, uint32_t slot);
vt_value vt_tosca_text_value(vt_rt *, const vt_tmodel *, uint32_t slot, vt_value text);
void vt_tosca_drop_outputs(vt_tosca *); /* the end of the engine */
/* borrowed, or VT_UNDEF */
vt_value vt_tosca_get_output(vt_tosca *, const vt_tnodei *, const vt_treli *, const char *iface,
	const char *op, const char *name);

/* ---- out.c ---- */
/* docs/tosca.md, "Topology" */
void vt_tosca_topology(vt_tosca *, vt_value *out);
/* the same as JSON, node by node */
/* flags: of vt_json_write() */
void vt_tosca_put_topology(vt_tosca *, vt_buf *, int flags);
void vt_tosca_put_page_topology(vt_tosca *, vt_buf *); /* with `type` beside `types`: for a page */

/* ---- format.c: what -f knows; docs/tosca.md describes each ---- */
typedef struct vt_tformat {
	const char *name;
	/* The result as a text with a newline at its end. False: *why, from malloc, says why it
	 * cannot be shown so. */
	bool (*put)(vt_tosca *, vt_buf *, int flags, char **why);
} vt_tformat;
#define VT_TOSCA_FORMATS "topology|clout|mugl|yaml|dot|html" /* as options list them */
const vt_tformat *vt_tosca_find_format(const char *name);    /* one of these */
/* clout.c: vertex by vertex */
void vt_tosca_put_clout(vt_tosca *, vt_buf *, int flags);
bool vt_tosca_mugl(vt_tosca *, vt_buf *, int flags, char **why); /* mugl.c */
void vt_tosca_dot(vt_tosca *, vt_buf *);                         /* dot.c */

#endif
