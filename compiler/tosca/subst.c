/*
 * subst.c - substitution_mappings: how a service stands for a node.
 *
 *   capabilities  name: [ node, capability ]
 *   requirements  name: [ node, requirement ], or node alone where the node itself is selected from
 *                 outside; a list of pairs, or the name again, where it is mapped several times;
 *                 [ name, number or UNBOUNDED ] as a key says how many of them
 *   properties    name: input, [ input ], [ node, property ]
 *   attributes    name: [ node, attribute ], from 2.0 on also the name of an output
 *   interfaces    name: { operation: workflow }, before 2.0 also [ node, interface ]
 */
#include "compiler/tosca/render.h"

#include <string.h>

typedef struct mapper {
	render *r;
	ty_type *type; /* that the service stands for */
	vt_tmapping *row;
	uint32_t n;
} mapper;

static void
push(mapper *m, vt_tmapping row)
{
	vc_push(m->r->t->c, m->row, m->n) = row;
}

static void
malformed(mapper *m, vc_span at, const char *what)
{
	vc_report(m->r->t->c, VC_E2056, at, "%s", what);
}

/* ---- both ends ---- */

static ty_def *
outer(mapper *m, const ty_defs *defs, const ynode *key, const char *noun)
{
	if (!te_text(key)) {
		if (key->kind != YN_ERROR)
			malformed(m, key->span, "the name of a mapping must be a string");
		return NULL;
	}
	ty_def *d = ty_find(defs, key->text);
	if (!d && m->type && !m->type->bad) {
		vc_report(m->r->t->c, VC_E2050, key->span, "the node type '%s' has no %s '%s'",
			m->type->name, noun, key->text);
		ty_hint_near(m->r->t->c, defs, key->text);
	}
	return d;
}

/* The type of a node template, by its row. */
static ty_type *
type_of_node(mapper *m, uint32_t row)
{
	te *e = m->r->node[row - m->r->node0];
	const char *name = te_str(e, "type");
	return name ? tn_find_type(m->r->u, TN_NODE, name) : NULL;
}

static uint32_t
inner_node(mapper *m, const ynode *y)
{
	uint32_t row = te_text(y) ? render_find_node(m->r, y->text) : 0;
	if (!row) {
		vc_report(m->r->t->c, VC_E2020, y->span, "there is no node template '%s'",
			te_text(y) ? y->text : "");
		if (te_text(y))
			te_hint_near(m->r->service, "node_templates", y->text);
	}
	return row;
}

/* The declaration inside: its kind must suit that outside. */
static void
inner_name(mapper *m, vt_tmapping *row, const ynode *y, size_t defs, const char *noun,
	const ty_def *out)
{
	ty_type *type = type_of_node(m, row->node);
	if (!te_text(y)) {
		malformed(m, y->span, "a mapping is [ node template, name ]");
		return;
	}
	row->inner = tm_str(m->r->t->m, y->text);
	if (!type || type->bad)
		return;
	const ty_defs *all = (const ty_defs *)(const void *)((const char *)type + defs);
	const ty_def *in = ty_find(all, y->text);
	if (!in) {
		vc_report(m->r->t->c, VC_E2050, y->span, "the node type '%s' has no %s '%s'",
			type->name, noun, y->text);
		ty_hint_near(m->r->t->c, all, y->text);
	} else if (out && out->type && in->type && !ty_is(in->type, out->type) &&
		   !ty_is(out->type, in->type))
		vc_report(m->r->t->c, VC_E2056, y->span,
			"'%s' is a '%s', and the %s it stands for a '%s'", y->text, in->type->name,
			noun, out->type->name);
}

/* [ node, name ] */
static bool
pair(mapper *m, vt_tmapping row, const ynode *y, size_t defs, const char *noun, const ty_def *out)
{
	if (y->kind == YN_SEQ && y->n == 0 && !(m->r->u->keys & VT_TV_2_0)) {
		vc_report(m->r->t->c, VC_W2030, y->span, "'%s' is mapped to nothing",
			tm_text_of(m->r->t->m, row.name));
		vc_hint(m->r->t->c, "leave it out, or write [ node template, name ]");
		return false;
	}
	if (y->kind != YN_SEQ || y->n < 2 || y->n > 3) {
		malformed(m, y->span, "a mapping is [ node template, name ]");
		return false;
	}
	row.node = inner_node(m, y->item[0]);
	if (!row.node)
		return false;
	inner_name(m, &row, y->item[1], defs, noun, out);
	if (y->n == 3)
		row.index = tx_value(m->r->u, y->item[2], 0);
	push(m, row);
	return true;
}

