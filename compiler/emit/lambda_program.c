/*
 * lambda_program.c - lambdas of expressions as lambda programs (vt_lambda_program in vt.h).
 *
 * Code is taken when each of its instructions is one that a step stands for.  What a step is not
 * for is left to the code when the program runs, so a program may be made of code that it is
 * rarely for.  Steps change nothing, so their order is free: those that make texts go to the end,
 * where they are done text by text.
 */
#include "compiler/emit/lambda.h"

#include <string.h>

/* ---- steps ---- */

static bool
same_const(const ir_const *a, const ir_const *b)
{
	if (a == b || a == NULL || b == NULL || a->kind != b->kind)
		return a == b;
	if (a->kind == IK_STR)
		return a->n == b->n && memcmp(a->s, b->s, a->n) == 0;
	return a->kind == IK_INT ? a->i == b->i
				 : a->kind == IK_TRUE || a->kind == IK_FALSE || a->kind == IK_NULL;
}

static int import(lp_program *, lp_program *of, int reg);

static const char *
member_name(const lp_step *s)
{
	return s->op == VT_STEP_ATTR ? s->ins->site->args[1].k.s : "";
}

/* A value that several may read, of what is not used up: not the length, which an iterator has. */
static bool
gives_value(const lp_step *s)
{
	return s->op == VT_STEP_GET || s->op == VT_STEP_INDEX ||
	       (s->op == VT_STEP_CALL &&
		       (s->c == VT_CALL_AT || s->c == VT_CALL_KEY ||
			       (s->c >= VT_CALL_STRING && s->c <= VT_CALL_BOOLEAN)));
}

static bool
same_args(const lp_step *x, const lp_step *s)
{
	for (uint32_t i = 0; x->n == s->n && i < s->n; i++)
		if (x->args[i] != s->args[i] ||
			(s->args[i] == VT_STEP_K &&
				!same_const(&x->ins->site->args[i].k, &s->ins->site->args[i].k)))
			return false;
	return x->n == s->n;
}

/* Does the step give what another has given: for all items, or for those that both are for?  Sums
 * may be texts, which are made where they are used. */
static bool
repeats(const lp_step *x, const lp_step *s)
{
	bool sees = (x->guard == VT_STEP_K && !(x->flags & VT_STEP_SOFT)) ||
		    (x->guard == s->guard && x->flags == s->flags);
	bool simple = s->op == VT_STEP_ITEM || s->op == VT_STEP_ATTR || s->op == VT_STEP_DYN ||
		      (s->op >= VT_STEP_SUB && s->op <= VT_STEP_NE) || gives_value(s);

	return simple && !x->stands && sees && x->op == s->op && x->a == s->a && x->b == s->b &&
	       x->index == s->index && same_const(x->k, s->k) &&
	       (x->name == s->name ||
		       (x->name != NULL && s->name != NULL && strcmp(x->name, s->name) == 0)) &&
	       strcmp(member_name(x), member_name(s)) == 0 && x->c == s->c && same_args(x, s);
}

/* A register of the program around this one, which may be open for some: it matters only where it
 * is asked for. */
static int
read_outside(lp_program *t, uint8_t reg)
{
	lp_step s = {.op = VT_STEP_OUTER, .guard = t->guard, .flags = t->flags, .may_drop = true};

	for (uint32_t i = 0; i < t->n; i++) {
		const lp_step *x = &t->t[i];
		if (x->op == VT_STEP_OUTER && t->outer[x->a] == reg &&
			((x->guard == VT_STEP_K && !(x->flags & VT_STEP_SOFT)) ||
				(x->guard == s.guard && x->flags == s.flags)))
			return (int)i;
	}
	if (t->nouter == LP_ARGS || t->n == LP_MOST)
		return -1;
	s.b = VT_STEP_K;
	s.a = (uint8_t)t->nouter;
	t->outer[t->nouter++] = reg;
	t->mixed = true;
	t->t[t->n] = s;
	return (int)t->n++;
}

/*
 * A step of a nested program that depends on what is around it alone is done there, once for all
 * items of the list.  There it may fail: it matters to who takes it.  -1: it is no such step.
 */
