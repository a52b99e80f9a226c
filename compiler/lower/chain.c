/*
 * chain.c - which pipelines of methods may be loops: inline.c.
 *
 * Each call has to be the library's, whatever it is called on, and each lambda one that does
 * without a scope: nothing in it looks at one, makes a context, or asks for another argument.
 */
#include "compiler/lower/chain.h"

#include "runtime/abi/vt.h"
#include "runtime/call/call.h"

#include <string.h>

/* ---- the library's functions ---- */

typedef struct step_row {
	const char *name, *symbol;
	uint8_t kind;
	uint8_t least, most; /* lambdas */
	uint8_t arg;         /* arguments that are none, at most */
} step_row;

static const step_row steps[] = {
	{"where", "vt_lib_where", STEP_WHERE, 1, 1, 0},
	{"filter", "vt_lib_where", STEP_WHERE, 1, 1, 0},
	{"select", "vt_lib_select", STEP_SELECT, 1, 1, 0},
	{"map", "vt_lib_select", STEP_SELECT, 1, 1, 0},
	{"takeWhile", "vt_lib_take_while", STEP_TAKE_WHILE, 1, 1, 0},
	{"skipWhile", "vt_lib_skip_while", STEP_SKIP_WHILE, 1, 1, 0},
	{"limit", "vt_lib_limit", STEP_LIMIT, 0, 0, 1},
	{"take", "vt_lib_limit", STEP_LIMIT, 0, 0, 1},
	{"skip", "vt_lib_skip", STEP_SKIP, 0, 0, 1},
	{"distinct", "vt_lib_distinct", STEP_DISTINCT, 0, 1, 0},
	{"enumerate", "vt_lib_enumerate", STEP_ENUMERATE, 0, 0, 0},
	{"zip", "vt_lib_zip", STEP_ZIP, 0, 0, 1},
	{"selectMany", "vt_lib_select_many", STEP_MANY, 1, 1, 0},
	{"accumulate", "vt_lib_accumulate", STEP_SCAN, 1, 1, 1},
	{"flatten", "vt_lib_flatten", STEP_FLAT, 0, 0, 0},
	{"toList", "vt_lib_to_list", STEP_LIST, 0, 0, 0},
	{"reverse", "vt_lib_reverse", STEP_BACK, 0, 0, 0},
	{"orderBy", "vt_lib_order_by", STEP_ORDER, 1, 1, 0},
	{"orderByDescending", "vt_lib_order_by_descending", STEP_ORDER_DOWN, 1, 1, 0},
	{"thenBy", "vt_lib_then_by", STEP_THEN, 1, 1, 0},
	{"thenByDescending", "vt_lib_then_by_descending", STEP_THEN_DOWN, 1, 1, 0},
	{"groupBy", "vt_lib_group_by", STEP_GROUP, 1, 3, 0},
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
	{"indexOf", "vt_lib_index_of", TO_INDEX, 1, 1, 0, false},
	{"lastIndexWhere", "vt_lib_last_index_where", TO_LAST_INDEX, 1, 1, 1, false},
	{"lastIndexOf", "vt_lib_last_index_of", TO_LAST_INDEX, 1, 1, 0, false},
	{"single", "vt_lib_single", TO_SINGLE, 0, 0, 0, false},
	{"aggregate", "vt_lib_aggregate", TO_FOLD, 1, 2, 1, false},
	{"reduce", "vt_lib_aggregate", TO_FOLD, 1, 2, 1, false},
	{"join", "vt_lib_str_join", TO_ITEMS, 1, 1, 0, false},
	{"min", "vt_lib_fold_min", TO_MIN, 0, 1, 0, false},
	{"max", "vt_lib_fold_max", TO_MAX, 0, 1, 0, false},
	{"toSet", "vt_lib_to_set", TO_ITEMS, 0, 0, 0, false},
	{"contains", "vt_lib_contains", TO_IN, 1, 1, 0, false},
	{"toList", "vt_lib_to_list", TO_PLAIN, 0, 0, 0, false},
	{"list", "vt_lib_list", TO_PLAIN, 0, 0, 0, true},
	{"toDict", "vt_lib_to_dict", TO_DICT, 1, 2, 2, false},
	{"dict", "vt_lib_dict_of_pairs", TO_PAIRS, 0, 0, 0, true},
};

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

