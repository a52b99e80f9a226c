/*
 * toolchain.c - C files to a binary: one cc process a file that is not in the cache (cache.c), as
 * many at once as there are processors, then the linker.  Everything happens in a directory of its
 * own; the result appears by rename.
 */
#include "runtime/text/workdir.h"
#include "runtime/text/outfile.h"
#include "compiler/base/base.h"
#include "runtime/core/printable.h"
#include "compiler/build/build.h"
#include "compiler/build/process.h"
#include "compiler/emit/emit.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#define SANITIZE "-fsanitize=address,undefined"
#else
#define SANITIZE NULL
#endif

static bool
exists(const char *path)
{
	return access(path, R_OK) == 0;
}

static bool
write_source(vc *c, const char *dir, const vc_cfile *f)
{
	char *path = vc_format(c, "%s/%s", dir, f->name);

	if (vt_write_file(path, f->text.p, f->text.n))
		return true;
	vc_report(c, VC_E0903, (vc_span){0}, "cannot write %s: %s", path, strerror(errno));
	return false;
}

/*
 * What makes an error in C code hard to use (docs/security.md).  Fortified functions would hide
 * what the sanitizers look for.  -fstack-protector-strong would cost a tenth of a method call: it
 * guards each function that passes the address of a value on, which is what calls do.
 */
static void
add_hardening(vc_argv *a)
{
	vc_argv_add(a, "-fstack-protector");
	vc_argv_add(a, "-fstack-clash-protection");
	vc_argv_add(a, SANITIZE ? NULL : "-D_FORTIFY_SOURCE=2");
}

static void
add_hardened_link(vc_argv *a, bool is_static)
{
	/* The pointers of tables, which a position-independent binary has to adjust, in a bit
	 * each.  What adjusts them is libc's since 2.36. */
#if __GLIBC_PREREQ(2, 36)
	vc_argv_add(a, is_static ? "-Wl,-z,pack-relative-relocs" : NULL);
#endif
	vc_argv_add(a, "-Wl,-z,relro");
	vc_argv_add(a, "-Wl,-z,now");
	vc_argv_add(a, "-Wl,-z,noexecstack");
}

/*
 * A method is one large function of many small ones from vt.h, which hot loops call thousands of
 * times: by GCC's own limits it would leave those out of line that come last.  What is inlined
 * early, and not split before, lets temporaries whose address such a function gets be registers.
 */
static void
add_inlining(vc_argv *a)
{
	vc_argv_add(a, "--param=large-function-growth=1000");
	vc_argv_add(a, "--param=large-function-insns=20000");
	vc_argv_add(a, "--param=inline-unit-growth=200");
	vc_argv_add(a, "--param=early-inlining-insns=60");
	vc_argv_add(a, "-fno-partial-inlining");
}

/* What all files have in common. */
static void
compile_argv(vc *c, vc_argv *a, const vc_build_opts *o, const char *home)
{
	vc_argv_add(a, vc_compiler_name(c, o->target));
	vc_argv_add(a, "-std=gnu11");
	/* What waits for a cloud need not be fast, and its libraries are large. */
	vc_argv_add(a, o->is_static && c->reaches_cloud && o->opt == 1
			       ? "-Os"
			       : vc_format(c, "-O%d", o->opt));
	if (o->opt >= 2)
		add_inlining(a);
	/* Its time grows with the square of a method: four fifths of what one of 150 pipelines
	 * took.  What it would find out, calls of the runtime undo. */
	vc_argv_add(a, o->opt > 0 ? "-fno-tree-pta" : NULL);
	vc_argv_add(a, "-w");
	vc_argv_add(a, o->debug ? "-g" : NULL);
	vc_argv_add(a, o->shared ? "-fPIC" : "-fPIE");
	vc_argv_add(a, o->shared ? "-fvisibility=hidden" : NULL);
	vc_argv_add(a, "-ffunction-sections");
	vc_argv_add(a, "-fno-asynchronous-unwind-tables"); /* with -g they are elsewhere */
	add_hardening(a);
	vc_argv_add(a, SANITIZE);
	vc_argv_add(a, vc_format(c, "-I%s/include", home));
	vc_argv_add(a, "-c");
}

