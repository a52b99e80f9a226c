/*
 * unbox.c - ops on integers and floats as machine words: see unbox.h.
 *
 * Statements say where they are only before something that can look, or where their copy ends.
 */
#include "compiler/emit/unbox.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a copy is made of -------------------------------------------------------------- */

bool
em_is_arith(int op)
{
	return ir_ops[op].result == IR_R_ARITH && !(ir_ops[op].flags & IR_ASSIGNS);
}

bool
em_is_order(int op)
{
	return ir_ops[op].result == IR_R_ORDER;
}

/* As a value; of a float a new one, which is owned. */
static const char *
boxed(fn *x, const char *raw, int kind)
{
	switch (kind) {
	case RAW_BOOL: return vc_format(x->e->c, "vt_mkbool(%s)", raw);
	case RAW_FLOAT: return vc_format(x->e->c, "vt_mkfloat(rt, %s)", raw);
	case RAW_EITHER: return vc_format(x->e->c, "vt_either_of(rt, i%s, %s)", raw + 1, raw);
	}
	return vc_format(x->e->c, "vt_boxed(%s)", raw);
}

static bool
em_may_be_int(const fn *x, int32_t t)
{
	if (t < 0)
		return false;
	return x->raw->t[t] ? x->raw->kind[t] == RAW_INT : (x->cells[t] & EM_INT) != 0;
}

/* is it a raw integer? */
static bool
em_is_raw(const fn *x, int32_t t)
{
	return t >= 0 && x->raw->t[t] && x->raw->kind[t] == RAW_INT;
}

static bool
is_real(const fn *x, int32_t t)
{
	return t >= 0 && x->raw->t[t] && x->raw->kind[t] >= RAW_FLOAT;
}

static bool
may_be_real(const fn *x, int32_t t)
{
	if (t < 0)
		return false;
	return x->raw->t[t] ? x->raw->kind[t] >= RAW_FLOAT : (x->cells[t] & EM_FLOAT) != 0;
}

static bool
is_raw_variable(const fn *x, int32_t v)
{
	return v >= 0 && (uint32_t)v < x->f->nvars && x->raw->var[v] != 0;
}

/* Everything raw becomes a value. */
static void
box_all(fn *x, bool temporaries)
{
	em_raw *w = x->raw;

	for (uint32_t v = 0; v < x->f->nvars; v++)
		if (w->var[v] & RAW_SET)
			vt_buf_printf(&w->stubs,
				w->var[v] & RAW_REAL ? " vt_move(&v%u, vt_mkfloat(rt, m%u));"
						     : " v%u = vt_boxed(n%u);",
				v, v);
	for (int32_t t = 0; temporaries && t < x->f->ntemps; t++)
		if (w->t[t] && !w->named[t])
			vt_buf_printf(&w->stubs, " t%d = %s;", t,
				w->kind[t] == RAW_FLOAT && x->alias[t].kind
					? x->alias[t].c
					: boxed(x, w->t[t], w->kind[t]));
}

/* What gives up at op i does: a statement. */
static const char *
em_raw_bail(fn *x, uint32_t i)
{
	em_raw *w = x->raw;

	if (w->int_method)
		return "return VT_UNDEF";
	if (!w->back[i]) {
		w->back[i] = 1;
		x->loops->comes_back[i] = 1;
		vt_buf_printf(&w->stubs, "D%u_%u:;", w->number, i);
		box_all(x, true);
		if (w->last_at)
			vt_buf_printf(&w->stubs, " act->at = %s;", w->last_at);
		vt_buf_printf(&w->stubs, " goto S%u;\n", i);
	}
	return vc_format(x->e->c, "goto D%u_%u", w->number, i);
}

bool
em_raw_inside(const em_raw *w, int32_t label)
{
	return w->place[label] >= w->from && w->place[label] <= w->to;
}

