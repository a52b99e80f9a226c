/*
 * body_run.c - statements of a plan's Body, run.
 */
#include "runtime/sim/body.h"

#include <string.h>

/* How a statement ended.  STOP: an exception is on its way, or the body cannot be simulated. */
enum flow { GO, BREAK, CONTINUE, RETURN, STOP };

static enum flow run(body *, const body_node *);

/* ---- loops ------------------------------------------------------------------------------- */

static enum flow
else_of(body *b, const body_node *x)
{
	return x->c != NULL ? run(b, x->c) : GO;
}

static enum flow
while_loop(body *b, const body_node *x)
{
	for (;;) {
		body_value *v = body_eval(b, x->a);
		enum flow f;
		if (v == NULL)
			return STOP;
		if (!body_true(v))
			return else_of(b, x);
		f = run(b, x->b);
		if (f == BREAK)
			return GO;
		if (f == RETURN || f == STOP)
			return f;
	}
}

static enum flow
for_loop(body *b, const body_node *x)
{
	body_value *of = body_eval(b, x->a), *v;
	uint32_t n = of != NULL ? of->n : 0;
	bool bad;
	if (of == NULL)
		return STOP;
	for (uint32_t i = 0;; i++) {
		enum flow f;
		if ((body_is_dict(of) || of->kind == BODY_SET) && of->n != n) {
			(void)body_raise(b, "RuntimeError", "%s changed size during iteration",
				of->kind == BODY_SET ? "Set" : "dictionary");
			return STOP;
		}
		v = body_nth(b, of, i, &bad);
		if (bad)
			return STOP;
		if (v == NULL)
			return else_of(b, x);
		if (!body_step(b, 1) || !body_assign(b, x->item[0], v))
			return STOP;
		f = run(b, x->b);
		if (f == BREAK)
			return GO;
		if (f == RETURN || f == STOP)
			return f;
	}
}

/* ---- exceptions -------------------------------------------------------------------------- */

/* Is it of that class, or one of a tuple of classes?  *bad: it is no class. */
static bool
fits(body *b, const body_value *e, const body_value *of, bool *bad)
{
	if (of->kind == BODY_CLASS)
		return body_is_a(e->name, of->name);
	if (of->kind != BODY_TUPLE) {
		*bad = true;
		(void)body_raise(b, "TypeError",
			"catching classes that do not inherit from "
			"BaseException is not allowed");
		return false;
	}
	for (uint32_t i = 0; i < of->n && !*bad; i++)
		if (of->item[i]->kind != BODY_TUPLE && fits(b, e, of->item[i], bad))
			return true;
	return false;
}

static enum flow
handle(body *b, const body_node *h, body_value *e)
{
	body_value *before = b->caught;
	enum flow f;
	if (h->text != NULL)
		b->slots[h->slot].value = e;
	b->caught = e;
	f = run(b, h->b);
	b->caught = before;
	if (h->text != NULL)
		b->slots[h->slot].value = NULL;
	return f;
}

static enum flow
handlers(body *b, const body_node *x)
{
	body_value *e = b->raised;
	b->raised = NULL;
	for (uint32_t i = 0; i < x->n; i++) {
		const body_node *h = x->item[i];
		bool bad = false, all = h->a == NULL;
		body_value *of = all ? NULL : body_eval(b, h->a);
		if (!all && of == NULL)
			return STOP;
		if (all || fits(b, e, of, &bad))
			return handle(b, h, e);
		if (bad)
			return STOP;
	}
	b->raised = e;
	return STOP;
}

static enum flow
try_statement(body *b, const body_node *x)
{
	enum flow f = run(b, x->a), last;
	body_value *e, *result;
	if (f == STOP && b->raised != NULL && b->unable == NULL)
		f = handlers(b, x);
	else if (f == GO && x->b != NULL)
		f = run(b, x->b);
	if (x->c == NULL || b->unable != NULL)
		return f;
	e = b->raised;
	result = b->result;
	b->raised = NULL;
	last = run(b, x->c);
	if (last != GO) /* what `finally` does takes the place of what was on its way */
		return last;
	b->raised = e;
	b->result = result;
	return f;
}

