/*
 * graph.c - `vetro graph`: MuGL texts checked, formatted, compared, drawn and repaired.
 *
 * runtime/mugl/mugl.h has all of it; here are options, files and output. templates/graph.txt is the
 * help.
 */
#include "compiler/cmd/cmd.h"
#include "compiler/cmd/graph_int.h"
#include "compiler/tosca/front.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct graph_args {
	mugl_options o;
	const char **files;
	int nfiles;
	bool in_place, compact, check, digest, json, delete_first, exit_code, batch;
	const char *list; /* taint or protect, which `on` puts monikers on */
	bool on;
	enum { AUTO, ALWAYS, NEVER } colour;
} graph_args;

/* ---- input ---- */

/* A file with what is wrong with it; text for excerpts. */
typedef struct input {
	const char *name;
	char *text;
	size_t n;
	mugl *g; /* or NULL */
	mugl_problems bad;
} input;

static void
open_input(input *in, const graph_args *a, const char *path)
{
	*in = (input){.name = strcmp(path, "-") ? path : "<stdin>"};
	in->text = mugl_read_text(path, &a->o, &in->n, &in->bad);
	if (in->text)
		in->g = mugl_read(in->text, in->n, &a->o, &in->bad);
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

/* A graph without errors; else they are told, and false. */
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

static int
run_check(const graph_args *a)
{
	int st = VC_OK;

	for (int i = 0; i < a->nfiles; i++) {
		input in;
		vt_buf b = {0};
		open_input(&in, a, a->files[i]);
		if (in.g)
			mugl_flags_look(in.g, &in.bad);
		for (uint32_t k = 0; a->json && k < in.bad.n; k++)
			put_json_line(&b, &in, &in.bad.p[k]);
		if (!a->json)
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
flags_of(const graph_args *a)
{
	return (a->compact ? MUGL_COMPACT : 0) | (a->digest ? MUGL_DIGEST : 0);
}

/* To standard output, or over the file unless it is the same. */
static int
deliver(const graph_args *a, input *in, const char *path, vt_buf *b)
{
	bool same = b->n == in->n && memcmp(b->p, in->text, b->n) == 0;
	mugl_problems bad = {0};

	if (a->check) {
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
format_one(const graph_args *a, const char *path)
{
	input in;
	vt_buf b = {0};
	int st = VC_EINPUT;

	open_input(&in, a, path);
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
repair_one(const graph_args *all, const char *path)
{
	graph_args a = *all;
	mugl_problems left = {0};
	vt_buf b = {0};
	input in;
	int st = VC_EINPUT;
	bool good;

	a.o.lenient = a.o.unchecked = true;
	open_input(&in, &a, path);
	good = in.g && mugl_repair(in.g, a.o.snapshot, &in.bad, &left);
	print_problems(&in, &in.bad);
	print_problems(&in, &left);
	/* What was valid and in order stays byte by byte. */
	if (good && in.bad.n == 0 && all->o.lenient == false) {
		mugl_options strict = all->o;
		mugl_problems none = {0};
		mugl *g = mugl_read(in.text, in.n, &strict, &none);
		if (g && none.n == 0 && mugl_in_order(g))
			vt_buf_put(&b, in.text, in.n);
		mugl_free(g);
		mugl_problems_free(&none);
	}
	if (good && (b.n || mugl_write(in.g, flags_of(&a) | MUGL_KEEP, &b, &left)))
		st = deliver(&a, &in, path, &b);
	mugl_problems_free(&left);
	close_input(&in);
	return st;
}

/* ---- taint, protect ---- */

/* files[0], and the monikers behind it. */
static int
run_flag(const graph_args *a)
{
	mugl_problems bad = {0};
	vt_buf b = {0};
	input in;
	int st = VC_EINPUT;
	bool good;

	open_input(&in, a, a->files[0]);
	if ((good = is_good(&in))) {
		for (int i = 1; i < a->nfiles; i++)
			good &= mugl_flag(
				in.g, a->list, a->files[i], strlen(a->files[i]), a->on, &bad);
		if (good && mugl_write(in.g, flags_of(a) | MUGL_KEEP, &b, &bad))
			st = deliver(a, &in, a->files[0], &b);
		print_problems(&in, &bad);
	}
	mugl_problems_free(&bad);
	vt_buf_free(&b);
	close_input(&in);
	return st;
}

static int
each_file(const graph_args *a, int (*run)(const graph_args *, const char *))
{
	int st = VC_OK;

	for (int i = 0; i < a->nfiles; i++) {
		int k = run(a, a->files[i]);
		if (k != VC_OK)
			st = k;
	}
	return st;
}

static int
run_fmt(const graph_args *a)
{
	return each_file(a, format_one);
}

static int
run_repair(const graph_args *a)
{
	return each_file(a, repair_one);
}

static int
run_snapshot(const graph_args *a)
{
	input in;
	vt_buf b = {0};
	mugl_problems bad = {0};
	mugl *s = NULL;
	int st = VC_EINPUT;

	open_input(&in, a, a->files[0]);
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
replay(const graph_args *a, input *in)
{
	mugl_problems bad = {0};
	mugl_journal *j = mugl_journal_open(a->files[1], in->g, &bad);
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
					.at = {.file = a->files[1]},
					.message = said},
			stderr);
		free(said);
		vt_buf_free(&name);
	}
	if (good && a->in_place)
		good = mugl_journal_save(j, a->files[0], flags_of(a), &bad);
	else if (good && (good = mugl_write(in->g, flags_of(a), &b, &bad))) {
		if (a->compact)
			vt_buf_putc(&b, '\n');
		print(&b);
	}
	mugl_problems_print(&bad, a->files[1], NULL, 0, stderr);
	mugl_problems_free(&bad);
	vt_buf_free(&b);
	mugl_journal_close(j);
	return good ? VC_OK : VC_EINPUT;
}

static int
run_replay(const graph_args *a)
{
	input in;
	int st = VC_EINPUT;

	if (access(a->files[1], R_OK) != 0) {
		char *said = vt_asprintf("cannot be read: %s", strerror(errno));
		vt_report_print(&(vt_report){.code = mugl_code_name(MUGL_IO),
					.at = {.file = a->files[1]},
					.message = said},
			stderr);
		free(said);
		return VC_EINPUT;
	}
	open_input(&in, a, a->files[0]);
	if (is_good(&in))
		st = replay(a, &in);
	close_input(&in);
	return st;
}

/* ---- diff, dot ---- */

static bool
wants_colour(const graph_args *a)
{
	const char *no = getenv("NO_COLOR");

	if (a->colour != AUTO)
		return a->colour == ALWAYS;
	return isatty(STDOUT_FILENO) && !(no && *no);
}

/* Does the plan leave what is protected alone?  Else it is told. */
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
run_diff(const graph_args *a)
{
	input from, to;
	int st = VC_EINPUT;
	bool good;

	open_input(&from, a, a->files[0]);
	open_input(&to, a, a->files[1]);
	good = is_good(&from);
	good &= is_good(&to);
	if (good) {
		mugl_plan *p = mugl_diff(from.g, to.g, a->delete_first);
		vt_buf b = {0};
		if (a->json) {
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
run_dot(const graph_args *a)
{
	input in;
	vt_buf b = {0};
	int st = VC_EINPUT;

	if (draw_tosca(a->files[0], &st))
		return st;
	open_input(&in, a, a->files[0]);
	if (is_good(&in)) {
		mugl_dot(in.g, &b);
		st = print(&b);
	}
	close_input(&in);
	return st;
}

/* ---- the command line ---- */

enum { F_IN_PLACE = 1, F_COMPACT = 2, F_CHECK = 4, F_DIGEST = 8, F_FORMAT = 16, F_DIFF = 32 };
static const struct sub {
	const char *name;
	int (*run)(const graph_args *);
	int least, most; /* files */
	unsigned options;
	const char *list; /* taint or protect: a file and monikers */
	bool on;
} subs[] = {
	{"check", run_check, 1, 1 << 20, F_FORMAT, NULL, false},
	{"fmt", run_fmt, 1, 1 << 20, F_IN_PLACE | F_COMPACT | F_CHECK | F_DIGEST, NULL, false},
	{"diff", run_diff, 2, 2, F_FORMAT | F_DIFF, NULL, false},
	{"dot", run_dot, 1, 1, 0, NULL, false},
	{"repair", run_repair, 1, 1 << 20, F_IN_PLACE, NULL, false},
	{"snapshot", run_snapshot, 1, 1, F_COMPACT | F_DIGEST, NULL, false},
	{"replay", run_replay, 2, 2, F_IN_PLACE | F_COMPACT | F_DIGEST, NULL, false},
	{"taint", run_flag, 2, 1 << 20, F_IN_PLACE, "taint", true},
	{"untaint", run_flag, 2, 1 << 20, F_IN_PLACE, "taint", false},
	{"protect", run_flag, 2, 1 << 20, F_IN_PLACE, "protect", true},
	{"unprotect", run_flag, 2, 1 << 20, F_IN_PLACE, "protect", false},
};
static const struct flag {
	const char *name, *letter;
	size_t at;
	unsigned need; /* of sub.options, or 0: all have it */
} flags[] = {
	{"--in-place", "-i", offsetof(graph_args, in_place), F_IN_PLACE},
	{"--compact", "-c", offsetof(graph_args, compact), F_COMPACT},
	{"--check", NULL, offsetof(graph_args, check), F_CHECK},
	{"--digest", NULL, offsetof(graph_args, digest), F_DIGEST},
	{"--delete-first", NULL, offsetof(graph_args, delete_first), F_DIFF},
	{"--exit-code", NULL, offsetof(graph_args, exit_code), F_DIFF},
	{"--snapshot", NULL, offsetof(graph_args, o) + offsetof(mugl_options, snapshot), 0},
	{"--lenient", NULL, offsetof(graph_args, o) + offsetof(mugl_options, lenient), 0},
};

static bool
set_flag(graph_args *a, const struct sub *s, const char *arg)
{
	for (size_t i = 0; i < VC_LEN(flags); i++) {
		const struct flag *f = &flags[i];
		if (strcmp(arg, f->name) != 0 && !(f->letter && strcmp(arg, f->letter) == 0))
			continue;
		if (f->need && !(s->options & f->need))
			return false;
		*(bool *)((char *)a + f->at) = true;
		return true;
	}
	return false;
}

static bool
set_number(const char *v, uint64_t max, uint64_t *to)
{
	char *end;

	errno = 0;
	*to = strtoull(v, &end, 10);
	return *v >= '0' && *v <= '9' && !*end && errno == 0 && *to > 0 && *to <= max;
}

static bool
set_format(graph_args *a, const struct sub *s, const char *v)
{
	a->json = strcmp(v, "json") == 0;
	return s->options & F_FORMAT && (a->json || strcmp(v, "text") == 0);
}

static bool
set_colour(graph_args *a, const struct sub *s, const char *v)
{
	static const char *const when[] = {[AUTO] = "auto", [ALWAYS] = "always", [NEVER] = "never"};

	for (size_t i = 0; i < VC_LEN(when); i++)
		if (strcmp(v, when[i]) == 0) {
			a->colour = (int)i;
			return s->options & F_DIFF;
		}
	return false;
}

static int
parse_option(graph_args *a, const struct sub *s, int argc, char **argv, int *i)
{
	const char *v, *arg = argv[*i];
	bool missing = false, good = true;
	uint64_t n = 0;

	if ((v = cmd_option_value("--format", argc, argv, i, &missing)) ||
		(v = cmd_option_value("-f", argc, argv, i, &missing)))
		good = set_format(a, s, v);
	else if ((v = cmd_option_value("--color", argc, argv, i, &missing)))
		good = set_colour(a, s, v);
	else if ((v = cmd_option_value("--max-depth", argc, argv, i, &missing))) {
		good = set_number(v, 1000, &n);
		a->o.max_depth = (uint32_t)n;
	} else if ((v = cmd_option_value("--max-vertices", argc, argv, i, &missing))) {
		good = set_number(v, UINT32_MAX / 2, &n);
		a->o.max_vertices = (uint32_t)n;
	} else if ((v = cmd_option_value("--max-bytes", argc, argv, i, &missing)))
		good = set_number(v, UINT32_MAX - 1, &a->o.max_bytes);
	else if (missing)
		return cmd_usage("graph", "a value is missing after", arg);
	else if (!set_flag(a, s, arg))
		return cmd_unknown_option("graph", arg);
	return good ? VC_OK : cmd_usage("graph", "a bad value for option", arg);
}

static int
parse(graph_args *a, const struct sub *s, int argc, char **argv)
{
	bool rest = false;
	int st = VC_OK;

	for (int i = 2; i < argc && st == VC_OK; i++) {
		if (!rest && strcmp(argv[i], "--") == 0)
			rest = true;
		else if (rest || argv[i][0] != '-' || !argv[i][1])
			a->files[a->nfiles++] = argv[i];
		else
			st = parse_option(a, s, argc, argv, &i);
	}
	if (st != VC_OK)
		return st;
	if (a->nfiles < s->least || a->nfiles > s->most)
		return cmd_usage("graph",
			s->list         ? "a file and monikers belong to"
			: s->least == 2 ? "two files belong to"
					: "a file belongs to",
			s->name);
	a->list = s->list;
	a->on = s->on;
	for (int i = 0; i < (s->list ? 1 : a->nfiles); i++)
		if (a->in_place && strcmp(a->files[i], "-") == 0)
			return cmd_usage("graph", "standard input cannot be replaced", NULL);
	return VC_OK;
}

/* `--batch`, with the options that say what is read. */
static int
run_batch(graph_args *a, int argc, char **argv)
{
	static const struct sub none = {.name = "--batch"};
	int st = VC_OK;

	for (int i = 2; i < argc && st == VC_OK; i++)
		st = argv[i][0] == '-' ? parse_option(a, &none, argc, argv, &i)
				       : cmd_usage("graph", "--batch takes no file:", argv[i]);
	return st == VC_OK ? graph_batch(&a->o) : st;
}

static int
no_sub(const char *name)
{
	const char *names[VC_LEN(subs)], *near;
	int st = cmd_usage("graph", "this cannot be done with a graph:", name);

	for (size_t i = 0; i < VC_LEN(subs); i++)
		names[i] = subs[i].name;
	if ((near = vc_nearest(name, names, VC_LEN(subs))) != NULL)
		fprintf(stderr, "hint: did you mean '%s'?\n", near);
	return st;
}

int
cmd_graph(int argc, char **argv)
{
	graph_args a = {.nfiles = 0};
	size_t n = (size_t)argc + 1;
	int st = VC_EUSAGE;
	bool found = false;

	if (argc < 2)
		return cmd_usage("graph", "what to do is missing", NULL);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		fputs(vc_asset("graph.txt", &n), stdout);
		return VC_OK;
	}
	a.files = calloc(n, sizeof *a.files);
	if (a.files == NULL)
		vt_no_memory();
	if (strcmp(argv[1], "--batch") == 0) {
		st = run_batch(&a, argc, argv);
		found = true;
	}
	for (size_t i = 0; i < VC_LEN(subs) && !found; i++)
		if (strcmp(argv[1], subs[i].name) == 0) {
			found = true;
			st = parse(&a, &subs[i], argc, argv);
			if (st == VC_OK)
				st = subs[i].run(&a);
		}
	if (!found)
		st = no_sub(argv[1]);
	free(a.files);
	return st;
}
