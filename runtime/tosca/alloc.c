/*
 * alloc.c - allocations (TOSCA 2.0, 8.5): what requirements take of the properties of
 * capabilities.
 *
 * A capability suits a requirement when, for each property that the requirement allocates from,
 * what all have taken and what this one takes is not more than the property's value.  A property
 * without a value limits nothing, one that is not known yet neither; a capability without such a
 * property has nothing to take.
 *
 * Amounts are kept in the canonical unit of the property's type, so a demand is typed once for each
 * of the data types that candidates have, which mostly is one.
 */
#include "runtime/tosca/mem.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"

#include <math.h>
#include <stdlib.h>

/* ---- what has been taken ---- */

static vt_tcell *
taken_of(const vt_tcapi *c, uint32_t name)
{
	return c->taken ? vt_tosca_find(c->taken, name) : NULL;
}

/* total (owned) becomes total +- v; false: numbers that cannot be added. */
static bool
add(vt_tosca *t, vt_value *total, vt_value v, int op)
{
	vt_value sum = VT_UNDEF;
	if (vt_num_binary(t->rt, op, *total, v, &sum) != VT_OK) {
		vt_exc_clear(t->rt);
		return false;
	}
	vt_move(total, sum);
	return true;
}

/* A capability of a substituted node and the one inside that stands for it are one. */
bool
vt_tosca_left(vt_tosca *t, const vt_tcapi *c, uint32_t name, vt_value all, vt_value *out)
{
	vt_value left = vt_copy(all);
	bool ok = true;
	for (; ok && c; c = c->outer) {
		const vt_tcell *taken = taken_of(c, name);
		ok = !taken || add(t, &left, taken->value, VT_OP_SUB);
	}
	if (ok)
		return vt_tosca_give(out, left);
	vt_release(left);
	return false;
}

static void
take(vt_tosca *t, vt_tcapi *c, uint32_t name, vt_value amount)
{
	vt_tcell *cell = taken_of(c, name);
	if (!c->taken)
		c->taken = vt_tosca_alloc(t, sizeof *c->taken);
	if (!cell) {
		vt_tcell *more = vt_tosca_cells(t, c->taken->n + 1);
		for (uint32_t i = 0; i < c->taken->n; i++) {
			more[i] = c->taken->cell[i];
			vt_retain(more[i].value);
		}
		cell = &more[c->taken->n++];
		*cell = (vt_tcell){.name = name, .state = VT_TC_DONE, .value = vt_mkint(0)};
		c->taken->cell = more;
	}
	add(t, &cell->value, amount, VT_OP_ADD);
}

/* ---- a demand ---- */

/* The expression of a value of the allocation, for the place of messages. */
static uint32_t
row_of(const vt_tosca *t, uint32_t map, uint32_t name)
{
	const vt_texpr *x = &t->m->expr[map];
	for (uint32_t i = 0; x->kind == VT_TX_MAP && i < x->n; i++) {
		const vt_texpr *key = &t->m->expr[t->m->index[x->u.k.at + 2 * i]];
		if (key->kind == VT_TX_STR && key->u.str == name)
			return t->m->index[x->u.k.at + 2 * i + 1];
	}
	return map;
}

static void
complain(vt_tosca *t, uint32_t expr, const char *fmt, uint32_t name)
{
	const vt_texpr *x = &t->m->expr[expr];
	vt_tosca_problem(t, VT_E2040, (vt_tplace){x->file, x->at}, fmt, vt_tosca_text(t, name));
}

static bool
read_parts(vt_tdemand *d, vt_value map)
{
	vt_value key, value;
	uint32_t pos = 0;
	if (!vt_is(map, DICT)) {
		complain(d->t, d->req->allocation,
			"an allocation is a map of amounts by the name of a property", 0);
		return false;
	}
	while (vt_dict_at(vt_as_dict(map), &pos, &key, &value)) {
		uint32_t name = vt_is(key, STR) ? vt_tosca_find_str(d->t, vt_as_str(key)) : 0;
		vt_push(d->part, d->n) =
			(vt_tpart){.name = name, .value = vt_copy(value), .number = VT_UNDEF};
	}
	return true;
}

