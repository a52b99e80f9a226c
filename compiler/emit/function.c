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
	return em_mangle(e->c,
		f->kind == IF_METHOD ? "m_"
		: f->kind == IF_CODE ? "x_"
				     : "k_",
		f->name);
}

const char *
em_table_name(em *e, const ir_func *f)
{
	return em_mangle(e->c, "w_", f->name);
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
 * leaves the function and the C compiler can keep it in a register; taken() moves it on.
 */
static const char *
made(fn *x, int32_t t)
{
	if (x->f->kind != IF_METHOD || t < 0)
		return vc_format(x->e->c, "&t%d", t);
	x->result = t;
	return "&r";
}

static void
taken(fn *x)
{
	if (x->result >= 0)
		vt_buf_printf(x->b, "\tt%d = r; r = VT_UNDEF;\n", x->result);
	x->result = -1;
}

/* Can it only hold what is in the set? */
static bool
is_only(const fn *x, int32_t t, uint32_t set)
{
	return t >= 0 && (x->cells[t] & ~(EM_EMPTY | EM_HELD | set)) == 0;
}

bool
em_is_self(const fn *x, int32_t t)
{
	return t >= 0 && x->alias[t].kind == EM_ALIAS_SELF;
}

/* Where a jump to the label goes. */
static const char *
target(fn *x, int32_t label)
{
	return x->raw ? em_raw_target(x, label, false) : vc_format(x->e->c, "L%d", label);
}

static const char *
handler(fn *x)
{
	return x->handler < 0 ? "fail"
	       : x->raw       ? em_raw_target(x, x->handler, true)
			      : target(x, x->handler);
}

/* Are the variables C locals? Those are null until they are set. */
static bool
is_local(const fn *x)
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

/* After a call that may have failed, and that gave its result in r. */
static void
take(fn *x, int32_t t)
{
	vt_buf_printf(x->b, "\tif (st != VT_OK) goto %s;\n", handler(x));
	x->result = t;
	taken(x);
}

/* A call that may fail. */
static void
try(fn *x, const char *fmt, ...)
{
	const char *to = handler(x);
	va_list ap;

	vt_buf_puts(x->b, "\tif ((st = ");
	va_start(ap, fmt);
	vt_buf_vprintf(x->b, fmt, ap);
	va_end(ap);
	vt_buf_printf(x->b, ") != VT_OK) goto %s;\n", to);
	taken(x);
}

void
em_free_range(fn *x, int64_t from, int64_t to)
{
	if (to < 0 || to > x->f->ntemps)
		to = x->f->ntemps;
	em_local_freed(x, from, to);
	for (int64_t t = from; t < to; t++) {
		if (x->cells[t] & EM_HELD)
			vt_buf_printf(x->b, "\tvt_clear(&t%d);\n", (int)t);
		else if ((x->ever[t] & HELD) && x->raw == NULL)
			vc_pass_note(x->e->c, VC_PASS_FLOW, x->now,
				"%%%d holds nothing to give back", (int)t);
		x->alias[t] = (em_alias){0};
	}
}

/* Leaves through `done`: what is still held goes, but for the temporary that was given away. */
static void
leave(fn *x, const char *status, int32_t given)
{
	for (int32_t t = 0; t < x->f->ntemps; t++)
		if (t != given && (x->cells[t] & EM_HELD))
			vt_buf_printf(x->b, "\tvt_clear(&t%d);\n", t);
	vt_buf_printf(x->b, "\tst = %s; goto done;\n", status);
}

/* Gives a temporary away: `to` is what takes it. One that only repeats something holds no count to
 * give. */
static void
give(fn *x, int32_t t, const char *to)
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
	vt_buf_printf(x->b, " t%d = VT_UNDEF;\n", t);
}

/* {t1, VT_UNDEF, t3} as an array for the call that follows; the block is closed by the caller. */
static void
open_list(fn *x, const ir_ins *in, const char *absent)
{
	vt_buf_puts(x->b, "\t{ vt_value av[] = {");
	for (uint32_t i = 0; i < in->nlist; i++)
		vt_buf_printf(x->b, "%s%s", i ? ", " : "",
			in->list[i] < 0 ? absent : em_temp(x, in->list[i]));
	vt_buf_puts(x->b, in->nlist ? "};" : "VT_UNDEF};");
}

static void
close_list(fn *x)
{
	vt_buf_printf(x->b, " } if (st != VT_OK) goto %s;\n", handler(x));
	taken(x);
}

static const char *
names_table(fn *x, const ir_ins *in)
{
	uint32_t n = x->e->serial++;
	vt_buf b = {0};

	if (in->nnames == 0)
		return "NULL";
	vt_buf_printf(&b, "static const vt_str *const n%u[] = {", n);
	for (uint32_t i = 0; i < in->nnames; i++)
		vt_buf_printf(&b, "%s%s", i ? ", " : "", em_str_ref(x->e, in->names[i]));
	vt_buf_puts(&b, "};\n");
	vt_buf_put(&x->e->tables, b.p, b.n);
	vt_buf_free(&b);
	return vc_format(x->e->c, "n%u", n);
}

/* A table of contracts or of codes. */
static const char *
funcs_table(fn *x, const ir_ins *in, bool code)
{
	uint32_t n = x->e->serial++;
	vt_buf b = {0};

	if (in->nfs == 0)
		return "NULL";
	vt_buf_printf(
		&b, "static const %s g%u[] = {", code ? "vt_code *const" : "vt_contract_fn", n);
	for (uint32_t i = 0; i < in->nfs; i++)
		vt_buf_printf(&b, "%s%s", i ? ", " : "",
			code        ? em_code(x->e, in->fs[i])
			: in->fs[i] ? em_func_name(x->e, in->fs[i])
				    : "NULL");
	vt_buf_puts(&b, "};\n");
	vt_buf_put(&x->e->tables, b.p, b.n);
	vt_buf_free(&b);
	return vc_format(x->e->c, "g%u", n);
}

/* What an operation on two values comes to when they are no integers. */
static void
emit_binary(fn *x, const ir_ins *in, const char *op)
{
	try(x, "vt_binary(rt, %s, %s, %s, %s, %s, %s)", x->sc, op, em_site(x->e, in->site),
		em_temp(x, in->a[0]), em_temp(x, in->a[1]), made(x, in->d));
}

/* The temporary that the next op makes of this one's result, which is final already when it is an
 * integer; or -1. */
static int32_t
next_takes(const fn *x, const ir_ins *in)
{
	const ir_ins *next = in + 1;

	if (next == x->f->ins + x->f->n || next->op != IR_FINAL || next->a[0] != in->d ||
		!x->borrowed[next - x->f->ins] || x->ever[in->d] == BORROWED)
		return -1;
	return next->d;
}

