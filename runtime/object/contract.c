/*
 * contract.c - what contracts do: muranopl-engine.md 6.
 *
 * The emitted function of a contract calls the vt_c_* below in the order of its chain.  cx->path
 * stays NULL until an expression of the contract is violated: that leaf makes it an empty text, and
 * every list and dict around puts its index in front.  A list or dict that itself does not fit
 * leaves it NULL, so that the error names the property alone; the reference does the same (T14).
 *
 * Objects that are not known yet in the first pass of a load are VT_OBJREF: one mark for all, for
 * the contract of the property runs again when all are known.
 */
#include "runtime/core/base.h"
#include "runtime/core/printable.h"
#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "runtime/object/contract.h"
#include "runtime/object/object.h"
#include "runtime/object/store.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>
#include <string.h>

static const vt_names no_names;

/* ---- running one ---- */

static vt_scope *
root_of(vt_rt *rt, vt_cx *cx)
{
	if (cx->root == NULL) {
		vt_load_doubt(rt);
		cx->root = vt_scope_method(rt, cx->unit, cx->self, &no_names);
	}
	return cx->root;
}

vt_scope *
vt_c_scope(vt_rt *rt, vt_cx *cx, vt_value in)
{
	return vt_scope_child(rt, root_of(rt, cx), 1, &in);
}

vt_scope *
vt_c_open(vt_rt *rt, vt_cx *cx, vt_value in)
{
	vt_scope_borrow_cx(root_of(rt, cx), cx);
	return vt_c_scope(rt, cx, in);
}

/* A lambda may be kept for longer than its contract runs: then the function has nothing to work
 * on. */
vt_status
vt_c_around(vt_rt *rt, const vt_scope *sc, vt_value receiver, vt_cx **out)
{
	*out = vt_scope_cx(sc);
	if (*out != NULL)
		return VT_OK;
	return vt_raise(rt, VT_E_RUNTIME, "the contract of this function is over (called on %s)",
		vt_py_type(receiver));
}

void
vt_c_close(vt_cx *cx)
{
	if (cx->root == NULL)
		return;
	vt_scope_borrow_cx(cx->root, NULL);
	vt_scope_drop(cx->root);
}

/* A default is evaluated as code of the declaring class that nobody called: it may not write. */
static vt_status
default_value(vt_rt *rt, vt_cx *cx, const vt_code *dflt, vt_value *out)
{
	bool was, constant = (dflt->flags & VT_CODE_CONST) != 0;
	vt_value v = VT_NULL;
	vt_status st;
	was = vt_writes_allowed(rt, 0);
	st = vt_code_run(rt, dflt, constant ? NULL : root_of(rt, cx), &v);
	vt_writes_allowed(rt, was);
	if (st != VT_OK)
		return st;
	st = vt_final_fast(rt, cx->unit, v, out);
	vt_release(v);
	return st;
}

vt_status
vt_contract_run(vt_rt *rt, const vt_contract_use *u, vt_value in, vt_value *out, char **path)
{
	vt_cx cx = {.mode = u->mode,
		.self = u->self,
		.owner = u->owner,
		.calling_type = u->calling_type,
		.unit = u->cls->unit ? u->cls->unit : &vt_core_unit};
	vt_value v = VT_UNDEF, made = VT_UNDEF;
	vt_status st = VT_OK;
	if (in == VT_NOVALUE && u->dflt != NULL)
		st = default_value(rt, &cx, u->dflt, &v);
	else
		v = in == VT_NOVALUE ? VT_NULL : vt_copy(in);
	if (st == VT_OK && u->contract != NULL && v != VT_PASSKEY) {
		st = u->contract(rt, &cx, v, &made);
		vt_release(v);
		v = made;
	}
	vt_c_close(&cx);
	if (path != NULL)
		*path = cx.path;
	else
		free(cx.path);
	if (st != VT_OK)
		return st;
	if (vt_final_now(v)) {
		*out = v;
		return VT_OK;
	}
	st = vt_final_held(rt, cx.unit, &v, out); /* what the contract made is nobody's yet */
	vt_release(v);
	return st;
}

