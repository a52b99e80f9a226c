/*
 * lambda_list.c - calls that make a list, a dict or groups of a collection, as steps of lambda
 * programs: what is edited, numbered or in pieces, orders by several keys, groupBy(), toDict(), and
 * what is looked for in them; dicts that are made of keys and values, and edited.
 *
 * Where the code gives an iterator the step gives a list, for those alone who read all of it.
 */
#include "compiler/emit/lambda.h"
#include "runtime/call/call.h"

#include <string.h>

/* ---- lists made of others ---- */

static const struct list_step {
	const char *name;
	uint8_t how;         /* enum vt_list_step */
	uint8_t least, most; /* arguments */
	uint8_t from, to;    /* those that are collections */
	bool at;             /* the first is a position */
} list_steps[] = {{"replace", VT_LIST_REPLACE, 2, 3, 0, 0, true},
	{"replaceMany", VT_LIST_REPLACE_MANY, 2, 3, 1, 2, true},
	{"delete", VT_LIST_DELETE, 1, 2, 0, 0, true}, {"insert", VT_LIST_INSERT, 2, 2, 0, 0, true},
	{"insertMany", VT_LIST_INSERT_MANY, 2, 2, 1, 2, true},
	{"append", VT_LIST_APPEND, 1, LP_ARGS, 0, 0, false},
	{"concat", VT_LIST_CONCAT, 1, LP_ARGS, 0, LP_ARGS, false},
	{"enumerate", VT_LIST_ENUMERATE, 0, 1, 0, 0, false},
	{"zip", VT_LIST_ZIP, 1, LP_ARGS, 0, LP_ARGS, false},
	{"flatten", VT_LIST_FLATTEN, 0, 0, 0, 0, false},
	{"slice", VT_LIST_SLICE, 1, 1, 0, 0, false}, {"limit", VT_LIST_LIMIT, 1, 1, 0, 0, false},
	{"take", VT_LIST_LIMIT, 1, 1, 0, 0, false}, {"skip", VT_LIST_SKIP, 1, 1, 0, 0, false}};

/* What has that name may be a method of texts and dicts as well: a position tells. */
static const struct list_step *
list_step(const lp_program *t, const ir_ins *in)
{
	uint32_t n = in->site->nargs;

	for (size_t i = 0; i < sizeof list_steps / sizeof *list_steps; i++) {
		const struct list_step *x = &list_steps[i];
		if (strcmp(in->site->name, x->name) != 0)
			continue;
		return n >= x->least && n <= x->most && (n == 0 || lp_plain_args(in, false)) &&
				       (!x->at || t->cells[in->a[0]].is == LP_PIPE ||
					       small_int(in, 0) >= 0)
			       ? x
			       : NULL;
	}
	return NULL;
}

static int
collection(lp_program *t, int32_t temp)
{
	const lp_cell *c = temp >= 0 ? &t->cells[temp] : NULL;

	return c != NULL && c->is == LP_PIPE ? lp_collect(t, c) : lp_reg(t, temp);
}

/* Is it $1 of a fold, or what lies in it? */
static bool
is_of_sum(const lp_program *t, uint32_t r)
{
	const lp_step *s = &t->t[r];

	while (s->a != VT_STEP_K && (s->op == VT_STEP_ATTR || s->op == VT_STEP_INDEX ||
					    s->op == VT_STEP_GET || s->op == VT_STEP_ADD))
		s = &t->t[s->a];
	return t->folds && s->op == VT_STEP_ITEM && s->a == 0;
}

/* append() and concat() of what a fold makes are sums, which change it where it is: of lists that
 * is the same, and all else is not for the program. */
static bool
add_to_sum(lp_program *t, const ir_ins *in, const lp_step *s)
{
	const ir_ins *plus = lp_call_of(t, in, "#operator_+", 2, false);
	lp_step items = {.op = VT_STEP_LIST, .n = s->n, .args = s->args};
	int r = s->a;

	if (s->c == VT_LIST_APPEND) {
		int list = lp_push(t, items);
		r = list < 0 ? -1
			     : lp_push(t, (lp_step){.op = VT_STEP_ADD,
						  .a = s->a,
						  .b = (uint8_t)list,
						  .ins = plus});
	}
	for (uint32_t i = 0; s->c == VT_LIST_CONCAT && r >= 0 && i < s->n; i++)
		r = lp_push(t,
			(lp_step){
				.op = VT_STEP_ADD, .a = (uint8_t)r, .b = s->args[i], .ins = plus});
	t->calls = t->mixed = true;
	return r >= 0 && lp_fresh_list(t, in, r);
}

