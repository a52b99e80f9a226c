/*
 * substitute.c - nodes with the directive substitute: another service stands inside of them,
 * and its mappings say what of the inside is what of the outside (TOSCA 2.0, 15).
 */
#include "runtime/tosca/mem.h"
#include "runtime/core/session.h"

#include <stdlib.h>
#include <string.h>

/* The same type or a derived one; services that were written apart may each declare it. */
static bool
stands_for(const vt_tmodel *m, uint32_t type, uint32_t wanted)
{
	while (type && type != wanted && m->type[type].canon != m->type[wanted].canon)
		type = m->type[type].parent;
	return type != 0;
}

static bool
substitutes(vt_tosca *t, uint32_t service, vt_tnodei *n)
{
	const vt_tservice *s = &t->m->service[service];
	return s->sub_type && s != n->service->s && stands_for(t->m, s->sub_type, n->t->type) &&
	       vt_tosca_filter_passes(t, s->sub_filter, n, false);
}

/* Would the inside stand within an instance of its own service? */
static bool
is_within(const vt_tservicei *v, const vt_tservice *s)
{
	for (; v; v = v->outside ? v->outside->service : NULL)
		if (v->s == s)
			return true;
	return false;
}

static vt_tnodei *
inner_node(vt_tservicei *v, const vt_tmapping *map)
{
	return map->node ? vt_tosca_node(v, map->node - v->s->nodes.first, 0) : NULL;
}

static vt_tcapi *
find_cap(vt_tnodei *n, uint32_t name)
{
	for (uint32_t i = 0; i < n->ncaps; i++)
		if (n->caps[i].def->name == name)
			return &n->caps[i];
	return NULL;
}

/* Properties of the node become inputs, or properties of nodes inside. */
static void
link_in(vt_tosca *t, vt_tservicei *v, const vt_tmapping *map)
{
	vt_tnodei *inner = inner_node(v, map);
	vt_tcell *to = inner ? vt_tosca_find_own(t, &inner->props, map->inner)
			     : vt_tosca_find(&v->inputs, map->inner);
	vt_tcell *from = vt_tosca_find(&v->outside->props, map->name);
	if (to && from && (from->expr || from->given))
		vt_tosca_link(t, to, vt_tosca_node_ctx(v->outside), from);
}

/* Inputs that no mapping mentions have the value of the property of their name. */
static void
link_rest(vt_tosca *t, vt_tservicei *v)
{
	for (uint32_t i = 0; i < v->inputs.n; i++) {
		vt_tcell *c = &v->inputs.cell[i],
			 *from = vt_tosca_find(&v->outside->props, c->name);
		if (!c->given && from && (from->expr || from->given) &&
			!(t->m->slot[c->slot].flags & VT_TS_FIXED))
			vt_tosca_link(t, c, vt_tosca_node_ctx(v->outside), from);
	}
}

/* Attributes of the node are outputs, or attributes of nodes inside. */
static void
link_out(vt_tosca *t, vt_tservicei *v, const vt_tmapping *map)
{
	vt_tnodei *inner = inner_node(v, map);
	vt_tcell *from = inner ? vt_tosca_find(&inner->attrs, map->inner)
			       : vt_tosca_find(&v->outputs, map->inner);
	vt_tcell *to = vt_tosca_find_own(t, &v->outside->attrs, map->name);
	if (from && to)
		vt_tosca_link(
			t, to, inner ? vt_tosca_node_ctx(inner) : vt_tosca_service_ctx(v), from);
}

static const vt_treq *
req_named(const vt_tosca *t, const vt_tnodei *n, uint32_t name, uint32_t nth)
{
	const vt_treq *last = NULL;
	for (uint32_t i = 0; i < n->t->reqs.n; i++) {
		const vt_treq *q = &t->m->req[n->t->reqs.first + i];
		if (t->m->reqdef[q->def].name != name)
			continue;
		last = q;
		if (!nth--)
			break;
	}
	return last;
}

/* The number of the next relationship of that name. */
static uint32_t
next_index(const vt_tnodei *n, uint32_t name)
{
	for (uint32_t i = n->nrels; i-- > 0;)
		if (n->rels[i]->name == name)
			return n->rels[i]->index + 1;
	return 0;
}

