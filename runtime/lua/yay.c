/*
 * yay.c - vetro.yay: configurations and their places as Lua sees them.
 */
#define _GNU_SOURCE
#include "runtime/lua/host.h"
#include "runtime/yay/api.h"
#include "runtime/core/session.h"

#include <stdlib.h>
#include <string.h>

static const char conf_key, view_key; /* their addresses are registry keys */

/*
 * A configuration and its places are the same to Lua: a place is a configuration seen from there.
 * The one that owns the evaluator's session is the user value of its places.  A session is entered
 * once: a class binding that asks the configuration that is calling it, or another task meanwhile,
 * gets an error.
 */
struct yay_conf {
	vt_yconf *conf;
	bool busy;
};
struct yay_view {
	struct yay_conf *of;
	vt_ynode *node;
};
enum yay_op { YAY_AT, YAY_AS, YAY_SHAPE, YAY_PART };
struct yay_ask {
	struct yay_conf *of;
	enum yay_op op;
	bool has_default; /* argument 3 */
	vt_ynode *node;   /* from where; then what was found */
	const char *path;
	size_t n;
	enum vt_yay_as as;
	vt_value *out; /* YAY_AS: in a box */
	uint32_t i, parts;
	enum vt_yshape_kind kind;
	vt_value key; /* YAY_PART: borrowed */
};

static vt_status
yay_ask_here(vt_rt *rt, void *data)
{
	struct yay_ask *a = data;
	vt_yconf *c = a->of->conf;
	bool good;
	if (a->op != YAY_PART)
		a->node = vt_yay_reader.at(c, a->node, a->path, a->n);
	good = a->node != NULL;
	switch (a->op) {
	case YAY_AT: break;
	case YAY_AS: good = good && vt_yay_reader.value(c, a->node, a->as, a->out); break;
	case YAY_SHAPE: good = good && vt_yay_reader.shape(c, a->node, &a->kind, &a->parts); break;
	case YAY_PART:
		good = (a->node = vt_yay_reader.part(c, a->node, a->i, &a->key)) != NULL;
		break;
	}
	return good ? VT_OK : VT_ERROR;
}

/* A task's stack is small; elsewhere the calls that may still nest say how much there is. */
static vt_status
yay_ask_somewhere(vt_rt *rt, struct yay_ask *a)
{
	enum { LEAST = 256 << 10, A_CALL = 16 << 10 };
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	size_t left = rt->depth < rt->max_depth ? (size_t)(rt->max_depth - rt->depth) * A_CALL : 0;
	if (rt->stack_limit != 0)
		left = here > rt->stack_limit ? here - rt->stack_limit : 0;
	if (rt->stack_limit != 0 && left < LEAST) {
		vt_yay_reader.stack(a->of->conf, LEAST);
		return vt_on_segment(rt, yay_ask_here, a);
	}
	vt_yay_reader.stack(a->of->conf, left);
	return yay_ask_here(rt, a);
}

static int
yay_raise(lua_State *L, const vt_yconf *c)
{
	const vt_yfault *f = vt_yay_reader.fault(c);
	vt_buf b = {0};
	vt_buf_puts(&b, f->message ? f->message : f->type);
	for (uint32_t i = 0; i < f->nplaces && i < 4; i++)
		if (f->place[i].name != NULL)
			vt_buf_printf(&b, "%s%s:%u:%u", i ? ", through " : " at ", f->place[i].name,
				f->place[i].line, f->place[i].col);
	(void)vt_host_raise(hl_of(L)->rt, f->type, b.p, b.n);
	vt_buf_free(&b);
	return hl_raise_pending(L);
}

/* False: what was asked for is not defined, and there is a default. */
static bool
yay_answer(lua_State *L, struct yay_ask *a)
{
	vt_status st;
	if (a->of->busy)
		luaL_error(L, "this configuration is being evaluated");
	a->of->busy = true;
	st = yay_ask_somewhere(hl_of(L)->rt, a);
	a->of->busy = false;
	if (st == VT_OK)
		return true;
	if (!a->has_default || vt_yay_reader.fault(a->of->conf)->kind != VT_YE_NO_MATCHING)
		yay_raise(L, a->of->conf);
	return false;
}

