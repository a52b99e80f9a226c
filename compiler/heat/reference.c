/*
 * reference.c - which resource waits for which, and that none waits for itself.
 */
#include "compiler/heat/int.h"

#include <string.h>

/* The slot of a name: where it is, or where it would be. */
static uint32_t *
slot_of(ht_template *t, const char *name)
{
	uint32_t at = (uint32_t)vc_hash(t->h->c, name, strlen(name)) & (t->nby_name - 1);
	while (t->by_name[at] && strcmp(t->resources[t->by_name[at] - 1].name, name) != 0)
		at = (at + 1) & (t->nby_name - 1);
	return &t->by_name[at];
}

static void
index_resources(ht_template *t)
{
	for (t->nby_name = 16; t->nby_name < 2 * t->nresources;)
		t->nby_name *= 2;
	t->by_name = vc_alloc(t->h->c, t->nby_name * sizeof *t->by_name);
	for (uint32_t i = 0; i < t->nresources; i++)
		*slot_of(t, t->resources[i].name) = i + 1;
}

/* All names have been found before the first one is asked for. */
ht_resource *
ht_find_resource(ht_template *t, const char *name)
{
	if (!t->by_name)
		index_resources(t);
	uint32_t i = *slot_of(t, name);
	return i ? &t->resources[i - 1] : NULL;
}

/* The resource at hand waits for it. What no branch reaches for sure makes no cycle. */
static void
wait_for(ht_template *t, const ht_resource *r)
{
	uint32_t to = (uint32_t)(r - t->resources);
	ht_resource *at = t->at;
	if (!at || t->dead || t->unsure || r->there == HT_FALSE || at->there == HT_FALSE)
		return;
	for (uint32_t i = 0; i < at->nneeds; i++)
		if (at->needs[i] == to)
			return;
	vc_push(t->h->c, at->needs, at->nneeds) = to;
}

/* Do both stand under one condition? Then one is there when the other is. */
static bool
guarded(const ht_template *t, const ht_resource *r)
{
	if (t->unsure)
		return true;
	return (t->at && t->at->condition && ht_same(t->at->condition, r->condition)) ||
	       (t->guard && ht_same(t->guard, r->condition));
}

ht_resource *
ht_refer(ht_template *t, const ynode *name)
{
	const char *text = ht_text(name);
	ht_resource *r = text ? ht_find_resource(t, text) : NULL;
	if (!r && ht_lacks(t, "resources"))
		return NULL;
	if (!r) {
		ht_report(t, VC_E2020, name->span, "there is no resource '%s'", text ? text : "");
		if (text)
			ht_hint_near(t, text, yn_get(t->doc, "resources"));
		return NULL;
	}
	if (r->there == HT_FALSE) {
		ht_report(t, VC_E2020, name->span,
			"the resource '%s' is not there: its condition is false", text);
		vc_hint(t->h->c, "put the reference under the same condition with if");
		return NULL;
	}
	if (r->condition && r->there == HT_UNKNOWN && !guarded(t, r)) {
		vc_report(t->h->c, VC_W2034, name->span,
			"the resource '%s' is there only under its condition", text);
		vc_hint(t->h->c, "put the reference under the same condition with if");
	}
	wait_for(t, r);
	return r;
}

/* ---- cycles ---- */

enum { NEW, OPEN, DONE };
typedef struct step {
	uint32_t resource, next;
} step;

/* The path from the resource on that it comes back to. */
static void
report_cycle(ht_template *t, const step *path, uint32_t n, uint32_t to)
{
	const ht_resource *r = &t->resources[to];
	vt_buf b = {0};
	uint32_t from = n - 1;
	while (path[from].resource != to)
		from--;
	for (uint32_t i = from; i < n && i < from + 8; i++)
		vt_buf_printf(&b, "%s'%.60s'", i == from ? "" : ", ",
			t->resources[path[i].resource].name);
	vt_buf_puts(&b, n > from + 8 ? "..." : "");
	vt_buf_put(&b, "", 1);
	if (from == n - 1)
		ht_report(t, VC_E2072, r->key->span, "the resource %s waits for itself", b.p);
	else
		ht_report(
			t, VC_E2072, r->key->span, "these resources wait for each other: %s", b.p);
	vt_buf_free(&b);
}

/* Depth first, with the path in a list: templates may have thousands of resources. */
static void
search(ht_template *t, uint32_t first, step *path)
{
	uint32_t n = 0;
	path[n++] = (step){first, 0};
	t->resources[first].state = OPEN;
	while (n) {
		step *s = &path[n - 1];
		ht_resource *r = &t->resources[s->resource];
		if (s->next == r->nneeds) {
			r->state = DONE;
			n--;
			continue;
		}
		uint32_t to = r->needs[s->next++];
		if (t->resources[to].state == OPEN)
			report_cycle(t, path, n, to);
		if (t->resources[to].state != NEW)
			continue;
		t->resources[to].state = OPEN;
		path[n++] = (step){to, 0};
	}
}

void
ht_check_cycles(ht_template *t)
{
	step *path = vc_alloc(t->h->c, (t->nresources + 1) * sizeof *path);
	for (uint32_t i = 0; i < t->nresources; i++)
		if (t->resources[i].state == NEW)
			search(t, i, path);
}
