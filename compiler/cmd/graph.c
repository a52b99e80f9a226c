/*
 * graph.c - `vetro graph`: MuGL texts checked, formatted, compared, drawn and repaired.
 *
 * runtime/mugl/mugl.h has all of it; here are files and output.
 */
#include "compiler/cmd/cmd.h"
#include "compiler/cmd/graph_int.h"
#include "compiler/tosca/front.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- input ---- */

/* A file with what is wrong with it; text for excerpts. */
typedef struct input {
	const char *name;
	char *text;
	size_t n;
	mugl *g; /* or NULL */
	mugl_problems bad;
} input;

/* What the options say of reading. */
static mugl_options
reading_of(const cmd_options *a)
{
	return (mugl_options){.snapshot = a->snapshot,
		.lenient = a->lenient,
		.max_depth = (uint32_t)a->max_depth,
		.max_bytes = a->max_bytes,
		.max_vertices = (uint32_t)a->max_vertices};
}

static void
open_input(input *in, const mugl_options *o, const char *path)
{
	*in = (input){.name = strcmp(path, "-") ? path : "<stdin>"};
	in->text = mugl_read_text(path, o, &in->n, &in->bad);
	if (in->text)
		in->g = mugl_read(in->text, in->n, o, &in->bad);
}

static void
close_input(input *in)
{
	mugl_free(in->g);
	mugl_problems_free(&in->bad);
	free(in->text);
}

static void
print_problems(const input *in, const mugl_problems *p)
{
	mugl_problems_print(p, in->name, in->text, in->n, stderr);
}

/* A graph without errors; else they are reported, and false. */
static bool
is_good(const input *in)
{
	print_problems(in, &in->bad);
	return in->g && in->bad.errors == 0;
}

static int
print(vt_buf *b)
{
	if (b->n)
		fwrite(b->p, 1, b->n, stdout);
	vt_buf_free(b);
	return VC_OK;
}

/* ---- check ---- */

/* The object of every command, with what a graph's problem is about. */
static void
put_json_line(vt_buf *b, const input *in, const mugl_problem *p)
{
	vt_report r = mugl_problem_report(p, in->name, in->text, in->n);

	r.hint = mugl_code_hint(p->code);
	vt_report_json(b, &r);
	b->n--;
	vt_buf_puts(b, ",\"about\":");
	mugl_problem_json(b, p);
	vt_buf_puts(b, "}\n");
}

static bool
is_json(const cmd_options *a)
{
	return strcmp(a->form, "json") == 0;
}

static int
run_check(const cmd_options *a)
{
	const mugl_options o = reading_of(a);
	int st = VC_OK;

	for (uint32_t i = 0; i < a->line.words.n; i++) {
		input in;
		vt_buf b = {0};
		open_input(&in, &o, a->line.words.v[i]);
		if (in.g)
			mugl_flags_look(in.g, &in.bad);
		for (uint32_t k = 0; is_json(a) && k < in.bad.n; k++)
			put_json_line(&b, &in, &in.bad.p[k]);
		if (!is_json(a))
			print_problems(&in, &in.bad);
		if (in.bad.errors || !in.g)
			st = VC_EINPUT;
		print(&b);
		close_input(&in);
	}
	return st;
}

/* ---- fmt, repair, snapshot ---- */

static int
flags_of(const cmd_options *a)
{
	return (a->compact ? MUGL_COMPACT : 0) | (a->digest ? MUGL_DIGEST : 0);
}

/* To standard output, or over the file unless it is the same. */
static int
deliver(const cmd_options *a, input *in, const char *path, vt_buf *b)
{
	bool same = b->n == in->n && memcmp(b->p, in->text, b->n) == 0;
	mugl_problems bad = {0};

	if (a->only_check) {
		vt_buf_free(b);
		if (!same)
			vc_say("%s: not in canonical form\n", in->name);
		return same ? VC_OK : VC_EINPUT;
	}
	if (!a->in_place)
		return print(b);
	if (!same)
		mugl_replace_file(path, b->p, b->n, &bad);
	vt_buf_free(b);
	print_problems(in, &bad);
	mugl_problems_free(&bad);
	return bad.errors ? VC_EINPUT : VC_OK;
}

static int
format_one(const cmd_options *a, const char *path)
{
	const mugl_options o = reading_of(a);
	input in;
	vt_buf b = {0};
	int st = VC_EINPUT;

	open_input(&in, &o, path);
	if (is_good(&in)) {
		mugl_problems bad = {0};
		if (mugl_write(in.g, flags_of(a), &b, &bad)) {
			if (a->compact)
				vt_buf_putc(&b, '\n');
			st = deliver(a, &in, path, &b);
		}
		print_problems(&in, &bad);
		mugl_problems_free(&bad);
	}
	close_input(&in);
	return st;
}

