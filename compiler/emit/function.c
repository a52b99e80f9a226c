/*
 * function.c - IR functions to C functions.
 *
 * Temporaries are locals t<N> that hold VT_UNDEF when empty.  flow.c knows which of them can
 * hold a counted value where, so that `free` costs nothing for the others.  Failures branch to the
 * current handler, or to `fail`, which empties what is held.
 */
#include "compiler/emit/function.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <string.h>

const char *
em_func_name(em *e, const ir_func *f)
{
	return ct_name(e->c,
		f->kind == IF_METHOD ? "m_"
		: f->kind == IF_CODE ? "x_"
				     : "k_",
		f->same ? f->same->name : f->name);
}

/* A contract that another one says already is left out, where no debugger looks for its line. */
static bool
share_contract(em *e, const ir_func *f, size_t comment, size_t body)
{
	const ir_func *same = e->lines || e->is_query ? NULL : em_same_contract(e, f, body);

	if (same == NULL)
		return false;
	((ir_func *)f)->same = same;
	e->funcs.n = comment;
	return true;
}

const char *
em_table_name(em *e, const ir_func *f)
{
	return f->nparams > VT_BODY_MOST ? ct_name(e->c, "w_", f->name)
					 : vc_format(e->c, "vt_body_%u", f->nparams);
}

/* Ops whose result needs no release: immediates, constants, and what the caller holds. */
static bool
is_immediate(const ir_func *f, int direct, const ir_ins *in)
{
	switch ((enum ir_result)ir_ops[in->op].result) {
	case IR_R_BOOL:
	case IR_R_ORDER:
	case IR_R_INT:
	case IR_R_TYPE: return true;
	case IR_R_CONST: return in->k.kind != IK_BIG;
	case IR_R_NONE:
	case IR_R_VAR:
	case IR_R_SAME:
	case IR_R_ARITH:
	case IR_R_TUPLE:
	case IR_R_DICT:
	case IR_R_FINAL:
	case IR_R_REST:
	case IR_R_C_INT:
	case IR_R_C_STR:
	case IR_R_C_BOOL:
	case IR_R_C_OBJECT:
	case IR_R_C_SET: return false;
	case IR_R_ANY: break;
	}
	return (in->op == IR_SELF && f->kind == IF_METHOD) ||
	       (in->op == IR_ARG && in->i[0] <= direct);
}

const char *
em_temp(fn *x, int32_t t)
{
	return t < 0 ? "VT_NULL" : x->alias[t].kind ? x->alias[t].c : vc_format(x->e->c, "t%d", t);
}

/*
 * Where a call puts what it makes. Methods have a local for that, so that no address of a temporary
 * leaves the function and the C compiler can keep it in a register; em_taken() moves it on.
 */
const char *
em_made(fn *x, int32_t t)
{
	if (x->f->kind != IF_METHOD || t < 0)
		return vc_format(x->e->c, "&t%d", t);
	x->result = t;
	return "&r";
}

void
em_taken(fn *x)
{
	if (x->result >= 0)
		vt_buf_printf(x->b, "\tt%d = r; r = VT_UNDEF;\n", x->result);
	x->result = -1;
}

/* Behind a call on this line, whose status is in st. */
static void
check(fn *x)
{
	if (x->result >= 0)
		vt_buf_printf(x->b, " VT_TAKE(t%d, %s);\n", x->result, em_handler_label(x));
	else
		vt_buf_printf(x->b, " if (st != VT_OK) goto %s;\n", em_handler_label(x));
	x->result = -1;
}

/* Goes on in the line that has just ended. */
static void
same_line(fn *x)
{
	if (x->b->n && x->b->p[x->b->n - 1] == '\n')
		x->b->n--;
}

void
em_close_block(fn *x)
{
	same_line(x);
	vt_buf_puts(x->b, " }\n");
}

/* Can it only hold what is in the set? */
bool
em_is_only(const fn *x, int32_t t, uint32_t set)
{
	return t >= 0 && (x->cells[t] & ~(EM_EMPTY | EM_HELD | set)) == 0;
}

bool
em_is_self(const fn *x, int32_t t)
{
	return t >= 0 && x->alias[t].kind == EM_ALIAS_SELF;
}

/* Where a jump to the label goes. */
const char *
em_target(fn *x, int32_t label)
{
	return x->raw ? em_raw_target(x, label, false) : vc_format(x->e->c, "L%d", label);
}

