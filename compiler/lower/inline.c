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
#include "compiler/lower/chain.h"

#include "runtime/abi/vt.h"

#include <string.h>

/* An item on its way. */
typedef struct item {
	int32_t whole;   /* or -1: it has yet to be made of its parts */
	int32_t part[2]; /* or -1 */
	bool changes;    /* what is made of them is a list that may be changed */
} item;

/* A loop in the loop. */
typedef struct inner {
	int32_t floor;       /* temporaries from here on are of this round */
	int32_t again, skip; /* labels: the next item of it; the next one of the loop around */
	uint32_t step;
} inner;

/* What a loop keeps. */
typedef struct loop {
	int32_t result;      /* temporary */
	int32_t list;        /* temporary of the list that is made */
	int32_t value, some; /* variables: what there is so far, and whether there is any */
	int32_t given;       /* temporary: initial value or default; or -1 */
	int32_t floor;       /* temporaries from here on are of this round */
	int32_t left;        /* temporary of what is looked for; or -1 */
	/* labels: the next item; no more of them; the same when this one is gone; a result */
	int32_t skip, done, stop, out;
	uint8_t sink;
	bool pairs;        /* the source has the parts of pairs by turns */
	bool more;         /* there may be more items than the source has */
	uint32_t from, to; /* steps */
	inner inner[MOST_STEPS];
	uint32_t ninner;
} loop;

/* ---- the calls as they are written ---- */

/* Names that no expression could have. */
static const char SOURCE[] = " source", LEFT[] = " left", GIVEN[] = " given";

static yq_node *
known(lw *l, const yq_node *e, const char *name)
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
		return known(l, e, SOURCE);
	copy = vc_alloc(l->c, sizeof *copy);
	*copy = *e;
	copy->kid = vc_alloc(l->c, e->n * sizeof *copy->kid);
	memcpy(copy->kid, e->kid, e->n * sizeof *copy->kid);
	copy->kid[at] = (yq_node *)with_known(l, e->kid[at], c);
	if (at)
		copy->kid[0] = known(l, c->left, LEFT);
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

/* ---- what loops are made of ---- */

static int32_t
own_variable(lw *l)
{
	char *name = vc_format(l->c, " loop %u", l->f->nvars);

	vc_push(l->c, l->f->vars, l->f->nvars) = name;
	return (int32_t)l->f->nvars - 1;
}

static int32_t
read(lw *l, int32_t var)
{
	int32_t d = lw_temp(l);
	ir_ins *in = lw_emit(l, IR_VAR);

	in->d = d;
	in->var = var;
	return d;
}

static int32_t
constant(lw *l, enum ir_const_kind kind, int64_t i)
{
	return lw_const(l, (ir_const){.kind = (uint8_t)kind, .i = i});
}

static void
set_constant(lw *l, int32_t var, enum ir_const_kind kind, int64_t i)
{
	lw_set_variable(l, var, constant(l, kind, i));
}

/* var + t, by the operator where the function would use it. */
static void
add(lw *l, const chain *c, int32_t var, int32_t t)
{
	ir_site *site = lw_new_site(l, "#operator_+", false, 2, c->call ? c->call : c->whole);
	ir_ins *in;

	site->args[0].kind = site->args[1].kind = VT_A_EXPR;
	in = lw_emit(l, IR_ADDV);
	in->var = var;
	in->a[0] = t;
	in->na = 1;
	in->site = site;
}

static int32_t
op_of(lw *l, enum ir_op op, int32_t a, int32_t b, int64_t what)
{
	int32_t d = lw_temp(l);
	ir_ins *in = lw_emit(l, op);

	in->d = d;
	in->a[0] = a;
	in->a[1] = b;
	in->na = b < 0 ? 1 : 2;
	in->i[0] = what;
	return d;
}

/* Two or three operands, and nothing comes of it. */
static ir_ins *
do_with(lw *l, enum ir_op op, int32_t a, int32_t b, int32_t third)
{
	ir_ins *in = lw_emit(l, op);

	in->a[0] = a;
	in->a[1] = b;
	in->a[2] = third;
	in->na = third < 0 ? 2 : 3;
	return in;
}

