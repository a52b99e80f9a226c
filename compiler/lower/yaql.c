/* yaql.c - YAQL expressions to IR; call.c has the calls. */
#include "compiler/lower/int.h"
#include "runtime/call/call.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "compiler/lower/lower.h"

#include <string.h>

ir_const
lw_string(const char *s, uint32_t n)
{
	return (ir_const){.kind = IK_STR, .s = s, .n = n};
}

/* Decimal digits to a constant: 63 bits are immediate, more stay text. */
ir_const
lw_number(lw *l, const yq_node *e)
{
	ir_const k = {.kind = IK_INT};
	uint64_t v = 0;

	if (e->is_float) {
		k.kind = IK_FLOAT;
		vt_float_parse(e->text, e->ntext, &k.f);
		return k;
	}
	for (uint32_t i = 0; i < e->ntext; i++) {
		unsigned d = (unsigned char)e->text[i] - '0';
		if (v > ((uint64_t)VT_INT_MAX - d) / 10)
			return (ir_const){.kind = IK_BIG,
				.s = vc_strndup(l->c, e->text, e->ntext),
				.n = e->ntext};
		v = v * 10 + d;
	}
	k.i = (int64_t)v;
	return k;
}

bool
lw_is_word(const yq_node *e, const char *s)
{
	return strcmp(e->text, s) == 0;
}

/* ---- operators ---- */

static int32_t
lower_and_or(lw *l, const yq_node *e, enum ir_op leave)
{
	int32_t d = lw_temp(l), end = lw_label(l);

	lw_copy_into(l, d, lw_expr(l, e->kid[0]));
	lw_jump_if(l, leave, d, end);
	lw_copy_into(l, d, lw_expr(l, e->kid[1]));
	lw_place(l, end);
	return d;
}

/* The ops of `+` one behind the other, where the operands can be evaluated before them: -1 if not.
 * See emit/concat.c. */
static int32_t lower_texts(lw *, const yq_node *);

static int32_t
lower_arith(lw *l, const yq_node *e, enum ir_op op)
{
	uint8_t how[2];
	char *name = vc_format(l->c, "#operator_%s", e->text);
	int32_t a, b, d;
	ir_ins *in;
	ir_site *site;

	lw_classify(l, name, false, e->kid, 2, how);
	if (how[0] == LW_UNKNOWN)
		return lw_call(l, name, -1, e->kid, 2, e);
	if (op == IR_ADD && (d = lower_texts(l, e)) >= 0)
		return d;
	site = lw_new_site(l, name, false, 2, e);
	site->args[0] = (ir_arg){.kind = lw_arg_kind(e->kid[0]), .k = lw_const_of(l, e->kid[0])};
	site->args[1] = (ir_arg){.kind = lw_arg_kind(e->kid[1]), .k = lw_const_of(l, e->kid[1])};
	a = lw_expr(l, e->kid[0]);
	b = lw_expr(l, e->kid[1]);
	d = lw_op2(l, op, a, b);
	in = &l->f->ins[l->f->n - 1];
	in->site = site;
	return d;
}

bool
lw_reads_variable(const yq_node *e, const char *name)
{
	if (e->kind == YQ_VAR && strcmp(e->text, name) == 0)
		return true;
	for (uint32_t i = 0; i < e->n; i++)
		if (lw_reads_variable(e->kid[i], name))
			return true;
	return false;
}

/* The same, but for what is only read out of it: the value of the variable is no part of that. */
static bool
hands_on_variable(const yq_node *e, const char *name)
{
	bool reads = e->kind == YQ_INDEX || (e->kind == YQ_BINARY && lw_is_word(e, "."));

	if (e->kind == YQ_VAR && strcmp(e->text, name) == 0)
		return true;
	for (uint32_t i = 0; i < e->n; i++) {
		const yq_node *k = e->kid[i];
		if ((i > 0 || !reads || k->kind != YQ_VAR) && hands_on_variable(k, name))
			return true;
	}
	return false;
}

/* Does it come to a value whatever happens, and is nothing done by it that can be seen? Then it may
 * as well be evaluated before what stands in front of it. */
static bool
is_quiet(lw *l, const yq_node *e)
{
	if (e->kind == YQ_CALL && e->n == 1 && lw_is_word(e, "str"))
		e = e->kid[0];
	return e->kind == YQ_STRING || e->kind == YQ_KEYWORD || e->kind == YQ_NUMBER ||
	       (e->kind == YQ_VAR && lw_variable(l, e->text) >= 0 && !lw_is_own(l, e->text));
}

