/*
 * diag.c - diagnostics: collected while compiling, printed once as text, JSON lines or SARIF 2.1.0.
 *
 * What a message quotes comes from outside, so every text is escaped when it is printed: control
 * characters, and those that turn the direction of writing, would let a file forge what the
 * terminal shows. Columns of carets are terminal cells: tabs are expanded, East Asian wide
 * characters take two.
 */
#define _GNU_SOURCE
#include "compiler/base/vc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGE_MAX = 1000, CELLS_MAX = 120, TAB = 4 };

typedef struct note {
	vc_span span;
	char *text;
} note;
typedef struct diag {
	uint8_t severity;
	enum vc_code code;
	vc_span span;
	char *text, *hint;
	note *notes;
	uint32_t nnotes;
	uint32_t serial;
} diag;

struct vc_diags {
	diag **all;
	uint32_t n;
	diag *last; /* what notes and hints belong to; NULL when it was dropped */
	int errors, dropped;
};

static const struct {
	const char *name, *title;
	uint8_t severity;
} rows[] = {
#define DIAG(code, severity, title) {#code, title, severity},
#include "compiler/base/diag.def"
#undef DIAG
};
static const char *const severity_name[] = {"error", "warning", "note"};

const char *
vc_code_name(enum vc_code code)
{
	return rows[code].name;
}

const char *
vc_code_title(enum vc_code code)
{
	return rows[code].title;
}

/* ---- collecting ---- */

static struct vc_diags *
diags_of(vc *c)
{
	if (!c->diags)
		c->diags = vc_alloc(c, sizeof *c->diags);
	return c->diags;
}

/* A message may quote a megabyte: what is over the limit goes, at a character's border. */
static char *
format_message(vc *c, const char *fmt, va_list ap)
{
	char text[MESSAGE_MAX + 4];
	int n = vsnprintf(text, MESSAGE_MAX, fmt, ap);
	if (n < MESSAGE_MAX)
		return vc_strdup(c, n < 0 ? "" : text);
	size_t end = MESSAGE_MAX - 1;
	while (end && ((unsigned char)text[end - 1] & 0xc0) == 0x80)
		end--;
	if (end && (unsigned char)text[end - 1] >= 0xc0)
		end--;
	memcpy(text + end, "...", 4);
	return vc_strdup(c, text);
}

void
vc_report(vc *c, enum vc_code code, vc_span span, const char *fmt, ...)
{
	struct vc_diags *ds = diags_of(c);
	uint8_t severity = rows[code].severity;
	if (severity == VC_WARNING && c->werror)
		severity = VC_ERROR;
	ds->last = NULL;
	if (severity == VC_ERROR && ds->errors++ >= (int)c->limit.max_errors) {
		ds->dropped++;
		return;
	}
	if (severity != VC_ERROR && ds->n >= c->limit.max_errors * 4)
		return;
	diag *d = vc_alloc(c, sizeof *d);
	va_list ap;
	va_start(ap, fmt);
	*d = (diag){.severity = severity,
		.code = code,
		.span = span,
		.serial = ds->n,
		.text = format_message(c, fmt, ap)};
	va_end(ap);
	vc_push(c, ds->all, ds->n) = d;
	ds->last = d;
}

void
vc_note(vc *c, vc_span span, const char *fmt, ...)
{
	diag *d = diags_of(c)->last;
	if (!d)
		return;
	va_list ap;
	va_start(ap, fmt);
	note n = {span, format_message(c, fmt, ap)};
	va_end(ap);
	vc_push(c, d->notes, d->nnotes) = n;
}

void
vc_hint(vc *c, const char *fmt, ...)
{
	diag *d = diags_of(c)->last;
	if (!d)
		return;
	va_list ap;
	va_start(ap, fmt);
	d->hint = format_message(c, fmt, ap);
	va_end(ap);
}

