/*
 * scope.c - YAQL contexts and lambdas.
 *
 * A scope holds $1..$n, the named slots of a method, and, rarely, dynamic names: what let, def and
 * keyword arguments of lambdas bring.  The rare part hangs behind `ext`.
 */
#include "runtime/seq/lambda_program.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"
#include "runtime/task/task.h"

#include <stdlib.h>
#include <string.h>

typedef vt_scope_ext ext;

static vt_scope *
scope_new(vt_rt *rt, uint32_t nslots)
{
	vt_scope *s = vt_alloc(rt, sizeof *s + nslots * sizeof(vt_value), VT_K_SCOPE);

	s->parent = NULL;
	s->base = s;
	s->names = NULL;
	s->unit = NULL;
	s->ext = NULL;
	s->self = VT_NULL;
	s->nargs = 0;
	s->nslots = nslots;
	return s;
}

static void
init_method(vt_scope *s, const vt_unit *unit, vt_value self, const vt_names *names)
{
	s->names = names;
	s->unit = unit;
	s->self = self;
	s->nargs = 1;
	for (uint32_t i = 1; i < s->nslots; i++)
		s->v[i] = VT_UNDEF;
}

vt_scope *
vt_scope_method(vt_rt *rt, const vt_unit *unit, vt_value self, const vt_names *names)
{
	vt_scope *s = scope_new(rt, (names ? names->n : 0) + 1);

	init_method(s, unit, self, names);
	s->v[0] = vt_copy(self);
	return s;
}

void
vt_scope_local(vt_scope *s, const vt_unit *unit, vt_value self, const vt_names *names)
{
	*s = (vt_scope){.h = {.rc = VT_ON_STACK, .kind = VT_K_SCOPE}, .nslots = names->n + 1};
	s->base = s;
	init_method(s, unit, self, names);
	s->v[0] = self;
}

/* Somebody may keep it. */
static vt_scope *
vt_scope_heap(vt_rt *rt, const vt_scope *s)
{
	vt_scope *copy = vt_scope_method(rt, s->unit, s->self, s->names);

	for (uint32_t i = 1; i < s->nslots; i++)
		copy->v[i] = vt_copy(s->v[i]);
	return copy;
}

static void
init_child(vt_scope *s, vt_scope *parent, uint32_t nargs, const vt_value *args)
{
	s->parent = parent;
	s->base = parent->base;
	s->names = NULL;
	s->unit = parent->unit;
	s->self = parent->self;
	s->ext = NULL;
	s->nargs = s->nslots = nargs;
	for (uint32_t i = 0; i < nargs; i++)
		s->v[i] = vt_copy(args[i]);
	parent->h.rc++;
}

vt_scope *
vt_scope_child(vt_rt *rt, vt_scope *parent, uint32_t nargs, const vt_value *args)
{
	vt_scope *s = scope_new(rt, nargs);

	init_child(s, parent, nargs, args);
	return s;
}

vt_scope *
vt_scope_root(vt_rt *rt, const vt_unit *unit, vt_value data)
{
	vt_scope *s = scope_new(rt, 1);

	s->unit = unit;
	s->nargs = 1;
	s->v[0] = vt_copy(data);
	return s;
}

static void
add_variable(vt_rt *rt, vt_dict *d, vt_value key, vt_value v)
{
	if (v != VT_UNDEF && vt_dict_get(d, key) == VT_UNDEF)
		(void)vt_dict_set(rt, d, key, v);
}

static void
add_variables(vt_rt *rt, vt_dict *d, const vt_scope *s)
{
	const ext *e = s->ext;
	vt_value key, v;

	for (uint32_t i = 0; i < s->nargs; i++) {
		key = vt_str_printf(rt, "%u", i + 1);
		add_variable(rt, d, key, s->v[i]);
		vt_release(key);
	}
	for (uint32_t pos = 0; e && e->vars && vt_dict_at(e->vars, &pos, &key, &v);)
		add_variable(rt, d, key, v);
}

