/* service_workflow.c - `workflow` and `notify` of the binary of a service. */
#include "runtime/program/service.h"
#include "runtime/core/number.h"
#include "runtime/task/task.h"

#include <stdlib.h>
#include <string.h>

/* ---- workflow ---- */

static vt_tspan
workflows_of(const vt_service *c)
{
	const vt_tservice *s = &c->p->model->service[c->p->model->root];
	return c->notifies ? s->events : s->workflows;
}

static int
unknown_workflow(vt_service *c)
{
	const vt_tmodel *m = c->p->model;
	vt_tspan all = workflows_of(c);
	if (!c->word)
		vt_say("%s: %s; ", c->self,
			c->notifies ? "notify wants an event" : "workflow wants a name");
	else
		vt_say("%s: %s %s; ", c->self,
			c->notifies ? "no trigger waits for" : "there is no workflow", c->word);
	for (uint32_t i = 0; i < all.n; i++)
		vt_say("%s%s", i ? ", " : "the service has ",
			m->str[m->workflow[all.first + i].name]->s);
	fputs(all.n ? "\n" : "the service has none\n", stderr);
	return USAGE;
}

/* The name in the state of what runs.  malloc'd. */
static const char event_prefix[] = "notify ";
static char *
running_name(const vt_service *c)
{
	return vt_asprintf("%s%s", c->notifies ? event_prefix : "", c->word);
}

static bool
is_event(const char *name)
{
	return strncmp(name, event_prefix, sizeof event_prefix - 1) == 0;
}

/* Does it go on with the one that was interrupted? Its inputs count then. */
static bool
may_begin(vt_service *c, vt_tdeploy *d, vt_value *inputs)
{
	vt_value old;
	char *name = vt_tstate_workflow(d->state, &old), *mine = running_name(c);
	bool same = !name || !strcmp(name, mine), ok = same || c->o->force;
	free(mine);
	if (!ok)
		vt_say("%s: %s'%s' has not ended\n  hint: go on with '%s %s%s', or "
		       "forget it with --force\n",
			c->self, is_event(name) ? "" : "the workflow ", name, c->self,
			is_event(name) ? "" : "workflow ", name);
	if (name && !same && ok)
		vt_tstate_set_workflow(d->state, c->t, NULL, VT_UNDEF);
	if (name && same && !vt_service_is_given(c) && old != VT_UNDEF)
		vt_move(inputs, vt_copy(old));
	vt_clear(&old);
	free(name);
	return ok;
}

static int
run_workflow(
	vt_service *c, vt_tdeploy *d, const vt_tworkflow *w, vt_value *inputs, const char *path)
{
	char *why = NULL;
	uint32_t before = c->t->nproblems;
	bool dry = c->o->dry_run, resumed = false;
	vt_value old;
	int holds = 1, rc = FAILED;
	if (!may_begin(c, d, inputs))
		return FAILED;
	char *name = vt_tstate_workflow(d->state, &old);
	resumed = name != NULL;
	vt_clear(&old);
	free(name);
	if (w->precondition && !resumed)
		holds = vt_tosca_holds(c->t, NULL, w->precondition, &why);
	if (holds == 1)
		d->plan = vt_tworkflow_plan(c->t, w, *inputs, &why);
	if (c->t->nproblems > before)
		;
	else if (holds == 0)
		vt_say("%s: the precondition of the workflow '%s' does not hold\n", c->self,
			c->word);
	else if (!d->plan)
		vt_say("%s: the %s '%s' cannot be run: %s\n", c->self,
			c->notifies ? "triggers of" : "workflow", c->word, why ? why : "?");
	free(why);
	if (vt_service_report(c, before) != DONE || !d->plan)
		return FAILED;
	if (dry) {
		vt_buf b = {NULL, 0, 0};
		vt_tstate_mark(d->state, d->plan);
		return vt_service_show(c, &b, vt_tosca_show_plan(d->plan, &b, 0));
	}
	name = running_name(c);
	vt_tstate_set_workflow(d->state, c->t, name, *inputs);
	free(name);
	if (!vt_tstate_keep(d->state) || !vt_service_make_room(c, d, path))
		return FAILED;
	vt_tstate_mark(d->state, d->plan);
	rc = vt_service_execute(c, d);
	rc = vt_service_result(c, d->state, false, rc);
	vt_service_drop_room(d);
	/* last of all: who was killed before gives the command again, and nothing runs twice */
	if (rc == DONE && !vt_interrupt_caught()) {
		vt_tstate_set_workflow(d->state, c->t, NULL, VT_UNDEF);
		if (!vt_tstate_save(d->state))
			rc = FAILED;
	}
	return rc;
}

