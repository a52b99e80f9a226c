/*
 * dict.c - dictionaries in insertion order.
 *
 * Two forms.  With a shape, the keys (few, short strings) live in the shape and the dict holds only
 * values; dicts made the same way share it, and an inline cache that saw the shape knows the slot.
 * Without, entries lie in insertion order in a table, with an index of positions that is probed
 * linearly, as in CPython; up to 8 entries are scanned instead.
 *
 * Invariants: shape != NULL: v[0..n-1] are the values.  shape == NULL: t->e[0..used-1] are the
 * entries, a deleted one has key VT_UNDEF; the index, if mask is not 0, has mask + 1 > cap words, 0
 * free, else the position + 1 in the bits of mask and a part of the hash above; the positions of
 * deleted entries stay in it until the next rebuild.
 *
 * Keys can be made whose hashes meet, because constants carry hashes that are not seeded.  A table
 * where too many probes go far (crowded) becomes a keyed one: mask is 0, the hashes of its entries
 * and its index (with far + 1 words) are under a secret of its own, which lies behind the index.
 * So nobody pays for it but who looks into such a table, and its copies stay keyed.
 */
#include "runtime/core/blocks.h"
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/core/session.h"

#include <stdlib.h>
#include <string.h>

enum { SCAN = VT_SET_FEW, AGAIN = 4 };

typedef vt_shape shape;

typedef struct entry {
	uint64_t hash;
	vt_value key, value;
} entry;

/* One block: the entries, then the index, and in a keyed table the seed. */
struct vt_table {
	uint32_t used, cap, mask;
	/* plain: entries that were put far from their place; keyed: as mask, which is 0 */
	uint32_t far;
	uint32_t *index;
	entry e[];
};

/* ---- making ---- */

vt_dict *
vt_dict_new_cap(vt_rt *rt, bool frozen, uint32_t cap)
{
	vt_dict *d;
	if (cap > VT_DICT_INLINE)
		cap = VT_DICT_INLINE;
	d = vt_heap_take(rt->s->heap, sizeof *d + cap * sizeof(vt_value), VT_K_DICT,
		frozen ? VT_F_FROZEN : 0);
	d->shape = vt_shape_root(rt);
	d->n = 0;
	d->cap = cap;
	d->v = d->inl;
	return d;
}

uint32_t
vt_dict_len(const vt_dict *d)
{
	return d->n;
}

static uint32_t
used(const vt_dict *d)
{
	return d->t ? d->t->used : 0;
}

static inline void
table_free(vt_table *t)
{
	if (t != NULL && t->cap <= SCAN)
		vt_cell_free(t);
	else
		vt_block_free(t);
}

void
vt_dict_free(vt_head *h)
{
	vt_dict *d = (vt_dict *)h;
	if (h->flags & VT_F_BORROWED)
		return;
	if (d->shape != NULL) {
		for (uint32_t i = 0; i < d->n; i++)
			vt_release(d->v[i]);
		if (d->v != d->inl)
			vt_block_free(d->v);
		return;
	}
	for (uint32_t i = 0; i < used(d); i++) {
		vt_release(d->t->e[i].key);
		vt_release(d->t->e[i].value);
	}
	table_free(d->t);
}

/* ---- the hashed form ---- */

/* The low bits say where to look first, the others stand in the index to tell a key. */
static uint32_t
spread(uint64_t hash)
{
	return (uint32_t)((hash * 0x9e3779b97f4a7c15u) >> 32);
}

/* Of keys with one hash: a call, for who finds the key itself needs none. */
static __attribute__((noinline)) bool
same_key(vt_value a, vt_value b)
{
	if (vt_is(a, STR) && vt_is(b, STR))
		return vt_same_text(vt_as_str(a), vt_as_str(b));
	return a != VT_UNDEF && vt_eq(a, b);
}

static inline bool
is_entry(const entry *e, vt_value key, uint64_t hash)
{
	return e->hash == hash && (e->key == key || same_key(e->key, key));
}

static inline bool
knows_hash(vt_value key, uint64_t *hash)
{
	if (vt_is_int(key) && vt_toint(key) >= 0 && vt_toint(key) < (int64_t)1 << 60)
		*hash = (uint64_t)vt_toint(key); /* see vt_num_hash */
	else if (vt_is(key, STR) && vt_as_str(key)->hash != 0)
		*hash = vt_as_str(key)->hash;
	else
		return false;
	return true;
}

/* vt_hash_try without a call for keys that know their hash. */
static inline bool
hash_now(vt_value key, uint64_t *hash)
{
	return knows_hash(key, hash) || vt_hash_try(key, hash);
}

static bool
is_keyed(const vt_table *t)
{
	return t->mask == 0 && t->cap > SCAN && t->index != NULL;
}

