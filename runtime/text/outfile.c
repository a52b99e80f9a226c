/*
 * outfile.c - files that are read as a whole, and replaced as a whole or not at all.
 */
#define _GNU_SOURCE
#include "runtime/text/outfile.h"
#include "runtime/core/printable.h"
#include "runtime/task/task.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool
vt_read_all(FILE *f, size_t most, vt_buf *b)
{
	char chunk[65536];
	size_t n;
	while (f && (n = fread(chunk, 1, sizeof chunk, f)) > 0) {
		if (n > most || b->n > most - n) {
			errno = EFBIG;
			return false;
		}
		vt_buf_put(b, chunk, n);
	}
	return f && !ferror(f);
}

bool
vt_read_file(const char *path, size_t most, vt_buf *b)
{
	FILE *f = fopen(path, "rbe");
	bool ok = vt_read_all(f, most, b);
	int why = errno;
	if (f)
		fclose(f);
	errno = why;
	return ok;
}

bool
vt_write_file(const char *path, const char *p, size_t n)
{
	FILE *f = fopen(path, "wbe");
	bool ok = f && fwrite(p, 1, n, f) == n;
	if (f && fclose(f) != 0)
		ok = false;
	return ok;
}

bool
vt_make_folders(char *path, size_t from)
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

static bool waits_for_room, told_of_room;

void
vt_wait_for_room(bool on)
{
	waits_for_room = on;
	told_of_room = false;
}

bool
vt_room_may_come(void)
{
	static const struct timespec pause = {.tv_nsec = 500 * 1000 * 1000};

	if (!waits_for_room || (errno != ENOSPC && errno != EDQUOT))
		return false;
	if (!told_of_room)
		vt_say("waits for room: %s\n", strerror(errno));
	told_of_room = true;
	nanosleep(&pause, NULL);
	return true;
}

bool
vt_write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t k = write(fd, p, n);
		if (k < 0 && (errno == EINTR || vt_room_may_come()))
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

/*
 * The file is a new one. Only who made the one before has chosen its group and permissions; what
 * somebody else has put there says nothing, and no file is to run as another user.
 */
static bool
take_over(int fd, const char *path, unsigned flags)
{
	struct stat st;
	mode_t mask;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()) {
		bool same = fchown(fd, (uid_t)-1, st.st_gid) == 0;
		return fchmod(fd, st.st_mode & (same ? 0777 : 0707)) == 0;
	}
	if (flags & VT_FILE_PRIVATE)
		return true; /* as mkostemp made it */
	mask = umask(0);
	umask(mask);
	return fchmod(fd, 0666 & ~mask) == 0;
}

void
vt_sync_folder(const char *path)
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

/*
 * What is being written has the name NAME.vetro-XXXXXX, and its process holds a lock on it: one
 * that nobody holds is what a killed process left.
 */
static const char unfinished[] = ".vetro-";
enum { RANDOM = 6 };

static bool
make_unfinished(vt_outfile *o)
{
	struct stat st;

	for (int tries = 0; tries < 100; tries++) {
		o->tmp = vt_asprintf("%s%sXXXXXX", o->to, unfinished);
		o->fd = mkostemp(o->tmp, O_CLOEXEC);
		if (o->fd < 0)
			return false;
		/* who swept between the two calls took it for a left one */
		(void)flock(o->fd, LOCK_EX | LOCK_NB);
		if (fstat(o->fd, &st) == 0 && st.st_nlink > 0)
			return true;
		close(o->fd);
		free(o->tmp);
	}
	o->tmp = NULL;
	o->fd = -1;
	errno = EEXIST;
	return false;
}

static void
sweep_one(int folder, const char *name)
{
	struct stat st;
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		flock(fd, LOCK_EX | LOCK_NB) == 0)
		(void)unlinkat(folder, name, 0);
	close(fd);
}

void
vt_sweep_unfinished(const char *path)
{
	char *real = realpath(path, NULL), *to = real ? real : vt_xstrdup(path),
	     *slash = strrchr(to, '/'), *name = slash ? slash + 1 : to,
	     *prefix = vt_asprintf("%s%s", name, unfinished);
	size_t n = strlen(prefix);
	DIR *d;

	if (slash)
		*slash = '\0';
	d = opendir(slash == NULL ? "." : *to ? to : "/");
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
		if (strncmp(e->d_name, prefix, n) == 0 && strlen(e->d_name) == n + RANDOM)
			sweep_one(dirfd(d), e->d_name);
	if (d != NULL)
		closedir(d);
	free(prefix);
	free(to);
}

