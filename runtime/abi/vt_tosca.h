/*
 * vt_tosca.h - a TOSCA service as constant tables: what the compiler's front end makes of templates
 * and what the engine (runtime/tosca) works on, in `vetro tosca` and in a deploy binary alike.
 *
 * Types are flattened: a type's rows hold what it inherits.  Templates hold what they assign and
 * nothing of their types, so a service of 10,000 nodes is 10,000 small rows.  Rows refer to rows by
 * index: the tables need no relocation and cost nothing at start-up.  Index 0 of every table is an
 * empty row that means "none".
 *
 * A list of rows is an vt_tspan: `n` rows from `first` on.  Spans of plain indexes go through
 * model->index. vt.h includes this file where VT_TOSCA is defined, which is what emitted C does.
 */
#ifndef VT_TOSCA_H
#define VT_TOSCA_H

#include "vt_tosca_types.h"

/* ---- templates ---- */
/* def: capdef of the node's type */
typedef struct vt_tcap {
	uint32_t def;
	vt_tspan props, attrs;
	uint32_t directives; /* VT_TR_ bits; 0: both */
	vt_tplace place;
} vt_tcap;
/* ONE: of Cloudify's instances the first, for all that need one */
enum { VT_TR_INTERNAL = 1, VT_TR_EXTERNAL = 2, VT_TR_ONE = 4 };
typedef struct vt_treq {
	uint32_t def;        /* reqdef of the node's type */
	uint32_t node;       /* node template of the service, 0: by type */
	uint32_t node_index; /* expression: which of its representations; 0: any */
	uint32_t node_type;
	uint32_t cap_name, cap_type;
	uint32_t rel; /* relationship template, 0: none */
	uint32_t rel_type;
	vt_tspan props, attrs;  /* assigns of the relationship */
	vt_tspan ifaces;        /* interfaces */
	uint32_t filter;        /* expression, boolean, SELF is the candidate */
	uint32_t count;         /* expression; 0: one */
	uint32_t optional;      /* expression; 0: no */
	uint32_t allocation;    /* expression (a MAP) */
	uint8_t directives;     /* VT_TR_* */
	uint8_t added;          /* not written: made up to the definition's lower bound */
	uint8_t bad;            /* its node is unknown, which was reported: left out quietly */
	vt_tplace place, named; /* named: where its node is, if it is */
} vt_treq;
enum { VT_TN_SUBSTITUTE = 1, VT_TN_SELECT = 2, VT_TN_CREATE = 4 };
typedef struct vt_tnode {
	uint32_t name, type, description, metadata;
	uint32_t count;        /* expression; 0: one */
	vt_tspan directives;   /* index[] -> texts, as written */
	uint32_t directive;    /* VT_TN_* */
	vt_tspan props, attrs; /* assigns */
	vt_tspan caps;         /* caps: those that the template assigns something to */
	vt_tspan reqs;         /* reqs, in the order of the template */
	/* interfaces: those of the type and of the template, merged; first 0: those of the type */
	vt_tspan ifaces;
	vt_tspan artifacts; /* the same */
	uint32_t filter;    /* expression, with the directive select */
	vt_tplace place;
} vt_tnode;
typedef struct vt_trel {
	uint32_t name, type, description, metadata;
	vt_tspan props, attrs, ifaces;
	vt_tplace place;
} vt_trel;
typedef struct vt_tgroup {
	uint32_t name, type, description, metadata;
	vt_tspan props;   /* assigns */
	vt_tspan members; /* index[] -> node templates; from VT_TMEMBER_GROUP on: groups */
	vt_tspan ifaces;
	vt_tspan triggers; /* policies */
	vt_tplace place;
} vt_tgroup; /* groups and policies: members or targets */
#define VT_TMEMBER_GROUP 0x80000000u
typedef struct vt_ttrigger {
	uint32_t name, description, event, condition; /* condition: as written */
	uint32_t filter, watched;                     /* what a run asks, as in vt_tstep */
	vt_tspan activities;
	vt_tplace place;
} vt_ttrigger;
enum vt_tactivity_kind { VT_TA_DELEGATE, VT_TA_INLINE, VT_TA_STATE, VT_TA_CALL };
/* name: workflow, state, iface.op */
typedef struct vt_tactivity {
	uint8_t kind;
	uint32_t name;
	vt_tspan inputs;
	vt_tplace place;
} vt_tactivity;
#define VT_TWATCHED_NONE 0xfffffffeu /* it calls functions that there are none of, */
#define VT_TWATCHED_PART 0xffffffffu /* or is about a part of a node */
typedef struct vt_tstep {
	uint32_t name, target; /* target: member as in vt_tgroup.members */
	uint32_t relationship, host, filter;
	/* member: the filter is about this node and not about the target; from VT_TWATCHED_NONE on
	 * it cannot be asked */
	uint32_t watched;
	vt_tspan activities, on_success, on_failure; /* activities; index[] -> texts */
	vt_tplace place;
} vt_tstep;
typedef struct vt_tworkflow {
	uint32_t name, description, metadata;
	vt_tspan inputs, steps;
	uint32_t precondition, primary;
	vt_tplace place;
} vt_tworkflow;

