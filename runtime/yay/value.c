/*
 * value.c - values of what was expanded, and shapes of values.
 */
#include "runtime/yay/int.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"

#include <stdlib.h>
#include <string.h>

/* ---- shapes to values ---- */

/* How a value is made. */
enum {
	SAFE = 1,   /* with secrets masked */
	PASSING = 2 /* for vt_yay_print(): what is long may be an iterator of its parts */
};
static bool value_of(vt_yay *, yshape *, unsigned how, vt_value *out);

/* Nobody has expanded it or been given its value, nothing that stands in it can be other than it is
 * written, and nothing lies below it that it would be merged with. */
static bool
is_plain_place(vt_yay *s, vt_ynode *n)
{
	if (n->state != S_NEW || n->guess || n->given || !yay_is_plain(s, n->doc, n->row))
		return false;
	if (n->kind == N_ROW || (n->kind == N_ROOT && s->nlayers == 1 && s->layer->doc))
		return true;
	if (n->kind != N_ENTRY || (ROW(n->doc, n->entry)->flag & YAY_EXTEND))
		return false;
	if (!n->row || ROW(n->doc, n->row)->kind == YAY_TEXT)
		return true;
	return !yay_pred(s, n) && !yay_failed(s);
}

static bool
node_value(vt_yay *s, vt_ynode *n, unsigned how, vt_value *out)
{
	yshape *sh;
	bool good;

	if (is_plain_place(s, n)) {
		n->given = true;
		return yay_plain_value(s, n->doc, n->row, how & PASSING, out);
	}
	if (!(sh = yay_expand(s, n)))
		return false;
	if (!(good = value_of(s, sh, how, out)) && n->kind != N_ROOT)
		yay_led(s, n->doc, n->row);
	return good;
}

/* A plain part, which has no node here, is only counted; any other made, and put into `given`: so a
 * failure comes before anything is written. */
static bool
pass_part(vt_yay *s, ydoc *d, uint32_t row, vt_ynode *n, unsigned how, vt_list *given)
{
	vt_value v;

	if (!n)
		return yay_counts(s, d, row);
	if (!node_value(s, n, how, &v))
		return false;
	vt_list_push(s->rt, given, v);
	return true;
}

static bool
passing_list(vt_yay *s, yshape *sh, unsigned how, vt_value *out)
{
	vt_list *given = vt_list_grow(s->rt, VT_K_LIST, 4);
	bool good = true;

	for (uint32_t i = 0; i < sh->n && good; i++) {
		vt_ynode *n = sh->item[i];
		good = pass_part(s, n->doc, n->row, yay_is_plain_item(s, n) ? NULL : n, how, given);
	}
	if (good)
		*out = yay_parts_of_items(s, sh, vt_mkptr(given));
	else
		vt_release(vt_mkptr(given));
	return good;
}

static bool
list_value(vt_yay *s, yshape *sh, unsigned how, vt_value *out)
{
	vt_list *l;
	vt_value v;

	if ((how & PASSING) && sh->n >= YAY_LONG)
		return passing_list(s, sh, how, out);
	l = vt_list_grow(s->rt, VT_K_LIST, sh->n);
	for (uint32_t i = 0; i < sh->n; i++) {
		if (!node_value(s, sh->item[i], how, &v)) {
			vt_release(vt_mkptr(l));
			return false;
		}
		vt_list_push(s->rt, l, v);
	}
	*out = vt_mkptr(l);
	return true;
}

/* The only piece of a map that nothing adds to, each key once; or NULL. */
static ypiece *
only_rows(vt_yay *s, ymap *m)
{
	ypiece *p = m->n == 1 ? m->piece[0] : NULL;

	return p && p->kind == P_ROWS && p->only == 0 && !m->keyed && !m->params && !m->outer &&
			       yay_is_simple(s, p->doc, p->row) &&
			       (!m->of || !yay_pred(s, m->of)) && !yay_failed(s)
		       ? p
		       : NULL;
}

