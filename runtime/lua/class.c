/*
 * class.c - vetro.class: native classes whose methods are Lua functions.
 */
#define _GNU_SOURCE
#include "runtime/lua/host.h"
#include "runtime/core/exception.h"

#include <stdlib.h>
#include <string.h>

/* One contract a parameter type: in the plain form and in the one that lets null pass. */
static vt_status
check_type(vt_rt *rt, vt_cx *cx, enum vt_type type, bool nullable, vt_value in, vt_value *out)
{
	vt_fnparam p = {.name = "", .type = (uint8_t)type, .nullable = nullable};
	vt_buf b = {0};
	vt_status st;
	if (vt_type_check(rt, cx->unit, &p, in)) {
		*out = vt_copy(in);
		return VT_OK;
	}
	vt_format_scalar(rt, &b, in);
	vt_buf_putc(&b, '\0');
	st = vt_raise(rt, VT_E_CONTRACT, "Value %s is not of type %s", b.p, vt_type_name(type));
	vt_buf_free(&b);
	return st;
}
#define X(sym, name) \
	static vt_status plain_##sym(vt_rt *rt, vt_cx *cx, vt_value in, vt_value *out) \
	{ \
		return check_type(rt, cx, VT_T_##sym, false, in, out); \
	} \
	static vt_status nullable_##sym(vt_rt *rt, vt_cx *cx, vt_value in, vt_value *out) \
	{ \
		return check_type(rt, cx, VT_T_##sym, true, in, out); \
	}
#include "runtime/call/types.def"
#undef X
static const vt_contract_fn contracts[][2] = {
#define X(sym, name) {plain_##sym, nullable_##sym},
#include "runtime/call/types.def"
#undef X
};

/* Names in declarations are immortal strings of their own: classes outlive the Lua state. */
static const vt_str *
forever(const char *text)
{
	size_t n = strlen(text);
	vt_str *s = vt_xmalloc(sizeof *s + n + 1);
	const char *p = text, *end = text + n;
	memset(s, 0, sizeof *s);
	s->h.rc = VT_IMMORTAL;
	s->h.kind = VT_K_STR;
	s->h.flags = VT_F_FINAL | VT_F_LARGE;
	s->bytes = (uint32_t)n;
	s->hash = vt_hash_bytes(text, n);
	memcpy(s->s, text, n + 1);
	for (; p < end; s->points++)
		(void)vt_utf8_next(&p);
	if (s->points == s->bytes)
		s->h.flags |= VT_F_ASCII;
	return s;
}

/* Declarations hold defaults as code, which has no place for a constant of its own: only null. */
static vt_status
null_body(vt_rt *rt, vt_scope *sc, vt_value *out)
{
	*out = VT_NULL;
	return VT_OK;
}
static const vt_code null_code = {.fn = null_body, .source = "null"};

static const char *
bad_method_param(const vt_sig *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const vt_fnparam *p = &s->params[i];
		if (p->has_default && !(p->dflt == VT_NULL || p->dflt == VT_NOVALUE))
			return "only null can be the default of a method's parameter";
		if (vt_type_is_lazy((enum vt_type)p->type))
			return "a method's parameter cannot be lazy";
	}
	return NULL;
}

static void
declare_params(struct lua_method *m)
{
	const vt_sig *s = &m->fn.sig;
	vt_param_decl *d = vt_xmalloc((s->n + 1) * sizeof *d);
	for (uint32_t i = 0; i < s->n; i++) {
		const vt_fnparam *p = &s->params[i];
		d[i] = (vt_param_decl){.name = forever(p->name),
			.usage = p->kind,
			.dflt = p->has_default ? &null_code : NULL,
			.contract = p->type == VT_T_ANY && p->nullable
					    ? NULL
					    : contracts[p->type][p->nullable || p->has_default]};
	}
	m->decl.params = d;
	m->decl.nparams = s->n;
}

static void
declare_method(struct lua_class *c, struct lua_method *m, const char *name,
	enum vt_method_usage usage, const vt_sig *s, int ref)
{
	memset(m, 0, sizeof *m);
	m->fn = (struct lua_fn){ref, *s};
	m->decl.name = forever(name);
	m->decl.usage = (uint8_t)usage;
	m->decl.native = hl_run_method;
	m->decl.cls = &c->decl;
	declare_params(m);
}

/* The method at the top of the stack: a function that takes anything, or {params=, fn=}. */
static void
read_method(lua_State *L, const char *name, vt_sig *s, int *ref)
{
	const char *err, *text = "*args: any";
	int t = lua_gettop(L);
	if (lua_isfunction(L, t)) {
		lua_pushvalue(L, t);
		*ref = luaL_ref(L, LUA_REGISTRYINDEX);
	} else if (lua_istable(L, t)) {
		text = hl_text_field(L, t, "params", "");
		*ref = hl_ref_field(L, t);
	} else {
		luaL_error(L, "method '%s' is neither a function nor a table", name);
	}
	err = vt_sig_read(hl_of(L)->rt, s, text);
	if (err == NULL && (err = bad_method_param(s)) != NULL)
		vt_sig_free(s);
	if (err != NULL)
		luaL_error(L, "params of '%s': %s", name, err);
	lua_settop(L, t);
}

static const struct {
	const char *field;
	enum vt_method_usage usage;
} method_tables[] = {
	{"methods", VT_M_RUNTIME},
	{"statics", VT_M_STATIC},
	{"extensions", VT_M_EXTENSION},
};

static uint32_t
count_methods(lua_State *L)
{
	uint32_t n = 0;
	for (size_t i = 0; i < VT_LEN(method_tables); i++) {
		lua_getfield(L, 1, method_tables[i].field);
		if (lua_istable(L, -1))
			for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
				n++;
		else if (!lua_isnil(L, -1))
			luaL_error(L, "'%s' must be a table", method_tables[i].field);
		lua_pop(L, 1);
	}
	return n;
}

static int
by_method_name(const void *a, const void *b)
{
	return strcmp((*(const vt_method_decl *const *)a)->name->s,
		(*(const vt_method_decl *const *)b)->name->s);
}

/* The class is in l->classes from the start, so that an error half way leaves nothing behind. */
static void
read_methods(lua_State *L, struct lua_class *c)
{
	vt_sig s;
	int ref = LUA_NOREF;
	for (size_t i = 0; i < VT_LEN(method_tables); i++) {
		lua_getfield(L, 1, method_tables[i].field);
		if (lua_isnil(L, -1))
			continue;
		for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
			struct lua_method *m = &c->methods[c->decl.nmethods];
			if (lua_type(L, -2) != LUA_TSTRING)
				luaL_error(L, "a method's name must be text");
			read_method(L, lua_tostring(L, -2), &s, &ref);
			declare_method(c, m, lua_tostring(L, -2), method_tables[i].usage, &s, ref);
			c->list[c->decl.nmethods++] = &m->decl;
		}
		lua_pop(L, 1);
	}
	qsort(c->list, c->decl.nmethods, sizeof *c->list, by_method_name);
}

