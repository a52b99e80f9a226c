/*
 * csar.c - CSARs: which file of an archive or directory is the service.
 *
 * Three layouts: TOSCA.meta at the top (TOSCA 2.0; CSAR.meta in its drafts),
 * TOSCA-Metadata/TOSCA.meta (1.x), or neither and a single YAML file at the top.  A folder that a
 * tool has put around everything does not count. TOSCA.meta is blocks of lines "Name: value", a
 * blank in front continues a line; the first block is about the archive.  What an archive may hold
 * is limited in archive.c.
 */
#include "compiler/tosca/unit.h"
#include "compiler/murano/package.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const char *const metas[] = {"TOSCA.meta", "CSAR.meta", "TOSCA-Metadata/TOSCA.meta"};

/* ---- files ---- */

static bool
ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n >= m && !strcasecmp(s + n - m, end);
}

static bool
has_archive_name(const char *path)
{
	return ends_with(path, ".csar") || ends_with(path, ".zip");
}

static bool
is_yaml(const char *name)
{
	return ends_with(name, ".yaml") || ends_with(name, ".yml");
}

bool
tosca_csar_is(const char *path)
{
	struct stat st;
	if (stat(path, &st))
		return false;
	return S_ISDIR(st.st_mode) ||
	       (S_ISREG(st.st_mode) && (has_archive_name(path) || vc_is_zip(path)));
}

static int
by_text(const void *key, const void *item)
{
	return strcmp(key, *(const char *const *)item);
}

bool
tosca_files_has(struct tosca *t, const tosca_files *f, const char *path)
{
	const char *full = vc_format(t->c, "%s%s", f->top, path);
	return f->n && bsearch(full, f->list, f->n, sizeof *f->list, by_text);
}

bool
tosca_files_has_folder(struct tosca *t, const tosca_files *f, const char *path)
{
	const char *full = vc_format(t->c, "%s%s/", f->top, path);
	for (size_t i = 0; i < f->n; i++)
		if (!strncmp(f->list[i], full, strlen(full)))
			return true;
	return false;
}

vc_source *
tosca_files_read(struct tosca *t, tosca_files *f, const char *path)
{
	return vc_files_read(t->c, f->f, vc_format(t->c, "%s%s", f->top, path));
}

/* "folder/" when everything is in one folder and a meta file at its top. */
static const char *
find_top(vc *c, const char *const *list, size_t n)
{
	const char *slash = n ? strchr(list[0], '/') : NULL, *top = "";
	size_t length = slash ? (size_t)(slash - list[0]) + 1 : 0;
	for (size_t i = 0; length && i < n; i++) {
		if (strncmp(list[i], list[0], length) != 0)
			return "";
		for (size_t k = 0; k < VC_LEN(metas); k++)
			if (!strcmp(list[i] + length, metas[k]))
				top = vc_strndup(c, list[i], length);
	}
	return top;
}

static const char *
find_meta(struct tosca *t, const tosca_files *f)
{
	for (size_t k = 0; k < VC_LEN(metas); k++)
		if (tosca_files_has(t, f, metas[k]))
			return metas[k];
	return NULL;
}

/* NULL: reported, or c is NULL. */
static tosca_files *
open_files(struct tosca *t, const char *path)
{
	vc *c = t->c;
	struct stat st;
	bool dir = !stat(path, &st) && S_ISDIR(st.st_mode);
	if (!dir && !vc_is_zip(path)) {
		vc_report(c, VC_E2016, vc_file_span(c, path),
			"this is no zip archive, whatever its name says");
		return NULL;
	}
	vc_files *files = vc_files_open(c, path);
	if (!files)
		return NULL;
	tosca_files *f = vc_alloc(c, sizeof *f);
	const char *real = vc_real_path(c, path);
	*f = (tosca_files){
		.f = files, .name = path, .key = real ? real : path, .top = "", .archive = !dir};
	f->list = vc_files_list(c, files, "", &f->n);
	if (!dir && !find_meta(t, f))
		f->top = find_top(c, f->list, f->n);
	return f;
}

/* ---- TOSCA.meta ---- */

typedef struct field {
	const char *name, *value;
	vc_span at, key;
} field;
typedef struct meta {
	struct tosca *t;
	vc_source *src;
	field *field;
	uint32_t n; /* of the first block */
	bool bad;
} meta;

static const char *
trimmed(vc *c, const char *s, size_t n)
{
	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t' || s[n - 1] == '\r'))
		n--;
	return vc_strndup(c, s, n);
}

