/*
 * envelope.c - messages of oslo.messaging 2.0, read and written.
 *
 * What is read came from the queue: each member's type is looked at before it is used.
 */
#define _GNU_SOURCE
#include "compiler/engine/int.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

vt_value
eng_member(vt_value v, const char *name)
{
	vt_value m = vt_is(v, DICT) ? vt_dict_get_c(vt_as_dict(v), name) : VT_UNDEF;
	return m == VT_UNDEF ? VT_NULL : m;
}

const char *
eng_text(vt_value v, const char *name)
{
	vt_value m = eng_member(v, name);
	if (!vt_is(m, STR) || strlen(vt_as_str(m)->s) != vt_as_str(m)->bytes)
		return NULL;
	return vt_as_str(m)->s;
}

/* ---- reading ----------------------------------------------------------------------------- */

enum { DEEP = 200 };

bool
eng_unwrap(vt_rt *rt, const char *body, size_t n, vt_value *message)
{
	vt_value outer = VT_UNDEF, inner, read = VT_UNDEF;
	char *why = NULL;
	bool ok = vt_utf8_check(body, n) == n &&
		  vt_json_read(rt, body, n, VT_JSON_MUTABLE, DEEP, &outer, &why);
	free(why);
	why = NULL;
	*message = VT_UNDEF;
	if (!ok)
		return false;
	inner = eng_member(outer, "oslo.message");
	ok = vt_is(inner, STR) && vt_json_read(rt, vt_as_str(inner)->s, vt_as_str(inner)->bytes,
					  VT_JSON_MUTABLE | VT_JSON_PYTHON, DEEP, &read, &why);
	free(why);
	vt_release(outer);
	if (ok && !vt_is(read, DICT)) {
		vt_release(read);
		return false;
	}
	if (ok)
		*message = read;
	return ok;
}

static bool
is_id(const char *s)
{
	return s != NULL && strlen(s) == 32 && strspn(s, "0123456789abcdef") == 32;
}

static const char *const methods[] = {"handle_task", "call_static_action", "generate_schema"};

static enum eng_method
method_of(const char *name)
{
	for (int i = 0; i < ENG_UNKNOWN_METHOD; i++)
		if (strcmp(name, methods[i]) == 0)
			return (enum eng_method)i;
	return ENG_UNKNOWN_METHOD;
}

/* What is missing of a task, or NULL. */
static const char *
lack_of_task(const eng_request *r)
{
	vt_value action = eng_member(r->task, "action"), model = eng_member(r->task, "model");
	if (r->environment == NULL || r->token == NULL || r->project == NULL)
		return "it has no id, token or project_id";
	if (!vt_is(model, DICT))
		return "its model is no object";
	if (action != VT_NULL &&
		(eng_text(action, "method") == NULL || !vt_is(eng_member(action, "args"), DICT)))
		return "its action has no method or args";
	return NULL;
}

static const char *
lack_of_static(const eng_request *r)
{
	vt_value action = eng_member(r->task, "action");
	if (r->token == NULL || r->project == NULL)
		return "it has no token or project_id";
	if (eng_text(action, "method") == NULL || eng_text(action, "class_name") == NULL)
		return "its action has no method or class_name";
	return vt_is(eng_member(action, "args"), DICT) ? NULL : "its args are no object";
}

static const char *
lack_of_schema(const eng_request *r)
{
	if (r->token == NULL || r->project == NULL)
		return "its context has no token or project_id";
	return eng_text(r->args, "class_name") ? NULL : "it has no class_name";
}

static const char *
lack_of(eng_request *r)
{
	const vt_value from = r->method == ENG_SCHEMA ? r->message : r->task;
	r->environment = eng_text(r->task, "id");
	r->token = eng_text(from, r->method == ENG_SCHEMA ? "_context_token" : "token");
	r->project = eng_text(from, r->method == ENG_SCHEMA ? "_context_project_id" : "project_id");
	r->user = eng_text(r->task, "user_id");
	switch (r->method) {
	case ENG_HANDLE_TASK: return lack_of_task(r);
	case ENG_STATIC_ACTION: return lack_of_static(r);
	case ENG_SCHEMA: return lack_of_schema(r);
	case ENG_UNKNOWN_METHOD: break;
	}
	return NULL;
}

char *
eng_request_read(vt_rt *rt, const char *body, size_t n, eng_request *r)
{
	const char *why;
	*r = (eng_request){.message = VT_UNDEF, .args = VT_NULL, .task = VT_NULL};
	if (!eng_unwrap(rt, body, n, &r->message))
		return vt_xstrdup("it is no message of oslo.messaging 2.0");
	r->name = eng_text(r->message, "method");
	r->id = eng_text(r->message, "_unique_id");
	r->msg_id = eng_text(r->message, "_msg_id");
	r->reply_q = eng_text(r->message, "_reply_q");
	if (r->msg_id == NULL || r->reply_q == NULL || strlen(r->reply_q) > 255)
		r->msg_id = r->reply_q = NULL;
	r->args = eng_member(r->message, "args");
	if (r->name == NULL || !is_id(r->id))
		return vt_xstrdup("it has no method, or no _unique_id of 32 digits");
	if (!vt_is(r->args, DICT))
		return vt_xstrdup("its args are no object");
	r->method = method_of(r->name);
	r->task = r->method == ENG_SCHEMA ? r->args : eng_member(r->args, "task");
	why = lack_of(r);
	return why ? vt_asprintf("%s: %s", r->name, why) : NULL;
}

