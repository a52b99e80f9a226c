/*
 * heat.c - io.murano.system.HeatStack (muranopl-engine.md, appendix A; heat-protocol.md 3 and
 * 4).
 *
 * The template is a final value.  Who has got it from current() or in a request shares it, and a
 * merge copies only what is shared, so that an environment of a thousand applications is built in
 * linear time.
 */
#include "runtime/cloud/heat.h"
#include "runtime/core/printable.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/object/object.h"
#include "runtime/task/task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 4, SETTLE_POLLS = 5, CONFLICTS = 1200 }; /* for an hour */
static const double poll_every = 2, conflict_wait = 3, async_delay = 1;

static vt_value
no_members(vt_rt *rt)
{
	vt_value v = VT_UNDEF;
	(void)vt_dict_of(rt, 0, NULL, &v);
	return v;
}

/* ---- the object -------------------------------------------------------------------------- */

static void
drop_push(push_task *p)
{
	if (p == NULL || --p->refs > 0)
		return;
	vt_release(p->failed);
	free(p);
}

static void
drop_heat(void *data)
{
	heat *h = data;
	vt_value *v[] = {&h->name, &h->region, &h->description, &h->template, &h->parameters,
		&h->files, &h->environment, &h->created, &h->updated, &h->outputs_from,
		&h->outputs};
	for (size_t i = 0; i < VT_LEN(v); i++)
		vt_clear(v[i]);
	drop_push(h->push);
	free(h->seen);
	free(h);
}

vt_status vt_heat_new(vt_args *, vt_value *out);
vt_status
vt_heat_new(vt_args *a, vt_value *out)
{
	vt_value name = vt_new_arg(a, "name");
	vt_object *o = vt_obj_of(a->self);
	heat *h;
	if (!vt_is(name, STR) || vt_as_str(name)->bytes == 0)
		return vt_no_arg(a, "name");
	h = vt_xmalloc(sizeof *h);
	*h = (heat){.name = vt_copy(name),
		.region = vt_copy(vt_new_arg(a, "regionName")),
		.description = vt_copy(vt_new_arg(a, "description")),
		.template = VT_UNDEF,
		.parameters = no_members(a->rt),
		.files = no_members(a->rt),
		.environment = no_members(a->rt),
		.created = VT_NULL,
		.updated = VT_NULL,
		.outputs_from = VT_UNDEF,
		.outputs = VT_UNDEF,
		.applied = true};
	vt_object_set_native(o, h, drop_heat);
	*out = VT_NULL;
	return VT_OK;
}

static heat *
heat_of(vt_args *a)
{
	return vt_native_of(a->rt, a->self, drop_heat,
		"the stack has not been made yet: its constructor did not run");
}

/* ---- requests ---------------------------------------------------------------------------- */

/* With the id: that saves a redirection. */
char *
vt_heat_path(const heat *h, vt_value stack, const char *rest)
{
	vt_buf b = {0};
	vt_value id = vt_member(stack, "id");
	vt_buf_puts(&b, "/stacks/");
	vt_path_escape(&b, vt_as_str(h->name)->s);
	if (vt_is(id, STR)) {
		vt_buf_putc(&b, '/');
		vt_path_escape(&b, vt_as_str(id)->s);
	}
	vt_buf_puts(&b, rest);
	vt_buf_putc(&b, '\0');
	return b.p;
}

static vt_status
ask_once(vt_rt *rt, vt_cloud *c, const vt_service_request *q, vt_service_answer *out)
{
	*out = (vt_service_answer){.body = VT_UNDEF};
	c->again = VT_AGAIN_READING;
	VT_TRY(c->request(rt, c->services, q, out));
	if (out->status == 404 || out->status == 409 || vt_service_check(rt, q, out))
		return VT_OK;
	vt_service_drop(out);
	return VT_ERROR;
}

/* Four times in all, with 2, 4 and 8 seconds in between, as far as the failure and the method
 * allow. */
static bool
may_ask_again(vt_rt *rt, const vt_cloud *c, const vt_service_request *q, int tries)
{
	const vt_exc *e = vt_pending(rt);
	return tries < TRIES && e != NULL && e->type == VT_E_CLOUD &&
	       c->again >= (strcmp(q->method, "GET") == 0 ? VT_AGAIN_READING : VT_AGAIN_ANY);
}

/*
 * Status 404 and 409 are the caller's, others of 300 and above an exception.  A creation that was
 * taken although its answer was lost is a conflict the second time, after which the stack is found.
 */
