/*
 * unit_http.c - requests, against a server of our own that answers well and badly: TAP.  The server
 * is a process that forks one for each connection.  With a certificate's path in VETRO_TLS_CERT and
 * a server's port in VETRO_TLS_PORT trust is tried too (t/runtime/http.t starts it).
 */
#include "runtime/net/http.h"
#include "unit.h"
#include "runtime/call/call.h"
#include "runtime/task/task.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <stdio.h>

/* ---- the server ---- */

static void
say(int fd, const char *s)
{
	ssize_t n = write(fd, s, strlen(s));
	(void)n;
}

static void
say_page(int fd, const char *head, const char *body)
{
	char buf[200000];

	snprintf(buf, sizeof buf, "HTTP/1.1 200 OK\r\n%sContent-Length: %zu\r\n\r\n%s", head,
		strlen(body), body);
	say(fd, buf);
}

static void
say_redirect(int fd, int code, const char *to)
{
	char buf[500];

	snprintf(buf, sizeof buf,
		"HTTP/1.1 %d Found\r\nLocation: %s\r\nContent-Length: 5\r\n\r\nmoved", code, to);
	say(fd, buf);
}

static void
say_large(int fd, size_t n)
{
	static char part[10000];

	memset(part, 'x', sizeof part);
	say(fd, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
	for (; n >= sizeof part; n -= sizeof part)
		if (write(fd, part, sizeof part) < 0)
			return;
}

/* False: the connection ends. */
static bool
answer(int fd, int port, const char *request)
{
	const char *path = strchr(request, ' ') + 1;
	char text[300];

#define IS(s) (strncmp(path, s " ", sizeof s) == 0)
	if (IS("/ok"))
		return say_page(fd, "X-Kind: plain\r\nETag: \"1\"\r\n", "hello"), true;
	if (IS("/echo"))
		return say_page(fd, "", request), true;
	if (IS("/empty"))
		return say(fd, "HTTP/1.1 204 No Content\r\n\r\n"), true;
	if (IS("/missing"))
		return say(fd, "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone"), true;
	if (IS("/until-close"))
		return say(fd, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it"), false;
	if (IS("/short"))
		return say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"), false;
	if (IS("/short-chunk"))
		return say(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\nshort"),
		       false;
	if (IS("/nothing"))
		return false;
	if (IS("/garbage"))
		return say(fd, "220 mail.example ESMTP\r\n\r\n"), false;
	if (IS("/never"))
		return sleep(30), false;
	if (IS("/half"))
		return say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal"), sleep(30), false;
	if (IS("/late"))
		return usleep(300000), say_page(fd, "", "late"), true;
	if (IS("/large"))
		return say_large(fd, 5000000), false;
	if (IS("/fields")) {
		say(fd, "HTTP/1.1 200 OK\r\n");
		for (int i = 0; i < 3000; i++)
			say(fd, "X-Field: 0123456789012345678901234567890123456789\r\n");
		return say(fd, "\r\n"), false;
	}
	if (IS("/continue"))
		return say(fd, "HTTP/1.1 100 Continue\r\nX-Old: 1\r\n\r\n"),
		       say_page(fd, "", "then"), true;
	if (IS("/moved"))
		return say_redirect(fd, 302, "/echo"), true;
	if (IS("/see-other"))
		return say_redirect(fd, 303, "echo"), true;
	if (IS("/same"))
		return say_redirect(fd, 307, "./echo"), true;
	if (IS("/loop"))
		return say_redirect(fd, 302, "/loop"), true;
	if (IS("/to-file"))
		return say_redirect(fd, 302, "file:///etc/passwd"), true;
	if (IS("/away")) {
		snprintf(text, sizeof text, "http://localhost:%d/echo", port);
		return say_redirect(fd, 302, text), true;
	}
#undef IS
	return say(fd, "HTTP/1.1 500 What\r\nContent-Length: 0\r\n\r\n"), true;
}

static void
serve_one(int fd, int port)
{
	static char buf[400000];
	size_t n = 0, body;
	ssize_t got;
	char *end, *len;

	while ((got = read(fd, buf + n, sizeof buf - 1 - n)) > 0) {
		buf[n += (size_t)got] = 0;
		if (!(end = strstr(buf, "\r\n\r\n")))
			continue;
		len = strstr(buf, "Content-Length: ");
		body = len && len < end ? (size_t)atol(len + 16) : 0;
		if (n < (size_t)(end + 4 - buf) + body)
			continue;
		if (!answer(fd, port, buf))
			return;
		n = 0;
	}
}

static int
serve(int *port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof a;
	int fd = socket(AF_INET, SOCK_STREAM, 0), pid;

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) != 0 || listen(fd, 200) != 0 ||
		getsockname(fd, (struct sockaddr *)&a, &len) != 0)
		return -1;
	*port = ntohs(a.sin_port);
	fflush(stdout);
	if ((pid = fork()) != 0)
		return close(fd), pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int c = accept(fd, NULL, NULL);
		if (c >= 0 && fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			signal(SIGPIPE, SIG_IGN);
			serve_one(c, *port);
			_exit(0);
		}
		close(c);
	}
}

