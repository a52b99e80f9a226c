/*
 * exception_class.c - Throw, Catch, Rethrow and Parallel: muranopl-engine.md B15 to B21.
 *
 * An exception is a value of kind VT_K_EXC.  One that MuranoPL threw carries its names; any other
 * gets its qualified class name as its only name the moment a Catch looks at it (vt_caught).  The
 * head's aux word keeps the index of the name that a handler asked for, which is what $e.name
 * shows.
 */
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/printable.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/object/store.h"
#include "runtime/seq/seq.h"
#include "runtime/task/task.h"
#include "runtime/core/args.h"
#include "natives.h"

#include <stdlib.h>
#include <string.h>

vt_status
vt_caught(vt_rt *rt, vt_value *out)
{
	vt_exc *e;
	vt_value v;
	if (vt_pending(rt) == NULL)
		(void)vt_raise(rt, VT_E_RUNTIME, "an error without an exception");
	v = vt_exc_take(rt);
	e = VT_AS(vt_exc, v);
	if (!vt_is_sequence(e->names))
		e->names = vt_etype_names(rt, e->type);
	*out = v;
	return VT_OK;
}

/* Exception names are tried in their order against all of the handler's, as the reference does. */
int
vt_exc_matches(vt_rt *rt, vt_value exc, uint32_t n, const vt_str *const *names)
{
	vt_exc *e = VT_AS(vt_exc, exc);
	const vt_list *l = vt_is_sequence(e->names) ? vt_as_list(e->names) : NULL;
	e->h.aux = 0;
	if (e->type == VT_E_CANCELLED) /* a task that ends must not be kept from it */
		return 0;
	if (l == NULL || n == 0)
		return n == 0;
	for (uint32_t i = 0; i < l->n; i++)
		for (uint32_t k = 0; k < n; k++)
			if (vt_str_eq(vt_as_str(l->v[i]), names[k])) {
				e->h.aux = (uint16_t)i;
				return 1;
			}
	return 0;
}

vt_status
vt_reraise(vt_rt *rt, vt_value exc)
{
	vt_exc_set(rt, vt_copy(exc));
	return VT_ERROR;
}

vt_status
vt_no_loop(vt_rt *rt, const char *what)
{
	return vt_raise(rt, VT_E_INVALID_OPERATION, "%s cannot be used on method level", what);
}

vt_status
vt_rethrow_outside(vt_rt *rt)
{
	return vt_raise(rt, VT_E_TYPE, "Rethrow must be inside Catch");
}

void
vt_contract_prefix(vt_rt *rt, const char *const *where)
{
	vt_exc *e = vt_pending(rt);
	const char *parts[12];
	uint32_t n = 1;
	if (e == NULL || e->type != VT_E_CONTRACT)
		return;
	parts[0] = "[";
	while (*where != NULL)
		parts[n++] = *where++;
	parts[n++] = "] ";
	parts[n++] = vt_is(e->message, STR) ? vt_as_str(e->message)->s : "";
	parts[n] = NULL;
	vt_move(&e->message, vt_message_of(rt, parts));
}

/* ---- Throw ------------------------------------------------------------------------------- */

static vt_status
resolve(vt_rt *rt, const vt_unit *u, vt_value name, vt_value *out)
{
	if (!vt_is(name, STR))
		return vt_raise(rt, VT_E_TYPE, "expected string or bytes-like object");
	*out = vt_resolve_name(rt, u, vt_as_str(name));
	if (*out == VT_UNDEF) {
		const char *s = vt_as_str(name)->s, *colon = strchr(s, ':');
		return vt_pending(rt) ? VT_ERROR
				      : vt_raise(rt, VT_E_KEY, "'%.*s'",
						colon ? (int)(colon - s) : (int)strlen(s), s);
	}
	return VT_OK;
}

static vt_status
resolve_all(vt_rt *rt, const vt_unit *u, vt_value names, vt_value *out)
{
	vt_list *l = vt_list_grow(rt, VT_K_TUPLE, 1);
	uint32_t n = vt_is_sequence(names) ? vt_as_list(names)->n : 1;
	vt_status st = VT_OK;
	for (uint32_t i = 0; st == VT_OK && i < n; i++) {
		vt_value v = VT_UNDEF;
		st = resolve(rt, u, vt_is_sequence(names) ? vt_as_list(names)->v[i] : names, &v);
		if (st == VT_OK)
			vt_list_push(rt, l, v);
	}
	if (st == VT_OK)
		*out = vt_mkptr(l);
	else
		vt_release(vt_mkptr(l));
	return st;
}

