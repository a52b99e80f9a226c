/*
 * hot.c - Heat orchestration templates as TOSCA.
 *
 * A resource is a node whose type takes any property; OS::Nova::Server is called
 * openstack:nova.Server.  Parameters are inputs, with those that Heat brings.  `depends_on` is a
 * requirement.  A condition decides how many there are of a resource: one or none; named conditions
 * stand in full where they are used.
 */
#include "compiler/heat/heat.h"
#include "compiler/tosca/desugar.h"

#include <string.h>

typedef struct hot {
	tosca_unit *u;
	const ynode *doc, *parameters, *conditions; /* or NULL */
	uint32_t in_condition;
	ynode *types; /* node_types made so far */
	const heat_given *given;
} hot;

/* ---- conditions ---- */

static ynode *expand(hot *, ynode *, uint32_t depth);

/* The named condition, or the expression itself. */
static ynode *
condition(hot *h, ynode *y, uint32_t depth)
{
	const char *name = te_text(y);
	if (!name) {
		h->in_condition++;
		y = expand(h, y, depth + 1);
		h->in_condition--;
		return y;
	}
	ynode *named = h->conditions ? yn_get(h->conditions, name) : NULL;
	if (!named || depth > 100) /* compiler/heat has said so */
		return ds_text(h->u, y, name);
	return condition(h, named, depth + 1);
}

static ynode *
entries(hot *h, ynode *y, uint32_t depth)
{
	ynode *copy = y->kind == YN_MAP ? ds_map(h->u, y) : ds_list(h->u, y);
	for (uint32_t i = 0; i < y->n; i++)
		if (y->kind == YN_MAP)
			ds_put_key(h->u, copy, y->key[i], expand(h, y->item[i], depth + 1));
		else
			ds_add(h->u, copy, expand(h, y->item[i], depth + 1));
	return copy;
}

/* `if` and what makes conditions of others: these arguments stand in full. */
static ynode *
expand_logic(hot *h, ynode *args, bool first_only, uint32_t depth)
{
	if (args->kind != YN_SEQ)
		return condition(h, args, depth + 1);
	ynode *out = ds_list(h->u, args);
	for (uint32_t i = 0; i < args->n; i++)
		ds_add(h->u, out,
			i == 0 || !first_only ? condition(h, args->item[i], depth + 1)
					      : expand(h, args->item[i], depth + 1));
	return out;
}

/* Ref names a parameter, or else a resource. */
static const char *
referred(const hot *h, const ynode *name)
{
	const char *s = te_text(name);
	return s && h->parameters && yn_get(h->parameters, s) ? "get_param" : "get_resource";
}

static ynode *
call(hot *h, ynode *y, const char *fn, uint32_t depth)
{
	ynode *args = y->item[0], *copy = ds_map(h->u, y);
	bool logic = !strcmp(fn, "and") || !strcmp(fn, "or") || !strcmp(fn, "not");
	if (!strcmp(fn, "Ref"))
		fn = referred(h, args);
	if (logic || !strcmp(fn, "if"))
		args = expand_logic(h, args, !logic, depth);
	else
		args = expand(h, args, depth + 1);
	ds_put_key(h->u, copy, ds_text(h->u, y->key[0], fn), args);
	return copy;
}

/* A value in which `if` has its condition in full, and in which only those maps are calls that are
 * calls in this release. */
static ynode *
expand(hot *h, ynode *y, uint32_t depth)
{
	if ((y->kind != YN_MAP && y->kind != YN_SEQ) || depth > 300)
		return y;
	const char *key = y->kind == YN_MAP && y->n == 1 ? te_text(y->key[0]) : NULL;
	const char *fn = key ? heat_function(h->doc, key, h->in_condition > 0) : NULL;
	if (fn)
		return call(h, y, fn, depth);
	ynode *copy = entries(h, y, depth);
	copy->literal = true;
	return copy;
}

/* ---- parameters ---- */

/* Data types that turn what is given into what they want: data.c has their bases. */
static const char *const types[] = {"string", "number", "comma_delimited_list", "json", "boolean"};

