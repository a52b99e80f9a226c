/*
 * given.c - what a user gives a configuration from outside: overrides, and class bindings that
 * are functions of Lua.
 */
#include "runtime/yay/yay.h"
#include "runtime/call/call.h"
#include "runtime/seq/seq.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

bool
vt_yay_has_class(vt_rt *rt, const char *name)
{
	return vt_host_defined(rt, name);
}

static const vt_unit unit = {.file = "", .layers = VT_L_STD, .opt = {-1, -1, 0, 0, 0, 0, 0}};

/* The function of that name gets the parameters and gives the members. */
vt_status
vt_yay_make_object(vt_rt *rt, const char *name, vt_value params, vt_value *out)
{
	vt_scope *scope = vt_scope_root(rt, &unit, VT_NULL);
	vt_status st = vt_call_name(rt, scope, &unit, name, 1, &params, out);

	vt_scope_drop(scope);
	return st;
}

vt_value
vt_yay_given_value(vt_rt *rt, const char *text)
{
	vt_value v;
	char *err = NULL;

	if (vt_json_read(rt, text, strlen(text), VT_JSON_MUTABLE, 100, &v, &err))
		return v;
	free(err);
	return vt_str_c(rt, text);
}

void
vt_yay_print(vt_rt *rt, vt_value v, bool raw, bool yaml, int layout)
{
	vt_buf b = {0};

	if (!yaml && !(raw && vt_is(v, STR))) {
		vt_json_print(rt, stdout, v, layout);
		putchar('\n');
		return;
	}
	if (raw && vt_is(v, STR))
		vt_buf_put(&b, vt_as_str(v)->s, vt_as_str(v)->bytes);
	else
		vt_yaml_write(rt, &b, v);
	if (!b.n || b.p[b.n - 1] != '\n')
		vt_buf_putc(&b, '\n');
	vt_buf_print(&b, stdout);
}

/* A layer with the value at the end of the path; gives v up. */
static bool
put_layer(vt_rt *rt, vt_yay *y, const char *arg, const char *eq, vt_value v)
{
	const char *end, *from;

	for (end = eq; end > arg; end = from > arg ? from - 1 : arg) {
		vt_dict *d = vt_dict_new_hashed(rt, false);
		vt_value key;
		for (from = end; from > arg && from[-1] != '.'; from--)
			;
		key = vt_str_new(rt, from, (size_t)(end - from));
		vt_dict_set(rt, d, key, v);
		vt_release(key);
		vt_release(v);
		v = vt_mkptr(d);
	}
	vt_yay_layer(y, v);
	vt_release(v);
	return true;
}

static const char *
assignment(const char *arg)
{
	const char *eq = strchr(arg, '=');
	return eq && eq != arg && vt_utf8_check(arg, strlen(arg)) == strlen(arg) ? eq : NULL;
}

bool
vt_yay_override(vt_rt *rt, vt_yay *y, const char *arg)
{
	const char *eq = assignment(arg);
	return eq && put_layer(rt, y, arg, eq, vt_yay_given_value(rt, eq + 1));
}

/* The same, where the value is YAML; what is none is a text. */
bool
vt_yay_input(vt_rt *rt, vt_yay *y, const char *arg)
{
	const char *eq = assignment(arg);
	vt_value v = VT_UNDEF;
	char *why = NULL;
	if (!eq)
		return false;
	if (!vt_yaml_read(rt, eq + 1, strlen(eq + 1), &v, &why))
		v = vt_str_c(rt, eq + 1);
	free(why);
	return put_layer(rt, y, arg, eq, v);
}
