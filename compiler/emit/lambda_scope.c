/*
 * lambda_scope.c - calls of a program that depend on where lambdas are written.
 *
 * Functions that def() makes stand in place of their calls, or have a program of their own where
 * they call themselves.  In an expression it is known by where
 * a call stands which def() it means: a lambda runs in the context in which it is written.  So a
 * function may have the name of one of the library.  What
 * a function reads beside its arguments are variables around the def().  Those are what the caller
 * sees, too, unless something between the two brings others of these names.
 *
 * let(), with() and unpack() name registers.  assert() is a choice that has no other side, and
 * call() by a name that is written is a call of that name.
 *
 * Calls that walk a collection, as distinct(), toDict() and orderBy(), may have lambdas of their
 * own.  Those run in the context around the program's lambda, so they must not need what the
 * program has in registers only.  The collection may be a pipeline, of which the program makes a
 * list, for such functions take any collection alike.
 */
#include "compiler/emit/lambda.h"
#include "runtime/call/call.h"

#include <stdlib.h>
#include <string.h>

/* MOST_CALLED: in a program, for those that call others twice grow by powers of two. */
enum { MOST_CALLED = 64, DEEPEST = 8, MOST_BETWEEN = 8 };

/* A code, the one that it is part of, and what brought its context, or NULL; call: whose argument
 * it is, or NULL, and which. */
typedef struct place {
	const ir_func *code, *in;
	const ir_ins *context, *call;
	uint32_t argument;
} place;

struct lp_places {
	const ir_unit *unit; /* whose codes: those of a unit stand in codes of the same one */
	uint32_t n;
	place *p; /* in the order of the codes' addresses; NULL: only counted yet */
};

/* ---- where codes stand ---- */

static void
add(struct lp_places *l, place p)
{
	if (p.code == NULL)
		return;
	if (l->p != NULL)
		l->p[l->n] = p;
	l->n++;
}

static void
add_codes(struct lp_places *l, const ir_func *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		for (uint32_t k = 0; in->site != NULL && k < in->site->nargs; k++) {
			add(l, (place){in->site->args[k].code, f, NULL, in, k});
			if (in->site->args[k].key != NULL)
				add(l, (place){.code = in->site->args[k].key->code, .in = f});
		}
		for (uint32_t k = 0; k < in->nfs; k++)
			add(l, (place){.code = in->fs[k], .in = f});
		add(l, (place){in->f, f, in->op == IR_CONTEXT ? in : NULL, NULL, 0});
	}
	add(l, (place){.code = f->sides[0], .in = f});
	add(l, (place){.code = f->sides[1], .in = f});
}

static int
by_code(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const place *)a)->code, y = (uintptr_t)((const place *)b)->code;

	return (x > y) - (x < y);
}

static bool
comes_first(const place *p)
{
	return p->call != NULL && p->argument == 0;
}

/* The first of its places is that of the first call whose first argument it is. */
static int
by_code_and_call(const void *a, const void *b)
{
	const place *p = a, *q = b;
	int c = by_code(a, b);

	if (c == 0)
		c = comes_first(q) - comes_first(p);
	return c != 0 ? c
		      : ((uintptr_t)p->call > (uintptr_t)q->call) -
				((uintptr_t)p->call < (uintptr_t)q->call);
}

static const struct lp_places *
places_of(em *e, const ir_unit *u)
{
	struct lp_places *l = e->codes;

	if (l != NULL && l->unit == u)
		return l;
	e->codes = l = vc_alloc(e->c, sizeof *l);
	*l = (struct lp_places){.unit = u};
	for (const ir_func *f = u->funcs; f != NULL; f = f->next)
		add_codes(l, f);
	l->p = vc_alloc(e->c, (l->n + 1) * sizeof *l->p);
	l->n = 0;
	for (const ir_func *f = u->funcs; f != NULL; f = f->next)
		add_codes(l, f);
	qsort(l->p, l->n, sizeof *l->p, by_code_and_call);
	return l;
}

/* NULL: it stands nowhere, or in several codes. */
static const place *
place_of(em *e, const ir_func *code)
{
	const struct lp_places *l = places_of(e, code->unit);
	place key = {.code = code};
	const place *found = l->n > 0 ? bsearch(&key, l->p, l->n, sizeof *l->p, by_code) : NULL,
		    *from = found, *to = found;

	if (found == NULL)
		return NULL;
	while (from > l->p && from[-1].code == code)
		from--;
	while (to + 1 < l->p + l->n && to[1].code == code)
		to++;
	for (const place *p = from; p <= to; p++)
		if (p->in != found->in || p->context != found->context)
			return NULL;
	return from;
}

