/*
 * outline.c - document symbols by the tree of the YAML text, in Yay by lines; folding, and what may
 * be selected around a place, by lines everywhere.
 */
#include "compiler/lsp/scope.h"
#include "runtime/text/report.h"

#include <string.h>

enum { MOST_DEPTH = 24, MOST_SYMBOLS = 20000 };

typedef struct outline {
	lsp_worker *w;
	const lsp_document *d;
	vt_buf *out;
	uint32_t n;
} outline;

/* Kinds of the protocol. */
enum { K_CLASS = 5, K_METHOD = 6, K_PROPERTY = 7, K_KEY = 20, K_ARRAY = 18, K_OBJECT = 19 };

/* 0: keys below it are no names that an author gives. */
static int
kind_below(const char *above)
{
	static const struct {
		const char *above;
		int kind;
	} rows[] = {
		{"Properties", K_PROPERTY},
		{"Methods", K_METHOD},
		{"Workflow", K_METHOD},
		{"properties", K_PROPERTY},
		{"operations", K_METHOD},
		{"node_types", K_CLASS},
		{"capability_types", K_CLASS},
		{"relationship_types", K_CLASS},
		{"data_types", K_CLASS},
		{"interface_types", K_CLASS},
		{"tasks", K_METHOD},
		{"Classes", K_CLASS},
		{"artifact_types", K_CLASS},
		{"group_types", K_CLASS},
		{"policy_types", K_CLASS},
		{"attributes", K_PROPERTY},
		{"inputs", K_PROPERTY},
		{"outputs", K_PROPERTY},
		{"parameters", K_PROPERTY},
		{"node_templates", K_OBJECT},
		{"relationship_templates", K_OBJECT},
		{"groups", K_OBJECT},
		{"policies", K_OBJECT},
		{"resources", K_OBJECT},
		{"conditions", K_OBJECT},
		{"Templates", K_OBJECT},
		{"workflows", K_METHOD},
		{"actions", K_METHOD},
	};

	for (size_t i = 0; above && i < VC_LEN(rows); i++)
		if (strcmp(rows[i].above, above) == 0)
			return rows[i].kind;
	return 0;
}

static int
kind_of(const char *above, const ynode *value)
{
	int kind = kind_below(above);

	if (kind)
		return kind;
	return value->kind == YN_MAP ? K_OBJECT : value->kind == YN_SEQ ? K_ARRAY : K_KEY;
}

static void put_children(
	outline *o, const ynode *y, const char *above, unsigned depth, bool *first);

static void
put_symbol(outline *o, const ynode *key, const ynode *value, const char *above, unsigned depth)
{
	vt_buf *b = o->out;
	bool first = true;
	size_t to = value->span.to > key->span.to ? value->span.to : key->span.to;

	vt_buf_puts(b, "{\"name\":");
	vt_put_json_repaired(b, key->ntext ? key->text : " ", key->ntext ? key->ntext : 1);
	if (value->kind == YN_SCALAR && value->ntext && value->text) {
		vt_buf_puts(b, ",\"detail\":");
		vt_put_json_repaired(b, value->text, value->ntext < 80 ? value->ntext : 80);
	}
	vt_buf_printf(b, ",\"kind\":%d,\"range\":", kind_of(above, value));
	lsp_put_range(b, o->w->s, o->d->text, o->d->n, key->span.from, to);
	vt_buf_puts(b, ",\"selectionRange\":");
	lsp_put_range(b, o->w->s, o->d->text, o->d->n, key->span.from, key->span.to);
	vt_buf_puts(b, ",\"children\":[");
	put_children(o, value, key->text, depth + 1, &first);
	vt_buf_puts(b, "]}");
}

/* Maps in a list stand for themselves: statements, imports, requirements. */
static void
put_children(outline *o, const ynode *y, const char *above, unsigned depth, bool *first)
{
	for (uint32_t i = 0; i < y->n && depth < MOST_DEPTH && o->n < MOST_SYMBOLS; i++) {
		if (y->kind == YN_SEQ && y->item[i]->kind == YN_MAP) {
			put_children(o, y->item[i], above, depth + 1, first);
		} else if (y->kind == YN_MAP && y->key[i]->kind == YN_SCALAR) {
			if (!*first)
				vt_buf_puts(o->out, ",");
			*first = false;
			o->n++;
			put_symbol(o, y->key[i], y->item[i], above, depth);
		}
	}
}

/* A compilation of its own: what is wrong is said already. */
static ynode **
parse(vc *c, const lsp_document *d, uint32_t *n)
{
	vc_source *src = vc_source_take(c, d->uri, vc_strndup(c, d->text, d->n), d->n);

	*n = 0;
	return src ? vc_yaml_parse(c, src, &(vc_yaml_opts){0}, n) : NULL;
}

