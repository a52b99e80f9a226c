/*
 * lower.c - statements and evaluated values to IR.  class.c has classes, assign.c assignments,
 * yaql.c and call.c expressions, contract.c contracts.
 *
 * Temporaries: a statement numbers them from its floor and frees them at its end; what must live
 * across nested statements (iterators, pending exits) raises the floor for them.  Every exit of
 * a region frees what the region raised, so a temporary is empty whenever it is defined.
 */
#include "compiler/lower/int.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <stdlib.h>
#include <string.h>

/* ---- emitting -------------------------------------------------------------------------------- */

/* Of the heap until lw_end() knows how many there are: the arena would keep every smaller array. */
ir_ins *
lw_emit(lw *l, enum ir_op op)
{
	ir_func *f = l->f;
	ir_ins *in;

	f->ins = vt_grow(f->ins, f->n, sizeof *f->ins);
	in = &f->ins[f->n++];
	*in = (ir_ins){.op = op, .d = -1, .label = -1, .var = -1};
	return in;
}

int32_t
lw_temp(lw *l)
{
	int32_t t = l->next++;

	if (l->next > l->f->ntemps)
		l->f->ntemps = l->next;
	return t;
}

int32_t
lw_label(lw *l)
{
	return l->f->nlabels++;
}

void
lw_place(lw *l, int32_t label)
{
	lw_emit(l, IR_LABEL)->label = label;
}

void
lw_jump(lw *l, int32_t label)
{
	lw_emit(l, IR_JMP)->label = label;
}

int32_t
lw_op1(lw *l, enum ir_op op, int32_t a)
{
	int32_t d = lw_temp(l);
	ir_ins *in = lw_emit(l, op);

	in->d = d;
	in->a[0] = a;
	in->na = 1;
	return d;
}

int32_t
lw_const(lw *l, ir_const k)
{
	int32_t d = lw_temp(l);
	ir_ins *in = lw_emit(l, IR_CONST);

	in->d = d;
	in->k = k;
	return d;
}

/* Code is named after the member it stands in, with a number: no '#' is part of a member's name. */
ir_func *
lw_func(lw *l, enum ir_func_kind kind, const char *name)
{
	ir_func *f = vc_alloc(l->c, sizeof *f);
	const char *of = name ? name : l->base ? l->base->name : l->f->name;

	f->kind = kind;
	f->unit = l->unit;
	f->name = kind == IF_METHOD
			  ? name
			  : vc_format(l->c, "%.*s#%u", (int)strcspn(of, "#"), of, ++*l->serial);
	return f;
}

void
lw_free_temps(lw *l, int32_t from, int32_t to)
{
	ir_ins *in;

	if (to >= 0 && from >= to)
		return;
	in = lw_emit(l, IR_FREE);
	in->i[0] = from;
	in->i[1] = to;
}

static void
settle(lw *l, ir_func *f)
{
	ir_ins *ins;

	if (f->kind == IF_METHOD)
		lw_number_temps(l->c, f);
	ins = vc_alloc(l->c, f->n * sizeof *ins);
	memcpy(ins, f->ins, f->n * sizeof *ins);
	free(f->ins);
	f->ins = ins;
}

void
lw_end(lw *l, int32_t result)
{
	ir_ins *in;

	if (result >= 0) {
		in = lw_emit(l, IR_RET);
		in->a[0] = result;
		in->na = 1;
	}
	for (const lw_late *x = l->late; x; x = x->next) {
		lw_place(l, x->label);
		lw_set_handler(l, x->handler);
		in = lw_emit(l, IR_REFUSE);
		in->a[0] = x->recv;
		in->na = 1;
		in->site = x->site;
	}
	settle(l, l->f);
	vc_push(l->c, l->m->funcs, l->m->nfuncs) = l->f;
}

void
lw_end_method(lw *l)
{
	uint32_t n = l->f->n;

	while (n > 0 && l->f->ins[n - 1].op == IR_FREE)
		n--;
	if (n > 0 && l->f->ins[n - 1].op == IR_RET) {
		l->f->n = n; /* nothing gets there */
		lw_end(l, -1);
	} else {
		lw_end(l, lw_const(l, (ir_const){.kind = IK_NULL}));
	}
}