/* length: { min, max } with a description beside: without it a constraint has one key. */
static ynode *
constraints(hot *h, const ynode *list)
{
	ynode *out = ds_list(h->u, list);
	for (uint32_t i = 0; list->kind == YN_SEQ && i < list->n; i++) {
		const ynode *c = list->item[i];
		ynode *m = ds_map(h->u, c);
		for (uint32_t k = 0; c->kind == YN_MAP && k < c->n; k++)
			if (!te_text(c->key[k]) || strcmp(c->key[k]->text, "description") != 0)
				ds_put_key(h->u, m, c->key[k], c->item[k]);
		ds_add(h->u, out, m);
	}
	return out;
}

static bool
is_hidden(const ynode *y)
{
	return y && y->kind == YN_SCALAR &&
	       (y->type == YT_BOOL ? y->i != 0 : te_text(y) && !strcasecmp(te_text(y), "true"));
}

static ynode *
parameter(hot *h, const char *name, const ynode *y)
{
	const ynode *given = name ? heat_given_value(h->given, name) : NULL;
	static const char *const names[] = {"type", "label", "description", "default", "hidden",
		"constraints", "immutable", "tags", NULL};
	ynode *p = ds_map(h->u, y), *type = yn_get(y, "type"), *rules = yn_get(y, "constraints");
	if (!ds_keys(h->u, y, "parameter", names))
		return p;
	size_t i = 0;
	while (te_text(type) && i < VC_LEN(types) && strcmp(types[i], type->text) != 0)
		i++;
	if (!te_text(type) || i == VC_LEN(types)) {
		vc_report(h->u->t->c, type ? VC_E2020 : VC_E2003, type ? type->span : y->span,
			"a parameter is of type string, number, comma_delimited_list, json or "
			"boolean");
		return p;
	}
	ds_put(h->u, p, "type", type);
	ds_put(h->u, p, "description", yn_get(y, "description"));
	/* what an environment gives is what there is unless somebody says otherwise */
	ds_put(h->u, p, "default", given ? (ynode *)(uintptr_t)given : yn_get(y, "default"));
	if (rules)
		ds_put(h->u, p, "constraints", constraints(h, rules));
	if (is_hidden(yn_get(y, "hidden")))
		ds_put(h->u, p, "metadata", ds_pair(h->u, y, "private", ds_text(h->u, y, "true")));
	return p;
}

static ynode *
parameters(hot *h, const ynode *doc)
{
	static const char *const given[] = {"OS::project_id", "project_id", "OS::stack_id",
		"stack_id", "OS::stack_name", "stack_name"};
	ynode *all = ds_map(h->u, doc), *own = yn_get(doc, "parameters");
	for (size_t i = 0; i < VC_LEN(given); i += 2) {
		ynode *p = ds_pair(h->u, doc, "default", ds_text(h->u, doc, given[i + 1]));
		ds_put(h->u, all, given[i], p);
	}
	for (uint32_t i = 0; own && own->kind == YN_MAP && i < own->n; i++)
		ds_put_key(
			h->u, all, own->key[i], parameter(h, te_text(own->key[i]), own->item[i]));
	return all;
}

/* ---- resources ---- */

static const char *
type_name(hot *h, const char *s)
{
	if (strncmp(s, "OS::", 4) != 0)
		return s;
	const char *colons = strstr(s + 4, "::");
	if (!colons)
		return s;
	char *family = vc_strndup(h->u->t->c, s + 4, (size_t)(colons - s - 4));
	for (char *p = family; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p + 32);
	return vc_format(h->u->t->c, "openstack:%s.%s", family, colons + 2);
}

static void
declare(hot *h, const ynode *at, const char *name)
{
	if (yn_get(h->types, name))
		return;
	ynode *type = ds_pair(h->u, at, "capabilities",
		ds_pair(h->u, at, "resource", ds_text(h->u, at, "Resource")));
	ynode *range = ds_list(h->u, at),
	      *req = ds_pair(h->u, at, "capability", ds_text(h->u, at, "Resource"));
	ds_add(h->u, range, ds_int(h->u, at, 0));
	ds_add(h->u, range, ds_text(h->u, at, "UNBOUNDED"));
	ds_put(h->u, req, "occurrences", range);
	ynode *reqs = ds_list(h->u, at);
	ds_add(h->u, reqs, ds_pair(h->u, at, "depends_on", req));
	ds_put(h->u, type, "requirements", reqs);
	ds_put(h->u, h->types, name, type);
}

