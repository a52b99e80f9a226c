/*
 * make.c - what is called and made: macros, lambdas, prototypes, objects of class bindings.
 */
#include "runtime/yay/int.h"

#include <stdlib.h>
#include <string.h>

yshape *
yay_code(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	yshape *sh = yay_shape(s, Y_CODE, d, row);

	sh->env = env;
	return sh;
}

/* A map whose keys and places are known. */
ymap *
yay_fixed_map(
	vt_yay *s, ydoc *d, uint32_t row, uint32_t n, const uint32_t *key, vt_ynode *const *node)
{
	ymap *m = yay_map(s, d, row);

	m->keyed = true;
	m->key = yay_alloc(s, n * sizeof *m->key);
	m->node = yay_alloc(s, n * sizeof *m->node);
	for (uint32_t i = 0; i < n; i++) {
		uintptr_t at = (uintptr_t)ytab_get(&m->byname, key[i]);
		if (!at) { /* a later one wins, in the first one's place */
			m->key[m->nkeys] = key[i];
			at = ++m->nkeys;
			ytab_put(s, &m->byname, key[i], (void *)at);
		}
		m->node[at - 1] = node[i];
	}
	return m;
}

/* ---- macros ---- */

static bool
is_macro(const yshape *sh)
{
	return sh->kind == Y_CODE && ROW(sh->doc, sh->row)->kind == YAY_MACRO;
}

/* The macro of a CALL. */
yshape *
yay_find_macro(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	yshape *sh = yay_eval(s, d, ROW(d, row)->a, env);

	if (!sh || is_macro(sh))
		return sh;
	yay_fail(s, VT_YE_TYPE, d, row, "Attempting to call the uncallable!");
	yay_led(s, sh->doc, sh->row);
	return NULL;
}

/* The body sees its arguments, and then what is seen where it is called. */
yshape *
yay_call_macro(vt_yay *s, yshape *code, ymap *args, yframe *site, ypiece *outer, ymap **publish)
{
	yframe *f = yay_frame(s, F_ARGS, site);
	uint32_t body = ROW(code->doc, code->row)->b;
	yshape *sh;

	f->here = args;
	f = yay_frame_body(s, f, code->doc, body);
	sh = yay_body(s, code->doc, body, f, NULL, outer, publish);
	return sh;
}

/* ---- calls in expressions ---- */

static yshape *
call_macro(vt_yay *s, yshape *code, ydoc *d, uint32_t row, yframe *env)
{
	uint32_t n = 0, *key;
	vt_ynode **node;
	yshape *sh;

	for (uint32_t a = ROW(d, row)->b; a; a = ROW(d, a)->next)
		n++;
	key = yay_alloc(s, n * sizeof *key);
	node = yay_alloc(s, n * sizeof *node);
	n = 0;
	for (uint32_t a = ROW(d, row)->b; a; a = ROW(d, a)->next)
		if (ROW(d, a)->kind == YAY_KWARG) {
			key[n] = yay_sym(s, d, ROW(d, a)->a);
			node[n++] = yay_node(s, d, ROW(d, a)->b, env);
		}
	if (!(sh = yay_call_macro(
		      s, code, yay_fixed_map(s, d, row, n, key, node), env, NULL, NULL)))
		yay_led(s, d, row);
	return sh;
}

static vt_ynode *
argument(vt_yay *s, ydoc *d, uint32_t row, yframe *env, uint32_t at, uint32_t name)
{
	for (uint32_t a = ROW(d, row)->b; a; a = ROW(d, a)->next) {
		if (ROW(d, a)->kind == YAY_KWARG) {
			if (name && yay_sym(s, d, ROW(d, a)->a) == name)
				return yay_node(s, d, ROW(d, a)->b, env);
		} else if (at-- == 0) {
			return yay_node(s, d, a, env);
		}
	}
	return NULL;
}

static yshape *
call_lambda(vt_yay *s, yshape *code, ydoc *d, uint32_t row, yframe *env)
{
	yframe *vars = yay_frame(s, F_VARS, code->env);
	ydoc *cd = code->doc;
	uint32_t at = 0;

	for (uint32_t p = ROW(cd, code->row)->a; p; p = ROW(cd, p)->next, at++) {
		const vt_yrow *r = ROW(cd, p);
		uint32_t name =
			ROW(cd, r->a)->kind == YAY_IDENT ? yay_sym(s, cd, ROW(cd, r->a)->a) : 0;
		vt_ynode *n = argument(s, d, row, env, at, name);
		if (!n && r->b)
			n = yay_node(s, cd, r->b, code->env);
		if (!n) {
			yay_fail(s, VT_YE_TYPE, d, row, "an argument is missing");
			return NULL;
		}
		if (!yay_bind(s, cd, r->a, n, vars))
			return NULL;
	}
	return yay_eval(s, cd, ROW(cd, code->row)->b, vars);
}

static yshape *
call_code(vt_yay *s, yshape *code, ydoc *d, uint32_t row, yframe *env)
{
	if (code->kind == Y_CODE && ROW(code->doc, code->row)->kind == YAY_MACRO)
		return call_macro(s, code, d, row, env);
	if (code->kind == Y_CODE && ROW(code->doc, code->row)->kind == YAY_LAMBDA)
		return call_lambda(s, code, d, row, env);
	yay_fail(s, VT_YE_TYPE, d, row, "Attempting to call the uncallable!");
	return NULL;
}