/* Ends a statement: its temporaries go. */
static void
end_statement(lw *l)
{
	lw_free_temps(l, l->floor, l->next);
	l->next = l->floor;
}

void
lw_set_handler(lw *l, int32_t label)
{
	l->handler = label;
	lw_emit(l, IR_HANDLER)->label = label;
}

void
lw_jump_if(lw *l, enum ir_op op, int32_t a, int32_t label)
{
	ir_ins *in = lw_emit(l, op);

	in->a[0] = a;
	in->na = 1;
	in->label = label;
}

void
lw_copy_into(lw *l, int32_t into, int32_t from)
{
	ir_ins *in = lw_emit(l, IR_COPY);

	in->d = into;
	in->a[0] = from;
	in->na = 1;
}

void
lw_set_variable(lw *l, int32_t var, int32_t from)
{
	ir_ins *in = lw_emit(l, IR_SETVAR);

	in->var = var;
	in->a[0] = from;
	in->na = 1;
}

/* A comparison with a constant. */
static int32_t
equals(lw *l, int32_t a, ir_const k)
{
	int32_t b = lw_const(l, k), d = lw_op1(l, IR_EQ, a);
	ir_ins *in = &l->f->ins[l->f->n - 1];

	in->a[1] = b;
	in->na = 2;
	return d;
}

/* ---- values ------------------------------------------------------------------------------ */

ir_const
lw_scalar(lw *l, const ynode *n)
{
	if (n->kind != YN_SCALAR)
		return (ir_const){.kind = IK_NULL};
	if (n->is_expr)
		return lw_string(n->text, n->ntext);
	switch ((enum yn_type)n->type) {
	case YT_NULL: return (ir_const){.kind = IK_NULL};
	case YT_BOOL: return (ir_const){.kind = n->i ? IK_TRUE : IK_FALSE};
	case YT_FLOAT: return (ir_const){.kind = IK_FLOAT, .f = n->f};
	case YT_INT:
		if (n->fits && n->i <= VT_INT_MAX && n->i >= VT_INT_MIN)
			return (ir_const){.kind = IK_INT, .i = n->i};
		return (ir_const){.kind = IK_BIG,
			.s = n->fits ? vc_format(l->c, "%lld", (long long)n->i) : n->digits,
			.n = n->fits ? 19 : (uint32_t)strlen(n->digits)};
	case YT_STR:
	case YT_BINARY: return lw_string(n->text, n->ntext);
	case YT_DATE:
	case YT_DATETIME: return (ir_const){.kind = IK_STAMP, .s = n->text, .n = n->ntext};
	}
	return (ir_const){.kind = IK_NULL};
}

static int32_t
collection(lw *l, const ynode *n, int32_t (*item)(lw *, const ynode *))
{
	bool map = n->kind == YN_MAP;
	int32_t *temps = vc_alloc(l->c, sizeof *temps * (2 * (size_t)n->n + 1)), d;
	uint32_t k = 0;
	ir_ins *in;

	for (uint32_t i = 0; i < n->n; i++) {
		if (map)
			temps[k++] = item(l, n->key[i]);
		temps[k++] = item(l, n->item[i]);
	}
	d = lw_temp(l);
	in = lw_emit(l, map ? IR_MAP : IR_LIST);
	in->d = d;
	in->list = temps;
	in->nlist = k;
	return d;
}

/* Ops whose results hold no iterator: `final` has nothing to do. */
static bool
is_final(const lw *l)
{
	return ir_ops[l->f->ins[l->f->n - 1].op].flags & IR_WHOLE;
}

/* A stack trace names the expression that runs, with its own place. */
void
lw_position(lw *l, vc_span at, const char *text)
{
	ir_ins *in = lw_emit(l, IR_POS);

	vc_place(at.src, at.from, &l->line, &l->col);
	in->i[0] = l->line;
	in->i[1] = l->col;
	in->name = text;
}

