/*
 * state_steps.c - the state while steps are done: each begin and end is a record of the journal.
 */
#include "runtime/deploy/state.h"

#include <stdlib.h>
#include <string.h>

/* ---- workflows ---- */

char *
vt_tstate_workflow(vt_tstate *s, vt_value *inputs)
{
	const mugl_node *w = vt_state_header(s, KEY("workflow"), MUGL_OBJECT),
			*name = w ? mugl_get(w, KEY("name")) : NULL,
			*in = w ? mugl_get(w, KEY("inputs")) : NULL;
	*inputs = VT_UNDEF;
	if (!name || name->kind != MUGL_STR)
		return NULL;
	if (in && in->kind == MUGL_OBJECT)
		*inputs = mugl_to_value(s->g, s->rt, in, "#ref");
	return vt_asprintf("%.*s", (int)name->n, name->s);
}

void
vt_tstate_set_workflow(vt_tstate *s, const vt_tosca *t, const char *name, vt_value inputs)
{
	mugl_node *h = mugl_header(s->g), in, *w;
	const char *why;
	if (!name) {
		mugl_drop(h, KEY("workflow"));
		for (uint32_t i = 0; i < t->nnodes; i++)
			if (vt_state_find(s, t, t->nodes[i]) != MUGL_NONE)
				mugl_drop(vt_state_properties(s, t, t->nodes[i]), KEY("workflow"));
		return;
	}
	w = mugl_put(s->g, h, KEY("workflow"), mugl_object());
	vt_state_put_text(s, w, KEY("name"), name);
	if (mugl_from_value(s->g, s->rt, inputs, NULL, &in, &why)) {
		w = (mugl_node *)(uintptr_t)mugl_get(mugl_header(s->g), KEY("workflow"));
		mugl_put(s->g, w, KEY("inputs"), in);
	}
}

/* {"done": [...], "failed": [...]} of the node: what the workflow that runs has done there. */
static void
add_to_workflow(vt_tstate *s, mugl_node *p, const char *list, const char *label)
{
	mugl_node *w = vt_state_section(s, p, "workflow");
	mugl_node *l = (mugl_node *)(uintptr_t)mugl_get(w, list, strlen(list));
	if (!l || l->kind != MUGL_ARRAY)
		l = mugl_put(s->g, w, list, strlen(list), mugl_array());
	mugl_push(s->g, l, mugl_str(s->g, label, strlen(label)));
}

static bool
has_text(const mugl_node *list, const char *text)
{
	for (uint32_t i = 0; list && list->kind == MUGL_ARRAY && i < list->n; i++)
		if (vt_state_is_text(&list->item[i], text))
			return true;
	return false;
}

static void
mark_workflow(vt_tstate *s, vt_tplan *plan)
{
	for (uint32_t i = 0; i < plan->n; i++) {
		vt_taction *a = &plan->a[i];
		const mugl_node *p = a->label ? vt_state_read(s, vt_state_find(s, plan->t, a->node))
					      : NULL,
				*w = p ? mugl_get(p, KEY("workflow")) : NULL;
		if (!w || w->kind != MUGL_OBJECT)
			continue;
		a->was = has_text(mugl_get(w, KEY("done")), a->label);
		a->had_failed = has_text(mugl_get(w, KEY("failed")), a->label);
		a->passed = has_text(mugl_get(w, KEY("passed")), a->label);
	}
	for (uint32_t i = 0; i < plan->n; i++)
		if (plan->a[i].step)
			plan->a[i].passed = plan->a[plan->a[i].gate].passed;
}

/* ---- steps ---- */

static char *
step_name(const vt_tplan *p, const vt_taction *a)
{
	vt_buf b = {NULL, 0, 0};
	vt_tplan_step_name(&b, p, a);
	vt_buf_putc(&b, 0);
	return b.p;
}

/* Without an operation that starts, a node runs once all before that is done. */
static bool
is_up(const vt_tplan *plan, const vt_taction *a, const mugl_node *p)
{
	static const uint8_t before[] = {VT_TL_PRECREATE, VT_TL_CREATE, VT_TL_CONFIGURE};
	bool up = true;
	for (size_t i = 0; up && i < sizeof before / sizeof *before; i++) {
		vt_taction one = {.node = a->node, .role = before[i]};
		one.op = vt_tplan_op(plan->t, a->node, NULL, before[i], &one.iface);
		if (!one.op)
			continue;
		char *name = step_name(plan, &one);
		up = has_text(mugl_get(p, KEY("done")), name);
		free(name);
	}
	return up;
}

