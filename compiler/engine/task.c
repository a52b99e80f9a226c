/*
 * task.c - a task from its delivery to its acknowledgement.
 */
#define _GNU_SOURCE
#include "compiler/engine/supervisor.h"
#include "runtime/core/printable.h"
#include "runtime/text/outfile.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_PAUSE = 60, STARTS = 3, LOG_LINE = 4096 };

eng_about
eng_about_task(const eng_task *t)
{
	return (eng_about){t->request.id, t->request.environment};
}

static bool
is_call(const eng_task *t)
{
	return t->request.method != ENG_HANDLE_TASK;
}

static bool
is_there(const engine *e, const char *id)
{
	for (const eng_task *t = e->tasks; t; t = t->next)
		if (strcmp(t->request.id, id) == 0)
			return true;
	return false;
}

static eng_task *
new_task(engine *e, const eng_request *r)
{
	eng_task *t = vt_xzalloc(sizeof *t);
	const char *token = r->token;
	*t = (eng_task){.request = *r,
		.number = ++e->numbers,
		.lock = -1,
		.out = -1,
		.wake = -1,
		.prepared = VT_UNDEF,
		.arrived = vt_clock()};
	t->delivered = t->arrived;
	if (token)
		vt_secret_add(t, token, strlen(token));
	t->next = e->tasks;
	e->tasks = t;
	e->counts.taken[r->method]++;
	return t;
}

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void
eng_task_drop(engine *e, eng_task *t)
{
	if (t->host)
		t->host->users--;
	(void)e;
	close_fd(&t->lock);
	close_fd(&t->out);
	close_fd(&t->wake);
	for (uint32_t i = 0; i < t->nnotes; i++)
		free(t->notes[i].text);
	free(t->notes);
	free(t->body);
	free(t->trust);
	free(t->result);
	vt_buf_free(&t->log);
	vt_clear(&t->prepared);
	vt_secrets_forget(t);
	eng_request_free(&t->request);
	free(t);
}

/* ---- what the worker has told ------------------------------------------------------------ */

static void
add_note(eng_task *t, const char *s, size_t n)
{
	vt_push(t->notes, t->nnotes) = (eng_note){.text = vt_xstrndup(s, n), .n = n};
}

static void
take_frame(eng_task *t, char kind, const char *s, size_t n)
{
	switch ((enum eng_frame)kind) {
	case ENG_FRAME_NOTE:
		if (memchr(s, 0, n) != NULL)
			add_note(t, s, n);
		return;
	case ENG_FRAME_GONE: t->gone = true; /* fallthrough */
	case ENG_FRAME_RESULT:
	case ENG_FRAME_FAILURE:
		free(t->result);
		t->result = vt_xstrndup(s, n);
		t->nresult = n;
		t->failed = kind == ENG_FRAME_FAILURE;
		return;
	}
}

/* Whole frames from where the last ones ended. */
static void
read_frames(eng_task *t)
{
	struct stat st;
	if (t->out < 0 || fstat(t->out, &st) != 0)
		return;
	while ((uint64_t)st.st_size >= t->read_to + ENG_FRAME_HEAD) {
		char head[ENG_FRAME_HEAD], *s;
		uint32_t n;
		if (pread(t->out, head, sizeof head, (off_t)t->read_to) != (ssize_t)sizeof head)
			return;
		memcpy(&n, head + 1, sizeof n);
		if (n > ENG_FRAME_MAX || (uint64_t)st.st_size < t->read_to + ENG_FRAME_HEAD + n)
			return;
		s = vt_xmalloc((size_t)n + 1);
		if (pread(t->out, s, n, (off_t)(t->read_to + ENG_FRAME_HEAD)) == (ssize_t)n)
			take_frame(t, head[0], s, n);
		free(s);
		t->read_to += ENG_FRAME_HEAD + n;
	}
}

