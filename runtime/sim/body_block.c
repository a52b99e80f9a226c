/*
 * body_block.c - statements of a plan's Body.
 */
#include "runtime/sim/body.h"

#include <stdlib.h>
#include <string.h>

static body_node *statement(body *);

/* ---- blocks ------------------------------------------------------------------------------ */

static bool simple(body *, body_node *block);

static body_node *
lines(body *b, body_node *block)
{
	while (body_peek(b)->kind != TOK_DEDENT && body_peek(b)->kind != TOK_END) {
		body_node *x;
		if (body_peek(b)->kind == TOK_INDENT)
			return body_syntax(b, "unexpected indent");
		x = statement(b);
		if (x == NULL)
			return NULL;
		body_add(b, block, x);
	}
	return block;
}

/* Behind a colon: statements on the same line, or lines that are indented. */
static body_node *
block(body *b, const char *of)
{
	body_node *x, *all = body_node_new(b, STAT_BLOCK);
	if (!body_expect(b, ":"))
		return NULL;
	if (body_peek(b)->kind != TOK_LINE)
		return simple(b, all) ? all : NULL;
	b->at++;
	if (body_peek(b)->kind != TOK_INDENT)
		return body_syntax(
			b, "expected an indented block after %s on line %u", of, all->line);
	if (!body_deeper(b))
		return NULL;
	b->at++;
	x = lines(b, all);
	b->at += x != NULL && body_peek(b)->kind == TOK_DEDENT;
	b->nesting--;
	return x;
}

/* ---- simple statements ------------------------------------------------------------------- */

static body_node *
assignment(body *b, body_node *target)
{
	body_node *x = body_node_new(b, STAT_ASSIGN), *value = target;
	while (body_take(b, "=")) {
		if (!body_assigns(b, value))
			return NULL;
		body_add(b, x, value);
		if ((value = body_expressions(b)) == NULL)
			return NULL;
	}
	x->a = value;
	return x;
}

static body_node *
expression_statement(body *b)
{
	static const struct {
		const char *word;
		enum body_op op;
	} changes[] = {{"+=", OP_ADD}, {"-=", OP_SUB}, {"*=", OP_MUL}, {"/=", OP_DIV},
		{"//=", OP_FLOOR}, {"%=", OP_MOD}};
	body_node *x = body_expressions(b), *y;
	if (x == NULL)
		return NULL;
	if (body_at(b, "="))
		return assignment(b, x);
	for (size_t i = 0; i < VT_LEN(changes); i++)
		if (body_take(b, changes[i].word)) {
			y = body_node_new(b, STAT_CHANGE);
			y->op = changes[i].op;
			y->a = x;
			if (x->kind == EXPR_TUPLE || x->kind == EXPR_LIST)
				return body_syntax(
					b, "illegal expression for augmented assignment");
			return body_assigns(b, x) && (y->b = body_expressions(b)) != NULL ? y
											  : NULL;
		}
	if (body_at(b, ":"))
		return body_unlike(b, "an annotation");
	if (body_peek(b)->kind == TOK_OP && !body_at(b, ";"))
		return body_peek(b)->n > 1 && body_peek(b)->s[body_peek(b)->n - 1] == '='
			       ? body_unlike(b, "that kind of assignment")
			       : body_syntax(b, "invalid syntax");
	y = body_node_new(b, STAT_EXPR);
	y->a = x;
	return y;
}

static bool
ends_here(const body *b)
{
	return body_peek(b)->kind == TOK_LINE || body_at(b, ";");
}

/* return and raise: a value may follow. */
static body_node *
with_value(body *b, enum body_node_kind kind)
{
	body_node *x = body_node_new(b, kind);
	b->at++;
	if (ends_here(b))
		return x;
	if ((x->a = body_expressions(b)) == NULL)
		return NULL;
	/* the cause is kept nowhere, so it is only looked at */
	if (kind == STAT_RAISE && body_take(b, "from") && (x->b = body_expression(b)) == NULL)
		return NULL;
	return x;
}

static body_node *
word_alone(body *b, enum body_node_kind kind)
{
	body_node *x = body_node_new(b, kind);
	b->at++;
	return x;
}

static body_node *
small(body *b)
{
	static const char *const unlike[] = {"import", "from", "global", "nonlocal", "del",
		"assert", "def", "class", "with", "async", "@"};
	for (size_t i = 0; i < VT_LEN(unlike); i++)
		if (body_at(b, unlike[i]))
			return body_unlike(b, unlike[i]);
	if (body_at(b, "return"))
		return with_value(b, STAT_RETURN);
	if (body_at(b, "raise"))
		return with_value(b, STAT_RAISE);
	if (body_at(b, "pass"))
		return word_alone(b, STAT_PASS);
	if (body_at(b, "break") || body_at(b, "continue")) {
		bool ends = body_at(b, "break");
		if (b->loops == 0)
			return body_syntax(b,
				ends ? "'break' outside loop" : "'continue' not properly in loop");
		return word_alone(b, ends ? STAT_BREAK : STAT_CONTINUE);
	}
	return expression_statement(b);
}

