/*
 * capture.c - variables of a method that its lambdas read: pass `capture`.
 *
 * A lambda reads the variables of its method in the scope where it was written.  Where lambdas only
 * read them, and nothing that the method calls keeps a lambda or a scope beyond its statement, the
 * variables are C locals all the same: what lambdas read is put into a scope in front of every op
 * that takes one.  For a statement assigns only when its expressions are done.
 */
#include "compiler/emit/unbox.h"
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <string.h>

static bool
has_code(const ir_site *s)
{
	for (uint32_t i = 0; i < s->nargs; i++)
		if (s->args[i].code || (s->args[i].key && s->args[i].key->code))
			return true;
	return false;
}

/* May the function keep what it is given, or look at the scope of its call?  Rows of formats that
 * the code is not written in have no say: the old switch() makes contexts. */
static bool
keeps(const ir_func *f, const ir_site *s)
{
	bool known, sees = vt_fn_sees_scope(s->name, f->unit->layers, &known);

	return sees || (!known && (!s->method || has_code(s)));
}

/* A call that makes a context in place of names of values: compiler/lower/let.c.  Nothing on the
 * right of its arrow keeps that. */
static bool
is_let(const ir_ins *in)
{
	return in->op == IR_CALL && in->site->named;
}

static bool
is_arrow_of_let(const ir_func *f, const ir_ins *in)
{
	return in->op == IR_CONTEXT && in > f->ins && in[-1].op == IR_CALL &&
	       in[-1].d == in->a[0] && is_let(in - 1);
}

/* The same in a lambda. */
static bool
is_let_of_lambda(const ir_func *f, const ir_ins *in)
{
	const ir_ins *call = in->op == IR_CONTEXT ? in - 1 : in;

	return f->kind == IF_CODE && call >= f->ins && call->op == IR_CALL &&
	       (strcmp(call->site->name, "let") == 0 || strcmp(call->site->name, "with") == 0) &&
	       call[1].op == IR_CONTEXT && call[1].a[0] == call->d;
}

/* Are the scopes that the op hands on seen by nobody once its statement is over? */
static bool
is_brief(const ir_func *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		bool call = in->op == IR_CALL || in->op == IR_CALLM || in->op == IR_REFUSE;
		if (is_let(in) || is_arrow_of_let(f, in) || is_let_of_lambda(f, in))
			continue;
		if (in->op == IR_PARALLEL || in->op == IR_CONTEXT || (call && keeps(f, in->site)))
			return false;
		if (f->kind == IF_CODE && (in->op == IR_SETVAR || in->op == IR_ADDV ||
						  in->op == IR_PUTATTRV || in->op == IR_PUTINDEXV))
			return false;
	}
	return true;
}

static void
note_read(const ir_func *method, const ir_func *code, uint8_t *read)
{
	for (uint32_t i = 0; i < code->n; i++) {
		const ir_ins *in = &code->ins[i];
		if (in->op == IR_VAR)
			read[in->var] = 1;
		for (uint32_t v = 0; in->op == IR_DYN && v < method->nvars; v++)
			if (strcmp(method->vars[v], in->name) == 0)
				read[v] = 1;
	}
}

/* The codes of a unit by the method that they belong to. */
struct em_codes {
	const ir_unit *unit;
	uint32_t n;
	const ir_func *code[];
};

static int
by_base(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)(*(const ir_func *const *)a)->base,
		  y = (uintptr_t)(*(const ir_func *const *)b)->base;

	return (x > y) - (x < y);
}

static const struct em_codes *
codes_of(em *e, const ir_unit *u)
{
	struct em_codes *l = e->bases;
	uint32_t n = 0;

	if (l != NULL && l->unit == u)
		return l;
	for (const ir_func *g = u->funcs; g; g = g->next)
		n += g->base != NULL;
	e->bases = l = vc_alloc(e->c, sizeof *l + n * sizeof l->code[0]);
	l->unit = u;
	for (const ir_func *g = u->funcs; g; g = g->next)
		if (g->base != NULL)
			l->code[l->n++] = g;
	qsort(l->code, l->n, sizeof l->code[0], by_base);
	return l;
}

