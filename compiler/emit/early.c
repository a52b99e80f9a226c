/*
 * early.c - a part of what a variable holds changes before the statement has come to its end.
 *
 * In `$d: $d.set(k, $d.get(k, []).append(a).append(b))` the first append() makes what the second
 * one changes and set() puts back; in `$d: $d + {k => $d.get(k, []) + [x]}` the inner sum makes
 * what the outer one puts back.  What $d holds is over when the statement ends: no handler of the
 * method is left to, and nothing reads $d in between but what puts that part back, or looks at
 * another one.  So the part may change where it stands, and the rest of the statement finds it.
 */
#include "compiler/emit/function.h"
#include "runtime/core/value.h"

#include <string.h>

/* What puts the changed value into what holds it, from inside out. */
typedef struct step {
	const ir_ins *op; /* a call of set() or replace(), a sum, or what is written as a list or
				* dict and stands for what holds it */
	const ir_ins *display; /* of the last two: what has the value; else NULL */
	uint32_t at;           /* of it: where */
} step;

typedef struct early {
	em_below g;
	step step[EM_MOST_LEVELS];
	uint32_t n;
	int32_t var; /* what is assigned; -1: a property of $this */
	bool strict; /* what fails in between could be seen: nothing may */
	const ir_ins *put;
} early;

const ir_ins *
em_place_of_label(fn *x, int32_t label)
{
	const ir_func *f = x->f;

	if (x->label_at == NULL) {
		x->label_at = vc_alloc(x->e->c, ((size_t)f->nlabels + 1) * sizeof *x->label_at);
		for (uint32_t i = 0; i < f->n; i++)
			if (f->ins[i].op == IR_LABEL)
				x->label_at[f->ins[i].label] = i;
	}
	return &f->ins[x->label_at[label]];
}

/* Is what fails there of no interest to the method?  A handler may say what refuses the call. */
static bool
leads_out(fn *x, int32_t handler)
{
	const ir_ins *end = x->f->ins + x->f->n;

	for (uint32_t most = 16; handler >= 0 && most > 0; most--) {
		const ir_ins *k = em_place_of_label(x, handler);
		if (k + 2 >= end || k[1].op != IR_HANDLER || k[2].op != IR_REFUSE)
			return false;
		handler = k[1].label;
	}
	return handler < 0;
}

/* Does the op change its first operand further? */
bool
em_is_link(const ir_ins *use, int32_t t)
{
	static const char *const names[] = {"set", "append", "add", "remove", "union", "difference",
		"delete", "insert", "replace", "mergeWith"};

	if (use->op == IR_ADD)
		return use->a[0] == t && use->a[1] != t;
	for (uint32_t i = 0; use->op == IR_CALLM && use->a[0] == t && i < VC_LEN(names); i++)
		if (strcmp(use->site->name, names[i]) == 0)
			return true;
	return false;
}

/* What is written as a list or dict and has the value once. */
static bool
is_display(const ir_ins *use, int32_t t, uint32_t *at)
{
	uint32_t per = use->op == IR_MAP ? 2 : 1, found = 0;

	if (use->op != IR_MAP && use->op != IR_LIST)
		return false;
	for (uint32_t i = 0; i < use->nlist; i++)
		if (use->list[i] == t) {
			*at = i;
			found++;
		}
	return found == 1 && (*at + 1) % per == 0;
}

/* The op that takes the value next. */
const ir_ins *
em_next_user(const fn *x, const ir_ins *made)
{
	const ir_ins *k = made + 1, *end = x->f->ins + x->f->n;

	while (k < end && k->op != IR_POS && !em_uses(k, made->d))
		k++;
	return k < end && k->op != IR_POS ? k : NULL;
}

/* The call that puts the value, or a choice that it is, into what holds it; or NULL. */
static const ir_ins *
put_next(const fn *x, const ir_ins *made, const ir_ins *use)
{
	if (use->op == IR_COPY)
		return em_put_by(x, made);
	return use->op == IR_CALLM && use->nlist == 2 && use->site->nargs == 2 &&
			       use->list[1] == made->d && use->list[0] != made->d &&
			       (strcmp(use->site->name, "set") == 0 ||
				       strcmp(use->site->name, "replace") == 0)
		       ? use
		       : NULL;
}