/* Folds have their own way to replace an item of what they make: it stays where it is. */
bool
lp_makes_list(lp_program *t, const ir_ins *in)
{
	bool may = t->e->is_query && in->d >= 0 && (!t->folds || !is_call_of(in, "replace", 2));
	const struct list_step *x = may ? list_step(t, in) : NULL;
	lp_step s = {.op = VT_STEP_LISTED, .b = VT_STEP_K, .ins = in};
	int r;

	if (x == NULL || t->cells[in->a[0]].set || (r = collection(t, in->a[0])) < 0)
		return false;
	s.a = (uint8_t)r;
	s.c = x->how;
	s.args = vc_alloc(t->e->c, in->site->nargs + 1);
	for (uint32_t i = 0; i < in->site->nargs; i++) {
		bool whole = i >= x->from && i < x->to && i < in->nlist && in->list[i] >= 0;
		if ((r = whole ? collection(t, in->list[i]) : lp_given(t, in, i)) < 0)
			return false;
		s.args[s.n++] = (uint8_t)r;
	}
	if ((s.c == VT_LIST_APPEND || s.c == VT_LIST_CONCAT) && is_of_sum(t, s.a))
		return add_to_sum(t, in, &s);
	t->calls = t->mixed = true;
	return (r = lp_push(t, s)) >= 0 && lp_fresh_list(t, in, r);
}

/* May what the register holds be an iterator?  Calls are told to give none. */
static bool
gives_iterator(lp_program *t, uint8_t r)
{
	lp_step *s = &t->t[r];

	switch (s->op) {
	case VT_STEP_CHOOSE:
		return gives_iterator(t, s->a) || (s->b != VT_STEP_K && gives_iterator(t, s->b));
	case VT_STEP_CALL:
	case VT_STEP_ADD: s->flags |= VT_STEP_SHARED; return false;
	case VT_STEP_NEST: return s->nest->iterator != 0;
	case VT_STEP_DEFINED: return true;
	}
	return false;
}

static int
list_with(lp_program *t, const ir_ins *in, int list, uint8_t how, uint32_t n, const uint8_t *r)
{
	lp_step s = {.op = VT_STEP_LISTED, .a = (uint8_t)list, .b = VT_STEP_K, .c = how, .ins = in};

	s.args = vc_alloc(t->e->c, n + 1);
	memcpy(s.args, r, n);
	s.n = (uint8_t)n;
	return list < 0 ? -1 : lp_push(t, s);
}

/* Does the code give an iterator, and not a list that it has been given? */
static bool
is_iterator(const lp_program *t, const lp_cell *c)
{
	if (c->is != LP_PIPE || c->ordering || c->set || c->bound != NULL)
		return false;
	return !c->fresh || c->ins != NULL ||
	       (c->cut != NULL && c->cut->op == IR_CALLM && t->t[c->reg].op != VT_STEP_DEFINED &&
		       strcmp(c->cut->site->name, "defaultIfEmpty") != 0 &&
		       strcmp(c->cut->site->name, "insert") != 0);
}

/* list(): a list of its arguments, with the items of those that are pipelines. */
bool
lp_lists(lp_program *t, const ir_ins *in)
{
	int list, r;
	uint8_t row[LP_ARGS], n = 0;

	if (strcmp(in->site->name, "list") != 0 || !t->e->is_query || in->d < 0 ||
		in->site->nargs > LP_ARGS || !lp_plain_args(in, false))
		return false;
	list = lp_push(t, (lp_step){.op = VT_STEP_LIST, .args = vc_alloc(t->e->c, 1)});
	for (uint32_t i = 0; i < in->site->nargs; i++) {
		const lp_cell *c = in->list[i] >= 0 ? &t->cells[in->list[i]] : NULL;
		bool walks = c != NULL && is_iterator(t, c);
		if (c != NULL && c->is == LP_PIPE && !walks && !c->ordering && !c->set)
			return false;
		r = walks ? lp_collect(t, c) : lp_given(t, in, i);
		if (r < 0 || (!walks && gives_iterator(t, (uint8_t)r)))
			return false;
		if (!walks) {
			row[n++] = (uint8_t)r;
			continue;
		}
		if (n > 0)
			list = list_with(t, in, list, VT_LIST_ITEMS, n, row);
		n = 0;
		list = list_with(t, in, list, VT_LIST_SPREAD, 1, &(uint8_t){(uint8_t)r});
	}
	if (n > 0)
		list = list_with(t, in, list, VT_LIST_ITEMS, n, row);
	if (list < 0)
		return false;
	t->calls = t->mixed = true;
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)list};
	return true;
}

/* How many items it has, of a collection: texts and dicts are none. */
static int
items_in(lp_program *t, const ir_ins *in, int of, bool member)
{
	lp_step s = {.op = VT_STEP_CALL,
		.a = VT_STEP_K,
		.b = VT_STEP_K,
		.c = VT_CALL_LIST,
		.n = 1,
		.ins = lp_call_of(t, in, "isList", 1, false)};
	int is;

	if (!member)
		return lp_reduced(t, &(lp_cell){.is = LP_REGISTER, .reg = (uint8_t)of},
			VT_NEST_COUNT, NULL, VT_STEP_K);
	s.args = vc_alloc(t->e->c, 1);
	s.args[0] = (uint8_t)of;
	is = lp_push(t, s);
	if ((of = lp_choose(t, is, of, VT_STEP_K)) < 0)
		return -1;
	return lp_push(t, (lp_step){.op = VT_STEP_LEN,
				  .a = (uint8_t)of,
				  .b = VT_STEP_K,
				  .ins = lp_call_of(t, in, "len", 0, true)});
}

