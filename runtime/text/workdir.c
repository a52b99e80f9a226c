/*
 * workdir.c - a directory for a while: workdir.h.
 */
#define _GNU_SOURCE
#include "runtime/text/workdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char prefix[] = "vetro-build-";
enum { RANDOM = 6 };

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)st, (void)type, (void)f;
	(void)remove(path);
	return 0;
}

static void
remove_tree(const char *path)
{
	(void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Ours, and nobody's any more. */
static void
sweep_one(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
		remove_tree(path);
	close(fd);
}

static void
sweep(const char *folder)
{
	size_t n = sizeof prefix - 1;
	DIR *d = opendir(folder);

	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
		char *path;
		if (strncmp(e->d_name, prefix, n) != 0 || strlen(e->d_name) != n + RANDOM)
			continue;
		path = vt_asprintf("%s/%s", folder, e->d_name);
		sweep_one(path);
		free(path);
	}
	if (d != NULL)
		closedir(d);
}

bool
vt_workdir_make(vt_workdir *w)
{
	const char *set = getenv("TMPDIR"), *folder = set && *set ? set : "/tmp";
	struct stat st;

	sweep(folder);
	for (int tries = 0; tries < 100; tries++) {
		*w = (vt_workdir){vt_asprintf("%s/%sXXXXXX", folder, prefix), -1};
		if (mkdtemp(w->path) == NULL)
			return false;
		w->lock = open(w->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		/* who swept between the two calls took it for a left one */
		if (w->lock >= 0 && flock(w->lock, LOCK_EX | LOCK_NB) == 0 &&
			fstat(w->lock, &st) == 0 && st.st_nlink > 0)
			return true;
		vt_workdir_remove(w);
	}
	*w = (vt_workdir){vt_xstrdup(folder), -1};
	errno = EEXIST;
	return false;
}

void
vt_workdir_remove(vt_workdir *w)
{
	if (w->lock >= 0) {
		remove_tree(w->path);
		close(w->lock);
	}
	free(w->path);
	*w = (vt_workdir){NULL, -1};
}