/* ---- the tests ---- */

struct world {
	vt_rt *rt;
	vt_net *h;
	int port;
	char url[200];
	vt_net_response r;
};

static const char *
at(struct world *w, const char *path)
{
	snprintf(w->url, sizeof w->url, "http://127.0.0.1:%d%s", w->port, path);
	return w->url;
}

static vt_net_response *
ask(struct world *w, const char *path, vt_net_request q)
{
	vt_net_response_free(&w->r);
	q.url = *path == '/' ? at(w, path) : path;
	q.proxy = "";
	if (vt_net_run(w->rt, w->h, &q, &w->r) != VT_OK)
		ok(false, "a request ended with an exception");
	return &w->r;
}

static bool
says(const vt_net_response *r, int status, const char *body)
{
	return r->error == VT_NET_OK && r->status == status && r->body && !strcmp(r->body, body) &&
	       r->nbody == strlen(body);
}

static bool
failed(const vt_net_response *r, enum vt_net_error e)
{
	if (r->error != e || !r->message)
		printf("# %s: %s\n", vt_net_error_name(r->error), r->message ? r->message : "");
	return r->error == e && r->message && !r->body;
}

static bool
holds(const vt_net_response *r, const char *text)
{
	return r->body && strstr(r->body, text) != NULL;
}

#define Q(...) ((vt_net_request){__VA_ARGS__})

static void
try_answers(struct world *w)
{
	vt_net_response *r = ask(w, "/ok", Q());
	vt_net_field f[] = {{"X-Auth-Token", "s3cret", true}, {"X-Empty", "", false}};

	ok(says(r, 200, "hello"), "an answer");
	ok(vt_net_get(r, "x-kind") && !strcmp(vt_net_get(r, "x-kind"), "plain") &&
			!vt_net_get(r, "x-none"),
		"its fields, whatever their case");
	ok(says(ask(w, "/missing", Q()), 404, "none"), "a 404 is an answer");
	ok(says(ask(w, "/empty", Q()), 204, ""), "a body that is empty");
	ok(says(ask(w, "/until-close", Q()), 200, "all of it"), "a body that the connection ends");
	r = ask(w, "/continue", Q());
	ok(says(r, 200, "then") && !vt_net_get(r, "X-Old"), "100 Continue is no answer");
	r = ask(w, "/echo",
		Q(.method = "PUT", .body = "{\"a\": 1}", .nbody = 8, .field = f, .nfields = 2));
	ok(holds(r, "PUT /echo ") && holds(r, "X-Auth-Token: s3cret\r\n") && holds(r, "X-Empty:") &&
			holds(r, "Content-Length: 8") && holds(r, "\r\n\r\n{\"a\": 1}") &&
			!holds(r, "Content-Type") && !holds(r, "Expect"),
		"method, fields and body");
	r = ask(w, "/echo", Q(.method = "DELETE"));
	ok(holds(r, "DELETE /echo ") && !holds(r, "Content-Length"), "DELETE has no body");
	r = ask(w, "/echo", Q(.method = "POST"));
	ok(holds(r, "POST /echo ") && holds(r, "Content-Length: 0"), "POST without one says so");
	r = ask(w, "/ok", Q(.method = "HEAD"));
	ok(r->error == VT_NET_OK && r->status == 200 && r->nbody == 0, "HEAD");
	r = ask(w, "/echo", Q(.user = "joe", .password = "pw"));
	ok(holds(r, "Authorization: Basic am9lOnB3"), "Basic authentication");
}

