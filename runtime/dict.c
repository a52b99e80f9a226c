/*
 * dict.c - insertion-ordered dicts in two forms.
 *
 * Shaped: keys live in a shape (hidden class) that all dicts with the same string keys in the same order share; the
 * dict holds a block of values.  Shapes form a tree: a shape and a key lead to the shape with that key added.
 * Hashed: entries in insertion order plus an index of positions, for other keys, many keys and after deletions.
 */
#include "vti.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SHAPED = 64, FREE = -1, DELETED = -2 };

typedef struct shape {
	struct shape *parent;
	vt_value key;             /* str added to the parent; VT_UNDEF at the root */
	uint32_t n;               /* keys */
	vt_value *keys;           /* all of them, in order; made on first use, owned by the shape tree's strings */
	struct shape **next;      /* transitions */
	uint32_t nnext, capnext;
} shape;

struct vt_shapes { shape root; shape **all; uint32_t n, cap; };

typedef struct entry { vt_value key, value; uint64_t hash; } entry;

struct vt_dict {
	vt_head h;
	shape *shape;             /* NULL: hashed */
	uint32_t n;               /* live keys */
	uint32_t cap;             /* room in v or entries */
	uint32_t used;            /* entries in use, with deleted ones */
	uint32_t nindex;          /* power of two */
	vt_value *v;              /* shaped: values */
	entry *entries;           /* hashed */
	int32_t *index;
};

/* ---- shapes ------------------------------------------------------------------------------------- */

struct vt_shapes *
vt_shapes_new(void)
{
	struct vt_shapes *s = vt_xmalloc(sizeof *s);

	memset(s, 0, sizeof *s);
	s->root.key = VT_UNDEF;
	return s;
}

void
vt_shapes_destroy(struct vt_shapes *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		vt_release(s->all[i]->key);
		free(s->all[i]->keys);
		free(s->all[i]->next);
		free(s->all[i]);
	}
	free(s->root.next);
	free(s->root.keys);
	free(s->all);
	free(s);
}

static bool
same_str(vt_value a, const vt_str *b)
{
	const vt_str *s = vt_as_str(a);

	return s == b || vt_str_eq(s, b);
}

/* How many shapes a session may have: hostile records with ever new keys must not fill memory. */
enum { MAX_SHAPES = 20000, MAX_TRANSITIONS = 128 };

static shape *
transition(struct vt_shapes *all, shape *from, vt_value key)
{
	shape *s;

	for (uint32_t i = 0; i < from->nnext; i++)
		if (same_str(from->next[i]->key, vt_as_str(key)))
			return from->next[i];
	if (all->n >= MAX_SHAPES || from->nnext >= MAX_TRANSITIONS || from->n >= MAX_SHAPED)
		return NULL;
	s = vt_xmalloc(sizeof *s);
	*s = (shape){.parent = from, .key = vt_copy(key), .n = from->n + 1};
	s->keys = vt_xmalloc(s->n * sizeof *s->keys);
	if (from->n)
		memcpy(s->keys, from->keys, from->n * sizeof *s->keys);
	s->keys[from->n] = key;
	if (from->nnext == from->capnext) {
		from->capnext = from->capnext ? from->capnext * 2 : 2;
		from->next = vt_xrealloc(from->next, from->capnext * sizeof *from->next);
	}
	from->next[from->nnext++] = s;
	if (all->n == all->cap) {
		all->cap = all->cap ? all->cap * 2 : 64;
		all->all = vt_xrealloc(all->all, all->cap * sizeof *all->all);
	}
	all->all[all->n++] = s;
	return s;
}

static int64_t
slot_of(const shape *s, const vt_str *key)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (same_str(s->keys[i], key))
			return i;
	return -1;
}

/* ---- hashed form ----------------------------------------------------------------------------------- */

static void
index_put(vt_dict *d, uint32_t at)
{
	uint32_t mask = d->nindex - 1, i = (uint32_t)d->entries[at].hash & mask;

	while (d->index[i] >= 0)
		i = (i + 1) & mask;
	d->index[i] = (int32_t)at;
}