static int
hoisted(lp_program *t, lp_step s)
{
	uint8_t *of[LP_OPERANDS], *args = s.args;
	bool any = false;
	int r;

	if (t->up == NULL || !t->up->opens || !t->e->is_query || s.text || t->folds ||
		t->up->folds ||
		!(s.op == VT_STEP_ATTR || gives_value(&s) ||
			(s.op >= VT_STEP_SUB && s.op <= VT_STEP_NE) ||
			(s.op == VT_STEP_ADD && s.k != NULL && s.k->kind == IK_INT)))
		return -1;
	s.guard = VT_STEP_K;
	if (s.n > 0) {
		s.args = vc_alloc(t->e->c, s.n);
		memcpy(s.args, args, s.n);
	}
	for (uint32_t i = lp_operands(&s, of); i-- > 0;) {
		const lp_step *from = *of[i] != VT_STEP_K ? &t->t[*of[i]] : NULL;
		if (from == NULL)
			continue;
		if (from->op != VT_STEP_OUTER)
			return -1;
		*of[i] = t->outer[from->a];
		any = true;
	}
	s.flags = (uint8_t)(VT_STEP_SOFT | VT_STEP_SHARED |
			    (s.op == VT_STEP_ADD ? VT_STEP_PLAIN : 0));
	s.may_drop = true;
	r = any ? lp_push(t->up, s) : -1;
	return r < 0 ? -1 : read_outside(t, (uint8_t)r);
}

int
lp_push(lp_program *t, lp_step s)
{
	int outside = hoisted(t, s);

	if (outside >= 0)
		return outside;
	s.guard = t->guard;
	s.flags |= t->flags;
	for (uint32_t i = 0; i < t->n; i++)
		if (repeats(&t->t[i], &s))
			return (int)i;
	if (t->n == LP_MOST)
		return -1;
	t->t[t->n] = s;
	return (int)t->n++;
}

int
lp_const(lp_program *t, const ir_const *k)
{
	bool known = k->kind == IK_STR || k->kind == IK_INT || k->kind == IK_FLOAT ||
		     k->kind == IK_TRUE || k->kind == IK_FALSE || k->kind == IK_NULL;
	uint8_t guard = t->guard, flags = t->flags;
	int r;

	t->guard = VT_STEP_K;
	t->flags = 0;
	r = known ? lp_push(t, (lp_step){.op = VT_STEP_CONST, .k = k}) : -1;
	t->guard = guard;
	t->flags = flags;
	return r;
}

static bool binary(lp_program *, const ir_ins *, uint8_t op);

/* The register that holds what the temporary is; -1: there is none. */
int
lp_reg(lp_program *t, int32_t temp)
{
	lp_cell *c = temp >= 0 ? &t->cells[temp] : NULL;
	const ir_ins *cut = c != NULL && c->is == LP_PIPE ? c->cut : NULL;

	if (c != NULL && c->is == LP_PIPE && c->bound != NULL)
		return c->bound->other != VT_STEP_K ? import(t, c->bound->of, c->bound->other) : -1;
	if (cut != NULL && t->t[c->reg].op == VT_STEP_DEFINED)
		return lp_value_of(t, c->reg);
	if (cut != NULL && cut->op != IR_ADD)
		return lp_cut(t, cut);
	if (cut != NULL)
		return binary(t, cut, VT_STEP_ADD) ? t->cells[cut->d].reg : -1;
	if (c == NULL || (c->is != LP_REGISTER && c->is != LP_CONST))
		return -1;
	return c->is == LP_REGISTER ? c->reg : lp_const(t, c->k);
}

bool
lp_define(lp_program *t, int32_t d, lp_step s)
{
	int r = lp_push(t, s);

	if (r < 0 || d < 0)
		return false;
	t->cells[d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r};
	return true;
}

/* Is what the register holds surely a text? */
static bool
is_text(const lp_program *t, uint8_t r)
{
	const lp_step *s = &t->t[r];

	return s->text || (s->op == VT_STEP_CONST && s->k->kind == IK_STR);
}

/* Is the temporary read by lists, dicts, sums, edits and the result only, from the i-th instruction
 * on? */
static bool
is_only_given(const ir_func *f, uint32_t i, int32_t d)
{
	for (; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		bool reads = false;
		for (uint32_t k = 0; k < in->na; k++)
			reads |= in->a[k] == d;
		for (uint32_t k = 0; k < in->nlist; k++)
			reads |= in->list[k] == d;
		if (!reads || in->op == IR_RET || in->op == IR_FREE)
			continue;
		if ((in->op != IR_LIST && in->op != IR_MAP && in->op != IR_ADD &&
			    !lp_is_edit(in)) ||
			!is_only_given(f, i + 1, in->d))
			return false;
	}
	return true;
}

bool
lp_is_tail(const lp_program *t, const ir_ins *in)
{
	return t->tail && in->d >= 0 &&
	       is_only_given(t->code, (uint32_t)(in - t->code->ins) + 1, in->d);
}

