/*
 * out.c - the topology as a value: docs/tosca.md, "Topology", says what is in it.
 *
 * Names stand in the order of the files, types by name.  Parts that all nodes of a type have in
 * common, their types, interfaces and capabilities that nothing was assigned to, are made once.
 */
#include "runtime/tosca/stream.h"
#include "runtime/core/session.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

/* What is the same for all: by row of the model; VT_UNDEF: not made yet. */
typedef struct out {
	vt_tosca *t;
	vt_value *types;  /* by type */
	vt_value *ifaces; /* by type: those that it declares */
	vt_value *caps;   /* by type: of a node that assigns nothing to them */
	vt_value empty_map, empty_list;
	bool own; /* also which of its types something has itself: for pages */
} out;
static vt_value service_of(out *, vt_tservicei *);

/* ---- types ---- */

static int
by_text(const void *a, const void *b)
{
	return vt_str_cmp(vt_as_str(*(const vt_value *)a), vt_as_str(*(const vt_value *)b));
}

/* Canonical names of a type and its ancestors; owned. */
static vt_value
types_of(out *o, uint32_t type)
{
	if (!type)
		return vt_copy(o->empty_list);
	if (o->types[type] == VT_UNDEF) {
		vt_list *l = vt_list_grow(o->t->rt, VT_K_TUPLE, 4);
		for (uint32_t y = type; y; y = o->t->m->type[y].parent)
			vt_list_push(o->t->rt, l, vt_tosca_str(o->t, o->t->m->type[y].canon));
		qsort(l->v, l->n, sizeof *l->v, by_text);
		o->types[type] = vt_mkptr(l);
	}
	return vt_copy(o->types[type]);
}

static void
put_types(out *o, vt_dict *d, uint32_t type)
{
	if (o->own && type)
		vt_dict_set_c(o->t->rt, d, "type", vt_tosca_str(o->t, o->t->m->type[type].canon));
	vt_dict_set_c(o->t->rt, d, "types", types_of(o, type));
}

/* ---- values ---- */

static void
set(out *o, vt_dict *d, uint32_t name, vt_value owned)
{
	vt_dict_set(o->t->rt, d, vt_tosca_str(o->t, name), owned);
	vt_release(owned);
}

/* What is not known yet is null; `all` shows also what nobody gave a value. */
static vt_value
bag_value(out *o, const vt_tbag *b, bool all)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->n; i++)
		n += all || b->cell[i].value != VT_NOVALUE;
	if (!n)
		return vt_copy(o->empty_map);
	vt_dict *d = vt_dict_new_cap(o->t->rt, true, n);
	for (uint32_t i = 0; i < b->n; i++) {
		vt_value v = b->cell[i].value;
		if (v == VT_NOVALUE && !all)
			continue;
		set(o, d, b->cell[i].name,
			v == VT_NOVALUE || v == VT_UNDEF ? VT_NULL : vt_tosca_shown(o->t, v));
	}
	return vt_mkptr(d);
}

/* ---- parts of a node ---- */

static vt_value
capability(out *o, const vt_tcapi *c)
{
	vt_dict *d = vt_dict_new_cap(o->t->rt, true, 2);
	vt_dict_set_c(o->t->rt, d, "types", types_of(o, c->def->type));
	vt_dict_set_c(o->t->rt, d, "properties", bag_value(o, &c->props, false));
	return vt_mkptr(d);
}

static vt_value
make_capabilities(out *o, const vt_tnodei *n)
{
	vt_dict *d = vt_dict_new_cap(o->t->rt, true, n->ncaps);
	for (uint32_t i = 0; i < n->ncaps; i++)
		set(o, d, n->caps[i].def->name, capability(o, &n->caps[i]));
	return vt_mkptr(d);
}

static bool
all_shared(const vt_tosca *t, const vt_tnodei *n)
{
	for (uint32_t i = 0; i < n->ncaps; i++) {
		const vt_tbag *b = &n->caps[i].props;
		if (b->n && (!b->cell[0].slot || !t->mem->shared ||
				    t->mem->shared[b->cell[0].slot] != b->cell))
			return false;
	}
	return true;
}

