/*
 * bench.c - `vetro bench`: a user's own package, expression, service or configuration beside what
 * else runs it.
 *
 * Everybody has a turn in each round; results are compared before a time counts; starting a process
 * is distinguished.
 */
#include "compiler/cmd/bench_int.h"
#include "compiler/cmd/cmd.h"
#include "compiler/tosca/front.h"
#include "runtime/text/outfile.h"
#include "runtime/text/report.h"
#include "runtime/yay/api.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SIDES = 4 };
static const char python[] = "/usr/bin/python3"; /* where Debian's packages are seen */

typedef struct bench {
	vc *c;
	cmd_options *o;
	const char *const *files;
	uint32_t nfiles;
	const char *self, *dir; /* this program; a directory that goes at the end */
	bench_side sides[MOST_SIDES];
	uint32_t nsides, nrecords;
} bench;

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
	vt_say("vetro bench: %s is not installed and is left out (Debian's package %s)\n", who,
		package);
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
	bool ok = vt_write_file(path, text, n);

	if (!ok)
		vt_say("vetro bench: %s: %s\n", path, strerror(errno));
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
	if (s)
		vt_put_json_repaired(b, s, strlen(s));
	else
		vt_buf_puts(b, "null");
}

/* What one process printed, as a file of the scratch directory; VC_OK, or the status, reported. */
static int
answer_to(bench *b, const bench_argv *a, const char *name)
{
	bench_use use;
	int rc = VC_EINPUT;

	if (!bench_run(a, false, b->o->timeout, &use))
		vt_say("vetro bench: %s cannot be started\n", a->v[0]);
	else if (use.late)
		fprintf(stderr,
			"vetro bench: a run took longer than %g s, which --timeout allows\n",
			b->o->timeout);
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
	vt_buf_print(&out, stdout);
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
	if (!b->o->json)
		printf("%s\n", what);
	for (uint32_t k = 1; k <= b->nsides; k++) {
		uint32_t i = k % b->nsides; /* vetro comes last */
		if (b->sides[i].gone)
			continue;
		if (b->o->json)
			put_record(b, &b->sides[i], job, input, t[i], i ? t[i] / t[0] : 1);
		else
			show_line(b, &b->sides[i], t[i], t[i] / t[0], m == 0);
	}
}

static void
show_all(bench *b, const char *job, const char *what, const char *input)
{
	if (!b->o->json)
		printf("%s\n", input);
	show(b, job, what, input, 0);
	show(b, "bench-load", "loading the model", input, 1);
	show(b, "bench-start", "start of the process, which is in none of these times", input, -1);
	if (b->o->json)
		puts("]");
}

static int
compete(bench *b, const char *job, const char *what, const char *input)
{
	for (uint32_t r = 0; r < (uint32_t)b->o->rounds; r++)
		if (!bench_round(b->c, b->sides, b->nsides, b->o->seconds, b->o->timeout))
			return VC_EINPUT;
	if (!bench_starts(b->c, b->sides, b->nsides, b->o->timeout))
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
	} of[] = {{"--model", b->o->model}, {"--call", b->o->call}, {"--object", b->o->object},
		{"--args", b->o->args}};

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
	for (uint32_t i = 0; i < b->nfiles + b->o->paths.n; i++) {
		vt_buf_puts(&o, i ? "," : "");
		put_string(&o, i < b->nfiles ? b->files[i] : b->o->paths.v[i - b->nfiles]);
	}
	vt_buf_puts(&o, "],\"model\":");
	put_string(&o, b->o->model);
	vt_buf_puts(&o, ",\"call\":");
	put_string(&o, b->o->call ? b->o->call : "deploy");
	vt_buf_puts(&o, ",\"object\":");
	put_string(&o, b->o->object);
	vt_buf_puts(&o, ",\"answer\":");
	put_string(&o, path_in(b, "answer.json"));
	vt_buf_printf(&o, ",\"args\":%s,\"repeat\":%.0f,\"seconds\":%g}",
		b->o->args ? b->o->args : "null", (double)b->o->repeat, b->o->seconds);
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
	s = side(b, "murano", BENCH_REPORTS);
	s->run =
		(bench_argv){{python, path_in(b, "bench_murano.py"), path_in(b, "murano.json")}, 3};
	s->idle = (bench_argv){{python, path_in(b, "bench_murano.py")}, 2};
	return true;
}