vt_value
vt_scope_inner(vt_rt *rt, const vt_scope *s)
{
	vt_dict *d = NULL;

	for (; s != NULL && s->parent != NULL && s->h.aux != VT_SCOPE_TOP; s = s->parent) {
		if (d == NULL)
			d = vt_dict_new(rt, false);
		add_variables(rt, d, s);
	}
	return d != NULL ? vt_mkptr(d) : VT_UNDEF;
}

/* Functions that def() made look back at their scope without a count: see vt_scope_define. */
static void
drop_function(vt_scope *s, ext *e)
{
	if (VT_AS(vt_lambda, e->function)->scope == s)
		VT_AS(vt_lambda, e->function)->scope = NULL;
	vt_release(vt_mkptr(e->fname));
	vt_release(e->function);
}

/* The finaliser of the kind; vt_free calls it. */
void
vt_scope_fini(vt_head *h)
{
	vt_scope *s = (vt_scope *)h;
	ext *e = s->ext;

	for (uint32_t i = 0; i < s->nslots; i++)
		vt_release(s->v[i]);
	if (e) {
		if (e->vars)
			vt_release(vt_mkptr(e->vars));
		if (e->fname)
			drop_function(s, e);
		vt_context_fini(e);
		free(e);
	}
	if (s->parent)
		vt_release(vt_mkptr(s->parent));
}

void
vt_scope_drop(vt_scope *s)
{
	if (s)
		vt_release(vt_mkptr(s));
}

static bool
may_keep(vt_value v)
{
	return vt_is(v, SCOPE) || vt_is(v, LAMBDA);
}

/*
 * A context in a variable keeps the scope of the method, and that keeps the variable: a ring that
 * counts would never free.  So the variables of a method, or of a branch, that is over let go of
 * contexts and lambdas.
 */
void
vt_scope_end(vt_scope *s)
{
	for (uint32_t i = 0; s->h.rc > 1 && i < s->nslots; i++)
		if (may_keep(s->v[i]))
			vt_move(&s->v[i], VT_NULL);
	vt_scope_drop(s);
}

void
vt_scope_end_branch(vt_rt *rt, vt_scope *s)
{
	vt_dict *vars = s->ext && s->h.rc > 1 ? ((ext *)s->ext)->vars : NULL;
	vt_value key, v;

	for (uint32_t pos = 0; vars && vt_dict_at(vars, &pos, &key, &v);)
		if (may_keep(v))
			vt_dict_set(rt, vars, key, VT_NULL);
	vt_scope_drop(s);
}

vt_value
vt_scope_arg(vt_scope *s, uint32_t n)
{
	for (; s; s = s->parent) {
		vt_value v = VT_UNDEF;
		if (n <= s->nargs && n > 0 && s->v[n - 1] != VT_UNDEF)
			return s->v[n - 1];
		if (unlikely(s->h.aux == VT_SCOPE_CONTEXT))
			v = vt_context_arg(s, n);
		if (v != VT_UNDEF)
			return v;
	}
	return VT_NULL;
}

uint32_t
vt_scope_position(const vt_str *name)
{
	uint32_t n = 0;

	if (name->bytes == 0)
		return 1;
	for (uint32_t i = 0; i < name->bytes; i++) {
		if (name->s[i] < '0' || name->s[i] > '9' || n > 1000000)
			return 0;
		n = n * 10 + (uint32_t)(name->s[i] - '0');
	}
	return n;
}

static vt_value
named_slot(const vt_scope *s, const vt_str *name)
{
	for (uint32_t i = 0; s->names && i < s->names->n; i++)
		if (s->names->name[i] == name || vt_str_eq(s->names->name[i], name))
			return s->v[s->nargs + i];
	return VT_UNDEF;
}

vt_value
vt_scope_get(vt_rt *rt, vt_scope *s, const vt_str *name)
{
	uint32_t n = vt_scope_position(name);

	(void)rt;
	if (n)
		return vt_scope_arg(s, n);
	for (; s; s = s->parent) {
		ext *e = s->ext;
		vt_value v = e && e->vars ? vt_dict_get_str(e->vars, name) : VT_UNDEF;
		if (v == VT_UNDEF)
			v = named_slot(s, name);
		if (v == VT_UNDEF && unlikely(e != NULL && e->nparts > 0))
			v = vt_context_of_parts(s, name);
		if (v != VT_UNDEF)
			return v;
		if (s->parent == NULL && s->self != VT_NULL && name->bytes == 4 &&
			memcmp(name->s, "this", 4) == 0)
			return s->self;
	}
	return VT_NULL;
}

