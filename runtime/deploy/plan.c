/*
 * plan.c - what a deployment does, and what waits for what.
 *
 * Every node has the same chain of roles, whether its type implements them or not: a role without
 * an operation is a mark that is done as soon as it is reached.  A node begins when the nodes it
 * has requirements to have ended their chains; a node that a service stands for ends when all nodes
 * of that service have.  Undoing turns this round. The Configure operations of a relationship run
 * in the chain of the node whose side they are about, as TOSCA (1.3, 5.8.5) says:
 * pre_configure_target while the target is configured, which is before its sources begin.
 */
#include "runtime/deploy/deploy.h"

#include <stdlib.h>
#include <string.h>

const vt_trole_row vt_troles[VT_TL_COUNT] = {
#define X(sym, op, during, after, cfy, who, end) \
	{op, during, after, cfy, VT_TLW_##who, VT_TLE_##end},
	VT_TROLES(X)
#undef X
};

#define MADE VT_TL_PRECREATE, VT_TL_CREATE
#define RUNNING \
	VT_TL_PRE_SOURCE, VT_TL_PRE_TARGET, VT_TL_LINK_SOURCE, VT_TL_LINK_TARGET, VT_TL_CONFIGURE, \
		VT_TL_POST_SOURCE, VT_TL_POST_TARGET, VT_TL_LINKED_SOURCE, VT_TL_LINKED_TARGET, \
		VT_TL_CONFIGURED, VT_TL_START, VT_TL_POSTSTART, VT_TL_ADD_TARGET, \
		VT_TL_ADD_SOURCE, VT_TL_ESTABLISH_SOURCE, VT_TL_ESTABLISH_TARGET
static const uint8_t doing[] = {MADE, RUNNING};
/* One that is there and has to become another one; stop is done where start was. */
static const uint8_t updating[] = {MADE, VT_TL_PRESTOP, VT_TL_STOP, RUNNING, VT_TL_UPDATED};
static const uint8_t notifying[] = {MADE, RUNNING, VT_TL_TARGET_CHANGED, VT_TL_UPDATED};
static const uint8_t undoing[] = {VT_TL_REMOVE_TARGET, VT_TL_PRESTOP, VT_TL_STOP,
	VT_TL_REMOVE_SOURCE, VT_TL_UNLINK_SOURCE, VT_TL_UNLINK_TARGET, VT_TL_ERASE, VT_TL_DELETE};
#undef MADE
#undef RUNNING

typedef struct builder {
	vt_tplan *p;
	vt_tpair *pair;
	uint32_t npairs;
	vt_treli **in;
	const uint8_t *update;
	uint32_t skip;      /* positions before those of first_in */
	uint32_t *first_in; /* by target: relationships that lead there, in the order of their
			       sources */
} builder;

/* ---- operations ---- */

static bool
ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n >= k && !strcmp(s + n - k, end) && (n == k || strchr(".:", s[n - k - 1]));
}

/* By its name, or by its type or one that that is derived from. */
static bool
is_lifecycle(const vt_tosca *t, const vt_tiface *f, const char *kind)
{
	if (ends_with(vt_tosca_text(t, f->name), kind))
		return true;
	for (uint32_t ty = f->type; ty; ty = t->m->type[ty].parent)
		if (ends_with(vt_tosca_text(t, t->m->type[ty].name), kind))
			return true;
	return false;
}

/* Which end of a relationship an interface of Cloudify is about; -1: it is none. The front end
 * writes the ends into the names. */
static int
cloudify_end(const vt_tosca *t, const vt_tiface *f, bool of_rel)
{
	const char *name = vt_tosca_text(t, f->name);
	if (!of_rel)
		return strcmp(name, "cloudify.interfaces.lifecycle") ? -1 : VT_TLE_NODE;
	if (!strcmp(name, "cloudify.interfaces.relationship_lifecycle"))
		return VT_TLE_SOURCE;
	return strcmp(name, "target.cloudify.interfaces.relationship_lifecycle") ? -1
										 : VT_TLE_TARGET;
}

