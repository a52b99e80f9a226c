/*
 * lambda_scope.c - calls of a program that depend on where lambdas are written.
 *
 * Functions that def() makes stand in place of their calls.  In an expression it is known by where
 * a call stands which def() it means: a lambda runs in the context in which it is written.  A
 * function is taken in when it reads nothing but its arguments, for what other names stand for
 * depends on the context of the def().
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
enum { MOST_CALLED = 64, DEEPEST = 8 };

/* A code, the one that it is part of, and what brought its context; or NULL. */
typedef struct place {
	const ir_func *code, *in;
	const ir_ins *context;
} place;

struct lp_places {
	uint32_t n, cap;
	place *p; /* in the order of the codes' addresses; NULL: only counted yet */
};

/* ---- where codes stand ---- */

static void
add(struct lp_places *l, const ir_func *code, const ir_func *in, const ir_ins *context)
{
	if (code == NULL)
		return;
	if (l->p != NULL)
		l->p[l->n] = (place){code, in, context};
	l->n++;
}

static void
add_codes(struct lp_places *l, const ir_func *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		for (uint32_t k = 0; in->site != NULL && k < in->site->nargs; k++) {
			add(l, in->site->args[k].code, f, NULL);
			if (in->site->args[k].key != NULL)
				add(l, in->site->args[k].key->code, f, NULL);
		}
		for (uint32_t k = 0; k < in->nfs; k++)
			add(l, in->fs[k], f, NULL);
		add(l, in->f, f, in->op == IR_CONTEXT ? in : NULL);
	}
	add(l, f->sides[0], f, NULL);
	add(l, f->sides[1], f, NULL);
}

static int
by_code(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const place *)a)->code, y = (uintptr_t)((const place *)b)->code;

	return (x > y) - (x < y);
}

static const struct lp_places *
places_of(em *e)
{
	struct lp_places *l = e->codes;

	if (l != NULL)
		return l;
	e->codes = l = vc_alloc(e->c, sizeof *l);
	memset(l, 0, sizeof *l);
	for (uint32_t i = 0; i < e->m->nfuncs; i++)
		add_codes(l, e->m->funcs[i]);
	l->p = vc_alloc(e->c, (l->n + 1) * sizeof *l->p);
	l->n = 0;
	for (uint32_t i = 0; i < e->m->nfuncs; i++)
		add_codes(l, e->m->funcs[i]);
	qsort(l->p, l->n, sizeof *l->p, by_code);
	return l;
}

/* NULL: it stands nowhere, or in several codes. */
static const place *
place_of(em *e, const ir_func *code)
{
	const struct lp_places *l = places_of(e);
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
	return found;
}

/* ---- which def() it is ---- */

/* What made the context that the code behind `->` gets; or NULL. */
static const ir_ins *
maker_of(const place *p)
{
	for (uint32_t i = 0; i < p->in->n; i++)
		if (p->in->ins[i].d == p->context->a[0] && p->in->ins[i].d >= 0)
			return p->in->ins[i].site != NULL ? &p->in->ins[i] : NULL;
	return NULL;
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

static bool
brings_variables(const ir_ins *in)
{
	return strcmp(in->site->name, "let") == 0 || strcmp(in->site->name, "with") == 0 ||
	       strcmp(in->site->name, "unpack") == 0;
}

/* The expression of the innermost def() of that name around the code; NULL: that is not known. */
static const ir_func *
function_defined(em *e, const ir_func *code, const char *name)
{
	for (const place *p = place_of(e, code); p != NULL; p = place_of(e, p->in)) {
		const ir_ins *in = p->context != NULL ? maker_of(p) : NULL;
		const char *defined = in != NULL ? defined_name(in) : NULL;
		if (p->context == NULL)
			continue;
		if (in == NULL || (defined == NULL && !brings_variables(in)))
			return NULL;
		if (defined != NULL && strcmp(defined, name) == 0)
			return in->site->args[1].code;
	}
	return NULL;
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
	if (t->e->is_query && is_plain_name(in->site->name) && in->d >= 0 && in->site->nargs > 0 &&
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
	if ((r = lp_inline(t, f, &env)) < 0)
		return false;
	t->calls = t->mixed = true;
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r};
	return true;
}

/* ---- what walks a collection ---- */

/* Do all functions of that name that take an iterator on their left take a list in the same way? */
static bool
walks(const char *name)
{
	uint32_t n;
	const vt_fnrow *rows = vt_fn_find(name, &n);
	bool any = false;

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

static bool arg_stands_alone(const lp_program *t, const ir_arg *a, uint32_t depth);

/* Only $1 of its own, and no variable of the program. */
static bool
code_stands_alone(const lp_program *t, const ir_func *f, uint32_t depth)
{
	bool ok = depth < DEEPEST;

	for (uint32_t i = 0; ok && i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (in->op == IR_ARG)
			ok = in->i[0] == 1;
		else if (in->op == IR_DYN)
			ok = !is_bound(t, in->name);
		else if (in->op == IR_VAR)
			ok = false;
		for (uint32_t k = 0; ok && in->site != NULL && k < in->site->nargs; k++)
			ok = arg_stands_alone(t, &in->site->args[k], depth + 1);
		for (uint32_t k = 0; ok && k < in->nfs; k++)
			ok = in->fs[k] == NULL || code_stands_alone(t, in->fs[k], depth + 1);
		ok = ok && (in->f == NULL || code_stands_alone(t, in->f, depth + 1));
	}
	return ok;
}

static bool
arg_stands_alone(const lp_program *t, const ir_arg *a, uint32_t depth)
{
	return (a->code == NULL || code_stands_alone(t, a->code, depth)) &&
	       (a->key == NULL || arg_stands_alone(t, a->key, depth));
}

/* The functions of lp_walks() give their lambdas an item, so $1 is never the one around. */
bool
lp_stands_alone(const lp_program *t, const ir_ins *in, const ir_arg *a)
{
	return lp_walks(t, in) && a->code != NULL && a->key == NULL && a->keyword == NULL &&
	       code_stands_alone(t, a->code, 0);
}
