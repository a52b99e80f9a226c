/* build.h - a configuration as C files. */
#ifndef YAY_BUILD_H
#define YAY_BUILD_H

#include "compiler/base/base.h"
#include "compiler/emit/emit.h"
#include "compiler/yay/front.h"

/* The layers in their order. NULL: reported. paths: files and folders that may be included. */
vc_cfile *yay_translate(vc *, const char *const *files, uint32_t nfiles, const char *const *paths,
	uint32_t npaths, const char *lua, bool lines, const char **name, uint32_t *n);

/* ---- reach.c: what a name that is worked out when the binary runs may be ---- */

typedef struct yay_pattern {
	const char *begin, *end; /* of the name */
	bool whole;              /* begin is all of it */
} yay_pattern;
/* The patterns of an expression, or of a value of the old spelling. */
uint32_t yay_patterns(vc *, const vt_ydoc *, uint32_t row, yay_pattern **);

typedef struct yay_tree {
	const char **name; /* in order */
	uint32_t n;
	uint32_t entries; /* looked at so far; limit.max_entries is the bound */
} yay_tree;
/* Files below a folder that the user allows, whose names behind that begin and end so; without an
 * end those of .yay.  False: too many were looked at. */
bool yay_files_below(vc *, const char *dir, const char *begin, const char *end, yay_tree *);

#endif
