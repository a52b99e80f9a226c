/*
 * inline.c - pipelines of methods as loops: `inline`.
 *
 * A chain of where() and select(), and the function that takes all it gives, is a loop of the
 * method when its source is a short list: the lambdas stand in the loop, with the item in place of
 * `$`, so that nothing is called and no iterator is made.  Items pass through it one by one, as
 * through the chain of iterators.  `few` goes to the loop, with the items of lists, views and
 * ranges.  Where it does not (other sources, many items, functions of the host), the calls behind
 * it are made as they are written.
 *
 * Lambdas stay what they are where a scope would be seen: those that call functions that look at
 * it, make contexts, or ask for a second argument.
 */
#include "compiler/lower/int.h"
#include "runtime/call/call.h"

#include <string.h>

/* What takes the items. */
enum sink {
	NO_SINK,
	TO_LIST,  /* a list of what is final already: the value of an expression */
	TO_ITEMS, /* a list that a function then takes */
	TO_COUNT,
	TO_SUM,
	TO_ANY,
	TO_ALL,
	TO_FIRST,
	TO_LAST,
	TO_INDEX,
	TO_FOLD,
	TO_DICT, /* by lambdas for key and value */
	TO_PAIRS /* a dict of lists of both */
};

typedef struct sink_row {
	const char *name, *symbol;
	uint8_t sink, least, most; /* arguments */
	uint8_t lambdas;           /* how many of them are, in front */
	bool function;             /* called with the source as its argument */
} sink_row;

/* any() and the like give the same for a list as for an iterator over it. */
static const sink_row sinks[] = {
	{"any", "vt_lib_any", TO_ANY, 0, 1, 1, false},
	{"any", "vt_lib_any", TO_ANY, 0, 0, 0, true},
	{"all", "vt_lib_all", TO_ALL, 0, 1, 1, false},
	{"all", "vt_lib_all", TO_ALL, 0, 0, 0, true},
	{"len", "vt_lib_count", TO_COUNT, 0, 0, 0, false},
	{"len", "vt_lib_count", TO_COUNT, 0, 0, 0, true},
	{"count", "vt_lib_count", TO_COUNT, 0, 0, 0, false},
	{"first", "vt_lib_first", TO_FIRST, 0, 1, 0, false},
	{"last", "vt_lib_last", TO_LAST, 0, 1, 0, false},
	{"sum", "vt_lib_sum", TO_SUM, 0, 1, 0, false},
	{"indexWhere", "vt_lib_index_where", TO_INDEX, 1, 1, 1, false},
	{"aggregate", "vt_lib_aggregate", TO_FOLD, 2, 2, 1, false},
	{"reduce", "vt_lib_aggregate", TO_FOLD, 2, 2, 1, false},
	{"join", "vt_lib_str_join", TO_ITEMS, 1, 1, 0, false},
	{"toDict", "vt_lib_to_dict", TO_DICT, 1, 2, 2, false},
	{"dict", "vt_lib_dict_of_pairs", TO_PAIRS, 0, 0, 0, true},
};

enum { MOST_STAGES = 8 };

typedef struct chain {
	const yq_node *whole, *source, *call; /* call: of the sink, or NULL */
	const yq_node *lambda[MOST_STAGES];
	uint8_t stage[MOST_STAGES]; /* enum ir_stage */
	uint32_t n;
	uint8_t sink;
	yq_node *const *args; /* of the sink, without what it is called on */
	uint32_t nargs;
} chain;

/* ---- which ones ---- */

/* May a function of the class library with this symbol be what the name means here, and no other
 * that takes iterators? */
static bool
is_library(const lw *l, const char *name, const char *symbol, bool function)
{
	uint32_t n, kind = function ? VT_FN_FUNCTION : VT_FN_METHOD;
	bool found = false;
	const vt_fnrow *rows = vt_fn_find(name, &n);

	for (uint32_t i = 0; rows && i < n; i++) {
		if (!vt_row_is_there(&rows[i], l->unit->layers))
			continue;
		if (rows[i].flags & VT_FN_EXCLUSIVE)
			return false;
		found |= (rows[i].flags & kind) && strcmp(rows[i].symbol, symbol) == 0;
	}
	return found && (function || !lw_is_method_name(l, name));
}

