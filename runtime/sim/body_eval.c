/*
 * body_eval.c - values of expressions of a plan's Body.
 */
#include "runtime/sim/body.h"

#include <string.h>

/* ---- names ------------------------------------------------------------------------------- */

static body_value *
name_value(body *b, const body_node *x)
{
	const body_slot *s = &b->slots[x->slot];
	body_value *v;
	if (s->value != NULL)
		return s->value;
	if (s->local)
		return body_raise(b, "UnboundLocalError",
			"cannot access local variable '%s' where it is not associated with a value",
			s->name);
	if (vt_is(b->scripts, DICT) && vt_dict_get_c(vt_as_dict(b->scripts), s->name) != VT_UNDEF)
		return body_named(b, BODY_SCRIPT, s->name);
	if (strcmp(s->name, "args") == 0)
		return b->args;
	v = body_builtin(b, s->name);
	if (v != NULL || b->unable != NULL)
		return v;
	return body_raise(b, "NameError", "name '%s' is not defined", s->name);
}

/* ---- what can be gone through ------------------------------------------------------------ */

body_value *
body_nth(body *b, body_value *v, uint32_t i, bool *bad)
{
	*bad = false;
	if (body_is_text(v)) {
		const vt_str *s = vt_as_str(v->v);
		return i < s->points ? body_scalar(b, vt_str_sub(b->rt, s, i, i + 1)) : NULL;
	}
	if (body_is_dict(v))
		return i < v->n ? v->key[i] : NULL;
	if (body_is_sequence(v) || v->kind == BODY_SET || v->kind == BODY_VIEW)
		return i < v->n ? v->item[i] : NULL;
	*bad = true;
	return body_raise(b, "TypeError", "'%s' object is not iterable", body_type(v));
}

/* ---- assigning --------------------------------------------------------------------------- */

static bool
unpack(body *b, const body_node *target, body_value *value)
{
	bool bad;
	uint32_t n = 0;
	for (;; n++) {
		body_value *x = body_nth(b, value, n, &bad);
		if (bad)
			return false;
		if (x == NULL)
			break;
		if (n == target->n) {
			(void)body_raise(b, "ValueError", "too many values to unpack (expected %u)",
				target->n);
			return false;
		}
		if (!body_step(b, 1) || !body_assign(b, target->item[n], x))
			return false;
	}
	if (n == target->n)
		return true;
	(void)body_raise(
		b, "ValueError", "not enough values to unpack (expected %u, got %u)", target->n, n);
	return false;
}

bool
body_assign(body *b, const body_node *target, body_value *value)
{
	body_value *of, *index;
	if (target->kind == EXPR_NAME) {
		b->slots[target->slot].value = value;
		return true;
	}
	if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
		return unpack(b, target, value);
	if ((of = body_eval(b, target->a)) == NULL)
		return false;
	if (target->kind == EXPR_INDEX)
		return (index = body_eval(b, target->b)) != NULL &&
		       body_set_item(b, of, index, value);
	if (of->kind == BODY_RECORD)
		return body_set_c(b, of, target->text, value);
	(void)body_raise(b, "AttributeError", "'%s' object has no attribute '%s'", body_type(of),
		target->text);
	return false;
}

/* ---- containers -------------------------------------------------------------------------- */

static body_value *
container(body *b, const body_node *x, enum body_kind kind)
{
	body_value *to = body_new(b, kind), *v;
	for (uint32_t i = 0; i < x->n; i++) {
		if ((v = body_eval(b, x->item[i])) == NULL)
			return NULL;
		if (!(kind == BODY_SET ? body_set(b, to, v, v) : body_push(b, to, v)))
			return NULL;
	}
	return to;
}

static body_value *
dictionary(body *b, const body_node *x)
{
	body_value *to = body_new(b, BODY_DICT), *key, *v;
	for (uint32_t i = 0; i + 1 < x->n; i += 2)
		if ((key = body_eval(b, x->item[i])) == NULL ||
			(v = body_eval(b, x->item[i + 1])) == NULL || !body_set(b, to, key, v))
			return NULL;
	return to;
}

