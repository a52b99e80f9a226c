/*
 * check.c - edges, order, cycles, and what a snapshot must be.
 *
 * Edges are gathered once into two arrays, and every walk over them keeps its own stack: chains may
 * be as long as the graph.  All of it is linear.
 */
#define _GNU_SOURCE
#include "runtime/mugl/int.h"

/* ---- edges ------------------------------------------------------------------------------- */

/* Links that grow. */
typedef struct gathered {
	mugl_id *to;
	uint64_t n, cap;
} gathered;

static void
gather(const mugl_node *v, gathered *x)
{
	if (v->kind == MUGL_EDGE) {
		if (x->n == x->cap)
			x->to = vt_xrealloc(x->to, (x->cap *= 2) * sizeof *x->to);
		x->to[x->n++] = v->n;
	} else if (v->kind == MUGL_ARRAY) {
		for (uint32_t i = 0; i < v->n; i++)
			if (v->item[i].kind >= MUGL_ARRAY)
				gather(&v->item[i], x);
	} else if (v->kind == MUGL_OBJECT)
		for (uint32_t i = 0; i < v->n; i++)
			if (v->member[i].value.kind >= MUGL_ARRAY)
				gather(&v->member[i].value, x);
}

void
mugl_links_of(const mugl *g, mugl_links *l)
{
	mugl_links_seen(g, l, NULL, NULL);
}

void
mugl_links_seen(const mugl *g, mugl_links *l, void (*also)(void *, const mugl_node *), void *ctx)
{
	gathered x = {.cap = (uint64_t)g->nv + 64};

	x.to = vt_xmalloc(x.cap * sizeof *x.to);
	l->start = vt_xmalloc(((size_t)g->nv + 1) * sizeof *l->start);
	for (mugl_id id = 0; id < g->nv; id++) {
		l->start[id] = x.n;
		if (g->v[id].defined) {
			const mugl_node *body = mugl_enter(g, id);
			gather(body, &x);
			if (also)
				also(ctx, body);
			mugl_leave(g);
		}
	}
	l->start[g->nv] = x.n;
	l->to = x.to;
}

void
mugl_links_free(mugl_links *l)
{
	free(l->start);
	free(l->to);
}

/* ---- edges with their labels ---- */

static void
mugl_each_edge_node(const mugl_node *v, mugl_place_fn fn, void *ctx, vt_buf *label)
{
	size_t n = label->n;

	if (v->kind == MUGL_EDGE)
		fn(ctx, v, (mugl_text){label->n ? label->p : "", (uint32_t)label->n});
	else if (v->kind == MUGL_ARRAY)
		for (uint32_t i = 0; i < v->n; i++) {
			if (v->item[i].kind < MUGL_ARRAY)
				continue;
			vt_buf_printf(label, "[%u]", i);
			mugl_each_edge_node(&v->item[i], fn, ctx, label);
			label->n = n;
		}
	else if (v->kind == MUGL_OBJECT)
		for (uint32_t i = 0; i < v->n; i++) {
			const mugl_member *m = &v->member[i];
			if (m->value.kind < MUGL_ARRAY)
				continue;
			if (n)
				vt_buf_putc(label, '.');
			vt_buf_put(label, m->key, m->nkey);
			mugl_each_edge_node(&m->value, fn, ctx, label);
			label->n = n;
		}
}

typedef struct each {
	mugl_edge_fn fn;
	void *ctx;
} each;

static void
each_edge(void *ctx, const mugl_node *edge, mugl_text label)
{
	const each *e = ctx;

	e->fn(e->ctx, label, edge->n);
}

void
mugl_each_edge(const mugl *g, mugl_id id, mugl_edge_fn fn, void *ctx)
{
	vt_buf label = {0};
	each e = {fn, ctx};

	mugl_each_edge_node(&g->v[id].body, each_edge, &e, &label);
	vt_buf_free(&label);
}

/* ---- walks ---- */

enum { NEW, OPEN, DONE };
typedef struct walk {
	const mugl *g;
	const mugl_links *l;
	uint8_t *state;
	mugl_id *open;  /* the path from where the walk began */
	uint64_t *next; /* of each of these, the edge to look at */
	uint32_t depth;
	mugl_id *out; /* in post-order */
	uint32_t n;
	mugl_id back; /* where an edge to the path leads */
} walk;