vc_first
vc_first_error(const vc *c)
{
	vc_first f = {0};
	for (uint32_t i = 0; c->diags && i < c->diags->n; i++) {
		const diag *d = c->diags->all[i];
		if (d->severity != VC_ERROR)
			continue;
		f = (vc_first){.code = d->code, .span = d->span, .text = d->text};
		if (d->nnotes) {
			f.note = d->notes[0].text;
			f.note_span = d->notes[0].span;
		}
		break;
	}
	return f;
}

int
vc_errors(const vc *c)
{
	return c->diags ? c->diags->errors : 0;
}

/* ---- characters ---- */

typedef struct range {
	uint32_t first, last;
} range;

/* Two cells: Unicode's East_Asian_Width W and F, with neighbouring blocks joined. */
static const range wide[] = {
	{0x1100, 0x115f},
	{0x231a, 0x231b},
	{0x2329, 0x232a},
	{0x23e9, 0x23ec},
	{0x2e80, 0x303e},
	{0x3041, 0x33ff},
	{0x3400, 0x4dbf},
	{0x4e00, 0xa4cf},
	{0xa960, 0xa97f},
	{0xac00, 0xd7a3},
	{0xf900, 0xfaff},
	{0xfe30, 0xfe6f},
	{0xff01, 0xff60},
	{0xffe0, 0xffe6},
	{0x16fe0, 0x18cff},
	{0x1aff0, 0x1b2ff},
	{0x1f300, 0x1f64f},
	{0x1f680, 0x1f6ff},
	{0x1f900, 0x1faff},
	{0x20000, 0x3fffd},
};
/* No cell: combining marks of the common scripts, joiners and variation selectors. */
static const range narrow[] = {
	{0x300, 0x36f},
	{0x483, 0x489},
	{0x591, 0x5bd},
	{0x610, 0x61a},
	{0x64b, 0x65f},
	{0x93a, 0x93a},
	{0x93c, 0x93c},
	{0x941, 0x948},
	{0x94d, 0x94d},
	{0xe31, 0xe31},
	{0xe34, 0xe3a},
	{0xe47, 0xe4e},
	{0x1ab0, 0x1aff},
	{0x1dc0, 0x1dff},
	{0x200c, 0x200d},
	{0x20d0, 0x20ff},
	{0xfe00, 0xfe0f},
	{0xfe20, 0xfe2f},
	{0xe0100, 0xe01ef},
};
/* Shown as \u{..}: controls, line and paragraph separators, direction marks, invisible formatting.
 */
static const range hidden[] = {
	{0, 0x1f},
	{0x7f, 0x9f},
	{0xad, 0xad},
	{0x61c, 0x61c},
	{0x200b, 0x200b},
	{0x200e, 0x200f},
	{0x2028, 0x202e},
	{0x2060, 0x206f},
	{0xfeff, 0xfeff},
	{0xfff9, 0xfffb},
	{0xe0000, 0xe007f},
};

static bool
in_ranges(uint32_t ch, const range *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ch >= r[i].first && ch <= r[i].last)
			return true;
	return false;
}

/* One character and its length; a byte that is no UTF-8 is U+FFFD of length 1. */
static uint32_t
next_char(const char *s, size_t left, unsigned *length)
{
	const unsigned char *p = (const unsigned char *)s;
	unsigned n = *p < 0x80 ? 1 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc2 ? 2 : 0;
	*length = 1;
	if (n == 1)
		return *p;
	if (!n || n > left || *p > 0xf4)
		return 0xfffd;
	uint32_t ch = *p & (0x7f >> n);
	for (unsigned i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0xfffd;
		ch = ch << 6 | (p[i] & 0x3f);
	}
	if (ch > 0x10ffff || (ch >= 0xd800 && ch < 0xe000) || (n == 3 && ch < 0x800) ||
		(n == 4 && ch < 0x10000))
		return 0xfffd;
	*length = n;
	return ch;
}