/* ---- which def() it is ---- */

/* What made the context that the code behind `->` gets; or NULL.  A method uses its temporaries
 * again and again. */
static const ir_ins *
made_by(const ir_func *f, const ir_ins *context)
{
	for (const ir_ins *in = context; in-- > f->ins;)
		if (in->d == context->a[0] && in->d >= 0)
			return in->site != NULL ? in : NULL;
	return NULL;
}

static const ir_ins *
maker_of(const place *p)
{
	return made_by(p->in, p->context);
}

static bool
is_plain_name(const char *s)
{
	if ((*s < 'a' || *s > 'z') && (*s < 'A' || *s > 'Z'))
		return false;
	for (; *s != '\0'; s++)
		if (*s == '_' || (*s & 0x80))
			return false;
	return true;
}

/* def(name, expression), both as they are written. */
static const char *
defined_name(const ir_ins *in)
{
	const ir_arg *a = in->site->args;

	if (in->op != IR_CALL || strcmp(in->site->name, "def") != 0 || in->site->nargs != 2 ||
		a[0].keyword != NULL || a[0].key != NULL || a[0].k.kind != IK_STR ||
		(a[0].kind != VT_A_KEYWORD && a[0].kind != VT_A_STRING) || a[1].keyword != NULL ||
		a[1].key != NULL || a[1].code == NULL || strlen(a[0].k.s) != a[0].k.n)
		return NULL;
	return is_plain_name(a[0].k.s) ? a[0].k.s : NULL;
}

/* The def() whose function the code is; or NULL. */
static const ir_ins *
def_of(const em *e, const place *first)
{
	for (const place *p = first; p < e->codes->p + e->codes->n && p->code == first->code; p++)
		if (p->call != NULL && p->argument == 1 && p->call->site->nargs == 2 &&
			strcmp(p->call->site->name, "def") == 0)
			return p->call;
	return NULL;
}

static bool
brings_variables(const ir_ins *in)
{
	return strcmp(in->site->name, "let") == 0 || strcmp(in->site->name, "with") == 0 ||
	       strcmp(in->site->name, "unpack") == 0;
}

/* The variable that the i-th argument brings; or NULL. */
static const char *
name_brought(const ir_ins *in, uint32_t i)
{
	const ir_arg *a = &in->site->args[i];

	return a->keyword != NULL                          ? a->keyword
	       : in->op == IR_CALLM && a->k.kind == IK_STR ? a->k.s
							   : NULL;
}

static bool
brings(const ir_ins *in, const char *name)
{
	for (uint32_t i = 0; in != NULL && brings_variables(in) && i < in->site->nargs; i++)
		if (name_brought(in, i) != NULL && strcmp(name_brought(in, i), name) == 0)
			return true;
	return false;
}

static bool arg_names(const ir_arg *, const char *name, bool calls, uint32_t depth);

/* Is the name called in the code, or in what is written in it?  Not `calls`: is a variable read
 * that the code does not bring itself? */
static bool
names(const ir_func *f, const char *name, bool calls, uint32_t depth)
{
	bool yes = depth == DEEPEST;

	for (uint32_t i = 0; !yes && i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		yes = calls ? in->site != NULL && strcmp(in->site->name, name) == 0
			    : in->op == IR_DYN && strcmp(in->name, name) == 0;
		for (uint32_t k = 0; !yes && in->site != NULL && k < in->site->nargs; k++)
			yes = arg_names(&in->site->args[k], name, calls, depth + 1);
		for (uint32_t k = 0; !yes && k < in->nfs; k++)
			yes = in->fs[k] != NULL && names(in->fs[k], name, calls, depth + 1);
		if (!calls && in->op == IR_CONTEXT && brings(made_by(f, in), name))
			continue;
		yes = yes || (in->f != NULL && names(in->f, name, calls, depth + 1));
	}
	return yes;
}

static bool
arg_names(const ir_arg *a, const char *name, bool calls, uint32_t depth)
{
	return (a->code != NULL && names(a->code, name, calls, depth)) ||
	       (a->key != NULL && arg_names(a->key, name, calls, depth));
}

/* Does let(), with() or unpack() bring a variable that the function reads? */
static bool
brings_one_of(const ir_ins *in, const ir_func *f)
{
	for (uint32_t i = 0; i < in->site->nargs; i++) {
		const char *name = name_brought(in, i);
		if (name != NULL ? names(f, name, false, 0) : in->site->args[i].key != NULL)
			return true;
	}
	return false;
}

