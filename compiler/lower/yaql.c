/*
 * yaql.c - YAQL expressions to IR.
 *
 * What an expression means depends on overloads, so the registry is asked at compile time: where
 * all overloads that can apply agree that an argument is eager it is evaluated in place and handed
 * over as a value; where they agree that it is lazy, or where nothing is known, it becomes code and
 * the runtime decides (yaql.md 3.1).
 */
#include "compiler/lower/lower.h"
#include "runtime/call/call.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"

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

static bool
is_word(const yq_node *e, const char *s)
{
	return strcmp(e->text, s) == 0;
}

/* ---- candidates ------------------------------------------------------------------------------ */

enum how { HOW_EAGER, HOW_LAZY, HOW_UNKNOWN };

/* How an argument is written, as overload resolution sees it. */
static uint8_t
arg_kind(const yq_node *e)
{
	switch ((enum yq_kind)e->kind) {
	case YQ_NULL: return VT_A_NULL;
	case YQ_TRUE:
	case YQ_FALSE: return VT_A_BOOL;
	case YQ_NUMBER: return VT_A_NUMBER;
	case YQ_STRING: return VT_A_STRING;
	case YQ_KEYWORD: return VT_A_KEYWORD;
	case YQ_MAPPING: return VT_A_MAPPING;
	case YQ_EMPTY: return VT_A_NOVALUE;
	case YQ_CALL: return VT_A_CALL;
	case YQ_VAR:
	case YQ_INVOKE:
	case YQ_BINARY:
	case YQ_UNARY:
	case YQ_INDEX:
	case YQ_LIST:
	case YQ_MAP:
	case YQ_WRAP:
	case YQ_ERROR: return VT_A_EXPR;
	}
	return VT_A_EXPR;
}

/* Can a constant of this kind be passed where the type stands? Errs on the side of yes. */
static bool
constant_fits(uint8_t kind, const vt_fnparam *p)
{
	switch ((enum vt_type)p->type) {
	case VT_T_NUMBER:
	case VT_T_INT:
	case VT_T_INTEGER:
		return kind == VT_A_NUMBER || (kind == VT_A_BOOL && p->type == VT_T_INT) ||
		       (kind == VT_A_NULL && p->nullable);
	case VT_T_STR:
		return kind == VT_A_STRING || kind == VT_A_KEYWORD ||
		       (kind == VT_A_NULL && p->nullable);
	case VT_T_ITERABLE:
	case VT_T_ITERATOR:
	case VT_T_SEQUENCE:
	case VT_T_MAPPING:
	case VT_T_SET:
	case VT_T_DATETIME:
	case VT_T_TIMESPAN:
	case VT_T_REGEX:
	case VT_T_ORDERING:
	case VT_T_TUPLE:
	case VT_T_CONTEXT: return kind == VT_A_NULL && p->nullable;
	case VT_T_NULL: return kind == VT_A_NULL;
	case VT_T_KEYWORD: return kind == VT_A_KEYWORD;
	case VT_T_RULE:
	case VT_T_RULE_LAZY: return false;
	case VT_T_ANY:
	case VT_T_BOOL:
	case VT_T_CALLABLE:
	case VT_T_LAMBDA:
	case VT_T_LAMBDA_CTX:
	case VT_T_LAMBDA_METHOD:
	case VT_T_LAMBDA_CTX_METHOD:
	case VT_T_EXPR:
	case VT_T_STRING_CONST:
	case VT_T_OBJECT:
	case VT_T_TYPE:
	case VT_T_TYPEREF:
	case VT_T_NOT_OBJECT:
	case VT_T_REFLECT_TYPE:
	case VT_T_REFLECT_METHOD:
	case VT_T_REFLECT_PROPERTY:
	case VT_T_REFLECT_ARGUMENT:
	case VT_T_REFLECT_PACKAGE:
	case VT_T_REFLECT_VERSION:
	case VT_T_HOST:
	case VT_T_CONST:
	case VT_T_BOOL_CONST:
	case VT_T_NUMBER_CONST:
	case VT_T_MIXED:
	case VT_T_COUNT: return true;
	}
	return true;
}

