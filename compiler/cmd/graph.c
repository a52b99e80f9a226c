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
read_input(input *in, const mugl_options *o, const char *path)
{
	*in = (input){.name = strcmp(path, "-") ? path : "<stdin>"};
	in->text = mugl_read_text(path, o, &in->n, &in->bad);
	if (in->text)
		in->g = mugl_read(in->text, in->n, o, &in->bad);
}

static void
open_input(input *in, const cmd_options *a, const char *path)
{
	const mugl_options o = reading_of(a);

	read_input(in, &o, path);
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

int
cmd_graph_check(cmd_options *a)
{
	int st = VC_OK;

	for (uint32_t i = 0; i < a->line.words.n; i++) {
		input in;
		vt_buf b = {0};
		open_input(&in, a, a->line.words.v[i]);
		if (in.g)
			mugl_flags_look(in.g, &in.bad);
		for (uint32_t k = 0; is_json(a) && k < in.bad.n; k++)
			put_json_line(&b, &in, &in.bad.p[k]);
		if (!is_json(a))
			print_problems(&in, &in.bad);
		if (in.bad.errors || !in.g)
			st = VC_EINPUT;
		vt_buf_print(&b, stdout);
		close_input(&in);
	}
	return st;
}

/* ---- commands that make a text of each graph ---- */

/* A graph, and what is made of it. */
typedef struct job {
	const cmd_options *a;
	const char *path;
	input in;
	mugl_problems bad;
	vt_buf out;
} job;

static int
flags_of(const cmd_options *a)
{
	return (a->compact ? MUGL_COMPACT : 0) | (a->digest ? MUGL_DIGEST : 0);
}

static bool
write_graph(job *j, const mugl *g, int flags)
{
	if (!mugl_write(g, flags_of(j->a) | flags, &j->out, &j->bad))
		return false;
	if (j->a->compact)
		vt_buf_putc(&j->out, '\n');
	return true;
}

/* To standard output, or over the file unless it is the same. */
static bool
deliver(job *j)
{
	bool same = j->out.n == j->in.n && memcmp(j->out.p, j->in.text, j->out.n) == 0;

	if (j->a->only_check && !same)
		vt_say("%s: not in canonical form\n", j->in.name);
	else if (j->a->in_place && j->out.n && !same)
		mugl_replace_file(j->path, j->out.p, j->out.n, &j->bad);
	else if (!j->a->only_check && !j->a->in_place)
		vt_buf_print(&j->out, stdout);
	return (same || !j->a->only_check) && j->bad.errors == 0;
}

/* The work makes the text of a graph without errors, or false. */
static int
with_graph(const cmd_options *a, const char *path, bool (*work)(job *))
{
	job j = {.a = a, .path = path};
	bool good;

	open_input(&j.in, a, path);
	good = is_good(&j.in) && work(&j) && deliver(&j);
	print_problems(&j.in, &j.bad);
	mugl_problems_free(&j.bad);
	vt_buf_free(&j.out);
	close_input(&j.in);
	return good ? VC_OK : VC_EINPUT;
}

/* The first n words are files. */
static bool
replaces_input(const cmd_options *a, uint32_t n)
{
	for (uint32_t i = 0; a->in_place && i < n; i++)
		if (strcmp(a->line.words.v[i], "-") == 0) {
			vt_cli_usage(&a->line, "standard input cannot be replaced");
			return true;
		}
	return false;
}

static bool
format(job *j)
{
	return write_graph(j, j->in.g, 0);
}

int
cmd_graph_fmt(cmd_options *a)
{
	int st = VC_OK;

	if (replaces_input(a, a->line.words.n))
		return VC_EUSAGE;
	for (uint32_t i = 0; i < a->line.words.n; i++)
		if (with_graph(a, a->line.words.v[i], format) != VC_OK)
			st = VC_EINPUT;
	return st;
}

static bool
take_snapshot(job *j)
{
	mugl *s = mugl_snapshot(j->in.g, &j->bad);
	bool good = s && write_graph(j, s, 0);

	mugl_free(s);
	return good;
}

int
cmd_graph_snapshot(cmd_options *a)
{
	return with_graph(a, a->line.words.v[0], take_snapshot);
}

/* `graph taint`, `untaint`, `protect` and `unprotect`: the list, and whether names come on it. */
static bool
flag(job *j)
{
	const char *list = j->a->line.command->name + strlen("graph ");
	bool on = strncmp(list, "un", 2) != 0, good = true;

	list += on ? 0 : 2;
	for (uint32_t i = 1; i < j->a->line.words.n; i++)
		good &= mugl_flag(j->in.g, list, j->a->line.words.v[i],
			strlen(j->a->line.words.v[i]), on, &j->bad);
	return good && write_graph(j, j->in.g, MUGL_KEEP);
}

int
cmd_graph_flag(cmd_options *a)
{
	return replaces_input(a, 1) ? VC_EUSAGE : with_graph(a, a->line.words.v[0], flag);
}

static bool
draw(job *j)
{
	mugl_dot(j->in.g, &j->out);
	return true;
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

int
cmd_graph_dot(cmd_options *a)
{
	int st;

	return draw_tosca(a->line.words.v[0], &st) ? st : with_graph(a, a->line.words.v[0], draw);
}

/* ---- repair ---- */

/* What was valid and in order stays byte by byte. */
static bool
is_in_order(const cmd_options *a, const input *in)
{
	const mugl_options strict = reading_of(a);
	mugl_problems none = {0};
	mugl *g = mugl_read(in->text, in->n, &strict, &none);
	bool is = g && none.n == 0 && mugl_in_order(g);

	mugl_free(g);
	mugl_problems_free(&none);
	return is;
}

static bool
repair(const cmd_options *a, const char *path)
{
	mugl_options o = reading_of(a);
	job j = {.a = a, .path = path};
	bool good;

	o.lenient = o.unchecked = true;
	read_input(&j.in, &o, path);
	good = j.in.g && mugl_repair(j.in.g, o.snapshot, &j.in.bad, &j.bad);
	print_problems(&j.in, &j.in.bad);
	if (good && j.in.bad.n == 0 && !a->lenient && is_in_order(a, &j.in))
		vt_buf_put(&j.out, j.in.text, j.in.n);
	good = good && (j.out.n || write_graph(&j, j.in.g, MUGL_KEEP)) && deliver(&j);
	print_problems(&j.in, &j.bad);
	mugl_problems_free(&j.bad);
	vt_buf_free(&j.out);
	close_input(&j.in);
	return good;
}

int
cmd_graph_repair(cmd_options *a)
{
	int st = VC_OK;

	if (replaces_input(a, a->line.words.n))
		return VC_EUSAGE;
	for (uint32_t i = 0; i < a->line.words.n; i++)
		if (!repair(a, a->line.words.v[i]))
			st = VC_EINPUT;
	return st;
}

/* ---- replay ---- */

static void
warn_pending(const char *journal, const mugl_pending *p)
{
	vt_buf said = {0};

	vt_buf_printf(&said, "%s of ", mugl_step_name(p->kind));
	mugl_put_plain(&said, p->moniker);
	vt_buf_puts(&said, " began and did not end");
	vt_report_print(&(vt_report){.severity = VT_SEVERITY_WARNING,
				.at = {.file = journal},
				.message = said.p},
		stderr);
	vt_buf_free(&said);
}

/* The text is that of the graph with the journal; with -i it is written by whoever may end it. */
static bool
replay(job *j)
{
	const char *path = j->a->line.words.v[1];
	mugl_problems bad = {0};
	mugl_journal *journal = mugl_journal_open(path, j->in.g, &bad);
	uint32_t n = 0;
	const mugl_pending *p = journal ? mugl_journal_pending(journal, &n) : NULL;
	bool good = journal != NULL;

	for (uint32_t i = 0; i < n; i++)
		warn_pending(path, &p[i]);
	if (good)
		good = j->a->in_place ? mugl_journal_save(journal, j->path, flags_of(j->a), &bad)
				      : write_graph(j, j->in.g, 0);
	mugl_problems_print(&bad, path, NULL, 0, stderr);
	mugl_problems_free(&bad);
	mugl_journal_close(journal);
	return good;
}

int
cmd_graph_replay(cmd_options *a)
{
	const char *path = a->line.words.v[1];
	char *said;

	if (replaces_input(a, 2))
		return VC_EUSAGE;
	if (access(path, R_OK) == 0)
		return with_graph(a, a->line.words.v[0], replay);
	said = vt_asprintf("cannot be read: %s", strerror(errno));
	vt_report_print(
		&(vt_report){
			.code = mugl_code_name(MUGL_IO), .at = {.file = path}, .message = said},
		stderr);
	free(said);
	return VC_EINPUT;
}

/* ---- diff ---- */

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

int
cmd_graph_diff(cmd_options *a)
{
	input from, to;
	int st = VC_EINPUT;
	bool good;

	open_input(&from, a, a->line.words.v[0]);
	open_input(&to, a, a->line.words.v[1]);
	good = is_good(&from);
	good &= is_good(&to);
	if (good) {
		mugl_plan *p = mugl_diff(from.g, to.g, a->delete_first);
		vt_buf b = {0};
		if (is_json(a)) {
			mugl_plan_json(p, &b);
			vt_buf_putc(&b, '\n');
		} else
			mugl_plan_text(p, &b, vt_wants_colour(stdout));
		vt_buf_print(&b, stdout);
		st = VC_OK;
		if ((a->exit_code && !mugl_plan_empty(p)) || !is_allowed(&from, p))
			st = VC_EINPUT;
		mugl_plan_free(p);
	}
	close_input(&from);
	close_input(&to);
	return st;
}

int
cmd_graph_batch(cmd_options *a)
{
	const mugl_options o = reading_of(a);

	return graph_batch(&o);
}
