/*
 * change.c - chains of changes, as `$x: $x.f(..).g(..)`: each of them may change $x where it is.
 */
#include "compiler/lower/int.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"

#include <string.h>

static bool
is_one_of(const char *name, const char *const *of, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(name, of[i]) == 0)
			return true;
	return false;
}

static bool
is_sum(const yq_node *e)
{
	return lw_is_word(e, "+") || lw_is_word(e, "-");
}

/* A set that is added or taken away. */
static bool
is_set_sum(const yq_node *e)
{
	return is_sum(e) && e->kid[1]->kind == YQ_CALL && strcmp(e->kid[1]->text, "set") == 0;
}

/* A call or sum that gives a dict, a set or the items of a list with something changed; *edits: it
 * is no mere part of a list. */
static bool
is_link(const yq_node *e, bool *edits)
{
	static const char *const edit[] = {"set", "mergeWith", "union", "difference", "intersect",
		"symmetricDifference", "add", "remove", "append", "delete"};
	static const char *const part[] = {"skip", "limit", "take"};

	if (e->kind != YQ_BINARY)
		return false;
	if (is_set_sum(e) ||
		(lw_is_word(e, "+") && (e->kid[1]->kind == YQ_LIST || e->kid[1]->kind == YQ_MAP)))
		return *edits = true;
	if (!lw_is_word(e, ".") || e->kid[1]->kind != YQ_CALL)
		return false;
	if (is_one_of(e->kid[1]->text, edit, VC_LEN(edit)))
		return *edits = true;
	return is_one_of(e->kid[1]->text, part, VC_LEN(part));
}

/* toList() of what a link gives, which is one with that. */
static bool
is_turned_link(const yq_node *e, bool *edits)
{
	return e->kind == YQ_BINARY && lw_is_word(e, ".") && e->kid[1]->kind == YQ_CALL &&
	       strcmp(e->kid[1]->text, "toList") == 0 && e->kid[1]->n == 0 &&
	       is_link(e->kid[0], edits);
}

/* The links of `e.f(..).g(..)`, the last one first, and e.  0: the value is no such chain. */
static uint32_t
all_links(const yq_node *e, const yq_node **link, const yq_node **root)
{
	bool edits = false;
	uint32_t n = 0;

	for (; n < LW_MOST_LINKS; e = yq_unwrap(e->kid[0])) {
		const yq_node *whole = e;
		if (is_turned_link(e, &edits))
			e = e->kid[0];
		else if (!is_link(e, &edits))
			break;
		link[n++] = whole;
	}
	*root = e;
	return edits && n > 1 ? n : 0;
}

/* The same of a variable that the later links do not read. */
static uint32_t
links_of(const yq_node *e, const char *name, const yq_node **link)
{
	bool edits;
	uint32_t n = all_links(e, link, &e);

	if (e->kind == YQ_CALL && lw_is_word(e, "coalesce") && e->n > 0)
		e = e->kid[0]; /* the first of the parts has it as a whole */
	if (e->kind != YQ_VAR || strcmp(e->text, name) != 0)
		return 0;
	for (uint32_t i = 0; i + 1 < n; i++) {
		const yq_node *x = is_link(link[i], &edits) ? link[i] : link[i]->kid[0];
		if (lw_reads_variable(x->kid[1], name))
			return 0;
	}
	return n;
}

/* The node with another receiver. */
static yq_node *
with_receiver(lw *l, const yq_node *e, yq_node *receiver)
{
	yq_node *x = vc_alloc(l->c, sizeof *x);

	*x = *e;
	x->kid = vc_alloc(l->c, e->n * sizeof *x->kid);
	memcpy(x->kid, e->kid, e->n * sizeof *x->kid);
	x->kid[0] = receiver;
	return x;
}

/*
 * `$x: $x.f(..).g(..)` as `$x: $x.f(..)` and `$x: $x.g(..)`, each of which changes $x where it is:
 * what f() gives would be a copy, made for each run of the statement.  Nobody sees $x in between:
 * the later arguments do not read it, and where g() fails no handler of the method is left to.
 */
