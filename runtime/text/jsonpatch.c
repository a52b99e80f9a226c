/*
 * jsonpatch.c - patch(): JSON Patch (RFC 6902) over JSON Pointer (RFC 6901), with the errors that
 * the reference's library raises.
 *
 * A document is a value and every step makes a new one, sharing what it does not touch.  A pointer
 * that leads nowhere ends the patch and leaves what was reached until then, without an error: that
 * is what the engine makes of that exception.
 */
#include "runtime/core/base.h"
#include "runtime/core/printable.h"
#include "runtime/core/exception.h"
#include "runtime/core/value.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"
#include "runtime/core/args.h"
#include "registry.h"

#include <stdlib.h>
#include <string.h>

/* NOWHERE: the pointer does not fit the document. */
enum { NOWHERE = 100 };

/* A pointer's parts, unescaped; a list of str. */
typedef struct pointer {
	vt_value parts;
	uint32_t n;
} pointer;
struct place {
	vt_value holder;
	vt_value key;
	int64_t index;
	bool end;
}; /* borrowed; key for dicts, index for lists */
enum edit { EDIT_ADD, EDIT_REPLACE, EDIT_REMOVE };

static void
unescape(vt_buf *b, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '~' && i + 1 < n && (p[i + 1] == '0' || p[i + 1] == '1'))
			vt_buf_putc(b, p[++i] == '0' ? '~' : '/');
		else
			vt_buf_putc(b, p[i]);
	}
}

static vt_status
parse_pointer(vt_rt *rt, vt_value text, pointer *out)
{
	const char *p;
	vt_list *l;
	if (!vt_is(text, STR))
		return vt_raise(rt, VT_E_JSON_PATCH_INVALID, "Invalid 'path'");
	p = vt_as_str(text)->s;
	if (*p != '\0' && *p != '/')
		return NOWHERE;
	l = vt_list_grow(rt, VT_K_LIST, 4);
	while (*p == '/') {
		vt_buf b = {0};
		size_t n = strcspn(++p, "/");
		unescape(&b, p, n);
		vt_list_push(rt, l, vt_str_take(rt, &b));
		p += n;
	}
	*out = (pointer){vt_mkptr(l), l->n};
	return VT_OK;
}

static vt_value
part(const pointer *p, uint32_t i)
{
	return vt_as_list(p->parts)->v[i];
}

/* 0, or digits that do not start with 0; "-" is the end. */
static bool
list_index(const char *s, struct place *at)
{
	size_t n = strspn(s, "0123456789");
	at->end = strcmp(s, "-") == 0;
	if (at->end)
		return true;
	if (n == 0 || n > 9 || s[n] != '\0' || (s[0] == '0' && n > 1))
		return false;
	at->index = strtol(s, NULL, 10);
	return true;
}

static vt_status
place_in(vt_value holder, vt_value word, struct place *at)
{
	*at = (struct place){.holder = holder, .key = word, .index = -1};
	if (vt_is(holder, DICT))
		return VT_OK;
	if (vt_is_sequence(holder))
		return list_index(vt_as_str(word)->s, at) ? VT_OK : NOWHERE;
	return NOWHERE;
}

/* Borrowed, or VT_UNDEF. */
static vt_value
value_at(const struct place *at)
{
	if (vt_is(at->holder, DICT))
		return vt_dict_get(vt_as_dict(at->holder), at->key);
	if (at->end || at->index < 0 || at->index >= vt_as_list(at->holder)->n)
		return VT_UNDEF;
	return vt_as_list(at->holder)->v[at->index];
}

/* Walks to the holder of the last part. The pointer has parts. */
static vt_status
find_place(vt_value doc, const pointer *p, struct place *at)
{
	vt_status st;
	for (uint32_t i = 0;; i++) {
		if ((st = place_in(doc, part(p, i), at)) != VT_OK || i + 1 == p->n)
			return st;
		doc = value_at(at);
		if (doc == VT_UNDEF)
			return NOWHERE;
	}
}

