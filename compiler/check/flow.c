/*
 * flow.c - what the order of statements shows: conditions that never change, loops that never end,
 * variables that have a value on some paths only, branches that write the same variable.
 *
 * Only the text of one method is looked at.  A condition is known when constants alone decide it.
 */
#include "compiler/check/int.h"
#include "compiler/check/types.h"
#include "runtime/core/number.h"

#include <stdlib.h>
#include <string.h>

static bool
is_op(const yq_node *e, const char *op)
{
	return (e->kind == YQ_BINARY || e->kind == YQ_UNARY) && strcmp(e->text, op) == 0;
}

static bool
is_constant(const yq_node *e)
{
	e = yq_unwrap(e);
	return e->kind == YQ_NULL || e->kind == YQ_TRUE || e->kind == YQ_FALSE ||
	       e->kind == YQ_NUMBER || e->kind == YQ_STRING || e->kind == YQ_KEYWORD;
}

static vc_span
span_of(const ynode *node, const yq_node *e)
{
	return yn_subspan(node, e->from, e->to);
}

/* The same expression, of which every evaluation gives the same: no calls. */
static bool
same(const yq_node *a, const yq_node *b)
{
	a = yq_unwrap(a);
	b = yq_unwrap(b);
	if (a->kind != b->kind || a->kind == YQ_CALL || a->n != b->n || a->ntext != b->ntext ||
		a->kind == YQ_INVOKE || a->kind == YQ_ERROR)
		return false;
	if (a->ntext && memcmp(a->text, b->text, a->ntext) != 0)
		return false;
	if (a->text && (a->kind == YQ_BINARY || a->kind == YQ_UNARY) &&
		strcmp(a->text, b->text) != 0)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (!same(a->kid[i], b->kid[i]))
			return false;
	return true;
}

/* ---- conditions ---- */

static bool
is_comparison(const yq_node *e)
{
	static const char *const ops[] = {"=", "!=", "<", ">", "<=", ">="};

	for (size_t i = 0; e->kind == YQ_BINARY && i < VC_LEN(ops); i++)
		if (strcmp(e->text, ops[i]) == 0)
			return true;
	return false;
}

/* Comparisons of a value with itself, or of two constants, wherever they stand. */
static void
comparisons(ck *k, const ynode *node, const yq_node *e)
{
	if (is_comparison(e) && is_constant(e->kid[0]) && is_constant(e->kid[1]))
		vc_report(k->c, VC_W1051, span_of(node, e),
			"both sides are constants, so the comparison is always the same");
	else if (is_comparison(e) && same(e->kid[0], e->kid[1]))
		vc_report(k->c, VC_W1052, span_of(node, e), "a value is compared with itself");
	for (uint32_t i = 0; i < e->n; i++)
		comparisons(k, node, e->kid[i]);
}

/* 1: always true, 0: always false, -1: it depends. */
static int
truth(const yq_node *e)
{
	int a, b;

	e = yq_unwrap(e);
	if (e->kind == YQ_TRUE || e->kind == YQ_FALSE)
		return e->kind == YQ_TRUE;
	if (e->kind == YQ_NULL)
		return 0;
	if (e->kind == YQ_KEYWORD || e->kind == YQ_STRING)
		return e->ntext > 0;
	if (e->kind == YQ_NUMBER)
		return strcmp(e->text, "0") != 0;
	if (is_op(e, "not"))
		return (a = truth(e->kid[0])) < 0 ? a : !a;
	if (is_op(e, "and") || is_op(e, "or")) {
		bool decides = is_op(e, "or");
		a = truth(e->kid[0]);
		b = truth(e->kid[1]);
		if (a == decides || b == decides)
			return decides;
		return a < 0 || b < 0 ? -1 : !decides;
	}
	return -1;
}

/* What `and` joins. */
static uint32_t
conjuncts(const yq_node *e, const yq_node **out, uint32_t n, uint32_t most)
{
	e = yq_unwrap(e);
	if (is_op(e, "and")) {
		n = conjuncts(e->kid[0], out, n, most);
		return conjuncts(e->kid[1], out, n, most);
	}
	if (n < most)
		out[n++] = e;
	return n;
}

