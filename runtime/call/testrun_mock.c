/*
 * testrun_mock.c - mocks: inject(), withOriginal() and originalMethod() of package tests.
 *
 * A mock belongs to the name of a class and stands one level inside of that class's methods: calls
 * on a receiver seen as this very class find it, and so do calls that the class's own code makes on
 * anything that has the method.  Objects of derived classes are called as before.  Two mocks of one
 * method are ambiguous.  The arguments have passed the contracts of the method that is replaced;
 * those of the mock do not count, nor do its defaults.  A mock of an extension method is called
 * where that class's own code calls it; classes that import it do not see the mock, as in the
 * reference.
 *
 * These functions exist only where tests run, so they are functions of the host.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>

/* The caller's context of a mocked call, for withOriginal(); no variable of a program has such a
 * name. */
static const char ORIGINAL[] = "?original";

static vt_class *
target_class(vt_args *a)
{
	vt_value t = a->v[0];
	return vt_is(t, STR) ? vt_unit_class(a->rt, a->unit, vt_as_str(t)) : vt_cls_of(t);
}

static const vt_method_decl *
single_method(vt_rt *rt, vt_class *c, const vt_str *name)
{
	bool ambiguous = false;
	const vt_method_decl *m = c ? vt_class_method(rt, c, name, &ambiguous) : NULL;
	if (m == NULL && c != NULL && !ambiguous)
		(void)vt_raise(rt, VT_E_NO_METHOD_NAME, "Method \"%s\" is not found", name->s);
	return m;
}

/* Sites remember whom they called last: all of them forget. */
static void
forget_calls(vt_rt *rt)
{
	vt_ics_forget(rt);
}

static vt_status
add(vt_args *a, vt_mock made)
{
	vt_mock *k;
	vt_class *c = target_class(a);
	made.m = single_method(a->rt, c, vt_as_str(a->v[1]));
	if (made.m == NULL)
		return VT_ERROR;
	made.cls = c->decl->name;
	made.next = a->rt->s->mocks;
	k = vt_xmalloc(sizeof *k);
	*k = made;
	vt_retain(k->self);
	if (k->scope != NULL) {
		vt_retain(k->lambda);
		vt_retain(vt_mkptr(k->scope));
	}
	a->rt->s->mocks = k;
	forget_calls(a->rt);
	return VT_OK;
}

static vt_status
inject_method(vt_args *a, vt_value *out)
{
	vt_class *mine;
	bool ok = true;
	vt_mock k = {.self = a->v[2], .unit = a->unit};
	if (a->unit == NULL || a->unit->cls == NULL)
		return vt_raise(a->rt, VT_E_VALUE, "inject() by name is called outside of a class");
	mine = vt_class_link(a->rt, a->unit->cls, &ok);
	k.by = single_method(a->rt, mine, vt_as_str(a->v[3]));
	if (k.by == NULL)
		return VT_ERROR;
	*out = VT_NULL;
	return add(a, k);
}

static vt_status
inject_expression(vt_args *a, vt_value *out)
{
	vt_mock k = {.self = VT_NULL, .lambda = a->v[2], .scope = a->scope, .unit = a->unit};
	if (a->scope == NULL)
		return vt_raise(a->rt, VT_E_VALUE, "inject() is called outside of an expression");
	k.self = a->scope->base->self;
	*out = VT_NULL;
	return add(a, k);
}

static vt_status
with_original(vt_args *a, vt_value *out)
{
	vt_value name = vt_str_c(a->rt, ORIGINAL), from = VT_NULL, key, lambda, v;
	vt_scope *sc = vt_scope_child(a->rt, a->scope, 0, NULL), *there;
	vt_status st = VT_OK;
	from = vt_scope_get(a->rt, a->scope, vt_as_str(name));
	there = vt_is(from, SCOPE) ? VT_AS(vt_scope, from) : a->scope;
	vt_release(name);
	for (uint32_t i = 0; st == VT_OK && vt_is(a->kw, DICT) &&
			     vt_dict_at(vt_as_dict(a->kw), &i, &key, &lambda);) {
		v = VT_UNDEF;
		st = vt_apply_in(a->rt, lambda, there, 0, NULL, &v);
		if (st == VT_OK)
			vt_scope_set(a->rt, sc, vt_as_str(key), v);
		vt_release(v);
	}
	return vt_settle(st, vt_mkptr(sc), out);
}

/* ---- a mocked call -------------------------------------------------------------------------- */

struct original {
	const vt_unit *caller;
	const vt_method_decl *m;
	vt_value self, args, kwargs;
};

static vt_status
call_original(vt_rt *rt, void *data, uint32_t n, const vt_value *args, vt_value *out)
{
	const struct original *o = data;
	(void)args;
	if (n > 0)
		return vt_raise(rt, VT_E_NO_MATCHING_FUNCTION,
			"No function \"originalMethod\" matches supplied arguments");
	return vt_invoke(rt, o->caller, o->m, o->self, vt_as_list(o->args)->n,
		vt_as_list(o->args)->v, o->kwargs, out);
}

