/*
 * toolchain.c - C files to a binary: one cc process a file, as many at once as there are
 * processors, then the linker.  Everything happens in a directory of its own; the result appears by
 * rename.
 */
#include "vc.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#ifdef __SANITIZE_ADDRESS__
#define SANITIZE "-fsanitize=address,undefined"
#else
#define SANITIZE NULL
#endif

typedef struct argv {
	const char *v[64];
	int n;
} argv;

static void
add(argv *a, const char *s)
{
	if (s && a->n < (int)VC_LEN(a->v) - 1)
		a->v[a->n++] = s;
	a->v[a->n] = NULL;
}

static bool
exists(const char *path)
{
	return access(path, R_OK) == 0;
}

/* Where libvt.a and include/vt.h are: $VETRO_HOME, beside the executable, or ../lib/vetro. */
static const char *
runtime_home(vc *c)
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
	if (exists(vc_format(c, "%s/libvt.a", dir)))
		return dir;
	return vc_format(c, "%s/../lib/vetro", dir);
}

uint64_t
vc_runtime_stamp(vc *c)
{
	struct stat st;

	if (stat(vc_format(c, "%s/libvt.a", runtime_home(c)), &st) != 0)
		return 0;
	return (uint64_t)st.st_size * 0x100000001b3u ^ (uint64_t)st.st_mtim.tv_sec << 20 ^
	       (uint64_t)st.st_mtim.tv_nsec;
}

static bool
write_file(const char *path, const char *text, size_t n)
{
	FILE *f = fopen(path, "wb");
	bool ok = f && fwrite(text, 1, n, f) == n;

	if (f && fclose(f) != 0)
		ok = false;
	return ok;
}

static bool
write_sources(vc *c, const char *dir, vc_cfile *files, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		char *path = vc_format(c, "%s/%s", dir, files[i].name);
		if (!write_file(path, files[i].text.p, files[i].text.n)) {
			vc_report(c, VC_E0903, (vc_span){0}, "cannot write %s: %s", path,
				strerror(errno));
			return false;
		}
	}
	return true;
}

static void
remove_dir(vc *c, const char *dir)
{
	DIR *d = opendir(dir);

	if (d == NULL)
		return;
	for (struct dirent *e; (e = readdir(d)) != NULL;)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			unlink(vc_format(c, "%s/%s", dir, e->d_name));
	closedir(d);
	rmdir(dir);
}

/* Starts a command whose two outputs go to a log; -1 when it cannot be started. */
static pid_t
start(const argv *a, const char *log)
{
	posix_spawn_file_actions_t fa;
	pid_t pid;
	int rc;

	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 1, log, O_CREAT | O_WRONLY | O_APPEND, 0600);
	posix_spawn_file_actions_adddup2(&fa, 1, 2);
	rc = posix_spawnp(&pid, a->v[0], &fa, NULL, (char *const *)a->v, environ);
	posix_spawn_file_actions_destroy(&fa);
	errno = rc;
	return rc == 0 ? pid : -1;
}

static bool
succeeded(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static const char *
compiler_name(void)
{
	const char *cc = getenv("VETRO_CC");

	return cc && *cc ? cc : "cc";
}

static void
compile_argv(
	vc *c, argv *a, const vc_build_opts *o, const char *home, const char *dir, const char *file)
{
	add(a, compiler_name());
	add(a, "-std=gnu11");
	add(a, vc_format(c, "-O%d", o->opt));
	add(a, "-w");
	add(a, o->debug ? "-g" : NULL);
	add(a, o->shared ? "-fPIC" : "-fno-pie");
	add(a, o->shared ? "-fvisibility=hidden" : NULL);
	add(a, "-ffunction-sections");
	add(a, SANITIZE);
	add(a, vc_format(c, "-I%s/include", home));
	add(a, "-c");
	add(a, vc_format(c, "%s/%s", dir, file));
	add(a, "-o");
	add(a, vc_format(c, "%s/%s.o", dir, file));
}

static bool
compile_all(vc *c, const vc_build_opts *o, const char *home, const char *dir, vc_cfile *files,
	uint32_t n, const char *log)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), running = 0;
	bool ok = true;
	uint32_t next = 0;
	int status;

	while (running > 0 || (next < n && ok)) {
		if (next < n && ok && running < (cpus < 1 ? 1 : cpus)) {
			argv a = {0};
			compile_argv(c, &a, o, home, dir, files[next++].name);
			if (start(&a, log) < 0) {
				vc_report(c, VC_E0903, (vc_span){0},
					"cannot run the C compiler %s: %s", a.v[0],
					strerror(errno));
				vc_hint(c, "install gcc, or name a compiler in VETRO_CC");
				ok = false;
			} else
				running++;
			continue;
		}
		if (wait(&status) > 0)
			ok &= succeeded(status);
		running--;
	}
	return ok;
}

static bool
link_binary(vc *c, const vc_build_opts *o, const char *home, const char *dir, vc_cfile *files,
	uint32_t n, bool is_static, const char *out, const char *log)
{
	vc_buf list = {0};
	argv a = {0};
	int status = -1;

	for (uint32_t i = 0; i < n; i++)
		vc_printf(&list, "\"%s/%s.o\"\n", dir, files[i].name);
	write_file(vc_format(c, "%s/objects", dir), list.p, list.n);
	vc_buf_free(&list);
	add(&a, compiler_name());
	add(&a, o->debug ? "-g" : NULL);
	add(&a, o->shared ? "-shared" : is_static ? "-static" : "-no-pie");
	add(&a, SANITIZE);
	add(&a, "-Wl,--gc-sections");
	add(&a, o->shared ? "-Wl,--exclude-libs,ALL" : NULL);
	add(&a, "-o");
	add(&a, out);
	add(&a, vc_format(c, "@%s/objects", dir));
	add(&a, vc_format(c, "%s/libvt.a", home));
	add(&a, "-llua5.4");
	add(&a, "-lpcre2-8");
	add(&a, "-lutf8proc");
	add(&a, "-lgmp");
	add(&a, "-lm");
	if (start(&a, log) < 0)
		return false;
	wait(&status);
	return succeeded(status);
}