/* Amounts may speak of the relationship that they are for: who asks, and with `cap` who is asked.
 */
static void
evaluate(vt_tdemand *d, vt_tcapi *cap)
{
	vt_treli rel = {.req = d->req,
		.name = d->t->m->reqdef[d->req->def].name,
		.type = d->rel_type,
		.source = d->source,
		.target = cap ? cap->node : NULL,
		.cap = cap,
		.index = d->index};
	vt_tctx ctx = vt_tosca_rel_ctx(&rel);
	vt_value map = VT_UNDEF;
	if (!vt_tosca_eval(d->t, &ctx, d->req->allocation, &map))
		d->state = VT_TD_UNKNOWN;
	else
		d->state = read_parts(d, map) ? VT_TD_KNOWN : VT_TD_WRONG;
	vt_clear(&map);
}

static void
forget(vt_tdemand *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		vt_release(d->part[i].value);
		vt_release(d->part[i].number);
	}
	free(d->part);
	d->part = NULL;
	d->n = 0;
}

/* Does the expression ask for things of the graph? Then each candidate may be asked for another
 * amount. */
static bool
asks_graph(const vt_tmodel *m, uint32_t expr, uint32_t depth)
{
	const vt_texpr *x = &m->expr[expr];
	uint32_t n = x->kind == VT_TX_MAP ? 2 * x->n : x->n;
	if (x->constant || (x->kind != VT_TX_MAP && x->kind != VT_TX_LIST && x->kind != VT_TX_CALL))
		return false;
	if (x->kind == VT_TX_CALL && (x->u.k.fn & VT_TX_CUSTOM || depth > 100 ||
					     vt_tfuncs[x->u.k.fn].flags & VT_TF_GRAPH))
		return true;
	for (uint32_t i = 0; i < n; i++)
		if (asks_graph(m, m->index[x->u.k.at + i], depth + 1))
			return true;
	return false;
}

void
vt_tosca_demand(vt_tosca *t, vt_tdemand *d, vt_tnodei *source, const vt_treq *q, uint32_t rel_type)
{
	*d = (vt_tdemand){
		.t = t, .source = source, .req = q, .rel_type = rel_type, .state = VT_TD_NONE};
	if (!q->allocation)
		return;
	d->each = asks_graph(t->m, q->allocation, 0);
	d->state = VT_TD_UNKNOWN;
}

void
vt_tosca_demand_next(vt_tdemand *d, uint32_t index)
{
	if (d->state == VT_TD_NONE)
		return;
	d->index = index;
	if (d->each || (d->part && d->t->m->expr[d->req->allocation].constant))
		return;
	forget(d);
	evaluate(d, NULL);
}

void
vt_tosca_demand_end(vt_tdemand *d)
{
	forget(d);
}

/* ---- does it fit? ---- */

static uint32_t
data_of(const vt_tosca *t, const vt_tcell *c)
{
	uint32_t schema = c->slot ? t->m->slot[c->slot].schema : 0;
	return schema ? t->m->schema[schema].type : 0;
}

/* The amount in the canonical unit of the property; borrowed. VT_UNDEF: reported. */
static vt_value
amount(vt_tdemand *d, vt_tpart *p, const vt_tcell *c)
{
	uint32_t data = data_of(d->t, c), expr = row_of(d->t, d->req->allocation, p->name);
	vt_value typed = VT_UNDEF, number;
	if (p->typed && p->data == data)
		return p->number;
	vt_tctx ctx = vt_tosca_node_ctx(d->source);
	p->typed = true;
	p->data = data;
	vt_clear(&p->number);
	ctx.place = d->req->place;
	if (!vt_tosca_shape(d->t, &ctx, c->slot ? d->t->m->slot[c->slot].schema : 0, expr, p->value,
		    NULL, &typed))
		;
	else if (!vt_tosca_number(typed, &number))
		complain(
			d->t, expr, "'%s' is no number: nothing can be allocated from it", p->name);
	else if (vt_num_cmp(number, vt_mkint(0)) < 0)
		complain(d->t, expr, "what is allocated from '%s' must not be negative", p->name);
	else
		p->number = vt_copy(number);
	if (p->number == VT_UNDEF)
		d->state = VT_TD_WRONG;
	vt_clear(&typed);
	return p->number;
}