/* An expression that cannot fail needs no place. */
static void
drop_idle_place(lw *l, uint32_t at)
{
	ir_func *f = l->f;

	for (uint32_t i = at; i < f->n; i++)
		if (ir_ops[f->ins[i].op].flags & IR_FAIL)
			return;
	memmove(&f->ins[at], &f->ins[at + 1], (--f->n - at) * sizeof *f->ins);
}

static int32_t
expression(lw *l, const ynode *n)
{
	bool placed = l->f->kind == IF_METHOD || l->branch;
	uint32_t at = l->f->n;
	int32_t t;

	if (placed)
		lw_position(l, n->span, vc_strndup(l->c, n->text, n->ntext));
	t = lw_expr_node(l, n);
	if (!is_final(l))
		t = lw_op1(l, IR_FINAL, t);
	if (placed)
		drop_idle_place(l, at);
	return t;
}

int32_t
lw_value(lw *l, const ynode *n)
{
	if (n == NULL)
		return lw_const(l, (ir_const){.kind = IK_NULL});
	if (n->kind == YN_SEQ || n->kind == YN_MAP)
		return collection(l, n, lw_value);
	if (n->kind == YN_SCALAR && n->is_expr)
		return expression(l, n);
	return lw_const(l, lw_scalar(l, n));
}

/* the same, nothing evaluated: Throw's Extra */
static int32_t
lw_literal(lw *l, const ynode *n)
{
	if (n == NULL)
		return lw_const(l, (ir_const){.kind = IK_NULL});
	if (n->kind == YN_SEQ || n->kind == YN_MAP)
		return collection(l, n, lw_literal);
	return lw_const(l, lw_scalar(l, n));
}

/* ---- variables ---- */

int32_t
lw_variable(lw *l, const char *name)
{
	ir_func *f = l->base ? l->base : l->f;
	uint32_t i = vc_index_of(l->c, &f->index, f->vars, f->nvars, name);

	return i != UINT32_MAX ? (int32_t)i : -1;
}

bool
lw_is_own(const lw *l, const char *name)
{
	for (const lw_own *o = l->own; o; o = o->up)
		for (uint32_t i = 0; i < o->n; i++)
			if (strcmp(o->names[i], name) == 0)
				return true;
	return false;
}

static void
declare(lw *l, const char *name)
{
	if (*name && strcmp(name, "this") != 0 && lw_variable(l, name) < 0)
		vc_push(l->c, l->f->vars, l->f->nvars) = name;
}

/* The variable at the root of an assignment target, or NULL. */
static const yq_node *
target_root(const yq_node *e)
{
	while ((e->kind == YQ_BINARY && strcmp(e->text, ".") == 0) || e->kind == YQ_INDEX)
		e = e->kid[0];
	return e->kind == YQ_VAR ? e : NULL;
}

void
lw_declare_all(lw *l, mpl_stmt *const *body, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const mpl_stmt *s = body[i];
		if (s->kind == MS_ASSIGN && s->a->expr && target_root(s->a->expr))
			declare(l, target_root(s->a->expr)->text);
		if (s->kind == MS_FOR)
			declare(l, s->name);
		for (uint32_t k = 0; k < s->ncatches; k++) {
			if (s->catches[k].as)
				declare(l, s->catches[k].as);
			lw_declare_all(l, s->catches[k].body, s->catches[k].nbody);
		}
		for (uint32_t k = 0; k < s->ncases; k++)
			lw_declare_all(l, s->cases[k].body, s->cases[k].nbody);
		lw_declare_all(l, s->body, s->nbody);
		lw_declare_all(l, s->orelse, s->norelse);
		lw_declare_all(l, s->finally, s->nfinally);
	}
}

/* ---- exits ---- */

enum { PEND_NONE, PEND_ERROR, PEND_RETURN, PEND_BREAK, PEND_CONTINUE };

