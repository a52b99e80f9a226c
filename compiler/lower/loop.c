/*
 * loop.c - loops over few items: items, steps, and one loop after another.
 */
#include "compiler/lower/loop.h"

/* ---- what loops are made of ---- */

int32_t
lw_own_variable(lw *l)
{
	char *name = vc_format(l->c, " loop %u", l->f->nvars);

	vc_push(l->c, l->f->vars, l->f->nvars) = name;
	return (int32_t)l->f->nvars - 1;
}

int32_t
lw_read(lw *l, int32_t var)
{
	int32_t d = lw_temp(l);
	ir_ins *in = lw_emit(l, IR_VAR);

	in->d = d;
	in->var = var;
	return d;
}

int32_t
lw_constant(lw *l, enum ir_const_kind kind, int64_t i)
{
	return lw_const(l, (ir_const){.kind = (uint8_t)kind, .i = i});
}

void
lw_set_constant(lw *l, int32_t var, enum ir_const_kind kind, int64_t i)
{
	lw_set_variable(l, var, lw_constant(l, kind, i));
}

/* var + t, by the operator where the function would use it. */
void
lw_loop_add(lw *l, const chain *c, int32_t var, int32_t t)
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

/* One operand, or two where the second is none below 0. */
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
ir_ins *
lw_do_with(lw *l, enum ir_op op, int32_t a, int32_t b, int32_t third)
{
	ir_ins *in = lw_emit(l, op);

	in->a[0] = a;
	in->a[1] = b;
	in->a[2] = third;
	in->na = third < 0 ? 2 : 3;
	return in;
}

static int32_t
next_of(lw *l, enum ir_op op, int32_t list, int32_t end)
{
	int32_t d = lw_temp(l);
	ir_ins *in = lw_emit(l, op);

	in->d = d;
	in->a[0] = list;
	in->na = 1;
	in->label = end;
	return d;
}

/* The list that `few` gives, where it jumps to the label. */
int32_t
lw_few(lw *l, int32_t from, enum vt_few_of what, int32_t label)
{
	int32_t d = op_of(l, IR_FEW, from, -1, what);

	l->f->ins[l->f->n - 1].label = label;
	return d;
}

int32_t
lw_room(lw *l, int32_t list, enum ir_room what, uint32_t times)
{
	int32_t d = op_of(l, IR_ROOM, list, -1, what);

	l->f->ins[l->f->n - 1].i[1] = times;
	return d;
}

/* ---- items ---- */

int32_t
lw_whole(lw *l, item *x)
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
		let.temp = lw_whole(l, x);
	let.part = is_pair(x) ? x->part : NULL;
	l->lets = &let;
	l->inlined = true;
	d = closed ? lw_closed_expr(l, e) : lw_expr(l, e);
	l->inlined = inlined;
	l->lets = let.up;
	return d;
}

int32_t
lw_lambda(lw *l, const yq_node *e, item *x)
{
	return lambda_value(l, e, x, false);
}