/* The number that a property has; false: none is known, or there is none. */
static bool
limit_of(vt_tosca *t, const vt_tcapi *cap, vt_tcell *c, vt_value *number)
{
	vt_tctx ctx = vt_tosca_node_ctx(cap->node);
	vt_value v = vt_tosca_cell(t, &ctx, c);
	return v != VT_UNDEF && v != VT_NOVALUE && vt_tosca_number(v, number);
}

static bool
part_fits(vt_tdemand *d, vt_tpart *p, vt_tcapi *cap)
{
	vt_tcell *c = vt_tosca_find(&cap->props, p->name);
	vt_value all, left = VT_UNDEF;
	if (!c)
		return false;
	vt_value need = amount(d, p, c);
	if (need == VT_UNDEF || !limit_of(d->t, cap, c, &all))
		return need != VT_UNDEF;
	bool ok = vt_tosca_left(d->t, cap, p->name, all, &left) && vt_num_cmp(need, left) <= 0;
	vt_clear(&left);
	return ok;
}

bool
vt_tosca_fits(vt_tdemand *d, vt_tcapi *cap)
{
	bool ok = true;
	if (d->state == VT_TD_NONE)
		return true;
	if (d->each) {
		forget(d);
		evaluate(d, cap);
	}
	for (uint32_t i = 0; i < d->n && ok; i++)
		ok = part_fits(d, &d->part[i], cap);
	return ok && d->state != VT_TD_WRONG;
}

void
vt_tosca_take(vt_tdemand *d, vt_tcapi *cap)
{
	if (d->each && !vt_tosca_fits(d, cap))
		return;
	for (uint32_t i = 0; i < d->n; i++) {
		const vt_tcell *c = vt_tosca_find(&cap->props, d->part[i].name);
		if (c)
			take(d->t, cap, d->part[i].name, amount(d, &d->part[i], c));
	}
}

/* ---- rooms: which candidates may have enough left ---- */

/*
 * A tournament over the candidates for each property that was asked for: a node has the most that
 * any below it has left. What is left only shrinks, so numbers from earlier are upper bounds; a
 * leaf is brought up to date when it is looked at. Numbers are rounded to doubles, which keeps
 * their order: what does not fit there does not fit.
 */
enum { MOST_DIMS = 8 };
typedef struct dim {
	uint32_t name, data; /* data type that all have who have the property */
	double *most;        /* 2 * size: node i has 2i and 2i + 1 below it */
} dim;
struct vt_trooms {
	uint32_t n, size, ndims;
	dim dim[MOST_DIMS];
};

static double
rough(vt_value number)
{
	return vt_is_int(number) ? (double)vt_toint(number)
	       : vt_is(number, FLOAT) && vt_as_float(number) == vt_as_float(number)
		       ? vt_as_float(number)
		       : HUGE_VAL;
}

static double
room_of(vt_tosca *t, const dim *d, const vt_tcapi *cap)
{
	vt_tcell *c = vt_tosca_find(&cap->props, d->name);
	vt_value all, left = VT_UNDEF;
	double room = HUGE_VAL;
	if (!c)
		return -1;
	if (data_of(t, c) == d->data && limit_of(t, cap, c, &all) &&
		vt_tosca_left(t, cap, d->name, all, &left))
		room = rough(left);
	vt_clear(&left);
	return room;
}

static void
lift(dim *d, uint32_t at)
{
	for (at /= 2; at; at /= 2)
		d->most[at] = d->most[2 * at] > d->most[2 * at + 1] ? d->most[2 * at]
								    : d->most[2 * at + 1];
}

struct vt_trooms *
vt_tosca_rooms(uint32_t n)
{
	struct vt_trooms *r = vt_xmalloc(sizeof *r);
	*r = (struct vt_trooms){.n = n, .size = 1};
	while (r->size < n)
		r->size *= 2;
	return r;
}