static int32_t
next_of(lw *l, int32_t list, int32_t end)
{
	int32_t d = lw_temp(l);
	ir_ins *in = lw_emit(l, IR_EACH);

	in->d = d;
	in->a[0] = list;
	in->na = 1;
	in->label = end;
	return d;
}

/* The list that `few` gives, where it jumps to the label. */
static int32_t
few(lw *l, int32_t from, enum vt_few_of what, int32_t label)
{
	int32_t d = op_of(l, IR_FEW, from, -1, what);

	l->f->ins[l->f->n - 1].label = label;
	return d;
}

/* ---- items ---- */

static int32_t
whole(lw *l, item *x)
{
	if (x->whole < 0)
		x->whole = op_of(l, IR_PAIR, x->part[0], x->part[1], x->changes);
	return x->whole;
}

static bool
is_pair(const item *x)
{
	return x->part[0] >= 0;
}

static item
pair(int32_t a, int32_t b, bool changes)
{
	return (item){.whole = -1, .part = {a, b}, .changes = changes};
}

static item
single(int32_t t)
{
	return (item){.whole = t, .part = {-1, -1}};
}

/* The lambda's value with the item for `$`; closed: it is evaluated at once. */
static int32_t
lambda_value(lw *l, const yq_node *e, item *x, bool closed)
{
	lw_let let = {.up = l->lets, .n = 1, .temp = x->whole, .var = -1};
	bool inlined = l->inlined;
	int32_t d;

	if (!is_pair(x) || lw_uses_whole(l, e))
		let.temp = whole(l, x);
	let.part = is_pair(x) ? x->part : NULL;
	l->lets = &let;
	l->inlined = true;
	d = closed ? lw_closed_expr(l, e) : lw_expr(l, e);
	l->inlined = inlined;
	l->lets = let.up;
	return d;
}

static int32_t
lambda(lw *l, const yq_node *e, item *x)
{
	return lambda_value(l, e, x, false);
}

/* What select() makes: a list of two stays in its parts. */
static item
selected(lw *l, const yq_node *e, item *x, bool closed)
{
	const yq_node *list = yq_unwrap(e);
	int32_t a;

	if (!lw_is_pair(list))
		return single(lambda_value(l, e, x, closed));
	a = lambda_value(l, list->kid[0], x, closed);
	return pair(a, lambda_value(l, list->kid[1], x, closed), false);
}

/* ---- steps ---- */

/* What the steps keep, as a loop begins. */
static void
open_steps(lw *l, const loop *to, chain_step *steps, int32_t list)
{
	for (uint32_t i = to->from; i < to->to; i++) {
		chain_step *s = &steps[i];
		if (s->kind == STEP_DISTINCT)
			s->list = op_of(l, IR_ROOM, list, -1, IR_ROOM_LIST);
		if (s->kind != STEP_ENUMERATE && s->kind != STEP_SKIP_WHILE &&
			s->kind != STEP_LIMIT && s->kind != STEP_SKIP && s->kind != STEP_MANY)
			continue;
		s->var = own_variable(l);
		if (s->given >= 0)
			lw_set_variable(l, s->var, s->given);
		else
			set_constant(l, s->var, s->kind == STEP_SKIP_WHILE ? IK_FALSE : IK_INT, 0);
	}
}

/* Nobody asks for another item once a limit is reached, of the steps from that one on. */
static void
close_steps(lw *l, const loop *to, const chain_step *steps, uint32_t from, int32_t end)
{
	for (uint32_t i = from; i < to->to; i++)
		if (steps[i].kind == STEP_LIMIT)
			lw_jump_if(l, IR_JFALSE, read(l, steps[i].var), end);
}

static void
skip_while(lw *l, const loop *to, const chain_step *s, item *x)
{
	int32_t pass = lw_label(l);

	if (is_pair(x) && lw_uses_whole(l, s->lambda)) /* on both ways */
		(void)whole(l, x);
	lw_jump_if(l, IR_JTRUE, read(l, s->var), pass);
	lw_jump_if(l, IR_JTRUE, lambda(l, s->lambda, x), to->skip);
	set_constant(l, s->var, IK_TRUE, 0);
	lw_place(l, pass);
}

