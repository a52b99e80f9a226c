/*
 * lambda_join.c - predicates of join() that are an equation and more: `left = right and rest`,
 * where left depends on $1 alone and right on $2 alone, becomes three programs (vt_join).
 */
#include "compiler/emit/lambda.h"

#include <string.h>

typedef struct part {
	const lp_program *of;
	lp_program *to;
	int equation;         /* the register that is left out; -1: none */
	uint8_t reg[LP_MOST]; /* what became of a register; VT_STEP_K: nothing yet */
} part;

static int copy_register(part *p, uint8_t r);

static bool
holds(const lp_program *t, uint8_t r, int equation)
{
	while (r != equation && t->t[r].op == VT_STEP_AND)
		r = t->t[r].a;
	return r == equation;
}

/* What is left of a conjunction without its equation; -1: nothing. */
static int
copy_rest(part *p, uint8_t r)
{
	const lp_step *s = &p->of->t[r];
	int a, b;
	lp_step and = {.op = VT_STEP_AND, .guard = VT_STEP_K};

	if (r == p->equation)
		return -1;
	a = copy_rest(p, s->a);
	b = copy_register(p, s->b);
	if (a < 0 || b < 0)
		return b;
	and.a = (uint8_t)a;
	and.b = (uint8_t)b;
	p->to->guard = VT_STEP_K;
	p->to->flags = 0;
	return lp_push(p->to, and);
}

static int
copy_guard(part *p, uint8_t r)
{
	if (p->equation >= 0 && holds(p->of, r, p->equation))
		return copy_rest(p, r);
	return copy_register(p, r);
}

static int
copy_register(part *p, uint8_t r)
{
	lp_step s = p->of->t[r];
	uint8_t *of[LP_OPERANDS], *args = vc_alloc(p->to->e->c, (size_t)s.n + 1);
	int g = s.guard == VT_STEP_K ? -1 : copy_guard(p, s.guard), k;

	if (p->reg[r] != VT_STEP_K)
		return p->reg[r];
	if (s.n > 0)
		memcpy(args, s.args, s.n);
	s.args = args;
	s.guard = VT_STEP_K;
	for (uint32_t i = lp_operands(&s, of); i-- > 0;) {
		if (*of[i] == VT_STEP_K)
			continue;
		if ((k = copy_register(p, *of[i])) < 0)
			return -1;
		*of[i] = (uint8_t)k;
	}
	p->to->guard = g < 0 ? VT_STEP_K : (uint8_t)g;
	p->to->flags = 0;
	if (g < 0)
		s.flags &= (uint8_t) ~(VT_STEP_SOFT | VT_STEP_UNLESS);
	k = lp_push(p->to, s);
	if (k >= 0)
		p->reg[r] = (uint8_t)k;
	return k;
}

static lp_program *
new_program(const lp_program *t, uint8_t nargs)
{
	lp_program *made = vc_alloc(t->e->c, sizeof *made);

	memset(made, 0, sizeof *made);
	made->e = t->e;
	made->nargs = nargs;
	made->calls = t->calls;
	made->mixed = t->mixed;
	made->guard = VT_STEP_K;
	return made;
}

static part
begin(const lp_program *t, int equation, uint8_t nargs)
{
	part p = {.of = t, .to = new_program(t, nargs), .equation = equation};

	memset(p.reg, VT_STEP_K, sizeof p.reg);
	return p;
}

static lp_program *
end(part *p, int r)
{
	if (r < 0)
		return NULL;
	p->to->out[0] = (uint8_t)r;
	p->to->nout = 1;
	return lp_settle(p->to) ? p->to : NULL;
}

/* The value of a register as a program of one argument. */
static lp_program *
side(const lp_program *t, uint8_t r)
{
	part p = begin(t, -1, 1);
	int out = copy_register(&p, r);

	for (uint32_t i = 0; i < p.to->n; i++)
		if (p.to->t[i].op == VT_STEP_ITEM)
			p.to->t[i].a = 0;
	return end(&p, out);
}

/* Which of $1 and $2 a register depends on, as bits. */
static uint32_t
depends(const lp_program *t, uint8_t r)
{
	lp_step s = t->t[r];
	uint8_t *of[LP_OPERANDS];
	uint32_t bits = s.op == VT_STEP_ITEM ? 1u << s.a : 0;

	for (uint32_t i = lp_operands(&s, of); i-- > 0;)
		if (*of[i] != VT_STEP_K)
			bits |= depends(t, *of[i]);
	return bits;
}

/* A constant as a register of its own. */
static bool
with_right(const lp_program *t, const lp_step *s)
{
	return s->b != VT_STEP_K && depends(t, s->a) + depends(t, s->b) == 3 &&
	       depends(t, s->a) != 3 && depends(t, s->b) != 3 && depends(t, s->a) != 0 &&
	       depends(t, s->b) != 0;
}

lp_join *
lp_join_of(const lp_program *t)
{
	lp_join *j = vc_alloc(t->e->c, sizeof *j);
	uint8_t r = t->out[0];
	const lp_step *s;
	bool swapped, rest;
	part p;

	memset(j, 0, sizeof *j);
	if (t->kind != VT_PROGRAM_VALUE || t->nargs != 2 || t->n == 0)
		return NULL;
	while (t->t[r].op == VT_STEP_AND)
		r = t->t[r].a;
	s = &t->t[r];
	rest = r != t->out[0];
	if (s->op != VT_STEP_EQ || !with_right(t, s))
		return NULL;
	swapped = depends(t, s->a) == 2;
	j->left = side(t, swapped ? s->b : s->a);
	j->right = side(t, swapped ? s->a : s->b);
	if (rest) {
		p = begin(t, r, 2);
		j->rest = end(&p, copy_rest(&p, t->out[0]));
	}
	return j->left != NULL && j->right != NULL && (!rest || j->rest != NULL) ? j : NULL;
}

const char *
lp_emit_join(lp_join *j)
{
	em *e = j->left->e;
	const char *left = lp_emit(j->left), *right = lp_emit(j->right),
		   *rest = j->rest != NULL ? lp_emit(j->rest) : "NULL";
	vt_buf b = {0};

	vt_buf_printf(&b, "{%s, %s, %s}", left, right, rest);
	return em_table(e, "vt_join", "j", b);
}