/* The expression of the innermost def() of that name around the code; NULL: that is not known, or
 * its variables are not those that the code sees. */
static const ir_func *
function_defined(em *e, const ir_func *code, const char *name)
{
	const ir_ins *between[MOST_BETWEEN];
	uint32_t n = 0;

	for (const place *p = place_of(e, code); p != NULL; p = place_of(e, p->in)) {
		/* a function sees itself, too */
		const ir_ins *in = p->context != NULL ? maker_of(p) : def_of(e, p);
		const char *defined = in != NULL ? defined_name(in) : NULL;
		if (p->context == NULL && in == NULL)
			continue;
		if (in == NULL || n == MOST_BETWEEN || (defined == NULL && !brings_variables(in)))
			return NULL;
		if (defined == NULL)
			between[n++] = in;
		if (defined == NULL || strcmp(defined, name) != 0)
			continue;
		for (uint32_t i = 0; i < n; i++)
			if (brings_one_of(between[i], in->site->args[1].code))
				return NULL;
		return in->site->args[1].code;
	}
	return NULL;
}

bool
lp_is_hidden(const lp_program *t, const char *name)
{
	const ir_func *code = t->e->is_query ? t->code : NULL;

	while (code != NULL && code != t->e->m->query) {
		const place *p = place_of(t->e, code);
		const ir_ins *in = p == NULL            ? NULL
				   : p->context != NULL ? maker_of(p)
							: def_of(t->e, p);
		const char *defined = in != NULL ? defined_name(in) : NULL;
		if (p == NULL || (p->context != NULL && in == NULL))
			return true;
		if (in != NULL &&
			(defined != NULL ? strcmp(defined, name) == 0 : !brings_variables(in)))
			return true;
		code = p->in;
	}
	return false;
}

/* The call in f whose value the argument `name` of let() is; or NULL. */
static const ir_ins *
call_given(const ir_func *f, const ir_ins *let, const char *name)
{
	for (uint32_t i = 0; i < let->site->nargs; i++) {
		if (name_brought(let, i) == NULL || strcmp(name_brought(let, i), name) != 0)
			continue;
		for (const ir_ins *in = let; in-- > f->ins;)
			if (in->d >= 0 && in->d == let->list[i])
				return in->op == IR_CALL ? in : NULL;
	}
	return NULL;
}

const ir_ins *
lp_call_brought(const lp_program *t, const char *name)
{
	const ir_func *code = t->e->is_query ? t->code : NULL;

	while (code != NULL && code != t->e->m->query) {
		const place *p = place_of(t->e, code);
		const ir_ins *in = p != NULL && p->context != NULL ? maker_of(p) : NULL;
		if (p == NULL || (p->context != NULL && in == NULL) || def_of(t->e, p) != NULL)
			return NULL;
		if (brings(in, name))
			return in->op == IR_CALL && strcmp(in->site->name, "let") == 0
				       ? call_given(p->in, in, name)
				       : NULL;
		if (in != NULL && !brings_variables(in) && defined_name(in) == NULL)
			return NULL;
		code = p->in;
	}
	return NULL;
}

/* A function of def() takes values, so none of the library's may leave an argument unevaluated. */
bool
lp_stands_before_library(const ir_ins *in)
{
	uint32_t n;
	const vt_fnrow *rows = vt_fn_find(in->site->name, &n);

	for (uint32_t i = 0; rows != NULL && i < n; i++) {
		const vt_fnrow *r = &rows[i];
		if (!(r->flags & VT_FN_FUNCTION))
			continue;
		if (r->flags & VT_FN_NO_KWARGS)
			return false;
		for (uint32_t k = 0; k < r->nparams; k++)
			if ((k < in->site->nargs || r->params[k].kind != 0) &&
				vt_is_lazy_type(r->params[k].type))
				return false;
	}
	return true;
}

int
lp_value_of(lp_program *t, uint8_t reg)
{
	lp_step s = t->t[reg];

	s.callee = s.values;
	s.flags = 0; /* those of where it is asked for */
	if (s.values == NULL)
		return -1;
	t->t[reg].may_drop = true; /* the value stands for it */
	s.may_drop = false;
	return lp_push(t, s);
}

