/*
 * check.c - what is there against what should be: the operations of a service that look.
 *
 * An operation called `check` (Cloudify: check_drift, check_status), in whatever interface of a
 * node or of one of its relationships, says by its status whether what the state tells is so.  What
 * it finds out it gives as outputs, for attributes.  It runs for nodes that are started, all at the
 * same time, and nothing of it is written down.
 */
#include "runtime/deploy/check.h"

#include <stdlib.h>
#include <string.h>

static bool
is_check(const char *name)
{
	static const char *const names[] = {"check", "check_drift", "check_status"};
	for (size_t i = 0; i < VT_LEN(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void
add(vt_tplan *p, vt_tnodei *n, vt_treli *r, const vt_tiface *f, const vt_top *op)
{
	vt_buf label = {NULL, 0, 0};
	if (r) {
		vt_tplan_rel_name(&label, p->t, r);
		vt_buf_putc(&label, '.');
	}
	vt_buf_printf(&label, "%s.%s", vt_tosca_text(p->t, f->name), vt_tosca_text(p->t, op->name));
	vt_buf_putc(&label, 0);
	vt_tplan_add(p, (vt_taction){.node = n,
				.rel = r,
				.iface = f,
				.op = op,
				.role = VT_TL_CALL,
				.label = label.p});
}

static void
add_checks(vt_tplan *p, vt_tnodei *n, vt_treli *r)
{
	vt_tspan ifaces = vt_tplan_ifaces(p->t, n, r);
	for (uint32_t i = 0; i < ifaces.n; i++) {
		const vt_tiface *f = &p->t->m->iface[ifaces.first + i];
		for (uint32_t k = 0; k < f->ops.n; k++) {
			const vt_top *op = &p->t->m->op[f->ops.first + k];
			if (op->primary && !op->notification &&
				is_check(vt_tosca_text(p->t, op->name)))
				add(p, n, r, f, op);
		}
	}
}

static bool
is_up(vt_tstate *s, vt_tosca *t, vt_tnodei *n)
{
	char *state = vt_tstate_of(s, t, n);
	bool up = state && !strcmp(state, "started");
	free(state);
	return up;
}

vt_tplan *
vt_tcheck_plan(vt_tosca *t, vt_tstate *s)
{
	vt_tplan *p = vt_xzalloc(sizeof *p);
	p->t = t;
	for (uint32_t i = 0; i < t->nnodes; i++) {
		vt_tnodei *n = t->nodes[i];
		if (!is_up(s, t, n))
			continue;
		if (!n->inside && !(n->t->directive & VT_TN_SELECT))
			add_checks(p, n, NULL);
		for (uint32_t k = 0; k < n->nrels; k++)
			if (n->rels[k]->target)
				add_checks(p, n, n->rels[k]);
	}
	(void)vt_tplan_connect(p, NULL, 0);
	return p;
}

uint32_t
vt_tcheck_count(const vt_tplan *p, const vt_tnodei *n)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < p->n; i++)
		count += p->a[i].node == n;
	return count;
}

bool
vt_tcheck_failed(const vt_tplan *p, const vt_tnodei *n)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->a[i].node == n && p->a[i].status != VT_TW_DONE)
			return true;
	return false;
}
