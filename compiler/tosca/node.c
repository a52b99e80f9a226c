/*
 * node.c - node and relationship templates: types applied, values and requirements assigned.
 */
#include "compiler/tosca/render.h"

#include <string.h>

/* ---- copy ---- */

/* Maps are merged key by key, the copying template's value wins; everything else is replaced. */
static ynode *
merge(vc *c, ynode *base, ynode *over, bool top)
{
	if (base->kind != YN_MAP || over->kind != YN_MAP)
		return over;
	ynode *m = vc_alloc(c, sizeof *m);
	*m = *over;
	m->key = m->item = NULL;
	m->n = 0;
	uint32_t nkeys = 0;
	for (uint32_t i = 0; i < base->n; i++) {
		const char *key = te_text(base->key[i]);
		ynode *own = key ? yn_get(over, key) : NULL;
		if (top && key && !strcmp(key, "copy"))
			continue;
		vc_push(c, m->key, nkeys) = base->key[i];
		vc_push(c, m->item, m->n) =
			own ? merge(c, base->item[i], own, false) : base->item[i];
	}
	for (uint32_t i = 0; i < over->n; i++) {
		const char *key = te_text(over->key[i]);
		if ((top && key && !strcmp(key, "copy")) || (key && yn_get(base, key)))
			continue;
		vc_push(c, m->key, nkeys) = over->key[i];
		vc_push(c, m->item, m->n) = over->item[i];
	}
	return m;
}

/* Templates that copy others, with what they became: by their places in `all`. */
typedef struct render_copies {
	te **all;
	uint32_t n;
	ynode **y;      /* NULL: not yet, or reported */
	uint8_t *state; /* 0; 1: its chain is being walked; 2: done */
} copies;

static const char *
template_name(const void *ctx, const void *list, uint32_t i)
{
	(void)ctx;
	return ((te *const *)list)[i]->name;
}

static const ynode *
copy_name(const te *e)
{
	const ynode *name = e->y->kind == YN_MAP ? yn_get(e->y, "copy") : NULL;
	return te_text(name) ? name : NULL;
}

/* The template that this one copies + 1; 0: none, reported where there is none of the name or it
 * leads round. */
static uint32_t
next_copied(render *r, const copies *k, uint32_t at)
{
	vc *c = r->t->c;
	const ynode *name = copy_name(k->all[at]);
	uint32_t from = name ? tosca_lookup_find(c, &r->t->copies, k->all, k->n, template_name,
				       NULL, name->text)
			     : 0;
	if (name && !from) {
		vc_report(c, VC_E2020, name->span, "there is no template '%s' to copy", name->text);
		te_hint_near(r->service, "node_templates", name->text);
	}
	if (from && k->state[from - 1] == 1) {
		vc_report(c, VC_E2055, name->span, "'%s' copies itself", k->all[at]->name);
		return 0;
	}
	return from;
}

static void
tell_copy_of_copy(render *r, const te *e)
{
	const ynode *name = copy_name(e);
	if (!(r->u->version & VT_TV_2_0) || !tosca_tells(r->u, "copies"))
		return;
	vc_report(r->t->c, VC_W2039, name->span, "'%s' is a copy itself", name->text);
	vc_hint(r->t->c, "copy what it copies; it is told once in a file");
}

/* From the end of the chain of copies, or from one that is done, back to the template. */
static void
follow_copies(render *r, copies *k, uint32_t at)
{
	uint32_t *chain = NULL, n = 0, next = at + 1;
	while (next && k->state[next - 1] == 0 && copy_name(k->all[next - 1]) &&
		!k->all[next - 1]->bad) {
		k->state[next - 1] = 1;
		vc_push(r->t->c, chain, n) = next - 1;
		next = next_copied(r, k, next - 1);
	}
	ynode *base = NULL;
	if (next && !k->all[next - 1]->bad)
		base = copy_name(k->all[next - 1]) ? k->y[next - 1] : k->all[next - 1]->y;
	bool of_copy = next && copy_name(k->all[next - 1]);
	for (; n-- > 0; of_copy = true) {
		te *e = k->all[chain[n]];
		if (base && of_copy)
			tell_copy_of_copy(r, e);
		if (base && !ty_inherits(r->u, base->n, te_span(e)))
			base = NULL;
		base = k->y[chain[n]] = base ? merge(r->t->c, base, e->y, true) : NULL;
		k->state[chain[n]] = 2;
	}
}

