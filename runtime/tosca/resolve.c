/*
 * resolve.c - what the requirements of nodes are related to.
 *
 * Resolution goes over the node templates by name and over their requirements in order, so the
 * order of the file decides nothing.  A requirement that names a template has that template's
 * representations as candidates.  Others have a set: the capabilities that the asked types allow,
 * which all requirements that ask the same share.
 *
 * Of several candidates, first comes the one whose capability has fewest of the relationships that
 * it must have, that is, of those that miss some the one with the greatest minimum; else the one
 * with the greatest maximum; else the first by name.  A capability only ever gains relationships,
 * so a set keeps both orders with a place each before which nothing can be taken any more: finding
 * the next one takes constant time, mostly.
 */
#include "runtime/core/session.h"
#include "runtime/tosca/mem.h"
#include "runtime/tosca/relate.h"
#include "runtime/tosca/search.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a requirement asks for ---- */

typedef vt_twant want;
typedef vt_tsearch search;

static bool
one_of(const vt_tmodel *m, uint32_t type, vt_tspan list)
{
	bool found = list.n == 0;
	for (uint32_t i = 0; i < list.n && !found; i++)
		found = vt_tosca_is(m, type, m->index[list.first + i]);
	return found;
}

/* May a capability of this definition be the target? */
static bool
cap_suits(const vt_tmodel *m, const want *w, const vt_tcapdef *d)
{
	if (w->cap_name && d->name != w->cap_name)
		return false;
	if (w->cap_type && !vt_tosca_is(m, d->type, w->cap_type))
		return false;
	if (w->rel_type && !one_of(m, d->type, m->type[w->rel_type].targets))
		return false;
	/* Templates of 1.x are hosted on Compute that are no SoftwareComponent, which its
	 * definition asks for. */
	bool source = !(m->version & VT_TV_2_0) ||
		      (one_of(m, w->source, d->sources) &&
			      (!w->rel_type || one_of(m, w->source, m->type[w->rel_type].sources)));
	return source && (!w->rel_type || one_of(m, w->rel_type, d->relations));
}

bool
vt_tosca_suits(const vt_tmodel *m, const want *w, uint32_t type)
{
	return (!w->node_type || vt_tosca_is(m, type, w->node_type)) &&
	       (!w->rel_type || one_of(m, type, m->type[w->rel_type].nodes));
}

uint32_t
vt_tosca_rel_type(const vt_tmodel *m, const vt_treq *q)
{
	uint32_t type = q->rel ? m->rel[q->rel].type : q->rel_type;
	return type ? type : m->reqdef[q->def].rel_type;
}

static want
want_of(const vt_tmodel *m, const vt_tnodei *n, const vt_treq *q)
{
	const vt_treqdef *d = &m->reqdef[q->def];
	want w = {q->node_type ? q->node_type : d->node_type, q->cap_type, q->cap_name,
		vt_tosca_rel_type(m, q), n->t->type, d->filter, 0};
	if (!w.cap_type && !w.cap_name)
		w.cap_type = d->cap_type, w.cap_name = d->cap_name;
	return w;
}

/* ---- candidates ---- */

enum { UNASKED, PASSES, FAILS };
enum { MOST_KEYS = 8 };
typedef vt_tcandidate candidate;
/* All that a want allows; `must` and `may` are the two orders, and before `must_at`, `may_at`
 * everything is full. */
typedef struct vt_tset {
	want w;
	candidate *c;
	uint32_t n; /* by name */
	uint32_t *must, nmust, must_at;
	uint32_t *may, may_at;
	struct vt_trooms *rooms; /* once an allocation is asked for; or NULL */
	uint32_t filter; /* of the requirement that asked last, and what it is of each candidate */
	uint8_t *verdict;
	uint32_t last; /* filter that was asked last */
	struct by_key {
		uint32_t asked;
		vt_tindex x;
	} key[MOST_KEYS]; /* what candidates give for expressions of filters */
	uint32_t nkeys;
	struct by_range {
		uint32_t asked;
		struct vt_tline *line;
	} range[MOST_KEYS];
	uint32_t nranges;
} set;
/* Nodes by exact type, and the sets so far. */
typedef struct vt_tsets {
	vt_tservicei *service;
	uint32_t *type, ntypes; /* types that nodes have */
	uint32_t *start;        /* by position in type: nodes[start[i] .. start[i + 1]) */
	uint32_t *rank;         /* by order of the node: its place by name */
	vt_tnodei **nodes;
	set **hash;
	uint32_t nhash, n;
} sets;