vt_scope_ext *
vt_scope_ext_of(vt_scope *s)
{
	if (s->ext == NULL) {
		s->ext = vt_xmalloc(sizeof(ext));
		*(ext *)s->ext = (ext){0};
	}
	return s->ext;
}

void
vt_scope_borrow_cx(vt_scope *s, vt_cx *cx)
{
	if (cx != NULL || s->ext != NULL)
		vt_scope_ext_of(s)->cx = cx;
}

vt_cx *
vt_scope_cx(const vt_scope *s)
{
	const ext *e = s->base->ext;

	return e ? e->cx : NULL;
}

void
vt_scope_set(vt_rt *rt, vt_scope *s, const vt_str *name, vt_value v)
{
	ext *e = vt_scope_ext_of(s);

	if (e->vars == NULL)
		e->vars = vt_dict_new(rt, false);
	vt_dict_set(rt, e->vars, vt_mkptr(name), v);
}

void
vt_scope_define(vt_scope *s, const vt_str *name, vt_value lambda, enum vt_def_hides hides)
{
	ext *e = vt_scope_ext_of(s);

	e->hides = (uint8_t)hides;
	vt_retain(vt_mkptr(name));
	e->fname = name;
	e->function = vt_copy(lambda);
	/* A function may call itself, so its scope is this one: counted, the two would keep each
	 * other. */
	if (VT_AS(vt_lambda, lambda)->scope == s)
		s->h.rc--;
}

vt_value
vt_scope_function(vt_scope *s, const vt_str *name)
{
	for (; s; s = s->parent) {
		ext *e = s->ext;
		vt_value v = VT_UNDEF;
		if (e && e->fname && (e->fname == name || vt_str_eq(e->fname, name)))
			v = e->function;
		if (v == VT_UNDEF && unlikely(e != NULL && e->nparts > 0))
			v = vt_context_function(s, name);
		if (v != VT_UNDEF)
			return v;
	}
	return VT_UNDEF;
}

bool
vt_scope_has(const vt_scope *s, enum vt_def_hides least)
{
	for (; s; s = s->parent) {
		const ext *e = s->ext;
		if (e && (e->hides >= least || e->nparts > 0))
			return true;
	}
	return false;
}

bool
vt_scope_hides(const vt_scope *s)
{
	return vt_scope_has(s, VT_DEF_HIDES);
}

/* ---- lambdas ---------------------------------------------------------------------------- */

vt_value
vt_lambda_new(vt_rt *rt, const vt_code *code, vt_scope *scope)
{
	vt_lambda *l = vt_alloc(rt, sizeof *l, VT_K_LAMBDA);

	l->code = code;
	l->scope = scope;
	if (scope)
		scope->h.rc++;
	l->native = NULL;
	l->native_free = NULL;
	l->data = NULL;
	l->method = 0;
	return vt_mkptr(l);
}

vt_value
vt_lambda_native(vt_rt *rt,
	vt_status (*fn)(vt_rt *, void *, uint32_t, const vt_value *, vt_value *), void *data,
	void (*drop)(void *))
{
	vt_lambda *l = VT_AS(vt_lambda, vt_lambda_new(rt, NULL, NULL));

	l->native = fn;
	l->native_free = drop;
	l->data = data;
	return vt_mkptr(l);
}

typedef struct constant {
	vt_lambda_program program;
	vt_lambda_step step; /* k: the value; counted */
} constant;

static vt_status
give_constant(vt_rt *rt, void *data, uint32_t n, const vt_value *args, vt_value *out)
{
	const constant *c = data;

	(void)rt, (void)n, (void)args;
	*out = vt_copy(c->step.k);
	return VT_OK;
}

static void
drop_constant(void *data)
{
	constant *c = data;

	vt_release(c->step.k);
	free(c);
}

