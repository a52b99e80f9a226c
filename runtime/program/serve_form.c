/*
 * serve_form.c - the package's own form in `deploy serve`: docs/forms.md.
 *
 *	GET  /               its page
 *	POST /form           {"answers", "environment"?, "upto"?} -> {"forms"} and one of
 *			     "complaints", "model" and "error"
 *	POST /form/run       {"model"} -> {"run": ID}: a dry run in a process of its own
 *	GET  /form/run/ID    {"done", "lines", "answer"?}
 *
 * The form runs in a session of its own, which has the code of its expressions.  A program without
 * a form links nothing of this.
 */
#include "runtime/program/serve.h"
#include "form_page.h"
#include "runtime/call/call.h"
#include "runtime/core/exception.h"
#include "runtime/form/form.h"
#include "runtime/object/object.h"
#include "runtime/program/deploy.h"
#include "runtime/program/program.h"
#include "runtime/task/task.h"
#include "runtime/text/text.h"
#include "runtime/text/workdir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a session for the form ---- */

typedef struct asked {
	vt_rt *rt;
	vt_form_def def;
	const vt_code **codes;
	vt_value body;
} asked;

static void
open_form(asked *q, const vt_form_program *p)
{
	q->rt = vt_rt_new(NULL);
	q->rt->program = p->nexpressions ? p->expressions[0] : NULL;
	free(q->rt->ic);
	q->rt->ic = vt_xzalloc((p->nics + 1) * sizeof *q->rt->ic);
	q->codes = vt_xzalloc((p->nexpressions + 1) * sizeof *q->codes);
	for (uint32_t i = 0; i < p->nexpressions; i++)
		q->codes[i] = p->expressions[i]->query;
	q->def = (vt_form_def){.text = p->text,
		.n = p->n,
		.codes = q->codes,
		.sources = p->sources,
		.ncodes = p->nexpressions};
	q->body = VT_NULL;
}

static void
close_form(asked *q)
{
	vt_release(q->body);
	vt_rt_free(q->rt);
	free(q->codes);
}

static vt_value
member(vt_value dict, const char *name)
{
	vt_value v = vt_is(dict, DICT) ? vt_dict_get_c(vt_as_dict(dict), name) : VT_UNDEF;

	return v == VT_UNDEF ? VT_NULL : v;
}

static bool
read_body(asked *q, const char *text, size_t n, vt_answer *a)
{
	char *why = NULL;

	if (!vt_json_read(q->rt, text, n, VT_JSON_MUTABLE, 200, &q->body, &why)) {
		vt_serve_refuse_as(400, why, a);
		free(why);
		return false;
	}
	if (vt_is(q->body, DICT))
		return true;
	vt_serve_refuse_as(400, "a JSON object is expected", a);
	return false;
}

/* ---- ParametersSource ---- */

static vt_status
call_source(vt_rt *rt, const char *cls, const char *method, vt_value *out)
{
	vt_class *c = vt_class_named(rt, cls);
	vt_value none = vt_mkptr(vt_list_grow(rt, VT_K_TUPLE, 0)), name = vt_str_c(rt, method);
	vt_value raw = VT_UNDEF;
	vt_status st = VT_ERROR;

	if (c != NULL)
		st = vt_invoke_public(rt, c->typeref, vt_as_str(name), none, VT_NULL, &raw);
	if (st == VT_OK)
		st = vt_final(rt, c->decl->unit, raw, out);
	vt_release(raw);
	vt_release(none);
	vt_release(name);
	return st;
}

/* What the method gives, as JSON between two sessions.  false: it failed. */
static bool
ask_program(const vt_server *s, const char *cls, const char *method, vt_buf *json)
{
	vt_rt *rt = s->open(s->arg);
	vt_value v = VT_UNDEF;
	bool good;

	if (rt == NULL)
		return false;
	vt_interrupt_watch(rt);
	good = call_source(rt, cls, method, &v) == VT_OK;
	if (good)
		vt_json_write(rt, json, v, 0);
	else
		vt_exc_clear(rt);
	vt_release(v);
	vt_interrupt_end(rt);
	vt_rt_free(rt);
	return good;
}

static bool
find_parameters(const vt_server *s, asked *q, vt_value *out)
{
	const char *package = s->program->packages[0]->name->s;
	vt_value cls, method;
	vt_buf json = {NULL, 0, 0};
	char *why = NULL;
	bool good;

	*out = VT_NULL;
	if (!vt_form_source(q->rt, &q->def, package, &cls, &method))
		return true;
	good = ask_program(s, vt_as_str(cls)->s, vt_as_str(method)->s, &json);
	good = good && vt_json_read(q->rt, json.p, json.n, VT_JSON_MUTABLE, 0, out, &why);
	free(why);
	vt_release(cls);
	vt_release(method);
	vt_buf_free(&json);
	return good;
}

/* ---- POST /form ---- */