/* The op that puts what the dict display has into another dict; or NULL. */
static const ir_ins *
merge_of(const fn *x, const ir_ins *display)
{
	const ir_ins *put = display->op == IR_MAP ? em_next_user(x, display) : NULL;

	if (put == NULL || put->a[0] == display->d)
		return NULL;
	if (put->op == IR_ADD)
		return put->a[1] == display->d ? put : NULL;
	return put->op == IR_CALLM && put->nlist == 1 && put->list[0] == display->d &&
			       strcmp(put->site->name, "set") == 0
		       ? put
		       : NULL;
}

/* The steps from what `in` makes up to what is assigned, whose last op it gives. */
static const ir_ins *
climb(const fn *x, const ir_ins *in, early *e)
{
	const ir_ins *made = in, *use, *put;
	uint32_t at = 0;

	if (e->g.turned != NULL)
		made = e->g.turned;
	for (e->n = 0; e->n < EM_MOST_LEVELS; made = use) {
		if ((use = em_next_user(x, made)) == NULL)
			return NULL;
		if ((put = put_next(x, made, use)) != NULL) {
			e->step[e->n++] = (step){.op = use = put};
		} else if (is_display(use, made->d, &at)) {
			if ((put = merge_of(x, use)) == NULL)
				put = use;
			e->step[e->n++] = (step){.op = put, .display = use, .at = at};
			use = put;
		} else if (!em_is_link(use, made->d)) {
			return made;
		}
	}
	return NULL;
}

/* What the temporary is in front of the op, or what the site has for it: a constant; or nothing. */
ir_const
em_constant_at(const fn *x, const ir_ins *k, int32_t t, const ir_arg *arg)
{
	const ir_ins *def = t < 0 ? NULL : em_made_by(x->f, (uint32_t)(k - x->f->ins), t);

	if (t < 0 && arg != NULL)
		return arg->k;
	return def != NULL && def->op == IR_CONST ? def->k : (ir_const){.kind = IK_NOVALUE};
}

/* The key of the step, where that is a constant. */
static ir_const
constant_key(const fn *x, const step *s)
{
	if (s->display == NULL)
		return em_constant_at(x, s->op, s->op->list[0], &s->op->site->args[0]);
	if (s->display->op == IR_LIST)
		return (ir_const){.kind = IK_INT, .i = s->at};
	return em_constant_at(x, s->display, s->display->list[s->at - 1], NULL);
}

enum em_how
em_compare(const ir_const *a, const ir_const *b)
{
	if (a->kind == IK_INT && b->kind == IK_INT && a->i == b->i)
		return EM_SAME;
	if (a->kind == IK_INT && b->kind == IK_INT) /* l[-1] may be l[0] */
		return (a->i < 0) == (b->i < 0) ? EM_OTHER : EM_ANYWHERE;
	if (a->kind != IK_STR || b->kind != IK_STR)
		return EM_ANYWHERE;
	return a->n == b->n && memcmp(a->s, b->s, a->n) == 0 ? EM_SAME : EM_OTHER;
}

/* The element of t that the op looks at, as a constant; or nothing. */
static ir_const
looked_at(const fn *x, const ir_ins *k, int32_t t)
{
	ir_const none = {.kind = IK_NOVALUE};

	if (k->op == IR_ATTR && k->a[0] == t)
		return (ir_const){
			.kind = IK_STR, .n = (uint32_t)strlen(k->site->name), .s = k->site->name};
	if (k->op == IR_CALL && k->nlist == 2 && strcmp(k->site->name, "#indexer") == 0 &&
		k->list[0] == t && k->list[1] != t)
		return em_constant_at(x, k, k->list[1], &k->site->args[1]);
	if (k->op == IR_CALLM && k->a[0] == t && (k->nlist == 1 || k->nlist == 2) &&
		strcmp(k->site->name, "get") == 0 && (k->nlist == 1 || k->list[1] != t) &&
		k->site->args[0].keyword == NULL)
		return em_constant_at(x, k, k->list[0], &k->site->args[0]);
	return none;
}

