/*
 * shapes.c - the tree of shapes: which keys dictionaries have that were made the same way.
 *
 * It belongs to the session and its size is bounded (MAX_SHAPES, VT_SHAPE_KEYS,
 * VT_SHAPE_KEY_BYTES): what does not fit takes the form of a table (dict.c), so input cannot make
 * it grow without end. Dicts whose keys are data (ids, paths, dates) must not fill it: where there
 * are many shapes, a key of data has one when it comes for the second time. Keys that stand in a
 * program have room of their own.
 */
#include "runtime/core/bytes.h"
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/core/session.h"

#include <stdlib.h>
#include <string.h>

/* MAX_PROBES: of the children of a shape; more come from keys that were made to meet. */
enum { MAX_SHAPES = 8192, MAX_CHILDREN = 512, MAX_PROBES = 48 };
/* From so many children of a shape on, or so many shapes, keys of data have to come twice. */
enum { MANY_SHAPES = MAX_SHAPES / 2, MANY_CHILDREN = 64, SEEN = 2048 };
enum owner { OF_DATA = 1, OF_PROGRAM = 2 }; /* times the limits */
enum { SUMS = 32 };                         /* that are remembered, each at one place */

typedef vt_shape shape;

/* What dicts of two shapes make together: `to` has the keys of the first, then what the second has
 * beside them; from[k] is whose value is at its k-th key: of the second, or of the first, which
 * stands there too. */
enum { SUM_KEYS = 16, SUM_FIRST = 255 };
typedef struct shape_sum {
	const vt_shape *a, *b;
	vt_shape *to;
	uint8_t from[SUM_KEYS];
} shape_sum;
/* Shape a without the keys whose bits are in `without`. */
typedef struct shape_rest {
	const vt_shape *a;
	uint64_t without;
	vt_shape *to;
} shape_rest;
struct vt_shapes {
	shape *root, *all;
	uint32_t count;
	shape_sum sum[SUMS];
	shape_rest rest[SUMS];
	uint32_t *seen; /* SEEN marks of keys that came once; or NULL */
};

/* What a text with this key is compared with, unless the key may be written in several ways. */
static void
quote(shape *s, const vt_str *key)
{
	if (key->bytes > VT_SHAPE_KEY_BYTES)
		return;
	for (uint32_t i = 0; i < key->bytes; i++)
		if ((unsigned char)key->s[i] < 32 || key->s[i] == '"' || key->s[i] == '\\')
			return;
	s->quoted[0] = '"';
	memcpy(s->quoted + 1, key->s, key->bytes);
	memcpy(s->quoted + 1 + key->bytes, "\":", 2);
	s->quoted_n = key->bytes + 3;
}

/* Most keys that a shape does not have are told apart by one of 64 bits. */
static inline uint64_t
seen_bit(uint64_t hash)
{
	return UINT64_C(1) << (hash >> 32 & 63);
}

static shape *
shape_new(struct vt_shapes *all, shape *parent, const vt_str *key)
{
	uint32_t n = parent ? parent->n + 1 : 0;
	shape *s = vt_xmalloc(sizeof *s + (n + VT_SPILL) * sizeof s->key[0]); /* vt_values */
	*s = (shape){.n = n, .next = all->all, .up = parent};
	if (parent) {
		memcpy(s->key, parent->key, parent->n * sizeof s->key[0]);
		s->key[n - 1] = key;
		s->seen = parent->seen | seen_bit(vt_str_hash(key));
		s->tags = parent->tags;
		if (n <= VT_SHAPE_SCAN)
			s->tags |= (vt_str_hash(key) & 0xff) << 8 * (n - 1);
		vt_retain(vt_mkptr(key));
		quote(s, key);
	}
	all->all = s;
	all->count++;
	return s;
}

struct vt_shapes *
vt_shapes_new(void)
{
	struct vt_shapes *all = vt_xmalloc(sizeof *all);
	*all = (struct vt_shapes){0};
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
		free(s->path);
		free(s->names);
		free(s);
	}
	free(all->seen);
	free(all);
}