/* ---- errors ---- */

/* Something below an expression was violated: the path starts here. */
static __attribute__((cold)) vt_status
leaf(vt_rt *rt, vt_cx *cx)
{
	vt_exc *e = vt_pending(rt);
	if (e != NULL && e->type == VT_E_CONTRACT && cx->path == NULL)
		cx->path = vt_xstrdup("");
	return VT_ERROR;
}

/* What is no short text or small integer is shown in part. */
static __attribute__((cold, noinline)) vt_value
cut_message(vt_rt *rt, const char *before, vt_value v, const char *after)
{
	vt_buf b = {0}, whole = {0};
	vt_buf_puts(&b, before);
	vt_format_scalar(rt, &whole, v);
	vt_put_cut(&b, whole.p ? whole.p : "", whole.n);
	vt_buf_free(&whole);
	vt_buf_puts(&b, after);
	return vt_str_take(rt, &b);
}

enum { SHORT = 64 }; /* bytes of a text that is shown as it is */
/* "before value after"; the value as the reference's format_scalar shows it. */
vt_status
vt_c_violated(vt_rt *rt, vt_cx *cx, const char *before, vt_value v, const char *after)
{
	char digits[VT_INT_TEXT + 1];
	bool text = vt_is(v, STR) && vt_as_str(v)->bytes <= SHORT &&
		    strlen(vt_as_str(v)->s) == vt_as_str(v)->bytes;
	const char *quote = text ? "'" : "", *shown = NULL;
	vt_value message;
	digits[VT_INT_TEXT] = '\0';
	if (text)
		shown = vt_as_str(v)->s;
	else if (vt_is_int(v))
		shown = vt_int_digits(digits + VT_INT_TEXT, vt_toint(v));
	message = shown == NULL ? cut_message(rt, before, v, after)
				: vt_message_of(rt, (const char *const[]){before, quote, shown,
							    quote, after, NULL});
	(void)vt_raise_value(rt, VT_E_CONTRACT, message);
	return cx ? leaf(rt, cx) : VT_ERROR;
}

static vt_status
violated_silently(vt_rt *rt, vt_cx *cx)
{
	(void)vt_raise(rt, VT_E_CONTRACT, "%s", "");
	return leaf(rt, cx);
}

static bool
transforms(const vt_cx *cx)
{
	return cx->mode == VT_C_TRANSFORM || cx->mode == VT_C_NOFINALIZE;
}

/* Values that a contract method hands on untouched. */
static bool
passes(const vt_cx *cx, vt_value v)
{
	return v == VT_PASSKEY || cx->mode == VT_C_FINALIZE;
}

static vt_status
hand_on(vt_value v, vt_value *out)
{
	*out = vt_copy(v);
	return VT_OK;
}

static bool
is_object(vt_value v)
{
	return vt_is(v, OBJECT) || vt_is(v, CAST);
}

/* ---- scalars ---- */

static vt_value
digits_of(vt_rt *rt, int64_t i)
{
	char text[24], *end = text, *to;
	vt_value made;
	if (i < 0)
		*end++ = '-';
	end = vt_decimal_put(end, i < 0 ? -(uint64_t)i : (uint64_t)i);
	made = vt_str_room(rt, (size_t)(end - text), (uint32_t)(end - text), &to);
	memcpy(to, text, (size_t)(end - text));
	return made;
}

vt_status
vt_c_string(vt_rt *rt, vt_cx *cx, vt_value v, vt_value *out)
{
	vt_buf b = {0};
	if (v == VT_NULL || vt_is(v, STR) || passes(cx, v))
		return hand_on(v, out);
	if (!transforms(cx))
		return violated_silently(rt, cx);
	if (is_object(v))
		return hand_on(vt_object_id(vt_obj_of(v)), out);
	if (!vt_is_integer(v) && !vt_is_bool(v))
		return vt_c_violated(rt, cx, "Value ", v, " violates string() contract");
	if (vt_is_int(v)) {
		*out = digits_of(rt, vt_toint(v));
		return VT_OK;
	}
	vt_pystr(rt, &b, v);
	*out = vt_str_take(rt, &b);
	return VT_OK;
}

