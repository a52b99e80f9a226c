/*
 * lambda_walk.c - calls of a program that walk a collection: distinct(), toDict(), orderBy().
 *
 * Their receiver may be a pipeline, which the program makes a list of, for they take any collection
 * alike.  They may have lambdas, which run in the context around the program's own lambda: so those
 * must not need what the program has in registers only.
 */
#include "compiler/emit/lambda.h"
#include "runtime/call/call.h"

#include <string.h>

enum { DEEPEST = 8 };

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

static bool
arg_stands_alone(const lp_program *t, const ir_arg *a, uint32_t depth);

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
