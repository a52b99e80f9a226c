/*
 * yay.c - Yay in the layout: its lines at two blanks a level, lists below their key too.
 *
 * Lines are taken as they are but for blanks at their ends, behind a key's colon and behind the -
 * of an item.  Texts of | and > keep their lines; what was read is compared by its tree.
 */
#include "compiler/fmt/int.h"
#include "compiler/yay/front.h"
#include "runtime/core/value.h"

#include <string.h>

/* Lines that begin at `old` begin at `new`. */
typedef struct level {
	uint32_t old, new;
	bool of_list; /* the items of a key at the same column */
} level;

/* A comment belongs to what follows it, or to what stands before it where that stands as deep. */
typedef struct waiting {
	fmt_slice text;
	uint32_t col;
} waiting;

typedef struct layout {
	vc *c;
	vt_buf *out;
	const char *p, *end;
	level *level;
	uint32_t n;
	waiting *comments; /* lines that wait for the next one; an empty line is an empty text */
	uint32_t ncomments;
	bool empty;     /* an empty line waits */
	uint32_t most;  /* where comments may begin: deeper they would be lines of a text above */
	bool blank_key; /* the line before is a key without a value */
} layout;

static bool
is_blank(char ch)
{
	return ch == ' ' || ch == '\t';
}

