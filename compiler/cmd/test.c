/*
 * test.c - `vetro test`: each test of a package in a process of its own, many at a time.
 *
 * The program of the package, in a file or in memory, knows its tests and runs one of them
 * (runtime/program/testrun.c). A test leads a process group: what it leaves behind goes with it,
 * and so does all of it when vetro is interrupted. Its output is kept for the case that it fails.
 * Results are reported in the order of the tests, whichever ends first.
 */
#define _GNU_SOURCE /* pipe2 */
#include "compiler/base/base.h"
#include "compiler/build/build.h"
#include "compiler/murano/ast.h"
#include "compiler/murano/package.h"
#include "compiler/cmd/cmd.h"
#include "compiler/cmd/coverage.h"
#include "runtime/core/printable.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_JOBS = 256, REPORT_FD = 3, COUNTS_FD = 4 };
static const size_t output_limit = 64 << 10, report_limit = 4 << 20, list_limit = 64 << 20;

enum { TAP, JUNIT }; /* --format */
enum verdict { V_OK, V_FAIL, V_ERROR };

/* A pipe from a process, and what came through it so far. */
typedef struct stream {
	int fd; /* -1: at its end */
	vt_buf text;
	size_t limit;
	bool cut;
} stream;

typedef struct test {
	const char *cls, *method;
	pid_t pid; /* 0: not running */
	stream out, report;
	double from, to, deadline; /* 0: none */
	bool late, done;
	enum verdict verdict;
	vt_buf detail; /* YAML lines */
} test;

typedef struct run {
	vc *c;
	cmd_options *o;
	vt_cli_list sources, patterns; /* of o */
	bool verbose;
	cmd_program program;
	test *v;
	uint32_t n, next, reported, running, failed;
	coverage *coverage; /* --coverage, or NULL */
	int signals;        /* signalfd */
	sigset_t mask;      /* as it was */
} run;

/* ---- the command line ---- */

/* What stands first, is there or has a slash is a source; the other words are patterns. */
static void
sort_words(run *r)
{
	const vt_cli_list *w = &r->o->line.words;

	r->sources.v = vc_alloc(r->c, w->n * sizeof *w->v);
	r->patterns.v = vc_alloc(r->c, (w->n + r->o->only.n) * sizeof *w->v);
	for (uint32_t i = 0; i < w->n; i++)
		if (i == 0 || strchr(w->v[i], '/') || access(w->v[i], F_OK) == 0)
			r->sources.v[r->sources.n++] = w->v[i];
		else
			r->patterns.v[r->patterns.n++] = w->v[i];
	for (uint32_t i = 0; i < r->o->only.n; i++)
		r->patterns.v[r->patterns.n++] = r->o->only.v[i];
}

static uint64_t
number_of_jobs(const cmd_options *o)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	return o->jobs ? o->jobs : cpus < 1 ? 1 : cpus > MOST_JOBS ? MOST_JOBS : (uint64_t)cpus;
}

/* ---- which tests ------------------------------------------------------------------------- */

/* * and ? as in a shell. The last * is the only one worth going back to. */
static bool
glob(const char *p, const char *s)
{
	const char *star = NULL, *from = NULL;

	while (*s) {
		if (*p == '*') {
			star = ++p;
			from = s;
		} else if (*p == '?' || *p == *s) {
			p++;
			s++;
		} else if (star) {
			p = star;
			s = ++from;
		} else {
			return false;
		}
	}
	while (*p == '*')
		p++;
	return !*p;
}

/* A class goes by its whole name and by the last part of it. */
static bool
is_named(vc *c, const char *pattern, const char *cls, const char *method)
{
	const char *dot = strrchr(cls, '.'), *last = dot ? dot + 1 : cls;

	return glob(pattern, method) || glob(pattern, cls) || glob(pattern, last) ||
	       glob(pattern, vc_format(c, "%s.%s", cls, method)) ||
	       glob(pattern, vc_format(c, "%s.%s", last, method));
}