static void
free_sets(sets *s)
{
	for (uint32_t i = 0; i < s->nhash; i++)
		if (s->hash[i]) {
			free(s->hash[i]->c);
			free(s->hash[i]->must);
			free(s->hash[i]->may);
			vt_tosca_drop_rooms(s->hash[i]->rooms);
			free(s->hash[i]->verdict);
			for (uint32_t k = 0; k < s->hash[i]->nkeys; k++)
				vt_tosca_index_free(&s->hash[i]->key[k].x);
			for (uint32_t k = 0; k < s->hash[i]->nranges; k++)
				vt_tosca_line_free(s->hash[i]->range[k].line);
			free(s->hash[i]);
		}
	free(s->hash);
	free(s->type);
	free(s->start);
	free(s->rank);
	free(s->nodes);
	free(s);
}

void
vt_tosca_drop_sets(vt_tosca *t)
{
	if (t->mem->sets)
		free_sets(t->mem->sets);
	t->mem->sets = NULL;
}

/* Counting sort of the service's nodes, which come by name, over their types. */
static void
bucket(vt_tosca *t, sets *s)
{
	uint32_t *at = vt_xmalloc((t->m->n_type + 1) * sizeof *at), n = 0, total = 0;
	memset(at, 0, (t->m->n_type + 1) * sizeof *at);
	vt_tservicei *v = s->service;
	for (uint32_t i = 0; i < v->s->nodes.n; i++)
		at[t->m->node[v->s->nodes.first + i].type] += v->count[i];
	for (uint32_t i = 1; i < t->m->n_type; i++)
		n += at[i] != 0;
	s->type = vt_xmalloc((n + 1) * sizeof *s->type);
	s->start = vt_xmalloc((n + 2) * sizeof *s->start);
	for (uint32_t i = 1; i < t->m->n_type; i++) {
		uint32_t k = at[i];
		if (!k)
			continue;
		s->type[s->ntypes] = i;
		s->start[s->ntypes++] = total;
		at[i] = total;
		total += k;
	}
	s->start[s->ntypes] = total;
	s->nodes = vt_xmalloc((total + 1) * sizeof *s->nodes);
	s->rank = vt_xmalloc((t->nnodes + 1) * sizeof *s->rank);
	for (uint32_t i = 0, rank = 0; i < v->s->nodes.n; i++)
		for (uint32_t k = 0, row = v->sorted[i]; k < v->count[row]; k++) {
			vt_tnodei *node = v->first[row] + k;
			s->rank[node->order] = rank++;
			s->nodes[at[node->t->type]++] = node;
		}
	free(at);
}

static sets *
sets_of(vt_tosca *t, vt_tservicei *service)
{
	if (t->mem->sets && t->mem->sets->service == service)
		return t->mem->sets;
	vt_tosca_drop_sets(t);
	sets *s = vt_xmalloc(sizeof *s);
	*s = (sets){.service = service};
	bucket(t, s);
	s->nhash = 64;
	s->hash = vt_xzalloc(s->nhash * sizeof(set *));
	return t->mem->sets = s;
}

static uint32_t
hash_want(const want *w)
{
	const uint32_t v[] = {
		w->node_type, w->cap_type, w->cap_name, w->rel_type, w->source, w->filter, w->node};
	uint32_t h = 0;
	for (size_t i = 0; i < VT_LEN(v); i++)
		h = (h ^ v[i]) * 0x9e3779b1u, h ^= h >> 15;
	return h;
}

static bool
same_want(const want *a, const want *b)
{
	return a->node_type == b->node_type && a->cap_type == b->cap_type &&
	       a->cap_name == b->cap_name && a->rel_type == b->rel_type && a->source == b->source &&
	       a->filter == b->filter && a->node == b->node;
}

typedef struct ordered {
	uint64_t key;
	uint32_t at;
} ordered;

static int
by_key(const void *a, const void *b)
{
	const ordered *x = a, *y = b;
	return x->key != y->key ? (x->key < y->key ? 1 : -1) : x->at < y->at ? -1 : x->at > y->at;
}