/* Does op k only look at another element of what the temporary has read at the level? */
static bool
looks_elsewhere(const fn *x, const early *e, const ir_ins *k, int32_t t, uint32_t level)
{
	ir_const key, at;
	enum em_how how;

	if (e->g.n > 0 || level >= e->n)
		return false;
	key = constant_key(x, &e->step[e->n - 1 - level]);
	at = looked_at(x, k, t);
	how = em_compare(&key, &at);
	if (how != EM_SAME || k->d < 0)
		return how == EM_OTHER;
	t = k->d;
	for (k++; k < e->put && k->d != t; k++)
		if (em_uses(k, t) && !looks_elsewhere(x, e, k, t, level + 1))
			return false;
	return true;
}

/* Does one of the steps put something back into what the temporary holds? */
static bool
is_receiver(const early *e, const ir_ins *k, int32_t t)
{
	uint32_t uses = 0;

	for (uint32_t i = 0; i < e->n; i++)
		if (e->step[i].op == k && e->step[i].op != e->step[i].display) {
			for (uint32_t a = 0; a < k->na; a++)
				uses += k->a[a] == t;
			for (uint32_t a = 0; a < k->nlist; a++)
				uses += k->list[a] == t;
			return k->a[0] == t && uses == 1;
		}
	return false;
}

/* May the op stand between the change and the assignment?  Functions with code of the statement
 * read variables. */
static bool
is_simple(const early *e, const ir_ins *k)
{
	switch (k->op) {
	case IR_POS:
	case IR_CONST:
	case IR_SELF:
	case IR_VAR:
	case IR_FINAL:
	case IR_HANDLER:
	case IR_LIST:
	case IR_MAP: return true;
	case IR_COPY:
	case IR_LABEL:
	case IR_JMP:
	case IR_JFALSE:
	case IR_JTRUE:
	case IR_JFOUND:
	case IR_JOTHER:
	case IR_ATTR:
	case IR_TYPEREF:
	case IR_SUB:
	case IR_MUL:
	case IR_EQ:
	case IR_LT:
	case IR_GT: return !e->strict;
	case IR_ADD:
	case IR_CALL:
	case IR_CALLM: break;
	default: return false;
	}
	if (e->strict && !is_receiver(e, k, k->na > 0 ? k->a[0] : -1))
		return false;
	for (uint32_t i = 0; i < k->site->nargs; i++)
		if (k->site->args[i].code != NULL)
			return false;
	return true;
}

/* Does nothing see the variable between the change and the assignment? */
static bool
is_unseen(fn *x, const ir_ins *in, const early *e)
{
	for (const ir_ins *k = in + 1; k < e->put; k++) {
		if (!is_simple(e, k) ||
			(k->op == IR_HANDLER && !e->strict && !leads_out(x, k->label)))
			return false;
		for (uint32_t i = 0; i < k->na + k->nlist; i++) {
			int32_t t = i < k->na ? k->a[i] : k->list[i - k->na];
			const ir_ins *def =
				t < 0 ? NULL : em_made_by(x->f, (uint32_t)(k - x->f->ins), t);
			if (def != NULL && def->op == IR_VAR && def->var == e->var && e->var >= 0 &&
				!is_receiver(e, k, t) && !looks_elsewhere(x, e, k, t, 0))
				return false;
		}
	}
	return true;
}

/* Is it a variable that is assigned, or a part of one, or a property of $this as a whole? */
static bool
name_variable(fn *x, early *e)
{
	const ir_ins *put = e->put = e->g.put;

	e->var = -1;
	if (put->op == IR_PUTATTR)
		return e->strict = em_is_self(x, put->a[0]) || strcmp(e->g.root, "self") == 0;
	if (put->op != IR_SETVAR && put->op != IR_PUTATTRV && put->op != IR_PUTINDEXV)
		return false;
	e->var = put->var;
	e->strict = !leads_out(x, x->handler);
	return true;
}

