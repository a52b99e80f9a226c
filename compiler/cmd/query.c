/*
 * query.c - `vetro query`: YAQL over JSON and YAML documents; the command and its options.
 *
 * An expression goes the way of every other one: parse, lower, emit, then libtcc in memory or cc.
 * query/code.c has that, query/input.c the documents, query/run.c the session, query/batch.c
 * --batch.
 */
#include "compiler/cmd/cmd.h"
#include "compiler/query/int.h"
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/core/diag.h"
#include "runtime/text/limit.h"
#include "runtime/text/report.h"
#include "runtime/text/text.h"
#include "compiler/check/check.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the command line ---- */

static query_args
args_of(const cmd_options *o)
{
	query_args a = {.line = &o->line,
		.options = o->options,
		.from_file = o->from_file,
		.files = o->line.words,
		.lua = o->lua,
		.vars = o->vars,
		.legacy = o->legacy,
		.delegates = o->delegates,
		.murano = o->murano,
		.batch = o->batch,
		.no_input = o->no_input,
		.slurp = o->slurp,
		.keep_going = o->keep_going,
		.lua_unsafe = o->lua_unsafe,
		.emit = o->emit_c ? EMIT_C : (enum emit_form)o->stage,
		.jit = (enum vc_jit)o->jit,
		.passes_off = o->passes_off,
		.form = (o->raw ? QR_RAW : 0) | (o->yaml ? QR_YAML : 0) |
			QR_FLAGS * vt_json_layout(o->compact, o->tab, o->indent),
		.timeout = o->timeout,
		.memory = o->memory,
		.document = o->max_document,
		.lua_steps = o->lua_steps,
		.lua_memory = o->lua_memory};

	if (!a.batch && !a.from_file) { /* the first word is the expression */
		a.expr = *a.files.v++;
		a.nexpr = strlen(a.expr);
		a.files.n--;
	}
	return a;
}

/* ---- errors ---- */

/* The byte at a place of the expression, which is counted in code points. */
static uint32_t
offset_of(const query_args *a, uint32_t line, uint32_t col)
{
	size_t i = 0;

	for (; line > 1 && i < a->nexpr; i++)
		line -= a->expr[i] == '\n' || (a->expr[i] == '\r' && a->expr[i + 1] != '\n');
	for (; col > 1 && i < a->nexpr; col--)
		do
			i++;
		while (i < a->nexpr && ((unsigned char)a->expr[i] & 0xc0) == 0x80);
	return (uint32_t)i;
}

/* What other languages write, where YAQL stumbles over it. */
static const char *
syntax_hint(const char *expr, uint32_t at)
{
	static const struct {
		const char *text, *hint;
	} foreign[] = {{"==", "equality is ="}, {"&&", "it is the word and"},
		{"||", "it is the word or"}, {"<>", "inequality is !="},
		{"!", "it is the word not"}, {"%", "the remainder is mod"}};

	if (at && (strncmp(expr + at - 1, "==", 2) == 0 || strncmp(expr + at - 1, "<>", 2) == 0))
		at--;
	for (size_t i = 0; i < VC_LEN(foreign); i++)
		if (strncmp(expr + at, foreign[i].text, strlen(foreign[i].text)) == 0)
			return foreign[i].hint;
	if ((expr[at] == '\'' || expr[at] == '"' || expr[at] == '`') &&
		strchr(expr + at + 1, expr[at]) == NULL)
		return "the quote is not closed";
	return NULL;
}

/* The name that stands there is unknown as what it is called as. */
static const char *
name_hint(vc *c, const query_args *a, uint32_t at, bool method)
{
	const char *p = a->expr + at, *near;
	size_t n = 0;
	uint32_t layers = qr_layers(a->legacy, a->delegates), rows = 0;
	const vt_fnrow *row;

	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	p = vc_strndup(c, p, n);
	row = n ? vt_fn_find(p, &rows) : NULL;
	for (uint32_t i = 0; row && i < rows; i++)
		if (row[i].layer & layers &&
			row[i].flags & (method ? VT_FN_FUNCTION : VT_FN_METHOD))
			return vc_format(c,
				method ? "it is a function: %s(...)"
				       : "it is called on a value: x.%s(...)",
				p);
	near = n ? vc_nearest_function(p, layers, method ? VT_FN_METHOD : VT_FN_FUNCTION) : NULL;
	return near ? vc_format(c, "did you mean %s?", near) : NULL;
}