static bool
is_wanted(const run *r, const char *cls, const char *method)
{
	for (uint32_t i = 0; i < r->patterns.n; i++)
		if (is_named(r->c, r->patterns.v[i], cls, method))
			return true;
	return r->patterns.n == 0;
}

/* Packages that others only require are not tested. */
static bool
is_tested(vc *c, const char *package)
{
	uint32_t n;
	mpl_package **p = vc_packages(c, &n);

	for (uint32_t i = 0; i < n; i++)
		if (p[i]->is_main && strcmp(p[i]->name, package) == 0)
			return true;
	return false;
}

/* ---- processes --------------------------------------------------------------------------- */

static void
close_above(int fd)
{
	if (fd > COUNTS_FD)
		close(fd);
}

/* What exec would close: a program in memory has no exec. */
static void
close_own(const run *r, int out, int err, int report)
{
	for (uint32_t i = 0; i < r->next; i++) {
		close_above(r->v[i].out.fd);
		close_above(r->v[i].report.fd);
	}
	close_above(r->signals);
	close_above(out);
	if (err != out)
		close_above(err);
	close_above(report);
}

/* The descriptor becomes that number, for what is executed; below 0 there is none. */
static bool
hand_on(int fd, int as)
{
	return fd < 0 || (fd == as ? fcntl(fd, F_SETFD, 0) >= 0 : dup2(fd, as) >= 0);
}

/* Two descriptors get numbers of their own: neither may lie where the other is going. */
static bool
hand_on_both(int report, int counts)
{
	int away = counts == REPORT_FD ? fcntl(counts, F_DUPFD, COUNTS_FD + 1) : counts;

	return (counts < 0 || away >= 0) && hand_on(report, REPORT_FD) && hand_on(away, COUNTS_FD);
}

/* In the child: its own group, no input, and gone when vetro is. */
static _Noreturn void
become(const run *r, char **argv, int out, int err, int report, pid_t parent)
{
	int counts = r->coverage ? coverage_fd(r->coverage) : -1;
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	sigprocmask(SIG_SETMASK, &r->mask, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent || null < 0 ||
		dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(127);
	if (!hand_on_both(report, counts))
		_exit(127);
	if (r->program.main)
		close_own(r, out, err, report);
	cmd_become(&r->program, argv);
	_exit(127);
}

static bool
open_stream(stream *s, int *other, size_t limit)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC) != 0)
		return false;
	fcntl(fd[0], F_SETFL, O_NONBLOCK);
	*s = (stream){.fd = fd[0], .limit = limit};
	*other = fd[1];
	return true;
}

static void
close_stream(stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/* Reads what is there. What is too much is read all the same, so that the writer does not hang. */
static void
read_stream(stream *s)
{
	char chunk[16384];
	ssize_t k;

	while (s->fd >= 0) {
		k = read(s->fd, chunk, sizeof chunk);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0 && errno == EAGAIN)
			return;
		if (k <= 0) {
			close_stream(s);
			return;
		}
		s->cut = s->cut || s->text.n + (size_t)k > s->limit;
		if (s->text.n < s->limit)
			vt_buf_put(&s->text, chunk,
				s->text.n + (size_t)k > s->limit ? s->limit - s->text.n
								 : (size_t)k);
	}
}

static void
cannot(const char *what)
{
	vt_say("vetro: cannot %s: %s\n", what, strerror(errno));
}

static bool
start(run *r, test *t)
{
	char *argv[10] = {(char *)r->program.name, "test", (char *)t->cls, (char *)t->method,
		"--report-fd=3"};
	int n = 5, out = -1, report = -1;
	pid_t parent = getpid();

	if (r->o->virtual_time)
		argv[n++] = "--virtual-time";
	if (r->o->config)
		argv[n++] = vc_format(r->c, "--config=%s", r->o->config);
	if (r->coverage)
		argv[n++] = "--counts-fd=4";
	if (r->o->trace)
		argv[n++] = "--trace";
	if (open_stream(&t->out, &out, output_limit) &&
		open_stream(&t->report, &report, report_limit)) {
		t->pid = fork();
		if (t->pid == 0)
			become(r, argv, out, out, report, parent);
	} else {
		t->pid = -1;
	}
	close(out);
	close(report);
	if (t->pid < 0) {
		cannot("start a test");
		t->pid = 0;
		return false;
	}
	setpgid(t->pid, t->pid);
	t->from = vt_clock();
	t->deadline = r->o->timeout > 0 ? t->from + r->o->timeout : 0;
	r->running++;
	return true;
}

