/*
 * lambda_call.c - calls as steps of lambda programs: those that have a loop of their own, choices,
 * pipelines over lists of the items, and any other function of the library that changes nothing.
 */
#include "compiler/emit/lambda.h"
#include "runtime/call/call.h"

#include <string.h>

/* ---- guards: what is worked out only for some of the items ---- */

typedef struct guard {
	uint8_t guard, flags;
} guard;

static guard
begin_guard(lp_program *t, int reg, uint8_t flags)
{
	guard was = {t->guard, t->flags};

	if (reg >= 0) {
		t->guard = (uint8_t)reg;
		t->flags = (uint8_t)(VT_STEP_SOFT | flags);
	}
	return was;
}

static void
end_guard(lp_program *t, guard was)
{
	t->guard = was.guard;
	t->flags = was.flags;
}

/* ---- any function ---- */

bool
lp_only_computes(const char *name)
{
	static const char *const others[] = {"random", "now", "call", "assert"};
	uint32_t n;
	const vt_fnrow *rows = vt_fn_find(name, &n);

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcmp(name, others[i]) == 0)
			return false;
	for (uint32_t i = 0; rows != NULL && i < n; i++)
		if (rows[i].flags & VT_FN_CONTEXT)
			return false;
	return rows != NULL;
}

/* enum vt_step_call */
static uint8_t
known_call(const ir_ins *in)
{
	return is_call_of(in, "keys", 0)          ? VT_CALL_KEYS
	       : is_call_of(in, "values", 0)      ? VT_CALL_VALUES
	       : is_call_of(in, "items", 0)       ? VT_CALL_ITEMS
	       : is_call_of(in, "contains", 1)    ? VT_CALL_HAS
	       : is_call_of(in, "indexOf", 1)     ? VT_CALL_PLACE
	       : is_call_of(in, "containsKey", 1) ? VT_CALL_KEY
	       : is_call_of(in, "#indexer", 2)    ? VT_CALL_AT
						  : VT_STEP_K;
}

/* The same of functions of one value. */
static uint8_t
kind_asked(const ir_ins *in)
{
	static const char *const names[] = {
		"isString", "isList", "isDict", "isInteger", "isNumber", "isBoolean"};

	for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
		if (is_call_of(in, names[i], 1) && !in->site->args[0].keyword &&
			!in->site->args[0].key)
			return (uint8_t)(VT_CALL_STRING + i);
	return VT_STEP_K;
}

/* max() and min() of two values. */
static uint8_t
extreme(const ir_ins *in)
{
	for (uint32_t i = 0; i < 2 && in->nlist == 2; i++) {
		const ir_arg *a = &in->site->args[i];
		if (a->keyword || a->key || a->code || a->kind == VT_A_NOVALUE)
			return VT_STEP_K;
	}
	return is_call_of(in, "max", 2)   ? VT_CALL_MAX
	       : is_call_of(in, "min", 2) ? VT_CALL_MIN
					  : VT_STEP_K;
}

static bool
is_call_without(const lp_step *s, const char *name)
{
	return s->op == VT_STEP_CALL && s->a != VT_STEP_K && is_call_of(s->ins, name, 0);
}

/* The text in whose toCharArray().reverse().join("") the register is joined; -1: it is none. */
static int
turned(const lp_program *t, const ir_ins *in, uint8_t reg)
{
	const ir_arg *a = in->site->args;
	const lp_step *s = &t->t[reg];

	if (!is_call_of(in, "join", 1) || a->kind != VT_A_STRING || a->keyword || a->key ||
		a->k.n > 0 || !is_call_without(s, "reverse") ||
		!is_call_without(&t->t[s->a], "toCharArray"))
		return -1;
	return t->t[s->a].a;
}

bool
lp_attribute(lp_program *t, const ir_ins *in)
{
	if (!lp_unary(t, in, in->a[0], VT_STEP_ATTR, NULL))
		return false;
	t->cells[in->d].attr = true;
	return true;
}