/* The candidates of one order: by descending bound, then by name; of a list, or NULL: all. */
static uint32_t *
in_order(const set *s, const uint32_t *list, uint32_t all, bool lower, uint32_t *n)
{
	ordered *o = vt_xmalloc((all + 1) * sizeof *o);
	uint32_t *out = vt_xmalloc((all + 1) * sizeof *out);
	bool sorted = true;
	*n = 0;
	for (uint32_t i = 0; i < all; i++) {
		uint32_t at = list ? list[i] : i;
		const vt_tcapdef *d = s->c[at].cap->def;
		if (lower && !d->lo)
			continue;
		o[*n] = (ordered){lower ? d->lo : d->hi, at};
		sorted = sorted && (!*n || o[*n - 1].key >= o[*n].key);
		++*n;
	}
	if (!sorted)
		qsort(o, *n, sizeof *o, by_key);
	for (uint32_t i = 0; i < *n; i++)
		out[i] = o[i].at;
	free(o);
	return out;
}

typedef struct ranked {
	uint32_t rank, cap;
	vt_tnodei *n;
} ranked;

static int
by_rank(const void *a, const void *b)
{
	const ranked *x = a, *y = b;
	return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1)
	       : x->cap < y->cap  ? -1
				  : x->cap > y->cap;
}

typedef struct rankeds {
	ranked *p;
	uint32_t n;
} rankeds;

/* The capabilities of a node that suit. */
static void
offer(vt_tosca *t, const sets *all, const want *w, vt_tnodei *n, rankeds *list)
{
	for (uint32_t c = 0; c < n->ncaps; c++) {
		if (!cap_suits(t->m, w, n->caps[c].def))
			continue;
		vt_push(list->p, list->n) = (ranked){all->rank[n->order], c, n};
	}
}

/* Types that suit give all their nodes; runs of several types are brought into one order by name.
 */
static void
collect(vt_tosca *t, const sets *all, set *s)
{
	rankeds list = {NULL, 0};
	uint32_t runs = 0, row = s->w.node ? s->w.node - all->service->s->nodes.first : 0;
	for (uint32_t k = 0; s->w.node && k < all->service->count[row]; k++)
		offer(t, all, &s->w, all->service->first[row] + k, &list);
	for (uint32_t i = 0; i < all->ntypes && !s->w.node; i++) {
		uint32_t before = list.n;
		if (!vt_tosca_suits(t->m, &s->w, all->type[i]))
			continue;
		for (uint32_t k = all->start[i]; k < all->start[i + 1]; k++)
			offer(t, all, &s->w, all->nodes[k], &list);
		runs += list.n > before;
	}
	if (runs > 1)
		qsort(list.p, list.n, sizeof *list.p, by_rank);
	s->n = list.n;
	s->c = vt_xmalloc((s->n + 1) * sizeof *s->c);
	for (uint32_t i = 0; i < s->n; i++)
		s->c[i] = (candidate){
			&list.p[i].n->caps[list.p[i].cap], s->w.filter ? UNASKED : PASSES};
	free(list.p);
}

static void
grow_hash(sets *all)
{
	set **old = all->hash;
	uint32_t n = all->nhash;
	all->nhash *= 2;
	all->hash = vt_xzalloc(all->nhash * sizeof(set *));
	for (uint32_t i = 0; i < n; i++) {
		if (!old[i])
			continue;
		uint32_t at = hash_want(&old[i]->w) & (all->nhash - 1);
		while (all->hash[at])
			at = (at + 1) & (all->nhash - 1);
		all->hash[at] = old[i];
	}
	free(old);
}

static set *
set_of(vt_tosca *t, sets *all, const want *w)
{
	uint32_t at = hash_want(w) & (all->nhash - 1), n;
	for (; all->hash[at]; at = (at + 1) & (all->nhash - 1))
		if (same_want(&all->hash[at]->w, w))
			return all->hash[at];
	set *s = vt_xmalloc(sizeof *s);
	*s = (set){.w = *w};
	collect(t, all, s);
	s->must = in_order(s, NULL, s->n, true, &s->nmust);
	s->may = in_order(s, NULL, s->n, false, &n);
	all->hash[at] = s;
	if (++all->n * 2 > all->nhash)
		grow_hash(all);
	return s;
}

