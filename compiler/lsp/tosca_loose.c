/*
 * tosca_loose.c - names in what keys.def leaves to later phases of compiler/tosca: substitution
 * mappings (subst.c), workflows and triggers (flow.c), node filters (value.c), outputs of
 * operations (iface.c), and names that artifacts and imports give.
 */
#include "compiler/lsp/scope.h"
#include "compiler/lsp/tosca.h"

#include <string.h>

/* Step i behind the keyname; an item of a list where there is none. */
static const char *
key_at(const tl_place *p, uint32_t i)
{
	return p->inner + i < p->s->n ? p->s->step[p->inner + i].key : NULL;
}

static uint32_t
depth(const tl_place *p)
{
	return p->s->n - p->inner;
}

static bool
is(const char *a, const char *b)
{
	return a && strcmp(a, b) == 0;
}

static const char *
text_at(const tl_place *p, uint32_t steps, const char *key)
{
	const ynode *y = lsp_node_at(p->s, steps);

	y = y && y->kind == YN_MAP && key ? yn_get(y, key) : y;
	return y && y->kind == YN_SCALAR && y->ntext ? y->text : NULL;
}

static te *
of_service(const tl_place *p, const char *keyname, const char *name)
{
	te *service = name ? tl_service(p) : NULL;

	return service ? te_named(service, keyname, name) : NULL;
}

static void
offer_targets(tl_place *p)
{
	tl_offer_templates(p, NULL);
	tl_offer_entities(p, "groups", LSP_I_VARIABLE, false);
}

static void
offer_flows(const tl_place *p)
{
	tl_offer_entities(p, "workflows", LSP_I_FUNCTION, false);
}

/* ---- substitution mappings ---- */

static const ty_defs *
defs_by(const ty_type *y, const char *keyname)
{
	return !y                            ? NULL
	       : is(keyname, "properties")   ? &y->props
	       : is(keyname, "attributes")   ? &y->attrs
	       : is(keyname, "capabilities") ? &y->caps
	       : is(keyname, "requirements") ? &y->reqs
					     : &y->ifaces;
}

/* Item i of [node, name] behind so many steps; one item alone is an input or an output. */
static void
offer_pair(tl_place *p, const char *keyname, uint32_t steps, uint32_t i)
{
	const ynode *y = lsp_node_at(p->s, steps);
	bool alone = !y || y->kind != YN_SEQ || y->n < 2;

	if (i == 0 && alone && is(keyname, "properties"))
		tl_offer_entities(p, "inputs", LSP_I_VARIABLE, false);
	if (i == 0 && alone && is(keyname, "attributes"))
		tl_offer_entities(p, "outputs", LSP_I_VARIABLE, false);
	if (i == 0)
		tl_offer_templates(p, NULL);
	const char *node =
		i == 1 && y && y->kind == YN_SEQ && te_text(y->item[0]) ? y->item[0]->text : NULL;
	if (node)
		tl_offer_defs(p, defs_by(tl_template_type(p, node), keyname), LSP_I_FIELD, false);
}

static void
offer_interface_mapping(tl_place *p, const char *name, uint32_t m)
{
	ty_type *y = tl_type(p, p->n - 1);
	const ty_def *d = y ? ty_find(&y->ifaces, name) : NULL;

	if (depth(p) == m && p->s->key)
		tl_offer_defs(p, d ? &d->ops : NULL, LSP_I_METHOD, true);
	else
		offer_flows(p);
}

/* Behind the name that is mapped, m steps from the keyname. */
static void
offer_mapped(tl_place *p, const char *keyname, const char *name, uint32_t m)
{
	if (is(key_at(p, m), "mapping"))
		m++;
	if (depth(p) == m && p->s->key && !is(keyname, "interfaces")) {
		lsp_offer_words(p->o, "mapping", LSP_I_KEYWORD, true);
		if (is(keyname, "properties"))
			tl_offer_value(p, NULL);
		return;
	}
	if (key_at(p, m) || (is(keyname, "interfaces") && depth(p) == m)) {
		if (is(keyname, "interfaces"))
			offer_interface_mapping(p, name, m);
		else if (is(keyname, "properties"))
			tl_offer_value(p, NULL);
		return;
	}
	uint32_t last = depth(p); /* lists may stand in a list */
	uint32_t at = last > m ? last - 1 : last;
	offer_pair(p, keyname, p->inner + at, last > m ? p->s->step[p->s->n - 1].index : 0);
}

