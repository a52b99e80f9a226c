/*
 * report.c - the one renderer of diagnostics: text with an excerpt and a caret, and JSON.
 *
 * Columns of carets are terminal cells: tabs are expanded, East Asian wide characters take two.
 * The line is found from the offset alone, because a text of one line may have a gigabyte.
 */
#include "runtime/text/report.h"

#include "runtime/core/printable.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELLS_MAX = 120, BEFORE_MAX = CELLS_MAX - 40, TAB = 4 };

const char *const vt_severity_name[] = {"error", "warning", "note"};
static const char *const tints[] = {"1;31", "1;35", "1;36"};

static int when; /* enum vt_colour */

void
vt_set_colour(int colour)
{
	when = colour;
}

bool
vt_wants_colour(FILE *f)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return when == VT_COLOUR_ALWAYS ||
	       (when != VT_COLOUR_NEVER && isatty(fileno(f)) && !(no && *no) &&
		       !(term && !strcmp(term, "dumb")));
}

static void
colour(vt_buf *b, bool on, const char *code)
{
	if (on)
		vt_buf_printf(b, "\033[%sm", code);
}

/* Lines after the first are indented, so that no quoted text can pass for a message of its own. */
static void
put_text(vt_buf *b, const char *s)
{
	for (const char *end; (end = strchr(s, '\n')); s = end + 1) {
		vt_put_printable(b, s, (size_t)(end - s));
		vt_buf_puts(b, "\n    ");
	}
	vt_put_printable(b, s, strlen(s));
}

/* ---- excerpts ---- */

static bool
ends_line(char c)
{
	return c == '\n' || c == '\r';
}

/* Where the shown part of the line begins.  True: it is cut on the left, so that the place stays on
 * the screen. */
static bool
shown_from(const vt_place *p, size_t *begin)
{
	size_t at = p->from;

	if (at > 0 && at < p->n && p->text[at] == '\n' && p->text[at - 1] == '\r')
		at--;
	*begin = at;
	while (*begin > 0 && at - *begin <= BEFORE_MAX && !ends_line(p->text[*begin - 1]))
		--*begin;
	if (at - *begin <= BEFORE_MAX) {
		if (*begin == 0 && p->n >= 3 && !memcmp(p->text, "\xef\xbb\xbf", 3))
			*begin = 3;
		return false;
	}
	*begin = at - BEFORE_MAX;
	while (*begin < at && ((unsigned char)p->text[*begin] & 0xc0) == 0x80)
		++*begin;
	return true;
}

static void
underline(vt_buf *caret, const vt_place *p, size_t i, unsigned width)
{
	for (unsigned k = 0; k < width; k++)
		vt_buf_putc(caret, i == p->from && !k          ? '^'
				   : i >= p->from && i < p->to ? '~'
							       : ' ');
}

/* Fills two lines: what the text has, and the caret under it. */
static void
draw(vt_buf *text, vt_buf *caret, const vt_place *p, size_t begin)
{
	unsigned cells = (unsigned)text->n;
	size_t i = begin;

	for (unsigned k = 0; k < cells; k++)
		vt_buf_putc(caret, ' ');
	while (i < p->n && !ends_line(p->text[i]) && cells < CELLS_MAX) {
		unsigned length, width;
		uint32_t ch = vt_next_char(p->text + i, p->n - i, &length);
		if (ch == '\t') {
			width = TAB - cells % TAB;
			vt_buf_printf(text, "%*s", (int)width, "");
		} else {
			width = vt_put_shown(text, ch, p->text + i, length);
		}
		underline(caret, p, i, width);
		cells += width;
		i += length;
	}
	if (i < p->n && !ends_line(p->text[i]))
		vt_buf_puts(text, "...");
	else if (p->from >= i)
		vt_buf_putc(caret, '^');
	while (caret->n && caret->p[caret->n - 1] == ' ')
		caret->n--;
}

/* A line with a secret is not shown: what is left of one that is cut could not be told from
 * another text. */
static bool
is_secret_line(const vt_place *p)
{
	size_t from = p->from < p->n ? p->from : p->n, to = from;

	while (from > 0 && !ends_line(p->text[from - 1]))
		from--;
	while (to < p->n && !ends_line(p->text[to]))
		to++;
	return vt_has_secret(p->text + from, to - from);
}

static void
put_excerpt(vt_buf *b, const vt_place *p, bool tinted)
{
	vt_buf text = {0}, caret = {0};
	size_t begin;

	if (shown_from(p, &begin))
		vt_buf_puts(&text, "...");
	draw(&text, &caret, p, begin);
	vt_buf_printf(b, "%5u | ", p->line);
	vt_buf_put(b, text.p, text.n);
	vt_buf_puts(b, "\n      | ");
	colour(b, tinted, "1;32");
	vt_buf_put(b, caret.p, caret.n);
	colour(b, tinted, "0");
	vt_buf_puts(b, "\n");
	vt_buf_free(&text);
	vt_buf_free(&caret);
}

/* ---- text ---- */