/* defaultIfEmpty(): one of two collections. */
bool
lp_or_default(lp_program *t, const ir_ins *in)
{
	int of, other, n, any;

	if (!t->e->is_query || in->d < 0 || !is_call_of(in, "defaultIfEmpty", 1) ||
		!lp_plain_args(in, false) || (of = collection(t, in->a[0])) < 0)
		return false;
	other = in->nlist > 0 && in->list[0] >= 0 ? collection(t, in->list[0]) : -1;
	n = other < 0 ? -1
		      : items_in(t, in, of,
				t->t[of].op == VT_STEP_ATTR || t->t[of].op == VT_STEP_ITEM ||
					t->t[of].op == VT_STEP_GET || t->t[of].op == VT_STEP_INDEX);
	any = n < 0 ? -1
		    : lp_push(t, (lp_step){.op = VT_STEP_GT,
					 .a = (uint8_t)n,
					 .b = VT_STEP_K,
					 .k = lp_number(t, 0),
					 .ins = lp_call_of(t, in, "#operator_>", 2, false)});
	t->calls = t->mixed = true;
	return (of = lp_choose(t, any, of, other)) >= 0 && lp_fresh_list(t, in, of);
}

/* ---- what lambdas make of the items ---- */

bool
lp_generate(lp_program *t, const ir_ins *in)
{
	const ir_ins *next = in + 1;
	lp_nest *nest = vc_alloc(t->e->c, sizeof *nest);
	lp_step s = {.op = VT_STEP_NEST, .b = VT_STEP_K, .c = VT_STEP_K, .nest = nest};
	uint32_t n = in->site->nargs;
	int r;

	if (!t->e->is_query || in->d < 0 || (n != 3 && n != 4) ||
		strcmp(in->site->name, "generate") != 0 || in->site->args[0].keyword ||
		in->site->args[0].key || (r = lp_given(t, in, 0)) < 0)
		return false;
	s.a = (uint8_t)r;
	memset(nest, 0, sizeof *nest);
	nest->reduce = VT_NEST_LIST;
	nest->generates = 1;
	nest->most = LP_ALL;
	for (uint32_t i = 1; i < n; i++) {
		const ir_arg *a = &in->site->args[i];
		if (a->keyword || a->key || a->code == NULL ||
			!lp_add_stage(t, nest, a->code, i == 1, false))
			return false;
	}
	if (next->op == IR_CALLM && next->a[0] == in->d && is_limit(next) &&
		small_int(next, 0) >= 0)
		nest->most = (uint32_t)small_int(next, 0);
	t->calls = t->mixed = true;
	r = lp_push(t, s);
	return r >= 0 && lp_fresh_list(t, in, r);
}

bool
lp_cut_by(lp_program *t, const ir_ins *in)
{
	lp_cell c = t->cells[in->a[0]];
	const ir_arg *a = in->site->args;
	uint8_t how = is_call_of(in, "takeWhile", 1)   ? VT_NEST_TAKE_WHILE
		      : is_call_of(in, "skipWhile", 1) ? VT_NEST_SKIP_WHILE
						       : 0;
	int r;

	if (!t->e->is_query || in->d < 0 || how == 0 || a->code == NULL || a->keyword || a->key ||
		(c.is != LP_REGISTER && (c.is != LP_PIPE || c.order)))
		return false;
	if ((r = lp_droppable(t, lp_reduced(t, &c, VT_NEST_LIST, NULL, VT_STEP_K))) < 0 ||
		!lp_add_stage(t, t->t[r].nest, a->code, how, false))
		return false;
	return lp_fresh_list(t, in, r);
}

/* reduce(), aggregate() and accumulate() of a list. */
bool
lp_folds(lp_program *t, const ir_ins *in)
{
	bool keeps = strcmp(in->site->name, "accumulate") == 0;
	const lp_cell *c = &t->cells[in->a[0]];
	const ir_arg *a = in->site->args;
	uint32_t n = in->site->nargs;
	lp_step s = {.op = VT_STEP_NEST, .b = VT_STEP_K, .c = VT_STEP_K};
	int r, seed = VT_STEP_K;

	if ((!keeps && strcmp(in->site->name, "reduce") != 0 &&
		    strcmp(in->site->name, "aggregate") != 0) ||
		!t->e->is_query || in->d < 0 || n < 1 || n > 2 || a->code == NULL || a->keyword ||
		a->key || (n == 2 && (a[1].keyword || a[1].key)))
		return false;
	if (c->is != LP_REGISTER && (c->is != LP_PIPE || c->order))
		return false;
	if (n == 2 && (seed = lp_given(t, in, 1)) < 0)
		return false;
	r = c->is == LP_PIPE ? lp_collect(t, c) : c->reg;
	s.nest = vc_alloc(t->e->c, sizeof *s.nest);
	memset(s.nest, 0, sizeof *s.nest);
	s.nest->reduce = keeps ? VT_NEST_ACCUMULATED : VT_NEST_FOLDED;
	s.nest->most = LP_ALL;
	if (r < 0 || (s.nest->program[0] = lp_nested_fold(t, a->code)) == NULL)
		return false;
	s.nest->n = 1;
	s.a = (uint8_t)r;
	s.c = (uint8_t)seed;
	t->calls = t->mixed = true;
	if (!keeps)
		return lp_define(t, in->d, s);
	return (r = lp_push(t, s)) >= 0 && lp_fresh_list(t, in, r);
}