/* What a role is called in an interface; NULL: it is not one of its operations. */
static const char *
name_in(const vt_tosca *t, const vt_tiface *f, bool of_rel, enum vt_trole role)
{
	const vt_trole_row *row = &vt_troles[role];
	int end = cloudify_end(t, f, of_rel);
	if (end >= 0)
		return end == row->end ? row->cloudify : NULL;
	if (row->whose == VT_TLW_CLOUDIFY || !is_lifecycle(t, f, of_rel ? "Configure" : "Standard"))
		return NULL;
	return row->op;
}

enum vt_trole
vt_tplan_role(const vt_tosca *t, const vt_tiface *f, bool of_rel, const char *op)
{
	for (uint32_t r = 0; r < VT_TL_TARGET_CHANGED; r++) {
		const char *name =
			r == VT_TL_CONFIGURED ? NULL : name_in(t, f, of_rel, (enum vt_trole)r);
		if (name && !strcmp(name, op))
			return (enum vt_trole)r;
	}
	return VT_TL_CALL;
}

/* NULL: none, or not implemented. */
static const vt_top *
find_op(const vt_tosca *t, vt_tspan ifaces, bool of_rel, enum vt_trole role,
	const vt_tiface **iface)
{
	for (uint32_t i = 0; i < ifaces.n; i++) {
		const vt_tiface *f = &t->m->iface[ifaces.first + i];
		const char *name = name_in(t, f, of_rel, role);
		if (!name)
			continue;
		for (uint32_t k = 0; k < f->ops.n; k++) {
			const vt_top *o = &t->m->op[f->ops.first + k];
			if (o->primary && !o->notification &&
				!strcmp(vt_tosca_text(t, o->name), name)) {
				*iface = f;
				return o;
			}
		}
	}
	return NULL;
}

static vt_tspan
node_ifaces(const vt_tosca *t, const vt_tnodei *n)
{
	return n->t->ifaces.first ? n->t->ifaces : t->m->type[n->t->type].ifaces;
}

/* Of the requirement, else of the relationship template, else of its definition, else of its type.
 */
static vt_tspan
rel_ifaces(const vt_tosca *t, const vt_treli *r)
{
	const vt_treq *q = r->req;
	if (q->ifaces.n)
		return q->ifaces;
	if (q->rel && t->m->rel[q->rel].ifaces.n)
		return t->m->rel[q->rel].ifaces;
	if (q->def && t->m->reqdef[q->def].ifaces.n)
		return t->m->reqdef[q->def].ifaces;
	return t->m->type[r->type].ifaces;
}

vt_tspan
vt_tplan_ifaces(const vt_tosca *t, const vt_tnodei *n, const vt_treli *r)
{
	return r ? rel_ifaces(t, r) : node_ifaces(t, n);
}

/* A node that exists already, or that a service stands for, has nothing of its own to run. */
static bool
is_ours(const vt_tnodei *n)
{
	return !n->inside && !(n->t->directive & VT_TN_SELECT);
}

const vt_top *
vt_tplan_op(const vt_tosca *t, const vt_tnodei *n, const vt_treli *r, enum vt_trole role,
	const vt_tiface **iface)
{
	if (r)
		return find_op(t, rel_ifaces(t, r), true, role, iface);
	return is_ours(n) ? find_op(t, node_ifaces(t, n), false, role, iface) : NULL;
}

/* ---- actions ---- */

uint32_t
vt_tplan_add(vt_tplan *p, vt_taction a)
{
	vt_push(p->a, p->n) = a;
	return p->n - 1;
}

static void
add(builder *b, vt_tnodei *n, vt_treli *r, uint8_t role)
{
	vt_tplan *p = b->p;
	vt_taction a = {.node = n, .rel = r, .role = role};
	a.op = vt_tplan_op(p->t, n, r, (enum vt_trole)role, &a.iface);
	if ((r || vt_troles[role].whose == VT_TLW_CLOUDIFY) && !a.op)
		return; /* thousands of sources would each leave a mark */
	vt_tplan_add(p, a);
}

static void
wait_for(builder *b, uint32_t before, uint32_t after)
{
	vt_push(b->pair, b->npairs) = (vt_tpair){before, after};
}

