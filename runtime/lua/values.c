/*
 * values.c - values on their way into Lua and out of it: boxes, lists and dicts, functions, objects
 * of the host.  host.c has the invariants.
 */
#include "runtime/lua/host.h"
#include "runtime/core/exception.h"
#include "runtime/core/kind.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>

enum { DEPTH = 100 };

const char hl_list_key, hl_dict_key, hl_keywords_key, hl_box_key, hl_objects_key;

/* ---- boxes: counted references inside Lua ---- */

/* A userdata on top of the stack whose slot is VT_UNDEF; what is put there is released with it. */
vt_value *
hl_push_box(lua_State *L)
{
	vt_value *box = lua_newuserdatauv(L, sizeof *box, 0);
	*box = VT_UNDEF;
	lua_rawgetp(L, LUA_REGISTRYINDEX, &hl_box_key);
	lua_setmetatable(L, -2);
	return box;
}

vt_value *
hl_to_box(lua_State *L, int i)
{
	bool same;
	if (lua_type(L, i) != LUA_TUSERDATA || !lua_getmetatable(L, i))
		return NULL;
	lua_rawgetp(L, LUA_REGISTRYINDEX, &hl_box_key);
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

vt_value
hl_check_box(lua_State *L, int i, const char *what)
{
	vt_value *box = hl_to_box(L, i);
	if (box == NULL)
		luaL_error(L, "%s expected, got %s", what, luaL_typename(L, i));
	return *box;
}

/* ---- from the runtime to Lua ---- */

void
hl_set_kind(lua_State *L, const char *key)
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
	hl_set_kind(L, &hl_list_key);
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
	hl_set_kind(L, &hl_dict_key);
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
	hl_set_kind(L, &hl_list_key);
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
	case VT_K_TUPLE:
	case VT_K_LIST:
	case VT_K_SET: list_to_lua(L, v, depth); return;
	case VT_K_DICT: dict_to_lua(L, vt_as_dict(v), depth); return;
	case VT_K_ITER:
	case VT_K_VIEW:
	case VT_K_ORDERING:
	case VT_K_MEMO: lazy_to_lua(L, v, depth); return;
	case VT_K_HOST:
		if (vt_foreign_of(v) != NULL)
			break; /* of a program in C: a box */
		lua_rawgeti(L, LUA_REGISTRYINDEX, VT_AS(struct host, v)->ref);
		return;
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
	else if (vt_is(v, FLOAT))
		lua_pushnumber(L, vt_as_float(v));
	else if (v == VT_NULL)
		lua_pushlightuserdata(L, NULL);
	else if (!vt_is_ptr(v))
		lua_pushnil(L);
	else
		heap_to_lua(L, v, depth + 1);
}

/* ---- from Lua to the runtime: these never raise a Lua error ---- */

bool
hl_has_kind(lua_State *L, int i, const char *key)
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
bool
hl_looks_like_list(lua_State *L, int i)
{
	lua_Unsigned n = lua_rawlen(L, i), seen = 0;
	if (hl_has_kind(L, i, &hl_list_key))
		return true;
	if (hl_has_kind(L, i, &hl_dict_key))
		return false;
	for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1))
		seen++;
	return seen == n;
}

vt_status
hl_list_from_lua(struct vt_lua *l, lua_State *L, int i, int depth, vt_value *out)
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
	for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) {
		struct pair p = {VT_UNDEF, VT_UNDEF};
		int top = lua_gettop(L);
		vt_status st = hl_from_lua(l, L, top - 1, depth, &p.key);
		if (st == VT_OK)
			st = hl_from_lua(l, L, top, depth, &p.value);
		vt_push(*pairs, *n) = p;
		if (st != VT_OK) {
			lua_pop(L, 2);
			return st;
		}
	}
	return VT_OK;
}

vt_status
hl_dict_from_lua(struct vt_lua *l, lua_State *L, int i, int depth, vt_value *out)
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
hold(struct vt_lua *l, lua_State *L, int i, int *ref)
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
	VT_TRY(hold(l, L, i, &ref));
	h = vt_xmalloc(sizeof *h);
	h->l = l;
	h->ref = ref;
	*out = vt_lambda_native(l->rt, hl_call_held, h, drop_held);
	return VT_OK;
}

/* ---- objects of the host ---- */

/* Pushes the mark of the table at i, or nothing, and says that it is no object. Never raises. */
bool
hl_push_mark(lua_State *L, int i)
{
	if (lua_rawgetp(L, LUA_REGISTRYINDEX, &hl_objects_key) == LUA_TTABLE) {
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

void
hl_free_host(vt_head *h)
{
	struct host *o = (struct host *)h;
	lua_State *L = o->l->running ? o->l->running : o->l->L;
	if (L == NULL)
		return;
	if (!lua_checkstack(L, 5)) {
		o->l->stale = true;
	} else {
		lua_rawgeti(L, LUA_REGISTRYINDEX, o->ref);
		if (hl_push_mark(L, lua_gettop(L))) {
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
	if (hold(l, L, i, &ref) != VT_OK) {
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

bool
hl_has_methods(vt_rt *rt, vt_value object)
{
	return vt_head_of(object)->aux & SHOWS_METHODS;
}

static vt_status
other_from_lua(struct vt_lua *l, lua_State *L, int i, vt_value *out)
{
	vt_value *box = hl_to_box(L, i);
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
		if (hl_push_mark(L, i))
			return object_from_lua(l, L, i, out);
		if (hl_looks_like_list(L, i))
			return hl_list_from_lua(l, L, i, depth + 1, out);
		return hl_dict_from_lua(l, L, i, depth + 1, out);
	case LUA_TFUNCTION: return function_from_lua(l, L, i, out);
	case LUA_TLIGHTUSERDATA:
		if (lua_touserdata(L, i) == NULL) {
			*out = VT_NULL;
			return VT_OK;
		}
	}
	return other_from_lua(l, L, i, out);
}
