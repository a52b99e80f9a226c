/*
 * host.c - functions and native classes that the host supplies in Lua 5.4: values, calls, the table
 * vetro and the state.  hostlua_*.c have its other parts; no other files name Lua.
 *
 * The script sees one table, vetro; docs/HOST.md is its manual.  Values are copied both ways: null
 * is vetro.null, lists and dicts are tables whose metatable tells them apart, everything that Lua
 * has no word for (objects, types, lambdas, dates) is an opaque userdata that holds a counted
 * reference.
 *
 * Invariants:
 * - Lua raises errors by longjmp.  So no C frame that Lua may jump over holds an owned vt_value: it
 *   keeps them in userdata from the start (push_box).  from_lua never raises.
 * - An error that crosses from the runtime into Lua is a userdata with an EXC in it; when it comes
 *   back unhandled, it is put back as it was.
 * - Rows and declarations never move or go before forget: the resolver caches pointers to them.
 */
#define _GNU_SOURCE
#include "runtime/lua/host.h"
#include "hooks.h"
#include "objects.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/lua/lua.h"
#include "runtime/seq/seq.h"

#include <lualib.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

enum { DEPTH = 100 };
static const uint64_t default_steps = 200 * 1000 * 1000, default_memory = 256u << 20;

/* their addresses are registry keys */
static const char list_key, dict_key, keywords_key, box_key, objects_key;

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

/* ---- boxes: counted references inside Lua ---- */

/* A userdata on top of the stack whose slot is VT_UNDEF; what is put there is released with it. */
vt_value *
hl_push_box(lua_State *L)
{
	vt_value *box = lua_newuserdatauv(L, sizeof *box, 0);
	*box = VT_UNDEF;
	lua_rawgetp(L, LUA_REGISTRYINDEX, &box_key);
	lua_setmetatable(L, -2);
	return box;
}

static vt_value *
to_box(lua_State *L, int i)
{
	bool same;
	if (lua_type(L, i) != LUA_TUSERDATA || !lua_getmetatable(L, i))
		return NULL;
	lua_rawgetp(L, LUA_REGISTRYINDEX, &box_key);
	same = lua_rawequal(L, -1, -2);
	lua_pop(L, 2);
	return same ? lua_touserdata(L, i) : NULL;
}

/* Raises the session's pending exception as a Lua error. */
int
hl_raise_pending(lua_State *L)
{
	vt_value *box = hl_push_box(L);
	*box = vt_exc_take(hl_of(L)->rt);
	return lua_error(L);
}

static vt_value
check_box(lua_State *L, int i, const char *what)
{
	vt_value *box = to_box(L, i);
	if (box == NULL)
		luaL_error(L, "%s expected, got %s", what, luaL_typename(L, i));
	return *box;
}

/* ---- from the runtime to Lua ---- */

static void
set_kind(lua_State *L, const char *key)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, key);
	lua_setmetatable(L, -2);
}

static void
list_to_lua(lua_State *L, vt_value v, int depth)
{
	lua_Integer n = 0;
	vt_value item;
	lua_newtable(L);
	set_kind(L, &list_key);
	if (vt_is(v, SET)) {
		for (uint32_t i = 0; vt_set_at(vt_as_set(v), &i, &item);) {
			hl_to_lua(L, item, depth);
			lua_rawseti(L, -2, ++n);
		}
		return;
	}
	for (uint32_t i = 0; i < vt_as_list(v)->n; i++) {
		hl_to_lua(L, vt_as_list(v)->v[i], depth);
		lua_rawseti(L, -2, ++n);
	}
}

static void
dict_to_lua(lua_State *L, const vt_dict *d, int depth)
{
	vt_value key, v;
	lua_newtable(L);
	set_kind(L, &dict_key);
	for (uint32_t i = 0; vt_dict_at(d, &i, &key, &v);) {
		hl_to_lua(L, key, depth);
		hl_to_lua(L, v, depth);
		lua_settable(L, -3);
	}
}

/* Iterators and views arrive as the lists they are worth; an endless one meets the limit of
 * memory. */
static void
lazy_to_lua(lua_State *L, vt_value v, int depth)
{
	struct vt_lua *l = hl_of(L);
	vt_value *iter = hl_push_box(L), *item = hl_push_box(L);
	if (vt_iterate_limited(l->rt, l->frame ? l->frame->unit : NULL, v, iter) != VT_OK)
		hl_raise_pending(L);
	lua_newtable(L);
	set_kind(L, &list_key);
	for (lua_Integer n = 1;; n++) {
		vt_clear(item);
		if (vt_next(l->rt, *iter, item) != VT_OK)
			hl_raise_pending(L);
		if (*item == VT_UNDEF)
			break;
		hl_to_lua(L, *item, depth);
		lua_rawseti(L, -2, n);
	}
	lua_replace(L, -3);
	lua_pop(L, 1);
}