/* Closes the gaps of deleted entries and rebuilds the index for at least `want` entries. */
static void
rebuild(vt_dict *d, uint32_t want)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->used; i++)
		if (d->entries[i].key != VT_UNDEF)
			d->entries[n++] = d->entries[i];
	d->used = n;
	d->nindex = 8;
	while (d->nindex < want * 2)
		d->nindex *= 2;
	d->cap = d->nindex / 2 + 1;
	d->entries = vt_xrealloc(d->entries, d->cap * sizeof *d->entries);
	d->index = vt_xrealloc(d->index, d->nindex * sizeof *d->index);
	for (uint32_t i = 0; i < d->nindex; i++)
		d->index[i] = FREE;
	for (uint32_t i = 0; i < d->used; i++)
		index_put(d, i);
}

static void
to_hashed(vt_dict *d)
{
	shape *s = d->shape;
	vt_value *v = d->v;
	uint32_t n = d->n;

	d->shape = NULL;
	d->v = NULL;
	d->entries = NULL;
	d->index = NULL;
	d->used = 0;
	d->cap = 0;
	d->entries = vt_xmalloc((n + 1) * sizeof *d->entries);
	for (uint32_t i = 0; i < n; i++)
		d->entries[i] = (entry){vt_copy(s->keys[i]), v[i], vt_str_hash(vt_as_str(s->keys[i]))};
	d->used = n;
	free(v);
	rebuild(d, n + 1);
}

/* vt_hash gives a string its own hash, so shaped and hashed dicts agree. */
static int64_t
find_hashed(const vt_dict *d, vt_value key, uint64_t hash)
{
	uint32_t mask = d->nindex - 1, i = (uint32_t)hash & mask;

	for (; d->index[i] != FREE; i = (i + 1) & mask) {
		const entry *e;
		if (d->index[i] == DELETED)
			continue;
		e = &d->entries[d->index[i]];
		if (e->hash == hash && (e->key == key || vt_eq(e->key, key)))
			return d->index[i];
	}
	return -1;
}

/* ---- dicts --------------------------------------------------------------------------------------------- */

vt_dict *
vt_dict_new(vt_rt *rt, bool frozen)
{
	vt_dict *d = vt_alloc(rt, sizeof *d, VT_K_DICT);

	d->h.flags |= frozen ? VT_F_FROZEN : 0;
	d->shape = &rt->s->shapes->root;
	d->n = d->cap = d->used = d->nindex = 0;
	d->v = NULL;
	d->entries = NULL;
	d->index = NULL;
	return d;
}

uint32_t
vt_dict_len(const vt_dict *d)
{
	return d->n;
}

vt_value
vt_dict_get_str(const vt_dict *d, const vt_str *key)
{
	int64_t i;

	if (d->shape) {
		i = slot_of(d->shape, key);
		return i < 0 ? VT_UNDEF : d->v[i];
	}
	i = find_hashed(d, vt_mkptr(key), vt_str_hash(key));
	return i < 0 ? VT_UNDEF : d->entries[i].value;
}

vt_value
vt_dict_get(const vt_dict *d, vt_value key)
{
	int64_t i;

	if (vt_is(key, STR))
		return vt_dict_get_str(d, vt_as_str(key));
	if (d->shape || !vt_hashable(key))
		return VT_UNDEF;
	i = find_hashed(d, key, vt_hash(key));
	return i < 0 ? VT_UNDEF : d->entries[i].value;
}

vt_value
vt_dict_get_c(const vt_dict *d, const char *key)
{
	struct { vt_str s; char room[128]; } k;
	size_t n = strlen(key);

	if (n >= sizeof k.room)
		return VT_UNDEF;
	k.s.h = (vt_head){.rc = VT_IMMORTAL, .kind = VT_K_STR};
	k.s.bytes = (uint32_t)n;
	k.s.points = (uint32_t)n;
	k.s.hash = vt_hash_bytes(key, n);
	memcpy(k.s.s, key, n + 1);
	return vt_dict_get_str(d, &k.s);
}

vt_value
vt_dict_get_ic(const vt_dict *d, const vt_str *key, vt_ic *ic)
{
	int64_t i;

	if (d->shape == NULL)
		return vt_dict_get_str(d, key);
	if (likely(ic->key == d->shape))
		return d->v[ic->aux];
	i = slot_of(d->shape, key);
	if (i < 0)
		return VT_UNDEF;
	ic->key = d->shape;
	ic->aux = (uint64_t)i;
	return d->v[i];
}