static void
walk_begin(walk *w, const mugl *g, const mugl_links *l)
{
	size_t n = (size_t)g->nv + 1;

	*w = (walk){.g = g, .l = l, .back = MUGL_NONE};
	w->state = vt_xmalloc(n);
	memset(w->state, NEW, n);
	w->open = vt_xmalloc(n * sizeof *w->open);
	w->next = vt_xmalloc(n * sizeof *w->next);
	w->out = vt_xmalloc(n * sizeof *w->out);
}

static void
walk_end(walk *w)
{
	free(w->state);
	free(w->open);
	free(w->next);
}

static void
step_in(walk *w, mugl_id id)
{
	w->state[id] = OPEN;
	w->open[w->depth] = id;
	w->next[w->depth++] = w->l->start[id];
}

/* Stops where an edge leads back to the path when `stop` says so. */
static void
walk_from(walk *w, mugl_id from, bool stop)
{
	if (!w->g->v[from].defined || w->state[from] != NEW)
		return;
	step_in(w, from);
	while (w->depth > 0) {
		mugl_id id = w->open[w->depth - 1];
		if (w->next[w->depth - 1] < w->l->start[id + 1]) {
			mugl_id to = w->l->to[w->next[w->depth - 1]++];
			if (w->state[to] == OPEN && stop) {
				w->back = to;
				return;
			}
			if (w->g->v[to].defined && w->state[to] == NEW)
				step_in(w, to);
			continue;
		}
		w->state[id] = DONE;
		w->out[w->n++] = id;
		w->depth--;
	}
}

static int
by_name(const void *a, const void *b, void *g)
{
	return mugl_text_cmp(mugl_name(g, *(const mugl_id *)a), mugl_name(g, *(const mugl_id *)b));
}

/* What the roots do not reach: cycles and what hangs on them. By name, so that the order of writing
 * is kept when read. */
static void
walk_rest(walk *w)
{
	uint32_t n = 0;
	mugl_id id, *rest = vt_xmalloc(((size_t)w->g->nv + 1) * sizeof *rest);

	for (uint32_t i = 0; (id = mugl_next(w->g, &i)) != MUGL_NONE;)
		if (w->state[id] == NEW)
			rest[n++] = id;
	qsort_r(rest, n, sizeof *rest, by_name, (void *)(uintptr_t)w->g);
	for (uint32_t i = 0; i < n; i++)
		walk_from(w, rest[i], false);
	free(rest);
}

static void
walk_roots(walk *w)
{
	uint8_t *entered = vt_xmalloc((size_t)w->g->nv + 1);
	mugl_id id;

	memset(entered, 0, (size_t)w->g->nv + 1);
	for (uint64_t e = 0; e < w->l->start[w->g->nv]; e++)
		entered[w->l->to[e]] = 1;
	for (uint32_t i = 0; i < w->g->nroots; i++)
		walk_from(w, w->g->root[i], false);
	if (w->g->nroots == 0)
		for (uint32_t i = 0; (id = mugl_next(w->g, &i)) != MUGL_NONE;)
			if (!entered[id])
				walk_from(w, id, false);
	free(entered);
}

mugl_id *
mugl_order_by(const mugl *g, const mugl_links *l, bool stable)
{
	walk w;
	mugl_id id;

	walk_begin(&w, g, l);
	if (stable)
		for (uint32_t i = 0; (id = mugl_next(g, &i)) != MUGL_NONE;)
			walk_from(&w, id, false);
	else {
		walk_roots(&w);
		walk_rest(&w);
	}
	walk_end(&w);
	return w.out;
}

mugl_id *
mugl_order(const mugl *g, bool stable)
{
	mugl_links l;
	mugl_id *order;

	mugl_links_of(g, &l);
	order = mugl_order_by(g, &l, stable);
	mugl_links_free(&l);
	return order;
}

