/*
 * front.h - the TOSCA front end: files -> entities -> names -> types -> model.
 *
 * 1. read.c reads a file into entities by the keyname table (keys.def); short notations become
 *    their full forms here, so nobody behind it knows them.
 * 2. unit.c reads what a file imports; csar.c finds the files of an archive.
 * 3. names.c gives each unit its names with the prefixes of its imports, and finds what a name
 *    means.
 * 4. type.c derives types: each gets what it inherits, and refinements are checked.
 * 5. value.c makes expressions of values; render.c applies types to templates; both write rows of
 *    the model (runtime/abi/vt_tosca.h) through model.c.
 * The engine (runtime/tosca/tosca.h) then gives values their types, resolves the topology and
 * evaluates functions.
 *
 * Every phase goes on after a problem: an entity that could not be read is left out and its users
 * stay quiet.
 */
#ifndef TOSCA_H
#define TOSCA_H

#include "compiler/base/base.h"
#include "compiler/tosca/entity.h"
#include "compiler/yaml/yaml.h"
#include "runtime/core/value.h"
#include "runtime/tosca/tosca.h"

/* ---- names.c: sections of names ---- */
enum tn_section {
	TN_DATA,
	TN_NODE,
	TN_CAPABILITY,
	TN_RELATIONSHIP,
	TN_GROUP,
	TN_POLICY,
	TN_INTERFACE,
	TN_ARTIFACT,
	TN_REPOSITORY,
	TN_FUNCTION,
	TN_SECTIONS
};
typedef struct ty_type ty_type;

/* implicit: the profile that a version brings; e is NULL then, and its names are not handed on. */
typedef struct tosca_import {
	te *e;
	tosca_unit *unit;
	const char *prefix;
	bool implicit;
} tosca_import;
struct tosca_unit {
	struct tosca *t;
	vc_source *src;
	/* real place for relative imports; inside of `files` when that is set */
	const char *path;
	/* archive or directory that nothing may leave; NULL: the file system */
	struct tosca_files *files;
	uint32_t version; /* enum vt_tversion: one bit */
	/* versions whose keynames it has: its own, or those it is written as (desugar.h) */
	uint32_t keys;
	const char *profile; /* its name, or NULL */
	bool embedded;       /* a profile that vetro brings */
	/* its types have short names: tosca.nodes.X is also tosca:X and X */
	bool normative;
	te *file; /* TE_FILE */
	tosca_import *imports;
	uint32_t nimports;
	/* an import is missing: names that nobody knows may be in there, so keep quiet */
	bool incomplete;
	/* Cloudify: the topology of a file that is imported, and the plugins that it declares */
	ynode *part, *plugins;
	bool copies;       /* it declares the roots of the profile, or imports a file that does */
	const char *space; /* canonical namespace of its types, or NULL; see names.c */
	struct tn_table *names; /* all that can be said here, imports included */
	const char **told;      /* what is told once in a file: keynames, and a space for types */
	uint32_t ntold;
	uint8_t state;  /* of the phase that walks units: 0, 1 running, 2 done */
	uint32_t index; /* in model->file */
};
/* Is that the first time? For what is told once in a file. */
bool tosca_tells(tosca_unit *u, const char *what);
/* The type, by a name as written in `u`; reports an unknown one and gives NULL; `at` may have no
 * place. */
ty_type *tn_type(tosca_unit *u, enum tn_section, const char *name, vc_span at);
ty_type *tn_find_type(const tosca_unit *u, enum tn_section, const char *name); /* reports nothing */
/* Calls for each type of a section by each name that the unit has for it. */
void tn_each_type(const tosca_unit *, enum tn_section,
	void (*)(void *, const char *name, ty_type *), void *ctx);
/* repositories, functions */
te *tn_find(const tosca_unit *u, enum tn_section, const char *name);

/* ---- type.c: types with what they inherit ---- */
typedef struct ty_def ty_def;
/* index: of long ones, once asked for */
typedef struct ty_defs {
	ty_def **d;
	uint32_t n;
	struct tosca_lookup *index;
} ty_defs;
/* Type of a value: a data type, and schemas that stand at its use. */
typedef struct ty_schema {
	ty_type *type;                 /* NULL: unknown, reported */
	struct ty_schema *key, *entry; /* or NULL: those of the data type */
	struct ty_clause *checks;
	uint32_t nchecks;
	uint32_t row; /* in model->schema, once written */
} ty_schema;
/* one constraint (1.x) or one boolean expression (2.0) */
typedef struct ty_clause {
	ynode *y;
	tosca_unit *unit;
} ty_clause;
/* A declaration inside a type, complete: own declaration before that of the parent before that of
 * its own type. */
