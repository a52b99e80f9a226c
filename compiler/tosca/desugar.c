/*
 * desugar.c - YAML under construction, for the languages that are written as TOSCA.
 */
#include "compiler/tosca/desugar.h"

#include <string.h>

ynode *
ds_pair(tosca_unit *u, const ynode *at, const char *key, ynode *value)
{
	ynode *m = ds_map(u, at);
	ds_put_key(u, m, ds_text(u, at, key), value);
	return m;
}

bool
ds_keys(tosca_unit *u, const ynode *y, const char *noun, const char *const *names)
{
	size_t n = 0;
	while (names[n])
		n++;
	if (y->kind != YN_MAP) {
		if (y->kind != YN_ERROR)
			vc_report(u->t->c, VC_E2004, y->span, "the %s must be a map", noun);
		return false;
	}
	for (uint32_t i = 0; i < y->n; i++) {
		const char *key = te_text(y->key[i]);
		size_t k = 0;
		while (key && k < n && strcmp(names[k], key) != 0)
			k++;
		if (key && k < n)
			continue;
		vc_report(u->t->c, VC_E2002, y->key[i]->span, "the %s has no keyname '%s'", noun,
			key ? key : "(no string)");
		const char *near = key ? vt_nearest(key, names, n) : NULL;
		if (near)
			vc_did_you_mean(u->t->c, "'%s'", near);
	}
	return true;
}