static copies *
copies_of(render *r, te **all, uint32_t n)
{
	copies *k = r->copies;
	if (k && k->all == all)
		return k;
	k = r->copies = vc_alloc(r->t->c, sizeof *k);
	*k = (copies){all, n, vc_alloc(r->t->c, n * sizeof *k->y), vc_alloc(r->t->c, n)};
	return k;
}

/* `copy` applied */
static te *
render_copy(render *r, te *e, const char *keyname, te **all, uint32_t n)
{
	(void)keyname;
	if (e->y->kind != YN_MAP || !yn_get(e->y, "copy"))
		return e;
	copies *k = copies_of(r, all, n);
	uint32_t at =
		tosca_lookup_find(r->t->c, &r->t->copies, all, n, template_name, NULL, e->name);
	if (at && k->state[at - 1] == 0)
		follow_copies(r, k, at - 1);
	ynode *y = at ? k->y[at - 1] : NULL;
	if (!y) {
		e->bad = true;
		return e;
	}
	te *merged = te_read(r->u, (enum te_kind)e->kind, e->key, y);
	merged->bad |= e->bad;
	return merged;
}

/* ---- capabilities ---- */

static vt_ttype
type_at(render *r, uint32_t row)
{
	return *(vt_ttype *)tm_at(r->t->m, TM_type, row);
}

static vt_tcapdef
capdef_at(render *r, uint32_t row)
{
	return *(vt_tcapdef *)tm_at(r->t->m, TM_capdef, row);
}

/* Does the requirement name a template whose type nobody knows? Then nobody knows what for. */
static bool
leads_nowhere(const render *r, const te *e)
{
	const char *node = te_str(e, "node");
	const te *to = node ? te_named(r->service, "node_templates", node) : NULL;
	const char *type = to ? te_str(to, "type") : NULL;
	return e->kind == TE_REQUIREMENT && type && !tn_find_type(r->u, TN_NODE, type);
}

static void
undeclared(render *r, const te *e, const char *owner, const char *noun, const ty_defs *defs)
{
	const char **names = NULL;
	size_t n = 0;
	if (e->unit->incomplete || ty_is_open(e) || leads_nowhere(r, e))
		return; /* what is missing may declare it */
	for (uint32_t i = 0; i < defs->n; i++)
		vc_push(r->t->c, names, n) = defs->d[i]->name;
	const char *near = vt_nearest(e->name, names, n);
	/* Yorc keeps a requirement that the type does not have */
	bool keeps = e->unit->keys & TK_A4C && e->kind == TE_REQUIREMENT && !near;
	vc_report(r->t->c, keeps ? VC_W2009 : VC_E2050, te_span(e), "%s has no %s '%s'", owner,
		noun, e->name);
	if (near)
		vc_did_you_mean(r->t->c, "'%s'", near);
}

/* A name for messages: thousands of nodes have it in the same room. */
static const char *say(vt_buf *, const char *fmt, ...) VT_PRINTF(2, 3);
static const char *
say(vt_buf *b, const char *fmt, ...)
{
	va_list ap;
	b->n = 0;
	va_start(ap, fmt);
	vt_buf_vprintf(b, fmt, ap);
	va_end(ap);
	vt_buf_putc(b, 0);
	return b->p;
}

/* Is the capability there under a name that is nearly right? That is told. */
static bool
is_misspelt(const te *e, const char *name)
{
	uint32_t n;
	te **all = te_all(e, "capabilities", &n);
	const char *type = te_str(e, "type");
	const ty_type *y = type ? tn_find_type(e->unit, TN_NODE, type) : NULL;
	for (uint32_t i = 0; i < n; i++)
		if (y && all[i]->name && !ty_find(&y->caps, all[i]->name) &&
			vt_nearest(all[i]->name, &name, 1))
			return true;
	return false;
}

