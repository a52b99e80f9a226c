/*
 * heat.c - what may stand where in a template of Heat: keys by version, resource types with their
 * properties and attributes, parameters, resources, conditions and functions.
 */
#include "compiler/heat/heat.h"
#include "compiler/lsp/know.h"
#include "compiler/lsp/scope.h"

#include <string.h>

typedef struct place {
	lsp_offers *o;
	const lsp_spot *s;
	const ynode *doc; /* or NULL */
} place;

static const ynode *
section(const place *p, const char *name)
{
	const ynode *y = p->doc && p->doc->kind == YN_MAP ? yn_get(p->doc, name) : NULL;

	return y && y->kind == YN_MAP ? y : NULL;
}

static const char *
scalar(const ynode *map, const char *key)
{
	const ynode *y = map && map->kind == YN_MAP ? yn_get(map, key) : NULL;

	return y && y->kind == YN_SCALAR && y->ntext ? y->text : NULL;
}

/* ---- what is offered ---- */

static void
offer_key(void *ctx, const char *name)
{
	const place *p = ctx;

	if (!lsp_wants(p->o, name))
		return;
	const char *said = lsp_entry_text(p->o->c, "heat.txt", name);
	lsp_offer(p->o, &(lsp_item){.name = name,
				.kind = LSP_I_KEYWORD,
				.key = true,
				.doc = vc_format(p->o->c, "key `%s` of Heat's templates%s%s", name,
					said ? "\n\n" : "", said ? said : "")});
}

static void
offer_value(void *ctx, const char *name)
{
	const place *p = ctx;

	lsp_offer(p->o, &(lsp_item){.name = name, .kind = LSP_I_VALUE});
}

/* Of a type: its properties, those that have to be given first. */
static const char *
type_text(const place *p, const char *name)
{
	const ynode *y = heat_type(p->o->c, name), *all = y ? yn_get(y, "properties") : NULL;
	const char *status = scalar(y, "status");
	vt_buf b = {0};

	vt_buf_printf(
		&b, "resource type `%s`%s%s\n\n", name, status ? ", " : "", status ? status : "");
	for (int required = 1; required >= 0; required--)
		for (uint32_t i = 0; all && all->kind == YN_MAP && i < all->n; i++) {
			const char *needed = scalar(all->item[i], "required");
			if ((needed && strcmp(needed, "true") == 0) != (required != 0))
				continue;
			vt_buf_printf(&b, "* %s%s%s%s\n", all->key[i]->text,
				required ? " (required)" : "",
				scalar(all->item[i], "type") ? ": " : "",
				scalar(all->item[i], "type") ? scalar(all->item[i], "type") : "");
		}
	return vc_take(p->o->c, &b);
}

static void
offer_type(void *ctx, const char *name)
{
	const place *p = ctx;

	if (lsp_wants(p->o, name))
		lsp_offer(p->o, &(lsp_item){.name = name,
					.kind = LSP_I_CLASS,
					.detail = "resource type",
					.doc = type_text(p, name)});
}

/* Schemas of Heat have no place. */
static void
offer_schemas(const place *p, const ynode *all, const char *what, bool key)
{
	for (uint32_t i = 0; all && all->kind == YN_MAP && i < all->n; i++) {
		const ynode *schema = all->item[i];
		const char *name = all->key[i]->text;
		const char *type = scalar(schema, "type");
		if (!lsp_wants(p->o, name))
			continue;
		if (!type && schema->kind == YN_SCALAR)
			type = schema->text;
		const char *head = vc_format(p->o->c, "%s `%s`", what, name);
		lsp_offer(p->o, &(lsp_item){.name = name,
					.kind = LSP_I_PROPERTY,
					.detail = type,
					.doc = lsp_schema_text(p->o->c, head, schema),
					.key = key});
	}
}

static void
offer_function(void *ctx, const char *name, const char *usage)
{
	const place *p = ctx;

	if (!lsp_wants(p->o, name))
		return;
	const char *doc = "";
	for (uint32_t i = 1; vt_tfuncs[i].name; i++)
		if (vt_tfuncs[i].versions & VT_TV_HOT && strcmp(vt_tfuncs[i].name, name) == 0)
			doc = vt_tfuncs[i].doc;
	lsp_offer(
		p->o, &(lsp_item){.name = name,
			      .kind = LSP_I_FUNCTION,
			      .detail = usage,
			      .doc = vc_format(p->o->c, "function `%s` %s\n\n%s", name, usage, doc),
			      .key = true});
}

/* ---- values of properties ---- */

/* ---- templates that are types of resources ---- */

