/*
 * testrun_fixture.c - io.murano.test.TestFixture (appendix A): load() and the assertions.
 *
 * The reference hands its assertions mutable copies, in which tuples, lists, sets and iterators are
 * all lists; they are compared and shown so.  The texts are those of the library it asserts with.
 */
#include "runtime/core/base.h"
#include "runtime/core/printable.h"
#include "runtime/core/exception.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"
#include "runtime/task/task.h"
#include "runtime/core/args.h"
#include "natives.h"

#include <string.h>

/* Two values longer than this together do not stand in one line of a message. */
enum { ONE_LINE = 70 };

static vt_status mutable_copy(vt_rt *, const vt_unit *, vt_value, vt_value *out);

static vt_status
mutable_items(vt_rt *rt, const vt_unit *u, vt_value v, vt_value *out)
{
	vt_value iter = VT_UNDEF, item = VT_UNDEF, made;
	vt_list *l = vt_list_grow(rt, VT_K_LIST, 0);
	vt_status st = vt_iterate_limited(rt, u, v, &iter);
	while (VT_EACH(rt, iter, item, st)) {
		made = VT_UNDEF;
		st = mutable_copy(rt, u, item, &made);
		vt_release(item);
		if (st == VT_OK)
			vt_list_push(rt, l, made);
	}
	vt_release(iter);
	return vt_settle(st, vt_mkptr(l), out);
}

static vt_status
mutable_dict(vt_rt *rt, const vt_unit *u, const vt_dict *from, vt_value *out)
{
	vt_dict *d = vt_dict_new(rt, false);
	vt_value key, v, made;
	vt_status st = VT_OK;
	for (uint32_t i = 0; st == VT_OK && vt_dict_at(from, &i, &key, &v);) {
		made = VT_UNDEF;
		st = mutable_copy(rt, u, v, &made);
		if (st == VT_OK)
			st = vt_dict_set(rt, d, key, made);
		vt_release(made);
	}
	return vt_settle(st, vt_mkptr(d), out);
}

static vt_status
mutable_copy(vt_rt *rt, const vt_unit *u, vt_value v, vt_value *out)
{
	vt_status st;
	if (vt_too_deep(rt))
		return vt_raise_depth(rt);
	rt->depth++;
	if (vt_is(v, DICT)) {
		st = mutable_dict(rt, u, vt_as_dict(v), out);
	} else if (!vt_is(v, STR) && vt_is_iterable(u, v)) {
		st = mutable_items(rt, u, v, out);
	} else {
		*out = vt_copy(v);
		st = VT_OK;
	}
	rt->depth--;
	return st;
}

/* ---- failing -------------------------------------------------------------------------------- */

static vt_status
fail(vt_args *a, vt_buf *message, enum vt_etype type, vt_value expected, vt_value observed)
{
	vt_value parts[3] = {vt_str_take(a->rt, message), expected, observed}, all = VT_UNDEF;
	vt_tuple_of(a->rt, 3, parts, &all);
	vt_move(&a->rt->s->mismatch, all);
	return vt_raise_value(a->rt, type, parts[0]);
}

static void
put_note(vt_args *a, vt_buf *b, const char *before, vt_value note)
{
	vt_buf_puts(b, before);
	vt_pystr(a->rt, b, note);
}

/* What does not match, with the note that the test gives. */
static vt_status
mismatch(vt_args *a, vt_buf *b, vt_value expected, vt_value observed)
{
	if (vt_truth(a->v[2]))
		put_note(a, b, ": ", a->v[2]);
	return fail(a, b, VT_E_MISMATCH, expected, observed);
}

/* ---- assertEqual ---------------------------------------------------------------------------- */

static vt_status
not_equal(vt_args *a, vt_value expected, vt_value observed)
{
	vt_buf b = {0}, left = {0}, right = {0};
	vt_repr_cut(a->rt, &left, expected);
	vt_repr_cut(a->rt, &right, observed);
	vt_buf_put(&left, "", 1);
	vt_buf_put(&right, "", 1);
	if (left.n + right.n - 2 > ONE_LINE)
		vt_buf_printf(&b, "!=:\nreference = %s\nactual    = %s\n", left.p, right.p);
	else
		vt_buf_printf(&b, "%s != %s", left.p, right.p);
	vt_buf_free(&left);
	vt_buf_free(&right);
	return mismatch(a, &b, expected, observed);
}