uint32_t
lw_split_assign(lw *l, const mpl_stmt *s, const mpl_stmt **parts)
{
	const yq_node *target = s->kind == MS_ASSIGN && s->a != NULL ? s->a->expr : NULL;
	const yq_node *link[LW_MOST_LINKS];
	uint32_t n;

	if (target == NULL || target->kind != YQ_VAR || s->b == NULL || s->b->kind != YN_SCALAR ||
		!s->b->is_expr || l->handler >= 0 || l->branch || l->dynamic || l->base != NULL ||
		l->f->kind != IF_METHOD || lw_metered(l) || lw_has_steps(l) ||
		!vc_pass_on(l->c, UPDATE) || lw_is_own(l, target->text) ||
		lw_variable(l, target->text) < 0 ||
		(n = links_of(s->b->expr, target->text, link)) == 0)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		const yq_node *e = link[n - 1 - i];
		mpl_stmt *part = vc_alloc(l->c, sizeof *part);
		ynode *value = vc_alloc(l->c, sizeof *value);
		yq_node *from = vc_alloc(l->c, sizeof *from);
		*part = *s;
		*value = *s->b;
		*from = *target;
		part->b = value;
		if (i > 0)
			e = is_link(e, &(bool){false})
				    ? with_receiver(l, e, from)
				    : with_receiver(l, e, with_receiver(l, e->kid[0], from));
		value->expr = (yq_node *)(uintptr_t)e;
		parts[i] = part;
	}
	return n;
}

/* ---- where what the first of them makes could be seen, if a later one fails ---- */

enum { MOST_SURE = 8, MOST_GIVEN = 16 };

/* Arguments that have been worked out. */
typedef struct given {
	lw_let let[MOST_GIVEN];
	uint32_t n;
} given;

static bool
is_same(const yq_node *a, const yq_node *b)
{
	if (a->kind != b->kind || a->n != b->n || a->alias != b->alias || a->ntext != b->ntext ||
		(a->ntext > 0 && memcmp(a->text, b->text, a->ntext) != 0))
		return false;
	if (a->kind != YQ_VAR && a->kind != YQ_KEYWORD && a->kind != YQ_STRING &&
		a->kind != YQ_BINARY && a->kind != YQ_INDEX)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (!is_same(a->kid[i], b->kid[i]))
			return false;
	return true;
}

/* An argument that may be worked out before the call in front of it is made: nothing is done by
 * that, and where it fails the calls are made as they are written. */
static bool
may_come_first(lw *l, const yq_node *e)
{
	return e->kind != YQ_MAPPING && e->kind != YQ_EMPTY && lw_is_blind(l, e) &&
	       lw_only_looks(l, e);
}

/* The arguments of a link, or what it adds. */
static const yq_node *
given_to(const yq_node *link, uint32_t *n)
{
	bool sum = is_sum(link);

	*n = sum ? 1 : link->kid[1]->n;
	return sum ? link : link->kid[1];
}

static bool
are_sure(lw *l, const yq_node *const *link, uint32_t n)
{
	uint32_t all = 0, given;

	for (uint32_t k = 0; k < n; k++) {
		const yq_node *x = given_to(link[k], &given);
		bool merges = lw_is_word(x, "mergeWith");
		all += given;
		if (is_set_sum(link[k])) /* of what is no set, it is an iterator */
			return false;
		if (all > MOST_GIVEN || (merges && (k + 1 < n || given > 1)))
			return false;
		for (uint32_t i = 0; i < given; i++)
			if (!may_come_first(l, x == link[k] ? x->kid[1] : x->kid[i]))
				return false;
	}
	return true;
}

bool
lw_has_edit(const yq_node *e)
{
	bool edits = false;

	if (is_link(e, &edits) && edits)
		return true;
	for (uint32_t i = 0; i < e->n; i++)
		if (lw_has_edit(e->kid[i]))
			return true;
	return false;
}

/* Does a change of the variable get arguments that are changed themselves, as in
 * `$d.set(k, $d.get(k).append(x)).set(l, ..)`, where nobody sees what the first one makes?  The
 * emitter changes each of them where it is, in the order of the text. */
static bool
changes_within(const lw *l, const yq_node *root, const yq_node *const *link, uint32_t n)
{
	uint32_t given;

	for (uint32_t k = 0; l->handler < 0 && root->kind == YQ_VAR && k < n; k++) {
		const yq_node *x = given_to(link[k], &given);
		for (uint32_t i = 0; i < given; i++)
			if (lw_has_edit(x == link[k] ? x->kid[1] : x->kid[i]))
				return true;
	}
	return false;
}

