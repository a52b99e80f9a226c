/*
 * mistral.c - io.murano.system.MistralClient (muranopl-engine.md, appendix A).
 */
#include "runtime/cloud/native_class.h"
#include "runtime/object/object.h"
#include "runtime/core/session.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

static const double poll_every = 2;

static void
drop_client(void *data)
{
	vt_release((vt_value)(uintptr_t)data);
}

vt_status vt_mistral_new(vt_args *, vt_value *out);
vt_status
vt_mistral_new(vt_args *a, vt_value *out)
{
	vt_object *o = vt_obj_of(a->self);
	vt_object_set_native(
		o, (void *)(uintptr_t)vt_copy(vt_new_arg(a, "regionName")), drop_client);
	*out = VT_NULL;
	return VT_OK;
}

/* Of the client, else of its environment; held keeps the text. */
static const char *
region_of(vt_args *a, vt_value *held)
{
	vt_object *o = vt_obj_of(a->self);
	vt_value given = o->more->native ? (vt_value)(uintptr_t)o->more->native : VT_NULL;
	*held = VT_NULL;
	if (vt_is(given, STR) && vt_as_str(given)->bytes > 0)
		return vt_as_str(given)->s;
	*held = vt_peek(a->rt, vt_owner_named(a->rt, o, "io.murano.Environment"), "region");
	return vt_text_or(*held, NULL);
}

static vt_status
ask(vt_args *a, const char *method, const char *path, vt_value body, const char *type,
	vt_value *out)
{
	vt_value held;
	vt_service_request q = {.service = "workflow",
		.region = region_of(a, &held),
		.method = method,
		.path = path,
		.body = body,
		.type = type};
	vt_status st = vt_ask(a->rt, &q, out);
	vt_release(held);
	return st;
}

vt_status vt_mistral_upload(vt_args *, vt_value *out);
vt_status
vt_mistral_upload(vt_args *a, vt_value *out)
{
	vt_value answer = VT_UNDEF;
	if (!vt_is(a->v[0], STR))
		return vt_raise(
			a->rt, VT_E_TYPE, "a definition is a str, not a '%s'", vt_py_type(a->v[0]));
	VT_TRY(ask(a, "POST", "/workflows", a->v[0], "text/plain", &answer));
	vt_release(answer);
	*out = VT_NULL;
	return VT_OK;
}

/* As Mistral writes ids: 8-4-4-4-12 digits. */
static vt_value
new_id(vt_rt *rt)
{
	vt_value plain = vt_new_uuid(rt);
	const char *s = vt_as_str(plain)->s;
	vt_value id =
		vt_str_printf(rt, "%.8s-%.4s-%.4s-%.4s-%.12s", s, s + 8, s + 12, s + 16, s + 20);
	vt_release(plain);
	return vt_drawn(rt, id);
}

/* Mistral takes input and params as they are, and gives them back as text. */
static vt_value
execution(vt_args *a)
{
	vt_dict *d = vt_dict_new(a->rt, false);
	vt_dict_set_c(a->rt, d, "workflow_name", vt_copy(a->v[0]));
	if (a->v[2] != VT_NULL)
		vt_dict_set_c(a->rt, d, "input", vt_copy(a->v[2]));
	if (a->v[3] != VT_NULL)
		vt_dict_set_c(a->rt, d, "params", vt_copy(a->v[3]));
	/* Mistral gives back the execution that has the id already, when it is asked again */
	if (a->rt->s->journal != NULL)
		vt_dict_set_c(a->rt, d, "id", new_id(a->rt));
	return vt_mkptr(d);
}

/* Polls until the execution has ended. */
static vt_status
wait_end(vt_args *a, vt_value *doc)
{
	double limit = 0;
	int64_t from = vt_task_clock(a->rt);
	VT_TRY(vt_num_double(a->rt, a->v[1], &limit));
	for (;;) {
		const char *state = vt_text_or(vt_member(*doc, "state"), "");
		vt_buf path = {0};
		vt_value next = VT_UNDEF;
		vt_status st;
		if (strcmp(state, "ERROR") == 0 || strcmp(state, "SUCCESS") == 0)
			return VT_OK;
		if ((double)(vt_task_clock(a->rt) - from) / 1e9 + poll_every > limit)
			return vt_raise(a->rt, VT_E_MISTRAL,
				"Mistral run timed out. Execution id: %s.",
				vt_text_or(vt_member(*doc, "id"), "?"));
		VT_TRY(vt_sleep(a->rt, poll_every));
		vt_buf_puts(&path, "/executions/");
		vt_path_escape(&path, vt_text_or(vt_member(*doc, "id"), ""));
		vt_buf_putc(&path, '\0');
		st = ask(a, "GET", path.p, VT_UNDEF, NULL, &next);
		vt_buf_free(&path);
		if (st != VT_OK)
			return st;
		vt_move(doc, next);
	}
}

static vt_status
output_of(vt_args *a, vt_value doc, vt_value *out)
{
	static const char *const hidden[] = {"openstack", "__execution", "task"};
	vt_value text = vt_member(doc, "output"), v = VT_UNDEF, key;
	char *err = NULL;
	vt_status st;
	if (!vt_is(text, STR)) {
		v = vt_copy(text);
	} else if (!vt_json_read(a->rt, vt_as_str(text)->s, vt_as_str(text)->bytes, VT_JSON_MUTABLE,
			   0, &v, &err)) {
		st = vt_raise(a->rt, VT_E_JSON_DECODE, "the output of the execution: %s", err);
		free(err);
		return st;
	}
	if (!vt_is(v, DICT)) {
		st = vt_no_attribute(a->rt, v, "pop");
		vt_release(v);
		return st;
	}
	vt_move(&v, vt_mkptr(vt_dict_copy(a->rt, vt_as_dict(v), false)));
	for (size_t i = 0; i < VT_LEN(hidden); i++) {
		key = vt_str_c(a->rt, hidden[i]);
		(void)vt_dict_del(a->rt, vt_as_dict(v), key);
		vt_release(key);
	}
	*out = v;
	return VT_OK;
}

vt_status vt_mistral_run(vt_args *, vt_value *out);
vt_status
vt_mistral_run(vt_args *a, vt_value *out)
{
	vt_value body, doc = VT_UNDEF;
	vt_status st;
	if (!vt_is(a->v[0], STR) || !vt_is_number(a->v[1]))
		return vt_raise(a->rt, VT_E_TYPE, "run() takes a name and a number of seconds");
	body = execution(a);
	st = ask(a, "POST", "/executions", body, NULL, &doc);
	vt_release(body);
	if (st != VT_OK)
		return st;
	if (!vt_truth(a->v[1])) {
		*out = vt_copy(vt_member(doc, "id"));
	} else if ((st = wait_end(a, &doc)) == VT_OK) {
		if (strcmp(vt_text_or(vt_member(doc, "state"), ""), "ERROR") == 0)
			st = vt_raise(a->rt, VT_E_MISTRAL,
				"Mistral execution completed with ERROR. Execution id: %s. Output: "
				"%s",
				vt_text_or(vt_member(doc, "id"), "?"),
				vt_text_or(vt_member(doc, "output"), "None"));
		else
			st = output_of(a, doc, out);
	}
	vt_release(doc);
	return st;
}

#define VT_NATIVE_MistralClient
#include "natives.h"
