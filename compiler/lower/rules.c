/*
 * rules.c - changes of a dict or set in a method that are not written as `x.set(k, v)`.
 *
 * `x.set(k => v)`, `x.set({k => v})` and `x + {k => v}` are that, and several rules are a dict of
 * them; so are several calls that change parts of x in their values.  `x - set(..)` is
 * `x.difference(set(..))`.  Rules as arguments are codes that the library's function runs, and it
 * copies the dict; values are worked out in line, and update.c and early.c change what nobody else
 * holds.  All do the same where the names mean the library's functions.  The sites of the calls as
 * they are written tell that, so those run first.
 */
#include "compiler/lower/int.h"

#include <string.h>

enum { MOST_RULES = 16, MOST_PARTS = 64, MOST_CALLS = VC_LEN(((lw_written *)0)->of) };

/* CALLS: `x.set(k, v).set(l, w)`; LESS: `x - set(..)` */
enum form { PLAIN, RULES, PAIR, SUM, CALLS, LESS };

static bool
all_rules(yq_node *const *kid, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (kid[i]->kind != YQ_MAPPING || kid[i]->kid[0]->kind == YQ_EMPTY ||
			kid[i]->kid[1]->kind == YQ_EMPTY || kid[i]->kid[1]->kind == YQ_MAPPING)
			return false;
	return n > 0 && n <= MOST_RULES;
}

static bool
is_pair(const yq_node *e)
{
	return e->kind == YQ_MAP && e->n == 1 && all_rules(e->kid, 1);
}

/* The call of e.set(k, v) with a constant name; or NULL. */
static const yq_node *
named_set(const yq_node *e)
{
	const yq_node *call =
		e->kind == YQ_BINARY && e->alias == NULL && lw_is_word(e, ".") ? e->kid[1] : NULL;

	return call != NULL && call->kind == YQ_CALL && strcmp(call->text, "set") == 0 &&
			       call->n == 2 &&
			       (call->kid[0]->kind == YQ_KEYWORD ||
				       call->kid[0]->kind == YQ_STRING) &&
			       call->kid[1]->kind != YQ_MAPPING && call->kid[1]->kind != YQ_EMPTY
		       ? call
		       : NULL;
}

static bool
is_in_front(const yq_node *e, const char *name)
{
	for (const yq_node *call; (call = named_set(e)) != NULL; e = e->kid[0])
		if (strcmp(call->kid[0]->text, name) == 0)
			return true;
	return false;
}

/* Does it have values for several names of a property or part, one of which changes something?  A
 * variable by itself has other ways. */
static bool
has_calls(const yq_node *e)
{
	bool edits = false;
	uint32_t n = 0;

	for (const yq_node *call; (call = named_set(e)) != NULL; e = e->kid[0]) {
		edits |= lw_has_edit(call->kid[1]);
		if (++n > MOST_CALLS || is_in_front(e->kid[0], call->kid[0]->text))
			return false;
	}
	return n > 1 && edits && e->kind == YQ_BINARY;
}

/* `set(..)` or `x.toSet()` */
static bool
makes_set(const yq_node *e)
{
	if (e->kind == YQ_CALL)
		return strcmp(e->text, "set") == 0;
	return e->kind == YQ_BINARY && e->alias == NULL && lw_is_word(e, ".") &&
	       e->kid[1]->kind == YQ_CALL && strcmp(e->kid[1]->text, "toSet") == 0;
}

/* Does the operator change a dict or set by one that is written there? */
static bool
is_change(const yq_node *e)
{
	const yq_node *by = e->kind == YQ_BINARY && e->alias == NULL ? e->kid[1] : NULL;

	if (by == NULL)
		return false;
	return (lw_is_word(e, "+") && (is_pair(by) || makes_set(by))) ||
	       (lw_is_word(e, "-") && makes_set(by));
}

/* What an operator changes, through others of them in front of it. */
static const yq_node *
changed_by(const yq_node *e)
{
	while (is_change(e))
		e = yq_unwrap(e->kid[0]);
	return e;
}

/* A variable, or a property of $this, so that to ask what that is does not fail?  A method fails
 * otherwise than an operator. */
static bool
is_asked(const yq_node *e)
{
	e = changed_by(e);
	if (e->kind != YQ_BINARY || !lw_is_word(e, ".") || e->alias != NULL)
		return e->kind == YQ_VAR;
	return e->kid[1]->kind == YQ_KEYWORD && e->kid[0]->kind == YQ_VAR &&
	       (*e->kid[0]->text == '\0' || strcmp(e->kid[0]->text, "this") == 0);
}

