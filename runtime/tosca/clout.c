/*
 * clout.c - the service as a Clout, the graph that Puccini's tools exchange; docs/tosca.md,
 * "Clout".
 *
 * The key of a vertex is its kind and name, so the same service gives the same text:
 * NodeTemplate:web, with [1] where there are several, Group:, Policy:, Workflow:NAME,
 * WorkflowStep:WORKFLOW/STEP, WorkflowActivity:WORKFLOW/STEP/0, Operation:POLICY/TRIGGER/0,
 * Substitution:.  Names inside of a substituted node stand behind its name and a slash.  In names ~
 * is ~0, / is ~1 and [ is ~2.
 */
#include "runtime/tosca/clout.h"
#include "runtime/tosca/stream.h"
#include "runtime/core/session.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
/* clang-format off */
#define KINDS(X) \
	X(NodeTemplate) X(Group) X(Policy) X(Workflow) X(WorkflowStep) X(WorkflowActivity) \
	X(Operation) X(Substitution) \
	X(Relationship) X(Member) X(NodeTemplateTarget) X(GroupTarget) X(OnSuccess) X(OnFailure) \
	X(DelegateWorkflow) X(InlineWorkflow) X(PolicyTriggerOperation) X(PolicyTriggerWorkflow) \
	X(CapabilityPointer) X(RequirementPointer) X(PropertyPointer) X(AttributePointer) \
	X(InterfacePointer) X(InterfaceWorkflowPointer) X(Substituted)
/* clang-format on */
/* clang-format on */
enum kind {
#define X(name) K_##name,
	KINDS(X)
#undef X
		K_COUNT
};
static const char *const kind_names[K_COUNT] = {
#define X(name) [K_##name] = #name,
	KINDS(X)
#undef X
};
_Static_assert(K_COUNT <= VT_LEN(((vt_clout *)0)->metadata), "a kind for each");

/* ---- keys ---- */

static void
put_escaped(vt_buf *b, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '~': vt_buf_puts(b, "~0"); break;
		case '/': vt_buf_puts(b, "~1"); break;
		case '[': vt_buf_puts(b, "~2"); break;
		default: vt_buf_putc(b, *s);
		}
}

static void
put_node(vt_buf *b, const vt_clout *o, const vt_tnodei *n)
{
	if (n->service->outside) {
		put_node(b, o, n->service->outside);
		vt_buf_putc(b, '/');
	}
	put_escaped(b, vt_tosca_text(o->t, n->t->name));
	if (n->of > 1)
		vt_buf_printf(b, "[%u]", n->index);
}

/* KIND:a/b/2; names 0 and the index -1 are left out. Owned. */
static vt_value
key_of(const vt_clout *o, const vt_tservicei *s, enum kind kind, uint32_t a, uint32_t c, int64_t i)
{
	vt_buf b = {NULL, 0, 0};
	vt_buf_printf(&b, "%s:", kind_names[kind]);
	if (s->outside) {
		put_node(&b, o, s->outside);
		vt_buf_puts(&b, a ? "/" : "");
	}
	if (a)
		put_escaped(&b, vt_tosca_text(o->t, a));
	if (c) {
		vt_buf_putc(&b, '/');
		put_escaped(&b, vt_tosca_text(o->t, c));
	}
	if (i >= 0)
		vt_buf_printf(&b, "/%lld", (long long)i);
	return vt_str_take(o->rt, &b);
}

static vt_value
node_key(const vt_clout *o, const vt_tnodei *n)
{
	if (o->ids[n->order] == VT_UNDEF) {
		vt_buf b = {NULL, 0, 0};
		vt_buf_puts(&b, "NodeTemplate:");
		put_node(&b, o, n);
		o->ids[n->order] = vt_str_take(o->rt, &b);
	}
	return vt_copy(o->ids[n->order]);
}

/* ---- vertexes and edges ---- */

/* {"puccini": {"version", "kind"}}: by this its tools know what they may touch. */
static vt_value
metadata_of(vt_clout *o, enum kind kind)
{
	vt_value *made = &o->metadata[kind];
	if (*made == VT_UNDEF) {
		vt_dict *outer = vt_dict_new_cap(o->rt, true, 1),
			*d = vt_dict_new_cap(o->rt, true, 2);
		vt_dict_set_c(o->rt, d, "version", vt_str_c(o->rt, "1.0"));
		vt_dict_set_c(o->rt, d, "kind", vt_str_c(o->rt, kind_names[kind]));
		vt_dict_set_c(o->rt, outer, "puccini", vt_mkptr(d));
		*made = vt_mkptr(outer);
	}
	return vt_copy(*made);
}

typedef struct vertex {
	enum kind kind;
	vt_value key;
	vt_dict *properties;
	vt_list *edges;
} vertex;

static vertex
new_vertex(vt_clout *o, enum kind kind, vt_value key)
{
	return (vertex){kind, key, vt_dict_new(o->rt, true), vt_list_grow(o->rt, VT_K_TUPLE, 0)};
}

static void
put(const vt_clout *o, const vertex *x, const char *key, vt_value owned)
{
	vt_dict_set_c(o->rt, x->properties, key, owned);
}

/* Properties may be NULL. */
static void
edge(vt_clout *o, const vertex *x, enum kind kind, vt_value target, vt_dict *properties)
{
	vt_dict *d = vt_dict_new_cap(o->rt, true, 3);
	vt_dict_set_c(o->rt, d, "metadata", metadata_of(o, kind));
	vt_dict_set_c(
		o->rt, d, "properties", properties ? vt_mkptr(properties) : vt_copy(o->empty_map));
	vt_dict_set_c(o->rt, d, "targetID", target);
	vt_list_push(o->rt, x->edges, vt_mkptr(d));
}

