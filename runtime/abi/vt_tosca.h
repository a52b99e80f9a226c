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

typedef struct vt_tspan {
	uint32_t first, n;
} vt_tspan;

/* Where something stands: a byte of model->file[file].  file 0: nowhere. */
typedef struct vt_tplace {
	uint32_t file, at;
} vt_tplace;
/* What turns places of a file into lines and columns when one is shown (runtime/tosca/place.c). */
typedef struct vt_tlines {
	vt_tspan starts; /* model->start[]: offsets at which lines begin */
	vt_tspan runs;   /* model->run[]: of characters that have several bytes, in order */
} vt_tlines;
typedef struct vt_trun {
	uint32_t from, to; /* offsets */
	uint32_t before;   /* so many bytes in front of `from` are no first ones of a character */
	uint32_t length;   /* bytes of each character of the run */
} vt_trun;

/* ---- expressions: values as written ---- */
enum vt_tx_kind {
	VT_TX_NONE,
	VT_TX_NULL,
	VT_TX_BOOL,
	VT_TX_INT,   /* i */
	VT_TX_BIG,   /* str: decimal digits that do not fit an int64 */
	VT_TX_FLOAT, /* f */
	VT_TX_STR,   /* str */
	VT_TX_LIST,  /* n items: index[at ..] are expressions */
	/* n pairs: index[at ..] are key, value, key, value... */
	VT_TX_MAP,
	/* n arguments; fn: row of vt_tfunctions, or custom function + VT_TX_CUSTOM */
	VT_TX_CALL
};
#define VT_TX_CUSTOM 0x10000
typedef struct vt_texpr {
	uint8_t kind;     /* enum vt_tx_kind */
	uint8_t constant; /* no call anywhere below */
	uint16_t file;
	uint32_t at; /* its place */
	uint32_t n;
	union {
		int64_t i;
		double f;
		uint32_t str;
		struct {
			uint32_t at, fn;
		} k;
	} u;
} vt_texpr;

/* ---- data types and schemas ---- */
enum vt_tbase {
	VT_TB_ANY,
	VT_TB_STRING,
	VT_TB_INTEGER,
	VT_TB_FLOAT,
	VT_TB_BOOLEAN,
	VT_TB_NULL,
	VT_TB_BYTES,
	VT_TB_TIMESTAMP,
	VT_TB_VERSION,
	VT_TB_RANGE,
	VT_TB_LIST,
	VT_TB_MAP,
	VT_TB_SCALAR, /* a number with a unit: units, of the data type */
	VT_TB_JSON,
	VT_TB_XML,     /* strings whose text is checked */
	VT_TB_COMPLEX, /* a map whose keys are the type's properties */
	/* Of Heat's parameters, which turn what is given into what they want */
	VT_TB_HEAT_STRING,
	VT_TB_HEAT_NUMBER,
	VT_TB_HEAT_LIST,
	VT_TB_HEAT_JSON,
	VT_TB_HEAT_BOOLEAN
};
/* value in canonical units = number * factor */
typedef struct vt_tunit {
	uint32_t name;
	double factor;
} vt_tunit;
typedef struct vt_tdata {
	uint32_t name, canon; /* as printed */
	uint32_t parent;      /* data type */
	uint8_t base;         /* enum vt_tbase */
	/* SCALAR: 1: the number as written is an integer; 2: in canonical units it is rounded to
	 * one */
	uint8_t integral;
	uint8_t fold; /* SCALAR: units compare without case */
	/* SCALAR: a blank between number and unit is mandatory, a sign is allowed (TOSCA 2.0) */
	uint8_t spaced;
	uint32_t key, entry; /* schemas of LIST and MAP */
	vt_tspan props;      /* slots of COMPLEX */
	/* index[] -> expressions over $value; those of the ancestors come first */
	vt_tspan checks;
	vt_tspan units;
	uint32_t unit;   /* canonical unit */
	uint32_t number; /* SCALAR: schema of the number in canonical units, or 0 */
	vt_tplace place;
} vt_tdata;
typedef struct vt_tschema {
	uint32_t type;       /* data type; 0: anything */
	uint32_t key, entry; /* schemas; 0: those of the type */
	/* index[] -> expressions over $value, besides those of the type */
	vt_tspan checks;
} vt_tschema;
enum {
	VT_TS_REQUIRED = 1,
	VT_TS_FIXED = 2 /* dflt is the value, none may be assigned */,
	VT_TS_MAPPED = 4,
	VT_TS_DEPRECATED = 8
};
/* A declared property, attribute, input, output or parameter. */
typedef struct vt_tslot {
	uint32_t name, schema;
	uint32_t dflt;  /* expression: default, or with FIXED the value */
	uint32_t flags; /* VT_TS_* */
	vt_tplace place;
} vt_tslot;
/* name: value of a template; slot names the declaration, 0 for values without one (operation
 * inputs). */
typedef struct vt_tassign {
	uint32_t name, slot, expr;
	vt_tplace place;
} vt_tassign;

