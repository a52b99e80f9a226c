/*
 * workflow.c - a declared workflow as a plan: steps, their activities, and what follows them.
 *
 * A step begins with a mark and ends with one; between them each node of its target has its
 * activities one after the other, the nodes at the same time.  A step begins when all those that
 * name it in on_success have ended well, or when one that names it in on_failure has failed; steps
 * that nobody names begin at once.  delegate and inline of another workflow put its steps between
 * two marks, delegate of deploy or undeploy the operations of the node's life.
 */
#include "runtime/deploy/deploy.h"
#include "runtime/tosca/mem.h"
#include "runtime/core/session.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 32, MOST_ACTIONS = 1000000 };

typedef struct flow {
	vt_tplan *p;
	vt_tosca *t;
	uint32_t npairs, nhandlers;
	vt_tpair *pair;
	uint32_t depth;
	char **why;
} flow;
/* One workflow on its way: its marks by step. */
typedef struct frame {
	const vt_tworkflow *w;
	const char *path; /* "backup/", in front of the names of steps */
	vt_tservicei *inputs;
	uint32_t *begin, *end;
	const vt_tnodei **first; /* of the step's nodes: it inlines for all of them */
	uint32_t gate;           /* of the step that inlines it, where that has one */
	bool gated;
} frame;
/* Of a step for one node: where its chain is. */
typedef struct chain {
	const frame *f;
	const vt_tstep *step;
	vt_tnodei *node;
	vt_treli *rel;
	uint32_t last, gate;
	bool gated;
	const char *which; /* "[2]": which of several nodes; or "" */
} chain;

static bool add_workflow(flow *, const vt_tworkflow *, frame, uint32_t from, uint32_t *to);

static bool
cannot(flow *x, char *why)
{
	if (*x->why)
		free(why);
	else
		*x->why = why;
	return false;
}

static void
wait_for(flow *x, uint32_t before, uint32_t after)
{
	vt_push(x->pair, x->npairs) = (vt_tpair){before, after};
}

static uint32_t
mark(flow *x)
{
	return vt_tplan_add(x->p, (vt_taction){.role = VT_TL_STEP, .off = true});
}

/* ---- inputs ---- */

/* The service with the workflow's inputs in front of its own: what get_input finds. */
static vt_tservicei *
with_inputs(flow *x, const vt_tworkflow *w, vt_value given)
{
	vt_tosca *t = x->t;
	vt_tservicei *real = t->services[0], *s = vt_tosca_alloc(t, sizeof *s);
	vt_tbag own = vt_tosca_bag_own(t, w->inputs);
	vt_tctx ctx = vt_tosca_service_ctx(real);
	*s = *real;
	s->inputs.n = own.n + real->inputs.n;
	s->inputs.cell = vt_tosca_alloc(t, (s->inputs.n + 1) * sizeof *s->inputs.cell);
	for (uint32_t i = 0; i < own.n; i++) {
		vt_tcell *c = &own.cell[i];
		vt_value v = vt_is(given, DICT)
				     ? vt_dict_get_str(vt_as_dict(given), t->m->str[c->name])
				     : VT_UNDEF;
		if (v != VT_UNDEF) {
			c->given = VT_TG_INPUT;
			vt_move(&c->value, vt_copy(v));
		}
		v = vt_tosca_cell(t, &ctx, c);
		if ((v == VT_UNDEF || v == VT_NOVALUE) &&
			t->m->slot[c->slot].flags & VT_TS_REQUIRED)
			(void)cannot(
				x, vt_asprintf("the input '%s' of the workflow '%s' has no value",
					   vt_tosca_text(t, c->name), vt_tosca_text(t, w->name)));
		s->inputs.cell[i] = *c;
	}
	for (uint32_t i = 0; i < real->inputs.n; i++) {
		(void)vt_tosca_cell(t, &ctx, &real->inputs.cell[i]);
		s->inputs.cell[own.n + i] = real->inputs.cell[i];
	}
	return *x->why ? NULL : s;
}

