/*
 * version.c - releases of the template language, and keys by release.
 */
#include "compiler/heat/int.h"

#include <string.h>

static const struct {
	const char *date, *name;
} releases[HT_RELEASES] = {
	[HT_2013_05_23] = {"2013-05-23", NULL},
	[HT_2014_10_16] = {"2014-10-16", NULL},
	[HT_2015_04_30] = {"2015-04-30", NULL},
	[HT_2015_10_15] = {"2015-10-15", NULL},
	[HT_2016_04_08] = {"2016-04-08", NULL},
	[HT_NEWTON] = {"2016-10-14", "newton"},
	[HT_OCATA] = {"2017-02-24", "ocata"},
	[HT_PIKE] = {"2017-09-01", "pike"},
	[HT_QUEENS] = {"2018-03-02", "queens"},
	[HT_ROCKY] = {"2018-08-31", "rocky"},
	[HT_WALLABY] = {"2021-04-16", "wallaby"},
};

const ht_key *const ht_known_keys[HEAT_ENTITIES] = {
	[HEAT_TEMPLATE] = (const ht_key[]){{"heat_template_version", 0}, {"description", 0},
		{"parameter_groups", 0}, {"parameters", 0}, {"resources", 0}, {"outputs", 0},
		{"conditions", HT_NEWTON}, {NULL, 0}},
	[HEAT_PARAMETER] = (const ht_key[]){{"type", 0}, {"label", 0}, {"description", 0},
		{"default", 0}, {"hidden", 0}, {"constraints", 0}, {"immutable", 0}, {"schema", 0},
		{"tags", HT_QUEENS}, {NULL, 0}},
	[HEAT_RESOURCE] = (const ht_key[]){{"type", 0}, {"properties", 0}, {"metadata", 0},
		{"depends_on", 0}, {"deletion_policy", 0}, {"update_policy", 0}, {"description", 0},
		{"condition", HT_NEWTON}, {"external_id", HT_NEWTON}, {NULL, 0}},
	[HEAT_OUTPUT] = (const ht_key[]){{"description", 0}, {"value", 0}, {"condition", HT_NEWTON},
		{NULL, 0}},
	[HEAT_GROUP] =
		(const ht_key[]){{"label", 0}, {"description", 0}, {"parameters", 0}, {NULL, 0}},
};

enum ht_release
ht_find_release(const char *s)
{
	for (int i = 0; i < HT_RELEASES; i++)
		if (!strcmp(s, releases[i].date) ||
			(releases[i].name && !strcmp(s, releases[i].name)))
			return (enum ht_release)i;
	return HT_NEVER;
}

const char *
ht_release_name(enum ht_release r)
{
	return releases[r].name ? releases[r].name : releases[r].date;
}

static const ht_key *
find_key(const ht_key *keys, const char *name)
{
	for (; keys->name; keys++)
		if (!strcmp(keys->name, name))
			return keys;
	return NULL;
}

static void
report_key(ht_template *t, const ynode *key, const char *noun, const ht_key *keys)
{
	const char *name = ht_text(key);
	const ht_key *row = name ? find_key(keys, name) : NULL;
	const char **names = NULL;
	size_t n = 0;
	if (row) {
		ht_report(t, VC_E2002, key->span, "the %s has no key '%s' in this version", noun,
			name);
		vc_hint(t->h->c, "it came with heat_template_version: %s",
			ht_release_name((enum ht_release)row->from));
		return;
	}
	ht_report(t, VC_E2002, key->span, "the %s has no key '%s'", noun,
		name ? name : "(no string)");
	for (; keys->name; keys++)
		if (keys->from <= t->release)
			vc_push(t->h->c, names, n) = keys->name;
	const char *near = name ? vt_nearest(name, names, n) : NULL;
	if (near)
		vc_did_you_mean(t->h->c, "'%s'", near);
}

bool
ht_keys(ht_template *t, const ynode *y, const char *noun, const ht_key *keys)
{
	if (y->kind != YN_MAP) {
		if (y->kind != YN_ERROR)
			ht_report(t, VC_E2004, y->span, "the %s must be a map", noun);
		if (y->kind == YN_SCALAR && y->ntext)
			vc_hint(t->h->c, "{ type: %s }", y->text);
		return false;
	}
	for (uint32_t i = 0; i < y->n; i++) {
		const char *name = ht_text(y->key[i]);
		const ht_key *row = name ? find_key(keys, name) : NULL;
		if (!row || row->from > t->release)
			report_key(t, y->key[i], noun, keys);
	}
	return true;
}

static enum ht_release
release_of(const ynode *doc)
{
	const char *text =
		doc && doc->kind == YN_MAP ? ht_text(yn_get(doc, "heat_template_version")) : NULL;

	return text ? ht_find_release(text) : HT_NEVER;
}

void
heat_each_key(
	const ynode *doc, enum heat_entity entity, void (*each)(void *, const char *), void *ctx)
{
	enum ht_release r = release_of(doc);

	for (const ht_key *k = ht_known_keys[entity]; k->name; k++)
		if (k->from <= r)
			each(ctx, k->name);
}

void
heat_each_version(void (*each)(void *, const char *), void *ctx)
{
	for (int i = HT_RELEASES - 1; i >= 0; i--) {
		each(ctx, releases[i].date);
		if (releases[i].name)
			each(ctx, releases[i].name);
	}
}