/* A failure of the op leaves for its handler, with every value in its place. */
static const char *
fail(fn *x, int32_t label)
{
	em_raw *w = x->raw;
	uint32_t i = (uint32_t)(x->now - x->f->ins);

	if (!w->failed[i]) {
		w->failed[i] = 1;
		vt_buf_printf(&w->stubs, "H%u_%u:;", w->number, i);
		box_all(x, true);
		vt_buf_printf(&w->stubs, " goto L%d;\n", label);
	}
	return vc_format(x->e->c, "H%u_%u", w->number, i);
}

const char *
em_raw_target(fn *x, int32_t label, bool failed)
{
	em_raw *w = x->raw;

	if (!failed && em_raw_inside(w, label) && ((w->wanted[label] & 2) || !x->placed[label])) {
		w->wanted[label] |= 1;
		return vc_format(x->e->c, "F%u_%d", w->number, label);
	}
	if (failed) /* what was made for a call that refuses an argument is looked at there */
		return fail(x, label);
	if (!w->exits[label]) {
		w->exits[label] = 1;
		vt_buf_printf(&w->stubs, "X%u_%d:;", w->number, label);
		if (!w->int_method)
			box_all(x, false);
		vt_buf_printf(
			&w->stubs, w->int_method ? " return VT_UNDEF;\n" : " goto L%d;\n", label);
	}
	return vc_format(x->e->c, "X%u_%d", w->number, label);
}

/* ---- where statements are -------------------------------------------------------------------- */

/* Before something that can look at the statement. */
static void
report(fn *x)
{
	if (x->raw->at)
		vt_buf_printf(x->b, "\tact->at = %s;\n", x->raw->at);
	x->raw->at = NULL;
}

/* Does a statement begin at the label, before anything else? */
static bool
begins_statement(const ir_func *f, uint32_t i)
{
	while (i < f->n &&
		(f->ins[i].op == IR_LABEL || f->ins[i].op == IR_FREE || f->ins[i].op == IR_HANDLER))
		i++;
	return i < f->n && f->ins[i].op == IR_POS;
}

/* Is the jump of op i one within its statement? */
static bool
keeps_statement(const ir_func *f, uint32_t i, uint32_t place)
{
	if (place < i)
		return false;
	while (i < place && f->ins[i].op != IR_POS)
		i++;
	return i == place;
}

static void
find_mixed(const ir_func *f, em_raw *w)
{
	for (uint32_t i = w->from; i <= w->to; i++) {
		const ir_ins *in = &f->ins[i];
		uint32_t place = em_jumps(in) ? w->place[in->label] : 0;
		if (em_jumps(in) && !begins_statement(f, place) &&
			(!em_raw_inside(w, in->label) || !keeps_statement(f, i, place)))
			w->mixed[in->label] = true;
	}
}

/* Of an op of the copy that jumps. */
const char *
em_raw_jump(fn *x, const ir_ins *in)
{
	if (x->raw->mixed[in->label])
		report(x);
	return em_raw_target(x, in->label, false);
}

/* The temporary as a raw integer; what is a value is looked at. */
const char *
em_raw_of(fn *x, int32_t t, uint32_t i)
{
	const char *v;

	if (em_is_raw(x, t))
		return x->raw->t[t];
	if (is_real(x, t)) {
		vt_buf_printf(x->b, "\t%s;\n", em_raw_bail(x, i));
		return "0";
	}
	v = em_temp(x, t);
	vt_buf_printf(
		x->b, "\tif (!vt_is_int(%s)) %s; vt_known_int(%s);\n", v, em_raw_bail(x, i), v);
	return vc_format(x->e->c, "vt_raw(%s)", v);
}

/* The temporary as a double; an integer becomes one as in Python.  exact, for a comparison: only an
 * integer that a double can be. */
