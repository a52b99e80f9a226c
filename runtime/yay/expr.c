/*
 * expr.c - expressions: what a row of one is where a frame is.
 */
#include "runtime/yay/int.h"
#include "runtime/core/printable.h"
#include "runtime/core/number.h"

#include <stdlib.h>
#include <string.h>

/* ---- constants: one shape a row ---- */

static yshape *
text_shape(vt_yay *s, ydoc *d, uint32_t row)
{
	const vt_yrow *r = ROW(d, row);
	vt_value str = yay_str_value(s, d, r->a), n;
	yshape *sh = yay_scalar(s, d, row, VT_UNDEF);

	sh->secret = d->secret;
	if (!(r->flag & YAY_BLOCK) && yay_text_number(s, str, &n)) {
		sh->value = n;
		sh->text = vt_copy(str);
	} else {
		sh->value = vt_copy(str);
	}
	return sh;
}

static yshape *
number_shape(vt_yay *s, ydoc *d, uint32_t row)
{
	const vt_yrow *r = ROW(d, row);
	const vt_str *t = vt_as_str(yay_str_value(s, d, r->a));
	yshape *sh = yay_scalar(s, d, row, VT_UNDEF);
	double f = 0;

	sh->secret = d->secret;
	if (r->flag & YAY_FLOAT) {
		vt_float_from_str(t, &f);
		sh->value = vt_float_new(s->rt, f);
	} else if (vt_int_parse(s->rt, t->s, t->bytes, 10, &sh->value) != VT_OK) {
		yay_fail_rt(s, d, row);
		return NULL;
	}
	return sh;
}

/* The place of the row's shape, in pages: most rows of a large document have none. */
static yshape **
constant_of(vt_yay *s, ydoc *d, uint32_t row)
{
	enum { PAGE = 256 };
	yshape ***page;

	if (!d->consts)
		d->consts = yay_alloc(s, (d->d->nrows / PAGE + 1) * sizeof *d->consts);
	page = &d->consts[row / PAGE];
	if (!*page)
		*page = yay_alloc(s, PAGE * sizeof **page);
	return &(*page)[row % PAGE];
}

yshape *
yay_constant(vt_yay *s, ydoc *d, uint32_t row)
{
	yshape **kept = constant_of(s, d, row), *sh = *kept;

	if (sh)
		return sh;
	switch (ROW(d, row)->kind) {
	case YAY_TEXT: sh = text_shape(s, d, row); break;
	case YAY_BOOL: sh = yay_scalar(s, d, row, vt_mkbool(ROW(d, row)->b)); break;
	case YAY_NUM: sh = number_shape(s, d, row); break;
	default:
		sh = yay_scalar(s, d, row, vt_copy(yay_str_value(s, d, ROW(d, row)->a)));
		sh->secret = d->secret;
	}
	if (sh && d->secret)
		vt_secret_add_value(s->rt, s->rt->s, sh->text != VT_UNDEF ? sh->text : sh->value);
	return *kept = sh;
}

static bool
put_part(vt_yay *s, yshape *sh, vt_buf *text, vt_buf *safe)
{
	vt_value t = yay_text(s, sh, false), m;

	if (t == VT_UNDEF)
		return false;
	m = yay_text(s, sh, true);
	vt_buf_put(text, vt_as_str(t)->s, vt_as_str(t)->bytes);
	vt_buf_put(safe, vt_as_str(m)->s, vt_as_str(m)->bytes);
	vt_release(t);
	vt_release(m);
	return text->n <= s->limit.text ||
	       yay_fail(s, VT_YE_LIMIT, sh->doc, sh->row, "a text of more than %llu bytes",
		       (unsigned long long)s->limit.text);
}