vt_status
vt_heat_ask(
	vt_rt *rt, heat *h, const char *method, char *path, vt_value body, vt_service_answer *out)
{
	vt_service_request q = {.service = "orchestration",
		.region = vt_text_or(h->region, NULL),
		.method = method,
		.path = path,
		.body = body,
		/* Heat makes a trust of its own for a new stack */
		.as_user = strcmp(method, "POST") == 0 && strcmp(path, "/stacks") == 0};
	vt_cloud *c;
	vt_status st = vt_services(rt, &c);
	for (int tries = 1; st == VT_OK; tries++) {
		st = ask_once(rt, c, &q, out);
		if (st == VT_OK || !may_ask_again(rt, c, &q, tries))
			break;
		vt_progress(rt, "  again in %d s: %s", 1 << tries,
			vt_as_str(vt_pending(rt)->message)->s);
		vt_exc_clear(rt);
		st = vt_sleep(rt, ldexp(1, tries));
	}
	free(path);
	return st;
}

/* A stack that is gone answers by its name for a while: that is no stack (heat-protocol.md 4.1). */
bool
vt_heat_is_gone(const look *l)
{
	return l->stack == VT_UNDEF || strcmp(l->status, "DELETE_COMPLETE") == 0;
}

static void
drop_look(look *l)
{
	vt_clear(&l->stack);
}

vt_status
vt_heat_look(vt_rt *rt, heat *h, look *l)
{
	vt_service_answer a;
	*l = (look){.stack = VT_UNDEF, .status = "NOT_FOUND"};
	VT_TRY(vt_heat_ask(rt, h, "GET", vt_heat_path(h, VT_NULL, ""), VT_UNDEF, &a));
	if (a.status < 300 && vt_is(vt_member(vt_member(a.body, "stack"), "stack_status"), STR)) {
		l->stack = vt_copy(vt_member(a.body, "stack"));
		l->status = vt_text_or(vt_member(l->stack, "stack_status"), "");
	} else if (a.status != 404) {
		(void)vt_raise(rt, VT_E_CLOUD, "the stack %s cannot be read: %s answered %d%s",
			vt_as_str(h->name)->s, a.from ? a.from : "Heat", a.status,
			a.status < 300 ? " without a stack's status" : "");
		vt_service_drop(&a);
		return VT_ERROR;
	}
	vt_service_drop(&a);
	return VT_OK;
}

/* Remembers when it was made and changed; false when that is what it was the last time. */
static bool
note_times(vt_rt *rt, heat *h, const look *l)
{
	vt_value made = l->stack == VT_UNDEF ? VT_NULL : vt_member(l->stack, "creation_time");
	vt_value changed = l->stack == VT_UNDEF ? VT_NULL : vt_member(l->stack, "updated_time");
	bool moved = (h->created == VT_NULL && h->updated == VT_NULL) ||
		     !vt_equal(rt, made, h->created) || !vt_equal(rt, changed, h->updated);
	vt_move(&h->created, vt_copy(made));
	vt_move(&h->updated, vt_copy(changed));
	return moved;
}

/*
 * Until it is in no progress.  With `progress` an operation was just asked for: a stack that looks
 * as before may not have begun with it.  Times are in whole seconds, so two changes in one look
 * like none: it does not wait for ever.
 */
static vt_status
wait_settled(vt_rt *rt, heat *h, bool progress, look *l)
{
	for (int polls = 0;;) {
		VT_TRY(vt_heat_look(rt, h, l));
		if (l->stack != VT_UNDEF && vt_heat_follow(rt, h, l) != VT_OK) {
			drop_look(l);
			return VT_ERROR;
		}
		if (strstr(l->status, "IN_PROGRESS") == NULL &&
			(note_times(rt, h, l) || !progress || ++polls > SETTLE_POLLS))
			return VT_OK;
		drop_look(l);
		VT_TRY(vt_sleep(rt, poll_every));
	}
}

static vt_status
unexpected(vt_rt *rt, heat *h, const look *l)
{
	vt_value reason =
		l->stack == VT_UNDEF ? VT_NULL : vt_member(l->stack, "stack_status_reason");
	vt_buf more = {0};
	vt_status st = VT_OK;
	vt_progress(rt, "  %s: %s", l->status, vt_text_or(reason, ""));
	if (l->stack != VT_UNDEF)
		st = vt_heat_failed(rt, h, l, &more);
	vt_buf_putc(&more, '\0');
	if (st == VT_OK)
		st = vt_raise(rt, VT_E_OS, "Unexpected stack state %s%s%s%.*s", l->status,
			l->stack == VT_UNDEF ? "" : ": ",
			l->stack == VT_UNDEF ? "" : vt_text_or(reason, "None"), VT_WHOLE(more.p));
	vt_buf_free(&more);
	return st;
}