static bool
is_lazy_type(uint8_t t)
{
	return t == VT_T_LAMBDA || t == VT_T_LAMBDA_CTX || t == VT_T_LAMBDA_METHOD ||
	       t == VT_T_LAMBDA_CTX_METHOD || t == VT_T_EXPR || t == VT_T_RULE_LAZY;
}

/* The parameter a positional argument or a keyword binds to; NULL when the row has none. */
static const vt_fnparam *
bind_param(const vt_fnrow *row, uint32_t pos, const char *keyword)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < row->nparams; i++) {
		const vt_fnparam *p = &row->params[i];
		if (keyword && ((p->kind == 0 && strcmp(p->name, keyword) == 0) || p->kind == 2))
			return p;
		if (!keyword && (p->kind == 1 || (p->kind == 0 && n++ == pos)))
			return p;
	}
	return NULL;
}

static const char *
keyword_of(const yq_node *arg, bool no_kwargs)
{
	return arg->kind == YQ_MAPPING && !no_kwargs && arg->kid[0]->kind == YQ_KEYWORD
		       ? arg->kid[0]->text
		       : NULL;
}

/* Does the row accept these arguments as far as can be told? Notes how each is taken. */
static bool
row_fits(const vt_fnrow *row, bool method, yq_node *const *args, uint32_t n, uint8_t *how)
{
	uint32_t shift = method, required = 0, given = 0;
	bool no_kwargs = row->flags & VT_FN_NO_KWARGS;

	for (uint32_t i = 0; i < n; i++) {
		const char *kw = keyword_of(args[i], no_kwargs);
		const vt_fnparam *p = bind_param(row, i + shift, kw);
		const yq_node *v = kw ? args[i]->kid[1] : args[i];
		uint8_t kind = arg_kind(v);

		if (p == NULL)
			return false;
		if (kind == VT_A_MAPPING && p->type != VT_T_RULE && p->type != VT_T_RULE_LAZY)
			return false;
		if (kind < VT_A_MAPPING && kind != VT_A_EXPR && !constant_fits(kind, p))
			return false;
		if (kind == VT_A_EXPR && (p->type == VT_T_KEYWORD || p->type == VT_T_RULE ||
						 p->type == VT_T_RULE_LAZY))
			return false;
		how[i] = is_lazy_type(p->type) ? HOW_LAZY : HOW_EAGER;
		given += p->kind == 0;
	}
	for (uint32_t i = shift; i < row->nparams; i++)
		required += row->params[i].kind == 0 && !row->params[i].has_default;
	return given >= required;
}

/*
 * Asks the registry how the arguments are taken.  All are HOW_UNKNOWN when no overload can apply
 * (the runtime raises the right error) or when those that can disagree.
 */
static void
classify(lw *l, const char *name, bool method, yq_node *const *args, uint32_t n, uint8_t *how)
{
	uint32_t nrows, fits = 0;
	const vt_fnrow *rows = vt_fn_find(name, &nrows);
	uint8_t mine[64];
	bool exclusive = false, unknown = n > VT_LEN(mine);
	bool classes = method && lw_is_method_name(l, name);

	memset(how, HOW_EAGER, n);
	for (uint32_t i = 0; rows && i < nrows; i++)
		exclusive |= (rows[i].flags & VT_FN_EXCLUSIVE) && (rows[i].layer & l->unit->layers);
	for (uint32_t i = 0; rows && i < nrows && !unknown; i++) {
		if (!(rows[i].layer & l->unit->layers) ||
			!(rows[i].flags & (method ? VT_FN_METHOD : VT_FN_FUNCTION)))
			continue;
		if (exclusive && rows[i].layer == VT_L_STD)
			continue;
		memset(mine, HOW_EAGER, sizeof mine);
		if (!row_fits(&rows[i], method, args, n, mine))
			continue;
		for (uint32_t k = 0; k < n; k++) {
			unknown |= fits > 0 && how[k] != mine[k];
			unknown |= classes && mine[k] == HOW_LAZY;
			how[k] = mine[k];
		}
		fits++;
	}
	if (unknown || (fits == 0 && !classes))
		memset(how, HOW_UNKNOWN, n);
}