static fmt_slice
trim(fmt_slice s)
{
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

static fmt_slice
take_line(layout *x)
{
	const char *end = memchr(x->p, '\n', (size_t)(x->end - x->p));
	fmt_slice s = {x->p, (size_t)((end ? end : x->end) - x->p)};

	x->p = end ? end + 1 : x->end;
	return s;
}

static uint32_t
column(fmt_slice s)
{
	uint32_t n = 0;

	while (n < s.n && s.p[n] == ' ')
		n++;
	return n;
}

static void
put_line(layout *x, uint32_t col, fmt_slice s)
{
	for (; col && s.n; col--)
		vt_buf_putc(x->out, ' ');
	vt_buf_put(x->out, s.p, s.n);
	vt_buf_putc(x->out, '\n');
}

/* ---- levels ---- */

static void
push(layout *x, uint32_t old, uint32_t new, bool of_list)
{
	if (x->n > 1000)
		x->n--; /* the lexer refuses it anyway */
	vc_push(x->c, x->level, x->n) = (level){old, new, of_list};
}

/* Where a line goes that begins at this column. */
static uint32_t
level_of(layout *x, uint32_t col, bool item)
{
	level *top;
	bool back = false; /* out of what stands deeper */

	if (x->n == 0)
		push(x, col, 0, false);
	while (top = &x->level[x->n - 1],
		x->n > 1 && (col < top->old || (top->of_list && col == top->old && !item)))
		x->n--, back = true;
	if (col > top->old)
		push(x, col, top->new + 2, false);
	else if (item && x->blank_key && !back && !top->of_list)
		push(x, col, top->new + 2, true);
	return x->level[x->n - 1].new;
}

/* ---- lines ---- */

/* Where comments go that stand deeper than the next line, which begins at `old`: with the lines
 * above that stand as deep, and never deeper than a comment before them. */
static void
place_comments(layout *x, uint32_t old, uint32_t new)
{
	uint32_t n = x->n, most = UINT32_MAX;

	for (uint32_t i = 0; i < x->ncomments; i++) {
		waiting *w = &x->comments[i];
		while (n > 0 && x->level[n - 1].old > w->col)
			n--;
		uint32_t at = w->col > old && n > 0 ? x->level[n - 1].new : new;
		if (w->text.n == 0)
			continue;
		at = at < new ? new : at;
		most = at < most ? at : most;
		w->col = most < x->most ? most : x->most;
	}
}

static void
put_waiting(layout *x)
{
	for (uint32_t i = 0; i < x->ncomments; i++)
		put_line(x, x->comments[i].col, x->comments[i].text);
	x->ncomments = 0;
	if (x->empty && x->out->n)
		vt_buf_putc(x->out, '\n');
	x->empty = false;
}

static bool
is_directive(fmt_slice word)
{
	static const char *const words[] = {"and", "call", "else", "elif", "if", "is", "for", "in",
		"include", "lambda", "macro", "not", "or", "search", "set", "select", "new", "as",
		"prototype", "extend", "let", "import", "create", "configure"};

	for (size_t i = 0; i < VC_LEN(words); i++)
		if (strlen(words[i]) == word.n && memcmp(words[i], word.p, word.n) == 0)
			return true;
	return word.n && word.p[0] == '%';
}

static bool
is_colon(const char *p, const char *end)
{
	return *p == ':' && (p + 1 == end || is_blank(p[1]));
}

/* The colon of the key that a line begins with: a word that is no directive. */
static const char *
colon_of_line(fmt_slice s)
{
	const char *p = s.p, *end = s.p + s.n, *key;

	while (p < end && !is_blank(*p) && !is_colon(p, end))
		p++;
	key = p;
	while (p < end && is_blank(*p))
		p++;
	return p < end && is_colon(p, end) && !is_directive((fmt_slice){s.p, (size_t)(key - s.p)})
		       ? p
		       : NULL;
}

/* And behind a - or another colon, where a key has any words but no quotes and templates. */
static const char *
colon_of_item(fmt_slice s)
{
	const char *p = s.p, *end = s.p + s.n;

	if (p < end && *p == '"')
		return NULL;
	while (p < end && !is_colon(p, end) && !(*p == '{' && p + 1 < end && p[1] == '{'))
		p++;
	return p < end && *p == ':' ? p : NULL;
}

/* The colon of a key that the text begins with, or NULL. */
static const char *
colon_of(fmt_slice s, bool item)
{
	return item ? colon_of_item(s) : colon_of_line(s);
}

/* `key: value` with one blank; other text as it is. False: there is nothing behind the colon. */
static bool
put_entry(layout *x, fmt_slice s, bool item)
{
	const char *colon = colon_of(s, item), *end = s.p + s.n, *value;

	if (!colon) {
		vt_buf_put(x->out, s.p, s.n);
		return true;
	}
	fmt_slice key = trim((fmt_slice){s.p, (size_t)(colon - s.p)});
	for (value = colon + 1; value < end && is_blank(*value); value++)
		;
	vt_buf_put(x->out, key.p, key.n);
	vt_buf_putc(x->out, ':');
	if (value < end) {
		vt_buf_putc(x->out, ' ');
		vt_buf_put(x->out, value, (size_t)(end - value));
	}
	return value < end && *value != '#';
}

/* Whether the line ends with | or > and a sign: a text follows. */
static bool
opens_text(fmt_slice s)
{
	const char *colon, *p;

	bool item = s.n && s.p[0] == '-';

	if (item) {
		s.p++, s.n--;
		while (s.n && is_blank(*s.p))
			s.p++, s.n--;
	}
	for (; (colon = colon_of(s, item)) != NULL; item = true) {
		s.n -= (size_t)(colon + 1 - s.p);
		s.p = colon + 1;
		while (s.n && is_blank(*s.p))
			s.p++, s.n--;
	}
	p = s.p;
	return (s.n == 1 && (*p == '|' || *p == '>')) ||
	       (s.n == 2 && (*p == '|' || *p == '>') && (p[1] == '+' || p[1] == '-'));
}

/* Whether a {{ is open at the end. */
static bool
in_template(fmt_slice s)
{
	bool open = false;

	for (const char *q = s.p; q + 1 < s.p + s.n; q++)
		if ((q[0] == '{' && q[1] == '{') || (q[0] == '}' && q[1] == '}'))
			open = *q++ == '{';
	return open;
}

static bool
ends_open(fmt_slice s)
{
	return s.n && s.p[s.n - 1] == '\\';
}

/* Whether a backslash at the line's end joins the next: in a directive, or inside of {{ }}. */
static bool
can_join(fmt_slice s)
{
	const char *p = s.p, *end = s.p + s.n;

	while (p < end && !is_blank(*p))
		p++;
	return in_template(s) || is_directive((fmt_slice){s.p, (size_t)(p - s.p)});
}

/* The lines of a text, which are indented deeper than `than`; empty ones at its end wait. */
static void
put_text(layout *x, uint32_t than, uint32_t col, bool keeps)
{
	uint32_t in = 0, empty = 0;

	while (x->p < x->end) {
		const char *before = x->p;
		fmt_slice s = take_line(x);
		uint32_t at = column(s);
		if (trim(s).n == 0) {
			empty++;
			continue;
		}
		if (at <= than || at < in) {
			x->p = before;
			break;
		}
		if (!in)
			in = at;
		for (; empty; empty--)
			vt_buf_putc(x->out, '\n');
		put_line(x, col, (fmt_slice){s.p + in, s.n - in});
		for (bool open = in_template(s); open && ends_open(s) && x->p < x->end;)
			put_line(x, 0, s = take_line(x));
	}
	/* Of a text without lines the empty ones are all that there is. */
	for (; (keeps || !in) && empty; empty--)
		vt_buf_putc(x->out, '\n');
	x->empty = empty > 0;
}

/* A template at the end of a line keeps the blanks behind it. */
static fmt_slice
trim_value(fmt_slice s)
{
	fmt_slice t = trim(s);

	return t.n >= 2 && memcmp(t.p + t.n - 2, "}}", 2) == 0 ? s : t;
}

/* The lines that are joined to the one before. */
static void
put_joined(layout *x, fmt_slice last, uint32_t col)
{
	while (ends_open(last) && x->p < x->end) {
		last = trim_value(take_line(x));
		while (last.n && is_blank(*last.p))
			last.p++, last.n--;
		put_line(x, col, last);
	}
}

/* Behind a key of colons alone no list follows at its column. */
static bool
is_colons(fmt_slice s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] == ':')
		n++;
	return n && (n == s.n || is_blank(s.p[n]));
}

