/*
 * lower.c - MuranoPL packages to IR: classes, statements, evaluated values.
 *
 * Temporaries: a statement numbers them from its floor and frees them at its end; what must live
 * across nested statements (iterators, pending exits) raises the floor for them.  Every way out of
 * a region frees what the region raised, so a temporary is empty whenever it is defined.
 */
#include "compiler/lower/lower.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <stdlib.h>
#include <string.h>

struct lw_names {
	const char **v;
	uint32_t n;
};

/* ---- emitting -------------------------------------------------------------------------------- */

ir_ins *
lw_emit(lw *l, enum ir_op op)
{
	ir_func *f = l->f;
	ir_ins *in;

	f->ins = vc_grow(l->c, f->ins, f->n, sizeof *f->ins);
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

static void
free_temps(lw *l, int32_t from, int32_t to)
{
	ir_ins *in;

	if (to >= 0 && from >= to)
		return;
	in = lw_emit(l, IR_FREE);
	in->i[0] = from;
	in->i[1] = to;
}

void
lw_end(lw *l, int32_t result)
{
	ir_ins *in = lw_emit(l, IR_RET);

	in->a[0] = result;
	in->na = 1;
	for (const lw_late *x = l->late; x; x = x->next) {
		lw_place(l, x->label);
		lw_set_handler(l, x->handler);
		in = lw_emit(l, IR_REFUSE);
		in->a[0] = x->recv;
		in->na = 1;
		in->site = x->site;
	}
	vc_push(l->c, l->m->funcs, l->m->nfuncs) = l->f;
}

/* Ends a statement: its temporaries go. */
static void
end_statement(lw *l)
{
	free_temps(l, l->floor, l->next);
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

static void
set_variable(lw *l, int32_t var, int32_t from)
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
static void
place(lw *l, vc_span at, const char *text)
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
		place(l, n->span, vc_strndup(l->c, n->text, n->ntext));
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

int32_t
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
	const ir_func *f = l->base ? l->base : l->f;

	for (uint32_t i = 0; i < f->nvars; i++)
		if (strcmp(f->vars[i], name) == 0)
			return (int32_t)i;
	return -1;
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

static void
declare_all(lw *l, mpl_stmt *const *body, uint32_t n)
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
			declare_all(l, s->catches[k].body, s->catches[k].nbody);
		}
		for (uint32_t k = 0; k < s->ncases; k++)
			declare_all(l, s->cases[k].body, s->cases[k].nbody);
		declare_all(l, s->body, s->nbody);
		declare_all(l, s->orelse, s->norelse);
		declare_all(l, s->finally, s->nfinally);
	}
}

/* ---- assignment ---- */

/* One level of a target below its root: .name or [index]. */
typedef struct level {
	const char *name;
	int32_t index;
	int32_t container;
} level;

static bool
collect_levels(
	lw *l, const yq_node *e, level *levels, uint32_t max, uint32_t *n, const yq_node **root)
{
	if (e->kind == YQ_BINARY && strcmp(e->text, ".") == 0 && e->kid[1]->kind == YQ_KEYWORD) {
		if (!collect_levels(l, e->kid[0], levels, max, n, root) || *n == max)
			return false;
		levels[(*n)++] = (level){.name = e->kid[1]->text, .index = -1};
		return true;
	}
	if (e->kind == YQ_INDEX && e->n == 2) {
		if (!collect_levels(l, e->kid[0], levels, max, n, root) || *n == max)
			return false;
		/* Evaluated once, in the order of the text. */
		levels[*n] = (level){.index = lw_expr(l, e->kid[1])};
		(*n)++;
		return true;
	}
	*root = e;
	return e->kind == YQ_VAR || e->kind == YQ_WRAP ||
	       (e->kind == YQ_BINARY && strcmp(e->text, ":") == 0) ||
	       (e->kind == YQ_UNARY && strcmp(e->text, ":") == 0) ||
	       (e->kind == YQ_CALL && strcmp(e->text, "type") == 0);
}

static int32_t
read_level(lw *l, int32_t container, const level *v)
{
	int32_t d = lw_temp(l);
	ir_ins *in = lw_emit(l, v->name ? IR_LHSATTR : IR_LHSINDEX);

	in->d = d;
	in->a[0] = container;
	in->a[1] = v->index;
	in->na = v->name ? 1 : 2;
	in->name = v->name;
	return d;
}