static const vt_seed *
seed_of(const vt_table *t)
{
	return (const vt_seed *)(const void *)(t->index + t->far + 1);
}

static inline entry *
probe(vt_table *t, uint32_t mask, vt_value key, uint64_t hash)
{
	uint32_t h = spread(hash);
	for (uint32_t at = h & mask, word; (word = t->index[at]) != 0; at = (at + 1) & mask) {
		entry *e = &t->e[(word & mask) - 1];
		if (((word ^ h) & ~mask) == 0 && is_entry(e, key, hash))
			return e;
	}
	return NULL;
}

static inline entry *
scan_few(vt_table *t, vt_value key, uint64_t hash)
{
	for (uint32_t i = 0; i < t->used; i++)
		if (is_entry(&t->e[i], key, hash))
			return &t->e[i];
	return NULL;
}

/* Without an index of the plain hashes: few entries, or a keyed table. */
static __attribute__((noinline)) entry *
scan(vt_table *t, vt_value key, uint64_t hash)
{
	return unlikely(is_keyed(t)) ? probe(t, t->far, key, vt_hash_keyed(seed_of(t), key))
				     : scan_few(t, key, hash);
}

static inline entry *
find_in(vt_table *t, vt_value key, uint64_t hash)
{
	if (t == NULL)
		return NULL;
	if (t->mask == 0)
		return t->cap <= SCAN ? scan_few(t, key, hash) : scan(t, key, hash);
	return probe(t, t->mask, key, hash);
}

/* How far from its place the entry was put.  A key that comes and goes takes the same one again. */
static inline uint32_t
put_index(vt_table *t, uint32_t mask, uint32_t i)
{
	uint32_t h = spread(t->e[i].hash), at = h & mask, w;
	while ((w = t->index[at]) != 0 &&
		(((w ^ h) & ~mask) != 0 || t->e[(w & mask) - 1].key != VT_UNDEF))
		at = (at + 1) & mask;
	t->index[at] = (h & ~mask) | (i + 1);
	return (at - h) & mask;
}

/*
 * An entry was put FAR or more from its place, which in a table that is as full as they get happens
 * to one of a hundred.  Too far, too often, or because others have the very same hash: the keys are
 * made for it, or at least as bad.
 */
enum { FAR = 64, TOO_FAR = 512, SAME_HASH = 8 };
static __attribute__((noinline)) bool
crowded(vt_table *t, uint32_t i, uint32_t distance)
{
	uint32_t h = spread(t->e[i].hash), same = 0;
	if (distance >= TOO_FAR || ++t->far > 16 + t->used / 16)
		return true;
	for (uint32_t at = h & t->mask; distance-- > 0; at = (at + 1) & t->mask)
		same += t->e[(t->index[at] & t->mask) - 1].hash == t->e[i].hash;
	return same >= SAME_HASH;
}

/* True: the table must become a keyed one. */
static inline bool
link_entry(vt_table *t, uint32_t i)
{
	uint32_t distance = put_index(t, t->mask, i);
	return unlikely(distance >= FAR) && crowded(t, i, distance);
}

/*
 * How many words.  Where the index is a quarter full a key mostly lies in its place, so that no
 * branch of a search hangs on the data; one that is often made, or leaves the cache, is half full.
 */
static uint32_t
index_size(uint32_t cap)
{
	uint32_t size = 16, share = cap > 32 && cap <= 16384 ? 4 : 2;
	if (cap <= SCAN)
		return 0;
	while (size < (uint64_t)cap * share)
		size *= 2;
	return size;
}

static vt_table *
table_block(vt_heap *h, uint32_t cap, uint32_t size, size_t behind)
{
	size_t bytes = sizeof(vt_table) + (size_t)cap * sizeof(entry) +
		       (size_t)size * sizeof(uint32_t) + behind;
	vt_table *t = cap <= SCAN ? vt_cell_new(h, bytes) : vt_block_new(h, bytes);
	*t = (vt_table){.cap = cap, .index = (uint32_t *)(void *)(t->e + cap)};
	if (size > 0)
		memset(t->index, 0, size * sizeof(uint32_t));
	return t;
}

static __attribute__((noinline)) vt_table *
table_new(vt_heap *h, uint32_t cap)
{
	uint32_t size = index_size(cap);
	vt_table *t = table_block(h, cap, size, 0);
	t->mask = size ? size - 1 : 0;
	return t;
}

vt_dict *
vt_dict_new_table(vt_rt *rt, bool frozen, uint32_t n)
{
	vt_dict *d = vt_dict_new_hashed(rt, frozen);
	d->t = table_new(rt->s->heap, n);
	return d;
}

