/*
 * alien.c - what Alien4Cloud and Yorc write in other words than TOSCA 1.2.
 *
 * Steps of workflows name a `node` and one `activity`; a requirement of a type may say by `type`
 * which capability it wants; an artifact's file may be an argument of the deployment.
 */
#include "compiler/tosca/desugar.h"

#include <string.h>

/* y with some keys under other names: from, to, from, to..., NULL. */
static ynode *
renamed(tosca_unit *u, ynode *y, const char *const *names)
{
	ynode *m = ds_map(u, y);
	for (uint32_t i = 0; i < y->n; i++) {
		const char *key = te_text(y->key[i]), *to = NULL;
		for (size_t k = 0; key && names[k] && !to; k += 2)
			to = strcmp(names[k], key) ? NULL : names[k + 1];
		ds_put_key(u, m, to ? ds_text(u, y->key[i], to) : y->key[i], y->item[i]);
	}
	return m;
}

/* Each entry of a map, by what changes one. */
static ynode *
each(tosca_unit *u, ynode *map, ynode *(*change)(tosca_unit *, ynode *))
{
	if (map->kind != YN_MAP)
		return map;
	ynode *m = ds_map(u, map);
	for (uint32_t i = 0; i < map->n; i++)
		ds_put_key(u, m, map->key[i], change(u, map->item[i]));
	return m;
}

/* A map with one of its entries changed. */
static ynode *
within(tosca_unit *u, ynode *map, const char *name, ynode *(*change)(tosca_unit *, ynode *))
{
	if (map->kind != YN_MAP || !yn_get(map, name))
		return map;
	ynode *m = ds_map(u, map);
	for (uint32_t i = 0; i < map->n; i++) {
		const char *key = te_text(map->key[i]);
		bool it = key && !strcmp(key, name);
		ds_put_key(u, m, map->key[i], it ? change(u, map->item[i]) : map->item[i]);
	}
	return m;
}

/* ---- workflows ---- */

/* tosca.interfaces.node.lifecycle.Standard.start: the interface by the whole name of its type. */
static ynode *
operation(tosca_unit *u, ynode *y)
{
	const char *name = te_text(y), *dot = name ? strrchr(name, '.') : NULL;
	if (!dot || strncmp(name, "tosca.interfaces.", 17) != 0)
		return y;
	while (dot > name && dot[-1] != '.')
		dot--;
	return ds_text(u, y, dot);
}

static ynode *
activity(tosca_unit *u, ynode *y)
{
	return within(u, y, "call_operation", operation);
}

static ynode *
activities(tosca_unit *u, ynode *y)
{
	ynode *list = ds_list(u, y);
	if (y->kind == YN_MAP)
		ds_add(u, list, activity(u, y));
	for (uint32_t i = 0; y->kind == YN_SEQ && i < y->n; i++)
		ds_add(u, list, activity(u, y->item[i]));
	return y->kind == YN_SCALAR ? y : list;
}

static ynode *
step(tosca_unit *u, ynode *y)
{
	static const char *const names[] = {"node", "target", "activity", "activities",
		"on-success", "on_success", "on-failure", "on_failure", NULL};
	if (y->kind != YN_MAP)
		return y;
	return within(u, renamed(u, y, names), "activities", activities);
}

static ynode *
steps(tosca_unit *u, ynode *y)
{
	return each(u, y, step);
}

static ynode *
workflow(tosca_unit *u, ynode *y)
{
	return within(u, y, "steps", steps);
}

static ynode *
workflows(tosca_unit *u, ynode *y)
{
	return each(u, y, workflow);
}

/* ---- artifacts: those whose file the deployment is given are not there yet ---- */

static ynode *
artifacts(tosca_unit *u, ynode *y)
{
	if (y->kind != YN_MAP)
		return y;
	ynode *m = ds_map(u, y);
	for (uint32_t i = 0; i < y->n; i++) {
		const ynode *file = y->item[i]->kind == YN_MAP ? yn_get(y->item[i], "file") : NULL;
		if (!file || file->kind != YN_MAP || !yn_get(file, "get_input_artifact"))
			ds_put_key(u, m, y->key[i], y->item[i]);
	}
	return m;
}