/* `$.name` as the temporary, read between the last label and op i, and used by that one alone. */
static const char *
own_property(const fn *x, uint32_t i, int32_t t)
{
	const char *name = NULL;
	const ir_ins *ins = x->f->ins;

	for (uint32_t k = i; name == NULL && k-- > 0 && ins[k].op != IR_LABEL;)
		if (ins[k].d == t) {
			if (ins[k].op != IR_ATTR || !em_is_self(x, ins[k].a[0]))
				return NULL;
			name = ins[k].site->name;
		}
	for (uint32_t k = i + 1; name && k < x->f->n && ins[k].d != t; k++) {
		for (uint32_t j = 0; j < ins[k].na; j++)
			if (ins[k].a[j] == t)
				return NULL;
		for (uint32_t j = 0; j < ins[k].nlist; j++)
			if (ins[k].list[j] == t)
				return NULL;
	}
	return name;
}

/* The write of `$.name: $.name + b` where `in` is the sum, and `sum` what is written; or NULL. */
static const ir_ins *
write_back(const fn *x, const ir_ins *in, int32_t sum)
{
	const ir_ins *put = in + 2, *end = x->f->ins + x->f->n;
	const char *name = sum >= 0 && in->op == IR_ADD && vc_pass_on(x->e->c, GROW)
				   ? own_property(x, (uint32_t)(in - x->f->ins), in->a[0])
				   : NULL;

	int32_t self = -1;

	for (; put < end && (put->op == IR_POS || put->op == IR_SELF); put++)
		if (put->op == IR_SELF && x->borrowed[put - x->f->ins])
			self = put->d;
	return name && put < end && put->op == IR_PUTATTR && self >= 0 && put->a[0] == self &&
			       put->a[1] == sum && strcmp(put->name, name) == 0
		       ? put
		       : NULL;
}

static void
emit_grow(fn *x, const ir_ins *in, const ir_ins *put)
{
	vc_pass_note(x->e->c, VC_PASS_GROW, in, "appends to the list of the property");
	x->grow_ic = ++x->e->nics;
	vt_buf_printf(x->b,
		"\tif (vt_grow_prop(rt, IC(%u), self, %s, %s)) { %s = VT_UNDEF; t%d = VT_UNDEF; "
		"goto P%u; }\n",
		x->grow_ic - 1, em_temp(x, in->a[0]), em_temp(x, in->a[1]), em_temp(x, in->a[0]),
		put->d, x->grow_ic);
}

static void
emit_arith(fn *x, const ir_ins *in, const char *fast, const char *op)
{
	int32_t final = fast ? next_takes(x, in) : -1;

	if (fast && in->op >= IR_MUL)
		vc_pass_note(x->e->c, VC_PASS_ARITH, in, "in place for integers");
	if (fast)
		vt_buf_printf(x->b, "\tif (!%s(%s, %s, &t%d)) ", fast, em_temp(x, in->a[0]),
			em_temp(x, in->a[1]), final >= 0 ? final : in->d);
	else
		vt_buf_puts(x->b, "\t");
	const ir_ins *put = write_back(x, in, final);

	vt_buf_puts(x->b, "{\n");
	if (put)
		emit_grow(x, in, put);
	emit_binary(x, in, op);
	if (final < 0)
		vt_buf_puts(x->b, "\t}\n");
	x->open = final >= 0;
}

/* Expressions that run through libtcc, which inlines nothing, are better off with the call. */
static const char *
arith(const fn *x, const char *name)
{
	return vc_pass_on(x->e->c, ARITH) && !x->e->is_query ? name : NULL;
}

static void
emit_compare(fn *x, const ir_ins *in, const char *c_op, const char *op)
{
	const char *a = em_temp(x, in->a[0]), *b = em_temp(x, in->a[1]);

	vt_buf_printf(x->b,
		"\tif (vt_both_int(%s, %s)) t%d = vt_mkbool((int64_t)%s %s (int64_t)%s);\n\telse "
		"{\n",
		a, b, in->d, a, c_op, b);
	emit_binary(x, in, op);
	vt_buf_puts(x->b, "\t}\n");
}

static void
emit_cdict(fn *x, const ir_ins *in)
{
	vt_buf_puts(x->b, "\t{ vt_value ks[] = {");
	for (uint32_t i = 0; i < in->nks; i++)
		vt_buf_printf(x->b, "%s%s", i ? ", " : "", em_value(x->e, &in->ks[i]));
	vt_buf_puts(x->b, in->nks ? "};" : "VT_UNDEF};");
	const char *g = funcs_table(x, in, false);
	const char *rk = "NULL", *rv = "NULL";
	if (in->i[0]) {
		rk = in->fs[in->nfs - 2] ? em_func_name(x->e, in->fs[in->nfs - 2]) : "NULL";
		rv = in->fs[in->nfs - 1] ? em_func_name(x->e, in->fs[in->nfs - 1]) : "NULL";
	}
	vt_buf_printf(x->b, " st = vt_c_dict(rt, cx, %s, %u, ks, %s, %d, %s, %s, %s);",
		em_temp(x, in->a[0]), in->nks, g, (int)in->i[0], rk, rv, made(x, in->d));
	close_list(x);
}

static void
emit_cconst(fn *x, const ir_ins *in)
{
	if (in->k.kind != IK_BIG) {
		try(x, "vt_c_constant(rt, cx, %s, %s, %s)", em_temp(x, in->a[0]),
			em_value(x->e, &in->k), made(x, in->d));
		return;
	}
	vt_buf_printf(x->b,
		"\t{ vt_value k; st = vt_big_const(rt, %s, &k); if (st == VT_OK) { st = "
		"vt_c_constant(rt, cx, %s, k, &t%d); vt_release(k); }",
		em_literal(x->e->c, in->k.s), em_temp(x, in->a[0]), in->d);
	close_list(x);
}

/* The place of a statement is a constant, so that a running one costs a single store. */
const char *
em_at(fn *x, const ir_ins *in)
{
	uint32_t *n = &x->at[in - x->f->ins];

	if (*n == 0) {
		vt_buf *t = &x->e->tables;
		*n = ++x->e->serial;
		vt_buf_printf(t, "static const vt_at at%u = {VT_POS(%lld, %lld), ", *n - 1,
			(long long)in->i[0], (long long)in->i[1]);
		em_quote(t, in->name ? in->name : "", in->name ? strlen(in->name) : 0);
		vt_buf_puts(t, "};\n");
	}
	return vc_format(x->e->c, "&at%u", *n - 1);
}