/* The tests that the binary knows, or its steps, as text; NULL: reported. */
static char *
ask(run *r, char *option)
{
	char *argv[] = {(char *)r->program.name, "test", option, NULL}, *text = NULL;
	stream s;
	int out, status = 0;
	pid_t pid, parent = getpid();

	if (!open_stream(&s, &out, list_limit))
		return cannot("make a pipe"), NULL;
	fcntl(s.fd, F_SETFL, 0);
	if ((pid = fork()) == 0)
		become(r, argv, out, STDERR_FILENO, -1, parent);
	close(out);
	read_stream(&s);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && !s.cut)
		text = vc_strndup(r->c, s.text.n ? s.text.p : "", s.text.n);
	vt_buf_free(&s.text);
	if (!text)
		vt_say("vetro: the package could not list its %s\n",
			option ? "statements" : "tests");
	return text;
}

static bool
find_tests(run *r)
{
	char *at = ask(r, NULL), *line, *cls, *method;
	bool known = at != NULL;

	while (at && (line = strsep(&at, "\n")) && *line) {
		const char *package = strsep(&line, "\t");
		cls = strsep(&line, "\t");
		method = line;
		if (method && is_tested(r->c, package) && is_wanted(r, cls, method))
			vc_push(r->c, r->v, r->n) =
				(test){.cls = cls, .method = method, .out.fd = -1, .report.fd = -1};
		if (!at)
			break;
	}
	return known;
}

/* Before the first test runs; false: reported. */
static bool
begin_coverage(run *r)
{
	char *steps;

	if (!r->o->coverage || r->o->list)
		return true;
	steps = ask(r, "--steps");
	r->coverage = steps ? coverage_begin(r->c, r->o->coverage, steps) : NULL;
	return r->coverage != NULL;
}

/* ---- how a test ended -------------------------------------------------------------------- */

/* The test itself had nothing to say. */
static void
report(test *t, const char *message)
{
	t->verdict = V_ERROR;
	t->detail.n = 0;
	vt_buf_puts(&t->detail, "message: ");
	vt_json_str(&t->detail, message, strlen(message));
	vt_buf_puts(&t->detail, "\nseverity: error\n");
}

static bool
first_line(const vt_buf *b, const char *line)
{
	size_t n = strlen(line);

	return b->n > n && memcmp(b->p, line, n) == 0 && b->p[n] == '\n';
}

static void
judge(run *r, test *t, int status)
{
	const vt_buf *b = &t->report.text;
	size_t skip = 0;

	t->verdict = first_line(b, "ok") ? V_OK : first_line(b, "fail") ? V_FAIL : V_ERROR;
	while (skip < b->n && b->p[skip++] != '\n')
		;
	if (t->late)
		report(t,
			vc_format(r->c,
				"no result after %g s (--timeout); --trace shows how far it comes",
				r->o->timeout));
	else if (WIFSIGNALED(status))
		report(t, vc_format(r->c, "the process was killed by signal %d (%s)",
				  WTERMSIG(status), strsignal(WTERMSIG(status))));
	else if (b->n == 0)
		report(t, vc_format(r->c, "the process ended with status %d and without a result",
				  WEXITSTATUS(status)));
	else if (WEXITSTATUS(status) != (t->verdict == V_OK ? 0 : 1))
		report(t, vc_format(r->c, "the process ended with status %d after its result",
				  WEXITSTATUS(status)));
	else
		vt_buf_put(&t->detail, b->p + skip, b->n - skip);
}

