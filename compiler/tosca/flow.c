/*
 * flow.c - workflows and the triggers of policies.
 *
 * Both consist of activities.  Their conditions and filters are kept as written: they speak of the
 * running deployment, and nothing is decided by them before.
 */
#include "compiler/tosca/render.h"

#include <stdlib.h>
#include <string.h>

/* Where activities stand: what they may name. */
typedef struct flow {
	render *r;
	te *workflow;    /* or NULL: a trigger */
	ty_type *target; /* of the step or trigger, or NULL where it is a group or not known */
	const char *owner;
} flow;

static void
malformed(const flow *f, vc_span at, const char *what)
{
	vc_report(f->r->t->c, VC_E2057, at, "%s", what);
}

/* ---- inputs of an activity ---- */

static vt_tspan
inputs(const flow *f, const ynode *y)
{
	vt_tassign *row = NULL;
	uint32_t n = 0;
	tm *m = f->r->t->m;
	if (y && y->kind != YN_MAP && y->kind != YN_ERROR)
		malformed(f, y->span, "the inputs of an activity are a map");
	for (uint32_t i = 0; y && y->kind == YN_MAP && i < y->n; i++) {
		if (!te_text(y->key[i]))
			continue;
		vt_tassign a = {tm_str(m, y->key[i]->text), 0, tx_value(f->r->u, y->item[i], 0),
			tm_place(f->r->t, y->key[i]->span)};
		vc_push(f->r->t->c, row, n) = a;
	}
	vt_tspan span = {tm_count(m, TM_assign), n};
	for (uint32_t i = 0; i < n; i++)
		tm_add_assign(m, row[i]);
	return n ? span : (vt_tspan){0, 0};
}

/* The workflow's input that an expression is nothing but; NULL: it is something else. */
static te *
lone_input(const flow *f, const ynode *y)
{
	const char *fn = y->kind == YN_MAP && y->n == 1 ? te_text(y->key[0]) : NULL;
	if (!fn || !f->workflow || strcmp(fn[0] == '$' ? fn + 1 : fn, "get_input") != 0)
		return NULL;
	const ynode *name =
		y->item[0]->kind == YN_SEQ && y->item[0]->n == 1 ? y->item[0]->item[0] : y->item[0];
	return te_text(name) ? te_named(f->workflow, "inputs", name->text) : NULL;
}

/* The engine looks at the type of what is given. */
static void
check_given(const flow *f, const char *name, uint32_t schema, const ynode *value)
{
	vt_tslot slot = {.name = tm_str(f->r->t->m, name),
		.schema = schema,
		.flags = VT_TS_GIVEN,
		.place = tm_place(f->r->t, value->span),
		.dflt = tx_value(f->r->u, value, 0)};
	tm_add_slot(f->r->t->m, slot);
}

static void
check_input(const flow *f, const ty_def *d, const ynode *given, vc_span at)
{
	const ynode *value = given && given->kind == YN_MAP ? yn_get(given, d->name) : NULL;
	if (value && d->schema)
		check_given(f, d->name, tm_schema_row(f->r->t, d->schema), value);
	if (!d->required || d->dflt)
		return;
	if (!value) {
		vc_report(f->r->t->c, VC_E2051, at,
			"the operation needs a value for its input '%s'", d->name);
		return;
	}
	te *input = lone_input(f, value);
	if (input && !te_bool(input, "required", true) && !te_get(input, "default")) {
		vc_report(f->r->t->c, VC_E2051, value->span,
			"the operation needs a value for its input '%s', and '%s' may have none",
			d->name, input->name);
		vc_note(f->r->t->c, te_span(input), "the input of the workflow is not required");
	}
}

/* ---- activities ---- */