/* Is it `x.name`, where x may be a list as well as a dict?  Nobody else has what it gives. */
static bool
may_be_of_each(const lp_program *t, const lp_cell *c)
{
	const lp_step *s = &t->t[c->reg];
	const lp_step *x = c->attr && s->op == VT_STEP_ATTR ? &t->t[s->a] : NULL;

	return t->e->is_query && !t->folds && x != NULL && s->guard == t->guard &&
	       (x->op == VT_STEP_ATTR || x->op == VT_STEP_INDEX || x->op == VT_STEP_GET ||
		       x->op == VT_STEP_GROUP);
}

/* Of a function that walks what stands there: a list for `x.name` of each item. */
static int
walked(lp_program *t, int32_t temp)
{
	const lp_cell *c = &t->cells[temp];

	if (c->is != LP_PIPE && !may_be_of_each(t, c))
		return lp_reg(t, temp);
	return c->is == LP_PIPE ? lp_collect(t, c)
				: lp_droppable(t, lp_reduced(t, c, VT_NEST_LIST, NULL, VT_STEP_K));
}

/* The register of an argument; VT_STEP_K: a constant or lambda of the site; -1: there is none. */
static int
call_argument(lp_program *t, const ir_ins *in, uint32_t i)
{
	const lp_cell *c = in->list[i] >= 0 ? &t->cells[in->list[i]] : NULL;

	if (c == NULL)
		return VT_STEP_K;
	if (c->is == LP_PIPE && is_call_of(in, "set", 2) && i == 1)
		return lp_part_of(t, in, in->list[i], false);
	return lp_walks_argument(t, in, i) ? walked(t, in->list[i]) : lp_reg(t, in->list[i]);
}

static bool
call(lp_program *t, const ir_ins *in, int32_t receiver, uint8_t op)
{
	lp_step s = {.op = op, .a = VT_STEP_K, .b = VT_STEP_K, .c = VT_STEP_K, .ins = in};
	int r;

	if (!lp_only_computes(in->site->name) || in->nlist > LP_ARGS)
		return false;
	s.n = (uint8_t)in->nlist;
	s.args = vc_alloc(t->e->c, in->nlist + 1);
	for (uint32_t i = 0; i < in->nlist; i++) {
		const ir_arg *a = &in->site->args[i];
		if (a->code != NULL || (a->key != NULL && a->key->code != NULL) ||
			a->kind == VT_A_NOVALUE)
			if (in->list[i] < 0 && !lp_stands_alone(t, in, a))
				return false;
		if ((r = call_argument(t, in, i)) < 0)
			return false;
		if (r == VT_STEP_K && i == 1 && is_call_of(in, "set", 2) && a->code == NULL)
			r = lp_const(t, &a->k); /* lp_settle() may want it */
		if (r < 0)
			return false;
		s.args[i] = (uint8_t)r;
	}
	if (receiver >= 0) {
		r = lp_walks(t, in) ? walked(t, receiver) : lp_reg(t, receiver);
		if (r < 0)
			return false;
		s.a = (uint8_t)r;
	}
	if (op == VT_STEP_CALL && (receiver >= 0 || (is_call_of(in, "#indexer", 2) && s.n == 2)))
		s.c = known_call(in);
	else if (op == VT_STEP_CALL && s.n == 1 && s.args[0] != VT_STEP_K)
		s.c = kind_asked(in);
	else if (op == VT_STEP_CALL && s.n == 2)
		s.c = extreme(in);
	if (receiver >= 0 && (r = turned(t, in, s.a)) >= 0) {
		t->t[s.a].may_drop = t->t[t->t[s.a].a].may_drop = true;
		s.a = (uint8_t)r;
		s.c = VT_CALL_TURNED;
	}
	t->calls = t->mixed = true;
	return lp_define(t, in->d, s);
}

/* ---- pipelines over lists of the items ---- */

bool
lp_add_stage(lp_program *t, lp_nest *nest, const ir_func *f, uint8_t filter, enum lp_many many)
{
	lp_program *p = nest->n < LP_STAGES ? lp_nested(t, f, many) : NULL;

	if (p == NULL || p->nargs > 1)
		return false;
	nest->program[nest->n] = p;
	nest->filter[nest->n++] = filter;
	return true;
}

/* Is it a list alone, without stages yet? */
static bool
has_no_stages(const lp_cell *c)
{
	return c->is == LP_PIPE && !c->order && c->ins == NULL;
}

