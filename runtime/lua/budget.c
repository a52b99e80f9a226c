/*
 * budget.c - what of Lua's library would run without being counted, or for ever.
 *
 * Instructions are counted by a hook. It does not run inside of C functions, in the handler of
 * xpcall for the error that it raises, and in what a coroutine closes that such an error ended. And
 * each coroutine counts by itself. So this file has its own coroutine.create, wrap and close,
 * xpcall, and those functions whose loops a caller may make as long as it likes.
 *
 * A coroutine that the budget has ended is known by its hook, which comes at each instruction.
 */
#include "runtime/lua/host.h"

#include <lualib.h>

/* A coroutine that does little costs so much, and is counted in such steps. */
enum { COROUTINE_STEPS = 1000 };

_Noreturn void
hl_over(lua_State *L)
{
	lua_sethook(L, hl_count, LUA_MASKCOUNT, 1);
	luaL_error(L, "more than %I instructions", (LUAI_UACINT)hl_of(L)->budget);
	__builtin_unreachable();
}

static void
spend(lua_State *L, uint64_t n)
{
	struct vt_lua *l = hl_of(L);
	l->steps = n > UINT64_MAX - l->steps ? UINT64_MAX : l->steps + n;
	if (l->steps > l->budget)
		hl_over(L);
}

/* The first upvalue: the function of the library, which has none itself. */
static int
call_original(lua_State *L)
{
	return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* ---- coroutines ---- */

static lua_State *
new_coroutine(lua_State *L)
{
	lua_State *t;
	luaL_checktype(L, 1, LUA_TFUNCTION);
	spend(L, COROUTINE_STEPS);
	t = lua_newthread(L);
	lua_sethook(t, hl_count, LUA_MASKCOUNT, COROUTINE_STEPS);
	lua_pushvalue(L, 1);
	lua_xmove(L, t, 1);
	return t;
}

static int
co_create(lua_State *L)
{
	(void)new_coroutine(L);
	return 1;
}

static bool
is_ended(lua_State *t)
{
	return lua_gethookcount(t) == 1;
}

/* Raises what ended the coroutine; messages get their place as those of Lua's own do. */
static int
raise_from(lua_State *L, lua_State *t)
{
	int status = lua_status(t);
	if (is_ended(t))
		hl_over(L);
	if (status != LUA_OK && status != LUA_YIELD) {
#if LUA_VERSION_RELEASE_NUM >= 50406
		(void)lua_closethread(t, L);
#else
		(void)lua_resetthread(t);
#endif
		lua_xmove(t, L, 1);
	}
	if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
		luaL_where(L, 1);
		lua_insert(L, -2);
		lua_concat(L, 2);
	}
	return lua_error(L);
}

/* As auxresume() of lcorolib.c. -1: an error is on top of L's stack, or of t's. */
static int
resume(lua_State *L, lua_State *t, int n)
{
	int results, status;
	if (!lua_checkstack(t, n)) {
		lua_pushliteral(L, "too many arguments to resume");
		return -1;
	}
	lua_xmove(L, t, n);
	status = lua_resume(t, L, n, &results);
	if (status != LUA_OK && status != LUA_YIELD) {
		lua_pushvalue(t, -1);
		lua_xmove(t, L, 1);
		return -1;
	}
	if (!lua_checkstack(L, results + 1)) {
		lua_pop(t, results);
		lua_pushliteral(L, "too many results to resume");
		return -1;
	}
	lua_xmove(t, L, results);
	return results;
}

static int
co_step(lua_State *L)
{
	lua_State *t = lua_tothread(L, lua_upvalueindex(1));
	int n = resume(L, t, lua_gettop(L));
	return n >= 0 ? n : raise_from(L, t);
}

static int
co_wrap(lua_State *L)
{
	(void)new_coroutine(L);
	lua_pushcclosure(L, co_step, 1);
	return 1;
}

static int
co_close(lua_State *L)
{
	lua_State *t = lua_tothread(L, 1);
	if (t != NULL && is_ended(t))
		hl_over(L);
	return call_original(L);
}

/* ---- xpcall ---- */

/* The stack: the handler; whether it went well; results. The handler runs when the error has been
 * left, so that it is counted. */
static int
xpcall_end(lua_State *L, int status, lua_KContext handled)
{
	if (status == LUA_OK || status == LUA_YIELD || handled)
		return lua_gettop(L) - 1;
	lua_pushboolean(L, 0);
	lua_replace(L, 2);
	lua_pushvalue(L, 1);
	lua_insert(L, 3);
	return xpcall_end(L, lua_pcallk(L, 1, 1, 0, 1, xpcall_end), 1);
}

