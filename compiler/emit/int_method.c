/*
 * int_method.c - methods that only compute: pass `int-method`.
 *
 * A method may get an integer method besides: a C function of raw integers without an activation, a
 * result in memory or a reference count.  Its parameters take integers, and it gives an integer, a
 * truth or null, changes nothing and calls only such methods: of its own object, and of objects
 * that its properties lead to, as the recursion over a tree does.  Those objects are borrowed, for
 * nothing is given back while integer methods run.
 *
 * Whatever is not as it expects makes it give VT_UNDEF, all the way out: a result that is no 63-bit
 * integer, another kind of value, a deep stack, an op that it does not have, as in a branch that
 * ends in Throw.  The method is then called as ever, from its beginning.  Nobody can tell, because
 * the integer method has changed nothing and does not wait.  One that gives up too often is not
 * asked again (vt_int_method_quick).
 *
 * Calls on the own object know what they call.  Before the first one, and for every class of
 * receivers, each of its sites and of those behind them is asked whether it would find that method
 * (vt_int_method_bind).  A call on another object looks into the cache of its site, or asks in
 * the same way (vt_int_method_of).
 */
#include "compiler/emit/unbox.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <string.h>

enum { MOST_OPS = 2000, MOST_PARAMS = 6, MOST_SITES = 64 };

/* By method of the class. */
struct em_int_methods {
	const ir_class *cls;
	bool *has;
};

/* ---- which methods --------------------------------------------------------------------------- */

/* Is the temporary what such an op makes, where op i takes it? */
static bool
is_made_by(const ir_func *f, uint32_t i, int32_t t, int op)
{
	for (uint32_t k = i; k-- > 0 && f->ins[k].op != IR_LABEL;)
		if (f->ins[k].d == t)
			return f->ins[k].op == op;
	return false;
}

/* The method of the class that the call is meant for, or -1. */
static int32_t
callee(em *e, const ir_func *f, uint32_t i)
{
	const ir_ins *in = &f->ins[i];
	int32_t m;

	return in->op == IR_CALLM && is_made_by(f, i, in->a[0], IR_SELF) &&
			       em_calls_entry(e, in, true, &m)
		       ? m
		       : -1;
}

/* Does the op only compare the temporary with null? f->ins[i] */
static bool
asks_for_null(const ir_func *f, uint32_t i, int32_t t)
{
	const ir_ins *in = &f->ins[i];
	int32_t other;

	if ((in->op != IR_EQ && in->op != IR_NE) || in->na != 2 || in->a[0] == in->a[1])
		return false;
	other = in->a[0] == t ? in->a[1] : in->a[0];
	for (uint32_t k = i; k-- > 0 && f->ins[k].op != IR_LABEL;)
		if (f->ins[k].d == other)
			return f->ins[k].op == IR_CONST && f->ins[k].k.kind == IK_NULL;
	return false;
}

/* Does op i read the temporary, but as what it is called on, or asking whether it is null? */
static bool
reads(const ir_func *f, uint32_t i, int32_t t)
{
	const ir_ins *in = &f->ins[i];
	bool on = in->op == IR_ATTR || in->op == IR_CALLM || in->op == IR_REFUSE;

	if (asks_for_null(f, i, t))
		return false;
	for (uint32_t k = on ? 1 : 0; k < in->na; k++)
		if (in->a[k] == t)
			return true;
	for (uint32_t k = 0; k < in->nlist; k++)
		if (in->list[k] == t)
			return true;
	return false;
}

/* Is what op i makes, $this or a property, only what something is called on?  As a value it would
 * be counted, and true, which no value of an integer method is. */
static bool
is_receiver(const ir_func *f, uint32_t i)
{
	int32_t t = f->ins[i].d;

	for (uint32_t k = i + 1; k < f->n; k++) {
		const ir_ins *in = &f->ins[k];
		if (in->op == IR_LABEL || reads(f, k, t) || (in->d == t && in->op == IR_COPY))
			return false;
		if (in->d == t || in->op == IR_RET ||
			(in->op == IR_FREE && t >= in->i[0] && (in->i[1] < 0 || t < in->i[1])))
			break;
	}
	return true;
}