/* Inputs of the workflow, and where nothing is deployed yet those of the service. */
static void
split_inputs(vt_service *c, vt_dict *service, vt_dict *flow)
{
	const vt_tmodel *m = c->p->model;
	vt_value key, v;
	uint32_t pos = 0;
	while (vt_dict_at(c->inputs, &pos, &key, &v)) {
		bool own = false;
		for (uint32_t i = 0; i < c->more_inputs.n; i++)
			own |= vt_str_eq(
				m->str[m->slot[c->more_inputs.first + i].name], vt_as_str(key));
		vt_dict_set(c->rt, own ? flow : service, key, v);
	}
}

static int
with_workflow(vt_service *c, vt_tdeploy *d, const vt_tworkflow *w, const char *path)
{
	vt_value flow = vt_mkptr(vt_dict_new(c->rt, false)),
		 service = vt_mkptr(vt_dict_new(c->rt, false));
	bool fresh = vt_tstate_empty(d->state);
	int rc = FAILED;
	split_inputs(c, vt_as_dict(service), vt_as_dict(flow));
	if (!fresh && vt_dict_len(vt_as_dict(service))) {
		vt_say("%s: only inputs of the workflow can be given once the service is "
		       "there\n  hint: '%s run' with them changes the service\n",
			c->self, c->self);
	} else {
		if (!fresh)
			vt_move(&service, vt_tstate_inputs(d->state));
		rc = vt_service_evaluate(c, vt_as_dict(service));
		if (rc == DONE && c->o->dry_run)
			vt_tstate_pretend(d->state);
		if (rc == DONE && fresh) {
			vt_dict **parts = vt_tupdate_parts(c->t, c->p);
			if (!vt_tstate_adopt(d->state, c->p, c->t, service))
				rc = FAILED;
			else
				free(vt_tupdate_begin(d->state, c->t, parts));
			vt_tupdate_free(parts, c->t->nnodes);
		}
		if (rc == DONE && vt_service_live(c, d->state) != DONE)
			rc = FAILED;
		d->t = c->t;
		if (rc == DONE)
			rc = run_workflow(c, d, w, &flow, path);
	}
	vt_service_drop_room(d);
	vt_tplan_free(d->plan);
	vt_release(flow);
	vt_release(service);
	return rc;
}

static int
run_declared(vt_service *c)
{
	c->word = c->o->line.words.n ? c->o->line.words.v[0] : NULL;
	const vt_tworkflow *w =
		c->word ? vt_tworkflow_in(c->p->model, workflows_of(c), c->word) : NULL;
	vt_tdeploy d = {0};
	char *path = NULL;
	int rc = FAILED;
	if (!w && c->word && !c->notifies &&
		(!strcmp(c->word, "deploy") || !strcmp(c->word, "undeploy")))
		return vt_service_deploy(c, !strcmp(c->word, "undeploy"));
	if (!w)
		return unknown_workflow(c);
	c->more_inputs = w->inputs;
	vt_service_begin(c, &d);
	path = vt_service_state_path(c);
	if (vt_service_inputs(c) == DONE && vt_service_open_state(c, path, &d.state)) {
		if (!d.state && c->notifies)
			vt_say("%s: nothing is deployed: there is no state in %s\n", c->self, path);
		else if (!d.state)
			d.state = c->o->dry_run ? vt_tstate_none(c->rt, c->self, path)
						: vt_tstate_open(c->rt, c->self, path);
		if (d.state && (vt_tstate_empty(d.state) || vt_service_is_ours(c, d.state, path)))
			rc = with_workflow(c, &d, w, path);
	}
	vt_tstate_close(d.state);
	vt_service_end(&d);
	free(path);
	return rc;
}

int
vt_service_workflow(vt_service *c)
{
	return run_declared(c);
}

/* Somebody else watches, and reports an event: what triggers do then is a workflow. */
int
vt_service_notify(vt_service *c)
{
	c->notifies = true;
	return run_declared(c);
}