/* interface.operation of the step's target; names of interfaces may have dots. */
static void
check_operation(const flow *f, const ynode *name, const ynode *given)
{
	const char *dot = strrchr(name->text, '.');
	if (!dot) {
		malformed(f, name->span, "an operation is named INTERFACE.OPERATION");
		return;
	}
	if (!f->target || f->target->bad || !ty_rooted(f->target))
		return;
	const char *iface = te_interface_name(
		f->r->u, vc_strndup(f->r->t->c, name->text, (size_t)(dot - name->text)));
	const ty_def *i = ty_find(&f->target->ifaces, iface),
		     *op = i ? ty_find(&i->ops, dot + 1) : NULL;
	if (!i) {
		vc_report(f->r->t->c, VC_E2050, name->span,
			"the node type '%s' has no interface '%s'", f->target->name, iface);
		ty_hint_near(f->r->t->c, &f->target->ifaces, iface);
	} else if (!op && ty_is_unknown(i)) {
		return;
	} else if (!op) {
		vc_report(f->r->t->c, VC_E2050, name->span,
			"the interface '%s' has no operation '%s'", iface, dot + 1);
		ty_hint_near(f->r->t->c, &i->ops, dot + 1);
	} else if (!(f->r->u->version & VT_TV_2_0))
		return;
	for (uint32_t k = 0; op && k < i->inputs.n; k++)
		check_input(f, i->inputs.d[k], given, name->span);
	for (uint32_t k = 0; op && k < op->inputs.n; k++)
		check_input(f, op->inputs.d[k], given, name->span);
}

/* What is inlined gets inputs that it declares, and those that it needs. */
static void
check_inlined(const flow *f, const te *workflow, const ynode *given, vc_span at)
{
	uint32_t n;
	te **all = te_all(workflow, "inputs", &n);
	for (uint32_t i = 0; given && given->kind == YN_MAP && i < given->n; i++) {
		const char *name = te_text(given->key[i]);
		if (!name || te_named(workflow, "inputs", name))
			continue;
		vc_report(f->r->t->c, VC_E2050, given->key[i]->span,
			"the workflow '%s' has no input '%s'", workflow->name, name);
		te_hint_near(workflow, "inputs", name);
	}
	for (uint32_t i = 0; i < n; i++)
		if (te_bool(all[i], "required", true) && !te_get(all[i], "default") &&
			!te_get(all[i], "value") &&
			!(given && given->kind == YN_MAP && yn_get(given, all[i]->name)))
			vc_report(f->r->t->c, VC_E2051, at,
				"the workflow '%s' needs a value for its input '%s'",
				workflow->name, all[i]->name);
}

static void
check_workflow(const flow *f, const ynode *name, const ynode *given)
{
	const te *workflow = te_named(f->r->service, "workflows", name->text);
	if (!workflow) {
		vc_report(
			f->r->t->c, VC_E2020, name->span, "there is no workflow '%s'", name->text);
		te_hint_near(f->r->service, "workflows", name->text);
	} else if (f->r->u->version & VT_TV_2_0)
		check_inlined(f, workflow, given, name->span);
}

/* Before 1.3 the action of a trigger is the name of a workflow, or an operation of its own. Whether
 * there is such a thing shows when the event comes: managers have their own. */
static bool
old_action(const flow *f, const ynode *y, const char *operation, vt_tactivity *out)
{
	const char *name = operation ? operation : te_text(y);
	if (f->workflow || !name || !(f->r->u->version & (VT_TV_1_0 | VT_TV_1_1 | VT_TV_1_2)))
		return false;
	*out = (vt_tactivity){operation ? VT_TA_CALL : VT_TA_INLINE, tm_str(f->r->t->m, name),
		{0, 0}, tm_place(f->r->t, y->span)};
	return true;
}