/* ---- filters ---- */

/*
 * Is the filter true of the candidate? What is not known yet does not speak against it; what the
 * candidate does not have does, but not against one that was named: `lenient`.
 */
static bool
is_true_in(vt_tosca *t, uint32_t filter, vt_tctx ctx, bool lenient)
{
	vt_value v = VT_UNDEF;
	t->mem->quiet++;
	uint32_t before = t->mem->silenced;
	bool known = vt_tosca_eval(t, &ctx, filter, &v), failed = t->mem->silenced != before;
	t->mem->quiet--;
	bool ok = known ? v == VT_TRUE : lenient || !failed;
	vt_clear(&v);
	return ok;
}

bool
vt_tosca_filter_passes(vt_tosca *t, uint32_t filter, vt_tnodei *candidate, bool lenient)
{
	return !filter || is_true_in(t, filter, vt_tosca_node_ctx(candidate), lenient);
}

/* The candidate, and in *r the relationship that a requirement of the node would get. */
static vt_tctx
asking(const vt_tosca *t, vt_tnodei *source, const vt_treq *q, vt_tcapi *cap, vt_treli *r)
{
	vt_tctx ctx = vt_tosca_node_ctx(cap->node);
	*r = (vt_treli){.req = q,
		.name = t->m->reqdef[q->def].name,
		.type = vt_tosca_rel_type(t->m, q),
		.source = source,
		.target = cap->node,
		.cap = cap};
	if (t->m->version & VT_TV_2_0)
		ctx.asks = r;
	return ctx;
}

static bool
asked_passes(vt_tosca *t, uint32_t filter, vt_tnodei *source, const vt_treq *q, vt_tcapi *cap,
	bool lenient)
{
	vt_treli r;
	return !filter || is_true_in(t, filter, asking(t, source, q, cap, &r), lenient);
}

/* The verdict is kept unless it depends on relationships, of which more may come. */
static bool
verdict(search *s, uint32_t filter, const candidate *c, bool lenient, uint8_t *kept)
{
	vt_tosca *t = s->t;
	bool touched = t->touched, ok;
	if (*kept != UNASKED)
		return *kept == PASSES;
	t->touched = false;
	ok = asked_passes(t, filter, s->n, s->q, c->cap, lenient);
	if (!t->touched)
		*kept = ok ? PASSES : FAILS;
	t->touched |= touched;
	return ok;
}

/* ---- the choice ---- */

/* Requirements that stand in one template, or in many that were written by a program, ask with one
 * filter: what it says of the candidates is kept for the next. */
static bool
passes(search *s, set *set, candidate *c)
{
	uint32_t filter = s->q->filter;
	bool named = s->q->node;
	if (!verdict(s, s->w.filter, c, named, &c->passes))
		return false;
	if (!filter)
		return true;
	if (s->few)
		return verdict(s, filter, c, named, &(uint8_t){UNASKED});
	if (!set->verdict)
		set->verdict = vt_xmalloc(set->n);
	if (!set->filter || !vt_tosca_same_expr(s->t->m, set->filter, filter))
		memset(set->verdict, UNASKED, set->n);
	set->filter = filter;
	return verdict(s, filter, c, named, &set->verdict[c - set->c]);
}

static bool
is_full(const vt_tcapi *c)
{
	return c->closed || (c->def->hi != VT_TUNBOUNDED && c->used >= c->def->hi);
}

static bool
misses(const vt_tcapi *c)
{
	return c->used < c->def->lo;
}

/* A requirement that counts several goes on behind the one it took before, and starts again where
 * none is left. */
static vt_tcapi *
walk(search *s, set *set, const uint32_t *order, uint32_t n, uint32_t *from, bool must)
{
	uint32_t *resume = must ? &s->must : &s->may;
	while (*from < n &&
		(must ? !misses(set->c[order[*from]].cap) : is_full(set->c[order[*from]].cap)))
		++*from;
	for (uint32_t i = *from < *resume ? *resume : *from; i < n; i++) {
		candidate *c = &set->c[order[i]];
		if (is_full(c->cap) || (must && !misses(c->cap)) || c->cap->node == s->avoid)
			continue;
		if (!vt_tosca_fits(&s->demand, c->cap) || !passes(s, set, c))
			continue;
		*resume = i + 1;
		return c->cap;
	}
	if (!*resume)
		return NULL;
	*resume = 0;
	return walk(s, set, order, n, from, must);
}

