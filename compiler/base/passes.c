/* passes.c - what optimisations did, for --after=NAME. */
#include "compiler/base/base.h"

#include <stdarg.h>
#include <string.h>

typedef struct note {
	const void *what;
	const char *text;
	uint32_t next;
} note;

/* By what they are about; those of one thing are chained in their order. */
struct vc_notes {
	note *v;
	uint32_t n;
	uint32_t first[4096], last[4096]; /* one up */
};

static uint32_t
bucket(const void *what)
{
	return (uint32_t)(((uintptr_t)what >> 4) * 0x9e3779b97f4a7c15u >> 52);
}

void
vc_pass_note(vc *c, int pass, const void *what, const char *fmt, ...)
{
	uint32_t b = bucket(what);
	char text[256];
	va_list ap;

	if (c->noted != pass + 1)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (c->notes == NULL)
		c->notes = vc_alloc(c, sizeof *c->notes);
	for (uint32_t k = 0; vc_pass_noted(c, what, &k) != NULL;)
		if (strcmp(c->notes->v[k - 1].text, text) == 0)
			return;
	vc_push(c, c->notes->v, c->notes->n) = (note){what, vc_strdup(c, text), 0};
	if (c->notes->last[b])
		c->notes->v[c->notes->last[b] - 1].next = c->notes->n;
	else
		c->notes->first[b] = c->notes->n;
	c->notes->last[b] = c->notes->n;
}

const char *
vc_pass_noted(vc *c, const void *what, uint32_t *k)
{
	if (c->notes == NULL)
		return NULL;
	*k = *k ? c->notes->v[*k - 1].next : c->notes->first[bucket(what)];
	while (*k && c->notes->v[*k - 1].what != what)
		*k = c->notes->v[*k - 1].next;
	return *k ? c->notes->v[*k - 1].text : NULL;
}
