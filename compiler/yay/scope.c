/*
 * scope.c - the frames that an expression will be evaluated in, as far as the text says, and
 * what its names mean there.
 *
 * This mirrors where the evaluator (runtime/yay/node.c, runtime/yay/make.c, runtime/yay/expr.c)
 * makes frames: one for a block that is a value or a branch, one for the variables of a loop and
 * another for its body when that has definitions, two for the parameters of an object.  Emitted
 * code counts frames by it, so whoever makes a frame there makes one here.
 */
#include "compiler/yay/tree.h"

#include <stdlib.h>
#include <string.h>

enum kind { S_BODY, S_VARS, S_PARAMS, S_SELF, S_ARGS };
typedef struct scope {
	const struct scope *up;
	enum kind kind;
	uint32_t row; /* BODY; target of S_VARS; first PARAM */
} scope;

typedef struct walk {
	vc *c;
	const vt_ydoc *d;
	const yay_visitor *v;
	yay_bind *bind;
	struct defs **defs; /* by BODY row, of those that define many names */
} walk;

/* A definition, by its name; equal names in their order. */
typedef struct def {
	uint32_t name, row;
} def;
struct defs {
	uint32_t n;
	def *of;
};

#define ROW(w, r) (&(w)->d->row[r])

static void value(walk *, uint32_t row, const scope *);
static void stanzas(walk *, uint32_t body, const scope *);
static void expr(walk *, uint32_t row, const scope *);

/* a scalar or an expression */
static bool
yay_is_expr(enum vt_yay_kind k)
{
	return k >= YAY_TEXT && k != YAY_KWARG && k != YAY_LINK && k != YAY_PAIR && k != YAY_CFOR &&
	       k != YAY_CIF && k != YAY_PARAM && k < YAY_NKINDS;
}

/* Equal, unequal and order. */
bool
yay_is_plain_compare(const vt_ydoc *d, const vt_yrow *r)
{
	for (uint32_t l = r->b; l; l = d->row[l].next)
		if (d->row[l].op >= YAY_OP_IN)
			return false;
	return true;
}

/* ---- names ---- */

/* The name's place among the variables that a target binds, in their order. */
static bool
in_target(walk *w, uint32_t target, uint32_t name, uint32_t *slot)
{
	const vt_yrow *r = ROW(w, target);

	if (r->kind == YAY_IDENT)
		return r->a == name || (++*slot, false);
	if (r->kind == YAY_TUPLE || r->kind == YAY_DISPLAY)
		for (uint32_t t = r->a; t; t = ROW(w, t)->next)
			if (in_target(w, t, name, slot))
				return true;
	return false;
}

static bool
in_params(walk *w, uint32_t first, uint32_t name, uint32_t *slot)
{
	for (uint32_t p = first; p; p = ROW(w, p)->next)
		if (in_target(w, ROW(w, p)->a, name, slot))
			return true;
	return false;
}

static void
add_targets(walk *w, uint32_t target, uint32_t row, struct defs *k)
{
	const vt_yrow *r = ROW(w, target);

	if (r->kind == YAY_IDENT)
		vc_push(w->c, k->of, k->n) = (def){r->a, row};
	else if (r->kind == YAY_TUPLE || r->kind == YAY_DISPLAY)
		for (uint32_t t = r->a; t; t = ROW(w, t)->next)
			add_targets(w, t, row, k);
}

static int
by_name(const void *a, const void *b)
{
	const def *x = a, *y = b;

	return x->name != y->name ? (x->name > y->name) - (x->name < y->name)
				  : (x->row > y->row) - (x->row < y->row);
}

/* All definitions of a body, sorted. */
static const struct defs *
definitions(walk *w, uint32_t body)
{
	struct defs *k = w->defs[body];

	if (k)
		return k;
	k = w->defs[body] = vc_alloc(w->c, sizeof *k);
	for (uint32_t r = ROW(w, body)->b; r; r = VT_YAY_D(*ROW(w, r))) {
		const vt_yrow *p = ROW(w, r);
		if (p->kind == YAY_SET && !p->c)
			add_targets(w, p->a, r, k);
		else
			vc_push(w->c, k->of, k->n) = (def){p->kind == YAY_SET ? p->c : p->a, r};
	}
	if (k->n)
		qsort(k->of, k->n, sizeof *k->of, by_name);
	return k;
}

/* The last definition counts. */
static uint32_t
definition(walk *w, uint32_t body, uint32_t name)
{
	const struct defs *k;
	uint32_t low = 0, high;

	if (!ROW(w, body)->b)
		return 0;
	k = definitions(w, body);
	for (high = k->n; low < high;) {
		uint32_t mid = low + (high - low) / 2;
		if (k->of[mid].name <= name)
			low = mid + 1;
		else
			high = mid;
	}
	return low && k->of[low - 1].name == name ? k->of[low - 1].row : 0;
}

