/*
 * resource.c - resources and outputs.
 */
#include "compiler/heat/int.h"

#include <string.h>

/* ---- names first, so that references find them ---- */

static void
add_resource(ht_template *t, const ynode *key, const ynode *body)
{
	const char *name = ht_text(key);
	if (!name) {
		ht_report(t, VC_E2004, key->span, "the name of a resource is a string");
		vc_hint(t->h->c, "put it in quotes");
		return;
	}
	if (t->parameters && yn_key(t->parameters, name))
		ht_report(t, VC_E2009, key->span, "'%s' is a parameter and a resource", name);
	vc_push(t->h->c, t->resources, t->nresources) =
		(ht_resource){.name = name, .key = key, .body = body, .there = HT_TRUE};
}

void
ht_find_resources(ht_template *t)
{
	const ynode *y = yn_get(t->doc, "resources");
	if (!y || ht_is_null(y) || y->kind == YN_ERROR)
		return;
	if (y->kind != YN_MAP) {
		ht_report(t, VC_E2004, y->span, "resources must be a map");
		if (y->kind == YN_SEQ)
			vc_hint(t->h->c, "each has its name for a key, and no dash before it: "
					 "NAME: { type: ... }");
		return;
	}
	for (uint32_t i = 0; i < y->n; i++)
		add_resource(t, y->key[i], y->item[i]);
}

/* ---- types and conditions, before any value is looked at ---- */

static void
find_type(ht_template *t, ht_resource *r)
{
	const ynode *y = yn_get(r->body, "type");
	if (!y)
		ht_report(t, VC_E2003, r->key->span, "the resource '%s' needs a type", r->name);
	else if (!ht_text(y) && y->kind != YN_ERROR)
		ht_report(t, VC_E2004, y->span, "the type of a resource is a text");
	else if (ht_text(y))
		r->type = ht_find_type(t, y, r->name);
}

static void
prepare(ht_template *t, ht_resource *r)
{
	if (ht_is_null(r->body)) {
		ht_report(t, VC_E2003, r->key->span, "the resource '%s' needs a type", r->name);
		return;
	}
	int before = vc_errors(t->h->c);
	if (!ht_keys(t, r->body, "resource", ht_known_keys[HEAT_RESOURCE]))
		return;
	/* a misspelt `properties` lacks them all: that is one mistake */
	r->misspelt = vc_errors(t->h->c) > before && !yn_get(r->body, "properties");
	r->condition = t->release >= HT_NEWTON ? yn_get(r->body, "condition") : NULL;
	if (r->condition)
		r->there = ht_truth_of(t, r->condition);
	t->dead += r->there == HT_FALSE;
	find_type(t, r);
	t->dead -= r->there == HT_FALSE;
}

/* ---- depends_on, policies, metadata ---- */

static void
check_depends_on(ht_template *t, const ynode *y)
{
	bool list = y->kind == YN_SEQ;
	for (uint32_t i = 0; i < (list ? y->n : 1); i++) {
		const ynode *name = list ? y->item[i] : y;
		const ht_resource *r = ht_text(name) ? ht_find_resource(t, name->text) : NULL;
		if (!ht_text(name) && name->kind != YN_ERROR)
			ht_report(t, VC_E2004, name->span,
				"depends_on is the name of a resource, or a list of such");
		else if (!r || r->there == HT_TRUE) /* of one that is not there: nothing to wait */
			(void)ht_refer(t, name);
	}
}

static void
check_deletion_policy(ht_template *t, const ynode *y)
{
	static const char *const names[] = {
		"Delete", "Retain", "Snapshot", "delete", "retain", "snapshot"};
	size_t n = t->release >= HT_NEWTON ? VC_LEN(names) : 3;
	const ynode *v = ht_eval(t, y);
	for (size_t i = 0; v && ht_text(v) && i < n; i++)
		if (!strcmp(v->text, names[i]))
			return;
	if (v)
		ht_report(t, VC_E2005, y->span, "there is no deletion_policy '%s'",
			ht_text(v) ? v->text : "");
	if (v)
		vc_hint(t->h->c, "there are Delete, Retain and Snapshot%s",
			t->release >= HT_NEWTON ? "" : ", with a capital letter in this version");
}

static void
check_update_policy(ht_template *t, const ht_resource *r, const ynode *y)
{
	const ynode *v = ht_eval(t, y), *all = r->type ? r->type->update_policy : NULL;
	if (v && v->kind != YN_MAP && (v == y || !ht_is_null(v))) {
		ht_report(t, VC_E2004, y->span, "update_policy must be a map");
		return;
	}
	for (uint32_t i = 0; v && all && v->kind == YN_MAP && i < v->n; i++) {
		const char *name = ht_text(v->key[i]);
		const ynode *schema = name ? yn_get(all, name) : NULL;
		if (schema)
			ht_check_value(t, schema, v->item[i], v->key[i]->span, name);
		else
			ht_report(t, VC_E2050, v->key[i]->span, "%s has no update_policy '%s'",
				r->type->shown, name ? name : "(no string)");
	}
}

static void
check_metadata(ht_template *t, const ynode *y)
{
	const ynode *v = ht_eval(t, y);
	if (v && v->kind != YN_MAP)
		ht_report(t, VC_E2004, y->span, "metadata must be a map");
}

