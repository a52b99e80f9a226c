/*
 * code.c - what expressions call that were compiled to C.
 *
 * They do the usual cases by themselves and leave the others, secrets and all errors of operators
 * to the rows, so that there is one evaluator to say what an expression means.  What is looked up
 * here fails as it does there, with the same places.
 */
#include "runtime/yay/int.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SAME(a, x, b, y) _Static_assert(offsetof(a, x) == offsetof(b, y), #x)
SAME(vt_yvar, state, vt_ynode, state);
SAME(vt_yvar, shape, vt_ynode, shape);
SAME(vt_yscope, up, yframe, up);
SAME(vt_yscope, kind, yframe, kind);
SAME(vt_yscope, n, yframe, n);
SAME(vt_yscope, var, yframe, var);
SAME(vt_yshape, kind, yshape, kind);
SAME(vt_yshape, secret, yshape, secret);
SAME(vt_yshape, value, yshape, value);
_Static_assert(F_VARS == 1 && S_DONE == 2 && Y_SCALAR == 0, "vt_yay.h knows these");

/* ---- names and members ---- */

vt_yshape *
vt_yay_name(vt_yay *s, ydoc *d, uint32_t row, vt_yscope *env)
{
	return (vt_yshape *)yay_identifier(s, d, row, (yframe *)env);
}

vt_yshape *
vt_yay_seen(vt_yay *s, ydoc *d, uint32_t row, vt_yvar *var)
{
	yshape *sh = yay_expand(s, (vt_ynode *)var);

	if (!sh)
		yay_led(s, d, row);
	return (vt_yshape *)sh;
}

vt_yshape *
vt_yay_set(vt_yay *s, ydoc *d, uint32_t row, vt_yscope *of, uint32_t set)
{
	yframe *f = (yframe *)of;
	yfound found = {0};

	if (f->kind != F_BODY || f->doc != d)
		return VT_YAY_UNUSUAL;
	if (!yay_set_place(s, f, set, 0, &found))
		return NULL;
	return vt_yay_seen(s, d, row, (vt_yvar *)found.node);
}

vt_yshape *
vt_yay_const(vt_yay *s, ydoc *d, uint32_t row)
{
	return (vt_yshape *)yay_constant(s, d, row);
}

vt_value
vt_yay_str(vt_yay *s, ydoc *d, uint32_t str)
{
	return yay_str_value(s, d, str);
}

vt_yshape *
vt_yay_attr(vt_yay *s, ydoc *d, uint32_t row, vt_yshape *of)
{
	return (vt_yshape *)yay_get(
		s, (yshape *)of, d, row, yay_str_value(s, d, ROW(d, row)->b), true);
}

vt_yshape *
vt_yay_item(vt_yay *s, ydoc *d, uint32_t row, vt_yshape *of, vt_value key)
{
	return (vt_yshape *)yay_get(s, (yshape *)of, d, row, key, false);
}

vt_yshape *
vt_yay_rows(vt_yay *s, ydoc *d, uint32_t row, vt_yscope *env)
{
	if (!yay_step(s, d, row))
		return NULL;
	return (vt_yshape *)yay_eval_rows(s, d, row, (yframe *)env);
}

vt_yshape *
vt_yay_box(vt_yay *s, ydoc *d, uint32_t row, vt_value owned)
{
	if (!s->secret)
		return (vt_yshape *)yay_scalar(s, d, row, owned);
	vt_release(owned);
	return VT_YAY_UNUSUAL;
}

int
vt_yay_missing(vt_yay *s)
{
	if (s->fault.kind != VT_YE_NO_MATCHING)
		return 0;
	yay_forgive(s);
	return 1;
}

/* ---- operators ---- */

int
vt_yay_true(vt_yay *s, vt_yshape *shape)
{
	yshape *sh = (yshape *)shape;
	bool yes;

	if (sh->kind == Y_MAP || sh->secret || !yay_plain_truth(s, sh, &yes))
		return -1;
	return yes;
}