/* What an engine before had of the task; half of a frame goes. */
static void
take_up(engine *e, eng_task *t)
{
	vt_buf trust = {0};
	t->mark = eng_mark_read(t->lock);
	if (t->mark.trust[0])
		t->trust = vt_xstrdup(t->mark.trust);
	else if (t->lock >= 0 && eng_spool_read(&e->spool, t->request.id, "trust", &trust) &&
		 trust.n > 0)
		t->trust = vt_xstrdup(trust.p);
	vt_buf_free(&trust);
	read_frames(t);
	if (t->out >= 0 && ftruncate(t->out, (off_t)t->read_to) != 0)
		close_fd(&t->out);
	for (uint32_t i = 0; i < t->nnotes && i < t->mark.told; i++)
		t->notes[i].confirmed = true;
	if (t->result)
		t->state = ENG_TELLING;
}

/* ---- beginning --------------------------------------------------------------------------- */

static void
collect_types(vt_rt *rt, vt_value v, vt_set *types)
{
	vt_value key, item, type;
	if (vt_is_sequence(v)) {
		for (uint32_t i = 0; i < vt_as_list(v)->n; i++)
			collect_types(rt, vt_as_list(v)->v[i], types);
		return;
	}
	if (!vt_is(v, DICT))
		return;
	type = eng_member(eng_member(v, "?"), "type");
	if (vt_is(type, STR))
		(void)vt_set_add(rt, types, type);
	for (uint32_t i = 0; vt_dict_at(vt_as_dict(v), &i, &key, &item);)
		collect_types(rt, item, types);
}

static void
put_text(vt_buf *b, const char *name, const char *s)
{
	vt_buf_printf(b, ", \"%s\": ", name);
	if (s)
		vt_json_str(b, s, strlen(s));
	else
		vt_buf_puts(b, "null");
}

static void
put_types(engine *e, eng_task *t, vt_buf *b)
{
	vt_set *types = vt_set_new(e->rt);
	vt_value model = eng_member(t->request.task, "model"), type;
	bool first = true;
	collect_types(e->rt, eng_member(model, "Objects"), types);
	collect_types(e->rt, eng_member(model, "ObjectsCopy"), types);
	vt_buf_puts(b, ", \"types\": [");
	for (uint32_t i = 0; vt_set_at(types, &i, &type); first = false) {
		vt_buf_puts(b, first ? "" : ", ");
		vt_json_str(b, vt_as_str(type)->s, vt_as_str(type)->bytes);
	}
	vt_buf_putc(b, ']');
	vt_release(vt_mkptr(types));
}

/* The courier gets what decides about packages, and no more of the model. */
void
eng_task_prepare(engine *e, eng_task *t)
{
	const eng_request *r = &t->request;
	vt_value action = eng_member(r->task, "action");
	vt_value system = eng_member(eng_member(r->task, "model"), "SystemData");
	bool schema = r->method == ENG_SCHEMA;
	vt_buf b = {0};
	vt_buf_printf(&b, "{\"op\": \"prepare\", \"n\": %llu", (unsigned long long)t->number);
	put_text(&b, "token", r->token);
	put_text(&b, "project", r->project);
	vt_buf_printf(&b, ", \"calls\": %s", is_call(t) ? "true" : "false");
	if (is_call(t)) {
		put_text(&b, "class_name", eng_text(schema ? r->task : action, "class_name"));
		put_text(&b, "package",
			schema ? eng_text(r->task, "package_name") : eng_text(action, "pkg_name"));
		put_text(&b, "version", schema ? NULL : eng_text(action, "class_version"));
	} else {
		vt_buf_printf(&b, ", \"trusts\": %s",
			eng_conf_flag(&e->conf, "engine", "use_trusts") ? "true" : "false");
		put_text(&b, "trust", t->trust ? t->trust : eng_text(system, "TrustId"));
		vt_buf_puts(&b, ", \"pins\": ");
		vt_json_write(e->rt, &b, eng_member(system, "Packages"), 0);
		put_types(e, t, &b);
	}
	vt_buf_puts(&b, "}\n");
	t->state = ENG_PREPARING;
	eng_courier_send(e, &b);
}

