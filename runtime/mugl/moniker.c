/*
 * moniker.c - stable names of resources, and the snapshot of a graph of objects.
 *
 * A breadth-first walk from the roots, a level at a time: all vertices of a level have their names
 * before the next is looked at, so a name is the smallest of those that the level before gives. The
 * other edges give aliases: one each, for all paths would be exponentially many.
 */
#define _GNU_SOURCE
#include "runtime/mugl/int.h"

typedef struct edge {
	mugl_id from, to;
	const char *label;
	uint32_t n;
} edge;
typedef struct namer {
	mugl *g;
	mugl_problems *out;
	edge *e; /* by vertex: start[id] .. start[id + 1] */
	uint32_t ne;
	uint32_t *start;
	mugl_text *name; /* p NULL: not reached */
	uint32_t *depth;
	mugl_id from;   /* while edges are gathered */
	uint64_t bytes; /* of all paths so far */
	bool full;      /* too many */
} namer;
#define MOST_BYTES (UINT64_C(1) << 29)

static void
gather(void *ctx, mugl_text label, mugl_id to)
{
	namer *s = ctx;

	vt_push(s->e, s->ne) =
		(edge){s->from, to, mugl_keep(s->g, label.p, label.n, UINT64_MAX), label.n};
}

static void
gather_all(namer *s)
{
	mugl *g = s->g;

	s->start = vt_xmalloc(((size_t)g->nv + 1) * sizeof *s->start);
	s->name = vt_xmalloc(((size_t)g->nv + 1) * sizeof *s->name);
	s->depth = vt_xmalloc(((size_t)g->nv + 1) * sizeof *s->depth);
	memset(s->name, 0, ((size_t)g->nv + 1) * sizeof *s->name);
	for (mugl_id id = 0; id < g->nv; id++) {
		s->start[id] = s->ne;
		s->from = id;
		if (g->v[id].defined)
			mugl_each_edge(g, id, gather, s);
	}
	s->start[g->nv] = s->ne;
}

/* Names along a chain grow as it does: what they take together has an end. */
static mugl_text
path_of(namer *s, const edge *e)
{
	mugl_text up = s->name[e->from];
	uint64_t n = (uint64_t)up.n + 1 + e->n;
	char *p;

	s->bytes += n;
	if (s->bytes > MOST_BYTES) {
		if (!s->full)
			mugl_add(s->out, s->g, MUGL_TOO_LARGE, UINT64_MAX,
				"the paths to the resources are too long");
		s->full = true;
		return up;
	}
	p = mugl_keep_room(s->g, n);
	memcpy(p, up.p, up.n);
	p[up.n] = '/';
	memcpy(p + up.n + 1, e->label, e->n);
	return (mugl_text){p, (uint32_t)n};
}

/* a + "/" + its label against b + "/" + its label, without making them. */
static int
compare_paths(const namer *s, const edge *a, const edge *b)
{
	const struct {
		mugl_text up;
		const edge *e;
	} x[2] = {{s->name[a->from], a}, {s->name[b->from], b}};
	uint32_t n[2] = {x[0].up.n + 1 + a->n, x[1].up.n + 1 + b->n};

	for (uint32_t i = 0; i < n[0] && i < n[1]; i++) {
		unsigned char c[2];
		for (int k = 0; k < 2; k++)
			c[k] = (unsigned char)(i < x[k].up.n    ? x[k].up.p[i]
					       : i == x[k].up.n ? '/'
								: x[k].e->label[i - x[k].up.n - 1]);
		if (c[0] != c[1])
			return c[0] < c[1] ? -1 : 1;
	}
	return (n[0] > n[1]) - (n[0] < n[1]);
}

/* The names of a level's vertices are known; finds those of the next. */
static uint32_t
next_level(namer *s, const mugl_id *level, uint32_t n, const edge **best, mugl_id *next)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = s->start[level[i]]; k < s->start[level[i] + 1]; k++) {
			const edge *e = &s->e[k];
			if (!s->g->v[e->to].defined || s->name[e->to].p)
				continue;
			if (best[e->to] == NULL)
				next[found++] = e->to;
			if (best[e->to] == NULL || compare_paths(s, e, best[e->to]) < 0)
				best[e->to] = e;
		}
	for (uint32_t i = 0; i < found; i++) {
		s->name[next[i]] = path_of(s, best[next[i]]);
		s->depth[next[i]] = s->depth[best[next[i]]->from] + 1;
	}
	return found;
}

