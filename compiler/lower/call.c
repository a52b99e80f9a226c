/*
 * call.c - calls in YAQL expressions to IR.
 *
 * What a call means depends on overloads, so the registry is asked at compile time: where
 * all overloads that can apply agree that an argument is eager it is evaluated in place and handed
 * over as a value; where they agree that it is lazy, or where nothing is known, it becomes code and
 * the runtime decides (yaql.md 3.1).
 */
#include "compiler/lower/int.h"
#include "compiler/check/check.h"
#include "runtime/call/call.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"

#include <string.h>

/* ---- candidates ------------------------------------------------------------------------------ */

/* How an argument is written, as overload resolution sees it. */
uint8_t
lw_arg_kind(const yq_node *e)
{
	/* of the others VT_A_EXPR, which is 0 */
	static const uint8_t kinds[YQ_ERROR + 1] = {[YQ_NULL] = VT_A_NULL,
		[YQ_TRUE] = VT_A_BOOL,
		[YQ_FALSE] = VT_A_BOOL,
		[YQ_NUMBER] = VT_A_NUMBER,
		[YQ_STRING] = VT_A_STRING,
		[YQ_KEYWORD] = VT_A_KEYWORD,
		[YQ_MAPPING] = VT_A_MAPPING,
		[YQ_EMPTY] = VT_A_NOVALUE,
		[YQ_CALL] = VT_A_CALL};

	return kinds[e->kind];
}

/* Can a constant of this kind be passed where the type stands? Errs on the side of yes. */
static bool
constant_fits(uint8_t kind, const vt_fnparam *p)
{
	enum { SOME = 1 << 15, OR_NULL = 1 << 14 }; /* all of the types that have none of these */
#define A(kind) 1 << VT_A_##kind
	static const uint16_t takes[VT_T_COUNT] = {[VT_T_NUMBER] = OR_NULL | A(NUMBER),
		[VT_T_INT] = OR_NULL | A(NUMBER) | A(BOOL),
		[VT_T_INTEGER] = OR_NULL | A(NUMBER),
		[VT_T_STR] = OR_NULL | A(STRING) | A(KEYWORD),
		[VT_T_ITERABLE] = OR_NULL,
		[VT_T_ITERATOR] = OR_NULL,
		[VT_T_SEQUENCE] = OR_NULL,
		[VT_T_MAPPING] = OR_NULL,
		[VT_T_SET] = OR_NULL,
		[VT_T_DATETIME] = OR_NULL,
		[VT_T_TIMESPAN] = OR_NULL,
		[VT_T_REGEX] = OR_NULL,
		[VT_T_ORDERING] = OR_NULL,
		[VT_T_TUPLE] = OR_NULL,
		[VT_T_CONTEXT] = OR_NULL,
		[VT_T_NULL] = SOME | A(NULL),
		[VT_T_KEYWORD] = SOME | A(KEYWORD),
		[VT_T_RULE] = SOME,
		[VT_T_RULE_LAZY] = SOME};
#undef A
	uint32_t t = takes[p->type];

	return t == 0 || t >> kind & 1 || (t & OR_NULL && kind == VT_A_NULL && p->nullable);
}

static const char *
keyword_of(const yq_node *arg, bool no_kwargs)
{
	return arg->kind == YQ_MAPPING && !no_kwargs && arg->kid[0]->kind == YQ_KEYWORD
		       ? arg->kid[0]->text
		       : NULL;
}