static void
lower_return_temp(lw *l, int32_t t)
{
	ir_ins *in;
	bool branch = l->branch;

	for (lw_exit *x = l->exit; x; x = x->up)
		if (x->kind == LW_FINALLY) {
			lw_copy_into(l, x->value, t);
			lw_copy_into(l, x->pending,
				lw_const(l, (ir_const){.kind = IK_INT, .i = PEND_RETURN}));
			lw_free_temps(l, x->floor, l->next);
			lw_jump(l, x->fin);
			return;
		}
	in = lw_emit(l, branch ? IR_EXITRET : IR_RET);
	in->a[0] = t;
	in->na = 1;
}

static void
lower_leave_loop(lw *l, bool brk)
{
	for (lw_exit *x = l->exit; x; x = x->up) {
		if (x->kind == LW_LOOP) {
			lw_free_temps(l, x->floor, l->next);
			lw_jump(l, brk ? x->brk : x->cont);
			return;
		}
		if (x->kind == LW_FINALLY) {
			lw_copy_into(l, x->pending,
				lw_const(l, (ir_const){.kind = IK_INT,
						    .i = brk ? PEND_BREAK : PEND_CONTINUE}));
			lw_free_temps(l, x->floor, l->next);
			lw_jump(l, x->fin);
			return;
		}
	}
	if (l->branch)
		lw_emit(l, IR_EXIT)->i[0] = brk ? VT_BREAK : VT_CONTINUE;
	else
		lw_emit(l, IR_NOLOOP)->name = brk ? "Break" : "Continue";
}

/* ---- blocks ---- */

/* Lowers a body while the temporaries made so far stay alive. */
void
lw_nested(lw *l, mpl_stmt *const *body, uint32_t n)
{
	int32_t floor = l->floor;

	l->floor = l->next;
	lw_body(l, body, n);
	l->next = l->floor;
	l->floor = floor;
}

/* `Throw name: message`, as far as the source has both. */
static const char *
throw_title(lw *l, const mpl_stmt *s)
{
	const char *name = s->a->kind == YN_SCALAR ? s->a->text : "...";

	if (s->b && s->b->kind == YN_SCALAR && !s->b->is_expr)
		return vc_format(l->c, "Throw %s: %s", name, s->b->text);
	return vc_format(l->c, "Throw %s", name);
}

/* What runs until an expression of the statement says more. */
static void
begin(lw *l, const mpl_stmt *s)
{
	const char *text = "block construct";

	/* The expression that may fail has a place of its own; a debugger stops at each. */
	bool placed = s->kind == MS_ASSIGN ||
		      (s->kind == MS_EXPR && s->a->kind == YN_SCALAR && s->a->is_expr);

	if (placed && !l->c->lines)
		return;
	if (s->kind == MS_RETHROW)
		text = "Rethrow";
	else if (s->kind == MS_THROW)
		text = throw_title(l, s);
	lw_position(l, s->span, text);
}

static void
lower_if(lw *l, const mpl_stmt *s)
{
	int32_t otherwise = lw_label(l), end = lw_label(l), floor = l->next;
	int32_t cond = lw_value(l, s->a), top = l->next;

	/* What the condition has read is given back before the branches: they may change it. */
	lw_show(l, "If", cond);
	lw_jump_if(l, IR_JFALSE, cond, otherwise);
	lw_free_temps(l, floor, top);
	l->next = floor;
	lw_step_branch(l, s, "Then");
	lw_nested(l, s->body, s->nbody);
	lw_jump(l, end);
	lw_place(l, otherwise);
	lw_free_temps(l, floor, top);
	lw_step_branch(l, s, "Else");
	lw_nested(l, s->orelse, s->norelse);
	lw_place(l, end);
}

