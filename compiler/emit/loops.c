/*
 * loops.c - loops over integers and floats: pass `unbox`.
 *
 * A loop gets a copy in which variables that can be expected to hold integers, or floats, are raw,
 * and with them what is computed from them.  The heads of loops go to the copy when they all do
 * hold such.  Giving up makes everything raw a value again, and the loop goes on in the code that
 * is right for all values; so does a failure that a handler takes.
 *
 * `For` over range() counts: pass `inplace`.
 */
#include "compiler/emit/unbox.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <string.h>

enum { MOST_OPS = 4000 };

/* ---- which variables ------------------------------------------------------------------------- */

/* What the ops of a loop do to variables. */
typedef struct survey {
	fn *x;
	uint32_t *cells;
	int32_t *from; /* by temporary: the variable that it repeats, or -1 */
	uint8_t *used, *set;
	uint8_t *no_int, *no_real; /* it holds something that is none */
	uint8_t *real;             /* it is a float, or meets one */
	uint8_t *floats;           /* it meets one for certain */
	uint8_t *meets;            /* what it meets, as far as it is guessed: GUESS_* */
	/* what temporaries and variables will be, as far as can be guessed: GUESS_* */
	uint8_t *guess, *variable;
	uint8_t *before; /* what a variable holds when the loop begins */
	bool again;      /* a guess about a variable is new */
} survey;

/* The copy of a loop ends where a value is not what was guessed, so a guess may be wrong. */
enum { GUESS_INT = 1, GUESS_REAL = 2, GUESS_RANGE = 4 };

static uint8_t
guess_of(const survey *s, int32_t t)
{
	return t < 0 ? 0 : s->guess[t];
}

/* Numbers of both kinds make floats; what meets an integer is taken for one. */
static uint8_t
guess_sum(uint8_t a, uint8_t b)
{
	return (a | b) & GUESS_REAL ? GUESS_REAL : (a | b) & GUESS_INT;
}

static void
guess_variable(survey *s, int32_t var, uint8_t g)
{
	uint8_t now = s->variable[var] | (g & (GUESS_INT | GUESS_REAL));

	s->again |= now != s->variable[var];
	s->variable[var] = now;
}

/* Is it range(), handed on? */
static uint8_t
guess_walk(const survey *s, const ir_ins *in)
{
	if (in->op == IR_CALL && strcmp(in->site->name, "range") == 0)
		return GUESS_RANGE;
	if (in->op == IR_FINAL || in->op == IR_COPY || in->op == IR_ITER)
		return guess_of(s, in->a[0]);
	return 0;
}

/* In front of the loop: what it walks is made there, and what its variables begin with. */
static void
guess_before(survey *s, const ir_ins *in)
{
	bool local = in->var >= 0 && (uint32_t)in->var < s->x->f->nvars;

	if (local && in->op == IR_SETVAR)
		s->before[in->var] = guess_of(s, in->a[0]) & (GUESS_INT | GUESS_REAL);
	if (in->d < 0)
		return;
	if (in->op == IR_CONST)
		s->guess[in->d] = in->k.kind == IK_FLOAT ? GUESS_REAL
				  : in->k.kind == IK_INT ? GUESS_INT
							 : 0;
	else if (em_is_arith(in->op))
		s->guess[in->d] = guess_sum(guess_of(s, in->a[0]), guess_of(s, in->a[1]));
	else if (in->op == IR_VAR)
		s->guess[in->d] = local ? s->before[in->var] : 0;
	else
		s->guess[in->d] = guess_walk(s, in);
}

static uint8_t
guess_result(const survey *s, const ir_ins *in)
{
	uint32_t k = in->d >= 0 ? s->cells[in->d] & ~(uint32_t)(EM_HELD | EM_EMPTY) : 0;

	if (k == EM_INT)
		return GUESS_INT;
	if (k == EM_FLOAT)
		return GUESS_REAL;
	if (em_is_arith(in->op))
		return guess_sum(guess_of(s, in->a[0]), guess_of(s, in->a[1]));
	if (in->op == IR_VAR && (uint32_t)in->var < s->x->f->nvars)
		return s->variable[in->var];
	if (in->op == IR_NEXT)
		return guess_of(s, in->a[0]) & GUESS_RANGE ? GUESS_INT : 0;
	return guess_walk(s, in);
}