static void
add_role(builder *b, vt_tnodei *n, uint8_t role)
{
	uint32_t i = n->order - b->skip;
	switch ((enum vt_trole)role) {
	case VT_TL_PRECREATE:
	case VT_TL_CREATE:
	case VT_TL_CONFIGURE:
	case VT_TL_CONFIGURED:
	case VT_TL_START:
	case VT_TL_POSTSTART:
	case VT_TL_PRESTOP:
	case VT_TL_STOP:
	case VT_TL_UPDATED:
	case VT_TL_ERASE:
	case VT_TL_DELETE: add(b, n, NULL, role); return;
	case VT_TL_PRE_SOURCE:
	case VT_TL_POST_SOURCE:
	case VT_TL_ADD_TARGET:
	case VT_TL_ADD_SOURCE:
	case VT_TL_REMOVE_TARGET:
	case VT_TL_REMOVE_SOURCE:
	case VT_TL_LINK_SOURCE:
	case VT_TL_LINK_TARGET:
	case VT_TL_LINKED_SOURCE:
	case VT_TL_LINKED_TARGET:
	case VT_TL_ESTABLISH_SOURCE:
	case VT_TL_ESTABLISH_TARGET:
	case VT_TL_UNLINK_SOURCE:
	case VT_TL_UNLINK_TARGET:
	case VT_TL_TARGET_CHANGED:
		for (uint32_t k = 0; k < n->nrels; k++)
			if (n->rels[k]->target)
				add(b, n, n->rels[k], role);
		return;
	case VT_TL_PRE_TARGET:
	case VT_TL_POST_TARGET:
		for (uint32_t k = b->first_in[i]; k < b->first_in[i + 1]; k++)
			add(b, n, b->in[k], role);
		return;
	case VT_TL_CALL:
	case VT_TL_STATE:
	case VT_TL_STEP:
	case VT_TL_COUNT: return;
	}
}

static void
add_node(builder *b, vt_tnodei *n)
{
	vt_tplan *p = b->p;
	uint8_t update = b->update ? b->update[n->order] : 0;
	const uint8_t *roles = p->undo                  ? undoing
			       : update & VT_TU_CHANGED ? updating
			       : update                 ? notifying
							: doing;
	size_t count = p->undo                  ? VT_LEN(undoing)
		       : update & VT_TU_CHANGED ? VT_LEN(updating)
		       : update                 ? VT_LEN(notifying)
						: VT_LEN(doing);
	p->first[n->order] = p->n;
	for (size_t k = 0; k < count; k++)
		add_role(b, n, roles[k]);
	p->last[n->order] = p->n - 1;
	for (uint32_t i = p->first[n->order]; i < p->last[n->order]; i++)
		wait_for(b, i, i + 1);
}

/* Sorted by counting: which relationships lead to a node, by the order of their sources. */
static void
index_targets(builder *b)
{
	vt_tosca *t = b->p->t;
	uint32_t n = 0, *at;
	b->first_in = vt_xzalloc((t->nnodes + 2) * sizeof *b->first_in);
	for (uint32_t i = 0; i < t->nnodes; i++)
		for (uint32_t k = 0; k < t->nodes[i]->nrels; k++)
			if (t->nodes[i]->rels[k]->target) {
				b->first_in[t->nodes[i]->rels[k]->target->order + 1]++;
				n++;
			}
	for (uint32_t i = 0; i < t->nnodes; i++)
		b->first_in[i + 1] += b->first_in[i];
	b->in = vt_xmalloc((n + 1) * sizeof(vt_treli *));
	at = vt_xmalloc((t->nnodes + 1) * sizeof *at);
	memcpy(at, b->first_in, t->nnodes * sizeof *at);
	for (uint32_t i = 0; i < t->nnodes; i++)
		for (uint32_t k = 0; k < t->nodes[i]->nrels; k++)
			if (t->nodes[i]->rels[k]->target)
				b->in[at[t->nodes[i]->rels[k]->target->order]++] =
					t->nodes[i]->rels[k];
	free(at);
}

/* `one` before `other`; to undo, the other way round. */
static void
order_nodes(builder *b, const vt_tnodei *one, const vt_tnodei *other)
{
	vt_tplan *p = b->p;
	if (one == other)
		return;
	if (p->undo)
		wait_for(b, p->last[other->order], p->first[one->order]);
	else
		wait_for(b, p->last[one->order], p->first[other->order]);
}