static void
finish(vt_clout *o, vertex *x)
{
	vt_dict *d = vt_dict_new_cap(o->rt, true, 3);
	vt_dict_set_c(o->rt, d, "metadata", metadata_of(o, x->kind));
	vt_dict_set_c(o->rt, d, "properties", vt_mkptr(x->properties));
	vt_dict_set_c(o->rt, d, "edgesOut", vt_mkptr(x->edges));
	bool known = vt_dict_get(vt_as_dict(o->vertexes), x->key) != VT_UNDEF,
	     first = vt_dict_len(vt_as_dict(o->vertexes)) == 0;
	vt_dict_set(o->rt, vt_as_dict(o->vertexes), x->key, VT_TRUE);
	if (known)
		vt_release(vt_mkptr(d));
	else
		vt_tstream_member(o->to, vt_as_str(x->key), vt_mkptr(d), 2, first);
	vt_release(x->key);
}

static vt_value
texts(const vt_clout *o, vt_tspan s)
{
	if (!s.n)
		return vt_copy(o->empty_list);
	vt_list *l = vt_list_grow(o->rt, VT_K_TUPLE, s.n);
	for (uint32_t i = 0; i < s.n; i++)
		vt_list_push(o->rt, l, vt_clout_text(o, o->m->index[s.first + i]));
	return vt_mkptr(l);
}

/* ---- types ---- */

/* By name, each with its parent, from the type itself to the root. */
static vt_value
types_of(vt_clout *o, uint32_t type)
{
	if (!type)
		return vt_copy(o->empty_map);
	if (o->types[type] == VT_UNDEF) {
		vt_dict *all = vt_dict_new(o->rt, true);
		for (uint32_t y = type; y; y = o->m->type[y].parent) {
			const vt_ttype *row = &o->m->type[y];
			vt_dict *d = vt_dict_new(o->rt, true);
			vt_value metadata = vt_clout_plain(o, row->metadata);
			if (row->description)
				vt_dict_set_c(o->rt, d, "description",
					vt_clout_text(o, row->description));
			if (vt_dict_len(vt_as_dict(metadata)))
				vt_dict_set_c(o->rt, d, "metadata", vt_copy(metadata));
			vt_release(metadata);
			if (row->parent)
				vt_dict_set_c(o->rt, d, "parent",
					vt_clout_text(o, o->m->type[row->parent].canon));
			vt_clout_put(o, all, row->canon, vt_mkptr(d));
		}
		o->types[type] = vt_mkptr(all);
	}
	return vt_copy(o->types[type]);
}

/* ---- interfaces ---- */

static vt_value
outputs(const vt_clout *o, vt_tspan s)
{
	vt_dict *d = vt_dict_new_cap(o->rt, true, s.n);
	for (uint32_t i = 0; i < s.n; i++) {
		const vt_tassign *a = &o->m->assign[s.first + i];
		vt_clout_put(o, d, a->name, vt_clout_expr(o, NULL, a->expr));
	}
	return vt_mkptr(d);
}

static vt_value
operation(vt_clout *o, const vt_cplace *up, const vt_tctx *ctx, const vt_top *op)
{
	vt_cplace at = {up, op->notification ? "notifications" : "operations", op->name},
		  in = {&at, "inputs", 0};
	vt_dict *d = vt_dict_new(o->rt, true);
	vt_dict_set_c(o->rt, d, "description", vt_clout_text(o, op->description));
	vt_dict_set_c(o->rt, d, "implementation",
		vt_clout_text(o, op->artifact ? o->m->artifact[op->artifact].file : op->primary));
	vt_dict_set_c(o->rt, d, "dependencies", texts(o, op->dependencies));
	vt_dict_set_c(
		o->rt, d, "timeout", op->timeout ? vt_clout_expr(o, &at, op->timeout) : VT_NULL);
	vt_dict_set_c(o->rt, d, "host", vt_clout_text(o, op->host));
	if (!op->notification)
		vt_dict_set_c(o->rt, d, "inputs", vt_clout_assigns(o, &in, ctx, op->inputs));
	vt_dict_set_c(o->rt, d, "outputs", outputs(o, op->outputs));
	return vt_mkptr(d);
}

static vt_value
operations(vt_clout *o, const vt_cplace *at, const vt_tctx *ctx, const vt_tiface *f,
	bool notifications)
{
	vt_dict *d = vt_dict_new(o->rt, true);
	for (uint32_t i = 0; i < f->ops.n; i++) {
		const vt_top *op = &o->m->op[f->ops.first + i];
		if (!op->notification == !notifications)
			vt_clout_put(o, d, op->name, operation(o, at, ctx, op));
	}
	return vt_mkptr(d);
}

static vt_value
interfaces(vt_clout *o, const vt_cplace *up, const vt_tctx *ctx, vt_tspan ifaces)
{
	if (!ifaces.n)
		return vt_copy(o->empty_map);
	vt_dict *all = vt_dict_new_cap(o->rt, true, ifaces.n);
	for (uint32_t i = 0; i < ifaces.n; i++) {
		const vt_tiface *f = &o->m->iface[ifaces.first + i];
		vt_cplace at = {up, "interfaces", f->name}, in = {&at, "inputs", 0};
		vt_dict *d = vt_dict_new_cap(o->rt, true, 5);
		vt_dict_set_c(o->rt, d, "description", vt_clout_text(o, f->description));
		vt_dict_set_c(o->rt, d, "types", types_of(o, f->type));
		vt_dict_set_c(o->rt, d, "inputs", vt_clout_assigns(o, &in, ctx, f->inputs));
		vt_dict_set_c(o->rt, d, "operations", operations(o, &at, ctx, f, false));
		vt_dict_set_c(o->rt, d, "notifications", operations(o, &at, ctx, f, true));
		vt_clout_put(o, all, f->name, vt_mkptr(d));
	}
	return vt_mkptr(all);
}

