/*
 * let.c - `let(name => value) -> e`, `with(value) -> e` and `def(name, f) -> e` of a method,
 * without a context; and `value.assert(e)`, without a lambda.
 *
 * The names mean temporaries, or variables of the method where lambdas of e read them.  Code asks
 * first whether the site has found the library's function, and whether all values are evaluated: an
 * iterator that is read through a name is the same one each time, and a variable holds none.  Else
 * the call makes a context, as ever.  A function that is called in e alone, and makes no lambdas,
 * is written out where it is called.
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
sees_context(const lw *l, const char *name)
{
	bool known, sees = vt_fn_sees_scope(name, l->unit->layers, &known);

	return sees || !known;
}

/* What e has, as far as it matters to the names. */
typedef struct look {
	const char *function; /* whose calls are written out; or NULL */
	bool lambdas;         /* expressions that are evaluated elsewhere */
	bool other;           /* what only a context has an answer for */
	bool same;            /* expressions that are evaluated elsewhere, with the same `$` */
	bool choices;         /* what chooses is written out, so it evaluates nothing elsewhere */
	bool inlined;         /* and so are let() and dict(), as in a loop */
	bool methods;         /* calls that may do anything */
} look;

/* A call whose arguments are values by position. */
static bool
fits_function(const yq_node *call)
{
	for (uint32_t i = 0; i < call->n; i++)
		if (call->kid[i]->kind == YQ_MAPPING || call->kid[i]->kind == YQ_EMPTY)
			return false;
	return call->n <= MOST_VALUES;
}

static void look_at(lw *, const yq_node *, look *);
static void look_below(lw *, const yq_node *, look *);

/* Functions that give their lambdas an argument. */
static const char *const givers[] = {"where", "filter", "select", "map", "selectMany", "any", "all",
	"orderBy", "orderByDescending", "thenBy", "thenByDescending", "groupBy", "toDict",
	"aggregate", "reduce", "accumulate", "takeWhile", "skipWhile", "indexWhere",
	"lastIndexWhere", "distinct", NULL};

static void
look_at_call(lw *l, const yq_node *e, bool method, look *to)
{
	uint8_t *how = vc_alloc(l->c, e->n + 1);
	bool choice =
		!method && ((to->choices && lw_is_choice(l, e->text, -1, e->kid, e->n)) ||
				   (to->inlined && lw_is_record(l, e->text, -1, e->kid, e->n)));
	bool own = !method && to->function && strcmp(e->text, to->function) == 0;

	if ((own && fits_function(e)) || choice)
		memset(how, LW_EAGER, e->n);
	else
		lw_classify(l, e->text, method, e->kid, e->n, how);
	for (uint32_t i = 0; i < e->n; i++) {
		bool constant = e->kid[i]->n == 0 && e->kid[i]->kind != YQ_VAR &&
				e->kid[i]->kind != YQ_CALL;
		to->lambdas |= how[i] != LW_EAGER && !constant;
		to->same |= how[i] != LW_EAGER && !constant && !is_one_of(e->text, givers);
		to->other |= how[i] == LW_UNKNOWN;
		/* a key that is no name is evaluated by the function */
		to->same |= !choice && e->kid[i]->kind == YQ_MAPPING &&
			    e->kid[i]->kid[0]->kind != YQ_KEYWORD;
		if (e->kid[i]->kind == YQ_MAPPING)
			look_below(l, e->kid[i], to);
		else
			look_at(l, e->kid[i], to);
	}
	to->methods |= lw_is_method_name(l, e->text);
	if (!choice && !(own && fits_function(e)) && !(method && lw_is_method_name(l, e->text)))
		to->other |= sees_context(l, e->text);
}

/* A map whose parts are all pairs is made in place; any other pair is a call, as are `1 => 2` and
 * what has one in it. */
static bool
is_plain_map(const yq_node *e)
{
	for (uint32_t i = 0; i < e->n; i++)
		if (e->kid[i]->kind != YQ_MAPPING)
			return false;
	return e->kind == YQ_MAP;
}