/* How far somebody came is written at once, so that a disk that is full later has its place. */
static bool
open_files(engine *e, eng_task *t)
{
	const char *id = t->request.id;
	eng_mark mark = eng_mark_read(t->lock);
	if (!eng_mark_write(t->lock, &mark))
		return false;
	if (t->body && !eng_spool_keep(&e->spool, id, t->body, t->nbody))
		return false;
	t->out = eng_spool_out(&e->spool, id);
	return t->out >= 0;
}

/*
 * Without the spool a task still runs: the broker has it until it is answered.  One that was begun
 * waits until the spool can be written, because it must not begin anew.  False: it waits.
 */
static bool
take_place(engine *e, eng_task *t)
{
	bool begun = t->lock >= 0 && eng_spool_is_begun(&e->spool, t->request.id);
	bool kept = t->lock >= 0 && open_files(e, t);
	if (!kept && begun) {
		close_fd(&t->lock);
		t->state = ENG_LOCKED;
		t->next_try = vt_clock() + 1;
		return false;
	}
	if (!kept && t->lock >= 0) {
		eng_spool_end(&e->spool, t->request.id, t->lock, false);
		t->lock = -1;
	}
	if (!kept)
		t->out = memfd_create("task", MFD_CLOEXEC);
	free(t->body);
	t->body = NULL;
	return true;
}

/* With what an engine before had of it. */
static void
go_on_from_place(engine *e, eng_task *t)
{
	if (!take_place(e, t))
		return;
	take_up(e, t);
	if (t->state != ENG_TELLING)
		eng_task_prepare(e, t);
}

static void
claim(engine *e, eng_task *t)
{
	const eng_about a = eng_about_task(t);
	switch (eng_spool_claim(&e->spool, t->request.id, &t->lock)) {
	case ENG_ELSEWHERE:
		t->state = ENG_LOCKED;
		t->next_try = vt_clock() + 1;
		return;
	case ENG_DONE:
		eng_log(ENG_INFO, &a, "the task was answered before");
		t->state = ENG_ENDED;
		return;
	case ENG_FAULT:
	case ENG_CLAIMED: break;
	}
	go_on_from_place(e, t);
}

static void
log_begin(const eng_task *t, const char *how)
{
	const eng_about a = eng_about_task(t);
	vt_value action = eng_member(t->request.task, "action");
	const char *method = t->request.method == ENG_SCHEMA
				     ? eng_text(t->request.task, "class_name")
				     : eng_text(action, "method");
	eng_log(ENG_INFO, &a, "%s %s%s", t->request.name, method ? method : "(delete)", how);
}

/* ---- deliveries -------------------------------------------------------------------------- */

static void
reply(engine *e, const eng_request *r, const char *result, size_t n, const char *failure)
{
	vt_buf b = {0};
	eng_letter l = {.exchange = "", .key = r->reply_q};
	if (r->msg_id == NULL)
		return;
	eng_put_reply(&b, r->msg_id, result, n, failure);
	l.text = b.p;
	l.n = b.n;
	(void)eng_broker_send(e->broker, &l);
	vt_buf_free(&b);
}

/* What nobody can run: whoever waits is told, the log has it, and it does not come again. */
static void
refuse(engine *e, const eng_request *r, uint64_t tag, const char *cls, const char *module,
	const char *why)
{
	char *failure = eng_failure(cls, module, why);
	eng_log(ENG_ERROR, NULL, "a message is rejected: %s", why);
	e->counts.rejected++;
	reply(e, r, NULL, 0, failure);
	eng_broker_reject(e->broker, eng_broker_epoch(e->broker), tag, false);
	free(failure);
}

/* A task that we have already: the connection it came by was lost. */
static bool
adopt(engine *e, const eng_request *r, uint64_t tag)
{
	for (eng_task *t = e->tasks; t; t = t->next)
		if (strcmp(t->request.id, r->id) == 0 && t->state != ENG_ENDED) {
			t->epoch = eng_broker_epoch(e->broker);
			t->tag = tag;
			t->delivered = vt_clock();
			return true;
		}
	return false;
}

