/*
 * op_files.c - the directory of an operation: its scripts and artifacts are unpacked there, and go
 * with it.
 */
#define _GNU_SOURCE
#include "runtime/deploy/op.h"

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

static bool
make_folders(char *path, size_t from)
{
	for (char *p = path + from; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		bool ok = mkdir(path, 0700) == 0 || errno == EEXIST;
		*p = '/';
		if (!ok)
			return false;
	}
	return true;
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

const vt_tblob *
vt_tosca_blob(const vt_tprogram *p, uint32_t file, uint32_t name)
{
	uint32_t lo = 0, hi = p->nrefs;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const vt_tblobref *r = &p->refs[mid];
		if (r->file == file && r->name == name)
			return &p->blobs[r->blob];
		if (r->file < file || (r->file == file && r->name < name))
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* Its path, malloc'd; NULL: reported. A file that is there already is the same. */
static char *
unpack(vt_operation *o, const vt_tblob *b)
{
	char *path = vt_asprintf("%s/%s", o->files, b->path);
	vt_push(o->blobs, o->nblobs) = b;
	if (!is_safe(b->path)) {
		vt_op_fail(o, "the file '%s' has no path that may be used", b->path);
	} else if (!make_folders(path, strlen(o->files) + 1) ||
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

/* A file, or the name of an artifact of the node. *missing: there is no such file in the binary. */
static char *
unpack_named(vt_operation *o, uint32_t name, const vt_tartifact **artifact, bool *missing)
{
	const vt_tartifact *a = find_artifact(o->t, o->a->node, name);
	const vt_tblob *b = a ? vt_tosca_blob(o->d->p, a->place.file, a->file)
			      : vt_tosca_blob(o->d->p, o->a->op->from, name);
	if (artifact)
		*artifact = a;
	*missing = b == NULL;
	return b ? unpack(o, b) : NULL;
}

static bool
unpack_artifacts(vt_operation *o)
{
	const vt_tnodei *n = o->a->node;
	vt_tspan spans[] = {n->t->artifacts, o->t->m->type[n->t->type].artifacts};
	for (size_t k = 0; k < VT_LEN(spans); k++)
		for (uint32_t i = 0; i < spans[k].n; i++) {
			const vt_tartifact *a = &o->t->m->artifact[spans[k].first + i];
			const vt_tblob *b = vt_tosca_blob(o->d->p, a->place.file, a->file);
			char *path = b ? unpack(o, b) : NULL;
			if (b && !path)
				return false;
			free(path);
		}
	return true;
}

bool
vt_op_unpack(vt_operation *o)
{
	const vt_top *op = o->a->op;
	bool missing;
	if (op->artifact) {
		const vt_tblob *b;
		o->artifact = &o->t->m->artifact[op->artifact];
		b = vt_tosca_blob(o->d->p, o->artifact->place.file, o->artifact->file);
		missing = b == NULL;
		o->primary = b ? unpack(o, b) : NULL;
	} else {
		o->primary = unpack_named(o, op->primary, &o->artifact, &missing);
	}
	if (missing)
		return vt_op_fail(o, "the file '%s' was not there when this program was built",
			vt_tosca_text(o->t, op->primary));
	for (uint32_t i = 0; o->primary && i < op->dependencies.n; i++) {
		uint32_t name = o->t->m->index[op->dependencies.first + i];
		char *path = unpack_named(o, name, NULL, &missing);
		free(path);
		if (missing)
			return vt_op_fail(o,
				"the file '%s' was not there when this program was built",
				vt_tosca_text(o->t, name));
		if (!path)
			return false;
	}
	return o->primary && unpack_artifacts(o);
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
