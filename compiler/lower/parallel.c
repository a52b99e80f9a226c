/*
 * parallel.c - the branches of Parallel: code in scopes of their own, or one after another.
 *
 * Branches that only compute and assign variables can neither wait nor be seen at work.  So they
 * are statements of the method, in the order in which their tasks would run.  Other tasks, if there
 * are any, have the turns that they would have (`turns`), and when branches fail, the others run
 * all the same and the first failure is raised then.  Properties are not read: another task could
 * set them in between.
 */
#include "compiler/lower/int.h"

#include <string.h>

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
ir_func *
lw_branch(lw *l, mpl_stmt *s)
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
	lw_body(&in, &s, 1);
	lw_end(&in, lw_const(&in, (ir_const){.kind = IK_NULL}));
	in.base->boxed = true;
	return in.f;
}

/* ---- one after another ---- */

/* Functions that run no method of the program, whatever they are given, and do not wait. */
static bool
is_quiet_call(const lw *l, const yq_node *e)
{
	static const char *const names[] = {"str", "int", "float", "bool", "len", "min", "max",
		"abs", "round", "range", "list", "dict", "set", "get", "toUpper", "toLower",
		"concat", "format", "trim", "isEmpty", "first", "last", "sum", "any", "all",
		"where", "select", "toList", "keys", "values", "containsKey", "not", NULL};

	if (lw_is_method_name(l, e->text))
		return false;
	for (const char *const *n = names; *n; n++)
		if (lw_is_word(e, *n))
			return true;
	return false;
}

/* What has a property that another task could set. */
static bool
is_member(const yq_node *e)
{
	return (lw_is_word(e, ".") || lw_is_word(e, "?.")) && e->kid[1]->kind != YQ_CALL;
}

/* Does nothing of it run a method, wait, or depend on what other tasks do? */
static bool
is_quiet(const lw *l, const yq_node *e)
{
	if (e->kind == YQ_INVOKE || e->kind == YQ_ERROR || e->alias ||
		(e->kind == YQ_BINARY && (lw_is_word(e, "->") || is_member(e))) ||
		(e->kind == YQ_CALL && !is_quiet_call(l, e)))
		return false;
	for (uint32_t i = 0; i < e->n; i++)
		if (!is_quiet(l, e->kid[i]))
			return false;
	return true;
}

static bool
is_quiet_value(const lw *l, const ynode *v)
{
	if (v == NULL || (v->kind == YN_SCALAR && !v->is_expr))
		return true;
	if (v->kind == YN_SCALAR)
		return v->expr && is_quiet(l, v->expr);
	for (uint32_t i = 0; i < v->n; i++)
		if ((v->kind == YN_MAP && !is_quiet_value(l, v->key[i])) ||
			!is_quiet_value(l, v->item[i]))
			return false;
	return true;
}

static bool is_quiet_body(lw *, mpl_stmt *const *, uint32_t);

static bool
is_quiet_statement(lw *l, mpl_stmt *s)
{
	const yq_node *to = s->kind == MS_ASSIGN && s->a->is_expr ? s->a->expr : NULL;

	switch (s->kind) {
	case MS_DO: return is_quiet_body(l, s->body, s->nbody);
	case MS_IF:
		return is_quiet_value(l, s->a) && is_quiet_body(l, s->body, s->nbody) &&
		       is_quiet_body(l, s->orelse, s->norelse);
	case MS_EXPR: return is_quiet_value(l, s->a);
	case MS_ASSIGN:
		return to && to->kind == YQ_VAR && lw_variable(l, to->text) >= 0 &&
		       is_quiet_value(l, s->b);
	}
	return false;
}

static bool
is_quiet_body(lw *l, mpl_stmt *const *body, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!is_quiet_statement(l, body[i]))
			return false;
	return true;
}

/* A branch; what fails in it is kept, unless one before it has failed. */
static void
in_turn(lw *l, mpl_stmt *const *branch, int32_t failed)
{
	int32_t outer = l->handler, caught = lw_label(l), next = lw_label(l), floor = l->next, exc;

	lw_set_handler(l, caught);
	lw_nested(l, branch, 1);
	lw_set_handler(l, outer);
	lw_jump(l, next);
	lw_place(l, caught);
	lw_free_temps(l, floor, -1);
	exc = lw_temp(l);
	lw_emit(l, IR_CAUGHT)->d = exc;
	lw_jump_if(l, IR_JTRUE, failed, next);
	lw_copy_into(l, failed, exc);
	lw_place(l, next);
	lw_free_temps(l, floor, l->next);
	l->next = floor;
}

bool
lw_in_turn(lw *l, const mpl_stmt *s)
{
	int32_t failed, end, floor = l->next;
	ir_ins *in;

	if (l->f->kind != IF_METHOD || l->own || s->a || !vc_pass_on(l->c, INLINE) ||
		lw_has_steps(l) || lw_metered(l) || !is_quiet_body(l, s->body, s->nbody))
		return false;
	failed = lw_temp(l);
	lw_copy_into(l, failed, lw_const(l, (ir_const){.kind = IK_NULL}));
	lw_emit(l, IR_TURNS)->i[0] = s->nbody;
	for (uint32_t i = 0; i < s->nbody; i++)
		in_turn(l, &s->body[i], failed);
	end = lw_label(l);
	lw_jump_if(l, IR_JNULL, failed, end);
	in = lw_emit(l, IR_RERAISE);
	in->a[0] = failed;
	in->na = 1;
	lw_place(l, end);
	lw_free_temps(l, floor, l->next);
	l->next = floor;
	return true;
}