static void
bad_line(meta *m, const char *line, size_t n, const char *what)
{
	uint32_t at = (uint32_t)(line - m->src->text);
	if (!m->bad) {
		vc_report(m->t->c, VC_E2016, (vc_span){m->src, at, at + (uint32_t)n}, "%s", what);
		vc_hint(m->t->c, "a line is a name, a colon and a value: 'CSAR-Version: 2.0'");
	}
	m->bad = true;
}

static void
read_line(meta *m, const char *line, size_t n)
{
	vc *c = m->t->c;
	const char *text = m->src->text, *colon = memchr(line, ':', n);
	uint32_t at = (uint32_t)(line - text);
	if (*line == ' ' && m->n) {
		field *last = &m->field[m->n - 1];
		last->value = vc_format(c, "%s%s", last->value, trimmed(c, line + 1, n - 1));
		return;
	}
	if (!colon || colon == line) {
		bad_line(m, line, n, "a line of the metadata without a name and a colon");
		return;
	}
	size_t skip = (size_t)(colon - line) + 1;
	while (skip < n && (line[skip] == ' ' || line[skip] == '\t'))
		skip++;
	const char *value = trimmed(c, line + skip, n - skip);
	uint32_t from = at + (uint32_t)skip;
	vc_push(c, m->field, m->n) = (field){trimmed(c, line, (size_t)(colon - line)), value,
		{m->src, from, from + (uint32_t)strlen(value)},
		{m->src, at, (uint32_t)(colon - text)}};
}

static void
read_block(meta *m)
{
	const char *p = m->src->text, *end = p + m->src->n;
	if (m->src->n >= 3 && !memcmp(p, "\xef\xbb\xbf", 3))
		p += 3;
	for (const char *next; p < end; p = next) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		next = stop ? stop + 1 : end;
		size_t n = (size_t)((stop ? stop : end) - p);
		if (n && p[n - 1] == '\r')
			n--;
		if (!n && m->n)
			return;
		if (n && *p != '#' && !(n == 3 && !memcmp(p, "---", 3)))
			read_line(m, p, n);
	}
}

/* Writers disagree about the case of names. NULL: absent, or empty. */
static const field *
get(const meta *m, const char *name)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (!strcasecmp(m->field[i].name, name))
			return *m->field[i].value ? &m->field[i] : NULL;
	return NULL;
}

static const field *
need(meta *m, const char *name)
{
	const field *f = get(m, name);
	const char **names = NULL;
	size_t n = 0;
	if (f || m->bad)
		return f;
	vc *c = m->t->c;
	vc_report(c, VC_E2016, (vc_span){m->src, 0, 0}, "the metadata do not say '%s'", name);
	for (uint32_t i = 0; i < m->n; i++)
		vc_push(c, names, n) = m->field[i].name;
	const char *near = vt_nearest(name, names, n);
	if (near)
		vc_hint(c, "is '%s' meant to be it?", near);
	return NULL;
}

static void
check_version(meta *m, const field *f, const char *const *allowed, size_t n)
{
	for (size_t i = 0; f && i < n; i++)
		if (!strcmp(f->value, allowed[i]))
			return;
	if (f)
		vc_report(m->t->c, VC_E2016, f->at, "vetro knows no %s '%s'", f->name, f->value);
}

/* A file that the metadata name, as a normal path; NULL: reported. */
static const char *
named_file(meta *m, const tosca_files *files, const field *f, const char *path)
{
	vc *c = m->t->c;
	const char *normal = vc_path_normal(c, path);
	if (!normal) {
		vc_report(c, VC_E2017, f->at, "'%s' leaves %s", path, files->name);
		return NULL;
	}
	if (tosca_files_has(m->t, files, normal))
		return normal;
	vc_report(c, VC_E2016, f->at, "there is no '%s' in %s", normal, files->name);
	const char *slash = strrchr(normal, '/');
	for (size_t i = 0; i < files->n; i++) {
		const char *other = strrchr(files->list[i], '/');
		if (!strcmp(other ? other + 1 : files->list[i], slash ? slash + 1 : normal)) {
			vc_did_you_mean(c, "'%s'", files->list[i] + strlen(files->top));
			break;
		}
	}
	return NULL;
}