static void
heap_to_lua(lua_State *L, vt_value v, int depth)
{
	int64_t i;
	switch (VT_KIND(v)) {
	case VT_K_STR: lua_pushlstring(L, vt_as_str(v)->s, vt_as_str(v)->bytes); return;
	case VT_K_FLOAT: lua_pushnumber(L, vt_as_float(v)); return;
	case VT_K_TUPLE:
	case VT_K_LIST:
	case VT_K_SET: list_to_lua(L, v, depth); return;
	case VT_K_DICT: dict_to_lua(L, vt_as_dict(v), depth); return;
	case VT_K_ITER:
	case VT_K_VIEW:
	case VT_K_ORDERING:
	case VT_K_MEMO: lazy_to_lua(L, v, depth); return;
	case VT_K_HOST: lua_rawgeti(L, LUA_REGISTRYINDEX, VT_AS(struct host, v)->ref); return;
	}
	if (vt_int_fits(v, &i))
		lua_pushinteger(L, i);
	else
		*hl_push_box(L) = vt_copy(v);
}

void
hl_to_lua(lua_State *L, vt_value v, int depth)
{
	luaL_checkstack(L, 8, "value too deep");
	if (depth > DEPTH)
		luaL_error(L, "value nested deeper than %d levels", DEPTH);
	if (vt_is_int(v))
		lua_pushinteger(L, vt_toint(v));
	else if (vt_is_bool(v))
		lua_pushboolean(L, v == VT_TRUE);
	else if (v == VT_NULL)
		lua_pushlightuserdata(L, NULL);
	else if (!vt_is_ptr(v))
		lua_pushnil(L);
	else
		heap_to_lua(L, v, depth + 1);
}

/* ---- from Lua to the runtime: these never raise a Lua error ---- */

static bool
has_kind(lua_State *L, int i, const char *key)
{
	bool same;
	if (!lua_getmetatable(L, i))
		return false;
	lua_rawgetp(L, LUA_REGISTRYINDEX, key);
	same = lua_rawequal(L, -1, -2);
	lua_pop(L, 2);
	return same;
}

/* A table without a kind is a list when its keys are 1..n. */
static bool
looks_like_list(lua_State *L, int i)
{
	lua_Unsigned n = lua_rawlen(L, i), seen = 0;
	if (has_kind(L, i, &list_key))
		return true;
	if (has_kind(L, i, &dict_key))
		return false;
	for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1))
		seen++;
	return seen == n;
}

static vt_status
list_from_lua(struct vt_lua *l, lua_State *L, int i, int depth, vt_value *out)
{
	lua_Unsigned n = lua_rawlen(L, i);
	vt_list *list = vt_list_grow(l->rt, VT_K_LIST, 4);
	for (lua_Unsigned k = 1; k <= n; k++) {
		vt_value v = VT_UNDEF;
		vt_status st;
		lua_rawgeti(L, i, (lua_Integer)k);
		st = hl_from_lua(l, L, lua_gettop(L), depth, &v);
		lua_pop(L, 1);
		if (st != VT_OK) {
			vt_release(vt_mkptr(list));
			return st;
		}
		vt_list_push(l->rt, list, v);
	}
	*out = vt_mkptr(list);
	return VT_OK;
}

struct pair {
	vt_value key, value;
};

/* Lua forgets the order of keys, and answers must not change from run to run: numbers, then
 * texts. */
static int
by_key(const void *a, const void *b)
{
	vt_value x = ((const struct pair *)a)->key, y = ((const struct pair *)b)->key;
	if (vt_is_number(x) && vt_is_number(y))
		return vt_num_cmp(x, y);
	if (vt_is(x, STR) && vt_is(y, STR))
		return vt_str_cmp(vt_as_str(x), vt_as_str(y));
	return vt_is_number(x) ? -1 : vt_is_number(y) ? 1 : vt_is(x, STR) ? -1 : vt_is(y, STR);
}

static vt_status
pairs_from_lua(struct vt_lua *l, lua_State *L, int i, int depth, struct pair **pairs, size_t *n)
{
	size_t cap = 0;
	for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) {
		struct pair p = {VT_UNDEF, VT_UNDEF};
		int top = lua_gettop(L);
		vt_status st = hl_from_lua(l, L, top - 1, depth, &p.key);
		if (st == VT_OK)
			st = hl_from_lua(l, L, top, depth, &p.value);
		if (*n == cap)
			*pairs = vt_xrealloc(*pairs, (cap = cap ? 2 * cap : 8) * sizeof **pairs);
		(*pairs)[(*n)++] = p;
		if (st != VT_OK) {
			lua_pop(L, 2);
			return st;
		}
	}
	return VT_OK;
}

static vt_status
dict_from_lua(struct vt_lua *l, lua_State *L, int i, int depth, vt_value *out)
{
	struct pair *pairs = NULL;
	size_t n = 0;
	vt_dict *d = vt_dict_new(l->rt, false);
	vt_status st = pairs_from_lua(l, L, i, depth, &pairs, &n);
	if (st == VT_OK && n > 1)
		qsort(pairs, n, sizeof *pairs, by_key);
	for (size_t k = 0; k < n; k++) {
		if (st == VT_OK)
			st = vt_dict_set(l->rt, d, pairs[k].key, pairs[k].value);
		vt_release(pairs[k].key);
		vt_release(pairs[k].value);
	}
	free(pairs);
	if (st == VT_OK)
		*out = vt_mkptr(d);
	else
		vt_release(vt_mkptr(d));
	return st;
}