/* A failure in a part led through the whole. */
static yshape *
merged(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	vt_buf text = {0}, safe = {0};
	bool secret = false, good = true;
	yshape *out = NULL;

	for (uint32_t p = ROW(d, row)->a; p && good; p = ROW(d, p)->next) {
		uint8_t k = ROW(d, p)->kind;
		yshape *sh = k == YAY_EMPTYDICT ? &yay_map(s, d, p)->s : yay_eval(s, d, p, env);
		good = sh && put_part(s, sh, &text, &safe);
		if (sh && !good)
			yay_led(s, d, p);
		secret |= sh && sh->secret;
	}
	if (good) {
		out = yay_scalar(s, d, row, vt_str_take(s->rt, &text));
		out->secret = secret;
		if (secret)
			out->safe = vt_str_take(s->rt, &safe);
	}
	vt_buf_free(&text);
	vt_buf_free(&safe);
	return out;
}

/* ---- names and members ---- */

static bool
is_class(const vt_yay *s, const char *name)
{
	return s->host.has_class && s->host.has_class(s->host.ctx, name);
}

static yshape *
class_shape(vt_yay *s, ydoc *d, uint32_t row, const char *name)
{
	yshape *sh = yay_shape(s, Y_CLASS, d, row);

	sh->cls = name;
	return sh;
}

yshape *
yay_identifier(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	uint32_t sym = yay_sym(s, d, ROW(d, row)->a);
	const char *name = vt_as_str(s->sym[sym])->s;
	yfound f;
	yshape *sh;

	if (yay_lookup(s, d, row, env, sym, &f)) {
		sh = f.shape ? f.shape : yay_expand(s, f.node);
		if (!sh)
			yay_led(s, d, row);
		return sh;
	}
	if (yay_failed(s))
		return NULL;
	if (is_class(s, name))
		return class_shape(s, d, row, name);
	yay_fail(s, VT_YE_NO_MATCHING, d, row, "Could not find '%s'", name);
	return NULL;
}

static yshape *
item_at(vt_yay *s, yshape *sh, vt_value key)
{
	int64_t i = 0;
	double f = vt_is(key, FLOAT) ? vt_as_float(key) : 0.5;

	if (f > -1e15 && f < 1e15 && f == (double)(int64_t)f)
		i = (int64_t)f;
	else if (!vt_is_integer(key) && !vt_is_bool(key))
		return yay_fail(s, VT_YE_TYPE, sh->doc, sh->row, "Expected integer"), NULL;
	else if (!vt_int_fits(key, &i))
		i = INT64_MAX;
	if (i < 0)
		return yay_fail(s, VT_YE_TYPE, sh->doc, sh->row, "Index must be greater than 0"),
		       NULL;
	if (i >= sh->n)
		return yay_fail(s, VT_YE_TYPE, sh->doc, sh->row, "Index out of range"), NULL;
	return yay_expand(s, sh->item[i]);
}

yshape *
yay_get(vt_yay *s, yshape *sh, ydoc *d, uint32_t row, vt_value key, bool is_attr)
{
	vt_ynode *n;
	yshape *out;
	vt_buf b = {0};

	switch ((enum yshape_kind)sh->kind) {
	case Y_LIST:
		if (!(out = item_at(s, sh, key)))
			yay_led(s, d, row);
		return out;
	case Y_SCALAR:
	case Y_CODE:
	case Y_CLASS:
		yay_fail(s, VT_YE_TYPE, sh->doc, sh->row, "Expecting dictionary or list");
		yay_led(s, d, row);
		return NULL;
	case Y_MAP: break;
	}
	if (vt_is(key, STR) && (n = yay_map_get(s, (ymap *)sh, yay_sym_value(s, key))))
		return yay_expand(s, n);
	if (yay_failed(s)) {
		yay_led(s, d, row);
		return NULL;
	}
	if (s->secret)
		vt_buf_puts(&b, "'*****'");
	else
		vt_repr_cut(s->rt, &b, key);
	vt_buf_putc(&b, 0);
	yay_fail(s, VT_YE_NO_MATCHING, d, row, "Could not find %s", b.p);
	vt_buf_free(&b);
	return NULL;
}

static yshape *
attribute(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	const vt_yrow *r = ROW(d, row);
	yshape *sh = yay_eval(s, d, r->a, env);

	return sh ? yay_get(s, sh, d, row, yay_str_value(s, d, r->b), true) : NULL;
}