/* The same for who takes a part of what capabilities have. */
static vt_tcapi *
walk_rooms(search *s, set *set)
{
	vt_tcandidates all = {set->c, set->may, set->n};
	if (!set->rooms)
		set->rooms = vt_tosca_rooms(set->n);
	for (uint32_t i = s->may;;) {
		i = vt_tosca_next_room(&s->demand, set->rooms, &all, i);
		if (i == set->n && !s->may)
			return NULL;
		if (i == set->n) {
			i = s->may = 0;
			continue;
		}
		candidate *c = &set->c[set->may[i++]];
		if (is_full(c->cap) || c->cap->node == s->avoid || !passes(s, set, c))
			continue;
		s->may = i;
		return c->cap;
	}
}

/* The index of what candidates give for the expression; NULL: there are too many of those. */
static const vt_tindex *
index_of(search *s, set *set, uint32_t asked)
{
	for (uint32_t i = 0; i < set->nkeys; i++)
		if (vt_tosca_same_expr(s->t->m, set->key[i].asked, asked))
			return &set->key[i].x;
	if (set->nkeys == MOST_KEYS)
		return NULL;
	struct by_key *k = &set->key[set->nkeys++];
	*k = (struct by_key){.asked = asked};
	for (uint32_t i = 0; i < set->n; i++) {
		vt_treli r;
		vt_tctx ctx = asking(s->t, s->n, s->q, set->c[i].cap, &r);
		vt_tosca_index_add(s->t, &k->x, &ctx, asked, i);
	}
	vt_tosca_index_done(&k->x);
	return &k->x;
}

/*
 * Among those that have the value that the filter asks for.  Not for a filter that was asked last:
 * of that one is known of whom it is true, and where to go on.
 */
static bool
choose_by_key(search *s, set *set, vt_tcapi **out)
{
	vt_tkey key;
	uint32_t filter = s->q->filter, n, nmust, nmay, from = 0;
	bool again = set->last && vt_tosca_same_expr(s->t->m, set->last, filter);
	set->last = filter;
	if (again || s->demand.state != VT_TD_NONE || !vt_tosca_key(s->t->m, filter, &key))
		return false;
	const vt_tindex *x = index_of(s, set, key.asked);
	if (!x)
		return false;
	uint32_t *list = vt_tosca_index_find(s->t, x, key.constant, &n);
	uint32_t *must = in_order(set, list, n, true, &nmust),
		 *may = in_order(set, list, n, false, &nmay);
	s->few = true;
	*out = walk(s, set, must, nmust, &from, true);
	from = 0;
	if (!*out)
		*out = walk(s, set, may, nmay, &from, false);
	s->few = false;
	free(list);
	free(must);
	free(may);
	return true;
}

/* The line of what candidates give for the expression; NULL: there are too many of those. */
static struct vt_tline *
line_of(search *s, set *set, uint32_t asked)
{
	for (uint32_t i = 0; i < set->nranges; i++)
		if (vt_tosca_same_expr(s->t->m, set->range[i].asked, asked))
			return set->range[i].line;
	if (set->nranges == MOST_KEYS)
		return NULL;
	struct vt_tline *l = vt_tosca_line(set->n);
	for (uint32_t i = 0; i < set->n; i++) {
		vt_treli r;
		vt_tctx ctx = asking(s->t, s->n, s->q, set->c[i].cap, &r);
		vt_tosca_line_add(s->t, l, &ctx, asked, i);
	}
	vt_tosca_line_order(l, 0, set->must, set->nmust);
	vt_tosca_line_order(l, 1, set->may, set->n);
	vt_tosca_line_done(s->t, l);
	set->range[set->nranges++] = (struct by_range){asked, l};
	return l;
}

typedef struct asks {
	search *s;
	set *set;
} asks;

/* Capabilities only ever gain relationships: who is full stays so. */
static enum vt_ttaking
takes(void *data, uint32_t at, int may)
{
	asks *a = data;
	candidate *c = &a->set->c[at];
	if (is_full(c->cap) || (!may && !misses(c->cap)))
		return VT_TAKES_NEVER;
	return c->cap->node != a->s->avoid && passes(a->s, a->set, c) ? VT_TAKES : VT_TAKES_NOT_NOW;
}