/* The relationships of a node inside, with one more. */
static void
append_rel(vt_tosca *t, vt_tnodei *n, vt_treli *r)
{
	if (n->nrels == n->caprels) {
		uint32_t cap = n->caprels * 2 + 2;
		vt_treli **rels = vt_tosca_alloc(t, cap * sizeof *rels);
		for (uint32_t i = 0; i < n->nrels; i++)
			rels[i] = n->rels[i];
		n->rels = rels;
		n->caprels = cap;
	}
	r->index = next_index(n, r->name);
	r->at = n->nrels;
	n->rels[n->nrels++] = r;
}

/* Lines of substitution_mappings by the requirement that they name. */
typedef struct lines {
	struct line {
		uint32_t name, n;  /* so many lines */
		bool begun, spent; /* a relationship was taken; there is none left */
		bool scarce;       /* there may be fewer relationships than lines */
		vt_treli *last;    /* that one */
	} * line;
	uint32_t mask;
} lines;

static struct line *
line_of(lines *l, uint32_t name)
{
	uint32_t i = name * 2654435769u & l->mask;
	while (l->line[i].name && l->line[i].name != name)
		i = (i + 1) & l->mask;
	l->line[i].name = name;
	return &l->line[i];
}

static const vt_treqdef *
reqdef_named(const vt_tmodel *m, uint32_t type, uint32_t name, uint32_t *row)
{
	vt_tspan defs = m->type[type].reqs;
	for (uint32_t i = 0; i < defs.n; i++)
		if (m->reqdef[ *row = defs.first + i].name == name)
			return &m->reqdef[*row];
	return NULL;
}

/* The template may assign nothing to a requirement that need not be met: then it is made here. */
static const vt_treq *
inner_req(vt_tosca *t, const vt_tnodei *inner, const vt_tmapping *map)
{
	const vt_treq *q = req_named(t, inner, map->inner, 0);
	uint32_t row = 0;
	const vt_treqdef *d = q ? NULL : reqdef_named(t->m, inner->t->type, map->inner, &row);
	vt_treq *made;
	if (!d)
		return q;
	made = vt_tosca_alloc(t, sizeof *made);
	*made = (vt_treq){.def = row, .rel_type = d->rel_type, .added = 1, .place = map->place};
	return made;
}

/* Is the node itself mapped, to be one that is there already? */
static bool
is_selected(const vt_tnodei *inner, const vt_tmapping *map)
{
	return inner && !map->inner && inner->t->directive & VT_TN_SELECT;
}

static bool
is_mandatory(vt_tosca *t, vt_tnodei *inner, const vt_tmapping *map)
{
	const vt_treq *q = inner && map->inner ? req_named(t, inner, map->inner, 0) : NULL;
	vt_tctx ctx = inner ? vt_tosca_node_ctx(inner) : (vt_tctx){0};
	return is_selected(inner, map) || (q && !vt_tosca_is_optional(t, &ctx, q));
}

/* Selected nodes are linked before values inside are asked for; the others are related when
 * requirements inside are resolved. */
enum stage { SELECTING, RELATING };

static bool
selects(const vt_tosca *t, vt_tservicei *v)
{
	const vt_tmapping *map = t->m->mapping + v->s->mappings.first;
	bool any = false;
	for (uint32_t i = 0; i < v->s->mappings.n && !any; i++)
		any = map[i].kind == VT_TM_REQUIREMENT &&
		      is_selected(inner_node(v, &map[i]), &map[i]);
	return any;
}

static void
link_bag(vt_tosca *t, vt_tbag *to, vt_tnodei *of, vt_tbag *from)
{
	for (uint32_t i = 0; i < from->n; i++) {
		vt_tcell *c = vt_tosca_find_own(t, to, from->cell[i].name);
		if (c)
			vt_tosca_link(t, c, vt_tosca_node_ctx(of), &from->cell[i]);
	}
}