bool
lp_pipe(lp_program *t, const ir_ins *in)
{
	lp_cell c = t->cells[in->a[0]];
	int r;

	if (!has_no_stages(&c)) {
		if ((r = lp_reg(t, in->a[0])) < 0)
			return false;
		c = (lp_cell){.is = LP_PIPE,
			.reg = (uint8_t)r,
			.most = LP_ALL,
			.attr = c.is == LP_REGISTER && c.attr};
	}
	if (in->nstages + c.values > LP_STAGES)
		return false;
	c.ins = in;
	c.cut = NULL;
	c.bound = NULL;
	c.ordering = c.set = false;
	t->cells[in->d] = c;
	return true;
}

/* skip() or limit() of a list: which of its items a pipeline begins with. */
static bool
cut_list(lp_program *t, const ir_ins *in)
{
	lp_cell c = t->cells[in->a[0]];
	int64_t n = small_int(in, 0);
	int r;

	if (in->d < 0 || n < 0 || (!is_limit(in) && !is_call_of(in, "skip", 1)))
		return false;
	if (!has_no_stages(&c) || c.values) {
		bool alone = c.is == LP_REGISTER && lp_is_alone(t, in->a[0]);
		r = c.is == LP_PIPE ? lp_collect(t, &c) : lp_reg(t, in->a[0]);
		if (r < 0)
			return false;
		c = (lp_cell){.is = LP_PIPE,
			.reg = (uint8_t)r,
			.most = LP_ALL,
			.alone = alone,
			.attr = c.is == LP_REGISTER && c.attr};
	}
	c.ordering = c.set = false;
	if (is_limit(in)) {
		c.most = (uint32_t)n < c.most ? (uint32_t)n : c.most;
	} else {
		c.skip += (uint32_t)n;
		c.most -= c.most == LP_ALL ? 0 : (uint32_t)n < c.most ? (uint32_t)n : c.most;
	}
	c.cut = in;
	c.bound = NULL;
	t->cells[in->d] = c;
	return true;
}

int
lp_cut(lp_program *t, const ir_ins *in)
{
	int32_t receiver = in->op == IR_CALLM ? in->a[0] : -1;

	return call(t, in, receiver, VT_STEP_CALL) ? t->cells[in->d].reg : -1;
}

/* Keeps what is not null. */
static lp_program *
values_only(lp_program *t)
{
	static const ir_const null = {.kind = IK_NULL};
	lp_program *p = vc_alloc(t->e->c, sizeof *p);

	memset(p, 0, sizeof *p);
	p->e = t->e;
	p->up = t;
	p->nargs = 1;
	p->guard = VT_STEP_K;
	p->out[0] =
		(uint8_t)lp_push(p, (lp_step){.op = VT_STEP_NE,
					    .a = (uint8_t)lp_push(p, (lp_step){.op = VT_STEP_ITEM}),
					    .b = VT_STEP_K,
					    .k = &null});
	p->nout = 1;
	return p;
}

/* `last` is one more stage, or NULL. */
int
lp_reduced(lp_program *t, const lp_cell *c, uint8_t how, const ir_func *last, uint8_t start)
{
	lp_nest *nest = vc_alloc(t->e->c, sizeof *nest);
	lp_step s = {.op = VT_STEP_NEST, .a = c->reg, .b = VT_STEP_K, .c = start, .nest = nest};
	enum lp_many flat = how == VT_NEST_FLAT ? t->flat : LP_MANY_NONE;
	bool ok = true;

	if (c->is == LP_PIPE && c->most != LP_ALL && c->alone)
		s.a = lp_split_less(t, c->reg, (uint64_t)c->skip + c->most);
	if (may_be_of_each(t, c)) {
		t->t[s.a].may_drop = true;
		s.ins = t->t[s.a].ins;
		s.a = t->t[s.a].a;
	}
	memset(nest, 0, sizeof *nest);
	nest->reduce = how;
	nest->skip = c->skip;
	nest->most = c->is == LP_PIPE ? c->most : LP_ALL;
	if (c->values) {
		nest->program[0] = values_only(t);
		nest->filter[nest->n++] = VT_NEST_WHERE;
	}
	t->opens = true;
	for (uint32_t i = 0; ok && c->is == LP_PIPE && c->ins != NULL && i < c->ins->nstages; i++)
		ok = lp_add_stage(
			t, nest, c->ins->fs[i], c->ins->stages[i] == IR_STAGE_WHERE, LP_MANY_NONE);
	ok = ok && (last == NULL || lp_add_stage(t, nest, last, how == VT_NEST_ANY, flat));
	t->opens = false;
	if (!ok)
		return -1;
	t->calls = t->mixed = true;
	return lp_push(t, s);
}

