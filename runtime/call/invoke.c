/*
 * invoke.c - one method call: muranopl-engine.md 5.
 *
 * Order of events, as the stub and _canonize_parameters of the reference have it: arguments given
 * by position pass their contracts, then the remaining parameters in declared order (by keyword, or
 * with their default), then what KwArgs takes; only after that surplus arguments are refused, and a
 * destroyed object before them.
 */
#include "runtime/call/call.h"
#include "runtime/core/printable.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"
#include "runtime/task/task.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 12 };

struct call {
	vt_rt *rt;
	const vt_unit *caller;
	const vt_method_decl *m;
	vt_value self, owner;
	vt_value receiver; /* what the call was written on: native static methods see it */
	uint32_t n;
	const vt_value *args;
	const vt_dict *kw; /* or NULL */
	vt_value *argv;
	bool surplus;     /* an argument nobody takes */
	bool raw;         /* no contracts, no defaults: vt_invoke_raw */
	vt_value rest_kw; /* native methods: what no standard parameter takes, or VT_NULL */
	vt_value *out;
};

static void
report_receiver(vt_rt *rt, vt_buf *b, vt_value self, bool as_class)
{
	if (as_class && vt_is(self, TYPEREF)) {
		vt_class *c = vt_cls_of(self);
		vt_buf_printf(b, "Murano%sClass(%s/%s)", c->decl->is_meta ? "Meta" : "",
			c->decl->name->s, vt_class_version(c->decl));
	} else {
		vt_repr_cut(rt, b, self);
	}
}

/* Classes that the host makes up belong to no file. */
static const vt_unit *
unit_of(const vt_method_decl *m)
{
	return m->cls->unit ? m->cls->unit : &vt_core_unit;
}

static vt_status
no_match(struct call *c, bool as_class)
{
	vt_buf b = {0};
	vt_buf_printf(&b, "No method \"%s\" for receiver ", c->m->name->s);
	report_receiver(
		c->rt, &b, vt_is(c->self, CAST) ? vt_mkptr(vt_obj_of(c->self)) : c->self, as_class);
	vt_buf_puts(&b, " matches supplied arguments");
	return vt_raise_value(c->rt, VT_E_NO_MATCHING_METHOD, vt_str_take(c->rt, &b));
}

static __attribute__((cold, noinline)) void
prefix_argument(struct call *c, const vt_param_decl *p, const char *path)
{
	vt_contract_prefix(c->rt, (const char *const[]){c->m->cls->name->s, "::", c->m->name->s,
					  "(", p->name->s, path ? path : "", ")", NULL});
}

static vt_contract_use
use_of(struct call *c, const vt_param_decl *p, enum vt_contract_mode mode)
{
	vt_value self = vt_is(c->self, CAST) ? vt_mkptr(vt_obj_of(c->self)) : c->self;
	return (vt_contract_use){
		.contract = p->contract,
		.dflt = p->dflt,
		.cls = c->m->cls,
		.self = self,
		.owner = vt_is(self, TYPEREF) ? VT_NULL : c->owner,
		.calling_type = c->caller && c->caller->cls ? c->caller->cls : c->m->cls,
		.mode = mode,
	};
}

/* Is it known what becomes of the argument without asking its contract? */
static inline bool
converts_at_once(vt_rt *rt, const vt_param_decl *p, vt_value in)
{
	return (vt_takes(in, p->takes) && vt_final_now(in)) ||
	       (p->seen != NULL && vt_sees_one(vt_ic_at(rt, p->seen), in));
}

/* VT_NOVALUE asks for the default. */
static vt_status
convert(struct call *c, const vt_param_decl *p, vt_value in, vt_value *out)
{
	vt_contract_use u;
	char *path = NULL;
	vt_status st;
	if (unlikely(c->raw)) {
		*out = in == VT_NOVALUE ? VT_NULL : vt_copy(in);
		return VT_OK;
	}
	if (in == VT_NOVALUE ? p->value != NULL || p->imm != 0 : converts_at_once(c->rt, p, in)) {
		*out = in != VT_NOVALUE   ? vt_copy(in)
		       : p->value != NULL ? vt_mkptr(p->value)
					  : p->imm;
		return VT_OK;
	}
	u = use_of(c, p, VT_C_TRANSFORM);
	st = vt_contract_run(c->rt, &u, in, out, &path);
	if (st != VT_OK)
		prefix_argument(c, p, path);
	free(path);
	return st;
}

