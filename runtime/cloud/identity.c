/*
 * identity.c - see identity.h.
 */
#include "runtime/cloud/identity.h"
#include "runtime/core/exception.h"
#include "runtime/object/object.h"

#include <string.h>

/* GET /v3/auth/tokens of one's own token says who one is: {"token": {"user": {"id", ...},
 * "project": {...}}}. */
static vt_status
who(vt_args *a, const char *kind, vt_value *out)
{
	vt_service_request q = {.service = "identity",
		.method = "GET",
		.path = "/v3/auth/tokens",
		.body = VT_UNDEF};
	vt_value body = VT_UNDEF, v;
	VT_TRY(vt_ask(a->rt, &q, &body));
	v = vt_member(vt_member(body, "token"), kind);
	*out = vt_copy(v);
	vt_release(body);
	if (vt_text_or(vt_member(*out, "id"), NULL) != NULL)
		return VT_OK;
	vt_clear(out);
	return vt_raise(a->rt, VT_E_CLOUD, "the token is for no %s", kind);
}

/* The whole of it; where one may not read that, what the token says. */
static vt_status
read_whole(vt_args *a, const vt_identity *k, vt_value *known)
{
	vt_buf path = {0};
	vt_service_request q = {.service = "identity", .method = "GET", .body = VT_UNDEF};
	vt_service_answer answer = {.body = VT_UNDEF};
	vt_cloud *c;
	vt_status st;
	vt_buf_puts(&path, k->path);
	vt_path_escape(&path, vt_as_str(vt_member(*known, "id"))->s);
	vt_buf_putc(&path, '\0');
	q.path = path.p;
	st = vt_services(a->rt, &c);
	if (st == VT_OK)
		st = c->request(a->rt, c->services, &q, &answer);
	if (st == VT_OK && answer.status < 300 && vt_is(vt_member(answer.body, k->kind), DICT))
		vt_move(known, vt_drawn(a->rt, vt_copy(vt_member(answer.body, k->kind))));
	else if (st == VT_OK && answer.status != 403 && answer.status != 404 &&
		 !vt_service_check(a->rt, &q, &answer))
		st = VT_ERROR;
	vt_service_drop(&answer);
	vt_buf_free(&path);
	return st;
}

static bool
is_hidden(const vt_identity *k, const char *name)
{
	for (size_t i = 0; k->hidden[i] != NULL; i++)
		if (strcmp(k->hidden[i], name) == 0)
			return true;
	for (size_t i = 0; k->fields[i][0] != NULL; i++)
		if (strcmp(k->fields[i][1], name) == 0)
			return true;
	return false;
}

static vt_value
properties(vt_args *a, const vt_identity *k, vt_value known)
{
	vt_dict *d = vt_dict_new(a->rt, true), *extra = vt_dict_new(a->rt, true);
	vt_value key, v;
	for (size_t i = 0; k->fields[i][0] != NULL; i++) {
		v = vt_member(known, k->fields[i][1]);
		if (v == VT_NULL && strcmp(k->fields[i][0], "domain") == 0)
			vt_dict_set_c(a->rt, d, "domain", vt_str_c(a->rt, "Default"));
		else
			vt_dict_set_c(a->rt, d, k->fields[i][0], vt_copy(v));
	}
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(known), &i, &key, &v);)
		if (vt_is(key, STR) && !is_hidden(k, vt_as_str(key)->s))
			(void)vt_dict_set(a->rt, extra, key, v);
	vt_dict_set_c(a->rt, d, "extra", vt_mkptr(extra));
	return vt_mkptr(d);
}

vt_status
vt_identity_object(vt_args *a, const vt_identity *k, vt_value *out)
{
	vt_value known = VT_UNDEF, params;
	vt_class *cls = vt_cls_of(a->self);
	vt_status st;
	VT_TRY(who(a, k->kind, &known));
	st = read_whole(a, k, &known);
	if (st == VT_OK) {
		params = properties(a, k, known);
		st = vt_new_object(a->rt, a->unit, cls, params, VT_NULL, VT_NULL, VT_NULL, out);
		vt_release(params);
	}
	vt_release(known);
	return st;
}
