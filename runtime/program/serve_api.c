/*
 * serve_api.c - what `deploy serve` answers: muranopl-forms.txt, "REST API impact", and
 *docs/forms.md.
 *
 *	GET  /                            the page
 *	GET  /info                        packages and classes, as `info` prints them
 *	GET  /schemas/CLASS[/METHODS]     JSON schemas; METHODS are separated by commas, an empty
 *one is the class POST /actions                     {"className", "methodName", "parameters"?,
 *"packageName"?, "classVersion"?}
 */
#include "runtime/program/serve.h"
#include "page.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/object/object.h"
#include "runtime/program/program.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

static const char JSON[] = "application/json; charset=utf-8";

/* ---- errors ------------------------------------------------------------------------------ */

static void
refuse(vt_answer *a, int status, const char *message)
{
	a->status = status;
	a->type = JSON;
	a->body.n = 0;
	vt_buf_puts(&a->body, "{\"error\":{\"type\":\"");
	vt_buf_puts(&a->body, vt_http_reason(status));
	vt_buf_puts(&a->body, "\",\"message\":");
	vt_json_str(&a->body, message, strlen(message));
	vt_buf_puts(&a->body, "}}\n");
}

void
vt_serve_refuse_as(int status, const char *why, vt_answer *a)
{
	refuse(a, status, why);
}

void
vt_serve_page(const vt_http *r, const char *gzip, size_t n, const char *policy, vt_answer *a)
{
	a->gzip = r->gzip;
	if (a->gzip)
		vt_buf_put(&a->body, gzip, n);
	else if (!vt_inflate(gzip, n, &a->body)) {
		refuse(a, 500, "the page of this binary is damaged");
		return;
	}
	a->type = "text/html; charset=utf-8";
	a->policy = policy;
}

void
vt_serve_refuse(int status, vt_answer *a)
{
	refuse(a, status, vt_http_reason(status));
}

static void
wrong_method(vt_answer *a, const char *allow)
{
	vt_serve_refuse(405, a);
	a->allow = allow;
}

static int
status_of(const vt_exc *e)
{
	static const struct {
		enum vt_etype type;
		int status;
	} rows[] = {{VT_E_NO_CLASS, 404}, {VT_E_NO_PACKAGE, 404}, {VT_E_NO_PACKAGE_FOR_CLASS, 404},
		{VT_E_NO_METHOD_NAME, 404}, {VT_E_NOT_EXPOSED, 404}, {VT_E_CONTRACT, 400},
		{VT_E_VALUE, 400}, {VT_E_TYPE, 400}, {VT_E_NO_MATCHING_METHOD, 400}};
	for (size_t i = 0; i < VT_LEN(rows) && e->nframes == 0; i++)
		if (rows[i].type == e->type)
			return rows[i].status;
	return 500;
}

/* The pending exception; what went wrong inside of the program is a fault of the program. */
static void
put_exception(vt_rt *rt, vt_answer *a)
{
	vt_exc *e = vt_pending(rt);
	a->status = status_of(e);
	a->body.n = 0;
	vt_buf_puts(&a->body, "{\"error\":");
	vt_encode_error(rt, &a->body, e);
	vt_buf_puts(&a->body, "}\n");
	vt_exc_clear(rt);
}

/* ---- GET /schemas ---- */

/* Is the text a version or a specification?  One that is neither is 400 and not "no such
 * version". */
static bool
is_version(vt_rt *rt, const char *text, vt_answer *a)
{
	vt_value v = text ? vt_str_c(rt, text) : VT_NULL, spec = VT_UNDEF;
	vt_status st = vt_version_spec(rt, v, &spec);
	vt_release(v);
	vt_release(spec);
	if (st == VT_OK)
		return true;
	vt_exc_clear(rt);
	refuse(a, 400, "classVersion is no version and no specification of versions");
	return false;
}