static void
emit_pos(fn *x, const ir_ins *in)
{
	x->line = (uint32_t)in->i[0];
	vt_buf_printf(x->b, "\t%sat = %s;\n", x->f->kind == IF_METHOD ? "act->" : "rt->act->",
		em_at(x, in));
}

/* The temporary says what is left to assign: nothing, when an object was written. */
static void
emit_put_attr(fn *x, const ir_ins *in)
{
	const char *a = em_temp(x, in->a[0]), *v = em_temp(x, in->a[1]);
	uint32_t ic = x->grow_ic ? x->grow_ic - 1 : x->e->nics++;

	vc_pass_note(x->e->c, VC_PASS_CALLS, in, "stores where the cache says");
	if (vc_pass_on(x->e->c, CALLS))
		vt_buf_printf(x->b,
			"\tif (vt_put_fast(IC(%u), %s, %s)) t%d = VT_UNDEF;\n\telse {\n", ic, a, v,
			in->d);
	try(x, "vt_put_attr(rt, %s, IC(%u), %s, %s, %s, %s)", x->e->unit, ic, a,
		em_str_ref(x->e, in->name), v, made(x, in->d));
	if (vc_pass_on(x->e->c, CALLS))
		vt_buf_puts(x->b, "\t}\n");
	if (x->grow_ic)
		vt_buf_printf(x->b, "P%u:;\n", x->grow_ic);
	x->grow_ic = 0;
}

static void
emit_put(fn *x, const ir_ins *in)
{
	const char *a = em_temp(x, in->a[0]), *u = x->e->unit;

	switch (in->op) {
	case IR_LHSATTR:
		try(x, "vt_lhs_attr(rt, %s, %s, %s, %s)", u, a, em_str_ref(x->e, in->name),
			made(x, in->d));
		break;
	case IR_LHSINDEX:
		try(x, "vt_lhs_index(rt, %s, %s, %s, %s)", u, a, em_temp(x, in->a[1]),
			made(x, in->d));
		break;
	case IR_PUTATTR: emit_put_attr(x, in); break;
	case IR_PUTINDEX:
		try(x, "vt_put_index(rt, %s, %s, %s, %s, %s)", u, a, em_temp(x, in->a[1]),
			em_temp(x, in->a[2]), made(x, in->d));
		break;
	case IR_PUTATTRV:
		try(x, "vt_put_attr_var(rt, %s, &%s, %s, %s)", u, em_variable(x, in->var),
			em_str_ref(x->e, in->name), a);
		break;
	case IR_PUTINDEXV:
		try(x, "vt_put_index_var(rt, %s, &%s, %s, %s)", u, em_variable(x, in->var), a,
			em_temp(x, in->a[1]));
		break;
	}
}

/* The cache of a class(), which the entries of methods look at too. */
static const char *
class_cache(fn *x, const ir_ins *in)
{
	ir_func *f = (ir_func *)x->f;

	if (!vc_pass_on(x->e->c, CALLS) || !em_remembers(f, in))
		return "NULL";
	f->seen = ++x->e->nics;
	return vc_format(x->e->c, "IC(%u)", f->seen - 1);
}

/* In a lambda of a contract the context is that of the contract around, while that lasts. */
static void
emit_contract_op(fn *x, const ir_ins *in)
{
	const char *a = em_temp(x, in->a[0]);

	if (x->f->kind == IF_CODE) {
		vt_buf_puts(x->b, "\t{ vt_cx *cx;\n");
		try(x, "vt_c_around(rt, %s, %s, &cx)", x->sc, a);
	}
	switch (in->op) {
	case IR_CSTRING: try(x, "vt_c_string(rt, cx, %s, %s)", a, made(x, in->d)); break;
	case IR_CINT: try(x, "vt_c_int(rt, cx, %s, %s)", a, made(x, in->d)); break;
	case IR_CBOOL: try(x, "vt_c_bool(rt, cx, %s, %s)", a, made(x, in->d)); break;
	case IR_CNOTNULL: try(x, "vt_c_not_null(rt, cx, %s, %s)", a, made(x, in->d)); break;
	case IR_COWNED: try(x, "vt_c_owned(rt, cx, %s, %s)", a, made(x, in->d)); break;
	case IR_CNOTOWNED: try(x, "vt_c_not_owned(rt, cx, %s, %s)", a, made(x, in->d)); break;
	case IR_CCHECK:
		try(x, "vt_c_check(rt, cx, %s, %s, %s, %s)", a, em_code(x->e, in->f),
			em_temp(x, in->a[1]), made(x, in->d));
		break;
	case IR_CCLASS:
		try(x, "vt_c_class(rt, cx, %s, %s, %s, %s, %s, %s)", class_cache(x, in), a,
			em_temp(x, in->a[1]), em_temp(x, in->a[2]), em_temp(x, in->a[3]),
			made(x, in->d));
		break;
	case IR_CTEMPLATE:
		try(x, "vt_c_template(rt, cx, %s, %s, %s, %s, %s, %s)", a, em_temp(x, in->a[1]),
			em_temp(x, in->a[2]), em_temp(x, in->a[3]), em_temp(x, in->a[4]),
			made(x, in->d));
		break;
	case IR_CCONST: emit_cconst(x, in); break;
	case IR_CLIST:
		try(x, "vt_c_list(rt, cx, %s, %u, %s, %lld, %lld, %s)", a, in->nfs,
			funcs_table(x, in, false), (long long)in->i[0], (long long)in->i[1],
			made(x, in->d));
		break;
	case IR_CDICT: emit_cdict(x, in); break;
	}
	if (x->f->kind == IF_CODE)
		vt_buf_puts(x->b, "\t}\n");
}

static void
emit_parallel(fn *x, const ir_ins *in)
{
	vt_buf_printf(x->b,
		"\tst = vt_parallel(rt, %s, %u, %s, %s, %s); if (st == VT_ERROR) goto %s;\n", x->sc,
		in->nfs, funcs_table(x, in, true), in->a[0] < 0 ? "VT_UNDEF" : em_temp(x, in->a[0]),
		made(x, in->d), handler(x));
	taken(x);
}

/* Through the entry of the method that the site has found, which takes constants like other
 * values. */
