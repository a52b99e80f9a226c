/*
 * coverage.c - `vetro test --coverage`: which statements of a package ran.
 *
 * The program of a package that was translated with steps lists them (runtime/program/steps.c), and
 * counts them in a file in memory that all tests share, so that a test that is killed has counted
 * too.  The results are a tracefile as geninfo(1) of lcov 1.16 describes it, and a page of HTML.
 */
#define _GNU_SOURCE /* memfd_create, seals */
#include "compiler/cmd/coverage.h"
#include "compiler/murano/ast.h"
#include "compiler/murano/package.h"
#include "runtime/core/printable.h"
#include "runtime/text/outfile.h"
#include "vt.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct step {
	struct file *file; /* NULL: of a package that is not tested */
	const char *cls, *text;
	unsigned kind; /* enum vt_step_kind */
	uint32_t line, col;
	uint64_t count;
} step;

/* A share of what there is. */
typedef struct share {
	uint32_t n, hit;
} share;

typedef struct file {
	const vc_source *src;
	const char *name; /* as reports have it */
	uint32_t *steps;  /* numbers of its steps, as the program lists them */
	uint32_t nsteps;
	share lines, statements, methods, branches;
} file;

struct coverage {
	vc *c;
	const char *dir;
	step *steps;
	uint32_t n;
	file **files;
	uint32_t nfiles;
	int fd;
	uint64_t *counts;
	share lines, statements, methods, branches;
};

/* ---- what there is to count ---- */

/* The text of the class, when its package is one that is tested. */
static const vc_source *
source_of(vc *c, const char *package, const char *version, const char *cls)
{
	uint32_t n;
	mpl_package **p = vc_packages(c, &n);

	for (uint32_t i = 0; i < n; i++)
		if (p[i]->is_main && strcmp(p[i]->name, package) == 0 &&
			strcmp(p[i]->version, version) == 0)
			for (uint32_t k = 0; k < p[i]->nclasses; k++)
				if (strcmp(p[i]->classes[k]->name, cls) == 0)
					return p[i]->classes[k]->src;
	return NULL;
}

/* Below the working directory a path begins there, which is what readers of tracefiles expect and
 * what does not name this machine. Elsewhere it stays as it was given. */
static const char *
shown_name(vc *c, const char *path)
{
	char *here = realpath(".", NULL), *full = realpath(path, NULL);
	size_t n = here ? strlen(here) : 0;
	const char *whole = full ? full : path /* in an archive */, *name = path;

	if (n > 1 && strncmp(whole, here, n) == 0 && whole[n] == '/')
		name = vc_strdup(c, whole + n + 1);
	free(here);
	free(full);
	return name;
}

static file *
file_of(coverage *v, const vc_source *src)
{
	file *f;

	for (uint32_t i = 0; i < v->nfiles; i++)
		if (v->files[i]->src == src)
			return v->files[i];
	f = vc_alloc(v->c, sizeof *f);
	f->src = src;
	f->name = shown_name(v->c, src->name);
	vc_push(v->c, v->files, v->nfiles) = f;
	return f;
}

/* package, version, class, kind, line, column, text; false: it is something else. */
static bool
read_step(coverage *v, char *line)
{
	char *column[7];
	const vc_source *src;
	step s = {0};

	for (uint32_t i = 0; i < VC_LEN(column); i++)
		if ((column[i] = strsep(&line, "\t")) == NULL)
			return false;
	s.cls = column[2];
	s.kind = (unsigned)strtoul(column[3], NULL, 10);
	s.line = (uint32_t)strtoul(column[4], NULL, 10);
	s.col = (uint32_t)strtoul(column[5], NULL, 10);
	s.text = column[6];
	src = v->n && v->steps[v->n - 1].file && strcmp(v->steps[v->n - 1].cls, s.cls) == 0
		      ? v->steps[v->n - 1].file->src
		      : source_of(v->c, column[0], column[1], s.cls);
	if (src) {
		s.file = file_of(v, src);
		vc_push(v->c, s.file->steps, s.file->nsteps) = v->n;
	}
	vc_push(v->c, v->steps, v->n) = s;
	return true;
}

static void *
cannot(const coverage *v, const char *what)
{
	vt_say("vetro: --coverage %s: %s: %s\n", v->dir, what, strerror(errno));
	return NULL;
}