static vt_status
text_from_lua(struct vt_lua *l, lua_State *L, int i, vt_value *out)
{
	size_t n;
	const char *s = lua_tolstring(L, i, &n);
	if (n > UINT32_MAX || vt_utf8_check(s, n) != n)
		return vt_raise(l->rt, VT_E_HOST, "a string from Lua is not valid UTF-8");
	*out = vt_str_new(l->rt, s, n);
	return VT_OK;
}

static int
ref_body(lua_State *L)
{
	lua_pushinteger(L, luaL_ref(L, LUA_REGISTRYINDEX));
	return 1;
}

struct held {
	struct vt_lua *l;
	int ref;
};
static vt_status call_held(vt_rt *, void *, uint32_t, const vt_value *, vt_value *);

static void
drop_held(void *data)
{
	struct held *h = data;
	if (h->l->L != NULL)
		luaL_unref(h->l->L, LUA_REGISTRYINDEX, h->ref);
	free(h);
}

/* luaL_ref may run out of memory, so it runs protected. */
static vt_status
hl_hold(struct vt_lua *l, lua_State *L, int i, int *ref)
{
	lua_pushcfunction(L, ref_body);
	lua_pushvalue(L, i);
	if (lua_pcall(L, 1, 1, 0) != LUA_OK) {
		lua_pop(L, 1);
		return vt_raise(l->rt, VT_E_HOST, "not enough memory");
	}
	*ref = (int)lua_tointeger(L, -1);
	lua_pop(L, 1);
	return VT_OK;
}

/* A Lua function becomes a lambda. */
static vt_status
function_from_lua(struct vt_lua *l, lua_State *L, int i, vt_value *out)
{
	struct held *h;
	int ref;
	VT_TRY(hl_hold(l, L, i, &ref));
	h = vt_xmalloc(sizeof *h);
	h->l = l;
	h->ref = ref;
	*out = vt_lambda_native(l->rt, call_held, h, drop_held);
	return VT_OK;
}

/* ---- objects of the host ---- */