static uint32_t
begin(namer *s, mugl_id *level)
{
	mugl *g = s->g;
	uint32_t n = 0;
	uint8_t *entered = vt_xmalloc((size_t)g->nv + 1);
	mugl_id id;

	memset(entered, 0, (size_t)g->nv + 1);
	for (uint32_t i = 0; i < s->ne; i++)
		entered[s->e[i].to] = 1;
	for (uint32_t i = 0; i < g->nroots; i++)
		if (g->v[g->root[i]].defined && s->name[g->root[i]].p == NULL) {
			level[n++] = g->root[i];
			s->name[g->root[i]] = mugl_name(g, g->root[i]);
		}
	if (g->nroots == 0)
		for (uint32_t i = 0; (id = mugl_next(g, &i)) != MUGL_NONE;)
			if (!entered[id]) {
				level[n++] = id;
				s->name[id] = mugl_name(g, id);
			}
	for (uint32_t i = 0; i < n; i++)
		s->depth[level[i]] = 0;
	free(entered);
	return n;
}

static void
name_all(namer *s)
{
	size_t room = (size_t)s->g->nv + 1;
	mugl_id *level = vt_xmalloc(room * sizeof *level), *next = vt_xmalloc(room * sizeof *next),
		*t;
	const edge **best = vt_xmalloc(room * sizeof *best);
	uint32_t n;

	memset(best, 0, room * sizeof *best);
	n = begin(s, level);
	while (n > 0 && !s->full) {
		n = next_level(s, level, n, best, next);
		t = level;
		level = next;
		next = t;
	}
	free(level);
	free(next);
	free(best);
}

/* ---- aliases ---- */

static bool
is_resource(const mugl *g, mugl_id id)
{
	const mugl_node *type = mugl_get(&g->v[id].body, "type", 4);

	return type && type->kind == MUGL_STR;
}

typedef struct alias {
	mugl_id of;
	uint32_t depth;
	mugl_text text;
} alias;

static int
by_alias(const void *a, const void *b)
{
	const alias *x = a, *y = b;

	if (x->of != y->of)
		return x->of < y->of ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return mugl_text_cmp(x->text, y->text);
}

static alias *
find_aliases(namer *s, uint32_t *n)
{
	alias *a = vt_xmalloc(((size_t)s->ne + 1) * sizeof *a);
	uint32_t k = 0;

	for (uint32_t i = 0; i < s->ne; i++) {
		const edge *e = &s->e[i];
		if (s->name[e->from].p == NULL || !s->g->v[e->to].defined ||
			!is_resource(s->g, e->to))
			continue;
		a[k] = (alias){e->to, s->depth[e->from] + 1, path_of(s, e)};
		k += mugl_text_cmp(a[k].text, s->name[e->to]) != 0;
	}
	qsort(a, k, sizeof *a, by_alias);
	*n = 0;
	for (uint32_t i = 0; i < k; i++)
		if (*n == 0 || by_alias(&a[*n - 1], &a[i]) != 0)
			a[(*n)++] = a[i];
	return a;
}

/* ---- the names of resources ---- */

static void
not_reached(namer *s, mugl_id id)
{
	vt_buf b = {0};

	mugl_put_shown(&b, mugl_name(s->g, id));
	mugl_at(mugl_add(s->out, s->g, MUGL_UNREACHABLE, UINT64_MAX,
			"no path leads from a root to %.*s", (int)b.n, b.p),
		s->g, id);
	vt_buf_free(&b);
}

typedef struct claim {
	mugl_text text;
	mugl_id of;
	bool alias;
} claim;

static int
by_claim(const void *a, const void *b)
{
	const claim *x = a, *y = b;
	int c = mugl_text_cmp(x->text, y->text);

	return c                      ? c
	       : x->alias != y->alias ? x->alias - y->alias
				      : (x->of > y->of) - (x->of < y->of);
}