vt_value
vt_lambda_constant(vt_rt *rt, vt_value v)
{
	static const uint8_t first[1] = {0};
	constant *c = vt_xmalloc(sizeof *c);

	c->step = (vt_lambda_step){.op = VT_STEP_CONST, .guard = VT_STEP_K, .k = vt_copy(v)};
	c->program = (vt_lambda_program){.kind = VT_PROGRAM_VALUE, .n = 1, .nout = 1};
	c->program.t = &c->step;
	c->program.out = first;
	return vt_lambda_native(rt, give_constant, c, drop_constant);
}

const vt_lambda_program *
vt_lambda_constant_program(vt_rt *rt, const vt_lambda *l)
{
	const constant *c = l->data;
	vt_value v = l->native == give_constant ? c->step.k : VT_UNDEF;

	if (vt_batch_new == NULL || v == VT_UNDEF || v == VT_NOVALUE || rt->s->host_hides ||
		vt_metered(rt) || (vt_is_ptr(v) && vt_head_of(v)->kind > VT_K_STR))
		return NULL;
	return &c->program;
}

/* The finaliser of the kind. */
void
vt_lambda_fini(vt_head *h)
{
	vt_lambda *l = (vt_lambda *)h;

	if (l->native_free)
		l->native_free(l->data);
	if (l->scope)
		vt_release(vt_mkptr(l->scope));
}

/* Code that captures nothing gets its scope on the C stack. */
static vt_status
apply_leaf(vt_rt *rt, const vt_code *code, vt_scope *parent, uint32_t n, const vt_value *args,
	vt_value *out)
{
	struct {
		vt_scope s;
		vt_value room[4];
	} local;
	vt_status st;

	local.s.h = (vt_head){.rc = VT_IMMORTAL, .kind = VT_K_SCOPE};
	init_child(&local.s, parent, n, args);
	st = vt_code_run(rt, code, &local.s, out);
	for (uint32_t i = 0; i < n; i++)
		vt_release(local.s.v[i]);
	vt_release(vt_mkptr(parent));
	return st;
}

/* One call that goes on on another stack: a task's own is small. */
struct deeper {
	const vt_code *code;
	vt_scope *scope;
	uint32_t n;
	const vt_value *args;
	vt_value kwargs, *out;
	bool direct;
};
static vt_status run_deeper(vt_rt *, void *);

static vt_status
run(vt_rt *rt, const vt_code *code, vt_scope *parent, uint32_t n, const vt_value *args,
	vt_value kwargs, vt_value *out)
{
	vt_scope *s;
	vt_status st;
	vt_value key, value;

	if (parent ==
		NULL) /* a function that def() made, kept beyond its context: see forget_own */
		return vt_raise(rt, VT_E_RUNTIME, "the context of this function is gone");
	if (vt_stack_low(rt)) {
		struct deeper d = {code, parent, n, args, kwargs, out, false};
		return vt_on_segment(rt, run_deeper, &d);
	}
	if (++rt->depth > rt->max_depth) {
		rt->depth--;
		return vt_raise_depth(rt);
	}
	if ((code->flags & VT_CODE_LEAF) && n <= 4 && kwargs == VT_NULL) {
		st = apply_leaf(rt, code, parent, n, args, out);
	} else {
		s = vt_scope_child(rt, parent, n, args);
		for (uint32_t pos = 0;
			kwargs != VT_NULL && vt_dict_at(vt_as_dict(kwargs), &pos, &key, &value);)
			if (vt_is(key, STR))
				vt_scope_set(rt, s, vt_as_str(key), value);
		st = vt_code_run(rt, code, s, out);
		vt_scope_drop(s);
	}
	rt->depth--;
	return st;
}

/* A function of the host that goes by a name of the library may look at the scope of its call. */
static inline vt_status
run_direct(vt_rt *rt, const vt_code *code, vt_scope *parent, const vt_value *args, vt_value *out)
{
	vt_status st;

	if (vt_stack_low(rt)) {
		struct deeper d = {code, parent, 1, args, VT_NULL, out, true};
		return vt_on_segment(rt, run_deeper, &d);
	}
	if (unlikely(++rt->depth > rt->max_depth)) {
		rt->depth--;
		return vt_raise_depth(rt);
	}
	st = vt_code_direct(rt, code, parent, args, out);
	rt->depth--;
	return st;
}

