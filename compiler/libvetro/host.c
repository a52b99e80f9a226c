/*
 * host.c - functions of the host in C, lambdas called from C, and scripts in Lua.
 *
 * A C function is a row of host.c like a Lua one; call_c is the body of all of them.
 */
#include "compiler/libvetro/int.h"
#include "compiler/libvetro/vetro_host.h"
#include "runtime/core/printable.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"
#include "runtime/text/outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_ARGS = 16, MOST_LUA = 64 << 20 };

typedef struct c_function {
	vetro_engine *engine;
	vetro_function *fn;
	void *user;
	void (*drop)(void *);
} c_function;

/* ---- calls from expressions -------------------------------------------------------------- */

static vetro_value
call_with(c_function *f, vetro_call *call, size_t n, vetro_value *v)
{
	const vt_args *a = call->args;

	for (uint32_t i = 0; i < a->nv; i++)
		v[i] = handle(a->v[i]);
	for (uint32_t i = 0; i < a->nrest; i++)
		v[a->nv + i] = handle(a->rest[i]);
	return f->fn(call, n, v, f->user);
}

/* Does it get something that refers to code, and may be kept? */
static bool
is_coded(const vt_args *a)
{
	bool coded = vt_is(a->kw, DICT) && !vt_is_final(a->kw);

	for (uint32_t i = 0; i < a->nv && !coded; i++)
		coded = !vt_is_final(a->v[i]);
	for (uint32_t i = 0; i < a->nrest && !coded; i++)
		coded = !vt_is_final(a->rest[i]);
	return coded;
}

/* An error that the function looked at and made up for is forgotten. */
static vt_status
take_result(vt_rt *rt, vetro_value made, vt_value *out)
{
	if (made != NULL) {
		vt_exc_clear(rt);
		*out = word(made);
		return VT_OK;
	}
	if (vt_pending(rt) == NULL)
		return vt_raise(rt, VT_E_HOST, "the function of the host returned no value");
	return VT_ERROR;
}

static vt_status
call_c(vt_args *a, vt_value *out)
{
	c_function *f = vt_host_data(a->row);
	vetro_call call = {f->engine, a};
	vetro_value few[FEW_ARGS], *v = few, made;
	size_t n = (size_t)a->nv + a->nrest;
	vt_heap *heap = a->rt->s->heap;
	int64_t coded = (int64_t)heap->coded;

	f->engine->escapes += is_coded(a);
	if (a->rt->depth >= a->rt->max_depth)
		return vt_raise_depth(a->rt);
	if (n > FEW_ARGS)
		v = vt_xmalloc(n * sizeof *v);
	a->rt->depth++;
	f->engine->running++; /* also when a lazy value runs outside of an evaluation */
	made = call_with(f, &call, n, v);
	f->engine->running--;
	f->engine->coded_by_host += (int64_t)heap->coded - coded;
	a->rt->depth--;
	if (v != few)
		free(v);
	if (made != NULL)
		vt_secret_of_call(a->rt, a->row->name, word(made));
	return take_result(a->rt, made, out);
}

vetro_engine *
vetro_call_engine(vetro_call *call)
{
	return call->engine;
}

vetro_value
vetro_call_variables(vetro_call *call)
{
	return handle(vt_scope_inner(call->engine->rt, call->args->scope));
}

vetro_value
vetro_call_keywords(vetro_call *call)
{
	return vt_is(call->args->kw, DICT) ? handle(call->args->kw) : NULL;
}

vetro_value
vetro_raise(vetro_call *call, const char *type, const char *format, ...)
{
	vt_buf b = {NULL, 0, 0};
	va_list ap;

	va_start(ap, format);
	vt_buf_vmessage(&b, format, ap);
	va_end(ap);
	vt_buf_repair(&b);
	if (vt_utf8_check(type, strlen(type)) != strlen(type))
		type = "HostError";
	(void)vt_host_raise(call->engine->rt, type, b.n ? b.p : "", b.n);
	vt_buf_free(&b);
	return NULL;
}