/* Cause: what a Catch bound; its nativeException is the exception itself. */
static vt_status
native_cause(vt_rt *rt, const vt_unit *u, vt_value cause, vt_value *out)
{
	vt_value name;
	vt_status st;
	*out = VT_NULL;
	if (cause == VT_NULL || cause == VT_UNDEF)
		return VT_OK;
	if (vt_is(cause, EXC)) {
		*out = vt_copy(cause);
		return VT_OK;
	}
	if (!vt_is(cause, OBJECT) && !vt_is(cause, CAST))
		return vt_raise(rt, VT_E_ATTRIBUTE, "'%s' object has no attribute 'get_property'",
			vt_py_type(cause));
	name = vt_str_c(rt, "nativeException");
	st = vt_get_prop(rt, u, cause, vt_as_str(name), out);
	vt_release(name);
	return st;
}

/* The message stays the value it was, for $e.message; its text is what everybody else sees. */
static void
set_message(vt_rt *rt, vt_exc *e, vt_value message)
{
	vt_buf b = {0};
	if (vt_is(message, STR)) {
		vt_move(&e->message, vt_copy(message));
		return;
	}
	vt_move(&e->arg, vt_copy(message));
	vt_pystr(rt, &b, message);
	vt_move(&e->message, vt_str_take(rt, &b));
}

/* The names of a Throw are constants, as a rule: what they mean is remembered at its cache.  The
 * session holds it. */
static vt_status
names_at(vt_rt *rt, const vt_unit *u, vt_ic *ic, vt_value names, vt_value *out)
{
	struct vt_store *s = vt_store_of(rt);
	if (ic->key != NULL && names == ic->aux2) {
		*out = vt_copy(ic->aux);
		return VT_OK;
	}
	VT_TRY(resolve_all(rt, u, names, out));
	if (ic->key != NULL || !vt_is(names, STR) || vt_head_of(names)->rc < VT_IMMORTAL)
		return VT_OK;
	if (s->thrown == NULL)
		s->thrown = vt_list_grow(rt, VT_K_LIST, 4);
	vt_list_push(rt, s->thrown, vt_copy(*out));
	*ic = (vt_ic){.key = s->thrown, .aux = *out, .aux2 = names};
	return VT_OK;
}

vt_status
vt_throw(vt_rt *rt, const vt_unit *u, vt_ic *ic, vt_value names, vt_value message, vt_value extra,
	vt_value cause)
{
	vt_value all = VT_UNDEF, native = VT_UNDEF;
	vt_exc *e;
	vt_status st = native_cause(rt, u, cause, &native);
	if (st == VT_OK)
		st = names_at(rt, u, ic, names, &all);
	if (st != VT_OK) {
		vt_release(native);
		return st;
	}
	(void)vt_raise_value(rt, VT_E_MURANO_PL, VT_NULL);
	e = vt_pending(rt);
	vt_move(&e->names, all);
	vt_move(&e->extra, extra == VT_UNDEF ? VT_NULL : vt_copy(extra));
	vt_move(&e->cause, native);
	set_message(rt, e, message == VT_UNDEF ? VT_NULL : message);
	return VT_ERROR;
}

/* ---- the object that As: binds ---- */

static vt_class *
class_of(vt_rt *rt, const char *fqn)
{
	const vt_class_decl *decl = vt_native_class(rt, fqn);
	vt_class *cls;
	vt_value name;
	bool ok = true;
	if (decl != NULL)
		return (cls = vt_class_link(rt, decl, &ok)) != NULL && ok ? cls : NULL;
	name = vt_str_c(rt, fqn);
	cls = vt_find_class(rt, rt->program ? rt->program->packages[0] : NULL, vt_as_str(name));
	vt_release(name);
	return cls;
}

static vt_status
make_object(vt_rt *rt, const char *fqn, vt_value *out)
{
	vt_class *cls = class_of(rt, fqn);
	vt_dict *none;
	vt_status st;
	if (cls == NULL)
		return VT_ERROR;
	none = vt_dict_new(rt, true);
	st = vt_new_object(
		rt, cls->decl->unit, cls, vt_mkptr(none), VT_NULL, VT_NULL, VT_NULL, out);
	vt_release(vt_mkptr(none));
	return st;
}

/* Runtime properties of the runtime's own objects: no contract stands between. */
static int32_t
slot_of(const vt_class *c, const char *name)
{
	for (uint32_t i = 0; i < c->nslots; i++)
		if (strcmp(c->slots[i].name->s, name) == 0)
			return (int32_t)i;
	return -1;
}

static void
set_slot(vt_value object, int32_t slot, vt_value owned)
{
	if (slot >= 0)
		vt_move(&vt_obj_of(object)->v[slot], owned);
	else
		vt_release(owned);
}