static const char *
real_of(fn *x, int32_t t, uint32_t i, bool exact)
{
	const char *v;

	if (is_real(x, t))
		return x->raw->t[t];
	if (!exact && !may_be_real(x, t))
		return vc_format(x->e->c, "(double)(%s / 2)", em_raw_of(x, t, i));
	if (exact && em_is_raw(x, t)) {
		v = x->raw->t[t];
		vt_buf_printf(x->b, "\tif (!vt_raw_exact(%s)) %s;\n", v, em_raw_bail(x, i));
		return vc_format(x->e->c, "(double)(%s / 2)", v);
	}
	v = em_temp(x, t);
	vt_buf_printf(x->b, "\tif (!%s(%s)) %s;\n", exact ? "vt_is_exact" : "vt_is_real", v,
		em_raw_bail(x, i));
	return vc_format(x->e->c, "vt_real_of(%s)", v);
}

/* The temporary is what the C says, which nothing changes as long as it is used. */
static void
call_raw(fn *x, int32_t t, const char *c, int kind, bool named)
{
	x->raw->t[t] = c;
	x->raw->kind[t] = (uint8_t)kind;
	x->raw->named[t] = named;
	x->alias[t] = kind >= RAW_FLOAT ? (em_alias){0} /* see settle() */
					: (em_alias){EM_ALIAS_RAW, boxed(x, c, kind)};
	x->cells[t] &= ~(uint32_t)EM_HELD;
}

/* Before an op that takes values: a float gets its place in memory, in the temporary or in the
 * variable it names. */
static void
settle(fn *x, int32_t t)
{
	em_raw *w = x->raw;

	if (!is_real(x, t) || x->alias[t].kind)
		return;
	if (w->named[t]) {
		const char *v = vc_format(x->e->c, "v%s", w->t[t] + 1);
		if (w->var[atoi(w->t[t] + 1)] & RAW_SET)
			vt_buf_printf(x->b, "\tvt_move(&%s, vt_mkfloat(rt, %s));\n", v, w->t[t]);
		x->alias[t] = (em_alias){EM_ALIAS_VARIABLE, v};
	} else {
		vt_buf_printf(x->b, "\tt%d = vt_mkfloat(rt, %s);\n", t, w->t[t]);
		x->cells[t] |= EM_HELD;
	}
	w->t[t] = NULL;
}

static void
settle_operands(fn *x, const ir_ins *in)
{
	for (uint32_t k = 0; k < in->na; k++)
		settle(x, in->a[k]);
	for (uint32_t k = 0; k < in->nlist; k++)
		settle(x, in->list[k]);
}

/* Is what the op makes used behind a label? Then it is a value. */
static bool
is_far(const fn *x)
{
	return x->raw->far[x->now - x->f->ins];
}

/* The temporary has been computed into i<t>, or y<t>. */
void
em_raw_made(fn *x, int32_t t, int kind)
{
	const char *c = vc_format(x->e->c, kind >= RAW_FLOAT ? "y%d" : "i%d", t);

	x->raw->ts[t] |= kind == RAW_EITHER ? 3 : kind == RAW_FLOAT ? 2 : 1;
	if (!is_far(x)) {
		call_raw(x, t, c, kind, false);
		return;
	}
	x->raw->boxed[t] = 1;
	vt_buf_printf(x->b, "\tt%d = %s;\n", t, boxed(x, c, kind));
	x->raw->t[t] = NULL;
	x->alias[t] = (em_alias){0};
}

/* Does the op empty the temporary, or put something else there? */
static bool
ends(const ir_ins *in, int32_t t)
{
	return in->d == t || em_frees(in, t);
}

/* ---- ops ------------------------------------------------------------------------------------- */

static bool
real_arith(fn *x, const ir_ins *in, uint32_t i)
{
	static const char c_op[] = "+-*/";
	const char *a, *b;

	if (!is_real(x, in->a[0]) && !is_real(x, in->a[1]))
		return false;
	for (int k = 0; k < 2; k++)
		if (!may_be_real(x, in->a[k]) && !em_may_be_int(x, in->a[k]))
			return false;
	a = real_of(x, in->a[0], i, false);
	b = real_of(x, in->a[1], i, false);
	if (in->op == IR_DIV || in->op == IR_MOD)
		vt_buf_printf(x->b, "\tif (%s == 0) %s;\n", b, em_raw_bail(x, i));
	if (in->op == IR_MOD)
		vt_buf_printf(x->b, "\ty%d = vt_float_mod(%s, %s);\n", in->d, a, b);
	else
		vt_buf_printf(x->b, "\ty%d = %s %c %s;\n", in->d, a, c_op[in->op - IR_ADD], b);
	em_raw_made(x, in->d, RAW_FLOAT);
	return true;
}

