/*
 * openstack.c - requests to the services of a real OpenStack (heat-protocol.md).
 *
 * One set of connections and one token serve all tasks of a session.  A token that a service does
 * not take is replaced once, and the request repeated, as keystoneauth does.  Where the session has
 * a trust and the token of the user who gave it, some requests go with the latter as long as it
 * lives.
 */
#include "runtime/cloud/keystone.h"
#include "runtime/core/exception.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct openstack {
	vt_keystone k;
} openstack;

enum { MOST_FIELDS = 6 };

static bool
looks_like_json(const vt_net_response *r)
{
	const char *type = vt_net_get(r, "Content-Type");
	size_t blank = strspn(r->body, " \t\r\n");
	if (type)
		return strncasecmp(type, "application/json", 16) == 0 ||
		       strstr(type, "+json") != NULL;
	return r->body[blank] == '{' || r->body[blank] == '[';
}

static bool
is_page(const vt_net_response *r)
{
	const char *type = vt_net_get(r, "Content-Type");
	return type ? strncasecmp(type, "text/html", 9) == 0
		    : r->body[strspn(r->body, " \t\r\n")] == '<';
}

static vt_status
read_body(vt_rt *rt, const vt_net_request *q, const vt_net_response *r, vt_value *out)
{
	char *err = NULL, *shown;
	vt_status st;
	*out = VT_NULL;
	if (r->nbody == 0)
		return VT_OK;
	if (looks_like_json(r) && vt_json_read(rt, r->body, r->nbody, 0, 0, out, &err))
		return VT_OK;
	if (err == NULL && r->status < 300 && is_page(r))
		err = vt_xstrdup("it is a page for people; is that the service's address "
				 "(openstack catalog list)?");
	else if (err == NULL || r->status >= 300) { /* an error page says what it can */
		vt_buf b = {0};
		free(err);
		if (is_page(r))
			return VT_OK;
		vt_buf_put(&b, r->body, r->nbody);
		vt_buf_repair(&b);
		*out = vt_str_take(rt, &b);
		return VT_OK;
	}
	shown = vt_net_shown(q->url);
	vt_cloud_of(rt)->again = is_page(r) ? VT_AGAIN_NEVER : VT_AGAIN_READING;
	st = vt_raise(rt, VT_E_CLOUD, "%s %s answered %d, but what it says is no JSON: %s",
		q->method, shown, r->status, err);
	free(shown);
	free(err);
	return st;
}

/* Without the token, which vt_keystone_token has made sure of. */
static uint32_t
put_fields(openstack *o, const vt_service_request *q, vt_net_field *f)
{
	uint32_t n = 0;
	f[n++] = (vt_net_field){"X-Auth-Token", o->k.token, true};
	f[n++] = (vt_net_field){"Accept", "application/json", false};
	f[n++] = (vt_net_field){"User-Agent", "vetro", false};
	if (q->body != VT_UNDEF)
		f[n++] = (vt_net_field){
			"Content-Type", q->type ? q->type : "application/json", false};
	if (q->region && *q->region)
		f[n++] = (vt_net_field){"X-Region-Name", q->region, false};
	return n;
}

static void
put_body(vt_rt *rt, const vt_service_request *q, vt_buf *b)
{
	if (q->body == VT_UNDEF)
		return;
	if (q->type && strncmp(q->type, "text/", 5) == 0 && vt_is(q->body, STR))
		vt_buf_put(b, vt_as_str(q->body)->s, vt_as_str(q->body)->bytes);
	else
		vt_json_write(rt, b, q->body, 0);
}

static vt_status
send_once(vt_rt *rt, openstack *o, const vt_service_request *q, const char *base, const char *token,
	const vt_buf *body, vt_net_response *r)
{
	vt_net_field fields[MOST_FIELDS];
	char *url = vt_asprintf("%s%s", base, q->path);
	vt_net_request h = {.method = q->method,
		.url = url,
		.field = fields,
		.max_redirects = 5,
		.keep_method = true};
	vt_status st;
	h.nfields = put_fields(o, q, fields);
	fields[0].value = token;
	h.body = body->n ? body->p : NULL;
	h.nbody = body->n;
	vt_keystone_options(&o->k, &h);
	st = vt_net_run(rt, o->k.http, &h, r);
	if (st == VT_OK && r->message)
		st = vt_keystone_unreachable(rt, &h, r);
	free(url);
	return st;
}

