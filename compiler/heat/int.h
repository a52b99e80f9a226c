/*
 * int.h - what the files of this room share.
 *
 * Values are trees of YAML in which NULL is what nobody knows before the stack is made: attributes,
 * references, parameters without a default, files.  An unknown value breaks no rule.
 */
#ifndef VC_HEAT_INT_H
#define VC_HEAT_INT_H

#include "compiler/heat/heat.h"

/* Releases of the template language, oldest first: rows of ht_versions. */
enum ht_release {
	HT_2013_05_23,
	HT_2014_10_16,
	HT_2015_04_30,
	HT_2015_10_15,
	HT_2016_04_08,
	HT_NEWTON,
	HT_OCATA,
	HT_PIKE,
	HT_QUEENS,
	HT_ROCKY,
	HT_WALLABY,
	HT_RELEASES,
	HT_NEVER = HT_RELEASES
};

/* What is known of a condition. */
typedef enum ht_truth { HT_UNKNOWN, HT_FALSE, HT_TRUE } ht_truth;

typedef struct ht_template ht_template;

/* ---- a resource type: of Heat, a nested template, or one of a plugin ---- */
typedef struct ht_type {
	const char *name, *shown; /* shown: as written, of nested templates */
	/* schemas by name, as templates/heat/types.yaml has them; or NULL */
	const ynode *properties, *attributes, *update_policy;
	const char *status;
	bool any_property, any_attribute;
	bool nested; /* attributes are outputs of a template: one that is not there is null */
} ht_type;

typedef struct ht_resource {
	const char *name;
	const ynode *key, *body;
	const ht_type *type; /* NULL: unknown, reported */
	ht_truth there;      /* what its condition says */
	const ynode *condition;
	uint32_t *needs, nneeds; /* indices of resources that it waits for */
	uint8_t state;           /* of the search for cycles */
	bool misspelt;           /* a key that may be its properties */
} ht_resource;

typedef struct ht_condition {
	const char *name;
	const ynode *body;
	uint8_t state; /* 0 new, 1 being worked out, 2 done */
	ht_truth truth;
} ht_condition;

/* What environments say. */
typedef struct ht_environment {
	const ynode **registry; /* maps of type to type or file */
	const char **folders;   /* which files in that map are seen from */
	uint32_t nregistry;
	const ynode **parameters; /* parameter_defaults of all, and behind them parameters */
	uint32_t nparameters, ndefaults;
} ht_environment;

/* One run of the checker over a template with what it nests. */
typedef struct heat {
	vc *c;
	vt_rt *rt;
	vt_tosca *engine; /* runs functions whose arguments are known */
	ht_environment env;
	ht_type **types;
	uint32_t ntypes;
	struct ht_file {
		const char *key;
		ht_template *template; /* NULL: could not be read, reported */
	} * files;
	uint32_t nfiles;
	uint32_t depth; /* of nested templates */
	uint32_t calls; /* functions that ran */
	bool runs;      /* of heat_request */
} heat;

struct ht_template {
	heat *h;
	const ynode *doc;
	const char *path;
	enum ht_release release;
	const ynode *parameters, *outputs;
	ht_resource *resources;
	uint32_t nresources;
	uint32_t *by_name, nby_name; /* hash of resources: index + 1; made when first asked for */
	ht_condition *conditions;
	uint32_t nconditions;
	/* where the walk is: */
	ht_resource *at;       /* the resource whose values are looked at, or NULL */
	const ynode *guard;    /* the condition around: references to what has it too are fine */
	uint32_t dead, unsure; /* in branches that are not taken, or that nobody knows of */
	uint32_t in_condition;
	/* Each parameter has a value: then there is a stack that Heat would make of the template
	 * alone, and what it refuses only then is an error.  Else it is a warning. */
	bool complete;
	bool in_outputs; /* what fails there fails when somebody asks for it */
	bool names_only; /* members of groups: an index stands in their values */
	/* W2032, told where nothing else is: who has a mistake looks at that first */
	struct ht_advice {
		vc_span at;
		const char *text;
	} * advice;
	uint32_t nadvice;
	/* names that the cloud must know: "image 'x'" */
	const char **cloud;
	uint32_t ncloud;
	vc_span cloud_at;
};