static bool
is_plain_op(const ir_func *f, uint32_t i)
{
	const ir_ins *in = &f->ins[i];

	if (in->op == IR_SELF)
		return is_receiver(f, i);
	if (in->op == IR_ATTR)
		return is_made_by(f, i, in->a[0], IR_SELF) || is_made_by(f, i, in->a[0], IR_ATTR);
	if (in->op == IR_CONST)
		return in->k.kind == IK_INT || in->k.kind == IK_NULL || in->k.kind == IK_TRUE ||
		       in->k.kind == IK_FALSE;
	return ir_ops[in->op].flags & IR_INTS;
}

/* Does what follows end in Throw, before anything else can happen? */
static bool
throws(const ir_func *f, uint32_t i)
{
	for (; i < f->n && f->ins[i].op != IR_LABEL && f->ins[i].op != IR_RET; i++)
		if (f->ins[i].op == IR_THROW)
			return true;
	return false;
}

/* By op: may it be reached without a failure? */
static bool *
reached(vc *c, const ir_func *f)
{
	bool *label = vc_alloc(c, ((size_t)f->nlabels + 1) * sizeof *label),
	     *op = vc_alloc(c, (size_t)f->n + 1);
	bool changed = true;

	while (changed) {
		bool here = true;
		changed = false;
		for (uint32_t i = 0; i < f->n; i++) {
			const ir_ins *in = &f->ins[i];
			if (in->op == IR_LABEL)
				here = label[in->label] |= here;
			op[i] = here;
			if (here && em_jumps(in) && !label[in->label])
				changed = label[in->label] = true;
			here = here && !(ir_ops[in->op].flags & IR_TERM);
		}
	}
	return op;
}

static bool
may_have(em *e, const ir_class *cls, uint32_t i)
{
	const ir_method *m = &cls->methods[i];

	if (!em_has_entry(e, m) || em_has_rest(m) || m->body->boxed || m->body->n > MOST_OPS ||
		m->nparams > MOST_PARAMS)
		return false;
	for (uint32_t k = 0; k < m->nparams; k++)
		if ((em_takes(m->params[k].contract) & VT_TAKES_INT) == 0)
			return false;
	return true;
}

/* Constants that a call has at hand are integers as well. */
static bool
has_int_constants(const ir_ins *in)
{
	for (uint32_t k = 0; k < in->nlist; k++)
		if (in->list[k] < 0 && in->site->args[k].k.kind != IK_INT)
			return false;
	return true;
}

/* A call on what a property holds. */
static bool
calls_other(const em *e, const ir_func *f, uint32_t i)
{
	const ir_ins *in = &f->ins[i];
	int32_t m;

	return in->op == IR_CALLM && is_made_by(f, i, in->a[0], IR_ATTR) &&
	       em_calls_entry(e, in, false, &m) && in->nlist <= MOST_PARAMS &&
	       has_int_constants(in);
}

/* Is what the call of op i gives computed with?  Others rarely give integers. */
static bool
is_operand(const ir_func *f, uint32_t i)
{
	int32_t t = f->ins[i].d;

	for (uint32_t k = i + 1; k < f->n && f->ins[k].op != IR_LABEL; k++) {
		const ir_ins *in = &f->ins[k];
		if ((em_is_arith(in->op) || em_is_order(in->op)) &&
			((in->na > 0 && in->a[0] == t) || (in->na > 1 && in->a[1] == t)))
			return true;
		if (in->d == t)
			return false;
	}
	return false;
}

static bool
fits(em *e, const ir_func *f, const bool *has)
{
	const bool *here = reached(e->c, f);
	bool others = false, computes = false;

	for (uint32_t i = 0; i < f->n; i++) {
		int32_t m = here[i] ? callee(e, f, i) : -1;
		bool other = here[i] && m < 0 && calls_other(e, f, i);
		others |= other;
		computes |= other && is_operand(f, i);
		if (here[i] && !other && !is_plain_op(f, i) && !(m >= 0 && has[m]) && !throws(f, i))
			return false;
	}
	return !others || computes;
}

