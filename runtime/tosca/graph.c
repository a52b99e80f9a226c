/*
 * graph.c - the services of a model and their nodes: names, what there is, and an order in which
 * values can be had.  resolve.c relates them.
 */
#include "runtime/tosca/mem.h"
#include "runtime/core/session.h"

#include <stdlib.h>
#include <string.h>

/* ---- contexts and names ---- */

vt_tctx
vt_tosca_node_ctx(vt_tnodei *n)
{
	return (vt_tctx){.service = n->service, .node = n, .value = VT_UNDEF, .place = n->t->place};
}

vt_tctx
vt_tosca_rel_ctx(vt_treli *r)
{
	return (vt_tctx){.service = r->source->service,
		.node = r->source,
		.rel = r,
		.value = VT_UNDEF,
		.place = r->req->place};
}

vt_tctx
vt_tosca_service_ctx(vt_tservicei *s)
{
	return (vt_tctx){.service = s, .value = VT_UNDEF};
}

void
vt_tosca_name(vt_buf *b, const vt_tosca *t, const vt_tnodei *n)
{
	vt_buf_puts(b, vt_tosca_text(t, n->t->name));
	if (n->of > 1)
		vt_buf_printf(b, "_%u", n->index);
}

/* Services within services nest as deep as nodes were substituted, which substitute.c limits. */
void
vt_tosca_path(vt_buf *b, const vt_tosca *t, const vt_tnodei *n)
{
	if (n->service->outside) {
		vt_tosca_path(b, t, n->service->outside);
		vt_buf_putc(b, '/');
	}
	vt_tosca_name(b, t, n);
}

static uint32_t
name_slot(const vt_tservicei *s, uint32_t name)
{
	return (name * 0x9e3779b1u) & (s->nnames - 1);
}

uint32_t
vt_tosca_find_node(const vt_tservicei *s, const vt_tmodel *m, uint32_t name)
{
	for (uint32_t at = name_slot(s, name); s->names && s->names[at];
		at = (at + 1) & (s->nnames - 1))
		if (m->node[s->s->nodes.first + s->names[at] - 1].name == name)
			return s->names[at];
	return 0;
}

vt_tnodei *
vt_tosca_node(vt_tservicei *s, uint32_t template, uint32_t index)
{
	return template <s->s->nodes.n &&index < s->count[template] ? s->first[template] + index
								    : NULL;
}

/* ---- services and nodes ---- */

typedef struct named {
	const char *name;
	uint32_t at;
} named;

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

static void
sort_nodes(vt_tosca *t, vt_tservicei *s)
{
	uint32_t n = s->s->nodes.n;
	named *list = vt_xmalloc((n + 1) * sizeof *list);
	bool sorted = true;
	for (uint32_t i = 0; i < n; i++) {
		list[i] = (named){vt_tosca_text(t, t->m->node[s->s->nodes.first + i].name), i};
		sorted = sorted && (i == 0 || strcmp(list[i - 1].name, list[i].name) < 0);
	}
	if (!sorted)
		qsort(list, n, sizeof *list, by_name);
	s->sorted = vt_tosca_alloc(t, n * sizeof *s->sorted);
	for (uint32_t i = 0; i < n; i++)
		s->sorted[i] = list[i].at;
	free(list);
}

static void
index_nodes(vt_tosca *t, vt_tservicei *s)
{
	uint32_t n = s->s->nodes.n;
	s->nnames = 8;
	while (s->nnames < n * 2)
		s->nnames *= 2;
	s->names = vt_tosca_alloc(t, s->nnames * sizeof *s->names);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = name_slot(s, t->m->node[s->s->nodes.first + i].name);
		while (s->names[at])
			at = (at + 1) & (s->nnames - 1);
		s->names[at] = i + 1;
	}
}

vt_tservicei *
vt_tosca_service(vt_tosca *t, uint32_t service, vt_tnodei *outside)
{
	vt_tservicei *s = vt_tosca_alloc(t, sizeof *s);
	const vt_tservice *row = &t->m->service[service];
	s->s = row;
	s->outside = outside;
	s->inputs = vt_tosca_bag_own(t, row->inputs);
	s->outputs = vt_tosca_bag_own(t, row->outputs);
	vt_push(t->services, t->nservices) = s;
	return s;
}

/* By name: the definition that the template's row refers to may be that of another type which has
 * the same one. */
static vt_tspan
cap_assigns(const vt_tmodel *m, const vt_tnode *n, uint32_t def, bool attrs)
{
	for (uint32_t i = 0; i < n->caps.n; i++)
		if (m->capdef[m->cap[n->caps.first + i].def].name == m->capdef[def].name)
			return attrs ? m->cap[n->caps.first + i].attrs
				     : m->cap[n->caps.first + i].props;
	return (vt_tspan){0, 0};
}