/* [a, pipeline].flatten() walks all of it. */
static bool
is_flattened(const lp_program *t, const ir_ins *in)
{
	const ir_ins *next = in + 1;

	return in->op == IR_LIST && next < t->code->ins + t->code->n && in->d >= 0 &&
	       next->op == IR_CALLM && next->a[0] == in->d && is_call_of(next, "flatten", 0);
}

/* What becomes part of a list, dict or sum: a pipeline is a list where all of that is read, or the
 * sum walked. */
int
lp_part_of(lp_program *t, const ir_ins *in, int32_t temp, bool sum)
{
	const lp_cell *c = temp >= 0 ? &t->cells[temp] : NULL;

	if (c != NULL && c->is == LP_PIPE && !c->order && !c->set && is_flattened(t, in))
		return lp_collect(t, c);
	if (c == NULL || c->is != LP_PIPE || c->order || c->set || !lp_is_tail(t, in))
		return lp_reg(t, temp);
	if (t->many != LP_MANY_PARTS && !(sum && t->many == LP_MANY_RESULT)) {
		t->has_iterators = true;
		return c->cut != NULL || c->bound != NULL ? lp_reg(t, temp) : lp_iterate(t, c);
	}
	t->made_parts |= !sum;
	return lp_stand_in(t, c);
}

/* Of a pipeline and what else is walked: a list that stands for the chain that the code gives. */
static bool
chain(lp_program *t, const ir_ins *in)
{
	const lp_cell *c[2] = {&t->cells[in->a[0]], &t->cells[in->a[1]]};
	lp_step s = {.op = VT_STEP_LISTED, .b = VT_STEP_K, .c = VT_LIST_CONCAT, .n = 1, .ins = in};
	int r[2];

	if (!t->e->is_query || in->d < 0 || (c[0]->is != LP_PIPE && c[1]->is != LP_PIPE) ||
		c[0]->set || c[1]->set)
		return false;
	for (int i = 0; i < 2; i++)
		if ((r[i] = c[i]->is == LP_PIPE ? lp_collect(t, c[i]) : lp_reg(t, in->a[i])) < 0)
			return false;
	s.a = (uint8_t)r[0];
	s.args = vc_alloc(t->e->c, 1);
	s.args[0] = (uint8_t)r[1];
	t->calls = t->mixed = true;
	return (r[0] = lp_push(t, s)) >= 0 && lp_fresh_list(t, in, r[0]);
}

static bool
binary(lp_program *t, const ir_ins *in, uint8_t op)
{
	int a = op == VT_STEP_ADD ? lp_part_of(t, in, in->a[0], true) : lp_reg(t, in->a[0]), b;
	const lp_cell *right = in->a[1] >= 0 ? &t->cells[in->a[1]] : NULL;
	lp_step s = {.op = op, .b = VT_STEP_K, .ins = in};

	if (a < 0 || right == NULL)
		return false;
	s.a = (uint8_t)a;
	if (right->is == LP_CONST && right->k->kind != IK_BIG && right->k->kind != IK_STAMP) {
		s.k = right->k;
		s.text = op == VT_STEP_ADD && s.k->kind == IK_STR;
	} else {
		b = op == VT_STEP_ADD ? lp_part_of(t, in, in->a[1], true) : lp_reg(t, in->a[1]);
		if (b < 0)
			return false;
		s.b = (uint8_t)b;
		s.text = op == VT_STEP_ADD && is_text(t, s.b);
	}
	s.text |= op == VT_STEP_ADD && is_text(t, s.a);
	if (t->flags & VT_STEP_SOFT) {
		s.flags = VT_STEP_PLAIN;
		s.text = false;
	}
	return lp_define(t, in->d, s);
}

bool
lp_unary(lp_program *t, const ir_ins *in, int32_t of, uint8_t op, const ir_const *k)
{
	int a = lp_reg(t, of);
	bool text = op == VT_STEP_UPPER || op == VT_STEP_LOWER || op == VT_STEP_REPLACE;

	if (a < 0)
		return false;
	t->calls |= op != VT_STEP_ATTR && op != VT_STEP_NOT;
	return lp_define(t, in->d,
		(lp_step){.op = op,
			.a = (uint8_t)a,
			.b = VT_STEP_K,
			.k = k,
			.text = text,
			.ins = op == VT_STEP_NOT ? NULL : in});
}

/* ---- what names stand for ---- */