static bool
all_constant(const vt_tmodel *m, vt_tspan assigns)
{
	for (uint32_t i = 0; i < assigns.n; i++)
		if (!m->expr[m->assign[assigns.first + i].expr].constant)
			return false;
	return true;
}

static bool
speak_of_nothing(const vt_tmodel *m, vt_tspan ifaces)
{
	for (uint32_t i = 0; i < ifaces.n; i++) {
		const vt_tiface *f = &m->iface[ifaces.first + i];
		if (!all_constant(m, f->inputs))
			return false;
		for (uint32_t k = 0; k < f->ops.n; k++)
			if (!all_constant(m, m->op[f->ops.first + k].inputs))
				return false;
	}
	return true;
}

/* Those of a type, where the template has none of its own. */
static vt_value
type_interfaces(vt_clout *o, const vt_cplace *at, const vt_tctx *ctx, uint32_t type)
{
	vt_tspan ifaces = o->m->type[type].ifaces;
	if (o->ifaces[type] == VT_UNDEF) {
		vt_value made = interfaces(o, at, ctx, ifaces);
		if (!speak_of_nothing(o->m, ifaces))
			return made;
		o->ifaces[type] = made;
	}
	return vt_copy(o->ifaces[type]);
}

/* ---- artifacts ---- */

static vt_value
artifact(vt_clout *o, const vt_cplace *up, const vt_tctx *ctx, const vt_tartifact *a)
{
	vt_cplace at = {up, "artifacts", a->name}, in = {&at, "properties", 0};
	const char *path = a->file ? vt_tosca_text(o->t, a->file) : "", *slash = strrchr(path, '/');
	vt_dict *d = vt_dict_new_cap(o->rt, true, 10);
	vt_dict_set_c(o->rt, d, "description", vt_clout_text(o, a->description));
	vt_dict_set_c(o->rt, d, "types", types_of(o, a->type));
	vt_dict_set_c(o->rt, d, "properties", vt_clout_assigns(o, &in, ctx, a->props));
	vt_dict_set_c(o->rt, d, "filename", vt_str_c(o->rt, slash ? slash + 1 : path));
	vt_dict_set_c(o->rt, d, "sourcePath", vt_clout_text(o, a->file));
	vt_dict_set_c(o->rt, d, "targetPath", vt_clout_text(o, a->deploy_path));
	vt_dict_set_c(o->rt, d, "version", vt_clout_text(o, a->version));
	vt_dict_set_c(o->rt, d, "checksumAlgorithm", vt_clout_text(o, a->algorithm));
	vt_dict_set_c(o->rt, d, "checksum", vt_clout_text(o, a->checksum));
	vt_dict_set_c(o->rt, d, "credential", VT_NULL);
	return vt_mkptr(d);
}

static vt_value
artifacts(vt_clout *o, const vt_cplace *at, const vt_tctx *ctx, vt_tspan rows)
{
	if (!rows.n)
		return vt_copy(o->empty_map);
	vt_dict *d = vt_dict_new_cap(o->rt, true, rows.n);
	for (uint32_t i = 0; i < rows.n; i++) {
		const vt_tartifact *a = &o->m->artifact[rows.first + i];
		vt_clout_put(o, d, a->name, artifact(o, at, ctx, a));
	}
	return vt_mkptr(d);
}

/* ---- capabilities ---- */

static vt_value
capability(vt_clout *o, const vt_cplace *up, const vt_tcapi *c)
{
	const vt_tcapdef *f = c->def;
	vt_cplace at = {up, "capabilities", f->name}, props = {&at, "properties", 0},
		  attrs = {&at, "attributes", 0};
	vt_dict *d = vt_dict_new_cap(o->rt, true, 7);
	vt_dict_set_c(o->rt, d, "description", vt_copy(o->empty_text));
	vt_dict_set_c(o->rt, d, "types", types_of(o, f->type));
	vt_dict_set_c(o->rt, d, "properties", vt_clout_bag(o, &props, &c->props, false));
	vt_dict_set_c(o->rt, d, "attributes", vt_clout_bag(o, &attrs, &c->attrs, true));
	vt_dict_set_c(o->rt, d, "minRelationshipCount", vt_mkint(f->lo));
	vt_dict_set_c(o->rt, d, "maxRelationshipCount",
		vt_mkint(f->hi == VT_TUNBOUNDED ? -1 : (int64_t)f->hi));
	vt_dict_set_c(o->rt, d, "location", vt_clout_location(o, f->place));
	return vt_mkptr(d);
}

static bool
is_shared(const vt_tosca *t, const vt_tbag *b)
{
	return !b->n ||
	       (b->cell[0].slot && t->mem->shared && t->mem->shared[b->cell[0].slot] == b->cell);
}

/* Are all cells those of the type? Then the capabilities of its nodes are reported once. */
static bool
all_shared(const vt_tosca *t, const vt_tnodei *n)
{
	for (uint32_t i = 0; i < n->ncaps; i++)
		if (!is_shared(t, &n->caps[i].props) || !is_shared(t, &n->caps[i].attrs))
			return false;
	return true;
}

