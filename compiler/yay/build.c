/*
 * build.c - `vetro build` of Yay configurations: documents as constant tables.
 *
 * A binary cannot read Yay.  It holds the layers, what these include by a constant name, and, for
 * the names that are computed, every .yay file beside one of them and those of -I.
 */
#include "compiler/yay/build.h"
#include "runtime/core/printable.h"
#include "compiler/yay/emit.h"
#include "compiler/yay/run.h"

#include "runtime/net/http.h"

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
	const char **key; /* how they are found */
	uint32_t nkeys;
	const char **dir;
	uint32_t ndirs;
	bool lines; /* -g */
} bundle;

static const char *
key_of(bundle *b, const char *name)
{
	char *key;
	const char *copy;

	if (!vt_net_is_url(name))
		return name;
	key = vt_yay_url_key(name);
	copy = vc_strdup(b->c, key);
	free(key);
	return copy;
}

/* Which document it is; ndocs: none. */
static uint32_t
place_of(const bundle *b, const char *key)
{
	uint32_t i = 0;

	while (i < b->ndocs && strcmp(b->key[i], key) != 0)
		i++;
	return i;
}

/* Is there room for one more?  Else that is reported, once. */
static bool
has_room(bundle *b, const char *name)
{
	if (b->ndocs < MOST_DOCUMENTS)
		return true;
	if (!vc_errors(b->c))
		vc_report(b->c, VC_E3007, vc_file_span(b->c, name),
			"a binary holds at most %d documents", MOST_DOCUMENTS);
	return false;
}

static void
refuse_encrypted(bundle *b, vc_span at, const char *where)
{
	vc_report(b->c, VC_E3009, at, "a binary holds no encrypted documents%s", where);
	vc_hint(b->c, "`vetro yay` decrypts them; a binary can get values by --set");
}

/* A file that somebody may include; that it cannot be read matters only where it is needed. */
static bool
add(bundle *b, const char *name, bool needed, bool included)
{
	const char *key = key_of(b, name);
	bool secret = false;
	yay_fault f;
	const vt_ydoc *d;

	if (place_of(b, key) < b->ndocs || !has_room(b, name))
		return true;
	if (vt_yay_is_encrypted(name)) {
		if (needed)
			refuse_encrypted(b, vc_file_span(b->c, name), "");
		return !needed;
	}
	b->w.led_out = false;
	if ((d = yay_world_open(&b->w, name, &secret, &f)) != NULL) {
		vc_push(b->c, b->doc, b->ndocs) = d;
		vc_push(b->c, b->key, b->nkeys) = key;
		return true;
	}
	if (b->w.led_out && (needed || included)) {
		vc_report(b->c, VC_E3009, vc_file_span(b->c, name), "%.*s", VT_WHOLE(f.message));
		vc_hint(b->c, "a binary carries what may be included; --allow-dir DIR allows files "
			      "below another directory");
		return false;
	}
	if (needed && f.type)
		vc_report(b->c, f.code, vc_file_span(b->c, name), "%.*s (line %u, column %u)",
			VT_WHOLE(f.message), f.line, f.col);
	else if (needed)
		vc_report(b->c, VC_E3009, vc_file_span(b->c, name), "the file is not there");
	return !needed;
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
		qsort(names, n, sizeof *names, vt_compare_texts);
	for (uint32_t i = 0; i < n; i++)
		add(b, names[i], false, false);
}

static const char *
folder_of(bundle *b, const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? vc_strndup(b->c, name, (size_t)(slash - name)) : "";
}

/* What it may name: beside the document, or as it is called. */
static uint32_t
candidates(bundle *b, const vt_ydoc *d, const char *name, const char *may[2])
{
	const yay_opened *o = yay_world_opened(&b->w, d);
	const char *dir = folder_of(b, d->name);
	uint32_t n = 0;
	char *url;

	if (o && o->base) {
		url = vt_net_join(o->base, name);
		may[n++] = vc_strdup(b->c, url);
		free(url);
		return n;
	}
	if (*dir && *name != '/' && !strstr(name, "://"))
		may[n++] = vc_format(b->c, "%s/%s", dir, name);
	may[n++] = name;
	return n;
}