static bool
ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && strcmp(s + n - m, end) == 0;
}

static bool
is_file(const char *type)
{
	return type && (ends_with(type, ".yaml") || ends_with(type, ".yml") ||
			       ends_with(type, ".template"));
}

/* The map of that name in the template that the type is; NULL: it is none, or cannot be read. */
static const ynode *
of_nested(const place *p, const char *type, const char *name)
{
	const char *here = p->s->d->path, *slash = here ? strrchr(here, '/') : NULL;
	const char *file = type && strncmp(type, "file://", 7) == 0 ? type + 7 : type;
	vc *c = p->o->c;
	uint32_t n = 0, said = vc_said(c);

	if (!slash || !is_file(file))
		return NULL;
	const char *path =
		*file == '/' ? file : vc_format(c, "%.*s/%s", (int)(slash - here), here, file);
	FILE *f = vc_real_path(c, path) ? vc_source_open(path) : NULL;
	if (!f)
		return NULL;
	fclose(f);
	vc_source *src = vc_source_read(c, vc_real_path(c, path));
	ynode **doc = src ? vc_yaml_parse(c, src, &(vc_yaml_opts){0}, &n) : NULL;
	const ynode *y = doc && n && vc_said(c) == said && doc[0]->kind == YN_MAP
				 ? yn_get(doc[0], name)
				 : NULL;
	return y && y->kind == YN_MAP ? y : NULL;
}

/* The text of `type` beside the step: of the resource itself, or of one that a group repeats. */
static const char *
type_beside(const place *p, uint32_t step)
{
	return scalar(lsp_node_at(p->s, step), "type");
}

static const char *
type_name(const place *p, const char *resource)
{
	const ynode *all = section(p, "resources");
	const ynode *one = all && resource ? yn_get(all, resource) : NULL;
	const ynode *def = one && one->kind == YN_MAP ? yn_get(one, "properties") : NULL;
	const char *name = scalar(one, "type");

	/* what a group repeats has the attributes of its own */
	def = def && def->kind == YN_MAP ? yn_get(def, "resource_def") : NULL;
	return name && !is_file(name) && def ? scalar(def, "type") : name;
}

/* Parameters of a nested template are its properties; false: the spot is in none. */
static bool
offer_nested(const place *p)
{
	const lsp_spot *s = p->s;

	for (uint32_t i = s->n; i-- > 2;) {
		const char *type = s->step[i].key && strcmp(s->step[i].key, "properties") == 0
					   ? type_beside(p, i)
					   : NULL;
		if (!is_file(type))
			continue;
		if (s->n == i + 1 && s->key)
			lsp_offer_keys(p->o, of_nested(p, type, "parameters"), LSP_I_PROPERTY,
				"parameter");
		return s->n == i + 1;
	}
	return false;
}

/* The type of the resource around the spot. */
static const ynode *
type_at(const place *p, const char *resource)
{
	const ynode *all = section(p, "resources");
	const ynode *one = all && resource ? yn_get(all, resource) : NULL;
	const char *name = scalar(one, "type");

	return name ? heat_type(p->o->c, name) : NULL;
}

static const ynode *
schema_below(const ynode *schema, const lsp_step *step)
{
	const ynode *map = step->key ? yn_get(schema, "map") : NULL;

	if (!step->key)
		return yn_get(schema, "item");
	return map && map->kind == YN_MAP ? yn_get(map, step->key) : yn_get(schema, "value");
}

static void
offer_allowed(const place *p, const ynode *schema)
{
	const ynode *all = yn_get(schema, "allowed_values");
	const char *type = scalar(schema, "type");

	for (uint32_t i = 0; all && all->kind == YN_SEQ && i < all->n; i++)
		if (all->item[i]->kind == YN_SCALAR)
			offer_value((void *)(uintptr_t)p, all->item[i]->text);
	if (type && strcmp(type, "boolean") == 0)
		lsp_offer_words(p->o, "true false", LSP_I_VALUE, false);
}

/* Below `properties` of a resource; `from`: the step behind that key. */
static void
offer_property(const place *p, const char *what, uint32_t from)
{
	const lsp_spot *s = p->s;
	const ynode *type = type_at(p, s->step[1].key);
	const ynode *all = type ? yn_get(type, what) : NULL, *schema;

	if (s->n == from) {
		offer_schemas(p, all, strcmp(what, "properties") ? what : "property", true);
		return;
	}
	schema = all && all->kind == YN_MAP && s->step[from].key ? yn_get(all, s->step[from].key)
								 : NULL;
	for (uint32_t i = from + 1; schema && schema->kind == YN_MAP && i < s->n; i++)
		schema = schema_below(schema, &s->step[i]);
	if (!schema || schema->kind != YN_MAP)
		return;
	if (s->key)
		offer_schemas(p, yn_get(schema, "map"), "key", true);
	offer_allowed(p, schema);
}

