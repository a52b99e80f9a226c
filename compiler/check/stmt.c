/*
 * stmt.c - statements: targets of assignments, leaving loops, what is never reached.
 *
 * The reference finds all of this when it runs, so these are warnings.
 */
#include "compiler/check/int.h"

#include <string.h>

enum { MAX_CATCHES = 200 };

/* What encloses a statement. */
typedef struct around {
	bool loop, catch;
} around;

static void body(ck *, mpl_stmt **, uint32_t, around);
static void statement(ck *, mpl_stmt *, around);

/* ---- assignment targets (B2 to B4) ---- */

static bool
is_attribute(const yq_node *e)
{
	return e->kind == YQ_BINARY && strcmp(e->text, ".") == 0 && e->kid[1]->kind == YQ_KEYWORD;
}

static bool
is_type(const yq_node *e)
{
	return ((e->kind == YQ_BINARY || e->kind == YQ_UNARY) && strcmp(e->text, ":") == 0) ||
	       (e->kind == YQ_CALL && strcmp(e->text, "type") == 0);
}

/* Can a level of an assignment start from or go through it? */
static bool
is_level(const yq_node *e)
{
	e = yq_unwrap(e);
	if (e->kind == YQ_VAR || is_type(e))
		return true;
	if (is_attribute(e) || (e->kind == YQ_INDEX && e->n == 2))
		return is_level(e->kid[0]);
	return false;
}

static void
target_shape(ck *k, const ynode *node, const yq_node *e)
{
	const yq_node *u = yq_unwrap(e);

	if (u->kind == YQ_VAR && (u->ntext == 0 || strcmp(u->text, "this") == 0)) {
		vc_report(k->c, VC_W1031, node->span,
			"$%s cannot be assigned; this statement always fails", u->text);
		vc_hint(k->c, "assign a variable $name or a property $.name");
	} else if (!is_level(u) || is_type(u)) {
		vc_report(k->c, VC_W1031, node->span,
			"this is no assignment target; the statement always fails");
		vc_hint(k->c, "a target is a variable, or a property, key or index of one: $x, "
			      "$.name, $x.key, $x[0], :Class.name");
	}
}

/*
 * The property of $ that a target rewrites, or NULL: an index or a key below it makes a new
 * container, but below a property that holds an object it is that object which is written.
 */
static const mpl_property *
rewritten(const ck *k, const yq_node *e, const yq_node **place)
{
	bool index = false, key = false;
	const mpl_property *p;

	for (e = yq_unwrap(e);
		e->kind == YQ_INDEX || (is_attribute(e) && !ck_is_this(k, e->kid[0]));
		e = yq_unwrap(e->kid[0])) {
		index = e->kind == YQ_INDEX;
		key = !index;
	}
	if (!is_attribute(e) || !ck_is_this(k, e->kid[0]))
		return NULL;
	*place = e;
	p = ck_property(k, e->kid[1]->text);
	return p && (!key || p->contract->kind == YN_MAP) ? p : NULL;
}

/* $.x: ... where x is an input of the class: allowed only while the object is being made. */
static void
target_access(ck *k, const ynode *node, const yq_node *e)
{
	const yq_node *place = e;
	const mpl_property *p =
		strcmp(k->method->name, ".init") == 0 ? NULL : rewritten(k, e, &place);

	if (p == NULL || (p->usage != MPL_IN && p->usage != MPL_CONST))
		return;
	vc_report(k->c, VC_W1029, yn_subspan(node, place->from, place->to),
		"property \"%s\" is %s, so only .init and what it calls may write it", p->name,
		p->usage == MPL_IN ? "In" : "Const");
	vc_note(k->c, p->span, "declared in class \"%s\"", p->cls->name);
	vc_hint(k->c, "declare it with Usage: %s", p->usage == MPL_IN ? "InOut" : "Out");
}

static void
assignment(ck *k, const mpl_stmt *s)
{
	if (s->a->expr == NULL)
		return;
	target_shape(k, s->a, s->a->expr);
	if (k->method && k->method->usage != MPL_M_STATIC && k->method->usage != MPL_M_EXTENSION)
		target_access(k, s->a, s->a->expr);
}

/* ---- exceptions ---- */

/* Exceptions of the runtime have no name space; a With in a class that has one does not mean them.
 */