/* The nodes of a service run between the beginning and the end of the node that it stands for. */
static void
order_inside(builder *b, const vt_tnodei *n, const vt_tnodei *outside)
{
	vt_tplan *p = b->p;
	uint32_t begin = p->first[outside->order];
	wait_for(b, begin, p->first[n->order]);
	wait_for(b, p->last[n->order], p->undo ? p->last[outside->order] : begin + 1);
}

static void
connect(builder *b)
{
	vt_tosca *t = b->p->t;
	for (uint32_t i = 0; i < t->nnodes; i++) {
		vt_tnodei *n = t->nodes[i];
		for (uint32_t k = 0; k < n->nrels; k++)
			if (n->rels[k]->target)
				order_nodes(b, n->rels[k]->target, n);
		if (n->service->outside)
			order_inside(b, n, n->service->outside);
	}
}

/* ---- edges by action, both ways ---- */

static void
place_edges(vt_tplan *p, const vt_tpair *pair, uint32_t n)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < n; i++) {
		p->a[pair[i].from].nnext++;
		p->a[pair[i].to].nbefore++;
	}
	p->edge = vt_xmalloc((2 * (size_t)n + 1) * sizeof *p->edge);
	for (uint32_t i = 0; i < p->n; i++) {
		p->a[i].waits = p->a[i].nbefore;
		p->a[i].next = at;
		p->a[i].before = at + p->a[i].nnext;
		at += p->a[i].nnext + p->a[i].nbefore;
		p->a[i].nnext = p->a[i].nbefore = 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		vt_taction *from = &p->a[pair[i].from], *to = &p->a[pair[i].to];
		p->edge[from->next + from->nnext++] = pair[i].to;
		p->edge[to->before + to->nbefore++] = pair[i].from;
	}
}

/* The first that is ready in the order of the file, then what that makes ready. False: there is a
 * loop. */
static bool
sort_actions(const vt_tplan *p, uint32_t *order)
{
	uint32_t *waits = vt_xmalloc((p->n + 1) * sizeof *waits),
		 *stack = vt_xmalloc((p->n + 1) * sizeof *stack);
	uint32_t n = 0, top = 0;
	for (uint32_t i = 0; i < p->n; i++)
		waits[i] = p->a[i].nbefore;
	for (uint32_t i = p->n; i-- > 0;)
		if (!waits[i])
			stack[top++] = i;
	while (top) {
		const vt_taction *a = &p->a[stack[--top]];
		order[n++] = (uint32_t)(a - p->a);
		for (uint32_t k = a->nnext; k-- > 0;)
			if (!--waits[p->edge[a->next + k]])
				stack[top++] = p->edge[a->next + k];
	}
	free(waits);
	free(stack);
	return n == p->n;
}

/* From what is left after sorting, back along those it waits for, until a node comes again. */
static char *
report_loop(const vt_tplan *p, const uint32_t *order, uint32_t n)
{
	bool *done = vt_xmalloc(p->n + 1);
	uint32_t *seen = vt_xmalloc((p->n + 1) * sizeof *seen), at = 0, steps = 0, named = 0;
	vt_buf b = {NULL, 0, 0};
	const vt_tnodei *last = NULL;
	memset(done, 0, p->n + 1);
	memset(seen, 0, (p->n + 1) * sizeof *seen);
	for (uint32_t i = 0; i < n; i++)
		done[order[i]] = true;
	while (at < p->n && done[at])
		at++;
	/* Twice the way: the first brings it into the loop, the second is the loop. */
	for (uint32_t round = 1; round <= 2; round++)
		for (; at < p->n && seen[at] < round && steps < 2 * p->n; steps++) {
			const vt_taction *a = &p->a[at];
			seen[at] = round;
			if (round == 2 && a->node != last && named < 20) {
				vt_buf_puts(&b, named++ ? ", which waits for '" : "'");
				vt_tosca_path(&b, p->t, a->node);
				vt_buf_putc(&b, '\'');
			}
			last = a->node;
			for (uint32_t k = 0; k < a->nbefore; k++)
				if (!done[p->edge[a->before + k]]) {
					at = p->edge[a->before + k];
					break;
				}
		}
	vt_buf_puts(&b, ", and so on");
	vt_buf_putc(&b, 0);
	free(done);
	free(seen);
	return b.p;
}