static struct yay_view *
check_view(lua_State *L, int i)
{
	bool same = false;
	if (lua_type(L, i) == LUA_TUSERDATA && lua_getmetatable(L, i)) {
		lua_rawgetp(L, LUA_REGISTRYINDEX, &view_key);
		same = lua_rawequal(L, -1, -2);
		lua_pop(L, 2);
	}
	if (!same)
		luaL_error(L, "a configuration expected, got %s", luaL_typename(L, i));
	return lua_touserdata(L, i);
}

/* A place of the configuration at index i, on top of the stack. */
static struct yay_view *
push_view(lua_State *L, int i)
{
	struct yay_conf *of = check_view(L, i)->of;
	struct yay_view *v = lua_newuserdatauv(L, sizeof *v, 1);
	*v = (struct yay_view){of, NULL};
	lua_getiuservalue(L, i, 1);
	lua_setiuservalue(L, -2, 1);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &view_key);
	lua_setmetatable(L, -2);
	return v;
}

static struct yay_ask
yay_question(lua_State *L, enum yay_op op)
{
	struct yay_view *v = check_view(L, 1);
	struct yay_ask a = {.of = v->of, .op = op, .node = v->node, .key = VT_UNDEF};
	a.has_default = (op == YAY_AS || op == YAY_SHAPE) && lua_gettop(L) >= 3;
	a.path = luaL_optlstring(L, 2, "", &a.n);
	return a;
}

static int
yay_get_as(lua_State *L, enum vt_yay_as as)
{
	struct yay_ask a = yay_question(L, YAY_AS);
	a.as = as;
	a.out = hl_push_box(L);
	if (yay_answer(L, &a))
		hl_to_lua(L, *a.out, 0);
	else
		lua_pushvalue(L, 3);
	return 1;
}
#define X(name, as) \
	static int l_yay_##name(lua_State *L) \
	{ \
		return yay_get_as(L, as); \
	}
#define YAY_GETTERS(X) \
	X(get, VT_YAS_VALUE) \
	X(int, VT_YAS_INT) \
	X(number, VT_YAS_NUMBER) \
	X(text, VT_YAS_STRING) \
	X(bool, VT_YAS_BOOL) \
	X(list, VT_YAS_LIST) X(dict, VT_YAS_DICT) X(keys, VT_YAS_KEYS) X(labels, VT_YAS_LABELS)
YAY_GETTERS(X)
#undef X

static int
l_yay_at(lua_State *L)
{
	struct yay_ask a = yay_question(L, YAY_AT);
	yay_answer(L, &a);
	push_view(L, 1)->node = a.node;
	return 1;
}

static int
l_yay_eval(lua_State *L)
{
	struct yay_view *v = check_view(L, 1);
	size_t n;
	const char *text = luaL_checklstring(L, 2, &n);
	vt_ynode *node = v->of->busy ? NULL : vt_yay_reader.expression(v->of->conf, text, n);
	if (v->of->busy)
		return luaL_error(L, "this configuration is being evaluated");
	if (node == NULL)
		return yay_raise(L, v->of->conf);
	push_view(L, 1)->node = node;
	return 1;
}

static int
l_yay_kind(lua_State *L)
{
	static const char *const names[] = {
		[VT_YS_SCALAR] = "scalar", [VT_YS_LIST] = "list", [VT_YS_MAP] = "mapping"};
	struct yay_ask a = yay_question(L, YAY_SHAPE);
	if (yay_answer(L, &a))
		lua_pushstring(L, names[a.kind]);
	else
		lua_pushvalue(L, 3);
	return 1;
}

static int
l_yay_size(lua_State *L)
{
	struct yay_ask a = yay_question(L, YAY_SHAPE);
	if (yay_answer(L, &a))
		lua_pushinteger(L, a.parts);
	else
		lua_pushvalue(L, 3);
	return 1;
}