static void
missing_in_capabilities(render *r, const te *e, uint32_t type, const char *owner)
{
	vt_ttype ty = type_at(r, type);
	for (uint32_t i = 0; i < ty.caps.n && !e->bad; i++) {
		vt_tcapdef d = capdef_at(r, ty.caps.first + i);
		const char *name = tm_text_of(r->t->m, d.name);
		if (te_named(e, "capabilities", name) || is_misspelt(e, name))
			continue;
		if (d.props.n)
			tm_missing(r->t, d.props, (vt_tspan){0, 0},
				say(&r->part, "the capability '%s' of %s", name, owner), "property",
				te_span(e));
	}
}

/* Row of a definition: rows of a type stand in the order of its list, which types share with their
 * descendants. */
static uint32_t
def_row(vt_tspan rows, const ty_defs *defs, const char *name)
{
	uint32_t at = ty_position(defs, name);
	return at ? rows.first + at - 1 : 0;
}

/* Of a capability or requirement: whom it may be related to. */
static uint8_t
sides(render *r, const te *e)
{
	const ynode *dir = te_y(e, "directives");
	uint8_t bits = 0;
	for (uint32_t i = 0; dir && i < (dir->kind == YN_SEQ ? dir->n : 1); i++) {
		const ynode *y = dir->kind == YN_SEQ ? dir->item[i] : dir;
		if (!strcmp(y->text, "internal"))
			bits |= VT_TR_INTERNAL;
		else if (!strcmp(y->text, "external"))
			bits |= VT_TR_EXTERNAL;
		else
			vc_report(r->t->c, VC_E2005, y->span,
				"the directive of a %s is 'internal' or 'external'",
				e->kind == TE_CAPABILITY ? "capability" : "requirement");
	}
	return bits;
}

static vt_tspan
capabilities(render *r, const te *e, const ty_type *y, const char *owner)
{
	uint32_t n, rows = 0;
	te **all = te_all(e, "capabilities", &n);
	vt_tcap *row = NULL;
	for (uint32_t i = 0; i < n; i++) {
		ty_def *d = ty_find(&y->caps, all[i]->name);
		if (!d) {
			undeclared(r, all[i], owner, "capability", &y->caps);
			continue;
		}
		if (!d->type || d->type->bad)
			continue; /* nobody knows what it has */
		uint32_t at = def_row(type_at(r, y->row).caps, &y->caps, d->name);
		vt_tcapdef def = capdef_at(r, at);
		const char *name = say(&r->part, "the capability '%s' of %s", d->name, owner);
		vt_tcap c = {.def = at,
			.directives = sides(r, all[i]),
			.place = tm_place(r->t, te_span(all[i]))};
		c.props = tm_assigns(r->t, all[i], "properties", def.props, name, true);
		c.attrs = tm_assigns(r->t, all[i], "attributes", def.attrs, name, false);
		vc_push(r->t->c, row, rows) = c;
	}
	vt_tspan span = {tm_count(r->t->m, TM_cap), rows};
	for (uint32_t i = 0; i < rows; i++)
		tm_add_cap(r->t->m, row[i]);
	return rows ? span : (vt_tspan){0, 0};
}

/* ---- requirements ---- */

/* From 2.0 on an assignment may narrow what its definition asks for, and not replace it. */
static void
asks_for(render *r, vc_span at, const ty_type *own, const ty_type *wanted)
{
	if (!(r->u->version & VT_TV_2_0) || !own || !wanted || !ty_rooted(own) ||
		ty_is(own, wanted))
		return;
	vc_report(r->t->c, VC_E2022, at,
		"'%s' is not derived from '%s', which the requirement asks for", own->name,
		wanted->name);
}