struct lua_class *
hl_find_class(struct vt_lua *l, const char *name)
{
	struct lua_class *c = l->classes;
	while (c != NULL && strcmp(c->decl.name->s, name) != 0)
		c = c->next;
	return c;
}

static struct lua_class *
new_class(struct vt_lua *l, const char *name, uint32_t nmethods)
{
	struct lua_class *c = vt_xzalloc(sizeof *c);
	c->unit = (vt_unit){.file = "lua",
		.layers = VT_L_STD | VT_L_DSL,
		.version = 105,
		.cls = &c->decl,
		.opt = {.limit_iterators = -1, .memory_quota = -1}};
	c->methods = vt_xmalloc((nmethods + 1) * sizeof *c->methods);
	c->list = vt_xmalloc((nmethods + 1) * sizeof *c->list);
	c->decl.name = forever(name);
	c->decl.unit = &c->unit;
	c->decl.methods = c->list;
	c->next = l->classes;
	l->classes = c;
	return c;
}

int
hl_class(lua_State *L)
{
	struct vt_lua *l = hl_of(L);
	const char *name;
	luaL_checktype(L, 1, LUA_TTABLE);
	name = hl_text_field(L, 1, "name", NULL);
	if (hl_find_class(l, name) != NULL) {
		if (l->loading_hooks)
			return 0;
		return luaL_error(L, "class '%s' is defined twice", name);
	}
	lua_getfield(L, 1, "new");
	if (!lua_isnil(L, -1))
		return luaL_error(L, "a constructor in Lua is not supported yet");
	read_methods(L, new_class(l, name, count_methods(L)));
	return 0;
}