/* Pushes the mark of the table at i, or nothing and tells that it is no object. Never raises. */
static bool
push_mark(lua_State *L, int i)
{
	if (lua_rawgetp(L, LUA_REGISTRYINDEX, &objects_key) == LUA_TTABLE) {
		lua_pushvalue(L, i);
		if (lua_rawget(L, -2) == LUA_TTABLE) {
			lua_remove(L, -2);
			return true;
		}
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
	return false;
}

/* The slot of the mark is there from the start, so that this allocates nothing. The mark is on
 * top. */
static void
set_mark_value(lua_State *L, struct host *o)
{
	if (o != NULL)
		lua_pushlightuserdata(L, o);
	else
		lua_pushboolean(L, 0);
	lua_rawseti(L, -2, MARK_VALUE);
}

static void
free_host(vt_head *h)
{
	struct host *o = (struct host *)h;
	lua_State *L = o->l->running ? o->l->running : o->l->L;
	if (L == NULL)
		return;
	if (!lua_checkstack(L, 5)) {
		o->l->stale = true;
	} else {
		lua_rawgeti(L, LUA_REGISTRYINDEX, o->ref);
		if (push_mark(L, lua_gettop(L))) {
			set_mark_value(L, NULL);
			lua_pop(L, 1);
		}
		lua_pop(L, 1);
	}
	luaL_unref(L, LUA_REGISTRYINDEX, o->ref);
}

/* One value a table, as long as it lives: == and distinct() go by it. The mark is on top of the
 * stack, and goes. */
static vt_status
object_from_lua(struct vt_lua *l, lua_State *L, int i, vt_value *out)
{
	struct host *o;
	int ref;
	lua_rawgeti(L, -1, MARK_VALUE);
	o = lua_touserdata(L, -1);
	lua_pop(L, 1);
	if (o != NULL && !l->stale) {
		lua_pop(L, 1);
		*out = vt_copy(vt_mkptr(o));
		return VT_OK;
	}
	if (hl_hold(l, L, i, &ref) != VT_OK) {
		lua_pop(L, 1);
		return VT_ERROR;
	}
	o = vt_alloc(l->rt, sizeof *o, VT_K_HOST);
	o->l = l;
	o->ref = ref;
	lua_rawgeti(L, -1, MARK_FLAGS);
	o->h.aux = (uint8_t)lua_tointeger(L, -1);
	lua_pop(L, 1);
	set_mark_value(L, o);
	lua_pop(L, 1);
	*out = vt_mkptr(o);
	return VT_OK;
}

static bool
has_methods(vt_rt *rt, vt_value object)
{
	return vt_head_of(object)->aux & SHOWS_METHODS;
}

static vt_status
other_from_lua(struct vt_lua *l, lua_State *L, int i, vt_value *out)
{
	vt_value *box = to_box(L, i);
	if (box != NULL) {
		*out = vt_copy(*box);
		return VT_OK;
	}
	return vt_raise(l->rt, VT_E_HOST, "a Lua %s cannot be a value", luaL_typename(L, i));
}

/* i is an absolute index. */
vt_status
hl_from_lua(struct vt_lua *l, lua_State *L, int i, int depth, vt_value *out)
{
	if (depth > DEPTH || !lua_checkstack(L, 8))
		return vt_raise(l->rt, VT_E_HOST, "a value from Lua is nested too deep");
	switch (lua_type(L, i)) {
	case LUA_TNIL: *out = VT_NULL; return VT_OK;
	case LUA_TBOOLEAN: *out = vt_mkbool(lua_toboolean(L, i)); return VT_OK;
	case LUA_TNUMBER:
		*out = lua_isinteger(L, i) ? vt_int_new(l->rt, lua_tointeger(L, i))
					   : vt_float_new(l->rt, lua_tonumber(L, i));
		return VT_OK;
	case LUA_TSTRING: return text_from_lua(l, L, i, out);
	case LUA_TTABLE:
		if (push_mark(L, i))
			return object_from_lua(l, L, i, out);
		if (looks_like_list(L, i))
			return list_from_lua(l, L, i, depth + 1, out);
		return dict_from_lua(l, L, i, depth + 1, out);
	case LUA_TFUNCTION: return function_from_lua(l, L, i, out);
	case LUA_TLIGHTUSERDATA:
		if (lua_touserdata(L, i) == NULL) {
			*out = VT_NULL;
			return VT_OK;
		}
	}
	return other_from_lua(l, L, i, out);
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
	vt_value *box = to_box(L, -1);
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
	lua_sethook(L, hl_count, LUA_MASKCOUNT, 1);
	luaL_error(L, "more than %I instructions", (LUAI_UACINT)l->budget);
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
		return vt_raise(l->rt, VT_E_RECURSION, "maximum recursion depth exceeded");
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

static vt_status
call_held(vt_rt *rt, void *data, uint32_t n, const vt_value *args, vt_value *out)
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

static vt_status
call_row(vt_args *a, vt_value *out)
{
	const struct lua_fn *f = vt_host_data(a->row);
	struct call c = {f->ref, VT_UNDEF, a->v, a->nv, a->rest, a->nrest, a->kw,
		takes_kwargs(a->row->params, a->row->nparams)};
	return invoke_in(a->rt->s->lua, &c, a, out);
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

/* ---- vetro.register ---- */

const char *
hl_text_field(lua_State *L, int t, const char *key, const char *dflt)
{
	lua_getfield(L, t, key);
	if (lua_isnil(L, -1) && dflt != NULL)
		return dflt;
	if (lua_type(L, -1) != LUA_TSTRING)
		luaL_error(L, "'%s' must be text", key);
	return lua_tostring(L, -1);
}

static uint32_t
row_flags(lua_State *L, const char *kind)
{
	if (strcmp(kind, "function") == 0 || strcmp(kind, "fn") == 0)
		return VT_FN_FUNCTION;
	if (strcmp(kind, "method") == 0)
		return VT_FN_METHOD;
	if (strcmp(kind, "ext") == 0 || strcmp(kind, "extension") == 0)
		return VT_FN_FUNCTION | VT_FN_METHOD;
	return (uint32_t)luaL_error(L, "kind is one of function, method, ext; not '%s'", kind);
}

static bool
flag_field(lua_State *L, int t, const char *key, bool dflt)
{
	bool on;
	lua_getfield(L, t, key);
	on = lua_isnil(L, -1) ? dflt : lua_toboolean(L, -1);
	lua_pop(L, 1);
	return on;
}

/* level: 1 when nothing is said; a larger one is further in and goes first, 0 is that of the
 * library. */
static uint32_t
level_flags(lua_State *L)
{
	lua_Integer level = 1;
	lua_getfield(L, 1, "level");
	if (!lua_isnil(L, -1))
		level = luaL_checkinteger(L, -1);
	lua_pop(L, 1);
	if (level < 0 || level > 255)
		return (uint32_t)luaL_error(L, "level is a number from 0 to 255");
	return (uint32_t)level * (VT_FN_LEVEL & -VT_FN_LEVEL);
}

/* The function in field 'fn' of the table at t, kept in the registry. */
int
hl_ref_field(lua_State *L, int t)
{
	lua_getfield(L, t, "fn");
	luaL_argexpected(L, lua_isfunction(L, -1), t, "a table with a function 'fn'");
	return luaL_ref(L, LUA_REGISTRYINDEX);
}

static int
l_register(lua_State *L)
{
	struct vt_lua *l = hl_of(L);
	vt_sig sig;
	const char *name, *text, *err;
	uint32_t flags;
	struct lua_fn *f;
	int ref;
	luaL_checktype(L, 1, LUA_TTABLE);
	name = hl_text_field(L, 1, "name", NULL);
	text = hl_text_field(L, 1, "params", "");
	flags = row_flags(L, hl_text_field(L, 1, "kind", "function")) | level_flags(L) |
		(flag_field(L, 1, "exclusive", false) ? VT_FN_EXCLUSIVE : 0) |
		(flag_field(L, 1, "keywords", true) ? 0 : VT_FN_NO_KWARGS);
	if (l->loading_hooks && vt_host_defined(l->rt, name))
		return 0; /* a program's own function hides the hook of that name */
	ref = hl_ref_field(L, 1);
	if ((err = vt_sig_read(&sig, text)) != NULL)
		return luaL_error(L, "params of '%s': %s", name, err);
	f = vt_xmalloc(sizeof *f);
	*f = (struct lua_fn){.ref = ref};
	if (!vt_host_add(l->rt, name, flags, &sig, call_row, f, free))
		return luaL_error(L, "'%s' has %d overloads already", name, VT_HOST_OVERLOADS);
	return 0;
}

/* ---- the rest of the table vetro ---- */

static int
set_table_kind(lua_State *L, const char *key)
{
	if (lua_isnoneornil(L, 1)) {
		lua_settop(L, 0);
		lua_newtable(L);
	}
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 1);
	set_kind(L, key);
	return 1;
}

static int
l_list(lua_State *L)
{
	return set_table_kind(L, &list_key);
}

static int
l_dict(lua_State *L)
{
	return set_table_kind(L, &dict_key);
}

/* vetro.keywords{name = value}: as the last argument of a call, its keyword arguments. */
static int
l_keywords(lua_State *L)
{
	return set_table_kind(L, &keywords_key);
}

/* objects.lua gets the table of settings and returns the function that calls methods. */
static void
load_objects(lua_State *L)
{
	struct vt_lua *l = hl_of(L);
	if (luaL_loadbufferx(L, vt_objects_lua, sizeof vt_objects_lua - 1, "=objects.lua", "t") !=
		LUA_OK)
		lua_error(L);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &objects_key);
	lua_call(L, 1, 1);
	l->send = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* For the settings at 2. */
static void
push_new_mark(lua_State *L)
{
	lua_createtable(L, 2, 1);
	lua_pushinteger(L, flag_field(L, 2, "methods", true) ? SHOWS_METHODS : 0);
	lua_rawseti(L, -2, MARK_FLAGS);
	lua_pushboolean(L, 0);
	lua_rawseti(L, -2, MARK_VALUE);
	lua_pushvalue(L, 2);
	lua_setfield(L, -2, "settings");
}

/* vetro.object(table, settings): from now on the table passes as an object, not as a copy. */
static int
l_object(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	if (lua_isnoneornil(L, 2)) {
		lua_settop(L, 1);
		lua_newtable(L);
	}
	luaL_checktype(L, 2, LUA_TTABLE);
	lua_settop(L, 2);
	if (hl_of(L)->send == 0)
		load_objects(L);
	if (push_mark(L, 1))
		return luaL_error(L, "the table is an object already");
	lua_rawgetp(L, LUA_REGISTRYINDEX, &objects_key);
	lua_pushvalue(L, 1);
	push_new_mark(L);
	lua_rawset(L, -3);
	lua_settop(L, 1);
	return 1;
}

/* vetro.raise(type, message): a type that nobody knows is one of the host's own, with that name. */
static int
l_raise(lua_State *L)
{
	struct vt_lua *l = hl_of(L);
	const char *name = luaL_checkstring(L, 1);
	size_t n = 0;
	const char *message = luaL_optlstring(L, 2, "", &n);
	if (vt_utf8_check(message, n) != n || vt_utf8_check(name, strlen(name)) != strlen(name))
		return luaL_error(L, "the message is not valid UTF-8");
	(void)vt_host_raise(l->rt, name, message, n);
	return hl_raise_pending(L);
}

static int
l_type(lua_State *L)
{
	vt_value *box = to_box(L, 1);
	luaL_checkany(L, 1);
	if (box != NULL && (vt_is(*box, OBJECT) || vt_is(*box, CAST)))
		lua_pushliteral(L, "object");
	else if (box != NULL && vt_is(*box, TYPEREF))
		lua_pushliteral(L, "type");
	else if (box != NULL)
		lua_pushstring(L, vt_is(*box, LAMBDA)   ? "lambda"
				  : vt_is(*box, BIGINT) ? "integer"
							: vt_py_type(*box));
	else if (lua_type(L, 1) == LUA_TLIGHTUSERDATA)
		lua_pushliteral(L, "null");
	else if (lua_type(L, 1) == LUA_TTABLE)
		lua_pushstring(L, looks_like_list(L, 1) ? "list" : "dict");
	else
		lua_pushstring(L, lua_isinteger(L, 1) ? "integer" : luaL_typename(L, 1));
	return 1;
}

/* vetro.classof(object or type): its FQN. */
static int
l_classof(lua_State *L)
{
	vt_value v = check_box(L, 1, "an object or a type");
	const vt_class *c = NULL;
	if (vt_is(v, TYPEREF))
		c = VT_AS(vt_typeref_obj, v)->cls;
	else if (vt_is(v, OBJECT) || vt_is(v, CAST))
		c = vt_cls_of(v);
	if (c == NULL)
		return luaL_error(L, "an object or a type expected");
	lua_pushlstring(L, c->decl->name->s, c->decl->name->bytes);
	return 1;
}

static vt_value
check_object(lua_State *L, int i)
{
	vt_value v = check_box(L, i, "an object");
	if (!vt_is(v, OBJECT) && !vt_is(v, CAST))
		luaL_error(L, "an object expected");
	return v;
}

static int
l_id(lua_State *L)
{
	const vt_str *id = vt_as_str(vt_obj_of(check_object(L, 1))->id);
	lua_pushlstring(L, id->s, id->bytes);
	return 1;
}

/* A text argument as a vt_str, owned by a box on the stack. */
static const vt_str *
check_text(lua_State *L, int i)
{
	size_t n;
	const char *s = luaL_checklstring(L, i, &n);
	vt_value *box;
	if (vt_utf8_check(s, n) != n)
		luaL_error(L, "text is not valid UTF-8");
	box = hl_push_box(L);
	*box = vt_str_new(hl_of(L)->rt, s, n);
	return vt_as_str(*box);
}

/* vetro.get(object, name): the property, seen from the object's own class. */
static int
l_get(lua_State *L)
{
	vt_value v = check_object(L, 1), *out;
	const vt_str *name = check_text(L, 2);
	out = hl_push_box(L);
	if (vt_get_prop(hl_of(L)->rt, vt_cls_of(v)->decl->unit, v, name, out) != VT_OK)
		return hl_raise_pending(L);
	hl_to_lua(L, *out, 0);
	return 1;
}

/* The arguments from the i-th on as a tuple, in a box on top of the stack. */
static vt_value
box_args(lua_State *L, int i)
{
	struct vt_lua *l = hl_of(L);
	int top = lua_gettop(L);
	vt_value *box = hl_push_box(L);
	vt_list *list = vt_list_grow(l->rt, VT_K_TUPLE, 4);
	*box = vt_mkptr(list);
	for (; i <= top; i++) {
		vt_value v = VT_UNDEF;
		if (hl_from_lua(l, L, i, 0, &v) != VT_OK)
			hl_raise_pending(L);
		vt_list_push(l->rt, list, v);
	}
	return *box;
}

/* While the runtime works for a Lua thread, calls back into Lua must run on that thread. */
static vt_status
run_for(lua_State *L, vt_status (*fn)(vt_rt *, vt_value, const vt_str *, vt_value args, vt_value *),
	vt_value on, const vt_str *name, vt_value args, vt_value *out)
{
	struct vt_lua *l = hl_of(L);
	lua_State *before = l->running;
	vt_status st;
	l->running = L;
	st = fn(l->rt, on, name, args, out);
	l->running = before;
	return st;
}

static vt_status
do_call(vt_rt *rt, vt_value on, const vt_str *name, vt_value args, vt_value *out)
{
	bool ambiguous = false;
	const vt_method_decl *m = vt_class_method(rt, vt_cls_of(on), name, &ambiguous);
	if (ambiguous)
		return VT_ERROR;
	if (m == NULL)
		return vt_raise(rt, VT_E_NO_METHOD_NAME, "Method \"%s\" is not found", name->s);
	return vt_invoke(rt, vt_cls_of(on)->decl->unit, m, on, vt_as_list(args)->n,
		vt_as_list(args)->v, VT_NULL, out);
}

/* vetro.call(object, method, ...) */
static int
l_call(lua_State *L)
{
	vt_value on = check_object(L, 1), args = box_args(L, 3), *out;
	const vt_str *name = check_text(L, 2);
	out = hl_push_box(L);
	if (run_for(L, do_call, on, name, args, out) != VT_OK)
		return hl_raise_pending(L);
	hl_to_lua(L, *out, 0);
	return 1;
}

/* vetro.sleep(seconds): lets other tasks run meanwhile. */
static int
l_sleep(lua_State *L)
{
	double seconds = luaL_checknumber(L, 1);
	struct vt_lua *l = hl_of(L);
	lua_State *before = l->running;
	vt_status st;
	if (seconds >= 1e9)
		luaL_error(L, "the time is too long");
	l->running = L;
	st = vt_sleep(l->rt, seconds);
	l->running = before;
	return st == VT_OK ? 0 : hl_raise_pending(L);
}

/* ---- calls from Lua: what runs on behalf of the function in progress ---- */

/* A call with everything in boxes on the stack. */
struct request {
	vt_value on; /* receiver or lambda; VT_UNDEF: none */
	const vt_str *name;
	uint32_t n;
	const vt_value *args;
	vt_value kw; /* a dict or VT_NULL */
	const vt_args *frame;
};
typedef vt_status request_fn(vt_rt *, const struct request *, vt_value *out);

static const vt_args *
check_frame(lua_State *L)
{
	const vt_args *frame = hl_of(L)->frame;
	if (frame == NULL)
		luaL_error(L, "this is possible only while a function of the host is called");
	return frame;
}

/* A table of keywords at the top goes into a box of its own. */
static vt_value
box_keywords(lua_State *L)
{
	vt_value *box, key, v;
	int top = lua_gettop(L);
	if (top == 0 || lua_type(L, top) != LUA_TTABLE || !has_kind(L, top, &keywords_key))
		return VT_NULL;
	box = hl_push_box(L);
	if (dict_from_lua(hl_of(L), L, top, 0, box) != VT_OK)
		hl_raise_pending(L);
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(*box), &i, &key, &v);)
		if (!vt_is(key, STR))
			luaL_error(L, "keywords are texts");
	lua_replace(L, top);
	return *box;
}

