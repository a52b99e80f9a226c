/*
 * dict.c - dictionaries in insertion order.
 *
 * Two forms.  With a shape, the keys (few, short strings) live in the shape and the dict holds only
 * values; dicts made the same way share it, and an inline cache that saw the shape knows the slot.
 * Without, entries lie in insertion order and an index of positions is probed linearly, as in CPython;
 * up to 8 entries are scanned instead.
 *
 * Shapes form a tree: a key leads from a shape to a longer one.  The tree belongs to the session and its
 * size is bounded (MAX_SHAPES, MAX_KEYS, MAX_KEY_BYTES): what does not fit takes the second form, so
 * input cannot make it grow without end.
 *
 * Invariants: shape != NULL: v[0..n-1] are the values.  shape == NULL: e[0..used-1] are the entries, a
 * deleted one has key VT_UNDEF; index is NULL or has mask + 1 words, 0 free, else position + 1; the
 * positions of deleted entries stay in it until the next rebuild.
 */
#include "vti.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_KEYS = 64, MAX_KEY_BYTES = 64, MAX_SHAPES = 8192, MAX_CHILDREN = 512, SCAN = 8 };

typedef struct shape shape;
struct shape {
	uint32_t n;
	uint32_t nchildren, capchildren; /* children: open addressing by the key's hash */
	shape **children;
	shape *next;                     /* all shapes of the session */
	uint8_t *index;                  /* slot + 1 by hash; NULL for few keys; 256 entries */
	const vt_str *key[];             /* n keys; the last one is counted here, the others by ancestors */
};

struct vt_shapes {
	shape *root, *all;
	uint32_t count;
};

typedef struct entry { uint64_t hash; vt_value key, value; } entry;

struct vt_dict {
	vt_head h;
	shape *shape;
	uint32_t n, used, cap, mask;
	union { vt_value *v; entry *e; };
	uint32_t *index;
	vt_value inl[];
};

enum { INLINE_MAX = (512 - sizeof(struct vt_dict)) / sizeof(vt_value) };

/* ---- shapes ------------------------------------------------------------------------------------------ */

static shape *
shape_new(struct vt_shapes *all, const shape *parent, const vt_str *key)
{
	uint32_t n = parent ? parent->n + 1 : 0;
	shape *s = vt_xmalloc(sizeof *s + n * sizeof s->key[0]);
	*s = (shape){ .n = n, .next = all->all };
	if (parent) {
		memcpy(s->key, parent->key, parent->n * sizeof s->key[0]);
		s->key[n - 1] = key;
		vt_retain(vt_mkptr(key));
	}
	all->all = s;
	all->count++;
	return s;
}

struct vt_shapes *
vt_shapes_new(void)
{
	struct vt_shapes *all = vt_xmalloc(sizeof *all);
	*all = (struct vt_shapes){ 0 };
	all->root = shape_new(all, NULL, NULL);
	return all;
}

void
vt_shapes_destroy(struct vt_shapes *all)
{
	for (shape *s = all->all, *next; s != NULL; s = next) {
		next = s->next;
		if (s->n > 0)
			vt_release(vt_mkptr(s->key[s->n - 1]));
		free(s->children);
		free(s->index);
		free(s);
	}
	free(all);
}

static void
build_shape_index(shape *s)
{
	s->index = memset(vt_xmalloc(256), 0, 256);
	for (uint32_t i = 0; i < s->n; i++) {
		uint8_t at = (uint8_t)vt_str_hash(s->key[i]);
		while (s->index[at])
			at++;
		s->index[at] = (uint8_t)(i + 1);
	}
}

/* The slot of a key, or -1. */
static int
shape_find(shape *s, const vt_str *key)
{
	if (s->n <= SCAN) {
		for (uint32_t i = 0; i < s->n; i++)
			if (s->key[i] == key)
				return (int)i;
		for (uint32_t i = 0; i < s->n; i++)
			if (vt_str_eq(s->key[i], key))
				return (int)i;
		return -1;
	}
	if (s->index == NULL)
		build_shape_index(s);
	for (uint8_t at = (uint8_t)vt_str_hash(key); s->index[at]; at++)
		if (vt_str_eq(s->key[s->index[at] - 1], key))
			return s->index[at] - 1;
	return -1;
}

static shape **
child_place(shape **table, uint32_t cap, const vt_str *key)
{
	uint32_t at = (uint32_t)vt_str_hash(key) & (cap - 1);
	while (table[at] && !vt_str_eq(table[at]->key[table[at]->n - 1], key))
		at = (at + 1) & (cap - 1);
	return &table[at];
}