static void
lower_while(lw *l, const mpl_stmt *s)
{
	int32_t again = lw_label(l), end = lw_label(l), floor = l->next, cond;
	lw_exit x = {.up = l->exit, .kind = LW_LOOP, .brk = end, .cont = again, .floor = floor};

	l->exit = &x;
	lw_place(l, again);
	lw_step(l, s);
	cond = lw_value(l, s->a);
	lw_show(l, "While", cond);
	/* The condition's temporaries die before the body: only the truth value survives, in a
	 * jump. */
	int32_t stop = lw_label(l);
	lw_jump_if(l, IR_JFALSE, cond, stop);
	lw_free_temps(l, floor, l->next);
	l->next = floor;
	lw_nested(l, s->body, s->nbody);
	lw_jump(l, again);
	lw_place(l, stop);
	lw_free_temps(l, floor, -1);
	lw_place(l, end);
	l->exit = x.up;
}

/* What For and Catch have: a variable of the branch of Parallel that they stand in, or of the
 * method. */
static void
set_item(lw *l, const char *name, int32_t value)
{
	int32_t var = lw_variable(l, name);
	ir_ins *in;

	if (l->branch && lw_is_own(l, name)) {
		in = lw_emit(l, IR_SETDYN);
		in->name = name;
		in->a[0] = value;
		in->na = 1;
	} else if (var >= 0) {
		lw_set_variable(l, var, value);
	}
}

static void
lower_for(lw *l, const mpl_stmt *s)
{
	int32_t again = lw_label(l), end = lw_label(l);
	int32_t it = lw_op1(l, IR_ITER, lw_value(l, s->a)), item;
	lw_exit x = {.up = l->exit, .kind = LW_LOOP, .brk = end, .cont = again};
	ir_ins *in;

	x.floor = l->next;
	l->exit = &x;
	lw_place(l, again);
	item = lw_temp(l);
	in = lw_emit(l, IR_NEXT);
	in->d = item;
	in->a[0] = it;
	in->na = 1;
	in->label = end;
	lw_show(l, vc_format(l->c, "$%s", s->name), item);
	set_item(l, s->name, item);
	lw_free_temps(l, x.floor, l->next);
	l->next = x.floor;
	lw_nested(l, s->body, s->nbody);
	lw_jump(l, again);
	lw_place(l, end);
	l->exit = x.up;
}

static void
lower_repeat(lw *l, const mpl_stmt *s)
{
	int32_t again = lw_label(l), end = lw_label(l), n = lw_op1(l, IR_COUNT, lw_value(l, s->a));
	lw_exit x = {.up = l->exit, .kind = LW_LOOP, .brk = end, .cont = again, .floor = l->next};

	l->exit = &x;
	lw_place(l, again);
	lw_jump_if(l, IR_LOOP, n, end);
	lw_nested(l, s->body, s->nbody);
	lw_jump(l, again);
	lw_place(l, end);
	l->exit = x.up;
}

/* Python's equality of constant keys: 1, 1.0 and true are one. */
static bool
same_key(ir_const a, ir_const b)
{
	double x, y;

	if (a.kind == IK_STAMP || b.kind == IK_STAMP)
		return a.kind == b.kind && strcmp(a.s, b.s) == 0;
	if ((a.kind == IK_STR || b.kind == IK_STR) || (a.kind == IK_BIG || b.kind == IK_BIG))
		return a.kind == b.kind && a.n == b.n && memcmp(a.s, b.s, a.n) == 0;
	if (a.kind == IK_NULL || b.kind == IK_NULL)
		return a.kind == b.kind;
	x = a.kind == IK_FLOAT ? a.f : a.kind == IK_TRUE ? 1 : a.kind == IK_FALSE ? 0 : (double)a.i;
	y = b.kind == IK_FLOAT ? b.f : b.kind == IK_TRUE ? 1 : b.kind == IK_FALSE ? 0 : (double)b.i;
	return x == y;
}

/* The body a Match key leads to: of equal keys the last one, at the place of the first. NULL: not
 * the first. */
static const mpl_case *
match_case(lw *l, const mpl_stmt *s, uint32_t i)
{
	const mpl_case *last = &s->cases[i];

	for (uint32_t k = 0; k < i; k++)
		if (same_key(lw_scalar(l, s->cases[k].key), lw_scalar(l, s->cases[i].key)))
			return NULL;
	for (uint32_t k = i + 1; k < s->ncases; k++)
		if (same_key(lw_scalar(l, s->cases[k].key), lw_scalar(l, s->cases[i].key)))
			last = &s->cases[k];
	return last;
}