static yshape *
subscript(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	const vt_yrow *r = ROW(d, row);
	yshape *sh = yay_eval(s, d, r->a, env), *key;

	if (!sh || !(key = yay_eval(s, d, r->b, env)))
		return NULL;
	if (key->kind != Y_SCALAR) {
		yay_fail(s, VT_YE_TYPE, key->doc, key->row, "Expected integer or string");
		return NULL;
	}
	s->secret |= key->secret;
	return yay_get(s, sh, d, row, key->value, false);
}

/* ---- slices ---- */

static bool
bound(vt_yay *s, ydoc *d, uint32_t row, yframe *env, int64_t *out)
{
	yshape *sh = yay_eval(s, d, row, env);

	if (!sh)
		return false;
	if (sh->kind != Y_SCALAR || !vt_is_integer(sh->value) || !vt_int_fits(sh->value, out))
		return yay_fail(s, VT_YE_TYPE, sh->doc, sh->row, "Expected integer");
	return true;
}

static yshape *
slice(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	const vt_yrow *r = ROW(d, row);
	yshape *of = yay_eval(s, d, r->a, env), *sh;
	int64_t from, to, step = 1;
	yvec v = {0};

	if (!of || (VT_YAY_D(*r) && !bound(s, d, VT_YAY_D(*r), env, &step)))
		return NULL;
	if (of->kind != Y_LIST || step == 0)
		return yay_fail(s, VT_YE_TYPE, of->doc, of->row,
			       step ? "Expecting list" : "a step of 0"),
		       NULL;
	from = step > 0 ? 0 : (int64_t)of->n - 1;
	to = step > 0 ? (int64_t)of->n : -1;
	if ((r->b && !bound(s, d, r->b, env, &from)) || (r->c && !bound(s, d, r->c, env, &to)))
		return NULL;
	for (int64_t i = from; step > 0 ? i < to : i > to;) {
		if (i < 0 || i >= of->n) {
			free(v.v);
			return yay_fail(s, VT_YE_TYPE, of->doc, of->row,
				       i < 0 ? "Index must be greater than 0"
					     : "Index out of range"),
			       NULL;
		}
		yay_push(s, &v, of->item[i]);
		if (__builtin_add_overflow(i, step, &i))
			break;
	}
	sh = yay_shape(s, Y_LIST, d, row);
	sh->item = yay_alloc(s, v.n * sizeof *sh->item);
	memcpy(sh->item, v.v ? v.v : sh->item, v.n * sizeof *sh->item);
	sh->n = v.n;
	free(v.v);
	return sh;
}

/* ---- truth ---- */

bool
yay_truth(vt_yay *s, yshape *sh, bool *out)
{
	if (sh->kind != Y_SCALAR)
		return yay_fail(s, VT_YE_TYPE, sh->doc, sh->row, "Expected boolean");
	s->secret |= sh->secret;
	*out = vt_is_true(sh->value);
	return true;
}

bool
yay_plain_truth(vt_yay *s, yshape *sh, bool *out)
{
	if (sh->kind == Y_LIST)
		return *out = sh->n > 0, true;
	if (sh->kind == Y_MAP) {
		if (!yay_map_keys(s, (ymap *)sh))
			return false;
		return *out = ((ymap *)sh)->nkeys > 0, true;
	}
	if (sh->kind != Y_SCALAR)
		return *out = true;
	return yay_truth(s, sh, out);
}

/* `and`, `or` and `not` take numbers only, as the reference has it; the right side only where it
 * matters. */
static yshape *
junction(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	const vt_yrow *r = ROW(d, row);
	yshape *sh = yay_eval(s, d, r->a, env);
	vt_value n;
	bool yes;

	if (!sh || !yay_number(s, sh, &n))
		return NULL;
	yes = vt_is_true(n);
	if (yes == (r->kind == YAY_OR))
		return yay_scalar(s, d, row, n);
	vt_release(n);
	if (!(sh = yay_eval(s, d, r->b, env)) || !yay_number(s, sh, &n))
		return NULL;
	return yay_scalar(s, d, row, n);
}

