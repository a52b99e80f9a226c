/*
 * service_drift.c - `drift` of the binary of a service: what is there against what should be.
 *
 * Checks that the service declares are run (check.c).  A node has drifted when one of them fails,
 * when one finds an attribute that is other than the state has it, or when the node is not started
 * at all.
 */
#include "runtime/program/service.h"
#include "runtime/call/call.h"
#include "runtime/core/printable.h"
#include "runtime/deploy/check.h"
#include "runtime/text/text.h"
#include "runtime/text/report.h"

#include <stdlib.h>
#include <string.h>

typedef struct drift {
	vt_service *c;
	vt_tstate *state;
	vt_tplan *plan;
	vt_value *before; /* attributes, by position in t->nodes */
	vt_dict *nodes;   /* {node: {"status", ...}} */
	vt_buf text;
	uint32_t drifted, same, unchecked;
} drift;

/* What nobody may read stands in it as *****. */
static vt_value
shown(vt_rt *rt, vt_value v)
{
	vt_buf b = {NULL, 0, 0};
	bool secret;
	vt_json_write(rt, &b, v == VT_UNDEF ? VT_NULL : v, 0);
	secret = vt_has_secret(b.p, b.n);
	vt_buf_free(&b);
	return secret ? vt_str_c(rt, "*****") : v == VT_UNDEF ? VT_NULL : vt_copy(v);
}

static void
put_text(drift *d, vt_value v)
{
	vt_buf b = {NULL, 0, 0};
	vt_json_write(d->c->rt, &b, v, 0);
	vt_put_cut(&d->text, b.p, b.n);
	vt_buf_free(&b);
}

static void
put_attribute(drift *d, vt_list *list, vt_value name, vt_value old, vt_value new)
{
	vt_rt *rt = d->c->rt;
	vt_dict *one = vt_dict_new(rt, true);
	vt_value a = shown(rt, old), b = shown(rt, new);
	vt_buf_puts(&d->text, "    ");
	vt_put_printable(&d->text, vt_as_str(name)->s, vt_as_str(name)->bytes);
	vt_buf_puts(&d->text, ": ");
	put_text(d, a);
	vt_buf_puts(&d->text, " => ");
	put_text(d, b);
	vt_buf_putc(&d->text, '\n');
	vt_dict_set_c(rt, one, "name", vt_copy(name));
	vt_dict_set_c(rt, one, "old", a);
	vt_dict_set_c(rt, one, "new", b);
	vt_list_push(rt, list, vt_mkptr(one));
}

/* Attributes that checks found to be other than the state has them. */
static vt_list *
attributes(drift *d, const vt_tnodei *n)
{
	vt_rt *rt = d->c->rt;
	vt_value after = vt_tstate_found(d->state, d->c->t, n), key, v;
	const vt_dict *before = vt_as_dict(d->before[n->order]);
	vt_list *list = vt_list_grow(rt, VT_K_TUPLE, 4);
	uint32_t pos = 0;
	while (vt_dict_at(vt_as_dict(after), &pos, &key, &v)) {
		vt_value old = vt_dict_get(before, key);
		if (old == VT_UNDEF || !vt_eq(old, v))
			put_attribute(d, list, key, old, v);
	}
	vt_release(after);
	return list;
}

static void
put_head(drift *d, const char *name, const char *what, const char *why)
{
	vt_put_printable(&d->text, name, strlen(name));
	vt_buf_printf(&d->text, ": %s", what);
	if (why) {
		vt_buf_puts(&d->text, ": ");
		vt_put_lines(&d->text, why, strlen(why));
	}
	vt_buf_putc(&d->text, '\n');
}

/* The line of the node comes before its attributes. */
static void
put_node(drift *d, vt_tnodei *n, const char *state)
{
	vt_rt *rt = d->c->rt;
	vt_buf name = {NULL, 0, 0}, lines, all = d->text;
	bool up = !strcmp(state, "started"), failed = up && vt_tcheck_failed(d->plan, n);
	char *why = failed || !up ? vt_tstate_why(d->state, d->c->t, n) : NULL;
	const char *status = "ok";
	vt_dict *one = vt_dict_new(rt, true);
	vt_list *list;
	d->text = (vt_buf){NULL, 0, 0};
	list = attributes(d, n);
	lines = d->text;
	d->text = all;
	vt_tosca_path(&name, d->c->t, n);
	vt_buf_putc(&name, 0);
	if (!up || failed || list->n)
		status = "drifted";
	else if (!vt_tcheck_count(d->plan, n))
		status = "unchecked";
	if (why)
		vt_dict_set_c(rt, one, "why", vt_redacted(rt, vt_str_c(rt, why)));
	put_head(d, name.p,
		!up              ? state
		: failed         ? "has drifted"
		: list->n        ? "has drifted"
		: *status == 'o' ? "as it should be"
				 : "has no check",
		why);
	vt_buf_put(&d->text, lines.p ? lines.p : "", lines.n);
	vt_dict_set_c(rt, one, "status", vt_str_c(rt, status));
	vt_dict_set_c(rt, one, "state", vt_str_c(rt, state));
	vt_dict_set_c(rt, one, "attributes", vt_mkptr(list));
	vt_dict_set_c(rt, d->nodes, name.p, vt_mkptr(one));
	d->drifted += *status == 'd';
	d->same += *status == 'o';
	d->unchecked += *status == 'u';
	vt_buf_free(&lines);
	vt_buf_free(&name);
	free(why);
}