/* Keys may hold / and brackets, so that two paths can read the same. */
static void
find_conflicts(namer *s, const mugl_moniker *m, uint32_t n, uint32_t nalias)
{
	claim *c = vt_xmalloc(((size_t)n + nalias + 1) * sizeof *c);
	uint32_t k = 0;
	vt_buf b = {0};

	for (uint32_t i = 0; i < n; i++) {
		c[k++] = (claim){m[i].moniker, m[i].vertex, false};
		for (uint32_t j = 0; j < m[i].naliases; j++)
			c[k++] = (claim){m[i].alias[j], m[i].vertex, true};
	}
	qsort(c, k, sizeof *c, by_claim);
	for (uint32_t i = 1; i < k; i++) {
		mugl_problem *p;
		if (mugl_text_cmp(c[i].text, c[i - 1].text) != 0)
			continue;
		b.n = 0;
		mugl_put_shown(&b, c[i].text);
		p = mugl_add(s->out, s->g, MUGL_ALIAS_CONFLICT, UINT64_MAX,
			"two vertices get the name %.*s", (int)b.n, b.p);
		mugl_at(p, s->g, c[i].of);
		p->alias = mugl_said(c[i].text);
	}
	vt_buf_free(&b);
	free(c);
}

static uint32_t
collect(namer *s, mugl_moniker *m)
{
	uint32_t n = 0, nalias = 0, *place = vt_xmalloc(((size_t)s->g->nv + 1) * sizeof *place);
	alias *a = find_aliases(s, &nalias);
	mugl_text *texts;
	mugl_id id;

	nalias = s->full ? 0 : nalias;
	texts = mugl_alloc(s->g, nalias * sizeof *texts);

	for (uint32_t i = 0; (id = mugl_next(s->g, &i)) != MUGL_NONE;) {
		if (!is_resource(s->g, id))
			continue;
		if (s->name[id].p == NULL && s->full)
			continue;
		if (s->name[id].p == NULL) {
			not_reached(s, id);
			continue;
		}
		place[id] = n;
		m[n++] = (mugl_moniker){.vertex = id, .moniker = s->name[id]};
	}
	for (uint32_t i = 0; i < nalias; i++) {
		mugl_moniker *to = &m[place[a[i].of]];
		texts[i] = a[i].text;
		if (to->naliases++ == 0)
			to->alias = &texts[i];
	}
	if (!s->full)
		find_conflicts(s, m, n, nalias);
	free(place);
	free(a);
	return n;
}

bool
mugl_monikers(mugl *g, mugl_moniker **out, uint32_t *n, mugl_problems *problems)
{
	namer s = {.g = g, .out = problems};
	uint32_t before = problems->errors;

	gather_all(&s);
	name_all(&s);
	*out = mugl_alloc(g, ((size_t)g->ndefined + 1) * sizeof **out);
	*n = collect(&s, *out);
	free(s.e);
	free(s.start);
	free(s.name);
	free(s.depth);
	return problems->errors == before;
}

/* ---- a snapshot ---- */

/* Data objects that many refer to are written many times: there must be an end. */
enum { MOST_NODES = 50000000 };
typedef struct taker {
	const mugl *from;
	mugl *to;
	mugl_problems *out;
	mugl_id *renamed; /* of a resource: its vertex in `to`; else MUGL_NONE */
	mugl_id *path;    /* objects without a type that are being written */
	uint32_t depth, limit;
	uint64_t nodes;
	bool failed;
} taker;

static mugl_node take(taker *, const mugl_node *, uint32_t depth);

static void
fail(taker *t, enum mugl_code code, const char *why)
{
	if (!t->failed)
		mugl_add(t->out, t->from, code, UINT64_MAX, "%s", why);
	t->failed = true;
}

static mugl_node
take_object(taker *t, mugl_id id, uint32_t depth)
{
	mugl_node v;

	for (uint32_t i = 0; i < t->depth; i++)
		if (t->path[i] == id && !t->failed) {
			mugl_id *cycle = vt_xmalloc(((size_t)t->depth - i + 1) * sizeof *cycle);
			memcpy(cycle, t->path + i, (t->depth - i) * sizeof *cycle);
			cycle[t->depth - i] = id;
			mugl_report_cycle(t->from, cycle, t->depth - i + 1, t->out);
			free(cycle);
			t->failed = true;
		}
	if (t->failed || depth >= t->limit || !t->from->v[id].defined) {
		fail(t, t->from->v[id].defined ? MUGL_TOO_DEEP : MUGL_UNKNOWN_REF,
			"objects without a type are nested too deep, or missing");
		return mugl_null();
	}
	t->path[t->depth++] = id;
	v = take(t, &t->from->v[id].body, depth);
	t->depth--;
	return v;
}