static yshape *
negation(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	yshape *sh = yay_eval(s, d, ROW(d, row)->a, env);
	vt_value n;

	if (!sh || !yay_number(s, sh, &n))
		return NULL;
	bool yes = vt_is_true(n);
	vt_release(n);
	return yay_scalar(s, d, row, vt_mkbool(!yes));
}

static yshape *
numeric(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	yshape *sh = yay_eval(s, d, ROW(d, row)->a, env);
	vt_value n;

	return sh && yay_number(s, sh, &n) ? yay_scalar(s, d, row, n) : NULL;
}

static yshape *
comparison(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	yshape *left = yay_eval(s, d, ROW(d, row)->a, env), *right;
	bool yes = true;

	for (uint32_t l = ROW(d, row)->b; l && left; l = ROW(d, l)->next, left = right) {
		if (!(right = yay_eval(s, d, ROW(d, l)->a, env)) ||
			!yay_compare(s, d, row, ROW(d, l)->op, left, right, &yes))
			return NULL;
		if (!yes)
			break;
	}
	return left ? yay_scalar(s, d, row, vt_mkbool(yes)) : NULL;
}

static yshape *
conditional(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	const vt_yrow *r = ROW(d, row);
	yshape *sh = yay_eval(s, d, r->b, env);
	bool yes;

	if (!sh || !yay_plain_truth(s, sh, &yes))
		return NULL;
	return yay_eval(s, d, yes ? r->a : r->c, env);
}

/* Only what is not there is made up for. */
static yshape *
fallback(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	const vt_yrow *r = ROW(d, row);
	yshape *sh = yay_eval(s, d, r->a, env);

	if (sh || s->fault.kind != VT_YE_NO_MATCHING)
		return sh;
	yay_forgive(s);
	return yay_eval(s, d, r->b, env);
}

/* ---- displays and comprehensions ---- */

static yshape *
list_display(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	yshape *sh = yay_shape(s, Y_LIST, d, row);
	uint32_t n = 0;

	for (uint32_t e = ROW(d, row)->a; e; e = ROW(d, e)->next)
		n++;
	sh->item = yay_alloc(s, n * sizeof *sh->item);
	for (uint32_t e = ROW(d, row)->a; e; e = ROW(d, e)->next)
		sh->item[sh->n++] = yay_node(s, d, e, env);
	return sh;
}

/* Each value once. */
static yshape *
unique(vt_yay *s, yshape *sh)
{
	vt_set *seen = vt_set_new(s->rt);
	uint32_t k = 0;
	bool good = true;

	for (uint32_t i = 0; i < sh->n && good; i++) {
		vt_value v = VT_UNDEF;
		uint32_t before = vt_set_len(seen);
		good = yay_resolve_node(s, sh->item[i], &v);
		if (good && vt_set_add(s->rt, seen, v) != VT_OK)
			good = yay_fail_rt(s, sh->doc, sh->row);
		if (good && vt_set_len(seen) > before)
			sh->item[k++] = sh->item[i];
		vt_release(v);
	}
	sh->n = k;
	vt_release(vt_mkptr(seen));
	return good ? sh : NULL;
}

typedef struct pairs {
	uint32_t *key;
	vt_ynode **node;
	uint32_t n;
} pairs;

static bool
add_pair(vt_yay *s, pairs *p, ydoc *d, uint32_t row, yframe *env)
{
	yshape *sh = yay_eval(s, d, ROW(d, row)->a, env);
	vt_value t = sh ? yay_text(s, sh, false) : VT_UNDEF;
	uint32_t sym, i;

	if (t == VT_UNDEF)
		return false;
	if (sh->secret) { /* keys are never masked */
		vt_release(t);
		return yay_fail(s, VT_YE_TYPE, d, row, "a secret cannot be a key, which is shown");
	}
	sym = yay_sym_value(s, t);
	vt_release(t);
	for (i = 0; i < p->n && p->n < 64 && p->key[i] != sym; i++)
		;
	if (i >= p->n || p->n >= 64) {
		p->key = vt_grow(p->key, p->n, sizeof *p->key);
		p->node = vt_grow(p->node, p->n, sizeof *p->node);
		i = p->n++;
	}
	p->key[i] = sym;
	p->node[i] = yay_node(s, d, ROW(d, row)->b, env);
	return true;
}