static vt_value
values_of(flow *x, const frame *f, vt_tspan inputs)
{
	vt_dict *d = vt_dict_new(x->t->rt, false);
	vt_tctx ctx = vt_tosca_service_ctx(f->inputs);
	for (uint32_t i = 0; i < inputs.n; i++) {
		const vt_tassign *a = &x->t->m->assign[inputs.first + i];
		vt_value v = VT_UNDEF;
		ctx.place = a->place;
		if (a->expr && vt_tosca_eval(x->t, &ctx, a->expr, &v) && v != VT_UNDEF &&
			v != VT_NOVALUE)
			vt_dict_set(x->t->rt, d, vt_tosca_str(x->t, a->name), v);
		vt_clear(&v);
	}
	return vt_mkptr(d);
}

/* ---- activities ---- */

/* "INTERFACE.OPERATION"; *op NULL: it is not implemented. False: there is none. */
static bool
find_op(flow *x, const chain *c, const char *name, const vt_tiface **iface, const vt_top **op)
{
	const vt_tosca *t = x->t;
	vt_tspan all = vt_tplan_ifaces(t, c->node, c->rel);
	const char *dot = strrchr(name, '.');
	*op = NULL;
	for (uint32_t i = 0; dot && i < all.n; i++) {
		const vt_tiface *f = &t->m->iface[all.first + i];
		const char *text = vt_tosca_text(t, f->name);
		if (strlen(text) != (size_t)(dot - name) || memcmp(text, name, strlen(text)) != 0)
			continue;
		*iface = f;
		for (uint32_t k = 0; k < f->ops.n; k++)
			if (!strcmp(vt_tosca_text(t, t->m->op[f->ops.first + k].name), dot + 1)) {
				*op = &t->m->op[f->ops.first + k];
				return true;
			}
	}
	return false;
}

/* What a run would do with it counts as done by a run. */
static enum vt_trole
role_of(flow *x, const chain *c, const vt_tiface *f, const vt_top *op)
{
	return vt_tplan_role(x->t, f, c->rel != NULL, vt_tosca_text(x->t, op->name));
}

/* The next action of a chain. */
static void
chain_up(flow *x, chain *c, uint32_t at)
{
	vt_taction *a = &x->p->a[at];
	a->step = c->step;
	if (!c->gated) {
		c->gate = at;
		c->gated = true;
		a->outer = c->f->gated ? c->f->gate : at;
	}
	a->gate = c->gate;
	wait_for(x, c->last, at);
	c->last = at;
}

static void
link_action(
	flow *x, chain *c, vt_taction a, const vt_tactivity *v, uint32_t number, const char *what)
{
	vt_buf b = {NULL, 0, 0};
	vt_buf_printf(&b, "%s%s.%u%s: %s", c->f->path, vt_tosca_text(x->t, c->step->name),
		number + 1, c->which, what);
	vt_buf_putc(&b, 0);
	a.label = b.p;
	a.node = c->node;
	a.activity = v;
	a.inputs = c->f->inputs;
	chain_up(x, c, vt_tplan_add(x->p, a));
}

/* The node's life, as a run or an undeployment has it. */
static void
add_life(flow *x, chain *c, const vt_tactivity *v, uint32_t number, bool undo)
{
	uint32_t from = x->p->n;
	vt_tplan_add_node(x->p, c->node, undo);
	for (uint32_t i = from; i < x->p->n; i++) {
		vt_taction *a = &x->p->a[i];
		vt_buf b = {NULL, 0, 0};
		vt_buf_printf(&b, "%s%s.%u%s: ", c->f->path, vt_tosca_text(x->t, c->step->name),
			number + 1, c->which);
		vt_tplan_step_name(&b, x->p, a);
		vt_buf_putc(&b, 0);
		a->label = b.p;
		a->declared = true;
		/* A mark has nothing to do but to report the state. */
		a->activity = v;
		chain_up(x, c, i);
	}
}

