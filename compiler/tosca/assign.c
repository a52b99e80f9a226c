/*
 * assign.c - values that templates assign to what their types declare.
 */
#include "compiler/tosca/front.h"

#include <string.h>

static const char *
slot_name(const void *t, const void *first, uint32_t i)
{
	struct tosca *of = (struct tosca *)(uintptr_t)t;
	return tm_text_of(of->m,
		((const vt_tslot *)tm_at(of->m, TM_slot, (uint32_t)(uintptr_t)first + i))->name);
}

static const char *
assign_name(const void *t, const void *first, uint32_t i)
{
	struct tosca *of = (struct tosca *)(uintptr_t)t;
	return tm_text_of(
		of->m, ((const vt_tassign *)tm_at(of->m, TM_assign, (uint32_t)(uintptr_t)first + i))
			       ->name);
}

static vt_tslot *
tm_find_slot(struct tosca *t, vt_tspan slots, uint32_t name, uint32_t *row)
{
	if (slots.n > TOSCA_SHORT) {
		uint32_t at =
			tosca_lookup_find(t->c, &t->slots, (const void *)(uintptr_t)slots.first,
				slots.n, slot_name, t, tm_text_of(t->m, name));
		*row = at ? slots.first + at - 1 : *row;
		return at ? tm_at(t->m, TM_slot, *row) : NULL;
	}
	for (uint32_t i = 0; i < slots.n; i++) {
		vt_tslot *s = tm_at(t->m, TM_slot, slots.first + i);
		if (s->name == name) {
			*row = slots.first + i;
			return s;
		}
	}
	return NULL;
}

static const char *
singular(const char *keyname)
{
	return !strcmp(keyname, "properties")   ? "property"
	       : !strcmp(keyname, "attributes") ? "attribute"
						: "input";
}

static void
undeclared(struct tosca *t, const te *e, const ynode *key, const char *keyname, vt_tspan slots,
	const char *owner)
{
	const char **names = NULL;
	size_t n = 0;
	for (uint32_t i = 0; i < slots.n; i++)
		vc_push(t->c, names, n) =
			tm_text_of(t->m, ((vt_tslot *)tm_at(t->m, TM_slot, slots.first + i))->name);
	vc_report(t->c, VC_E2050, key->span, "%s has no %s '%s'", owner, singular(keyname),
		key->text);
	const char *near = vt_nearest(key->text, names, n);
	if (near)
		vc_did_you_mean(t->c, "'%s'", near);
	else if (e->kind == TE_NODE && strcmp(keyname, "properties") == 0)
		th_in_capability(t->c, e, key->text);
}

/* Before 2.0 an attribute may be written with a description: { description: ..., value: ... }. */
static const ynode *
plain_value(const te *e, const char *keyname, const ynode *y)
{
	const ynode *value = y->kind == YN_MAP && !strcmp(keyname, "attributes") &&
					     !(e->unit->version & VT_TV_2_0)
				     ? yn_get(y, "value")
				     : NULL;
	return value && (y->n == 1 || (y->n == 2 && yn_get(y, "description"))) ? value : y;
}

static bool
assign(struct tosca *t, const te *e, const char *keyname, const ynode *key, const ynode *value,
	vt_tspan slots, const char *owner, vt_tassign *out)
{
	if (!te_text(key)) {
		if (key->kind != YN_ERROR)
			vc_report(
				t->c, VC_E2004, key->span, "the name of a value must be a string");
		return false;
	}
	*out = (vt_tassign){
		.name = tm_strn(t->m, key->text, key->ntext), .place = tm_place(t, key->span)};
	vt_tslot *s = tm_find_slot(t, slots, out->name, &out->slot);
	if (!s && (e->unit->version & VT_TV_HOT ||
			  (e->unit->version & VT_TV_CLOUDIFY && e->kind == TE_POLICY))) {
		out->slot = 0; /* Heat's resources and Cloudify's policies are declared elsewhere */
	} else if (!s && e->kind == TE_ARTIFACT) {
		vc_report(t->c, VC_W2009, key->span, "%s has no property '%s'; it is kept as it is",
			owner, key->text);
	} else if (!s && (e->unit->incomplete || ty_is_open(e))) {
		out->slot = 0; /* what is missing may declare it */
	} else if (!s) {
		undeclared(t, e, key, keyname, slots, owner);
		return false;
	}
	if (s && s->flags & VT_TS_FIXED) {
		vc_report(t->c, VC_E2052, key->span,
			"the %s '%s' has a fixed value: none can be assigned", singular(keyname),
			key->text);
		return false;
	}
	if (s && s->flags & VT_TS_DEPRECATED)
		vc_report(t->c, VC_W2011, key->span, "the %s '%s' of %s is deprecated",
			singular(keyname), key->text, owner);
	out->expr = tx_value(e->unit, plain_value(e, keyname, value), 0);
	return true;
}

static bool
is_assigned(struct tosca *t, vt_tspan assigned, uint32_t name)
{
	if (assigned.n > TOSCA_SHORT)
		return tosca_lookup_find(t->c, &t->assigned,
			       (const void *)(uintptr_t)assigned.first, assigned.n, assign_name, t,
			       tm_text_of(t->m, name)) != 0;
	for (uint32_t k = 0; k < assigned.n; k++)
		if (((vt_tassign *)tm_at(t->m, TM_assign, assigned.first + k))->name == name)
			return true;
	return false;
}

void
tm_missing(struct tosca *t, vt_tspan slots, vt_tspan assigned, const char *owner, const char *noun,
	vc_span at)
{
	for (uint32_t i = 0; i < slots.n; i++) {
		const vt_tslot *s = tm_at(t->m, TM_slot, slots.first + i);
		if (s->flags & VT_TS_REQUIRED && !s->dflt && !is_assigned(t, assigned, s->name))
			vc_report(t->c, tosca_may_lack(t) ? VC_W2044 : VC_E2051, at,
				"%s needs a value for the %s '%s'", owner, noun,
				tm_text_of(t->m, s->name));
	}
}

/* So many assignments need no memory of the compilation, which keeps what it gives. */
enum { FEW = 16 };

vt_tspan
tm_assigns(struct tosca *t, const te *e, const char *keyname, vt_tspan slots, const char *owner,
	bool complete)
{
	const ynode *y = te_y(e, keyname);
	vt_tassign few[FEW], *row = few;
	uint32_t n = 0, bad = 0;
	if (y && y->n > FEW)
		row = vc_alloc(t->c, y->n * sizeof *row);
	for (uint32_t i = 0; y && i < y->n; i++)
		if (assign(t, e, keyname, y->key[i], y->item[i], slots, owner, &row[n]))
			n++;
		else
			bad++;
	vt_tspan span = {tm_count(t->m, TM_assign), n};
	for (uint32_t i = 0; i < n; i++)
		tm_add_assign(t->m, row[i]);
	if (!n)
		span = (vt_tspan){0, 0};
	if (complete && !bad && !e->bad)
		tm_missing(t, slots, span, owner, singular(keyname), te_span(e));
	return span;
}
