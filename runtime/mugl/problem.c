/* problem.c - what is wrong with a graph: collected with its place, shown as text and JSON. */
#include "runtime/mugl/int.h"
#include "runtime/core/printable.h"
#include "runtime/text/text.h"

enum { MAX_PROBLEMS = 100 };

static const struct {
	const char *name, *hint;
} codes[] = {
#define MUGL_CODE(sym, name, title, hint) {name, hint},
#include "runtime/mugl/codes.def"
#undef MUGL_CODE
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
	all->p = vt_grow(all->p, all->n, sizeof *all->p);
	p = &all->p[all->n];
	if (over && all->over)
		empty(p);
	all->over = over;
	all->n += !over;
	*p = (mugl_problem){.code = code, .warning = code == MUGL_OLD_NAME, .offset = place};
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
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

void
mugl_put_plain(vt_buf *b, mugl_text t)
{
	vt_put_printable(b, t.p, t.n);
}

void
mugl_put_shown(vt_buf *b, mugl_text t)
{
	vt_buf_putc(b, '\'');
	mugl_put_plain(b, t);
	vt_buf_putc(b, '\'');
}

vt_report
mugl_problem_report(const mugl_problem *p, const char *file, const char *text, size_t n)
{
	vt_report r = {.severity = p->warning ? VT_SEVERITY_WARNING : VT_SEVERITY_ERROR,
		.code = mugl_code_name(p->code),
		.at = {.file = file, .line = p->line, .col = p->col},
		.message = p->message};

	r.at.end_line = p->line;
	r.at.end_col = p->col;
	if (text && p->line) {
		r.at.text = text;
		r.at.n = n;
		r.at.from = r.at.to = p->offset < n ? p->offset : n;
	}
	if (!p->warning || p->code == MUGL_OLD_NAME)
		r.hint = mugl_code_hint(p->code);
	return r;
}

void
mugl_problems_print(const mugl_problems *all, const char *file, const char *text, size_t n, FILE *f)
{
	uint32_t max = all->max ? all->max : MAX_PROBLEMS, shown = 0;

	for (uint32_t i = 0; i < all->n; i++) {
		vt_report r = mugl_problem_report(&all->p[i], file, text, n);
		vt_report_print(&r, f);
		shown += !all->p[i].warning;
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

/* Depth is limited where the document is read. */
void
mugl_put_way(vt_buf *b, const struct mugl_way *s)
{
	if (s->up)
		mugl_put_way(b, s->up);
	if (!s->key)
		vt_buf_printf(b, "[%u]", s->n);
	else if (s->up)
		vt_buf_printf(b, ".%.*s", (int)s->n, s->key);
	else
		vt_buf_put(b, s->key, s->n);
}
