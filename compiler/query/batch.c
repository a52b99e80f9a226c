/*
 * batch.c - `vetro query --batch`: JSON lines in, JSON lines out.
 *
 * A batch evaluates in a second process, so that no expression can end it or keep it.
 */
#include "compiler/query/int.h"
#include "runtime/core/diag.h"
#include "runtime/text/limit.h"
#include "runtime/text/report.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* One answer, malloc'd, without the newline. */
static char *
answer(const query_args *a, query_cache *cache, const char *line, size_t n)
{
	qr_error e = {.type = NULL};
	qr_request r;
	qr *q = qr_open();
	query_code *k = NULL;
	char *text = NULL, *out = NULL;
	size_t len = 0;

	if (qr_read_request(q, line, n, &r, &e) && query_load_lua(q, a, &e)) {
		r.jit = a->jit;
		r.passes_off = a->passes_off;
		k = query_cache_get(cache, &r, &e);
	}
	if (k)
		text = query_code_run(k, q, QR_TAGGED, &len, &e);
	qr_close(q); /* before the code goes that its values may point into */
	if (k)
		query_code_rest(k);
	if (text) {
		vt_buf b = {NULL, 0, 0};
		vt_buf_puts(&b, "{\"value\":");
		vt_buf_put(&b, text, len);
		vt_buf_put(&b, "}", 2);
		out = b.p;
	} else {
		out = qr_error_json(&e);
	}
	free(text);
	qr_error_free(&e);
	return out;
}

static char *
failure(const char *type, const char *message)
{
	qr_error e;
	char *out;

	qr_error_set(&e, type, 0, 0, message);
	out = qr_error_json(&e);
	qr_error_free(&e);
	return out;
}

/*
 * The process that evaluates.  Frames of both pipes are a length and as many bytes.  It is started
 * again for the request after one that ended it; whatever an expression does, its line gets an
 * answer.
 */
typedef struct worker {
	pid_t pid;
	int to, from;
} worker;

static bool
send_bytes(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n > 0) {
		ssize_t k = write(fd, p, n);
		if (k < 0 && errno != EINTR)
			return false;
		if (k > 0)
			p += k, n -= (size_t)k;
	}
	return true;
}

static bool
send_frame(int fd, const char *text, uint64_t n)
{
	return send_bytes(fd, &n, sizeof n) && send_bytes(fd, text, n);
}

enum received { RECEIVED, ENDED, LATE, NO_ROOM };

/* until: 0 waits for ever. */
static enum received
receive_bytes(int fd, void *bytes, size_t n, double until)
{
	struct pollfd p = {fd, POLLIN, 0};
	char *to = bytes;

	while (n > 0) {
		double left = until - vt_clock();
		ssize_t k;
		if (until > 0 && left <= 0)
			return LATE;
		if (until > 0 && poll(&p, 1, left > 1000 ? 1000000 : (int)(left * 1000) + 1) <= 0)
			continue;
		k = read(fd, to, n);
		if (k == 0 || (k < 0 && errno != EINTR))
			return ENDED;
		if (k > 0)
			to += k, n -= (size_t)k;
	}
	return RECEIVED;
}

/* *text is malloc'd and closed by NUL. */
static enum received
receive_frame(int fd, char **text, uint64_t *n, double until)
{
	enum received got = receive_bytes(fd, n, sizeof *n, until);

	if (got != RECEIVED)
		return got;
	*text = malloc(*n + 1);
	if (!*text)
		return NO_ROOM;
	(*text)[*n] = 0;
	got = receive_bytes(fd, *text, *n, until);
	if (got != RECEIVED)
		free(*text);
	return got;
}

enum { BATCH_MEMORY = 4096 }; /* MiB */

/* For a process whose end the parent tells. The sanitizers reserve more than any limit. */
static void
limit_memory(double mib)
{
	vt_no_memory_is_told();
#ifndef __SANITIZE_ADDRESS__
	struct rlimit limit = {(rlim_t)(mib * 1048576), (rlim_t)(mib * 1048576)};

	setrlimit(RLIMIT_AS, &limit);
#else
	(void)mib;
#endif
}

/*
 * What finds no memory ends its process, so the command runs in a second one.  The status of a
 * failure that is not the expression's can only be that: the runtime and the compiler have no other
 * fault.
 */
int
query_within_memory(query_args *a, int (*command)(query_args *))
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return VC_EFAULT;
	if (pid == 0) {
		limit_memory(a->memory);
		exit(command(a));
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) != VC_EFAULT)
		return WEXITSTATUS(status);
	vt_report_print(&(vt_report){.code = vt_diag_name(VT_E4302),
				.self = "vetro query",
				.message = "MemoryError: the expression took more memory than "
					   "--memory allows"},
		stderr);
	return VT_LIMIT_MEMORY;
}

