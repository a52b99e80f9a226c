/*
 * host.h - what the files of Lua share: host.c, values.c, table.c, script_patterns.c, class.c,
 * yay.c.
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

/* HOST: a table that vetro.object has marked. */
struct host {
	vt_head h;
	struct vt_lua *l;
	int ref;
};
enum { SHOWS_METHODS = 1 }; /* in h.aux */
/* What the registry knows of a marked table: { FLAGS, HOST value that lives or false, settings = ..
 * } */
enum { MARK_FLAGS = 1, MARK_VALUE = 2 };

/* A Lua function that is a lambda. */
struct held {
	struct vt_lua *l;
	int ref;
};

/* ---- host.c ---- */
void hl_count(lua_State *, lua_Debug *); /* the hook that counts instructions */
/* Bodies of a lambda (data is a struct held), a row and a native class method of Lua. */
vt_status hl_call_held(vt_rt *, void *data, uint32_t n, const vt_value *args, vt_value *out);
vt_status hl_call_row(vt_args *, vt_value *out);
vt_status hl_run_method(vt_args *, vt_value *out);

/* ---- values.c ---- */
/* their addresses are registry keys */
extern const char hl_list_key, hl_dict_key, hl_keywords_key, hl_box_key, hl_objects_key;
/* A userdata with room for one counted value, VT_UNDEF at first. */
vt_value *hl_push_box(lua_State *);
vt_value *hl_to_box(lua_State *, int i); /* NULL: i is no box */
/* what: what a Lua error says was expected */
vt_value hl_check_box(lua_State *, int i, const char *what);
/* the runtime's exception as a Lua error */
int hl_raise_pending(lua_State *);
void hl_to_lua(lua_State *, vt_value, int depth);
/* Gives the table on top of the stack the metatable under the key. */
void hl_set_kind(lua_State *, const char *key);
bool hl_has_kind(lua_State *, int i, const char *key);
bool hl_looks_like_list(lua_State *, int i);
/* These never raise a Lua error. */
vt_status hl_from_lua(struct vt_lua *, lua_State *, int i, int depth, vt_value *out);
vt_status hl_list_from_lua(struct vt_lua *, lua_State *, int i, int depth, vt_value *out);
vt_status hl_dict_from_lua(struct vt_lua *, lua_State *, int i, int depth, vt_value *out);
/* Pushes the mark of the table at i, or nothing: it is no object then. */
bool hl_push_mark(lua_State *, int i);
void hl_free_host(vt_head *);
bool hl_has_methods(vt_rt *, vt_value object);

/* ---- table.c ---- */
extern const luaL_Reg hl_table[];     /* vetro */
extern const luaL_Reg hl_box_table[]; /* metamethods of boxes */
int hl_print(lua_State *);
int hl_setmetatable(lua_State *);
/* Fields of the table at t; errors are Lua's. */
const char *hl_text_field(lua_State *, int t, const char *key, const char *dflt);
/* its function `fn`, kept in the registry */
int hl_ref_field(lua_State *, int t);

/* ---- the other files ---- */
/* string.find and the like that can be stopped */
void hl_open_patterns(lua_State *);
/* ---- budget.c ---- */
void hl_open_budget(lua_State *, bool unsafe);
_Noreturn void hl_over(lua_State *); /* the budget is spent, for good */
struct lua_class *hl_find_class(struct vt_lua *, const char *name);
int hl_class(lua_State *); /* vetro.class */
int hl_yay(lua_State *);   /* vetro.yay */
void hl_open_yay(lua_State *);

#endif
