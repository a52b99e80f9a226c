/*
 * kind.h - what values of the kinds do that other rooms own: a row a kind.  link/kinds.c has the
 * table, because it names functions of all rooms.  What core's own kinds do is in value.c and
 * hash.c.
 */
#ifndef VT_CORE_KIND_H
#define VT_CORE_KIND_H

#include "runtime/core/base.h"
#include "runtime/core/siphash.h"
#include "runtime/core/value.h"
#include "vt.h"

#include <stdbool.h>

/* A member that is NULL: nothing to free; equal when identical; hashed by address; shown as an
 * object at an address; not iterable here. */
typedef struct vt_kind_ops {
	void (*free)(vt_head *);               /* releases what it holds; all kinds have it here */
	bool (*equal)(vt_value a, vt_value b); /* both of this kind */
	uint64_t (*hash)(vt_value, const vt_seed *);
	void (*repr)(vt_buf *, vt_value);          /* Python's repr() */
	void (*json)(vt_rt *, vt_buf *, vt_value); /* as the answers of sessions have it */
	void (*label)(vt_buf *, vt_value);         /* what messages call it: the id of an object */
	vt_status (*iterate)(vt_rt *, vt_value, vt_value *iter);
} vt_kind_ops;

extern const vt_kind_ops vt_kinds[VT_K_COUNT];

/* HOST with this aux is an object of a program in C that embeds the runtime (libvetro); with any
 * other it is one of Lua.  A member that is NULL: as an object of which nothing is known. */
enum { VT_HOST_FOREIGN = 0x100 };
typedef struct vt_foreign_ops {
	const char *(*type)(void *user); /* the name that messages show */
	bool (*equal)(void *a, void *b);
	bool (*hash)(void *user, uint64_t *hash); /* false: it cannot be hashed */
	void (*text)(void *user, bool repr, vt_buf *);
	bool (*truth)(void *user);
	void (*drop)(void *user);
	/* What expressions see of it.  *done false: nothing, they go on as without. */
	vt_status (*get)(vt_rt *, void *user, const char *name, vt_value *out, bool *done);
	vt_status (*item)(vt_rt *, void *user, vt_value key, vt_value *out);
	bool (*has_methods)(void *user); /* then it has no functions but these */
	vt_status (*send)(vt_rt *, void *user, const char *name, uint32_t n, const vt_value *args,
		vt_value kwargs, vt_value *out);
	bool (*has_items)(void *user);                             /* then it is a collection */
	vt_status (*iterate)(vt_rt *, void *user, vt_value *iter); /* anew each time */
} vt_foreign_ops;
typedef struct vt_foreign {
	vt_head h;
	const vt_foreign_ops *ops;
	void *user;
} vt_foreign;
/* The object, or NULL: the value is none. */
static inline const vt_foreign *
vt_foreign_of(vt_value v)
{
	const vt_head *h = vt_is_ptr(v) ? (const vt_head *)(uintptr_t)v : NULL;

	return h != NULL && h->kind == VT_K_HOST && h->aux == VT_HOST_FOREIGN
		       ? (const vt_foreign *)(const void *)h
		       : NULL;
}

/* Two values with one tag are alike to every type of the registry; a tag has VT_TAG_BITS bits. */
enum { VT_TAG_BITS = 6, VT_TAG_DATE = 14, VT_TAG_NAIVE = 15, VT_TAG_KINDS = 16 };
uint64_t vt_tag_of_kind(vt_value v); /* of a pointer */
static inline uint64_t
vt_tag_of(vt_value v)
{
	if (vt_is_int(v))
		return 1;
	if (!vt_is_ptr(v))
		return vt_is_float_word(v) ? VT_TAG_KINDS + VT_K_FLOAT
		       : vt_is_bool(v)     ? 2
		       : v == VT_NULL      ? 3
					   : 4;
	if (likely(vt_head_of(v)->kind <= VT_K_STR))
		return VT_TAG_KINDS + vt_head_of(v)->kind;
	return vt_tag_of_kind(v);
}
enum { VT_TAG_COLLECTION = 62 }; /* vt_tag_of() one with items */
/* Is it such an object, and a collection? */
static inline bool
vt_has_items(vt_value v)
{
	const vt_foreign *f = vt_foreign_of(v);

	return f != NULL && f->ops->has_items != NULL && f->ops->has_items(f->user);
}

/* ---- timespans, which reach as far as Python's ---- */

typedef struct vt_timespan {
	vt_head h;
	int64_t days; /* as Python's: at most VT_MOST_DAYS, either way */
	int64_t us;   /* from 0 to below a day */
} vt_timespan;
enum { VT_MOST_DAYS = 999999999 };
#define VT_DAY_US INT64_C(86400000000)
__extension__ typedef __int128 vt_wide;
/* Its microseconds, which 64 bits may not hold. */
static inline vt_wide
vt_span_us(vt_value v)
{
	const vt_timespan *t = VT_AS(const vt_timespan, v);
	return (vt_wide)t->days * VT_DAY_US + t->us;
}
vt_value vt_timespan_of(vt_rt *, int64_t days, int64_t us); /* within the bounds of the type */

#endif
