/*
 * server.c - the conversation: its beginning and end, who answers what, and the loop.
 */
#include "compiler/lsp/int.h"
#include "runtime/call/call.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OUT = 32 << 20 /* bytes that wait for the client before it is heard again */ };

/* ---- to the client ---- */

void
lsp_send(lsp_server *s, const char *body, size_t n)
{
	lsp_put_frame(&s->out, body, n);
}

void
lsp_send_error(lsp_server *s, const char *id, enum lsp_error code, const char *message)
{
	vt_buf b = {0};

	vt_buf_printf(&b, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":", id,
		(int)code);
	lsp_put_text(&b, message);
	vt_buf_puts(&b, "}}");
	lsp_send(s, b.p, b.n);
	vt_buf_free(&b);
}

static void
send_result(lsp_server *s, const char *id, const char *result)
{
	vt_buf b = {0};

	vt_buf_printf(&b, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}", id, result);
	lsp_send(s, b.p, b.n);
	vt_buf_free(&b);
}

void
lsp_log(lsp_server *s, const char *message)
{
	vt_buf b = {0};

	vt_buf_puts(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"window/logMessage\",\"params\":"
			"{\"type\":2,\"message\":");
	lsp_put_text(&b, message);
	vt_buf_puts(&b, "}}");
	lsp_send(s, b.p, b.n);
	vt_buf_free(&b);
}

/* ---- the beginning ---- */

/* The first of the client's that we speak; without a list UTF-16 is meant. */
static enum lsp_encoding
agreed_encoding(vt_value params)
{
	static const char *const names[] = {"utf-16", "utf-8", "utf-32"};
	vt_value all = lsp_get(lsp_at(params, "capabilities", "general"), "positionEncodings");

	for (uint32_t i = 0; vt_is(all, LIST) && i < vt_as_list(all)->n; i++) {
		vt_value v = vt_as_list(all)->v[i];
		for (size_t k = 0; vt_is(v, STR) && k < VC_LEN(names); k++)
			if (strcmp(vt_as_str(v)->s, names[k]) == 0)
				return (enum lsp_encoding)k;
	}
	return LSP_UTF16;
}

static void
add_folder(lsp_server *s, const char *uri)
{
	char *path = uri ? lsp_path_of_uri(uri) : NULL, *real = path ? realpath(path, NULL) : NULL;

	free(path);
	if (real)
		vt_push(s->folder, s->nfolders) = real;
}

static void
add_folders(lsp_server *s, vt_value all)
{
	for (uint32_t i = 0; vt_is(all, LIST) && i < vt_as_list(all)->n; i++)
		add_folder(s, lsp_text(vt_as_list(all)->v[i], "uri"));
}

static void
read_options(lsp_server *s, vt_value options)
{
	vt_value all = lsp_get(options, "search");

	for (uint32_t i = 0; vt_is(all, LIST) && i < vt_as_list(all)->n; i++) {
		vt_value v = vt_as_list(all)->v[i];
		char *real = vt_is(v, STR) ? realpath(vt_as_str(v)->s, NULL) : NULL;
		if (real)
			vt_push(s->search, s->nsearch) = real;
		else
			lsp_log(s, "vetro lsp: a directory of the option `search` is not there");
	}
}

static void
initialize(lsp_server *s, const char *id, vt_value params)
{
	static const char *const names[] = {"utf-16", "utf-8", "utf-32"};
	vt_value item =
		lsp_get(lsp_at(lsp_get(params, "capabilities"), "textDocument", "completion"),
			"completionItem");
	vt_value folders = lsp_get(params, "workspaceFolders");
	vt_buf b = {0};

	s->encoding = agreed_encoding(params);
	s->snippets = lsp_get(item, "snippetSupport") == VT_TRUE;
	if (vt_is(folders, LIST))
		add_folders(s, folders);
	else
		add_folder(s, lsp_text(params, "rootUri"));
	read_options(s, lsp_get(params, "initializationOptions"));
	s->initialized = true;
	vt_buf_printf(&b, "{\"capabilities\":{\"positionEncoding\":\"%s\",%s},", names[s->encoding],
		lsp_capabilities);
	vt_buf_puts(&b, "\"serverInfo\":{\"name\":\"vetro\",\"version\":\"" VETRO_VERSION "\"}}");
	send_result(s, id, b.p);
	vt_buf_free(&b);
}

/* ---- who answers ---- */

static void
saved(lsp_server *s, vt_value params)
{
	(void)params;
	lsp_projects_touch(s);
}