static void
emit_entry_call(fn *x, const ir_ins *in, int32_t expected)
{
	em *e = x->e;
	const char *site = em_site(e, in->site), *a = em_temp(x, in->a[0]);

	vt_buf_puts(x->b, "\t{ vt_value av[] = {");
	for (uint32_t i = 0; i < in->nlist; i++)
		vt_buf_printf(x->b, "%s%s", i ? ", " : "",
			in->list[i] < 0 ? em_value(e, &in->site->args[i].k)
					: em_temp(x, in->list[i]));
	vt_buf_puts(x->b, in->nlist ? "}; " : "VT_UNDEF}; ");
	vc_pass_note(e->c, VC_PASS_CALLS, in,
		expected >= 0 ? "the entry of %s, when the cache has it"
			      : "the entry that the cache has",
		expected >= 0 ? e->cls->methods[expected].body->name : "");
	if (expected >= 0 && em_is_bound(e, x->f, in->site->name)) {
		vc_pass_note(
			e->c, VC_PASS_BIND, in, "always %s", e->cls->methods[expected].body->name);
		vt_buf_printf(x->b,
			"st = %s(rt, %s, self, av, %s); }\n\tif (st != VT_OK) { st = vt_called(rt, "
			"%s, st); goto %s; }\n",
			em_entry_name(e, e->cls->methods[expected].body), e->unit, made(x, in->d),
			site, handler(x));
		taken(x);
		return;
	}
	if (expected >= 0)
		vt_buf_printf(x->b,
			"if (vt_finds(IC(%u), %s, &md%u_%d)) st = %s(rt, %s, %s, av, %s);\n",
			in->site->index, a, e->local, expected,
			em_entry_name(e, e->cls->methods[expected].body), e->unit, a,
			made(x, in->d));
	else
		vt_buf_printf(x->b,
			"vt_entry_fn entry = vt_entry_of(IC(%u), %s); if (entry) st = entry(rt, "
			"%s, %s, av, %s);\n",
			in->site->index, a, e->unit, a, made(x, in->d));
	vt_buf_puts(x->b, "\telse");
	open_list(x, in, "VT_UNDEF");
	vt_buf_printf(x->b,
		" st = vt_call(rt, %s, %s, %s, av, %s); } }\n\tif (st != VT_OK) { st = "
		"vt_called(rt, %s, st); goto %s; }\n",
		x->sc, site, a, made(x, in->d), site, handler(x));
	taken(x);
}

static void
emit_call(fn *x, const ir_ins *in)
{
	int32_t expected;
	em_alias was, of;
	bool in_place, lends;

	em_range(x, in, false);
	in_place = em_in_place_open(x, in, &was);
	lends = em_lend_open(x, in, &of);
	if (em_calls_entry(x->e, in, in->na > 0 && em_is_self(x, in->a[0]), &expected)) {
		emit_entry_call(x, in, expected);
	} else {
		open_list(x, in, "VT_UNDEF");
		vt_buf_printf(x->b, " st = vt_call(rt, %s, %s, %s, av, %s);", x->sc,
			em_site(x->e, in->site),
			in->op == IR_CALLM ? em_temp(x, in->a[0]) : "VT_UNDEF", made(x, in->d));
		close_list(x);
	}
	if (lends)
		em_lend_close(x, in, of);
	if (in_place)
		em_in_place_close(x, in, was);
	em_range(x, in, true);
}

static void
emit_context(fn *x, const ir_ins *in)
{
	try(x, "vt_with_context(rt, %s, %s, %s, %s, %s)", x->sc, em_site(x->e, in->site),
		em_temp(x, in->a[0]), em_code(x->e, in->f), made(x, in->d));
}

/* The constant that the temporary is where the instruction takes it, or NULL.  Other statements use
 * its number for other values, and behind a label it may come from several places. */
static const ir_const *
constant(const ir_func *f, const ir_ins *at, int32_t t)
{
	for (const ir_ins *i = at; i-- > f->ins && i->op != IR_LABEL;)
		if (i->d == t)
			return i->op == IR_CONST && i->k.kind != IK_BIG ? &i->k : NULL;
	return NULL;
}

static bool
is_name(const ir_func *f, const ir_ins *at, int32_t t)
{
	const ir_const *k = constant(f, at, t);

	return k && k->kind == IK_STR;
}

/* A pointer of the same bits, for initializers: libtcc takes no address as a number there. */
static void
put_word(fn *x, vt_buf *b, const ir_const *k)
{
	const char *v = em_value(x->e, k);

	if (strncmp(v, "vt_mkptr(", 9) == 0)
		vt_buf_printf(b, "(const void *)%.*s, ", (int)strlen(v) - 10, v + 9);
	else
		vt_buf_printf(b, "(const void *)(uintptr_t)%s, ", v);
}

/* A list of constants is a constant: nobody changes a tuple that others hold. */
static bool
emit_constant_list(fn *x, const ir_ins *in)
{
	vt_buf *b = &x->e->tables, v = {0};
	uint32_t n;

	if (!vc_pass_on(x->e->c, LOCAL) || x->e->is_query || in->nlist == 0)
		return false;
	for (uint32_t i = 0; i < in->nlist; i++)
		if (in->list[i] < 0 || constant(x->f, in, in->list[i]) == NULL)
			return false;
	for (uint32_t i = 0; i < in->nlist; i++)
		put_word(x, &v, constant(x->f, in, in->list[i]));
	n = x->e->serial++;
	vt_buf_printf(b, "static const void *const lv%u[] = {", n);
	vt_buf_put(b, v.p, v.n);
	vt_buf_free(&v);
	vt_buf_printf(b,
		"};\nstatic const vt_list lc%u = {{VT_IMMORTAL, VT_K_TUPLE, VT_F_FINAL, 0}, %u, "
		"%u, (vt_value *)lv%u};\n",
		n, in->nlist, in->nlist, n);
	vt_buf_printf(x->b, "\tt%d = vt_mkptr(&lc%u);\n", in->d, n);
	vc_pass_note(x->e->c, VC_PASS_LOCAL, in, "a constant");
	return true;
}

static void
emit_list(fn *x, const ir_ins *in)
{
	if (emit_constant_list(x, in) || em_local_list(x, in))
		return;
	open_list(x, in, "VT_NULL");
	vt_buf_printf(x->b, " st = vt_tuple_of(rt, %u, av, %s);", in->nlist, made(x, in->d));
	close_list(x);
}

/* Nobody but `next` sees what For walks, so that a list needs no iterator. */
static void
emit_iter(fn *x, const ir_ins *in)
{
	const char *a = em_temp(x, in->a[0]);

	if (!vc_pass_on(x->e->c, LOCAL)) {
		try(x, "vt_iter_begin(rt, %s, %s, %s)", x->e->unit, a, made(x, in->d));
		return;
	}
	vc_pass_note(x->e->c, VC_PASS_LOCAL, in, "a list is walked where it lies");
	try(x, "vt_walk_begin(rt, %s, %s, %s)", x->e->unit, a, made(x, in->d));
	vt_buf_printf(x->b, "\tk%d = 0;\n", in->d);
	em_range_end(x, in);
}

