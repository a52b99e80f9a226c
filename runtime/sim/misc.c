/*
 * misc.c - the simulated Glance (metadata definitions), Mistral and Keystone: what the scenario
 * says of them.
 */
#include "runtime/sim/sim.h"
#include "runtime/core/number.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

static vt_value
list_or_empty(vt_rt *rt, vt_value v)
{
	return vt_is_sequence(v) ? vt_copy(v) : vt_mkptr(vt_list_grow(rt, VT_K_TUPLE, 0));
}

/* ---- Glance ------------------------------------------------------------------------------ */

/* Is one of its associations with that type of resource? One that names none is for all. */
static bool
is_for(vt_value space, const char *type)
{
	vt_value all = vt_member(space, "resource_type_associations");
	if (!vt_is_sequence(all))
		return true;
	for (uint32_t i = 0; i < vt_as_list(all)->n; i++)
		if (strcmp(vt_text_or(vt_member(vt_as_list(all)->v[i], "name"), ""), type) == 0)
			return true;
	return false;
}

static vt_status
namespaces(sim_request *r)
{
	vt_value all = vt_member(vt_member(r->sim->scenario, "metadefs"), "namespaces");
	const char *type = vt_text_or(vt_member(r->path.query, "resource_types"), NULL);
	vt_list *l = vt_list_grow(r->sim->rt, VT_K_TUPLE, 0);
	for (uint32_t i = 0; vt_is_sequence(all) && i < vt_as_list(all)->n; i++)
		if (type == NULL || is_for(vt_as_list(all)->v[i], type))
			vt_list_push(r->sim->rt, l, vt_copy(vt_as_list(all)->v[i]));
	r->out->body = sim_object(r->sim->rt, "namespaces", vt_mkptr(l));
	return VT_OK;
}

vt_status
sim_image(sim_request *r)
{
	bool metadefs = sim_is(r, "GET", r->path.n, "v2") && r->path.n > 2 &&
			strcmp(r->path.part[1], "metadefs") == 0 &&
			strcmp(r->path.part[2], "namespaces") == 0;
	vt_value all;
	if (metadefs && r->path.n == 3)
		return namespaces(r);
	if (!metadefs || r->path.n != 5 || strcmp(r->path.part[4], "objects") != 0)
		return sim_nothing(r);
	all = vt_member(
		vt_member(vt_member(r->sim->scenario, "metadefs"), "objects"), r->path.part[3]);
	r->out->body = sim_object(r->sim->rt, "objects", list_or_empty(r->sim->rt, all));
	return VT_OK;
}

/* ---- Mistral ----------------------------------------------------------------------------- */

static vt_value
as_text(vt_rt *rt, vt_value v)
{
	vt_buf b = {0};
	vt_json_write(rt, &b, v, 0);
	return vt_str_take(rt, &b);
}

static vt_status
upload(sim_request *r)
{
	vt_dict *d;
	if (!vt_is(r->q->body, STR))
		return sim_refuse(r->sim, r->out, 400, "HTTPBadRequest", "a definition is a text");
	sim_before(r->sim);
	d = sim_table(r->sim, NULL, "workflows");
	(void)vt_dict_set(r->sim->rt, d, r->q->body, VT_TRUE);
	r->out->status = 201;
	r->out->body = sim_object(
		r->sim->rt, "workflows", vt_mkptr(vt_list_grow(r->sim->rt, VT_K_TUPLE, 0)));
	return sim_after(r->sim);
}