const char *
em_handler_label(fn *x)
{
	return x->handler < 0 ? "fail"
	       : x->raw       ? em_raw_target(x, x->handler, true)
			      : em_target(x, x->handler);
}

/* Are the variables C locals? Those are null until they are set. */
bool
em_is_local(const fn *x)
{
	return x->f->kind == IF_METHOD && !x->boxed;
}

/* A variable of the method, wherever it lives. */
const char *
em_variable(fn *x, int32_t v)
{
	if (x->f->kind == IF_CODE)
		return vc_format(x->e->c, "sc->base->v[%d]", v + 1);
	return vc_format(x->e->c, x->boxed ? "sc->v[%d]" : "v%d", x->boxed ? v + 1 : v);
}

/* After a call on this line that may have failed, and that gave its result in r. */
void
em_take(fn *x, int32_t t)
{
	x->result = t;
	check(x);
}

/* A call that may fail. */
void
em_try(fn *x, const char *fmt, ...)
{
	const char *to = em_handler_label(x);
	va_list ap;

	vt_buf_puts(x->b, x->b->n && x->b->p[x->b->n - 1] == '{' ? " " : "\t");
	if (x->result >= 0)
		vt_buf_printf(x->b, "VT_MAKE(t%d, ", x->result);
	else
		vt_buf_puts(x->b, "if ((st = ");
	va_start(ap, fmt);
	vt_buf_vprintf(x->b, fmt, ap);
	va_end(ap);
	vt_buf_printf(x->b, x->result >= 0 ? ", %s);\n" : ") != VT_OK) goto %s;\n", to);
	x->result = -1;
}

enum {
	MOST_DROPPED = 6, /* vt_drop6 */
	MOST_LISTED = 12, /* vt_drop_all, in a line */
	FROM_EXIT = 4,    /* from so many temporaries on, giving them up is a call */
	FROM_FREE = 3
};

/* Arguments want registers of their own, which the loops of the function would feel.  A debugger
 * would take the block for a second place of its line. */
static bool
drops_by_list(const fn *x)
{
	return x->has_loop && !x->e->lines;
}

static uint32_t
most_dropped(const fn *x)
{
	return drops_by_list(x) ? MOST_LISTED : MOST_DROPPED;
}

/* vt_drop3(t0, t2, t5): what locals of that letter hold goes. */
static const char *
drop_call(fn *x, char letter, const int32_t *t, uint32_t n)
{
	bool block = drops_by_list(x);
	const char *all = "";

	for (uint32_t i = 0; i < n; i++)
		all = vc_format(x->e->c, "%s%s%c%d", all, i ? ", " : "", letter, t[i]);
	if (block)
		return vc_format(
			x->e->c, "{ vt_value gone[] = {%s}; vt_drop_all(%u, gone); }", all, n);
	return vc_format(x->e->c, "vt_drop%u(%s);", n, all);
}

