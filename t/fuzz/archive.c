/*
 * Fuzz target: bytes as a zip archive, a package's or a CSAR's. What is listed can be read or is
 * reported, has a name that stays inside, and reads the same twice. driver.c says how it is run.
 */
#define _GNU_SOURCE
#include "compiler/base/base.h"
#include "compiler/murano/package.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 200 };

static void
must(bool good)
{
	if (!good)
		abort();
}

static void
judge_name(const char *name)
{
	must(*name != '\0' && *name != '/');
	for (const char *p = name; p; p = strchr(p, '/')) {
		p += *p == '/';
		must(strncmp(p, "../", 3) != 0 && strcmp(p, "..") != 0);
	}
}

static void
read_all(vc *c, vc_files *f)
{
	size_t n, a, b;
	const char *const *names = vc_files_list(c, f, "", &n);

	for (size_t i = 0; i < n && i < MOST; i++) {
		const char *one, *two;
		judge_name(names[i]);
		one = vc_files_bytes(c, f, names[i], &a);
		two = vc_files_bytes(c, f, names[i], &b);
		must(!one == !two && (!one || (a == b && memcmp(one, two, a) == 0)));
		(void)vc_files_read(c, f, names[i]);
	}
	(void)vc_files_dead_links(c, f, "", &n);
	(void)vc_files_read(c, f, "manifest.yaml");
	(void)vc_files_read(c, f, "TOSCA-Metadata/TOSCA.meta");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	int fd = memfd_create("archive", MFD_CLOEXEC);
	vc *c = vc_new();
	vc_files *f;

	must(fd >= 0 && write(fd, data, n) == (ssize_t)n);
	f = vc_files_open(c, vc_format(c, "/proc/self/fd/%d", fd));
	if (f)
		read_all(c, f);
	vc_free(c);
	close(fd);
	return 0;
}
