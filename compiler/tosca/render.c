/*
 * render.c - a service template as rows: its inputs and outputs, and the templates of the files
 * behind.
 */
#include "compiler/tosca/render.h"

#include <string.h>

/* ---- names of templates ---- */

static uint32_t
place_of(const render *r, const char *name)
{
	return (uint32_t)vc_hash(r->t->c, name, strlen(name)) & (r->names.n - 1);
}

static void
index_nodes(render *r)
{
	uint32_t n = 16;
	while (n < r->nnodes * 2)
		n *= 2;
	r->names.slot = vc_alloc(r->t->c, n * sizeof *r->names.slot);
	r->names.n = n;
	for (uint32_t i = 0; i < r->nnodes; i++) {
		uint32_t at = place_of(r, r->node[i]->name);
		while (r->names.slot[at])
			at = (at + 1) & (n - 1);
		r->names.slot[at] = i + 1;
	}
}

uint32_t
render_find_node(const render *r, const char *name)
{
	uint32_t at = place_of(r, name);
	for (; r->names.slot[at]; at = (at + 1) & (r->names.n - 1))
		if (!strcmp(r->node[r->names.slot[at] - 1]->name, name))
			return r->node0 + r->names.slot[at] - 1;
	return 0;
}

uint32_t
render_member(const render *r, const char *name)
{
	uint32_t row = render_find_node(r, name);
	for (uint32_t i = 0; i < r->ngroups && !row; i++)
		if (!strcmp(r->group[i]->name, name))
			row = VT_TMEMBER_GROUP | (r->group0 + i);
	return row;
}

uint32_t
render_unknown_member(render *r, const char *name, vc_span at, const char *what)
{
	const char **names = NULL;
	size_t n = 0;
	if (r->u->incomplete)
		return 0;
	for (uint32_t i = 0; i < r->nnodes; i++)
		vc_push(r->t->c, names, n) = r->node[i]->name;
	for (uint32_t i = 0; i < r->ngroups; i++)
		vc_push(r->t->c, names, n) = r->group[i]->name;
	vc_report(r->t->c, VC_E2020, at, "%s names '%s', which is no node template and no group",
		what, name);
	const char *near = vt_nearest(name, names, n);
	if (near)
		vc_did_you_mean(r->t->c, "'%s'", near);
	return 0;
}

/* TOSCA 1.x, 5.9.1.3: expressions mean something else by these. */
static void
check_names(render *r)
{
	static const char *const reserved[] = {"SELF", "SOURCE", "TARGET", "HOST"};
	for (uint32_t i = 0; i < r->nnodes; i++)
		for (size_t k = 0; k < VC_LEN(reserved); k++)
			if (!strcmp(r->node[i]->name, reserved[k]))
				vc_report(r->t->c, VC_E2008, te_span(r->node[i]),
					"a node template cannot be called '%s': functions mean "
					"something else by it",
					reserved[k]);
}

/* ---- inputs and outputs ---- */

static vt_tslot
parameter(render *r, te *e, bool output)
{
	struct tosca *t = r->t;
	vt_tslot s = {.name = tm_str(t->m, e->name), .place = tm_place(t, te_span(e))};
	const ynode *value = te_y(e, "value"), *dflt = te_y(e, "default");
	if (te_get(e, "type") || te_get(e, "constraints"))
		s.schema = tm_schema_row(t, ty_schema_of(r->u, e, NULL));
	else if (!output && !value && !(r->u->version & (VT_TV_CLOUDIFY | VT_TV_HOT)) && !e->bad)
		vc_report(t->c, VC_E2003, te_span(e), "the input '%s' needs the keyname 'type'",
			e->name);
	if (value && dflt)
		vc_report(t->c, VC_E2007, te_span(e),
			"'%s' has a default and a value: only one of them can be meant", e->name);
	else if (value || dflt)
		s.dflt = tx_value(r->u, value ? value : dflt, 0);
	s.flags = (te_bool(e, "required", true) ? VT_TS_REQUIRED : 0u) |
		  (value && !output ? VT_TS_FIXED : 0u) |
		  (te_get(e, "mapping") ? VT_TS_MAPPED : 0u) |
		  (ty_is_private(e) ? VT_TS_PRIVATE : 0u);
	if (te_get(e, "mapping") && !s.dflt && output)
		s.dflt = tx_mapping(r->u, te_y(e, "mapping"));
	return s;
}