static void
close_caps(vt_tosca *t, vt_tnodei *n)
{
	for (uint32_t i = 0; i < n->t->caps.n; i++) {
		const vt_tcap *c = &t->m->cap[n->t->caps.first + i];
		for (uint32_t k = 0; k < n->ncaps && c->directives == VT_TR_EXTERNAL; k++)
			n->caps[k].closed |= n->caps[k].def->name == t->m->capdef[c->def].name;
	}
}

static void
make_node(vt_tosca *t, vt_tnodei *n)
{
	const vt_ttype *type = &t->m->type[n->t->type];
	n->props = vt_tosca_bag(t, type->props, n->t->props);
	n->attrs = vt_tosca_bag(t, type->attrs, n->t->attrs);
	n->ncaps = type->caps.n;
	n->caps = n->ncaps ? vt_tosca_alloc(t, n->ncaps * sizeof *n->caps) : NULL;
	for (uint32_t i = 0; i < n->ncaps; i++) {
		uint32_t def = type->caps.first + i;
		const vt_tcapdef *d = &t->m->capdef[def];
		n->caps[i].def = d;
		n->caps[i].node = n;
		n->caps[i].props = vt_tosca_bag(t, d->props, cap_assigns(t->m, n->t, def, false));
		n->caps[i].attrs = vt_tosca_bag(t, d->attrs, cap_assigns(t->m, n->t, def, true));
	}
	close_caps(t, n);
	n->order = t->nnodes;
	vt_push(t->nodes, t->nnodes) = n;
}

static uint32_t
representations(vt_tosca *t, vt_tservicei *s, const vt_tnode *row)
{
	vt_tctx ctx = vt_tosca_service_ctx(s);
	uint32_t n = 1;
	ctx.place = row->place;
	vt_value scaled = t->counts && s == t->services[0]
				  ? vt_dict_get_str(t->counts, t->m->str[row->name])
				  : VT_UNDEF;
	if (vt_is_int(scaled))
		n = (uint32_t)vt_toint(scaled);
	else if (row->count &&
		 !vt_tosca_count(t, &ctx, row->count, "the count of a node template", &n))
		n = 1;
	if (n > t->limit.max_nodes || t->nnodes > t->limit.max_nodes - n) {
		vt_tosca_problem(t, VT_E2090, row->place, "the service has more than %u nodes",
			t->limit.max_nodes);
		return 0;
	}
	return n;
}

static void
make_nodes(vt_tosca *t, vt_tservicei *s)
{
	uint32_t n = s->s->nodes.n;
	s->first = vt_tosca_alloc(t, n * sizeof *s->first);
	s->count = vt_tosca_alloc(t, n * sizeof *s->count);
	for (uint32_t i = 0; i < n; i++) {
		const vt_tnode *row = &t->m->node[s->s->nodes.first + i];
		if (!row->type)
			continue; /* reported */
		s->count[i] = representations(t, s, row);
		s->first[i] =
			s->count[i] ? vt_tosca_alloc(t, s->count[i] * sizeof **s->first) : NULL;
		for (uint32_t k = 0; k < s->count[i]; k++) {
			vt_tnodei *node = s->first[i] + k;
			*node = (vt_tnodei){.t = row, .service = s, .index = k, .of = s->count[i]};
			make_node(t, node);
		}
	}
	index_nodes(t, s);
	sort_nodes(t, s);
}

static vt_tbag *
group_bags(vt_tosca *t, const vt_tgroup *row, uint32_t n)
{
	vt_tbag *b = vt_tosca_alloc(t, n * sizeof *b);
	for (uint32_t i = 0; i < n; i++)
		b[i] = vt_tosca_bag(t, t->m->type[row[i].type].props, row[i].props);
	return b;
}

void
vt_tosca_fill_service(vt_tosca *t, vt_tservicei *s)
{
	make_nodes(t, s);
	s->groups = group_bags(t, t->m->group + s->s->groups.first, s->s->groups.n);
	s->policies = group_bags(t, t->m->policy + s->s->policies.first, s->s->policies.n);
}

void
vt_tosca_nodes(vt_tosca *t)
{
	vt_tosca_fill_service(t, t->services[0]);
}

/* ---- an order for evaluation ---- */

typedef struct visit {
	vt_tnodei *n;
	uint32_t next;
} visit;

/* Targets before sources; loops end where they began. */
void
vt_tosca_order(vt_tosca *t, vt_tnodei **out)
{
	visit *stack = vt_xmalloc((t->nnodes + 1) * sizeof *stack);
	uint32_t n = 0, depth = 0, mark = ++t->mem->marks;
	for (uint32_t i = 0; i < t->nnodes; i++) {
		if (t->nodes[i]->mark == mark)
			continue;
		t->nodes[i]->mark = mark;
		stack[depth++] = (visit){t->nodes[i], 0};
		while (depth) {
			visit *v = &stack[depth - 1];
			if (v->next == v->n->nrels) {
				out[n++] = v->n;
				depth--;
				continue;
			}
			vt_tnodei *to = v->n->rels[v->next++]->target;
			if (to->mark != mark) {
				to->mark = mark;
				stack[depth++] = (visit){to, 0};
			}
		}
	}
	free(stack);
}