/* A literal, or what str() gives. */
static bool
is_text(const yq_node *e)
{
	return e->kind == YQ_STRING || (e->kind == YQ_CALL && e->n == 1 && lw_is_word(e, "str"));
}

/* As long as all operands so far are texts no `+` between them fails, so nobody sees that the
 * operand behind them is evaluated first. */
static bool
may_gather(lw *l, const yq_node *const *of, uint32_t n)
{
	bool texts = is_text(of[0]) && is_text(of[1]), any = is_text(of[0]) || is_text(of[1]);

	for (uint32_t i = 2; i < n; i++) {
		if (!texts && !is_quiet(l, of[i]))
			return false;
		texts = texts && is_text(of[i]);
		any = any || is_text(of[i]);
	}
	return any;
}

static ir_site *
site_of_sum(lw *l, const yq_node *e)
{
	ir_site *site = lw_new_site(l, "#operator_+", false, 2, e);

	for (uint32_t k = 0; k < 2; k++)
		site->args[k] =
			(ir_arg){.kind = lw_arg_kind(e->kid[k]), .k = lw_const_of(l, e->kid[k])};
	return site;
}

static bool
has_text(const yq_node *const *of, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (is_text(of[i]))
			return true;
	return false;
}

/* A sum with operands that are evaluated between, where one is no text yet for sure: the `+` in
 * front of them are made before, unless all so far are texts, which no `+` refuses. */
static int32_t
lower_mixed_texts(lw *l, const yq_node *const *of, const yq_node *const *add, uint32_t n)
{
	int32_t *t = vc_alloc(l->c, (n + 1) * sizeof *t), sum = -1;

	t[0] = lw_expr(l, of[0]);
	for (uint32_t i = 1; i <= n; i++) {
		int32_t *list = vc_alloc(l->c, (i + 2) * sizeof *list);
		ir_ins *in;
		t[i] = lw_expr(l, of[i]);
		list[0] = sum;
		memcpy(list + 1, t, (i + 1) * sizeof *t);
		sum = lw_temp(l);
		in = lw_emit(l, i < n ? IR_ADDON : IR_ADDUP);
		in->d = sum;
		in->list = list;
		in->nlist = i + 2;
		in->site = site_of_sum(l, add[n - i]);
	}
	return sum;
}

static int32_t
lower_texts(lw *l, const yq_node *e)
{
	enum { MOST = VT_SUMMED - 1 };
	const yq_node *add[MOST], *of[MOST + 1];
	int32_t t[MOST + 1], sum;
	uint32_t n = 0;
	uint8_t how[2];

	for (; e->kind == YQ_BINARY && lw_is_word(e, "+") && n < MOST; e = e->kid[0])
		add[n++] = e;
	if (n < 2 || (e->kind == YQ_BINARY && lw_is_word(e, "+")) || lw_metered(l) ||
		l->f->kind != IF_METHOD || !vc_pass_on(l->c, UPDATE))
		return -1;
	of[0] = e;
	for (uint32_t i = 0; i < n; i++) {
		of[i + 1] = add[n - 1 - i]->kid[1];
		lw_classify(l, "#operator_+", false, add[n - 1 - i]->kid, 2, how);
		if (how[0] == LW_UNKNOWN)
			return -1;
	}
	if (!may_gather(l, of, n + 1))
		return has_text(of, n + 1) ? lower_mixed_texts(l, of, add, n) : -1;
	for (uint32_t i = 0; i <= n; i++)
		t[i] = lw_expr(l, of[i]);
	sum = t[0];
	for (uint32_t i = 0; i < n; i++) {
		ir_site *site = site_of_sum(l, add[n - 1 - i]);
		sum = lw_op2(l, IR_ADD, sum, t[i + 1]);
		l->f->ins[l->f->n - 1].site = site;
	}
	return sum;
}

/* The sum of the variable and the temporaries, one after the other, with the sites of `+`. */
static void
add_one_by_one(lw *l, int32_t var, const int32_t *temps, ir_site *const *sites, uint32_t n)
{
	int32_t sum = lw_temp(l);
	ir_ins *in = lw_emit(l, IR_VAR);

	in->d = sum;
	in->var = var;
	for (uint32_t i = 0; i < n; i++) {
		sum = lw_op2(l, IR_ADD, sum, temps[i]);
		l->f->ins[l->f->n - 1].site = sites[i];
	}
	lw_set_variable(l, var, lw_op1(l, IR_FINAL, sum));
}