/* Arguments from the i-th on; replaces nothing that a box holds. */
static void
read_request(lua_State *L, int i, struct request *r)
{
	vt_value list;
	r->kw = box_keywords(L);
	if (r->kw != VT_NULL)
		lua_insert(L, 1);
	list = box_args(L, r->kw != VT_NULL ? i + 1 : i);
	r->n = vt_as_list(list)->n;
	r->args = vt_as_list(list)->v;
}

/* While the runtime works for a Lua thread, calls back into Lua must run on that thread. */
static int
run_request(lua_State *L, request_fn *fn, const struct request *r)
{
	struct vt_lua *l = hl_of(L);
	lua_State *before = l->running;
	vt_value *out = hl_push_box(L);
	vt_status st;
	l->running = L;
	st = fn(l->rt, r, out);
	l->running = before;
	if (st != VT_OK)
		return hl_raise_pending(L);
	hl_to_lua(L, *out, 0);
	return 1;
}

static vt_status
do_apply(vt_rt *rt, const struct request *r, vt_value *out)
{
	if (r->kw == VT_NULL)
		return vt_apply(rt, r->on, r->n, r->args, out);
	return vt_apply_kw(rt, r->on, r->n, r->args, r->kw, out);
}

static vt_status
do_invoke(vt_rt *rt, const struct request *r, vt_value *out)
{
	vt_list *list = vt_list_new(rt, VT_K_TUPLE, r->n);
	vt_status st;
	for (uint32_t i = 0; i < r->n; i++)
		list->v[i] = vt_copy(r->args[i]);
	st = vt_call_dynamic(
		rt, r->frame->scope, r->frame->unit, r->name, r->on, vt_mkptr(list), r->kw, out);
	vt_release(vt_mkptr(list));
	return st;
}