static bool
number_of(const yq_node *e, double *out)
{
	bool minus = false;

	e = yq_unwrap(e);
	if (is_op(e, "-") && e->kind == YQ_UNARY) {
		minus = true;
		e = yq_unwrap(e->kid[0]);
	}
	if (e->kind != YQ_NUMBER || !vt_float_parse(e->text, e->ntext, out))
		return false;
	*out = minus ? -*out : *out;
	return true;
}

/* x < 5, 5 > x: the value, the operator as seen from it, the number. */
static bool
bound_of(const yq_node *e, const yq_node **value, char *op, double *number)
{
	static const char from[] = "<>=", to[] = "><=";

	if (!is_comparison(e) || e->text[0] == '!')
		return false;
	*op = e->text[0];
	if (number_of(e->kid[1], number)) {
		*value = e->kid[0];
		return true;
	}
	if (!number_of(e->kid[0], number))
		return false;
	*value = e->kid[1];
	*op = to[strchr(from, *op) - from];
	return true;
}

/* Two bounds of one value that no number is between. */
static bool
excludes(const yq_node *a, const yq_node *b)
{
	const yq_node *x, *y;
	char p, q;
	double m, n;
	bool strict = a->text[1] != '=' || b->text[1] != '=';

	if (!bound_of(a, &x, &p, &m) || !bound_of(b, &y, &q, &n) || !same(x, y))
		return false;
	if (p == '=' && q == '=')
		return m != n;
	if (p == '<' && q == '>')
		return m < n || (m == n && strict);
	if (p == '>' && q == '<')
		return m > n || (m == n && strict);
	if (p == '=' || q == '=') {
		double at = p == '=' ? m : n, limit = p == '=' ? n : m;
		char side = p == '=' ? q : p;
		return side == '<' ? at > limit : at < limit;
	}
	return false;
}

bool
ck_contradicts(const yq_node *e, const yq_node **at)
{
	enum { MOST = 16 };
	const yq_node *v[MOST];
	uint32_t n = conjuncts(e, v, 0, MOST);

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < i; j++)
			if (is_comparison(v[i]) && is_comparison(v[j]) && excludes(v[j], v[i])) {
				*at = v[i];
				return true;
			}
	return false;
}

static bool leaves_loop(mpl_stmt *const *, uint32_t);

static bool
leaves_one(const mpl_stmt *s)
{
	bool leaves = s->kind == MS_BREAK || s->kind == MS_RETURN || s->kind == MS_THROW ||
		      s->kind == MS_RETHROW || s->kind == MS_ERROR;

	for (uint32_t i = 0; i < s->ncases && !leaves; i++)
		leaves = leaves_loop(s->cases[i].body, s->cases[i].nbody);
	for (uint32_t i = 0; i < s->ncatches && !leaves; i++)
		leaves = leaves_loop(s->catches[i].body, s->catches[i].nbody);
	return leaves || leaves_loop(s->body, s->nbody) || leaves_loop(s->orelse, s->norelse) ||
	       leaves_loop(s->finally, s->nfinally);
}

static bool
leaves_loop(mpl_stmt *const *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (leaves_one(v[i]))
			return true;
	return false;
}

/* ---- loops ---- */

typedef struct reads {
	const char *name[16];
	uint32_t n;
	bool others; /* it depends on more than variables */
} reads;

static void
reads_of(ck *k, const yq_node *e, reads *r)
{
	if (e->kind == YQ_VAR && e->ntext && strcmp(e->text, "this") != 0) {
		if (r->n < VC_LEN(r->name))
			r->name[r->n++] = e->text;
		else
			r->others = true;
		return;
	}
	r->others |= e->kind == YQ_VAR || e->kind == YQ_CALL || e->kind == YQ_INVOKE ||
		     is_op(e, ".") || is_op(e, "?.") || is_op(e, "->") || e->kind == YQ_ERROR;
	for (uint32_t i = 0; i < e->n; i++)
		reads_of(k, e->kid[i], r);
}