/* splitWhere() and sliceWhere(): lists of the items. */
bool
lp_parts(lp_program *t, const ir_ins *in)
{
	const lp_cell *c = &t->cells[in->a[0]];
	const ir_arg *a = in->site->args;
	bool splits = is_call_of(in, "splitWhere", 1);
	int r;

	if (!t->e->is_query || in->d < 0 || (!splits && !is_call_of(in, "sliceWhere", 1)) ||
		a->code == NULL || a->keyword || a->key || t->layers & VT_L_LEGACY ||
		(c->is != LP_REGISTER && (c->is != LP_PIPE || c->order)))
		return false;
	r = lp_reduced(t, c, splits ? VT_NEST_SPLIT : VT_NEST_SLICED, a->code, VT_STEP_K);
	return r >= 0 && lp_fresh_list(t, in, r);
}

/* ---- dicts of pairs ---- */

static bool
is_lambda(const ir_arg *a)
{
	return a->code != NULL && a->keyword == NULL && a->key == NULL;
}

/* The same, or what has the same value for each item. */
static bool
is_value(const ir_arg *a)
{
	return a->keyword == NULL && a->key == NULL;
}

/* Does the last stage make pairs? */
static bool
makes_pairs(const lp_nest *nest)
{
	const lp_program *last = nest->n > 0 ? nest->program[nest->n - 1] : NULL;

	return last != NULL && nest->filter[nest->n - 1] == 0 && last->kind == VT_PROGRAM_LIST &&
	       last->nout == 2;
}

bool
lp_makes_dict(lp_program *t, const ir_ins *in)
{
	const ir_arg *a = in->site->args;
	uint32_t n = in->site->nargs;
	bool method = in->op == IR_CALLM;
	int32_t of = method ? in->a[0] : in->nlist > 0 ? in->list[0] : -1;
	const lp_cell *c = of >= 0 ? &t->cells[of] : NULL;
	lp_field key = {NULL, 0}, value = {NULL, 1};
	lp_program *pair;
	lp_nest *nest;
	int r;

	if (!t->e->is_query || in->d < 0 || c == NULL ||
		strcmp(in->site->name, method ? "toDict" : "dict") != 0 || n < 1 ||
		n > 1u + method || (c->is != LP_REGISTER && (c->is != LP_PIPE || c->order)) ||
		(method ? !is_lambda(&a[0]) || (n == 2 && !is_value(&a[1]))
			: a[0].keyword != NULL || a[0].key != NULL))
		return false;
	r = lp_reduced(t, c, method ? VT_NEST_OPEN_DICT : VT_NEST_DICT, NULL, VT_STEP_K);
	if (r < 0)
		return false;
	t->t[r].may_drop = true; /* where the call has to be made after all */
	nest = t->t[r].nest;
	if (method) {
		key = (lp_field){&a[0], LP_WHOLE};
		value = (lp_field){n == 2 ? &a[1] : NULL, LP_WHOLE};
	}
	if (method || !makes_pairs(nest)) {
		pair = lp_nested_row(t, 2, (lp_field[]){key, value});
		if (pair == NULL || nest->n > LP_STAGES)
			return false;
		nest->program[nest->n++] = pair;
	}
	t->t[r].may_drop = false;
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r};
	return true;
}

/* ---- order by several keys, groups ---- */

/* The stages of a pipeline and one more, which makes rows: the register of what comes out. */
static int
reduced_rows(lp_program *t, const lp_cell *c, uint8_t how, uint32_t n, const lp_field *x)
{
	int r = lp_reduced(t, c, how, NULL, VT_STEP_K);
	lp_program *rows = r >= 0 ? lp_nested_row(t, n, x) : NULL;

	if (r >= 0) /* the call may have to be made after all */
		t->t[r].may_drop = true;
	if (rows == NULL)
		return -1;
	t->t[r].nest->program[t->t[r].nest->n++] = rows;
	return r;
}

/* Its code may not be a program's, and then the call is made. */
bool
lp_then_by(lp_program *t, const ir_ins *in)
{
	const lp_order *was = t->cells[in->a[0]].by;
	bool falls = is_call_of(in, "thenByDescending", 1);
	lp_field key[LP_KEYS];
	lp_order *by;
	int r;

	if (was == NULL || in->d < 0 || (!falls && !is_call_of(in, "thenBy", 1)) ||
		was->n == LP_KEYS || !is_lambda(&in->site->args[0]))
		return false;
	by = vc_alloc(t->e->c, sizeof *by);
	*by = *was;
	by->key[by->n] = &in->site->args[0];
	by->falls |= (uint8_t)(falls << by->n++);
	for (uint32_t i = 0; i < by->n; i++)
		key[i] = (lp_field){by->key[i], LP_WHOLE};
	if ((r = reduced_rows(t, &by->source, VT_NEST_BY_KEYS, by->n, key)) < 0)
		return false;
	t->t[r].nest->falls = by->falls;
	lp_fresh_list(t, in, r);
	t->cells[in->d].ordering = true;
	t->cells[in->d].by = by;
	return true;
}

/* Is the register read as a collection, by something that refuses what is none, and by nothing
 * else? */