/* The call of e.f(..); or NULL. */
static const yq_node *
method_of(const yq_node *e)
{
	const yq_node *call = e->kind == YQ_BINARY && lw_is_word(e, ".") ? e->kid[1] : NULL;

	return call && call->kind == YQ_CALL ? call : NULL;
}

/* ---- lambdas and arguments ---- */

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
	return lw_is_lambda(lambda) && !reads_behind(lambda, args) && lw_fits_loop(l, lambda);
}

/* A value without a name that an expression writes. */
static bool
is_value(const yq_node *e)
{
	return e->kind != YQ_MAPPING && e->kind != YQ_EMPTY;
}

bool
lw_is_pair(const yq_node *e)
{
	return e->kind == YQ_LIST && e->n == 2 && is_value(e->kid[0]) && is_value(e->kid[1]);
}

/* ---- chains ---- */

bool
lw_is_then(uint8_t kind)
{
	return kind == STEP_THEN || kind == STEP_THEN_DOWN;
}

/* An order, or one more key of it? */
static bool
is_order(uint8_t kind)
{
	return kind == STEP_ORDER || kind == STEP_ORDER_DOWN || lw_is_then(kind);
}

static bool
takes(lw *l, const step_row *row, const yq_node *call, chain_step *to)
{
	uint32_t lambdas = call->n < row->most ? call->n : row->most;

	if (lambdas < row->least || call->n > row->most + row->arg ||
		(row->most == 0 && call->n != row->arg))
		return false;
	for (uint32_t i = 0; i < lambdas; i++)
		if (!fits(l, call->kid[i], row->kind == STEP_SCAN ? 2 : 1))
			return false;
	*to = (chain_step){.kind = row->kind,
		.call = call,
		.lambda = lambdas > 0 ? call->kid[0] : NULL,
		.value = lambdas > 1 ? call->kid[1] : NULL,
		.total = lambdas > 2 ? call->kid[2] : NULL,
		.arg = call->n > lambdas ? call->kid[lambdas] : NULL,
		.given = -1};
	/* it is evaluated twice where the calls are made in the end */
	if (to->arg && (!is_value(to->arg) || !lw_only_looks(l, to->arg)))
		return false;
	/* of such a limit nothing in front of it is ever done */
	if (row->kind != STEP_SCAN && to->arg && to->arg->kind == YQ_NUMBER &&
		(lw_number(l, to->arg).kind != IK_INT ||
			(row->kind == STEP_LIMIT && lw_number(l, to->arg).i == 0)))
		return false;
	/* keys are asked for where they are compared */
	return !is_order(row->kind) || lw_only_looks(l, to->lambda);
}

static bool
step_of(lw *l, const yq_node *e, chain_step *to)
{
	const yq_node *call = method_of(e);

	for (size_t i = 0; call && i < VC_LEN(steps); i++)
		if (strcmp(call->text, steps[i].name) == 0)
			return is_library(l, call->text, steps[i].symbol, false) &&
			       takes(l, &steps[i], call, to);
	return false;
}

bool
lw_is_range(const yq_node *e)
{
	return e->kind == YQ_CALL && strcmp(e->text, "range") == 0;
}

/* d.keys(), d.values() and d.items() need not be made. */
static void
find_source(lw *l, const yq_node *e, chain *c)
{
	static const struct {
		const char *name, *symbol;
		uint8_t few;
	} views[] = {{"keys", "vt_lib_keys", VT_FEW_KEYS},
		{"values", "vt_lib_values", VT_FEW_VALUES},
		{"items", "vt_lib_items", VT_FEW_PAIRS}};
	const yq_node *call = method_of(e);

	c->source = e;
	c->few = lw_is_range(e) ? VT_FEW_LIST : VT_FEW_AGAIN;
	for (size_t i = 0; call && call->n == 0 && i < VC_LEN(views); i++)
		if (strcmp(call->text, views[i].name) == 0 &&
			is_library(l, call->text, views[i].symbol, false)) {
			c->source = e->kid[0];
			c->few = views[i].few;
		}
}

