/*
 * tosca_value.c - values in TOSCA: names of properties down to the fields of data types, values
 * that a constraint lists, functions and what they name.
 */
#include "compiler/lsp/tosca.h"

#include <string.h>

/* ---- functions ---- */

static const vt_tfunc_row *
function_named(const tl_place *p, const char *key)
{
	bool marked = key && *key == '$';

	if (!key || marked != ((p->version & VT_TV_2_0) != 0))
		return NULL;
	for (uint32_t i = 1; vt_tfuncs[i].name; i++)
		if (vt_tfuncs[i].versions & p->version &&
			strcmp(vt_tfuncs[i].name, key + marked) == 0)
			return &vt_tfuncs[i];
	return NULL;
}

/* The innermost call around the spot: steps to its arguments; 0: there is none. */
static uint32_t
call_around(const tl_place *p, const vt_tfunc_row **f)
{
	for (uint32_t i = p->s->n; i > p->inner; i--)
		if ((*f = function_named(p, p->s->step[i - 1].key)) != NULL)
			return i;
	return 0;
}

static void
offer_function_names(const tl_place *p)
{
	bool marked = (p->version & VT_TV_2_0) != 0;

	for (uint32_t i = 1; vt_tfuncs[i].name; i++) {
		const vt_tfunc_row *f = &vt_tfuncs[i];
		const char *name = vc_format(p->o->c, "%s%s", marked ? "$" : "", f->name);
		if (!(f->versions & p->version) || !lsp_wants(p->o, name))
			continue;
		const char *text = vc_format(p->o->c, "```yaml\n%s: [%s]\n```\n%s%s%s%s", name,
			f->args, f->doc, *f->example ? "\n\nExample: `" : "", f->example,
			*f->example ? "`" : "");
		lsp_offer(p->o, &(lsp_item){.name = name,
					.kind = LSP_I_FUNCTION,
					.detail = f->args,
					.doc = text,
					.key = true});
	}
}

/* ---- what a call names ---- */

/* The argument as a text, or NULL. */
static const char *
argument(const tl_place *p, uint32_t call, uint32_t i)
{
	const ynode *y = lsp_node_at(p->s, call);

	y = y && y->kind == YN_SEQ && i < y->n ? y->item[i] : NULL;
	return y && y->kind == YN_SCALAR ? y->text : NULL;
}

static const ty_type *
type_of_level(const tl_place *p, uint8_t a, uint8_t b)
{
	for (uint32_t i = p->n; i-- > 0;)
		if (p->level[i].entity == a || p->level[i].entity == b)
			return tl_type(p, i);
	return NULL;
}

static bool
in_relationship(const tl_place *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->level[i].entity == TE_RELATIONSHIP_ASSIGN ||
			p->level[i].entity == TE_RELATIONSHIP ||
			p->level[i].entity == TE_RELATIONSHIP_TYPE)
			return true;
	return false;
}

/* What an entity of get_property is. */
static const ty_type *
entity_type(const tl_place *p, const char *name)
{
	if (!name)
		return NULL;
	if (strcmp(name, "SELF") == 0 && in_relationship(p)) {
		const ty_type *y = type_of_level(p, TE_RELATIONSHIP_ASSIGN, TE_RELATIONSHIP);
		return y ? y : type_of_level(p, TE_RELATIONSHIP_TYPE, TE_RELATIONSHIP_TYPE);
	}
	if (strcmp(name, "SELF") == 0 || strcmp(name, "SOURCE") == 0)
		return type_of_level(p, TE_NODE, TE_NODE_TYPE);
	return tl_template_type(p, name);
}

static void
offer_members(const tl_place *p, const ty_type *y, bool attributes)
{
	if (!y)
		return;
	if (attributes)
		tl_offer_defs(p, &y->attrs, LSP_I_PROPERTY, false);
	tl_offer_defs(p, &y->props, LSP_I_PROPERTY, false);
	tl_offer_defs(p, &y->caps, LSP_I_FIELD, false);
	tl_offer_defs(p, &y->reqs, LSP_I_FIELD, false);
}

/* Behind [entity, ...]: of a capability or of the target of a requirement, as the path says. */
static void
offer_path(const tl_place *p, uint32_t call, uint32_t arg, bool attributes)
{
	const ty_type *y = entity_type(p, argument(p, call, 0));

	for (uint32_t i = 1; y && i < arg; i++) {
		const char *name = argument(p, call, i);
		const ty_def *cap = name ? ty_find(&y->caps, name) : NULL;
		const ty_def *req = name && !cap ? ty_find(&y->reqs, name) : NULL;
		if (cap && i + 1 == arg) {
			if (attributes)
				tl_offer_defs(p, &cap->attrs, LSP_I_PROPERTY, false);
			tl_offer_defs(p, &cap->props, LSP_I_PROPERTY, false);
			return;
		}
		y = cap ? cap->type : req ? (req->node ? req->node : req->type) : NULL;
	}
	offer_members(p, y, attributes);
}