static void
begin(engine *e, eng_request *r, const char *body, size_t n, uint64_t tag, bool again)
{
	eng_task *t = new_task(e, r);
	t->epoch = eng_broker_epoch(e->broker);
	t->tag = tag;
	log_begin(t, again ? ", delivered again" : "");
	if (is_call(t)) {
		t->out = memfd_create("call", MFD_CLOEXEC);
		eng_task_prepare(e, t);
		return;
	}
	t->body = vt_xstrndup(body, n);
	t->nbody = n;
	claim(e, t);
}

void
eng_take_delivery(void *engine_, const char *body, size_t n, uint64_t tag, bool again)
{
	engine *e = engine_;
	eng_request r;
	char *why = eng_request_read(e->rt, body, n, &r);
	if (why != NULL)
		refuse(e, &r, tag, "ValueError", "builtins", why);
	else if (r.method == ENG_UNKNOWN_METHOD)
		refuse(e, &r, tag, "NoSuchMethod", "oslo_messaging.rpc.dispatcher",
			"Endpoint does not support RPC method");
	else if (!adopt(e, &r, tag)) {
		begin(e, &r, body, n, tag, again);
		return;
	}
	free(why);
	eng_request_free(&r);
}

/* What an engine that died, or we before a restart, had begun. */
void
eng_take_spooled(void *engine_, const char *id)
{
	engine *e = engine_;
	eng_request r;
	eng_task *t;
	vt_buf b = {0};
	char *why;
	int lock = -1;
	if (is_there(e, id) || e->counts.running >= 256)
		return;
	if (eng_spool_claim(&e->spool, id, &lock) != ENG_CLAIMED)
		return;
	if (!eng_spool_read(&e->spool, id, "task", &b)) {
		close(lock); /* it has ended meanwhile */
		return;
	}
	why = eng_request_read(e->rt, b.p ? b.p : "", b.n, &r);
	vt_buf_free(&b);
	if (why != NULL || strcmp(r.id, id) != 0 || r.method != ENG_HANDLE_TASK) {
		eng_log(ENG_ERROR, NULL, "%s.task in the spool is no task", id);
		free(why);
		eng_request_free(&r);
		eng_spool_end(&e->spool, id, lock, false);
		return;
	}
	t = new_task(e, &r);
	e->counts.resumed++;
	log_begin(t, ", taken up from the spool");
	t->lock = lock;
	go_on_from_place(e, t);
}

/* ---- the worker -------------------------------------------------------------------------- */

static void end(engine *, eng_task *);

static uint64_t
seconds_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec;
}

/*
 * Nobody answered the result when it was sent last.  Before that message has expired, a second one
 * could be taken for the result of the next deployment.
 */
static void
take_handled(engine *e, eng_task *t, vt_value answer)
{
	const eng_about a = eng_about_task(t);
	uint64_t now = seconds_now(), at = t->mark.asked_at;
	vt_value handled = eng_member(answer, "handled");
	t->checking = false;
	if (t->state != ENG_TELLING)
		return;
	if (handled == VT_TRUE) {
		eng_log(ENG_INFO, &a, "murano-api had handled the result");
		end(e, t);
		return;
	}
	t->next_try = vt_clock() + 1;
	t->may_ask = handled == VT_FALSE && (now > at + ENG_CALL_SECONDS || now < at);
}

static bool
write_trust(engine *e, eng_task *t, const char *trust)
{
	char *path;
	bool ok;
	if (strlen(trust) < ENG_TRUST_ROOM) {
		strcpy(t->mark.trust, trust);
		return eng_mark_write(t->lock, &t->mark);
	}
	path = eng_spool_path(&e->spool, t->request.id, "trust");
	ok = vt_replace_file(path, trust, strlen(trust), VT_FILE_PRIVATE | VT_FILE_HASTY);
	free(path);
	return ok;
}

static void
keep_trust(engine *e, eng_task *t, const char *trust)
{
	const eng_about a = eng_about_task(t);
	free(t->trust);
	t->trust = vt_xstrdup(trust);
	if (t->lock >= 0 && !write_trust(e, t, trust))
		eng_log(ENG_WARNING, &a, "the trust %s is not written down", trust);
}

