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
		"constraints", "display_label", "hidden", "allow_update", "item_type", NULL};
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

/* What the language itself has of scaling; other policies are of plugins. */
static void
scaling_keys(tosca_unit *u, const ynode *policy)
{
	static const char *const names[] = {"default_instances", "min_instances", "max_instances",
		"current_instances", "planned_instances", NULL};
	const ynode *type = policy->kind == YN_MAP ? yn_get(policy, "type") : NULL,
		    *props = type ? yn_get(policy, "properties") : NULL;
	if (te_text(type) && !strcmp(type->text, "cloudify.policies.scaling") && props)
		ds_keys(u, props, "scaling of a group", names);
}

static ynode *
policies(tosca_unit *u, ynode *doc)
{
	ynode *own = yn_get(doc, "policies"), *list = ds_list(u, doc);
	if (!own || own->kind != YN_MAP)
		return NULL;
	for (uint32_t i = 0; i < own->n; i++) {
		scaling_keys(u, own->item[i]);
		ynode *one = ds_map(u, own->item[i]);
		ds_put_key(u, one, own->key[i], own->item[i]);
		ds_add(u, list, one);
	}
	return list;
}

/* Capabilities of a blueprint, which other deployments read, are outputs `capabilities.NAME`. */
static void
capabilities(tosca_unit *u, ynode *doc, ynode *service)
{
	ynode *own = yn_get(doc, "capabilities"), *outputs = yn_get(service, "outputs");
	if (!own || own->kind != YN_MAP || !own->n)
		return;
	ynode *all = ds_map(u, outputs ? outputs : own);
	for (uint32_t i = 0; outputs && outputs->kind == YN_MAP && i < outputs->n; i++)
		ds_put_key(u, all, outputs->key[i], outputs->item[i]);
	for (uint32_t i = 0; i < own->n; i++)
		if (te_text(own->key[i]))
			ds_put_key(u, all,
				ds_text(u, own->key[i],
					vc_format(u->t->c, "capabilities.%s", own->key[i]->text)),
				output(u, own->item[i]));
	ds_put(u, service, "outputs", all);
}

/* ---- what imports bring: everything, as if it stood in the file that imports ---- */

typedef struct seen {
	const tosca_unit *u;
	const char *prefix;
} seen;
typedef struct merge {
	tosca_unit *u;      /* the blueprint */
	const char *prefix; /* NS-- of the import at hand, or "" */
	seen *seen;
	size_t nseen;
	te *service;
	bool full;
} merge;
/* Two imports of one file with two prefixes double what that file imports, and so on. */
enum { MOST_PARTS = 4096 };

static ynode *
prefixed_text(const merge *m, ynode *y)
{
	const char *s = te_text(y);
	return s ? ds_text(m->u, y, vc_format(m->u->t->c, "%s%s", m->prefix, s)) : y;
}

/* A type may be one of the file's own, or one that every blueprint has. */
static ynode *
prefixed_type(const merge *m, enum tn_section section, ynode *y)
{
	ynode *own = prefixed_text(m, y);
	return te_text(own) && tn_find(m->u, section, own->text) ? own : y;
}

/* What names an input or a node, by the function that is called. */
static bool
names_something(const char *function)
{
	static const char *const names[] = {"get_input", "get_property", "get_attribute",
		"get_attributes_list", "get_attributes_dict"};
	for (size_t i = 0; i < VC_LEN(names); i++)
		if (!strcmp(names[i], function))
			return true;
	return false;
}

static bool
is_keyword(const char *s)
{
	static const char *const words[] = {"SELF", "SOURCE", "TARGET", "HOST"};
	for (size_t i = 0; i < VC_LEN(words); i++)
		if (!strcmp(words[i], s))
			return true;
	return false;
}

static ynode *prefixed(const merge *, ynode *);

/* Arguments of such a function: the first is a name. */
static ynode *
prefixed_arguments(const merge *m, ynode *y)
{
	if (y->kind == YN_SCALAR)
		return prefixed_text(m, y);
	if (y->kind != YN_SEQ)
		return prefixed(m, y);
	ynode *list = ds_list(m->u, y);
	for (uint32_t i = 0; i < y->n; i++) {
		bool name = !i && te_text(y->item[i]) && !is_keyword(y->item[i]->text);
		ds_add(m->u, list, name ? prefixed_text(m, y->item[i]) : prefixed(m, y->item[i]));
	}
	return list;
}

