/*
 * type.c - types with what they inherit, and whether a refinement keeps the contract.
 *
 * A type is completed when somebody needs it: first its parent, then what it declares.  Completion
 * of one type asks for others (a capability definition for its capability type), so state 1 marks
 * those on the way: a parent on the way is a derivation loop; another type on the way is used as
 * far as it is known.
 *
 * A declaration inside a type takes each part from: itself, the declaration of the parent type that
 * it refines, the type that it names (a capability type, an interface type), in this order.
 */
#include "compiler/tosca/front.h"

#include <string.h>
#include <strings.h>

/* ---- definitions ---- */

bool
ty_rooted(const ty_type *y)
{
	for (; y; y = y->parent)
		if (!y->parent && te_get(y->e, "derived_from"))
			return false;
	return true;
}

bool
ty_is_unknown(const ty_def *d)
{
	return d->type ? d->type->bad : te_str(d->e, "type") != NULL;
}

bool
ty_is_open(const te *e)
{
	enum tn_section section = e->kind == TE_NODE           ? TN_NODE
				  : e->kind == TE_RELATIONSHIP ? TN_RELATIONSHIP
				  : e->kind == TE_GROUP        ? TN_GROUP
				  : e->kind == TE_POLICY       ? TN_POLICY
							       : TN_SECTIONS;
	const char *name = section < TN_SECTIONS ? te_str(e, "type") : NULL;
	const ty_type *type = name ? tn_find_type(e->unit, section, name) : NULL;
	return type && !ty_rooted(type);
}

static const char *
def_name(const void *ctx, const void *list, uint32_t i)
{
	(void)ctx;
	return ((ty_def *const *)list)[i]->name;
}

uint32_t
ty_position(const ty_defs *d, const char *name)
{
	ty_defs *own = (ty_defs *)(uintptr_t)d;
	if (d->n > TOSCA_SHORT) {
		vc *c = d->d[0]->e->unit->t->c;
		if (!d->index)
			own->index = vc_alloc(c, sizeof *d->index);
		return tosca_lookup_find(c, own->index, d->d, d->n, def_name, NULL, name);
	}
	for (uint32_t i = 0; i < d->n; i++)
		if (!strcmp(d->d[i]->name, name))
			return i + 1;
	return 0;
}

ty_def *
ty_find(const ty_defs *d, const char *name)
{
	uint32_t at = ty_position(d, name);
	return at ? d->d[at - 1] : NULL;
}

/* A type of 16,000 ancestors with a declaration each has as many, and so on: what a small file can
 * ask for grows with its square. */
enum { MOST_INHERITED = 2000000 };

bool
ty_inherits(tosca_unit *u, uint64_t n, vc_span at)
{
	struct tosca *t = u->t;
	bool before = t->inherited > MOST_INHERITED;
	t->inherited += n;
	if (t->inherited <= MOST_INHERITED)
		return true;
	if (!before)
		vc_report(t->c, VC_E2090, at,
			"the types inherit more than %d declarations and constraints in all",
			MOST_INHERITED);
	return false;
}

static void
push(tosca_unit *u, ty_defs *into, ty_def *d)
{
	vc_push(u->t->c, into->d, into->n) = d;
}

/* Puts d in the place of the one it refines, or behind the others. */
static void
put(tosca_unit *u, ty_defs *into, ty_def *d)
{
	uint32_t at = ty_position(into, d->name);
	if (at)
		into->d[at - 1] = d;
	else
		push(u, into, d);
}

/* A list of one's own: lists are shared until somebody writes. */
static ty_defs
copy_defs(tosca_unit *u, const ty_defs *from)
{
	ty_defs d = {0};
	for (uint32_t i = 0; from && i < from->n; i++)
		push(u, &d, from->d[i]);
	return d;
}

void
ty_merge(tosca_unit *u, ty_defs *into, const ty_defs *inherited)
{
	ty_defs own = *into;
	*into = copy_defs(u, inherited);
	for (uint32_t i = 0; i < own.n; i++)
		put(u, into, own.d[i]);
}

