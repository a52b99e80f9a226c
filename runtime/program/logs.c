/*
 * logs.c - `logs` of a binary: what its runs have printed.
 *
 * The files are those of NAME.state.logs: NODE.STEP.log for each operation of a service, VERB.log
 * for a package.  What is followed is read by whole
 * lines, so that no secret and no character comes in two pieces.  A terminal gets it without what
 * it could act on.
 */
#define _GNU_SOURCE
#include "runtime/program/logs.h"
#include "runtime/program/status.h"
#include "runtime/core/printable.h"
#include "runtime/text/outfile.h"
#include "runtime/text/record_log.h"
#include "runtime/text/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MOST_LINE = 1 << 20,
	PIECE = 1 << 16,
	PAGE_BYTES = 20000,
	PAGE_LOGS = 2000,
	MOST_READ = 64 << 20
};
static const double PAUSE = 0.2; /* seconds between two looks */

typedef struct logfile {
	char *name; /* without ".log" */
	off_t done; /* bytes that were printed */
	ino_t inode;
	struct timespec when;
	vt_buf rest; /* the beginning of a line */
} logfile;
typedef struct logs {
	const vt_logs *o;
	logfile *file;
	uint32_t n;
	const char *last; /* the file that was printed last */
	bool plain;       /* for a terminal */
	bool broken;      /* nobody reads it any more */
	bool told;        /* something was printed */
} logs;

static int
by_time(const void *a, const void *b)
{
	const logfile *x = a, *y = b;
	if (x->when.tv_sec != y->when.tv_sec)
		return x->when.tv_sec < y->when.tv_sec ? -1 : 1;
	if (x->when.tv_nsec != y->when.tv_nsec)
		return x->when.tv_nsec < y->when.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* "web" is web.STEP, web_2.STEP and web/inner.STEP; a name with its step is that alone. */
static bool
is_wanted(const char *file, const char *only)
{
	size_t n = only ? strlen(only) : 0;
	const char *rest = file + n;
	if (!only)
		return true;
	if (strncmp(file, only, n) != 0)
		return false;
	if (*rest == '_')
		while (*++rest >= '0' && *rest <= '9')
			;
	return *rest == 0 || *rest == '.' || *rest == '_';
}

static logfile *
known(logs *l, const char *name, size_t n)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (strlen(l->file[i].name) == n && !memcmp(l->file[i].name, name, n))
			return &l->file[i];
	return NULL;
}

/* Files that have come, and those that were begun anew. */
static void
list_files(logs *l)
{
	DIR *d = opendir(l->o->dir);
	struct dirent *e;
	while (d && (e = readdir(d)) != NULL) {
		struct stat st;
		logfile *f;
		size_t n = strlen(e->d_name);
		if (n < 5 || !vt_ends_with(e->d_name, ".log") ||
			fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
			!S_ISREG(st.st_mode))
			continue;
		f = known(l, e->d_name, n - 4);
		if (!f) {
			vt_push(l->file, l->n) =
				(logfile){.name = vt_asprintf("%.*s", (int)n - 4, e->d_name)};
			f = &l->file[l->n - 1];
		}
		if (f->inode != st.st_ino || st.st_size < f->done)
			f->done = 0;
		f->inode = st.st_ino;
		f->when = st.st_mtim;
	}
	if (d)
		closedir(d);
	if (l->n > 1)
		qsort(l->file, l->n, sizeof *l->file, by_time);
}

/* Lines without the word that is looked for go.  False: all of them. */
static bool
pick_lines(const logs *l, vt_buf *text)
{
	vt_buf b = {NULL, 0, 0};
	const char *p = text->p, *end = p + text->n;
	size_t n = l->o->word ? strlen(l->o->word) : 0;
	while (n && p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl + 1 : end;
		if (memmem(p, (size_t)(stop - p), l->o->word, n))
			vt_buf_put(&b, p, (size_t)(stop - p));
		p = stop;
	}
	if (n) {
		vt_buf_free(text);
		*text = b;
	}
	return text->n > 0;
}

static void
put(logs *l, vt_buf *text)
{
	vt_buf b = {NULL, 0, 0};
	vt_redact(text, 0);
	if (l->plain)
		vt_put_lines(&b, text->p, text->n);
	else
		vt_buf_put(&b, text->p, text->n);
	l->broken = l->broken || !vt_write_all(STDOUT_FILENO, b.p ? b.p : "", b.n);
	vt_buf_free(&b);
	vt_buf_free(text);
}

static void
put_title(logs *l, const logfile *f)
{
	vt_buf b = {NULL, 0, 0};
	if (l->last == f->name)
		return;
	vt_buf_printf(&b, "%s==> %s <==\n", l->last ? "\n" : "", f->name);
	l->last = f->name;
	put(l, &b);
}

