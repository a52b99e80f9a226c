/*
 * fmt.c - `vetro fmt`: files and folders in one layout.
 *
 * A file is replaced as a whole and only when its layout differs.  What cannot be read is reported
 * and stays; the other files have their turn.
 */
#define _GNU_SOURCE /* fts */
#include "compiler/cmd/cmd.h"
#include "compiler/fmt/fmt.h"
#include "runtime/core/printable.h"
#include "runtime/text/outfile.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct fmt_run {
	const cmd_options *o;
	uint32_t differ; /* files whose layout is another one */
	uint32_t files;
	bool bad; /* something was reported */
} fmt_run;

/* ---- one file ---- */

static void
say(const char *path)
{
	vt_buf b = {0};

	vt_put_printable(&b, path, strlen(path));
	vt_buf_putc(&b, '\n');
	vt_buf_print(&b, stdout);
	vt_buf_free(&b);
}

/* The differences, by diff(1): from the file to what is on its standard input. */
static bool
show_difference(const char *path, const vt_buf *laid)
{
	int ends[2], status = 0;
	pid_t pid;

	fflush(stdout);
	if (pipe(ends))
		return false;
	if ((pid = fork()) == 0) {
		dup2(ends[0], 0);
		close(ends[0]);
		close(ends[1]);
		execlp("diff", "diff", "-u", "--label", path, "--label", path, "--", path, "-",
			(char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	bool written = pid > 0 && vt_write_all(ends[1], laid->p, laid->n);
	close(ends[1]);
	return pid > 0 && waitpid(pid, &status, 0) == pid && written && WIFEXITED(status) &&
	       WEXITSTATUS(status) <= 1;
}

/* What was found to differ: said, shown or put right, as the options have it. */
static bool
deliver(fmt_run *run, const char *path, const vt_buf *laid)
{
	run->differ++;
	if (run->o->shows_diff) {
		if (show_difference(path, laid))
			return true;
		vt_say("vetro fmt: diff(1) cannot be run: install diffutils");
		return false;
	}
	say(path);
	if (run->o->only_check || vt_replace_file(path, laid->p ? laid->p : "", laid->n, 0))
		return true;
	vt_say("vetro fmt: cannot write %s: %s", path, strerror(errno));
	return false;
}

/* Each file is a compilation of its own, so that memory does not add up. */
static void
fmt_file(fmt_run *run, const char *path)
{
	vc *c = vc_new();
	vt_buf laid = {0};
	bool from_input = strcmp(path, "-") == 0;

	cmd_limit_files(c, run->o);
	c->limit.max_depth = (uint32_t)run->o->max_depth;
	vc_source *src = vc_source_read(c, path);
	bool good = src && fmt_source(c, src, fmt_kind_of(src), &laid);
	run->files++;
	if (good && from_input && !run->o->only_check)
		good = vt_put_output("vetro fmt", NULL, &laid, 0);
	else if (good && (laid.n != src->n || memcmp(laid.p ? laid.p : "", src->text, src->n) != 0))
		good = deliver(run, path, &laid);
	run->bad |= !good;
	vc_print_diags(c, VC_TEXT, stderr);
	vt_buf_free(&laid);
	vc_free(c);
}

/* ---- folders ---- */

static bool
has_layout(const char *name)
{
	static const char *const ends[] = {".yaml", ".yml", ".yaql", ".yay"};

	for (size_t i = 0; i < VC_LEN(ends); i++)
		if (vt_ends_with(name, ends[i]))
			return true;
	return false;
}

static int
by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Files of a folder and below, but for what is hidden. Links are not followed. */
static void
fmt_folder(fmt_run *run, const char *path)
{
	char *const roots[] = {(char *)(uintptr_t)path, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	FTSENT *at;
	uint32_t files = 0;

	while (walk && (at = fts_read(walk)) != NULL) {
		if (at->fts_level > 0 && at->fts_name[0] == '.')
			fts_set(walk, at, FTS_SKIP);
		else if (at->fts_info == FTS_F && has_layout(at->fts_name))
			fmt_file(run, at->fts_path), files++;
		else if (at->fts_info == FTS_DNR || at->fts_info == FTS_ERR) {
			vc *c = vc_new();
			vc_report(c, VC_E0101, vc_file_span(c, at->fts_path),
				"cannot read the folder: %s", strerror(at->fts_errno));
			vc_print_diags(c, VC_TEXT, stderr);
			vc_free(c);
			run->bad = true;
		}
	}
	if (walk)
		fts_close(walk);
	if (files == 0 && !run->bad)
		vt_say("vetro fmt: nothing to do: %s has no .yaml, .yml, .yay or .yaql file\n",
			path);
}

int
cmd_fmt(cmd_options *o)
{
	fmt_run run = {.o = o};
	struct stat st;

	for (uint32_t i = 0; i < o->line.words.n; i++) {
		const char *path = o->line.words.v[i];
		if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
			fmt_folder(&run, path);
		else
			fmt_file(&run, path);
	}
	return run.bad || (run.differ && o->only_check) ? VC_EINPUT : VC_OK;
}