static vt_value
capabilities(vt_clout *o, const vt_cplace *at, const vt_tnodei *n)
{
	bool shared = all_shared(o->t, n);
	if (!n->ncaps)
		return vt_copy(o->empty_map);
	if (shared && o->caps[n->t->type] != VT_UNDEF)
		return vt_copy(o->caps[n->t->type]);
	vt_dict *d = vt_dict_new_cap(o->rt, true, n->ncaps);
	for (uint32_t i = 0; i < n->ncaps; i++)
		vt_clout_put(o, d, n->caps[i].def->name, capability(o, at, &n->caps[i]));
	if (shared)
		o->caps[n->t->type] = vt_copy(vt_mkptr(d));
	return vt_mkptr(d);
}

/* ---- relationships and requirements ---- */

static vt_tspan
rel_ifaces(const vt_tmodel *m, const vt_treli *r)
{
	const vt_tspan spans[] = {
		r->req->ifaces, m->rel[r->req->rel].ifaces, m->reqdef[r->req->def].ifaces};
	for (size_t i = 0; i < VT_LEN(spans); i++)
		if (spans[i].n)
			return spans[i];
	return (vt_tspan){0, 0};
}

static vt_dict *
relationship(vt_clout *o, const vt_cplace *up, vt_treli *r)
{
	const vt_trel *template = &o->m->rel[r->req->rel];
	vt_cplace at = {up, "requirements", r->name}, props = {&at, "properties", 0},
		  attrs = {&at, "attributes", 0};
	vt_tctx ctx = vt_tosca_rel_ctx(r);
	vt_tspan own = rel_ifaces(o->m, r);
	vt_dict *d = vt_dict_new_cap(o->rt, true, 8);
	vt_dict_set_c(o->rt, d, "metadata", vt_clout_plain(o, template->metadata));
	vt_dict_set_c(o->rt, d, "description", vt_clout_text(o, template->description));
	vt_dict_set_c(o->rt, d, "types", types_of(o, r->type));
	vt_dict_set_c(o->rt, d, "properties", vt_clout_bag(o, &props, &r->props, false));
	vt_dict_set_c(o->rt, d, "attributes", vt_clout_bag(o, &attrs, &r->attrs, true));
	vt_dict_set_c(o->rt, d, "interfaces",
		own.n ? interfaces(o, &at, &ctx, own) : type_interfaces(o, &at, &ctx, r->type));
	return d;
}

/* The edge; gives what it says of the relationship itself. */
static vt_value
related(vt_clout *o, const vertex *x, const vt_cplace *at, vt_treli *r)
{
	vt_dict *d = relationship(o, at, r), *more = vt_dict_copy(o->rt, d, true);
	vt_dict_set_c(o->rt, more, "name", vt_clout_text(o, r->name));
	vt_dict_set_c(o->rt, more, "capability", vt_clout_text(o, r->cap->def->name));
	edge(o, x, K_Relationship, node_key(o, r->target), more);
	return vt_mkptr(d);
}

static vt_value
directives(const vt_clout *o, const vt_treq *q)
{
	vt_list *l;
	if (!q->directives)
		return vt_copy(o->empty_list);
	l = vt_list_grow(o->rt, VT_K_TUPLE, 2);
	if (q->directives & VT_TR_INTERNAL)
		vt_list_push(o->rt, l, vt_str_c(o->rt, "internal"));
	if (q->directives & VT_TR_EXTERNAL)
		vt_list_push(o->rt, l, vt_str_c(o->rt, "external"));
	return vt_mkptr(l);
}

static bool
is_optional(vt_clout *o, const vt_tctx *ctx, const vt_treq *q)
{
	vt_value v = VT_UNDEF;
	o->t->mem->quiet++;
	bool yes = q->optional && vt_tosca_eval(o->t, ctx, q->optional, &v) && v == VT_TRUE;
	o->t->mem->quiet--;
	vt_clear(&v);
	return yes;
}

/* relationship (given away): of its first edge, or null. */
static vt_value
requirement(vt_clout *o, const vt_cplace *up, const vt_tctx *ctx, const vt_treq *q, vt_value rel)
{
	const vt_treqdef *f = &o->m->reqdef[q->def];
	vt_cplace at = {up, "requirements", f->name};
	uint32_t cap_type = q->cap_type ? q->cap_type : f->cap_type,
		 node_type = q->node_type ? q->node_type : f->node_type;
	uint32_t filter = q->filter ? q->filter : f->filter;
	vt_dict *d = vt_dict_new(o->rt, true);
	vt_dict_set_c(o->rt, d, "name", vt_clout_text(o, f->name));
	vt_dict_set_c(o->rt, d, "capabilityTypeName", vt_clout_text(o, o->m->type[cap_type].canon));
	vt_dict_set_c(o->rt, d, "capabilityName",
		vt_clout_text(o, q->cap_name ? q->cap_name : f->cap_name));
	vt_dict_set_c(o->rt, d, "nodeTypeName", vt_clout_text(o, o->m->type[node_type].canon));
	vt_dict_set_c(o->rt, d, "nodeTemplateName", vt_clout_text(o, o->m->node[q->node].name));
	vt_dict_set_c(o->rt, d, "nodeTemplatePropertyValidators", vt_copy(o->empty_map));
	vt_dict_set_c(o->rt, d, "capabilityPropertyValidators", vt_copy(o->empty_map));
	if (filter)
		vt_dict_set_c(o->rt, d, "nodeFilter", vt_clout_expr(o, &at, filter));
	vt_dict_set_c(o->rt, d, "relationship", rel);
	vt_dict_set_c(o->rt, d, "directives", directives(o, q));
	vt_dict_set_c(o->rt, d, "optional", vt_mkbool(is_optional(o, ctx, q)));
	vt_dict_set_c(o->rt, d, "location", vt_clout_location(o, q->place));
	return vt_mkptr(d);
}

