/*
 * linked.c - what a program did not link: see vt_parts in vt.h.
 *
 * Nothing here is reached while compiler/emit/link_rows.c is right about what a program can come
 * to; where it is not, the program says so, instead of going on without the function as if there
 * had never been one.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/value.h"

#include <stdlib.h>
#include <string.h>

bool
vt_fn_absent(const char *name)
{
	const char *text = vt_linked.absent;
	uint32_t lo = 0, hi = vt_linked.nabsent;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		int order;
		while (mid > lo && text[mid - 1] != '\0')
			mid--;
		order = strcmp(text + mid, name);
		if (order == 0)
			return true;
		if (order < 0)
			lo = mid + (uint32_t)strlen(text + mid) + 1;
		else
			hi = mid;
	}
	return false;
}

vt_status
vt_absent(vt_args *a, vt_value *out)
{
	return vt_raise(a->rt, VT_E_RUNTIME,
		"this program was built without an overload of \"%s\": "
		"`vetro build -fno-subset` links all",
		a->row ? a->row->name : "?");
}

bool
vt_lua_load(vt_rt *rt, const char *text, size_t n, const char *chunk, char **err)
{
	if (vt_linked.lua != NULL)
		return vt_linked.lua->load(rt, text, n, chunk, err);
	*err = vt_xstrdup("this program was built without Lua");
	return false;
}

/* Each file is a chunk of its own, so that messages have its name and its lines, and locals stay in
 * it. */
bool
vt_lua_load_files(vt_rt *rt, const char *text, char **err)
{
	const size_t mark = sizeof VT_LUA_FILE - 1;
	bool ok = true;

	while (ok && *text) {
		char *name = vt_xstrdup("host.lua");
		const char *end;
		if (strncmp(text, VT_LUA_FILE, mark) == 0) {
			const char *line = text + mark;
			size_t n = strcspn(line, "\n");
			free(name);
			name = vt_asprintf("%.*s", (int)n, line);
			text = line + n + (line[n] == '\n');
		}
		end = strstr(text, "\n" VT_LUA_FILE);
		end = end ? end + 1 : text + strlen(text);
		ok = vt_lua_load(rt, text, (size_t)(end - text), name, err);
		free(name);
		text = end;
	}
	return ok;
}
