/*
 * body_op.c - operators of a plan's Body, as Python has them: numbers, comparing, items.
 */
#define _GNU_SOURCE
#include "runtime/sim/body.h"
#include "runtime/core/number.h"

#include <math.h>
#include <string.h>

static bool
is_number(const body_value *v)
{
	return v->kind == BODY_SCALAR && (vt_is_number(v->v) || vt_is_bool(v->v));
}

/* ---- comparing --------------------------------------------------------------------------- */

static bool equal_to(body *, const body_value *, const body_value *, int depth);

static bool
equal_items(body *b, const body_value *x, const body_value *y, int depth)
{
	if (x->n != y->n)
		return false;
	for (uint32_t i = 0; i < x->n; i++)
		if (!equal_to(b, x->item[i], y->item[i], depth))
			return false;
	return true;
}

static bool
equal_dicts(body *b, const body_value *x, const body_value *y, int depth)
{
	if (x->n != y->n)
		return false;
	for (uint32_t i = 0; i < x->n; i++) {
		const body_value *other =
			x->kind == BODY_SET ? x->item[i] : body_get(b, y, x->key[i]);
		if (x->kind == BODY_SET) {
			bool bad = false;
			if (!body_in(b, x->item[i], (body_value *)(uintptr_t)y, &bad))
				return false;
		} else if (other == NULL || !equal_to(b, x->item[i], other, depth)) {
			return false;
		}
	}
	return true;
}

static bool
equal_to(body *b, const body_value *x, const body_value *y, int depth)
{
	if (x == y)
		return true;
	if (!body_step(b, 1))
		return false;
	if (depth > BODY_DEPTH) {
		(void)body_unable(b, "comparing values that are nested deeper than %d", BODY_DEPTH);
		return false;
	}
	if (x->kind == BODY_SCALAR && y->kind == BODY_SCALAR)
		return vt_eq(x->v, y->v);
	if (body_is_dict(x) && body_is_dict(y))
		return equal_dicts(b, x, y, depth + 1);
	if (x->kind != y->kind)
		return false;
	if (body_is_sequence(x))
		return equal_items(b, x, y, depth + 1);
	if (x->kind == BODY_SET)
		return equal_dicts(b, x, y, depth + 1);
	return x->name != NULL && x->kind != BODY_EXCEPTION && x->kind != BODY_METHOD &&
	       y->name != NULL && strcmp(x->name, y->name) == 0;
}

bool
body_equal(body *b, const body_value *x, const body_value *y)
{
	return equal_to(b, x, y, 0);
}

static const char *
sign_of(enum body_op op)
{
	static const char *const signs[] = {[OP_ADD] = "+",
		[OP_SUB] = "-",
		[OP_MUL] = "*",
		[OP_DIV] = "/",
		[OP_FLOOR] = "//",
		[OP_MOD] = "%",
		[OP_LT] = "<",
		[OP_LE] = "<=",
		[OP_GT] = ">",
		[OP_GE] = ">="};
	return op < VT_LEN(signs) && signs[op] != NULL ? signs[op] : "?";
}

static bool
order(body *b, enum body_op op, const body_value *x, const body_value *y, int *out, int depth)
{
	if (!body_step(b, 1))
		return false;
	if (is_number(x) && is_number(y)) {
		*out = vt_num_cmp(x->v, y->v);
		return true;
	}
	if (body_is_text(x) && body_is_text(y)) {
		int c = vt_str_cmp(vt_as_str(x->v), vt_as_str(y->v));
		*out = c < 0 ? -1 : c > 0;
		return true;
	}
	if (depth < BODY_DEPTH && body_is_sequence(x) && x->kind == y->kind) {
		for (uint32_t i = 0; i < x->n && i < y->n; i++)
			if (!body_equal(b, x->item[i], y->item[i]))
				return order(b, op, x->item[i], y->item[i], out, depth + 1);
		*out = x->n < y->n ? -1 : x->n > y->n;
		return !body_stopped(b);
	}
	if (x->kind == BODY_SET || y->kind == BODY_SET)
		(void)body_unable(b, "comparing sets by %s", sign_of(op));
	else
		(void)body_raise(b, "TypeError",
			"'%s' not supported between instances of '%s' and '%s'", sign_of(op),
			body_type(x), body_type(y));
	return false;
}