/* A function that calls itself has a program of its own. */
static bool
calls_function(
	lp_program *t, lp_program *root, const ir_ins *in, const ir_func *f, const lp_env *args)
{
	bool self = root->defines == f, gives_lists;
	lp_step s = {.op = VT_STEP_DEFINED,
		.a = VT_STEP_K,
		.b = VT_STEP_K,
		.c = VT_STEP_K,
		.n = (uint8_t)args->nargs};
	lp_program *lists = NULL;
	int r;

	if (!self)
		s.values = lp_of_function(t->e, f, &lists);
	s.callee = lists != NULL ? lists : s.values;
	gives_lists = self ? root->many != LP_MANY_NONE : lists != NULL;
	if (args->nargs > VT_DEFINED_ARGS ||
		(!self && (s.callee == NULL || s.callee->nargs > args->nargs)))
		return false;
	if (self && args->nargs < root->least)
		root->least = args->nargs;
	s.args = vc_alloc(t->e->c, args->nargs);
	memcpy(s.args, args->arg, args->nargs);
	t->calls = t->mixed = true;
	if (!gives_lists)
		return lp_define(t, in->d, s);
	if ((r = lp_push(t, s)) < 0 || !lp_fresh_list(t, in, r))
		return false;
	t->t[r].may_drop = false; /* what it does before it gives an iterator may fail */
	return true;
}

bool
lp_defined(lp_program *t, const ir_ins *in)
{
	lp_env env = {.has_args = true, .closed = true, .of = t};
	const ir_func *f = NULL;
	lp_program *root = t;
	int r;

	while (root->up != NULL)
		root = root->up;
	if (is_plain_name(in->site->name) && in->d >= 0 && in->site->nargs > 0 &&
		in->site->nargs <= LP_ARGS && root->ncalled < MOST_CALLED)
		f = function_defined(t->e, t->code, in->site->name);
	if (f == NULL)
		return false;
	root->ncalled++;
	for (uint32_t i = 0; i < in->site->nargs; i++) {
		const ir_arg *a = &in->site->args[i];
		if (a->keyword != NULL || a->key != NULL)
			return false;
		r = i < in->nlist && in->list[i] >= 0 ? lp_reg(t, in->list[i]) : lp_lazily(t, a);
		if (r < 0)
			return false;
		env.arg[env.nargs++] = (uint8_t)r;
	}
	if (names(f, in->site->name, true, 0))
		return calls_function(t, root, in, f, &env);
	if ((r = lp_inline(t, f, &env)) < 0)
		return false;
	t->calls = t->mixed = true;
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r};
	return true;
}

/* ---- let(), with() and unpack() ---- */

int
lp_given(lp_program *t, const ir_ins *in, uint32_t i)
{
	const ir_arg *a = &in->site->args[i];

	if (i < in->nlist && in->list[i] >= 0)
		return lp_reg(t, in->list[i]);
	return a->code != NULL || a->kind == VT_A_NOVALUE ? -1 : lp_const(t, &a->k);
}

/* The i-th of n elements of what is in the register. */
static int
element(lp_program *t, int of, uint32_t i, uint32_t n)
{
	const lp_step *s = &t->t[of];

	if (s->op == VT_STEP_LIST && s->n == n)
		return s->args[i];
	return lp_push(t, (lp_step){.op = VT_STEP_INDEX,
				  .a = (uint8_t)of,
				  .b = VT_STEP_K,
				  .c = (uint8_t)n,
				  .k = lp_number(t, i)});
}

/* sequence.unpack(a, b): as many elements as names. */
static bool
names_of_elements(lp_program *t, const ir_ins *in, lp_env *env)
{
	lp_cell *source = &t->cells[in->a[0]];
	int of = source->is == LP_PIPE && !source->set ? lp_collect(t, source)
						       : lp_reg(t, in->a[0]),
	    r;
	lp_cell c = {.is = LP_REGISTER, .reg = (uint8_t)of};

	/* what walks a collection may give an iterator */
	if (of >= 0 && t->t[of].op == VT_STEP_CALL && lp_walks(t, t->t[of].ins))
		of = lp_collect(t, &c);
	for (uint32_t i = 0; i < in->site->nargs; i++) {
		const ir_arg *a = &in->site->args[i];
		if (of < 0 || (r = element(t, of, i, in->site->nargs)) < 0)
			return false;
		env->name[env->nnames] = a->k.s;
		env->reg[env->nnames++] = (uint8_t)r;
	}
	return true;
}

/* Is the variable read once at most, and not by a lambda, which may be called more often? */
static bool
is_read_once(const ir_func *f, const char *name)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		n += in->op == IR_DYN && strcmp(in->name, name) == 0;
		for (uint32_t k = 0; in->site != NULL && k < in->site->nargs; k++)
			if (arg_names(&in->site->args[k], name, false, 1))
				return false;
		for (uint32_t k = 0; k < in->nfs; k++)
			if (in->fs[k] != NULL && names(in->fs[k], name, false, 1))
				return false;
		if (in->f != NULL && names(in->f, name, false, 1))
			return false;
	}
	return n <= 1;
}