static yshape *
pairs_map(vt_yay *s, ydoc *d, uint32_t row, pairs *p, bool good)
{
	ymap *m = good ? yay_fixed_map(s, d, row, p->n, p->key, p->node) : NULL;

	free(p->key);
	free(p->node);
	return m ? &m->s : NULL;
}

static yshape *
dict_display(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	pairs p = {0};
	bool good = true;

	for (uint32_t e = ROW(d, row)->a; e && good; e = ROW(d, e)->next)
		good = add_pair(s, &p, d, e, env);
	return pairs_map(s, d, row, &p, good);
}

typedef struct comp {
	ydoc *d;
	uint32_t what;
	yvec items;
	pairs pairs;
} comp;

static bool
comp_step(vt_yay *s, comp *c, uint32_t row, yframe *env)
{
	ydoc *d = c->d;
	const vt_yrow *r = ROW(d, row);
	yvec v = {0};
	yshape *sh;
	bool yes, good;

	if (!yay_step(s, d, row ? row : c->what))
		return false;
	if (!row) {
		if (ROW(d, c->what)->kind == YAY_PAIR)
			return add_pair(s, &c->pairs, d, c->what, env);
		yay_push(s, &c->items, yay_node(s, d, c->what, env));
		return true;
	}
	if (r->kind == YAY_CIF)
		return (sh = yay_eval(s, d, r->a, env)) && yay_plain_truth(s, sh, &yes) &&
		       (!yes || comp_step(s, c, r->next, env));
	good = (sh = yay_eval(s, d, r->b, env)) && yay_items(s, sh, &v, "Expected iterable");
	for (uint32_t i = 0; i < v.n && good; i++) {
		yframe *vars = yay_frame(s, F_VARS, env);
		good = yay_bind(s, d, r->a, v.v[i], vars) && comp_step(s, c, r->next, vars);
	}
	free(v.v);
	return good;
}

static yshape *
comprehension(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	comp c = {d, ROW(d, row)->a, {0}, {0}};
	bool good = comp_step(s, &c, ROW(d, row)->b, env);
	yshape *sh;

	if (ROW(d, c.what)->kind == YAY_PAIR)
		return pairs_map(s, d, row, &c.pairs, good);
	if (!good)
		return free(c.items.v), NULL;
	sh = yay_shape(s, Y_LIST, d, row);
	sh->item = yay_alloc(s, c.items.n * sizeof *sh->item);
	for (uint32_t i = 0; i < c.items.n; i++)
		sh->item[sh->n++] = c.items.v[i];
	free(c.items.v);
	return ROW(d, row)->op == '{' ? unique(s, sh) : sh;
}

static yshape *
shown(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	yshape *sh = yay_eval(s, d, ROW(d, row)->a, env);
	vt_value v;
	vt_buf b = {0};

	if (!sh || !yay_resolve(s, sh, &v))
		return NULL;
	vt_repr(s->rt, &b, v);
	vt_release(v);
	return yay_scalar(s, d, row, vt_str_take(s->rt, &b));
}

/* ---- all of them ---- */

/* Does the left side of an operation belong to the same loop? */
static bool
goes_on(const ydoc *d, uint32_t row)
{
	return ROW(d, row)->kind == YAY_BINARY && !(d->d->code && d->d->code[row].expr);
}

/* Sums of many terms are deep to the left: that side is a loop, so that it needs no stack. */
static yshape *
operations(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	uint32_t few[16], *at = few, n = 1;
	yshape *a, *b;

	for (uint32_t r = ROW(d, row)->a; goes_on(d, r); r = ROW(d, r)->a)
		n++;
	if (n > VT_LEN(few))
		at = vt_xmalloc(n * sizeof *at);
	for (uint32_t i = 0, r = row; i < n; i++, r = ROW(d, r)->a)
		at[i] = r;
	for (uint32_t i = 1; i < n; i++)
		if (!yay_step(s, d, at[i]))
			n = 0;
	a = n ? yay_eval(s, d, ROW(d, at[n - 1])->a, env) : NULL;
	for (uint32_t i = n; a && i-- > 0;)
		a = (b = yay_eval(s, d, ROW(d, at[i])->b, env)) ? yay_binary(s, d, at[i], a, b)
								: NULL;
	if (at != few)
		free(at);
	return a;
}