static void
put_place(vt_buf *b, const vt_place *p, const char *self)
{
	put_text(b, p->file ? p->file : self ? self : "vetro");
	vt_buf_puts(b, ":");
	if (p->file && p->line)
		vt_buf_printf(b, "%u:%u:", p->line, p->col);
	vt_buf_puts(b, " ");
}

static void
put_entry(vt_buf *b, const vt_report *r, const vt_place *p, enum vt_severity severity,
	const char *code, const char *text, bool tinted)
{
	colour(b, tinted, "1");
	put_place(b, p, r->self);
	colour(b, tinted, tints[severity]);
	vt_buf_puts(b, vt_severity_name[severity]);
	if (code)
		vt_buf_printf(b, "[%s]", code);
	vt_buf_puts(b, ": ");
	colour(b, tinted, "0");
	put_text(b, text);
	vt_buf_puts(b, "\n");
	if (p->file && p->line && p->text && !is_secret_line(p))
		put_excerpt(b, p, tinted);
}

void
vt_report_text(vt_buf *b, const vt_report *r, bool tinted)
{
	size_t start = b->n;

	put_entry(b, r, &r->at, r->severity, r->code, r->message, tinted);
	for (uint32_t i = 0; i < r->nnotes; i++) {
		const vt_remark *n = &r->notes[i];
		if (n->at.file) {
			put_entry(b, r, &n->at, VT_SEVERITY_NOTE, NULL, n->text, tinted);
			continue;
		}
		vt_buf_puts(b, "  note: ");
		put_text(b, n->text);
		vt_buf_puts(b, "\n");
	}
	if (r->hint) {
		colour(b, tinted, "1;36");
		vt_buf_puts(b, "  hint: ");
		colour(b, tinted, "0");
		put_text(b, r->hint);
		vt_buf_puts(b, "\n");
	}
	vt_redact(b, start);
}

void
vt_report_print(const vt_report *r, FILE *f)
{
	vt_buf b = {0};

	vt_report_text(&b, r, vt_wants_colour(f));
	vt_buf_print(&b, f);
}

/* ---- JSON ---- */

void
vt_put_json_repaired(vt_buf *b, const char *s, size_t n)
{
	vt_buf t = {0};

	vt_buf_put(&t, s, n);
	if (t.n)
		vt_buf_repair(&t);
	vt_json_str(b, t.p ? t.p : "", t.n);
	vt_buf_free(&t);
}

static void
put_json(vt_buf *b, const char *name, const char *s)
{
	vt_buf_printf(b, ",\"%s\":", name);
	if (s)
		vt_put_json_repaired(b, s, strlen(s));
	else
		vt_buf_puts(b, "null");
}

/* A file as a whole is its first character. */
static void
put_json_place(vt_buf *b, const vt_place *p)
{
	put_json(b, "file", p->file);
	if (!p->file)
		vt_buf_puts(b, ",\"line\":null,\"col\":null,\"end_line\":null,\"end_col\":null");
	else if (!p->line)
		vt_buf_puts(b, ",\"line\":1,\"col\":1,\"end_line\":1,\"end_col\":1");
	else
		vt_buf_printf(b, ",\"line\":%u,\"col\":%u,\"end_line\":%u,\"end_col\":%u", p->line,
			p->col, p->end_line, p->end_col);
}

/* Notes are strings in JSON: their place goes in front as a compiler's message has it. */
static void
put_json_note(vt_buf *b, const vt_remark *n)
{
	vt_buf t = {0};

	if (n->at.file)
		vt_buf_printf(&t, "%s:%u:%u: ", n->at.file, n->at.line ? n->at.line : 1,
			n->at.line ? n->at.col : 1);
	vt_buf_puts(&t, n->text);
	vt_put_json_repaired(b, t.p ? t.p : "", t.n);
	vt_buf_free(&t);
}

void
vt_report_json(vt_buf *b, const vt_report *r)
{
	size_t start = b->n;

	vt_buf_printf(b, "{\"code\":\"%s\",\"severity\":\"%s\"", r->code ? r->code : "",
		vt_severity_name[r->severity]);
	put_json_place(b, &r->at);
	put_json(b, "message", r->message);
	vt_buf_puts(b, ",\"notes\":[");
	for (uint32_t i = 0; i < r->nnotes; i++) {
		vt_buf_puts(b, i ? "," : "");
		put_json_note(b, &r->notes[i]);
	}
	vt_buf_puts(b, "]");
	put_json(b, "hint", r->hint);
	vt_buf_puts(b, "}");
	vt_redact(b, start);
}

void
vt_say_undeployed(const char *self, const char *path)
{
	vt_say("%s: nothing is deployed: there is no state in %s\n"
	       "  hint: '%s run' deploys; --snapshot FILE names a state that is kept elsewhere\n",
		self, path, self);
}

void
vt_say_no_state(const char *self, const char *named)
{
	if (named != NULL && access(named, F_OK) != 0)
		vt_say("%s: there is no file %s\n", self, named);
}