/* Paths between blanks; quotes hold those that have blanks. */
static void
read_others(meta *m, const field *f, tosca_csar *out)
{
	vc *c = m->t->c;
	for (const char *p = f->value; *(p += strspn(p, " \t,"));) {
		bool quoted = *p == '"' || *p == '\'';
		size_t n = quoted ? strcspn(p + 1, *p == '"' ? "\"" : "'") : strcspn(p, " \t,");
		const char *path = named_file(m, out->files, f, vc_strndup(c, p + quoted, n));
		if (path)
			vc_push(c, out->others, out->nothers) = path;
		p += n + quoted;
		p += quoted && *p;
	}
}

static bool
read_meta(struct tosca *t, const char *name, tosca_csar *out)
{
	static const char *const csar[] = {"1.0", "1.1", "2.0"}, *const file[] = {"1.0", "1.1"};
	meta m = {.t = t};
	m.src = tosca_files_read(t, out->files, name);
	if (!m.src)
		return false;
	read_block(&m);
	const field *version = need(&m, "CSAR-Version");
	bool new = version && !strcmp(version->value, "2.0");
	check_version(&m, version, csar, VC_LEN(csar));
	check_version(&m,
		new ? get(&m, "TOSCA-Meta-File-Version") : need(&m, "TOSCA-Meta-File-Version"),
		file, VC_LEN(file));
	need(&m, "Created-By");
	const field *entry = need(&m, "Entry-Definitions"), *others = get(&m, "Other-Definitions");
	out->entry = entry ? named_file(&m, out->files, entry, entry->value) : NULL;
	if (others)
		read_others(&m, others, out);
	return out->entry != NULL;
}

/* ---- without TOSCA.meta ---- */

static bool
find_single(struct tosca *t, tosca_csar *out)
{
	vc *c = t->c;
	const tosca_files *f = out->files;
	const char *first = NULL, *second = NULL;
	size_t top = strlen(f->top);
	for (size_t i = 0; i < f->n; i++) {
		const char *name = f->list[i] + top;
		if (strncmp(f->list[i], f->top, top) != 0 || strchr(name, '/') || !is_yaml(name))
			continue;
		second = first ? name : NULL;
		first = first ? first : name;
		if (second)
			break;
	}
	if (first && !second) {
		out->entry = first;
		out->bare = f->archive;
		return true;
	}
	if (second)
		vc_report(c, VC_E2016, vc_file_span(c, f->name),
			"there is no TOSCA.meta, and two YAML files at the top: %s and %s", first,
			second);
	else
		vc_report(c, VC_E2016, vc_file_span(c, f->name),
			"there is neither a TOSCA.meta nor a YAML file at the top");
	vc_hint(c, "TOSCA.meta says with Entry-Definitions which file is the service");
	return false;
}

bool
tosca_csar_open(struct tosca *t, const char *path, tosca_csar *out)
{
	*out = (tosca_csar){.files = open_files(t, path)};
	const char *name = out->files ? find_meta(t, out->files) : NULL;
	if (!out->files)
		return false;
	return name ? read_meta(t, name, out) : find_single(t, out);
}

/* TOSCA 1.3, 6.3: in an archive without TOSCA.meta the service says what that would. */
void
tosca_csar_bare(const tosca_unit *u)
{
	static const char *const wanted[] = {"template_name", "template_version"};
	const ynode *m = te_y(u->file, "metadata");
	for (size_t i = 0; i < VC_LEN(wanted); i++) {
		if (te_y(u->file, wanted[i]) || (m && m->kind == YN_MAP && yn_get(m, wanted[i])))
			continue;
		const ynode *key = yn_key(u->file->y, "metadata");
		vc_report(u->t->c, VC_E2016, key ? key->span : (vc_span){u->src, 0, 0},
			"in an archive without TOSCA.meta the metadata of the service must say "
			"'%s'",
			wanted[i]);
	}
}

/* ---- is it TOSCA at all? ---- */

static bool
tosca_says_version(const char *text, size_t n)
{
	static const char *const keys[] = {"tosca_definitions_version", "heat_template_version"};
	for (const char *p = text, *end = text + n; p && p < end;
		p = memchr(p, '\n', (size_t)(end - p)), p += p != NULL) {
		size_t skip = 0, left = (size_t)(end - p);
		while (skip < left && strchr("\xef\xbb\xbf \"'{", p[skip]) && p[skip])
			skip++;
		for (size_t k = 0; k < VC_LEN(keys); k++) {
			size_t m = strlen(keys[k]);
			if (left - skip > m && !memcmp(p + skip, keys[k], m) &&
				strchr(":\"' ", p[skip + m]) && (!skip || p[0] != ' '))
				return true;
		}
	}
	return false;
}

