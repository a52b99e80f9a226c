/*
 * diff.c - what makes one graph into another: pairs, changes, and steps in an order that
 * works.
 *
 * A vertex is paired with that of its moniker, else with the one that an alias names.  Steps:
 * whatever is made or changed comes behind what it depends on, in the order of the new graph;
 * whatever goes comes behind what depended on it, in the reverse order of the old one, after all
 * that was made.  When replacements are deleted first, the deletion comes right before the
 * creation, and the deletions of what depended on the old one, and those changes that can come so
 * early, before that.
 */
#define _GNU_SOURCE
#include "runtime/mugl/int.h"

const char *
mugl_step_name(enum mugl_step_kind k)
{
	static const char *const names[] = {
		"create", "update", "create-replacement", "delete-replaced", "delete"};

	return names[k];
}

/* ---- members by key ---------------------------------------------------------------------- */

enum { FEW = 8 };

static int
by_key(const void *a, const void *b)
{
	const mugl_member *x = *(const mugl_member *const *)a, *y = *(const mugl_member *const *)b;

	return mugl_text_cmp((mugl_text){x->key, x->nkey}, (mugl_text){y->key, y->nkey});
}

void
mugl_index_make(mugl_index *x, const mugl_node *o)
{
	*x = (mugl_index){o, NULL};
	if (o->n <= FEW)
		return;
	x->sorted = vt_xmalloc(o->n * sizeof *x->sorted);
	for (uint32_t i = 0; i < o->n; i++)
		x->sorted[i] = &o->member[i];
	qsort(x->sorted, o->n, sizeof *x->sorted, by_key);
}

void
mugl_index_free(mugl_index *x)
{
	free(x->sorted);
}

static bool
has_key(const mugl_member *m, const char *key, uint32_t n)
{
	return m->nkey == n && memcmp(m->key, key, n) == 0;
}

const mugl_member *
mugl_index_get(const mugl_index *x, const char *key, uint32_t n, uint32_t hint)
{
	const mugl_node *o = x->object;
	const mugl_member wanted = {.key = key, .nkey = n}, *p = &wanted, *const * found;

	if (hint < o->n && has_key(&o->member[hint], key, n))
		return &o->member[hint];
	if (x->sorted == NULL) {
		for (uint32_t i = 0; i < o->n; i++)
			if (has_key(&o->member[i], key, n))
				return &o->member[i];
		return NULL;
	}
	found = bsearch(&p, x->sorted, o->n, sizeof *x->sorted, by_key);
	return found ? *found : NULL;
}

/* ---- equality ---- */

static bool
same_edge(const mugl_plan *p, const mugl *a, mugl_id x, const mugl *b, mugl_id y)
{
	if (p && a->v[x].defined && b->v[y].defined)
		return p->is[x] == y;
	return mugl_text_cmp(mugl_name(a, x), mugl_name(b, y)) == 0;
}

static bool
same_members(
	const mugl_plan *p, const mugl *ga, const mugl_node *a, const mugl *gb, const mugl_node *b)
{
	mugl_index x;
	bool same = a->n == b->n;

	if (!same || a->n == 0)
		return same;
	mugl_index_make(&x, b);
	for (uint32_t i = 0; same && i < a->n; i++) {
		const mugl_member *m = mugl_index_get(&x, a->member[i].key, a->member[i].nkey, i);
		same = m && mugl_same(p, ga, &a->member[i].value, gb, &m->value);
	}
	mugl_index_free(&x);
	return same;
}

/* 1 and 1.0 are the same number. */
static bool
same_number(const mugl_node *a, const mugl_node *b)
{
	if (a->kind == MUGL_INT && b->kind == MUGL_INT)
		return a->i == b->i;
	if (a->kind == MUGL_FLOAT && b->kind == MUGL_FLOAT)
		return a->d == b->d;
	if (a->kind == MUGL_FLOAT)
		return same_number(b, a);
	return b->d >= -0x1p63 && b->d < 0x1p63 && (double)(int64_t)b->d == b->d &&
	       (int64_t)b->d == a->i;
}

static bool
is_number(const mugl_node *v)
{
	return v->kind == MUGL_INT || v->kind == MUGL_FLOAT;
}

