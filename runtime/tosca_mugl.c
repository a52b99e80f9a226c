/*
 * tosca_mugl.c - the topology as a MuGL graph (docs/mugl.md): a resource for each node, group and
 * policy, an edge for each relationship, member and target.  docs/tosca.md, "MuGL", says what is in
 * it.
 *
 * Monikers are those of the state of a deployed service: web, web_1 where there are several,
 * outer/web inside of a substituted node; groups/NAME, policies/NAME.  Should two read alike, the
 * later one gets a ~ at its end.
 */
#include "mugl.h"
#include "tosca_mem.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 1000 };

typedef struct graph {
	vt_tosca *t;
	mugl *g;
	mugl_id *node;  /* by position in t->nodes */
	mugl_id *group; /* by row; of the service at hand */
	const char *why;
} graph;

#define PUT(o, to, key, v) mugl_put((o)->g, to, key, sizeof key - 1, v)

/* ---- values ---- */

static mugl_node
text(const graph *o, uint32_t str)
{
	const vt_str *s = o->t->m->str[str];
	return mugl_str(o->g, s->s, s->bytes);
}

/* Maps with keys that are no texts, as JSON tells them. */
static bool
by_json(const graph *o, vt_value v, mugl_node *out)
{
	vt_buf b = {NULL, 0, 0};
	mugl_problems bad = {0};
	vt_json_write(o->t->rt, &b, v, 0);
	bool good = mugl_read_json(o->g, b.p, b.n, out, &bad);
	mugl_problems_free(&bad);
	vt_buf_free(&b);
	return good;
}

static mugl_node
value(graph *o, vt_value v)
{
	mugl_node out = mugl_null();
	const char *why = NULL;
	if (v == VT_UNDEF || v == VT_NOVALUE)
		return out;
	vt_value shown = vt_tosca_shown(o->t, v);
	if (!mugl_from_value(o->g, o->t->rt, shown, NULL, &out, &why) && !by_json(o, shown, &out))
		o->why = why;
	vt_release(shown);
	return out;
}

/* all: also what nobody gave a value. */
static void
put_bag(graph *o, mugl_node *to, const char *key, const vt_tbag *b, bool all)
{
	mugl_node d = mugl_object();
	for (uint32_t i = 0; i < b->n; i++) {
		const vt_str *name = o->t->m->str[b->cell[i].name];
		if (all || b->cell[i].value != VT_NOVALUE)
			mugl_put(o->g, &d, name->s, name->bytes, value(o, b->cell[i].value));
	}
	if (d.n)
		mugl_put(o->g, to, key, strlen(key), d);
}

static mugl_node
edge_to(const graph *o, mugl_id id)
{
	mugl_text name = mugl_name(o->g, id);
	return mugl_edge(o->g, name.p, name.n);
}

/* ---- vertices ---- */

static void
put_path(vt_buf *b, const vt_tosca *t, const vt_tnodei *n)
{
	if (n->service->outside) {
		put_path(b, t, n->service->outside);
		vt_buf_putc(b, '/');
	}
	vt_tosca_name(b, t, n);
}

/* A vertex of that name, or of one like it; the name is freed. */
static mugl_id
define(const graph *o, vt_buf *name, uint32_t type)
{
	while (mugl_find(o->g, name->p, name->n) != MUGL_NONE)
		vt_buf_putc(name, '~');
	(void)mugl_properties(o->g, name->p, name->n,
		type ? vt_tosca_text(o->t, o->t->m->type[type].canon) : "tosca");
	mugl_id id = mugl_find(o->g, name->p, name->n);
	vt_buf_free(name);
	return id;
}

static void
define_nodes(const graph *o)
{
	for (uint32_t i = 0; i < o->t->nnodes; i++) {
		vt_buf name = {NULL, 0, 0};
		put_path(&name, o->t, o->t->nodes[i]);
		o->node[i] = define(o, &name, o->t->nodes[i]->t->type);
	}
}

/* Its properties, to be filled; no vertex is made meanwhile. */
static mugl_node *
open_vertex(const graph *o, mugl_id id)
{
	const mugl_node *type = mugl_get(mugl_body(o->g, id), "type", 4);
	mugl_text name = mugl_name(o->g, id);
	char *copy = vt_xmalloc(type->n + 1);
	memcpy(copy, type->s, type->n);
	copy[type->n] = '\0';
	mugl_node *p = mugl_properties(o->g, name.p, name.n, copy);
	free(copy);
	return p;
}

/* ---- nodes ---- */

static mugl_node
relationship(graph *o, const vt_treli *r)
{
	mugl_node d = mugl_object();
	PUT(o, &d, "to", edge_to(o, o->node[r->target->order]));
	PUT(o, &d, "capability", text(o, r->cap->def->name));
	if (r->type)
		PUT(o, &d, "type", text(o, o->t->m->type[r->type].canon));
	put_bag(o, &d, "properties", &r->props, false);
	put_bag(o, &d, "attributes", &r->attrs, true);
	return d;
}

/* {requirement: [relationship...]}; those of a name stand together, but for what substitutions add.
 */
static mugl_node
requirements(graph *o, const vt_tnodei *n)
{
	mugl_node all = mugl_object();
	for (uint32_t i = 0; i < n->nrels; i++) {
		const vt_str *name = o->t->m->str[n->rels[i]->name];
		mugl_node one = relationship(o, n->rels[i]);
		mugl_node *list = (mugl_node *)(uintptr_t)mugl_get(&all, name->s, name->bytes);
		if (!list)
			list = mugl_put(o->g, &all, name->s, name->bytes, mugl_array());
		mugl_push(o->g, list, one);
	}
	return all;
}