static void
add_at_end(lw *l, int32_t var, int32_t t, ir_site *site)
{
	ir_ins *in = lw_emit(l, IR_ADDV);

	in->var = var;
	in->a[0] = t;
	in->na = 1;
	in->site = site;
}

/* `$x + a + b..`: texts go to the end of $x one by one, so that a loop which does that is linear;
 * anything else is added as it is written. */
static bool
add_many(lw *l, int32_t var, const char *name, const yq_node *e)
{
	enum { MOST = 12 };
	const yq_node *add[MOST];
	int32_t *temps = vc_alloc(l->c, MOST * sizeof *temps), slow, done;
	ir_site *sites[MOST];
	uint32_t n = 0;
	uint8_t how[2];
	ir_ins *in;

	for (; e->kind == YQ_BINARY && lw_is_word(e, "+") && n < MOST; e = e->kid[0])
		add[n++] = e;
	if (n < 2 || e->kind != YQ_VAR || strcmp(e->text, name) != 0 || !vc_pass_on(l->c, UPDATE) ||
		lw_metered(l) || l->f->kind != IF_METHOD)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const yq_node *b = add[n - 1 - i]->kid[1];
		lw_classify(l, "#operator_+", false, add[n - 1 - i]->kid, 2, how);
		if (how[0] == LW_UNKNOWN || lw_reads_variable(b, name) ||
			(i > 0 && !is_quiet(l, b)))
			return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		const yq_node *x = add[n - 1 - i], *b = x->kid[1];
		sites[i] = lw_new_site(l, "#operator_+", false, 2, x);
		sites[i]->args[0] = (ir_arg){.kind = VT_A_EXPR};
		sites[i]->args[1] = (ir_arg){.kind = lw_arg_kind(b), .k = lw_const_of(l, b)};
		temps[i] = lw_expr(l, b);
	}
	slow = lw_label(l);
	done = lw_label(l);
	in = lw_emit(l, IR_JTEXTS);
	in->var = var;
	in->list = temps;
	in->nlist = n;
	in->label = slow;
	for (uint32_t i = 0; i < n; i++)
		add_at_end(l, var, temps[i], sites[i]);
	lw_jump(l, done);
	lw_place(l, slow);
	add_one_by_one(l, var, temps, sites, n);
	lw_place(l, done);
	return true;
}

bool
lw_add_to_variable(lw *l, int32_t var, const char *name, const yq_node *e)
{
	uint8_t how[2];
	ir_site *site;
	int32_t b;

	if (!l->dynamic && !lw_is_own(l, name) && add_many(l, var, name, e))
		return true;
	if (e->kind != YQ_BINARY || !lw_is_word(e, "+") || e->kid[0]->kind != YQ_VAR ||
		strcmp(e->kid[0]->text, name) != 0 ||
		(e->kid[1]->kind == YQ_LIST ? hands_on_variable(e->kid[1], name)
					    : lw_reads_variable(e->kid[1], name)) ||
		l->dynamic || lw_is_own(l, name))
		return false;
	lw_classify(l, "#operator_+", false, e->kid, 2, how);
	if (how[0] == LW_UNKNOWN)
		return false;
	site = lw_new_site(l, "#operator_+", false, 2, e);
	site->args[0] = (ir_arg){.kind = VT_A_EXPR};
	site->args[1] = (ir_arg){.kind = lw_arg_kind(e->kid[1]), .k = lw_const_of(l, e->kid[1])};
	b = lw_expr(l, e->kid[1]);
	add_at_end(l, var, b, site);
	return true;
}

int32_t
lw_typeref(lw *l, const char *name)
{
	int32_t d = lw_temp(l);
	ir_ins *in = lw_emit(l, IR_TYPEREF);

	in->d = d;
	in->name = name;
	return d;
}

static int32_t
lower_metered_attr(lw *l, int32_t recv, const yq_node *name)
{
	int32_t *temps = vc_alloc(l->c, 2 * sizeof *temps), d = lw_temp(l);
	ir_site *site = lw_new_site(l, "#operator_.", false, 2, name);
	ir_ins *in = lw_emit(l, IR_CALL);

	site->args[0].kind = VT_A_EXPR;
	site->args[1] = (ir_arg){.kind = VT_A_KEYWORD, .k = lw_string(name->text, name->ntext)};
	temps[0] = recv;
	temps[1] = -1;
	in->d = d;
	in->list = temps;
	in->nlist = 2;
	in->site = site;
	return d;
}