/* In which way it changes a dict or set. */
static enum form
form_of(const yq_node *e)
{
	const yq_node *by = e->kind == YQ_BINARY && e->alias == NULL ? e->kid[1] : NULL;

	if (by != NULL && lw_is_word(e, "+"))
		return is_pair(by) && is_asked(e) ? SUM : PLAIN;
	if (by != NULL && lw_is_word(e, "-"))
		return makes_set(by) && is_asked(e) ? LESS : PLAIN;
	if (by == NULL || !lw_is_word(e, ".") || by->kind != YQ_CALL ||
		strcmp(by->text, "set") != 0)
		return PLAIN;
	if (all_rules(by->kid, by->n))
		return RULES;
	return by->n == 1 && is_pair(by->kid[0]) ? PAIR : has_calls(e) ? CALLS : PLAIN;
}

/* Is it the variable, or a part of it?  NULL: of any. */
static bool
is_of(const yq_node *e, const char *var)
{
	while ((e->kind == YQ_BINARY || e->kind == YQ_INDEX || e->kind == YQ_WRAP) && e->n > 0)
		e = e->kid[0];
	return e->kind == YQ_VAR && (var == NULL || strcmp(e->text, var) == 0);
}

/* Functions whose arguments are worked out where the call stands. */
static bool
takes_values(const yq_node *call)
{
	static const char *const names[] = {"set", "get", "append", "insert", "replace",
		"mergeWith", "coalesce", "add", "union", "concat"};
	uint32_t i = 0;

	while (i < VC_LEN(names) && strcmp(call->text, names[i]) != 0)
		i++;
	return i < VC_LEN(names);
}

/* Does what its parts are belong to the expression, rather than to a lambda? */
static bool
has_parts(const yq_node *e)
{
	switch ((enum yq_kind)e->kind) {
	case YQ_BINARY:
	case YQ_INDEX:
	case YQ_LIST:
	case YQ_MAP:
	case YQ_MAPPING:
	case YQ_WRAP: return true;
	case YQ_CALL: return takes_values(e);
	default: return false;
	}
}

/* The node that its site is made for. */
static const yq_node *
site_node(const yq_node *e, enum form form)
{
	return form == SUM || form == LESS ? e : e->kid[1];
}

static const lw_site_of *
noted(const lw_written *w, const yq_node *at)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->of[i].at == at)
			return &w->of[i];
	return NULL;
}

/* False: there are too many. */
static bool
note_change(lw_written *w, const yq_node *e, enum form form)
{
	const yq_node *at = site_node(e, form), *from = at == e ? changed_by(e) : NULL;

	for (bool link = false; at != NULL; link = true) {
		if (w->n == MOST_CALLS)
			return false;
		w->of[w->n++] = (lw_site_of){.at = at, .link = link, .from = from};
		at = form == CALLS ? named_set(e = e->kid[0]) : NULL;
	}
	return true;
}

/* Notes what changes the variable, and all rules, by the nodes that sites are made for.  How many
 * parts the expression has; more than MOST_PARTS: too many of these, or of changes. */
static uint32_t
find_changes(const yq_node *e, const char *var, lw_written *w)
{
	enum form form = form_of(e);
	uint32_t parts = 1;

	if ((form == RULES || (form != PLAIN && is_of(e, var))) &&
		noted(w, site_node(e, form)) == NULL && !note_change(w, e, form))
		return MOST_PARTS + 1;
	for (uint32_t i = 0; has_parts(e) && i < e->n && parts <= MOST_PARTS; i++)
		parts += find_changes(e->kid[i], var, w);
	return parts;
}

/* A call in the place of e. */
static yq_node *
call_to(vc *c, const yq_node *e, char *name, yq_node *const *args, uint32_t n)
{
	yq_node *call = vc_alloc(c, sizeof *call);

	*call = *e;
	call->kind = YQ_CALL;
	call->text = name;
	call->ntext = (uint32_t)strlen(name);
	call->n = n;
	call->kid = vc_alloc(c, n * sizeof *call->kid);
	memcpy(call->kid, args, n * sizeof *call->kid);
	return call;
}

/* The call of set() with a key and its value, or with a dict of the rules. */
static yq_node *
call_with(vc *c, const yq_node *e, yq_node **rules, uint32_t n)
{
	yq_node *map;

	if (n == 1)
		return call_to(c, e, "set", rules[0]->kid, 2);
	map = vc_alloc(c, sizeof *map);
	*map = *e->kid[1];
	map->kind = YQ_MAP;
	map->n = n;
	map->kid = rules;
	return call_to(c, e, "set", &map, 1);
}

/* `x.set(k, v).set(l, w)`, all of whose parts are made, as a change of x by a dict. */
static void
join_calls(vc *c, yq_node *made)
{
	yq_node **rules = vc_alloc(c, MOST_CALLS * sizeof *rules), *x = made;
	uint32_t n = 0;

	for (const yq_node *call; (call = named_set(x)) != NULL; x = x->kid[0])
		n++;
	x = made;
	for (uint32_t at = n; at-- > 0; x = x->kid[0]) {
		rules[at] = vc_alloc(c, sizeof *rules[at]);
		*rules[at] = *x->kid[1];
		rules[at]->kind = YQ_MAPPING;
	}
	made->kid[1] = call_with(c, made, rules, n);
	made->kid[0] = x;
}

