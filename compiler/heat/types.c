/*
 * types.c - resource types: those of Heat 19 (templates/heat/types.yaml), nested templates, and
 * types that a plugin or an environment brings.
 */
#include "compiler/heat/int.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the table ---- */

static const char *
table(size_t *n)
{
	return vc_asset("heat/types.yaml", n);
}

/* The record of a type: from its name at the start of a line to the next one. */
static const char *
record(vc *c, const char *name, size_t *n)
{
	size_t size;
	const char *all = table(&size), *head = vc_format(c, "\n%s:\n", name);
	if (strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:") !=
		strlen(name))
		return NULL;
	const char *at = strstr(all, head);
	if (!at)
		return NULL;
	const char *end = ++at;
	do {
		end = strchr(end, '\n');
		end = end ? end + 1 : all + size;
	} while (*end == ' ');
	*n = (size_t)(end - at);
	return at;
}

/* Do some types of Heat begin with the first two words, as OS::Nova does? */
static bool
is_own_pair(vc *c, const char *name)
{
	size_t n;
	const char *second = strstr(name, "::"), *end = second ? strstr(second + 2, "::") : NULL;
	if (!end)
		return false;
	const char *head = vc_format(c, "\n%.*s::", (int)(end - name), name);
	return strstr(table(&n), head) != NULL;
}

static const char *
near_type(vc *c, const char *name)
{
	const char **names = NULL;
	size_t count = 0, n;
	for (const char *p = table(&n); p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (!*p)
			break;
		if (*p != ' ' && *p != '#')
			vc_push(c, names, count) = vc_strndup(c, p, strcspn(p, "\n") - 1);
	}
	return vt_nearest(name, names, count);
}

static bool
is_set(const ynode *type, const char *key)
{
	const ynode *y = yn_get(type, key);
	return y && y->kind == YN_SCALAR && y->type == YT_BOOL && y->i;
}

static void
from_table(heat *h, ht_type *type, const char *text, size_t n)
{
	uint32_t count = 0;
	vc_source *src = vc_source_new(h->c, "<heat types>", text, n);
	ynode **docs = vc_yaml_parse(h->c, src, &heat_yaml, &count);
	const ynode *y = docs[0]->item[0];
	type->properties = yn_get(y, "properties");
	type->attributes = yn_get(y, "attributes");
	type->update_policy = yn_get(y, "update_policy");
	type->status = ht_text(yn_get(y, "status"));
	type->any_property = is_set(y, "open_properties");
	type->any_attribute = is_set(y, "open_attributes");
}

/* ---- nested templates ---- */

static bool
is_file(const char *name)
{
	size_t n = strlen(name);
	return (n > 5 && !strcmp(name + n - 5, ".yaml")) ||
	       (n > 9 && !strcmp(name + n - 9, ".template"));
}

/* Parameters as schemas of properties: those without a default are required. */
static const ynode *
schemas_of(ht_template *t)
{
	ynode *out = yn_make_map(t->h->c, t->doc);
	for (uint32_t i = 0; t->parameters && i < t->parameters->n; i++) {
		const ynode *p = t->parameters->item[i];
		if (p->kind == YN_MAP)
			yn_put_key(t->h->c, out, t->parameters->key[i],
				ht_parameter_schema(t, p, false));
	}
	return out;
}

static void
from_file(ht_template *t, ht_type *type, const char *path)
{
	ht_template *nested = ht_load(t->h, path);
	type->nested = true;
	type->any_property = type->any_attribute = !nested;
	if (!nested)
		return;
	type->properties = schemas_of(nested);
	type->attributes = nested->outputs;
}

static const char *
path_of(ht_template *t, const char *name, const char *folder)
{
	if (!strncmp(name, "file://", 7))
		return name + 7;
	return ht_beside(t->h->c, folder ? folder : t->path, name);
}

/* ---- any of them ---- */

static const ht_type *
remember(heat *h, const char *key, const char *shown, ht_type *type)
{
	type->name = key;
	type->shown = shown;
	vc_push(h->c, h->types, h->ntypes) = type;
	return type;
}