/* 1: all conditions hold, 0: one does not, -1: stopped. */
static int
conditions(body *b, const body_node *x)
{
	for (uint32_t i = 0; i < x->n; i++) {
		body_value *v = body_eval(b, x->item[i]);
		if (v == NULL)
			return -1;
		if (!body_true(v))
			return 0;
	}
	return 1;
}

/* Puts what the names stood for into `kept`, or back from there. */
static void
keep(body *b, const body_node *x, body_value **kept, bool back)
{
	body_value **at = kept + (x->kind == EXPR_NAME ? x->slot : 0);
	for (uint32_t i = 0; x->kind == EXPR_TUPLE && i < x->n; i++)
		keep(b, x->item[i], kept, back);
	if (x->kind == EXPR_NAME && back)
		b->slots[x->slot].value = *at;
	else if (x->kind == EXPR_NAME)
		*at = b->slots[x->slot].value;
}

static body_value *
each_of(body *b, const body_node *x, body_value *from)
{
	body_value *to = body_new(b, BODY_LIST), *v;
	bool bad;
	for (uint32_t i = 0;; i++) {
		int fits;
		v = body_nth(b, from, i, &bad);
		if (bad)
			return NULL;
		if (v == NULL)
			return to;
		if (!body_step(b, 1) || !body_assign(b, x->b, v) || (fits = conditions(b, x)) < 0)
			return NULL;
		if (fits && ((v = body_eval(b, x->a)) == NULL || !body_push(b, to, v)))
			return NULL;
	}
}

static body_value *
each(body *b, const body_node *x)
{
	body_value *from = body_eval(b, x->c), *to,
		   **kept = body_alloc(b, (b->nslots + 1) * sizeof *kept);
	if (from == NULL || b->unable != NULL)
		return NULL;
	keep(b, x->b, kept, false);
	to = each_of(b, x, from);
	keep(b, x->b, kept, true);
	return x->text != NULL ? body_view(b, to, x->text) : to;
}

/* ---- calls ------------------------------------------------------------------------------- */

static body_value *
call(body *b, const body_node *x)
{
	body_args a = {.v = body_alloc(b, (x->n + 1) * sizeof *a.v)};
	body_value *callee = body_eval(b, x->a), *v;
	if (callee == NULL)
		return NULL;
	for (uint32_t i = 0; i < x->n; i++) {
		const body_node *arg = x->item[i];
		if ((v = body_eval(b, arg->kind == EXPR_KEYWORD ? arg->a : arg)) == NULL)
			return NULL;
		if (arg->kind != EXPR_KEYWORD) {
			a.v[a.n++] = v;
			continue;
		}
		if (a.named == NULL)
			a.named = body_new(b, BODY_DICT);
		if (!body_set_c(b, a.named, arg->text, v))
			return NULL;
	}
	return body_call(b, callee, &a);
}

static body_value *
slice(body *b, const body_node *x)
{
	body_value *of = body_eval(b, x->a), *three[3] = {NULL, NULL, NULL};
	for (uint32_t i = 0; of != NULL && i < 3; i++)
		if (x->item[i] != NULL && (three[i] = body_eval(b, x->item[i])) == NULL)
			return NULL;
	if (of != NULL && body_is_dict(of))
		return body_raise(b, "TypeError", "unhashable type: 'slice'");
	return of == NULL ? NULL : body_slice(b, of, three);
}

/* ---- operators --------------------------------------------------------------------------- */