bool
body_order(body *b, enum body_op op, const body_value *x, const body_value *y, int *out)
{
	return order(b, op, x, y, out, 0);
}

bool
body_in(body *b, body_value *item, body_value *of, bool *bad)
{
	if (body_is_text(of) && body_is_text(item)) {
		const vt_str *s = vt_as_str(of->v), *part = vt_as_str(item->v);
		*bad = !body_step(b, s->bytes / 64 + 1);
		return !*bad && memmem(s->s, s->bytes, part->s, part->bytes) != NULL;
	}
	if (body_is_text(of)) {
		*bad = true;
		(void)body_raise(b, "TypeError",
			"'in <string>' requires string as left operand, not %s", body_type(item));
		return false;
	}
	if (body_is_dict(of)) {
		*bad = !body_key(b, item);
		return !*bad && body_get(b, of, item) != NULL;
	}
	for (uint32_t i = 0;; i++) {
		body_value *x = body_nth(b, of, i, bad);
		if (x == NULL || *bad)
			return false;
		if (body_equal(b, x, item))
			return true;
		if ((*bad = body_stopped(b)))
			return false;
	}
}

/* ---- arithmetic -------------------------------------------------------------------------- */

static body_value *
no_operands(body *b, enum body_op op, const body_value *x, const body_value *y)
{
	if (op == OP_ADD && body_is_text(x))
		return body_raise(b, "TypeError", "can only concatenate str (not \"%s\") to str",
			body_type(y));
	if (op == OP_ADD && body_is_sequence(x))
		return body_raise(b, "TypeError", "can only concatenate %s (not \"%s\") to %s",
			body_type(x), body_type(y), body_type(x));
	if (x->kind == BODY_SET && y->kind == BODY_SET && op == OP_SUB)
		return body_unable(b, "the difference of sets");
	return body_raise(b, "TypeError", "unsupported operand type(s) for %s: '%s' and '%s'",
		sign_of(op), body_type(x), body_type(y));
}

/* x / y of Python, and x // y of floats. */
static body_value *
divide(body *b, enum body_op op, const body_value *x, const body_value *y)
{
	double p, q;
	if (vt_num_cmp(y->v, vt_mkint(0)) == 0)
		return body_raise(b, "ZeroDivisionError", "%s",
			op == OP_DIV && !vt_is(x->v, FLOAT) && !vt_is(y->v, FLOAT)
				? "division by zero"
			: op == OP_DIV ? "float division by zero"
				       : "float floor division by zero");
	if (vt_num_double(b->rt, x->v, &p) != VT_OK || vt_num_double(b->rt, y->v, &q) != VT_OK)
		return body_raise_pending(b);
	if (op == OP_FLOOR) {
		double rest = fmod(p, q), whole = (p - rest) / q;
		if (rest != 0 && (rest < 0) != (q < 0))
			whole -= 1;
		return body_scalar(b, vt_float_new(b->rt, round(whole)));
	}
	return body_scalar(b, vt_float_new(b->rt, p / q));
}

static body_value *
calculate(body *b, enum body_op op, const body_value *x, const body_value *y)
{
	static const int ops[] = {[OP_ADD] = VT_OP_ADD,
		[OP_SUB] = VT_OP_SUB,
		[OP_MUL] = VT_OP_MUL,
		[OP_DIV] = VT_OP_DIV,
		[OP_FLOOR] = VT_OP_DIV,
		[OP_MOD] = VT_OP_MOD};
	vt_value out = VT_UNDEF;
	double size;
	if (op == OP_DIV || (op == OP_FLOOR && (vt_is(x->v, FLOAT) || vt_is(y->v, FLOAT))))
		return divide(b, op, x, y);
	if (vt_num_binary(b->rt, ops[op], x->v, y->v, &out) != VT_OK)
		return body_raise_pending(b);
	if (vt_is(out, BIGINT) && vt_num_double(b->rt, out, &size) != VT_OK) {
		vt_exc_clear(b->rt);
		vt_release(out);
		return body_unable(b, "an integer of more than 308 digits");
	}
	return body_scalar(b, out);
}