static bool
activity(const flow *f, const ynode *y, vt_tactivity *out)
{
	static const struct {
		const char *name, *longkey;
		uint8_t kind;
	} kinds[] = {{"delegate", "workflow", VT_TA_DELEGATE}, {"inline", "workflow", VT_TA_INLINE},
		{"set_state", NULL, VT_TA_STATE}, {"call_operation", "operation", VT_TA_CALL}};
	const char *key = y->kind == YN_MAP && y->n == 1 ? te_text(y->key[0]) : NULL;
	for (size_t i = 0; key && i < VC_LEN(kinds); i++) {
		if (strcmp(key, kinds[i].name) != 0)
			continue;
		const ynode *v = y->item[0], *given = NULL;
		if (v->kind == YN_MAP && kinds[i].longkey) {
			given = yn_get(v, "inputs");
			v = yn_get(v, kinds[i].longkey);
		}
		if (!te_text(v)) {
			malformed(f, y->item[0]->span,
				"an activity names a workflow, a state or an operation");
			return false;
		}
		*out = (vt_tactivity){kinds[i].kind, tm_str(f->r->t->m, v->text), {0, 0},
			tm_place(f->r->t, y->span)};
		out->inputs = inputs(f, given);
		if (out->kind == VT_TA_CALL)
			check_operation(f, v, given);
		else if (out->kind == VT_TA_INLINE)
			check_workflow(f, v, given);
		return true;
	}
	static const char *const names[] = {"delegate", "inline", "set_state", "call_operation"};
	const char *near = key ? vt_nearest(key, names, VC_LEN(names)) : NULL;
	if (!near && old_action(f, y, key, out))
		return true;
	malformed(f, y->span,
		"an activity is a map with one key: delegate, inline, set_state or call_operation");
	if (near)
		vc_did_you_mean(f->r->t->c, "'%s'", near);
	return false;
}

static vt_tspan
activities(const flow *f, const ynode *y)
{
	vt_tactivity *row = NULL, a;
	uint32_t n = 0;
	bool lone = y && (y->kind == YN_MAP || (!f->workflow && te_text(y)));
	if (lone && f->r->u->version & (VT_TV_1_0 | VT_TV_1_1 | VT_TV_1_2)) {
		if (activity(f, y, &a))
			vc_push(f->r->t->c, row, n) = a;
	} else if (y && y->kind != YN_SEQ) {
		malformed(f, y->span, "activities are a list");
	}
	for (uint32_t i = 0; y && y->kind == YN_SEQ && i < y->n; i++)
		if (activity(f, y->item[i], &a))
			vc_push(f->r->t->c, row, n) = a;
	vt_tspan span = {tm_count(f->r->t->m, TM_activity), n};
	for (uint32_t i = 0; i < n; i++)
		tm_add_activity(f->r->t->m, row[i]);
	return n ? span : (vt_tspan){0, 0};
}

/* ---- workflows ---- */

static void
no_step(vc *c, const te *workflow, const ynode *name)
{
	vc_report(c, VC_E2020, name->span, "the workflow '%s' has no step '%s'", workflow->name,
		name->text);
	te_hint_near(workflow, "steps", name->text);
}

static vt_tspan
next_steps(render *r, te *workflow, te *step, const char *keyname)
{
	const ynode *y = te_y(step, keyname);
	uint32_t *list = NULL, n = 0;
	for (uint32_t i = 0; y && i < (y->kind == YN_SEQ ? y->n : 1); i++) {
		const ynode *name = y->kind == YN_SEQ ? y->item[i] : y;
		if (!te_named(workflow, "steps", name->text))
			no_step(r->t->c, workflow, name);
		vc_push(r->t->c, list, n) = tm_str(r->t->m, name->text);
	}
	return tm_indexes(r->t->m, list, n);
}

static ty_type *
type_of_target(render *r, uint32_t member)
{
	if (!member || member & VT_TMEMBER_GROUP)
		return NULL;
	te *e = r->node[member - r->node0];
	return te_str(e, "type") ? tn_find_type(r->u, TN_NODE, te_str(e, "type")) : NULL;
}

/* From 2.0 on conditions are boolean functions; before, clauses that runtime/deploy/condition.c of
 * the runtime reads. */
static unsigned
literal(const render *r)
{
	return r->u->version & VT_TV_2_0 ? 0 : TX_LITERAL;
}

/* Products have conditions of their own in these places. */
static void
check_clauses(const render *r, const ynode *y)
{
	if (y && literal(r) && !(r->u->keys & (TK_A4C | TK_SDC)) &&
		!(r->u->version & VT_TV_CLOUDIFY))
		tx_check_condition(r->u, y);
}