/* Does none of its lambdas and arguments call a method of the program? */
static bool
only_looks(lw *l, const chain *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		if ((c->step[i].lambda && !lw_only_looks(l, c->step[i].lambda)) ||
			(c->step[i].value && !lw_only_looks(l, c->step[i].value)) ||
			(c->step[i].total && !lw_only_looks(l, c->step[i].total)) ||
			(c->step[i].arg && !lw_only_looks(l, c->step[i].arg)))
			return false;
	for (uint32_t i = 0; i < c->nargs; i++)
		if (!lw_only_looks(l, c->args[i]))
			return false;
	return true;
}

static bool
has_arrow(const yq_node *e)
{
	if (e->kind == YQ_BINARY && lw_is_word(e, "->"))
		return true;
	for (uint32_t i = 0; i < e->n; i++)
		if (has_arrow(e->kid[i]))
			return true;
	return false;
}

/* Has it let() in one of its lambdas or arguments? */
static bool
has_let(const chain *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		if ((c->step[i].lambda && has_arrow(c->step[i].lambda)) ||
			(c->step[i].value && has_arrow(c->step[i].value)) ||
			(c->step[i].total && has_arrow(c->step[i].total)))
			return true;
	for (uint32_t i = 0; i < c->nargs; i++)
		if (has_arrow(c->args[i]))
			return true;
	return false;
}

/* May the step stand behind the others? */
static bool
follows(const chain *c, uint32_t at)
{
	const chain_step *s = &c->step[at];

	if (lw_is_then(s->kind))
		return at > 0 && is_order(s[-1].kind);
	/* its first value goes to the steps behind it, past those in front */
	for (uint32_t i = 0; i < at && s->kind == STEP_SCAN && s->arg; i++)
		if (c->step[i].kind == STEP_MANY || c->step[i].kind == STEP_FLAT ||
			(c->step[i].kind == STEP_SCAN && c->step[i].arg))
			return false;
	return true;
}

/* Keys are asked for where they are compared, which loops see to themselves as well.  What only the
 * calls know: arguments are evaluated when the calls in front of them have found their functions;
 * accumulate() fails where it has no item, single() where it has none or two; let() may have an
 * iterator; the aggregator of groupBy() may want pairs. */
static bool
fit_together(lw *l, chain *c)
{
	bool wants = false, must = has_let(c) || c->sink == TO_SINGLE;

	for (uint32_t i = 0; i < c->n; i++) {
		const chain_step *s = &c->step[i];
		wants |= is_order(s->kind);
		must |= s->kind == STEP_SCAN || s->total || (s->arg && s->arg->n > 0);
		if (!follows(c, i))
			return false;
	}
	c->again = (wants || must) && only_looks(l, c);
	return c->again || !must;
}

/* The steps of e from its end; what is left is the source. */
static bool
find_steps(lw *l, const yq_node *e, chain *c)
{
	chain_step found[MOST_STEPS], one;

	for (c->n = 0; step_of(l, e, &one); e = e->kid[0]) {
		if (c->n == MOST_STEPS)
			return false;
		found[c->n++] = one;
	}
	for (uint32_t i = 0; i < c->n; i++)
		c->step[i] = found[c->n - 1 - i];
	find_source(l, e, c);
	return fit_together(l, c);
}

static bool
may_inline(const lw *l)
{
	return l->f->kind == IF_METHOD && !l->dynamic && !l->own && !l->outline &&
	       vc_pass_on(l->c, INLINE) && vc_pass_on(l->c, CAPTURE) && !lw_metered(l);
}

