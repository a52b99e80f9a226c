/*
 * context.c - contexts that a host makes, and calls: of functions by name, of lambdas in a context
 * or on a receiver, of what a function hides.
 *
 * A context is the scope that runtime/seq/context.c makes, so it is a value as others are.
 */
#include "compiler/libvetro/int.h"
#include "compiler/libvetro/vetro_host.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>
#include <string.h>

static vt_scope *
scope_of(vetro_value context)
{
	return vt_is(word(context), SCOPE) ? VT_AS(vt_scope, word(context)) : NULL;
}

static vetro_value
value_of(vt_scope *s)
{
	return handle(vt_mkptr(s));
}

/* ---- contexts ----------------------------------------------------------------------------- */

vetro_value
vetro_context(vetro_engine *e, vetro_value parent)
{
	vt_scope *p = parent != NULL ? scope_of(parent) : NULL;

	if (parent != NULL && p == NULL)
		return NULL;
	return value_of(vt_context_new(e->rt, lv_unit(e), p));
}

static bool
all_contexts(size_t n, const vetro_value *contexts)
{
	for (size_t i = 0; i < n; i++)
		if (contexts[i] == NULL || scope_of(contexts[i]) == NULL)
			return false;
	return n > 0 && n < UINT32_MAX;
}

static bool
is_among(vt_scope *const *of, uint32_t n, const vt_scope *s)
{
	for (uint32_t i = 0; i < n; i++)
		if (of[i] == s)
			return true;
	return false;
}

/* One level of the scopes and, around it, those of their parents. */
static vt_scope *
merged(vetro_engine *e, uint32_t n, vt_scope **of)
{
	vt_scope **outer = vt_xmalloc(n * sizeof(vt_scope *)), *parent = NULL, *made;
	uint32_t nouter = 0;

	for (uint32_t i = 0; i < n; i++)
		if (of[i]->parent != NULL && !is_among(outer, nouter, of[i]->parent))
			outer[nouter++] = of[i]->parent;
	if (nouter > 1)
		parent = merged(e, nouter, outer);
	else if (nouter == 1)
		parent = outer[0], vt_retain(vt_mkptr(parent));
	made = vt_context_view(e->rt, lv_unit(e), parent, of, n);
	vt_scope_drop(parent);
	free(outer);
	return made;
}

/* How many levels stand around a scope, itself among them. */
static size_t
levels(const vt_scope *s)
{
	size_t n = 0;

	for (; s != NULL; s = s->parent)
		n++;
	return n;
}

enum { MOST_LEVELS = 1000 }; /* of which several are made at once: merged() calls itself */

vetro_value
vetro_context_of(vetro_engine *e, size_t n, const vetro_value *contexts)
{
	vt_scope **of;
	vetro_value made;

	if (!all_contexts(n, contexts))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (levels(scope_of(contexts[i])) > MOST_LEVELS)
			return NULL;
	of = vt_xmalloc(n * sizeof(vt_scope *));
	for (size_t i = 0; i < n; i++)
		of[i] = scope_of(contexts[i]);
	made = value_of(merged(e, (uint32_t)n, of));
	free(of);
	return made;
}

vetro_value
vetro_context_linked(vetro_engine *e, vetro_value parent, vetro_value context)
{
	vt_scope *s = scope_of(context), *made = parent != NULL ? scope_of(parent) : NULL, **chain;
	size_t n = levels(s);

	if (s == NULL || (parent != NULL && made == NULL))
		return NULL;
	chain = vt_xmalloc(n * sizeof(vt_scope *));
	for (size_t i = 0; i < n; i++, s = s->parent)
		chain[i] = s;
	if (made != NULL)
		vt_retain(vt_mkptr(made));
	for (size_t i = n; i-- > 0;) {
		vt_scope *outer = made;
		made = vt_context_view(e->rt, lv_unit(e), outer, &chain[i], 1);
		vt_scope_drop(outer);
	}
	free(chain);
	return value_of(made);
}

vetro_value
vetro_context_parent(vetro_value context)
{
	const vt_scope *s = scope_of(context);

	return s != NULL && s->parent != NULL ? value_of(s->parent) : NULL;
}

/* The name as scopes have it, owned; NULL when it is none. */
static const vt_str *
name_of(vetro_engine *e, const char *name)
{
	if (name == NULL || vt_utf8_check(name, strlen(name)) != strlen(name))
		return NULL;
	return vt_as_str(vt_str_c(e->rt, name + (name[0] == '$')));
}

