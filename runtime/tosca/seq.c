/* seq.c - functions of strings, lists and maps. */
#include "runtime/tosca/int.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- concat and join ---- */

static bool
all_lists(const vt_value *args, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!vt_is_sequence(args[i]))
			return false;
	return true;
}

static bool
chain(vt_tosca *t, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_list *o = vt_list_grow(t->rt, VT_K_TUPLE, n ? vt_as_list(args[0])->n : 0);
	for (uint32_t i = 0; i < n; i++)
		vt_list_extend(t->rt, o, vt_as_list(args[i])->n, vt_as_list(args[i])->v);
	return vt_tosca_give(out, vt_mkptr(o));
}

/*
 * A value as text.  The text of 2.0 has concat and join for strings only, but templates for it give
 * them numbers as well, as templates of 1.x do.
 */
static bool
put_text(vt_tosca *t, vt_value v, vt_buf *b)
{
	enum vt_tform form = vt_tosca_form(v);
	if (vt_is(v, STR)) {
		vt_buf_put(b, vt_as_str(v)->s, vt_as_str(v)->bytes);
	} else if (vt_is_number(v) || vt_is_bool(v) || v == VT_NULL) {
		vt_value shown = vt_tosca_shown(t, v);
		vt_json_write(t->rt, b, shown, 0);
		vt_release(shown);
	} else if (form == VT_TO_SCALAR || form == VT_TO_VERSION || form == VT_TO_TIMESTAMP) {
		vt_value s = vt_dict_get_c(vt_as_dict(v), "$string");
		vt_buf_put(b, vt_as_str(s)->s, vt_as_str(s)->bytes);
	} else {
		return false;
	}
	return true;
}

static bool
glue(vt_tosca *t, const vt_tctx *ctx, const vt_value *v, uint32_t n, vt_value between,
	vt_value *out)
{
	vt_buf b = {0};
	bool ok = true;
	for (uint32_t i = 0; i < n && ok; i++) {
		if (i && between != VT_UNDEF)
			vt_buf_put(&b, vt_as_str(between)->s, vt_as_str(between)->bytes);
		ok = put_text(t, v[i], &b);
		if (!ok)
			vt_tosca_fail(t, ctx, "takes strings, not %s", vt_tosca_noun(v[i]));
		else if (b.n > INT32_MAX)
			ok = vt_tosca_fail(t, ctx, "the text is too long");
	}
	if (ok)
		*out = vt_str_take(t->rt, &b);
	vt_buf_free(&b);
	return ok;
}

bool
vt_tf_concat(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	return n && all_lists(args, n) ? chain(t, args, n, out)
				       : glue(t, ctx, args, n, VT_UNDEF, out);
}

bool
vt_tf_join(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	if (!vt_is_sequence(args[0]))
		return vt_tosca_fail(t, ctx, "takes a list, not %s", vt_tosca_noun(args[0]));
	if (n == 2 && !vt_is(args[1], STR))
		return vt_tosca_fail(t, ctx, "takes a string between the pieces, not %s",
			vt_tosca_noun(args[1]));
	return glue(t, ctx, vt_as_list(args[0])->v, vt_as_list(args[0])->n,
		n == 2 ? args[1] : VT_UNDEF, out);
}

/* ---- token ---- */

static bool
is_separator(const vt_str *set, const char *c, size_t n)
{
	const char *p = set->s, *end = p + set->bytes;
	while (p < end) {
		const char *from = p;
		(void)vt_utf8_next(&p);
		if ((size_t)(p - from) == n && memcmp(from, c, n) == 0)
			return true;
	}
	return false;
}

/* Piece number `index` of the text in [*from, *to). */
static bool
piece(const vt_str *s, const vt_str *set, int64_t index, const char **from, const char **to)
{
	const char *p = s->s, *end = p + s->bytes;
	*from = p;
	while (p < end) {
		const char *c = p;
		(void)vt_utf8_next(&p);
		if (!is_separator(set, c, (size_t)(p - c)))
			continue;
		*to = c;
		if (index-- == 0)
			return true;
		*from = p;
	}
	*to = end;
	return index == 0;
}