/* The lines of it that are whole; all: what is left as well, with an end. */
static void
put_lines(logs *l, logfile *f, bool all)
{
	size_t n = f->rest.n;
	vt_buf text = {NULL, 0, 0};
	while (n > 0 && !all && n < MOST_LINE && f->rest.p[n - 1] != '\n')
		n--;
	if (!all && f->rest.n >= MOST_LINE && n == 0)
		n = f->rest.n;
	if (n == 0)
		return;
	vt_buf_put(&text, f->rest.p, n);
	memmove(f->rest.p, f->rest.p + n, f->rest.n - n);
	f->rest.n -= n;
	if (all && text.p[text.n - 1] != '\n')
		vt_buf_putc(&text, '\n');
	if (!pick_lines(l, &text))
		return;
	l->told = true;
	if (!l->o->word)
		put_title(l, f);
	put(l, &text);
}

static void
read_on(logs *l, logfile *f, bool all)
{
	char *path = vt_asprintf("%s/%s.log", l->o->dir, f->name), *piece = vt_xmalloc(PIECE);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t k;
	while (fd >= 0 && !l->broken && (k = pread(fd, piece, PIECE, f->done)) > 0) {
		f->done += k;
		vt_buf_put(&f->rest, piece, (size_t)k);
		put_lines(l, f, false);
	}
	if (fd >= 0)
		close(fd);
	put_lines(l, f, all);
	free(piece);
	free(path);
}

static uint32_t
print(logs *l, bool all)
{
	uint32_t wanted = 0;
	list_files(l);
	for (uint32_t i = 0; i < l->n && !l->broken; i++)
		if (is_wanted(l->file[i].name, l->o->file)) {
			read_on(l, &l->file[i], all);
			wanted++;
		}
	return wanted;
}

/* Until the run has ended that is under way; where nothing was ever begun, the first one. */
static void
follow(logs *l)
{
	bool begun = access(l->o->state, F_OK) == 0;
	for (;;) {
		bool held = vt_log_is_held(l->o->lock);
		bool over = begun && !held;
		(void)print(l, over);
		if (over || l->broken)
			return;
		begun = begun || held;
		usleep((useconds_t)(PAUSE * 1e6));
	}
}

static int
nothing(logs *l)
{
	vt_buf names = {NULL, 0, 0};
	for (uint32_t i = 0; i < l->n && i < 20; i++)
		vt_buf_printf(&names, "%s%s", i ? ", " : "", l->file[i].name);
	const char *name = l->o->word ? l->o->word : l->o->file;
	if (name && l->n)
		vt_say("%s: there is no log of '%s'\n  hint: there are %.*s%s\n", l->o->self, name,
			(int)names.n, names.p, l->n > 20 ? "..." : "");
	else
		vt_say("%s: there are no logs in %s: nothing has been printed yet\n", l->o->self,
			l->o->dir);
	vt_buf_free(&names);
	return FAILED;
}

int
vt_logs_print(const vt_logs *o)
{
	logs l = {.o = o, .plain = isatty(STDOUT_FILENO) != 0};
	int rc = DONE;
	fflush(stdout);
	if (o->follow)
		follow(&l);
	else if (!print(&l, true) || (o->word && !l.told))
		rc = nothing(&l);
	for (uint32_t i = 0; i < l.n; i++) {
		free(l.file[i].name);
		vt_buf_free(&l.file[i].rest);
	}
	free(l.file);
	return l.broken ? FAILED : rc;
}

/* ---- for the page ---- */

/* The end of one, with a title. */
static void
put_end(const logs *l, const logfile *f, vt_buf *text)
{
	char *path = vt_asprintf("%s/%s.log", l->o->dir, f->name);
	vt_buf b = {NULL, 0, 0};
	if (vt_read_file(path, MOST_READ, &b) && b.n && pick_lines(l, &b)) {
		vt_redact(&b, 0);
		size_t from = b.n > PAGE_BYTES ? b.n - PAGE_BYTES : 0;
		vt_buf_printf(text, "==> %s <==\n", f->name);
		vt_put_lines(text, b.p + from, b.n - from);
	}
	vt_buf_free(&b);
	free(path);
}

uint32_t
vt_logs_ends(const vt_logs *o, const char *of, vt_buf *text)
{
	logs l = {.o = o};
	size_t n = of ? strlen(of) : 0;
	uint32_t all;
	list_files(&l);
	all = l.n;
	for (uint32_t i = 0; i < l.n; i++) {
		if (!is_wanted(l.file[i].name, o->file))
			;
		else if (!of || (!strncmp(l.file[i].name, of, n) && l.file[i].name[n] == '.'))
			put_end(&l, &l.file[i], text);
		free(l.file[i].name);
	}
	free(l.file);
	return all;
}
