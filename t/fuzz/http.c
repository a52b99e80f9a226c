/*
 * Fuzz target: requests of `deploy serve`.  A '|' of the input stands for CRLF, since seeds are
 * lines.  The answer may not depend on how the bytes arrive: what is refused when half of it is
 * there is refused when all is, and a request that is complete stays what it is with more behind
 * it. driver.c says how it is run.
 */
#include "runtime/program/serve.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
must(bool good)
{
	if (!good)
		abort();
}

static bool
is_text(const char *s)
{
	return s != NULL && vt_utf8_check(s, strlen(s)) == strlen(s);
}

static void
look_at(const vt_http *r, size_t n)
{
	static const char *const names[] = {"classVersion", "packageName", "a", ""};
	must(r->head + r->body <= n && r->head <= VT_HTTP_HEAD_MAX && r->body <= VT_HTTP_BODY_MAX);
	must(is_text(r->method) && r->method[0] != '\0' && r->nsegments > 0);
	for (uint32_t i = 0; i < r->nsegments; i++)
		must(is_text(r->segment[i]));
	for (size_t i = 0; i < VT_LEN(names); i++) {
		char *v = NULL;
		must(vt_http_param(r, names[i], &v) ? v == NULL || is_text(v) : v == NULL);
		free(v);
	}
}

/* The block ends where the bytes end, so that reading behind them is seen. */
static int
parse(const char *p, size_t n, vt_http *r)
{
	char *copy = memcpy(vt_xmalloc(n), p, n);
	int status = vt_http_parse(copy, n, r);
	free(copy);
	if (status == 200)
		look_at(r, n);
	return status;
}

static void
compare(const char *p, size_t n)
{
	vt_http r, part;
	int status = parse(p, n, &r), early;
	for (size_t cut = 0; cut < n; cut += 1 + n / 16) {
		early = parse(p, cut, &part);
		must(early == 0 || early == status || (early == 431 && status == 431));
		if (early == 200) {
			must(part.head == r.head && part.body == r.body &&
				strcmp(part.method, r.method) == 0);
			vt_http_free(&part);
		}
	}
	if (status == 200)
		vt_http_free(&r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	vt_buf b = {0};
	for (size_t i = 0; i < n; i++)
		if (data[i] == '|')
			vt_buf_puts(&b, "\r\n");
		else
			vt_buf_putc(&b, (char)data[i]);
	compare(b.p ? b.p : "", b.n);
	vt_buf_free(&b);
	return 0;
}