static void
emit_map(fn *x, const ir_ins *in)
{
	bool record = in->nlist > 0 && in->nlist <= 32 && vc_pass_on(x->e->c, RECORDS);

	for (uint32_t i = 0; record && i < in->nlist; i += 2)
		record = is_name(x->f, in, in->list[i]);
	open_list(x, in, "VT_NULL");
	if (record)
		vc_pass_note(x->e->c, VC_PASS_RECORDS, in, "the shape is remembered");
	if (record)
		vt_buf_printf(x->b, " st = vt_record_of(rt, IC(%u), %u, av, %s);", x->e->nics++,
			in->nlist / 2, made(x, in->d));
	else
		vt_buf_printf(
			x->b, " st = vt_dict_of(rt, %u, av, %s);", in->nlist / 2, made(x, in->d));
	close_list(x);
}

static void
emit_const(fn *x, const ir_ins *in)
{
	if (in->k.kind == IK_BIG)
		try(x, "vt_big_const(rt, %s, %s)", em_literal(x->e->c, in->k.s), made(x, in->d));
	else
		vt_buf_printf(x->b, "\tt%d = %s;\n", in->d, em_value(x->e, &in->k));
}

static void
emit_self(fn *x, const ir_ins *in)
{
	if (x->f->kind == IF_METHOD)
		vt_buf_printf(x->b,
			x->ever[in->d] & HELD ? "\tt%d = vt_copy(self);\n" : "\tt%d = self;\n",
			in->d);
	else
		vt_buf_printf(x->b, "\tt%d = vt_copy(%s);\n", in->d,
			x->f->kind == IF_CODE ? "sc->self" : "cx->self");
}

static void
emit_attr(fn *x, const ir_ins *in)
{
	const char *a = em_temp(x, in->a[0]), *site = em_site(x->e, in->site);

	vc_pass_note(x->e->c, VC_PASS_RECORDS, in, "the place is remembered");
	if (vc_pass_on(x->e->c, RECORDS))
		vt_buf_printf(x->b, "\tif (!vt_attr_fast(IC(%u), %s, &t%d)) {\n", in->site->index,
			a, in->d);
	try(x, "vt_attr(rt, %s, %s, %s, %s)", x->sc, site, a, made(x, in->d));
	if (vc_pass_on(x->e->c, RECORDS))
		vt_buf_puts(x->b, "\t}\n");
}

/* x: $x + b. The variable's address is given away only where it is no local. */
static void
emit_addv(fn *x, const ir_ins *in)
{
	const char *v = em_variable(x, in->var), *a = em_temp(x, in->a[0]),
		   *site = em_site(x->e, in->site);

	if (!is_local(x)) {
		try(x, "vt_add_var(rt, %s, %s, &%s, %s)", x->sc, site, v, a);
		return;
	}
	vt_buf_printf(x->b,
		"\tif (!vt_add_fast(%s, %s, &%s)) {\n\tr = %s; st = vt_add_var(rt, %s, %s, &r, "
		"%s); %s = r; r = VT_UNDEF;\n"
		"\tif (st != VT_OK) goto %s;\n\t}\n",
		v, a, v, v, x->sc, site, a, v, handler(x));
}

/* A value that is final already moves, when nothing else uses it. */
static void
emit_final(fn *x, const ir_ins *in, bool moves)
{
	const char *a = em_temp(x, in->a[0]);
	bool known = is_only(x, in->a[0], ~(uint32_t)EM_LAX);

	if (em_local_collect(x, in)) {
		take(x, in->d);
		return;
	}
	if (known)
		vc_pass_note(x->e->c, VC_PASS_FLOW, in, "is final");
	if (moves)
		vc_pass_note(x->e->c, VC_PASS_BORROW, in, "takes the value");
	if (!moves || x->alias[in->a[0]].kind || x->ever[in->a[0]] == BORROWED) {
		if (known)
			vt_buf_printf(x->b, "\tt%d = vt_copy(%s);\n", in->d, a);
		else
			try(x, "vt_final_fast(rt, %s, %s, %s)", x->e->unit, a, made(x, in->d));
	} else if (known)
		vt_buf_printf(x->b, "\tt%d = %s; %s = VT_UNDEF;\n", in->d, a, a);
	else {
		vt_buf_printf(x->b, "\tif (vt_final_now(%s)) { t%d = %s; %s = VT_UNDEF; } else {\n",
			a, in->d, a, a);
		try(x, "vt_final(rt, %s, %s, %s)", x->e->unit, a, made(x, in->d));
		vt_buf_puts(x->b, "\t}\n");
	}
	if (x->open)
		vt_buf_puts(x->b, "\t}\n");
	x->open = false;
}

static void
emit_pipe(fn *x, const ir_ins *in)
{
	const char *ops = em_pipe(x->e, in);

	if (em_local_pipe(x, in, ops))
		take(x, in->d);
	else
		try(x, "vt_pipe(rt, %s, %s, %s, %s, %s)", x->sc, x->e->unit, ops,
			em_temp(x, in->a[0]), made(x, in->d));
}

/* A condition: is the value true, or false? */
static const char *
truth(fn *x, int32_t t, bool is)
{
	if (is_only(x, t, EM_BOOL))
		vc_pass_note(x->e->c, VC_PASS_FLOW, x->now, "a bool");
	if (is_only(x, t, EM_BOOL))
		return vc_format(x->e->c, "%s == %s", em_temp(x, t), is ? "VT_TRUE" : "VT_FALSE");
	return vc_format(x->e->c, "%svt_is_true(%s)", is ? "" : "!", em_temp(x, t));
}