static void
more_children(shape *s)
{
	uint32_t cap = s->capchildren ? s->capchildren * 2 : 4;
	shape **table = vt_xmalloc(cap * sizeof(shape *));
	memset(table, 0, cap * sizeof(shape *));
	for (uint32_t i = 0; i < s->capchildren; i++)
		if (s->children[i])
			*child_place(table, cap, s->children[i]->key[s->n]) = s->children[i];
	free(s->children);
	s->children = table;
	s->capchildren = cap;
}

/* The shape with one key more, or NULL: the dict must take the other form. */
static shape *
shape_add(struct vt_shapes *all, shape *s, const vt_str *key)
{
	shape **place;
	if (s->capchildren > 0) {
		place = child_place(s->children, s->capchildren, key);
		if (*place)
			return *place;
	}
	if (s->n >= MAX_KEYS || key->bytes > MAX_KEY_BYTES || all->count >= MAX_SHAPES || s->nchildren >= MAX_CHILDREN)
		return NULL;
	if (2 * (s->nchildren + 1) > s->capchildren)
		more_children(s);
	place = child_place(s->children, s->capchildren, key);
	*place = shape_new(all, s, key);
	s->nchildren++;
	return *place;
}

/* ---- making ------------------------------------------------------------------------------------------- */

vt_dict *
vt_dict_new_cap(vt_rt *rt, bool frozen, uint32_t cap)
{
	vt_dict *d;
	if (cap > INLINE_MAX)
		cap = INLINE_MAX;
	d = vt_alloc(rt, sizeof *d + cap * sizeof(vt_value), VT_K_DICT);
	if (frozen)
		d->h.flags |= VT_F_FROZEN;
	d->shape = rt->s->shapes->root;
	d->n = d->used = d->mask = 0;
	d->cap = cap;
	d->v = d->inl;
	d->index = NULL;
	return d;
}

vt_dict *
vt_dict_new(vt_rt *rt, bool frozen)
{
	return vt_dict_new_cap(rt, frozen, 4);
}

vt_dict *
vt_dict_new_hashed(vt_rt *rt, bool frozen)
{
	vt_dict *d = vt_dict_new_cap(rt, frozen, 0);
	d->shape = NULL;
	d->e = NULL;
	return d;
}

uint32_t
vt_dict_len(const vt_dict *d)
{
	return d->n;
}

void
vt_dict_free(vt_head *h)
{
	vt_dict *d = (vt_dict *)h;
	for (uint32_t i = 0; d->shape == NULL && i < d->used; i++) {
		vt_release(d->e[i].key);
		vt_release(d->e[i].value);
	}
	for (uint32_t i = 0; d->shape != NULL && i < d->n; i++)
		vt_release(d->v[i]);
	if (d->shape == NULL || d->v != d->inl)
		free(d->v);
	free(d->index);
}

/* ---- the hashed form ------------------------------------------------------------------------------------ */

static uint32_t
spread(uint64_t hash, uint32_t mask)
{
	return (uint32_t)((hash * 0x9e3779b97f4a7c15u) >> 32) & mask;
}

static bool
same_key(vt_value a, vt_value b)
{
	if (a == b)
		return true;
	if (vt_is(a, STR) && vt_is(b, STR))
		return vt_str_eq(vt_as_str(a), vt_as_str(b));
	return vt_eq(a, b);
}

static entry *
hashed_find(const vt_dict *d, vt_value key, uint64_t hash)
{
	if (d->index == NULL) {
		for (uint32_t i = 0; i < d->used; i++)
			if (d->e[i].hash == hash && d->e[i].key != VT_UNDEF && same_key(d->e[i].key, key))
				return &d->e[i];
		return NULL;
	}
	for (uint32_t at = spread(hash, d->mask); d->index[at]; at = (at + 1) & d->mask) {
		entry *e = &d->e[d->index[at] - 1];
		if (e->hash == hash && e->key != VT_UNDEF && same_key(e->key, key))
			return e;
	}
	return NULL;
}

static void
link_entry(vt_dict *d, uint32_t i)
{
	uint32_t at = spread(d->e[i].hash, d->mask);
	while (d->index[at])
		at = (at + 1) & d->mask;
	d->index[at] = i + 1;
}

