/*
 * emit_files.c - the files that a service's operations need, to be embedded in its binary.
 *
 * A name is seen from the folder of the file that says it, within what that file may not leave (an
 * archive or a directory), else in the file system.  Scripts find each other by their relative
 * paths, so what is embedded keeps them: paths are relative to the one folder that has all files of
 * the file system; each archive is a folder of its own beside them, unless all there is comes from
 * one.
 */
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
	bool looks; /* only whether they are there */
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
in_archive(collect *k, const tosca_unit *u, const char *name)
{
	vc *c = k->t->c;
	const char *tries[] = {
		*name == '/' ? name + strspn(name, "/") : tosca_join(c, u->path, name), name};
	for (size_t i = 0; i < VC_LEN(tries); i++) {
		const char *normal = vc_path_normal(c, tries[i]);
		if (normal && tosca_files_has(k->t, u->files, normal))
			return normal;
	}
	return NULL;
}

/* Where the root's folder has it, a name that is seen from elsewhere is taken too.  outside: there
 * is one, but where the service may not take files from. */
static const char *
in_file_system(collect *k, const tosca_unit *u, const char *name, bool *outside)
{
	vc *c = k->t->c;
	const char *bases[] = {u->path, k->t->root ? k->t->root->path : NULL};
	for (size_t i = 0; i < VC_LEN(bases); i++) {
		const char *path = *name == '/' ? name
				   : bases[i] && (!i || !k->t->root->files)
					   ? tosca_join(c, bases[i], name)
					   : NULL;
		bool out = false;
		const char *real = path && tosca_is_file(path) ? vc_allowed(c, path, &out) : NULL;
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

/* needed: an operation runs it, so that its absence is worth a word. */
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
	const char *path =
		u->files ? in_archive(k, u, text->s) : in_file_system(k, u, text->s, &outside);
	uint32_t i = path && !k->looks ? add_file(k, u->files, path) : UINT32_MAX;
	if (!path && outside && k->looks)
		return; /* a build says so */
	if (!path && outside)
		tosca_leads_out(k->t, tosca_span(k->t, at), text->s);
	else if (!path && needed && !names_artifact(k->m, name))
		vc_report(k->t->c, VC_W2005, tosca_span(k->t, at),
			"there is no file '%s' beside %s", text->s, u->src->name);
	if (i != UINT32_MAX)
		vc_push(k->t->c, k->out->ref, k->out->nrefs) = (vt_tblobref){file, name, i};
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
			add_name(k, o->from, o->primary, o->place, true);
		for (uint32_t d = 0; d < o->dependencies.n; d++)
			add_name(k, o->from, m->index[o->dependencies.first + d], o->place, true);
	}
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
	return x->name < y->name ? -1 : x->name > y->name;
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
