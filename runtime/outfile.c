/*
 * outfile.c - files that are replaced as a whole or not at all.
 */
#define _GNU_SOURCE
#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
vt_write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t k = write(fd, p, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return false;
		p += k;
		n -= (size_t)k;
	}
	return true;
}

bool
vt_is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

bool
vt_write_special(const char *path, const char *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && vt_write_all(fd, p, n);

	if (fd >= 0 && close(fd) != 0)
		ok = false;
	return ok;
}

static bool
take_over(int fd, const char *path, bool private)
{
	struct stat st;
	mode_t mask;

	if (stat(path, &st) == 0) {
		if (fchown(fd, st.st_uid, st.st_gid) == 0 || st.st_uid == geteuid())
			(void)fchmod(fd, st.st_mode & 07777);
		return true;
	}
	if (private)
		return true; /* as mkostemp made it */
	mask = umask(0);
	umask(mask);
	return fchmod(fd, 0666 & ~mask) == 0;
}

static void
sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? vt_asprintf("%.*s/", (int)(slash - path), path) : vt_xstrdup(".");
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(folder);
}

bool
vt_replace_file(const char *path, const char *p, size_t n, bool private)
{
	char *real = realpath(path, NULL); /* a link stays one */
	const char *to = real ? real : path;
	char *tmp = vt_asprintf("%s.XXXXXX", to);
	int fd = mkostemp(tmp, O_CLOEXEC), why;
	bool ok = fd >= 0 && take_over(fd, to, private) && vt_write_all(fd, p, n) && fsync(fd) == 0;

	why = errno;
	if (fd >= 0 && close(fd) != 0 && ok) {
		why = errno;
		ok = false;
	}
	if (ok && rename(tmp, to) != 0) {
		why = errno;
		ok = false;
	}
	if (ok)
		sync_folder(to);
	else if (fd >= 0)
		unlink(tmp);
	free(tmp);
	free(real);
	errno = why;
	return ok;
}

bool
vt_put_output(const char *self, const char *path, const vt_buf *b, bool private)
{
	bool ok;

	if (path == NULL || strcmp(path, "-") == 0) {
		path = "standard output";
		ok = fwrite(b->p, 1, b->n, stdout) == b->n && fflush(stdout) == 0;
	} else if (vt_is_special(path)) {
		ok = vt_write_special(path, b->p, b->n);
	} else {
		vt_interrupt_block(true);
		ok = vt_replace_file(path, b->p, b->n, private);
		vt_interrupt_block(false);
	}
	if (!ok)
		vt_say("%s: %s: %s\n", self, path, strerror(errno));
	return ok;
}