static uint32_t
kinds(const survey *s, int32_t t)
{
	return t < 0 ? EM_NULL : s->cells[t] & ~(uint32_t)(EM_HELD | EM_EMPTY);
}

static void
operand(survey *s, int32_t t, int32_t other)
{
	int32_t v = t < 0 ? -1 : s->from[t];
	uint32_t k = kinds(s, other);

	if (v < 0)
		return;
	s->used[v] |= (k & (EM_INT | EM_FLOAT)) != 0;
	s->no_int[v] |= (k & (EM_INT | EM_FLOAT)) == 0;
	s->no_real[v] |= (k & (EM_INT | EM_FLOAT)) == 0;
	s->floats[v] |= (k & EM_INT) == 0;
	s->meets[v] |= guess_of(s, other);
	s->real[v] |= k == EM_FLOAT || kinds(s, t) == EM_FLOAT;
}

static void
assigned(survey *s, const ir_ins *in)
{
	uint32_t k = kinds(s, in->a[0]);

	s->set[in->var] = 1;
	s->used[in->var] |= in->op == IR_ADDV;
	s->no_int[in->var] |= (k & EM_INT) == 0;
	s->no_real[in->var] |= (k & (in->op == IR_ADDV ? EM_FLOAT | EM_INT : EM_FLOAT)) == 0;
	s->real[in->var] |= k == EM_FLOAT;
}

static void
survey_op(survey *s, const ir_ins *in)
{
	bool local = in->var >= 0 && (uint32_t)in->var < s->x->f->nvars;

	if (em_is_arith(in->op) || em_is_order(in->op)) {
		operand(s, in->a[0], in->a[1]);
		operand(s, in->a[1], in->a[0]);
	}
	if (local && (in->op == IR_PUTATTRV || in->op == IR_PUTINDEXV))
		s->no_int[in->var] = s->no_real[in->var] = 1;
	if (local && (in->op == IR_SETVAR || in->op == IR_ADDV))
		assigned(s, in);
	if (local && in->op == IR_SETVAR)
		guess_variable(s, in->var, guess_of(s, in->a[0]));
	if (local && in->op == IR_ADDV)
		guess_variable(s, in->var, guess_sum(s->variable[in->var], guess_of(s, in->a[0])));
	if (in->d >= 0)
		s->from[in->d] = local && in->op == IR_VAR ? in->var : -1;
}

static void
survey_ops(survey *s, uint32_t from, uint32_t to)
{
	const ir_func *f = s->x->f;
	bool here = false;

	em_flow_start(s->x->e, s->x->flow, s->cells);
	memset(s->from, 0xff, (size_t)f->ntemps * sizeof *s->from);
	for (uint32_t i = from; i <= to; i++) {
		const ir_ins *in = &f->ins[i];
		if (in->op == IR_LABEL || i == from) {
			here = in->op != IR_LABEL || em_flow_at(s->x->flow, in->label, s->cells);
			memset(s->from, 0xff, (size_t)f->ntemps * sizeof *s->from);
		}
		if (!here)
			continue;
		survey_op(s, in);
		em_flow_step(s->x->flow, i, s->cells);
		if (in->d >= 0)
			s->guess[in->d] = guess_result(s, in);
		here = (ir_ops[in->op].flags & IR_TERM) == 0;
	}
}

enum { MOST_ROUNDS = 4 };

/* Until no guess is new. */
static void
survey_rounds(survey *s, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i == 0 || (s->again && i < MOST_ROUNDS); i++) {
		s->again = false;
		survey_ops(s, from, to);
	}
}

