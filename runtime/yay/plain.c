/*
 * plain.c - data that is what it is written as: texts, and mappings and lists of such.
 *
 * Most of a large configuration is plain.  Its value needs no places, shapes and symbols, which
 * take many times the memory of the text: it is made from the rows.  What of a document is plain is
 * worked out once, in one pass over its rows.
 */
#include "runtime/yay/int.h"
#include "runtime/core/dict.h"

#include <string.h>

static bool
has_bit(const uint8_t *bits, uint32_t row)
{
	return bits[row >> 3] >> (row & 7) & 1;
}

static void
set_bit(uint8_t *bits, uint32_t row)
{
	bits[row >> 3] |= (uint8_t)(1 << (row & 7));
}

/* Entries that do not extend, each name once: c tells of an earlier one. */
static bool
each_once(ydoc *d, uint32_t map)
{
	for (uint32_t e = ROW(d, map)->a; e; e = ROW(d, e)->next)
		if (ROW(d, e)->kind != YAY_ENTRY || ROW(d, e)->c || (ROW(d, e)->flag & YAY_EXTEND))
			return false;
	return true;
}

/* Of a MAP or LIST: is all that it holds plain? */
static bool
holds_plain(ydoc *d, uint32_t row)
{
	bool map = ROW(d, row)->kind == YAY_MAP;

	for (uint32_t e = ROW(d, row)->a; e; e = ROW(d, e)->next) {
		uint32_t value = map ? ROW(d, e)->b : ROW(d, e)->a;
		if ((!map && ROW(d, e)->kind != YAY_ITEM) || (value && !has_bit(d->plain, value)))
			return false;
	}
	return true;
}

/* MAP: it is simple; LIST: any; BODY: all that its only stanza holds is plain. A MAP or LIST is
 * made before its later parts are, a BODY behind all. */
static bool
judge(ydoc *d, uint32_t row)
{
	const vt_yrow *r = ROW(d, row);

	switch (r->kind) {
	case YAY_TEXT:
	case YAY_EMPTYDICT:
	case YAY_EMPTYLIST:
	case YAY_LIST: return true;
	case YAY_MAP: return each_once(d, row);
	case YAY_BODY:
		return r->a && !r->b && !ROW(d, r->a)->next &&
		       (ROW(d, r->a)->kind == YAY_MAP || ROW(d, r->a)->kind == YAY_LIST) &&
		       has_bit(d->plain, r->a) && holds_plain(d, r->a);
	default: return false;
	}
}

static void
judge_all(vt_yay *s, ydoc *d)
{
	d->plain = yay_alloc(s, d->d->nrows / 8 + 1);
	for (uint32_t row = 1; row < d->d->nrows; row++)
		if (judge(d, row))
			set_bit(d->plain, row);
}

static bool
is(vt_yay *s, ydoc *d, uint32_t row)
{
	if (d->secret)
		return false;
	if (!d->plain)
		judge_all(s, d);
	return has_bit(d->plain, row);
}

bool
yay_is_plain(vt_yay *s, ydoc *d, uint32_t row)
{
	return row ? is(s, d, row) : !d->secret;
}

bool
yay_is_simple(vt_yay *s, ydoc *d, uint32_t map)
{
	return is(s, d, map);
}

/* ---- values ---- */

/* The text of what is a number is wanted by nobody. */
static bool
number_value(vt_yay *s, ydoc *d, uint32_t str, vt_value *out)
{
	const char *text = d->d->chars + d->d->str[str];
	size_t n = d->d->str[str + 1] - d->d->str[str];
	vt_value whole;
	bool is;

	if (!yay_may_be_number(text, n))
		return false;
	whole = vt_str_new(s->rt, text, n);
	is = yay_text_number(s, whole, out);
	vt_release(whole);
	return is;
}

static bool
text_value(vt_yay *s, ydoc *d, uint32_t row, vt_value *out)
{
	const vt_yrow *r = ROW(d, row);

	if ((r->flag & YAY_BLOCK) || !number_value(s, d, r->a, out))
		*out = vt_copy(yay_doc_text(s, d, r->a));
	s->weight += 1 + (vt_is(*out, STR) ? vt_as_str(*out)->bytes / 64 : 0);
	return true;
}

vt_dict *
yay_dict_for(vt_yay *s, uint32_t n)
{
	return n > VT_SHAPE_KEYS ? vt_dict_new_table(s->rt, false, n)
				 : vt_dict_new_cap(s->rt, false, n);
}

void
yay_dict_put(vt_yay *s, vt_dict *d, vt_value key, vt_value owned)
{
	vt_dict_set(s->rt, d, key, owned);
	vt_release(owned);
}

bool
yay_given(vt_value whole, bool good, vt_value *out)
{
	*out = whole;
	if (!good)
		vt_clear(out);
	return good;
}

static bool
plain_map(vt_yay *s, ydoc *d, uint32_t map, vt_value *out)
{
	vt_dict *all = yay_dict_for(s, map ? ROW(d, map)->b : 0);
	bool good = true;
	vt_value v;

	for (uint32_t e = map ? ROW(d, map)->a : 0; e && good; e = ROW(d, e)->next)
		if ((good = yay_plain_value(s, d, ROW(d, e)->b, &v)))
			yay_dict_put(s, all, yay_doc_text(s, d, ROW(d, e)->a), v);
	return yay_given(vt_mkptr(all), good, out);
}

static bool
plain_list(vt_yay *s, ydoc *d, uint32_t list, vt_value *out)
{
	vt_list *all = vt_list_grow(s->rt, VT_K_LIST, 4);
	bool good = true;
	vt_value v;

	for (uint32_t e = list ? ROW(d, list)->a : 0; e && good; e = ROW(d, e)->next)
		if ((good = yay_plain_value(s, d, ROW(d, e)->a, &v)))
			vt_list_push(s->rt, all, v);
	return yay_given(vt_mkptr(all), good, out);
}

static bool
plain_compound(vt_yay *s, ydoc *d, uint32_t row, vt_value *out)
{
	const vt_yrow *r = ROW(d, row);

	s->weight++;
	if (r->kind != YAY_BODY)
		return r->kind == YAY_EMPTYDICT ? plain_map(s, d, 0, out)
						: plain_list(s, d, 0, out);
	return ROW(d, r->a)->kind == YAY_MAP ? plain_map(s, d, r->a, out)
					     : plain_list(s, d, r->a, out);
}

bool
yay_plain_value(vt_yay *s, ydoc *d, uint32_t row, vt_value *out)
{
	s->nodes++;
	if (!yay_step(s, d, row))
		return false;
	if (!row)
		return *out = vt_str_c(s->rt, ""), true;
	return ROW(d, row)->kind == YAY_TEXT ? text_value(s, d, row, out)
					     : plain_compound(s, d, row, out);
}
