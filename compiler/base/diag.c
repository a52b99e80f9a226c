/*
 * diag.c - diagnostics: collected while compiling, sorted, and shown once.
 *
 * runtime/text/report.c renders each as text or JSON.  SARIF 2.1.0, which only a compiler gives, is
 * here.
 */
#define _GNU_SOURCE
#include "compiler/base/base.h"
#include "runtime/core/printable.h"
#include "runtime/text/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct diag {
	uint8_t severity;
	bool fault;
	enum vc_code code;
	vc_span span;
	char *text, *hint;
	const char *near;
	vc_remark *notes;
	uint32_t nnotes;
	uint32_t serial;
} diag;

struct vc_diags {
	diag **all;
	uint32_t n;
	diag *last; /* what notes and hints belong to; NULL when it was dropped */
	int errors, faults, dropped;
};

/* A warning that --strict makes an error: what a standard does not allow and files in use have. */
enum { LENIENT = 8, VC_LENIENCY = VC_WARNING | LENIENT };

static const struct {
	const char *name, *title;
	uint8_t severity;
} rows[] = {
#define DIAG(code, severity, title) {#code, title, VC_##severity},
#include "runtime/core/diag.def"
#undef DIAG
};

/* Without --strict. */
static uint8_t
severity_of(enum vc_code code)
{
	return rows[code].severity & (LENIENT - 1);
}

static const char *
code_name(enum vc_code code)
{
	return rows[code].name;
}

/* ---- collecting ---- */

static struct vc_diags *
diags_of(vc *c)
{
	if (!c->diags)
		c->diags = vc_alloc(c, sizeof *c->diags);
	return c->diags;
}

static char *
format_message(vc *c, const char *fmt, va_list ap)
{
	vt_buf b = {0};

	vt_buf_vmessage(&b, fmt, ap);
	return vc_take(c, &b);
}

static void
report(vc *c, uint8_t severity, enum vc_code code, vc_span span, const char *fmt, va_list ap)
{
	struct vc_diags *ds = diags_of(c);
	bool fault = severity == VC_FAULT && !c->werror;
	if (severity == VC_FAULT ||
		(severity == VC_WARNING &&
			(c->werror || (c->strict && rows[code].severity & LENIENT))))
		severity = VC_ERROR;
	ds->last = NULL;
	if (severity == VC_NOTE && !c->pedantic)
		return;
	if (severity == VC_ERROR &&
		(fault ? ds->faults++ : ds->errors++) >= (int)c->limit.max_errors) {
		ds->dropped++;
		return;
	}
	if (severity != VC_ERROR && ds->n >= c->limit.max_errors * 4)
		return;
	diag *d = vc_alloc(c, sizeof *d);
	*d = (diag){.severity = severity,
		.fault = fault,
		.code = code,
		.span = span,
		.serial = ds->n,
		.text = format_message(c, fmt, ap)};
	vc_push(c, ds->all, ds->n) = d;
	ds->last = d;
}

bool
vc_withdraw(vc *c, enum vc_code code, vc_span span)
{
	struct vc_diags *ds = diags_of(c);

	for (size_t i = ds->n; i-- > 0;) {
		const diag *d = ds->all[i];
		if (d->code != code || d->span.src != span.src || d->span.from != span.from)
			continue;
		if (d->severity == VC_ERROR && d->fault)
			ds->faults--;
		else if (d->severity == VC_ERROR)
			ds->errors--;
		memmove(&ds->all[i], &ds->all[i + 1], (ds->n - i - 1) * sizeof *ds->all);
		ds->n--;
		ds->last = NULL;
		return true;
	}
	return false;
}

void
vc_report(vc *c, enum vc_code code, vc_span span, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report(c, severity_of(code), code, span, fmt, ap);
	va_end(ap);
}

void
vc_report_as(
	vc *c, enum vc_severity severity, enum vc_code code, vc_span span, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report(c, (uint8_t)severity, code, span, fmt, ap);
	va_end(ap);
}

