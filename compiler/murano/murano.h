/*
 * murano.h - what the parser of class files and the checker share.
 *
 * The parser reports what the reference refuses when it loads a class; the checker reports what
 * needs other classes, and as warnings what the reference notices only when it runs into it.
 */
#ifndef MPL_INT_H
#define MPL_INT_H

#include "compiler/base/base.h"
#include "compiler/murano/ast.h"
#include "compiler/yaml/yaml.h"

/* ---- class_file.c ---- */
bool mpl_is_text(const ynode *, const char *); /* a string, no expression, with that text */
/* a string or an expression: str() makes it a name */
bool mpl_is_scalar_text(const ynode *);
bool mpl_falsy(const ynode *);     /* NULL or false to Python: null, 0, '', [], {} */
bool mpl_is_null(const ynode *);   /* NULL or the scalar null */
uint32_t mpl_items(const ynode *); /* null: 0, a sequence: its length, else 1 */
ynode *mpl_item(ynode *, uint32_t);
const char *mpl_show(vc *, const ynode *); /* a short form for messages */
/* Hints at the nearest of the names, if one is near. */
void mpl_suggest(vc *, const char *name, const char *const *names, size_t n);

enum mpl_name { MPL_NAME_OK, MPL_NAME_BAD, MPL_NAME_PREFIX };
/* mpl_resolve without reports. */
enum mpl_name mpl_resolve_try(vc *, const mpl_class *, const char *name, char **fqn);

/* ---- statement.c ---- */
mpl_stmt **mpl_block(vc *, const mpl_class *, ynode *body, uint32_t *n);

#endif
