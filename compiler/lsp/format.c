/*
 * format.c - the layout of `vetro fmt`: of all of a text, of some lines, and of the line that was
 * ended.
 *
 * The layout differs from the text in blanks alone, so both are the same piece by piece.  Lines
 * that stand in others cannot always be laid out without them: a part of the layout is given only
 * when the text with it has the same layout as before, and so means the same.
 */
#include "compiler/fmt/fmt.h"
#include "compiler/lsp/scope.h"

#include <string.h>

/* A piece of the text and what the layout has there; both are whole lines. */
typedef struct piece {
	size_t from, to;
	const char *text;
	size_t n;
} piece;

typedef struct layout {
	vc *c;
	const lsp_document *d;
	const char *laid;
	size_t n;
	piece *v; /* that differ */
	uint32_t npieces;
} layout;

/* NULL: the text cannot be read. */
static const char *
lay_out(vc *c, const lsp_document *d, const char *text, size_t n, size_t *nlaid)
{
	vt_buf laid = {0};
	vc_source *src = vc_source_take(c, d->path ? d->path : d->uri, vc_strndup(c, text, n), n);

	if (!src || !fmt_source(c, src, fmt_kind_of(src), &laid)) {
		vt_buf_free(&laid);
		return NULL;
	}
	*nlaid = laid.n;
	return vc_take(c, &laid);
}

static bool
is_blank(char ch)
{
	return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r';
}

/* Behind the line; *inked: how many bytes of it are no blanks. */
static size_t
next_line(const char *text, size_t n, size_t at, size_t *inked)
{
	while (at < n) {
		*inked += !is_blank(text[at]);
		if (text[at++] == '\n')
			break;
	}
	return at;
}

static bool
same_ink(const piece *p, const char *text)
{
	size_t i = p->from, k = 0;

	for (;; i++, k++) {
		while (i < p->to && is_blank(text[i]))
			i++;
		while (k < p->n && is_blank(p->text[k]))
			k++;
		if (i == p->to || k == p->n)
			return i == p->to && k == p->n;
		if (text[i] != p->text[k])
			return false;
	}
}

/* False: they differ in more than blanks. */
static bool
find_pieces(layout *l)
{
	const char *text = l->d->text;
	size_t n = l->d->n, i = 0, k = 0, ink = 0, laid_ink = 0;

	while (i < n || k < l->n) {
		size_t from = i, laid_from = k;
		i = next_line(text, n, i, &ink);
		k = next_line(l->laid, l->n, k, &laid_ink);
		while (ink != laid_ink && (ink < laid_ink ? i < n : k < l->n)) {
			if (ink < laid_ink)
				i = next_line(text, n, i, &ink);
			else
				k = next_line(l->laid, l->n, k, &laid_ink);
		}
		piece p = {from, i, l->laid + laid_from, k - laid_from};
		if (!same_ink(&p, text))
			return false;
		if (p.to - p.from != p.n || memcmp(text + p.from, p.text, p.n) != 0)
			vc_push(l->c, l->v, l->npieces) = p;
	}
	return true;
}

static bool
read_layout(layout *l, vc *c, const lsp_document *d)
{
	*l = (layout){.c = c, .d = d};
	l->laid = d ? lay_out(c, d, d->text, d->n, &l->n) : NULL;
	return l->laid != NULL;
}

static void
put_edit(const lsp_worker *w, const layout *l, const piece *p, vt_buf *out)
{
	vt_buf_puts(out, out->p[out->n - 1] == '[' ? "{\"range\":" : ",{\"range\":");
	lsp_put_range(out, w->s, l->d->text, l->d->n, p->from, p->to);
	vt_buf_puts(out, ",\"newText\":");
	lsp_put_text(out, vc_strndup(l->c, p->text, p->n));
	vt_buf_puts(out, "}");
}

/* textDocument/formatting; a text that cannot be read has no layout, and diagnostics say why. */
void
lsp_format(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	vc *c = vc_new();
	layout l;

	(void)params;
	if (read_layout(&l, c, d)) {
		vt_buf_puts(out, "[");
		if (!find_pieces(&l))
			put_edit(w, &l, &(piece){0, d->n, l.laid, l.n}, out);
		else
			for (uint32_t i = 0; i < l.npieces; i++)
				put_edit(w, &l, &l.v[i], out);
		vt_buf_puts(out, "]");
	}
	vc_free(c);
}

/* ---- some lines ---- */

static bool
is_in(const piece *p, size_t from, size_t to)
{
	return p->to > from && p->from < to;
}