/* A node to be selected is the one that the outer node is related to: its values are that one's. */
static void
be_selected(vt_tosca *t, vt_tnodei *inner, const vt_tmapping *map, vt_tnodei *target)
{
	if (!stands_for(t->m, target->t->type, inner->t->type)) {
		vt_buf b = {NULL, 0, 0};
		vt_tosca_name(&b, t, target);
		vt_buf_putc(&b, 0);
		vt_tosca_problem(t, VT_E2054, map->place,
			"'%s' is of the type %s, and '%s', which it would be selected for, of %s",
			b.p, vt_tosca_text(t, t->m->type[target->t->type].name),
			vt_tosca_text(t, inner->t->name),
			vt_tosca_text(t, t->m->type[inner->t->type].name));
		vt_buf_free(&b);
		return;
	}
	link_bag(t, &inner->props, target, &target->props);
	link_bag(t, &inner->attrs, target, &target->attrs);
	for (uint32_t i = 0; i < inner->ncaps; i++) {
		vt_tcapi *c = find_cap(target, inner->caps[i].def->name);
		if (c) {
			link_bag(t, &inner->caps[i].props, target, &c->props);
			link_bag(t, &inner->caps[i].attrs, target, &c->attrs);
		}
	}
}

/* A node inside is related to what the outer node is related to; false: its requirement is full. */
static bool
link_one(vt_tosca *t, vt_tservicei *v, const vt_tmapping *map, vt_treli *out, enum stage stage)
{
	vt_tnodei *inner = inner_node(v, map);
	if (is_selected(inner, map)) {
		if (stage == SELECTING)
			be_selected(t, inner, map, out->target);
		return true;
	}
	const vt_treq *q = inner && map->inner ? inner_req(t, inner, map) : NULL;
	const vt_treqdef *d = q ? &t->m->reqdef[q->def] : NULL;
	if (!q || (d->hi != VT_TUNBOUNDED && next_index(inner, map->inner) >= d->hi))
		return false;
	if (stage == SELECTING)
		return true;
	append_rel(t, inner, vt_tosca_relate(t, inner, q, out->cap));
	out->cap->used--; /* it is the same relationship, seen from inside */
	return true;
}

/* Of those that the lines of its name have left: the next one, or the one that the index says. */
static vt_treli *
outer_rel(vt_tosca *t, vt_tservicei *v, const vt_tmapping *map, struct line *line)
{
	vt_tctx ctx = vt_tosca_service_ctx(v);
	uint32_t nth = 0;
	vt_treli *r = NULL;
	if (!map->index)
		return vt_tosca_next_rel(v->outside, map->name, line->begun ? line->last : NULL);
	if (!vt_tosca_count(t, &ctx, map->index, "the index of a requirement", &nth))
		return NULL;
	do
		r = vt_tosca_next_rel(v->outside, map->name, r);
	while (r && nth--);
	return r;
}

/*
 * How many relationships a line takes (TOSCA 2.0, 15.5.1 and 15.5.5): as it says, all that are left
 * with UNBOUNDED or, from 2.0 on, where it is the only line of its name, else one.
 */
static uint32_t
line_count(vt_tosca *t, vt_tservicei *v, const vt_tmapping *map, const struct line *line)
{
	vt_tctx ctx = vt_tosca_service_ctx(v);
	uint32_t count = 1;
	if (!map->count)
		return line->n == 1 && !map->index && t->m->version & VT_TV_2_0 ? UINT32_MAX : 1;
	if (t->m->expr[map->count].kind == VT_TX_STR)
		return UINT32_MAX;
	return vt_tosca_count(t, &ctx, map->count, "the number of requirements", &count) ? count
											 : 0;
}

/* The rows of a line, which the same relationships are mapped to. */
static void
link_line(vt_tosca *t, vt_tservicei *v, const vt_tmapping *map, uint32_t n, struct line *line,
	enum stage stage)
{
	uint32_t count = line_count(t, v, map, line);
	if (count > 1 && is_selected(inner_node(v, map), map))
		count = 1; /* it can only be one */
	while (count--) {
		vt_treli *out = line->spent ? NULL : outer_rel(t, v, map, line);
		bool linked = false;
		line->spent = !out && !map->index;
		for (uint32_t i = 0; out && i < n; i++)
			linked |= link_one(t, v, &map[i], out, stage);
		if (!linked)
			return;
		if (!map->index) {
			line->begun = true;
			line->last = out;
		}
	}
}