static void
try_redirects(struct world *w)
{
	vt_net_field f[] = {{"X-Auth-Token", "s3cret", true}, {"X-Open", "o", false},
		{"Authorization", "Bearer s3cret", false}};
	vt_net_request put = Q(.method = "PUT", .body = "b", .nbody = 1, .max_redirects = 5,
		.field = f, .nfields = 3);
	vt_net_response *r = ask(w, "/moved", Q());

	ok(says(r, 302, "moved"), "a redirect is the answer where none is allowed");
	r = ask(w, "/moved", put);
	ok(holds(r, "PUT /echo ") && holds(r, "s3cret") && holds(r, "\r\n\r\nb") &&
			r->redirects == 1 && strstr(r->url, "/echo"),
		"302 of a PUT keeps method and body");
	put.method = "POST";
	ok(holds(ask(w, "/moved", put), "GET /echo "), "302 of a POST becomes a GET");
	put.keep_method = true;
	ok(holds(ask(w, "/moved", put), "POST /echo "), "unless it is to be kept");
	r = ask(w, "/see-other", put);
	ok(holds(r, "GET /echo ") && !holds(r, "\r\n\r\nb"), "303 is a GET");
	ok(holds(ask(w, "/same", put), "POST /echo "), "307 repeats");
	put.user = "joe", put.password = "pw";
	r = ask(w, "/away", put);
	ok(holds(r, "POST /echo ") && holds(r, "X-Open: o") && !holds(r, "s3cret") &&
			!holds(r, "Authorization"),
		"nothing secret goes to another origin");
	ok(failed(ask(w, "/loop", Q(.max_redirects = 5)), VT_NET_E_REDIRECT),
		"a loop of redirects");
	ok(failed(ask(w, "/to-file", Q(.max_redirects = 5)), VT_NET_E_REDIRECT),
		"no redirect to a file");
}

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
try_failures(struct world *w)
{
	double t0 = seconds();
	vt_net_response *r;
	char url[100];
	vt_net_field bad = {"X-A", "1\r\nX-B: 2", false};

	ok(failed(ask(w, "/never", Q(.timeout = 0.2)), VT_NET_E_TIMEOUT), "a time-out");
	ok(failed(ask(w, "/half", Q(.timeout = 0.3)), VT_NET_E_TIMEOUT), "one within the body");
	ok(failed(ask(w, "/half", Q(.stall_timeout = 1)), VT_NET_E_TIMEOUT), "a stall");
	ok(seconds() - t0 < 5, "they do not take long");
	ok(failed(ask(w, "/short", Q()), VT_NET_E_TRUNCATED), "a body that is cut off");
	ok(failed(ask(w, "/short-chunk", Q()), VT_NET_E_TRUNCATED), "a chunk that is cut off");
	ok(failed(ask(w, "/nothing", Q()), VT_NET_E_TRUNCATED), "no answer at all");
	ok(failed(ask(w, "/garbage", Q()), VT_NET_E_PROTOCOL) || w->r.error == VT_NET_E_OTHER,
		"no HTTP");
	ok(failed(ask(w, "/large", Q(.max_body = 100000)), VT_NET_E_TOO_LARGE), "a large body");
	r = ask(w, "/large", Q());
	ok(r->error == VT_NET_OK && r->nbody == 5000000, "a large one that is allowed");
	ok(failed(ask(w, "/fields", Q(.max_fields = 10000)), VT_NET_E_TOO_LARGE), "large fields");
	ok(failed(ask(w, "http://127.0.0.1:1/x", Q()), VT_NET_E_CONNECT), "refused");
	ok(failed(ask(w, "http://no-such-host.invalid/x", Q()), VT_NET_E_RESOLVE), "no such host");
	ok(failed(ask(w, "ftp://127.0.0.1/x", Q()), VT_NET_E_URL), "no URL of HTTP");
	ok(failed(ask(w, "http://", Q()), VT_NET_E_URL), "no URL");
	ok(failed(ask(w, "/ok", Q(.field = &bad, .nfields = 1)), VT_NET_E_PROTOCOL),
		"a line break in a field");
	ok(failed(ask(w, "/ok", Q(.method = "GET /x HTTP/1.1\r\n")), VT_NET_E_PROTOCOL),
		"a method that is none");
	snprintf(url, sizeof url, "http://joe:pw@127.0.0.1:%d/short?token=abc", w->port);
	r = ask(w, "/short", Q());
	r = ask(w, url, Q(.timeout = 2));
	snprintf(url, sizeof url, "http://joe:pw@127.0.0.1:1/short?token=abc");
	r = ask(w, url, Q());
	ok(failed(r, VT_NET_E_CONNECT) && strstr(r->message, "http://127.0.0.1:1/short?...") &&
			!strstr(r->message, "joe") && !strstr(r->message, "abc"),
		"a message holds neither user nor query");
	ok(vt_net_may_retry(VT_NET_E_TIMEOUT) && !vt_net_may_retry(VT_NET_E_TLS),
		"what may be tried again");
}