static ty_def *
def_new(tosca_unit *u, te *e, ty_def *parent)
{
	ty_def *d = vc_alloc(u->t->c, sizeof *d);
	d->kind = e->kind;
	d->name = e->name;
	d->e = e;
	d->parent = parent;
	d->local = true;
	return d;
}

/* One is of the profile, the other its copy in a file. */
static bool
is_copy(const ty_type *a, const ty_type *b)
{
	return b && a->unit->normative != b->unit->normative && a->section == b->section &&
	       !strcmp(a->name, b->name);
}

bool
ty_is(const ty_type *y, const ty_type *ancestor)
{
	for (uint32_t guard = 0; y && guard <= y->unit->t->ntypes; y = y->parent, guard++)
		if (y == ancestor || is_copy(y, ancestor))
			return true;
	return false;
}

static ty_type *
named_type(tosca_unit *u, te *e, const char *keyname, enum tn_section section)
{
	const char *name = te_str(e, keyname);
	ty_type *y = name ? tn_type(u, section, name, te_y(e, keyname)->span) : NULL;
	if (y)
		ty_complete(y);
	return y;
}

/* Nobody holds files of 1.x to the rules of refinement: types in use relax what they inherit. */
enum vc_code
ty_widens(const tosca_unit *u)
{
	return u->version & VT_TV_2_0 ? VC_E2031 : VC_W2036;
}

static void
check_refines(
	tosca_unit *u, te *e, const char *keyname, const ty_type *own, const ty_type *inherited)
{
	if (!own || !inherited || ty_is(own, inherited) || own->state != 2 || !ty_rooted(own))
		return;
	const ynode *y = te_y(e, keyname);
	vc_report(u->t->c, ty_widens(u), y ? y->span : te_span(e),
		"'%s' is not derived from '%s', which it refines", own->name, inherited->name);
	vc_note(u->t->c, te_span(inherited->e), "'%s' is declared here", inherited->name);
}

/* A list of type names; several sections may be meant. */
static ty_type **
type_list(tosca_unit *u, te *e, const char *keyname, enum tn_section section, enum tn_section other,
	uint32_t *n)
{
	const ynode *y = te_y(e, keyname);
	ty_type **list = NULL;
	for (uint32_t i = 0; y && i < (y->kind == YN_SEQ ? y->n : 1); i++) {
		const ynode *item = y->kind == YN_SEQ ? y->item[i] : y;
		ty_type *t = other == section ? NULL : tn_find_type(u, other, item->text);
		if (!t)
			t = tn_type(u, section, item->text, item->span);
		if (t)
			vc_push(u->t->c, list, *n) = t;
	}
	return list;
}

/* ---- properties, attributes, parameters ---- */

static void
fixed_or_default(tosca_unit *u, te *e, ty_def *d)
{
	ynode *value = te_y(e, "value"), *dflt = te_y(e, "default");
	if (d->parent && d->parent->fixed && (value || dflt)) {
		vc_report(u->t->c, VC_E2031, value ? value->span : dflt->span,
			"'%s' has a fixed value, which a refinement cannot change", d->name);
		vc_note(u->t->c, te_span(d->parent->e), "it was given here");
		return;
	}
	if (value && dflt) {
		vc_report(u->t->c, VC_E2007, value->span,
			"'%s' has a default and a value: only one of them can be meant", d->name);
		return;
	}
	if (!value && !dflt)
		return;
	/* that of an operation's input is a first one: others may follow */
	d->fixed = value && e->kind != TE_PARAMETER_DEF;
	d->dflt = value ? value : dflt;
	d->dflt_unit = u;
}

static void
required(tosca_unit *u, te *e, ty_def *d)
{
	bool inherited = d->parent && d->parent->required;
	d->required = te_bool(
		e, "required", d->parent ? d->parent->required : e->kind != TE_ATTRIBUTE_DEF);
	if (inherited && !d->required && !u->embedded) {
		vc_report(u->t->c, ty_widens(u), te_y(e, "required")->span,
			"'%s' is required where it was declared first; a refinement cannot relax "
			"that",
			d->name);
		vc_note(u->t->c, te_span(d->parent->e), "it is declared here");
	}
}