static const sink_row *
sink_of(const lw *l, const char *name, uint32_t nargs, bool function)
{
	for (size_t i = 0; i < VC_LEN(sinks); i++) {
		const sink_row *s = &sinks[i];
		if (strcmp(name, s->name) == 0 && s->function == function && nargs >= s->least &&
			nargs <= s->most)
			return is_library(l, s->name, s->symbol, function) ? s : NULL;
	}
	return NULL;
}

/* Does an expression of e read an argument behind the first `most`, which would be one of the code
 * around? */
static bool
reads_behind(const yq_node *e, int most)
{
	if (e->kind == YQ_VAR && e->ntext > 0 && e->text[0] >= '0' && e->text[0] <= '9' &&
		(e->ntext > 1 || e->text[0] - '0' > most || e->text[0] == '0'))
		return true;
	for (uint32_t i = 0; i < e->n; i++)
		if (reads_behind(e->kid[i], most))
			return true;
	return false;
}

static bool
fits(lw *l, const yq_node *lambda, int args)
{
	return lw_is_lambda(lambda) && !reads_behind(lambda, args) && lw_is_blind(l, lambda);
}

/* The sink's own arguments. */
static bool
takes_arguments(lw *l, const chain *c, const sink_row *s)
{
	uint32_t at = s->lambdas < c->nargs ? s->lambdas : c->nargs;

	for (uint32_t i = 0; i < at; i++)
		if (!fits(l, c->args[i], s->sink == TO_FOLD ? 2 : 1))
			return false;
	/* what is evaluated in front of the loop */
	for (uint32_t i = at; i < c->nargs; i++)
		if (c->args[i]->kind == YQ_MAPPING || c->args[i]->kind == YQ_EMPTY ||
			(s->sink == TO_ITEMS && c->args[i]->kind != YQ_STRING))
			return false;
	return true;
}

/* The stages of e from its end; what is left is the source. */
static bool
find_stages(lw *l, const yq_node *e, chain *c)
{
	const yq_node *x = e;
	uint32_t i;

	for (c->n = 0; lw_stage_of(l, x) != IR_STAGE_NONE; x = x->kid[0])
		if (++c->n > MOST_STAGES)
			return false;
	c->source = x;
	i = c->n;
	for (x = e; i-- > 0; x = x->kid[0]) {
		c->stage[i] = (uint8_t)lw_stage_of(l, x);
		c->lambda[i] = x->kid[1]->kid[0];
		if (!fits(l, c->lambda[i], 1))
			return false;
	}
	return true;
}

static bool
may_inline(const lw *l)
{
	return l->f->kind == IF_METHOD && !l->dynamic && !l->own && !l->outline &&
	       vc_pass_on(l->c, INLINE) && vc_pass_on(l->c, CAPTURE) && !lw_metered(l);
}

/* Are the items lists of two, as they are written? */
static bool
makes_pairs(const chain *c)
{
	const yq_node *e = c->n > 0 ? yq_unwrap(c->lambda[c->n - 1]) : NULL;

	return e && c->stage[c->n - 1] == IR_STAGE_SELECT && e->kind == YQ_LIST && e->n == 2 &&
	       e->kid[0]->kind != YQ_MAPPING && e->kid[1]->kind != YQ_MAPPING;
}

/* e.f(..) or f(e) with a sink f. */
static bool
find_sink(lw *l, const yq_node *e, chain *c)
{
	const sink_row *s;

	c->whole = e;
	if (e->kind == YQ_CALL && e->n == 1) {
		c->call = e;
	} else {
		c->call = e->kind == YQ_BINARY && lw_is_word(e, ".") ? e->kid[1] : NULL;
		if (c->call == NULL || c->call->kind != YQ_CALL)
			return false;
		c->args = c->call->kid;
		c->nargs = c->call->n;
	}
	s = sink_of(l, c->call->text, c->nargs, c->call == e);
	if (s == NULL || !takes_arguments(l, c, s) || !find_stages(l, e->kid[0], c) ||
		(c->n == 0 && (s->lambdas == 0 || c->nargs == 0)) ||
		(s->sink == TO_PAIRS && !makes_pairs(c)))
		return false;
	c->sink = s->sink;
	return true;
}

/* ---- the calls as they are written ---- */

static const char SOURCE[] = " source";