/* The same where a function ends, by a call from so many on. */
static void
drop_last(fn *x, const int32_t *t, uint32_t n, uint32_t from)
{
	if (n > 1 && n >= from) {
		vt_buf_printf(x->b, "\t%s\n", drop_call(x, 't', t, n));
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		vt_buf_printf(x->b, "%svt_release(t%d);", i ? " " : "\t", t[i]);
	vt_buf_puts(x->b, n ? "\n" : "");
}

/* Statements end here, so what they have left is empty again.  In a loop each is looked at where it
 * is. */
static void
clear_held(fn *x, const int32_t *t, uint32_t n)
{
	if (n >= FROM_FREE && x->raw == NULL && !x->e->is_query &&
		!x->repeats[x->now - x->f->ins]) {
		vt_buf_printf(x->b, "\t%s", drop_call(x, 't', t, n));
		for (uint32_t i = 0; i < n; i++)
			vt_buf_printf(x->b, i ? "t%d = " : " t%d = ", t[i]);
		vt_buf_puts(x->b, "VT_UNDEF;\n");
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		vt_buf_printf(
			x->b, "%svt_clear%s(&t%d);", i ? " " : "\t", x->raw ? "_hot" : "", t[i]);
	vt_buf_puts(x->b, n ? "\n" : "");
}

void
em_free_range(fn *x, int64_t from, int64_t to)
{
	int32_t held[MOST_LISTED];
	uint32_t n = 0;

	if (to < 0 || to > x->f->ntemps)
		to = x->f->ntemps;
	em_local_freed(x, from, to);
	for (int64_t t = from; t < to; t++) {
		if (x->cells[t] & EM_HELD)
			held[n++] = (int32_t)t;
		else if ((x->ever[t] & HELD) && x->raw == NULL)
			vc_pass_note(x->e->c, VC_PASS_FLOW, x->now,
				"%%%d holds nothing to give back", (int)t);
		x->alias[t] = (em_alias){0};
		if (n < most_dropped(x))
			continue;
		clear_held(x, held, n);
		n = 0;
	}
	clear_held(x, held, n);
}

/* What is still held as the function ends goes, but for the temporary that was given away. */
static void
drop_held(fn *x, int32_t given, uint32_t from)
{
	int32_t t = 0, held[MOST_LISTED];
	uint32_t n;

	while (t < x->f->ntemps) {
		for (n = 0; t < x->f->ntemps && n < most_dropped(x); t++)
			if (t != given && (x->cells[t] & EM_HELD))
				held[n++] = t;
		drop_last(x, held, n, x->e->is_query ? UINT32_MAX : from);
	}
}

/* Goes on with the list of what `done` does. */
static void
drop_variables(fn *x, em_list *l)
{
	int32_t v[MOST_LISTED];
	uint32_t n = 0;

	for (uint32_t i = 0; em_is_local(x) && i < x->f->nvars; i++) {
		v[n++] = (int32_t)i;
		if (n < most_dropped(x) && i + 1 < x->f->nvars)
			continue;
		if (n >= FROM_EXIT)
			em_listed(l, drop_call(x, 'v', v, n));
		for (uint32_t k = 0; n < FROM_EXIT && k < n; k++)
			em_listed(l, vc_format(x->e->c, "vt_release(v%d);", v[k]));
		n = 0;
	}
}

/* By op: does a branch behind it lead back to where it stands, or in front of it? */
static const bool *
repeated(vc *c, const ir_func *f, bool *any)
{
	uint32_t *above = vc_alloc(c, ((size_t)f->nlabels + 1) * sizeof *above);
	bool *repeats = vc_alloc(c, (size_t)f->n + 1);

	*any = false;
	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (in->op == IR_LABEL)
			above[in->label] = i + 1;
		else if (em_jumps(in) && above[in->label]) {
			memset(repeats + above[in->label], true, i - above[in->label]);
			*any = true;
		}
	}
	return repeats;
}

/* Leaves through `done`, in the line of what is given up. A lambda is hot, and so is what a method
 * has few of. */
void
em_leave(fn *x, const char *status, int32_t given)
{
	size_t start = x->b->n;

	drop_held(x, given,
		x->f->kind == IF_CODE || x->repeats[x->now - x->f->ins] ? UINT32_MAX : FROM_EXIT);
	if (x->b->n > start)
		same_line(x);
	vt_buf_printf(x->b, "%sst = %s; goto done;\n", x->b->n > start ? " " : "\t", status);
}

/* Gives a temporary away: `to` is what takes it. One that only repeats something holds no count to
 * give. */
void
em_give(fn *x, int32_t t, const char *to)
{
	vt_buf_puts(x->b, "\t");
	if (x->alias[t].kind) {
		vt_buf_printf(x->b, to, vc_format(x->e->c, "vt_copy(%s)", x->alias[t].c));
		vt_buf_puts(x->b, "\n");
		return;
	}
	if (x->ever[t] == BORROWED)
		vt_buf_printf(x->b, "vt_retain(t%d); ", t);
	vt_buf_printf(x->b, to, em_temp(x, t));
	if (x->now->op == IR_RET) /* nobody looks at it again */
		vt_buf_puts(x->b, "\n");
	else
		vt_buf_printf(x->b, " t%d = VT_UNDEF;\n", t);
}

/* {t1, VT_UNDEF, t3} as an array for the call that follows; the block is closed by the caller. */
void
em_open_list(fn *x, const ir_ins *in, const char *absent)
{
	vt_buf_puts(x->b, "\t{ vt_value av[] = {");
	for (uint32_t i = 0; i < in->nlist; i++)
		vt_buf_printf(x->b, "%s%s", i ? ", " : "",
			in->list[i] < 0 ? absent : em_temp(x, in->list[i]));
	vt_buf_puts(x->b, in->nlist ? "};" : "VT_UNDEF};");
}

void
em_close_list(fn *x)
{
	vt_buf_puts(x->b, " }");
	check(x);
}

const char *
em_names_table(fn *x, const ir_ins *in)
{
	vt_buf b = {0};

	if (in->nnames == 0)
		return "NULL";
	for (uint32_t i = 0; i < in->nnames; i++)
		vt_buf_printf(&b, "%s%s", i ? ", " : "", em_str_ref(x->e, in->names[i]));
	return em_table(x->e, "vt_str *const", "n", b);
}

/* A table of contracts or of codes. */
const char *
em_funcs_table(fn *x, const ir_ins *in, bool code)
{
	vt_buf b = {0};

	if (in->nfs == 0)
		return "NULL";
	for (uint32_t i = 0; i < in->nfs; i++)
		vt_buf_printf(&b, "%s%s", i ? ", " : "",
			code        ? em_code(x->e, in->fs[i])
			: in->fs[i] ? em_func_name(x->e, in->fs[i])
				    : "NULL");
	return em_table(x->e, code ? "vt_code *const" : "vt_contract_fn", "g", b);
}

/* The place of a statement is a constant, so that a running one costs a single store. */
const char *
em_at(fn *x, const ir_ins *in)
{
	uint32_t *n = &x->at[in - x->f->ins];

	if (*n == 0) {
		vt_buf b = {0};
		vt_buf_printf(
			&b, "{VT_POS(%lld, %lld), ", (long long)in->i[0], (long long)in->i[1]);
		ct_text(&b, in->name ? in->name : "");
		vt_buf_puts(&b, "}");
		*n = em_row(&x->e->places, b) + 1;
	}
	return vc_format(x->e->c, "&places[%u]", *n - 1);
}

/* Does the op only give a name to something? See em_borrowed. */
bool
em_is_alias(const fn *x, const ir_ins *in)
{
	return x->borrowed[in - x->f->ins] && !em_moves(in);
}

em_alias
em_alias_of(fn *x, const ir_ins *in)
{
	if (!em_is_alias(x, in))
		return (em_alias){0};
	if (in->op == IR_SELF)
		return (em_alias){EM_ALIAS_SELF, "self"};
	if (in->op == IR_VAR)
		return (em_alias){EM_ALIAS_VARIABLE, em_variable(x, in->var)};
	if (in->op == IR_ARG)
		return (em_alias){
			EM_ALIAS_ARGUMENT, vc_format(x->e->c, "args[%d]", (int)in->i[0] - 1)};
	return (em_alias){EM_ALIAS_CONST, em_value(x->e, &in->k)};
}

/* What the op leaves behind. */
static void
note(fn *x, uint32_t i)
{
	const ir_ins *in = &x->f->ins[i];

	if (in->op == IR_CALLM)
		in->site->receiver = in->a[0] >= 0 ? x->alias[in->a[0]].c : NULL;
	if (in->op == IR_LABEL) {
		x->here = em_flow_at(x->flow, in->label, x->cells);
		memset(x->alias, 0, (size_t)x->f->ntemps * sizeof *x->alias);
	} else if (x->here)
		em_flow_step(x->flow, i, x->cells);
	if (in->d >= 0)
		x->alias[in->d] = em_alias_of(x, in);
	if (ir_ops[in->op].flags & IR_TERM)
		x->here = false;
}

static uint8_t *
ever_counted(em *e, const ir_func *f, int direct, const uint8_t *borrowed)
{
	uint8_t *ever = vc_alloc(e->c, (size_t)f->ntemps + 1);

	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (borrowed[i] && !em_moves(in))
			continue;
		if (in->d >= 0 && in->op != IR_EACH && !is_immediate(f, direct, in))
			ever[in->d] |= HELD;
		else if (in->d >= 0 && (in->op == IR_SELF || in->op == IR_ARG || in->op == IR_EACH))
			ever[in->d] |= BORROWED;
	}
	return ever;
}