uint8_t *
em_raw_variables(fn *x, uint32_t from, uint32_t to, bool reals)
{
	vc *c = x->e->c;
	uint32_t nv = x->f->nvars + 1;
	survey s = {.x = x,
		.used = vc_alloc(c, nv),
		.set = vc_alloc(c, nv),
		.no_int = vc_alloc(c, nv),
		.no_real = vc_alloc(c, nv),
		.real = vc_alloc(c, nv),
		.floats = vc_alloc(c, nv),
		.meets = vc_alloc(c, nv)};
	uint8_t *var = vc_alloc(c, nv);
	bool any = false;

	s.cells = vc_alloc(c, (em_flow_cells(x->flow) + 1) * sizeof *s.cells);
	s.from = vc_alloc(c, ((size_t)x->f->ntemps + 1) * sizeof *s.from);
	s.guess = vc_alloc(c, (size_t)x->f->ntemps + 1);
	s.variable = vc_alloc(c, nv);
	s.before = vc_alloc(c, nv);
	for (uint32_t i = 0; i < from; i++)
		guess_before(&s, &x->f->ins[i]);
	survey_rounds(&s, from, to);
	for (uint32_t v = 0; v < x->f->nvars; v++) /* what is assigned in it says more */
		if (s.variable[v] == 0)
			guess_variable(&s, (int32_t)v, s.before[v]);
	survey_rounds(&s, from, to);
	for (uint32_t v = 0; v < x->f->nvars; v++) {
		bool real = reals && !s.no_real[v] &&
			    (s.variable[v] == 0 ? s.real[v] : s.variable[v] == GUESS_REAL);
		bool whole = !s.no_int[v] && (s.variable[v] == GUESS_INT ||
						     (!s.floats[v] && s.meets[v] == GUESS_INT));
		if (s.used[v] && (real || whole))
			var[v] = (uint8_t)(RAW_READ | (s.set[v] ? RAW_SET : 0) |
					   (real ? RAW_REAL : 0));
		any |= var[v] != 0;
	}
	return any ? var : NULL;
}

/* ---- the loops of a function ----------------------------------------------------------------- */

/* The last op that jumps back to a label at or before it, from op i on: where the loop that begins
 * there ends. */
static uint32_t
loop_end(const ir_func *f, const uint32_t *place, uint32_t i)
{
	uint32_t end = 0;

	for (uint32_t k = i; k < f->n; k++) {
		const ir_ins *in = &f->ins[k];
		uint32_t to = em_jumps(in) ? place[in->label] : UINT32_MAX;
		if (to >= i && to <= (end ? end : i) && to <= k)
			end = k;
	}
	return end;
}

uint8_t
em_loop_head(const ir_func *f, uint32_t label)
{
	bool each = label + 1 < f->n &&
		    (f->ins[label + 1].op == IR_EACH || f->ins[label + 1].op == IR_MORE);

	return each ? EM_SHORT_HEAD : EM_LOOP_HEAD;
}

/* It needs no way into a copy, nor a copy of its own. */
static bool
is_short(const ir_func *f, uint32_t label)
{
	return em_loop_head(f, label) == EM_SHORT_HEAD;
}

/* Labels that are jumped back to in the copy are entries. */
static void
note_heads(fn *x, const em_raw *w)
{
	for (uint32_t k = w->from; k <= w->to; k++) {
		const ir_ins *in = &x->f->ins[k];
		if (em_jumps(in) && em_raw_inside(w, in->label) && w->place[in->label] <= k &&
			(w->wanted[in->label] & 2) && !is_short(x->f, w->place[in->label]))
			x->loops->head[in->label] = (int32_t)w->number;
	}
}