static const char *
error_hint(vc *c, const query_args *a, const qr_error *e, uint32_t at)
{
	if (a->expr == NULL || !e->line || at >= a->nexpr)
		return NULL;
	if (strcmp(e->type, "YaqlGrammarException") == 0 ||
		strcmp(e->type, "YaqlLexicalException") == 0)
		return syntax_hint(a->expr, at);
	if (strcmp(e->type, "NoMethodRegisteredException") == 0)
		return name_hint(c, a, at, true);
	return strcmp(e->type, "NoFunctionRegisteredException") == 0 ? name_hint(c, a, at, false)
								     : NULL;
}

static vt_place
expression_place(const query_args *a, const qr_error *e)
{
	vt_place p = {.file = a->from_file ? a->from_file : "<expression>"};

	if (!e->line)
		return (vt_place){0};
	p.line = p.end_line = e->line;
	p.col = p.end_col = e->col;
	p.text = a->expr;
	p.n = a->nexpr;
	p.from = p.to = offset_of(a, e->line, e->col);
	return p;
}

/* note: the document that was worked on; or NULL. */
static int
print_error(const query_args *a, const qr_error *e, const vt_remark *note)
{
	vc *c = vc_new();
	char *message = vt_asprintf("%s%s%s", e->type, *e->message ? ": " : "", e->message);
	vt_report r = {.code = vt_diag_name((enum vt_diag)e->code),
		.self = "vetro query",
		.at = expression_place(a, e),
		.message = message,
		.notes = note,
		.nnotes = note != NULL};

	r.hint = error_hint(c, a, e, (uint32_t)r.at.from);
	vt_report_print(&r, stderr);
	free(message);
	vc_free(c);
	return strcmp(e->type, "CompilerError") ? VC_EINPUT : VC_ECC;
}

/* ---- forms of an expression ---- */

static int
print_form(const query_args *a, const qr_request *r)
{
	vt_buf b = {NULL, 0, 0};
	qr_error e = {.type = NULL};
	vc *c = vc_new();
	int st = VC_OK;

	if (query_emit(c, a, r, &b, &e))
		fwrite(b.p, 1, b.n, stdout);
	else
		st = print_error(a, &e, NULL);
	qr_error_free(&e);
	vt_buf_free(&b);
	vc_free(c);
	return st;
}

/* ---- sessions ---- */

static int
prepare(const query_args *a, qr *q, qr_request *r)
{
	qr_error e = {.type = NULL};
	int st = VC_OK;

	if (a->options && !qr_read_options(q, a->options, strlen(a->options), &r->opt, &e))
		st = vt_cli_usage(a->line, "--options: %s", e.message);
	for (uint32_t i = 0; i < a->vars.n && st == VC_OK; i++) {
		const vt_cli_use *u = &a->vars.v[i];
		if (!qr_var(q, u->text, u->more, !strcmp(u->option->names, "--argjson"), &e))
			st = vt_cli_usage(
				a->line, "%s %s: %s", u->option->names, u->text, e.message);
	}
	if (st == VC_OK && !query_load_lua(q, a, &e))
		st = print_error(a, &e, NULL);
	qr_error_free(&e);
	if (a->legacy)
		qr_force_legacy(&r->opt);
	return st;
}

/* ---- the run ---- */

enum { OUTPUT = 1 << 16 };

/* Results go out when the buffer is full and before input is waited for, so that each answer of a
 * slow stream is seen at once. The signal handler reads this between two writes of it. */
