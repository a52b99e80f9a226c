/*
 * bench.c - `vetro bench`: a user's own package, expression, service or configuration beside what
 * else runs it.
 *
 * Everybody has a turn in each round; results are compared before a time counts; starting a process
 * is told apart.
 */
#include "compiler/cmd/bench_int.h"
#include "compiler/cmd/cmd.h"
#include "compiler/tosca/front.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SIDES = 4, MOST_FILES = 64 };
static const char python[] = "/usr/bin/python3"; /* where Debian's packages are seen */

typedef struct bench {
	vc *c;
	const char *files[MOST_FILES], *paths[MOST_FILES], *lua[MOST_FILES];
	uint32_t nfiles, npaths, nlua;
	const char *model, *call, *object, *args, *query, *jq, *kind;
	double repeat, seconds, rounds, timeout;
	bool json, legacy, verbose;
	const char *self, *dir; /* this program; a directory that goes at the end */
	bench_side sides[MOST_SIDES];
	uint32_t nsides, nrecords;
} bench;

static int
usage(const char *what, const char *arg)
{
	return cmd_usage("bench", what, arg);
}

static bool
positive(const char *text, double most, double *n)
{
	char *end;

	*n = strtod(text, &end);
	return *n > 0 && *n <= most && end > text && !*end;
}

static bool
keep(const char **list, uint32_t *n, const char *s)
{
	if (*n == MOST_FILES)
		return false;
	list[(*n)++] = s;
	return true;
}

/* ---- the command line ---- */

static int
number_option(const char *name, const char *text, double most, double *n)
{
	char what[96];

	if (positive(text, most, n))
		return 0;
	snprintf(what, sizeof what, "%s takes a number above 0 and at most %g, not", name, most);
	return usage(what, text);
}

static int
parse_option(bench *b, int argc, char **argv, int *i)
{
	const struct {
		const char *name;
		const char **to;
	} texts[] = {{"--model", &b->model}, {"--call", &b->call}, {"--object", &b->object},
		{"--args", &b->args}, {"--query", &b->query}, {"--jq", &b->jq},
		{"--kind", &b->kind}};
	const struct {
		const char *name;
		double *to;
		double most;
	} numbers[] = {{"-n", &b->repeat, 1e9}, {"--time", &b->seconds, 600},
		{"--rounds", &b->rounds, BENCH_ROUNDS}, {"--timeout", &b->timeout, 86400}};
	const char *a = argv[*i], *v;
	bool missing = false;

	if (strcmp(a, "--json") == 0)
		return b->json = true, 0;
	if (strcmp(a, "--legacy") == 0)
		return b->legacy = true, 0;
	if (strcmp(a, "-v") == 0 || strcmp(a, "--verbose") == 0)
		return b->verbose = true, 0;
	for (size_t k = 0; k < VC_LEN(texts) && !missing; k++)
		if ((v = cmd_option_value(texts[k].name, argc, argv, i, &missing)) != NULL)
			return *texts[k].to = v, 0;
	for (size_t k = 0; k < VC_LEN(numbers) && !missing; k++)
		if ((v = cmd_option_value(numbers[k].name, argc, argv, i, &missing)) != NULL)
			return number_option(numbers[k].name, v, numbers[k].most, numbers[k].to);
	if (!missing && (v = cmd_option_value("-I", argc, argv, i, &missing)) != NULL)
		return keep(b->paths, &b->npaths, v) ? 0 : usage("too many -I", NULL);
	if (!missing && (v = cmd_option_value("--lua", argc, argv, i, &missing)) != NULL)
		return keep(b->lua, &b->nlua, v) ? 0 : usage("too many --lua", NULL);
	return missing ? usage("a value is missing after", a) : cmd_unknown_option("bench", a);
}

static int
parse(bench *b, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int rc = 0;
		if (argv[i][0] == '-' && argv[i][1])
			rc = parse_option(b, argc, argv, &i);
		else if (!keep(b->files, &b->nfiles, argv[i]))
			rc = usage("too many sources", NULL);
		if (rc)
			return rc;
	}
	if (b->nfiles == 0)
		return usage(b->query ? "--query needs a FILE" : "no SOURCE given", NULL);
	if (b->query && b->nfiles > 1)
		return usage("--query takes one FILE, besides", b->files[1]);
	if (b->jq && !b->query)
		return usage("--jq goes with --query", NULL);
	if (b->repeat != (double)(uint32_t)b->repeat)
		return usage("-n takes a whole number", NULL);
	return 0;
}