static void
catch_name(ck *k, const mpl_catch *h, uint32_t i)
{
	static const char *const builtin[] = {"KeyError", "ZeroDivisionError", "TypeError",
		"ValueError", "IndexError", "AttributeError", "Exception", "RuntimeError",
		"UnicodeDecodeError", "OverflowError"};
	const char *dot = strrchr(h->with[i], '.');

	for (size_t b = 0; dot && b < VC_LEN(builtin); b++)
		if (strcmp(dot + 1, builtin[b]) == 0 &&
			h->with_spans[i].to - h->with_spans[i].from == strlen(builtin[b])) {
			vc_report(k->c, VC_W1034, h->with_spans[i],
				"this With means \"%s\", not the %s that the runtime raises",
				h->with[i], builtin[b]);
			vc_hint(k->c, "catch it by a Catch without With, or declare a prefix for "
				      "the empty namespace: {builtin: ''}");
		}
}

static bool
names_exception(const mpl_catch *h, const char *name)
{
	for (uint32_t i = 0; i < h->nwith; i++)
		if (strcmp(h->with[i], name) == 0)
			return true;
	return false;
}

/* The first match counts: is every name of the Catch one that an earlier Catch takes? */
static const mpl_catch *
covered(const mpl_stmt *s, uint32_t i)
{
	const mpl_catch *by = NULL;

	for (uint32_t w = 0; w < s->catches[i].nwith; w++) {
		by = NULL;
		for (uint32_t b = 0; b < i && !by; b++)
			if (names_exception(&s->catches[b], s->catches[i].with[w]))
				by = &s->catches[b];
		if (by == NULL)
			return NULL;
	}
	return by;
}

static void
catches(ck *k, const mpl_stmt *s, around in)
{
	const mpl_catch *all = NULL, *by;

	for (uint32_t i = 0; i < s->ncatches; i++) {
		const mpl_catch *h = &s->catches[i];
		if (all) {
			vc_report(k->c, VC_W1026, h->span, "this Catch is never reached");
			vc_note(k->c, all->span, "this one has no With and catches everything");
		} else if (h->nwith == 0)
			all = h;
		else if (i < MAX_CATCHES && (by = covered(s, i))) {
			vc_report(k->c, VC_W1026, h->span, "this Catch is never reached");
			vc_note(k->c, by->span, "exceptions of this name are caught here");
		}
		for (uint32_t w = 0; w < h->nwith; w++) {
			catch_name(k, h, w);
			ck_caught_name(k, h->with[w], h->with_spans[w]);
		}
		body(k, h->body, h->nbody, (around){in.loop, true});
	}
}

static void
try_block(ck *k, const mpl_stmt *s, around in)
{
	bool guarded = k->guarded;

	k->guarded |= s->ncatches > 0;
	body(k, s->body, s->nbody, in);
	k->guarded = guarded;
	catches(k, s, in);
	body(k, s->orelse, s->norelse, in);
	body(k, s->finally, s->nfinally, in);
}

/* A type among the names of Throw was reported by the parser; it need not exist. */
static void
throw_names(ck *k, const ynode *v)
{
	for (uint32_t i = 0; i < mpl_items(v); i++) {
		const ynode *item = v->kind == YN_SEQ ? v->item[i] : v;
		if (item->kind == YN_SCALAR && !item->is_expr && item->type != YT_STR) {
			vc_report_as(k->c, VC_FAULT, VC_W1034, item->span,
				"Throw takes names of exceptions, not %s", mpl_show(k->c, item));
			vc_hint(k->c, "a text for people stands below Message:");
		}
		if (!(item->kind == YN_SCALAR && item->expr && is_type(item->expr)))
			ck_value(k, item);
	}
}

/* ---- statements ---- */

static bool leaves(mpl_stmt *const *v, uint32_t n);

static bool
all_cases_leave(const mpl_stmt *s)
{
	for (uint32_t i = 0; i < s->ncases; i++)
		if (!leaves(s->cases[i].body, s->cases[i].nbody))
			return false;
	return s->norelse && leaves(s->orelse, s->norelse);
}

/* What the body raises goes to a Catch, or on upwards. */
static bool
try_leaves(const mpl_stmt *s)
{
	if (leaves(s->finally, s->nfinally))
		return true;
	for (uint32_t i = 0; i < s->ncatches; i++)
		if (!leaves(s->catches[i].body, s->catches[i].nbody))
			return false;
	return leaves(s->body, s->nbody) || leaves(s->orelse, s->norelse);
}

