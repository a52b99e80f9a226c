/*
 * op_files.c - the directory of an operation: its scripts and artifacts are unpacked there, and go
 * with it.
 */
#define _GNU_SOURCE
#include "runtime/deploy/op.h"
#include "runtime/text/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
vt_op_write(const char *path, const char *p, size_t n, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	bool ok = fd >= 0;
	while (ok && n > 0) {
		ssize_t k = write(fd, p, n);
		if (k < 0 && errno == EINTR)
			continue;
		ok = k > 0;
		p += k > 0 ? k : 0;
		n -= k > 0 ? (size_t)k : 0;
	}
	if (fd >= 0 && close(fd) != 0)
		ok = false;
	return ok;
}

/* Who built the binary gave paths that stay below; a binary that somebody changed must not get out
 * either. */
static bool
is_safe(const char *path)
{
	for (const char *p = path; *p;) {
		size_t n = strcspn(p, "/");
		if (n == 0 || (n == 1 && *p == '.') || (n == 2 && !memcmp(p, "..", 2)))
			return false;
		p += n + (p[n] == '/');
	}
	return *path != '\0';
}

const vt_tblobref *
vt_tosca_blobs(const vt_tprogram *p, uint32_t file, uint32_t name, uint32_t *n)
{
	uint32_t lo = 0, hi = p->nrefs;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const vt_tblobref *r = &p->refs[mid];
		if (r->file < file || (r->file == file && r->name < name))
			lo = mid + 1;
		else
			hi = mid;
	}
	for (*n = 0; lo + *n < p->nrefs && p->refs[lo + *n].file == file &&
		     p->refs[lo + *n].name == name;
		++*n)
		;
	return p->refs + lo;
}

/* Its path, malloc'd; NULL: reported. A file that is there already is the same. */
static char *
unpack(vt_operation *o, const vt_tblob *b)
{
	char *path = vt_asprintf("%s/%s", o->files, b->path);
	vt_push(o->blobs, o->nblobs) = b;
	if (!is_safe(b->path)) {
		vt_op_fail(o, "the file '%s' has no path that may be used", b->path);
	} else if (!vt_make_folders(path, strlen(o->files) + 1) ||
		   (!vt_op_write(path, b->data, b->n, b->executable ? 0700 : 0600) &&
			   errno != EEXIST)) {
		vt_op_fail(o, "%s cannot be written: %s", path, strerror(errno));
	} else {
		return path;
	}
	free(path);
	return NULL;
}

static const vt_tartifact *
find_artifact(const vt_tosca *t, const vt_tnodei *n, uint32_t name)
{
	vt_tspan spans[] = {n->t->artifacts, t->m->type[n->t->type].artifacts};
	for (size_t k = 0; k < VT_LEN(spans); k++)
		for (uint32_t i = 0; i < spans[k].n; i++)
			if (t->m->artifact[spans[k].first + i].name == name)
				return &t->m->artifact[spans[k].first + i];
	return NULL;
}

/* All files of a name.  False: reported. */
static bool
unpack_all(vt_operation *o, const vt_tblobref *r, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		char *path = unpack(o, &o->d->p->blobs[r[i].blob]);
		if (!path)
			return false;
		free(path);
	}
	return true;
}

/* A file, or the name of an artifact of the node. */
static const vt_tblobref *
find_named(vt_operation *o, uint32_t name, const vt_tartifact **artifact, uint32_t *n)
{
	const vt_tartifact *a = find_artifact(o->t, o->a->node, name);
	if (artifact)
		*artifact = a;
	return a ? vt_tosca_blobs(o->d->p, a->place.file, a->file, n)
		 : vt_tosca_blobs(o->d->p, o->a->op->from, name, n);
}

static bool
was_missing(vt_operation *o, uint32_t name)
{
	return vt_op_fail(o, "the file '%s' was not there when this program was built",
		vt_tosca_text(o->t, name));
}

static bool
unpack_primary(vt_operation *o)
{
	const vt_top *op = o->a->op;
	const vt_tblobref *r;
	uint32_t n;
	if (op->artifact) {
		o->artifact = &o->t->m->artifact[op->artifact];
		r = vt_tosca_blobs(o->d->p, o->artifact->place.file, o->artifact->file, &n);
	} else {
		r = find_named(o, op->primary, &o->artifact, &n);
	}
	if (!n)
		return was_missing(o, op->primary);
	o->primary = unpack(o, &o->d->p->blobs[r->blob]);
	return o->primary != NULL;
}