/* The list for what the i-th argument of let() gives; NULL: there is none.  It is made in any case,
 * for what cannot be walked fails even where nobody walks it. */
static lp_bound *
list_for_variable(lp_program *t, const ir_ins *in, const ir_func *body, uint32_t i)
{
	const lp_cell *c = in->list[i] >= 0 ? &t->cells[in->list[i]] : NULL;
	const char *name = in->site->args[i].keyword;
	lp_bound *b = vc_alloc(t->e->c, sizeof *b);
	int list, other;

	if (c == NULL || name == NULL || c->is != LP_PIPE || c->order || c->set ||
		c->bound != NULL || !t->e->is_query || (!c->ordering && !is_read_once(body, name)))
		return NULL;
	if ((list = lp_collect(t, c)) < 0 || t->t[list].op == VT_STEP_DEFINED)
		return NULL;
	*b = (lp_bound){t, (uint8_t)list, VT_STEP_K, c->ordering};
	if ((other = lp_reg(t, in->list[i])) >= 0)
		b->other = (uint8_t)other;
	t->t[list].may_drop = false;
	return b;
}

static bool
is_read(lp_program *t, uint8_t reg)
{
	uint8_t *of[LP_OPERANDS];

	for (uint32_t i = 0; i < t->n; i++) {
		const lp_nest *nest = t->t[i].nest;
		for (uint32_t k = lp_operands(&t->t[i], of); k-- > 0;)
			if (*of[k] == reg)
				return true;
		for (uint32_t k = 0; nest != NULL && k < nest->n; k++)
			if (memchr(nest->program[k]->outer, reg, nest->program[k]->nouter) != NULL)
				return true;
	}
	return false;
}

/* One of the list and of what the code gives need not be made. */
static void
settle_variable(lp_program *t, const lp_bound *b, int result)
{
	if (b->other == VT_STEP_K)
		return;
	if (result == b->list || is_read(t, b->list))
		t->t[b->other].may_drop = true;
	else
		t->t[b->list].may_drop = true;
}

/* The variables that the call brings, as registers. */
static bool
names_of(lp_program *t, const ir_ins *in, const ir_func *body, lp_env *env)
{
	if (in->op == IR_CALLM)
		return names_of_elements(t, in, env);
	for (uint32_t i = 0; i < in->site->nargs; i++) {
		const ir_arg *a = &in->site->args[i];
		lp_bound *b = i < in->nlist ? list_for_variable(t, in, body, i) : NULL;
		int r = b != NULL ? b->list : lp_given(t, in, i);
		if (r < 0 || env->nnames == LP_ARGS || env->nargs == LP_ARGS)
			return false;
		env->bound[env->nnames] = b;
		if (a->keyword != NULL) {
			env->name[env->nnames] = a->keyword;
			env->reg[env->nnames++] = (uint8_t)r;
		} else if (a->key == NULL) {
			env->has_args = true;
			env->arg[env->nargs++] = (uint8_t)r;
		} else {
			return false;
		}
	}
	return true;
}

/* Is what the register holds surely asked for where the result is? */
static bool
asks_for(const lp_program *t, uint8_t result, uint8_t reg)
{
	lp_step s = t->t[result];
	uint8_t *of[LP_OPERANDS];
	bool chooses = s.op == VT_STEP_CHOOSE, junction = s.op == VT_STEP_AND || s.op == VT_STEP_OR;

	if (result == reg)
		return true;
	for (uint32_t i = lp_operands(&s, of); i-- > 0;)
		if (*of[i] != VT_STEP_K && of[i] != &s.guard && (!chooses || of[i] == &s.c) &&
			(!junction || of[i] == &s.a) && asks_for(t, *of[i], reg))
			return true;
	return false;
}

/* The result, where the variable has a value: what fails for a variable fails, read or not.  Steps
 * that count for some items only would be left open. */
static int
with_variable(lp_program *t, int result, uint8_t reg)
{
	if (result < 0 || !(t->t[reg].flags & VT_STEP_SOFT) || asks_for(t, (uint8_t)result, reg))
		return result;
	return lp_choose(t, reg, result, result);
}