/* With the entries of `of`, which are moved, and a secret: its own if it has one. */
static vt_table *
keyed_table(vt_heap *h, const vt_table *of, uint32_t cap)
{
	uint32_t size = index_size(cap <= SCAN ? SCAN + 1 : cap);
	vt_seed seed = is_keyed(of) ? *seed_of(of) : vt_seed_new();
	vt_table *t = table_block(h, cap <= SCAN ? SCAN + 1 : cap, size, sizeof seed);
	t->far = size - 1;
	memcpy(t->index + size, &seed, sizeof seed);
	for (uint32_t i = 0; i < of->used; i++) {
		if (of->e[i].key == VT_UNDEF)
			continue;
		t->e[t->used] = of->e[i];
		if (!is_keyed(of))
			t->e[t->used].hash = vt_hash_keyed(&seed, of->e[i].key);
		(void)put_index(t, t->far, t->used++);
	}
	return t;
}

static __attribute__((noinline)) vt_table *
become_keyed(vt_heap *h, vt_table *t)
{
	vt_table *keyed = keyed_table(h, t, t->cap);
	vt_block_free(t);
	return keyed;
}

static __attribute__((noinline)) void
link_keyed(vt_table *t)
{
	entry *e = &t->e[t->used - 1];
	e->hash = vt_hash_keyed(seed_of(t), e->key);
	(void)put_index(t, t->far, t->used - 1);
}

/* Puts the last entry into the index; the table that has them all now. */
static inline vt_table *
link_last(vt_heap *h, vt_table *t)
{
	if (t->mask != 0)
		return unlikely(link_entry(t, t->used - 1)) ? become_keyed(h, t) : t;
	if (unlikely(is_keyed(t)))
		link_keyed(t);
	return t;
}

/* The entries in another table, with room for `cap`, without the gaps of deleted ones. */
static vt_table *
table_of(vt_heap *h, const vt_table *old, uint32_t cap)
{
	vt_table *t;
	if (unlikely(old != NULL && is_keyed(old)))
		return keyed_table(h, old, cap);
	t = table_new(h, cap);
	for (uint32_t i = 0; old != NULL && i < old->used; i++)
		if (old->e[i].key != VT_UNDEF)
			t->e[t->used++] = old->e[i];
	for (uint32_t i = 0; t->mask > 0 && i < t->used; i++)
		if (link_entry(t, i))
			return become_keyed(h, t);
	return t;
}

/* A table with room for `cap` instead of the old one. */
static void
rebuild(vt_rt *rt, vt_dict *d, uint32_t cap)
{
	vt_table *old = d->t;
	d->t = table_of(rt->s->heap, old, cap);
	table_free(old);
}

static void
append(vt_rt *rt, vt_dict *d, vt_value key, uint64_t hash, vt_value value)
{
	vt_table *t;
	if (d->t == NULL || d->t->used == d->t->cap) {
		if (d->n >= (1u << 30))
			vt_xmalloc(SIZE_MAX); /* as any lack of memory */
		rebuild(rt, d, d->n < 4 ? SCAN : d->n * 2);
	}
	t = d->t;
	t->e[t->used++] = (entry){hash, vt_copy(key), vt_copy(value)};
	d->t = link_last(rt->s->heap, t);
	d->n++;
}

/* Leaves the shape: from now on the dict has keys of its own. */
static void
unshape(vt_rt *rt, vt_dict *d)
{
	shape *s = d->shape;
	vt_value *v = d->v;
	vt_table *t = table_new(rt->s->heap, d->n < SCAN ? SCAN : d->n * 2);
	for (uint32_t i = 0; i < d->n; i++) {
		t->e[t->used++] =
			(entry){vt_str_hash(s->key[i]), vt_copy(vt_mkptr(s->key[i])), v[i]};
		t = link_last(rt->s->heap, t);
	}
	if (v != d->inl)
		vt_block_free(v);
	d->shape = NULL;
	d->t = t;
}

vt_dict *
vt_dict_many(vt_rt *rt, bool frozen, vt_shape *s, const vt_value *owned)
{
	vt_dict *d = vt_dict_new_hashed(rt, frozen);
	uint32_t cap = s->n + SCAN + 1; /* a block */
	vt_table *t = d->t = vt_block_new(rt->s->heap, sizeof *t + cap * sizeof(entry));
	*t = (vt_table){.used = s->n, .cap = cap}; /* no index: neither plain nor keyed */
	for (uint32_t i = 0; i < s->n; i++)
		t->e[i] = (entry){vt_str_hash(s->key[i]), vt_copy(vt_mkptr(s->key[i])), owned[i]};
	return d;
}

