/*
 * heat_request.c - what a request for a stack says, and whether one has arrived.
 */
#include "runtime/cloud/heat.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/object/object.h"

#include <string.h>

vt_value
vt_heat_tags(vt_rt *rt)
{
	vt_value v = vt_setting(rt, "heat", "stack_tags");
	vt_buf b = {0};
	if (vt_is(v, STR))
		return vt_copy(v);
	if (!vt_is_sequence(v))
		return vt_str_c(rt, "murano");
	for (uint32_t i = 0; i < vt_as_list(v)->n; i++) {
		vt_buf_puts(&b, i > 0 ? "," : "");
		vt_pystr(rt, &b, vt_as_list(v)->v[i]);
	}
	return vt_str_take(rt, &b);
}

void
vt_heat_put_common(vt_rt *rt, heat *h, vt_dict *d, vt_value template)
{
	vt_dict_set_c(rt, d, "template", vt_copy(template));
	vt_dict_set_c(rt, d, "parameters", vt_copy(h->parameters));
	vt_dict_set_c(rt, d, "files", vt_copy(h->files));
	vt_dict_set_c(rt, d, "environment", vt_copy(h->environment));
}

vt_value
vt_heat_body(vt_rt *rt, heat *h, vt_value template, bool create)
{
	vt_dict *d = vt_dict_new(rt, true);
	if (create)
		vt_dict_set_c(rt, d, "stack_name", vt_copy(h->name));
	vt_heat_put_common(rt, h, d, template);
	vt_dict_set_c(rt, d, "disable_rollback", VT_TRUE);
	vt_dict_set_c(rt, d, "tags", vt_heat_tags(rt));
	return vt_mkptr(d);
}

/* Heat shows parameters as texts. */
static bool
same_parameters(vt_rt *rt, heat *h, vt_value stack)
{
	vt_value all = vt_member(stack, "parameters"), key, v;
	bool same = true;
	for (uint32_t i = 0; same && vt_dict_at(vt_as_dict(h->parameters), &i, &key, &v);) {
		vt_value there = vt_is(all, DICT) ? vt_dict_get(vt_as_dict(all), key) : VT_UNDEF;
		vt_buf a = {0}, b = {0};
		vt_pystr(rt, &a, v);
		vt_pystr(rt, &b, there == VT_UNDEF ? VT_NULL : there);
		same = there != VT_UNDEF && a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
		vt_buf_free(&a);
		vt_buf_free(&b);
	}
	return same;
}

vt_status
vt_heat_find_there(vt_rt *rt, heat *h, vt_value stack, vt_value template, bool *there)
{
	const char *status = vt_text_or(vt_member(stack, "stack_status"), "");
	vt_service_answer a;
	vt_value now = VT_UNDEF;
	vt_status st;
	*there = false;
	if (strcmp(status, "CREATE_COMPLETE") != 0 && strcmp(status, "UPDATE_COMPLETE") != 0)
		return VT_OK;
	if (vt_is_true(h->files) || vt_is_true(h->environment) || !same_parameters(rt, h, stack))
		return VT_OK;
	VT_TRY(vt_heat_ask(rt, h, "GET", vt_heat_path(h, stack, "/template"), VT_UNDEF, &a));
	st = a.status < 300 ? vt_final(rt, &vt_core_unit, a.body, &now) : VT_OK;
	if (st == VT_OK && now != VT_UNDEF)
		*there = vt_equal(rt, now, template);
	vt_release(now);
	vt_service_drop(&a);
	return st;
}