/* A value that may be a float. */
static bool
is_unknown(const fn *x, int32_t t)
{
	return t >= 0 && x->raw->t[t] == NULL && may_be_real(x, t);
}

/* Does op k take the temporary, made by op i, as a double, also where it is an integer? */
static bool
takes_real(const fn *x, uint32_t i, uint32_t k, int32_t t)
{
	const ir_ins *in = &x->f->ins[k];
	int32_t other;

	if (in->op == IR_ADDV)
		return is_raw_variable(x, in->var) && (x->raw->var[in->var] & RAW_REAL) != 0;
	if (!em_is_arith(in->op))
		return false;
	other = in->a[0] == t ? in->a[1] : in->a[0];
	while (++i < k)
		if (ends(&x->f->ins[i], other))
			return false;
	return other != t && is_real(x, other) && x->raw->kind[other] == RAW_FLOAT;
}

/* Is what op i makes only ever taken as a double? */
static bool
wants_real(const fn *x, uint32_t i)
{
	int32_t t = x->f->ins[i].d;
	bool used = false;

	for (uint32_t k = i + 1; k <= x->raw->to && !ends(&x->f->ins[k], t); k++) {
		if (!em_uses(&x->f->ins[k], t))
			continue;
		if (!takes_real(x, i, k, t))
			return false;
		used = true;
	}
	return used;
}

/* A sum or product of any numbers that goes to a float. */
static bool
either_arith(fn *x, const ir_ins *in, uint32_t i)
{
	static const char *const name[] = {"add", "sub", "mul"};
	const char *a, *b;

	for (int k = 0; k < 2; k++)
		if (!em_is_raw(x, in->a[k]) && !is_unknown(x, in->a[k]))
			return false;
	if (em_is_raw(x, in->a[0]) && em_is_raw(x, in->a[1]))
		return false;
	if (in->op > IR_MUL || x->raw->int_method || is_far(x) || !wants_real(x, i))
		return false;
	a = em_temp(x, in->a[0]);
	b = em_temp(x, in->a[1]);
	vt_buf_printf(x->b, "\tif (!vt_either_%s(%s, %s, &i%d, &y%d)) %s;\n", name[in->op - IR_ADD],
		a, b, in->d, in->d, em_raw_bail(x, i));
	em_raw_made(x, in->d, RAW_EITHER);
	return true;
}

static bool
raw_arith(fn *x, const ir_ins *in, uint32_t i)
{
	static const char *const name[] = {"add", "sub", "mul", "div", "mod"};
	const char *a, *b;

	if (real_arith(x, in, i) || either_arith(x, in, i))
		return true;
	if (!em_may_be_int(x, in->a[0]) || !em_may_be_int(x, in->a[1]) ||
		(!x->raw->int_method && !em_is_raw(x, in->a[0]) && !em_is_raw(x, in->a[1])))
		return false;
	a = em_raw_of(x, in->a[0], i);
	b = em_raw_of(x, in->a[1], i);
	vt_buf_printf(x->b, "\tif (!vt_raw_%s(%s, %s, &i%d)) %s;\n", name[in->op - IR_ADD], a, b,
		in->d, em_raw_bail(x, i));
	em_raw_made(x, in->d, RAW_INT);
	return true;
}

static const char *
c_operator(int op)
{
	switch (op) {
	case IR_LT: return "<";
	case IR_LE: return "<=";
	case IR_GT: return ">";
	case IR_GE: return ">=";
	case IR_NE: return "!=";
	}
	return "==";
}