/* int() of Python; false: it would raise. */
static bool
to_int(vt_rt *rt, vt_value v, vt_value *out)
{
	if (vt_is_integer(v)) {
		*out = vt_copy(v);
		return true;
	}
	if (vt_is_bool(v)) {
		*out = vt_mkint(v == VT_TRUE);
		return true;
	}
	if (vt_is(v, STR))
		return vt_int_from_str(rt, vt_as_str(v), out);
	if (!vt_is(v, FLOAT))
		return false;
	if (vt_float_to_int(rt, vt_as_float(v), out) == VT_OK)
		return true;
	vt_exc_clear(rt);
	return false;
}

vt_status
vt_c_int(vt_rt *rt, vt_cx *cx, vt_value v, vt_value *out)
{
	if (v == VT_NULL || vt_is_integer(v) || passes(cx, v))
		return hand_on(v, out);
	if (!transforms(cx))
		return violated_silently(rt, cx);
	if (v != VT_OBJREF && to_int(rt, v, out))
		return VT_OK;
	return vt_c_violated(rt, cx, "Value ", v, " violates int() contract");
}

vt_status
vt_c_bool(vt_rt *rt, vt_cx *cx, vt_value v, vt_value *out)
{
	if (v == VT_NULL || vt_is_bool(v) || passes(cx, v))
		return hand_on(v, out);
	if (!transforms(cx))
		return violated_silently(rt, cx);
	*out = vt_mkbool(vt_truth(v));
	return VT_OK;
}

vt_status
vt_c_not_null(vt_rt *rt, vt_cx *cx, vt_value v, vt_value *out)
{
	if (v != VT_NULL || passes(cx, v))
		return hand_on(v, out);
	(void)vt_raise(rt, VT_E_CONTRACT, "null value violates notNull() contract");
	return leaf(rt, cx);
}

vt_status
vt_c_constant(vt_rt *rt, vt_cx *cx, vt_value v, vt_value constant, vt_value *out)
{
	vt_buf b = {0};
	if (v == VT_PASSKEY || vt_equal(rt, v, constant))
		return hand_on(v, out);
	vt_buf_puts(&b, " is not equal to ");
	vt_pystr_cut(rt, &b, constant);
	vt_buf_putc(&b, '\0');
	(void)vt_c_violated(rt, NULL, "Value ", v, b.p);
	vt_buf_free(&b);
	return VT_ERROR;
}

/* Code that keeps no scope runs in one on the C stack. */
static vt_status
ask(vt_rt *rt, vt_cx *cx, const vt_code *predicate, vt_value v, vt_value *r)
{
	struct {
		vt_scope s;
		vt_value room[2];
	} here;
	vt_scope *sc;
	vt_status st;
	if (predicate->direct != NULL && (predicate->flags & VT_CODE_LEAF) &&
		predicate->direct_args <= 1) {
		vt_load_doubt(rt);
		vt_scope_local(&here.s, cx->unit, cx->self, &no_names);
		return predicate->direct(rt, &here.s, &v, r);
	}
	sc = vt_c_scope(rt, cx, v);
	st = vt_code_run(rt, predicate, sc, r);
	vt_scope_drop(sc);
	return st;
}

vt_status
vt_c_check(
	vt_rt *rt, vt_cx *cx, vt_value v, const vt_code *predicate, vt_value message, vt_value *out)
{
	vt_value r = VT_UNDEF;
	vt_status st;
	bool ok;
	if (v == VT_OBJREF || passes(cx, v))
		return hand_on(v, out);
	st = ask(rt, cx, predicate, v, &r);
	if (st != VT_OK)
		return leaf(rt, cx);
	ok = vt_truth(r);
	vt_release(r);
	if (ok)
		return hand_on(v, out);
	if (!vt_is(message, STR) || vt_as_str(message)->bytes == 0)
		return vt_c_violated(rt, cx, "Value ", v, " doesn't match predicate");
	(void)vt_raise_value(rt, VT_E_CONTRACT, vt_copy(message));
	return leaf(rt, cx);
}