/* ---- tasks ---- */

enum { MANY = 50 };
struct many {
	struct world *w;
	int good, log;
};

static vt_status
one_of_many(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	struct many *m = data;
	char url[200];
	vt_net_request q = {.url = url, .proxy = ""};
	vt_net_response r;
	vt_status st;

	snprintf(url, sizeof url, "http://127.0.0.1:%d/%s", m->w->port, i % 5 ? "late" : "short");
	st = vt_net_run(rt, m->w->h, &q, &r);
	if (st == VT_OK)
		m->good += i % 5 ? says(&r, 200, "late") : r.error == VT_NET_E_TRUNCATED;
	vt_net_response_free(&r);
	return st;
}

static vt_status
waits(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	struct many *m = data;
	char url[200];
	vt_net_request q = {.url = url, .proxy = ""};
	vt_net_response r;
	vt_status st;

	snprintf(url, sizeof url, "http://127.0.0.1:%d/%s", m->w->port, i ? "never" : "late");
	st = vt_net_run(rt, m->w->h, &q, &r);
	m->log += st == VT_ERROR;
	vt_net_response_free(&r);
	return st;
}

static vt_status
sleeps(vt_rt *rt, void *data, uint32_t i, vt_value *out)
{
	struct many *m = data;

	for (int k = 0; k < 10; k++) {
		VT_TRY(vt_sleep(rt, 0.01));
		m->log++;
	}
	return VT_OK;
}

static void
done(void *data)
{
	(void)data;
}

static void
try_tasks(struct world *w)
{
	struct many m = {w, 0, 0};
	double t0 = seconds();
	vt_value out = VT_UNDEF;
	vt_net_response r;
	vt_net_request q = {.url = NULL, .proxy = ""};
	vt_net_call *a, *b;

	ok(vt_run_all(w->rt, MANY, 0, one_of_many, &m, &out) == VT_OK && m.good == MANY,
		"fifty at a time, of which some fail");
	ok(seconds() - t0 < 8, "which take little more time than one");
	m.good = 0;
	ok(vt_run_all(w->rt, MANY, 5, one_of_many, &m, &out) == VT_OK && m.good == MANY,
		"five at a time");
	vt_spawn(w->rt, sleeps, &m, done);
	ok(says(ask(w, "/late", Q()), 200, "late") && m.log == 10, "others run meanwhile");
	m.log = 0;
	for (int i = 0; i < 3; i++)
		vt_spawn(w->rt, waits, &m, done);
	vt_sleep(w->rt, 0.05);
	vt_tasks_cancel(w->rt);
	ok(m.log == 3, "tasks that are cancelled end");
	q.url = at(w, "/late");
	a = vt_net_start(w->h, &q);
	b = vt_net_start(w->h, &q);
	vt_net_drop(b);
	ok(vt_net_wait(a, &r) == VT_OK && says(&r, 200, "late"), "start, wait and drop");
	vt_net_response_free(&r);
	q.url = at(w, "/never");
	(void)vt_net_start(w->h, &q);
}

static void
try_virtual(struct world *w)
{
	int64_t before;

	vt_virtual_time(w->rt, true);
	before = vt_task_clock(w->rt);
	ok(says(ask(w, "/late", Q()), 200, "late") && vt_task_clock(w->rt) == before,
		"in virtual time a request takes none");
	ok(failed(ask(w, "/never", Q(.timeout = 0.2)), VT_NET_E_TIMEOUT), "but may be over time");
	vt_virtual_time(w->rt, false);
}