static vt_value
capabilities(out *o, const vt_tnodei *n)
{
	if (!n->ncaps)
		return vt_copy(o->empty_map);
	if (!all_shared(o->t, n))
		return make_capabilities(o, n);
	vt_value *made = &o->caps[n->t->type];
	if (*made == VT_UNDEF)
		*made = make_capabilities(o, n);
	return vt_copy(*made);
}

static vt_value
operations(out *o, const vt_tiface *f)
{
	vt_list *l = vt_list_grow(o->t->rt, VT_K_TUPLE, f->ops.n);
	for (uint32_t i = 0; i < f->ops.n; i++)
		if (!o->t->m->op[f->ops.first + i].notification)
			vt_list_push(o->t->rt, l,
				vt_tosca_str(o->t, o->t->m->op[f->ops.first + i].name));
	if (l->n > 1)
		qsort(l->v, l->n, sizeof *l->v, by_text);
	return vt_mkptr(l);
}

static vt_value
make_interfaces(out *o, vt_tspan ifaces)
{
	vt_dict *d = vt_dict_new_cap(o->t->rt, true, ifaces.n);
	for (uint32_t i = 0; i < ifaces.n; i++) {
		const vt_tiface *f = &o->t->m->iface[ifaces.first + i];
		vt_dict *one = vt_dict_new_cap(o->t->rt, true, 2);
		vt_dict_set_c(o->t->rt, one, "types", types_of(o, f->type));
		vt_dict_set_c(o->t->rt, one, "operations", operations(o, f));
		set(o, d, f->name, vt_mkptr(one));
	}
	return vt_mkptr(d);
}

static vt_value
interfaces(out *o, const vt_tnode *n)
{
	if (n->ifaces.first)
		return make_interfaces(o, n->ifaces);
	vt_value *made = &o->ifaces[n->type];
	if (*made == VT_UNDEF)
		*made = make_interfaces(o, o->t->m->type[n->type].ifaces);
	return vt_copy(*made);
}

static vt_value
artifacts(out *o, const vt_tnode *n)
{
	vt_tspan a = n->artifacts.first ? n->artifacts : o->t->m->type[n->type].artifacts;
	if (!a.n)
		return vt_copy(o->empty_map);
	vt_dict *d = vt_dict_new_cap(o->t->rt, true, a.n);
	for (uint32_t i = 0; i < a.n; i++) {
		const vt_tartifact *row = &o->t->m->artifact[a.first + i];
		vt_dict *one = vt_dict_new_cap(o->t->rt, true, 2);
		vt_dict_set_c(o->t->rt, one, "types", types_of(o, row->type));
		vt_dict_set_c(o->t->rt, one, "path",
			row->path ? vt_tosca_str(o->t, row->path) : vt_str_c(o->t->rt, ""));
		set(o, d, row->name, vt_mkptr(one));
	}
	return vt_mkptr(d);
}

static vt_value
node_name(out *o, const vt_tnodei *n)
{
	vt_buf b = {NULL, 0, 0};
	if (n->of == 1)
		return vt_tosca_str(o->t, n->t->name);
	vt_tosca_name(&b, o->t, n);
	return vt_str_take(o->t->rt, &b);
}

static vt_value
relationship(out *o, const vt_treli *r)
{
	vt_rt *rt = o->t->rt;
	vt_dict *d = vt_dict_new_cap(rt, true, 5);
	vt_dict_set_c(rt, d, "name", vt_tosca_str(o->t, r->name));
	vt_dict_set_c(rt, d, "target", node_name(o, r->target));
	vt_dict_set_c(rt, d, "capability", vt_tosca_str(o->t, r->cap->def->name));
	vt_dict_set_c(rt, d, "types", types_of(o, r->type));
	vt_dict_set_c(rt, d, "properties", bag_value(o, &r->props, false));
	return vt_mkptr(d);
}