/* A node template, or a node type; [ template, index ] from 2.0 on. */
static void
requirement_node(render *r, const te *e, vt_treq *q, const ty_def *d)
{
	const ynode *y = te_y(e, "node");
	if (!y)
		return;
	const ynode *name =
		y->kind == YN_SEQ && y->n == 2 && r->u->version & VT_TV_2_0 ? y->item[0] : y;
	if (!te_text(name)) {
		vc_report(r->t->c, VC_E2004, y->span,
			"node must be the name of a node template or of a node type");
		return;
	}
	if (name != y)
		q->node_index = tx_value(r->u, y->item[1], 0);
	q->node = render_find_node(r, name->text);
	if (q->node) {
		q->named = tm_place(r->t, name->span);
		const te *to = r->node[q->node - r->node0];
		q->bad |= to->bad && !te_get(to, "type") && !te_get(to, "copy");
		return;
	}
	ty_type *type = tn_find_type(r->u, TN_NODE, name->text);
	if (!type && !r->u->incomplete) {
		const char **names = NULL;
		size_t n = 0;
		for (uint32_t i = 0; i < r->nnodes; i++)
			vc_push(r->t->c, names, n) = r->node[i]->name;
		vc_report(r->t->c, VC_E2020, name->span,
			"there is no node template and no node type '%s'", name->text);
		const char *near = vt_nearest(name->text, names, n);
		if (near)
			vc_did_you_mean(r->t->c, "'%s'", near);
	}
	if (type)
		ty_complete(type);
	asks_for(r, name->span, type, d->node);
	q->node_type = tm_type_row(r->t, type);
	q->bad = !type;
}

static void
requirement_capability(render *r, const te *e, vt_treq *q, const ty_def *d)
{
	const char *name = te_str(e, "capability");
	if (!name)
		return;
	ty_type *type = tn_find_type(r->u, TN_CAPABILITY, name);
	if (d->cap_name && strcmp(d->cap_name, name) != 0 && r->u->version & VT_TV_2_0) {
		vc_report(r->t->c, VC_E2022, te_y(e, "capability")->span,
			"the requirement asks for the capability '%s', not for '%s'", d->cap_name,
			name);
		return;
	}
	if (type) {
		ty_complete(type);
		asks_for(r, te_y(e, "capability")->span, type, d->cap_name ? NULL : d->type);
		q->cap_type = tm_type_row(r->t, type);
	} else {
		/* whether the node has it shows when the topology is resolved */
		q->cap_name = tm_str(r->t->m, name);
	}
}

static uint32_t
find_rel(const render *r, const char *name)
{
	for (uint32_t i = 0; i < r->nrels; i++)
		if (!strcmp(r->rel[i]->name, name))
			return r->rel0 + i;
	return 0;
}

static ty_type *
template_type(const render *r, const char *name)
{
	const char *type = NULL;
	for (uint32_t i = 0; i < r->nrels && !type; i++)
		if (!strcmp(r->rel[i]->name, name))
			type = te_str(r->rel[i], "type");
	ty_type *y = type ? tn_find_type(r->u, TN_RELATIONSHIP, type) : NULL;
	if (y)
		ty_complete(y);
	return y;
}

static ty_type *
rel_type_of(render *r, const te *e, uint32_t *template)
{
	const char *name = te_str(e, "type");
	/* from 2.0 on a name is first that of a type */
	ty_type *type = name && r->u->version & VT_TV_2_0
				? tn_find_type(r->u, TN_RELATIONSHIP, name)
				: NULL;
	*template = name && !type ? find_rel(r, name) : 0;
	if (name && !*template && !type)
		type = tn_type(r->u, TN_RELATIONSHIP, name, te_y(e, "type")->span);
	if (type)
		ty_complete(type);
	return type;
}

static void
requirement_relationship(render *r, te *req, vt_treq *q, const ty_def *d, const char *owner)
{
	te *e = te_one(req, "relationship");
	ty_type *type = e ? rel_type_of(r, e, &q->rel) : NULL;
	if (type && d->rel && !ty_is(type, d->rel)) {
		vc_report(r->t->c, VC_E2022, te_y(e, "type")->span,
			"the relationship type '%s' is not derived from '%s', which the "
			"requirement asks for",
			type->name, d->rel->name);
		type = NULL;
	}
	if (q->rel)
		asks_for(r, te_y(e, "type")->span, template_type(r, te_str(e, "type")), d->rel);
	if (!type)
		type = d->rel;
	q->rel_type = q->rel ? 0 : tm_type_row(r->t, type);
	if (q->rel)
		return;
	vt_tspan props = {0, 0}, attrs = {0, 0};
	if (q->rel_type) {
		props = type_at(r, q->rel_type).props;
		attrs = type_at(r, q->rel_type).attrs;
	}
	const char *name = say(&r->part, "the relationship of '%s' of %s", req->name, owner);
	if (e) {
		q->props = tm_assigns(r->t, e, "properties", props, name, !e->bad && !req->bad);
		q->attrs = tm_assigns(r->t, e, "attributes", attrs, name, false);
	} else if (!req->bad) {
		tm_missing(r->t, props, (vt_tspan){0, 0}, name, "property", te_span(req));
	}
	tm_owner o = {r->u, e, name, {0, 0}};
	ty_defs ifaces = d->ops;
	ty_merge(r->u, &ifaces, type ? &type->ifaces : &(ty_defs){0});
	if (e && te_get(e, "interfaces"))
		q->ifaces = tm_interfaces(r->t, &ifaces, &o);
}