static vt_tstep
step_row(render *r, te *workflow, te *e)
{
	struct tosca *t = r->t;
	flow f = {.r = r, .workflow = workflow, .owner = workflow->name};
	vt_tstep s = {.name = tm_str(t->m, e->name), .place = tm_place(t, te_span(e))};
	const char *target = te_str(e, "target");
	if (target) {
		s.target = render_member(r, target);
		if (!s.target)
			render_unknown_member(r, target, te_y(e, "target")->span,
				vc_format(t->c, "the step '%s'", e->name));
	}
	f.target = te_get(e, "target_relationship") ? NULL : type_of_target(r, s.target);
	s.relationship = tm_text(t, e, "target_relationship");
	s.host = tm_text(t, e, "operation_host");
	check_clauses(r, te_y(e, "filter"));
	s.filter = te_y(e, "filter") ? tx_value(r->u, te_y(e, "filter"), literal(r) | TX_VALUE) : 0;
	s.activities = activities(&f, te_y(e, "activities"));
	s.on_success = next_steps(r, workflow, e, "on_success");
	s.on_failure = next_steps(r, workflow, e, "on_failure");
	return s;
}

static vt_tspan
workflow_inputs(render *r, te *e)
{
	uint32_t n;
	te **all = te_all(e, "inputs", &n);
	vt_tslot *row = vc_alloc(r->t->c, (n + 1) * sizeof *row);
	for (uint32_t i = 0; i < n; i++) {
		const ynode *dflt = te_y(all[i], "default");
		if (!te_get(all[i], "type") && !all[i]->bad && r->u->version & VT_TV_2_0)
			vc_report(r->t->c, VC_E2003, te_span(all[i]),
				"the input '%s' needs the keyname 'type'", all[i]->name);
		row[i] = (vt_tslot){.name = tm_str(r->t->m, all[i]->name),
			.place = tm_place(r->t, te_span(all[i]))};
		row[i].schema = te_get(all[i], "type")
					? tm_schema_row(r->t, ty_schema_of(r->u, all[i], NULL))
					: 0;
		row[i].dflt = dflt ? tx_value(r->u, dflt, 0) : 0;
		row[i].flags = (te_bool(all[i], "required", true) ? VT_TS_REQUIRED : 0u) |
			       (ty_is_private(all[i]) ? VT_TS_PRIVATE : 0u);
	}
	vt_tspan span = {tm_count(r->t->m, TM_slot), n};
	for (uint32_t i = 0; i < n; i++)
		tm_add_slot(r->t->m, row[i]);
	return n ? span : (vt_tspan){0, 0};
}

/*
 * Loops among entities of a list: steps that come after each other, workflows that inline others.
 * What nothing leads to is taken away, and what it leads to has one less, until all are gone or
 * only loops and what is behind them are left.  Each edge is looked at once.
 */
typedef struct edge {
	uint32_t from, to;
} edge;
typedef struct graph {
	vc *c;
	te *const *all;
	uint32_t n;
	edge *edge;
	uint32_t nedges;
} graph;

/* From entity number `from` to another of the list; NULL leads nowhere. */
static void
add_edge(graph *l, uint32_t from, const te *to)
{
	for (uint32_t i = 0; to && !l->nedges && i < l->n; i++)
		l->all[i]->of = (void *)(uintptr_t)(i + 1); /* its number */
	if (to)
		vc_push(l->c, l->edge, l->nedges) = (edge){from, (uint32_t)(uintptr_t)to->of - 1};
}

/* Edges by where they come from: *first[i] to first[i + 1]. */
static uint32_t *
by_source(const graph *l, uint32_t *first)
{
	uint32_t *to = vt_xmalloc((l->nedges + 1) * sizeof *to);
	for (uint32_t i = 0; i < l->nedges; i++)
		first[l->edge[i].from + 1]++;
	for (uint32_t i = 0; i < l->n; i++)
		first[i + 1] += first[i];
	for (uint32_t i = l->nedges; i-- > 0;) {
		uint32_t from = l->edge[i].from;
		to[--first[from + 1]] = l->edge[i].to;
	}
	return to;
}

