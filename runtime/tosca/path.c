/*
 * path.c - functions that walk the representation graph.
 *
 * TOSCA 1.x: [ entity, (capability or requirement (, index)), name, inner... ]; a capability comes
 * before a requirement of the same name, and that before the entity's own.  A requirement means its
 * relationship, then the capability at its other end, then the node there. TOSCA 2.0 adds the steps
 * of a TOSCA path: RELATIONSHIP requirement index, TARGET, SOURCE, CAPABILITY name, and
 * RELATIONSHIP index behind a capability; an index may be ALL, and the value is a list then.
 */
#include "runtime/tosca/mem.h"
#include "runtime/core/session.h"
#include "runtime/text/nearest.h"

#include <stdlib.h>
#include <string.h>

typedef struct path {
	vt_tosca *t;
	const vt_tctx *ctx;
	const vt_value *arg;
	uint32_t n;
	bool attr; /* attributes before properties */
	bool host; /* a node behind HOST: others of the chain may have it */
} path;
/* Where a path has come to: one of them. */
typedef struct spot {
	vt_tnodei *node;
	vt_treli *rel;
	vt_tcapi *cap;
} spot;

/* ---- "did you mean" ---- */

typedef struct nearest {
	const char *name, **all;
	size_t n;
} nearest;

static void
offer(nearest *n, const char *name)
{
	vt_push(n->all, n->n) = name;
}

/* The nearest of those that were offered; then they are forgotten. */
static void
hint(vt_tosca *t, nearest *n)
{
	const char *best = n->n ? vt_nearest(n->name, n->all, n->n) : NULL;
	if (best)
		vt_tosca_hint(t, "did you mean '%s'?", best);
	free(n->all);
}

static void
offer_bag(nearest *n, const vt_tosca *t, const vt_tbag *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		offer(n, vt_tosca_text(t, b->cell[i].name));
}

/* ---- words ---- */

static bool
is_word(vt_value v, const char *word)
{
	return vt_is(v, STR) && !strcmp(vt_as_str(v)->s, word);
}

static const char *
text_of(vt_value v)
{
	return vt_is(v, STR) ? vt_as_str(v)->s : "";
}

static uint32_t
name_of(const path *p, uint32_t i)
{
	return i < p->n && vt_is(p->arg[i], STR) ? vt_tosca_find_str(p->t, vt_as_str(p->arg[i]))
						 : 0;
}

static bool
fail_node(const path *p, const char *name)
{
	nearest near = {name, NULL, 0};
	const vt_tservicei *s = p->ctx->service;
	if (p->t->open)
		return false;
	vt_tosca_fail(p->t, p->ctx, "there is no node template '%s'", name);
	for (uint32_t i = 0; i < s->s->nodes.n && i < 10000; i++)
		offer(&near, vt_tosca_text(p->t, p->t->m->node[s->s->nodes.first + i].name));
	hint(p->t, &near);
	return false;
}

/* ---- the first word ---- */

static bool
ends_with_segment(const char *canon, const char *name)
{
	size_t n = strlen(canon), k = strlen(name);
	return n >= k && !strcmp(canon + n - k, name) &&
	       (n == k || canon[n - k - 1] == ':' || canon[n - k - 1] == '.');
}

static bool
is_kind_of(const vt_tosca *t, uint32_t type, const char *name)
{
	for (; type; type = t->m->type[type].parent)
		if (ends_with_segment(vt_tosca_text(t, t->m->type[type].canon), name))
			return true;
	return false;
}

/* What a node is hosted on; NULL: nothing. */
static vt_tnodei *
host_of(const vt_tosca *t, const vt_tnodei *n)
{
	vt_tosca_depends((vt_tosca *)(uintptr_t)t);
	for (uint32_t i = 0; i < n->nrels; i++)
		if (is_kind_of(t, n->rels[i]->type, "HostedOn") ||
			is_kind_of(t, n->rels[i]->cap->def->type, "Container"))
			return n->rels[i]->target != n ? n->rels[i]->target : NULL;
	return NULL;
}

/* A representation of a template: that of the same number where the one that asks has one. */
static vt_tnodei *
representation(const path *p, uint32_t template, uint32_t *i)
{
	vt_tservicei *s = p->ctx->service;
	uint32_t index = 0;
	bool several = s->count[template] > 1;
	if (several && *i + 1 < p->n && vt_is_int(p->arg[*i]) &&
		vt_tosca_index_of(p->arg[*i], &index))
		++*i;
	else if (several && p->ctx->node && p->ctx->node->of == s->count[template])
		index = p->ctx->node->index;
	return vt_tosca_node(s, template, index);
}

