/*
 * host.c - functions and native classes that the host supplies in Lua 5.4: calls, the state and
 * its tasks.  values.c, table.c, class.c, yay.c and script_patterns.c have the other parts; no
 * other files name Lua.
 *
 * The script sees one table, vetro; docs/HOST.md is its manual.  Values are copied both ways: null
 * is vetro.null, lists and dicts are tables whose metatable tells them apart, everything that Lua
 * has no word for (objects, types, lambdas, dates) is an opaque userdata that holds a counted
 * reference.
 *
 * Invariants:
 * - Lua raises errors by longjmp.  So no C frame that Lua may jump over holds an owned vt_value: it
 *   keeps them in userdata from the start (hl_push_box).  hl_from_lua never raises.
 * - An error that crosses from the runtime into Lua is a userdata with an exception in it; when it
 * comes
 *   back unhandled, it is put back as it was.
 * - Rows and declarations never move or go before forget: the resolver caches pointers to them.
 */
#define _GNU_SOURCE
#include "runtime/lua/host.h"
#include "runtime/core/printable.h"
#include "hooks.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/lua/lua.h"
#include "runtime/seq/seq.h"

#include <lualib.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

static const uint64_t default_steps = 200 * 1000 * 1000, default_memory = 256u << 20;

/* ---- tasks: each has a thread of its own ---- */

/*
 * A task may wait while Lua functions run on its stack, because no other task uses its thread.
 * Threads of tasks that ended are kept in the registry, under their own address, and marked as free
 * in a list.
 */
static int
make_thread(lua_State *L)
{
	lua_State *t;
	luaL_getsubtable(L, LUA_REGISTRYINDEX, "vetro.threads");
	t = lua_newthread(L);
	lua_rawsetp(L, -2, t);
	lua_pushlightuserdata(L, t);
	return 1;
}

static int
free_thread(lua_State *L)
{
	lua_Integer n;
	luaL_getsubtable(L, LUA_REGISTRYINDEX, "vetro.free");
	n = luaL_len(L, -1);
	lua_pushvalue(L, 1);
	lua_rawseti(L, -2, n + 1);
	return 0;
}

/* NULL: none is free. */
static lua_State *
reuse_thread(lua_State *L)
{
	lua_State *t;
	if (lua_getfield(L, LUA_REGISTRYINDEX, "vetro.free") != LUA_TTABLE) {
		lua_pop(L, 1);
		return NULL;
	}
	lua_rawgeti(L, -1, (lua_Integer)lua_rawlen(L, -1));
	t = lua_touserdata(L, -1);
	if (t != NULL) {
		lua_pushnil(L);
		lua_rawseti(L, -3, (lua_Integer)lua_rawlen(L, -3));
	}
	lua_pop(L, 2);
	return t;
}

/* NULL: no memory for one more. */
static lua_State *
thread_of(struct vt_lua *l)
{
	lua_State *t = l->running;
	if (t != NULL || !lua_checkstack(l->L, 5))
		return t;
	t = reuse_thread(l->L);
	if (t == NULL) {
		lua_pushcfunction(l->L, make_thread);
		t = lua_pcall(l->L, 0, 1, 0) == LUA_OK ? lua_touserdata(l->L, -1) : NULL;
		lua_pop(l->L, 1);
	}
	return l->running = t;
}

static void
switch_task(vt_rt *rt, vt_lua_task *from, const vt_lua_task *to)
{
	struct vt_lua *l = rt->s->lua;
	if (from != NULL)
		*from = l ? (vt_lua_task){l->running, l->frame, l->steps, l->nested}
			  : (vt_lua_task){0};
	if (l == NULL || to == NULL)
		return;
	l->running = to->running;
	l->frame = to->frame;
	l->steps = to->steps;
	l->nested = to->nested;
}

static void
end_task(vt_rt *rt, vt_lua_task *t)
{
	struct vt_lua *l = rt->s->lua;
	if (l == NULL || t->running == NULL)
		return;
	l->running = NULL;
	if (!lua_checkstack(l->L, 5))
		return;
	lua_pushcfunction(l->L, free_thread);
	lua_pushlightuserdata(l->L, t->running);
	if (lua_pcall(l->L, 1, 0, 0) != LUA_OK)
		lua_pop(l->L, 1); /* no memory: the thread is not used again */
	t->running = NULL;
}

/* ---- calls into Lua ---- */

