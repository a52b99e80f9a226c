/*
 * hot.c - functions of Heat's templates (HOT), and those of Cloudify that need more than a
 * template.
 *
 * They do what Heat's template guide says; texts of booleans are Python's.
 */
#define _GNU_SOURCE /* memmem */
#include "runtime/tosca/int.h"
#include "runtime/text/digest.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- what no template can know ---- */

bool
vt_tf_get_capability(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)args, (void)n, (void)out;
	return !t->partial &&
	       vt_tosca_fail(t, ctx, "other deployments and the manager are not known here");
}

bool
vt_tf_get_secret(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)args, (void)n, (void)out;
	return !t->partial &&
	       vt_tosca_fail(t, ctx, "there is no store of secrets; make it an input");
}

bool
vt_tf_get_file(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)args, (void)n, (void)out;
	return vt_tosca_fail(t, ctx,
		"takes the path of a file as it stands in the template, not one that is computed");
}

bool
vt_tf_resource_facade(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)args, (void)n, (void)out;
	return vt_tosca_fail(t, ctx, "there is no resource around this template");
}

bool
vt_tf_same(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)t, (void)ctx, (void)n;
	return vt_tosca_give(out, vt_copy(args[0]));
}

/* ---- texts ---- */

static void put_json(vt_tosca *, vt_value, vt_buf *);

static int
by_text(const void *a, const void *b)
{
	const vt_value *x = a, *y = b;
	if (vt_is(*x, STR) && vt_is(*y, STR))
		return strcmp(vt_as_str(*x)->s, vt_as_str(*y)->s);
	return vt_is(*x, STR) - vt_is(*y, STR);
}

static void
put_map(vt_tosca *t, const vt_dict *d, vt_buf *b)
{
	uint32_t pos = 0, n = 0;
	vt_value *keys = vt_xmalloc((vt_dict_len(d) + 1) * sizeof *keys), key, value;
	while (vt_dict_at(d, &pos, &key, &value))
		keys[n++] = key;
	qsort(keys, n, sizeof *keys, by_text);
	vt_buf_putc(b, '{');
	for (uint32_t i = 0; i < n; i++) {
		vt_buf_puts(b, i ? ", " : "");
		put_json(t, keys[i], b);
		vt_buf_puts(b, ": ");
		put_json(t, vt_dict_get(d, keys[i]), b);
	}
	vt_buf_putc(b, '}');
	free(keys);
}

/* JSON as Heat writes it into texts: sorted, with a blank behind commas and colons. */
static void
put_json(vt_tosca *t, vt_value v, vt_buf *b)
{
	if (vt_is(v, DICT)) {
		put_map(t, vt_as_dict(v), b);
	} else if (vt_is_sequence(v)) {
		vt_buf_putc(b, '[');
		for (uint32_t i = 0; i < vt_as_list(v)->n; i++) {
			vt_buf_puts(b, i ? ", " : "");
			put_json(t, vt_as_list(v)->v[i], b);
		}
		vt_buf_putc(b, ']');
	} else {
		vt_json_write(t->rt, b, v, VT_JSON_ASCII);
	}
}

static void
put_text(vt_tosca *t, vt_value v, vt_buf *b)
{
	if (vt_is(v, STR))
		vt_buf_put(b, vt_as_str(v)->s, vt_as_str(v)->bytes);
	else if (vt_is_bool(v))
		vt_buf_puts(b, v == VT_TRUE ? "True" : "False");
	else if (v != VT_NULL)
		put_json(t, v, b);
}

static vt_value
member(vt_value map, const char *key)
{
	vt_value v = vt_is(map, DICT) ? vt_dict_get_c(vt_as_dict(map), key) : VT_UNDEF;
	return v == VT_UNDEF ? VT_NULL : v;
}

static bool
give_text(vt_tosca *t, const vt_tctx *ctx, vt_buf *b, bool ok, vt_value *out)
{
	if (ok && b->n > INT32_MAX)
		ok = vt_tosca_fail(t, ctx, "the text is too long");
	if (ok)
		*out = vt_str_take(t->rt, b);
	vt_buf_free(b);
	return ok;
}

/* Texts, maps and lists; null counts as an empty text. */
static bool
can_join(vt_tosca *t, const vt_tctx *ctx, vt_value v)
{
	return vt_is(v, STR) || v == VT_NULL || vt_is(v, DICT) || vt_is_sequence(v) ||
	       vt_tosca_fail(t, ctx, "joins strings, maps and lists, not %s", vt_tosca_noun(v));
}

