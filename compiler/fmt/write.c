/*
 * write.c - the layout.
 *
 * Two blanks a level, lists too; one blank behind `:`, `-`, `,` and before a comment; none inside
 * of brackets.  At most one empty line in a row, none at the ends and before a first item.  What
 * stands in brackets keeps its lines: a map of several has one a pair.  A single line that began
 * below its key goes up to it where it fits.
 */
#include "compiler/fmt/int.h"
#include "compiler/yaql/yaql.h"
#include "runtime/core/value.h"

#include <string.h>

enum { WIDTH = 100, KEY_MAX = 1000 };

typedef struct writer {
	vc *c;
	vt_buf *out;
	unsigned flags; /* of expressions */
} writer;

static void put_value(writer *, const fmt_node *, int col, bool compact);
static void put_flow(writer *, const fmt_node *, uint32_t base, uint32_t depth);

/* ---- lines ---- */

static void
indent(writer *w, int col)
{
	for (; col > 0; col--)
		vt_buf_putc(w->out, ' ');
}

static void
new_line(writer *w, int col)
{
	vt_buf_putc(w->out, '\n');
	indent(w, col);
}

static void
put(writer *w, fmt_slice s)
{
	vt_buf_put(w->out, s.p, s.n);
}

static uint32_t
points(const char *p, size_t n)
{
	uint32_t k = 0;

	for (size_t i = 0; i < n; i++)
		k += ((unsigned char)p[i] & 0xc0) != 0x80;
	return k;
}

/* Columns of the line that is being written. */
static uint32_t
width(const writer *w)
{
	const char *end = w->out->p + w->out->n, *p = end;

	while (p > w->out->p && p[-1] != '\n')
		p--;
	return points(p, (size_t)(end - p));
}

/* Comments that have lines of their own; `first`: nothing stands above them. */
static void
put_comments(writer *w, fmt_comments all, int col, bool first)
{
	for (uint32_t i = 0; i < all.n; i++, first = false) {
		if (all.v[i].after_empty && !first)
			vt_buf_putc(w->out, '\n');
		indent(w, col);
		put(w, all.v[i].text);
		vt_buf_putc(w->out, '\n');
	}
}

static void
put_trailing(writer *w, fmt_comments all)
{
	for (uint32_t i = 0; i < all.n; i++) {
		vt_buf_putc(w->out, ' ');
		put(w, all.v[i].text);
	}
}

/* ---- scalars ---- */

static bool
is_blank(char ch)
{
	return ch == ' ' || ch == '\t';
}

/* Blanks at the end of a line in a scalar mean nothing, but for one behind a backslash. */
static size_t
trimmed(const char *p, size_t n)
{
	size_t end = n, slashes = 0;

	while (end && is_blank(p[end - 1]))
		end--;
	for (size_t k = end; k && p[k - 1] == '\\'; k--)
		slashes++;
	return end + (slashes % 2 && end < n);
}

/* Whether each line has the quotes that it opens. */
static bool
is_quoted_by_line(fmt_slice s)
{
	char open = 0;

	for (size_t i = 0; i < s.n; i++) {
		char ch = s.p[i];
		if (ch == '\n' && open)
			return false;
		if (ch == '\\' && open)
			i++;
		else if (open ? ch == open : ch == '\'' || ch == '"' || ch == '`')
			open = open ? 0 : ch;
	}
	return !open;
}

/* What stands between quotes of YAML.  False: with an escape that is no quote and no backslash; a
 * line end behind a backslash is one of these. */
static bool
unquote(vt_buf *to, fmt_slice s, char quote)
{
	for (size_t i = 0; i < s.n; i++) {
		bool escape = s.p[i] == (quote == '"' ? '\\' : quote);
		if (escape && ++i == s.n)
			return false;
		if (escape && s.p[i] != quote && s.p[i] != '\\')
			return false;
		vt_buf_putc(to, s.p[i]);
	}
	return true;
}

static void
put_quoted(vt_buf *to, const vt_buf *text, char quote)
{
	vt_buf_putc(to, quote);
	for (size_t i = 0; i < text->n; i++) {
		if (text->p[i] == quote || (quote == '"' && text->p[i] == '\\'))
			vt_buf_putc(to, quote == '"' ? '\\' : quote);
		vt_buf_putc(to, text->p[i]);
	}
	vt_buf_putc(to, quote);
}