static void
end(run *r, test *t)
{
	int status = 0;

	kill(-t->pid, SIGKILL);
	while (waitpid(t->pid, &status, 0) < 0 && errno == EINTR)
		;
	t->pid = 0;
	read_stream(&t->out);
	read_stream(&t->report);
	close_stream(&t->out);
	close_stream(&t->report);
	t->to = vt_clock();
	t->done = true;
	r->running--;
	judge(r, t, status);
	r->failed += t->verdict != V_OK;
	vt_buf_free(&t->report.text);
}

/* The leader stays until its group is killed: the number cannot be somebody else's by then. */
static void
reap(run *r)
{
	for (uint32_t i = 0; i < r->next; i++) {
		siginfo_t info = {0};
		if (r->v[i].pid > 0 &&
			waitid(P_PID, (id_t)r->v[i].pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
			info.si_pid == r->v[i].pid)
			end(r, &r->v[i]);
	}
}

static void
kill_all(run *r)
{
	for (uint32_t i = 0; i < r->next; i++)
		if (r->v[i].pid > 0)
			end(r, &r->v[i]);
}

/* ---- TAP --------------------------------------------------------------------------------- */

static void
put_line(vt_buf *b, const char *indent, const char *s, size_t n)
{
	vt_buf_puts(b, indent);
	vt_put_printable(b, s, n);
	vt_buf_puts(b, "\n");
}

static void
put_lines(vt_buf *b, const char *indent, const vt_buf *text)
{
	const char *p = text->p, *end = p + text->n;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = nl ? (size_t)(nl - p) : (size_t)(end - p);
		put_line(b, indent, p, n);
		p += n + 1;
	}
}

/* A block's indentation is that of its first line, unless it is given. */
static void
put_output(vt_buf *b, const test *t)
{
	const vt_buf *text = &t->out.text;

	if (text->n == 0)
		return;
	vt_buf_puts(
		b, text->p[0] == ' ' || text->p[0] == '\n' ? "  output: |2\n" : "  output: |\n");
	put_lines(b, "    ", text);
	if (t->out.cut)
		vt_buf_puts(b, "    (more was written than is kept)\n");
}

static void
tap_test(run *r, const test *t, uint32_t number)
{
	vt_buf b = {0};

	vt_buf_printf(&b, "%sok %u - %s.%s\n", t->verdict == V_OK ? "" : "not ", number, t->cls,
		t->method);
	if (t->verdict != V_OK || (r->o->trace && t->out.text.n)) {
		vt_buf_puts(&b, "  ---\n");
		if (t->detail.n)
			put_lines(&b, "  ", &t->detail);
		put_output(&b, t);
		vt_buf_puts(&b, "  ...\n");
	}
	if (r->verbose)
		vt_buf_printf(&b, "# %.3f s\n", t->to - t->from);
	vt_buf_print(&b, stdout);
	fflush(stdout);
}

static void
tap_end(const run *r)
{
	printf("# %u of %u tests passed\n", r->n - r->failed, r->n);
}

/* ---- JUnit ------------------------------------------------------------------------------- */

static void
put_attribute(vt_buf *b, const char *name, const char *s, size_t n)
{
	vt_buf_printf(b, " %s=\"", name);
	vt_put_xml(b, s, n);
	vt_buf_puts(b, "\"");
}

static void
junit_failure(vt_buf *b, const test *t)
{
	static const char lead[] = "message: \"";
	const char *tag = t->verdict == V_FAIL ? "failure" : "error",
		   *s = t->detail.p + sizeof lead - 1,
		   *nl = memchr(s, '\n', t->detail.n - sizeof lead + 1);

	vt_buf_printf(b, "      <%s", tag);
	put_attribute(b, "message", s, (size_t)(nl - s) - 1);
	vt_buf_puts(b, ">");
	vt_put_xml(b, t->detail.p, t->detail.n);
	vt_buf_printf(b, "</%s>\n", tag);
}

static void
junit_output(vt_buf *b, const test *t)
{
	if (t->out.text.n == 0)
		return;
	vt_buf_puts(b, "      <system-out>");
	vt_put_xml(b, t->out.text.p, t->out.text.n);
	vt_buf_puts(b, "</system-out>\n");
}