static void
lower_match(lw *l, const mpl_stmt *s)
{
	int32_t end = lw_label(l), first = l->next, value = lw_value(l, s->a), floor = l->next;

	lw_show(l, "Match", value);
	for (uint32_t i = 0; i < s->ncases; i++) {
		const mpl_case *m = match_case(l, s, i);
		int32_t next = lw_label(l), eq;
		if (m == NULL)
			continue;
		eq = equals(l, value, lw_scalar(l, s->cases[i].key));
		lw_jump_if(l, IR_JFALSE, eq, next);
		lw_free_temps(l, first, l->next);
		lw_step_branch(l, s, s->cases[i].key->text);
		lw_nested(l, m->body, m->nbody);
		lw_jump(l, end);
		lw_place(l, next);
		lw_free_temps(l, floor, l->next);
		l->next = floor;
	}
	lw_free_temps(l, first, l->next);
	l->next = first;
	lw_step_branch(l, s, "Default");
	lw_nested(l, s->orelse, s->norelse);
	lw_place(l, end);
}

static void
lower_switch(lw *l, const mpl_stmt *s)
{
	int32_t any = lw_const(l, (ir_const){.kind = IK_FALSE}), end = lw_label(l), floor = l->next;

	for (uint32_t i = 0; i < s->ncases; i++) {
		int32_t next = lw_label(l), cond = lw_value(l, s->cases[i].key);
		lw_jump_if(l, IR_JFALSE, cond, next);
		lw_copy_into(l, any, lw_const(l, (ir_const){.kind = IK_TRUE}));
		lw_free_temps(l, floor, l->next);
		lw_step_branch(l, s, s->cases[i].key->text);
		lw_nested(l, s->cases[i].body, s->cases[i].nbody);
		lw_place(l, next);
		lw_free_temps(l, floor, l->next);
		l->next = floor;
	}
	lw_jump_if(l, IR_JTRUE, any, end);
	lw_step_branch(l, s, "Default");
	lw_nested(l, s->orelse, s->norelse);
	lw_place(l, end);
}

static void
on_status(lw *l, int64_t status, int32_t label)
{
	ir_ins *in = lw_emit(l, IR_ONSTATUS);

	in->i[0] = status;
	in->label = label;
}

static void
lower_parallel(lw *l, const mpl_stmt *s)
{
	ir_func **fs = vc_alloc(l->c, sizeof *fs * (s->nbody + 1));
	int32_t limit, d, ret, brk, cont, end;
	ir_ins *in;

	if (lw_in_turn(l, s))
		return;
	limit = s->a ? lw_value(l, s->a) : -1;
	ret = lw_label(l);
	brk = lw_label(l);
	cont = lw_label(l);
	end = lw_label(l);

	for (uint32_t i = 0; i < s->nbody; i++)
		fs[i] = lw_branch(l, s->body[i]);
	l->f->leaf = false;
	d = lw_temp(l);
	in = lw_emit(l, IR_PARALLEL);
	in->d = d;
	in->a[0] = limit;
	in->na = 1;
	in->fs = fs;
	in->nfs = s->nbody;
	on_status(l, VT_RETURN, ret);
	on_status(l, VT_BREAK, brk);
	on_status(l, VT_CONTINUE, cont);
	lw_jump(l, end);
	lw_place(l, ret);
	lower_return_temp(l, d);
	lw_place(l, brk);
	lower_leave_loop(l, true);
	lw_jump(l, end);
	lw_place(l, cont);
	lower_leave_loop(l, false);
	lw_place(l, end);
}

/* ---- Try ---- */