/* A register of the program `of`, or of one around it, as one of t; -1: there is none. */
static int
import(lp_program *t, lp_program *of, int reg)
{
	uint8_t guard = t->guard, flags = t->flags;
	int r;

	if (t == of || reg < 0)
		return reg;
	r = t->up != NULL ? import(t->up, of, reg) : -1;
	if (r < 0 || t->nouter == LP_ARGS)
		return -1;
	t->outer[t->nouter] = (uint8_t)r;
	t->guard = VT_STEP_K;
	t->flags = 0;
	r = lp_push(t, (lp_step){.op = VT_STEP_OUTER, .a = (uint8_t)t->nouter++, .may_drop = true});
	t->guard = guard;
	t->flags = flags;
	t->mixed = true;
	return r;
}

static int
own_item(lp_program *t, uint32_t i)
{
	uint8_t guard = t->guard, flags = t->flags;
	int r;

	if (i >= t->nargs)
		t->nargs = (uint8_t)(i + 1);
	t->guard = VT_STEP_K;
	t->flags = 0;
	r = lp_push(t, (lp_step){.op = VT_STEP_ITEM, .a = (uint8_t)i});
	t->guard = guard;
	t->flags = flags;
	return r;
}

/* $1 and the like: with fewer arguments than that it is the one around. */
static int
register_of_argument(lp_program *t, int64_t i)
{
	for (const lp_env *v = t->env; v != NULL && i >= 1; v = v->up) {
		if (!v->has_args)
			continue;
		if (v->nargs == 0 && v->of->up == NULL &&
			i <= (v->of->defines != NULL ? VT_DEFINED_ARGS : 2))
			return import(t, v->of, own_item(v->of, (uint32_t)i - 1));
		if (v->nargs == 0 && v->of->up != NULL && i <= 1 + v->of->folds)
			return import(t, v->of, own_item(v->of, (uint32_t)i - 1));
		if (v->nargs > 0 && i <= v->nargs)
			return import(t, v->of, v->arg[i - 1]);
		if (v->closed)
			return -1;
	}
	return -1;
}

static bool
register_of(lp_program *t, int32_t d, int r)
{
	if (r < 0 || d < 0)
		return false;
	t->cells[d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r};
	return true;
}

static bool
list_bound(lp_program *t, int32_t d, const lp_bound *b)
{
	int r = import(t, b->of, b->list);

	if (r < 0 || d < 0)
		return false;
	t->cells[d] = (lp_cell){.is = LP_PIPE,
		.reg = (uint8_t)r,
		.fresh = true,
		.ordering = b->ordering,
		.most = LP_ALL,
		.bound = b};
	return true;
}

static bool
variable(lp_program *t, int32_t d, const char *name)
{
	for (const lp_env *v = t->env; v != NULL; v = v->up) {
		for (uint32_t i = v->nnames; i-- > 0;)
			if (strcmp(v->name[i], name) == 0)
				return v->bound[i] != NULL
					       ? list_bound(t, d, v->bound[i])
					       : register_of(t, d, import(t, v->of, v->reg[i]));
		if (v->closed) /* what the caller sees: function_defined() */
			break;
	}
	t->mixed = true;
	return register_of(t, d, lp_push(t, (lp_step){.op = VT_STEP_DYN, .name = name}));
}

static int
method_variable(lp_program *t, int32_t v)
{
	t->mixed = true;
	return lp_push(t, (lp_step){.op = VT_STEP_DYN, .index = v + 1});
}

/* ---- instructions ---- */

static bool
begin_junction(lp_program *t, const ir_ins *in)
{
	static const ir_const null = {.kind = IK_NULL};
	int left = lp_reg(t, in->a[0]), guard = left;
	lp_junction *o;

	if (left >= 0 && in->op == IR_JNULL)
		guard = lp_push(t,
			(lp_step){
				.op = VT_STEP_NE, .a = (uint8_t)left, .b = VT_STEP_K, .k = &null});
	if (left < 0 || guard < 0 || t->nopen == LP_NESTED)
		return false;
	o = &t->open[t->nopen++];
	*o = (lp_junction){.label = in->label,
		.d = in->a[0],
		.op = in->op == IR_JTRUE    ? VT_STEP_OR
		      : in->op == IR_JFALSE ? VT_STEP_AND
					    : VT_STEP_CHOOSE,
		.left = (uint8_t)left,
		.guard = (uint8_t)guard,
		.was_guard = t->guard,
		.was_flags = t->flags};
	t->guard = o->guard;
	t->flags = (uint8_t)(VT_STEP_SOFT | (in->op == IR_JTRUE ? VT_STEP_UNLESS : 0));
	return true;
}