static bool
is_yaml(const lsp_document *d)
{
	return !d->path || !vt_ends_with(d->path, ".yay");
}

/* ---- Yay: lines, by their indentation ---- */

typedef struct yay_line {
	size_t indent, from, to; /* its name */
	int kind;
} yay_line;

/* A key, or what a directive declares; false: nothing that has a name. */
static bool
read_yay_line(const char *text, size_t at, yay_line *l)
{
	static const struct {
		const char *word;
		int kind;
	} rows[] = {{"set ", K_KEY}, {"macro ", K_METHOD}, {"prototype ", K_CLASS}};
	size_t from = at + strspn(text + at, " "), n;

	*l = (yay_line){.indent = from - at, .from = from, .kind = K_PROPERTY};
	for (size_t i = 0; i < VC_LEN(rows); i++)
		if (strncmp(text + from, rows[i].word, strlen(rows[i].word)) == 0) {
			l->from += strlen(rows[i].word);
			l->kind = rows[i].kind;
			l->to = l->from + strcspn(text + l->from, " =:(\n");
			return l->to > l->from;
		}
	n = strcspn(text + from, ": \n#\"'");
	l->to = from + n;
	return n && text[from + n] == ':' && strchr(" \r\n", text[from + n + 1]);
}

/* Lines that are deeper than the one before lie in it. */
static void
put_yay(outline *o)
{
	const char *text = o->d->text;
	size_t open[MOST_DEPTH];
	uint32_t depth = 0;
	bool first = true;

	for (size_t at = 0, n; at < o->d->n && o->n < MOST_SYMBOLS; at += n + 1) {
		yay_line l;
		n = strcspn(text + at, "\n");
		if (!read_yay_line(text, at, &l))
			continue;
		for (; depth && open[depth - 1] >= l.indent; depth--, first = false)
			vt_buf_puts(o->out, "]}");
		if (depth == MOST_DEPTH)
			continue;
		vt_buf_puts(o->out, first ? "{\"name\":" : ",{\"name\":");
		vt_put_json_repaired(o->out, text + l.from, l.to - l.from);
		vt_buf_printf(o->out, ",\"kind\":%d,\"range\":", l.kind);
		lsp_put_range(o->out, o->w->s, text, o->d->n, l.from, at + n);
		vt_buf_puts(o->out, ",\"selectionRange\":");
		lsp_put_range(o->out, o->w->s, text, o->d->n, l.from, l.to);
		vt_buf_puts(o->out, ",\"children\":[");
		open[depth++] = l.indent;
		o->n++;
		first = true;
	}
	while (depth--)
		vt_buf_puts(o->out, "]}");
}

void
lsp_symbols(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	vc *c = vc_new();
	uint32_t n = 0;
	ynode **docs = d && is_yaml(d) ? parse(c, d, &n) : NULL;
	outline o = {w, d, out, 0};
	bool first = true;

	(void)params;
	vt_buf_puts(out, "[");
	for (uint32_t i = 0; i < n; i++)
		put_children(&o, docs[i], NULL, 0, &first);
	if (d && !is_yaml(d))
		put_yay(&o);
	vt_buf_puts(out, "]");
	vc_free(c);
}

/* ---- names alone, for symbols of the workspace ---- */

typedef struct symbols {
	const lsp_document *d;
	lsp_symbol *each;
	void *ctx;
	uint32_t n;
} symbols;

static void
each_below(symbols *s, const ynode *y, const char *above, unsigned depth)
{
	int kind = kind_below(above);

	for (uint32_t i = 0; i < y->n && depth < MOST_DEPTH && s->n < MOST_SYMBOLS; i++) {
		s->n++;
		if (y->kind == YN_SEQ) {
			each_below(s, y->item[i], above, depth + 1);
		} else if (y->kind == YN_MAP && y->key[i]->kind == YN_SCALAR && y->key[i]->text) {
			const ynode *key = y->key[i];
			if (kind && key->ntext)
				s->each(s->ctx, s->d, key->text, kind, above, key->span.from,
					key->span.to);
			each_below(s, y->item[i], key->text, depth + 1);
		}
	}
}

/* What directives declare, and the keys at the left. */
static void
each_of_yay(vc *c, symbols *s)
{
	const char *text = s->d->text;

	for (size_t at = 0, n; at < s->d->n && s->n < MOST_SYMBOLS; at += n + 1) {
		yay_line l;
		n = strcspn(text + at, "\n");
		if (!read_yay_line(text, at, &l) || (l.indent && l.kind == K_PROPERTY))
			continue;
		s->n++;
		s->each(s->ctx, s->d, vc_strndup(c, text + l.from, l.to - l.from), l.kind, "",
			l.from, l.to);
	}
}