bool
mugl_same(
	const mugl_plan *p, const mugl *ga, const mugl_node *a, const mugl *gb, const mugl_node *b)
{
	if (is_number(a) && is_number(b))
		return same_number(a, b);
	if (a->kind != b->kind)
		return false;
	switch ((enum mugl_kind)a->kind) {
	case MUGL_NULL:
	case MUGL_FALSE:
	case MUGL_TRUE:
	case MUGL_INT:
	case MUGL_FLOAT: break;
	case MUGL_NUMBER:
	case MUGL_STR: return a->n == b->n && memcmp(a->s, b->s, a->n) == 0;
	case MUGL_EDGE: return same_edge(p, ga, a->n, gb, b->n);
	case MUGL_OBJECT: return same_members(p, ga, a, gb, b);
	case MUGL_ARRAY:
		if (a->n != b->n)
			return false;
		for (uint32_t i = 0; i < a->n; i++)
			if (!mugl_same(p, ga, &a->item[i], gb, &b->item[i]))
				return false;
	}
	return true;
}

bool
mugl_same_node(const mugl *ga, const mugl_node *a, const mugl *gb, const mugl_node *b)
{
	return mugl_same(NULL, ga, a, gb, b);
}

/* ---- pairs ---- */

static const mugl_node *
type_of(const mugl *g, mugl_id id)
{
	const mugl_node *t = mugl_get(&g->v[id].body, "type", 4);

	return t && t->kind == MUGL_STR ? t : NULL;
}

const mugl_node *
mugl_compared(const mugl_node *body)
{
	static const mugl_node empty = {.kind = MUGL_OBJECT};
	const mugl_node *t = mugl_get(body, "type", 4), *p = mugl_get(body, "properties", 10);

	if (t == NULL || t->kind != MUGL_STR)
		return body;
	return p ? p : &empty;
}

static void
pair(mugl_plan *p, mugl_id was, mugl_id is)
{
	p->was[is] = was;
	p->is[was] = is;
}

/* The vertex of the other graph that an alias names, when nobody else is its partner. */
static mugl_id
named_by_alias(const mugl *g, mugl_id id, const mugl *other, const mugl_id *taken)
{
	const mugl_node *a = mugl_get(&g->v[id].body, "aliases", 7);

	for (uint32_t i = 0; a && a->kind == MUGL_ARRAY && i < a->n; i++) {
		mugl_id k = a->item[i].kind == MUGL_STR
				    ? mugl_find(other, a->item[i].s, a->item[i].n)
				    : MUGL_NONE;
		if (k != MUGL_NONE && taken[k] == MUGL_NONE)
			return k;
	}
	return MUGL_NONE;
}

static void
find_pairs(mugl_plan *p)
{
	mugl_id id, k;

	for (uint32_t i = 0; (id = mugl_next(p->to, &i)) != MUGL_NONE;) {
		mugl_text name = mugl_name(p->to, id);
		k = mugl_find(p->from, name.p, name.n);
		if (k != MUGL_NONE && p->is[k] == MUGL_NONE && p->was[id] == MUGL_NONE)
			pair(p, k, id);
	}
	for (uint32_t i = 0; (id = mugl_next(p->to, &i)) != MUGL_NONE;)
		if (p->was[id] == MUGL_NONE &&
			(k = named_by_alias(p->to, id, p->from, p->is)) != MUGL_NONE)
			pair(p, k, id);
	for (uint32_t i = 0; (id = mugl_next(p->from, &i)) != MUGL_NONE;)
		if (p->is[id] == MUGL_NONE &&
			(k = named_by_alias(p->from, id, p->to, p->was)) != MUGL_NONE)
			pair(p, id, k);
}

typedef struct by_id {
	mugl_text id;
	mugl_id vertex;
} by_id;

static mugl_text
id_of(const mugl *g, mugl_id v)
{
	const mugl_node *id = mugl_get(&g->v[v].body, "id", 2);

	return id && id->kind == MUGL_STR ? (mugl_text){id->s, id->n} : (mugl_text){NULL, 0};
}

static int
compare_ids(const void *a, const void *b)
{
	return mugl_text_cmp(((const by_id *)a)->id, ((const by_id *)b)->id);
}

