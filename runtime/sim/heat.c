/*
 * heat.c - the simulated Heat (heat-protocol.md 2): stacks by region and name.
 *
 * A stack is a dict: id, name, template, parameters, files, environment, tags, created, updated,
 * action, status, reason, ends (when what is under way ends), then (how), resources.
 */
#include "runtime/sim/sim.h"
#include "runtime/core/number.h"

#include <stdlib.h>
#include <string.h>

static const double create_seconds = 5, update_seconds = 5, delete_seconds = 2, linger = 1;

vt_dict *
sim_stacks(vt_sim *s, const char *region)
{
	return sim_table(s, sim_table(s, NULL, "stacks"), region);
}

static const char *
text(const vt_dict *d, const char *name)
{
	vt_value v = vt_dict_get_c(d, name);
	return vt_text_or(v == VT_UNDEF ? VT_NULL : v, "");
}

static double
number(vt_sim *s, const vt_dict *d, const char *name)
{
	vt_value v = vt_dict_get_c(d, name);
	double x = 0;
	if (v != VT_UNDEF && vt_is_number(v))
		(void)vt_num_double(s->rt, v, &x);
	return x;
}

static void
set_text(vt_sim *s, vt_dict *d, const char *name, const char *value)
{
	vt_dict_set_c(s->rt, d, name, vt_str_c(s->rt, value));
}

static bool
is_deleted(const vt_dict *stack)
{
	return strcmp(text(stack, "action"), "DELETE") == 0 &&
	       strcmp(text(stack, "status"), "COMPLETE") == 0;
}

/* What was under way and is over now. */
static void
settle(vt_sim *s, vt_dict *stack)
{
	if (strcmp(text(stack, "status"), "IN_PROGRESS") != 0 ||
		number(s, stack, "ends") > sim_now(s))
		return;
	set_text(s, stack, "status", text(stack, "then"));
	set_text(s, stack, "reason", text(stack, "then_reason"));
	vt_dict_set_c(s->rt, stack, "_outputs", VT_NULL);
}

/* By name, and by id where the path has one.  A deleted one is found for a moment still. */
static vt_dict *
find(sim_request *r)
{
	vt_sim *s = r->sim;
	vt_dict *all = sim_stacks(s, r->region), *stack;
	vt_value v = vt_dict_get_c(all, r->path.part[1]), key;
	if (!vt_is(v, DICT))
		return NULL;
	stack = vt_as_dict(v);
	settle(s, stack);
	if (is_deleted(stack) && number(s, stack, "ends") + linger <= sim_now(s)) {
		key = vt_str_c(s->rt, r->path.part[1]);
		(void)vt_dict_del(s->rt, all, key);
		vt_release(key);
		return NULL;
	}
	if (r->path.n > 2 && strcmp(r->path.part[2], text(stack, "id")) != 0)
		return NULL;
	return stack;
}

static vt_status
not_found(sim_request *r)
{
	return sim_refuse(r->sim, r->out, 404, "EntityNotFound",
		"The Stack (%s) could not be found.", r->path.n > 1 ? r->path.part[1] : "");
}

/* ---- reading ----------------------------------------------------------------------------- */

static vt_value
outputs(vt_sim *s, const char *region, vt_dict *stack)
{
	vt_value v = vt_dict_get_c(stack, "_outputs");
	bool ready = strcmp(text(stack, "status"), "IN_PROGRESS") != 0;
	if (v == VT_UNDEF || !vt_is_sequence(v)) {
		v = sim_hot_outputs(s, region, stack, ready);
		vt_dict_set_c(s->rt, stack, "_outputs", v);
	}
	return vt_copy(v);
}

static vt_value
shown_parameters(vt_sim *s, vt_dict *stack)
{
	vt_dict *d = vt_dict_new(s->rt, true);
	vt_value given = vt_dict_get_c(stack, "parameters"), key, v;
	vt_dict_set_c(s->rt, d, "OS::stack_id", vt_copy(vt_dict_get_c(stack, "id")));
	vt_dict_set_c(s->rt, d, "OS::project_id", vt_str_c(s->rt, "project-1"));
	vt_dict_set_c(s->rt, d, "OS::stack_name", vt_copy(vt_dict_get_c(stack, "name")));
	for (uint32_t i = 0; vt_is(given, DICT) && vt_dict_at(vt_as_dict(given), &i, &key, &v);)
		(void)vt_dict_set(s->rt, d, key, v);
	return vt_mkptr(d);
}