static int32_t
write_level(lw *l, int32_t container, const level *v, int32_t value)
{
	int32_t d = lw_temp(l);
	ir_ins *in = lw_emit(l, v->name ? IR_PUTATTR : IR_PUTINDEX);

	in->d = d;
	in->a[0] = container;
	in->a[1] = v->name ? value : v->index;
	in->a[2] = value;
	in->na = v->name ? 2 : 3;
	in->name = v->name;
	return d;
}

static void
write_variable_level(lw *l, int32_t var, const level *v, int32_t value)
{
	ir_ins *in = lw_emit(l, v->name ? IR_PUTATTRV : IR_PUTINDEXV);

	in->var = var;
	in->a[0] = v->name ? value : v->index;
	in->a[1] = value;
	in->na = v->name ? 1 : 2;
	in->name = v->name;
}

static void
bad_target(lw *l, enum ir_op op, const char *text)
{
	lw_emit(l, op)->name = text;
}

/* The outermost level of a target in a variable: levels[0] is written in place. */
static void
assign_levels(lw *l, const yq_node *root, level *levels, uint32_t n, int32_t value)
{
	int32_t var = root->kind == YQ_VAR ? lw_variable(l, root->text) : -1, done = lw_label(l),
		at;

	bool own = var >= 0 && lw_is_own(l, root->text); /* what is read is not what is written */

	if (var >= 0 && n == 1 && !own) {
		write_variable_level(l, var, &levels[0], value);
		lw_place(l, done);
		return;
	}
	at = lw_expr(l, root);
	for (uint32_t i = 0; i < n; i++) {
		levels[i].container = at;
		if (i + 1 < n)
			at = read_level(l, at, &levels[i]);
	}
	for (uint32_t i = n; i-- > 0;) {
		if (i == 0 && var >= 0 && !own) {
			write_variable_level(l, var, &levels[0], value);
			break;
		}
		value = write_level(l, levels[i].container, &levels[i], value);
		lw_jump_if(l, IR_JDONE, value, done);
	}
	/* A container came back, and its root is no variable: $, $this or a type. */
	if (own)
		set_variable(l, var, value);
	if (var < 0)
		bad_target(l, root->kind == YQ_VAR ? IR_BADTHIS : IR_BADLHS,
			root->kind == YQ_VAR ? root->text : l->text);
	lw_place(l, done);
}

/* `$x: $x + e` of a method's own variable. */
static bool
add_to_variable(lw *l, const mpl_stmt *s)
{
	const yq_node *target = s->a->expr;
	int32_t var = target && target->kind == YQ_VAR ? lw_variable(l, target->text) : -1;
	lw saved = *l;
	bool done;

	if (var < 0 || s->b == NULL || s->b->kind != YN_SCALAR || !s->b->is_expr)
		return false;
	l->node = s->b;
	l->text = s->b->text;
	l->ntext = s->b->ntext;
	place(l, s->b->span, vc_strndup(l->c, s->b->text, s->b->ntext));
	done = lw_add_to_variable(l, var, target->text, s->b->expr);
	if (!done)
		l->f->n--;
	l->node = saved.node;
	l->text = saved.text;
	l->ntext = saved.ntext;
	return done;
}

static void
lower_assign(lw *l, const mpl_stmt *s)
{
	level levels[64];
	uint32_t n = 0;
	const yq_node *root = NULL;
	int32_t value, var;
	lw saved;
	char *text = vc_strndup(l->c, s->a->text, s->a->ntext);

	if (add_to_variable(l, s))
		return;
	value = lw_value(l, s->b);
	place(l, s->a->span, text);
	saved = *l;
	l->node = s->a;
	l->text = s->a->text;
	l->ntext = s->a->ntext;
	if (!s->a->expr || !collect_levels(l, s->a->expr, levels, VC_LEN(levels), &n, &root) ||
		(n == 0 && root->kind != YQ_VAR))
		bad_target(l, IR_BADLHS, text);
	else if (n > 0)
		assign_levels(l, root, levels, n, value);
	else if ((var = lw_variable(l, root->text)) >= 0) {
		l->f->n--; /* cannot fail: no place */
		set_variable(l, var, value);
	} else
		bad_target(l, IR_BADTHIS, vc_format(l->c, "$%s", root->text));
	l->node = saved.node;
	l->text = saved.text;
	l->ntext = saved.ntext;
}