/* The key of a step as C in front of op `in`; or NULL. */
static const char *
step_key(fn *x, const ir_ins *in, const step *s)
{
	int32_t t;
	ir_const k;

	if (s->display == NULL)
		return em_named_key(x, in, s->op);
	k = constant_key(x, s);
	if (k.kind == IK_INT || k.kind == IK_STR)
		return em_value(x->e, &k);
	t = s->display->list[s->at - 1];
	return em_definition(x, (uint32_t)(in - x->f->ins), t) ? em_temp(x, t) : NULL;
}

static bool
name_steps(fn *x, const ir_ins *in, early *e)
{
	em_below *g = &e->g;

	for (uint32_t i = e->n; i-- > 0;) {
		const step *s = &e->step[i];
		const char *key = step_key(x, in, s);
		if (key == NULL || g->n == EM_MOST_LEVELS)
			return false;
		if (s->op == s->display)
			g->path[g->n++] = key;
		else if (!em_name_call(x, in, s->op, key, g))
			return false;
	}
	return true;
}

static void
write_early(fn *x, const ir_ins *in, const early *e)
{
	vt_buf *b = x->b;
	int32_t t = in->a[0];
	const ir_ins *to = e->g.turned ? e->g.turned : in;
	const char *site = em_site(x->e, in->site), *held;

	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "before the statement ends, where it stands");
	em_release_now(x, in);
	for (uint32_t i = 0; i < e->n; i++)
		(void)em_site(x->e, e->step[i].op->site ? e->step[i].op->site : in->site);
	vt_buf_printf(b, "\tif (vt_updates(IC(%u))", in->site->index);
	if (e->g.turned)
		em_write_turned(x, " && ", e->g.turned);
	for (uint32_t i = 0; i < e->n; i++)
		if (e->step[i].op != e->step[i].display)
			vt_buf_printf(b, " && %s(IC(%u), %s)",
				e->step[i].display ? "vt_merges" : "vt_puts",
				e->step[i].op->site->index, em_temp(x, e->step[i].op->a[0]));
	vt_buf_puts(b, ") { ");
	held = em_write_levels(x, &e->g);
	vt_buf_puts(b, "vt_value av[] = {");
	for (uint32_t i = 0; in->op == IR_CALLM && i < in->nlist; i++)
		vt_buf_printf(b, "%s, ", in->list[i] < 0 ? "VT_UNDEF" : em_temp(x, in->list[i]));
	for (uint32_t i = 0; in->op == IR_ADD && i < in->na; i++)
		vt_buf_printf(b, "%s, ", em_temp(x, in->a[i]));
	vt_buf_printf(b,
		"VT_UNDEF};\n\tif (vt_update_in(rt, %s, IC(%u), %s, %u, pv, %s, %s, %s, %s, t%d, "
		"av)) { t%d = t%d; t%d = VT_UNDEF; goto Q%u; } }\n",
		x->e->unit, x->e->nics, e->g.root, e->g.n, held, x->sc, site,
		in->op == IR_CALLM ? em_temp(x, t) : "VT_UNDEF", t, to->d, t, t, em_skip_to(x, to));
	x->e->nics += e->g.n;
}

/* `$d.set(k, v)` of what the variable holds, which the statement goes on with. */
static void
change_whole(fn *x, const ir_ins *in)
{
	early e = {.n = 0};
	const ir_ins *def = em_made_by(x->f, (uint32_t)(in - x->f->ins), in->a[0]), *made;
	const char *v;

	if (in->op != IR_CALLM || strcmp(in->site->name, "set") != 0 || in->nlist != 2 ||
		x->alias[in->a[0]].kind != EM_ALIAS_VARIABLE || def == NULL || def->op != IR_VAR ||
		(made = climb(x, in, &e)) == NULL || made == in || e.n > 0 ||
		!em_name_whole(x, made, &e.g) || !name_variable(x, &e) || e.var != def->var ||
		e.strict || in->list[1] == in->a[0])
		return;
	e.step[e.n++] = (step){.op = in};
	if (!is_unseen(x, in, &e))
		return;
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "before the statement ends");
	em_release_now(x, in);
	v = em_variable(x, e.var);
	vt_buf_printf(x->b, "\tif (vt_updates(IC(%u))) { vt_value av[] = {", in->site->index);
	for (uint32_t i = 0; i < in->nlist; i++)
		vt_buf_printf(x->b, "%s, ", in->list[i] < 0 ? "VT_UNDEF" : em_temp(x, in->list[i]));
	vt_buf_printf(x->b,
		"VT_UNDEF}; if (vt_update(rt, %s, %s, %s, %s, 1, av)) { t%d = vt_copy(%s); "
		"goto Q%u; } }\n",
		x->sc, em_site(x->e, in->site), v, v, in->d, v, em_skip_to(x, in));
}