static int
repair_one(const cmd_options *a, const char *path)
{
	mugl_options strict = reading_of(a), o = strict;
	mugl_problems left = {0};
	vt_buf b = {0};
	input in;
	int st = VC_EINPUT;
	bool good;

	o.lenient = o.unchecked = true;
	open_input(&in, &o, path);
	good = in.g && mugl_repair(in.g, o.snapshot, &in.bad, &left);
	print_problems(&in, &in.bad);
	print_problems(&in, &left);
	/* What was valid and in order stays byte by byte. */
	if (good && in.bad.n == 0 && !a->lenient) {
		mugl_problems none = {0};
		mugl *g = mugl_read(in.text, in.n, &strict, &none);
		if (g && none.n == 0 && mugl_in_order(g))
			vt_buf_put(&b, in.text, in.n);
		mugl_free(g);
		mugl_problems_free(&none);
	}
	if (good && (b.n || mugl_write(in.g, flags_of(a) | MUGL_KEEP, &b, &left)))
		st = deliver(a, &in, path, &b);
	mugl_problems_free(&left);
	close_input(&in);
	return st;
}

/* ---- taint, protect ---- */

/* files[0], and the monikers behind it. */
static int
run_flag(const cmd_options *a, const char *list, bool on)
{
	const mugl_options o = reading_of(a);
	mugl_problems bad = {0};
	vt_buf b = {0};
	input in;
	int st = VC_EINPUT;
	bool good;

	open_input(&in, &o, a->line.words.v[0]);
	if ((good = is_good(&in))) {
		for (uint32_t i = 1; i < a->line.words.n; i++)
			good &= mugl_flag(in.g, list, a->line.words.v[i],
				strlen(a->line.words.v[i]), on, &bad);
		if (good && mugl_write(in.g, flags_of(a) | MUGL_KEEP, &b, &bad))
			st = deliver(a, &in, a->line.words.v[0], &b);
		print_problems(&in, &bad);
	}
	mugl_problems_free(&bad);
	vt_buf_free(&b);
	close_input(&in);
	return st;
}

static int
each_file(const cmd_options *a, int (*run)(const cmd_options *, const char *))
{
	int st = VC_OK;

	for (uint32_t i = 0; i < a->line.words.n; i++) {
		int k = run(a, a->line.words.v[i]);
		if (k != VC_OK)
			st = k;
	}
	return st;
}

static int
run_fmt(const cmd_options *a)
{
	return each_file(a, format_one);
}

static int
run_repair(const cmd_options *a)
{
	return each_file(a, repair_one);
}

static int
run_snapshot(const cmd_options *a)
{
	const mugl_options o = reading_of(a);
	input in;
	vt_buf b = {0};
	mugl_problems bad = {0};
	mugl *s = NULL;
	int st = VC_EINPUT;

	open_input(&in, &o, a->line.words.v[0]);
	if (is_good(&in) && (s = mugl_snapshot(in.g, &bad)) &&
		mugl_write(s, flags_of(a), &b, &bad)) {
		if (a->compact)
			vt_buf_putc(&b, '\n');
		st = print(&b);
	}
	print_problems(&in, &bad);
	mugl_problems_free(&bad);
	mugl_free(s);
	close_input(&in);
	return st;
}

/* ---- replay ---- */

static int
replay(const cmd_options *a, input *in)
{
	mugl_problems bad = {0};
	mugl_journal *j = mugl_journal_open(a->line.words.v[1], in->g, &bad);
	vt_buf b = {0};
	uint32_t n = 0;
	const mugl_pending *p = j ? mugl_journal_pending(j, &n) : NULL;
	bool good = j != NULL;

	for (uint32_t i = 0; i < n; i++) {
		vt_buf name = {0};
		mugl_put_plain(&name, p[i].moniker);
		char *said = vt_asprintf(
			"%s of %s began and did not end", mugl_step_name(p[i].kind), name.p);
		vt_report_print(&(vt_report){.severity = VT_SEVERITY_WARNING,
					.at = {.file = a->line.words.v[1]},
					.message = said},
			stderr);
		free(said);
		vt_buf_free(&name);
	}
	if (good && a->in_place)
		good = mugl_journal_save(j, a->line.words.v[0], flags_of(a), &bad);
	else if (good && (good = mugl_write(in->g, flags_of(a), &b, &bad))) {
		if (a->compact)
			vt_buf_putc(&b, '\n');
		print(&b);
	}
	mugl_problems_print(&bad, a->line.words.v[1], NULL, 0, stderr);
	mugl_problems_free(&bad);
	vt_buf_free(&b);
	mugl_journal_close(j);
	return good ? VC_OK : VC_EINPUT;
}