bool
vt_tf_list_join(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_buf b = {0};
	bool first = true;
	if (!vt_is(args[0], STR))
		return vt_tosca_fail(t, ctx, "takes a string between the pieces, not %s",
			vt_tosca_noun(args[0]));
	for (uint32_t i = 1; i < n; i++) {
		const vt_list *l = vt_as_list(args[i]);
		if (args[i] == VT_NULL)
			continue;
		if (!vt_is_sequence(args[i])) {
			vt_buf_free(&b);
			return vt_tosca_fail(t, ctx, "takes lists, not %s", vt_tosca_noun(args[i]));
		}
		for (uint32_t j = 0; j < l->n && b.n <= INT32_MAX; j++) {
			if (!can_join(t, ctx, l->v[j])) {
				vt_buf_free(&b);
				return false;
			}
			if (!first)
				put_text(t, args[0], &b);
			put_text(t, l->v[j], &b);
			first = false;
		}
	}
	return give_text(t, ctx, &b, true, out);
}

static bool
read_number(vt_tosca *t, const vt_str *s, vt_value *out)
{
	char *end;
	bool sign = s->bytes && (s->s[0] == '-' || s->s[0] == '+');
	size_t digits = strspn(s->s + sign, "0123456789");
	if (digits && digits + sign == s->bytes)
		return vt_int_parse(t->rt, s->s + (s->s[0] == '+'), s->bytes - (s->s[0] == '+'), 10,
			       out) == VT_OK;
	if (!s->bytes || strspn(s->s, "0123456789+-.eE") != s->bytes)
		return false;
	double d = strtod(s->s, &end);
	return end == s->s + s->bytes && end != s->s && vt_tosca_give(out, vt_float_new(t->rt, d));
}

/* A number, also as a text of digits; behind the end from -1 on. */
static bool
piece(vt_tosca *t, const vt_tctx *ctx, const vt_list *l, vt_value index, vt_value *out)
{
	vt_value v = vt_copy(index);
	if (vt_is(index, STR) && (!read_number(t, vt_as_str(index), &v) || !vt_is_int(v)))
		return vt_tosca_fail(
			t, ctx, "takes the number of a piece, not '%.40s'", vt_as_str(index)->s);
	if (!vt_is_int(v))
		return vt_tosca_fail(
			t, ctx, "takes the number of a piece, not %s", vt_tosca_noun(v));
	int64_t i = vt_toint(v) < 0 ? vt_toint(v) + l->n : vt_toint(v);
	if (i < 0 || i >= l->n)
		return vt_tosca_fail(t, ctx, "there is no piece %lld", (long long)vt_toint(v));
	return vt_tosca_give(out, vt_copy(l->v[i]));
}

bool
vt_tf_str_split(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	const vt_str *sep = vt_as_str(args[0]), *s = vt_as_str(args[1]);
	const char *p, *end, *hit;
	bool ok = true;
	if (args[1] == VT_NULL)
		return vt_tosca_give(out, VT_NULL);
	if (!vt_is(args[0], STR) || !vt_is(args[1], STR) || sep->bytes == 0)
		return vt_tosca_fail(t, ctx, "takes a separator that is not empty and a string");
	vt_list *o = vt_list_grow(t->rt, VT_K_TUPLE, 0);
	for (p = s->s, end = p + s->bytes;
		(hit = memmem(p, (size_t)(end - p), sep->s, sep->bytes)) != NULL;
		p = hit + sep->bytes)
		vt_list_push(t->rt, o, vt_str_part(t->rt, s, p, (size_t)(hit - p)));
	vt_list_push(t->rt, o, vt_str_part(t->rt, s, p, (size_t)(end - p)));
	if (n < 3)
		return vt_tosca_give(out, vt_mkptr(o));
	ok = piece(t, ctx, o, args[2], out);
	vt_release(vt_mkptr(o));
	return ok;
}

bool
vt_tf_digest(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	char hex[VT_DIGEST_TEXT];
	(void)n;
	if (!vt_is(args[0], STR) || !vt_is(args[1], STR))
		return vt_tosca_fail(t, ctx, "takes the name of an algorithm and a string");
	if (!vt_digest(
		    vt_as_str(args[0])->s, vt_as_str(args[1])->s, vt_as_str(args[1])->bytes, hex))
		return vt_tosca_fail(t, ctx,
			"unknown algorithm '%.40s'; known are md5, sha1, sha224, sha256, sha384, "
			"sha512",
			vt_as_str(args[0])->s);
	return vt_tosca_give(out, vt_str_c(t->rt, hex));
}

/* ---- str_replace ---- */

