/* system.c - rows of lib/system.fn: contexts, names, calls by name. */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/kind.h"
#include "runtime/core/value.h"
#include "runtime/seq/seq.h"
#include "registry.h"

#include <stdlib.h>
#include <string.h>

vt_status
vt_lib_finalize(vt_args *a, vt_value *out)
{
	if (a->unit != NULL && (a->unit->layers & VT_L_DSL))
		return vt_final(a->rt, a->unit, a->v[0], out);
	if (a->unit != NULL && !a->unit->opt.convert_output) {
		*out = vt_copy(a->v[0]);
		return VT_OK;
	}
	return vt_convert_output(a->rt, a->unit, a->v[0], out);
}

vt_status
vt_lib_iter(vt_args *a, vt_value *out)
{
	return vt_iterate_limited(a->rt, a->unit, a->v[0], out);
}

/* ---- variables ------------------------------------------------------------------------------- */

/* n of "$n"; 0 when the name is no number without leading zeros. "$" is "$1". */
static uint32_t
argument_number(const char *s)
{
	uint32_t n = 0;
	if (*s == '\0')
		return 1;
	if (*s == '0')
		return 0;
	for (; *s >= '0' && *s <= '9' && n < 100000; s++)
		n = n * 10 + (uint32_t)(*s - '0');
	return *s == '\0' ? n : 0;
}

static const char *
without_dollar(const vt_str *name)
{
	return name->s[0] == '$' ? name->s + 1 : name->s;
}

vt_status
vt_lib_get_context_data(vt_args *a, vt_value *out)
{
	const char *s = without_dollar(vt_as_str(a->v[0]));
	uint32_t n = argument_number(s);
	vt_value name;
	*out = VT_NULL;
	if (a->scope == NULL)
		return VT_OK;
	if (n != 0) {
		*out = vt_copy(vt_scope_arg(a->scope, n));
		return VT_OK;
	}
	name = vt_str_c(a->rt, s);
	*out = vt_copy(vt_scope_get(a->rt, a->scope, vt_as_str(name)));
	vt_release(name);
	return VT_OK;
}

/* A child of the caller's context with these as $1...; the NoValue marker leaves a variable
 * unset. */
static vt_scope *
child(vt_args *a, uint32_t n, const vt_value *args)
{
	vt_scope *sc = vt_scope_child(a->rt, a->scope, n, args);
	for (uint32_t i = 0; i < n; i++)
		if (sc->v[i] == VT_NOVALUE)
			sc->v[i] = VT_UNDEF;
	return sc;
}

static void
set_named(vt_rt *rt, vt_scope *sc, const vt_str *name, vt_value v)
{
	vt_value stripped;
	if (v == VT_NOVALUE)
		return;
	if (name->s[0] != '$') {
		vt_scope_set(rt, sc, name, v);
		return;
	}
	stripped = vt_str_c(rt, name->s + 1);
	vt_scope_set(rt, sc, vt_as_str(stripped), v);
	vt_release(stripped);
}

vt_status
vt_lib_with(vt_args *a, vt_value *out)
{
	*out = vt_mkptr(child(a, a->nrest, a->rest));
	return VT_OK;
}

vt_status
vt_lib_let(vt_args *a, vt_value *out)
{
	vt_scope *sc = child(a, a->nrest, a->rest);
	vt_value key, v;
	for (uint32_t i = 0; a->kw != VT_NULL && vt_dict_at(vt_as_dict(a->kw), &i, &key, &v);)
		set_named(a->rt, sc, vt_as_str(key), v);
	*out = vt_mkptr(sc);
	return VT_OK;
}

/* ---- unpack ---------------------------------------------------------------------------------- */

static vt_status
read_items(vt_rt *rt, vt_value iter, vt_list *l, uint32_t most)
{
	while (l->n < most) {
		vt_value v = VT_UNDEF;
		VT_TRY(vt_next(rt, iter, &v));
		if (v == VT_UNDEF)
			break;
		vt_list_push(rt, l, v);
	}
	return VT_OK;
}

static bool
read_twice(vt_value v)
{
	return vt_is_sequence(v) || vt_is(v, DICT) || vt_is_set_like(v);
}

/*
 * The reference first takes one item more than there are names, to count them, and without names
 * then reads the collection again: what can be read only once has lost its first item by then.
 */
static vt_status
unpack_numbered(vt_args *a, vt_value iter, vt_list *l, vt_value *out)
{
	VT_TRY(read_items(a->rt, iter, l, UINT32_MAX));
	if (read_twice(a->v[0]) || l->n == 0)
		*out = vt_mkptr(child(a, l->n, l->v));
	else
		*out = vt_mkptr(child(a, l->n - 1, l->v + 1));
	return VT_OK;
}

