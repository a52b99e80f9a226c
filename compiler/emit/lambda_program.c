/*
 * lambda_program.c - lambdas of expressions as lambda programs (vt_lambda_program in vt.h).
 *
 * Code is taken when each of its instructions is one that a step stands for: members, arithmetic,
 * comparisons, `and` and `or`, and some functions of texts and lists.  Steps change nothing, so
 * their order is free: those that make texts go to the end, where they are done text by text.
 *
 * Only for expressions: a package's C compiler makes better code of them than a lambda program is.
 */
#include "compiler/emit/int.h"
#include "vt.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = VT_STEPS_MOST, NESTED = 8 };

/* What a temporary is: a register, a constant, or the pieces of a text on their way to join(). */
enum is { IS_NOTHING, IS_REGISTER, IS_CONST, IS_PIECES };
typedef struct cell {
	enum is is;
	uint8_t reg;
	const ir_const *k; /* IS_CONST; IS_PIECES: the separator */
} cell;

typedef struct step {
	uint8_t op, a, b;
	bool text; /* makes a text */
	uint8_t uses;
	const ir_const *k, *by;
	const ir_ins *attr;
} step;

/* An `and` or `or` whose right side is being read. */
typedef struct open {
	int32_t label, d;
	uint8_t op, left;
} open_junction;

typedef struct program {
	em *e;
	const ir_func *f;
	cell *cells;
	step t[MOST];
	uint32_t n;
	uint8_t nargs, kind, nout, out[MOST];
	const char *keys[MOST];
	bool calls;
	open_junction open[NESTED];
	uint32_t nopen;
} program;

/* ---- steps ---- */

/* The register that holds what the temporary is; -1: there is none. */
static int push(program *t, step s);
static int
reg_of(program *t, int32_t temp)
{
	cell *c = temp >= 0 ? &t->cells[temp] : NULL;
	int r;

	if (c == NULL || c->is == IS_NOTHING || c->is == IS_PIECES)
		return -1;
	if (c->is == IS_REGISTER)
		return c->reg;
	r = push(t, (step){.op = VT_STEP_CONST, .k = c->k});
	return r;
}

static int
push(program *t, step s)
{
	if (t->n == MOST)
		return -1;
	t->t[t->n] = s;
	return (int)t->n++;
}

static bool
define(program *t, int32_t d, step s)
{
	int r = push(t, s);

	if (r < 0 || d < 0)
		return false;
	t->cells[d] = (cell){.is = IS_REGISTER, .reg = (uint8_t)r};
	return true;
}

static bool
takes_const(const ir_const *k)
{
	return k->kind == IK_STR || k->kind == IK_INT || k->kind == IK_FLOAT ||
	       k->kind == IK_TRUE || k->kind == IK_FALSE || k->kind == IK_NULL;
}

/* Is what the register holds surely a text? */
static bool
is_text(const program *t, uint8_t r)
{
	const step *s = &t->t[r];

	return s->text || (s->op == VT_STEP_CONST && s->k->kind == IK_STR);
}

static bool
binary(program *t, const ir_ins *in, uint8_t op)
{
	int a = reg_of(t, in->a[0]), b;
	const cell *right = in->a[1] >= 0 ? &t->cells[in->a[1]] : NULL;
	step s = {.op = op, .b = VT_STEP_K};

	if (a < 0 || right == NULL)
		return false;
	s.a = (uint8_t)a;
	if (right->is == IS_CONST) {
		s.k = right->k;
		s.text = op == VT_STEP_ADD && s.k->kind == IK_STR;
	} else {
		if ((b = reg_of(t, in->a[1])) < 0)
			return false;
		s.b = (uint8_t)b;
		s.text = op == VT_STEP_ADD && is_text(t, s.b);
	}
	s.text |= op == VT_STEP_ADD && is_text(t, s.a);
	return define(t, in->d, s);
}

static bool
unary(program *t, const ir_ins *in, int32_t of, uint8_t op, const ir_const *k)
{
	int a = reg_of(t, of);
	bool text = op == VT_STEP_UPPER || op == VT_STEP_LOWER || op == VT_STEP_REPLACE;

	if (a < 0)
		return false;
	t->calls |= op != VT_STEP_ATTR && op != VT_STEP_NOT;
	return define(t, in->d,
		(step){.op = op,
			.a = (uint8_t)a,
			.b = VT_STEP_K,
			.k = k,
			.text = text,
			.attr = op == VT_STEP_ATTR ? in : NULL});
}

/* ---- calls ---- */

/* The i-th argument, when it is written as a text that is not empty. */
static const ir_const *
text_arg(const ir_ins *in, uint32_t i)
{
	const ir_arg *a = i < in->site->nargs ? &in->site->args[i] : NULL;

	return a && a->kind == VT_A_STRING && !a->keyword && !a->key && a->k.n > 0 ? &a->k : NULL;
}