bool
tosca_file_says_version(const char *path)
{
	enum { HEAD = 1 << 16 };
	FILE *f = vc_source_open(path);
	if (!f)
		return false;
	char *head = vt_xmalloc(HEAD);
	bool says = tosca_says_version(head, fread(head, 1, HEAD, f));
	free(head);
	fclose(f);
	return says;
}

static bool
files_are_tosca(struct tosca *t, tosca_files *f)
{
	size_t top = strlen(f->top), n;
	if (tosca_files_has(t, f, "manifest.yaml"))
		return false;
	bool is = find_meta(t, f) != NULL;
	for (size_t i = 0; !is && i < f->n; i++)
		if (is_yaml(f->list[i]) && strncmp(f->list[i], f->top, top) == 0 &&
			!strchr(f->list[i] + top, '/')) {
			char *text = vc_files_bytes(t->c, f->f, f->list[i], &n);
			is = text && tosca_says_version(text, n);
		}
	return is;
}

/* The archive is opened for itself: what is wrong with it is reported when it is loaded. */
bool
tosca_is_source(vc *c, const char *path)
{
	if (ends_with(path, ".csar"))
		return true;
	if (!tosca_csar_is(path))
		return tosca_file_says_version(path);
	if (has_archive_name(path) && !vc_is_zip(path))
		return false;
	struct tosca t = {.c = vc_new()};
	t.c->limit = c->limit;
	tosca_files *f = open_files(&t, path);
	bool is = f && files_are_tosca(&t, f);
	vc_free(t.c);
	return is;
}

/* ---- artifacts ---- */

typedef struct names {
	const char **name;
	size_t n;
} names;

/* Names of artifacts that types declare: an implementation may say them in place of a file. */
static void
collect(struct tosca *t, const te *e, names *out)
{
	for (uint32_t i = 0; i < e->n; i++) {
		const te_field *f = &e->field[i];
		for (uint32_t k = 0; k < f->n; k++) {
			if (f->item[k]->kind == TE_ARTIFACT && f->item[k]->name &&
				!strcmp(f->row->name, "artifacts"))
				vc_push(t->c, out->name, out->n) = f->item[k]->name;
			else
				collect(t, f->item[k], out);
		}
	}
}

static bool
is_artifact(const names *n, const char *name)
{
	return n->n && bsearch(name, n->name, n->n, sizeof *n->name, by_text);
}

/* known: NULL where no name can stand. */
static void
check_file(struct tosca *t, const te *e, const names *known)
{
	vc *c = t->c;
	const tosca_unit *u = e->unit;
	const ynode *y = te_y(e, "file");
	size_t n;
	if (!y || !te_text(y) || te_y(e, "repository") || tosca_url_scheme(y->text, &n) ||
		(known && is_artifact(known, y->text)))
		return;
	const char *joined =
		*y->text == '/' ? y->text + strspn(y->text, "/") : tosca_join(c, u->path, y->text);
	const char *normal = vc_path_normal(c, joined);
	if (normal && (tosca_files_has(t, u->files, normal) ||
			      tosca_files_has_folder(t, u->files, normal)))
		return;
	vc_report(c, VC_E2058, y->span, "there is no file '%s' in %s", normal ? normal : y->text,
		u->files->name);
	if (tosca_files_has(t, u->files, y->text))
		vc_hint(c,
			"paths are relative to the file that names them: '/%s' is the one at the "
			"top",
			y->text);
}

static void
check_artifacts(struct tosca *t, const te *e, const names *known)
{
	for (uint32_t i = 0; i < e->n; i++) {
		const te_field *f = &e->field[i];
		for (uint32_t k = 0; k < f->n; k++)
			if (f->item[k]->kind != TE_ARTIFACT)
				check_artifacts(t, f->item[k], known);
			else if (!f->item[k]->bad)
				check_file(t, f->item[k],
					strcmp(f->row->name, "artifacts") ? known : NULL);
	}
}

void
tosca_artifacts(struct tosca *t, uint32_t from)
{
	names known = {0};
	bool any = false;
	for (uint32_t i = from; i < t->nunits; i++)
		any |= t->units[i]->files && t->units[i]->files->archive;
	if (!any)
		return;
	for (uint32_t i = 0; i < t->nunits; i++)
		collect(t, t->units[i]->file, &known);
	if (known.n)
		qsort(known.name, known.n, sizeof *known.name, vt_compare_texts);
	for (uint32_t i = from; i < t->nunits; i++)
		if (t->units[i]->files && t->units[i]->files->archive)
			check_artifacts(t, t->units[i]->file, &known);
}