static ynode *
dependencies(hot *h, const ynode *y)
{
	ynode *list = ds_list(h->u, y);
	for (uint32_t i = 0; i < (y->kind == YN_SEQ ? y->n : 1); i++) {
		ynode *name = y->kind == YN_SEQ ? y->item[i] : (ynode *)(uintptr_t)y;
		ds_add(h->u, list,
			ds_pair(h->u, name, "depends_on", ds_pair(h->u, name, "node", name)));
	}
	return list;
}

static ynode *
resource(hot *h, const ynode *y)
{
	static const char *const names[] = {"type", "properties", "metadata", "depends_on",
		"update_policy", "deletion_policy", "external_id", "condition", NULL};
	ynode *n = ds_map(h->u, y), *type = yn_get(y, "type"), *props = yn_get(y, "properties");
	if (!ds_keys(h->u, y, "resource", names))
		return n;
	if (te_text(type)) {
		const char *name = type_name(h, type->text);
		declare(h, type, name);
		ds_put(h->u, n, "type", ds_text(h->u, type, name));
	}
	if (props)
		ds_put(h->u, n, "properties", expand(h, props, 0));
	if (yn_get(y, "depends_on"))
		ds_put(h->u, n, "requirements", dependencies(h, yn_get(y, "depends_on")));
	ynode *when = yn_get(y, "condition");
	if (when) {
		ynode *args = ds_list(h->u, when);
		ds_add(h->u, args, condition(h, when, 0));
		ds_add(h->u, args, ds_int(h->u, when, 1));
		ds_add(h->u, args, ds_int(h->u, when, 0));
		ds_put(h->u, n, "count", ds_pair(h->u, when, "if", args));
	}
	return n;
}

static ynode *
output(hot *h, const ynode *y)
{
	static const char *const names[] = {"description", "value", "condition", NULL};
	ynode *o = ds_map(h->u, y), *value = yn_get(y, "value"), *when = yn_get(y, "condition");
	if (!ds_keys(h->u, y, "output", names))
		return o;
	ds_put(h->u, o, "description", yn_get(y, "description"));
	if (!value) {
		vc_report(h->u->t->c, VC_E2003, y->span, "the output needs the keyname 'value'");
		return o;
	}
	value = expand(h, value, 0);
	if (when) {
		ynode *args = ds_list(h->u, when), *none = ds_text(h->u, when, "null");
		none->type = YT_NULL;
		ds_add(h->u, args, condition(h, when, 0));
		ds_add(h->u, args, value);
		ds_add(h->u, args, none);
		value = ds_pair(h->u, when, "if", args);
	}
	ds_put(h->u, o, "value", value);
	return o;
}

static ynode *
each(hot *h, const ynode *doc, const char *keyname, ynode *(*make)(hot *, const ynode *))
{
	ynode *own = yn_get(doc, keyname), *all = ds_map(h->u, own ? own : doc);
	if (own && own->kind != YN_MAP)
		vc_report(h->u->t->c, VC_E2004, own->span, "%s must be a map", keyname);
	for (uint32_t i = 0; own && own->kind == YN_MAP && i < own->n; i++)
		ds_put_key(h->u, all, own->key[i], make(h, own->item[i]));
	return all;
}

ynode *
tosca_from_hot(tosca_unit *u, ynode *doc, const heat_given *given)
{
	static const char *const names[] = {"heat_template_version", "description",
		"parameter_groups", "parameters", "resources", "outputs", "conditions", NULL};
	hot h = {.u = u,
		.doc = doc,
		.parameters = yn_get(doc, "parameters"),
		.conditions = yn_get(doc, "conditions"),
		.types = ds_map(u, doc),
		.given = given};
	ynode *file = ds_map(u, doc), *service = ds_map(u, doc);
	ds_keys(u, doc, "Heat template", names);
	ds_put(u, file, "tosca_definitions_version", ds_text(u, doc, "heat"));
	ds_put(u, file, "description", yn_get(doc, "description"));
	ds_put(u, service, "inputs", parameters(&h, doc));
	ds_put(u, service, "node_templates", each(&h, doc, "resources", resource));
	ds_put(u, service, "outputs", each(&h, doc, "outputs", output));
	ds_put(u, file, "capability_types", ds_pair(u, doc, "Resource", ds_map(u, doc)));
	ds_put(u, file, "node_types", h.types);
	ynode *data = ds_map(u, doc);
	for (size_t i = 0; i < VC_LEN(types); i++)
		ds_put(u, data, types[i], ds_map(u, doc));
	ds_put(u, file, "data_types", data);
	ds_put(u, file, "topology_template", service);
	return file;
}
