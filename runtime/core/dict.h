/*
 * dict.h - the inner side of dict.c, for the JSON reader and writer, which make and walk
 * dictionaries without asking for each key.
 */
#ifndef VT_DICT_H
#define VT_DICT_H

#include "runtime/core/bytes.h"
#include "runtime/core/heap.h"
#include "runtime/core/value.h"

enum { VT_SHAPE_KEYS = 64, VT_SHAPE_KEY_BYTES = 64, VT_QUOTED = VT_SHAPE_KEY_BYTES + 3 };

/*
 * A list of keys.  Shapes form a tree: a key leads from a shape to a longer one.  They stay where
 * they are, unchanged but for the caches, until the session ends.
 */
typedef struct vt_shape vt_shape;
struct vt_shape {
	uint32_t n;
	uint32_t nchildren, capchildren; /* children: open addressing by the key's hash */
	uint32_t quoted_n;               /* bytes of quoted; 0: the key needs escapes */
	uint64_t seen;                   /* the bits that the hashes of its keys stand for */
	uint64_t tags;                   /* the last bytes of the first eight hashes */
	vt_shape **children;
	vt_shape *up;          /* with one key less */
	vt_shape *next;        /* all shapes of the session */
	vt_shape *hot;         /* reader: the child that was taken last */
	vt_shape *inner;       /* reader: first shape of the object that was the last key's value */
	vt_list *names;        /* the keys as a tuple; NULL until somebody asks */
	const vt_shape **path; /* writer: path[i] has i + 1 keys; NULL until somebody asks */
	uint8_t *index;        /* slot + 1 by hash; NULL for few keys; 256 entries */
	char quoted[(VT_QUOTED + 15) / 16 *
		    16];     /* the last key as JSON writes it, with quotes and colon */
	const vt_str *key[]; /* n keys; the last one is counted here, the others by ancestors */
};

typedef struct vt_table vt_table;

/* The first four fields stay where they are: emitted code may read shape and v. */
struct vt_dict {
	vt_head h;
	vt_shape *shape; /* NULL: a table */
	uint32_t n, cap; /* cap: room for values behind v */
	union {
		vt_value *v; /* in the order of the shape's keys */
		vt_table *t; /* NULL: nothing was ever put in */
	};
	vt_value inl[];
};
_Static_assert(offsetof(struct vt_dict, shape) == 8 && offsetof(struct vt_dict, v) == 24,
	"known to emitted code");
_Static_assert(offsetof(struct vt_dict, shape) == offsetof(vt_record, shape) &&
		       offsetof(struct vt_dict, v) == offsetof(vt_record, v),
	"emitted code reads a dict as vt_record");

enum { VT_DICT_INLINE = (512 - sizeof(struct vt_dict)) / sizeof(vt_value) };

/* The dict is a part of it: nothing else holds that one. */
struct vt_set {
	vt_head h;
	vt_dict d;
};

/* Puts integers and texts that know their hash into a set that needs no index yet; so many of them
 * are in there now. */
enum { VT_SET_FEW = 8 };
uint32_t vt_set_few(vt_rt *, vt_set *, uint32_t n, const vt_value *);
vt_status vt_set_add_all(vt_rt *, vt_set *, uint32_t n, const vt_value *); /* as vt_set_add */

vt_shape *vt_shape_root(vt_rt *);
/* The shape behind s whose key has these bytes, if there is one; else NULL. */
vt_shape *vt_shape_child(vt_shape *s, const char *key, size_t n, uint64_t hash);
/* The slot of a key, or -1. */
int vt_shape_slot(vt_shape *, const vt_str *key);
enum { VT_SHAPE_SCAN = 8 }; /* keys that are told apart by their tags */
/* 0x80 in the byte of each slot whose key, of so few, may have that hash. */
static inline uint64_t
vt_shape_tagged(const vt_shape *s, uint64_t hash)
{
	uint64_t some = vt_zero_bytes(s->tags ^ VT_EACH_BYTE(hash & 0xff));
	return s->n == VT_SHAPE_SCAN ? some : some & ((UINT64_C(1) << 8 * s->n) - 1);
}
/* The first slot whose key may have that hash, or one behind all: the lowest byte that seems to be
 * zero is one. */
static inline uint32_t
vt_shape_first(const vt_shape *s, uint64_t hash)
{
	uint64_t x = s->tags ^ VT_EACH_BYTE(hash & 0xff);
	uint64_t some = (x - VT_EACH_BYTE(1)) & ~x & VT_EACH_BYTE(0x80);
	return some == 0 ? UINT32_MAX : (uint32_t)__builtin_ctzll(some) >> 3;
}
/* As vt_shape_slot where the slot has this very text, which a text that was looked for before most
 * often is, as constants of a program are; -1: look. */
static inline int
vt_shape_hit(const vt_shape *s, const vt_str *key)
{
	uint32_t i = vt_shape_first(s, key->hash);
	return i < s->n && s->key[i] == key ? (int)i : -1;
}
/* As vt_shape_slot. */
static inline int
vt_shape_find(vt_shape *s, const vt_str *key)
{
	uint32_t i = vt_shape_first(s, key->hash);
	if (i < s->n && s->key[i] == key)
		return (int)i;
	if (i >= s->n && s->n <= VT_SHAPE_SCAN && key->hash != 0)
		return -1;
	return vt_shape_slot(s, key);
}
/* The shape with one key more, which s does not have, or NULL: the dictionary must have a table. */
vt_shape *vt_shape_add(vt_rt *, vt_shape *s, const vt_str *key);
/* Of keys that stand in a program: texts, each `step` words behind the one before. NULL: one comes
 * twice, or there is no such shape. */