static bool
end_junction(lp_program *t, const ir_ins *in)
{
	const lp_junction *o = t->nopen > 0 ? &t->open[t->nopen - 1] : NULL;
	int right = o != NULL && o->label == in->label ? lp_reg(t, o->d) : -1;

	if (right < 0)
		return false;
	t->nopen--;
	t->guard = o->was_guard;
	t->flags = o->was_flags;
	if (o->op == VT_STEP_CHOOSE)
		return lp_define(t, o->d,
			(lp_step){.op = VT_STEP_CHOOSE,
				.a = (uint8_t)right,
				.b = o->left,
				.c = o->guard});
	return lp_define(t, o->d, (lp_step){.op = o->op, .a = o->left, .b = (uint8_t)right});
}

/* Of all temporaries of the list: its items, or keys that only the item says and their values. */
static bool
make_of_all(lp_program *t, const ir_ins *in, uint8_t op)
{
	lp_step s = {.op = op, .n = (uint8_t)in->nlist};

	if (in->nlist > LP_MOST)
		return false;
	s.args = vc_alloc(t->e->c, in->nlist + 1);
	for (uint32_t i = 0; i < in->nlist; i++) {
		int r = lp_part_of(t, in, in->list[i], false);
		if (r < 0)
			return false;
		s.args[i] = (uint8_t)r;
	}
	return lp_define(t, in->d, s);
}

static bool
make_map(lp_program *t, const ir_ins *in)
{
	lp_step s = {.op = VT_STEP_MAP, .n = (uint8_t)(in->nlist / 2)};

	if (in->nlist > LP_MOST)
		return false;
	s.args = vc_alloc(t->e->c, in->nlist + 1);
	s.names = vc_alloc(t->e->c, (in->nlist + 1) * sizeof *s.names);
	for (uint32_t i = 0; i + 1 < in->nlist; i += 2) {
		const lp_cell *key = in->list[i] >= 0 ? &t->cells[in->list[i]] : NULL;
		int r = lp_part_of(t, in, in->list[i + 1], false);
		if (key != NULL && (key->is != LP_CONST || key->k->kind != IK_STR))
			return make_of_all(t, in, VT_STEP_DICT);
		if (r < 0 || key == NULL)
			return false;
		s.names[i / 2] = key->k->s;
		s.args[i / 2] = (uint8_t)r;
	}
	return lp_define(t, in->d, s);
}

static bool
copy(lp_program *t, const ir_ins *in)
{
	t->cells[in->d] = t->cells[in->a[0]];
	return t->cells[in->d].is != LP_NOTHING;
}

static bool
instruction(lp_program *t, const ir_ins *in)
{
	switch (in->op) {
	case IR_ARG: return register_of(t, in->d, register_of_argument(t, in->i[0]));
	case IR_DYN: return variable(t, in->d, in->name);
	case IR_VAR: return register_of(t, in->d, method_variable(t, in->var));
	case IR_CONST: t->cells[in->d] = (lp_cell){.is = LP_CONST, .k = &in->k}; return true;
	case IR_COPY: return copy(t, in);
	case IR_ATTR: return lp_group_value(t, in) || lp_attribute(t, in);
	case IR_ADD: return chain(t, in) || binary(t, in, VT_STEP_ADD);
	case IR_SUB: return binary(t, in, VT_STEP_SUB);
	case IR_MUL: return binary(t, in, VT_STEP_MUL);
	case IR_DIV: return binary(t, in, VT_STEP_DIV);
	case IR_MOD: return binary(t, in, VT_STEP_MOD);
	case IR_LT: return binary(t, in, VT_STEP_LT);
	case IR_LE: return lp_has_keys(t, in) || binary(t, in, VT_STEP_LE);
	case IR_GT: return binary(t, in, VT_STEP_GT);
	case IR_GE: return lp_has_keys(t, in) || binary(t, in, VT_STEP_GE);
	case IR_EQ: return binary(t, in, VT_STEP_EQ);
	case IR_NE: return binary(t, in, VT_STEP_NE);
	case IR_NOT: return lp_unary(t, in, in->a[0], VT_STEP_NOT, NULL);
	case IR_LIST: return make_of_all(t, in, VT_STEP_LIST);
	case IR_MAP: return make_map(t, in);
	case IR_CALLM: return lp_method(t, in);
	case IR_CALL: return lp_function(t, in);
	case IR_CONTEXT: return lp_context(t, in);
	case IR_JTRUE:
	case IR_JFALSE:
	case IR_JNULL: return begin_junction(t, in);
	case IR_LABEL: return end_junction(t, in);
	case IR_HANDLER:
	case IR_FREE: return true;
	}
	return false;
}

static bool
defines(const ir_ins *in)
{
	return in->op != IR_LABEL && in->op != IR_JTRUE && in->op != IR_JFALSE &&
	       in->op != IR_JNULL && in->op != IR_HANDLER && in->op != IR_FREE;
}