void
vt_dict_more(vt_rt *rt, vt_dict *d, vt_value key, vt_value value)
{
	vt_table *t = d->t;
	if (t->used == t->cap) {
		if (t->cap >= 1u << 30)
			vt_xmalloc(SIZE_MAX);
		t = d->t = vt_block_resize(t, sizeof *t + (size_t)t->cap * 2 * sizeof(entry));
		t->cap *= 2;
	}
	t->e[t->used++] = (entry){vt_str_hash(vt_as_str(key)), key, value};
}

bool
vt_dict_done(vt_rt *rt, vt_dict *d)
{
	enum { AHEAD = 8 };
	vt_table *old = d->t, *t = table_new(rt->s->heap, old->used ? old->used : 1);
	d->t = t;
	for (uint32_t i = 0; i < old->used; i++) {
		entry *e = &old->e[i], *first;
		if (i + AHEAD < old->used && t->mask > 0)
			__builtin_prefetch(&t->index[spread(e[AHEAD].hash) & t->mask], 1);
		first = find_in(d->t, e->key, e->hash);
		if (first != NULL) {
			vt_move(&first->value, e->value);
			vt_release(e->key);
			continue;
		}
		t->e[t->used++] = *e;
		d->t = t = link_last(rt->s->heap, t);
	}
	d->n = t->used;
	vt_block_free(old);
	return d->n < t->cap;
}

/* Places that are looked at to find the key, for tests with keys that were made to meet. */
uint32_t
vt_dict_probes(const vt_dict *d, vt_value key)
{
	uint32_t mask, h, n = 1;
	vt_table *t = d->shape ? NULL : d->t;
	if (t == NULL || (t->mask == 0 && !is_keyed(t)))
		return 1;
	mask = t->mask ? t->mask : t->far;
	h = spread(t->mask ? vt_hash(key) : vt_hash_keyed(seed_of(t), key));
	for (uint32_t at = h & mask;
		t->index[at] && !same_key(t->e[(t->index[at] & mask) - 1].key, key);
		at = (at + 1) & mask)
		n++;
	return n;
}

/* ---- reading ---- */

/* Of a text, in a table with an index.  Those with one hash are most often the same: no call. */
static inline __attribute__((always_inline)) entry *
text_entry(vt_table *t, const vt_str *key, uint64_t hash)
{
	uint32_t h = spread(hash), word;
	for (uint32_t at = h & t->mask; (word = t->index[at]) != 0; at = (at + 1) & t->mask) {
		entry *e = &t->e[(word & t->mask) - 1];
		if (((word ^ h) & ~t->mask) == 0 && e->hash == hash && vt_is(e->key, STR) &&
			vt_same_text(vt_as_str(e->key), key))
			return e;
	}
	return NULL;
}

/* Of an integer, there too.  False: there is another key that may equal it; *e NULL: none. */
static inline __attribute__((always_inline)) bool
int_entry(vt_table *t, vt_value key, entry **e)
{
	uint32_t h = spread((uint64_t)vt_toint(key)), word; /* see vt_num_hash */
	for (uint32_t at = h & t->mask; (word = t->index[at]) != 0; at = (at + 1) & t->mask)
		if (((word ^ h) & ~t->mask) == 0) {
			*e = &t->e[(word & t->mask) - 1];
			return (*e)->key == key;
		}
	*e = NULL;
	return true;
}

/* Is it an integer that is its own hash? */
static inline bool
is_hash(vt_value key)
{
	return vt_is_int(key) && (uint64_t)vt_toint(key) < (uint64_t)1 << 60;
}

static __attribute__((noinline)) vt_value
look_up(const vt_dict *d, const vt_str *key)
{
	uint64_t hash;
	entry *e;
	if (d->shape) {
		int i = vt_shape_slot(d->shape, key);
		return i < 0 ? VT_UNDEF : d->v[i];
	}
	hash = vt_str_hash(key);
	e = d->t != NULL && d->t->mask != 0 ? text_entry(d->t, key, hash)
					    : find_in(d->t, vt_mkptr(key), hash);
	return e ? e->value : VT_UNDEF;
}

static __attribute__((noinline)) vt_value
get_hashed(vt_table *t, vt_value key)
{
	uint64_t hash;
	const entry *e = hash_now(key, &hash) ? find_in(t, key, hash) : NULL;
	return e ? e->value : VT_UNDEF;
}

vt_value
vt_dict_get_str(const vt_dict *d, const vt_str *key)
{
	int i = d->shape ? vt_shape_hit(d->shape, key) : -1;
	return i < 0 ? look_up(d, key) : d->v[i];
}