/* Where what op `in` makes is assigned by `and` and `or`, as in `$d: c and $d.set(k, v) or $d`: the
 * op that evaluates it; or NULL.  *if_true: only what is true goes there. */
static const ir_ins *
chosen_by(const fn *x, const ir_ins *in, bool *if_true)
{
	const ir_ins *end = x->f->ins + x->f->n, *k = in + 1;
	int32_t t = in->d, to;

	while (k < end &&
		(k->op == IR_HANDLER || k->op == IR_LABEL || (k->op == IR_COPY && k->a[0] == t)))
		if (k->op == IR_COPY)
			t = k++->d;
		else
			k++;
	*if_true = k < end && k->op == IR_JTRUE && k->a[0] == t;
	if (*if_true) {
		for (to = k->label; k < end && (k->op != IR_LABEL || k->label != to);)
			k++;
		k++;
	}
	return k < end && t != in->d && k->op == IR_FINAL && k->a[0] == t ? k : NULL;
}

/* Does the op make nothing less? What it makes is empty only where nothing was changed. */
static bool
only_adds(const ir_ins *in)
{
	static const char *const names[] = {"set", "append", "add", "union", "insert"};

	for (uint32_t i = 0; in->op == IR_CALLM && i < VC_LEN(names); i++)
		if (strcmp(in->site->name, names[i]) == 0)
			return true;
	return in->op == IR_ADD;
}

/* Does the temporary repeat what is assigned as a whole? */
static bool
is_whole(const fn *x, const ir_ins *in, int32_t t, const ir_ins *put)
{
	const ir_ins *def = em_made_by(x->f, (uint32_t)(in - x->f->ins), t);

	if (em_is_read_for(x, in, t))
		return true; /* which is asked as it runs */
	return put->op == IR_SETVAR && x->alias[t].kind == EM_ALIAS_VARIABLE && def != NULL &&
	       def->op == IR_VAR && def->var == put->var;
}

static bool
is_chosen_whole(fn *x, const ir_ins *in, em_below *g, bool *if_true)
{
	const ir_ins *final = chosen_by(x, in, if_true);

	*g = (em_below){.n = 0};
	return final != NULL && (!*if_true || only_adds(in)) && in->a[0] >= 0 && em_is_local(x) &&
	       em_name_whole(x, final, g) && is_whole(x, in, in->a[0], g->put);
}

bool
em_updates_or(fn *x, const ir_ins *in)
{
	em_below g;

	return is_chosen_whole(x, in, &g, &(bool){false});
}

