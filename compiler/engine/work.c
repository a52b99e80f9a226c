/*
 * work.c - what a worker does with its task: loads the model, destroys what is gone, calls the
 * action, writes the model; or calls a static method, or describes a class.
 *
 * What it has to say goes to ENG_FRAMEs of its file while methods run.  It is a process of its own,
 * so it may crash, loop and use up its memory.
 */
#define _GNU_SOURCE
#include "compiler/engine/work.h"
#include "runtime/call/call.h"
#include "runtime/cloud/cloud.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/printable.h"
#include "runtime/core/session.h"
#include "runtime/object/object.h"
#include "runtime/program/program.h"
#include "runtime/task/task.h"
#include "runtime/text/outfile.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STACK_BYTES = 64 << 20 };

typedef struct work {
	const eng_conf *conf;
	vt_rt *rt;
	vt_value order; /* what the supervisor asks for */
	vt_value task;  /* of it; borrowed */
	const char *environment;
	int out, wake;
	bool lost; /* a frame could not be written */
	bool gone; /* nothing is left of the environment */
} work;

/* ---- frames ------------------------------------------------------------------------------ */

/* One write a frame.  Where the disk is full it waits; half a frame that a kill leaves is the last
 * of the file, and whoever takes the task up cuts it off. */
static void
put_frame(work *w, enum eng_frame kind, const vt_buf *b)
{
	uint32_t n = (uint32_t)b->n;
	off_t start = lseek(w->out, 0, SEEK_END);
	vt_buf all = {0};
	vt_buf_putc(&all, (char)kind);
	vt_buf_put(&all, &n, sizeof n);
	vt_buf_put(&all, b->p, b->n);
	if (b->n > ENG_FRAME_MAX || !vt_write_all(w->out, all.p, all.n)) {
		w->lost = true;
		if (start < 0 || ftruncate(w->out, start) != 0)
			vt_say("half an answer stays in the spool: %s\n", strerror(errno));
	}
	vt_buf_free(&all);
	(void)!write(w->wake, "", 1);
}

static void
put_text(vt_buf *b, const char *name, const char *text)
{
	vt_buf_printf(b, "\"%s\": ", name);
	if (text)
		vt_json_str(b, text, strlen(text));
	else
		vt_buf_puts(b, "null");
}

static void
put_report(work *w, const char *level, const char *id, const char *text)
{
	vt_buf b = {0};
	vt_buf_puts(&b, "murano.report_notification");
	vt_buf_putc(&b, '\0');
	vt_buf_putc(&b, '{');
	put_text(&b, "id", id);
	vt_buf_puts(&b, ", ");
	put_text(&b, "text", text);
	vt_buf_puts(&b, ", \"details\": null, ");
	put_text(&b, "level", level);
	vt_buf_puts(&b, ", ");
	put_text(&b, "environment_id", w->environment);
	vt_buf_puts(&b, ", \"timestamp\": \"");
	eng_put_now(&b, 'T');
	vt_buf_puts(&b, "\"}");
	put_frame(w, ENG_FRAME_NOTE, &b);
	vt_buf_free(&b);
}

/* What an earlier worker of the task said stands in its file. */
static void
noticed(vt_rt *rt, void *ctx, const char *event, vt_value payload, bool again)
{
	vt_buf b = {0};
	if (again)
		return;
	vt_buf_puts(&b, event);
	vt_buf_putc(&b, '\0');
	vt_json_write(rt, &b, payload, 0);
	put_frame(ctx, ENG_FRAME_NOTE, &b);
	vt_buf_free(&b);
}

/* ---- errors ------------------------------------------------------------------------------ */

typedef struct trouble {
	char *cls, *module;
	vt_buf message, details;
} trouble;