/* ---- types ---- */
enum vt_ttype_kind {
	VT_TT_NODE,
	VT_TT_CAPABILITY,
	VT_TT_RELATIONSHIP,
	VT_TT_GROUP,
	VT_TT_POLICY,
	VT_TT_INTERFACE,
	VT_TT_ARTIFACT,
	VT_TT_KINDS
};
#define VT_TUNBOUNDED UINT32_MAX
typedef struct vt_ttype {
	uint8_t kind;          /* enum vt_ttype_kind */
	uint32_t name, canon;  /* as written; as printed: tosca::Compute */
	uint32_t parent;       /* type of the same kind */
	uint32_t depth;        /* of derivation, for fast tests of ancestry */
	vt_tspan props, attrs; /* slots */
	vt_tspan caps;         /* capdefs, by name */
	vt_tspan reqs;         /* reqdefs, in the order of declaration */
	vt_tspan ifaces;       /* interfaces */
	vt_tspan artifacts;    /* artifacts */
	/* RELATIONSHIP: index[] -> capability types that may be targets; POLICY, GROUP: node and
	 * group types */
	vt_tspan targets;
	/* RELATIONSHIP, CAPABILITY: index[] -> node types that may be sources */
	vt_tspan sources;
	/* RELATIONSHIP: index[] -> node types that may be targets; CAPABILITY: relationship
	 * types */
	vt_tspan nodes;
	uint32_t description, metadata; /* text; expression (a MAP) */
	uint32_t mime, ext;             /* ARTIFACT: text; expression (a LIST) */
	vt_tplace place;
} vt_ttype;
typedef struct vt_tcapdef {
	uint32_t name, type;
	vt_tspan props, attrs; /* slots: of the capability type, refined */
	uint32_t lo, hi;       /* occurrences (1.x): relationships that it must and may have */
	vt_tspan sources, relations; /* index[] -> types */
	vt_tplace place;
} vt_tcapdef;
typedef struct vt_treqdef {
	uint32_t name;
	/* a capability type, or the name of a capability of the node type */
	uint32_t cap_type, cap_name;
	uint32_t node_type, rel_type;
	uint32_t lo, hi;
	uint32_t filter; /* expression: boolean over the candidate (SELF) */
	vt_tspan props;  /* assigns of the definition's relationship */
	vt_tspan ifaces; /* interfaces of the relationship that the definition refines */
	vt_tplace place;
} vt_treqdef;
typedef struct vt_top {
	uint32_t name, description;
	uint32_t primary;  /* text: artifact name or file; 0: not implemented */
	uint32_t artifact; /* artifact that primary names; or 0 */
	/* model->file: where primary and dependencies are written, which is what they are relative
	 * to */
	uint32_t from;
	vt_tspan dependencies;  /* index[] -> texts */
	uint32_t timeout, host; /* expression; text */
	vt_tspan inputs;        /* assigns: defaults of the type and values of the template */
	/* assigns: name -> expression, a LIST that is the path of the attribute */
	vt_tspan outputs;
	uint8_t notification;
	vt_tplace place;
} vt_top;
typedef struct vt_tiface {
	uint32_t name, type, description;
	vt_tspan inputs;
	vt_tspan ops;
	vt_tplace place;
} vt_tiface;
typedef struct vt_tartifact {
	uint32_t name, type, file, repository, deploy_path, description, version, checksum,
		algorithm;
	/* where the file is: in its repository, or beside the template that names it */
	uint32_t path;
	vt_tspan props; /* assigns */
	vt_tplace place;
} vt_tartifact;

/* ---- templates ---- */
/* def: capdef of the node's type */
typedef struct vt_tcap {
	uint32_t def;
	vt_tspan props, attrs;
	uint32_t allocation;
	vt_tplace place;
} vt_tcap;
enum { VT_TR_INTERNAL = 1, VT_TR_EXTERNAL = 2 };
typedef struct vt_treq {
	uint32_t def;        /* reqdef of the node's type */
	uint32_t node;       /* node template of the service, 0: by type */
	uint32_t node_index; /* expression: which of its representations; 0: any */
	uint32_t node_type;
	uint32_t cap_name, cap_type;
	uint32_t rel; /* relationship template, 0: none */
	uint32_t rel_type;
	vt_tspan props, attrs; /* assigns of the relationship */
	vt_tspan ifaces;       /* interfaces */
	uint32_t filter;       /* expression, boolean, SELF is the candidate */
	uint32_t count;        /* expression; 0: one */
	uint32_t optional;     /* expression; 0: no */
	uint32_t allocation;   /* expression (a MAP) */
	uint8_t directives;    /* VT_TR_* */
	uint8_t added;         /* not written: made up to the definition's lower bound */
	uint8_t bad;           /* its node is unknown, which was reported: left out quietly */
	vt_tplace place;
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
	128
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
/* `name` (a text), said in model->file `file`, is this blob. Sorted by file, then name. */
typedef struct vt_tblobref {
	uint32_t file, name, blob;
} vt_tblobref;
/* A YAQL expression of a template, and its code. */
typedef struct vt_tyaql {
	uint32_t text;
	const struct vt_program *program;
} vt_tyaql;
typedef struct vt_tprogram {
	const vt_tmodel *model;
	const char *name;     /* of the service: what its state is called */
	const char *digest;   /* of the model and the files */
	const char *built_by; /* version of vetro */
	const vt_tblob *blobs;
	uint32_t nblobs;
	const vt_tblobref *refs;
	uint32_t nrefs;
	const vt_tyaql *yaql;
	uint32_t nyaql;
} vt_tprogram;
/* main() of a deploy binary of a service. */
int vt_tosca_main(int argc, char **argv, const vt_tprogram *);

#endif