static void
junit_case(vt_buf *b, const test *t, bool trace)
{
	vt_buf_puts(b, "    <testcase");
	put_attribute(b, "classname", t->cls, strlen(t->cls));
	put_attribute(b, "name", t->method, strlen(t->method));
	vt_buf_printf(b, " time=\"%.3f\"", t->to - t->from);
	if (t->verdict == V_OK && !(trace && t->out.text.n)) {
		vt_buf_puts(b, "/>\n");
		return;
	}
	vt_buf_puts(b, ">\n");
	if (t->verdict != V_OK)
		junit_failure(b, t);
	junit_output(b, t);
	vt_buf_puts(b, "    </testcase>\n");
}

static void
junit_counts(vt_buf *b, const test *v, uint32_t n)
{
	uint32_t fails = 0, errors = 0;
	double seconds = 0;

	for (uint32_t i = 0; i < n; i++) {
		fails += v[i].verdict == V_FAIL;
		errors += v[i].verdict == V_ERROR;
		seconds += v[i].to - v[i].from;
	}
	vt_buf_printf(b, " tests=\"%u\" failures=\"%u\" errors=\"%u\" time=\"%.3f\">\n", n, fails,
		errors, seconds);
}

static uint32_t
junit_suite(vt_buf *b, const test *v, uint32_t most, bool trace)
{
	uint32_t n = 1;

	while (n < most && strcmp(v[n].cls, v->cls) == 0)
		n++;
	vt_buf_puts(b, "  <testsuite");
	put_attribute(b, "name", v->cls, strlen(v->cls));
	junit_counts(b, v, n);
	for (uint32_t i = 0; i < n; i++)
		junit_case(b, &v[i], trace);
	vt_buf_puts(b, "  </testsuite>\n");
	return n;
}

static void
junit(const run *r)
{
	vt_buf b = {0};

	vt_buf_puts(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	junit_counts(&b, r->v, r->n);
	for (uint32_t i = 0; i < r->n;)
		i += junit_suite(&b, r->v + i, r->n - i, r->o->trace);
	vt_buf_puts(&b, "</testsuites>\n");
	vt_buf_print(&b, stdout);
}

/* ---- the loop ---------------------------------------------------------------------------- */

static void
report_finished(run *r)
{
	for (; r->reported < r->n && r->v[r->reported].done; r->reported++)
		if (r->o->report == TAP)
			tap_test(r, &r->v[r->reported], r->reported + 1);
}

/* Milliseconds until the first test is late, -1: none will be. */
static int
patience(const run *r)
{
	double first = 0, left;

	for (uint32_t i = r->reported; i < r->next; i++)
		if (r->v[i].pid > 0 && r->v[i].deadline > 0 &&
			(first == 0 || r->v[i].deadline < first))
			first = r->v[i].deadline;
	if (first == 0)
		return -1;
	left = (first - vt_clock()) * 1000;
	return left < 0 ? 0 : left > 1e9 ? 1000000000 : (int)left + 1;
}

static void
end_late(run *r)
{
	double t = vt_clock();

	for (uint32_t i = r->reported; i < r->next; i++)
		if (r->v[i].pid > 0 && r->v[i].deadline > 0 && r->v[i].deadline <= t) {
			r->v[i].late = true;
			end(r, &r->v[i]);
		}
}

/* 0, or the signal that ends vetro. */
static int
take_signals(run *r)
{
	struct signalfd_siginfo info;

	while (read(r->signals, &info, sizeof info) == (ssize_t)sizeof info) {
		if (info.ssi_signo != SIGCHLD)
			return (int)info.ssi_signo;
		reap(r);
	}
	return 0;
}

static int
wait_for_some(run *r, struct pollfd *p)
{
	nfds_t n = 0;

	p[n++] = (struct pollfd){.fd = r->signals, .events = POLLIN};
	for (uint32_t i = r->reported; i < r->next; i++)
		if (r->v[i].pid > 0) {
			p[n++] = (struct pollfd){.fd = r->v[i].out.fd, .events = POLLIN};
			p[n++] = (struct pollfd){.fd = r->v[i].report.fd, .events = POLLIN};
		}
	if (poll(p, n, patience(r)) < 0 && errno != EINTR)
		cannot("wait");
	for (uint32_t i = r->reported; i < r->next; i++)
		if (r->v[i].pid > 0) {
			read_stream(&r->v[i].out);
			read_stream(&r->v[i].report);
		}
	return take_signals(r);
}

/* 0, or the signal that stopped it, or -1: a test could not be started. */
static int
run_tests(run *r)
{
	struct pollfd *p = vc_alloc(r->c, (2 * r->o->jobs + 1) * sizeof *p);
	int stop = 0;

	while (!stop && r->reported < r->n) {
		while (!stop && r->next < r->n && r->running < r->o->jobs)
			stop = start(r, &r->v[r->next++]) ? 0 : -1;
		if (!stop)
			stop = wait_for_some(r, p);
		end_late(r);
		report_finished(r);
	}
	kill_all(r);
	return stop;
}

static int
no_tests(const run *r)
{
	const char *why =
		r->patterns.n ? "no test has such a name" : "there are no tests in this package";

	if (r->o->report == TAP && !r->o->list)
		printf("TAP version 13\n1..0 # SKIP %s\n", why);
	vt_say("vetro: %s\nhint: %s\n", why,
		r->patterns.n ? "--list shows them"
			      : "a test is a method test... of a class that extends "
				"io.murano.test.TestFixture "
				"and is named in the manifest");
	return VC_EINPUT;
}

static int
list_tests(const run *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		printf("%s.%s\n", r->v[i].cls, r->v[i].method);
	return VC_OK;
}

static void
hold_signals(run *r)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &r->mask);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Into the results of TAP, which has comments, or else beside them. */
static bool
end_coverage(const run *r)
{
	vt_buf summary = {0};
	bool ok = coverage_end(r->coverage, &summary);

	if (ok)
		vt_buf_print(&summary, r->o->report == TAP ? stdout : stderr);
	vt_buf_free(&summary);
	return ok;
}