typedef struct param {
	const vt_str *name;
	vt_value value;
	bool used;
} param;
typedef struct params {
	param *p;
	uint32_t n;
} params;
enum { MOST_PARAMS = 500 };

static int
longest_first(const void *a, const void *b)
{
	const vt_str *x = ((const param *)a)->name, *y = ((const param *)b)->name;
	return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : memcmp(x->s, y->s, x->bytes);
}

static bool
read_params(vt_tosca *t, const vt_tctx *ctx, vt_value map, params *out)
{
	uint32_t pos = 0;
	vt_value key, value;
	*out = (params){0};
	if (!vt_is(map, DICT))
		return vt_tosca_fail(t, ctx, "takes { template, params }, params a map");
	if (vt_dict_len(vt_as_dict(map)) > MOST_PARAMS)
		return vt_tosca_fail(t, ctx, "takes at most %d params", MOST_PARAMS);
	out->p = vt_xmalloc((vt_dict_len(vt_as_dict(map)) + 1) * sizeof *out->p);
	while (vt_dict_at(vt_as_dict(map), &pos, &key, &value)) {
		if (vt_is(key, STR) && vt_as_str(key)->bytes == 0) {
			free(out->p);
			return vt_tosca_fail(t, ctx, "an empty text cannot be replaced");
		}
		if (vt_is(key, STR))
			out->p[out->n++] = (param){vt_as_str(key), value, false};
	}
	qsort(out->p, out->n, sizeof *out->p, longest_first);
	return true;
}

/* Replaces the params from number i on; what has been put in is not looked at again. */
static void
replace(vt_tosca *t, params *ps, uint32_t i, const char *s, size_t n, vt_buf *b)
{
	const char *hit, *end = s + n;
	if (i == ps->n || n == 0 || b->n > INT32_MAX) {
		vt_buf_put(b, s, n);
		return;
	}
	while ((hit = memmem(s, (size_t)(end - s), ps->p[i].name->s, ps->p[i].name->bytes)) !=
		NULL) {
		replace(t, ps, i + 1, s, (size_t)(hit - s), b);
		put_text(t, ps->p[i].value, b);
		ps->p[i].used = true;
		s = hit + ps->p[i].name->bytes;
	}
	replace(t, ps, i + 1, s, (size_t)(end - s), b);
}

enum strictness { LAX, STRICT, VERY_STRICT };

static bool
all_used(vt_tosca *t, const vt_tctx *ctx, const params *ps, enum strictness how)
{
	for (uint32_t i = 0; i < ps->n && how != LAX; i++) {
		const param *p = &ps->p[i];
		if (!p->used)
			return vt_tosca_fail(
				t, ctx, "the template does not use '%.80s'", p->name->s);
		if (how == VERY_STRICT &&
			(p->value == VT_NULL ||
				(vt_is(p->value, STR) && vt_as_str(p->value)->bytes == 0)))
			return vt_tosca_fail(t, ctx, "'%.80s' is empty", p->name->s);
	}
	return true;
}

static bool
str_replace(vt_tosca *t, const vt_tctx *ctx, vt_value arg, enum strictness how, vt_value *out)
{
	vt_value template = member(arg, "template");
	params ps;
	vt_buf b = {0};
	bool ok;
	if (!vt_is(template, STR))
		return vt_tosca_fail(t, ctx, "takes { template, params }, template a string");
	if (!read_params(t, ctx, member(arg, "params"), &ps))
		return false;
	replace(t, &ps, 0, vt_as_str(template)->s, vt_as_str(template)->bytes, &b);
	ok = all_used(t, ctx, &ps, how);
	free(ps.p);
	return give_text(t, ctx, &b, ok, out);
}

bool
vt_tf_str_replace(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)n;
	return str_replace(t, ctx, args[0], LAX, out);
}

bool
vt_tf_str_replace_strict(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)n;
	return str_replace(t, ctx, args[0], STRICT, out);
}

bool
vt_tf_str_replace_vstrict(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	(void)n;
	return str_replace(t, ctx, args[0], VERY_STRICT, out);
}

/* ---- lists and maps ---- */

bool
vt_tf_list_concat(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_list *o = vt_list_grow(t->rt, VT_K_TUPLE, 0);
	for (uint32_t i = 0; i < n; i++) {
		if (vt_is_sequence(args[i])) {
			vt_list_extend(t->rt, o, vt_as_list(args[i])->n, vt_as_list(args[i])->v);
		} else if (args[i] != VT_NULL) {
			vt_release(vt_mkptr(o));
			return vt_tosca_fail(t, ctx, "takes lists, not %s", vt_tosca_noun(args[i]));
		}
	}
	return vt_tosca_give(out, vt_mkptr(o));
}

