/*
 * project.c - packages and lone files, and the workers that look at them.
 *
 * A project is dirty when a text has changed since its worker was started.  The worker of a dirty
 * project is replaced when it has published, so that one who types without a pause sees something
 * too; requests wait for the worker of the newest text.  At most MOST_WORKERS are kept; a project
 * that has none gets one with its next request.
 */
#define _GNU_SOURCE
#include "compiler/lsp/int.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORKERS = 8, MOST_AT_WORK = 2, MOST_FAULTS = 3, MOST_ABOVE = 16 };
static const double stale_seconds = 1, late_seconds = 30;

/* ---- which project a file belongs to ---- */

static bool
is_below(const char *path, const char *root, const char *folder)
{
	size_t n = strlen(root), m = strlen(folder);

	return strncmp(path, root, n) == 0 && path[n] == '/' &&
	       strncmp(path + n + 1, folder, m) == 0;
}

static bool
is_part(const char *path, const char *root)
{
	return is_below(path, root, "manifest.yaml") || is_below(path, root, "Classes/") ||
	       is_below(path, root, "UI/");
}

/* The folder with a manifest that the file is a part of; malloc'd, or NULL. */
static char *
package_of(const char *path)
{
	char *root = vt_xstrdup(path), *slash;
	struct stat st;

	for (int i = 0; i < MOST_ABOVE && (slash = strrchr(root, '/')) && slash != root; i++) {
		*slash = 0;
		char *manifest = vt_asprintf("%s/manifest.yaml", root);
		bool found = stat(manifest, &st) == 0 && S_ISREG(st.st_mode);
		free(manifest);
		if (found && is_part(path, root))
			return root;
		if (found)
			break;
	}
	free(root);
	return NULL;
}

static lsp_project *
project_at(lsp_server *s, char *path, enum lsp_kind kind)
{
	for (uint32_t i = 0; i < s->nprojects; i++)
		if (strcmp(s->project[i]->path, path) == 0) {
			free(path);
			s->project[i]->gone = false;
			return s->project[i];
		}
	lsp_project *p = vt_xzalloc(sizeof *p);
	p->path = path;
	p->kind = kind;
	vt_push(s->project, s->nprojects) = p;
	return p;
}

void
lsp_project_join(lsp_server *s, lsp_document *d)
{
	char *root = d->path ? package_of(d->path) : NULL;

	if (!d->path)
		return; /* it is no file */
	d->project =
		project_at(s, root ? root : vt_xstrdup(d->path), root ? LSP_PACKAGE : LSP_OTHER);
	d->project->used = ++s->clock;
}

void
lsp_projects_touch(lsp_server *s)
{
	for (uint32_t i = 0; i < s->nprojects; i++) {
		s->project[i]->dirty = true;
		s->project[i]->faults = 0;
	}
}

/* ---- requests ---- */

static void
drop_request(lsp_project *p, uint32_t i)
{
	free(p->request[i].id);
	free(p->request[i].body);
	memmove(&p->request[i], &p->request[i + 1], (p->nrequests - i - 1) * sizeof *p->request);
	p->nrequests--;
	p->given -= i < p->given;
}

static void
fail_requests(lsp_server *s, lsp_project *p, enum lsp_error code, const char *why)
{
	while (p->nrequests) {
		if (!p->request[0].cancelled)
			lsp_send_error(s, p->request[0].id, code, why);
		drop_request(p, 0);
	}
}

void
lsp_project_ask(lsp_server *s, lsp_project *p, const char *id, const char *body, size_t n)
{
	lsp_request r = {vt_xstrdup(id), vt_xstrndup(body, n), n, false};

	p->used = ++s->clock;
	vt_push(p->request, p->nrequests) = r;
}