/* pipe %1; %0 = copy %1; jmp over; label else ... label over: the second way gives the same. */
static bool
skip_second_way(lp_program *t, const ir_func *f, uint32_t *i)
{
	const ir_ins *in = &f->ins[*i];
	int32_t over;

	if (in->label < 0) /* it has none: em_one_way */
		return lp_pipe(t, in);
	if (*i + 2 >= f->n || in[1].op != IR_COPY || in[2].op != IR_JMP || in[1].a[0] != in->d ||
		!lp_pipe(t, in))
		return false;
	t->cells[in[1].d] = t->cells[in->d];
	over = in[2].label;
	for (*i += 3; *i < f->n; ++*i)
		if (f->ins[*i].op == IR_LABEL && f->ins[*i].label == over)
			return true;
	return false;
}

/* A pipeline is a result only for who reads all of it: vt_code.many. */
static int
result_of(lp_program *t, int32_t temp)
{
	if (!t->tail || temp < 0 || t->cells[temp].is != LP_PIPE || t->cells[temp].set)
		return lp_reg(t, temp);
	if (!t->many) {
		t->has_iterators = true;
		return lp_reg(t, temp);
	}
	return lp_stand_in(t, &t->cells[temp]);
}

/* The register of what the code gives; -1: there is none. */
static int
walk(lp_program *t, const ir_func *f)
{
	uint32_t nopen = t->nopen;

	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (in->op == IR_RET)
			return in->na > 0 && t->nopen == nopen ? result_of(t, in->a[0]) : -1;
		if (defines(in) && (in->d < 0 || in->d >= f->ntemps) && in->op != IR_PIPE)
			return -1;
		if (in->op == IR_PIPE ? !skip_second_way(t, f, &i) : !instruction(t, in))
			return -1;
	}
	return -1;
}

int
lp_inline(lp_program *t, const ir_func *f, const lp_env *env)
{
	lp_cell *cells = t->cells;
	const lp_env *was = t->env;
	const ir_func *code = t->code;
	bool tail = t->tail;
	int r;

	t->tail = t->next_tail;
	t->next_tail = false;
	t->cells = vc_alloc(t->e->c, ((size_t)f->ntemps + 1) * sizeof *t->cells);
	memset(t->cells, 0, ((size_t)f->ntemps + 1) * sizeof *t->cells);
	t->env = env;
	t->code = f;
	r = walk(t, f);
	t->cells = cells;
	t->env = was;
	t->code = code;
	t->tail = tail;
	return r;
}

/* ---- lambda programs ---- */

static bool
results(lp_program *t, int r)
{
	lp_step *s = r >= 0 ? &t->t[r] : NULL;

	if (s == NULL)
		return false;
	t->out[0] = (uint8_t)r;
	t->nout = 1;
	if ((s->op != VT_STEP_MAP && s->op != VT_STEP_LIST) || (uint32_t)r + 1 != t->n ||
		s->n == 0 || s->flags != 0)
		return true;
	t->kind = s->op == VT_STEP_MAP ? VT_PROGRAM_RECORD : VT_PROGRAM_LIST;
	t->nout = s->n;
	for (uint32_t i = 0; i < s->n; i++) {
		t->out[i] = s->args[i];
		t->keys[i] = s->names != NULL ? s->names[i] : NULL;
	}
	t->n--;
	return true;
}

/* One without steps yet; *base: what its code sees.  NULL: there is to be none. */
static lp_program *
begin_program(
	em *e, const ir_func *f, lp_program *up, enum lp_many many, bool function, lp_env **env)
{
	lp_program *t = vc_alloc(e->c, sizeof *t);
	lp_env *base = *env = vc_alloc(e->c, sizeof *base);

	memset(t, 0, sizeof *t);
	memset(base, 0, sizeof *base);
	t->e = e;
	t->up = up;
	t->many = many;
	t->whole = f == e->m->query;
	t->next_tail = (up == NULL && !function) || many != LP_MANY_NONE;
	t->layers = f->unit->layers;
	t->depth = up != NULL ? up->depth + 1 : 0;
	t->nargs = 1;
	t->guard = VT_STEP_K;
	t->defines = function ? f : NULL;
	t->least = LP_ARGS;
	base->of = t;
	base->has_args = true;
	base->closed = function;
	base->up = up != NULL ? up->env : NULL;
	/* Steps are functions of the library, and here it is not known whether they are there. */
	return t->layers & VT_L_CALLED || t->depth > LP_DEPTH || f->ntemps == 0 ? NULL : t;
}