static void
try_trust(struct world *w)
{
	const char *cert = getenv("VETRO_TLS_CERT"), *port = getenv("VETRO_TLS_PORT");
	char url[100], other[100];

	if (!cert || !port) {
		printf("ok %d - # SKIP no openssl to serve TLS\n", ++tests);
		return;
	}
	snprintf(url, sizeof url, "https://localhost:%s/", port);
	snprintf(other, sizeof other, "https://127.0.0.1:%s/", port);
	ok(failed(ask(w, url, Q()), VT_NET_E_TLS), "a certificate that nobody trusts");
	ok(ask(w, url, Q(.ca_file = cert))->status == 200, "one that is trusted");
	ok(failed(ask(w, other, Q(.ca_file = cert)), VT_NET_E_TLS), "one of another host");
	ok(ask(w, other, Q(.insecure = true))->status == 200, "which is not looked at on demand");
	ok(failed(ask(w, url, Q(.ca_file = "/nonexistent")), VT_NET_E_TLS), "no such authority");
}

/* ---- URLs ---- */

static void
joins(const char *base, const char *ref, const char *want)
{
	char *got = vt_net_join(base, ref), what[300];

	snprintf(what, sizeof what, "%s from %s", ref, base);
	if (strcmp(got, want) != 0)
		printf("# %s\n", got);
	ok(strcmp(got, want) == 0, what);
	free(got);
}

static void
shows(const char *url, const char *want)
{
	char *got = vt_net_shown(url);

	ok(strcmp(got, want) == 0, want);
	free(got);
}

/* Those of RFC 3986, sections 5.4.1 and 5.4.2. */
static void
try_urls(void)
{
	static const char *const rows[][2] = {{"g:h", "g:h"}, {"g", "http://a/b/c/g"},
		{"./g", "http://a/b/c/g"}, {"g/", "http://a/b/c/g/"}, {"/g", "http://a/g"},
		{"//g", "http://g"}, {"?y", "http://a/b/c/d;p?y"}, {"g?y", "http://a/b/c/g?y"},
		{"#s", "http://a/b/c/d;p?q#s"}, {"g#s", "http://a/b/c/g#s"},
		{"g?y#s", "http://a/b/c/g?y#s"}, {";x", "http://a/b/c/;x"},
		{"g;x", "http://a/b/c/g;x"}, {"", "http://a/b/c/d;p?q"}, {".", "http://a/b/c/"},
		{"./", "http://a/b/c/"}, {"..", "http://a/b/"}, {"../", "http://a/b/"},
		{"../g", "http://a/b/g"}, {"../..", "http://a/"}, {"../../", "http://a/"},
		{"../../g", "http://a/g"}, {"../../../g", "http://a/g"},
		{"../../../../g", "http://a/g"}, {"/./g", "http://a/g"}, {"/../g", "http://a/g"},
		{"g.", "http://a/b/c/g."}, {"..g", "http://a/b/c/..g"}, {"./../g", "http://a/b/g"},
		{"./g/.", "http://a/b/c/g/"}, {"g/./h", "http://a/b/c/g/h"},
		{"g/../h", "http://a/b/c/h"}, {"g;x=1/../y", "http://a/b/c/y"},
		{"g?y/../x", "http://a/b/c/g?y/../x"}, {"g#s/../x", "http://a/b/c/g#s/../x"}};

	for (size_t i = 0; i < VT_LEN(rows); i++)
		joins("http://a/b/c/d;p?q", rows[i][0], rows[i][1]);
	joins("http://u:p@a", "g", "http://u:p@a/g");
	joins("http://a/x/", "y", "http://a/x/y");
	shows("https://u:p@h:8/p?q=1#f", "https://h:8/p?...");
	shows("http://h", "http://h");
	shows("http://u:p@ss@h/x@y", "http://h/x@y");
}

int
main(void)
{
	struct world w = {.rt = vt_rt_new(NULL)};
	int pid = serve(&w.port);
	vt_net_response *r;

	signal(SIGPIPE, SIG_IGN);
	w.h = vt_net_new(w.rt);
	try_urls();
	r = ask(&w, "/ok", Q());
	if (r->error == VT_NET_E_UNAVAILABLE) {
		printf("ok %d - # SKIP %s\n", ++tests, r->message);
	} else {
		try_answers(&w);
		try_redirects(&w);
		try_failures(&w);
		try_tasks(&w);
		try_virtual(&w);
		try_trust(&w);
		vt_net_response_free(&w.r);
		vt_net_run(w.rt, NULL, &Q(.url = at(&w, "/ok"), .proxy = ""), &w.r);
		ok(says(&w.r, 200, "hello"), "with a connection of its own");
	}
	vt_net_response_free(&w.r);
	vt_net_free(w.h);
	vt_rt_free(w.rt);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	printf("1..%d\n", tests);
	return failures != 0;
}