static void
offer_substitution(tl_place *p, const char *keyname)
{
	ty_type *y = tl_type(p, p->n - 1);
	uint32_t item = depth(p) && !key_at(p, 0) ? 1 : 0; /* of a list */
	const char *name = key_at(p, item);

	if (name)
		offer_mapped(p, keyname, name, item + 1);
	else
		tl_offer_defs(p, defs_by(y, keyname), LSP_I_FIELD, true);
}

/* ---- what a step or a trigger is about ---- */

enum { MOST_TARGETS = 16 };

typedef struct targets {
	ty_type *y[MOST_TARGETS];
	uint32_t n;
} targets;

/* Of a node template, or of the members of a group. */
static void
add_target(const tl_place *p, targets *t, const char *name)
{
	ty_type *y = name ? tl_template_type(p, name) : NULL;
	te *group = y ? NULL : of_service(p, "groups", name);
	const ynode *all = group ? te_y(group, "members") : NULL;

	if (y && t->n < MOST_TARGETS)
		t->y[t->n++] = y;
	for (uint32_t i = 0; all && all->kind == YN_SEQ && i < all->n; i++) {
		y = te_text(all->item[i]) ? tl_template_type(p, all->item[i]->text) : NULL;
		if (y && t->n < MOST_TARGETS)
			t->y[t->n++] = y;
	}
}

static void
add_relationship(const tl_place *p, targets *t, const char *name)
{
	(void)p;
	for (uint32_t i = 0; name && i < t->n; i++) {
		const ty_def *d = ty_find(&t->y[i]->reqs, name);
		if (d && d->rel)
			t->y[i] = d->rel;
	}
}

/* Of the entity on the way that says it: a step, a precondition, a policy, a filter of targets. */
static targets
targets_of(const tl_place *p)
{
	targets t = {.n = 0};

	for (uint32_t i = p->n; i-- > 0 && t.n == 0;) {
		uint32_t at = p->level[i].depth;
		const ynode *y = lsp_node_at(p->s, at);
		const ynode *all = y && y->kind == YN_MAP ? yn_get(y, "targets") : NULL;
		if (p->level[i].entity == TE_STEP) {
			add_target(p, &t, text_at(p, at, "target"));
			add_relationship(p, &t, text_at(p, at, "target_relationship"));
		}
		for (uint32_t k = 0; all && all->kind == YN_SEQ && k < all->n; k++)
			if (te_text(all->item[k]))
				add_target(p, &t, all->item[k]->text);
	}
	return t;
}

/* ---- activities ---- */

static void
offer_members_of(
	const tl_place *p, const targets *t, size_t defs, enum lsp_item_kind kind, bool key)
{
	for (uint32_t i = 0; i < t->n; i++)
		tl_offer_defs(p, (const ty_defs *)(const void *)((const char *)t->y[i] + defs),
			kind, key);
}

/* INTERFACE.OPERATION: what stands behind the dot, or before it. */
static void
offer_operation(tl_place *p)
{
	targets t = targets_of(p);
	char before;
	size_t part = lsp_yaql_word(p->s, &before), from = p->s->from;

	p->part = true;
	if (part <= from || before != '.') {
		offer_members_of(p, &t, offsetof(ty_type, ifaces), LSP_I_FIELD, false);
		return;
	}
	const char *iface = vc_strndup(p->o->c, p->s->d->text + from, part - 1 - from);
	for (uint32_t i = 0; i < t.n; i++) {
		const ty_def *d = ty_find(&t.y[i]->ifaces, iface);
		tl_offer_defs(p, d ? &d->ops : NULL, LSP_I_METHOD, false);
	}
}

