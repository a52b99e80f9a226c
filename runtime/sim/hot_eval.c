/*
 * hot_eval.c - functions in templates of the simulated Heat: get_resource, str_replace and others.
 */
#include "runtime/sim/hot.h"
#include "runtime/core/printable.h"
#include "runtime/core/number.h"
#include "runtime/text/text.h"
#include "runtime/object/object.h"
#include "runtime/task/task.h"

#include <stdlib.h>
#include <string.h>

bool
hot_refuse(hot *h, const char *fmt, ...)
{
	vt_buf b = {0};
	va_list ap;
	if (h->why != NULL)
		return false;
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	vt_buf_putc(&b, '\0');
	h->why = b.p;
	return false;
}

/* ---- values as texts --------------------------------------------------------------------- */

static void
put_text(hot *h, vt_buf *b, vt_value v)
{
	if (vt_is(v, STR))
		vt_buf_put(b, vt_as_str(v)->s, vt_as_str(v)->bytes);
	else if (v == VT_NULL)
		;
	else
		vt_json_write(h->rt, b, v, 0);
}

/* ---- functions --------------------------------------------------------------------------- */

static bool
fn_get_resource(hot *h, vt_value arg, vt_value *out)
{
	vt_value r = vt_is(arg, STR) ? vt_dict_get(h->made, arg) : VT_UNDEF;
	if (r == VT_UNDEF)
		return hot_refuse(
			h, "The specified reference \"%s\" is incorrect.", vt_text_or(arg, "?"));
	*out = vt_copy(vt_member(r, "id"));
	return true;
}

static bool
fn_get_param(hot *h, vt_value arg, vt_value *out)
{
	vt_value name = vt_is_sequence(arg) && vt_as_list(arg)->n > 0 ? vt_as_list(arg)->v[0] : arg,
		 v;
	const char *s = vt_text_or(name, "");
	if (strcmp(s, "OS::stack_name") == 0)
		v = vt_dict_get_c(h->stack, "name");
	else if (strcmp(s, "OS::stack_id") == 0)
		v = vt_dict_get_c(h->stack, "id");
	else
		v = vt_is(h->parameters, DICT) ? vt_dict_get_c(vt_as_dict(h->parameters), s)
					       : VT_UNDEF;
	if (strcmp(s, "OS::project_id") == 0) {
		*out = vt_str_c(h->rt, "project-1");
		return true;
	}
	if (v == VT_UNDEF)
		return hot_refuse(h, "The Parameter (%s) was not provided.", s);
	*out = vt_copy(v);
	return true;
}

/* A key or index of a value; VT_NULL where there is none. */
static vt_value
step(vt_value v, vt_value by)
{
	int64_t i;
	vt_value found;
	if (vt_is(v, DICT)) {
		found = vt_hashable(by) ? vt_dict_get(vt_as_dict(v), by) : VT_UNDEF;
		return found == VT_UNDEF ? VT_NULL : found;
	}
	if (!vt_is_sequence(v))
		return VT_NULL;
	if (vt_is(by, STR))
		i = atoll(vt_as_str(by)->s);
	else if (!vt_is_int(by))
		return VT_NULL;
	else
		i = vt_toint(by);
	return i >= 0 && i < vt_as_list(v)->n ? vt_as_list(v)->v[i] : VT_NULL;
}

static bool
fn_get_attr(hot *h, vt_value arg, vt_value *out)
{
	vt_value parts = VT_UNDEF, v, r;
	if (!vt_is_sequence(arg) || vt_as_list(arg)->n < 1)
		return hot_refuse(h,
			"Arguments to \"get_attr\" must be of the form [resource_name, "
			"attribute, (path), ...]");
	if (!hot_eval(h, arg, &parts))
		return false;
	r = vt_dict_get(h->made, vt_as_list(parts)->v[0]);
	if (r == VT_UNDEF) {
		vt_release(parts);
		return hot_refuse(h, "The specified reference \"%s\" is incorrect.",
			vt_text_or(vt_as_list(arg)->v[0], "?"));
	}
	if (!hot_make(h, vt_as_list(parts)->v[0])) {
		vt_release(parts);
		return false;
	}
	v = vt_member(vt_dict_get(h->made, vt_as_list(parts)->v[0]), "attr");
	for (uint32_t i = 1; i < vt_as_list(parts)->n; i++)
		v = step(v, vt_as_list(parts)->v[i]);
	*out = vt_copy(v);
	vt_release(parts);
	return true;
}