bool
lp_context(lp_program *t, const ir_ins *in)
{
	const lp_cell *c = in->a[0] >= 0 ? &t->cells[in->a[0]] : NULL;
	lp_env *env = vc_alloc(t->e->c, sizeof *env);
	int r;

	if (c == NULL || c->is != LP_NAMES || in->f == NULL)
		return false;
	memset(env, 0, sizeof *env);
	env->up = t->env;
	env->of = t;
	if (in->d < 0 || !names_of(t, c->ins, in->f, env))
		return false;
	t->next_tail = lp_is_tail(t, in);
	r = lp_inline(t, in->f, env);
	for (uint32_t i = 0; i < env->nnames; i++)
		if (env->bound[i] != NULL)
			settle_variable(t, env->bound[i], r);
		else
			r = with_variable(t, r, env->reg[i]);
	for (uint32_t i = 0; i < env->nargs; i++)
		r = with_variable(t, r, env->arg[i]);
	if (r < 0)
		return false;
	t->calls = true;
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r};
	return true;
}

/* The names are written: as texts or bare words. */
bool
lp_unpacks(lp_program *t, const ir_ins *in)
{
	if (strcmp(in->site->name, "unpack") != 0 || in->site->nargs == 0 ||
		in->site->nargs > LP_ARGS)
		return false;
	for (uint32_t i = 0; i < in->site->nargs; i++) {
		const ir_arg *a = &in->site->args[i];
		if ((a->kind != VT_A_STRING && a->kind != VT_A_KEYWORD) || a->keyword || a->key ||
			a->k.kind != IK_STR || strlen(a->k.s) != a->k.n)
			return false;
	}
	t->cells[in->d] = (lp_cell){.is = LP_NAMES, .ins = in};
	return true;
}

bool
lp_brings_names(lp_program *t, const ir_ins *in)
{
	if ((strcmp(in->site->name, "let") != 0 && strcmp(in->site->name, "with") != 0) ||
		in->d < 0)
		return false;
	t->cells[in->d] = (lp_cell){.is = LP_NAMES, .ins = in};
	return true;
}

/* ---- assert() ---- */

/* value.assert(condition): the condition sees the value as $. */
bool
lp_assertion(lp_program *t, const ir_ins *in)
{
	const ir_arg *a = in->site->args;
	lp_env env = {.up = t->env, .of = t, .has_args = true, .nargs = 1};
	int r, cond;

	if (strcmp(in->site->name, "assert") != 0 || in->d < 0 || in->site->nargs < 1 ||
		in->site->nargs > 2 || a[0].code == NULL || a[0].keyword || a[0].key)
		return false;
	if (in->site->nargs == 2 && (a[1].kind != VT_A_STRING || a[1].keyword || a[1].key))
		return false;
	if ((r = lp_reg(t, in->a[0])) < 0)
		return false;
	env.arg[0] = (uint8_t)r;
	cond = lp_inline(t, a[0].code, &env);
	if ((r = lp_choose(t, cond, r, VT_STEP_K)) < 0)
		return false;
	t->calls = t->mixed = true;
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r};
	return true;
}

/* ---- examine() and selectAllCases() ---- */

/* The argument's truth. */
static int
arg_truth(lp_program *t, const ir_arg *a)
{
	int r = lp_lazily(t, a);

	for (int i = 0; i < 2 && r >= 0; i++) {
		uint8_t op = t->t[r].op;
		if (i == 0 && op >= VT_STEP_LT && op <= VT_STEP_NOT)
			return r;
		r = lp_push(t, (lp_step){.op = VT_STEP_NOT, .a = (uint8_t)r, .b = VT_STEP_K});
	}
	return r;
}

/* The argument's position where it is true, else null. */
static int
position_if(lp_program *t, const ir_ins *in, uint32_t i)
{
	static const ir_const null = {.kind = IK_NULL};
	int cond = lp_lazily(t, &in->site->args[i]);

	return lp_choose(t, cond, lp_const(t, lp_number(t, i)), lp_const(t, &null));
}

/* Both give a sequence: it is a list that a pipeline begins with. */
bool
lp_all_cases(lp_program *t, const ir_ins *in)
{
	bool positions = strcmp(in->site->name, "selectAllCases") == 0;
	lp_step s = {.op = VT_STEP_LIST, .n = (uint8_t)in->site->nargs};
	int r;

	if ((!positions && strcmp(in->site->name, "examine") != 0) || in->d < 0 ||
		in->site->nargs > LP_ARGS || !lp_plain_args(in, false))
		return false;
	s.args = vc_alloc(t->e->c, in->site->nargs);
	for (uint32_t i = 0; i < in->site->nargs; i++) {
		if ((r = positions ? position_if(t, in, i) : arg_truth(t, &in->site->args[i])) < 0)
			return false;
		s.args[i] = (uint8_t)r;
	}
	if ((r = lp_push(t, s)) < 0)
		return false;
	t->calls = t->mixed = true;
	t->cells[in->d] =
		(lp_cell){.is = LP_PIPE, .reg = (uint8_t)r, .values = positions, .most = LP_ALL};
	return true;
}

