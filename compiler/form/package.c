/*
 * package.c - where the form of a package is.
 */
#include "compiler/form/form.h"
#include "compiler/murano/package.h"

#include <string.h>
#include <sys/stat.h>

static bool
is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool
is_package(const char *path)
{
	return is_directory(path) || vc_is_zip(path);
}

vc_source *
form_of_package(vc *c, const mpl_package *p)
{
	const ynode *ui =
		p->manifest && p->manifest->kind == YN_MAP ? yn_get(p->manifest, "UI") : NULL;
	const char *name = ui && yn_is_str(ui) && ui->ntext ? ui->text : "ui.yaml", *path;
	vc_source *src = NULL;

	if (p->files == NULL)
		return NULL;
	if (p->kind != MPL_MURANO)
		return mpl_made_form(c, p);
	path = vc_path_normal(c, vc_format(c, "UI/%s", name));
	src = path != NULL && strncmp(path, "UI/", 3) == 0 ? vc_files_read(c, p->files, path)
							   : NULL;
	if (src == NULL && ui != NULL && yn_is_str(ui)) {
		vc_report(c, VC_E1202, ui->span, "the package has no file UI/%s", name);
		vc_hint(c, "the manifest's UI names the file of the form, below UI/");
	}
	return src;
}

vc_source *
form_find(vc *c, const char *path, const char **package)
{
	mpl_package *p;
	vc_source *src;
	int before = vc_errors(c);

	*package = NULL;
	if (!is_package(path))
		return vc_source_read(c, path);
	p = vc_package_load(c, path, true);
	if (p == NULL)
		return NULL;
	*package = p->name;
	src = form_of_package(c, p);
	if (src == NULL && vc_errors(c) == before) {
		vc_report(c, VC_E1202, vc_file_span(c, path), "the package brings no form");
		vc_hint(c, "a form is a file UI/ui.yaml in the package");
	}
	return src;
}