/* One copy, with its own state of the function; the text goes to the side. */
static void
write_copy(const fn *x, em_raw *w)
{
	fn y = *x;
	em *e = x->e;
	size_t start = e->funcs.n;

	y.raw = w;
	y.handler = -1;
	for (uint32_t i = 0; i < w->from; i++)
		if (x->f->ins[i].op == IR_HANDLER)
			y.handler = x->f->ins[i].label;
	y.cells = vc_alloc(e->c, (em_flow_cells(x->flow) + 1) * sizeof *y.cells);
	y.alias = vc_alloc(e->c, ((size_t)x->f->ntemps + 1) * sizeof *y.alias);
	y.placed = vc_alloc(e->c, (size_t)x->f->nlabels + 1);
	y.here = true;
	em_raw_open(&y, w);
	em_raw_ops(&y);
	vt_buf_put(&x->loops->text, e->funcs.p + start, e->funcs.n - start);
	vt_buf_put(&x->loops->text, w->stubs.p, w->stubs.n);
	vt_buf_free(&w->stubs);
	e->funcs.n = start;
	note_heads(&y, w);
}

static struct em_loops *
no_loops(fn *x)
{
	vc *c = x->e->c;
	struct em_loops *l = vc_alloc(c, sizeof *l);

	l->comes_back = vc_alloc(c, (size_t)x->f->n + 1);
	l->t = vc_alloc(c, (size_t)x->f->ntemps + 1);
	l->v = vc_alloc(c, (size_t)x->f->nvars + 1);
	l->head = vc_alloc(c, ((size_t)x->f->nlabels + 1) * sizeof *l->head);
	memset(l->head, 0xff, ((size_t)x->f->nlabels + 1) * sizeof *l->head);
	return l;
}

struct em_loops *
em_loops_of(fn *x)
{
	const ir_func *f = x->f;
	uint32_t *place, end;

	if (!vc_pass_on(x->e->c, UNBOX) || f->kind != IF_METHOD || x->boxed || f->nlabels == 0 ||
		f->n > MOST_OPS)
		return NULL;
	place = em_label_places(x->e->c, f);
	x->loops = no_loops(x);
	x->loops->copies = vc_alloc(x->e->c, ((size_t)f->nlabels + 1) * sizeof *x->loops->copies);
	for (uint32_t i = 0; i < f->n; i++) {
		if (f->ins[i].op != IR_LABEL || is_short(f, i) ||
			(end = loop_end(f, place, i)) == 0)
			continue;
		em_raw *w = &x->loops->copies[x->loops->n];
		*w = (em_raw){.number = x->loops->n,
			.place = place,
			.from = i,
			.to = end,
			.ts = x->loops->t,
			.vs = x->loops->v,
			.var = em_raw_variables(x, i, end, true)};
		if (w->var) {
			x->loops->n++;
			write_copy(x, w);
		}
		i = end;
	}
	return x->loops->n ? x->loops : NULL;
}

void
em_loops_locals(fn *x, em_list *ints, em_list *reals)
{
	for (uint32_t k = 0; k < x->loops->n; k++)
		for (uint32_t v = 0; v < x->f->nvars; v++)
			x->loops->v[v] |= x->loops->copies[k].var[v] == 0         ? 0
					  : x->loops->copies[k].var[v] & RAW_REAL ? 2
										  : 1;
	em_raw_declare(x, x->loops->t, x->loops->v, ints, reals);
}

void
em_loops_label(fn *x, int32_t label)
{
	const em_raw *w;
	const char *sep = "\tif (";

	if (x->loops == NULL || x->loops->head[label] < 0)
		return;
	w = &x->loops->copies[x->loops->head[label]];
	for (uint32_t v = 0; v < x->f->nvars; v++)
		if (w->var[v]) {
			vt_buf_printf(x->b, "%s%s(v%u)", sep,
				w->var[v] & RAW_REAL ? "vt_is_float" : "vt_is_int", v);
			sep = " && ";
		}
	vt_buf_puts(x->b, ") {");
	for (uint32_t v = 0; v < x->f->nvars; v++)
		if (w->var[v])
			vt_buf_printf(x->b,
				w->var[v] & RAW_REAL ? " m%u = vt_float_of(v%u);"
						     : " n%u = vt_raw(v%u);",
				v, v);
	vt_buf_printf(x->b, " goto F%u_%d; }\n", w->number, label);
	vc_pass_note(x->e->c, VC_PASS_UNBOX, x->now, "an entry into the copy");
}