/* An exception inside of a method has been wrapped; one of the engine itself has not. */
static void
take_trouble(vt_rt *rt, trouble *t)
{
	vt_exc *e = vt_pending(rt);
	const char *fqn = vt_etype_fqn(e->type), *dot = strrchr(fqn, '.');
	bool wrapped = e->type == VT_E_MURANO_PL || e->nframes > 0;
	if (wrapped && e->type != VT_E_MURANO_PL && e->type != VT_E_HOST)
		vt_buf_printf(&t->message, "[%s]: ", fqn);
	if (e->type == VT_E_MURANO_PL || e->type == VT_E_HOST)
		vt_exc_str(rt, &t->message, e);
	else
		vt_buf_put(&t->message, vt_as_str(e->message)->s, vt_as_str(e->message)->bytes);
	vt_exc_format(rt, &t->details, e);
	t->cls = vt_xstrdup(wrapped ? "MuranoPlException" : dot ? dot + 1 : fqn);
	t->module = wrapped ? vt_xstrdup("murano.dsl.dsl_exception")
		    : dot   ? vt_xstrndup(fqn, (size_t)(dot - fqn))
			    : vt_xstrdup("builtins");
	vt_buf_putc(&t->message, '\0');
	vt_redact(&t->message, 0);
	vt_redact(&t->details, 0);
	vt_exc_clear(rt);
}

static void
drop_trouble(trouble *t)
{
	free(t->cls);
	free(t->module);
	vt_buf_free(&t->message);
	vt_buf_free(&t->details);
}

/* ---- the session ------------------------------------------------------------------------- */

static vt_dict *
member(vt_rt *rt, vt_dict *of, const char *name)
{
	vt_value v = vt_dict_get_c(of, name);
	vt_dict *d;
	if (vt_is(v, DICT))
		return vt_as_dict(v);
	d = vt_dict_new(rt, false);
	vt_dict_set_c(rt, of, name, vt_mkptr(d));
	return d;
}

static vt_value
value_of(vt_rt *rt, const eng_conf *c, const eng_option *o)
{
	char **list;
	vt_list *l;
	switch (o->kind) {
	case ENG_FLAG: return vt_mkbool(eng_conf_flag(c, o->group, o->name));
	case ENG_NUMBER: return vt_mkint(eng_conf_number(c, o->group, o->name));
	case ENG_TEXT:
	case ENG_SECRET: return vt_str_c(rt, eng_conf_text(c, o->group, o->name));
	case ENG_LIST: break;
	}
	list = eng_conf_list(c, o->group, o->name);
	l = vt_list_grow(rt, VT_K_LIST, 4);
	for (char **p = list; *p; p++)
		vt_list_push(rt, l, vt_str_c(rt, *p));
	free(list);
	return vt_mkptr(l);
}

/* Groups that applications ask for go as they are; what is not set has the same default there. */
static vt_value
settings_of(vt_rt *rt, const eng_conf *c)
{
	static const char *const groups[] = {
		"heat", "neutron", "mistral", "glance", "networking", "engine", "rabbitmq", NULL};
	vt_dict *d = vt_dict_new(rt, false);
	for (uint32_t i = 0; i < eng_noptions; i++)
		for (const char *const *g = groups; *g; g++)
			if (strcmp(*g, eng_options[i].group) == 0 && eng_options[i].used &&
				eng_conf_has(c, *g, eng_options[i].name))
				vt_dict_set_c(rt, member(rt, d, *g), eng_options[i].name,
					value_of(rt, c, &eng_options[i]));
	if (eng_conf_text(c, "DEFAULT", "home_region") != NULL) {
		const char *home = eng_conf_text(c, "DEFAULT", "home_region");
		vt_dict_set_c(rt, member(rt, d, "DEFAULT"), "home_region", vt_str_c(rt, home));
		vt_dict_set_c(rt, member(rt, d, "murano"), "home_region", vt_str_c(rt, home));
	}
	if (*eng_conf_text(c, "DEFAULT", "file_server"))
		vt_dict_set_c(rt, member(rt, d, "DEFAULT"), "file_server",
			vt_str_c(rt, eng_conf_text(c, "DEFAULT", "file_server")));
	return vt_mkptr(d);
}

