/*
 * int.h - between yaml.c, scalar.c and map.c.
 *
 * yaml.c turns libyaml's events into nodes, scalar.c says what a scalar means, map.c aligns a
 * scalar's decoded text with its bytes in the file.
 */
#ifndef YAML_INT_H
#define YAML_INT_H

#include "compiler/base/base.h"
#include "compiler/yaml/yaml.h"

enum ys_style { YS_PLAIN, YS_SINGLE, YS_DOUBLE, YS_LITERAL, YS_FOLDED };

/* Fills map and nmap; [from, to) are the scalar's bytes with quotes or block header, without tag
 * and anchor. */
void ys_make_map(vc *, ynode *, enum ys_style, uint32_t from, uint32_t to);

/* Types a plain scalar as PyYAML's SafeLoader resolves it. Reports what PyYAML would raise. */
void ys_resolve_plain(vc *, ynode *);
/* The same by the core schema of YAML 1.2: neither dates, yes and no, nor base 60. */
void ys_resolve_core(vc *, ynode *);
/* Types a scalar by one of the tags "tag:yaml.org,2002:..." or "!yaql"; false when the tag is none
 * of these. */
bool ys_resolve_tag(vc *, ynode *, const char *tag, unsigned flags);
/* Rule C9: makes an expression of a plain scalar that resolved to a string. */
void ys_try_expression(vc *, ynode *, unsigned flags);

#endif