static bool
reduce(lp_program *t, const ir_ins *in, const lp_cell *c, uint8_t how, const ir_func *last,
	uint8_t start)
{
	int r = lp_reduced(t, c, how, last, start);

	if (r < 0 || in->d < 0)
		return false;
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r};
	return true;
}

/* A list that nobody else has, as it is. */
static bool
is_whole(const lp_cell *c)
{
	return c->fresh && has_no_stages(c) && c->skip == 0 && c->most == LP_ALL;
}

int
lp_droppable(lp_program *t, int r)
{
	if (r >= 0)
		t->t[r].may_drop = true;
	return r;
}

int
lp_collect(lp_program *t, const lp_cell *c)
{
	if (is_whole(c))
		return c->reg;
	return c->order ? -1 : lp_droppable(t, lp_reduced(t, c, VT_NEST_LIST, NULL, VT_STEP_K));
}

int
lp_stand_in(lp_program *t, const lp_cell *c)
{
	int r = lp_collect(t, c);

	t->made_many = true;
	if (r >= 0)
		t->t[r].walked = c->ordering ? LP_ORDERING : LP_ITERATOR;
	return r;
}

int
lp_iterate(lp_program *t, const lp_cell *c)
{
	const ir_ins *in = c->ins;
	int r = -1;

	if (in != NULL && in->nstages > 0 && !c->order && t->up == NULL && t->e->is_query &&
		!t->whole)
		r = lp_reduced(t, c, VT_NEST_LIST, NULL, VT_STEP_K);
	if (r >= 0) {
		t->iterates = true;
		t->t[r].nest->iterator = in->stages[in->nstages - 1] == IR_STAGE_WHERE
						 ? VT_NEST_FILTERED
						 : VT_NEST_MAPPED;
	}
	return r;
}

static bool
is_order(const ir_ins *in)
{
	return is_call_of(in, "orderBy", 1) || is_call_of(in, "orderByDescending", 1);
}

bool
lp_fresh_list(lp_program *t, const ir_ins *in, int r)
{
	t->t[r].may_drop = true;
	t->cells[in->d] = (lp_cell){.is = LP_PIPE,
		.reg = (uint8_t)r,
		.cut = in,
		.fresh = true,
		.ordering = is_order(in),
		.most = LP_ALL};
	return true;
}

/* selectMany() */
static bool
flatten(lp_program *t, const ir_ins *in)
{
	const lp_cell *c = &t->cells[in->a[0]];
	const ir_arg *a = in->site->args;
	int r;

	if (!t->e->is_query || !is_call_of(in, "selectMany", 1) || in->d < 0 || a->code == NULL ||
		a->keyword || a->key || (c->is != LP_REGISTER && (c->is != LP_PIPE || c->order)))
		return false;
	/* What lies in the lists is given on as it is. */
	t->flat = t->many == LP_MANY_PARTS && lp_is_tail(t, in) ? LP_MANY_PARTS : LP_MANY_RESULT;
	if ((r = lp_reduced(t, c, VT_NEST_FLAT, a->code, VT_STEP_K)) < 0)
		return false;
	return lp_fresh_list(t, in, r);
}

/* Does the stage give the item as it is? */
static bool
gives_item(const lp_program *t)
{
	return t->n == 1 && t->t[0].op == VT_STEP_ITEM && t->kind == VT_PROGRAM_VALUE;
}

static lp_order *
order_of(lp_program *t, const lp_cell *source, const ir_arg *key, bool falls)
{
	lp_order *by = vc_alloc(t->e->c, sizeof *by);

	memset(by, 0, sizeof *by);
	by->source = *source;
	by->key[by->n++] = key;
	by->falls = falls;
	return by;
}