static bool assigns(mpl_stmt *const *, uint32_t, const char *name);

static bool
assigns_one(const mpl_stmt *s, const char *name)
{
	bool found =
		s->kind == MS_ERROR || (s->kind == MS_FOR && s->name && strcmp(s->name, name) == 0);

	if (s->kind == MS_ASSIGN && s->a && s->a->expr) {
		const yq_node *e = yq_unwrap(s->a->expr);
		while (e->kind == YQ_INDEX || is_op(e, "."))
			e = yq_unwrap(e->kid[0]);
		found = e->kind == YQ_VAR && strcmp(e->text, name) == 0;
	}
	for (uint32_t i = 0; i < s->ncases && !found; i++)
		found = assigns(s->cases[i].body, s->cases[i].nbody, name);
	for (uint32_t i = 0; i < s->ncatches && !found; i++)
		found = (s->catches[i].as && strcmp(s->catches[i].as, name) == 0) ||
			assigns(s->catches[i].body, s->catches[i].nbody, name);
	return found || assigns(s->body, s->nbody, name) || assigns(s->orelse, s->norelse, name) ||
	       assigns(s->finally, s->nfinally, name);
}

static bool
assigns(mpl_stmt *const *v, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (assigns_one(v[i], name))
			return true;
	return false;
}

static void
loop(ck *k, const mpl_stmt *s)
{
	const yq_node *e = s->a && s->a->is_expr ? s->a->expr : NULL;
	bool always = s->a && s->a->kind == YN_SCALAR && !s->a->is_expr && s->a->type == YT_BOOL &&
		      s->a->i != 0;
	reads r = {.n = 0};

	if (e && (always = truth(e) == 1) == false) {
		reads_of(k, e, &r);
		if (r.others || r.n == 0)
			return;
		for (uint32_t i = 0; i < r.n; i++)
			if (assigns(s->body, s->nbody, r.name[i]))
				return;
	} else if (!always) {
		return;
	}
	if (leaves_loop(s->body, s->nbody))
		return;
	vc_report(k->c, VC_W1053, s->a->span,
		r.n ? "nothing in the loop changes \"$%s\", so it ends at once or never"
		    : "the loop has no end: nothing in it leaves it%s",
		r.n ? r.name[0] : "");
}

/* Repeat: 0 */
static void
times(ck *k, const mpl_stmt *s)
{
	double n = 1;

	if (s->a && s->a->kind == YN_SCALAR && !s->a->is_expr && s->a->type == YT_INT)
		n = (double)s->a->i;
	else if (s->a && s->a->is_expr && s->a->expr && !number_of(s->a->expr, &n))
		return;
	if (n <= 0)
		vc_report(k->c, VC_W1051, s->a->span, "the block of this Repeat never runs");
}

static void
condition(ck *k, const mpl_stmt *s)
{
	const ynode *y = s->a;
	const yq_node *e = y && y->is_expr ? y->expr : NULL, *at;
	int known = -1;

	if (y == NULL || y->kind != YN_SCALAR || (y->is_expr && e == NULL))
		return;
	if (e)
		known = truth(e);
	else if (y->type != YT_NULL)
		known = y->type != YT_BOOL || y->i != 0;
	if (s->kind == MS_WHILE && known == 1)
		return; /* loop() looks whether it ends */
	if (s->kind == MS_WHILE && (e ? yq_unwrap(e)->kind == YQ_FALSE : y->type == YT_BOOL))
		return; /* false alone is meant */
	if (known >= 0) {
		vc_report(k->c, VC_W1051, y->span, "the condition is always %s",
			known ? "true" : "false");
		if (e && (yq_unwrap(e)->kind == YQ_KEYWORD || is_op(yq_unwrap(e), "not")))
			vc_hint(k->c, "a word without $ is a text; a variable is $name, a property "
				      "$.name");
	} else if (e && ck_contradicts(e, &at)) {
		vc_report(k->c, VC_W1051, span_of(y, at),
			"the condition is never true: its parts exclude each other");
	}
}