/* e with the value that the source has, under a name that no expression could have. */
static const yq_node *
with_source(lw *l, const yq_node *e, const yq_node *source)
{
	yq_node *copy = vc_alloc(l->c, sizeof *copy);

	if (e == source) {
		*copy = (yq_node){.kind = YQ_VAR,
			.from = e->from,
			.to = e->to,
			.op_at = e->op_at,
			.text = SOURCE,
			.ntext = sizeof SOURCE - 1};
		return copy;
	}
	*copy = *e;
	copy->kid = vc_alloc(l->c, e->n * sizeof *copy->kid);
	memcpy(copy->kid, e->kid, e->n * sizeof *copy->kid);
	copy->kid[0] = (yq_node *)with_source(l, e->kid[0], source);
	return copy;
}

static int32_t
call_all(lw *l, const chain *c, int32_t source)
{
	lw_let let = {.up = l->lets, .name = SOURCE, .temp = source, .var = -1};
	bool outline = l->outline;
	int32_t d;

	l->lets = &let;
	l->outline = true;
	d = lw_expr(l, with_source(l, c->whole, c->source));
	l->outline = outline;
	l->lets = let.up;
	return d;
}

/* ---- the loop ---- */

/* What the loop keeps. */
typedef struct loop {
	int32_t result;      /* temporary */
	int32_t list;        /* temporary of the list that is made */
	int32_t value, some; /* variables: what there is so far, and whether there is any */
	int32_t given;       /* temporary: initial value or default; or -1 */
	int32_t skip, out;   /* labels: the next item; the end, with a result */
} loop;

static int32_t
own_variable(lw *l)
{
	char *name = vc_format(l->c, " loop %u", l->f->nvars);

	vc_push(l->c, l->f->vars, l->f->nvars) = name;
	return (int32_t)l->f->nvars - 1;
}

static int32_t
read(lw *l, int32_t var)
{
	int32_t d = lw_temp(l);
	ir_ins *in = lw_emit(l, IR_VAR);

	in->d = d;
	in->var = var;
	return d;
}

static int32_t
constant(lw *l, enum ir_const_kind kind, int64_t i)
{
	return lw_const(l, (ir_const){.kind = (uint8_t)kind, .i = i});
}

static void
set_constant(lw *l, int32_t var, enum ir_const_kind kind, int64_t i)
{
	lw_set_variable(l, var, constant(l, kind, i));
}

/* var + t, by the operator where the function would use it. */
static void
add(lw *l, const chain *c, int32_t var, int32_t t)
{
	ir_site *site = lw_new_site(l, "#operator_+", false, 2, c->call);
	ir_ins *in;

	site->args[0].kind = site->args[1].kind = VT_A_EXPR;
	in = lw_emit(l, IR_ADDV);
	in->var = var;
	in->a[0] = t;
	in->na = 1;
	in->site = site;
}

static int32_t
room(lw *l, enum ir_room what, int32_t list)
{
	int32_t d = lw_op1(l, IR_ROOM, list);

	l->f->ins[l->f->n - 1].i[0] = what;
	return d;
}

static void
open_loop(lw *l, const chain *c, loop *to, int32_t list)
{
	uint32_t at = c->sink == TO_FOLD;
	bool gives = c->sink == TO_FOLD || c->sink == TO_SUM || c->sink == TO_FIRST ||
		     c->sink == TO_LAST;

	to->given = gives && c->nargs > at ? lw_expr(l, c->args[at]) : -1;
	switch ((enum sink)c->sink) {
	case TO_LIST: to->list = room(l, IR_ROOM_FINAL, list); break;
	case TO_ITEMS: to->list = room(l, IR_ROOM_LIST, list); break;
	case TO_DICT: to->list = room(l, IR_ROOM_DICT, list); break;
	case TO_PAIRS: to->list = room(l, IR_ROOM_FROZEN, list); break;
	case TO_COUNT:
	case TO_INDEX:
		to->value = own_variable(l);
		set_constant(l, to->value, IK_INT, 0);
		break;
	case TO_FOLD:
		to->value = own_variable(l);
		lw_set_variable(l, to->value, to->given);
		break;
	case TO_SUM:
	case TO_LAST:
		to->value = own_variable(l);
		if (to->given >= 0) {
			lw_set_variable(l, to->value, to->given);
			break;
		}
		to->some = own_variable(l);
		set_constant(l, to->some, IK_FALSE, 0);
		break;
	case NO_SINK:
	case TO_ANY:
	case TO_ALL:
	case TO_FIRST: break;
	}
}

/* The lambda's value with the item for `$`. */
static int32_t
lambda(lw *l, const yq_node *e, int32_t item)
{
	lw_let let = {.up = l->lets, .n = 1, .temp = item, .var = -1};
	bool inlined = l->inlined;
	int32_t d;

	l->lets = &let;
	l->inlined = true;
	d = lw_expr(l, e);
	l->inlined = inlined;
	l->lets = let.up;
	return d;
}

