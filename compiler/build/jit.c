/*
 * jit.c - the C files of a program as a program in this process, for `vetro run` and `vetro test`.
 *
 * libtcc makes an object of each file; objects are kept in the cache (cache.c) as those of cc are,
 * so that of a program that was run before only what changed is compiled, and its core library
 * comes from any other program.  Many files at once are shared out to processes, because libtcc
 * works on global variables.  Without a cache libtcc gets the texts.
 *
 * Emitted C has no variables, so the memory of the program is closed for writing when it is there.
 */
#include "compiler/base/base.h"
#include "runtime/core/printable.h"
#include "compiler/build/build.h"
#include "compiler/emit/emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	SHARE = 256 << 10 /* bytes of C for which another process is worth it */,
	MOST_WORKERS = 16
};

typedef struct loading {
	vc *c;
	const vc_cfile *files;
	uint32_t n, found;
	const char *symbol;  /* what is wanted of the program */
	const char *dir;     /* of the cache, or NULL */
	const char **object; /* of each file: its place there */
	bool *have;
	const vc_cfile **missing;
	uint32_t nmissing;
} loading;

/* What this executable makes of a text: libtcc and the headers are parts of it. */
static void
find_objects(loading *l)
{
	static const char *const argv[] = {"/proc/self/exe", "libtcc", NULL}, *const none[] = {
										      NULL};
	const char *why;
	char base[VC_CACHE_KEY];

	l->dir = vc_cache_dir(l->c, &why);
	if (l->dir == NULL && l->c->verbose)
		vt_say("vetro: no objects are kept: %s\n", why);
	if (l->dir == NULL)
		return;
	vc_cache_base(l->c, argv, none, base);
	for (uint32_t i = 0; i < l->n; i++) {
		l->object[i] = vc_format(
			l->c, "%s/%s", l->dir, vc_cache_key(l->c, base, &l->files[i].text));
		l->have[i] = vc_cache_has(l->c, l->object[i]);
		l->found += l->have[i];
		if (!l->have[i])
			l->missing[l->nmissing++] = &l->files[i];
	}
}

static void
compile_one(loading *l, const vc_cfile *f)
{
	size_t i = (size_t)(f - l->files);
	int fd = vc_tcc_object(l->c, &f->text);

	if (fd < 0)
		return;
	l->have[i] =
		vc_cache_put(l->c, vc_format(l->c, "/proc/self/fd/%d", fd), l->object[i], 0600);
	close(fd);
}

/* ---- many at once --------------------------------------------------------------------------- */

static int
by_length(const void *a, const void *b)
{
	const vc_cfile *x = *(const vc_cfile *const *)a, *y = *(const vc_cfile *const *)b;

	return x->text.n != y->text.n ? (x->text.n < y->text.n ? 1 : -1) : x < y ? -1 : x > y;
}

static uint32_t
workers(const loading *l)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t bytes = 0, most;

	for (uint32_t i = 0; i < l->nmissing; i++)
		bytes += l->missing[i]->text.n;
	most = 1 + bytes / SHARE;
	most = most > l->nmissing ? l->nmissing : most;
	most = cpus > 0 && most > (size_t)cpus ? (size_t)cpus : most;
	return (uint32_t)(most > MOST_WORKERS ? MOST_WORKERS : most);
}

static void
compile_share(loading *l, uint32_t who, uint32_t of)
{
	for (uint32_t i = who; i < l->nmissing; i += of)
		compile_one(l, l->missing[i]);
}

/* The longest first, dealt out in turns, so that shares are of about the same size; this process
 * has one too. What a worker could not do is done later as text, where errors are reported. */
static void
compile_missing(loading *l)
{
	uint32_t of = workers(l), started = 1;
	pid_t pid[MOST_WORKERS];

	qsort(l->missing, l->nmissing, sizeof *l->missing, by_length);
	for (; started < of && (pid[started] = fork()) >= 0; started++)
		if (pid[started] == 0) {
			compile_share(l, started, of);
			_exit(0);
		}
	compile_share(l, 0, of);
	for (uint32_t i = 1; i < started; i++)
		while (waitpid(pid[i], NULL, 0) < 0 && errno == EINTR)
			;
	for (uint32_t k = 0; started > 1 && k < l->nmissing; k++) {
		size_t i = (size_t)(l->missing[k] - l->files);
		l->have[i] = l->have[i] || vc_cache_has(l->c, l->object[i]);
	}
}

/* ---- the program ---------------------------------------------------------------------------- */

static vc_tcc *
link_program(loading *l, void **address, vt_buf *errors)
{
	vc_tcc_part *parts = vc_alloc(l->c, sizeof *parts * l->n);

	for (uint32_t i = 0; i < l->n; i++)
		parts[i] = (vc_tcc_part){&l->files[i].text, l->have[i] ? l->object[i] : NULL};
	return vc_tcc_link(parts, l->n, l->symbol, address, errors);
}

/* Objects that cannot be linked after all are not tried a second time. */
static vc_tcc *
link_surely(loading *l, void **address)
{
	vt_buf errors = {0};
	vc_tcc *t = link_program(l, address, &errors);

	for (uint32_t i = 0; t == NULL && i < l->n; i++)
		if (l->have[i]) {
			unlink(l->object[i]);
			l->have[i] = false;
		}
	if (t == NULL) {
		errors.n = 0;
		t = link_program(l, address, &errors);
	}
	if (t == NULL)
		vc_report(l->c, VC_E0902, (vc_span){0},
			"the emitted C does not compile in memory: %.*s",
			VT_WHOLE(errors.n > 0 ? errors.p : "no symbol"));
	vt_buf_free(&errors);
	return t;
}

static vc_tcc *
load(loading *l, const vc_build_opts *o, void **address)
{
	double t0 = vt_clock(), t1;
	vc_tcc *t;

	if (!o->no_cache)
		find_objects(l);
	if (l->nmissing)
		compile_missing(l);
	t1 = vt_clock();
	t = link_surely(l, address);
	if (t && o->verbose)
		fprintf(stderr,
			"vetro: libtcc %.4f s (%u of %u files from the cache), %.4f s to load %zu "
			"bytes\n",
			t1 - t0, l->found, l->n, vt_clock() - t1, vc_tcc_size(t));
	if (l->nmissing)
		vc_cache_trim(l->c, l->dir);
	return t;
}

void *
vc_jit_symbol(vc *c, const vc_cfile *files, uint32_t n, const vc_build_opts *o, const char *symbol,
	vc_tcc **code)
{
	loading l = {.c = c, .files = files, .n = n, .symbol = symbol};
	void *address = NULL;

	*code = NULL;
	if (!vc_tcc_possible()) {
		vc_tcc_refuse(c);
		return NULL;
	}
	l.missing = vc_alloc(c, n * sizeof *l.missing);
	l.object = vc_alloc(c, n * sizeof *l.object);
	l.have = vc_alloc(c, n * sizeof *l.have);
	*code = load(&l, o, &address);
	return *code ? address : NULL;
}

vc_main_fn *
vc_jit_program(vc *c, const vc_cfile *files, uint32_t n, const vc_build_opts *o, vc_tcc **code)
{
	vc_main_fn *fn = NULL;

	*(void **)&fn = vc_jit_symbol(c, files, n, o, "main", code);
	return fn;
}