typedef struct run {
	const query_args *a;
	qr *q;
	query_code *code;
	query_input *in;
	timer_t timer;
	int st;
	int failed; /* errno of a write */
	uint32_t nresults;
	size_t n;
	char out[OUTPUT];
	vt_buf late; /* what to say when the time is over */
} run;

static int
write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t k = write(fd, p, n);
		if (k < 0 && errno != EINTR)
			return errno;
		if (k > 0)
			p += k, n -= (size_t)k;
	}
	return 0;
}

static void
flush(void *ctx)
{
	run *r = ctx;

	if (r->n > 0 && !r->failed)
		r->failed = write_all(STDOUT_FILENO, r->out, r->n);
	r->n = 0;
}

static void
put(run *r, const char *p, size_t n)
{
	if (n > OUTPUT - r->n)
		flush(r);
	if (n <= OUTPUT) {
		memcpy(r->out + r->n, p, n);
		r->n += n;
	} else if (!r->failed)
		r->failed = write_all(STDOUT_FILENO, p, n);
}

/* Only what is safe in a signal handler. Nothing else touches the run while the timer is set. */
static void
out_of_time(int sig, siginfo_t *info, void *context)
{
	run *r = info->si_value.sival_ptr;

	(void)sig;
	(void)context;
	write_all(STDOUT_FILENO, r->out, r->n);
	write_all(STDERR_FILENO, r->late.p, r->late.n);
	_exit(VT_LIMIT_TIME);
}

/* Which document of several it is; the text is NULL when there is one only. */
static vt_remark
document_note(const run *r)
{
	query_place p;

	if (r->in == NULL)
		return (vt_remark){.text = NULL};
	p = query_input_place(r->in);
	if (!p.ordinal || (p.alone && r->nresults == 0))
		return (vt_remark){.text = NULL};
	return (vt_remark){{.file = p.file, .line = (uint32_t)p.line, .col = (uint32_t)p.col},
		vt_asprintf("in document %lu", p.ordinal)};
}

static void
free_note(vt_remark note)
{
	free((char *)(uintptr_t)note.text);
}

static void
make_timer(run *r)
{
	struct sigaction act = {.sa_sigaction = out_of_time, .sa_flags = SA_SIGINFO};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGVTALRM};

	event.sigev_value.sival_ptr = r;
	sigaction(SIGVTALRM, &act, NULL); /* SIGALRM is VETRO_TIMEOUT's */
	if (timer_create(CLOCK_MONOTONIC, &event, &r->timer) != 0)
		fputs("vetro query: the system gives no timer; there is no --timeout\n", stderr);
}

static void
prepare_late(run *r)
{
	vt_remark note = document_note(r);
	vt_report late = {.code = vt_diag_name(VT_E4301),
		.self = "vetro query",
		.message = "the expression took longer than --timeout allows",
		.notes = &note,
		.nnotes = note.text != NULL};

	r->late.n = 0;
	vt_report_text(&r->late, &late, vt_wants_colour(stderr));
	free_note(note);
}

/* seconds 0 stops the timer. */
static void
set_timer(run *r, double seconds)
{
	struct itimerspec when = {
		.it_value = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)}};

	if (r->a->timeout <= 0)
		return;
	if (seconds > 0)
		prepare_late(r);
	timer_settime(r->timer, 0, &when, NULL);
}

/* Once, over the document that the session holds. */
static void
evaluate(run *r)
{
	qr_error e = {.type = NULL};
	vt_remark note;
	size_t n = 0;
	char *text;

	set_timer(r, r->a->timeout);
	text = query_code_run(r->code, r->q, r->a->form, &n, &e);
	set_timer(r, 0);
	if (text) {
		if (r->a->form & QR_YAML && r->nresults)
			put(r, "---\n", 4);
		put(r, text, n);
		if (n == 0 || text[n - 1] != '\n' || r->a->form & QR_RAW)
			put(r, "\n", 1);
		r->nresults++;
		free(text);
		return;
	}
	flush(r);
	note = document_note(r);
	r->st = print_error(r->a, &e, note.text ? &note : NULL);
	free_note(note);
	qr_error_free(&e);
}