static uint32_t
count_sorted(const vt_tplan *p, uint32_t *order)
{
	uint32_t n = 0;
	memset(order, 0xff, (p->n + 1) * sizeof *order);
	(void)sort_actions(p, order);
	while (n < p->n && order[n] != UINT32_MAX)
		n++;
	return n;
}

vt_tplan *
vt_tplan_new(vt_tosca *t, bool undo, const uint8_t *update, char **loop)
{
	vt_tplan *p = vt_xmalloc(sizeof *p);
	builder b = {.p = p, .update = update};
	*p = (vt_tplan){.t = t, .undo = undo};
	p->first = vt_xmalloc((t->nnodes + 1) * sizeof *p->first);
	p->last = vt_xmalloc((t->nnodes + 1) * sizeof *p->last);
	index_targets(&b);
	for (uint32_t i = 0; i < t->nnodes; i++)
		add_node(&b, t->nodes[i]);
	connect(&b);
	place_edges(p, b.pair, b.npairs);
	free(b.pair);
	free(b.in);
	free(b.first_in);
	uint32_t *order = vt_xmalloc((p->n + 1) * sizeof *order);
	uint32_t n = count_sorted(p, order);
	*loop = n < p->n ? report_loop(p, order, n) : NULL;
	free(order);
	if (!*loop)
		return p;
	vt_tplan_free(p);
	return NULL;
}

bool
vt_tplan_connect(vt_tplan *p, const vt_tpair *pair, uint32_t n)
{
	uint32_t *order = vt_xmalloc((p->n + 1) * sizeof *order);
	place_edges(p, pair, n);
	bool good = sort_actions(p, order);
	free(order);
	return good;
}

/* The relationships that lead to a node are few enough to be looked through. */
void
vt_tplan_add_node(vt_tplan *p, vt_tnodei *n, bool undo)
{
	vt_treli *r, **in;
	uint32_t first_in[2] = {0, 0};
	for (r = n->in; r; r = r->next_in)
		first_in[1]++;
	in = vt_xmalloc((first_in[1] + 1) * sizeof(vt_treli *));
	first_in[1] = 0;
	for (r = n->in; r; r = r->next_in)
		in[first_in[1]++] = r;
	builder b = {.p = p, .in = in, .first_in = first_in, .skip = n->order};
	for (size_t k = 0; k < (undo ? VT_LEN(undoing) : VT_LEN(doing)); k++)
		add_role(&b, n, undo ? undoing[k] : doing[k]);
	free(in);
}

void
vt_tplan_free(vt_tplan *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->n; i++)
		free(p->a[i].label);
	free(p->handler);
	free(p->a);
	free(p->edge);
	free(p->first);
	free(p->last);
	free(p);
}

uint32_t *
vt_tplan_order(const vt_tplan *p)
{
	uint32_t *order = vt_xmalloc((p->n + 1) * sizeof *order);
	(void)sort_actions(p, order);
	return order;
}

/* ---- names ---- */

static bool
is_alone(const vt_treli *r)
{
	for (uint32_t i = 0; i < r->source->nrels; i++)
		if (r->source->rels[i] != r && r->source->rels[i]->name == r->name)
			return false;
	return true;
}

void
vt_tplan_rel_name(vt_buf *b, const vt_tosca *t, const vt_treli *r)
{
	vt_buf_puts(b, vt_tosca_text(t, r->name));
	if (!is_alone(r))
		vt_buf_printf(b, "[%u]", r->index);
}

void
vt_tplan_step_name(vt_buf *b, const vt_tplan *p, const vt_taction *a)
{
	if (a->label) {
		vt_buf_puts(b, a->label);
		return;
	}
	const char *iface = a->iface ? vt_tosca_text(p->t, a->iface->name)
			    : a->rel ? "Configure"
				     : "Standard";
	if (a->rel && a->rel->source != a->node) {
		vt_tosca_path(b, p->t, a->rel->source);
		vt_buf_putc(b, '.');
	}
	if (a->rel) {
		vt_tplan_rel_name(b, p->t, a->rel);
		vt_buf_putc(b, '.');
	}
	vt_buf_printf(b, "%s.%s", iface,
		a->op && a->role != VT_TL_CALL ? vt_tosca_text(p->t, a->op->name)
					       : vt_troles[a->role].op);
}