/* ---- contestants ---- */

static bench_side *
side(bench *b, const char *name, enum bench_how how)
{
	bench_side *s = &b->sides[b->nsides++];

	s->name = name;
	s->how = how;
	return s;
}

static void
absent(const char *who, const char *package)
{
	fprintf(stderr, "vetro bench: %s is not installed and is left out (Debian's package %s)\n",
		who, package);
}

static const char *
path_in(bench *b, const char *name)
{
	return vc_format(b->c, "%s/%s", b->dir, name);
}

static bool
write_file(bench *b, const char *name, const char *text, size_t n)
{
	const char *path = path_in(b, name);
	FILE *f = fopen(path, "wb");
	bool ok = f && fwrite(text, 1, n, f) == n;

	if (f && fclose(f) != 0)
		ok = false;
	if (!ok)
		fprintf(stderr, "vetro bench: %s: %s\n", path, strerror(errno));
	return ok;
}

static bool
write_asset(bench *b, const char *name)
{
	size_t n;
	const char *text = vc_asset(name, &n);

	return write_file(b, name, text, n);
}

static void
put_string(vt_buf *b, const char *s)
{
	if (!s) {
		vt_buf_puts(b, "null");
		return;
	}
	vt_buf_puts(b, "\"");
	for (; *s; s++)
		if (*s == '"' || *s == '\\')
			vt_buf_printf(b, "\\%c", *s);
		else if ((unsigned char)*s < 32)
			vt_buf_printf(b, "\\u%04x", *s);
		else
			vt_buf_put(b, s, 1);
	vt_buf_puts(b, "\"");
}

/* What one process printed, as a file of the scratch directory; VC_OK, or the status, told. */
static int
answer_to(bench *b, const bench_argv *a, const char *name)
{
	bench_use use;
	int rc = VC_EINPUT;

	if (!bench_run(a, false, b->timeout, &use))
		fprintf(stderr, "vetro bench: %s cannot be started\n", a->v[0]);
	else if (use.late)
		fprintf(stderr,
			"vetro bench: a run took longer than %g s, which --timeout allows\n",
			b->timeout);
	else if (bench_succeeded(&use) && write_file(b, name, use.out.p, use.out.n - 1))
		rc = VC_OK;
	vt_buf_free(&use.out);
	return rc;
}

/* ---- figures ---- */

static const char *
human(bench *b, double s)
{
	return s < 1e-6   ? vc_format(b->c, "%.3g ns", s * 1e9)
	       : s < 1e-3 ? vc_format(b->c, "%.3g us", s * 1e6)
	       : s < 1    ? vc_format(b->c, "%.3g ms", s * 1e3)
			  : vc_format(b->c, "%.3g s", s);
}

/* 12345.6 as 12,346; small ones with three digits. */
static const char *
times(bench *b, double ratio)
{
	char digits[32], out[48];
	size_t n, k = 0;

	if (ratio < 100)
		return vc_format(b->c, "%.3g", ratio);
	n = (size_t)snprintf(digits, sizeof digits, "%.0f", ratio);
	for (size_t i = 0; i < n && k + 2 < sizeof out; i++) {
		if (i && (n - i) % 3 == 0)
			out[k++] = ',';
		out[k++] = digits[i];
	}
	return vc_strndup(b->c, out, k);
}

static void
put_record(bench *b, const bench_side *s, const char *job, const char *input, double seconds,
	double ratio)
{
	vt_buf out = {0};

	vt_buf_puts(&out, b->nrecords++ ? ",\n " : "[");
	vt_buf_puts(&out, "{\"job\":");
	put_string(&out, job);
	vt_buf_puts(&out, ",\"input\":");
	put_string(&out, input);
	vt_buf_printf(&out,
		",\"contestant\":\"%s\",\"seconds\":%.9g,\"ops\":1,\"peak_bytes\":%ld,\"ratio\":%."
		"6g,\"checked\":true}",
		s->name, seconds, s->peak, ratio);
	fwrite(out.p, 1, out.n, stdout);
	vt_buf_free(&out);
}