/* A relationship that a template of that name describes. */
static vt_treli *
by_template(const path *p, uint32_t name)
{
	const vt_tosca *t = p->t;
	vt_tosca_depends(p->t);
	for (uint32_t i = 0; name && i < t->nnodes; i++)
		for (uint32_t k = 0; k < t->nodes[i]->nrels; k++) {
			vt_treli *r = t->nodes[i]->rels[k];
			if (r->req->rel && t->m->rel[r->req->rel].name == name &&
				r->source->service == p->ctx->service)
				return r;
		}
	return NULL;
}

/* Is there a requirement whose node is not there, or that Alien4Cloud has still to meet? */
static bool
is_host_missing(const vt_tosca *t, const vt_tnodei *n)
{
	for (uint32_t i = 0; n && i < n->t->reqs.n; i++)
		if (t->m->req[n->t->reqs.first + i].bad)
			return true;
	return n && t->m->version & VT_TV_ALIEN;
}

/* A filter is looked at from the relationship by these words, else from the candidate. */
static bool
is_of_relationship(vt_value word)
{
	return is_word(word, "TARGET") || is_word(word, "SOURCE") || is_word(word, "CAPABILITY");
}

static bool
keyword(path *p, spot *s, bool *found)
{
	const vt_tctx *c = p->ctx;
	vt_value v = p->arg[0];
	*found = true;
	if (is_word(v, "SELF") && c->asks && p->n > 1 && is_of_relationship(p->arg[1])) {
		s->rel = c->asks;
		return true;
	}
	if (is_word(v, "SELF")) {
		*s = (spot){c->rel ? NULL : c->node, c->rel, NULL};
		return c->rel || c->node ||
		       vt_tosca_fail(p->t, c,
			       "SELF means nothing here: there is no node and no relationship");
	}
	if (is_word(v, "SOURCE") || is_word(v, "TARGET")) {
		const vt_treli *rel = c->rel ? c->rel : c->asks;
		if (!rel)
			return vt_tosca_fail(p->t, c,
				"%s means nothing here: only a relationship has one", text_of(v));
		if (c->asks && is_word(v, "SOURCE"))
			vt_tosca_depends(p->t); /* another one may ask with the same filter */
		s->node = is_word(v, "SOURCE") ? rel->source : rel->target;
		return s->node; /* an amount to allocate is asked for before there is a target */
	}
	if (is_word(v, "HOST")) {
		s->node = c->node ? host_of(p->t, c->node) : NULL;
		p->host = true;
		if (!s->node && (p->t->open || is_host_missing(p->t, c->node)))
			return false; /* that was told, or is for Alien4Cloud to fill in */
		return s->node ||
		       vt_tosca_fail(p->t, c,
			       "HOST means nothing here: the node is not hosted on another one");
	}
	*found = false;
	return false;
}

static bool
entity(path *p, spot *s, uint32_t *i)
{
	bool found;
	*s = (spot){NULL, NULL, NULL};
	*i = 1;
	bool ok = keyword(p, s, &found);
	if (found)
		return ok;
	if (!vt_is(p->arg[0], STR))
		return vt_tosca_fail(p->t, p->ctx,
			"the first argument must be the name of a node template, or SELF, SOURCE, "
			"TARGET or HOST");
	uint32_t template = vt_tosca_find_node(p->ctx->service, p->t->m, name_of(p, 0));
	if (!template) {
		s->rel = by_template(p, name_of(p, 0));
		return s->rel || fail_node(p, text_of(p->arg[0]));
	}
	s->node = representation(p, template - 1, i);
	if (s->node)
		return true;
	/* The template was reported, or there are none of it. */
	return p->ctx->service->count[template - 1]
		       ? vt_tosca_fail(p->t, p->ctx, "'%s' has no representation of that number",
				 text_of(p->arg[0]))
		       : false;
}

/* ---- steps ---- */

static vt_tcapi *
cap_of(const vt_tnodei *n, uint32_t name)
{
	for (uint32_t i = 0; name && n && i < n->ncaps; i++)
		if (n->caps[i].def->name == name)
			return &n->caps[i];
	return NULL;
}

static bool
has_requirement(const path *p, const vt_tnodei *n, uint32_t name)
{
	const vt_ttype *type = &p->t->m->type[n->t->type];
	for (uint32_t i = 0; name && i < type->reqs.n; i++)
		if (p->t->m->reqdef[type->reqs.first + i].name == name)
			return true;
	return false;
}