static int32_t
lower_member(lw *l, int32_t recv, const yq_node *right)
{
	if (right->kind == YQ_CALL) {
		int32_t d = l->contract && lw_is_contract_name(right->text)
				    ? lw_contract_call(l, right, recv)
			    : lw_is_assert(l, right) ? lw_assert_in_place(l, right, recv)
						     : -1;
		return d >= 0 ? d : lw_call(l, right->text, recv, right->kid, right->n, right);
	}
	if (lw_metered(l))
		return lower_metered_attr(l, recv, right);
	int32_t d = lw_temp(l);
	ir_ins *in = lw_emit(l, IR_ATTR);
	ir_site *site =
		lw_new_site(l, vc_strndup(l->c, right->text, right->ntext), false, 2, right);
	site->args[0].kind = VT_A_EXPR;
	site->args[1] = (ir_arg){.kind = VT_A_KEYWORD, .k = lw_string(right->text, right->ntext)};
	in->d = d;
	in->a[0] = recv;
	in->na = 1;
	in->site = site;
	return d;
}

/* ---- pipelines ---- */

/* What the library makes a lambda of: an expression, or a constant that is not null. */
bool
lw_is_lambda(const yq_node *e)
{
	switch (lw_arg_kind(e)) {
	case VT_A_EXPR:
	case VT_A_CALL:
	case VT_A_BOOL:
	case VT_A_NUMBER:
	case VT_A_STRING: return true;
	}
	return false;
}

/* e.where(..) or e.select(..) of the library with a lambda, and nothing else that the name could
 * mean here? */
static enum ir_stage
stage_of(const lw *l, const yq_node *e)
{
	const yq_node *call;
	enum ir_stage stage = IR_STAGE_NONE;
	uint32_t n;
	const vt_fnrow *rows;

	if (e->kind != YQ_BINARY || !lw_is_word(e, "."))
		return IR_STAGE_NONE;
	call = e->kid[1];
	if (call->kind != YQ_CALL || call->n != 1 || !lw_is_lambda(call->kid[0]) ||
		lw_is_method_name(l, call->text))
		return IR_STAGE_NONE;
	rows = vt_fn_find(call->text, &n);
	for (uint32_t i = 0; rows && i < n; i++) {
		if (!vt_row_is_there(&rows[i], l->unit->layers) || !(rows[i].flags & VT_FN_METHOD))
			continue;
		if (stage != IR_STAGE_NONE)
			return IR_STAGE_NONE;
		stage = strcmp(rows[i].symbol, "vt_lib_where") == 0    ? IR_STAGE_WHERE
			: strcmp(rows[i].symbol, "vt_lib_select") == 0 ? IR_STAGE_SELECT
								       : IR_STAGE_NONE;
		if (stage == IR_STAGE_NONE)
			return IR_STAGE_NONE;
	}
	return stage;
}

static ir_site *
stage_site(lw *l, const yq_node *call)
{
	ir_site *site = lw_new_site(l, call->text, true, 1, call);
	int32_t none;

	lw_fill_arg(l, &site->args[0], call->kid[0], true, LW_LAZY, l->dynamic, &none);
	lw_needs_scope(l);
	return site;
}

/* The calls one by one, for what the pipeline does not take. */
static int32_t
lower_stages(lw *l, int32_t recv, ir_site **sites, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		int32_t d = lw_temp(l);
		ir_ins *in = lw_emit(l, IR_CALLM);
		in->d = d;
		in->a[0] = recv;
		in->na = 1;
		in->list = vc_alloc(l->c, sizeof *in->list);
		in->list[0] = -1;
		in->nlist = 1;
		in->site = sites[i];
		recv = d;
	}
	return recv;
}

/* Stages that programs take are few: compiler/emit/lambda.h. */
enum { STAGES = 3 };

/* The n stages that e ends in, from the source on; there is room for so many in the pipe. */
static void
add_stages(lw *l, const yq_node *e, ir_site **sites, uint32_t n, uint32_t room, ir_ins *pipe)
{
	const yq_node *call = e->kid[1], *of[STAGES];
	uint8_t stage = (uint8_t)stage_of(l, e);
	uint32_t m = 1;

	if (n > 1)
		add_stages(l, e->kid[0], sites, n - 1, room - 1, pipe);
	sites[n - 1] = stage_site(l, call);
	of[0] = call->kid[0];
	if (stage == IR_STAGE_WHERE && room > pipe->nstages + 1)
		m = lw_conditions(l, of[0], room - pipe->nstages, of);
	for (uint32_t i = 0; i < m; i++) {
		ir_func *code = m == 1 ? sites[n - 1]->args[0].code : NULL;
		if (code == NULL) /* a condition of several, or a constant */
			code = lw_code(l, of[i], l->dynamic);
		pipe->fs[pipe->nstages] = code;
		pipe->stages[pipe->nstages++] = stage;
	}
}