static void
opened(lsp_server *s, vt_value params)
{
	if (!lsp_open(s, params))
		lsp_log(s, "vetro lsp: didOpen without a URI or a text");
}

static void
changed(lsp_server *s, vt_value params)
{
	if (!lsp_change(s, params))
		lsp_log(s,
			"vetro lsp: didChange of a document that is not open, or without a text");
}

static void
closed(lsp_server *s, vt_value params)
{
	if (!lsp_close(s, params))
		lsp_log(s, "vetro lsp: didClose of a document that is not open");
}

static void
cancelled(lsp_server *s, vt_value params)
{
	vt_buf id = {0};

	lsp_put_id(&id, lsp_get(params, "id"));
	lsp_project_cancel(s, id.p);
	vt_buf_free(&id);
}

static void
folders_changed(lsp_server *s, vt_value params)
{
	vt_value gone = lsp_at(params, "event", "removed");

	for (uint32_t i = 0; vt_is(gone, LIST) && i < vt_as_list(gone)->n; i++) {
		const char *uri = lsp_text(vt_as_list(gone)->v[i], "uri");
		char *path = uri ? lsp_path_of_uri(uri) : NULL;
		for (uint32_t k = 0; path && k < s->nfolders; k++)
			if (strcmp(s->folder[k], path) == 0) {
				free(s->folder[k]);
				s->folder[k--] = s->folder[--s->nfolders];
			}
		free(path);
	}
	add_folders(s, lsp_at(params, "event", "added"));
	lsp_projects_touch(s);
}

static void
ended(lsp_server *s, vt_value params)
{
	(void)params;
	s->ended = true;
}

/* Others are passed over, as the protocol wants it. */
static const struct notification {
	const char *name;
	void (*take)(lsp_server *, vt_value params);
} notifications[] = {
	{"exit", ended},
	{"$/cancelRequest", cancelled},
	{"textDocument/didOpen", opened},
	{"textDocument/didChange", changed},
	{"textDocument/didClose", closed},
	{"textDocument/didSave", saved},
	{"workspace/didChangeWatchedFiles", saved},
	{"workspace/didChangeWorkspaceFolders", folders_changed},
};

static void
notified(lsp_server *s, const char *name, vt_value params)
{
	for (size_t i = 0; i < VC_LEN(notifications); i++)
		if (strcmp(notifications[i].name, name) == 0 &&
			(s->initialized || notifications[i].take == ended))
			notifications[i].take(s, params);
}

/* The project that a request is about; without a document, that of the last one used. */
static lsp_project *
project_asked(const lsp_server *s, vt_value params)
{
	const char *uri = lsp_text(lsp_get(params, "textDocument"), "uri");
	if (!uri && !lsp_document_of(s, lsp_text(lsp_get(params, "item"), "uri")))
		uri = NULL; /* of a hierarchy: the file need not be open */
	else if (!uri)
		uri = lsp_text(lsp_get(params, "item"), "uri");
	lsp_document *d = lsp_document_of(s, uri);
	lsp_project *last = NULL;

	for (uint32_t i = 0; !uri && i < s->nprojects; i++)
		if (!last || s->project[i]->used > last->used)
			last = s->project[i];
	return d ? d->project : last;
}

static void
asked(lsp_server *s, const char *id, const char *name, vt_value params, const char *body, size_t n)
{
	lsp_project *p;

	if (!s->initialized && strcmp(name, "initialize") != 0) {
		lsp_send_error(s, id, LSP_E_NOT_INITIALIZED, "the first request is initialize");
	} else if (s->shut) {
		lsp_send_error(s, id, LSP_E_REQUEST, "the server was shut down");
	} else if (strcmp(name, "initialize") == 0) {
		if (s->initialized)
			lsp_send_error(s, id, LSP_E_REQUEST, "initialize is asked once");
		else
			initialize(s, id, params);
	} else if (strcmp(name, "shutdown") == 0) {
		s->shut = true;
		send_result(s, id, "null");
	} else if (!lsp_method_named(name)) {
		lsp_send_error(s, id, LSP_E_METHOD, "there is no such method here");
	} else if ((p = project_asked(s, params)) != NULL) {
		lsp_project_ask(s, p, id, body, n);
	} else {
		send_result(s, id, "null");
	}
}