/* An id that several have pairs one of them. */
static void
pair_by_id(mugl_plan *p)
{
	by_id *old = vt_xmalloc(((size_t)p->from->ndefined + 1) * sizeof *old), wanted, *found;
	uint32_t n = 0;
	mugl_id v;

	for (uint32_t i = 0; (v = mugl_next(p->from, &i)) != MUGL_NONE;)
		if ((wanted = (by_id){id_of(p->from, v), v}).id.p != NULL)
			old[n++] = wanted;
	qsort(old, n, sizeof *old, compare_ids);
	for (uint32_t i = 0; (v = mugl_next(p->to, &i)) != MUGL_NONE;) {
		wanted.id = id_of(p->to, v);
		found = wanted.id.p ? bsearch(&wanted, old, n, sizeof *old, compare_ids) : NULL;
		if (found && p->is[found->vertex] == MUGL_NONE)
			pair(p, found->vertex, v);
	}
	free(old);
}

static bool
other_id(const mugl_plan *p, mugl_id was, mugl_id is)
{
	mugl_text a = id_of(p->from, was), b = id_of(p->to, is);

	return p->by_id && a.p && b.p && mugl_text_cmp(a, b) != 0;
}

static bool
same_type(const mugl *ga, mugl_id a, const mugl *gb, mugl_id b)
{
	const mugl_node *x = type_of(ga, a), *y = type_of(gb, b);

	return x && y ? mugl_same(NULL, ga, x, gb, y) : !x && !y;
}

bool
mugl_is_same_resource(const mugl_plan *p, mugl_id was, mugl_id is)
{
	return same_type(p->from, was, p->to, is) && !other_id(p, was, is);
}

/* A resource may have more beside its properties, in a graph that is no snapshot. */
static bool
same_rest(const mugl_plan *p, mugl_id was, mugl_id is)
{
	static const char *const known[] = {"id", "type", "aliases", "properties"};
	const mugl_node *a = &p->from->v[was].body, *b = &p->to->v[is].body;
	uint32_t na = a->n, nb = b->n;

	if (!type_of(p->from, was))
		return true;
	for (size_t k = 0; k < VT_LEN(known); k++) {
		na -= mugl_get(a, known[k], strlen(known[k])) != NULL;
		nb -= mugl_get(b, known[k], strlen(known[k])) != NULL;
	}
	if (na != nb)
		return false;
	for (uint32_t i = 0; na && i < a->n; i++) {
		bool skip = false;
		const mugl_node *v;
		for (size_t k = 0; k < VT_LEN(known); k++)
			skip |= has_key(&a->member[i], known[k], (uint32_t)strlen(known[k]));
		v = skip ? NULL : mugl_get(b, a->member[i].key, a->member[i].nkey);
		if (!skip && (v == NULL || !mugl_same(p, p->from, &a->member[i].value, p->to, v)))
			return false;
	}
	return true;
}

/* What describes the change of a pair: properties, or everything when more than these differs. */
void
mugl_compared_pair(
	const mugl_plan *p, mugl_id was, mugl_id is, const mugl_node **a, const mugl_node **b)
{
	bool rest = same_rest(p, was, is);

	*a = rest ? mugl_compared(&p->from->v[was].body) : &p->from->v[was].body;
	*b = rest ? mugl_compared(&p->to->v[is].body) : &p->to->v[is].body;
}

static void *
zeroed(size_t n)
{
	return memset(vt_xmalloc(n ? n : 1), 0, n ? n : 1);
}

/* By vertex of g: is it on that list of monikers in the front matter?  NULL: there is none. */
static uint8_t *
marked(const mugl *g, const char *list)
{
	const mugl_node *l = mugl_get(&g->header, list, strlen(list));
	uint8_t *marks;

	if (l == NULL || l->kind != MUGL_ARRAY)
		return NULL;
	marks = zeroed(g->nv);
	for (uint32_t i = 0; i < l->n; i++) {
		mugl_id id = l->item[i].kind == MUGL_STR ? mugl_find(g, l->item[i].s, l->item[i].n)
							 : MUGL_NONE;
		if (id != MUGL_NONE)
			marks[id] = 1;
	}
	return marks;
}

