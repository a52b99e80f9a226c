/*
 * let.c - `let(name => value) -> e` and `with(value) -> e` of a method, without a context.
 *
 * The names mean temporaries, or variables of the method where lambdas of e read them.  Code asks
 * first whether the site has found the library's function, and whether all values are evaluated: an
 * iterator that is read through a name is the same one each time, and a variable holds none.  Else
 * the call makes a context, as ever.
 */
#include "compiler/lower/int.h"
#include "runtime/call/call.h"

#include <string.h>

enum { MOST_VALUES = 8 };

static bool
is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

/* May a function of the name look at the context of its call, or keep it? */
static bool
sees_context(const char *name)
{
	uint32_t n;
	const vt_fnrow *rows = vt_fn_find(name, &n);

	for (uint32_t i = 0; rows && i < n; i++)
		if (rows[i].flags & VT_FN_CONTEXT)
			return true;
	return rows == NULL;
}

/* What e has, as far as it matters to the names. */
typedef struct look {
	bool lambdas; /* expressions that are evaluated elsewhere */
	bool other;   /* what only a context has an answer for */
} look;

static void look_at(lw *, const yq_node *, look *);

static void
look_at_call(lw *l, const yq_node *e, bool method, look *to)
{
	uint8_t *how = vc_alloc(l->c, e->n + 1);

	lw_classify(l, e->text, method, e->kid, e->n, how);
	for (uint32_t i = 0; i < e->n; i++) {
		bool constant = e->kid[i]->n == 0 && e->kid[i]->kind != YQ_VAR &&
				e->kid[i]->kind != YQ_CALL;
		to->lambdas |= how[i] != LW_EAGER && !constant;
		to->other |= how[i] == LW_UNKNOWN;
		look_at(l, e->kid[i], to);
	}
	if (method && lw_is_method_name(l, e->text))
		return;
	to->other |= sees_context(e->text);
}

static void
look_at(lw *l, const yq_node *e, look *to)
{
	bool dot = e->kind == YQ_BINARY && (lw_is_word(e, ".") || lw_is_word(e, "?."));

	if (e->kind == YQ_CALL) {
		look_at_call(l, e, false, to);
		return;
	}
	to->other |= e->kind == YQ_INVOKE || e->kind == YQ_ERROR || e->kind == YQ_EMPTY ||
		     e->alias != NULL || (e->kind == YQ_BINARY && lw_is_word(e, "->"));
	for (uint32_t i = 0; i < e->n && !to->other; i++)
		if (dot && i == 1 && e->kid[1]->kind == YQ_CALL)
			look_at_call(l, e->kid[1], true, to);
		else
			look_at(l, e->kid[i], to);
}

/* Are all arguments values with a name, none of them twice; or all without? */
static bool
fits(const yq_node *call, bool *named)
{
	*named = call->n > 0 && call->kid[0]->kind == YQ_MAPPING;
	for (uint32_t i = 0; i < call->n; i++) {
		const yq_node *a = call->kid[i];
		if ((a->kind == YQ_MAPPING) != *named || a->kind == YQ_EMPTY ||
			(*named && (a->kid[0]->kind != YQ_KEYWORD || a->kid[1]->kind == YQ_EMPTY)))
			return false;
		for (uint32_t k = 0; k < i && *named; k++)
			if (strcmp(call->kid[k]->kid[0]->text, a->kid[0]->text) == 0)
				return false;
	}
	return call->n > 0 && call->n <= MOST_VALUES;
}

bool
lw_is_let(lw *l, const yq_node *e)
{
	static const char *const names[] = {"let", "with", NULL}, *const this[] = {"this", NULL};
	const yq_node *call = e->kid[0];
	look found = {0};
	bool named;

	if (l->f->kind != IF_METHOD || l->dynamic || l->own || !vc_pass_on(l->c, CALLS) ||
		!vc_pass_on(l->c, CAPTURE) || lw_metered(l) || call->kind != YQ_CALL ||
		!is_one_of(call->text, names) || lw_is_method_name(l, call->text) ||
		!fits(call, &named) || (named && strcmp(call->text, "with") == 0))
		return false;
	for (uint32_t i = 0; named && i < call->n; i++)
		if (is_one_of(call->kid[i]->kid[0]->text, this))
			return false;
	look_at(l, e->kid[1], &found);
	return !found.other && (named || !found.lambdas);
}