/* Waits for the end of an operation that must end so; NULL: any end will do. */
static vt_status
wait_for(vt_rt *rt, heat *h, const char *status, bool progress)
{
	look l;
	vt_status st;
	VT_TRY(wait_settled(rt, h, progress, &l));
	st = status == NULL || strcmp(status, l.status) == 0 ? VT_OK : unexpected(rt, h, &l);
	drop_look(&l);
	return st;
}

/* ---- what is there ----------------------------------------------------------------------- */

static const char deletion[] = "delete"; /* in the journal */

static void
set_parameters_of(vt_rt *rt, heat *h, vt_value stack)
{
	vt_value all = vt_member(stack, "parameters"), key, v;
	vt_dict *d = vt_dict_copy(rt, vt_as_dict(h->parameters), true);
	for (uint32_t i = 0; vt_is(all, DICT) && vt_dict_at(vt_as_dict(all), &i, &key, &v);)
		if (!vt_is(key, STR) || strncmp(vt_as_str(key)->s, "OS::", 4) != 0)
			(void)vt_dict_set(rt, d, key, v);
	vt_move(&h->parameters, vt_mkptr(d));
}

static void
forget(vt_rt *rt, heat *h, vt_value template)
{
	vt_move(&h->template, template);
	vt_move(&h->parameters, no_members(rt));
}

/* What the core library reads of its stacks it can read again, when a killed run goes on. */
static vt_value
shown(vt_rt *rt, vt_value v)
{
	const vt_method_decl *m = rt->act != NULL ? rt->act->hold.method : NULL;
	const vt_package_decl *p = m != NULL && m->cls->unit != NULL ? m->cls->unit->pkg : NULL;
	return p != NULL && strcmp(p->name->s, "io.murano") == 0 ? v : vt_drawn(rt, v);
}

static vt_status
fetch_now(vt_rt *rt, heat *h)
{
	vt_service_answer a;
	vt_status st;
	look l;
	VT_TRY(vt_heat_look(rt, h, &l));
	if (vt_heat_is_gone(&l)) {
		drop_look(&l);
		forget(rt, h, no_members(rt));
		return VT_OK;
	}
	st = vt_heat_ask(rt, h, "GET", vt_heat_path(h, l.stack, "/template"), VT_UNDEF, &a);
	if (st == VT_OK && a.status >= 300) {
		forget(rt, h, no_members(rt)); /* it went away in between */
	} else if (st == VT_OK) {
		vt_value template = VT_UNDEF;
		if (vt_is(a.body, DICT))
			st = vt_final(rt, &vt_core_unit, a.body, &template);
		if (st == VT_OK) {
			vt_move(&h->template, template == VT_UNDEF ? no_members(rt) : template);
			set_parameters_of(rt, h, l.stack);
		}
	}
	vt_service_drop(&a);
	drop_look(&l);
	return st;
}

/*
 * h->template is known after it.  A run that goes on sees what is there now, which has all that was
 * done before.  Only a stack that the run before has deleted later is what it was then.
 */
static vt_status
fetch(vt_rt *rt, heat *h)
{
	vt_value old, pair[2];
	if (h->template != VT_UNDEF)
		return VT_OK;
	h->applied = true;
	old = vt_drawn(rt, VT_UNDEF);
	if (vt_is_sequence(old) && vt_as_list(old)->n == 2 &&
		vt_journal_ahead(rt, deletion, vt_as_str(h->name)->s)) {
		vt_move(&h->template, vt_copy(vt_as_list(old)->v[0]));
		vt_move(&h->parameters, vt_copy(vt_as_list(old)->v[1]));
		vt_release(old);
		return VT_OK;
	}
	VT_TRY(fetch_now(rt, h));
	pair[0] = h->template;
	pair[1] = h->parameters;
	if (old == VT_UNDEF && rt->s->journal != NULL) {
		VT_TRY(vt_tuple_of(rt, 2, pair, &old));
		old = vt_drawn(rt, old);
	}
	vt_release(old);
	return VT_OK;
}