/* Relationships stand in the order of the requirements; those that a substitution adds stand
 * behind. */
static vt_value
requirements(vt_clout *o, const vertex *x, const vt_cplace *at, vt_tnodei *n)
{
	vt_tctx ctx = vt_tosca_node_ctx(n);
	vt_list *l = vt_list_grow(o->rt, VT_K_TUPLE, n->t->reqs.n);
	uint32_t k = 0;
	for (uint32_t i = 0; i < n->t->reqs.n; i++) {
		const vt_treq *q = &o->m->req[n->t->reqs.first + i];
		vt_value rel = VT_NULL;
		for (; k < n->nrels && n->rels[k]->req == q; k++) {
			vt_value one = related(o, x, at, n->rels[k]);
			if (rel == VT_NULL)
				rel = one;
			else
				vt_release(one);
		}
		vt_list_push(o->rt, l, requirement(o, at, &ctx, q, rel));
	}
	for (; k < n->nrels; k++)
		vt_release(related(o, x, at, n->rels[k]));
	return vt_mkptr(l);
}

/* ---- nodes ---- */

static const char *
top(const vt_clout *o)
{
	return o->m->version & VT_TV_2_0 ? "service_template" : "topology_template";
}

static void
node(vt_clout *o, vt_tnodei *n)
{
	vt_cplace root = {NULL, top(o), 0}, at = {&root, "node_templates", n->t->name};
	vt_cplace props = {&at, "properties", 0}, attrs = {&at, "attributes", 0};
	const vt_ttype *type = &o->m->type[n->t->type];
	vt_tctx ctx = vt_tosca_node_ctx(n);
	vertex x = new_vertex(o, K_NodeTemplate, node_key(o, n));
	put(o, &x, "name", vt_clout_text(o, n->t->name));
	put(o, &x, "nodeIndex", vt_mkint(n->index));
	put(o, &x, "description", vt_clout_text(o, n->t->description));
	put(o, &x, "metadata", vt_clout_plain(o, n->t->metadata));
	put(o, &x, "types", types_of(o, n->t->type));
	put(o, &x, "directives", texts(o, n->t->directives));
	put(o, &x, "properties", vt_clout_bag(o, &props, &n->props, false));
	put(o, &x, "attributes", vt_clout_bag(o, &attrs, &n->attrs, true));
	put(o, &x, "requirements", requirements(o, &x, &at, n));
	put(o, &x, "capabilities", capabilities(o, &at, n));
	put(o, &x, "interfaces",
		n->t->ifaces.first ? interfaces(o, &at, &ctx, n->t->ifaces)
				   : type_interfaces(o, &at, &ctx, n->t->type));
	put(o, &x, "artifacts",
		artifacts(o, &at, &ctx, n->t->artifacts.first ? n->t->artifacts : type->artifacts));
	if (n->inside)
		edge(o, &x, K_Substituted, key_of(o, n->inside, K_Substitution, 0, 0, -1), NULL);
	finish(o, &x);
}

/* ---- groups and policies ---- */

/* Edges to each representation of a node template, or to a group. */
static void
to_member(vt_clout *o, const vertex *x, vt_tservicei *s, uint32_t member, enum kind node_kind,
	enum kind group_kind)
{
	if (member & VT_TMEMBER_GROUP) {
		edge(o, x, group_kind,
			key_of(o, s, K_Group, o->m->group[member & ~VT_TMEMBER_GROUP].name, 0, -1),
			NULL);
	} else if (member) {
		uint32_t row = member - s->s->nodes.first;
		for (uint32_t k = 0; k < s->count[row]; k++)
			edge(o, x, node_kind, node_key(o, s->first[row] + k), NULL);
	}
}

static vertex
grouped(vt_clout *o, vt_tservicei *s, enum kind kind, const vt_tgroup *g, const vt_tbag *b)
{
	vt_cplace root = {NULL, top(o), 0},
		  at = {&root, kind == K_Group ? "groups" : "policies", g->name},
		  props = {&at, "properties", 0};
	vertex x = new_vertex(o, kind, key_of(o, s, kind, g->name, 0, -1));
	put(o, &x, "name", vt_clout_text(o, g->name));
	put(o, &x, "description", vt_clout_text(o, g->description));
	put(o, &x, "metadata", vt_clout_plain(o, g->metadata));
	put(o, &x, "types", types_of(o, g->type));
	put(o, &x, "properties", vt_clout_bag(o, &props, b, false));
	if (kind == K_Group) {
		vt_tctx ctx = vt_tosca_service_ctx(s);
		put(o, &x, "interfaces", interfaces(o, &at, &ctx, g->ifaces));
	}
	for (uint32_t i = 0; i < g->members.n; i++) {
		uint32_t member = o->m->index[g->members.first + i];
		if (kind == K_Group)
			to_member(o, &x, s, member, K_Member, K_Member);
		else
			to_member(o, &x, s, member, K_NodeTemplateTarget, K_GroupTarget);
	}
	return x;
}

/* The name, or 0 where the service has no such workflow: somebody else's, to whom things are
 * delegated. */
static uint32_t
find_workflow(const vt_clout *o, const vt_tservicei *s, uint32_t name)
{
	return o->workflow_of[name] == s ? name : 0;
}

