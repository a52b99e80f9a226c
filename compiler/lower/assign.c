/*
 * assign.c - assignments to IR: a target is a variable and the levels below it, which are read from
 * the root down and written from the last one up.
 */
#include "compiler/lower/int.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_IN_PLACE = 8 }; /* levels of a target */

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

/* All levels at once, where that can be done in place. The root was read into a temporary. */
static void
put_in(lw *l, int32_t root, const level *levels, uint32_t n, int32_t value, int32_t done)
{
	int32_t *path = vc_alloc(l->c, n * sizeof *path);
	ir_ins *in;

	for (uint32_t i = 0; i < n; i++)
		path[i] = levels[i].name ? lw_const(l, lw_string(levels[i].name,
							       (uint32_t)strlen(levels[i].name)))
					 : levels[i].index;
	in = lw_emit(l, IR_PUTIN);
	in->a[0] = root;
	in->a[1] = value;
	in->na = 2;
	in->list = path;
	in->nlist = n;
	in->label = done;
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
	if (n > 1 && n <= MOST_IN_PLACE && vc_pass_on(l->c, UPDATE) && !lw_metered(l))
		put_in(l, at, levels, n, value, done);
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
		lw_set_variable(l, var, value);
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

	if (var < 0 || s->b == NULL || s->b->kind != YN_SCALAR || !s->b->is_expr ||
		lw_sets_one(l, s->b->expr))
		return false;
	l->node = s->b;
	l->text = s->b->text;
	l->ntext = s->b->ntext;
	lw_position(l, s->b->span, vc_strndup(l->c, s->b->text, s->b->ntext));
	done = lw_add_to_variable(l, var, target->text, s->b->expr);
	if (!done)
		l->f->n--;
	l->node = saved.node;
	l->text = saved.text;
	l->ntext = saved.ntext;
	return done;
}

void
lw_assign_temp(lw *l, const mpl_stmt *s, int32_t value)
{
	level levels[64];
	uint32_t n = 0;
	const yq_node *root = NULL;
	int32_t var;
	lw saved;
	char *text = vc_strndup(l->c, s->a->text, s->a->ntext);

	lw_show(l, text, value);
	lw_position(l, s->a->span, text);
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
		lw_set_variable(l, var, value);
	} else
		bad_target(l, IR_BADTHIS, vc_format(l->c, "$%s", root->text));
	l->node = saved.node;
	l->text = saved.text;
	l->ntext = saved.ntext;
}

/* The assignment of a value that a choice has come to. */
static void
put_chosen(lw *l, const lw_chosen *to, const yq_node *e, int32_t temp)
{
	const mpl_stmt *s = to->of;
	mpl_stmt *part;
	ynode *value;

	if (e == NULL) {
		lw_assign_temp(l, s, lw_op1(l, IR_FINAL, temp));
		return;
	}
	part = vc_alloc(l->c, sizeof *part);
	value = vc_alloc(l->c, sizeof *value);
	*part = *s;
	*value = *s->b;
	part->b = value;
	value->expr = (yq_node *)(uintptr_t)e;
	lw_nested(l, &part, 1);
}

bool
lw_choose_value(lw *l, const ynode *v, const char *var, const lw_chosen *to)
{
	lw saved = *l;
	uint32_t at = l->f->n;
	bool done;

	if (v->kind != YN_SCALAR || !v->is_expr || l->f->kind != IF_METHOD ||
		!vc_pass_on(l->c, UPDATE))
		return false;
	lw_position(l, v->span, vc_strndup(l->c, v->text, v->ntext));
	l->node = v;
	l->text = v->text;
	l->ntext = v->ntext;
	done = lw_choose_to(l, v->expr, var, to);
	if (!done)
		l->f->n = at;
	l->node = saved.node;
	l->text = saved.text;
	l->ntext = saved.ntext;
	return done;
}

/* `$x: switch(c => $x, true => $x.f(..))`: the assignment stands behind each value of the choice,
 * so that what changes $x does so where it is. */
static bool
assign_choice(lw *l, const mpl_stmt *s)
{
	const yq_node *root = s->a != NULL ? s->a->expr : NULL;
	const lw_chosen to = {put_chosen, s};

	while (root != NULL && root->n > 0 && (root->kind == YQ_BINARY || root->kind == YQ_INDEX))
		root = root->kid[0];
	return root != NULL && root->kind == YQ_VAR && s->b != NULL &&
	       lw_choose_value(l, s->b, root->text, &to);
}

void
lw_assign(lw *l, const mpl_stmt *s)
{
	if (!lw_has_steps(l) &&
		(add_to_variable(l, s) || assign_choice(l, s) || lw_assign_chain(l, s)))
		return;
	lw_assign_temp(l, s, lw_value(l, s->b));
}