static body_value *
concatenate(body *b, const body_value *x, const body_value *y)
{
	body_value *to;
	if (body_is_text(x)) {
		if (!body_charge(b, (size_t)vt_as_str(x->v)->bytes + vt_as_str(y->v)->bytes))
			return NULL;
		return body_scalar(b, vt_str_concat(b->rt, vt_as_str(x->v), vt_as_str(y->v)));
	}
	to = body_new(b, x->kind);
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < (k == 1 ? y : x)->n; i++)
			if (!body_step(b, 1) || !body_push(b, to, (k ? y : x)->item[i]))
				return NULL;
	return to;
}

/* text * n, list * n */
static body_value *
repeat(body *b, const body_value *x, const body_value *times)
{
	int64_t n = vt_int_clamped(times->v),
		size = body_is_text(x) ? vt_as_str(x->v)->bytes : x->n;
	body_value *to;
	vt_buf t = {0};
	n = n < 0 || size == 0 ? 0 : n;
	if (n > BODY_MEMORY || n * size > BODY_MEMORY || !body_charge(b, (size_t)(n * size)))
		return body_unable(b, "a value that is repeated %lld times", (long long)n);
	if (body_is_text(x)) {
		for (int64_t i = 0; i < n; i++)
			vt_buf_put(&t, vt_as_str(x->v)->s, (size_t)size);
		return body_scalar(b, vt_str_take(b->rt, &t));
	}
	to = body_new(b, x->kind);
	for (int64_t i = 0; i < n * size; i++)
		if (!body_step(b, 1) || !body_push(b, to, x->item[i % size]))
			return NULL;
	return to;
}

static bool
is_whole(const body_value *v)
{
	return v->kind == BODY_SCALAR && (vt_is_integer(v->v) || vt_is_bool(v->v));
}

body_value *
body_binary(body *b, enum body_op op, body_value *x, body_value *y)
{
	bool first = body_is_text(x) || body_is_sequence(x),
	     second = body_is_text(y) || body_is_sequence(y);
	if (is_number(x) && is_number(y))
		return calculate(b, op, x, y);
	if (op == OP_MOD && body_is_text(x))
		return body_percent(b, x, y);
	if (op == OP_ADD && first && second && x->kind == y->kind &&
		body_is_text(x) == body_is_text(y))
		return concatenate(b, x, y);
	if (op == OP_MUL && first && is_whole(y))
		return repeat(b, x, y);
	if (op == OP_MUL && second && is_whole(x))
		return repeat(b, y, x);
	return no_operands(b, op, x, y);
}

body_value *
body_unary(body *b, enum body_op op, body_value *x)
{
	vt_value out = VT_UNDEF;
	if (op == OP_NOT)
		return body_bool(b, !body_true(x));
	if (!is_number(x))
		return body_raise(b, "TypeError", "bad operand type for unary %s: '%s'",
			op == OP_MINUS ? "-" : "+", body_type(x));
	if (op == OP_PLUS)
		return vt_is_bool(x->v) ? body_int(b, x->v == VT_TRUE) : x;
	if (vt_num_neg(b->rt, x->v, &out) != VT_OK)
		return body_raise_pending(b);
	return body_scalar(b, out);
}

/* ---- items ------------------------------------------------------------------------------- */

bool
body_index(body *b, const body_value *v, int64_t *out)
{
	if (is_whole(v)) {
		*out = vt_int_clamped(v->v);
		return true;
	}
	(void)body_raise(
		b, "TypeError", "'%s' object cannot be interpreted as an integer", body_type(v));
	return false;
}

static uint32_t
size_of(const body_value *v)
{
	return body_is_text(v) ? vt_as_str(v->v)->points : v->n;
}