static void
offer_operation_inputs(const tl_place *p, const char *name)
{
	targets t = targets_of(p);
	const char *dot = name ? strrchr(name, '.') : NULL;

	for (uint32_t i = 0; dot && i < t.n; i++) {
		const ty_def *d = ty_find(&t.y[i]->ifaces,
				     vc_strndup(p->o->c, name, (size_t)(dot - name))),
			     *op = d ? ty_find(&d->ops, dot + 1) : NULL;
		tl_offer_defs(p, op ? &op->inputs : NULL, LSP_I_PROPERTY, true);
		tl_offer_defs(p, d ? &d->inputs : NULL, LSP_I_PROPERTY, true);
	}
}

/* Behind the kind of an activity, m steps from the keyname. */
static void
offer_activity(tl_place *p, const char *kind, uint32_t m)
{
	bool calls = is(kind, "call_operation");
	const char *named = calls ? "operation" : "workflow", *key = key_at(p, m);

	if (is(kind, "set_state"))
		return;
	if (depth(p) == m && p->s->key) {
		lsp_offer_words(
			p->o, calls ? "operation inputs" : "workflow inputs", LSP_I_KEYWORD, true);
	} else if (is(key, "inputs") && depth(p) == m + 1) {
		const char *name = text_at(p, p->inner + m, named);
		if (calls)
			offer_operation_inputs(p, name);
		else
			tl_offer_all(p, of_service(p, "workflows", name), "inputs", LSP_I_PROPERTY,
				false);
	} else if (is(key, "inputs")) {
		tl_offer_value(p, NULL);
	} else if (!key || is(key, named)) {
		if (calls)
			offer_operation(p);
		else
			offer_flows(p);
	}
}

static void
offer_activities(tl_place *p)
{
	uint32_t item = depth(p) && !key_at(p, 0) ? 1 : 0;
	const char *kind = key_at(p, item);

	if (kind)
		offer_activity(p, kind, item + 1);
	else
		lsp_offer_words(
			p->o, "call_operation inline delegate set_state", LSP_I_KEYWORD, true);
}

/* ---- conditions and filters ---- */

/* Attributes and properties are keys there, between clauses: and, or, not, assert. */
static void
offer_condition(const tl_place *p, const targets *t)
{
	if (p->version & VT_TV_2_0) {
		tl_offer_value(p, NULL);
		return;
	}
	if (!p->s->key)
		return;
	lsp_offer_words(p->o, "and or not assert", LSP_I_KEYWORD, true);
	offer_members_of(p, t, offsetof(ty_type, attrs), LSP_I_PROPERTY, true);
	offer_members_of(p, t, offsetof(ty_type, props), LSP_I_PROPERTY, true);
}

/* A target with a condition, m steps from the keyname: a precondition, what triggers filter. */
static void
offer_about(tl_place *p, uint32_t m, const char *node, const char *relationship)
{
	const char *key = key_at(p, m);
	targets t = {.n = 0};

	add_target(p, &t, text_at(p, p->inner + m, node));
	if (depth(p) == m && p->s->key) {
		lsp_offer_words(p->o,
			"target target_relationship condition node requirement "
			"capability",
			LSP_I_KEYWORD, true);
	} else if (is(key, node)) {
		offer_targets(p);
		if (is(node, "node"))
			tl_offer_types(p, TN_NODE);
	} else if (is(key, relationship)) {
		offer_members_of(p, &t, offsetof(ty_type, reqs), LSP_I_FIELD, false);
	} else if (is(key, "capability")) {
		offer_members_of(p, &t, offsetof(ty_type, caps), LSP_I_FIELD, false);
	} else {
		add_relationship(p, &t, text_at(p, p->inner + m, relationship));
		offer_condition(p, &t);
	}
}

static void
offer_filter_condition(tl_place *p)
{
	targets t = targets_of(p);
	const ynode *trigger = lsp_node_at(p->s, p->level[p->n - 1].depth);
	const ynode *about =
		trigger && trigger->kind == YN_MAP ? yn_get(trigger, "target_filter") : NULL;
	const ynode *node = about && about->kind == YN_MAP ? yn_get(about, "node") : NULL;

	if (node && te_text(node)) {
		t.n = 0;
		add_target(p, &t, node->text);
		ty_type *y = t.n ? NULL : tl_named_type(p, TN_NODE, node->text);
		if (y)
			t.y[t.n++] = y;
	}
	offer_condition(p, &t);
}