/* Which variable is v0, v1...: for debuggers, templates/gdb.py. */
static void
name_variables(em *e, const ir_func *f)
{
	const char *names = "";

	for (uint32_t i = 0; i < f->nvars; i++)
		names = vc_format(e->c, "%s%s ", names, f->vars[i]);
	vt_buf_printf(&e->protos,
		"static const char vars_%s[] __attribute__((used, retain)) = ", em_func_name(e, f));
	ct_text(&e->protos, names);
	vt_buf_puts(&e->protos, ";\n");
}

/* The names of a boxed method's variables. */
static const char *
variable_names(em *e, const ir_func *f)
{
	vt_buf b = {0}, all = {0};

	for (uint32_t i = 0; i < f->nvars; i++)
		vt_buf_printf(&b, "%s, ", em_str_ref(e, f->vars[i]));
	vt_buf_puts(&b, "NULL");
	vt_buf_printf(&all, "{%u, %s}", f->nvars, em_table(e, "vt_str *const", "vn", b));
	return em_table(e, "vt_names", "vs", all);
}

static void
prologue(fn *x)
{
	const ir_func *f = x->f;

	if (f->kind == IF_METHOD && x->boxed)
		vt_buf_printf(
			x->b, "\tsc = vt_scope_method(rt, %s, self, %s);\n", x->e->unit, x->names);
	if (f->kind == IF_CONTRACT && f->boxed)
		vt_buf_printf(x->b, "\tsc = vt_c_%s(rt, cx, in);\n", f->leaf ? "scope" : "open");
	for (uint32_t i = 0; f->kind == IF_METHOD && x->boxed && i < f->nparams; i++)
		vt_buf_printf(x->b, "\t%s = v%u;\n", em_variable(x, (int32_t)i), i);
}