/* An expression with its blanks where they belong; line ends stay where they are, and texts of the
 * expression go over none.  False: it stays as it is written. */
static bool
lay_out_code(writer *w, const fmt_node *node, vt_buf *out)
{
	fmt_slice s = node->raw;
	vt_buf text = {0}, laid = {0};
	bool good = node->code && !(node->quote && s.n < 2);

	if (good && node->quote) {
		good = unquote(&text, (fmt_slice){s.p + 1, s.n - 2}, node->quote);
		s = (fmt_slice){text.p ? text.p : "", text.n};
	}
	good = good && (!node->broken || is_quoted_by_line(s)) &&
	       yq_layout(w->c, &laid, s.p, s.n, w->flags);
	if (good && node->quote)
		put_quoted(out, &laid, node->quote);
	else if (good)
		vt_buf_put(out, laid.p, laid.n);
	vt_buf_free(&text);
	vt_buf_free(&laid);
	return good;
}

/* The bytes of a scalar; lines but its first are indented. */
static void
put_raw(writer *w, const fmt_node *node, int col)
{
	const char *p = node->raw.p, *end = p + node->raw.n;
	vt_buf laid = {0};

	if (lay_out_code(w, node, &laid)) {
		p = laid.p;
		end = p + laid.n;
	}
	for (;;) {
		const char *line = memchr(p, '\n', (size_t)(end - p));
		if (!line)
			break;
		vt_buf_put(w->out, p, trimmed(p, (size_t)(line - p)));
		for (p = line + 1; p < end && is_blank(*p); p++)
			;
		if (p < end && *p == '\n')
			vt_buf_putc(w->out, '\n');
		else
			new_line(w, col);
	}
	vt_buf_put(w->out, p, (size_t)(end - p));
	vt_buf_free(&laid);
}

static void
put_block_text(writer *w, const fmt_node *node, int col)
{
	put(w, node->raw);
	for (uint32_t i = 0; i < node->nlines; i++) {
		vt_buf_putc(w->out, '\n');
		if (node->lines[i].n)
			indent(w, col);
		put(w, node->lines[i]);
	}
	vt_buf_putc(w->out, '\n');
}

static void
put_scalar(writer *w, const fmt_node *node, int col)
{
	put(w, node->props);
	if (node->props.n && node->raw.n)
		vt_buf_putc(w->out, ' ');
	put_raw(w, node, col);
}

/* ---- brackets ---- */

/* Comments in brackets, the line of each left open. */
static void
put_between(writer *w, fmt_comments all, int col)
{
	for (uint32_t i = 0; i < all.n; i++) {
		if (all.v[i].own_line)
			new_line(w, col);
		else
			vt_buf_putc(w->out, ' ');
		put(w, all.v[i].text);
	}
}

/* A value behind its key; comments between them need lines. */
static void
put_flow_value(writer *w, const fmt_node *node, uint32_t base, uint32_t depth)
{
	int col = (int)(base + 2 * (depth + 1));

	put_between(w, node->head, col);
	if (node->head.n)
		new_line(w, col);
	else
		vt_buf_putc(w->out, ' ');
	put_flow(w, node, base, depth);
}

static bool
is_nothing(const fmt_node *node)
{
	return node->shape == FMT_SCALAR && !node->raw.n && !node->props.n;
}

/* A key that would take the colon into its name: an alias, or an anchor or tag of nothing. */
static bool
takes_colon(const fmt_node *key)
{
	return key->shape == FMT_SCALAR && ((key->raw.n && key->raw.p[0] == '*') || !key->raw.n);
}

static void
put_flow_pair(writer *w, const fmt_item *it, bool bare, uint32_t base, uint32_t depth)
{
	if (is_nothing(it->key))
		vt_buf_putc(w->out, '?');
	else if (it->key->broken || it->key->head.n)
		vt_buf_puts(w->out, "? ");
	if (it->key->head.n) {
		put_trailing(w, it->key->head);
		new_line(w, (int)(base + 2 * (depth + 1)));
	}
	put_flow(w, it->key, base, depth);
	if (is_nothing(it->value) && !bare)
		return;
	vt_buf_puts(w->out, takes_colon(it->key) && !is_nothing(it->key) ? " :" : ":");
	if (!is_nothing(it->value))
		put_flow_value(w, it->value, base, depth);
	else
		vt_buf_putc(w->out, ' ');
}