/* Dispatches to the handlers; `exc` is the temporary of the exception. */
static void
lower_catches(lw *l, const mpl_stmt *s, int32_t exc, int32_t end)
{
	int32_t floor = l->next;

	for (uint32_t i = 0; i < s->ncatches; i++) {
		const mpl_catch *c = &s->catches[i];
		int32_t next = lw_label(l), hit = lw_op1(l, IR_EXCMATCH, exc);
		ir_ins *match = &l->f->ins[l->f->n - 1];
		/* without a name too: it matches all but the end of a task */
		match->names = c->with;
		match->nnames = c->nwith;
		lw_jump_if(l, IR_JFALSE, hit, next);
		if (c->as && lw_variable(l, c->as) >= 0)
			set_item(l, c->as, lw_op1(l, IR_EXCOBJ, exc));
		lw_free_temps(l, floor, l->next);
		lw_step_branch(l, s, "Catch");
		lw_nested(l, c->body, c->nbody);
		lw_jump(l, end);
		lw_place(l, next);
		l->next = floor;
	}
	ir_ins *in = lw_emit(l, IR_RERAISE);
	in->a[0] = exc;
	in->na = 1;
}

/* Try, Catch and Else, without Finally. */
static void
lower_try_catch(lw *l, const mpl_stmt *s)
{
	int32_t outer = l->handler, caught = lw_label(l), end = lw_label(l), floor = l->next, exc;
	const lw_rethrow *saved = l->rethrow;

	if (s->ncatches == 0) {
		lw_nested(l, s->body, s->nbody);
		lw_nested(l, s->orelse, s->norelse);
		return;
	}
	lw_set_handler(l, caught);
	lw_nested(l, s->body, s->nbody);
	lw_set_handler(l, outer);
	lw_nested(l, s->orelse, s->norelse);
	lw_jump(l, end);
	lw_place(l, caught);
	lw_free_temps(l, floor, -1);
	exc = lw_temp(l);
	lw_emit(l, IR_CAUGHT)->d = exc;
	lw_rethrow here = {exc};
	l->rethrow = &here;
	lower_catches(l, s, exc, end);
	l->rethrow = saved;
	lw_place(l, end);
	lw_free_temps(l, floor, l->next);
	l->next = floor;
}

/* After Finally: goes on where the pending exit leads. */
static void
resume(lw *l, int32_t pending, int32_t value, int32_t kind)
{
	int32_t next = lw_label(l), floor = l->next;

	lw_jump_if(l, IR_JFALSE, equals(l, pending, (ir_const){.kind = IK_INT, .i = kind}), next);
	if (kind == PEND_ERROR) {
		ir_ins *in = lw_emit(l, IR_RERAISE);
		in->a[0] = value;
		in->na = 1;
	} else if (kind == PEND_RETURN)
		lower_return_temp(l, value);
	else
		lower_leave_loop(l, kind == PEND_BREAK);
	lw_place(l, next);
	lw_free_temps(l, floor, l->next);
	l->next = floor;
}

static void
lower_try(lw *l, const mpl_stmt *s)
{
	int32_t outer = l->handler, failed, fin, pending, value, zero;
	lw_exit x;

	if (!s->has_finally) {
		lower_try_catch(l, s);
		return;
	}
	failed = lw_label(l);
	fin = lw_label(l);
	pending = lw_temp(l);
	value = lw_temp(l);
	zero = lw_const(l, (ir_const){.kind = IK_INT, .i = PEND_NONE});
	lw_copy_into(l, pending, zero);
	lw_copy_into(l, value, zero);
	x = (lw_exit){.up = l->exit,
		.kind = LW_FINALLY,
		.fin = fin,
		.pending = pending,
		.value = value,
		.floor = l->next};
	l->exit = &x;
	lw_set_handler(l, failed);
	lower_try_catch(l, s);
	lw_set_handler(l, outer);
	lw_jump(l, fin);
	lw_place(l, failed);
	lw_free_temps(l, x.floor, -1);
	int32_t exc = lw_temp(l);
	lw_emit(l, IR_CAUGHT)->d = exc;
	lw_copy_into(l, value, exc);
	lw_copy_into(l, pending, lw_const(l, (ir_const){.kind = IK_INT, .i = PEND_ERROR}));
	lw_free_temps(l, x.floor, l->next);
	l->next = x.floor;
	l->exit = x.up;
	lw_place(l, fin);
	lw_nested(l, s->finally, s->nfinally);
	resume(l, pending, value, PEND_ERROR);
	resume(l, pending, value, PEND_RETURN);
	resume(l, pending, value, PEND_BREAK);
	resume(l, pending, value, PEND_CONTINUE);
}

