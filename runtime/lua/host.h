/*
 * host.h - what the files of Lua share: host.c, script_patterns.c, class.c, yay.c.
 * The invariants at the head of host.c are theirs too.
 */
#ifndef VT_HOSTLUA_H
#define VT_HOSTLUA_H

#include "runtime/call/call.h"
#include "runtime/core/value.h"

#include <lauxlib.h>
#include <lua.h>

enum { HOOK_EVERY = 10000 };

/* One Lua function that the runtime may call. */
struct lua_fn {
	int ref;
	vt_sig sig; /* of a method; a function's is in its row */
};
/* decl first: vt_args has its address */
struct lua_method {
	vt_method_decl decl;
	struct lua_fn fn;
};
struct lua_class {
	struct lua_class *next;
	vt_class_decl decl;
	vt_unit unit;
	struct lua_method *methods;
	const vt_method_decl **list;
};
struct vt_lua {
	lua_State *L; /* NULL once closed */
	/* the thread that called into the runtime; NULL: this task has had none yet */
	lua_State *running;
	vt_rt *rt;
	uint64_t used, memory;  /* bytes */
	uint64_t steps, budget; /* instructions of the outermost call */
	uint32_t nested;
	bool hooks_tried, loading_hooks;
	bool stale;           /* a mark may name a value that is gone: see free_host */
	const vt_args *frame; /* the call of a function or method in progress, or NULL */
	int send;             /* what objects.lua returned; 0 before the first object */
	struct lua_class *classes;
};

static inline struct vt_lua *
hl_of(lua_State *L)
{
	return *(struct vt_lua **)lua_getextraspace(L);
}

/* ---- host.c ---- */
/* A userdata with room for one counted value, VT_UNDEF at first. */
vt_value *hl_push_box(lua_State *);
/* the runtime's exception as a Lua error */
int hl_raise_pending(lua_State *);
void hl_to_lua(lua_State *, vt_value, int depth);
/* never raises a Lua error */
vt_status hl_from_lua(struct vt_lua *, lua_State *, int i, int depth, vt_value *out);
void hl_count(lua_State *, lua_Debug *); /* the hook that counts instructions */
/* Fields of the table at t; errors are Lua's. */
const char *hl_text_field(lua_State *, int t, const char *key, const char *dflt);
/* its function `fn`, kept in the registry */
int hl_ref_field(lua_State *, int t);
/* body of a native class method that Lua supplies */
vt_status hl_run_method(vt_args *, vt_value *out);

/* ---- the other files ---- */
/* string.find and the like that can be stopped */
void hl_open_patterns(lua_State *);
struct lua_class *hl_find_class(struct vt_lua *, const char *name);
int hl_class(lua_State *); /* vetro.class */
int hl_yay(lua_State *);   /* vetro.yay */
void hl_open_yay(lua_State *);

#endif
