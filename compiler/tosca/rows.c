/*
 * rows.c - types as rows of the model.
 *
 * Types refer to each other in circles, so a row is taken first and filled later.  Lists must be
 * contiguous: the rows of a list are made with everything below them, and only then appended.
 */
#include "compiler/tosca/front.h"

#include <string.h>

/* ---- small things ---- */

uint32_t
tm_text(struct tosca *t, const te *e, const char *keyname)
{
	return tm_str(t->m, te_str(e, keyname));
}

uint32_t
tm_metadata(struct tosca *t, const te *e)
{
	const ynode *y = te_y(e, "metadata");
	(void)t;
	return y && y->n ? tx_value(e->unit, y, TX_LITERAL) : 0;
}

static vt_tplace
place_of(struct tosca *t, const te *e)
{
	return tm_place(t, te_span(e));
}

/* indexes of type rows */
static vt_tspan
tm_types(struct tosca *t, ty_type **list, uint32_t n)
{
	uint32_t *row = vc_alloc(t->c, (n + 1) * sizeof *row);
	for (uint32_t i = 0; i < n; i++)
		row[i] = tm_type_row(t, list[i]);
	return tm_indexes(t->m, row, n);
}

/* ---- schemas ---- */

static vt_tspan
clauses(struct tosca *t, const ty_clause *list, uint32_t n)
{
	uint32_t *row = NULL, rows = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t e = tx_clause(list[i].unit, list[i].y);
		if (e)
			vc_push(t->c, row, rows) = e;
	}
	return tm_indexes(t->m, row, rows);
}

uint32_t
tm_schema_row(struct tosca *t, ty_schema *s)
{
	if (!s)
		return 0;
	if (s->row)
		return s->row;
	s->row = tm_add_schema(t->m, (vt_tschema){0});
	vt_tschema row = {.type = tm_type_row(t, s->type),
		.key = tm_schema_row(t, s->key),
		.entry = tm_schema_row(t, s->entry),
		.checks = clauses(t, s->checks, s->nchecks)};
	*(vt_tschema *)tm_at(t->m, TM_schema, s->row) = row;
	return s->row;
}

/* What a refinement does not say is as it was. */
static bool
is_deprecated(const ty_def *d)
{
	const char *status = NULL;
	for (; d && !status; d = d->parent)
		status = te_str(d->e, "status");
	return status && !strcmp(status, "deprecated");
}

static vt_tslot
slot_of(struct tosca *t, const ty_def *d)
{
	vt_tslot s = {.name = tm_str(t->m, d->name),
		.schema = tm_schema_row(t, d->schema),
		.place = place_of(t, d->e)};
	s.dflt = d->dflt ? tx_value(d->dflt_unit, d->dflt, 0) : 0;
	s.flags = (d->required ? VT_TS_REQUIRED : 0u) | (d->fixed ? VT_TS_FIXED : 0u) |
		  (d->mapping ? VT_TS_MAPPED : 0u) | (is_deprecated(d) ? VT_TS_DEPRECATED : 0u) |
		  (d->secret ? VT_TS_PRIVATE : 0u);
	return s;
}

/* of properties, attributes, parameters */
static vt_tspan
tm_slots(struct tosca *t, const ty_defs *defs)
{
	vt_tslot *row = vc_alloc(t->c, (defs->n + 1) * sizeof *row);
	for (uint32_t i = 0; i < defs->n; i++)
		row[i] = slot_of(t, defs->d[i]);
	vt_tspan span = {tm_count(t->m, TM_slot), defs->n};
	for (uint32_t i = 0; i < defs->n; i++)
		tm_add_slot(t->m, row[i]);
	return defs->n ? span : (vt_tspan){0, 0};
}

/* ---- data types ---- */

static void
scalar_units(struct tosca *t, const ty_type *y, vt_tdata *d)
{
	const ty_scalar *s = y->scalar;
	if (!s)
		return;
	d->units = (vt_tspan){tm_count(t->m, TM_unit), s->n};
	for (uint32_t i = 0; i < s->n; i++)
		tm_add_unit(t->m, (vt_tunit){tm_str(t->m, s->unit[i].name), s->unit[i].factor});
	/* a type that was reported may have none */
	d->unit = tm_str(t->m, s->canonical ? s->canonical : "");
	d->integral = s->integral, d->fold = s->fold, d->spaced = s->spaced;
	if (s->number)
		d->number = tm_add_schema(t->m, (vt_tschema){.type = tm_type_row(t, s->number)});
}

static void
data_row(struct tosca *t, ty_type *y)
{
	y->row = tm_add_data(t->m, (vt_tdata){0});
	vt_tdata d = {.name = tm_str(t->m, y->name),
		.canon = tm_str(t->m, y->canon),
		.base = y->base,
		.place = place_of(t, y->e)};
	d.parent = tm_type_row(t, y->parent);
	d.key = tm_schema_row(t, y->key);
	d.entry = tm_schema_row(t, y->entry);
	d.props = tm_slots(t, &y->props);
	d.checks = clauses(t, y->checks, y->nchecks);
	scalar_units(t, y, &d);
	*(vt_tdata *)tm_at(t->m, TM_data, y->row) = d;
}

/* ---- definitions of node types ---- */