/* interface.operation and the inputs of the call */
static vt_value
call_operation(vt_clout *o, const vt_cplace *at, vt_tservicei *s, const vt_tactivity *a)
{
	vt_cplace in = {at, "inputs", 0};
	const char *name = vt_tosca_text(o->t, a->name), *dot = strrchr(name, '.');
	vt_tctx ctx = vt_tosca_service_ctx(s);
	vt_dict *d = vt_dict_new_cap(o->rt, true, 3);
	vt_dict_set_c(
		o->rt, d, "interface", vt_str_new(o->rt, name, dot ? (size_t)(dot - name) : 0));
	vt_dict_set_c(o->rt, d, "operation", vt_str_c(o->rt, dot ? dot + 1 : name));
	vt_dict_set_c(o->rt, d, "inputs", vt_clout_assigns(o, &in, &ctx, a->inputs));
	return vt_mkptr(d);
}

static vt_dict *
trigger_properties(vt_clout *o, const vt_ttrigger *g)
{
	vt_dict *d = vt_dict_new_cap(o->rt, true, 4);
	vt_dict_set_c(o->rt, d, "name", vt_clout_text(o, g->name));
	vt_dict_set_c(o->rt, d, "description", vt_clout_text(o, g->description));
	vt_dict_set_c(o->rt, d, "event", vt_clout_text(o, g->event));
	if (g->condition)
		vt_dict_set_c(o->rt, d, "condition", vt_clout_expr(o, NULL, g->condition));
	return d;
}

static void
trigger_operation(
	vt_clout *o, vt_tservicei *s, const vt_cplace *at, vt_value key, const vt_tactivity *a)
{
	vertex x = new_vertex(o, K_Operation, key);
	put(o, &x, "description", vt_copy(o->empty_text));
	if (a->kind == VT_TA_CALL) {
		vt_value call = call_operation(o, at, s, a), name, v;
		for (uint32_t pos = 0; vt_dict_at(vt_as_dict(call), &pos, &name, &v);)
			vt_dict_set(o->rt, x.properties, name, v);
		vt_release(call);
	} else {
		put(o, &x, a->kind == VT_TA_STATE ? "setNodeState" : "workflow",
			vt_clout_text(o, a->name));
	}
	finish(o, &x);
}

static void
trigger(vt_clout *o, const vertex *x, vt_tservicei *s, const vt_tgroup *p, const vt_ttrigger *g)
{
	vt_cplace root = {NULL, top(o), 0}, policy = {&root, "policies", p->name},
		  at = {&policy, "triggers", g->name};
	for (uint32_t i = 0; i < g->activities.n; i++) {
		const vt_tactivity *a = &o->m->activity[g->activities.first + i];
		uint32_t workflow = a->kind == VT_TA_INLINE || a->kind == VT_TA_DELEGATE
					    ? find_workflow(o, s, a->name)
					    : 0;
		if (workflow) {
			edge(o, x, K_PolicyTriggerWorkflow,
				key_of(o, s, K_Workflow, workflow, 0, -1),
				trigger_properties(o, g));
			continue;
		}
		vt_value key = key_of(o, s, K_Operation, p->name, g->name, i);
		edge(o, x, K_PolicyTriggerOperation, vt_copy(key), trigger_properties(o, g));
		trigger_operation(o, s, &at, key, a);
	}
}

static void
groups_and_policies(vt_clout *o, vt_tservicei *s)
{
	for (uint32_t i = 0; i < s->s->groups.n; i++) {
		vertex x =
			grouped(o, s, K_Group, &o->m->group[s->s->groups.first + i], &s->groups[i]);
		finish(o, &x);
	}
	for (uint32_t i = 0; i < s->s->policies.n; i++) {
		const vt_tgroup *p = &o->m->policy[s->s->policies.first + i];
		vertex x = grouped(o, s, K_Policy, p, &s->policies[i]);
		for (uint32_t k = 0; k < p->triggers.n; k++)
			trigger(o, &x, s, p, &o->m->trigger[p->triggers.first + k]);
		finish(o, &x);
	}
}

/* ---- workflows ---- */

typedef struct flow {
	vt_tservicei *s;
	const vt_tworkflow *w;
	const vt_tstep *step;
	vt_cplace at;
} flow;

static void
activity(vt_clout *o, const flow *f, const vt_tactivity *a, vt_value key)
{
	vertex x = new_vertex(o, K_WorkflowActivity, key);
	uint32_t workflow = 0;
	switch ((enum vt_tactivity_kind)a->kind) {
	case VT_TA_DELEGATE:
	case VT_TA_INLINE: {
		vt_cplace in = {&f->at, "inputs", 0};
		vt_tctx ctx = vt_tosca_service_ctx(f->s);
		bool delegate = a->kind == VT_TA_DELEGATE;
		workflow = find_workflow(o, f->s, a->name);
		if (workflow)
			edge(o, &x, delegate ? K_DelegateWorkflow : K_InlineWorkflow,
				key_of(o, f->s, K_Workflow, workflow, 0, -1), NULL);
		else
			put(o, &x, delegate ? "delegateWorkflow" : "inlineWorkflow",
				vt_clout_text(o, a->name));
		if (a->inputs.n)
			put(o, &x, "inputs", vt_clout_assigns(o, &in, &ctx, a->inputs));
		break;
	}
	case VT_TA_STATE: put(o, &x, "setNodeState", vt_clout_text(o, a->name)); break;
	case VT_TA_CALL: put(o, &x, "callOperation", call_operation(o, &f->at, f->s, a)); break;
	}
	finish(o, &x);
}

static void
next_steps(vt_clout *o, const vertex *x, const flow *f, enum kind kind, vt_tspan names)
{
	for (uint32_t i = 0; i < names.n; i++)
		edge(o, x, kind,
			key_of(o, f->s, K_WorkflowStep, f->w->name, o->m->index[names.first + i],
				-1),
			NULL);
}