/* Two floats, or one and an integer that a double can be. */
static bool
real_compare(fn *x, const ir_ins *in, uint32_t i)
{
	const char *c[2];

	if (!is_real(x, in->a[0]) && !is_real(x, in->a[1]))
		return false;
	for (int k = 0; k < 2; k++)
		if (!is_real(x, in->a[k]) && !em_is_raw(x, in->a[k]) &&
			!(em_is_order(in->op) && may_be_real(x, in->a[k])))
			return false;
	for (int k = 0; k < 2; k++)
		c[k] = real_of(x, in->a[k], i, true);
	vt_buf_printf(x->b, "\ti%d = %s %s %s;\n", in->d, c[0], c_operator(in->op), c[1]);
	em_raw_made(x, in->d, RAW_BOOL);
	return true;
}

static bool
raw_compare(fn *x, const ir_ins *in, uint32_t i)
{
	bool equality = !em_is_order(in->op);
	const char *a, *b;

	if (real_compare(x, in, i))
		return true;
	if (!em_may_be_int(x, in->a[0]) || !em_may_be_int(x, in->a[1]))
		return false;
	if (equality ? !em_is_raw(x, in->a[0]) || !em_is_raw(x, in->a[1])
		     : !x->raw->int_method && !em_is_raw(x, in->a[0]) && !em_is_raw(x, in->a[1]))
		return false;
	a = em_raw_of(x, in->a[0], i);
	b = em_raw_of(x, in->a[1], i);
	vt_buf_printf(x->b, "\ti%d = %s %s %s;\n", in->d, a, c_operator(in->op), b);
	em_raw_made(x, in->d, RAW_BOOL);
	return true;
}

static bool
raw_variable(fn *x, const ir_ins *in)
{
	bool real;
	const char *n;

	if (!is_raw_variable(x, in->var))
		return false;
	real = x->raw->var[in->var] & RAW_REAL;
	n = vc_format(x->e->c, real ? "m%d" : "n%d", in->var);
	x->raw->vs[in->var] |= real ? 2 : 1;
	if (em_is_alias(x, in)) {
		call_raw(x, in->d, n, real ? RAW_FLOAT : RAW_INT, true);
		return true;
	}
	vt_buf_printf(x->b, "\t%c%d = %s;\n", real ? 'y' : 'i', in->d, n);
	em_raw_made(x, in->d, real ? RAW_FLOAT : RAW_INT);
	return true;
}

static bool
raw_const(fn *x, const ir_ins *in)
{
	bool real = in->k.kind == IK_FLOAT;
	const char *c;

	if (is_far(x) || (!real && in->k.kind != IK_INT) ||
		(real && (x->raw->int_method || !isfinite(in->k.f))))
		return false;
	c = real ? vc_format(x->e->c, "(%a)", in->k.f)
		 : vc_format(x->e->c, "vt_raw(vt_mkint(%lldLL))", (long long)in->k.i);
	call_raw(x, in->d, c, real ? RAW_FLOAT : RAW_INT, em_is_alias(x, in));
	if (real)
		x->alias[in->d] = (em_alias){EM_ALIAS_CONST, em_value(x->e, &in->k)};
	return true;
}

/* A float of another value is given back; an integer stays one, so it is none. */
static void
assign_real(fn *x, const ir_ins *in, uint32_t i)
{
	int32_t t = in->a[0];
	const char *v;

	if (is_real(x, t)) {
		vt_buf_printf(x->b, "\tm%d = %s;\n", in->var, x->raw->t[t]);
		return;
	}
	if (!may_be_real(x, t)) {
		vt_buf_printf(x->b, "\t%s;\n", em_raw_bail(x, i));
		return;
	}
	v = em_temp(x, t);
	vt_buf_printf(x->b, "\tif (!vt_is_float(%s)) %s;\n", v, em_raw_bail(x, i));
	vt_buf_printf(x->b, "\tm%d = vt_float_of(%s);\n", in->var, v);
	if (!x->alias[t].kind)
		vt_buf_printf(x->b, "\tvt_clear(&t%d);\n", t);
}