static vt_tspan
capdefs(struct tosca *t, const ty_defs *defs)
{
	vt_tcapdef *row = vc_alloc(t->c, (defs->n + 1) * sizeof *row);
	for (uint32_t i = 0; i < defs->n; i++) {
		const ty_def *d = defs->d[i];
		row[i] = (vt_tcapdef){.name = tm_str(t->m, d->name),
			.type = tm_type_row(t, d->type),
			.props = tm_slots(t, &d->props),
			.attrs = tm_slots(t, &d->attrs),
			.lo = d->lo,
			.hi = d->hi,
			.sources = tm_types(t, d->sources, d->nsources),
			.relations = tm_types(t, d->relations, d->nrelations),
			.place = place_of(t, d->e)};
	}
	vt_tspan span = {tm_count(t->m, TM_capdef), defs->n};
	for (uint32_t i = 0; i < defs->n; i++)
		tm_add_capdef(t->m, row[i]);
	return defs->n ? span : (vt_tspan){0, 0};
}

/* Values that a requirement definition gives properties of its relationship. */
static vt_tspan
definition_assigns(struct tosca *t, const ty_defs *defs)
{
	vt_tassign *row = NULL;
	uint32_t n = 0;
	for (uint32_t i = 0; i < defs->n; i++)
		if (defs->d[i]->dflt) {
			const ty_def *d = defs->d[i];
			vt_tassign a = {tm_str(t->m, d->name), 0,
				tx_value(d->dflt_unit, d->dflt, 0), place_of(t, d->e)};
			vc_push(t->c, row, n) = a;
		}
	vt_tspan span = {tm_count(t->m, TM_assign), n};
	for (uint32_t i = 0; i < n; i++)
		tm_add_assign(t->m, row[i]);
	return n ? span : (vt_tspan){0, 0};
}

/* From 2.0 on the filters of all that it refines hold beside its own. */
static uint32_t
filter_of(struct tosca *t, const ty_def *d)
{
	uint32_t *all = NULL, n = 0;
	if (!d->filter || !(d->filter_unit->version & VT_TV_2_0))
		return d->filter ? tx_filter(d->filter_unit, d->filter) : 0;
	for (const ty_def *p = d; p; p = p->parent)
		if (te_one(p->e, "node_filter"))
			vc_push(t->c, all, n) = tx_filter(p->e->unit, te_one(p->e, "node_filter"));
	return tx_all(d->filter_unit, d->filter->y, all, n);
}

static vt_tspan
reqdefs(struct tosca *t, const ty_defs *defs)
{
	vt_treqdef *row = vc_alloc(t->c, (defs->n + 1) * sizeof *row);
	for (uint32_t i = 0; i < defs->n; i++) {
		const ty_def *d = defs->d[i];
		tm_owner owner = {d->e->unit, NULL, "requirement", {0, 0}};
		row[i] = (vt_treqdef){.name = tm_str(t->m, d->name),
			.cap_type = tm_type_row(t, d->type),
			.cap_name = tm_str(t->m, d->cap_name),
			.node_type = tm_type_row(t, d->node),
			.rel_type = tm_type_row(t, d->rel),
			.lo = d->lo,
			.hi = d->hi,
			.filter = filter_of(t, d),
			.props = definition_assigns(t, &d->props),
			.ifaces = tm_interfaces(t, &d->ops, &owner),
			.place = place_of(t, d->e)};
	}
	vt_tspan span = {tm_count(t->m, TM_reqdef), defs->n};
	for (uint32_t i = 0; i < defs->n; i++)
		tm_add_reqdef(t->m, row[i]);
	return defs->n ? span : (vt_tspan){0, 0};
}

/* ---- types ---- */

static const uint8_t kind_of[TN_SECTIONS] = {
	[TN_NODE] = VT_TT_NODE,
	[TN_CAPABILITY] = VT_TT_CAPABILITY,
	[TN_RELATIONSHIP] = VT_TT_RELATIONSHIP,
	[TN_GROUP] = VT_TT_GROUP,
	[TN_POLICY] = VT_TT_POLICY,
	[TN_INTERFACE] = VT_TT_INTERFACE,
	[TN_ARTIFACT] = VT_TT_ARTIFACT,
};

static void
type_row(struct tosca *t, ty_type *y)
{
	y->row = tm_add_type(t->m, (vt_ttype){0});
	vt_ttype r = {.kind = kind_of[y->section],
		.name = tm_str(t->m, y->name),
		.canon = tm_str(t->m, y->canon),
		.depth = y->depth,
		.place = place_of(t, y->e)};
	r.parent = tm_type_row(t, y->parent);
	r.props = tm_slots(t, &y->props);
	r.attrs = tm_slots(t, &y->attrs);
	r.caps = capdefs(t, &y->caps);
	r.artifacts = tm_artifacts(t, &y->artifacts, y->unit, NULL);
	tm_owner owner = {y->unit, NULL, "type", r.artifacts};
	r.ifaces = tm_interfaces(t, &y->ifaces, &owner);
	r.reqs = reqdefs(t, &y->reqs);
	r.targets = tm_types(t, y->targets, y->ntargets);
	r.sources = tm_types(t, y->sources, y->nsources);
	r.nodes = tm_types(t, y->nodes, y->nnodes);
	r.description = tm_text(t, y->e, "description");
	r.metadata = tm_metadata(t, y->e);
	if (y->section == TN_ARTIFACT) {
		r.mime = tm_text(t, y->e, "mime_type");
		r.ext = te_y(y->e, "file_ext")
				? tx_value(y->unit, te_y(y->e, "file_ext"), TX_LITERAL)
				: 0;
	}
	*(vt_ttype *)tm_at(t->m, TM_type, y->row) = r;
}

uint32_t
tm_type_row(struct tosca *t, ty_type *y)
{
	if (!y)
		return 0;
	if (!y->row && y->section == TN_DATA)
		data_row(t, y);
	else if (!y->row)
		type_row(t, y);
	return y->row;
}
