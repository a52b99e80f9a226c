/*
 * build.c - `vetro build` of Yay configurations: documents as constant tables.
 *
 * A binary cannot read Yay.  It holds the layers, what these include by a constant name, the .yay
 * files of -I, and, for names that are worked out when it runs, the files that such a name may
 * mean: those of its constant beginning and end below the folders where it would be looked for.
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
	const char **dir;       /* of -I, and those that the documents search by a constant name */
	uint32_t ndirs, ngiven; /* ngiven: of -I */
	bool any_dir;           /* they search one that is worked out when the binary runs */
	uint32_t nlayers;
	struct reached {
		const char *dir, *begin, *end;
		uint32_t n;
	} * reached; /* folders that were looked through */
	uint32_t nreached, entries;
	size_t size; /* bytes of all documents */
	bool lines;  /* -g */
} bundle;

static const char *
key_of(bundle *b, const char *name)
{
	return vt_net_is_url(name) ? vc_take_text(b->c, vt_yay_url_key(name)) : name;
}

/* A file has one name: else a folder that is searched as "." would be another one for each document
 * below it.  Where a link makes ".." another folder the name stays. */
static const char *
plain(bundle *b, const char *name)
{
	vt_buf t = {0};
	const char *copy, *same, *real;
	bool outside;

	if (strstr(name, "://"))
		return name;
	vt_yay_put_plain(&t, name, strlen(name));
	copy = vc_strndup(b->c, t.n ? t.p : ".", t.n ? t.n : 1);
	vt_buf_free(&t);
	same = vc_allowed(b->c, copy, &outside);
	real = vc_allowed(b->c, name, &outside);
	return same && real && strcmp(same, real) == 0 ? copy : name;
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

/* False: reported. */
static bool
is_small_enough(bundle *b, const vt_ydoc *d)
{
	size_t most = b->c->limit.max_resources;
	bool before = b->size > most;

	b->size += d->text ? strlen(d->text) : 0;
	if (b->size <= most)
		return true;
	if (!before) {
		vc_report(b->c, VC_E3007, vc_file_span(b->c, d->name),
			"the documents of the binary have more than %zu MiB with this one",
			most >> 20);
		vc_hint(b->c, "--max-resources allows more");
	}
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
	const char *key = key_of(b, name = plain(b, name));
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
		if (!is_small_enough(b, d))
			return false;
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

	if (o && o->base) {
		may[n++] = vc_take_text(b->c, vt_net_join(o->base, name));
		return n;
	}
	if (*dir && *name != '/' && !strstr(name, "://"))
		may[n++] = vc_format(b->c, "%s/%s", dir, name);
	may[n++] = name;
	return n;
}

/* ---- what may be included: closed under includes, in an order that is always the same ---- */

static vc_span
span_of(bundle *b, const vt_ydoc *d, uint32_t row)
{
	return yay_span(b->c, d->name, d->text, d->row[row].line, d->row[row].col);
}

static void
add_dir(bundle *b, const char *dir)
{
	for (uint32_t i = 0; i < b->ndirs; i++)
		if (strcmp(b->dir[i], dir) == 0)
			return;
	vc_push(b->c, b->dir, b->ndirs) = dir;
}

/* The .yay files of a folder of -I. */
static void
add_folder(bundle *b, const char *dir)
{
	const char **names = NULL;
	uint32_t n = 0;
	DIR *d = opendir(*dir ? dir : ".");

	add_dir(b, dir);
	b->ngiven = b->ndirs;
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d)) && n < MOST_DOCUMENTS;)
		if (vt_ends_with(e->d_name, ".yay"))
			vc_push(b->c, names, n) = vc_format(b->c, "%s/%s", dir, e->d_name);
	closedir(d);
	if (n)
		qsort(names, n, sizeof *names, vt_compare_texts);
	for (uint32_t i = 0; i < n; i++)
		add(b, names[i], false, false);
}