/* The text with what the layout has for these lines. */
static bool
means_the_same(const layout *l, size_t from, size_t to)
{
	vt_buf b = {0};
	size_t at = 0, n = 0;

	for (uint32_t i = 0; i < l->npieces; i++)
		if (is_in(&l->v[i], from, to)) {
			vt_buf_put(&b, l->d->text + at, l->v[i].from - at);
			vt_buf_put(&b, l->v[i].text, l->v[i].n);
			at = l->v[i].to;
		}
	vt_buf_put(&b, l->d->text + at, l->d->n - at);
	const char *again = lay_out(l->c, l->d, b.p, b.n, &n);
	vt_buf_free(&b);
	return again && n == l->n && memcmp(again, l->laid, n) == 0;
}

/* To the lines that these stand in: the one above that stands further left, and all below it. */
static void
widen(const lsp_document *d, size_t *from, size_t *to)
{
	size_t left = SIZE_MAX, column;

	for (size_t at = *from; at < *to;) {
		lsp_line l = lsp_line_at(d, at);
		column = l.text - l.from;
		if (l.end > l.text && column < left)
			left = column;
		at = l.to + 1;
	}
	for (column = left; *from > 0 && column >= left;) {
		lsp_line l = lsp_line_at(d, *from - 1);
		*from = l.from;
		if (l.end > l.text)
			column = l.text - l.from;
	}
	if (left == 0 || left == SIZE_MAX || column >= left) {
		*from = 0;
		*to = d->n;
		return;
	}
	while (*to < d->n) {
		lsp_line l = lsp_line_at(d, *to);
		if (l.end > l.text && l.text - l.from <= column)
			break;
		*to = l.to < d->n ? l.to + 1 : d->n;
	}
}

static void
put_lines(lsp_worker *w, const layout *l, size_t from, size_t to, vt_buf *out)
{
	vt_buf_puts(out, "[");
	for (uint32_t i = 0; i < l->npieces; i++)
		if (is_in(&l->v[i], from, to))
			put_edit(w, l, &l->v[i], out);
	vt_buf_puts(out, "]");
}

/* textDocument/rangeFormatting: those lines, and as many around them as it takes. */
void
lsp_format_range(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	vt_value range = lsp_get(params, "range");
	lsp_position a, z;
	vc *c = vc_new();
	layout l;

	if (d && lsp_read_position(lsp_get(range, "start"), &a) &&
		lsp_read_position(lsp_get(range, "end"), &z) && read_layout(&l, c, d) &&
		find_pieces(&l)) {
		size_t from = lsp_line_at(d, lsp_offset(d->text, d->n, w->s->encoding, a)).from;
		size_t to = lsp_offset(d->text, d->n, w->s->encoding, z);
		if (to > from && d->text[to - 1] != '\n')
			to = lsp_line_at(d, to).to;
		while ((from > 0 || to < d->n) && !means_the_same(&l, from, to))
			widen(d, &from, &to);
		put_lines(w, &l, from, to, out);
	}
	vc_free(c);
}

/* ---- the line that was ended ---- */

/* What a block's key or a text's header ends with. */
static bool
opens_block(const lsp_document *d, const lsp_line *l)
{
	size_t end = l->end;

	while (end > l->text && strchr("+-0123456789", d->text[end - 1]))
		end--;
	if (end > l->text + 1 && strchr("|>", d->text[end - 1]) && d->text[end - 2] == ' ')
		return true;
	return l->end > l->text && d->text[l->end - 1] == ':';
}

/* Behind a key without a value the next line stands two columns deeper than the key. */
static void
put_indent(lsp_worker *w, const layout *l, const lsp_line *before, const lsp_line *now, vt_buf *out)
{
	size_t key = before->text, next, want;

	while ((next = lsp_behind_dash(l->d, before, key)) > key)
		key = next;
	want = key - before->from + 2;
	if (now->end > now->text || !opens_block(l->d, before) || now->text - now->from >= want ||
		memchr(l->d->text + before->from, '\t', key - before->from))
		return;
	put_edit(w, l, &(piece){now->from, now->text, vc_format(l->c, "%*s", (int)want, ""), want},
		out);
}

/* textDocument/onTypeFormatting at the end of a line: never another line than that. */
void
lsp_format_typed(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	enum { MOST_INDENT = 512 };
	lsp_position at;
	vc *c = vc_new();
	layout l = {.c = c, .d = d};

	if (d && lsp_read_position(lsp_get(params, "position"), &at) && at.line > 0) {
		lsp_line now = lsp_line_at(d, lsp_offset(d->text, d->n, w->s->encoding, at));
		lsp_line before = lsp_line_at(d, now.from ? now.from - 1 : 0);
		vt_buf_puts(out, "[");
		if (before.from < now.from && before.text - before.from < MOST_INDENT)
			put_indent(w, &l, &before, &now, out);
		if (before.from < now.from && read_layout(&l, c, d) && find_pieces(&l))
			for (uint32_t i = 0; i < l.npieces; i++) {
				const piece *p = &l.v[i];
				if (p->from == before.from && p->to == now.from &&
					means_the_same(&l, p->from, p->to))
					put_edit(w, &l, p, out);
			}
		vt_buf_puts(out, "]");
	}
	vc_free(c);
}