static bool
add_call(flow *x, chain *c, const vt_tactivity *v, uint32_t number)
{
	const char *name = vt_tosca_text(x->t, v->name);
	vt_taction a = {.rel = c->rel};
	if (!c->node)
		return cannot(x, vt_asprintf("the step '%s' calls '%s' and has no target",
					 vt_tosca_text(x->t, c->step->name), name));
	if (!find_op(x, c, name, &a.iface, &a.op))
		return cannot(x, vt_asprintf("the step '%s' calls '%s', which '%s' has not got",
					 vt_tosca_text(x->t, c->step->name), name,
					 vt_tosca_text(x->t, c->node->t->name)));
	if (!a.op->primary || c->node->inside)
		return true; /* nothing to run */
	a.role = (uint8_t)role_of(x, c, a.iface, a.op);
	link_action(x, c, a, v, number, name);
	return true;
}

/* An action that only asks the filter; what it notes is kept with a node, whatever that is. */
static void
add_gate(flow *x, chain *c, const vt_tactivity *v, uint32_t number)
{
	vt_tnodei *of = c->node;
	if (!of && x->t->nnodes)
		c->node = x->t->nodes[0];
	if (c->node)
		link_action(x, c, (vt_taction){.role = VT_TL_CALL}, v, number, "inline");
	c->node = of;
}

static bool
add_other(flow *x, chain *c, const vt_tactivity *v, uint32_t number)
{
	const char *name = vt_tosca_text(x->t, v->name);
	const vt_tworkflow *w =
		vt_tworkflow_in(x->t->m, x->t->m->service[x->t->m->root].workflows, name);
	char *path;
	uint32_t to;
	bool ok;
	if (!w)
		return cannot(x, vt_asprintf("there is no workflow '%s'", name));
	if (c->node != c->f->first[c->step - &x->t->m->step[c->f->w->steps.first]])
		return true;
	vt_value given = values_of(x, c->f, v->inputs);
	vt_tservicei *inputs = with_inputs(x, w, given);
	vt_release(given);
	if (c->step->filter && !c->gated)
		add_gate(x, c, v, number);
	path = vt_asprintf("%s%s/", c->f->path, vt_tosca_text(x->t, c->step->name));
	frame inner = {.path = path,
		.inputs = inputs,
		.gate = c->gated ? c->gate : c->f->gate,
		.gated = c->gated || c->f->gated};
	ok = inputs && add_workflow(x, w, inner, c->last, &to);
	free(path);
	if (ok)
		c->last = to;
	return ok;
}

static bool
add_activity(flow *x, chain *c, uint32_t number)
{
	const vt_tactivity *v = &x->t->m->activity[c->step->activities.first + number];
	const char *name = vt_tosca_text(x->t, v->name);
	bool undo = !strcmp(name, "undeploy");
	switch ((enum vt_tactivity_kind)v->kind) {
	case VT_TA_CALL: return add_call(x, c, v, number);
	case VT_TA_STATE:
		if (!c->node)
			return cannot(x, vt_asprintf("the step '%s' sets a state and has no target",
						 vt_tosca_text(x->t, c->step->name)));
		link_action(x, c, (vt_taction){.role = VT_TL_STATE}, v, number, "set_state");
		return true;
	case VT_TA_DELEGATE:
		if (!c->node || (!undo && strcmp(name, "deploy") != 0))
			return add_other(x, c, v, number);
		add_life(x, c, v, number, undo);
		return true;
	case VT_TA_INLINE: return add_other(x, c, v, number);
	}
	return false;
}

/* ---- steps ---- */

static vt_treli *
rel_of(const vt_tosca *t, const vt_tnodei *n, uint32_t name)
{
	for (uint32_t i = 0; i < n->nrels; i++)
		if (n->rels[i]->target && n->rels[i]->name == name)
			return n->rels[i];
	return NULL;
}

