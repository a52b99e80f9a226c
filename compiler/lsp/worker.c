/*
 * worker.c - the process that looks at a project: it checks, publishes, and answers requests.
 */
#include "compiler/lsp/int.h"
#include "compiler/murano/package.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the pipes ---- */

static void
write_all(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n > 0) {
		ssize_t k = write(fd, p, n);
		if (k < 0 && errno != EINTR)
			_exit(VC_OK); /* nobody listens any more */
		if (k > 0)
			p += k, n -= (size_t)k;
	}
}

static void
read_all(int fd, void *bytes, size_t n)
{
	char *p = bytes;

	while (n > 0) {
		ssize_t k = read(fd, p, n);
		if (k == 0 || (k < 0 && errno != EINTR))
			_exit(VC_OK);
		if (k > 0)
			p += k, n -= (size_t)k;
	}
}

void
lsp_tell(const lsp_worker *w, enum lsp_word word, const char *text, size_t n)
{
	char kind = (char)word;
	uint64_t size = n;

	write_all(w->to, &kind, 1);
	write_all(w->to, &size, sizeof size);
	write_all(w->to, text, n);
}

/* ---- the check ---- */

/* patched: a text that stands for that of the document, or NULL. */
static void
hold_documents(const lsp_server *s, const lsp_document *d, const char *patched)
{
	vc_held *held = vt_xmalloc((s->ndocs + 1) * sizeof *held);
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->ndocs; i++)
		if (s->doc[i]->path)
			held[n++] = (vc_held){s->doc[i]->path,
				s->doc[i] == d ? patched : s->doc[i]->text, s->doc[i]->n};
	vc_hold(held, n);
}

/* A package that requires none but what vetro brings needs no search, which takes its time. */
static bool
needs_search(const char *package)
{
	vc *look = vc_new();
	uint32_t n = 0;
	bool needs = false;
	vc_source *src = vc_source_read(look, vc_format(look, "%s/manifest.yaml", package));
	ynode **docs = src ? vc_yaml_parse(look, src, &(vc_yaml_opts){0}, &n) : NULL;
	const ynode *all = n && docs[0]->kind == YN_MAP ? yn_get(docs[0], "Require") : NULL;

	for (uint32_t i = 0; all && i < all->n && !needs; i++) {
		const ynode *name = all->kind == YN_MAP ? all->key[i] : all->item[i];
		needs = name->kind != YN_SCALAR || strncmp(name->text, "io.murano", 9) != 0;
	}
	vc_free(look);
	return needs;
}

static void
check(lsp_worker *w)
{
	const lsp_server *s = w->s;
	const char **search = vc_alloc(w->c, (s->nsearch + s->nfolders + 1) * sizeof *search);
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nsearch; i++)
		search[n++] = s->search[i];
	if (w->p->kind != LSP_PACKAGE)
		w->p->kind = s->host->kind(s->host->ctx, w->c, w->p->path);
	else if (needs_search(w->p->path))
		for (uint32_t i = 0; i < s->nfolders; i++)
			search[n++] = s->folder[i];
	if (w->p->kind != LSP_OTHER)
		s->host->check(s->host->ctx, w->c, w->p->path, search, n);
}

void
lsp_look_without(lsp_worker *w, const lsp_document *d, size_t from, size_t to)
{
	vc *c = vc_new();
	char *text = vc_strndup(c, d->text, d->n);

	memset(text + from, ' ', to - from);
	hold_documents(w->s, d, text);
	w->c = c;
	check(w);
}

/* ---- requests ---- */

static void
answer(lsp_worker *w, const char *body, size_t n)
{
	vt_buf out = {0};
	vt_value message = VT_UNDEF, params;
	char *why = NULL;
	const lsp_method *m;
	const lsp_document *d;

	if (!vt_json_read(w->s->rt, body, n, VT_JSON_MUTABLE, LSP_MAX_DEPTH, &message, &why))
		_exit(VC_EFAULT); /* the server has read it before */
	params = lsp_get(message, "params");
	m = lsp_method_named(lsp_text(message, "method"));
	d = lsp_document_of(w->s, lsp_text(lsp_get(params, "textDocument"), "uri"));
	if (m)
		m->answer(w, d, params, &out);
	if (!out.n)
		vt_buf_puts(&out, "null");
	lsp_tell(w, LSP_W_ANSWER, out.p, out.n);
	vt_buf_free(&out);
	vt_release(message);
}

/* Whatever a front end prints goes nowhere: standard output is the client's. */
static void
detach(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		_exit(VC_EFAULT);
}

_Noreturn void
lsp_work(lsp_server *s, lsp_project *p, int in, int out)
{
	lsp_worker w = {.s = s, .p = p, .c = vc_new(), .to = out, .from = in};
	uint64_t n;

	detach();
	close(s->fd);
	hold_documents(s, NULL, NULL);
	check(&w);
	lsp_publish(&w);
	lsp_tell(&w, LSP_W_CHECKED, "", 0);
	for (;;) {
		read_all(in, &n, sizeof n);
		char *body = vt_xmalloc(n + 1);
		read_all(in, body, n);
		body[n] = 0;
		answer(&w, body, n);
		free(body);
	}
}