static void
requirement_counts(render *r, const te *e, vt_treq *q)
{
	uint32_t lo, hi;
	if (te_y(e, "count"))
		q->count = tx_value(r->u, te_y(e, "count"), 0);
	else if (te_range(e, "occurrences", &lo, &hi) && lo != 1) {
		vt_texpr x = {.kind = VT_TX_INT, .constant = true, .u.i = lo};
		q->count = tm_add_expr(r->t->m, x);
	}
	const ynode *optional = te_y(e, "optional");
	if (optional && optional->kind != YN_MAP &&
		(optional->kind != YN_SCALAR || optional->type != YT_BOOL))
		vc_report(r->t->c, VC_E2040, optional->span, "'optional' must be true or false");
	else if (optional)
		q->optional = tx_value(r->u, optional, 0);
	if (te_y(e, "allocation"))
		q->allocation = tx_value(r->u, te_y(e, "allocation"), 0);
	q->directives = sides(r, e);
}

/* all_to_all, which is the default, or all_to_one: said where it stands, or by the type. */
static bool
is_all_to_one(render *r, const te *req)
{
	const te *rel = te_one(req, "relationship");
	const ynode *props = rel ? te_y(rel, "properties") : NULL, *y = NULL;
	const char *type = rel ? te_str(rel, "type") : NULL;
	const ty_type *t = type ? tn_find_type(r->u, TN_RELATIONSHIP, type) : NULL;
	const ty_def *d = t ? ty_find(&t->props, "connection_type") : NULL;
	if (props && props->kind == YN_MAP)
		y = yn_get(props, "connection_type");
	if (!y && d)
		y = d->dflt;
	return y && te_text(y) && !strcmp(y->text, "all_to_one");
}

/* Cloudify: which instances of the target belong to one of the source. */
static void
instances(render *r, const te *e, vt_treq *q)
{
	if (is_all_to_one(r, e))
		q->directives |= VT_TR_ONE;
	q->count = tosca_in_common(r->u, r->service, r->source, r->node[q->node - r->node0]);
}

static vt_treq
requirement(render *r, te *e, const ty_def *d, uint32_t row, const char *owner)
{
	vt_treq q = {.def = row, .place = tm_place(r->t, te_span(e))};
	requirement_node(r, e, &q, d);
	requirement_capability(r, e, &q, d);
	requirement_relationship(r, e, &q, d, owner);
	requirement_counts(r, e, &q);
	if (te_one(e, "node_filter"))
		q.filter = tx_filter(r->u, te_one(e, "node_filter"));
	/* who satisfies it may depend on what a missing import has */
	q.bad |= e->bad || r->u->incomplete;
	if (r->u->version & VT_TV_CLOUDIFY && q.node)
		instances(r, e, &q);
	return q;
}

/* How many relationships an assignment asks for: 1 where it cannot be known yet. */
static uint32_t
count_of(render *r, const vt_treq *q)
{
	const vt_texpr *x = tm_at(r->t->m, TM_expr, q->count);
	return q->count && x->kind == VT_TX_INT && x->u.i >= 0 ? (uint32_t)x->u.i : 1;
}

static bool
is_optional(const render *r, const vt_treq *q)
{
	const vt_texpr *x = tm_at(r->t->m, TM_expr, q->optional);
	return q->optional && x->kind == VT_TX_BOOL && x->u.i;
}

/* The rows of one node, in room that all nodes use. */
static void
push_req(render *r, vt_treq q)
{
	vc_push(r->t->c, r->req, r->nreqs) = q;
}

/* Requirements that nobody wrote are made up to the lower bound, within reason. */
enum { ADDED_MAX = 100000 };