void
em_loops_op(fn *x, uint32_t i)
{
	if (x->loops && x->loops->comes_back[i])
		vt_buf_printf(x->b, "S%u:;\n", i);
}

void
em_loops_text(fn *x)
{
	if (x->loops == NULL)
		return;
	vt_buf_put(x->b, x->loops->text.p, x->loops->text.n);
	vt_buf_free(&x->loops->text);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* The step of a range(), which is a constant; 0: it is none, or too far to count by. */
static int64_t
step_of(const ir_ins *in)
{
	const ir_const *k = in->nlist == 3 ? &in->site->args[2].k : NULL;

	if (k == NULL)
		return 1;
	return in->list[2] < 0 && k->kind == IK_INT && k->i > -INT32_MAX && k->i < INT32_MAX ? k->i
											     : 0;
}

/* Is the op a range() that For alone sees? */
static bool
counts(const fn *x, const ir_ins *in)
{
	const ir_ins *end = x->f->ins + x->f->n;

	return vc_pass_on(x->e->c, LOCAL) && x->f->kind == IF_METHOD && in->op == IR_CALL &&
	       strcmp(in->site->name, "range") == 0 && in->nlist >= 1 && in->nlist <= 3 &&
	       in->site->nargs == in->nlist && step_of(in) != 0 && end - in > 2 &&
	       in[1].op == IR_FINAL && in[1].a[0] == in->d && in[2].op == IR_ITER &&
	       in[2].a[0] == in[1].d && x->f->unit->opt.limit_iterators < 0 &&
	       x->f->unit->opt.memory_quota <= 0;
}

static const char *
way_round(fn *x, const ir_ins *in)
{
	uint32_t i = (uint32_t)(in - x->f->ins);

	return x->raw ? vc_format(x->e->c, "W%u_%u", x->raw->number, i)
		      : vc_format(x->e->c, "W%u", i);
}

/*
 * In front of the call, which finds the function that the name means, and behind it as well: what
 * it has made has not begun, so it goes when it is of no use.
 */
void
em_range(fn *x, const ir_ins *in, bool called)
{
	const char *from = "vt_mkint(0)", *to;
	int32_t t;

	if (!counts(x, in) || (in->list[0] < 0 && in->site->args[0].k.kind != IK_INT) ||
		(in->nlist > 1 && in->list[1] < 0 && in->site->args[1].k.kind != IK_INT))
		return;
	t = in[2].d;
	to = em_operand(x, in, in->nlist > 1);
	if (in->nlist > 1)
		from = em_operand(x, in, 0);
	(void)em_site(x->e, in->site);
	vc_pass_note(x->e->c, VC_PASS_LOCAL, in, "counts");
	vt_buf_printf(x->b, "\tif (vt_found(IC(%u), VT_IN_RANGE) && vt_both_int(%s, %s)) {\n",
		in->site->index, from, to);
	if (called)
		vt_buf_printf(x->b, "\tvt_clear(&t%d);\n", in->d);
	vt_buf_printf(x->b,
		"\tk%d = vt_toint(%s); e%d = vt_toint(%s); t%d = VT_COUNTS; goto %s;\n\t}\n", t,
		from, t, to, t, way_round(x, in));
}

int64_t
em_counts_by(const fn *x, const ir_ins *next)
{
	for (const ir_ins *in = next; in-- > x->f->ins;)
		if (in->op == IR_ITER && in->d == next->a[0])
			return in - x->f->ins >= 2 && counts(x, in - 2) ? step_of(in - 2) : 1;
	return 1;
}

void
em_range_end(fn *x, const ir_ins *iter)
{
	if (iter - x->f->ins >= 2 && counts(x, iter - 2))
		vt_buf_printf(x->b, "%s:;\n", way_round(x, iter - 2));
}
