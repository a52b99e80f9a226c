/*
 * emit_files.c - the files that a service's operations need, to be embedded in its binary.
 *
 * A name is seen from the folder of the file that says it, within what that file may not leave (an
 * archive or a directory), else in the file system.  Scripts find each other by their relative
 * paths, so what is embedded keeps them: paths are relative to the one folder that has all files of
 * the file system; each archive is a folder of its own beside them, unless all there is comes from
 * one.
 */
#define _GNU_SOURCE
#include "compiler/tosca/emit.h"
#include "compiler/tosca/unit.h"
#include "compiler/murano/package.h"
#include "runtime/text/digest.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef struct found {
	tosca_files *files; /* or NULL: the file system */
	const char *path;   /* normal in files, else canonical */
	tosca_blob blob;
} found;
typedef struct collect {
	struct tosca *t;
	const vt_tmodel *m;
	tosca_blobs *out;
	found *f;
	uint32_t n;
	size_t total;
	bool over;
	bool looks;                /* only whether they are there */
	uint32_t *missed, nmissed; /* pairs of file and name that were told */
} collect;

static tosca_unit *
unit_of(const struct tosca *t, uint32_t file)
{
	for (uint32_t i = 0; i < t->nunits; i++)
		if (t->units[i]->index == file)
			return t->units[i];
	return NULL;
}

static const char *
in_archive(collect *k, const tosca_unit *u, const char *name, bool folder)
{
	vc *c = k->t->c;
	const char *tries[] = {
		*name == '/' ? name + strspn(name, "/") : tosca_join(c, u->path, name), name};
	for (size_t i = 0; i < VC_LEN(tries); i++) {
		const char *normal = vc_path_normal(c, tries[i]);
		if (normal && *normal &&
			(folder ? tosca_files_has_folder(k->t, u->files, normal)
				: tosca_files_has(k->t, u->files, normal)))
			return normal;
	}
	return NULL;
}

