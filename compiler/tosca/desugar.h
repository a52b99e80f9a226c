/*
 * desugar.h - Heat's HOT and Cloudify's DSL written as TOSCA 1.x.
 *
 * Both languages are smaller than TOSCA and mean the same things by other words, so their files
 * become the YAML of a TOSCA 1.2 file before anything is read from it.  Nodes keep their places:
 * problems point at what was written.
 */
#ifndef TOSCA_DESUGAR_H
#define TOSCA_DESUGAR_H

#include "compiler/tosca/front.h"

struct heat_given;
/* hot.c; given: values that parameters have */
ynode *tosca_from_hot(tosca_unit *, ynode *doc, const struct heat_given *given);
/* cloudify.c; the topology of a file that another imports is kept for the latter */
ynode *tosca_from_cloudify(tosca_unit *, ynode *doc);
ynode *tosca_from_alien(tosca_unit *, ynode *doc); /* alien.c */

/* ---- YAML under construction; `at` is the node that it stands for ---- */
static inline ynode *
ds_map(tosca_unit *u, const ynode *at)
{
	return yn_make_map(u->t->c, at);
}
static inline ynode *
ds_list(tosca_unit *u, const ynode *at)
{
	return yn_make_list(u->t->c, at);
}
static inline ynode *
ds_text(tosca_unit *u, const ynode *at, const char *s)
{
	return yn_make_text(u->t->c, at, s);
}
static inline ynode *
ds_int(tosca_unit *u, const ynode *at, int64_t i)
{
	return yn_make_int(u->t->c, at, i);
}
static inline void
ds_put(tosca_unit *u, ynode *map, const char *key, ynode *value)
{
	yn_put(u->t->c, map, key, value);
}
static inline void
ds_put_key(tosca_unit *u, ynode *map, ynode *key, ynode *value)
{
	yn_put_key(u->t->c, map, key, value);
}
static inline void
ds_add(tosca_unit *u, ynode *list, ynode *item)
{
	yn_add(u->t->c, list, item);
}

/* ---- desugar.c ---- */
/* a map with one key */
ynode *ds_pair(tosca_unit *, const ynode *at, const char *key, ynode *value);
/* Checks the keys of an entity: names ends with NULL. False: y is no map, which is reported. */
bool ds_keys(tosca_unit *, const ynode *y, const char *noun, const char *const *names);

#endif