/* e ends in a stage: the whole chain of them becomes one iterator. */
static int32_t
lower_pipe(lw *l, const yq_node *e)
{
	int32_t d = lw_temp(l), made = lw_temp(l), calls = lw_label(l), end = lw_label(l), recv;
	const yq_node *x = e;
	ir_site **sites;
	ir_ins *in, pipe = {.nstages = 0};
	uint32_t n = 0, room;

	for (; stage_of(l, x) != IR_STAGE_NONE; x = x->kid[0])
		n++;
	room = n < STAGES ? STAGES : n;
	pipe.stages = vc_alloc(l->c, room * sizeof *pipe.stages);
	pipe.fs = vc_alloc(l->c, room * sizeof *pipe.fs);
	sites = vc_alloc(l->c, n * sizeof *sites);
	recv = lw_expr(l, x);
	add_stages(l, e, sites, n, room, &pipe);
	in = lw_emit(l, IR_PIPE);
	in->d = made;
	in->a[0] = recv;
	in->na = 1;
	in->stages = pipe.stages;
	in->fs = pipe.fs;
	in->nstages = in->nfs = pipe.nstages;
	in->label = calls;
	lw_copy_into(l, d, made);
	lw_jump(l, end);
	lw_place(l, calls);
	lw_copy_into(l, d, lower_stages(l, recv, sites, n));
	lw_place(l, end);
	return d;
}

/* The dot that calls methods belongs to a group. */
static bool
without_methods(const lw *l)
{
	return (l->unit->layers >> (VT_L_LEFT_OUT + VT_G_SYSTEM - 1) & 1) != 0;
}

static int32_t
lower_dot(lw *l, const yq_node *e)
{
	const yq_node *right = e->kid[1];
	bool safe = lw_is_word(e, "?."), first = false, super = lw_is_super_used(l, e, &first);
	int32_t d, end, recv;

	if (without_methods(l))
		return lw_call(l, vc_format(l->c, "#operator_%s", e->text), -1, e->kid, 2, e);
	if (super)
		return lower_member(l, lw_super(l, e->kid[0], first), right);
	if ((d = lw_inline(l, e)) >= 0 || (d = lw_rules(l, e)) >= 0)
		return d;
	if (vc_pass_on(l->c, FUSE) && !lw_metered(l) && stage_of(l, e) != IR_STAGE_NONE)
		return lower_pipe(l, e);

	if (right->kind != YQ_CALL && (right->kind != YQ_KEYWORD || (lw_metered(l) && !safe))) {
		char *name = vc_format(l->c, "#operator_%s", e->text);
		return lw_call(l, name, -1, e->kid, 2, e);
	}
	recv = lw_expr(l, e->kid[0]);
	if (!safe)
		return lower_member(l, recv, right);
	d = lw_temp(l);
	end = lw_label(l);
	lw_copy_into(l, d, recv);
	lw_jump_if(l, IR_JNULL, d, end);
	lw_copy_into(l, d, lower_member(l, recv, right));
	lw_place(l, end);
	return d;
}

int32_t
lw_in_context(lw *l, const yq_node *e, int32_t left)
{
	ir_site *site = lw_new_site(l, "#operator_->", false, 2, e);
	int32_t d;
	ir_func *f;
	ir_ins *in;

	site->args[0].kind = site->args[1].kind = VT_A_EXPR;
	f = lw_code(l, e->kid[1], true);
	lw_needs_scope(l);
	d = lw_temp(l);
	in = lw_emit(l, IR_CONTEXT);
	in->d = d;
	in->a[0] = left;
	in->na = 1;
	in->f = f;
	in->site = site;
	return d;
}

static int32_t
lower_arrow(lw *l, const yq_node *e)
{
	return lw_is_let(l, e) ? lw_let_in_place(l, e) : lw_in_context(l, e, lw_expr(l, e->kid[0]));
}

/* Legacy: 1 => 2 => 3 is one call, for it makes one tuple; (1 => 2) => 3 is two. */
static int32_t
lower_pair(lw *l, const yq_node *e)
{
	const yq_node *x = e;
	yq_node **items;
	uint32_t n = 1;

	while (x->kind == YQ_BINARY && lw_is_word(x, "=>"))
		x = x->kid[0], n++;
	items = vc_alloc(l->c, n * sizeof *items);
	x = e;
	for (uint32_t i = n; i-- > 1; x = x->kid[0])
		items[i] = x->kid[1];
	items[0] = (yq_node *)x;
	return lw_call(l, "#operator_=>", -1, items, n, e);
}

