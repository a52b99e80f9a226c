/*
 * cache.c - the user's directory of what was built before: binaries of `vetro run`, and the objects
 * that cc or libtcc made of single files, by the hash of all that they come from.
 *
 * What is found here is executed or linked, so nobody else may be able to put anything here.
 * Entries appear by rename and are never written again; a use sets the time of an entry, and what
 * was used long ago goes first when the directory is too large. What was used in the last hour
 * stays, for another process may be about to read it.
 *
 * An entry ends with a seal, which linkers and loaders of ELF do not look at: a checksum of what is
 * before it and of its name. It finds what a disk or a crash has damaged, or what stands under the
 * name of another; against people there are owner and mode, and the name, which is a SHA-256.
 */
#include "compiler/base/base.h"
#include "compiler/build/build.h"
#include "runtime/text/digest.h"
#include "runtime/text/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STAYS = 3600, TRIM_EVERY = 600 /* seconds */, DEFAULT_MIB = 1024 };

static bool
is_ours(const char *dir)
{
	struct stat st;

	return lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & 022);
}

const char *
vc_cache_dir(vc *c, const char **why)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *base, *dir;

	*why = NULL;
	if (!(xdg && *xdg) && !(home && *home)) {
		*why = "there is no place for the cache";
		return NULL;
	}
	base = xdg && *xdg ? vc_strdup(c, xdg) : vc_format(c, "%s/.cache", home);
	dir = vc_format(c, "%s/vetro", base);
	mkdir(base, 0700);
	mkdir(dir, 0700);
	if (is_ours(dir))
		return dir;
	*why = vc_format(c, "the cache %s is not a directory that only you can write to", dir);
	return NULL;
}

/* A file with its size and time would do to tell compilers from each other; the path does not
 * matter. */