vetro_value
vetro_apply(
	vetro_engine *e, vetro_value lambda, size_t n, const vetro_value *args, vetro_error **err)
{
	vt_value few[FEW_ARGS], *v = few, out = VT_UNDEF;
	vt_status st;

	lv_enter(e);
	if (n > FEW_ARGS && n <= UINT32_MAX)
		v = vt_xmalloc(n * sizeof *v);
	if (!vt_is(word(lambda), LAMBDA) || n > UINT32_MAX) {
		st = vt_raise(e->rt, VT_E_TYPE, "the value is no lambda");
	} else {
		for (size_t i = 0; i < n; i++)
			v[i] = args[i] == NULL ? VT_NULL : word(args[i]);
		st = vt_apply(e->rt, word(lambda), (uint32_t)n, v, &out);
	}
	if (v != few)
		free(v);
	lv_leave(e);
	if (st == VT_OK)
		return handle(out);
	lv_fail(e, err);
	return NULL;
}

/* ---- registration ------------------------------------------------------------------------ */

enum {
	KNOWN_FLAGS = VETRO_METHOD | VETRO_EXTENSION | VETRO_EXCLUSIVE | VETRO_NO_KEYWORDS |
		      VETRO_OUTERMOST | VETRO_LEVEL(255)
};

enum { FIRST_LEVEL = VT_FN_LEVEL & -VT_FN_LEVEL };

static uint32_t
row_flags(unsigned flags)
{
	uint32_t kind = flags & VETRO_EXTENSION ? VT_FN_FUNCTION | VT_FN_METHOD
			: flags & VETRO_METHOD  ? VT_FN_METHOD
						: VT_FN_FUNCTION;

	return kind | (flags & VETRO_EXCLUSIVE ? VT_FN_EXCLUSIVE : 0) |
	       (flags & VETRO_NO_KEYWORDS ? VT_FN_NO_KWARGS : 0) |
	       (flags & VETRO_OUTERMOST ? 0 : (flags >> 8 ? flags >> 8 : 1) * FIRST_LEVEL);
}

static void
drop_function(void *data)
{
	c_function *f = data;

	if (f->drop != NULL)
		f->drop(f->user);
	free(f);
}

/* NULL, or what forbids the registration. */
static const char *
check_registration(vetro_engine *e, const char *name, unsigned flags, vetro_function *fn)
{
	if (e->running > 0)
		return "functions cannot be registered during an evaluation";
	if (name == NULL || name[0] == '\0')
		return "the function has no name";
	if (fn == NULL)
		return "there is no function";
	return flags & ~(unsigned)KNOWN_FLAGS ? "unknown flag" : NULL;
}

/* What the caches know of a name may be wrong now. */
static void
forget_caches(vetro_engine *e)
{
	if (e->room)
		memset(e->rt->ic, 0, e->room * sizeof *e->rt->ic);
	vt_found_forget(e->rt);
}

static bool
add_row(vetro_engine *e, void **table, const char *name, uint32_t flags, vt_sig *sig, c_function *f)
{
	if (table == NULL)
		return vt_host_add(e->rt, name, flags, sig, call_c, f, drop_function);
	return vt_host_add_to(e->rt, table, name, flags, sig, call_c, f, drop_function);
}

/* Of the language: one that the host inserted calls its function anyway. */
static bool
is_operator(const char *name)
{
	uint32_t n;

	return (name[0] == '#' || name[0] == '*') && strcmp(name, "#finalize") != 0 &&
	       vt_fn_find(name, &n) != NULL;
}

int
lv_register(vetro_engine *e, void **table, uint8_t names_as, const char *given, const char *params,
	unsigned flags, vetro_function *fn, void *user, void (*drop)(void *), vetro_error **err)
{
	enum vt_names_as how = (enum vt_names_as)names_as;
	bool text = given != NULL && vt_utf8_check(given, strlen(given)) == strlen(given);
	char *name = text ? vt_shown_name(how, given, true) : NULL;
	const char *wrong = check_registration(e, name, flags, fn);
	c_function *f;
	vt_sig sig;

	if (wrong == NULL)
		wrong = vt_sig_read(e->rt, &sig, params != NULL ? params : "");
	if (wrong != NULL) {
		lv_error(err, "UsageError", "%s: %s", name != NULL ? name : "", wrong);
		if (drop != NULL)
			drop(user);
		free(name);
		return -1;
	}
	vt_sig_rename(how, &sig);
	f = vt_xmalloc(sizeof *f);
	*f = (c_function){e, fn, user, drop};
	if (!add_row(e, table, name, row_flags(flags), &sig, f)) {
		lv_error(
			err, "UsageError", "%s: has %d overloads already", name, VT_HOST_OVERLOADS);
		free(name);
		return -1;
	}
	e->own_operators |= is_operator(name);
	free(name);
	forget_caches(e);
	return 0;
}