/* Sets are lists by now, in an order that means nothing: they are equal as sets, too. */
vt_status
vt_sys_test_equal(vt_args *a, vt_value *out)
{
	vt_value expected = VT_UNDEF, observed = VT_UNDEF;
	vt_status st = mutable_copy(a->rt, a->unit, a->v[0], &expected);
	if (st == VT_OK)
		st = mutable_copy(a->rt, a->unit, a->v[1], &observed);
	if (st == VT_OK && !vt_eq(expected, observed) && !vt_eq(a->v[0], a->v[1]))
		st = not_equal(a, expected, observed);
	vt_release(expected);
	vt_release(observed);
	return vt_settle(st, VT_NULL, out);
}

/* ---- assertTrue, assertFalse ---------------------------------------------------------------- */

static vt_status
is_truth(vt_args *a, bool want, const char *text, vt_value *out)
{
	vt_value v = VT_UNDEF;
	vt_buf b = {0};
	vt_status st;
	VT_TRY(mutable_copy(a->rt, a->unit, a->v[0], &v));
	if (vt_truth(v) == want) {
		vt_release(v);
		*out = VT_NULL;
		return VT_OK;
	}
	vt_repr_cut(a->rt, &b, v);
	vt_buf_puts(&b, text);
	if (a->v[1] != VT_NULL)
		put_note(a, &b, " : ", a->v[1]);
	st = fail(a, &b, VT_E_ASSERTION, vt_mkbool(want), v);
	vt_release(v);
	return st;
}

vt_status
vt_sys_test_true(vt_args *a, vt_value *out)
{
	return is_truth(a, true, " is not true", out);
}

vt_status
vt_sys_test_false(vt_args *a, vt_value *out)
{
	return is_truth(a, false, " is not false", out);
}

/* ---- assertIn, assertNotIn ------------------------------------------------------------------ */

/* Python's `in`; where that is an error nothing is contained. */
static bool
contains(vt_value haystack, vt_value needle)
{
	if (vt_is(haystack, STR))
		return vt_is(needle, STR) &&
		       vt_str_find(NULL, vt_as_str(haystack), vt_as_str(needle), 0,
			       vt_as_str(haystack)->points) >= 0;
	if (vt_is(haystack, DICT))
		return vt_hashable(needle) && vt_dict_get(vt_as_dict(haystack), needle) != VT_UNDEF;
	for (uint32_t i = 0; vt_is_sequence(haystack) && i < vt_as_list(haystack)->n; i++)
		if (vt_same(vt_as_list(haystack)->v[i], needle))
			return true;
	return false;
}

static vt_status
wrongly_in(vt_args *a, bool want, vt_value needle, vt_value haystack)
{
	vt_buf b = {0};
	vt_repr_cut(a->rt, &b, want ? needle : haystack);
	vt_buf_puts(&b, want ? " not in " : " matches Contains(");
	vt_repr_cut(a->rt, &b, want ? haystack : needle);
	vt_buf_puts(&b, want ? "" : ")");
	return mismatch(a, &b, needle, haystack);
}

static vt_status
is_in(vt_args *a, bool want, vt_value *out)
{
	vt_value needle = VT_UNDEF, haystack = VT_UNDEF;
	vt_status st = mutable_copy(a->rt, a->unit, a->v[0], &needle);
	if (st == VT_OK)
		st = mutable_copy(a->rt, a->unit, a->v[1], &haystack);
	if (st == VT_OK && contains(haystack, needle) != want)
		st = wrongly_in(a, want, needle, haystack);
	vt_release(needle);
	vt_release(haystack);
	return vt_settle(st, VT_NULL, out);
}

vt_status
vt_sys_test_in(vt_args *a, vt_value *out)
{
	return is_in(a, true, out);
}

vt_status
vt_sys_test_not_in(vt_args *a, vt_value *out)
{
	return is_in(a, false, out);
}

/* ---- load and the environment --------------------------------------------------------------- */

vt_status
vt_sys_test_load(vt_args *a, vt_value *out)
{
	if (!vt_is(a->v[0], DICT))
		return vt_raise(
			a->rt, VT_E_TYPE, "a model is a dictionary, not %s", vt_py_type(a->v[0]));
	return vt_load_objects(a->rt, a->v[0], out);
}

/* The end of a deployment: what hosts left running is waited for. */
vt_status
vt_sys_test_finish(vt_args *a, vt_value *out)
{
	*out = VT_NULL;
	return a->rt->s->cloud_finish != NULL ? a->rt->s->cloud_finish(a->rt) : VT_OK;
}

/* setUp, tearDown: for those who override them. startEnv: a session of the reference reports its
 * hosts when a deployment begins; here no host asks for that. */
vt_status
vt_sys_test_nothing(vt_args *a, vt_value *out)
{
	(void)a;
	*out = VT_NULL;
	return VT_OK;
}