static int
run_replay(const cmd_options *a)
{
	const mugl_options o = reading_of(a);
	input in;
	int st = VC_EINPUT;

	if (access(a->line.words.v[1], R_OK) != 0) {
		char *said = vt_asprintf("cannot be read: %s", strerror(errno));
		vt_report_print(&(vt_report){.code = mugl_code_name(MUGL_IO),
					.at = {.file = a->line.words.v[1]},
					.message = said},
			stderr);
		free(said);
		return VC_EINPUT;
	}
	open_input(&in, &o, a->line.words.v[0]);
	if (is_good(&in))
		st = replay(a, &in);
	close_input(&in);
	return st;
}

/* ---- diff, dot ---- */

enum { AUTO, ALWAYS, NEVER }; /* --color */

static bool
wants_colour(const cmd_options *a)
{
	const char *no = getenv("NO_COLOR");

	if (a->colour != AUTO)
		return a->colour == ALWAYS;
	return isatty(STDOUT_FILENO) && !(no && *no);
}

/* Does the plan leave what is protected alone?  Else it is reported. */
static bool
is_allowed(const input *from, const mugl_plan *p)
{
	mugl_problems bad = {0};
	bool ok = mugl_plan_allowed(p, &bad);

	print_problems(from, &bad);
	mugl_problems_free(&bad);
	return ok;
}

static int
run_diff(const cmd_options *a)
{
	const mugl_options o = reading_of(a);
	input from, to;
	int st = VC_EINPUT;
	bool good;

	open_input(&from, &o, a->line.words.v[0]);
	open_input(&to, &o, a->line.words.v[1]);
	good = is_good(&from);
	good &= is_good(&to);
	if (good) {
		mugl_plan *p = mugl_diff(from.g, to.g, a->delete_first);
		vt_buf b = {0};
		if (is_json(a)) {
			mugl_plan_json(p, &b);
			vt_buf_putc(&b, '\n');
		} else
			mugl_plan_text(p, &b, wants_colour(a));
		st = print(&b);
		if ((a->exit_code && !mugl_plan_empty(p)) || !is_allowed(&from, p))
			st = VC_EINPUT;
		mugl_plan_free(p);
	}
	close_input(&from);
	close_input(&to);
	return st;
}

/* A file that says which TOSCA it is. Standard input is a graph. */
static bool
draw_tosca(const char *path, int *st)
{
	vc *c = vc_new();
	bool is = strcmp(path, "-") != 0 && tosca_is_source(c, path);

	if (is)
		*st = cmd_tosca_dot(c, path);
	vc_free(c);
	return is;
}

static int
run_dot(const cmd_options *a)
{
	const mugl_options o = reading_of(a);
	input in;
	vt_buf b = {0};
	int st = VC_EINPUT;

	if (draw_tosca(a->line.words.v[0], &st))
		return st;
	open_input(&in, &o, a->line.words.v[0]);
	if (is_good(&in)) {
		mugl_dot(in.g, &b);
		st = print(&b);
	}
	close_input(&in);
	return st;
}
/* ---- the commands ---- */

static bool
replaces_input(const cmd_options *a, uint32_t nfiles)
{
	for (uint32_t i = 0; a->in_place && i < nfiles; i++)
		if (strcmp(a->line.words.v[i], "-") == 0)
			return true;
	return false;
}

/* nfiles: so many of the words are files. */
static int
guarded(const cmd_options *a, uint32_t nfiles, int (*run)(const cmd_options *))
{
	return replaces_input(a, nfiles)
		       ? vt_cli_usage(&a->line, "standard input cannot be replaced")
		       : run(a);
}

static int
guarded_flag(const cmd_options *a, const char *list, bool on)
{
	return replaces_input(a, 1) ? vt_cli_usage(&a->line, "standard input cannot be replaced")
				    : run_flag(a, list, on);
}

int
cmd_graph_check(cmd_options *a)
{
	return run_check(a);
}

int
cmd_graph_fmt(cmd_options *a)
{
	return guarded(a, a->line.words.n, run_fmt);
}

int
cmd_graph_diff(cmd_options *a)
{
	return run_diff(a);
}

int
cmd_graph_dot(cmd_options *a)
{
	return run_dot(a);
}

int
cmd_graph_repair(cmd_options *a)
{
	return guarded(a, a->line.words.n, run_repair);
}

int
cmd_graph_snapshot(cmd_options *a)
{
	return run_snapshot(a);
}

int
cmd_graph_replay(cmd_options *a)
{
	return guarded(a, 2, run_replay);
}

int
cmd_graph_taint(cmd_options *a)
{
	return guarded_flag(a, "taint", true);
}

int
cmd_graph_untaint(cmd_options *a)
{
	return guarded_flag(a, "taint", false);
}

int
cmd_graph_protect(cmd_options *a)
{
	return guarded_flag(a, "protect", true);
}

int
cmd_graph_unprotect(cmd_options *a)
{
	return guarded_flag(a, "protect", false);
}

int
cmd_graph_batch(cmd_options *a)
{
	const mugl_options o = reading_of(a);

	return graph_batch(&o);
}