static void
append_shaped(vt_dict *d, shape *next, vt_value value)
{
	if (d->n == d->cap) {
		d->cap = d->cap ? d->cap * 2 : 4;
		d->v = vt_xrealloc(d->v, d->cap * sizeof *d->v);
	}
	d->v[d->n++] = vt_copy(value);
	d->shape = next;
}

static void
set_hashed(vt_dict *d, vt_value key, uint64_t hash, vt_value value)
{
	int64_t i = find_hashed(d, key, hash);

	if (i >= 0) {
		vt_move(&d->entries[i].value, vt_copy(value));
		return;
	}
	if (d->used + 1 >= d->cap || (d->used + 1) * 2 > d->nindex)
		rebuild(d, (d->n + 1) * 2);
	d->entries[d->used] = (entry){vt_copy(key), vt_copy(value), hash};
	index_put(d, d->used++);
	d->n++;
}

vt_status
vt_dict_set(vt_rt *rt, vt_dict *d, vt_value key, vt_value value)
{
	d->h.flags &= (uint8_t)~VT_F_FINAL;
	if (d->shape && vt_is(key, STR)) {
		int64_t i = slot_of(d->shape, vt_as_str(key));
		shape *next;
		if (i >= 0) {
			vt_move(&d->v[i], vt_copy(value));
			return VT_OK;
		}
		next = transition(rt->s->shapes, d->shape, key);
		if (next) {
			append_shaped(d, next, value);
			return VT_OK;
		}
	}
	if (!vt_hashable(key))
		return vt_unhashable(rt, key);
	if (d->shape)
		to_hashed(d);
	set_hashed(d, key, vt_hash(key), value);
	return VT_OK;
}

void
vt_dict_set_c(vt_rt *rt, vt_dict *d, const char *key, vt_value owned)
{
	vt_value k = vt_str_c(rt, key);

	vt_dict_set(rt, d, k, owned);
	vt_release(k);
	vt_release(owned);
}

bool
vt_dict_del(vt_rt *rt, vt_dict *d, vt_value key)
{
	int64_t i;
	uint32_t mask, k;

	(void)rt;
	if (vt_dict_get(d, key) == VT_UNDEF)
		return false;
	if (d->shape)
		to_hashed(d);
	i = find_hashed(d, key, vt_hash(key));
	mask = d->nindex - 1;
	for (k = (uint32_t)d->entries[i].hash & mask; d->index[k] != i; k = (k + 1) & mask)
		continue;
	d->index[k] = DELETED;
	vt_release(d->entries[i].key);
	vt_release(d->entries[i].value);
	d->entries[i].key = d->entries[i].value = VT_UNDEF;
	d->n--;
	return true;
}

bool
vt_dict_at(const vt_dict *d, uint32_t *pos, vt_value *key, vt_value *value)
{
	if (d->shape) {
		if (*pos >= d->n)
			return false;
		*key = d->shape->keys[*pos];
		*value = d->v[(*pos)++];
		return true;
	}
	while (*pos < d->used && d->entries[*pos].key == VT_UNDEF)
		(*pos)++;
	if (*pos >= d->used)
		return false;
	*key = d->entries[*pos].key;
	*value = d->entries[(*pos)++].value;
	return true;
}

vt_dict *
vt_dict_copy(vt_rt *rt, const vt_dict *d, bool frozen)
{
	vt_dict *c = vt_dict_new(rt, frozen);
	uint32_t pos = 0;
	vt_value k, v;

	if (d->shape) {
		c->shape = d->shape;
		c->n = c->cap = d->n;
		c->v = vt_xmalloc((d->n ? d->n : 1) * sizeof *c->v);
		for (uint32_t i = 0; i < d->n; i++)
			c->v[i] = vt_copy(d->v[i]);
		return c;
	}
	while (vt_dict_at(d, &pos, &k, &v))
		vt_dict_set(rt, c, k, v);
	return c;
}

void
vt_dict_free(vt_head *h)
{
	vt_dict *d = (vt_dict *)h;

	for (uint32_t i = 0; d->shape && i < d->n; i++)
		vt_release(d->v[i]);
	for (uint32_t i = 0; !d->shape && i < d->used; i++) {
		vt_release(d->entries[i].key);
		vt_release(d->entries[i].value);
	}
	free(d->v);
	free(d->entries);
	free(d->index);
}
