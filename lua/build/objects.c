/*
 * objects.c - the classes of the core library as objects that come with vetro.
 *
 *	objects PACKAGE DIRECTORY LEVEL...
 *
 * The first build of a package would compile sixty classes that are the same for everybody.
 * PACKAGE is any that uses the library; a level is that of -O, and `s` that of a static binary
 * which reaches for a cloud.
 */
#include "compiler/build/build.h"
#include "compiler/check/check.h"
#include "compiler/emit/emit.h"
#include "compiler/lower/lower.h"
#include "compiler/murano/murano.h"
#include "compiler/murano/package.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Files of classes of io.murano, in front. */
static uint32_t
keep_core(vc_cfile *files, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		vc_cfile f = files[i];

		if (strstr(f.name, "io_omurano") == NULL)
			continue;
		files[i] = files[kept];
		files[kept++] = f;
	}
	return kept;
}

static int
ship(const char *package, const char *dir, const char *level)
{
	vc *c = vc_new();
	vc_cfile *files = NULL;
	uint32_t n = 0;
	int rc = VC_EINPUT;
	ir_module *m;
	vc_build_opts o = {.out = dir,
		.ship = dir,
		.opt = *level == 's' ? 1 : atoi(level),
		.is_static = *level == 's'};

	vc_allow_beside(c, package);
	vc_package_load(c, package, true);
	vc_packages_resolve(c);
	mpl_check(c);
	m = vc_errors(c) ? NULL : vc_lower(c);
	if (m)
		files = vc_emit(c, m, NULL, false, &n);
	c->reaches_cloud |= o.is_static;
	if (files)
		rc = vc_toolchain_build(c, files, keep_core(files, n), &o);
	vc_print_diags(c, VC_TEXT, stderr);
	for (uint32_t i = 0; i < n; i++)
		vt_buf_free(&files[i].text);
	vc_free(c);
	return rc;
}

int
main(int argc, char **argv)
{
	int rc = argc > 3 ? VC_OK : VC_EINPUT;

	mkdir(argc > 2 ? argv[2] : "", 0777);
	for (int i = 3; i < argc && rc == VC_OK; i++)
		rc = ship(argv[1], argv[2], argv[i]);
	return rc;
}