static void
drop_original(void *data)
{
	struct original *o = data;
	vt_release(o->self);
	vt_release(o->args);
	vt_release(o->kwargs);
	free(o);
}

/* The context of the expression: the mock's own, with originalMethod() and the keyword arguments.
 */
static vt_scope *
mock_scope(vt_rt *rt, vt_scope *caller, const vt_mock *k, const struct original *call)
{
	vt_scope *sc = vt_scope_child(rt, k->scope, 0, NULL);
	vt_value name = vt_str_c(rt, "originalMethod"), key, v, f;
	struct original *o = vt_xmalloc(sizeof *o);
	*o = *call;
	vt_retain(o->self);
	vt_retain(o->args);
	vt_retain(o->kwargs);
	f = vt_lambda_native(rt, call_original, o, drop_original);
	vt_scope_define(sc, vt_as_str(name), f, VT_DEF_HIDES);
	vt_release(f);
	vt_release(name);
	if (caller != NULL) {
		name = vt_str_c(rt, ORIGINAL);
		vt_scope_set(rt, sc, vt_as_str(name), vt_mkptr(caller));
		vt_release(name);
	}
	for (uint32_t i = 0;
		vt_is(call->kwargs, DICT) && vt_dict_at(vt_as_dict(call->kwargs), &i, &key, &v);)
		if (vt_is(key, STR))
			vt_scope_set(rt, sc, vt_as_str(key), v);
	return sc;
}

/* The value that an extension method is called on is its first argument, and no argument of a
 * mock. */
static uint32_t
receivers(const struct original *call)
{
	return call->m->usage == VT_M_EXTENSION && vt_as_list(call->args)->n > 0;
}

static vt_status
run_expression(
	vt_rt *rt, vt_scope *caller, const vt_mock *k, const struct original *call, vt_value *out)
{
	const vt_list *given = vt_as_list(call->args);
	uint32_t from = receivers(call);
	vt_list *args = vt_list_grow(rt, VT_K_TUPLE, given->n + 1);
	vt_scope *sc = mock_scope(rt, caller, k, call);
	vt_value raw = VT_UNDEF;
	vt_status st;
	vt_list_push(rt, args, vt_copy(k->self));
	vt_list_extend(rt, args, given->n - from, given->v + from);
	st = vt_apply_in(rt, k->lambda, sc, args->n, args->v, &raw);
	if (st == VT_OK)
		st = vt_final(rt, k->unit, raw, out);
	vt_release(raw);
	vt_scope_drop(sc);
	vt_release(vt_mkptr(args));
	return st;
}

vt_status
vt_mock_call(vt_rt *rt, vt_scope *caller, const vt_unit *unit, const vt_mock *k, vt_value self,
	uint32_t n, const vt_value *args, vt_value kwargs, vt_value *out)
{
	struct original call = {
		.caller = unit, .m = k->m, .self = self, .args = VT_UNDEF, .kwargs = VT_UNDEF};
	vt_status st =
		vt_bind_call(rt, unit, k->m, self, n, args, kwargs, &call.args, &call.kwargs);
	if (st == VT_OK && k->by != NULL)
		st = vt_invoke_raw(rt, k->unit, k->by, k->self,
			vt_as_list(call.args)->n - receivers(&call),
			vt_as_list(call.args)->v + receivers(&call), call.kwargs, out);
	else if (st == VT_OK)
		st = run_expression(rt, caller, k, &call, out);
	vt_release(call.args);
	vt_release(call.kwargs);
	return st;
}

const vt_mock *
vt_mock_next(vt_rt *rt, const vt_mock *last, const vt_class *c, const vt_str *name)
{
	const vt_mock *k = last ? last->next : rt->s->mocks;
	while (k != NULL && !(vt_str_eq(k->cls, c->decl->name) && vt_str_eq(k->m->name, name)))
		k = k->next;
	return k;
}

void
vt_mocks_drop(vt_rt *rt)
{
	for (vt_mock *k = rt->s->mocks, *next; k != NULL; k = next) {
		next = k->next;
		vt_release(k->self);
		if (k->scope != NULL) {
			vt_release(k->lambda);
			vt_scope_drop(k->scope);
		}
		free(k);
	}
	rt->s->mocks = NULL;
}

void
vt_mocks_offer(vt_rt *rt)
{
	static const struct {
		const char *name, *params;
		vt_fn fn;
	} functions[] = {
		{"inject",
			"target: object|type, targetMethod: str, mockObject: object, mockName: str",
			inject_method},
		{"inject", "target: object|type, targetMethod: str, expr: lambda_ctx",
			inject_expression},
		{"withOriginal", "**kwargs: lambda_ctx", with_original},
	};
	for (size_t i = 0; i < VT_LEN(functions); i++) {
		vt_sig sig;
		if (vt_sig_read(rt, &sig, functions[i].params) == NULL)
			(void)vt_host_add(rt, functions[i].name, VT_FN_FUNCTION, &sig,
				functions[i].fn, NULL, NULL);
	}
}