/* ---- ways out ---- */

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
			free_temps(l, x->floor, l->next);
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
			free_temps(l, x->floor, l->next);
			lw_jump(l, brk ? x->brk : x->cont);
			return;
		}
		if (x->kind == LW_FINALLY) {
			lw_copy_into(l, x->pending,
				lw_const(l, (ir_const){.kind = IK_INT,
						    .i = brk ? PEND_BREAK : PEND_CONTINUE}));
			free_temps(l, x->floor, l->next);
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

static void lower_body(lw *, mpl_stmt *const *, uint32_t);

/* Lowers a body while the temporaries made so far stay alive. */
static void
nested(lw *l, mpl_stmt *const *body, uint32_t n)
{
	int32_t floor = l->floor;

	l->floor = l->next;
	lower_body(l, body, n);
	l->next = l->floor;
	l->floor = floor;
}

/* `Throw name: message`, as far as the source tells both. */
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

	if (s->kind == MS_ASSIGN ||
		(s->kind == MS_EXPR && s->a->kind == YN_SCALAR && s->a->is_expr))
		return;
	if (s->kind == MS_RETHROW)
		text = "Rethrow";
	else if (s->kind == MS_THROW)
		text = throw_title(l, s);
	place(l, s->span, text);
}

static void
lower_if(lw *l, const mpl_stmt *s)
{
	int32_t otherwise = lw_label(l), end = lw_label(l), cond = lw_value(l, s->a);

	lw_jump_if(l, IR_JFALSE, cond, otherwise);
	nested(l, s->body, s->nbody);
	lw_jump(l, end);
	lw_place(l, otherwise);
	nested(l, s->orelse, s->norelse);
	lw_place(l, end);
}

static void
lower_while(lw *l, const mpl_stmt *s)
{
	int32_t again = lw_label(l), end = lw_label(l), floor = l->next, cond;
	lw_exit x = {.up = l->exit, .kind = LW_LOOP, .brk = end, .cont = again, .floor = floor};

	l->exit = &x;
	lw_place(l, again);
	cond = lw_value(l, s->a);
	/* The condition's temporaries die before the body: only the truth value survives, in a
	 * jump. */
	int32_t stop = lw_label(l);
	lw_jump_if(l, IR_JFALSE, cond, stop);
	free_temps(l, floor, l->next);
	l->next = floor;
	nested(l, s->body, s->nbody);
	lw_jump(l, again);
	lw_place(l, stop);
	free_temps(l, floor, -1);
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
		set_variable(l, var, value);
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
	set_item(l, s->name, item);
	free_temps(l, x.floor, l->next);
	l->next = x.floor;
	nested(l, s->body, s->nbody);
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
	nested(l, s->body, s->nbody);
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
	int32_t end = lw_label(l), value = lw_value(l, s->a), floor = l->next;

	for (uint32_t i = 0; i < s->ncases; i++) {
		const mpl_case *m = match_case(l, s, i);
		int32_t next = lw_label(l), eq;
		if (m == NULL)
			continue;
		eq = equals(l, value, lw_scalar(l, s->cases[i].key));
		lw_jump_if(l, IR_JFALSE, eq, next);
		nested(l, m->body, m->nbody);
		free_temps(l, floor, l->next);
		lw_jump(l, end);
		lw_place(l, next);
		free_temps(l, floor, l->next);
		l->next = floor;
	}
	nested(l, s->orelse, s->norelse);
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
		nested(l, s->cases[i].body, s->cases[i].nbody);
		lw_place(l, next);
		free_temps(l, floor, l->next);
		l->next = floor;
	}
	lw_jump_if(l, IR_JTRUE, any, end);
	nested(l, s->orelse, s->norelse);
	lw_place(l, end);
}

/* The names that For and Catch set in statements, those in branches of their own aside. */
static void
own_names(lw *l, mpl_stmt *const *body, uint32_t n, lw_own *o)
{
	for (uint32_t i = 0; i < n; i++) {
		const mpl_stmt *s = body[i];
		if (s->kind == MS_PARALLEL)
			continue;
		if (s->kind == MS_FOR && *s->name && strcmp(s->name, "this") != 0)
			vc_push(l->c, o->names, o->n) = s->name;
		for (uint32_t k = 0; k < s->ncatches; k++) {
			if (s->catches[k].as && *s->catches[k].as &&
				strcmp(s->catches[k].as, "this") != 0)
				vc_push(l->c, o->names, o->n) = s->catches[k].as;
			own_names(l, s->catches[k].body, s->catches[k].nbody, o);
		}
		for (uint32_t k = 0; k < s->ncases; k++)
			own_names(l, s->cases[k].body, s->cases[k].nbody, o);
		own_names(l, s->body, s->nbody, o);
		own_names(l, s->orelse, s->norelse, o);
		own_names(l, s->finally, s->nfinally, o);
	}
}