static bool
passing_rows(vt_yay *s, ypiece *p, unsigned how, vt_value *out)
{
	ydoc *d = p->doc;
	vt_list *given = vt_list_grow(s->rt, VT_K_LIST, 4);
	bool good = true;

	for (uint32_t e = ROW(d, p->row)->a; e && good; e = ROW(d, e)->next) {
		uint32_t row = ROW(d, e)->b;
		vt_ynode *n = yay_is_plain(s, d, row) ? NULL : yay_place_of(s, p, e);
		good = pass_part(s, d, row, n, how, given);
	}
	if (good)
		*out = yay_parts(s, d, p->row, vt_mkptr(given));
	else
		vt_release(vt_mkptr(given));
	return good;
}

/* Without places for what is plain to see: a large configuration is mostly that. */
static bool
rows_value(vt_yay *s, ypiece *p, unsigned how, vt_value *out)
{
	ydoc *d = p->doc;
	vt_dict *all;
	bool good = true;
	vt_value v;

	if ((how & PASSING) && ROW(d, p->row)->b >= YAY_LONG)
		return passing_rows(s, p, how, out);
	all = yay_dict_for(s, ROW(d, p->row)->b);
	for (uint32_t e = ROW(d, p->row)->a; e && good; e = ROW(d, e)->next) {
		good = yay_is_plain(s, d, ROW(d, e)->b)
			       ? yay_plain_value(s, d, ROW(d, e)->b, how & PASSING, &v)
			       : node_value(s, yay_place_of(s, p, e), how, &v);
		if (good)
			yay_dict_put(s, all, yay_doc_text(s, d, ROW(d, e)->a), v);
	}
	return yay_given(vt_mkptr(all), good, out);
}

static bool
keys_value(vt_yay *s, ymap *m, unsigned how, vt_value *out)
{
	vt_dict *all = yay_dict_for(s, m->nkeys);
	bool good = true;
	vt_value v;

	for (uint32_t i = 0; i < m->nkeys && good; i++)
		if ((good = node_value(s, m->node[i], how, &v)))
			yay_dict_put(s, all, s->sym[m->key[i]], v);
	return yay_given(vt_mkptr(all), good, out);
}

static bool
map_value(vt_yay *s, ymap *m, unsigned how, vt_value *out)
{
	ypiece *p = only_rows(s, m);

	if (p)
		return rows_value(s, p, how, out);
	return !yay_failed(s) && yay_map_keys(s, m) && keys_value(s, m, how, out);
}

static bool
compound(vt_yay *s, yshape *sh, unsigned how, vt_value *out)
{
	if (sh->kind == Y_LIST)
		return list_value(s, sh, how, out);
	if (sh->kind == Y_MAP)
		return map_value(s, (ymap *)sh, how, out);
	return yay_fail(
		s, VT_YE_TYPE, sh->doc, sh->row, "a macro, a prototype or a lambda is no value");
}

static bool
scalar_value(vt_yay *s, yshape *sh, unsigned how, vt_value *out)
{
	s->weight += 1 + (vt_is(sh->value, STR) ? vt_as_str(sh->value)->bytes / 64 : 0);
	if ((how & SAFE) && sh->secret) {
		s->masked = true;
		return (*out = yay_text(s, sh, true)) != VT_UNDEF;
	}
	s->secret |= sh->secret;
	*out = vt_copy(sh->value);
	return true;
}

/*
 * Parts are shared, so a short text can mean a value that has no end when it is written; it is
 * weighed as it would be written.  What holds secrets is not kept: masked and plain differ.  Nor is
 * what has iterators in it, which nobody but a writer can use.
 */
