/* walk.h - walks over whole values that give new ones: inside of iter.c and output.c. */
#ifndef VT_WALK_H
#define VT_WALK_H

#include "runtime/core/value.h"

/* A walk over a value that gives a new one; bounded in depth. */
typedef struct vt_walk {
	vt_rt *rt;
	const vt_unit *u;
	uint32_t depth;
	vt_status (*item)(struct vt_walk *, vt_value, vt_value *out);
	/* or NULL: the same for what is given away; then it is the way out */
	vt_status (*own)(struct vt_walk *, vt_value owned, vt_value *out);
	bool frozen;     /* what dicts become */
	bool loose_sets; /* sets become such as may change */
	bool lazy_limit; /* only iterators are limited, not what has a length */
} vt_walk;

enum { VT_LIMITED_SIZE = 232 }; /* of the generator that counts, for the quota */

vt_status vt_walk_deeper(vt_walk *); /* w->depth goes down again when that level is done */
vt_status vt_walk_items(vt_walk *, vt_value, enum vt_kind, vt_value *out);
vt_status vt_walk_dict(vt_walk *, vt_value, vt_value *out);
vt_status vt_walk_set(vt_walk *, vt_value owned_list, vt_value *out);
/* Is the value as an expression's caller gets it, or becomes so where it lies? */
bool vt_output_plain(const vt_walk *, vt_value owned);

#endif