static bool
is_collection(const lp_program *p, uint32_t r)
{
	bool any = false;

	for (uint32_t i = 0; i < p->n; i++) {
		lp_step s = p->t[i];
		uint8_t *of[LP_OPERANDS];
		for (uint32_t k = lp_operands(&s, of); k-- > 0;) {
			if (*of[k] != r)
				continue;
			if (of[k] != &s.a || s.guard != VT_STEP_K ||
				(s.op != VT_STEP_LEN && s.op != VT_STEP_SUM &&
					s.op != VT_STEP_NEST && s.op != VT_STEP_LISTED))
				return false;
			any = true;
		}
	}
	for (uint32_t i = 0; i < p->nout; i++)
		if (p->out[i] == r)
			return false;
	return any;
}

/* ---- sets of keys ---- */

/* The text that the i-th argument of the call is; or NULL. */
static const ir_const *
text_given(const lp_program *t, const lp_step *s, uint32_t i)
{
	const ir_const *k = s->args[i] == VT_STEP_K                ? &s->ins->site->args[i].k
			    : t->t[s->args[i]].op == VT_STEP_CONST ? t->t[s->args[i]].k
								   : NULL;

	return k != NULL && k->kind == IK_STR ? k : NULL;
}

/* The register of the dict whose keys().toSet() the cell is; -1: it is something else. */
static int
dict_of_keys(lp_program *t, const lp_cell *c)
{
	const lp_step *s = c->is == LP_PIPE && c->set ? &t->t[c->reg] : NULL;

	if (s == NULL || s->op != VT_STEP_NEST || s->nest->reduce != VT_NEST_DISTINCT ||
		s->nest->n > 0 || s->nest->skip > 0 || s->nest->most != LP_ALL ||
		t->t[s->a].op != VT_STEP_CALL || t->t[s->a].c != VT_CALL_KEYS)
		return -1;
	t->t[s->a].may_drop = true; /* who asks for keys fails where keys() does */
	return t->t[s->a].a;
}

/* dict.containsKey(key), by registers; -1: there is no room. */
static int
has_key(lp_program *t, const ir_ins *in, int dict, int key)
{
	lp_step has = {.op = VT_STEP_CALL,
		.a = (uint8_t)dict,
		.b = VT_STEP_K,
		.c = VT_CALL_KEY,
		.n = 1,
		.args = vc_alloc(t->e->c, 1),
		.ins = lp_call_of(t, in, "containsKey", 1, true)};

	has.args[0] = (uint8_t)key;
	return dict < 0 || key < 0 ? -1 : lp_push(t, has);
}

/* set(a, b) <= dict.keys().toSet(): it has all these keys.  No set is made. */
bool
lp_has_keys(lp_program *t, const ir_ins *in)
{
	int32_t few = in->op == IR_LE ? in->a[0] : in->a[1],
		all = in->op == IR_LE ? in->a[1] : in->a[0];
	int set = few >= 0 && t->cells[few].is == LP_REGISTER ? t->cells[few].reg : -1, dict,
	    r = -1;
	const lp_step *s = set >= 0 ? &t->t[set] : NULL;

	if (s == NULL || all < 0 || in->d < 0 || s->op != VT_STEP_CALL || s->a != VT_STEP_K ||
		s->n == 0 || strcmp(s->ins->site->name, "set") != 0 ||
		!lp_plain_args(s->ins, false) || !t->e->is_query ||
		(dict = dict_of_keys(t, &t->cells[all])) < 0)
		return false;
	for (uint32_t i = 0; i < t->t[set].n; i++)
		if (text_given(t, &t->t[set], i) == NULL)
			return false;
	for (uint32_t i = 0; i < t->t[set].n; i++) {
		int key = has_key(t, in, dict, lp_const(t, text_given(t, &t->t[set], i)));
		if (key < 0)
			return false;
		r = r < 0 ? key
			  : lp_push(t,
				    (lp_step){
					    .op = VT_STEP_AND, .a = (uint8_t)r, .b = (uint8_t)key});
		if (r < 0)
			return false;
	}
	t->t[set].may_drop = true;
	t->calls = t->mixed = true;
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r};
	return true;
}

/* ---- lists in place of iterators, for who comes next ---- */

enum { ROW = LP_MOST, NOTHING }; /* what a register holds beside a result: all of the row */

/* Which result of `made` the step takes of its row. */
static uint8_t
result_taken(const lp_program *made, const lp_step *s)
{
	for (uint8_t k = 0; k < made->nout; k++)
		if (made->kind == VT_PROGRAM_LIST
				? s->op == VT_STEP_INDEX && s->b == VT_STEP_K && s->k->i == k
				: s->op == VT_STEP_ATTR &&
					  strcmp(s->ins->site->args[1].k.s, made->keys[k]) == 0)
			return k;
	return ROW;
}

/* What reads a list as it would read an iterator. */
static bool
is_walk(const lp_step *s, bool ordering)
{
	switch (s->op) {
	case VT_STEP_NEST: return !s->nest->generates;
	case VT_STEP_LEN: return !ordering; /* which has none */
	case VT_STEP_SUM: return true;
	case VT_STEP_LISTED: return s->c >= VT_LIST_ENUMERATE;
	}
	return false;
}