/* Puts one character as it may be shown; returns the cells it takes. */
static unsigned
put_char(vt_buf *b, uint32_t ch, const char *bytes, unsigned length)
{
	if (in_ranges(ch, hidden, VC_LEN(hidden))) {
		size_t before = b->n;
		vt_buf_printf(b, "\\u{%x}", ch);
		return (unsigned)(b->n - before);
	}
	if (ch == 0xfffd)
		vt_buf_puts(b, "\xef\xbf\xbd");
	else
		vt_buf_put(b, bytes, length);
	if (ch < 0x300)
		return 1;
	return in_ranges(ch, narrow, VC_LEN(narrow)) ? 0
	       : in_ranges(ch, wide, VC_LEN(wide))   ? 2
						     : 1;
}

void
vc_put_printable(vt_buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		unsigned length;
		uint32_t ch = next_char(s + i, n - i, &length);
		if (ch == '\n')
			vt_buf_puts(b, "\\n");
		else
			put_char(b, ch, s + i, length);
		i += length;
	}
}

void
vc_say(const char *fmt, ...)
{
	vt_buf b = {0};
	va_list ap;
	char *said;

	va_start(ap, fmt);
	int n = vasprintf(&said, fmt, ap);
	va_end(ap);
	if (n < 0)
		vt_no_memory();
	for (const char *s = said, *end; *s; s = end + (*end == '\n')) {
		end = s + strcspn(s, "\n");
		vc_put_printable(&b, s, (size_t)(end - s));
		if (*end)
			vt_buf_puts(&b, "\n");
	}
	if (b.n)
		fwrite(b.p, 1, b.n, stderr);
	vt_buf_free(&b);
	free(said);
}

/* Lines after the first are indented, so that no quoted text can pass for a message of its own. */
static void
put_text(vt_buf *b, const char *s)
{
	for (const char *end; (end = strchr(s, '\n')); s = end + 1) {
		vc_put_printable(b, s, (size_t)(end - s));
		vt_buf_puts(b, "\n    ");
	}
	vc_put_printable(b, s, strlen(s));
}

void
vc_put_json(vt_buf *b, const char *s, size_t n)
{
	vt_buf_put(b, "\"", 1);
	for (size_t i = 0; i < n;) {
		unsigned length;
		uint32_t ch = next_char(s + i, n - i, &length);
		if (ch == '"' || ch == '\\')
			vt_buf_printf(b, "\\%c", (int)ch);
		else if (ch == '\n')
			vt_buf_puts(b, "\\n");
		else if (ch == '\t')
			vt_buf_puts(b, "\\t");
		else if (ch < 0x20 || ch == 0x7f)
			vt_buf_printf(b, "\\u%04x", ch);
		else if (ch == 0xfffd)
			vt_buf_puts(b, "\xef\xbf\xbd");
		else
			vt_buf_put(b, s + i, length);
		i += length;
	}
	vt_buf_put(b, "\"", 1);
}

static void
put_json(vt_buf *b, const char *s)
{
	if (s)
		vc_put_json(b, s, strlen(s));
	else
		vt_buf_puts(b, "null");
}

/* ---- order ---- */

static int
compare(const void *pa, const void *pb)
{
	const diag *a = *(diag *const *)pa, *b = *(diag *const *)pb;
	if (!a->span.src != !b->span.src)
		return a->span.src ? 1 : -1;
	int by_name = a->span.src && a->span.src != b->span.src
			      ? strcmp(a->span.src->name, b->span.src->name)
			      : 0;
	if (by_name)
		return by_name;
	if (a->span.from != b->span.from)
		return a->span.from < b->span.from ? -1 : 1;
	return a->serial < b->serial ? -1 : 1;
}

static bool
same(const diag *a, const diag *b)
{
	bool file = a->span.src == b->span.src ||
		    (a->span.src && b->span.src && !strcmp(a->span.src->name, b->span.src->name));
	return file && a->code == b->code && a->span.from == b->span.from &&
	       !strcmp(a->text, b->text);
}