void
vt_unheld(vt_rt *rt)
{
	vt_exc_clear(rt);
}

/* ---- objects ---- */

static vt_class *
class_of_arg(vt_rt *rt, vt_cx *cx, vt_value type)
{
	if (vt_is(type, TYPEREF))
		return vt_cls_of(type);
	if (vt_is(type, STR))
		return vt_unit_class(rt, cx->unit, vt_as_str(type));
	(void)vt_raise(rt, VT_E_NO_MATCHING_METHOD,
		"No method \"class\" for receiver %s matches supplied arguments", vt_py_type(type));
	return NULL;
}

/* The wanted type and the default for dicts that name none. */
static vt_status
types_of(vt_rt *rt, vt_cx *cx, vt_value type, vt_value dflt, vt_class **want, vt_class **otherwise)
{
	*want = class_of_arg(rt, cx, type);
	*otherwise = *want;
	if (*want != NULL && dflt != VT_NULL && dflt != VT_UNDEF)
		*otherwise = class_of_arg(rt, cx, dflt);
	return *want != NULL && *otherwise != NULL ? VT_OK : VT_ERROR;
}

static void
report_class(vt_buf *b, const vt_class *c)
{
	vt_buf_printf(b, "Murano%sClass(%s/%s)", c->decl->is_meta ? "Meta" : "", c->decl->name->s,
		vt_class_version(c->decl));
}

static __attribute__((cold)) vt_status
incompatible(vt_rt *rt, vt_cx *cx, vt_value v, const vt_class *want)
{
	vt_buf b = {0};
	if (!is_object(v)) {
		(void)vt_raise(rt, VT_E_CONTRACT, "Value is not an object");
		return leaf(rt, cx);
	}
	vt_buf_puts(&b, "Object of type ");
	report_class(&b, vt_cls_of(v));
	vt_buf_puts(&b, " is not compatible with requested type ");
	report_class(&b, want);
	(void)vt_raise_value(rt, VT_E_CONTRACT, vt_str_take(rt, &b));
	return leaf(rt, cx);
}

static __attribute__((cold)) vt_status
unrepresentable(vt_rt *rt, vt_cx *cx, vt_value v, const vt_class *want)
{
	vt_buf b = {0};
	vt_buf_puts(&b, " cannot be represented as class ");
	report_class(&b, want);
	vt_buf_putc(&b, '\0');
	(void)vt_c_violated(rt, cx, "Value ", v, b.p);
	vt_buf_free(&b);
	return VT_ERROR;
}

/* A class of that name whose version fits: the contract's own version, or what the declaring
 * package requires of the class's package. */
static bool
fits(vt_rt *rt, vt_cx *cx, vt_value v, const vt_class *want, vt_value version)
{
	const vt_class *c;
	if (!is_object(v))
		return false;
	c = vt_cls_of(v);
	if (likely(c->decl == want->decl && !vt_is(version, STR)))
		return true;
	for (uint32_t i = 0; i < c->nlinear; i++) {
		const vt_class_decl *d = c->linear[i]->decl;
		if (d == want->decl && !vt_is(version, STR))
			return true;
		if (vt_str_eq(d->name, want->decl->name) &&
			vt_version_fits(rt, cx->unit ? cx->unit->pkg : NULL, d, version))
			return true;
	}
	return false;
}

static vt_object *
owner_of(const vt_cx *cx)
{
	return is_object(cx->owner) ? vt_obj_of(cx->owner) : NULL;
}

static const vt_unit *
calling_unit(const vt_cx *cx)
{
	return cx->calling_type ? cx->calling_type->unit : cx->unit;
}