/* ---- version.c ---- */
/* The release by its name or date; HT_NEVER: there is none. */
enum ht_release ht_find_release(const char *);
const char *ht_release_name(enum ht_release);
typedef struct ht_key {
	const char *name;
	uint8_t from; /* enum ht_release */
} ht_key;
extern const ht_key *const ht_known_keys[HEAT_ENTITIES];
/* Checks the keys of an entity by rows that end with a NULL name. False: it is no map, reported. */
bool ht_keys(ht_template *, const ynode *, const char *noun, const ht_key *);

/* ---- template.c ---- */
/* Of a text or a date; NULL: it is none. */
const char *ht_text(const ynode *);
bool ht_is_null(const ynode *);
/* An error of the template; a warning where the branch is not taken. */
void ht_report(ht_template *, enum vc_code, vc_span, const char *fmt, ...) VT_PRINTF(4, 5);
/* What Heat finds when it makes a stack. */
void ht_report_create(ht_template *, enum vc_code, vc_span, const char *fmt, ...) VT_PRINTF(4, 5);
void ht_advise(ht_template *, vc_span, const char *fmt, ...) VT_PRINTF(3, 4);
void ht_hint_near(ht_template *, const char *name, const ynode *map); /* "did you mean" */
/* Reads and checks a template file once; NULL: reported. */
ht_template *ht_load(heat *, const char *path);
/* A path as seen from the folder of a file; in the arena. */
const char *ht_beside(vc *, const char *file, const char *path);

/* ---- env.c ---- */
void ht_read_environment(heat *, const char *path);
/* What a type stands for; *folder: which file names in it are seen from, or NULL: the template. */
const char *ht_registered(heat *, const char *type, const char *resource, const char **folder);
const ynode *ht_given(heat *, const char *parameter); /* or NULL */

/* ---- parameter.c ---- */
void ht_check_parameters(ht_template *);
void ht_check_groups(ht_template *);
/* The parameter's default as its type has it, or what an environment gives. NULL: unknown. */
const ynode *ht_parameter(ht_template *, const char *name);
bool ht_is_pseudo(const char *name);
bool ht_is_complete(ht_template *); /* does each parameter have a value? */

/* ---- constraint.c ---- */
/* Checks a value against a schema's range, allowed_values... False: reported as `what`. */
bool ht_constraints(
	ht_template *, const ynode *schema, const ynode *value, vc_span, const char *what);
/* The constraints of a parameter as keys of a schema; reports those that make no sense. */
ynode *ht_parameter_schema(ht_template *, const ynode *parameter, bool report);
bool ht_number(const ynode *, double *);
bool ht_same(const ynode *, const ynode *);

/* ---- custom.c ---- */
/* Why a text is not what a custom constraint wants, or NULL; *cloud: a noun where only the cloud
 * knows. */
void ht_custom_name(ht_template *, const ynode *); /* reports one that Heat does not have */
const char *ht_custom(const char *constraint, const char *text, const char **cloud);

/* ---- condition.c ---- */
void ht_find_conditions(ht_template *);
void ht_check_conditions(ht_template *);
/* Of a name, a boolean or an expression. */
ht_truth ht_truth_of(ht_template *, const ynode *);

/* ---- value.c, function.c ---- */
/* The value of an expression; everything in it is checked. NULL: unknown. */
const ynode *ht_eval(ht_template *, const ynode *);
extern const ynode ht_absent; /* of an `if` without a branch: the entry is not there */
const char *ht_near_function(ht_template *, const char *name); /* of the release; or NULL */
bool ht_lacks(const ht_template *, const char *section); /* template.c: it is misspelt there */
/* warns of a text that is written like one */
void ht_reads_like_call(ht_template *, const ynode *text);
const ynode *ht_call(ht_template *, const ynode *call, bool *is_call);
const ynode *ht_from_value(ht_template *, const ynode *at, vt_value);

/* ---- reference.c ---- */
ht_resource *ht_find_resource(ht_template *, const char *name);
/* A reference to a resource from where the walk is; NULL: reported. */
ht_resource *ht_refer(ht_template *, const ynode *name);
void ht_check_cycles(ht_template *);

/* ---- types.c ---- */
/* NULL: reported. `resource` is its name, for environments. */
const ht_type *ht_find_type(ht_template *, const ynode *name, const char *resource);

/* ---- property.c ---- */
void ht_check_properties(ht_template *, const ht_type *, const ynode *given, vc_span whole);
/* A whole value against a schema. */
void ht_check_value(
	ht_template *, const ynode *schema, const ynode *value, vc_span, const char *path);

/* ---- resource.c ---- */
void ht_find_resources(ht_template *);
void ht_check_resources(ht_template *);
void ht_check_outputs(ht_template *);

#endif