/* distinct(), toSet(), reverse(), orderBy() and orderByDescending(): the same. */
static bool
arranged(lp_program *t, const ir_ins *in)
{
	lp_cell c = t->cells[in->a[0]];
	const ir_arg *a = in->site->args;
	bool order = is_order(in), falls = strcmp(in->site->name, "orderByDescending") == 0;
	bool set = is_call_of(in, "toSet", 0);
	uint8_t how = set || is_call_of(in, "distinct", 0) ? VT_NEST_DISTINCT
		      : is_call_of(in, "reverse", 0)       ? VT_NEST_TURNED
							   : VT_NEST_LIST;
	int r;

	if (!t->e->is_query || in->d < 0 || (!order && how == VT_NEST_LIST) ||
		(c.is != LP_REGISTER && (c.is != LP_PIPE || c.order)))
		return false;
	if (how == VT_NEST_TURNED && is_call_without(&t->t[c.reg], "toCharArray"))
		return false; /* it is a text that is turned, perhaps */
	if (order) {
		lp_program *key;
		if (a->code == NULL || a->keyword || a->key ||
			(key = lp_nested(t, a->code, LP_MANY_NONE)) == NULL)
			return false;
		how = gives_item(key) ? falls ? VT_NEST_FALLING : VT_NEST_RISING
		      : falls         ? VT_NEST_FALLING_BY
				      : VT_NEST_RISING_BY;
	}
	r = lp_reduced(t, &c, how, how >= VT_NEST_RISING_BY ? a->code : NULL, VT_STEP_K);
	if (r < 0 || !lp_fresh_list(t, in, r))
		return false;
	t->cells[in->d].set = set;
	if (order)
		t->cells[in->d].by = order_of(t, &c, a, falls);
	return true;
}

/* The register of the only argument of a reduction, a value to begin with; VT_STEP_K: none. */
static int
start_of(lp_program *t, const ir_ins *in)
{
	const ir_arg *a = in->site->nargs == 1 ? &in->site->args[0] : NULL;

	if (a == NULL)
		return VT_STEP_K;
	if (a->keyword || a->key || a->code || a->kind == VT_A_NOVALUE)
		return -1;
	return in->list[0] >= 0 ? lp_reg(t, in->list[0]) : lp_const(t, &a->k);
}

/* orderBy().first() */
static bool
first_in_order(lp_program *t, const ir_ins *in, const lp_cell *c)
{
	const ir_ins *order = c->ins;
	lp_cell source = t->cells[order->a[0]];

	if (!is_call_of(in, "first", 0))
		return false;
	return reduce(t, in, &source,
		is_call_of(order, "orderBy", 1) ? VT_NEST_LEAST : VT_NEST_GREATEST,
		order->site->args[0].code, VT_STEP_K);
}

static bool
begin_order(lp_program *t, const ir_ins *in)
{
	const lp_cell *c = &t->cells[in->a[0]];
	const ir_ins *next = in + 1;

	if (next->op != IR_CALLM || next->a[0] != in->d || !is_call_of(next, "first", 0))
		return false;
	if (in->site->args[0].code == NULL || in->site->args[0].keyword ||
		(c->is != LP_REGISTER && (c->is != LP_PIPE || c->order)))
		return false;
	t->cells[in->d] = (lp_cell){.is = LP_PIPE, .order = 1, .ins = in};
	return true;
}

static bool
reduction(lp_program *t, const ir_ins *in)
{
	static const struct {
		const char *name;
		uint8_t how, most;
	} rows[] = {{"len", VT_NEST_COUNT, 0}, {"count", VT_NEST_COUNT, 0}, {"sum", VT_NEST_SUM, 1},
		{"min", VT_NEST_MIN, 1}, {"max", VT_NEST_MAX, 1}, {"any", VT_NEST_ANY, 0},
		{"all", VT_NEST_ALL, 0}, {"first", VT_NEST_FIRST, 1}, {"last", VT_NEST_LAST, 1},
		{"toList", VT_NEST_LIST, 0}};
	lp_cell c = t->cells[in->a[0]];
	const ir_arg *a = in->site->nargs == 1 ? &in->site->args[0] : NULL;
	int start;

	if (c.is == LP_PIPE && c.order)
		return first_in_order(t, in, &c);
	if (c.is == LP_REGISTER && (is_call_of(in, "len", 0) || is_call_of(in, "toList", 0)))
		return false;
	if (c.is == LP_PIPE && c.ordering && is_call_of(in, "len", 0))
		return false;
	if (is_call_of(in, "toList", 0) && is_whole(&c) && in->d >= 0 &&
		t->t[c.reg].op != VT_STEP_DEFINED) { /* which may give anything */
		t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = c.reg};
		return true;
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (strcmp(in->site->name, rows[i].name) != 0)
			continue;
		if (a != NULL && a->code != NULL && a->keyword == NULL &&
			(rows[i].how == VT_NEST_ANY || rows[i].how == VT_NEST_ALL))
			return reduce(t, in, &c, rows[i].how, a->code, VT_STEP_K);
		if (in->site->nargs > rows[i].most || (start = start_of(t, in)) < 0)
			return false;
		return reduce(t, in, &c, rows[i].how, NULL, (uint8_t)start);
	}
	return false;
}

