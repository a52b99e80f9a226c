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

/* Functions that files declare, as the word there or what it begins with a dollar. */
static void
offer_own_functions(const tl_place *p)
{
	uint32_t n = 0;
	te **all = p->unit ? te_all(p->unit->file, "functions", &n) : NULL;
	const char *word = p->o->wanted;
	te *e = word && *word == '$' && p->unit ? tn_find(p->unit, TN_FUNCTION, word + 1) : NULL;

	if (e)
		lsp_offer(p->o, &(lsp_item){.name = word + 1,
					.kind = LSP_I_FUNCTION,
					.at = te_span(e),
					.part = true,
					.doc = lsp_schema_text(p->o->c,
						vc_format(p->o->c, "function `%s`", word), e->y)});
	for (uint32_t i = 0; !word && i < n; i++)
		lsp_offer(p->o, &(lsp_item){.name = vc_format(p->o->c, "$%s", all[i]->name),
					.kind = LSP_I_FUNCTION,
					.key = true,
					.at = te_span(all[i])});
}

static void
offer_function_names(const tl_place *p)
{
	bool marked = (p->version & VT_TV_2_0) != 0;

	if (marked)
		offer_own_functions(p);

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

/* ---- paths: [entity, ...] of get_property and get_attribute ---- */

/* Where a path has come to. One of the first four is set, or nobody knows. */
typedef struct stand {
	const ty_type *node, *rel;
	const ty_def *cap;
	const ty_schema *schema;
	te *template;           /* of the node, or NULL */
	const ty_def *relation; /* a requirement, whose relationship comes next */
} stand;

static te *
template_named(const tl_place *p, const char *keyname, const char *name)
{
	te *service = name ? tl_service(p) : NULL;

	return service ? te_named(service, keyname, name) : NULL;
}

static stand
at_node(const tl_place *p, const char *name)
{
	te *e = template_named(p, "node_templates", name);
	const char *type = e ? te_str(e, "type") : NULL;

	return (stand){.node = tl_named_type(p, TN_NODE, type), .template = e};
}

/* The entity around the spot. */
static stand
at_self(const tl_place *p)
{
	const ty_type *candidate = tl_candidate(p);

	if (candidate)
		return (stand){.node = candidate};
	if (in_relationship(p)) {
		const ty_type *y = type_of_level(p, TE_RELATIONSHIP_ASSIGN, TE_RELATIONSHIP);
		return (stand){
			.rel = y ? y : type_of_level(p, TE_RELATIONSHIP_TYPE, TE_RELATIONSHIP_DEF)};
	}
	for (uint32_t i = p->n; i-- > 0;)
		if (p->level[i].entity == TE_NODE)
			return at_node(p, p->level[i].name);
	return (stand){.node = type_of_level(p, TE_NODE_TYPE, TE_NODE_TYPE)};
}

/* The node that a requirement leads to: what the template assigns, else what its type wants. */
static stand
behind_requirement(const tl_place *p, const stand *s, const ty_def *req)
{
	uint32_t n = 0;
	te **all = s->template ? te_all(s->template, "requirements", &n) : NULL;

	for (uint32_t i = 0; i < n; i++) {
		const ynode *y = all[i]->name && strcmp(all[i]->name, req->name) == 0
					 ? te_y(all[i], "node")
					 : NULL;
		if (y && te_text(y) && template_named(p, "node_templates", y->text))
			return at_node(p, y->text);
	}
	return (stand){.node = req->node};
}

static stand
at_target(const tl_place *p)
{
	for (uint32_t i = p->n; i-- > 1;) {
		const ty_def *req = p->level[i].entity == TE_REQUIREMENT ? tl_def(p, i) : NULL;
		if (!req)
			continue;
		stand s = at_node(p, p->level[i - 1].name);
		return behind_requirement(p, &s, req);
	}
	return (stand){0};
}

static stand
at_entity(const tl_place *p, const char *name)
{
	te *e;

	if (!name)
		return (stand){0};
	if (strcmp(name, "SELF") == 0)
		return at_self(p);
	if (strcmp(name, "TARGET") == 0)
		return at_target(p);
	if (strcmp(name, "SOURCE") == 0) {
		for (uint32_t i = p->n; i-- > 0;)
			if (p->level[i].entity == TE_NODE)
				return at_node(p, p->level[i].name);
		return (stand){.node = type_of_level(p, TE_NODE_TYPE, TE_NODE_TYPE)};
	}
	if ((e = template_named(p, "relationship_templates", name)) != NULL)
		return (stand){.rel = tl_named_type(p, TN_RELATIONSHIP, te_str(e, "type"))};
	return at_node(p, name);
}

static const ty_def *
member(const ty_defs *attrs, const ty_defs *props, const char *name, bool attributes)
{
	const ty_def *d = attributes ? ty_find(attrs, name) : NULL;

	return d ? d : ty_find(props, name);
}

static stand
field_of(const ty_schema *s, const char *name)
{
	const ty_def *d = s->type ? ty_find(&s->type->props, name) : NULL;
	const ty_schema *entry = s->entry ? s->entry : s->type ? s->type->entry : NULL;

	return (stand){.schema = d ? d->schema : entry};
}

/* One step of the path; `last`: the word behind is its last. */
static stand
step_over(const tl_place *p, const stand *s, const char *word, bool attributes)
{
	const ty_def *d;

	if (s->schema)
		return field_of(s->schema, word);
	if (s->relation) {
		stand before = *s;
		if (strcmp(word, "TARGET") == 0)
			return behind_requirement(p, &before, s->relation);
		return (stand){.rel = s->relation->rel};
	}
	if (s->node && (d = ty_find(&s->node->caps, word)) != NULL)
		return (stand){.cap = d};
	if (s->node && (d = ty_find(&s->node->reqs, word)) != NULL)
		return behind_requirement(p, s, d);
	if (s->node || s->rel) {
		const ty_type *y = s->node ? s->node : s->rel;
		d = member(&y->attrs, &y->props, word, attributes);
	} else {
		d = s->cap ? member(&s->cap->attrs, &s->cap->props, word, attributes) : NULL;
	}
	return (stand){.schema = d ? d->schema : NULL};
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

/* The last words that lead on: CAPABILITY name, RELATIONSHIP name. */
static const char *
word_before(const tl_place *p, uint32_t call, uint32_t arg)
{
	const char *word = arg > 1 ? argument(p, call, arg - 1) : NULL;

	return word && (strcmp(word, "CAPABILITY") == 0 || strcmp(word, "RELATIONSHIP") == 0)
		       ? word
		       : NULL;
}

static void
offer_at(const tl_place *p, const stand *s, const char *before, bool attributes)
{
	if (s->schema && s->schema->type)
		tl_offer_defs(p, &s->schema->type->props, LSP_I_PROPERTY, false);
	if (s->cap && attributes)
		tl_offer_defs(p, &s->cap->attrs, LSP_I_PROPERTY, false);
	if (s->cap)
		tl_offer_defs(p, &s->cap->props, LSP_I_PROPERTY, false);
	if (s->node && before)
		tl_offer_defs(
			p, *before == 'C' ? &s->node->caps : &s->node->reqs, LSP_I_FIELD, false);
	else
		offer_members(p, s->node, attributes);
	offer_members(p, s->rel, attributes);
	if (p->version & VT_TV_2_0 && !before && (s->node || s->rel || s->cap))
		lsp_offer_words(p->o,
			s->node  ? "CAPABILITY RELATIONSHIP"
			: s->rel ? "TARGET SOURCE CAPABILITY"
				 : "RELATIONSHIP",
			LSP_I_KEYWORD, false);
}

/* Argument number `arg` of a path. */
static void
offer_path(const tl_place *p, uint32_t call, uint32_t arg, bool attributes)
{
	stand s = at_entity(p, argument(p, call, 0));

	for (uint32_t i = 1; i < arg; i++) {
		const char *word = argument(p, call, i), *before = word_before(p, call, i);
		const ty_def *req = before && *before == 'R' && word && s.node
					    ? ty_find(&s.node->reqs, word)
					    : NULL;
		if (!word || strcmp(word, "CAPABILITY") == 0 || strcmp(word, "RELATIONSHIP") == 0 ||
			word[strspn(word, "0123456789")] == 0 || strcmp(word, "ALL") == 0)
			continue;
		if (req)
			s.relation = req;
		else
			s = step_over(p, &s, word, attributes);
	}
	if (s.relation)
		s = (stand){.rel = s.relation->rel};
	offer_at(p, &s, word_before(p, call, arg), attributes);
}

static void
offer_entities(const tl_place *p)
{
	lsp_offer_words(p->o, "SELF SOURCE TARGET HOST", LSP_I_KEYWORD, false);
	tl_offer_templates(p, NULL);
	tl_offer_entities(p, "relationship_templates", LSP_I_VARIABLE, false);
}

void
tl_offer_path(const tl_place *p, uint32_t steps, bool attributes)
{
	uint32_t arg = steps < p->s->n && !p->s->step[steps].key ? p->s->step[steps].index : 0;

	if (arg == 0)
		offer_entities(p);
	else
		offer_path(p, steps, arg, attributes);
}

static void
offer_inputs(const tl_place *p, uint32_t call, uint32_t arg)
{
	const char *name = argument(p, call, 0);
	te *e = template_named(p, "inputs", name);
	const char *type = e ? te_str(e, "type") : NULL;

	for (uint32_t i = 0; arg == 0 && i < p->n; i++)
		if (p->level[i].entity == TE_WORKFLOW)
			tl_offer_all(p, template_named(p, "workflows", p->level[i].name), "inputs",
				LSP_I_VARIABLE, false);
	if (arg == 0) {
		tl_offer_entities(p, "inputs", LSP_I_VARIABLE, false);
		return;
	}
	ty_schema top = {.type = tl_named_type(p, TN_DATA, type)};
	stand s = {.schema = &top};
	for (uint32_t i = 1; s.schema && i < arg; i++)
		s = argument(p, call, i) ? field_of(s.schema, argument(p, call, i)) : s;
	offer_at(p, &s, NULL, false);
}

static void
offer_operations(const tl_place *p, uint32_t call, uint32_t arg)
{
	stand s = at_entity(p, argument(p, call, 0));
	const ty_type *y = s.node ? s.node : s.rel;
	const char *name = argument(p, call, 1);
	const ty_def *iface = y && name ? ty_find(&y->ifaces, name) : NULL;

	if (arg == 1 && y)
		tl_offer_defs(p, &y->ifaces, LSP_I_FIELD, false);
	if (arg == 2 && iface)
		tl_offer_defs(p, &iface->ops, LSP_I_METHOD, false);
	const char *operation = iface && arg == 3 ? argument(p, call, 2) : NULL;
	const ty_def *op = operation ? ty_find(&iface->ops, operation) : NULL;
	te *assigned = operation && s.template ? te_named(s.template, "interfaces", name) : NULL;
	te *here = assigned ? te_named(assigned, "operations", operation) : NULL;
	tl_offer_outputs(p, op);
	if (assigned && !here)
		here = te_named(assigned, "?", operation);
	lsp_offer_keys(p->o, here ? te_y(here, "outputs") : NULL, LSP_I_PROPERTY, "output");
}

static void
offer_argument(const tl_place *p, const char *name, uint32_t call)
{
	const lsp_step *step = p->s->step;
	uint32_t arg = call < p->s->n && !step[call].key ? step[call].index : 0;
	bool entity = strncmp(name, "get_", 4) == 0 && arg == 0;

	if (strcmp(name, "get_input") == 0) {
		offer_inputs(p, call, arg);
	} else if (strcmp(name, "get_nodes_of_type") == 0) {
		tl_offer_types(p, TN_NODE);
	} else if (entity) {
		offer_entities(p);
	} else if (strcmp(name, "get_property") == 0 || strcmp(name, "get_attribute") == 0) {
		offer_path(p, call, arg, strcmp(name, "get_attribute") == 0);
	} else if (strcmp(name, "get_operation_output") == 0) {
		offer_operations(p, call, arg);
	} else if (strcmp(name, "get_artifact") == 0 && arg == 1) {
		const char *of = argument(p, call, 0);
		stand s = at_entity(p, of);
		tl_offer_all(p, s.template, "artifacts", LSP_I_FILE, false);
		tl_offer_defs(p, s.node ? &s.node->artifacts : NULL, LSP_I_FILE, false);
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

bool
tl_in_call(const tl_place *p)
{
	const vt_tfunc_row *f = NULL;

	return call_around(p, &f) && strncmp(f->name, "get_", 4) == 0;
}

/* Inside of a call: what it names. False: there is none around. */
static bool
offer_in_call(const tl_place *p)
{
	const vt_tfunc_row *f = NULL;
	uint32_t call = call_around(p, &f);

	if (!call)
		return false;
	offer_argument(p, f->name, call);
	if (p->s->key)
		offer_function_names(p);
	return true;
}

void
tl_offer_typed(const tl_place *p, const ty_schema *schema, uint32_t steps)
{
	const lsp_spot *s = p->s;

	if (offer_in_call(p))
		return;
	for (uint32_t i = steps; schema && i < s->n; i++)
		schema = schema_at(schema, &s->step[i]);
	if (schema && s->key && schema->type)
		tl_offer_defs(p, &schema->type->props, LSP_I_PROPERTY, true);
	if (schema)
		offer_values(p, schema);
	if (s->key)
		offer_function_names(p);
}

void
tl_offer_value(const tl_place *p, const ty_defs *defs)
{
	const lsp_spot *s = p->s;

	if (s->n == p->inner && !tl_in_call(p) && defs) {
		tl_offer_defs(p, defs, LSP_I_PROPERTY, true);
		return;
	}
	const ty_def *d =
		defs && s->step[p->inner].key ? ty_find(defs, s->step[p->inner].key) : NULL;
	tl_offer_typed(p, d ? d->schema : NULL, p->inner + 1);
}
