/* service_logs.c - `logs` of the binary of a service: what its operations have printed. */
#include "runtime/program/logs.h"
#include "runtime/program/service.h"
#include "runtime/call/call.h"
#include "runtime/text/outfile.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_NODES = 2000 }; /* more logs than a page has room for */

/* Values are learnt here, of the inputs too: the engine tells which nobody may read.  *out NULL:
 * there is no state. */
static bool
look(vt_service *c, const char *path, vt_tstate **out)
{
	bool ok;
	*out = NULL;
	if (!vt_service_look_state(c, path, out) || !*out)
		return false;
	vt_value inputs = vt_tstate_inputs(*out);
	ok = vt_service_evaluate(c, vt_as_dict(inputs)) == DONE && vt_service_live(c, *out) == DONE;
	if (ok)
		vt_tosca_values(c->t);
	vt_release(inputs);
	return ok;
}

static void
learn_secrets(vt_service *c, const char *path)
{
	vt_tstate *s;
	(void)look(c, path, &s);
	vt_tstate_close(s);
}

/* What is left of a service that is gone: the texts, without a topology. */
static int
put_bare_page(vt_service *c, const vt_logs *o)
{
	vt_buf data = {NULL, 0, 0}, page = {NULL, 0, 0}, log = {NULL, 0, 0};
	bool ok;
	(void)vt_logs_ends(o, NULL, &log);
	vt_buf_puts(&data, "{\"title\":");
	vt_json_str(&data, vt_service_name(c->p), strlen(vt_service_name(c->p)));
	vt_buf_puts(&data, ",\"view\":\"logs\",\"log\":");
	vt_put_json_repaired(&data, log.n ? log.p : "", log.n);
	vt_buf_putc(&data, '}');
	vt_put_graph_page(&page, data.p, data.n);
	ok = vt_put_output(c->self, c->o->html, &page, VT_FILE_PRIVATE | VT_FILE_DURABLE);
	vt_buf_free(&log);
	vt_buf_free(&data);
	vt_buf_free(&page);
	return ok ? DONE : FAILED;
}

static int
put_page(vt_service *c, const vt_logs *o)
{
	vt_value view = vt_str_c(c->rt, "logs");
	vt_tstate *s;
	int rc;
	c->only = o->file;
	if (c->t)
		vt_tosca_free(c->t);
	c->t = NULL;
	if (look(c, o->state, &s) && !vt_tstate_empty(s))
		rc = vt_service_put_page(c, s, "view", view);
	else
		rc = put_bare_page(c, o);
	vt_release(view);
	vt_tstate_close(s);
	return rc;
}

int
vt_service_logs(vt_service *c)
{
	char *state = vt_service_state_path(c), *dir = vt_service_logs_of(state),
	     *lock = vt_asprintf("%s.journal", state),
	     *file = c->o->line.words.n ? vt_tosca_log_name(c->o->line.words.v[0]) : NULL;
	vt_logs o = {.self = c->self,
		.dir = dir,
		.state = state,
		.lock = lock,
		.file = file,
		.follow = c->o->follow};
	int rc;
	learn_secrets(c, state);
	rc = vt_logs_print(&o);
	if (c->o->html && rc == DONE)
		rc = put_page(c, &o);
	free(file);
	free(lock);
	free(dir);
	free(state);
	return rc;
}

vt_value
vt_service_logs_by_node(vt_service *c)
{
	char *state = vt_service_state_path(c), *dir = vt_service_logs_of(state);
	vt_logs o = {.self = c->self, .dir = dir, .file = c->only};
	vt_dict *d = vt_dict_new(c->rt, true);
	for (uint32_t i = 0; i < c->t->nnodes && i < PAGE_NODES; i++) {
		vt_buf name = {NULL, 0, 0}, text = {NULL, 0, 0};
		vt_tosca_path(&name, c->t, c->t->nodes[i]);
		vt_buf_putc(&name, 0);
		char *file = vt_tosca_log_name(name.p);
		uint32_t all = vt_logs_ends(&o, file, &text);
		if (text.n)
			vt_dict_set_c(c->rt, d, name.p, vt_str_new(c->rt, text.p, text.n));
		free(file);
		vt_buf_free(&text);
		vt_buf_free(&name);
		if (!all)
			break;
	}
	free(dir);
	free(state);
	return vt_mkptr(d);
}