struct call {
	int ref;
	vt_value self; /* VT_UNDEF: a plain function */
	const vt_value *v;
	uint32_t nv;
	const vt_value *rest;
	uint32_t nrest;
	vt_value kw; /* a dict or VT_NULL */
	bool has_kw;
};

/* Standard arguments, then the table of keyword arguments where it is declared, then the rest. */
static int
call_body(lua_State *L)
{
	struct call *c = lua_touserdata(L, 1);
	int n = 0;
	luaL_checkstack(L, (int)(c->nv + c->nrest) + 8, "too many arguments");
	lua_rawgeti(L, LUA_REGISTRYINDEX, c->ref);
	if (c->self != VT_UNDEF) {
		hl_to_lua(L, c->self, 0);
		n++;
	}
	for (uint32_t i = 0; i < c->nv; i++, n++)
		hl_to_lua(L, c->v[i], 0);
	if (c->has_kw) {
		if (vt_is(c->kw, DICT))
			hl_to_lua(L, c->kw, 0);
		else
			lua_newtable(L);
		n++;
	}
	for (uint32_t i = 0; i < c->nrest; i++, n++)
		hl_to_lua(L, c->rest[i], 0);
	lua_call(L, n, 1);
	return 1;
}

/* The error on top of the stack becomes the session's exception. */
static vt_status
take_error(struct vt_lua *l, lua_State *L)
{
	vt_value *box = hl_to_box(L, -1);
	const char *text;
	size_t n;
	if (box != NULL && vt_is(*box, EXC)) {
		vt_exc_set(l->rt, vt_copy(*box));
		lua_pop(L, 1);
		return VT_ERROR;
	}
	text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &n) : NULL;
	if (text != NULL && vt_utf8_check(text, n) == n)
		(void)vt_raise(l->rt, VT_E_HOST, "%s", text);
	else
		(void)vt_raise(l->rt, VT_E_HOST, "the error is a Lua %s", luaL_typename(L, -1));
	lua_pop(L, 1);
	return VT_ERROR;
}

/* Every so many instructions. Once over the budget each further instruction fails, so that a pcall
 * around it cannot go on. */
void
hl_count(lua_State *L, lua_Debug *ar)
{
	struct vt_lua *l = hl_of(L);
	l->steps += HOOK_EVERY;
	if (l->steps <= l->budget)
		return;
	hl_over(L);
}

static lua_State *
enter_lua(struct vt_lua *l)
{
	lua_State *L = thread_of(l);
	if (l->nested++ == 0 && L != NULL) {
		l->steps = 0;
		lua_sethook(L, hl_count, LUA_MASKCOUNT, HOOK_EVERY);
	}
	return L;
}

static vt_status invoke(struct vt_lua *, struct call *, vt_value *out);
struct deeper {
	struct vt_lua *l;
	struct call *c;
	vt_value *out;
};

static vt_status
invoke_on_segment(vt_rt *rt, void *data)
{
	struct deeper *d = data;
	return invoke(d->l, d->c, d->out);
}

static vt_status
invoke_deeper(struct vt_lua *l, struct call *c, vt_value *out)
{
	struct deeper d = {l, c, out};
	return vt_on_segment(l->rt, invoke_on_segment, &d);
}

static vt_status
invoke(struct vt_lua *l, struct call *c, vt_value *out)
{
	lua_State *L;
	vt_status st;
	if (l->rt->depth >= l->rt->max_depth)
		return vt_raise_depth(l->rt);
	if (vt_stack_low(l->rt))
		return invoke_deeper(l, c, out);
	VT_TRY(vt_torture_point(l->rt));
	L = enter_lua(l);
	l->rt->depth++;
	if (L == NULL) {
		st = vt_raise(l->rt, VT_E_HOST, "not enough memory");
	} else if (!lua_checkstack(L, 8)) {
		st = vt_raise(l->rt, VT_E_HOST, "Lua's stack is full");
	} else {
		lua_pushcfunction(L, call_body);
		lua_pushlightuserdata(L, c);
		if (lua_pcall(L, 1, 1, 0) != LUA_OK) {
			st = take_error(l, L);
		} else {
			st = hl_from_lua(l, L, lua_gettop(L), 0, out);
			lua_pop(L, 1);
		}
	}
	l->rt->depth--;
	l->nested--;
	return st;
}

/* frame: what vetro.invoke and its like refer to meanwhile. */
static vt_status
invoke_in(struct vt_lua *l, struct call *c, const vt_args *frame, vt_value *out)
{
	const vt_args *before = l->frame;
	vt_status st;
	l->frame = frame;
	st = invoke(l, c, out);
	l->frame = before;
	return st;
}