/* One of the heat's values, once it has been read. */
static vt_status
show(vt_args *a, size_t slot, vt_value *out)
{
	heat *h = heat_of(a);
	if (h == NULL || fetch(a->rt, h) != VT_OK)
		return VT_ERROR;
	*out = shown(a->rt, vt_copy(*(vt_value *)(void *)((char *)h + slot)));
	return VT_OK;
}

vt_status vt_heat_current(vt_args *, vt_value *out);
vt_status
vt_heat_current(vt_args *a, vt_value *out)
{
	return show(a, offsetof(heat, template), out);
}

vt_status vt_heat_parameters(vt_args *, vt_value *out);
vt_status
vt_heat_parameters(vt_args *a, vt_value *out)
{
	return show(a, offsetof(heat, parameters), out);
}

vt_status vt_heat_reload(vt_args *, vt_value *out);
vt_status
vt_heat_reload(vt_args *a, vt_value *out)
{
	heat *h = heat_of(a);
	if (h == NULL)
		return VT_ERROR;
	forget(a->rt, h, VT_UNDEF);
	return vt_heat_current(a, out);
}

/* ---- what shall be there ----------------------------------------------------------------- */

static void
changed(heat *h)
{
	h->applied = false;
	h->changes++;
}

static vt_status
set_part(vt_args *a, vt_value *slot, bool text_too)
{
	vt_value v = VT_UNDEF;
	if (!vt_is(a->v[0], DICT) && !(text_too && vt_is(a->v[0], STR)))
		return vt_no_attribute(a->rt, a->v[0], "get");
	VT_TRY(vt_final(a->rt, &vt_core_unit, a->v[0], &v));
	vt_move(slot, v);
	return VT_OK;
}

#define SETTER(name, slot, text_too, also) \
	vt_status name(vt_args *, vt_value *out); \
	vt_status name(vt_args *a, vt_value *out) \
	{ \
		heat *h = heat_of(a); \
		if (h == NULL) \
			return VT_ERROR; \
		VT_TRY(set_part(a, &h->slot, text_too)); \
		also; \
		changed(h); \
		*out = VT_NULL; \
		return VT_OK; \
	}
SETTER(vt_heat_set_template, template, false, vt_move(&h->parameters, no_members(a->rt)))
SETTER(vt_heat_set_parameters, parameters, false, (void)0)
SETTER(vt_heat_set_files, files, false, (void)0)
/* Heat reads the text of an environment by itself. */
SETTER(vt_heat_set_environment, environment, true, (void)0)

vt_status vt_heat_update_template(vt_args *, vt_value *out);
vt_status
vt_heat_update_template(vt_args *a, vt_value *out)
{
	static const char supported[] = "2013-05-23";
	heat *h = heat_of(a);
	vt_value version, given = VT_UNDEF;
	bool changes;
	vt_status st;
	if (h == NULL)
		return VT_ERROR;
	if (!vt_is(a->v[0], DICT))
		return vt_no_attribute(a->rt, a->v[0], "get");
	version = vt_dict_get_c(vt_as_dict(a->v[0]), "heat_template_version");
	if (version != VT_UNDEF && strcmp(vt_text_or(version, ""), supported) != 0)
		return vt_raise(a->rt, VT_E_HEAT_STACK,
			"Currently only heat_template_version %s is supported.", supported);
	VT_TRY(fetch(a->rt, h));
	VT_TRY(vt_final(a->rt, &vt_core_unit, a->v[0], &given));
	st = vt_merge_in(a->rt, &h->template, given, &changes);
	vt_release(given);
	if (st != VT_OK)
		return st;
	if (changes)
		changed(h);
	*out = VT_NULL;
	return VT_OK;
}

/* ---- outputs ----------------------------------------------------------------------------- */

/* {key: value}; the same answer gives the same value. */
static vt_status
outputs_of(vt_rt *rt, heat *h, vt_value stack, vt_value *out)
{
	vt_value list = vt_member(stack, "outputs"), key;
	vt_dict *d;
	if (list != h->outputs_from || list == VT_NULL) {
		vt_move(out, no_members(rt));
		d = vt_as_dict(*out);
		for (uint32_t i = 0; vt_is_sequence(list) && i < vt_as_list(list)->n; i++)
			if (vt_is(key = vt_member(vt_as_list(list)->v[i], "output_key"), STR))
				(void)vt_dict_set(rt, d, key,
					vt_member(vt_as_list(list)->v[i], "output_value"));
		vt_move(&h->outputs_from, vt_copy(list));
		vt_move(&h->outputs, vt_copy(*out));
		return VT_OK;
	}
	vt_move(out, vt_copy(h->outputs));
	return VT_OK;
}