/* Variables, constants and what is made of values. */
static void
emit_value(fn *x, const ir_ins *in)
{
	const char *a = in->na ? em_temp(x, in->a[0]) : "", *v;
	switch (in->op) {
	case IR_CONST: emit_const(x, in); break;
	case IR_VAR:
		v = em_variable(x, in->var);
		if (is_local(x))
			vt_buf_printf(x->b, "\tt%d = vt_copy(%s);\n", in->d, v);
		else
			vt_buf_printf(x->b, "\tt%d = %s == VT_UNDEF ? VT_NULL : vt_copy(%s);\n",
				in->d, v, v);
		break;
	case IR_SETVAR:
		v = em_variable(x, in->var);
		give(x, in->a[0], vc_format(x->e->c, "vt_move(&%s, %%s);", v));
		em_local_assigned(x, in->var);
		break;
	case IR_SELF: emit_self(x, in); break;
	case IR_ARG:
		if (in->i[0] <= x->direct)
			vt_buf_printf(x->b,
				x->ever[in->d] & HELD ? "\tt%d = vt_copy(args[%d]);\n"
						      : "\tt%d = args[%d];\n",
				in->d, (int)in->i[0] - 1);
		else
			vt_buf_printf(x->b, "\tt%d = vt_copy(vt_scope_arg(sc, %lld));\n", in->d,
				(long long)in->i[0]);
		break;
	case IR_DYN:
		vt_buf_printf(x->b, "\tt%d = vt_copy(vt_scope_get(rt, sc, %s));\n", in->d,
			em_str_ref(x->e, in->name));
		break;
	case IR_SETDYN:
		vt_buf_printf(
			x->b, "\tvt_scope_set(rt, sc, %s, %s);\n", em_str_ref(x->e, in->name), a);
		break;
	case IR_INPUT: vt_buf_printf(x->b, "\tt%d = vt_copy(in);\n", in->d); break;
	case IR_COPY: vt_buf_printf(x->b, "\tvt_move(&t%d, vt_copy(%s));\n", in->d, a); break;
	case IR_ATTR: emit_attr(x, in); break;
	case IR_LIST: emit_list(x, in); break;
	case IR_MAP: emit_map(x, in); break;
	case IR_TYPEREF:
		try(x, "vt_typeref_ic(rt, %s, %s, IC(%u), %s)", x->e->unit,
			em_str_ref(x->e, in->name), x->e->nics++, made(x, in->d));
		break;
	case IR_FINAL: emit_final(x, in, x->borrowed[in - x->f->ins]); break;
	}
}

/* Operators. */
static void
emit_operator(fn *x, const ir_ins *in)
{
	const char *a = in->na ? em_temp(x, in->a[0]) : "", *v;
	switch (in->op) {
	case IR_ADD: emit_arith(x, in, "vt_add_fast", "VT_OP_ADD"); break;
	case IR_ADDV: emit_addv(x, in); break;
	case IR_SUB: emit_arith(x, in, "vt_sub_fast", "VT_OP_SUB"); break;
	case IR_MUL: emit_arith(x, in, arith(x, "vt_mul_fast"), "VT_OP_MUL"); break;
	case IR_DIV: emit_arith(x, in, arith(x, "vt_div_fast"), "VT_OP_DIV"); break;
	case IR_MOD: emit_arith(x, in, arith(x, "vt_mod_fast"), "VT_OP_MOD"); break;
	case IR_LT: emit_compare(x, in, "<", "VT_OP_LT"); break;
	case IR_LE: emit_compare(x, in, "<=", "VT_OP_LE"); break;
	case IR_GT: emit_compare(x, in, ">", "VT_OP_GT"); break;
	case IR_GE: emit_compare(x, in, ">=", "VT_OP_GE"); break;
	case IR_EQ:
	case IR_NE:
		v = em_temp(x, in->a[1]);
		vt_buf_printf(x->b,
			"\tt%d = vt_mkbool(vt_both_int(%s, %s) ? %s %s %s : %svt_equal(rt, %s, "
			"%s));\n",
			in->d, a, v, a, in->op == IR_EQ ? "==" : "!=", v,
			in->op == IR_EQ ? "" : "!", a, v);
		break;
	case IR_NOT:
		vt_buf_printf(x->b, "\tt%d = vt_mkbool(%s);\n", in->d, truth(x, in->a[0], false));
		break;
	}
}

/* Where control goes. */
static void
emit_branch(fn *x, const ir_ins *in)
{
	const char *a = in->na ? em_temp(x, in->a[0]) : "";
	switch (in->op) {
	case IR_JDONE:
		vt_buf_printf(x->b, "\tif (%s == VT_UNDEF) goto %s;\n", a, target(x, in->label));
		break;
	case IR_JMP:
		if (x->placed[in->label])
			vt_buf_printf(x->b,
				"\tif (vt_stopped(rt)) { st = vt_iter_too_deep(rt); goto %s; }\n",
				handler(x));
		vt_buf_printf(x->b, "\tgoto %s;\n", target(x, in->label));
		break;
	case IR_JTRUE:
		vt_buf_printf(x->b, "\tif (%s) goto %s;\n", truth(x, in->a[0], true),
			target(x, in->label));
		break;
	case IR_JFALSE:
		vt_buf_printf(x->b, "\tif (%s) goto %s;\n", truth(x, in->a[0], false),
			target(x, in->label));
		break;
	case IR_JNULL:
		vt_buf_printf(x->b, "\tif (%s == VT_NULL) goto %s;\n", a, target(x, in->label));
		break;
	case IR_ITER: emit_iter(x, in); break;
	case IR_NEXT:
		if (vc_pass_on(x->e->c, LOCAL))
			try(x, "vt_walk_next(rt, %s, &k%d, e%d, %s)", a, in->a[0], in->a[0],
				made(x, in->d));
		else
			try(x, "vt_iter_next(rt, %s, %s)", a, made(x, in->d));
		vt_buf_printf(
			x->b, "\tif (t%d == VT_UNDEF) goto %s;\n", in->d, target(x, in->label));
		break;
	case IR_PIPE:
		emit_pipe(x, in);
		vt_buf_printf(
			x->b, "\tif (t%d == VT_UNDEF) goto %s;\n", in->d, target(x, in->label));
		break;
	case IR_COUNT: try(x, "vt_repeat_count(rt, %s, %s)", a, made(x, in->d)); break;
	case IR_LOOP:
		vt_buf_printf(x->b,
			"\tif (vt_toint(%s) <= 0) goto %s;\n\t%s = vt_mkint(vt_toint(%s) - 1);\n",
			a, target(x, in->label), a, a);
		break;
	case IR_RET:
		give(x, in->a[0], "*out = %s;");
		leave(x, "VT_OK", in->a[0]);
		break;
	case IR_EXIT: leave(x, in->i[0] == VT_BREAK ? "VT_BREAK" : "VT_CONTINUE", -1); break;
	case IR_EXITRET:
		give(x, in->a[0], "vt_stash_return(rt, %s);");
		leave(x, "VT_RETURN", in->a[0]);
		break;
	case IR_ONSTATUS:
		vt_buf_printf(
			x->b, "\tif (st == %d) goto %s;\n", (int)in->i[0], target(x, in->label));
		break;
	}
}

