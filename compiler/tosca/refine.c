/*
 * refine.c - what a refinement of TOSCA 2.0 may not do: add what the type at hand does not have, or
 * allow what it does not allow.
 *
 * Types of 1.x in use do both, so nobody asks that of their files.
 */
#include "compiler/tosca/front.h"

#include <string.h>

/* Is all known of the type, so that what it has not is nowhere? */
static bool
is_whole(const tosca_unit *u, const ty_type *y)
{
	return u->version & VT_TV_2_0 && !u->incomplete && y && !y->bad && !y->e->bad &&
	       ty_rooted(y);
}

void
ty_adds_none(tosca_unit *u, te *owner, const char *keyname, const ty_defs *has, const ty_type *type)
{
	uint32_t n;
	te **all = te_all(owner, keyname, &n);
	for (uint32_t i = 0; i < n && is_whole(u, type); i++) {
		if (!all[i]->name || all[i]->bad || ty_find(has, all[i]->name))
			continue;
		const char **names = NULL;
		size_t count = 0;
		for (uint32_t k = 0; k < has->n; k++)
			vc_push(u->t->c, names, count) = has->d[k]->name;
		vc_report(u->t->c, VC_E2031, te_span(all[i]),
			"'%s' has no %s '%s', and a definition cannot add one", type->name,
			te_infos[all[i]->kind].noun, all[i]->name);
		vc_note(u->t->c, te_span(type->e), "'%s' is declared here", type->name);
		const char *near = vt_nearest(all[i]->name, names, count);
		if (near)
			vc_did_you_mean(u->t->c, "'%s'", near);
		all[i]->bad = true;
	}
}

static bool
derives_from_one(const ty_type *y, ty_type *const *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (ty_is(y, list[i]))
			return true;
	return !ty_rooted(y);
}

void
ty_widens_none(
	tosca_unit *u, te *owner, const char *keyname, const ty_list *own, const ty_list *inherited)
{
	const ynode *y = te_y(owner, keyname);
	if (!(u->version & VT_TV_2_0) || !inherited->n || !y)
		return;
	for (uint32_t i = 0; i < own->n; i++)
		if (!derives_from_one(own->y[i], inherited->y, inherited->n)) {
			vc_report(u->t->c, VC_E2031, y->span,
				"'%s' is none of the types that are allowed where '%s' was "
				"declared first, nor derived from one",
				own->y[i]->name, owner->name);
			return;
		}
}

void
ty_check_triggers(const ty_type *y)
{
	uint32_t n;
	te **own = te_all(y->e, "triggers", &n);
	for (uint32_t i = 0; y->unit->version & VT_TV_2_0 && i < n; i++) {
		const te *theirs = NULL;
		const ynode *action = te_y(own[i], "action");
		if (action && action->kind != YN_SEQ && action->kind != YN_ERROR)
			vc_report(y->unit->t->c, VC_E2057, action->span,
				"the action of a trigger is a list of activities");
		for (const ty_type *p = y->parent; p && !theirs && own[i]->name; p = p->parent)
			theirs = te_named(p->e, "triggers", own[i]->name);
		if (!theirs)
			continue;
		vc_report(y->unit->t->c, VC_E2031, te_span(own[i]),
			"the trigger '%s' is inherited, and cannot be refined", own[i]->name);
		vc_note(y->unit->t->c, te_span(theirs), "it is declared here");
	}
}

/* Types that are being completed refer to each other: nothing is known of those yet. */
void
ty_can_be_met(tosca_unit *u, const te *e, const ty_def *d)
{
	if (!is_whole(u, d->node) || d->node->state != 2 || !d->type || !ty_rooted(d->type))
		return;
	for (uint32_t i = 0; i < d->node->caps.n; i++) {
		const ty_type *cap = d->node->caps.d[i]->type;
		if (!cap || ty_is(cap, d->type))
			return;
	}
	vc_report(u->t->c, VC_E2031, te_y(e, "node")->span,
		"the node type '%s' has no capability of type '%s', which the requirement asks for",
		d->node->name, d->type->name);
	vc_note(u->t->c, te_span(d->node->e), "'%s' is declared here", d->node->name);
}

void
ty_loose(tosca_unit *u, vc_span at, const char *what, const char *why)
{
	if (!(u->version & VT_TV_2_0) || u->embedded || !tosca_tells(u, what))
		return;
	vc_report(u->t->c, VC_W2047, at, "%s", why);
	vc_hint(u->t->c, "it is taken as it is; it is told once in a file");
}