static vt_tspan
parameters(render *r, const char *keyname)
{
	uint32_t n;
	te **all = te_all(r->service, keyname, &n);
	vt_tslot *row = vc_alloc(r->t->c, (n + 1) * sizeof *row);
	for (uint32_t i = 0; i < n; i++)
		row[i] = parameter(r, all[i], !strcmp(keyname, "outputs"));
	vt_tspan span = {tm_count(r->t->m, TM_slot), n};
	for (uint32_t i = 0; i < n; i++)
		tm_add_slot(r->t->m, row[i]);
	return n ? span : (vt_tspan){0, 0};
}

/* ---- the service ---- */

uint32_t
tosca_render(tosca_unit *u)
{
	struct tosca *t = u->t;
	render r = {.t = t, .u = u};
	r.service =
		te_one(u->file, u->version & VT_TV_2_0 ? "service_template" : "topology_template");
	if (!r.service)
		return 0;
	r.node = te_all(r.service, "node_templates", &r.nnodes);
	r.rel = te_all(r.service, "relationship_templates", &r.nrels);
	r.group = te_all(r.service, "groups", &r.ngroups);
	index_nodes(&r);
	check_names(&r);
	r.row.file = u->index;
	r.row.description = tm_text(t, r.service, "description");
	r.row.metadata = tm_metadata(t, u->file);
	r.row.inputs = parameters(&r, "inputs");
	r.rel0 = tm_count(t->m, TM_rel);
	r.node0 = tm_count(t->m, TM_node);
	r.group0 = tm_count(t->m, TM_group);
	render_rels(&r);
	render_nodes(&r);
	render_groups(&r);
	render_workflows(&r);
	render_events(&r);
	render_substitution(&r);
	r.row.outputs = parameters(&r, "outputs");
	vt_buf_free(&r.owner);
	vt_buf_free(&r.part);
	return tm_add_service(t->m, r.row);
}

/* ---- functions of 2.0 ---- */

static vt_tspan
argument_slots(struct tosca *t, te *e, uint32_t *nrequired)
{
	static const char *const keynames[] = {"arguments", "optional_arguments"};
	vt_tslot *row = NULL;
	uint32_t rows = 0, n;
	for (int k = 0; k < 2; k++) {
		te **all = te_all(e, keynames[k], &n);
		for (uint32_t i = 0; i < n; i++) {
			vt_tslot s = {
				.schema = tm_schema_row(t,
					all[i]->bad ? NULL : ty_schema_of(e->unit, all[i], NULL)),
				.place = tm_place(t, te_span(all[i]))};
			vc_push(t->c, row, rows) = s;
		}
		if (!k)
			*nrequired = n;
	}
	vt_tspan span = {tm_count(t->m, TM_slot), rows};
	for (uint32_t i = 0; i < rows; i++)
		tm_add_slot(t->m, row[i]);
	return rows ? span : (vt_tspan){0, 0};
}

static vt_tsignature
signature(struct tosca *t, te *e)
{
	vt_tsignature s = {
		.variadic = te_bool(e, "variadic", false), .place = tm_place(t, te_span(e))};
	s.args = argument_slots(t, e, &s.nrequired);
	te *result = te_one(e, "result");
	const ynode *body = te_y(e, "implementation");
	if (result && !result->bad)
		s.result = tm_schema_row(t, ty_schema_of(e->unit, result, NULL));
	if (body && body->kind == YN_MAP && body->n == 1 && te_text(body->key[0]) &&
		body->key[0]->text[0] == '$')
		s.body = tx_value(e->unit, body, 0);
	return s;
}

uint32_t
tosca_function_row(struct tosca *t, te *e)
{
	uint32_t n;
	if (e->of)
		return *(uint32_t *)e->of;
	uint32_t *row = e->of = vc_alloc(t->c, sizeof *row);
	*row = tm_add_function(t->m, (vt_tfunction){0});
	vt_tfunction f = {.name = tm_str(t->m, e->name), .place = tm_place(t, te_span(e))};
	te **all = te_all(e, "signatures", &n);
	vt_tsignature *list = vc_alloc(t->c, (n + 1) * sizeof *list);
	for (uint32_t i = 0; i < n; i++)
		list[i] = signature(t, all[i]);
	f.signatures = (vt_tspan){n ? tm_count(t->m, TM_signature) : 0, n};
	for (uint32_t i = 0; i < n; i++)
		tm_add_signature(t->m, list[i]);
	*(vt_tfunction *)tm_at(t->m, TM_function, *row) = f;
	return *row;
}