static void
show_line(bench *b, const bench_side *s, double seconds, double ratio, bool memory)
{
	const char *size =
		memory && s->peak ? vc_format(b->c, ", %.1f MB", (double)s->peak / 1e6) : "";

	if (s == b->sides)
		printf("  %9s        %-12s %10s%s\n", "", s->name, human(b, seconds), size);
	else
		printf("  %9s times  %-12s %10s%s\n", times(b, ratio), s->name, human(b, seconds),
			size);
}

/* One job of all who are there: ratios first, vetro's own time last. m: the metric, or -1: the
 * start. */
static void
show(bench *b, const char *job, const char *what, const char *input, int m)
{
	double t[MOST_SIDES];

	for (uint32_t i = 0; i < b->nsides; i++)
		t[i] = m < 0 ? b->sides[i].start
			     : bench_median(b->sides[i].seconds[m], b->sides[i].n);
	if (t[0] <= 0)
		return;
	if (!b->json)
		printf("%s\n", what);
	for (uint32_t k = 1; k <= b->nsides; k++) {
		uint32_t i = k % b->nsides; /* vetro comes last */
		if (b->sides[i].gone)
			continue;
		if (b->json)
			put_record(b, &b->sides[i], job, input, t[i], i ? t[i] / t[0] : 1);
		else
			show_line(b, &b->sides[i], t[i], t[i] / t[0], m == 0);
	}
}

static void
show_all(bench *b, const char *job, const char *what, const char *input)
{
	if (!b->json)
		printf("%s\n", input);
	show(b, job, what, input, 0);
	show(b, "bench-load", "loading the model", input, 1);
	show(b, "bench-start", "start of the process, which is in none of these times", input, -1);
	if (b->json)
		puts("]");
}

static int
compete(bench *b, const char *job, const char *what, const char *input)
{
	for (uint32_t r = 0; r < (uint32_t)b->rounds; r++)
		if (!bench_round(b->c, b->sides, b->nsides, b->seconds, b->timeout))
			return VC_EINPUT;
	if (!bench_starts(b->c, b->sides, b->nsides, b->timeout))
		return VC_EINPUT;
	show_all(b, job, what, input);
	return VC_OK;
}

/* ---- a package ---- */

static void
run_options(bench *b, bench_argv *a)
{
	const struct {
		const char *name, *value;
	} of[] = {{"--model", b->model}, {"--call", b->call}, {"--object", b->object},
		{"--args", b->args}};

	for (size_t i = 0; i < VC_LEN(of); i++)
		if (of[i].value) {
			bench_add(a, of[i].name);
			bench_add(a, of[i].value);
		}
}

static bool
murano_options(bench *b)
{
	vt_buf o = {0};
	bool ok;

	vt_buf_puts(&o, "{\"core\":");
	put_string(&o, path_in(b, "core.yaml"));
	vt_buf_puts(&o, ",\"packages\":[");
	for (uint32_t i = 0; i < b->nfiles + b->npaths; i++) {
		vt_buf_puts(&o, i ? "," : "");
		put_string(&o, i < b->nfiles ? b->files[i] : b->paths[i - b->nfiles]);
	}
	vt_buf_puts(&o, "],\"model\":");
	put_string(&o, b->model);
	vt_buf_puts(&o, ",\"call\":");
	put_string(&o, b->call ? b->call : "deploy");
	vt_buf_puts(&o, ",\"object\":");
	put_string(&o, b->object);
	vt_buf_puts(&o, ",\"answer\":");
	put_string(&o, path_in(b, "answer.json"));
	vt_buf_printf(&o, ",\"args\":%s,\"repeat\":%.0f,\"seconds\":%g}",
		b->args ? b->args : "null", b->repeat, b->seconds);
	ok = write_file(b, "murano.json", o.p, o.n);
	vt_buf_free(&o);
	return ok;
}