static bool
has_type(const te *e)
{
	return te_get(e, "type") != NULL;
}

/* metadata: { private: true }: its value is a secret. */
bool
ty_is_private(const te *e)
{
	const ynode *meta = te_y(e, "metadata"),
		    *y = meta && meta->kind == YN_MAP ? yn_get(meta, "private") : NULL;
	if (!y || y->kind != YN_SCALAR)
		return false;
	return y->type == YT_BOOL ? y->i != 0 : te_text(y) && !strcasecmp(te_text(y), "true");
}

/* Heat's and Cloudify's values are of any type then, and so are those that products write. */
static void
untyped(tosca_unit *u, te *e)
{
	bool product = u->keys & (TK_A4C | TK_SDC);
	if (!product && u->keys != u->version)
		return;
	if (u->keys & TK_A4C && e->kind == TE_ATTRIBUTE_DEF)
		return; /* its grammar has attributes that are but a function */
	vc_report(u->t->c, product ? VC_W2041 : VC_E2003, te_span(e),
		"the %s '%s' needs the keyname 'type'", te_infos[e->kind].noun, e->name);
	if (product)
		vc_hint(u->t->c, "its values may be anything");
	e->bad = !product;
}

/* SDC's types have `false` where a map is wanted, and mean that there is no default. */
static void
drop_default(tosca_unit *u, ty_def *d)
{
	const ty_type *y = d->schema ? d->schema->type : NULL;
	const ynode *v = d->dflt;
	if (!(u->keys & TK_SDC) || !y || y->base != VT_TB_COMPLEX || !v || d->fixed ||
		v->kind != YN_SCALAR || v->type != YT_BOOL || v->i)
		return;
	vc_report(u->t->c, VC_W2021, v->span, "false is no value of '%s', so it is no default",
		y->name);
	vc_hint(u->t->c, "leave it out");
	d->dflt = NULL;
}

static ty_def *
value_def(tosca_unit *u, te *e, ty_def *parent)
{
	ty_def *d = def_new(u, e, parent);
	if (parent) {
		d->dflt = parent->dflt;
		d->dflt_unit = parent->dflt_unit;
		d->fixed = parent->fixed;
		d->secret = parent->secret;
		d->mapping = parent->mapping;
	}
	if (!has_type(e) && !parent && !e->bad && e->kind != TE_PARAMETER_DEF)
		untyped(u, e);
	if (has_type(e) || (parent && parent->schema))
		d->schema = ty_schema_of(u, e, parent ? parent->schema : NULL);
	d->secret |= ty_is_private(e);
	required(u, e, d);
	fixed_or_default(u, e, d);
	if (!d->required && te_get(e, "default") && te_get(e, "required") &&
		e->kind == TE_PROPERTY_DEF)
		ty_loose(u, te_y(e, "default")->span, "default and not required",
			"what is not required has no default: with one it always has a value");
	drop_default(u, d);
	if (te_get(e, "mapping"))
		d->mapping = e;
	return d;
}

static void
value_defs(tosca_unit *u, te *owner, const char *keyname, ty_defs *into)
{
	uint32_t n;
	te **all = te_all(owner, keyname, &n);
	for (uint32_t i = 0; i < n; i++)
		put(u, into, value_def(u, all[i], ty_find(into, all[i]->name)));
}

/* ---- capabilities ---- */

/* What the declaration that is refined says itself, laid over what the capability type says. */
static void
overlay(tosca_unit *u, ty_defs *into, const ty_defs *refined)
{
	for (uint32_t i = 0; i < refined->n; i++)
		if (refined->d[i]->local || !ty_find(into, refined->d[i]->name))
			put(u, into, refined->d[i]);
}

/* Declarations that a type has are not local to what uses the type. */
static ty_defs
borrow(tosca_unit *u, const ty_defs *from)
{
	ty_defs d = {0};
	for (uint32_t i = 0; i < from->n; i++) {
		ty_def *copy = vc_alloc(u->t->c, sizeof *copy);
		*copy = *from->d[i];
		copy->local = false;
		push(u, &d, copy);
	}
	return d;
}