/* Repetitions need not be neighbours: another code may stand at the same place. */
static void
sort(struct vc_diags *ds)
{
	if (!ds->n)
		return;
	qsort(ds->all, ds->n, sizeof *ds->all, compare);
	uint32_t n = 0;
	for (uint32_t i = 0; i < ds->n; i++) {
		bool seen = false;
		for (uint32_t k = n;
			k-- && !seen && ds->all[k]->span.from == ds->all[i]->span.from;)
			seen = same(ds->all[k], ds->all[i]);
		if (!seen)
			ds->all[n++] = ds->all[i];
	}
	ds->n = n;
}

/* ---- text ---- */

typedef struct paint {
	bool on;
} paint;

static void
colour(vt_buf *b, paint p, const char *code)
{
	if (p.on)
		vt_buf_printf(b, "\033[%sm", code);
}

/* The line around an offset: [*begin, *end), cut on the left so that the offset stays on the
 * screen. */
static bool
line_window(const vc_source *s, uint32_t at, uint32_t line, uint32_t *begin, uint32_t *end)
{
	uint32_t start = *begin = s->lines[line - 1];
	if (start == 0 && s->n >= 3 && !memcmp(s->text, "\xef\xbb\xbf", 3))
		start = *begin = 3;
	*end = line < s->nlines ? s->lines[line] : (uint32_t)s->n;
	while (*end > start && (s->text[*end - 1] == '\n' || s->text[*end - 1] == '\r'))
		--*end;
	if (at < start || at - start <= CELLS_MAX - 40)
		return false;
	*begin = at - (CELLS_MAX - 40);
	while (((unsigned char)s->text[*begin] & 0xc0) == 0x80)
		++*begin;
	return true;
}

/* Fills two lines: what the file has, and the caret under it. */
static void
render(vt_buf *text, vt_buf *caret, vc_span at, uint32_t begin, uint32_t end)
{
	const char *s = at.src->text;
	unsigned cells = (unsigned)text->n;
	uint32_t i = begin;
	for (unsigned k = 0; k < cells; k++)
		vt_buf_puts(caret, " ");
	while (i < end && cells < CELLS_MAX) {
		unsigned length, width;
		uint32_t ch = next_char(s + i, end - i, &length);
		if (ch == '\t') {
			width = TAB - cells % TAB;
			vt_buf_printf(text, "%*s", (int)width, "");
		} else {
			width = put_char(text, ch, s + i, length);
		}
		for (unsigned k = 0; k < width; k++)
			vt_buf_puts(caret, i < at.from || (i > at.from && i >= at.to) ? " "
					   : i == at.from && !k                       ? "^"
										      : "~");
		cells += width;
		i += length;
	}
	if (i < end)
		vt_buf_puts(text, "...");
	else if (at.from >= end)
		vt_buf_puts(caret, "^");
	while (caret->n && caret->p[caret->n - 1] == ' ')
		caret->n--;
}

static void
put_snippet(vt_buf *b, paint p, vc_span at, uint32_t line)
{
	uint32_t begin, end;
	vt_buf text = {0}, caret = {0};
	if (line_window(at.src, at.from, line, &begin, &end))
		vt_buf_puts(&text, "...");
	render(&text, &caret, at, begin, end);
	vt_buf_printf(b, "%5u | ", line);
	vt_buf_put(b, text.p, text.n);
	vt_buf_puts(b, "\n      | ");
	colour(b, p, "1;32");
	vt_buf_put(b, caret.p, caret.n);
	colour(b, p, "0");
	vt_buf_puts(b, "\n");
	vt_buf_free(&text);
	vt_buf_free(&caret);
}