mugl_id *
mugl_find_cycle(const mugl *g, const mugl_links *l, uint32_t *n)
{
	walk w;
	mugl_id id, *path = NULL;

	walk_begin(&w, g, l);
	for (uint32_t i = 0; w.back == MUGL_NONE && (id = mugl_next(g, &i)) != MUGL_NONE;)
		walk_from(&w, id, true);
	if (w.back != MUGL_NONE) {
		uint32_t from = w.depth - 1;
		while (w.open[from] != w.back)
			from--;
		*n = w.depth - from + 1;
		path = vt_xmalloc(*n * sizeof *path);
		memcpy(path, w.open + from, (*n - 1) * sizeof *path);
		path[*n - 1] = w.back;
	}
	free(w.out);
	walk_end(&w);
	return path;
}

bool
mugl_is_dag(const mugl *g)
{
	mugl_links l;
	uint32_t n;
	mugl_id *path;

	mugl_links_of(g, &l);
	path = mugl_find_cycle(g, &l, &n);
	free(path);
	mugl_links_free(&l);
	return path == NULL;
}

static uint32_t
count_forward(const mugl *g, const mugl_links *l, bool self)
{
	uint32_t n = 0;
	mugl_id id;

	for (uint32_t i = 0; (id = mugl_next(g, &i)) != MUGL_NONE;)
		for (uint64_t e = l->start[id]; e < l->start[id + 1]; e++) {
			const mugl_vertex *to = &g->v[l->to[e]];
			n += to->defined && (to->pos > g->v[id].pos || (self && l->to[e] == id));
		}
	return n;
}

uint32_t
mugl_forward_refs(const mugl *g)
{
	mugl_links l;
	uint32_t n;

	mugl_links_of(g, &l);
	n = count_forward(g, &l, false);
	mugl_links_free(&l);
	return n;
}

bool
mugl_in_order(const mugl *g)
{
	mugl_links l;
	uint32_t n;

	mugl_links_of(g, &l);
	n = count_forward(g, &l, true);
	mugl_links_free(&l);
	return n == 0;
}

/* ---- what is wrong ---- */

static uint64_t
vertex_place(const mugl *g, mugl_id id)
{
	return mugl_quote_of(g, g->v[id].name);
}

static uint64_t
key_place(const mugl *g, const mugl_node *body, const char *key)
{
	size_t n = strlen(key);

	for (uint32_t i = 0; i < body->n; i++)
		if (body->member[i].nkey == n && memcmp(body->member[i].key, key, n) == 0)
			return mugl_quote_of(g, body->member[i].key);
	return UINT64_MAX;
}

typedef struct check {
	const mugl *g;
	mugl_problems *out;
	mugl_id vertex;
	enum mugl_code code;
} check;

/* "the vertex 'x' WHAT": all that is wrong with one vertex. */
static mugl_problem *
blame(const check *c, enum mugl_code code, uint64_t place, const char *what, const char *shown,
	uint32_t nshown)
{
	vt_buf b = {0};
	mugl_problem *p;

	mugl_put_shown(&b, mugl_name(c->g, c->vertex));
	vt_buf_printf(&b, " %s", what);
	if (shown) {
		vt_buf_putc(&b, ' ');
		mugl_put_shown(&b, (mugl_text){shown, nshown});
	}
	p = mugl_add(c->out, c->g, code, place, "%.*s", (int)b.n, b.p);
	mugl_at(p, c->g, c->vertex);
	vt_buf_free(&b);
	return p;
}

static void
wrong_edge(void *ctx, const mugl_node *edge, mugl_text label)
{
	const check *c = ctx;
	const mugl_vertex *to = &c->g->v[edge->n];
	vt_buf b = {0};

	if (c->code == MUGL_UNKNOWN_REF ? to->defined
					: !to->defined || to->pos <= c->g->v[c->vertex].pos)
		return;
	vt_buf_puts(&b, c->code == MUGL_UNKNOWN_REF ? "refers to what is not there, at "
						    : "refers to what comes later, at ");
	mugl_put_plain(&b, label);
	vt_buf_puts(&b, ":");
	vt_buf_putc(&b, '\0');
	blame(c, c->code, edge->place, b.p, to->name, to->n)->ref =
		mugl_said(mugl_name(c->g, edge->n));
	vt_buf_free(&b);
}