/* A definition whose keyname `type` may refine its parent's. */
static ty_def *
typed_def(tosca_unit *u, te *e, ty_def *parent, enum tn_section section)
{
	ty_def *d = def_new(u, e, parent);
	ty_type *own = named_type(u, e, "type", section);
	d->type = own ? own : parent ? parent->type : NULL;
	if (parent)
		check_refines(u, e, "type", own, parent->type);
	return d;
}

static void
capability_lists(tosca_unit *u, te *e, ty_def *d)
{
	const char *keyname =
		u->version & VT_TV_2_0 ? "valid_source_node_types" : "valid_source_types";
	ty_list sources = {d->sources, d->nsources}, relations = {d->relations, d->nrelations};
	if (te_get(e, keyname)) {
		d->nsources = 0;
		d->sources = type_list(u, e, keyname, TN_NODE, TN_NODE, &d->nsources);
		ty_widens_none(u, e, keyname, &(ty_list){d->sources, d->nsources}, &sources);
	}
	keyname = "valid_relationship_types";
	if (te_get(e, keyname)) {
		d->nrelations = 0;
		d->relations =
			type_list(u, e, keyname, TN_RELATIONSHIP, TN_RELATIONSHIP, &d->nrelations);
		ty_widens_none(u, e, keyname, &(ty_list){d->relations, d->nrelations}, &relations);
	}
}

static ty_def *
capability_def(tosca_unit *u, te *e, ty_def *parent)
{
	ty_def *d = typed_def(u, e, parent, TN_CAPABILITY);
	if (!te_get(e, "type") && !parent && !e->bad) {
		vc_report(u->t->c, VC_E2003, te_span(e),
			"the capability definition '%s' needs the keyname 'type'", e->name);
		e->bad = true;
	}
	if (d->type) {
		d->props = borrow(u, &d->type->props);
		d->attrs = borrow(u, &d->type->attrs);
		d->sources = d->type->sources, d->nsources = d->type->nsources;
		d->relations = d->type->nodes, d->nrelations = d->type->nnodes;
	}
	d->lo = 0, d->hi = VT_TUNBOUNDED;
	if (parent) {
		overlay(u, &d->props, &parent->props);
		overlay(u, &d->attrs, &parent->attrs);
		d->lo = parent->lo, d->hi = parent->hi;
		if (parent->nsources)
			d->sources = parent->sources, d->nsources = parent->nsources;
		if (parent->nrelations)
			d->relations = parent->relations, d->nrelations = parent->nrelations;
	}
	ty_adds_none(u, e, "properties", &d->props, d->type);
	ty_adds_none(u, e, "attributes", &d->attrs, d->type);
	value_defs(u, e, "properties", &d->props);
	value_defs(u, e, "attributes", &d->attrs);
	te_range(e, "occurrences", &d->lo, &d->hi);
	capability_lists(u, e, d);
	return d;
}

/* ---- interfaces and operations ---- */

static ty_def *
operation_def(tosca_unit *u, te *e, ty_def *parent, bool type)
{
	ty_def *d = def_new(u, e, parent);
	te *impl = te_one(e, "implementation");
	d->impl = impl ? impl : parent ? parent->impl : NULL;
	if (impl && type && u->version & VT_TV_2_0) {
		vc_report(u->t->c, VC_E2005, te_span(impl),
			"an operation of an interface type has no implementation");
		vc_hint(u->t->c, "node types implement the operations of their interfaces");
	}
	if (parent)
		d->inputs = copy_defs(u, &parent->inputs);
	value_defs(u, e, "inputs", &d->inputs);
	for (uint32_t i = 0; type && u->version & VT_TV_2_0 && i < d->inputs.n; i++)
		if (!d->inputs.d[i]->schema && !d->inputs.d[i]->e->bad)
			vc_report(u->t->c, VC_E2003, te_span(d->inputs.d[i]->e),
				"the input '%s' needs the keyname 'type'", d->inputs.d[i]->name);
	return d;
}