/* Upvalues: the place, how many parts it has, how many were given. */
static int
yay_next_part(lua_State *L)
{
	lua_Integer n = lua_tointeger(L, lua_upvalueindex(2)),
		    i = lua_tointeger(L, lua_upvalueindex(3));
	struct yay_view *v = lua_touserdata(L, lua_upvalueindex(1));
	struct yay_ask a = {
		.of = v->of, .op = YAY_PART, .node = v->node, .i = (uint32_t)i, .key = VT_UNDEF};
	if (i >= n)
		return 0;
	lua_pushinteger(L, i + 1);
	lua_replace(L, lua_upvalueindex(3));
	yay_answer(L, &a);
	if (a.key != VT_UNDEF)
		lua_pushlstring(L, vt_as_str(a.key)->s, vt_as_str(a.key)->bytes);
	else
		lua_pushinteger(L, i + 1);
	lua_pushvalue(L, lua_upvalueindex(1));
	push_view(L, lua_gettop(L))->node = a.node;
	lua_remove(L, -2);
	return 2;
}

static int
l_yay_each(lua_State *L)
{
	struct yay_ask a = yay_question(L, YAY_SHAPE);
	a.has_default = false;
	yay_answer(L, &a);
	push_view(L, 1)->node = a.node;
	lua_pushinteger(L, a.parts);
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, yay_next_part, 3);
	return 1;
}

static int
l_yay_anchor(lua_State *L)
{
	struct yay_ask a = yay_question(L, YAY_AT);
	vt_yplace p;
	yay_answer(L, &a);
	p = vt_yay_reader.anchor(a.of->conf, a.node);
	if (p.name == NULL || p.line == 0)
		return 0;
	lua_pushstring(L, p.name);
	lua_pushinteger(L, p.line);
	lua_pushinteger(L, p.col);
	return 3;
}

static int
yay_conf_gc(lua_State *L)
{
	struct yay_conf *k = lua_touserdata(L, 1);
	if (k->conf != NULL)
		vt_yay_reader.close(k->conf);
	k->conf = NULL;
	return 0;
}

static void
yay_add_text(lua_State *L, vt_yconf *c, const char *name, int i)
{
	size_t n;
	const char *text = lua_tolstring(L, i, &n);
	if (!vt_yay_reader.load_text(c, name, text, n))
		yay_raise(L, c);
}

/* A text or a table of values. */
static void
yay_add_layer(lua_State *L, vt_yconf *c, const char *name, int i)
{
	vt_value *box;
	i = lua_absindex(L, i);
	if (lua_type(L, i) == LUA_TSTRING) {
		yay_add_text(L, c, name, i);
		return;
	}
	box = hl_push_box(L);
	if (hl_from_lua(hl_of(L), L, i, 0, box) != VT_OK)
		hl_raise_pending(L);
	if (!vt_is(*box, DICT))
		luaL_error(L, "a layer is a text or a table of keys");
	if (!vt_yay_reader.load_dict(c, *box))
		yay_raise(L, c);
	lua_pop(L, 1);
}

/* The items of the list in a field of the table at 1, one after the other to `add`. */
static void
yay_each_field(
	lua_State *L, const char *field, vt_yconf *c, void (*add)(lua_State *, vt_yconf *, int i))
{
	lua_getfield(L, 1, field);
	if (!lua_isnil(L, -1) && !lua_istable(L, -1))
		luaL_error(L, "'%s' is a list", field);
	for (lua_Integer i = 1; lua_istable(L, -1) && lua_rawgeti(L, -1, i) != LUA_TNIL; i++) {
		add(L, c, lua_gettop(L));
		lua_pop(L, 1);
	}
	lua_settop(L, 2);
}

static void
yay_add_search(lua_State *L, vt_yconf *c, int i)
{
	vt_yay_reader.search(c, luaL_checkstring(L, i));
}

static void
yay_add_set(lua_State *L, vt_yconf *c, int i)
{
	if (!vt_yay_reader.override(c, luaL_checkstring(L, i)))
		yay_raise(L, c);
}

static void
yay_add_next(lua_State *L, vt_yconf *c, int i)
{
	yay_add_layer(L, c, "yay", i);
}