/* Takes away what nothing leads to; left[i]: how many still lead to i. */
static void
take_away(const graph *l, uint32_t *left)
{
	uint32_t *first = vt_xzalloc((l->n + 2) * sizeof *first), *to = by_source(l, first);
	uint32_t *queue = vt_xmalloc((l->n + 1) * sizeof *queue), n = 0;
	for (uint32_t i = 0; i < l->nedges; i++)
		left[l->edge[i].to]++;
	for (uint32_t i = 0; i < l->n; i++)
		if (!left[i])
			queue[n++] = i;
	for (uint32_t at = 0; at < n; at++) {
		/* by_source() left the beginnings one place behind */
		uint32_t from = first[queue[at] + 1];
		uint32_t end = queue[at] + 2 <= l->n ? first[queue[at] + 2] : l->nedges;
		for (uint32_t k = from; k < end; k++)
			if (--left[to[k]] == 0)
				queue[n++] = to[k];
	}
	free(first);
	free(to);
	free(queue);
}

/* The first that leads to itself, over others or not; NULL: none. */
static const te *
find_loop(const graph *l)
{
	uint32_t *left = vt_xzalloc((l->n + 1) * sizeof *left);
	const te *found = NULL;
	take_away(l, left);
	for (uint32_t i = 0; i < l->n && !found; i++)
		found = left[i] ? l->all[i] : NULL;
	free(left);
	return found;
}

/* A step that comes after itself never begins. */
static void
check_steps(render *r, te *workflow)
{
	uint32_t n;
	te **all = te_all(workflow, "steps", &n);
	graph l = {.c = r->t->c, .all = all, .n = n};
	for (uint32_t i = 0; i < n; i++) {
		const ynode *y = te_y(all[i], "on_success");
		for (uint32_t k = 0; y && k < (y->kind == YN_SEQ ? y->n : 1); k++)
			add_edge(&l, i,
				te_named(workflow, "steps",
					te_text(y->kind == YN_SEQ ? y->item[k] : y)));
	}
	const te *step = find_loop(&l);
	if (step)
		vc_report(r->t->c, VC_W2045, te_span(step),
			"the step '%s' comes after itself, so it never begins", step->name);
}

/* The workflow that an activity inlines, or NULL. */
static te *
inlined(const render *r, const ynode *activity)
{
	const ynode *y = activity->kind == YN_MAP && activity->n == 1 && te_text(activity->key[0])
				 ? activity
				 : NULL;
	if (!y || strcmp(y->key[0]->text, "inline") != 0)
		return NULL;
	y = y->item[0]->kind == YN_MAP ? yn_get(y->item[0], "workflow") : y->item[0];
	return te_text(y) ? te_named(r->service, "workflows", y->text) : NULL;
}

static void
check_inlining(render *r)
{
	uint32_t n, steps;
	te **all = te_all(r->service, "workflows", &n);
	graph l = {.c = r->t->c, .all = all, .n = n};
	for (uint32_t i = 0; i < n; i++) {
		te **step = te_all(all[i], "steps", &steps);
		for (uint32_t k = 0; k < steps; k++) {
			const ynode *y = te_y(step[k], "activities");
			for (uint32_t a = 0; y && y->kind == YN_SEQ && a < y->n; a++)
				add_edge(&l, i, inlined(r, y->item[a]));
		}
	}
	const te *workflow = find_loop(&l);
	if (workflow)
		vc_report(r->t->c, VC_W2045, te_span(workflow),
			"the workflow '%s' inlines itself, so it never ends", workflow->name);
}

