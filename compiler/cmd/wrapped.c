/*
 * wrapped.c - templates that packages of murano wrap: TOSCA.CSAR/1.0, Heat.HOT/1.0 and
 * Cloudify.TOSCA/1.0.
 *
 * A CSAR in a package stands for the package: it goes through the TOSCA front end as if it had
 * been named itself.  The others are classes as well (compiler/murano/kinds.c); here their
 * templates are checked by the rules of their own language.  What is in an archive is unpacked into
 * a directory that goes with the compilation, so that imports and files find each other.
 */
#include "compiler/cmd/cmd.h"
#include "compiler/heat/heat.h"
#include "compiler/murano/package.h"

#include "runtime/text/outfile.h"
#include "runtime/text/workdir.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char csar[] = "csar.zip";

static bool
is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* ---- unpacking ---- */

static void
drop_dir(void *dir)
{
	vt_workdir_remove(dir);
}

/* Names of an archive are judged before it is opened: none leaves the directory. */
static bool
unpack_one(vc *c, vc_files *files, const char *name, const char *dir)
{
	size_t n = 0;
	char *path = vc_format(c, "%s/%s", dir, name), *data = vc_files_bytes(c, files, name, &n);

	if (data == NULL)
		return false;
	if (vt_make_folders(path, strlen(dir) + 1) && vt_write_file(path, data, n))
		return true;
	vc_report(c, VC_E0101, vc_file_span(c, path), "cannot be unpacked: %s", strerror(errno));
	return false;
}

/* Where the package's files are; NULL, reported. */
static const char *
folder_of(vc *c, const char *package)
{
	vt_workdir *w;
	vc_files *files;
	const char *const *names;
	size_t n = 0;

	if (is_directory(package))
		return package;
	files = vc_files_open(c, package);
	if (files == NULL)
		return NULL;
	w = vc_alloc(c, sizeof *w);
	if (!vt_workdir_make(w)) {
		vc_report(c, VC_E0101, vc_file_span(c, w->path), "no directory to unpack into: %s",
			strerror(errno));
		return NULL;
	}
	vc_defer(c, drop_dir, w);
	names = vc_files_list(c, files, "", &n);
	for (size_t i = 0; i < n; i++)
		if (!unpack_one(c, files, names[i], w->path))
			return NULL;
	return w->path;
}

/* ---- CSARs ---- */

/* What is wrong with the manifest is told by whoever loads the package. */
static bool
wraps_csar(vc *c, const char *path)
{
	vc *probe = vc_new();
	vc_files *files;
	vc_source *src;
	uint32_t n = 0;
	bool wraps = false;

	probe->limit = c->limit;
	files = vc_files_open(probe, path);
	src = files ? vc_files_read(probe, files, "manifest.yaml") : NULL;
	if (src) {
		ynode **docs = vc_yaml_parse(probe, src, &(vc_yaml_opts){.flags = 0}, &n);
		const ynode *format =
			n == 1 && docs[0]->kind == YN_MAP ? yn_get(docs[0], "Format") : NULL;
		wraps = format && format->kind == YN_SCALAR && format->text &&
			strcmp(format->text, "TOSCA.CSAR/1.0") == 0;
	}
	vc_free(probe);
	return wraps;
}

const char *
cmd_unwrapped(vc *c, const char *source)
{
	const char *folder;
	vc_files *files;
	int before = vc_errors(c);
	size_t n;

	if ((!is_directory(source) && !vc_is_zip(source)) || !wraps_csar(c, source))
		return source;
	/* Read as any file of a package, so that a link leads nowhere else. */
	files = vc_files_open(c, source);
	if (files && vc_files_bytes(c, files, csar, &n) && (folder = folder_of(c, source)) != NULL)
		return vc_format(c, "%s/%s", folder, csar);
	if (vc_errors(c) == before) {
		vc_report(c, VC_E0408, vc_file_span(c, source), "the package has no file %s", csar);
		vc_hint(c, "a TOSCA.CSAR package has its service there");
	}
	return NULL;
}

/* ---- checks ---- */

/* get_file of such a template finds the files below Resources/HotFiles. */
static void
check_hot(vc *c, const mpl_package *p)
{
	vc_source *src = vc_files_read(c, p->files, mpl_template_path(c, p));
	const char *folder = folder_of(c, p->path);
	heat_request r = {.path = folder ? vc_format(c, "%s/Resources/HotFiles/.", folder) : NULL};
	uint32_t n = 0;
	ynode **docs = src ? vc_yaml_parse(c, src, &heat_yaml, &n) : NULL;

	if (n == 1 && docs[0]->kind == YN_MAP)
		heat_check(c, docs[0], &r, NULL);
}

void
cmd_check_wrapped(vc *c, const cmd_options *o)
{
	uint32_t n;
	mpl_package **all = vc_packages(c, &n);

	for (uint32_t i = 0; i < n; i++) {
		const mpl_package *p = all[i];
		const char *folder;
		/* A template of which no class could be made was told to be broken. */
		if (!p->is_main || p->kind == MPL_MURANO || p->nclasses == 0)
			continue;
		if (p->kind == MPL_HOT)
			check_hot(c, p);
		else if ((folder = folder_of(c, p->path)) != NULL)
			cmd_check_tosca(
				c, vc_format(c, "%s/%s", folder, mpl_template_path(c, p)), o);
	}
}