/* ---- values on some paths only ---- */

/* What is known of a variable at one place of the text. */
enum known { NOTHING, ON_A_BRANCH, OF_A_LOOP, IN_A_LOOP, CERTAIN };

typedef struct state {
	const char **name;
	uint8_t *known;
	uint32_t n;
} state;

typedef struct flow {
	ck *k;
	state at;
	bool silent; /* a place from which something may be anywhere */
} flow;

static void flow_block(flow *, mpl_stmt *const *, uint32_t);

static uint32_t
slot_of(flow *f, const char *name)
{
	for (uint32_t i = 0; i < f->at.n; i++)
		if (strcmp(f->at.name[i], name) == 0)
			return i;
	return f->at.n;
}

static void
set(flow *f, const char *name, enum known known)
{
	uint32_t i = name ? slot_of(f, name) : 0;

	if (name && i < f->at.n && !(known == OF_A_LOOP && f->at.known[i] == CERTAIN))
		f->at.known[i] = (uint8_t)known;
}

/* A read that is itself a test does no harm. */
static void
flow_read(flow *f, const ynode *node, const yq_node *e, bool tested)
{
	if (e->kind == YQ_VAR && e->ntext && tested) {
		set(f, e->text, CERTAIN); /* what is tested is known to be null at times */
		return;
	}
	if (e->kind == YQ_VAR && e->ntext && !f->silent) {
		uint32_t i = slot_of(f, e->text);
		if (i == f->at.n || (f->at.known[i] != ON_A_BRANCH && f->at.known[i] != OF_A_LOOP))
			return;
		vc_report(f->k->c, VC_W1054, span_of(node, e),
			f->at.known[i] == OF_A_LOOP
				? "\"$%s\" is the last item of the loop here, and null when there "
				  "was none"
				: "\"$%s\" has a value on some of the ways that lead here, and is "
				  "null on the others",
			e->text);
		f->at.known[i] = CERTAIN; /* told once */
		return;
	}
	if (is_op(e, "->"))
		return; /* its right side has variables of its own */
	tested = (is_comparison(e) && (yq_unwrap(e->kid[0])->kind == YQ_NULL ||
					      yq_unwrap(e->kid[1])->kind == YQ_NULL)) ||
		 is_op(e, "not") || is_op(e, "and") || is_op(e, "or") || is_op(e, "?.") ||
		 (e->kind == YQ_CALL &&
			 (strcmp(e->text, "coalesce") == 0 || strcmp(e->text, "isObject") == 0 ||
				 strcmp(e->text, "bool") == 0 || strcmp(e->text, "switch") == 0));
	for (uint32_t i = 0; i < e->n; i++)
		flow_read(f, node, e->kid[i], tested);
}

static void
flow_value(flow *f, const ynode *y, bool tested)
{
	if (y == NULL)
		return;
	if (y->kind == YN_SCALAR && y->is_expr && y->expr)
		flow_read(f, y, y->expr, tested);
	for (uint32_t i = 0; (y->kind == YN_MAP || y->kind == YN_SEQ) && i < y->n; i++) {
		if (y->kind == YN_MAP)
			flow_value(f, y->key[i], false);
		flow_value(f, y->item[i], false);
	}
}

static uint8_t *
copy(flow *f)
{
	uint8_t *p = vc_alloc(f->k->c, f->at.n + 1);

	memcpy(p, f->at.known, f->at.n);
	return p;
}

/* Does a block never come to its end? */
static bool
never_ends(mpl_stmt *const *v, uint32_t n)
{
	const mpl_stmt *s = n ? v[n - 1] : NULL;

	if (s == NULL)
		return false;
	if (s->kind == MS_IF && s->has_else)
		return never_ends(s->body, s->nbody) && never_ends(s->orelse, s->norelse);
	if (s->kind == MS_DO)
		return never_ends(s->body, s->nbody);
	return s->kind == MS_RETURN || s->kind == MS_THROW || s->kind == MS_RETHROW ||
	       s->kind == MS_BREAK || s->kind == MS_CONTINUE;
}