/* Stopping is for what was started, or begun to be. */
static bool
is_needless(const vt_tplan *plan, const vt_taction *a, const mugl_node *p)
{
	const vt_tiface *iface = a->iface;
	vt_taction start = {.node = a->node, .iface = iface, .role = VT_TL_START};
	const mugl_node *begun = mugl_get(p, KEY("begun"));
	const vt_tiface *starts;
	char *name;
	bool was;
	if ((a->role != VT_TL_STOP && a->role != VT_TL_PRESTOP) || !iface)
		return false;
	name = step_name(plan, &start);
	was = has_text(mugl_get(p, KEY("done")), name) || vt_state_is_text(begun, name);
	free(name);
	if (!was && !vt_tplan_op(plan->t, a->node, NULL, VT_TL_START, &starts))
		was = is_up(plan, a, p);
	/* A stop that was begun took the start away. */
	if (!was) {
		name = step_name(plan, a);
		was = vt_state_is_text(begun, name);
		free(name);
	}
	return !was;
}

void
vt_tstate_mark(vt_tstate *s, vt_tplan *plan)
{
	if (plan->workflow) {
		mark_workflow(s, plan);
		return;
	}
	for (uint32_t i = 0; i < plan->n; i++) {
		vt_taction *a = &plan->a[i];
		const mugl_node *p = vt_state_read(s, vt_state_find(s, plan->t, a->node));
		char *name;
		if (!a->op)
			continue;
		name = step_name(plan, a);
		a->was = p ? has_text(mugl_get(p, KEY("done")), name) : plan->undo;
		if (plan->undo && !a->was)
			a->was = !vt_state_was_begun(p) || is_needless(plan, a, p);
		free(name);
	}
}

/* Is it about the relationship of the action, in the order of the same node? */
static bool
is_of_rel(const vt_tosca *t, const vt_taction *a, const mugl_node *step)
{
	vt_buf b = {NULL, 0, 0};
	vt_tplan_rel_name(&b, t, a->rel);
	vt_buf_putc(&b, '.');
	bool same = step->kind == MUGL_STR && step->n > b.n && !memcmp(step->s, b.p, b.n);
	vt_buf_free(&b);
	return same;
}

/* Steps that this one makes undone: those that lead the other way. */
static bool
is_undone(const vt_tplan *plan, const vt_taction *a, const mugl_node *step)
{
	uint8_t first, last;
	if (plan->undo && a->rel)
		return is_of_rel(plan->t, a, step) &&
		       vt_state_is_one_of(step, VT_TL_ADD_TARGET, VT_TL_ESTABLISH_TARGET);
	if (plan->undo) {
		first = a->role == VT_TL_DELETE || a->role == VT_TL_ERASE ? VT_TL_PRECREATE
									  : VT_TL_START;
		last = VT_TL_ESTABLISH_TARGET;
	} else {
		first = VT_TL_REMOVE_TARGET;
		last = VT_TL_DELETE;
	}
	return vt_state_is_one_of(step, first, last);
}

static void
change_done(vt_tstate *s, const vt_tplan *plan, const vt_taction *a, mugl_node *p, const char *add)
{
	const mugl_node *old = mugl_get(p, KEY("done"));
	bool updates = !plan->undo && mugl_get(p, KEY("update"));
	mugl_node list = mugl_array();
	for (uint32_t i = 0; old && old->kind == MUGL_ARRAY && i < old->n; i++)
		if (updates || !is_undone(plan, a, &old->item[i]))
			mugl_push(s->g, &list, old->item[i]);
	if (add && !has_text(&list, add))
		mugl_push(s->g, &list, mugl_str(s->g, add, strlen(add)));
	mugl_put(s->g, p, KEY("done"), list);
}

static bool
record(vt_tstate *s, const vt_tplan *plan, const vt_taction *a)
{
	return vt_tstate_touch(s, plan->t, a->node);
}

bool
vt_tstate_touch(vt_tstate *s, vt_tosca *t, vt_tnodei *n)
{
	vt_buf b = vt_state_moniker(t, n);
	bool good = s->dry || mugl_journal_step(s->j, b.p, b.n, &s->bad);
	vt_buf_free(&b);
	return vt_state_report(s, good);
}

void
vt_tstate_set_state(vt_tstate *s, vt_tosca *t, vt_tnodei *n, const char *state)
{
	vt_value v = vt_str_c(s->rt, state), name = vt_str_c(s->rt, "state");
	vt_tattr a = {.node = n, .name = vt_tosca_find_str(t, vt_as_str(name))};
	if (vt_state_find(s, t, n) != MUGL_NONE)
		vt_state_put_text(s, vt_state_properties(s, t, n), KEY("state"), state);
	if (a.name && vt_tosca_find(&n->attrs, a.name))
		(void)vt_tosca_put_attribute(t, &a, v);
	vt_release(name);
	vt_release(v);
}

