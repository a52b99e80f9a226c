/*
 * table.c - what the script may call: the table vetro and the metamethods of boxes.  host.c has the
 * invariants.
 */
#include "runtime/lua/host.h"
#include "objects.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>
#include <string.h>

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

/* Under the name that the session's convention gives. */
static bool
add_function(vt_rt *rt, const char *name, uint32_t flags, vt_sig *sig, struct lua_fn *f)
{
	enum vt_names_as how = (enum vt_names_as)rt->s->names_as;
	char *shown = vt_shown_name(how, name, true);
	bool added;

	vt_sig_rename(how, sig);
	added = vt_host_add(rt, shown, flags, sig, hl_call_row, f, free);
	free(shown);
	return added;
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
	if ((err = vt_sig_read(l->rt, &sig, text)) != NULL)
		return luaL_error(L, "params of '%s': %s", name, err);
	f = vt_xmalloc(sizeof *f);
	*f = (struct lua_fn){.ref = ref};
	if (!add_function(l->rt, name, flags, &sig, f))
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
	hl_set_kind(L, key);
	return 1;
}

static int
l_list(lua_State *L)
{
	return set_table_kind(L, &hl_list_key);
}

static int
l_dict(lua_State *L)
{
	return set_table_kind(L, &hl_dict_key);
}

/* vetro.keywords{name = value}: as the last argument of a call, its keyword arguments. */
static int
l_keywords(lua_State *L)
{
	return set_table_kind(L, &hl_keywords_key);
}

/* objects.lua gets the table of settings and returns the function that calls methods. */
static void
load_objects(lua_State *L)
{
	struct vt_lua *l = hl_of(L);
	if (luaL_loadbufferx(L, vt_objects_lua, sizeof vt_objects_lua - 1, "=objects.lua", "t") !=
		LUA_OK)
		lua_error(L);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &hl_objects_key);
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
	if (hl_push_mark(L, 1))
		return luaL_error(L, "the table is an object already");
	lua_rawgetp(L, LUA_REGISTRYINDEX, &hl_objects_key);
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
	vt_value *box = hl_to_box(L, 1);
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
		lua_pushstring(L, hl_looks_like_list(L, 1) ? "list" : "dict");
	else
		lua_pushstring(L, lua_isinteger(L, 1) ? "integer" : luaL_typename(L, 1));
	return 1;
}

/* vetro.classof(object or type): its FQN. */
static int
l_classof(lua_State *L)
{
	vt_value v = hl_check_box(L, 1, "an object or a type");
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
	vt_value v = hl_check_box(L, i, "an object");
	if (!vt_is(v, OBJECT) && !vt_is(v, CAST))
		luaL_error(L, "an object expected");
	return v;
}

static int
l_id(lua_State *L)
{
	const vt_str *id = vt_as_str(vt_object_id(vt_obj_of(check_object(L, 1))));
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
	if (top == 0 || lua_type(L, top) != LUA_TTABLE || !hl_has_kind(L, top, &hl_keywords_key))
		return VT_NULL;
	box = hl_push_box(L);
	if (hl_dict_from_lua(hl_of(L), L, top, 0, box) != VT_OK)
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

int
hl_print(lua_State *L)
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
int
hl_setmetatable(lua_State *L)
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
	struct request r = {.on = hl_check_box(L, 1, "a lambda")};
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
	vt_value v = hl_check_box(L, 1, "a value"), *box = hl_push_box(L);
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
	vt_value *a = hl_to_box(L, 1), *b = hl_to_box(L, 2);
	lua_pushboolean(L, a != NULL && b != NULL && vt_eq(*a, *b));
	return 1;
}

const luaL_Reg hl_table[] = {{"register", l_register}, {"class", hl_class}, {"list", l_list},
	{"dict", l_dict}, {"raise", l_raise}, {"keywords", l_keywords}, {"object", l_object},
	{"invoke", l_invoke}, {"send", l_send}, {"super", l_super}, {"var", l_var},
	{"expr", l_expr}, {"type", l_type}, {"classof", l_classof}, {"id", l_id}, {"get", l_get},
	{"call", l_call}, {"sleep", l_sleep}, {"yay", hl_yay}, {NULL, NULL}};
const luaL_Reg hl_box_table[] = {{"__gc", box_gc}, {"__call", box_call}, {"__tostring", box_text},
	{"__eq", box_equal}, {NULL, NULL}};