static vt_value
shown_name(vt_exc *e)
{
	const vt_list *l = vt_is_sequence(e->names) ? vt_as_list(e->names) : NULL;
	if (l == NULL || l->n == 0)
		return VT_NULL;
	return vt_copy(l->v[e->h.aux < l->n ? e->h.aux : 0]);
}

static vt_value
shown_extra(vt_rt *rt, vt_exc *e)
{
	return vt_truth(e->extra) ? vt_copy(e->extra) : vt_mkptr(vt_dict_new(rt, true));
}

/* Frames as a Catch block sees them, under the reference's names; the place is an opaque object
 * there. */
static vt_value
shown_frames(vt_rt *rt, vt_exc *e)
{
	static const char *const place[] = {"file", "line", "col"};
	vt_value all = vt_exc_frames(rt, e);
	vt_list *l = vt_list_grow(rt, VT_K_TUPLE, e->nframes);
	for (uint32_t i = 0; i < vt_as_list(all)->n; i++) {
		const vt_dict *f = vt_as_dict(vt_as_list(all)->v[i]);
		vt_dict *d = vt_dict_new(rt, true), *at = vt_dict_new(rt, true);
		for (uint32_t k = 0; k < 3; k++)
			vt_dict_set_c(rt, at, place[k], vt_copy(vt_dict_get_c(f, place[k])));
		vt_dict_set_c(rt, d, "instruction", vt_copy(vt_dict_get_c(f, "instruction")));
		vt_dict_set_c(rt, d, "location", vt_mkptr(at));
		vt_dict_set_c(rt, d, "methodName", vt_copy(vt_dict_get_c(f, "method")));
		vt_dict_set_c(rt, d, "typeName", vt_copy(vt_dict_get_c(f, "type")));
		vt_list_push(rt, l, vt_mkptr(d));
	}
	vt_release(all);
	return vt_mkptr(l);
}

/* new(std:StackTrace): where the program is, as an exception raised here would show. */
vt_status
vt_sys_trace_new(vt_args *a, vt_value *out)
{
	vt_rt *rt = a->rt;
	vt_value before = vt_exc_take(rt), here;
	(void)vt_raise_value(rt, VT_E_RUNTIME, VT_NULL);
	here = vt_exc_take(rt);
	vt_exc_set(rt, before);
	set_slot(a->self, slot_of(vt_cls_of(a->self), "frames"),
		shown_frames(rt, VT_AS(vt_exc, here)));
	vt_release(here);
	*out = VT_NULL;
	return VT_OK;
}

/* Where the properties are, the same for all objects of the session. */
enum { P_NAME, P_MESSAGE, P_TRACE, P_EXTRA, P_NATIVE, P_CAUSE };
_Static_assert(P_CAUSE + 1 == VT_EXC_SLOTS, "a place for each");

/* Its properties are what nobody writes, and making one runs nothing. */
static bool
is_bare(const vt_class *c)
{
	const vt_method_decl *m;
	for (uint32_t i = 0; i < c->nlinear; i++) {
		const vt_class *part = c->linear[i];
		if (part->decl->native_new != NULL ||
			(part->native != NULL && part->native->native_new != NULL) ||
			(part->host != NULL && part->host->native_new != NULL))
			return false;
		for (uint32_t k = 0; k < part->decl->nprops; k++)
			if (part->decl->props[k]->usage != VT_P_RUNTIME ||
				part->decl->props[k]->dflt != NULL)
				return false;
		for (uint32_t pos = 0; (m = vt_own_method(part, &pos)) != NULL;)
			if (strcmp(m->name->s, ".init") == 0)
				return false;
	}
	return true;
}

static bool
learn_class(vt_rt *rt, struct vt_store *s)
{
	static const char *const names[] = {
		"name", "message", "stackTrace", "extra", "nativeException", "cause"};
	s->exc_class = class_of(rt, "io.murano.Exception");
	if (s->exc_class == NULL)
		return false;
	s->exc_bare = is_bare(s->exc_class);
	for (uint32_t i = 0; i < VT_EXC_SLOTS; i++)
		s->exc_slots[i] = slot_of(s->exc_class, names[i]);
	return true;
}

static vt_status
fill_trace(vt_rt *rt, vt_value object, const struct vt_store *s, vt_exc *e)
{
	vt_value trace = VT_UNDEF;
	VT_TRY(make_object(rt, "io.murano.StackTrace", &trace));
	set_slot(trace, slot_of(vt_cls_of(trace), "frames"), shown_frames(rt, e));
	set_slot(object, s->exc_slots[P_TRACE], trace);
	set_slot(object, s->exc_slots[P_EXTRA], shown_extra(rt, e));
	return VT_OK;
}

