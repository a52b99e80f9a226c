/*
 * update.c - from a service that is there to one with other inputs.
 *
 * parts.c says what a node is made of; parts that differ make a node a changed one.
 *
 * An update has two plans: what nobody wants any more is taken away, by the engine that has the
 * inputs it was made with, then the service is run as always, where the state does not count as
 * done what a change makes necessary.  A node is the same one as before when it comes from the same
 * template and has the same number, whatever it is called: web is web_0 once there are two.
 */
#include "runtime/deploy/deploy.h"
#include "runtime/tosca/mem.h"
#include "runtime/core/number.h"

#include <stdlib.h>
#include <string.h>

/* ---- which nodes are the same ---- */

static vt_value
key_of(const vt_tosca *t, const vt_tnodei *n)
{
	vt_buf b = {NULL, 0, 0};
	vt_tupdate_key(&b, t, n);
	return vt_str_take(t->rt, &b);
}

/* {key: position} */
static vt_dict *
index_nodes(const vt_tosca *t)
{
	vt_dict *d = vt_dict_new(t->rt, false);
	for (uint32_t i = 0; i < t->nnodes; i++) {
		vt_value key = key_of(t, t->nodes[i]);
		vt_dict_set(t->rt, d, key, vt_mkint(i));
		vt_release(key);
	}
	return d;
}

static vt_tnodei *
same_node(const vt_tosca *t, const vt_dict *index, const vt_tosca *of, const vt_tnodei *n)
{
	vt_value key = key_of(of, n), at = vt_dict_get(index, key);
	vt_release(key);
	return at == VT_UNDEF ? NULL : t->nodes[vt_int_clamped(at)];
}

/* Is there a relationship of that name and number, to the same node? */
static bool
is_still(const vt_tosca *t, const vt_dict *index, const vt_tosca *of, const vt_treli *r,
	const vt_tnodei *now)
{
	for (uint32_t i = 0; i < now->nrels; i++) {
		const vt_treli *k = now->rels[i];
		if (k->name == r->name && k->index == r->index)
			return k->target && k->target == same_node(t, index, of, r->target);
	}
	return false;
}

/* ---- what is taken away ---- */

/* With all that needs them, which cannot do without for a while. */
static void
spread(const vt_tosca *t, bool *again)
{
	vt_tnodei **list = vt_xmalloc((t->nnodes + 1) * sizeof(vt_tnodei *));
	uint32_t n = 0;
	for (uint32_t i = 0; i < t->nnodes; i++)
		if (again[i])
			list[n++] = t->nodes[i];
	while (n) {
		const vt_tnodei *now = list[--n];
		for (const vt_treli *r = now->in; r; r = r->next_in)
			if (!again[r->source->order]) {
				again[r->source->order] = true;
				list[n++] = r->source;
			}
	}
	free(list);
}

/* Its path, or the name of its template: all of that. */
static bool
is_named(const vt_tosca *t, const vt_tnodei *n, const char *name)
{
	vt_buf b = {NULL, 0, 0};
	vt_tosca_path(&b, t, n);
	vt_buf_putc(&b, 0);
	bool same = !strcmp(b.p, name) || !strcmp(vt_tosca_text(t, n->t->name), name);
	vt_buf_free(&b);
	return same;
}

bool *
vt_tupdate_again(const vt_tstate *s, vt_tosca *t, const vt_tparts *parts, const char *name)
{
	bool *again = vt_xmalloc(t->nnodes + 1);
	for (uint32_t i = 0; i < t->nnodes; i++)
		again[i] = name ? is_named(t, t->nodes[i], name)
				: vt_tstate_differs(s, t, t->nodes[i], parts[i].hash);
	spread(t, again);
	return again;
}

vt_tplan *
vt_tupdate_away(vt_tstate *s, vt_tosca *old, vt_tosca *t, const bool *again, char **loop)
{
	vt_tplan *p = vt_tplan_new(old, true, NULL, loop);
	vt_dict *index = index_nodes(t);
	uint32_t work = 0;
	if (p)
		vt_tstate_mark(s, p);
	for (uint32_t i = 0; p && i < p->n; i++) {
		vt_taction *a = &p->a[i];
		const vt_tnodei *now = same_node(t, index, old, a->node);
		bool keep = now && !(again && again[now->order]);
		a->off = keep && !(a->rel && !is_still(t, index, old, a->rel, now));
		if (!keep && !vt_tstate_has(s, old, a->node) && a->role != VT_TL_DELETE)
			a->off = true;
		work += !a->off &&
			(a->op ? !a->was
			       : a->role == VT_TL_DELETE && vt_tstate_knows(s, old, a->node));
	}
	vt_release(vt_mkptr(index));
	if (p && !work) {
		vt_tplan_free(p);
		return NULL;
	}
	return p;
}

/* ---- what is changed ---- */

/* Who is notified of a change may be another one after it, and passes it on. */
static void
report_sources(vt_tstate *s, vt_tosca *t)
{
	vt_tnodei **order = vt_xmalloc((t->nnodes + 1) * sizeof(vt_tnodei *));
	bool *touched = vt_xmalloc(t->nnodes + 1);
	const vt_tiface *f;
	vt_tosca_order(t, order);
	for (uint32_t i = 0; i < t->nnodes; i++)
		touched[i] = vt_tstate_update(s, t, t->nodes[i], NULL) != 0;
	for (uint32_t i = 0; i < t->nnodes; i++) {
		vt_tnodei *n = order[i];
		if (touched[n->order] || !vt_tstate_has(s, t, n))
			continue;
		for (uint32_t k = 0; k < n->nrels; k++) {
			vt_treli *r = n->rels[k];
			if (!r->target || !touched[r->target->order] ||
				!vt_tplan_op(t, n, r, VT_TL_TARGET_CHANGED, &f))
				continue;
			touched[n->order] = true;
			vt_tstate_notify(s, t, n);
			break;
		}
	}
	free(order);
	free(touched);
}

uint8_t *
vt_tupdate_begin(vt_tstate *s, vt_tosca *t, const vt_tparts *parts)
{
	uint8_t *update = vt_xmalloc(t->nnodes + 1);
	for (uint32_t i = 0; i < t->nnodes; i++)
		vt_tstate_remake(s, t, t->nodes[i], &parts[i]);
	report_sources(s, t);
	for (uint32_t i = 0; i < t->nnodes; i++)
		update[i] = vt_tstate_update(s, t, t->nodes[i], NULL);
	return update;
}