static void
put_exception(vt_rt *rt, vt_buf *b)
{
	vt_value v = vt_exc_take(rt);
	vt_buf text = {NULL, 0, 0};

	vt_exc_str(rt, &text, VT_AS(vt_exc, v));
	vt_buf_puts(b, ",\"error\":{\"type\":");
	vt_json_str(b, vt_exc_shown_type(VT_AS(vt_exc, v)),
		strlen(vt_exc_shown_type(VT_AS(vt_exc, v))));
	vt_buf_puts(b, ",\"message\":");
	vt_json_str(b, text.n ? text.p : "", text.n);
	vt_buf_putc(b, '}');
	vt_buf_free(&text);
	vt_release(v);
}

static void
put_answer(asked *q, vt_form_answer *got, const char *name, vt_buf *b)
{
	switch (got->end) {
	case VT_FORM_DONE:
		vt_buf_printf(b, ",\"%s\":", name);
		vt_json_write(q->rt, b, got->value, 0);
		break;
	case VT_FORM_COMPLAINED:
		vt_buf_puts(b, ",\"complaints\":");
		vt_json_write(q->rt, b, got->value, 0);
		break;
	case VT_FORM_WRONG:
		vt_buf_puts(b, ",\"error\":{\"type\":\"DefinitionError\",\"message\":");
		vt_json_str(b, got->why, strlen(got->why));
		vt_buf_putc(b, '}');
		break;
	case VT_FORM_RAISED: put_exception(q->rt, b); break;
	}
	vt_release(got->value);
	free(got->why);
}

/* Its forms as the answers so far let them be, and what becomes of the answers. */
static void
put_form(asked *q, vt_form_ask *ask, vt_buf *b)
{
	vt_form_answer got = vt_form_describe(q->rt, &q->def, ask);

	vt_buf_printf(b, "{\"named\":%s", vt_form_asks_name(&q->def) ? "true" : "false");
	put_answer(q, &got, "forms", b);
	got = vt_form_model(q->rt, &q->def, ask);
	if (got.end == VT_FORM_DONE && ask->upto == NULL) {
		vt_value whole = vt_form_environment(q->rt, got.value, ask->environment, ask);
		vt_move(&got.value, whole);
	}
	put_answer(q, &got, "model", b);
	vt_buf_puts(b, "}\n");
}

static void
answer_form(const vt_server *s, asked *q, vt_answer *a)
{
	vt_value upto = member(q->body, "upto");
	vt_form_ask ask = {.answers = member(q->body, "answers"),
		.environment = member(q->body, "environment"),
		.package = s->program->packages[0]->name->s,
		.upto = vt_is(upto, STR) ? vt_as_str(upto)->s : NULL};

	if ((ask.answers != VT_NULL && !vt_is(ask.answers, DICT)) ||
		(ask.environment != VT_NULL && !vt_is(ask.environment, DICT))) {
		vt_serve_refuse_as(400, "answers and environment are objects", a);
		return;
	}
	if (!find_parameters(s, q, &ask.parameters)) {
		vt_serve_refuse_as(500, "the method that gives the parameters failed", a);
		return;
	}
	put_form(q, &ask, &a->body);
	vt_release(ask.parameters);
}

/* ---- dry runs ---- */

enum { MOST_RUNS = 4 };

typedef struct dry {
	uint64_t id; /* 0: none */
	pid_t pid;   /* 0: it has ended */
	vt_workdir dir;
} dry;

static dry runs[MOST_RUNS]; /* a process has one server */
static uint64_t last_id;