/* May the function keep the scope of its call, so that it must be on the heap? Who knows what one
 * does that only the run will find. */
static bool
keeps_scope(const char *name, bool method)
{
	uint32_t n;
	const vt_fnrow *rows = vt_fn_find(name, &n);

	for (uint32_t i = 0; rows && i < n; i++)
		if (rows[i].flags & VT_FN_CONTEXT)
			return true;
	return rows == NULL && !method;
}

static void
needs_scope(lw *l)
{
	l->f->leaf = false;
	if (l->base)
		l->base->boxed = true;
	if (l->f->kind != IF_CODE)
		l->f->boxed = true;
}

/* ---- calls ------------------------------------------------------------------------------- */

static ir_const
const_of(lw *l, const yq_node *e)
{
	switch ((enum yq_kind)e->kind) {
	case YQ_TRUE: return (ir_const){.kind = IK_TRUE};
	case YQ_FALSE: return (ir_const){.kind = IK_FALSE};
	case YQ_NUMBER: return lw_number(l, e);
	case YQ_STRING:
	case YQ_KEYWORD: return lw_string(e->text, e->ntext);
	case YQ_EMPTY: return (ir_const){.kind = IK_NOVALUE};
	case YQ_NULL:
	case YQ_VAR:
	case YQ_CALL:
	case YQ_INVOKE:
	case YQ_BINARY:
	case YQ_UNARY:
	case YQ_INDEX:
	case YQ_LIST:
	case YQ_MAP:
	case YQ_MAPPING:
	case YQ_WRAP:
	case YQ_ERROR: return (ir_const){.kind = IK_NULL};
	}
	return (ir_const){.kind = IK_NULL};
}

static ir_site *
new_site(lw *l, const char *name, bool method, uint32_t n, const yq_node *at)
{
	ir_site *s = vc_alloc(l->c, sizeof *s);

	s->name = name;
	s->method = method;
	s->args = vc_alloc(l->c, sizeof *s->args * (n + 1));
	s->nargs = n;
	s->line = l->line;
	s->col = l->col;
	if (l->node && l->node->span.src)
		vc_place(l->node->span.src, yn_offset(l->node, at->op_at), &s->line, &s->col);
	else if (l->lone)
		vc_place(l->lone, at->op_at, &s->line, &s->col);
	return s;
}

static void fill_arg(
	lw *, ir_arg *, const yq_node *, bool as_keyword, uint8_t how, bool dynamic, int32_t *temp);

static void
fill_mapping(lw *l, ir_arg *a, const yq_node *e, bool as_keyword, uint8_t how, bool dynamic,
	int32_t *temp)
{
	int32_t unused;

	a->key = vc_alloc(l->c, sizeof *a->key);
	fill_arg(l, a->key, e->kid[0], false, HOW_LAZY, dynamic, &unused);
	if (as_keyword && e->kid[0]->kind == YQ_KEYWORD) {
		ir_arg *key = a->key;
		fill_arg(l, a, e->kid[1], false, how, dynamic, temp);
		a->key = key;
		a->keyword = e->kid[0]->text;
		return;
	}
	a->kind = VT_A_MAPPING;
	a->code = lw_code(l, e->kid[1], dynamic);
}