static vt_tworkflow
workflow_row(render *r, te *e)
{
	struct tosca *t = r->t;
	vt_tworkflow w = {.name = tm_str(t->m, e->name),
		.description = tm_text(t, e, "description"),
		.metadata = tm_metadata(t, e),
		.place = tm_place(t, te_span(e))};
	uint32_t n;
	te **all = te_all(e, "steps", &n);
	vt_tstep *row = vc_alloc(t->c, (n + 1) * sizeof *row);
	const ynode *pre =
		te_y(e, "preconditions") ? te_y(e, "preconditions") : te_y(e, "precondition");
	w.inputs = workflow_inputs(r, e);
	w.precondition = pre ? tx_value(r->u, pre, literal(r) | TX_VALUE) : 0;
	te *impl = te_one(e, "implementation"), *primary = impl ? te_one(impl, "primary") : NULL;
	w.primary = primary ? tm_text(t, primary, "file") : 0;
	if (impl && te_get(e, "steps") && r->u->version & VT_TV_2_0)
		vc_report(t->c, VC_E2007, te_get(e, "implementation")->key->span,
			"a workflow has either steps or an implementation");
	check_steps(r, e);
	for (uint32_t i = 0; i < n; i++)
		row[i] = step_row(r, e, all[i]);
	w.steps = (vt_tspan){n ? tm_count(t->m, TM_step) : 0, n};
	for (uint32_t i = 0; i < n; i++)
		tm_add_step(t->m, row[i]);
	return w;
}

void
render_workflows(render *r)
{
	uint32_t n;
	te **all = te_all(r->service, "workflows", &n);
	check_inlining(r);
	vt_tworkflow *row = vc_alloc(r->t->c, (n + 1) * sizeof *row);
	for (uint32_t i = 0; i < n; i++)
		row[i] = workflow_row(r, all[i]);
	r->row.workflows = (vt_tspan){n ? tm_count(r->t->m, TM_workflow) : 0, n};
	for (uint32_t i = 0; i < n; i++)
		tm_add_workflow(r->t->m, row[i]);
}

/* ---- triggers ---- */

/*
 * What must hold before the activities begin.  How often and how long it must have held (period,
 * evaluations, method) and when to look (schedule) is for whoever reports the event.
 */
static void
watch(render *r, te *e, vt_ttrigger *g)
{
	const ynode *y = te_y(e, "condition"), *filter = te_y(e, "target_filter"), *node;
	bool old = !(r->u->version & VT_TV_2_0);
	if (old && y && y->kind == YN_MAP && yn_get(y, "constraint"))
		y = yn_get(y, "constraint");
	if (!y)
		return;
	check_clauses(r, y);
	/* no error before somebody reports the event */
	if (!old && !tx_knows_functions(r->u, y)) {
		g->watched = VT_TWATCHED_NONE;
		return;
	}
	g->filter = tx_value(r->u, y, literal(r) | TX_VALUE);
	if (!filter || filter->kind != YN_MAP)
		return;
	node = yn_get(filter, "node");
	g->watched = te_text(node) ? render_find_node(r, node->text) : 0;
	if (!g->watched || filter->n > 1)
		g->watched = VT_TWATCHED_PART;
}

/* The type of all targets of a policy, or of the node that its trigger is about; NULL: groups, or
 * several types. */
static ty_type *
type_of_targets(render *r, const te *policy, const te *trigger)
{
	const ynode *filter = te_y(trigger, "target_filter"),
		    *node = filter && filter->kind == YN_MAP ? yn_get(filter, "node") : NULL,
		    *list = te_y(policy, "targets");
	ty_type *found = NULL;
	if (te_text(node))
		return type_of_target(r, render_find_node(r, node->text));
	for (uint32_t i = 0; list && list->kind == YN_SEQ && i < list->n; i++) {
		const char *name = te_text(list->item[i]);
		ty_type *type = name ? type_of_target(r, render_member(r, name)) : NULL;
		if (!type || (found && type != found))
			return NULL;
		found = type;
	}
	return found;
}

static vt_ttrigger
trigger_row(render *r, te *e, ty_type *target)
{
	flow f = {.r = r, .owner = e->name, .target = target};
	vt_ttrigger g = {.name = tm_str(r->t->m, e->name),
		.description = tm_text(r->t, e, "description"),
		.place = tm_place(r->t, te_span(e))};
	const ynode *event = te_y(e, "event") ? te_y(e, "event") : te_y(e, "event_type");
	g.event = te_text(event) ? tm_str(r->t->m, event->text) : 0;
	g.condition = te_y(e, "condition") ? tx_value(r->u, te_y(e, "condition"), TX_LITERAL) : 0;
	g.activities = activities(&f, te_y(e, "action"));
	watch(r, e, &g);
	return g;
}