static bool
named(const ir_ins *in, const char *name, uint32_t nargs)
{
	return in->site->nargs == nargs && strcmp(in->site->name, name) == 0;
}

static bool
replacement(program *t, const ir_ins *in, int32_t of, const ir_const *old, const ir_const *by)
{
	if (!old || !by || !unary(t, in, of, VT_STEP_REPLACE, old))
		return false;
	t->t[t->n - 1].by = by;
	return true;
}

/* split(x).join(y) is replace(x, y); pieces that go anywhere else are no step. */
static bool
split_or_join(program *t, const ir_ins *in)
{
	const cell *c = &t->cells[in->a[0]];
	const ir_arg *arg = &in->site->args[0];
	int r = reg_of(t, in->a[0]);

	if (arg->kind != VT_A_STRING || arg->keyword || arg->key)
		return false;
	if (strcmp(in->site->name, "join") == 0) {
		cell pieces = *c;
		if (c->is != IS_PIECES || c->reg >= t->n)
			return false;
		t->cells[in->a[0]] = (cell){.is = IS_REGISTER, .reg = pieces.reg};
		return replacement(t, in, in->a[0], pieces.k, &arg->k);
	}
	if (r < 0 || !text_arg(in, 0) || in->d < 0)
		return false;
	t->cells[in->d] = (cell){.is = IS_PIECES, .reg = (uint8_t)r, .k = &arg->k};
	return true;
}

static bool
method(program *t, const ir_ins *in)
{
	static const struct {
		const char *name;
		uint8_t op;
	} plain[] = {{"toUpper", VT_STEP_UPPER}, {"toLower", VT_STEP_LOWER}, {"len", VT_STEP_LEN},
		{"sum", VT_STEP_SUM}};

	if (in->a[0] < 0)
		return false;
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		if (named(in, plain[i].name, 0))
			return unary(t, in, in->a[0], plain[i].op, NULL);
	if (named(in, "split", 1) || named(in, "join", 1))
		return split_or_join(t, in);
	if (named(in, "replace", 2))
		return replacement(t, in, in->a[0], text_arg(in, 0), text_arg(in, 1));
	if (named(in, "startsWith", 1) && text_arg(in, 0))
		return unary(t, in, in->a[0], VT_STEP_STARTS, text_arg(in, 0));
	if (named(in, "endsWith", 1) && text_arg(in, 0))
		return unary(t, in, in->a[0], VT_STEP_ENDS, text_arg(in, 0));
	return false;
}

static bool
function(program *t, const ir_ins *in)
{
	const ir_arg *second = in->site->nargs == 2 ? &in->site->args[1] : NULL;
	int32_t of = in->nlist > 0 ? in->list[0] : -1;

	if (of < 0)
		return false;
	if (named(in, "len", 1))
		return !in->site->args[0].keyword && unary(t, in, of, VT_STEP_LEN, NULL);
	if (named(in, "#operator_=~", 2) && text_arg(in, 1))
		return unary(t, in, of, VT_STEP_MATCH, text_arg(in, 1));
	if (named(in, "#operator_!~", 2) && text_arg(in, 1))
		return unary(t, in, of, VT_STEP_UNMATCH, text_arg(in, 1));
	if (named(in, "#indexer", 2) && second->kind == VT_A_NUMBER && second->k.kind == IK_INT &&
		second->k.i >= 0)
		return unary(t, in, of, VT_STEP_INDEX, &second->k);
	return false;
}

/* ---- instructions ---- */

static bool
begin_junction(program *t, const ir_ins *in)
{
	int left = reg_of(t, in->a[0]);

	if (left < 0 || t->nopen == NESTED)
		return false;
	t->open[t->nopen++] = (open_junction){
		in->label, in->a[0], in->op == IR_JTRUE ? VT_STEP_OR : VT_STEP_AND, (uint8_t)left};
	return true;
}

static bool
end_junction(program *t, const ir_ins *in)
{
	const open_junction *o = t->nopen > 0 ? &t->open[--t->nopen] : NULL;
	int right = o != NULL && o->label == in->label ? reg_of(t, o->d) : -1;

	return right >= 0 &&
	       define(t, o->d, (step){.op = o->op, .a = o->left, .b = (uint8_t)right});
}

static bool
item(program *t, const ir_ins *in)
{
	if (in->i[0] < 1 || in->i[0] > t->nargs)
		return false;
	return define(t, in->d, (step){.op = VT_STEP_ITEM, .a = (uint8_t)(in->i[0] - 1)});
}