/* Without any document $ is null. */
static void
run_documents(run *r, bool convert)
{
	enum query_got got = QUERY_END;
	bool any = false;

	r->in = query_input_new(r->a, r->q, convert, flush, r);
	while ((r->st == VC_OK || r->a->keep_going) && !r->failed && r->in &&
		(got = query_input_next(r->in)) == QUERY_DOC) {
		any = true;
		if (r->a->slurp)
			qr_collect(r->q);
		else
			evaluate(r);
	}
	if (got == QUERY_BROKEN) {
		flush(r);
		r->st = VC_EINPUT;
	} else if (got == QUERY_END && (r->a->slurp || !any)) {
		query_input_free(r->in);
		r->in = NULL;
		if (r->a->slurp)
			qr_collected(r->q);
		evaluate(r);
	}
	query_input_free(r->in);
	r->in = NULL;
}

static void
run_compiled(run *r, bool convert)
{
	if (r->a->no_input || (r->a->files.n == 0 && isatty(STDIN_FILENO)))
		evaluate(r);
	else
		run_documents(r, convert);
	flush(r);
	if (r->failed) {
		vt_say("vetro query: standard output: %s\n", strerror(r->failed));
		r->st = VC_EINPUT;
	}
}

static int
run_query(const query_args *a)
{
	qr_request request = {.expr = a->expr,
		.n = a->nexpr,
		.legacy = a->legacy,
		.delegates = a->delegates,
		.layers = qr_layers(a->legacy, a->delegates),
		.opt = qr_default_options,
		.jit = a->jit,
		.passes_off = a->passes_off};
	qr_error e = {.type = NULL};
	run *r = calloc(1, sizeof *r);
	int st;

	if (r == NULL)
		vt_no_memory();
	r->a = a;
	r->q = qr_open();
	r->st = prepare(a, r->q, &request);
	if (r->st == VC_OK && a->emit != EMIT_NONE) {
		r->st = print_form(a, &request);
	} else if (r->st == VC_OK) {
		if (a->timeout > 0)
			make_timer(r);
		set_timer(r, a->timeout);
		r->code = query_code_new(&request, &e);
		set_timer(r, 0);
		if (r->code)
			run_compiled(r, request.opt.convert_input);
		else
			r->st = print_error(a, &e, NULL);
		qr_error_free(&e);
	}
	st = r->st;
	qr_close(r->q); /* before the code goes that its values may point into */
	query_code_free(r->code);
	vt_buf_free(&r->late);
	free(r);
	return st;
}

/* ---- the command ---- */

/* The expression's file. Its last newline belongs to the file. */
static int
run_file(query_args *a)
{
	vc *c = vc_new();
	vc_source *src = vc_source_read(c, a->from_file);
	int st = VC_EINPUT;

	if (src) {
		a->expr = src->text;
		a->nexpr = src->n;
		if (a->nexpr >= 3 && !memcmp(a->expr, "\xef\xbb\xbf", 3))
			a->expr += 3, a->nexpr -= 3;
		while (a->nexpr && (a->expr[a->nexpr - 1] == '\n' || a->expr[a->nexpr - 1] == '\r'))
			a->nexpr--;
		a->expr = vc_strndup(c, a->expr, a->nexpr);
		st = run_query(a);
	} else
		vc_print_diags(c, VC_TEXT, stderr);
	vc_free(c);
	return st;
}

static int
run_plain(query_args *a)
{
	return a->from_file ? run_file(a) : run_query(a);
}

int
cmd_query(cmd_options *o)
{
	query_args a = args_of(o);

	if (a.no_input && a.files.n)
		return vt_cli_usage(&o->line, "-n reads no document: %s", a.files.v[0]);
	return a.batch        ? query_batch(&a)
	       : a.memory > 0 ? query_within_memory(&a, run_plain)
			      : run_plain(&a);
}