/* Properties may be what a function gives. */
static void
check_map(ht_template *t, const ht_type *type, const ynode *given, vc_span whole)
{
	bool is_call = false;
	const ynode *v = given && given->kind == YN_MAP ? ht_call(t, given, &is_call) : NULL;
	if (is_call && !v)
		return;
	given = is_call ? v : given;
	if (given && given->kind != YN_MAP) {
		if (given->kind != YN_ERROR)
			ht_report(t, VC_E2004, given->span, "properties must be a map");
		return;
	}
	ht_check_properties(t, type, given, whole);
}

/* ---- members of groups ---- */

/* The resource that a group makes many of: { type, properties, metadata }. */
static void
check_member(ht_template *t, const ynode *given, const char *key)
{
	const ynode *def = given && given->kind == YN_MAP ? yn_get(given, key) : NULL;
	const ynode *name = def && def->kind == YN_MAP ? yn_get(def, "type") : NULL;
	if (!ht_text(name))
		return;
	const ht_type *type = ht_find_type(t, name, NULL);
	const ynode *properties = yn_get(def, "properties");
	t->unsure++; /* references in it wait already, as values of the group */
	t->names_only = true;
	if (type && (!properties || properties->kind == YN_MAP))
		check_map(t, type, properties, name->span);
	t->names_only = false;
	t->unsure--;
}

static void
check_group(ht_template *t, const ht_resource *r, const ynode *given)
{
	if (!r->type)
		return;
	if (!strcmp(r->type->name, "OS::Heat::ResourceGroup"))
		check_member(t, given, "resource_def");
	else if (!strcmp(r->type->name, "OS::Heat::AutoScalingGroup"))
		check_member(t, given, "resource");
}

/* ---- one resource ---- */

static void
check_resource(ht_template *t, ht_resource *r)
{
	const ynode *y;
	t->at = r;
	t->dead += r->there == HT_FALSE;
	y = yn_get(r->body, "properties");
	bool outside = t->release >= HT_NEWTON && yn_get(r->body, "external_id");
	/* what stands outside of the stack has its properties already */
	check_map(t, outside || r->misspelt ? NULL : r->type, y, r->key->span);
	check_group(t, r, y);
	if ((y = yn_get(r->body, "depends_on")) != NULL)
		check_depends_on(t, y);
	if ((y = yn_get(r->body, "metadata")) != NULL)
		check_metadata(t, y);
	if ((y = yn_get(r->body, "deletion_policy")) != NULL)
		check_deletion_policy(t, y);
	if ((y = yn_get(r->body, "update_policy")) != NULL)
		check_update_policy(t, r, y);
	if ((y = yn_get(r->body, "external_id")) != NULL)
		(void)ht_eval(t, y);
	t->dead -= r->there == HT_FALSE;
	t->at = NULL;
}

void
ht_check_resources(ht_template *t)
{
	for (uint32_t i = 0; i < t->nresources; i++)
		prepare(t, &t->resources[i]);
	for (uint32_t i = 0; i < t->nresources; i++)
		if (t->resources[i].body->kind == YN_MAP)
			check_resource(t, &t->resources[i]);
}

/* ---- outputs ---- */

static bool
is_nearly_value(const ynode *output, const char *word)
{
	static const char *const value = "value";
	return !yn_key(output, value) && vt_nearest(word, &value, 1);
}

static void
check_output(ht_template *t, const ynode *key, const ynode *y)
{
	const ht_key *known = ht_known_keys[HEAT_OUTPUT];
	const char *name = ht_text(key);
	if (y->kind != YN_MAP) {
		if (y->kind != YN_ERROR)
			ht_report(t, VC_E2004, y->span, "an output must be a map");
		return;
	}
	for (uint32_t i = 0; i < y->n; i++) {
		const char *word = ht_text(y->key[i]);
		size_t k = 0;
		while (word && known[k].name && strcmp(known[k].name, word) != 0)
			k++;
		if (word && !known[k].name && is_nearly_value(y, word)) {
			ht_report(t, VC_E2003, y->key[i]->span, "the output '%s' needs a value",
				name ? name : "");
			vc_did_you_mean(t->h->c, "'%s'", "value");
			return;
		}
		if (!word || !known[k].name || known[k].from > t->release)
			vc_report_as(t->h->c, VC_WARNING, VC_E2002, y->key[i]->span,
				"an output has no key '%s', and nothing reads it",
				word ? word : "(no string)");
		if (word && (strncmp(word, "get_", 4) == 0 || strcmp(word, "str_replace") == 0))
			vc_hint(t->h->c, "value: { %s: ... }", word);
	}
	const ynode *when = t->release >= HT_NEWTON ? yn_get(y, "condition") : NULL,
		    *value = yn_get(y, "value");
	ht_truth b = when ? ht_truth_of(t, when) : HT_TRUE;
	t->dead += b == HT_FALSE;
	t->unsure += b == HT_UNKNOWN;
	if (value)
		(void)ht_eval(t, value);
	else
		ht_report(
			t, VC_E2003, key->span, "the output '%s' needs a value", name ? name : "");
	t->dead -= b == HT_FALSE;
	t->unsure -= b == HT_UNKNOWN;
}

void
ht_check_outputs(ht_template *t)
{
	t->in_outputs = !t->h->runs;
	for (uint32_t i = 0; t->outputs && i < t->outputs->n; i++)
		check_output(t, t->outputs->key[i], t->outputs->item[i]);
	t->in_outputs = false;
}