void
eng_task_prepared(engine *e, eng_task *t, vt_value answer)
{
	const char *cls = eng_text(answer, "class"), *module = eng_text(answer, "module");
	const char *message = eng_text(answer, "message");
	vt_value seen;
	if (eng_text(answer, "made")) {
		keep_trust(e, t, eng_text(answer, "made"));
		return;
	}
	if (t->checking) {
		take_handled(e, t, answer);
		return;
	}
	if (t->untrusting) {
		const eng_about a = eng_about_task(t);
		if (cls)
			eng_log(ENG_WARNING, &a, "the trust stays: %s", message ? message : cls);
		t->untrusted = true;
		return;
	}
	vt_clear(&t->prepared);
	t->prepared = vt_copy(answer);
	if (t->state != ENG_PREPARING)
		return;
	if (cls != NULL) {
		eng_task_fail(e, t, cls, module ? module : "builtins", message ? message : "");
		return;
	}
	t->held_from = vt_clock();
	seen = eng_member(answer, "seen");
	t->mark.seen = vt_is_int(seen) ? (uint64_t)vt_toint(seen) : 0;
	(void)eng_mark_write(t->lock, &t->mark);
	t->state = ENG_HOSTING;
	eng_host_want(e, t);
}

static void
put_report(const eng_task *t, const char *text, vt_buf *b)
{
	vt_buf_puts(b, "murano.report_notification");
	vt_buf_putc(b, '\0');
	vt_buf_puts(b, "{\"details\": null, \"level\": \"error\"");
	put_text(b, "id", t->request.environment);
	put_text(b, "text", text);
	put_text(b, "environment_id", t->request.environment);
	vt_buf_puts(b, ", \"timestamp\": \"");
	eng_put_now(b, 'T');
	vt_buf_puts(b, "\"}");
}

/* As it came, with the trust that was made for it. */
static void
put_model(engine *e, const eng_task *t, vt_buf *b)
{
	vt_value model = eng_member(t->request.task, "model");
	vt_dict *d = vt_dict_copy(e->rt, vt_as_dict(model), false), *system;
	if (t->trust != NULL) {
		vt_value old = eng_member(model, "SystemData");
		system = vt_is(old, DICT) ? vt_dict_copy(e->rt, vt_as_dict(old), false)
					  : vt_dict_new(e->rt, false);
		vt_dict_set_c(e->rt, system, "TrustId", vt_str_c(e->rt, t->trust));
		vt_dict_set_c(e->rt, d, "SystemData", vt_mkptr(system));
	}
	vt_json_write(e->rt, b, vt_mkptr(d), 0);
	vt_release(vt_mkptr(d));
}

/* A result that no worker made. It goes the way of the others, over the file. */
void
eng_task_fail(engine *e, eng_task *t, const char *cls, const char *module, const char *message)
{
	const eng_about a = eng_about_task(t);
	vt_buf b = {0};
	eng_log(is_call(t) ? ENG_INFO : ENG_ERROR, &a, "failed: %s: %s", cls, message);
	e->counts.failed[t->request.method]++;
	t->state = ENG_TELLING;
	free(t->result);
	if (is_call(t)) {
		t->result = eng_failure(cls, module, message);
		t->nresult = strlen(t->result);
		t->failed = true;
		return;
	}
	put_report(t, message, &b);
	add_note(t, b.p, b.n);
	b.n = 0;
	vt_buf_puts(&b, "{\"action\": {\"isException\": true, \"result\": {\"details\": \"\"");
	put_text(&b, "message", message);
	vt_buf_puts(&b, "}}, \"model\": ");
	put_model(e, t, &b);
	vt_buf_putc(&b, '}');
	t->result = b.p;
	t->nresult = b.n;
}

static void
log_line(const eng_task *t, const char *s, size_t n)
{
	const eng_about a = eng_about_task(t);
	if (n > 0)
		eng_log(ENG_INFO, &a, "%.*s", (int)n, s);
}