static vt_value
document(vt_sim *s, const char *region, vt_dict *stack)
{
	vt_dict *d = vt_dict_new(s->rt, false);
	static const char *const same[][2] = {{"id", "id"}, {"stack_name", "name"},
		{"creation_time", "created"}, {"updated_time", "updated"},
		{"stack_status_reason", "reason"}, {"tags", "tags"}};
	vt_value v = vt_member(vt_dict_get_c(stack, "template"), "description");
	for (size_t i = 0; i < VT_LEN(same); i++)
		vt_dict_set_c(s->rt, d, same[i][0], vt_copy(vt_dict_get_c(stack, same[i][1])));
	vt_dict_set_c(s->rt, d, "stack_status",
		vt_str_printf(s->rt, "%s_%s", text(stack, "action"), text(stack, "status")));
	vt_dict_set_c(s->rt, d, "description", vt_copy(v));
	vt_dict_set_c(s->rt, d, "parameters", shown_parameters(s, stack));
	vt_dict_set_c(s->rt, d, "disable_rollback", VT_TRUE);
	vt_dict_set_c(s->rt, d, "outputs", outputs(s, region, stack));
	return vt_mkptr(d);
}

static vt_status
show_output(sim_request *r, vt_dict *stack)
{
	vt_value list = outputs(r->sim, r->region, stack), found = VT_NULL;
	for (uint32_t i = 0; i < vt_as_list(list)->n; i++)
		if (strcmp(vt_text_or(vt_member(vt_as_list(list)->v[i], "output_key"), ""),
			    r->path.part[4]) == 0)
			found = vt_as_list(list)->v[i];
	if (found == VT_NULL)
		(void)sim_refuse(r->sim, r->out, 404, "NotFound",
			"Specified output key %s not found.", r->path.part[4]);
	else
		r->out->body = sim_object(r->sim->rt, "output", vt_copy(found));
	vt_release(list);
	return VT_OK;
}

static vt_status
list_stacks(sim_request *r)
{
	vt_list *l = vt_list_grow(r->sim->rt, VT_K_TUPLE, 0);
	vt_value key, v;
	vt_dict *all = sim_stacks(r->sim, r->region);
	for (uint32_t i = 0; vt_dict_at(all, &i, &key, &v);) {
		settle(r->sim, vt_as_dict(v));
		if (!is_deleted(vt_as_dict(v)))
			vt_list_push(r->sim->rt, l, document(r->sim, r->region, vt_as_dict(v)));
	}
	r->out->body = sim_object(r->sim->rt, "stacks", vt_mkptr(l));
	return VT_OK;
}

static vt_status
read_stack(sim_request *r)
{
	vt_dict *stack;
	const char *part = r->path.n > 3 ? r->path.part[3] : "";
	if (r->path.n == 1)
		return list_stacks(r);
	stack = find(r);
	if (stack == NULL)
		return not_found(r);
	if (*part == '\0')
		r->out->body = sim_object(r->sim->rt, "stack", document(r->sim, r->region, stack));
	else if (strcmp(part, "template") == 0)
		r->out->body = vt_copy(vt_dict_get_c(stack, "template"));
	else if (strcmp(part, "outputs") == 0 && r->path.n == 5)
		return show_output(r, stack);
	else
		return sim_nothing(r);
	return VT_OK;
}

/* ---- writing ----------------------------------------------------------------------------- */

static vt_value
rule_for(sim_request *r, const char *name, const char *op)
{
	const char *const facts[][2] = {{"stack", name}, {"op", op}, {"region", r->region}};
	return sim_rule(r->sim, "heat", VT_LEN(facts), facts);
}

/* An HTTP status that is scripted: nothing happens then. */
static bool
refused(sim_request *r, vt_value rule)
{
	vt_value status = vt_member(rule, "http"), why = vt_member(rule, "message");
	if (!vt_is_int(status))
		return false;
	(void)sim_refuse(r->sim, r->out, (int)vt_toint(status), "Scripted", "%s",
		vt_text_or(why, "the scenario says so"));
	return true;
}

/* From now on `action` is under way; it ends as the rule or the template says. */
static void
begin(sim_request *r, vt_dict *stack, const char *action, double seconds, vt_value rule)
{
	vt_sim *s = r->sim;
	double own = 0, slow = 0, now = sim_now(s);
	char *why = sim_hot_fails(s, stack, action, &own);
	vt_value reason = vt_member(rule, "reason"), extra = vt_member(rule, "seconds");
	if (vt_is_number(extra))
		(void)vt_num_double(s->rt, extra, &slow);
	set_text(s, stack, "action", action);
	set_text(s, stack, "status", "IN_PROGRESS");
	vt_dict_set_c(s->rt, stack, "reason", vt_str_printf(s->rt, "Stack %s started", action));
	vt_dict_set_c(s->rt, stack, "ends", vt_float_new(s->rt, now + seconds + own + slow));
	if (vt_is(reason, STR)) {
		free(why);
		why = vt_asprintf("Resource %s failed: %s", action, vt_as_str(reason)->s);
	}
	set_text(s, stack, "then", why ? "FAILED" : "COMPLETE");
	vt_dict_set_c(s->rt, stack, "then_reason",
		why ? vt_str_c(s->rt, why)
		    : vt_str_printf(s->rt, "Stack %s completed successfully", action));
	vt_dict_set_c(s->rt, stack, "_outputs", VT_NULL);
	free(why);
}