/* ---- call() ---- */

/* Does no function of that name look at how its arguments are written? */
static bool
takes_values(const char *name)
{
	uint32_t n;
	const vt_fnrow *rows = vt_fn_find(name, &n);

	for (uint32_t i = 0; rows != NULL && i < n; i++)
		for (uint32_t k = 0; k < rows[i].nparams; k++)
			switch ((int)rows[i].params[k].type) {
			case VT_T_CONTEXT:
			case VT_T_CALLABLE:
			case VT_T_LAMBDA:
			case VT_T_LAMBDA_CTX:
			case VT_T_LAMBDA_METHOD:
			case VT_T_LAMBDA_CTX_METHOD:
			case VT_T_EXPR:
			case VT_T_RULE:
			case VT_T_RULE_LAZY:
			case VT_T_KEYWORD:
			case VT_T_STRING_CONST:
			case VT_T_CONST:
			case VT_T_BOOL_CONST:
			case VT_T_NUMBER_CONST:
			case VT_T_OWN:
			case VT_T_OWN_LAZY: return false;
			}
	return rows != NULL;
}

/* A function of the library that call() is given the name of. */
static const char *
name_called(const lp_program *t, const ir_ins *in)
{
	const ir_arg *a = in->site->args;

	if (strcmp(in->site->name, "call") != 0 || in->d < 0 || in->site->nargs < 3 ||
		in->site->nargs > 4 || in->nlist != in->site->nargs)
		return NULL;
	for (uint32_t i = 0; i < in->site->nargs; i++)
		if (a[i].keyword != NULL || a[i].key != NULL || a[i].code != NULL)
			return NULL;
	if ((a->kind != VT_A_STRING && a->kind != VT_A_KEYWORD) || a->k.kind != IK_STR ||
		strlen(a->k.s) != a->k.n || !lp_is_of_library(t, a->k.s) ||
		!lp_only_computes(a->k.s) || !takes_values(a->k.s) || lp_is_hidden(t, a->k.s))
		return NULL;
	return a->k.s;
}

/* An instruction that calls the function with n values. */
const ir_ins *
lp_call_of(lp_program *t, const ir_ins *in, const char *name, uint32_t n, bool method)
{
	ir_ins *made = vc_alloc(t->e->c, sizeof *made);
	ir_site *site = vc_alloc(t->e->c, sizeof *site);

	memset(made, 0, sizeof *made);
	memset(site, 0, sizeof *site);
	site->name = name;
	site->method = method;
	site->nargs = n;
	site->line = in->site->line;
	site->col = in->site->col;
	site->args = vc_alloc(t->e->c, (n + 1) * sizeof *site->args);
	memset(site->args, 0, (n + 1) * sizeof *site->args); /* VT_A_EXPR */
	made->op = method ? IR_CALLM : IR_CALL;
	made->site = site;
	return made;
}

/* call(name, [..], {}), with a receiver or without one: the call of that name. */
bool
lp_by_name(lp_program *t, const ir_ins *in)
{
	const char *name = name_called(t, in);
	lp_step s = {.op = VT_STEP_CALL, .a = VT_STEP_K, .b = VT_STEP_K, .c = VT_STEP_K};
	int list, map, recv;

	if (name == NULL || (list = lp_reg(t, in->list[1])) < 0 ||
		(map = lp_reg(t, in->list[2])) < 0 || t->t[list].op != VT_STEP_LIST ||
		t->t[map].op != VT_STEP_MAP || t->t[map].n > 0 || t->t[list].n > LP_ARGS)
		return false;
	if (in->site->nargs == 4) {
		if ((recv = lp_given(t, in, 3)) < 0)
			return false;
		s.a = (uint8_t)recv;
	}
	s.n = t->t[list].n;
	s.args = t->t[list].args;
	s.ins = lp_call_of(t, in, name, s.n, in->site->nargs == 4);
	t->calls = t->mixed = true;
	return lp_define(t, in->d, s);
}

/* ---- what walks a collection ---- */

/* Do all functions of that name that take an iterator on their left take a list in the same way?
 * Two give a list itself. */