static void
look_below(lw *l, const yq_node *e, look *to)
{
	bool dot = e->kind == YQ_BINARY && (lw_is_word(e, ".") || lw_is_word(e, "?.")),
	     plain = is_plain_map(e);

	for (uint32_t i = 0; i < e->n && !to->other; i++)
		if (dot && i == 1 && e->kid[1]->kind == YQ_CALL)
			look_at_call(l, e->kid[1], true, to);
		else if (plain)
			look_below(l, e->kid[i], to);
		else
			look_at(l, e->kid[i], to);
}

/* let() or with() in front of an arrow, of a lambda that is written out. */
static bool
is_inlined_let(lw *l, const yq_node *e)
{
	return e->kind == YQ_BINARY && lw_is_word(e, "->") && e->alias == NULL && lw_is_let(l, e) &&
	       !lw_is_word(e->kid[0], "def");
}

static void
look_at_let(lw *l, const yq_node *e, look *to)
{
	const yq_node *call = e->kid[0];

	for (uint32_t i = 0; i < call->n; i++)
		look_at(l, call->kid[i]->kind == YQ_MAPPING ? call->kid[i]->kid[1] : call->kid[i],
			to);
	look_at(l, e->kid[1], to);
}

static void
look_at(lw *l, const yq_node *e, look *to)
{
	if (e->kind == YQ_CALL) {
		look_at_call(l, e, false, to);
		return;
	}
	if (to->inlined && is_inlined_let(l, e)) {
		look_at_let(l, e, to);
		return;
	}
	to->same |= e->kind == YQ_MAPPING || (e->kind == YQ_MAP && !is_plain_map(e));
	to->other |= e->kind == YQ_INVOKE || e->kind == YQ_ERROR || e->kind == YQ_EMPTY ||
		     e->alias != NULL || (e->kind == YQ_BINARY && lw_is_word(e, "->"));
	look_below(l, e, to);
}

bool
lw_is_blind(lw *l, const yq_node *e)
{
	look found = {.choices = true};

	look_at(l, e, &found);
	return !found.other && !found.same;
}

bool
lw_fits_loop(lw *l, const yq_node *e)
{
	look found = {.choices = true, .inlined = true};

	look_at(l, e, &found);
	return !found.other && !found.same;
}

bool
lw_only_looks(lw *l, const yq_node *e)
{
	look found = {.choices = true, .inlined = true};

	look_at(l, e, &found);
	return !found.methods && !found.other;
}

bool
lw_defers(lw *l, const yq_node *e)
{
	look found = {.choices = true, .inlined = true};

	look_at(l, e, &found);
	return found.methods && found.lambdas;
}

static bool
is_item(const yq_node *e)
{
	return e->kind == YQ_VAR && (e->ntext == 0 || (e->ntext == 1 && e->text[0] == '1'));
}

/* 0 or 1 of `$[0]` and `$[1]`; or -1. */
static int
part_number(const yq_node *e)
{
	const yq_node *n =
		e->kind == YQ_INDEX && e->n == 2 && is_item(e->kid[0]) ? e->kid[1] : NULL;

	return n && n->kind == YQ_NUMBER && n->ntext == 1 && (n->text[0] | 1) == '1'
		       ? n->text[0] - '0'
		       : -1;
}

int32_t
lw_part_of(const lw *l, const yq_node *e)
{
	int n = l->lets && !l->dynamic ? part_number(e) : -1;
	const lw_let *let = n >= 0 && l->f->kind == IF_METHOD ? lw_let_of(l, "", 1) : NULL;

	return let && let->part ? let->part[n] : -1;
}

/* What calls give to lambdas has a `$` of its own. */
static bool
call_uses_whole(lw *l, const yq_node *e, bool method)
{
	uint8_t *how = vc_alloc(l->c, e->n + 1);
	bool givers_own = is_one_of(e->text, givers);

	lw_classify(l, e->text, method, e->kid, e->n, how);
	for (uint32_t i = 0; i < e->n; i++)
		if (!(givers_own && how[i] == LW_LAZY) && lw_uses_whole(l, e->kid[i]))
			return true;
	return false;
}

