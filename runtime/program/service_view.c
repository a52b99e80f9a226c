/*
 * service_view.c - `plan` and `status` of the binary of a service: what a run would do, what there
 * is; as text, as JSON and as a page.
 */
#include "runtime/program/service.h"
#include "runtime/call/call.h"
#include "runtime/core/printable.h"
#include "runtime/text/outfile.h"
#include "runtime/text/text.h"
#include "runtime/text/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* {node: why it is not what it should be} */
static vt_value
failures_of(vt_service *c, const vt_tstate *s)
{
	vt_dict *d = vt_dict_new(c->rt, true);
	for (uint32_t i = 0; i < c->t->nnodes; i++) {
		char *why = vt_tstate_why(s, c->t, c->t->nodes[i]);
		vt_buf name = {NULL, 0, 0};
		if (!why)
			continue;
		vt_tosca_path(&name, c->t, c->t->nodes[i]);
		vt_buf_putc(&name, 0);
		vt_dict_set_c(c->rt, d, name.p, vt_str_c(c->rt, why));
		vt_buf_free(&name);
		free(why);
	}
	return vt_mkptr(d);
}

static void
put_member(vt_service *c, vt_buf *data, const char *name, vt_value owned)
{
	vt_buf_printf(data, ",\"%s\":", name);
	vt_json_write(c->rt, data, owned, 0);
	vt_release(owned);
}

int
vt_service_put_page(vt_service *c, vt_tstate *s, const char *what, vt_value value)
{
	vt_buf data = {NULL, 0, 0}, page = {NULL, 0, 0};
	bool ok;
	vt_buf_puts(&data, "{\"title\":");
	vt_json_str(&data, vt_service_name(c->p), strlen(vt_service_name(c->p)));
	vt_buf_puts(&data, ",\"topology\":");
	vt_tosca_put_page_topology(c->t, &data);
	put_member(c, &data, "states", vt_service_states(c, s));
	put_member(c, &data, "failures", failures_of(c, s));
	put_member(c, &data, "logs", vt_service_logs_by_node(c));
	put_member(c, &data, what, vt_copy(value));
	vt_buf_putc(&data, '}');
	vt_put_graph_page(&page, data.p, data.n);
	ok = vt_put_output(c->self, c->o->html, &page, VT_FILE_PRIVATE | VT_FILE_DURABLE);
	vt_buf_free(&data);
	vt_buf_free(&page);
	return ok ? DONE : FAILED;
}

/* Results of runs have no form by themselves: a terminal has somebody who reads. */
bool
vt_service_is_json(const vt_service *c)
{
	const char *form = c->o->form;
	return form ? !strcmp(form, "json")
		    : c->o->output || c->o->compact || c->o->tab || c->o->indent >= 0 ||
			       !isatty(STDOUT_FILENO);
}

static vt_value
summary(vt_service *c, uint32_t steps)
{
	const vt_tchanges *k = c->changes;
	vt_dict *d = vt_dict_new(c->rt, true);
	vt_dict_set_c(c->rt, d, "create", vt_mkint(k->create));
	vt_dict_set_c(c->rt, d, "change", vt_mkint(k->change));
	vt_dict_set_c(c->rt, d, "notify", vt_mkint(k->notify));
	vt_dict_set_c(c->rt, d, "delete", vt_mkint(k->remove));
	vt_dict_set_c(c->rt, d, "steps", vt_mkint(steps));
	return vt_mkptr(d);
}

static void
put_summary(vt_buf *b, const vt_tchanges *k, uint32_t steps)
{
	if (!steps && !(k->create + k->change + k->notify + k->remove))
		return;
	vt_buf_printf(b,
		"plan: %u to create, %u to change, %u to notify, %u to delete; %u step%s\n",
		k->create, k->change, k->notify, k->remove, steps, steps == 1 ? "" : "s");
}