/* Does the row accept these arguments as far as can be known? Notes how each is taken. */
static bool
row_fits(const vt_fnrow *row, bool method, yq_node *const *args, uint32_t n, uint8_t *how)
{
	uint32_t shift = method, required = 0, given = 0;
	bool no_kwargs = row->flags & VT_FN_NO_KWARGS;

	for (uint32_t i = 0; i < n; i++) {
		const char *kw = keyword_of(args[i], no_kwargs);
		const vt_fnparam *p = vc_parameter(row, i + shift, kw);
		const yq_node *v = kw ? args[i]->kid[1] : args[i];
		uint8_t kind = lw_arg_kind(v);

		if (p == NULL)
			return false;
		if (kind == VT_A_MAPPING && p->type != VT_T_RULE && p->type != VT_T_RULE_LAZY)
			return false;
		if (kind < VT_A_MAPPING && kind != VT_A_EXPR && !constant_fits(kind, p))
			return false;
		if ((kind == VT_A_EXPR || kind == VT_A_CALL) &&
			(p->type == VT_T_KEYWORD || p->type == VT_T_RULE ||
				p->type == VT_T_RULE_LAZY))
			return false;
		/* `a.0`: only a call can have a receiver, and the run refuses all else unseen. */
		if (kind != VT_A_CALL && vt_is_method_lambda(p->type))
			return false;
		how[i] = vt_is_lazy_type(p->type) ? LW_LAZY : LW_EAGER;
		given += p->kind == 0;
	}
	for (uint32_t i = shift; i < row->nparams; i++)
		required += row->params[i].kind == 0 && !row->params[i].has_default;
	return given >= required;
}

/*
 * Asks the registry how the arguments are taken.  All are LW_UNKNOWN when no overload can apply
 * (the runtime raises the right error) or when those that can disagree.
 */
void
lw_classify(lw *l, const char *name, bool method, yq_node *const *args, uint32_t n, uint8_t *how)
{
	uint32_t nrows, fits = 0;
	const vt_fnrow *rows = vt_fn_find(name, &nrows);
	uint8_t mine[64];
	bool exclusive = false, unknown = n > VT_LEN(mine) || l->unit->layers & VT_L_SNAKE;
	bool classes = method && lw_is_method_name(l, name);

	memset(how, LW_EAGER, n);
	for (uint32_t i = 0; rows && i < nrows; i++)
		exclusive |= (rows[i].flags & VT_FN_EXCLUSIVE) &&
			     vt_row_is_there(&rows[i], l->unit->layers);
	for (uint32_t i = 0; rows && i < nrows && !unknown; i++) {
		if (!vt_row_is_there(&rows[i], l->unit->layers) ||
			!(rows[i].flags & (method ? VT_FN_METHOD : VT_FN_FUNCTION)))
			continue;
		if (exclusive && rows[i].layer == VT_L_STD)
			continue;
		memset(mine, LW_EAGER, sizeof mine);
		if (!row_fits(&rows[i], method, args, n, mine))
			continue;
		for (uint32_t k = 0; k < n; k++) {
			unknown |= fits > 0 && how[k] != mine[k];
			unknown |= classes && mine[k] == LW_LAZY;
			how[k] = mine[k];
		}
		fits++;
	}
	if (unknown || (fits == 0 && !classes))
		memset(how, LW_UNKNOWN, n);
}

/* May the function keep the scope of its call, so that it must be on the heap? Who knows what one
 * does that only the run will find. */
static bool
keeps_scope(const lw *l, const char *name, bool method)
{
	bool known, sees = vt_fn_sees_scope(name, l->unit->layers, &known);

	return sees || (!known && !method);
}

void
lw_needs_scope(lw *l)
{
	l->f->leaf = false;
	if (l->base)
		l->base->boxed = true;
	if (l->f->kind != IF_CODE)
		l->f->boxed = true;
}

/* ---- calls ------------------------------------------------------------------------------- */

ir_const
lw_const_of(lw *l, const yq_node *e)
{
	if (e->kind == YQ_NUMBER)
		return lw_number(l, e);
	if (e->kind == YQ_STRING || e->kind == YQ_KEYWORD)
		return lw_string(e->text, e->ntext);
	return (ir_const){.kind = e->kind == YQ_TRUE    ? IK_TRUE
				  : e->kind == YQ_FALSE ? IK_FALSE
				  : e->kind == YQ_EMPTY ? IK_NOVALUE
							: IK_NULL};
}

ir_site *
lw_new_site(lw *l, const char *name, bool method, uint32_t n, const yq_node *at)
{
	ir_site *s = vc_alloc(l->c, sizeof *s);

	s->name = name;
	s->method = method;
	s->args = vc_alloc(l->c, sizeof *s->args * n);
	s->nargs = n;
	s->line = l->line;
	s->col = l->col;
	if (l->node && l->node->span.src)
		vc_place(l->node->span.src, yn_offset(l->node, at->op_at), &s->line, &s->col);
	else if (l->lone)
		vc_place(l->lone, at->op_at, &s->line, &s->col);
	lw_note_written(l, s, at);
	return s;
}

