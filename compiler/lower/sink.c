/*
 * sink.c - what takes the items of a loop over few of them.
 */
#include "compiler/lower/loop.h"

/* Does a variable have what there is so far? */
static bool
adds_up(enum sink sink)
{
	return sink == TO_FOLD || sink == TO_SUM || sink == TO_MIN || sink == TO_MAX ||
	       sink == TO_LAST;
}

void
lw_open_sink(lw *l, loop *to, int32_t list)
{
	switch ((enum sink)to->sink) {
	case TO_LIST: to->list = lw_room(l, list, IR_ROOM_FINAL, 1); break;
	case TO_PLAIN:
	case TO_ITEMS: to->list = lw_room(l, list, IR_ROOM_LIST, 1); break;
	case TO_KEYS: to->list = lw_room(l, list, IR_ROOM_LIST, to->nkeys); break;
	case TO_GROUPS:
	case TO_DICT: to->list = lw_room(l, list, IR_ROOM_DICT, 1); break;
	case TO_PAIRS: to->list = lw_room(l, list, IR_ROOM_FROZEN, 1); break;
	case TO_LAST_INDEX:
		to->some = lw_own_variable(l);
		lw_set_constant(l, to->some, IK_INT, -1);
		/* fallthrough */
	case TO_COUNT:
	case TO_INDEX:
		to->value = lw_own_variable(l);
		lw_set_constant(l, to->value, IK_INT, 0);
		break;
	case TO_FOLD:
	case TO_SUM:
	case TO_MIN:
	case TO_MAX:
	case TO_SINGLE:
	case TO_LAST:
		to->value = lw_own_variable(l);
		if (to->given >= 0) {
			lw_set_variable(l, to->value, to->given);
			break;
		}
		to->some = lw_own_variable(l);
		lw_set_constant(l, to->some, IK_FALSE, 0);
		break;
	case NO_SINK:
	case TO_IN:
	case TO_ANY:
	case TO_ALL:
	case TO_FIRST: break;
	}
}

/* The loop is over, with this result. */
static void
leave(lw *l, const loop *to, int32_t result)
{
	lw_copy_into(l, to->result, result);
	lw_free_temps(l, to->floor, l->next);
	lw_jump(l, to->out);
}

/* max() and min() ask whether the next one is greater. */
static void
take_greater(lw *l, const chain *c, const loop *to, int32_t x)
{
	ir_site *site = lw_new_site(l, "#operator_>", false, 2, c->call);
	int32_t greater;

	site->args[0].kind = site->args[1].kind = VT_A_EXPR;
	greater = lw_op2(l, IR_GT, x, lw_read(l, to->value));
	l->f->ins[l->f->n - 1].site = site;
	lw_jump_if(l, to->sink == TO_MAX ? IR_JFALSE : IR_JTRUE, greater, to->skip);
	lw_set_variable(l, to->value, lw_op1(l, IR_COPY, x));
}

static void
join_in(lw *l, const chain *c, const loop *to, int32_t x)
{
	if (to->sink == TO_SUM)
		lw_loop_add(l, c, to->value, x);
	else if (to->sink == TO_MIN || to->sink == TO_MAX)
		take_greater(l, c, to, x);
	else
		lw_set_variable(l, to->value, lw_folded(l, c->args[0], to->value, x));
}

/* The first is what there is; the others are added, or take its place. */
static void
take_next(lw *l, const chain *c, const loop *to, int32_t x)
{
	int32_t more = lw_label(l), end = lw_label(l);

	if (to->sink != TO_LAST && to->given >= 0) {
		join_in(l, c, to, x);
		return;
	}
	if (to->sink != TO_LAST)
		lw_jump_if(l, IR_JTRUE, lw_read(l, to->some), more);
	lw_set_variable(l, to->value, lw_op1(l, IR_COPY, x));
	if (to->given < 0)
		lw_set_constant(l, to->some, IK_TRUE, 0);
	if (to->sink != TO_LAST) {
		lw_jump(l, end);
		lw_place(l, more);
		join_in(l, c, to, x);
		lw_place(l, end);
	}
}

static void
put(lw *l, const loop *to, int32_t x)
{
	lw_do_with(l, IR_PUT, x, to->list, -1)->i[0] = to->more;
}