/* Ways meet again: what is certain on both is, what one of them lacks is not. */
static void
meet(flow *f, const uint8_t *a, const uint8_t *b)
{
	for (uint32_t i = 0; i < f->at.n; i++)
		f->at.known[i] = a[i] == b[i]                             ? a[i]
				 : a[i] == IN_A_LOOP || b[i] == IN_A_LOOP ? IN_A_LOOP
				 : a[i] == OF_A_LOOP || b[i] == OF_A_LOOP ? OF_A_LOOP
									  : ON_A_BRANCH;
}

static void
flow_if(flow *f, const mpl_stmt *s)
{
	uint8_t *before, *then;

	flow_value(f, s->a, true);
	before = copy(f);
	flow_block(f, s->body, s->nbody);
	then = copy(f);
	memcpy(f->at.known, before, f->at.n);
	flow_block(f, s->orelse, s->norelse);
	if (never_ends(s->body, s->nbody))
		return;
	if (never_ends(s->orelse, s->norelse))
		memcpy(f->at.known, then, f->at.n);
	else
		meet(f, then, copy(f));
}

/* A body that may run any number of times: what it alone assigns is not said to be anything. */
static void
flow_loop(flow *f, const mpl_stmt *s)
{
	uint8_t *before;

	flow_value(f, s->a, true);
	before = copy(f);
	set(f, s->name, CERTAIN);
	flow_block(f, s->body, s->nbody);
	for (uint32_t i = 0; i < f->at.n; i++)
		if (before[i] != CERTAIN && f->at.known[i] != before[i])
			f->at.known[i] = IN_A_LOOP;
		else
			f->at.known[i] = before[i];
	if (s->kind == MS_FOR && s->name && !leaves_loop(s->body, s->nbody))
		set(f, s->name, OF_A_LOOP);
}

/* Cases, Try and Parallel: what one of their ways assigns is taken for certain. */
static void
flow_ways(flow *f, const mpl_stmt *s)
{
	flow_value(f, s->a, false);
	flow_block(f, s->body, s->nbody);
	for (uint32_t i = 0; i < s->ncases; i++)
		flow_block(f, s->cases[i].body, s->cases[i].nbody);
	for (uint32_t i = 0; i < s->ncatches; i++) {
		set(f, s->catches[i].as, CERTAIN);
		flow_block(f, s->catches[i].body, s->catches[i].nbody);
	}
	flow_block(f, s->orelse, s->norelse);
	flow_block(f, s->finally, s->nfinally);
}

static void
flow_statement(flow *f, const mpl_stmt *s)
{
	const yq_node *target;

	switch ((enum mpl_stmt_kind)s->kind) {
	case MS_ASSIGN:
		flow_value(f, s->b, false);
		target = s->a && s->a->expr ? yq_unwrap(s->a->expr) : NULL;
		if (target && target->kind == YQ_VAR)
			set(f, target->text, CERTAIN);
		return;
	case MS_IF: flow_if(f, s); return;
	case MS_WHILE:
	case MS_FOR:
	case MS_REPEAT: flow_loop(f, s); return;
	case MS_EXPR:
	case MS_DO:
	case MS_RETURN:
	case MS_BREAK:
	case MS_CONTINUE:
	case MS_MATCH:
	case MS_SWITCH:
	case MS_PARALLEL:
	case MS_TRY:
	case MS_THROW:
	case MS_RETHROW:
	case MS_ERROR: break;
	}
	flow_value(f, s->b, false);
	flow_value(f, s->d, false);
	flow_ways(f, s);
}

static void
flow_block(flow *f, mpl_stmt *const *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		flow_statement(f, v[i]);
}

