/*
 * property.c - properties of resources against the schemas of their types.
 */
#include "compiler/heat/int.h"

#include <string.h>

static bool
is_true(const ynode *schema, const char *key)
{
	const ynode *y = yn_get(schema, key);
	return y && y->kind == YN_SCALAR && y->type == YT_BOOL && y->i;
}

static void
wrong_type(ht_template *t, const ynode *v, vc_span at, const char *path, const char *wanted)
{
	if (v->kind == YN_MAP && v->n == 1) /* which says the same of it */
		(void)vc_withdraw(t->h->c, VC_W2033, v->key[0]->span);
	ht_report_create(t, VC_E2040, v->span.src ? v->span : at, "%s must be %s, not %s", path,
		wanted,
		v->kind == YN_MAP   ? "a map"
		: v->kind == YN_SEQ ? "a list"
		: v->type == YT_STR ? vc_format(t->h->c, "'%.80s'", v->text)
				    : v->text);
	const char *key = v->kind == YN_MAP && v->n == 1 ? ht_text(v->key[0]) : NULL;
	if (!key || !strchr(key, '_'))
		return;
	const char *near = ht_near_function(t, key);
	if (near)
		vc_hint(t->h->c, "'%s' is no function; did you mean '%s'?", key, near);
	else
		vc_hint(t->h->c, "'%s' is no function", key);
}

/* ---- one value ---- */

static bool
is_text(const ynode *v)
{
	return v->kind == YN_SCALAR &&
	       (v->type == YT_STR || v->type == YT_DATE || v->type == YT_DATETIME);
}

/* Whole numbers and booleans become texts, numbers with a fraction do not. */
static const char *
no_string(const ynode *schema, const ynode *v)
{
	if (is_text(v) || (v->kind == YN_SCALAR && (v->type == YT_INT || v->type == YT_BOOL)))
		return NULL;
	return is_true(schema, "allow_conversion") && v->kind == YN_MAP ? NULL : "a string";
}

static const char *
no_number(const ynode *v, bool whole)
{
	double d;
	if (!ht_number(v, &d) ||
		(whole && v->type == YT_STR && strspn(v->text, " +-0123456789_") != v->ntext))
		return whole ? "an integer" : "a number";
	return NULL;
}

static const char *
no_boolean(const ynode *v)
{
	bool word = is_text(v) && (!strcasecmp(v->text, "true") || !strcasecmp(v->text, "false"));
	return word || (v->kind == YN_SCALAR && v->type == YT_BOOL) ? NULL : "true or false";
}

/* What is wanted where the value is something else; NULL: it fits. */
static const char *
misfit(const ynode *schema, const char *type, const ynode *v)
{
	bool converts = is_true(schema, "allow_conversion");
	if (!strcmp(type, "string"))
		return no_string(schema, v);
	if (!strcmp(type, "integer") || !strcmp(type, "number"))
		return no_number(v, type[0] == 'i');
	if (!strcmp(type, "boolean"))
		return no_boolean(v);
	if (!strcmp(type, "list"))
		return v->kind == YN_SEQ || (converts && is_text(v)) ? NULL : "a list";
	if (!strcmp(type, "map"))
		return v->kind == YN_MAP || converts ? NULL : "a map";
	return NULL;
}

/* A property that is null has its default, or else the empty value of its type. */
static const ynode *
instead_of_null(ht_template *t, const ynode *schema, const char *type, const ynode *v)
{
	const ynode *dflt = yn_get(schema, "default");
	if (dflt)
		return dflt;
	if (!strcmp(type, "integer") || !strcmp(type, "number"))
		return yn_make_int(t->h->c, v, 0);
	return !strcmp(type, "string") ? yn_make_text(t->h->c, v, "") : NULL;
}

static void
check_keys(ht_template *t, const ynode *schema, const ynode *v, vc_span at, const char *path)
{
	const ynode *map = yn_get(schema, "map"), *each = yn_get(schema, "value");
	for (uint32_t i = 0; i < v->n; i++) {
		const char *key = ht_text(v->key[i]);
		const ynode *inner = map && key ? yn_get(map, key) : each;
		const char *name = vc_format(t->h->c, "%s.%s", path, key ? key : "?");
		if (inner) {
			ht_check_value(t, inner, v->item[i], v->key[i]->span, name);
		} else if (map) {
			ht_report_create(t, VC_E2050, v->key[i]->span, "%s has no key '%s'", path,
				key ? key : "(no string)");
			ht_hint_near(t, key, map);
		}
	}
	for (uint32_t i = 0; map && i < map->n; i++)
		if (is_true(map->item[i], "required") && !yn_get(map->item[i], "default") &&
			!yn_key(v, map->key[i]->text))
			ht_report_create(t, VC_E2051, v->span.src ? v->span : at,
				"%s needs the key '%s'", path, map->key[i]->text);
}