/* A part of a line: who is in all ranges that the filter has of one expression. */
typedef struct part {
	struct vt_tline *line;
	uint32_t from, to;
} part;

static uint32_t
width(const part *p)
{
	return p->to - p->from + vt_tosca_line_rest(p->line);
}

/* Of the lines of a filter the part with fewest in it; false: it has no ranges. */
static bool
narrowest(search *s, set *set, part *out)
{
	vt_trange range[MOST_KEYS];
	part p[MOST_KEYS];
	uint32_t n = vt_tosca_ranges(s->t->m, s->q->filter, range, MOST_KEYS), parts = 0;
	for (uint32_t i = 0; i < n; i++) {
		part one = {.line = line_of(s, set, range[i].asked)};
		uint32_t k = 0;
		if (!one.line || !vt_tosca_line_find(s->t, one.line, &range[i], &one.from, &one.to))
			continue;
		while (k < parts && p[k].line != one.line)
			k++;
		if (k == parts)
			p[parts++] = one;
		p[k].from = p[k].from > one.from ? p[k].from : one.from;
		p[k].to = p[k].to < one.to ? p[k].to : one.to;
		p[k].to = p[k].to < p[k].from ? p[k].from : p[k].to;
	}
	for (uint32_t i = 0; i < parts; i++)
		if (i == 0 || width(&p[i]) < width(out))
			*out = p[i];
	return parts > 0;
}

/* Among those who are in the ranges that the filter asks for. A requirement that counts several
 * goes on where it was, in walk(). */
static bool
choose_by_range(search *s, set *set, vt_tcapi **out)
{
	enum { FEW = 32 };
	part p;
	uint32_t found = UINT32_MAX;
	bool plain = s->demand.state == VT_TD_NONE && !s->q->count && set->n > FEW;
	if (!plain || !narrowest(s, set, &p))
		return false;
	s->few = true;
	for (int may = 0; may < 2 && found == UINT32_MAX; may++)
		found = vt_tosca_line_choose(p.line, p.from, p.to, may, takes, &(asks){s, set});
	s->few = false;
	*out = found == UINT32_MAX ? NULL : set->c[found].cap;
	return true;
}

static vt_tcapi *
choose_from_set(search *s)
{
	vt_tcapi *keyed;
	set *set = set_of(s->t, sets_of(s->t, s->n->service), &s->w);
	s->seen = set->n;
	if (choose_by_key(s, set, &keyed) || choose_by_range(s, set, &keyed))
		return keyed;
	vt_tcapi *c = walk(s, set, set->must, set->nmust, &set->must_at, true);
	if (!c && s->demand.state != VT_TD_NONE)
		return walk_rooms(s, set);
	return c ? c : walk(s, set, set->may, set->n, &set->may_at, false);
}

static bool
better(const vt_tcapi *a, const vt_tcapi *than)
{
	if (!than || misses(a) != misses(than))
		return !than || misses(a);
	return misses(a) ? a->def->lo > than->def->lo : a->def->hi > than->def->hi;
}

/* The best capability of one node. */
vt_tcapi *
vt_tosca_choose_in(search *s, vt_tnodei *n)
{
	vt_tcapi *best = NULL;
	bool any = false;
	s->seen++;
	for (uint32_t i = 0; i < n->ncaps; i++) {
		vt_tcapi *c = &n->caps[i];
		if (!cap_suits(s->t->m, &s->w, c->def))
			continue;
		any = true;
		s->full += is_full(c);
		if (is_full(c) || !better(c, best))
			continue;
		if (vt_tosca_fits(&s->demand, c))
			best = c;
		else
			s->small++;
	}
	s->with_cap += any;
	if (best && (!asked_passes(s->t, s->w.filter, s->n, s->q, best, s->q->node) ||
			    !asked_passes(s->t, s->q->filter, s->n, s->q, best, s->q->node))) {
		s->filtered++;
		return NULL;
	}
	return best;
}