/* An id: an object, or, while a model is being loaded, a promise. */
static vt_status
by_id(vt_rt *rt, vt_value id, vt_value *out)
{
	vt_load *l = rt->s->storing.load;
	vt_value here = l != NULL ? vt_dict_get_str(l->ids, vt_as_str(id)) : VT_UNDEF;
	vt_object *o;
	if (l != NULL)
		l->refers = true;
	if (here != VT_UNDEF) { /* nor will a second pass find another */
		*out = vt_copy(here);
		return VT_OK;
	}
	o = vt_store_find(rt, vt_as_str(id));
	if (o == NULL && !vt_store_first_pass(rt))
		return vt_raise(rt, VT_E_NO_OBJECT, "Object \"%s\" is not found in object store",
			vt_as_str(id)->s);
	if (o != NULL)
		vt_load_doubt(rt);
	else
		vt_store_of(rt)->promises++;
	*out = o ? vt_copy(vt_mkptr(o)) : VT_OBJREF;
	return VT_OK;
}

int
vt_saw(const vt_ic *ic, vt_value v)
{
	uint64_t cls = vt_is(v, OBJECT) ? (uint64_t)(uintptr_t)VT_AS(vt_object, v)->cls : 0;
	return cls != 0 &&
	       (cls == (uint64_t)(uintptr_t)ic->key || cls == (uint64_t)(uintptr_t)ic->target ||
		       cls == ic->aux || cls == ic->aux2);
}

vt_status
vt_c_class(vt_rt *rt, vt_cx *cx, vt_ic *ic, vt_value v, vt_value type, vt_value dflt,
	vt_value version, vt_value *out)
{
	vt_class *want, *otherwise;
	vt_value obj = VT_UNDEF;
	vt_status st = VT_OK;
	if (v == VT_NULL || v == VT_OBJREF || passes(cx, v) || (ic != NULL && vt_saw(ic, v)))
		return hand_on(v, out);
	if (likely(vt_is(type, TYPEREF) && (dflt == VT_NULL || dflt == VT_UNDEF)))
		want = otherwise = vt_cls_of(type);
	else
		VT_TRY(types_of(rt, cx, type, dflt, &want, &otherwise));
	if (is_object(v) || !transforms(cx))
		obj = vt_copy(v);
	else if (vt_is(v, DICT))
		st = vt_store_nested(
			rt, v, owner_of(cx), otherwise, calling_unit(cx), cx->unit->cls, &obj);
	else if (vt_is(v, STR))
		st = by_id(rt, v, &obj);
	else
		return unrepresentable(rt, cx, v, want);
	if (st != VT_OK)
		return leaf(rt, cx);
	if (likely(ic != NULL && vt_saw(ic, obj))) {
		*out = obj;
		return VT_OK;
	}
	if (obj == VT_OBJREF || fits(rt, cx, obj, want, version)) {
		if (ic != NULL && vt_is(obj, OBJECT))
			*ic = (vt_ic){VT_AS(vt_object, obj)->cls, (void *)(uintptr_t)ic->key,
				(uint64_t)(uintptr_t)ic->target, ic->aux};
		*out = obj;
		return VT_OK;
	}
	st = incompatible(rt, cx, obj, want);
	vt_release(obj);
	return st;
}

/* ---- template(): a dry run, after which the data is what counts ---- */

static vt_status
key_missing(vt_rt *rt, vt_value key)
{
	vt_buf b = {0};
	vt_repr_cut(rt, &b, key);
	return vt_raise_value(rt, VT_E_KEY, vt_str_take(rt, &b));
}

/* A copy of the dict in which the dotted path holds v; VT_UNDEF removes what must be there.  whole:
 * the path, where it is all of it; or VT_UNDEF. */