void
lsp_each_symbol(lsp_worker *w, const lsp_document *d, lsp_symbol *each, void *ctx)
{
	vc *c = vc_new();
	symbols s = {d, each, ctx, 0};
	uint32_t n = 0;
	ynode **docs = is_yaml(d) ? parse(c, d, &n) : NULL;

	(void)w;
	for (uint32_t i = 0; i < n; i++)
		each_below(&s, docs[i], NULL, 0);
	if (!is_yaml(d))
		each_of_yay(c, &s);
	vc_free(c);
}

/* ---- folding: lines that stand deeper than the one before them ---- */

static bool
is_blank(const char *line, size_t n)
{
	return strspn(line, " \t\r") >= n;
}

typedef struct fold {
	uint32_t line;
	size_t indent;
} fold;

static void
put_folds(vt_buf *out, fold *stack, uint32_t *depth, size_t indent, uint32_t last, uint32_t *n)
{
	while (*depth && stack[*depth - 1].indent >= indent) {
		const fold *f = &stack[--*depth];
		if (last > f->line)
			vt_buf_printf(out, "%s{\"startLine\":%u,\"endLine\":%u}", (*n)++ ? "," : "",
				f->line, last);
	}
}

void
lsp_folding(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	enum { DEEP = 256 };
	fold stack[DEEP];
	uint32_t depth = 0, line = 0, last = 0, n = 0;

	(void)w;
	(void)params;
	vt_buf_puts(out, "[");
	for (const char *s = d ? d->text : "", *end = d ? s + d->n : s; s < end; line++) {
		size_t size = strcspn(s, "\n");
		size_t indent = strspn(s, " ");
		if (!is_blank(s, size)) {
			put_folds(out, stack, &depth, indent, last, &n);
			if (depth < DEEP)
				stack[depth++] = (fold){line, indent};
			last = line;
		}
		s += size + 1;
	}
	put_folds(out, stack, &depth, 0, last, &n);
	vt_buf_puts(out, "]");
}

/* ---- selections: the word, brackets around it, the value, the line, and the blocks above ---- */

typedef struct selection {
	lsp_worker *w;
	const lsp_document *d;
	vt_buf *out;
	size_t from, to; /* of what was put last */
	uint32_t n;
} selection;

/* Each holds the one before and is more than it. */
static void
put_selection(selection *s, size_t from, size_t to)
{
	enum { MOST = 256 };

	if (s->n == MOST || from > s->from || to < s->to || (s->n && to - from == s->to - s->from))
		return;
	vt_buf_puts(s->out, s->n++ ? ",\"parent\":{\"range\":" : "{\"range\":");
	lsp_put_range(s->out, s->w->s, s->d->text, s->d->n, from, to);
	s->from = from;
	s->to = to;
}

lsp_line
lsp_line_at(const lsp_document *d, size_t at)
{
	lsp_line l = {.from = at, .to = at};

	while (l.from > 0 && d->text[l.from - 1] != '\n')
		l.from--;
	while (l.to < d->n && d->text[l.to] != '\n')
		l.to++;
	for (l.text = l.from; l.text < l.to && strchr(" \t\r", d->text[l.text]);)
		l.text++;
	for (l.end = l.text; l.end < l.to; l.end++)
		if (d->text[l.end] == '#' && (l.end == l.text || strchr(" \t", d->text[l.end - 1])))
			break;
	while (l.end > l.text && strchr(" \t\r", d->text[l.end - 1]))
		l.end--;
	return l;
}

size_t
lsp_behind_dash(const lsp_document *d, const lsp_line *l, size_t at)
{
	if (at + 1 >= l->end || d->text[at] != '-' || d->text[at + 1] != ' ')
		return at;
	for (at++; at < l->end && d->text[at] == ' ';)
		at++;
	return at;
}

/* Runs without blanks and brackets. */
static void
put_words(selection *s, const lsp_line *l, size_t at)
{
	const char *text = s->d->text;
	size_t from = at, to = at;

	while (from > l->from && lsp_is_word(text[from - 1]))
		from--;
	while (to < l->to && lsp_is_word(text[to]))
		to++;
	if (to > from)
		put_selection(s, from, to);
	while (from > l->from && !strchr(" \t[]{}(),'\"", text[from - 1]))
		from--;
	while (to < l->to && !strchr(" \t\r[]{}(),'\"", text[to]))
		to++;
	to -= to > from && to > at && text[to - 1] == ':';
	if (to > from)
		put_selection(s, from, to);
}