/* The same without what is there already; null is no list and left out. */
bool
vt_tf_list_concat_unique(
	vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_value *lists = vt_xmalloc((n + 1) * sizeof *lists);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++)
		if (args[i] != VT_NULL)
			lists[kept++] = args[i];
	bool ok = kept ? vt_tf_union(t, ctx, lists, kept, out)
		       : vt_tosca_give(out, vt_mkptr(vt_list_grow(t->rt, VT_K_TUPLE, 0)));
	free(lists);
	return ok;
}

bool
vt_tf_map_merge(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_dict *o = vt_dict_new(t->rt, true);
	vt_value key, value;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t pos = 0;
		if (args[i] == VT_NULL)
			continue;
		if (!vt_is(args[i], DICT)) {
			vt_release(vt_mkptr(o));
			return vt_tosca_fail(t, ctx, "takes maps, not %s", vt_tosca_noun(args[i]));
		}
		while (vt_dict_at(vt_as_dict(args[i]), &pos, &key, &value))
			(void)vt_dict_set(t->rt, o, key, value);
	}
	return vt_tosca_give(out, vt_mkptr(o));
}

/* What a map of replacements says; borrowed. */
static vt_value
replaced(vt_value map, vt_value v)
{
	vt_value by =
		vt_is(map, DICT) && vt_hashable(v) ? vt_dict_get(vt_as_dict(map), v) : VT_UNDEF;
	return by != VT_UNDEF ? by : v;
}

bool
vt_tf_map_replace(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_value keys = member(args[1], "keys"), values = member(args[1], "values"), key, value;
	uint32_t pos = 0;
	vt_dict *o;
	(void)n;
	if (!vt_is(args[0], DICT) || !vt_is(args[1], DICT))
		return vt_tosca_fail(t, ctx, "takes a map and { keys, values }");
	while (vt_dict_at(vt_as_dict(args[1]), &pos, &key, &value))
		if (!vt_is(key, STR) || (strcmp(vt_as_str(key)->s, "keys") != 0 &&
						strcmp(vt_as_str(key)->s, "values") != 0))
			return vt_tosca_fail(t, ctx, "takes a map and { keys, values }");
	pos = 0;
	o = vt_dict_new(t->rt, true);
	while (vt_dict_at(vt_as_dict(args[0]), &pos, &key, &value)) {
		vt_value to = replaced(keys, key);
		bool other = !vt_is(to, STR) || !vt_is(key, STR) ||
			     !vt_str_eq(vt_as_str(to), vt_as_str(key));
		if (!vt_is(to, STR) ||
			(other && (vt_dict_get(vt_as_dict(args[0]), to) != VT_UNDEF ||
					  vt_dict_get(o, to) != VT_UNDEF))) {
			vt_release(vt_mkptr(o));
			return vt_tosca_fail(t, ctx, "the new keys must be strings that differ");
		}
		(void)vt_dict_set(t->rt, o, to, replaced(values, value));
	}
	return vt_tosca_give(out, vt_mkptr(o));
}

bool
vt_tf_is_in(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	bool found = false;
	(void)n;
	if (vt_is(args[0], STR) && vt_is(args[1], STR))
		return vt_tosca_give(
			out, vt_mkbool(vt_str_find(NULL, vt_as_str(args[1]), vt_as_str(args[0]), 0,
					       UINT32_MAX) >= 0));
	if (!vt_is_sequence(args[1]))
		return vt_tosca_fail(
			t, ctx, "takes a value and a list, not %s", vt_tosca_noun(args[1]));
	for (uint32_t i = 0; i < vt_as_list(args[1])->n && !found; i++)
		found = vt_tosca_equal(t, args[0], vt_as_list(args[1])->v[i]);
	return vt_tosca_give(out, vt_mkbool(found));
}

bool
vt_tf_filter(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_list *o;
	(void)n;
	if (!vt_is_sequence(args[0]) || !vt_is_sequence(args[1]))
		return vt_tosca_fail(t, ctx, "takes a list of values and a list");
	o = vt_list_grow(t->rt, VT_K_TUPLE, 0);
	for (uint32_t i = 0; i < vt_as_list(args[1])->n; i++) {
		vt_value v = vt_as_list(args[1])->v[i];
		bool out_of_it = false;
		for (uint32_t j = 0; j < vt_as_list(args[0])->n && !out_of_it; j++)
			out_of_it = vt_tosca_equal(t, v, vt_as_list(args[0])->v[j]);
		if (!out_of_it)
			vt_list_push(t->rt, o, vt_copy(v));
	}
	return vt_tosca_give(out, vt_mkptr(o));
}