static bool
is_folder(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Where the root's folder has it, a name that is seen from elsewhere is taken too.  outside: there
 * is one, but where the service may not take files from. */
static const char *
in_file_system(collect *k, const tosca_unit *u, const char *name, bool folder, bool *outside)
{
	vc *c = k->t->c;
	const char *root = k->t->root && !k->t->root->files ? k->t->root->path : NULL,
		   *below = name + strspn(name, "/");
	/* What begins with a slash is what it says, else it is seen from the service's folder. */
	const char *tries[] = {*name == '/' ? name : tosca_join(c, u->path, name),
		root ? tosca_join(c, root, below) : NULL};
	for (size_t i = 0; i < VC_LEN(tries); i++) {
		const char *path = tries[i], *real = NULL;
		bool out = false;
		if (path && is_folder(path) == folder && tosca_is_file(path))
			real = vc_allowed(c, path, &out);
		*outside |= out;
		if (real)
			return real;
	}
	return NULL;
}

static bool
read_one(collect *k, found *f)
{
	vc *c = k->t->c;
	struct stat st;
	const char *data =
		f->files ? vc_files_bytes(c, f->files->f,
				   vc_format(c, "%s%s", f->files->top, f->path), &f->blob.n)
			 : vc_bytes_read(c, f->path, &f->blob.n);
	if (!data)
		return false;
	f->blob.data = data;
	f->blob.executable = f->files ? f->blob.n > 2 && !memcmp(data, "#!", 2)
				      : !stat(f->path, &st) && (st.st_mode & 0100);
	k->total += f->blob.n;
	if (k->total > c->limit.max_resources && !k->over) {
		k->over = true;
		vc_report(c, VC_E2090, vc_file_span(c, f->path),
			"the files of the operations are more than %zu MiB",
			c->limit.max_resources >> 20);
		vc_hint(c, "--max-resources sets the limit, in MiB");
	}
	return !k->over;
}

/* Index of the file, or UINT32_MAX: reported. */
static uint32_t
add_file(collect *k, tosca_files *files, const char *path)
{
	for (uint32_t i = 0; i < k->n; i++)
		if (k->f[i].files == files && !strcmp(k->f[i].path, path))
			return i;
	found f = {.files = files, .path = path};
	if (k->over || !read_one(k, &f))
		return UINT32_MAX;
	f.blob.same = k->n;
	for (uint32_t i = 0; i < k->n; i++)
		if (k->f[i].blob.n == f.blob.n &&
			!memcmp(k->f[i].blob.data, f.blob.data, f.blob.n)) {
			f.blob.same = k->f[i].blob.same;
			break;
		}
	vc_push(k->t->c, k->f, k->n) = f;
	return k->n - 1;
}

static bool
is_known(const collect *k, uint32_t file, uint32_t name)
{
	for (uint32_t i = 0; i < k->out->nrefs; i++)
		if (k->out->ref[i].file == file && k->out->ref[i].name == name)
			return true;
	return false;
}

static bool
names_artifact(const vt_tmodel *m, uint32_t name)
{
	for (uint32_t i = 1; i < m->n_artifact; i++)
		if (m->artifact[i].name == name)
			return true;
	return false;
}

static void
add_ref(collect *k, uint32_t file, uint32_t name, uint32_t blob, size_t tail)
{
	if (blob != UINT32_MAX)
		vc_push(k->t->c, k->out->ref, k->out->nrefs) =
			(vt_tblobref){file, name, blob, (uint32_t)tail};
}

static const char *
last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* All files of a folder; hidden ones are nobody's.  `tail`: what counts of the paths begins there.
 */
static void
add_folder(collect *k, tosca_unit *u, const char *path, uint32_t name, size_t tail)
{
	vc *c = k->t->c;
	size_t n = 0, top = u->files ? strlen(u->files->top) : 0;
	const char *const *list = NULL, *prefix = vc_format(c, "%s%s", path, *path ? "/" : "");
	vc_files *f = u->files ? NULL : vc_files_open(c, path);
	if (u->files) {
		list = u->files->list;
		n = u->files->n;
	} else if (f) {
		list = vc_files_list(c, f, "", &n);
	}
	for (size_t i = 0; i < n && !k->over; i++) {
		const char *one = u->files ? list[i] + top : vc_format(c, "%s%s", prefix, list[i]);
		if (strncmp(one, prefix, strlen(prefix)) != 0 || strstr(one + tail, "/.") ||
			one[tail] == '.')
			continue;
		add_ref(k, u->index, name, add_file(k, u->files, one), strlen(one) - tail);
	}
}

/* needed: an operation runs it, so that its absence is worth a word. */
static const char *
find_path(collect *k, tosca_unit *u, const char *name, bool folder, bool *outside)
{
	return u->files ? in_archive(k, u, name, folder)
			: in_file_system(k, u, name, folder, outside);
}

/* A type names its script once, and each of its nodes has it. */
static bool
was_missed(collect *k, uint32_t file, uint32_t name)
{
	for (uint32_t i = 0; i < k->nmissed; i += 2)
		if (k->missed[i] == file && k->missed[i + 1] == name)
			return true;
	vc_push(k->t->c, k->missed, k->nmissed) = file;
	vc_push(k->t->c, k->missed, k->nmissed) = name;
	return false;
}

static void
add_name(collect *k, uint32_t file, uint32_t name, vt_tplace at, bool needed)
{
	const vt_str *text = name ? k->m->str[name] : NULL;
	tosca_unit *u = unit_of(k->t, file);
	size_t scheme;
	if (!text || !u || (u->embedded && !u->files) || is_known(k, file, name) ||
		tosca_url_scheme(text->s, &scheme) || strlen(text->s) != text->bytes)
		return;
	bool outside = false;
	if (k->looks && (!needed || (u && u->files)))
		return; /* csar.c looks at archives */
	const char *path = find_path(k, u, text->s, false, &outside),
		   *folder = path ? NULL : find_path(k, u, text->s, true, &outside);
	if (path && !k->looks)
		add_ref(k, file, name, add_file(k, u->files, path), strlen(last_part(path)));
	if (folder && !k->looks)
		add_folder(k, u, folder, name, (size_t)(last_part(folder) - folder));
	if (path || folder)
		return;
	if (outside && k->looks)
		return; /* a build says so */
	if (outside)
		tosca_leads_out(k->t, tosca_span(k->t, at), text->s);
	else if (needed && !names_artifact(k->m, name) && !tosca_is_plugin_operation(u, text->s) &&
		 !was_missed(k, file, name))
		vc_report(k->t->c, VC_W2005, tosca_span(k->t, at),
			"there is no file '%s' beside %s", text->s, u->src->name);
}

/* Do its scripts ask for files by ctx? Which ones, only a run knows. */
static bool
asks_for_resources(const collect *k)
{
	static const char *const words[] = {
		"download-resource", "download_resource", "get-resource", "get_resource"};
	for (uint32_t i = 0; i < k->n; i++)
		for (size_t w = 0; w < VC_LEN(words); w++)
			if (memmem(k->f[i].blob.data, k->f[i].blob.n, words[w], strlen(words[w])))
				return true;
	return false;
}

/* All of the service's folder, as the other products take it along. */
static void
add_resources(collect *k)
{
	tosca_unit *u = k->t->root;
	const char *path = u ? u->path : NULL, *slash;
	bool outside;
	if (!u || k->looks || !asks_for_resources(k))
		return;
	slash = strrchr(path, '/');
	path = slash ? vc_strndup(k->t->c, path, (size_t)(slash - path)) : u->files ? "" : ".";
	path = u->files ? "" : vc_allowed(k->t->c, path, &outside);
	if (path)
		add_folder(k, u, path, 0, *path ? strlen(path) + 1 : 0);
}

/* "SHA-256" as vt_digest() calls it; nothing is said by its length. */
static const char *
algorithm_of(const vt_str *given, const vt_str *sum, char room[16])
{
	static const struct {
		uint32_t digits;
		const char *name;
	} by_length[] = {{32, "md5"}, {40, "sha1"}, {56, "sha224"}, {64, "sha256"}, {96, "sha384"},
		{128, "sha512"}};
	size_t n = 0;
	for (const char *p = given ? given->s : ""; *p && n < 15; p++)
		if (*p != '-' && *p != '_' && *p != ' ')
			room[n++] = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
	room[n] = '\0';
	if (*room && strcmp(room, "sha") != 0)
		return room;
	for (size_t i = 0; i < VC_LEN(by_length); i++)
		if (by_length[i].digits == sum->bytes)
			return by_length[i].name;
	return "";
}

/* The file that an artifact has become must be the one that its author has seen. */
static void
check_sum(collect *k, const vt_tartifact *a)
{
	vc *c = k->t->c;
	const vt_str *sum = a->checksum ? k->m->str[a->checksum] : NULL;
	const vt_str *given = a->algorithm ? k->m->str[a->algorithm] : NULL;
	char room[16], hex[VT_DIGEST_TEXT];
	for (uint32_t i = 0; sum && i < k->out->nrefs; i++) {
		const vt_tblobref *r = &k->out->ref[i];
		const tosca_blob *b = &k->f[r->blob].blob;
		if (r->file != a->place.file || r->name != a->file)
			continue;
		if (!vt_digest(algorithm_of(given, sum, room), b->data, b->n, hex))
			vc_report(c, VC_E2018, tosca_span(k->t, a->place),
				"the checksum of '%s' cannot be looked at: '%s' is no algorithm "
				"that is known",
				k->m->str[a->file]->s, given ? given->s : sum->s);
		else if (strcasecmp(hex, sum->s) != 0)
			vc_report(c, VC_E2018, tosca_span(k->t, a->place),
				"'%s' has the checksum %s, and not %s", k->m->str[a->file]->s, hex,
				sum->s);
	}
}

static void
add_all(collect *k)
{
	const vt_tmodel *m = k->m;
	for (uint32_t i = 1; i < m->n_artifact; i++)
		if (!m->artifact[i].repository)
			add_name(k, m->artifact[i].place.file, m->artifact[i].file,
				m->artifact[i].place, false);
	for (uint32_t i = 1; i < m->n_artifact; i++)
		check_sum(k, &m->artifact[i]);
	for (uint32_t i = 1; i < m->n_op; i++) {
		const vt_top *o = &m->op[i];
		if (!o->artifact)
			add_name(k, o->from, o->primary, o->script, true);
		for (uint32_t d = 0; d < o->dependencies.n; d++)
			add_name(k, o->from, m->index[o->dependencies.first + d], o->place, true);
	}
	add_resources(k);
}

/* Bytes of the path of the folder that has all files of the file system, its slash included. */
static size_t
common_folder(const collect *k)
{
	const char *first = NULL;
	size_t n = 0;
	for (uint32_t i = 0; i < k->n; i++) {
		const char *p = k->f[i].path, *slash;
		if (k->f[i].files)
			continue;
		if (!first) {
			first = p;
			n = (slash = strrchr(p, '/')) ? (size_t)(slash - p) + 1 : 0;
		}
		while (n && strncmp(p, first, n) != 0)
			do
				n--;
			while (n && first[n - 1] != '/');
	}
	return n;
}

static void
give_paths(collect *k)
{
	vc *c = k->t->c;
	size_t skip = common_folder(k);
	tosca_files *only = k->n ? k->f[0].files : NULL;
	for (uint32_t i = 0; i < k->n; i++)
		if (k->f[i].files != only)
			only = NULL;
	for (uint32_t i = 0; i < k->n; i++) {
		found *f = &k->f[i];
		uint32_t archive = 1;
		for (uint32_t j = 0; j < i && k->f[j].files != f->files; j++)
			archive += k->f[j].files != NULL;
		f->blob.path = !f->files ? f->path + skip
			       : only    ? f->path
					 : vc_format(c, "archive-%u/%s", archive, f->path);
	}
}

static int
by_name(const void *a, const void *b)
{
	const vt_tblobref *x = a, *y = b;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return x->blob < y->blob ? -1 : x->blob > y->blob;
}

void
tosca_look_for_files(struct tosca *t, const vt_tmodel *m)
{
	tosca_blobs none = {0};
	collect k = {.t = t, .m = m, .out = &none, .looks = true};
	add_all(&k);
}

void
tosca_collect_blobs(struct tosca *t, const vt_tmodel *m, tosca_blobs *out)
{
	collect k = {.t = t, .m = m, .out = out};
	add_all(&k);
	give_paths(&k);
	for (uint32_t i = 0; i < k.n; i++)
		vc_push(t->c, out->blob, out->n) = k.f[i].blob;
	if (out->nrefs)
		qsort(out->ref, out->nrefs, sizeof *out->ref, by_name);
}