/* Describes an argument and, when it is eager and no constant, evaluates it into *temp. */
static void
fill_arg(lw *l, ir_arg *a, const yq_node *e, bool as_keyword, uint8_t how, bool dynamic,
	int32_t *temp)
{
	*temp = -1;
	a->kind = arg_kind(e);
	a->k = const_of(l, e);
	if (a->kind == VT_A_MAPPING) {
		fill_mapping(l, a, e, as_keyword, how, dynamic, temp);
		return;
	}
	if (a->k.kind == IK_BIG && how != HOW_EAGER)
		a->kind = VT_A_EXPR, a->code = lw_code(l, e, dynamic);
	else if (a->k.kind == IK_BIG)
		*temp = lw_expr(l, e);
	if (a->kind != VT_A_EXPR && a->kind != VT_A_CALL)
		return;
	if (how == HOW_EAGER)
		*temp = lw_expr(l, e);
	else if (a->code == NULL)
		a->code = lw_code(l, e, dynamic);
}

/* $N, or a member of it? */
static bool
reads_only(const yq_node *e, const char *n)
{
	if (e->kind == YQ_BINARY && is_word(e, ".") && e->kid[1]->kind == YQ_KEYWORD)
		e = e->kid[0];
	return e->kind == YQ_VAR && is_word(e, n);
}

/* The predicate of join() as an equation whose sides can be evaluated apart. */
static void
split_equation(lw *l, ir_func *f, const yq_node *e, bool dynamic)
{
	const yq_node *a, *b;

	if (f == NULL || !vc_pass_on(l->c, JOINS) || e->kind != YQ_BINARY || !is_word(e, "="))
		return;
	a = e->kid[0];
	b = e->kid[1];
	if (reads_only(a, "2")) {
		a = e->kid[1];
		b = e->kid[0];
	}
	if (!reads_only(a, "1") || !reads_only(b, "2"))
		return;
	f->sides[0] = lw_code(l, a, dynamic);
	f->sides[1] = lw_code(l, b, dynamic);
}

/* f(x => 1, x => 2): the last one counts, and the others are not evaluated. */
static bool
given_again(yq_node *const *args, uint32_t n, uint32_t i)
{
	const char *name = keyword_of(args[i], false);

	for (uint32_t k = i + 1; name && k < n; k++)
		if (keyword_of(args[k], false) && strcmp(keyword_of(args[k], false), name) == 0)
			return true;
	return false;
}

static void
fill_args(lw *l, const char *name, ir_site *site, yq_node *const *args, uint32_t n, uint8_t *how,
	int32_t *temps)
{
	/* Code under def() and lambda() is called with keyword variables nobody knows here. */
	bool open = strcmp(name, "def") == 0 || strcmp(name, "lambda") == 0;

	for (uint32_t i = 0; i < n; i++) {
		if (how[i] == HOW_EAGER && given_again(args, n, i))
			how[i] = HOW_LAZY;
		fill_arg(l, &site->args[i], args[i], true, how[i],
			l->dynamic || open || how[i] == HOW_UNKNOWN, &temps[i]);
		if (site->args[i].code || (site->args[i].key && site->args[i].key->code))
			needs_scope(l);
	}
}

/*
 * A receiver that no overload takes is refused before the arguments are looked at, but they are
 * evaluated here, before the call: where one fails, the call site is asked after all.
 */
static void
refuse_first(lw *l, uint32_t from, int32_t outer, int32_t label, int32_t recv, ir_site *site)
{
	ir_func *f = l->f;
	lw_late *x;

	for (uint32_t i = from; i < f->n; i++)
		if (ir_ops[f->ins[i].op].flags & IR_FAIL) {
			lw_set_handler(l, outer);
			x = vc_alloc(l->c, sizeof *x);
			*x = (lw_late){l->late, label, outer, recv, site};
			l->late = x;
			return;
		}
	memmove(&f->ins[from - 1], &f->ins[from], (f->n - from) * sizeof *f->ins);
	f->n--;
	l->handler = outer;
}