/* ---- capabilities and requirements ---- */

static void
capability(mapper *m, const ynode *key, const ynode *y)
{
	ty_def *d = outer(m, &m->type->caps, key, "capability");
	vt_tmapping row = {.kind = VT_TM_CAPABILITY, .place = tm_place(m->r->t, key->span)};
	const ynode *mapping =
		y->kind == YN_MAP && !(m->r->u->version & VT_TV_2_0) ? yn_get(y, "mapping") : y;
	if (!d || !mapping)
		return;
	row.name = tm_str(m->r->t->m, d->name);
	pair(m, row, mapping, offsetof(ty_type, caps), "capability", d);
}

static void
requirement_target(mapper *m, vt_tmapping row, const ynode *y, const ty_def *d)
{
	if (y->kind == YN_SEQ && y->n && y->item[0]->kind == YN_SEQ) {
		for (uint32_t i = 0, before = m->n; i < y->n; i++) {
			requirement_target(m, row, y->item[i], d);
			row.again = m->n > before;
		}
	} else if (y->kind == YN_SCALAR && m->r->u->version & VT_TV_2_0) {
		row.node = inner_node(m, y);
		if (row.node)
			push(m, row);
	} else {
		pair(m, row, y, offsetof(ty_type, reqs), "requirement", d);
	}
}

static uint32_t
requirement_count(mapper *m, const ynode *y)
{
	bool many = te_text(y) && !strcmp(y->text, "UNBOUNDED"),
	     some = y->kind == YN_SCALAR && y->type == YT_INT && y->fits && y->i > 0 &&
		    y->i <= UINT32_MAX;
	if (!many && !some)
		malformed(m, y->span,
			"the number of requirements that are mapped is a positive integer or "
			"UNBOUNDED");
	return many || some ? tx_value(m->r->u, y, TX_LITERAL) : 0;
}

static void
requirement(mapper *m, const ynode *key, const ynode *y)
{
	vt_tmapping row = {.kind = VT_TM_REQUIREMENT, .place = tm_place(m->r->t, key->span)};
	const ynode *name = key;
	if (key->kind == YN_SEQ && key->n == 2 && m->r->u->version & VT_TV_2_0) {
		name = key->item[0];
		row.count = requirement_count(m, key->item[1]);
	}
	ty_def *d = outer(m, &m->type->reqs, name, "requirement");
	const ynode *mapping =
		y->kind == YN_MAP && !(m->r->u->version & VT_TV_2_0) ? yn_get(y, "mapping") : y;
	if (!d || !mapping)
		return;
	row.name = tm_str(m->r->t->m, d->name);
	requirement_target(m, row, mapping, d);
}

/* ---- properties, attributes, interfaces ---- */

static bool
has_parameter(mapper *m, const char *keyname, const char *name)
{
	return te_named(m->r->service, keyname, name) != NULL;
}

static void
property(mapper *m, const ynode *key, const ynode *y)
{
	ty_def *d = outer(m, &m->type->props, key, "property");
	vt_tmapping row = {.kind = VT_TM_PROPERTY, .place = tm_place(m->r->t, key->span)};
	const ynode *input = y->kind == YN_SEQ && y->n == 1 ? y->item[0] : y;
	if (!d)
		return;
	row.name = tm_str(m->r->t->m, d->name);
	if (input->kind == YN_SEQ) {
		pair(m, row, input, offsetof(ty_type, props), "property", NULL);
	} else if (te_text(input) && has_parameter(m, "inputs", input->text)) {
		row.inner = tm_str(m->r->t->m, input->text);
		push(m, row);
	} else if (te_text(input) && m->r->u->version & VT_TV_2_0) {
		vc_report(m->r->t->c, VC_E2020, input->span, "there is no input '%s'", input->text);
		te_hint_near(m->r->service, "inputs", input->text);
	} else {
		row.expr = tx_value(m->r->u, y, 0);
		push(m, row);
	}
}

