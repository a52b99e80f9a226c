/*
 * inline.c - pipelines of methods as loops: `inline`.
 *
 * A chain of where(), select() and the like (chain.c), and the function that takes all it gives, is
 * a loop of the method when its source is a short list: the lambdas stand in the loop, with the
 * item in place of `$`, so that nothing is called and no iterator is made.  Items pass through it
 * one by one, as through the chain of iterators; what needs all of them, as an order does, ends one
 * loop and begins another.  `few` goes to the loop, with the items of lists, views, ranges and
 * dicts.  Where it does not (other sources, many items, functions of the host), the calls behind it
 * are made as they are written.
 *
 * An item that is a pair (of items(), enumerate(), zip(), groupBy(), or a list of two as it is
 * written) is two temporaries for as long as lambdas only ask for `$[0]` and `$[1]`.
 */
#include "compiler/lower/loop.h"

#include "runtime/abi/vt.h"

#include <string.h>

/* ---- the calls as they are written ---- */

/* Names that no expression could have, as sink.c has one. */
static const char SOURCE[] = " source", LEFT[] = " left";

yq_node *
lw_known(lw *l, const yq_node *e, const char *name)
{
	yq_node *x = vc_alloc(l->c, sizeof *x);

	*x = (yq_node){.kind = YQ_VAR,
		.from = e->from,
		.to = e->to,
		.op_at = e->op_at,
		.text = name,
		.ntext = (uint32_t)strlen(name)};
	return x;
}

/* e with the values that its source, and what is in front of `in`, have already. */
static const yq_node *
with_known(lw *l, const yq_node *e, const chain *c)
{
	yq_node *copy;
	uint32_t at = c->left && e == c->whole;

	if (e == c->source)
		return lw_known(l, e, SOURCE);
	copy = vc_alloc(l->c, sizeof *copy);
	*copy = *e;
	copy->kid = vc_alloc(l->c, e->n * sizeof *copy->kid);
	memcpy(copy->kid, e->kid, e->n * sizeof *copy->kid);
	copy->kid[at] = (yq_node *)with_known(l, e->kid[at], c);
	if (at)
		copy->kid[0] = lw_known(l, c->left, LEFT);
	return copy;
}

static int32_t
call_all(lw *l, const chain *c, int32_t source, int32_t left)
{
	lw_let value = {.up = l->lets, .name = LEFT, .temp = left, .var = -1},
	       let = {.up = &value, .name = SOURCE, .temp = source, .var = -1};
	bool outline = l->outline;
	int32_t d;

	l->lets = &let;
	l->outline = true;
	d = lw_expr(l, with_known(l, c->whole, c));
	l->outline = outline;
	l->lets = value.up;
	return d;
}

/* Arguments of steps.  Where they are not what a loop can do it goes to the calls; may it? */
static bool
prepare(lw *l, chain *c, int32_t calls)
{
	bool may_fail = false;

	for (uint32_t i = 0; i < c->n; i++) {
		chain_step *s = &c->step[i];
		int32_t good = lw_label(l);
		if (s->arg == NULL)
			continue;
		s->given = lw_expr(l, s->arg);
		if (s->arg->kind == YQ_NUMBER || s->kind == STEP_SCAN)
			continue;
		may_fail = true;
		if (s->kind == STEP_ZIP) {
			s->list = lw_few(l, s->given,
				lw_is_range(s->arg) ? VT_FEW_LIST : VT_FEW_AGAIN, good);
		} else {
			ir_ins *in = lw_emit(l, IR_JCOUNT);
			in->a[0] = s->given;
			in->na = 1;
			in->i[0] = s->kind == STEP_LIMIT;
			in->label = good;
		}
		lw_jump(l, calls);
		lw_place(l, good);
	}
	return may_fail;
}

/* Loops, and the calls where the source is not for them. */
static void
lower_apart(lw *l, chain *c, loop *to, int32_t source)
{
	int32_t loops = lw_label(l), calls = lw_label(l), end = lw_label(l), list;
	bool may_fail = prepare(l, c, calls);

	list = lw_few(l, source, (enum vt_few_of)c->few, loops);
	if (may_fail)
		lw_place(l, calls);
	lw_copy_into(l, to->result, call_all(l, c, source, to->left));
	lw_jump(l, end);
	lw_place(l, loops);
	lw_run_loops(l, c, to, list);
	lw_place(l, to->out);
	lw_place(l, end);
}