static vt_status join_push(vt_rt *, heat *);

vt_status vt_heat_output(vt_args *, vt_value *out);
vt_status
vt_heat_output(vt_args *a, vt_value *out)
{
	heat *h = heat_of(a);
	vt_status st;
	look l;
	if (h == NULL)
		return VT_ERROR;
	VT_TRY(join_push(a->rt, h));
	VT_TRY(wait_settled(a->rt, h, false, &l));
	*out = VT_UNDEF;
	st = outputs_of(a->rt, h, l.stack == VT_UNDEF ? VT_NULL : l.stack, out);
	if (st == VT_OK)
		*out = shown(a->rt, *out);
	drop_look(&l);
	return st;
}

vt_value
vt_heat_kept(vt_rt *rt)
{
	vt_list *l = vt_list_grow(rt, VT_K_TUPLE, 1);
	for (vt_object *o = vt_object_at(rt, NULL); o; o = vt_object_at(rt, o)) {
		const heat *h = o->more->native_free == drop_heat ? o->more->native : NULL;
		vt_value r =
			h && h->template != VT_UNDEF ? vt_heat_resources(h->template) : VT_NULL;
		vt_dict *d;
		if (!vt_is(r, DICT) || vt_dict_len(vt_as_dict(r)) == 0)
			continue;
		d = vt_dict_new(rt, true);
		vt_dict_set_c(rt, d, "name", vt_copy(h->name));
		vt_dict_set_c(rt, d, "region", vt_copy(h->region));
		vt_dict_set_c(rt, d, "resources", vt_copy(r));
		vt_list_push(rt, l, vt_mkptr(d));
	}
	return vt_mkptr(l);
}

/* ---- push -------------------------------------------------------------------------------- */

/* Its resources, in either spelling; VT_NULL: none. */
vt_value
vt_heat_resources(vt_value template)
{
	vt_value v = vt_member(template, "Resources");
	return vt_is_true(v) ? v : vt_member(template, "resources");
}

static void
report(vt_rt *rt, heat *h, const char *op, vt_value template)
{
	vt_value r = template == VT_UNDEF ? VT_NULL : vt_heat_resources(template);
	const char *region = vt_text_or(h->region, "");
	vt_dict *d;
	if (vt_is(r, DICT))
		vt_progress(rt, "stack %s%s%s: %s, %u resources", vt_as_str(h->name)->s,
			*region ? " in " : "", region, op, vt_dict_len(vt_as_dict(r)));
	else
		vt_progress(rt, "stack %s%s%s: %s", vt_as_str(h->name)->s, *region ? " in " : "",
			region, op);
	if (!rt->s->dry_run)
		return;
	d = vt_dict_new(rt, false);
	vt_dict_set_c(rt, d, "op", vt_str_c(rt, op));
	vt_dict_set_c(rt, d, "stack", vt_copy(h->name));
	vt_dict_set_c(rt, d, "region", vt_str_c(rt, region));
	if (template != VT_UNDEF) {
		vt_heat_put_common(rt, h, d, template);
		vt_dict_set_c(rt, d, "tags", vt_heat_tags(rt));
	}
	vt_effect(rt, VT_EFFECT_HEAT, vt_mkptr(d));
}

/* How one operation ended: it is not over when something else is under way there. */
enum outcome { DONE, CONFLICT, GONE };

static const char *const outcomes[] = {[DONE] = "done", [CONFLICT] = "conflict", [GONE] = "gone"};

/* What is asked for, whether the stack is there or not: a run that goes on may find it made. */
static vt_status
begin(vt_rt *rt, heat *h, vt_value template, vt_done *done)
{
	vt_value wanted = vt_heat_body(rt, h, template, false);
	vt_status st = vt_journal_begin(rt, "heat", vt_as_str(h->name)->s, wanted, done);
	vt_release(wanted);
	return st;
}

static bool
ended_before(const vt_done *done, enum outcome *how)
{
	for (size_t i = 0; done->result != VT_UNDEF && i < VT_LEN(outcomes); i++)
		if (strcmp(outcomes[i], vt_text_or(done->result, "")) == 0)
			*how = (enum outcome)i;
	return done->result != VT_UNDEF;
}