/* A value with the prefix before each name in it. */
static ynode *
prefixed(const merge *m, ynode *y)
{
	if (y->kind == YN_SEQ) {
		ynode *list = ds_list(m->u, y);
		for (uint32_t i = 0; i < y->n; i++)
			ds_add(m->u, list, prefixed(m, y->item[i]));
		return list;
	}
	if (y->kind != YN_MAP)
		return y;
	bool call = y->n == 1 && te_text(y->key[0]) && names_something(y->key[0]->text);
	ynode *map = ds_map(m->u, y);
	for (uint32_t i = 0; i < y->n; i++)
		ds_put_key(m->u, map, y->key[i],
			call ? prefixed_arguments(m, y->item[i]) : prefixed(m, y->item[i]));
	return map;
}

static ynode *
prefixed_names(const merge *m, ynode *y)
{
	if (y->kind != YN_SEQ)
		return y;
	ynode *list = ds_list(m->u, y);
	for (uint32_t i = 0; i < y->n; i++)
		ds_add(m->u, list, prefixed_text(m, y->item[i]));
	return list;
}

/* An entity of the section: its type, targets and members are names too. */
static ynode *
prefixed_entity(const merge *m, enum tn_section types, ynode *y)
{
	if (y->kind != YN_MAP)
		return y;
	ynode *map = ds_map(m->u, y);
	for (uint32_t i = 0; i < y->n; i++) {
		const char *key = te_text(y->key[i]);
		ynode *v = y->item[i];
		bool entity = key && (!strcmp(key, "relationship") || !strcmp(key, "requirements"));
		if (key && !strcmp(key, "type"))
			v = prefixed_type(m, types, v);
		else if (key && !strcmp(key, "node"))
			v = prefixed_text(m, v);
		else if (key && (!strcmp(key, "members") || !strcmp(key, "targets")))
			v = prefixed_names(m, v);
		else if (entity && v->kind == YN_MAP)
			v = prefixed_entity(m, TN_RELATIONSHIP, v);
		else if (entity && v->kind == YN_SEQ) {
			ynode *list = ds_list(m->u, v);
			for (uint32_t k = 0; k < v->n; k++)
				ds_add(m->u, list, prefixed_entity(m, TN_RELATIONSHIP, v->item[k]));
			v = list;
		} else
			v = prefixed(m, v);
		ds_put_key(m->u, map, y->key[i], v);
	}
	return map;
}

static ynode *
prefixed_section(const merge *m, const char *name, ynode *y)
{
	static const struct {
		const char *name;
		enum tn_section types;
	} rows[] = {{"inputs", TN_DATA}, {"outputs", TN_DATA}, {"node_templates", TN_NODE},
		{"groups", TN_GROUP}, {"policies", TN_POLICY}};
	enum tn_section types = TN_DATA;
	if (y->kind == YN_SEQ) { /* policies */
		ynode *list = ds_list(m->u, y);
		for (uint32_t i = 0; i < y->n; i++)
			ds_add(m->u, list, prefixed_section(m, name, y->item[i]));
		return list;
	}
	for (size_t i = 0; i < VC_LEN(rows); i++)
		if (!strcmp(rows[i].name, name))
			types = rows[i].types;
	ynode *map = ds_map(m->u, y);
	for (uint32_t i = 0; y->kind == YN_MAP && i < y->n; i++)
		ds_put_key(m->u, map, prefixed_text(m, y->key[i]),
			prefixed_entity(m, types, y->item[i]));
	return map;
}

static te_field *
field_of(te *e, const te_field *like)
{
	for (uint32_t i = 0; i < e->n; i++)
		if (e->field[i].row == like->row)
			return &e->field[i];
	te_field *more = vc_alloc(e->unit->t->c, (e->n + 1) * sizeof *more);
	for (uint32_t i = 0; i < e->n; i++)
		more[i] = e->field[i];
	more[e->n] = *like;
	more[e->n].item = NULL;
	more[e->n].n = 0;
	e->field = more;
	return &e->field[e->n++];
}

static void
add_entity(merge *m, te_field *to, te *e)
{
	const te *there = te_named(m->service, to->row->name, e->name);
	if (there) {
		vc_report(m->u->t->c, VC_E2009, te_span(e),
			"'%s' is declared in another file of the blueprint too", e->name);
		vc_note(m->u->t->c, te_span(there), "it is declared here");
		return;
	}
	te **all = vc_alloc(m->u->t->c, (to->n + 1) * sizeof *all);
	for (uint32_t i = 0; i < to->n; i++)
		all[i] = to->item[i];
	all[to->n++] = e;
	to->item = all;
}

static void
add_part(merge *m, const tosca_unit *from)
{
	ynode *part = from->part;
	if (*m->prefix) {
		part = ds_map(m->u, from->part);
		for (uint32_t i = 0; i < from->part->n; i++)
			ds_put_key(m->u, part, from->part->key[i],
				prefixed_section(m, from->part->key[i]->text, from->part->item[i]));
	}
	te *e = te_read(m->u, TE_SERVICE, NULL, part);
	if (!m->service) {
		m->service = e;
		return;
	}
	for (uint32_t i = 0; i < e->n; i++) {
		te_field *to = field_of(m->service, &e->field[i]);
		for (uint32_t k = 0; k < e->field[i].n; k++)
			add_entity(m, to, e->field[i].item[k]);
	}
}

