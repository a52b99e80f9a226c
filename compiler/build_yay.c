/*
 * build_yay.c - `vetro build` of Yay configurations: documents as constant tables.
 *
 * A binary cannot read Yay.  It holds the layers, what these include by a constant name, and, for
 * the names that are computed, every .yay file beside one of them and those of -I.
 */
#include "cmd.h"
#include "yay_run.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_DOCUMENTS = 2000 };

typedef struct bundle {
	vc *c;
	yay_world w;
	const vt_ydoc **doc;
	uint32_t ndocs;
	const char **dir;
	uint32_t ndirs;
} bundle;

static bool
has(const bundle *b, const char *name)
{
	for (uint32_t i = 0; i < b->ndocs; i++)
		if (strcmp(b->doc[i]->name, name) == 0)
			return true;
	return false;
}

/* A file that somebody may include; that it cannot be read matters only where it is needed. */
static bool
add(bundle *b, const char *name, bool needed)
{
	bool secret = false;
	yay_fault f;
	const vt_ydoc *d;

	if (b->ndocs >= MOST_DOCUMENTS || has(b, name))
		return true;
	if ((d = yay_world_open(&b->w, name, &secret, &f)) && !secret) {
		vc_push(b->c, b->doc, b->ndocs) = d;
		return true;
	}
	if (needed && secret)
		vc_report(b->c, VC_E3009, vc_file_span(b->c, name),
			"a decrypted file is not put into a binary");
	else if (needed && f.type)
		vc_report(b->c, f.code, vc_file_span(b->c, name), "%s (line %u, column %u)",
			f.message, f.line, f.col);
	else if (needed)
		vc_report(b->c, VC_E3009, vc_file_span(b->c, name), "the file is not there");
	return !needed;
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* In the order of their names, so that the binary is always the same. */
static void
add_folder(bundle *b, const char *dir)
{
	const char **names = NULL;
	uint32_t n = 0;
	DIR *d;

	for (uint32_t i = 0; i < b->ndirs; i++)
		if (strcmp(b->dir[i], dir) == 0)
			return;
	vc_push(b->c, b->dir, b->ndirs) = dir;
	if (!(d = opendir(*dir ? dir : ".")))
		return;
	for (struct dirent *e; (e = readdir(d)) && n < MOST_DOCUMENTS;) {
		const char *dot = strrchr(e->d_name, '.');
		if (dot && strcmp(dot, ".yay") == 0)
			vc_push(b->c, names, n) = *dir ? vc_format(b->c, "%s/%s", dir, e->d_name)
						       : vc_strdup(b->c, e->d_name);
	}
	closedir(d);
	if (n)
		qsort(names, n, sizeof *names, by_text);
	for (uint32_t i = 0; i < n; i++)
		add(b, names[i], false);
}

static const char *
folder_of(bundle *b, const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? vc_strndup(b->c, name, (size_t)(slash - name)) : "";
}

/* Constant names are taken beside the document, or as they are. */
static void
add_includes(bundle *b, const vt_ydoc *d)
{
	const char *dir = folder_of(b, d->name);

	for (uint32_t r = 1; r < d->nrows; r++) {
		uint32_t a = d->row[r].a, k;
		if (d->row[r].kind != YAY_INCLUDE || !a ||
			(d->row[a].kind != YAY_STR && d->row[a].kind != YAY_TEXT))
			continue;
		k = d->row[a].a;
		const char *name =
			vc_strndup(b->c, d->chars + d->str[k], d->str[k + 1] - d->str[k]);
		if (*dir && *name != '/')
			add(b, vc_format(b->c, "%s/%s", dir, name), false);
		add(b, name, false);
	}
	add_folder(b, dir);
}

/* ---- C ---- */

static void
put_string(vc_buf *t, const char *s, size_t n)
{
	vc_puts(t, "\"");
	for (size_t i = 0; i < n; i++) {
		unsigned char ch = (unsigned char)s[i];
		if (ch < 0x20 || ch >= 0x7f || ch == '"' || ch == '\\' || ch == '?')
			vc_printf(t, "\\%03o", ch);
		else
			vc_put(t, &s[i], 1);
		if (i % 100 == 99)
			vc_puts(t, "\"\n\t\"");
	}
	vc_puts(t, "\"");
}

static void
put_document(vc_buf *t, const vt_ydoc *d, uint32_t at)
{
	vc_printf(t, "static const vt_yrow r%u[] = {\n", at);
	for (uint32_t i = 0; i < d->nrows; i++) {
		const vt_yrow *r = &d->row[i];
		vc_printf(t, "{%u,%u,%u,0,%u,%u,%u,%u,%u,%u,%u},\n", r->kind, r->flag, r->op,
			r->line, r->col, r->a, r->b, r->c, r->d, r->next);
	}
	vc_printf(t, "};\nstatic const uint32_t s%u[] = {", at);
	for (uint32_t i = 0; i <= d->nstrs; i++)
		vc_printf(t, i % 16 ? "%u," : "\n%u,", d->str[i]);
	vc_printf(t, "};\nstatic const char c%u[] = ", at);
	put_string(t, d->chars, d->str[d->nstrs]);
	vc_printf(t, ";\nstatic const vt_ydoc d%u = {", at);
	put_string(t, d->name, strlen(d->name));
	vc_printf(t, ", 0, r%u, %u, %u, s%u, c%u, %u};\n", at, d->nrows, d->root, at, at, d->nstrs);
}

static vc_cfile *
emit(bundle *b, uint32_t nlayers, const char *lua)
{
	vc_cfile *f = vc_alloc(b->c, sizeof *f);
	vc_buf *t = &f->text;

	f->name = "main.c";
	vc_puts(t, "#define VT_YAY\n#include \"vt.h\"\n\n");
	for (uint32_t i = 0; i < b->ndocs; i++)
		put_document(t, b->doc[i], i);
	vc_puts(t, "static const vt_ydoc *const docs[] = {");
	for (uint32_t i = 0; i < b->ndocs; i++)
		vc_printf(t, "&d%u,", i);
	vc_puts(t, "};\nstatic const char *const search[] = {");
	for (uint32_t i = 0; i < b->ndirs; i++) {
		put_string(t, b->dir[i], strlen(b->dir[i]));
		vc_puts(t, ",");
	}
	vc_printf(t, "0};\nstatic const vt_yprogram program = {docs, %u, %u, search, ", b->ndocs,
		nlayers);
	if (lua)
		put_string(t, lua, strlen(lua));
	else
		vc_puts(t, "0");
	vc_puts(t, "};\nint\nmain(int argc, char **argv)\n{\n\treturn vt_yay_main(argc, argv, "
		   "&program);\n}\n");
	return f;
}

static const char *
program_name(vc *c, const char *path)
{
	const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path,
		   *dot = strrchr(from, '.');

	return dot && dot > from ? vc_strndup(c, from, (size_t)(dot - from)) : "config";
}

vc_cfile *
cmd_yay_translate(vc *c, const char *const *files, uint32_t nfiles, const char *const *paths,
	uint32_t npaths, const char *lua, const char **name, uint32_t *n)
{
	bundle b = {.c = c, .w = {.c = c, .files = VT_NULL, .secret = VT_NULL}};
	struct stat st;
	bool good = true;

	*name = program_name(c, files[0]);
	for (uint32_t i = 0; i < nfiles; i++)
		good &= add(&b, files[i], true);
	if (!good)
		return NULL;
	for (uint32_t i = 0; i < npaths; i++)
		if (stat(paths[i], &st) == 0 && S_ISDIR(st.st_mode))
			add_folder(&b, paths[i]);
		else
			add(&b, paths[i], true);
	for (uint32_t i = 0; i < b.ndocs; i++)
		add_includes(&b, b.doc[i]);
	*n = 1;
	return vc_errors(c) ? NULL : emit(&b, nfiles, lua);
}