/* A number as a name is the positional variable, which only a scope made with it can hold. */
static vt_status
unpack_named(vt_args *a, vt_value iter, vt_list *l, vt_value *out)
{
	vt_value numbered[9];
	vt_scope *sc;
	uint32_t n, top = 0;
	VT_TRY(read_items(a->rt, iter, l, a->nrest + 1));
	if (l->n != a->nrest)
		return vt_raise(
			a->rt, VT_E_VALUE, "Cannot unpack %u elements into %u", l->n, a->nrest);
	for (uint32_t i = 0; i < VT_LEN(numbered); i++)
		numbered[i] = VT_UNDEF;
	for (uint32_t i = 0; i < l->n; i++) {
		n = argument_number(without_dollar(vt_as_str(a->rest[i])));
		if (n > 0 && n <= VT_LEN(numbered)) {
			numbered[n - 1] = l->v[i];
			top = n > top ? n : top;
		}
	}
	sc = child(a, top, numbered);
	*out = vt_mkptr(sc);
	for (uint32_t i = 0; i < l->n; i++)
		if (argument_number(without_dollar(vt_as_str(a->rest[i]))) == 0)
			set_named(a->rt, sc, vt_as_str(a->rest[i]), l->v[i]);
	return VT_OK;
}

vt_status
vt_lib_unpack(vt_args *a, vt_value *out)
{
	vt_value iter = VT_UNDEF;
	vt_list *l;
	vt_status st;
	VT_TRY(vt_iterate_limited(a->rt, a->unit, a->v[0], &iter));
	l = vt_list_grow(a->rt, VT_K_LIST, a->nrest + 1);
	st = a->nrest == 0 ? unpack_numbered(a, iter, l, out) : unpack_named(a, iter, l, out);
	vt_release(vt_mkptr(l));
	vt_release(iter);
	return st;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Upper case of a letter after an underscore, when it is one character again. */
static void
put_upper(vt_rt *rt, vt_buf *b, uint32_t cp)
{
	vt_buf one = {0};
	vt_value s, up;
	vt_utf8_put(&one, cp);
	s = vt_str_take(rt, &one);
	up = vt_str_upper(rt, vt_as_str(s));
	vt_buf_put(b, vt_as_str(up)->s, vt_as_str(up)->bytes);
	vt_release(s);
	vt_release(up);
}

/* my_func becomes myFunc, as for every function a host registers; the first character stays. */
static vt_value
camel_case(vt_rt *rt, const char *s, const char *end)
{
	vt_buf b = {0};
	bool first = true;
	while (s < end) {
		uint32_t cp = vt_utf8_next(&s);
		const char *after = s;
		uint32_t next = cp == '_' && !first && s < end ? vt_utf8_next(&after) : 0;
		first = false;
		if (next != 0 && vt_is_word(next)) {
			put_upper(rt, &b, next);
			s = after;
		} else {
			vt_utf8_put(&b, cp);
		}
	}
	return vt_str_take(rt, &b);
}

/* Names such as #operator_+ keep what stands up to the second mark and convert the rest. */
static vt_value
function_name(vt_rt *rt, const vt_str *name)
{
	const char *s = name->s, *end = s + name->bytes, *mark;
	vt_value head, tail;
	while (end > s && end[-1] == '_')
		end--;
	if (s == end || (s[0] & 0x80) || (s[0] >= 'a' && s[0] <= 'z') ||
		(s[0] >= 'A' && s[0] <= 'Z'))
		return camel_case(rt, s, end);
	mark = memchr(s + 1, s[0], (size_t)(end - s - 1));
	if (mark == NULL || mark == s + 1)
		return vt_str_new(rt, s, (size_t)(end - s));
	tail = camel_case(rt, mark + 1, end);
	head = vt_str_printf(rt, "%.*s%s", (int)(mark + 1 - s), s, vt_as_str(tail)->s);
	vt_release(tail);
	return head;
}

/* Is it a name by which functions of the library call others (`calls` in the .fn files)? */
static bool
is_called_by_library(const char *name)
{
	static const char *const names[] = {"min", "max", "str", "substring"};

	for (size_t i = 0; i < VT_LEN(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return name[0] == '#';
}

/* As far as the code of that unit sees it.  Which calls that are written in an expression mean the
 * function is known where programs are made: lp_is_hidden(). */
static enum vt_def_hides
hides_library(const vt_unit *u, const vt_str *name)
{
	bool is_query = u != NULL && u->cls == NULL && u->pkg == NULL,
	     known = vt_fn_absent(name->s);
	uint32_t n;
	const vt_fnrow *rows = vt_fn_find(name->s, &n);

	for (uint32_t i = 0; rows != NULL && i < n; i++)
		known |= u == NULL || (rows[i].layer & u->layers) != 0;
	if (!known)
		return VT_DEF_NEW;
	return is_query && !is_called_by_library(name->s) ? VT_DEF_SHADOWS : VT_DEF_HIDES;
}

/* The function's name, and whether it hides one of the library; both are kept of what a method
 * defines, whose text stays. */
static vt_value
name_of_function(vt_rt *rt, const vt_unit *u, const vt_str *written, enum vt_def_hides *hides)
{
	struct vt_def_name *known = &rt->s->def_name[(uintptr_t)written / sizeof(vt_str) % 4];
	vt_value name;
	if (known->name == written && known->unit == u) {
		*hides = (enum vt_def_hides)known->hides;
		return vt_mkptr(written);
	}
	name = function_name(rt, written);
	*hides = hides_library(u, vt_as_str(name));
	if (u == NULL || u->cls == NULL || written->h.rc < VT_IMMORTAL ||
		!vt_str_eq(vt_as_str(name), written))
		return name;
	*known = (struct vt_def_name){written, u, (uint8_t)*hides};
	vt_release(name);
	return vt_mkptr(written);
}

/*
 * The function sees the context that def() returns, itself included: so the lambda is made anew
 * there. vt_scope_define keeps no count for that way back.
 */
vt_status
vt_lib_def(vt_args *a, vt_value *out)
{
	const vt_lambda *l = VT_AS(vt_lambda, a->v[1]);
	vt_scope *sc = vt_scope_child(a->rt, a->scope, 0, NULL);
	enum vt_def_hides hides;
	vt_value name = name_of_function(a->rt, a->unit, vt_as_str(a->v[0]), &hides);
	vt_value f = l->code != NULL ? vt_lambda_new(a->rt, l->code, sc) : vt_copy(a->v[1]);
	vt_scope_define(sc, vt_as_str(name), f, hides);
	vt_release(f);
	vt_release(name);
	*out = vt_mkptr(sc);
	return VT_OK;
}

vt_status
vt_lib_call(vt_args *a, vt_value *out)
{
	return vt_call_dynamic(
		a->rt, a->scope, a->unit, vt_as_str(a->v[0]), a->v[3], a->v[1], a->v[2], out);
}

vt_status
vt_lib_call_value(vt_args *a, vt_value *out)
{
	return vt_apply_kw(a->rt, a->v[0], a->nrest, a->rest, a->kw, out);
}

vt_status
vt_lib_lambda(vt_args *a, vt_value *out)
{
	*out = vt_copy(a->v[0]);
	return VT_OK;
}

/* ---- operators: the compiler inlines these; call() finds them here --------------------------- */

vt_status
vt_lib_send_context(vt_args *a, vt_value *out)
{
	return vt_apply_in(a->rt, a->v[1], VT_AS(vt_scope, a->v[0]), 0, NULL, out);
}

vt_status
vt_lib_op_dot(vt_args *a, vt_value *out)
{
	return vt_apply(a->rt, a->v[1], 1, a->v, out);
}

vt_status
vt_lib_op_property(vt_args *a, vt_value *out)
{
	const vt_foreign *f = vt_foreign_of(a->v[0]);
	bool done = false;
	char *name;
	vt_status st = VT_OK;
	if (f != NULL)
		st = f->ops->get(a->rt, f->user, vt_as_str(a->v[1])->s, out, &done);
	if (done)
		return st;
	name = vt_asprintf("#property#%s", vt_as_str(a->v[1])->s);
	st = vt_call_name(a->rt, a->scope, a->unit, name, 1, a->v, out);
	free(name);
	return st;
}

vt_status
vt_lib_item_of_host(vt_args *a, vt_value *out)
{
	const vt_foreign *f = vt_foreign_of(a->v[0]);
	if (f != NULL)
		return f->ops->item(a->rt, f->user, a->v[1], out);
	return vt_raise(a->rt, VT_E_NO_MATCHING_FUNCTION,
		"No function \"#indexer\" matches supplied arguments");
}

vt_status
vt_lib_elvis(vt_args *a, vt_value *out)
{
	if (a->v[0] == VT_NULL) {
		*out = VT_NULL;
		return VT_OK;
	}
	return vt_lib_op_dot(a, out);
}

/* ---- assert ---------------------------------------------------------------------------------- */

vt_status
vt_lib_assert(vt_args *a, vt_value *out)
{
	vt_value obj = vt_copy(a->v[0]), r = VT_UNDEF;
	vt_status st;
	if (vt_is(obj, ITER))
		obj = vt_memo_new(a->rt, obj);
	st = vt_apply(a->rt, a->v[1], 1, &obj, &r);
	if (st == VT_OK && !vt_truth(r))
		st = vt_raise_value(a->rt, VT_E_ASSERTION, vt_copy(a->v[2]));
	vt_release(r);
	return vt_settle(st, obj, out);
}