/* The loop is over, with this result. */
static void
leave(lw *l, const loop *to, int32_t result, int32_t floor)
{
	lw_copy_into(l, to->result, result);
	lw_free_temps(l, floor, l->next);
	lw_jump(l, to->out);
}

static void
fold(lw *l, const chain *c, const loop *to, int32_t item)
{
	lw_let so_far = {.up = l->lets, .n = 1, .temp = read(l, to->value), .var = -1},
	       next = {.up = &so_far, .n = 2, .temp = item, .var = -1};

	bool inlined = l->inlined;

	l->lets = &next;
	l->inlined = true;
	lw_set_variable(l, to->value, lw_expr(l, c->args[0]));
	l->inlined = inlined;
	l->lets = so_far.up;
}

/* The first is what there is; the others are added, or take its place. */
static void
take_next(lw *l, const chain *c, const loop *to, int32_t item)
{
	int32_t more = lw_label(l), end = lw_label(l);

	if (c->sink == TO_SUM && to->given >= 0) {
		add(l, c, to->value, item);
		return;
	}
	if (c->sink == TO_SUM)
		lw_jump_if(l, IR_JTRUE, read(l, to->some), more);
	lw_set_variable(l, to->value, lw_op1(l, IR_COPY, item));
	if (to->given < 0)
		set_constant(l, to->some, IK_TRUE, 0);
	if (c->sink == TO_SUM) {
		lw_jump(l, end);
		lw_place(l, more);
		add(l, c, to->value, item);
		lw_place(l, end);
	}
}

static void
put(lw *l, const loop *to, int32_t item)
{
	ir_ins *in = lw_emit(l, IR_PUT);

	in->a[0] = item;
	in->a[1] = to->list;
	in->na = 2;
}

static void
put_pair(lw *l, const loop *to, int32_t key, int32_t value)
{
	ir_ins *in = lw_emit(l, IR_PUTPAIR);

	in->a[0] = to->list;
	in->a[1] = key;
	in->a[2] = value;
	in->na = 3;
}

/* An item that has come through all stages; temporaries from `floor` on are of this round. */
static void
take(lw *l, const chain *c, const loop *to, int32_t item, int32_t floor)
{
	bool tells = c->sink == TO_ANY || c->sink == TO_ALL || c->sink == TO_INDEX;

	if (tells && c->nargs > 0)
		item = lambda(l, c->args[0], item);
	switch ((enum sink)c->sink) {
	case TO_LIST: put(l, to, lw_op1(l, IR_FINAL, item)); break;
	case TO_ITEMS: put(l, to, item); break;
	case TO_COUNT: add(l, c, to->value, constant(l, IK_INT, 1)); break;
	case TO_SUM:
	case TO_LAST: take_next(l, c, to, item); break;
	case TO_ANY:
		if (c->nargs > 0)
			lw_jump_if(l, IR_JFALSE, item, to->skip);
		leave(l, to, constant(l, IK_TRUE, 0), floor);
		break;
	case TO_ALL:
		lw_jump_if(l, IR_JTRUE, item, to->skip);
		leave(l, to, constant(l, IK_FALSE, 0), floor);
		break;
	case TO_FIRST: leave(l, to, item, floor); break;
	case TO_INDEX: {
		int32_t other = lw_label(l);
		lw_jump_if(l, IR_JFALSE, item, other);
		leave(l, to, read(l, to->value), floor);
		lw_place(l, other);
		add(l, c, to->value, constant(l, IK_INT, 1));
		break;
	}
	case TO_FOLD: fold(l, c, to, item); break;
	case TO_DICT: {
		int32_t key = lambda(l, c->args[0], item);
		put_pair(l, to, key, c->nargs > 1 ? lambda(l, c->args[1], item) : item);
		break;
	}
	case TO_PAIRS: /* walk() has put it */
	case NO_SINK: break;
	}
}

/* What the function does with no item: it raises an error, mostly. */
static int32_t
of_none(lw *l, const chain *c)
{
	int32_t none = lw_temp(l);

	lw_emit(l, IR_LIST)->d = none;
	return lw_call(l, c->call->text, none, c->args, c->nargs, c->call);
}