/* One branch of Parallel: code in a scope of its own within that of the method.  What it assigns
 * belongs to the method; For and Catch set variables that the other branches do not see. */
static ir_func *
lower_branch(lw *l, mpl_stmt *s)
{
	lw in = *l;
	lw_own own = {.up = l->own};

	own_names(l, &s, 1, &own);
	in.own = &own;
	in.f = lw_func(l, IF_CODE, NULL);
	in.f->base = in.base = l->base ? l->base : l->f;
	in.f->line = l->line;
	in.f->col = l->col;
	in.branch = true;
	in.floor = in.next = 0;
	in.handler = -1;
	in.late = NULL;
	in.exit = NULL;
	lower_body(&in, &s, 1);
	lw_end(&in, lw_const(&in, (ir_const){.kind = IK_NULL}));
	in.base->boxed = true;
	return in.f;
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
	int32_t limit = s->a ? lw_value(l, s->a) : -1, d, ret = lw_label(l), brk = lw_label(l),
		cont = lw_label(l), end = lw_label(l);
	ir_ins *in;

	for (uint32_t i = 0; i < s->nbody; i++)
		fs[i] = lower_branch(l, s->body[i]);
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

/* Dispatches to the handlers; the exception is in the temporary exc. */
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
		free_temps(l, floor, l->next);
		nested(l, c->body, c->nbody);
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
		nested(l, s->body, s->nbody);
		nested(l, s->orelse, s->norelse);
		return;
	}
	lw_set_handler(l, caught);
	nested(l, s->body, s->nbody);
	lw_set_handler(l, outer);
	nested(l, s->orelse, s->norelse);
	lw_jump(l, end);
	lw_place(l, caught);
	free_temps(l, floor, -1);
	exc = lw_temp(l);
	lw_emit(l, IR_CAUGHT)->d = exc;
	lw_rethrow here = {exc};
	l->rethrow = &here;
	lower_catches(l, s, exc, end);
	l->rethrow = saved;
	lw_place(l, end);
	free_temps(l, floor, l->next);
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
	free_temps(l, floor, l->next);
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
	free_temps(l, x.floor, -1);
	int32_t exc = lw_temp(l);
	lw_emit(l, IR_CAUGHT)->d = exc;
	lw_copy_into(l, value, exc);
	lw_copy_into(l, pending, lw_const(l, (ir_const){.kind = IK_INT, .i = PEND_ERROR}));
	free_temps(l, x.floor, l->next);
	l->next = x.floor;
	l->exit = x.up;
	lw_place(l, fin);
	nested(l, s->finally, s->nfinally);
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

	place(l, s->span, throw_title(l, s));
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