static bool
fn_get_file(hot *h, vt_value arg, vt_value *out)
{
	vt_value v = vt_is(h->files, DICT) && vt_is(arg, STR)
			     ? vt_dict_get(vt_as_dict(h->files), arg)
			     : VT_UNDEF;
	if (v == VT_UNDEF)
		return hot_refuse(h,
			"No content found in the \"files\" section for get_file path: %s",
			vt_text_or(arg, "?"));
	*out = vt_copy(v);
	return true;
}

/* The longest key that stands at p. */
static vt_value
key_at(const vt_dict *d, const char *p, size_t left, uint32_t *bytes)
{
	vt_value key, v, best = VT_UNDEF;
	*bytes = 0;
	for (uint32_t i = 0; vt_dict_at(d, &i, &key, &v);)
		if (vt_is(key, STR) && vt_as_str(key)->bytes > *bytes &&
			vt_as_str(key)->bytes <= left &&
			memcmp(vt_as_str(key)->s, p, vt_as_str(key)->bytes) == 0) {
			best = v;
			*bytes = vt_as_str(key)->bytes;
		}
	return best;
}

static bool
fn_str_replace(hot *h, vt_value arg, vt_value *out)
{
	vt_value all = VT_UNDEF, text, with, v;
	vt_buf b = {0};
	uint32_t n;
	if (!hot_eval(h, arg, &all))
		return false;
	text = vt_member(all, "template");
	with = vt_member(all, "params");
	if (!vt_is(text, STR) || !vt_is(with, DICT)) {
		vt_release(all);
		return hot_refuse(h, "\"str_replace\" needs a template and params");
	}
	for (const char *p = vt_as_str(text)->s, *end = p + vt_as_str(text)->bytes; p < end;) {
		v = key_at(vt_as_dict(with), p, (size_t)(end - p), &n);
		if (v == VT_UNDEF)
			vt_buf_putc(&b, *p++);
		else
			put_text(h, &b, v);
		p += n;
	}
	*out = vt_str_take(h->rt, &b);
	vt_release(all);
	return true;
}

/* [separator, list, ...] */
static bool
fn_list_join(hot *h, vt_value arg, vt_value *out)
{
	vt_value all = VT_UNDEF;
	vt_buf b = {0};
	bool first = true;
	if (!vt_is_sequence(arg) || vt_as_list(arg)->n < 2)
		return hot_refuse(h, "\"list_join\" needs a separator and lists");
	if (!hot_eval(h, arg, &all))
		return false;
	for (uint32_t k = 1; k < vt_as_list(all)->n; k++) {
		vt_value l = vt_as_list(all)->v[k];
		for (uint32_t i = 0; vt_is_sequence(l) && i < vt_as_list(l)->n; i++) {
			if (!first)
				put_text(h, &b, vt_as_list(all)->v[0]);
			first = false;
			put_text(h, &b, vt_as_list(l)->v[i]);
		}
	}
	*out = vt_str_take(h->rt, &b);
	vt_release(all);
	return true;
}

/* [separator, text, (index)] */
static bool
fn_str_split(hot *h, vt_value arg, vt_value *out)
{
	vt_value all = VT_UNDEF, part;
	vt_list *l;
	const char *sep, *p;
	if (!vt_is_sequence(arg) || vt_as_list(arg)->n < 2)
		return hot_refuse(h, "\"str_split\" needs a separator and a text");
	if (!hot_eval(h, arg, &all))
		return false;
	sep = vt_text_or(vt_as_list(all)->v[0], "");
	l = vt_list_grow(h->rt, VT_K_TUPLE, 0);
	for (p = vt_text_or(vt_as_list(all)->v[1], ""); *sep != '\0';) {
		const char *end = strstr(p, sep);
		vt_list_push(h->rt, l, vt_str_new(h->rt, p, end ? (size_t)(end - p) : strlen(p)));
		if (end == NULL)
			break;
		p = end + strlen(sep);
	}
	*out = vt_mkptr(l);
	if (vt_as_list(all)->n > 2) {
		part = vt_copy(step(*out, vt_as_list(all)->v[2]));
		vt_move(out, part);
	}
	vt_release(all);
	return true;
}

static bool
fn_map_merge(hot *h, vt_value arg, vt_value *out)
{
	vt_value all = VT_UNDEF, key, v;
	vt_dict *d;
	if (!hot_eval(h, arg, &all))
		return false;
	d = vt_dict_new(h->rt, true);
	for (uint32_t k = 0; vt_is_sequence(all) && k < vt_as_list(all)->n; k++)
		for (uint32_t i = 0; vt_is(vt_as_list(all)->v[k], DICT) &&
				     vt_dict_at(vt_as_dict(vt_as_list(all)->v[k]), &i, &key, &v);)
			(void)vt_dict_set(h->rt, d, key, v);
	vt_release(all);
	*out = vt_mkptr(d);
	return true;
}