/* A name means what the document says; else it is a function. */
yshape *
yay_invoke(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	uint32_t callee = ROW(d, row)->a, sym;
	yshape *code;
	yfound f;

	if (ROW(d, callee)->kind != YAY_IDENT)
		return (code = yay_eval(s, d, callee, env)) ? call_code(s, code, d, row, env)
							    : NULL;
	sym = yay_sym(s, d, ROW(d, callee)->a);
	if (yay_lookup(s, d, callee, env, sym, &f)) {
		code = f.shape ? f.shape : yay_expand(s, f.node);
		return code ? call_code(s, code, d, row, env) : NULL;
	}
	if (yay_failed(s))
		return NULL;
	if (yay_is_function(vt_as_str(s->sym[sym])))
		return yay_function(s, d, row, vt_as_str(s->sym[sym]), env);
	yay_fail(s, VT_YE_NO_MATCHING, d, row, "Could not find '%s'", vt_as_str(s->sym[sym])->s);
	return NULL;
}

/* ---- prototypes ---- */

static yframe *
object_frame(vt_yay *s, yframe *up, ymap *self, ydoc *d, uint32_t body)
{
	yframe *f = yay_frame(s, F_SELF, up);

	f->here = self;
	f = yay_frame_body(s, f, d, body);
	f->here = self;
	return f;
}

/* What the prototype has, then what `new` gives, then what the prototype adds to lists. */
static void
make_object(vt_yay *s, ymap *m, const yshape *code, ydoc *d, uint32_t params, yframe *env)
{
	uint32_t body = ROW(code->doc, code->row)->b;
	ymap *self = env->kind == F_BODY && env->prototype ? env->here : m;
	yframe *f = object_frame(s, code->env, self, code->doc, body);

	f->prototype = true;
	yay_map_body(s, m, code->doc, body, f, 1);
	yay_map_body(s, m, d, params, object_frame(s, env, self, d, params), 0);
	yay_map_body(s, m, code->doc, body, f, 2);
}

static void
bind_class(vt_yay *s, ymap *m, const char *cls, ydoc *d, uint32_t params, yframe *env)
{
	m->cls = cls;
	m->params = yay_map(s, d, params);
	yay_map_body(s, m->params, d, params, object_frame(s, env, m, d, params), 0);
}

static bool
has_class(const vt_yay *s, const char *name)
{
	return s->host.has_class && s->host.has_class(s->host.ctx, name);
}

/* `create` without a binding is what it is to the reference: a word that means nothing. */
static const char *
created_class(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	yshape *sh = yay_eval(s, d, ROW(d, row)->a, env);
	vt_value t = sh ? yay_text(s, sh, false) : VT_UNDEF;
	const char *name;
	uint32_t sym;
	char *why;

	if (t == VT_UNDEF)
		return NULL;
	sym = yay_sym_value(s, t);
	name = vt_as_str(s->sym[sym])->s;
	vt_release(t);
	if (has_class(s, name))
		return name;
	why = vt_asprintf("Unexpected create: there is no class binding \"%s\"", name);
	vt_yay_refuse(s, "UnexpectedSymbolError", why,
		(vt_yplace){d->d, d->d->name, ROW(d, row)->line, ROW(d, row)->col});
	free(why);
	return NULL;
}

ymap *
yay_new(vt_yay *s, ypiece *p, ydoc *d, uint32_t row, yframe *env)
{
	const vt_yrow *r = ROW(d, row);
	ymap *m = yay_map(s, d, ROW(d, r->b)->a ? ROW(d, r->b)->a : r->b);
	const char *cls = NULL;
	yshape *sh = NULL;

	m->outer = p;
	if (r->kind == YAY_CREATE) {
		if (!(cls = created_class(s, d, row, env)))
			return NULL;
	} else if (!(sh = yay_eval(s, d, r->a, env))) {
		return NULL;
	} else if (sh->kind == Y_CLASS) {
		cls = sh->cls;
	} else if (sh->kind != Y_CODE || ROW(sh->doc, sh->row)->kind != YAY_PROTOTYPE) {
		yay_fail(s, VT_YE_TYPE, sh->doc, sh->row, "Expected constructable");
		yay_led(s, d, row);
		return NULL;
	}
	if (cls)
		bind_class(s, m, cls, d, r->b, env);
	else
		make_object(s, m, sh, d, r->b, env);
	return m;
}

/* Asks the binding once, with all parameters resolved. */
bool
yay_object_made(vt_yay *s, ymap *m)
{
	vt_value params, out = VT_UNDEF;
	vt_status st;

	if (m->made == S_DONE)
		return true;
	if (m->made == S_BUSY)
		return yay_fail(s, VT_YE_CYCLE, m->s.doc, m->s.row,
			"A cyclic dependency was detected: this object's parameters need the "
			"object");
	m->made = S_BUSY;
	if (!yay_resolve(s, &m->params->s, &params)) {
		m->made = S_NEW;
		return false;
	}
	st = s->host.make(s->host.ctx, s->rt, m->cls, params, &out);
	vt_release(params);
	m->made = st == VT_OK && vt_is(out, DICT) ? S_DONE : S_NEW;
	if (st != VT_OK && !yay_fail_rt(s, m->s.doc, m->s.row)) {
		s->fault.kind = VT_YE_HOST;
		strcpy(s->fault.type, "HostError");
	} else if (m->made != S_DONE)
		yay_fail(s, VT_YE_HOST, m->s.doc, m->s.row, "the class %s gave no table of members",
			m->cls);
	if (m->made == S_DONE) {
		m->members = yay_map(s, m->s.doc, m->s.row);
		yay_map_values(s, m->members, m->s.doc, m->s.row, out);
	}
	vt_release(out);
	return m->made == S_DONE;
}