static void
show_log(vc *c, const char *log)
{
	FILE *f = fopen(log, "rb");
	char text[2048];
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

	text[n] = '\0';
	if (f)
		fclose(f);
	vc_report(c, VC_E0903, (vc_span){0}, "the C compiler failed:\n%s", text);
	vc_hint(c, "this is a fault of vetro unless the machine lacks a library; --emit-c DIR "
		   "keeps the C");
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool
build_in(vc *c, const char *dir, vc_cfile *files, uint32_t n, const vc_build_opts *o)
{
	const char *home = runtime_home(c), *log = vc_format(c, "%s/log", dir);
	const char *tmp = vc_format(c, "%s.%ld.tmp", o->out, (long)getpid());
	double t0 = now(), t1;
	bool linked;

	if (!exists(vc_format(c, "%s/libvt.a", home))) {
		vc_report(c, VC_E0903, (vc_span){0}, "the runtime library is not at %s/libvt.a",
			home);
		vc_hint(c, "run `make` or `make install`, or name its directory in VETRO_HOME");
		return false;
	}
	if (!write_sources(c, dir, files, n) || !compile_all(c, o, home, dir, files, n, log)) {
		if (exists(log))
			show_log(c, log);
		return false;
	}
	t1 = now();
	/* Static where the machine has the archives; a sanitized runtime cannot be. */
	linked = SANITIZE == NULL && !o->shared &&
		 link_binary(c, o, home, dir, files, n, true, tmp, log);
	if (!linked) {
		unlink(log);
		linked = link_binary(c, o, home, dir, files, n, false, tmp, log);
	}
	if (!linked || rename(tmp, o->out) != 0) {
		show_log(c, log);
		unlink(tmp);
		return false;
	}
	if (o->verbose)
		fprintf(stderr, "vetro: C compiler %.3f s, linker %.3f s\n", t1 - t0, now() - t1);
	return true;
}

int
vc_toolchain_build(vc *c, vc_cfile *files, uint32_t n, const vc_build_opts *o)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = vc_format(c, "%s/vetro-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	bool ok;

	if (o->emit_dir) {
		if (mkdir(o->emit_dir, 0777) != 0 && errno != EEXIST) {
			vc_report(c, VC_E0903, (vc_span){0}, "cannot make %s: %s", o->emit_dir,
				strerror(errno));
			return 1;
		}
		if (!write_sources(c, o->emit_dir, files, n))
			return 1;
	}
	if (o->out == NULL)
		return 0;
	if (mkdtemp(dir) == NULL) {
		vc_report(c, VC_E0903, (vc_span){0}, "cannot make a directory in %s: %s", dir,
			strerror(errno));
		return VC_ECC;
	}
	ok = build_in(c, dir, files, n, o);
	remove_dir(c, dir);
	return ok ? VC_OK : VC_ECC;
}

/* ---- one file, loaded ----------------------------------------------------------------------- */

static bool
compile_object(vc *c, const char *source, const char *object, const char *log)
{
	argv a = {0};
	int status = -1;
	pid_t pid;

	add(&a, compiler_name());
	add(&a, "-std=gnu11");
	add(&a, "-O0");
	add(&a, "-w");
	add(&a, "-fPIC");
	add(&a, "-fvisibility=hidden");
	add(&a, "-shared");
	add(&a, "-o");
	add(&a, object);
	add(&a, source);
	pid = start(&a, log);
	if (pid < 0) {
		vc_report(c, VC_E0903, (vc_span){0}, "cannot run the C compiler %s: %s", a.v[0],
			strerror(errno));
		vc_hint(c, "install gcc, or name a compiler in VETRO_CC");
		return false;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!succeeded(status))
		show_log(c, log);
	return succeeded(status);
}

static void *
load_from(vc *c, const char *dir, const char *text, size_t n)
{
	const char *source = vc_format(c, "%s/query.c", dir);
	const char *object = vc_format(c, "%s/query.so", dir);
	void *handle;

	if (!write_file(source, text, n)) {
		vc_report(c, VC_E0903, (vc_span){0}, "cannot write %s: %s", source,
			strerror(errno));
		return NULL;
	}
	if (!compile_object(c, source, object, vc_format(c, "%s/log", dir)))
		return NULL;
	handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
	if (handle == NULL) {
		vc_report(c, VC_E0903, (vc_span){0}, "the compiled code cannot be loaded: %s",
			dlerror());
		vc_hint(c, "TMPDIR may name a directory whose files may be executed");
	}
	return handle;
}

void *
vc_toolchain_load(vc *c, const char *text, size_t n)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = vc_format(c, "%s/vetro-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	void *handle;

	if (mkdtemp(dir) == NULL) {
		vc_report(c, VC_E0903, (vc_span){0}, "cannot make a directory in %s: %s", dir,
			strerror(errno));
		return NULL;
	}
	handle = load_from(c, dir, text, n);
	remove_dir(c, dir);
	return handle;
}
