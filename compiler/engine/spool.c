/*
 * spool.c - tasks that are not answered yet, as files of one folder.
 *
 *	ID.task     the message, as it was delivered
 *	ID.lock     locked by whoever has the task, and by its worker; how far it came, its trust
 *	ID.out      frames of its worker
 *	ID.journal  what it has done outside
 *	ID.trust    the trust that was made for it, where ID.lock has no room
 *	ID.done     it was answered: kept for a day, for a delivery that comes again
 *
 * Several engines may share the folder.  A task of an engine that died is taken by the others.
 */
#define _GNU_SOURCE
#include "compiler/engine/int.h"
#include "runtime/text/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KEPT_SECONDS = 24 * 3600, TASK_MAX = 256 << 20 };
enum { ID = 32 };

static bool
is_ours(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & 077);
}

/* With the folders above it. */
static bool
make_folder(const char *path)
{
	char *copy = vt_xstrdup(path);
	bool ok = true;
	for (char *p = copy + 1; ok && *p; p++)
		if (*p == '/') {
			*p = '\0';
			ok = mkdir(copy, 0755) == 0 || errno == EEXIST;
			*p = '/';
		}
	ok = ok && (mkdir(copy, 0700) == 0 || errno == EEXIST);
	free(copy);
	return ok;
}

bool
eng_spool_open(eng_spool *s, const eng_conf *c)
{
	s->folder = vt_xstrdup(eng_conf_text(c, "vetro", "spool"));
	s->fd = -1;
	if (!make_folder(s->folder)) {
		eng_log(ENG_ERROR, NULL, "[vetro] spool: %s: %s", s->folder, strerror(errno));
		return false;
	}
	if (!is_ours(s->folder)) {
		eng_log(ENG_ERROR, NULL,
			"[vetro] spool: %s is not a folder of mode 0700 that belongs to this user",
			s->folder);
		return false;
	}
	s->fd = open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return s->fd >= 0;
}

char *
eng_spool_path(const eng_spool *s, const char *id, const char *kind)
{
	return vt_asprintf("%s/%s.%s", s->folder, id, kind);
}

static bool
exists(const eng_spool *s, const char *id, const char *kind)
{
	char *path = eng_spool_path(s, id, kind);
	bool is = access(path, F_OK) == 0;
	free(path);
	return is;
}

static void
drop(const eng_spool *s, const char *id, const char *kind)
{
	char *path = eng_spool_path(s, id, kind);
	unlink(path);
	free(path);
}

/* The file may have been removed between its opening and its lock. */
static bool
is_still_there(int fd, const char *path)
{
	struct stat a, b;
	return fstat(fd, &a) == 0 && lstat(path, &b) == 0 && a.st_ino == b.st_ino &&
	       a.st_dev == b.st_dev;
}

enum eng_claim
eng_spool_claim(const eng_spool *s, const char *id, int *lock)
{
	char *path = eng_spool_path(s, id, "lock");
	enum eng_claim got = ENG_FAULT;
	for (int round = 0; round < 5 && got == ENG_FAULT; round++) {
		int fd;
		if (exists(s, id, "done")) {
			got = ENG_DONE;
			break;
		}
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0) {
			eng_log(ENG_ERROR, NULL, "%s: %s", path, strerror(errno));
			break;
		}
		if (flock(fd, LOCK_EX | LOCK_NB) != 0)
			got = ENG_ELSEWHERE;
		else if (is_still_there(fd, path))
			got = ENG_CLAIMED;
		if (got == ENG_CLAIMED)
			*lock = fd;
		else
			close(fd);
	}
	free(path);
	return got;
}

bool
eng_spool_keep(const eng_spool *s, const char *id, const char *message, size_t n)
{
	char *path = eng_spool_path(s, id, "task");
	bool ok = vt_replace_file(path, message, n, VT_FILE_PRIVATE | VT_FILE_HASTY);
	if (!ok)
		eng_log(ENG_ERROR, NULL, "%s: %s", path, strerror(errno));
	free(path);
	return ok;
}

bool
eng_spool_is_begun(const eng_spool *s, const char *id)
{
	return exists(s, id, "out") || exists(s, id, "journal");
}

int
eng_spool_out(const eng_spool *s, const char *id)
{
	char *path = eng_spool_path(s, id, "out");
	int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		eng_log(ENG_ERROR, NULL, "%s: %s", path, strerror(errno));
	free(path);
	return fd;
}

bool
eng_spool_read(const eng_spool *s, const char *id, const char *kind, vt_buf *b)
{
	char *path = eng_spool_path(s, id, kind);
	bool ok = vt_read_file(path, TASK_MAX, b);
	free(path);
	return ok;
}

eng_mark
eng_mark_read(int lock)
{
	eng_mark m = {0};
	if (pread(lock, &m, sizeof m, 0) < (ssize_t)offsetof(eng_mark, trust))
		m = (eng_mark){0};
	m.trust[ENG_TRUST_ROOM - 1] = '\0'; /* an engine of before wrote none */
	return m;
}

bool
eng_mark_write(int lock, const eng_mark *m)
{
	if (lock < 0 || pwrite(lock, m, sizeof *m, 0) == (ssize_t)sizeof *m)
		return true;
	eng_log(ENG_WARNING, NULL, "the spool cannot be written: %s", strerror(errno));
	return false;
}

/* The task goes last: until then a kill leaves somebody who ends it. */
void
eng_spool_end(const eng_spool *s, const char *id, int lock, bool answered)
{
	char *from = eng_spool_path(s, id, "lock"), *to = eng_spool_path(s, id, "done");
	if (answered && rename(from, to) != 0)
		eng_log(ENG_WARNING, NULL, "%s: %s", to, strerror(errno));
	drop(s, id, "task");
	drop(s, id, "journal");
	drop(s, id, "trust");
	drop(s, id, "out");
	if (!answered)
		unlink(from);
	free(from);
	free(to);
	if (lock >= 0)
		close(lock);
}

static bool
is_kind(const struct dirent *e, const char *kind)
{
	return strlen(e->d_name) > ID + 1 && e->d_name[ID] == '.' &&
	       strspn(e->d_name, "0123456789abcdef") == ID && strcmp(e->d_name + ID + 1, kind) == 0;
}

void
eng_spool_each(const eng_spool *s, void (*fn)(void *ctx, const char *id), void *ctx)
{
	DIR *all = opendir(s->folder);
	for (struct dirent *e; all != NULL && (e = readdir(all)) != NULL;)
		if (is_kind(e, "task")) {
			char id[ID + 1];
			memcpy(id, e->d_name, ID);
			id[ID] = '\0';
			fn(ctx, id);
		}
	if (all != NULL)
		closedir(all);
}

void
eng_spool_sweep(const eng_spool *s)
{
	DIR *all = opendir(s->folder);
	struct timespec now;
	struct stat st;
	clock_gettime(CLOCK_REALTIME, &now);
	for (struct dirent *e; all != NULL && (e = readdir(all)) != NULL;)
		if (is_kind(e, "done") &&
			fstatat(s->fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			st.st_mtim.tv_sec + KEPT_SECONDS < now.tv_sec)
			unlinkat(s->fd, e->d_name, 0);
	if (all != NULL)
		closedir(all);
}