static void
offer_operations(const tl_place *p, uint32_t call, uint32_t arg)
{
	const ty_type *y = entity_type(p, argument(p, call, 0));
	const char *name = argument(p, call, 1);
	const ty_def *iface = y && name ? ty_find(&y->ifaces, name) : NULL;

	if (arg == 1 && y)
		tl_offer_defs(p, &y->ifaces, LSP_I_FIELD, false);
	if (arg == 2 && iface)
		tl_offer_defs(p, &iface->ops, LSP_I_METHOD, false);
}

static void
offer_argument(const tl_place *p, const char *name, uint32_t call)
{
	const lsp_step *step = p->s->step;
	uint32_t arg = call < p->s->n && !step[call].key ? step[call].index : 0;
	bool entity = strncmp(name, "get_", 4) == 0 && arg == 0;

	if (strcmp(name, "get_input") == 0) {
		if (entity)
			tl_offer_entities(p, "inputs", LSP_I_VARIABLE, false);
	} else if (strcmp(name, "get_nodes_of_type") == 0) {
		tl_offer_types(p, TN_NODE);
	} else if (entity) {
		lsp_offer_words(p->o, "SELF SOURCE TARGET HOST", LSP_I_KEYWORD, false);
		tl_offer_templates(p, NULL);
		tl_offer_entities(p, "relationship_templates", LSP_I_VARIABLE, false);
	} else if (strcmp(name, "get_property") == 0 || strcmp(name, "get_attribute") == 0) {
		offer_path(p, call, arg, strcmp(name, "get_attribute") == 0);
	} else if (strcmp(name, "get_operation_output") == 0) {
		offer_operations(p, call, arg);
	} else if (strcmp(name, "get_artifact") == 0 && arg == 1) {
		const ty_type *y = entity_type(p, argument(p, call, 0));
		tl_offer_defs(p, y ? &y->artifacts : NULL, LSP_I_FILE, false);
	}
}

/* ---- values by their types ---- */

static const ty_schema *
schema_at(const ty_schema *s, const lsp_step *step)
{
	const ty_type *y = s->type;
	const ty_def *d = y && step->key ? ty_find(&y->props, step->key) : NULL;

	if (d)
		return d->schema;
	return s->entry ? s->entry : y ? y->entry : NULL;
}

/* The list of `valid_values: [...]`, as 1.x and 2.0 write it. */
static const ynode *
listed(const ynode *y)
{
	const ynode *v = y->kind == YN_MAP ? yn_get(y, "valid_values") : NULL;

	if (v || y->kind != YN_MAP)
		return v;
	v = yn_get(y, "$valid_values");
	return v && v->kind == YN_SEQ && v->n == 2 ? v->item[1] : NULL;
}

static void
offer_listed(const tl_place *p, const ty_clause *checks, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const ynode *all = listed(checks[i].y);
		for (uint32_t k = 0; all && all->kind == YN_SEQ && k < all->n; k++)
			if (all->item[k]->kind == YN_SCALAR)
				lsp_offer(p->o, &(lsp_item){.name = all->item[k]->text,
							.kind = LSP_I_VALUE,
							.detail = "one of the valid values"});
	}
}

static void
offer_values(const tl_place *p, const ty_schema *s)
{
	offer_listed(p, s->checks, s->nchecks);
	if (!s->type)
		return;
	offer_listed(p, s->type->checks, s->type->nchecks);
	if (strcmp(s->type->name, "boolean") == 0)
		lsp_offer_words(p->o, "true false", LSP_I_VALUE, false);
}

void
tl_offer_value(const tl_place *p, const ty_defs *defs)
{
	const lsp_spot *s = p->s;
	const vt_tfunc_row *f = NULL;

	uint32_t call = call_around(p, &f);

	if (call) {
		offer_argument(p, f->name, call);
		if (s->key)
			offer_function_names(p);
		return;
	}
	if (defs && s->n == p->inner) {
		tl_offer_defs(p, defs, LSP_I_PROPERTY, true);
		return;
	}
	const ty_def *d =
		defs && s->step[p->inner].key ? ty_find(defs, s->step[p->inner].key) : NULL;
	const ty_schema *schema = d ? d->schema : NULL;
	for (uint32_t i = p->inner + 1; schema && i < s->n; i++)
		schema = schema_at(schema, &s->step[i]);
	if (schema && s->key && schema->type)
		tl_offer_defs(p, &schema->type->props, LSP_I_PROPERTY, true);
	if (schema)
		offer_values(p, schema);
	if (s->key)
		offer_function_names(p);
}
