/*
 * finding.c - what is wrong, as diagnostics of the protocol, and quick fixes.
 *
 * A project publishes for its own files, and for others that no other project has open.
 */
#include "compiler/lsp/int.h"
#include "runtime/core/printable.h"
#include "runtime/text/report.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

/* Everything that is wrong in one file. */
typedef struct file {
	const char *path;
	const lsp_document *doc; /* or NULL */
	vt_buf list;
	uint32_t n;
	bool broken; /* it could not be read */
} file;

typedef struct sheet {
	lsp_worker *w;
	file *file;
	uint32_t nfiles;
} sheet;

/* ---- places ---- */

static const char *
path_of(const lsp_worker *w, const vc_source *src)
{
	const char *real;

	if (!src || *src->name == '<')
		return w->p->path;
	if (*src->name == '/' && lsp_document_at(w->s, src->name))
		return src->name;
	real = vc_real_path(w->c, src->name);
	return real ? real : src->name;
}

/* A directory has no lines: what is wrong with a package as a whole stands in its manifest. */
static const char *
shown_path(const lsp_worker *w, const vc_source *src)
{
	const char *path = path_of(w, src);

	if (w->p->kind == LSP_PACKAGE && strcmp(path, w->p->path) == 0)
		return vc_format(w->c, "%s/manifest.yaml", path);
	return path;
}

static file *
file_of(sheet *t, const char *path)
{
	for (uint32_t i = 0; i < t->nfiles; i++)
		if (strcmp(t->file[i].path, path) == 0)
			return &t->file[i];
	vc_push(t->w->c, t->file, t->nfiles) =
		(file){.path = path, .doc = lsp_document_at(t->w->s, path)};
	return &t->file[t->nfiles - 1];
}

static void
put_uri(vt_buf *b, const file *f)
{
	if (f->doc)
		lsp_put_text(b, f->doc->uri);
	else
		lsp_put_uri(b, f->path);
}

/* ---- diagnostics ---- */

static void
put_notes(sheet *t, vt_buf *b, const vc_finding *d)
{
	vt_buf_puts(b, ",\"relatedInformation\":[");
	for (uint32_t i = 0, n = 0; i < d->nnotes; i++) {
		if (!d->notes[i].span.src)
			continue;
		const char *path = shown_path(t->w, d->notes[i].span.src);
		const lsp_document *doc = lsp_document_at(t->w->s, path);
		vt_buf_puts(b, n++ ? ",{\"location\":{\"uri\":" : "{\"location\":{\"uri\":");
		put_uri(b, &(file){.path = path, .doc = doc});
		vt_buf_puts(b, ",\"range\":");
		lsp_put_span(b, t->w->s, d->notes[i].span);
		vt_buf_puts(b, "},\"message\":");
		lsp_put_text(b, d->notes[i].text);
		vt_buf_puts(b, "}");
	}
	vt_buf_puts(b, "]");
}

/* Notes without a place and the hint follow the message, as SARIF has it. */
static void
put_message(vt_buf *b, const vc_finding *d)
{
	vt_buf t = {0};

	vt_buf_puts(&t, d->text);
	for (uint32_t i = 0; i < d->nnotes; i++)
		if (!d->notes[i].span.src)
			vt_buf_printf(&t, "\nnote: %s", d->notes[i].text);
	if (d->hint)
		vt_buf_printf(&t, "\nhint: %s", d->hint);
	vt_redact(&t, 0);
	vt_put_json_repaired(b, t.p, t.n);
	vt_buf_free(&t);
}

/* Severities of the protocol; VC_FAULT is shown as an error. */
static int
severity_of(const vc_finding *d)
{
	return d->severity == VC_WARNING ? 2 : d->severity == VC_NOTE ? 3 : 1;
}

/* What keeps a text from having a tree. */
static bool
breaks(const char *code)
{
	static const char *const codes[] = {
		"E0109", "E0201", "E0202", "E0203", "E0204", "E3001", "E3002", "E3003"};

	for (size_t i = 0; i < VC_LEN(codes); i++)
		if (strcmp(code, codes[i]) == 0)
			return true;
	return false;
}