vt_value
vt_dict_get(const vt_dict *d, vt_value key)
{
	entry *e;
	if (vt_is(key, STR))
		return vt_dict_get_str(d, vt_as_str(key));
	if (d->shape || d->t == NULL)
		return VT_UNDEF;
	if (d->t->mask == 0 || !is_hash(key) || !int_entry(d->t, key, &e))
		return get_hashed(d->t, key);
	return e ? e->value : VT_UNDEF;
}

static inline int
given_or(vt_value v, vt_value absent, vt_value *out)
{
	if (v == VT_UNDEF && (v = absent) == VT_UNDEF)
		return 0;
	*out = vt_copy(v);
	return 1;
}

static __attribute__((noinline)) int
get_shaped(const vt_dict *d, const vt_str *key, vt_value absent, vt_value *out)
{
	int i = vt_shape_slot(d->shape, key);
	return given_or(i < 0 ? VT_UNDEF : d->v[i], absent, out);
}

static __attribute__((noinline)) int
get_slowly(const vt_dict *d, vt_value key, vt_value absent, vt_value *out)
{
	vt_value v = vt_dict_get(d, key);
	return v == VT_UNDEF && !vt_hashable(key) ? 0 : given_or(v, absent, out);
}

static __attribute__((noinline)) int
get_of_few(const vt_dict *d, vt_value key, vt_value absent, vt_value *out)
{
	const vt_table *t = d->shape == NULL ? d->t : NULL;
	uint64_t hash;
	if (unlikely(t == NULL || t->cap > SCAN || !knows_hash(key, &hash)))
		return get_slowly(d, key, absent, out);
	for (uint32_t i = 0; i < t->used; i++)
		if (t->e[i].hash == hash)
			return t->e[i].key == key ? given_or(t->e[i].value, VT_UNDEF, out)
						  : get_slowly(d, key, absent, out);
	return given_or(absent, VT_UNDEF, out);
}

/* In a table with an index, without a call for a key that is there itself. */
int
vt_get_in_place(vt_value dict, vt_value key, vt_value absent, vt_value *out)
{
	const vt_dict *d = vt_as_dict(dict);
	vt_table *t = d->shape == NULL ? d->t : NULL;
	uint64_t hash;
	uint32_t h, word;
	if (d->shape != NULL && vt_is(key, STR)) {
		int i = vt_shape_hit(d->shape, vt_as_str(key));
		if (unlikely(i < 0))
			return get_shaped(d, vt_as_str(key), absent, out);
		*out = vt_copy(d->v[i]);
		return 1;
	}
	if (unlikely(t == NULL || t->mask == 0 || !knows_hash(key, &hash)))
		return get_of_few(d, key, absent, out);
	h = spread(hash);
	for (uint32_t at = h & t->mask; (word = t->index[at]) != 0; at = (at + 1) & t->mask) {
		const entry *e = &t->e[(word & t->mask) - 1];
		if (((word ^ h) & ~t->mask) != 0)
			continue;
		if (e->key != key)
			return get_slowly(d, key, absent, out);
		*out = vt_copy(e->value);
		return 1;
	}
	return given_or(absent, VT_UNDEF, out);
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
	while (*pos < used(d) && d->t->e[*pos].key == VT_UNDEF)
		++*pos;
	if (*pos >= used(d))
		return false;
	*key = d->t->e[*pos].key;
	*value = d->t->e[(*pos)++].value;
	return true;
}

vt_value *
vt_dict_place(vt_dict *d, uint32_t *pos, vt_value *key)
{
	d->h.aux = 0;
	while (*pos < used(d) && d->t->e[*pos].key == VT_UNDEF)
		++*pos;
	if (*pos >= used(d))
		return NULL;
	*key = d->t->e[*pos].key;
	return &d->t->e[(*pos)++].value;
}

static inline vt_value
view_item(vt_rt *rt, enum vt_view what, vt_value key, vt_value value)
{
	return what == VT_VIEW_ITEMS ? vt_pair_of(rt->s->heap, key, value)
				     : vt_copy(what == VT_VIEW_KEYS ? key : value);
}

uint32_t
vt_dict_read(
	vt_rt *rt, const vt_dict *d, enum vt_view what, uint32_t *pos, uint32_t room, vt_value *out)
{
	enum { AHEAD = 8 };
	uint32_t n = 0, i = *pos;
	if (d->shape != NULL) {
		const vt_value *from = d->v;
		if (what == VT_VIEW_KEYS)
			from = vt_record_keys(d);
		for (; what != VT_VIEW_ITEMS && n < room && i < d->n; i++)
			out[n++] = vt_copy(from[i]);
		for (; n < room && i < d->n; i++)
			out[n++] = vt_pair_of(rt->s->heap, vt_mkptr(d->shape->key[i]), d->v[i]);
		*pos = i;
		return n;
	}
	for (; n < room && i < used(d); i++) {
		const entry *e = &d->t->e[i];
		if (e->key == VT_UNDEF)
			continue;
		if (i + AHEAD < used(d) && what != VT_VIEW_VALUES)
			__builtin_prefetch((const char *)(uintptr_t)e[AHEAD].key);
		if (i + AHEAD < used(d) && what != VT_VIEW_KEYS)
			__builtin_prefetch((const char *)(uintptr_t)e[AHEAD].value);
		out[n++] = view_item(rt, what, e->key, e->value);
	}
	*pos = i;
	return n;
}