static bool
add_murano(bench *b)
{
	bench_side *s;

	if (!bench_here(python, "-c",
		    "import importlib.util, sys; sys.exit(not "
		    "importlib.util.find_spec('murano.dsl.executor'))")) {
		absent("murano", "python3-murano");
		return true;
	}
	if (!write_asset(b, "bench_murano.py") || !write_asset(b, "core.yaml") ||
		!murano_options(b))
		return false;
	s = side(b, "murano", BENCH_TELLS);
	s->run =
		(bench_argv){{python, path_in(b, "bench_murano.py"), path_in(b, "murano.json")}, 3};
	s->idle = (bench_argv){{python, path_in(b, "bench_murano.py")}, 2};
	return true;
}

static const char *
build(bench *b, int *rc)
{
	char *argv[8 + 4 * MOST_FILES] = {"build", "-O2"};
	int n = 2;

	if (b->verbose)
		argv[n++] = "-v";
	for (uint32_t i = 0; i < b->npaths; i++) {
		argv[n++] = "-I";
		argv[n++] = (char *)(uintptr_t)b->paths[i];
	}
	for (uint32_t i = 0; i < b->nlua; i++) {
		argv[n++] = "--lua";
		argv[n++] = (char *)(uintptr_t)b->lua[i];
	}
	for (uint32_t i = 0; i < b->nfiles; i++)
		argv[n++] = (char *)(uintptr_t)b->files[i];
	return cmd_cached_binary(b->c, n, argv, rc);
}

/* What would reach for a cloud is simulated: a measurement does it many times. */
static int
bench_package(bench *b)
{
	const char *call = b->call ? b->call : "deploy", *binary;
	bench_argv once;
	bench_side *s;
	int rc = VC_OK;

	if (!b->model)
		return usage("a package needs --model MODEL", NULL);
	if ((binary = build(b, &rc)) == NULL)
		return rc;
	once = (bench_argv){{binary, "run", "--dry-run"}, 3};
	run_options(b, &once);
	if ((rc = answer_to(b, &once, "answer.json")) != VC_OK)
		return rc;
	s = side(b, "vetro", BENCH_TELLS);
	s->run = (bench_argv){
		{binary, "time", "--dry-run", "--repeat", vc_format(b->c, "%.0f", b->repeat),
			"--seconds", vc_format(b->c, "%g", b->seconds)},
		7};
	run_options(b, &s->run);
	s->idle = (bench_argv){{binary, "info"}, 2};
	if (!add_murano(b))
		return VC_EINPUT;
	return compete(b, "bench-call", vc_format(b->c, "one call of %s", call),
		vc_format(b->c, "%s, %s: %s, %.0f call%s a run", b->files[0], b->model, call,
			b->repeat, b->repeat > 1 ? "s" : ""));
}

/* ---- an expression ---- */

static bool
add_yaql(bench *b)
{
	bench_side *s;

	if (!bench_here(python, "-c", "import yaql")) {
		absent("yaql", "python3-yaql");
		return true;
	}
	if (!write_asset(b, "bench_yaql.py"))
		return false;
	s = side(b, "yaql", BENCH_TELLS);
	s->run = (bench_argv){{python, path_in(b, "bench_yaql.py"), b->query, b->files[0],
				      vc_format(b->c, "%g", b->seconds), path_in(b, "answer.json"),
				      b->legacy ? "legacy" : NULL},
		b->legacy ? 7 : 6};
	s->idle = (bench_argv){{python, path_in(b, "bench_yaql.py"), "1"}, 3};
	return true;
}

/* Whether its answer is vetro's, by jq's own comparison: the order of keys does not count, 1 is
 * 1.0. */
static bool
jq_agrees(bench *b, const char *tool, const char *theirs)
{
	bench_argv same = {{tool, "-n", "-e", "--slurpfile", "a", path_in(b, "answer.json"),
				   "--slurpfile", "b", path_in(b, theirs), "$a == $b"},
		10};
	bench_use use;
	bool ok = bench_run(&same, true, b->timeout, &use) && bench_succeeded(&use);
	vt_buf_free(&use.out);
	return ok;
}

/* False: what it answers is wrong. A program that it cannot run, as jq knows what gojq does not,
 * leaves it out. */