static void
end_run(dry *d)
{
	if (d->id == 0)
		return;
	if (d->pid > 0) {
		kill(d->pid, SIGKILL);
		while (waitpid(d->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	vt_workdir_remove(&d->dir);
	*d = (dry){.id = 0};
}

static void
stop_runs(void)
{
	for (int i = 0; i < MOST_RUNS; i++)
		end_run(&runs[i]);
}

static void
write_file(const char *path, const vt_buf *b)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	size_t at = 0;
	ssize_t k = 0;

	while (fd >= 0 && at < b->n && (k > 0 || at == 0 || errno == EINTR))
		if ((k = write(fd, b->p + at, b->n - at)) > 0)
			at += (size_t)k;
	if (fd >= 0)
		close(fd);
}

/* In the process of the run: what `run --dry-run` does, its lines into a file. */
static _Noreturn void
run_dry(const vt_deploy *server, const char *dir)
{
	vt_deploy_options o = *server->o;
	vt_deploy c = {.program = server->program, .self = server->self, .o = &o};
	char *model = vt_asprintf("%s/model.json", dir), *lines = vt_asprintf("%s/lines", dir);
	char *out = vt_asprintf("%s/answer.json", dir);
	int fd = open(lines, O_WRONLY | O_CREAT | O_APPEND, 0600);

	if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
		_exit(FAULT);
	for (int i = STDERR_FILENO + 1; i < 1024; i++)
		close(i);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	vt_interrupt_block(false);
	o.model = model;
	o.output = out;
	o.dry_run = o.progress = true;
	o.listen = NULL;
	o.journal = NULL;
	_exit(vt_deploy_run(&c));
}

static dry *
free_run(void)
{
	dry *oldest = &runs[0];

	for (int i = 0; i < MOST_RUNS; i++)
		if (runs[i].id < oldest->id)
			oldest = &runs[i];
	end_run(oldest);
	return oldest;
}

static void
start_run(const vt_server *s, asked *q, vt_answer *a)
{
	vt_value model = member(q->body, "model");
	dry *d = free_run();
	vt_buf text = {NULL, 0, 0};
	char *path;

	if (!vt_is(model, DICT)) {
		vt_serve_refuse_as(400, "model is an object", a);
		return;
	}
	if (!vt_workdir_make(&d->dir)) {
		vt_serve_refuse_as(500, strerror(errno), a);
		return;
	}
	path = vt_asprintf("%s/model.json", d->dir.path);
	vt_json_write(q->rt, &text, model, 0);
	write_file(path, &text);
	vt_buf_free(&text);
	free(path);
	fflush(NULL);
	d->id = ++last_id;
	d->pid = fork();
	if (d->pid == 0)
		run_dry(s->arg, d->dir.path);
	vt_buf_printf(&a->body, "{\"run\":\"%llu\"}\n", (unsigned long long)d->id);
}

static bool
read_file(const char *dir, const char *name, vt_buf *b)
{
	char *path = vt_asprintf("%s/%s", dir, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t k = 1;

	while (fd >= 0 && (k > 0 || (k < 0 && errno == EINTR)))
		if ((k = read(fd, vt_buf_room(b, 65536), 65536)) > 0)
			b->n += (size_t)k;
	if (fd >= 0)
		close(fd);
	free(path);
	vt_buf_puts(b, "");
	return fd >= 0;
}

static void
put_lines(vt_buf *b, vt_buf *lines)
{
	const char *p = lines->p, *nl;
	bool first = true;

	vt_buf_repair(lines);
	p = lines->p;
	vt_buf_puts(b, ",\"lines\":[");
	for (; p != NULL && (nl = strchr(p, '\n')) != NULL; p = nl + 1) {
		vt_buf_puts(b, first ? "" : ",");
		vt_json_str(b, p, (size_t)(nl - p));
		first = false;
	}
	vt_buf_putc(b, ']');
}

static void
show_run(const char *id, vt_answer *a)
{
	vt_buf lines = {NULL, 0, 0}, answer = {NULL, 0, 0};
	dry *d = NULL;
	char *end;
	unsigned long long n = strtoull(id, &end, 10);

	for (int i = 0; i < MOST_RUNS; i++)
		if (n > 0 && *end == '\0' && runs[i].id == n)
			d = &runs[i];
	if (d == NULL) {
		vt_serve_refuse_as(404, "there is no such run; the last four are kept", a);
		return;
	}
	if (d->pid > 0 && waitpid(d->pid, NULL, WNOHANG) == d->pid)
		d->pid = 0;
	vt_buf_printf(&a->body, "{\"done\":%s", d->pid > 0 ? "false" : "true");
	(void)read_file(d->dir.path, "lines", &lines);
	put_lines(&a->body, &lines);
	if (d->pid <= 0 && read_file(d->dir.path, "answer.json", &answer) && answer.n) {
		vt_buf_puts(&a->body, ",\"answer\":");
		vt_buf_put(&a->body, answer.p, answer.n);
	}
	vt_buf_puts(&a->body, "}\n");
	vt_buf_free(&lines);
	vt_buf_free(&answer);
}

/* ---- who answers ---- */

static void
post(const vt_server *s, const vt_http *r, const char *body, vt_answer *a)
{
	asked q;

	if (!r->json) {
		vt_serve_refuse_as(415, "Content-Type: application/json is expected", a);
		return;
	}
	open_form(&q, s->program->form);
	if (read_body(&q, body, r->body, a)) {
		if (r->nsegments == 1)
			answer_form(s, &q, a);
		else
			start_run(s, &q, a);
	}
	close_form(&q);
}

static void
put_page(const vt_http *r, vt_answer *a)
{
	vt_serve_page(r, vt_form_page, sizeof vt_form_page - 1, vt_form_page_policy, a);
}

static bool
answer(const vt_server *s, const vt_http *r, const char *body, vt_answer *a)
{
	bool get = strcmp(r->method, "GET") == 0 || strcmp(r->method, "HEAD") == 0,
	     form = strcmp(r->segment[0], "form") == 0,
	     run = form && r->nsegments >= 2 && strcmp(r->segment[1], "run") == 0;

	if (r->nsegments == 1 && r->segment[0][0] == '\0' && get) {
		put_page(r, a);
		return true;
	}
	if (!form || r->nsegments > 3 || (r->nsegments > 1 && !run))
		return false;
	if (get != (r->nsegments == 3)) {
		vt_serve_refuse(405, a);
		a->allow = r->nsegments == 3 ? "GET, HEAD" : "POST";
	} else if (get) {
		show_run(r->segment[2], a);
	} else {
		post(s, r, body, a);
	}
	return true;
}

const struct vt_form_serving vt_form_serving = {answer, stop_runs};