static void
take_output(eng_task *t, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] == '\n' || t->log.n >= LOG_LINE) {
			log_line(t, t->log.p ? t->log.p : "", t->log.n);
			t->log.n = 0;
		} else if (s[i] != '\0') {
			vt_buf_putc(&t->log, s[i]);
		}
}

/* Zero bytes say that there are frames; the rest is what the worker prints. */
void
eng_task_woken(engine *e, eng_task *t)
{
	char s[4096];
	ssize_t n;
	(void)e;
	while ((n = read(t->wake, s, sizeof s)) > 0)
		take_output(t, s, (size_t)n);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		take_output(t, "\n", 1);
		close_fd(&t->wake);
	}
	read_frames(t);
}

static char *
how_it_ended(const eng_task *t, int status)
{
	if (t->ran_out)
		return vt_xstrdup("the task took longer than it may ([vetro] timeout)");
	if (status == -1)
		return vt_xstrdup("no process could be started for the task");
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return vt_xstrdup("the task took more processor time than it may ([vetro] "
				  "processor_seconds)");
	if (WIFSIGNALED(status))
		return vt_asprintf("the process of the task died: %s", strsignal(WTERMSIG(status)));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
		return vt_xstrdup("the task took more memory than it may ([vetro] memory)");
	if (WIFEXITED(status) && WEXITSTATUS(status) == ENG_UNWRITTEN)
		return vt_xstrdup(
			"what the task did cannot be written to [vetro] spool: the log of "
			"the engine says why");
	return vt_asprintf("the process of the task ended with status %d",
		WIFEXITED(status) ? WEXITSTATUS(status) : status);
}

void
eng_task_ended(engine *e, eng_task *t, int status)
{
	const eng_about a = eng_about_task(t);
	char *why;
	if (t->state != ENG_RUNNING)
		return;
	if (t->wake >= 0)
		eng_task_woken(e, t);
	read_frames(t);
	close_fd(&t->wake);
	t->pid = 0;
	if (t->host) {
		t->host->users--;
		t->host->used = vt_clock();
		t->host = NULL;
	}
	if (t->result != NULL) {
		t->state = ENG_TELLING;
		return;
	}
	why = how_it_ended(t, status);
	if (status == ENG_HOST_DIED && t->starts < STARTS) {
		eng_log(ENG_WARNING, &a, "its program is gone: it goes on with a new one");
		eng_task_prepare(e, t);
	} else {
		e->counts.crashed++;
		eng_task_fail(e, t, "Exception", "builtins", why);
	}
	free(why);
}

/* ---- the way back ------------------------------------------------------------------------ */

static bool
send_note(engine *e, eng_note *n)
{
	const char *event = n->text, *payload = event + strlen(event) + 1;
	vt_buf b = {0};
	eng_letter l = {.exchange = eng_conf_text(&e->conf, "DEFAULT", "control_exchange"),
		.key = "murano.info"};
	eng_put_notification(&b, e->notify, event, payload, n->n - (size_t)(payload - event));
	l.text = b.p;
	l.n = b.n;
	n->sent = eng_broker_send(e->broker, &l);
	vt_buf_free(&b);
	e->counts.reports += n->sent != 0;
	return n->sent != 0;
}

/* True: all are confirmed. */
static bool
tell_notes(engine *e, eng_task *t)
{
	bool all = true;
	for (uint32_t i = 0; i < t->nnotes; i++) {
		eng_note *n = &t->notes[i];
		if (e->notify == ENG_NOTIFY_NONE)
			n->confirmed = true;
		if (!n->confirmed && n->sent == 0 && !send_note(e, n))
			return false;
		all &= n->confirmed;
	}
	return all;
}