static bool
add_jq(bench *b, const char *tool)
{
	const char *theirs = vc_format(b->c, "%s.json", tool);
	bench_argv run = {{tool, "-c", b->jq, b->files[0]}, 4};
	bench_side *s;

	if (!bench_here(tool, "-n", "1")) {
		absent(tool, tool);
		return true;
	}
	if (answer_to(b, &run, theirs) != VC_OK) {
		fprintf(stderr, "vetro bench: %s is left out: it cannot run what --jq gives\n",
			tool);
		return true;
	}
	if (!jq_agrees(b, tool, theirs)) {
		fprintf(stderr,
			"vetro bench: the results of vetro and %s differ; --jq must give what "
			"--query gives\n",
			tool);
		return false;
	}
	s = side(b, tool, BENCH_REPEATS);
	s->program = b->jq;
	s->file = b->files[0];
	s->idle = (bench_argv){{tool, "-n", "1"}, 3};
	return true;
}

static int
bench_query(bench *b)
{
	bench_argv once = {
		{b->self, "query", "-c", b->query, b->files[0], b->legacy ? "--legacy" : NULL},
		b->legacy ? 6 : 5};
	bench_side *s;
	int rc = answer_to(b, &once, "answer.json");

	if (rc != VC_OK)
		return rc;
	s = side(b, "vetro", BENCH_TELLS);
	s->run = (bench_argv){
		{b->self, "bench", "--worker", b->query, b->files[0],
			vc_format(b->c, "%g", b->seconds), b->legacy ? "legacy" : NULL},
		b->legacy ? 7 : 6};
	s->idle = (bench_argv){{b->self, "query", "-n", "1"}, 4};
	if (!add_yaql(b) || (b->jq && (!add_jq(b, "jq") || !add_jq(b, "gojq"))))
		return VC_EINPUT;
	return compete(b, "bench-query", "one evaluation, the document in memory",
		vc_format(b->c, "%s: %s", b->files[0], b->query));
}

/* ---- a service, a configuration ---- */

static int
add_process(bench *b, const char *command)
{
	bench_side *s = side(b, "vetro", BENCH_PROCESS);
	bench_argv once;

	if (b->model || b->call || b->object || b->args)
		return usage("--model, --call, --object and --args are for packages", NULL);
	s->run = (bench_argv){{b->self, command}, 2};
	for (uint32_t i = 0; i < b->npaths; i++) {
		bench_add(&s->run, "-I");
		bench_add(&s->run, b->paths[i]);
	}
	for (uint32_t i = 0; i < b->nlua; i++) {
		bench_add(&s->run, "--lua");
		bench_add(&s->run, b->lua[i]);
	}
	for (uint32_t i = 0; i < b->nfiles; i++)
		bench_add(&s->run, b->files[i]);
	s->idle = (bench_argv){{b->self, "--version"}, 2};
	once = s->run;
	return answer_to(b, &once, "answer.json");
}

static int
bench_yay(bench *b)
{
	int rc = add_process(b, "yay");

	return rc == VC_OK ? compete(b, "bench-yay", "evaluating the configuration", b->files[0])
			   : rc;
}

static const char tosca_side[] =
	"import sys, urllib.error\n"
	"from toscaparser.tosca_template import ToscaTemplate\n"
	"if len(sys.argv) > 1: len(ToscaTemplate(sys.argv[1]).nodetemplates)\n";

static int
bench_tosca(bench *b)
{
	bench_side theirs = {.name = "tosca-parser", .how = BENCH_PROCESS};
	int rc;

	if (!write_file(b, "tosca.py", tosca_side, sizeof tosca_side - 1))
		return VC_EINPUT;
	theirs.run = (bench_argv){{python, path_in(b, "tosca.py"), b->files[0]}, 3};
	theirs.idle = (bench_argv){{python, path_in(b, "tosca.py")}, 2};
	rc = add_process(b, "tosca");
	if (rc != VC_OK)
		return rc;
	if (!bench_here(python, path_in(b, "tosca.py"), NULL))
		absent("tosca-parser", "python3-tosca-parser");
	else
		b->sides[b->nsides++] = theirs;
	return compete(b, "bench-tosca", "reading and resolving the service", b->files[0]);
}

