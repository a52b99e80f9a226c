/*
 * mugl.c - graphs in memory: the arena, names, vertices, values.
 *
 * Strings that were read point into the text, which the graph keeps; others stand in the arena
 * behind eight bytes that hold the place they were read at.  Names are found through a table with
 * open addressing under SipHash with a seed of each graph, so that no input is slow by its keys.
 */
#include "runtime/mugl/int.h"

enum { CHUNK = 1 << 16, MAX_CHUNK = 1 << 22, DEPTH = 200, DEEPEST = 1000 };

struct mugl_chunk {
	mugl_chunk *next;
	size_t size;
};

/* ---- memory --------------------------------------------------------------------------------- */

void *
mugl_alloc(mugl *g, size_t n)
{
	n = (n + 7) & ~(size_t)7;
	if (unlikely((size_t)(g->end - g->free) < n || g->chunks == NULL)) {
		size_t size = g->chunks ? g->chunks->size * 2 : CHUNK;
		mugl_chunk *c;
		if (size > MAX_CHUNK)
			size = MAX_CHUNK;
		if (size < n)
			size = n;
		c = vt_xmalloc(sizeof *c + size);
		*c = (mugl_chunk){g->chunks, size};
		g->chunks = c;
		g->free = (char *)(c + 1);
		g->end = g->free + size;
	}
	g->free += n;
	return g->free - n;
}

char *
mugl_keep_room(mugl *g, size_t n)
{
	char *to = mugl_alloc(g, n + 9);

	memset(to, 0xff, 8);
	to[8 + n] = '\0';
	return to + 8;
}

char *
mugl_keep(mugl *g, const char *p, size_t n, uint64_t place)
{
	char *to = mugl_keep_room(g, n);

	memcpy(to - 8, &place, 8);
	if (n)
		memcpy(to, p, n);
	return to;
}

uint64_t
mugl_place_of(const mugl *g, const char *s)
{
	uint64_t place;

	if (g->text && (uintptr_t)s >= (uintptr_t)g->text &&
		(uintptr_t)s <= (uintptr_t)g->text + g->ntext)
		return (uint64_t)(s - g->text);
	memcpy(&place, s - 8, 8);
	return place;
}