vt_status
hl_call_held(vt_rt *rt, void *data, uint32_t n, const vt_value *args, vt_value *out)
{
	struct held *h = data;
	struct call c = {.ref = h->ref, .self = VT_UNDEF, .v = args, .nv = n};
	if (h->l->L == NULL)
		return vt_raise(rt, VT_E_HOST, "the Lua state is closed");
	return invoke_in(h->l, &c, NULL, out);
}

static vt_status
send_to(vt_rt *rt, vt_value object, const char *name, uint32_t n, const vt_value *args,
	vt_value kwargs, vt_value *out)
{
	struct vt_lua *l = rt->s->lua;
	vt_value text = vt_str_c(rt, name);
	struct call c = {l->send, object, &text, 1, args, n, kwargs, true};
	vt_status st = invoke_in(l, &c, NULL, out);
	vt_release(text);
	return st;
}

static bool
takes_kwargs(const vt_fnparam *params, uint32_t n)
{
	return n > 0 && params[n - 1].kind == 2;
}

vt_status
hl_call_row(vt_args *a, vt_value *out)
{
	const struct lua_fn *f = vt_host_data(a->row);
	struct call c = {f->ref, VT_UNDEF, a->v, a->nv, a->rest, a->nrest, a->kw,
		takes_kwargs(a->row->params, a->row->nparams)};
	vt_status st = invoke_in(a->rt->s->lua, &c, a, out);
	if (st == VT_OK)
		vt_secret_of_call(a->rt, a->row->name, *out);
	return st;
}

/* Body of a native class method that Lua supplies. */
vt_status
hl_run_method(vt_args *a, vt_value *out)
{
	const struct lua_method *m = (const void *)a->method;
	struct call c = {m->fn.ref, a->self, a->v, a->nv, a->rest, a->nrest, a->kw,
		takes_kwargs(m->fn.sig.params, m->fn.sig.n)};
	return invoke_in(a->rt->s->lua, &c, a, out);
}

/* ---- the state ---- */

enum { BYTES_A_STEP = 32, PAGE = 4096 };

static void *
limited_alloc(void *ud, void *p, size_t before, size_t after)
{
	struct vt_lua *l = ud;
	void *q;
	if (p == NULL)
		before = 0; /* Lua tells a type tag then */
	if (after == 0) {
		free(p);
		l->used -= before;
		return NULL;
	}
	if (after > before && l->used + (after - before) > l->memory)
		return NULL;
	if (l->nested > 0 && l->steps > l->budget && after > before && after >= PAGE)
		return NULL; /* the hook would come too late for large ones */
	if (after > before)  /* what is made is gone over: as fast as so many instructions */
		l->steps += (after - before) / BYTES_A_STEP;
	q = vt_xrealloc(p, after);
	l->used = l->used - before + after;
	return q;
}