/* Whether the brackets have lines of their own. */
static bool
has_lines(const fmt_node *node)
{
	bool any = node->closes_line || node->inner.n;

	for (uint32_t i = 0; i < node->n && !any; i++)
		any = node->items[i].own_line || node->items[i].lead.n ||
		      node->items[i].value->tail.n;
	return any;
}

static void
put_flow_items(writer *w, const fmt_node *node, uint32_t base, uint32_t depth, bool lines)
{
	const int col = (int)(base + 2 * (depth + 1));
	bool closed = true; /* the line before ended with a comment, or there is none */

	for (uint32_t i = 0; i < node->n; i++) {
		const fmt_item *it = &node->items[i];
		uint32_t inner = lines ? depth + 1 : depth;
		put_between(w, it->lead, col);
		if (lines && (closed || it->lead.n || it->own_line || node->shape == FMT_MAP)) {
			if (it->after_empty && i)
				vt_buf_putc(w->out, '\n');
			new_line(w, col);
		} else if (i) {
			vt_buf_putc(w->out, ' ');
		}
		if (node->shape == FMT_MAP)
			put_flow_pair(w, it, false, base, inner);
		else
			put_flow(w, it->value, base, inner);
		if (i + 1 < node->n)
			vt_buf_putc(w->out, ',');
		put_trailing(w, it->value->tail);
		closed = it->value->tail.n > 0;
	}
	put_between(w, node->inner, col);
	if (lines)
		new_line(w, (int)(base + 2 * depth));
}

/* What can stand in brackets. `base` is the column of the line that the outermost began on. */
static void
put_flow(writer *w, const fmt_node *node, uint32_t base, uint32_t depth)
{
	const bool map = node->shape == FMT_MAP;

	if (node->shape == FMT_SCALAR) {
		put_scalar(w, node, (int)(base + 2 * (depth + 1)));
		return;
	}
	put(w, node->props);
	if (node->props.n)
		vt_buf_putc(w->out, ' ');
	if (node->bare) {
		put_flow_pair(w, &node->items[0], true, base, depth);
	} else {
		vt_buf_putc(w->out, map ? '{' : '[');
		put_flow_items(w, node, base, depth, has_lines(node));
		vt_buf_putc(w->out, map ? '}' : ']');
	}
}

/* ---- indentation ---- */

/* Text that would be a `---`, `...` or directive in the first column. */
static bool
is_marker(const fmt_node *node)
{
	const char *p = node->raw.p;
	size_t n = node->raw.n;

	if (node->shape != FMT_SCALAR || n == 0 || node->props.n)
		return false;
	return *p == '%' || (n >= 3 && (memcmp(p, "---", 3) == 0 || memcmp(p, "...", 3) == 0) &&
				    (n == 3 || is_blank(p[3]) || p[3] == '\n'));
}

/* A key that has to stand behind a `?`. */
static bool
needs_mark(const fmt_node *key)
{
	return (key->shape != FMT_SCALAR && !key->flow) || key->broken || key->head.n ||
	       key->tail.n || is_nothing(key) || key->raw.n > KEY_MAX || is_marker(key);
}

static void
put_pair(writer *w, const fmt_item *it, int col)
{
	if (needs_mark(it->key)) {
		vt_buf_putc(w->out, '?');
		put_value(w, it->key, col, true);
		if (!it->valued)
			return;
		indent(w, col);
		vt_buf_putc(w->out, ':');
		put_value(w, it->value, col, true);
		return;
	}
	put_flow(w, it->key, (uint32_t)col, 0);
	vt_buf_puts(w->out, takes_colon(it->key) ? " :" : ":");
	put_value(w, it->value, col, false);
}

/* The items of a collection; `open`: the first goes on the line that is there. */
static void
put_items(writer *w, const fmt_node *node, int col, bool open)
{
	for (uint32_t i = 0; i < node->n; i++) {
		const fmt_item *it = &node->items[i];
		if (!open || i > 0) {
			put_comments(w, it->lead, col, i == 0);
			if (it->after_empty && (i || it->lead.n))
				vt_buf_putc(w->out, '\n');
			indent(w, col);
		}
		if (node->shape == FMT_MAP) {
			put_pair(w, it, col);
		} else {
			vt_buf_putc(w->out, '-');
			put_value(w, it->value, col, true);
		}
	}
	put_comments(w, node->tail, col, false);
}