static bool
is_seen(const merge *m, const tosca_unit *u)
{
	for (size_t i = 0; i < m->nseen; i++)
		if (m->seen[i].u == u && !strcmp(m->seen[i].prefix, m->prefix))
			return true;
	return false;
}

static void
take(merge *m, const tosca_unit *u)
{
	vc *c = m->u->t->c;
	const char *outer = m->prefix;
	for (uint32_t i = 0; i < u->nimports; i++) {
		const tosca_import *im = &u->imports[i];
		if (!im->unit || im->unit->embedded)
			continue;
		m->prefix = im->prefix ? vc_format(c, "%s%s--", outer, im->prefix) : outer;
		if (m->nseen >= MOST_PARTS) {
			vc_report(c, VC_E2090, te_span(im->e),
				"the blueprint has more than %d files, each counted with its "
				"prefixes",
				MOST_PARTS);
			m->full = true;
		}
		if (m->full)
			break;
		if (!is_seen(m, im->unit)) {
			vc_push(c, m->seen, m->nseen) = (seen){im->unit, m->prefix};
			if (im->unit->part)
				add_part(m, im->unit);
			take(m, im->unit);
		}
	}
	m->prefix = outer;
}

void
tosca_take_imports(tosca_unit *u)
{
	static const char keyname[] = "topology_template";
	merge m = {.u = u, .prefix = "", .service = te_one(u->file, keyname)};
	te *own = m.service;
	take(&m, u);
	if (!m.service || m.service == own)
		return;
	const tk_row *row = te_infos[TE_FILE].row;
	while (strcmp(row->name, keyname) != 0)
		row++;
	te_field *f = field_of(u->file, &(te_field){.row = row, .y = m.service->y});
	f->item = vc_alloc(u->t->c, sizeof *f->item);
	f->item[0] = m.service;
	f->n = 1;
}

/* ---- instances ---- */

/* What multiplies a node: its own number of instances, that of a group or of a container. */
typedef struct factor {
	const te *of; /* the node or policy that says so */
	ynode *y;
} factor;
typedef struct factors {
	factor *f;
	size_t n;
} factors;

static void
add_factor(vc *c, factors *list, const te *of, ynode *y)
{
	bool one = !y || (y->kind == YN_SCALAR && y->type == YT_INT && y->fits && y->i == 1);
	for (size_t i = 0; i < list->n && !one; i++)
		one = list->f[i].of == of;
	if (!one)
		vc_push(c, list->f, list->n) = (factor){of, y};
}

static bool
has_name(const ynode *list, const char *name)
{
	for (uint32_t i = 0; list && list->kind == YN_SEQ && i < list->n; i++)
		if (te_text(list->item[i]) && !strcmp(list->item[i]->text, name))
			return true;
	return false;
}

/* Is the node a target of the policy, or in a group that is one? Groups may be in groups: each is
 * gone through once. */
static bool
is_target(const te *service, const ynode *targets, const char *name, bool *been)
{
	uint32_t n;
	if (has_name(targets, name))
		return true;
	te **group = te_all(service, "groups", &n);
	for (uint32_t i = 0; i < n; i++) {
		if (been[i] || !has_name(te_y(group[i], "members"), name))
			continue;
		been[i] = true;
		if (is_target(service, targets, group[i]->name, been))
			return true;
	}
	return false;
}

static void
group_factors(vc *c, factors *list, const te *service, const char *name)
{
	uint32_t n, groups;
	te **policy = te_all(service, "policies", &n);
	(void)te_all(service, "groups", &groups);
	bool *been = n ? vc_alloc(c, groups + 1) : NULL;
	for (uint32_t i = 0; i < n; i++) {
		const char *type = te_str(policy[i], "type");
		const ynode *props = te_y(policy[i], "properties");
		if (!type || !props || props->kind != YN_MAP ||
			!ends_with(type, "cloudify.policies.scaling"))
			continue;
		memset(been, 0, groups + 1);
		if (is_target(service, te_y(policy[i], "targets"), name, been))
			add_factor(c, list, policy[i], yn_get(props, "default_instances"));
	}
}