void
vt_dict_warm(const vt_dict *d, uint32_t n, const vt_value *key)
{
	enum { BIG = 512, MOST = 64 };
	const vt_table *t = d->shape == NULL ? d->t : NULL;
	uint32_t at[MOST], m = 0;
	if (t == NULL || t->mask == 0 || t->used < BIG)
		return;
	for (uint32_t i = 0; i < n && m < MOST; i++)
		if (key[i] != VT_UNDEF && (vt_is(key[i], STR) || vt_is_int(key[i]))) {
			at[m] = spread(vt_hash(key[i])) & t->mask;
			__builtin_prefetch(&t->index[at[m++]]);
		}
	for (uint32_t i = 0; i < m; i++) {
		at[i] = t->index[at[i]] & t->mask;
		__builtin_prefetch(&t->e[at[i] - (at[i] > 0)]);
	}
	for (uint32_t i = 0; i < m; i++) {
		const entry *e = &t->e[at[i] - (at[i] > 0)];
		__builtin_prefetch((const char *)(uintptr_t)e->key);
		__builtin_prefetch((const char *)(uintptr_t)e->value);
	}
}

/* ---- writing ---- */

static inline void
stain(vt_dict *d, vt_value key, vt_value value)
{
	if ((d->h.flags & VT_F_FINAL) && (!vt_is_final(key) || !vt_is_final(value)))
		d->h.flags &= (uint8_t)~VT_F_FINAL;
}

/* The dict has another value at the key: see vt_item_class. */
static inline void
note_pair(vt_dict *d, vt_value key, vt_value value)
{
	unsigned k, v;
	if (likely(d->h.aux == 0))
		return;
	k = vt_item_class(key);
	v = vt_item_class(value);
	d->h.aux = (uint16_t)((k | v) & VT_ITEM_OTHER ? 0 : d->h.aux | k | v << 8);
}

/* e: what is there at the key, or NULL. */
static inline vt_status
put_at(vt_rt *rt, vt_dict *d, entry *e, vt_value key, uint64_t hash, vt_value value)
{
	if (e != NULL)
		vt_move(&e->value, vt_copy(value));
	else
		append(rt, d, key, hash, value);
	return VT_OK;
}

static __attribute__((noinline)) vt_status
put(vt_rt *rt, vt_dict *d, vt_value key, vt_value value)
{
	uint64_t hash;
	if (!hash_now(key, &hash))
		return vt_unhashable(rt, key);
	note_pair(d, key, value);
	if (d->h.flags & VT_F_BORROWED)
		vt_settle_row(&d->h);
	if (d->shape) {
		if (vt_is(key, STR) && vt_dict_put_shaped(rt, d, key, value))
			return VT_OK;
		unshape(rt, d);
	}
	return put_at(rt, d, find_in(d->t, key, hash), key, hash, value);
}

vt_status
vt_dict_set(vt_rt *rt, vt_dict *d, vt_value key, vt_value value)
{
	vt_status st = put(rt, d, key, value);
	if (st == VT_OK)
		stain(d, key, value);
	return st;
}

void
vt_dict_add_text(vt_rt *rt, vt_dict *d, vt_value key, vt_value value)
{
	if (d->shape != NULL || (d->h.flags & VT_F_BORROWED)) {
		(void)vt_dict_set(rt, d, key, value); /* a text is hashable */
		return;
	}
	note_pair(d, key, value);
	append(rt, d, key, vt_str_hash(vt_as_str(key)), value);
	stain(d, key, value);
}

bool
vt_dict_del(vt_rt *rt, vt_dict *d, vt_value key)
{
	uint64_t hash;
	entry *e;
	if (!vt_hash_try(key, &hash))
		return false;
	if (d->h.flags & VT_F_BORROWED)
		vt_settle_row(&d->h);
	if (d->shape) {
		if (!vt_is(key, STR) || vt_shape_find(d->shape, vt_as_str(key)) < 0)
			return false;
		unshape(rt, d);
	}
	e = find_in(d->t, key, hash);
	if (e == NULL)
		return false;
	vt_clear(&e->key);
	vt_clear(&e->value);
	d->n--;
	return true;
}

