/*
 * parameter.c - parameters: their keys, defaults and constraints; groups of parameters.
 */
#include "compiler/heat/int.h"

#include "runtime/tosca/int.h"

#include <string.h>

/* schema: what a property of that kind has, where the template is nested */
static const struct kind {
	const char *name, *schema;
	enum vt_tbase base;
} kinds[] = {
	{"string", "string", VT_TB_HEAT_STRING},
	{"number", "number", VT_TB_HEAT_NUMBER},
	{"comma_delimited_list", "list", VT_TB_HEAT_LIST},
	{"json", "map", VT_TB_HEAT_JSON},
	{"boolean", "boolean", VT_TB_HEAT_BOOLEAN},
};

static const struct kind *
kind_of(const ynode *p)
{
	const char *type = ht_text(yn_get(p, "type"));
	for (size_t i = 0; type && i < VC_LEN(kinds); i++)
		if (!strcmp(kinds[i].name, type))
			return &kinds[i];
	return NULL;
}

bool
ht_is_pseudo(const char *name)
{
	static const char *const names[] = {"OS::stack_name", "OS::stack_id", "OS::project_id",
		"OS::region", "AWS::StackId", "AWS::StackName", "AWS::Region"};
	for (size_t i = 0; i < VC_LEN(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* ---- constraints ---- */

enum { NUMBERS = 1, LENGTHS = 2, TEXTS = 4, OTHERS = 8 };
static const struct rule {
	const char *name;
	uint8_t from, kinds;
} rules[] = {
	{"length", 0, LENGTHS},
	{"range", 0, NUMBERS},
	{"allowed_values", 0, NUMBERS | LENGTHS | OTHERS},
	{"allowed_pattern", 0, TEXTS},
	{"modulo", HT_OCATA, NUMBERS},
	{"custom_constraint", 0, NUMBERS | LENGTHS | OTHERS},
};

static uint8_t
kinds_of(const struct kind *k)
{
	switch (k->base) {
	case VT_TB_HEAT_NUMBER: return NUMBERS;
	case VT_TB_HEAT_STRING: return LENGTHS | TEXTS;
	case VT_TB_HEAT_LIST:
	case VT_TB_HEAT_JSON: return LENGTHS;
	default: return OTHERS;
	}
}

static const struct rule *
rule_of(const ynode *key)
{
	const char *name = ht_text(key);
	for (size_t i = 0; name && i < VC_LEN(rules); i++)
		if (!strcmp(rules[i].name, name))
			return &rules[i];
	return NULL;
}

static void
unknown_rule(ht_template *t, const ynode *key)
{
	const char *names[VC_LEN(rules)], *name = ht_text(key);
	for (size_t i = 0; i < VC_LEN(rules); i++)
		names[i] = rules[i].name;
	ht_report(
		t, VC_E2042, key->span, "there is no constraint '%s'", name ? name : "(no string)");
	const char *near = name ? vt_nearest(name, names, VC_LEN(rules)) : NULL;
	if (near)
		vc_did_you_mean(t->h->c, "'%s'", near);
}

static bool
has_other_key(ht_template *t, const ynode *y)
{
	static const char *const names[] = {"min", "max"};
	for (uint32_t i = 0; y->kind == YN_MAP && i < y->n; i++) {
		const char *key = ht_text(y->key[i]), *near = NULL;
		if (key && (!strcmp(key, "min") || !strcmp(key, "max")))
			continue;
		ht_report(t, VC_E2042, y->key[i]->span, "there are min and max, and no '%s'",
			key ? key : "(no string)");
		if (key && (near = vt_nearest(key, names, VC_LEN(names))) != NULL)
			vc_did_you_mean(t->h->c, "'%s'", near);
		return true;
	}
	return false;
}

/* { min, max } as the list that schemas have. */
static ynode *
bounds(ht_template *t, const ynode *y, bool report)
{
	vc *c = t->h->c;
	ynode *out = yn_make_list(c, y), *none = yn_make_text(c, y, "null");
	none->type = YT_NULL;
	ynode *lo = y->kind == YN_MAP ? yn_get(y, "min") : NULL,
	      *hi = y->kind == YN_MAP ? yn_get(y, "max") : NULL;
	double d;
	if (report && has_other_key(t, y))
		report = false;
	bool fits = (lo || hi) && (!lo || (lo->type != YT_STR && ht_number(lo, &d))) &&
		    (!hi || (hi->type != YT_STR && ht_number(hi, &d)));
	if (!fits && report)
		ht_report(
			t, VC_E2042, y->span, "takes { min, max }, one of them at least, numbers");
	yn_add(c, out, lo && fits ? lo : none);
	yn_add(c, out, hi && fits ? hi : none);
	return out;
}

static bool
modulo_makes_sense(const ynode *y)
{
	double step, offset;
	return y->kind == YN_MAP && ht_number(yn_get(y, "step"), &step) &&
	       ht_number(yn_get(y, "offset"), &offset) && step != 0 &&
	       (offset < 0 ? -offset : offset) < (step < 0 ? -step : step) && step * offset >= 0;
}

static void
put_rule(ht_template *t, ynode *schema, const struct rule *r, ynode *value, bool report)
{
	vc *c = t->h->c;
	const char *why = NULL;
	if (!strcmp(r->name, "length") || !strcmp(r->name, "range")) {
		yn_put(c, schema, "range", bounds(t, value, report));
		return;
	}
	if (!strcmp(r->name, "allowed_values"))
		why = value->kind == YN_SEQ ? NULL : "takes a list";
	else if (!strcmp(r->name, "modulo"))
		why = modulo_makes_sense(value)
			      ? NULL
			      : "takes { step, offset }, offset the smaller one, of the same sign";
	else
		why = ht_text(value) ? NULL : "takes a text";
	if (!why && report && !strcmp(r->name, "custom_constraint"))
		ht_custom_name(t, value);
	if (!why)
		yn_put(c, schema, !strcmp(r->name, "custom_constraint") ? "custom" : r->name,
			value);
	else if (report)
		ht_report(t, VC_E2042, value->span, "%s %s", r->name, why);
}

static void
put_constraint(ht_template *t, ynode *schema, const struct kind *kind, const ynode *y, bool report)
{
	uint32_t found = 0;
	for (uint32_t i = 0; y->kind == YN_MAP && i < y->n; i++) {
		const struct rule *r = rule_of(y->key[i]);
		const char *key = ht_text(y->key[i]);
		if (key && !strcmp(key, "description"))
			continue;
		found++;
		if (!r && report)
			unknown_rule(t, y->key[i]);
		else if (r && t->release < r->from && report)
			ht_report(t, VC_E2042, y->key[i]->span,
				"%s came with heat_template_version: ocata", r->name);
		else if (r && !(kinds_of(kind) & r->kinds) && report)
			ht_report(t, VC_E2042, y->key[i]->span,
				"%s makes no sense of a parameter of type %s", r->name, kind->name);
		else if (r && kinds_of(kind) & r->kinds)
			put_rule(t, schema, r, y->item[i], report);
	}
	if (report && y->kind != YN_ERROR && found != 1)
		ht_report(t, VC_E2042, y->span,
			"a constraint is a map of one of: length, range, "
			"allowed_values, allowed_pattern, modulo, custom_constraint");
}

ynode *
ht_parameter_schema(ht_template *t, const ynode *p, bool report)
{
	vc *c = t->h->c;
	const struct kind *kind = kind_of(p);
	ynode *schema = yn_make_map(c, p), *list = yn_get(p, "constraints"),
	      *dflt = yn_get(p, "default"), *yes = yn_make_text(c, p, "true");
	yes->type = YT_BOOL;
	yes->i = 1;
	if (!kind)
		return schema;
	/* a property of json may be a list or a text of JSON as well */
	bool any = kind->base == VT_TB_HEAT_JSON;
	yn_put(c, schema, "type", yn_make_text(c, p, any ? "any" : kind->schema));
	yn_put(c, schema, "default", dflt);
	if (!dflt || ht_is_null(dflt))
		yn_put(c, schema, "required", yes);
	if (list && list->kind != YN_SEQ && !ht_is_null(list) && report)
		ht_report(t, VC_E2042, list->span, "constraints must be a list");
	for (uint32_t i = 0; list && list->kind == YN_SEQ && i < list->n; i++)
		put_constraint(t, schema, kind, list->item[i], report);
	return schema;
}

/* ---- values ---- */

static const ynode *
converted(ht_template *t, const struct kind *kind, const ynode *y)
{
	heat *h = t->h;
	vt_value v = yn_value(h->rt, y), out = VT_UNDEF;
	bool ok = vt_tosca_heat(h->engine, kind->base, v, &out);
	const ynode *result = ok ? ht_from_value(t, y, out) : NULL;
	vt_release(v);
	vt_clear(&out);
	return result;
}

const ynode *
ht_parameter(ht_template *t, const char *name)
{
	const ynode *p = yn_get(t->parameters, name), *given = NULL;
	const struct kind *kind = p && p->kind == YN_MAP ? kind_of(p) : NULL;
	if (t->h->depth > 0) /* a property of the resource around gives it */
		return NULL;
	given = ht_given(t->h, name);
	const ynode *y = given ? given : kind ? yn_get(p, "default") : NULL;
	return kind && y && !ht_is_null(y) && y->kind != YN_ERROR ? converted(t, kind, y) : NULL;
}

bool
ht_is_complete(ht_template *t)
{
	for (uint32_t i = 0; t->parameters && i < t->parameters->n; i++) {
		const char *name = ht_text(t->parameters->key[i]);
		const ynode *p = t->parameters->item[i],
			    *dflt = p->kind == YN_MAP ? yn_get(p, "default") : NULL;
		if (!(name && ht_given(t->h, name)) && (!dflt || ht_is_null(dflt)))
			return false;
	}
	return true;
}

static void
check_default(ht_template *t, const char *name, const ynode *p, const struct kind *kind)
{
	const ynode *y = yn_get(p, "default");
	if (y && !ht_is_null(y) && y->kind != YN_ERROR && !converted(t, kind, y)) {
		ht_report_create(
			t, VC_E2040, y->span, "the default of '%s' is no %s", name, kind->name);
		return;
	}
	ynode *schema = ht_parameter_schema(t, p, true);
	bool complete = t->complete;
	t->complete = true; /* Heat looks at defaults before it makes anything */
	if (y && !ht_is_null(y) && y->kind != YN_ERROR)
		ht_constraints(t, schema, converted(t, kind, y), y->span,
			vc_format(t->h->c, "the default of '%s'", name));
	t->complete = complete;
}

static void
check_parameter(ht_template *t, const ynode *key, const ynode *p)
{
	const char *name = ht_text(key);
	const ynode *type = p->kind == YN_MAP ? yn_get(p, "type") : NULL;
	if (!name)
		ht_report(t, VC_E2004, key->span, "the name of a parameter is a string");
	if (!name || !ht_keys(t, p, "parameter", ht_known_keys[HEAT_PARAMETER]))
		return;
	const struct kind *kind = kind_of(p);
	if (kind) {
		check_default(t, name, p, kind);
		return;
	}
	if (type)
		ht_report(t, VC_E2020, type->span, "there is no type '%s' of parameters",
			ht_text(type) ? type->text : "");
	else
		ht_report(t, VC_E2003, key->span, "the parameter '%s' needs a type", name);
	vc_hint(t->h->c, "there are string, number, comma_delimited_list, json and boolean");
}

void
ht_check_parameters(ht_template *t)
{
	for (uint32_t i = 0; t->parameters && i < t->parameters->n; i++)
		check_parameter(t, t->parameters->key[i], t->parameters->item[i]);
}

/* ---- groups ---- */

static void
check_member(ht_template *t, const ynode *name, const char **seen, uint32_t n)
{
	const char *text = ht_text(name);
	if (text && ht_lacks(t, "parameters"))
		return;
	if (!text || !t->parameters || !yn_key(t->parameters, text)) {
		ht_report(t, VC_E2050, name->span, "there is no parameter '%s'",
			text ? text : "(no string)");
		ht_hint_near(t, text, t->parameters);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(seen[i], text)) {
			ht_report(t, VC_E2009, name->span,
				"the parameter '%s' is in a group already", text);
			return;
		}
}

void
ht_check_groups(ht_template *t)
{
	const ynode *y = yn_get(t->doc, "parameter_groups");
	const char **seen = NULL;
	uint32_t n = 0;
	if (!y || ht_is_null(y) || y->kind == YN_ERROR)
		return;
	if (y->kind != YN_SEQ) {
		ht_report(t, VC_E2004, y->span, "parameter_groups must be a list");
		return;
	}
	for (uint32_t i = 0; i < y->n; i++) {
		const ynode *all = NULL;
		if (ht_keys(t, y->item[i], "parameter group", ht_known_keys[HEAT_GROUP]))
			all = yn_get(y->item[i], "parameters");
		if (all && all->kind != YN_SEQ && !ht_is_null(all))
			ht_report(t, VC_E2004, all->span, "the parameters of a group are a list");
		for (uint32_t k = 0; all && all->kind == YN_SEQ && k < all->n; k++) {
			check_member(t, all->item[k], seen, n);
			if (ht_text(all->item[k]))
				vc_push(t->h->c, seen, n) = all->item[k]->text;
		}
	}
}