static bool
walks(const char *name)
{
	uint32_t n;
	const vt_fnrow *rows = vt_fn_find(name, &n);
	bool any = false;

	if (strcmp(name, "memorize") == 0 || strcmp(name, "defaultIfEmpty") == 0)
		return false;
	for (uint32_t i = 0; rows != NULL && i < n; i++) {
		const vt_fnparam *p = rows[i].nparams > 0 ? rows[i].params : NULL;
		if (p == NULL || p->kind == 2)
			continue;
		switch ((int)p->type) {
		case VT_T_ITERABLE: any = true; break;
		case VT_T_STR:
		case VT_T_INT:
		case VT_T_NUMBER:
		case VT_T_MAPPING:
		case VT_T_SET:
		case VT_T_REGEX:
		case VT_T_DATETIME:
		case VT_T_TIMESPAN:
		case VT_T_ORDERING: break;
		default: return false;
		}
	}
	return any;
}

bool
lp_walks(const lp_program *t, const ir_ins *in)
{
	return t->e->is_query && in->op == IR_CALLM && walks(in->site->name);
}

/* Do all functions of that name walk what stands there? */
bool
lp_walks_argument(const lp_program *t, const ir_ins *in, uint32_t i)
{
	uint32_t n, at = i + (in->op == IR_CALLM);
	const vt_fnrow *rows = vt_fn_find(in->site->name, &n);
	const ir_arg *a = &in->site->args[i];

	if (!t->e->is_query || rows == NULL || a->keyword != NULL || a->key != NULL)
		return false;
	if (strcmp(in->site->name, "dict") ==
		0) /* of pairs; else its arguments are keys => values */
		return in->op == IR_CALL && in->site->nargs == 1;
	for (uint32_t k = 0; k < n; k++) {
		const vt_fnparam *p = rows[k].params;
		uint32_t of = 0;
		while (of < at && of < rows[k].nparams && p[of].kind == 0)
			of++;
		if (of == rows[k].nparams || p[of].kind == 2 || p[of].type != VT_T_ITERABLE)
			return false;
	}
	return true;
}

/* Is the variable one of the program? */
static bool
is_bound(const lp_program *t, const char *name)
{
	for (const lp_env *v = t->env; v != NULL; v = v->up)
		for (uint32_t i = 0; i < v->nnames; i++)
			if (strcmp(v->name[i], name) == 0)
				return true;
	return false;
}

static bool arg_stands_alone(const lp_program *t, const ir_arg *a, int64_t nargs, uint32_t depth);

/* Only its own arguments, and no variable of the program. */
static bool
code_stands_alone(const lp_program *t, const ir_func *f, int64_t nargs, uint32_t depth)
{
	bool ok = depth < DEEPEST;

	for (uint32_t i = 0; ok && i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (in->op == IR_ARG)
			ok = in->i[0] >= 1 && in->i[0] <= nargs;
		else if (in->op == IR_DYN)
			ok = !is_bound(t, in->name);
		else if (in->op == IR_VAR)
			ok = false;
		for (uint32_t k = 0; ok && in->site != NULL && k < in->site->nargs; k++)
			ok = arg_stands_alone(t, &in->site->args[k], nargs, depth + 1);
		for (uint32_t k = 0; ok && k < in->nfs; k++)
			ok = in->fs[k] == NULL || code_stands_alone(t, in->fs[k], nargs, depth + 1);
		ok = ok && (in->f == NULL || code_stands_alone(t, in->f, nargs, depth + 1));
	}
	return ok;
}

static bool
arg_stands_alone(const lp_program *t, const ir_arg *a, int64_t nargs, uint32_t depth)
{
	return (a->code == NULL || code_stands_alone(t, a->code, nargs, depth)) &&
	       (a->key == NULL || arg_stands_alone(t, a->key, nargs, depth));
}

/* Does it give its lambda what it has so far and an item? */
static bool
folds(const ir_ins *in)
{
	return strcmp(in->site->name, "aggregate") == 0 || strcmp(in->site->name, "reduce") == 0 ||
	       strcmp(in->site->name, "accumulate") == 0;
}

bool
lp_is_folded(em *e, const ir_func *f)
{
	const place *p = place_of(e, f);

	return p != NULL && comes_first(p) && folds(p->call);
}

/* The functions of lp_walks() give their lambdas an item, and mergeWith() two values, so $1 is
 * never the one around. */
bool
lp_stands_alone(const lp_program *t, const ir_ins *in, const ir_arg *a)
{
	bool merges = in->op == IR_CALLM && strcmp(in->site->name, "mergeWith") == 0;

	return (merges || (lp_walks(t, in) && a->keyword == NULL)) && a->code != NULL &&
	       a->key == NULL && code_stands_alone(t, a->code, merges || folds(in) ? 2 : 1, 0);
}