static void
make_kind(lua_State *L, const char *key, const char *name)
{
	lua_newtable(L);
	lua_pushstring(L, name);
	lua_setfield(L, -2, "__metatable");
	lua_pushstring(L, name);
	lua_setfield(L, -2, "__name");
	lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

/* What the user lets out of the sandbox. A finalizer still must not run where an error could cross
 * vetro's frames. */
static void
open_unsafe(lua_State *L)
{
	static const luaL_Reg libs[] = {
		{LUA_LOADLIBNAME, luaopen_package},
		{LUA_IOLIBNAME, luaopen_io},
		{LUA_OSLIBNAME, luaopen_os},
		{LUA_DBLIBNAME, luaopen_debug},
	};
	for (size_t i = 0; i < VT_LEN(libs); i++) {
		luaL_requiref(L, libs[i].name, libs[i].func, 1);
		lua_pop(L, 1);
	}
}

/* Nothing that reaches files, processes, other chunks or the collector. */
static void
open_libraries(lua_State *L, bool unsafe)
{
	static const luaL_Reg libs[] = {
		{LUA_GNAME, luaopen_base},
		{LUA_TABLIBNAME, luaopen_table},
		{LUA_STRLIBNAME, luaopen_string},
		{LUA_MATHLIBNAME, luaopen_math},
		{LUA_UTF8LIBNAME, luaopen_utf8},
		{LUA_COLIBNAME, luaopen_coroutine},
	};
	static const char *const hidden[] = {
		"dofile", "loadfile", "load", "collectgarbage", "warn"};
	for (size_t i = 0; i < VT_LEN(libs); i++) {
		luaL_requiref(L, libs[i].name, libs[i].func, 1);
		lua_pop(L, 1);
	}
	if (unsafe)
		open_unsafe(L);
	for (size_t i = 0; i < VT_LEN(hidden) && !unsafe; i++) {
		lua_pushnil(L);
		lua_setglobal(L, hidden[i]);
	}
	lua_getglobal(L, LUA_STRLIBNAME);
	lua_pushnil(L);
	lua_setfield(L, -2, "dump");
	lua_pop(L, 1);
	hl_open_patterns(L);
	hl_open_budget(L, unsafe);
	lua_pushcfunction(L, hl_print);
	lua_setglobal(L, "print");
	lua_pushcfunction(L, hl_setmetatable);
	lua_setglobal(L, "setmetatable");
}

static int
open_body(lua_State *L)
{
	open_libraries(L, hl_of(L)->rt->s->lua_unsafe);
	make_kind(L, &hl_list_key, "list");
	make_kind(L, &hl_dict_key, "dict");
	make_kind(L, &hl_keywords_key, "keywords");
	lua_newtable(L);
	lua_newtable(L);
	lua_pushliteral(L, "k");
	lua_setfield(L, -2, "__mode");
	lua_setmetatable(L, -2);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &hl_objects_key);
	lua_newtable(L);
	luaL_setfuncs(L, hl_box_table, 0);
	lua_pushliteral(L, "value");
	lua_setfield(L, -2, "__metatable");
	lua_rawsetp(L, LUA_REGISTRYINDEX, &hl_box_key);
	hl_open_yay(L);
	luaL_checkversion(L);
	lua_newtable(L);
	luaL_setfuncs(L, hl_table, 0);
	lua_pushlightuserdata(L, NULL);
	lua_setfield(L, -2, "null");
	lua_newtable(L);
	lua_setfield(L, -2, "traces");
	lua_setglobal(L, "vetro");
	return 0;
}

static struct vt_lua *
open_lua(vt_rt *rt)
{
	struct vt_lua *l = rt->s->lua;
	if (l != NULL)
		return l;
	l = vt_xzalloc(sizeof *l);
	l->rt = rt;
	l->memory = rt->s->lua_memory ? rt->s->lua_memory : default_memory;
	l->budget = rt->s->lua_steps ? rt->s->lua_steps : default_steps;
	l->L = l->running = lua_newstate(limited_alloc, l);
	if (l->L == NULL) {
		free(l);
		return NULL;
	}
	*(struct vt_lua **)lua_getextraspace(l->L) = l;
	lua_pushcfunction(l->L, open_body);
	if (lua_pcall(l->L, 0, 0, 0) != LUA_OK) {
		lua_close(l->L);
		free(l);
		return NULL;
	}
	rt->s->lua = l;
	return l;
}

static vt_status
run_chunk(struct vt_lua *l, const char *text, size_t n, const char *chunk)
{
	lua_State *L = enter_lua(l);
	int rc = luaL_loadbufferx(L, text, n, chunk, "t");
	vt_status st = VT_OK;
	if (rc == LUA_OK)
		rc = lua_pcall(L, 0, 0, 0);
	if (rc != LUA_OK)
		st = take_error(l, L);
	l->nested--;
	return st;
}

static bool
load_chunk(vt_rt *rt, const char *text, size_t n, const char *chunk, char **err)
{
	struct vt_lua *l = open_lua(rt);
	char *name;
	vt_status st;
	vt_buf b = {0};
	if (l == NULL) {
		*err = vt_xstrdup("not enough memory for Lua");
		return false;
	}
	name = vt_asprintf("=%s", chunk);
	st = run_chunk(l, text, n, name);
	free(name);
	if (st == VT_OK)
		return true;
	vt_exc_str(rt, &b, vt_pending(rt));
	vt_exc_clear(rt);
	vt_buf_putc(&b, '\0');
	*err = vt_xstrdup(b.p);
	vt_buf_free(&b);
	return false;
}

char *
vt_lua_syntax(const char *text, size_t n, const char *chunk)
{
	lua_State *L = luaL_newstate();
	char *name = vt_asprintf("=%s", chunk), *why = NULL;
	if (L != NULL && luaL_loadbufferx(L, text, n, name, "t") != LUA_OK)
		why = vt_xstrdup(lua_tostring(L, -1));
	if (L != NULL)
		lua_close(L);
	free(name);
	return why;
}

