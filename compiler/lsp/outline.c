/*
 * outline.c - document symbols and folding, by the tree of the YAML text; in Yay by lines.
 */
#include "compiler/lsp/int.h"
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

static int
kind_of(const char *above, const ynode *value)
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
	};

	for (size_t i = 0; above && i < VC_LEN(rows); i++)
		if (strcmp(rows[i].above, above) == 0)
			return rows[i].kind;
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