static vt_status
do_super(vt_rt *rt, const struct request *r, vt_value *out)
{
	return vt_call_super(
		r->frame, r->n, r->args, r->kw == VT_NULL ? NULL : vt_as_dict(r->kw), out);
}

/* vetro.invoke(name, ...): the function that the caller would get by that name. */
static int
l_invoke(lua_State *L)
{
	struct request r = {.on = VT_UNDEF, .frame = check_frame(L), .name = check_text(L, 1)};
	lua_replace(L, 1);
	read_request(L, 2, &r);
	return run_request(L, do_invoke, &r);
}

/* vetro.send(receiver, name, ...): the same with a method. */
static int
l_send(lua_State *L)
{
	struct request r = {.frame = check_frame(L), .name = check_text(L, 2)};
	vt_value *on;
	lua_replace(L, 2);
	on = hl_push_box(L);
	if (hl_from_lua(hl_of(L), L, 1, 0, on) != VT_OK)
		return hl_raise_pending(L);
	lua_replace(L, 1);
	r.on = *on;
	read_request(L, 3, &r);
	return run_request(L, do_invoke, &r);
}

/* vetro.super(...): what the function in progress hides. */
static int
l_super(lua_State *L)
{
	struct request r = {.on = VT_UNDEF, .frame = check_frame(L)};
	if (r.frame->row == NULL)
		return luaL_error(
			L, "a method of a class hides nothing that vetro.super could call");
	read_request(L, 1, &r);
	return run_request(L, do_super, &r);
}