bool
vt_tf_token(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	const char *from, *to;
	(void)n;
	if (!vt_is(args[0], STR) || !vt_is(args[1], STR))
		return vt_tosca_fail(t, ctx,
			"takes a string and the characters that separate its pieces, not %s",
			vt_tosca_noun(vt_is(args[0], STR) ? args[1] : args[0]));
	if (!vt_is_int(args[2]) || vt_toint(args[2]) < 0)
		return vt_tosca_fail(t, ctx, "takes the number of a piece, from 0, not %s",
			vt_tosca_noun(args[2]));
	if (vt_as_str(args[1])->bytes > 1000)
		return vt_tosca_fail(t, ctx, "takes at most 1,000 bytes of separators");
	if (!piece(vt_as_str(args[0]), vt_as_str(args[1]), vt_toint(args[2]), &from, &to))
		return t->m->version & VT_TV_2_0
			       ? vt_tosca_fail(t, ctx, "the string has no piece number %d",
					 (int)vt_toint(args[2]))
			       : vt_tosca_give(out, VT_NULL);
	return vt_tosca_give(
		out, vt_str_part(t->rt, vt_as_str(args[0]), from, (size_t)(to - from)));
}

/* ---- parts ---- */

static bool
same_run(vt_tosca *t, const vt_value *a, const vt_value *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!vt_tosca_equal(t, a[i], b[i]))
			return false;
	return true;
}

/* Both strings or both lists? */
static bool
alike(vt_tosca *t, const vt_tctx *ctx, const vt_value *args)
{
	if ((vt_is(args[0], STR) && vt_is(args[1], STR)) || all_lists(args, 2))
		return true;
	return vt_tosca_fail(t, ctx, "takes two strings or two lists, not %s and %s",
		vt_tosca_noun(args[0]), vt_tosca_noun(args[1]));
}

bool
vt_tf_contains(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	const vt_list *a = vt_as_list(args[0]), *b = vt_as_list(args[1]);
	bool found = false;
	(void)n;
	if (!alike(t, ctx, args))
		return false;
	if (vt_is(args[0], STR))
		return vt_tosca_give(
			out, vt_mkbool(vt_str_find(NULL, vt_as_str(args[0]), vt_as_str(args[1]), 0,
					       UINT32_MAX) >= 0));
	for (uint32_t i = 0; !found && b->n <= a->n && i <= a->n - b->n; i++)
		found = same_run(t, a->v + i, b->v, b->n);
	return vt_tosca_give(out, vt_mkbool(found));
}

/* Is the second at an end of the first, text or list? */
static bool
at_end(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, bool last, vt_value *out)
{
	const vt_str *s = vt_as_str(args[0]), *p = vt_as_str(args[1]);
	const vt_list *a = vt_as_list(args[0]), *b = vt_as_list(args[1]);
	if (!alike(t, ctx, args))
		return false;
	if (vt_is(args[0], STR))
		return vt_tosca_give(out, vt_mkbool(p->bytes <= s->bytes &&
						    memcmp(s->s + (last ? s->bytes - p->bytes : 0),
							    p->s, p->bytes) == 0));
	return vt_tosca_give(out,
		vt_mkbool(
			b->n <= a->n && same_run(t, a->v + (last ? a->n - b->n : 0), b->v, b->n)));
}

bool
vt_tf_has_prefix(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)n;
	return at_end(t, ctx, args, false, out);
}

bool
vt_tf_has_suffix(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)n;
	return at_end(t, ctx, args, true, out);
}

/* ---- entries and keys ---- */

static bool
is_collection(vt_tosca *t, const vt_tctx *ctx, vt_value v, bool map)
{
	if (vt_is(v, DICT) || (!map && vt_is_sequence(v)))
		return true;
	return vt_tosca_fail(
		t, ctx, "takes %s, not %s", map ? "a map" : "a list or a map", vt_tosca_noun(v));
}

static bool
entry_in(vt_tosca *t, vt_value v, vt_value x)
{
	vt_value key, value;
	uint32_t pos = 0;
	if (vt_is(v, DICT)) {
		while (vt_dict_at(vt_as_dict(v), &pos, &key, &value))
			if (vt_tosca_equal(t, value, x))
				return true;
		return false;
	}
	for (uint32_t i = 0; i < vt_as_list(v)->n; i++)
		if (vt_tosca_equal(t, vt_as_list(v)->v[i], x))
			return true;
	return false;
}

static bool
key_in(vt_tosca *t, vt_value v, vt_value x)
{
	(void)t;
	return vt_hashable(x) && vt_dict_get(vt_as_dict(v), x) != VT_UNDEF;
}

/* How many of the list are in it. */
static bool
count_in(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, bool keys, uint32_t *count)
{
	const vt_list *l = vt_as_list(args[1]);
	if (!is_collection(t, ctx, args[0], keys))
		return false;
	if (!vt_is_sequence(args[1]))
		return vt_tosca_fail(
			t, ctx, "takes a list of what to look for, not %s", vt_tosca_noun(args[1]));
	*count = 0;
	for (uint32_t i = 0; i < l->n; i++)
		*count += (keys ? key_in : entry_in)(t, args[0], l->v[i]);
	return true;
}

