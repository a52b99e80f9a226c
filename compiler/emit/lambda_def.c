/*
 * lambda_def.c - functions that def() makes, in place of their calls.
 *
 * In an expression it is known by where a call stands which def() it means: a lambda runs in the
 * context in which it is written.  A function is taken in when it reads nothing but its arguments,
 * for what other names stand for depends on the context of the def().
 */
#include "compiler/emit/lambda.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CALLED = 64 }; /* in a program: those that call others twice grow by powers of two */

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
function_of(em *e, const ir_func *code, const char *name)
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
		f = function_of(t->e, t->code, in->site->name);
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