static void
put_code(layout *x, fmt_slice s, uint32_t col)
{
	bool item = s.p[0] == '-', text = opens_text(trim(s));
	uint32_t before = x->n, new = level_of(x, col, item), deep = new + 2, key = col;
	bool keeps = s.n && trim(s).p[trim(s).n - 1] == '+';

	/* levels that the line has left are still there */
	uint32_t now = x->n;
	level here = x->level[now - 1];
	if (now < before)
		x->n = before;
	place_comments(x, col, new);
	x->n = now;
	x->level[now - 1] = here;
	put_waiting(x);
	x->most = text ? new : UINT32_MAX;
	for (uint32_t k = new; k; k--)
		vt_buf_putc(x->out, ' ');
	if (item) {
		fmt_slice rest = {s.p + 1, s.n - 1};
		while (rest.n && is_blank(*rest.p))
			rest.p++, rest.n--;
		vt_buf_puts(x->out, rest.n ? "- " : "-");
		deep = colon_of(rest, true) ? new + 4 : deep;
		key += (uint32_t)(rest.p - s.p);
		s = rest;
	}
	x->blank_key = !put_entry(x, trim_value(s), item) && !is_colons(s);
	/* What stands deeper belongs to the key, and behind that keys may follow at its column;
	 * else it belongs to the item. */
	if (item && x->blank_key) {
		push(x, key, new + 2, false);
		x->blank_key = false;
	}
	vt_buf_putc(x->out, '\n');
	if (text)
		put_text(x, col, deep, keeps);
	if (can_join(s))
		put_joined(x, trim(s), new + 2);
}

static void
lay_out(layout *x)
{
	while (x->p < x->end) {
		fmt_slice s = take_line(x);
		uint32_t col = column(s);
		if (trim(s).n == 0) {
			x->empty = true;
		} else if (s.p[col] == '#') {
			if (x->empty && (x->out->n || x->ncomments))
				vc_push(x->c, x->comments, x->ncomments) = (waiting){{"", 0}, col};
			x->empty = false;
			vc_push(x->c, x->comments, x->ncomments) =
				(waiting){trim((fmt_slice){s.p + col, s.n - col}), col};
		} else {
			put_code(x, (fmt_slice){s.p + col, s.n - col}, col);
		}
	}
	x->empty = false;
	place_comments(x, 0, 0);
	put_waiting(x);
}

/* ---- the same ---- */

/* Trees without the places at the end of their lines. */
static bool
same_tree(const vt_buf *a, const vt_buf *b)
{
	size_t i = 0, k = 0;

	for (;; i++, k++) {
		if (i + 3 <= a->n && memcmp(a->p + i, "  @", 3) == 0)
			while (i < a->n && a->p[i] != '\n')
				i++;
		if (k + 3 <= b->n && memcmp(b->p + k, "  @", 3) == 0)
			while (k < b->n && b->p[k] != '\n')
				k++;
		if (i >= a->n || k >= b->n)
			return i >= a->n && k >= b->n;
		if (a->p[i] != b->p[k])
			return false;
	}
}

static bool
read_tree(vc *c, const vc_source *src, const char *text, size_t n, vt_buf *out, yay_fault *fault)
{
	const yay_old *old;
	uint32_t nold;
	const vt_ydoc *doc = yay_read(c, src->name, text, n, false, fault, &old, &nold);

	if (doc)
		yay_put_ast(out, doc);
	return doc != NULL;
}

static bool
is_same(vc *c, const vc_source *src, const vt_buf *tree, const char *laid, size_t n)
{
	vt_buf again = {0};
	yay_fault fault = {0};
	bool same = read_tree(c, src, vc_strndup(c, laid, n), n, &again, &fault) &&
		    same_tree(tree, &again);

	vt_buf_free(&again);
	return same;
}

static void
report(vc *c, vc_source *src, const yay_fault *f)
{
	vc_report(c, f->code, (vc_span){src, f->from, f->to}, "%s", f->message);
	if (f->hint)
		vc_hint(c, "%s", f->hint);
}

/* ---- pieces: what would mean something else keeps its own layout ---- */

/* From one line at the left to the next, with the comments and empty lines before it. */
typedef struct piece {
	const char *p;
	size_t n;
	bool odd; /* stays as it is */
} piece;