static void
operation_defs(tosca_unit *u, te *owner, const char *keyname, ty_defs *into)
{
	bool type = owner->kind == TE_INTERFACE_TYPE;
	uint32_t n;
	te **all = te_all(owner, keyname, &n);
	for (uint32_t i = 0; i < n; i++)
		put(u, into, operation_def(u, all[i], ty_find(into, all[i]->name), type));
}

static void
all_operations(tosca_unit *u, te *owner, ty_defs *into)
{
	operation_defs(u, owner, "operations", into);
	operation_defs(u, owner, "notifications", into);
	operation_defs(u, owner, "?", into);
}

static ty_def *
interface_def(tosca_unit *u, te *e, ty_def *parent)
{
	ty_def *d = typed_def(u, e, parent, TN_INTERFACE);
	if (d->type) {
		d->inputs = borrow(u, &d->type->inputs);
		d->ops = borrow(u, &d->type->ops);
	}
	if (parent) {
		overlay(u, &d->inputs, &parent->inputs);
		overlay(u, &d->ops, &parent->ops);
	}
	ty_adds_none(u, e, "operations", &d->ops, d->type);
	ty_adds_none(u, e, "notifications", &d->ops, d->type);
	value_defs(u, e, "inputs", &d->inputs);
	all_operations(u, e, &d->ops);
	return d;
}

static void
interface_defs(tosca_unit *u, te *owner, ty_defs *into)
{
	uint32_t n;
	te **all = te_all(owner, "interfaces", &n);
	for (uint32_t i = 0; i < n; i++)
		put(u, into, interface_def(u, all[i], ty_find(into, all[i]->name)));
}

/* ---- requirements ---- */

/* The capability is a type, or from 2.0 on the name of a capability of the node type. */
static void
requirement_capability(tosca_unit *u, te *e, ty_def *d)
{
	const char *name = te_str(e, "capability");
	if (!name)
		return;
	ty_type *own = tn_find_type(u, TN_CAPABILITY, name);
	if (!own && d->node && ty_find(&d->node->caps, name)) {
		d->cap_name = name;
		own = ty_find(&d->node->caps, name)->type;
	} else if (!own) {
		own = tn_type(u, TN_CAPABILITY, name, te_y(e, "capability")->span);
	}
	if (!own)
		return;
	ty_complete(own);
	if (d->parent)
		check_refines(u, e, "capability", own, d->parent->type);
	d->type = own;
}

static void
narrow_range(tosca_unit *u, te *e, ty_def *d)
{
	const char *keyname = u->version & VT_TV_2_0 ? "count_range" : "occurrences";
	uint32_t lo = d->lo, hi = d->hi;
	if (!te_range(e, keyname, &lo, &hi))
		return;
	if (d->parent && (lo < d->lo || hi > d->hi) && u->version & VT_TV_2_0) {
		vc_report(u->t->c, VC_E2031, te_y(e, keyname)->span,
			"the range is wider than that of the requirement it refines");
		vc_note(u->t->c, te_span(d->parent->e), "it is declared here");
		return;
	}
	d->lo = lo, d->hi = hi;
}

static void
requirement_relationship(tosca_unit *u, te *e, ty_def *d)
{
	te *r = te_one(e, "relationship");
	if (!r)
		return;
	ty_type *own = named_type(u, r, "type", TN_RELATIONSHIP);
	if (own && d->parent)
		check_refines(u, r, "type", own, d->parent->rel);
	if (own)
		d->rel = own;
	if (d->rel) {
		ty_adds_none(u, r, "properties", &d->rel->props, d->rel);
		ty_adds_none(u, r, "attributes", &d->rel->attrs, d->rel);
		ty_adds_none(u, r, "interfaces", &d->rel->ifaces, d->rel);
	}
	interface_defs(u, r, &d->ops);
	uint32_t n;
	te **all = te_all(r, "properties", &n);
	for (uint32_t i = 0; i < n; i++) {
		ty_def *parent = ty_find(&d->props, all[i]->name);
		if (!parent && d->rel)
			parent = ty_find(&d->rel->props, all[i]->name);
		put(u, &d->props, value_def(u, all[i], parent));
	}
}

