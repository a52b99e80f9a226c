/* build.h - a configuration as C files. */
#ifndef YAY_BUILD_H
#define YAY_BUILD_H

#include "compiler/base/base.h"
#include "compiler/emit/emit.h"

/* The layers in their order. NULL: reported. paths: files and folders that may be included. */
vc_cfile *yay_translate(vc *, const char *const *files, uint32_t nfiles, const char *const *paths,
	uint32_t npaths, const char *lua, bool lines, const char **name, uint32_t *n);

#endif