/* Standard input is the parent's: at exit the C library would move its offset. */
static _Noreturn void
serve(const query_args *a, int in, int out)
{
	int null = open("/dev/null", O_RDONLY);
	query_cache *cache = query_cache_new();
	char *line, *text;
	uint64_t n;
	enum received got;

	if (null < 0 || dup2(null, STDIN_FILENO) < 0)
		_exit(VC_EFAULT);
	limit_memory(a->memory > 0 ? a->memory : BATCH_MEMORY);
	while ((got = receive_frame(in, &line, &n, 0)) == RECEIVED) {
		text = answer(a, cache, line, n);
		free(line);
		if (!send_frame(out, text, strlen(text)))
			_exit(VC_EFAULT);
		free(text);
	}
	query_cache_free(cache);
	exit(got == NO_ROOM ? VC_EFAULT : VC_OK);
}

static void
close_both(const int fd[2])
{
	close(fd[0]);
	close(fd[1]);
}

static bool
start_worker(worker *w, const query_args *a)
{
	int to[2], from[2];

	if (pipe(to) != 0)
		return false;
	if (pipe(from) != 0) {
		close_both(to);
		return false;
	}
	w->pid = fork();
	if (w->pid < 0) {
		w->pid = 0;
		close_both(to);
		close_both(from);
		return false;
	}
	if (w->pid == 0) {
		close(to[1]);
		close(from[0]);
		serve(a, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	w->to = to[1];
	w->from = from[0];
	return true;
}

/* Its exit status, or 128 and the signal as shells have it. */
static int
stop_worker(worker *w, bool by_force)
{
	int status = 0;

	if (w->pid == 0)
		return 0;
	if (by_force)
		kill(w->pid, SIGKILL);
	close(w->to);
	close(w->from);
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	w->pid = 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static char *
died(int status)
{
	char message[80];

	if (status == VC_EFAULT)
		return failure(
			"MemoryError", "the expression took more memory than --memory allows");
	snprintf(message, sizeof message, "the process of the expression ended with status %d",
		status);
	return failure("InternalError", message);
}

static char *
ask(worker *w, const query_args *a, const char *line, size_t n)
{
	enum received got = ENDED;
	uint64_t size;
	char *text;

	if (w->pid == 0 && !start_worker(w, a))
		return failure("InternalError", strerror(errno));
	if (send_frame(w->to, line, n))
		got = receive_frame(
			w->from, &text, &size, a->timeout > 0 ? vt_clock() + a->timeout : 0);
	switch (got) {
	case RECEIVED: return text;
	case LATE:
		stop_worker(w, true);
		return failure("TimeoutError", "the expression took longer than --timeout allows");
	case ENDED: return died(stop_worker(w, false));
	case NO_ROOM:
		stop_worker(w, true);
		return failure("MemoryError", "there is no memory for the answer");
	}
	return NULL;
}

/* ---- lines ---- */

enum { BLOCK = 1 << 16, KEPT = 1 << 20 };

typedef struct lines {
	char *block;
	size_t at, n;
	vt_buf line;
	size_t most; /* bytes a line */
	bool over;   /* the line had more, which was dropped */
} lines;

static bool
fill_block(lines *l)
{
	ssize_t k;

	do
		k = read(STDIN_FILENO, l->block, BLOCK);
	while (k < 0 && errno == EINTR);
	l->at = 0;
	l->n = k > 0 ? (size_t)k : 0;
	return k > 0;
}

/* A line without its newline; false at the end of the input. */
static bool
next_line(lines *l)
{
	bool any = false;
	const char *nl = NULL;

	if (l->line.cap > KEPT)
		vt_buf_free(&l->line);
	l->line.n = 0;
	l->over = false;
	while (nl == NULL && (l->at < l->n || fill_block(l))) {
		const char *from = l->block + l->at;
		size_t n;
		nl = memchr(from, '\n', l->n - l->at);
		n = nl ? (size_t)(nl - from) : l->n - l->at;
		l->at += n + (nl != NULL);
		any = true;
		l->over |= n > l->most - l->line.n;
		vt_buf_put(&l->line, from, n < l->most - l->line.n ? n : l->most - l->line.n);
	}
	return any;
}

static int
answer_lines(const query_args *a, lines *l, worker *w)
{
	int st = VC_OK;

	while (st == VC_OK && next_line(l)) {
		char *out = l->over ? failure("RequestError", "the line is too long")
				    : ask(w, a, l->line.n ? l->line.p : "", l->line.n);
		fputs(out, stdout);
		fputc('\n', stdout);
		if (fflush(stdout) != 0)
			st = VC_EINPUT;
		free(out);
	}
	return st;
}

int
query_batch(const query_args *a)
{
	lines l = {.block = malloc(BLOCK),
		.most = (size_t)((a->document > 0 ? a->document : 256) * 1048576)};
	worker w = {0, -1, -1};
	int st;

	signal(SIGPIPE, SIG_IGN);
	if (!l.block)
		vt_no_memory();
	st = answer_lines(a, &l, &w);
	vt_buf_free(&l.line);
	free(l.block);
	if (stop_worker(&w, false) != 0)
		st = VC_EFAULT;
	return st;
}