static enum flow
raise_statement(body *b, const body_node *x)
{
	static const body_args none = {.v = NULL};
	body_value *v;
	if (x->a == NULL) {
		b->raised = b->caught;
		if (b->caught == NULL)
			(void)body_raise(b, "RuntimeError", "No active exception to reraise");
		return STOP;
	}
	v = body_eval(b, x->a);
	if (v != NULL && v->kind == BODY_CLASS)
		v = body_call(b, v, &none);
	if (v == NULL || (x->b != NULL && body_eval(b, x->b) == NULL))
		return STOP;
	if (v->kind == BODY_EXCEPTION)
		b->raised = v;
	else
		(void)body_raise(b, "TypeError", "exceptions must derive from BaseException");
	return STOP;
}

/* ---- the others -------------------------------------------------------------------------- */

static enum flow
assign(body *b, const body_node *x)
{
	body_value *v = body_eval(b, x->a);
	for (uint32_t i = 0; v != NULL && i < x->n; i++)
		if (!body_assign(b, x->item[i], v))
			return STOP;
	return v == NULL ? STOP : GO;
}

/* A list is changed where it stands, so all who have it see that. */
static enum flow
change(body *b, const body_node *x)
{
	body_value *old = body_eval(b, x->a), *by = old ? body_eval(b, x->b) : NULL, *v;
	if (by == NULL)
		return STOP;
	if (old->kind == BODY_LIST && x->op == OP_ADD) {
		body_value *more = body_list_of(b, by);
		for (uint32_t i = 0; more != NULL && i < more->n; i++)
			if (!body_step(b, 1) || !body_push(b, old, more->item[i]))
				return STOP;
		v = more != NULL ? old : NULL;
	} else {
		v = body_binary(b, x->op, old, by);
	}
	return v != NULL && body_assign(b, x->a, v) ? GO : STOP;
}

/* `elif` is the other side of `if`, which has no block of its own. */
static enum flow
condition(body *b, const body_node *x)
{
	while (x != NULL && x->kind == STAT_IF) {
		body_value *v = body_eval(b, x->a);
		if (v == NULL)
			return STOP;
		if (body_true(v))
			return run(b, x->b);
		x = x->c;
	}
	return x == NULL ? GO : run(b, x);
}

static enum flow
statements(body *b, const body_node *x)
{
	enum flow f = GO;
	for (uint32_t i = 0; i < x->n && f == GO; i++)
		f = run(b, x->item[i]);
	return f;
}

static enum flow
run(body *b, const body_node *x)
{
	if (!body_step(b, 1) || body_too_deep(b))
		return STOP;
	b->line = x->line - 1;
	switch (x->kind) {
	case STAT_EXPR: return body_eval(b, x->a) != NULL ? GO : STOP;
	case STAT_ASSIGN: return assign(b, x);
	case STAT_CHANGE: return change(b, x);
	case STAT_RETURN:
		b->result = x->a != NULL ? body_eval(b, x->a) : body_none(b);
		return b->result != NULL ? RETURN : STOP;
	case STAT_IF: return condition(b, x);
	case STAT_WHILE: return while_loop(b, x);
	case STAT_FOR: return for_loop(b, x);
	case STAT_TRY: return try_statement(b, x);
	case STAT_RAISE: return raise_statement(b, x);
	case STAT_PASS: return GO;
	case STAT_BREAK: return BREAK;
	case STAT_CONTINUE: return CONTINUE;
	case STAT_BLOCK: return statements(b, x);
	case STAT_HANDLER:
	case EXPR_CONST:
	case EXPR_NAME:
	case EXPR_LIST:
	case EXPR_TUPLE:
	case EXPR_SET:
	case EXPR_DICT:
	case EXPR_EACH:
	case EXPR_MEMBER:
	case EXPR_INDEX:
	case EXPR_SLICE:
	case EXPR_CALL:
	case EXPR_KEYWORD:
	case EXPR_UNARY:
	case EXPR_BINARY:
	case EXPR_COMPARE:
	case EXPR_AND:
	case EXPR_OR:
	case EXPR_IF: break;
	}
	return STOP;
}

void
body_run(body *b, const body_node *block)
{
	if (run(b, block) != RETURN)
		b->result = body_none(b);
}