static vt_tcell *
find_in(const path *p, const vt_tbag *props, const vt_tbag *attrs, uint32_t name)
{
	vt_tcell *c = p->attr ? vt_tosca_find(attrs, name) : NULL;
	bool apart =
		p->attr &&
		p->t->m->version &
			VT_TV_HOT; /* what a resource was given says nothing of what it became */
	return c || apart ? c : vt_tosca_find(props, name);
}

/* Alien4Cloud looks into the capabilities for what the node itself does not have. */
static vt_tcell *
of_capabilities(const path *p, const vt_tnodei *n, uint32_t name)
{
	vt_tcell *c = NULL;
	for (uint32_t i = 0; i < n->ncaps && !c; i++)
		c = find_in(p, &n->caps[i].props, &n->caps[i].attrs, name);
	return c;
}

/* The cell of a name, and whose it is. */
static vt_tcell *
cell_at(const path *p, spot s, uint32_t name, vt_tctx *ctx)
{
	vt_tcell *c = NULL;
	if (s.rel) {
		*ctx = vt_tosca_rel_ctx(s.rel);
		c = find_in(p, &s.rel->props, &s.rel->attrs, name);
		if (c)
			return c;
		s = (spot){s.rel->target, NULL, s.rel->cap};
	}
	if (s.cap) {
		*ctx = vt_tosca_node_ctx(s.cap->node);
		c = find_in(p, &s.cap->props, &s.cap->attrs, name);
	}
	if (!c && s.node) {
		*ctx = vt_tosca_node_ctx(s.node);
		c = find_in(p, &s.node->props, &s.node->attrs, name);
	}
	if (!c && s.node && !s.cap && p->t->m->version & VT_TV_ALIEN)
		c = of_capabilities(p, s.node, name);
	for (vt_tnodei *n = s.node; !c && p->host && n; n = host_of(p->t, n)) {
		*ctx = vt_tosca_node_ctx(n);
		c = find_in(p, &n->props, &n->attrs, name);
	}
	return c;
}