enum vt_tmap_kind {
	VT_TM_CAPABILITY,
	VT_TM_REQUIREMENT,
	VT_TM_PROPERTY,
	VT_TM_ATTRIBUTE,
	VT_TM_INTERFACE
};
/* One line of substitution_mappings. */
typedef struct vt_tmapping {
	uint8_t kind; /* enum vt_tmap_kind */
	/* REQUIREMENT: what the row before it is mapped to is mapped to this too */
	uint8_t again;
	uint32_t name; /* of the substituted node; INTERFACE: the interface */
	uint32_t op;   /* INTERFACE: the operation */
	uint32_t node; /* node template inside, or 0 */
	/* name inside: capability, requirement, property, input, output or workflow */
	uint32_t inner;
	uint32_t expr;  /* PROPERTY: a value; or 0 */
	uint32_t index; /* expression or 0: which one of several */
	uint32_t count; /* REQUIREMENT, expression or 0: how many, or UNBOUNDED */
	vt_tplace place;
} vt_tmapping;

/* One service_template. Spans of the templates that belong to it. */
typedef struct vt_tservice {
	uint32_t file;
	uint32_t description, metadata;
	vt_tspan inputs, outputs; /* slots; an output's dflt is its value */
	vt_tspan nodes, rels, groups, policies, workflows;
	/* workflows: what the triggers of policies do at the event of that name */
	vt_tspan events;
	uint32_t sub_type;   /* node type that this service may stand for; or 0 */
	uint32_t sub_filter; /* expression over the node to be replaced (SELF) */
	vt_tspan mappings;
} vt_tservice;

/* A function of `functions:` (TOSCA 2.0). */
/* args: slots; body: expression */
typedef struct vt_tsignature {
	vt_tspan args;
	uint32_t variadic, nrequired, result, body;
	vt_tplace place;
} vt_tsignature;
typedef struct vt_tfunction {
	uint32_t name;
	vt_tspan signatures;
	vt_tplace place;
} vt_tfunction;

/* VT_TMODEL_TABLES(X): type, name; each a table of `n_NAME` rows. */
#define VT_TMODEL_TABLES(X) \
	X(const vt_str *, str) \
	X(const char *, file) \
	X(vt_tlines, lines) \
	X(uint32_t, start) \
	X(vt_trun, run) \
	X(uint32_t, index) \
	X(vt_texpr, expr) \
	X(vt_tunit, unit) \
	X(vt_tdata, data) \
	X(vt_tschema, schema) \
	X(vt_tslot, slot) \
	X(vt_tassign, assign) \
	X(vt_ttype, type) \
	X(vt_tcapdef, capdef) \
	X(vt_treqdef, reqdef) \
	X(vt_top, op) \
	X(vt_tiface, iface) \
	X(vt_tartifact, artifact) \
	X(vt_tcap, cap) \
	X(vt_treq, req) \
	X(vt_tnode, node) \
	X(vt_trel, rel) \
	X(vt_tgroup, group) \
	X(vt_tgroup, policy) \
	X(vt_ttrigger, trigger) \
	X(vt_tactivity, activity) \
	X(vt_tstep, step) \
	X(vt_tworkflow, workflow) \
	X(vt_tmapping, mapping) \
	X(vt_tsignature, signature) \
	X(vt_tfunction, function) \
	X(vt_tservice, service)