/*
 * A value that nobody else holds grows.  Its keys are data rather than names, so past a few of them
 * it leaves the tree of shapes at once.
 */
enum { FEW_KEYS = 16 };
static __attribute__((noinline)) vt_status
put_otherwise(vt_rt *rt, vt_dict *d, vt_value key, vt_value value)
{
	uint64_t hash;
	bool named = d->shape && vt_is(key, STR);
	if (d->shape == NULL && d->h.aux == 0 && d->t != NULL && d->t->cap <= SCAN &&
		knows_hash(key, &hash))
		return put_at(rt, d, scan_few(d->t, key, hash), key, hash, value);
	if (named && !(d->h.flags & VT_F_BORROWED) && d->h.aux == 0) {
		int i = vt_shape_find(d->shape, vt_as_str(key));
		if (i >= 0) {
			vt_move(&d->v[i], vt_copy(value));
			return VT_OK;
		}
	}
	if (named && d->n >= FEW_KEYS && vt_shape_find(d->shape, vt_as_str(key)) < 0) {
		if (d->h.flags & VT_F_BORROWED)
			vt_settle_row(&d->h);
		unshape(rt, d);
	}
	return put(rt, d, key, value);
}

vt_status
vt_dict_put(vt_rt *rt, vt_dict *d, vt_value key, vt_value value)
{
	entry *e;
	uint64_t hash;
	if (d->shape != NULL && d->n < FEW_KEYS && vt_is(key, STR) && d->h.aux == 0 &&
		!(d->h.flags & VT_F_BORROWED))
		return vt_dict_put_shaped(rt, d, key, value) ? VT_OK : put(rt, d, key, value);
	if (d->shape != NULL || d->h.aux != 0 || d->t == NULL || d->t->mask == 0 ||
		!knows_hash(key, &hash))
		return put_otherwise(rt, d, key, value);
	if (vt_is(key, STR))
		e = text_entry(d->t, vt_as_str(key), hash);
	else if (!int_entry(d->t, key, &e))
		return put_otherwise(rt, d, key, value);
	return put_at(rt, d, e, key, hash, value);
}

vt_value *
vt_dict_slot(vt_dict *d, vt_value key)
{
	uint64_t hash;
	entry *e;
	int at;
	d->h.aux = 0;
	if (d->h.flags & VT_F_BORROWED)
		vt_settle_row(&d->h);
	if (d->shape) {
		at = vt_is(key, STR) ? vt_shape_find(d->shape, vt_as_str(key)) : -1;
		return at < 0 ? NULL : &d->v[at];
	}
	if (!vt_hash_try(key, &hash))
		return NULL;
	e = find_in(d->t, key, hash);
	return e ? &e->value : NULL;
}

/* Entries of a copy with the same index; 0: that is too short, has gaps, or knows a secret. */
static uint32_t
room_of_copy(const vt_dict *d)
{
	const vt_table *t = d->t;
	uint32_t most = t != NULL ? (t->mask + 1) / 2 : 0, cap = d->n + d->n / 2;
	if (most == 0 || t->used != d->n || t->cap <= SCAN || d->n < t->cap / 4)
		return 0;
	cap = d->n < t->cap ? t->cap : cap < most ? cap : most;
	return d->n < t->cap || cap > d->n + d->n / 8 ? cap : 0;
}

static vt_table *
table_copy(vt_heap *h, const vt_table *t, uint32_t cap)
{
	size_t size = t->mask + 1;
	vt_table *c = vt_block_new(h, sizeof *t + cap * sizeof(entry) + size * sizeof(uint32_t));
	memcpy(c, t, sizeof *t + t->used * sizeof(entry));
	c->cap = cap;
	c->index = (uint32_t *)(void *)(c->e + cap);
	memcpy(c->index, t->index, size * sizeof(uint32_t));
	return c;
}

static void
copy_hashed(vt_rt *rt, vt_dict *c, const vt_dict *d)
{
	uint32_t room = room_of_copy(d);
	vt_table *t = room ? table_copy(rt->s->heap, d->t, room)
			   : table_of(rt->s->heap, d->t, d->n < SCAN ? SCAN : d->n + d->n / 2);
	for (uint32_t i = 0; i < t->used; i++) {
		vt_retain(t->e[i].key);
		vt_retain(t->e[i].value);
	}
	c->shape = NULL;
	c->n = t->used;
	c->t = t;
}