/* ---- the hooks that ship with vetro ---- */

/* Only a session that exposes methods has them, and only once the program names one. */
static bool
hooks_name(const char *name)
{
	char quoted[128];
	size_t n = strlen(name);
	if (n > sizeof quoted - 3)
		return false;
	quoted[0] = '"';
	memcpy(quoted + 1, name, n);
	quoted[n + 1] = '"';
	quoted[n + 2] = '\0';
	return strstr(vt_hooks_lua, quoted) != NULL;
}

static void
want_hooks(vt_rt *rt, const char *name)
{
	char *err = NULL;
	struct vt_lua *l = rt->s->lua;
	vt_value pending = VT_UNDEF;
	if (rt->s->expose == NULL || (l != NULL && l->hooks_tried) || !hooks_name(name) ||
		(l = open_lua(rt)) == NULL)
		return;
	l->hooks_tried = l->loading_hooks = true;
	if (vt_pending(rt) != NULL)
		pending = vt_exc_take(rt);
	if (!load_chunk(rt, vt_hooks_lua, sizeof vt_hooks_lua - 1, "hooks.lua", &err)) {
		vt_say("vetro: %s\n", err);
		free(err);
	}
	l->loading_hooks = false;
	if (pending != VT_UNDEF)
		vt_exc_set(rt, pending);
}

static const vt_class_decl *
class_of_host(vt_rt *rt, const char *fqn)
{
	struct lua_class *c;
	want_hooks(rt, fqn);
	c = rt->s->lua ? hl_find_class(rt->s->lua, fqn) : NULL;
	return c ? &c->decl : NULL;
}

/* ---- traces ---- */

static int
take_traces(lua_State *L)
{
	lua_getglobal(L, "vetro");
	lua_getfield(L, -1, "traces");
	lua_newtable(L);
	lua_setfield(L, -3, "traces");
	if (!lua_istable(L, -1)) {
		lua_pop(L, 1);
		lua_newtable(L);
	}
	return 1;
}

static void
drain_traces(vt_rt *rt)
{
	struct vt_lua *l = rt->s->lua;
	vt_value list = VT_UNDEF;
	if (l == NULL || l->L == NULL)
		return;
	lua_pushcfunction(l->L, take_traces);
	if (lua_pcall(l->L, 0, 1, 0) == LUA_OK &&
		hl_list_from_lua(l, l->L, lua_gettop(l->L), 0, &list) == VT_OK) {
		for (uint32_t i = 0; i < vt_as_list(list)->n; i++)
			vt_list_push(
				rt, vt_as_list(rt->s->traces), vt_copy(vt_as_list(list)->v[i]));
		vt_release(list);
	} else {
		vt_exc_clear(rt);
	}
	lua_settop(l->L, 0);
}

/* ---- the end ---- */

static void
close_lua(vt_rt *rt)
{
	struct vt_lua *l = rt->s->lua;
	lua_State *L = l ? l->L : NULL;
	if (L == NULL)
		return;
	lua_close(L);
	l->L = l->running = NULL;
}

static void
free_methods(struct lua_class *c)
{
	for (uint32_t i = 0; i < c->decl.nmethods; i++) {
		struct lua_method *m = &c->methods[i];
		for (uint32_t k = 0; k < m->decl.nparams; k++)
			free((void *)(uintptr_t)m->decl.params[k].name);
		free((void *)(uintptr_t)m->decl.params);
		free((void *)(uintptr_t)m->decl.name);
		vt_sig_free(&m->fn.sig);
	}
	free(c->methods);
	free(c->list);
}

static void
forget(vt_rt *rt)
{
	struct vt_lua *l = rt->s->lua;
	if (l == NULL)
		return;
	for (struct lua_class *c = l->classes, *next; c != NULL; c = next) {
		next = c->next;
		free_methods(c);
		free((void *)(uintptr_t)c->decl.name);
		free(c);
	}
	free(l);
	rt->s->lua = NULL;
}

const vt_lua_part vt_lua = {
	.want = want_hooks,
	.load = load_chunk,
	.has_methods = hl_has_methods,
	.send = send_to,
	.free = close_lua,
	.forget = forget,
	.find_class = class_of_host,
	.drain_traces = drain_traces,
	.switch_task = switch_task,
	.end_task = end_task,
	.free_host = hl_free_host,
};
