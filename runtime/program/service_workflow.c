/* service_workflow.c - `workflow` and `notify` of the binary of a service. */
#include "runtime/program/service.h"
#include "runtime/core/number.h"
#include "runtime/deploy/notify.h"
#include "runtime/task/task.h"
#include "runtime/text/report.h"

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

/* What `count` says, or `delta` of what there was; below 0: neither is possible, reported. */
static int64_t
wanted(const vt_service *c, int64_t was, const char *name)
{
	const char *delta = word_of(c, "delta"), *count = word_of(c, "count"),
		   *text = count   ? count
			   : delta ? delta
				   : "+1";
	char *end;
	int64_t to = strtoll(text, &end, 10);
	bool fits = !*end && end != text && to >= -1000000 && to <= 1000000;
	to += count ? 0 : was;
	if (fits && to >= 0 && to <= 1000000)
		return to;
	vt_say("%s: '%s' is no number of nodes that '%s' can have\n", c->self, text, name);
	return -1;
}

/* How many there are to be; below 0: reported. */
static int64_t
wanted_count(vt_service *c, vt_tnodei *n, const char *name)
{
	int64_t most = INT64_MAX, least = 0, to = wanted(c, (int64_t)n->of, name);
	if (to < 0)
		return -1;
	(void)bound(c, n, "min_instances", "scalable.min_instances", &least);
	(void)bound(c, n, "max_instances", "scalable.max_instances", &most);
	if (to >= least && to <= most)
		return to;
	vt_say("%s: '%s' may have %lld to %lld nodes, and not %lld\n", c->self, name,
		(long long)least, (long long)most, (long long)to);
	return -1;
}

/* ---- groups that scale ---- */

/* What is scaled: a node, or the members of a group or the targets of a policy. */
typedef struct scaled {
	vt_service *c;
	const char *name;
	vt_tnodei **node;
	uint32_t n;
	bool *been;            /* by group of the service */
	const vt_tbag *policy; /* its properties, or NULL */
	const vt_tgroup *of;   /* the group or policy of that name */
} scaled;

static vt_tnodei *
node_named(const vt_service *c, uint32_t name)
{
	for (uint32_t i = 0; i < c->t->nnodes; i++)
		if (c->t->nodes[i]->service == c->t->services[0] && c->t->nodes[i]->t->name == name)
			return c->t->nodes[i];
	return NULL;
}

static void
add_members(scaled *k, const vt_tgroup *g)
{
	const vt_tmodel *m = k->c->t->m;
	uint32_t first = k->c->t->services[0]->s->groups.first;
	for (uint32_t i = 0; i < g->members.n; i++) {
		uint32_t member = m->index[g->members.first + i], row = member & ~VT_TMEMBER_GROUP;
		vt_tnodei *n =
			member & VT_TMEMBER_GROUP ? NULL : node_named(k->c, m->node[row].name);
		if (n)
			vt_push(k->node, k->n) = n;
		if (!(member & VT_TMEMBER_GROUP) || k->been[row - first])
			continue;
		k->been[row - first] = true;
		add_members(k, &m->group[row]);
	}
}

static bool
is_target(const vt_tmodel *m, const vt_tgroup *policy, uint32_t group)
{
	for (uint32_t i = 0; i < policy->members.n; i++)
		if (m->index[policy->members.first + i] == (VT_TMEMBER_GROUP | group))
			return true;
	return false;
}

static bool
scales(const vt_tmodel *m, const vt_tgroup *policy)
{
	for (uint32_t type = policy->type; type; type = m->type[type].parent) {
		const char *name = m->str[m->type[type].name]->s, *last = strrchr(name, '.');
		if (!strcasecmp(last ? last + 1 : name, "scaling"))
			return true;
	}
	return false;
}

/* The group or policy of the name, and the policy by which it scales. */
static bool
find_group(scaled *k)
{
	const vt_tservicei *v = k->c->t->services[0];
	const vt_tmodel *m = k->c->t->m;
	for (uint32_t i = 0; i < v->s->groups.n && !k->of; i++)
		if (!strcmp(vt_tosca_text(k->c->t, m->group[v->s->groups.first + i].name), k->name))
			k->of = &m->group[v->s->groups.first + i];
	for (uint32_t i = 0; i < v->s->policies.n && !k->policy; i++) {
		const vt_tgroup *p = &m->policy[v->s->policies.first + i];
		bool own = !k->of && !strcmp(vt_tosca_text(k->c->t, p->name), k->name);
		if (own)
			k->of = p;
		if (own || (k->of && scales(m, p) && is_target(m, p, (uint32_t)(k->of - m->group))))
			k->policy = &v->policies[i];
	}
	if (!k->of)
		return false;
	k->been = vt_xzalloc(v->s->groups.n + 1);
	add_members(k, k->of);
	return true;
}

