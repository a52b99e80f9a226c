/*
 * hints.c - what somebody probably meant who wrote a part of a file in another shape: the next step
 * for problems that read.c and names.c report.
 */
#include "compiler/tosca/front.h"

#include <string.h>

/* Words that other languages have for the primitive types. */
const char *
th_primitive(const char *name)
{
	static const char *const words[][2] = {{"int", "integer"}, {"long", "integer"},
		{"number", "float"}, {"double", "float"}, {"bool", "boolean"}, {"str", "string"},
		{"text", "string"}, {"array", "list"}, {"dict", "map"}, {"object", "map"},
		{"hash", "map"}, {"json", "map"}, {"date", "timestamp"}, {"datetime", "timestamp"},
		{"size", "scalar-unit.size"}, {"bytes", "scalar-unit.size"}};

	for (size_t i = 0; i < VC_LEN(words); i++)
		if (strcmp(words[i][0], name) == 0)
			return words[i][1];
	return NULL;
}

static bool
is_definition(enum te_kind kind)
{
	return kind == TE_PROPERTY_DEF || kind == TE_ATTRIBUTE_DEF || kind == TE_PARAMETER_DEF;
}

/* An entity that is no map. */
void
th_no_map(vc *c, const te *e, const ynode *y)
{
	if (e->name && is_definition((enum te_kind)e->kind) && y->kind == YN_SCALAR && y->ntext)
		vc_hint(c, "%s: { type: %s }", e->name, y->text);
}

void
th_no_list(vc *c, const ynode *y, const char *wanted)
{
	if (y->kind == YN_SEQ && strcmp(wanted, "a map") == 0)
		vc_hint(c, "each has its name for a key, and no dash before it: NAME: ...");
	if (y->kind == YN_SCALAR && y->ntext > 0 && y->ntext <= 80 &&
		!memchr(y->text, '\n', y->ntext) && strncmp(wanted, "a list", 6) == 0)
		vc_hint(c, "a list of one is [%s]", y->text);
}

void
th_in_capability(vc *c, const te *e, const char *name)
{
	const char *type = te_str(e, "type");
	const ty_type *y = type ? tn_find_type(e->unit, TN_NODE, type) : NULL;

	for (uint32_t i = 0; y && i < y->caps.n; i++)
		if (ty_find(&y->caps.d[i]->props, name)) {
			vc_hint(c,
				"the capability '%s' has it: capabilities: { %s: { properties: { "
				"%s: ... } } }",
				y->caps.d[i]->name, y->caps.d[i]->name, name);
			return;
		}
}

/* Requirements and policies that are a map: their order counts. */
void
th_no_sequence(vc *c, const ynode *y)
{
	if (y->kind == YN_MAP && y->n && y->key[0]->kind == YN_SCALAR)
		vc_hint(c, "a dash stands before each: - %s: ...", y->key[0]->text);
}

/* A keyname of other versions; some were only renamed. */
void
th_elsewhere(vc *c, const char *key, const char *versions)
{
	bool renamed = strcmp(key, "topology_template") == 0;

	vc_hint(c, "%s has it%s", versions,
		renamed ? "; in 2.0 it is called service_template" : "");
}

static void
did_you_mean(vc *c, const char *name, const char *const *names, size_t n)
{
	const char *near = vt_nearest(name, names, n);
	if (near)
		vc_did_you_mean(c, "'%s'", near);
}

void
te_hint_near(const te *e, const char *keyname, const char *name)
{
	const char **names = NULL;
	size_t n = 0;
	uint32_t count;
	te **all = te_all(e, keyname, &count);
	for (uint32_t i = 0; i < count; i++)
		if (all[i]->name)
			vc_push(e->unit->t->c, names, n) = all[i]->name;
	did_you_mean(e->unit->t->c, name, names, n);
}

void
ty_hint_near(vc *c, const ty_defs *defs, const char *name)
{
	const char **names = NULL;
	size_t n = 0;
	for (uint32_t i = 0; i < defs->n; i++)
		vc_push(c, names, n) = defs->d[i]->name;
	did_you_mean(c, name, names, n);
}

/* A keyname that the entity has in no version. */
void
th_no_keyname(vc *c, const te *e, const char *key)
{
	static const char *const values[] = {"values stand below properties: {", "... }"};
	static const char *const property[] = {
		"a property stands below properties: {", "{ type: ... } }"};
	static const char *const operation[] = {"operations stand below operations: {", "... }"};
	static const char *const node[] = {
		"nodes stand below node_templates: {", "{ type: ... } }"};
	static const struct {
		enum te_kind kind;
		const char *const *hint;
	} rows[] = {{TE_INTERFACE, operation}, {TE_SERVICE, node}, {TE_NODE, values},
		{TE_CAPABILITY, values}, {TE_RELATIONSHIP, values},
		{TE_RELATIONSHIP_ASSIGN, values}, {TE_GROUP, values}, {TE_POLICY, values},
		{TE_ARTIFACT, values}, {TE_NODE_TYPE, property}, {TE_CAPABILITY_TYPE, property},
		{TE_RELATIONSHIP_TYPE, property}, {TE_DATA_TYPE, property}};

	for (size_t i = 0; i < VC_LEN(rows); i++)
		if (rows[i].kind == (enum te_kind)e->kind)
			vc_hint(c, "%s %s: %s", rows[i].hint[0], key, rows[i].hint[1]);
}