static ynode *
node(tosca_unit *u, ynode *y)
{
	return within(u, y, "artifacts", artifacts);
}

static ynode *
nodes(tosca_unit *u, ynode *y)
{
	return each(u, y, node);
}

static ynode *
topology(tosca_unit *u, ynode *y)
{
	return within(u, within(u, y, "workflows", workflows), "node_templates", nodes);
}

/* ---- types ---- */

static ynode *
requirement(tosca_unit *u, ynode *y)
{
	static const char *const names[] = {"type", "capability", NULL};
	bool named = y->kind == YN_MAP && (yn_get(y, "capability") || !yn_get(y, "type"));
	return y->kind != YN_MAP || named ? y : renamed(u, y, names);
}

static ynode *
requirements(tosca_unit *u, ynode *y)
{
	if (y->kind != YN_SEQ)
		return y;
	ynode *list = ds_list(u, y);
	for (uint32_t i = 0; i < y->n; i++)
		ds_add(u, list, y->item[i]->n == 1 ? each(u, y->item[i], requirement) : y->item[i]);
	return list;
}

/* No keyname of a parameter definition, and none that is meant. */
static bool
is_literal(const ynode *y)
{
	const tk_row *row = te_infos[TE_PARAMETER_DEF].row;
	const char *names[64];
	size_t n = 0;
	for (; row->name && n < VC_LEN(names); row++)
		names[n++] = row->name;
	for (uint32_t i = 0; i < y->n; i++) {
		const char *key = te_text(y->key[i]);
		if (!key || vt_nearest(key, names, n))
			return false;
		for (size_t k = 0; k < n; k++)
			if (strcmp(names[k], key) == 0)
				return false;
	}
	return y->n > 0;
}

/* An input of an operation of a type may be a map, which is its value. */
static ynode *
input(tosca_unit *u, ynode *y)
{
	const char *only = y->kind == YN_MAP && y->n == 1 ? te_text(y->key[0]) : NULL;
	if (y->kind != YN_MAP || !is_literal(y) || (only && vt_tfunc_find(only, u->version, false)))
		return y;
	ynode *m = ds_map(u, y);
	ds_put(u, m, "value", y);
	return m;
}

static ynode *
inputs(tosca_unit *u, ynode *y)
{
	return each(u, y, input);
}

static ynode *
type_operation(tosca_unit *u, ynode *y)
{
	return within(u, y, "inputs", inputs);
}

static ynode *
interface(tosca_unit *u, ynode *y)
{
	return each(u, y, type_operation);
}

static ynode *
interfaces(tosca_unit *u, ynode *y)
{
	return each(u, y, interface);
}

/* A capability of a type may have values of its type's properties: { port: 80 }. */
static ynode *
capability_value(tosca_unit *u, ynode *y)
{
	if (y->kind != YN_SCALAR || y->type == YT_NULL)
		return y;
	ynode *m = ds_map(u, y);
	ds_put(u, m, "default", y);
	return m;
}

static ynode *
capability_values(tosca_unit *u, ynode *y)
{
	return each(u, y, capability_value);
}

static ynode *
capability(tosca_unit *u, ynode *y)
{
	return within(u, y, "properties", capability_values);
}

static ynode *
capabilities(tosca_unit *u, ynode *y)
{
	return each(u, y, capability);
}

static ynode *
node_type(tosca_unit *u, ynode *y)
{
	y = within(u, y, "capabilities", capabilities);
	return within(u, within(u, y, "requirements", requirements), "interfaces", interfaces);
}

static ynode *
node_types(tosca_unit *u, ynode *y)
{
	return each(u, y, node_type);
}

static ynode *
relationship_type(tosca_unit *u, ynode *y)
{
	return within(u, y, "interfaces", interfaces);
}

static ynode *
relationship_types(tosca_unit *u, ynode *y)
{
	return each(u, y, relationship_type);
}

ynode *
tosca_from_alien(tosca_unit *u, ynode *doc)
{
	ynode *y = within(u, doc, "topology_template", topology);
	y = within(u, y, "node_types", node_types);
	return within(u, y, "relationship_types", relationship_types);
}