static void
forbid(const mugl_plan *p, const mugl_step *s, mugl_problems *bad)
{
	vt_buf b = {0};

	mugl_put_shown(&b, mugl_name(p->from, s->was));
	mugl_at(mugl_add(bad, p->from, MUGL_PROTECTED, UINT64_MAX, "%.*s would be deleted%s",
			(int)b.n, b.p, s->kind == MUGL_DELETE ? "" : " and replaced"),
		p->from, s->was);
	vt_buf_free(&b);
}

bool
mugl_plan_allowed(const mugl_plan *p, mugl_problems *bad)
{
	uint8_t *protect = marked(p->from, "protect");
	bool ok = true;

	mugl_flags_look(p->from, bad);
	for (uint32_t i = 0; protect && i < p->nsteps; i++) {
		const mugl_step *s = &p->step[i];
		if ((s->kind != MUGL_DELETE && s->kind != MUGL_DELETE_REPLACED) || !protect[s->was])
			continue;
		forbid(p, s, bad);
		ok = false;
	}
	free(protect);
	return ok;
}

static void
find_fates(mugl_plan *p)
{
	uint8_t *taint = marked(p->from, "taint");
	mugl_id id;

	for (uint32_t i = 0; (id = mugl_next(p->to, &i)) != MUGL_NONE;) {
		mugl_id was = p->was[id];
		if (was == MUGL_NONE)
			p->fate[id] = MUGL_NEW;
		else if (!mugl_is_same_resource(p, was, id) || (taint && taint[was]))
			p->fate[id] = MUGL_REPLACED;
		else if (mugl_same(p, p->from, mugl_compared(&p->from->v[was].body), p->to,
				 mugl_compared(&p->to->v[id].body)) &&
			 same_rest(p, was, id))
			p->fate[id] = MUGL_SAME;
		else
			p->fate[id] = MUGL_CHANGED;
	}
	free(taint);
}

/* ---- steps ---- */

typedef struct planner {
	mugl_plan *p;
	mugl_links new_links;
	uint64_t *start; /* who depended on a vertex of `from` */
	mugl_id *dependent;
	uint8_t *gone, *made; /* of from, of to: the step is there */
	uint8_t *tried;       /* of to: how often change_early looked at all its edges */
	mugl_id *stack;       /* deletions that wait for those of dependents */
} planner;

static void
add(planner *s, enum mugl_step_kind kind, mugl_id was, mugl_id is)
{
	vt_push(s->p->step, s->p->nsteps) = (mugl_step){kind, was, is};
}

static bool
goes(const planner *s, mugl_id was)
{
	mugl_id is = s->p->is[was];

	return is == MUGL_NONE || s->p->fate[is] == MUGL_REPLACED;
}

static void
remove_one(planner *s, mugl_id was)
{
	bool replaced = s->p->is[was] != MUGL_NONE;

	if (s->gone[was] == 2)
		return;
	s->gone[was] = 2;
	add(s, replaced ? MUGL_DELETE_REPLACED : MUGL_DELETE, was, s->p->is[was]);
}

/* A dependent that only changes: now, when all it will depend on is done. */
static void
change_early(planner *s, mugl_id was)
{
	mugl_id is = s->p->is[was];
	const mugl_links *l = &s->new_links;

	if (s->made[is] || s->p->fate[is] != MUGL_CHANGED || s->tried[is] >= 8)
		return;
	s->tried[is]++;
	for (uint64_t e = l->start[is]; e < l->start[is + 1]; e++) {
		mugl_id to = l->to[e];
		if (s->p->to->v[to].defined && to != is && !s->made[to] &&
			s->p->fate[to] != MUGL_SAME)
			return;
	}
	s->made[is] = 1;
	add(s, MUGL_UPDATE, was, is);
}

/* A deletion and those that have to come before: what depended on it and goes as well. */
static void
remove_with_dependents(planner *s, mugl_id first)
{
	uint32_t n = 0;

	s->stack[n++] = first;
	while (n > 0) {
		mugl_id was = s->stack[n - 1];
		if (s->gone[was] == 0) {
			s->gone[was] = 1;
			for (uint64_t e = s->start[was]; e < s->start[was + 1]; e++)
				if (goes(s, s->dependent[e]) && s->gone[s->dependent[e]] == 0)
					s->stack[n++] = s->dependent[e];
			continue;
		}
		n--;
		if (s->gone[was] == 2)
			continue;
		for (uint64_t e = s->start[was]; e < s->start[was + 1]; e++)
			if (!goes(s, s->dependent[e]))
				change_early(s, s->dependent[e]);
		remove_one(s, was);
	}
}

