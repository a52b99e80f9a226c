/*
 * lua.h - Lua as the host of a session.
 */
#ifndef VT_LUA_LUA_H
#define VT_LUA_LUA_H

#include "vt.h"

/* ---- host.c ---- */
/* NULL: it can be read; else why not, from malloc */
char *vt_lua_syntax(const char *text, size_t n, const char *chunk);

#endif
