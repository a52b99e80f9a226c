/*
 * mugl.c - the topology as a MuGL graph (docs/mugl.md): a resource for each node, group and
 * policy, an edge for each relationship, member and target.  docs/tosca.md, "MuGL", says what is in
 * it.
 *
 * Monikers are those of the state of a deployed service: web, web_1 where there are several,
 * outer/web inside of a substituted node; groups/NAME, policies/NAME.  Should two read alike, the
 * later one gets a ~ at its end.
 *
 * Vertices are defined first, nodes by their position in t->nodes and what stands in `others`
 * behind them, and made one by one while they are written: a topology may be large.
 */
#include "runtime/mugl/mugl.h"
#include "runtime/tosca/mem.h"
#include "runtime/core/session.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 1000 };

/* A group or policy. */
typedef struct other {
	const vt_tservicei *s;
	const vt_tgroup *g;
	const vt_tbag *props;
	const char *edges;
	mugl_id first; /* of the groups of its service */
} other;
typedef struct graph {
	vt_tosca *t;
	mugl *g;
	other *others;
	uint32_t nothers;
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

/* Maps with keys that are no texts, as JSON shows them. */
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

/* A vertex of that name, or of one like it; the name is freed. */
static void
define(const graph *o, vt_buf *name)
{
	while (mugl_find(o->g, name->p, name->n) != MUGL_NONE)
		vt_buf_putc(name, '~');
	mugl_define(o->g, mugl_intern(o->g, name->p, name->n));
	vt_buf_free(name);
}

static void
define_nodes(const graph *o)
{
	for (uint32_t i = 0; i < o->t->nnodes; i++) {
		vt_buf name = {NULL, 0, 0};
		vt_tosca_path(&name, o->t, o->t->nodes[i]);
		define(o, &name);
	}
}

/* Its properties are filled before they are put into the body. */
static void
put_vertex(const graph *o, mugl_node *body, uint32_t type, mugl_node properties)
{
	PUT(o, body, "type",
		type ? text(o, o->t->m->type[type].canon) : mugl_str(o->g, "tosca", 5));
	PUT(o, body, "properties", properties);
}

/* ---- nodes ---- */

static mugl_node
relationship(graph *o, const vt_treli *r)
{
	mugl_node d = mugl_object();
	PUT(o, &d, "to", edge_to(o, r->target->order));
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
			mugl_push(o->g, &nodes, edge_to(o, s->first[i][k].order));
	PUT(o, &d, "nodes", nodes);
	return d;
}

static void
make_node(graph *o, const vt_tnodei *n, mugl_node *body)
{
	mugl_node p = mugl_object(), part;
	put_bag(o, &p, "properties", &n->props, false);
	put_bag(o, &p, "attributes", &n->attrs, true);
	part = capabilities(o, n);
	if (part.n)
		PUT(o, &p, "capabilities", part);
	part = requirements(o, n);
	if (part.n)
		PUT(o, &p, "requirements", part);
	if (n->inside)
		PUT(o, &p, "substitution", substitution(o, n->inside));
	put_vertex(o, body, n->t->type, p);
}

/* ---- groups and policies ---- */

static void
define_other(graph *o, const char *section, other x)
{
	vt_buf name = {NULL, 0, 0};
	if (x.s->outside) {
		vt_tosca_path(&name, o->t, x.s->outside);
		vt_buf_putc(&name, '/');
	}
	vt_buf_printf(&name, "%s/%s", section, vt_tosca_text(o->t, x.g->name));
	define(o, &name);
	vt_push(o->others, o->nothers) = x;
}

static void
define_others(graph *o, const vt_tservicei *s)
{
	const vt_tmodel *m = o->t->m;
	mugl_id first = o->t->nnodes + o->nothers;
	for (uint32_t i = 0; i < s->s->groups.n; i++)
		define_other(o, "groups",
			(other){s, &m->group[s->s->groups.first + i], &s->groups[i], "members",
				first});
	for (uint32_t i = 0; i < s->s->policies.n; i++)
		define_other(o, "policies",
			(other){s, &m->policy[s->s->policies.first + i], &s->policies[i], "targets",
				first});
}

static void
make_other(graph *o, const other *x, mugl_node *body)
{
	const vt_tservicei *s = x->s;
	mugl_node p = mugl_object(), list = mugl_array();
	put_bag(o, &p, "properties", x->props, false);
	for (uint32_t i = 0; i < x->g->members.n; i++) {
		uint32_t member = o->t->m->index[x->g->members.first + i],
			 row = member - s->s->nodes.first;
		if (member & VT_TMEMBER_GROUP)
			mugl_push(o->g, &list,
				edge_to(o, x->first + (member & ~VT_TMEMBER_GROUP) -
						   s->s->groups.first));
		else
			for (uint32_t k = 0; k < s->count[row]; k++)
				mugl_push(o->g, &list, edge_to(o, s->first[row][k].order));
	}
	if (list.n)
		mugl_put(o->g, &p, x->edges, strlen(x->edges), list);
	put_vertex(o, body, x->g->type, p);
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

static void
make(void *ctx, mugl *g, mugl_id id, mugl_node *body)
{
	graph *o = ctx;
	(void)g;
	if (id < o->t->nnodes)
		make_node(o, o->t->nodes[id], body);
	else
		make_other(o, &o->others[id - o->t->nnodes], body);
}

static bool
finish(graph *o, vt_buf *b, int flags, char **why)
{
	mugl_problems bad = {0};
	size_t before = b->n;
	bool good = mugl_write_made(
			    o->g, flags & VT_JSON_PRETTY ? 0 : MUGL_COMPACT, make, o, b, &bad) &&
		    !o->why;
	if (!good) {
		b->n = before;
		*why = vt_xstrdup(o->why  ? o->why
				  : bad.n ? bad.p[0].message
					  : "the graph cannot be written");
	} else if (!b->n || b->p[b->n - 1] != '\n')
		vt_buf_putc(b, '\n');
	mugl_problems_free(&bad);
	return good;
}

bool
vt_tosca_mugl(vt_tosca *t, vt_buf *b, int flags, char **why)
{
	mugl_options options = {.max_depth = DEEPEST};
	graph o = {.t = t, .g = mugl_new(&options)};
	define_nodes(&o);
	for (uint32_t i = 0; i < t->nservices; i++)
		define_others(&o, t->services[i]);
	if (t->nservices)
		put_header(&o, t->services[0]);
	bool good = finish(&o, b, flags, why);
	mugl_free(o.g);
	free(o.others);
	return good;
}