/* Where the codes of the method begin. */
static uint32_t
first_code(const struct em_codes *l, const ir_func *method)
{
	uint32_t from = 0, to = l->n;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if ((uintptr_t)l->code[middle]->base < (uintptr_t)method)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static uint8_t *
captured(em *e, const ir_func *f)
{
	uint8_t *read = vc_alloc(e->c, (size_t)f->nvars + 1);

	if (!vc_pass_on(e->c, CAPTURE) || e->c->boxed || !is_brief(f))
		return NULL;
	const struct em_codes *l = codes_of(e, f->unit);
	for (uint32_t i = first_code(l, f); i < l->n && l->code[i]->base == f; i++) {
		if (!is_brief(l->code[i]))
			return NULL;
		note_read(f, l->code[i], read);
	}
	return read;
}

/* The answer for the last function is kept. */
const uint8_t *
em_captured(em *e, const ir_func *f)
{
	if (f->kind != IF_METHOD || !f->boxed)
		return NULL;
	if (e->captures != f) {
		e->captures = f;
		e->captured = captured(e, f);
	}
	return e->captured;
}

bool
em_boxed(em *e, const ir_func *f)
{
	return f->boxed && em_captured(e, f) == NULL;
}

/* The variable as an owned value, wherever it is. */
static const char *
value_of(fn *x, uint32_t v)
{
	vc *c = x->e->c;
	uint8_t raw = x->raw ? x->raw->var[v] : 0;

	return raw & RAW_REAL ? vc_format(c, "vt_mkfloat(rt, m%u)", v)
	       : raw          ? vc_format(c, "vt_boxed(n%u)", v)
			      : vc_format(c, "vt_copy(v%u)", v);
}

static void
note_captured(fn *x, uint32_t v)
{
	vc_pass_note(x->e->c, VC_PASS_CAPTURE, x->now, "lambdas read $%s", x->f->vars[v]);
}

void
em_captured_array(fn *x)
{
	for (uint32_t v = 0; x->captured && v < x->f->nvars; v++)
		if (x->captured[v] && x->raw && (x->raw->var[v] & RAW_SET))
			vt_buf_printf(x->b, "vt_move(&v%u, %s); ", v, value_of(x, v));
	if (x->captured == NULL)
		return;
	vt_buf_puts(x->b, "vt_value vars[] = {");
	for (uint32_t v = 0; v < x->f->nvars; v++) {
		if (x->captured[v]) {
			note_captured(x, v);
			vt_buf_printf(x->b, "%sv%u", v ? ", " : "", v);
			continue;
		}
		uint32_t from = v;
		while (v + 1 < x->f->nvars && !x->captured[v + 1])
			v++;
		vt_buf_puts(x->b, from ? ", " : "");
		if (from == v)
			vt_buf_puts(x->b, "VT_UNDEF");
		else
			vt_buf_printf(x->b, "[%u ... %u] = VT_UNDEF", from, v);
	}
	vt_buf_puts(x->b, x->f->nvars ? "}; " : "VT_UNDEF}; ");
}

static void note_op_reads(const ir_func *method, const ir_ins *in, uint8_t *read);

/* What code reads, and the code below it. */
static void
note_reads(const ir_func *method, const ir_func *code, uint8_t *read)
{
	if (code == NULL)
		return;
	note_read(method, code, read);
	for (uint32_t i = 0; i < code->n; i++)
		note_op_reads(method, &code->ins[i], read);
}

static void
note_op_reads(const ir_func *method, const ir_ins *in, uint8_t *read)
{
	note_reads(method, in->f, read);
	for (uint32_t i = 0; i < in->nfs; i++)
		note_reads(method, in->fs[i], read);
	for (uint32_t i = 0; in->site != NULL && i < in->site->nargs; i++) {
		const ir_arg *a = &in->site->args[i];
		note_reads(method, a->code, read);
		note_reads(method, a->key ? a->key->code : NULL, read);
	}
}

/* Puts what the lambdas of the op read into the scope.  What others read stays out: it would be
 * held there, and could not change where it is. */
static void
fill_scope(fn *x, const ir_ins *in)
{
	uint8_t *read = vc_alloc(x->e->c, (size_t)x->f->nvars + 1);

	note_op_reads(x->f, in, read);
	vt_buf_printf(x->b, "\tif (sc == NULL) sc = vt_scope_method(rt, %s, self, %s);\n",
		x->e->unit, x->names);
	for (uint32_t v = 0; v < x->f->nvars; v++) {
		if (!x->captured[v] || (!read[v] && !is_let(in)))
			continue;
		note_captured(x, v);
		vt_buf_printf(x->b, "\tvt_move(&sc->v[%u], %s);\n", v + 1, value_of(x, v));
	}
}

void
em_capture(fn *x, const ir_ins *in)
{
	bool arrow = is_arrow_of_let(x->f, in),
	     takes = in->op == IR_PIPE || arrow || is_let(in) ||
		     (in->site != NULL && in->op != IR_JFOUND && has_code(in->site));

	if (x->captured == NULL)
		return;
	x->sc = takes ? "sc" : "NULL";
	if (takes && !arrow && (in->op != IR_PIPE || in->label >= 0))
		fill_scope(x, in);
}

/* Does what begins at the position change the variable, or a value that it has?  Up to the next
 * position nothing else is assigned. */
static bool
changes(const fn *x, const ir_ins *pos, uint32_t v)
{
	bool reads = false, puts = false;

	for (const ir_ins *in = pos + 1; in < x->f->ins + x->f->n && in->op != IR_POS; in++) {
		bool own = in->var == (int32_t)v;
		reads |= in->op == IR_VAR && own;
		puts |= in->op == IR_PUTIN;
		if (own && (in->op == IR_ADDV || in->op == IR_PUTATTRV || in->op == IR_PUTINDEXV ||
				   (in->op == IR_SETVAR && reads)))
			return true;
	}
	return reads && puts;
}

void
em_captured_go(fn *x, const ir_ins *pos)
{
	for (uint32_t v = 0; x->captured && v < x->f->nvars; v++)
		if (x->captured[v] && (x->raw == NULL || x->raw->var[v] == 0) && changes(x, pos, v))
			vt_buf_printf(x->b, "\tif (sc) vt_clear(&sc->v[%u]);\n", v + 1);
}

/* ---- which code can run without a scope of its own ---- */

/*
 * A lambda needs a scope only where something in it may look at that scope or keep it: nested code
 * does, functions marked `context` in the registry do, and so may functions nobody knows here.
 * Everything else reads $1, $2..., which stand in an array, and names of outer scopes, which are
 * found from the outer scope just as well.  With fewer arguments than it reads, $2 is that of an
 * outer scope: such a call takes the long way.
 */
static bool
site_is_blind(const ir_site *s)
{
	uint32_t n;
	const vt_fnrow *rows = vt_fn_find(s->name, &n);

	for (uint32_t i = 0; i < s->nargs; i++)
		if (s->args[i].code || s->args[i].key)
			return false;
	for (uint32_t i = 0; rows && i < n; i++)
		if (rows[i].flags & VT_FN_CONTEXT)
			return false;
	return rows != NULL;
}

static bool
ins_is_blind(const ir_ins *in)
{
	bool calls = ir_ops[in->op].group == IR_G_CALL || in->op == IR_REFUSE;

	return ir_ops[in->op].flags & IR_BLIND && (!calls || site_is_blind(in->site));
}

int
em_direct_args(const em *e, const ir_func *f)
{
	int n = 0;

	if (f->kind != IF_CODE || !f->leaf || !vc_pass_on(e->c, DIRECT))
		return -1;
	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (!ins_is_blind(in) || (in->op == IR_ARG && in->i[0] > VT_DIRECT_MOST))
			return -1;
		if (in->op == IR_ARG && in->i[0] > n)
			n = (int)in->i[0];
	}
	return n;
}

uint32_t
em_direct_reads(const ir_func *f)
{
	uint32_t reads = 0;

	for (uint32_t i = 0; i < f->n; i++)
		if (f->ins[i].op == IR_ARG && f->ins[i].i[0] > 0)
			reads |= VT_CODE_READS(f->ins[i].i[0]);
	return reads;
}