static bool
raw_assign(fn *x, const ir_ins *in, uint32_t i)
{
	int32_t t = in->a[0];
	bool was_raw = em_is_raw(x, t);

	if (!is_raw_variable(x, in->var))
		return false;
	x->raw->vs[in->var] |= x->raw->var[in->var] & RAW_REAL ? 2 : 1;
	if (x->raw->var[in->var] & RAW_REAL) {
		assign_real(x, in, i);
		return true;
	}
	vt_buf_printf(x->b, "\tn%d = %s;\n", in->var, em_raw_of(x, t, i));
	if (!was_raw && !x->alias[t].kind)
		vt_buf_printf(x->b, "\tt%d = VT_UNDEF;\n", t);
	return true;
}

static bool
raw_addv(fn *x, const ir_ins *in, uint32_t i)
{
	if (!is_raw_variable(x, in->var))
		return false;
	if (x->raw->var[in->var] & RAW_REAL) {
		vt_buf_printf(x->b, "\tm%d += %s;\n", in->var, real_of(x, in->a[0], i, false));
		return true;
	}
	vt_buf_printf(x->b, "\tif (!vt_raw_add(n%d, %s, &n%d)) ", in->var,
		em_raw_of(x, in->a[0], i), in->var);
	vt_buf_printf(x->b, "%s;\n", em_raw_bail(x, i));
	return true;
}

static bool
raw_truth(fn *x, const ir_ins *in)
{
	int32_t t = in->a[0];

	if (t < 0 || !x->raw->t[t])
		return false;
	const char *to = em_raw_jump(x, in);
	vt_buf_printf(
		x->b, "\tif (%s%s) goto %s;\n", in->op == IR_JTRUE ? "" : "!", x->raw->t[t], to);
	return true;
}

static bool
raw_final(fn *x, const ir_ins *in)
{
	int32_t t = in->a[0];

	if (t < 0 || !x->raw->t[t])
		return false;
	vt_buf_printf(x->b, "\t%c%d = %s;\n", x->raw->kind[t] == RAW_FLOAT ? 'y' : 'i', in->d,
		x->raw->t[t]);
	em_raw_made(x, in->d, x->raw->kind[t]);
	return true;
}

/* Loops look whether the session has been stopped; the other code finds out what for. */
static bool
raw_jump(fn *x, const ir_ins *in, uint32_t i)
{
	bool back = (x->raw->wanted[in->label] & 2) || x->placed[in->label];

	if (back && em_loop_head(x->f, x->raw->place[in->label]) == EM_LOOP_HEAD)
		vt_buf_printf(x->b, "\tif (vt_stopped(rt)) %s;\n", em_raw_bail(x, i));
	const char *to = em_raw_jump(x, in);
	vt_buf_printf(x->b, "\tgoto %s;\n", to);
	return true;
}

static bool
raw_not(fn *x, const ir_ins *in)
{
	int32_t t = in->a[0];

	if (t < 0 || !x->raw->t[t])
		return false;
	vt_buf_printf(x->b, "\ti%d = !(%s);\n", in->d, x->raw->t[t]);
	em_raw_made(x, in->d, RAW_BOOL);
	return true;
}

/* False: the op is as in the other code. */
bool
em_raw_op(fn *x, const ir_ins *in, uint32_t i)
{
	if (em_is_arith(in->op))
		return raw_arith(x, in, i);
	if (em_is_order(in->op) || in->op == IR_EQ || in->op == IR_NE)
		return raw_compare(x, in, i);
	switch (in->op) {
	case IR_CONST: return raw_const(x, in);
	case IR_VAR: return raw_variable(x, in);
	case IR_SETVAR: return raw_assign(x, in, i);
	case IR_ADDV: return raw_addv(x, in, i);
	case IR_NOT: return raw_not(x, in);
	case IR_FINAL: return raw_final(x, in);
	case IR_JTRUE:
	case IR_JFALSE: return raw_truth(x, in);
	case IR_JNULL: return in->a[0] >= 0 && x->raw->t[in->a[0]] != NULL;
	case IR_JMP: return raw_jump(x, in, i);
	}
	return false;
}

