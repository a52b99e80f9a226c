/*
 * Fuzz target: places in documents.  An input is a document in JSON, a tab, and a path, such as
 * $.a.where($.b > 1)[0].  What assign(), update() and unset() make of the document is what setPath()
 * and deletePath() make of it at each of pathsOf(); or both are errors.  driver.c says how it is run.
 */
#include "compiler/query/int.h"
#include "compiler/query/run.h"
#include "runtime/core/base.h"
#include "runtime/core/heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* The result of the expression, in which @ is the path, as JSON; NULL: an error. malloc'd. */
static char *
result(const char *form, const char *path, const char *document, size_t n)
{
	vt_buf b = {NULL, 0, 0};
	qr_error e = {.type = NULL};
	char *text = NULL;
	size_t used, len;
	query_code *code;
	qr_request r;
	qr *q = qr_open();

	for (; *form != '\0'; form++)
		if (*form == '@')
			vt_buf_puts(&b, path);
		else
			vt_buf_putc(&b, *form);
	vt_buf_putc(&b, '\0');
	r = (qr_request){.expr = b.p,
		.n = b.n - 1,
		.opt = qr_default_options,
		.layers = qr_layers(false, false) | VT_L_QUERY};
	r.opt.limit_iterators = 1000;
	code = query_code_new(&r, &e);
	if (code != NULL && qr_document(q, document, n, true, &used, &e))
		text = query_code_run(code, q, 0, &len, &e);
	qr_error_free(&e);
	if (code != NULL)
		query_code_rest(code);
	qr_close(q);
	if (code != NULL)
		query_code_free(code);
	vt_buf_free(&b);
	return text;
}

static void
compare(const char *one, const char *other, const char *path, const char *document, size_t n)
{
	char *a = result(one, path, document, n), *b = result(other, path, document, n);

	if ((a == NULL) != (b == NULL) || (a != NULL && strcmp(a, b) != 0)) {
		fprintf(stderr, "%s: %s\n%s: %s\n", one, a ? a : "an error", other,
			b ? b : "an error");
		abort();
	}
	free(a);
	free(b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const uint8_t *tab = n > 0 ? memchr(data, '\t', n) : NULL;
	const char *document = (const char *)data;
	size_t len = tab != NULL ? (size_t)(tab - data) : 0;
	char *path = tab != NULL ? vt_xmalloc(n - len) : NULL, *paths;

	if (tab == NULL)
		return 0;
	memcpy(path, tab + 1, n - len - 1);
	path[n - len - 1] = '\0';
	/* What makes a place differently each time is no place to be compared. */
	paths = strlen(path) == n - len - 1 && !strstr(path, "now") && !strstr(path, "random") &&
				strlen(path) < 300
			? result("$.pathsOf(@)", path, document, len)
			: NULL;
	if (paths != NULL) {
		compare("$.assign(@, 7)",
			"let(d => $) -> $d.pathsOf(@).aggregate($1.setPath($2, 7), $d)", path,
			document, len);
		compare("$.update(@, [$])",
			"let(d => $) -> $d.pathsOf(@).aggregate($1.setPath($2, [$1.getPath($2)]), "
			"$d)",
			path, document, len);
		compare("$.unset(@)",
			"let(d => $) -> "
			"$d.pathsOf(@).reverse().aggregate($1.deletePath($2), $d)",
			path, document, len);
	}
	free(paths);
	free(path);
	return 0;
}
