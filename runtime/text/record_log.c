/*
 * record_log.c - files of numbered records that survive a kill at any moment: record_log.h.
 */
#include "runtime/text/record_log.h"
#include "runtime/core/printable.h"
#include "runtime/text/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEAD "{\"crc\":\""
#define SEQ "\"seq\":"
enum { NHEAD = sizeof HEAD - 1, NCRC = 8, NBODY = NHEAD + NCRC + 2, NSEQ = sizeof SEQ - 1 };
static const int64_t most_bytes = UINT32_MAX;

/* The polynomial of IEEE 802.3, half a byte at a time. */
static uint32_t
crc32_of(const char *p, size_t n)
{
	static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
		0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8,
		0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
	uint32_t c = 0xffffffff;

	for (size_t i = 0; i < n; i++) {
		c = c >> 4 ^ table[(c ^ (unsigned char)p[i]) & 15];
		c = c >> 4 ^ table[(c ^ (unsigned char)p[i] >> 4) & 15];
	}
	return ~c;
}

/* ---- opening ---- */

static bool
fails(vt_record_log *l, char **why, const char *text)
{
	*why = vt_xstrdup(text);
	if (l->fd >= 0)
		close(l->fd);
	free(l->path);
	return false;
}

/* A child of a process that was just killed may hold its lock until it dies too. */
static bool
lock(int fd)
{
	const struct timespec pause = {0, 10000000};

	for (int tries = 0; tries < 70; tries++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return true;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return false;
		(void)nanosleep(&pause, NULL);
	}
	errno = EWOULDBLOCK;
	return false;
}