bool
lp_only_walks(lp_program *p, const lp_program *made, uint8_t walks[LP_MOST])
{
	uint8_t holds[LP_MOST];

	for (uint32_t r = 0; r < p->n; r++) {
		lp_step *s = &p->t[r];
		uint8_t *of[LP_OPERANDS];
		holds[r] = s->op != VT_STEP_ITEM            ? NOTHING
			   : made->kind == VT_PROGRAM_VALUE ? 0
							    : ROW;
		for (uint32_t k = lp_operands(s, of); k-- > 0;) {
			uint8_t from = *of[k] == VT_STEP_K ? NOTHING : holds[*of[k]];
			if (from == ROW && of[k] == &s->a)
				holds[r] = result_taken(made, s);
			if (from == NOTHING || (from == ROW && of[k] == &s->a && holds[r] != ROW))
				continue;
			if (from == ROW ||
				(made->t[made->out[from]].walked &&
					(of[k] != &s->a ||
						!is_walk(s, made->t[made->out[from]].walked ==
								    LP_ORDERING))))
				return false;
			walks[from]++;
		}
	}
	for (uint32_t k = 0; k < p->nout; k++)
		if (holds[p->out[k]] != NOTHING &&
			(holds[p->out[k]] == ROW || made->t[made->out[holds[p->out[k]]]].walked))
			return false;
	return true;
}

bool
lp_may_list(lp_program *made, const uint8_t walks[LP_MOST])
{
	uint8_t *of[LP_OPERANDS];

	for (uint32_t r = 0; r < made->n; r++)
		for (uint32_t k = lp_operands(&made->t[r], of); k-- > 0;)
			if (*of[k] != VT_STEP_K && made->t[*of[k]].walked)
				return false;
	for (uint32_t k = 0; k < made->nout; k++)
		if (made->t[made->out[k]].walked == LP_ITERATOR && walks[k] > 1)
			return false;
	return true;
}

/* What the aggregator of groupBy() looks at: values, or [key, values] as YAQL 1.1.1 gave it.
 * AGG_EITHER: that is not known from how it is written. */
enum aggregated { AGG_EITHER, AGG_VALUES, AGG_PAIR };

static enum aggregated
is_about(const lp_program *p)
{
	uint32_t i = 0, item, second = p->n;
	const lp_step *first = p->nout == 2 ? &p->t[p->out[0]] : NULL;

	while (i < p->n && p->t[i].op != VT_STEP_ITEM)
		i++;
	item = i;
	if (item == p->n || is_collection(p, item))
		return item == p->n ? AGG_EITHER : AGG_VALUES;
	for (i = 0; i < p->n; i++) {
		lp_step s = p->t[i];
		uint8_t *of[LP_OPERANDS];
		for (uint32_t k = lp_operands(&s, of); k-- > 0;)
			if (*of[k] == item && (s.op != VT_STEP_INDEX || s.k->i > 1))
				return AGG_EITHER;
		if (s.op == VT_STEP_INDEX && s.a == item && s.k->i == 1)
			second = i;
	}
	return p->kind == VT_PROGRAM_LIST && first != NULL && first->op == VT_STEP_INDEX &&
			       first->a == item && first->k->i == 0 && second < p->n &&
			       is_collection(p, second)
		       ? AGG_PAIR
		       : AGG_EITHER;
}

/* The list of groups in the register, as the aggregator makes them: its register. */
static int
aggregated(lp_program *t, int groups, const ir_arg *by)
{
	lp_program *p = is_lambda(by) ? lp_nested(t, by->code, LP_MANY_NONE) : NULL;
	enum aggregated about = p != NULL && p->nargs == 1 ? is_about(p) : AGG_EITHER;
	lp_cell c = {.is = LP_REGISTER, .reg = (uint8_t)groups};
	int r;

	if (about == AGG_VALUES)
		return reduced_rows(t, &c, VT_NEST_LIST, 2, (lp_field[]){{NULL, 0}, {by, 1}});
	if (about != AGG_PAIR || (t->layers & VT_L_NO_FALLBACK))
		return -1;
	t->t[groups].nest->reduce = VT_NEST_OLD_GROUPED;
	if ((r = lp_reduced(t, &c, VT_NEST_LIST, NULL, VT_STEP_K)) < 0)
		return -1;
	t->t[r].may_drop = true;
	t->t[r].nest->program[t->t[r].nest->n++] = p;
	return r;
}

/* groupBy(): a list of pairs in place of the iterator. */
bool
lp_groups(lp_program *t, const ir_ins *in)
{
	const lp_cell *c = &t->cells[in->a[0]];
	const ir_arg *a = in->site->args;
	uint32_t n = in->site->nargs;
	int r;

	if (strcmp(in->site->name, "groupBy") != 0 || !t->e->is_query || in->d < 0 || n < 1 ||
		n > 3 || !lp_plain_args(in, false) || !is_lambda(&a[0]) ||
		(c->is != LP_REGISTER && (c->is != LP_PIPE || c->order)))
		return false;
	r = reduced_rows(t, c, VT_NEST_GROUPED, 2,
		(lp_field[]){{&a[0], LP_WHOLE}, {n > 1 ? &a[1] : NULL, LP_WHOLE}});
	if (r < 0)
		return false;
	return (n < 3 || (r = aggregated(t, r, &a[2])) >= 0) && lp_fresh_list(t, in, r);
}

