/*
 * op.c - one op as C that is right for all values: values, operators, branches and errors.  call.c
 * has calls, contracts and assignments below a variable.
 */
#include "compiler/emit/function.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <string.h>

/* What an operation on two values comes to when they are no integers. */
static void
emit_binary(fn *x, const ir_ins *in, const char *op)
{
	bool stacked = x->local->stacked[in - x->f->ins];

	em_try(x, "vt_binary%s(rt, %s, %s, %s, %s, %s, %s)", stacked ? "_heap" : "", x->sc, op,
		em_site(x->e, in->site), em_temp(x, in->a[0]), em_temp(x, in->a[1]),
		em_made(x, in->d));
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

/* The write of `$.name: $.name + b..`, a sum of the ops from `in` to `last`, where `sum` is what is
 * written; or NULL. */
static const ir_ins *
write_back(const fn *x, const ir_ins *in, const ir_ins *last, int32_t sum)
{
	const ir_ins *put = last + 2, *end = x->f->ins + x->f->n;
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

const ir_ins *
em_written_back(const fn *x, const ir_ins *first, const ir_ins *last)
{
	return write_back(x, first, last, next_takes(x, last));
}

static void
emit_grow(fn *x, const ir_ins *in, const ir_ins *put)
{
	vc_pass_note(x->e->c, VC_PASS_GROW, in, "appends to what the property has");
	x->grow_ic = ++x->e->nics;
	vt_buf_printf(x->b,
		"\tif (vt_grow_prop(rt, %s, %s, IC(%u), self, %s, %s)) { %s = VT_UNDEF; ", x->sc,
		em_site(x->e, in->site), x->grow_ic - 1, em_temp(x, in->a[0]), em_temp(x, in->a[1]),
		em_temp(x, in->a[0]));
	if (put->d >= 0)
		vt_buf_printf(x->b, "t%d = VT_UNDEF; ", put->d);
	vt_buf_printf(x->b, "goto P%u; }\n", x->grow_ic);
}

/* Is one of the operands known to be no integer? */
static bool
never_fast(const fn *x, const ir_ins *in)
{
	return (x->cells[in->a[0]] & EM_INT) == 0 || (x->cells[in->a[1]] & EM_INT) == 0;
}

static void
emit_arith(fn *x, const ir_ins *in, const char *fast, const char *op)
{
	int32_t final = fast ? next_takes(x, in) : -1;

	if (fast && in->op >= IR_MUL)
		vc_pass_note(x->e->c, VC_PASS_ARITH, in, "in place for integers");
	const ir_ins *put = write_back(x, in, in, final);
	bool block = fast && !never_fast(x, in);

	if (block)
		vt_buf_printf(x->b, "\tif (!%s(%s, %s, &t%d)) {\n", fast, em_temp(x, in->a[0]),
			em_temp(x, in->a[1]), final >= 0 ? final : in->d);
	size_t start = x->b->n;
	if (put)
		emit_grow(x, in, put);
	else if (in->op == IR_ADD)
		em_update(x, in);
	if (!put && in->op == IR_ADD)
		em_grow_in(x, in);
	if (block && x->b->n == start)
		x->b->n--;
	if (!em_add_to_made(x, in))
		emit_binary(x, in, op);
	if (block && final < 0)
		em_close_block(x);
	x->open = block && final >= 0;
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

	vt_buf_printf(x->b, "\tif (!vt_order_fast(%s, %s, %s, &t%d)) {", a, c_op, b, in->d);
	emit_binary(x, in, op);
	em_close_block(x);
}

/* Does another position of the same line stand above, without a label in between? */
static bool
goes_on(const fn *x, const ir_ins *pos)
{
	for (const ir_ins *in = pos; in-- > x->f->ins && in->op != IR_LABEL;)
		if (in->op == IR_POS)
			return in->i[0] == pos->i[0];
	return false;
}

/* Where `next` of `vetro gdb` stops: once a line, however many positions begin there. */
void
em_statement(fn *x, const ir_ins *in)
{
	x->line = (uint32_t)in->i[0];
	if (x->e->lines && x->f->kind != IF_CONTRACT && !goes_on(x, in))
		vt_buf_puts(x->b, "\tVT_STATEMENT();\n");
}

static void
emit_pos(fn *x, const ir_ins *in)
{
	em_statement(x, in);
	em_captured_go(x, in);
	/* a statement that only begins another one; a debugger can stop there */
	if (in + 1 < x->f->ins + x->f->n && in[1].op == IR_POS && !x->e->lines)
		return;
	vt_buf_printf(x->b, "\t%sat = %s;\n", x->f->kind == IF_METHOD ? "act->" : "rt->act->",
		em_at(x, in));
	em_take_parts(x, in);
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

	if (!vc_pass_on(x->e->c, LOCAL) || x->e->is_query)
		return false;
	for (uint32_t i = 0; i < in->nlist; i++)
		if (in->list[i] < 0 || constant(x->f, in, in->list[i]) == NULL)
			return false;
	for (uint32_t i = 0; i < in->nlist; i++)
		put_word(x, &v, constant(x->f, in, in->list[i]));
	if (in->nlist == 0) /* C has no empty array */
		vt_buf_puts(&v, "0");
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
	em_get_before(x, in);
	em_list_with(x, in);
	em_open_list(x, in, "VT_NULL");
	vt_buf_printf(x->b, " st = vt_tuple_of(rt, %u, av, %s);", in->nlist, em_made(x, in->d));
	em_close_list(x);
}

/* Nobody but `next` sees what For walks, so that a list needs no iterator. */
static void
emit_iter(fn *x, const ir_ins *in)
{
	const char *a = em_temp(x, in->a[0]);

	if (!vc_pass_on(x->e->c, LOCAL)) {
		em_try(x, "vt_iter_begin(rt, %s, %s, %s)", x->e->unit, a, em_made(x, in->d));
		return;
	}
	vc_pass_note(x->e->c, VC_PASS_LOCAL, in, "a list is walked where it lies");
	em_try(x, "vt_walk_begin(rt, %s, %s, %s)", x->e->unit, a, em_made(x, in->d));
	vt_buf_printf(x->b, "\tk%d = 0;\n", in->d);
	em_range_end(x, in);
}

bool
em_makes_record(const em *e, const ir_func *f, const ir_ins *in)
{
	if (in->nlist == 0 || in->nlist > 32 || !vc_pass_on(e->c, RECORDS))
		return false;
	for (uint32_t i = 0; i < in->nlist; i += 2)
		if (!is_name(f, in, in->list[i]))
			return false;
	return true;
}

/* The inline cache of an op without a site. */
static uint32_t
cache_of(em *e, const ir_ins *in)
{
	return e->is_query ? in->ic : e->nics++;
}

static void
emit_map(fn *x, const ir_ins *in)
{
	bool record = em_makes_record(x->e, x->f, in);

	if (em_record_sum(x, in))
		return;
	em_get_before(x, in);
	em_open_list(x, in, "VT_NULL");
	if (record)
		vc_pass_note(x->e->c, VC_PASS_RECORDS, in, "the shape is remembered");
	if (record)
		vt_buf_printf(x->b, " st = vt_record_of(rt, IC(%u), %u, av, %s);",
			cache_of(x->e, in), in->nlist / 2, em_made(x, in->d));
	else
		vt_buf_printf(x->b, " st = vt_dict_of(rt, %u, av, %s);", in->nlist / 2,
			em_made(x, in->d));
	em_close_list(x);
}

static void
emit_const(fn *x, const ir_ins *in)
{
	const char *big = in->k.kind == IK_BIG ? em_big(x->e, &in->k) : NULL;
	if (big != NULL)
		vt_buf_printf(x->b, "\tt%d = %s;\n", in->d, big);
	else if (in->k.kind == IK_BIG)
		em_try(x, "vt_big_const(rt, %s, %s)", ct_literal(x->e->c, in->k.s),
			em_made(x, in->d));
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
	if (in->site->seen) {
		em_try(x, "vt_attr_as(rt, %s, %s, %s%s, %s)", x->sc, site, em_as(x, in), a,
			em_made(x, in->d));
		return;
	}
	em_read_on(x, in);
	if (vc_pass_on(x->e->c, RECORDS))
		vt_buf_printf(x->b, "\tif (!vt_attr_fast(IC(%u), %s, &t%d)) {", in->site->index, a,
			in->d);
	em_try(x, "vt_attr(rt, %s, %s, %s, %s)", x->sc, site, a, em_made(x, in->d));
	if (vc_pass_on(x->e->c, RECORDS))
		em_close_block(x);
}

/* x: $x + b. The variable's address is given away only where it is no local. */
static void
emit_addv(fn *x, const ir_ins *in)
{
	const char *v = em_variable(x, in->var), *a = em_temp(x, in->a[0]),
		   *site = em_site(x->e, in->site);

	em_release_dead(x, in);
	if (!em_is_local(x)) {
		em_try(x, "vt_add_var(rt, %s, %s, &%s, %s)", x->sc, site, v, a);
		return;
	}
	em_grow_both(x, in);
	vt_buf_printf(x->b,
		"\tif (%s%s!vt_add_fast(%s, %s, &%s)) VT_LEND(%s, vt_add_var(rt, %s, %s, &r, %s), "
		"%s);\n",
		em_is_pushed(x, in) ? a : "", em_is_pushed(x, in) ? " != VT_UNDEF && " : "", v, a,
		v, v, x->sc, site, a, em_handler_label(x));
}

/* Is what the op makes final only walked by the loop behind it? */
static bool
is_walked(const fn *x, const ir_ins *in)
{
	const ir_ins *end = x->f->ins + x->f->n, *k = in + 1;

	return k < end && k->op == IR_ITER && k->a[0] == in->d &&
	       !em_reads_again(x->f, (uint32_t)(k - x->f->ins), in->d, true);
}

/* A value that is final already moves, when nothing else uses it. */
static void
emit_final(fn *x, const ir_ins *in, bool moves)
{
	const char *a = em_temp(x, in->a[0]);
	bool known = em_is_only(x, in->a[0], ~(uint32_t)EM_LAX);

	if (em_local_collect(x, in)) {
		em_take(x, in->d);
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
			em_try(x, "vt_final_fast(rt, %s, %s, %s)", x->e->unit, a,
				em_made(x, in->d));
	} else if (known)
		vt_buf_printf(x->b, "\tt%d = %s; %s = VT_UNDEF;\n", in->d, a, a);
	else {
		vt_buf_printf(x->b, "\tif (vt_final_now(%s)) { t%d = %s; %s = VT_UNDEF; } else {",
			a, in->d, a, a);
		em_try(x, "vt_final_%s_reg(rt, %s, &%s, %s)", is_walked(x, in) ? "walked" : "held",
			x->e->unit, a, em_made(x, in->d));
		em_close_block(x);
	}
	if (x->open)
		em_close_block(x);
	x->open = false;
}

static void
emit_copy(fn *x, const ir_ins *in)
{
	const char *a = em_temp(x, in->a[0]);

	if (x->borrowed[in - x->f->ins] && !x->alias[in->a[0]].kind &&
		x->ever[in->a[0]] != BORROWED)
		vt_buf_printf(x->b, "\tvt_move(&t%d, %s); %s = VT_UNDEF;\n", in->d, a, a);
	else
		vt_buf_printf(x->b, "\tvt_move(&t%d, vt_copy(%s));\n", in->d, a);
}

static void
emit_pipe(fn *x, const ir_ins *in)
{
	const char *ops = em_pipe(x->e, in, x->names), *a = em_temp(x, in->a[0]);
	bool method = em_local_pipe(x, in) || x->captured != NULL || in->site != NULL;

	if (in->label >= 0)
		em_try(x, "vt_pipe(rt, %s, %s, %s.ops, %s, %s)", x->sc, x->e->unit, ops, a,
			em_made(x, in->d));
	else if (method)
		em_pipe_method(x, in, ops);
	else
		em_try(x, "vt_pipe_calls(rt, %s, %s, %s, %s)", x->sc, ops, a, em_made(x, in->d));
	if (in->label >= 0)
		vt_buf_printf(
			x->b, "\tif (t%d == VT_UNDEF) goto %s;\n", in->d, em_target(x, in->label));
}

/* A condition: is the value true, or false? */
static const char *
truth(fn *x, int32_t t, bool is)
{
	if (em_is_only(x, t, EM_BOOL))
		vc_pass_note(x->e->c, VC_PASS_FLOW, x->now, "a bool");
	if (em_is_only(x, t, EM_BOOL))
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
		if (em_is_local(x))
			vt_buf_printf(x->b, "\tt%d = vt_copy(%s);\n", in->d, v);
		else
			vt_buf_printf(x->b, "\tt%d = %s == VT_UNDEF ? VT_NULL : vt_copy(%s);\n",
				in->d, v, v);
		break;
	case IR_SETVAR:
		v = em_variable(x, in->var);
		em_give(x, in->a[0], vc_format(x->e->c, "vt_move(&%s, %%s);", v));
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
	case IR_COPY: emit_copy(x, in); break;
	case IR_ATTR: emit_attr(x, in); break;
	case IR_LIST: emit_list(x, in); break;
	case IR_MAP: emit_map(x, in); break;
	case IR_TYPEREF:
		em_try(x, "vt_typeref_ic(rt, %s, %s, IC(%u), %s)", x->e->unit,
			em_str_ref(x->e, in->name), cache_of(x->e, in), em_made(x, in->d));
		break;
	case IR_FINAL: emit_final(x, in, x->borrowed[in - x->f->ins]); break;
	case IR_ROOM:
		vt_buf_printf(x->b, "\tt%d = vt_room(rt, %s, %d, %d);\n", in->d, a, (int)in->i[0],
			(int)in->i[1]);
		break;
	case IR_PUTPAIR:
		em_try(x, "vt_put_pair(rt, %s, %s, %s)", a, em_temp(x, in->a[1]),
			em_temp(x, in->a[2]));
		break;
	case IR_PUTGROUP:
		em_try(x, "vt_put_group(rt, %s, %s, %s)", a, em_temp(x, in->a[1]),
			em_temp(x, in->a[2]));
		break;
	case IR_PAIR:
		vt_buf_printf(x->b, "\tt%d = vt_new_pair(rt, %s, %s, %d);\n", in->d, a,
			em_temp(x, in->a[1]), (int)in->i[0]);
		break;
	case IR_TURN:
		vt_buf_printf(x->b, "\tk%d = 0; t%d = vt_turn(rt, %s, %d);\n", in->d, in->d, a,
			(int)in->i[0]);
		break;
	case IR_SORT:
		vt_buf_printf(x->b, "\tk%d = 0;\n", in->d);
		em_try(x, "vt_sort_few(rt, %s, %s, %s, %d, %s)", x->e->unit, a,
			em_temp(x, in->a[1]), (int)in->i[0], em_made(x, in->d));
		break;
	case IR_MANY:
		vt_buf_printf(x->b, "\tk%d = 0;\n", in->d);
		em_try(x, "vt_%s(rt, %s, %s)", in->i[0] ? "flat" : "many", a, em_made(x, in->d));
		break;
	case IR_PUT:
		em_give(x, in->a[0],
			vc_format(x->e->c,
				in->i[0] ? "st = vt_put_more(rt, %s, %%s);" : "vt_put(%s, %%s);",
				em_temp(x, in->a[1])));
		if (in->i[0])
			vt_buf_printf(x->b, "\tif (st != VT_OK) goto %s;\n", em_handler_label(x));
		break;
	}
}

/* Operators. */
/* Is it a constant text? */
static bool
is_text(const fn *x, int32_t t)
{
	return t >= 0 && x->alias[t].kind == EM_ALIAS_CONST &&
	       strncmp(x->alias[t].c, "vt_mkptr(&s", 11) == 0;
}

static const char *
equality(const fn *x, const ir_ins *in)
{
	return is_text(x, in->a[1]) ? "vt_equal_text" : "vt_equal_fast";
}

static void
emit_operator(fn *x, const ir_ins *in)
{
	const char *a = in->na ? em_temp(x, in->a[0]) : "", *v;
	if (em_concat(x, in))
		return;
	switch (in->op) {
	case IR_ADD: emit_arith(x, in, "vt_add_fast", "VT_OP_ADD"); break;
	case IR_ADDV: emit_addv(x, in); break;
	case IR_ADDON:
	case IR_ADDUP: em_add_on(x, in); break;
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
		vt_buf_printf(x->b, "\tt%d = vt_mkbool(%s%s(rt, %s, %s));\n", in->d,
			in->op == IR_EQ ? "" : "!", equality(x, in), a, v);
		break;
	case IR_NOT:
		vt_buf_printf(x->b, "\tt%d = vt_mkbool(%s);\n", in->d, truth(x, in->a[0], false));
		break;
	}
}

static void
emit_parent(fn *x, const ir_ins *in)
{
	const char *a = em_temp(x, in->a[0]),
		   *call = vc_format(x->e->c, "vt_parent_%s(rt, %s, %s, %d, %d)",
			   in->site->seen ? "of" : "cast", em_site(x->e, in->site), a,
			   (int)in->i[0], (int)in->i[1]),
		   *to = em_target(x, in->label);

	vc_pass_note(x->e->c, VC_PASS_INLINE, in, "super() is written out");
	if (in->site->seen)
		vt_buf_printf(x->b, "\tif ((as%d = %s) == NULL) goto %s;\n\tt%d = vt_copy(%s);\n",
			in->d, call, to, in->d, a);
	else
		vt_buf_printf(x->b, "\tif ((t%d = %s) == VT_UNDEF) goto %s;\n", in->d, call, to);
}

/* Where control goes. */
static void
emit_branch(fn *x, const ir_ins *in)
{
	const char *a = in->na ? em_temp(x, in->a[0]) : "";
	switch (in->op) {
	case IR_PUTIN: em_put_in(x, in); break;
	case IR_JTEXTS: em_add_texts(x, in); break;
	case IR_JDONE:
		vt_buf_printf(x->b, "\tif (%s == VT_UNDEF) goto %s;\n", a, em_target(x, in->label));
		break;
	case IR_JMP:
		if (x->placed[in->label] == EM_LOOP_HEAD)
			vt_buf_printf(x->b,
				"\tif (vt_stopped(rt)) { st = vt_raise_depth(rt); goto %s; }\n",
				em_handler_label(x));
		vt_buf_printf(x->b, "\tgoto %s;\n", em_target(x, in->label));
		break;
	case IR_JTRUE:
		vt_buf_printf(x->b, "\tif (%s) goto %s;\n", truth(x, in->a[0], true),
			em_target(x, in->label));
		break;
	case IR_JFALSE:
		vt_buf_printf(x->b, "\tif (%s) goto %s;\n", truth(x, in->a[0], false),
			em_target(x, in->label));
		break;
	case IR_JFOUND:
		(void)em_site(x->e, in->site);
		vt_buf_printf(x->b, "\tif (vt_found(IC(%u), %s)", in->site->index, em_found_as(in));
		for (uint32_t i = 0; i < in->nlist; i++)
			vt_buf_printf(x->b, " && vt_final_now(%s)", em_temp(x, in->list[i]));
		vt_buf_printf(x->b, ") goto %s;\n", em_target(x, in->label));
		break;
	case IR_JLAZY:
		for (uint32_t i = 0; i < in->nlist; i++)
			vt_buf_printf(x->b, "%s%s(%s)", i ? " || " : "\tif (",
				in->i[0] ? "!vt_final_now" : "vt_is_lazy", em_temp(x, in->list[i]));
		vt_buf_printf(x->b, ") goto %s;\n", em_target(x, in->label));
		break;
	case IR_JOTHER:
		vt_buf_printf(x->b, "\tif (!vt_is_a(%s, %s)) goto %s;\n", a,
			in->i[0] ? "VT_K_SET" : "VT_K_DICT", em_target(x, in->label));
		break;
	case IR_JCASE:
		vt_buf_printf(x->b, "\tif (vt_is_case(%s, %lld, %lld)) goto %s;\n", a,
			(long long)in->i[0], (long long)in->i[1], em_target(x, in->label));
		break;
	case IR_FEW:
		vc_pass_note(x->e->c, VC_PASS_INLINE, in, "a loop");
		vt_buf_printf(x->b, "\tk%d = 0; if (vt_few_reg(rt, %s, %s, %d, &t%d)) goto %s;\n",
			in->d, x->e->unit, a, (int)in->i[0], in->d, em_target(x, in->label));
		break;
	case IR_JCOUNT:
		vt_buf_printf(x->b, "\tif (vt_is_count(%s, %d)) goto %s;\n", a, (int)in->i[0],
			em_target(x, in->label));
		break;
	case IR_JSEEN:
		vt_buf_printf(x->b, "\t{ int seen;\n");
		em_try(x, "vt_seen(rt, %s, %s, &seen)", a, em_temp(x, in->a[1]));
		vt_buf_printf(x->b, "\tif (seen) goto %s; }\n", em_target(x, in->label));
		break;
	case IR_JNULL:
		vt_buf_printf(x->b, "\tif (%s == VT_NULL) goto %s;\n", a, em_target(x, in->label));
		break;
	case IR_ITER: emit_iter(x, in); break;
	case IR_NEXT:
		if (vc_pass_on(x->e->c, LOCAL) && em_counts_by(x, in) != 1)
			em_try(x, "vt_walk_by(rt, %s, &k%d, e%d, %lld, %s)", a, in->a[0], in->a[0],
				(long long)em_counts_by(x, in), em_made(x, in->d));
		else if (vc_pass_on(x->e->c, LOCAL))
			em_try(x, "vt_walk_%s(rt, %s, &k%d, e%d, %s)", x->raw ? "on" : "next", a,
				in->a[0], in->a[0], em_made(x, in->d));
		else
			em_try(x, "vt_iter_next(rt, %s, %s)", a, em_made(x, in->d));
		vt_buf_printf(
			x->b, "\tif (t%d == VT_UNDEF) goto %s;\n", in->d, em_target(x, in->label));
		break;
	case IR_EACH:
		vt_buf_printf(x->b, "\tif (!vt_each(%s, &k%d, &t%d)) goto %s;\n", a, in->a[0],
			in->d, em_target(x, in->label));
		if (x->ever[in->d] & HELD)
			vt_buf_printf(x->b, "\tvt_retain(t%d);\n", in->d);
		break;
	case IR_MORE:
		em_try(x, "vt_more(rt, %s, &k%d, %s)", a, in->a[0], em_made(x, in->d));
		vt_buf_printf(
			x->b, "\tif (t%d == VT_UNDEF) goto %s;\n", in->d, em_target(x, in->label));
		break;
	case IR_PARENT: emit_parent(x, in); break;
	case IR_TURNS: em_try(x, "vt_let_others(rt, %d)", (int)in->i[0]); break;
	case IR_PIPE: emit_pipe(x, in); break;
	case IR_COUNT: em_try(x, "vt_repeat_count(rt, %s, %s)", a, em_made(x, in->d)); break;
	case IR_LOOP:
		vt_buf_printf(x->b,
			"\tif (vt_toint(%s) <= 0) goto %s;\n\t%s = vt_mkint(vt_toint(%s) - 1);\n",
			a, em_target(x, in->label), a, a);
		break;
	case IR_RET:
		em_give(x, in->a[0], "*out = %s;");
		em_leave(x, "VT_OK", in->a[0]);
		break;
	case IR_EXIT: em_leave(x, in->i[0] == VT_BREAK ? "VT_BREAK" : "VT_CONTINUE", -1); break;
	case IR_EXITRET:
		em_give(x, in->a[0], "vt_stash_return(rt, %s);");
		em_leave(x, "VT_RETURN", in->a[0]);
		break;
	case IR_ONSTATUS:
		vt_buf_printf(
			x->b, "\tif (st == %d) goto %s;\n", (int)in->i[0], em_target(x, in->label));
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
		vt_buf_printf(x->b, "\tst = vt_refuse%s(rt, %s, %s, %s%s); goto %s;\n",
			in->site->seen ? "_as" : "", x->sc, em_site(x->e, in->site), em_as(x, in),
			in->site->receiver ? in->site->receiver : a, em_handler_label(x));
		break;
	case IR_BADLHS:
		vt_buf_puts(x->b, "\tst = vt_bad_lhs(rt, ");
		ct_text(x->b, in->name);
		vt_buf_printf(x->b, "); goto %s;\n", em_handler_label(x));
		break;
	case IR_BADTHIS:
		vt_buf_printf(x->b, "\tst = vt_bad_this(rt, %s); goto %s;\n",
			em_str_ref(x->e, in->name), em_handler_label(x));
		break;
	case IR_NOLOOP:
		vt_buf_printf(x->b, "\tst = vt_no_loop(rt, %s); goto %s;\n",
			ct_literal(x->e->c, in->name), em_handler_label(x));
		break;
	case IR_CAUGHT:
		vt_buf_printf(x->b, "\tif ((st = vt_caught(rt, %s)) != VT_OK) goto fail;\n",
			em_made(x, in->d));
		em_taken(x);
		break;
	case IR_FORGET: em_try(x, "vt_forget(rt)"); break;
	case IR_EXCMATCH:
		vt_buf_printf(x->b, "\tt%d = vt_mkbool(vt_exc_matches(rt, %s, %u, %s));\n", in->d,
			a, in->nnames, em_names_table(x, in));
		break;
	case IR_EXCOBJ: em_try(x, "vt_exc_object(rt, %s, %s)", a, em_made(x, in->d)); break;
	case IR_RERAISE:
		vt_buf_printf(
			x->b, "\tst = vt_reraise(rt, %s); goto %s;\n", a, em_handler_label(x));
		break;
	case IR_NORETHROW:
		vt_buf_printf(
			x->b, "\tst = vt_rethrow_outside(rt); goto %s;\n", em_handler_label(x));
		break;
	case IR_THROW:
		vt_buf_printf(x->b, "\tst = vt_throw(rt, %s, IC(%u), %s, %s, %s, %s); goto %s;\n",
			u, x->e->nics++, a, em_temp(x, in->a[1]), em_temp(x, in->a[2]),
			em_temp(x, in->a[3]), em_handler_label(x));
		break;
	}
}

uint32_t
em_step_row(em *e, const ir_ins *in)
{
	vt_buf *t = &e->steps;

	vt_buf_printf(
		t, "\t{%u, %u, %u, ", (uint32_t)in->i[0], (uint32_t)in->i[1], (uint32_t)in->k.i);
	ct_text(t, in->name);
	vt_buf_puts(t, "},\n");
	return e->nsteps++;
}

static void
emit_step(fn *x, const ir_ins *in)
{
	vt_buf_printf(x->b, "\tvt_stepped(rt, %s, %u);\n", x->e->unit, em_step_row(x->e, in));
}

static void
emit_show(fn *x, const ir_ins *in)
{
	if (x->e->nsteps == 0) /* in IR that somebody wrote */
		return;
	vt_buf_printf(x->b, "\tvt_shown(rt, %s, %u, ", x->e->unit, x->e->nsteps - 1);
	ct_text(x->b, in->name);
	vt_buf_printf(x->b, ", %s);\n", em_temp(x, in->a[0]));
}

/* Places and bookkeeping. */
static void
emit_mark(fn *x, const ir_ins *in)
{
	switch (in->op) {
	case IR_LABEL:
		x->placed[in->label] = em_loop_head(x->f, (uint32_t)(in - x->f->ins));
		if (x->jumped[in->label])
			vt_buf_printf(x->b, "L%d:;\n", in->label);
		em_loops_label(x, in->label);
		break;
	case IR_FREE: em_free_range(x, in->i[0], in->i[1]); break;
	case IR_POS: emit_pos(x, in); break;
	case IR_STEP: emit_step(x, in); break;
	case IR_SHOW: emit_show(x, in); break;
	case IR_HANDLER: break; /* the caller has noted it */
	}
}

/* One op. What it defines and frees is noted by the caller. */
/* What is only asked for its truth becomes a bool. */
static void
emit_asked(fn *x, const ir_ins *in)
{
	enum em_asked asked = em_flow_asked(x->flow, (uint32_t)(in - x->f->ins));

	if (asked == EM_ASKED_NOT)
		return;
	vc_pass_note(x->e->c, VC_PASS_FLOW, in, "only asked for its truth");
	if (x->b->p[x->b->n - 1] == '\n')
		x->b->p[x->b->n - 1] = ' '; /* no line of its own */
	vt_buf_printf(x->b, "if (!vt_is_bool(t%d)) VT_ASK(t%d, %s, %s);\n", in->d, in->d,
		asked == EM_ASKED_FINAL ? x->e->unit : "NULL", em_handler_label(x));
}

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
	case IR_G_CALL: (in->op == IR_CONTEXT ? em_op_context : em_op_call)(x, in); break;
	case IR_G_TARGET: em_op_put(x, in); break;
	case IR_G_PARALLEL: em_op_parallel(x, in); break;
	case IR_G_CONTRACT: em_op_contract(x, in); break;
	case IR_G_SERVICE: /* tosca/emit_code.c */
		vc_report(x->e->c, VC_E0901, (vc_span){0},
			"a function of TOSCA outside of a service: %s", in->name);
		break;
	}
	em_update_end(x, in);
	emit_asked(x, in);
}