/* A response is to nothing that was asked. */
static void
took(lsp_server *s, vt_value message, const char *body, size_t n)
{
	const char *name = lsp_text(message, "method");
	vt_value id = lsp_get(message, "id"), params = lsp_get(message, "params");
	bool response =
		lsp_get(message, "result") != VT_UNDEF || lsp_get(message, "error") != VT_UNDEF;
	vt_buf b = {0};

	lsp_put_id(&b, id);
	if (!name && response)
		;
	else if (!name)
		lsp_send_error(s, b.p, LSP_E_REQUEST, "a message has a method, which is a text");
	else if (id == VT_UNDEF)
		notified(s, name, params);
	else if (strcmp(b.p, "null") == 0)
		lsp_send_error(s, b.p, LSP_E_REQUEST, "an id is an integer or a text");
	else
		asked(s, b.p, name, params, body, n);
	vt_buf_free(&b);
}

static void
took_body(lsp_server *s, const char *body, size_t n)
{
	vt_value message = VT_UNDEF;
	char *why = NULL;

	if (!vt_json_read(s->rt, body, n, VT_JSON_MUTABLE, LSP_MAX_DEPTH, &message, &why))
		lsp_send_error(s, "null", LSP_E_PARSE, why ? why : "this is no JSON");
	else if (!vt_is(message, DICT))
		lsp_send_error(s, "null", LSP_E_REQUEST, "a message is an object");
	else
		took(s, message, body, n);
	free(why);
	vt_release(message);
}

void
lsp_take(lsp_server *s)
{
	const char *body;
	size_t n, used;

	while (!s->ended) {
		switch (lsp_frame_next(&s->frames, &body, &n, &used)) {
		case LSP_FRAME_NONE: return;
		case LSP_FRAME:
			took_body(s, body, n);
			lsp_frame_done(&s->frames, used);
			break;
		case LSP_FRAME_LARGE:
			lsp_send_error(s, "null", LSP_E_REQUEST, "the message is too large");
			break;
		case LSP_FRAME_BAD:
			lsp_send_error(s, "null", LSP_E_PARSE,
				"a header without one Content-Length, or too long a header");
			s->ended = s->failed = true;
			break;
		}
	}
}

/* ---- the loop ---- */

static void
read_client(lsp_server *s)
{
	enum { BLOCK = 1 << 16 };
	ssize_t n = read(STDIN_FILENO, vt_buf_room(&s->frames.in, BLOCK), BLOCK);

	if (n > 0)
		s->frames.in.n += (size_t)n;
	else if (n == 0 || errno != EINTR)
		s->ended = true;
}

/* So much as a pipe takes without blocking. */
static void
write_client(lsp_server *s, size_t most)
{
	size_t n = s->out.n < most ? s->out.n : most;
	ssize_t done = n ? write(s->fd, s->out.p, n) : 0;

	if (done < 0 && errno != EINTR) {
		s->ended = s->failed = true;
		s->out.n = 0;
	}
	if (done > 0) {
		memmove(s->out.p, s->out.p + done, s->out.n - (size_t)done);
		s->out.n -= (size_t)done;
	}
}

static void
wait_for_more(lsp_server *s)
{
	enum { ROOM = 256, PIECE = 4096 };
	struct pollfd fds[ROOM + 2] = {
		{s->out.n < MOST_OUT ? STDIN_FILENO : -1, POLLIN, 0},
		{s->out.n ? s->fd : -1, POLLOUT, 0},
	};
	uint32_t n = 2 + lsp_projects_poll(s, fds + 2, ROOM);

	if (poll(fds, n, lsp_projects_wait(s)) < 0 && errno != EINTR) {
		s->ended = s->failed = true;
		return;
	}
	if (fds[1].revents)
		write_client(s, PIECE);
	if (fds[0].revents)
		read_client(s);
	lsp_projects_ready(s);
}

static void
free_texts(char **v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		free(v[i]);
	free(v);
}

/* Standard output becomes standard error, so that nothing but messages comes to the client. */
int
lsp_serve(const lsp_host *host)
{
	lsp_server s = {.host = host, .rt = vt_rt_new(NULL)};

	fflush(stdout);
	s.fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (s.fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return VC_EFAULT;
	signal(SIGPIPE, SIG_IGN);
	while (!s.ended) {
		lsp_take(&s);
		lsp_projects_run(&s);
		if (!s.ended)
			wait_for_more(&s);
	}
	while (s.out.n)
		write_client(&s, s.out.n);
	lsp_projects_free(&s);
	lsp_documents_free(&s);
	free_texts(s.folder, s.nfolders);
	free_texts(s.search, s.nsearch);
	vt_buf_free(&s.frames.in);
	vt_buf_free(&s.out);
	vt_rt_free(s.rt);
	close(s.fd);
	return s.shut && !s.failed ? VC_OK : VC_EINPUT;
}