/* The request, then the end of what it began. */
static vt_status
request(vt_rt *rt, heat *h, vt_value stack, vt_value template, enum outcome *how)
{
	bool create = stack == VT_UNDEF;
	vt_value body = vt_heat_body(rt, h, template, create);
	vt_service_answer a;
	vt_status st = vt_heat_ask(rt, h, create ? "POST" : "PUT",
		create ? vt_xstrdup("/stacks") : vt_heat_path(h, stack, ""), body, &a);
	vt_release(body);
	if (st != VT_OK)
		return st;
	*how = a.status == 409 ? CONFLICT : a.status == 404 ? GONE : DONE;
	vt_service_drop(&a);
	if (*how == GONE && create)
		return vt_raise(rt, VT_E_CLOUD, "Heat answers 404 to the creation of the stack %s",
			vt_as_str(h->name)->s);
	if (*how != DONE)
		return VT_OK;
	report(rt, h, create ? "create" : "update", template);
	return wait_for(rt, h, create ? "CREATE_COMPLETE" : "UPDATE_COMPLETE", !create);
}

/* Creates or updates. */
static vt_status
operate(vt_rt *rt, heat *h, vt_value stack, vt_value template, enum outcome *how)
{
	vt_done done;
	vt_value result;
	bool there = false;
	vt_status st = begin(rt, h, template, &done);
	if (st == VT_OK && ended_before(&done, how)) {
		vt_journal_drop(&done);
		return VT_OK;
	}
	if (st == VT_OK)
		st = vt_heat_follow_from(rt, h, stack);
	if (st == VT_OK)
		st = vt_journal_note(rt, &done, VT_NULL, VT_NULL);
	if (st == VT_OK && done.again && stack != VT_UNDEF)
		st = vt_heat_find_there(rt, h, stack, template, &there);
	if (st == VT_OK && !there)
		st = request(rt, h, stack, template, how);
	if (st == VT_OK || vt_pending(rt)->type != VT_E_CANCELLED) {
		result = vt_str_c(rt, outcomes[*how]);
		vt_journal_end(rt, &done, result);
		vt_release(result);
	}
	vt_journal_drop(&done);
	return st;
}

/* Before it is tried again: *n times so far. */
static vt_status
wait_again(vt_rt *rt, heat *h, enum outcome how, int *n)
{
	if (++*n > CONFLICTS)
		return vt_raise(rt, VT_E_CLOUD,
			"Heat answers %s to each request for the stack %s, and has for %d tries; "
			"what is it busy with, or whose is that name?",
			how == CONFLICT ? "409 (conflict)" : "404 (not found)",
			vt_as_str(h->name)->s, CONFLICTS);
	return vt_sleep(rt, how == CONFLICT ? conflict_wait : 0);
}

static vt_status delete_stack(vt_rt *, heat *);

static vt_status
push_once(vt_rt *rt, heat *h, vt_value template, enum outcome *how)
{
	vt_value r = vt_heat_resources(template);
	vt_status st = VT_OK;
	look l;
	*how = DONE;
	VT_TRY(wait_settled(rt, h, false, &l));
	if (r == VT_NULL && !vt_heat_is_gone(&l))
		st = delete_stack(rt, h);
	else if (r != VT_NULL)
		st = operate(rt, h, vt_heat_is_gone(&l) ? VT_UNDEF : l.stack, template, how);
	drop_look(&l);
	return st;
}

static vt_status
push_now(vt_rt *rt, heat *h)
{
	vt_value template = vt_copy(h->template);
	uint64_t upto = h->changes;
	enum outcome how = DONE;
	int n = 0;
	vt_status st;
	while ((st = push_once(rt, h, template, &how)) == VT_OK && how != DONE)
		if ((st = wait_again(rt, h, how, &n)) != VT_OK)
			break;
	if (st == VT_OK) {
		h->there = upto;
		h->applied = h->template == template ||
			     (h->template != VT_UNDEF && vt_equal(rt, h->template, template));
	}
	vt_release(template);
	return st;
}

static void
add_member(vt_rt *rt, heat *h, const char *key, vt_value owned)
{
	vt_dict *d;
	if (vt_dict_get_c(vt_as_dict(h->template), key) == VT_UNDEF) {
		d = vt_dict_copy(rt, vt_as_dict(h->template), true);
		vt_dict_set_c(rt, d, key, vt_copy(owned));
		vt_move(&h->template, vt_mkptr(d));
	}
	vt_release(owned);
}

/* ---- push in a task of its own ----------------------------------------------------------- */

struct push_data {
	vt_value object;
	push_task *p;
};

static void
push_ended(void *data)
{
	struct push_data *d = data;
	drop_push(d->p);
	vt_release(d->object);
	free(d);
}