/* What an order goes by.  A key that is the item stays for the next one. */
static void
put_keys(lw *l, const chain *c, const loop *to, item *x)
{
	for (uint32_t i = 0; i < to->nkeys; i++) {
		int32_t first = l->next, key = lw_lambda(l, c->step[to->to + i].lambda, x);
		put(l, to, key < first ? lw_op1(l, IR_COPY, key) : key);
	}
}

/* Is it the item that is looked for, or one for which the lambda is true? */
static void
find_index(lw *l, const chain *c, const loop *to, item *x)
{
	int32_t other = lw_label(l), is = c->lambdas ? lw_lambda(l, c->args[0], x)
						     : lw_op2(l, IR_EQ, lw_whole(l, x), to->given);

	lw_jump_if(l, IR_JFALSE, is, other);
	if (to->sink == TO_INDEX)
		leave(l, to, lw_read(l, to->value));
	else
		lw_set_variable(l, to->some, lw_op1(l, IR_COPY, lw_read(l, to->value)));
	lw_place(l, other);
	lw_loop_add(l, c, to->value, lw_constant(l, IK_INT, 1));
}

/* The calls know what is wrong with a second one. */
static void
take_single(lw *l, const loop *to, int32_t x)
{
	lw_jump_if(l, IR_JTRUE, lw_read(l, to->some), l->again);
	lw_set_variable(l, to->value, lw_op1(l, IR_COPY, x));
	lw_set_constant(l, to->some, IK_TRUE, 0);
}

/* any(), all(): the item, or what the lambda says of it, tells. */
static void
tell(lw *l, const chain *c, const loop *to, item *x)
{
	int32_t says = c->nargs > 0 ? lw_lambda(l, c->args[0], x) : -1;

	if (to->sink == TO_ANY) {
		if (says >= 0)
			lw_jump_if(l, IR_JFALSE, says, to->skip);
		leave(l, to, lw_constant(l, IK_TRUE, 0));
	} else {
		lw_jump_if(l, IR_JTRUE, says >= 0 ? says : lw_whole(l, x), to->skip);
		leave(l, to, lw_constant(l, IK_FALSE, 0));
	}
}

/* Keys and values, in the order in which the function asks for them. */
static void
take_pair(lw *l, const chain *c, const loop *to, item *x)
{
	const chain_step *group = &c->step[to->to];
	int32_t key, value;

	if (to->sink == TO_PAIRS) {
		lw_do_with(l, IR_PUTPAIR, to->list, x->part[0], x->part[1]);
	} else if (to->sink == TO_DICT) {
		key = lw_lambda(l, c->args[0], x);
		value = c->nargs > 1 ? lw_lambda(l, c->args[1], x) : lw_whole(l, x);
		lw_do_with(l, IR_PUTPAIR, to->list, key, value);
	} else {
		value = group->value ? lw_lambda(l, group->value, x) : lw_whole(l, x);
		key = lw_lambda(l, group->lambda, x);
		lw_do_with(l, IR_PUTGROUP, to->list, key, value);
	}
}

/* An item that has come through all steps. */
void
lw_take(lw *l, const chain *c, const loop *to, item *x)
{
	int32_t value;

	switch ((enum sink)to->sink) {
	case TO_LIST:
		x->changes = false; /* a pair that is final at once is made so */
		put(l, to, lw_op1(l, IR_FINAL, lw_whole(l, x)));
		break;
	case TO_PLAIN:
	case TO_ITEMS: put(l, to, lw_whole(l, x)); break;
	case TO_KEYS: put_keys(l, c, to, x); break;
	case TO_COUNT: lw_loop_add(l, c, to->value, lw_constant(l, IK_INT, 1)); break;
	case TO_FOLD:
	case TO_SUM:
	case TO_MIN:
	case TO_MAX:
	case TO_LAST: take_next(l, c, to, lw_whole(l, x)); break;
	case TO_ANY:
	case TO_ALL: tell(l, c, to, x); break;
	case TO_INDEX:
	case TO_LAST_INDEX: find_index(l, c, to, x); break;
	case TO_SINGLE: take_single(l, to, lw_whole(l, x)); break;
	case TO_IN:
		value = to->left >= 0 ? to->left : to->given;
		lw_jump_if(l, IR_JFALSE, lw_op2(l, IR_EQ, value, lw_whole(l, x)), to->skip);
		leave(l, to, lw_constant(l, IK_TRUE, 0));
		break;
	case TO_FIRST: leave(l, to, lw_whole(l, x)); break;
	case TO_GROUPS:
	case TO_DICT:
	case TO_PAIRS: take_pair(l, c, to, x); break;
	case NO_SINK: break;
	}
}