static void
check_items(ht_template *t, const ynode *schema, const ynode *v, vc_span at, const char *path)
{
	const ynode *item = yn_get(schema, "item");
	for (uint32_t i = 0; item && i < v->n; i++)
		ht_check_value(t, item, v->item[i], at, vc_format(t->h->c, "%s[%u]", path, i));
}

void
ht_check_value(ht_template *t, const ynode *schema, const ynode *v, vc_span at, const char *path)
{
	const char *type = ht_text(yn_get(schema, "type"));
	if (!type)
		return;
	const char *status = ht_text(yn_get(schema, "status"));
	if (status)
		ht_advise(t, at, "%s is %s", path, status);
	if (is_true(schema, "implemented") != (yn_get(schema, "implemented") != NULL))
		ht_report_create(t, VC_E2050, at, "%s is not implemented in Heat", path);
	if (v && ht_is_null(v))
		v = instead_of_null(t, schema, type, v);
	if (!v || v->kind == YN_ERROR)
		return;
	const char *wanted = misfit(schema, type, v);
	if (wanted) {
		wrong_type(t, v, at, path, wanted);
		return;
	}
	if (ht_constraints(t, schema, v, v->span.src ? v->span : at, path) && v->kind == YN_MAP)
		check_keys(t, schema, v, at, path);
	if (v->kind == YN_SEQ)
		check_items(t, schema, v, at, path);
}

/* ---- all of a resource ---- */

static void
check_property(ht_template *t, const ht_type *type, const ynode *key, const ynode *given)
{
	const char *name = ht_text(key);
	const ynode *schema =
		type && type->properties && name ? yn_get(type->properties, name) : NULL;
	const ynode *v = ht_eval(t, given);
	if (!type || type->any_property)
		return;
	if (!schema) {
		(t->names_only ? ht_report_create : ht_report)(t, VC_E2050, key->span,
			"%s has no property '%s'", type->shown, name ? name : "(no string)");
		ht_hint_near(t, name, type->properties);
		return;
	}
	/* where an index may stand, only numbers are what they will be */
	bool number =
		given->kind == YN_SCALAR && (given->type == YT_INT || given->type == YT_FLOAT);
	if (v != &ht_absent && (!t->names_only || number))
		ht_check_value(t, schema, v, key->span, name);
}

/* Is a hidden property there that Heat takes for it, as network_id for network? */
static bool
has_alias(const ht_type *type, const ynode *given, const char *name)
{
	for (uint32_t i = 0; i < given->n; i++) {
		const char *other = ht_text(given->key[i]);
		const ynode *schema = other ? yn_get(type->properties, other) : NULL;
		if (schema && yn_get(schema, "status") && !strncmp(other, name, strlen(name)))
			return true;
	}
	return false;
}

/* Is it there under a name that is nearly right? That was told. */
static bool
is_misspelt(const ht_type *type, const ynode *given, const char *name)
{
	for (uint32_t i = 0; given && i < given->n; i++) {
		const char *other = ht_text(given->key[i]);
		if (other && !yn_key(type->properties, other) && vt_nearest(other, &name, 1))
			return true;
	}
	return false;
}

/* Parameters of nested templates may also come from parameter_defaults of an environment. */
static void
missing(ht_template *t, const ht_type *type, const char *name, vc_span at)
{
	if (type->nested && t->parameters)
		vc_report_as(t->h->c, VC_WARNING, VC_E2051, at,
			"%s needs the property '%s', unless an environment gives it", type->shown,
			name);
	else
		ht_report_create(t, VC_E2051, at, "%s needs the property '%s'", type->shown, name);
}

void
ht_check_properties(ht_template *t, const ht_type *type, const ynode *given, vc_span whole)
{
	const ynode *all = type ? type->properties : NULL;
	for (uint32_t i = 0; given && i < given->n; i++)
		check_property(t, type, given->key[i], given->item[i]);
	for (uint32_t i = 0; all && !type->any_property && i < all->n; i++) {
		const char *name = all->key[i]->text;
		if (is_true(all->item[i], "required") && !yn_get(all->item[i], "default") &&
			!(given && (yn_key(given, name) || has_alias(type, given, name))) &&
			!is_misspelt(type, given, name))
			missing(t, type, name, whole);
	}
}