static void
epilogue(fn *x)
{
	const ir_func *f = x->f;
	em_list last = {.head = "done:\t", .sep = ""};

	vt_buf_puts(x->b, "fail:");
	em_flow_at(x->flow, -1, x->cells);
	drop_held(x, -1, 2);
	drop_variables(x, &last);
	em_local_end(x, &last);
	if (f->kind != IF_CODE && f->boxed)
		em_listed(&last,
			vc_format(x->e->c, "%svt_scope_%s(sc);", x->captured ? "if (sc) " : "",
				f->kind == IF_METHOD ? "end" : "drop"));
	if (last.n == 0)
		vt_buf_puts(x->b, "done:");
	em_list_end(x->b, &last, "\n");
	vt_buf_puts(x->b, "\treturn st;\n");
	em_loops_text(x);
	vt_buf_puts(x->b, "}\n\n");
}

/* The body of a method has its parameters as C parameters, which it owns. */
static void
signature(em *e, vt_buf *b, const ir_func *f, const char *sep)
{
	static const char *const params[] = {
		[IF_METHOD] = "vt_rt *rt, vt_act *act, vt_value self",
		[IF_CODE] = "vt_rt *rt, vt_scope *sc",
		[IF_CONTRACT] = "vt_rt *rt, vt_cx *cx, vt_value in",
	};

	vt_buf_printf(b, "static vt_status%s%s(%s", sep, em_func_name(e, f), params[f->kind]);
	for (uint32_t i = 0; f->kind == IF_METHOD && i < f->nparams; i++)
		vt_buf_printf(b, ", vt_value v%u", i);
	vt_buf_puts(b, ", vt_value *out)");
}

void
em_mark_lines(em *e, const ir_func *f, uint32_t line, size_t from)
{
	vt_buf *b = &e->funcs;
	char *text;
	size_t n = b->n - from;

	if (!e->lines || n == 0)
		return;
	text = vc_strndup(e->c, b->p + from, n);
	b->n = from;
	ct_lines(b, line, f->unit->file, text, n);
}

/* What stands behind a label belongs to the statement that comes next, or to the loop that goes
 * round: not to the one that stands before it, which may not have run. */
void
em_mark_label(fn *x, uint32_t label_at)
{
	const ir_func *f = x->f;

	for (uint32_t i = label_at + 1; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (in->op == IR_POS) {
			x->line = (uint32_t)in->i[0];
			return;
		}
		if (in->op == IR_JMP && in->label >= 0 && x->label_line[in->label])
			x->line = x->label_line[in->label];
		if (ir_ops[in->op].flags & IR_TERM)
			break;
	}
	x->label_line[f->ins[label_at].label] = x->line;
}

void
em_mark(fn *x, size_t from)
{
	em_mark_lines(x->e, x->f, x->line, from);
}