static vt_value
relationships(out *o, const vt_tnodei *n)
{
	if (!n->nrels)
		return vt_copy(o->empty_list);
	vt_list *l = vt_list_grow(o->t->rt, VT_K_TUPLE, n->nrels);
	for (uint32_t i = 0; i < n->nrels; i++)
		vt_list_push(o->t->rt, l, relationship(o, n->rels[i]));
	return vt_mkptr(l);
}

static vt_value
node(out *o, const vt_tnodei *n)
{
	vt_rt *rt = o->t->rt;
	vt_dict *d = vt_dict_new_cap(rt, true, n->inside ? 8 : 7);
	put_types(o, d, n->t->type);
	vt_dict_set_c(rt, d, "properties", bag_value(o, &n->props, false));
	vt_dict_set_c(rt, d, "attributes", bag_value(o, &n->attrs, true));
	vt_dict_set_c(rt, d, "capabilities", capabilities(o, n));
	vt_dict_set_c(rt, d, "interfaces", interfaces(o, n->t));
	vt_dict_set_c(rt, d, "artifacts", artifacts(o, n->t));
	vt_dict_set_c(rt, d, "relationships", relationships(o, n));
	if (n->inside)
		vt_dict_set_c(rt, d, "substitution", service_of(o, n->inside));
	return vt_mkptr(d);
}

static vt_value
nodes(out *o, const vt_tservicei *s)
{
	vt_dict *d = vt_dict_new_cap(o->t->rt, true, s->s->nodes.n);
	for (uint32_t i = 0; i < s->s->nodes.n; i++)
		for (uint32_t k = 0; k < s->count[i]; k++) {
			vt_value name = node_name(o, s->first[i] + k), v = node(o, s->first[i] + k);
			vt_dict_set(o->t->rt, d, name, v);
			vt_release(name);
			vt_release(v);
		}
	return vt_mkptr(d);
}

/* ---- groups and policies ---- */

static vt_value
members(out *o, const vt_tservicei *s, const vt_tgroup *g)
{
	const vt_tmodel *m = o->t->m;
	vt_list *l = vt_list_grow(o->t->rt, VT_K_TUPLE, g->members.n);
	for (uint32_t i = 0; i < g->members.n; i++) {
		uint32_t row = m->index[g->members.first + i];
		if (row & VT_TMEMBER_GROUP) {
			vt_list_push(o->t->rt, l,
				vt_tosca_str(o->t, m->group[row & ~VT_TMEMBER_GROUP].name));
			continue;
		}
		row -= s->s->nodes.first;
		for (uint32_t k = 0; k < s->count[row]; k++)
			vt_list_push(o->t->rt, l, node_name(o, s->first[row] + k));
	}
	if (l->n > 1)
		qsort(l->v, l->n, sizeof *l->v, by_text);
	return vt_mkptr(l);
}

static vt_value
groups(out *o, const vt_tservicei *s, const vt_tgroup *row, uint32_t n, const vt_tbag *props)
{
	vt_rt *rt = o->t->rt;
	vt_dict *d = vt_dict_new_cap(rt, true, n);
	for (uint32_t i = 0; i < n; i++) {
		vt_dict *one = vt_dict_new_cap(rt, true, 3);
		put_types(o, one, row[i].type);
		vt_dict_set_c(rt, one, "properties", bag_value(o, &props[i], false));
		vt_dict_set_c(rt, one, "members", members(o, s, &row[i]));
		set(o, d, row[i].name, vt_mkptr(one));
	}
	return vt_mkptr(d);
}

/* ---- all of it ---- */

static vt_value
service_of(out *o, vt_tservicei *s)
{
	vt_rt *rt = o->t->rt;
	const vt_tmodel *m = o->t->m;
	vt_dict *d = vt_dict_new_cap(rt, true, 5);
	vt_dict_set_c(rt, d, "inputs", bag_value(o, &s->inputs, false));
	vt_dict_set_c(rt, d, "outputs", bag_value(o, &s->outputs, true));
	vt_dict_set_c(rt, d, "nodes", nodes(o, s));
	vt_dict_set_c(rt, d, "groups",
		groups(o, s, m->group + s->s->groups.first, s->s->groups.n, s->groups));
	vt_dict_set_c(rt, d, "policies",
		groups(o, s, m->policy + s->s->policies.first, s->s->policies.n, s->policies));
	return vt_mkptr(d);
}