static int
l_xpcall(lua_State *L)
{
	int n = lua_gettop(L);
	luaL_checktype(L, 2, LUA_TFUNCTION);
	lua_pushboolean(L, 1);
	lua_pushvalue(L, 1);
	lua_rotate(L, 3, 2); /* [f, handler, true, f, args] */
	lua_remove(L, 1);    /* [handler, true, f, args] */
	n = lua_pcallk(L, n - 2, LUA_MULTRET, 0, 0, xpcall_end);
	return xpcall_end(L, n, 0);
}

/* ---- functions with loops ---- */

/* So long as it looks at [from, to]. */
static void
spend_span(lua_State *L, lua_Integer from, lua_Integer to)
{
	if (from <= to)
		spend(L, (uint64_t)to - (uint64_t)from + 1);
}

static int
l_move(lua_State *L)
{
	spend_span(L, luaL_checkinteger(L, 2), luaL_checkinteger(L, 3));
	return call_original(L);
}

/* The end is given, so that the function asks for no length which could be another one then. */
static int
l_span(lua_State *L)
{
	int first = (int)lua_tointeger(L, lua_upvalueindex(2)); /* which argument: from */
	lua_Integer from = luaL_optinteger(L, first, 1), to;
	to = lua_isnoneornil(L, first + 1) ? luaL_len(L, 1) : luaL_checkinteger(L, first + 1);
	spend_span(L, from, to);
	lua_settop(L, first + 1);
	lua_pushinteger(L, from);
	lua_replace(L, first);
	lua_pushinteger(L, to);
	lua_replace(L, first + 1);
	return call_original(L);
}

/* insert, remove, sort: they ask for the length themselves, so it must not change meanwhile. */
static int
l_whole(lua_State *L)
{
	bool all = lua_tointeger(L, lua_upvalueindex(2)) != 0;
	lua_Integer n;
	luaL_checktype(L, 1, LUA_TTABLE);
	if (luaL_getmetafield(L, 1, "__len") != LUA_TNIL)
		return luaL_error(L, "takes no table with __len");
	n = (lua_Integer)lua_rawlen(L, 1);
	if (all)
		spend_span(L, 1, n);
	else if (lua_isinteger(L, 2) && lua_gettop(L) >= 2)
		spend_span(L, lua_tointeger(L, 2), n);
	return call_original(L);
}

static int
l_rep(lua_State *L)
{
	size_t n, between = 0;
	(void)luaL_checklstring(L, 1, &n);
	(void)luaL_optlstring(L, 3, "", &between);
	if (n + between == 0) { /* nothing, however often */
		luaL_checkinteger(L, 2);
		lua_pushliteral(L, "");
		return 1;
	}
	return call_original(L); /* limited_alloc() counts what it makes */
}

/* Texts that are gone over without being copied. */
static int
l_text(lua_State *L)
{
	if (lua_type(L, 1) == LUA_TSTRING)
		spend(L, lua_rawlen(L, 1) / 8);
	return call_original(L);
}

/* ---- all of them ---- */

/* The library is on top. extra: what the function is told besides. */
static void
replace(lua_State *L, const char *name, lua_CFunction f, int extra)
{
	lua_getfield(L, -1, name);
	lua_pushinteger(L, extra);
	lua_pushcclosure(L, f, 2);
	lua_setfield(L, -2, name);
}

void
hl_open_budget(lua_State *L, bool unsafe)
{
	lua_getglobal(L, LUA_COLIBNAME);
	replace(L, "create", co_create, 0);
	replace(L, "wrap", co_wrap, 0);
	replace(L, "close", co_close, 0);
	lua_pop(L, 1);
	lua_getglobal(L, LUA_TABLIBNAME);
	replace(L, "move", l_move, 0);
	replace(L, "concat", l_span, 3);
	replace(L, "unpack", l_span, 2);
	replace(L, "insert", l_whole, 0);
	replace(L, "remove", l_whole, 0);
	replace(L, "sort", l_whole, 1);
	lua_pop(L, 1);
	lua_getglobal(L, LUA_STRLIBNAME);
	replace(L, "rep", l_rep, 0);
	lua_pop(L, 1);
	lua_getglobal(L, LUA_UTF8LIBNAME);
	replace(L, "len", l_text, 0);
	replace(L, "offset", l_text, 0);
	lua_pop(L, 1);
	lua_getglobal(L, LUA_GNAME);
	replace(L, "tonumber", l_text, 0);
	if (!unsafe) /* there its handler may want to see where the error was */
		replace(L, "xpcall", l_xpcall, 0);
	lua_pop(L, 1);
}