static bool
is_word(walk *w, uint32_t name, const char *word)
{
	size_t n = strlen(word);

	return w->d->str[name + 1] - w->d->str[name] == n &&
	       memcmp(w->d->chars + w->d->str[name], word, n) == 0;
}

static yay_bind
look_up(walk *w, uint32_t name, const scope *s)
{
	uint32_t hops = 0, found, slot;

	if (is_word(w, name, "here"))
		return (yay_bind){0};
	for (; s && hops < UINT16_MAX; s = s->up, hops++) {
		slot = 0;
		switch (s->kind) {
		case S_VARS:
		case S_PARAMS:
			if (s->kind == S_VARS ? in_target(w, s->row, name, &slot)
					      : in_params(w, s->row, name, &slot))
				return (yay_bind){YB_VAR, (uint16_t)hops, slot};
			break;
		case S_BODY:
			if (!(found = definition(w, s->row, name)))
				break;
			if (ROW(w, found)->kind == YAY_SET && ROW(w, found)->c)
				return (yay_bind){YB_SET, (uint16_t)hops, found};
			return (yay_bind){0};
		case S_SELF:
			if (is_word(w, name, "self"))
				return (yay_bind){0};
			break;
		case S_ARGS: return (yay_bind){0};
		}
	}
	return (yay_bind){0};
}

/* ---- expressions ---- */

static bool
comes_again(const scope *s)
{
	for (; s; s = s->up)
		if (s->kind != S_BODY)
			return true;
	return false;
}

/* An expression that is evaluated by itself. */
static void
whole(walk *w, uint32_t row, const scope *s)
{
	if (!row)
		return;
	expr(w, row, s);
	if (w->v && w->v->expr)
		w->v->expr(w->v->ctx, row, comes_again(s));
}

static void
all(walk *w, uint32_t first, const scope *s)
{
	for (uint32_t r = first; r; r = ROW(w, r)->next)
		if (ROW(w, r)->kind == YAY_KWARG || ROW(w, r)->kind == YAY_LINK)
			whole(w, ROW(w, r)->kind == YAY_KWARG ? ROW(w, r)->b : ROW(w, r)->a, s);
		else if (ROW(w, r)->kind == YAY_PAIR)
			whole(w, ROW(w, r)->a, s), whole(w, ROW(w, r)->b, s);
		else
			whole(w, r, s);
}

static void
comprehension(walk *w, uint32_t step, uint32_t what, const scope *s)
{
	scope vars = {s, S_VARS, step ? ROW(w, step)->a : 0};

	if (!step) {
		if (ROW(w, what)->kind == YAY_PAIR)
			whole(w, ROW(w, what)->a, s), whole(w, ROW(w, what)->b, s);
		else
			whole(w, what, s);
	} else if (ROW(w, step)->kind == YAY_CIF) {
		whole(w, ROW(w, step)->a, s);
		comprehension(w, ROW(w, step)->next, what, s);
	} else {
		whole(w, ROW(w, step)->b, s);
		comprehension(w, ROW(w, step)->next, what, &vars);
	}
}

static void
lambda(walk *w, const vt_yrow *r, const scope *s)
{
	scope vars = {s, S_PARAMS, r->a};

	for (uint32_t p = r->a; p; p = ROW(w, p)->next)
		whole(w, ROW(w, p)->b, s);
	whole(w, r->b, &vars);
}

/* Sums of many terms are deep to the left: that side is a loop. */
static void
expr(walk *w, uint32_t row, const scope *s)
{
	while (row) {
		const vt_yrow *r = ROW(w, row);
		row = 0;
		switch ((enum vt_yay_kind)r->kind) {
		case YAY_IDENT: w->bind[r - w->d->row] = look_up(w, r->a, s); break;
		case YAY_MERGED:
			for (uint32_t p = r->a; p; p = ROW(w, p)->next)
				expr(w, p, s);
			break;
		case YAY_UNARY:
		case YAY_NOT:
		case YAY_NUMBER:
		case YAY_CHOSEN:
		case YAY_ATTR: row = r->a; break;
		case YAY_INDEX:
		case YAY_BINARY:
		case YAY_AND:
		case YAY_OR:
		case YAY_ELSE:
			expr(w, r->b, s);
			row = r->a;
			break;
		case YAY_TERNARY:
			expr(w, r->a, s);
			expr(w, r->b, s);
			row = r->c;
			break;
		case YAY_COMPARE:
			if (!yay_is_plain_compare(w->d, r)) {
				whole(w, r->a, s);
				all(w, r->b, s);
				break;
			}
			for (uint32_t l = r->b; l; l = ROW(w, l)->next)
				expr(w, ROW(w, l)->a, s);
			row = r->a;
			break;
		case YAY_SLICE:
			whole(w, r->a, s);
			whole(w, r->b, s);
			whole(w, r->c, s);
			whole(w, VT_YAY_D(*r), s);
			break;
		case YAY_INVOKE:
			whole(w, r->a, s);
			all(w, r->b, s);
			break;
		case YAY_REPR: whole(w, r->a, s); break;
		case YAY_TUPLE:
		case YAY_DISPLAY:
		case YAY_SETOF:
		case YAY_DICT: all(w, r->a, s); break;
		case YAY_COMP: comprehension(w, r->b, r->a, s); break;
		case YAY_LAMBDA: lambda(w, r, s); break;
		case YAY_BODY: value(w, (uint32_t)(r - w->d->row), s); break;
		case YAY_NONE:
		YAY_STATEMENT_CASES:
		YAY_PLAIN_CASES:
		YAY_PART_CASES:
			break;
		}
	}
}

