/*
 * make.c - YAML under construction: for languages that are written as another one, and for values
 * that are worked out of a template.
 *
 * Each node has the place of the node that it stands for, so that problems point at what was
 * written.
 */
#include "compiler/yaml/yaml.h"

#include <string.h>

static ynode *
node_at(vc *c, const ynode *at, enum yn_kind kind)
{
	ynode *y = vc_alloc(c, sizeof *y);
	y->kind = (uint8_t)kind;
	y->span = at->span;
	return y;
}

ynode *
yn_make_map(vc *c, const ynode *at)
{
	return node_at(c, at, YN_MAP);
}

ynode *
yn_make_list(vc *c, const ynode *at)
{
	return node_at(c, at, YN_SEQ);
}

ynode *
yn_make_text(vc *c, const ynode *at, const char *s)
{
	ynode *y = node_at(c, at, YN_SCALAR);
	y->type = YT_STR;
	y->text = s;
	y->ntext = (uint32_t)strlen(s);
	return y;
}

ynode *
yn_make_int(vc *c, const ynode *at, int64_t i)
{
	ynode *y = yn_make_text(c, at, vc_format(c, "%lld", (long long)i));
	y->type = YT_INT;
	y->i = i;
	y->fits = true;
	y->digits = y->text;
	return y;
}

void
yn_put_key(vc *c, ynode *map, ynode *key, ynode *value)
{
	uint32_t n = map->n;
	vc_push(c, map->key, n) = key;
	vc_push(c, map->item, map->n) = value;
}

void
yn_put(vc *c, ynode *map, const char *key, ynode *value)
{
	if (value)
		yn_put_key(c, map, yn_make_text(c, value, key), value);
}

void
yn_add(vc *c, ynode *list, ynode *item)
{
	vc_push(c, list->item, list->n) = item;
}
