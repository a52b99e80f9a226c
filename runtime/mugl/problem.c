/* problem.c - what is wrong with a graph: collected with its place, shown as text and JSON. */
#include "runtime/mugl/int.h"
#include "runtime/text/text.h"

enum { MAX_PROBLEMS = 100 };

static const struct {
	const char *name, *hint;
} codes[] = {
#define X(sym, name, hint) {name, hint},
	MUGL_CODES(X)
#undef X
};

const char *
mugl_code_name(enum mugl_code c)
{
	return codes[c].name;
}

const char *
mugl_code_hint(enum mugl_code c)
{
	return codes[c].hint;
}

/* Columns are code points: bytes that continue one do not count. */
static void
find_place(mugl_problem *b, const char *text, uint64_t ntext)
{
	uint64_t end = b->offset < ntext ? b->offset : ntext;

	b->line = b->col = 1;
	for (uint64_t i = 0; i < end; i++) {
		if (text[i] == '\n') {
			b->line++;
			b->col = 1;
		} else
			b->col += ((unsigned char)text[i] & 0xc0) != 0x80;
	}
}

static void
empty(mugl_problem *p)
{
	const mugl_text *all[] = {&p->at, &p->ref, &p->key, &p->field, &p->alias};

	free(p->message);
	for (size_t i = 0; i < VT_LEN(all); i++)
		free((char *)(uintptr_t)all[i]->p);
	for (uint32_t i = 0; i < p->npath; i++)
		free((char *)(uintptr_t)p->path[i].p);
	free(p->path);
}

/* Behind the limit there is one more place, for what is counted only. */
mugl_problem *
mugl_add(mugl_problems *all, const mugl *g, enum mugl_code code, uint64_t place, const char *fmt,
	...)
{
	bool over = all->n >= (all->max ? all->max : MAX_PROBLEMS);
	vt_buf b = {0};
	mugl_problem *p;
	va_list ap;

	all->errors += code != MUGL_OLD_NAME;
	all->p = mugl_more(all->p, all->n, &all->cap, sizeof *all->p);
	p = &all->p[all->n];
	if (over && all->over)
		empty(p);
	all->over = over;
	all->n += !over;
	*p = (mugl_problem){.code = code, .warning = code == MUGL_OLD_NAME, .offset = place};
	va_start(ap, fmt);
	vt_buf_vprintf(&b, fmt, ap);
	va_end(ap);
	vt_buf_putc(&b, '\0');
	p->message = b.p;
	if (place != UINT64_MAX && g && g->text && !over)
		find_place(p, g->text, g->ntext);
	return p;
}

void
mugl_problems_free(mugl_problems *all)
{
	for (uint32_t i = 0; i < all->n + all->over; i++)
		empty(&all->p[i]);
	free(all->p);
	*all = (mugl_problems){.max = all->max};
}

mugl_text
mugl_said(mugl_text t)
{
	char *p = vt_xmalloc((size_t)t.n + 1);

	memcpy(p, t.p, t.n);
	p[t.n] = '\0';
	return (mugl_text){p, t.n};
}

void
mugl_at(mugl_problem *p, const mugl *g, mugl_id id)
{
	p->at = mugl_said(mugl_name(g, id));
}

/* ---- text ---- */

/* Valid UTF-8 as it is, but for what a terminal would act on. */
void
mugl_put_plain(vt_buf *b, mugl_text t)
{
	const char *p = t.p, *end = t.p + t.n;

	while (p < end) {
		const char *from = p;
		uint32_t cp = (unsigned char)*p;
		if (cp < 0x80)
			p++;
		else
			cp = vt_utf8_next(&p);
		if (cp == '\t')
			vt_buf_putc(b, ' ');
		else if (cp == ' ' || (cp > ' ' && cp < 0x7f) ||
			 (cp >= 0x80 && vt_is_printable(cp)))
			vt_buf_put(b, from, (size_t)(p - from));
		else
			vt_buf_printf(b, "\\u{%x}", cp);
	}
}