static int
run_all(run *r)
{
	int stop;

	if (r->o->report == TAP)
		printf("TAP version 13\n1..%u\n", r->n);
	fflush(stdout);
	hold_signals(r);
	if (r->signals < 0)
		return cannot("watch for signals"), VC_EFAULT;
	stop = run_tests(r);
	close(r->signals);
	if (stop > 0)
		return cmd_die_of(stop, &r->mask);
	sigprocmask(SIG_SETMASK, &r->mask, NULL);
	if (stop)
		return VC_EFAULT;
	if (r->o->report == JUNIT)
		junit(r);
	else
		tap_end(r);
	if (r->coverage && !end_coverage(r))
		return VC_EFAULT;
	return r->failed ? VC_EINPUT : VC_OK;
}

static void
free_tests(run *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		vt_buf_free(&r->v[i].out.text);
		vt_buf_free(&r->v[i].detail);
	}
}

int
cmd_test(cmd_options *o)
{
	run r = {.o = o, .verbose = o->verbose};
	int rc = VC_EUSAGE;

	o->verbose = false; /* it is about the tests, and not about the build */
	o->jobs = number_of_jobs(o);
	r.c = vc_new();
	r.c->boxed = true;
	r.c->werror = o->werror;
	r.c->passes_off = 1u << VC_PASS_DIRECT;
	sort_words(&r);
	if (cmd_make_program(r.c, o, r.sources.v, r.sources.n, &r.program, &rc)) {
		sigprocmask(SIG_SETMASK, NULL, &r.mask);
		rc = !find_tests(&r) || !begin_coverage(&r) ? VC_EFAULT
		     : r.n == 0                             ? no_tests(&r)
		     : o->list                              ? list_tests(&r)
							    : run_all(&r);
		free_tests(&r);
	}
	vc_tcc_free(r.program.code);
	vc_free(r.c);
	return rc;
}