/* How many files of the folder a name may mean; they are added when that is asked for first. */
static uint32_t
reach_folder(bundle *b, const char *dir, const char *begin, const char *end, vc_span at)
{
	yay_tree t = {.entries = b->entries};

	dir = *dir ? plain(b, dir) : dir;
	if (strcmp(dir, ".") == 0)
		dir = "";
	for (uint32_t i = 0; i < b->nreached; i++)
		if (!strcmp(b->reached[i].dir, dir) && !strcmp(b->reached[i].begin, begin) &&
			!strcmp(b->reached[i].end, end))
			return b->reached[i].n;
	if (!yay_files_below(b->c, dir, begin, end, &t) && !vc_errors(b->c)) {
		vc_report(b->c, VC_E3007, at,
			"the name of what is included is known when the binary runs, and may be "
			"one of more than %u files below '%s'",
			b->c->limit.max_entries, *dir ? dir : ".");
		vc_hint(b->c, "give the configuration a folder of its own, or begin the name "
			      "with a folder");
	}
	b->entries = t.entries;
	vc_push(b->c, b->reached, b->nreached) = (struct reached){dir, begin, end, t.n};
	for (uint32_t i = 0; i < t.n && !vc_errors(b->c); i++)
		add(b, t.name[i], false, false);
	return t.n;
}

static uint32_t
reach_at(bundle *b, const vt_ydoc *d, const char *folder, const char *begin, const char *end,
	vc_span at)
{
	const char *may[2];
	uint32_t found = 0, n = candidates(b, d, folder, may);

	if (!*folder && n == 2)
		may[0] = folder_of(b, d->name);
	for (uint32_t i = 0; i < n; i++)
		found += reach_folder(b, may[i], begin, end, at);
	return found;
}

/* Folders end without a slash; "" is where the document or the user is. */
static const char *
below(bundle *b, const char *dir, const char *folder)
{
	return !*dir ? folder : !*folder ? dir : vc_format(b->c, "%s/%s", dir, folder);
}

/* How many files the name of an include may mean. */
static uint32_t
reach(bundle *b, const vt_ydoc *d, uint32_t row, const yay_pattern *p)
{
	const char *slash = strrchr(p->begin, '/'), *rest = slash ? slash + 1 : p->begin;
	const char *folder = slash ? vc_strndup(b->c, p->begin, (size_t)(slash - p->begin)) : "";
	vc_span at = span_of(b, d, row);
	uint32_t found = reach_at(b, d, slash == p->begin ? "/" : folder, rest, p->end, at);

	for (uint32_t i = 0; i < b->ndirs && *p->begin != '/'; i++)
		found += reach_at(b, d, below(b, b->dir[i], folder), rest, p->end, at);
	for (uint32_t i = 0; i < b->nlayers && b->any_dir && *p->begin != '/'; i++)
		found += reach_folder(b, folder_of(b, b->doc[i]->name), "", p->end, at);
	return found;
}

static void
add_named(bundle *b, const vt_ydoc *d, uint32_t row, const char *name)
{
	const char *may[2];

	for (uint32_t i = 0, n = candidates(b, d, name, may); i < n; i++)
		add(b, may[i], false, false);
	if (*name == '/' || strstr(name, "://"))
		return;
	for (uint32_t k = 0; k < b->ndirs; k++)
		for (uint32_t i = 0, n = candidates(b, d, below(b, b->dir[k], name), may); i < n;
			i++)
			add(b, may[i], false, false);
	for (uint32_t i = 0; i < b->nlayers && b->any_dir; i++)
		reach_folder(b, folder_of(b, b->doc[i]->name), "", vc_format(b->c, "/%s", name),
			span_of(b, d, row));
}

static bool
is_of_network(bundle *b, const vt_ydoc *d)
{
	const yay_opened *o = yay_world_opened(&b->w, d);

	return o && o->base;
}

static void
add_include(bundle *b, const vt_ydoc *d, uint32_t row)
{
	yay_pattern *p;

	for (uint32_t i = 0, n = yay_patterns(b->c, d, d->row[row].a, &p); i < n; i++)
		if (p[i].whole && *p[i].begin)
			add_named(b, d, row, p[i].begin);
		else if (!p[i].whole && !strstr(p[i].begin, "://") && !is_of_network(b, d))
			reach(b, d, row, &p[i]);
}