/* A call of `name`, as a function (recv < 0) or as a method of the temporary recv. */
static int32_t
lower_call(
	lw *l, const char *name, int32_t recv, yq_node *const *args, uint32_t n, const yq_node *at)
{
	ir_site *site = new_site(l, name, recv >= 0, n, at);
	uint8_t *how = vc_alloc(l->c, n + 1);
	int32_t *temps = vc_alloc(l->c, sizeof *temps * (n + 1));
	int32_t d, outer = l->handler, label = -1;
	uint32_t from;
	ir_ins *in;

	classify(l, name, recv >= 0, args, n, how);
	if (recv >= 0 && n > 0)
		lw_set_handler(l, label = lw_label(l));
	from = l->f->n;
	fill_args(l, name, site, args, n, how, temps);
	if (label >= 0)
		refuse_first(l, from, outer, label, recv, site);
	if (recv >= 0 && n == 3 && strcmp(name, "join") == 0 && how[1] == HOW_LAZY)
		split_equation(l, site->args[1].code, args[1], l->dynamic);
	if (keeps_scope(name, recv >= 0))
		needs_scope(l);
	d = lw_temp(l);
	in = lw_emit(l, recv >= 0 ? IR_CALLM : IR_CALL);
	in->d = d;
	if (recv >= 0)
		in->a[0] = recv, in->na = 1;
	in->list = temps;
	in->nlist = n;
	in->site = site;
	return d;
}

static int32_t
op2(lw *l, enum ir_op op, int32_t a, int32_t b)
{
	int32_t d = lw_temp(l);
	ir_ins *in = lw_emit(l, op);

	in->d = d;
	in->a[0] = a;
	in->a[1] = b;
	in->na = 2;
	return d;
}

/*
 * A memory quota counts at every call, and to the reference whatever is written is one: operators,
 * variables, list and dict displays.  An expression with a quota takes no short cut.
 */
static bool
metered(const lw *l)
{
	return l->unit->opt.memory_quota > 0;
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

static int32_t
lower_arith(lw *l, const yq_node *e, enum ir_op op)
{
	uint8_t how[2];
	char *name = vc_format(l->c, "#operator_%s", e->text);
	int32_t a, b, d;
	ir_ins *in;
	ir_site *site;

	classify(l, name, false, e->kid, 2, how);
	if (how[0] == HOW_UNKNOWN)
		return lower_call(l, name, -1, e->kid, 2, e);
	site = new_site(l, name, false, 2, e);
	site->args[0] = (ir_arg){.kind = arg_kind(e->kid[0]), .k = const_of(l, e->kid[0])};
	site->args[1] = (ir_arg){.kind = arg_kind(e->kid[1]), .k = const_of(l, e->kid[1])};
	a = lw_expr(l, e->kid[0]);
	b = lw_expr(l, e->kid[1]);
	d = op2(l, op, a, b);
	in = &l->f->ins[l->f->n - 1];
	in->site = site;
	return d;
}

static bool
reads_variable(const yq_node *e, const char *name)
{
	if (e->kind == YQ_VAR && strcmp(e->text, name) == 0)
		return true;
	for (uint32_t i = 0; i < e->n; i++)
		if (reads_variable(e->kid[i], name))
			return true;
	return false;
}

bool
lw_add_to_variable(lw *l, int32_t var, const char *name, const yq_node *e)
{
	uint8_t how[2];
	ir_site *site;
	ir_ins *in;
	int32_t b;

	if (e->kind != YQ_BINARY || !is_word(e, "+") || e->kid[0]->kind != YQ_VAR ||
		strcmp(e->kid[0]->text, name) != 0 || reads_variable(e->kid[1], name) ||
		l->dynamic || lw_is_own(l, name))
		return false;
	classify(l, "#operator_+", false, e->kid, 2, how);
	if (how[0] == HOW_UNKNOWN)
		return false;
	site = new_site(l, "#operator_+", false, 2, e);
	site->args[0] = (ir_arg){.kind = VT_A_EXPR};
	site->args[1] = (ir_arg){.kind = arg_kind(e->kid[1]), .k = const_of(l, e->kid[1])};
	b = lw_expr(l, e->kid[1]);
	in = lw_emit(l, IR_ADDV);
	in->var = var;
	in->a[0] = b;
	in->na = 1;
	in->site = site;
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
	ir_site *site = new_site(l, "#operator_.", false, 2, name);
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
				    : -1;
		return d >= 0 ? d : lower_call(l, right->text, recv, right->kid, right->n, right);
	}
	if (metered(l))
		return lower_metered_attr(l, recv, right);
	int32_t d = lw_temp(l);
	ir_ins *in = lw_emit(l, IR_ATTR);
	ir_site *site = new_site(l, vc_strndup(l->c, right->text, right->ntext), false, 2, right);
	site->args[0].kind = VT_A_EXPR;
	site->args[1] = (ir_arg){.kind = VT_A_KEYWORD, .k = lw_string(right->text, right->ntext)};
	in->d = d;
	in->a[0] = recv;
	in->na = 1;
	in->site = site;
	return d;
}