/* The same where the calls come as well when the loops have failed; what these did is dropped. */
static void
lower_again(lw *l, chain *c, loop *to, int32_t source)
{
	int32_t loops = lw_label(l), calls = lw_label(l), failed = lw_label(l), unfit = lw_label(l),
		outer = l->handler, again = l->again, floor = l->next,
		list = lw_few(l, source, (enum vt_few_of)c->few, loops);

	lw_jump(l, calls);
	lw_place(l, loops);
	l->again = unfit;
	lw_set_handler(l, failed);
	(void)prepare(l, c, unfit);
	lw_run_loops(l, c, to, list);
	lw_set_handler(l, outer);
	l->again = again;
	lw_jump(l, to->out);
	lw_place(l, failed);
	lw_emit(l, IR_FORGET);
	lw_place(l, unfit);
	/* a range gives its numbers once */
	if (c->few == VT_FEW_LIST)
		lw_copy_into(l, source, list);
	lw_place(l, calls);
	lw_free_temps(l, floor, -1);
	lw_copy_into(l, to->result, call_all(l, c, source, to->left));
	lw_place(l, to->out);
}

static int32_t
lower_chain(lw *l, chain *c)
{
	int32_t d = lw_temp(l), source;
	loop to = {.result = d, .out = lw_label(l), .left = -1, .pairs = c->few == VT_FEW_PAIRS};

	if (c->left)
		to.left = lw_expr(l, c->left);
	source = lw_expr(l, c->source);
	(c->again ? lower_again : lower_apart)(l, c, &to, source);
	return d;
}

int32_t
lw_inline(lw *l, const yq_node *e)
{
	chain c;

	return lw_find_chain(l, e, &c) ? lower_chain(l, &c) : -1;
}

/* ---- sums of lists ---- */

/* A variable, or a list of what is not called: it is there before the left side is asked for its
 * items, and stays the same. */
static bool
is_addend(const yq_node *e)
{
	bool list = e->kind == YQ_LIST;

	for (uint32_t i = 0; list && i < e->n; i++)
		list = e->kid[i]->n == 0 && e->kid[i]->kind != YQ_CALL;
	return e->kind == YQ_VAR || list;
}

static bool
is_sum(lw *l, const yq_node *e, chain *c)
{
	const yq_node *left;

	if (e->kind != YQ_BINARY || !lw_is_word(e, "+") || e->alias != NULL ||
		!is_addend(yq_unwrap(e->kid[1])))
		return false;
	left = yq_unwrap(e->kid[0]);
	return (lw_find_open_chain(l, left, c) && lw_only_looks(l, left)) || is_sum(l, left, c);
}

/* Both sides are evaluated. */
static int32_t
add_lists(lw *l, const yq_node *e, int32_t left, int32_t right)
{
	lw_let a = {.up = l->lets, .name = LEFT, .temp = left, .var = -1},
	       b = {.up = &a, .name = SOURCE, .temp = right, .var = -1};
	yq_node *kids[2] = {lw_known(l, e->kid[0], LEFT), lw_known(l, e->kid[1], SOURCE)}, sum = *e;
	int32_t d;

	sum.kid = kids;
	l->lets = &b;
	d = lw_expr(l, &sum);
	l->lets = a.up;
	return d;
}

/* The items of chain + list as a list.  What is no list is refused before the chain is asked. */
static int32_t
lower_sum(lw *l, const yq_node *e)
{
	const yq_node *left = yq_unwrap(e->kid[0]), *right = yq_unwrap(e->kid[1]);
	int32_t d = lw_temp(l), list = lw_expr(l, right), loops = lw_label(l), end = lw_label(l), t;
	bool outline = l->outline;
	chain c;

	if (right->kind == YQ_VAR) {
		(void)lw_few(l, list, VT_FEW_AGAIN, loops);
		l->outline = true;
		lw_copy_into(l, d, lw_expr(l, e));
		l->outline = outline;
		lw_jump(l, end);
		lw_place(l, loops);
	}
	t = lw_find_open_chain(l, left, &c) ? lower_chain(l, &c) : lower_sum(l, left);
	lw_copy_into(l, d, add_lists(l, e, t, list));
	lw_place(l, end);
	return d;
}

int32_t
lw_inline_part(lw *l, const yq_node *e)
{
	chain c;

	return lw_find_part_chain(l, e, &c) ? lower_chain(l, &c) : -1;
}

int32_t
lw_inline_value(lw *l, const yq_node *e)
{
	chain c;

	if (lw_find_value_chain(l, e, &c))
		return lower_chain(l, &c);
	e = yq_unwrap(e);
	return is_sum(l, e, &c) ? lower_sum(l, e) : -1;
}