bool
vt_param_check(vt_rt *rt, const vt_unit *caller, const vt_method_decl *m, uint32_t i, vt_value v)
{
	struct call c = {.rt = rt, .caller = caller, .m = m, .self = VT_NULL, .owner = VT_NULL};
	vt_contract_use u;
	vt_value out = VT_UNDEF;
	bool ok = true;
	vt_class *cls;
	if (i >= m->nparams || v == VT_PASSKEY || v == VT_NULL) /* the contract has its say later */
		return i < m->nparams;
	cls = vt_class_link(rt, m->cls, &ok);
	if (cls == NULL) {
		vt_exc_clear(rt);
		return false;
	}
	c.self = cls->typeref;
	u = use_of(&c, &m->params[i], VT_C_CHECK_TYPE);
	if (vt_contract_run(rt, &u, v, &out, NULL) != VT_OK) {
		vt_exc_clear(rt);
		ok = false;
	}
	vt_release(out);
	return ok;
}

/* ---- binding ---- */

static vt_value
keyword(const struct call *c, const vt_str *name)
{
	return c->kw ? vt_dict_get_str(c->kw, name) : VT_UNDEF;
}

static const vt_param_decl *
param_of_usage(const vt_method_decl *m, enum vt_param_usage usage)
{
	for (uint32_t i = 0; i < m->nparams; i++)
		if (m->params[i].usage == usage)
			return &m->params[i];
	return NULL;
}

static uint32_t
nstandard(const vt_method_decl *m)
{
	uint32_t n = 0;
	while (n < m->nparams && m->params[n].usage == VT_PARAM_STANDARD)
		n++;
	return n;
}

/* f(1, a => 2) where 1 is a: the overload resolution has no candidate left. */
static bool
given_twice(const struct call *c, uint32_t npos)
{
	for (uint32_t i = 0; c->kw != NULL && i < c->n && i < npos; i++)
		if (c->args[i] != VT_NOVALUE && keyword(c, c->m->params[i].name) != VT_UNDEF)
			return true;
	return false;
}

static vt_status
bind_rest(struct call *c, uint32_t npos)
{
	const vt_param_decl *p = param_of_usage(c->m, VT_PARAM_VARARGS);
	vt_list *l;
	if (p == NULL) {
		c->surplus = c->surplus || c->n > npos;
		return VT_OK;
	}
	l = vt_list_grow(c->rt, VT_K_TUPLE, c->n > npos ? c->n - npos : 0);
	c->argv[p - c->m->params] = vt_mkptr(l);
	for (uint32_t i = npos; i < c->n; i++) {
		vt_value v = VT_UNDEF;
		VT_TRY(convert(c, p, c->args[i], &v));
		vt_list_push(c->rt, l, v);
	}
	return VT_OK;
}

static bool
is_standard(const vt_method_decl *m, vt_value name)
{
	for (uint32_t i = 0; vt_is(name, STR) && i < m->nparams; i++)
		if (m->params[i].usage == VT_PARAM_STANDARD &&
			vt_str_eq(m->params[i].name, vt_as_str(name)))
			return true;
	return false;
}

static vt_status
bind_keywords(struct call *c)
{
	const vt_param_decl *p = param_of_usage(c->m, VT_PARAM_KWARGS);
	vt_dict *d = p ? vt_dict_new(c->rt, true) : NULL;
	vt_value key, v, made;
	if (p != NULL)
		c->argv[p - c->m->params] = vt_mkptr(d);
	for (uint32_t i = 0; c->kw != NULL && vt_dict_at(c->kw, &i, &key, &v);) {
		vt_status st;
		if (is_standard(c->m, key))
			continue;
		if (p == NULL) {
			c->surplus = true;
			continue;
		}
		made = VT_UNDEF;
		VT_TRY(convert(c, p, v, &made));
		st = vt_dict_set(c->rt, d, key, made);
		vt_release(made);
		VT_TRY(st);
	}
	return VT_OK;
}