char *
vt_tstate_of(vt_tstate *s, vt_tosca *t, vt_tnodei *n)
{
	const mugl_node *p = vt_state_read(s, vt_state_find(s, t, n)),
			*state = p ? mugl_get(p, KEY("state")) : NULL;
	return state && state->kind == MUGL_STR ? vt_asprintf("%.*s", (int)state->n, state->s)
						: NULL;
}

void
vt_tstate_set(
	vt_tstate *s, vt_tosca *t, vt_tnodei *n, const char *section, const char *key, vt_value v)
{
	mugl_node value;
	const char *why;
	if (!mugl_from_value(s->g, s->rt, v, NULL, &value, &why))
		value = mugl_null();
	mugl_put(s->g, vt_state_section(s, vt_state_properties(s, t, n), section), key, strlen(key),
		value);
}

/* ---- tries ---- */

static mugl_node *
try_of(vt_tstate *s, mugl_node *p, const char *step)
{
	return vt_state_section(s, vt_state_section(s, p, "tries"), step);
}

static void
end_try(vt_tstate *s, mugl_node *p, const vt_tplan *plan, const vt_taction *a)
{
	char *name = step_name(plan, a);
	mugl_node *all;
	if (mugl_get(p, KEY("tries"))) {
		all = vt_state_section(s, p, "tries");
		mugl_drop(all, name, strlen(name));
		if (all->n == 0)
			mugl_drop(p, KEY("tries"));
	}
	free(name);
}

/* The last one has ended, and not well. */
static void
end_process(vt_tstate *s, mugl_node *p, const vt_tplan *plan, const vt_taction *a)
{
	char *name = step_name(plan, a);
	mugl_drop(try_of(s, p, name), KEY("process"));
	free(name);
}

static int64_t
int_of(const mugl_node *object, const char *key)
{
	const mugl_node *v = object ? mugl_get(object, key, strlen(key)) : NULL;
	return v && v->kind == MUGL_INT ? v->i : 0;
}

int64_t
vt_tstate_attempt(vt_tstate *s, const vt_tplan *plan, const vt_taction *a)
{
	char *name = step_name(plan, a);
	int64_t n = int_of(try_of(s, vt_state_properties(s, plan->t, a->node), name), "attempt");
	free(name);
	return n;
}

bool
vt_tstate_process(vt_tstate *s, const vt_tplan *plan, const vt_taction *a, const vt_group *group)
{
	char *name = step_name(plan, a);
	mugl_node *t = try_of(s, vt_state_properties(s, plan->t, a->node), name),
		  *g = mugl_put(s->g, t, KEY("process"), mugl_object());
	mugl_put(s->g, g, KEY("group"), mugl_int(group->pid));
	mugl_put(s->g, g, KEY("start"), mugl_int((int64_t)group->start));
	vt_state_put_text(s, g, KEY("boot"), group->boot);
	vt_state_put_text(s, g, KEY("id"), group->id);
	free(name);
	return record(s, plan, a);
}

static void
copy_text(char *to, size_t size, const mugl_node *object, const char *key)
{
	const mugl_node *v = mugl_get(object, key, strlen(key));
	snprintf(to, size, "%.*s", v && v->kind == MUGL_STR ? (int)v->n : 0,
		v && v->kind == MUGL_STR ? v->s : "");
}

static bool
end_left(vt_tstate *s, const mugl_node *process)
{
	vt_group g = {.pid = (pid_t)int_of(process, "group"),
		.start = (uint64_t)int_of(process, "start")};
	copy_text(g.boot, sizeof g.boot, process, "boot");
	copy_text(g.id, sizeof g.id, process, "id");
	if (vt_group_end(&g))
		return true;
	vt_say("%s: process group %d, which an interrupted run has left, does not end: end it, "
	       "then give the command again\n",
		s->self, (int)g.pid);
	return false;
}

bool
vt_tstate_end_left(vt_tstate *s)
{
	uint32_t at = 0;
	mugl_id id;
	while ((id = mugl_next(s->g, &at)) != MUGL_NONE) {
		const mugl_node *p = vt_state_read(s, id),
				*all = p ? mugl_get(p, KEY("tries")) : NULL;
		for (uint32_t i = 0; all && all->kind == MUGL_OBJECT && i < all->n; i++) {
			mugl_node *t = &all->member[i].value;
			const mugl_node *process =
				t->kind == MUGL_OBJECT ? mugl_get(t, KEY("process")) : NULL;
			if (!process || process->kind != MUGL_OBJECT)
				continue;
			if (!end_left(s, process))
				return false;
			mugl_drop(t, KEY("process"));
		}
	}
	return true;
}