static lp_program *
program_of(em *e, const ir_func *f, lp_program *up, enum lp_many many, bool function, bool folds)
{
	lp_env *base;
	lp_program *t = begin_program(e, f, up, many, function, &base);

	if (t == NULL)
		return NULL;
	t->folds = folds;
	return results(t, lp_inline(t, f, base)) && lp_settle(t) && t->nargs <= t->least ? t : NULL;
}

static lp_program *
nested(lp_program *up, lp_program *t)
{
	if (t == NULL)
		return NULL;
	up->calls |= t->calls;
	up->mixed |= t->mixed;
	up->made_parts |= t->made_parts;
	return t;
}

lp_program *
lp_nested(lp_program *up, const ir_func *f, enum lp_many many)
{
	return nested(up, program_of(up->e, f, up, many, false, false));
}

lp_program *
lp_nested_fold(lp_program *up, const ir_func *f)
{
	return nested(up, program_of(up->e, f, up, LP_MANY_NONE, false, true));
}

/* The groups of a match, which the lambda may read by `.value` alone. */
static bool
name_groups(lp_program *t, lp_env *env, uint32_t n, int only)
{
	uint8_t item = (uint8_t)own_item(t, 0);

	for (uint32_t k = 0; k < n; k++) {
		if (t->n == LP_MOST)
			return false;
		env->arg[env->nargs++] = (uint8_t)t->n;
		t->t[t->n++] = (lp_step){.op = VT_STEP_INDEX,
			.a = item,
			.b = VT_STEP_K,
			.guard = VT_STEP_K,
			.k = lp_number(t, k),
			.index = only == (int)k,
			.may_drop = true,
			.stands = true};
	}
	return true;
}

lp_program *
lp_nested_match(lp_program *up, const ir_func *f, uint32_t n, int only)
{
	lp_env *base, *env = vc_alloc(up->e->c, sizeof *env);
	lp_program *t = begin_program(up->e, f, up, LP_MANY_NONE, false, &base);
	uint32_t from;
	int r;

	memset(env, 0, sizeof *env);
	env->up = base;
	env->of = t;
	env->has_args = true;
	if (t == NULL || !name_groups(t, env, n, only))
		return NULL;
	from = t->n;
	r = lp_inline(t, f, env);
	if (r < 0 || !lp_reads_texts(t, from, r, false) || !results(t, r) || !lp_settle(t) ||
		t->nargs > 1)
		return NULL;
	return nested(up, t);
}

/* A part of the item, which is a pair. */
static int
part_of_item(lp_program *t, int64_t i)
{
	return lp_push(t, (lp_step){.op = VT_STEP_INDEX,
				  .a = (uint8_t)own_item(t, 0),
				  .b = VT_STEP_K,
				  .k = lp_number(t, i)});
}

static int
field(lp_program *t, const lp_field *x, const lp_env *base)
{
	lp_env part = {.up = base, .of = t, .has_args = true, .nargs = 1};
	int r = x->part == LP_WHOLE ? own_item(t, 0) : part_of_item(t, x->part);

	if (x->of == NULL || r < 0)
		return r;
	part.arg[0] = (uint8_t)r;
	t->env = x->part == LP_WHOLE ? base : &part;
	r = lp_lazily(t, x->of);
	t->env = base;
	return r;
}

lp_program *
lp_nested_row(lp_program *up, uint32_t n, const lp_field *x)
{
	lp_env *base;
	lp_program *t = begin_program(up->e, up->code, up, LP_MANY_NONE, false, &base);
	int r;

	if (t == NULL)
		return NULL;
	t->env = base;
	t->kind = VT_PROGRAM_LIST;
	for (uint32_t i = 0; i < n; i++) {
		if ((r = field(t, &x[i], base)) < 0)
			return NULL;
		t->out[t->nout++] = (uint8_t)r;
	}
	return lp_settle(t) && t->nargs <= 1 ? nested(up, t) : NULL;
}

lp_program *
lp_nested_same(lp_program *up, int reg)
{
	lp_env *base;
	lp_program *t = begin_program(up->e, up->code, up, LP_MANY_NONE, false, &base);
	lp_step s = {.op = VT_STEP_EQ, .b = VT_STEP_K};
	int r;

	if (t == NULL)
		return NULL;
	t->env = base;
	s.a = (uint8_t)own_item(t, 0);
	if (up->t[reg].op == VT_STEP_CONST)
		s.k = up->t[reg].k;
	else if ((r = import(t, up, reg)) >= 0)
		s.b = (uint8_t)r;
	else
		return NULL;
	return results(t, lp_push(t, s)) && lp_settle(t) ? nested(up, t) : NULL;
}

