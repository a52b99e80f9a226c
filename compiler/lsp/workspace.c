/*
 * workspace.c - a name of TOSCA, HOT or Yay in all files of the workspace: for references and
 * renaming.
 *
 * A file counts when it has the name and may be of the language.  What the editor holds takes the
 * place of what is on the disk.
 */
#define _DEFAULT_SOURCE /* d_type */
#include "compiler/lsp/know.h"
#include "compiler/lsp/scope.h"
#include "runtime/text/outfile.h"

#include <dirent.h>
#include <string.h>

enum { MOST_LOOKED = 20000, MOST_DEEP = 16, MOST_BYTES = 4 << 20, MOST_FILES = 2000 };

typedef struct search {
	lsp_worker *w;
	const lsp_language *l;
	lsp_known of;
	const char *here; /* the file that comes first, which was searched */
	uint32_t looked, files;
	lsp_known_use *use;
	void (*visit)(void *, const lsp_document *); /* or NULL: the name is looked for */
	void *ctx;
} search;

static void
search_document(search *s, const lsp_document *d)
{
	lsp_each_known(s->w, d, s->l, &s->of, s->use, s->ctx);
}

/* Other YAML than that of the language is passed over without a look at its tree. */
static bool
may_be(const search *s, const char *text)
{
	if (s->l == &lsp_yay_language)
		return true;
	return s->l == &lsp_heat_language ? strstr(text, "heat_template_version") != NULL
					  : strstr(text, "tosca_definitions_version") != NULL;
}

static void
search_file(search *s, const char *path)
{
	const lsp_document *open = lsp_document_at(s->w->s, path);
	lsp_document *d = vc_alloc(s->w->c, sizeof *d);
	vt_buf b = {0};

	if (s->files == MOST_FILES || (s->here && strcmp(path, s->here) == 0))
		return;
	if (open) {
		*d = *open;
	} else {
		if (!vt_read_file(path, MOST_BYTES, &b))
			return;
		*d = (lsp_document){.path = vc_format(s->w->c, "%s", path), .n = b.n};
		d->uri = d->path;
		d->text = vc_take(s->w->c, &b);
	}
	if (!s->visit && (!strstr(d->text, s->of.item.name) || !may_be(s, d->text)))
		return;
	s->files++;
	if (s->visit)
		s->visit(s->ctx, d);
	else
		search_document(s, open ? open : d);
}

static bool
has_end(const search *s, const char *name)
{
	return s->l == &lsp_yay_language
		       ? vt_ends_with(name, ".yay")
		       : vt_ends_with(name, ".yaml") || vt_ends_with(name, ".yml");
}

/* What is hidden is passed over, and links are not followed. */
static void
search_folder(search *s, const char *folder, uint32_t depth)
{
	DIR *dir = depth < MOST_DEEP && s->looked < MOST_LOOKED ? opendir(folder) : NULL;
	struct dirent *e;

	while (dir && (e = readdir(dir)) != NULL && s->looked++ < MOST_LOOKED) {
		const char *path = vc_format(s->w->c, "%s/%s", folder, e->d_name);
		if (e->d_name[0] == '.')
			continue;
		if (e->d_type == DT_DIR)
			search_folder(s, path, depth + 1);
		else if (e->d_type == DT_REG && has_end(s, e->d_name))
			search_file(s, path);
	}
	if (dir)
		closedir(dir);
}

void
lsp_each_file(lsp_worker *w, const lsp_language *l, void (*visit)(void *, const lsp_document *),
	void *ctx)
{
	search s = {.w = w, .l = l, .visit = visit, .ctx = ctx};

	for (uint32_t i = 0; i < w->s->nfolders; i++) {
		const char *folder = vc_real_path(w->c, w->s->folder[i]);
		if (folder)
			search_folder(&s, folder, 0);
	}
}

/* A type that is imported with a prefix has it before its name; its declaration has not. */
static void
as_declared(vc *c, lsp_known *k)
{
	const vc_source *src = k->item.at.src;
	size_t n = k->item.at.to - k->item.at.from, m = strlen(k->item.name);

	if (src && src->text && n && n < m && k->item.name[m - n - 1] == ':' &&
		strncmp(src->text + k->item.at.from, k->item.name + m - n, n) == 0)
		k->item.name = vc_strndup(c, k->item.name + m - n, n);
}

void
lsp_each_known_use(lsp_worker *w, const lsp_document *d, const lsp_language *l, const lsp_known *of,
	lsp_known_use *use, void *ctx)
{
	search s = {.w = w, .l = l, .of = *of, .use = use, .ctx = ctx};
	const char *path = of->item.at.src ? vc_real_path(w->c, of->item.at.src->name) : NULL;
	bool seen = w->s->nfolders > 0;

	as_declared(w->c, &s.of);
	s.here = d->path;
	search_document(&s, d);
	for (uint32_t i = 0; i < w->s->nfolders; i++) {
		const char *folder = vc_real_path(w->c, w->s->folder[i]);
		size_t n = folder ? strlen(folder) : 0;
		if (folder)
			search_folder(&s, folder, 0);
		seen &= path && n && strncmp(path, folder, n) == 0 && path[n] == '/';
	}
	/* a declaration outside of the workspace, or where there is none */
	if (path && !seen)
		search_file(&s, path);
}

void
lsp_known_place(const lsp_known *k, size_t n, size_t *from, size_t *to)
{
	*to = k->to;
	*from = k->to - k->from > n ? k->to - n : k->from;
}