/* Closes the gaps of deleted entries, makes room for `cap` and builds the index anew. */
static void
rebuild(vt_dict *d, uint32_t cap)
{
	uint32_t k = 0, size = 16;
	for (uint32_t i = 0; i < d->used; i++)
		if (d->e[i].key != VT_UNDEF)
			d->e[k++] = d->e[i];
	d->used = k;
	d->e = vt_xrealloc(d->e, (size_t)cap * sizeof(entry));
	d->cap = cap;
	free(d->index);
	d->index = NULL;
	if (cap <= SCAN)
		return;
	while (size < (uint64_t)cap * 3 / 2)
		size *= 2;
	d->mask = size - 1;
	d->index = vt_xmalloc(size * sizeof(uint32_t));
	memset(d->index, 0, size * sizeof(uint32_t));
	for (uint32_t i = 0; i < k; i++)
		link_entry(d, i);
}

static void
append(vt_dict *d, vt_value key, uint64_t hash, vt_value value)
{
	if (d->used == d->cap) {
		if (d->n >= (1u << 30))
			vt_xmalloc(SIZE_MAX); /* as any lack of memory */
		rebuild(d, d->n < 4 ? SCAN : d->n * 2);
	}
	d->e[d->used] = (entry){ hash, vt_copy(key), vt_copy(value) };
	if (d->index)
		link_entry(d, d->used);
	d->used++;
	d->n++;
}

/* Leaves the shape: from now on the dict has keys of its own. */
static void
unshape(vt_dict *d)
{
	shape *s = d->shape;
	uint32_t cap = d->n < SCAN ? SCAN : d->n * 2;
	entry *e = vt_xmalloc(cap * sizeof *e);
	for (uint32_t i = 0; i < d->n; i++)
		e[i] = (entry){ vt_str_hash(s->key[i]), vt_copy(vt_mkptr(s->key[i])), d->v[i] };
	if (d->v != d->inl)
		free(d->v);
	d->shape = NULL;
	d->e = e;
	d->used = d->n;
	rebuild(d, cap);
}

/* ---- reading ----------------------------------------------------------------------------------------------- */

vt_value
vt_dict_get_str(const vt_dict *d, const vt_str *key)
{
	entry *e;
	if (d->shape) {
		int i = shape_find(d->shape, key);
		return i < 0 ? VT_UNDEF : d->v[i];
	}
	e = hashed_find(d, vt_mkptr(key), vt_str_hash(key));
	return e ? e->value : VT_UNDEF;
}

vt_value
vt_dict_get(const vt_dict *d, vt_value key)
{
	uint64_t hash;
	entry *e;
	if (vt_is(key, STR))
		return vt_dict_get_str(d, vt_as_str(key));
	if (d->shape || !vt_hash_try(key, &hash))
		return VT_UNDEF;
	e = hashed_find(d, key, hash);
	return e ? e->value : VT_UNDEF;
}

/* The key is a C string of the runtime: short ones are looked up through a string on the C stack. */
vt_value
vt_dict_get_c(const vt_dict *d, const char *key)
{
	struct { vt_str s; char room[120]; } k;
	size_t n = strlen(key);
	vt_str *s = n < sizeof k.room ? &k.s : vt_xmalloc(sizeof *s + n + 1);
	vt_value v;
	s->h = (vt_head){ VT_IMMORTAL, VT_K_STR, 0, 0 };
	s->bytes = (uint32_t)n;
	s->points = 0;
	s->hash = 0;
	memcpy((char *)s + offsetof(vt_str, s), key, n + 1);
	v = vt_dict_get_str(d, s);
	if (s != &k.s)
		free(s);
	return v;
}

vt_value
vt_dict_get_ic(const vt_dict *d, const vt_str *key, vt_ic *ic)
{
	int i;
	if (likely(d->shape != NULL && ic->key == d->shape))
		return ic->aux == UINT64_MAX ? VT_UNDEF : d->v[ic->aux];
	if (d->shape == NULL)
		return vt_dict_get_str(d, key);
	i = shape_find(d->shape, key);
	ic->key = d->shape;
	ic->aux = i < 0 ? UINT64_MAX : (uint64_t)i;
	return i < 0 ? VT_UNDEF : d->v[i];
}

bool
vt_dict_at(const vt_dict *d, uint32_t *pos, vt_value *key, vt_value *value)
{
	if (d->shape) {
		if (*pos >= d->n)
			return false;
		*key = vt_mkptr(d->shape->key[*pos]);
		*value = d->v[(*pos)++];
		return true;
	}
	while (*pos < d->used && d->e[*pos].key == VT_UNDEF)
		++*pos;
	if (*pos >= d->used)
		return false;
	*key = d->e[*pos].key;
	*value = d->e[(*pos)++].value;
	return true;
}

/* ---- writing ------------------------------------------------------------------------------------------------- */