/* ---- choices ---- */

int
lp_lazily(lp_program *t, const ir_arg *a)
{
	if (a->code != NULL)
		return lp_inline(t, a->code, t->env);
	return a->kind == VT_A_NOVALUE || a->kind == VT_A_EXPR || a->kind == VT_A_CALL
		       ? -1
		       : lp_const(t, &a->k);
}

int
lp_choose(lp_program *t, int cond, int yes, int no)
{
	if (cond < 0 || yes < 0 || no < 0)
		return -1;
	return lp_push(t, (lp_step){.op = VT_STEP_CHOOSE,
				  .a = (uint8_t)yes,
				  .b = (uint8_t)no,
				  .c = (uint8_t)cond});
}

static int
nothing(lp_program *t)
{
	static const ir_const null = {.kind = IK_NULL};

	return lp_const(t, &null);
}

/* What a case gives. */
static int
branch(lp_program *t, const ir_ins *in, const ir_arg *a)
{
	if (a->code == NULL)
		return lp_const(t, &a->k);
	t->next_tail = lp_is_tail(t, in);
	return lp_inline(t, a->code, t->env);
}

/* From the i-th pair on. */
static int
cases(lp_program *t, const ir_ins *in, uint32_t i)
{
	const ir_arg *a = i < in->site->nargs ? &in->site->args[i] : NULL;
	int cond, yes, no;
	guard was;

	if (a == NULL)
		return nothing(t);
	if (a->key == NULL || a->keyword != NULL)
		return -1;
	if (a->key->code == NULL && a->key->kind == VT_A_BOOL && a->key->k.kind == IK_TRUE)
		return branch(t, in, a);
	cond = lp_lazily(t, a->key);
	was = begin_guard(t, cond, 0);
	yes = cond < 0 ? -1 : branch(t, in, a);
	end_guard(t, was);
	was = begin_guard(t, cond, VT_STEP_UNLESS);
	no = yes < 0 ? -1 : cases(t, in, i + 1);
	end_guard(t, was);
	return lp_choose(t, cond, yes, no);
}

/* The first of the arguments from i on that is not null. */
static int
first_value(lp_program *t, const ir_ins *in, uint32_t i)
{
	static const ir_const null = {.kind = IK_NULL};
	int v = lp_lazily(t, &in->site->args[i]), given, rest;
	guard was;

	if (v < 0 || i + 1 == in->site->nargs || t->t[v].op == VT_STEP_STR)
		return v;
	given = lp_push(
		t, (lp_step){.op = VT_STEP_NE, .a = (uint8_t)v, .b = VT_STEP_K, .k = &null});
	was = begin_guard(t, given, VT_STEP_UNLESS);
	rest = given < 0 ? -1 : first_value(t, in, i + 1);
	end_guard(t, was);
	return lp_choose(t, given, v, rest);
}

bool
lp_plain_args(const ir_ins *in, bool mappings)
{
	for (uint32_t i = 0; i < in->site->nargs; i++)
		if (in->site->args[i].keyword || (in->site->args[i].key != NULL) != mappings)
			return false;
	return in->site->nargs > 0;
}

const ir_const *
lp_number(lp_program *t, int64_t i)
{
	ir_const *k = vc_alloc(t->e->c, sizeof *k);

	memset(k, 0, sizeof *k);
	k->kind = IK_INT;
	k->i = i;
	return k;
}

