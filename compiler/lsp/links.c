/*
 * links.c - texts of a document that name a file which is there: imports, artifacts, scripts,
 * nested templates, includes, the files of a package.
 *
 * In YAML those are whole scalars, which may have blanks in them; in Yay, and where the YAML is
 * broken, words.  A name without a dot and a slash is none, whatever files there are.
 */
#define _DEFAULT_SOURCE /* S_ISREG */
#include "compiler/lsp/int.h"
#include "runtime/text/report.h"

#include <string.h>
#include <sys/stat.h>

enum { MOST_LINKS = 2000, MOST_LOOKED = 20000, MOST_NODES = 500000, MOST_NAME = 1024 };

typedef struct linker {
	lsp_worker *w;
	const lsp_document *d;
	vc *c;
	const char *folder; /* of the document */
	const char *above;  /* the package around it, or NULL */
	vt_buf *out;
	uint32_t n, looked, nodes;
	size_t at; /* what lies before it was looked at: an alias comes back to its anchor */
} linker;

/* The real path of a file, not of a folder or device; NULL: it is none. */
static const char *
file_below(const linker *l, const char *folder, const char *name)
{
	const char *full = *name == '/' ? name : vc_format(l->c, "%s/%s", folder, name);
	struct stat st;

	return stat(full, &st) == 0 && S_ISREG(st.st_mode) ? vc_real_path(l->c, full) : NULL;
}

/* Files of a package stand in the folder of their kind. */
static const char *
file_named(const linker *l, const char *name)
{
	static const char *const folders[] = {"", "/Classes", "/Resources", "/UI"};
	const char *path = file_below(l, l->folder, name);

	for (size_t i = 0; l->above && !path && *name != '/' && i < VC_LEN(folders); i++)
		path = file_below(l, vc_format(l->c, "%s%s", l->above, folders[i]), name);
	return path;
}

static void
look_at(linker *l, const char *name, size_t n, size_t from, size_t to)
{
	const char *path;

	if (n < 3 || n > MOST_NAME || l->n >= MOST_LINKS || l->looked >= MOST_LOOKED ||
		(!memchr(name, '.', n) && !memchr(name, '/', n)) || memchr(name, '\n', n))
		return;
	l->looked++;
	path = file_named(l, vc_strndup(l->c, name, n));
	if (!path)
		return;
	vt_buf_puts(l->out, l->n++ ? ",{\"range\":" : "{\"range\":");
	lsp_put_range(l->out, l->w->s, l->d->text, l->d->n, from, to);
	vt_buf_puts(l->out, ",\"target\":");
	lsp_put_uri(l->out, path);
	vt_buf_puts(l->out, "}");
}

/* Without its quotes. */
static void
look_at_scalar(linker *l, const ynode *y)
{
	size_t from = y->span.from, to = y->span.to;

	if (!y->text || to <= from || to > l->d->n || from < l->at)
		return;
	l->at = to;
	if (to - from > 2 && strchr("\"'", l->d->text[from])) {
		from++;
		to--;
	}
	look_at(l, y->text, y->ntext, from, to);
}

static void
look_at_tree(linker *l, const ynode *y, unsigned depth)
{
	bool holds = y->kind == YN_MAP || y->kind == YN_SEQ;

	if (y->kind == YN_SCALAR)
		look_at_scalar(l, y);
	for (uint32_t i = 0; holds && depth < 64 && l->nodes++ < MOST_NODES && i < y->n; i++) {
		if (y->kind == YN_MAP)
			look_at_tree(l, y->key[i], depth + 1);
		look_at_tree(l, y->item[i], depth + 1);
	}
}

static void
look_at_words(linker *l)
{
	static const char ends[] = " \t\r\n\"'[]{},()#";
	const char *text = l->d->text;

	for (size_t i = 0; i < l->d->n;) {
		size_t n = strcspn(text + i, ends);
		size_t m = n && text[i + n - 1] == ':' ? n - 1 : n;
		if (n)
			look_at(l, text + i, m, i, i + m);
		else if (text[i] == '#' && (i == 0 || strchr(" \t\n", text[i - 1])))
			n = strcspn(text + i, "\n");
		i += n ? n : 1;
	}
}

static const char *
folder_of(vc *c, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? vc_strndup(c, path, (size_t)(slash - path)) : ".";
}

/* textDocument/documentLink */
void
lsp_links(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	vc *c = vc_new();
	linker l = {.w = w, .d = d, .c = c, .out = out};
	uint32_t n = 0;
	ynode **docs = NULL;
	vc_source *src = d ? vc_source_take(c, d->uri, vc_strndup(c, d->text, d->n), d->n) : NULL;

	(void)params;
	vt_buf_puts(out, "[");
	if (d && d->path) {
		l.folder = folder_of(c, d->path);
		l.above = w->p->kind == LSP_PACKAGE ? w->p->path : NULL;
		if (src && !vt_ends_with(d->path, ".yay"))
			docs = vc_yaml_parse(c, src, &(vc_yaml_opts){0}, &n);
		if (!docs || vc_errors(c))
			look_at_words(&l);
		else
			for (uint32_t i = 0; i < n; i++)
				look_at_tree(&l, docs[i], 0);
	}
	vt_buf_puts(out, "]");
	vc_free(c);
}