/* What would reach for a cloud is simulated: a measurement does it many times. */
static int
bench_package(bench *b)
{
	const char *call = b->o->call ? b->o->call : "deploy", *binary;
	bench_argv once;
	bench_side *s;
	int rc = VC_OK;

	if (!b->o->model)
		return vt_cli_usage(&b->o->line, "a package needs --model FILE");
	if ((binary = cmd_cached_binary(b->c, b->o, b->files, b->nfiles, &rc)) == NULL)
		return rc;
	once = (bench_argv){{binary, "run", "--dry-run"}, 3};
	run_options(b, &once);
	if ((rc = answer_to(b, &once, "answer.json")) != VC_OK)
		return rc;
	s = side(b, "vetro", BENCH_REPORTS);
	s->run = (bench_argv){{binary, "time", "--dry-run", "--repeat",
				      vc_format(b->c, "%.0f", (double)b->o->repeat), "--seconds",
				      vc_format(b->c, "%g", b->o->seconds)},
		7};
	run_options(b, &s->run);
	s->idle = (bench_argv){{binary, "info"}, 2};
	if (!add_murano(b))
		return VC_EINPUT;
	return compete(b, "bench-call", vc_format(b->c, "one call of %s", call),
		vc_format(b->c, "%s, %s: %s, %.0f call%s a run", b->files[0], b->o->model, call,
			(double)b->o->repeat, (double)b->o->repeat > 1 ? "s" : ""));
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
	s = side(b, "yaql", BENCH_REPORTS);
	s->run = (bench_argv){{python, path_in(b, "bench_yaql.py"), b->o->query, b->files[0],
				      vc_format(b->c, "%g", b->o->seconds),
				      path_in(b, "answer.json"), b->o->legacy ? "legacy" : NULL},
		b->o->legacy ? 7 : 6};
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
	bool ok = bench_run(&same, true, b->o->timeout, &use) && bench_succeeded(&use);
	vt_buf_free(&use.out);
	return ok;
}

/* False: what it answers is wrong. A program that it cannot run, as jq knows what gojq does not,
 * leaves it out. */
static bool
add_jq(bench *b, const char *tool)
{
	const char *theirs = vc_format(b->c, "%s.json", tool);
	bench_argv run = {{tool, "-c", b->o->jq, b->files[0]}, 4};
	bench_side *s;

	if (!bench_here(tool, "-n", "1")) {
		absent(tool, tool);
		return true;
	}
	if (answer_to(b, &run, theirs) != VC_OK) {
		vt_say("vetro bench: %s is left out: it cannot run what --jq gives\n", tool);
		return true;
	}
	if (!jq_agrees(b, tool, theirs)) {
		vt_say("vetro bench: the results of vetro and %s differ; --jq must give what "
		       "--query gives\n",
			tool);
		return false;
	}
	s = side(b, tool, BENCH_REPEATS);
	s->program = b->o->jq;
	s->file = b->files[0];
	s->idle = (bench_argv){{tool, "-n", "1"}, 3};
	return true;
}

static int
bench_query(bench *b)
{
	bench_argv once = {{b->self, "query", "-c", b->o->query, b->files[0],
				   b->o->legacy ? "--legacy" : NULL},
		b->o->legacy ? 6 : 5};
	bench_side *s;
	int rc = answer_to(b, &once, "answer.json");

	if (rc != VC_OK)
		return rc;
	s = side(b, "vetro", BENCH_REPORTS);
	s->run = (bench_argv){
		{b->self, "bench-worker", "--", b->o->query, b->files[0],
			vc_format(b->c, "%g", b->o->seconds), b->o->legacy ? "legacy" : NULL},
		b->o->legacy ? 7 : 6};
	s->idle = (bench_argv){{b->self, "query", "-n", "1"}, 4};
	if (!add_yaql(b) || (b->o->jq && (!add_jq(b, "jq") || !add_jq(b, "gojq"))))
		return VC_EINPUT;
	return compete(b, "bench-query", "one evaluation, the document in memory",
		vc_format(b->c, "%s: %s", b->files[0], b->o->query));
}

/* ---- a service, a configuration ---- */

static int
add_process(bench *b, const char *command)
{
	bench_side *s = side(b, "vetro", BENCH_PROCESS);
	bench_argv once;

	if (b->o->model || b->o->call || b->o->object || b->o->args)
		return vt_cli_usage(
			&b->o->line, "--model, --call, --object and --args are for packages");
	s->run = (bench_argv){{b->self, command}, 2};
	for (uint32_t i = 0; i < b->o->paths.n; i++) {
		bench_add(&s->run, "-I");
		bench_add(&s->run, b->o->paths.v[i]);
	}
	for (uint32_t i = 0; i < b->o->lua.n; i++) {
		bench_add(&s->run, "--lua");
		bench_add(&s->run, b->o->lua.v[i]);
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

static int
choose(bench *b)
{
	for (uint32_t i = 0; i <= b->nfiles; i++) {
		const char *file = i < b->nfiles ? b->files[i] : b->o->model;
		if (file && access(file, R_OK) != 0) {
			vt_say("vetro bench: %s: %s\n", file, strerror(errno));
			return VC_EINPUT;
		}
	}
	if (b->o->query)
		return bench_query(b);
	if (cmd_is_yay(b->o, b->files[0]))
		return bench_yay(b);
	if (cmd_is_tosca(b->c, b->o, b->files[0]))
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
		vt_say("vetro bench: cannot make a directory in %s: %s\n", dir, strerror(errno));
		return VC_EINPUT;
	}
	b->self = vc_strndup(b->c, exe, (size_t)n);
	b->dir = dir;
	setenv("PYTHONDONTWRITEBYTECODE", "1", 0);
	return watched(b, &rc) ? rc : choose(b);
}

int
cmd_bench_worker(cmd_options *o)
{
	return bench_work((int)o->line.words.n, o->line.words.v);
}

int
cmd_bench(cmd_options *o)
{
	bench b = {.o = o, .files = o->line.words.v, .nfiles = o->line.words.n};
	int rc;

	b.c = vc_new();
	rc = with_directory(&b);
	vc_free(b.c);
	return rc;
}