/* Brackets and quotes of the line around the place, the inner ones first. */
static void
put_brackets(selection *s, const lsp_line *l, size_t at)
{
	enum { DEEP = 64 };
	size_t open[DEEP];
	uint32_t depth = 0;
	const char *text = s->d->text;

	for (size_t i = l->text; i < l->end; i++) {
		bool quote = text[i] == '"' || text[i] == '\'';
		const char *close = quote ? memchr(text + i + 1, text[i], l->end - i - 1) : NULL;
		size_t from = i, to = i;
		if (close) {
			i = to = (size_t)(close - text);
		} else if (strchr("([{", text[i]) && text[i]) {
			if (depth < DEEP)
				open[depth++] = i;
			continue;
		} else if (strchr(")]}", text[i]) && depth > 0) {
			from = open[--depth];
		}
		if (to > from && from < at && at <= to) {
			put_selection(s, from + 1, to);
			put_selection(s, from, to + 1);
		}
	}
}

/* Behind the first `: ` of the line. */
static void
put_value(selection *s, const lsp_line *l)
{
	for (size_t i = l->text; i + 1 < l->end; i++)
		if (s->d->text[i] == ':' && s->d->text[i + 1] == ' ') {
			for (i++; i < l->end && s->d->text[i] == ' ';)
				i++;
			put_selection(s, i, l->end);
			return;
		}
}

/* The end of what begins in that column of the line: deeper lines follow, and the items of a list
 * may stand in the column of its key. */
static size_t
block_end(const selection *s, const lsp_line *l, size_t column, bool item)
{
	size_t end = l->end;

	for (size_t at = l->to + 1; at < s->d->n;) {
		lsp_line next = lsp_line_at(s->d, at);
		size_t col = next.text - next.from;
		if (next.end > next.text) {
			bool listed = col == column && !item &&
				      lsp_behind_dash(s->d, &next, next.text) > next.text;
			if (col < column || (col == column && !listed))
				break;
			end = next.end;
		}
		at = next.to + 1;
	}
	return end;
}

/* What begins in the line in a column left of `limit`, the inner ones first. */
static void
put_blocks(selection *s, const lsp_line *l, size_t limit, bool from_item)
{
	size_t start[8];
	uint32_t n = 0;

	start[n++] = l->text;
	for (size_t at = l->text, next; n < VC_LEN(start); at = next) {
		next = lsp_behind_dash(s->d, l, at);
		if (next == at)
			break;
		start[n++] = next;
	}
	while (n-- > 0) {
		size_t column = start[n] - l->from;
		bool item = lsp_behind_dash(s->d, l, start[n]) > start[n];
		if (column < limit || (column == limit && from_item && !item))
			put_selection(s, start[n], block_end(s, l, column, item));
	}
}

/* The block of the line, and of the lines above that it lies in. */
static void
put_levels(selection *s, lsp_line l)
{
	size_t limit = SIZE_MAX;
	bool item = false;

	for (;;) {
		size_t column = l.text - l.from;
		bool blank = l.end == l.text;
		if (!blank && (column < limit || (column == limit && item))) {
			put_blocks(s, &l, limit, item);
			limit = column;
			item = lsp_behind_dash(s->d, &l, l.text) > l.text;
		}
		if (l.from == 0 || (limit == 0 && !item))
			return;
		l = lsp_line_at(s->d, l.from - 1);
	}
}

static void
select_at(selection *s, size_t at)
{
	lsp_line l = lsp_line_at(s->d, at);

	s->n = 0;
	s->from = s->to = at;
	put_words(s, &l, at);
	put_brackets(s, &l, at);
	put_value(s, &l);
	if (l.end > l.text)
		put_selection(s, l.text, l.end);
	put_levels(s, l);
	put_selection(s, 0, s->d->n);
	if (!s->n) { /* an empty text */
		vt_buf_puts(s->out, "{\"range\":");
		lsp_put_range(s->out, s->w->s, s->d->text, s->d->n, at, at);
		s->n = 1;
	}
	while (s->n-- > 0)
		vt_buf_puts(s->out, "}");
}

/* textDocument/selectionRange: for each position what holds it, the inner first. */
void
lsp_selections(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	enum { MOST = 1000 };
	vt_value all = lsp_get(params, "positions");
	selection s = {.w = w, .d = d, .out = out};
	bool first = true;

	if (!d || !vt_is(all, LIST))
		return;
	vt_buf_puts(out, "[");
	for (uint32_t i = 0; i < vt_as_list(all)->n && i < MOST; i++) {
		lsp_position at;
		if (!lsp_read_position(vt_as_list(all)->v[i], &at))
			continue;
		vt_buf_puts(out, first ? "" : ",");
		first = false;
		select_at(&s, lsp_offset(d->text, d->n, w->s->encoding, at));
	}
	vt_buf_puts(out, "]");
}