void
vt_tosca_drop_rooms(struct vt_trooms *r)
{
	for (uint32_t i = 0; r && i < r->ndims; i++)
		free(r->dim[i].most);
	free(r);
}

/* The data type of the first candidate that has the property: others with another one are always
 * looked at. */
static uint32_t
first_data(const vt_tosca *t, const vt_tcandidates *all, uint32_t name)
{
	for (uint32_t i = 0; i < all->n; i++) {
		const vt_tcell *c = vt_tosca_find(&all->c[all->order[i]].cap->props, name);
		if (c)
			return data_of(t, c);
	}
	return 0;
}

static dim *
dim_of(vt_tosca *t, struct vt_trooms *r, const vt_tcandidates *all, uint32_t name)
{
	for (uint32_t i = 0; i < r->ndims; i++)
		if (r->dim[i].name == name)
			return &r->dim[i];
	if (r->ndims == MOST_DIMS)
		return NULL;
	dim *d = &r->dim[r->ndims++];
	*d = (dim){
		name, first_data(t, all, name), vt_xmalloc(2 * (size_t)r->size * sizeof *d->most)};
	for (uint32_t i = 0; i < r->size; i++)
		d->most[r->size + i] = i < r->n ? room_of(t, d, all->c[all->order[i]].cap) : -1;
	for (uint32_t i = r->size; i-- > 1;)
		d->most[i] =
			d->most[2 * i] > d->most[2 * i + 1] ? d->most[2 * i] : d->most[2 * i + 1];
	return d;
}

typedef struct seek {
	const struct vt_trooms *r;
	const dim *dim[MOST_DIMS];
	double need[MOST_DIMS];
	uint32_t n, from;
} seek;

/* The first leaf from s->from on, below the node `at`, that may have enough; r->n: none. */
static uint32_t
descend(const seek *s, uint32_t at, uint32_t first, uint32_t width)
{
	if (first + width <= s->from || first >= s->r->n)
		return s->r->n;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->dim[i]->most[at] < s->need[i])
			return s->r->n;
	if (width == 1)
		return first;
	uint32_t found = descend(s, 2 * at, first, width / 2);
	return found < s->r->n ? found : descend(s, 2 * at + 1, first + width / 2, width / 2);
}

static void
plan(vt_tdemand *d, struct vt_trooms *r, const vt_tcandidates *all, seek *s)
{
	*s = (seek){.r = r};
	for (uint32_t i = 0; i < d->n && s->n < MOST_DIMS && !d->each; i++) {
		vt_tpart *p = &d->part[i];
		dim *dim = dim_of(d->t, r, all, p->name);
		if (!dim)
			continue;
		s->dim[s->n] = dim;
		s->need[s->n++] = p->typed && p->data == dim->data && p->number != VT_UNDEF &&
						  rough(p->number) < HUGE_VAL
					  ? rough(p->number)
					  : 0;
	}
}

static void
bring_up(vt_tosca *t, struct vt_trooms *r, const vt_tcandidates *all, uint32_t at)
{
	for (uint32_t i = 0; i < r->ndims; i++) {
		dim *d = &r->dim[i];
		double room = room_of(t, d, all->c[all->order[at]].cap);
		if (room < d->most[r->size + at]) {
			d->most[r->size + at] = room;
			lift(d, r->size + at);
		}
	}
}

uint32_t
vt_tosca_next_room(vt_tdemand *d, struct vt_trooms *r, const vt_tcandidates *all, uint32_t from)
{
	for (uint32_t at = from;; at++) {
		seek s;
		if (d->state == VT_TD_WRONG)
			return r->n;
		plan(d, r, all, &s);
		s.from = at;
		at = r->n ? descend(&s, 1, 0, r->size) : 0;
		if (at >= r->n)
			return r->n;
		vt_tcapi *cap = all->c[all->order[at]].cap;
		if (vt_tosca_fits(d, cap))
			return at;
		bring_up(d->t, r, all, at);
	}
}
