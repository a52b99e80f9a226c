/*
 * plain.c - data that is what it is written as: texts, and mappings and lists of such.
 *
 * Most of a large configuration is plain.  Its value needs no places, shapes and symbols, which
 * take many times the memory of the text: it is made from the rows.  What of a document is plain is
 * worked out once, in one pass over its rows.
 */
#include "runtime/yay/int.h"
#include "runtime/core/dict.h"
#include "runtime/seq/seq.h"
#include "runtime/text/text.h"

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

/* The limits, for all that lies in the row: making the value cannot fail then. */
bool
yay_counts(vt_yay *s, ydoc *d, uint32_t row)
{
	const vt_yrow *r = ROW(d, row);
	bool map;

	s->nodes++;
	if (!yay_step(s, d, row))
		return false;
	s->weight += row != 0;
	if (!row)
		return true;
	if (r->kind == YAY_TEXT) {
		s->weight += (d->d->str[r->a + 1] - d->d->str[r->a]) / 64;
		return true;
	}
	if (r->kind != YAY_BODY)
		return true;
	map = ROW(d, r->a)->kind == YAY_MAP;
	for (uint32_t e = ROW(d, r->a)->a; e; e = ROW(d, e)->next)
		if (!yay_counts(s, d, map ? ROW(d, e)->b : ROW(d, e)->a))
			return false;
	return true;
}

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

/* Of what passes by the document keeps no texts. */
static vt_value
text_of(vt_yay *s, ydoc *d, uint32_t str, bool passing)
{
	uint32_t from = d->d->str[str];

	return passing ? vt_str_new(s->rt, d->d->chars + from, d->d->str[str + 1] - from)
		       : vt_copy(yay_doc_text(s, d, str));
}

static vt_value
text_value(vt_yay *s, ydoc *d, uint32_t row, bool passing)
{
	const vt_yrow *r = ROW(d, row);
	vt_value v;

	if (!(r->flag & YAY_BLOCK) && number_value(s, d, r->a, &v))
		return v;
	return text_of(s, d, r->a, passing);
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

static vt_value made(vt_yay *, ydoc *, uint32_t row, bool passing);

static vt_value
plain_map(vt_yay *s, ydoc *d, uint32_t map, bool passing)
{
	vt_dict *all = yay_dict_for(s, map ? ROW(d, map)->b : 0);

	for (uint32_t e = map ? ROW(d, map)->a : 0; e; e = ROW(d, e)->next)
		yay_dict_put(s, all, yay_doc_text(s, d, ROW(d, e)->a),
			made(s, d, ROW(d, e)->b, passing));
	return vt_mkptr(all);
}

static vt_value
plain_list(vt_yay *s, ydoc *d, uint32_t list, bool passing)
{
	vt_list *all = vt_list_grow(s->rt, VT_K_LIST, list ? ROW(d, list)->b : 0);

	for (uint32_t e = list ? ROW(d, list)->a : 0; e; e = ROW(d, e)->next)
		vt_list_push(s->rt, all, made(s, d, ROW(d, e)->a, passing));
	return vt_mkptr(all);
}

/* ---- parts one by one ---- */

/* What an iterator of parts goes through, its p: the rows behind a MAP or LIST, or items. Of the
 * iterator, v[0] is a value whose key was given, v[1] those of what is not plain, i[0] how many of
 * these were given. */
typedef struct passage {
	vt_yay *s;
	ydoc *d;
	uint32_t first, row; /* of entries or items: the first, the next */
	vt_ynode **item;     /* or NULL */
	uint32_t n, at;      /* of them; the next */
} passage;

static vt_value
part(vt_iter *it, passage *g, ydoc *d, uint32_t row, bool plain)
{
	return plain ? made(g->s, d, row, true) : vt_copy(vt_as_list(it->v[1])->v[it->i[0]++]);
}

static vt_value
row_part(vt_iter *it, passage *g)
{
	const vt_yrow *e = ROW(g->d, g->row);
	bool dict = it->h.aux == VT_PARTS_DICT;
	uint32_t row = dict ? e->b : e->a;
	vt_value v = part(it, g, g->d, row, yay_is_plain(g->s, g->d, row));

	g->row = e->next;
	if (!dict)
		return v;
	it->v[0] = v;
	return text_of(g->s, g->d, e->a, true);
}

static vt_status
next_part(vt_rt *rt, vt_iter *it, vt_value *out)
{
	passage *g = it->p;

	(void)rt;
	*out = it->v[0];
	it->v[0] = VT_UNDEF;
	if (*out != VT_UNDEF)
		return VT_OK;
	if (g->item && g->at < g->n) {
		const vt_ynode *n = g->item[g->at++];
		*out = part(it, g, n->doc, n->row, yay_is_plain_item(g->s, n));
	} else if (g->row) {
		*out = row_part(it, g);
	} else { /* who asks again begins anew */
		g->row = g->first;
		g->at = 0;
		it->i[0] = 0;
	}
	return VT_OK;
}

static const vt_iter_ops parts_ops = {.next = next_part, .name = "parts"};

static vt_value
parts(vt_yay *s, passage g, bool dict, vt_value given)
{
	vt_iter *it = vt_iter_new(s->rt, &parts_ops);

	it->h.aux = dict ? VT_PARTS_DICT : VT_PARTS_LIST;
	it->v[1] = given;
	it->p = yay_alloc(s, sizeof g);
	*(passage *)it->p = g;
	s->nparts++;
	return vt_mkptr(it);
}

vt_value
yay_parts(vt_yay *s, ydoc *d, uint32_t row, vt_value given)
{
	uint32_t first = ROW(d, row)->a;

	return parts(s, (passage){.s = s, .d = d, .first = first, .row = first},
		ROW(d, row)->kind == YAY_MAP, given);
}

vt_value
yay_parts_of_items(vt_yay *s, yshape *list, vt_value given)
{
	return parts(s, (passage){.s = s, .item = list->item, .n = list->n}, false, given);
}

static vt_value
made(vt_yay *s, ydoc *d, uint32_t row, bool passing)
{
	const vt_yrow *r = ROW(d, row);
	bool map;

	if (!row)
		return vt_str_c(s->rt, "");
	if (r->kind == YAY_TEXT)
		return text_value(s, d, row, passing);
	map = r->kind == YAY_EMPTYDICT || (r->kind == YAY_BODY && ROW(d, r->a)->kind == YAY_MAP);
	row = r->kind == YAY_BODY ? r->a : 0;
	if (passing && row && ROW(d, row)->b >= YAY_LONG)
		return yay_parts(s, d, row, VT_UNDEF);
	return map ? plain_map(s, d, row, passing) : plain_list(s, d, row, passing);
}

bool
yay_plain_value(vt_yay *s, ydoc *d, uint32_t row, bool passing, vt_value *out)
{
	if (!yay_counts(s, d, row))
		return false;
	*out = made(s, d, row, passing);
	return true;
}