/* Does nothing that follows the statement in its block ever run? */
static bool
leaves_one(const mpl_stmt *s)
{
	switch ((enum mpl_stmt_kind)s->kind) {
	case MS_RETURN:
	case MS_BREAK:
	case MS_CONTINUE:
	case MS_THROW:
	case MS_RETHROW: return true;
	case MS_DO: return leaves(s->body, s->nbody);
	case MS_IF:
		return s->has_else && leaves(s->body, s->nbody) && leaves(s->orelse, s->norelse);
	case MS_EXPR:
	case MS_ASSIGN:
	case MS_WHILE:
	case MS_FOR:
	case MS_REPEAT:
	case MS_PARALLEL:
	case MS_ERROR: return false;
	case MS_MATCH:
	case MS_SWITCH: return all_cases_leave(s);
	case MS_TRY: return try_leaves(s);
	}
	return false;
}

static bool
leaves(mpl_stmt *const *v, uint32_t n)
{
	return n > 0 && leaves_one(v[n - 1]);
}

static void
leave_loop(ck *k, const mpl_stmt *s, around in)
{
	const char *word = s->kind == MS_BREAK ? "Break" : "Continue";

	if (in.loop)
		return;
	vc_report(k->c, VC_W1023, s->span, "%s outside a loop fails when it is reached", word);
}

static void
rethrow(ck *k, const mpl_stmt *s, around in)
{
	if (in.catch)
		return;
	vc_report(k->c, VC_W1024, s->span, "Rethrow outside Catch fails when it is reached");
	vc_hint(k->c, "Rethrow belongs into the Do of a Catch; Throw raises a new exception");
}

static void
cases(ck *k, const mpl_stmt *s, around in)
{
	for (uint32_t i = 0; i < s->ncases; i++) {
		if (s->kind == MS_SWITCH)
			ck_value(k, s->cases[i].key);
		body(k, s->cases[i].body, s->cases[i].nbody, in);
	}
}

static void
children(ck *k, const mpl_stmt *s, around in)
{
	around inner = in;

	inner.loop |= s->kind == MS_WHILE || s->kind == MS_FOR || s->kind == MS_REPEAT;
	if (s->kind == MS_TRY) {
		try_block(k, s, in);
		return;
	}
	if (s->kind == MS_PARALLEL) /* every statement is a branch of its own */
		for (uint32_t i = 0; i < s->nbody; i++)
			statement(k, s->body[i], in);
	else
		body(k, s->body, s->nbody, inner);
	cases(k, s, in);
	body(k, s->orelse, s->norelse, in);
	for (uint32_t i = 0; i < s->ncatches; i++)
		body(k, s->catches[i].body, s->catches[i].nbody, (around){in.loop, true});
	body(k, s->finally, s->nfinally, in);
}

static void
statement(ck *k, mpl_stmt *s, around in)
{
	k->lambda = false;
	if (s->kind == MS_THROW)
		throw_names(k, s->a);
	else
		ck_value(k, s->a);
	ck_value(k, s->b);
	ck_value(k, s->d);
	switch ((enum mpl_stmt_kind)s->kind) {
	case MS_ASSIGN: assignment(k, s); break;
	case MS_BREAK:
	case MS_CONTINUE: leave_loop(k, s, in); break;
	case MS_RETHROW: rethrow(k, s, in); break;
	case MS_EXPR:
	case MS_DO:
	case MS_RETURN:
	case MS_IF:
	case MS_WHILE:
	case MS_FOR:
	case MS_REPEAT:
	case MS_MATCH:
	case MS_SWITCH:
	case MS_PARALLEL:
	case MS_TRY:
	case MS_THROW:
	case MS_ERROR: break;
	}
	children(k, s, in);
}

static void
body(ck *k, mpl_stmt **v, uint32_t n, around in)
{
	for (uint32_t i = 0; i < n; i++) {
		statement(k, v[i], in);
		if (i + 1 < n && leaves_one(v[i])) {
			vc_report(k->c, VC_W1025, v[i + 1]->span, "this is never reached");
			vc_note(k->c, v[i]->span, "the block is left here");
			for (uint32_t r = i + 1; r < n; r++)
				statement(k, v[r], in);
			return;
		}
	}
}

void
ck_method_body(ck *k, const mpl_method *m)
{
	body(k, m->body, m->nbody, (around){false, false});
	k->lambda = false;
}