static void
of_plugin(ht_template *t, const ynode *name, ht_type *type)
{
	const char *near;
	type->any_property = type->any_attribute = true;
	vc_report(t->h->c, VC_W2031, name->span,
		"Heat itself has no type %s: it comes from a plugin or an environment", name->text);
	if ((near = near_type(t->h->c, name->text)) != NULL)
		vc_did_you_mean(t->h->c, "'%s'", near);
}

static const ht_type *
unknown(ht_template *t, const ynode *name)
{
	ht_report(t, VC_E2020, name->span, "there is no resource type '%s'", name->text);
	const char *near = near_type(t->h->c, name->text);
	if (near)
		vc_did_you_mean(t->h->c, "'%s'", near);
	return NULL;
}

static const ht_type *
nested(ht_template *t, const ynode *name, const char *to, const char *folder)
{
	heat *h = t->h;
	ht_type *type = vc_alloc(h->c, sizeof *type);
	if ((strstr(to, "://") && strncmp(to, "file://", 7) != 0) || (!t->path && !folder)) {
		type->any_property = type->any_attribute = type->nested = true;
		return remember(h, to, to, type);
	}
	const char *path = path_of(t, to, folder);
	if (access(path, R_OK) != 0) {
		ht_report(t, VC_E2010, name->span, "there is no template '%s' beside this one", to);
		vc_hint(h->c, "looked for %s", path);
		return NULL;
	}
	from_file(t, type, path);
	return remember(h, path, to, type);
}

static void
tell_status(ht_template *t, const ynode *name, const ht_type *type)
{
	if (type->status)
		ht_advise(t, name->span, "the resource type %s is %s", type->shown, type->status);
}

static const ht_type *
find_known(const heat *h, const char *key)
{
	for (uint32_t i = 0; i < h->ntypes; i++)
		if (!strcmp(h->types[i]->name, key))
			return h->types[i];
	return NULL;
}

/* Names that services had once. */
static const char *
modern(vc *c, const char *name)
{
	static const char *const was[][2] = {{"OS::Quantum::", "OS::Neutron::"},
		{"OS::Ceilometer::", "OS::Aodh::"}, {"OS::Metering::", "OS::Aodh::"}};
	for (size_t i = 0; i < VC_LEN(was); i++)
		if (!strncmp(name, was[i][0], strlen(was[i][0])))
			return vc_format(c, "%s%s", was[i][1], name + strlen(was[i][0]));
	return name;
}

const ht_type *
ht_find_type(ht_template *t, const ynode *name, const char *resource)
{
	heat *h = t->h;
	const char *folder, *to = ht_registered(h, name->text, resource, &folder);
	to = modern(h->c, to);
	if (is_file(to)) {
		const ht_type *known = find_known(h, path_of(t, to, folder));
		return known ? known : nested(t, name, to, folder);
	}
	const ht_type *known = find_known(h, to);
	if (known) {
		tell_status(t, name, known);
		return known;
	}
	size_t n;
	const char *text = record(h->c, to, &n);
	if (!text && is_own_pair(h->c, to))
		return unknown(t, name);
	ht_type *type = vc_alloc(h->c, sizeof *type);
	if (text)
		from_table(h, type, text, n);
	else
		of_plugin(t, name, type);
	remember(h, to, to, type);
	tell_status(t, name, type);
	return type;
}

/* ---- for who writes a template ---- */

const ynode *
heat_type(vc *c, const char *name)
{
	size_t n;
	uint32_t count = 0;
	const char *text = record(c, modern(c, name), &n);
	vc_source *src = text ? vc_source_new(c, "<heat types>", text, n) : NULL;
	ynode **docs = src ? vc_yaml_parse(c, src, &heat_yaml, &count) : NULL;

	return count ? docs[0]->item[0] : NULL;
}

void
heat_each_type(vc *c, void (*each)(void *, const char *), void *ctx)
{
	size_t n;

	for (const char *p = table(&n); p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (*p && *p != ' ' && *p != '#')
			each(ctx, vc_strndup(c, p, strcspn(p, "\n") - 1));
	}
}
