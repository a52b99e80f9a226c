/*
 * cloudify.c - Cloudify blueprints as TOSCA.
 *
 * Every node has a capability `node` and a requirement `relationship`; a relationship is an
 * assignment of that. Operations of a relationship's source and target are those of its interfaces;
 * those of the target have `target.` in front of their names. `instances` and the scalable
 * properties of capabilities are properties of the capability.
 */
#include "compiler/tosca/desugar.h"

#include <string.h>

typedef ynode *(*maker)(tosca_unit *, ynode *);

static bool
ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n >= k && !strcmp(s + n - k, end);
}

static ynode *
each(tosca_unit *u, ynode *doc, const char *keyname, maker make)
{
	ynode *own = yn_get(doc, keyname);
	if (!own)
		return NULL;
	ynode *all = ds_map(u, own);
	if (own->kind != YN_MAP && own->kind != YN_ERROR)
		vc_report(u->t->c, VC_E2004, own->span, "%s must be a map", keyname);
	for (uint32_t i = 0; own->kind == YN_MAP && i < own->n; i++)
		ds_put_key(u, all, own->key[i], make(u, own->item[i]));
	return all;
}

/* The keys of y under other names: from, to, from, to..., NULL. */
static ynode *
renamed(tosca_unit *u, ynode *y, const char *const *names)
{
	ynode *m = ds_map(u, y);
	for (size_t i = 0; names[i]; i += 2) {
		ynode *v = yn_get(y, names[i]);
		if (v)
			ds_put_key(u, m,
				!strcmp(names[i], names[i + 1]) ? yn_key(y, names[i])
								: ds_text(u, v, names[i + 1]),
				v);
	}
	return m;
}

/* ---- operations ---- */

/* What runs: the file that the script plugin is told of, else what is written. */
static ynode *
primary(ynode *impl, const ynode *inputs)
{
	ynode *path = inputs && inputs->kind == YN_MAP ? yn_get(inputs, "script_path") : NULL;
	if (path && path->kind == YN_MAP)
		path = yn_get(path, "default");
	return te_text(impl) && ends_with(impl->text, "script_runner.tasks.run") && path &&
			       te_text(path) && !strstr(path->text, "://")
		       ? path
		       : impl;
}

/* How the implementation is run, if anything is said of that. */
static ynode *
implementation(tosca_unit *u, ynode *y)
{
	static const char *const how[] = {"max_retries", "max_retries", "retry_interval",
		"retry_interval", "timeout", "timeout", NULL};
	ynode *impl = yn_get(y, "implementation"), *where = yn_get(y, "executor");
	ynode *all = renamed(u, y, how);
	if (!impl || (te_text(impl) && !*impl->text)) /* none, or said and empty */
		return NULL;
	impl = primary(impl, yn_get(y, "inputs"));
	if (where && te_text(where) && !strcmp(where->text, "central_deployment_agent"))
		ds_put(u, all, "operation_host", ds_text(u, where, "ORCHESTRATOR"));
	if (!all->n)
		return impl;
	ds_put(u, all, "primary", impl);
	return all;
}

static ynode *
operation(tosca_unit *u, ynode *y)
{
	static const char *const names[] = {"implementation", "inputs", "executor", "max_retries",
		"retry_interval", "timeout", "timeout_recoverable", NULL};
	static const char *const same[] = {"inputs", "inputs", NULL};
	if (y->kind != YN_MAP)
		return y;
	ds_keys(u, y, "operation", names);
	ynode *op = renamed(u, y, same), *impl = implementation(u, y);
	if (impl)
		ds_put(u, op, "implementation", impl);
	return op;
}

static ynode *
interface(tosca_unit *u, ynode *y)
{
	ynode *m = ds_map(u, y);
	if (y->kind != YN_MAP)
		return y;
	for (uint32_t i = 0; i < y->n; i++)
		ds_put_key(u, m, y->key[i], operation(u, y->item[i]));
	return m;
}

static void
interfaces(tosca_unit *u, ynode *from, const char *keyname, ynode *into)
{
	ynode *own = yn_get(from, keyname), *all = yn_get(into, "interfaces");
	if (!own || own->kind != YN_MAP)
		return;
	if (!all) {
		all = ds_map(u, own);
		ds_put(u, into, "interfaces", all);
	}
	for (uint32_t i = 0; i < own->n; i++) {
		ynode *key = own->key[i];
		if (*keyname == 't' && te_text(key)) /* both ends have interfaces of one name */
			key = ds_text(u, key, vc_format(u->t->c, "target.%s", key->text));
		ds_put_key(u, all, key, interface(u, own->item[i]));
	}
}

/* ---- types ---- */

static ynode *
unbounded(tosca_unit *u, const ynode *at)
{
	ynode *range = ds_list(u, at);
	ds_add(u, range, ds_int(u, at, 0));
	ds_add(u, range, ds_text(u, at, "UNBOUNDED"));
	return range;
}