/* The value of e; *e stands for it from now on.  Constants and variables stay as they are. */
static void
work_out(lw *l, yq_node **e, given *to)
{
	static const char *const names[MOST_GIVEN] = {" a0", " a1", " a2", " a3", " a4", " a5",
		" a6", " a7", " a8", " a9", " a10", " a11", " a12", " a13", " a14", " a15"};
	const yq_node *x = *e;

	if (x->n == 0)
		return;
	to->let[to->n] = (lw_let){
		.up = l->lets, .name = names[to->n], .temp = lw_closed_expr(l, x), .var = -1};
	*e = lw_known(l, x, names[to->n]);
	l->lets = &to->let[to->n++];
}

/* A copy of the link with the arguments worked out. */
static yq_node *
ready_link(lw *l, const yq_node *link, given *to)
{
	yq_node *x = with_receiver(l, link, link->kid[0]), *call;

	if (is_sum(link)) {
		work_out(l, &x->kid[1], to);
		return x;
	}
	x->kid[1] = call = vc_alloc(l->c, sizeof *call);
	*call = *link->kid[1];
	call->kid = vc_alloc(l->c, (call->n + 1) * sizeof *call->kid);
	for (uint32_t i = 0; i < call->n; i++) {
		call->kid[i] = link->kid[1]->kid[i];
		work_out(l, &call->kid[i], to);
	}
	return x;
}

/* The links one by one, each evaluated, the last one by toList() or not: the emitter makes one
 * change of them, where all of them are certain to come to an end. */
static int32_t
call_links(lw *l, const yq_node *root, yq_node *const *link, uint32_t n, const yq_node *turned)
{
	int32_t t = lw_expr(l, root);

	for (uint32_t k = n; k-- > 0;) {
		static const char name[] = " changed";
		lw_let was = {.up = l->lets, .name = name, .temp = t, .var = -1};
		yq_node *x = with_receiver(l, link[k], lw_known(l, root, name));
		if (k == 0 && turned != NULL)
			x = with_receiver(l, turned, x);
		l->lets = &was;
		t = lw_op1(l, IR_FINAL, lw_expr(l, x));
		l->lets = was.up;
	}
	return t;
}

bool
lw_assign_chain(lw *l, const mpl_stmt *s)
{
	const yq_node *link[LW_MOST_LINKS], *root = NULL, *turned = NULL;
	yq_node *ready[LW_MOST_LINKS];
	int32_t failed, done, outer = l->handler, floor = l->next;
	given to = {.n = 0};
	const lw_let *lets = l->lets;
	lw saved = *l;
	uint32_t n, at;

	if (s->a == NULL || s->a->expr == NULL || s->b == NULL || s->b->kind != YN_SCALAR ||
		!s->b->is_expr || l->branch || l->dynamic || l->base != NULL ||
		l->f->kind != IF_METHOD || lw_metered(l) || !vc_pass_on(l->c, UPDATE) ||
		(n = all_links(s->b->expr, link, &root)) == 0 || n > MOST_SURE ||
		!is_same(s->a->expr, root) || (root->kind == YQ_VAR && lw_is_own(l, root->text)))
		return false;
	if (!is_link(link[0], &(bool){false})) {
		turned = link[0];
		link[0] = turned->kid[0];
	}
	for (uint32_t k = 1; k < n; k++) /* evaluated, a part of a list is one */
		if (!is_link(link[k], &(bool){false}))
			link[k] = link[k]->kid[0];
	if (!are_sure(l, link, n) || changes_within(l, root, link, n))
		return false;
	failed = lw_label(l);
	done = lw_label(l);
	lw_position(l, s->b->span, vc_strndup(l->c, s->b->text, s->b->ntext));
	l->node = s->b;
	l->text = s->b->text;
	l->ntext = s->b->ntext;
	at = l->f->n;
	lw_set_handler(l, failed);
	for (uint32_t k = n; k-- > 0;)
		ready[k] = ready_link(l, link[k], &to);
	if (to.n > 0) {
		lw_set_handler(l, outer);
	} else { /* nothing can fail there */
		l->f->n = at;
		l->handler = outer;
	}
	lw_assign_temp(l, s, call_links(l, root, ready, n, turned));
	l->lets = lets;
	l->node = saved.node;
	l->text = saved.text;
	l->ntext = saved.ntext;
	if (to.n == 0)
		return true;
	lw_jump(l, done);
	lw_place(l, failed);
	lw_free_temps(l, floor, -1);
	lw_emit(l, IR_FORGET);
	lw_assign_temp(l, s, lw_value(l, s->b));
	lw_place(l, done);
	return true;
}