/*
 * Expressions of types (constraints, validations, defaults) as code: what evaluating them does,
 * without walking rows. Arguments are borrowed, the result is given away; VT_UNDEF is unknown.
 */
struct vt_tosca;
struct vt_tctx;
typedef _Bool (*vt_tcode)(struct vt_tosca *, const struct vt_tctx *, vt_value *out);
typedef _Bool (*vt_tfn)(
	struct vt_tosca *, const struct vt_tctx *, const vt_value *args, uint32_t n, vt_value *out);
/* A call: its row of vt_tfunctions (or a custom function and VT_TX_CUSTOM), and its place. */
typedef struct vt_tcall {
	uint32_t fn;
	vt_tplace place;
} vt_tcall;
_Bool vt_tosca_call(struct vt_tosca *, const struct vt_tctx *, const vt_tcall *, vt_tfn,
	const vt_value *args, uint32_t n, vt_value *out);
_Bool vt_tosca_make_list(struct vt_tosca *, const vt_value *items, uint32_t n, vt_value *out);
/* n: of values */
_Bool vt_tosca_make_map(
	struct vt_tosca *, vt_tplace, const vt_value *pairs, uint32_t n, vt_value *out);
/* emitted code calls it: compiler/tosca/emit_code.c */
void vt_tosca_release(vt_value *, uint32_t n);

enum vt_tversion {
	VT_TV_1_0 = 1,
	VT_TV_1_1 = 2,
	VT_TV_1_2 = 4,
	VT_TV_1_3 = 8,
	VT_TV_2_0 = 16,
	VT_TV_CLOUDIFY = 32,
	VT_TV_HOT = 64,
	VT_TV_2_0_OLD =
		/* only to look functions up: 2.0 beside the Simple profile, with operators that 2.0
		 * dropped */
	128,
	/* beside another: of Alien4Cloud and Yorc */
	VT_TV_ALIEN = 256
};
typedef struct vt_tmodel {
	uint32_t version; /* one of enum vt_tversion: of the root file */
	uint32_t root;    /* service; 0: a profile without one */
#define X(type, name) \
	type const *name; \
	uint32_t n_##name;
	VT_TMODEL_TABLES(X)
#undef X
	/* by expression: index of its code + 1, or 0; a model in memory has none */
	const uint32_t *coded;
	uint32_t n_coded;
	const vt_tcode *code;
} vt_tmodel;

/* ---- deploy binaries ---- */
/* A file that operations use. The path is relative, '/'-separated, and stays below its root. */
typedef struct vt_tblob {
	const char *path, *data;
	uint32_t n;
	uint8_t executable;
} vt_tblob;
/* `name` (a text), said in model->file `file`, is this blob; all rows of a folder are its blobs.
 * Name 0: what scripts may ask for by ctx.  Sorted by file, then name. */
typedef struct vt_tblobref {
	uint32_t file, name, blob;
	uint32_t tail; /* bytes: the end of the blob's path that `name` ends with */
} vt_tblobref;
/* A YAQL expression of a template, and its code. */
typedef struct vt_tyaql {
	uint32_t text;
	const struct vt_program *program;
} vt_tyaql;
typedef struct vt_tprogram {
	const vt_tmodel *model;
	const char *name;     /* of the service's file or folder */
	const char *digest;   /* of the model and the files */
	const char *built_by; /* version of vetro */
	const vt_tblob *blobs;
	uint32_t nblobs;
	const vt_tblobref *refs;
	uint32_t nrefs;
	const vt_tyaql *yaql;
	uint32_t nyaql;
	/* template_name and template_version of its metadata, by which its state is known; or 0 */
	const char *title, *version;
} vt_tprogram;
/* main() of a deploy binary of a service. */
int vt_tosca_main(int argc, char **argv, const vt_tprogram *);

#endif
