/*
 * super.c - super() of a method whose function only calls what it is given, written out.
 *
 * `super($this, $.m(..))` is what `$.m(..)` gives for the object seen as each parent of the class,
 * in turn.  How many parents there are is known, so the expression is evaluated here for each of
 * them, without a lambda, a scope and a list of casts.  The call gives an iterator, which does the
 * same when it is walked.  So it is written out only where that happens at once: where it is all of
 * a value, and in front of what walks all of it, or asks for the first alone.
 */
#include "compiler/lower/int.h"
#include "compiler/murano/ast.h"

#include <string.h>

enum { MOST_PARENTS = 3 };

static bool
is_item(const yq_node *e)
{
	return e->kind == YQ_VAR && (e->ntext == 0 || (e->ntext == 1 && e->text[0] == '1'));
}

static bool
is_dot(const yq_node *e)
{
	return e->kind == YQ_BINARY && lw_is_word(e, ".");
}

/* `$.m(..)`, `$.x` and the like: what a method gives, or a property has, holds no iterator. */
static bool
is_member(const lw *l, const yq_node *e)
{
	const yq_node *right = is_dot(e) ? e->kid[1] : NULL;

	if (right == NULL || !(right->kind == YQ_KEYWORD ||
				     (right->kind == YQ_CALL && lw_is_method_name(l, right->text))))
		return false;
	return is_item(e->kid[0]) || is_member(l, e->kid[0]);
}

bool
lw_is_super(lw *l, const yq_node *e)
{
	uint8_t how[2];

	if (e->kind != YQ_CALL || !lw_is_word(e, "super") || e->n != 2 || l->cls == NULL ||
		l->f->kind != IF_METHOD || l->dynamic || l->own || !vc_pass_on(l->c, CALLS) ||
		!vc_pass_on(l->c, INLINE) || lw_metered(l) || l->cls->nparents == 0 ||
		l->cls->nparents > MOST_PARENTS || e->kid[0]->kind != YQ_VAR)
		return false;
	lw_classify(l, "super", false, e->kid, 2, how);
	return how[0] == LW_EAGER && how[1] == LW_LAZY && is_member(l, e->kid[1]) &&
	       lw_is_blind(l, e->kid[1]);
}

/* What walks all that super() gives as it begins, and the one that asks for the first alone. */
bool
lw_is_super_used(lw *l, const yq_node *e, bool *first)
{
	static const char *const walkers[] = {"first", "join", "toList", "last"};
	const yq_node *right = e->kid[1];

	if (!is_dot(e) || right->kind != YQ_CALL || lw_is_method_name(l, right->text))
		return false;
	*first = lw_is_word(right, "first");
	for (size_t i = 0; i < VC_LEN(walkers); i++)
		if (lw_is_word(right, walkers[i]))
			return lw_is_super(l, e->kid[0]);
	return false;
}

/* What the expression gives for the object as the parent of that number. */
static int32_t
as_parent(lw *l, const yq_node *call, int32_t of, uint32_t i, int32_t full)
{
	int32_t d = lw_temp(l), made;
	lw_let item = {.up = l->lets, .n = 1, .temp = d, .var = -1};
	ir_ins *in = lw_emit(l, IR_PARENT);

	in->d = d;
	in->a[0] = of;
	in->na = 1;
	in->i[0] = i;
	in->i[1] = l->cls->nparents;
	in->site = lw_new_site(l, "super", false, 0, call);
	in->label = full;
	l->lets = &item;
	made = lw_expr(l, call->kid[1]);
	l->lets = item.up;
	return made;
}

static void
written_out(lw *l, const yq_node *call, int32_t of, int32_t d, bool first, int32_t full)
{
	uint32_t n = first ? 1 : l->cls->nparents;
	int32_t *made = vc_alloc(l->c, n * sizeof *made), all;
	ir_ins *in;

	for (uint32_t i = 0; i < n; i++)
		made[i] = as_parent(l, call, of, i, full);
	all = lw_temp(l);
	in = lw_emit(l, IR_LIST);
	in->d = all;
	in->list = made;
	in->nlist = n;
	lw_copy_into(l, d, all);
}

int32_t
lw_super(lw *l, const yq_node *e, bool first)
{
	int32_t *given = vc_alloc(l->c, 2 * sizeof *given), d, inside, full, end, made;
	ir_site *site = lw_new_site(l, "super", false, 2, e);
	ir_ins *in;

	lw_fill_arg(l, &site->args[0], e->kid[0], true, LW_EAGER, false, &given[0]);
	lw_fill_arg(l, &site->args[1], e->kid[1], true, LW_LAZY, false, &given[1]);
	lw_needs_scope(l);
	d = lw_temp(l);
	inside = lw_label(l);
	full = lw_label(l);
	end = lw_label(l);
	in = lw_emit(l, IR_JFOUND);
	in->site = site;
	in->list = given;
	in->nlist = 1;
	in->label = inside;
	lw_jump(l, full);
	lw_place(l, inside);
	written_out(l, e, given[0], d, first, full);
	lw_jump(l, end);
	lw_place(l, full);
	made = lw_temp(l);
	in = lw_emit(l, IR_CALL);
	in->d = made;
	in->list = given;
	in->nlist = 2;
	in->site = site;
	lw_copy_into(l, d, made);
	lw_place(l, end);
	return d;
}
