/*
 * service_show.c - what the commands of a service's binary read and answer; and `topology`,
 * `outputs`, `info` and `help`, which only show.
 */
#include "runtime/program/service.h"
#include "runtime/call/call.h"
#include "runtime/core/number.h"
#include "runtime/text/outfile.h"
#include "runtime/text/report.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- answers ---- */

/* Frees the buffer. */
int
vt_service_put(vt_service *c, vt_buf *b)
{
	bool ok = vt_put_output(c->self, c->o->output, b, VT_FILE_PRIVATE | VT_FILE_DURABLE);
	vt_buf_free(b);
	return ok ? DONE : FAILED;
}

static int
layout_of(const vt_service *c)
{
	return vt_json_layout(c->o->compact, c->o->tab, c->o->indent);
}

int
vt_service_put_value(vt_service *c, vt_value owned)
{
	vt_buf b = {NULL, 0, 0};
	vt_json_write(c->rt, &b, owned, layout_of(c));
	vt_buf_putc(&b, '\n');
	vt_release(owned);
	return vt_service_put(c, &b);
}

/* FAILED when there are any from `from` on. */
int
vt_service_report(const vt_service *c, uint32_t from)
{
	for (uint32_t i = from; i < c->t->nproblems; i++) {
		const vt_tproblem *p = &c->t->problems[i];
		if (p->again && i > from)
			continue;
		vt_report r = {.code = vt_diag_name(p->code),
			.self = c->self,
			.message = p->message,
			.hint = p->hint};
		if (vt_tosca_locate(c->p->model, p->place, &r.at.line, &r.at.col))
			r.at.file = c->p->model->file[p->place.file];
		vt_report_print(&r, stderr);
	}
	return c->t->nproblems > from ? FAILED : DONE;
}

/* ---- the engine ---- */

bool
vt_service_is_given(const vt_service *c)
{
	return c->o->input.n || c->o->inputs.n;
}

/* Files in their order, then words: the last one counts. */
int
vt_service_inputs(vt_service *c)
{
	const vt_tmodel *m = c->p->model;
	vt_tinputs in = {.rt = c->rt,
		.m = m,
		.self = c->self,
		.slots = {m->service[m->root].inputs, c->more_inputs},
		.values = vt_dict_new(c->rt, false)};
	bool ok = true;
	c->inputs = in.values;
	for (uint32_t i = 0; i < c->o->inputs.n; i++)
		ok &= vt_tinputs_file(&in, c->o->inputs.v[i]);
	for (uint32_t i = 0; i < c->o->input.n; i++)
		ok &= vt_tinputs_word(&in, c->o->input.v[i]);
	return ok ? DONE : FAILED;
}

static bool
put_count(vt_service *c, const vt_str *key, vt_value v)
{
	size_t n = sizeof VT_SERVICE_COUNT - 1;
	if (key->bytes <= n || memcmp(key->s, VT_SERVICE_COUNT, n) != 0)
		return false;
	if (!c->t->counts)
		c->t->counts = vt_dict_new(c->rt, false);
	vt_dict_set_c(c->rt, c->t->counts, key->s + n, vt_copy(v));
	return true;
}

int
vt_service_evaluate(vt_service *c, vt_dict *inputs)
{
	vt_value key, v;
	uint32_t pos = 0;
	c->t = vt_tosca_new(c->rt, c->p->model);
	c->t->yaql = vt_tosca_find_yaql;
	c->t->yaql_ctx = (void *)(uintptr_t)c->p;
	while (vt_dict_at(inputs, &pos, &key, &v))
		if (vt_is(key, STR) && !put_count(c, vt_as_str(key), v))
			(void)vt_tosca_input(c->t, vt_as_str(key), v);
	vt_tosca_run(c->t);
	return vt_service_report(c, 0);
}

/* *out NULL: there is none. False: reported. */
bool
vt_service_open_state(vt_service *c, const char *path, vt_tstate **out)
{
	*out = NULL;
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return true;
	*out = vt_tstate_open(c->rt, c->self, path);
	return *out != NULL;
}

/* The same for commands that write nothing: a run may be under way. */
bool
vt_service_look_state(vt_service *c, const char *path, vt_tstate **out)
{
	*out = NULL;
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return true;
	*out = vt_tstate_look(c->rt, c->self, path);
	return *out != NULL;
}

/* ---- topology, outputs ---- */

int
vt_service_live(vt_service *c, vt_tstate *s)
{
	uint32_t before = c->t->nproblems;
	vt_tosca_go_live(c->t);
	if (s)
		vt_tstate_apply(s, c->t);
	return vt_service_report(c, before);
}

vt_value
vt_service_outputs_of(vt_service *c)
{
	vt_tservicei *s = c->t->services[0];
	vt_tctx ctx = vt_tosca_service_ctx(s);
	vt_dict *d = vt_dict_new(c->rt, true);
	for (uint32_t i = 0; i < s->outputs.n; i++) {
		vt_value v = vt_tosca_cell(c->t, &ctx, &s->outputs.cell[i]), shown = VT_NULL;
		if (v != VT_UNDEF && v != VT_NOVALUE)
			shown = vt_tosca_shown(c->t, v);
		vt_dict_set(c->rt, d, vt_tosca_str(c->t, s->outputs.cell[i].name), shown);
		vt_release(shown);
	}
	return vt_mkptr(d);
}

