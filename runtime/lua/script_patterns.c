/*
 * script_patterns.c - string.find, match, gmatch and gsub over pattern.c: those of Lua's library
 * cannot be stopped.
 */
#define _GNU_SOURCE
#include "runtime/lua/host.h"
#include "runtime/lua/pattern.h"

#include <lualib.h>
#include <string.h>

/* Of string.find(text, pattern...) and the others; the strings stay on the stack. */
static vt_pattern
open_pattern(lua_State *L, const char **p, bool anchored)
{
	size_t n, np;
	const char *s = luaL_checklstring(L, 1, &n);
	struct vt_lua *l = hl_of(L);
	*p = luaL_checklstring(L, 2, &np);
	vt_pattern m = {.s = s,
		.end = s + n,
		.pend = *p + np,
		.limit = l->budget - (l->steps < l->budget ? l->steps : l->budget)};
	if (anchored && np > 0 && **p == '^')
		++*p;
	return m;
}

/* What one match took counts; the next has the rest. */
static const char *
next_match(lua_State *L, vt_pattern *m, const char *from, const char *p)
{
	struct vt_lua *l = hl_of(L);
	const char *end = vt_pattern_match(m, from, p);
	l->steps += m->steps;
	m->limit -= m->steps < m->limit ? m->steps : m->limit;
	m->steps = 0;
	if (m->error != NULL && *m->error == '\0') {
		hl_over(L);
	}
	if (m->error != NULL)
		luaL_error(L, "%s", m->error);
	return end;
}

static void
push_capture(lua_State *L, const vt_pattern *m, uint32_t i, const char *s, const char *end)
{
	if (i >= m->n && i > 0)
		luaL_error(L, "invalid capture index %%%d", (int)i + 1);
	if (i >= m->n)
		lua_pushlstring(L, s, (size_t)(end - s));
	else if (m->capture[i].n == VT_PATTERN_OPEN)
		luaL_error(L, "unfinished capture");
	else if (m->capture[i].n == VT_PATTERN_PLACE)
		lua_pushinteger(L, m->capture[i].at - m->s + 1);
	else
		lua_pushlstring(L, m->capture[i].at, (size_t)m->capture[i].n);
}

/* whole: the match itself where there are none. */
static int
push_captures(lua_State *L, const vt_pattern *m, const char *s, const char *end, bool whole)
{
	uint32_t n = m->n == 0 && whole ? 1 : m->n;
	luaL_checkstack(L, (int)n, "too many captures");
	for (uint32_t i = 0; i < n; i++)
		push_capture(L, m, i, s, end);
	return (int)n;
}

/* Where a search begins: argument i, which counts from the end below 0. */
static size_t
from_argument(lua_State *L, int i, size_t n)
{
	lua_Integer at = luaL_optinteger(L, i, 1);
	if (at > 0)
		return (uint64_t)at - 1 > n ? n + 1 : (size_t)at - 1;
	return at == 0 || at < -(lua_Integer)n ? 0 : n + 1 - (size_t)-at - 1;
}

static int
search(lua_State *L, bool find)
{
	const char *p, *given;
	vt_pattern m = open_pattern(L, &p, true);
	size_t n = (size_t)(m.end - m.s), at = from_argument(L, 3, n);
	given = lua_tostring(L, 2);
	if (at > n) {
		lua_pushnil(L);
		return 1;
	}
	if (find && (lua_toboolean(L, 4) || vt_pattern_is_plain(given, (size_t)(m.pend - given)))) {
		size_t np = (size_t)(m.pend - given);
		const char *found = np == 0 ? m.s + at : memmem(m.s + at, n - at, given, np);
		if (found == NULL) {
			lua_pushnil(L);
			return 1;
		}
		lua_pushinteger(L, found - m.s + 1);
		lua_pushinteger(L, found - m.s + (lua_Integer)np);
		return 2;
	}
	for (const char *s = m.s + at;; s++) {
		const char *end = next_match(L, &m, s, p);
		if (end != NULL && !find)
			return push_captures(L, &m, s, end, true);
		if (end != NULL) {
			lua_pushinteger(L, s - m.s + 1);
			lua_pushinteger(L, end - m.s);
			return 2 + push_captures(L, &m, s, end, false);
		}
		if (s == m.end || p != given) {
			lua_pushnil(L);
			return 1;
		}
	}
}

static int
l_find(lua_State *L)
{
	return search(L, true);
}

static int
l_match(lua_State *L)
{
	return search(L, false);
}