static mugl_node
take(taker *t, const mugl_node *v, uint32_t depth)
{
	mugl_node c;

	if (++t->nodes > MOST_NODES || depth > t->limit)
		fail(t, t->nodes > MOST_NODES ? MUGL_TOO_LARGE : MUGL_TOO_DEEP,
			"the snapshot gets too large or too deep");
	if (t->failed)
		return mugl_null();
	if (v->kind == MUGL_EDGE) {
		if (t->renamed[v->n] == MUGL_NONE)
			return take_object(t, v->n, depth + 1);
		return (mugl_node){.kind = MUGL_EDGE, .n = t->renamed[v->n], .place = UINT64_MAX};
	}
	if (v->kind != MUGL_ARRAY && v->kind != MUGL_OBJECT)
		return mugl_copy_node(t->to, t->from, v);
	c = v->kind == MUGL_ARRAY ? mugl_array() : mugl_object();
	for (uint32_t i = 0; i < v->n; i++) {
		if (v->kind == MUGL_ARRAY)
			mugl_push(t->to, &c, take(t, &v->item[i], depth + 1));
		else {
			mugl_node w = take(t, &v->member[i].value, depth + 1);
			mugl_append(t->to, &c, v->member[i].key, v->member[i].nkey, w);
		}
	}
	return c;
}

static void
take_resource(taker *t, const mugl_moniker *m)
{
	static const char *const taken[] = {"type", "id", "aliases"};
	const mugl_node *from = &t->from->v[m->vertex].body;
	mugl_node body = mugl_object(), properties = mugl_object(), aliases = mugl_array();

	for (size_t i = 0; i < 2; i++) {
		const mugl_node *v = mugl_get(from, taken[1 - i], strlen(taken[1 - i]));
		if (v && v->kind == MUGL_STR)
			mugl_put(t->to, &body, taken[1 - i], strlen(taken[1 - i]),
				mugl_copy_node(t->to, t->from, v));
	}
	for (uint32_t i = 0; i < m->naliases; i++)
		mugl_push(t->to, &aliases, mugl_str(t->to, m->alias[i].p, m->alias[i].n));
	if (m->naliases)
		mugl_put(t->to, &body, "aliases", 7, aliases);
	for (uint32_t i = 0; i < from->n; i++) {
		const mugl_member *p = &from->member[i];
		if (mugl_is(mugl_c("type"), p->key, p->nkey) ||
			(mugl_is(mugl_c("id"), p->key, p->nkey) && p->value.kind == MUGL_STR))
			continue;
		mugl_node v = take(t, &p->value, 3);
		mugl_append(t->to, &properties, p->key, p->nkey, v);
	}
	mugl_put(t->to, &body, "properties", 10, properties);
	*mugl_define(t->to, t->renamed[m->vertex]) = body;
}

mugl *
mugl_snapshot(mugl *g, mugl_problems *out)
{
	taker t = {.from = g, .out = out, .limit = mugl_depth_limit(g)};
	mugl_options o = g->o;
	mugl_moniker *m;
	uint32_t n;

	if (!mugl_monikers(g, &m, &n, out))
		return NULL;
	o.snapshot = true;
	t.to = mugl_new(&o);
	t.to->header = mugl_copy_node(t.to, g, &g->header);
	t.renamed = vt_xmalloc(((size_t)g->nv + 1) * sizeof *t.renamed);
	t.path = vt_xmalloc(((size_t)t.limit + 1) * sizeof *t.path);
	memset(t.renamed, 0xff, ((size_t)g->nv + 1) * sizeof *t.renamed);
	for (uint32_t i = 0; i < n; i++)
		t.renamed[m[i].vertex] = mugl_intern(t.to, m[i].moniker.p, m[i].moniker.n);
	for (uint32_t i = 0; i < n && !t.failed; i++)
		take_resource(&t, &m[i]);
	free(t.renamed);
	free(t.path);
	if (!t.failed && mugl_check(t.to, true, out))
		return t.to;
	mugl_free(t.to);
	return NULL;
}
