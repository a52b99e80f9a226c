/*
 * document.c - the texts that the editor holds, and its edits to them.
 */
#include "compiler/lsp/int.h"

#include <stdlib.h>
#include <string.h>

lsp_document *
lsp_document_of(const lsp_server *s, const char *uri)
{
	for (uint32_t i = 0; uri && i < s->ndocs; i++)
		if (strcmp(s->doc[i]->uri, uri) == 0)
			return s->doc[i];
	return NULL;
}

lsp_document *
lsp_document_at(const lsp_server *s, const char *path)
{
	for (uint32_t i = 0; i < s->ndocs; i++)
		if (s->doc[i]->path && strcmp(s->doc[i]->path, path) == 0)
			return s->doc[i];
	return NULL;
}

static void
set_text(lsp_document *d, const char *text, size_t n)
{
	char *copy = vt_xstrndup(text, n);

	free(d->text);
	d->text = copy;
	d->n = n;
}

/* Links are followed where the file is there, so that one file has one name. */
static char *
real_path(const char *uri)
{
	char *path = lsp_path_of_uri(uri), *real = path ? realpath(path, NULL) : NULL;

	if (!real)
		return path;
	free(path);
	return real;
}

static void
free_document(lsp_document *d)
{
	free(d->uri);
	free(d->path);
	free(d->text);
	free(d->known);
	free(d->tokens);
	free(d);
}

void
lsp_document_read(lsp_server *s, const char *said)
{
	const char *uri = strchr(said, ' ');
	lsp_document *d = uri ? lsp_document_of(s, uri + 1) : NULL;

	if (!d || d->version != strtoll(said, NULL, 10))
		return; /* it has changed meanwhile */
	free(d->known);
	d->known = vt_xstrndup(d->text, d->n);
	d->nknown = d->n;
}

void
lsp_document_tokens(lsp_server *s, const char *said)
{
	const char *end = strchr(said, '\n');
	char *uri = end ? vt_xstrndup(said, (size_t)(end - said)) : NULL;
	lsp_document *d = lsp_document_of(s, uri);

	free(uri);
	if (!d)
		return;
	free(d->tokens);
	d->tokens = vt_xstrdup(end + 1);
	d->ntokens = strlen(d->tokens);
}

bool
lsp_open(lsp_server *s, vt_value params)
{
	vt_value item = lsp_get(params, "textDocument"), text = lsp_get(item, "text");
	const char *uri = lsp_text(item, "uri");
	lsp_document *d = lsp_document_of(s, uri);

	if (!uri || !vt_is(text, STR))
		return false;
	if (!d) {
		d = vt_xzalloc(sizeof *d);
		d->uri = vt_xstrdup(uri);
		d->path = real_path(uri);
		vt_push(s->doc, s->ndocs) = d;
	}
	set_text(d, vt_as_str(text)->s, vt_as_str(text)->bytes);
	d->version = lsp_int(item, "version", 0);
	if (!d->project)
		lsp_project_join(s, d);
	lsp_projects_touch(s);
	return true;
}

/* A range whose end lies before its beginning is empty. */
static bool
edit(const lsp_server *s, lsp_document *d, vt_value change)
{
	vt_value range = lsp_get(change, "range"), text = lsp_get(change, "text");
	lsp_position from, to;
	vt_buf b = {0};

	if (!vt_is(text, STR))
		return false;
	if (range == VT_UNDEF || range == VT_NULL) {
		set_text(d, vt_as_str(text)->s, vt_as_str(text)->bytes);
		return true;
	}
	if (!lsp_read_position(lsp_get(range, "start"), &from) ||
		!lsp_read_position(lsp_get(range, "end"), &to))
		return false;
	size_t a = lsp_offset(d->text, d->n, s->encoding, from),
	       z = lsp_offset(d->text, d->n, s->encoding, to);
	vt_buf_put(&b, d->text, a);
	vt_buf_put(&b, vt_as_str(text)->s, vt_as_str(text)->bytes);
	vt_buf_put(&b, d->text + (z < a ? a : z), d->n - (z < a ? a : z));
	free(d->text);
	d->text = b.p;
	d->n = b.n;
	return true;
}

bool
lsp_change(lsp_server *s, vt_value params)
{
	vt_value item = lsp_get(params, "textDocument"), all = lsp_get(params, "contentChanges");
	lsp_document *d = lsp_document_of(s, lsp_text(item, "uri"));
	bool good = d && vt_is(all, LIST);

	for (uint32_t i = 0; good && i < vt_as_list(all)->n; i++)
		good = edit(s, d, vt_as_list(all)->v[i]);
	if (!d)
		return false;
	d->version = lsp_int(item, "version", d->version);
	if (d->project) /* it is looked at before the others */
		d->project->used = ++s->clock;
	lsp_projects_touch(s);
	return good;
}

bool
lsp_close(lsp_server *s, vt_value params)
{
	lsp_document *d = lsp_document_of(s, lsp_text(lsp_get(params, "textDocument"), "uri"));

	if (!d)
		return false;
	for (uint32_t i = 0; i < s->ndocs; i++)
		if (s->doc[i] == d) {
			s->doc[i] = s->doc[--s->ndocs];
			break;
		}
	lsp_project_leave(s, d);
	free_document(d);
	lsp_projects_touch(s);
	return true;
}

void
lsp_documents_free(lsp_server *s)
{
	for (uint32_t i = 0; i < s->ndocs; i++)
		free_document(s->doc[i]);
	free(s->doc);
}