int
vetro_register(vetro_engine *e, const char *name, const char *params, unsigned flags,
	vetro_function *fn, void *user, void (*drop)(void *), vetro_error **err)
{
	return lv_register(e, NULL, e->rt->s->names_as, name, params, flags, fn, user, drop, err);
}

/* ---- types of parameters ----------------------------------------------------------------- */

typedef struct c_type {
	vetro_engine *engine;
	const vetro_type *type;
	void *user;
	void (*drop)(void *);
} c_type;

/* What it leaves pending is forgotten: the value is not taken then, or it is. */
static bool
check_c(vt_rt *rt, void *data, vt_value v)
{
	c_type *t = data;
	bool takes;

	t->engine->running++;
	t->engine->escapes += !vt_is_final(v);
	takes = t->type->check == NULL || t->type->check(t->engine, handle(v), t->user) != 0;
	t->engine->running--;
	vt_exc_clear(rt);
	return takes;
}

static vt_status
convert_c(vt_rt *rt, void *data, vt_value v, vt_value *out)
{
	c_type *t = data;
	int64_t coded = (int64_t)rt->s->heap->coded;
	vetro_value made;

	t->engine->running++;
	made = t->type->convert(t->engine, handle(v), t->user);
	t->engine->running--;
	t->engine->coded_by_host += (int64_t)rt->s->heap->coded - coded;
	return take_result(rt, made, out);
}

static bool
is_special_c(void *data, const char *other)
{
	c_type *t = data;

	return t->type->is_special(other, t->user) != 0;
}

static void
drop_type(void *data)
{
	c_type *t = data;

	if (t->drop != NULL)
		t->drop(t->user);
	free(t);
}

int
vetro_register_type(vetro_engine *e, const char *name, const vetro_type *type, void *user,
	void (*drop)(void *), vetro_error **err)
{
	c_type *t = vt_xmalloc(sizeof *t);
	vt_named_type made = {.lazy = type->lazy != 0,
		.check = check_c,
		.convert = type->convert != NULL ? convert_c : NULL,
		.above = type->is_special != NULL ? is_special_c : NULL,
		.data = t,
		.drop = drop_type};

	*t = (c_type){e, type, user, drop};
	if (type->size < sizeof *type)
		lv_error(err, "UsageError", "%s: its size says that the type is none", name);
	else if (vt_type_define(e->rt, name, &made))
		return 0;
	else
		lv_error(err, "UsageError",
			"%s: the name of a type is a word that no other type has", name);
	drop_type(t);
	return -1;
}

/* ---- Lua --------------------------------------------------------------------------------- */

int
vetro_load_lua(vetro_engine *e, const char *text, size_t n, const char *name, vetro_error **err)
{
	char *message = NULL;
	bool ok;

	if (e->running > 0) {
		lv_error(err, "UsageError", "a script cannot be loaded during an evaluation");
		return -1;
	}
	e->has_lua = true;
	lv_enter(e);
	ok = vt_lua_load(e->rt, text, lv_length(text, n), name, &message);
	lv_leave(e);
	forget_caches(e);
	if (!ok)
		lv_error(err, "LuaError", "%s", message != NULL ? message : "the script failed");
	free(message);
	return ok ? 0 : -1;
}

int
vetro_load_lua_file(vetro_engine *e, const char *path, vetro_error **err)
{
	vt_buf b = {NULL, 0, 0};
	const char *slash = strrchr(path, '/');
	int st = -1;

	if (vt_read_file(path, MOST_LUA, &b))
		st = vetro_load_lua(e, b.n ? b.p : "", b.n, slash != NULL ? slash + 1 : path, err);
	else
		lv_error(err, "OSError", "%s: %s", path, strerror(errno));
	vt_buf_free(&b);
	return st;
}