/* A lambda in the caller's scope. A scope on the C stack is copied: its code does not reckon with
 * captures. */
static vt_value
lambda_in(vt_rt *rt, const vt_code *code, vt_scope *s)
{
	vt_scope *copy;
	vt_value lambda;
	if (s->h.rc != VT_IMMORTAL)
		return vt_lambda_new(rt, code, s);
	copy = vt_scope_child(rt, s->parent, s->nargs, s->v);
	lambda = vt_lambda_new(rt, code, copy);
	vt_scope_drop(copy);
	return lambda;
}

/* vetro.expr(text): the expression as a lambda that sees what the caller sees. */
static int
l_expr(lua_State *L)
{
	vt_rt *rt = hl_of(L)->rt;
	const vt_args *frame = check_frame(L);
	const vt_str *text = check_text(L, 1);
	const vt_code *code = NULL;
	vt_value *box;
	if (rt->s->compile == NULL || frame->scope == NULL)
		return luaL_error(L, "expressions cannot be compiled here");
	box = hl_push_box(L);
	if (rt->s->compile(rt, rt->s->compile_ctx, text, &code) != VT_OK)
		return hl_raise_pending(L);
	*box = lambda_in(rt, code, frame->scope);
	return 1;
}

/* vetro.var(name): the caller's $name; without a name $ itself. */
static int
l_var(lua_State *L)
{
	const vt_args *frame = check_frame(L);
	const vt_str *name;
	lua_settop(L, 1);
	if (lua_isnil(L, 1) || lua_rawlen(L, 1) == 0) {
		lua_pushliteral(L, "1");
		lua_replace(L, 1);
	}
	name = check_text(L, 1);
	if (frame->scope == NULL)
		return 0;
	hl_to_lua(L, vt_scope_get(hl_of(L)->rt, frame->scope, name), 0);
	return 1;
}