/* Attributes that Alien4Cloud and Yorc give to nodes whose types do not declare them. */
static bool
is_set_by_alien(const char *name)
{
	static const char *const names[] = {
		"ip_address", "public_ip_address", "private_ip_address", "tosca_id", "tosca_name"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static bool
fail_name(const path *p, spot s, uint32_t i)
{
	nearest near = {text_of(p->arg[i]), NULL, 0};
	vt_buf b = {NULL, 0, 0};
	uint32_t version = p->t->m->version;
	if (p->attr && version & (VT_TV_HOT | VT_TV_CLOUDIFY))
		return false; /* known to the cloud alone */
	if (p->attr && version & VT_TV_ALIEN && is_set_by_alien(near.name))
		return false;
	if (p->t->open)
		return false; /* a type that is not there may declare it */
	if (s.rel)
		vt_buf_printf(&b, "the relationship '%s'", vt_tosca_text(p->t, s.rel->name));
	else if (s.cap)
		vt_buf_printf(&b, "the capability '%s'", vt_tosca_text(p->t, s.cap->def->name));
	else
		vt_buf_printf(&b, "'%s'", vt_tosca_text(p->t, s.node->t->name));
	vt_tosca_fail(p->t, p->ctx, "%.*s has no %s '%s'", (int)b.n, b.p,
		p->attr ? "attribute or property" : "property", near.name);
	vt_buf_free(&b);
	const vt_tbag *bag[] = {s.rel   ? &s.rel->props
				: s.cap ? &s.cap->props
					: &s.node->props,
		s.rel   ? &s.rel->attrs
		: s.cap ? &s.cap->attrs
			: &s.node->attrs};
	for (int k = 0; k < (p->attr ? 2 : 1); k++)
		offer_bag(&near, p->t, bag[k]);
	for (uint32_t k = 0; s.node && k < s.node->ncaps && i + 1 < p->n; k++)
		offer(&near, vt_tosca_text(p->t, s.node->caps[k].def->name));
	hint(p->t, &near);
	return false;
}

static bool
value_at(const path *p, spot s, uint32_t i, vt_value *out)
{
	vt_tctx ctx;
	vt_tcell *c = i < p->n ? cell_at(p, s, name_of(p, i), &ctx) : NULL;
	if (!c && i >= p->n)
		return vt_tosca_fail(
			p->t, p->ctx, "the path ends where the name of a property should be");
	if (!c) {
		vt_value set = p->attr && s.node ? vt_tosca_get_output(p->t, s.node, NULL, "ctx",
							   "runtime", text_of(p->arg[i]))
						 : VT_UNDEF;
		return set == VT_UNDEF ? fail_name(p, s, i)
				       : vt_tosca_inside(p->t, p->ctx, p->arg + i + 1, p->n - i - 1,
						 set, out);
	}
	vt_value v = vt_tosca_cell(p->t, &ctx, c);
	if (v == VT_UNDEF || (v == VT_NOVALUE && (p->attr || p->t->partial)))
		return vt_tosca_inside_type(
			p->t, p->ctx, p->arg + i + 1, p->n - i - 1, p->t->m->slot[c->slot].schema);
	if (v == VT_NOVALUE)
		return vt_tosca_fail(
			p->t, p->ctx, "the property '%s' has no value", text_of(p->arg[i]));
	return vt_tosca_inside(p->t, p->ctx, p->arg + i + 1, p->n - i - 1, v, out);
}

static bool follow(const path *, spot, uint32_t i, vt_value *out);

/* For each relationship, or each node, of a list the rest of the path. */
static bool
follow_all(const path *p, vt_treli *const *rels, vt_tnodei *nodes, uint32_t n, uint32_t i,
	vt_value *out)
{
	vt_list *l = vt_list_grow(p->t->rt, VT_K_TUPLE, n);
	bool ok = true, more = false;
	for (uint32_t k = i; k < p->n; k++)
		more |= is_word(p->arg[k], "ALL"); /* all results are one list: 10.3 */
	for (uint32_t k = 0; k < n; k++) {
		vt_value v = VT_UNDEF;
		if (!follow(p, (spot){nodes ? nodes + k : NULL, nodes ? NULL : rels[k], NULL}, i,
			    &v)) {
			ok = false;
		} else if (more && vt_is_sequence(v)) {
			vt_list_extend(p->t->rt, l, vt_as_list(v)->n, vt_as_list(v)->v);
			vt_release(v);
		} else {
			vt_list_push(p->t->rt, l, v);
		}
	}
	if (ok)
		return vt_tosca_give(out, vt_mkptr(l));
	vt_release(vt_mkptr(l));
	return false;
}

/* [template, ALL, ...]: of each of its representations. */
static bool
is_of_all(const path *p, uint32_t *template)
{
	if (!(p->t->m->version & VT_TV_2_0) || p->n < 3 || !is_word(p->arg[1], "ALL") ||
		!vt_is(p->arg[0], STR) || !p->ctx->service)
		return false;
	*template = vt_tosca_find_node(p->ctx->service, p->t->m, name_of(p, 0));
	return *template != 0;
}

typedef struct relations {
	vt_treli **rel;
	uint32_t n;
} relations;

static void
add_in(relations *all, const vt_tcapi *cap)
{
	for (vt_treli *r = cap->node->in; r; r = r->next_in)
		if (r->cap == cap)
			vt_push(all->rel, all->n) = r;
	if (cap->outer)
		add_in(all, cap->outer);
}

/* The relationships of a requirement of a node, or those that lead to a capability. */
static relations
relations_of(spot s, uint32_t name)
{
	relations all = {NULL, 0};
	for (uint32_t k = 0; s.node && k < s.node->nrels; k++)
		if (s.node->rels[k]->name == name)
			vt_push(all.rel, all.n) = s.node->rels[k];
	if (s.cap)
		add_in(&all, s.cap);
	return all;
}

static bool
no_relation(const path *p, spot s, uint32_t name, uint32_t at)
{
	if (s.node && s.node->t->type && !has_requirement(p, s.node, name))
		return vt_tosca_fail(p->t, p->ctx, "'%s' has no such requirement",
			vt_tosca_text(p->t, s.node->t->name));
	/* Filters are evaluated while the topology is being resolved: what is missing may yet come.
	 */
	if (!p->t->mem->resolved || p->t->partial)
		return false;
	return vt_tosca_fail(p->t, p->ctx, "the %s '%s' has no relationship number %u",
		s.cap ? "capability" : "requirement",
		vt_tosca_text(p->t, s.cap ? s.cap->def->name : name), at);
}

/* name: of the requirement of a node; i: the argument behind it, which may be an index or ALL. */
static bool
follow_relation(const path *p, spot s, uint32_t name, uint32_t i, vt_value *out)
{
	relations all = relations_of(s, name);
	uint32_t at = 0;
	vt_tosca_depends(p->t);
	bool ok, whole = i < p->n && is_word(p->arg[i], "ALL");
	if (!whole && i < p->n && vt_is_int(p->arg[i]) && vt_tosca_index_of(p->arg[i], &at))
		i++;
	if (whole)
		ok = follow_all(p, all.rel, NULL, all.n, i + 1, out);
	else if (at < all.n)
		ok = follow(p, (spot){NULL, all.rel[at], NULL}, i, out);
	else
		ok = no_relation(p, s, name, at);
	free(all.rel);
	return ok;
}

static bool
step_capability(const path *p, spot s, uint32_t i, vt_value *out)
{
	const vt_tnodei *n = s.node ? s.node : s.rel ? s.rel->target : NULL;
	vt_tcapi *named = i + 1 < p->n ? cap_of(n, name_of(p, i + 1)) : NULL;
	if (s.rel && (!named || i + 2 >= p->n))
		return follow(p, (spot){NULL, NULL, s.rel->cap}, i + 1, out);
	if (!named)
		return vt_tosca_fail(p->t, p->ctx, "there is no capability '%s'",
			i + 1 < p->n ? text_of(p->arg[i + 1]) : "");
	return follow(p, (spot){NULL, NULL, named}, i + 2, out);
}

/* Steps by the words of TOSCA 2.0; false: the word is none. */
static bool
is_step(const path *p, spot s, uint32_t i, bool *ok, vt_value *out)
{
	vt_value w = p->arg[i];
	if (!(p->t->m->version & VT_TV_2_0) || i + 1 >= p->n)
		return false;
	if (is_word(w, "RELATIONSHIP") && !s.rel) {
		*ok = follow_relation(
			p, s, s.node ? name_of(p, i + 1) : 0, s.node ? i + 2 : i + 1, out);
		return true;
	}
	if ((is_word(w, "TARGET") || is_word(w, "SOURCE")) && s.rel) {
		if (p->ctx->asks && is_word(w, "SOURCE"))
			vt_tosca_depends(p->t);
		*ok = follow(p,
			(spot){is_word(w, "TARGET") ? s.rel->target : s.rel->source, NULL, NULL},
			i + 1, out);
		return true;
	}
	if (is_word(w, "CAPABILITY") && !s.cap) {
		*ok = step_capability(p, s, i, out);
		return true;
	}
	return false;
}

/* Before 2.0 a capability and a requirement may have one name, as `host` of a DBMS: what the
 * capability does not have is looked for where the requirement leads. */
static bool
is_of_target(const path *p, const vt_tnodei *n, uint32_t i)
{
	vt_tctx ctx;
	if (p->t->m->version & VT_TV_2_0)
		return false;
	vt_tosca_depends(p->t);
	vt_treli *rel = vt_tosca_next_rel(n, name_of(p, i), NULL);
	return rel && cell_at(p, (spot){NULL, rel, NULL}, name_of(p, i + 1), &ctx);
}

static bool
follow(const path *p, spot s, uint32_t i, vt_value *out)
{
	bool ok = false;
	vt_tctx ctx;
	if (i >= p->n)
		return value_at(p, s, i, out);
	if (is_step(p, s, i, &ok, out))
		return ok;
	uint32_t name = name_of(p, i);
	if (s.node && i + 1 < p->n && name) {
		vt_tcapi *c = cap_of(s.node, name);
		bool has = c && cell_at(p, (spot){NULL, NULL, c}, name_of(p, i + 1), &ctx);
		if (c && !has && is_of_target(p, s.node, i))
			return follow_relation(p, s, name, i + 1, out);
		if (c && (has || !cell_at(p, s, name, &ctx)))
			return follow(p, (spot){NULL, NULL, c}, i + 1, out);
		vt_tosca_depends(p->t);
		if (!c && has_requirement(p, s.node, name) &&
			(vt_tosca_next_rel(s.node, name, NULL) || !cell_at(p, s, name, &ctx)))
			return follow_relation(p, s, name, i + 1, out);
	}
	return value_at(p, s, i, out);
}

/* ---- properties and attributes ---- */

static bool
get(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, bool attr, vt_value *out)
{
	path p = {t, ctx, args, n, attr, false};
	spot s;
	uint32_t i, template;
	if (is_of_all(&p, &template)) {
		const vt_tservicei *v = ctx->service;
		vt_tosca_depends(t);
		return follow_all(&p, NULL, v->first[template - 1], v->count[template - 1], 2, out);
	}
	return entity(&p, &s, &i) && follow(&p, s, i, out);
}

bool
vt_tf_get_property(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	return get(t, ctx, args, n, false, out);
}

bool
vt_tf_get_attribute(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	return get(t, ctx, args, n, true, out);
}

/* The value of an input. False: *out is unset where it is not known, and reported where there is
 * none of that name. */
static bool
input_value(vt_tosca *t, const vt_tctx *ctx, vt_value name, vt_tcell **cell, vt_value *out)
{
	nearest near = {text_of(name), NULL, 0};
	*out = VT_UNDEF;
	*cell = NULL;
	if (!ctx->service)
		return !t->mem->only_types && vt_tosca_fail(t, ctx, "there are no inputs here");
	vt_tctx at = vt_tosca_service_ctx(ctx->service);
	vt_tcell *c = vt_tosca_lookup(t, &ctx->service->inputs, name);
	if (!c && t->open)
		return false;
	if (!c) {
		vt_tosca_fail(t, ctx, "there is no input '%s'", near.name);
		offer_bag(&near, t, &ctx->service->inputs);
		hint(t, &near);
		return false;
	}
	*cell = c;
	*out = vt_tosca_cell(t, &at, c);
	return *out != VT_UNDEF && (*out != VT_NOVALUE || !t->partial);
}

/* Is the input a list, and the step into it the name of another input? In 1.x that one's value is
 * the index: products write it so. */
static bool
by_other_input(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n)
{
	vt_tcell *c;
	uint32_t at;
	if (n != 2 || t->m->version & VT_TV_2_0 || !ctx->service || !vt_is(args[1], STR) ||
		vt_tosca_index_of(args[1], &at) ||
		!vt_tosca_lookup(t, &ctx->service->inputs, args[1]))
		return false;
	c = vt_tosca_lookup(t, &ctx->service->inputs, args[0]);
	const vt_tschema *s = c && c->slot ? &t->m->schema[t->m->slot[c->slot].schema] : NULL;
	return s && s->type && t->m->data[s->type].base == VT_TB_LIST;
}

bool
vt_tf_get_input(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_tcell *c;
	vt_value v;
	if (by_other_input(t, ctx, args, n)) {
		vt_value step[2] = {args[0], VT_UNDEF};
		bool ok = vt_tf_get_input(t, ctx, args + 1, 1, &step[1]) &&
			  vt_tf_get_input(t, ctx, step, 2, out);
		vt_clear(&step[1]);
		return ok;
	}
	if (input_value(t, ctx, args[0], &c, &v))
		return vt_tosca_inside(t, ctx, args + 1, n - 1, v == VT_NOVALUE ? VT_NULL : v, out);
	return c && vt_tosca_inside_type(t, ctx, args + 1, n - 1, t->m->slot[c->slot].schema);
}

/* One step into a value of Heat: what is not there is an empty text, and a text is a list. */
static vt_value
step(vt_tosca *t, vt_value v, vt_value key)
{
	uint32_t n = vt_is_sequence(v) ? vt_as_list(v)->n
		     : vt_is(v, STR)   ? vt_as_str(v)->points
				       : 0,
		 i;
	bool back = vt_is_int(key) && vt_toint(key) < 0;
	vt_value got =
		vt_is(v, DICT) && vt_hashable(key) ? vt_dict_get(vt_as_dict(v), key) : VT_UNDEF;
	if (got != VT_UNDEF)
		return vt_copy(got);
	if (back && -vt_toint(key) <= n)
		i = n - (uint32_t)-vt_toint(key);
	else if (back || !vt_tosca_index_of(key, &i) || i >= n)
		return vt_str_c(t->rt, "");
	return vt_is(v, STR) ? vt_str_sub(t->rt, vt_as_str(v), i, i + 1)
			     : vt_copy(vt_as_list(v)->v[i]);
}

bool
vt_tf_get_param(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_tcell *c;
	vt_value v;
	if (!input_value(t, ctx, args[0], &c, &v))
		return false;
	v = vt_copy(v == VT_NOVALUE ? VT_NULL : v);
	for (uint32_t i = 1; i < n; i++)
		vt_move(&v, step(t, v, args[i]));
	return vt_tosca_give(out, v);
}

bool
vt_tf_select(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)ctx, (void)n;
	return vt_tosca_give(out, step(t, args[1], args[0]));
}

bool
vt_tf_value(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	return ctx->value != VT_UNDEF && vt_tosca_inside(t, ctx, args, n, ctx->value, out);
}

/* ---- indexes and names ---- */

static vt_value
name_value(vt_tosca *t, const vt_tnodei *n)
{
	vt_buf b = {NULL, 0, 0};
	if (n->of == 1)
		return vt_tosca_str(t, n->t->name);
	vt_tosca_name(&b, t, n);
	return vt_str_take(t->rt, &b);
}

bool
vt_tf_node_index(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)args, (void)n;
	if (!ctx->node)
		return vt_tosca_fail(t, ctx, "there is no node here");
	return vt_tosca_give(out, vt_mkint(ctx->node->index));
}