/* The node that this one is contained in, or NULL. */
static const te *
container_of(const tosca_unit *u, const te *service, const te *node, bool tell)
{
	const ty_type *in = tn_find_type(u, TN_RELATIONSHIP, "cloudify.relationships.contained_in");
	const te *found = NULL;
	uint32_t n;
	te **all = te_all(node, "requirements", &n);
	for (uint32_t i = 0; in && i < n; i++) {
		const te *rel = te_one(all[i], "relationship");
		const char *type = rel ? te_str(rel, "type") : NULL, *to = te_str(all[i], "node");
		ty_type *y = type ? tn_find_type(u, TN_RELATIONSHIP, type) : NULL;
		if (!y || !to)
			continue;
		ty_complete(y);
		if (!ty_is(y, in))
			continue;
		if (tell && found && te_named(service, "node_templates", to) != found)
			vc_report(u->t->c, VC_E2053, te_span(rel),
				"the node template '%s' is contained in two others", node->name);
		found = te_named(service, "node_templates", to);
	}
	return found;
}

enum { CONTAINERS = 64 };

static factors
factors_of(const tosca_unit *u, const te *service, const te *node, bool tell)
{
	vc *c = u->t->c;
	factors list = {NULL, 0};
	for (int depth = 0; node && depth < CONTAINERS; depth++) {
		const te *cap = te_named(node, "capabilities", "node");
		const ynode *props = cap ? te_y(cap, "properties") : NULL;
		if (props && props->kind == YN_MAP)
			add_factor(c, &list, node, yn_get(props, "scalable.default_instances"));
		group_factors(c, &list, service, node->name);
		node = container_of(u, service, node, tell && depth == 0);
	}
	return list;
}

/* The product of those factors, of which `both` has the same, or of all: an expression; 0: one. */
static uint32_t
product(tosca_unit *u, const factors *list, const factors *both)
{
	ynode **y = NULL;
	uint32_t n = 0;
	for (size_t i = 0; i < list->n; i++) {
		bool take = !both;
		for (size_t k = 0; both && k < both->n; k++)
			take |= both->f[k].of == list->f[i].of;
		if (take)
			vc_push(u->t->c, y, n) = list->f[i].y;
	}
	return tx_product(u, y, n);
}

uint32_t
tosca_instances(tosca_unit *u, const te *service, const te *node)
{
	factors all = factors_of(u, service, node, true);
	return product(u, &all, NULL);
}

uint32_t
tosca_in_common(tosca_unit *u, const te *service, const te *node, const te *other)
{
	factors own = factors_of(u, service, node, false),
		theirs = factors_of(u, service, other, false);
	return own.n && theirs.n ? product(u, &own, &theirs) : 0;
}

/* Does a file declare the plugin? All files of a blueprint are one. */
static bool
declares(const tosca_unit *u, const char *operation, size_t n)
{
	for (uint32_t i = 0; u->plugins && u->plugins->kind == YN_MAP && i < u->plugins->n; i++) {
		const char *name = te_text(u->plugins->key[i]);
		if (name && strlen(name) == n && !strncmp(name, operation, n))
			return true;
	}
	return false;
}

bool
tosca_is_plugin_operation(const tosca_unit *u, const char *name)
{
	size_t n = strcspn(name, ".");
	bool found = u->incomplete;
	if (!(u->version & VT_TV_CLOUDIFY) || !name[n] || strchr(name, '/'))
		return false;
	for (uint32_t i = 0; i < u->t->nunits && !found; i++)
		found = declares(u->t->units[i], name, n);
	return found;
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

/* A section whose name is nearly right: what it would have is not missed as well. */
static bool
has_misspelt(const ynode *doc, const char *const *names)
{
	size_t n = 0;
	while (names[n])
		n++;
	for (uint32_t i = 0; doc->kind == YN_MAP && i < doc->n; i++) {
		const char *key = te_text(doc->key[i]),
			   *near = key ? vt_nearest(key, names, n) : NULL;
		bool known = false;
		for (size_t k = 0; key && k < n; k++)
			known |= !strcmp(names[k], key);
		if (near && !known)
			return true;
	}
	return false;
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
	u->incomplete |= has_misspelt(doc, names);
	ynode *file = renamed(u, doc, same), *service = ds_map(u, doc);
	if (!yn_get(doc, "tosca_definitions_version")) /* an import may do without */
		ds_put(u, file, "tosca_definitions_version", ds_text(u, doc, "cloudify_dsl_1_3"));
	file_types(u, doc, file);
	ds_put(u, service, "inputs", each(u, doc, "inputs", input));
	ds_put(u, service, "node_templates", each(u, doc, "node_templates", node_template));
	ds_put(u, service, "groups", each(u, doc, "groups", group));
	ds_put(u, service, "policies", policies(u, doc));
	ds_put(u, service, "outputs", each(u, doc, "outputs", output));
	capabilities(u, doc, service);
	u->plugins = yn_get(doc, "plugins");
	if (u->t->importer && !u->embedded)
		u->part = service->n ? service : NULL;
	else if (service->n)
		ds_put(u, file, "topology_template", service);
	return file;
}