/* What the capability of every node has, as far as Cloudify's own tools have a default for it. */
static ynode *
scalable(tosca_unit *u, const ynode *at)
{
	static const struct {
		const char *name;
		int64_t i;
		const char *s;
	} rows[] = {{"scalable.default_instances", 1, NULL}, {"scalable.min_instances", 0, NULL},
		{"scalable.max_instances", 0, "UNBOUNDED"}};
	ynode *props = ds_map(u, at);
	for (size_t i = 0; i < VC_LEN(rows); i++)
		ds_put(u, props, rows[i].name,
			ds_pair(u, at, "default",
				rows[i].s ? ds_text(u, at, rows[i].s) : ds_int(u, at, rows[i].i)));
	return ds_pair(u, at, "properties", props);
}

static ynode *
property(tosca_unit *u, ynode *y)
{
	static const char *const names[] = {"description", "type", "default", "required", NULL};
	ds_keys(u, y, "property", names);
	return y;
}

static ynode *
node_type(tosca_unit *u, ynode *y)
{
	static const char *const names[] = {"derived_from", "interfaces", "properties", NULL};
	static const char *const same[] = {"derived_from", "derived_from", NULL};
	ds_keys(u, y, "node type", names);
	ynode *type = renamed(u, y, same);
	ds_put(u, type, "properties", each(u, y, "properties", property));
	interfaces(u, y, "interfaces", type);
	if (yn_get(y, "derived_from"))
		return type;
	ds_put(u, type, "capabilities", ds_pair(u, y, "node", ds_text(u, y, "cloudify.Node")));
	ynode *req = ds_pair(u, y, "capability", ds_text(u, y, "cloudify.Node")),
	      *reqs = ds_list(u, y);
	ds_put(u, req, "occurrences", unbounded(u, y));
	ds_add(u, reqs, ds_pair(u, y, "relationship", req));
	ds_put(u, type, "requirements", reqs);
	return type;
}

static ynode *
relationship_type(tosca_unit *u, ynode *y)
{
	static const char *const names[] = {"derived_from", "source_interfaces",
		"target_interfaces", "properties", "connection_type", NULL};
	static const char *const same[] = {"derived_from", "derived_from", NULL};
	ds_keys(u, y, "relationship type", names);
	ynode *type = renamed(u, y, same);
	ds_put(u, type, "properties", each(u, y, "properties", property));
	interfaces(u, y, "source_interfaces", type);
	interfaces(u, y, "target_interfaces", type);
	return type;
}

static ynode *
data_type(tosca_unit *u, ynode *y)
{
	static const char *const names[] = {
		"description", "properties", "derived_from", "version", NULL};
	ds_keys(u, y, "data type", names);
	return y;
}

/* What a policy type declares is meant for the policies inside of groups; those of the file take
 * what they are given. */
static ynode *
policy_type(tosca_unit *u, ynode *y)
{
	static const char *const names[] = {"source", "properties", NULL};
	ds_keys(u, y, "policy type", names);
	return ds_map(u, y);
}

/* ---- templates ---- */

static ynode *
relationship(tosca_unit *u, ynode *y)
{
	static const char *const names[] = {"type", "target", "properties", "source_interfaces",
		"target_interfaces", "connection_type", NULL};
	static const char *const same[] = {"type", "type", "properties", "properties", NULL};
	ynode *req = ds_map(u, y), *rel;
	if (!ds_keys(u, y, "relationship", names))
		return ds_pair(u, y, "relationship", req);
	if (!yn_get(y, "target"))
		vc_report(
			u->t->c, VC_E2003, y->span, "the relationship needs the keyname 'target'");
	rel = renamed(u, y, same);
	if (yn_get(y, "connection_type") && !yn_get(rel, "properties"))
		ds_put(u, rel, "properties",
			ds_pair(u, y, "connection_type", yn_get(y, "connection_type")));
	interfaces(u, y, "source_interfaces", rel);
	interfaces(u, y, "target_interfaces", rel);
	ds_put(u, req, "node", yn_get(y, "target"));
	ds_put(u, req, "relationship", rel);
	return ds_pair(u, y, "relationship", req);
}

static void
scaling(tosca_unit *u, ynode *y, ynode *node)
{
	ynode *caps = yn_get(y, "capabilities"), *old = yn_get(y, "instances"),
	      *props = ds_map(u, y);
	ynode *scalable_cap = caps && caps->kind == YN_MAP ? yn_get(caps, "scalable") : NULL;
	ynode *given = scalable_cap ? yn_get(scalable_cap, "properties") : NULL;
	for (uint32_t i = 0; given && given->kind == YN_MAP && i < given->n; i++)
		if (te_text(given->key[i]))
			ds_put(u, props, vc_format(u->t->c, "scalable.%s", given->key[i]->text),
				given->item[i]);
	if (old && old->kind == YN_MAP && yn_get(old, "deploy") &&
		!yn_get(props, "scalable.default_instances"))
		ds_put(u, props, "scalable.default_instances", yn_get(old, "deploy"));
	if (props->n)
		ds_put(u, node, "capabilities",
			ds_pair(u, y, "node", ds_pair(u, y, "properties", props)));
}