static bool
weighed(vt_yay *s, yshape *sh, unsigned how, vt_value *out)
{
	bool secret = s->secret, masked = s->masked;
	uint64_t before = s->weight;
	uint32_t parts = s->nparts;

	s->secret = s->masked = false;
	s->weight = 1;
	if (!compound(s, sh, how, out))
		return false;
	if (s->weight > s->limit.nodes) {
		vt_clear(out);
		return yay_fail(s, VT_YE_LIMIT, sh->doc, sh->row,
			"the value has more than %u parts", s->limit.nodes);
	}
	if (!s->secret && !s->masked && s->nparts == parts) {
		vt_move(&sh->value, vt_copy(*out));
		sh->weight = s->weight;
		yay_remember(s, sh, T_VALUE);
	}
	s->secret |= secret;
	s->masked |= masked;
	s->weight += before;
	return true;
}

static bool
value_of(vt_yay *s, yshape *sh, unsigned how, vt_value *out)
{
	uint32_t outer = s->taint;
	bool good;

	if (sh->kind == Y_SCALAR)
		return scalar_value(s, sh, how, out);
	if (sh->value != VT_UNDEF) {
		s->weight += sh->weight;
		*out = vt_copy(sh->value);
		return true;
	}
	if (sh->busy)
		return yay_fail(s, VT_YE_CYCLE, sh->doc, sh->row,
			"A cyclic dependency was detected in your configuration and processing "
			"cannot continue");
	if (!yay_step(s, sh->doc, sh->row))
		return false;
	sh->busy = true;
	s->taint = NO_TAINT;
	good = weighed(s, sh, how, out);
	sh->busy = false;
	yay_tainted(s, outer);
	return good;
}

bool
yay_resolve(vt_yay *s, yshape *sh, vt_value *out)
{
	return value_of(s, sh, 0, out);
}

bool
yay_resolve_node(vt_yay *s, vt_ynode *n, vt_value *out)
{
	return node_value(s, n, 0, out);
}

/* ---- values to shapes ---- */

yshape *
yay_from_value(vt_yay *s, ydoc *d, uint32_t row, vt_value v)
{
	yshape *sh;

	if (vt_is(v, DICT)) {
		ymap *m = yay_map(s, d, row);
		yay_map_values(s, m, d, row, v);
		return &m->s;
	}
	if (!vt_is_sequence(v))
		return yay_scalar(s, d, row, vt_copy(v));
	sh = yay_shape(s, Y_LIST, d, row);
	sh->item = yay_alloc(s, vt_as_list(v)->n * sizeof *sh->item);
	for (uint32_t i = 0; i < vt_as_list(v)->n; i++)
		sh->item[sh->n++] =
			yay_node_shape(s, yay_from_value(s, d, row, vt_as_list(v)->v[i]));
	return sh;
}

/* ---- what the caller asks for ---- */

const char *const vt_yay_as_names[VT_YAS_COUNT] = {
#define X(id, name) name,
	VT_YAY_AS(X)
#undef X
};

static bool
expected(vt_yay *s, yshape *sh, vt_ynode *n, const char *what)
{
	yay_fail(s, VT_YE_TYPE, sh->doc, sh->row, "%s", what);
	yay_led(s, n->doc, n->row);
	return false;
}

static bool
as_int(vt_yay *s, yshape *sh, vt_ynode *n, vt_value *out)
{
	vt_value v = VT_UNDEF;
	vt_status st;

	if (sh->kind != Y_SCALAR || !yay_number(s, sh, &v)) {
		yay_forgive(s);
		return expected(s, sh, n, "Expected integer");
	}
	if (!vt_is(v, FLOAT)) {
		*out = vt_is_bool(v) ? vt_mkint(v == VT_TRUE) : v;
		return true;
	}
	st = vt_float_to_int(s->rt, vt_as_float(v), out);
	vt_release(v);
	if (st == VT_OK)
		return true;
	vt_exc_clear(s->rt);
	return expected(s, sh, n, "Expected integer");
}

static bool
as_float(vt_yay *s, yshape *sh, vt_ynode *n, vt_value *out)
{
	vt_value v = VT_UNDEF;
	double f;
	bool good = sh->kind == Y_SCALAR && yay_number(s, sh, &v) &&
		    vt_num_double(s->rt, v, &f) == VT_OK;

	vt_release(v);
	if (good) {
		*out = vt_float_new(s->rt, f);
		return true;
	}
	vt_exc_clear(s->rt);
	yay_forgive(s);
	return expected(s, sh, n, "Expected float");
}

