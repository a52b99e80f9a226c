/*
 * worker.c - the process that looks at a project: it checks, publishes, and answers requests.
 */
#define _DEFAULT_SOURCE /* d_type */
#include "compiler/lsp/know.h"
#include "compiler/murano/package.h"
#include "runtime/text/text.h"

#include <dirent.h>
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

/* `also` come first, and so stand for documents of the same files. */
void
lsp_hold(const lsp_server *s, const vc_held *also, uint32_t nalso)
{
	static vc_held *before; /* which the process reads through until now */
	vc_held *held = vt_xmalloc((s->ndocs + nalso + 1) * sizeof *held);
	uint32_t n = 0;

	for (; n < nalso; n++)
		held[n] = also[n];
	for (uint32_t i = 0; i < s->ndocs; i++)
		if (s->doc[i]->path)
			held[n++] = (vc_held){s->doc[i]->path, s->doc[i]->text, s->doc[i]->n};
	vc_hold(held, n);
	free(before);
	before = held;
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

/* The project, and other packages beside it. */
static void
check(lsp_worker *w, const char *const *others, uint32_t nothers)
{
	const lsp_server *s = w->s;
	const char **paths = vc_alloc(w->c, (nothers + 1) * sizeof *paths);
	const char **search = vc_alloc(w->c, (s->nsearch + s->nfolders + 1) * sizeof *search);
	uint32_t n = 0;

	paths[0] = w->p->path;
	for (uint32_t i = 0; i < nothers; i++)
		paths[i + 1] = others[i];
	for (uint32_t i = 0; i < s->nsearch; i++)
		search[n++] = s->search[i];
	if (w->p->kind != LSP_PACKAGE)
		w->p->kind = s->host->kind(s->host->ctx, w->c, w->p->path);
	else if (nothers || needs_search(w->p->path))
		for (uint32_t i = 0; i < s->nfolders; i++)
			search[n++] = s->folder[i];
	if (w->p->kind != LSP_OTHER)
		s->host->check(s->host->ctx, w->c, paths, nothers + 1, search, n);
}

const char **
lsp_search(const lsp_worker *w, vc *c, uint32_t *n)
{
	const lsp_server *s = w->s;
	const char **all = NULL;

	*n = 0;
	for (uint32_t i = 0; i < s->host->npaths; i++)
		vc_push(c, all, *n) = s->host->paths[i];
	for (uint32_t i = 0; i < s->nsearch; i++)
		vc_push(c, all, *n) = s->search[i];
	for (uint32_t i = 0; i < s->nfolders; i++)
		vc_push(c, all, *n) = s->folder[i];
	return all;
}

void
lsp_forget(lsp_worker *w, vc *c)
{
	vc_free(c);
	w->listed = NULL;
	w->view = NULL;
}

void
lsp_look_without(lsp_worker *w, const lsp_document *d, size_t from, size_t to)
{
	vc *c = vc_new();
	char *text = vc_strndup(c, d->text, d->n);

	memset(text + from, ' ', to - from);
	lsp_hold(w->s, &(vc_held){d->path, text, d->n}, d->path != NULL);
	w->c = c;
	check(w, NULL, 0);
}

void
lsp_look_known(lsp_worker *w, const lsp_document *d)
{
	lsp_hold(w->s, &(vc_held){d->path, d->known, d->nknown}, 1);
	w->c = vc_new();
	w->known = d;
	check(w, NULL, 0);
}

/* ---- the packages of the workspace ---- */

enum { MOST_FOLDERS = 20000, MOST_DEEP = 8 };

typedef struct finder {
	vc *c;
	const char **found;
	uint32_t n, looked;
	const char *own; /* is no other */
} finder;

/* Packages that require others, in the folder and below; what is hidden is passed over. */
static void
find_packages(finder *f, const char *folder, uint32_t depth)
{
	DIR *d = depth < MOST_DEEP && f->looked++ < MOST_FOLDERS ? opendir(folder) : NULL;
	struct dirent *e;

	if (!d)
		return;
	if (faccessat(dirfd(d), "manifest.yaml", R_OK, 0) == 0) {
		const char *real = vc_real_path(f->c, folder);
		if (real && strcmp(real, f->own) != 0 && needs_search(real))
			vc_push(f->c, f->found, f->n) = real;
	} else {
		while ((e = readdir(d)) != NULL)
			if (e->d_name[0] != '.' && (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN))
				find_packages(
					f, vc_format(f->c, "%s/%s", folder, e->d_name), depth + 1);
	}
	closedir(d);
}

void
lsp_look_wide(lsp_worker *w, const vc_held *also, uint32_t n)
{
	vc *c = vc_new();
	const char *own = vc_real_path(c, w->p->path);
	finder f = {.c = c, .own = own ? own : w->p->path};

	for (uint32_t i = 0; i < w->s->nfolders; i++)
		find_packages(&f, w->s->folder[i], 0);
	lsp_hold(w->s, also, n);
	w->c = c;
	w->known = NULL;
	check(w, f.found, f.n);
}

void
lsp_look_files(
	lsp_worker *w, const char *const *others, uint32_t n, const vc_held *also, uint32_t nalso)
{
	lsp_hold(w->s, also, nalso);
	w->c = vc_new();
	w->known = NULL;
	w->view = NULL;
	check(w, others, n);
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
	w->refused = NULL;
	w->exact = w->renames = false;
	lsp_names_end(w);
	if (m)
		m->answer(w, d, params, &out);
	if (!out.n)
		vt_buf_puts(&out, "null");
	if (w->refused)
		lsp_tell(w, LSP_W_ERROR, w->refused, strlen(w->refused) + 1);
	else
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
	lsp_hold(s, NULL, 0);
	check(&w, NULL, 0);
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