void
vc_put_excerpt(vt_buf *b, vc_span at, const char *indent)
{
	uint32_t line, col, begin, end;
	vt_buf text = {0}, caret = {0};
	vc_place(at.src, at.from, &line, &col);
	if (line_window(at.src, at.from, line, &begin, &end))
		vt_buf_puts(&text, "...");
	render(&text, &caret, at, begin, end);
	while (at.to == at.from && caret.n && caret.p[caret.n - 1] == '~')
		caret.n--;
	vt_buf_puts(b, indent);
	vt_buf_put(b, text.p, text.n);
	vt_buf_printf(b, "\n%s", indent);
	vt_buf_put(b, caret.p, caret.n);
	vt_buf_puts(b, "\n");
	vt_buf_free(&text);
	vt_buf_free(&caret);
}

static void
put_entry(vt_buf *b, paint p, vc_span at, const char *kind, const char *tint, const char *code,
	const char *text)
{
	uint32_t line = 1, col = 1;
	colour(b, p, "1");
	if (at.src) {
		put_text(b, at.src->name);
		vt_buf_puts(b, ":");
		if (at.src->text) {
			vc_place(at.src, at.from, &line, &col);
			vt_buf_printf(b, "%u:%u:", line, col);
		}
		vt_buf_puts(b, " ");
	} else {
		vt_buf_puts(b, "vetro: ");
	}
	colour(b, p, tint);
	vt_buf_puts(b, kind);
	if (code)
		vt_buf_printf(b, "[%s]", code);
	vt_buf_puts(b, ": ");
	colour(b, p, "0");
	put_text(b, text);
	vt_buf_puts(b, "\n");
	if (at.src && at.src->text)
		put_snippet(b, p, at, line);
}

static void
put_diag_text(vt_buf *b, paint p, const diag *d)
{
	static const char *const tints[] = {"1;31", "1;35", "1;36"};
	put_entry(b, p, d->span, severity_name[d->severity], tints[d->severity],
		vc_code_name(d->code), d->text);
	for (uint32_t i = 0; i < d->nnotes; i++) {
		if (d->notes[i].span.src) {
			put_entry(b, p, d->notes[i].span, "note", "1;36", NULL, d->notes[i].text);
			continue;
		}
		vt_buf_puts(b, "  note: ");
		put_text(b, d->notes[i].text);
		vt_buf_puts(b, "\n");
	}
	if (d->hint) {
		colour(b, p, "1;36");
		vt_buf_puts(b, "  hint: ");
		colour(b, p, "0");
		put_text(b, d->hint);
		vt_buf_puts(b, "\n");
	}
}

static void
put_counts(vt_buf *b, const struct vc_diags *ds)
{
	unsigned n[3] = {0};
	for (uint32_t i = 0; i < ds->n; i++)
		n[ds->all[i]->severity]++;
	n[VC_ERROR] += (unsigned)ds->dropped;
	if (n[VC_ERROR])
		vt_buf_printf(b, "%u error%s", n[VC_ERROR], n[VC_ERROR] == 1 ? "" : "s");
	if (n[VC_WARNING])
		vt_buf_printf(b, "%s%u warning%s", n[VC_ERROR] ? ", " : "", n[VC_WARNING],
			n[VC_WARNING] == 1 ? "" : "s");
	if (ds->dropped)
		vt_buf_printf(b, "; %d not shown", ds->dropped);
	vt_buf_puts(b, "\n");
}