static void
add_search(bundle *b, const vt_ydoc *d, uint32_t row)
{
	yay_pattern *p;

	for (uint32_t i = 0, n = yay_patterns(b->c, d, d->row[row].a, &p); i < n; i++)
		if (!p[i].whole)
			b->any_dir = true;
		else if (!strstr(p[i].begin, "://"))
			add_dir(b, p[i].begin);
}

/* A folder that one document searches is one for all of them, those that were looked at as well. */
static void
add_all(bundle *b)
{
	uint32_t ndocs, ndirs;
	bool any_dir;

	do {
		ndocs = b->ndocs, ndirs = b->ndirs, any_dir = b->any_dir;
		for (uint32_t i = 0; i < b->ndocs && !vc_errors(b->c); i++)
			for (uint32_t r = 1; r < b->doc[i]->nrows; r++) {
				const vt_ydoc *d = b->doc[i];
				if (d->row[r].kind == YAY_INCLUDE)
					add_include(b, d, r);
				else if (d->row[r].kind == YAY_SEARCH)
					add_search(b, d, r);
				else if (yay_is_search_path(d, r))
					b->any_dir = true;
			}
	} while (!vc_errors(b->c) &&
		 (ndocs < b->ndocs || ndirs < b->ndirs || any_dir != b->any_dir));
}

/* ---- what is known to fail whenever the binary runs ---- */

/* It leads to a file that may not be brought along. */
static void
check_named(bundle *b, const vt_ydoc *d, const char *name)
{
	const char *may[2];

	for (uint32_t i = 0, n = candidates(b, d, name, may); i < n; i++)
		add(b, may[i], false, true);
}

static void
check_computed(bundle *b, const vt_ydoc *d, uint32_t row, const yay_pattern *p)
{
	const char *scheme = strstr(p->begin, "://");

	if (scheme || is_of_network(b, d)) {
		vc_report(b->c, VC_E3009, span_of(b, d, row),
			"a binary opens nothing: what is included here has a name that is known "
			"when it runs, and is %s",
			scheme ? "no file beside the configuration" : "on the network");
		vc_hint(b->c, "name it by a constant, or files by their paths");
	} else if (vt_yay_is_encrypted(p->end))
		refuse_encrypted(b, span_of(b, d, row), "");
	else if (reach(b, d, row, p) == 0) {
		vc_report(b->c, VC_W3002, span_of(b, d, row),
			"there is no file that this may name: one that begins '%s' and ends '%s'",
			p->begin, *p->end ? p->end : ".yay");
		vc_hint(b->c, "looked for below the folder of the configuration, and of -I; "
			      "--allow-dir DIR allows files below another one");
	}
}

static void
check_include(bundle *b, const vt_ydoc *d, uint32_t row)
{
	yay_pattern *p;

	for (uint32_t i = 0, n = yay_patterns(b->c, d, d->row[row].a, &p); i < n; i++)
		if (p[i].whole)
			check_named(b, d, p[i].begin);
		else
			check_computed(b, d, row, &p[i]);
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
		if ((at = place_of(b, key_of(b, plain(b, may[i])))) < b->ndocs) {
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
	for (uint32_t i = 0; i < b->ngiven; i++) {
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
	b.nlayers = b.ndocs;
	for (uint32_t i = 0; i < npaths; i++)
		if (stat(paths[i], &st) == 0 && S_ISDIR(st.st_mode))
			add_folder(&b, paths[i]);
		else
			add(&b, paths[i], true, false);
	add_all(&b);
	docs = what_is_sure(&b, nfiles < b.ndocs ? nfiles : b.ndocs, &ndocs);
	for (uint32_t i = 0; i < ndocs; i++)
		for (uint32_t r = 1; r < docs[i]->nrows; r++)
			if (docs[i]->row[r].kind == YAY_INCLUDE)
				check_include(&b, docs[i], r);
	yay_warn_missing(&b.w, docs, ndocs, paths, npaths, NULL, NULL);
	*n = 1;
	vc_cfile *out = vc_errors(c) ? NULL : emit(&b, nfiles, lua);
	if (out)
		*n += vc_emit_linked(c, NULL, lua, &out[1]);
	yay_world_close(&b.w);
	return out;
}