/* Alien4Cloud's `host: tosca.nodes.Compute`: a node type in the place of the capability. */
static bool
names_node(const tosca_unit *u, const te *e)
{
	const char *name = te_str(e, "capability");
	return name && u->keys & TK_A4C && !te_get(e, "node") &&
	       !tn_find_type(u, TN_CAPABILITY, name) && tn_find_type(u, TN_NODE, name);
}

static void
bound(const te *e, const char *keyname, uint32_t *out)
{
	const ynode *y = te_y(e, keyname);
	if (y && y->kind == YN_SCALAR && y->type == YT_INT && y->fits && y->i >= 0 &&
		y->i < UINT32_MAX)
		*out = (uint32_t)y->i;
	else if (te_text(y) && !strcasecmp(y->text, "unbounded"))
		*out = VT_TUNBOUNDED;
}

/* Its words for the relationship and the range. */
static void
alien_requirement(tosca_unit *u, te *e, ty_def *d)
{
	const char *keyname = te_str(e, "type") ? "type" : "relationship_type",
		   *name = te_str(e, keyname);
	ty_type *rel = name ? tn_type(u, TN_RELATIONSHIP, name, te_y(e, keyname)->span) : NULL;
	if (rel)
		d->rel = rel;
	bound(e, "lower_bound", &d->lo);
	bound(e, "upper_bound", &d->hi);
}

static ty_def *
requirement_def(tosca_unit *u, te *e, ty_def *parent)
{
	ty_def *d = def_new(u, e, parent);
	bool v20 = u->version & VT_TV_2_0;
	d->lo = v20 ? 0 : 1;
	d->hi = v20 ? VT_TUNBOUNDED : 1;
	if (parent) {
		d->lo = parent->lo, d->hi = parent->hi;
		d->type = parent->type, d->cap_name = parent->cap_name;
		d->node = parent->node, d->rel = parent->rel;
		d->filter = parent->filter, d->filter_unit = parent->filter_unit;
		d->ops = copy_defs(u, &parent->ops);
		d->props = copy_defs(u, &parent->props);
	}
	const char *keyname = names_node(u, e) ? "capability" : "node", *name = te_str(e, keyname);
	ty_type *node = name ? tn_type(u, TN_NODE, name, te_y(e, keyname)->span) : NULL;
	if (node && node->state == 0)
		ty_complete(node);
	if (node && parent)
		check_refines(u, e, "node", node, parent->node);
	if (node)
		d->node = node;
	if (!te_get(e, "capability") && !parent && !e->bad) {
		vc_report(u->t->c, VC_E2003, te_span(e),
			"the requirement definition '%s' needs the keyname 'capability'", e->name);
		e->bad = true;
	}
	if (!names_node(u, e))
		requirement_capability(u, e, d);
	requirement_relationship(u, e, d);
	narrow_range(u, e, d);
	if (u->keys & TK_A4C)
		alien_requirement(u, e, d);
	if (te_one(e, "node_filter")) {
		d->filter = te_one(e, "node_filter");
		d->filter_unit = u;
	}
	if (parent && node)
		ty_can_be_met(u, e, d);
	return d;
}

/* ---- artifacts ---- */

static ty_def *
artifact_def(tosca_unit *u, te *e, ty_def *parent)
{
	/* From 2.0 on one that is declared again is another one. */
	bool anew = u->version & VT_TV_2_0;
	ty_def *d = typed_def(u, e, anew ? NULL : parent, TN_ARTIFACT);
	if (anew && !e->bad && !u->embedded && !te_get(e, "type"))
		vc_report(u->t->c, VC_E2003, te_span(e),
			"the artifact '%s' needs the keyname 'type'", e->name);
	if (anew && !e->bad && !u->embedded && !te_get(e, "file"))
		vc_report(u->t->c, VC_E2003, te_span(e),
			"the artifact '%s' needs the keyname 'file'", e->name);
	return d;
}

/* ---- types ---- */

typedef ty_def *(*def_maker)(tosca_unit *, te *, ty_def *parent);

