/*
 * contract.c - what contracts do: muranopl-engine.md 6.
 *
 * The emitted function of a contract calls the vt_c_* below in the order of its chain.  cx->path
 * stays NULL until an expression of the contract is violated: that leaf makes it an empty text, and
 * every list and dict around puts its index in front.  A list or dict that itself does not fit
 * leaves it NULL, so that the error names the property alone; the reference does the same (T14).
 *
 * Objects that are not known yet in the first pass of a load are VT_OBJREF: one mark for all, for
 * nothing but the second pass ever asks which object was meant.
 */
#include "runtime/core/base.h"
#include "runtime/core/printable.h"
#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
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

enum { SHORT = 64 }; /* bytes of a text that is shown as it is */
/* "before value after"; the value as the reference's format_scalar shows it. */
static __attribute__((cold)) vt_status
violated(vt_rt *rt, vt_cx *cx, const char *before, vt_value v, const char *after)
{
	vt_buf b = {0}, whole = {0};
	char digits[VT_INT_TEXT + 1] = {0};
	bool text = vt_is(v, STR) && vt_as_str(v)->bytes <= SHORT &&
		    strlen(vt_as_str(v)->s) == vt_as_str(v)->bytes;
	if (text || vt_is_int(v)) { /* nothing is cut */
		const char *quote = text ? "'" : "",
			   *shown = text ? vt_as_str(v)->s
					 : vt_int_digits(digits + VT_INT_TEXT, vt_toint(v));
		(void)vt_raise_value(rt, VT_E_CONTRACT,
			vt_message_of(rt,
				(const char *const[]){before, quote, shown, quote, after, NULL}));
		return cx ? leaf(rt, cx) : VT_ERROR;
	}
	vt_buf_puts(&b, before);
	vt_format_scalar(rt, &whole, v);
	vt_put_cut(&b, whole.p ? whole.p : "", whole.n);
	vt_buf_free(&whole);
	vt_buf_puts(&b, after);
	(void)vt_raise_value(rt, VT_E_CONTRACT, vt_str_take(rt, &b));
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
		return violated(rt, cx, "Value ", v, " violates string() contract");
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
	return violated(rt, cx, "Value ", v, " violates int() contract");
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
	(void)violated(rt, NULL, "Value ", v, b.p);
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
		return violated(rt, cx, "Value ", v, " doesn't match predicate");
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
	(void)violated(rt, cx, "Value ", v, b.p);
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
static __attribute__((cold)) vt_status
by_id(vt_rt *rt, vt_value id, vt_value *out)
{
	vt_object *o = vt_store_find(rt, vt_as_str(id));
	vt_load_doubt(rt);
	if (o == NULL && !vt_store_first_pass(rt))
		return vt_raise(rt, VT_E_NO_OBJECT, "Object \"%s\" is not found in object store",
			vt_as_str(id)->s);
	*out = o ? vt_copy(vt_mkptr(o)) : VT_OBJREF;
	return VT_OK;
}

/* Is it an object of one of the four classes that the contract has accepted last? */
static bool
was_seen(const vt_ic *ic, vt_value v)
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
	if (v == VT_NULL || v == VT_OBJREF || passes(cx, v) || (ic != NULL && was_seen(ic, v)))
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

/* A copy of the dict in which the dotted path holds v; VT_UNDEF removes it. */
static vt_status
patched(vt_rt *rt, vt_value dict, const char *path, vt_value v, vt_value *out)
{
	size_t n = strcspn(path, ".");
	vt_value key = vt_str_new(rt, path, n), was, inner = VT_UNDEF;
	vt_dict *d = vt_dict_copy(rt, vt_as_dict(dict), true);
	vt_status st = VT_OK;
	was = vt_dict_get(d, key);
	if (path[n] == '\0' && v == VT_UNDEF) {
		(void)vt_dict_del(rt, d, key);
	} else if (path[n] == '\0') {
		st = vt_dict_set(rt, d, key, v);
	} else if (vt_is(was, DICT)) {
		st = patched(rt, was, path + n + 1, v, &inner);
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
			st = patched(rt, now, vt_as_str(path)->s, v, &next);
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

/* An excluded name that the class does not declare is no property of the result. */
static vt_status
template_data(vt_rt *rt, vt_cx *cx, vt_value obj, vt_value exclude, vt_value *out)
{
	vt_value data = VT_UNDEF, cut = VT_UNDEF;
	vt_status st;
	if (vt_store_first_pass(rt)) {
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
finalize_template(vt_rt *rt, vt_cx *cx, vt_value v, vt_value exclude, vt_value *out)
{
	if (is_object(v))
		return template_data(rt, cx, v, exclude, out) == VT_OK ? VT_OK : leaf(rt, cx);
	return hand_on(v, out);
}

vt_status
vt_c_template(vt_rt *rt, vt_cx *cx, vt_value v, vt_value type, vt_value dflt, vt_value version,
	vt_value exclude, vt_value *out)
{
	vt_class *want, *otherwise;
	vt_value obj = VT_UNDEF;
	vt_status st = VT_OK;
	vt_load_doubt(rt);
	if (v == VT_NULL || v == VT_PASSKEY || (cx->mode == VT_C_CHECK_TYPE && vt_is(v, DICT)))
		return hand_on(v, out);
	if (cx->mode == VT_C_FINALIZE)
		return finalize_template(rt, cx, v, exclude, out);
	VT_TRY(types_of(rt, cx, type, dflt, &want, &otherwise));
	if (is_object(v) || !transforms(cx))
		obj = vt_copy(v);
	else if (vt_is(v, DICT))
		st = template_object(rt, cx, v, otherwise, exclude, &obj);
	else
		return unrepresentable(rt, cx, v, want);
	if (st != VT_OK)
		return leaf(rt, cx);
	if (!fits(rt, cx, obj, want, version))
		st = incompatible(rt, cx, obj, want);
	else if (cx->mode == VT_C_TRANSFORM)
		st = finalize_template(rt, cx, obj, exclude, out);
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

static vt_status
owned_as(vt_rt *rt, vt_cx *cx, vt_value v, bool wanted, vt_value *out)
{
	vt_buf b = {0};
	vt_load_doubt(rt);
	if (v == VT_NULL || v == VT_OBJREF || passes(cx, v) ||
		(is_object(v) && is_owned(cx, v) == wanted))
		return hand_on(v, out);
	vt_buf_puts(&b, is_object(v) ? "Object " : "Value ");
	vt_pystr_cut(rt, &b, v);
	if (!is_object(v))
		vt_buf_puts(&b, " is not an object");
	else
		vt_buf_printf(&b, " violates %s() contract", wanted ? "owned" : "notOwned");
	(void)vt_raise_value(rt, VT_E_CONTRACT, vt_str_take(rt, &b));
	return leaf(rt, cx);
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

/* ---- containers ---- */

static vt_status
item(vt_rt *rt, vt_cx *cx, vt_contract_fn contract, vt_value v, vt_value *out)
{
	if (contract == NULL || v == VT_PASSKEY)
		return vt_final_fast(rt, cx->unit, v, out);
	return contract(rt, cx, v, out);
}

/* "[key]" in front of the path, if an expression below was violated. */
static void
grow_path(vt_rt *rt, vt_cx *cx, vt_value key)
{
	vt_buf b = {0}, shown = {0};
	if (cx->path == NULL)
		return;
	vt_buf_putc(&b, '[');
	vt_format_scalar(rt, &shown, key);
	vt_put_cut(&b, shown.p ? shown.p : "", shown.n);
	vt_buf_free(&shown);
	vt_buf_putc(&b, ']');
	vt_buf_puts(&b, cx->path);
	vt_buf_putc(&b, '\0');
	free(cx->path);
	cx->path = vt_xstrdup(b.p);
	vt_buf_free(&b);
}

/* What a list contract sees: iterators are drained, null is empty, anything else stands for itself.
 */
static vt_status
as_sequence(vt_rt *rt, vt_cx *cx, vt_value v, vt_value *out)
{
	if (vt_is_sequence(v))
		return hand_on(v, out);
	if (vt_is(v, ITER))
		return vt_to_tuple(rt, cx->unit, v, out);
	return vt_tuple_of(rt, v == VT_NULL || v == VT_NOVALUE ? 0 : 1, &v, out);
}

static vt_status
check_length(vt_rt *rt, uint32_t n, int64_t min, int64_t max)
{
	if (max >= 0 && (n < min || n > max))
		return vt_raise(rt, VT_E_CONTRACT,
			"Array length %u is not within [%lld..%lld] range", n, (long long)min,
			(long long)max);
	if (n < min)
		return vt_raise(rt, VT_E_CONTRACT, "Array length %u must not be less than %lld", n,
			(long long)min);
	return VT_OK;
}

enum { MANY_ITEMS = 64 };

/* *to stays NULL while every item is handed on as it is.  *final: so is each item. */
static vt_status
map_items(vt_rt *rt, vt_cx *cx, const vt_list *from, uint32_t n, const vt_contract_fn *items,
	vt_list **to, bool *final)
{
	for (uint32_t i = 0; i < from->n; i++) {
		vt_value v = VT_UNDEF;
		vt_status st = item(rt, cx, items[i < n ? i : n - 1], from->v[i], &v);
		if (st != VT_OK) {
			grow_path(rt, cx, vt_mkint(i));
			return st;
		}
		if (*to == NULL && v == from->v[i]) {
			vt_release(v);
			continue;
		}
		if (*to == NULL) {
			*to = vt_list_grow(rt, VT_K_TUPLE, from->n);
			vt_list_extend(rt, *to, i, from->v);
		}
		*final &= vt_final_now(v);
		vt_list_push(rt, *to, v);
		if (i == 0 && from->n >= MANY_ITEMS && vt_is(v, OBJECT) && vt_is(from->v[0], DICT))
			vt_load_expect(rt, from->n);
	}
	return VT_OK;
}

/* Is it evaluated, so that what changes nothing of it may hand it on? */
static bool
is_kept(vt_value v, enum vt_kind kind, uint8_t flags)
{
	return VT_KIND(v) == (int)kind && (vt_head_of(v)->flags & flags) == flags;
}

vt_status
vt_c_list(vt_rt *rt, vt_cx *cx, vt_value v, uint32_t n, const vt_contract_fn *items, int64_t min,
	int64_t max, vt_value *out)
{
	vt_value seq = VT_UNDEF;
	vt_list *made = NULL;
	bool final = true;
	vt_status st;
	if (v == VT_PASSKEY)
		return hand_on(v, out);
	VT_TRY(as_sequence(rt, cx, v, &seq));
	if (n == 0) {
		*out = seq;
		return VT_OK;
	}
	st = check_length(rt, vt_as_list(seq)->n, min, max);
	if (!is_kept(seq, VT_K_TUPLE, VT_F_FINAL))
		made = vt_list_grow(rt, VT_K_TUPLE, vt_as_list(seq)->n);
	if (st == VT_OK)
		st = map_items(rt, cx, vt_as_list(seq), n, items, &made, &final);
	if (made != NULL) {
		vt_release(seq);
		seq = vt_mkptr(made);
		if (st == VT_OK && final)
			made->h.flags |= VT_F_FINAL;
	}
	return vt_settle(st, seq, out);
}

/* The classes of items that are in a set of VT_TAKES_*. */
static unsigned
classes_in(uint32_t set)
{
	return (set & VT_TAKES_INT ? VT_ITEM_INT : 0u) | (set & VT_TAKES_NULL ? VT_ITEM_NULL : 0u) |
	       ((set & VT_TAKES_BOOL) == VT_TAKES_BOOL ? VT_ITEM_BOOL : 0u) |
	       (set & VT_TAKES_KIND(VT_K_STR) ? VT_ITEM_STR : 0u) |
	       (set & VT_TAKES_KIND(VT_K_FLOAT) ? VT_ITEM_FLOAT : 0u);
}

/* Was it looked at, with nothing else found? */
static bool
is_known(unsigned found, uint32_t set)
{
	return found != 0 && (found & ~classes_in(set)) == 0;
}

int
vt_takes_items(vt_value v, uint32_t set)
{
	vt_list *l = vt_as_list(v);
	unsigned found = 0;
	if (!is_kept(v, VT_K_TUPLE, VT_F_FINAL))
		return 0;
	if ((set & VT_TAKES_ANY) == VT_TAKES_ANY || is_known(l->h.aux, set))
		return 1;
	for (uint32_t i = 0; i < l->n; i++) {
		if (!vt_takes(l->v[i], set))
			return 0;
		found |= vt_item_class(l->v[i]);
	}
	if (!(found & VT_ITEM_OTHER) && l->h.rc < VT_IMMORTAL)
		l->h.aux = (uint16_t)found;
	return 1;
}

int
vt_takes_entries(vt_value v, uint32_t keys, uint32_t values)
{
	vt_head *h = vt_head_of(v);
	vt_value key, value;
	unsigned found = 0;
	if (!is_kept(v, VT_K_DICT, VT_F_FINAL | VT_F_FROZEN))
		return 0;
	if ((keys & values & VT_TAKES_ANY) == VT_TAKES_ANY ||
		(is_known(h->aux & 255, keys) && is_known(h->aux >> 8, values)))
		return 1;
	for (uint32_t pos = 0; vt_dict_at(vt_as_dict(v), &pos, &key, &value);) {
		if (!vt_takes(key, keys) || !vt_takes(value, values))
			return 0;
		found |= vt_item_class(key) | vt_item_class(value) << 8;
	}
	if (!(found & (VT_ITEM_OTHER | VT_ITEM_OTHER << 8)) && h->rc < VT_IMMORTAL)
		h->aux = (uint16_t)found;
	return 1;
}

/*
 * What a dict contract makes: `made`, or NULL while it is the first `same` entries of `from`, which
 * is evaluated.  next: the position of the entry behind those.  like: of the shape of `from`, it
 * gets the values while the keys come in its order; or NULL.
 */
struct members {
	vt_rt *rt;
	vt_cx *cx;
	const vt_dict *from;
	vt_dict *made, *like;
	uint32_t same, next;
};

static bool
is_same_key(vt_value a, vt_value b)
{
	return a == b || (vt_is(a, STR) && vt_is(b, STR) && vt_str_eq(vt_as_str(a), vt_as_str(b)));
}

static void
start_over(struct members *m)
{
	vt_value key, v;
	uint32_t pos = 0;
	m->made = vt_dict_new(m->rt, true);
	for (uint32_t i = 0; i < m->same && vt_dict_at(m->like ? m->like : m->from, &pos, &key, &v);
		i++)
		(void)vt_dict_set(m->rt, m->made, key, v); /* it is one already */
}

/* Nothing has changed but values of records. */
static void
begin(struct members *m, vt_value v)
{
	if (is_kept(v, VT_K_DICT, VT_F_FINAL | VT_F_FROZEN))
		return;
	if (m->from->shape != NULL && m->from->n > 0)
		m->like = vt_dict_shaped(m->rt, true, m->from->shape, NULL);
	else
		m->made = vt_dict_new(m->rt, true);
}

static vt_value
end(struct members *m, vt_status st, vt_value from)
{
	if (st == VT_OK && m->made == NULL && m->same < vt_dict_len(m->from))
		start_over(m);
	if (m->made == NULL && m->like == NULL)
		return from;
	vt_release(from);
	if (m->made == NULL)
		return vt_mkptr(m->like);
	if (m->like != NULL)
		vt_release(vt_mkptr(m->like));
	return vt_mkptr(m->made);
}

static vt_status
add_member(struct members *m, vt_value key, vt_value value)
{
	vt_value k, v;
	uint32_t pos = m->next;
	if (m->made == NULL) {
		if (vt_dict_at(m->from, &pos, &k, &v) && is_same_key(k, key) &&
			(m->like != NULL || v == value)) {
			if (m->like != NULL)
				vt_move(&m->like->v[m->same], vt_copy(value));
			m->next = pos;
			m->same++;
			return VT_OK;
		}
		start_over(m);
	}
	return vt_dict_set(m->rt, m->made, key, value);
}

static vt_status
map_entry(struct members *m, vt_value key, vt_contract_fn contract, vt_value v)
{
	vt_value made = VT_UNDEF;
	vt_status st = item(m->rt, m->cx, contract, v, &made);
	if (st != VT_OK) {
		grow_path(m->rt, m->cx, key);
		return st;
	}
	st = add_member(m, key, made);
	vt_release(made);
	return st;
}

/* Keys the contract does not name, through its expression key.  While nothing has changed those
 * that it names are the first. */
static vt_status
map_others(struct members *m, vt_contract_fn keys, vt_contract_fn values)
{
	vt_value key, v, made;
	for (uint32_t i = m->made ? 0 : m->next; vt_dict_at(m->from, &i, &key, &v);) {
		vt_status st;
		if (m->made != NULL && vt_dict_get(m->made, key) != VT_UNDEF)
			continue;
		made = VT_UNDEF;
		VT_TRY(item(m->rt, m->cx, keys, key, &made));
		st = map_entry(m, made, values, v);
		vt_release(made);
		VT_TRY(st);
	}
	return VT_OK;
}

int
vt_c_members(vt_ic *ic, vt_value v, uint32_t n, const vt_value *keys, const uint32_t *takes)
{
	const vt_dict *d = vt_as_dict(v);
	if (!is_kept(v, VT_K_DICT, VT_F_FINAL | VT_F_FROZEN) || d->shape == NULL || d->n != n)
		return 0;
	for (uint32_t i = 0; ic->key != d->shape && i < n; i++)
		if (!vt_str_eq(d->shape->key[i], vt_as_str(keys[i])))
			return 0;
	ic->key = d->shape;
	for (uint32_t i = 0; i < n; i++)
		if (!vt_takes(d->v[i], takes[i]))
			return 0;
	return 1;
}

/* has_rest counts the expression keys; more than one is an error that shows when the contract runs.
 */
vt_status
vt_c_dict(vt_rt *rt, vt_cx *cx, vt_value v, uint32_t n, const vt_value *keys,
	const vt_contract_fn *values, int has_rest, vt_contract_fn rest_key,
	vt_contract_fn rest_value, vt_value *out)
{
	struct members m = {.rt = rt, .cx = cx};
	vt_value from;
	vt_status st = VT_OK;
	if (v == VT_PASSKEY)
		return hand_on(v, out);
	if (v != VT_NULL && v != VT_NOVALUE && !vt_is(v, DICT))
		return violated(rt, NULL, "Value ", v, " is not of a dictionary type");
	if (n == 0 && !has_rest && vt_is(v, DICT))
		return hand_on(v, out);
	if (has_rest > 1)
		return vt_raise(rt, VT_E_DSL_CONTRACT_SYNTAX,
			"Dictionary contract cannot have more than one expression key");
	from = vt_is(v, DICT) ? vt_copy(v) : vt_mkptr(vt_dict_new(rt, true));
	m.from = vt_as_dict(from);
	begin(&m, v);
	for (uint32_t i = 0; st == VT_OK && i < n; i++) {
		vt_value was = vt_dict_get(m.from, keys[i]);
		st = map_entry(&m, keys[i], values[i], was == VT_UNDEF ? VT_NULL : was);
	}
	if (st == VT_OK && has_rest)
		st = map_others(&m, rest_key, rest_value);
	return vt_settle(st, end(&m, st, from), out);
}