static vt_value
no_service(out *o)
{
	static const char *const parts[] = {"inputs", "outputs", "nodes", "groups", "policies"};
	vt_dict *d = vt_dict_new_cap(o->t->rt, true, VT_LEN(parts));
	for (size_t i = 0; i < VT_LEN(parts); i++)
		vt_dict_set_c(o->t->rt, d, parts[i], vt_copy(o->empty_map));
	return vt_mkptr(d);
}

static out
begin(vt_tosca *t, bool own)
{
	uint32_t n = t->m->n_type;
	return (out){t, vt_tmade_new(n), vt_tmade_new(n), vt_tmade_new(n),
		vt_mkptr(vt_dict_new(t->rt, true)), vt_mkptr(vt_list_new(t->rt, VT_K_TUPLE, 0)),
		own};
}

static void
end(out *o)
{
	uint32_t n = o->t->m->n_type;
	vt_tmade_free(o->types, n);
	vt_tmade_free(o->ifaces, n);
	vt_tmade_free(o->caps, n);
	vt_release(o->empty_map);
	vt_release(o->empty_list);
}

void
vt_tosca_topology(vt_tosca *t, vt_value *result)
{
	out o = begin(t, false);
	*result = t->nservices ? service_of(&o, t->services[0]) : no_service(&o);
	end(&o);
}

/* ---- as text, node by node ---- */

static void
put_nodes(const vt_tstream *x, out *o, const vt_tservicei *s)
{
	bool first = true;
	vt_buf_putc(x->b, '{');
	for (uint32_t i = 0; i < s->s->nodes.n; i++)
		if (s->count[i]) {
			vt_tstream_member(x, o->t->m->str[s->first[i]->t->name],
				node(o, s->first[i]), 2, first);
			first = false;
		}
	if (!first)
		vt_tstream_line(x, 1);
	vt_buf_putc(x->b, '}');
}

/* Names of several nodes of one template may be those of others, and then a map holds the last. */
static bool
is_plain(const vt_tosca *t)
{
	const vt_tservicei *s = t->nservices ? t->services[0] : NULL;
	for (uint32_t i = 0; s && i < s->s->nodes.n; i++)
		if (s->count[i] > 1 || (s->count[i] && s->first[i]->of != 1))
			return false;
	return s != NULL;
}

static void
put_plain(const vt_tstream *x, out *o)
{
	const vt_tmodel *m = o->t->m;
	const vt_tservicei *s = o->t->services[0];
	vt_buf_putc(x->b, '{');
	vt_tstream_part(x, "inputs", bag_value(o, &s->inputs, false), true);
	vt_tstream_part(x, "outputs", bag_value(o, &s->outputs, true), false);
	vt_tstream_part(x, "nodes", VT_UNDEF, false);
	put_nodes(x, o, s);
	vt_tstream_part(x, "groups",
		groups(o, s, m->group + s->s->groups.first, s->s->groups.n, s->groups), false);
	vt_tstream_part(x, "policies",
		groups(o, s, m->policy + s->s->policies.first, s->s->policies.n, s->policies),
		false);
	vt_tstream_line(x, 0);
	vt_buf_putc(x->b, '}');
}

static void
put_topology(vt_tosca *t, vt_buf *b, int flags, bool own)
{
	vt_tstream x = {t, b, flags};
	out o = begin(t, own);
	if (is_plain(t)) {
		put_plain(&x, &o);
	} else {
		vt_value v = t->nservices ? service_of(&o, t->services[0]) : no_service(&o);
		vt_json_write(t->rt, b, v, flags);
		vt_release(v);
	}
	vt_buf_putc(b, '\n');
	end(&o);
}

void
vt_tosca_put_topology(vt_tosca *t, vt_buf *b, int flags)
{
	put_topology(t, b, flags, false);
}

void
vt_tosca_put_page_topology(vt_tosca *t, vt_buf *b)
{
	put_topology(t, b, 0, true);
}