/* What the function does with no item: it raises an error, mostly. */
static int32_t
of_none(lw *l, const chain *c)
{
	int32_t none = lw_temp(l);

	lw_emit(l, IR_LIST)->d = none;
	return lw_call(l, c->call->text, none, c->args, c->nargs, c->call);
}

/* The value of the variable, which is empty afterwards. */
static void
give_variable(lw *l, const chain *c, const loop *to)
{
	lw_copy_into(l, to->result, lw_read(l, to->value));
	if (c->sink != TO_SUM) /* mostly a number */
		lw_set_constant(l, to->value, IK_NULL, 0);
}

static void
give_or_none(lw *l, const chain *c, const loop *to)
{
	int32_t some = lw_label(l);

	lw_jump_if(l, IR_JTRUE, lw_read(l, to->some), some);
	lw_copy_into(l, to->result, of_none(l, c));
	lw_jump(l, to->out);
	lw_place(l, some);
	give_variable(l, c, to);
}

/* A name that no expression could have. */
static const char GIVEN[] = " given";

/* The function, with the list of all items and the argument that there was before them. */
static int32_t
call_with_items(lw *l, const chain *c, const loop *to)
{
	lw_let given = {.up = l->lets, .name = GIVEN, .temp = to->given, .var = -1};
	yq_node *arg = to->given >= 0 ? lw_known(l, c->args[0], GIVEN) : NULL;
	int32_t d;

	l->lets = &given;
	d = lw_call(l, c->call->text, to->list, arg ? &arg : c->args, c->nargs, c->call);
	l->lets = given.up;
	return d;
}

/* What comes of it when all items are through. */
void
lw_close_sink(lw *l, const chain *c, const loop *to)
{
	int32_t d = to->list;

	switch ((enum sink)to->sink) {
	case NO_SINK:
	case TO_LIST:
	case TO_PLAIN:
	case TO_KEYS:
	case TO_GROUPS:
	case TO_DICT:
	case TO_PAIRS: break;
	case TO_ITEMS: d = call_with_items(l, c, to); break;
	case TO_COUNT: d = lw_read(l, to->value); break;
	case TO_FOLD:
	case TO_SUM:
	case TO_MIN:
	case TO_MAX:
	case TO_LAST:
		if (to->given >= 0)
			give_variable(l, c, to);
		else
			give_or_none(l, c, to);
		return;
	case TO_IN:
	case TO_ANY: d = lw_constant(l, IK_FALSE, 0); break;
	case TO_ALL: d = lw_constant(l, IK_TRUE, 0); break;
	case TO_INDEX: d = lw_constant(l, IK_INT, -1); break;
	case TO_LAST_INDEX: d = lw_read(l, to->some); break;
	case TO_SINGLE:
		lw_jump_if(l, IR_JFALSE, lw_read(l, to->some), l->again);
		give_variable(l, c, to);
		return;
	case TO_FIRST: d = to->given >= 0 ? to->given : of_none(l, c); break;
	}
	lw_copy_into(l, to->result, d);
}

/* The argument of the sink that is no lambda; -1: there is none. */
int32_t
lw_sink_given(lw *l, const chain *c)
{
	uint32_t at = c->sink == TO_FOLD;
	bool index = c->sink == TO_INDEX || c->sink == TO_LAST_INDEX,
	     wants = adds_up((enum sink)c->sink) || c->sink == TO_FIRST || c->sink == TO_IN ||
		     c->sink == TO_ITEMS || (index && c->lambdas == 0);

	if (!wants || c->nargs <= at || (c->sink == TO_ITEMS && c->args[0]->kind == YQ_STRING))
		return -1;
	return lw_expr(l, c->args[at]);
}
