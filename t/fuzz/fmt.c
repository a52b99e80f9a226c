/*
 * Fuzz target: any bytes have a layout or an error with a place.  The layout of a layout is itself,
 * and no layout would mean something else (E0213).  The first byte says what the text is; driver.c
 * says how it is run.
 */
#include "compiler/fmt/fmt.h"
#include "compiler/base/base.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* False: it has no layout. */
static bool
lay_out(const char *text, size_t n, enum fmt_kind kind, vt_buf *out)
{
	vc *c = vc_new();
	vc_source *src = vc_source_take(c, "document.yaml", vc_strndup(c, text, n), n);
	bool good = src && fmt_source(c, src, kind, out);

	if (!good && (vc_errors(c) == 0 || vc_first_error(c).code == VC_E0213))
		abort();
	vc_free(c);
	return good;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	vt_buf once = {0}, twice = {0};
	enum fmt_kind kind = n ? (enum fmt_kind)(data[0] % 4) : FMT_YAML;
	char *text = malloc(n + 1);

	/* Tabs of a seed, which is one line, stand for ends of lines. */
	for (size_t i = 1; i < n; i++)
		text[i - 1] = (char)(data[i] == '\t' ? '\n' : data[i]);
	if (n && lay_out(text, n - 1, kind, &once)) {
		if (!lay_out(once.p ? once.p : "", once.n, kind, &twice) || once.n != twice.n ||
			(once.n && memcmp(once.p, twice.p, once.n) != 0))
			abort();
	}
	vt_buf_free(&once);
	vt_buf_free(&twice);
	free(text);
	return 0;
}