/* A file on its way to its object, which may be in the cache. */
typedef struct job {
	const vc_cfile *file;
	const char *object; /* what is linked: `kept`, or a file of this build */
	const char *kept;   /* its place in the cache, or NULL */
	bool have;
	pid_t pid; /* of its compiler while that runs */
} job;

/* A build in a directory of its own. */
typedef struct work {
	vc *c;
	const vc_build_opts *o;
	const char *home, *dir, *log;
	const char *cache; /* or NULL */
	const char *dirs;  /* of libraries, once they are asked for */
	job *jobs;
	uint32_t n, found; /* in the cache */
} work;

static const char *
own_object(work *w, const job *j)
{
	return vc_format(w->c, "%s/%s.o", w->dir, j->file->name);
}

/* What all objects of a build come from, besides their own C. shipped: of those that come with
 * vetro, which any compiler may have made, anywhere. */
static void
object_base(vc *c, const vc_build_opts *o, const char *home, bool shipped, char base[VC_CACHE_KEY])
{
	const char *headers[] = {vc_format(c, "%s/include/vt.h", home),
		vc_format(c, "%s/include/vt_tosca.h", home),
		vc_format(c, "%s/include/vt_tosca_types.h", home),
		vc_format(c, "%s/include/vt_yay.h", home), NULL};
	vc_argv a = {0};

	compile_argv(c, &a, o, home);
	for (int i = 1; shipped && i < a.n; i++)
		if (a.v[i] && strncmp(a.v[i], "-I", 2) == 0)
			a.v[i] = "-I";
	if (shipped)
		a.v[0] = NULL;
	vc_cache_base(c, a.v, headers, base);
}

/* Objects of the core library's classes, for builds with the options that most have. */
static const char *
shipped_dir(work *w)
{
	const char *cc = getenv("VETRO_CC"), *dir = vc_format(w->c, "%s/objects", w->home);

	if (w->o->ship)
		return w->o->ship;
	return w->o->no_cache || w->o->debug || w->o->shared || (cc && *cc) || !exists(dir) ? NULL
											    : dir;
}

/* An object keeps the name of its C file besides what became of the text. */
static const char *
object_key(vc *c, const char *base, const vc_cfile *f)
{
	vt_buf b = {0};
	const char *key;

	vt_buf_printf(&b, "%s %s", f->name, vc_cache_key(c, base, &f->text));
	key = vc_cache_key(c, base, &b);
	vt_buf_free(&b);
	return key;
}

static void
plan_job(work *w, job *j, const char *base, const char *shipped, const char *shipped_base)
{
	vc *c = w->c;
	const char *path =
		shipped ? vc_format(c, "%s/%s", shipped, object_key(c, shipped_base, j->file))
			: NULL;

	if (w->o->ship)
		j->kept = path;
	else if (w->cache)
		j->kept = vc_format(c, "%s/%s", w->cache, object_key(c, base, j->file));
	if (path && !w->o->ship && vc_cache_is_whole(path)) {
		j->have = true;
		j->object = path;
	} else {
		j->have = j->kept && vc_cache_has(c, j->kept);
		j->object = j->have ? j->kept : own_object(w, j);
	}
	w->found += j->have;
}

static void
plan(work *w, const vc_cfile *files, uint32_t n)
{
	vc *c = w->c;
	char base[VC_CACHE_KEY], shipped_base[VC_CACHE_KEY];
	const char *why = "", *shipped = shipped_dir(w);

	w->cache = w->o->no_cache || w->o->ship ? NULL : vc_cache_dir(c, &why);
	if (shipped)
		object_base(c, w->o, w->home, true, shipped_base);
	if (w->cache)
		object_base(c, w->o, w->home, false, base);
	else if (w->o->verbose && !w->o->no_cache && !w->o->ship)
		vt_say("vetro: no objects are kept: %s\n", why);
	w->jobs = vc_alloc(c, sizeof *w->jobs * n);
	w->n = n;
	for (uint32_t i = 0; i < n; i++) {
		w->jobs[i].file = &files[i];
		plan_job(w, &w->jobs[i], base, shipped, shipped_base);
	}
}