static vt_value
activity_key(const vt_clout *o, const flow *f, uint32_t i)
{
	vt_value step = key_of(o, f->s, K_WorkflowStep, f->w->name, f->step->name, i);
	vt_value key = vt_str_printf(o->rt, "WorkflowActivity%s", strchr(vt_as_str(step)->s, ':'));
	vt_release(step);
	return key;
}

static void
step(vt_clout *o, const flow *f)
{
	const vt_tstep *row = f->step;
	vertex x = new_vertex(
		o, K_WorkflowStep, key_of(o, f->s, K_WorkflowStep, f->w->name, row->name, -1));
	put(o, &x, "name", vt_clout_text(o, row->name));
	if (row->relationship)
		put(o, &x, "targetRelationship", vt_clout_text(o, row->relationship));
	if (row->host)
		put(o, &x, "operationHost", vt_clout_text(o, row->host));
	to_member(o, &x, f->s, row->target, K_NodeTemplateTarget, K_GroupTarget);
	for (uint32_t i = 0; i < row->activities.n; i++) {
		vt_value key = activity_key(o, f, i);
		vt_dict *sequence = vt_dict_new_cap(o->rt, true, 1);
		vt_dict_set_c(o->rt, sequence, "sequence", vt_mkint(i));
		edge(o, &x, K_WorkflowActivity, vt_copy(key), sequence);
		activity(o, f, &o->m->activity[row->activities.first + i], key);
	}
	next_steps(o, &x, f, K_OnSuccess, row->on_success);
	next_steps(o, &x, f, K_OnFailure, row->on_failure);
	finish(o, &x);
}

static void
workflow(vt_clout *o, vt_tservicei *s, const vt_tworkflow *w)
{
	vt_cplace root = {NULL, top(o), 0}, at = {&root, "workflows", w->name};
	vertex x = new_vertex(o, K_Workflow, key_of(o, s, K_Workflow, w->name, 0, -1));
	put(o, &x, "name", vt_clout_text(o, w->name));
	put(o, &x, "description", vt_clout_text(o, w->description));
	put(o, &x, "metadata", vt_clout_plain(o, w->metadata));
	for (uint32_t i = 0; i < w->steps.n; i++) {
		const vt_tstep *row = &o->m->step[w->steps.first + i];
		flow f = {s, w, row, {&at, "steps", row->name}};
		edge(o, &x, K_WorkflowStep, key_of(o, s, K_WorkflowStep, w->name, row->name, -1),
			NULL);
		step(o, &f);
	}
	finish(o, &x);
}

/* ---- substitution ---- */

static vt_dict *
pointer(const vt_clout *o, const vt_tmapping *map)
{
	vt_dict *d = vt_dict_new_cap(o->rt, true, 3);
	vt_dict_set_c(o->rt, d, "name", vt_clout_text(o, map->name));
	vt_dict_set_c(o->rt, d, "target", vt_clout_text(o, map->inner));
	if (map->op)
		vt_dict_set_c(o->rt, d, "operation", vt_clout_text(o, map->op));
	return d;
}

/* What does not lead to a node: inputs, outputs, values, workflows. */
static void
map_name(vt_clout *o, const vertex *x, vt_tservicei *s, const vt_tmapping *map, vt_dict *inputs,
	vt_dict *properties, vt_dict *attributes)
{
	if (map->kind == VT_TM_PROPERTY && map->expr) {
		vt_clout_put(o, properties, map->name, vt_clout_expr(o, NULL, map->expr));
	} else if (map->kind == VT_TM_PROPERTY) {
		vt_clout_put(o, inputs, map->name, vt_clout_text(o, map->inner));
	} else if (map->kind == VT_TM_ATTRIBUTE) {
		vt_clout_put(o, attributes, map->name, vt_clout_text(o, map->inner));
	} else if (map->kind == VT_TM_INTERFACE && find_workflow(o, s, map->inner)) {
		edge(o, x, K_InterfaceWorkflowPointer, key_of(o, s, K_Workflow, map->inner, 0, -1),
			pointer(o, map));
	}
}

static void
mappings(vt_clout *o, const vertex *x, vt_tservicei *s)
{
	static const enum kind kinds[] = {[VT_TM_CAPABILITY] = K_CapabilityPointer,
		[VT_TM_REQUIREMENT] = K_RequirementPointer,
		[VT_TM_PROPERTY] = K_PropertyPointer,
		[VT_TM_ATTRIBUTE] = K_AttributePointer,
		[VT_TM_INTERFACE] = K_InterfacePointer};
	vt_dict *inputs = vt_dict_new(o->rt, true), *properties = vt_dict_new(o->rt, true),
		*attributes = vt_dict_new(o->rt, true);
	for (uint32_t i = 0; i < s->s->mappings.n; i++) {
		const vt_tmapping *map = &o->m->mapping[s->s->mappings.first + i];
		if (map->node) {
			const vt_tnodei *n = vt_tosca_node(s, map->node - s->s->nodes.first, 0);
			if (n)
				edge(o, x, kinds[map->kind], node_key(o, n), pointer(o, map));
		} else {
			map_name(o, x, s, map, inputs, properties, attributes);
		}
	}
	put(o, x, "inputs", vt_mkptr(inputs));
	put(o, x, "properties", vt_mkptr(properties));
	put(o, x, "attributes", vt_mkptr(attributes));
}