static bool
add_chain(flow *x, const frame *f, uint32_t step, vt_tnodei *n)
{
	const vt_tstep *s = &x->t->m->step[f->w->steps.first + step];
	vt_buf which = {NULL, 0, 0};
	chain c = {.f = f, .step = s, .node = n, .last = f->begin[step], .which = ""};
	uint32_t from = x->p->n;
	bool ok = true;
	if (!f->first[step])
		f->first[step] = n;
	if (n && (n->of > 1 || s->target & VT_TMEMBER_GROUP)) {
		vt_buf_putc(&which, '[');
		vt_tosca_path(&which, x->t, n);
		vt_buf_puts(&which, "]");
		vt_buf_putc(&which, 0);
		c.which = which.p;
	}
	if (s->relationship && n && !(c.rel = rel_of(x->t, n, s->relationship)))
		ok = cannot(x,
			vt_asprintf("the step '%s' is about the relationship '%s', which '%s' "
				    "has not got",
				vt_tosca_text(x->t, s->name), vt_tosca_text(x->t, s->relationship),
				vt_tosca_text(x->t, n->t->name)));
	for (uint32_t i = 0; ok && i < s->activities.n; i++)
		ok = add_activity(x, &c, i) &&
		     (x->p->n <= MOST_ACTIONS ||
			     cannot(x, vt_asprintf("the workflow has too many steps")));
	/* Handlers of a step are those of what is inlined in it, too, where that has none. */
	for (uint32_t i = from; i < x->p->n; i++)
		if (!x->p->a[i].nhandlers) {
			x->p->a[i].handler = x->nhandlers;
			x->p->a[i].nhandlers = s->on_failure.n;
		}
	wait_for(x, c.last, f->end[step]);
	vt_buf_free(&which);
	return ok;
}

static bool add_members(flow *, const frame *, uint32_t step, uint32_t member, uint32_t depth);

static bool
add_group(flow *x, const frame *f, uint32_t step, const vt_tgroup *g, uint32_t depth)
{
	for (uint32_t i = 0; i < g->members.n; i++)
		if (!add_members(x, f, step, x->t->m->index[g->members.first + i], depth + 1))
			return false;
	return true;
}

static bool
add_members(flow *x, const frame *f, uint32_t step, uint32_t member, uint32_t depth)
{
	vt_tservicei *s = x->t->services[0];
	if (depth > MOST_DEPTH)
		return cannot(x, vt_asprintf("groups of groups without an end"));
	if (member & VT_TMEMBER_GROUP)
		return add_group(x, f, step, &x->t->m->group[member & ~VT_TMEMBER_GROUP], depth);
	for (uint32_t i = 0; i < s->count[member - s->s->nodes.first]; i++)
		if (!add_chain(x, f, step, s->first[member - s->s->nodes.first] + i))
			return false;
	return true;
}

static uint32_t
step_named(const flow *x, const vt_tworkflow *w, uint32_t name)
{
	for (uint32_t i = 0; i < w->steps.n; i++)
		if (x->t->m->step[w->steps.first + i].name == name)
			return i;
	return UINT32_MAX;
}

/* Before the chains, which refer to them: the marks that a failure of the step begins. */
static void
add_handlers(flow *x, const frame *f, const vt_tstep *s)
{
	for (uint32_t i = 0; i < s->on_failure.n; i++) {
		uint32_t to = step_named(x, f->w, x->t->m->index[s->on_failure.first + i]);
		vt_push(x->p->handler, x->nhandlers) = to == UINT32_MAX ? 0 : f->begin[to];
	}
}

static bool
add_step(flow *x, const frame *f, uint32_t step)
{
	const vt_tstep *s = &x->t->m->step[f->w->steps.first + step];
	bool ok =
		s->watched < VT_TWATCHED_NONE ||
		cannot(x,
			vt_asprintf(
				s->watched == VT_TWATCHED_NONE
					? "the condition of '%s' calls a function that there is not"
					: "the target_filter of '%s' is not just about a node, and "
					  "no "
					  "other can be looked at",
				vt_tosca_text(x->t, s->name)));
	if (ok)
		ok = s->target ? add_members(x, f, step, s->target, 0)
			       : add_chain(x, f, step, NULL);
	wait_for(x, f->begin[step], f->end[step]);
	add_handlers(x, f, s);
	for (uint32_t i = 0; i < s->on_success.n; i++) {
		uint32_t to = step_named(x, f->w, x->t->m->index[s->on_success.first + i]);
		if (to != UINT32_MAX)
			wait_for(x, f->end[step], f->begin[to]);
	}
	return ok;
}

