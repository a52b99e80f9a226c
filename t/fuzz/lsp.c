/*
 * Fuzz target: what a client says to `vetro lsp`.  A '|' of the input stands for CRLF, since seeds
 * are lines; each line between "||" becomes a message of its own length unless it has a header.
 * No worker is started.  Positions of the text that results go there and back.  driver.c says how
 * it is run.
 */
#define _GNU_SOURCE
#include "compiler/lsp/int.h"
#include "runtime/call/call.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
must(bool good)
{
	if (!good)
		abort();
}

static void
start(lsp_server *s, const lsp_host *host)
{
	static const char hello[] = "{\"id\":0,\"method\":\"initialize\",\"params\":{}}";

	*s = (lsp_server){.host = host, .rt = vt_rt_new(NULL), .fd = -1};
	lsp_put_frame(&s->frames.in, hello, sizeof hello - 1);
	lsp_take(s);
	must(s->initialized);
	s->out.n = 0;
}

static void
finish(lsp_server *s)
{
	lsp_projects_free(s);
	lsp_documents_free(s);
	for (uint32_t i = 0; i < s->nfolders; i++)
		free(s->folder[i]);
	free(s->folder);
	for (uint32_t i = 0; i < s->nsearch; i++)
		free(s->search[i]);
	free(s->search);
	vt_buf_free(&s->frames.in);
	vt_buf_free(&s->out);
	vt_rt_free(s->rt);
}

/* Every place of every document, in each encoding. */
static void
look_at(const lsp_server *s)
{
	for (uint32_t i = 0; i < s->ndocs; i++) {
		const lsp_document *d = s->doc[i];
		must(strlen(d->uri) > 0 || !d->path);
		for (size_t at = 0; at <= d->n && at < 300; at++)
			for (int e = LSP_UTF16; e <= LSP_UTF32; e++) {
				lsp_position p = lsp_position_of(d->text, d->n, e, at);
				size_t back = lsp_offset(d->text, d->n, e, p);
				lsp_position q = lsp_position_of(d->text, d->n, e, back);
				must(back <= d->n && p.line == q.line);
			}
	}
}

static void
say(lsp_server *s, const char *p, size_t n)
{
	for (size_t at = 0; at < n && !s->ended;) {
		const char *end = memmem(p + at, n - at, "||", 2);
		size_t k = end ? (size_t)(end - p) - at : n - at;
		if (p[at] == '{')
			lsp_put_frame(&s->frames.in, p + at, k);
		else
			vt_buf_put(&s->frames.in, p + at, k);
		lsp_take(s);
		at += k + 2;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const lsp_host host = {0};
	lsp_server s;

	if (n > 20000)
		return 0;
	start(&s, &host);
	say(&s, (const char *)data, n);
	look_at(&s);
	finish(&s);
	return 0;
}
