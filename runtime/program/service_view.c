/*
 * service_view.c - `plan` and `status` of the binary of a service: what a run would do, what there
 * is; as text, as JSON and as a page.
 */
#include "runtime/program/service.h"
#include "runtime/call/call.h"
#include "runtime/text/outfile.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

/* {"title", "topology", "states", what: value} as the page reads them. */
static int
put_page(vt_service *c, vt_tstate *s, const char *what, vt_value value)
{
	vt_buf data = {NULL, 0, 0}, page = {NULL, 0, 0};
	vt_value states = vt_service_states(c, s);
	bool ok;
	vt_buf_puts(&data, "{\"title\":");
	vt_json_str(&data, c->p->name, strlen(c->p->name));
	vt_buf_puts(&data, ",\"topology\":");
	vt_tosca_put_topology(c->t, &data, 0);
	vt_buf_puts(&data, ",\"states\":");
	vt_json_write(c->rt, &data, states, 0);
	vt_buf_printf(&data, ",\"%s\":", what);
	vt_json_write(c->rt, &data, value, 0);
	vt_buf_putc(&data, '}');
	vt_put_graph_page(&page, data.p, data.n);
	ok = vt_put_output(c->self, c->o->html, &page, VT_FILE_PRIVATE | VT_FILE_DURABLE);
	vt_release(states);
	vt_buf_free(&data);
	vt_buf_free(&page);
	return ok ? DONE : FAILED;
}

static bool
is_json(const vt_service *c)
{
	return !strcmp(c->o->form, "json");
}

/* Frees the text. */
int
vt_service_put_plan(vt_service *c, vt_tstate *s, vt_buf *text, uint32_t steps)
{
	vt_dict *d = vt_dict_new(c->rt, true);
	int rc = DONE;
	vt_dict_set_c(c->rt, d, "service", vt_str_c(c->rt, c->p->name));
	vt_dict_set_c(c->rt, d, "changes", vt_copy(vt_mkptr(c->changes)));
	vt_dict_set_c(c->rt, d, "steps", vt_copy(vt_mkptr(c->steps)));
	if (c->o->html)
		rc = put_page(c, s, "plan", vt_mkptr(d));
	if (is_json(c)) {
		vt_buf_free(text);
		return vt_service_put_value(c, vt_mkptr(d)) == DONE ? rc : FAILED;
	}
	vt_release(vt_mkptr(d));
	return vt_service_show(c, text, steps) == DONE ? rc : FAILED;
}

int
vt_service_plan(vt_service *c)
{
	int rc;
	c->dry = true;
	c->steps = vt_list_grow(c->rt, VT_K_TUPLE, 16);
	c->changes = vt_dict_new(c->rt, true);
	rc = vt_service_deploy(c, false);
	vt_release(vt_mkptr(c->steps));
	vt_release(vt_mkptr(c->changes));
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

static int
put_status(vt_service *c, vt_tstate *s)
{
	vt_value states = vt_service_states(c, s), outputs = vt_service_outputs_of(c), key, v;
	vt_dict *d = vt_dict_new(c->rt, true);
	const char *status = status_of(vt_as_dict(states));
	uint32_t pos = 0;
	vt_buf b = {NULL, 0, 0};
	int rc = c->o->html ? put_page(c, s, "outputs", outputs) : DONE;
	vt_buf_printf(&b, "%s: %s\n", c->p->name, status);
	while (vt_dict_at(vt_as_dict(states), &pos, &key, &v))
		vt_buf_printf(&b, "  %s: %s\n", vt_as_str(key)->s, vt_as_str(v)->s);
	vt_dict_set_c(c->rt, d, "service", vt_str_c(c->rt, c->p->name));
	vt_dict_set_c(c->rt, d, "status", vt_str_c(c->rt, status));
	vt_dict_set_c(c->rt, d, "outputs", outputs);
	vt_dict_set_c(c->rt, d, "nodes", states);
	if (is_json(c)) {
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
	vt_dict_set_c(c->rt, d, "service", vt_str_c(c->rt, c->p->name));
	vt_dict_set_c(c->rt, d, "status", vt_str_c(c->rt, "undeployed"));
	vt_dict_set_c(c->rt, d, "nodes", vt_mkptr(vt_dict_new(c->rt, true)));
	if (is_json(c))
		return vt_service_put_value(c, vt_mkptr(d));
	vt_release(vt_mkptr(d));
	vt_buf_printf(&b, "%s: undeployed\n", c->p->name);
	return vt_service_put(c, &b);
}

int
vt_service_status(vt_service *c)
{
	char *path = vt_service_state_path(c);
	vt_tstate *s = NULL;
	int rc = FAILED;
	if (vt_service_open_state(c, path, &s) && (!s || vt_tstate_empty(s))) {
		if (c->o->html)
			vt_say("%s: nothing is deployed: there is no page to be made\n", c->self);
		rc = put_nothing(c) == DONE && !c->o->html ? DONE : FAILED;
	} else if (s) {
		vt_value inputs = vt_tstate_inputs(s);
		rc = vt_service_evaluate(c, vt_as_dict(inputs));
		vt_release(inputs);
		if (rc == DONE && vt_service_live(c, s) == DONE) {
			vt_tosca_values(c->t);
			rc = put_status(c, s);
		}
	}
	vt_tstate_close(s);
	free(path);
	return rc;
}