/* The value of the variable, which is empty afterwards. */
static void
give_variable(lw *l, const chain *c, const loop *to)
{
	lw_copy_into(l, to->result, read(l, to->value));
	if (c->sink != TO_SUM) /* mostly a number */
		set_constant(l, to->value, IK_NULL, 0);
}

static void
give_or_none(lw *l, const chain *c, const loop *to)
{
	int32_t some = lw_label(l);

	lw_jump_if(l, IR_JTRUE, read(l, to->some), some);
	lw_copy_into(l, to->result, of_none(l, c));
	lw_jump(l, to->out);
	lw_place(l, some);
	give_variable(l, c, to);
}

/* What comes of it when all items are through. */
static void
close_loop(lw *l, const chain *c, const loop *to)
{
	int32_t d = to->list;

	switch ((enum sink)c->sink) {
	case NO_SINK:
	case TO_LIST:
	case TO_DICT:
	case TO_PAIRS: break;
	case TO_ITEMS: d = lw_call(l, c->call->text, to->list, c->args, c->nargs, c->call); break;
	case TO_COUNT: d = read(l, to->value); break;
	case TO_FOLD: give_variable(l, c, to); return;
	case TO_SUM:
	case TO_LAST:
		if (to->given >= 0)
			give_variable(l, c, to);
		else
			give_or_none(l, c, to);
		return;
	case TO_ANY: d = constant(l, IK_FALSE, 0); break;
	case TO_ALL: d = constant(l, IK_TRUE, 0); break;
	case TO_INDEX: d = constant(l, IK_INT, -1); break;
	case TO_FIRST: d = to->given >= 0 ? to->given : of_none(l, c); break;
	}
	lw_copy_into(l, to->result, d);
}

static void
walk(lw *l, const chain *c, loop *to, int32_t list)
{
	int32_t again = lw_label(l), done = lw_label(l), floor, item;
	ir_ins *in;

	to->skip = lw_label(l);
	open_loop(l, c, to, list);
	lw_place(l, again);
	floor = l->next;
	item = lw_temp(l);
	in = lw_emit(l, IR_EACH);
	in->d = item;
	in->a[0] = list;
	in->na = 1;
	in->label = done;
	for (uint32_t i = 0; i < c->n; i++) {
		int32_t x;
		if (c->sink == TO_PAIRS && i + 1 == c->n) {
			const yq_node *pair = yq_unwrap(c->lambda[i]);
			x = lambda(l, pair->kid[0], item);
			put_pair(l, to, x, lambda(l, pair->kid[1], item));
			break;
		}
		x = lambda(l, c->lambda[i], item);
		if (c->stage[i] == IR_STAGE_WHERE)
			lw_jump_if(l, IR_JFALSE, x, to->skip);
		else
			item = x;
	}
	take(l, c, to, item, floor);
	lw_place(l, to->skip);
	lw_free_temps(l, floor, l->next);
	l->next = floor;
	lw_jump(l, again);
	lw_place(l, done);
	close_loop(l, c, to);
	lw_place(l, to->out);
}

static int32_t
lower_chain(lw *l, const chain *c)
{
	int32_t d = lw_temp(l), loops = lw_label(l), end = lw_label(l), source, list;
	loop to = {.result = d, .out = lw_label(l)};
	ir_ins *in;

	source = lw_expr(l, c->source);
	list = lw_temp(l);
	in = lw_emit(l, IR_FEW);
	in->d = list;
	in->a[0] = source;
	in->na = 1;
	in->label = loops;
	lw_copy_into(l, d, call_all(l, c, source));
	lw_jump(l, end);
	lw_place(l, loops);
	walk(l, c, &to, list);
	lw_place(l, end);
	return d;
}

int32_t
lw_inline(lw *l, const yq_node *e)
{
	chain c = {0};

	return may_inline(l) && find_sink(l, e, &c) ? lower_chain(l, &c) : -1;
}

int32_t
lw_inline_value(lw *l, const yq_node *e)
{
	chain c = {.sink = TO_LIST};
	const yq_node *call;

	e = yq_unwrap(e);
	if (!may_inline(l))
		return -1;
	c.whole = e;
	call = e->kind == YQ_BINARY && lw_is_word(e, ".") ? e->kid[1] : NULL;
	if (call && call->kind == YQ_CALL && call->n == 0 && strcmp(call->text, "toList") == 0 &&
		is_library(l, "toList", "vt_lib_to_list", false))
		e = e->kid[0];
	return find_stages(l, e, &c) && c.n > 0 ? lower_chain(l, &c) : -1;
}