/* lists: the same, which gives a list where the code gives an iterator; NULL: where it gives none.
 */
struct lp_functions {
	struct lp_functions *next;
	const ir_func *f;
	lp_program *program, *lists; /* or NULL */
};

lp_program *
lp_of_function(em *e, const ir_func *f, lp_program **lists)
{
	struct lp_functions *x;

	for (x = e->functions; x != NULL; x = x->next)
		if (x->f == f)
			return *lists = x->lists, x->program;
	*lists = NULL;
	if (e->functions_open > 0) /* of several that call each other there is none */
		return NULL;
	x = vc_alloc(e->c, sizeof *x);
	e->functions_open++;
	*x = (struct lp_functions){e->functions, f, NULL, NULL};
	x->lists = program_of(e, f, NULL, LP_MANY_RESULT, true, false);
	if (x->lists != NULL && !x->lists->made_many)
		x->lists = NULL;
	x->program = program_of(e, f, NULL, LP_MANY_NONE, true, false);
	e->functions_open--;
	e->functions = x;
	*lists = x->lists;
	return x->program;
}

static bool
reads_item(const lp_program *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->t[i].op == VT_STEP_ITEM)
			return true;
	return false;
}

/* In packages: only what walks lists, as stages do, for the C of one value is faster.  Those that
 * vetro brings
 * itself have short lists. */
static bool
is_worth(const em *e, const lp_program *t, const ir_func *f)
{
	const ir_package *p = f->unit->pkg;

	return e->is_query || ((f->stage || reads_item(t)) && (p == NULL || p->dir != NULL));
}

static lp_program *
make_program(em *e, const ir_func *f, bool many)
{
	lp_program *t;

	if (f->kind != IF_CODE || (many && f == e->m->query) ||
		!vc_pass_on(e->c, LAMBDA_PROGRAMS) || !vc_pass_on(e->c, RECORDS) ||
		!vc_pass_on(e->c, DIRECT))
		return NULL;
	t = program_of(e, f, NULL, many ? LP_MANY_PARTS : LP_MANY_NONE, false, lp_is_folded(e, f));
	return t != NULL && t->made_many == many && is_worth(e, t, f) ? t : NULL;
}

/* The answer for the last function is kept. */
static lp_program *
find(em *e, const ir_func *f)
{
	if (e->program_of != f) {
		e->program_of = f;
		e->program = make_program(e, f, false);
		e->many = e->program == NULL || e->program->has_iterators ? make_program(e, f, true)
									  : NULL;
		e->join = e->program != NULL && vc_pass_on(e->c, JOINS) ? lp_join_of(e->program)
									: NULL;
	}
	return e->program;
}

/* The last stage gives what it makes to the caller: em_lambda_many() is for that. */
uint8_t
em_stage_lists(em *e, const ir_ins *in, uint32_t i)
{
	uint8_t walks[LP_MOST] = {0};
	lp_program *made;
	bool ends = false;

	if (!e->is_query || in->stages[i] == IR_STAGE_WHERE || i + 1 == in->nstages)
		return VT_LISTS_NEVER;
	(void)find(e, in->fs[i]);
	made = e->many;
	for (uint32_t k = i + 1; made != NULL && k < in->nstages && !ends; k++) {
		lp_program *t = find(e, in->fs[k]);
		ends = in->stages[k] != IR_STAGE_WHERE;
		if ((t == NULL && (!ends || e->many == NULL)) ||
			(t != NULL && !lp_only_walks(t, made, walks)) ||
			(t == NULL && !lp_only_walks(e->many, made, walks)))
			return VT_LISTS_NEVER;
	}
	if (made == NULL || !lp_may_list(made, walks))
		return VT_LISTS_NEVER;
	return ends ? VT_LISTS_WALKED : VT_LISTS_COUNTED;
}

bool
em_has_lambda_program(em *e, const ir_func *f)
{
	return find(e, f) != NULL;
}

bool
em_has_lambda_many(em *e, const ir_func *f)
{
	(void)find(e, f);
	return e->many != NULL;
}

const char *
em_lambda_program(em *e, const ir_func *f)
{
	lp_program *t = find(e, f);

	return t != NULL ? lp_emit(t) : "NULL";
}

const char *
em_lambda_join(em *e, const ir_func *f)
{
	return find(e, f) != NULL && e->join != NULL ? lp_emit_join(e->join) : "NULL";
}

const char *
em_lambda_many(em *e, const ir_func *f)
{
	return em_has_lambda_many(e, f) ? lp_emit(e->many) : "NULL";
}
