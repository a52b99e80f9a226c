/*
 * group.c - groups and policies.
 */
#include "compiler/tosca/render.h"

#include <string.h>

static bool
suits(render *r, uint32_t member, ty_type **targets, uint32_t n)
{
	bool group = member & VT_TMEMBER_GROUP;
	uint32_t row = member & ~VT_TMEMBER_GROUP;
	te *e = group ? r->group[row - r->group0] : r->node[row - r->node0];
	const char *name = te_str(e, "type");
	ty_type *y = name ? tn_find_type(r->u, group ? TN_GROUP : TN_NODE, name) : NULL;
	if (!y)
		return true; /* unknown, or by `copy`: said elsewhere */
	for (uint32_t i = 0; i < n; i++)
		if (ty_is(y, targets[i]))
			return true;
	return n == 0;
}

static vt_tspan
members(render *r, te *e, const char *keyname, const ty_type *y, bool groups, const char *owner)
{
	const ynode *list = te_y(e, keyname);
	uint32_t *row = NULL, n = 0;
	for (uint32_t i = 0; list && i < (list->kind == YN_SEQ ? list->n : 1); i++) {
		const ynode *item = list->kind == YN_SEQ ? list->item[i] : list;
		uint32_t member =
			groups ? render_member(r, item->text) : render_find_node(r, item->text);
		if (!member && !groups && r->u->version & (VT_TV_2_0 | VT_TV_CLOUDIFY))
			member = render_member(r, item->text);
		if (!member) {
			render_unknown_member(r, item->text, item->span, owner);
			continue;
		}
		if (!suits(r, member, y->targets, y->ntargets)) {
			vc_report(r->t->c, VC_E2054, item->span,
				"'%s' is of a type that %s does not take as a %s", item->text,
				owner, groups ? "target" : "member");
			continue;
		}
		vc_push(r->t->c, row, n) = member;
	}
	return tm_indexes(r->t->m, row, n);
}

static vt_tgroup
group_row(render *r, te *e, enum tn_section section)
{
	struct tosca *t = r->t;
	bool policy = section == TN_POLICY;
	vt_tgroup g = {.name = tm_str(t->m, e->name), .place = tm_place(t, te_span(e))};
	const char *name = te_str(e, "type");
	ty_type *y = name ? tn_type(r->u, section, name, te_y(e, "type")->span) : NULL;
	if (!name && !policy && r->u->keys & TK_A4C)
		y = tn_find_type(r->u, section, "tosca.groups.Root");
	if (!y)
		return g;
	ty_complete(y);
	g.type = tm_type_row(t, y);
	vt_ttype type = *(vt_ttype *)tm_at(t->m, TM_type, g.type);
	const char *owner = vc_format(t->c, "the %s '%s'", policy ? "policy" : "group", e->name);
	g.description = tm_text(t, e, "description");
	g.metadata = tm_metadata(t, e);
	g.props = tm_assigns(t, e, "properties", type.props, owner, !y->bad);
	g.members = members(r, e, policy ? "targets" : "members", y, policy, owner);
	tm_owner o = {r->u, e, owner, {0, 0}};
	g.ifaces = policy ? (vt_tspan){0, 0} : tm_interfaces(t, &y->ifaces, &o);
	if (policy)
		g.triggers = render_triggers(r, y, e, "triggers");
	return g;
}

void
render_groups(render *r)
{
	uint32_t n;
	for (uint32_t i = 0; i < r->ngroups; i++)
		tm_add_group(r->t->m, (vt_tgroup){0});
	for (uint32_t i = 0; i < r->ngroups; i++) {
		vt_tgroup g = group_row(r, r->group[i], TN_GROUP);
		*(vt_tgroup *)tm_at(r->t->m, TM_group, r->group0 + i) = g;
	}
	r->row.groups = (vt_tspan){r->group0, r->ngroups};
	te **policy = te_all(r->service, "policies", &n);
	vt_tgroup *row = vc_alloc(r->t->c, (n + 1) * sizeof *row);
	for (uint32_t i = 0; i < n; i++)
		row[i] = group_row(r, policy[i], TN_POLICY);
	r->row.policies = (vt_tspan){n ? tm_count(r->t->m, TM_policy) : 0, n};
	for (uint32_t i = 0; i < n; i++)
		tm_add_policy(r->t->m, row[i]);
}