static bool
instruction(program *t, const ir_ins *in)
{
	switch (in->op) {
	case IR_ARG: return item(t, in);
	case IR_CONST:
		if (!takes_const(&in->k))
			return false;
		t->cells[in->d] = (cell){.is = IS_CONST, .k = &in->k};
		return true;
	case IR_COPY:
		t->cells[in->d] = t->cells[in->a[0]];
		return t->cells[in->d].is == IS_REGISTER || t->cells[in->d].is == IS_CONST;
	case IR_ATTR: return unary(t, in, in->a[0], VT_STEP_ATTR, NULL);
	case IR_ADD: return binary(t, in, VT_STEP_ADD);
	case IR_SUB: return binary(t, in, VT_STEP_SUB);
	case IR_MUL: return binary(t, in, VT_STEP_MUL);
	case IR_LT: return binary(t, in, VT_STEP_LT);
	case IR_LE: return binary(t, in, VT_STEP_LE);
	case IR_GT: return binary(t, in, VT_STEP_GT);
	case IR_GE: return binary(t, in, VT_STEP_GE);
	case IR_EQ: return binary(t, in, VT_STEP_EQ);
	case IR_NE: return binary(t, in, VT_STEP_NE);
	case IR_NOT: return unary(t, in, in->a[0], VT_STEP_NOT, NULL);
	case IR_CALLM: return method(t, in);
	case IR_CALL: return function(t, in);
	case IR_JTRUE:
	case IR_JFALSE: return begin_junction(t, in);
	case IR_LABEL: return end_junction(t, in);
	}
	return false;
}

static bool
result(program *t, const char *key, int32_t temp)
{
	int r = reg_of(t, temp);

	if (r < 0 || t->nout == MOST)
		return false;
	t->keys[t->nout] = key;
	t->out[t->nout++] = (uint8_t)r;
	return true;
}

static bool
results(program *t, const ir_ins *last, int32_t temp)
{
	if (last == NULL || last->d != temp || (last->op != IR_MAP && last->op != IR_LIST))
		return result(t, NULL, temp);
	t->kind = last->op == IR_MAP ? VT_PROGRAM_RECORD : VT_PROGRAM_LIST;
	for (uint32_t i = 0; i < last->nlist; i++) {
		const char *key = NULL;
		if (last->op == IR_MAP) {
			const cell *c = last->list[i] >= 0 ? &t->cells[last->list[i]] : NULL;
			if (c == NULL || c->is != IS_CONST || c->k->kind != IK_STR)
				return false;
			key = c->k->s;
			i++;
		}
		if (!result(t, key, last->list[i]))
			return false;
	}
	return t->nout > 0;
}

/* ---- the order of steps ---- */

static void
use(program *t, uint8_t r)
{
	if (r < t->n)
		t->t[r].uses++;
}

static bool
has_right(const step *s)
{
	return s->b != VT_STEP_K && s->op >= VT_STEP_ADD && s->op <= VT_STEP_OR &&
	       s->op != VT_STEP_NOT;
}

static bool
has_left(const step *s)
{
	return s->op != VT_STEP_ITEM && s->op != VT_STEP_CONST;
}

/* A text may change where it is, so it is used once. */
static bool
texts_are_used_once(program *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		if (has_left(&t->t[i]))
			use(t, t->t[i].a);
		if (has_right(&t->t[i]))
			use(t, t->t[i].b);
	}
	for (uint32_t i = 0; i < t->nout; i++)
		use(t, t->out[i]);
	for (uint32_t i = 0; i < t->n; i++)
		if (t->t[i].text && t->t[i].uses > 1)
			return false;
	return true;
}

/* Texts, and what hangs on them, go behind all else. */
static void
order_steps(program *t)
{
	step made[MOST];
	uint8_t to[MOST], n = 0;
	bool late[MOST];

	for (uint32_t i = 0; i < t->n; i++)
		late[i] = t->t[i].text || (has_left(&t->t[i]) && late[t->t[i].a]) ||
			  (has_right(&t->t[i]) && late[t->t[i].b]);
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < t->n; i++)
			if (late[i] == (pass == 1))
				to[i] = n, made[n++] = t->t[i];
	for (uint32_t i = 0; i < t->n; i++) {
		if (has_left(&made[i]))
			made[i].a = to[made[i].a];
		if (has_right(&made[i]))
			made[i].b = to[made[i].b];
		t->t[i] = made[i];
	}
	for (uint32_t i = 0; i < t->nout; i++)
		t->out[i] = to[t->out[i]];
}

/* ---- lambda programs ---- */

