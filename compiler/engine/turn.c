/*
 * turn.c - of engines that begin with the same packages at once, one compiles them.
 *
 * The others wait, and find its objects in the cache.  Whoever has waited for long compiles too:
 * the one before may hang.
 */
#define _GNU_SOURCE
#include "compiler/engine/int.h"
#include "compiler/engine/native.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE_MS = 20, PATIENCE_MS = 5000 };

/* A byte of the file stands for the packages: no file is left for each of them. */
static off_t
place_of(const eng_packages *p)
{
	uint64_t h = 0;
	for (uint32_t i = 0; i < p->n; i++)
		h = h * 31 + vt_hash_bytes(p->file[i], strlen(p->file[i]));
	return (off_t)(h >> 2);
}

static bool
is_taken(int fd, off_t place)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
	return fcntl(fd, F_OFD_SETLK, &l) != 0 && (errno == EAGAIN || errno == EACCES);
}

int
eng_turn_wait(vc *c, const eng_packages *p)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
	const char *why, *dir = vc_cache_dir(c, &why);
	char *path = dir ? vt_asprintf("%s/hosts.lock", dir) : NULL;
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
	off_t place = place_of(p);
	free(path);
	for (int ms = 0; fd >= 0 && ms < PATIENCE_MS && is_taken(fd, place); ms += PAUSE_MS)
		(void)nanosleep(&pause, NULL);
	return fd;
}
