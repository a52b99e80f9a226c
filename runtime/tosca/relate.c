/*
 * relate.c - relationships as they are made: their places among those of a node, and which
 * instances of Cloudify's nodes belong together.
 */
#include "runtime/tosca/relate.h"
#include "runtime/core/session.h"

#include <stdlib.h>
#include <string.h>

vt_treli *
vt_tosca_relate(vt_tosca *t, vt_tnodei *n, const vt_treq *q, vt_tcapi *cap)
{
	const vt_treqdef *d = &t->m->reqdef[q->def];
	vt_treli *r = vt_tosca_alloc(t, sizeof *r);
	*r = (vt_treli){.req = q,
		.name = d->name,
		.type = vt_tosca_rel_type(t->m, q),
		.source = n,
		.target = cap->node,
		.cap = cap};
	const vt_trel *template = &t->m->rel[q->rel];
	vt_tspan props[] = {d->props, template->props, q->props},
		 attrs[] = {template->attrs, q->attrs};
	r->props = vt_tosca_bag_of(t, t->m->type[r->type].props, props, VT_LEN(props));
	r->attrs = vt_tosca_bag_of(t, t->m->type[r->type].attrs, attrs, VT_LEN(attrs));
	cap->used++;
	r->next_in = cap->node->in;
	cap->node->in = r;
	return r;
}

/* ---- lists ---- */

void
vt_tosca_add_rel(vt_related *have, vt_treli *r)
{
	vt_push(have->rel, have->n) = r;
}

/* The number of each among those of its name; rows of requirements are in order. */
static void
number(vt_tnodei *n, uint32_t *count)
{
	for (uint32_t i = 0; i < n->nrels; i++) {
		n->rels[i]->index = count[n->rels[i]->name]++;
		n->rels[i]->at = i;
	}
	for (uint32_t i = 0; i < n->nrels; i++)
		count[n->rels[i]->name] = 0;
}

/* What this turn found and what there was, both in the order of the requirements, become one. */
void
vt_tosca_merge_rels(vt_tosca *t, vt_tnodei *n, const vt_related *have)
{
	uint32_t old = n->nrels, a = 0, b = 0;
	if (!have->n)
		return;
	vt_treli **all = vt_tosca_alloc(t, (old + have->n) * sizeof *all);
	while (a < old || b < have->n) {
		bool first = b == have->n || (a < old && n->rels[a]->req < have->rel[b]->req);
		all[a + b] = first ? n->rels[a] : have->rel[b];
		a += first;
		b += !first;
	}
	n->rels = all;
	n->nrels = n->caprels = old + have->n;
	number(n, have->count);
}

/* Those that came last stand first: relationships of a node are reported in the order in which they
 * were made. */
void
vt_tosca_turn_round(vt_tnodei *n)
{
	vt_treli *list = NULL;
	for (vt_treli *r = n->in, *next; r; r = next) {
		next = r->next_in;
		r->next_in = list;
		list = r;
	}
	n->in = list;
}

vt_treli *
vt_tosca_next_rel(const vt_tnodei *n, uint32_t name, vt_treli *after)
{
	for (uint32_t i = after ? after->at + 1 : 0; i < n->nrels; i++)
		if (n->rels[i]->name == name)
			return n->rels[i];
	return NULL;
}

/* ---- instances ---- */

/* How many instances a template has by itself, however it was scaled. */
static uint32_t
by_itself(vt_tosca *t, const vt_tservicei *v, const vt_tnode *row)
{
	vt_tctx ctx = vt_tosca_service_ctx((vt_tservicei *)v);
	uint32_t n = 1;
	ctx.place = row->place;
	return row->count && vt_tosca_count(t, &ctx, row->count, "instances", &n) && n ? n : 1;
}

/*
 * Cloudify multiplies a node by its own number of instances, by those of what it is contained in,
 * and by those of its scaling groups.  Instances in one container, or in one instance of a group,
 * keep together: q->count is the product of what both ends have in common.  When both were scaled
 * by the same factor since, it is that which they have in common too.
 */
static uint32_t
in_common(vt_tosca *t, vt_tnodei *n, const vt_treq *q, uint32_t targets)
{
	const vt_tservicei *v = n->service;
	vt_tctx ctx = vt_tosca_service_ctx(n->service);
	uint32_t common = 1;
	ctx.place = q->place;
	if (q->count && !vt_tosca_count(t, &ctx, q->count, "instances", &common))
		return 1;
	uint64_t from = by_itself(t, v, n->t), to = by_itself(t, v, t->m->node + q->node);
	if (n->of * to == targets * from && n->of != from)
		common = (uint32_t)(common * (uint64_t)n->of / from);
	return common && common <= targets ? common : 1;
}

bool
vt_tosca_pair(vt_tosca *t, vt_tnodei *n, const vt_treq *q, vt_related *have)
{
	vt_tservicei *v = n->service;
	uint32_t row = q->node - v->s->nodes.first, targets = v->count[row];
	if (targets == 0) /* no instance is there yet: a blueprint may say so */
		return true;
	if (targets < 2 && n->of < 2)
		return false;
	t->mem->quiet++; /* told where the nodes were made */
	uint32_t common = in_common(t, n, q, targets), each = targets / common;
	t->mem->quiet--;
	uint32_t first = (uint32_t)((uint64_t)n->index * common / n->of) * each;
	if (q->directives & VT_TR_ONE) {
		each = 1;
		first = 0;
	}
	for (uint32_t i = first; i < first + each && i < targets; i++) {
		vt_tnodei *to = vt_tosca_node(v, row, i);
		if (!to || !to->ncaps || ++t->mem->nrels > 4 * (uint64_t)t->limit.max_nodes)
			return false;
		vt_tosca_add_rel(have, vt_tosca_relate(t, n, q, &to->caps[0]));
		t->epoch++;
	}
	return true;
}