/* Errors and exceptions. */
static void
emit_exception(fn *x, const ir_ins *in)
{
	const char *a = in->na ? em_temp(x, in->a[0]) : "", *u = x->e->unit;
	switch (in->op) {
	case IR_REFUSE:
		vt_buf_printf(x->b, "\tst = vt_refuse(rt, %s, %s, %s); goto %s;\n", x->sc,
			em_site(x->e, in->site), in->site->receiver ? in->site->receiver : a,
			handler(x));
		break;
	case IR_BADLHS:
		vt_buf_puts(x->b, "\tst = vt_bad_lhs(rt, ");
		em_quote(x->b, in->name, strlen(in->name));
		vt_buf_printf(x->b, "); goto %s;\n", handler(x));
		break;
	case IR_BADTHIS:
		vt_buf_printf(x->b, "\tst = vt_bad_this(rt, %s); goto %s;\n",
			em_str_ref(x->e, in->name), handler(x));
		break;
	case IR_NOLOOP:
		vt_buf_printf(x->b, "\tst = vt_no_loop(rt, %s); goto %s;\n",
			em_literal(x->e->c, in->name), handler(x));
		break;
	case IR_CAUGHT:
		vt_buf_printf(x->b, "\tif ((st = vt_caught(rt, %s)) != VT_OK) goto fail;\n",
			made(x, in->d));
		taken(x);
		break;
	case IR_EXCMATCH:
		vt_buf_printf(x->b, "\tt%d = vt_mkbool(vt_exc_matches(rt, %s, %u, %s));\n", in->d,
			a, in->nnames, names_table(x, in));
		break;
	case IR_EXCOBJ: try(x, "vt_exc_object(rt, %s, %s)", a, made(x, in->d)); break;
	case IR_RERAISE:
		vt_buf_printf(x->b, "\tst = vt_reraise(rt, %s); goto %s;\n", a, handler(x));
		break;
	case IR_NORETHROW:
		vt_buf_printf(x->b, "\tst = vt_rethrow_outside(rt); goto %s;\n", handler(x));
		break;
	case IR_THROW:
		vt_buf_printf(x->b, "\tst = vt_throw(rt, %s, %s, %s, %s, %s); goto %s;\n", u, a,
			em_temp(x, in->a[1]), em_temp(x, in->a[2]), em_temp(x, in->a[3]),
			handler(x));
		break;
	}
}

/* Places and bookkeeping. */
static void
emit_mark(fn *x, const ir_ins *in)
{
	switch (in->op) {
	case IR_LABEL:
		x->placed[in->label] = 1;
		vt_buf_printf(x->b, "L%d:;\n", in->label);
		em_loops_label(x, in->label);
		break;
	case IR_FREE: em_free_range(x, in->i[0], in->i[1]); break;
	case IR_POS: emit_pos(x, in); break;
	case IR_HANDLER: break; /* the caller has noted it */
	}
}

/* One op. What it defines and frees is noted by the caller. */
void
em_ins(fn *x, const ir_ins *in)
{
	em_capture(x, in);
	switch ((enum ir_group)ir_ops[in->op].group) {
	case IR_G_MARK: emit_mark(x, in); break;
	case IR_G_VALUE: emit_value(x, in); break;
	case IR_G_OPERATOR: emit_operator(x, in); break;
	case IR_G_BRANCH: emit_branch(x, in); break;
	case IR_G_ERROR: emit_exception(x, in); break;
	case IR_G_CALL: (in->op == IR_CONTEXT ? emit_context : emit_call)(x, in); break;
	case IR_G_TARGET: emit_put(x, in); break;
	case IR_G_PARALLEL: emit_parallel(x, in); break;
	case IR_G_CONTRACT: emit_contract_op(x, in); break;
	case IR_G_SERVICE: /* tosca/emit_code.c */
		vc_report(x->e->c, VC_E0901, (vc_span){0},
			"a function of TOSCA outside of a service: %s", in->name);
		break;
	}
}

/* Does the op only give a name to something? See em_borrowed. */
bool
em_is_alias(const fn *x, const ir_ins *in)
{
	return x->borrowed[in - x->f->ins] && in->op != IR_FINAL;
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
		if (borrowed[i] && in->op != IR_FINAL)
			continue;
		if (in->d >= 0 && !is_immediate(f, direct, in))
			ever[in->d] |= HELD;
		else if (in->d >= 0 && (in->op == IR_SELF || in->op == IR_ARG))
			ever[in->d] |= BORROWED;
	}
	return ever;
}

static void
locals(fn *x)
{
	const ir_func *f = x->f;
	bool *declared = vc_alloc(x->e->c, (size_t)f->ntemps + 1);

	for (int32_t t = 0; t < f->ntemps; t++)
		vt_buf_printf(x->b, t ? ", t%d = VT_UNDEF" : "\tvt_value t%d = VT_UNDEF", t);
	vt_buf_puts(x->b, f->ntemps ? ";\n" : "");
	for (uint32_t i = 0; i < f->n && vc_pass_on(x->e->c, LOCAL); i++)
		if (f->ins[i].op == IR_ITER && !declared[f->ins[i].d]) {
			vt_buf_printf(
				x->b, "\tint64_t k%d = 0, e%d = 0;\n", f->ins[i].d, f->ins[i].d);
			declared[f->ins[i].d] = true;
		}
	if (f->kind == IF_METHOD)
		vt_buf_puts(x->b, "\tvt_value r = VT_UNDEF;\n");
	if (!is_local(x))
		return;
	for (uint32_t v = f->nparams; v < f->nvars; v++)
		vt_buf_printf(
			x->b, v > f->nparams ? ", v%u = VT_NULL" : "\tvt_value v%u = VT_NULL", v);
	vt_buf_puts(x->b, f->nvars > f->nparams ? ";\n" : "");
}