/* At a label of the copy; false: no branch of the copy leads there. */
bool
em_raw_arrive(fn *x, const ir_ins *in)
{
	em_raw *w = x->raw;

	x->placed[in->label] = em_loop_head(x->f, (uint32_t)(in - x->f->ins));
	if (!x->here && !w->wanted[in->label])
		return false;
	w->wanted[in->label] = 2;
	(void)em_flow_at(x->flow, in->label, x->cells);
	memset(x->alias, 0, (size_t)x->f->ntemps * sizeof *x->alias);
	memset(w->t, 0, (size_t)x->f->ntemps * sizeof *w->t);
	w->at = w->last_at = w->mixed[in->label] ? NULL : w->last_at;
	return true;
}

/* ---- the walk through the ops of a copy ------------------------------------------------------ */

/* What the op frees is no longer raw. */
void
em_raw_forget(fn *x, const ir_ins *in)
{
	int64_t end = in->i[1] < 0 ? x->f->ntemps : in->i[1];

	for (int64_t t = in->i[0]; t < end && t < x->f->ntemps; t++)
		x->raw->t[t] = NULL;
}

/* After an op that is as in the other code. */
static void
follow(fn *x, uint32_t i)
{
	const ir_ins *in = &x->f->ins[i];

	if (in->op == IR_FREE)
		em_raw_forget(x, in);
	em_flow_step(x->flow, i, x->cells);
	if (in->d >= 0) {
		x->raw->t[in->d] = NULL;
		x->alias[in->d] = em_alias_of(x, in);
	}
}

/* After one that has been made raw. */
static void
follow_raw(fn *x, uint32_t i)
{
	const ir_ins *in = &x->f->ins[i];
	const char *t = in->d >= 0 ? x->raw->t[in->d] : NULL;

	em_flow_step(x->flow, i, x->cells);
	if (t)
		x->cells[in->d] &= ~(uint32_t)EM_HELD;
}

/*
 * The item of a loop over a range goes into the variable at once, where that has a raw integer.
 * The two ops as they are follow for whatever else is walked.
 */
static void
count_on(fn *x, uint32_t i)
{
	const ir_ins *in = &x->f->ins[i], *put = in + 1;

	if (in->op != IR_NEXT || put->op != IR_SETVAR || put->a[0] != in->d ||
		!is_raw_variable(x, put->var) || (x->raw->var[put->var] & RAW_REAL) != 0 ||
		x->raw->int_method || !vc_pass_on(x->e->c, LOCAL))
		return;
	x->raw->counted = i + 1;
	if (em_counts_by(x, in) != 1) {
		vt_buf_printf(x->b,
			"\tif (vt_counts_by(t%d, &k%d, e%d, %lld, &n%d)) goto C%u_%u;\n", in->a[0],
			in->a[0], in->a[0], (long long)em_counts_by(x, in), put->var,
			x->raw->number, i + 1);
		return;
	}
	vt_buf_printf(x->b, "\tif (vt_counts_on(t%d, &k%d, e%d, &n%d)) goto C%u_%u;\n", in->a[0],
		in->a[0], in->a[0], put->var, x->raw->number, i + 1);
}

