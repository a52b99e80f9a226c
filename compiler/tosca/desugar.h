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

ynode *tosca_from_hot(tosca_unit *, ynode *doc);      /* hot.c */
ynode *tosca_from_cloudify(tosca_unit *, ynode *doc); /* cloudify.c */

/* ---- desugar.c: YAML under construction; `at` is the node that it stands for ---- */
ynode *ds_map(tosca_unit *, const ynode *at);
ynode *ds_list(tosca_unit *, const ynode *at);
ynode *ds_text(tosca_unit *, const ynode *at, const char *);
ynode *ds_int(tosca_unit *, const ynode *at, int64_t);
/* the key's place is that of the value */
void ds_put(tosca_unit *, ynode *map, const char *key, ynode *value);
void ds_put_key(tosca_unit *, ynode *map, ynode *key, ynode *value);
void ds_add(tosca_unit *, ynode *list, ynode *item);
/* a map with one key */
ynode *ds_pair(tosca_unit *, const ynode *at, const char *key, ynode *value);
/* Checks the keys of an entity: names ends with NULL. False: y is no map, which is reported. */
bool ds_keys(tosca_unit *, const ynode *y, const char *noun, const char *const *names);

#endif
