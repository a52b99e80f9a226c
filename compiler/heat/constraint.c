/*
 * constraint.c - what a value has to be beside its type: ranges, lengths, allowed values, patterns,
 * multiples, and named checks.
 *
 * The schemas of properties and those that parameters are turned into have the same keys.
 */
#include "compiler/heat/int.h"

#include "runtime/core/number.h"

#include <string.h>

bool
ht_number(const ynode *y, double *d)
{
	*d = 0;
	if (!y || y->kind != YN_SCALAR)
		return false;
	switch ((enum yn_type)y->type) {
	case YT_INT: return vt_float_parse(y->digits, strlen(y->digits), d);
	case YT_FLOAT: *d = y->f; return true;
	case YT_BOOL: *d = (double)y->i; return true;
	case YT_STR: return y->ntext > 0 && vt_float_parse(y->text, y->ntext, d);
	case YT_NULL:
	case YT_DATE:
	case YT_DATETIME:
	case YT_BINARY: break;
	}
	return false;
}

static bool
same_maps(const ynode *a, const ynode *b)
{
	for (uint32_t i = 0; i < a->n; i++) {
		const char *key = ht_text(a->key[i]);
		const ynode *other = key ? yn_get(b, key) : NULL;
		if (!other || !ht_same(a->item[i], other))
			return false;
	}
	return a->n == b->n;
}

static bool
is_number(const ynode *y)
{
	return y->type == YT_INT || y->type == YT_FLOAT || y->type == YT_BOOL;
}

bool
ht_same(const ynode *a, const ynode *b)
{
	double x, y;
	if (!a || !b || a->kind != b->kind)
		return false;
	if (a->kind == YN_MAP)
		return same_maps(a, b);
	if (a->kind == YN_SEQ) {
		for (uint32_t i = 0; i < a->n && a->n == b->n; i++)
			if (!ht_same(a->item[i], b->item[i]))
				return false;
		return a->n == b->n;
	}
	if (a->kind == YN_ERROR)
		return false;
	if (is_number(a) && is_number(b))
		return ht_number(a, &x) && ht_number(b, &y) && x == y;
	if (is_number(a) || is_number(b) || (a->type == YT_NULL) != (b->type == YT_NULL))
		return false;
	return a->type == YT_NULL || (a->ntext == b->ntext && !memcmp(a->text, b->text, a->ntext));
}

/* ---- range and length ---- */

static uint32_t
length_of(const ynode *y)
{
	uint32_t n = 0;
	if (y->kind != YN_SCALAR)
		return y->n;
	for (uint32_t i = 0; i < y->ntext; i++)
		n += (y->text[i] & 0xc0) != 0x80;
	return n;
}

static bool
in_range(ht_template *t, const ynode *range, double d, vc_span at, const char *what, bool length)
{
	double lo, hi;
	bool low = ht_number(range->item[0], &lo) && d < lo,
	     high = ht_number(range->item[1], &hi) && d > hi;
	if (low || high)
		ht_report_create(t, VC_E2041, at, "%s: %s%.15g is %s %s", what,
			length ? "the length " : "", d, low ? "below" : "above",
			range->item[low ? 0 : 1]->text);
	return !low && !high;
}

static bool
range_fits(ht_template *t, const ynode *schema, const ynode *v, vc_span at, const char *what)
{
	const ynode *range = yn_get(schema, "range");
	const char *type = ht_text(yn_get(schema, "type"));
	bool number = type && (!strcmp(type, "integer") || !strcmp(type, "number"));
	double d = length_of(v);
	if (!range || range->kind != YN_SEQ || range->n != 2 || (number && !ht_number(v, &d)))
		return true;
	return in_range(t, range, d, at, what, !number);
}

/* ---- values and patterns ---- */

/* 8080 and '8080' are one value where numbers are texts. */
static bool
is_one_of(const ynode *list, const ynode *v)
{
	for (uint32_t i = 0; i < list->n; i++) {
		const ynode *a = list->item[i];
		if (ht_same(a, v) || (a->kind == YN_SCALAR && v->kind == YN_SCALAR &&
					     !strcasecmp(a->text, v->text) &&
					     (a->type != YT_STR || v->type != YT_STR)))
			return true;
	}
	return false;
}