static uint32_t
rows_of_line(const vt_tmapping *map, uint32_t n)
{
	uint32_t rows = 1;
	while (rows < n && map[rows].kind == VT_TM_REQUIREMENT && map[rows].again)
		rows++;
	return rows;
}

static bool
is_scarce(const vt_tosca *t, const vt_tservicei *v, const struct line *line)
{
	uint32_t row;
	const vt_treqdef *d = reqdef_named(t->m, v->outside->t->type, line->name, &row);
	return d && line->n > d->lo;
}

/*
 * Each relationship of the outer node goes to one line, in their order; where there are more lines
 * than relationships that must be, lines of requirements inside that are not optional come first
 * (15.5.4).
 */
static void
link_requirements(vt_tosca *t, vt_tservicei *v, enum stage stage)
{
	const vt_tmapping *map = t->m->mapping + v->s->mappings.first;
	uint32_t n = v->s->mappings.n;
	lines l = {NULL, 15};
	if (stage == SELECTING && !selects(t, v))
		return;
	while (l.mask / 2 < n)
		l.mask = l.mask * 2 + 1;
	l.line = vt_xzalloc((l.mask + 1) * sizeof *l.line);
	for (uint32_t i = 0; i < n; i++)
		if (map[i].kind == VT_TM_REQUIREMENT && !map[i].again)
			line_of(&l, map[i].name)->n++;
	for (uint32_t i = 0; i <= l.mask; i++)
		l.line[i].scarce = l.line[i].name && is_scarce(t, v, &l.line[i]);
	for (int optional = 0; optional < 2; optional++)
		for (uint32_t i = 0; i < n; i++) {
			struct line *line = map[i].kind == VT_TM_REQUIREMENT && !map[i].again
						    ? line_of(&l, map[i].name)
						    : NULL;
			bool waits = line && line->scarce &&
				     !is_mandatory(t, inner_node(v, &map[i]), &map[i]);
			if (line && waits == optional)
				link_line(t, v, &map[i], rows_of_line(map + i, n - i), line, stage);
		}
	free(l.line);
}

/* Who is related to a capability of the outer node is related to that of the inner one: values of
 * both are one. */
static void
link_capability(vt_tosca *t, vt_tservicei *v, const vt_tmapping *map)
{
	vt_tnodei *inner = inner_node(v, map);
	vt_tcapi *in = inner ? find_cap(inner, map->inner) : NULL,
		 *out = find_cap(v->outside, map->name);
	if (!in || !out)
		return;
	for (uint32_t i = 0; i < out->attrs.n; i++) {
		vt_tcell *from = vt_tosca_find(&in->attrs, out->attrs.cell[i].name);
		vt_tcell *to = from ? vt_tosca_find_own(t, &out->attrs, from->name) : NULL;
		if (to)
			vt_tosca_link(t, to, vt_tosca_node_ctx(inner), from);
	}
	in->outer = out;
	in->used += out->used;
}

static void
link_inside(vt_tosca *t, vt_tservicei *v, bool before)
{
	const vt_tmapping *map = t->m->mapping + v->s->mappings.first;
	for (uint32_t i = 0; i < v->s->mappings.n; i++) {
		switch ((enum vt_tmap_kind)map[i].kind) {
		case VT_TM_PROPERTY:
			if (before)
				link_in(t, v, &map[i]);
			break;
		case VT_TM_CAPABILITY:
			if (before)
				link_capability(t, v, &map[i]);
			break;
		case VT_TM_ATTRIBUTE:
			if (!before)
				link_out(t, v, &map[i]);
			break;
		case VT_TM_REQUIREMENT:
		case VT_TM_INTERFACE: break;
		}
	}
	link_requirements(t, v, before ? SELECTING : RELATING);
}