/* "a,b", "" and NULL, which is all. */
static vt_value
method_names(vt_rt *rt, const char *text)
{
	vt_list *l;
	if (text == NULL)
		return VT_NULL;
	l = vt_list_grow(rt, VT_K_TUPLE, 1);
	for (;; text++) {
		size_t n = strcspn(text, ","), from = strspn(text, " "), to = n;
		while (to > from && text[to - 1] == ' ')
			to--;
		vt_list_push(rt, l,
			from < n ? vt_str_new(rt, text + from, to - from) : vt_str_c(rt, ""));
		text += n;
		if (*text == '\0')
			return vt_mkptr(l);
	}
}

/* The description: without a version `=0` is meant. A list of names may hold one that is not there:
 * that is 404 too. */
static void
schemas(vt_rt *rt, const char *cls, const char *methods, const char *version, const char *package,
	vt_answer *a)
{
	vt_value names, out = VT_UNDEF;
	vt_class *c;
	if (!is_version(rt, version, a))
		return;
	names = method_names(rt, methods);
	c = vt_schema_class(rt, cls, version ? version : "=0", package);
	if (c != NULL && vt_schema_generate(rt, c, names, &out) == VT_OK) {
		vt_json_write(rt, &a->body, out, 0);
		vt_buf_putc(&a->body, '\n');
		vt_release(out);
	} else {
		put_exception(rt, a);
	}
	vt_release(names);
}

static void
get_schemas(vt_rt *rt, const vt_http *r, vt_answer *a)
{
	char *version, *package = NULL;
	if (!vt_http_param(r, "classVersion", &version) ||
		!vt_http_param(r, "packageName", &package))
		refuse(a, 400, "the query is malformed");
	else if (r->segment[1][0] == '\0')
		refuse(a, 404, "the name of a class is missing: /schemas/CLASS");
	else
		schemas(rt, r->segment[1], r->nsegments == 3 ? r->segment[2] : NULL, version,
			package, a);
	free(version);
	free(package);
}

/* ---- POST /actions ---- */

static vt_value
member(vt_value body, const char *key)
{
	vt_value v = vt_dict_get_c(vt_as_dict(body), key);
	return v == VT_UNDEF ? VT_NULL : v;
}

static const char *
text_or_null(vt_value v)
{
	return vt_is(v, STR) ? vt_as_str(v)->s : NULL;
}

static vt_status
call(vt_rt *rt, vt_class *c, const vt_str *method, vt_value parameters, vt_value *out)
{
	vt_value raw = VT_UNDEF, none = vt_mkptr(vt_list_grow(rt, VT_K_TUPLE, 0));
	vt_status st = vt_invoke_public(rt, c->typeref, method, none, parameters, &raw);
	if (st == VT_OK)
		st = vt_final(rt, c->decl->unit, raw, out);
	vt_release(raw);
	vt_release(none);
	return st;
}

static void
run_action(vt_rt *rt, vt_value body, vt_answer *a)
{
	vt_value cls = member(body, "className"), method = member(body, "methodName");
	vt_value version = member(body, "classVersion"), package = member(body, "packageName");
	vt_value parameters = member(body, "parameters"), out = VT_UNDEF;
	vt_class *c;
	if (!vt_is(cls, STR) || !vt_is(method, STR) ||
		(!vt_is(version, STR) && version != VT_NULL) ||
		(!vt_is(package, STR) && package != VT_NULL) ||
		(!vt_is(parameters, DICT) && parameters != VT_NULL)) {
		refuse(a, 400,
			"className and methodName are texts, classVersion and packageName too when "
			"they are given, and parameters is an object");
		return;
	}
	if (!is_version(rt, text_or_null(version), a))
		return;
	c = vt_schema_class(rt, vt_as_str(cls)->s,
		version == VT_NULL ? "=0" : text_or_null(version), text_or_null(package));
	if (c != NULL && call(rt, c, vt_as_str(method), parameters, &out) == VT_OK) {
		vt_encode_result(rt, &a->body, out);
		vt_buf_putc(&a->body, '\n');
		vt_release(out);
	} else {
		put_exception(rt, a);
	}
}