static void
wake_waiters(vt_rt *rt, push_task *p)
{
	p->ended = true;
	for (struct waiter *w = p->waiters; w != NULL; w = w->next)
		vt_event_set(rt, &w->event);
}

static vt_status
push_later(vt_rt *rt, void *data, uint32_t index, vt_value *out)
{
	struct push_data *d = data;
	vt_status st = vt_sleep(rt, async_delay);
	(void)index;
	(void)out;
	if (st == VT_OK && !d->p->dropped) {
		d->p->begun = true;
		st = push_now(rt, vt_obj_of(d->object)->more->native);
	}
	if (st != VT_OK && vt_pending(rt)->type != VT_E_CANCELLED) {
		d->p->failed = vt_exc_take(rt); /* who waits for it hears of it */
		st = VT_OK;
	}
	wake_waiters(rt, d->p);
	return st;
}

/* Waits until the push has ended; its exception is the caller's then. */
static vt_status
join_push(vt_rt *rt, heat *h)
{
	push_task *p = h->push;
	struct waiter w = {.next = NULL}, **at;
	vt_status st = VT_OK;
	if (p == NULL)
		return VT_OK;
	p->refs++;
	if (!p->ended) {
		w.next = p->waiters;
		p->waiters = &w;
		st = vt_event_wait(rt, &w.event, -1);
		for (at = &p->waiters; *at != &w; at = &(*at)->next)
			;
		*at = w.next;
	}
	if (h->push == p) {
		h->push = NULL;
		drop_push(p);
	}
	if (st == VT_OK && p->failed != VT_UNDEF) {
		vt_exc_set(rt, p->failed);
		p->failed = VT_UNDEF;
		st = VT_ERROR;
	}
	drop_push(p);
	return st;
}

/* One that has not begun never will; one that has is waited for: what Heat was told cannot be taken
 * back. */
static vt_status
stop_push(vt_rt *rt, heat *h)
{
	push_task *p = h->push;
	if (p == NULL)
		return VT_OK;
	if (p->begun && join_push(rt, h) != VT_OK) {
		if (vt_pending(rt)->type == VT_E_CANCELLED)
			return VT_ERROR;
		vt_exc_clear(rt);
	}
	if (h->push == p) {
		p->dropped = true;
		wake_waiters(rt, p);
		h->push = NULL;
		drop_push(p);
	}
	return VT_OK;
}

static vt_status
finish_push(vt_rt *rt, vt_value object)
{
	heat *h = vt_obj_of(object)->more->native;
	h->hooked = false;
	return join_push(rt, h);
}

static vt_status
push_async(vt_rt *rt, vt_value object, heat *h)
{
	struct push_data *d = vt_xmalloc(sizeof *d);
	push_task *p = vt_xmalloc(sizeof *p);
	if (!h->hooked)
		vt_on_finish(rt, finish_push, object);
	h->hooked = true;
	*p = (push_task){.failed = VT_UNDEF, .refs = 2};
	*d = (struct push_data){vt_copy(object), p};
	h->push = p;
	return vt_spawn(rt, push_later, d, push_ended);
}

/* ---- whose push it is -------------------------------------------------------------------- */

static void
pass_turn(vt_rt *rt, turn *t)
{
	struct waiter *w = t->first;
	if (w == NULL) {
		t->taken = false;
		return;
	}
	t->first = w->next;
	vt_event_set(rt, &w->event);
}

static vt_status
take_turn(vt_rt *rt, turn *t)
{
	struct waiter w = {.next = NULL}, **at;
	vt_status st;
	if (!t->taken) {
		t->taken = true;
		return VT_OK;
	}
	*(t->first ? &t->last->next : &t->first) = &w;
	t->last = &w;
	st = vt_event_wait(rt, &w.event, -1);
	if (st == VT_OK)
		return VT_OK;
	if (w.event.set) {
		pass_turn(rt, t);
		return st;
	}
	t->last = NULL;
	for (at = &t->first; *at != &w; at = &(*at)->next)
		t->last = *at;
	*at = w.next;
	while (t->last != NULL && t->last->next != NULL)
		t->last = t->last->next;
	return st;
}

/* The run that was killed had asked for it and not seen its end. */
static vt_status
await_left(vt_rt *rt, heat *h)
{
	vt_status st;
	look l;
	VT_TRY(wait_settled(rt, h, false, &l));
	st = strstr(l.status, "FAILED") != NULL ? unexpected(rt, h, &l) : VT_OK;
	drop_look(&l);
	return st;
}