static void
fill_mapping(lw *l, ir_arg *a, const yq_node *e, bool as_keyword, uint8_t how, bool dynamic,
	int32_t *temp)
{
	int32_t unused;

	a->key = vc_alloc(l->c, sizeof *a->key);
	lw_fill_arg(l, a->key, e->kid[0], false, LW_LAZY, dynamic, &unused);
	if (as_keyword && e->kid[0]->kind == YQ_KEYWORD) {
		ir_arg *key = a->key;
		lw_fill_arg(l, a, e->kid[1], false, how, dynamic, temp);
		a->key = key;
		a->keyword = e->kid[0]->text;
		return;
	}
	a->kind = VT_A_MAPPING;
	a->code = lw_code(l, e->kid[1], dynamic);
}

/* Describes an argument and, when it is eager and no constant, evaluates it into *temp. */
void
lw_fill_arg(lw *l, ir_arg *a, const yq_node *e, bool as_keyword, uint8_t how, bool dynamic,
	int32_t *temp)
{
	*temp = -1;
	a->kind = lw_arg_kind(e);
	a->k = lw_const_of(l, e);
	if (a->kind == VT_A_MAPPING) {
		fill_mapping(l, a, e, as_keyword, how, dynamic, temp);
		return;
	}
	if (a->k.kind == IK_BIG && how != LW_EAGER)
		a->kind = VT_A_EXPR, a->code = lw_code(l, e, dynamic);
	else if (a->k.kind == IK_BIG)
		*temp = lw_expr(l, e);
	if (a->kind != VT_A_EXPR && a->kind != VT_A_CALL)
		return;
	if (how == LW_EAGER)
		*temp = lw_expr(l, e);
	else if (a->code == NULL)
		a->code = lw_code(l, e, dynamic);
}

/* $N, or a member of it? */
static bool
reads_only(const yq_node *e, const char *n)
{
	if (e->kind == YQ_BINARY && lw_is_word(e, ".") && e->kid[1]->kind == YQ_KEYWORD)
		e = e->kid[0];
	return e->kind == YQ_VAR && lw_is_word(e, n);
}