bool
vt_tf_if(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	/* without a third the entry is not there */
	vt_value v = args[0] == VT_TRUE ? args[1] : n > 2 ? args[2] : VT_NOVALUE;
	*out = VT_UNDEF;
	if (args[0] == VT_UNDEF)
		return false;
	if (!vt_is_bool(args[0]))
		return vt_tosca_fail(t, ctx, "takes a condition that is true or false, not %s",
			vt_tosca_noun(args[0]));
	*out = vt_copy(v);
	return v != VT_UNDEF;
}

/* ---- repeat ---- */

typedef struct loop {
	const vt_str *name;
	const vt_list *list;
} loop;
enum { MOST_LOOPS = 16, MOST_REPEATS = 100000 };

/* The template with the variables of this round put in. Owned. */
static vt_value
instance(vt_tosca *t, vt_value v, const params *ps)
{
	vt_value key, value;
	uint32_t pos = 0;
	if (vt_is(v, STR)) {
		vt_buf b = {0};
		for (uint32_t i = 0; i < ps->n; i++)
			if (vt_str_eq(ps->p[i].name, vt_as_str(v)))
				return vt_copy(ps->p[i].value);
		replace(t, (params *)(uintptr_t)ps, 0, vt_as_str(v)->s, vt_as_str(v)->bytes, &b);
		value = vt_str_take(t->rt, &b);
		vt_buf_free(&b);
		return value;
	}
	if (vt_is_sequence(v)) {
		vt_list *o = vt_list_grow(t->rt, VT_K_TUPLE, vt_as_list(v)->n);
		for (uint32_t i = 0; i < vt_as_list(v)->n; i++)
			vt_list_push(t->rt, o, instance(t, vt_as_list(v)->v[i], ps));
		return vt_mkptr(o);
	}
	if (vt_is(v, DICT)) {
		vt_dict *o = vt_dict_new(t->rt, true);
		while (vt_dict_at(vt_as_dict(v), &pos, &key, &value)) {
			vt_value k = instance(t, key, ps), x = instance(t, value, ps);
			if (vt_hashable(k))
				(void)vt_dict_set(t->rt, o, k, x);
			vt_release(k);
			vt_release(x);
		}
		return vt_mkptr(o);
	}
	return vt_copy(v);
}

/* What a variable goes through: a list, the keys of a map, or nothing. Texts only. Owned. */
static bool
entries(vt_tosca *t, const vt_tctx *ctx, vt_value v, vt_list **out)
{
	uint32_t pos = 0;
	vt_value key, value;
	if (v != VT_NULL && !vt_is(v, DICT) && !vt_is_sequence(v))
		return vt_tosca_fail(
			t, ctx, "goes through lists and maps, not %s", vt_tosca_noun(v));
	vt_list *l = vt_list_grow(t->rt, VT_K_TUPLE, 0);
	if (vt_is_sequence(v))
		vt_list_extend(t->rt, l, vt_as_list(v)->n, vt_as_list(v)->v);
	else if (vt_is(v, DICT))
		while (vt_dict_at(vt_as_dict(v), &pos, &key, &value))
			vt_list_push(t->rt, l, vt_copy(key));
	for (uint32_t i = 0; i < l->n; i++)
		if (!vt_is(l->v[i], STR)) {
			vt_tosca_fail(t, ctx, "puts strings in, not %s", vt_tosca_noun(l->v[i]));
			vt_release(vt_mkptr(l));
			return false;
		}
	*out = l;
	return true;
}

static void
drop_loops(const loop *l, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		vt_release(vt_mkptr(l[i].list));
}

static bool
read_loops(vt_tosca *t, const vt_tctx *ctx, vt_value map, loop *l, uint32_t *n)
{
	uint32_t pos = 0;
	vt_value key, value;
	*n = 0;
	if (!vt_is(map, DICT) || vt_dict_len(vt_as_dict(map)) == 0 ||
		vt_dict_len(vt_as_dict(map)) > MOST_LOOPS)
		return vt_tosca_fail(t, ctx,
			"takes { template, for_each }, for_each a map of 1 to %d lists",
			MOST_LOOPS);
	while (vt_dict_at(vt_as_dict(map), &pos, &key, &value)) {
		vt_list *list = NULL;
		if (!vt_is(key, STR) || vt_as_str(key)->bytes == 0)
			return vt_tosca_fail(t, ctx, "goes through variables with a name");
		if (!entries(t, ctx, value, &list))
			return false;
		l[(*n)++] = (loop){vt_as_str(key), list};
	}
	return true;
}

