/*
 * entries.c - what the references say of a word: templates/language.txt and its like, of which
 * `vetro explain` and the pages are made.
 */
#include "compiler/lsp/scope.h"

#include <string.h>

void
lsp_each_entry(const char *asset, void (*each)(void *, const lsp_entry *), void *ctx)
{
	size_t size;
	const char *text = vc_asset(asset, &size), *end = text + size;
	lsp_entry e = {.chapter = ""};

	for (const char *p = text, *next; p < end; p = next) {
		const char *line = memchr(p, '\n', (size_t)(end - p)), *stop;
		next = line ? line + 1 : end;
		if (strncmp(p, "= ", 2) == 0) {
			e.chapter = p + 2;
			e.nchapter = (size_t)(next - p) - 3;
		}
		if (strncmp(p, "== ", 3) != 0)
			continue;
		stop = strstr(next, "\n=");
		e.names = p + 3;
		e.nnames = (size_t)(next - 1 - e.names);
		e.text = next;
		for (e.end = stop ? stop : end; e.end > next && e.end[-1] == '\n'; e.end--)
			;
		each(ctx, &e);
	}
}

/* ---- Markdown ---- */

typedef struct wanted {
	vt_buf *b;
	const char *name;
	size_t n;
} wanted;

/* Names stand between commas, and may have words behind them: `list contract`. */
static bool
has_name(const lsp_entry *e, const char *name, size_t n)
{
	const char *end = e->names + e->nnames;

	for (const char *p = e->names, *next; p < end; p = next) {
		const char *comma = memchr(p, ',', (size_t)(end - p)), *stop = comma ? comma : end;
		const char *blank = memchr(p, ' ', (size_t)(stop - p));
		next = comma ? comma + 2 : end;
		if ((size_t)((blank ? blank : stop) - p) == n && memcmp(p, name, n) == 0)
			return true;
	}
	return false;
}

/* A link goes to a page that the editor has not: its words stay. */
static void
put_words(vt_buf *b, const char *p, const char *end)
{
	while (p < end) {
		const char *mid = *p == '[' ? strstr(p, "](") : NULL;
		const char *stop = mid && mid < end ? memchr(mid, ')', (size_t)(end - mid)) : NULL;
		if (stop && !memchr(p + 1, '[', (size_t)(mid - p - 1))) {
			vt_buf_put(b, p + 1, (size_t)(mid - p - 1));
			p = stop + 1;
		} else {
			vt_buf_putc(b, *p++);
		}
	}
}

/* The text of an entry goes to its first example. */
static void
put_entry(void *ctx, const lsp_entry *e)
{
	wanted *w = ctx;
	const char *end = e->end;

	if (!has_name(e, w->name, w->n))
		return;
	for (const char *p = e->text; p < e->end; p++)
		if (*p == '@' && p[-1] == '\n') {
			end = p;
			break;
		}
	while (end > e->text && end[-1] == '\n')
		end--;
	if (w->b->n)
		vt_buf_puts(w->b, "\n\n");
	put_words(w->b, e->text, end);
}

const char *
lsp_entry_text(vc *c, const char *asset, const char *name)
{
	vt_buf b = {0};
	wanted w = {&b, name, strlen(name)};

	lsp_each_entry(asset, put_entry, &w);
	return b.n ? vc_take(c, &b) : NULL;
}