static bool
place_of(body *b, const body_value *of, const body_value *index, int64_t *at)
{
	const char *type = body_is_text(of) ? "string" : body_type(of);
	if (!is_whole(index)) {
		(void)body_raise(b, "TypeError", "%s indices must be integers%s, not %s%s%s", type,
			body_is_text(of) ? "" : " or slices", body_is_text(of) ? "'" : "",
			body_type(index), body_is_text(of) ? "'" : "");
		return false;
	}
	*at = vt_int_clamped(index->v);
	*at += *at < 0 ? size_of(of) : 0;
	if (*at >= 0 && *at < size_of(of))
		return true;
	(void)body_raise(b, "IndexError", "%s index out of range", type);
	return false;
}

body_value *
body_item(body *b, body_value *of, body_value *index)
{
	body_value *found;
	int64_t at;
	if (body_is_dict(of)) {
		if (!body_key(b, index))
			return NULL;
		if ((found = body_get(b, of, index)) != NULL || body_stopped(b))
			return found;
		(void)body_raise(b, "KeyError", " ");
		b->raised->item[0] = index;
		return NULL;
	}
	if (of->kind == BODY_VIEW && strcmp(of->name, "range") == 0)
		return body_unable(b, "an item of range()");
	if (!body_is_text(of) && !body_is_sequence(of))
		return body_raise(
			b, "TypeError", "'%s' object is not subscriptable", body_type(of));
	if (!place_of(b, of, index, &at))
		return NULL;
	return body_is_text(of) ? body_scalar(b, vt_str_sub(b->rt, vt_as_str(of->v), (uint32_t)at,
							 (uint32_t)at + 1))
				: of->item[at];
}

bool
body_set_item(body *b, body_value *of, body_value *index, body_value *value)
{
	int64_t at;
	if (body_is_dict(of))
		return body_set(b, of, index, value);
	if (of->kind != BODY_LIST) {
		(void)body_raise(b, "TypeError", "'%s' object does not support item assignment",
			body_type(of));
		return false;
	}
	if (!place_of(b, of, index, &at))
		return false;
	of->item[at] = value;
	return true;
}

/* Where a bound of a slice is, from `least` to `most`. */
static bool
bound(body *b, const body_value *v, int64_t n, int64_t least, int64_t most, int64_t *at)
{
	if (v == NULL || body_is_none(v))
		return true;
	if (!body_index(b, v, at))
		return false;
	*at += *at < 0 ? n : 0;
	*at = *at < least ? least : *at > most ? most : *at;
	return true;
}

body_value *
body_slice(body *b, body_value *of, body_value *const *three)
{
	int64_t n = -1, from, to, step = 1;
	body_value *out;
	vt_buf t = {0};
	if (body_is_text(of) || body_is_sequence(of))
		n = size_of(of);
	if (n < 0)
		return body_raise(
			b, "TypeError", "'%s' object is not subscriptable", body_type(of));
	if (three[2] != NULL && !body_is_none(three[2]) && !body_index(b, three[2], &step))
		return NULL;
	if (step == 0)
		return body_raise(b, "ValueError", "slice step cannot be zero");
	from = step > 0 ? 0 : n - 1;
	to = step > 0 ? n : -1;
	if (!bound(b, three[0], n, step > 0 ? 0 : -1, step > 0 ? n : n - 1, &from) ||
		!bound(b, three[1], n, step > 0 ? 0 : -1, step > 0 ? n : n - 1, &to))
		return NULL;
	if (body_is_text(of) && step == 1)
		return body_scalar(b, vt_str_sub(b->rt, vt_as_str(of->v), (uint32_t)from,
					      (uint32_t)(to > from ? to : from)));
	out = body_new(b, body_is_text(of) ? BODY_LIST : of->kind);
	for (int64_t i = from; step > 0 ? i < to : i > to; i += step) {
		body_value at = {.kind = BODY_SCALAR, .v = vt_mkint(i)};
		body_value *x = body_item(b, of, &at);
		if (!body_step(b, 1) || x == NULL || !body_push(b, out, x))
			return NULL;
	}
	if (!body_is_text(of))
		return out;
	for (uint32_t i = 0; i < out->n; i++)
		vt_buf_put(&t, vt_as_str(out->item[i]->v)->s, vt_as_str(out->item[i]->v)->bytes);
	return body_scalar(b, vt_str_take(b->rt, &t));
}