static ynode *
node_template(tosca_unit *u, ynode *y)
{
	static const char *const names[] = {"type", "properties", "instances", "interfaces",
		"relationships", "capabilities", NULL};
	static const char *const same[] = {"type", "type", "properties", "properties", NULL};
	if (!ds_keys(u, y, "node template", names))
		return y;
	ynode *node = renamed(u, y, same), *rels = yn_get(y, "relationships"), *list;
	interfaces(u, y, "interfaces", node);
	scaling(u, y, node);
	if (!rels)
		return node;
	list = ds_list(u, rels);
	for (uint32_t i = 0; rels->kind == YN_SEQ && i < rels->n; i++)
		ds_add(u, list, relationship(u, rels->item[i]));
	ds_put(u, node, "requirements", list);
	return node;
}

static ynode *
input(tosca_unit *u, ynode *y)
{
	static const char *const names[] = {"description", "type", "default", "required",
		"constraints", "display_label", "hidden", NULL};
	static const char *const same[] = {"description", "description", "type", "type", "default",
		"default", "required", "required", "constraints", "constraints", NULL};
	if (y->kind == YN_SCALAR && y->type == YT_NULL)
		return ds_map(u, y);
	return ds_keys(u, y, "input", names) ? renamed(u, y, same) : y;
}

static ynode *
output(tosca_unit *u, ynode *y)
{
	static const char *const names[] = {"description", "value", NULL};
	ds_keys(u, y, "output", names);
	return y;
}

static ynode *
group(tosca_unit *u, ynode *y)
{
	static const char *const names[] = {"members", "policies", NULL};
	static const char *const same[] = {"members", "members", NULL};
	if (!ds_keys(u, y, "group", names))
		return y;
	ynode *g = renamed(u, y, same);
	ds_put(u, g, "type", ds_text(u, y, "cloudify.Group"));
	return g;
}

static ynode *
policies(tosca_unit *u, ynode *doc)
{
	ynode *own = yn_get(doc, "policies"), *list = ds_list(u, doc);
	if (!own || own->kind != YN_MAP)
		return NULL;
	for (uint32_t i = 0; i < own->n; i++) {
		ynode *one = ds_map(u, own->item[i]);
		ds_put_key(u, one, own->key[i], own->item[i]);
		ds_add(u, list, one);
	}
	return list;
}

/* ---- the file ---- */

static void
file_types(tosca_unit *u, ynode *doc, ynode *file)
{
	ds_put(u, file, "data_types", each(u, doc, "data_types", data_type));
	ds_put(u, file, "node_types", each(u, doc, "node_types", node_type));
	ds_put(u, file, "relationship_types", each(u, doc, "relationships", relationship_type));
	ds_put(u, file, "policy_types", each(u, doc, "policy_types", policy_type));
	if (!u->embedded)
		return;
	ds_put(u, file, "capability_types", ds_pair(u, doc, "cloudify.Node", scalable(u, doc)));
	ds_put(u, file, "group_types", ds_pair(u, doc, "cloudify.Group", ds_map(u, doc)));
}

ynode *
tosca_from_cloudify(tosca_unit *u, ynode *doc)
{
	static const char *const names[] = {"tosca_definitions_version", "description", "metadata",
		"imports", "inputs", "node_templates", "node_types", "capabilities", "capability",
		"outputs", "relationships", "plugins", "workflows", "data_types", "policies",
		"policy_types", "policy_triggers", "upload_resources", "groups", "dsl_definitions",
		"labels", "blueprint_labels", NULL};
	static const char *const same[] = {"tosca_definitions_version", "tosca_definitions_version",
		"description", "description", "metadata", "metadata", "imports", "imports",
		"dsl_definitions", "dsl_definitions", NULL};
	ds_keys(u, doc, "blueprint", names);
	ynode *file = renamed(u, doc, same), *service = ds_map(u, doc);
	if (!yn_get(doc, "tosca_definitions_version")) /* an import may do without */
		ds_put(u, file, "tosca_definitions_version", ds_text(u, doc, "cloudify_dsl_1_3"));
	file_types(u, doc, file);
	ds_put(u, service, "inputs", each(u, doc, "inputs", input));
	ds_put(u, service, "node_templates", each(u, doc, "node_templates", node_template));
	ds_put(u, service, "groups", each(u, doc, "groups", group));
	ds_put(u, service, "policies", policies(u, doc));
	ds_put(u, service, "outputs", each(u, doc, "outputs", output));
	if (service->n)
		ds_put(u, file, "topology_template", service);
	return file;
}