static void
skip_some(lw *l, const chain *c, const loop *to, const chain_step *s)
{
	int32_t pass = lw_label(l);

	lw_jump_if(l, IR_JFALSE, read(l, s->var), pass);
	add(l, c, s->var, constant(l, IK_INT, -1));
	lw_jump(l, to->skip);
	lw_place(l, pass);
}

/* An inner loop over what the lambda makes of the item; the steps that follow are in it. */
static void
many(lw *l, loop *to, const chain_step *s, uint32_t at, item *x)
{
	int32_t list = op_of(l, IR_MANY, lambda(l, s->lambda, x), -1, 0), again = lw_label(l);

	lw_set_variable(l, s->var, op_of(l, IR_TALLY, read(l, s->var), list, 0));
	lw_place(l, again);
	to->inner[to->ninner++] = (inner){l->next, again, to->skip, at};
	*x = single(next_of(l, list, to->skip));
	to->skip = lw_label(l);
}

static void
step(lw *l, const chain *c, loop *to, uint32_t at, item *x)
{
	const chain_step *s = &c->step[at];
	bool closed;
	int32_t n;

	switch ((enum step_kind)s->kind) {
	case STEP_WHERE: lw_jump_if(l, IR_JFALSE, lambda(l, s->lambda, x), to->skip); break;
	case STEP_SELECT:
		closed = to->sink == TO_LIST && at + 1 == c->n;
		*x = selected(l, s->lambda, x, closed);
		break;
	case STEP_TAKE_WHILE: lw_jump_if(l, IR_JFALSE, lambda(l, s->lambda, x), to->stop); break;
	case STEP_SKIP_WHILE: skip_while(l, to, s, x); break;
	case STEP_LIMIT: add(l, c, s->var, constant(l, IK_INT, -1)); break;
	case STEP_SKIP: skip_some(l, c, to, s); break;
	case STEP_DISTINCT:
		n = s->lambda ? lambda(l, s->lambda, x) : whole(l, x);
		do_with(l, IR_JSEEN, s->list, n, -1)->label = to->skip;
		break;
	case STEP_ENUMERATE:
		n = read(l, s->var);
		add(l, c, s->var, constant(l, IK_INT, 1));
		*x = pair(n, whole(l, x), true);
		break;
	case STEP_ZIP:
		n = whole(l, x);
		*x = pair(n, next_of(l, s->list, to->stop), false);
		break;
	case STEP_MANY: many(l, to, s, at, x); break;
	case STEP_LIST:
	case STEP_BACK:
	case STEP_ORDER:
	case STEP_ORDER_DOWN:
	case STEP_GROUP: break;
	}
}

/* ---- sinks ---- */

/* Does a variable have what there is so far? */
static bool
adds_up(enum sink sink)
{
	return sink == TO_FOLD || sink == TO_SUM || sink == TO_MIN || sink == TO_MAX ||
	       sink == TO_LAST;
}