static int
l_print(lua_State *L)
{
	int n = lua_gettop(L);
	for (int i = 1; i <= n; i++) {
		vt_say(i > 1 ? "\t%s" : "%s", luaL_tolstring(L, i, NULL));
		lua_pop(L, 1);
	}
	vt_say("\n");
	return 0;
}

/* Finalizers run with the instruction counter off, so a script gets none. */
static int
l_setmetatable(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	luaL_argexpected(L, lua_isnil(L, 2) || lua_istable(L, 2), 2, "nil or table");
	if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
		return luaL_error(L, "cannot change a protected metatable");
	if (lua_istable(L, 2)) {
		lua_pushliteral(L, "__gc");
		if (lua_rawget(L, 2) != LUA_TNIL)
			return luaL_error(L, "finalizers are not available here");
	}
	lua_settop(L, 2);
	lua_setmetatable(L, 1);
	return 1;
}

/* ---- metamethods of boxes ---- */

static int
box_gc(lua_State *L)
{
	vt_value *box = lua_touserdata(L, 1);
	vt_clear(box);
	return 0;
}

static int
box_call(lua_State *L)
{
	struct request r = {.on = check_box(L, 1, "a lambda")};
	if (!vt_is(r.on, LAMBDA))
		return luaL_error(
			L, "only lambdas can be called; vetro.call(object, method) calls a method");
	read_request(L, 2, &r);
	return run_request(L, do_apply, &r);
}

static int
box_text(lua_State *L)
{
	struct vt_lua *l = hl_of(L);
	vt_value v = check_box(L, 1, "a value"), *box = hl_push_box(L);
	vt_buf b = {0};
	if (vt_is(v, EXC))
		vt_exc_str(l->rt, &b, VT_AS(vt_exc, v));
	else
		vt_pystr(l->rt, &b, v);
	*box = vt_str_take(l->rt, &b);
	lua_pushlstring(L, vt_as_str(*box)->s, vt_as_str(*box)->bytes);
	return 1;
}

static int
box_equal(lua_State *L)
{
	vt_value *a = to_box(L, 1), *b = to_box(L, 2);
	lua_pushboolean(L, a != NULL && b != NULL && vt_eq(*a, *b));
	return 1;
}

/* ---- the state ---- */

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
	q = vt_xrealloc(p, after);
	l->used = l->used - before + after;
	return q;
}

static const luaL_Reg vetro_table[] = {{"register", l_register}, {"class", hl_class},
	{"list", l_list}, {"dict", l_dict}, {"raise", l_raise}, {"keywords", l_keywords},
	{"object", l_object}, {"invoke", l_invoke}, {"send", l_send}, {"super", l_super},
	{"var", l_var}, {"expr", l_expr}, {"type", l_type}, {"classof", l_classof}, {"id", l_id},
	{"get", l_get}, {"call", l_call}, {"sleep", l_sleep}, {"yay", hl_yay}, {NULL, NULL}};
static const luaL_Reg box_table[] = {{"__gc", box_gc}, {"__call", box_call},
	{"__tostring", box_text}, {"__eq", box_equal}, {NULL, NULL}};

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
	lua_pushcfunction(L, l_print);
	lua_setglobal(L, "print");
	lua_pushcfunction(L, l_setmetatable);
	lua_setglobal(L, "setmetatable");
}

static int
open_body(lua_State *L)
{
	open_libraries(L, hl_of(L)->rt->s->lua_unsafe);
	make_kind(L, &list_key, "list");
	make_kind(L, &dict_key, "dict");
	make_kind(L, &keywords_key, "keywords");
	lua_newtable(L);
	lua_newtable(L);
	lua_pushliteral(L, "k");
	lua_setfield(L, -2, "__mode");
	lua_setmetatable(L, -2);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &objects_key);
	lua_newtable(L);
	luaL_setfuncs(L, box_table, 0);
	lua_pushliteral(L, "value");
	lua_setfield(L, -2, "__metatable");
	lua_rawsetp(L, LUA_REGISTRYINDEX, &box_key);
	hl_open_yay(L);
	luaL_newlib(L, vetro_table);
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
	l = vt_xmalloc(sizeof *l);
	memset(l, 0, sizeof *l);
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
		fprintf(stderr, "vetro: %s\n", err);
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
		list_from_lua(l, l->L, lua_gettop(l->L), 0, &list) == VT_OK) {
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
	.has_methods = has_methods,
	.send = send_to,
	.free = close_lua,
	.forget = forget,
	.find_class = class_of_host,
	.drain_traces = drain_traces,
	.switch_task = switch_task,
	.end_task = end_task,
	.free_host = free_host,
};
