/*
 * given.c - what a user gives a configuration from outside: overrides, and class bindings that
 * are functions of Lua.
 */
#include "runtime/yay/yay.h"
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/printable.h"
#include "runtime/seq/seq.h"
#include "runtime/text/nearest.h"
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

/* Keys of what the path leads to up to its last dot. */
static vt_value
keys_beside(vt_yay *y, const char *path, size_t prefix)
{
	vt_ynode *n = vt_yay_root(y);
	vt_value keys = VT_UNDEF;
	if (n && prefix)
		n = vt_yay_at(y, n, path, prefix);
	return n && vt_yay_value(y, n, VT_YAS_KEYS, &keys) ? keys : VT_UNDEF;
}

char *
vt_yay_near_path(vt_yay *y, const char *path, const char *const *more, size_t nmore)
{
	const char *dot = strrchr(path, '.'), *last = dot ? dot + 1 : path, *near;
	size_t prefix = dot ? (size_t)(dot - path) : 0, n = 0;
	vt_value keys = keys_beside(y, path, prefix);
	const vt_list *l = vt_is_sequence(keys) ? vt_as_list(keys) : NULL;
	const char **names = vt_xmalloc(((l ? l->n : 0) + nmore + 1) * sizeof *names);
	vt_buf b = {0};
	for (uint32_t i = 0; l && i < l->n; i++)
		if (vt_is(l->v[i], STR))
			names[n++] = vt_as_str(l->v[i])->s;
	for (size_t i = 0; !prefix && i < nmore; i++)
		names[n++] = more[i];
	near = vt_nearest(last, names, n);
	if (near) {
		vt_buf_printf(&b, "%.*s%s", (int)(prefix ? prefix + 1 : 0), path, near);
		vt_redact(&b, 0); /* a key may be made of secrets */
		vt_buf_putc(&b, '\0');
	}
	free(names);
	vt_release(keys);
	return b.p;
}

void
vt_yay_note_new(vt_yay *before, const char *self, const char *option, const char *arg)
{
	const char *eq = assignment(arg), *end = arg;
	vt_ynode *root = eq ? vt_yay_root(before) : NULL;
	bool indexed = root && memchr(arg, '[', (size_t)(eq - arg)) != NULL;
	char *path, *near;
	if (root == NULL ||
		(!indexed && (vt_yay_at(before, root, arg, (size_t)(eq - arg)) != NULL ||
				     vt_yay_fault(before)->kind != VT_YE_NO_MATCHING)))
		return;
	do /* the first part that is not there */
		for (end += *end == '.'; end < eq && *end != '.'; end++)
			;
	while (end < eq && vt_yay_at(before, root, arg, (size_t)(end - arg)) != NULL);
	path = vt_xstrndup(arg, (size_t)(end - arg));
	near = vt_yay_near_path(before, path, NULL, 0);
	if (near || indexed) /* others may be keys that the configuration asks for with a default */
		vt_say("%s: warning: %s %.*s: the configuration has no such key, so it is a new "
		       "one\n",
			self, option, (int)(eq - arg), arg);
	if (near)
		vt_say("  hint: did you mean %s%.*s?\n", near, (int)(eq - end), end);
	else if (indexed)
		vt_say("  hint: names are joined by dots, as in a.b; an item of a list cannot be "
		       "set\n");
	free(near);
	free(path);
}