static vt_status
push(vt_rt *rt, vt_value self, heat *h, bool later)
{
	if (h->applied && h->template != VT_UNDEF &&
		vt_journal_left(rt, "heat", vt_as_str(h->name)->s))
		return await_left(rt, h);
	if (h->applied || h->template == VT_UNDEF)
		return VT_OK;
	add_member(rt, h, "heat_template_version", vt_str_c(rt, "2013-05-23"));
	if (vt_is_true(h->description))
		add_member(rt, h, "description", vt_copy(h->description));
	VT_TRY(stop_push(rt, h));
	return later ? push_async(rt, self, h) : push_now(rt, h);
}

/*
 * Who waited for another's push which took along what was asked for until then is done: what came
 * meanwhile is pushed by those who want it.  Of thousands that end one by one each would else push
 * for the next.
 */
vt_status vt_heat_push(vt_args *, vt_value *out);
vt_status
vt_heat_push(vt_args *a, vt_value *out)
{
	heat *h = heat_of(a);
	vt_value self;
	uint64_t mine;
	vt_status st = VT_OK;
	if (h == NULL)
		return VT_ERROR;
	*out = VT_NULL;
	mine = h->changes;
	self = vt_copy(vt_mkptr(vt_obj_of(a->self)));
	if (take_turn(a->rt, &h->turn) == VT_OK) {
		if (mine == h->changes || mine > h->there)
			st = push(a->rt, self, h, vt_is_true(a->v[0]) || vt_is_true(a->v[1]));
		pass_turn(a->rt, &h->turn);
	} else {
		st = VT_ERROR;
	}
	vt_release(self);
	return st;
}

/* ---- delete ------------------------------------------------------------------------------ */

static vt_status
wait_gone(vt_rt *rt, heat *h)
{
	look l;
	vt_status st;
	VT_TRY(wait_settled(rt, h, true, &l));
	st = vt_heat_is_gone(&l) ? VT_OK : unexpected(rt, h, &l);
	drop_look(&l);
	return st;
}

static vt_status
delete_once(vt_rt *rt, heat *h, enum outcome *how)
{
	vt_service_answer a;
	vt_status st;
	look l;
	*how = DONE;
	VT_TRY(fetch(rt, h));
	if (vt_dict_len(vt_as_dict(h->template)) == 0)
		return VT_OK;
	VT_TRY(wait_settled(rt, h, false, &l));
	if (vt_heat_is_gone(&l)) {
		drop_look(&l);
		return VT_OK;
	}
	st = vt_heat_ask(rt, h, "DELETE", vt_heat_path(h, l.stack, ""), VT_UNDEF, &a);
	drop_look(&l);
	if (st != VT_OK)
		return st;
	*how = a.status == 409 ? CONFLICT : DONE;
	if (a.status < 300) {
		report(rt, h, "delete", VT_UNDEF);
		st = wait_gone(rt, h);
	} else {
		st = VT_OK;
	}
	vt_service_drop(&a);
	return st;
}

static vt_status
delete_there(vt_rt *rt, heat *h)
{
	enum outcome how;
	for (int n = 0;;) {
		VT_TRY(delete_once(rt, h, &how));
		if (how == DONE)
			return VT_OK;
		VT_TRY(wait_again(rt, h, how, &n));
	}
}

/* What a run that goes on has deleted before may have been made again since. */
static vt_status
delete_stack(vt_rt *rt, heat *h)
{
	vt_done done;
	vt_status st = vt_journal_begin(rt, deletion, vt_as_str(h->name)->s, VT_NULL, &done);
	if (st == VT_OK && done.result == VT_UNDEF) {
		st = vt_journal_note(rt, &done, VT_NULL, VT_NULL);
		if (st == VT_OK)
			st = delete_there(rt, h);
		if (st == VT_OK || vt_pending(rt)->type != VT_E_CANCELLED)
			vt_journal_end(rt, &done, VT_NULL);
	}
	vt_journal_drop(&done);
	if (st != VT_OK)
		return st;
	vt_move(&h->template, no_members(rt));
	h->applied = true;
	return VT_OK;
}

vt_status vt_heat_delete(vt_args *, vt_value *out);
vt_status
vt_heat_delete(vt_args *a, vt_value *out)
{
	heat *h = heat_of(a);
	if (h == NULL)
		return VT_ERROR;
	VT_TRY(stop_push(a->rt, h));
	VT_TRY(delete_stack(a->rt, h));
	*out = VT_NULL;
	return VT_OK;
}

#define VT_NATIVE_HeatStack
#include "natives.h"