static void
make_defs(ty_type *y, const char *keyname, def_maker make, ty_defs *into)
{
	uint32_t n;
	te **all = te_all(y->e, keyname, &n);
	for (uint32_t i = 0; i < n; i++)
		put(y->unit, into, make(y->unit, all[i], ty_find(into, all[i]->name)));
}

static void
inherit(ty_type *y)
{
	tosca_unit *u = y->unit;
	const ty_type *p = y->parent;
	if (!p)
		return;
	y->depth = p->depth + 1;
	if (!ty_inherits(u,
		    (uint64_t)p->props.n + p->attrs.n + p->caps.n + p->reqs.n + p->ifaces.n +
			    p->artifacts.n + p->inputs.n + p->ops.n,
		    te_span(y->e))) {
		y->bad = true;
		return;
	}
	y->props = copy_defs(u, &p->props);
	y->attrs = copy_defs(u, &p->attrs);
	y->caps = copy_defs(u, &p->caps);
	y->reqs = copy_defs(u, &p->reqs);
	y->ifaces = copy_defs(u, &p->ifaces);
	y->artifacts = copy_defs(u, &p->artifacts);
	y->inputs = copy_defs(u, &p->inputs);
	y->ops = copy_defs(u, &p->ops);
	y->targets = p->targets, y->ntargets = p->ntargets;
	y->sources = p->sources, y->nsources = p->nsources;
	y->nodes = p->nodes, y->nnodes = p->nnodes;
}

/* From 2.0 on an interface has a type, its own or an inherited one. */
static void
check_interfaces(const ty_type *y)
{
	for (uint32_t i = 0; y->unit->version & VT_TV_2_0 && i < y->ifaces.n; i++) {
		const ty_def *d = y->ifaces.d[i];
		if (d->type || d->parent || d->e->bad || te_get(d->e, "type") || !ty_rooted(y))
			continue;
		vc_report(y->unit->t->c, VC_E2003, te_span(d->e),
			"the interface definition '%s' needs the keyname 'type'", d->name);
		d->e->bad = true;
	}
}

static void
list_of(ty_type *y, const char *keyname, enum tn_section section, enum tn_section other,
	ty_type ***list, uint32_t *n)
{
	if (!te_get(y->e, keyname))
		return;
	ty_list inherited = {*list, *n};
	*n = 0;
	*list = type_list(y->unit, y->e, keyname, section, other, n);
	ty_widens_none(y->unit, y->e, keyname, &(ty_list){*list, *n}, &inherited);
}

static void
own_lists(ty_type *y)
{
	bool v20 = y->unit->version & VT_TV_2_0;
	switch ((enum tn_section)y->section) {
	case TN_CAPABILITY:
		list_of(y, v20 ? "valid_source_node_types" : "valid_source_types", TN_NODE, TN_NODE,
			&y->sources, &y->nsources);
		list_of(y, "valid_relationship_types", TN_RELATIONSHIP, TN_RELATIONSHIP, &y->nodes,
			&y->nnodes);
		break;
	case TN_RELATIONSHIP:
		list_of(y, v20 ? "valid_capability_types" : "valid_target_types", TN_CAPABILITY,
			TN_CAPABILITY, &y->targets, &y->ntargets);
		list_of(y, "valid_source_node_types", TN_NODE, TN_NODE, &y->sources, &y->nsources);
		list_of(y, "valid_target_node_types", TN_NODE, TN_NODE, &y->nodes, &y->nnodes);
		break;
	case TN_GROUP: list_of(y, "members", TN_NODE, TN_GROUP, &y->targets, &y->ntargets); break;
	case TN_POLICY:
		list_of(y, "targets", TN_NODE, TN_GROUP, &y->targets, &y->ntargets);
		ty_check_triggers(y);
		break;
	case TN_DATA:
	case TN_NODE:
	case TN_INTERFACE:
	case TN_ARTIFACT:
	case TN_REPOSITORY:
	case TN_FUNCTION:
	case TN_SECTIONS: break;
	}
}