static int32_t
lower_metered_binary(lw *l, const yq_node *e)
{
	const char *name = lw_is_word(e, "=")    ? "*equal"
			   : lw_is_word(e, "!=") ? "*not_equal"
						 : vc_format(l->c, "#operator_%s", e->text);

	if (lw_is_word(e, ".") || lw_is_word(e, "?."))
		return lower_dot(l, e);
	return lw_is_word(e, "=>") ? lower_pair(l, e) : lw_call(l, name, -1, e->kid, 2, e);
}

static int32_t
lower_binary(lw *l, const yq_node *e)
{
	static const struct {
		const char *text;
		enum ir_op op;
	} arith[] = {
		{"+", IR_ADD},
		{"-", IR_SUB},
		{"*", IR_MUL},
		{"/", IR_DIV},
		{"mod", IR_MOD},
		{"<", IR_LT},
		{"<=", IR_LE},
		{">", IR_GT},
		{">=", IR_GE},
	};
	int32_t loop;

	if (e->alias != NULL)
		return lw_call(l, vc_format(l->c, "*%s", e->alias), -1, e->kid, 2, e);
	if (lw_metered(l))
		return lower_metered_binary(l, e);
	for (size_t i = 0; i < VC_LEN(arith); i++)
		if (lw_is_word(e, arith[i].text))
			return lower_arith(l, e, arith[i].op);
	if (lw_is_word(e, ".") || lw_is_word(e, "?."))
		return lower_dot(l, e);
	if (lw_is_word(e, "and"))
		return lower_and_or(l, e, IR_JFALSE);
	if (lw_is_word(e, "or"))
		return lower_and_or(l, e, IR_JTRUE);
	if (lw_is_word(e, "in") && (loop = lw_inline(l, e)) >= 0)
		return loop;
	if (lw_is_word(e, "->"))
		return lower_arrow(l, e);
	if (lw_is_word(e, "=>"))
		return lower_pair(l, e);
	if (lw_is_word(e, "=") || lw_is_word(e, "!=")) {
		int32_t a = lw_expr(l, e->kid[0]);
		return lw_op2(l, lw_is_word(e, "=") ? IR_EQ : IR_NE, a, lw_expr(l, e->kid[1]));
	}
	if (lw_is_word(e, ":") && e->kid[0]->kind == YQ_KEYWORD && e->kid[1]->kind == YQ_KEYWORD)
		return lw_typeref(l, vc_format(l->c, "%s:%s", e->kid[0]->text, e->kid[1]->text));
	return lw_call(l, vc_format(l->c, "#operator_%s", e->text), -1, e->kid, 2, e);
}

static int32_t
lower_unary(lw *l, const yq_node *e)
{
	const yq_node *x = e->kid[0];

	if (e->alias != NULL)
		return lw_call(l, vc_format(l->c, "*%s", e->alias), -1, e->kid, 1, e);
	if (lw_is_word(e, "not") && !lw_metered(l))
		return lw_op1(l, IR_NOT, lw_expr(l, x));
	if (lw_is_word(e, ":") && x->kind == YQ_KEYWORD)
		return lw_typeref(l, vc_format(l->c, ":%s", x->text));
	if (lw_is_word(e, "-") && x->kind == YQ_NUMBER && !lw_metered(l)) {
		ir_const k = lw_number(l, x);
		if (k.kind == IK_INT)
			k.i = -k.i;
		else if (k.kind == IK_FLOAT)
			k.f = -k.f;
		else
			k.s = vc_format(l->c, "-%s", k.s), k.n++;
		return lw_const(l, k);
	}
	return lw_call(l, vc_format(l->c, "#unary_operator_%s", e->text), -1, e->kid, 1, e);
}

/* ---- variables and collections ---- */

static int32_t
lower_arg_ref(lw *l, int64_t n)
{
	enum ir_op op = IR_ARG;
	int32_t d;

	if (n == 1 && l->f->kind == IF_METHOD)
		op = IR_SELF;
	else if (n == 1 && l->f->kind == IF_CONTRACT)
		op = IR_INPUT;
	else if (l->f->kind != IF_CODE)
		return lw_const(l, (ir_const){.kind = IK_NULL});
	d = lw_temp(l);
	ir_ins *in = lw_emit(l, op);
	in->d = d;
	if (op == IR_ARG)
		in->i[0] = n;
	return d;
}