static vt_status
edit_dict(vt_rt *rt, const struct place *at, enum edit how, vt_value v, vt_value *out)
{
	vt_dict *d = vt_dict_copy(rt, vt_as_dict(at->holder), false);
	bool there = vt_dict_get(d, at->key) != VT_UNDEF;
	vt_status st = VT_OK;
	*out = vt_mkptr(d);
	if (how != EDIT_ADD && !there)
		st = vt_raise(rt, VT_E_JSON_PATCH_CONFLICT, "can't %s a non-existent object '%s'",
			how == EDIT_REMOVE ? "remove" : "replace", vt_as_str(at->key)->s);
	else if (how == EDIT_REMOVE)
		(void)vt_dict_del(rt, d, at->key);
	else
		st = vt_dict_set(rt, d, at->key, v);
	if (st != VT_OK)
		vt_clear(out);
	return st;
}

static vt_status
edit_list(vt_rt *rt, const struct place *at, enum edit how, vt_value v, vt_value *out)
{
	const vt_list *from = vt_as_list(at->holder);
	int64_t i = at->end && how == EDIT_ADD ? from->n : at->index;
	vt_list *l;
	if (at->end && how == EDIT_REPLACE)
		return vt_raise(rt, VT_E_JSON_PATCH_INVALID,
			"'path' with '-' can't be applied to 'replace' operation");
	if (at->end && how == EDIT_REMOVE)
		return vt_raise(rt, VT_E_TYPE, "list indices must be integers or slices, not str");
	if (how == EDIT_ADD && i > from->n)
		return vt_raise(rt, VT_E_JSON_PATCH_CONFLICT, "can't insert outside of list");
	if (how == EDIT_REPLACE && i >= from->n)
		return vt_raise(rt, VT_E_JSON_PATCH_CONFLICT, "can't replace outside of list");
	if (how == EDIT_REMOVE && i >= from->n)
		return vt_raise(rt, VT_E_JSON_PATCH_CONFLICT,
			"can't remove a non-existent object '%lld'", (long long)i);
	l = vt_list_grow(rt, VT_K_LIST, from->n + 1);
	for (uint32_t k = 0; k < from->n; k++) {
		if (k == i && how != EDIT_REMOVE)
			vt_list_push(rt, l, vt_copy(v));
		if (k != i || how == EDIT_ADD)
			vt_list_push(rt, l, vt_copy(from->v[k]));
	}
	if (i == from->n)
		vt_list_push(rt, l, vt_copy(v));
	*out = vt_mkptr(l);
	return VT_OK;
}

/* The document in which the part at `depth` and all below is edited. */
static vt_status
edit(vt_rt *rt, vt_value doc, const pointer *p, uint32_t depth, enum edit how, vt_value v,
	vt_value *out)
{
	struct place at;
	vt_value inner, made = VT_UNDEF;
	vt_status st;
	if ((st = place_in(doc, part(p, depth), &at)) != VT_OK)
		return st;
	if (depth + 1 == p->n)
		return vt_is(doc, DICT) ? edit_dict(rt, &at, how, v, out)
					: edit_list(rt, &at, how, v, out);
	inner = value_at(&at);
	if (inner == VT_UNDEF)
		return NOWHERE;
	if (rt->depth + depth >= rt->max_depth || vt_too_deep(rt))
		return vt_raise_depth(rt);
	if ((st = edit(rt, inner, p, depth + 1, how, v, &made)) != VT_OK)
		return st;
	st = vt_is(doc, DICT) ? edit_dict(rt, &at, EDIT_ADD, made, out)
			      : edit_list(rt, &at, EDIT_REPLACE, made, out);
	vt_release(made);
	return st;
}