static void
report_no_compiler(vc *c, const char *target)
{
	vc_report(c, VC_E0903, (vc_span){0}, "cannot run the C compiler %s: %s",
		vc_compiler_name(c, target), strerror(errno));
	vc_hint(c, "install gcc%s%s, or name a compiler in VETRO_CC", target ? " for " : "",
		target ? target : "");
}

/* Where a build happens is not in what it makes: the same C gives the same object, with -g too.
 * Not of compile_argv(), for the cache knows objects by the other options. */
static void
add_prefix_maps(work *w, vc_argv *a)
{
	char here[4096];

	if (getcwd(here, sizeof here) != NULL)
		vc_argv_add(a, vc_format(w->c, "-ffile-prefix-map=%s=.", here));
	vc_argv_add(a, vc_format(w->c, "-ffile-prefix-map=%s/=", w->dir)); /* the last one counts */
}

static bool
compile(work *w, job *j)
{
	vc_argv a = {0};

	if (!write_source(w->c, w->dir, j->file))
		return false;
	compile_argv(w->c, &a, w->o, w->home);
	add_prefix_maps(w, &a);
	vc_argv_add(&a, vc_format(w->c, "%s/%s", w->dir, j->file->name));
	vc_argv_add(&a, "-o");
	vc_argv_add(&a, j->object);
	j->pid = vc_process_start(&a, w->log);
	if (j->pid > 0)
		return true;
	report_no_compiler(w->c, w->o->target);
	return false;
}

/* Waits for one compiler; whose it was is among jobs [0, next).  Who executes vetro may leave it
 * other children. */
static bool
finish_one(work *w, uint32_t next)
{
	int status;
	pid_t pid;

	while ((pid = wait(&status)) > 0 || errno == EINTR)
		for (uint32_t i = next; pid > 0 && i-- > 0;) {
			job *j = &w->jobs[i];
			if (j->pid != pid)
				continue;
			j->pid = 0;
			j->have = vc_process_succeeded(status);
			if (j->have && j->kept)
				vc_cache_put(w->c, j->object, j->kept, 0600);
			return j->have;
		}
	return false;
}

/* Who waits at a terminal sees what is done; at the end (NULL) the line is empty again. */
static void
show_progress(const work *w, const char *what)
{
	const char *term = getenv("TERM");

	if (w->o->verbose || !isatty(STDERR_FILENO) || !term || strcmp(term, "dumb") == 0)
		return;
	fprintf(stderr, what ? "\rvetro: %s\033[K" : "\r\033[K", what);
}

static bool
compile_all(work *w)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), running = 0;
	bool ok = true;
	uint32_t next = 0;

	while (running > 0 || (next < w->n && ok)) {
		if (ok && vc_signals_pending())
			ok = false;
		if (next < w->n && ok && w->jobs[next].have)
			next++;
		else if (next < w->n && ok && running < (cpus < 1 ? 1 : cpus)) {
			show_progress(w, vc_format(w->c, "compiling %u of %u", next + 1, w->n));
			ok = compile(w, &w->jobs[next++]);
			running += ok;
		} else {
			ok &= finish_one(w, next);
			running--;
		}
	}
	show_progress(w, NULL);
	return ok;
}

/* --static: the files that load libraries of a cloud when they need them, made to be linked with
 * these. */
static void
add_cloud(work *w, vc_argv *a)
{
	if (!w->o->is_static || !w->c->reaches_cloud)
		return;
	/* Whole, for libvt.a has them too and nothing asks for them yet; what stays unused goes
	 * again. */
	vc_argv_add(a, "-Wl,--whole-archive");
	vc_argv_add(a, vc_format(w->c, "%s/libvtcloud.a", w->home));
	vc_argv_add(a, "-Wl,--no-whole-archive");
}