static vt_status
patched(vt_rt *rt, vt_value dict, vt_value whole, const char *path, vt_value v, vt_value *out)
{
	size_t n = strcspn(path, ".");
	bool last = path[n] == '\0';
	vt_value key = last && whole != VT_UNDEF ? vt_copy(whole) : vt_str_new(rt, path, n), was,
		 inner = VT_UNDEF;
	vt_dict *d = vt_dict_copy(rt, vt_as_dict(dict), true);
	vt_status st = VT_OK;
	was = vt_dict_get(d, key);
	if (last && v == VT_UNDEF) {
		st = vt_dict_del(rt, d, key) ? VT_OK : key_missing(rt, key);
	} else if (last) {
		st = vt_dict_set(rt, d, key, v);
	} else if (vt_is(was, DICT)) {
		st = patched(rt, was, VT_UNDEF, path + n + 1, v, &inner);
		if (st == VT_OK)
			st = vt_dict_set(rt, d, key, inner);
		vt_release(inner);
	}
	vt_release(key);
	if (st == VT_OK)
		*out = vt_mkptr(d);
	else
		vt_release(vt_mkptr(d));
	return st;
}

static vt_status
patch_all(vt_rt *rt, vt_value dict, vt_value exclude, vt_value v, vt_value *out)
{
	vt_value now = vt_copy(dict), next = VT_UNDEF;
	for (uint32_t i = 0; vt_is_sequence(exclude) && i < vt_as_list(exclude)->n; i++) {
		vt_value path = vt_as_list(exclude)->v[i];
		vt_status st = VT_OK;
		if (!vt_is(path, STR))
			st = vt_raise(rt, VT_E_ATTRIBUTE, "'%s' object has no attribute 'split'",
				vt_py_type(path));
		else
			st = patched(rt, now, path, vt_as_str(path)->s, v, &next);
		vt_release(now);
		if (st != VT_OK)
			return st;
		now = next;
	}
	*out = now;
	return VT_OK;
}

/* Properties may stand beside "?" or below the type of the inline form. */
static vt_status
exclude_in_model(vt_rt *rt, vt_value model, vt_value exclude, vt_value *out)
{
	vt_value key, v, props = VT_UNDEF;
	vt_dict *d;
	vt_status st;
	if (!vt_is_sequence(exclude) || vt_as_list(exclude)->n == 0) {
		*out = vt_copy(model);
		return VT_OK;
	}
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(model), &i, &key, &v);) {
		bool type = vt_is(key, TYPEREF) || vt_is(key, REFLECT) ||
			    (vt_is(key, STR) && vt_is_typename(vt_as_str(key), true));
		if (!type || !vt_is(v, DICT))
			continue;
		VT_TRY(patch_all(rt, v, exclude, VT_PASSKEY, &props));
		d = vt_dict_copy(rt, vt_as_dict(model), true);
		st = vt_dict_set(rt, d, key, props);
		vt_release(props);
		*out = vt_mkptr(d);
		return st;
	}
	return patch_all(rt, model, exclude, VT_PASSKEY, out);
}

/* settled: what the object is made of will be no other in a second pass. */
static vt_status
template_data(vt_rt *rt, vt_cx *cx, vt_value obj, vt_value exclude, bool settled, vt_value *out)
{
	bool first = vt_store_first_pass(rt);
	vt_value data = VT_UNDEF, cut = VT_UNDEF;
	vt_status st;
	if ((!first || settled) && vt_plain_data(rt, vt_obj_of(obj), exclude, out))
		return VT_OK;
	vt_load_doubt(rt);
	if (first) {
		*out = vt_mkptr(vt_dict_new(rt, true));
		return VT_OK;
	}
	VT_TRY(vt_serialize(rt, vt_mkptr(vt_obj_of(obj)), VT_DUMP_MIXED, &data));
	st = patch_all(rt, data, exclude, VT_UNDEF, &cut);
	vt_release(data);
	if (st != VT_OK)
		return st;
	st = vt_final_fast(rt, cx->unit, cut, out);
	vt_release(cut);
	return st;
}

static vt_status
template_object(
	vt_rt *rt, vt_cx *cx, vt_value v, vt_class *otherwise, vt_value exclude, vt_value *out)
{
	vt_value model = VT_UNDEF;
	vt_status st;
	VT_TRY(exclude_in_model(rt, v, exclude, &model));
	st = vt_store_template(
		rt, model, owner_of(cx), otherwise, calling_unit(cx), cx->unit->cls, out);
	vt_release(model);
	return st;
}