/* [index, list or map] */
static bool
fn_select(hot *h, vt_value arg, vt_value *out)
{
	vt_value all = VT_UNDEF;
	if (!vt_is_sequence(arg) || vt_as_list(arg)->n != 2)
		return hot_refuse(h, "\"Fn::Select\" needs an index and a collection");
	if (!hot_eval(h, arg, &all))
		return false;
	*out = vt_copy(step(vt_as_list(all)->v[1], vt_as_list(all)->v[0]));
	vt_release(all);
	return true;
}

/* Its text is in the machine's metadata as it is. */
static bool
fn_base64(hot *h, vt_value arg, vt_value *out)
{
	return hot_eval(h, arg, out);
}

static const struct {
	const char *name;
	bool (*fn)(hot *, vt_value arg, vt_value *out);
} functions[] = {
	{"get_resource", fn_get_resource},
	{"Ref", fn_get_resource},
	{"get_param", fn_get_param},
	{"get_attr", fn_get_attr},
	{"Fn::GetAtt", fn_get_attr},
	{"get_file", fn_get_file},
	{"str_replace", fn_str_replace},
	{"str_replace_strict", fn_str_replace},
	{"list_join", fn_list_join},
	{"Fn::Join", fn_list_join},
	{"str_split", fn_str_split},
	{"Fn::Split", fn_str_split},
	{"map_merge", fn_map_merge},
	{"Fn::Select", fn_select},
	{"Fn::Base64", fn_base64},
};

/* ---- evaluation -------------------------------------------------------------------------- */

/* What has no function in it is shared, not copied. */
static bool
eval_list(hot *h, vt_value v, vt_value *out)
{
	const vt_list *from = vt_as_list(v);
	vt_list *l = vt_list_grow(h->rt, VT_K_TUPLE, from->n);
	bool same = true;
	for (uint32_t i = 0; i < from->n; i++) {
		vt_value item = VT_UNDEF;
		if (!hot_eval(h, from->v[i], &item)) {
			vt_release(vt_mkptr(l));
			return false;
		}
		same = same && item == from->v[i];
		vt_list_push(h->rt, l, item);
	}
	if (same)
		vt_release(vt_mkptr(l));
	*out = same ? vt_copy(v) : vt_mkptr(l);
	return true;
}

static bool
eval_members(hot *h, vt_value v, vt_value *out)
{
	vt_dict *d = NULL;
	vt_value key, member;
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(v), &i, &key, &member);) {
		vt_value item = VT_UNDEF;
		if (!hot_eval(h, member, &item)) {
			if (d != NULL)
				vt_release(vt_mkptr(d));
			return false;
		}
		if (item != member && d == NULL)
			d = vt_dict_copy(h->rt, vt_as_dict(v), true);
		if (d != NULL)
			(void)vt_dict_set(h->rt, d, key, item);
		vt_release(item);
	}
	*out = d != NULL ? vt_mkptr(d) : vt_copy(v);
	return true;
}

static bool
eval_dict(hot *h, vt_value v, vt_value *out)
{
	vt_value key, arg;
	uint32_t at = 0;
	const char *name;
	if (vt_dict_len(vt_as_dict(v)) != 1 || !vt_dict_at(vt_as_dict(v), &at, &key, &arg) ||
		!vt_is(key, STR))
		return eval_members(h, v, out);
	name = vt_as_str(key)->s;
	for (size_t i = 0; i < VT_LEN(functions); i++)
		if (strcmp(functions[i].name, name) == 0)
			return functions[i].fn(h, arg, out);
	if (strncmp(name, "Fn::", 4) == 0)
		return hot_refuse(h, "the simulated Heat has no function %s", name);
	return eval_members(h, v, out);
}

bool
hot_eval(hot *h, vt_value v, vt_value *out)
{
	bool ok;
	if (!vt_is(v, DICT) && !vt_is_sequence(v)) {
		*out = vt_copy(v);
		return true;
	}
	if (vt_too_deep(h->rt))
		return hot_refuse(h, "the template is nested too deeply");
	h->rt->depth++;
	ok = vt_is(v, DICT) ? eval_dict(h, v, out) : eval_list(h, v, out);
	h->rt->depth--;
	return ok;
}

/* A property, evaluated; VT_NULL when it is not there. */
bool
hot_property(hot *h, vt_value resource, const char *name, vt_value *out)
{
	vt_value v = vt_member(vt_member(resource, "properties"), name);
	return hot_eval(h, v, out);
}