/* The position of the first of the conditions from i on that is true. */
static int
first_case(lp_program *t, const ir_ins *in, uint32_t i)
{
	int cond, rest;
	guard was;

	if (i == in->site->nargs)
		return lp_const(t, lp_number(t, i));
	cond = lp_lazily(t, &in->site->args[i]);
	was = begin_guard(t, cond, VT_STEP_UNLESS);
	rest = cond < 0 ? -1 : first_case(t, in, i + 1);
	end_guard(t, was);
	return lp_choose(t, cond, rest < 0 ? -1 : lp_const(t, lp_number(t, i)), rest);
}

/* The argument at the position that the register holds, from i on; the last one for all others. */
static int
case_at(lp_program *t, const ir_ins *in, uint8_t reg, uint32_t i)
{
	int here, yes, no;
	guard was;

	if (i + 1 == in->site->nargs)
		return lp_lazily(t, &in->site->args[i]);
	here = lp_push(
		t, (lp_step){.op = VT_STEP_EQ, .a = reg, .b = VT_STEP_K, .k = lp_number(t, i)});
	was = begin_guard(t, here, 0);
	yes = here < 0 ? -1 : lp_lazily(t, &in->site->args[i]);
	end_guard(t, was);
	was = begin_guard(t, here, VT_STEP_UNLESS);
	no = yes < 0 ? -1 : case_at(t, in, reg, i + 1);
	end_guard(t, was);
	return lp_choose(t, here, yes, no);
}

/* What switchCase() is asked of, which has to be an integer. */
static int
position_given(lp_program *t, const ir_ins *in)
{
	const lp_cell *c = &t->cells[in->a[0]];
	lp_step s = {.op = VT_STEP_CALL,
		.a = VT_STEP_K,
		.b = VT_STEP_K,
		.c = VT_CALL_INTEGER,
		.n = 1,
		.ins = lp_call_of(t, in, "isInteger", 1, false)};
	int r = c->position ? c->reg : lp_reg(t, in->a[0]);

	if (c->position || r < 0)
		return r;
	s.args = vc_alloc(t->e->c, 1);
	s.args[0] = (uint8_t)r;
	return lp_choose(t, lp_push(t, s), r, VT_STEP_K);
}

static bool
choice_at(lp_program *t, const ir_ins *in)
{
	int r;

	if (strcmp(in->site->name, "switchCase") != 0 || !lp_plain_args(in, false) ||
		(r = position_given(t, in)) < 0 || (r = case_at(t, in, (uint8_t)r, 0)) < 0)
		return false;
	t->calls = t->mixed = true;
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r};
	return true;
}

static bool
choice(lp_program *t, const ir_ins *in)
{
	bool position = strcmp(in->site->name, "selectCase") == 0;
	int r = -1;

	if (position && lp_plain_args(in, false))
		r = first_case(t, in, 0);
	else if (strcmp(in->site->name, "switch") == 0 && lp_plain_args(in, true))
		r = cases(t, in, 0);
	else if (strcmp(in->site->name, "coalesce") == 0 && lp_plain_args(in, false))
		r = first_value(t, in, 0);
	if (r < 0 || in->d < 0)
		return false;
	t->calls = t->mixed = true;
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r, .position = position};
	return true;
}

/* ---- calls ---- */

bool
lp_is_of_library(const lp_program *t, const char *name)
{
	uint32_t n, others = t->layers & ~(uint32_t)(VT_L_STD | VT_L_DELEGATES | VT_L_QUERY);
	const vt_fnrow *rows = vt_fn_find(name, &n);

	for (uint32_t i = 0; rows != NULL && i < n; i++)
		if (rows[i].layer & others)
			return false;
	return !em_is_extension(t->e, name);
}

/* Of a dict, or of each item: it is walked, and a list is added up as it is. */
static bool
gives_view(const lp_program *t, const lp_cell *c)
{
	return c->is == LP_REGISTER &&
	       (may_be_of_each(t, c) ||
		       (t->t[c->reg].op == VT_STEP_CALL && t->t[c->reg].c <= VT_CALL_ITEMS));
}