const ty_type *
tl_candidate(const tl_place *p)
{
	uint32_t i = p->n - 1;

	if (p->level[i].entity != TE_NODE_FILTER || i == 0)
		return NULL;
	const ty_def *d = tl_def(p, i - 1);
	if (p->level[i - 1].entity != TE_REQUIREMENT &&
		p->level[i - 1].entity != TE_REQUIREMENT_DEF)
		return tl_type(p, i - 1);
	const char *node = text_at(p, p->level[i - 1].depth, "node");
	const ty_type *y = node ? tl_template_type(p, node) : NULL;
	if (node && !y)
		y = tl_named_type(p, TN_NODE, node);
	return y ? y : d ? d->node : NULL;
}

/* properties: [{name: constraint}], capabilities: [{name: {properties: [...]}}], lists or maps. */
static void
offer_node_filter(tl_place *p, const char *keyname)
{
	const ty_type *y = tl_candidate(p);
	uint32_t item = depth(p) && !key_at(p, 0) ? 1 : 0;
	const char *name = key_at(p, item);

	if (p->version & VT_TV_2_0 && !is(keyname, "properties") && !is(keyname, "capabilities")) {
		tl_offer_value(p, NULL);
	} else if (!name) {
		tl_offer_defs(p, y ? is(keyname, "capabilities") ? &y->caps : &y->props : NULL,
			LSP_I_PROPERTY, true);
		if (is(keyname, "capabilities"))
			tl_offer_types(p, TN_CAPABILITY);
	} else if (is(keyname, "capabilities")) {
		const ty_def *d = y ? ty_find(&y->caps, name) : NULL;
		const ty_type *cap = d ? NULL : tl_named_type(p, TN_CAPABILITY, name);
		bool list = depth(p) > item + 2 && !key_at(p, item + 2);
		if (depth(p) == item + 2 || (list && depth(p) == item + 3))
			tl_offer_defs(p,
				d     ? &d->props
				: cap ? &cap->props
				      : NULL,
				LSP_I_PROPERTY, true);
		else if (depth(p) == item + 1)
			lsp_offer_words(p->o, "properties", LSP_I_KEYWORD, true);
		else
			tl_offer_value(p, NULL);
	} else {
		tl_offer_value(p, NULL);
	}
}

/* ---- outputs of operations; artifacts and repositories ---- */

void
tl_offer_outputs(const tl_place *p, const ty_def *operation)
{
	const ty_def *chain[LSP_DEEP];
	uint32_t n = 0;

	for (const ty_def *d = operation; d && n < LSP_DEEP; d = d->parent)
		chain[n++] = d;
	while (n > 0)
		lsp_offer_keys(p->o, te_y(chain[--n]->e, "outputs"), LSP_I_PROPERTY, "output");
}

/* name: [SELF, attribute], or below `mapping`. */
static void
offer_outputs(tl_place *p)
{
	uint32_t m = is(key_at(p, 1), "mapping") ? 2 : 1;

	if (depth(p) == 0) {
		tl_offer_outputs(p, tl_def(p, p->n - 1));
		tl_offer_own_key(p, "output");
	} else if (!p->s->key) {
		tl_offer_path(p, p->inner + m, true);
	}
}

/* What an implementation names may be an artifact of its node. */
static void
offer_artifacts(tl_place *p)
{
	for (uint32_t i = p->n; i-- > 0;) {
		uint8_t entity = p->level[i].entity;
		if (entity != TE_NODE && entity != TE_NODE_TYPE)
			continue;
		const ty_type *y = tl_type(p, i);
		if (entity == TE_NODE)
			tl_offer_all(p, of_service(p, "node_templates", p->level[i].name),
				"artifacts", LSP_I_FILE, false);
		tl_offer_defs(p, y ? &y->artifacts : NULL, LSP_I_FILE, false);
	}
}