/* A link of somebody else may lead anywhere: it is replaced, not followed. */
static bool
is_foreign_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && st.st_uid != geteuid() &&
	       st.st_uid != 0;
}

static _Thread_local vt_outfile *begun;

void
vt_outfile_abandon(void)
{
	for (vt_outfile *o = begun; o != NULL; o = o->outer)
		(void)unlink(o->tmp);
}

static void
vt_outfile_begin(vt_outfile *o, const char *path, unsigned flags)
{
	*o = (vt_outfile){.flags = flags};
	if (!is_foreign_link(path))
		o->real = realpath(path, NULL); /* a link stays one */
	o->to = o->real ? o->real : path;
	if (!(flags & VT_FILE_HASTY))
		vt_sweep_unfinished(o->to);
	if (!make_unfinished(o)) {
		o->why = errno;
		return;
	}
	o->outer = begun;
	begun = o;
	if (!take_over(o->fd, o->to, flags))
		o->why = errno;
}

static void
forget_begun(const vt_outfile *o)
{
	vt_outfile **at = &begun;

	while (*at != NULL && *at != o)
		at = &(*at)->outer;
	if (*at != NULL)
		*at = o->outer;
}

static void
vt_outfile_put(vt_outfile *o, const char *p, size_t n)
{
	if (o->why == 0 && !vt_write_all(o->fd, p, n))
		o->why = errno;
}

static bool
vt_outfile_end(vt_outfile *o)
{
	if (o->why == 0 && !(o->flags & VT_FILE_HASTY) && fsync(o->fd) != 0)
		o->why = errno;
	if (o->fd >= 0 && close(o->fd) != 0 && o->why == 0)
		o->why = errno;
	if (o->why == 0 && rename(o->tmp, o->to) != 0)
		o->why = errno;
	if (o->why == 0 && !(o->flags & VT_FILE_HASTY))
		vt_sync_folder(o->to);
	if (o->why != 0 && o->fd >= 0)
		unlink(o->tmp);
	forget_begun(o);
	free(o->tmp);
	free(o->real);
	errno = o->why;
	return o->why == 0;
}

bool
vt_replace_file(const char *path, const char *p, size_t n, unsigned flags)
{
	vt_outfile o;

	vt_outfile_begin(&o, path, flags);
	vt_outfile_put(&o, p, n);
	return vt_outfile_end(&o);
}

static bool
is_standard(const char *path)
{
	return path == NULL || strcmp(path, "-") == 0;
}

static void
open_output(vt_output *o)
{
	o->open = true;
	o->fd = -1;
	if (is_standard(o->path))
		return;
	if (vt_is_special(o->path)) {
		o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
		o->why = o->fd < 0 ? errno : 0;
		return;
	}
	vt_interrupt_block(true);
	vt_outfile_begin(&o->file, o->path, o->flags);
}

/* A pipe has no disk behind it. */
static bool
end_standard(const vt_output *o)
{
	struct stat st;

	if (fflush(stdout) != 0 || ferror(stdout))
		return false;
	return !(o->flags & VT_FILE_DURABLE) || fstat(STDOUT_FILENO, &st) != 0 ||
	       !S_ISREG(st.st_mode) || fsync(STDOUT_FILENO) == 0;
}

static bool
is_replaced(const vt_output *o)
{
	return !is_standard(o->path) && o->fd < 0 && o->why == 0;
}

void
vt_output_put(vt_output *o, const char *p, size_t n)
{
	if (!o->open)
		open_output(o);
	if (o->why != 0 || n == 0)
		return;
	if (is_replaced(o))
		vt_outfile_put(&o->file, p, n);
	else if (is_standard(o->path) ? fwrite(p, 1, n, stdout) != n : !vt_write_all(o->fd, p, n))
		o->why = errno;
}

bool
vt_output_end(vt_output *o)
{
	if (is_replaced(o)) {
		o->why = vt_outfile_end(&o->file) ? 0 : errno;
		vt_interrupt_block(false);
	} else if (is_standard(o->path)) {
		if (o->why == 0 && !end_standard(o))
			o->why = errno ? errno : EIO;
	} else if (o->fd >= 0 && close(o->fd) != 0 && o->why == 0) {
		o->why = errno;
	}
	if (o->why != 0)
		vt_say("%s: %s: %s\n", o->self, is_standard(o->path) ? "standard output" : o->path,
			strerror(o->why));
	return o->why == 0;
}

bool
vt_put_output(const char *self, const char *path, const vt_buf *b, unsigned flags)
{
	vt_output o = {.self = self, .path = path, .flags = flags};

	vt_output_put(&o, b->p, b->n);
	return vt_output_end(&o);
}
