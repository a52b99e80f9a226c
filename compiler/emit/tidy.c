/*
 * tidy.c - the C of a function once it is written: labels stand with their statement, and a jump to
 * what comes next is left out.  And locals: a declaration for each type.
 *
 * Ops write lines without knowing what comes behind them.  Labels are alone in a line then, "L3:;",
 * and nothing else begins in the first column but what the function ends with.
 */
#include "compiler/emit/function.h"

#include <string.h>

/* ---- labels ---- */

enum { MOST_SCANNED = 1 << 16 }; /* of a larger text nobody looks for other jumps to a label */

typedef struct line {
	const char *at;
	size_t n; /* with its newline */
} line;

static line
line_at(const char *at, const char *end)
{
	const char *nl = memchr(at, '\n', (size_t)(end - at));

	return (line){at, (size_t)((nl ? nl + 1 : end) - at)};
}

/* The name in "L3:;", how long it is; 0: the line is another one. */
static size_t
label_name(line l)
{
	size_t n = 0;

	while (n < l.n && ((l.at[n] >= 'A' && l.at[n] <= 'Z') ||
				  (l.at[n] >= '0' && l.at[n] <= '9') || l.at[n] == '_'))
		n++;
	return n > 0 && l.n == n + 3 && memcmp(l.at + n, ":;\n", 3) == 0 ? n : 0;
}

/* Is the line "goto L3;" alone? */
static bool
goes_to(line l, const char *name, size_t n)
{
	return l.n == n + 8 && memcmp(l.at, "\tgoto ", 6) == 0 && memcmp(l.at + 6, name, n) == 0 &&
	       memcmp(l.at + 6 + n, ";\n", 2) == 0;
}

/* How often the text jumps to the label. */
static uint32_t
jumps_to(const char *text, size_t size, const char *name, size_t n)
{
	uint32_t found = 0;

	for (const char *p = text, *end = text + size;
		(p = memchr(p, 'g', (size_t)(end - p))) != NULL && (size_t)(end - p) > n + 5; p++)
		found += memcmp(p, "goto ", 5) == 0 && memcmp(p + 5, name, n) == 0 &&
			 p[5 + n] == ';';
	return found;
}

/* Can it have a label in front? */
static bool
is_statement(line l)
{
	return l.n > 2 && l.at[0] == '\t' && l.at[1] != '}';
}

typedef struct tidy {
	vt_buf out;
	size_t last; /* where its last line begins */
	bool open;   /* that has labels and waits for their statement */
	const char *text, *end;
} tidy;

/* Leaves out the jump that stands before the label.  Has the label no other? */
static bool
leave_out(tidy *t, line label, size_t n)
{
	line last = {t->out.p + t->last, t->out.n - t->last};
	size_t size = (size_t)(t->end - t->text);

	if (t->out.n == 0 || !goes_to(last, label.at, n))
		return false;
	t->out.n = t->last;
	return size < MOST_SCANNED && jumps_to(t->text, size, label.at, n) == 1;
}

/* The labels from here on; what comes then. */
static const char *
put_labels(tidy *t, line l)
{
	vt_buf names = {0};
	size_t n;

	for (; l.at < t->end && (n = label_name(l)) > 0; l = line_at(l.at + l.n, t->end))
		if (!leave_out(t, l, n))
			vt_buf_printf(&names, "%s%.*s:", names.n ? " " : "", (int)n, l.at);
	t->open = names.n > 0 && l.at < t->end && is_statement(l);
	if (names.n > 0 && !t->open)
		vt_buf_puts(&names, ";\n");
	if (names.n > 0)
		t->last = t->out.n;
	vt_buf_put(&t->out, names.p, names.n);
	vt_buf_free(&names);
	return l.at;
}

static const char *
put_line(tidy *t, line l)
{
	if (!t->open)
		t->last = t->out.n;
	t->open = false;
	vt_buf_put(&t->out, l.at, l.n);
	return l.at + l.n;
}

void
em_tidy(em *e, size_t from)
{
	vt_buf *b = &e->funcs;
	tidy t = {.text = b->p + from, .end = b->p + b->n};

	if (e->lines) /* each line says where it stands */
		return;
	for (const char *p = t.text; p < t.end;) {
		line l = line_at(p, t.end);
		p = label_name(l) > 0 ? put_labels(&t, l) : put_line(&t, l);
	}
	b->n = from;
	vt_buf_put(b, t.out.p, t.out.n);
	vt_buf_free(&t.out);
}