static mugl_node
capabilities(graph *o, const vt_tnodei *n)
{
	mugl_node all = mugl_object();
	for (uint32_t i = 0; i < n->ncaps; i++) {
		const vt_str *name = o->t->m->str[n->caps[i].def->name];
		mugl_node one = mugl_object();
		put_bag(o, &one, "properties", &n->caps[i].props, false);
		put_bag(o, &one, "attributes", &n->caps[i].attrs, true);
		if (one.n)
			mugl_put(o->g, &all, name->s, name->bytes, one);
	}
	return all;
}

static mugl_node
substitution(graph *o, const vt_tservicei *s)
{
	mugl_node d = mugl_object(), nodes = mugl_array();
	put_bag(o, &d, "inputs", &s->inputs, false);
	put_bag(o, &d, "outputs", &s->outputs, true);
	for (uint32_t i = 0; i < s->s->nodes.n; i++)
		for (uint32_t k = 0; k < s->count[i]; k++)
			mugl_push(o->g, &nodes, edge_to(o, o->node[s->first[i][k].order]));
	PUT(o, &d, "nodes", nodes);
	return d;
}

static void
fill_node(graph *o, const vt_tnodei *n)
{
	mugl_node *p = open_vertex(o, o->node[n->order]), part;
	put_bag(o, p, "properties", &n->props, false);
	put_bag(o, p, "attributes", &n->attrs, true);
	part = capabilities(o, n);
	if (part.n)
		PUT(o, p, "capabilities", part);
	part = requirements(o, n);
	if (part.n)
		PUT(o, p, "requirements", part);
	if (n->inside)
		PUT(o, p, "substitution", substitution(o, n->inside));
}

/* ---- groups and policies ---- */

static mugl_id
define_group(const graph *o, const vt_tservicei *s, const char *section, const vt_tgroup *g)
{
	vt_buf name = {NULL, 0, 0};
	if (s->outside) {
		put_path(&name, o->t, s->outside);
		vt_buf_putc(&name, '/');
	}
	vt_buf_printf(&name, "%s/%s", section, vt_tosca_text(o->t, g->name));
	return define(o, &name, g->type);
}

static void
fill_group(graph *o, const vt_tservicei *s, mugl_id id, const char *edges, const vt_tgroup *g,
	const vt_tbag *props)
{
	mugl_node *p = open_vertex(o, id), list = mugl_array();
	put_bag(o, p, "properties", props, false);
	for (uint32_t i = 0; i < g->members.n; i++) {
		uint32_t member = o->t->m->index[g->members.first + i],
			 row = member - s->s->nodes.first;
		if (member & VT_TMEMBER_GROUP)
			mugl_push(o->g, &list, edge_to(o, o->group[member & ~VT_TMEMBER_GROUP]));
		else
			for (uint32_t k = 0; k < s->count[row]; k++)
				mugl_push(o->g, &list, edge_to(o, o->node[s->first[row][k].order]));
	}
	if (list.n)
		mugl_put(o->g, p, edges, strlen(edges), list);
}

static void
groups(graph *o, const vt_tservicei *s)
{
	const vt_tmodel *m = o->t->m;
	for (uint32_t i = 0; i < s->s->groups.n; i++)
		o->group[s->s->groups.first + i] =
			define_group(o, s, "groups", &m->group[s->s->groups.first + i]);
	for (uint32_t i = 0; i < s->s->groups.n; i++)
		fill_group(o, s, o->group[s->s->groups.first + i], "members",
			&m->group[s->s->groups.first + i], &s->groups[i]);
	for (uint32_t i = 0; i < s->s->policies.n; i++) {
		const vt_tgroup *p = &m->policy[s->s->policies.first + i];
		fill_group(o, s, define_group(o, s, "policies", p), "targets", p, &s->policies[i]);
	}
}

/* ---- all of it ---- */

static void
put_header(graph *o, const vt_tservicei *s)
{
	mugl_node d = mugl_object();
	if (s->s->description)
		PUT(o, &d, "description", text(o, s->s->description));
	put_bag(o, &d, "inputs", &s->inputs, false);
	put_bag(o, &d, "outputs", &s->outputs, true);
	PUT(o, mugl_header(o->g), "tosca", d);
}

static bool
finish(graph *o, vt_buf *b, bool pretty, char **why)
{
	mugl_problems bad = {0};
	bool good = !o->why && mugl_write(o->g, pretty ? 0 : MUGL_COMPACT, b, &bad);
	if (!good)
		*why = vt_xstrdup(o->why  ? o->why
				  : bad.n ? bad.p[0].message
					  : "the graph cannot be written");
	else if (!b->n || b->p[b->n - 1] != '\n')
		vt_buf_putc(b, '\n');
	mugl_problems_free(&bad);
	return good;
}

bool
vt_tosca_mugl(vt_tosca *t, vt_buf *b, bool pretty, char **why)
{
	mugl_options options = {.max_depth = DEEPEST};
	graph o = {.t = t, .g = mugl_new(&options)};
	o.node = vt_xmalloc((t->nnodes + 1) * sizeof *o.node);
	o.group = vt_xmalloc((t->m->n_group + 1) * sizeof *o.group);
	define_nodes(&o);
	for (uint32_t i = 0; i < t->nnodes; i++)
		fill_node(&o, t->nodes[i]);
	for (uint32_t i = 0; i < t->nservices; i++)
		groups(&o, t->services[i]);
	if (t->nservices)
		put_header(&o, t->services[0]);
	bool good = finish(&o, b, pretty, why);
	mugl_free(o.g);
	free(o.node);
	free(o.group);
	return good;
}
