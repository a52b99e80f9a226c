/*
 * Fuzz target: Lua's patterns with a bound on their steps: a pattern, a tab and a text. What a
 * match gives lies inside the text, and where no step was lacking Lua itself finds the same: place,
 * end and captures, or an error. driver.c says how it is run.
 */
#include "runtime/lua/pattern.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { STEPS = 20000, LONGEST = 200 }; /* short, for Lua has no bound */

static void
must(bool good)
{
	if (!good)
		abort();
}

/* The captures as string.find gives them, behind what is on the stack already. */
static void
same_captures(lua_State *L, const vt_pattern *m)
{
	must(lua_gettop(L) == 2 + (int)m->n);
	for (uint32_t i = 0; i < m->n; i++) {
		const char *at = m->capture[i].at;
		ptrdiff_t len = m->capture[i].n;
		size_t k;
		const char *theirs;
		must(at >= m->s && at <= m->end);
		if (len == VT_PATTERN_PLACE) {
			must(lua_isinteger(L, 3 + (int)i) &&
				lua_tointeger(L, 3 + (int)i) == at - m->s + 1);
			continue;
		}
		must(len >= 0 && len <= m->end - at);
		theirs = lua_tolstring(L, 3 + (int)i, &k);
		must(theirs != NULL && k == (size_t)len && memcmp(theirs, at, k) == 0);
	}
}

/* A capture that was never closed is an error only where it is asked for. */
static bool
is_open(const vt_pattern *m)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (m->capture[i].n == VT_PATTERN_OPEN)
			return true;
	return false;
}

/* Ours walks from place to place as string.find does. */
static const char *
find(vt_pattern *m, const char *p, const char **from)
{
	bool anchor = *p == '^';
	const char *end = NULL;

	for (*from = m->s; end == NULL && m->error == NULL; ++*from) {
		m->n = 0;
		end = vt_pattern_match(m, *from, p + anchor);
		if (end != NULL || anchor || *from == m->end)
			break;
	}
	return m->error == NULL ? end : NULL;
}

static void
judge(lua_State *L, const char *p, size_t np, const char *s, size_t ns)
{
	vt_pattern m = {.s = s, .end = s + ns, .pend = p + np, .limit = STEPS};
	const char *from, *end;

	if (vt_pattern_is_plain(p, np)) /* string.find looks for the text then */
		return;
	end = find(&m, p, &from);
	/* The step that goes too far may be a set or a capture, which count as long as they are. */
	must(m.steps <= STEPS + LONGEST + 1 && m.n <= VT_PATTERN_CAPTURES);
	if (m.error != NULL && *m.error == '\0')
		return;
	lua_settop(L, 0);
	lua_getglobal(L, "find");
	lua_pushlstring(L, s, ns);
	lua_pushlstring(L, p, np);
	if (lua_pcall(L, 2, LUA_MULTRET, 0) != LUA_OK) {
		must(m.error != NULL || (end != NULL && is_open(&m)));
		return;
	}
	must(m.error == NULL);
	if (end == NULL) {
		must(lua_isnil(L, 1));
		return;
	}
	must(lua_tointeger(L, 1) == from - s + 1 && lua_tointeger(L, 2) == end - s);
	same_captures(L, &m);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const uint8_t *tab = memchr(data, '\t', n);
	size_t np = tab ? (size_t)(tab - data) : n, ns = tab ? n - np - 1 : 0;
	char *p = malloc(np + 1), *s = malloc(ns + 1);
	lua_State *L = luaL_newstate();

	memcpy(p, data, np);
	p[np] = '\0';
	memcpy(s, tab ? tab + 1 : data, ns);
	s[ns] = '\0';
	luaL_requiref(L, "string", luaopen_string, 0);
	lua_getfield(L, -1, "find");
	lua_setglobal(L, "find");
	if (np <= LONGEST && ns <= LONGEST)
		judge(L, p, np, s, ns);
	lua_close(L);
	free(p);
	free(s);
	return 0;
}