/* How many rounds: the product, or the one length that all have. */
static bool
rounds(vt_tosca *t, const vt_tctx *ctx, const loop *l, uint32_t n, bool product, uint64_t *count)
{
	*count = product ? 1 : l[0].list->n;
	for (uint32_t i = 0; i < n; i++) {
		if (!product && l[i].list->n != *count)
			return vt_tosca_fail(
				t, ctx, "without permutations all lists must have the same length");
		*count = product ? *count * l[i].list->n : *count;
		if (*count > MOST_REPEATS)
			return vt_tosca_fail(t, ctx, "gives more than %d results", MOST_REPEATS);
	}
	return true;
}

bool
vt_tf_repeat(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_value template = member(args[0], "template");
	bool product = member(args[0], "permutations") != VT_FALSE;
	loop l[MOST_LOOPS] = {{0}};
	param p[MOST_LOOPS];
	uint64_t count;
	vt_list *o;
	if (!read_loops(t, ctx, member(args[0], "for_each"), l, &n) ||
		!rounds(t, ctx, l, n, product, &count)) {
		drop_loops(l, n);
		return false;
	}
	o = vt_list_grow(t->rt, VT_K_TUPLE, 0);
	for (uint64_t r = 0; r < count; r++) {
		uint64_t rest = r;
		for (uint32_t i = n; i-- > 0; rest /= l[i].list->n)
			p[i] = (param){
				l[i].name, l[i].list->v[product ? rest % l[i].list->n : r], false};
		qsort(p, n, sizeof *p, longest_first);
		vt_list_push(t->rt, o, instance(t, template, &(params){p, n}));
	}
	drop_loops(l, n);
	return vt_tosca_give(out, vt_mkptr(o));
}

/* ---- the rest ---- */

static void
put_escaped(vt_buf *b, vt_value text, const char *also)
{
	const vt_str *s = vt_as_str(text);
	for (uint32_t i = 0; i < s->bytes; i++) {
		unsigned char c = (unsigned char)s->s[i];
		bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			     (c >= 'A' && c <= 'Z') || (c && strchr("-._~", c) != NULL) ||
			     (c && strchr(also, c) != NULL);
		if (plain)
			vt_buf_putc(b, (char)c);
		else
			vt_buf_printf(b, "%%%02X", c);
	}
}

static void
put_query(vt_tosca *t, vt_buf *b, vt_value query)
{
	vt_value key, value;
	uint32_t pos = 0;
	char mark = '?';
	while (vt_dict_at(vt_as_dict(query), &pos, &key, &value)) {
		vt_buf text = {0};
		vt_value s;
		vt_buf_putc(b, mark);
		mark = '&';
		if (vt_is(key, STR))
			put_escaped(b, key, "");
		vt_buf_putc(b, '=');
		put_text(t, value, &text);
		s = vt_str_take(t->rt, &text);
		put_escaped(b, s, "");
		vt_release(s);
		vt_buf_free(&text);
	}
}

static bool
port_fits(vt_tosca *t, const vt_tctx *ctx, vt_value port)
{
	vt_value v = VT_UNDEF;
	if (port == VT_NULL)
		return true;
	if (vt_is(port, STR) ? !read_number(t, vt_as_str(port), &v) : !vt_is_int(v = port))
		return vt_tosca_fail(t, ctx, "port must be a number");
	if (!vt_is_int(v) || vt_toint(v) < 1 || vt_toint(v) > 65535) {
		vt_release(v);
		return vt_tosca_fail(t, ctx, "port must be between 1 and 65535");
	}
	return true;
}

static bool
url_parts_fit(vt_tosca *t, const vt_tctx *ctx, vt_value m)
{
	static const char *const texts[] = {
		"scheme", "username", "password", "host", "path", "fragment"};
	vt_value port = member(m, "port"), query = member(m, "query");
	if (!vt_is(m, DICT))
		return vt_tosca_fail(t, ctx, "takes a map of the parts of a URL");
	for (size_t i = 0; i < VT_LEN(texts); i++)
		if (member(m, texts[i]) != VT_NULL && !vt_is(member(m, texts[i]), STR))
			return vt_tosca_fail(t, ctx, "%s must be a string", texts[i]);
	if (!port_fits(t, ctx, port))
		return false;
	return query == VT_NULL || vt_is(query, DICT) ||
	       vt_tosca_fail(t, ctx, "query must be a map");
}