/* Frees the text. */
int
vt_service_put_plan(vt_service *c, vt_tstate *s, vt_buf *text, uint32_t steps)
{
	vt_dict *d = vt_dict_new(c->rt, true);
	int rc = DONE;
	vt_dict_set_c(c->rt, d, "service", vt_str_c(c->rt, vt_service_name(c->p)));
	vt_dict_set_c(c->rt, d, "summary", summary(c, steps));
	vt_dict_set_c(c->rt, d, "changes", vt_copy(vt_mkptr(c->changes->lines)));
	vt_dict_set_c(c->rt, d, "objects", vt_copy(vt_mkptr(c->changes->objects)));
	vt_dict_set_c(c->rt, d, "steps", vt_copy(vt_mkptr(c->steps)));
	if (c->o->html)
		rc = vt_service_put_page(c, s, "plan", vt_mkptr(d));
	if (vt_service_is_json(c)) {
		vt_buf_free(text);
		return vt_service_put_value(c, vt_mkptr(d)) == DONE ? rc : FAILED;
	}
	vt_release(vt_mkptr(d));
	put_summary(text, c->changes, steps);
	return vt_service_show(c, text, steps + c->changes->change) == DONE ? rc : FAILED;
}

int
vt_service_plan(vt_service *c)
{
	vt_tchanges changes = {0};
	int rc;
	c->dry = true;
	c->steps = vt_list_grow(c->rt, VT_K_TUPLE, 16);
	changes.lines = vt_dict_new(c->rt, true);
	changes.objects = vt_list_grow(c->rt, VT_K_TUPLE, 16);
	c->changes = &changes;
	rc = vt_service_deploy(c, false);
	vt_release(vt_mkptr(changes.lines));
	vt_release(vt_mkptr(changes.objects));
	return rc;
}

/* ---- status ---- */

static const char *
status_of(const vt_dict *states)
{
	vt_value key, v;
	uint32_t pos = 0;
	bool all = true;
	while (vt_dict_at(states, &pos, &key, &v)) {
		const char *s = vt_is(v, STR) ? vt_as_str(v)->s : "";
		if (!strcmp(s, "error"))
			return "failed";
		all = all && !strcmp(s, "started");
	}
	return all ? "deployed" : "incomplete";
}

/* "NAME: TEXT", which come from a template or a state. */
static void
put_line(vt_buf *b, const char *indent, const char *name, const char *text)
{
	vt_buf_puts(b, indent);
	vt_put_printable(b, name, strlen(name));
	vt_buf_puts(b, ": ");
	vt_put_printable(b, text, strlen(text));
	vt_buf_putc(b, '\n');
}

static void
put_states(vt_buf *b, const vt_dict *states)
{
	vt_value key, v;
	uint32_t pos = 0;
	while (vt_dict_at(states, &pos, &key, &v))
		put_line(b, "  ", vt_as_str(key)->s, vt_is(v, STR) ? vt_as_str(v)->s : "?");
}

/* Texts as they are, other values as JSON. */
static void
put_outputs(vt_service *c, vt_buf *b, const vt_dict *outputs)
{
	vt_value key, v;
	uint32_t pos = 0;
	if (vt_dict_len(outputs))
		vt_buf_puts(b, "outputs:\n");
	while (vt_dict_at(outputs, &pos, &key, &v)) {
		vt_buf text = {NULL, 0, 0};
		if (vt_is(v, STR))
			vt_buf_put(&text, vt_as_str(v)->s, vt_as_str(v)->bytes);
		else
			vt_json_write(c->rt, &text, v, 0);
		vt_buf_putc(&text, 0);
		put_line(b, "  ", vt_as_str(key)->s, text.p);
		vt_buf_free(&text);
	}
}

int
vt_service_put_summary(vt_service *c, vt_value result)
{
	const vt_dict *d = vt_as_dict(result);
	vt_value outputs = vt_dict_get_c(d, "outputs");
	char *what =
		vt_asprintf("%s, %u step%s in %.1f s", vt_as_str(vt_dict_get_c(d, "status"))->s,
			c->ran, c->ran == 1 ? "" : "s", vt_clock() - c->began);
	vt_buf b = {NULL, 0, 0};
	put_line(&b, "", vt_service_name(c->p), what);
	put_states(&b, vt_as_dict(vt_dict_get_c(d, "nodes")));
	if (outputs != VT_UNDEF)
		put_outputs(c, &b, vt_as_dict(outputs));
	free(what);
	vt_release(result);
	return vt_service_put(c, &b);
}