/* ---- what stands in a list ---- */

enum { MOST_COMPARED = 8 }; /* items that something is compared with rather than looked for */

/* x in [a, b]: x = a or x = b, which needs no list.  False: the call has to look. */
static bool
among(lp_program *t, const ir_ins *in)
{
	int x = lp_given(t, in, 0), list = lp_given(t, in, 1), any = -1;
	const lp_step *l = list >= 0 ? &t->t[list] : NULL;
	uint8_t n = l != NULL ? l->n : 0;

	if (x < 0 || n == 0 || n > MOST_COMPARED || l->op != VT_STEP_LIST)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		lp_step s = {.op = VT_STEP_EQ, .a = (uint8_t)x, .b = t->t[list].args[i]};
		int same;
		if (t->t[s.b].op == VT_STEP_CONST) {
			s.k = t->t[s.b].k;
			s.b = VT_STEP_K;
		}
		same = lp_push(t, s);
		if (same < 0)
			return false;
		any = any < 0 ? same
			      : lp_push(t, (lp_step){.op = VT_STEP_OR,
						   .a = (uint8_t)any,
						   .b = (uint8_t)same});
		if (any < 0)
			return false;
	}
	t->calls = true;
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)any};
	return true;
}

/* x in a pipeline: is any of its items the same?  No list is made. */
static bool
among_items(lp_program *t, const ir_ins *in)
{
	const lp_cell *c = in->list[1] >= 0 ? &t->cells[in->list[1]] : NULL;
	int x, r;
	lp_nest *nest;
	lp_program *same;

	if (c == NULL || c->is != LP_PIPE || c->order || c->set || (x = lp_given(t, in, 0)) < 0 ||
		(r = lp_reduced(t, c, VT_NEST_ANY, NULL, VT_STEP_K)) < 0)
		return false;
	t->t[r].may_drop = true; /* where the call has to be made after all */
	nest = t->t[r].nest;
	if (nest->n == LP_STAGES || (same = lp_nested_same(t, x)) == NULL)
		return false;
	nest->program[nest->n] = same;
	nest->filter[nest->n++] = VT_NEST_WHERE;
	t->t[r].may_drop = false;
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r};
	return true;
}

/* x in dict.keys(): no view of the keys is made. */
static bool
among_keys(lp_program *t, const ir_ins *in)
{
	const lp_cell *c = in->list[1] >= 0 ? &t->cells[in->list[1]] : NULL;
	const lp_step *s = c != NULL && c->is == LP_REGISTER ? &t->t[c->reg] : NULL;
	int keys, dict, r;

	if (s == NULL || s->op != VT_STEP_CALL || s->c != VT_CALL_KEYS || !t->e->is_query)
		return false;
	keys = c->reg;
	dict = s->a;
	r = has_key(t, in, dict, lp_given(t, in, 0));
	if (r < 0)
		return false;
	t->t[keys].may_drop = true; /* who asks for keys fails where keys() does */
	t->calls = t->mixed = true;
	t->cells[in->d] = (lp_cell){.is = LP_REGISTER, .reg = (uint8_t)r};
	return true;
}

bool
lp_among(lp_program *t, const ir_ins *in)
{
	return in->d >= 0 && (among_items(t, in) || among_keys(t, in) || among(t, in));
}

/* ---- dicts that are made and edited ---- */

/* Are the arguments names with values, each name once? */
static bool
has_names(const ir_ins *in)
{
	for (uint32_t i = 0; i < in->site->nargs; i++) {
		if (in->site->args[i].keyword == NULL)
			return false;
		for (uint32_t k = 0; k < i; k++)
			if (strcmp(in->site->args[k].keyword, in->site->args[i].keyword) == 0)
				return false;
	}
	return in->site->nargs > 0;
}

/* The i-th argument as the text that is written; or NULL. */
static const char *
key_written(const ir_ins *in, uint32_t i)
{
	const ir_arg *a = &in->site->args[i];

	return (a->kind == VT_A_STRING || a->kind == VT_A_KEYWORD) && !a->keyword && !a->key &&
			       !a->code && a->k.kind == IK_STR && strlen(a->k.s) == a->k.n
		       ? a->k.s
		       : NULL;
}

/* The keys that delete() or deleteAll() of a dict leaves out, where all are written. */
static bool
keys_left_out(lp_program *t, const ir_ins *in, lp_step *s)
{
	const lp_step *list;
	int r;

	if (strcmp(in->site->name, "delete") == 0) {
		for (uint32_t i = 0; i < in->site->nargs; i++)
			if ((s->names[s->n++] = key_written(in, i)) == NULL)
				return false;
		return s->n > 0;
	}
	if (!is_call_of(in, "deleteAll", 1) || (r = lp_given(t, in, 0)) < 0)
		return false;
	list = &t->t[r];
	if (list->op != VT_STEP_LIST || list->n == 0 || list->n > LP_ARGS)
		return false;
	for (uint32_t i = 0; i < list->n; i++) {
		const lp_step *k = &t->t[list->args[i]];
		if (k->op != VT_STEP_CONST || k->k->kind != IK_STR || strlen(k->k->s) != k->k->n)
			return false;
		s->names[s->n++] = k->k->s;
	}
	return true;
}