/* Python's int() and float() of texts included; a bool stays one, as `and` has it. */
int
vt_yay_num(vt_yay *s, vt_value a, vt_value *out)
{
	if (vt_is_number(a) || vt_is_bool(a))
		return *out = vt_copy(a), 1;
	return vt_is(a, STR) && yay_text_number(s, a, out);
}

static vt_value
whole(vt_value v)
{
	return vt_is_bool(v) ? vt_mkint(v == VT_TRUE) : v;
}

static int
computed(vt_yay *s, int op, vt_value a, vt_value b, vt_value *out)
{
	bool zero = b == vt_mkint(0) || (vt_is(b, FLOAT) && vt_as_float(b) == 0);

	if (zero && (op == '/' || op == '%' || op == YAY_OP_FLOORDIV))
		return 0;
	if (op == YAY_OP_POW && (a == vt_mkint(0) || (vt_is(a, FLOAT) && vt_as_float(a) == 0)))
		return 0;
	if (yay_too_many_bits(s, op, a, b))
		return 0;
	if (yay_compute(s, op, a, b, out) == VT_OK)
		return 1;
	vt_exc_clear(s->rt);
	return 0;
}

int
vt_yay_arith(vt_yay *s, int op, vt_value a, vt_value b, vt_value *out)
{
	vt_value x = VT_UNDEF, y = VT_UNDEF;
	int good = vt_yay_num(s, a, &x) && vt_yay_num(s, b, &y) &&
		   computed(s, op, whole(x), whole(y), out);

	vt_release(x);
	vt_release(y);
	return good;
}

/* The text of a part of a sum: as it was written. */
static vt_value
text_of(vt_yay *s, const yshape *sh, vt_value v)
{
	vt_buf b = {0};

	if (sh && sh->text != VT_UNDEF)
		return vt_copy(sh->text);
	if (vt_is(v, STR))
		return vt_copy(v);
	vt_pystr(s->rt, &b, v);
	return vt_str_take(s->rt, &b);
}

static int
joined(vt_yay *s, const yshape *sa, vt_value a, const yshape *sb, vt_value b, vt_value *out)
{
	vt_value x = text_of(s, sa, a), y = text_of(s, sb, b);
	bool fits = (uint64_t)vt_as_str(x)->bytes + vt_as_str(y)->bytes <= s->limit.text;

	if (fits)
		*out = vt_str_concat(s->rt, vt_as_str(x), vt_as_str(y));
	vt_release(x);
	vt_release(y);
	return fits;
}

int
vt_yay_plus(vt_yay *s, vt_yshape *sa, vt_value a, vt_yshape *sb, vt_value b, vt_value *out)
{
	vt_value x = VT_UNDEF, y = VT_UNDEF;
	bool numbers = vt_yay_num(s, a, &x) && vt_yay_num(s, b, &y);
	int good = numbers ? computed(s, '+', whole(x), whole(y), out)
			   : joined(s, (yshape *)sa, a, (yshape *)sb, b, out);

	vt_release(x);
	vt_release(y);
	return good;
}

int
vt_yay_unary(vt_yay *s, int op, vt_value a, vt_value *out)
{
	vt_value x = VT_UNDEF, w;
	vt_status st = VT_ERROR;

	if (!vt_yay_num(s, a, &x))
		return 0;
	w = whole(x);
	if (op == '-')
		st = vt_num_neg(s->rt, w, out);
	else if (op == '+')
		*out = vt_copy(w), st = VT_OK;
	else if (vt_is_integer(w))
		st = vt_int_not(s->rt, w, out);
	vt_release(x);
	if (st != VT_OK)
		vt_exc_clear(s->rt);
	return st == VT_OK;
}

int
vt_yay_same(vt_value a, vt_value b)
{
	return vt_eq(a, b);
}