/* The names of a boxed method's variables. */
static const char *
variable_names(em *e, const ir_func *f)
{
	uint32_t n = e->serial++;
	vt_buf b = {0};

	vt_buf_printf(&b, "static const vt_str *const vn%u[] = {", n);
	for (uint32_t i = 0; i < f->nvars; i++)
		vt_buf_printf(&b, "%s, ", em_str_ref(e, f->vars[i]));
	vt_buf_printf(&b, "NULL};\nstatic const vt_names vs%u = {%u, vn%u};\n", n, f->nvars, n);
	vt_buf_put(&e->tables, b.p, b.n);
	vt_buf_free(&b);
	return vc_format(e->c, "&vs%u", n);
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

	vt_buf_puts(x->b, "fail:\n");
	em_flow_at(x->flow, -1, x->cells);
	for (int32_t t = 0; t < f->ntemps; t++)
		if (x->cells[t] & EM_HELD)
			vt_buf_printf(x->b, "\tvt_clear(&t%d);\n", t);
	vt_buf_puts(x->b, "done:\n");
	if (is_local(x))
		for (uint32_t v = 0; v < f->nvars; v++)
			vt_buf_printf(x->b, "\tvt_release(v%u);\n", v);
	em_local_end(x);
	if (f->kind != IF_CODE && f->boxed)
		vt_buf_printf(x->b, "\t%svt_scope_%s(sc);\n", x->captured ? "if (sc) " : "",
			f->kind == IF_METHOD ? "end" : "drop");
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
	for (char *p = text, *nl; (nl = strchr(p, '\n')) != NULL; p = nl + 1) {
		vt_buf_printf(b, "#line %u ", line);
		em_quote(b, f->unit->file, strlen(f->unit->file));
		vt_buf_puts(b, "\n");
		vt_buf_put(b, p, (size_t)(nl + 1 - p));
	}
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

/* Of the body that code has when it is direct; the function of signature() calls it then. */
static void
direct_signature(em *e, vt_buf *b, const ir_func *f, const char *sep)
{
	vt_buf_printf(b,
		"static vt_status%s%s(vt_rt *rt, vt_scope *sc, const vt_value *args, vt_value "
		"*out)",
		sep, em_mangle(e->c, "d_", f->name));
}

static void
direct_wrapper(em *e, const ir_func *f, int direct)
{
	vt_buf *b = &e->funcs;

	signature(e, b, f, "\n");
	vt_buf_puts(b, "\n{\n\tvt_value args[] = {");
	for (int i = 1; i <= direct; i++)
		vt_buf_printf(b, "vt_scope_arg(sc, %d), ", i);
	vt_buf_printf(b, "VT_UNDEF};\n\treturn %s(rt, sc, args, out);\n}\n\n",
		em_mangle(e->c, "d_", f->name));
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

static void
code_table(em *e, const ir_func *f, int direct)
{
	vt_buf_printf(&e->protos, "static const vt_code %s;\n", em_mangle(e->c, "c_", f->name));
	vt_buf_printf(&e->tables, "static const vt_code %s = {%s, %s, %s, %u, %u, ",
		em_mangle(e->c, "c_", f->name), em_func_name(e, f), e->unit,
		f->leaf && is_constant(f) ? "VT_CODE_LEAF | VT_CODE_CONST"
		: f->leaf                 ? "VT_CODE_LEAF"
					  : "0",
		f->line, f->col);
	if (f->source)
		em_quote(&e->tables, f->source, strlen(f->source));
	else
		vt_buf_puts(&e->tables, "NULL");
	if (direct >= 0)
		vt_buf_printf(&e->tables, ", %s, %d", em_mangle(e->c, "d_", f->name), direct);
	else
		vt_buf_puts(&e->tables, ", NULL, 0");
	vt_buf_printf(&e->tables, ", %s, %s", em_code(e, f->sides[0]), em_code(e, f->sides[1]));
	if (em_has_terms(e, f)) {
		vt_buf_printf(
			&e->protos, "static const vt_terms %s;\n", em_mangle(e->c, "q_", f->name));
		vt_buf_printf(&e->tables, ", &%s", em_mangle(e->c, "q_", f->name));
	} else {
		vt_buf_puts(&e->tables, ", NULL");
	}
	vt_buf_puts(&e->tables, "};\n");
}

/* Names come from outside: only one that cannot end the comment is shown. */
static void
put_title(vt_buf *b, const ir_func *f)
{
	if (strpbrk(f->name, "*/\\\n") == NULL)
		vt_buf_printf(b, "/* %s, line %u */\n", f->name, f->line);
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
	if (em_has_terms(x->e, x->f))
		vc_pass_note(x->e->c, VC_PASS_TERMS, x->f, "a table");
	if (x->f->sides[0])
		vc_pass_note(x->e->c, VC_PASS_JOINS, x->f, "pairs are looked up by key");
}

static bool
has_twin(em *e, const ir_func *f)
{
	const ir_method *m = em_method_of(e, f);

	return m && em_has_twin(e, e->cls, (uint32_t)(m - e->cls->methods));
}

void
em_function(em *e, const ir_func *f)
{
	fn x = {.line = f->line ? f->line : 1,
		.e = e,
		.f = f,
		.b = &e->funcs,
		.handler = -1,
		.result = -1,
		.direct = em_direct_args(e, f),
		.sc = f->kind == IF_CODE || f->boxed ? "sc" : "NULL",
		.boxed = em_boxed(e, f),
		.captured = em_captured(e, f),
		.names = f->kind == IF_METHOD && f->boxed ? variable_names(e, f) : NULL};
	size_t start;

	signature(e, &e->protos, f, " ");
	vt_buf_puts(&e->protos, ";\n");
	if (f->kind == IF_CODE)
		code_table(e, f, x.direct);
	if (x.direct >= 0) {
		direct_signature(e, &e->protos, f, " ");
		vt_buf_puts(&e->protos, ";\n");
	}
	x.borrowed = em_borrowed(e, f);
	x.ever = ever_counted(e, f, x.direct, x.borrowed);
	x.alias = vc_alloc(e->c, ((size_t)f->ntemps + 1) * sizeof *x.alias);
	x.flow = em_flow_of(e, f, x.ever, x.borrowed);
	x.cells = vc_alloc(e->c, (em_flow_cells(x.flow) + 1) * sizeof *x.cells);
	em_flow_start(e, x.flow, x.cells);
	x.here = true;
	x.placed = vc_alloc(e->c, (size_t)f->nlabels + 1);
	x.at = vc_alloc(e->c, ((size_t)f->n + 1) * sizeof *x.at);
	x.local = em_local_of(e, f);
	x.loops = em_loops_of(&x);
	note_function(&x);
	put_title(x.b, f);
	start = x.b->n;
	(x.direct >= 0 ? direct_signature : signature)(e, x.b, f, "\n");
	vt_buf_puts(x.b, "\n{\n\tvt_status st;\n");
	if (f->kind != IF_CODE && f->boxed)
		vt_buf_puts(x.b, "\tvt_scope *sc = NULL;\n");
	locals(&x);
	em_local_declare(&x);
	if (x.loops)
		em_loops_locals(&x);
	prologue(&x);
	em_mark(&x, start);
	for (uint32_t i = 0; i < f->n; i++) {
		start = x.b->n;
		if (f->ins[i].op == IR_HANDLER)
			x.handler = f->ins[i].label;
		em_loops_op(&x, i);
		x.now = &f->ins[i];
		note_pass(&x, x.now);
		if ((x.here || f->ins[i].op == IR_LABEL) && !em_is_alias(&x, &f->ins[i]))
			em_ins(&x, &f->ins[i]);
		em_mark(&x, start);
		note(&x, i);
	}
	start = x.b->n;
	x.line = f->line ? f->line : 1;
	epilogue(&x);
	em_mark(&x, start);
	if (x.direct >= 0)
		direct_wrapper(e, f, x.direct);
	em_terms(e, f);
	if (f->kind == IF_METHOD) {
		method_wrapper(e, f);
		if (has_twin(e, f))
			em_twin(&x);
	}
}