static void
check_counts(render *r, const te *e, const ty_type *y, const char *owner)
{
	for (uint32_t i = 0; i < y->reqs.n; i++) {
		const ty_def *d = y->reqs.d[i];
		uint32_t row = type_at(r, y->row).reqs.first + i;
		uint64_t have = 0, firm = 0;
		for (uint32_t k = 0; k < r->nreqs; k++)
			if (r->req[k].def == row) {
				uint32_t count = count_of(r, &r->req[k]);
				have += count;
				firm += is_optional(r, &r->req[k]) ? 0 : count;
			}
		if (have > d->hi)
			vc_report(r->t->c, VC_E2053, te_span(e),
				"%s assigns the requirement '%s' %u times; at most %u are allowed",
				owner, d->name, (unsigned)have, d->hi);
		if (have && firm < d->lo && r->u->version & VT_TV_2_0) {
			vc_report(r->t->c, VC_E2053, te_span(e),
				"%s assigns the requirement '%s' %u time%s%s; at least %u are "
				"needed",
				owner, d->name, (unsigned)firm, firm == 1 ? "" : "s",
				firm < have ? " without optional" : "", d->lo);
			continue;
		}
		if (d->lo > ADDED_MAX) {
			vc_report(r->t->c, VC_E2090, te_span(e),
				"the requirement '%s' asks for at least %u relationships", d->name,
				d->lo);
			continue;
		}
		for (; have < d->lo; have++) {
			vt_treq q = {.def = row,
				.rel_type = tm_type_row(r->t, d->rel),
				.added = 1,
				.place = tm_place(r->t, te_span(e))};
			push_req(r, q);
		}
	}
}

static vt_tspan
requirements(render *r, const te *e, const ty_type *y, const char *owner)
{
	uint32_t n;
	te **all = te_all(e, "requirements", &n);
	r->source = e;
	r->nreqs = 0;
	for (uint32_t i = 0; i < n; i++) {
		ty_def *d = ty_find(&y->reqs, all[i]->name);
		if (!d && !y->bad)
			undeclared(r, all[i], owner, "requirement", &y->reqs);
		if (!d)
			continue;
		push_req(r, requirement(r, all[i], d,
				    def_row(type_at(r, y->row).reqs, &y->reqs, d->name), owner));
	}
	if (!e->bad)
		check_counts(r, e, y, owner);
	vt_tspan span = {tm_count(r->t->m, TM_req), r->nreqs};
	for (uint32_t i = 0; i < r->nreqs; i++)
		tm_add_req(r->t->m, r->req[i]);
	return r->nreqs ? span : (vt_tspan){0, 0};
}

/* ---- node templates ---- */

static void
directives(render *r, const te *e, vt_tnode *n)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} known[] = {{"substitute", VT_TN_SUBSTITUTE}, {"select", VT_TN_SELECT},
		{"create", VT_TN_CREATE}};
	static const char *const drafts[] = {"substitutable", "selectable"};
	const ynode *y = te_y(e, "directives");
	uint32_t *list = NULL, count = 0;
	for (uint32_t i = 0; y && i < (y->kind == YN_SEQ ? y->n : 1); i++) {
		const ynode *d = y->kind == YN_SEQ ? y->item[i] : y;
		bool is_known = false;
		for (size_t k = 0; k < VC_LEN(known); k++)
			if (!strcmp(d->text, known[k].name)) {
				n->directive |= known[k].bit;
				is_known = true;
			}
		for (size_t k = 0; !(r->u->version & VT_TV_2_0) && k < VC_LEN(drafts); k++)
			is_known |= !strcmp(d->text, drafts[k]);
		if (!is_known)
			vc_report(r->t->c, VC_W2038, d->span,
				r->u->version & VT_TV_2_0
					? "the directive of a node template is 'create', 'select' "
					  "or 'substitute'"
					: "the directive of a node template is 'select' or "
					  "'substitute'");
		vc_push(r->t->c, list, count) = tm_str(r->t->m, d->text);
	}
	n->directives = tm_indexes(r->t->m, list, count);
}

