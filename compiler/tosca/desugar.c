/*
 * desugar.c - YAML under construction, for the languages that are written as TOSCA.
 */
#include "compiler/tosca/desugar.h"

#include <string.h>

static ynode *
node_at(tosca_unit *u, const ynode *at, enum yn_kind kind)
{
	ynode *y = vc_alloc(u->t->c, sizeof *y);
	y->kind = (uint8_t)kind;
	y->span = at->span;
	return y;
}

ynode *
ds_map(tosca_unit *u, const ynode *at)
{
	return node_at(u, at, YN_MAP);
}

ynode *
ds_list(tosca_unit *u, const ynode *at)
{
	return node_at(u, at, YN_SEQ);
}

ynode *
ds_text(tosca_unit *u, const ynode *at, const char *s)
{
	ynode *y = node_at(u, at, YN_SCALAR);
	y->type = YT_STR;
	y->text = s;
	y->ntext = (uint32_t)strlen(s);
	return y;
}

ynode *
ds_int(tosca_unit *u, const ynode *at, int64_t i)
{
	ynode *y = ds_text(u, at, vc_format(u->t->c, "%lld", (long long)i));
	y->type = YT_INT;
	y->i = i;
	y->fits = true;
	y->digits = y->text;
	return y;
}

void
ds_put_key(tosca_unit *u, ynode *map, ynode *key, ynode *value)
{
	uint32_t n = map->n;
	vc_push(u->t->c, map->key, n) = key;
	vc_push(u->t->c, map->item, map->n) = value;
}

void
ds_put(tosca_unit *u, ynode *map, const char *key, ynode *value)
{
	if (value)
		ds_put_key(u, map, ds_text(u, value, key), value);
}

void
ds_add(tosca_unit *u, ynode *list, ynode *item)
{
	vc_push(u->t->c, list->item, list->n) = item;
}

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
			vc_hint(u->t->c, "did you mean '%s'?", near);
	}
	return true;
}