bool
vt_tf_relationship_index(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)args, (void)n;
	if (!ctx->rel)
		return vt_tosca_fail(t, ctx, "there is no relationship here");
	return vt_tosca_give(out, vt_mkint(ctx->rel->index));
}

bool
vt_tf_get_target_name(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)args, (void)n;
	if (!ctx->rel)
		return vt_tosca_fail(t, ctx, "there is no relationship here");
	return vt_tosca_give(out, name_value(t, ctx->rel->target));
}

bool
vt_tf_get_resource(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	path p = {t, ctx, args, n, false, false};
	if (!vt_is(args[0], STR) || !vt_tosca_find_node(ctx->service, t->m, name_of(&p, 0)))
		return fail_node(&p, text_of(args[0]));
	return vt_tosca_give(out, vt_copy(args[0]));
}

/* A node type by its name, by its short name or by what the topology shows. */
static bool
is_named(const vt_tosca *t, uint32_t type, const char *name)
{
	const char *canon = vt_tosca_text(t, t->m->type[type].canon),
		   *own = vt_tosca_text(t, t->m->type[type].name);
	const char *colon = strrchr(name, ':');
	if (!strcmp(name, own) || !strcmp(name, canon))
		return true;
	return ends_with_segment(canon, colon ? colon + 1 : name) &&
	       (colon || !strncmp(canon, "tosca::", 7));
}

