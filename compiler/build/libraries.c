/*
 * libraries.c - where the libraries are that a binary is linked with.
 *
 * A binary should need nothing of the machine it runs on, so libraries come from their archives.
 * The compiler's own directories are looked through, in its order, as the linker would.
 */
#include "compiler/base/base.h"
#include "compiler/build/build.h"
#include "runtime/core/value.h"

#include <string.h>
#include <unistd.h>

const char *
vc_library_file(vc *c, const char *dirs, const char *file)
{
	while (*dirs) {
		size_t n = strcspn(dirs, ":");
		const char *path = vc_format(c, "%.*s/%s", (int)n, dirs, file);
		if (n && access(path, R_OK) == 0)
			return path;
		dirs += n + (dirs[n] == ':');
	}
	return NULL;
}

/* Of what `cc -print-search-dirs` says: "libraries: =DIR:DIR". */
const char *
vc_library_dirs(vc *c, const char *told)
{
	static const char label[] = "libraries: =";
	const char *at = strstr(told, label);

	if (at == NULL)
		return "";
	at += sizeof label - 1;
	return vc_strndup(c, at, strcspn(at, "\n"));
}

const char *
vc_library_argument(vc *c, const char *dirs, const char *name)
{
	const char *archive = vc_library_file(c, dirs, vc_format(c, "lib%s.a", name));

	if (archive)
		return archive;
	if (c->verbose)
		vt_say("vetro: lib%s.a is not on this machine: the binary loads lib%s\n", name,
			name);
	return vc_format(c, "-l%s", name);
}