/* What a method's table has. */
static void
method_wrapper(em *e, const ir_func *f)
{
	const char *head = vc_format(e->c,
		"%s(vt_rt *rt, const vt_method_decl *me, vt_value self, vt_value *argv, vt_value "
		"*out)",
		em_table_name(e, f));
	vt_buf *b = &e->funcs;
	size_t start = b->n;

	vt_buf_printf(&e->protos, "static vt_status %s;\n", head);
	vt_buf_printf(b,
		"static vt_status\n%s\n{\n\tvt_act act;\n\tvt_status st = vt_enter(rt, &act, me, "
		"self);\n"
		"\tif (st != VT_OK) return st;\n",
		head);
	for (uint32_t i = 0; i < f->nparams; i++)
		vt_buf_printf(b, "\tvt_value v%u = argv[%u]; argv[%u] = VT_UNDEF;\n", i, i, i);
	vt_buf_printf(b, "\tst = %s(rt, &act, self", em_func_name(e, f));
	for (uint32_t i = 0; i < f->nparams; i++)
		vt_buf_printf(b, ", v%u", i);
	vt_buf_puts(b, ", out);\n\tvt_leave(rt, &act);\n\treturn st;\n}\n\n");
	em_mark_lines(e, f, f->line ? f->line : 1, start);
}

const char *
em_direct_name(em *e, const ir_func *f)
{
	return ct_name(e->c, "d_", f->name);
}

/* Of the body that code has when it is direct; the function of signature() calls it then. */
static void
direct_signature(em *e, vt_buf *b, const ir_func *f, const char *sep)
{
	vt_buf_printf(b,
		"static vt_status%s%s(vt_rt *rt, vt_scope *sc, const vt_value *args, vt_value "
		"*out)",
		sep, em_direct_name(e, f));
}

static void
direct_wrapper(em *e, const ir_func *f, int direct)
{
	vt_buf *b = &e->funcs;

	signature(e, b, f, "\n");
	vt_buf_puts(b, "\n{\n\tvt_value args[] = {");
	for (int i = 1; i <= direct; i++)
		vt_buf_printf(b, "vt_scope_arg(sc, %d), ", i);
	vt_buf_printf(
		b, "VT_UNDEF};\n\treturn %s(rt, sc, args, out);\n}\n\n", em_direct_name(e, f));
}

/* Does code need a C function for its scope? One with a direct body has the library's. */
static bool
wants_wrapper(const em *e, int direct)
{
	return e->is_query || direct < 0 || direct > VT_DIRECT_MOST;
}

static bool
is_constant(const ir_func *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (f->ins[i].op != IR_CONST && f->ins[i].op != IR_LIST && f->ins[i].op != IR_MAP &&
			f->ins[i].op != IR_FREE && f->ins[i].op != IR_RET)
			return false;
	return true;
}

uint32_t
em_code_flags(const ir_func *f)
{
	return (f->leaf ? VT_CODE_LEAF : 0) | (f->leaf && is_constant(f) ? VT_CODE_CONST : 0) |
	       (f->kind != IF_METHOD && em_only_looks(f) ? VT_CODE_LOOKS : 0);
}

static const char *
flags_text(const ir_func *f, bool only)
{
	uint32_t flags = em_code_flags(f);

	if (flags & VT_CODE_CONST)
		return "VT_CODE_LEAF | VT_CODE_CONST";
	return only      ? "VT_CODE_LEAF | VT_CODE_DIRECT | VT_CODE_OPERATOR"
	       : f->leaf ? flags & VT_CODE_LOOKS ? "VT_CODE_LEAF | VT_CODE_LOOKS" : "VT_CODE_LEAF"
	       : flags & VT_CODE_LOOKS ? "VT_CODE_LOOKS"
				       : "0";
}

/* only: it is one operator, which its program has (only_operator). */
static void
code_table(em *e, const ir_func *f, int direct, bool only)
{
	const char *program = em_lambda_program(e, f), *join = em_lambda_join(e, f),
		   *many = em_lambda_many(e, f);

	vt_buf_printf(&e->tables, "static const vt_code %s = {%s, %s, %s | 0x%x, %u, %u, ",
		ct_name(e->c, "c_", f->name),
		wants_wrapper(e, direct) ? em_func_name(e, f) : "NULL", e->unit,
		flags_text(f, only), direct >= 0 ? em_direct_reads(f) : 0, f->line, f->col);
	ct_text(&e->tables, f->source);
	vt_buf_printf(&e->tables, ", %s, %d, %s, %s, %s, %s, %s, %s};\n",
		direct >= 0 && !only ? em_direct_name(e, f) : "NULL", direct >= 0 ? direct : 0,
		em_code(e, f->sides[0]), em_code(e, f->sides[1]), program, join, many,
		only                       ? "&vt_operator_body"
		: wants_wrapper(e, direct) ? "NULL"
					   : "&vt_direct_body");
	((ir_func *)f)->declared = true;
}