/* ---- ends ---- */

/* What a workflow has done counts as a run would count it. */
static void
workflow_done(vt_tstate *s, const vt_tplan *plan, const vt_taction *a, mugl_node *p)
{
	vt_taction life = *a;
	vt_tplan as = {
		.t = plan->t, .undo = a->role >= VT_TL_REMOVE_TARGET && a->role <= VT_TL_DELETE};
	char *name;
	add_to_workflow(s, p, "done", a->label);
	if (a->passed)
		return;
	mugl_drop(p, KEY("begun"));
	end_try(s, p, plan, a);
	if (a->op && a->role <= VT_TL_DELETE) {
		life.label = NULL;
		name = step_name(&as, &life);
		change_done(s, &as, &life, p, as.undo ? NULL : name);
		free(name);
	}
	if (a->declared && vt_troles[a->role].after)
		vt_tstate_set_state(s, plan->t, a->node, vt_troles[a->role].after);
	if (a->declared && a->role == VT_TL_DELETE)
		vt_tstate_set_state(s, plan->t, a->node, "initial");
}

bool
vt_tstate_handled(vt_tstate *s, const vt_tplan *plan, const vt_taction *a)
{
	mugl_node *p = vt_state_properties(s, plan->t, a->node);
	add_to_workflow(s, p, "failed", a->label);
	p = vt_state_properties(s, plan->t, a->node);
	mugl_drop(p, KEY("begun"));
	end_try(s, p, plan, a);
	return record(s, plan, a);
}

void
vt_tstate_passed(vt_tstate *s, const vt_tplan *plan, const vt_taction *a)
{
	add_to_workflow(s, vt_state_properties(s, plan->t, a->node), "passed", a->label);
}

bool
vt_tstate_started(vt_tstate *s, const vt_tplan *plan, const vt_taction *a)
{
	char *name = step_name(plan, a);
	mugl_node *p = vt_state_properties(s, plan->t, a->node), *t;
	vt_state_put_text(s, p, KEY("begun"), name);
	mugl_drop(p, KEY("failed"));
	t = try_of(s, p, name);
	mugl_put(s->g, t, KEY("attempt"), mugl_int(int_of(t, "attempt") + 1));
	p = vt_state_properties(s, plan->t, a->node);
	if (!plan->workflow)
		change_done(s, plan, a, p, NULL);
	if ((!plan->workflow || a->declared) && vt_troles[a->role].during)
		vt_tstate_set_state(s, plan->t, a->node, vt_troles[a->role].during);
	free(name);
	return record(s, plan, a);
}

bool
vt_tstate_done(vt_tstate *s, const vt_tplan *plan, const vt_taction *a)
{
	bool gone = plan->undo && a->role == VT_TL_DELETE;
	mugl_id id = vt_state_find(s, plan->t, a->node);
	if (id == MUGL_NONE)
		return true;
	if (gone) {
		mugl_remove(s->g, id);
	} else if (plan->workflow) {
		workflow_done(s, plan, a, vt_state_properties(s, plan->t, a->node));
		return record(s, plan, a);
	} else if (a->role == VT_TL_UPDATED) {
		vt_state_end_update(s, vt_state_properties(s, plan->t, a->node));
		return record(s, plan, a);
	} else {
		char *name = step_name(plan, a);
		mugl_node *p = vt_state_properties(s, plan->t, a->node);
		if (a->op) {
			mugl_drop(p, KEY("begun"));
			end_try(s, p, plan, a);
			change_done(s, plan, a, p, name);
		}
		if (vt_troles[a->role].after)
			vt_tstate_set_state(s, plan->t, a->node, vt_troles[a->role].after);
		free(name);
	}
	/* A mark without an operation is as quickly reached again as it is written. */
	return !a->op && !gone ? true : record(s, plan, a);
}

bool
vt_tstate_failed(vt_tstate *s, const vt_tplan *plan, const vt_taction *a, const char *why)
{
	mugl_node *p = vt_state_properties(s, plan->t, a->node);
	vt_state_put_text(s, p, KEY("failed"), why);
	end_process(s, p, plan, a);
	if (!plan->workflow || a->declared)
		vt_tstate_set_state(s, plan->t, a->node, "error");
	return record(s, plan, a);
}