static bool
wants_colour(FILE *f)
{
	const char *no = getenv("NO_COLOR");
	const char *term = getenv("TERM");
	return isatty(fileno(f)) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

static void
print_text(const struct vc_diags *ds, vt_buf *b, FILE *f)
{
	paint p = {wants_colour(f)};
	for (uint32_t i = 0; i < ds->n; i++)
		put_diag_text(b, p, ds->all[i]);
	if (ds->n)
		put_counts(b, ds);
}

/* ---- JSON lines ---- */

typedef struct place {
	uint32_t line, col, end_line, end_col;
} place;

static place
place_of(vc_span s)
{
	place p = {1, 1, 1, 1};
	if (s.src && s.src->text) {
		vc_place(s.src, s.from, &p.line, &p.col);
		vc_place(s.src, s.to > s.from ? s.to : s.from, &p.end_line, &p.end_col);
	}
	return p;
}

/* Notes are strings in JSON: their place goes in front as a compiler's message has it. */
static void
put_json_note(vt_buf *b, const note *n)
{
	vt_buf t = {0};
	if (n->span.src) {
		place p = place_of(n->span);
		vt_buf_printf(&t, "%s:%u:%u: ", n->span.src->name, p.line, p.col);
	}
	vt_buf_puts(&t, n->text);
	vc_put_json(b, t.p, t.n);
	vt_buf_free(&t);
}

static void
put_diag_json(vt_buf *b, const diag *d)
{
	vt_buf_printf(b, "{\"code\":\"%s\",\"severity\":\"%s\",\"file\":", vc_code_name(d->code),
		severity_name[d->severity]);
	put_json(b, d->span.src ? d->span.src->name : NULL);
	if (d->span.src) {
		place p = place_of(d->span);
		vt_buf_printf(b, ",\"line\":%u,\"col\":%u,\"end_line\":%u,\"end_col\":%u", p.line,
			p.col, p.end_line, p.end_col);
	} else {
		vt_buf_puts(b, ",\"line\":null,\"col\":null,\"end_line\":null,\"end_col\":null");
	}
	vt_buf_puts(b, ",\"message\":");
	put_json(b, d->text);
	vt_buf_puts(b, ",\"notes\":[");
	for (uint32_t i = 0; i < d->nnotes; i++) {
		vt_buf_puts(b, i ? "," : "");
		put_json_note(b, &d->notes[i]);
	}
	vt_buf_puts(b, "],\"hint\":");
	put_json(b, d->hint);
	vt_buf_puts(b, "}\n");
}

/* ---- SARIF 2.1.0 ---- */

static void
put_uri(vt_buf *b, const char *path)
{
	vt_buf_puts(b, *path == '/' ? "\"file://" : "\"");
	for (; *path; path++) {
		unsigned char ch = (unsigned char)*path;
		bool plain = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
			     (ch >= '0' && ch <= '9') || strchr("/-._~", ch);
		vt_buf_printf(b, plain ? "%c" : "%%%02X", ch);
	}
	vt_buf_puts(b, "\"");
}

static void
put_location(vt_buf *b, vc_span s, const char *message)
{
	place p = place_of(s);
	vt_buf_puts(b, "{\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
	put_uri(b, s.src->name);
	vt_buf_puts(b, "}");
	if (s.src->text)
		vt_buf_printf(b,
			",\"region\":{\"startLine\":%u,\"startColumn\":%u,\"endLine\":%u,"
			"\"endColumn\":%u}",
			p.line, p.col, p.end_line, p.end_col);
	vt_buf_puts(b, "}");
	if (message) {
		vt_buf_puts(b, ",\"message\":{\"text\":");
		put_json(b, message);
		vt_buf_puts(b, "}");
	}
	vt_buf_puts(b, "}");
}

/* Notes that have a place become related locations; the others and the hint follow the message. */
static void
put_sarif_result(vt_buf *b, const diag *d)
{
	vt_buf t = {0};
	vt_buf_puts(&t, d->text);
	bool related = false;
	for (uint32_t i = 0; i < d->nnotes; i++) {
		related |= d->notes[i].span.src != NULL;
		if (!d->notes[i].span.src)
			vt_buf_printf(&t, "\nnote: %s", d->notes[i].text);
	}
	if (d->hint)
		vt_buf_printf(&t, "\nhint: %s", d->hint);
	vt_buf_printf(b,
		"{\"ruleId\":\"%s\",\"ruleIndex\":%d,\"level\":\"%s\",\"message\":{\"text\":",
		vc_code_name(d->code), (int)d->code, severity_name[d->severity]);
	vc_put_json(b, t.p, t.n);
	vt_buf_puts(b, "}");
	vt_buf_free(&t);
	if (d->span.src) {
		vt_buf_puts(b, ",\"locations\":[");
		put_location(b, d->span, NULL);
		vt_buf_puts(b, "]");
	}
	for (uint32_t i = 0, n = 0; related && i < d->nnotes; i++)
		if (d->notes[i].span.src) {
			vt_buf_puts(b, n++ ? "," : ",\"relatedLocations\":[");
			put_location(b, d->notes[i].span, d->notes[i].text);
		}
	vt_buf_puts(b, related ? "]}" : "}");
}

static void
print_sarif(const struct vc_diags *ds, vt_buf *b)
{
	vt_buf_puts(b, "{\"$schema\":\"https://json.schemastore.org/"
		       "sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":"
		       "{\"name\":\"vetro\",\"version\":\"" VETRO_VERSION "\",\"rules\":[");
	for (int i = 0; i < VC_NCODES; i++) {
		vt_buf_printf(b, "%s{\"id\":\"%s\",\"shortDescription\":{\"text\":", i ? "," : "",
			rows[i].name);
		put_json(b, rows[i].title);
		vt_buf_printf(b, "},\"defaultConfiguration\":{\"level\":\"%s\"}}",
			severity_name[rows[i].severity]);
	}
	vt_buf_puts(b, "]}},\"columnKind\":\"unicodeCodePoints\",\"results\":[");
	for (uint32_t i = 0; ds && i < ds->n; i++) {
		vt_buf_puts(b, i ? "," : "");
		put_sarif_result(b, ds->all[i]);
	}
	vt_buf_puts(b, "]}]}\n");
}

void
vc_print_diags(vc *c, enum vc_diag_format format, FILE *f)
{
	vt_buf b = {0};
	struct vc_diags *ds = diags_of(c);
	sort(ds);
	switch (format) {
	case VC_TEXT: print_text(ds, &b, f); break;
	case VC_JSON:
		for (uint32_t i = 0; i < ds->n; i++)
			put_diag_json(&b, ds->all[i]);
		break;
	case VC_SARIF: print_sarif(ds, &b); break;
	}
	if (b.n)
		fwrite(b.p, 1, b.n, f);
	fflush(f);
	vt_buf_free(&b);
}

/* ---- did you mean ---- */

enum { NAME_MAX_LENGTH = 63 };

static char
lower(char ch)
{
	return ch >= 'A' && ch <= 'Z' ? (char)(ch + 32) : ch;
}

/* Edits between two short names: insert, delete, replace, swap of neighbours; letter case costs
 * nothing. */
static unsigned
distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned row[3][NAME_MAX_LENGTH + 1];
	for (size_t j = 0; j <= nb; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			bool eq = lower(a[i - 1]) == lower(b[j - 1]);
			unsigned best = last[j - 1] + !eq;
			if (last[j] + 1 < best)
				best = last[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
				lower(a[i - 2]) == lower(b[j - 1]) && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
		}
	}
	return row[na % 3][nb];
}

const char *
vc_nearest(const char *name, const char *const *names, size_t n)
{
	size_t length = strlen(name);
	if (!length || length > NAME_MAX_LENGTH)
		return NULL;
	const char *found = NULL;
	unsigned best = (unsigned)(length + 5) / 4 + 1;
	for (size_t i = 0; i < n; i++) {
		size_t other = names[i] ? strlen(names[i]) : 0;
		if (!other || other > NAME_MAX_LENGTH || !strcmp(name, names[i]))
			continue;
		unsigned d = distance(name, length, names[i], other);
		if (d < best && d < length && d < other &&
			(d == 1 || 2 * d < (length > other ? length : other))) {
			best = d;
			found = names[i];
		}
	}
	return found;
}