static vt_tnode
node_row(render *r, te *e)
{
	struct tosca *t = r->t;
	vt_tnode n = {.name = tm_str(t->m, e->name), .place = tm_place(t, te_span(e))};
	const char *name = te_str(e, "type");
	ty_type *y = name ? tn_type(r->u, TN_NODE, name, te_y(e, "type")->span) : NULL;
	if (!y)
		return n;
	ty_complete(y);
	n.type = tm_type_row(t, y);
	vt_ttype type = type_at(r, n.type);
	const char *owner = say(&r->owner, "the node template '%s'", e->name);
	n.description = tm_text(t, e, "description");
	n.metadata = tm_metadata(t, e);
	n.count = te_y(e, "count") ? tx_value(r->u, te_y(e, "count"), 0) : 0;
	if (r->u->version & VT_TV_CLOUDIFY)
		n.count = tosca_instances(r->u, r->service, e);
	directives(r, e, &n);
	n.props = tm_assigns(
		t, e, "properties", type.props, owner, !y->bad && !(n.directive & VT_TN_SELECT));
	n.attrs = tm_assigns(t, e, "attributes", type.attrs, owner, false);
	if (!y->bad && !(n.directive & VT_TN_SELECT))
		missing_in_capabilities(r, e, n.type, owner);
	n.caps = capabilities(r, e, y, owner);
	n.reqs = requirements(r, e, y, owner);
	if (te_get(e, "artifacts"))
		n.artifacts = tm_artifacts(t, &y->artifacts, r->u, e);
	tm_owner o = {r->u, e, owner, n.artifacts.n ? n.artifacts : type.artifacts};
	if (te_get(e, "interfaces") || n.artifacts.n)
		n.ifaces = tm_interfaces(t, &y->ifaces, &o);
	if (te_one(e, "node_filter"))
		n.filter = tx_filter(r->u, te_one(e, "node_filter"));
	if (n.filter && r->u->version & VT_TV_2_0 && !(n.directive & VT_TN_SELECT))
		vc_report(t->c, VC_E2007, te_get(e, "node_filter")->key->span,
			"a node_filter goes with the directive 'select'");
	return n;
}

void
render_nodes(render *r)
{
	for (uint32_t i = 0; i < r->nnodes; i++)
		tm_add_node(r->t->m, (vt_tnode){0});
	for (uint32_t i = 0; i < r->nnodes; i++) {
		vt_tnode n = node_row(
			r, render_copy(r, r->node[i], "node_templates", r->node, r->nnodes));
		*(vt_tnode *)tm_at(r->t->m, TM_node, r->node0 + i) = n;
	}
	r->row.nodes = (vt_tspan){r->node0, r->nnodes};
}

/* ---- relationship templates ---- */

static vt_trel
rel_row(render *r, te *e)
{
	struct tosca *t = r->t;
	vt_trel row = {.name = tm_str(t->m, e->name), .place = tm_place(t, te_span(e))};
	ty_type *y = te_str(e, "type") ? tn_type(r->u, TN_RELATIONSHIP, te_str(e, "type"),
						 te_y(e, "type")->span)
				       : NULL;
	if (!y)
		return row;
	ty_complete(y);
	row.type = tm_type_row(t, y);
	vt_ttype type = type_at(r, row.type);
	const char *owner = vc_format(t->c, "the relationship template '%s'", e->name);
	row.description = tm_text(t, e, "description");
	row.metadata = tm_metadata(t, e);
	row.props = tm_assigns(t, e, "properties", type.props, owner, !y->bad);
	row.attrs = tm_assigns(t, e, "attributes", type.attrs, owner, false);
	tm_owner o = {r->u, e, owner, {0, 0}};
	if (te_get(e, "interfaces"))
		row.ifaces = tm_interfaces(t, &y->ifaces, &o);
	return row;
}

void
render_rels(render *r)
{
	for (uint32_t i = 0; i < r->nrels; i++)
		tm_add_rel(r->t->m, (vt_trel){0});
	for (uint32_t i = 0; i < r->nrels; i++) {
		vt_trel row = rel_row(
			r, render_copy(r, r->rel[i], "relationship_templates", r->rel, r->nrels));
		*(vt_trel *)tm_at(r->t->m, TM_rel, r->rel0 + i) = row;
	}
	r->row.rels = (vt_tspan){r->rel0, r->nrels};
}