/* The values by their names: $x, or $1 and $ for the first without a name. */
static void
name_values(lw *l, lw_let *to, const yq_node *call, bool named, bool lambdas, const int32_t *temps)
{
	char *own;

	for (uint32_t i = 0; i < call->n; i++) {
		to[i] = (lw_let){.up = i ? &to[i - 1] : l->lets,
			.name = named ? call->kid[i]->kid[0]->text : NULL,
			.n = i + 1,
			.temp = temps[i],
			.var = -1};
		if (!lambdas)
			continue;
		/* no name that an expression could have */
		own = vc_format(l->c, "%s %u", to[i].name, l->f->nvars);
		vc_push(l->c, l->f->vars, l->f->nvars) = own;
		to[i].var = (int32_t)l->f->nvars - 1;
		lw_set_variable(l, to[i].var, temps[i]);
	}
}

/* The call with its values, and e in the context that it makes. */
static int32_t
in_context(lw *l, const yq_node *e, ir_site *site, int32_t *given)
{
	ir_site *arrow = lw_new_site(l, "#operator_->", false, 2, e);
	int32_t left = lw_temp(l), d;
	ir_ins *in = lw_emit(l, IR_CALL);
	ir_func *f;

	in->d = left;
	in->list = given;
	in->nlist = site->nargs;
	in->site = site;
	arrow->args[0].kind = arrow->args[1].kind = VT_A_EXPR;
	f = lw_code(l, e->kid[1], true);
	lw_needs_scope(l);
	d = lw_temp(l);
	in = lw_emit(l, IR_CONTEXT);
	in->d = d;
	in->a[0] = left;
	in->na = 1;
	in->f = f;
	in->site = arrow;
	return d;
}

int32_t
lw_let_in_place(lw *l, const yq_node *e)
{
	const yq_node *call = e->kid[0];
	int32_t *given = vc_alloc(l->c, call->n * sizeof *given),
		*values = vc_alloc(l->c, call->n * sizeof *values), d, inside, end;
	ir_site *site = lw_new_site(l, call->text, false, call->n, call);
	const lw_let *outer = l->lets;
	lw_let *lets = vc_alloc(l->c, call->n * sizeof *lets);
	look found = {0};
	ir_ins *in;
	bool named;

	(void)fits(call, &named);
	look_at(l, e->kid[1], &found);
	for (uint32_t i = 0; i < call->n; i++)
		lw_fill_arg(l, &site->args[i], call->kid[i], true, LW_EAGER, false, &given[i]);
	for (uint32_t i = 0; i < call->n; i++)
		values[i] = given[i] >= 0 ? given[i] : lw_const(l, site->args[i].k);
	d = lw_temp(l);
	inside = lw_label(l);
	end = lw_label(l);
	in = lw_emit(l, IR_JFOUND);
	in->site = site;
	in->list = values;
	in->nlist = call->n;
	in->label = inside;
	lw_copy_into(l, d, in_context(l, e, site, given));
	lw_jump(l, end);
	lw_place(l, inside);
	name_values(l, lets, call, named, found.lambdas, values);
	l->lets = &lets[call->n - 1];
	lw_copy_into(l, d, lw_expr(l, e->kid[1]));
	l->lets = outer;
	lw_place(l, end);
	return d;
}

/* The innermost that the name means; n: of `$`, 1, and of `$2`, 2; or 0. */
const lw_let *
lw_let_of(const lw *l, const char *name, int64_t n)
{
	for (const lw_let *x = l->lets; x; x = x->up)
		if (x->name ? n == 0 && strcmp(x->name, name) == 0 : x->n == n)
			return x;
	return NULL;
}
