/*
 * form_check.c - what a form can know of check(PREDICATE): muranopl-forms.txt, "Schema
 *generation".
 *
 * A predicate `A and B and ...` is split; of each part that compares the value with something else
 *the IR keeps a pattern, `TARGET OP`, and the code of the other side:
 *
 *	TARGET   $   $.name.name   len(TARGET)
 *	OP       >   >=   <   <=   in   matches
 *
 * All other parts are left to the contract itself.  emit/form_schema.c makes JSON schema of the
 * patterns.
 */
#include "compiler/lower/int.h"

#include <string.h>

static const yq_node *
strip(const yq_node *e)
{
	while (e->kind == YQ_WRAP)
		e = e->kid[0];
	return e;
}

static bool
is_op(const yq_node *e, const char *op)
{
	return e->kind == YQ_BINARY && strcmp(e->text, op) == 0;
}

static bool
is_call(const yq_node *e, const char *name, uint32_t n)
{
	return e->kind == YQ_CALL && strcmp(e->text, name) == 0 && e->n == n;
}

static bool
is_dollar(const yq_node *e)
{
	return e->kind == YQ_VAR && (e->ntext == 0 || strcmp(e->text, "1") == 0);
}

/* `$` or `$.name.name`; NULL when it is something else. */
static const char *
path_of(vc *c, const yq_node *e)
{
	const char *left;

	e = strip(e);
	if (is_dollar(e))
		return "$";
	if (!is_op(e, ".") || e->kid[1]->kind != YQ_KEYWORD)
		return NULL;
	left = path_of(c, e->kid[0]);
	return left ? vc_format(c, "%s.%s", left, e->kid[1]->text) : NULL;
}

static const char *
target_of(vc *c, const yq_node *e)
{
	const char *of = path_of(c, e);

	e = strip(e);
	if (of == NULL && is_call(e, "len", 1))
		of = path_of(c, e->kid[0]);
	else if (of == NULL && is_op(e, ".") && is_call(e->kid[1], "len", 0))
		of = path_of(c, e->kid[0]);
	else
		return of;
	return of ? vc_format(c, "len(%s)", of) : NULL;
}

/* In the arguments of these `$` is an element of what they go through. */
static bool
rebinds(const yq_node *call)
{
	static const char *const names[] = {"where", "select", "selectMany", "orderBy",
		"orderByDescending", "toDict", "groupBy"};

	for (size_t i = 0; call->kind == YQ_CALL && i < VC_LEN(names); i++)
		if (strcmp(call->text, names[i]) == 0)
			return true;
	return false;
}

/* Then it is no constant: the value itself stands on both sides. */
static bool
needs_value(const yq_node *e)
{
	if (is_dollar(e))
		return true;
	if (is_op(e, ".") && rebinds(e->kid[1]))
		return needs_value(e->kid[0]);
	for (uint32_t i = 0; i < e->n; i++)
		if (e->kid[i] != NULL && needs_value(e->kid[i]))
			return true;
	return false;
}

static void
keep(lw *l, ir_ins *in, const char *target, const char *op, const yq_node *other)
{
	if (target == NULL || needs_value(other))
		return;
	vc_push(l->c, in->names, in->nnames) = vc_format(l->c, "%s %s", target, op);
	vc_push(l->c, in->fs, in->nfs) = lw_code(l, other, false);
}

static void
comparison(lw *l, ir_ins *in, const yq_node *e)
{
	static const struct {
		const char *op, *flipped;
	} ops[] = {{">", "<"}, {">=", "<="}, {"<", ">"}, {"<=", ">="}};
	const char *left = target_of(l->c, e->kid[0]);

	for (size_t i = 0; i < VC_LEN(ops); i++) {
		if (!is_op(e, ops[i].op))
			continue;
		if (left)
			keep(l, in, left, ops[i].op, e->kid[1]);
		else
			keep(l, in, target_of(l->c, e->kid[1]), ops[i].flipped, e->kid[0]);
	}
}

void
lw_check_patterns(lw *l, const yq_node *e, ir_ins *in)
{
	e = strip(e);
	if (e->kind != YQ_BINARY)
		return;
	if (is_op(e, "and")) {
		lw_check_patterns(l, e->kid[0], in);
		lw_check_patterns(l, e->kid[1], in);
	} else if (is_op(e, "in"))
		keep(l, in, path_of(l->c, e->kid[0]), "in", e->kid[1]);
	else if (is_op(e, "=~"))
		keep(l, in, path_of(l->c, e->kid[0]), "matches", e->kid[1]);
	else if (is_op(e, ".") && is_call(e->kid[1], "matches", 1))
		keep(l, in, path_of(l->c, e->kid[0]), "matches", e->kid[1]->kid[0]);
	else
		comparison(l, in, e);
}