/* ---- functions ---- */

/* Keys whose value, or item 0 of it, is a name; conditions may be any item of these. */
static const struct {
	const char *name;
	bool all; /* items */
} named[] = {{"get_param", false}, {"get_resource", false}, {"get_attr", true}, {"if", false},
	{"depends_on", true}, {"condition", false}, {"and", true}, {"or", true}, {"not", false}};

/* Two of them are keys of resources and outputs; elsewhere somebody else has called a key that. */
static bool
is_named(const lsp_spot *s, uint32_t step, size_t k)
{
	const char *key = s->step[step].key;

	return key && strcmp(key, named[k].name) == 0 &&
	       (step == 2 || (strcmp(key, "depends_on") != 0 && strcmp(key, "condition") != 0));
}

/* Steps to the arguments of the innermost call of these; 0: none. */
static uint32_t
call_around(const place *p, const char **name)
{
	for (uint32_t i = p->s->n; i > 2; i--)
		for (size_t k = 0; p->s->step[i - 1].key && k < VC_LEN(named); k++)
			if (is_named(p->s, i - 1, k)) {
				bool item = i < p->s->n && !p->s->step[i].key;
				*name = named[k].name;
				return i == p->s->n || (item && i + 1 == p->s->n &&
							       (named[k].all ||
								       p->s->step[i].index == 0 ||
								       !strcmp(*name, "get_param")))
					       ? i
					       : 0;
			}
	return 0;
}

static void
offer_attributes(const place *p, uint32_t call)
{
	const ynode *y = lsp_node_at(p->s, call);
	const ynode *first = y && y->kind == YN_SEQ && y->n ? y->item[0] : NULL;
	const ynode *type = first && first->kind == YN_SCALAR ? type_at(p, first->text) : NULL;

	offer_schemas(p, type ? yn_get(type, "attributes") : NULL, "attribute", false);
	if (first && first->kind == YN_SCALAR)
		lsp_offer_keys(p->o, of_nested(p, type_name(p, first->text), "outputs"),
			LSP_I_PROPERTY, "output");
}

static void
offer_argument(const place *p, const char *name, uint32_t call)
{
	const lsp_spot *s = p->s;
	uint32_t arg = call < s->n && !s->step[call].key ? s->step[call].index : 0;

	if (strcmp(name, "get_param") == 0 && arg == 0) {
		lsp_offer_keys(p->o, section(p, "parameters"), LSP_I_VARIABLE, "parameter");
		lsp_offer_words(p->o, "OS::stack_name OS::stack_id OS::project_id OS::region",
			LSP_I_VARIABLE, false);
	} else if (strcmp(name, "get_attr") == 0 && arg == 1) {
		offer_attributes(p, call);
	} else if (strcmp(name, "get_resource") == 0 || strcmp(name, "depends_on") == 0 ||
		   (strcmp(name, "get_attr") == 0 && arg == 0)) {
		lsp_offer_keys(p->o, section(p, "resources"), LSP_I_VARIABLE, "resource");
	} else if (strcmp(name, "get_param") != 0 && strcmp(name, "get_attr") != 0) {
		lsp_offer_keys(p->o, section(p, "conditions"), LSP_I_VARIABLE, "condition");
	}
}

/* ---- by section ---- */

static void
offer_declared(const place *p, const ynode *map, const char *what)
{
	const ynode *key = p->o->wanted && map ? yn_key(map, p->o->wanted) : NULL;

	if (key)
		lsp_offer(p->o, &(lsp_item){.name = key->text,
					.at = key->span,
					.declared = true,
					.doc = lsp_schema_text(p->o->c,
						vc_format(p->o->c, "%s `%s`", what, key->text),
						yn_get(map, key->text))});
}

static void
offer_resource(place *p)
{
	const lsp_spot *s = p->s;
	const char *key = s->n > 2 ? s->step[2].key : NULL;

	if (s->n == 2)
		heat_each_key(p->doc, HEAT_RESOURCE, offer_key, p);
	else if (!key)
		return;
	else if (strcmp(key, "type") == 0)
		heat_each_type(p->o->c, offer_type, p);
	else if ((strcmp(key, "properties") == 0 || strcmp(key, "update_policy") == 0) &&
		 !offer_nested(p))
		offer_property(p, key, 3);
	else if (strcmp(key, "deletion_policy") == 0)
		lsp_offer_words(p->o, "Delete Retain Snapshot", LSP_I_VALUE, false);
}