static void
wrong_edges(check *c, enum mugl_code code)
{
	vt_buf label = {0};
	mugl_id id;

	c->code = code;
	for (uint32_t i = 0; (id = mugl_next(c->g, &i)) != MUGL_NONE;) {
		c->vertex = id;
		mugl_each_edge_node(&c->g->v[id].body, wrong_edge, c, &label);
	}
	vt_buf_free(&label);
}

static bool
leads_nowhere(const mugl *g, const mugl_links *l)
{
	for (uint64_t e = 0; e < l->start[g->nv]; e++)
		if (!g->v[l->to[e]].defined)
			return true;
	return false;
}

void
mugl_report_cycle(const mugl *g, const mugl_id *path, uint32_t n, mugl_problems *out)
{
	vt_buf b = {0};
	mugl_problem *p;

	for (uint32_t i = 0; i < n && i < 20; i++) {
		vt_buf_puts(&b, i ? " -> " : "");
		mugl_put_plain(&b, mugl_name(g, path[i]));
	}
	p = mugl_add(out, g, MUGL_CYCLE, vertex_place(g, path[0]), "a cycle: %.*s%s", (int)b.n, b.p,
		n > 20 ? " ..." : "");
	p->path = vt_xmalloc(n * sizeof *p->path);
	p->npath = n;
	for (uint32_t i = 0; i < n; i++)
		p->path[i] = mugl_said(mugl_name(g, path[i]));
	mugl_at(p, g, path[0]);
	vt_buf_free(&b);
}

/* ---- snapshots ---- */

static bool
is_text(const mugl_node *v)
{
	return v->kind == MUGL_STR && v->n > 0;
}

static bool
are_aliases(const mugl_node *v)
{
	if (v->kind != MUGL_ARRAY)
		return false;
	for (uint32_t i = 0; i < v->n; i++)
		if (!is_text(&v->item[i]))
			return false;
	return true;
}

static void
check_fields(const check *c, const mugl_node *body)
{
	static const char *const known[] = {"id", "type", "aliases", "properties"};

	for (uint32_t i = 0; i < body->n; i++) {
		const mugl_member *m = &body->member[i];
		uint64_t place = mugl_quote_of(c->g, m->key);
		bool found = false;
		for (size_t k = 0; k < VT_LEN(known); k++)
			found |= strlen(known[k]) == m->nkey &&
				 memcmp(known[k], m->key, m->nkey) == 0;
		if (!found)
			blame(c, MUGL_UNKNOWN_FIELD, place,
				"has a field that no resource has:", m->key, m->nkey)
				->field = mugl_said((mugl_text){m->key, m->nkey});
	}
}

static void
check_resource(const check *c)
{
	const mugl_node *body = &c->g->v[c->vertex].body;
	const mugl_node *type = mugl_get(body, "type", 4), *id = mugl_get(body, "id", 2);
	const mugl_node *aliases = mugl_get(body, "aliases", 7),
			*p = mugl_get(body, "properties", 10);

	check_fields(c, body);
	if (type == NULL || !is_text(type))
		blame(c, MUGL_MISSING_TYPE,
			type ? key_place(c->g, body, "type") : vertex_place(c->g, c->vertex),
			type ? "has a type that is no text" : "has no type", NULL, 0);
	if (id && id->kind != MUGL_STR)
		blame(c, MUGL_BAD_ID, key_place(c->g, body, "id"), "has an id that is no text",
			NULL, 0);
	if (p && p->kind != MUGL_OBJECT)
		blame(c, MUGL_BAD_PROPERTIES, key_place(c->g, body, "properties"),
			"has properties that are no object", NULL, 0);
	if (aliases && !are_aliases(aliases))
		blame(c, MUGL_BAD_ALIASES, key_place(c->g, body, "aliases"),
			"has aliases that are no list of texts", NULL, 0);
}

/* Aliases by their text: an open table as that of names, of the items themselves. */
typedef struct claims {
	const mugl_node **slot;
	uint32_t mask;
} claims;