static void
post_action(vt_rt *rt, const char *text, size_t n, vt_answer *a)
{
	vt_value body = VT_UNDEF;
	char *err = NULL;
	if (!vt_json_read(rt, text, n, VT_JSON_MUTABLE, 200, &body, &err)) {
		refuse(a, 400, err);
		free(err);
		return;
	}
	if (vt_is(body, DICT))
		run_action(rt, body, a);
	else
		refuse(a, 400, "a JSON object is expected");
	vt_release(body);
}

/* What is under way outside is waited for: who gets the answer will not ask again. */
void
vt_serve_act(vt_rt *rt, const char *body, size_t n, vt_answer *a)
{
	post_action(rt, body, n, a);
	rt->act = NULL;
	rt->depth = 0;
	if (rt->s->cloud_finish == NULL || rt->s->cloud_finish(rt) == VT_OK)
		return;
	if (a->status == 200)
		put_exception(rt, a);
	vt_exc_clear(rt);
}

/* ---- who answers ---- */

static void
run_journaled(const vt_server *s, vt_rt *rt, const vt_http *r, const char *body, vt_answer *a)
{
	if (s->begin != NULL && !s->begin(s->arg, rt, r->key, body, r->body, a))
		return;
	vt_serve_act(rt, body, r->body, a);
	if (s->end != NULL)
		s->end(s->arg, rt, r->key, a);
}

/* The server waits with SIGINT and SIGTERM blocked; while the program runs they unwind it. */
static void
in_session(const vt_server *s, const vt_http *r, const char *body, vt_answer *a)
{
	vt_rt *rt = s->open(s->arg);
	if (rt == NULL) {
		refuse(a, 500, "no session could be opened");
		return;
	}
	vt_interrupt_watch(rt);
	vt_interrupt_block(false);
	if (body != NULL)
		run_journaled(s, rt, r, body, a);
	else
		get_schemas(rt, r, a);
	vt_interrupt_block(true);
	vt_interrupt_end(rt);
	vt_rt_free(rt);
}

static void
get_page(const vt_http *r, vt_answer *a)
{
	vt_serve_page(r, vt_page, sizeof vt_page - 1, vt_page_policy, a);
}

/* What `deploy info` prints, and who can ask. */
static void
put_info(const vt_server *s, vt_buf *b)
{
	vt_deploy_info(s->program, b);
	if (s->beyond) {
		b->n -= 2; /* the line with its bracket */
		vt_buf_puts(b, ",\n  \"open\": ");
		vt_json_str(b, s->beyond, strlen(s->beyond));
		vt_buf_puts(b, "\n}");
	}
	vt_buf_putc(b, '\n');
}

static bool
is_route(const vt_http *r, const char *name, uint32_t from, uint32_t to)
{
	return strcmp(r->segment[0], name) == 0 && r->nsegments >= from && r->nsegments <= to;
}

void
vt_serve_answer(const vt_server *s, const vt_http *r, const char *body, vt_answer *a)
{
	bool get = strcmp(r->method, "GET") == 0 || strcmp(r->method, "HEAD") == 0;
	*a = (vt_answer){.status = 200, .type = JSON};
	if (s->program->form != NULL && s->program->form->serving->answer(s, r, body, a))
		return;
	if (is_route(r, "actions", 1, 1)) {
		if (strcmp(r->method, "POST") != 0)
			wrong_method(a, "POST");
		else if (!r->json)
			refuse(a, 415, "Content-Type: application/json is expected");
		else
			in_session(s, r, body, a);
	} else if (!is_route(r, "", 1, 1) && !is_route(r, "classes", 1, 1) &&
		   !is_route(r, "info", 1, 1) && !is_route(r, "schemas", 2, 3))
		refuse(a, 404,
			"there are /, /classes, /info, /schemas/CLASS[/METHODS] and /actions");
	else if (!get)
		wrong_method(a, "GET, HEAD");
	else if (is_route(r, "", 1, 1) || is_route(r, "classes", 1, 1))
		get_page(r, a);
	else if (is_route(r, "info", 1, 1)) {
		put_info(s, &a->body);
	} else
		in_session(s, r, NULL, a);
}