bool
lp_method(lp_program *t, const ir_ins *in)
{
	if (in->a[0] < 0 || in->d < 0 || !lp_is_of_library(t, in->site->name))
		return false;
	if (lp_unpacks(t, in) || choice_at(t, in) || lp_formats(t, in) || lp_searches(t, in) ||
		lp_finds_all(t, in) || lp_edit(t, in))
		return true;
	if (t->cells[in->a[0]].is == LP_PIECES && lp_is_of_pieces(in))
		return lp_piece(t, in, &t->cells[in->a[0]]);
	if (t->cells[in->a[0]].is != LP_PIPE) {
		if (lp_counts_pieces(t, in))
			return true;
		if (is_call_of(in, "len", 0))
			return lp_unary(t, in, in->a[0], VT_STEP_LEN, NULL);
		if (is_call_of(in, "sum", 0) && !gives_view(t, &t->cells[in->a[0]]))
			return lp_unary(t, in, in->a[0], VT_STEP_SUM, NULL);
		if (lp_text_method(t, in))
			return true;
		if (is_call_of(in, "get", 1) || is_call_of(in, "get", 2))
			return call(t, in, in->a[0], VT_STEP_GET);
	}
	if ((is_order(in) && begin_order(t, in)) || lp_makes_dict(t, in))
		return true;
	return lp_assertion(t, in) || reduction(t, in) || cut_list(t, in) || flatten(t, in) ||
	       arranged(t, in) || lp_cut_by(t, in) || lp_folds(t, in) || lp_parts(t, in) ||
	       lp_makes_list(t, in) || lp_or_default(t, in) || lp_then_by(t, in) ||
	       lp_groups(t, in) || call(t, in, in->a[0], VT_STEP_CALL);
}

/* Is there a function of that name in what the code sees of the library? */
static bool
is_visible(const lp_program *t, const char *name)
{
	uint32_t n;
	const vt_fnrow *rows = vt_fn_find(name, &n);

	for (uint32_t i = 0; rows != NULL && i < n; i++)
		if (rows[i].layer & t->layers)
			return true;
	return false;
}

bool
lp_function(lp_program *t, const ir_ins *in)
{
	const ir_arg *second = in->site->nargs == 2 ? &in->site->args[1] : NULL;
	int32_t of = in->nlist > 0 ? in->list[0] : -1;
	bool soft = t->flags & VT_STEP_SOFT;

	if (!lp_is_of_library(t, in->site->name))
		return false;
	if (!is_visible(t, in->site->name))
		return lp_defined(t, in);
	if (lp_is_hidden(t, in->site->name))
		return lp_stands_before_library(in) && lp_defined(t, in);
	if (lp_brings_names(t, in) || choice(t, in) || lp_record(t, in) || lp_all_cases(t, in) ||
		lp_by_name(t, in) || lp_lists(t, in) || lp_writes(t, in) || lp_generate(t, in) ||
		lp_makes_dict(t, in))
		return true;
	for (uint32_t i = 0; i < in->nlist && i < 2; i++)
		if (in->list[i] >= 0 && t->cells[in->list[i]].is == LP_PIECES)
			return lp_piece(t, in, &t->cells[in->list[i]]);
	if (of >= 0 && is_call_of(in, "len", 1) && !in->site->args[0].keyword)
		return lp_unary(t, in, of, VT_STEP_LEN, NULL);
	if (of >= 0 && !soft && is_call_of(in, "#operator_=~", 2) && text_arg(in, 1))
		return lp_unary(t, in, of, VT_STEP_MATCH, text_arg(in, 1));
	if (of >= 0 && !soft && is_call_of(in, "#operator_!~", 2) && text_arg(in, 1))
		return lp_unary(t, in, of, VT_STEP_UNMATCH, text_arg(in, 1));
	if (of >= 0 && is_call_of(in, "#indexer", 2) && second->kind == VT_A_NUMBER &&
		second->k.kind == IK_INT && second->k.i >= 0) {
		if (t->cells[of].is == LP_REGISTER && lp_is_alone(t, of))
			t->cells[of].reg =
				lp_split_less(t, t->cells[of].reg, (uint64_t)second->k.i + 1);
		return lp_unary(t, in, of, VT_STEP_INDEX, &second->k);
	}
	if (is_call_of(in, "#operator_in", 2))
		return lp_among(t, in) || call(t, in, -1, VT_STEP_IN);
	return call(t, in, -1, VT_STEP_CALL);
}