bool
lw_uses_whole(lw *l, const yq_node *e)
{
	bool dot = e->kind == YQ_BINARY && (lw_is_word(e, ".") || lw_is_word(e, "?.")) &&
		   e->kid[1]->kind == YQ_CALL;

	if (part_number(e) >= 0)
		return false;
	if (dot)
		return lw_uses_whole(l, e->kid[0]) || call_uses_whole(l, e->kid[1], true);
	if (e->kind == YQ_CALL)
		return call_uses_whole(l, e, false);
	for (uint32_t i = 0; i < e->n; i++)
		if (lw_uses_whole(l, e->kid[i]))
			return true;
	return is_item(e);
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

/* A name that def() takes as it is and that nothing else has. */
static bool
is_new_name(lw *l, const yq_node *name)
{
	uint32_t n;

	for (uint32_t i = 0; i < name->ntext; i++)
		if (!((name->text[i] | 32) >= 'a' && (name->text[i] | 32) <= 'z') &&
			!(i > 0 && name->text[i] >= '0' && name->text[i] <= '9'))
			return false;
	return name->kind == YQ_KEYWORD && vt_fn_find(name->text, &n) == NULL &&
	       !lw_is_method_name(l, name->text);
}

static bool
is_def(lw *l, const yq_node *e)
{
	const yq_node *call = e->kid[0];
	look inside = {0}, found = {.function = call->kid[0]->text};

	if (call->n != 2 || !fits_function(call) || !is_new_name(l, call->kid[0]) ||
		lw_arg_kind(call->kid[1]) != VT_A_EXPR)
		return false;
	look_at(l, call->kid[1], &inside);
	look_at(l, e->kid[1], &found);
	return !inside.other && !inside.lambdas && !found.other && !found.lambdas;
}

bool
lw_is_let(lw *l, const yq_node *e)
{
	static const char *const names[] = {"let", "with", "def", NULL}, *const this[] = {
										 "this", NULL};
	const yq_node *call = e->kid[0];
	look found = {0};
	bool named;

	if (l->f->kind != IF_METHOD || l->dynamic || l->own || !vc_pass_on(l->c, CALLS) ||
		!vc_pass_on(l->c, CAPTURE) || lw_metered(l) || call->kind != YQ_CALL ||
		!is_one_of(call->text, names) || lw_is_method_name(l, call->text))
		return false;
	if (strcmp(call->text, "def") == 0)
		return call->n > 0 && is_def(l, e);
	if (!fits(call, &named) || (named && strcmp(call->text, "with") == 0))
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
	int32_t left = lw_temp(l);
	ir_ins *in = lw_emit(l, IR_CALL);

	in->d = left;
	in->list = given;
	in->nlist = site->nargs;
	in->site = site;
	return lw_in_context(l, e, left);
}

/* e with the function, whose calls are written out. */
static int32_t
define_in_place(lw *l, const yq_node *e)
{
	const yq_node *call = e->kid[0];
	int32_t *given = vc_alloc(l->c, 2 * sizeof *given), *name = vc_alloc(l->c, sizeof *name), d,
		inside, end;
	ir_site *site = lw_new_site(l, call->text, false, 2, call);
	lw_let f = {.up = l->lets, .function = call->kid[0]->text, .body = call->kid[1]};
	ir_ins *in;

	lw_fill_arg(l, &site->args[0], call->kid[0], true, LW_EAGER, false, &given[0]);
	lw_fill_arg(l, &site->args[1], call->kid[1], true, LW_LAZY, true, &given[1]);
	*name = lw_const(l, site->args[0].k);
	d = lw_temp(l);
	inside = lw_label(l);
	end = lw_label(l);
	in = lw_emit(l, IR_JFOUND);
	in->site = site;
	in->list = name;
	in->nlist = 1;
	in->label = inside;
	lw_copy_into(l, d, in_context(l, e, site, given));
	lw_jump(l, end);
	lw_place(l, inside);
	l->lets = &f;
	lw_copy_into(l, d, lw_expr(l, e->kid[1]));
	l->lets = f.up;
	lw_place(l, end);
	return d;
}

int32_t
lw_let_call(lw *l, const char *name, yq_node *const *args, uint32_t n)
{
	const lw_let *f = l->lets, *outer = l->lets;
	lw_let *given = vc_alloc(l->c, (n + 1) * sizeof *given);
	int32_t d;

	while (f && !(f->function && strcmp(f->function, name) == 0))
		f = f->up;
	if (f == NULL || l->dynamic || l->f->kind != IF_METHOD)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		given[i] = (lw_let){.up = i ? &given[i - 1] : f->up,
			.n = i + 1,
			.temp = lw_expr(l, args[i]),
			.var = -1};
	l->lets = n ? &given[n - 1] : f->up;
	d = lw_expr(l, f->body);
	l->lets = outer;
	return d;
}

static void
calls_if_lazy(lw *l, int32_t *values, uint32_t n, bool variables)
{
	ir_ins *in = lw_emit(l, IR_JLAZY);

	in->i[0] = variables;
	in->list = values;
	in->nlist = n;
	in->label = l->again;
}

/* In a loop the names mean temporaries and variables alike; where a value is not evaluated, the
 * calls are made. */
static int32_t
let_in_loop(lw *l, const yq_node *e)
{
	const yq_node *call = e->kid[0];
	int32_t *values = vc_alloc(l->c, call->n * sizeof *values), *d;
	lw_let *lets = vc_alloc(l->c, call->n * sizeof *lets);
	const lw_let *outer = l->lets;
	look found = {0};
	bool named;

	(void)fits(call, &named);
	look_at(l, e->kid[1], &found);
	for (uint32_t i = 0; i < call->n; i++) {
		values[i] = lw_expr(l, named ? call->kid[i]->kid[1] : call->kid[i]);
		if (found.lambdas) /* a variable takes it, which may be the item */
			values[i] = lw_op1(l, IR_COPY, values[i]);
	}
	calls_if_lazy(l, values, call->n, found.lambdas);
	name_values(l, lets, call, named, found.lambdas, values);
	l->lets = &lets[call->n - 1];
	d = vc_alloc(l->c, sizeof *d);
	*d = lw_expr(l, e->kid[1]);
	l->lets = outer;
	/* the variables have other values when it is asked for its items */
	if (found.lambdas)
		calls_if_lazy(l, d, 1, false);
	return *d;
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

	if (strcmp(call->text, "def") == 0)
		return define_in_place(l, e);
	if (l->inlined)
		return let_in_loop(l, e);
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
		if (x->name ? n == 0 && strcmp(x->name, name) == 0 : n != 0 && x->n == n)
			return x;
	return NULL;
}

/* ---- assert() ---- */

bool
lw_is_assert(lw *l, const yq_node *call)
{
	look found = {0};

	if (strcmp(call->text, "assert") != 0 || l->f->kind != IF_METHOD || l->dynamic || l->own ||
		!vc_pass_on(l->c, CALLS) || lw_metered(l) || call->n < 1 || call->n > 2 ||
		!fits_function(call) || lw_is_method_name(l, call->text) ||
		lw_arg_kind(call->kid[0]) != VT_A_EXPR ||
		(call->n == 2 && call->kid[1]->kind != YQ_STRING))
		return false;
	look_at(l, call->kid[0], &found);
	return !found.other && !found.lambdas && !found.methods;
}

/* The condition, which only looks, about the value where it is; the call raises when it does not
 * hold. */
int32_t
lw_assert_in_place(lw *l, const yq_node *call, int32_t recv)
{
	int32_t *values = vc_alloc(l->c, sizeof *values), d = lw_temp(l), inside = lw_label(l),
		full = lw_label(l), end = lw_label(l);
	lw_let value = {.up = l->lets, .n = 1, .temp = recv, .var = -1};
	uint32_t at = l->f->n;
	ir_ins *in = lw_emit(l, IR_JFOUND);

	*values = recv;
	in->list = values;
	in->nlist = 1;
	in->label = inside;
	lw_jump(l, full);
	lw_place(l, inside);
	l->lets = &value;
	lw_jump_if(l, IR_JFALSE, lw_expr(l, call->kid[0]), full);
	l->lets = value.up;
	lw_copy_into(l, d, recv);
	lw_jump(l, end);
	lw_place(l, full);
	lw_copy_into(l, d, lw_call(l, call->text, recv, call->kid, call->n, call));
	for (uint32_t i = l->f->n; l->f->ins[at].site == NULL; i--)
		if (l->f->ins[i - 1].op == IR_CALLM)
			l->f->ins[at].site = l->f->ins[i - 1].site;
	lw_place(l, end);
	return d;
}