/* Calls `each` for the files of dependencies and of artifacts of the node. */
static bool
each_other(vt_operation *o, bool (*each)(vt_operation *, const vt_tblobref *, uint32_t))
{
	const vt_top *op = o->a->op;
	const vt_tnodei *node = o->a->node;
	vt_tspan spans[] = {node->t->artifacts, o->t->m->type[node->t->type].artifacts};
	uint32_t n;
	for (uint32_t i = 0; i < op->dependencies.n; i++) {
		uint32_t name = o->t->m->index[op->dependencies.first + i];
		const vt_tblobref *r = find_named(o, name, NULL, &n);
		if (!n)
			return was_missing(o, name);
		if (!each(o, r, n))
			return false;
	}
	for (size_t k = 0; k < VT_LEN(spans); k++)
		for (uint32_t i = 0; i < spans[k].n; i++) {
			const vt_tartifact *a = &o->t->m->artifact[spans[k].first + i];
			const vt_tblobref *r = vt_tosca_blobs(o->d->p, a->place.file, a->file, &n);
			if (!each(o, r, n))
				return false;
		}
	return true;
}

bool
vt_op_add_file(vt_operation *o, const char *path, const char *text, size_t n, bool runs)
{
	for (uint32_t i = 0; i < o->nblobs; i++)
		if (!strcmp(o->blobs[i]->path, path))
			return true;
	vt_tblob *b = vt_xmalloc(sizeof *b);
	*b = (vt_tblob){vt_xstrdup(path), text, (uint32_t)n, runs};
	vt_push(o->own, o->nown) = b;
	char *there = unpack(o, b);
	free(there);
	return there != NULL;
}

/* Below a folder of files/, unless something is there. */
static bool
put_below(vt_operation *o, const char *folder, size_t nfolder, const char *rest, size_t nrest,
	const vt_tblob *b, const char *tail)
{
	char *path = vt_asprintf("%.*s%.*s%s", (int)nfolder, folder, (int)nrest, rest, tail);
	bool ok = !is_safe(path) || vt_op_add_file(o, path, b->data, b->n, b->executable);
	free(path);
	return ok;
}

/* Others look for it beside the script, or in the working directory, with and without the folders
 * of its name. */
static bool
put_beside(vt_operation *o, const vt_tblobref *r, uint32_t n)
{
	const char *script = o->primary + strlen(o->files) + 1, *slash = strrchr(script, '/');
	size_t folder = slash ? (size_t)(slash + 1 - script) : 0;
	for (uint32_t i = 0; i < n; i++) {
		const vt_tblob *b = &o->d->p->blobs[r[i].blob];
		const char *name = r[i].name ? vt_tosca_text(o->t, r[i].name) : "",
			   *last = strrchr(name, '/'),
			   *tail = b->path + strlen(b->path) - r[i].tail;
		size_t more = last && *name != '/' ? (size_t)(last + 1 - name) : 0;
		if (!put_below(o, script, folder, "", 0, b, tail) ||
			!put_below(o, "", 0, "", 0, b, tail) ||
			!put_below(o, script, folder, name, more, b, tail) ||
			!put_below(o, "", 0, name, more, b, tail))
			return false;
	}
	return true;
}

/* What scripts ask ctx for by paths below the folder of the service. */
static bool
unpack_resources(vt_operation *o)
{
	const vt_tmodel *m = o->t->m;
	uint32_t n = 0;
	const vt_tblobref *r = NULL;
	for (uint32_t file = 0; !n && file < m->n_file; file++)
		r = vt_tosca_blobs(o->d->p, file, 0, &n);
	return n == 0 || (unpack_all(o, r, n) && put_beside(o, r, n));
}

bool
vt_op_unpack(vt_operation *o)
{
	if (!unpack_primary(o) || !each_other(o, unpack_all) || !each_other(o, put_beside))
		return false;
	return !vt_op_uses_ctx(o) || (unpack_resources(o) && vt_op_add_ctx(o));
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)st, (void)type, (void)f;
	(void)remove(path);
	return 0;
}

void
vt_op_remove(const char *dir)
{
	(void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