/* A test could make the file shorter below the hands of who reads it, were it not sealed. */
static bool
open_counts(coverage *v)
{
	size_t bytes = (v->n ? v->n : 1) * sizeof *v->counts;

	v->fd = memfd_create("vetro-coverage", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (v->fd < 0 || ftruncate(v->fd, (off_t)bytes) != 0 ||
		fcntl(v->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
		return false;
	v->counts = mmap(NULL, bytes, PROT_READ, MAP_SHARED, v->fd, 0);
	return v->counts != MAP_FAILED;
}

static bool
make_folder(const char *dir)
{
	struct stat st;

	if (mkdir(dir, 0777) == 0)
		return true;
	if (errno != EEXIST || stat(dir, &st) != 0)
		return false;
	errno = ENOTDIR;
	return S_ISDIR(st.st_mode);
}

coverage *
coverage_begin(vc *c, const char *dir, char *steps)
{
	coverage *v = vc_alloc(c, sizeof *v);
	char *line;

	v->c = c;
	v->dir = dir;
	v->fd = -1;
	if (!make_folder(dir))
		return cannot(v, "the folder cannot be made");
	while ((line = strsep(&steps, "\n")) != NULL && *line)
		if (!read_step(v, line))
			return errno = EPROTO, cannot(v, "the program lists no statements");
	return open_counts(v) ? v : cannot(v, "nothing can be counted");
}

int
coverage_fd(const coverage *v)
{
	return v->fd;
}

/* ---- sums ---- */

static void
add(share *s, bool hit)
{
	s->n++;
	s->hit += hit;
}

static void
add_all(share *to, share s)
{
	to->n += s.n;
	to->hit += s.hit;
}

/* Nothing of nothing is all of it. */
static double
percent(share s)
{
	return s.n ? 100.0 * s.hit / s.n : 100;
}

enum { NO_CODE = -1 };
/* By line, from 1 on: how often the statements that begin there ran, or NO_CODE. Of several on one
 * line the one that ran most often counts, as a line that was reached. */
static int64_t *
line_counts(const coverage *v, const file *f, uint32_t *nlines)
{
	int64_t *of;

	*nlines = 1;
	for (uint32_t i = 0; i < f->nsteps; i++)
		if (v->steps[f->steps[i]].line > *nlines)
			*nlines = v->steps[f->steps[i]].line;
	for (size_t i = 0, line = 1; i < f->src->n; i++)
		if (f->src->text[i] == '\n' && ++line > *nlines)
			*nlines = (uint32_t)line;
	of = vc_alloc(v->c, (*nlines + 1) * sizeof *of);
	for (uint32_t i = 0; i <= *nlines; i++)
		of[i] = NO_CODE;
	for (uint32_t i = 0; i < f->nsteps; i++) {
		const step *s = &v->steps[f->steps[i]];
		int64_t count = s->count > INT64_MAX ? INT64_MAX : (int64_t)s->count;
		if (s->kind == VT_STEP_STATEMENT && count > of[s->line])
			of[s->line] = count;
	}
	return of;
}

static void
sum_file(coverage *v, file *f)
{
	uint32_t nlines;
	const int64_t *of = line_counts(v, f, &nlines);

	for (uint32_t i = 0; i < f->nsteps; i++) {
		const step *s = &v->steps[f->steps[i]];
		add(s->kind == VT_STEP_METHOD       ? &f->methods
			: s->kind == VT_STEP_BRANCH ? &f->branches
						    : &f->statements,
			s->count > 0);
	}
	for (uint32_t i = 1; i <= nlines; i++)
		if (of[i] != NO_CODE)
			add(&f->lines, of[i] > 0);
	add_all(&v->lines, f->lines);
	add_all(&v->statements, f->statements);
	add_all(&v->methods, f->methods);
	add_all(&v->branches, f->branches);
}

/* ---- lcov ---- */

/* A record is a line: what a name has of line ends is shown. */
static void
put_name(vt_buf *b, const char *name)
{
	vt_put_printable(b, name, strlen(name));
}

static void
lcov_methods(const coverage *v, const file *f, vt_buf *b)
{
	for (unsigned data = 0; data < 2; data++)
		for (uint32_t i = 0; i < f->nsteps; i++) {
			const step *s = &v->steps[f->steps[i]];
			if (s->kind != VT_STEP_METHOD)
				continue;
			if (data)
				vt_buf_printf(b, "FNDA:%" PRIu64 ",", s->count);
			else
				vt_buf_printf(b, "FN:%u,", s->line);
			put_name(b, s->cls);
			vt_buf_puts(b, "::");
			put_name(b, s->text);
			vt_buf_puts(b, "\n");
		}
	vt_buf_printf(b, "FNF:%u\nFNH:%u\n", f->methods.n, f->methods.hit);
}

/* Ways of one statement stand at one place: the ways of a place are numbered, and the places. A
 * statement that was not reached has no number of times that it went somewhere. */
static void
lcov_branches(const coverage *v, const file *f, vt_buf *b)
{
	uint32_t *way = vc_alloc(v->c, (f->nsteps + 1) * sizeof *way);

	for (uint32_t i = 0; i < f->nsteps; i++) {
		const step *s = &v->steps[f->steps[i]];
		bool reached = false;
		uint32_t first = i;
		for (uint32_t k = 0; k < f->nsteps && s->kind == VT_STEP_BRANCH; k++) {
			const step *o = &v->steps[f->steps[k]];
			if (o->line != s->line || o->col != s->col)
				continue;
			reached |= o->count > 0;
			if (o->kind == VT_STEP_BRANCH && k < first)
				first = k;
		}
		if (s->kind != VT_STEP_BRANCH)
			continue;
		vt_buf_printf(b, "BRDA:%u,%u,%u,", s->line, first, way[first]++);
		if (reached)
			vt_buf_printf(b, "%" PRIu64 "\n", s->count);
		else
			vt_buf_puts(b, "-\n");
	}
	vt_buf_printf(b, "BRF:%u\nBRH:%u\n", f->branches.n, f->branches.hit);
}

static void
lcov_file(const coverage *v, const file *f, vt_buf *b)
{
	uint32_t nlines;
	const int64_t *of = line_counts(v, f, &nlines);

	vt_buf_puts(b, "TN:\nSF:");
	put_name(b, f->name);
	vt_buf_puts(b, "\n");
	lcov_methods(v, f, b);
	lcov_branches(v, f, b);
	for (uint32_t i = 1; i <= nlines; i++)
		if (of[i] != NO_CODE)
			vt_buf_printf(b, "DA:%u,%" PRId64 "\n", i, of[i]);
	vt_buf_printf(b, "LF:%u\nLH:%u\nend_of_record\n", f->lines.n, f->lines.hit);
}

/* ---- the page ---- */

static void
html_text(vt_buf *b, const char *s, size_t n)
{
	vt_put_xml(b, s, n);
}

static void
html_share(vt_buf *b, share s)
{
	if (s.n == 0) {
		vt_buf_puts(b, "<td class=n>none");
		return;
	}
	vt_buf_printf(b, "<td class=n>%.1f %% <span class=soft>(%u of %u)</span>", percent(s),
		s.hit, s.n);
}

static void
html_row(vt_buf *b, share statements, share methods, share branches)
{
	vt_buf_printf(b, "<td><meter min=0 max=100 value=\"%.1f\">%.1f %%</meter>",
		percent(statements), percent(statements));
	html_share(b, statements);
	html_share(b, methods);
	html_share(b, branches);
	vt_buf_puts(b, "\n");
}

/* The length of the folder that all files are in, with its slash: the overview leaves it out. */
static size_t
common_folder(const coverage *v)
{
	const char *first = v->nfiles ? v->files[0]->name : "", *slash = strrchr(first, '/');
	size_t n = slash ? (size_t)(slash - first) + 1 : 0;

	for (uint32_t i = 1; i < v->nfiles; i++)
		while (n && strncmp(first, v->files[i]->name, n) != 0)
			for (n--; n && first[n - 1] != '/';)
				n--;
	return n;
}

static void
html_overview(const coverage *v, vt_buf *b)
{
	size_t folder = common_folder(v);

	vt_buf_puts(b, "<table class=all><thead><tr><th>File<th><th>Statements<th>Methods"
		       "<th>Ways</thead>\n<tbody>\n");
	for (uint32_t i = 0; i < v->nfiles; i++) {
		const file *f = v->files[i];
		vt_buf_printf(b, "<tr><td class=name><a href=\"#f%u\">", i);
		html_text(b, f->name + folder, strlen(f->name + folder));
		vt_buf_puts(b, "</a>");
		html_row(b, f->statements, f->methods, f->branches);
	}
	vt_buf_puts(b, "</tbody>\n<tfoot><tr><th>All");
	html_row(b, v->statements, v->methods, v->branches);
	vt_buf_puts(b, "</tfoot></table>\n");
}

/* Of ways that no test has gone, those of statements that were reached: "Else never ran". */
static uint32_t
html_missed(const coverage *v, const file *f, uint32_t line, vt_buf *b)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->nsteps; i++) {
		const step *s = &v->steps[f->steps[i]];
		if (s->line != line || s->kind != VT_STEP_BRANCH || s->count)
			continue;
		vt_buf_puts(b, n++ ? ", " : "never: ");
		html_text(b, s->text, strlen(s->text));
	}
	return n;
}

static void
html_line(const coverage *v, const file *f, uint32_t line, int64_t count, const char *s, size_t n,
	vt_buf *b)
{
	vt_buf missed = {0};
	uint32_t ways = count > 0 ? html_missed(v, f, line, &missed) : 0;
	const char *kind = count == NO_CODE ? "" : count == 0 ? "no" : ways ? "part" : "yes";

	vt_buf_printf(b, "<tr class=\"%s\"><td class=l>%u<td class=c>", kind, line);
	if (count == 0)
		vt_buf_puts(b, "never");
	else if (count > 0)
		vt_buf_printf(b, "%" PRId64, count);
	vt_buf_puts(b, "<td class=t>");
	html_text(b, s, n);
	if (ways) {
		vt_buf_puts(b, " <i>");
		vt_buf_put(b, missed.p, missed.n);
		vt_buf_puts(b, "</i>");
	}
	vt_buf_puts(b, "\n");
	vt_buf_free(&missed);
}

static void
html_file(const coverage *v, uint32_t number, vt_buf *b)
{
	const file *f = v->files[number];
	uint32_t nlines, line = 1;
	const int64_t *of = line_counts(v, f, &nlines);
	const char *p = f->src->text, *end = p + f->src->n;

	vt_buf_printf(b, "<section id=f%u>\n<h2>", number);
	html_text(b, f->name, strlen(f->name));
	vt_buf_printf(b, "</h2>\n<p>%.1f %% of its statements ran: %u of %u.\n<table class=src>\n",
		percent(f->statements), f->statements.hit, f->statements.n);
	for (; p < end && line <= nlines; line++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = nl ? (size_t)(nl - p) : (size_t)(end - p);
		html_line(v, f, line, of[line], p, n && p[n - 1] == '\r' ? n - 1 : n, b);
		p += n + 1;
	}
	vt_buf_puts(b, "</table>\n</section>\n");
}

static void
html_page(const coverage *v, vt_buf *b)
{
	static const char mark[] = "@REPORT@";
	size_t n;
	const char *page = vc_asset("coverage.html", &n), *at = strstr(page, mark);

	vt_buf_put(b, page, (size_t)(at - page));
	html_overview(v, b);
	for (uint32_t i = 0; i < v->nfiles; i++)
		html_file(v, i, b);
	vt_buf_puts(b, at + sizeof mark - 1);
}

/* ---- the end ---- */

static bool
write_file(const coverage *v, const char *name, const vt_buf *text)
{
	const char *path = vc_format(v->c, "%s/%s", v->dir, name);

	if (vt_replace_file(path, text->p ? text->p : "", text->n, 0))
		return true;
	cannot(v, name);
	return false;
}

static void
summarize(const coverage *v, vt_buf *b)
{
	const struct {
		const char *of;
		share s;
	} rows[] = {{"statements", v->statements}, {"methods", v->methods}, {"ways", v->branches}};

	for (uint32_t i = 0; i < VC_LEN(rows); i++)
		vt_buf_printf(b, "%s%.1f%% of %s (%u of %u)",
			i ? ", " : "# coverage: ", percent(rows[i].s), rows[i].of, rows[i].s.hit,
			rows[i].s.n);
	vt_buf_puts(b, "\n# coverage: ");
	vt_put_printable(b, v->dir, strlen(v->dir));
	vt_buf_puts(b, "/index.html\n");
}

bool
coverage_end(coverage *v, vt_buf *summary)
{
	vt_buf lcov = {0}, page = {0};
	bool ok;

	for (uint32_t i = 0; i < v->n; i++)
		v->steps[i].count = v->counts[i];
	for (uint32_t i = 0; i < v->nfiles; i++)
		sum_file(v, v->files[i]);
	for (uint32_t i = 0; i < v->nfiles; i++)
		lcov_file(v, v->files[i], &lcov);
	html_page(v, &page);
	ok = write_file(v, "lcov.info", &lcov) && write_file(v, "index.html", &page);
	summarize(v, summary);
	vt_buf_free(&lcov);
	vt_buf_free(&page);
	munmap(v->counts, (v->n ? v->n : 1) * sizeof *v->counts);
	close(v->fd);
	return ok;
}