/* Are the items pairs, by their last step that makes any? */
static bool
makes_pairs(const chain *c)
{
	for (uint32_t i = c->n; i-- > 0;) {
		const yq_node *e =
			c->step[i].kind == STEP_SELECT ? yq_unwrap(c->step[i].lambda) : NULL;
		if (e)
			return lw_is_pair(e);
		switch ((enum step_kind)c->step[i].kind) {
		case STEP_ENUMERATE:
		case STEP_ZIP:
		case STEP_GROUP: return true;
		case STEP_MANY:
		case STEP_FLAT:
		case STEP_SCAN:
		case STEP_LIST:
		case STEP_BACK:
		case STEP_ORDER:
		case STEP_ORDER_DOWN:
		case STEP_THEN:
		case STEP_THEN_DOWN: return false;
		default: break;
		}
	}
	return c->few == VT_FEW_PAIRS;
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

/* Only lists of what a list has? */
static bool
is_part(const chain_step *s)
{
	return s->kind == STEP_LIST || s->kind == STEP_BACK || s->kind == STEP_LIMIT ||
	       s->kind == STEP_SKIP;
}

/* Is there something to do beside copying parts of a list?  That the library does in one piece.
 * s: NULL where the items end up in a list. */
static bool
works(const chain *c, const sink_row *s)
{
	bool list = s == NULL || s->sink == TO_PLAIN || s->sink == TO_ITEMS;

	for (uint32_t i = 0; i < c->n; i++)
		if (!is_part(&c->step[i]) || (!list && c->step[i].kind != STEP_LIST))
			return true;
	return s && ((s->lambdas > 0 && c->nargs > 0) ||
			    (c->few != VT_FEW_AGAIN &&
				    (s->sink == TO_SUM || s->sink == TO_MIN || s->sink == TO_MAX)));
}

/* len() is not for what orderBy() gives, nor is that an iterator to list(), or a list. */
static bool
is_for_last(const chain *c)
{
	uint8_t last = c->n > 0 ? c->step[c->n - 1].kind : STEP_LIST;

	if (strcmp(c->call->text, "list") == 0)
		return last != STEP_LIST && !is_order(last);
	return strcmp(c->call->text, "len") != 0 || !is_order(last);
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
		if (!is_value(c->args[i]))
			return false;
	return true;
}

/* Items that may be lists of enumerate(): two of those make an iterator, not a list. */
static bool
has_changing_items(lw *l, const chain *c)
{
	bool changing = false;

	for (uint32_t i = 0; i < c->n; i++) {
		if (c->step[i].kind == STEP_ENUMERATE)
			changing = true;
		else if (c->step[i].kind == STEP_SELECT)
			changing = changing && lw_uses_whole(l, c->step[i].lambda);
	}
	return changing;
}

/* value in chain */
static bool
find_in(lw *l, const yq_node *e, chain *c)
{
	if (e->kind != YQ_BINARY || !lw_is_word(e, "in") || !is_value(e->kid[0]) ||
		!find_steps(l, e->kid[1], c) || !works(c, NULL))
		return false;
	c->left = e->kid[0];
	c->sink = TO_IN;
	return true;
}

bool
lw_find_chain(lw *l, const yq_node *e, chain *c)
{
	const sink_row *s;

	*c = (chain){.whole = e};
	if (!may_inline(l))
		return false;
	if (e->kind == YQ_CALL && e->n == 1) {
		c->call = e;
	} else {
		c->call = method_of(e);
		if (c->call == NULL)
			return find_in(l, e, c);
		c->args = c->call->kid;
		c->nargs = c->call->n;
	}
	s = sink_of(l, c->call->text, c->nargs, c->call == e);
	if (s == NULL)
		return false;
	c->sink = s->sink;
	c->lambdas = s->lambdas;
	if (!takes_arguments(l, c, s) || !find_steps(l, e->kid[0], c) || !works(c, s) ||
		!is_for_last(c) ||
		/* one that cannot be hashed is refused before the next is asked for */
		(strcmp(s->name, "toSet") == 0 && !lw_only_looks(l, e->kid[0])) ||
		(s->sink == TO_SUM && has_changing_items(l, c)) ||
		(s->sink == TO_PAIRS && !makes_pairs(c)))
		return false;
	return true;
}

bool
lw_find_open_chain(lw *l, const yq_node *e, chain *c)
{
	*c = (chain){.whole = e, .sink = TO_PLAIN};
	return may_inline(l) && find_steps(l, e, c) && works(c, NULL);
}

bool
lw_find_part_chain(lw *l, const yq_node *e, chain *c)
{
	return lw_find_open_chain(l, e, c) && (c->again = only_looks(l, c));
}

bool
lw_find_value_chain(lw *l, const yq_node *e, chain *c)
{
	if (!lw_find_open_chain(l, yq_unwrap(e), c))
		return false;
	c->sink = TO_LIST;
	/* what items are made of is evaluated when all of them are there, and so is one that the
	 * next one is made of */
	for (uint32_t i = 0; i < c->n; i++)
		if (c->step[i].kind == STEP_SCAN ||
			(c->step[i].lambda && lw_defers(l, c->step[i].lambda)))
			c->sink = TO_PLAIN;
	if (c->step[c->n - 1].kind == STEP_LIST)
		c->n--;
	return true;
}