/* The first representation of a template from `from` on that has nothing better behind it. */
static vt_tcapi *
choose_between(search *s, vt_tnodei *first, uint32_t from, uint32_t n)
{
	vt_tcapi *best = NULL;
	for (uint32_t i = from; i < n; i++) {
		vt_tcapi *c = vt_tosca_choose_in(s, first + i);
		if (!c)
			continue;
		if (better(c, best))
			best = c;
		if (!c->def->lo && c->def->hi == VT_TUNBOUNDED)
			break;
	}
	if (best)
		s->may = best->node->index + 1;
	return best;
}

static vt_tcapi *
choose_in_template(search *s)
{
	vt_tservicei *v = s->n->service;
	uint32_t row = s->q->node - v->s->nodes.first, index = 0, n = v->count[row];
	vt_tctx ctx = vt_tosca_node_ctx(s->n);
	if (!n || !vt_tosca_suits(s->t->m, &s->w, v->first[row]->t->type))
		return NULL;
	if (s->q->node_index) {
		bool ok =
			vt_tosca_count(s->t, &ctx, s->q->node_index, "the index of a node", &index);
		s->wrong = !ok;
		return ok && index < n ? vt_tosca_choose_in(s, v->first[row] + index) : NULL;
	}
	if (n > 1 && s->demand.state != VT_TD_NONE) {
		s->w.node = s->q->node;
		return choose_from_set(s);
	}
	vt_tcapi *c = choose_between(s, v->first[row], s->may, n);
	return c || !s->may ? c : choose_between(s, v->first[row], 0, n);
}

/* ---- relationships ---- */

/* Is the requirement one of those that the substitution mappings leave to the outside? */
static bool
is_mapped(const vt_tosca *t, const vt_tservicei *v, const vt_tnodei *n, uint32_t name)
{
	const vt_tmapping *map = t->m->mapping + v->s->mappings.first;
	for (uint32_t i = 0; i < v->s->mappings.n; i++)
		if (map[i].kind == VT_TM_REQUIREMENT && map[i].inner == name && map[i].node &&
			t->m->node + map[i].node == n->t)
			return true;
	return false;
}

/*
 * Optional requirements come when all others are resolved (TOSCA 2.0, 8.5.1).  Before them, those
 * that name their target come first: they have no choice, so they take what they need before others
 * take it.
 */
enum { TURN_NAMED = 1, TURN_FREE = 2, TURN_OPTIONAL = 4, TURN_ANY = 7 };
/* Relationships of that requirement, of whatever turn. */
static uint32_t
count_named(const vt_tnodei *n, const vt_related *have, uint32_t name)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < n->nrels; i++)
		count += n->rels[i]->name == name;
	for (uint32_t i = 0; i < have->n; i++)
		count += have->rel[i]->name == name;
	return count;
}

bool
vt_tosca_is_optional(vt_tosca *t, const vt_tctx *ctx, const vt_treq *q)
{
	vt_value v = VT_UNDEF;
	bool ok = q->optional && vt_tosca_eval(t, ctx, q->optional, &v) && v == VT_TRUE;
	vt_clear(&v);
	return ok;
}

/* Before 2.0: a network function (ETSI SOL001) gets its virtual links from the network service that
 * has it, or from its manager. */
static bool
is_for_manager(const vt_tmodel *m, const vt_twant *w)
{
	for (uint32_t type = w->cap_type; type; type = m->type[type].parent)
		if (!strcmp(m->str[m->type[type].name]->s,
			    "tosca.capabilities.nfv.VirtualLinkable"))
			return true;
	return false;
}

/*
 * From 2.0 on, what the service does not have may come from outside, unless the requirement says
 * `internal` or names a template: OASIS's tests of 2.0 hold such services valid.
 */
static bool
may_dangle(const search *s, const vt_tctx *ctx)
{
	const vt_treq *q = s->q;
	bool outside = s->t->m->version & VT_TV_2_0 ? !(q->directives & VT_TR_INTERNAL)
						    : is_for_manager(s->t->m, &s->w);
	return (outside && !q->node) || vt_tosca_is_optional(s->t, ctx, q);
}

static vt_tcapi *
choose(search *s)
{
	uint32_t must = s->must, may = s->may;
	vt_tcapi *c = s->q->node ? choose_in_template(s) : choose_from_set(s);
	if (!c && s->avoid) {
		s->avoid = NULL;
		s->must = must, s->may = may;
		c = s->q->node ? choose_in_template(s) : choose_from_set(s);
	}
	s->avoid = c ? c->node : NULL;
	return c;
}