static int
print_topology(vt_service *c, vt_tstate *s, const vt_tformat *f)
{
	vt_buf b = {NULL, 0, 0};
	char *why = NULL;
	uint32_t before = c->t->nproblems;
	if (s && vt_service_live(c, s) != DONE)
		return FAILED;
	if (s)
		vt_tosca_values(c->t);
	if (vt_service_report(c, before) != DONE)
		return FAILED;
	if (f->put(c->t, &b, layout_of(c), &why))
		return vt_service_put(c, &b);
	vt_say("%s: the service cannot be shown as %s: %s\n", c->self, f->name, why);
	vt_buf_free(&b);
	free(why);
	return FAILED;
}

int
vt_service_topology(vt_service *c)
{
	const vt_tformat *f = vt_tosca_find_format(c->o->form);
	char *path = c->o->snapshot ? vt_service_state_path(c) : NULL;
	vt_tstate *s = NULL;
	int rc = FAILED;
	if (path && !vt_service_look_state(c, path, &s)) {
		free(path);
		return FAILED;
	}
	if (vt_service_inputs(c) == DONE) {
		vt_value stored = s && !vt_service_is_given(c) ? vt_tstate_inputs(s) : VT_UNDEF;
		rc = vt_service_evaluate(c, stored != VT_UNDEF ? vt_as_dict(stored) : c->inputs);
		vt_release(stored);
	}
	if (rc == DONE)
		rc = print_topology(c, s, f);
	vt_tstate_close(s);
	free(path);
	return rc;
}

int
vt_service_outputs(vt_service *c)
{
	char *path = vt_service_state_path(c);
	vt_tstate *s = NULL;
	int rc = FAILED;
	if (vt_service_look_state(c, path, &s) && (!s || vt_tstate_empty(s)))
		vt_say_undeployed(c->self, path);
	else if (s) {
		vt_value inputs = vt_tstate_inputs(s);
		rc = vt_service_evaluate(c, vt_as_dict(inputs));
		vt_release(inputs);
		if (rc == DONE && vt_service_live(c, s) == DONE)
			rc = vt_service_put_value(c, vt_service_outputs_of(c));
	}
	vt_tstate_close(s);
	free(path);
	return rc;
}

/* ---- info ---- */

static vt_value
text(const vt_service *c, uint32_t str)
{
	return str ? vt_copy(vt_mkptr(c->p->model->str[str])) : VT_NULL;
}

static vt_value
parameters(vt_service *c, vt_tspan slots, bool inputs)
{
	const vt_tmodel *m = c->p->model;
	vt_dict *all = vt_dict_new(c->rt, true);
	for (uint32_t i = 0; i < slots.n; i++) {
		const vt_tslot *s = &m->slot[slots.first + i];
		vt_dict *d = vt_dict_new(c->rt, true);
		uint32_t type = s->schema ? m->schema[s->schema].type : 0;
		vt_dict_set_c(c->rt, d, "type", type ? text(c, m->data[type].name) : VT_NULL);
		if (inputs)
			vt_dict_set_c(c->rt, d, "required",
				vt_mkbool((s->flags & VT_TS_REQUIRED) && !s->dflt));
		vt_dict_set_c(c->rt, all, m->str[s->name]->s, vt_mkptr(d));
	}
	return vt_mkptr(all);
}

static vt_value
node_types(vt_service *c)
{
	const vt_tmodel *m = c->p->model;
	const vt_tservice *s = &m->service[m->root];
	vt_dict *d = vt_dict_new(c->rt, true);
	for (uint32_t i = 0; i < s->nodes.n; i++) {
		const vt_tnode *n = &m->node[s->nodes.first + i];
		vt_dict_set_c(c->rt, d, m->str[n->name]->s,
			text(c, m->type[n->type].canon ? m->type[n->type].canon
						       : m->type[n->type].name));
	}
	return vt_mkptr(d);
}

static vt_value
files(vt_service *c)
{
	vt_list *l = vt_list_grow(c->rt, VT_K_TUPLE, c->p->nblobs);
	for (uint32_t i = 0; i < c->p->nblobs; i++) {
		vt_dict *d = vt_dict_new(c->rt, true);
		vt_dict_set_c(c->rt, d, "path", vt_str_c(c->rt, c->p->blobs[i].path));
		vt_dict_set_c(c->rt, d, "bytes", vt_mkint(c->p->blobs[i].n));
		vt_list_push(c->rt, l, vt_mkptr(d));
	}
	return vt_mkptr(l);
}

int
vt_service_info(vt_service *c)
{
	const vt_tmodel *m = c->p->model;
	const vt_tservice *s = &m->service[m->root];
	vt_dict *d = vt_dict_new(c->rt, true);
	vt_dict_set_c(c->rt, d, "service", vt_str_c(c->rt, c->p->name));
	vt_dict_set_c(c->rt, d, "description", text(c, s->description));
	vt_dict_set_c(c->rt, d, "digest", vt_str_c(c->rt, c->p->digest));
	vt_dict_set_c(c->rt, d, "built_by", vt_str_c(c->rt, c->p->built_by));
	vt_dict_set_c(c->rt, d, "inputs", parameters(c, s->inputs, true));
	vt_dict_set_c(c->rt, d, "outputs", parameters(c, s->outputs, false));
	vt_dict_set_c(c->rt, d, "nodes", node_types(c));
	vt_dict_set_c(c->rt, d, "files", files(c));
	return vt_service_put_value(c, vt_mkptr(d));
}