struct ty_def {
	uint8_t kind; /* enum te_kind of the declaration */
	const char *name;
	te *e;             /* the declaration nearest; never NULL */
	ty_def *parent;    /* what it refines, or NULL */
	ty_schema *schema; /* properties, attributes, parameters */
	bool required, fixed, secret;
	ynode *dflt;
	tosca_unit *dflt_unit; /* default, or with fixed the value */
	te *mapping;           /* parameters: where the value goes or comes from */
	/* capability, interface, artifact, and of a requirement the capability type */
	ty_type *type;
	const char *cap_name; /* requirement: a capability by its name */
	ty_type *node, *rel;  /* requirement */
	uint32_t lo, hi;      /* requirement: count_range; capability: occurrences */
	te *filter;
	tosca_unit *filter_unit;
	ty_defs props, attrs;    /* capability */
	ty_defs inputs, outputs; /* interface, operation */
	/* interface: operations and notifications; of a requirement the relationship's
	 * interfaces */
	ty_defs ops;
	te *impl; /* operation: implementation, or NULL */
	ty_type **sources;
	uint32_t nsources; /* capability: valid_source_node_types */
	ty_type **relations;
	uint32_t nrelations; /* capability: valid_relationship_types */
	/* declared where it stands, and not only by the type of the capability or interface */
	bool local;
};
typedef struct ty_unit {
	const char *name;
	double factor;
} ty_unit;
/* A type of numbers with units. */
typedef struct ty_scalar {
	ty_unit *unit;
	uint32_t n; /* prefixes applied */
	const char *canonical;
	ty_type *number; /* data type of the number, or NULL */
	uint8_t integral;
	bool fold, spaced; /* as in vt_tdata */
} ty_scalar;
struct ty_type {
	uint8_t section; /* enum tn_section */
	te *e;
	const char *name, *canon;
	tosca_unit *unit;
	ty_type *parent;
	uint8_t state; /* 0 untouched, 1 being completed, 2 complete */
	bool bad;      /* something about it was reported */
	uint32_t depth;
	ty_defs props, attrs, caps, reqs, ifaces, artifacts, inputs /* interface */,
		ops /* interface */;
	/* relationship: valid capability types; group: members; policy: targets */
	ty_type **targets;
	uint32_t ntargets;
	/* relationship, capability: valid source node types */
	ty_type **sources;
	uint32_t nsources;
	/* relationship: valid target node types; capability: valid relationship types */
	ty_type **nodes;
	uint32_t nnodes;
	/* data types */
	uint8_t base; /* enum vt_tbase */
	ty_schema *key, *entry;
	struct ty_clause *checks;
	uint32_t nchecks;         /* with those of the ancestors */
	struct ty_scalar *scalar; /* SCALAR; see data.c */
	uint32_t row;             /* in model->data or model->type */
};
/* is it, or derived from it? */
bool ty_is(const ty_type *, const ty_type *ancestor);
/* are all ancestors known? */
bool ty_rooted(const ty_type *);
bool ty_is_unknown(const ty_def *);  /* its type is not there, or has a mistake */
bool ty_is_open(const te *template); /* a type that it derives from is unknown: so is what it has */
/* the code of a refinement that relaxes what it refines */
enum vc_code ty_widens(const tosca_unit *);
ty_def *ty_find(const ty_defs *, const char *name);
/* + 1; 0: none of that name */
uint32_t ty_position(const ty_defs *, const char *name);
/* Counts what types take over from others; false: too much, which is reported once. */
bool ty_inherits(tosca_unit *, uint64_t n, vc_span);
/* with everything it needs; ends at loops, which it reports */
void ty_complete(ty_type *);
/* every type of every unit */
void ty_complete_all(struct tosca *);
/* Schema of a declaration or of a key_schema or entry_schema; reports. */
bool ty_is_private(const te *);
ty_schema *ty_schema_of(tosca_unit *, te *declaration, const ty_schema *refines);

/* ---- refine.c: what a refinement may not do from 2.0 on; before that they do nothing ---- */
/* Entities that `owner` has below the keyname and that are not among those of the type. */
void ty_adds_none(
	tosca_unit *, te *owner, const char *keyname, const ty_defs *has, const ty_type *);

typedef struct ty_list {
	ty_type *const *y;
	uint32_t n;
} ty_list;
/* Types of the list that are not derived from one of those inherited. */
void ty_widens_none(
	tosca_unit *, te *owner, const char *keyname, const ty_list *own, const ty_list *inherited);
