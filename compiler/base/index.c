/*
 * index.c - where each name of a list stands, so that no list is walked once for each of its names.
 */
#include "compiler/base/base.h"

#include <string.h>

/* Few names are found as fast by looking at each; nothing is made for them. */
enum { FEW = 16 };

static uint32_t
place(const vc *c, const vc_index *x, const char *const *names, const char *name)
{
	uint64_t at = vc_hash(c, name, strlen(name));

	while (x->slot[at & (x->cap - 1)] != 0 &&
		strcmp(names[x->slot[at & (x->cap - 1)] - 1], name) != 0)
		at++;
	return (uint32_t)(at & (x->cap - 1));
}

/* The first of equal names is the one that is found. */
static void
take(const vc *c, vc_index *x, const char *const *names, uint32_t i)
{
	uint32_t at = place(c, x, names, names[i]);

	if (x->slot[at] == 0)
		x->slot[at] = i + 1;
}

static void
grow(vc *c, vc_index *x, const char *const *names, uint32_t n)
{
	uint32_t done = x->n;

	if (2 * (uint64_t)n > x->cap) {
		for (x->cap = x->cap ? x->cap : 4 * FEW; x->cap < 4 * (uint64_t)n;)
			x->cap *= 2;
		x->slot = vc_alloc(c, x->cap * sizeof *x->slot);
		done = 0;
	}
	for (uint32_t i = done; i < n; i++)
		take(c, x, names, i);
	x->n = n;
}

uint32_t
vc_index_of(vc *c, vc_index *x, const char *const *names, uint32_t n, const char *name)
{
	uint32_t found;

	if (n <= FEW) {
		for (uint32_t i = 0; i < n; i++)
			if (strcmp(names[i], name) == 0)
				return i;
		return UINT32_MAX;
	}
	if (x->n < n)
		grow(c, x, names, n);
	found = x->slot[place(c, x, names, name)];
	return found != 0 ? found - 1 : UINT32_MAX;
}