int
vetro_context_set(vetro_engine *e, vetro_value context, const char *name, vetro_value value)
{
	vt_scope *s = scope_of(context);
	const vt_str *key = s != NULL ? name_of(e, name) : NULL;
	bool ok = key != NULL;

	if (ok && value != NULL)
		vt_context_set(e->rt, s, key, word(value));
	else if (ok)
		ok = vt_context_unset(e->rt, s, key);
	if (key != NULL)
		vt_release(vt_mkptr(key));
	return ok ? 0 : -1;
}

vetro_value
vetro_context_get(vetro_engine *e, vetro_value context, const char *name)
{
	const vt_str *key = scope_of(context) != NULL ? name_of(e, name) : NULL;
	vt_value v = VT_UNDEF;

	if (key == NULL)
		return NULL;
	for (const vt_scope *s = scope_of(context); v == VT_UNDEF && s != NULL; s = s->parent)
		v = vt_context_own(s, key);
	vt_release(vt_mkptr(key));
	return handle(v);
}

vetro_value
vetro_context_names(vetro_engine *e, vetro_value context)
{
	vt_value names, key, v;
	vetro_value list;

	if (scope_of(context) == NULL)
		return NULL;
	names = vt_context_names(e->rt, scope_of(context));
	list = vetro_list(e);
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(names), &i, &key, &v);)
		(void)vetro_list_push(e, list, handle(vt_copy(key)));
	vt_release(names);
	return list;
}

int
vetro_context_register(vetro_engine *e, vetro_value context, const char *name, const char *params,
	unsigned flags, vetro_function *fn, void *user, void (*drop)(void *), vetro_error **err)
{
	vt_scope *s = scope_of(context);
	uint8_t how = vt_context_names_as(e->rt, s);

	s = s != NULL ? vt_context_first(s) : NULL;
	if (s == NULL || s->h.aux != VT_SCOPE_CONTEXT) {
		lv_error(err, "UsageError", "%s: there is no context of vetro_context() to have it",
			name != NULL ? name : "");
		if (drop != NULL)
			drop(user);
		return -1;
	}
	return lv_register(e, vt_context_table(s, vt_host_drop_table), how, name, params, flags, fn,
		user, drop, err);
}

int
vetro_context_convention(vetro_engine *e, vetro_value context, int64_t convention)
{
	vt_scope *s = scope_of(context);

	(void)e;
	s = s != NULL ? vt_context_first(s) : NULL;
	if (s == NULL || s->h.aux != VT_SCOPE_CONTEXT || convention < 0 ||
		convention > VETRO_PYTHON_NAMES)
		return -1;
	vt_context_name_as(s, (uint8_t)convention);
	return 0;
}

int
vetro_context_remove(vetro_engine *e, vetro_value context, const char *name)
{
	const vt_scope *s = scope_of(context), *p;
	bool any = false;

	for (uint32_t i = 0; s && e->running == 0 && (p = vt_context_part(s, i)) != NULL; i++)
		any |= vt_host_remove(vt_context_has_table(p), name);
	return any ? 0 : -1;
}

int
vetro_finalizer(vetro_engine *e, vetro_value context, vetro_function *fn, void *user,
	void (*drop)(void *), vetro_error **err)
{
	static const char name[] = "#finalize", obj[] = "obj: any?";

	if (e->running == 0 && fn != NULL && context == NULL)
		(void)vt_host_remove(e->rt->s->host, name);
	else if (fn != NULL)
		(void)vetro_context_remove(e, context, name);
	if (context == NULL)
		return vetro_register(e, name, obj, 0, fn, user, drop, err);
	return vetro_context_register(e, context, name, obj, 0, fn, user, drop, err);
}

vetro_value
vetro_evaluate_in(vetro_query *q, vetro_value data, vetro_value context, vetro_error **err)
{
	vt_scope *s = context != NULL ? scope_of(context) : NULL;

	if (context == NULL || s != NULL)
		return lv_evaluate(q, data, NULL, s, err);
	lv_error(err, "UsageError", "the value is no context");
	return NULL;
}

/* ---- what a function of the host may ask for ----------------------------------------------- */

/* A scope on the C stack is copied: its code does not reckon with captures. Counted. */
static vt_scope *
kept(vetro_engine *e, vt_scope *s)
{
	if (s == NULL)
		return vt_scope_root(e->rt, lv_unit(e), VT_NULL);
	if (s->h.rc == VT_IMMORTAL)
		return vt_scope_child(e->rt, s->parent, s->nargs, s->v);
	vt_retain(vt_mkptr(s));
	return s;
}