static bool
as_keys(vt_yay *s, yshape *sh, vt_ynode *n, vt_value *out)
{
	ymap *m = (ymap *)sh;
	vt_list *l;

	if (sh->kind != Y_MAP)
		return expected(s, sh, n, "Expecting dictionary");
	if (!yay_map_keys(s, m))
		return false;
	l = vt_list_grow(s->rt, VT_K_LIST, m->nkeys);
	for (uint32_t i = 0; i < m->nkeys; i++)
		vt_list_push(s->rt, l, vt_copy(s->sym[m->key[i]]));
	*out = vt_mkptr(l);
	return true;
}

static bool
as_labels(vt_yay *s, yshape *sh, vt_value *out)
{
	vt_list *l = vt_list_grow(s->rt, VT_K_LIST, 1);

	if (sh->secret || (sh->kind != Y_SCALAR && sh->doc && sh->doc->secret))
		vt_list_push(s->rt, l, vt_str_c(s->rt, "secret"));
	*out = vt_mkptr(l);
	return true;
}

static bool
convert(vt_yay *s, vt_ynode *n, yshape *sh, enum vt_yay_as as, vt_value *out)
{
	bool yes;

	switch (as) {
	case VT_YAS_VALUE:
	case VT_YAS_SAFE_VALUE: return node_value(s, n, as == VT_YAS_SAFE_VALUE ? SAFE : 0, out);
	case VT_YAS_INT: return as_int(s, sh, n, out);
	case VT_YAS_FLOAT: return as_float(s, sh, n, out);
	case VT_YAS_NUMBER: return yay_number(s, sh, out);
	case VT_YAS_BOOL: return yay_truth(s, sh, &yes) && (*out = vt_mkbool(yes), true);
	case VT_YAS_STRING: return (*out = yay_text(s, sh, false)) != VT_UNDEF;
	case VT_YAS_SAFE_STRING: return (*out = yay_text(s, sh, true)) != VT_UNDEF;
	case VT_YAS_LIST:
		return sh->kind == Y_LIST ? node_value(s, n, 0, out)
					  : expected(s, sh, n, "Expecting list");
	case VT_YAS_ITERABLE:
		if (sh->kind == Y_MAP)
			return as_keys(s, sh, n, out);
		return sh->kind == Y_LIST ? node_value(s, n, 0, out)
					  : expected(s, sh, n, "Expecting iterable");
	case VT_YAS_DICT:
		return sh->kind == Y_MAP ? node_value(s, n, 0, out)
					 : expected(s, sh, n, "Expecting dictionary");
	case VT_YAS_KEYS: return as_keys(s, sh, n, out);
	case VT_YAS_LABELS: return as_labels(s, sh, out);
	case VT_YAS_TYPE:
		*out = vt_str_c(s->rt, sh->kind == Y_MAP    ? "dictish"
				       : sh->kind == Y_LIST ? "streamish"
							    : "scalarish");
		return true;
	case VT_YAS_COUNT: break;
	}
	return false;
}

static void
begin(vt_yay *s, vt_value *out)
{
	yay_forgive(s);
	s->stack = (uintptr_t)__builtin_frame_address(0);
	s->secret = s->masked = false;
	s->weight = 0;
	*out = VT_UNDEF;
}

bool
vt_yay_value(vt_yay *s, vt_ynode *n, enum vt_yay_as as, vt_value *out)
{
	bool whole = as == VT_YAS_VALUE || as == VT_YAS_SAFE_VALUE;
	yshape *sh = NULL;

	begin(s, out);
	return (whole || (sh = yay_expand(s, n))) && convert(s, n, sh, as, out);
}

bool
vt_yay_shown(vt_yay *s, vt_ynode *n, bool safe, vt_value *out)
{
	begin(s, out);
	return node_value(s, n, PASSING | (safe ? SAFE : 0), out);
}
