/*
 * index.c - names of long lists, found without walking them.
 *
 * An index belongs to a list that grows at its end; another list, or one that shrank, makes it
 * anew.  Of several entries of one name the first is found.
 */
#include "compiler/tosca/front.h"

#include <string.h>

/* Where the name is, or would be. */
static uint32_t
slot_of(const vc *c, const tosca_lookup *x, tosca_name_of *name_of, const void *ctx,
	const char *name)
{
	uint32_t at = (uint32_t)vc_hash(c, name, strlen(name)) & (x->cap - 1);
	for (;; at = (at + 1) & (x->cap - 1)) {
		const char *there = x->at[at] ? name_of(ctx, x->of, x->at[at] - 1) : NULL;
		if (!there || !strcmp(there, name))
			return at;
	}
}

static void
catch_up(vc *c, tosca_lookup *x, uint32_t n, tosca_name_of *name_of, const void *ctx)
{
	if (2 * n > x->cap) {
		x->cap = x->cap ? x->cap : 64;
		while (2 * n > x->cap)
			x->cap *= 2;
		x->at = vc_alloc(c, x->cap * sizeof *x->at);
		x->done = 0;
	}
	for (; x->done < n; x->done++) {
		const char *name = name_of(ctx, x->of, x->done);
		uint32_t at = name ? slot_of(c, x, name_of, ctx, name) : 0;
		if (name && !x->at[at])
			x->at[at] = x->done + 1;
	}
}

uint32_t
tosca_lookup_find(vc *c, tosca_lookup *x, const void *of, uint32_t n, tosca_name_of *name_of,
	const void *ctx, const char *name)
{
	if (x->of != of || x->done > n) {
		if (x->cap)
			memset(x->at, 0, x->cap * sizeof *x->at);
		x->of = of;
		x->done = 0;
	}
	catch_up(c, x, n, name_of, ctx);
	return x->cap ? x->at[slot_of(c, x, name_of, ctx, name)] : 0;
}