static vt_status
finalize_template(vt_rt *rt, vt_cx *cx, vt_value v, vt_value exclude, bool settled, vt_value *out)
{
	if (!is_object(v))
		return hand_on(v, out);
	return template_data(rt, cx, v, exclude, settled, out) == VT_OK ? VT_OK : leaf(rt, cx);
}

vt_status
vt_c_template(vt_rt *rt, vt_cx *cx, vt_value v, vt_value type, vt_value dflt, vt_value version,
	vt_value exclude, vt_value *out)
{
	const struct vt_store *s = vt_store_of(rt);
	uint64_t doubts = s->doubts, promises = s->promises;
	vt_class *want, *otherwise;
	vt_value obj = VT_UNDEF;
	vt_status st = VT_OK;
	bool settled = false;
	if (v == VT_NULL || v == VT_PASSKEY || (cx->mode == VT_C_CHECK_TYPE && vt_is(v, DICT)))
		return hand_on(v, out);
	if (cx->mode == VT_C_FINALIZE)
		return finalize_template(rt, cx, v, exclude, false, out);
	VT_TRY(types_of(rt, cx, type, dflt, &want, &otherwise));
	if (is_object(v) || !transforms(cx))
		obj = vt_copy(v);
	else if (vt_is(v, DICT))
		st = template_object(rt, cx, v, otherwise, exclude, &obj);
	else
		return unrepresentable(rt, cx, v, want);
	if (st != VT_OK)
		return leaf(rt, cx);
	settled = vt_is(v, DICT) && s->doubts == doubts && s->promises == promises;
	if (!fits(rt, cx, obj, want, version))
		st = incompatible(rt, cx, obj, want);
	else if (cx->mode == VT_C_TRANSFORM)
		st = finalize_template(rt, cx, obj, exclude, settled, out);
	else
		*out = vt_copy(obj);
	vt_release(obj);
	return st;
}

/* ---- ownership ---- */

static bool
is_owned(const vt_cx *cx, vt_value v)
{
	const vt_object *self = is_object(cx->self) ? vt_obj_of(cx->self) : NULL,
			*p = vt_obj_of(v)->owner;
	while (p != NULL && p != self)
		p = p->owner;
	return p != NULL;
}

static __attribute__((cold)) vt_status
owned_otherwise(vt_rt *rt, vt_cx *cx, vt_value v, bool wanted)
{
	vt_buf b = {0};
	vt_buf_puts(&b, is_object(v) ? "Object " : "Value ");
	vt_pystr_cut(rt, &b, v);
	if (!is_object(v))
		vt_buf_puts(&b, " is not an object");
	else
		vt_buf_printf(&b, " violates %s() contract", wanted ? "owned" : "notOwned");
	(void)vt_raise_value(rt, VT_E_CONTRACT, vt_str_take(rt, &b));
	return leaf(rt, cx);
}

static vt_status
owned_as(vt_rt *rt, vt_cx *cx, vt_value v, bool wanted, vt_value *out)
{
	if (vt_store_first_pass(rt) &&
		!(is_object(cx->self) && vt_load_knows(rt, vt_obj_of(cx->self))))
		vt_load_doubt(rt); /* what it owns is another's then */
	if (v == VT_NULL || v == VT_OBJREF || passes(cx, v) ||
		(is_object(v) && is_owned(cx, v) == wanted))
		return hand_on(v, out);
	return owned_otherwise(rt, cx, v, wanted);
}

vt_status
vt_c_owned(vt_rt *rt, vt_cx *cx, vt_value v, vt_value *out)
{
	return owned_as(rt, cx, v, true, out);
}

vt_status
vt_c_not_owned(vt_rt *rt, vt_cx *cx, vt_value v, vt_value *out)
{
	return owned_as(rt, cx, v, false, out);
}