/* Tags of the protocol, by which editors fade or strike the text: 1 unnecessary, 2 deprecated. */
static int
tag_of(const char *code)
{
	static const struct {
		const char *code;
		int tag;
	} rows[] = {{"W1039", 1}, {"W1064", 1}, {"W1079", 1}, {"W1035", 2}, {"W2011", 2},
		{"W2032", 2}, {"W3001", 2}};

	for (size_t i = 0; i < VC_LEN(rows); i++)
		if (strcmp(code, rows[i].code) == 0)
			return rows[i].tag;
	return 0;
}

static void
add_finding(void *ctx, const vc_finding *d)
{
	sheet *t = ctx;
	file *f = file_of(t, shown_path(t->w, d->span.src));
	vt_buf *b = &f->list;

	f->broken |= breaks(d->code);
	vt_buf_puts(b, f->n++ ? ",{\"range\":" : "{\"range\":");
	lsp_put_span(b, t->w->s, d->span);
	vt_buf_printf(b, ",\"severity\":%d,\"code\":\"%s\",\"source\":\"vetro\",\"message\":",
		severity_of(d), d->code);
	put_message(b, d);
	put_notes(t, b, d);
	if (tag_of(d->code))
		vt_buf_printf(b, ",\"tags\":[%d]", tag_of(d->code));
	vt_buf_puts(b, "}");
}

static void
publish(sheet *t, const file *f)
{
	vt_buf b = {0};

	vt_buf_puts(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/publishDiagnostics\","
			"\"params\":{\"uri\":");
	put_uri(&b, f);
	if (f->doc)
		vt_buf_printf(&b, ",\"version\":%lld", (long long)f->doc->version);
	vt_buf_puts(&b, ",\"diagnostics\":[");
	vt_buf_put(&b, f->list.p ? f->list.p : "", f->list.n);
	vt_buf_puts(&b, "]}}");
	lsp_tell(t->w, LSP_W_NOTE, b.p, b.n);
	b.n = 0;
	put_uri(&b, f);
	if (f->n) /* without the quotes */
		lsp_tell(t->w, LSP_W_PLACE, b.p + 1, b.n - 2);
	vt_buf_free(&b);
}

/* What is known of it stays known when the next edit breaks it. */
static void
tell_read(const lsp_worker *w, const lsp_document *d)
{
	const char *said = vc_format(w->c, "%lld %s", (long long)d->version, d->uri);

	lsp_tell(w, LSP_W_READ, said, strlen(said));
}

/* Files that had something wrong before have to be cleared. */
static void
add_known(sheet *t)
{
	const lsp_worker *w = t->w;

	for (uint32_t i = 0; i < w->s->ndocs; i++)
		if (w->s->doc[i]->project == w->p)
			file_of(t, w->s->doc[i]->path);
	for (uint32_t i = 0; i < w->p->npublished; i++) {
		const lsp_document *d = lsp_document_of(w->s, w->p->published[i]);
		char *path = d ? NULL : lsp_path_of_uri(w->p->published[i]);
		if (d || path)
			file_of(t, d ? d->path : vc_strdup(w->c, path));
		free(path);
	}
}

void
lsp_publish(lsp_worker *w)
{
	sheet t = {w, NULL, 0};

	vc_each_finding(w->c, add_finding, &t);
	add_known(&t);
	for (uint32_t i = 0; i < t.nfiles; i++) {
		const lsp_document *d = t.file[i].doc;
		/* first, since the next edit may follow what is published at once */
		if (d && d->project == w->p && !t.file[i].broken)
			tell_read(w, d);
		if (!d || d->project == w->p)
			publish(&t, &t.file[i]);
		vt_buf_free(&t.file[i].list);
	}
}

/* ---- quick fixes ---- */

typedef struct fixes {
	lsp_worker *w;
	const lsp_document *doc;
	size_t from, to; /* that the client asks about */
	vt_buf *out;
	uint32_t n;
} fixes;

static bool
is_word(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ||
	       ch == '_' || ch == '.' || ch == ':' || ch == '-' || ch == '/' ||
	       (unsigned char)ch >= 0x80;
}