/*
 * The libraries of a cloud are most of a static binary, so the rest is small: no table of symbols,
 * and no tables for unwinding, which nothing written in C reads but a debugger.  What begins and
 * ends those tables stays, for the start of a program looks for it.
 */
static void
add_smallness(work *w, vc_argv *a)
{
	static const char script[] = "SECTIONS { /DISCARD/ : { *(EXCLUDE_FILE(*crtbegin*.o "
				     "*crtend*.o *crt1.o *crti.o *crtn.o) .eh_frame) } }"
				     " INSERT BEFORE .text;\n";
	vc *c = w->c;
	const char *path = vc_format(c, "%s/small.ld", w->dir);
	if (w->o->debug || !vt_write_file(path, script, sizeof script - 1))
		return;
	vc_argv_add(a, "-Wl,--strip-all");
	vc_argv_add(a, "-Wl,-O2");
	vc_argv_add(a, "-Wl,-z,noseparate-code");
	vc_argv_add(a, "-T"); /* -Wl would take a comma for the next argument */
	vc_argv_add(a, path);
}

static void
add_cloud_libraries(work *w, vc_argv *a)
{
	vc *c = w->c;
	if (!w->o->is_static || !c->reaches_cloud)
		return;
	add_smallness(w, a);
	vc_argv_add(a, vc_format(c, "%s/libcurl.a", w->home));
	vc_argv_add(a, "-lrabbitmq");
	vc_argv_add(a, "-lssl");
	vc_argv_add(a, "-lcrypto");
	vc_argv_add(a, "-lz");
	vc_argv_add(a, "-pthread");
}

/* A line of a file of arguments: in quotes \ takes the next byte as it is. */
static void
put_argument(vt_buf *b, const char *s)
{
	vt_buf_putc(b, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			vt_buf_putc(b, '\\');
		vt_buf_putc(b, *s);
	}
	vt_buf_puts(b, "\"\n");
}

/* Where the compiler looks for libraries, or "" where it does not say. */
static const char *
library_dirs(work *w)
{
	const char *file = vc_format(w->c, "%s/dirs", w->dir);
	vc_argv a = {0};
	int status = -1;
	size_t n;
	pid_t pid;
	char *told;

	if (w->dirs)
		return w->dirs;
	vc_argv_add(&a, vc_compiler_name(w->c, w->o->target));
	vc_argv_add(&a, "-print-search-dirs");
	pid = vc_process_start(&a, file);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	told = vc_process_succeeded(status) ? vc_bytes_read(w->c, file, &n) : NULL;
	return w->dirs = vc_target_library_dirs(
		       w->c, w->home, told ? vc_library_dirs(w->c, told) : "");
}

/* How a binary is linked: with nothing that is loaded; with libc that is, and what libc loads for
 * it; with everything loaded. */
enum linking { IS_STATIC, WITH_ARCHIVES, WITH_SHARED };

static void
add_libraries(work *w, vc_argv *a, enum linking how)
{
	static const char *const name[] = {"lua5.4", "pcre2-8", "gmp",
		"yaml",   /* clouds.yaml: only where something reaches for a cloud */
		"expat"}; /* services with values of XML */
	const char *dirs = how == WITH_ARCHIVES ? library_dirs(w) : NULL;

	if (exists(vc_format(w->c, "%s/lib", w->home)))
		vc_argv_add(a, vc_format(w->c, "-L%s/lib", w->home));
	vc_argv_add(a, "-Wl,--as-needed");
	for (uint32_t i = 0; i < VC_LEN(name); i++)
		vc_argv_add(a, dirs ? vc_library_argument(w->c, dirs, name[i])
				    : vc_format(w->c, "-l%s", name[i]));
	vc_argv_add(a, "-lm");
	/* Archives are not made for shared objects: that they take the streams of libc by their
	 * address is what stands against it (emit/emit.c). */
	if (w->o->shared)
		vc_argv_add(a, "-Wl,--wrap=stdin,--wrap=stdout,--wrap=stderr");
}

