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
	bool dry = c->dry, resumed = false;
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
	vt_tstate_mark(d->state, d->plan);
	if (!vt_service_ready(c, d))
		return FAILED;
	if (dry) {
		vt_buf b = {NULL, 0, 0};
		vt_tstate_mark(d->state, d->plan);
		return vt_service_show(c, &b, vt_tosca_show_plan(d->plan, &b, c->steps, 0));
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
		if (rc == DONE && c->dry)
			vt_tstate_pretend(d->state);
		if (rc == DONE && fresh) {
			vt_tparts *parts = vt_tupdate_parts(c->t, c->p);
			vt_towner owner = vt_service_owner(c->p);
			if (!vt_tstate_adopt(d->state, &owner, c->t, service))
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

/* ---- workflows that every service has ---- */

/* The value of NAME among `--input NAME=VALUE`; NULL: it is not given. */
static const char *
word_of(const vt_service *c, const char *name)
{
	const char *found = NULL;
	size_t n = strlen(name);
	for (uint32_t i = 0; i < c->o->input.n; i++)
		if (!strncmp(c->o->input.v[i], name, n) && c->o->input.v[i][n] == '=')
			found = c->o->input.v[i] + n + 1;
	return found;
}

static bool
only_words(const vt_service *c, const char *const *names)
{
	for (uint32_t i = 0; i < c->o->input.n; i++) {
		size_t k = 0, n = strcspn(c->o->input.v[i], "=");
		while (names[k] &&
			(strlen(names[k]) != n || strncmp(names[k], c->o->input.v[i], n) != 0))
			k++;
		if (!names[k])
			vt_say("%s: the workflow %s has no input '%.*s'\n", c->self, c->word,
				(int)n, c->o->input.v[i]);
		if (!names[k])
			return false;
	}
	return c->o->inputs.n == 0;
}

/* Of a number among the properties of a node, or of its capability `scalable`. */
static bool
bound(vt_service *c, vt_tnodei *n, const char *plain, const char *cloudify, int64_t *out)
{
	vt_tctx ctx = vt_tosca_node_ctx(n);
	for (uint32_t i = 0; i < n->ncaps; i++) {
		bool own = !strcmp(vt_tosca_text(c->t, n->caps[i].def->name), "scalable");
		vt_value name = vt_str_c(c->rt, own ? plain : cloudify), v;
		uint32_t str = vt_tosca_find_str(c->t, vt_as_str(name));
		vt_tcell *cell = str ? vt_tosca_find(&n->caps[i].props, str) : NULL;
		vt_release(name);
		v = cell ? vt_tosca_cell(c->t, &ctx, cell) : VT_UNDEF;
		if (vt_is_int(v)) {
			*out = vt_toint(v);
			return true;
		}
	}
	return false;
}

/* The template and all that stands on it: each machine has as much on it as the others. */
static void
count_all(vt_service *c, vt_tnodei *n, int64_t count, uint32_t depth)
{
	int64_t was = n->of;
	char *key = vt_asprintf(VT_SERVICE_COUNT "%s", vt_tosca_text(c->t, n->t->name));
	vt_dict_set_c(c->rt, c->inputs, key, vt_mkint(count));
	free(key);
	for (const vt_treli *r = n->in; r && depth < 64; r = r->next_in)
		if (r->source->service == n->service && vt_tosca_host(c->t, r->source) == n)
			count_all(c, r->source,
				r->source->of % was ? count : r->source->of / was * count,
				depth + 1);
}

/* How many there are to be; below 0: reported. */
static int64_t
wanted_count(vt_service *c, vt_tnodei *n, const char *name)
{
	const char *delta = word_of(c, "delta"), *count = word_of(c, "count"),
		   *text = count   ? count
			   : delta ? delta
				   : "+1";
	char *end;
	int64_t most = INT64_MAX, least = 0,
		to = strtoll(text, &end, 10) + (count ? 0 : (int64_t)n->of);
	if (*end || end == text || to < 0 || to > 1000000) {
		vt_say("%s: '%s' is no number of nodes that '%s' can have\n", c->self, text, name);
		return -1;
	}
	(void)bound(c, n, "min_instances", "scalable.min_instances", &least);
	(void)bound(c, n, "max_instances", "scalable.max_instances", &most);
	if (to >= least && to <= most)
		return to;
	vt_say("%s: '%s' may have %lld to %lld nodes, and not %lld\n", c->self, name,
		(long long)least, (long long)most, (long long)to);
	return -1;
}

/* Puts the counts among the inputs that a run takes. */
static int
scale_to(vt_service *c, const char *name)
{
	char *path = vt_service_state_path(c);
	vt_tstate *s = NULL;
	int rc = FAILED;
	if (!vt_service_open_state(c, path, &s) || !s || vt_tstate_empty(s)) {
		vt_say("%s: nothing is deployed: there is no state in %s\n", c->self, path);
	} else {
		vt_value inputs = vt_tstate_inputs(s);
		vt_tnodei *n = NULL;
		rc = vt_service_evaluate(c, vt_as_dict(inputs));
		vt_release(inputs);
		for (uint32_t i = 0; rc == DONE && i < c->t->nnodes && !n; i++)
			if (c->t->nodes[i]->service == c->t->services[0] &&
				!strcmp(vt_tosca_text(c->t, c->t->nodes[i]->t->name), name))
				n = c->t->nodes[i];
		int64_t to = n ? wanted_count(c, n, name) : -1;
		if (rc == DONE && !n)
			vt_say("%s: the service has no node '%s'\n", c->self, name);
		if (rc == DONE && to >= 0)
			count_all(c, n, to, 0);
		rc = to >= 0 ? rc : FAILED;
		vt_tosca_free(c->t);
		c->t = NULL;
	}
	vt_tstate_close(s);
	free(path);
	return rc;
}

static int
run_built_in(vt_service *c)
{
	static const char *const heal[] = {"node", "node_id", "node_instance_id", NULL},
				 *const scale[] = {"node", "scalable_entity_name", "node_id",
					 "delta", "count", NULL};
	bool heals = !strcmp(c->word, "heal");
	const char *const *names = heals ? heal : scale;
	const char *node = NULL;
	if (!only_words(c, names))
		return USAGE;
	for (size_t i = 0; i < 3 && !node; i++)
		node = word_of(c, names[i]);
	if (!node) {
		vt_say("%s: the workflow %s wants --input node=NAME\n", c->self, c->word);
		return USAGE;
	}
	c->inputs = vt_dict_new(c->rt, false);
	c->heals = heals ? node : NULL;
	if (!heals && scale_to(c, node) != DONE)
		return FAILED;
	return vt_service_deploy(c, false);
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
	if (!w && c->word && !c->notifies &&
		(!strcmp(c->word, "heal") || !strcmp(c->word, "scale")))
		return run_built_in(c);
	if (!w)
		return unknown_workflow(c);
	c->more_inputs = w->inputs;
	vt_service_begin(c, &d);
	path = vt_service_state_path(c);
	if (vt_service_inputs(c) == DONE && vt_service_open_state(c, path, &d.state)) {
		if (!d.state && c->notifies)
			vt_say("%s: nothing is deployed: there is no state in %s\n", c->self, path);
		else if (!d.state)
			d.state = c->dry ? vt_tstate_none(c->rt, c->self, path)
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