/* (key => v, ..) with keys that are evaluated: the step of {key => v, ..}; false: it is none. */
static bool
pairs(lp_program *t, const ir_ins *in, lp_step *s)
{
	const uint32_t start = t->n;

	*s = (lp_step){.op = VT_STEP_DICT, .n = (uint8_t)(2 * in->site->nargs)};
	if (2 * in->site->nargs > LP_MOST || !lp_plain_args(in, true))
		return false;
	s->args = vc_alloc(t->e->c, s->n);
	for (uint32_t i = 0; i < in->site->nargs; i++) {
		const ir_arg *a = &in->site->args[i];
		int key = lp_lazily(t, a->key), value = key < 0 ? -1 : lp_lazily(t, a);
		if (value < 0) {
			t->n = start;
			return false;
		}
		s->args[2 * i] = (uint8_t)key;
		s->args[2 * i + 1] = (uint8_t)value;
	}
	t->calls = true;
	return true;
}

/* What a fold sets in $1 is a dict that is added to it: such is changed where it is. */
static bool
add_dict(lp_program *t, const ir_ins *in, uint8_t to, int r)
{
	lp_step sum = {.op = VT_STEP_ADD, .a = to, .b = (uint8_t)r};

	sum.ins = lp_call_of(t, in, "#operator_+", 2, false);
	return r >= 0 && lp_define(t, in->d, sum);
}

static bool
add_record(lp_program *t, const ir_ins *in, const lp_step *s)
{
	lp_step record = {.op = VT_STEP_MAP, .n = s->n, .args = s->args, .names = s->names};

	return add_dict(t, in, s->a, lp_push(t, record));
}

/* $1.set({..}), $1.set(dict(..)) and $1.set(key => v, ..), with keys that are evaluated. */
static bool
set_pairs(lp_program *t, const ir_ins *in)
{
	int of = t->cells[in->a[0]].is == LP_REGISTER ? t->cells[in->a[0]].reg : -1, r = -1;
	lp_step s;

	if (of < 0 || strcmp(in->site->name, "set") != 0 || !is_of_sum(t, (uint8_t)of))
		return false;
	if (in->site->nargs == 1 && in->nlist == 1 && in->list[0] >= 0 && lp_plain_args(in, false))
		r = lp_given(t, in, 0);
	else if (lp_plain_args(in, true) && pairs(t, in, &s))
		r = lp_push(t, s);
	if (r < 0 || (t->t[r].op != VT_STEP_DICT && t->t[r].op != VT_STEP_MAP))
		return false;
	t->calls = t->mixed = true;
	return add_dict(t, in, (uint8_t)of, r);
}

/* set(name => v, ..), delete(key, ..) and deleteAll([key, ..]). */
static bool
edit_written(lp_program *t, const ir_ins *in)
{
	bool sets = strcmp(in->site->name, "set") == 0 && has_names(in);
	lp_step s = {.op = VT_STEP_EDIT, .b = VT_STEP_K, .c = !sets};
	int of = t->cells[in->a[0]].is == LP_REGISTER ? t->cells[in->a[0]].reg : -1, r;

	if (of < 0 || in->site->nargs > LP_ARGS)
		return false;
	s.a = (uint8_t)of;
	s.args = vc_alloc(t->e->c, LP_ARGS + 1);
	s.names = vc_alloc(t->e->c, (LP_ARGS + 1) * sizeof *s.names);
	memset(s.args, VT_STEP_K, LP_ARGS);
	if (!sets && !keys_left_out(t, in, &s))
		return false;
	for (uint32_t i = 0; sets && i < in->site->nargs; i++) {
		bool pipe = in->list[i] >= 0 && t->cells[in->list[i]].is == LP_PIPE;
		if ((r = pipe ? lp_part_of(t, in, in->list[i], false) : lp_given(t, in, i)) < 0)
			return false;
		s.names[s.n] = in->site->args[i].keyword;
		s.args[s.n++] = (uint8_t)r;
	}
	t->calls = t->mixed = true;
	return sets && is_of_sum(t, s.a) ? add_record(t, in, &s) : lp_define(t, in->d, s);
}

bool
lp_edit(lp_program *t, const ir_ins *in)
{
	return edit_written(t, in) || set_pairs(t, in);
}

/* dict(name => v, ..): what {name => v, ..} is. */
bool
lp_record(lp_program *t, const ir_ins *in)
{
	lp_step s = {.op = VT_STEP_MAP, .n = (uint8_t)in->site->nargs};

	if (strcmp(in->site->name, "dict") != 0 || in->site->nargs > LP_ARGS)
		return false;
	if (!has_names(in))
		return pairs(t, in, &s) && lp_define(t, in->d, s);
	s.args = vc_alloc(t->e->c, in->site->nargs);
	s.names = vc_alloc(t->e->c, in->site->nargs * sizeof *s.names);
	for (uint32_t i = 0; i < in->site->nargs; i++) {
		int r = lp_given(t, in, i);
		if (r < 0)
			return false;
		s.names[i] = in->site->args[i].keyword;
		s.args[i] = (uint8_t)r;
	}
	t->calls = true;
	return lp_define(t, in->d, s);
}