/* ---- locals ---- */

/* Those that `fail` and `done` look at are empty from the beginning: "t0 = t1 = VT_UNDEF;". */
typedef struct locals {
	em_list values, lists, iters, ints, reals, empty, null;
	vt_buf set; /* statements that are full */
} locals;

enum { MOST_CHAINED = 48 }; /* tcc has an end */

static void
put_empty(locals *l, const char *place)
{
	if (l->empty.n == MOST_CHAINED)
		em_list_end(&l->set, &l->empty, " = VT_UNDEF;\n");
	em_listed(&l->empty, place);
}

static void
put_value(locals *l, const char *name)
{
	em_listed(&l->values, name);
	put_empty(l, name);
}

static void
put_variable(locals *l, const char *name)
{
	em_listed(&l->values, name);
	if (l->null.n == MOST_CHAINED)
		em_list_end(&l->set, &l->null, " = VT_NULL;\n");
	em_listed(&l->null, name);
}

/* Where a loop stands in what the temporary holds, and where a range ends that it stands for. */
static void
put_counters(locals *l, vc *c, const ir_ins *in, uint8_t *declared)
{
	enum { AT = 1, END = 2 };
	bool few = in->op == IR_FEW || in->op == IR_TURN || in->op == IR_SORT || in->op == IR_MANY;
	int want = few ? AT : in->op == IR_ITER && vc_pass_on(c, LOCAL) ? AT | END : 0;

	if (want == 0)
		return;
	want &= ~declared[in->d];
	if (want & AT)
		em_listed(&l->ints, vc_format(c, "k%d = 0", in->d));
	if (want & END)
		em_listed(&l->ints, vc_format(c, "e%d = 0", in->d));
	declared[in->d] |= (uint8_t)want;
}

static void
temporaries(fn *x, locals *l)
{
	const ir_func *f = x->f;
	uint8_t *walks = vc_alloc(x->e->c, (size_t)f->ntemps + 1);
	bool *made = vc_alloc(x->e->c, (size_t)f->ntemps + 1);
	vc *c = x->e->c;

	for (uint32_t i = 0; i < f->n; i++)
		if (f->ins[i].d >= 0 && !em_is_alias(x, &f->ins[i]))
			made[f->ins[i].d] = true;
	for (int32_t t = 0; t < f->ntemps; t++)
		if (x->ever[t] & HELD)
			put_value(l, vc_format(c, "t%d", t));
		else if (made[t]) /* nobody gives it back */
			em_listed(&l->values, vc_format(c, "t%d", t));
	for (uint32_t i = 0; i < f->n; i++)
		put_counters(l, c, &f->ins[i], walks);
	if (f->kind == IF_METHOD)
		put_value(l, "r");
	for (uint32_t v = f->nparams; em_is_local(x) && v < f->nvars; v++)
		put_variable(l, vc_format(c, "v%u", v));
}

/* What lies on the stack: function.h. */
static void
on_stack(fn *x, locals *l)
{
	const struct em_local *at = x->local;
	vc *c = x->e->c;

	for (uint32_t i = 0; at->n && i < x->f->n; i++) {
		if (at->list[i]) {
			em_listed(&l->lists, vc_format(c, "l%u", i));
			em_listed(&l->values, vc_format(c, "b%u[%u]", i, at->list[i]));
		}
		if (at->pipe[i]) {
			em_listed(&l->iters, vc_format(c, "w%u", i));
			put_empty(l, vc_format(c, "w%u.v[0]", i));
		}
	}
	if (at->n)
		put_value(l, "hp");
}

/* What the casts are seen as that nobody else sees. */
static void
seen(fn *x)
{
	uint8_t *has = vc_alloc(x->e->c, (size_t)x->f->ntemps + 1);
	em_list l = {.head = "\tvt_class *"};

	for (uint32_t i = 0; i < x->f->n; i++) {
		const ir_ins *in = &x->f->ins[i];
		if (em_sees(in) && !has[in->d]++)
			em_listed(&l, vc_format(x->e->c, "%sas%d = NULL", l.n ? "*" : "", in->d));
	}
	em_list_end(x->b, &l, ";\n");
}