/* The inputs are linked before nodes are made: counts may depend on them. */
static void
substitute(vt_tosca *t, vt_tnodei *n, uint32_t service)
{
	vt_tservicei *v = n->inside = vt_tosca_service(t, service, n);
	const vt_tmapping *map = t->m->mapping + v->s->mappings.first;
	for (uint32_t i = 0; i < v->s->mappings.n; i++)
		if (map[i].kind == VT_TM_PROPERTY && !map[i].node)
			link_in(t, v, &map[i]);
	link_rest(t, v);
	vt_tosca_fill_service(t, v);
	link_inside(t, v, true);
	t->mem->resolved = false;
	vt_tosca_resolve_service(t, v);
	t->mem->resolved = true;
	t->epoch++;
	link_inside(t, v, false);
}

/* ---- which service ---- */

/* Services by what their filters ask for; those of other filters, or of none, stand by themselves.
 */
enum { MOST_GROUPS = 16 };
typedef struct offers {
	struct group {
		uint32_t asked;
		vt_tindex x;
	} group[MOST_GROUPS];
	uint32_t ngroups, *others, nothers;
} offers;

static struct group *
group_of(const vt_tosca *t, offers *o, uint32_t asked)
{
	for (uint32_t i = 0; i < o->ngroups; i++)
		if (vt_tosca_same_expr(t->m, o->group[i].asked, asked))
			return &o->group[i];
	if (o->ngroups == MOST_GROUPS)
		return NULL;
	o->group[o->ngroups] = (struct group){.asked = asked};
	return &o->group[o->ngroups++];
}

static void
collect(vt_tosca *t, offers *o)
{
	vt_tctx ctx = {.value = VT_UNDEF};
	vt_tkey key;
	for (uint32_t s = 1; s < t->m->n_service; s++) {
		const vt_tservice *row = &t->m->service[s];
		struct group *g = row->sub_type && vt_tosca_key(t->m, row->sub_filter, &key)
					  ? group_of(t, o, key.asked)
					  : NULL;
		if (g)
			vt_tosca_index_add(t, &g->x, &ctx, key.constant, s);
		else if (row->sub_type)
			vt_push(o->others, o->nothers) = s;
	}
	for (uint32_t i = 0; i < o->ngroups; i++)
		vt_tosca_index_done(&o->group[i].x);
}

static void
drop(offers *o)
{
	for (uint32_t i = 0; i < o->ngroups; i++)
		vt_tosca_index_free(&o->group[i].x);
	free(o->others);
}

/* The first service of a list that substitutes the node, if it comes before `best`. */
static uint32_t
first_of(vt_tosca *t, vt_tnodei *n, const uint32_t *list, uint32_t count, uint32_t best)
{
	for (uint32_t i = 0; i < count && list[i] < best; i++)
		if (!is_within(n->service, &t->m->service[list[i]]) && substitutes(t, list[i], n))
			return list[i];
	return best;
}

/* What the node gives is not plain: each service of the group is asked. */
static uint32_t
first_of_all(vt_tosca *t, vt_tnodei *n, const struct group *g, uint32_t best)
{
	for (uint32_t i = 0; i < g->x.n; i++)
		best = first_of(t, n, &g->x.keyed[i].at, 1, best);
	return first_of(t, n, g->x.rest, g->x.nrest, best);
}

static void
substitute_node(vt_tosca *t, vt_tnodei *n, const offers *o)
{
	vt_tctx ctx = vt_tosca_node_ctx(n);
	uint32_t best = first_of(t, n, o->others, o->nothers, UINT32_MAX), *list, count;
	for (uint32_t i = 0; i < o->ngroups; i++) {
		const struct group *g = &o->group[i];
		if (vt_tosca_index_ask(t, &g->x, &ctx, g->asked, &list, &count)) {
			best = first_of(t, n, list, count, best);
			free(list);
		} else {
			best = first_of_all(t, n, g, best);
		}
	}
	if (best != UINT32_MAX)
		substitute(t, n, best);
}

/* Nodes of substituting services come behind and are looked at in their turn. */
void
vt_tosca_substitute_all(vt_tosca *t)
{
	offers o = {.ngroups = 0};
	if (t->m->n_service <= 2)
		return;
	collect(t, &o);
	for (uint32_t i = 0; i < t->nnodes; i++)
		if (t->nodes[i]->t->directive & VT_TN_SUBSTITUTE && !t->nodes[i]->inside)
			substitute_node(t, t->nodes[i], &o);
	drop(&o);
}