/* ---- pipelines ---- */

/* where() or select() of the library with a lambda, and nothing else that the name could mean
 * here? */
static enum ir_stage
stage_of(const lw *l, const yq_node *e)
{
	const yq_node *call;
	enum ir_stage stage = IR_STAGE_NONE;
	uint32_t n;
	const vt_fnrow *rows;

	if (e->kind != YQ_BINARY || !is_word(e, "."))
		return IR_STAGE_NONE;
	call = e->kid[1];
	if (call->kind != YQ_CALL || call->n != 1 ||
		(arg_kind(call->kid[0]) != VT_A_EXPR && arg_kind(call->kid[0]) != VT_A_CALL) ||
		lw_is_method_name(l, call->text))
		return IR_STAGE_NONE;
	rows = vt_fn_find(call->text, &n);
	for (uint32_t i = 0; rows && i < n; i++) {
		if (!(rows[i].layer & l->unit->layers) || !(rows[i].flags & VT_FN_METHOD))
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
	ir_site *site = new_site(l, call->text, true, 1, call);
	int32_t none;

	fill_arg(l, &site->args[0], call->kid[0], true, HOW_LAZY, l->dynamic, &none);
	needs_scope(l);
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

/* e ends in a stage: the whole chain of them becomes one iterator. */
static int32_t
lower_pipe(lw *l, const yq_node *e)
{
	int32_t d = lw_temp(l), made = lw_temp(l), calls = lw_label(l), end = lw_label(l), recv;
	const yq_node *x = e;
	uint8_t *stages;
	ir_site **sites;
	ir_func **fs;
	ir_ins *in;
	uint32_t n = 0;

	for (; stage_of(l, x) != IR_STAGE_NONE; x = x->kid[0])
		n++;
	stages = vc_alloc(l->c, n * sizeof *stages);
	sites = vc_alloc(l->c, n * sizeof *sites);
	fs = vc_alloc(l->c, n * sizeof *fs);
	recv = lw_expr(l, x);
	x = e;
	for (uint32_t i = n; i-- > 0; x = x->kid[0]) {
		stages[i] = (uint8_t)stage_of(l, x);
		sites[i] = stage_site(l, x->kid[1]);
		fs[i] = sites[i]->args[0].code;
	}
	in = lw_emit(l, IR_PIPE);
	in->d = made;
	in->a[0] = recv;
	in->na = 1;
	in->stages = stages;
	in->fs = fs;
	in->nstages = in->nfs = n;
	in->label = calls;
	lw_copy_into(l, d, made);
	lw_jump(l, end);
	lw_place(l, calls);
	lw_copy_into(l, d, lower_stages(l, recv, sites, n));
	lw_place(l, end);
	return d;
}

static int32_t
lower_dot(lw *l, const yq_node *e)
{
	const yq_node *right = e->kid[1];
	bool safe = is_word(e, "?.");
	int32_t d, end, recv;

	if (vc_pass_on(l->c, FUSE) && !metered(l) && stage_of(l, e) != IR_STAGE_NONE)
		return lower_pipe(l, e);

	if (right->kind != YQ_CALL && (right->kind != YQ_KEYWORD || (metered(l) && !safe))) {
		char *name = vc_format(l->c, "#operator_%s", e->text);
		return lower_call(l, name, -1, e->kid, 2, e);
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

static int32_t
lower_arrow(lw *l, const yq_node *e)
{
	int32_t left = lw_expr(l, e->kid[0]), d;
	ir_site *site = new_site(l, "#operator_->", false, 2, e);
	ir_func *f;
	ir_ins *in;

	site->args[0].kind = site->args[1].kind = VT_A_EXPR;
	f = lw_code(l, e->kid[1], true);
	needs_scope(l);
	d = lw_temp(l);
	in = lw_emit(l, IR_CONTEXT);
	in->d = d;
	in->a[0] = left;
	in->na = 1;
	in->f = f;
	in->site = site;
	return d;
}

/* Legacy: 1 => 2 => 3 is one call, for it makes one tuple; (1 => 2) => 3 is two. */
static int32_t
lower_pair(lw *l, const yq_node *e)
{
	const yq_node *x = e;
	yq_node **items;
	uint32_t n = 1;

	while (x->kind == YQ_BINARY && is_word(x, "=>"))
		x = x->kid[0], n++;
	items = vc_alloc(l->c, n * sizeof *items);
	x = e;
	for (uint32_t i = n; i-- > 1; x = x->kid[0])
		items[i] = x->kid[1];
	items[0] = (yq_node *)x;
	return lower_call(l, "#operator_=>", -1, items, n, e);
}

static int32_t
lower_metered_binary(lw *l, const yq_node *e)
{
	const char *name = is_word(e, "=")    ? "*equal"
			   : is_word(e, "!=") ? "*not_equal"
					      : vc_format(l->c, "#operator_%s", e->text);

	if (is_word(e, ".") || is_word(e, "?."))
		return lower_dot(l, e);
	return is_word(e, "=>") ? lower_pair(l, e) : lower_call(l, name, -1, e->kid, 2, e);
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

	if (metered(l))
		return lower_metered_binary(l, e);
	for (size_t i = 0; i < VC_LEN(arith); i++)
		if (is_word(e, arith[i].text))
			return lower_arith(l, e, arith[i].op);
	if (is_word(e, ".") || is_word(e, "?."))
		return lower_dot(l, e);
	if (is_word(e, "and"))
		return lower_and_or(l, e, IR_JFALSE);
	if (is_word(e, "or"))
		return lower_and_or(l, e, IR_JTRUE);
	if (is_word(e, "->"))
		return lower_arrow(l, e);
	if (is_word(e, "=>"))
		return lower_pair(l, e);
	if (is_word(e, "=") || is_word(e, "!=")) {
		int32_t a = lw_expr(l, e->kid[0]);
		return op2(l, is_word(e, "=") ? IR_EQ : IR_NE, a, lw_expr(l, e->kid[1]));
	}
	if (is_word(e, ":") && e->kid[0]->kind == YQ_KEYWORD && e->kid[1]->kind == YQ_KEYWORD)
		return lw_typeref(l, vc_format(l->c, "%s:%s", e->kid[0]->text, e->kid[1]->text));
	return lower_call(l, vc_format(l->c, "#operator_%s", e->text), -1, e->kid, 2, e);
}

static int32_t
lower_unary(lw *l, const yq_node *e)
{
	const yq_node *x = e->kid[0];

	if (is_word(e, "not") && !metered(l))
		return lw_op1(l, IR_NOT, lw_expr(l, x));
	if (is_word(e, ":") && x->kind == YQ_KEYWORD)
		return lw_typeref(l, vc_format(l->c, ":%s", x->text));
	if (is_word(e, "-") && x->kind == YQ_NUMBER && !metered(l)) {
		ir_const k = lw_number(l, x);
		if (k.kind == IK_INT)
			k.i = -k.i;
		else if (k.kind == IK_FLOAT)
			k.f = -k.f;
		else
			k.s = vc_format(l->c, "-%s", k.s), k.n++;
		return lw_const(l, k);
	}
	return lower_call(l, vc_format(l->c, "#unary_operator_%s", e->text), -1, e->kid, 1, e);
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
	return lower_call(l, "#get_context_data", -1, &name, 1, e);
}

static int32_t
lower_var(lw *l, const yq_node *e)
{
	const char *s = e->text;
	int32_t d, v;
	int64_t n = 0;
	ir_ins *in;

	if (metered(l))
		return lower_metered_var(l, e);
	for (uint32_t i = 0; i < e->ntext; i++)
		n = s[i] >= '0' && s[i] <= '9' && n >= 0 && n < 100000 ? n * 10 + (s[i] - '0') : -1;
	if (e->ntext == 0)
		n = 1;
	if (n > 0)
		return lower_arg_ref(l, n);
	if (l->cls && strcmp(s, "this") == 0)
		return d = lw_temp(l), lw_emit(l, IR_SELF)->d = d, d;
	v = l->dynamic || lw_is_own(l, s) ? -1 : lw_variable(l, s);
	if (v < 0 && !l->dynamic && l->cls && l->f->kind == IF_METHOD)
		return lw_const(l, (ir_const){.kind = IK_NULL});
	if (v < 0 && l->f->kind == IF_CONTRACT)
		needs_scope(l);
	d = lw_temp(l);
	in = lw_emit(l, v >= 0 ? IR_VAR : IR_DYN);
	in->d = d;
	if (v >= 0)
		in->var = v;
	else
		in->name = s;
	return d;
}

static int32_t
lower_items(lw *l, enum ir_op op, yq_node *const *kid, uint32_t n)
{
	uint32_t per = op == IR_MAP ? 2 : 1;
	int32_t *temps = vc_alloc(l->c, sizeof *temps * (n * per + 1)), d;
	ir_ins *in;

	for (uint32_t i = 0; i < n; i++)
		if (op == IR_MAP) {
			temps[2 * i] = lw_expr(l, kid[i]->kid[0]);
			temps[2 * i + 1] = lw_expr(l, kid[i]->kid[1]);
		} else
			temps[i] = lw_expr(l, kid[i]);
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

int32_t
lw_expr(lw *l, const yq_node *e)
{
	switch ((enum yq_kind)e->kind) {
	case YQ_NULL:
	case YQ_TRUE:
	case YQ_FALSE:
	case YQ_NUMBER:
	case YQ_STRING:
	case YQ_KEYWORD:
	case YQ_EMPTY: return lw_const(l, const_of(l, e));
	case YQ_VAR: return lower_var(l, e);
	case YQ_CALL: return lower_call(l, e->text, -1, e->kid, e->n, e);
	case YQ_INVOKE: return lower_call(l, "#call", -1, e->kid, e->n, e);
	case YQ_BINARY: return lower_binary(l, e);
	case YQ_UNARY: return lower_unary(l, e);
	case YQ_INDEX: return lower_call(l, "#indexer", -1, e->kid, e->n, e);
	case YQ_LIST:
		if (all_of(e->kid, e->n, false) && !metered(l))
			return lower_items(l, IR_LIST, e->kid, e->n);
		return lower_call(l, "#list", -1, e->kid, e->n, e);
	case YQ_MAP:
		if (e->n && all_of(e->kid, e->n, true) && !metered(l))
			return lower_items(l, IR_MAP, e->kid, e->n);
		if (e->n == 0 && !metered(l))
			return lower_items(l, IR_MAP, NULL, 0);
		return lower_call(l, "#map", -1, e->kid, e->n, e);
	case YQ_WRAP: return lw_expr(l, e->kid[0]);
	case YQ_MAPPING:
	case YQ_ERROR: return lower_call(l, "#operator_=>", -1, e->kid, e->n, e);
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
	t = lw_expr(l, n->expr);
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