/* How much two words have in common at their ends, per mille: near names share most. */
static size_t
likeness(const char *word, size_t n, const char *near, size_t m)
{
	size_t front = 0, back = 0, most = n < m ? n : m;

	while (front < most && word[front] == near[front])
		front++;
	while (back < most - front && word[n - 1 - back] == near[m - 1 - back])
		back++;
	return 2 * (front + back) * 1000 / (n + m);
}

/* Of the words between two places the one that is nearest; a dotted name is tried as a whole and by
 * its last part. */
static bool
find_near(const vc_source *src, size_t i, size_t end, const char *near, size_t *from, size_t *to)
{
	const char *text = src->text;
	size_t best = 0, m = strlen(near);

	while (i > 0 && is_word(text[i - 1]) && is_word(text[i]))
		i--;
	for (end = end < src->n ? end : src->n; i < end;) {
		size_t k = i;
		while (k < src->n && is_word(text[k]))
			k++;
		for (size_t at = i; at < k; at++) {
			bool starts = at == i || strchr(".:/", text[at - 1]);
			for (size_t stop = k; starts && stop > at; stop--) {
				bool ends = stop == k || strchr(".:/", text[stop]);
				size_t like = ends ? likeness(text + at, stop - at, near, m) : 0;
				if (like > best) {
					best = like;
					*from = at;
					*to = stop;
				}
			}
		}
		i = k > i ? k : i + 1;
	}
	return best >= 400;
}

/*
 * The word that `near` is to replace: the span says what is wrong, and is often more than the name;
 * or it is only where the expression begins, and the name follows on the line.
 */
static bool
find_word(vc_span s, const char *near, size_t *from, size_t *to)
{
	size_t end = s.to > s.from ? s.to : s.from + 1, rest = s.from;

	if (find_near(s.src, s.from, end, near, from, to))
		return true;
	rest += strcspn(s.src->text + rest, "\n");
	return find_near(s.src, s.from, rest, near, from, to);
}

static void
put_fix(fixes *x, const vc_finding *d, size_t from, size_t to)
{
	const vc_source *src = d->span.src;
	vt_buf *b = x->out;

	vt_buf_puts(b, x->n++ ? ",{\"title\":" : "[{\"title\":");
	lsp_put_text(b, vc_format(x->w->c, "Replace \"%.*s\" by \"%s\"", (int)(to - from),
				src->text + from, d->near));
	vt_buf_printf(
		b, ",\"kind\":\"quickfix\",\"isPreferred\":true,\"diagnostics\":[{\"range\":");
	lsp_put_span(b, x->w->s, d->span);
	vt_buf_printf(b, ",\"severity\":%d,\"code\":\"%s\",\"source\":\"vetro\",\"message\":",
		severity_of(d), d->code);
	put_message(b, d);
	vt_buf_puts(b, "}],\"edit\":{\"changes\":{");
	lsp_put_text(b, x->doc->uri);
	vt_buf_puts(b, ":[{\"range\":");
	lsp_put_range(b, x->w->s, src->text, src->n, from, to);
	vt_buf_puts(b, ",\"newText\":");
	lsp_put_text(b, d->near);
	vt_buf_puts(b, "}]}}}");
}

static void
add_fix(void *ctx, const vc_finding *d)
{
	fixes *x = ctx;
	size_t from, to;

	if (!d->near || !d->span.src || !d->span.src->text ||
		strcmp(shown_path(x->w, d->span.src), x->doc->path) != 0)
		return;
	if (find_word(d->span, d->near, &from, &to) && d->span.from <= x->to &&
		(d->span.to >= x->from || to >= x->from))
		put_fix(x, d, from, to);
}

void
lsp_actions(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	vt_value range = lsp_get(params, "range");
	lsp_position from, to;
	fixes x = {.w = w, .doc = d, .out = out};

	if (!d || !lsp_read_position(lsp_get(range, "start"), &from) ||
		!lsp_read_position(lsp_get(range, "end"), &to))
		return;
	x.from = lsp_offset(d->text, d->n, w->s->encoding, from);
	x.to = lsp_offset(d->text, d->n, w->s->encoding, to);
	vc_each_finding(w->whole ? w->whole : w->c, add_fix, &x);
	vt_buf_puts(out, x.n ? "]" : "[]");
}