/* A pointer without parts means the whole document. */
static vt_status
edit_root(vt_rt *rt, vt_value doc, const pointer *p, enum edit how, vt_value v, vt_value *out)
{
	if (p->n > 0)
		return edit(rt, doc, p, 0, how, v, out);
	if (how == EDIT_REMOVE)
		return vt_raise(
			rt, VT_E_JSON_PATCH_CONFLICT, "can't remove a non-existent object 'None'");
	*out = vt_copy(v);
	return VT_OK;
}

/* ---- operations ---- */

static vt_value
member(vt_value op, const char *name)
{
	return vt_dict_get_c(vt_as_dict(op), name);
}

static vt_status
no_member(vt_rt *rt, const char *name)
{
	return vt_raise(
		rt, VT_E_JSON_PATCH_INVALID, "The operation does not contain a '%s' member", name);
}

static vt_status
source_of(vt_rt *rt, vt_value doc, vt_value op, pointer *from, vt_value *v)
{
	struct place at;
	vt_status st;
	if (member(op, "from") == VT_UNDEF)
		return no_member(rt, "from");
	if ((st = parse_pointer(rt, member(op, "from"), from)) != VT_OK)
		return st;
	if (from->n == 0)
		return vt_raise(rt, VT_E_JSON_PATCH_CONFLICT, "None");
	if ((st = find_place(doc, from, &at)) != VT_OK)
		return st;
	*v = value_at(&at);
	if (*v != VT_UNDEF)
		return VT_OK;
	if (vt_is(at.holder, DICT))
		return vt_raise(rt, VT_E_JSON_PATCH_CONFLICT, "'%s'", vt_as_str(at.key)->s);
	return vt_raise(rt, VT_E_JSON_PATCH_CONFLICT, "list index out of range");
}

static bool
is_prefix(const pointer *a, const pointer *b)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (i >= b->n || !vt_eq(part(a, i), part(b, i)))
			return false;
	return true;
}

static vt_status
move(vt_rt *rt, vt_value doc, vt_value op, const pointer *to, bool copy, vt_value *out)
{
	pointer from = {VT_UNDEF, 0};
	vt_value v = VT_UNDEF, rest = VT_UNDEF;
	vt_status st = source_of(rt, doc, op, &from, &v);
	if (st == VT_OK)
		vt_retain(v);
	else
		v = VT_UNDEF;
	if (st == VT_OK && !copy && from.n == to->n && is_prefix(&from, to))
		*out = vt_copy(doc);
	else if (st == VT_OK && !copy && is_prefix(&from, to))
		st = vt_raise(
			rt, VT_E_JSON_PATCH_CONFLICT, "Cannot move values into their own children");
	else if (st == VT_OK && copy)
		st = edit_root(rt, doc, to, EDIT_ADD, v, out);
	else if (st == VT_OK &&
		 (st = edit_root(rt, doc, &from, EDIT_REMOVE, VT_UNDEF, &rest)) == VT_OK)
		st = edit_root(rt, rest, to, EDIT_ADD, v, out);
	vt_release(rest);
	vt_release(v);
	vt_release(from.parts);
	return st;
}

static void
report_value(vt_rt *rt, vt_buf *b, vt_value v)
{
	vt_pystr_cut(rt, b, v);
	vt_buf_printf(b, " (<class '%s'>)", vt_py_type(v));
}

static vt_status
test(vt_rt *rt, vt_value doc, vt_value op, const pointer *p, vt_value *out)
{
	struct place at;
	vt_value v = doc, want = member(op, "value");
	vt_buf b = {0};
	if (p->n > 0)
		v = find_place(doc, p, &at) == VT_OK ? value_at(&at) : VT_UNDEF;
	if (v == VT_UNDEF)
		return vt_raise(rt, VT_E_JSON_PATCH_TEST, "member '%s' not found",
			vt_as_str(part(p, p->n - 1))->s);
	if (want == VT_UNDEF)
		return no_member(rt, "value");
	if (vt_json_equal(v, want)) {
		*out = vt_copy(doc);
		return VT_OK;
	}
	report_value(rt, &b, v);
	vt_buf_puts(&b, " is not equal to tested value ");
	report_value(rt, &b, want);
	return vt_raise_value(rt, VT_E_JSON_PATCH_TEST, vt_str_take(rt, &b));
}