/* Those whose callees have one too: begins with all and drops what cannot. */
static const bool *
int_methods_of(em *e, const ir_class *cls)
{
	bool changed = true;

	if (e->int_methods && e->int_methods->cls == cls)
		return e->int_methods->has;
	e->int_methods = vc_alloc(e->c, sizeof *e->int_methods);
	*e->int_methods = (struct em_int_methods){cls, vc_alloc(e->c, (size_t)cls->nmethods + 1)};
	for (uint32_t i = 0; i < cls->nmethods; i++)
		e->int_methods->has[i] = vc_pass_on(e->c, INT_METHOD) && may_have(e, cls, i);
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < cls->nmethods; i++)
			if (e->int_methods->has[i] &&
				!fits(e, cls->methods[i].body, e->int_methods->has)) {
				e->int_methods->has[i] = false;
				changed = true;
			}
	}
	return e->int_methods->has;
}

bool
em_has_int_method(em *e, const ir_class *cls, uint32_t method)
{
	return cls && int_methods_of(e, cls)[method];
}

static const char *
int_method_name(em *e, const ir_func *f)
{
	return ct_name(e->c, "p_", f->name);
}

/* ---- which variables ------------------------------------------------------------------------- */

/* Reads, on some branch, variables that have not been assigned: these are null there, and no
 * integers.
 */
static void
drop_unassigned(fn *x, uint8_t *var)
{
	const ir_func *f = x->f;
	uint32_t nv = f->nvars;
	uint8_t *at = vc_alloc(x->e->c, ((size_t)f->nlabels + 1) * (nv + 1)),
		*s = vc_alloc(x->e->c, nv + 1);
	const bool *here = reached(x->e->c, f);
	bool changed = true;

	memset(at, 1, (size_t)f->nlabels * nv);
	while (changed) {
		changed = false;
		for (uint32_t v = 0; v < nv; v++)
			s[v] = v < f->nparams;
		for (uint32_t i = 0; i < f->n; i++) {
			const ir_ins *in = &f->ins[i];
			uint8_t *to = in->op == IR_LABEL || em_jumps(in)
					      ? at + (size_t)in->label * nv
					      : NULL;
			bool flows = here[i] &&
				     (in->op != IR_LABEL ||
					     (i > 0 && here[i - 1] &&
						     !(ir_ops[f->ins[i - 1].op].flags & IR_TERM)));
			for (uint32_t v = 0; to && flows && v < nv; v++)
				if (to[v] && !s[v]) {
					to[v] = 0;
					changed = true;
				}
			if (in->op == IR_LABEL)
				memcpy(s, to, nv);
			if (!here[i] || in->var < 0 || (uint32_t)in->var >= nv)
				continue;
			if ((in->op == IR_VAR || in->op == IR_ADDV) && !s[in->var])
				var[in->var] = 0;
			if (in->op == IR_SETVAR)
				s[in->var] = 1;
		}
	}
}

static uint8_t *
int_variables(fn *x)
{
	const ir_func *f = x->f;
	uint8_t *var = em_raw_variables(x, 0, f->n - 1, false);
	bool *set = vc_alloc(x->e->c, (size_t)f->nvars + 1);

	if (var == NULL)
		var = vc_alloc(x->e->c, (size_t)f->nvars + 1);
	for (uint32_t i = 0; i < f->n; i++)
		if (f->ins[i].op == IR_SETVAR || f->ins[i].op == IR_ADDV)
			set[f->ins[i].var] = true;
	for (uint32_t v = 0; v < f->nparams; v++)
		if (!set[v])
			var[v] = RAW_READ;
	drop_unassigned(x, var);
	return var;
}

/* ---- ops that em_raw_op leaves ----------------------------------------------------------- */

static void
made(fn *x, int32_t t, const char *c)
{
	vt_buf_printf(x->b, "\tt%d = %s;\n", t, c);
	x->raw->boxed[t] = 1;
	x->raw->t[t] = NULL;
	x->alias[t] = (em_alias){0};
}

static void
names(fn *x, const ir_ins *in, enum em_alias_kind kind, const char *c)
{
	if (em_is_alias(x, in) || kind == EM_ALIAS_SELF) {
		x->raw->t[in->d] = NULL;
		x->alias[in->d] = (em_alias){kind, c};
	} else {
		made(x, in->d, c);
	}
}