/* Those of one line. */
static bool
simple(body *b, body_node *all)
{
	for (;;) {
		body_node *x = small(b);
		if (x == NULL)
			return false;
		body_add(b, all, x);
		if (body_take(b, ";") && body_peek(b)->kind != TOK_LINE)
			continue;
		if (body_peek(b)->kind != TOK_LINE)
			return body_syntax(b, "invalid syntax") != NULL;
		b->at++;
		return true;
	}
}

/* ---- compound statements ----------------------------------------------------------------- */

static body_node *
condition(body *b, const char *of)
{
	body_node *x = body_node_new(b, STAT_IF), *last = x;
	b->at++;
	if ((x->a = body_expression(b)) == NULL || (x->b = block(b, of)) == NULL)
		return NULL;
	while (body_at(b, "elif")) {
		/* as a chain that is run in a loop: its length nests nothing */
		body_node *y = body_node_new(b, STAT_IF);
		b->at++;
		if ((y->a = body_expression(b)) == NULL ||
			(y->b = block(b, "'elif' statement")) == NULL)
			return NULL;
		last->c = y;
		last = y;
	}
	if (body_take(b, "else") && (last->c = block(b, "'else' statement")) == NULL)
		return NULL;
	return x;
}

/* The body and `else` of a loop. */
static bool
loop_blocks(body *b, body_node *x, const char *of)
{
	b->loops++;
	x->b = block(b, of);
	b->loops--;
	if (x->b != NULL && body_take(b, "else"))
		return (x->c = block(b, "'else' statement")) != NULL;
	return x->b != NULL;
}

static body_node *
while_loop(body *b)
{
	body_node *x = body_node_new(b, STAT_WHILE);
	b->at++;
	x->a = body_expression(b);
	return x->a != NULL && loop_blocks(b, x, "'while' statement") ? x : NULL;
}

static body_node *
for_loop(body *b)
{
	body_node *x = body_node_new(b, STAT_FOR), *target;
	b->at++;
	if ((target = body_targets(b, false)) == NULL || !body_expect(b, "in"))
		return NULL;
	body_add(b, x, target);
	x->a = body_expressions(b);
	return x->a != NULL && loop_blocks(b, x, "'for' statement") ? x : NULL;
}

static body_node *
handler(body *b)
{
	body_node *x = body_node_new(b, STAT_HANDLER);
	if (!body_at(b, ":")) {
		if ((x->a = body_expression(b)) == NULL)
			return NULL;
		if (body_take(b, "as")) {
			if (!body_name(b, x))
				return NULL;
			b->slots[x->slot].local = true;
		}
	}
	return (x->b = block(b, "'except' statement")) != NULL ? x : NULL;
}

static body_node *
try_statement(body *b)
{
	body_node *x = body_node_new(b, STAT_TRY), *h;
	b->at++;
	if ((x->a = block(b, "'try' statement")) == NULL)
		return NULL;
	while (body_take(b, "except")) {
		if (x->n > 0 && x->item[x->n - 1]->a == NULL)
			return body_syntax(b, "default 'except:' must be last");
		if ((h = handler(b)) == NULL)
			return NULL;
		body_add(b, x, h);
	}
	if (x->n > 0 && body_take(b, "else") && (x->b = block(b, "'else' statement")) == NULL)
		return NULL;
	if (body_take(b, "finally") && (x->c = block(b, "'finally' statement")) == NULL)
		return NULL;
	return x->n > 0 || x->c != NULL ? x
					: body_syntax(b, "expected 'except' or 'finally' block");
}

static body_node *
statement(body *b)
{
	body_node *all;
	if (body_at(b, "if"))
		return condition(b, "'if' statement");
	if (body_at(b, "while"))
		return while_loop(b);
	if (body_at(b, "for"))
		return for_loop(b);
	if (body_at(b, "try"))
		return try_statement(b);
	all = body_node_new(b, STAT_BLOCK);
	return simple(b, all) ? all : NULL;
}

body_node *
body_parse(body *b)
{
	body_node *all = body_node_new(b, STAT_BLOCK);
	if (body_peek(b)->kind != TOK_INDENT)
		return body_syntax(
			b, "expected an indented block after function definition on line 1");
	b->at++;
	if (lines(b, all) == NULL)
		return NULL;
	return b->unable != NULL ? NULL : all;
}