/* What a worker is at is not stopped: its answer is dropped. */
bool
lsp_project_cancel(lsp_server *s, const char *id)
{
	for (uint32_t i = 0; i < s->nprojects; i++)
		for (uint32_t k = 0; k < s->project[i]->nrequests; k++) {
			lsp_project *p = s->project[i];
			if (p->request[k].cancelled || strcmp(p->request[k].id, id) != 0)
				continue;
			lsp_send_error(s, id, LSP_E_CANCELLED, "the request was cancelled");
			if (k < p->given)
				p->request[k].cancelled = true;
			else
				drop_request(p, k);
			return true;
		}
	return false;
}

/* ---- the process ---- */

static void
end_worker(lsp_project *p, int *status)
{
	int ignored;

	if (!p->pid)
		return;
	close(p->to);
	close(p->from);
	kill(p->pid, SIGKILL);
	while (waitpid(p->pid, status ? status : &ignored, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
	p->in.n = p->out.n = 0;
	/* What it has published is there, whether it was done or not. */
	for (uint32_t i = 0; i < p->nfresh; i++)
		vt_push(p->published, p->npublished) = p->fresh[i];
	free(p->fresh);
	p->fresh = NULL;
	p->nfresh = 0;
	for (uint32_t i = p->nrequests; i-- > 0;)
		if (p->request[i].cancelled)
			drop_request(p, i);
	p->given = 0;
}

static void
close_pipes(const int a[2], const int b[2])
{
	close(a[0]);
	close(a[1]);
	close(b[0]);
	close(b[1]);
}

static bool
start_worker(lsp_server *s, lsp_project *p)
{
	int to[2], from[2];

	if (pipe2(to, O_CLOEXEC) != 0)
		return false;
	if (pipe2(from, O_CLOEXEC) != 0) {
		close(to[0]);
		close(to[1]);
		return false;
	}
	p->pid = fork();
	if (p->pid < 0) {
		p->pid = 0;
		close_pipes(to, from);
		return false;
	}
	if (p->pid == 0) {
		for (uint32_t i = 0; i < s->nprojects; i++)
			if (s->project[i]->pid) {
				close(s->project[i]->to);
				close(s->project[i]->from);
			}
		close(to[1]);
		close(from[0]);
		lsp_work(s, p, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	p->to = to[1];
	p->from = from[0];
	fcntl(p->to, F_SETFL, O_NONBLOCK);
	fcntl(p->from, F_SETFL, O_NONBLOCK);
	p->dirty = p->checked = false;
	p->since = vt_clock();
	return true;
}

static void
forget_places(char **place, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		free(place[i]);
	free(place);
}

/* ---- what a project wants ---- */

static bool
wants_worker(const lsp_project *p)
{
	return !p->gone && p->faults < MOST_FAULTS && (p->dirty || (p->nrequests && !p->pid));
}

static bool
is_at_work(const lsp_project *p)
{
	return p->pid && (!p->checked || p->given);
}

/* The one that was used last. */
static lsp_project *
next_project(const lsp_server *s)
{
	lsp_project *best = NULL;

	for (uint32_t i = 0; i < s->nprojects; i++) {
		lsp_project *p = s->project[i];
		bool waits = p->pid && !p->checked && vt_clock() - p->since < stale_seconds;
		if (wants_worker(p) && !waits && (!best || p->used > best->used))
			best = p;
	}
	return best;
}

/* Room for one more: the idle one that was not used for the longest time ends. */
static void
make_room(lsp_server *s)
{
	lsp_project *oldest = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nprojects; i++) {
		lsp_project *p = s->project[i];
		n += p->pid != 0;
		if (p->pid && !is_at_work(p) && (!oldest || p->used < oldest->used))
			oldest = p;
	}
	if (n >= MOST_WORKERS && oldest)
		end_worker(oldest, NULL);
}

static void
give_requests(lsp_project *p)
{
	for (; p->pid && !p->dirty && p->given < p->nrequests; p->given++) {
		const lsp_request *r = &p->request[p->given];
		uint64_t n = r->n;
		if (!p->given && p->checked)
			p->since = vt_clock();
		vt_buf_put(&p->out, &n, sizeof n);
		vt_buf_put(&p->out, r->body, r->n);
	}
}

void
lsp_projects_run(lsp_server *s)
{
	lsp_project *p;
	uint32_t busy = 0;

	for (uint32_t i = 0; i < s->nprojects; i++)
		busy += is_at_work(s->project[i]);
	while ((p = next_project(s)) != NULL) {
		bool replaced = is_at_work(p);
		if (!replaced && busy >= MOST_AT_WORK)
			break;
		end_worker(p, NULL);
		make_room(s);
		busy += !replaced;
		if (!start_worker(s, p)) {
			fail_requests(s, p, LSP_E_INTERNAL, "there is no process for the answer");
			p->dirty = false;
		}
	}
	for (uint32_t i = 0; i < s->nprojects; i++) {
		if (s->project[i]->faults >= MOST_FAULTS)
			fail_requests(s, s->project[i], LSP_E_INTERNAL,
				"what looks at the file has failed too often; change the text");
		give_requests(s->project[i]);
	}
}

/* ---- what workers say ---- */

static void
answered(lsp_server *s, lsp_project *p, enum lsp_word word, const char *text, size_t n)
{
	vt_buf b = {0};

	if (!p->given)
		return;
	if (!p->request[0].cancelled && word == LSP_W_ERROR) {
		lsp_send_error(s, p->request[0].id, LSP_E_PARAMS, text);
	} else if (!p->request[0].cancelled) {
		vt_buf_printf(&b, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":", p->request[0].id);
		vt_buf_put(&b, text, n);
		vt_buf_putc(&b, '}');
		lsp_send(s, b.p, b.n);
		vt_buf_free(&b);
	}
	drop_request(p, 0);
	p->since = vt_clock();
}

static void
heard(lsp_server *s, lsp_project *p, enum lsp_word word, const char *text, size_t n)
{
	switch (word) {
	case LSP_W_NOTE: lsp_send(s, text, n); break;
	case LSP_W_ANSWER:
	case LSP_W_ERROR: answered(s, p, word, text, n); break;
	case LSP_W_READ: lsp_document_read(s, text); break;
	case LSP_W_TOKENS: lsp_document_tokens(s, text); break;
	case LSP_W_PLACE: vt_push(p->fresh, p->nfresh) = vt_xstrndup(text, n); break;
	case LSP_W_CHECKED:
		p->checked = true;
		forget_places(p->published, p->npublished);
		p->published = p->fresh;
		p->npublished = p->nfresh;
		p->fresh = NULL;
		p->nfresh = 0;
		p->since = vt_clock();
		break;
	}
}

/* Frames: a byte, the length, as many bytes.  A copy of each has a NUL behind it. */
static void
read_frames(lsp_server *s, lsp_project *p)
{
	size_t at = 0;
	uint64_t n;

	while (p->in.n - at >= 1 + sizeof n) {
		memcpy(&n, p->in.p + at + 1, sizeof n);
		if (p->in.n - at - 1 - sizeof n < n)
			break;
		char *text = vt_xstrndup(p->in.p + at + 1 + sizeof n, n);
		heard(s, p, (enum lsp_word)p->in.p[at], text, n);
		free(text);
		at += 1 + sizeof n + n;
	}
	if (at)
		memmove(p->in.p, p->in.p + at, p->in.n - at);
	p->in.n -= at;
}

/* It ended by itself: a fault of a front end, or its time was over. */
static void
lost_worker(lsp_server *s, lsp_project *p, const char *how)
{
	int status = 0;
	char *message;

	end_worker(p, &status);
	message = vt_asprintf("vetro lsp: what looks at %s %s", p->path, how);
	lsp_log(s, message);
	free(message);
	p->faults++;
	p->checked = true;
	if (p->nrequests) {
		if (!p->request[0].cancelled)
			lsp_send_error(s, p->request[0].id, LSP_E_INTERNAL, how);
		drop_request(p, 0);
	}
}

static void
read_worker(lsp_server *s, lsp_project *p)
{
	enum { BLOCK = 1 << 16 };
	ssize_t n;

	while ((n = read(p->from, vt_buf_room(&p->in, BLOCK), BLOCK)) > 0)
		p->in.n += (size_t)n;
	read_frames(s, p);
	if (n == 0)
		lost_worker(s, p, "ended before its time");
}

static void
write_worker(lsp_project *p)
{
	ssize_t n = p->out.n ? write(p->to, p->out.p, p->out.n) : 0;

	if (n > 0) {
		memmove(p->out.p, p->out.p + n, p->out.n - (size_t)n);
		p->out.n -= (size_t)n;
	}
}

uint32_t
lsp_projects_poll(lsp_server *s, struct pollfd *fds, uint32_t room)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nprojects && n + 2 <= room; i++) {
		const lsp_project *p = s->project[i];
		if (!p->pid)
			continue;
		fds[n++] = (struct pollfd){p->from, POLLIN, 0};
		if (p->out.n)
			fds[n++] = (struct pollfd){p->to, POLLOUT, 0};
	}
	return n;
}

void
lsp_projects_ready(lsp_server *s)
{
	for (uint32_t i = 0; i < s->nprojects; i++) {
		lsp_project *p = s->project[i];
		if (p->pid)
			write_worker(p);
		if (p->pid)
			read_worker(s, p);
		if (p->pid && is_at_work(p) && vt_clock() - p->since > late_seconds)
			lost_worker(s, p, "took too long");
	}
}

int
lsp_projects_wait(const lsp_server *s)
{
	double wait = -1;

	for (uint32_t i = 0; i < s->nprojects; i++) {
		const lsp_project *p = s->project[i];
		double left = p->since - vt_clock();
		if (!is_at_work(p))
			continue;
		left += p->dirty && !p->checked ? stale_seconds : late_seconds;
		left = left < 0 ? 0 : left;
		wait = wait < 0 || left < wait ? left : wait;
	}
	return wait < 0 ? -1 : (int)(wait * 1000) + 1;
}

/* ---- the end ---- */

static void
free_project(lsp_project *p)
{
	end_worker(p, NULL);
	while (p->nrequests)
		drop_request(p, 0);
	free(p->request);
	forget_places(p->published, p->npublished);
	vt_buf_free(&p->in);
	vt_buf_free(&p->out);
	free(p->path);
	free(p);
}

/* What is wrong in files that nobody has open is shown no longer. */
static void
clear_places(lsp_server *s, const lsp_project *p)
{
	vt_buf b = {0};

	for (uint32_t i = 0; i < p->npublished; i++) {
		b.n = 0;
		vt_buf_puts(&b,
			"{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/publishDiagnostics\","
			"\"params\":{\"uri\":");
		lsp_put_text(&b, p->published[i]);
		vt_buf_puts(&b, ",\"diagnostics\":[]}}");
		lsp_send(s, b.p, b.n);
	}
	vt_buf_free(&b);
}

void
lsp_project_leave(lsp_server *s, lsp_document *d)
{
	lsp_project *p = d->project;

	for (uint32_t i = 0; i < s->ndocs; i++)
		if (s->doc[i] != d && s->doc[i]->project == p)
			return;
	for (uint32_t i = 0; p && i < s->nprojects; i++)
		if (s->project[i] == p) {
			fail_requests(s, p, LSP_E_MODIFIED, "the document was closed");
			clear_places(s, p);
			s->project[i] = s->project[--s->nprojects];
			free_project(p);
			return;
		}
}

void
lsp_projects_free(lsp_server *s)
{
	for (uint32_t i = 0; i < s->nprojects; i++)
		free_project(s->project[i]);
	free(s->project);
}