static vt_status
bind(struct call *c)
{
	uint32_t npos = nstandard(c->m);
	vt_value v;
	if (given_twice(c, npos))
		return no_match(c, false);
	for (uint32_t i = 0; i < npos && i < c->n; i++)
		if (c->args[i] != VT_NOVALUE)
			VT_TRY(convert(c, &c->m->params[i], c->args[i], &c->argv[i]));
	VT_TRY(bind_rest(c, npos));
	for (uint32_t i = 0; i < npos; i++) {
		if (c->argv[i] != VT_UNDEF)
			continue;
		v = keyword(c, c->m->params[i].name);
		VT_TRY(convert(c, &c->m->params[i], v == VT_UNDEF ? VT_NOVALUE : v, &c->argv[i]));
	}
	return bind_keywords(c);
}

static vt_status
check_alive(struct call *c)
{
	vt_buf b = {0};
	if (vt_is(c->self, TYPEREF) || !vt_obj_of(c->self)->destroyed)
		return VT_OK;
	vt_buf_puts(&b, "Object ");
	vt_repr_cut(c->rt, &b, vt_mkptr(vt_obj_of(c->self)));
	vt_buf_puts(&b, " is already destroyed");
	return vt_raise_value(c->rt, VT_E_DESTROYED, vt_str_take(c->rt, &b));
}

/* ---- locks: M9 ---- */

/* The arguments that Synchronize names: null ones do not count, nor names that are no parameter. */
static vt_status
lock_key(struct call *c, vt_value names, vt_value *key)
{
	vt_dict *d = vt_dict_new(c->rt, true);
	vt_status st = VT_OK;
	for (uint32_t i = 0; st == VT_OK && i < vt_as_list(names)->n; i++)
		for (uint32_t k = 0; st == VT_OK && k < c->m->nparams; k++)
			if (vt_eq(vt_as_list(names)->v[i], vt_mkptr(c->m->params[k].name)) &&
				c->argv[k] != VT_NULL && c->argv[k] != VT_UNDEF)
				st = vt_dict_set(
					c->rt, d, vt_mkptr(c->m->params[k].name), c->argv[k]);
	if (st == VT_OK && vt_dict_len(d) > 0) {
		*key = vt_mkptr(d);
		return VT_OK;
	}
	vt_release(vt_mkptr(d));
	return st;
}

/* What may not run at the same time as this call. Its key is owned. */
static vt_status
make_hold(struct call *c, vt_hold *h)
{
	vt_sync sync = {.on_this = true, .on_args = VT_UNDEF};
	vt_status st = VT_OK;
	*h = (vt_hold){.self = vt_is(c->self, CAST) ? vt_mkptr(vt_obj_of(c->self)) : c->self,
		.key = VT_UNDEF,
		.method = c->m};
	if (unlikely(c->m->unlocked))
		h->self = VT_UNDEF;
	if (likely(c->m->nmeta == 0))
		return VT_OK;
	VT_TRY(vt_method_sync(c->rt, c->m, &sync));
	if (sync.on_args != VT_UNDEF)
		st = lock_key(c, sync.on_args, &h->key);
	if (!sync.on_this)
		h->self = h->key != VT_UNDEF ? VT_NULL : VT_UNDEF;
	return st;
}

static vt_status
check_call(struct call *c)
{
	VT_TRY(check_alive(c));
	return c->surplus ? no_match(c, true) : VT_OK;
}

static vt_status
locked(struct call *c, vt_status (*body)(struct call *, vt_value *), vt_value *out)
{
	vt_hold h;
	vt_status st;
	VT_TRY(check_call(c));
	st = make_hold(c, &h);
	if (st == VT_OK)
		st = vt_lock(c->rt, &h);
	if (st == VT_OK) {
		st = body(c, out);
		vt_unlock(c->rt, &h);
	}
	vt_release(h.key);
	return st;
}

static vt_status
call_body(struct call *c, vt_value *out)
{
	vt_value self = vt_is(c->self, CAST) ? vt_mkptr(vt_obj_of(c->self)) : c->self, r = VT_NULL;
	vt_status st;
	if (c->m->body == NULL) {
		*out = VT_NULL;
		return VT_OK;
	}
	st = c->m->body(c->rt, c->m, self, c->argv, &r);
	if (st == VT_OK)
		*out = r;
	return st;
}