static void
put_authority(vt_tosca *t, vt_buf *b, vt_value m)
{
	vt_value user = member(m, "username"), password = member(m, "password"),
		 host = member(m, "host");
	bool ipv6 = host != VT_NULL && strchr(vt_as_str(host)->s, ':') != NULL &&
		    vt_as_str(host)->s[0] != '[';
	if (user != VT_NULL) {
		put_escaped(b, user, "");
		vt_buf_puts(b, password != VT_NULL ? ":" : "");
		if (password != VT_NULL)
			put_escaped(b, password, "");
		vt_buf_putc(b, '@');
	}
	vt_buf_puts(b, ipv6 ? "[" : "");
	put_text(t, host, b);
	vt_buf_puts(b, ipv6 ? "]" : "");
	if (member(m, "port") != VT_NULL) {
		vt_buf_putc(b, ':');
		put_text(t, member(m, "port"), b);
	}
}

bool
vt_tf_make_url(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_value m = args[0], path = member(m, "path");
	vt_buf b = {0};
	(void)n;
	if (!url_parts_fit(t, ctx, m))
		return false;
	if (member(m, "scheme") != VT_NULL)
		vt_buf_printf(&b, "%s:", vt_as_str(member(m, "scheme"))->s);
	if (member(m, "host") != VT_NULL) {
		vt_buf_puts(&b, "//");
		put_authority(t, &b, m);
	}
	if (path != VT_NULL) {
		vt_buf_puts(&b,
			vt_as_str(path)->s[0] != '/' && member(m, "host") != VT_NULL ? "/" : "");
		put_escaped(&b, path, "/%");
	}
	if (member(m, "query") != VT_NULL)
		put_query(t, &b, member(m, "query"));
	if (member(m, "fragment") != VT_NULL) {
		vt_buf_putc(&b, '#');
		put_escaped(&b, member(m, "fragment"), "");
	}
	return give_text(t, ctx, &b, true, out);
}

/* ---- parameters ---- */

static vt_value
as_text(vt_tosca *t, vt_value v)
{
	vt_buf b = {0};
	put_text(t, v, &b);
	v = vt_str_take(t->rt, &b);
	vt_buf_free(&b);
	return v;
}

static bool
read_list(vt_tosca *t, vt_value v, vt_value *out)
{
	vt_list *l;
	if (!vt_is(v, STR) && !vt_is_sequence(v))
		return false;
	l = vt_list_grow(t->rt, VT_K_TUPLE, 0);
	for (uint32_t i = 0; vt_is_sequence(v) && i < vt_as_list(v)->n; i++)
		vt_list_push(t->rt, l, as_text(t, vt_as_list(v)->v[i]));
	const char *p = vt_is(v, STR) ? vt_as_str(v)->s : "",
		   *end = vt_is(v, STR) ? p + vt_as_str(v)->bytes : p;
	for (const char *to; p < end; p = to + 1) {
		to = memchr(p, ',', (size_t)(end - p));
		to = to ? to : end;
		vt_list_push(t->rt, l, vt_str_new(t->rt, p, (size_t)(to - p)));
		if (to + 1 == end)
			vt_list_push(t->rt, l, vt_str_new(t->rt, "", 0));
	}
	return vt_tosca_give(out, vt_mkptr(l));
}

static bool
read_json(vt_tosca *t, vt_value v, vt_value *out)
{
	vt_value got = VT_UNDEF;
	char *err = NULL;
	if (vt_is(v, DICT) || vt_is_sequence(v))
		return vt_tosca_give(out, vt_copy(v));
	if (!vt_is(v, STR) ||
		!vt_json_read(t->rt, vt_as_str(v)->s, vt_as_str(v)->bytes, 0, 0, &got, &err)) {
		free(err);
		return false;
	}
	if (vt_is(got, DICT) || vt_is_sequence(got))
		return vt_tosca_give(out, got);
	vt_release(got);
	return false;
}

static bool
read_truth(vt_tosca *t, vt_value v, vt_value *out)
{
	static const char *const words[] = {
		"t", "true", "on", "y", "yes", "1", "f", "false", "off", "n", "no", "0"};
	size_t i = 0;
	if (vt_is(v, DICT) || vt_is_sequence(v))
		return false;
	v = as_text(t, v);
	while (i < VT_LEN(words) && strcasecmp(words[i], vt_as_str(v)->s) != 0)
		i++;
	vt_release(v);
	return i < VT_LEN(words) && vt_tosca_give(out, vt_mkbool(i < VT_LEN(words) / 2));
}

