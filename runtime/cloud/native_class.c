/*
 * native_class.c - see native_class.h.
 */
#include "runtime/cloud/native_class.h"
#include "runtime/core/exception.h"
#include "runtime/object/object.h"
#include "runtime/call/call.h"

#include <string.h>

/* By name: the class may come from a library that the program was built with, or be nowhere at all.
 */
vt_object *
vt_owner_named(vt_rt *rt, vt_object *o, const char *fqn)
{
	(void)rt;
	for (o = o->owner; o != NULL; o = o->owner)
		for (uint32_t i = 0; i < o->cls->nlinear; i++)
			if (strcmp(o->cls->linear[i]->decl->name->s, fqn) == 0)
				return o;
	return NULL;
}

vt_status
vt_send(vt_rt *rt, vt_value object, const char *method, vt_value *out)
{
	vt_value name = vt_str_c(rt, method);
	bool ambiguous = false;
	const vt_method_decl *m =
		vt_class_method(rt, vt_cls_of(object), vt_as_str(name), &ambiguous);
	vt_status st = VT_ERROR;
	if (m != NULL)
		st = vt_invoke(rt, &vt_core_unit, m, object, 0, NULL, VT_NULL, out);
	else if (!ambiguous)
		(void)vt_raise(rt, VT_E_NO_METHOD_NAME, "Method \"%s\" is not found", method);
	vt_release(name);
	return st;
}

vt_value
vt_peek(vt_rt *rt, vt_object *o, const char *name)
{
	(void)rt;
	for (uint32_t i = 0; o != NULL && i < o->cls->nslots; i++)
		if (strcmp(o->cls->slots[i].name->s, name) == 0)
			return o->v[i] == VT_UNDEF ? VT_NULL : vt_copy(o->v[i]);
	return VT_NULL;
}

void
vt_path_escape(vt_buf *b, const char *s)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
	for (; *s != '\0'; s++)
		if (strchr(plain, *s) != NULL)
			vt_buf_putc(b, *s);
		else
			vt_buf_printf(b, "%%%02X", (unsigned char)*s);
}

const char *
vt_region_of(vt_rt *rt, vt_object *o, vt_value given, vt_value *held)
{
	vt_object *region;
	*held = VT_NULL;
	if (vt_is(given, STR) && vt_as_str(given)->bytes > 0)
		return vt_as_str(given)->s;
	if ((region = vt_owner_named(rt, o, "io.murano.CloudRegion")) != NULL)
		*held = vt_peek(rt, region, "name");
	return vt_text_or(*held, NULL);
}

void *
vt_native_of(vt_rt *rt, vt_value v, void (*free_native)(void *), const char *missing)
{
	const vt_object *o = vt_is(v, OBJECT) || vt_is(v, CAST) ? vt_obj_of(v) : NULL;
	if (o != NULL && o->more->native != NULL && o->more->native_free == free_native)
		return o->more->native;
	(void)vt_raise(rt, VT_E_ATTRIBUTE, "%s", missing);
	return NULL;
}

vt_status
vt_ask_now(vt_rt *rt, const vt_service_request *q, vt_value *body)
{
	vt_service_answer a = {.body = VT_UNDEF};
	vt_cloud *c;
	VT_TRY(vt_services(rt, &c));
	VT_TRY(c->request(rt, c->services, q, &a));
	if (!vt_service_check(rt, q, &a)) {
		vt_service_drop(&a);
		return VT_ERROR;
	}
	*body = vt_copy(a.body);
	vt_service_drop(&a);
	return VT_OK;
}

static vt_value
shown_request(vt_rt *rt, const vt_service_request *q)
{
	vt_dict *d = vt_dict_new(rt, false);
	vt_dict_set_c(rt, d, "method", vt_str_c(rt, q->method));
	vt_dict_set_c(rt, d, "service", vt_str_c(rt, q->service));
	vt_dict_set_c(rt, d, "region", q->region ? vt_str_c(rt, q->region) : VT_NULL);
	vt_dict_set_c(rt, d, "body", q->body != VT_UNDEF ? vt_copy(q->body) : VT_NULL);
	return vt_mkptr(d);
}

/* The run that was killed may have asked: that it is there then is no conflict. */
static vt_status
ask_again(vt_rt *rt, const vt_service_request *q, vt_value *body)
{
	enum { CONFLICT = 409 };
	vt_service_answer a = {.body = VT_UNDEF};
	vt_cloud *c;
	VT_TRY(vt_services(rt, &c));
	VT_TRY(c->request(rt, c->services, q, &a));
	if (a.status == CONFLICT || vt_service_check(rt, q, &a))
		*body = a.status == CONFLICT ? VT_NULL : vt_copy(a.body);
	vt_service_drop(&a);
	return vt_pending(rt) ? VT_ERROR : VT_OK;
}

/* What changes something is noted first; a run that goes on gets the answers of the one before. */
vt_status
vt_ask(vt_rt *rt, const vt_service_request *q, vt_value *body)
{
	vt_value content = shown_request(rt, q);
	vt_done done;
	vt_status st = vt_journal_begin(rt, "ask", q->path, content, &done);
	*body = done.result;
	if (st == VT_OK && done.result == VT_UNDEF) {
		if (strcmp(q->method, "GET") != 0)
			st = vt_journal_note(rt, &done, VT_NULL, VT_NULL);
		if (st == VT_OK)
			st = done.again ? ask_again(rt, q, body) : vt_ask_now(rt, q, body);
		if (st == VT_OK || vt_pending(rt)->type != VT_E_CANCELLED)
			vt_journal_end(rt, &done, *body);
	}
	vt_release(content);
	done.result = VT_UNDEF; /* the caller's */
	vt_journal_drop(&done);
	return st;
}