bool
vt_log_open(vt_record_log *l, const char *path, char **why)
{
	struct stat st;

	*l = (vt_record_log){.path = vt_xstrdup(path)};
	do
		l->fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	while (l->fd < 0 && vt_room_may_come());
	if (l->fd < 0 || fstat(l->fd, &st) != 0)
		return fails(l, why, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fails(l, why, "it is no plain file");
	if (!lock(l->fd))
		return fails(l, why,
			errno == EWOULDBLOCK ? "another process uses the journal: it belongs to a "
					       "run that is still under way; wait for its end"
					     : strerror(errno));
	/* who had it may have removed it before the lock was ours */
	if (fstat(l->fd, &st) != 0 || st.st_nlink == 0)
		return fails(l, why, "it belongs to a run that has just ended; try again");
	return true;
}

bool
vt_log_look(vt_record_log *l, const char *path, char **why)
{
	struct stat st;
	int error;

	*l = (vt_record_log){.path = vt_xstrdup(path), .looks = true};
	l->fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (l->fd >= 0 && fstat(l->fd, &st) == 0 && S_ISREG(st.st_mode))
		return true;
	error = l->fd < 0 ? errno : EINVAL;
	(void)fails(l, why, l->fd < 0 ? strerror(error) : "it is no plain file");
	errno = error;
	return false;
}

bool
vt_log_is_held(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return held;
}

/* ---- reading ---- */

static bool
is_whole(const char *p, size_t n)
{
	char crc[NCRC + 1];

	if (n <= NBODY || memcmp(p, HEAD, NHEAD) != 0 || memcmp(p + NHEAD + NCRC, "\",", 2) != 0)
		return false;
	snprintf(crc, sizeof crc, "%08x", crc32_of(p + NBODY, n - NBODY));
	return memcmp(crc, p + NHEAD, NCRC) == 0;
}

static bool
has_number(const char *p, size_t n, uint64_t seq)
{
	char want[sizeof SEQ + 24];
	size_t k = (size_t)snprintf(want, sizeof want, SEQ "%llu", (unsigned long long)seq);

	return n > NBODY + k && memcmp(p + NBODY, want, k) == 0 &&
	       (p[NBODY + k] == ',' || p[NBODY + k] == '}');
}

static char *
read_file(int fd, size_t *n)
{
	struct stat st;
	char *p;

	*n = 0;
	if (fstat(fd, &st) != 0)
		return NULL;
	if (st.st_size > most_bytes) {
		errno = EFBIG;
		return NULL;
	}
	p = vt_xmalloc((size_t)st.st_size + 1);
	while (*n < (size_t)st.st_size) {
		ssize_t k = pread(fd, p + *n, (size_t)st.st_size - *n, (off_t)*n);
		if (k == 0)
			break;
		if (k < 0 && errno != EINTR) {
			free(p);
			return NULL;
		}
		*n += k > 0 ? (size_t)k : 0;
	}
	return p;
}

/* Lines by themselves are a journal too: those before the damage are the way out. */
static bool
damaged(const vt_record_log *l, char **why, const char *what)
{
	unsigned long long whole = l->seq;
	vt_buf path = {0};

	vt_put_sh(&path, l->path, strlen(l->path));
	if (whole == 0)
		*why = vt_asprintf("%s: record 1 (line 1)\n  hint: nothing before it is whole: put "
				   "the file aside, and what it noted is done again",
			what);
	else
		*why = vt_asprintf("%s: record %llu (line %llu)\n  hint: head -n %llu %.*s prints "
				   "what is whole: put that in its place, and what came behind is "
				   "done again",
			what, whole + 1, whole + 1, whole, (int)path.n, path.p);
	vt_buf_free(&path);
	return false;
}

/* Only what the last line would have begun is not there.  The first one begins nothing. */
static bool
is_torn(const vt_record_log *l, const char *p, const char *end, const char *stop)
{
	return end == NULL || (l->seq == 0 && end + 1 == stop);
}

static bool
read_records(vt_record_log *l, const char *p, size_t n, vt_log_take *take, void *ctx, char **why)
{
	const char *stop = p + n;

	while (p < stop) {
		const char *end = memchr(p, '\n', (size_t)(stop - p));
		size_t k = (size_t)((end ? end : stop) - p);
		if (!end || !is_whole(p, k)) {
			if (is_torn(l, p, end, stop))
				break;
			return damaged(l, why, "the journal is damaged");
		}
		if (!has_number(p, k, l->seq))
			return damaged(l, why, "the journal lacks a record");
		if (!take(ctx, l->seq, p + NBODY, k - NBODY - 1))
			return damaged(l, why, "the journal has a record that is not understood");
		l->seq++;
		l->size += k + 1;
		p = end + 1;
	}
	return true;
}

bool
vt_log_read(vt_record_log *l, vt_log_take *take, void *ctx, char **why)
{
	size_t n;
	char *text = read_file(l->fd, &n);
	bool good;

	if (text == NULL) {
		*why = vt_xstrdup(strerror(errno));
		return false;
	}
	l->seq = l->size = 0;
	good = n == 0 || memcmp(text, HEAD, n < NHEAD ? n : NHEAD) == 0;
	if (!good)
		*why = vt_xstrdup("the file is no journal");
	good = good && read_records(l, text, n, take, ctx, why);
	free(text);
	if (good && !l->looks && l->size < n && ftruncate(l->fd, (off_t)l->size) != 0) {
		*why = vt_xstrdup(strerror(errno));
		good = false;
	}
	return good;
}

/* ---- writing ---- */

void
vt_log_add(vt_record_log *l, const char *fields, size_t n)
{
	size_t at = l->waiting.n;
	char crc[NCRC + 1];
	char *p;

	vt_buf_printf(&l->waiting, HEAD "00000000\"," SEQ "%llu,", (unsigned long long)l->seq++);
	vt_buf_put(&l->waiting, fields, n);
	vt_buf_putc(&l->waiting, '}');
	p = l->waiting.p + at;
	snprintf(crc, sizeof crc, "%08x", crc32_of(p + NBODY, l->waiting.n - at - NBODY));
	memcpy(p + NHEAD, crc, NCRC);
	vt_buf_putc(&l->waiting, '\n');
}

bool
vt_log_write(vt_record_log *l)
{
	size_t done = 0;

	while (done < l->waiting.n) {
		ssize_t k = pwrite(
			l->fd, l->waiting.p + done, l->waiting.n - done, (off_t)(l->size + done));
		if (k < 0 && errno != EINTR && !vt_room_may_come())
			return false;
		done += k > 0 ? (size_t)k : 0;
	}
	l->unsynced |= done > 0;
	l->size += done;
	l->waiting.n = 0;
	return true;
}

bool
vt_log_sync(vt_record_log *l)
{
	if (!vt_log_write(l))
		return false;
	while (l->unsynced && fdatasync(l->fd) != 0 && errno != EINVAL)
		if (!vt_room_may_come())
			return false;
	l->unsynced = false;
	return true;
}

bool
vt_log_restart(vt_record_log *l)
{
	if (ftruncate(l->fd, 0) != 0)
		return false;
	l->size = l->seq = 0;
	l->waiting.n = 0;
	return true;
}

bool
vt_log_close(vt_record_log *l, bool remove)
{
	bool good = !remove || unlink(l->path) == 0;

	if (remove && good)
		vt_sync_folder(l->path);
	close(l->fd);
	vt_buf_free(&l->waiting);
	free(l->path);
	return good;
}
