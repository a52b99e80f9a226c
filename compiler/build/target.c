/*
 * target.c - for which machine a binary is built: the C compiler and the runtime of that one.
 *
 * The runtime of this machine lies beside the command or in ../lib/vetro.  That of another one,
 * which `make target` makes, is in a folder there that is called as its compiler is:
 * aarch64-linux-gnu has aarch64-linux-gnu-gcc.  What a folder `lib` in either has of libraries goes
 * before those that the compiler finds.
 */
#include "compiler/build/build.h"
#include "runtime_id.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool
has_runtime(vc *c, const char *dir)
{
	return access(vc_format(c, "%s/libvt.a", dir), R_OK) == 0;
}

/* $VETRO_HOME, beside the executable, or ../lib/vetro. */
static const char *
own_home(vc *c)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	const char *env = getenv("VETRO_HOME"), *dir;

	if (env && *env)
		return env;
	exe[n < 0 ? 0 : n] = '\0';
	if (strrchr(exe, '/'))
		*strrchr(exe, '/') = '\0';
	dir = vc_strdup(c, exe);
	return has_runtime(c, dir) ? dir : vc_format(c, "%s/../lib/vetro", dir);
}

const char *
vc_runtime_home(vc *c, const char *target)
{
	return target ? vc_format(c, "%s/%s", own_home(c), target) : own_home(c);
}

const char *
vc_compiler_name(vc *c, const char *target)
{
	const char *cc = getenv("VETRO_CC");

	if (cc && *cc)
		return cc;
	return target ? vc_format(c, "%s-gcc", target) : "cc";
}

const char *
vc_target_library_dirs(vc *c, const char *home, const char *told)
{
	const char *own = vc_format(c, "%s/lib", home);

	return access(own, R_OK) == 0 ? vc_format(c, "%s:%s", own, told) : told;
}

/* The name becomes part of paths and of a command. */
bool
vc_is_target(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-.";

	return *name && *name != '.' && *name != '-' && strspn(name, letters) == strlen(name);
}

/* Those whose runtime is here, for a hint; "" where there is none. */
static const char *
targets_here(vc *c)
{
	const char *home = own_home(c), *text = "";
	DIR *d = opendir(home);

	for (struct dirent *e; d && (e = readdir(d));)
		if (vc_is_target(e->d_name) &&
			has_runtime(c, vc_format(c, "%s/%s", home, e->d_name)))
			text = vc_format(c, "%s%s%s", text, *text ? ", " : "", e->d_name);
	if (d)
		closedir(d);
	return text;
}

/* Which runtime is at `home`; NULL: it does not say. */
static const char *
runtime_id(vc *c, const char *home)
{
	char text[64] = "";
	FILE *f = fopen(vc_format(c, "%s/include/runtime.id", home), "re");
	bool read = f && fgets(text, sizeof text, f);

	if (f)
		fclose(f);
	text[strcspn(text, "\n")] = '\0';
	return read ? vc_strdup(c, text) : NULL;
}

/* What is linked is to be of the sources that vetro is of: C calls what vetro knows of. One of this
 * machine that does not say is taken, for the linker tells of it. */
static bool
is_same(vc *c, const char *home, const char *target)
{
	const char *id = runtime_id(c, home);

	if (id ? strcmp(id, VT_RUNTIME_ID) == 0 : !target)
		return true;
	vc_report(c, VC_E0903, (vc_span){0},
		"the runtime library%s%s at %s is of another version than this vetro",
		target ? " for " : "", target ? target : "", home);
	if (target)
		vc_hint(c, "`make target TARGET=%s` makes it anew (docs/packages.md)", target);
	else
		vc_hint(c, "run `make` or `make install`, or name another one in VETRO_HOME");
	return false;
}

bool
vc_target_is_here(vc *c, const char *target)
{
	const char *home = vc_runtime_home(c, target), *here;

	if (has_runtime(c, home))
		return is_same(c, home, target);
	vc_report(c, VC_E0903, (vc_span){0}, "the runtime library%s%s is not at %s/libvt.a",
		target ? " for " : "", target ? target : "", home);
	if (!target)
		vc_hint(c, "run `make` or `make install`, or name its directory in VETRO_HOME");
	else if (*(here = targets_here(c)))
		vc_hint(c, "there is one for %s; `make target TARGET=%s` makes another", here,
			target);
	else
		vc_hint(c, "`make target TARGET=%s` makes it (docs/packages.md)", target);
	return false;
}
