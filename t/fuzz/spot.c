/*
 * Fuzz target: what `vetro lsp` knows of a place in a text.  The first byte of the input chooses
 * the language; "%%" in the rest stands for a line end, since seeds are lines.  Each language
 * offers what may stand at places all over the text, and the features that read the text by itself
 * answer with JSON.  driver.c says how it is run.
 */
#include "compiler/lsp/know.h"
#include "compiler/lsp/scope.h"
#include "runtime/call/call.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST_PLACES = 24, MOST_TEXT = 4000 };

static const struct {
	const lsp_language *language;
	enum lsp_kind kind;
	const char *path;
} rows[] = {
	{&lsp_tosca_language, LSP_TOSCA, "/nonexistent/a.yaml"},
	{&lsp_heat_language, LSP_TOSCA, "/nonexistent/a.yaml"},
	{&lsp_yay_language, LSP_YAY, "/nonexistent/a.yay"},
	{&lsp_workflow_language, LSP_WORKFLOW, "/nonexistent/a.yaml"},
	{&lsp_form_language, LSP_PACKAGE, "/nonexistent/UI/ui.yaml"},
};

static void
must(bool good)
{
	if (!good)
		abort();
}

static char *
lines_of(const uint8_t *data, size_t n)
{
	char *text = malloc(n + 1), *to = text;

	for (size_t i = 0; i < n; i++) {
		bool end = i + 1 < n && data[i] == '%' && data[i + 1] == '%';
		*to++ = end ? '\n' : data[i] ? (char)data[i] : ' ';
		i += end;
	}
	*to = 0;
	return text;
}

static void
is_place(void *ctx, const lsp_document *d, const lsp_known *k)
{
	(void)ctx;
	must(k->from <= k->to && k->to <= d->n);
}

static void
look(lsp_worker *w, const lsp_document *d, const lsp_language *l, size_t at)
{
	lsp_spot s;
	lsp_known k;
	vt_buf out = {0};

	if (lsp_spot_at(w, d, at, &s))
		must(s.from <= at && at <= s.to && s.to <= d->n && s.n <= LSP_DEEP);
	lsp_complete_known(w, d, l, at, &out);
	for (int exact = 0; exact < 2; exact++) {
		w->exact = exact;
		w->renames = exact;
		if (lsp_known_at(w, d, l, at, &k)) {
			must(k.item.name && k.from <= k.to && k.to <= d->n);
			if (exact && at % 5 == 0) /* all words are looked up then */
				lsp_each_known(w, d, l, &k, is_place, NULL);
		}
	}
	w->exact = w->renames = false;
	w->refused = NULL;
	vt_buf_free(&out);
}

static vt_value
read_json(vt_rt *rt, const char *text, size_t n)
{
	vt_value v = VT_UNDEF;
	char *why = NULL;

	must(vt_json_read(rt, text, n, VT_JSON_MUTABLE, LSP_MAX_DEPTH * 4, &v, &why));
	free(why);
	return v;
}

/* Of one line of the text. */
static void
ask(lsp_worker *w, const lsp_document *d, vt_rt *rt, unsigned line)
{
	static lsp_feature *const features[] = {lsp_selections, lsp_links, lsp_format_range,
		lsp_format_typed, lsp_tokens_range, lsp_symbols, lsp_folding};
	char text[256];
	int n = snprintf(text, sizeof text,
		"{\"positions\":[{\"line\":%u,\"character\":3}],\"position\":{\"line\":%u,"
		"\"character\":0},\"range\":{\"start\":{\"line\":%u,\"character\":0},\"end\":"
		"{\"line\":%u,\"character\":1}}}",
		line, line, line, line + 1);
	vt_value params = read_json(rt, text, (size_t)n);

	for (size_t i = 0; i < VC_LEN(features); i++) {
		vt_buf out = {0};
		features[i](w, d, params, &out);
		if (out.n)
			vt_release(read_json(rt, out.p, out.n));
		vt_buf_free(&out);
	}
	vt_release(params);
}

static void
is_symbol(void *ctx, const lsp_document *d, const char *name, int kind, const char *in, size_t from,
	size_t to)
{
	(void)ctx;
	must(name && kind && in && from <= to && to <= d->n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static vt_rt *rt;
	lsp_host host = {0};
	lsp_project p = {.path = (char *)(uintptr_t) "/nonexistent"};
	lsp_server s = {.host = &host};
	lsp_worker w = {.s = &s, .p = &p};

	if (n < 2 || n > MOST_TEXT)
		return 0;
	size_t row = data[0] % VC_LEN(rows);
	char *text = lines_of(data + 1, n - 1);
	lsp_document d = {.uri = (char *)(uintptr_t) "file:///nonexistent/a",
		.path = (char *)(uintptr_t)rows[row].path,
		.text = text,
		.n = strlen(text)};
	p.kind = rows[row].kind;
	w.c = vc_new();
	for (size_t i = 0; i <= MOST_PLACES; i++)
		look(&w, &d, rows[row].language, d.n * i / MOST_PLACES);
	if (!rt)
		rt = vt_rt_new(NULL);
	ask(&w, &d, rt, data[1] % 4);
	lsp_each_symbol(&w, &d, is_symbol, NULL);
	vc_hold(NULL, 0);
	lsp_names_end(&w);
	vc_free(w.c);
	free(text);
	return 0;
}