int
vt_yay_order(vt_yay *s, int op, vt_value a, vt_value b)
{
	vt_value x = VT_UNDEF, y = VT_UNDEF;
	int k, yes = -1;

	if (vt_yay_num(s, a, &x) && vt_yay_num(s, b, &y)) {
		k = vt_num_cmp(x, y);
		yes = op == '<'         ? k == -1
		      : op == '>'       ? k == 1
		      : op == YAY_OP_LE ? k == -1 || k == 0
					: k == 1 || k == 0;
	}
	vt_release(x);
	vt_release(y);
	return yes;
}

/* ---- texts ---- */

static bool
put_part(vt_yay *s, vt_buf *b, const vt_ypart *p)
{
	yshape *sh = (yshape *)p->shape;
	vt_value v = sh ? sh->value : p->value;

	if (sh && (sh->kind != Y_SCALAR || sh->secret))
		return false;
	if (p->s) {
		vt_buf_put(b, p->s, p->n);
	} else {
		if (sh && sh->text != VT_UNDEF)
			v = sh->text;
		if (vt_is(v, STR))
			vt_buf_put(b, vt_as_str(v)->s, vt_as_str(v)->bytes);
		else
			vt_pystr(s->rt, b, v);
	}
	return b->n <= s->limit.text;
}

vt_yshape *
vt_yay_merge(vt_yay *s, ydoc *d, uint32_t row, uint32_t n, const vt_ypart *part)
{
	vt_buf b = {0};
	bool good = !d->secret && !s->secret;
	yshape *sh = NULL;

	for (uint32_t i = 0; i < n && good; i++)
		good = put_part(s, &b, &part[i]);
	if (good)
		sh = yay_scalar(s, d, row, vt_str_take(s->rt, &b));
	vt_buf_free(&b);
	return good ? (vt_yshape *)sh : VT_YAY_UNUSUAL;
}

/* ---- loops ---- */

int
vt_yay_loop(vt_yay *s, ydoc *d, uint32_t row, vt_yscope *env, vt_yloop *l)
{
	yshape *sh = yay_step(s, d, row) ? yay_eval(s, d, ROW(d, row)->b, (yframe *)env) : NULL;

	l->at = 0;
	l->in = vt_xmalloc(sizeof *l->in);
	*l->in = (yvec){0};
	return sh && yay_items(s, sh, l->in, "Expected iterable");
}

vt_yscope *
vt_yay_next(vt_yay *s, ydoc *d, uint32_t row, vt_yscope *env, vt_yloop *l, int *ok)
{
	const vt_yrow *r = ROW(d, row);
	yframe *vars;

	if (l->at == l->in->n)
		return NULL;
	vars = yay_frame(s, F_VARS, (yframe *)env);
	if (!(*ok = yay_bind(s, d, r->a, l->in->v[l->at++], vars)))
		return NULL;
	return (vt_yscope *)vars;
}

void
vt_yay_loop_end(vt_yloop *l)
{
	if (l->in)
		free(l->in->v);
	free(l->in);
}

int
vt_yay_filter(vt_yay *s, ydoc *d, uint32_t row, vt_yscope *env)
{
	yshape *sh = yay_eval(s, d, row, (yframe *)env);
	bool yes;

	return sh && yay_truth(s, sh, &yes) ? yes : -1;
}

int
vt_yay_push(vt_yay *s, ydoc *d, uint32_t row, vt_yscope *env, vt_yitems *out)
{
	yay_push(s, out, yay_node(s, d, row, (yframe *)env));
	return yay_step(s, d, row);
}

int
vt_yay_body_items(vt_yay *s, ydoc *d, uint32_t body, vt_yscope *env, vt_yitems *out)
{
	yframe *f = (yframe *)env;

	if (ROW(d, body)->b)
		f = yay_frame_body(s, f, d, body);
	return yay_list_body(s, d, body, f, out);
}