/* Every name that the method assigns, in no order. */
static void
names_of(flow *f, mpl_stmt *const *v, uint32_t n, uint32_t *count)
{
	for (uint32_t i = 0; i < n && f->at.n < 200; i++) {
		const mpl_stmt *s = v[i];
		const yq_node *e =
			s->kind == MS_ASSIGN && s->a && s->a->expr ? yq_unwrap(s->a->expr) : NULL;
		const char *name = s->kind == MS_FOR                    ? s->name
				   : e && e->kind == YQ_VAR && e->ntext ? e->text
									: NULL;
		f->silent |= s->kind == MS_ERROR;
		if (name && slot_of(f, name) == f->at.n)
			vc_push(f->k->c, f->at.name, f->at.n) = name;
		names_of(f, s->body, s->nbody, count);
		names_of(f, s->orelse, s->norelse, count);
		names_of(f, s->finally, s->nfinally, count);
		for (uint32_t c = 0; c < s->ncases; c++)
			names_of(f, s->cases[c].body, s->cases[c].nbody, count);
		for (uint32_t c = 0; c < s->ncatches; c++)
			names_of(f, s->catches[c].body, s->catches[c].nbody, count);
	}
}

static void
variables(ck *k, const mpl_method *m)
{
	flow f = {.k = k};
	uint32_t count = 0;

	names_of(&f, m->body, m->nbody, &count);
	if (f.silent || f.at.n == 0)
		return;
	f.at.known = vc_alloc(k->c, f.at.n + 1);
	for (uint32_t i = 0; i < m->nargs; i++)
		set(&f, m->args[i].name, CERTAIN);
	flow_block(&f, m->body, m->nbody);
}

/* ---- branches of Parallel ---- */

static const yq_node *
variable_of(const mpl_stmt *s)
{
	const yq_node *e =
		s->kind == MS_ASSIGN && s->a && s->a->expr ? yq_unwrap(s->a->expr) : NULL;

	return e && e->kind == YQ_VAR && e->ntext ? e : NULL;
}

static void
branches(ck *k, const mpl_stmt *s)
{
	for (uint32_t i = 0; i < s->nbody; i++) {
		const yq_node *e = variable_of(s->body[i]);
		for (uint32_t j = 0; e && j < i; j++)
			if (assigns_one(s->body[j], e->text)) {
				vc_report(k->c, VC_W1055, s->body[i]->a->span,
					"two branches that run side by side write \"$%s\"",
					e->text);
				vc_note(k->c, s->body[j]->span, "the other one");
				break;
			}
	}
}

/* ---- the walk ---- */

static void
expressions(ck *k, const ynode *y)
{
	if (y == NULL)
		return;
	if (y->kind == YN_SCALAR && y->is_expr && y->expr)
		comparisons(k, y, y->expr);
	for (uint32_t i = 0; (y->kind == YN_MAP || y->kind == YN_SEQ) && i < y->n; i++) {
		if (y->kind == YN_MAP)
			expressions(k, y->key[i]);
		expressions(k, y->item[i]);
	}
}

static void statements(ck *, mpl_stmt *const *, uint32_t);

static void
statement(ck *k, const mpl_stmt *s)
{
	if (s->kind == MS_IF || s->kind == MS_WHILE)
		condition(k, s);
	if (s->kind == MS_WHILE)
		loop(k, s);
	if (s->kind == MS_REPEAT)
		times(k, s);
	if (s->kind == MS_PARALLEL)
		branches(k, s);
	if (s->kind == MS_ASSIGN && s->a && s->a->expr && s->b && s->b->is_expr && s->b->expr &&
		same(s->a->expr, s->b->expr))
		vc_report(k->c, VC_W1052, s->span, "a value is assigned to itself");
	if (s->kind != MS_ASSIGN)
		expressions(k, s->a);
	expressions(k, s->b);
	expressions(k, s->d);
	for (uint32_t i = 0; i < s->ncases; i++)
		statements(k, s->cases[i].body, s->cases[i].nbody);
	statements(k, s->body, s->nbody);
	for (uint32_t i = 0; i < s->ncatches; i++)
		statements(k, s->catches[i].body, s->catches[i].nbody);
	statements(k, s->orelse, s->norelse);
	statements(k, s->finally, s->nfinally);
}

static void
statements(ck *k, mpl_stmt *const *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		statement(k, v[i]);
}

void
ck_flow(ck *k, const mpl_method *m)
{
	statements(k, m->body, m->nbody);
	variables(k, m);
}