static int32_t
lower_metered_var(lw *l, const yq_node *e)
{
	yq_node *name = vc_alloc(l->c, sizeof *name);

	*name = *e;
	name->kind = YQ_STRING;
	return lw_call(l, "#get_context_data", -1, &name, 1, e);
}

static int32_t
lower_var(lw *l, const yq_node *e)
{
	const char *s = e->text;
	const lw_let *let;
	int32_t d, v;
	int64_t n = 0;
	ir_ins *in;

	if (lw_metered(l))
		return lower_metered_var(l, e);
	for (uint32_t i = 0; i < e->ntext; i++)
		n = s[i] >= '0' && s[i] <= '9' && n >= 0 && n < 100000 ? n * 10 + (s[i] - '0') : -1;
	if (e->ntext == 0)
		n = 1;
	let = l->dynamic ? NULL
			 : lw_let_of(l, s,
				   n > 0 && l->f->kind == IF_METHOD ? n
				   : n > 0                          ? -1
								    : 0);
	if (let && let->var < 0)
		return let->temp;
	if (n > 0)
		return lower_arg_ref(l, n);
	if (l->cls && strcmp(s, "this") == 0)
		return d = lw_temp(l), lw_emit(l, IR_SELF)->d = d, d;
	v = let ? let->var : l->dynamic || lw_is_own(l, s) ? -1 : lw_variable(l, s);
	if (v < 0 && !l->dynamic && l->cls && l->f->kind == IF_METHOD)
		return lw_const(l, (ir_const){.kind = IK_NULL});
	if (v < 0 && l->f->kind == IF_CONTRACT)
		lw_needs_scope(l);
	d = lw_temp(l);
	in = lw_emit(l, v >= 0 ? IR_VAR : IR_DYN);
	in->d = d;
	if (v >= 0)
		in->var = v;
	else
		in->name = s;
	return d;
}

/* Lists and dicts, of keys and values that are lowered like this. */
static int32_t
lower_items(lw *l, enum ir_op op, yq_node *const *kid, uint32_t n,
	int32_t (*lower)(lw *, const yq_node *))
{
	uint32_t per = op == IR_MAP ? 2 : 1;
	int32_t *temps = vc_alloc(l->c, sizeof *temps * (n * per + 1)), d;
	ir_ins *in;

	for (uint32_t i = 0; i < n; i++)
		if (op == IR_MAP) {
			temps[2 * i] = lw_expr(l, kid[i]->kid[0]);
			temps[2 * i + 1] = lower(l, kid[i]->kid[1]);
		} else
			temps[i] = lower(l, kid[i]);
	d = lw_temp(l);
	in = lw_emit(l, op);
	in->d = d;
	in->list = temps;
	in->nlist = n * per;
	return d;
}

static bool
all_of(yq_node *const *kid, uint32_t n, bool mapping)
{
	for (uint32_t i = 0; i < n; i++)
		if ((kid[i]->kind == YQ_MAPPING) != mapping)
			return false;
	return true;
}

static int32_t
lower_function(lw *l, const yq_node *e)
{
	int32_t d = l->lets ? lw_let_call(l, e->text, e->kid, e->n) : -1;

	if (d < 0)
		d = lw_inline(l, e);
	return d >= 0 ? d : lw_call(l, e->text, -1, e->kid, e->n, e);
}

/* A list or dict display of values; -1: it is none. */
static int32_t
lower_display(lw *l, const yq_node *e, int32_t (*lower)(lw *, const yq_node *))
{
	bool map = e->kind == YQ_MAP;

	if (lw_metered(l) || (e->kind != YQ_LIST && !map) || !all_of(e->kid, e->n, map))
		return -1;
	return lower_items(l, map ? IR_MAP : IR_LIST, e->kid, e->n, lower);
}

int32_t
lw_closed_expr(lw *l, const yq_node *e)
{
	int32_t d;

	e = yq_unwrap(e);
	d = lower_display(l, e, lw_closed_expr);
	if (d < 0)
		d = lw_inline_part(l, e);
	return d >= 0 ? d : lw_expr(l, e);
}