static uint32_t
node_type(const vt_tosca *t, const char *name)
{
	for (int exact = 1; exact >= 0; exact--)
		for (uint32_t i = 1; i < t->m->n_type; i++)
			if (t->m->type[i].kind == VT_TT_NODE &&
				(exact ? !strcmp(name, vt_tosca_text(t, t->m->type[i].name))
				       : is_named(t, i, name)))
				return i;
	return 0;
}

/* From the last name to the first: any fixed order would do, and this one agrees with the one
 * recorded case. */
bool
vt_tf_get_nodes_of_type(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_tservicei *s = ctx->service;
	uint32_t type = node_type(t, text_of(args[0]));
	(void)n;
	if (!type)
		return vt_tosca_fail(t, ctx, "there is no node type '%s'", text_of(args[0]));
	vt_list *l = vt_list_grow(t->rt, VT_K_TUPLE, 0);
	for (uint32_t i = s->s->nodes.n; i-- > 0;) {
		uint32_t row = s->sorted[i];
		for (uint32_t k = s->count[row]; k-- > 0;)
			if (vt_tosca_is(t->m, s->first[row]->t->type, type))
				vt_list_push(t->rt, l, name_value(t, s->first[row] + k));
	}
	return vt_tosca_give(out, vt_mkptr(l));
}