void
eng_request_free(eng_request *r)
{
	vt_clear(&r->message);
}

/* ---- writing ----------------------------------------------------------------------------- */

static void
put(vt_buf *b, const char *s)
{
	vt_json_str(b, s, strlen(s));
}

void
eng_put_hex(vt_buf *b, size_t bytes)
{
	static const char digit[] = "0123456789abcdef";
	unsigned char random[32];
	if (getrandom(random, bytes, 0) != (ssize_t)bytes)
		abort();
	for (size_t i = 0; i < bytes; i++) {
		vt_buf_putc(b, digit[random[i] >> 4]);
		vt_buf_putc(b, digit[random[i] & 15]);
	}
}

/* The message with its envelope; it is a JSON object without its last brace. */
static void
wrap(vt_buf *to, vt_buf *message)
{
	vt_buf_puts(message, ", \"_unique_id\": \"");
	eng_put_hex(message, 16);
	vt_buf_puts(message, "\"}");
	vt_buf_puts(to, "{\"oslo.version\": \"2.0\", \"oslo.message\": ");
	vt_json_str(to, message->p, message->n);
	vt_buf_putc(to, '}');
	vt_buf_free(message);
}

void
eng_put_reply(vt_buf *to, const char *msg_id, const char *result, size_t n, const char *failure)
{
	vt_buf b = {0};
	vt_buf_puts(&b, "{\"result\": ");
	if (failure)
		vt_buf_puts(&b, "null");
	else
		vt_buf_put(&b, result, n);
	vt_buf_puts(&b, ", \"failure\": ");
	if (failure)
		put(&b, failure);
	else
		vt_buf_puts(&b, "null");
	vt_buf_puts(&b, ", \"ending\": true, \"_msg_id\": ");
	put(&b, msg_id);
	wrap(to, &b);
}

char *
eng_failure(const char *cls, const char *module, const char *message)
{
	vt_buf b = {0};
	vt_buf_puts(&b, "{\"class\": ");
	put(&b, cls);
	vt_buf_puts(&b, ", \"module\": ");
	put(&b, module);
	vt_buf_puts(&b, ", \"message\": ");
	put(&b, message);
	vt_buf_puts(&b, ", \"tb\": [], \"args\": [");
	put(&b, message);
	vt_buf_puts(&b, "], \"kwargs\": {}}");
	return b.p;
}

void
eng_put_result(vt_buf *to, const char *environment, const char *result, size_t n,
	const char *msg_id, const char *reply_q)
{
	vt_buf b = {0};
	vt_buf_puts(&b, "{\"method\": \"process_result\", \"args\": {\"result\": ");
	vt_buf_put(&b, result, n);
	vt_buf_puts(&b, ", \"environment_id\": ");
	put(&b, environment);
	vt_buf_puts(&b, "}, \"_msg_id\": ");
	put(&b, msg_id);
	vt_buf_puts(&b, ", \"_reply_q\": ");
	put(&b, reply_q);
	vt_buf_puts(&b, ", \"_timeout\": null");
	wrap(to, &b);
}

/* UTC with microseconds. */
void
eng_put_now(vt_buf *b, char between)
{
	struct timespec now;
	struct tm t;
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &t);
	vt_buf_printf(b, "%04d-%02d-%02d%c%02d:%02d:%02d.%06ld", t.tm_year + 1900, t.tm_mon + 1,
		t.tm_mday, between, t.tm_hour, t.tm_min, t.tm_sec, now.tv_nsec / 1000);
}

static void
put_uuid(vt_buf *b)
{
	static const unsigned char parts[] = {4, 2, 2, 2, 6};
	for (size_t i = 0; i < sizeof parts; i++) {
		vt_buf_puts(b, i ? "-" : "");
		eng_put_hex(b, parts[i]);
	}
}

void
eng_put_notification(
	vt_buf *to, enum eng_notify how, const char *event, const char *payload, size_t n)
{
	vt_buf b = {0};
	vt_buf_puts(&b, "{\"message_id\": \"");
	put_uuid(&b);
	vt_buf_puts(&b, "\", \"publisher_id\": \"");
	eng_put_hex(&b, 16);
	vt_buf_puts(&b, "\", \"event_type\": ");
	put(&b, event);
	vt_buf_puts(&b, ", \"priority\": \"INFO\", \"payload\": ");
	vt_buf_put(&b, payload, n);
	vt_buf_puts(&b, ", \"timestamp\": \"");
	eng_put_now(&b, ' ');
	vt_buf_putc(&b, '"');
	if (how == ENG_NOTIFY_ENVELOPE) {
		wrap(to, &b);
		return;
	}
	vt_buf_puts(&b, ", \"_unique_id\": \"");
	eng_put_hex(&b, 16);
	vt_buf_puts(&b, "\"}");
	vt_buf_put(to, b.p, b.n);
	vt_buf_free(&b);
}