vt_shape *vt_shape_of_keys(vt_rt *, uint32_t n, const vt_value *key, uint32_t step);
const vt_shape **vt_shape_path(vt_shape *);
/* The keys as a tuple, which lives as long as the shape. */
vt_value vt_shape_names(vt_shape *);
/* a with what b has, which wins; NULL: they are to be put together key by key. */
vt_dict *vt_dict_sum(vt_rt *, const vt_dict *a, const vt_dict *b);
/* a with that key, whose value is evaluated; NULL: it is to be copied and changed. */
vt_dict *vt_dict_with(vt_rt *, const vt_dict *a, const vt_str *key, vt_value);
/* A record, not frozen, without the members whose bits are there; NULL: it cannot be one. */
vt_dict *vt_dict_rest(vt_rt *, const vt_dict *a, uint64_t without);
/* The key in that slot of a dict with a shape, which is not borrowed, goes; false: only a table can
 * do without it. */
bool vt_dict_lose(vt_rt *, vt_dict *, uint32_t slot);
/* Puts all of b into a, as vt_dict_put does. */
void vt_dict_put_all(vt_rt *, vt_dict *a, const vt_dict *b);
/* A dictionary of that shape; its values are taken over. NULL: all are null, to be filled in. */
vt_dict *vt_dict_shaped(vt_rt *, bool frozen, vt_shape *, const vt_value *owned);
/* The same, whose values are still to be written. */
vt_dict *vt_dict_room(vt_rt *, bool frozen, vt_shape *);
/* Of a dict with a shape, which could take the pair, whose key is a text; false: it could not. */
bool vt_dict_put_shaped(vt_rt *, vt_dict *, vt_value key, vt_value value);

/* Of a dictionary with a table: where its next value is kept; NULL: there is none. */
vt_value *vt_dict_place(vt_dict *, uint32_t *pos, vt_value *key);

/*
 * A dictionary with a table, from many keys that are not looked up as they come: vt_dict_many takes
 * what a shape and its values hold so far, vt_dict_more adds, and vt_dict_done makes it a
 * dictionary as any other.  A key that came twice keeps its first place and its last value; true:
 * there was one.
 */
vt_dict *vt_dict_many(vt_rt *, bool frozen, vt_shape *, const vt_value *owned);
void vt_dict_more(vt_rt *, vt_dict *, vt_value owned_str, vt_value owned);
bool vt_dict_done(vt_rt *, vt_dict *);

/*
 * What a contract by element has found in a list or dict, so that it need not look again: classes
 * of its items in the head's aux of a TUPLE, of keys and of values (upper byte) in that of a DICT.
 * 0: nobody has looked.  Only what changes a container in place has to keep it up.
 */
enum vt_item_class {
	VT_ITEM_INT = 1,
	VT_ITEM_NULL = 2,
	VT_ITEM_BOOL = 4,
	VT_ITEM_STR = 8,
	VT_ITEM_FLOAT = 16,
	VT_ITEM_OTHER = 32 /* such a container is looked at each time */
};
static inline unsigned
vt_item_class(vt_value v)
{
	if (vt_is_int(v))
		return VT_ITEM_INT;
	if (v == VT_NULL)
		return VT_ITEM_NULL;
	if (v == VT_TRUE || v == VT_FALSE)
		return VT_ITEM_BOOL;
	if (vt_is(v, STR))
		return VT_ITEM_STR;
	return vt_is(v, FLOAT) ? VT_ITEM_FLOAT : VT_ITEM_OTHER;
}
/* The list has another item. */
static inline void
vt_note_item(vt_list *l, vt_value v)
{
	unsigned c;
	if (likely(l->h.aux == 0) || l->h.kind != VT_K_TUPLE)
		return;
	c = vt_item_class(v);
	l->h.aux = (uint16_t)(c == VT_ITEM_OTHER ? 0 : l->h.aux | c);
}

/* A copy as a tuple, with room for so many items that come, or more. */
enum { VT_LIST_ROOM = 7 };
vt_list *vt_list_to_grow(vt_rt *, const vt_list *, uint32_t room);

/* As vt_dict_set of a text that was looked for, and is not in there. */
void vt_dict_add_text(vt_rt *, vt_dict *, vt_value key, vt_value value);

/* The keys of a dict with a shape: they lie side by side there, and are texts. */
static inline const vt_value *
vt_record_keys(const vt_dict *d)
{
	return (const vt_value *)(const void *)d->shape->key;
}
/* The dict with a shape whose keys() the value is; NULL: it is something else. */
static inline const vt_dict *
vt_record_of_keys(vt_value v)
{
	const vt_view_obj *view = VT_AS(vt_view_obj, v);
	const vt_dict *d =
		vt_is(v, VIEW) && view->h.aux == VT_VIEW_KEYS ? vt_as_dict(view->dict) : NULL;

	return d != NULL && d->shape != NULL ? d : NULL;
}

/* The keys or values of a dict with a shape, for vt_spill(). */
static inline vt_values
vt_values_of_dict(const vt_dict *d, bool keys)
{
	const vt_value *v = keys ? vt_record_keys(d) : d->v;

	return (vt_values){v, d->n, !VT_ALL_LARGE && (keys || d->v == d->inl)};
}

#endif