/* Upvalues: the text, the pattern, where to go on, the end of the match before (or -1). */
static int
gmatch_next(lua_State *L)
{
	const char *p;
	lua_Integer last = lua_tointeger(L, lua_upvalueindex(4));
	lua_settop(L, 0);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_pushvalue(L, lua_upvalueindex(2));
	vt_pattern m = open_pattern(L, &p, false);
	lua_Integer at = lua_tointeger(L, lua_upvalueindex(3));
	for (; at <= m.end - m.s; at++) {
		const char *end = next_match(L, &m, m.s + at, p);
		if (end == NULL || end - m.s == last)
			continue;
		lua_pushinteger(L, end - m.s);
		lua_copy(L, -1, lua_upvalueindex(3));
		lua_replace(L, lua_upvalueindex(4));
		return push_captures(L, &m, m.s + at, end, true);
	}
	lua_pushinteger(L, at);
	lua_replace(L, lua_upvalueindex(3));
	return 0;
}

static int
l_gmatch(lua_State *L)
{
	size_t n;
	(void)luaL_checklstring(L, 1, &n);
	(void)luaL_checkstring(L, 2);
	size_t at = from_argument(L, 3, n);
	lua_settop(L, 2);
	lua_pushinteger(L, (lua_Integer)at);
	lua_pushinteger(L, -1);
	lua_pushcclosure(L, gmatch_next, 4);
	return 1;
}

/* The text of a replacement: %0 is the match, %1 a capture, %% itself. */
static void
add_text(lua_State *L, luaL_Buffer *b, const vt_pattern *m, const char *s, const char *end)
{
	size_t n;
	const char *r = lua_tolstring(L, 3, &n);
	for (const char *stop = r + n, *e; r < stop; r = e + 2) {
		e = memchr(r, '%', (size_t)(stop - r));
		luaL_addlstring(b, r, (size_t)((e ? e : stop) - r));
		if (e == NULL)
			return;
		if (e + 1 < stop && e[1] == '%') {
			luaL_addchar(b, '%');
		} else if (e + 1 < stop && e[1] == '0') {
			luaL_addlstring(b, s, (size_t)(end - s));
		} else if (e + 1 < stop && e[1] >= '1' && e[1] <= '9') {
			push_capture(L, m, (uint32_t)(e[1] - '1'), s, end);
			luaL_tolstring(L, -1, NULL);
			lua_remove(L, -2);
			luaL_addvalue(b);
		} else {
			luaL_error(L, "invalid use of '%%' in replacement string");
		}
	}
}

/* False, nil: what was found stays. True: it was replaced. */
static void
add_replacement(lua_State *L, luaL_Buffer *b, const vt_pattern *m, const char *s, const char *end)
{
	int type = lua_type(L, 3);
	if (type != LUA_TFUNCTION && type != LUA_TTABLE) {
		add_text(L, b, m, s, end);
		return;
	}
	if (type == LUA_TFUNCTION) {
		lua_pushvalue(L, 3);
		lua_call(L, push_captures(L, m, s, end, true), 1);
	} else {
		push_capture(L, m, 0, s, end);
		lua_gettable(L, 3);
	}
	if (!lua_toboolean(L, -1)) {
		lua_pop(L, 1);
		luaL_addlstring(b, s, (size_t)(end - s));
	} else if (!lua_isstring(L, -1)) {
		luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
	} else {
		luaL_addvalue(b);
	}
}

static int
l_gsub(lua_State *L)
{
	const char *p, *last = NULL;
	vt_pattern m = open_pattern(L, &p, true);
	bool anchor = p != lua_tostring(L, 2);
	int type = lua_type(L, 3);
	lua_Integer most = luaL_optinteger(L, 4, m.end - m.s + 1), n = 0;
	luaL_Buffer b;
	luaL_argexpected(L,
		type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION ||
			type == LUA_TTABLE,
		3, "string/function/table");
	if (type == LUA_TNUMBER)
		(void)lua_tostring(L, 3);
	luaL_buffinit(L, &b);
	const char *s = m.s;
	while (n < most) {
		const char *end = next_match(L, &m, s, p);
		if (end != NULL && end != last) {
			n++;
			add_replacement(L, &b, &m, s, end);
			s = last = end;
		} else if (s < m.end) {
			luaL_addchar(&b, *s++);
		} else {
			break;
		}
		if (anchor)
			break;
	}
	luaL_addlstring(&b, s, (size_t)(m.end - s));
	luaL_pushresult(&b);
	lua_pushinteger(L, n);
	return 2;
}

void
hl_open_patterns(lua_State *L)
{
	static const luaL_Reg own[] = {
		{"find", l_find},
		{"match", l_match},
		{"gmatch", l_gmatch},
		{"gsub", l_gsub},
		{NULL, NULL},
	};
	lua_getglobal(L, LUA_STRLIBNAME);
	luaL_setfuncs(L, own, 0);
	lua_pop(L, 1);
}