static void
lay_out_text(vc *c, const char *text, size_t n, vt_buf *out)
{
	layout x = {.most = UINT32_MAX, .c = c, .out = out, .p = text, .end = text + n};

	lay_out(&x);
}

static bool
is_code(fmt_slice s)
{
	uint32_t col = column(s);

	return trim(s).n > 0 && s.p[col] != '#';
}

static piece *
pieces_of(vc *c, const char *text, size_t n, uint32_t *count)
{
	layout x = {.p = text, .end = text + n};
	const char *from = text, *behind = text; /* behind: the last line of code */
	piece *all = NULL;
	bool code = false;

	*count = 0;
	while (x.p < x.end) {
		fmt_slice s = take_line(&x);
		if (!is_code(s))
			continue;
		if (code && column(s) == 0) {
			vc_push(c, all, *count) = (piece){from, (size_t)(behind - from), false};
			from = behind;
		}
		code = true;
		behind = x.p;
	}
	vc_push(c, all, *count) = (piece){from, (size_t)(text + n - from), false};
	return all;
}

/* only: the one piece that is laid out, or UINT32_MAX: all that are not odd. */
static void
put_pieces(vc *c, const piece *all, uint32_t n, uint32_t only, vt_buf *out)
{
	for (uint32_t i = 0; i < n; i++)
		if (only == UINT32_MAX ? all[i].odd : only != i)
			vt_buf_put(out, all[i].p, all[i].n);
		else
			lay_out_text(c, all[i].p, all[i].n, out);
}

static bool
pieces_are_same(vc *c, const vc_source *src, const vt_buf *tree, const piece *all, uint32_t n,
	uint32_t only)
{
	vt_buf laid = {0};

	put_pieces(c, all, n, only, &laid);
	bool same = is_same(c, src, tree, laid.p ? laid.p : "", laid.n);
	vt_buf_free(&laid);
	return same;
}

/* One round, to the end of `out`. */
static void
lay_out_pieces(
	vc *c, const vc_source *src, const vt_buf *tree, const char *text, size_t n, vt_buf *out)
{
	enum { MOST = 64 << 20 }; /* bytes that are read to find what is odd */
	uint32_t count;
	piece *all = pieces_of(c, text, n, &count);
	bool few = (uint64_t)count * n < MOST;

	for (uint32_t i = 0; i < count; i++)
		all[i].odd = !few || !pieces_are_same(c, src, tree, all, count, i);
	if (!pieces_are_same(c, src, tree, all, count, UINT32_MAX))
		for (uint32_t i = 0; i < count; i++)
			all[i].odd = true;
	put_pieces(c, all, count, UINT32_MAX, out);
}

/*
 * The layout of what is laid out in part may find more to do.  So it goes on until nothing changes;
 * a text that has no such end stays as it is.
 */
static void
lay_out_in_part(vc *c, const vc_source *src, const vt_buf *tree, vt_buf *out)
{
	enum { ROUNDS = 8 };
	const char *text = src->text;
	size_t n = src->n;

	for (int i = 0; i < ROUNDS; i++) {
		vt_buf next = {0}, whole = {0};
		lay_out_text(c, text, n, &whole);
		if (is_same(c, src, tree, whole.p ? whole.p : "", whole.n))
			next = whole;
		else {
			vt_buf_free(&whole);
			lay_out_pieces(c, src, tree, text, n, &next);
		}
		size_t size = next.n;
		bool done = size == n && (n == 0 || memcmp(next.p, text, n) == 0);
		text = vc_take(c, &next);
		n = size;
		if (done) {
			vt_buf_put(out, text, n);
			return;
		}
	}
	vt_buf_put(out, src->text, src->n);
}

/* The same with one blank between tokens; the text itself where that would mean something else. */
static vc_source *
tidied(vc *c, vc_source *src, const vt_buf *tree)
{
	vt_buf b = {0};

	fmt_yay_blanks(c, src, &b);
	size_t n = b.n;
	char *text = vc_take(c, &b);
	return is_same(c, src, tree, text, n) ? vc_source_new(c, src->name, text, n) : src;
}

bool
fmt_yay(vc *c, vc_source *src, vt_buf *out)
{
	vt_buf tree = {0};
	yay_fault fault = {0};
	size_t at = out->n;
	bool good = read_tree(c, src, src->text, src->n, &tree, &fault);

	if (!good) {
		report(c, src, &fault);
	} else {
		src = tidied(c, src, &tree);
		lay_out_text(c, src->text, src->n, out);
		if (!is_same(c, src, &tree, out->p ? out->p + at : "", out->n - at)) {
			out->n = at;
			lay_out_in_part(c, src, &tree, out);
		}
	}
	vt_buf_free(&tree);
	return good;
}