bool
vt_tosca_heat(vt_tosca *t, enum vt_tbase base, vt_value v, vt_value *out)
{
	switch (base) {
	case VT_TB_HEAT_STRING:
		return !vt_is(v, DICT) && !vt_is_sequence(v) && vt_tosca_give(out, as_text(t, v));
	case VT_TB_HEAT_NUMBER:
		return vt_is_number(v) ? vt_tosca_give(out, vt_copy(v))
				       : vt_is(v, STR) && read_number(t, vt_as_str(v), out);
	case VT_TB_HEAT_LIST: return read_list(t, v, out);
	case VT_TB_HEAT_JSON: return read_json(t, v, out);
	case VT_TB_HEAT_BOOLEAN: return read_truth(t, v, out);
	case VT_TB_ANY:
	case VT_TB_STRING:
	case VT_TB_INTEGER:
	case VT_TB_FLOAT:
	case VT_TB_BOOLEAN:
	case VT_TB_NULL:
	case VT_TB_BYTES:
	case VT_TB_TIMESTAMP:
	case VT_TB_VERSION:
	case VT_TB_RANGE:
	case VT_TB_LIST:
	case VT_TB_MAP:
	case VT_TB_SCALAR:
	case VT_TB_JSON:
	case VT_TB_XML:
	case VT_TB_COMPLEX: break;
	}
	return false;
}

/* ---- yaql ---- */

const struct vt_program *
vt_tosca_find_yaql(vt_tosca *t, const vt_str *text, char **why)
{
	const vt_tprogram *p = t->yaql_ctx;
	for (uint32_t i = 0; i < p->nyaql; i++)
		if (vt_str_eq(t->m->str[p->yaql[i].text], text))
			return p->yaql[i].program;
	*why = vt_asprintf("the expression is computed, and a binary has the code of those that "
			   "stand in the template");
	return NULL;
}

static vt_status
evaluate(vt_rt *rt, const vt_code *code, vt_value data, vt_value *out)
{
	const vt_unit *u = code->unit;
	vt_value got = VT_UNDEF;
	vt_scope *scope;
	vt_status st;
	rt->s->quota = u->opt.memory_quota > 0 ? u->opt.memory_quota : 0;
	scope = vt_scope_root(rt, u, data);
	st = vt_code_run(rt, code, scope, &got);
	if (st == VT_OK && (st = vt_quota_value(rt, got)) != VT_OK)
		vt_clear(&got);
	if (st == VT_OK)
		st = vt_convert_output_own(rt, u, got, out);
	vt_scope_drop(scope);
	rt->s->quota = 0;
	return st;
}

/* Expressions do not nest, so each has the inline caches of the session to itself while it runs. */
static vt_status
run_yaql(vt_rt *rt, const vt_program *p, vt_value data, vt_value *out)
{
	size_t n = (p->nics + 1) * sizeof *rt->ic;
	vt_ic *before = rt->ic;
	vt_status st;
	rt->ic = memset(vt_xmalloc(n), 0, n);
	st = evaluate(rt, p->query, data, out);
	free(rt->ic);
	rt->ic = before;
	return st;
}

static bool
raised(vt_tosca *t, const vt_tctx *ctx)
{
	vt_buf b = {0};
	vt_exc *e = vt_pending(t->rt);
	if (e != NULL)
		vt_exc_str(t->rt, &b, e);
	vt_tosca_fail(t, ctx, "%.*s", (int)b.n, b.n ? b.p : "");
	vt_buf_free(&b);
	vt_exc_clear(t->rt);
	return false;
}

/* $ is { data }, and what there is goes by the rules of Heat: sets and tuples come out as lists. */
bool
vt_tf_yaql(vt_tosca *t, const vt_tctx *ctx, const vt_value *args, uint32_t n, vt_value *out)
{
	vt_value expression = member(args[0], "expression"), data;
	const vt_program *p;
	char *why = NULL;
	vt_dict *d;
	bool ok;
	(void)n;
	if (!vt_is(expression, STR))
		return vt_tosca_fail(t, ctx, "takes { expression, data }, expression a string");
	p = t->yaql ? t->yaql(t, vt_as_str(expression), &why) : NULL;
	if (!p) {
		vt_tosca_fail(
			t, ctx, "%s", why ? why : "there is no compiler of YAQL in this program");
		free(why);
		return false;
	}
	d = vt_dict_new_cap(t->rt, true, 1);
	vt_dict_set_c(t->rt, d, "data", vt_copy(member(args[0], "data")));
	data = vt_mkptr(d);
	ok = run_yaql(t->rt, p, data, out) == VT_OK || raised(t, ctx);
	vt_release(data);
	return ok;
}