/* Those of the policy before those of its type that it does not name. */
vt_tspan
render_triggers(render *r, ty_type *y, te *e, const char *keyname)
{
	vt_ttrigger *row = NULL;
	uint32_t rows = 0, n;
	te **own = te_all(e, keyname, &n);
	for (uint32_t i = 0; i < n; i++)
		vc_push(r->t->c, row, rows) = trigger_row(r, own[i], type_of_targets(r, e, own[i]));
	for (ty_type *p = y; p; p = p->parent) {
		te **all = te_all(p->e, keyname, &n);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t name = tm_str(r->t->m, all[i]->name), k = 0;
			while (k < rows && row[k].name != name)
				k++;
			if (k == rows)
				vc_push(r->t->c, row, rows) = trigger_row(r, all[i], NULL);
		}
	}
	vt_tspan span = {tm_count(r->t->m, TM_trigger), rows};
	for (uint32_t i = 0; i < rows; i++)
		tm_add_trigger(r->t->m, row[i]);
	return rows ? span : (vt_tspan){0, 0};
}

/* ---- events: workflows of what triggers do ---- */

typedef struct event {
	uint32_t name; /* row of the text */
	vt_tstep *step;
	uint32_t n;
} event;
typedef struct events {
	render *r;
	event *v;
	uint32_t n;
} events;

static event *
event_named(events *x, uint32_t name)
{
	for (uint32_t i = 0; i < x->n; i++)
		if (x->v[i].name == name)
			return &x->v[i];
	vc_push(x->r->t->c, x->v, x->n) = (event){.name = name};
	return &x->v[x->n - 1];
}

static const char *
member_name(tm *m, uint32_t member)
{
	uint32_t name =
		member & VT_TMEMBER_GROUP
			? ((vt_tgroup *)tm_at(m, TM_group, member & ~VT_TMEMBER_GROUP))->name
			: ((vt_tnode *)tm_at(m, TM_node, member))->name;
	return tm_text_of(m, name);
}

/* A step for each target, or one that has none. */
static void
add_trigger(events *x, const vt_tgroup *p, const vt_ttrigger *g)
{
	tm *m = x->r->t->m;
	vc *c = x->r->t->c;
	event *e = event_named(x, g->event);
	const char *name = vc_format(c, "%s.%s", tm_text_of(m, p->name), tm_text_of(m, g->name));
	for (uint32_t i = 0; i < (p->members.n ? p->members.n : 1); i++) {
		uint32_t target =
			p->members.n ? *(uint32_t *)tm_at(m, TM_index, p->members.first + i) : 0;
		vt_tstep s = {.target = target,
			.filter = g->filter,
			.watched = g->watched,
			.activities = g->activities,
			.place = g->place};
		s.name = tm_str(m, p->members.n > 1
					   ? vc_format(c, "%s(%s)", name, member_name(m, target))
					   : name);
		vc_push(c, e->step, e->n) = s;
	}
}

void
render_events(render *r)
{
	events x = {.r = r};
	tm *m = r->t->m;
	for (uint32_t i = 0; i < r->row.policies.n; i++) {
		vt_tgroup p = *(vt_tgroup *)tm_at(m, TM_policy, r->row.policies.first + i);
		for (uint32_t k = 0; k < p.triggers.n; k++) {
			vt_ttrigger g = *(vt_ttrigger *)tm_at(m, TM_trigger, p.triggers.first + k);
			if (g.event)
				add_trigger(&x, &p, &g);
		}
	}
	r->row.events = (vt_tspan){x.n ? tm_count(m, TM_workflow) : 0, x.n};
	for (uint32_t i = 0; i < x.n; i++) {
		vt_tworkflow w = {.name = x.v[i].name, .steps = {tm_count(m, TM_step), x.v[i].n}};
		for (uint32_t k = 0; k < x.v[i].n; k++)
			tm_add_step(m, x.v[i].step[k]);
		tm_add_workflow(m, w);
	}
}
