/*
 * heat.h - what Heat makes of its templates (HOT): a checker.
 *
 * A template is looked at as Heat looks at it: its sections and their keys by version, parameters,
 * conditions, resources by the types of Heat 19, references, functions and their values, cycles,
 * nested templates and environments.  What fails whenever a stack is made is an error, also where
 * Heat finds it only then.  What hangs on a parameter without a default is unknown, and breaks no
 * rule.
 */
#ifndef VC_HEAT_HEAT_H
#define VC_HEAT_HEAT_H

#include "compiler/base/base.h"
#include "compiler/yaml/yaml.h"
#include "runtime/tosca/tosca.h"

extern const vc_yaml_opts heat_yaml; /* how templates are read: YAML 1.1, as Heat does */

/* Does the text say that it is a template of Heat? A look at its lines, before it is read. */
bool heat_says(const vc_source *);

typedef struct heat_request {
	const char *path; /* of the template, for what it names; or NULL */
	/* files of environments; a later one counts */
	const char *const *environments;
	uint32_t nenvironments;
	bool runs; /* outputs will be asked for: what fails there is an error too */
	/* what compiles YAQL for an engine until it is closed; NULL: its values are unknown */
	struct tosca_yaql *(*open)(vt_tosca *);
	void (*close)(struct tosca_yaql *);
} heat_request;
/* Parameters of environments, where a later map counts. */
typedef struct heat_given heat_given;
struct heat_given {
	const ynode **map;
	uint32_t n;
};
/* NULL: not given. */
const ynode *heat_given_value(const heat_given *, const char *parameter);
/* Reports what is wrong with the template. `doc` was read with heat_yaml. given: or NULL. */
void heat_check(vc *, const ynode *doc, const heat_request *, heat_given *given);

/* What templates are made of, for who writes them. */
enum heat_entity {
	HEAT_TEMPLATE,
	HEAT_PARAMETER,
	HEAT_RESOURCE,
	HEAT_OUTPUT,
	HEAT_GROUP,
	HEAT_ENTITIES
};
/* Keys of the entity in the template's version; in an unknown one all. */
void heat_each_key(const ynode *doc, enum heat_entity, void (*)(void *, const char *), void *ctx);
void heat_each_version(void (*)(void *, const char *), void *ctx);
/* A type of Heat 19: a map with `properties`, `attributes`, ..., schemas by name; NULL: none. */
const ynode *heat_type(vc *, const char *name);
void heat_each_type(vc *, void (*)(void *, const char *), void *ctx);
/* Functions of the template's version, with what they take. */
void heat_each_function(
	const ynode *doc, void (*)(void *, const char *name, const char *usage), void *ctx);

/* The engine's name of the function that a map of this one key calls in a template; NULL: it is a
 * plain map. Ref is told as it is. */
const char *heat_function(const ynode *doc, const char *key, bool in_condition);

#endif