/* Somebody reads what was not worth making before. */
static void
fill(vt_object *o)
{
	vt_rt *rt = o->cls->rt;
	const struct vt_store *s = vt_store_of(rt);
	vt_value e = o->v[s->exc_slots[P_NATIVE]];
	o->fill = NULL;
	if (vt_is(e, EXC) && fill_trace(rt, vt_mkptr(o), s, VT_AS(vt_exc, e)) != VT_OK)
		vt_exc_clear(rt);
}

vt_status
vt_exc_object(vt_rt *rt, vt_value exc, vt_value *out)
{
	vt_exc *e = VT_AS(vt_exc, exc);
	struct vt_store *s = vt_store_of(rt);
	vt_value obj = VT_UNDEF;
	bool raw = e->type == VT_E_MURANO_PL && e->arg != VT_UNDEF;
	if (s->exc_class == NULL && !learn_class(rt, s))
		return VT_ERROR;
	if (s->exc_bare)
		obj = vt_copy(vt_mkptr(vt_object_bare(rt, s->exc_class)));
	else
		VT_TRY(make_object(rt, "io.murano.Exception", &obj));
	set_slot(obj, s->exc_slots[P_NAME], shown_name(e));
	set_slot(obj, s->exc_slots[P_MESSAGE], vt_copy(raw ? e->arg : e->message));
	set_slot(obj, s->exc_slots[P_NATIVE], vt_copy(exc));
	set_slot(obj, s->exc_slots[P_CAUSE], VT_NULL);
	if (vt_truth(e->extra))
		set_slot(obj, s->exc_slots[P_EXTRA], vt_copy(e->extra));
	if (!s->exc_bare || s->exc_slots[P_NATIVE] < 0 || rt->s->drawn != NULL)
		VT_TRY(fill_trace(rt, obj, s, e));
	else
		vt_obj_of(obj)->fill = fill;
	*out = obj;
	return VT_OK;
}

/* ---- Parallel: B15 ---- */

void
vt_stash_return(vt_rt *rt, vt_value owned)
{
	vt_move(&rt->s->stashed, owned);
}

struct branches {
	vt_scope *scope;
	const vt_code *const *code;
};

/* One branch, in a context of its own. */
static vt_status
run_branch(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	struct branches *b = data;
	vt_scope *own = vt_scope_child(rt, b->scope, 0, NULL);
	vt_value made = VT_UNDEF;
	vt_status st = vt_code_run(rt, b->code[i], own, &made);
	vt_release(made);
	vt_scope_end_branch(rt, own);
	if (st == VT_RETURN) {
		*out = rt->s->stashed == VT_UNDEF ? VT_NULL : rt->s->stashed;
		rt->s->stashed = VT_UNDEF;
	}
	return st;
}

/* What int() makes of it, as the reference's pool does. */
static vt_status
limit_number(vt_rt *rt, vt_value limit, vt_value *out)
{
	if (vt_is_integer(limit) || vt_is_bool(limit)) {
		*out = vt_is_bool(limit) ? vt_mkint(limit == VT_TRUE) : vt_copy(limit);
		return VT_OK;
	}
	if (vt_is(limit, FLOAT) && vt_as_float(limit) == vt_as_float(limit))
		return vt_float_to_int(rt, vt_as_float(limit), out);
	if (vt_is(limit, STR) && vt_int_from_str(rt, vt_as_str(limit), out))
		return VT_OK;
	return vt_raise(rt, VT_E_TYPE,
		vt_is(limit, STR) ? "Limit of Parallel is a text that is no number: %s"
				  : "Limit of Parallel is a number, not %s",
		vt_is(limit, STR) ? vt_as_str(limit)->s : vt_py_type(limit));
}

/* How many at a time; 0 stands for all. */
static vt_status
read_limit(vt_rt *rt, vt_value limit, uint32_t *out)
{
	vt_value number = VT_UNDEF;
	int64_t n;
	*out = 0;
	if (limit == VT_UNDEF)
		return VT_OK;
	VT_TRY(limit_number(rt, limit, &number));
	n = vt_int_clamped(number);
	vt_release(number);
	if (n < 0)
		return vt_raise(rt, VT_E_VALUE, "Limit of Parallel must not be negative");
	*out = n > UINT32_MAX ? 0 : (uint32_t)n;
	return VT_OK;
}

vt_status
vt_parallel(vt_rt *rt, vt_scope *sc, uint32_t n, const vt_code *const *branches, vt_value limit,
	vt_value *out)
{
	struct branches b = {sc, branches};
	uint32_t most;
	VT_TRY(read_limit(rt, limit, &most));
	return vt_run_all(rt, n, most, run_branch, &b, out);
}