vt_value
vt_shape_names(shape *s)
{
	if (s->names == NULL) {
		s->names = vt_xmalloc(sizeof *s->names);
		s->names->h = (vt_head){VT_IMMORTAL, VT_K_TUPLE, VT_F_FINAL, 0};
		s->names->n = s->names->cap = s->n;
		s->names->v = (vt_value *)(void *)s->key; /* nobody changes what is immortal */
	}
	return vt_mkptr(s->names);
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

static inline bool
is_key(const vt_str *of, const vt_str *key, uint64_t hash)
{
	return of == key || (vt_str_hash(of) == hash && of->bytes == key->bytes &&
				    vt_same_bytes(of->s, key->s, key->bytes));
}

static __attribute__((noinline)) int
indexed_slot(vt_shape *s, const vt_str *key)
{
	uint64_t hash = vt_str_hash(key);
	if (!(s->seen & seen_bit(hash)))
		return -1;
	if (s->index == NULL)
		build_shape_index(s);
	for (uint8_t at = (uint8_t)hash; s->index[at]; at++)
		if (is_key(s->key[s->index[at] - 1], key, hash))
			return s->index[at] - 1;
	return -1;
}

static __attribute__((noinline)) int
other_slot(const vt_shape *s, const vt_str *key, uint64_t hash)
{
	for (uint64_t t = vt_shape_tagged(s, hash); t != 0; t &= t - 1)
		if (is_key(s->key[__builtin_ctzll(t) >> 3], key, hash))
			return __builtin_ctzll(t) >> 3;
	return -1;
}

int
vt_shape_slot(vt_shape *s, const vt_str *key)
{
	uint64_t hash;
	uint32_t i;
	if (s->n > VT_SHAPE_SCAN)
		return indexed_slot(s, key);
	hash = vt_str_hash(key);
	i = vt_shape_first(s, hash);
	if (i >= s->n)
		return -1;
	return likely(is_key(s->key[i], key, hash)) ? (int)i : other_slot(s, key, hash);
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
	shape **table = vt_xzalloc(cap * sizeof(shape *));
	for (uint32_t i = 0; i < s->capchildren; i++)
		if (s->children[i])
			*child_place(table, cap, s->children[i]->key[s->n]) = s->children[i];
	free(s->children);
	s->children = table;
	s->capchildren = cap;
}

/* Has the key come below that shape before?  What came long ago is forgotten. */
static bool
seen_before(struct vt_shapes *all, const shape *s, const vt_str *key)
{
	uint64_t mix = (vt_str_hash(key) ^ (uintptr_t)s >> 4) * 0x9e3779b97f4a7c15u;
	uint32_t mark = (uint32_t)mix | 1, *at;
	if (all->seen == NULL)
		all->seen = vt_xzalloc(SEEN * sizeof *all->seen);
	at = &all->seen[mix >> 32 & (SEEN - 1)];
	if (*at == mark)
		return true;
	*at = mark;
	return false;
}

static bool
has_room(struct vt_shapes *all, const shape *s, const vt_str *key, enum owner owner)
{
	if (s->n >= VT_SHAPE_KEYS || key->bytes > VT_SHAPE_KEY_BYTES ||
		all->count >= (uint32_t)owner * MAX_SHAPES ||
		s->nchildren >= (uint32_t)owner * MAX_CHILDREN)
		return false;
	return owner == OF_PROGRAM || (all->count < MANY_SHAPES && s->nchildren < MANY_CHILDREN) ||
	       seen_before(all, s, key);
}

/* The shape with one key more, or NULL: the dict must take the other form. */
static shape *
shape_add(struct vt_shapes *all, shape *s, const vt_str *key, enum owner owner)
{
	shape **place;
	if (s->capchildren > 0) {
		place = child_place(s->children, s->capchildren, key);
		if (*place)
			return s->hot = *place;
	}
	if (!has_room(all, s, key, owner))
		return NULL;
	if (2 * (s->nchildren + 1) > s->capchildren)
		more_children(s);
	place = child_place(s->children, s->capchildren, key);
	if ((((uint64_t)(place - s->children) - vt_str_hash(key)) & (s->capchildren - 1)) >=
		MAX_PROBES)
		return NULL;
	*place = shape_new(all, s, key);
	s->nchildren++;
	return *place;
}

vt_shape *
vt_shape_root(vt_rt *rt)
{
	return rt->s->shapes->root;
}

vt_shape *
vt_shape_add(vt_rt *rt, vt_shape *s, const vt_str *key)
{
	return shape_add(rt->s->shapes, s, key, OF_DATA);
}

vt_shape *
vt_shape_of_keys(vt_rt *rt, uint32_t n, const vt_value *key, uint32_t step)
{
	vt_shape *s = vt_shape_root(rt);
	for (uint32_t i = 0; i < n && s != NULL; i++) {
		const vt_str *k = vt_as_str(key[(size_t)i * step]);
		s = vt_shape_find(s, k) >= 0 ? NULL : shape_add(rt->s->shapes, s, k, OF_PROGRAM);
	}
	return s;
}

vt_shape *
vt_shape_child(vt_shape *s, const char *key, size_t n, uint64_t hash)
{
	uint32_t at = (uint32_t)hash;
	for (; s->capchildren > 0; at++) {
		shape *c = s->children[at & (s->capchildren - 1)];
		const vt_str *k = c ? c->key[s->n] : NULL;
		if (c == NULL)
			break;
		if (k->bytes == n && memcmp(k->s, key, n) == 0)
			return c;
	}
	return NULL;
}

const vt_shape **
vt_shape_path(vt_shape *s)
{
	if (s->path == NULL && s->n > 0) {
		s->path = vt_xmalloc(s->n * sizeof *s->path);
		for (shape *a = s; a->n > 0; a = a->up)
			s->path[a->n - 1] = a;
	}
	return s->path;
}

vt_dict *
vt_dict_room(vt_rt *rt, bool frozen, vt_shape *s)
{
	uint32_t cap = s->n < VT_DICT_INLINE ? s->n : VT_DICT_INLINE;
	vt_dict *d = vt_heap_take(rt->s->heap, sizeof *d + cap * sizeof(vt_value), VT_K_DICT,
		frozen ? VT_F_FROZEN : 0);
	d->shape = s;
	d->n = d->cap = s->n;
	d->v = likely(s->n == cap) ? d->inl : vt_block_new(rt->s->heap, s->n * sizeof(vt_value));
	return d;
}

vt_dict *
vt_dict_shaped(vt_rt *rt, bool frozen, vt_shape *s, const vt_value *owned)
{
	vt_dict *d = vt_dict_room(rt, frozen, s);
	for (uint32_t i = 0; i < s->n; i++)
		d->v[i] = owned ? owned[i] : VT_NULL;
	return d;
}

vt_value *
vt_dict_record(vt_dict *d, uint32_t *n)
{
	if (d->h.flags & VT_F_BORROWED)
		vt_settle_row(&d->h);
	*n = d->n;
	return d->shape ? d->v : NULL;
}

vt_value
vt_dict_get_ic(const vt_dict *d, const vt_str *key, vt_ic *ic)
{
	int i;
	if (likely(d->shape != NULL && ic->key == d->shape))
		return ic->aux == 0 ? VT_UNDEF : d->v[ic->aux - 1];
	if (d->shape == NULL)
		return vt_dict_get_str(d, key);
	i = vt_shape_find(d->shape, key);
	ic->key = d->shape;
	ic->aux = (uint64_t)(i + 1);
	return i < 0 ? VT_UNDEF : d->v[i];
}

static void
room_for_value(vt_rt *rt, vt_dict *d)
{
	uint32_t cap = d->cap < 4 ? 8 : d->cap * 2;
	if (d->n < d->cap)
		return;
	if (d->v == d->inl)
		d->v = memcpy(vt_block_new(rt->s->heap, cap * sizeof(vt_value)), d->inl,
			d->n * sizeof(vt_value));
	else
		d->v = vt_block_resize(d->v, cap * sizeof(vt_value));
	d->cap = cap;
}

/* The shape with that key more: mostly the one that was taken last. */
static inline shape *
grown(vt_rt *rt, shape *s, const vt_str *key)
{
	shape *longer = s->hot;
	if (likely(longer != NULL && is_key(longer->key[s->n], key, vt_str_hash(key))))
		return longer;
	return vt_shape_add(rt, s, key);
}

/* A key that the dict has not; false: it is not for a shape. */
static bool
add_named(vt_rt *rt, vt_dict *d, const vt_str *key, vt_value value)
{
	shape *longer;
	if (unlikely(key->h.flags & VT_F_STAMP))
		return false; /* other dicts with that text are not to share the mark */
	longer = grown(rt, d->shape, key);
	if (longer == NULL)
		return false;
	room_for_value(rt, d);
	d->v[d->n++] = vt_copy(value);
	d->shape = longer;
	return true;
}

bool
vt_dict_put_shaped(vt_rt *rt, vt_dict *d, vt_value key, vt_value value)
{
	int i = vt_shape_find(d->shape, vt_as_str(key));
	if (i < 0)
		return add_named(rt, d, vt_as_str(key), value);
	vt_move(&d->v[i], vt_copy(value));
	return true;
}

/* Finds out what such a sum is; NULL: there is no such shape. */
static __attribute__((noinline)) const shape_sum *
new_sum(vt_rt *rt, shape_sum *m, vt_shape *a, const vt_shape *b)
{
	shape *to = a;
	memset(m->from, SUM_FIRST, sizeof m->from);
	m->a = NULL;
	for (uint32_t i = 0; i < b->n; i++) {
		int slot = vt_shape_find(to, b->key[i]);
		if (slot < 0 && (to = vt_shape_add(rt, to, b->key[i])) == NULL)
			return NULL;
		m->from[slot < 0 ? (int)to->n - 1 : slot] = (uint8_t)i;
	}
	m->a = a;
	m->b = b;
	m->to = to;
	return m;
}

/* Of at most SUM_KEYS keys together.  The answer holds until the next call; NULL: there is no
 * such shape. */
static inline const shape_sum *
shapes_sum(vt_rt *rt, vt_shape *a, const vt_shape *b)
{
	uintptr_t mix = ((uintptr_t)a >> 4) * 31 + ((uintptr_t)b >> 4);
	shape_sum *m = &rt->s->shapes->sum[(mix ^ mix >> 7) % SUMS];
	return likely(m->a == a && m->b == b) ? m : new_sum(rt, m, a, b);
}

vt_dict *
vt_dict_sum(vt_rt *rt, const vt_dict *a, const vt_dict *b)
{
	const shape_sum *m;
	uint32_t n;
	vt_dict *d;
	if (a->shape == NULL || b->shape == NULL || a->n + b->n > SUM_KEYS ||
		(m = shapes_sum(rt, a->shape, b->shape)) == NULL)
		return NULL;
	n = m->to->n; /* at most SUM_KEYS: they have room behind the head */
	d = vt_heap_take(rt->s->heap, sizeof *d + n * sizeof(vt_value), VT_K_DICT,
		VT_F_FROZEN | (a->h.flags & b->h.flags & VT_F_FINAL));
	d->shape = m->to;
	d->n = d->cap = n;
	d->v = d->inl;
	for (uint32_t k = 0; k < n; k++)
		d->inl[k] = vt_copy(m->from[k] == SUM_FIRST ? a->v[k] : b->v[m->from[k]]);
	return d;
}

vt_dict *
vt_dict_with(vt_rt *rt, const vt_dict *a, const vt_str *key, vt_value value)
{
	vt_shape *to = a->shape;
	vt_dict *d;
	int at;
	if (to == NULL || a->n >= SUM_KEYS || (key->h.flags & VT_F_STAMP))
		return NULL;
	at = vt_shape_find(to, key);
	if (at < 0 && (to = grown(rt, to, key)) == NULL)
		return NULL;
	d = vt_heap_take(rt->s->heap, sizeof *d + to->n * sizeof(vt_value), VT_K_DICT,
		VT_F_FROZEN | (a->h.flags & VT_F_FINAL));
	d->shape = to;
	d->n = d->cap = to->n;
	d->v = d->inl;
	for (uint32_t k = 0; k < a->n; k++)
		d->inl[k] = vt_copy((int)k == at ? value : a->v[k]);
	if (at < 0)
		d->inl[a->n] = vt_copy(value);
	return d;
}

void
vt_dict_put_all(vt_rt *rt, vt_dict *a, const vt_dict *b)
{
	const shape_sum *m = NULL;
	vt_value key, v;
	bool has_all;
	if (a->shape != NULL && b->shape != NULL && a->n + b->n <= SUM_KEYS &&
		!(a->h.flags & VT_F_BORROWED))
		m = shapes_sum(rt, a->shape, b->shape);
	has_all = m != NULL && m->to == a->shape; /* a gets other shapes below */
	for (uint32_t k = 0; has_all && k < a->n; k++)
		if (m->from[k] != SUM_FIRST)
			vt_move(&a->v[k], vt_copy(b->v[m->from[k]]));
	for (uint32_t i = 0; !has_all && vt_dict_at(b, &i, &key, &v);)
		(void)vt_dict_put(rt, a, key, v);
}

/* NULL: there is no such shape. */
static vt_shape *
shapes_rest(vt_rt *rt, const vt_shape *a, uint64_t without)
{
	uint64_t mix = ((uintptr_t)a >> 4) * 31 + without * 0x9e3779b97f4a7c15u;
	shape_rest *m = &rt->s->shapes->rest[(mix ^ mix >> 32) % SUMS];
	shape *to = vt_shape_root(rt);
	if (likely(m->a == a && m->without == without))
		return m->to;
	for (uint32_t i = 0; i < a->n && to != NULL; i++)
		if (!(without >> i & 1))
			to = vt_shape_add(rt, to, a->key[i]);
	if (to != NULL)
		*m = (shape_rest){a, without, to};
	return to;
}

/* Keys that come and go in any order would fill the tree. */
enum { SHAPES_FOR_REST = MAX_SHAPES / 8 };
bool
vt_dict_lose(vt_rt *rt, vt_dict *d, uint32_t slot)
{
	vt_shape *to = d->n <= VT_SHAPE_SCAN && rt->s->shapes->count < SHAPES_FOR_REST
			       ? shapes_rest(rt, d->shape, UINT64_C(1) << slot)
			       : NULL;
	vt_value gone;
	if (to == NULL)
		return false;
	gone = d->v[slot];
	memmove(d->v + slot, d->v + slot + 1, (--d->n - slot) * sizeof d->v[0]);
	d->shape = to;
	vt_release(gone);
	return true;
}

vt_dict *
vt_dict_rest(vt_rt *rt, const vt_dict *a, uint64_t without)
{
	shape *to = a->n > 0 && a->n <= 64 ? shapes_rest(rt, a->shape, without) : NULL;
	vt_dict *d;
	uint32_t m = 0;
	if (to == NULL)
		return NULL;
	d = vt_dict_room(rt, false, to);
	for (uint32_t i = 0; i < a->n; i++)
		if (!(without >> i & 1))
			d->v[m++] = vt_copy(a->v[i]);
	return d;
}

/* ---- sets ---- */

void
vt_set_warm(const vt_set *s, uint32_t n, const vt_value *key)
{
	vt_dict_warm(&s->d, n, key);
}

/* The member that was there first stays. */
vt_status
vt_set_add(vt_rt *rt, vt_set *s, vt_value v)
{
	if (s->d.n < VT_SET_FEW && vt_set_few(rt, s, 1, &v) == 1)
		return VT_OK;
	VT_TRY(vt_dict_set(rt, &s->d, v, VT_NULL));
	if ((s->h.flags & VT_F_FINAL) && !vt_is_final(v))
		s->h.flags &= (uint8_t)~VT_F_FINAL;
	return VT_OK;
}