static void
int_call(fn *x, const ir_ins *in, uint32_t i, int32_t m)
{
	em *e = x->e;
	const char *arg[MOST_PARAMS], *on = m >= 0 ? "self" : em_temp(x, in->a[0]);

	for (uint32_t k = 0; k < in->nlist; k++)
		arg[k] = in->list[k] >= 0
				 ? em_raw_of(x, in->list[k], i)
				 : vc_format(e->c, "vt_raw(%s)", em_value(e, &in->site->args[k].k));
	if (m >= 0)
		vt_buf_printf(x->b, "\tif ((t%d = %s(", in->d,
			int_method_name(e, e->cls->methods[m].body));
	else
		vt_buf_printf(x->b,
			"\t{ vt_int_%u p = (vt_int_%u)vt_int_method_of(rt, %s, %s); if (!p || (t%d "
			"= p(",
			in->nlist, in->nlist, em_site(e, in->site), on, in->d);
	vt_buf_printf(x->b, "rt, %s, depth - 1", on);
	for (uint32_t k = 0; k < in->nlist; k++)
		vt_buf_printf(x->b, ", %s", arg[k]);
	vt_buf_printf(x->b, ")) == VT_UNDEF) return VT_UNDEF;%s\n", m >= 0 ? "" : " }");
	x->raw->boxed[in->d] = 1;
	x->raw->t[in->d] = NULL;
	x->alias[in->d] = (em_alias){0};
}

/* A counted value is taken where it is only called on. */
static void
int_attr(fn *x, const ir_ins *in, uint32_t i)
{
	bool own = is_made_by(x->f, i, in->a[0], IR_SELF);

	made(x, in->d,
		vc_format(x->e->c, "%s(rt, %s, %s, %d)", own ? "vt_attr_now" : "vt_member_now",
			em_site(x->e, in->site), own ? "self" : em_temp(x, in->a[0]),
			is_receiver(x->f, i)));
	vt_buf_printf(x->b, "\tif (t%d == VT_UNDEF) return VT_UNDEF;\n", in->d);
}

static void
int_branch(fn *x, const ir_ins *in)
{
	const char *a = em_temp(x, in->a[0]), *to = em_raw_jump(x, in);

	switch (in->op) {
	case IR_JTRUE: vt_buf_printf(x->b, "\tif (vt_true_now(%s)) goto %s;\n", a, to); break;
	case IR_JFALSE: vt_buf_printf(x->b, "\tif (!vt_true_now(%s)) goto %s;\n", a, to); break;
	case IR_JNULL: vt_buf_printf(x->b, "\tif (%s == VT_NULL) goto %s;\n", a, to); break;
	case IR_LOOP:
		vt_buf_printf(x->b, "\tif ((int64_t)%s <= 1) goto %s;\n\t%s -= 2;\n", a, to, a);
		break;
	}
}

/* False: the integer method gives up here. */
static bool
int_op(fn *x, const ir_ins *in, uint32_t i)
{
	vc *c = x->e->c;
	int32_t m = callee(x->e, x->f, i);
	const char *a = in->na ? em_temp(x, in->a[0]) : NULL;

	if (m >= 0 ? em_has_int_method(x->e, x->e->cls, (uint32_t)m) && has_int_constants(in)
		   : calls_other(x->e, x->f, i)) {
		int_call(x, in, i, m);
		return true;
	}
	if (!is_plain_op(x->f, i) || em_is_arith(in->op) || em_is_order(in->op))
		return false;
	switch (in->op) {
	case IR_CONST: names(x, in, EM_ALIAS_CONST, em_value(x->e, &in->k)); break;
	case IR_VAR: names(x, in, EM_ALIAS_VARIABLE, vc_format(c, "v%d", in->var)); break;
	case IR_SELF: names(x, in, EM_ALIAS_SELF, "self"); break;
	case IR_SETVAR: vt_buf_printf(x->b, "\tv%d = %s;\n", in->var, a); break;
	case IR_EQ:
	case IR_NE:
		vt_buf_printf(x->b, "\ti%d = %svt_equal_now(%s, %s);\n", in->d,
			in->op == IR_NE ? "!" : "", a, em_temp(x, in->a[1]));
		em_raw_made(x, in->d, RAW_BOOL);
		break;
	case IR_NOT:
		vt_buf_printf(x->b, "\ti%d = !vt_true_now(%s);\n", in->d, a);
		em_raw_made(x, in->d, RAW_BOOL);
		break;
	case IR_COPY:
	case IR_FINAL: made(x, in->d, a); break;
	case IR_COUNT:
		made(x, in->d, vc_format(c, "vt_boxed(%s)", em_raw_of(x, in->a[0], i)));
		break;
	case IR_ATTR: int_attr(x, in, i); break;
	case IR_JTRUE:
	case IR_JFALSE:
	case IR_JNULL:
	case IR_LOOP: int_branch(x, in); break;
	case IR_RET: vt_buf_printf(x->b, "\treturn %s;\n", a); break;
	case IR_FREE: em_raw_forget(x, in); break;
	case IR_HANDLER:
	case IR_POS: break;
	default: return false;
	}
	return true;
}