/* ---- blocks ---- */

/* A value, or a branch: a block of its own, or an expression. */
static void
value(walk *w, uint32_t row, const scope *s)
{
	scope own = {s, S_BODY, row};

	if (row && ROW(w, row)->kind == YAY_BODY)
		stanzas(w, row, &own);
	else
		whole(w, row, s);
}

/* What is made with `self`: two frames. */
static void
object(walk *w, uint32_t body, const scope *s)
{
	scope self = {s, S_SELF, 0}, own = {&self, S_BODY, body};

	stanzas(w, body, &own);
}

static void
macro(walk *w, uint32_t body)
{
	scope args = {NULL, S_ARGS, 0}, own = {&args, S_BODY, body};

	stanzas(w, body, &own);
}

static void
loop(walk *w, uint32_t row, const scope *s)
{
	const vt_yrow *r = ROW(w, row);
	scope vars = {s, S_VARS, r->a}, own = {&vars, S_BODY, r->c};

	whole(w, r->b, s);
	whole(w, VT_YAY_D(*r), &vars);
	stanzas(w, r->c, ROW(w, r->c)->b ? &own : &vars);
	if (w->v && w->v->loop)
		w->v->loop(w->v->ctx, row);
}

static void
branches(walk *w, uint32_t row, const scope *s)
{
	for (; row && ROW(w, row)->kind == YAY_IF; row = ROW(w, row)->c) {
		whole(w, ROW(w, row)->a, s);
		value(w, ROW(w, row)->b, s);
	}
	value(w, row, s);
}

static void
stanza(walk *w, uint32_t row, const scope *s)
{
	const vt_yrow *r = ROW(w, row);

	switch (r->kind) {
	case YAY_MAP:
	case YAY_LIST:
		for (uint32_t e = r->a; e; e = ROW(w, e)->next)
			if (ROW(w, e)->kind == YAY_ENTRY)
				value(w, ROW(w, e)->b, s);
			else if (ROW(w, e)->kind == YAY_ITEM)
				value(w, ROW(w, e)->a, s);
			else
				stanza(w, e, s);
		break;
	case YAY_INCLUDE:
	case YAY_SEARCH:
		if (r->a && ROW(w, r->a)->kind == YAY_BODY)
			stanzas(w, r->a, s);
		else
			whole(w, r->a, s);
		break;
	case YAY_NEW:
	case YAY_CREATE:
		whole(w, r->a, s);
		object(w, r->b, s);
		break;
	case YAY_PROTOTYPE: object(w, r->b, s); break;
	case YAY_MACRO: macro(w, r->b); break;
	case YAY_SET: whole(w, r->b, s); break;
	case YAY_CALL:
		whole(w, r->a, s);
		stanzas(w, r->b, s);
		break;
	case YAY_FOR: loop(w, row, s); break;
	case YAY_IF: branches(w, row, s); break;
	case YAY_SELECT:
		whole(w, r->a, s);
		for (uint32_t e = r->b; e; e = ROW(w, e)->next)
			if (ROW(w, e)->kind == YAY_ENTRY)
				value(w, ROW(w, e)->b, s);
			else
				stanza(w, e, s);
		break;
	default:
		if (yay_is_expr(r->kind))
			whole(w, row, s);
	}
}

static void
stanzas(walk *w, uint32_t body, const scope *s)
{
	for (uint32_t r = ROW(w, body)->a; r; r = ROW(w, r)->next)
		stanza(w, r, s);
}

yay_bind *
yay_walk(vc *c, const vt_ydoc *d, const yay_visitor *v)
{
	walk w = {c, d, v, vc_alloc(c, d->nrows * sizeof(yay_bind)),
		vc_alloc(c, d->nrows * sizeof(struct defs *))};
	scope root = {NULL, S_BODY, d->root};

	if (d->root && d->row[d->root].kind == YAY_BODY)
		stanzas(&w, d->root, &root);
	return w.bind;
}

const yay_bind *
yay_bind_names(vc *c, const vt_ydoc *d)
{
	return yay_walk(c, d, NULL);
}
