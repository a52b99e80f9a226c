/*
 * Fuzz target: any bytes are tokens, or tokens and an error, in every dialect. Tokens come in
 * order, nothing but white space is between them, and what they decode to is UTF-8 again. The first
 * byte chooses the dialect. driver.c says how it is run.
 */
#include "runtime/core/value.h"
#include "compiler/yaql/int.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool
blank(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strchr(" \t\r\n", s[i]) || s[i] == 0)
			return false;
	return true;
}

static void
judge_token(const yq_ctx *x, uint32_t before)
{
	if (x->loc.from < before || x->loc.to <= x->loc.from || x->loc.to > x->n)
		abort();
	if (!blank(x->text + before, x->loc.from - before))
		abort();
	if (x->tok.at != x->loc.from || x->tok.n > x->loc.to - x->loc.from)
		abort();
	if (vt_utf8_check(x->tok.text, x->tok.n) != x->tok.n)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	yq_error err;
	yq_ctx x;
	vc *c;
	int kind;
	uint32_t before = 0;

	if (n == 0)
		return 0;
	c = vc_new();
	yq_ctx_init(&x, c, (const char *)data + 1, n - 1, data[0] & 7, &err);
	while ((kind = yq_lex(&x)) > 0) {
		judge_token(&x, before);
		before = x.loc.to;
	}
	if (kind < 0 && (err.at > n - 1 || !err.message || !*err.message))
		abort();
	if (kind == 0 && !blank(x.text + before, x.n - before))
		abort();
	vc_free(c);
	return 0;
}
