/*
 * load_model.c - models of environments: Objects, ObjectsCopy and Attributes become a session's
 * objects.
 */
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/object/object.h"

#include <string.h>

static bool
good_row(vt_value row)
{
	return vt_is_sequence(row) && vt_as_list(row)->n == 4 &&
	       vt_is(vt_as_list(row)->v[0], STR) && vt_is(vt_as_list(row)->v[1], STR) &&
	       vt_is(vt_as_list(row)->v[2], STR);
}

/* Rows of [object id, class, key, value]; those whose value is null mean nothing. */
static vt_status
load_attributes(vt_rt *rt, vt_value rows)
{
	if (rows == VT_UNDEF || rows == VT_NULL)
		return VT_OK;
	if (!vt_is_sequence(rows))
		return vt_raise(
			rt, VT_E_VALUE, "Attributes is a list of [object id, class, key, value]");
	for (uint32_t i = 0; i < vt_as_list(rows)->n; i++)
		if (!good_row(vt_as_list(rows)->v[i]))
			return vt_raise(rt, VT_E_VALUE,
				"Attributes[%u] is not [object id, class, key, value]", i);
	for (uint32_t i = 0; i < vt_as_list(rows)->n; i++) {
		const vt_value *row = vt_as_list(vt_as_list(rows)->v[i])->v;
		if (row[3] != VT_NULL)
			VT_TRY(vt_attribute_put(rt, row[0], vt_as_str(row[1]), row[2], row[3]));
	}
	return VT_OK;
}

/* A member of the model; a model that is one bare object is its Objects. */
static vt_value
part(vt_value model, const char *key)
{
	vt_value v;
	if (vt_dict_get_c(vt_as_dict(model), "?") != VT_UNDEF)
		return strcmp(key, "Objects") == 0 ? model : VT_NULL;
	v = vt_dict_get_c(vt_as_dict(model), key);
	return v == VT_UNDEF ? VT_NULL : v;
}

void
vt_model_rest(vt_rt *rt, vt_value model, vt_dict *to)
{
	static const char *const names[] = {"SystemData", "project_id", "user_id"};
	for (size_t i = 0; vt_is(model, DICT) && i < VT_LEN(names); i++) {
		vt_value v = vt_dict_get_c(vt_as_dict(model), names[i]);
		if (v != VT_UNDEF)
			vt_dict_set_c(rt, to, names[i], vt_copy(v));
	}
}

static void
keep_rest(vt_rt *rt, vt_value model)
{
	vt_dict *d = vt_dict_new(rt, false);
	if (vt_dict_get_c(vt_as_dict(model), "?") == VT_UNDEF)
		vt_model_rest(rt, model, d);
	if (vt_dict_len(d) > 0) {
		vt_move(&rt->s->kept, vt_mkptr(d));
		return;
	}
	vt_release(vt_mkptr(d));
	vt_move(&rt->s->kept, VT_NULL);
}

/* G1: what the last deployment left and this model no longer has is destroyed. */
static bool
clean_up(vt_rt *rt)
{
	vt_value copy = VT_UNDEF;
	if (!vt_truth(rt->s->objects_copy)) {
		if (!vt_store_is_neat(rt))
			vt_store_take_down(rt);
		return true;
	}
	if (vt_store_load(rt, rt->s->objects_copy, NULL, NULL, true, NULL, &copy) != VT_OK)
		return false;
	vt_release(copy);
	vt_store_collect(rt);
	return true;
}

vt_status
vt_load_objects(vt_rt *rt, vt_value model, vt_value *out)
{
	vt_value objects = part(model, "Objects"), copy = part(model, "ObjectsCopy");
	vt_value root = VT_NULL, old = VT_UNDEF;
	vt_status st = load_attributes(rt, part(model, "Attributes"));
	if (st == VT_OK && objects != VT_NULL)
		st = vt_store_load(rt, objects, NULL, NULL, true, NULL, &root);
	if (st == VT_OK && vt_truth(copy))
		st = vt_store_load(rt, copy, NULL, NULL, true, NULL, &old);
	vt_release(old);
	return vt_settle(st, root, out);
}

vt_status
vt_look_at_model(vt_rt *rt, vt_value model, vt_value *root)
{
	vt_value objects;
	if (!vt_is(model, DICT))
		return vt_raise(
			rt, VT_E_TYPE, "a model is a dictionary, not %s", vt_py_type(model));
	VT_TRY(load_attributes(rt, part(model, "Attributes")));
	objects = part(model, "Objects");
	*root = VT_NULL;
	return objects == VT_NULL ? VT_OK : vt_store_look(rt, objects, root);
}

bool
vt_load_model(vt_rt *rt, vt_value model, vt_value config)
{
	vt_session *s = rt->s;
	vt_value objects, root = VT_UNDEF;
	if (!vt_is(model, DICT))
		return vt_raise(rt, VT_E_TYPE, "a model is a dictionary, not %s",
			       vt_py_type(model)) == VT_OK;
	if (config != VT_NULL && config != VT_UNDEF) {
		if (!vt_is(config, DICT))
			return vt_raise(rt, VT_E_TYPE, "config is a dictionary by class, not %s",
				       vt_py_type(config)) == VT_OK;
		vt_move(&s->config, vt_copy(config));
	}
	keep_rest(rt, model);
	if (load_attributes(rt, part(model, "Attributes")) != VT_OK)
		return false;
	vt_move(&s->objects_copy, vt_copy(part(model, "ObjectsCopy")));
	objects = part(model, "Objects");
	if (objects != VT_NULL &&
		vt_store_load(rt, objects, NULL, NULL, true, NULL, &root) != VT_OK)
		return false;
	if (root != VT_UNDEF)
		s->root = root;
	return clean_up(rt);
}