void
em_locals(fn *x)
{
	locals l = {.values = {.head = "\tvt_value "},
		.lists = {.head = "\tvt_list "},
		.iters = {.head = "\tvt_iter "},
		.ints = {.head = "\tint64_t "},
		.reals = {.head = "\tdouble "},
		.empty = {.head = "\t", .sep = " ="},
		.null = {.head = "\t", .sep = " ="}};

	temporaries(x, &l);
	on_stack(x, &l);
	seen(x);
	em_list_end(x->b, &l.values, ";\n");
	em_list_end(x->b, &l.lists, ";\n");
	em_list_end(x->b, &l.iters, ";\n");
	if (x->loops)
		em_loops_locals(x, &l.ints, &l.reals);
	em_list_end(x->b, &l.ints, ";\n");
	em_list_end(x->b, &l.reals, ";\n");
	if (x->local->scope)
		vt_buf_printf(
			x->b, "\tstruct { vt_scope s; vt_value room[%u]; } zs;\n", x->f->nvars + 1);
	vt_buf_printf(x->b, "%.*s", (int)l.set.n, l.set.n ? l.set.p : "");
	vt_buf_free(&l.set);
	em_list_end(x->b, &l.empty, " = VT_UNDEF;\n");
	em_list_end(x->b, &l.null, " = VT_NULL;\n");
	for (uint32_t i = 0; x->local->n && i < x->f->n; i++)
		if (x->local->list[i])
			vt_buf_printf(x->b, "\tl%u.n = 0;\n", i);
}

/* ---- ways that skip ops ---- */

uint32_t
em_skip_to(fn *x, const ir_ins *end)
{
	x->skip[x->nskips++] = (struct em_skip){end, x->e->serial++};
	return x->skip[x->nskips - 1].q;
}

void
em_update_end(fn *x, const ir_ins *in)
{
	uint32_t left = 0;

	for (uint32_t k = 0; k < x->nskips; k++)
		if (x->skip[k].to == in)
			vt_buf_printf(x->b, "Q%u:;\n", x->skip[k].q);
		else
			x->skip[left++] = x->skip[k];
	x->nskips = left;
}

/* ---- where a temporary comes from ---- */

struct em_sources {
	uint32_t first, last;
};

static void
note_source(struct em_sources *s, int32_t label, uint32_t i)
{
	if (label < 0)
		return;
	s[label].first = i < s[label].first ? i : s[label].first;
	s[label].last = i > s[label].last ? i : s[label].last;
}

/* Any op may go to a handler: those labels are jumped to from everywhere. */
static const struct em_sources *
sources(fn *x)
{
	const ir_func *f = x->f;
	struct em_sources *s = x->sources;

	if (s != NULL)
		return s;
	x->sources = s = vc_alloc(x->e->c, ((size_t)f->nlabels + 1) * sizeof *s);
	for (int32_t i = 0; i < f->nlabels; i++)
		s[i] = (struct em_sources){UINT32_MAX, 0};
	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (in->op == IR_HANDLER) {
			note_source(s, in->label, 0);
			note_source(s, in->label, f->n);
		} else if (em_jumps(in))
			note_source(s, in->label, i);
	}
	return s;
}

/*
 * The op that defines the temporary, in front of op i, which all ways to i come by; or NULL.  A
 * label between is one of an expression: what jumps there stands behind the definition as well.
 */
const ir_ins *
em_definition(const fn *x, uint32_t i, int32_t t)
{
	const ir_func *f = x->f;
	const struct em_sources *s = sources((fn *)x);
	uint32_t first = UINT32_MAX, last = 0, end = i;

	while (i-- > 0) {
		const ir_ins *in = &f->ins[i];
		if (in->op == IR_LABEL) {
			first = s[in->label].first < first ? s[in->label].first : first;
			last = s[in->label].last > last ? s[in->label].last : last;
			if (last > end)
				return NULL;
		} else if (in->d == t)
			return first > i ? in : NULL;
		else if (ir_ops[in->op].flags & IR_ASSIGNS && last > 0)
			return NULL;
	}
	return NULL;
}