static bool
is_implementation(const tl_place *p, uint8_t entity)
{
	return entity == TE_IMPLEMENTATION ||
	       (entity == TE_ARTIFACT && p->n > 1 &&
		       p->level[p->n - 2].entity == TE_IMPLEMENTATION);
}

/* ---- by keyname ---- */

static bool
offer_in_step(tl_place *p, const char *keyname)
{
	targets t;

	if (is(keyname, "target")) {
		offer_targets(p);
	} else if (is(keyname, "activities")) {
		offer_activities(p);
	} else if (is(keyname, "on_success") || is(keyname, "on_failure")) {
		const char *flow = p->n > 1 ? p->level[p->n - 2].name : NULL;
		tl_offer_all(p, of_service(p, "workflows", flow), "steps", LSP_I_FUNCTION, false);
	} else if (is(keyname, "target_relationship")) {
		t.n = 0;
		add_target(p, &t, text_at(p, p->level[p->n - 1].depth, "target"));
		offer_members_of(p, &t, offsetof(ty_type, reqs), LSP_I_FIELD, false);
	} else if (is(keyname, "filter")) {
		t = targets_of(p);
		offer_condition(p, &t);
	} else if (is(keyname, "operation_host")) {
		lsp_offer_words(p->o, "SELF HOST SOURCE TARGET ORCHESTRATOR", LSP_I_KEYWORD, false);
		tl_offer_templates(p, NULL);
	} else {
		return false;
	}
	return true;
}

static bool
offer_in_trigger(tl_place *p, const char *keyname)
{
	if (is(keyname, "action"))
		offer_activities(p);
	else if (is(keyname, "target_filter"))
		offer_about(p, 0, "node", "requirement");
	else if (is(keyname, "condition"))
		offer_filter_condition(p);
	else
		return false;
	return true;
}

bool
tl_offer_loose(tl_place *p, uint8_t entity, const char *keyname)
{
	bool outputs = is(keyname, "outputs") && p->row->reader == TK_VALUE;

	if (entity == TE_SUBSTITUTION && p->row->reader == TK_VALUE)
		offer_substitution(p, keyname);
	else if (entity == TE_STEP)
		return offer_in_step(p, keyname);
	else if (entity == TE_TRIGGER)
		return offer_in_trigger(p, keyname);
	else if (entity == TE_NODE_FILTER)
		offer_node_filter(p, keyname);
	else if (entity == TE_WORKFLOW && is(keyname, "preconditions"))
		offer_about(p, depth(p) && !key_at(p, 0) ? 1 : 0, "target", "target_relationship");
	else if (outputs)
		offer_outputs(p);
	else if (entity == TE_PARAMETER_DEF && is(keyname, "mapping"))
		tl_offer_path(p, p->inner, true);
	else if (is(keyname, "repository") && p->unit)
		tl_offer_all(p, p->unit->file, "repositories", LSP_I_MODULE, false);
	else if ((is(keyname, "file") || is(keyname, "primary")) && is_implementation(p, entity))
		offer_artifacts(p);
	else
		return false;
	return true;
}

/* A state, or what an activity is given. */
static bool
is_activity_text(const tl_place *p)
{
	for (uint32_t i = 0; i < depth(p); i++)
		if (is(key_at(p, i), "set_state") ||
			(is(key_at(p, i), "inputs") && i + 1 < depth(p)))
			return true;
	return false;
}

bool
tl_is_loose(const tl_place *p)
{
	const char *name = p->row->name;

	switch (p->level[p->n - 1].entity) {
	case TE_SUBSTITUTION: return true;
	case TE_STEP:
		return is(name, "filter") ? p->s->key
					  : !is(name, "activities") || !is_activity_text(p);
	case TE_TRIGGER:
		return is(name, "condition")       ? p->s->key
		       : is(name, "target_filter") ? true
						   : is(name, "action") && !is_activity_text(p);
	case TE_NODE_FILTER: return p->s->key;
	case TE_WORKFLOW: return is(name, "outputs") || (is(name, "preconditions") && p->s->key);
	}
	return is(name, "outputs") || is(name, "mapping");
}