static vt_status
answer(vt_rt *rt, const vt_service_request *q, const char *base, const vt_net_response *r,
	vt_service_answer *out)
{
	char *url = vt_asprintf("%s%s", base, q->path);
	vt_net_request h = {.method = q->method, .url = url};
	vt_status st;
	out->status = r->status;
	out->from = vt_net_shown(url);
	st = read_body(rt, &h, r, &out->body);
	free(url);
	return st;
}

/* GET /v3/auth/tokens of one's own token: what Keystone said with it. */
static bool
asks_who(const vt_service_request *q)
{
	return strcmp(q->service, "identity") == 0 && strcmp(q->method, "GET") == 0 &&
	       strcmp(q->path, "/v3/auth/tokens") == 0;
}

static vt_status
report_who(vt_rt *rt, const openstack *o, vt_service_answer *out)
{
	vt_dict *token = vt_dict_new(rt, false), *body = vt_dict_new(rt, false);
	vt_dict_set_c(rt, token, "user", vt_copy(o->k.user));
	vt_dict_set_c(rt, token, "project", vt_copy(o->k.project));
	vt_dict_set_c(rt, body, "token", vt_mkptr(token));
	*out = (vt_service_answer){.status = 200, .body = vt_mkptr(body)};
	return VT_OK;
}

/* Paths of Keystone begin with its version; so do some of its endpoints. */
static void
cut_version(const vt_service_request *q, char *base)
{
	size_t n = strlen(base);
	if (strcmp(q->service, "identity") == 0 && n > 3 && strcmp(base + n - 3, "/v3") == 0)
		base[n - 3] = '\0';
}

static vt_status
request(vt_rt *rt, void *ctx, const vt_service_request *q, vt_service_answer *out)
{
	openstack *o = ctx;
	vt_net_response r = {0};
	vt_buf body = {0};
	const char *user = q->as_user ? vt_keystone_get(&o->k, "user_token") : NULL;
	char *base = NULL, *before = NULL; /* another task may renew the session's token */
	vt_status st;
	*out = (vt_service_answer){.body = VT_UNDEF};
	/* The token must not go to a host that the endpoint and a path make together. */
	if (q->path[0] != '/') {
		vt_cloud_of(rt)->again = VT_AGAIN_NEVER;
		return vt_raise(
			rt, VT_E_CLOUD, "%s: a path below a service begins with a slash", q->path);
	}
	st = vt_keystone_token(&o->k, NULL);
	if (st == VT_OK && asks_who(q))
		return report_who(rt, o, out);
	put_body(rt, q, &body);
	for (int round = 0; st == VT_OK && round < 2; round++) {
		free(base);
		base = NULL;
		free(before);
		before = vt_xstrdup(user ? user : o->k.token);
		if ((st = vt_keystone_endpoint(&o->k, q->service, q->region, &base)) != VT_OK)
			break;
		cut_version(q, base);
		if ((st = send_once(rt, o, q, base, before, &body, &r)) != VT_OK ||
			r.status != 401 || round == 1)
			break;
		vt_net_response_free(&r);
		st = vt_keystone_token(&o->k, before);
		user = NULL;
	}
	if (st == VT_OK)
		st = answer(rt, q, base, &r, out);
	vt_net_response_free(&r);
	vt_buf_free(&body);
	free(before);
	free(base);
	return st;
}

static void
drop(void *ctx)
{
	openstack *o = ctx;
	vt_keystone_close(&o->k);
	free(o);
}

vt_status
vt_services_real(vt_rt *rt, vt_cloud *c)
{
	openstack *o = vt_xmalloc(sizeof *o);
	vt_status st = vt_keystone_open(rt, &o->k);
	if (st != VT_OK) {
		drop(o);
		return st;
	}
	c->request = request;
	c->services = o;
	c->drop_services = drop;
	return VT_OK;
}