/* A requirement whose node type has no capability that it can mean. */
void ty_can_be_met(tosca_unit *, const te *, const ty_def *);
/* Triggers of a policy type that an ancestor has too, and those that do nothing. */
void ty_check_triggers(const ty_type *);

/* From 2.0 on: what the text forbids and its published examples do; once in a file. */
void ty_loose(tosca_unit *, vc_span, const char *what, const char *why);

/* data.c: what data types have besides properties */
void ty_complete_data(ty_type *);
/* those that are not in `into` yet, in front */
void ty_merge(tosca_unit *, ty_defs *into, const ty_defs *inherited);

/* ---- value.c: values and clauses to expressions ---- */
/* What may be said in an expression. */
enum { TX_VALUE = 1 /* $value */, TX_LITERAL = 2 /* no functions: metadata */ };
/* row of model->expr; never 0 for a node */
uint32_t tx_value(tosca_unit *, const ynode *, unsigned what);
/* none of 2.0 is called that there is not */
bool tx_knows_functions(tosca_unit *, const ynode *);
/* a constraint or a validation clause over $value */
uint32_t tx_clause(tosca_unit *, const ynode *);
void tx_check_condition(tosca_unit *, const ynode *); /* before 2.0; reports */
/* the path of an output's mapping: a call of get_attribute */
uint32_t tx_mapping(tosca_unit *, const ynode *);
/* what n numbers multiply to; 0: none */
uint32_t tx_product(tosca_unit *, ynode *const *y, uint32_t n);
/* file.c: for get_file; NULL: reported */
const char *tosca_file_text(tosca_unit *, const ynode *name, size_t *n);
/* All of n boolean expressions; 0: none. */
uint32_t tx_all(tosca_unit *, const ynode *at, const uint32_t *e, uint32_t n);
/* NODE_FILTER: one boolean expression; 0: none */
uint32_t tx_filter(tosca_unit *, te *node_filter);

/* ---- cloudify.c: blueprints ---- */
/* What imported files bring becomes a part of the topology; names have been built. */
void tosca_take_imports(tosca_unit *);
/* How many instances a node template has, and how many of these factors it shares with another:
 * expressions; 0: one. */
uint32_t tosca_instances(tosca_unit *, const te *service, const te *node);
uint32_t tosca_in_common(tosca_unit *, const te *service, const te *node, const te *other);
/* an operation of a plugin, rather than a script */
bool tosca_is_plugin_operation(const tosca_unit *, const char *name);

/* ---- model.c: rows ---- */
typedef struct tosca_tables tm; /* the model under construction */
tm *tm_new(vc *);
const vt_tmodel *tm_done(tm *);
uint32_t tm_str(tm *, const char *); /* interned; NULL is 0 */
uint32_t tm_strn(tm *, const char *, size_t);
vt_tplace tm_place(struct tosca *, vc_span);
/* tm_add_NAME: appends a row and gives its index; for lists append all rows of a list one after the
 * other. */
#define X(type, name) uint32_t tm_add_##name(tm *, type);
VT_TMODEL_TABLES(X)
#undef X
vt_tspan tm_indexes(tm *, const uint32_t *, uint32_t n);
enum tm_table {
#define X(type, name) TM_##name,
	VT_TMODEL_TABLES(X)
#undef X
};
/* rows so far, row 0 included */
uint32_t tm_count(const tm *, enum tm_table);
/* what tm_str made a row of */
const char *tm_text_of(tm *, uint32_t str);
/* moves when a row is added */
void *tm_at(tm *, enum tm_table, uint32_t row);
vt_tmodel *tm_head(tm *); /* version and root */
/* ---- rows.c: the rows of types, written when they are first asked for ---- */
uint32_t tm_schema_row(struct tosca *, ty_schema *);
/* model->type, or model->data of a data type; 0 for NULL */
uint32_t tm_type_row(struct tosca *, ty_type *);
/* a TK_STR's text as a row of strings */
uint32_t tm_text(struct tosca *, const te *, const char *keyname);
uint32_t tm_metadata(struct tosca *, const te *); /* an expression, or 0 */
/* Interfaces of a type or definition with what a template assigns over it (`e` has the keyname
 * interfaces; or NULL). artifacts says which names an implementation may use; `what` names the
 * owner in messages. */
typedef struct tm_owner {
	tosca_unit *unit;
	const te *e;
	const char *what;
	vt_tspan artifacts;
} tm_owner;
vt_tspan tm_interfaces(struct tosca *, const ty_defs *, const tm_owner *);
/* of a type, with those of a template */
vt_tspan tm_artifacts(struct tosca *, const ty_defs *, tosca_unit *, const te *);