/* The predicate of join() as an equation whose sides can be evaluated apart. */
static void
split_equation(lw *l, ir_func *f, const yq_node *e, bool dynamic)
{
	const yq_node *a, *b;

	if (f == NULL || !vc_pass_on(l->c, JOINS) || e->kind != YQ_BINARY || !lw_is_word(e, "="))
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

/* Does a row of the name take `x => 1` as the argument x, rather than as a rule? */
static bool
takes_keywords(const char *name)
{
	uint32_t n;
	const vt_fnrow *rows = vt_fn_find(name, &n);

	for (uint32_t i = 0; rows && i < n; i++)
		if (!(rows[i].flags & VT_FN_NO_KWARGS))
			return true;
	return rows == NULL;
}

static void
fill_args(lw *l, const char *name, ir_site *site, yq_node *const *args, uint32_t n, uint8_t *how,
	int32_t *temps)
{
	/* Code under def() and lambda() is called with keyword variables nobody knows here. */
	bool open = strcmp(name, "def") == 0 || strcmp(name, "lambda") == 0;
	bool keywords = takes_keywords(name);

	for (uint32_t i = 0; i < n; i++) {
		if (how[i] == LW_EAGER && keywords && given_again(args, n, i))
			how[i] = LW_LAZY;
		lw_fill_arg(l, &site->args[i], args[i], true, how[i],
			l->dynamic || open || how[i] == LW_UNKNOWN, &temps[i]);
		if (site->args[i].code || (site->args[i].key && site->args[i].key->code))
			lw_needs_scope(l);
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

enum { MOST_CHOICES = 16 };

bool
lw_is_choice(const lw *l, const char *name, int32_t recv, yq_node *const *args, uint32_t n)
{
	bool rules = strcmp(name, "switch") == 0, cases = strcmp(name, "switchCase") == 0;

	if ((recv >= 0) != cases || l->f->kind != IF_METHOD || !vc_pass_on(l->c, CALLS) ||
		lw_metered(l) || n == 0 || n > MOST_CHOICES ||
		(!rules && !cases && strcmp(name, "coalesce") != 0 &&
			strcmp(name, "selectCase") != 0))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (args[i]->kind == YQ_EMPTY || (args[i]->kind == YQ_MAPPING) != rules)
			return false;
	return true;
}

/* What is chosen goes to d, or where `to` says.  What has been read for the choice is given back
 * before that, for it may be what changes. */
static void
give_choice(lw *l, int32_t d, const yq_node *e, int32_t floor, const lw_chosen *to)
{
	lw_free_temps(l, floor, l->next);
	if (to == NULL)
		lw_copy_into(l, d, lw_expr(l, e));
	else
		to->put(l, to, e, -1);
}

/* Into d: the right side of the first rule whose left one is true, or the first value that is not
 * null; null when there is none.  Or the place of the first that is true, or how many there are. */
static void
choose(lw *l, int32_t d, yq_node *const *args, uint32_t n, bool place, const lw_chosen *to)
{
	int32_t end = lw_label(l), next, floor = l->next, none;

	for (uint32_t i = 0; i < n; i++) {
		int32_t first = l->next;
		next = lw_label(l);
		if (place) {
			lw_jump_if(l, IR_JFALSE, lw_expr(l, args[i]), next);
			lw_copy_into(l, d, lw_const(l, (ir_const){.kind = IK_INT, .i = i}));
		} else if (args[i]->kind == YQ_MAPPING) {
			lw_jump_if(l, IR_JFALSE, lw_expr(l, args[i]->kid[0]), next);
			give_choice(l, d, args[i]->kid[1], first, to);
		} else {
			lw_copy_into(l, d, lw_expr(l, args[i]));
			lw_free_temps(l, first, l->next);
			lw_jump_if(l, IR_JNULL, d, next);
		}
		lw_jump(l, end);
		lw_place(l, next);
		if (args[i]->kind == YQ_MAPPING)
			lw_free_temps(l, first, l->next);
		if (to != NULL)
			l->next = floor;
	}
	none = lw_const(l, (ir_const){.kind = place ? IK_INT : IK_NULL, .i = n});
	if (to == NULL)
		lw_copy_into(l, d, none);
	else
		to->put(l, to, NULL, none);
	lw_place(l, end);
}

/* Into d: the value at the place that a temporary has. What is no integer goes to the call. */
static void
choose_case(lw *l, int32_t d, int32_t recv, yq_node *const *args, uint32_t n, int32_t call,
	const lw_chosen *to)
{
	int32_t end = lw_label(l), *at = vc_alloc(l->c, n * sizeof *at), floor = l->next;

	for (uint32_t i = 0; i < n; i++) {
		ir_ins *in = lw_emit(l, IR_JCASE);
		in->a[0] = recv;
		in->na = 1;
		in->i[0] = i;
		in->i[1] = n;
		in->label = at[i] = lw_label(l);
	}
	lw_jump(l, call);
	for (uint32_t i = 0; i < n; i++) {
		lw_place(l, at[i]);
		give_choice(l, d, args[i], floor, to);
		lw_jump(l, end);
	}
	lw_place(l, end);
}

bool
lw_is_record(const lw *l, const char *name, int32_t recv, yq_node *const *args, uint32_t n)
{
	if (recv >= 0 || strcmp(name, "dict") != 0 || l->f->kind != IF_METHOD ||
		!vc_pass_on(l->c, CALLS) || lw_metered(l) || n == 0 || n > MOST_CHOICES)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const yq_node *key = args[i]->kind == YQ_MAPPING ? args[i]->kid[0] : NULL;
		if (key == NULL || key->kind == YQ_EMPTY || args[i]->kid[1]->kind == YQ_EMPTY)
			return false;
		for (uint32_t k = 0; k < i && key->kind == YQ_KEYWORD; k++)
			if (args[k]->kid[0]->kind == YQ_KEYWORD &&
				strcmp(args[k]->kid[0]->text, key->text) == 0)
				return false;
	}
	return true;
}

/* The same where the arguments are there. */
static bool
is_filled_record(
	const lw *l, const char *name, int32_t recv, const ir_site *site, yq_node *const *args)
{
	if (!lw_is_record(l, name, recv, args, site->nargs))
		return false;
	for (uint32_t i = 0; i < site->nargs; i++)
		if (site->args[i].keyword && site->args[i].code)
			return false;
	return true;
}

/* The values of names are there already; what has another key is evaluated here. */
static void
make_record(lw *l, int32_t d, const ir_site *site, yq_node *const *args, const int32_t *temps)
{
	int32_t *items = vc_alloc(l->c, 2 * site->nargs * sizeof *items), made;
	ir_ins *in;

	for (uint32_t i = 0; i < site->nargs; i++) {
		const ir_arg *a = &site->args[i];
		if (a->keyword == NULL) {
			items[2 * i] = lw_expr(l, args[i]->kid[0]);
			items[2 * i + 1] = lw_expr(l, args[i]->kid[1]);
			continue;
		}
		items[2 * i] = lw_const(l, lw_string(a->keyword, (uint32_t)strlen(a->keyword)));
		items[2 * i + 1] = temps[i] >= 0 ? temps[i] : lw_const(l, a->k);
	}
	made = lw_temp(l);
	in = lw_emit(l, IR_MAP);
	in->d = made;
	in->list = items;
	in->nlist = 2 * site->nargs;
	lw_copy_into(l, d, made);
}

/* The same without a call: values of names come first. */
static int32_t
record_in_loop(lw *l, yq_node *const *args, uint32_t n)
{
	int32_t *items = vc_alloc(l->c, 2 * n * sizeof *items), made;
	ir_ins *in;

	for (int names = 1; names >= 0; names--)
		for (uint32_t i = 0; i < n; i++)
			if ((args[i]->kid[0]->kind == YQ_KEYWORD) == names) {
				items[2 * i] = lw_expr(l, args[i]->kid[0]);
				items[2 * i + 1] = lw_expr(l, args[i]->kid[1]);
			}
	made = lw_temp(l);
	in = lw_emit(l, IR_MAP);
	in->d = made;
	in->list = items;
	in->nlist = 2 * n;
	return made;
}

/* In front of a call that jumps can make: those, for when the site has found the library's
 * function.  The label behind the call. */
static int32_t
lower_choice(lw *l, int32_t d, int32_t recv, ir_site *site, yq_node *const *args,
	const int32_t *temps, const lw_chosen *to)
{
	int32_t call = lw_label(l), jumps = lw_label(l), end = lw_label(l);
	ir_ins *in = lw_emit(l, IR_JFOUND);

	in->site = site;
	in->label = jumps;
	lw_jump(l, call);
	lw_place(l, jumps);
	if (recv >= 0)
		choose_case(l, d, recv, args, site->nargs, call, to);
	else if (lw_is_choice(l, site->name, -1, args, site->nargs))
		choose(l, d, args, site->nargs, strcmp(site->name, "selectCase") == 0, to);
	else
		make_record(l, d, site, args, temps);
	lw_jump(l, end);
	lw_place(l, call);
	return end;
}

static int32_t
call_to(lw *l, const char *name, int32_t recv, yq_node *const *args, uint32_t n, const yq_node *at,
	const lw_chosen *to)
{
	ir_site *site = lw_new_site(l, name, recv >= 0, n, at);
	uint8_t *how = vc_alloc(l->c, n + 1);
	int32_t *temps = vc_alloc(l->c, sizeof *temps * (n + 1));
	int32_t d, made, outer = l->handler, label = -1, end = -1;
	uint32_t from;
	ir_ins *in;

	if (l->inlined && recv < 0 && lw_is_choice(l, name, recv, args, n)) {
		d = lw_temp(l);
		choose(l, d, args, n, strcmp(name, "selectCase") == 0, NULL);
		return d;
	}
	if (l->inlined && lw_is_record(l, name, recv, args, n))
		return record_in_loop(l, args, n);
	lw_classify(l, name, recv >= 0, args, n, how);
	if (recv >= 0 && n > 0)
		lw_set_handler(l, label = lw_label(l));
	from = l->f->n;
	fill_args(l, name, site, args, n, how, temps);
	if (label >= 0)
		refuse_first(l, from, outer, label, recv, site);
	if (recv >= 0 && n == 3 && strcmp(name, "join") == 0 && how[1] == LW_LAZY)
		split_equation(l, site->args[1].code, args[1], l->dynamic);
	if (keeps_scope(l, name, recv >= 0))
		lw_needs_scope(l);
	d = lw_temp(l);
	if (lw_is_choice(l, name, recv, args, n) || is_filled_record(l, name, recv, site, args))
		end = lower_choice(l, d, recv, site, args, temps, to);
	made = end >= 0 ? lw_temp(l) : d;
	in = lw_emit(l, recv >= 0 ? IR_CALLM : IR_CALL);
	in->d = made;
	if (recv >= 0)
		in->a[0] = recv, in->na = 1;
	in->list = temps;
	in->nlist = n;
	in->site = site;
	if (end >= 0) {
		if (to == NULL)
			lw_copy_into(l, d, made);
		else
			to->put(l, to, NULL, made);
		lw_place(l, end);
	}
	return d;
}

/* A call of `name`, as a function (recv < 0) or as a method of the temporary recv. */
int32_t
lw_call(lw *l, const char *name, int32_t recv, yq_node *const *args, uint32_t n, const yq_node *at)
{
	return call_to(l, name, recv, args, n, at, NULL);
}

/* The call of a choice whose values are worked out after it: switch() or switchCase(); or NULL. */
static const yq_node *
choice_of(const lw *l, const yq_node *e)
{
	const yq_node *call = e;

	if (e->kind == YQ_BINARY && lw_is_word(e, ".") && e->alias == NULL)
		call = e->kid[1];
	if (call->kind != YQ_CALL || strcmp(call->text, call == e ? "switch" : "switchCase") != 0 ||
		!lw_is_choice(l, call->text, call == e ? -1 : 0, call->kid, call->n))
		return NULL;
	return call;
}

/* Is it a change of what the variable (or any) holds, or stands below that; or a choice of such? */
static bool
may_change(lw *l, const yq_node *e, const char *var)
{
	const yq_node *call;

	e = yq_unwrap(e);
	if ((call = choice_of(l, e)) != NULL) {
		for (uint32_t i = 0; i < call->n; i++)
			if (may_change(l,
				    call->kid[i]->kind == YQ_MAPPING ? call->kid[i]->kid[1]
								     : call->kid[i],
				    var))
				return true;
		return false;
	}
	if (!lw_is_word(e, "+") && !lw_is_word(e, "-") &&
		!(e->kind == YQ_BINARY && lw_is_word(e, ".") && e->kid[1]->kind == YQ_CALL))
		return false;
	while ((e->kind == YQ_BINARY || e->kind == YQ_INDEX || e->kind == YQ_WRAP ||
		       (e->kind == YQ_CALL && lw_is_word(e, "coalesce"))) &&
		e->n > 0)
		e = e->kid[0];
	if (e->kind != YQ_VAR)
		return false;
	return var != NULL ? strcmp(e->text, var) == 0 : lw_variable(l, e->text) >= 0;
}

bool
lw_choose_to(lw *l, const yq_node *e, const char *var, const lw_chosen *to)
{
	const yq_node *call;
	int32_t recv = -1;

	e = yq_unwrap(e);
	call = choice_of(l, e);
	if (l->inlined || l->lets != NULL || !may_change(l, e, var))
		return false;
	if (call == NULL)
		return lw_rules_to(l, e, var, to);
	if (call != e)
		recv = lw_expr(l, e->kid[0]);
	(void)call_to(l, call->text, recv, call->kid, call->n, call, to);
	return true;
}

int32_t
lw_op2(lw *l, enum ir_op op, int32_t a, int32_t b)
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
bool
lw_metered(const lw *l)
{
	return l->unit->opt.memory_quota > 0 || (l->unit->layers & VT_L_CALLED) != 0;
}