static void
copy_op(fn *x, uint32_t i)
{
	const ir_ins *in = &x->f->ins[i];

	if (in->op == IR_LABEL) {
		em_mark_label(x, i);
		if (x->here && x->raw->mixed[in->label])
			report(x);
		x->here = em_raw_arrive(x, in);
		if (x->here)
			vt_buf_printf(x->b, "F%u_%d:;\n", x->raw->number, in->label);
		return;
	}
	if (in->op == IR_HANDLER)
		x->handler = in->label;
	if (!x->here)
		return;
	x->now = in;
	if (in->op == IR_POS) {
		em_statement(x, in);
		x->raw->at = x->raw->last_at = em_at(x, in);
		em_take_parts(x, in);
	} else if (em_raw_op(x, in, i)) {
		vc_pass_note(x->e->c, VC_PASS_UNBOX, in, "raw");
		if (i > 0 && i == x->raw->counted)
			vt_buf_printf(x->b, "C%u_%u:;\n", x->raw->number, i);
		follow_raw(x, i);
	} else {
		if (ir_ops[in->op].flags & IR_FAIL || (em_jumps(in) && x->raw->mixed[in->label]))
			report(x);
		settle_operands(x, in);
		count_on(x, i);
		if (!em_is_alias(x, in))
			em_ins(x, in);
		follow(x, i);
	}
	if (ir_ops[in->op].flags & IR_TERM)
		x->here = false;
}

void
em_raw_ops(fn *x)
{
	for (uint32_t i = x->raw->from; i <= x->raw->to; i++) {
		size_t start = x->b->n;
		copy_op(x, i);
		em_mark(x, start);
	}
}

/* By op: may what it makes be used behind a label, or where a jump goes? */
static uint8_t *
far_results(vc *c, const ir_func *f)
{
	const uint8_t *far = em_far(c, f);
	uint8_t *op = vc_alloc(c, (size_t)f->n + 1), *counted = vc_alloc(c, (size_t)f->ntemps + 1);

	for (uint32_t i = 0; i < f->n; i++)
		if (f->ins[i].op == IR_LOOP)
			counted[f->ins[i].a[0]] = 1;
	for (uint32_t i = 0; i < f->n; i++) {
		int32_t t = f->ins[i].d;
		if (t < 0 || !(far[t] || counted[t]))
			continue;
		for (uint32_t k = i + 1; k < f->n && !op[i] && !ends(&f->ins[k], t); k++)
			op[i] = f->ins[k].op == IR_LABEL ||
				em_jumps(&f->ins[k]); /* `loop` counts its operand down */
	}
	return op;
}

void
em_raw_open(fn *x, em_raw *w)
{
	vc *c = x->e->c;
	size_t nt = (size_t)x->f->ntemps + 1, nl = (size_t)x->f->nlabels + 1;

	w->far = far_results(c, x->f);
	w->failed = vc_alloc(c, (size_t)x->f->n + 1);
	w->t = vc_alloc(c, nt * sizeof *w->t);
	w->kind = vc_alloc(c, nt);
	w->named = vc_alloc(c, nt * sizeof *w->named);
	w->boxed = vc_alloc(c, nt);
	w->wanted = vc_alloc(c, nl);
	w->mixed = vc_alloc(c, nl * sizeof *w->mixed);
	w->exits = vc_alloc(c, nl);
	w->back = vc_alloc(c, (size_t)x->f->n + 1);
	find_mixed(x->f, w);
}

uint32_t *
em_label_places(vc *c, const ir_func *f)
{
	uint32_t *place = vc_alloc(c, ((size_t)f->nlabels + 1) * sizeof *place);

	for (uint32_t i = 0; i < f->n; i++)
		if (f->ins[i].op == IR_LABEL)
			place[f->ins[i].label] = i;
	return place;
}

/* Those that have the bit. */
static void
declare(fn *x, em_list *l, const char *names, const uint8_t *t, const uint8_t *v, int bit)
{
	for (int32_t i = 0; i < x->f->ntemps; i++)
		if (t[i] & bit)
			em_listed(l, vc_format(x->e->c, "%c%d", names[0], i));
	for (uint32_t i = 0; i < x->f->nvars; i++)
		if (v[i] & bit)
			em_listed(l, vc_format(x->e->c, "%c%u", names[1], i));
}

void
em_raw_declare(fn *x, const uint8_t *t, const uint8_t *v, em_list *ints, em_list *reals)
{
	declare(x, ints, "in", t, v, 1);
	declare(x, reals, "ym", t, v, 2);
}