/* ---- assign.c: values that templates assign ---- */
/* Assigns of the TK_VALUES `keyname` of e to the slots; undeclared names, fixed values and, with
 * `complete`, missing required ones are reported. owner: "node template 'web'". */
vt_tspan tm_assigns(struct tosca *, const te *e, const char *keyname, vt_tspan slots,
	const char *owner, bool complete);
/* Required values without default that are not among the assigned. */
void tm_missing(struct tosca *, vt_tspan slots, vt_tspan assigned, const char *owner,
	const char *noun, vc_span at);

/* ---- unit.c, csar.c, render.c, compile.c ---- */
typedef struct tosca_files tosca_files;
struct tosca {
	vc *c;
	tosca_unit **units;
	uint32_t nunits; /* each file once; the root first */
	ty_type **types;
	uint32_t ntypes;
	tm *m;
	uint32_t depth; /* of types being completed */
	tosca_unit *root;
	/* template_name and template_version of its metadata; or NULL */
	const char *title, *version;
	/* -I: where profiles and repositories are looked for */
	const char *const *paths;
	uint32_t npaths;
	const char *const *maps;
	uint32_t nmaps; /* --map: "URL=PATH" */
	const char *const *environments;
	uint32_t nenvironments; /* --environment: of Heat's templates */
	uint32_t importer;      /* version of the file whose import is being read, or 0 */
	bool check_only;        /* nothing is made of the files */
	bool refused;           /* Heat would not take a template */
	/* Other-Definitions of archives: services that may substitute */
	tosca_unit **others;
	uint32_t nothers;
	struct tosca_loader *loader; /* of unit.c */
	uint64_t files_read;         /* bytes that get_file has read */
	/* declarations and clauses that types took over from others */
	uint64_t inherited;
	uint64_t nnames; /* taken over from imports */
	bool loops;      /* files import each other */
	/* imports that are not there: each is told once */
	const char **missing;
	uint32_t nmissing;
	/* a type was not found: who satisfies what cannot be known */
	bool lacks_types;
	/* maps whose key is nearly that of a call: told by tosca_report() */
	const ynode **bare;
	const char **meant; /* what each should be */
	uint32_t nbare, nmeant;
	/* of the list that was searched last */
	tosca_lookup entities, slots, assigned, copies;
};
/* Reads a file (a .yaml, a .csar, a directory, "-") with all that it imports. NULL: reported. */
tosca_unit *tosca_load(struct tosca *, const char *path);
tosca_unit *tosca_load_source(struct tosca *, vc_source *, const char *path, tosca_files *);
/* reads what a unit imports */
void tosca_imports(struct tosca *, tosca_unit *);
void tn_build(struct tosca *); /* names of all units */
/* its service template; row of model->service, or 0 */
uint32_t tosca_render(tosca_unit *);
/* The whole front end; the model, or NULL when nothing can be said. More services may be given:
 * they substitute. */
const vt_tmodel *tosca_compile(struct tosca *, const char *const *files, uint32_t n);
/* The same of units that are read, with what they import; the first is the service. */
const vt_tmodel *tosca_model(struct tosca *, tosca_unit *const *, uint32_t n);
/* render.c: in model->function */
uint32_t tosca_function_row(struct tosca *, te *function);
/* Once there is a model: gives back the memory of YAML and entities, which are most of it, and with
 * them everything but the places in units; not when diagnostics may speak of them. */
void tosca_drop(struct tosca *);
/* Warns of scripts and playbooks of operations that are not there. */
void tosca_look_for_files(struct tosca *, const vt_tmodel *);
/* Are types missing, or files that may declare some? Reported; what hangs on them is unknown. */
bool tosca_is_open(const struct tosca *);
/* Alien4Cloud's services get what they lack as they are deployed. */
bool tosca_may_lack(const struct tosca *);
/* Problems of the engine as diagnostics of the compilation. */
void tosca_report(struct tosca *, const vt_tosca *);
vc_span tosca_span(struct tosca *, vt_tplace); /* of the word there */
/* yaql.c: lets an engine compile the YAQL of Heat's templates; closed after its session. */
typedef struct tosca_yaql tosca_yaql;
tosca_yaql *tosca_yaql_open(vt_tosca *);
void tosca_yaql_close(tosca_yaql *);
/* does the file say it is TOSCA, HOT or Cloudify? */
bool tosca_is_source(vc *, const char *path);

extern const vc_yaml_opts tosca_yaml; /* how services and their inputs are read */

#endif