static bool
of_policy(const scaled *k, const char *property, int64_t *out)
{
	vt_tosca *t = k->c->t;
	vt_value name = vt_str_c(k->c->rt, property), v;
	uint32_t str = vt_tosca_find_str(t, vt_as_str(name));
	vt_tcell *cell = str && k->policy ? vt_tosca_find(k->policy, str) : NULL;
	vt_tctx ctx = {.value = VT_UNDEF, .service = t->services[0]};
	vt_release(name);
	v = cell ? vt_tosca_cell(t, &ctx, cell) : VT_UNDEF;
	*out = vt_is_int(v) ? vt_toint(v) : *out;
	return vt_is_int(v);
}

/* How many there are of the group: what scale made of it last, else what its policy says. */
static bool
groups_now(const scaled *k, int64_t *out)
{
	char *key = vt_asprintf(VT_SERVICE_GROUP "%s", k->name);
	vt_value v = k->c->t->counts ? vt_dict_get_c(k->c->t->counts, key) : VT_UNDEF;
	free(key);
	if (!vt_is_int(v))
		return of_policy(k, "default_instances", out) && *out > 0;
	*out = vt_toint(v);
	return *out > 0;
}

/* Does it stand on another member, which takes it along? */
static bool
is_taken_along(const scaled *k, vt_tnodei *n)
{
	vt_tnodei *host = n;
	for (uint32_t depth = 0; depth < 64 && (host = vt_tosca_host(k->c->t, host)); depth++)
		for (uint32_t i = 0; i < k->n; i++)
			if (k->node[i]->t == host->t)
				return true;
	return false;
}

/* So many of the group, and of each member as many for each of them as before. */
static bool
scale_groups(scaled *k, int64_t was)
{
	vt_service *c = k->c;
	int64_t least = 0, most = INT64_MAX, to = wanted(c, was, k->name);
	(void)of_policy(k, "min_instances", &least);
	(void)of_policy(k, "max_instances", &most);
	if (to < 0)
		return false;
	if (to < least || to > most) {
		vt_say("%s: there may be %lld to %lld of '%s', and not %lld\n", c->self,
			(long long)least, (long long)most, k->name, (long long)to);
		return false;
	}
	for (uint32_t i = 0; i < k->n; i++)
		if (!is_taken_along(k, k->node[i]))
			count_all(c, k->node[i], (int64_t)k->node[i]->of / was * to, 0);
	char *key = vt_asprintf(VT_SERVICE_COUNT VT_SERVICE_GROUP "%s", k->name);
	vt_dict_set_c(c->rt, c->inputs, key, vt_mkint(to));
	free(key);
	return true;
}

static bool
scale_all(scaled *k)
{
	int64_t was = 0;
	for (uint32_t i = 0; i < k->n; i++)
		for (uint32_t j = i + 1; j < k->n; j++)
			if (k->node[i] == k->node[j])
				k->node[j--] = k->node[--k->n];
	if (k->of && groups_now(k, &was))
		return scale_groups(k, was);
	for (uint32_t i = 0; i < k->n; i++) {
		const char *name = vt_tosca_text(k->c->t, k->node[i]->t->name);
		int64_t to =
			is_taken_along(k, k->node[i]) ? 0 : wanted_count(k->c, k->node[i], name);
		if (to < 0)
			return false;
		if (!is_taken_along(k, k->node[i]))
			count_all(k->c, k->node[i], to, 0);
	}
	return true;
}

/* The counts of what the name means, among the inputs that a run takes. */
static bool
scale_named(vt_service *c, const char *name)
{
	scaled k = {.c = c, .name = name};
	vt_value text = vt_str_c(c->rt, name);
	uint32_t str = vt_tosca_find_str(c->t, vt_as_str(text));
	vt_tnodei *n = str ? node_named(c, str) : NULL;
	bool ok = false;
	vt_release(text);
	if (n)
		vt_push(k.node, k.n) = n;
	if (!n && !find_group(&k))
		vt_say("%s: the service has no node, group or policy '%s'\n", c->self, name);
	else if (!k.n)
		vt_say("%s: '%s' has no nodes\n", c->self, name);
	else
		ok = scale_all(&k);
	free(k.node);
	free(k.been);
	return ok;
}