static void
ask_for_answer(engine *e, eng_task *t)
{
	vt_buf b = {0}, id = {0};
	eng_letter l = {.exchange = "murano", .key = "results", .expiration = "15000"};
	eng_put_hex(&id, 16);
	memcpy(t->msg_id, id.p, sizeof t->msg_id);
	vt_buf_free(&id);
	eng_put_result(&b, t->request.environment, t->result, t->nresult, t->msg_id,
		eng_broker_replies(e->broker));
	l.text = b.p;
	l.n = b.n;
	t->mark.asked++;
	t->mark.asked_at = seconds_now();
	t->may_ask = false;

	e->counts.repeated += t->mark.asked > 1;
	(void)eng_mark_write(t->lock, &t->mark);
	if (eng_broker_send(e->broker, &l) != 0)
		t->asked = vt_clock();
	vt_buf_free(&b);
}

static void
end(engine *e, eng_task *t)
{
	const eng_about a = eng_about_task(t);
	double seconds = vt_clock() - t->arrived;
	e->counts.ended[t->request.method]++;
	e->counts.seconds[t->request.method] += seconds;
	eng_log(ENG_INFO, &a, "%s answered after %.2f s", t->request.name, seconds);
	if (t->lock >= 0) {
		eng_spool_end(&e->spool, t->request.id, t->lock, true);
		t->lock = -1;
	}
	t->state = ENG_ENDED;
}

static void
answered(engine *e, eng_task *t, vt_value message)
{
	const char *failure = eng_text(message, "failure");
	const eng_about a = eng_about_task(t);
	vt_value doc = VT_UNDEF;
	const char *cls = NULL, *why = NULL;
	char *err = NULL;
	t->msg_id[0] = '\0';
	if (failure &&
		vt_json_read(e->rt, failure, strlen(failure), VT_JSON_PYTHON, 100, &doc, &err)) {
		cls = eng_text(doc, "class");
		why = eng_text(doc, "message");
	}
	free(err);
	/* murano-api had handled it, and no session waits any more */
	if (failure == NULL || (cls && strcmp(cls, "AttributeError") == 0 && t->mark.asked > 1)) {
		end(e, t);
	} else {
		t->pause = t->pause > 0 ? t->pause * 2 : 1;
		t->pause = t->pause > LONGEST_PAUSE ? LONGEST_PAUSE : t->pause;
		t->next_try = vt_clock() + t->pause;
		t->asked = 0;
		t->mark.asked_at = 0;
		eng_log(ENG_ERROR, &a,
			"murano-api does not take the result: %s: %s; again in %.0f s",
			cls ? cls : "?", why ? why : "?", t->pause);
	}
	vt_clear(&doc);
}

void
eng_take_reply(void *engine_, const char *body, size_t n)
{
	engine *e = engine_;
	vt_value message = VT_UNDEF;
	const char *id;
	if (!eng_unwrap(e->rt, body, n, &message)) {
		eng_log(ENG_ERROR, NULL, "a reply is no message of oslo.messaging 2.0");
		return;
	}
	id = eng_text(message, "_msg_id");
	for (eng_task *t = e->tasks; t && id; t = t->next)
		if (t->msg_id[0] && strcmp(t->msg_id, id) == 0 &&
			eng_member(message, "ending") == VT_TRUE && t->state == ENG_TELLING) {
			answered(e, t, message);
			break;
		}
	vt_release(message);
}

void
eng_take_confirm(void *engine_, uint64_t number, bool many, bool ok)
{
	engine *e = engine_;
	for (eng_task *t = e->tasks; t; t = t->next) {
		uint64_t told = 0;
		bool changed = false;
		for (uint32_t i = 0; i < t->nnotes; i++) {
			eng_note *n = &t->notes[i];
			if (!n->confirmed && n->sent != 0 &&
				(many ? n->sent <= number : n->sent == number)) {
				n->confirmed = ok;
				n->sent = ok ? n->sent : 0;
				changed = true;
			}
		}
		while (told < t->nnotes && t->notes[told].confirmed)
			told++;
		if (changed && told != t->mark.told) {
			t->mark.told = told;
			(void)eng_mark_write(t->lock, &t->mark);
		}
	}
}