static void
attribute(mapper *m, const ynode *key, const ynode *y)
{
	ty_def *d = outer(m, &m->type->attrs, key, "attribute");
	vt_tmapping row = {.kind = VT_TM_ATTRIBUTE, .place = tm_place(m->r->t, key->span)};
	const ynode *output = y->kind == YN_SEQ && y->n == 1 ? y->item[0] : y;
	if (!d)
		return;
	row.name = tm_str(m->r->t->m, d->name);
	if (te_text(output)) {
		if (!has_parameter(m, "outputs", output->text)) {
			vc_report(m->r->t->c, VC_E2020, output->span, "there is no output '%s'",
				output->text);
			te_hint_near(m->r->service, "outputs", output->text);
		}
		row.inner = tm_str(m->r->t->m, output->text);
		push(m, row);
		return;
	}
	pair(m, row, output, offsetof(ty_type, attrs), "attribute", NULL);
}

static void
operation(mapper *m, const ty_def *d, const ynode *name, const ynode *workflow)
{
	if (!ty_find(&d->ops, name->text)) {
		vc_report(m->r->t->c, VC_E2050, name->span,
			"the interface '%s' has no operation '%s'", d->name, name->text);
		ty_hint_near(m->r->t->c, &d->ops, name->text);
	}
	if (!te_named(m->r->service, "workflows", workflow->text)) {
		vc_report(m->r->t->c, VC_E2020, workflow->span, "there is no workflow '%s'",
			workflow->text);
		te_hint_near(m->r->service, "workflows", workflow->text);
	}
}

static void
interface(mapper *m, const ynode *key, const ynode *y)
{
	ty_def *d = outer(m, &m->type->ifaces, key, "interface");
	vt_tmapping row = {.kind = VT_TM_INTERFACE, .place = tm_place(m->r->t, key->span)};
	if (!d)
		return;
	row.name = tm_str(m->r->t->m, d->name);
	if (y->kind == YN_SEQ) {
		pair(m, row, y, offsetof(ty_type, ifaces), "interface", NULL);
		return;
	}
	if (y->kind != YN_MAP) {
		malformed(m, y->span, "an interface is mapped operation by operation to workflows");
		return;
	}
	for (uint32_t i = 0; i < y->n; i++) {
		if (!te_text(y->key[i]) || !te_text(y->item[i])) {
			malformed(m, y->item[i]->span,
				"an operation is mapped to the name of a workflow");
			continue;
		}
		operation(m, d, y->key[i], y->item[i]);
		row.op = tm_str(m->r->t->m, y->key[i]->text);
		row.inner = tm_str(m->r->t->m, y->item[i]->text);
		push(m, row);
	}
}

/* ---- all of them ---- */

static void
each(mapper *m, te *e, const char *keyname, void (*visit)(mapper *, const ynode *, const ynode *))
{
	const ynode *y = te_y(e, keyname);
	if (!y || y->kind == YN_ERROR)
		return;
	if (y->kind == YN_MAP) {
		for (uint32_t i = 0; i < y->n; i++)
			visit(m, y->key[i], y->item[i]);
		return;
	}
	if (y->kind != YN_SEQ || strcmp(keyname, "requirements") != 0) {
		vc_report(m->r->t->c, VC_E2004, y->span,
			"the %s of a substitution mapping must be a map", keyname);
		return;
	}
	for (uint32_t i = 0; i < y->n; i++)
		if (y->item[i]->kind == YN_MAP && y->item[i]->n == 1)
			visit(m, y->item[i]->key[0], y->item[i]->item[0]);
		else
			vc_report(m->r->t->c, VC_E2006, y->item[i]->span,
				"each item of '%s' must be a map with one key: its name", keyname);
}

void
render_substitution(render *r)
{
	te *e = te_one(r->service, "substitution_mappings");
	if (!e || !te_str(e, "node_type"))
		return;
	mapper m = {.r = r};
	m.type = tn_type(r->u, TN_NODE, te_str(e, "node_type"), te_y(e, "node_type")->span);
	if (!m.type)
		return;
	ty_complete(m.type);
	r->row.sub_type = tm_type_row(r->t, m.type);
	each(&m, e, "capabilities", capability);
	each(&m, e, "requirements", requirement);
	each(&m, e, "properties", property);
	each(&m, e, "attributes", attribute);
	each(&m, e, "interfaces", interface);
	if (te_one(e, "substitution_filter"))
		r->row.sub_filter = tx_filter(r->u, te_one(e, "substitution_filter"));
	r->row.mappings = (vt_tspan){m.n ? tm_count(r->t->m, TM_mapping) : 0, m.n};
	for (uint32_t i = 0; i < m.n; i++)
		tm_add_mapping(r->t->m, m.row[i]);
}