/* Steps that only a failure begins; the others begin with the workflow. */
static void
begin_steps(flow *x, const frame *f, uint32_t from)
{
	for (uint32_t i = 0; i < f->w->steps.n; i++) {
		bool named = false, handler = false;
		for (uint32_t k = 0; k < f->w->steps.n; k++) {
			const vt_tstep *s = &x->t->m->step[f->w->steps.first + k];
			uint32_t name = x->t->m->step[f->w->steps.first + i].name;
			for (uint32_t j = 0; j < s->on_success.n; j++)
				named |= x->t->m->index[s->on_success.first + j] == name;
			for (uint32_t j = 0; j < s->on_failure.n; j++)
				handler |= x->t->m->index[s->on_failure.first + j] == name;
		}
		x->p->a[f->begin[i]].held = handler && !named;
		if (!named && !handler)
			wait_for(x, from, f->begin[i]);
	}
}

/* Its end waits for the steps that a success leads to; those of failures come when they come. */
static void
end_steps(flow *x, const frame *f, uint32_t to)
{
	for (uint32_t i = 0; i < f->w->steps.n; i++)
		if (!x->p->a[f->begin[i]].held)
			wait_for(x, f->end[i], to);
}

/* f: where it stands. */
static bool
add_workflow(flow *x, const vt_tworkflow *w, frame f, uint32_t from, uint32_t *to)
{
	f.w = w;
	f.begin = vt_xmalloc((w->steps.n + 1) * sizeof *f.begin);
	f.end = vt_xmalloc((w->steps.n + 1) * sizeof *f.end);
	f.first = vt_xmalloc((w->steps.n + 1) * sizeof *f.first);
	bool ok = ++x->depth <= MOST_DEPTH ||
		  cannot(x, vt_asprintf("the workflow '%s' contains itself",
				    vt_tosca_text(x->t, w->name)));
	if (ok && w->primary)
		ok = cannot(
			x, vt_asprintf("the workflow '%s' is implemented by '%s'; only workflows "
				       "of steps can be run",
				   vt_tosca_text(x->t, w->name), vt_tosca_text(x->t, w->primary)));
	for (uint32_t i = 0; i < w->steps.n; i++) {
		f.begin[i] = mark(x);
		f.end[i] = mark(x);
		f.first[i] = NULL;
	}
	for (uint32_t i = 0; ok && i < w->steps.n; i++)
		ok = add_step(x, &f, i);
	*to = mark(x);
	begin_steps(x, &f, from);
	end_steps(x, &f, *to);
	x->depth--;
	free(f.begin);
	free(f.end);
	free(f.first);
	return ok;
}

const vt_tworkflow *
vt_tworkflow_in(const vt_tmodel *m, vt_tspan all, const char *name)
{
	for (uint32_t i = 0; i < all.n; i++)
		if (!strcmp(m->str[m->workflow[all.first + i].name]->s, name))
			return &m->workflow[all.first + i];
	return NULL;
}

vt_tplan *
vt_tworkflow_plan(vt_tosca *t, const vt_tworkflow *w, vt_value given, char **why)
{
	vt_tplan *p = vt_xmalloc(sizeof *p);
	flow x = {.p = p, .t = t, .why = why};
	uint32_t to;
	*why = NULL;
	*p = (vt_tplan){.t = t, .workflow = w};
	t->mem->base = (uintptr_t)__builtin_frame_address(0);
	vt_tservicei *inputs = with_inputs(&x, w, given);
	bool ok =
		inputs && add_workflow(&x, w, (frame){.path = "", .inputs = inputs}, mark(&x), &to);
	if (ok && !vt_tplan_connect(p, x.pair, x.npairs))
		ok = cannot(&x, vt_asprintf("the steps of the workflow '%s' wait for each other",
					vt_tosca_text(t, w->name)));
	free(x.pair);
	if (ok)
		return p;
	vt_tplan_free(p);
	return NULL;
}