static void
make(planner *s, mugl_id is, bool delete_first)
{
	mugl_id was = s->p->was[is];
	enum mugl_fate fate = s->p->fate[is];

	if (s->made[is])
		return;
	if (fate == MUGL_REPLACED && delete_first)
		remove_with_dependents(s, was);
	s->made[is] = 1;
	switch (fate) {
	case MUGL_NEW: add(s, MUGL_CREATE, MUGL_NONE, is); break;
	case MUGL_CHANGED: add(s, MUGL_UPDATE, was, is); break;
	case MUGL_REPLACED: add(s, MUGL_CREATE_REPLACEMENT, was, is); break;
	case MUGL_SAME:
	case MUGL_GONE: break;
	}
}

/* The edges of a graph the other way round. */
static void
turn_around(const mugl *g, const mugl_links *l, uint64_t **start, mugl_id **dependent)
{
	uint64_t *at = vt_xmalloc(((size_t)g->nv + 2) * sizeof *at), n = l->start[g->nv];

	memset(at, 0, ((size_t)g->nv + 2) * sizeof *at);
	*dependent = vt_xmalloc((n ? n : 1) * sizeof **dependent);
	for (uint64_t e = 0; e < n; e++)
		at[l->to[e] + 2]++;
	for (mugl_id id = 1; id < g->nv + 1; id++)
		at[id + 1] += at[id];
	for (mugl_id id = 0; id < g->nv; id++)
		for (uint64_t e = l->start[id]; e < l->start[id + 1]; e++)
			(*dependent)[at[l->to[e] + 1]++] = id;
	*start = at;
}

/* The order of the text where that is one, else one that is made. */
static mugl_id *
order_of(const mugl *g, const mugl_links *l, uint32_t *n)
{
	*n = g->ndefined;
	return mugl_order_by(g, l, true);
}

static void
find_steps(mugl_plan *p, bool delete_first)
{
	mugl_links old;
	planner s = {.p = p,
		.gone = zeroed(p->from->nv),
		.made = zeroed(p->to->nv),
		.tried = zeroed(p->to->nv)};

	mugl_links_of(p->from, &old);
	mugl_links_of(p->to, &s.new_links);
	p->from_order = order_of(p->from, &old, &p->nfrom);
	p->to_order = order_of(p->to, &s.new_links, &p->nto);
	turn_around(p->from, &old, &s.start, &s.dependent);
	s.stack = vt_xmalloc((old.start[p->from->nv] + p->from->nv + 1) * sizeof *s.stack);
	for (uint32_t i = 0; i < p->nto; i++)
		make(&s, p->to_order[i], delete_first);
	for (uint32_t i = p->nfrom; i-- > 0;)
		if (goes(&s, p->from_order[i]))
			remove_one(&s, p->from_order[i]);
	mugl_links_free(&old);
	mugl_links_free(&s.new_links);
	free(s.start);
	free(s.dependent);
	free(s.stack);
	free(s.gone);
	free(s.made);
	free(s.tried);
}

static mugl_plan *
diff(const mugl *from, const mugl *to, bool delete_first, bool by_id)
{
	mugl_plan *p = vt_xmalloc(sizeof *p);

	*p = (mugl_plan){.from = from, .to = to, .by_id = by_id};
	p->was = vt_xmalloc(((size_t)to->nv + 1) * sizeof *p->was);
	p->is = vt_xmalloc(((size_t)from->nv + 1) * sizeof *p->is);
	p->fate = zeroed(to->nv);
	memset(p->was, 0xff, ((size_t)to->nv + 1) * sizeof *p->was);
	memset(p->is, 0xff, ((size_t)from->nv + 1) * sizeof *p->is);
	if (by_id)
		pair_by_id(p);
	find_pairs(p);
	find_fates(p);
	find_steps(p, delete_first);
	return p;
}

mugl_plan *
mugl_diff(const mugl *from, const mugl *to, bool delete_first)
{
	return diff(from, to, delete_first, false);
}