static void
offer_parameter(place *p)
{
	const lsp_spot *s = p->s;
	const char *key = s->n > 2 ? s->step[2].key : NULL;

	if (s->n == 2)
		heat_each_key(p->doc, HEAT_PARAMETER, offer_key, p);
	else if (key && strcmp(key, "type") == 0)
		lsp_offer_words(p->o, "string number comma_delimited_list json boolean",
			LSP_I_VALUE, false);
	else if (key && (strcmp(key, "hidden") == 0 || strcmp(key, "immutable") == 0))
		lsp_offer_words(p->o, "true false", LSP_I_VALUE, false);
	else if (key && strcmp(key, "constraints") == 0 && s->n == 4)
		lsp_offer_words(p->o,
			"allowed_values allowed_pattern length range modulo custom_constraint "
			"description",
			LSP_I_KEYWORD, true);
	else if (key && strcmp(key, "constraints") == 0)
		lsp_offer_words(p->o, "min max step offset", LSP_I_KEYWORD, true);
}

static void
offer_group(place *p)
{
	const lsp_spot *s = p->s;
	const char *key = s->n > 2 ? s->step[2].key : NULL;

	if (s->n == 2)
		heat_each_key(p->doc, HEAT_GROUP, offer_key, p);
	else if (key && strcmp(key, "parameters") == 0)
		lsp_offer_keys(p->o, section(p, "parameters"), LSP_I_VARIABLE, "parameter");
}

static void
offer_in_section(place *p, const char *name)
{
	static const char *const nouns[][2] = {{"resources", "resource"}, {"outputs", "output"},
		{"parameters", "parameter"}, {"conditions", "condition"}};

	for (size_t i = 0; p->s->n == 1 && i < VC_LEN(nouns); i++)
		if (strcmp(name, nouns[i][0]) == 0)
			offer_declared(p, section(p, name), nouns[i][1]);
	if (strcmp(name, "heat_template_version") == 0)
		heat_each_version(offer_value, p);
	else if (strcmp(name, "resources") == 0 && p->s->n > 1)
		offer_resource(p);
	else if (strcmp(name, "parameters") == 0 && p->s->n > 1)
		offer_parameter(p);
	else if (strcmp(name, "parameter_groups") == 0 && p->s->n > 1)
		offer_group(p);
	else if (strcmp(name, "outputs") == 0 && p->s->n == 2)
		heat_each_key(p->doc, HEAT_OUTPUT, offer_key, p);
}

/* Values, in which functions may stand, are all but these. */
static bool
is_value(const lsp_spot *s)
{
	const char *top = s->step[0].key, *key = s->n > 2 ? s->step[2].key : NULL;

	if (!top || strcmp(top, "parameters") == 0 || strcmp(top, "parameter_groups") == 0)
		return false;
	return (strcmp(top, "conditions") == 0 && s->n > 1) ||
	       (key && strcmp(key, "type") != 0 && s->n > 2);
}

static void
offer(lsp_offers *o)
{
	const lsp_spot *s = o->s;
	place p = {.o = o, .s = s, .doc = s->view && s->view->ndocs ? s->view->doc[0] : NULL};
	const char *call;
	uint32_t at;

	if (s->n == 0) {
		heat_each_key(p.doc, HEAT_TEMPLATE, offer_key, &p);
		return;
	}
	if ((at = call_around(&p, &call)) != 0)
		offer_argument(&p, call, at);
	else if (s->step[0].key)
		offer_in_section(&p, s->step[0].key);
	if (s->key && is_value(s) && p.doc && p.doc->kind == YN_MAP)
		heat_each_function(p.doc, offer_function, &p);
}

/* Places where only names stand, and properties and attributes of templates that are not here. */
static bool
is_blind(const lsp_spot *s)
{
	lsp_offers o = {.s = s, .c = s->w->c};
	place p = {.o = &o, .s = s, .doc = s->view && s->view->ndocs ? s->view->doc[0] : NULL};
	const char *name = NULL, *top = s->n ? s->step[0].key : NULL;

	if (call_around(&p, &name))
		return strcmp(name, "get_param") != 0 || s->n < 1 || s->step[s->n - 1].key ||
		       s->step[s->n - 1].index == 0;
	return top && strcmp(top, "parameter_groups") == 0 && s->n > 3 && !s->step[s->n - 1].key;
}

const lsp_language lsp_heat_language = {offer, true, is_blind};