/* What was under way with the connection that is lost is sent again. */
void
eng_tasks_reconnected(engine *e)
{
	for (eng_task *t = e->tasks; t; t = t->next) {
		for (uint32_t i = 0; i < t->nnotes; i++)
			if (!t->notes[i].confirmed)
				t->notes[i].sent = 0;
		t->asked = 0;
		t->tag = 0;
	}
}

static vt_value
trust_of(const eng_task *t)
{
	vt_value trust = t->prepared == VT_UNDEF ? VT_NULL : eng_member(t->prepared, "trust");
	return vt_is(trust, STR)
		       ? trust
		       : eng_member(eng_member(eng_member(t->request.task, "model"), "SystemData"),
				 "TrustId");
}

static void
untrust(engine *e, eng_task *t)
{
	vt_value trust = trust_of(t);
	vt_buf b = {0};
	t->untrusting = true;

	if (!vt_is(trust, STR)) {
		t->untrusted = true;
		return;
	}
	vt_buf_printf(&b, "{\"op\": \"untrust\", \"calls\": true, \"n\": %llu",
		(unsigned long long)t->number);
	put_text(&b, "trust", vt_as_str(trust)->s);
	vt_buf_puts(&b, "}\n");
	eng_courier_send(e, &b);
}

/* The result was sent before, and nobody knows what became of it. */
static void
check(engine *e, eng_task *t)
{
	vt_value trust = trust_of(t);
	vt_buf b = {0};
	if (t->checking)
		return;
	t->checking = true;
	vt_buf_printf(&b, "{\"op\": \"handled\", \"calls\": true, \"n\": %llu, \"seen\": %llu",
		(unsigned long long)t->number, (unsigned long long)t->mark.seen);
	put_text(&b, "environment", t->request.environment);
	put_text(&b, "token", t->request.token);
	put_text(&b, "project", t->request.project);
	put_text(&b, "trust", vt_is(trust, STR) ? vt_as_str(trust)->s : NULL);
	vt_buf_puts(&b, "}\n");
	eng_courier_send(e, &b);
}

static void
tell(engine *e, eng_task *t, double now)
{
	if (is_call(t)) {
		reply(e, &t->request, t->result, t->nresult, t->failed ? t->result : NULL);
		end(e, t);
		return;
	}
	if (eng_task_release(e, t) > now || !eng_broker_up(e->broker) || !tell_notes(e, t))
		return;
	if (t->gone && !t->untrusting && t->mark.asked == 0)
		untrust(e, t);
	if (t->gone && t->untrusting && !t->untrusted)
		return;
	if (t->next_try > now || (t->asked > 0 && t->asked + ENG_CALL_SECONDS > now))
		return;
	if (t->mark.asked > 0 && !t->may_ask)
		check(e, t);
	else
		ask_for_answer(e, t);
}

static void
look_at_time(engine *e, eng_task *t, double now)
{
	double most = is_call(t) ? e->call_seconds : e->task_seconds;
	if (t->state == ENG_RUNNING && most > 0 && t->arrived + most < now && t->pid > 0 &&
		!t->ran_out) {
		t->ran_out = true;
		kill(t->pid, SIGKILL);
	}
	/* the spool answers for it from now on */
	if (t->tag != 0 && t->lock >= 0 && t->delivered + e->consumer_timeout / 2 < now) {
		eng_broker_acknowledge(e->broker, t->epoch, t->tag);
		t->tag = 0;
	}
}

bool
eng_task_go_on(engine *e, eng_task *t)
{
	double now = vt_clock();
	look_at_time(e, t, now);
	switch (t->state) {
	case ENG_LOCKED:
		if (t->next_try <= now)
			claim(e, t);
		break;
	case ENG_RUNNING:
		if (eng_task_release(e, t) <= now && eng_broker_up(e->broker) && !is_call(t))
			(void)tell_notes(e, t);
		break;
	case ENG_TELLING: tell(e, t, now); break;
	case ENG_PREPARING:
	case ENG_HOSTING:
	case ENG_ENDED: break;
	}
	if (t->state != ENG_ENDED)
		return true;
	eng_broker_acknowledge(e->broker, t->epoch, t->tag);
	return false;
}