static void
stain(vt_dict *d, vt_value key, vt_value value)
{
	if ((d->h.flags & VT_F_FINAL) && (!vt_is_final(key) || !vt_is_final(value)))
		d->h.flags &= (uint8_t)~VT_F_FINAL;
}

static void
room_for_value(vt_dict *d)
{
	uint32_t cap = d->cap < 4 ? 8 : d->cap * 2;
	if (d->n < d->cap)
		return;
	if (d->v == d->inl)
		d->v = memcpy(vt_xmalloc(cap * sizeof(vt_value)), d->inl, d->n * sizeof(vt_value));
	else
		d->v = vt_xrealloc(d->v, cap * sizeof(vt_value));
	d->cap = cap;
}

/* True when the shape could take the pair. */
static bool
shaped_set(vt_rt *rt, vt_dict *d, vt_value key, vt_value value)
{
	shape *longer;
	int i;
	if (!vt_is(key, STR))
		return false;
	i = shape_find(d->shape, vt_as_str(key));
	if (i >= 0) {
		vt_move(&d->v[i], vt_copy(value));
		return true;
	}
	longer = shape_add(rt->s->shapes, d->shape, vt_as_str(key));
	if (longer == NULL)
		return false;
	room_for_value(d);
	d->v[d->n++] = vt_copy(value);
	d->shape = longer;
	return true;
}

vt_status
vt_dict_set(vt_rt *rt, vt_dict *d, vt_value key, vt_value value)
{
	uint64_t hash;
	entry *e;
	if (!vt_hash_try(key, &hash))
		return vt_unhashable(rt, key);
	stain(d, key, value);
	if (d->shape) {
		if (shaped_set(rt, d, key, value))
			return VT_OK;
		unshape(d);
	}
	e = hashed_find(d, key, hash);
	if (e)
		vt_move(&e->value, vt_copy(value));
	else
		append(d, key, hash, value);
	return VT_OK;
}

void
vt_dict_set_c(vt_rt *rt, vt_dict *d, const char *key, vt_value owned)
{
	vt_value k = vt_str_c(rt, key);
	(void)vt_dict_set(rt, d, k, owned);
	vt_release(k);
	vt_release(owned);
}

bool
vt_dict_del(vt_rt *rt, vt_dict *d, vt_value key)
{
	uint64_t hash;
	entry *e;
	if (!vt_hash_try(key, &hash))
		return false;
	if (d->shape) {
		if (!vt_is(key, STR) || shape_find(d->shape, vt_as_str(key)) < 0)
			return false;
		unshape(d);
	}
	e = hashed_find(d, key, hash);
	if (e == NULL)
		return false;
	vt_clear(&e->key);
	vt_clear(&e->value);
	d->n--;
	return true;
}

static void
copy_hashed(vt_dict *c, const vt_dict *d)
{
	c->shape = NULL;
	c->e = vt_xmalloc((d->used ? d->used : 1) * sizeof(entry));
	c->cap = d->used;
	for (uint32_t i = 0; i < d->used; i++)
		if (d->e[i].key != VT_UNDEF) {
			c->e[c->used++] = d->e[i];
			vt_retain(d->e[i].key);
			vt_retain(d->e[i].value);
		}
	c->n = c->used;
	rebuild(c, c->n < SCAN ? SCAN : c->n + c->n / 2);
}

vt_dict *
vt_dict_copy(vt_rt *rt, const vt_dict *d, bool frozen)
{
	vt_dict *c = vt_dict_new_cap(rt, frozen, d->shape ? d->n + 1 : 0);
	if (frozen)
		c->h.flags |= d->h.flags & VT_F_FINAL; /* the same items are as final there */
	if (d->shape == NULL) {
		copy_hashed(c, d);
		return c;
	}
	if (d->n > c->cap) {
		c->v = vt_xmalloc(d->n * sizeof(vt_value));
		c->cap = d->n;
	}
	for (uint32_t i = 0; i < d->n; i++)
		c->v[i] = vt_copy(d->v[i]);
	c->n = d->n;
	c->shape = d->shape;
	return c;
}

vt_status
vt_dict_of(vt_rt *rt, uint32_t n, const vt_value *pairs, vt_value *out)
{
	vt_dict *d = vt_dict_new_cap(rt, true, n);
	d->h.flags |= VT_F_FINAL; /* vt_dict_set takes it back for what is not */
	for (uint32_t i = 0; i < n; i++) {
		vt_status st = vt_dict_set(rt, d, pairs[2 * i], pairs[2 * i + 1]);
		if (st != VT_OK) {
			vt_release(vt_mkptr(d));
			return st;
		}
	}
	*out = vt_mkptr(d);
	return VT_OK;
}