static void
int_step(fn *x, uint32_t i)
{
	const ir_ins *in = &x->f->ins[i];

	if (in->op == IR_LABEL) {
		em_mark_label(x, i);
		x->here = em_raw_arrive(x, in);
		if (x->here)
			vt_buf_printf(x->b, "F0_%d:;\n", in->label);
		return;
	}
	if (!x->here)
		return;
	x->now = in;
	if (in->op == IR_POS)
		em_statement(x, in);
	if (!em_raw_op(x, in, i) && !int_op(x, in, i)) {
		vc_pass_note(x->e->c, VC_PASS_INT_METHOD, in, "gives up");
		vt_buf_puts(x->b, "\treturn VT_UNDEF;\n");
		x->here = false;
		return;
	}
	em_flow_step(x->flow, i, x->cells);
	if (ir_ops[in->op].flags & IR_TERM)
		x->here = false;
}

/* ---- the function ---------------------------------------------------------------------------- */

static void
int_signature(fn *x, vt_buf *b, const char *sep)
{
	vt_buf_printf(b, "static vt_value%s%s(vt_rt *rt, vt_value self, uint32_t depth", sep,
		int_method_name(x->e, x->f));
	for (uint32_t k = 0; k < x->f->nparams; k++)
		vt_buf_printf(b, ", int64_t n%u", k);
	vt_buf_puts(b, ")");
}

static bool
has_calls(const ir_func *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (f->ins[i].op == IR_CALLM)
			return true;
	return false;
}

static void
int_locals(fn *x)
{
	em_raw *w = x->raw;
	em_list ints = {.head = "\tint64_t "}, reals = {.head = "\tdouble "};

	memset(w->vs, 0, x->f->nparams);
	em_raw_declare(x, w->ts, w->vs, &ints, &reals);
	em_list_end(x->b, &ints, ";\n");
	em_list_end(x->b, &reals, ";\n");
	for (int32_t t = 0; t < x->f->ntemps; t++)
		if (w->boxed[t])
			vt_buf_printf(x->b, "\tvt_value t%d = VT_UNDEF;\n", t);
	for (uint32_t v = 0; v < x->f->nvars; v++)
		if (w->var[v] == 0)
			vt_buf_printf(x->b,
				v < x->f->nparams ? "\tvt_value v%u = vt_boxed(n%u);\n"
						  : "\tvt_value v%u = VT_NULL;\n",
				v, v);
	/* an integer method without calls does not look: its caller has left it a level */
	if (has_calls(x->f))
		vt_buf_puts(x->b,
			"\tif (depth <= 1 || vt_frame() < rt->stack_limit) return VT_UNDEF;\n");
}