/* ---- artifacts and operations ---- */

bool
vt_tf_get_artifact(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	path p = {t, ctx, args, n, false, false};
	spot s;
	uint32_t i;
	if (!entity(&p, &s, &i))
		return false;
	const vt_tnodei *node = s.node ? s.node : s.rel->source;
	vt_tspan a =
		node->t->artifacts.first ? node->t->artifacts : t->m->type[node->t->type].artifacts;
	nearest near = {i < n ? text_of(args[i]) : "", NULL, 0};
	for (uint32_t k = 0; k < a.n; k++) {
		const vt_tartifact *row = &t->m->artifact[a.first + k];
		if (!strcmp(vt_tosca_text(t, row->name), near.name))
			return vt_tosca_give(out, row->file ? vt_tosca_str(t, row->file) : VT_NULL);
		offer(&near, vt_tosca_text(t, row->name));
	}
	vt_tosca_fail(
		t, ctx, "'%s' has no artifact '%s'", vt_tosca_text(t, node->t->name), near.name);
	hint(t, &near);
	return false;
}

static const vt_top *
operation(const vt_tosca *t, vt_tspan ifaces, const char *iface, const char *op)
{
	const char *dot = strrchr(iface, '.');
	for (uint32_t i = 0; i < ifaces.n; i++) {
		const vt_tiface *f = &t->m->iface[ifaces.first + i];
		const char *name = vt_tosca_text(t, f->name);
		if (strcmp(name, iface) != 0 && (!dot || strcmp(name, dot + 1) != 0))
			continue;
		for (uint32_t k = 0; k < f->ops.n; k++)
			if (!strcmp(vt_tosca_text(t, t->m->op[f->ops.first + k].name), op))
				return &t->m->op[f->ops.first + k];
	}
	return NULL;
}

static vt_tspan
ifaces_of(const vt_tosca *t, const spot *s)
{
	if (s->node)
		return s->node->t->ifaces.first ? s->node->t->ifaces
						: t->m->type[s->node->t->type].ifaces;
	return s->rel->req->ifaces.first ? s->rel->req->ifaces : t->m->type[s->rel->type].ifaces;
}