static int
scale_to(vt_service *c, const char *name)
{
	char *path = vt_service_state_path(c);
	vt_tstate *s = NULL;
	int rc = FAILED;
	if (!vt_service_open_state(c, path, &s) || !s || vt_tstate_empty(s)) {
		vt_say_undeployed(c->self, path);
	} else {
		vt_value inputs = vt_tstate_inputs(s);
		rc = vt_service_evaluate(c, vt_as_dict(inputs));
		vt_release(inputs);
		if (rc == DONE && !scale_named(c, name))
			rc = FAILED;
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

/* ---- notifications of interfaces ---- */

/* NODE.INTERFACE.NOTIFICATION; only the service itself knows whether the node is there. */
static bool
is_notification(const vt_service *c)
{
	const vt_tmodel *m = c->p->model;
	const char *dot = c->word ? strrchr(c->word, '.') : NULL;
	for (uint32_t i = 1; dot && i < m->n_op; i++)
		if (m->op[i].notification && !strcmp(m->str[m->op[i].name]->s, dot + 1))
			return true;
	return false;
}

static bool
is_called(const vt_service *c, const vt_tnodei *n, const vt_tiface *f, const vt_top *op)
{
	vt_buf b = {NULL, 0, 0};
	vt_tosca_name(&b, c->t, n);
	vt_buf_printf(&b, ".%s.%s", vt_tosca_text(c->t, f->name), vt_tosca_text(c->t, op->name));
	vt_buf_putc(&b, 0);
	bool same = !strcmp(b.p, c->word);
	vt_buf_free(&b);
	return same;
}

static const vt_top *
find_notification(const vt_service *c, vt_tnodei **node, const vt_tiface **iface)
{
	const vt_tmodel *m = c->p->model;
	for (uint32_t i = 0; i < c->t->nnodes; i++) {
		vt_tspan all = vt_tplan_ifaces(c->t, *node = c->t->nodes[i], NULL);
		for (uint32_t k = 0; k < all.n; k++) {
			*iface = &m->iface[all.first + k];
			for (uint32_t o = 0; o < (*iface)->ops.n; o++) {
				const vt_top *op = &m->op[(*iface)->ops.first + o];
				if (op->notification && is_called(c, *node, *iface, op))
					return op;
			}
		}
	}
	return NULL;
}

/* What --input says, as texts: the attributes make of them what they are. False: reported. */
static bool
notified_values(const vt_service *c, vt_dict *out)
{
	for (uint32_t i = 0; i < c->o->input.n; i++) {
		const char *word = c->o->input.v[i], *eq = strchr(word, '=');
		if (!eq || vt_utf8_check(word, strlen(word)) != strlen(word)) {
			vt_say("%s: --input wants NAME=VALUE in UTF-8\n", c->self);
			return false;
		}
		vt_value key = vt_str_new(c->rt, word, (size_t)(eq - word)),
			 v = vt_str_c(c->rt, eq + 1);
		vt_dict_set(c->rt, out, key, v);
		vt_release(key);
		vt_release(v);
	}
	return true;
}

static int
record_notification(vt_service *c, vt_tdeploy *d)
{
	vt_tnodei *node;
	const vt_tiface *iface;
	const vt_top *op = find_notification(c, &node, &iface);
	vt_dict *values = vt_dict_new(c->rt, true);
	char *why = NULL;
	uint32_t before = c->t->nproblems;
	int rc = FAILED;
	if (!op)
		vt_say("%s: there is no notification '%s'\n", c->self, c->word);
	else if (notified_values(c, values) && !vt_tnotified(d, node, iface, op, values, &why) &&
		 why)
		vt_say("%s: the notification '%s': %s\n", c->self, c->word, why);
	else if (op && !why && vt_service_report(c, before) == DONE &&
		 (c->dry || vt_tstate_save(d->state)))
		rc = vt_service_result(c, d->state, false, DONE);
	free(why);
	vt_release(vt_mkptr(values));
	return rc;
}

static int
run_notification(vt_service *c)
{
	vt_tdeploy d = {0};
	char *path = vt_service_state_path(c);
	int rc = FAILED;
	vt_service_begin(c, &d);
	if (!vt_service_open_state(c, path, &d.state)) {
		rc = FAILED;
	} else if (!d.state || vt_tstate_empty(d.state)) {
		vt_say_undeployed(c->self, path);
	} else if (vt_service_is_ours(c, d.state, path)) {
		vt_value inputs = vt_tstate_inputs(d.state);
		rc = vt_service_evaluate(c, vt_as_dict(inputs));
		vt_release(inputs);
		if (rc == DONE && c->dry)
			vt_tstate_pretend(d.state);
		if (rc == DONE)
			rc = vt_service_live(c, d.state);
		d.t = c->t;
		if (rc == DONE)
			rc = record_notification(c, &d);
	}
	vt_tstate_close(d.state);
	vt_service_end(&d);
	free(path);
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
	if (!w && c->word && !c->notifies &&
		(!strcmp(c->word, "heal") || !strcmp(c->word, "scale")))
		return run_built_in(c);
	if (!w && c->notifies && is_notification(c))
		return run_notification(c);
	if (!w)
		return unknown_workflow(c);
	if (c->notifies && c->o->input.n) {
		vt_say("%s: an event has no inputs; a notification, NODE.INTERFACE.NAME, has "
		       "outputs\n",
			c->self);
		return USAGE;
	}
	c->more_inputs = w->inputs;
	vt_service_begin(c, &d);
	path = vt_service_state_path(c);
	if (vt_service_inputs(c) == DONE && vt_service_open_state(c, path, &d.state)) {
		if (!d.state && c->notifies)
			vt_say_undeployed(c->self, path);
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