int
mugl_text_cmp(mugl_text a, mugl_text b)
{
	uint32_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

uint32_t
mugl_hash(const mugl *g, const char *p, size_t n)
{
	uint64_t h = vt_sip(&g->seed, p, n);

	return (uint32_t)(h ^ h >> 32);
}

/* ---- graphs ---- */

uint32_t
mugl_depth_limit(const mugl *g)
{
	uint32_t d = g->o.max_depth ? g->o.max_depth : DEPTH;

	return d < DEEPEST ? d : DEEPEST;
}

mugl *
mugl_new(const mugl_options *o)
{
	mugl *g = vt_xzalloc(sizeof *g);
	if (o)
		g->o = *o;
	g->seed = vt_seed_new();
	g->header = mugl_object();
	g->mask = 15;
	g->table = vt_xzalloc(16 * sizeof *g->table);
	return g;
}

void
mugl_free(mugl *g)
{
	mugl_chunk *next;

	if (g == NULL)
		return;
	for (mugl_chunk *c = g->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	free((char *)(uintptr_t)g->text);
	free(g->v);
	free(g->table);
	free(g->order);
	free(g->root);
	free(g);
}

mugl *
mugl_clone(const mugl *from)
{
	mugl *g = mugl_new(&from->o);
	mugl_id id;

	g->header = mugl_copy_node(g, from, &from->header);
	if (from->ref.p)
		mugl_set_ref(g, from->ref.p, from->ref.n);
	for (uint32_t i = 0; (id = mugl_next(from, &i)) != MUGL_NONE;) {
		mugl_text name = mugl_name(from, id);
		mugl_id to = mugl_intern(g, name.p, name.n);
		mugl_node body = mugl_copy_node(g, from, mugl_body(from, id));
		*mugl_define(g, to) = body;
	}
	for (uint32_t i = 0; i < from->nroots; i++) {
		mugl_text name = mugl_name(from, from->root[i]);
		mugl_root(g, mugl_intern(g, name.p, name.n));
	}
	return g;
}

/* ---- bodies that are made when they are looked at ---- */

/* Room that most bodies need: else each would take a chunk and give it back. */
const mugl_node *
mugl_enter(const mugl *of, mugl_id id)
{
	mugl *g = (mugl *)(uintptr_t)of;

	if (g->make == NULL)
		return &g->v[id].body;
	if (g->end - g->free < CHUNK / 4) {
		char *room = mugl_alloc(g, CHUNK);
		g->free = room;
	}
	g->mark.chunks = g->chunks;
	g->mark.free = g->free;
	g->mark.end = g->end;
	g->made = mugl_object();
	g->make(g->make_ctx, g, id, &g->made);
	return &g->made;
}

void
mugl_leave(const mugl *of)
{
	mugl *g = (mugl *)(uintptr_t)of;

	if (g->make == NULL)
		return;
	while (g->chunks != g->mark.chunks) {
		mugl_chunk *c = g->chunks;
		g->chunks = c->next;
		free(c);
	}
	g->free = g->mark.free;
	g->end = g->mark.end;
}

/* ---- names and vertices ---- */

static uint32_t
slot_of(const mugl *g, const char *p, size_t n, uint32_t hash)
{
	uint32_t i = hash & g->mask;

	for (; g->table[i]; i = (i + 1) & g->mask) {
		const mugl_vertex *v = &g->v[g->table[i] - 1];
		if (v->hash == hash && v->n == n && memcmp(v->name, p, n) == 0)
			break;
	}
	return i;
}

static void
more_names(mugl *g)
{
	uint32_t size = (g->mask + 1) * 2;

	g->table = vt_xrealloc(g->table, size * sizeof *g->table);
	memset(g->table, 0, size * sizeof *g->table);
	g->mask = size - 1;
	for (uint32_t id = 0; id < g->nv; id++) {
		uint32_t i = g->v[id].hash & g->mask;
		while (g->table[i])
			i = (i + 1) & g->mask;
		g->table[i] = id + 1;
	}
}

static bool
in_text(const mugl *g, const char *p)
{
	return g->text && (uintptr_t)p >= (uintptr_t)g->text &&
	       (uintptr_t)p < (uintptr_t)g->text + g->ntext;
}

mugl_id
mugl_intern(mugl *g, const char *p, size_t n)
{
	uint32_t hash = mugl_hash(g, p, n), i = slot_of(g, p, n, hash);
	mugl_vertex *v;

	if (g->table[i])
		return g->table[i] - 1;
	g->v = vt_grow(g->v, g->nv, sizeof *g->v);
	v = &g->v[g->nv];
	*v = (mugl_vertex){.n = (uint32_t)n, .hash = hash};
	v->name = in_text(g, p) ? p : mugl_keep(g, p, n, UINT64_MAX);
	g->table[i] = ++g->nv;
	if (g->nv * 4 > g->mask * 3)
		more_names(g);
	return g->nv - 1;
}

mugl_id
mugl_find(const mugl *g, const char *p, size_t n)
{
	mugl_id id = g->table[slot_of(g, p, n, mugl_hash(g, p, n))];

	return id && g->v[id - 1].defined ? id - 1 : MUGL_NONE;
}

mugl_text
mugl_name(const mugl *g, mugl_id id)
{
	return (mugl_text){g->v[id].name, g->v[id].n};
}

bool
mugl_defined(const mugl *g, mugl_id id)
{
	return g->v[id].defined;
}

uint32_t
mugl_count(const mugl *g)
{
	return g->ndefined;
}

mugl_id
mugl_next(const mugl *g, uint32_t *i)
{
	while (*i < g->norder) {
		mugl_id id = g->order[(*i)++];
		if (g->v[id].defined && g->v[id].pos == *i - 1)
			return id;
	}
	return MUGL_NONE;
}

mugl_node *
mugl_define(mugl *g, mugl_id id)
{
	mugl_vertex *v = &g->v[id];

	v->body = mugl_object();
	if (v->defined)
		return &v->body;
	v->defined = true;
	g->ndefined++;
	v->pos = g->norder;
	vt_push(g->order, g->norder) = id;
	return &v->body;
}

mugl_node *
mugl_properties(mugl *g, const char *moniker, size_t n, const char *type)
{
	mugl_id id = mugl_intern(g, moniker, n);
	mugl_node *body = g->v[id].defined ? &g->v[id].body : mugl_define(g, id);
	const mugl_node *p;

	mugl_put(g, body, "type", 4, mugl_str(g, type, strlen(type)));
	p = mugl_get(body, "properties", 10);
	return p && p->kind == MUGL_OBJECT ? (mugl_node *)(uintptr_t)p
					   : mugl_put(g, body, "properties", 10, mugl_object());
}

void
mugl_remove(mugl *g, mugl_id id)
{
	g->ndefined -= g->v[id].defined;
	g->v[id].defined = false;
	g->v[id].body = mugl_object();
}

const mugl_node *
mugl_body(const mugl *g, mugl_id id)
{
	return &g->v[id].body;
}

mugl_node *
mugl_bag(mugl *g, mugl_id id)
{
	return &g->v[id].body;
}

void
mugl_root(mugl *g, mugl_id id)
{
	vt_push(g->root, g->nroots) = id;
}

mugl_node *
mugl_header(mugl *g)
{
	return &g->header;
}

bool
mugl_set_ref(mugl *g, const char *p, size_t n)
{
	if (n == 0)
		return false;
	g->ref = (mugl_text){mugl_keep(g, p, n, UINT64_MAX), (uint32_t)n};
	return true;
}

/* ---- values ---- */

mugl_node
mugl_null(void)
{
	return (mugl_node){.kind = MUGL_NULL};
}

mugl_node
mugl_bool(bool b)
{
	return (mugl_node){.kind = b ? MUGL_TRUE : MUGL_FALSE};
}

mugl_node
mugl_int(int64_t i)
{
	return (mugl_node){.kind = MUGL_INT, .i = i};
}

mugl_node
mugl_float(double d)
{
	return d - d == 0 ? (mugl_node){.kind = MUGL_FLOAT, .d = d} : mugl_null();
}

mugl_node
mugl_str(mugl *g, const char *p, size_t n)
{
	return (mugl_node){.kind = MUGL_STR, .n = (uint32_t)n, .s = mugl_keep(g, p, n, UINT64_MAX)};
}

mugl_node
mugl_array(void)
{
	return (mugl_node){.kind = MUGL_ARRAY};
}

mugl_node
mugl_object(void)
{
	return (mugl_node){.kind = MUGL_OBJECT};
}

mugl_node
mugl_edge(mugl *g, const char *moniker, size_t n)
{
	return (mugl_node){.kind = MUGL_EDGE, .n = mugl_intern(g, moniker, n), .place = UINT64_MAX};
}

/* What was read has no room behind it; what grew has it up to the next power of two. */
static void *
room_for(mugl *g, mugl_node *o, void *old, size_t size)
{
	uint32_t cap = 4;
	void *p;

	if (o->grown && (o->n & (o->n - 1)) != 0)
		return old;
	if (o->grown && o->n > 0 && o->n < 4)
		return old;
	while (cap <= o->n)
		cap *= 2;
	p = mugl_alloc(g, cap * size);
	if (o->n)
		memcpy(p, old, o->n * size);
	o->grown = 1;
	return p;
}

mugl_node *
mugl_push(mugl *g, mugl_node *array, mugl_node v)
{
	array->item = room_for(g, array, array->item, sizeof v);
	array->item[array->n] = v;
	return &array->item[array->n++];
}

static mugl_member *
member_of(const mugl_node *o, const char *key, size_t n)
{
	if (o->kind == MUGL_OBJECT)
		for (uint32_t i = 0; i < o->n; i++)
			if (o->member[i].nkey == n && memcmp(o->member[i].key, key, n) == 0)
				return &o->member[i];
	return NULL;
}

mugl_node *
mugl_append(mugl *g, mugl_node *o, const char *key, size_t n, mugl_node v)
{
	mugl_member *m;

	o->member = room_for(g, o, o->member, sizeof *m);
	m = &o->member[o->n++];
	m->key = in_text(g, key) ? key : mugl_keep(g, key, n, UINT64_MAX);
	m->nkey = (uint32_t)n;
	m->value = v;
	return &m->value;
}

mugl_node *
mugl_put(mugl *g, mugl_node *o, const char *key, size_t n, mugl_node v)
{
	mugl_member *m = member_of(o, key, n);

	if (m == NULL)
		return mugl_append(g, o, key, n, v);
	m->value = v;
	return &m->value;
}

void
mugl_drop(mugl_node *o, const char *key, size_t n)
{
	mugl_member *m = member_of(o, key, n);

	if (m == NULL)
		return;
	o->n--;
	memmove(m, m + 1, (size_t)(o->member + o->n - m) * sizeof *m);
	o->grown = 0; /* the count may have become a power of two by shrinking */
}

const mugl_node *
mugl_get(const mugl_node *o, const char *key, size_t n)
{
	const mugl_member *m = member_of(o, key, n);

	return m ? &m->value : NULL;
}

void
mugl_link(mugl *g, mugl_id from, const char *label, mugl_id to, const mugl_node *properties)
{
	mugl_node *bag = &g->v[from].body, edge = {.kind = MUGL_EDGE, .n = to, .place = UINT64_MAX};
	const mugl_node *p = mugl_get(bag, "type", 4) ? mugl_get(bag, "properties", 10) : NULL;
	mugl_node entry = edge, *list;

	if (mugl_get(bag, "type", 4))
		bag = p ? (mugl_node *)(uintptr_t)p
			: mugl_put(g, bag, "properties", 10, mugl_object());
	if (properties && properties->n) {
		entry = mugl_object();
		mugl_put(g, &entry, "to", 2, edge);
		for (uint32_t i = 0; i < properties->n; i++)
			mugl_put(g, &entry, properties->member[i].key, properties->member[i].nkey,
				properties->member[i].value);
	}
	list = (mugl_node *)(uintptr_t)mugl_get(bag, label, strlen(label));
	if (list == NULL || list->kind != MUGL_ARRAY)
		list = mugl_put(g, bag, label, strlen(label), mugl_array());
	mugl_push(g, list, entry);
}

/* Values are trees no deeper than DEEPEST: the readers see to that. */
mugl_node
mugl_copy_node(mugl *to, const mugl *from, const mugl_node *v)
{
	mugl_node c = *v;
	mugl_text name;

	c.grown = 0;
	switch ((enum mugl_kind)v->kind) {
	case MUGL_NULL:
	case MUGL_FALSE:
	case MUGL_TRUE:
	case MUGL_INT:
	case MUGL_FLOAT: break;
	case MUGL_NUMBER:
	case MUGL_STR: c.s = mugl_keep(to, v->s, v->n, UINT64_MAX); break;
	case MUGL_EDGE:
		name = mugl_name(from, v->n);
		c = mugl_edge(to, name.p, name.n);
		break;
	case MUGL_ARRAY:
		c.item = mugl_alloc(to, v->n * sizeof *v->item);
		for (uint32_t i = 0; i < v->n; i++)
			c.item[i] = mugl_copy_node(to, from, &v->item[i]);
		break;
	case MUGL_OBJECT:
		c.member = mugl_alloc(to, v->n * sizeof *v->member);
		for (uint32_t i = 0; i < v->n; i++) {
			const mugl_member *m = &v->member[i];
			c.member[i] = (mugl_member){mugl_keep(to, m->key, m->nkey, UINT64_MAX),
				m->nkey, mugl_copy_node(to, from, &m->value)};
		}
		break;
	}
	return c;
}

bool
mugl_is_edge_object(const mugl_node *o, mugl_text tag)
{
	return o->kind == MUGL_OBJECT && o->n == 1 && o->member[0].value.kind == MUGL_STR &&
	       mugl_is(tag, o->member[0].key, o->member[0].nkey);
}