/* The table of documents in memory. */
static void
yay_add_files(lua_State *L, vt_yconf *c)
{
	lua_getfield(L, 1, "files");
	for (lua_pushnil(L); lua_istable(L, 3) && lua_next(L, 3); lua_pop(L, 1)) {
		size_t n;
		const char *text = lua_tolstring(L, -1, &n);
		if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING)
			luaL_error(L, "'files' is a table of texts by name");
		if (!vt_yay_reader.provide(c, lua_tostring(L, -2), text, n))
			yay_raise(L, c);
	}
	lua_settop(L, 2);
}

static void
yay_fill(lua_State *L, vt_yconf *c)
{
	const char *name = hl_text_field(L, 1, "name", "yay"); /* the table keeps it */
	lua_settop(L, 2);
	yay_add_files(L, c);
	yay_each_field(L, "search", c, yay_add_search);
	if (lua_getfield(L, 1, "file") == LUA_TSTRING &&
		!vt_yay_reader.load_file(c, lua_tostring(L, -1)))
		yay_raise(L, c);
	if (lua_getfield(L, 1, "text") == LUA_TSTRING)
		yay_add_text(L, c, name, -1);
	lua_settop(L, 2);
	yay_each_field(L, "layers", c, yay_add_next);
	yay_each_field(L, "set", c, yay_add_set);
}

/* Does the table at 1 ask for files, and may it? */
static bool
yay_wants_files(lua_State *L)
{
	bool wants = lua_getfield(L, 1, "file") != LUA_TNIL;
	wants |= lua_getfield(L, 1, "files") == LUA_TBOOLEAN && lua_toboolean(L, -1);
	lua_settop(L, 1);
	if (wants && !hl_of(L)->rt->s->lua_unsafe)
		luaL_error(L, "the sandbox has no files: give vetro.yay the text, or start with "
			      "--lua-unsafe");
	return wants;
}

/* vetro.yay(text) or vetro.yay { text = .., name = .., file = .., files = .., search = .., layers =
 * .., set = .., steps = .. } */
int
hl_yay(lua_State *L)
{
	vt_yconf_options o = {.files = false};
	struct yay_conf *k;
	struct yay_view *v;
	bool table = lua_istable(L, 1);
	if (&vt_yay_reader == NULL)
		return luaL_error(L, "this program has no reader of Yay: build it --with-yay");
	if (!table && lua_type(L, 1) != LUA_TSTRING)
		return luaL_error(L, "vetro.yay takes a text or a table");
	lua_settop(L, 1);
	if (table) {
		o.files = yay_wants_files(L);
		lua_getfield(L, 1, "steps");
		o.limits.steps = (uint64_t)luaL_optinteger(L, -1, 0);
		lua_settop(L, 1);
	}
	k = lua_newuserdatauv(L, sizeof *k, 0);
	*k = (struct yay_conf){.conf = NULL};
	lua_rawgetp(L, LUA_REGISTRYINDEX, &conf_key);
	lua_setmetatable(L, 2);
	k->conf = vt_yay_reader.open(hl_of(L)->rt, &o);
	if (table)
		yay_fill(L, k->conf);
	else
		yay_add_text(L, k->conf, "yay", 1);
	v = lua_newuserdatauv(L, sizeof *v, 1);
	*v = (struct yay_view){k, NULL};
	lua_pushvalue(L, 2);
	lua_setiuservalue(L, -2, 1);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &view_key);
	lua_setmetatable(L, -2);
	return 1;
}

static const luaL_Reg yay_methods[] = {
#define X(name, as) {#name, l_yay_##name},
	YAY_GETTERS(X)
#undef X
		{"at", l_yay_at},
	{"eval", l_yay_eval}, {"kind", l_yay_kind}, {"size", l_yay_size}, {"each", l_yay_each},
	{"anchor", l_yay_anchor}, {NULL, NULL}};

void
hl_open_yay(lua_State *L)
{
	lua_newtable(L);
	lua_pushcfunction(L, yay_conf_gc);
	lua_setfield(L, -2, "__gc");
	lua_rawsetp(L, LUA_REGISTRYINDEX, &conf_key);
	lua_newtable(L);
	luaL_newlib(L, yay_methods);
	lua_setfield(L, -2, "__index");
	lua_pushliteral(L, "yay");
	lua_setfield(L, -2, "__metatable");
	lua_rawsetp(L, LUA_REGISTRYINDEX, &view_key);
}