/* The comments between a key and its value; true: the value begins a line. */
static bool
put_head(writer *w, const fmt_node *node, int col)
{
	fmt_comments head = node->head;

	if (!head.n)
		return false;
	if (!head.v[0].own_line) {
		head.n--;
		put_trailing(w, (fmt_comments){head.v++, 1});
	}
	vt_buf_putc(w->out, '\n');
	put_comments(w, head, col, true);
	return true;
}

/* Whether the one line of a scalar or of brackets goes up to its key. */
static bool
goes_up(const writer *w, const fmt_node *node)
{
	uint32_t n = points(node->raw.p, node->raw.n);

	if (!node->own_line)
		return true;
	if (node->shape != FMT_SCALAR)
		return true;
	return !node->broken && width(w) + 1 + n <= WIDTH;
}

/* What follows `key:` or `-` on its line, to the end of its last line; `compact`: the first item of
 * a collection may stand there. */
static void
put_value(writer *w, const fmt_node *node, int col, bool compact)
{
	/* Below 0 stands the text of a whole document. */
	const int in = col + 2, text = in > 0 ? in : 2;
	const uint32_t base = (uint32_t)(compact || node->head.n ? in : in > 2 ? in - 2 : 0);
	const bool block = (node->shape == FMT_MAP || node->shape == FMT_SEQ) && !node->flow;
	bool fresh;

	/* Anchor and tag go up to the key; alone, they stay where they are. */
	const bool ahead = block || node->shape == FMT_BLOCK_TEXT ||
			   (node->head.n && (node->shape != FMT_SCALAR || node->raw.n));
	if (node->props.n && ahead) {
		vt_buf_putc(w->out, ' ');
		put(w, node->props);
	}
	fresh = put_head(w, node, in);
	if (block) {
		bool open = compact && !fresh && !node->props.n;
		if (open)
			vt_buf_putc(w->out, ' ');
		else if (!fresh)
			vt_buf_putc(w->out, '\n');
		put_items(w, node, in, open);
		return;
	}
	if (fresh)
		indent(w, node->shape == FMT_SCALAR ? text : in);
	else if (!is_nothing(node) && goes_up(w, node))
		vt_buf_putc(w->out, ' ');
	else if (!is_nothing(node))
		new_line(w, node->shape == FMT_SCALAR ? text : in);
	if (node->shape == FMT_BLOCK_TEXT) {
		put_block_text(w, node, text);
		return;
	}
	fmt_node shown = *node;
	if (ahead)
		shown.props = (fmt_slice){NULL, 0};
	if (node->shape == FMT_SCALAR)
		put_scalar(w, &shown, text);
	else
		put_flow(w, &shown, base, 0);
	put_trailing(w, node->tail);
	vt_buf_putc(w->out, '\n');
}

/* ---- documents ---- */

static void
put_document(writer *w, const fmt_document *d, bool first)
{
	const bool bare = !d->opened;

	put_comments(w, d->lead, 0, first);
	if (d->after_empty && (!first || d->lead.n))
		vt_buf_putc(w->out, '\n');
	for (uint32_t i = 0; i < d->ndirectives; i++) {
		put(w, d->directives[i]);
		vt_buf_putc(w->out, '\n');
	}
	if (bare && !d->root->props.n && !d->root->head.n && d->root->shape != FMT_SCALAR &&
		d->root->shape != FMT_BLOCK_TEXT && !d->root->flow) {
		put_items(w, d->root, 0, false);
	} else if (bare) {
		/* The blank that put_value() begins with has no place in front of a document. */
		size_t at = w->out->n;
		fmt_node root = *d->root;
		root.own_line = false;
		put_value(w, &root, -2, true);
		if (w->out->n > at && w->out->p[at] == ' ' && !is_marker(&root))
			memmove(w->out->p + at, w->out->p + at + 1, w->out->n-- - at - 1);
	} else {
		vt_buf_puts(w->out, "---");
		put_value(w, d->root, -2, false);
	}
	if (d->closed)
		vt_buf_puts(w->out, "...\n");
}

void
fmt_write(vc *c, vt_buf *out, const fmt_file *file, unsigned flags)
{
	writer w = {c, out, flags};

	for (uint32_t i = 0; i < file->n; i++)
		put_document(&w, &file->documents[i], i == 0);
	put_comments(&w, file->tail, 0, file->n == 0);
}