static void
lower_stmt(lw *l, const mpl_stmt *s)
{
	if (s->kind != MS_DO && s->kind != MS_ERROR && s->kind != MS_WHILE)
		begin(l, s);
	switch ((enum mpl_stmt_kind)s->kind) {
	case MS_EXPR: lw_value(l, s->a); break;
	case MS_ASSIGN: lower_assign(l, s); break;
	case MS_DO: nested(l, s->body, s->nbody); break;
	case MS_RETURN: lower_return_temp(l, lw_value(l, s->a)); break;
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

static void
lower_body(lw *l, mpl_stmt *const *body, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		lower_stmt(l, body[i]);
		end_statement(l);
	}
}

/* ---- classes ---- */

bool
lw_is_method_name(const lw *l, const char *name)
{
	/* Sorted once; binary search. */
	uint32_t lo = 0, hi = l->methods ? l->methods->n : 0;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		int c = strcmp(l->methods->v[mid], name);
		if (c == 0)
			return true;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

static ir_meta *
lower_meta(lw *l, const ynode *meta, uint32_t *n)
{
	ir_meta *out = NULL;
	uint32_t items = meta == NULL ? 0 : meta->kind == YN_SEQ ? meta->n : 1;

	*n = 0;
	for (uint32_t i = 0; i < items; i++) {
		const ynode *m = meta->kind == YN_SEQ ? meta->item[i] : meta;
		for (uint32_t k = 0; k < (m->kind == YN_MAP ? m->n : m->kind == YN_SCALAR); k++) {
			const ynode *name = m->kind == YN_MAP ? m->key[k] : m;
			ir_meta x = {.name = vc_strndup(l->c, name->text, name->ntext)};
			if (m->kind == YN_MAP)
				x.properties = lw_code_of_value(l, m->item[k], "meta");
			vc_push(l->c, out, *n) = x;
		}
	}
	return out;
}

/* Fresh state for the code of one member; its functions are numbered from 1 below its name. */
static lw
member(const lw *l, const char *name, uint32_t *serial, ir_func *holder)
{
	lw in = *l;

	*serial = 0;
	*holder = (ir_func){.name = name, .kind = IF_CODE, .unit = l->unit};
	in.f = holder;
	in.base = NULL;
	in.serial = serial;
	in.floor = in.next = 0;
	in.handler = -1;
	in.late = NULL;
	return in;
}

/* A program may hold a package in several versions; the names of functions tell them apart. */
static const char *
versioned(vc *c, const char *name, const mpl_package *p)
{
	uint32_t n, same = 0;
	mpl_package **all = vc_packages(c, &n);

	for (uint32_t i = 0; i < n; i++)
		same += strcmp(all[i]->name, p->name) == 0;
	return same > 1 ? vc_format(c, "%s/%s", name, p->version) : name;
}

static ir_prop
lower_property(const lw *l, const mpl_property *p)
{
	uint32_t serial;
	ir_func holder;
	const char *name =
		vc_format(l->c, "%s.%s", versioned(l->c, p->cls->name, p->cls->pkg), p->name);
	lw in = member(l, name, &serial, &holder);
	ir_prop out = {.name = p->name, .usage = p->usage};

	vc_place(p->span.src, p->span.from, &out.line, &out.col);
	out.contract = lw_contract(&in, p->contract, name);
	if (p->dflt)
		out.dflt = lw_code_of_value(&in, p->dflt, "default");
	out.meta = lower_meta(&in, p->meta, &out.nmeta);
	return out;
}

static ir_func *
lower_method_body(const lw *l, const mpl_method *m, const char *name, uint32_t *serial)
{
	lw in = *l;

	in.f = lw_func(&in, IF_METHOD, name);
	in.f->boxed = l->c->boxed;
	in.base = NULL;
	in.serial = serial;
	in.handler = -1;
	in.late = NULL;
	in.f->leaf = true;
	for (uint32_t i = 0; i < m->nargs; i++)
		vc_push(l->c, in.f->vars, in.f->nvars) = m->args[i].name;
	in.f->nparams = m->nargs;
	vc_place(m->span.src, m->span.from, &in.f->line, &in.f->col);
	declare_all(&in, m->body, m->nbody);
	lower_body(&in, m->body, m->nbody);
	lw_end(&in, lw_const(&in, (ir_const){.kind = IK_NULL}));
	return in.f;
}

static ir_method
lower_method(const lw *l, const mpl_method *m)
{
	uint32_t serial;
	ir_func holder;
	const char *name =
		vc_format(l->c, "%s::%s", versioned(l->c, m->cls->name, m->cls->pkg), m->name);
	lw in = member(l, name, &serial, &holder);
	ir_method out = {
		.name = m->name, .usage = m->usage, .is_public = m->is_public, .nparams = m->nargs};

	vc_place(m->span.src, m->span.from, &out.line, &out.col);
	out.params = vc_alloc(l->c, sizeof *out.params * (m->nargs + 1));
	for (uint32_t i = 0; i < m->nargs; i++) {
		const mpl_argument *a = &m->args[i];
		out.params[i] = (ir_param){.name = a->name, .usage = a->usage};
		out.params[i].contract = lw_contract(&in, a->contract, name);
		if (a->dflt)
			out.params[i].dflt = lw_code_of_value(&in, a->dflt, "default");
		out.params[i].meta = lower_meta(&in, a->meta, &out.params[i].nmeta);
	}
	out.meta = lower_meta(&in, m->meta, &out.nmeta);
	if (m->nbody)
		out.body = lower_method_body(&in, m, name, &serial);
	return out;
}

static ir_class *
lower_class(const lw *outer, const mpl_class *c)
{
	lw l = *outer;
	ir_class *k = vc_alloc(l.c, sizeof *k);
	uint32_t serial;
	ir_func holder;

	l.unit = vc_alloc(l.c, sizeof *l.unit);
	*l.unit = *outer->unit;
	l.unit->file = c->src ? c->src->name : "";
	l.unit->cls = k;
	l.unit->prefixes = c->prefixes;
	l.unit->nprefixes = c->nprefixes;
	l.cls = c;
	vc_push(l.c, l.m->units, l.m->nunits) = l.unit;
	*k = (ir_class){.name = c->name,
		.unit = l.unit,
		.parents = c->parents,
		.nparents = c->nparents,
		.imports = c->imports,
		.nimports = c->nimports,
		.is_meta = c->is_meta,
		.many = c->many,
		.inherited = c->inherited,
		.listed = c->listed,
		.applies = c->applies};
	for (uint32_t i = 0; i < c->nprops; i++)
		vc_push(l.c, k->props, k->nprops) = lower_property(&l, c->props[i]);
	for (uint32_t i = 0; i < c->nmethods; i++)
		if (!c->methods[i]->native)
			vc_push(l.c, k->methods, k->nmethods) = lower_method(&l, c->methods[i]);
	lw in = member(&l, versioned(l.c, c->name, c->pkg), &serial, &holder);
	k->meta = lower_meta(&in, c->meta, &k->nmeta);
	return k;
}

static uint32_t
layers_of(const mpl_package *p)
{
	uint32_t base = VT_L_STD | VT_L_DSL | VT_L_ENGINE, format = p->format;

	if (strcmp(p->name, "io.murano") == 0)
		base |= VT_L_CORE;
	if (format <= 101)
		return base | VT_L_LEGACY | VT_L_DSL_OLD | VT_L_DSL_LEGACY | VT_L_ENGINE_LEGACY;
	return base | (format <= 103 ? VT_L_DSL_OLD : VT_L_DSL_NEW);
}

static ir_package *
lower_package(lw *l, mpl_package *p)
{
	ir_package *k = vc_alloc(l->c, sizeof *k);
	lw in = *l;
	uint32_t serial;
	ir_func holder;

	*k = (ir_package){.name = p->name,
		.version = p->version,
		.format = p->format,
		.require = p->require,
		.nrequire = p->nrequire,
		.dir = p->builtin ? NULL : p->path};
	k->resources = vc_resources(l->c, p, &k->nresources);
	in.unit = vc_alloc(l->c, sizeof *in.unit);
	*in.unit = (ir_unit){.file = p->path ? p->path : "",
		.layers = layers_of(p),
		.version = p->format,
		.pkg = k,
		.opt = {.limit_iterators = -1,
			.memory_quota = -1,
			.tuples_to_lists = true,
			.sets_to_lists = true,
			.iterable_dicts = p->format <= 101,
			.convert_input = true,
			.convert_output = true}};
	k->unit = in.unit;
	vc_push(l->c, l->m->units, l->m->nunits) = in.unit;
	for (uint32_t i = 0; i < p->nclasses; i++)
		vc_push(l->c, k->classes, k->nclasses) = lower_class(&in, p->classes[i]);
	lw meta = member(&in, versioned(l->c, p->name, p), &serial, &holder);
	k->meta = lower_meta(&meta, p->meta, &k->nmeta);
	return k;
}

static struct lw_names *
method_names(vc *c, mpl_package **p, uint32_t n)
{
	struct lw_names *out = vc_alloc(c, sizeof *out);

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < p[i]->nclasses; k++)
			for (uint32_t m = 0; m < p[i]->classes[k]->nmethods; m++)
				vc_push(c, out->v, out->n) = p[i]->classes[k]->methods[m]->name;
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, vt_compare_texts);
	return out;
}

/* The declarations of natives are for the checker alone where there is a library with the
 * classes. */
static bool
has_twin(mpl_package *const *p, uint32_t n, const mpl_package *builtin)
{
	for (uint32_t i = 0; i < n; i++)
		if (p[i] != builtin && builtin->builtin && !strcmp(p[i]->name, builtin->name) &&
			!strcmp(p[i]->version, builtin->version))
			return true;
	return false;
}

ir_module *
vc_lower(vc *c)
{
	uint32_t n;
	mpl_package **packages = vc_packages(c, &n);
	lw l = {.c = c, .m = vc_alloc(c, sizeof *l.m), .handler = -1};

	l.methods = method_names(c, packages, n);
	for (uint32_t i = 0; i < n; i++)
		if (!has_twin(packages, n, packages[i]))
			vc_push(c, l.m->packages, l.m->npackages) = lower_package(&l, packages[i]);
	return l.m;
}