static void
add_runtime(work *w, vc_argv *a, enum linking how)
{
	vc *c = w->c;

	if (w->o->with_yay) { /* nothing else refers to the reader so that it would be linked */
		vc_argv_add(a, "-Wl,-u,vt_yay_front");
		vc_argv_add(a, vc_format(c, "%s/libvtyay.a", w->home));
	}
	add_cloud(w, a);
	vc_argv_add(a, vc_format(c, "%s/libvt.a", w->home));
	add_libraries(w, a, how);
	add_cloud_libraries(w, a);
}

static bool
link_binary(work *w, enum linking how, const char *out)
{
	vc *c = w->c;
	const vc_build_opts *o = w->o;
	vt_buf list = {0};
	vc_argv a = {0};
	int status = -1;
	pid_t pid;

	for (uint32_t i = 0; i < w->n; i++)
		put_argument(&list, w->jobs[i].object);
	vt_write_file(vc_format(c, "%s/objects", w->dir), list.p, list.n);
	vt_buf_free(&list);
	vc_argv_add(&a, vc_compiler_name(c, o->target));
	/* Names of static functions take 90 KB: they are for -g, as lines are. */
	vc_argv_add(&a, o->debug ? "-g" : SANITIZE ? NULL : "-Wl,--strip-debug,--discard-all");
	vc_argv_add(&a, o->shared ? "-shared" : how == IS_STATIC ? "-static-pie" : "-pie");
	add_hardened_link(&a, how == IS_STATIC);
	vc_argv_add(&a, SANITIZE);
	vc_argv_add(&a, "-Wl,--gc-sections");
	vc_argv_add(&a, o->shared ? "-Wl,--exclude-libs,ALL" : NULL);
	if (o->verbose || o->sbom.file) {
		vc_argv_add(&a, "-Xlinker"); /* -Wl would take a comma for the next argument */
		vc_argv_add(&a, vc_format(c, "-Map=%s/map", w->dir));
	}
	vc_argv_add(&a, "-o");
	vc_argv_add(&a, out);
	vc_argv_add(&a, vc_format(c, "@%s/objects", w->dir));
	if (!o->hosted)
		add_runtime(w, &a, how);
	pid = vc_process_start(&a, w->log);
	if (pid < 0) {
		if (how != WITH_SHARED)
			report_no_compiler(c, o->target);
		return false;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return vc_process_succeeded(status);
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
	if (n == 0 && vc_errors(c)) /* it was not there to say anything, which is reported */
		return;
	vc_report(c, VC_E0903, (vc_span){0}, "the C compiler failed:\n%.*s", VT_WHOLE(text));
	vc_hint(c, "this is a fault of vetro unless the machine lacks a library or room on the "
		   "disk; --emit-c DIR "
		   "keeps the C");
}

/* ---- what a binary is made of ---- */

/* Archives by name, libc.a among them. */
enum { MOST_ARCHIVES = 32 };
typedef struct sizes {
	uint64_t program, runtime, libraries;
	struct archive {
		char name[32];
		uint64_t size;
	} archive[MOST_ARCHIVES];
	uint32_t n;
} sizes;

/* "/usr/lib/libm-2.36.a(e_pow.o)" counts for libm-2.36.a. */
static void
count_archive(sizes *s, const char *file, uint64_t size)
{
	const char *open = strrchr(file, '('), *name = file;
	size_t n;
	uint32_t i = 0;

	if (open == NULL)
		return;
	for (const char *p = file; p < open; p++)
		if (*p == '/')
			name = p + 1;
	n = (size_t)(open - name);
	if (n >= sizeof s->archive[0].name)
		return;
	while (i < s->n &&
		(strncmp(s->archive[i].name, name, n) != 0 || s->archive[i].name[n] != '\0'))
		i++;
	if (i == MOST_ARCHIVES)
		return;
	if (i == s->n)
		snprintf(s->archive[s->n++].name, sizeof s->archive[0].name, "%.*s", (int)n, name);
	s->archive[i].size += size;
}

static int
by_size(const void *a, const void *b)
{
	uint64_t x = ((const struct archive *)a)->size, y = ((const struct archive *)b)->size;
	return (y > x) - (y < x);
}

/* " .text.f  0x401000  0x2a  FILE" of the linker's map, where the name may stand on a line of its
 * own. */
static void
count_section(const work *w, char *line, const char *name, sizes *s)
{
	unsigned long long at, size;
	char file[4096];

	if (sscanf(line, " 0x%llx 0x%llx %4095[^\n]", &at, &size, file) != 3 || at == 0 ||
		strncmp(name, ".bss", 4) == 0 || strncmp(name, ".tbss", 5) == 0)
		return;
	if (strstr(file, "/libvt.a("))
		s->runtime += size;
	else if (strncmp(file, w->dir, strlen(w->dir)) == 0 ||
		 (w->cache && strncmp(file, w->cache, strlen(w->cache)) == 0) ||
		 strstr(file, "/objects/") != NULL)
		s->program += size;
	else {
		s->libraries += size;
		count_archive(s, file, size);
	}
}

static void
read_map(const work *w, FILE *f, sizes *s)
{
	char line[8192], name[256] = "";
	bool map = false;

	while (fgets(line, sizeof line, f)) {
		int end = 0;
		if (strncmp(line, "Linker script and memory map", 28) == 0)
			map = true;
		if (!map || line[0] != ' ')
			continue;
		if (line[1] == '.' && sscanf(line, " %255s%n", name, &end) != 1)
			continue;
		count_section(w, line + end, name, s);
	}
}

static void
report_sizes(work *w)
{
	FILE *f = fopen(vc_format(w->c, "%s/map", w->dir), "r");
	sizes s = {0};
	struct stat st;

	if (f == NULL)
		return;
	read_map(w, f, &s);
	fclose(f);
	if (stat(w->o->out, &st) == 0)
		vt_say("vetro: %s: %lld bytes: program %llu, runtime %llu, libraries %llu, tables "
		       "of symbols the rest\n",
			w->o->out, (long long)st.st_size, (unsigned long long)s.program,
			(unsigned long long)s.runtime, (unsigned long long)s.libraries);
	if (w->c->nfunctions && !w->c->links_all)
		fprintf(stderr, "vetro:   %u of %u functions of the library\n", w->c->nlinked,
			w->c->nfunctions);
	else if (w->c->nfunctions)
		vt_say("vetro:   all functions of the library, because %s\n", w->c->links_all);
	qsort(s.archive, s.n, sizeof *s.archive, by_size);
	for (uint32_t i = 0; i < s.n && s.archive[i].size >= 1000; i++)
		fprintf(stderr, "vetro:   %-16s %9llu\n", s.archive[i].name,
			(unsigned long long)s.archive[i].size);
}

/*
 * Static where the machine has the archives; a sanitized runtime cannot be.  A binary that reaches
 * for a cloud loads libcurl and librabbitmq when it does, which a static one cannot: it is static
 * only when asked for.  Archives that were not made for such a binary leave the shared libraries.
 */
static bool
link_somehow(work *w, const char *out)
{
	const vc_build_opts *o = w->o;
	if (SANITIZE == NULL && !o->shared && (o->is_static || !w->c->reaches_cloud) &&
		link_binary(w, IS_STATIC, out))
		return true;
	for (enum linking how = WITH_ARCHIVES; !o->is_static && how <= WITH_SHARED; how++) {
		if (vc_errors(w->c) || vc_signals_pending())
			return false;
		unlink(w->log);
		if (link_binary(w, how, out))
			return true;
		if (how == WITH_ARCHIVES && o->verbose)
			vt_say("vetro: it cannot be linked with archives: the binary "
			       "loads its libraries\n");
	}
	return false;
}

/* Without what came from the cache when that cannot be linked: a file that a full disk or a crash
 * has damaged there must not fail every build to come. */
static bool
link_surely(work *w, const char *out)
{
	if (link_somehow(w, out))
		return true;
	if (w->found == 0 || vc_errors(w->c))
		return false;
	for (uint32_t i = 0; i < w->n; i++) {
		job *j = &w->jobs[i];
		if (j->object != j->kept)
			continue;
		unlink(j->kept);
		j->object = own_object(w, j);
		j->have = false;
	}
	w->found = 0;
	unlink(w->log);
	return compile_all(w) && link_somehow(w, out);
}

/* What --static needs is there, or is reported. */
static bool
can_be_static(work *w)
{
	vc *c = w->c;
	if (!w->o->is_static)
		return true;
	if (SANITIZE != NULL || w->o->shared) {
		vc_report(c, VC_E0903, (vc_span){0}, "--static cannot be: %s",
			w->o->shared ? "a shared object is asked for"
				     : "this is a sanitized vetro");
		return false;
	}
	if (!c->reaches_cloud || exists(vc_format(c, "%s/libcurl.a", w->home)))
		return true;
	vc_report(c, VC_E0903, (vc_span){0},
		"the program reaches for a cloud, and there is no libcurl that can be linked "
		"statically at %s/libcurl.a",
		w->home);
	vc_hint(c, "run `make static-deps` once; it makes one of Debian's source");
	return false;
}

static bool
write_sbom(work *w, const char *made)
{
	return !w->o->sbom.file || vc_sbom_write(w->c, &w->o->sbom, made,
					   vc_format(w->c, "%s/map", w->dir), library_dirs(w));
}

static bool
take_binary(work *w, const char *made)
{
	if (!w->o->kept)
		return rename(made, w->o->out) == 0;
	if (vc_cache_put(w->c, made, w->o->out, 0700))
		return true;
	vc_report(w->c, VC_E0903, (vc_span){0}, "the binary cannot be kept as %s: %s", w->o->out,
		strerror(errno));
	return false;
}

static bool
build_in(work *w, const vc_cfile *files, uint32_t n)
{
	vc *c = w->c;
	const char *tmp = vc_format(c, "%s.%ld.tmp", w->o->out, (long)getpid());
	double t0 = vt_clock(), t1;
	bool linked;

	if (w->o->kept)
		tmp = vc_format(c, "%s/binary", w->dir);
	if (!vc_target_is_here(c, w->o->target))
		return false;
	if (!can_be_static(w))
		return false;
	plan(w, files, n);
	if (!compile_all(w)) {
		if (exists(w->log))
			show_log(c, w->log);
		return false;
	}
	if (w->o->ship)
		return true;
	t1 = vt_clock();
	show_progress(w, "linking");
	linked = link_surely(w, tmp);
	show_progress(w, NULL);
	if (!linked || !write_sbom(w, tmp) || !take_binary(w, tmp)) {
		if (!linked || (exists(w->log) && !vc_errors(c)))
			show_log(c, w->log);
		unlink(tmp);
		return false;
	}
	if (w->o->verbose) {
		fprintf(stderr,
			"vetro: C compiler %.3f s (%u of %u files from the cache), linker %.3f s\n",
			t1 - t0, w->found, w->n, vt_clock() - t1);
		report_sizes(w);
	}
	if (w->cache && w->found < w->n)
		vc_cache_trim(c, w->cache);
	return true;
}

const char *
vc_toolchain_key(vc *c, const vc_cfile *files, uint32_t n, const vc_build_opts *o)
{
	static const char *const linked[] = {"libvt.a", "libvtyay.a", "libvtcloud.a", "libcurl.a"};
	const char *home = vc_runtime_home(c, o->target), *key;
	char base[VC_CACHE_KEY];
	vt_buf b = {0};
	struct stat st;

	object_base(c, o, home, false, base);
	vt_buf_printf(&b, "binary %d %d\n", o->is_static, o->with_yay);
	for (uint32_t i = 0; i < VC_LEN(linked); i++)
		if (stat(vc_format(c, "%s/%s", home, linked[i]), &st) == 0)
			vt_buf_printf(&b, "%s %lld %lld.%09ld\n", linked[i], (long long)st.st_size,
				(long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	for (uint32_t i = 0; i < n; i++)
		vt_buf_printf(&b, "%s %s\n", files[i].name, vc_cache_key(c, base, &files[i].text));
	key = vc_cache_key(c, base, &b);
	vt_buf_free(&b);
	return vc_format(c, "%.64s", key);
}

size_t
vc_toolchain_missing(vc *c, const vc_cfile *files, uint32_t n, const vc_build_opts *o)
{
	work w = {.c = c, .o = o, .home = vc_runtime_home(c, o->target)};
	size_t bytes = 0;
	plan(&w, files, n);
	for (uint32_t i = 0; i < n; i++)
		bytes += w.jobs[i].have ? 0 : files[i].text.n;
	return bytes;
}

static bool
keep_sources(vc *c, const char *dir, const vc_cfile *files, uint32_t n)
{
	if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
		vc_report(c, VC_E0903, (vc_span){0}, "cannot make %s: %s", dir, strerror(errno));
		return false;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!write_source(c, dir, &files[i]))
			return false;
	return true;
}

static bool
make_dir(vc *c, vt_workdir *dir)
{
	if (vt_workdir_make(dir))
		return true;
	vc_report(c, VC_E0903, (vc_span){0}, "cannot make a directory in %s: %s", dir->path,
		strerror(errno));
	vt_workdir_remove(dir);
	return false;
}

int
vc_toolchain_build(vc *c, vc_cfile *files, uint32_t n, const vc_build_opts *o)
{
	work w = {.c = c, .o = o, .home = vc_runtime_home(c, o->target)};
	vt_workdir dir;
	sigset_t before;
	bool ok;

	c->keeps_inputs = false; /* what is read from here on is ours */
	if (o->emit_dir && !keep_sources(c, o->emit_dir, files, n))
		return 1;
	if (o->out == NULL)
		return 0;
	vc_signals_hold(&before);
	if (!make_dir(c, &dir)) {
		vc_signals_release(&before);
		return VC_ECC;
	}
	w.dir = dir.path;
	w.log = vc_format(c, "%s/log", dir.path);
	ok = build_in(&w, files, n);
	vt_workdir_remove(&dir);
	vc_signals_release(&before);
	return ok ? VC_OK : VC_ECC;
}

/* ---- one file, loaded ----------------------------------------------------------------------- */

static bool
compile_object(vc *c, const char *source, const char *object, const char *log)
{
	vc_argv a = {0};
	int status = -1;
	pid_t pid;

	vc_argv_add(&a, vc_compiler_name(c, NULL));
	vc_argv_add(&a, "-std=gnu11");
	vc_argv_add(&a, "-O0");
	vc_argv_add(&a, "-w");
	vc_argv_add(&a, "-fPIC");
	vc_argv_add(&a, "-fvisibility=hidden");
	vc_argv_add(&a, "-shared");
	vc_argv_add(&a, "-o");
	vc_argv_add(&a, object);
	vc_argv_add(&a, source);
	pid = vc_process_start(&a, log);
	if (pid < 0) {
		report_no_compiler(c, NULL);
		return false;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!vc_process_succeeded(status))
		show_log(c, log);
	return vc_process_succeeded(status);
}

static void *
load_from(vc *c, const char *dir, const char *text, size_t n)
{
	const char *source = vc_format(c, "%s/query.c", dir);
	const char *object = vc_format(c, "%s/query.so", dir);
	void *handle;

	if (!vt_write_file(source, text, n)) {
		vc_report(
			c, VC_E0903, (vc_span){0}, "cannot write %s: %s", source, strerror(errno));
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
	vt_workdir dir;
	void *handle;
	sigset_t before;

	if (!vc_loads_code()) {
		vc_report(c, VC_E0903, (vc_span){0},
			"this vetro is static, and loads no code that cc has compiled");
		vc_hint(c, "--jit=memory compiles in memory, and --jit=off interprets");
		return NULL;
	}

	vc_signals_hold(&before);
	if (!make_dir(c, &dir)) {
		vc_signals_release(&before);
		return NULL;
	}
	handle = load_from(c, dir.path, text, n);
	vt_workdir_remove(&dir);
	vc_signals_release(&before);
	return handle;
}