static void
add_includes(bundle *b, const vt_ydoc *d)
{
	const char *name, *may[2];

	for (uint32_t r = 1; r < d->nrows; r++)
		if ((name = yay_included(b->c, d, r)) != NULL)
			for (uint32_t i = 0, n = candidates(b, d, name, may); i < n; i++)
				add(b, may[i], false, true);
	if (!vt_net_is_url(d->name))
		add_folder(b, folder_of(b, d->name));
}

/* ---- what the layers include for certain must be in the binary: nothing encrypted can be ---- */

static void
follow(bundle *b, const vt_ydoc *d, uint32_t row, const char *name, bool *sure)
{
	const char *may[2];
	uint32_t at, n = candidates(b, d, name, may);

	if (vt_yay_is_encrypted(name)) {
		refuse_encrypted(b, vc_file_span(b->c, d->name),
			vc_format(b->c, ": '%s' (line %u, column %u)",
				strstr(name, "://") ? "a URL" : name, d->row[row].line,
				d->row[row].col));
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		if ((at = place_of(b, key_of(b, may[i]))) < b->ndocs) {
			sure[at] = true;
			return;
		}
}

/* The documents that the layers include for certain, the layers first. */
static const vt_ydoc **
what_is_sure(bundle *b, uint32_t nlayers, uint32_t *n)
{
	bool *sure = vc_alloc(b->c, b->ndocs), *seen = vc_alloc(b->c, b->ndocs);
	const vt_ydoc **docs = NULL;
	const char *name;

	*n = 0;
	for (uint32_t i = 0; i < b->ndocs; i++)
		sure[i] = i < nlayers;
	for (uint32_t i = 0; i < b->ndocs; i++) {
		if (!sure[i] || seen[i])
			continue;
		seen[i] = true;
		vc_push(b->c, docs, *n) = b->doc[i];
		for (uint32_t r = 1; r < b->doc[i]->nrows; r++)
			if ((name = yay_included(b->c, b->doc[i], r)) != NULL)
				follow(b, b->doc[i], r, name, sure);
		i = UINT32_MAX; /* from the first again: one before this may be sure now */
	}
	return docs;
}

/* ---- C ---- */

/* As bytes: for numbers one by one cc needs minutes where there are many. Both sides are this
 * machine. */
static void
put_table(vt_buf *t, const char *type, char name, uint32_t at, const void *table, size_t n)
{
	vt_buf_printf(t, "static const union { char c[%zu]; ", n);
	vt_buf_printf(t, "%s v[1]; } %c%u = {\n", type, name, at);
	ct_bytes(t, table, n);
	vt_buf_puts(t, "};\n");
}

static void
put_document(bundle *b, vt_buf *t, const vt_ydoc *d, uint32_t at)
{
	bool code = vc_pass_on(b->c, YAY_CODE) && yay_emit_code(b->c, t, d, at, b->lines);

	put_table(t, "vt_yrow", 'r', at, d->row, d->nrows * sizeof *d->row);
	put_table(t, "uint32_t", 's', at, d->str, (d->nstrs + 1) * sizeof *d->str);
	vt_buf_printf(t, "static const char c%u[] = ", at);
	ct_string(t, d->chars, d->str[d->nstrs]);
	vt_buf_printf(t, ";\nstatic const vt_ydoc d%u = {", at);
	ct_text(t, d->name);
	vt_buf_printf(
		t, ", 0, r%u.v, %u, %u, s%u.v, c%u, %u, ", at, d->nrows, d->root, at, at, d->nstrs);
	vt_buf_printf(t, code ? "y%u};\n" : "0};\n", at);
}

/* What is NULL says nothing that the document's name does not. */
static void
put_names(bundle *b, vt_buf *t)
{
	vt_buf_puts(t, "};\nstatic const char *const key[] = {");
	for (uint32_t i = 0; i < b->ndocs; i++) {
		if (strcmp(b->key[i], b->doc[i]->name) != 0)
			ct_text(t, b->key[i]);
		vt_buf_puts(t, strcmp(b->key[i], b->doc[i]->name) != 0 ? "," : "0,");
	}
	vt_buf_puts(t, "};\nstatic const char *const base[] = {");
	for (uint32_t i = 0; i < b->ndocs; i++) {
		const yay_opened *o = yay_world_opened(&b->w, b->doc[i]);
		char *shown = o && o->base ? vt_net_shown(o->base) : NULL;
		if (shown)
			ct_text(t, shown);
		vt_buf_puts(t, shown ? "," : "0,");
		free(shown);
	}
}

static vc_cfile *
emit(bundle *b, uint32_t nlayers, const char *lua)
{
	vc_cfile *f = vc_alloc(b->c, 2 * sizeof *f);
	vt_buf *t = &f->text;

	f->name = "main.c";
	vt_buf_puts(t, "#define VT_YAY\n#include \"vt.h\"\n\n");
	for (uint32_t i = 0; i < b->ndocs; i++)
		put_document(b, t, b->doc[i], i);
	vt_buf_puts(t, "static const vt_ydoc *const docs[] = {");
	for (uint32_t i = 0; i < b->ndocs; i++)
		vt_buf_printf(t, "&d%u,", i);
	put_names(b, t);
	vt_buf_puts(t, "};\nstatic const char *const search[] = {");
	for (uint32_t i = 0; i < b->ndirs; i++) {
		ct_text(t, b->dir[i]);
		vt_buf_puts(t, ",");
	}
	vt_buf_printf(t, "0};\nstatic const vt_yprogram program = {docs, %u, %u, search, ",
		b->ndocs, nlayers);
	if (lua)
		ct_text(t, lua);
	else
		vt_buf_puts(t, "0");
	vt_buf_puts(t,
		", key, base};\nint\nmain(int argc, char **argv)\n{\n\treturn vt_yay_main(argc, "
		"argv, "
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
yay_translate(vc *c, const char *const *files, uint32_t nfiles, const char *const *paths,
	uint32_t npaths, const char *lua, bool lines, const char **name, uint32_t *n)
{
	bundle b = {.c = c,
		.lines = lines,
		.w = {.c = c, .files = VT_NULL, .secret = VT_NULL, .contained = true}};
	struct stat st;
	const vt_ydoc **docs;
	uint32_t ndocs;
	bool good = true;

	*name = program_name(c, files[0]);
	for (uint32_t i = 0; i < nfiles; i++) {
		good &= add(&b, files[i], true, false);
		if (good && b.ndocs <= i) {
			vc_report(c, VC_E3009, vc_file_span(c, files[i]), "it is a layer already");
			good = false;
		}
	}
	if (!good)
		return NULL;
	for (uint32_t i = 0; i < npaths; i++)
		if (stat(paths[i], &st) == 0 && S_ISDIR(st.st_mode))
			add_folder(&b, paths[i]);
		else
			add(&b, paths[i], true, false);
	for (uint32_t i = 0; i < b.ndocs; i++)
		add_includes(&b, b.doc[i]);
	docs = what_is_sure(&b, nfiles < b.ndocs ? nfiles : b.ndocs, &ndocs);
	yay_warn_missing(&b.w, docs, ndocs, paths, npaths, NULL, NULL);
	*n = 1;
	vc_cfile *out = vc_errors(c) ? NULL : emit(&b, nfiles, lua);
	if (out)
		*n += vc_emit_linked(c, NULL, lua, &out[1]);
	yay_world_close(&b.w);
	return out;
}