static bool
may_have_program(em *e, const ir_func *f)
{
	int n = em_direct_args(e, f);

	return f->n > 0 && f->ins[f->n - 1].op == IR_RET && f->ins[f->n - 1].na > 0 &&
	       f->kind == IF_CODE && f->ntemps > 0 && e->is_query &&
	       vc_pass_on(e->c, LAMBDA_PROGRAMS) && vc_pass_on(e->c, RECORDS) && (n == 1 || n == 2);
}

/* Functions of other layers go by the same names. */
static bool
plain_layers(const ir_func *f)
{
	return (f->unit->layers & ~(uint32_t)(VT_L_STD | VT_L_DELEGATES)) == 0;
}

static bool
find(em *e, const ir_func *f, program *t)
{
	const ir_ins *last = NULL;
	bool ok = true;

	*t = (program){.e = e, .f = f};
	if (!may_have_program(e, f))
		return false;
	t->nargs = (uint8_t)em_direct_args(e, f);
	t->cells = vc_alloc(e->c, (size_t)f->ntemps * sizeof *t->cells);
	memset(t->cells, 0, (size_t)f->ntemps * sizeof *t->cells);
	for (uint32_t i = 0; ok && i + 1 < f->n; i++) {
		const ir_ins *in = last = &f->ins[i];
		bool whole = (in->op == IR_MAP || in->op == IR_LIST) && i + 2 == f->n;
		if (in->op != IR_LABEL && in->op != IR_JTRUE && in->op != IR_JFALSE &&
			(in->d < 0 || in->d >= f->ntemps))
			return false;
		ok = whole || instruction(t, in);
	}
	if (!ok || t->nopen > 0 || !results(t, last, f->ins[f->n - 1].a[0]))
		return false;
	if ((t->calls && !plain_layers(f)) || !texts_are_used_once(t))
		return false;
	order_steps(t);
	return true;
}

bool
em_has_lambda_program(em *e, const ir_func *f)
{
	program t;

	return find(e, f, &t);
}

/* vt_mkptr(&s1) -> &s1 */
static const char *
heap_const(em *e, const ir_const *k)
{
	const char *v;

	if (k == NULL || (k->kind != IK_STR && k->kind != IK_FLOAT))
		return "NULL";
	v = em_value(e, k);
	return vc_format(e->c, "%.*s", (int)strlen(v) - 10, v + 9);
}

static void
put_step(em *e, vt_buf *b, const step *s)
{
	vt_buf_printf(b, "{%u, %u, %u, ", s->op, s->a, s->b);
	if (s->attr)
		vt_buf_printf(b, "VT_IC_NUMBER(%u), %s, NULL, VT_UNDEF}", s->attr->site->index,
			em_str_ref(e, s->attr->site->args[1].k.s));
	else
		vt_buf_printf(b, "NULL, %s, %s, %s}", heap_const(e, s->k), heap_const(e, s->by),
			s->k && s->k->kind != IK_STR && s->k->kind != IK_FLOAT ? em_value(e, s->k)
									       : "VT_UNDEF");
}

static void
put_keys(em *e, vt_buf *b, const program *t, const char *name)
{
	vt_buf_printf(b, "static const vt_str *const k%s[] = {", name);
	for (uint32_t i = 0; i < t->nout; i++)
		vt_buf_printf(b, "%s%s", i ? ", " : "", em_str_ref(e, t->keys[i]));
	vt_buf_puts(b, "};\n");
}

/* After the code of f, which numbers the caches. */
void
em_lambda_program(em *e, const ir_func *f)
{
	const char *name = ct_name(e->c, "q_", f->name);
	vt_buf b = {0};
	program t;

	if (!find(e, f, &t))
		return;
	vt_buf_printf(&b, "static const vt_lambda_step t%s[] = {", name);
	for (uint32_t i = 0; i < t.n; i++) {
		vt_buf_puts(&b, i ? ", " : "");
		put_step(e, &b, &t.t[i]);
	}
	vt_buf_printf(&b, "};\nstatic const uint8_t o%s[] = {", name);
	for (uint32_t i = 0; i < t.nout; i++)
		vt_buf_printf(&b, "%s%u", i ? ", " : "", t.out[i]);
	vt_buf_puts(&b, "};\n");
	if (t.kind == VT_PROGRAM_RECORD)
		put_keys(e, &b, &t, name);
	vt_buf_printf(&b, "static const vt_lambda_program %s = {%u, %u, %u, %u, %d, t%s, o%s, ",
		name, t.kind, t.n, t.nargs, t.nout, t.calls, name, name);
	if (t.kind == VT_PROGRAM_RECORD)
		vt_buf_printf(&b, "k%s, VT_IC_NUMBER(%u)};\n", name, e->nics++);
	else
		vt_buf_puts(&b, "NULL, NULL};\n");
	vt_buf_put(&e->tables, b.p, b.n);
	vt_buf_free(&b);
}