bool
em_update_or(fn *x, const ir_ins *in)
{
	bool if_true, held;
	int32_t t = in->a[0];
	em_below g;
	const char *site, *v;
	vt_buf *b = x->b;

	if (!is_chosen_whole(x, in, &g, &if_true))
		return false;
	vc_pass_note(x->e->c, VC_PASS_UPDATE, in, "in place, where that is chosen");
	em_release_now(x, in);
	held = x->alias[t].kind == EM_ALIAS_NONE;
	site = em_site(x->e, in->site);
	v = em_temp(x, t);
	vt_buf_printf(b, "\tif (vt_updates(IC(%u))) { ", in->site->index);
	if (held)
		(void)em_write_levels(x, &g);
	vt_buf_puts(b, "vt_value av[] = {");
	for (uint32_t i = 0; in->op == IR_CALLM && i < in->nlist; i++)
		vt_buf_printf(b, "%s, ", in->list[i] < 0 ? "VT_UNDEF" : em_temp(x, in->list[i]));
	for (uint32_t i = 0; in->op == IR_ADD && i < in->na; i++)
		vt_buf_printf(b, "%s, ", em_temp(x, in->a[i]));
	vt_buf_puts(b, "VT_UNDEF};\n\tif (");
	if (held)
		vt_buf_printf(b, "vt_update_in(rt, %s, IC(%u), %s, %u, pv, NULL, ", x->e->unit,
			x->e->nics, g.root, g.n);
	else
		vt_buf_puts(b, "vt_update(rt, ");
	vt_buf_printf(b, "%s, %s, %s, %s, %sav)", x->sc, site, in->op == IR_CALLM ? v : "VT_UNDEF",
		v, held ? "" : "1, ");
	if (if_true)
		vt_buf_printf(b, " && vt_is_true(%s)", v);
	vt_buf_puts(b, ") { ");
	if (held)
		vt_buf_printf(b, "vt_clear(&t%d); ", t);
	if (g.put->op == IR_PUTATTR && g.put->d >= 0)
		vt_buf_printf(b, "t%d = VT_UNDEF; ", g.put->d);
	vt_buf_printf(b, "goto Q%u; } }\n", em_skip_to(x, g.put));
	x->e->nics += held ? g.n : 0;
	return true;
}

/* The same of what a variable holds that is read for the last time by the call that puts the part
 * back, as in `$all: $all.set(k, $o.set(l, $o.l + [x]))`. */
static void
change_last(fn *x, const ir_ins *in)
{
	early e = {.n = 0};
	ir_ins whole = {.op = IR_SETVAR, .var = -1};
	const ir_ins *made = in, *use, *put;
	uint32_t at;

	while (whole.var < 0 && e.n < EM_MOST_LEVELS && (use = em_next_user(x, made)) != NULL) {
		if ((put = put_next(x, made, use)) == NULL && is_display(use, made->d, &at)) {
			if ((put = merge_of(x, use)) == NULL)
				return;
			e.step[e.n++] = (step){.op = put, .display = use, .at = at};
		} else if (put != NULL) {
			e.step[e.n++] = (step){.op = put};
		} else if (em_is_link(use, made->d)) {
			made = use;
			continue;
		} else
			return;
		if (put->a[0] >= 0 && x->alias[put->a[0]].kind == EM_ALIAS_VARIABLE)
			whole.var = em_last_read(x, put);
		made = e.put = put;
	}
	if (whole.var < 0)
		return;
	e.var = whole.var;
	e.g.put = &whole;
	e.g.root = em_variable(x, e.var);
	e.strict = !leads_out(x, x->handler);
	if (is_unseen(x, in, &e) && name_steps(x, in, &e))
		write_early(x, in, &e);
}

/* A part of what is assigned. */
static bool
change_early(fn *x, const ir_ins *in)
{
	early e = {.n = 0, .g.turned = in->op == IR_CALLM ? em_turned_by(x, in) : NULL};
	const ir_ins *made = climb(x, in, &e);

	if (made == NULL ||
		(!em_name_whole(x, made, &e.g) && !em_name_levels(x, in, made, in->a[0], &e.g)))
		return false;
	if (!name_variable(x, &e) || e.g.n + e.n == 0 || !is_unseen(x, in, &e) ||
		!name_steps(x, in, &e))
		return false;
	write_early(x, in, &e);
	return true;
}

void
em_update_early(fn *x, const ir_ins *in)
{
	int32_t t = in->a[0];

	if (em_is_local(x) && in->d >= 0 && t >= 0 && x->alias[t].kind)
		change_whole(x, in);
	if ((in->op != IR_CALLM && in->op != IR_ADD) || !em_is_local(x) || in->d < 0 ||
		!em_is_read_for(x, in, t))
		return;
	for (uint32_t i = 0; i < in->nlist; i++)
		if (in->list[i] == t)
			return;
	if (!change_early(x, in))
		change_last(x, in);
}