/* ---- bodies of methods, by the number of their parameters ---- */

typedef vt_status plain_0(vt_rt *, vt_act *, vt_value, vt_value *);
typedef vt_status plain_1(vt_rt *, vt_act *, vt_value, vt_value, vt_value *);
typedef vt_status plain_2(vt_rt *, vt_act *, vt_value, vt_value, vt_value, vt_value *);
typedef vt_status plain_3(vt_rt *, vt_act *, vt_value, vt_value, vt_value, vt_value, vt_value *);
typedef vt_status plain_4(
	vt_rt *, vt_act *, vt_value, vt_value, vt_value, vt_value, vt_value, vt_value *);
typedef vt_status plain_5(
	vt_rt *, vt_act *, vt_value, vt_value, vt_value, vt_value, vt_value, vt_value, vt_value *);
typedef vt_status plain_6(vt_rt *, vt_act *, vt_value, vt_value, vt_value, vt_value, vt_value,
	vt_value, vt_value, vt_value *);

/* The body owns its parameters, so argv has nothing left to give back. */
static vt_value
take(vt_value *arg)
{
	vt_value v = *arg;

	*arg = VT_UNDEF;
	return v;
}

#define DEFINE_BODY(n, ...) \
	vt_status vt_body_##n( \
		vt_rt *rt, const vt_method_decl *m, vt_value self, vt_value *argv, vt_value *out) \
	{ \
		vt_act act; \
		vt_status st = vt_enter(rt, &act, m, self); \
		(void)argv; \
		if (st != VT_OK) \
			return st; \
		st = ((plain_##n *)m->plain)(rt, &act, self, __VA_ARGS__); \
		vt_leave(rt, &act); \
		return st; \
	}
DEFINE_BODY(0, out)
DEFINE_BODY(1, take(argv + 0), out)
DEFINE_BODY(2, take(argv + 0), take(argv + 1), out)
DEFINE_BODY(3, take(argv + 0), take(argv + 1), take(argv + 2), out)
DEFINE_BODY(4, take(argv + 0), take(argv + 1), take(argv + 2), take(argv + 3), out)
DEFINE_BODY(5, take(argv + 0), take(argv + 1), take(argv + 2), take(argv + 3), take(argv + 4), out)
DEFINE_BODY(6, take(argv + 0), take(argv + 1), take(argv + 2), take(argv + 3), take(argv + 4),
	take(argv + 5), out)

/* ---- native methods ---- */

static bool
is_static(const vt_method_decl *m)
{
	return m->usage == VT_M_STATIC || m->usage == VT_M_EXTENSION;
}

/* A native parameter without a default must be given. */
static vt_status
bind_native(struct call *c, uint32_t npos)
{
	if (given_twice(c, npos))
		return no_match(c, false);
	for (uint32_t i = 0; i < npos; i++) {
		const vt_param_decl *p = &c->m->params[i];
		vt_value v = i < c->n ? c->args[i] : VT_NOVALUE;
		if (v == VT_NOVALUE && (v = keyword(c, p->name)) == VT_UNDEF)
			v = VT_NOVALUE;
		if (v == VT_NOVALUE && p->dflt == NULL)
			return no_match(c, false);
		if (v == VT_NOVALUE || p->contract != NULL)
			VT_TRY(convert(c, p, v, &c->argv[i]));
		else
			c->argv[i] = vt_copy(v);
	}
	return VT_OK;
}

/* The keywords that no standard parameter takes. */
static vt_status
native_keywords(struct call *c, vt_value *out)
{
	vt_value key, v;
	vt_dict *d = NULL;
	for (uint32_t i = 0; c->kw != NULL && vt_dict_at(c->kw, &i, &key, &v);) {
		if (is_standard(c->m, key))
			continue;
		if (c->m->params != NULL && param_of_usage(c->m, VT_PARAM_KWARGS) == NULL)
			return no_match(c, false);
		if (d == NULL)
			d = vt_dict_new(c->rt, true);
		*out = vt_mkptr(d);
		VT_TRY(vt_dict_set(c->rt, d, key, v));
	}
	return VT_OK;
}

static vt_status
native_body(struct call *c, vt_value *out)
{
	uint32_t npos = nstandard(c->m);
	vt_value r = VT_NULL;
	vt_status st;
	vt_args a;
	a.rt = c->rt;
	a.scope = NULL;
	a.unit = c->caller ? c->caller : unit_of(c->m);
	a.site = NULL;
	a.row = NULL;
	a.method = c->m;
	a.self = is_static(c->m) ? c->receiver : c->self;
	a.from = NULL;
	a.v = c->argv;
	a.nv = npos;
	a.rest = c->n > npos ? c->args + npos : NULL;
	a.nrest = c->n > npos ? c->n - npos : 0;
	a.kw = c->rest_kw;
	st = c->m->native(&a, &r);
	if (st != VT_OK)
		return st;
	st = vt_final_fast(c->rt, unit_of(c->m), r, out);
	vt_release(r);
	return st;
}

/* A native method without a parameter table takes whatever comes: the host looks for itself. */
static vt_status
call_native(struct call *c, vt_value *out)
{
	uint32_t npos = nstandard(c->m);
	bool rest = c->m->params == NULL || param_of_usage(c->m, VT_PARAM_VARARGS) != NULL;
	vt_status st;
	c->rest_kw = VT_NULL;
	VT_TRY(bind_native(c, npos));
	if (c->n > npos && !rest)
		return no_match(c, false);
	st = native_keywords(c, &c->rest_kw);
	if (st == VT_OK)
		st = locked(c, native_body, out);
	vt_release(c->rest_kw);
	return st;
}

/* ---- entries ---- */

/* $this of a static method is its declaring type, whatever it was called on. */
static vt_status
static_self(struct call *c)
{
	vt_class *seen = vt_class_seen(vt_cls_of(c->self), c->m->cls);
	bool ok;
	if (seen == NULL)
		seen = vt_class_link(c->rt, c->m->cls, &ok);
	if (seen == NULL)
		return VT_ERROR;
	c->self = seen->typeref;
	return VT_OK;
}

static vt_status
check_receiver(struct call *c)
{
	if (!vt_is(c->self, TYPEREF) && !vt_is(c->self, OBJECT) && !vt_is(c->self, CAST))
		return no_match(c, false);
	if (is_static(c->m))
		return static_self(c);
	if (vt_is(c->self, TYPEREF))
		return no_match(c, false);
	return VT_OK;
}

static vt_status run(struct call *, vt_value *out);

static vt_status
run_on_segment(vt_rt *rt, void *data)
{
	struct call *c = data;
	(void)rt;
	return run(c, c->out);
}

static vt_status
run(struct call *c, vt_value *out)
{
	vt_value small[SMALL];
	vt_status st;
	if (vt_stack_low(c->rt)) { /* a task's stack is small: the call goes on on another one */
		c->out = out;
		return vt_on_segment(c->rt, run_on_segment, c);
	}
	c->receiver = c->self;
	st = check_receiver(c);
	if (st != VT_OK)
		return st;
	c->argv = c->m->nparams <= SMALL ? small : vt_xmalloc(c->m->nparams * sizeof *c->argv);
	for (uint32_t i = 0; i < c->m->nparams; i++)
		c->argv[i] = VT_UNDEF;
	if (c->m->native != NULL) {
		st = call_native(c, out);
	} else {
		st = bind(c);
		if (st == VT_OK)
			st = locked(c, call_body, out);
	}
	for (uint32_t i = 0; i < c->m->nparams; i++)
		vt_release(c->argv[i]);
	if (c->argv != small)
		free(c->argv);
	return st;
}

bool
vt_method_is_plain(const vt_method_decl *m)
{
	if (m->nmeta > 0 || m->nparams > SMALL || m->usage == VT_M_EXTENSION ||
		(m->native != NULL ? m->params == NULL : m->body == NULL))
		return false;
	for (uint32_t i = 0; i < m->nparams; i++)
		if (m->params[i].usage != VT_PARAM_STANDARD)
			return false;
	return true;
}

static vt_status
convert_in(struct call *c, vt_cx *cx, const vt_param_decl *p, vt_value in, vt_value *out)
{
	vt_value made = VT_UNDEF;
	vt_status st;
	if (converts_at_once(c->rt, p, in)) {
		*out = vt_copy(in);
		return VT_OK;
	}
	if (p->contract == NULL) {
		made = vt_copy(in);
	} else if ((st = p->contract(c->rt, cx, in, &made)) != VT_OK) {
		prefix_argument(c, p, cx->path);
		return st;
	}
	return vt_final_own(c->rt, cx->unit, made, out);
}

/* VarArgs: what stands behind the first n arguments. */
static vt_status
convert_rest(struct call *c, vt_cx *cx, uint32_t n, vt_value *out)
{
	vt_list *l = vt_list_grow(c->rt, VT_K_TUPLE, c->n - n);
	vt_value v = VT_UNDEF;
	for (uint32_t i = n; i < c->n; i++) {
		vt_status st = convert_in(c, cx, &c->m->params[n], c->args[i], &v);
		if (st != VT_OK) {
			vt_release(vt_mkptr(l));
			return st;
		}
		vt_list_push(c->rt, l, v);
	}
	*out = vt_mkptr(l);
	return VT_OK;
}

/* The contracts of all parameters, in order. *done: how many values there are, also on error. */
static vt_status
convert_plainly(struct call *c, vt_value *v, uint32_t *done)
{
	const vt_method_decl *m = c->m;
	vt_cx cx = {.mode = VT_C_TRANSFORM,
		.self = c->self,
		.owner = VT_NULL,
		.calling_type = c->caller && c->caller->cls ? c->caller->cls : m->cls,
		.unit = unit_of(m)};
	vt_status st = VT_OK;
	for (*done = 0; st == VT_OK && *done < m->nparams; ++*done) {
		const vt_param_decl *p = &m->params[*done];
		st = p->usage == VT_PARAM_VARARGS
			     ? convert_rest(c, &cx, *done, &v[*done])
			     : convert_in(c, &cx, p, c->args[*done], &v[*done]);
		if (st != VT_OK)
			break;
	}
	free(cx.path);
	vt_c_close(&cx);
	return st;
}

/* Nothing has to be looked up or defaulted: every argument is one of a parameter. */
static bool
are_plain(vt_rt *rt, vt_value self, uint32_t n, const vt_value *args)
{
	if (vt_stack_low(rt) || (vt_is(self, OBJECT) && VT_AS(vt_object, self)->destroyed))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (args[i] == VT_NOVALUE || args[i] == VT_PASSKEY)
			return false;
	return true;
}

static vt_status
run_plainly(struct call *c, vt_value *out)
{
	vt_hold h = {.self = c->self, .key = VT_UNDEF, .method = c->m};
	vt_value v[SMALL], r = VT_NULL;
	uint32_t n;
	vt_status st = convert_plainly(c, v, &n);
	if (st == VT_OK && (st = vt_lock(c->rt, &h)) == VT_OK) {
		st = c->m->body(c->rt, c->m, c->self, v, &r);
		vt_unlock(c->rt, &h);
	}
	while (n-- > 0)
		vt_release(v[n]);
	if (st == VT_OK)
		*out = r;
	return st;
}

/* Its arguments are held: it may wait while somebody else assigns the variable that has them. */
static vt_status
run_native(struct call *c, vt_value *out)
{
	vt_value v[SMALL];
	vt_status st;
	for (uint32_t i = 0; i < c->m->nparams; i++)
		v[i] = vt_copy(c->args[i]);
	c->receiver = c->self;
	c->n = c->m->nparams;
	c->argv = v;
	c->rest_kw = VT_NULL;
	st = locked(c, native_body, out);
	for (uint32_t i = 0; i < c->n; i++)
		vt_release(v[i]);
	return st;
}

vt_status
vt_invoke_plain(vt_rt *rt, const vt_unit *caller, const vt_method_decl *m, vt_value self,
	const vt_value *args, vt_value *out)
{
	struct call c = {.rt = rt, .caller = caller, .m = m, .self = self, .args = args};
	if (unlikely(!are_plain(rt, self, m->nparams, args)))
		return vt_invoke(rt, caller, m, self, m->nparams, args, VT_NULL, out);
	return m->native != NULL ? run_native(&c, out) : run_plainly(&c, out);
}

static vt_status
invoke(struct call c, uint32_t n, const vt_value *args, vt_value kwargs, vt_value *out)
{
	c.owner = VT_NULL;
	c.n = n;
	c.args = args;
	c.kw = vt_is(kwargs, DICT) ? vt_as_dict(kwargs) : NULL;
	return run(&c, out);
}

/* Of an object, with VarArgs behind parameters that are all given. */
static bool
takes_rest(const vt_method_decl *m, vt_value self, uint32_t n)
{
	uint32_t fixed = m->nparams - 1;
	return m->nparams > 0 && m->params[fixed].usage == VT_PARAM_VARARGS && n >= fixed &&
	       nstandard(m) == fixed && vt_is(self, OBJECT) && !is_static(m) && m->body != NULL &&
	       m->native == NULL && m->nmeta == 0 && !m->unlocked && m->nparams <= SMALL &&
	       m->usage != VT_M_EXTENSION;
}

vt_status
vt_invoke(vt_rt *rt, const vt_unit *caller, const vt_method_decl *m, vt_value self, uint32_t n,
	const vt_value *args, vt_value kwargs, vt_value *out)
{
	struct call c = {.rt = rt, .caller = caller, .m = m, .self = self, .args = args, .n = n};
	if (!vt_is(kwargs, DICT) && takes_rest(m, self, n) && are_plain(rt, self, n, args))
		return run_plainly(&c, out);
	return invoke((struct call){.rt = rt, .caller = caller, .m = m, .self = self}, n, args,
		kwargs, out);
}

uint32_t
vt_first_rest(const vt_method_decl *m)
{
	uint32_t last = m->nparams - 1;
	return last > 0 && m->params[last].usage == VT_PARAM_KWARGS &&
			       m->params[last - 1].usage == VT_PARAM_VARARGS
		       ? last - 1
		       : last;
}

vt_status
vt_invoke_spread(vt_rt *rt, const vt_unit *caller, const vt_method_decl *m, vt_value self,
	const vt_value *args, vt_value *out)
{
	uint32_t fixed = vt_first_rest(m);
	vt_value kwargs = args[m->nparams - 1]; /* or VarArgs, which are none */
	const vt_list *rest;
	vt_value small[SMALL], *v = small;
	vt_status st;
	if (vt_is(args[fixed], DICT))
		return vt_invoke(rt, caller, m, self, fixed, args, kwargs, out);
	rest = vt_as_list(args[fixed]);
	if (fixed + rest->n > SMALL)
		v = vt_xmalloc((fixed + rest->n) * sizeof *v);
	memcpy(v, args, fixed * sizeof *v);
	memcpy(v + fixed, rest->v, rest->n * sizeof *v);
	st = vt_invoke(rt, caller, m, self, fixed + rest->n, v, kwargs, out);
	if (v != small)
		free(v);
	return st;
}

vt_status
vt_invoke_raw(vt_rt *rt, const vt_unit *caller, const vt_method_decl *m, vt_value self, uint32_t n,
	const vt_value *args, vt_value kwargs, vt_value *out)
{
	return invoke((struct call){.rt = rt, .caller = caller, .m = m, .self = self, .raw = true},
		n, args, kwargs, out);
}

/* What bind() made, in the form of a call; what it did not take goes along as it is. */
static vt_status
as_arguments(struct call *c, vt_list *tuple, vt_dict *dict)
{
	uint32_t npos = nstandard(c->m);
	const vt_param_decl *rest = param_of_usage(c->m, VT_PARAM_VARARGS),
			    *kwargs = param_of_usage(c->m, VT_PARAM_KWARGS);
	const vt_dict *more = kwargs ? vt_as_dict(c->argv[kwargs - c->m->params]) : c->kw;
	const vt_list *l = rest ? vt_as_list(c->argv[rest - c->m->params]) : NULL;
	vt_value key, v;
	vt_list_extend(c->rt, tuple, npos, c->argv);
	if (l != NULL)
		vt_list_extend(c->rt, tuple, l->n, l->v);
	else if (c->n > npos)
		vt_list_extend(c->rt, tuple, c->n - npos, c->args + npos);
	for (uint32_t i = 0; more != NULL && vt_dict_at(more, &i, &key, &v);)
		if (!is_standard(c->m, key))
			VT_TRY(vt_dict_set(c->rt, dict, key, v));
	return VT_OK;
}

/* A native method without a table of parameters binds nothing. */
vt_status
vt_bind_call(vt_rt *rt, const vt_unit *caller, const vt_method_decl *m, vt_value self, uint32_t n,
	const vt_value *args, vt_value kwargs, vt_value *tuple, vt_value *dict)
{
	struct call c = {.rt = rt,
		.caller = caller,
		.m = m,
		.self = self,
		.owner = VT_NULL,
		.n = n,
		.args = args,
		.kw = vt_is(kwargs, DICT) ? vt_as_dict(kwargs) : NULL};
	vt_value small[SMALL];
	vt_status st;
	*tuple = vt_mkptr(vt_list_grow(rt, VT_K_TUPLE, n + m->nparams));
	*dict = vt_mkptr(vt_dict_new(rt, true));
	c.argv = m->nparams <= SMALL ? small : vt_xmalloc(m->nparams * sizeof *c.argv);
	for (uint32_t i = 0; i < m->nparams; i++)
		c.argv[i] = VT_UNDEF;
	st = bind(&c);
	if (st == VT_OK)
		st = as_arguments(&c, vt_as_list(*tuple), vt_as_dict(*dict));
	for (uint32_t i = 0; i < m->nparams; i++)
		vt_release(c.argv[i]);
	if (c.argv != small)
		free(c.argv);
	return st;
}

/* .init may write every property, and owns the objects that its arguments' contracts make. */
static vt_status
invoke_init(vt_rt *rt, const vt_method_decl *m, vt_value self, vt_value kwargs, vt_value *out)
{
	struct call c = {.rt = rt,
		.m = m,
		.self = self,
		.owner = self,
		.n = 0,
		.args = NULL,
		.kw = vt_is(kwargs, DICT) ? vt_as_dict(kwargs) : NULL};
	bool was = vt_writes_allowed(rt, 1);
	vt_status st = run(&c, out);
	vt_writes_allowed(rt, was);
	return st;
}

static vt_status
invoke_outside(vt_rt *rt, const vt_method_decl *m, vt_value target, vt_value args, vt_value kwargs,
	vt_value *out)
{
	vt_value t = VT_UNDEF;
	bool was;
	vt_status st;
	if (!vt_exposed(rt, m))
		return vt_raise(rt, VT_E_NOT_EXPOSED, "%s is not an action", m->name->s);
	if (vt_is(target, TYPEREF) && !is_static(m))
		return vt_raise(rt, VT_E_VALUE,
			"Method MuranoMethod(%s::%s) cannot be called on receiver "
			"MuranoClass(%s/%s)",
			m->cls->name->s, m->name->s, m->cls->name->s, vt_class_version(m->cls));
	VT_TRY(vt_to_tuple(rt, unit_of(m), args, &t));
	was = vt_writes_allowed(rt, 0);
	st = vt_invoke(rt, NULL, m, target, vt_as_list(t)->n, vt_as_list(t)->v, kwargs, out);
	vt_writes_allowed(rt, was);
	vt_release(t);
	return st;
}

vt_status
vt_invoke_public(vt_rt *rt, vt_value target, const vt_str *name, vt_value args, vt_value kwargs,
	vt_value *out)
{
	const vt_method_decl *m;
	bool ambiguous;
	if (!vt_is(target, OBJECT) && !vt_is(target, CAST) && !vt_is(target, TYPEREF))
		return vt_raise(rt, VT_E_TYPE,
			"a method can be called on an object or a class, not on %s",
			vt_py_type(target));
	m = vt_class_method(rt, vt_cls_of(target), name, &ambiguous);
	if (ambiguous)
		return VT_ERROR;
	if (m == NULL)
		return vt_raise(rt, VT_E_NO_METHOD_NAME, "Method \"%s\" is not found", name->s);
	return invoke_outside(rt, m, target, args, kwargs, out);
}

const vt_call_hooks vt_call_hooks_of_sessions = {
	vt_invoke, invoke_init, vt_yaql_less, vt_binary, vt_call, vt_attr, vt_attr_learn, vt_ready};