void
mugl_put_shown(vt_buf *b, mugl_text t)
{
	vt_buf_putc(b, '\'');
	mugl_put_plain(b, t);
	vt_buf_putc(b, '\'');
}

enum { SHOWN = 70 };

/* The line of a place and a caret; of a long line what is around it. */
static void
put_excerpt(vt_buf *b, const char *text, size_t n, size_t at)
{
	size_t from, to, start;
	uint32_t width = 0;

	at = at < n ? at : n;
	for (from = at; from > 0 && text[from - 1] != '\n' && at - from < SHOWN; from--)
		;
	for (to = at; to < n && text[to] != '\n' && to - at < SHOWN; to++)
		;
	while (from < at && ((unsigned char)text[from] & 0xc0) == 0x80)
		from++;
	while (to > at && to < n && ((unsigned char)text[to] & 0xc0) == 0x80)
		to--;
	if (vt_utf8_check(text + from, to - from) != to - from)
		return;
	vt_buf_puts(b, "  ");
	start = b->n;
	mugl_put_plain(b, (mugl_text){text + from, (uint32_t)(at - from)});
	vt_utf8_count(b->p + start, b->n - start, &width);
	mugl_put_plain(b, (mugl_text){text + at, (uint32_t)(to - at)});
	vt_buf_puts(b, "\n  ");
	for (uint32_t i = 0; i < width; i++)
		vt_buf_putc(b, ' ');
	vt_buf_puts(b, "^\n");
}

void
mugl_problems_print(const mugl_problems *all, const char *file, const char *text, size_t n, FILE *f)
{
	uint32_t max = all->max ? all->max : MAX_PROBLEMS, shown = 0;

	for (uint32_t i = 0; i < all->n; i++) {
		const mugl_problem *p = &all->p[i];
		vt_buf b = {0};
		if (p->line)
			vt_buf_printf(&b, "%s:%u:%u: ", file, p->line, p->col);
		else
			vt_buf_printf(&b, "%s: ", file);
		vt_buf_printf(&b, "%s: %s [%s]\n", p->warning ? "warning" : "error", p->message,
			mugl_code_name(p->code));
		if (text && p->line)
			put_excerpt(&b, text, n, p->offset);
		if (mugl_code_hint(p->code) && (!p->warning || p->code == MUGL_OLD_NAME))
			vt_buf_printf(&b, "hint: %s\n", mugl_code_hint(p->code));
		fwrite(b.p, 1, b.n, f);
		vt_buf_free(&b);
		shown += !p->warning;
	}
	if (all->errors > shown && all->n == max)
		fprintf(f, "%s: %u more errors\n", file, all->errors - shown);
}

/* ---- JSON ---- */

static void
put_text(vt_buf *b, const char *name, mugl_text t)
{
	if (t.p == NULL)
		return;
	vt_buf_printf(b, ",\"%s\":", name);
	vt_json_str(b, t.p, t.n);
}

void
mugl_problem_json(vt_buf *b, const mugl_problem *p)
{
	vt_buf_printf(b, "{\"type\":\"%s\",\"message\":", mugl_code_name(p->code));
	vt_json_str(b, p->message, strlen(p->message));
	if (p->line)
		vt_buf_printf(b, ",\"line\":%u,\"col\":%u", p->line, p->col);
	put_text(b, "at", p->at);
	put_text(b, "ref", p->ref);
	put_text(b, "key", p->key);
	put_text(b, "field", p->field);
	put_text(b, "alias", p->alias);
	if (p->npath) {
		vt_buf_puts(b, ",\"path\":[");
		for (uint32_t i = 0; i < p->npath; i++) {
			if (i)
				vt_buf_putc(b, ',');
			vt_json_str(b, p->path[i].p, p->path[i].n);
		}
		vt_buf_putc(b, ']');
	}
	vt_buf_putc(b, '}');
}