static yshape *
unary(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	yshape *a = yay_eval(s, d, ROW(d, row)->a, env);

	return a ? yay_unary(s, d, row, a) : NULL;
}

yshape *
yay_eval_rows(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	switch ((enum vt_yay_kind)ROW(d, row)->kind) {
	case YAY_TEXT:
	case YAY_STR:
	case YAY_NUM:
	case YAY_BOOL: return yay_constant(s, d, row);
	case YAY_NUMBER: return numeric(s, d, row, env);
	case YAY_CHOSEN: return yay_eval(s, d, ROW(d, row)->a, env);
	case YAY_EMPTYDICT: return &yay_map(s, d, row)->s;
	case YAY_EMPTYLIST: return yay_shape(s, Y_LIST, d, row);
	case YAY_MERGED: return merged(s, d, row, env);
	case YAY_IDENT: return yay_identifier(s, d, row, env);
	case YAY_ATTR: return attribute(s, d, row, env);
	case YAY_INDEX: return subscript(s, d, row, env);
	case YAY_SLICE: return slice(s, d, row, env);
	case YAY_INVOKE: return yay_invoke(s, d, row, env);
	case YAY_UNARY: return unary(s, d, row, env);
	case YAY_BINARY: return operations(s, d, row, env);
	case YAY_AND:
	case YAY_OR: return junction(s, d, row, env);
	case YAY_NOT: return negation(s, d, row, env);
	case YAY_COMPARE: return comparison(s, d, row, env);
	case YAY_TERNARY: return conditional(s, d, row, env);
	case YAY_ELSE: return fallback(s, d, row, env);
	case YAY_TUPLE:
	case YAY_DISPLAY: return list_display(s, d, row, env);
	case YAY_SETOF: return unique(s, list_display(s, d, row, env));
	case YAY_DICT: return dict_display(s, d, row, env);
	case YAY_COMP: return comprehension(s, d, row, env);
	case YAY_LAMBDA: return yay_code(s, d, row, env);
	case YAY_REPR: return shown(s, d, row, env);
	case YAY_NONE:
	case YAY_BODY:
	YAY_STATEMENT_CASES:
	YAY_PART_CASES:
		break;
	}
	if (ROW(d, row)->kind == YAY_BODY)
		return yay_body(s, d, row, yay_frame_body(s, env, d, row), NULL, NULL, NULL);
	yay_fail(s, VT_YE_TYPE, d, row, "this is no expression");
	return NULL;
}

/* Code that keeps coming upon what it was not made for is not asked again. */
enum { MOST_MISSES = 8 };
static yshape *
eval_code(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	vt_yshape *sh;

	if (d->missed && d->missed[row] >= MOST_MISSES)
		return yay_eval_rows(s, d, row, env);
	sh = d->d->code[row].expr(s, d, (vt_yscope *)env);
	if (sh != VT_YAY_UNUSUAL)
		return (yshape *)sh;
	if (!d->missed)
		d->missed = yay_alloc(s, d->d->nrows);
	d->missed[row]++;
	s->secret = false;
	return yay_eval_rows(s, d, row, env);
}

/* What is read of secrets while a row is evaluated makes its result one. */
yshape *
yay_eval(vt_yay *s, ydoc *d, uint32_t row, yframe *env)
{
	bool before = s->secret;
	yshape *sh;

	if (!yay_step(s, d, row))
		return NULL;
	s->secret = false;
	sh = d->d->code && d->d->code[row].expr ? eval_code(s, d, row, env)
						: yay_eval_rows(s, d, row, env);
	s->secret |= before;
	return sh;
}