int32_t
lw_folded(lw *l, const yq_node *e, int32_t so_far, int32_t x)
{
	lw_let first = {.up = l->lets, .n = 1, .temp = lw_read(l, so_far), .var = -1},
	       second = {.up = &first, .n = 2, .temp = x, .var = -1};
	bool inlined = l->inlined;
	int32_t d;

	l->lets = &second;
	l->inlined = true;
	d = lw_expr(l, e);
	l->inlined = inlined;
	l->lets = first.up;
	return d;
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

static void
open_scan(lw *l, chain_step *s)
{
	s->var = lw_own_variable(l);
	if (s->given >= 0) {
		lw_set_variable(l, s->var, lw_op1(l, IR_COPY, s->given));
		return;
	}
	s->some = lw_own_variable(l);
	lw_set_constant(l, s->some, IK_FALSE, 0);
}

/* What the steps keep, as a loop begins. */
static void
open_steps(lw *l, const loop *to, chain_step *steps, int32_t list)
{
	for (uint32_t i = to->from; i < to->to; i++) {
		chain_step *s = &steps[i];
		if (s->kind == STEP_DISTINCT)
			s->list = lw_room(l, list, IR_ROOM_LIST, 1);
		if (s->kind == STEP_SCAN)
			open_scan(l, s);
		if (s->kind != STEP_ENUMERATE && s->kind != STEP_SKIP_WHILE &&
			s->kind != STEP_LIMIT && s->kind != STEP_SKIP)
			continue;
		s->var = lw_own_variable(l);
		if (s->given >= 0)
			lw_set_variable(l, s->var, s->given);
		else
			lw_set_constant(
				l, s->var, s->kind == STEP_SKIP_WHILE ? IK_FALSE : IK_INT, 0);
	}
}

/* Nobody asks for another item once a limit is reached, of the steps from that one on. */
static void
close_steps(lw *l, const loop *to, const chain_step *steps, uint32_t from, int32_t end)
{
	for (uint32_t i = from; i < to->to; i++)
		if (steps[i].kind == STEP_LIMIT)
			lw_jump_if(l, IR_JFALSE, lw_read(l, steps[i].var), end);
}

static void
skip_while(lw *l, const loop *to, const chain_step *s, item *x)
{
	int32_t pass = lw_label(l);

	if (is_pair(x) && lw_uses_whole(l, s->lambda)) /* on both ways */
		(void)lw_whole(l, x);
	lw_jump_if(l, IR_JTRUE, lw_read(l, s->var), pass);
	lw_jump_if(l, IR_JTRUE, lw_lambda(l, s->lambda, x), to->skip);
	lw_set_constant(l, s->var, IK_TRUE, 0);
	lw_place(l, pass);
}

static void
skip_some(lw *l, const chain *c, const loop *to, const chain_step *s)
{
	int32_t pass = lw_label(l);

	lw_jump_if(l, IR_JFALSE, lw_read(l, s->var), pass);
	lw_loop_add(l, c, s->var, lw_constant(l, IK_INT, -1));
	lw_jump(l, to->skip);
	lw_place(l, pass);
}

/* An inner loop over what the lambda makes of the item, or over the item down to its last lists.
 * The steps that follow are in it. */
static void
many(lw *l, loop *to, const chain_step *s, uint32_t at, item *x)
{
	int32_t of = s->lambda ? lw_lambda(l, s->lambda, x) : lw_whole(l, x),
		items = op_of(l, IR_MANY, of, -1, s->kind == STEP_FLAT), again = lw_label(l);

	lw_place(l, again);
	to->inner[to->ninner++] = (inner){l->next, again, to->skip, at};
	*x = single(next_of(l, IR_MORE, items, to->skip));
	to->skip = lw_label(l);
}

/* The next value: of the one so far and the item, or the first item. */
static void
scan(lw *l, const loop *to, const chain_step *s, item *x)
{
	int32_t more = lw_label(l), end = lw_label(l), t = lw_whole(l, x);

	if (s->given < 0) {
		lw_jump_if(l, IR_JTRUE, lw_read(l, s->some), more);
		lw_set_variable(l, s->var, lw_op1(l, IR_COPY, t));
		lw_set_constant(l, s->some, IK_TRUE, 0);
		lw_jump(l, end);
		lw_place(l, more);
	}
	lw_set_variable(l, s->var, lw_folded(l, s->lambda, s->var, t));
	lw_place(l, s->given < 0 ? end : to->first);
	*x = single(lw_read(l, s->var));
}

static void
step(lw *l, const chain *c, loop *to, uint32_t at, item *x)
{
	const chain_step *s = &c->step[at];
	bool closed;
	int32_t n;

	switch ((enum step_kind)s->kind) {
	case STEP_WHERE: lw_jump_if(l, IR_JFALSE, lw_lambda(l, s->lambda, x), to->skip); break;
	case STEP_SELECT:
		closed = to->sink == TO_LIST && at + 1 == c->n;
		*x = selected(l, s->lambda, x, closed);
		break;
	case STEP_TAKE_WHILE: lw_jump_if(l, IR_JFALSE, lw_lambda(l, s->lambda, x), to->stop); break;
	case STEP_SKIP_WHILE: skip_while(l, to, s, x); break;
	case STEP_LIMIT: lw_loop_add(l, c, s->var, lw_constant(l, IK_INT, -1)); break;
	case STEP_SKIP: skip_some(l, c, to, s); break;
	case STEP_DISTINCT:
		n = s->lambda ? lw_lambda(l, s->lambda, x) : lw_whole(l, x);
		lw_do_with(l, IR_JSEEN, s->list, n, -1)->label = to->skip;
		break;
	case STEP_ENUMERATE:
		n = lw_read(l, s->var);
		lw_loop_add(l, c, s->var, lw_constant(l, IK_INT, 1));
		*x = pair(n, lw_whole(l, x), true);
		break;
	case STEP_ZIP:
		n = lw_whole(l, x);
		*x = pair(n, next_of(l, IR_EACH, s->list, to->stop), false);
		break;
	case STEP_MANY:
	case STEP_FLAT: many(l, to, s, at, x); break;
	case STEP_SCAN: scan(l, to, s, x); break;
	case STEP_LIST:
	case STEP_BACK:
	case STEP_ORDER:
	case STEP_ORDER_DOWN:
	case STEP_THEN:
	case STEP_THEN_DOWN:
	case STEP_GROUP: break;
	}
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

/* May there be more items than the source has, and a first one that it has not? */
static void
find_more(lw *l, const chain *c, loop *to)
{
	to->more = false;
	to->first = -1;
	for (uint32_t i = to->from; i < to->to; i++) {
		const chain_step *s = &c->step[i];
		if (s->kind == STEP_SCAN && s->given >= 0)
			to->first = lw_label(l);
		to->more |= s->kind == STEP_MANY || s->kind == STEP_FLAT || to->first >= 0;
	}
}

/* accumulate() raises an error where there was no item. */
static void
close_scans(lw *l, const chain *c, const loop *to)
{
	for (uint32_t i = to->from; i < to->to; i++) {
		const chain_step *s = &c->step[i];
		if (s->kind == STEP_SCAN && s->given < 0)
			lw_jump_if(l, IR_JFALSE, lw_read(l, s->some), l->again);
		if (s->kind == STEP_SCAN)
			lw_set_constant(l, s->var, IK_NULL, 0);
	}
}

/* A key, and what the aggregator of groupBy() makes of its items. */
static item
next_pair(lw *l, const chain *c, const loop *to, int32_t list, int32_t key)
{
	const chain_step *group = to->from > 0 ? &c->step[to->from - 1] : NULL;
	item second = single(next_of(l, IR_EACH, list, to->done));

	if (group && group->total)
		second = single(lw_lambda(l, group->total, &second));
	return pair(key, second.whole, false);
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
	find_more(l, c, to);
	lw_open_sink(l, to, list);
	open_steps(l, to, c->step, list);
	if (to->first >= 0)
		lw_jump(l, to->first);
	lw_place(l, again);
	to->floor = l->next;
	x = single(next_of(l, IR_EACH, list, to->done));
	if (to->pairs)
		x = next_pair(l, c, to, list, x.whole);
	for (uint32_t i = to->from; i < to->to; i++)
		step(l, c, to, i, &x);
	lw_take(l, c, to, &x);
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
	close_scans(l, c, to);
}

/* The order by the keys of all items.  Nothing is compared, and so no key asked for, where there is
 * one item. */
static int32_t
sorted(lw *l, chain *c, loop *to, int32_t list)
{
	int32_t keyed = op_of(l, IR_TURN, list, -1, VT_TURN_KEYED);
	int64_t down = 0;

	for (uint32_t i = 0; i < to->nkeys; i++) {
		uint8_t kind = c->step[to->to + i].kind;
		down |= (int64_t)(kind == STEP_ORDER_DOWN || kind == STEP_THEN_DOWN) << i;
	}
	to->sink = TO_KEYS;
	to->from = to->to;
	to->pairs = false;
	walk(l, c, to, keyed);
	return op_of(l, IR_SORT, list, to->list, down);
}

/* The same by the calls. */
static int32_t
sorted_by_calls(lw *l, const chain *c, const loop *to, int32_t list)
{
	bool outline = l->outline;

	l->outline = true;
	for (uint32_t i = 0; i < to->nkeys; i++) {
		const yq_node *call = c->step[to->to + i].call;
		list = lw_call(l, call->text, list, call->kid, call->n, call);
	}
	list = lw_call(l, "toList", list, NULL, 0, c->step[to->to].call);
	l->outline = outline;
	return list;
}

/* What orderBy() makes of the list, and thenBy() behind it, the last of which the loop is at then.
 * The calls ask for keys as they compare, so where a key fails they say which one does. */
static int32_t
ordered(lw *l, chain *c, loop *to, int32_t list)
{
	int32_t failed, end, outer = l->handler, d, floor;

	for (to->nkeys = 1;
		to->to + to->nkeys < c->n && lw_is_then(c->step[to->to + to->nkeys].kind);
		to->nkeys++)
		;
	if (c->again) {
		d = sorted(l, c, to, list);
	} else {
		d = lw_temp(l);
		failed = lw_label(l);
		end = lw_label(l);
		floor = l->next;
		lw_set_handler(l, failed);
		lw_copy_into(l, d, sorted(l, c, to, list));
		lw_set_handler(l, outer);
		lw_jump(l, end);
		lw_place(l, failed);
		lw_free_temps(l, floor, -1);
		lw_emit(l, IR_FORGET);
		lw_copy_into(l, d, sorted_by_calls(l, c, to, list));
		lw_place(l, end);
		d = op_of(l, IR_TURN, d, -1, VT_TURN_SAME);
	}
	to->to += to->nkeys - 1;
	return d;
}

/* Are they the value of the expression? */
static bool
gives_groups(const chain *c, const loop *to)
{
	return c->sink == TO_LIST && to->to + 1 == c->n && c->step[to->to].total == NULL;
}

/* What the step behind the loop makes of all its items. */
static int32_t
turned(lw *l, chain *c, loop *to, int32_t list)
{
	const chain_step *s = &c->step[to->to];

	switch ((enum step_kind)s->kind) {
	case STEP_BACK: return op_of(l, IR_TURN, list, -1, VT_TURN_BACK);
	case STEP_GROUP:
		return op_of(
			l, IR_TURN, list, -1, gives_groups(c, to) ? VT_TURN_GROUPS : VT_TURN_PAIRS);
	case STEP_ORDER:
	case STEP_ORDER_DOWN: return ordered(l, c, to, list);
	default: return op_of(l, IR_TURN, list, -1, VT_TURN_SAME);
	}
}

/* Is that where the library's function asks for all items?  An order waits until it is asked. */
static bool
is_eager(const chain_step *s)
{
	return s->kind == STEP_LIST || s->kind == STEP_BACK || s->kind == STEP_GROUP;
}

/* What a step made of all items is that list already. */
static bool
makes_list(uint8_t sink)
{
	return sink == TO_LIST || sink == TO_PLAIN || sink == TO_ITEMS;
}

/* Loop after loop. */
void
lw_run_loops(lw *l, chain *c, loop *to, int32_t list)
{
	uint32_t last = c->n;

	while (last > 0 && !is_eager(&c->step[last - 1]))
		last--;
	to->given = last == 0 ? lw_sink_given(l, c) : -1;
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
		to->pairs = group && !gives_groups(c, to);
		list = turned(l, c, to, list);
		if (to->to + 1 == last)
			to->given = lw_sink_given(l, c);
	}
	to->sink = c->sink;
	if (to->from == to->to && c->n > 0 && !to->pairs && makes_list(to->sink))
		to->list = list;
	else
		walk(l, c, to, list);
	lw_close_sink(l, c, to);
}