static void
resolve_one(vt_tosca *t, vt_tnodei *n, const vt_treq *q, vt_related *have)
{
	if (t->m->version & VT_TV_CLOUDIFY && q->node && vt_tosca_pair(t, n, q, have))
		return;
	search s = {.t = t, .n = n, .q = q, .w = want_of(t->m, n, q)};
	vt_tctx ctx = vt_tosca_node_ctx(n);
	uint32_t count = 1;
	uint32_t first = q->allocation ? count_named(n, have, t->m->reqdef[q->def].name) : 0;
	ctx.place = q->place;
	if (q->count && !vt_tosca_count(t, &ctx, q->count, "the count of a requirement", &count))
		return;
	vt_tosca_demand(t, &s.demand, n, q, s.w.rel_type);
	if (q->added && have->n && have->rel[have->n - 1]->name == t->m->reqdef[q->def].name)
		s.avoid = have->rel[have->n - 1]->target;
	for (uint32_t i = 0; i < count; i++) {
		vt_tosca_demand_next(&s.demand, first + i);
		vt_tcapi *c = choose(&s);
		if (c && ++t->mem->nrels > 4 * (uint64_t)t->limit.max_nodes) {
			vt_tosca_problem(t, VT_E2090, q->place,
				"the service has more than %u relationships",
				4 * t->limit.max_nodes);
			break;
		}
		if (!c) {
			if (s.demand.state != VT_TD_WRONG && !s.wrong && !may_dangle(&s, &ctx))
				vt_tosca_unmet(&s);
			break;
		}
		vt_tosca_take(&s.demand, c);
		vt_tosca_add_rel(have, vt_tosca_relate(t, n, q, c));
		t->epoch++;
	}
	vt_tosca_demand_end(&s.demand);
}

static uint32_t
turn_of(vt_tosca *t, vt_tnodei *n, const vt_treq *q)
{
	vt_tctx ctx = vt_tosca_node_ctx(n);
	if (q->optional && vt_tosca_is_optional(t, &ctx, q))
		return TURN_OPTIONAL;
	return q->node ? TURN_NAMED : TURN_FREE;
}

static void
resolve_node(vt_tosca *t, vt_tnodei *n, vt_related *have)
{
	have->n = 0;
	for (uint32_t i = 0; i < n->t->reqs.n; i++) {
		const vt_treq *q = &t->m->req[n->t->reqs.first + i];
		uint32_t turn = have->turn == TURN_ANY ? TURN_ANY : turn_of(t, n, q);
		have->later |= turn;
		if (turn != have->turn || q->bad || q->directives & VT_TR_EXTERNAL ||
			(n->service->s->mappings.n &&
				is_mapped(t, n->service, n, t->m->reqdef[q->def].name)))
			continue;
		resolve_one(t, n, q, have);
	}
	vt_tosca_merge_rels(t, n, have);
}

void
vt_tosca_resolve_service(vt_tosca *t, vt_tservicei *v)
{
	bool turns = t->m->version & VT_TV_2_0;
	vt_related have = {.turn = turns ? TURN_NAMED : TURN_ANY};
	if (!t->mem->counts)
		t->mem->counts = vt_xzalloc((t->m->n_str + 1) * sizeof *t->mem->counts);
	have.count = t->mem->counts;
	for (; have.turn <= TURN_ANY; have.turn = turns ? 2 * have.turn : TURN_ANY + 1) {
		if (turns && have.turn > TURN_NAMED && !(have.later & have.turn))
			continue;
		for (uint32_t i = 0; i < v->s->nodes.n; i++)
			for (uint32_t k = 0, row = v->sorted[i]; k < v->count[row]; k++)
				resolve_node(t, v->first[row] + k, &have);
	}
	free(have.rel);
	vt_tosca_drop_sets(t);
	for (uint32_t i = 0; i < v->s->nodes.n; i++)
		for (uint32_t k = 0; k < v->count[i]; k++)
			vt_tosca_turn_round(v->first[i] + k);
}

void
vt_tosca_resolve(vt_tosca *t)
{
	t->epoch++;
	vt_tosca_resolve_service(t, t->services[0]);
	t->epoch++;
	t->mem->resolved = true;
	vt_tosca_substitute_all(t);
}