static void
find_parent(ty_type *y)
{
	const char *name = te_str(y->e, "derived_from");
	if (!name)
		return;
	ty_type *p = tn_type(
		y->unit, (enum tn_section)y->section, name, te_y(y->e, "derived_from")->span);
	if (!p) {
		y->bad = true;
		return;
	}
	ty_complete(p);
	if (p->state == 1) {
		vc_report(y->unit->t->c, VC_E2030, te_y(y->e, "derived_from")->span,
			"'%s' derives from itself", y->name);
		y->bad = true;
		return;
	}
	y->parent = p;
	y->bad |= p->bad;
}

/* A parameter may take its type from its value, but a type's inputs are declarations. */
static void
untyped_inputs(ty_type *y)
{
	uint32_t n;
	te **all = te_all(y->e, "inputs", &n);
	for (uint32_t i = 0; i < n && y->unit->version & VT_TV_2_0; i++)
		if (!has_type(all[i]) && !all[i]->bad &&
			(!y->parent || !ty_find(&y->parent->inputs, all[i]->name)))
			vc_report(y->unit->t->c, VC_E2003, te_span(all[i]),
				"the input '%s' needs the keyname 'type'", all[i]->name);
}

/* Completion recurses, so a hostile chain of types must end. */
enum { DEPTH_MAX = 500 };

static bool
too_deep(ty_type *y)
{
	if (y->unit->t->depth < DEPTH_MAX)
		return false;
	vc_report(y->unit->t->c, VC_E2030, te_span(y->e),
		"'%s' is at the end of more than %d types that need each other", y->name,
		DEPTH_MAX);
	y->bad = true;
	return true;
}

static void complete(ty_type *);

void
ty_complete(ty_type *y)
{
	if (y->state || too_deep(y))
		return;
	y->unit->t->depth++;
	complete(y);
	y->unit->t->depth--;
}

static void
complete(ty_type *y)
{
	y->state = 1;
	find_parent(y);
	inherit(y);
	if (y->section == TN_DATA)
		ty_complete_data(y);
	make_defs(y, "properties", value_def, &y->props);
	make_defs(y, "attributes", value_def, &y->attrs);
	make_defs(y, "inputs", value_def, &y->inputs);
	own_lists(y);
	make_defs(y, "capabilities", capability_def, &y->caps);
	if (y->section == TN_INTERFACE) {
		untyped_inputs(y);
		all_operations(y->unit, y->e, &y->ops);
	}
	make_defs(y, "interfaces", interface_def, &y->ifaces);
	check_interfaces(y);
	make_defs(y, "artifacts", artifact_def, &y->artifacts);
	make_defs(y, "requirements", requirement_def, &y->reqs);
	y->state = 2;
}

/* A list of types that a type inherits may be replaced by a narrower one. */
static void
narrower(const ty_type *y, ty_type *const *own, uint32_t n, ty_type *const *old, uint32_t nold)
{
	for (uint32_t i = 0; i < n && nold && own != old; i++) {
		uint32_t k = 0;
		while (k < nold && own[i] && old[k] && !ty_is(own[i], old[k]))
			k++;
		if (k < nold || !own[i] || !ty_rooted(own[i]))
			continue;
		vc_report(y->unit->t->c, ty_widens(y->unit), te_span(y->e),
			"'%s' is none of the types that '%s' lists, nor derived from one; '%s' can "
			"only narrow that list",
			own[i]->name, y->parent->name, y->name);
		vc_note(y->unit->t->c, te_span(y->parent->e), "'%s' is declared here",
			y->parent->name);
	}
}

static void
check_lists(const ty_type *y, const ty_type *p)
{
	narrower(y, y->targets, y->ntargets, p->targets, p->ntargets);
	narrower(y, y->sources, y->nsources, p->sources, p->nsources);
	narrower(y, y->nodes, y->nnodes, p->nodes, p->nnodes);
}

void
ty_complete_all(struct tosca *t)
{
	for (uint32_t i = 0; i < t->ntypes; i++)
		ty_complete(t->types[i]);
	for (uint32_t i = 0; i < t->ntypes; i++)
		if (t->types[i]->parent && !t->types[i]->unit->embedded)
			check_lists(t->types[i], t->types[i]->parent);
}