void
em_int_method(fn *of)
{
	fn y = *of, *x = &y;
	em *e = x->e;
	em_raw w = {.int_method = true,
		.to = x->f->n - 1,
		.ts = vc_alloc(e->c, (size_t)x->f->ntemps + 1),
		.vs = vc_alloc(e->c, (size_t)x->f->nvars + 1),
		.place = em_label_places(e->c, x->f)};
	size_t start = e->funcs.n, head;
	const char *body;

	vc_pass_note(e->c, VC_PASS_INT_METHOD, x->f, "has an integer method");
	x->raw = NULL;
	x->flow = em_flow_unasked(e, x->flow);
	x->cells = vc_alloc(e->c, (em_flow_cells(x->flow) + 1) * sizeof *x->cells);
	x->alias = vc_alloc(e->c, ((size_t)x->f->ntemps + 1) * sizeof *x->alias);
	x->placed = vc_alloc(e->c, (size_t)x->f->nlabels + 1);
	x->label_line = vc_alloc(e->c, ((size_t)x->f->nlabels + 1) * sizeof *x->label_line);
	w.var = int_variables(x);
	x->raw = &w;
	em_raw_open(x, &w);
	em_flow_start(e, x->flow, x->cells);
	x->here = true;
	for (uint32_t i = 0; i < x->f->n; i++) {
		size_t from = x->b->n;
		int_step(x, i);
		em_mark(x, from);
	}
	head = e->funcs.n - start;
	body = vc_strndup(e->c, e->funcs.p + start, head);
	e->funcs.n = start;
	int_signature(x, &e->protos, " ");
	vt_buf_puts(&e->protos, ";\n");
	x->line = x->f->line ? x->f->line : 1;
	int_signature(x, x->b, "\n");
	vt_buf_puts(x->b, "\n{\n");
	int_locals(x);
	em_mark(x, start);
	vt_buf_put(x->b, body, head);
	vt_buf_put(x->b, w.stubs.p, w.stubs.n);
	vt_buf_free(&w.stubs);
	vt_buf_puts(x->b, "\treturn VT_UNDEF;\n}\n\n");
}

/* ---- the entry into it ----------------------------------------------------------------------- */

/* The sites of an integer method and of those behind it, once each. */
typedef struct sites {
	const ir_ins *call[MOST_SITES];
	int32_t method[MOST_SITES];
	uint32_t n;
	bool *seen; /* by method */
} sites;

/* False: too many. */
static bool
gather(em *e, int32_t m, sites *s)
{
	const ir_func *f = e->cls->methods[m].body;

	if (s->seen[m])
		return true;
	s->seen[m] = true;
	for (uint32_t i = 0; i < f->n; i++) {
		int32_t to = callee(e, f, i);
		if (to < 0 || !em_has_int_method(e, e->cls, (uint32_t)to))
			continue;
		if (s->n == MOST_SITES)
			return false;
		s->call[s->n] = &f->ins[i];
		s->method[s->n++] = to;
		if (!gather(e, to, s))
			return false;
	}
	return true;
}

static const char *
sites_table(em *e, const sites *s)
{
	uint32_t k = e->serial++;
	vt_buf b = {0};

	if (s->n == 0)
		return "NULL, 0";
	vt_buf_printf(&b, "static const vt_bound tw%u[] = {", k);
	for (uint32_t i = 0; i < s->n; i++)
		vt_buf_printf(&b, "%s{%s, &md%u_%d}", i ? ", " : "", em_site(e, s->call[i]->site),
			e->local, s->method[i]);
	vt_buf_puts(&b, "};\n");
	vt_buf_put(&e->tables, b.p, b.n);
	vt_buf_free(&b);
	return vc_format(e->c, "tw%u, %u", k, s->n);
}

const char *
em_int_method_ref(em *e, uint32_t i)
{
	sites s = {.seen = vc_alloc(e->c, (size_t)e->cls->nmethods + 1)};

	return em_has_int_method(e, e->cls, i) && gather(e, (int32_t)i, &s)
		       ? vc_format(e->c, "&im%u_%u", e->local, i)
		       : NULL;
}

/* The entry asks the integer method first. */
const char *
em_int_method_call(em *e, const ir_method *m, uint32_t i)
{
	sites s = {.seen = vc_alloc(e->c, (size_t)e->cls->nmethods + 1)};
	const char *ref = em_int_method_ref(e, i), *name, *bound, *all = "1", *given = "";

	if (ref == NULL)
		return NULL;
	name = int_method_name(e, m->body);
	(void)gather(e, (int32_t)i, &s);
	bound = sites_table(e, &s);
	vt_buf_printf(&e->tables,
		"static const vt_int_method im%u_%u = {(void (*)(void))%s, &ics[%u], %s};\n",
		e->local, i, name, e->nics++, bound);
	for (uint32_t k = 0; k < m->nparams; k++) {
		all = k ? vc_format(e->c, "%s && vt_is_int(args[%u])", all, k)
			: "vt_is_int(args[0])";
		given = vc_format(e->c, "%s, vt_raw(args[%u])", given, k);
	}
	return vc_format(e->c, "%s, %s, %s(rt, self, rt->max_depth - rt->depth%s)", ref + 1, all,
		name, given);
}