static void
lower_throw(lw *l, const mpl_stmt *s)
{
	int32_t names = lw_value(l, s->a), message = lw_value(l, s->b), extra = lw_literal(l, s->c),
		cause = lw_value(l, s->d);
	ir_ins *in;

	lw_show(l, "Throw", message);
	lw_position(l, s->span, throw_title(l, s));
	in = lw_emit(l, IR_THROW);

	in->a[0] = names;
	in->a[1] = message;
	in->a[2] = extra;
	in->a[3] = cause;
	in->na = 4;
}

static void
lower_rethrow(lw *l)
{
	ir_ins *in;

	if (l->rethrow == NULL) {
		lw_emit(l, IR_NORETHROW);
		return;
	}
	in = lw_emit(l, IR_RERAISE);
	in->a[0] = l->rethrow->exc;
	in->na = 1;
}

/* ---- statements ---- */

/* The return of a value that a choice has come to. */
static void
return_chosen(lw *l, const lw_chosen *to, const yq_node *e, int32_t temp)
{
	ynode value = *(const ynode *)to->of;

	if (e == NULL) {
		lower_return_temp(l, lw_op1(l, IR_FINAL, temp));
		return;
	}
	value.expr = (yq_node *)(uintptr_t)e;
	lower_return_temp(l, lw_value(l, &value));
}

static void
lower_return(lw *l, const mpl_stmt *s)
{
	const lw_chosen to = {return_chosen, s->a};
	int32_t value;

	if (s->a != NULL && !lw_has_steps(l) && lw_choose_value(l, s->a, NULL, &to))
		return;
	value = lw_value(l, s->a);

	lw_show(l, "Return", value);
	lower_return_temp(l, value);
}

static void
lower_stmt(lw *l, const mpl_stmt *s)
{
	if (s->kind != MS_WHILE) /* which is one each time its condition is looked at */
		lw_step(l, s);
	if (s->kind != MS_DO && s->kind != MS_ERROR && s->kind != MS_WHILE)
		begin(l, s);
	switch ((enum mpl_stmt_kind)s->kind) {
	case MS_EXPR: lw_show(l, "", lw_value(l, s->a)); break;
	case MS_ASSIGN: lw_assign(l, s); break;
	case MS_DO: lw_nested(l, s->body, s->nbody); break;
	case MS_RETURN: lower_return(l, s); break;
	case MS_BREAK: lower_leave_loop(l, true); break;
	case MS_CONTINUE: lower_leave_loop(l, false); break;
	case MS_IF: lower_if(l, s); break;
	case MS_WHILE: lower_while(l, s); break;
	case MS_FOR: lower_for(l, s); break;
	case MS_REPEAT: lower_repeat(l, s); break;
	case MS_MATCH: lower_match(l, s); break;
	case MS_SWITCH: lower_switch(l, s); break;
	case MS_PARALLEL: lower_parallel(l, s); break;
	case MS_TRY: lower_try(l, s); break;
	case MS_THROW: lower_throw(l, s); break;
	case MS_RETHROW: lower_rethrow(l); break;
	case MS_ERROR: break;
	}
}

void
lw_body(lw *l, mpl_stmt *const *body, uint32_t n)
{
	const mpl_stmt *part[LW_MOST_LINKS];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t parts = lw_split_assign(l, body[i], part);
		if (parts == 0)
			part[parts++] = body[i];
		for (uint32_t k = 0; k < parts; k++) {
			lower_stmt(l, part[k]);
			end_statement(l);
		}
	}
}