/* The reference compares mutable copies, in which a tuple is a list. */
bool
vt_json_equal(vt_value a, vt_value b)
{
	vt_value key, v, w;
	if (vt_is_sequence(a) && vt_is_sequence(b)) {
		if (vt_as_list(a)->n != vt_as_list(b)->n)
			return false;
		for (uint32_t i = 0; i < vt_as_list(a)->n; i++)
			if (!vt_json_equal(vt_as_list(a)->v[i], vt_as_list(b)->v[i]))
				return false;
		return true;
	}
	if (!vt_is(a, DICT) || !vt_is(b, DICT))
		return vt_eq(a, b);
	if (vt_dict_len(vt_as_dict(a)) != vt_dict_len(vt_as_dict(b)))
		return false;
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(a), &i, &key, &v);)
		if ((w = vt_dict_get(vt_as_dict(b), key)) == VT_UNDEF || !vt_json_equal(v, w))
			return false;
	return true;
}

static vt_status
apply_at(vt_rt *rt, vt_value doc, vt_value op, const char *name, const pointer *p, vt_value *out)
{
	bool add = strcmp(name, "add") == 0;
	if (strcmp(name, "remove") == 0)
		return edit_root(rt, doc, p, EDIT_REMOVE, VT_UNDEF, out);
	if (add || strcmp(name, "replace") == 0) {
		if (member(op, "value") == VT_UNDEF)
			return no_member(rt, "value");
		return edit_root(
			rt, doc, p, add ? EDIT_ADD : EDIT_REPLACE, member(op, "value"), out);
	}
	if (strcmp(name, "move") == 0 || strcmp(name, "copy") == 0)
		return move(rt, doc, op, p, name[0] == 'c', out);
	if (strcmp(name, "test") == 0)
		return test(rt, doc, op, p, out);
	return vt_raise(rt, VT_E_JSON_PATCH_INVALID, "Unknown operation '%s'", name);
}

static vt_status
apply(vt_rt *rt, vt_value doc, vt_value op, vt_value *out)
{
	pointer p = {VT_UNDEF, 0};
	vt_value name;
	vt_status st;
	if (!vt_is(op, DICT) || (name = member(op, "op")) == VT_UNDEF)
		return vt_raise(
			rt, VT_E_JSON_PATCH_INVALID, "Operation does not contain 'op' member");
	if (!vt_is(name, STR))
		return vt_raise(rt, VT_E_JSON_PATCH_INVALID, "Operation's op must be a string");
	if (member(op, "path") == VT_UNDEF)
		return vt_raise(rt, VT_E_JSON_PATCH_INVALID, "Operation must have a 'path' member");
	st = parse_pointer(rt, member(op, "path"), &p);
	if (st == VT_OK)
		st = apply_at(rt, doc, op, vt_as_str(name)->s, &p, out);
	vt_release(p.parts);
	return st;
}

vt_status
vt_lib_patch(vt_args *a, vt_value *out)
{
	vt_value ops = a->v[1], doc = vt_copy(a->v[0]), next = VT_UNDEF;
	uint32_t n = vt_is_sequence(ops) ? vt_as_list(ops)->n : 1;
	for (uint32_t i = 0; i < n; i++) {
		vt_status st =
			apply(a->rt, doc, vt_is_sequence(ops) ? vt_as_list(ops)->v[i] : ops, &next);
		if (st == NOWHERE)
			break;
		vt_release(doc);
		if (st != VT_OK)
			return st;
		doc = next;
	}
	*out = doc;
	return VT_OK;
}
