/*
 * show.c - a Yay document as a digraph for Graphviz: blocks, directives and expressions as they
 * are written.
 */
#include "compiler/yay/run.h"
#include "runtime/core/printable.h"

#include <string.h>

static const char *const kinds[] = {"",
#define X(sym, name) name,
	VT_YAY_ROWS(X)
#undef X
};

/* The beginning of a text, in one line. */
static void
put_label(vt_buf *b, const char *s, size_t n)
{
	enum { MOST = 60 };
	vt_buf line = {0};

	if (n > MOST)
		for (n = MOST; n && ((unsigned char)s[n] & 0xc0) == 0x80;)
			n--;
	for (size_t i = 0; i < n; i++)
		vt_buf_putc(&line, s[i] == '\n' ? ' ' : s[i]);
	vt_put_dot(b, line.p, line.n, false);
	vt_buf_free(&line);
}

static void
put_name(vt_buf *b, const vt_ydoc *d, uint32_t str)
{
	vt_buf_putc(b, ' ');
	put_label(b, d->chars + d->str[str], d->str[str + 1] - d->str[str]);
}

static void
put_node(vt_buf *b, const vt_ydoc *d, uint32_t r)
{
	const vt_yrow *p = &d->row[r];

	vt_buf_printf(b, "\tn%u [label=\"%s", r, kinds[p->kind]);
	switch (p->kind) {
	case YAY_TEXT:
	case YAY_IDENT:
	case YAY_STR:
	case YAY_NUM:
	case YAY_PROTOTYPE:
	case YAY_MACRO:
	case YAY_KWARG:
	case YAY_CONFIGURE: put_name(b, d, p->a); break;
	case YAY_ATTR: put_name(b, d, p->b); break;
	}
	vt_buf_puts(b, "\"];\n");
}

static void
put_edge(vt_buf *b, const vt_ydoc *d, uint32_t from, uint32_t to, const char *label, uint32_t name)
{
	vt_buf_printf(b, "\tn%u -> n%u [label=\"%s", from, to, label);
	if (name)
		put_label(b, d->chars + d->str[name], d->str[name + 1] - d->str[name]);
	vt_buf_puts(b, "\"];\n");
}

/* Sums of many terms are deep to the left. */
enum { DEEPEST = 2000 };
static void put_rows(
	vt_buf *, const vt_ydoc *, int depth, uint32_t from, uint32_t first, const char *label);

/* Rows of entries and items are edges. */
static void
put_row(vt_buf *b, const vt_ydoc *d, int depth, uint32_t from, uint32_t r, const char *label)
{
	const vt_yrow *p = &d->row[r];
	uint32_t to = r, name = 0;

	if (p->kind == YAY_ENTRY || p->kind == YAY_ITEM || p->kind == YAY_MAP ||
		p->kind == YAY_LIST) {
		name = p->kind == YAY_ENTRY ? p->a : 0;
		to = p->kind == YAY_ENTRY ? p->b : p->a;
		if (p->kind == YAY_MAP || p->kind == YAY_LIST)
			put_rows(b, d, depth + 1, from, p->a, "");
		else if (to) {
			put_row(b, d, depth + 1, from, to, "");
			put_edge(b, d, from, to, p->flag & YAY_EXTEND ? "extend " : "", name);
		}
		return;
	}
	put_node(b, d, r);
	if (*label)
		put_edge(b, d, from, r, label, 0);
	switch (p->kind) {
	case YAY_TEXT:
	case YAY_IDENT:
	case YAY_STR:
	case YAY_NUM: return;
	case YAY_PROTOTYPE:
	case YAY_MACRO:
	case YAY_CONFIGURE:
	case YAY_KWARG: put_rows(b, d, depth + 1, r, p->b, "value"); return;
	case YAY_ATTR: put_rows(b, d, depth + 1, r, p->a, "of"); return;
	case YAY_BODY: put_rows(b, d, depth + 1, r, p->a, "holds"); return;
	case YAY_SET:
		put_rows(b, d, depth + 1, r, p->a, "name");
		put_rows(b, d, depth + 1, r, p->b, "value");
		return;
	}
	put_rows(b, d, depth + 1, r, p->a, "a");
	put_rows(b, d, depth + 1, r, p->b, "b");
	if (p->kind != YAY_NEW)
		put_rows(b, d, depth + 1, r, p->c, "c");
	if (p->kind == YAY_FOR || p->kind == YAY_SLICE)
		put_rows(b, d, depth + 1, r, VT_YAY_D(*p), "d");
}

static void
put_rows(vt_buf *b, const vt_ydoc *d, int depth, uint32_t from, uint32_t first, const char *label)
{
	for (uint32_t r = first; r && depth < DEEPEST; r = d->row[r].next)
		put_row(b, d, depth, from, r, label);
}

void
yay_put_dot(vt_buf *b, const vt_ydoc *d)
{
	vt_buf_puts(b, "digraph yay {\n");
	put_row(b, d, 0, 0, d->root, "");
	vt_buf_puts(b, "}\n");
}