/* The root's, where it may stand for a node; and each service that stands for one. */
static void
substitution(vt_clout *o, vt_tservicei *s)
{
	const vt_ttype *type = &o->m->type[s->s->sub_type];
	vertex x;
	if (!s->s->sub_type)
		return;
	x = new_vertex(o, K_Substitution, key_of(o, s, K_Substitution, 0, 0, -1));
	put(o, &x, "type", vt_clout_text(o, type->canon));
	put(o, &x, "typeMetadata", vt_clout_plain(o, type->metadata));
	mappings(o, &x, s);
	if (s->outside) {
		vt_cplace root = {NULL, top(o), 0}, in = {&root, "inputs", 0},
			  out = {&root, "outputs", 0};
		put(o, &x, "serviceInputs", vt_clout_bag(o, &in, &s->inputs, false));
		put(o, &x, "serviceOutputs", vt_clout_bag(o, &out, &s->outputs, true));
	}
	finish(o, &x);
}

/* ---- all of it ---- */

static void
service(vt_clout *o, vt_tservicei *s)
{
	for (uint32_t i = 0; i < s->s->workflows.n; i++)
		o->workflow_of[o->m->workflow[s->s->workflows.first + i].name] = s;
	for (uint32_t i = 0; i < s->s->nodes.n; i++)
		for (uint32_t k = 0; k < s->count[i]; k++)
			node(o, s->first[i] + k);
	groups_and_policies(o, s);
	for (uint32_t i = 0; i < s->s->workflows.n; i++)
		workflow(o, s, &o->m->workflow[s->s->workflows.first + i]);
	substitution(o, s);
}

static vt_value
service_properties(vt_clout *o)
{
	vt_tservicei *s = o->t->nservices ? o->t->services[0] : NULL;
	vt_cplace root = {NULL, top(o), 0}, in = {&root, "inputs", 0}, out = {&root, "outputs", 0};
	vt_dict *outer = vt_dict_new_cap(o->rt, true, 1), *d = vt_dict_new_cap(o->rt, true, 4);
	vt_dict_set_c(o->rt, d, "description", vt_clout_text(o, s ? s->s->description : 0));
	vt_dict_set_c(o->rt, d, "metadata", vt_clout_plain(o, s ? s->s->metadata : 0));
	vt_dict_set_c(o->rt, d, "inputs",
		s ? vt_clout_bag(o, &in, &s->inputs, false) : vt_copy(o->empty_map));
	vt_dict_set_c(o->rt, d, "outputs",
		s ? vt_clout_bag(o, &out, &s->outputs, true) : vt_copy(o->empty_map));
	vt_dict_set_c(o->rt, outer, "tosca", vt_mkptr(d));
	return vt_mkptr(outer);
}

static vt_value
file_metadata(const vt_clout *o)
{
	vt_dict *d = vt_dict_new_cap(o->rt, true, 2), *puccini = vt_dict_new_cap(o->rt, true, 1);
	vt_dict_set_c(o->rt, puccini, "version", vt_str_c(o->rt, "1.0"));
	vt_dict_set_c(o->rt, d, "puccini", vt_mkptr(puccini));
	vt_dict_set_c(o->rt, d, "history", vt_copy(o->empty_list));
	return vt_mkptr(d);
}

static void
begin(vt_clout *o, vt_tosca *t)
{
	*o = (vt_clout){.t = t,
		.rt = t->rt,
		.m = t->m,
		.types = vt_tmade_new(t->m->n_type),
		.meta = vt_tmade_new(t->m->n_schema),
		.ifaces = vt_tmade_new(t->m->n_type),
		.caps = vt_tmade_new(t->m->n_type),
		.ids = vt_tmade_new(t->nnodes)};
	for (uint32_t i = 0; i < K_COUNT; i++)
		o->metadata[i] = VT_UNDEF;
	o->workflow_of = vt_xzalloc((t->m->n_str + 1) * sizeof *o->workflow_of);
	o->vertexes = vt_mkptr(vt_dict_new_cap(t->rt, true, t->nnodes));
	o->empty_map = vt_mkptr(vt_dict_new(t->rt, true));
	o->empty_list = vt_mkptr(vt_list_new(t->rt, VT_K_TUPLE, 0));
	o->empty_text = vt_str_c(t->rt, "");
}

static void
end(vt_clout *o)
{
	vt_tmade_free(o->types, o->m->n_type);
	vt_tmade_free(o->meta, o->m->n_schema);
	vt_tmade_free(o->ifaces, o->m->n_type);
	vt_tmade_free(o->caps, o->m->n_type);
	vt_tmade_free(o->ids, o->t->nnodes);
	free(o->workflow_of);
	for (uint32_t i = 0; i < K_COUNT; i++)
		vt_clear(&o->metadata[i]);
	vt_release(o->vertexes);
	vt_release(o->empty_map);
	vt_release(o->empty_list);
	vt_release(o->empty_text);
}

void
vt_tosca_put_clout(vt_tosca *t, vt_buf *b, int flags)
{
	vt_clout o;
	vt_tstream to = {t, b, flags};
	begin(&o, t);
	o.to = &to;
	vt_buf_putc(b, '{');
	vt_tstream_part(&to, "version", vt_str_c(t->rt, "1.0"), true);
	vt_tstream_part(&to, "metadata", file_metadata(&o), false);
	vt_tstream_part(&to, "properties", service_properties(&o), false);
	vt_tstream_part(&to, "vertexes", VT_UNDEF, false);
	vt_buf_putc(b, '{');
	for (uint32_t i = 0; i < t->nservices; i++)
		service(&o, t->services[i]);
	if (vt_dict_len(vt_as_dict(o.vertexes)))
		vt_tstream_line(&to, 1);
	vt_buf_putc(b, '}');
	vt_tstream_line(&to, 0);
	vt_buf_puts(b, "}\n");
	end(&o);
}
