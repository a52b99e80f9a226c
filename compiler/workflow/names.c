/* names.c - sets of names. */
#include "compiler/workflow/int.h"

#include <string.h>

static uint32_t *
slot_of(const vc *c, const wf_names *s, const char *name)
{
	uint32_t i = (uint32_t)vc_hash(c, name, strlen(name)) & (s->nslots - 1);
	while (s->slot[i] && strcmp(s->v[s->slot[i] - 1], name) != 0)
		i = (i + 1) & (s->nslots - 1);
	return &s->slot[i];
}

static void
widen(vc *c, wf_names *s)
{
	if (s->n * 2 < s->nslots)
		return;
	s->nslots = s->nslots ? s->nslots * 2 : 16;
	s->slot = vc_alloc(c, s->nslots * sizeof *s->slot);
	for (uint32_t i = 0; i < s->n; i++)
		*slot_of(c, s, s->v[i]) = i + 1;
}

void
wf_add(vc *c, wf_names *s, const char *name)
{
	widen(c, s);
	uint32_t *slot = slot_of(c, s, name);
	if (*slot)
		return;
	vc_push(c, s->v, s->n) = name;
	*slot = s->n;
}

uint32_t
wf_find(const vc *c, const wf_names *s, const char *name)
{
	return s->nslots ? *slot_of(c, s, name) - 1 : UINT32_MAX;
}

bool
wf_has(const vc *c, const wf_names *s, const char *name)
{
	for (; s; s = s->outer)
		if (wf_find(c, s, name) != UINT32_MAX)
			return true;
	return false;
}