int32_t
lw_expr(lw *l, const yq_node *e)
{
	int32_t part;

	switch ((enum yq_kind)e->kind) {
	case YQ_NULL:
	case YQ_TRUE:
	case YQ_FALSE:
	case YQ_NUMBER:
	case YQ_STRING:
	case YQ_KEYWORD:
	case YQ_EMPTY: return lw_const(l, lw_const_of(l, e));
	case YQ_VAR: return lower_var(l, e);
	case YQ_CALL: return lower_function(l, e);
	case YQ_INVOKE: return lw_call(l, "#call", -1, e->kid, e->n, e);
	case YQ_BINARY: return lower_binary(l, e);
	case YQ_UNARY: return lower_unary(l, e);
	case YQ_INDEX:
		part = lw_part_of(l, e);
		return part >= 0 ? part : lw_call(l, "#indexer", -1, e->kid, e->n, e);
	case YQ_LIST:
		part = lower_display(l, e, lw_expr);
		return part >= 0 ? part : lw_call(l, "#list", -1, e->kid, e->n, e);
	case YQ_MAP:
		part = lower_display(l, e, lw_expr);
		return part >= 0 ? part : lw_call(l, "#map", -1, e->kid, e->n, e);
	case YQ_WRAP: return lw_expr(l, e->kid[0]);
	case YQ_MAPPING:
	case YQ_ERROR: return lw_call(l, "#operator_=>", -1, e->kid, e->n, e);
	}
	return -1;
}

/* ---- code ---- */

/* A nested body that runs in the scope it is given. */
ir_func *
lw_code(lw *l, const yq_node *e, bool dynamic)
{
	lw in = *l;

	in.f = lw_func(l, IF_CODE, NULL);
	in.f->base = l->base ? l->base : l->f->kind != IF_CODE ? l->f : NULL;
	in.base = in.f->base;
	in.f->leaf = true;
	in.dynamic = dynamic || l->dynamic;
	in.floor = in.next = 0;
	in.handler = -1;
	in.late = NULL;
	in.exit = NULL;
	in.f->source = vc_strndup(l->c, l->text + e->from, e->to - e->from);
	in.f->line = l->line;
	in.f->col = l->col;
	if (l->node && l->node->span.src)
		vc_place(l->node->span.src, yn_offset(l->node, e->from), &in.f->line, &in.f->col);
	else if (l->lone)
		vc_place(l->lone, e->from, &in.f->line, &in.f->col);
	lw_end(&in, lw_expr(&in, e));
	return in.f;
}

int32_t
lw_expr_node(lw *l, const ynode *n)
{
	lw saved = *l;
	int32_t t;

	l->node = n;
	l->text = n->text;
	l->ntext = n->ntext;
	t = lw_is_super(l, n->expr) ? lw_super(l, n->expr, false) : lw_inline_value(l, n->expr);
	if (t < 0)
		t = lw_closed_expr(l, n->expr);
	l->node = saved.node;
	l->text = saved.text;
	l->ntext = saved.ntext;
	return t;
}

ir_func *
lw_code_of_value(lw *l, const ynode *v, const char *suffix)
{
	lw in = *l;

	(void)suffix;
	in.f = lw_func(l, IF_CODE, NULL);
	in.base = NULL;
	in.contract = false;
	in.floor = in.next = 0;
	in.handler = -1;
	in.late = NULL;
	in.exit = NULL;
	in.f->source = v->kind == YN_SCALAR ? vc_strndup(l->c, v->text, v->ntext) : NULL;
	vc_place(v->span.src, v->span.from, &in.f->line, &in.f->col);
	in.line = in.f->line;
	in.col = in.f->col;
	in.f->leaf = true;
	lw_end(&in, lw_value(&in, v));
	return in.f;
}

/* ---- a lone expression ---- */

ir_module *
vc_lower_query(vc *c, const yq_node *e, const char *text, size_t n, const vc_query_opts *o)
{
	ir_module *m = vc_alloc(c, sizeof *m);
	ir_unit *u = vc_alloc(c, sizeof *u);
	uint32_t serial = 0;
	lw l = {.c = c,
		.m = m,
		.unit = u,
		.serial = &serial,
		.dynamic = true,
		.handler = -1,
		.text = text,
		.ntext = n,
		.lone = vc_source_new(c, "<expression>", text, n),
		.line = 1,
		.col = 1};

	c->passes_off = o->passes_off;
	*u = (ir_unit){.file = o->file ? o->file : "<expression>",
		.layers = o->layers,
		.version = 102,
		.opt = o->opt};
	vc_push(c, m->units, m->nunits) = u;
	l.f = vc_alloc(c, sizeof *l.f);
	*l.f = (ir_func){.kind = IF_CODE,
		.name = "query",
		.unit = u,
		.source = vc_strndup(c, text, n),
		.line = 1,
		.col = 1};
	lw_end(&l, lw_expr(&l, e));
	m->query = l.f;
	return m;
}
