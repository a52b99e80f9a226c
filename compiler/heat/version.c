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