mugl_plan *
mugl_diff_by_id(const mugl *from, const mugl *to, bool delete_first)
{
	return diff(from, to, delete_first, true);
}

void
mugl_plan_free(mugl_plan *p)
{
	if (p == NULL)
		return;
	free(p->step);
	free(p->was);
	free(p->is);
	free(p->fate);
	free(p->from_order);
	free(p->to_order);
	free(p);
}

bool
mugl_plan_empty(const mugl_plan *p)
{
	if (p->nsteps)
		return false;
	for (uint32_t i = 0; i < p->nto; i++) {
		mugl_id is = p->to_order[i];
		if (mugl_text_cmp(mugl_name(p->from, p->was[is]), mugl_name(p->to, is)) != 0)
			return false;
	}
	return true;
}

/* ---- doing it ---- */

/* A value of `from` whose edges lead to the partners of what they led to. */
static mugl_node
moved(mugl *g, const mugl_plan *p, const mugl_node *v)
{
	mugl_node c = *v;

	c.grown = 0;
	if (v->kind == MUGL_EDGE) {
		mugl_id is = p->is[v->n];
		mugl_text name = is == MUGL_NONE ? mugl_name(p->from, v->n) : mugl_name(p->to, is);
		return mugl_edge(g, name.p, name.n);
	}
	if (v->kind == MUGL_ARRAY) {
		c.item = mugl_alloc(g, v->n * sizeof *v->item);
		for (uint32_t i = 0; i < v->n; i++)
			c.item[i] = moved(g, p, &v->item[i]);
	} else if (v->kind == MUGL_OBJECT) {
		c = mugl_object();
		for (uint32_t i = 0; i < v->n; i++)
			mugl_append(g, &c, v->member[i].key, v->member[i].nkey,
				moved(g, p, &v->member[i].value));
	} else
		return mugl_copy_node(g, p->from, v);
	return c;
}

/* What stays as it was, under its new name and with its new aliases. */
static mugl_node
kept_body(mugl *g, const mugl_plan *p, mugl_id was, mugl_id is)
{
	mugl_node body = moved(g, p, &p->from->v[was].body);
	const mugl_node *a = mugl_get(&p->to->v[is].body, "aliases", 7);
	const mugl_node *id = mugl_get(&p->to->v[is].body, "id", 2);

	if (!type_of(p->to, is))
		return body;
	mugl_drop(&body, "aliases", 7);
	if (a)
		mugl_put(g, &body, "aliases", 7, mugl_copy_node(g, p->to, a));
	if (id)
		mugl_put(g, &body, "id", 2, mugl_copy_node(g, p->to, id));
	return body;
}

static mugl_node
new_body(mugl *g, const mugl_plan *p, mugl_id was, mugl_id is)
{
	mugl_node body = mugl_copy_node(g, p->to, &p->to->v[is].body);
	const mugl_node *id = was == MUGL_NONE ? NULL : mugl_get(&p->from->v[was].body, "id", 2);

	if (id && type_of(p->to, is) && p->fate[is] == MUGL_CHANGED && !mugl_get(&body, "id", 2))
		mugl_put(g, &body, "id", 2, mugl_copy_node(g, p->from, id));
	return body;
}

mugl *
mugl_plan_apply(const mugl_plan *p)
{
	mugl *g = mugl_new(&p->to->o);
	mugl_id id;

	g->header = mugl_copy_node(g, p->to, &p->to->header);
	if (p->to->ref.p)
		mugl_set_ref(g, p->to->ref.p, p->to->ref.n);
	for (uint32_t i = 0; (id = mugl_next(p->to, &i)) != MUGL_NONE;) {
		mugl_text name = mugl_name(p->to, id);
		mugl_id to = mugl_intern(g, name.p, name.n);
		mugl_node body = p->fate[id] == MUGL_SAME ? kept_body(g, p, p->was[id], id)
							  : new_body(g, p, p->was[id], id);
		*mugl_define(g, to) = body;
	}
	for (uint32_t i = 0; i < p->to->nroots; i++) {
		mugl_text name = mugl_name(p->to, p->to->root[i]);
		mugl_root(g, mugl_intern(g, name.p, name.n));
	}
	return g;
}