/* What an operation puts out is known when it has run; whether there is such an operation, now. */
bool
vt_tf_get_operation_output(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	path p = {t, ctx, args, n, true, false};
	spot s;
	uint32_t i;
	const char *dot;
	vt_value v;
	if (!entity(&p, &s, &i) || n - i < 3)
		return false;
	dot = strrchr(text_of(args[i]), '.');
	v = vt_tosca_get_output(
		t, s.node, s.rel, text_of(args[i]), text_of(args[i + 1]), text_of(args[i + 2]));
	if (v == VT_UNDEF && dot)
		v = vt_tosca_get_output(
			t, s.node, s.rel, dot + 1, text_of(args[i + 1]), text_of(args[i + 2]));
	if (v != VT_UNDEF)
		return vt_tosca_give(out, vt_copy(v));
	if (t->open || operation(t, ifaces_of(t, &s), text_of(args[i]), text_of(args[i + 1])))
		return false;
	if (t->m->version & VT_TV_ALIEN) /* Yorc also finds it in the node's relationships */
		vt_tosca_lenient(t, VT_W2044, ctx->place,
			"'%s' has no operation '%s' of an interface '%s'", text_of(args[0]),
			text_of(args[i + 1]), text_of(args[i]));
	else
		vt_tosca_fail(t, ctx, "'%s' has no operation '%s' of an interface '%s'",
			text_of(args[0]), text_of(args[i + 1]), text_of(args[i]));
	return false;
}

/* ---- allocations ---- */

/* The capability that a path leads to, and in *i the argument behind it. NULL: reported, or there
 * is none yet. */
static vt_tcapi *
capability_at(const path *p, uint32_t *i)
{
	spot s;
	uint32_t at = 0;
	if (!entity((path *)(uintptr_t)p, &s, i))
		return NULL;
	while (*i + 1 < p->n) {
		uint32_t name = name_of(p, *i + 1);
		if (is_word(p->arg[*i], "CAPABILITY") && (s.rel || s.node)) {
			vt_tcapi *c = cap_of(s.rel ? s.rel->target : s.node, name);
			bool own = s.rel && (!c || *i + 2 >= p->n);
			s.cap = own ? s.rel->cap : c;
			*i += own ? 1 : 2;
			break;
		}
		if (is_word(p->arg[*i], "RELATIONSHIP") && s.node) {
			relations all = relations_of(s, name);
			vt_tosca_depends(p->t);
			*i += 2;
			if (*i < p->n && vt_is_int(p->arg[*i]) &&
				vt_tosca_index_of(p->arg[*i], &at))
				++*i;
			s = (spot){NULL, at < all.n ? all.rel[at] : NULL, NULL};
			free(all.rel);
			if (!s.rel)
				return NULL;
		} else if ((is_word(p->arg[*i], "TARGET") || is_word(p->arg[*i], "SOURCE")) &&
			   s.rel) {
			s = (spot){is_word(p->arg[*i], "TARGET") ? s.rel->target : s.rel->source,
				NULL, NULL};
			++*i;
		} else {
			break;
		}
	}
	if (!s.cap && s.node && *i + 1 < p->n && (s.cap = cap_of(s.node, name_of(p, *i))))
		++*i;
	if (!s.cap && s.rel)
		s.cap = s.rel->cap;
	if (!s.cap)
		vt_tosca_fail(p->t, p->ctx, "the path must lead to a property of a capability");
	return s.cap;
}

/* While requirements are being resolved others may take more. */
bool
vt_tf_available_allocation(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	path p = {t, ctx, args, n, false, false};
	uint32_t i;
	vt_value all, number, rest;
	if (n < 2)
		return vt_tosca_fail(t, ctx, "the path must lead to a property of a capability");
	vt_tcapi *cap = capability_at(&p, &i);
	if (!cap)
		return false;
	vt_tosca_depends(t);
	vt_tcell *c = i + 1 == n ? vt_tosca_find(&cap->props, name_of(&p, i)) : NULL;
	if (!c)
		return fail_name(&p, (spot){NULL, NULL, cap}, i < n ? i : n - 1);
	vt_tctx of = vt_tosca_node_ctx(cap->node);
	all = vt_tosca_cell(t, &of, c);
	if (all == VT_UNDEF || all == VT_NOVALUE)
		return false;
	if (!vt_tosca_number(all, &number))
		return vt_tosca_fail(t, ctx, "'%s' is no number: nothing can be allocated from it",
			text_of(args[i]));
	if (!vt_tosca_left(t, cap, c->name, number, &rest))
		return false;
	return vt_tosca_give(out, vt_is(all, DICT) ? vt_tosca_like(t, all, rest) : rest);
}