static void
put_stat(vt_buf *b, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0)
		vt_buf_printf(b, "%lld %lld.%09ld\n", (long long)st.st_size,
			(long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/* The executable behind a name, as the shell finds it. */
static void
put_program(vc *c, vt_buf *b, const char *name)
{
	const char *path = getenv("PATH");

	vt_buf_printf(b, "%s\n", name);
	if (strchr(name, '/'))
		path = NULL, put_stat(b, name);
	while (path && *path) {
		size_t n = strcspn(path, ":");
		const char *file = vc_format(c, "%.*s/%s", (int)n, path, name);
		if (access(file, X_OK) == 0) {
			put_stat(b, file);
			return;
		}
		path += n + (path[n] == ':');
	}
}

void
vc_cache_base(vc *c, const char *const *argv, const char *const *headers, char base[VC_CACHE_KEY])
{
	static const char *const variables[] = {
		"CPATH", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH"};
	vt_buf b = {0};
	char hex[VT_DIGEST_TEXT];

	vt_buf_puts(&b, VETRO_VERSION "\n");
	if (argv[0] != NULL)
		put_program(c, &b, argv[0]);
	for (uint32_t i = 1; argv[i]; i++)
		vt_buf_printf(&b, "%s\n", argv[i]);
	for (uint32_t i = 0; argv[0] != NULL && i < VC_LEN(variables); i++)
		vt_buf_printf(&b, "%s\n", getenv(variables[i]) ? getenv(variables[i]) : "");
	for (uint32_t i = 0; headers[i]; i++)
		(void)vt_read_file(headers[i], SIZE_MAX, &b);
	vt_digest("sha256", b.p, b.n, hex);
	vt_buf_free(&b);
	memcpy(base, hex, VC_CACHE_KEY);
}

const char *
vc_cache_key(vc *c, const char *base, const vt_buf *text)
{
	char hex[VT_DIGEST_TEXT], both[2 * VC_CACHE_KEY];

	vt_digest("sha256", text->p, text->n, hex);
	snprintf(both, sizeof both, "%.64s%.64s", base, hex);
	vt_digest("sha256", both, 128, hex);
	return vc_format(c, "%.64s.o", hex);
}

/* ---- seals ---- */

typedef struct seal {
	char magic[8];
	uint64_t size; /* of what is before it */
	uint64_t sum[2];
} seal;
static const char seal_magic[8] = "vetro\001\r\n";

static uint64_t
stir(uint64_t h, uint64_t word, uint64_t odd)
{
	h = (h ^ word) * odd;
	return h << 29 | h >> 35;
}

/* Four lanes, so that it is as fast as memory; each tells any two words apart. */
static void
check_sum(const char *name, const unsigned char *p, size_t n, uint64_t sum[2])
{
	static const uint64_t odd[4] = {
		0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu, 0x165667b19e3779f9u, 0xd6e8feb86659fd93u};
	uint64_t h[4] = {n, 1, 2, 3}, w[4];

	for (; *name; name++)
		h[1] = stir(h[1], (unsigned char)*name, odd[1]);
	for (; n > 0; p += sizeof w, n -= n < sizeof w ? n : sizeof w) {
		if (n < sizeof w)
			memset(w, 0, sizeof w);
		memcpy(w, p, n < sizeof w ? n : sizeof w);
		for (int i = 0; i < 4; i++)
			h[i] = stir(h[i], w[i], odd[i]);
	}
	sum[0] = stir(stir(h[0], h[1], odd[2]), h[2], odd[3]);
	sum[1] = stir(stir(h[2], h[3], odd[0]), h[0], odd[1]);
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The file as memory; NULL: it is empty, or cannot be. */
static void *
map_file(int fd, size_t n)
{
	void *p = n ? mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;

	return p == MAP_FAILED ? NULL : p;
}

static bool
is_whole(int fd, size_t n, const char *name)
{
	const unsigned char *p = map_file(fd, n);
	seal s = {{0}, 0, {0, 0}};
	uint64_t sum[2] = {0, 0};

	if (p == NULL)
		return false;
	if (n > sizeof s)
		memcpy(&s, p + n - sizeof s, sizeof s);
	if (memcmp(s.magic, seal_magic, sizeof s.magic) == 0 && s.size == n - sizeof s)
		check_sum(name, p, n - sizeof s, sum);
	else
		s.sum[0] = ~sum[0];
	munmap((void *)(uintptr_t)p, n);
	return s.sum[0] == sum[0] && s.sum[1] == sum[1];
}

static bool
add_seal(int fd, const char *name)
{
	struct stat st;
	seal s;
	void *p = fstat(fd, &st) == 0 ? map_file(fd, (size_t)st.st_size) : NULL;

	if (p == NULL)
		return false;
	memcpy(s.magic, seal_magic, sizeof s.magic);
	s.size = (uint64_t)st.st_size;
	check_sum(name, p, (size_t)st.st_size, s.sum);
	munmap(p, (size_t)st.st_size);
	return pwrite(fd, &s, sizeof s, st.st_size) == (ssize_t)sizeof s;
}

static bool
is_usable(vc *c, int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
		st.st_mode & 022)
		return false;
	if (is_whole(fd, (size_t)st.st_size, base_name(path)))
		return true;
	if (c->verbose)
		vt_say("vetro: %s is damaged; it is made again\n", path);
	unlink(path);
	return false;
}

bool
vc_cache_is_whole(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		  is_whole(fd, (size_t)st.st_size, base_name(path));

	if (fd >= 0)
		close(fd);
	return ok;
}

bool
vc_cache_has(vc *c, const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool ok = fd >= 0 && is_usable(c, fd, path);

	if (ok)
		futimens(fd, NULL);
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool
copy(int from, int to)
{
	char part[1 << 15];
	ssize_t n;

	while ((n = read(from, part, sizeof part)) > 0)
		if (write(to, part, (size_t)n) != n)
			return false;
	return n == 0;
}

/* A file of this process alone beside its place. The caller ends the name's life: it is renamed or
 * removed. */
static int
make_beside(vc *c, const char *path, const char **made)
{
	*made = vc_format(c, "%s.%ld.tmp", path, (long)getpid());
	unlink(*made);
	return open(*made, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static bool
finish(int fd, const char *made, const char *path, unsigned mode)
{
	bool ok = fchmod(fd, mode) == 0 && add_seal(fd, base_name(path));

	if (close(fd) != 0)
		ok = false;
	if (ok && rename(made, path) == 0)
		return true;
	unlink(made);
	return false;
}

bool
vc_cache_put(vc *c, const char *file, const char *path, unsigned mode)
{
	const char *made;
	int from = open(file, O_RDONLY | O_CLOEXEC),
	    to = from < 0 ? -1 : make_beside(c, path, &made);
	bool ok = to >= 0 && copy(from, to);

	if (from >= 0)
		close(from);
	if (to >= 0 && ok)
		return finish(to, made, path, mode);
	if (to >= 0) {
		close(to);
		unlink(made);
	}
	return false;
}

/* ---- what was used long ago goes --------------------------------------------------------- */

typedef struct entry {
	const char *name;
	time_t used;
	off_t size;
} entry;

static int
by_use(const void *a, const void *b)
{
	const entry *x = a, *y = b;

	return x->used < y->used ? -1 : x->used > y->used;
}

static bool
is_due(vc *c, const char *dir, time_t now)
{
	const char *stamp = vc_format(c, "%s/trimmed", dir);
	struct stat st;
	int fd;

	if (lstat(stamp, &st) == 0 && st.st_mtime > now - TRIM_EVERY && st.st_mtime <= now)
		return false;
	fd = open(stamp, O_CREAT | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	futimens(fd, NULL);
	close(fd);
	return true;
}

static off_t
most(void)
{
	const char *env = getenv("VETRO_CACHE_MIB");
	char *end;
	unsigned long n = env ? strtoul(env, &end, 10) : 0;

	return (off_t)(env && *env && *end == '\0' && n <= 1u << 20 ? n : DEFAULT_MIB) << 20;
}

void
vc_cache_trim(vc *c, const char *dir)
{
	time_t now = time(NULL);
	DIR *d = is_due(c, dir, now) ? opendir(dir) : NULL;
	entry *list = NULL;
	uint32_t n = 0;
	off_t sum = 0, limit = most();

	if (d == NULL)
		return;
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		struct stat st;
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
			!S_ISREG(st.st_mode))
			continue;
		vc_push(c, list, n) = (entry){vc_strdup(c, e->d_name),
			st.st_mtime > now + STAYS ? 0 : st.st_mtime /* the clock was wrong */,
			st.st_size};
		sum += st.st_size;
	}
	if (n)
		qsort(list, n, sizeof *list, by_use);
	for (uint32_t i = 0; i < n && sum > limit && list[i].used < now - STAYS; i++)
		if (unlinkat(dirfd(d), list[i].name, 0) == 0)
			sum -= list[i].size;
	closedir(d);
}