static int
answer(drift *d)
{
	vt_service *c = d->c;
	vt_rt *rt = c->rt;
	vt_dict *all = vt_dict_new(rt, true);
	const char *status = d->drifted ? "drifted" : d->same ? "in sync" : "unchecked";
	int rc = DONE;
	vt_buf_printf(&d->text, "drift: %u drifted, %u as they should be, %u without a check\n",
		d->drifted, d->same, d->unchecked);
	vt_redact(&d->text, 0);
	vt_dict_set_c(rt, all, "service", vt_str_c(rt, vt_service_name(c->p)));
	vt_dict_set_c(rt, all, "status", vt_str_c(rt, status));
	vt_dict_set_c(rt, all, "nodes", vt_copy(vt_mkptr(d->nodes)));
	if (c->o->html)
		rc = vt_service_put_page(c, d->state, "drift", vt_mkptr(d->nodes));
	if (vt_service_is_json(c)) {
		vt_buf_free(&d->text);
		rc |= vt_service_put_value(c, vt_mkptr(all));
	} else {
		vt_release(vt_mkptr(all));
		rc |= vt_service_put(c, &d->text);
	}
	return rc == DONE && !d->drifted ? DONE : FAILED;
}

/* States as they were before the checks ran, which put their failures there. */
static char **
states_of(drift *d)
{
	vt_tosca *t = d->c->t;
	char **states = vt_xmalloc((t->nnodes + 1) * sizeof *states);
	for (uint32_t i = 0; i < t->nnodes; i++) {
		char *state = vt_tstate_of(d->state, t, t->nodes[i]);
		states[i] = state ? state : vt_xstrdup("is not there");
		d->before[i] = vt_tstate_found(d->state, t, t->nodes[i]);
	}
	return states;
}

static int
look(drift *d, const char *path)
{
	vt_service *c = d->c;
	vt_tdeploy run;
	int rc = FAILED;
	vt_service_begin(c, &run);
	run.t = c->t;
	run.state = d->state;
	run.plan = d->plan = vt_tcheck_plan(c->t, d->state);
	d->before = vt_xmalloc((c->t->nnodes + 1) * sizeof *d->before);
	d->nodes = vt_dict_new(c->rt, true);
	char **states = states_of(d);
	run.hushed = true;
	run.progress = c->o->progress;
	if (vt_service_ready(c, &run) && vt_service_make_room(c, &run, path)) {
		(void)vt_service_execute(c, &run);
		for (uint32_t i = 0; i < c->t->nnodes; i++)
			put_node(d, c->t->nodes[i], states[i]);
		rc = vt_interrupt_caught() ? FAILED : answer(d);
		vt_service_drop_room(&run);
	}
	for (uint32_t i = 0; i < c->t->nnodes; i++) {
		free(states[i]);
		vt_release(d->before[i]);
	}
	free(states);
	free(d->before);
	vt_release(vt_mkptr(d->nodes));
	vt_tplan_free(d->plan);
	vt_service_end(&run);
	return rc;
}

int
vt_service_drift(vt_service *c)
{
	char *path = vt_service_state_path(c);
	drift d = {.c = c};
	int rc = FAILED;
	if (vt_service_open_state(c, path, &d.state) && (!d.state || vt_tstate_empty(d.state)))
		vt_say_undeployed(c->self, path);
	else if (d.state && vt_service_is_ours(c, d.state, path)) {
		vt_value inputs = vt_tstate_inputs(d.state);
		vt_tstate_pretend(d.state);
		rc = vt_service_evaluate(c, vt_as_dict(inputs));
		vt_release(inputs);
		if (rc == DONE && vt_service_live(c, d.state) == DONE) {
			vt_tosca_values(c->t); /* the page shows what the state has */
			rc = look(&d, path);
		}
	}
	vt_tstate_close(d.state);
	free(path);
	return rc;
}