/* Why nodes are not what they should be. */
static void
put_failures(vt_buf *b, const vt_dict *failures)
{
	vt_value name, why;
	for (uint32_t i = 0; vt_dict_at(failures, &i, &name, &why);) {
		vt_put_printable(b, vt_as_str(name)->s, vt_as_str(name)->bytes);
		vt_buf_puts(b, " failed: ");
		vt_put_lines(b, vt_as_str(why)->s, vt_as_str(why)->bytes);
		vt_buf_putc(b, '\n');
	}
}

static int
put_status(vt_service *c, vt_tstate *s, const char *path)
{
	vt_value states = vt_service_states(c, s), outputs = vt_service_outputs_of(c);
	vt_value failures = failures_of(c, s);
	vt_dict *d = vt_dict_new(c->rt, true);
	const char *status = vt_tstate_is_held(path) ? "running" : status_of(vt_as_dict(states));
	vt_buf b = {NULL, 0, 0};
	int rc = c->o->html ? vt_service_put_page(c, s, "outputs", outputs) : DONE;
	put_line(&b, "", vt_service_name(c->p), status);
	put_states(&b, vt_as_dict(states));
	put_failures(&b, vt_as_dict(failures));
	vt_dict_set_c(c->rt, d, "service", vt_str_c(c->rt, vt_service_name(c->p)));
	vt_dict_set_c(c->rt, d, "status", vt_str_c(c->rt, status));
	vt_dict_set_c(c->rt, d, "outputs", outputs);
	vt_dict_set_c(c->rt, d, "nodes", states);
	if (vt_dict_len(vt_as_dict(failures)))
		vt_dict_set_c(c->rt, d, "failures", vt_copy(failures));
	vt_release(failures);
	if (vt_service_is_json(c)) {
		vt_buf_free(&b);
		return vt_service_put_value(c, vt_mkptr(d)) == DONE ? rc : FAILED;
	}
	vt_release(vt_mkptr(d));
	return vt_service_put(c, &b) == DONE ? rc : FAILED;
}

static int
put_nothing(vt_service *c)
{
	vt_dict *d = vt_dict_new(c->rt, true);
	vt_buf b = {NULL, 0, 0};
	vt_dict_set_c(c->rt, d, "service", vt_str_c(c->rt, vt_service_name(c->p)));
	vt_dict_set_c(c->rt, d, "status", vt_str_c(c->rt, "undeployed"));
	vt_dict_set_c(c->rt, d, "nodes", vt_mkptr(vt_dict_new(c->rt, true)));
	if (vt_service_is_json(c))
		return vt_service_put_value(c, vt_mkptr(d));
	vt_release(vt_mkptr(d));
	put_line(&b, "", vt_service_name(c->p), "undeployed");
	return vt_service_put(c, &b);
}

int
vt_service_status(vt_service *c)
{
	char *path = vt_service_state_path(c);
	vt_tstate *s = NULL;
	int rc = FAILED;
	if (vt_service_look_state(c, path, &s) && (!s || vt_tstate_empty(s))) {
		if (c->o->html)
			vt_say("%s: nothing is deployed: there is no page to be made\n", c->self);
		vt_say_no_state(c->self, c->o->snapshot);
		rc = put_nothing(c) == DONE && !c->o->html ? DONE : FAILED;
	} else if (s) {
		vt_value inputs = vt_tstate_inputs(s);
		rc = vt_service_evaluate(c, vt_as_dict(inputs));
		vt_release(inputs);
		if (rc == DONE && vt_service_live(c, s) == DONE) {
			vt_tosca_values(c->t);
			rc = put_status(c, s, path);
		}
	}
	vt_tstate_close(s);
	free(path);
	return rc;
}
