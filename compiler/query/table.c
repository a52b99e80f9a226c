/*
 * table.c - results as CSV (RFC 4180) and TSV: --csv and --tsv.
 *
 * A list of scalars is a row, as in jq's @csv and @tsv. A list of lists is a row each. Of a list of
 * objects the keys of the first are the header, and an object of scalars is a list of one.
 */
#include "compiler/query/run_int.h"
#include "runtime/core/base.h"
#include "runtime/core/number.h"
#include "runtime/text/text.h"

#include <string.h>

static void
put_quoted(vt_buf *b, const char *p, size_t n)
{
	vt_buf_putc(b, '"');
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '"')
			vt_buf_putc(b, '"');
		vt_buf_putc(b, p[i]);
	}
	vt_buf_putc(b, '"');
}

static void
put_escaped(vt_buf *b, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		switch (p[i]) {
		case '\t': vt_buf_puts(b, "\\t"); break;
		case '\n': vt_buf_puts(b, "\\n"); break;
		case '\r': vt_buf_puts(b, "\\r"); break;
		case '\\': vt_buf_puts(b, "\\\\"); break;
		default: vt_buf_putc(b, p[i]);
		}
}

static bool
is_nested(vt_value v)
{
	return vt_is(v, DICT) || vt_is_sequence(v) || vt_is(v, SET);
}

/* Numbers and words go bare, null is empty, and everything else is a text. */
static bool
put_cell(vt_rt *rt, vt_buf *b, vt_value v, bool tabs, qr_error *e)
{
	vt_buf text = {NULL, 0, 0};

	if (is_nested(v))
		return qr_fail(e, "ValueError", "a cell of a table cannot be a list or an object");
	if (v == VT_NULL)
		return true;
	if (vt_is_number(v) || vt_is_bool(v))
		return vt_json_write_finite(rt, b, v, 0) ||
		       qr_fail(e, "ValueError",
			       "a table has no number for infinity and not-a-number");
	if (vt_is(v, STR))
		vt_buf_put(&text, vt_as_str(v)->s, vt_as_str(v)->bytes);
	else
		vt_yaqlstr(rt, &text, v);
	if (tabs)
		put_escaped(b, text.p ? text.p : "", text.n);
	else
		put_quoted(b, text.p ? text.p : "", text.n);
	vt_buf_free(&text);
	return true;
}

static bool
put_row(vt_rt *rt, vt_buf *b, const vt_list *row, bool tabs, qr_error *e)
{
	for (uint32_t i = 0; i < row->n; i++) {
		if (i)
			vt_buf_putc(b, tabs ? '\t' : ',');
		if (!put_cell(rt, b, row->v[i], tabs, e))
			return false;
	}
	vt_buf_putc(b, '\n');
	return true;
}

static bool
put_header(vt_rt *rt, vt_buf *b, const vt_dict *first, bool tabs, qr_error *e)
{
	uint32_t pos = 0;
	vt_value k, v;

	for (bool more = false; vt_dict_at(first, &pos, &k, &v); more = true) {
		if (more)
			vt_buf_putc(b, tabs ? '\t' : ',');
		if (!put_cell(rt, b, k, tabs, e))
			return false;
	}
	vt_buf_putc(b, '\n');
	return true;
}

/* The values of the header's keys; one that is missing is empty. */
static bool
put_members(vt_rt *rt, vt_buf *b, const vt_dict *first, const vt_dict *row, bool tabs, qr_error *e)
{
	uint32_t pos = 0, known = 0;
	vt_value k, v, cell;

	for (bool more = false; vt_dict_at(first, &pos, &k, &v); more = true) {
		if (more)
			vt_buf_putc(b, tabs ? '\t' : ',');
		cell = vt_dict_get(row, k);
		known += cell != VT_UNDEF;
		if (cell != VT_UNDEF && !put_cell(rt, b, cell, tabs, e))
			return false;
	}
	vt_buf_putc(b, '\n');
	return known == vt_dict_len(row) ||
	       qr_fail(e, "ValueError",
		       "an object has a key that the first one of the table has not");
}

static bool
put_rows(vt_rt *rt, vt_buf *b, const vt_list *rows, bool tabs, qr_error *e)
{
	const vt_dict *first = vt_is(rows->v[0], DICT) ? vt_as_dict(rows->v[0]) : NULL;

	if (first && !put_header(rt, b, first, tabs, e))
		return false;
	for (uint32_t i = 0; i < rows->n; i++) {
		vt_value v = rows->v[i];
		if (first ? !vt_is(v, DICT) : !vt_is_sequence(v))
			return qr_fail(e, "ValueError",
				"the rows of a table are all lists, or all objects");
		if (first ? !put_members(rt, b, first, vt_as_dict(v), tabs, e)
			  : !put_row(rt, b, vt_as_list(v), tabs, e))
			return false;
	}
	return true;
}

bool
qr_put_table(vt_rt *rt, vt_buf *b, vt_value v, bool tabs, qr_error *e)
{
	vt_list one = {.n = 1, .v = &v};

	if (vt_is(v, DICT))
		return put_rows(rt, b, &one, tabs, e);
	if (!vt_is_sequence(v))
		return qr_fail(e, "ValueError", "a table is made of a list or an object");
	if (vt_as_list(v)->n && is_nested(vt_as_list(v)->v[0]))
		return put_rows(rt, b, vt_as_list(v), tabs, e);
	return put_row(rt, b, vt_as_list(v), tabs, e);
}