static const char *
listed(ht_template *t, const ynode *list)
{
	vt_buf b = {0};
	for (uint32_t i = 0; i < list->n && b.n < 200; i++)
		vt_buf_printf(&b, "%s%.60s", i ? ", " : "",
			list->item[i]->kind == YN_SCALAR ? list->item[i]->text : "...");
	return vc_take(t->h->c, &b);
}

static bool
allowed(ht_template *t, const ynode *schema, const ynode *v, vc_span at, const char *what)
{
	const ynode *list = yn_get(schema, "allowed_values");
	uint32_t n = v->kind == YN_SEQ ? v->n : 1;
	for (uint32_t i = 0; list && list->kind == YN_SEQ && i < n; i++) {
		const ynode *item = v->kind == YN_SEQ ? v->item[i] : v;
		if (!item || is_one_of(list, item))
			continue;
		ht_report_create(t, VC_E2041, at, "%s: '%.80s' is not one of: %s", what,
			item->kind == YN_SCALAR ? item->text : "...", listed(t, list));
		return false;
	}
	return true;
}

/* Through the engine's function, as for inputs of services. */
static bool
ask(ht_template *t, const char *name, const ynode *v, const ynode *operand, bool *answer)
{
	heat *h = t->h;
	const vt_tfunc_row *row = &vt_tfuncs[vt_tfunc_find(name, VT_TV_HOT, true)];
	vt_tctx ctx = {.value = VT_UNDEF, .place = {0, ++h->calls}, .fn = name};
	vt_value args[2] = {yn_value(h->rt, v), yn_value(h->rt, operand)}, out = VT_UNDEF;
	bool ok = row->fn(h->engine, &ctx, args, 2, &out);
	*answer = out == VT_TRUE;
	vt_release(args[0]);
	vt_release(args[1]);
	vt_clear(&out);
	return ok;
}

static bool
pattern_fits(ht_template *t, const ynode *schema, const ynode *v, vc_span at, const char *what)
{
	const ynode *pattern = yn_get(schema, "allowed_pattern");
	bool fits = true;
	if (!ht_text(pattern) || v->kind != YN_SCALAR)
		return true;
	const ynode *text = yn_make_text(t->h->c, v, v->text);
	if (!ask(t, "allowed_pattern", text, pattern, &fits) || fits)
		return true;
	ht_report_create(t, VC_E2041, at, "%s: '%.80s' does not match the pattern %.120s", what,
		v->text, pattern->text);
	return false;
}

static bool
modulo_fits(ht_template *t, const ynode *schema, const ynode *v, vc_span at, const char *what)
{
	const ynode *modulo = yn_get(schema, "modulo");
	bool fits = true;
	double d;
	if (!modulo || !ht_number(v, &d))
		return true;
	if (!ask(t, "modulo", v, modulo, &fits) || fits)
		return true;
	ht_report_create(
		t, VC_E2041, at, "%s: %.15g is not a multiple as modulo wants it", what, d);
	return false;
}

/* Each once. */
static void
note_cloud(ht_template *t, const char *what, vc_span at)
{
	for (uint32_t i = 0; i < t->ncloud; i++)
		if (!strcmp(t->cloud[i], what))
			return;
	t->cloud_at = t->ncloud ? t->cloud_at : at;
	vc_push(t->h->c, t->cloud, t->ncloud) = what;
}

static bool
custom_fits(ht_template *t, const ynode *schema, const ynode *v, vc_span at, const char *what)
{
	const char *name = ht_text(yn_get(schema, "custom")), *cloud = NULL;
	if (!name || v->kind != YN_SCALAR || !v->ntext || ht_is_null(v))
		return true;
	const char *why = ht_custom(name, v->text, &cloud);
	if (why) {
		ht_report_create(t, VC_E2041, at, "%s: '%.80s' is no %s", what, v->text, why);
		return false;
	}
	if (cloud && !t->dead)
		note_cloud(t, vc_format(t->h->c, "%s '%.60s'", cloud, v->text), at);
	return true;
}

bool
ht_constraints(ht_template *t, const ynode *schema, const ynode *v, vc_span at, const char *what)
{
	return range_fits(t, schema, v, at, what) && allowed(t, schema, v, at, what) &&
	       pattern_fits(t, schema, v, at, what) && modulo_fits(t, schema, v, at, what) &&
	       custom_fits(t, schema, v, at, what);
}