void
vc_note(vc *c, vc_span span, const char *fmt, ...)
{
	diag *d = diags_of(c)->last;
	if (!d)
		return;
	va_list ap;
	va_start(ap, fmt);
	vc_remark n = {span, format_message(c, fmt, ap)};
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

void
vc_near(vc *c, const char *near)
{
	diag *d = diags_of(c)->last;
	if (d)
		d->near = vc_strdup(c, near);
}

void
vc_did_you_mean(vc *c, const char *form, const char *near)
{
	const char *mark = strstr(form, "%s");
	vc_hint(c, "did you mean %.*s%s%s?", (int)(mark - form), form, near, mark + 2);
	vc_near(c, near);
}

vc_first
vc_first_error(const vc *c)
{
	vc_first f = {0};
	for (uint32_t i = 0; c->diags && i < c->diags->n; i++) {
		const diag *d = c->diags->all[i];
		if (d->severity != VC_ERROR || d->fault)
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

uint32_t
vc_said(const vc *c)
{
	return c->diags ? c->diags->n : 0;
}

int
vc_faults(const vc *c)
{
	return c->diags ? c->diags->faults : 0;
}

/* ---- text on its way out ---- */

void
vc_put_quoted(vt_buf *b, const char *s, size_t n)
{
	vt_buf_putc(b, '"');
	for (size_t i = 0; i < n; i++) {
		unsigned char ch = (unsigned char)s[i];
		if (ch == '"' || ch == '\\')
			vt_buf_printf(b, "\\%c", ch);
		else if (ch < 0x20 || ch == 0x7f)
			vt_buf_printf(b, "\\x%02x", ch);
		else
			vt_buf_put(b, &s[i], 1);
	}
	vt_buf_putc(b, '"');
}

static void
put_json(vt_buf *b, const char *s)
{
	if (s)
		vt_put_json_repaired(b, s, strlen(s));
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

/* ---- text and JSON lines ---- */

/* A source without text stands for a file as a whole. */
static vt_place
place_of(vc_span s)
{
	vt_place p = {0};

	if (!s.src)
		return p;
	p.file = s.src->name;
	if (!s.src->text)
		return p;
	vc_place(s.src, s.from, &p.line, &p.col);
	vc_place(s.src, s.to > s.from ? s.to : s.from, &p.end_line, &p.end_col);
	p.text = s.src->text;
	p.n = s.src->n;
	p.from = s.from;
	p.to = s.to;
	return p;
}

/* Its notes are malloc'd. */
static vt_report
report_of(const diag *d)
{
	vt_remark *notes = vt_xmalloc(d->nnotes * sizeof *notes + 1);

	for (uint32_t i = 0; i < d->nnotes; i++)
		notes[i] = (vt_remark){place_of(d->notes[i].span), d->notes[i].text};
	return (vt_report){.severity = (enum vt_severity)d->severity,
		.code = code_name(d->code),
		.at = place_of(d->span),
		.message = d->text,
		.notes = notes,
		.nnotes = d->nnotes,
		.hint = d->hint};
}

void
vc_each_finding(vc *c, void (*each)(void *, const vc_finding *), void *ctx)
{
	struct vc_diags *ds = diags_of(c);
	sort(ds);
	for (uint32_t i = 0; i < ds->n; i++) {
		const diag *d = ds->all[i];
		each(ctx, &(vc_finding){.severity = (enum vc_severity)d->severity,
				  .code = code_name(d->code),
				  .span = d->span,
				  .text = d->text,
				  .hint = d->hint,
				  .near = d->near,
				  .notes = d->notes,
				  .nnotes = d->nnotes});
	}
}

static void
print_each(const struct vc_diags *ds, vt_buf *b, bool json, bool tinted)
{
	for (uint32_t i = 0; i < ds->n; i++) {
		vt_report r = report_of(ds->all[i]);
		if (json) {
			vt_report_json(b, &r);
			vt_buf_putc(b, '\n');
		} else {
			vt_report_text(b, &r, tinted);
		}
		free((void *)(uintptr_t)r.notes);
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

/* ---- SARIF 2.1.0 ---- */

static void
put_uri(vt_buf *b, const char *path)
{
	/* readers compare with the paths of a repository */
	while (strncmp(path, "./", 2) == 0 && path[2 + strspn(path + 2, "/")])
		path += 2 + strspn(path + 2, "/");
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
	vt_place p = place_of(s);
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
		code_name(d->code), (int)d->code, vt_severity_name[d->severity]);
	vt_put_json_repaired(b, t.p, t.n);
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
			vt_severity_name[severity_of((enum vc_code)i) == VC_FAULT
						 ? VC_ERROR
						 : severity_of((enum vc_code)i)]);
	}
	vt_buf_puts(b, "]}},\"columnKind\":\"unicodeCodePoints\",\"results\":[");
	for (uint32_t i = 0; ds && i < ds->n; i++) {
		vt_buf_puts(b, i ? "," : "");
		put_sarif_result(b, ds->all[i]);
	}
	vt_buf_puts(b, "]}]}\n");
}

void
vc_put_diags(vc *c, enum vc_diag_format format, bool colour, vt_buf *b)
{
	struct vc_diags *ds = diags_of(c);
	size_t from = b->n;
	sort(ds);
	switch (format) {
	case VC_TEXT:
		print_each(ds, b, false, colour);
		if (ds->n)
			put_counts(b, ds);
		break;
	case VC_JSON: print_each(ds, b, true, false); break;
	case VC_SARIF: print_sarif(ds, b); break;
	}
	vt_redact(b, from);
}

void
vc_print_diags(vc *c, enum vc_diag_format format, FILE *f)
{
	vt_buf b = {0};
	vc_put_diags(c, format, vt_wants_colour(f), &b);
	if (b.n)
		fwrite(b.p, 1, b.n, f);
	fflush(f);
	vt_buf_free(&b);
}