/* What is done with an op as a whole. */
static void
note_pass(fn *x, const ir_ins *in)
{
	vc *c = x->e->c;

	if (!x->here && in->op != IR_LABEL)
		vc_pass_note(c, VC_PASS_FLOW, in, "not reached");
	else if (em_is_alias(x, in))
		vc_pass_note(c, VC_PASS_BORROW, in, "is %s", em_alias_of(x, in).c);
	if (in->op == IR_PIPE)
		vc_pass_note(c, VC_PASS_FUSE, in, "one loop");
}

static void
note_function(const fn *x)
{
	if (x->direct >= 0)
		vc_pass_note(
			x->e->c, VC_PASS_DIRECT, x->f, "needs no scope: %d arguments", x->direct);
	if (x->captured)
		vc_pass_note(x->e->c, VC_PASS_CAPTURE, x->f, "variables are C locals");
	if (em_has_lambda_program(x->e, x->f))
		vc_pass_note(x->e->c, VC_PASS_LAMBDA_PROGRAMS, x->f, "a lambda program");
	if (x->f->sides[0])
		vc_pass_note(x->e->c, VC_PASS_JOINS, x->f, "pairs are looked up by key");
}

static bool
has_int_method(em *e, const ir_func *f)
{
	const ir_method *m = em_method_of(e, f);

	return m && em_has_int_method(e, e->cls, (uint32_t)(m - e->cls->methods));
}

/* By label: may anything go there? */
static const bool *
jumped(vc *c, const ir_func *f)
{
	bool *to = vc_alloc(c, (size_t)f->nlabels + 1);

	for (uint32_t i = 0; i < f->n; i++)
		if (f->ins[i].op != IR_LABEL && f->ins[i].label >= 0)
			to[f->ins[i].label] = true;
	return to;
}

/* Bodies of methods with many parameters have a prototype of their own. */
static void
declare_function(em *e, const ir_func *f)
{
	const char *name = em_func_name(e, f);

	if (f->kind == IF_METHOD && f->nparams > VT_BODY_MOST) {
		signature(e, &e->protos, f, " ");
		vt_buf_puts(&e->protos, ";\n");
	} else if (f->kind == IF_METHOD) {
		em_declare(e, vc_format(e->c, "static vt_method_c%u", f->nparams), name);
	} else {
		em_declare(
			e, f->kind == IF_CODE ? "static vt_code_c" : "static vt_contract_c", name);
	}
}

static void
put_prototypes(fn *x)
{
	em *e = x->e;
	const ir_func *f = x->f;

	if (f->kind != IF_CODE || wants_wrapper(e, x->direct))
		declare_function(e, f);
	if (e->lines && f->kind == IF_METHOD && f->nvars)
		name_variables(e, f);
	if (x->direct >= 0)
		em_declare(e, "static vt_direct_c", em_direct_name(e, f));
}

/* What is known of the function before its first op is written. */
static void
look_through(fn *x)
{
	em *e = x->e;
	const ir_func *f = x->f;

	x->borrowed = em_borrowed(e, f, x->direct);
	x->jumped = jumped(e->c, f);
	x->ever = ever_counted(e, f, x->direct, x->borrowed);
	x->alias = vc_alloc(e->c, ((size_t)f->ntemps + 1) * sizeof *x->alias);
	x->flow = em_flow_of(e, f, x->ever, x->borrowed);
	x->cells = vc_alloc(e->c, (em_flow_cells(x->flow) + 1) * sizeof *x->cells);
	em_flow_start(e, x->flow, x->cells);
	x->here = true;
	x->placed = vc_alloc(e->c, (size_t)f->nlabels + 1);
	x->label_line = vc_alloc(e->c, ((size_t)f->nlabels + 1) * sizeof *x->label_line);
	x->at = vc_alloc(e->c, ((size_t)f->n + 1) * sizeof *x->at);
	x->local = em_local_of(e, f);
	x->loops = em_loops_of(x);
}

