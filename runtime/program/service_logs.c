/* service_logs.c - `logs` of the binary of a service: what its operations have printed. */
#include "runtime/program/logs.h"
#include "runtime/program/service.h"
#include "runtime/call/call.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_NODES = 2000 }; /* more logs than a page has room for */

/* The values that nobody may read, of the inputs too: the engine tells them. */
static void
learn_secrets(vt_service *c, const char *path)
{
	vt_tstate *s = NULL;
	if (!vt_service_look_state(c, path, &s) || !s)
		return;
	vt_value inputs = vt_tstate_inputs(s);
	if (vt_service_evaluate(c, vt_as_dict(inputs)) == DONE && vt_service_live(c, s) == DONE)
		vt_tosca_values(c->t);
	vt_release(inputs);
	vt_tstate_close(s);
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
	vt_logs o = {.self = c->self, .dir = dir};
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