static bool
compare_two(body *b, enum body_op op, body_value *x, body_value *y, bool *bad)
{
	int c = 0;
	*bad = false;
	switch (op) {
	case OP_EQ: return body_equal(b, x, y);
	case OP_NE: return !body_equal(b, x, y);
	case OP_IN: return body_in(b, x, y, bad);
	case OP_NOT_IN: return !body_in(b, x, y, bad);
	case OP_IS:
	case OP_IS_NOT: {
		/* None, True and False are there once; so is what is the same value here */
		bool same = x == y || (x->kind == BODY_SCALAR && y->kind == BODY_SCALAR &&
					      x->v == y->v && !vt_is_ptr(x->v));
		return same == (op == OP_IS);
	}
	case OP_LT: *bad = !body_order(b, op, x, y, &c); return c == -1;
	case OP_LE: *bad = !body_order(b, op, x, y, &c); return c == -1 || c == 0;
	case OP_GT: *bad = !body_order(b, op, x, y, &c); return c == 1;
	case OP_GE: *bad = !body_order(b, op, x, y, &c); return c == 1 || c == 0;
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
	case OP_DIV:
	case OP_FLOOR:
	case OP_MOD:
	case OP_NOT:
	case OP_PLUS:
	case OP_MINUS: break;
	}
	return false;
}

static body_value *
compare(body *b, const body_node *x)
{
	body_value *left = body_eval(b, x->item[0]), *right;
	bool holds = true, bad;
	for (uint32_t i = 1; left != NULL && holds && i < x->n; i++) {
		if ((right = body_eval(b, x->item[i])) == NULL)
			return NULL;
		holds = compare_two(b, (enum body_op)x->ops[i - 1], left, right, &bad);
		if (bad || body_stopped(b))
			return NULL;
		left = right;
	}
	return left == NULL ? NULL : body_bool(b, holds);
}

/* The first that decides, or the last. */
static body_value *
logic(body *b, const body_node *x)
{
	body_value *v = NULL;
	for (uint32_t i = 0; i < x->n; i++) {
		if ((v = body_eval(b, x->item[i])) == NULL)
			return NULL;
		if (body_true(v) == (x->kind == EXPR_OR))
			break;
	}
	return v;
}

static body_value *
operation(body *b, const body_node *x)
{
	body_value *left = body_eval(b, x->a), *right;
	if (left == NULL)
		return NULL;
	if (x->kind == EXPR_UNARY)
		return body_unary(b, x->op, left);
	right = body_eval(b, x->b);
	return right == NULL ? NULL : body_binary(b, x->op, left, right);
}

static body_value *
choice(body *b, const body_node *x)
{
	body_value *condition = body_eval(b, x->b);
	return condition == NULL ? NULL : body_eval(b, body_true(condition) ? x->a : x->c);
}

body_value *
body_eval(body *b, const body_node *x)
{
	body_value *of, *index;
	if (!body_step(b, 1) || body_too_deep(b))
		return NULL;
	switch (x->kind) {
	case EXPR_CONST: return x->value;
	case EXPR_NAME: return name_value(b, x);
	case EXPR_LIST: return container(b, x, BODY_LIST);
	case EXPR_TUPLE: return container(b, x, BODY_TUPLE);
	case EXPR_SET: return container(b, x, BODY_SET);
	case EXPR_DICT: return dictionary(b, x);
	case EXPR_EACH: return each(b, x);
	case EXPR_MEMBER: of = body_eval(b, x->a); return of ? body_member(b, of, x->text) : NULL;
	case EXPR_INDEX:
		of = body_eval(b, x->a);
		index = of ? body_eval(b, x->b) : NULL;
		return index ? body_item(b, of, index) : NULL;
	case EXPR_SLICE: return slice(b, x);
	case EXPR_CALL: return call(b, x);
	case EXPR_UNARY:
	case EXPR_BINARY: return operation(b, x);
	case EXPR_COMPARE: return compare(b, x);
	case EXPR_AND:
	case EXPR_OR: return logic(b, x);
	case EXPR_IF: return choice(b, x);
	case EXPR_KEYWORD:
	case STAT_EXPR:
	case STAT_ASSIGN:
	case STAT_CHANGE:
	case STAT_RETURN:
	case STAT_IF:
	case STAT_WHILE:
	case STAT_FOR:
	case STAT_TRY:
	case STAT_HANDLER:
	case STAT_RAISE:
	case STAT_PASS:
	case STAT_BREAK:
	case STAT_CONTINUE:
	case STAT_BLOCK: break;
	}
	return body_unable(b, "a statement as a value");
}