static void
put_ops(fn *x)
{
	const ir_func *f = x->f;

	for (uint32_t i = 0; i < f->n; i++) {
		size_t start = x->b->n;
		if (f->ins[i].op == IR_HANDLER)
			x->handler = f->ins[i].label;
		if (f->ins[i].op == IR_LABEL)
			em_mark_label(x, i);
		em_loops_op(x, i);
		x->now = &f->ins[i];
		note_pass(x, x->now);
		if ((x->here || f->ins[i].op == IR_LABEL) && !em_is_alias(x, &f->ins[i]))
			em_ins(x, &f->ins[i]);
		else if (f->ins[i].op == IR_STEP) /* no way leads there, but it is a statement */
			em_step_row(x->e, &f->ins[i]);
		em_mark(x, start);
		note(x, i);
	}
}

static bool
is_operator(int op)
{
	return op == IR_ADD || op == IR_SUB || op == IR_MUL || op == IR_DIV || op == IR_MOD ||
	       op == IR_LT || op == IR_LE || op == IR_GT || op == IR_GE || op == IR_EQ ||
	       op == IR_NE;
}

/* Is a lambda that has a program nothing but an operator of arguments and constants?  Then the
 * runtime does it (vt_operator_body), and it needs no C function.  check() keeps its own, which
 * entries of methods name. */
static bool
only_operator(const fn *x)
{
	const ir_func *f = x->f;
	const ir_ins *op = NULL;

	if (f->kind != IF_CODE || x->direct < 0 || wants_wrapper(x->e, x->direct) || f->checks ||
		x->e->lines || !em_has_lambda_program(x->e, f))
		return false;
	for (uint32_t i = 0; i < f->n; i++) {
		const ir_ins *in = &f->ins[i];
		if (is_operator(in->op) && op == NULL)
			op = in;
		else if (in->op == IR_RET)
			return op != NULL && in->a[0] == op->d;
		else if (in->op != IR_ARG && in->op != IR_CONST && in->op != IR_POS)
			return false;
	}
	return false;
}

/* Is it code that needs no C function, for it is one operator? */
static bool
put_function(em *e, const ir_func *f, int direct)
{
	fn x = {.line = f->line ? f->line : 1,
		.e = e,
		.f = f,
		.b = &e->funcs,
		.handler = -1,
		.result = -1,
		.direct = direct,
		.sc = f->kind == IF_CODE || f->boxed ? "sc" : "NULL",
		.boxed = em_boxed(e, f),
		.captured = em_captured(e, f),
		.names = f->kind == IF_METHOD && f->boxed ? variable_names(e, f) : NULL};
	size_t start, comment = e->funcs.n, body;

	x.repeats = repeated(e->c, f, &x.has_loop);
	em_see_casts(e, f);
	look_through(&x);
	note_function(&x);
	ct_comment(x.b, f->name, f->line);
	start = x.b->n;
	(x.direct >= 0 ? direct_signature : signature)(e, x.b, f, "\n");
	body = x.b->n;
	vt_buf_puts(x.b, " {\n\tvt_status st;\n");
	if (f->kind != IF_CODE && f->boxed)
		vt_buf_puts(x.b, "\tvt_scope *sc = NULL;\n");
	em_locals(&x);
	prologue(&x);
	em_mark(&x, start);
	put_ops(&x);
	if (only_operator(&x)) { /* what the ops have numbered and noted stays */
		e->funcs.n = comment;
		return true;
	}
	start = x.b->n;
	x.line = f->line ? f->line : 1;
	epilogue(&x);
	em_mark(&x, start);
	em_tidy(e, body);
	if (f->kind != IF_CONTRACT || !share_contract(e, f, comment, body))
		put_prototypes(&x);
	if (x.direct >= 0 && wants_wrapper(e, x.direct))
		direct_wrapper(e, f, x.direct);
	if (f->kind == IF_METHOD && has_int_method(e, f))
		em_int_method(&x);
	return false;
}

void
em_function(em *e, ir_func *f)
{
	int direct = em_direct_args(e, f);
	ir_body all = em_one_way(e, f);

	bool only = put_function(e, f, direct);
	/* Others look at the ops as they were: schemas, integer methods. */
	f->ins = all.ins;
	f->n = all.n;
	if (f->kind == IF_CODE)
		code_table(e, f, direct, only);
	if (f->kind == IF_METHOD && f->nparams > VT_BODY_MOST)
		method_wrapper(e, f);
}