/* ---- the command ---- */

static bool
is_yay(const bench *b)
{
	const char *dot = strrchr(b->files[0], '.');

	return b->kind ? strcmp(b->kind, "yay") == 0 : dot && strcmp(dot, ".yay") == 0;
}

static int
choose(bench *b)
{
	if (b->kind && strcmp(b->kind, "muranopl") != 0 && strcmp(b->kind, "tosca") != 0 &&
		strcmp(b->kind, "yay") != 0)
		return usage("--kind knows muranopl, tosca and yay, not", b->kind);
	for (uint32_t i = 0; i < b->nfiles; i++)
		if (access(b->files[i], R_OK) != 0) {
			fprintf(stderr, "vetro bench: %s: %s\n", b->files[i], strerror(errno));
			return VC_EINPUT;
		}
	if (b->model && access(b->model, R_OK) != 0) {
		fprintf(stderr, "vetro bench: %s: %s\n", b->model, strerror(errno));
		return VC_EINPUT;
	}
	if (b->query)
		return bench_query(b);
	if (is_yay(b))
		return bench_yay(b);
	if (b->kind ? strcmp(b->kind, "tosca") == 0 : tosca_is_source(b->c, b->files[0]))
		return bench_tosca(b);
	return bench_package(b);
}

static void
clean_up(bench *b)
{
	static const char *const names[] = {"answer.json", "murano.json", "bench_murano.py",
		"bench_yaql.py", "core.yaml", "tosca.py", "jq.json", "gojq.json"};

	for (size_t i = 0; i < VC_LEN(names); i++)
		unlink(path_in(b, names[i]));
	rmdir(b->dir);
}

/* Passes on what should end the measuring, until it has ended; its exit status. */
static int
await(pid_t pid, const sigset_t *which)
{
	int status, sig;

	while (waitpid(pid, &status, WNOHANG) == 0)
		if ((sig = sigwaitinfo(which, NULL)) > 0 && sig != SIGCHLD) {
			kill(pid, sig);
			raise(sig); /* for us as well, once nothing is left behind */
			waitpid(pid, &status, 0);
			return VC_EFAULT;
		}
	return WIFEXITED(status) ? WEXITSTATUS(status) : VC_EFAULT;
}

/*
 * Measures in a second process, so that one is left to remove the directory when a signal ends it.
 * True in the first one, where all is over; the second goes on.
 */
static bool
watched(bench *b, int *rc)
{
	sigset_t which, before;
	pid_t pid;

	sigemptyset(&which);
	sigaddset(&which, SIGHUP);
	sigaddset(&which, SIGINT);
	sigaddset(&which, SIGTERM);
	sigaddset(&which, SIGCHLD);
	sigprocmask(SIG_BLOCK, &which, &before);
	pid = fork();
	if (pid != 0) {
		*rc = pid > 0 ? await(pid, &which) : choose(b);
		clean_up(b);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid != 0;
}

static int
with_directory(bench *b)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = vc_format(b->c, "%s/vetro-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	int rc;

	if (n <= 0 || mkdtemp(dir) == NULL) {
		fprintf(stderr, "vetro bench: cannot make a directory in %s: %s\n", dir,
			strerror(errno));
		return VC_EINPUT;
	}
	b->self = vc_strndup(b->c, exe, (size_t)n);
	b->dir = dir;
	setenv("PYTHONDONTWRITEBYTECODE", "1", 0);
	return watched(b, &rc) ? rc : choose(b);
}

int
cmd_bench(int argc, char **argv)
{
	bench *b;
	int rc;

	if (argc > 3 && strcmp(argv[1], "--worker") == 0)
		return bench_work(argc - 2, argv + 2);
	b = calloc(1, sizeof *b);
	if (b == NULL)
		vt_no_memory();
	b->repeat = 1;
	b->seconds = 0.3;
	b->rounds = 3;
	b->timeout = 120;
	rc = parse(b, argc, argv);
	if (rc == 0) {
		b->c = vc_new();
		rc = with_directory(b);
		vc_free(b->c);
	}
	free(b);
	return rc;
}