static void
put_variable(const char *name, const char *value)
{
	if (value != NULL && *value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

/* Who asks OpenStack: the trust of the environment, or the token of the task. */
static void
take_identity(work *w)
{
	static const char *const names[] = {"OS_CLOUD", "OS_TENANT_NAME", "OS_TENANT_ID",
		"OS_PROJECT_NAME", "OS_DOMAIN_NAME", "OS_DOMAIN_ID", "OS_DEFAULT_DOMAIN",
		"OS_PROJECT_DOMAIN_NAME", "OS_PROJECT_DOMAIN_ID", "OS_APPLICATION_CREDENTIAL_ID",
		"OS_APPLICATION_CREDENTIAL_NAME", "OS_APPLICATION_CREDENTIAL_SECRET",
		"OS_INTERFACE", "OS_ENDPOINT_TYPE", "OS_CERT", "OS_KEY", "AMQP_URL", NULL};
	const char *trust = eng_text(w->order, "trust");
	const eng_conf *c = w->conf;
	for (const char *const *n = names; *n; n++)
		unsetenv(*n);
	put_variable("OS_AUTH_URL", eng_auth_url(c));
	put_variable("OS_AUTH_TYPE", trust ? "password" : "token");
	put_variable("OS_TRUST_ID", trust);
	put_variable("OS_USERNAME", trust ? eng_conf_auth(c, "username") : NULL);
	put_variable("OS_USER_ID", trust ? eng_conf_auth(c, "user_id") : NULL);
	put_variable("OS_PASSWORD", trust ? eng_conf_auth(c, "password") : NULL);
	put_variable("OS_USER_DOMAIN_NAME", trust ? eng_conf_auth(c, "user_domain_name") : NULL);
	put_variable("OS_USER_DOMAIN_ID", trust ? eng_conf_auth(c, "user_domain_id") : NULL);
	put_variable("OS_TOKEN", trust ? NULL : eng_text(w->order, "token"));
	put_variable("VETRO_USER_TOKEN", trust ? eng_text(w->order, "token") : NULL);
	put_variable("OS_PROJECT_ID", trust ? NULL : eng_text(w->order, "project"));
	put_variable("OS_REGION_NAME", eng_conf_text(c, "DEFAULT", "home_region"));
	put_variable("OS_CACERT", eng_conf_auth(c, "cafile"));
	put_variable("OS_INSECURE", eng_conf_text(c, "murano_auth", "insecure") &&
						    eng_conf_flag(c, "murano_auth", "insecure")
					    ? "true"
					    : NULL);
}

static void
open_session(work *w)
{
	const char *token = eng_text(w->order, "token");
	vt_move(&w->rt->s->settings, settings_of(w->rt, w->conf));
	w->rt->s->noticed = noticed;
	w->rt->s->noticed_ctx = w;
	take_identity(w);
	if (token)
		vt_secret_add(w->rt->s, token, strlen(token));
}

/* ---- handle_task ------------------------------------------------------------------------- */

/* The journal of the worker that was killed, or a new one. */
static bool
open_journal(work *w, vt_value *model)
{
	const char *path = eng_text(w->order, "journal");
	vt_value before = VT_UNDEF, graph = VT_UNDEF;
	vt_buf what = {0};
	bool ok;
	if (path == NULL)
		return true;
	vt_buf_putc(&what, '{');
	put_text(&what, "task", eng_text(w->order, "id"));
	vt_buf_puts(&what, "}");
	ok = vt_journal_open(w->rt, path, what.p, "vetro engine");
	vt_buf_free(&what);
	if (!ok)
		return false;
	if (!vt_journal_model(w->rt, &before, &graph))
		return vt_journal_start(w->rt, *model, NULL, 0);
	vt_say("goes on with what was interrupted\n");
	vt_release(graph);
	vt_move(model, before);
	return true;
}

static vt_status
target_of(work *w, vt_value action, vt_value *out)
{
	vt_value id = eng_member(action, "object_id");
	vt_object *o = vt_is(id, STR) ? vt_store_find(w->rt, vt_as_str(id)) : NULL;
	if (o == NULL)
		return vt_raise(w->rt, VT_E_NO_OBJECT, "Object \"%s\" is not found in object store",
			vt_is(id, STR) ? vt_as_str(id)->s : "None");
	*out = vt_copy(vt_mkptr(o));
	return VT_OK;
}

static vt_status
call_action(work *w, vt_value action, vt_value *out)
{
	vt_value target = VT_UNDEF, name = eng_member(action, "method"), raw = VT_UNDEF;
	vt_value args = vt_mkptr(vt_list_grow(w->rt, VT_K_TUPLE, 0));
	vt_status st = target_of(w, action, &target);
	if (st == VT_OK)
		st = vt_invoke_public(
			w->rt, target, vt_as_str(name), args, eng_member(action, "args"), &raw);
	if (st == VT_OK)
		st = vt_serialize(w->rt, raw, VT_DUMP_SERIALIZABLE, out);
	vt_release(raw);
	vt_release(target);
	vt_release(args);
	return st;
}

/* What the api adds to a model: it is written with the objects. */
static void
keep_system(work *w, vt_value model)
{
	vt_rt *rt = w->rt;
	vt_value old = eng_member(model, "SystemData");
	vt_dict *d = vt_dict_new(rt, false);
	vt_dict *system = vt_is(old, DICT) ? vt_dict_copy(rt, vt_as_dict(old), false)
					   : vt_dict_new(rt, false);
	if (eng_text(w->order, "trust") != NULL)
		vt_dict_set_c(rt, system, "TrustId", vt_copy(eng_member(w->order, "trust")));
	if (w->gone)
		vt_dict_set_c(rt, system, "TrustId", VT_NULL);
	vt_dict_set_c(rt, system, "Packages", vt_copy(eng_member(w->order, "by_name")));
	vt_dict_set_c(rt, d, "SystemData", vt_mkptr(system));
	vt_dict_set_c(rt, d, "project_id", vt_copy(eng_member(model, "project_id")));
	vt_dict_set_c(rt, d, "user_id", vt_copy(eng_member(model, "user_id")));
	vt_move(&rt->s->kept, vt_mkptr(d));
}

static void
put_model(work *w, vt_buf *b, vt_value given, bool loaded)
{
	size_t start = b->n;
	w->rt->act = NULL;
	w->rt->depth = 0;
	if (loaded)
		keep_system(w, given);
	if (loaded && vt_write_model(w->rt, w->rt->s->root, b, NULL) == VT_OK)
		return;
	b->n = start;
	if (loaded) {
		trouble t = {0};
		take_trouble(w->rt, &t);
		vt_say("the model cannot be written: %s\n", t.message.p);
		drop_trouble(&t);
	}
	vt_json_write(w->rt, b, given, 0);
}

static void
put_trouble(work *w, vt_buf *b)
{
	trouble t = {0};
	take_trouble(w->rt, &t);
	put_report(w, "error", w->environment, t.message.p);
	vt_say("%.*s\n", t.details.p ? (int)t.details.n : 0, t.details.p ? t.details.p : "");
	vt_buf_puts(b, "{\"isException\": true, \"result\": {");
	put_text(b, "message", t.message.p);
	vt_buf_puts(b, ", \"details\": ");
	vt_json_str(b, t.details.p ? t.details.p : "", t.details.n);
	vt_buf_puts(b, "}}");
	drop_trouble(&t);
}

static void
end_task(work *w, vt_status st, vt_value result, vt_value model, bool loaded)
{
	vt_buf b = {0};
	vt_buf_puts(&b, "{\"action\": ");
	if (st == VT_OK) {
		vt_buf_puts(&b, "{\"isException\": false, \"result\": ");
		vt_json_write(w->rt, &b, result, 0);
		vt_buf_putc(&b, '}');
	} else {
		put_trouble(w, &b);
	}
	w->gone = loaded && w->rt->s->root == VT_NULL;
	vt_buf_puts(&b, ", \"model\": ");
	put_model(w, &b, model, loaded);
	vt_buf_putc(&b, '}');
	put_frame(w, w->gone ? ENG_FRAME_GONE : ENG_FRAME_RESULT, &b);
	while (fdatasync(w->out) != 0 && !w->lost)
		w->lost = !vt_room_may_come();
	vt_buf_free(&b);
	vt_journal_close(w->rt, !w->lost);
}

static void
handle_task(work *w)
{
	vt_value model = vt_copy(eng_member(w->task, "model")), out = VT_NULL;
	vt_value action = eng_member(w->task, "action");
	vt_status st = VT_ERROR;
	bool loaded = false;
	w->environment = eng_text(w->task, "id");
	if (open_journal(w, &model)) {
		loaded = eng_class_configs(w->rt, w->conf) == VT_OK &&
			 vt_load_model(w->rt, model, VT_NULL);
		st = loaded ? VT_OK : VT_ERROR;
	} else {
		(void)vt_raise(w->rt, VT_E_OS,
			"the journal of the task cannot be opened: the log "
			"of the engine says why");
	}
	if (st == VT_OK)
		vt_store_collect(w->rt);
	if (st == VT_OK && action != VT_NULL)
		st = call_action(w, action, &out);
	st = vt_end_run(w->rt, st, loaded);
	end_task(w, st, out, model, loaded);
	vt_release(out);
	vt_release(model);
}

/* ---- calls ------------------------------------------------------------------------------- */

static void
end_call(work *w, vt_status st, vt_value out)
{
	trouble t = {0};
	vt_buf b = {0};
	if (st == VT_OK) {
		vt_json_write(w->rt, &b, out, 0);
		put_frame(w, ENG_FRAME_RESULT, &b);
	} else {
		char *failure;
		take_trouble(w->rt, &t);
		failure = eng_failure(t.cls, t.module, t.message.p);
		vt_buf_puts(&b, failure);
		put_frame(w, ENG_FRAME_FAILURE, &b);
		free(failure);
		drop_trouble(&t);
	}
	vt_buf_free(&b);
}

static void
static_action(work *w)
{
	vt_value action = eng_member(w->task, "action"), out = VT_NULL, raw = VT_UNDEF;
	vt_value args = vt_mkptr(vt_list_grow(w->rt, VT_K_TUPLE, 0));
	vt_class *cls = vt_class_named(w->rt, eng_text(action, "class_name"));
	vt_status st = cls != NULL ? eng_class_configs(w->rt, w->conf) : VT_ERROR;
	if (st == VT_OK)
		st = vt_invoke_public(w->rt, cls->typeref, vt_as_str(eng_member(action, "method")),
			args, eng_member(action, "args"), &raw);
	if (st == VT_OK)
		st = vt_serialize(w->rt, raw, VT_DUMP_SERIALIZABLE, &out);
	vt_release(raw);
	vt_release(args);
	end_call(w, st, out);
	vt_release(out);
}

/* Of the methods that are asked for, those that are model builders. */
static vt_value
picked(vt_rt *rt, vt_value all, vt_value names)
{
	vt_dict *d = vt_dict_new(rt, false);
	for (uint32_t i = 0; i < vt_as_list(names)->n; i++) {
		vt_value name = vt_as_list(names)->v[i];
		vt_value v = vt_is(name, STR) ? vt_dict_get(vt_as_dict(all), name) : VT_UNDEF;
		if (v != VT_UNDEF)
			(void)vt_dict_set(rt, d, name, v);
	}
	return vt_mkptr(d);
}

static void
schema(work *w)
{
	vt_value names = eng_member(w->task, "method_names"), out = VT_NULL;
	vt_class *cls = vt_schema_class(
		w->rt, eng_text(w->task, "class_name"), NULL, eng_text(w->task, "package_name"));
	vt_status st = cls != NULL ? vt_schema_generate(w->rt, cls, VT_NULL, &out) : VT_ERROR;
	if (st == VT_OK && vt_is_sequence(names) && vt_as_list(names)->n > 0 && vt_is(out, DICT))
		vt_move(&out, picked(w->rt, out, names));
	end_call(w, st, out);
	vt_release(out);
}

/* ---- the worker -------------------------------------------------------------------------- */

static int
run(void *data)
{
	work *w = data;
	const char *method = eng_text(w->order, "method");
	w->task = eng_member(w->order, "task");
	vt_wait_for_room(true);
	open_session(w);
	if (method == NULL)
		return 1;
	if (strcmp(method, "handle_task") == 0)
		handle_task(w);
	else if (strcmp(method, "call_static_action") == 0)
		static_action(w);
	else
		schema(w);
	if (w->lost)
		vt_say("what was done cannot be written: %s\n", strerror(errno));
	return w->lost ? ENG_UNWRITTEN : 0;
}

int
eng_work(vt_rt *rt, const eng_conf *c, const char *order, size_t n, int out, int wake)
{
	work w = {.conf = c, .rt = rt, .out = out, .wake = wake, .order = VT_UNDEF};
	char *why = NULL;
	int rc;
	if (!vt_json_read(rt, order, n, VT_JSON_MUTABLE | VT_JSON_PYTHON, 0, &w.order, &why)) {
		vt_say("the order of the supervisor cannot be read: %s\n", why);
		free(why);
		return 1;
	}
	rc = vt_with_stack(STACK_BYTES, run, &w);
	vt_release(w.order);
	return rc;
}