static vt_status
run_deeper(vt_rt *rt, void *data)
{
	const struct deeper *d = data;

	return d->direct ? run_direct(rt, d->code, d->scope, d->args, d->out)
			 : run(rt, d->code, d->scope, d->n, d->args, d->kwargs, d->out);
}

/* The scope of the call has the arguments. */
static vt_status
run_own(vt_rt *rt, const vt_code *code, vt_scope *sc, const vt_value *args, vt_value *out)
{
	vt_value v[VT_DIRECT_MOST + 1];

	for (uint32_t i = 0; args == NULL && i < code->direct_args; i++)
		v[i] = vt_scope_arg(sc, i + 1);
	return code->direct(rt, sc, args ? args : v, out);
}

const vt_body vt_direct_body = {run_own};

vt_status
vt_apply(vt_rt *rt, vt_value lambda, uint32_t n, const vt_value *args, vt_value *out)
{
	const vt_lambda *l = VT_AS(vt_lambda, lambda);

	if (l->code != NULL && l->scope != NULL && !rt->s->host_hides) {
		if (l->code->program != NULL && l->code->program->nargs <= n &&
			l->code->body != &vt_direct_body && /* one item: C of cc is faster */
			!(l->code->flags & VT_CODE_OPERATOR) &&
			vt_lambda_program_value(rt, l->code, l->scope, args, out))
			return VT_OK;
		if (vt_code_is_direct(l->code) && n >= l->code->direct_args)
			return run_direct(rt, l->code, l->scope, args, out);
	}
	return l->native ? l->native(rt, l->data, n, args, out)
			 : run(rt, l->code, l->scope, n, args, VT_NULL, out);
}

vt_status
vt_code_apply(vt_rt *rt, const vt_code *code, vt_scope *parent, vt_value first, vt_value *out)
{
	if (vt_code_is_direct(code) && code->direct_args <= 1)
		return run_direct(rt, code, parent, &first, out);
	return run(rt, code, parent, 1, &first, VT_NULL, out);
}

vt_status
vt_apply_kw(vt_rt *rt, vt_value lambda, uint32_t n, const vt_value *args, vt_value kwargs,
	vt_value *out)
{
	const vt_lambda *l = VT_AS(vt_lambda, lambda);
	vt_value before = rt->s->applied_kw;
	vt_status st;

	if (l->native == NULL)
		return run(rt, l->code, l->scope, n, args, kwargs, out);
	rt->s->applied_kw = kwargs;
	st = l->native(rt, l->data, n, args, out);
	rt->s->applied_kw = before;
	return st;
}

vt_status
vt_apply_in(
	vt_rt *rt, vt_value lambda, vt_scope *ctx, uint32_t n, const vt_value *args, vt_value *out)
{
	const vt_lambda *l = VT_AS(vt_lambda, lambda);
	const vt_scope *before = rt->s->applied_in;
	vt_status st;

	if (l->native == NULL)
		return run(rt, l->code, ctx, n, args, VT_NULL, out);
	rt->s->applied_in = ctx;
	st = l->native(rt, l->data, n, args, out);
	rt->s->applied_in = before;
	return st;
}

/* ---- what lies on the stack ---- */

static vt_value
heap_iter(vt_rt *rt, const vt_iter *it)
{
	vt_iter *copy = vt_iter_new(rt, it->ops);

	copy->v[0] = vt_copy(it->v[0]);
	copy->v[1] = vt_on_stack(it->v[1]) ? vt_mkptr(vt_scope_heap(rt, VT_AS(vt_scope, it->v[1])))
					   : vt_copy(it->v[1]);
	for (size_t i = 0; i < VT_LEN(it->i); i++)
		copy->i[i] = it->i[i];
	copy->p = it->p;
	return vt_mkptr(copy);
}

vt_value
vt_heap_of(vt_rt *rt, vt_value v)
{
	vt_value copy = VT_UNDEF;

	if (!vt_on_stack(v))
		return vt_copy(v);
	if (vt_is(v, ITER))
		return heap_iter(rt, VT_AS(vt_iter, v));
	(void)vt_tuple_of(rt, vt_as_list(v)->n, vt_as_list(v)->v, &copy);
	return copy;
}