vt_dict *
vt_dict_copy(vt_rt *rt, const vt_dict *d, bool frozen)
{
	vt_dict *c = vt_dict_new_cap(rt, frozen, d->shape ? d->n + 1 : 0);
	if (frozen)
		c->h.flags |= d->h.flags & VT_F_FINAL; /* the same items are as final there */
	if (d->shape == NULL) {
		copy_hashed(rt, c, d);
		return c;
	}
	if (d->n > c->cap) {
		c->v = vt_block_new(rt->s->heap, d->n * sizeof(vt_value));
		c->cap = d->n;
	}
	for (uint32_t i = 0; i < d->n; i++)
		c->v[i] = vt_copy(d->v[i]);
	c->n = d->n;
	c->shape = d->shape;
	return c;
}

/* ---- sets: a hashed dictionary whose values are null; final while all its members are ---- */

/* Has the set the entry's key?  A plain table knows the hashes of its keys. */
static inline entry *
same_member(const vt_table *t, const entry *e, const vt_set *s)
{
	uint64_t hash = e->hash;
	if (unlikely(is_keyed(t)))
		(void)hash_now(e->key, &hash); /* a member: it can be hashed */
	return find_in(s->d.t, e->key, hash);
}

/* What becomes of the entry: a member, or VT_UNDEF.  Of what both sets have, Python takes the
 * members of the smaller one, where 1 and 1.0 are the same. */
static inline vt_value
taken(const vt_table *t, const entry *e, const vt_set *filter, bool wanted, bool theirs)
{
	const entry *other = e->key != VT_UNDEF && filter ? same_member(t, e, filter) : NULL;
	if (filter != NULL && wanted != (other != NULL))
		return VT_UNDEF;
	return theirs && other != NULL ? other->key : e->key;
}

/* So few members that they need no index, into a set that has none. */
static void
take_few(vt_rt *rt, vt_dict *to, const vt_table *from, const vt_set *filter, bool wanted,
	bool theirs)
{
	vt_table *t = to->t = table_new(rt->s->heap, SCAN);
	for (uint32_t i = 0; i < from->used; i++) {
		const entry *e = &from->e[i];
		vt_value key = taken(from, e, filter, wanted, theirs);
		if (key != VT_UNDEF)
			t->e[t->used++] = (entry){e->hash, vt_copy(key), VT_NULL};
	}
	to->n = t->used;
}

void
vt_set_take(vt_rt *rt, vt_set *to, const vt_set *from, const vt_set *filter, bool wanted)
{
	const vt_table *t = from->d.t;
	bool fresh = vt_set_len(to) == 0;
	bool theirs = wanted && filter != NULL && vt_set_len(filter) <= vt_set_len(from);
	to->h.flags &= (from->h.flags & (theirs ? filter : from)->h.flags) | (uint8_t)~VT_F_FINAL;
	if (to->d.t == NULL && t != NULL && t->used <= SCAN && !is_keyed(t)) {
		take_few(rt, &to->d, t, filter, wanted, theirs);
		return;
	}
	for (uint32_t i = 0; t != NULL && i < t->used; i++) {
		const entry *e = &t->e[i];
		vt_value key = taken(t, e, filter, wanted, theirs);
		if (key == VT_UNDEF)
			continue;
		if (unlikely(is_keyed(t)))
			(void)vt_set_add(rt, to, key);
		else if (fresh || find_in(to->d.t, key, e->hash) == NULL)
			append(rt, &to->d, key, e->hash, VT_NULL);
	}
}

uint32_t
vt_set_few(vt_rt *rt, vt_set *s, uint32_t n, const vt_value *v)
{
	vt_table *t = s->d.t != NULL ? s->d.t : (s->d.t = table_new(rt->s->heap, SCAN));
	uint64_t hash;
	uint32_t i = 0;
	for (; i < n && t->cap == SCAN && t->used < SCAN && hash_now(v[i], &hash); i++)
		if (scan_few(t, v[i], hash) == NULL) {
			t->e[t->used++] = (entry){hash, vt_copy(v[i]), VT_NULL};
			s->d.n++;
		}
	return i;
}

bool
vt_set_within(const vt_set *x, const vt_set *y)
{
	const vt_table *t = x->d.t;
	if (vt_set_len(x) > vt_set_len(y))
		return false;
	for (uint32_t i = 0; t != NULL && i < t->used; i++) {
		const entry *e = &t->e[i];
		if (e->key != VT_UNDEF && same_member(t, e, y) == NULL)
			return false;
	}
	return true;
}

/* For debuggers: VT_LAYOUT. */
static const uint32_t vt_layout_dict[] VT_LAYOUT = {offsetof(vt_dict, shape), offsetof(vt_dict, n),
	offsetof(vt_dict, v), offsetof(vt_shape, key), offsetof(vt_table, used),
	offsetof(vt_table, e), sizeof(entry), offsetof(entry, key), offsetof(entry, value)};