bool
vt_tf_has_entry(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)n;
	return is_collection(t, ctx, args[0], false) &&
	       vt_tosca_give(out, vt_mkbool(entry_in(t, args[0], args[1])));
}

bool
vt_tf_has_key(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)n;
	return is_collection(t, ctx, args[0], true) &&
	       vt_tosca_give(out, vt_mkbool(key_in(t, args[0], args[1])));
}

bool
vt_tf_has_all_entries(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	uint32_t count;
	(void)n;
	return count_in(t, ctx, args, false, &count) &&
	       vt_tosca_give(out, vt_mkbool(count == vt_as_list(args[1])->n));
}

bool
vt_tf_has_all_keys(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	uint32_t count;
	(void)n;
	return count_in(t, ctx, args, true, &count) &&
	       vt_tosca_give(out, vt_mkbool(count == vt_as_list(args[1])->n));
}

bool
vt_tf_has_any_entry(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	uint32_t count;
	(void)n;
	return count_in(t, ctx, args, false, &count) && vt_tosca_give(out, vt_mkbool(count > 0));
}

bool
vt_tf_has_any_key(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	uint32_t count;
	(void)n;
	return count_in(t, ctx, args, true, &count) && vt_tosca_give(out, vt_mkbool(count > 0));
}

/* ---- sets ---- */

/* A text that equal values share, so that lists are compared in linear time. Owned. */
vt_value
vt_tosca_identity(vt_tosca *t, vt_value v)
{
	vt_buf b = {0};
	vt_value shown = vt_tosca_shown(t, v), out;
	if (vt_tosca_form(v) == VT_TO_SCALAR) /* 1 GB is 1000 MB */
		vt_json_write(t->rt, &b, vt_dict_get_c(vt_as_dict(v), "$string"), 0);
	else
		vt_json_write(t->rt, &b, shown, VT_JSON_SORT);
	vt_release(shown);
	out = vt_str_take(t->rt, &b);
	vt_buf_free(&b);
	return out;
}

static bool
only_lists(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!vt_is_sequence(args[i]))
			return vt_tosca_fail(t, ctx, "takes lists, not %s", vt_tosca_noun(args[i]));
	return true;
}

bool
vt_tf_union(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_dict *seen;
	vt_list *o;
	if (!only_lists(t, ctx, args, n))
		return false;
	seen = vt_dict_new_hashed(t->rt, true);
	o = vt_list_grow(t->rt, VT_K_TUPLE, 0);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < vt_as_list(args[i])->n; j++) {
			vt_value v = vt_as_list(args[i])->v[j], id = vt_tosca_identity(t, v);
			if (vt_dict_get(seen, id) == VT_UNDEF) {
				(void)vt_dict_set(t->rt, seen, id, VT_TRUE);
				vt_list_push(t->rt, o, vt_copy(v));
			}
			vt_release(id);
		}
	vt_release(vt_mkptr(seen));
	return vt_tosca_give(out, vt_mkptr(o));
}

/* Marks what round `round` met and all rounds before have marked. */
static void
mark(vt_tosca *t, vt_dict *seen, const vt_list *l, uint32_t round)
{
	for (uint32_t j = 0; j < l->n; j++) {
		vt_value id = vt_tosca_identity(t, l->v[j]), was = vt_dict_get(seen, id);
		if (round == 0 || (was != VT_UNDEF && vt_toint(was) == round - 1))
			(void)vt_dict_set(t->rt, seen, id, vt_mkint(round));
		vt_release(id);
	}
}

bool
vt_tf_intersection(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_dict *seen;
	vt_list *o;
	if (!only_lists(t, ctx, args, n))
		return false;
	seen = vt_dict_new_hashed(t->rt, true);
	for (uint32_t i = 0; i < n; i++)
		mark(t, seen, vt_as_list(args[i]), i);
	o = vt_list_grow(t->rt, VT_K_TUPLE, 0);
	for (uint32_t j = 0; n && j < vt_as_list(args[0])->n; j++) {
		vt_value v = vt_as_list(args[0])->v[j], id = vt_tosca_identity(t, v);
		if (vt_dict_get(seen, id) == vt_mkint(n - 1)) {
			(void)vt_dict_set(t->rt, seen, id, vt_mkint(-1)); /* once */
			vt_list_push(t->rt, o, vt_copy(v));
		}
		vt_release(id);
	}
	vt_release(vt_mkptr(seen));
	return vt_tosca_give(out, vt_mkptr(o));
}