vetro_value
vetro_call_context(vetro_call *call)
{
	vetro_engine *e = call->engine;
	vt_scope *around = kept(e, call->args->scope), *made;

	e->escapes++;
	made = vt_context_new(e->rt, call->args->unit, around);
	vt_scope_drop(around);
	return value_of(made);
}

vetro_value
vetro_call_receiver(vetro_call *call)
{
	return handle(call->args->self);
}

const char *
vetro_call_name(vetro_call *call)
{
	return call->args->row->name;
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* Of a function that passes errors on (err NULL), the reason becomes the error of its call. */
static vetro_value
refuse(vetro_engine *e, vetro_error **err, const char *why)
{
	if (err != NULL)
		lv_error(err, "UsageError", "%s", why);
	else if (e->running > 0)
		(void)vt_host_raise(e->rt, "UsageError", why, strlen(why));
	return NULL;
}

enum { FEW_ARGS = 16 };

typedef struct given {
	uint32_t n;
	vt_value few[FEW_ARGS], *v;
	const vt_dict *kw;
} given;

/* An argument that is NULL is left out. False: there are too many, or the keywords are no dict. */
static bool
take_arguments(vetro_engine *e, size_t n, const vetro_value *args, vetro_value keywords, given *g)
{
	g->v = g->few;
	if (n > INT32_MAX || (keywords != NULL && !vt_is(word(keywords), DICT))) {
		(void)vt_raise(e->rt, VT_E_TYPE, "keywords are a dict");
		return false;
	}
	g->n = (uint32_t)n;
	g->kw = keywords != NULL ? vt_as_dict(word(keywords)) : NULL;
	if (n > FEW_ARGS)
		g->v = vt_xmalloc(n * sizeof *g->v);
	for (size_t i = 0; i < n; i++)
		g->v[i] = args[i] == NULL ? VT_NOVALUE : word(args[i]);
	return true;
}

static void
drop_arguments(given *g)
{
	if (g->v != g->few)
		free(g->v);
}

static vetro_value
result(vetro_engine *e, vt_status st, vt_value out, vetro_error **err)
{
	if (st == VT_OK)
		return out == VT_NOVALUE ? vetro_no_value() : handle(out);
	lv_fail(e, err);
	return NULL;
}

static vt_status
call_by_name(vetro_engine *e, vt_scope *s, vetro_value receiver, const char *name, given *g,
	vt_value *out)
{
	vt_value list = VT_UNDEF, key;
	vt_status st = vt_tuple_of(e->rt, g->n, g->v, &list);

	if (st != VT_OK)
		return st;
	key = vt_str_c(e->rt, name);
	st = vt_call_dynamic(e->rt, s, s->unit != NULL ? s->unit : lv_unit(e), vt_as_str(key),
		receiver == NULL ? VT_UNDEF : word(receiver), list,
		g->kw != NULL ? vt_mkptr(g->kw) : VT_NULL, out);
	vt_release(key);
	vt_release(list);
	return st;
}

vetro_value
vetro_invoke(vetro_engine *e, vetro_value context, vetro_value receiver, const char *name, size_t n,
	const vetro_value *args, vetro_value keywords, vetro_error **err)
{
	vt_scope *s = context != NULL ? scope_of(context) : NULL;
	vt_value out = VT_UNDEF;
	vt_status st = VT_ERROR;
	given g;

	if (name == NULL || vt_utf8_check(name, strlen(name)) != strlen(name) ||
		(context != NULL && s == NULL))
		return refuse(e, err, "a call needs a name, and a context or NULL");
	lv_enter(e);
	s = kept(e, s);
	if (take_arguments(e, n, args, keywords, &g))
		st = call_by_name(e, s, receiver, name, &g, &out);
	drop_arguments(&g);
	vt_scope_drop(s);
	lv_leave(e);
	return result(e, st, out, err);
}

vetro_value
vetro_super(vetro_call *call, vetro_value receiver, size_t n, const vetro_value *args,
	vetro_value keywords, vetro_error **err)
{
	vetro_engine *e = call->engine;
	vt_value out = VT_UNDEF;
	vt_status st = VT_ERROR;
	given g;

	lv_enter(e);
	if (take_arguments(e, n, args, keywords, &g))
		st = vt_call_hidden(call->args, receiver == NULL ? VT_UNDEF : word(receiver), g.n,
			g.v, g.kw, &out);
	drop_arguments(&g);
	lv_leave(e);
	return result(e, st, out, err);
}

/* ---- lambdas -------------------------------------------------------------------------------- */

const char *
vetro_lambda_text(vetro_value lambda, size_t *n)
{
	const vt_lambda *l = VT_AS(const vt_lambda, word(lambda));

	if (lambda == NULL || !vt_is(word(lambda), LAMBDA) || l->code == NULL ||
		l->code->source == NULL)
		return NULL;
	if (n != NULL)
		*n = strlen(l->code->source);
	return l->code->source;
}

/* Is the text a call, which can have a receiver? */
static bool
is_call(vetro_engine *e, const char *text)
{
	vetro_tree *t = vetro_parse(e, text, VETRO_ZSTR, NULL);
	bool call = t != NULL && vetro_node_kind_of(vetro_tree_root(t)) == VETRO_NODE_CALL;

	vetro_tree_free(t);
	return call;
}

/* The call of the lambda as a method of what the scope has under that name. */
#define RECEIVER "__receiver"

static vt_status
method_code(vetro_engine *e, const vt_lambda *l, const vt_code **code)
{
	vt_value text;
	vt_status st;

	if (l->code->source == NULL || !is_call(e, l->code->source))
		return vt_raise(e->rt, VT_E_TYPE, "the expression is no call: it has no receiver");
	text = vt_str_printf(e->rt, "$" RECEIVER ".%s", l->code->source);
	st = e->rt->s->compile(e->rt, e->rt->s->compile_ctx, vt_as_str(text), code);
	vt_release(text);
	return st;
}

static void
set_in(vetro_engine *e, vt_scope *s, const char *name, vt_value v)
{
	vt_value key = vt_str_c(e->rt, name);

	vt_scope_set(e->rt, s, vt_as_str(key), v);
	vt_release(key);
}

/* In the context, or where the lambda stands. */
static vt_status
apply_code(vetro_engine *e, const vt_lambda *l, vt_scope *s, vetro_value receiver, const given *g,
	vt_value *out)
{
	const vt_code *code = l->code;
	vt_value key, v, bound;
	vt_scope *child;
	vt_status st = VT_OK;

	s = s != NULL ? s : l->scope;
	if (s == NULL)
		return vt_raise(e->rt, VT_E_RUNTIME, "the context of this function is gone");
	if (receiver != NULL && (st = method_code(e, l, &code)) != VT_OK)
		return st;
	child = vt_scope_child(e->rt, s, 0, NULL);
	if (receiver != NULL)
		set_in(e, child, RECEIVER, word(receiver));
	for (uint32_t i = 0; g->kw != NULL && vt_dict_at(g->kw, &i, &key, &v);)
		if (vt_is(key, STR))
			vt_scope_set(e->rt, child, vt_as_str(key), v);
	bound = vt_lambda_new(e->rt, code, child);
	st = vt_apply_in(e->rt, bound, child, g->n, g->v, out);
	vt_release(bound);
	vt_scope_drop(child);
	return st;
}

static vt_status
apply_native(vetro_engine *e, vt_value lambda, vt_scope *s, const given *g, vt_value *out)
{
	if (s != NULL)
		return vt_apply_in(e->rt, lambda, s, g->n, g->v, out);
	if (g->kw != NULL)
		return vt_apply_kw(e->rt, lambda, g->n, g->v, vt_mkptr(g->kw), out);
	return vt_apply(e->rt, lambda, g->n, g->v, out);
}

vetro_value
vetro_apply_in(vetro_engine *e, vetro_value lambda, vetro_value context, vetro_value receiver,
	size_t n, const vetro_value *args, vetro_value keywords, vetro_error **err)
{
	vt_scope *s = context != NULL ? scope_of(context) : NULL;
	vt_value out = VT_UNDEF;
	vt_status st = VT_ERROR;
	given g;

	if (lambda == NULL || !vt_is(word(lambda), LAMBDA) || (context != NULL && s == NULL))
		return refuse(e, err, "the value is no lambda, or there is no such context");
	lv_enter(e);
	if (take_arguments(e, n, args, keywords, &g)) {
		const vt_lambda *l = VT_AS(const vt_lambda, word(lambda));
		st = l->code != NULL ? apply_code(e, l, s, receiver, &g, &out)
				     : apply_native(e, word(lambda), s, &g, &out);
	}
	drop_arguments(&g);
	lv_leave(e);
	return result(e, st, out, err);
}
