/*
 * condition.c - conditions: named ones, and expressions where one is wanted.
 *
 * Conditions are worked out with the defaults of parameters.  Where a parameter has none, both
 * answers are possible.
 */
#include "compiler/heat/int.h"

#include <string.h>

static ht_condition *
find(ht_template *t, const char *name)
{
	for (uint32_t i = 0; i < t->nconditions; i++)
		if (!strcmp(t->conditions[i].name, name))
			return &t->conditions[i];
	return NULL;
}

void
ht_find_conditions(ht_template *t)
{
	const ynode *y = yn_get(t->doc, "conditions");
	if (!y || ht_is_null(y) || t->release < HT_NEWTON)
		return;
	if (y->kind != YN_MAP) {
		ht_report(t, VC_E2004, y->span, "conditions must be a map");
		return;
	}
	for (uint32_t i = 0; i < y->n; i++) {
		const char *name = ht_text(y->key[i]);
		if (name)
			vc_push(t->h->c, t->conditions, t->nconditions) =
				(ht_condition){name, y->item[i], 0, HT_UNKNOWN};
		else
			ht_report(t, VC_E2004, y->key[i]->span,
				"the name of a condition is a string");
	}
}

static ht_truth
expression(ht_template *t, const ynode *y)
{
	bool is_call = false;
	t->in_condition++;
	const ynode *v = y->kind == YN_MAP ? ht_call(t, y, &is_call) : NULL;
	t->in_condition--;
	if (!is_call) {
		ht_report(t, VC_E2004, y->span,
			"a condition is true, false, or a function like equals, not, and, or");
		return HT_UNKNOWN;
	}
	if (!v)
		return HT_UNKNOWN;
	if (v->kind == YN_SCALAR && v->type == YT_BOOL)
		return v->i ? HT_TRUE : HT_FALSE;
	ht_report(t, VC_E2004, y->span, "the condition is neither true nor false");
	return HT_UNKNOWN;
}

/* The answer of a named condition; it is looked at once. */
static ht_truth
named(ht_template *t, ht_condition *k, vc_span at)
{
	if (k->state == 1) {
		ht_report(t, VC_E2072, at, "the condition '%s' depends on itself", k->name);
		k->truth = HT_UNKNOWN;
		k->state = 2;
		return HT_UNKNOWN;
	}
	if (k->state == 2)
		return k->truth;
	k->state = 1;
	const ynode *y = k->body;
	uint32_t dead = t->dead;
	t->dead = 0; /* each condition is looked at, whoever asks first */
	if (y->kind == YN_SCALAR && y->type == YT_BOOL)
		k->truth = y->i ? HT_TRUE : HT_FALSE;
	else if (y->kind != YN_ERROR)
		k->truth = expression(t, y);
	t->dead = dead;
	k->state = 2;
	return k->truth;
}

static ht_truth
by_name(ht_template *t, const ynode *y)
{
	const char *name = ht_text(y);
	ht_condition *k = name ? find(t, name) : NULL;
	if (k)
		return named(t, k, y->span);
	if (ht_lacks(t, "conditions"))
		return HT_UNKNOWN;
	ht_report(t, VC_E2020, y->span, "there is no condition '%s'", name ? name : "");
	ht_hint_near(t, name, yn_get(t->doc, "conditions"));
	return HT_UNKNOWN;
}

ht_truth
ht_truth_of(ht_template *t, const ynode *y)
{
	if (y->kind == YN_SCALAR && y->type == YT_BOOL)
		return y->i ? HT_TRUE : HT_FALSE;
	if (y->kind == YN_ERROR)
		return HT_UNKNOWN;
	if (ht_text(y))
		return by_name(t, y);
	return expression(t, y);
}

void
ht_check_conditions(ht_template *t)
{
	for (uint32_t i = 0; i < t->nconditions; i++)
		(void)named(t, &t->conditions[i], t->conditions[i].body->span);
}