static bool
claim(const mugl *g, claims *t, const mugl_node *a)
{
	uint32_t i = mugl_hash(g, a->s, a->n) & t->mask;

	for (; t->slot[i]; i = (i + 1) & t->mask)
		if (t->slot[i]->n == a->n && memcmp(t->slot[i]->s, a->s, a->n) == 0)
			return false;
	t->slot[i] = a;
	return true;
}

static const mugl_node *
aliases_of(const mugl *g, mugl_id id)
{
	const mugl_node *a = mugl_get(&g->v[id].body, "aliases", 7);

	return a && are_aliases(a) ? a : NULL;
}

static void
check_aliases(check *c)
{
	uint32_t total = 0, size = 16;
	claims t;
	mugl_id id;

	for (uint32_t i = 0; (id = mugl_next(c->g, &i)) != MUGL_NONE;)
		total += aliases_of(c->g, id) ? aliases_of(c->g, id)->n : 0;
	if (total == 0)
		return;
	while (size < total * 2)
		size *= 2;
	t = (claims){vt_xmalloc(size * sizeof *t.slot), size - 1};
	memset(t.slot, 0, size * sizeof *t.slot);
	for (uint32_t i = 0; (id = mugl_next(c->g, &i)) != MUGL_NONE;) {
		const mugl_node *a = aliases_of(c->g, id);
		c->vertex = id;
		for (uint32_t k = 0; a && k < a->n; k++) {
			const mugl_node *s = &a->item[k];
			bool moniker = mugl_find(c->g, s->s, s->n) != MUGL_NONE;
			uint64_t place = mugl_quote_of(c->g, s->s);
			if (!moniker && claim(c->g, &t, s))
				continue;
			blame(c, MUGL_ALIAS_CONFLICT, place,
				moniker ? "has an alias that is a moniker:"
					: "has an alias that is taken:",
				s->s, s->n)
				->alias = mugl_said((mugl_text){s->s, s->n});
		}
	}
	free(t.slot);
}

static void
check_snapshot(check *c, const mugl_links *l)
{
	mugl_id id, *cycle;
	uint32_t n;

	for (uint32_t i = 0; (id = mugl_next(c->g, &i)) != MUGL_NONE;) {
		c->vertex = id;
		check_resource(c);
	}
	check_aliases(c);
	if (count_forward(c->g, l, true) == 0)
		return;
	cycle = mugl_find_cycle(c->g, l, &n);
	if (cycle)
		mugl_report_cycle(c->g, cycle, n, c->out);
	else if (c->g->text) /* one that was built has no order yet */
		wrong_edges(c, MUGL_OUT_OF_ORDER);
	free(cycle);
}

bool
mugl_check_digest(const mugl *g, mugl_problems *out)
{
	const mugl_node *v = mugl_get(&g->header, "integrity", 9);
	size_t n = strlen(MUGL_INTEGRITY);
	char digest[65];

	if (v == NULL || g->text == NULL || v->kind != MUGL_STR || v->n < n ||
		memcmp(v->s, MUGL_INTEGRITY, n) != 0)
		return true;
	mugl_digest(g, digest);
	if (v->n == n + 64 && memcmp(v->s + n, digest, 64) == 0)
		return true;
	mugl_add(out, g, MUGL_BAD_INTEGRITY, mugl_quote_of(g, v->s),
		"the vertices are not those that were written: their digest is %s%s",
		MUGL_INTEGRITY, digest);
	return false;
}

bool
mugl_check_graph(const mugl *g, bool snapshot, mugl_problems *out)
{
	check c = {.g = g, .out = out};
	uint32_t before = out->errors;
	mugl_links l;

	mugl_links_of(g, &l);
	if (leads_nowhere(g, &l))
		wrong_edges(&c, MUGL_UNKNOWN_REF);
	if (snapshot)
		check_snapshot(&c, &l);
	mugl_links_free(&l);
	return out->errors == before;
}

bool
mugl_check(const mugl *g, bool snapshot, mugl_problems *out)
{
	bool good = mugl_check_graph(g, snapshot, out);

	return mugl_check_digest(g, out) && good;
}