static void
open_loop(lw *l, loop *to, int32_t list)
{
	switch ((enum sink)to->sink) {
	case TO_LIST: to->list = op_of(l, IR_ROOM, list, -1, IR_ROOM_FINAL); break;
	case TO_PLAIN:
	case TO_KEYS:
	case TO_ITEMS: to->list = op_of(l, IR_ROOM, list, -1, IR_ROOM_LIST); break;
	case TO_GROUPS:
	case TO_DICT: to->list = op_of(l, IR_ROOM, list, -1, IR_ROOM_DICT); break;
	case TO_PAIRS: to->list = op_of(l, IR_ROOM, list, -1, IR_ROOM_FROZEN); break;
	case TO_COUNT:
	case TO_INDEX:
		to->value = own_variable(l);
		set_constant(l, to->value, IK_INT, 0);
		break;
	case TO_FOLD:
	case TO_SUM:
	case TO_MIN:
	case TO_MAX:
	case TO_LAST:
		to->value = own_variable(l);
		if (to->given >= 0) {
			lw_set_variable(l, to->value, to->given);
			break;
		}
		to->some = own_variable(l);
		set_constant(l, to->some, IK_FALSE, 0);
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

static void
fold(lw *l, const chain *c, const loop *to, int32_t x)
{
	lw_let so_far = {.up = l->lets, .n = 1, .temp = read(l, to->value), .var = -1},
	       next = {.up = &so_far, .n = 2, .temp = x, .var = -1};

	bool inlined = l->inlined;

	l->lets = &next;
	l->inlined = true;
	lw_set_variable(l, to->value, lw_expr(l, c->args[0]));
	l->inlined = inlined;
	l->lets = so_far.up;
}

/* max() and min() ask whether the next one is greater. */
static void
take_greater(lw *l, const chain *c, const loop *to, int32_t x)
{
	ir_site *site = lw_new_site(l, "#operator_>", false, 2, c->call);
	int32_t greater;

	site->args[0].kind = site->args[1].kind = VT_A_EXPR;
	greater = lw_op2(l, IR_GT, x, read(l, to->value));
	l->f->ins[l->f->n - 1].site = site;
	lw_jump_if(l, to->sink == TO_MAX ? IR_JFALSE : IR_JTRUE, greater, to->skip);
	lw_set_variable(l, to->value, lw_op1(l, IR_COPY, x));
}

static void
join_in(lw *l, const chain *c, const loop *to, int32_t x)
{
	if (to->sink == TO_SUM)
		add(l, c, to->value, x);
	else if (to->sink == TO_MIN || to->sink == TO_MAX)
		take_greater(l, c, to, x);
	else
		fold(l, c, to, x);
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
		lw_jump_if(l, IR_JTRUE, read(l, to->some), more);
	lw_set_variable(l, to->value, lw_op1(l, IR_COPY, x));
	if (to->given < 0)
		set_constant(l, to->some, IK_TRUE, 0);
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
	do_with(l, IR_PUT, x, to->list, -1)->i[0] = to->more;
}

/* any(), all(), indexWhere(): the item, or what the lambda says of it, tells. */
static void
tell(lw *l, const chain *c, const loop *to, item *x)
{
	int32_t says = c->nargs > 0 ? lambda(l, c->args[0], x) : -1, other;

	if (to->sink == TO_ANY) {
		if (says >= 0)
			lw_jump_if(l, IR_JFALSE, says, to->skip);
		leave(l, to, constant(l, IK_TRUE, 0));
	} else if (to->sink == TO_ALL) {
		lw_jump_if(l, IR_JTRUE, says >= 0 ? says : whole(l, x), to->skip);
		leave(l, to, constant(l, IK_FALSE, 0));
	} else {
		other = lw_label(l);
		lw_jump_if(l, IR_JFALSE, says, other);
		leave(l, to, read(l, to->value));
		lw_place(l, other);
		add(l, c, to->value, constant(l, IK_INT, 1));
	}
}

/* Keys and values, in the order in which the function asks for them. */
static void
take_pair(lw *l, const chain *c, const loop *to, item *x)
{
	const chain_step *group = &c->step[to->to];
	int32_t key, value;

	if (to->sink == TO_PAIRS) {
		do_with(l, IR_PUTPAIR, to->list, x->part[0], x->part[1]);
	} else if (to->sink == TO_DICT) {
		key = lambda(l, c->args[0], x);
		value = c->nargs > 1 ? lambda(l, c->args[1], x) : whole(l, x);
		do_with(l, IR_PUTPAIR, to->list, key, value);
	} else {
		value = group->value ? lambda(l, group->value, x) : whole(l, x);
		key = lambda(l, group->lambda, x);
		do_with(l, IR_PUTGROUP, to->list, key, value);
	}
}

/* An item that has come through all steps. */
static void
take(lw *l, const chain *c, const loop *to, item *x)
{
	int32_t value;

	switch ((enum sink)to->sink) {
	case TO_LIST: put(l, to, lw_op1(l, IR_FINAL, whole(l, x))); break;
	case TO_PLAIN:
	case TO_ITEMS: put(l, to, whole(l, x)); break;
	case TO_KEYS: put(l, to, lambda(l, c->step[to->to].lambda, x)); break;
	case TO_COUNT: add(l, c, to->value, constant(l, IK_INT, 1)); break;
	case TO_FOLD:
	case TO_SUM:
	case TO_MIN:
	case TO_MAX:
	case TO_LAST: take_next(l, c, to, whole(l, x)); break;
	case TO_ANY:
	case TO_ALL:
	case TO_INDEX: tell(l, c, to, x); break;
	case TO_IN:
		value = to->left >= 0 ? to->left : to->given;
		lw_jump_if(l, IR_JFALSE, lw_op2(l, IR_EQ, value, whole(l, x)), to->skip);
		leave(l, to, constant(l, IK_TRUE, 0));
		break;
	case TO_FIRST: leave(l, to, whole(l, x)); break;
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
	lw_copy_into(l, to->result, read(l, to->value));
	if (c->sink != TO_SUM) /* mostly a number */
		set_constant(l, to->value, IK_NULL, 0);
}

static void
give_or_none(lw *l, const chain *c, const loop *to)
{
	int32_t some = lw_label(l);

	lw_jump_if(l, IR_JTRUE, read(l, to->some), some);
	lw_copy_into(l, to->result, of_none(l, c));
	lw_jump(l, to->out);
	lw_place(l, some);
	give_variable(l, c, to);
}

/* The function, with the list of all items and the argument that there was before them. */
static int32_t
call_with_items(lw *l, const chain *c, const loop *to)
{
	lw_let given = {.up = l->lets, .name = GIVEN, .temp = to->given, .var = -1};
	yq_node *arg = to->given >= 0 ? known(l, c->args[0], GIVEN) : NULL;
	int32_t d;

	l->lets = &given;
	d = lw_call(l, c->call->text, to->list, arg ? &arg : c->args, c->nargs, c->call);
	l->lets = given.up;
	return d;
}

/* What comes of it when all items are through. */
static void
close_loop(lw *l, const chain *c, const loop *to)
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
	case TO_COUNT: d = read(l, to->value); break;
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
	case TO_ANY: d = constant(l, IK_FALSE, 0); break;
	case TO_ALL: d = constant(l, IK_TRUE, 0); break;
	case TO_INDEX: d = constant(l, IK_INT, -1); break;
	case TO_FIRST: d = to->given >= 0 ? to->given : of_none(l, c); break;
	}
	lw_copy_into(l, to->result, d);
}

/* ---- loops ---- */

/* The ends of the loops in the loop, the innermost first. */
static void
close_inner(lw *l, const chain *c, loop *to)
{
	while (to->ninner > 0) {
		const inner *in = &to->inner[--to->ninner];
		lw_place(l, to->skip);
		lw_free_temps(l, in->floor, l->next);
		l->next = in->floor;
		close_steps(l, to, c->step, in->step + 1, to->stop);
		lw_jump(l, in->again);
		to->skip = in->skip;
	}
}

/* One loop over the list, through the steps [from, to) to what takes the items. */
static void
walk(lw *l, chain *c, loop *to, int32_t list)
{
	int32_t again = lw_label(l), top;
	item x;

	to->skip = lw_label(l);
	to->stop = lw_label(l);
	to->done = lw_label(l);
	to->ninner = 0;
	to->more = false;
	for (uint32_t i = to->from; i < to->to; i++)
		to->more |= c->step[i].kind == STEP_MANY;
	open_loop(l, to, list);
	open_steps(l, to, c->step, list);
	lw_place(l, again);
	to->floor = l->next;
	x = single(next_of(l, list, to->done));
	if (to->pairs)
		x = pair(x.whole, next_of(l, list, to->done), false);
	for (uint32_t i = to->from; i < to->to; i++)
		step(l, c, to, i, &x);
	take(l, c, to, &x);
	top = l->next;
	close_inner(l, c, to);
	lw_place(l, to->skip);
	lw_free_temps(l, to->floor, l->next);
	l->next = to->floor;
	close_steps(l, to, c->step, to->from, to->done);
	lw_jump(l, again);
	lw_place(l, to->stop);
	lw_free_temps(l, to->floor, top);
	lw_place(l, to->done);
}

/* What orderBy() makes of the list.  Nothing is compared, and so no key asked for, where there is
 * one item. */
static int32_t
ordered(lw *l, chain *c, loop *to, int32_t list, bool down)
{
	int32_t keyed = op_of(l, IR_TURN, list, -1, VT_TURN_KEYED);

	to->sink = TO_KEYS;
	to->from = to->to;
	to->pairs = false;
	walk(l, c, to, keyed);
	return op_of(l, IR_SORT, list, to->list, down);
}

/* What the step behind the loop makes of all its items. */
static int32_t
turned(lw *l, chain *c, loop *to, int32_t list)
{
	const chain_step *s = &c->step[to->to];

	switch ((enum step_kind)s->kind) {
	case STEP_BACK: return op_of(l, IR_TURN, list, -1, VT_TURN_BACK);
	case STEP_GROUP: return op_of(l, IR_TURN, list, -1, VT_TURN_PAIRS);
	case STEP_ORDER: return ordered(l, c, to, list, false);
	case STEP_ORDER_DOWN: return ordered(l, c, to, list, true);
	default: return op_of(l, IR_TURN, list, -1, VT_TURN_SAME);
	}
}

/* Is that where the library's function asks for all items?  An order waits until it is asked. */
static bool
is_eager(const chain_step *s)
{
	return s->kind == STEP_LIST || s->kind == STEP_BACK || s->kind == STEP_GROUP;
}

/* The argument of the sink that is no lambda; -1: there is none. */
static int32_t
given(lw *l, const chain *c)
{
	uint32_t at = c->sink == TO_FOLD;
	bool wants = adds_up((enum sink)c->sink) || c->sink == TO_FIRST || c->sink == TO_IN ||
		     c->sink == TO_ITEMS;

	if (!wants || c->nargs <= at || (c->sink == TO_ITEMS && c->args[0]->kind == YQ_STRING))
		return -1;
	return lw_expr(l, c->args[at]);
}

/* Loop after loop. */
static void
run(lw *l, chain *c, loop *to, int32_t list)
{
	uint32_t last = c->n;

	while (last > 0 && !is_eager(&c->step[last - 1]))
		last--;
	to->given = last == 0 ? given(l, c) : -1;
	for (uint32_t at = 0;; at = to->to + 1) {
		bool group;
		to->from = to->to = at;
		while (to->to < c->n && c->step[to->to].kind < STEP_LIST)
			to->to++;
		if (to->to == c->n)
			break;
		group = c->step[to->to].kind == STEP_GROUP;
		if (group || to->to > at || to->pairs) {
			to->sink = group ? TO_GROUPS : TO_PLAIN;
			walk(l, c, to, list);
			list = to->list;
		}
		list = turned(l, c, to, list);
		to->pairs = group;
		if (to->to + 1 == last)
			to->given = given(l, c);
	}
	to->sink = c->sink;
	walk(l, c, to, list);
	close_loop(l, c, to);
}

/* Arguments of steps: where they are not what a loop can do, the calls are made. */
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
		if (s->arg->kind == YQ_NUMBER)
			continue;
		may_fail = true;
		if (s->kind == STEP_ZIP) {
			s->list = few(l, s->given,
				s->arg->kind == YQ_VAR ? VT_FEW_AGAIN : VT_FEW_LIST, good);
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

static int32_t
lower_chain(lw *l, chain *c)
{
	int32_t d = lw_temp(l), loops = lw_label(l), calls = lw_label(l), end = lw_label(l), source,
		list;
	loop to = {.result = d, .out = lw_label(l), .left = -1, .pairs = c->few == VT_FEW_PAIRS};
	bool may_fail;

	if (c->left)
		to.left = lw_expr(l, c->left);
	source = lw_expr(l, c->source);
	may_fail = prepare(l, c, calls);
	list = few(l, source, (enum vt_few_of)c->few, loops);
	if (may_fail)
		lw_place(l, calls);
	lw_copy_into(l, d, call_all(l, c, source, to.left));
	lw_jump(l, end);
	lw_place(l, loops);
	run(l, c, &to, list);
	lw_place(l, to.out);
	lw_place(l, end);
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
	yq_node *kids[2] = {known(l, e->kid[0], LEFT), known(l, e->kid[1], SOURCE)}, sum = *e;
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
		(void)few(l, list, VT_FEW_AGAIN, loops);
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

	if (!lw_find_open_chain(l, e, &c))
		return -1;
	for (uint32_t i = 0; i < c.n; i++)
		if ((c.step[i].lambda && !lw_only_looks(l, c.step[i].lambda)) ||
			(c.step[i].value && !lw_only_looks(l, c.step[i].value)))
			return -1;
	return lower_chain(l, &c);
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