/* Runs for as long as the scenario says, and ends with its state and output. */
static vt_status
start(sim_request *r)
{
	vt_sim *s = r->sim;
	vt_value name = vt_member(r->q->body, "workflow_name"), plan, n, id;
	vt_dict *d;
	double seconds = 1;
	if (!vt_is(name, STR))
		return sim_refuse(s, r->out, 400, "HTTPBadRequest", "workflow_name is missing");
	plan = vt_member(vt_member(s->scenario, "workflows"), vt_as_str(name)->s);
	n = vt_member(plan, "seconds");
	if (vt_is_number(n))
		(void)vt_num_double(s->rt, n, &seconds);
	id = vt_member(r->q->body, "id");
	if (vt_is(id, STR) && (n = vt_dict_get(sim_table(s, NULL, "executions"), id)) != VT_UNDEF) {
		r->out->body = vt_mkptr(vt_dict_copy(s->rt, vt_as_dict(n), false));
		return VT_OK;
	}
	sim_before(s);
	d = vt_dict_new(s->rt, false);
	n = vt_str_printf(s->rt, "execution-%lld", (long long)sim_count(s, "executions"));
	if (vt_is(id, STR))
		vt_move(&n, vt_copy(id));
	vt_dict_set_c(s->rt, d, "id", n);
	vt_dict_set_c(s->rt, d, "workflow_name", vt_copy(name));
	vt_dict_set_c(s->rt, d, "state", vt_str_c(s->rt, "RUNNING"));
	vt_dict_set_c(s->rt, d, "ends", vt_float_new(s->rt, sim_now(s) + seconds));
	vt_dict_set_c(
		s->rt, d, "then", vt_str_c(s->rt, vt_text_or(vt_member(plan, "state"), "SUCCESS")));
	n = vt_member(plan, "output");
	vt_dict_set_c(s->rt, d, "output", n == VT_NULL ? vt_str_c(s->rt, "{}") : as_text(s->rt, n));
	vt_dict_set_c(s->rt, sim_table(s, NULL, "executions"), vt_as_str(vt_dict_get_c(d, "id"))->s,
		vt_mkptr(d));
	r->out->status = 201;
	r->out->body = vt_mkptr(vt_dict_copy(s->rt, d, false));
	return sim_after(s);
}

static vt_status
show(sim_request *r)
{
	vt_sim *s = r->sim;
	vt_value v = vt_dict_get_c(sim_table(s, NULL, "executions"), r->path.part[1]);
	double ends = 0;
	if (v == VT_UNDEF)
		return sim_refuse(s, r->out, 404, "NotFound",
			"Execution not found [execution_id=%s]", r->path.part[1]);
	(void)vt_num_double(s->rt, vt_member(v, "ends"), &ends);
	if (ends <= sim_now(s))
		vt_dict_set_c(s->rt, vt_as_dict(v), "state", vt_copy(vt_member(v, "then")));
	r->out->body = vt_mkptr(vt_dict_copy(s->rt, vt_as_dict(v), false));
	return VT_OK;
}

vt_status
sim_workflow(sim_request *r)
{
	if (sim_is(r, "POST", 1, "workflows"))
		return upload(r);
	if (sim_is(r, "POST", 1, "executions"))
		return start(r);
	if (sim_is(r, "GET", 2, "executions"))
		return show(r);
	return sim_nothing(r);
}

/* ---- Keystone ---------------------------------------------------------------------------- */

/* {"id": "user-1", "name": "demo", "domain_id": "default"}, with what the scenario says. */
static vt_value
person(sim_request *r, const char *kind)
{
	vt_rt *rt = r->sim->rt;
	vt_value more = vt_member(vt_member(r->sim->scenario, "identity"), kind), key, v;
	vt_dict *d = vt_dict_new(rt, false);
	vt_dict_set_c(rt, d, "id", vt_str_printf(rt, "%s-1", kind));
	vt_dict_set_c(rt, d, "name", vt_str_c(rt, "demo"));
	vt_dict_set_c(rt, d, "domain_id", vt_str_c(rt, "default"));
	vt_dict_set_c(rt, d, "enabled", VT_TRUE);
	for (uint32_t i = 0; vt_is(more, DICT) && vt_dict_at(vt_as_dict(more), &i, &key, &v);)
		(void)vt_dict_set(rt, d, key, v);
	return vt_mkptr(d);
}

static vt_status
show_person(sim_request *r, const char *kind)
{
	vt_value v = person(r, kind);
	if (strcmp(vt_text_or(vt_member(v, "id"), ""), r->path.part[2]) == 0) {
		r->out->body = sim_object(r->sim->rt, kind, v);
		return VT_OK;
	}
	vt_release(v);
	return sim_refuse(
		r->sim, r->out, 404, "NotFound", "Could not find %s: %s.", kind, r->path.part[2]);
}

vt_status
sim_identity(sim_request *r)
{
	vt_dict *token;
	if (!sim_is(r, "GET", 3, "v3"))
		return sim_nothing(r);
	if (strcmp(r->path.part[1], "users") == 0)
		return show_person(r, "user");
	if (strcmp(r->path.part[1], "projects") == 0)
		return show_person(r, "project");
	if (strcmp(r->path.part[1], "auth") != 0 || strcmp(r->path.part[2], "tokens") != 0)
		return sim_nothing(r);
	token = vt_dict_new(r->sim->rt, false);
	vt_dict_set_c(r->sim->rt, token, "user", person(r, "user"));
	vt_dict_set_c(r->sim->rt, token, "project", person(r, "project"));
	r->out->body = sim_object(r->sim->rt, "token", vt_mkptr(token));
	return VT_OK;
}
