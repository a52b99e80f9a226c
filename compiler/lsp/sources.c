/*
 * sources.c - files for what vetro brings: the core library and the profiles of TOSCA.
 *
 * An editor opens files only.  So a source that has none is written into the user's cache, under a
 * name that its text decides; what stands there is checked by its text.
 */
#include "compiler/build/build.h"
#include "compiler/lsp/int.h"
#include "runtime/text/outfile.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_there(const char *path, const vc_source *src)
{
	vc *look = vc_new();
	size_t n = 0;
	const char *text = access(path, R_OK) == 0 ? vc_bytes_read(look, path, &n) : NULL;
	bool same = text && n == src->n && memcmp(text, src->text, n) == 0;

	vc_free(look);
	return same;
}

/* "<core>/io/murano/Object.yaml" without what a path must not have. */
static const char *
plain_name(vc *c, const vc_source *src)
{
	char *name = vc_strdup(c, src->name), *to = name;

	for (const char *p = src->name; *p; p++) {
		bool good = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
			    (*p >= '0' && *p <= '9') || *p == '.' || *p == '-' || *p == '_';
		if (good || (*p == '/' && to > name))
			*to++ = *p == '/' ? '-' : *p;
	}
	*to = 0;
	return vt_ends_with(name, ".yaml") ? name : vc_format(c, "%s.yaml", name);
}

static const char *
cached(vc *c, const vc_source *src)
{
	const char *why, *dir = vc_cache_dir(c, &why), *path;

	if (!dir || !src->text)
		return NULL;
	dir = vc_format(c, "%s/brought-" VETRO_VERSION, dir);
	mkdir(dir, 0700);
	path = vc_format(c, "%s/%s", dir, plain_name(c, src));
	if (is_there(path, src))
		return path;
	if (!vt_replace_file(path, src->text, src->n, VT_FILE_PRIVATE))
		return NULL;
	chmod(path, 0400); /* nobody should edit it */
	return path;
}

const char *
lsp_path_of_source(vc *c, const vc_source *src)
{
	return *src->name == '<' ? cached(c, src) : vc_real_path(c, src->name);
}