/* What a body says of a stack. Refused templates leave the stack as it was. */
static bool
fill(sim_request *r, vt_dict *stack)
{
	static const char *const names[] = {"template", "parameters", "files", "environment"};
	vt_sim *s = r->sim;
	char *why;
	for (size_t i = 0; i < VT_LEN(names); i++)
		vt_dict_set_c(s->rt, stack, names[i], vt_copy(vt_member(r->q->body, names[i])));
	vt_dict_set_c(s->rt, stack, "tags", vt_copy(vt_member(r->q->body, "tags")));
	why = sim_hot_build(s, r->region, stack);
	if (why != NULL)
		(void)sim_refuse(s, r->out, 400, "StackValidationFailed", "%s", why);
	free(why);
	return why == NULL;
}

static vt_value
short_document(vt_sim *s, const vt_dict *stack)
{
	vt_dict *d = vt_dict_new(s->rt, false);
	vt_dict_set_c(s->rt, d, "id", vt_copy(vt_dict_get_c(stack, "id")));
	vt_dict_set_c(s->rt, d, "links", vt_mkptr(vt_list_grow(s->rt, VT_K_TUPLE, 0)));
	return sim_object(s->rt, "stack", vt_mkptr(d));
}

static vt_status
create(sim_request *r)
{
	vt_sim *s = r->sim;
	const char *name = vt_text_or(vt_member(r->q->body, "stack_name"), "");
	vt_value old = vt_dict_get_c(sim_stacks(s, r->region), name), rule;
	vt_dict *stack;
	if (*name == '\0')
		return sim_refuse(s, r->out, 400, "HTTPBadRequest", "stack_name is missing");
	if (vt_is(old, DICT))
		settle(s, vt_as_dict(old));
	if (vt_is(old, DICT) && !is_deleted(vt_as_dict(old)))
		return sim_refuse(
			s, r->out, 409, "StackExists", "The Stack (%s) already exists.", name);
	rule = rule_for(r, name, "create");
	if (refused(r, rule))
		return VT_OK;
	stack = vt_dict_new_hashed(s->rt, false);
	vt_dict_set_c(s->rt, stack, "id",
		vt_str_printf(s->rt, "00000000-0000-4000-8000-%012llx",
			(unsigned long long)sim_count(s, "stacks")));
	vt_dict_set_c(s->rt, stack, "name", vt_str_c(s->rt, name));
	vt_dict_set_c(s->rt, stack, "created", sim_time_text(s, sim_now(s)));
	vt_dict_set_c(s->rt, stack, "updated", VT_NULL);
	if (fill(r, stack)) {
		begin(r, stack, "CREATE", sim_latency(s, "create", create_seconds), rule);
		vt_dict_set_c(s->rt, sim_stacks(s, r->region), name, vt_copy(vt_mkptr(stack)));
		r->out->status = 201;
		vt_move(&r->out->body, short_document(s, stack));
	}
	vt_release(vt_mkptr(stack));
	return VT_OK;
}

/* On a copy: what is refused changes nothing. */
static vt_status
update(sim_request *r)
{
	vt_sim *s = r->sim;
	vt_dict *stack = find(r), *next;
	vt_value rule;
	if (stack == NULL || is_deleted(stack))
		return not_found(r);
	rule = rule_for(r, r->path.part[1], "update");
	if (refused(r, rule))
		return VT_OK;
	next = vt_dict_copy(s->rt, stack, false);
	if (fill(r, next)) {
		vt_dict_set_c(s->rt, next, "updated", sim_time_text(s, sim_now(s)));
		begin(r, next, "UPDATE", sim_latency(s, "update", update_seconds), rule);
		vt_dict_set_c(
			s->rt, sim_stacks(s, r->region), r->path.part[1], vt_copy(vt_mkptr(next)));
		r->out->status = 202;
	}
	vt_release(vt_mkptr(next));
	return VT_OK;
}

static vt_status delete (sim_request *r)
{
	vt_sim *s = r->sim;
	vt_dict *stack = find(r);
	vt_value rule;
	if (stack == NULL || is_deleted(stack))
		return not_found(r);
	rule = rule_for(r, r->path.part[1], "delete");
	if (refused(r, rule))
		return VT_OK;
	begin(r, stack, "DELETE", sim_latency(s, "delete", delete_seconds), rule);
	vt_dict_set_c(s->rt, stack, "resources", vt_mkptr(vt_dict_new_hashed(s->rt, false)));
	r->out->status = 204;
	return VT_OK;
}

vt_status
sim_heat(sim_request *r)
{
	vt_status st;
	vt_status (*fn)(sim_request *) = sim_is(r, "POST", 1, "stacks")             ? create
					 : r->path.n < 2 || r->path.n > 3           ? NULL
					 : sim_is(r, "PUT", r->path.n, "stacks")    ? update
					 : sim_is(r, "DELETE", r->path.n, "stacks") ? delete
										    : NULL;
	if (fn == NULL)
		return sim_is(r, "GET", r->path.n, "stacks") ? read_stack(r) : sim_nothing(r);
	sim_before(r->sim);
	st = fn(r);
	return st == VT_OK ? sim_after(r->sim) : st;
}