/* The expression with the changes as calls with values. */
static yq_node *
with_values(vc *c, const yq_node *e, const lw_written *w)
{
	enum form form = form_of(e);
	yq_node *made = vc_alloc(c, sizeof *made), *by;
	const lw_site_of *of;

	*made = *e;
	if (!has_parts(e) || e->n == 0)
		return made;
	made->kid = vc_alloc(c, e->n * sizeof *made->kid);
	for (uint32_t i = 0; i < e->n; i++)
		made->kid[i] = with_values(c, e->kid[i], w);
	of = form == PLAIN ? NULL : noted(w, site_node(e, form));
	if (of == NULL || of->link)
		return made;
	by = form == PAIR ? made->kid[1]->kid[0] : made->kid[1];
	made->text = ".";
	made->ntext = 1;
	if (form == CALLS)
		join_calls(c, made);
	else if (form == LESS)
		made->kid[1] = call_to(c, made, "difference", &made->kid[1], 1);
	else
		made->kid[1] = call_with(c, made, by->kid, by->n);
	return made;
}

static bool
may_be_values(const lw *l)
{
	return l->written == NULL && l->f->kind == IF_METHOD && !l->inlined && l->lets == NULL &&
	       vc_pass_on(l->c, UPDATE) && vc_pass_on(l->c, CALLS) && !lw_metered(l) &&
	       !lw_is_method_name(l, "set");
}

/* The same value into d, or to where `to` says. */
static void
put(lw *l, const yq_node *e, const lw_chosen *to, int32_t d)
{
	int32_t floor = l->next;

	if (to != NULL)
		to->put(l, to, e, -1);
	else
		lw_copy_into(l, d, lw_expr(l, e));
	lw_free_temps(l, floor, l->next);
	if (to != NULL)
		l->next = floor;
}

/* Goes on where the site has found the library's function, and what is changed is what that is for;
 * elsewhere to the other label. */
static void
go_on_if_found(lw *l, const lw_site_of *of, int32_t otherwise)
{
	int32_t floor = l->next, found = lw_label(l), other = -1;
	ir_ins *in;

	if (of->from != NULL) {
		int32_t from = lw_expr(l, of->from);
		other = lw_label(l);
		in = lw_emit(l, IR_JOTHER);
		in->a[0] = from;
		in->na = 1;
		in->i[0] = strcmp(of->site->name, "#operator_-") == 0;
		in->label = other;
		lw_free_temps(l, floor, l->next);
	}
	in = lw_emit(l, IR_JFOUND);
	in->site = of->site;
	in->label = found;
	lw_jump(l, otherwise);
	if (other >= 0) {
		lw_place(l, other);
		lw_free_temps(l, floor, l->next);
		lw_jump(l, otherwise);
	}
	lw_place(l, found);
	l->next = floor;
}

static void
lower_both(lw *l, const yq_node *e, lw_written *w, const lw_chosen *to, int32_t d)
{
	int32_t ask = lw_label(l), calls = lw_label(l), end = lw_label(l);
	bool known = true;

	lw_jump(l, ask);
	lw_place(l, calls);
	l->written = w;
	put(l, e, to, d);
	l->written = NULL;
	lw_jump(l, end);
	lw_place(l, ask);
	for (uint32_t i = 0; i < w->n; i++)
		known = known && w->of[i].site != NULL;
	if (!known) {
		lw_jump(l, calls);
	} else {
		for (uint32_t i = 0; i < w->n; i++)
			go_on_if_found(l, &w->of[i], calls);
		put(l, with_values(l->c, e, w), to, d);
	}
	lw_place(l, end);
}

void
lw_note_written(lw *l, ir_site *site, const yq_node *at)
{
	for (uint32_t i = 0; l->written != NULL && i < l->written->n; i++)
		if (l->written->of[i].at == at)
			l->written->of[i].site = site;
}

bool
lw_rules_to(lw *l, const yq_node *e, const char *var, const lw_chosen *to)
{
	lw_written w = {.n = 0};

	if (!may_be_values(l) || find_changes(e, var, &w) > MOST_PARTS || w.n == 0)
		return false;
	lower_both(l, e, &w, to, -1);
	return true;
}

int32_t
lw_rules(lw *l, const yq_node *e)
{
	lw_written w = {.n = 0};
	int32_t d;

	if (form_of(e) != RULES || !may_be_values(l) || find_changes(e, "", &w) > MOST_PARTS)
		return -1;
	d = lw_temp(l);
	lower_both(l, e, &w, NULL, d);
	return d;
}

bool
lw_sets_one(const lw *l, const yq_node *e)
{
	return form_of(e) == SUM && may_be_values(l);
}
