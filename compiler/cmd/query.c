/*
 * query.c - `vetro query`: YAQL over JSON and YAML documents; the command and its options.
 *
 * An expression goes the way of every other one: parse, lower, emit, then libtcc in memory or cc.
 * query/code.c has that, query/input.c the documents, query/run.c the session, query/batch.c
 * --batch.
 */
#include "compiler/cmd/query_int.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/core/diag.h"
#include "runtime/core/session.h"
#include "runtime/text/limit.h"
#include "runtime/text/outfile.h"
#include "runtime/text/text.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the command line ---- */

/* How results are written: QR_*. */
static int
form_of(const cmd_options *o)
{
	int json = vt_json_layout(o->compact || o->csv || o->tsv, o->tab, o->indent) |
		   (o->ascii ? VT_JSON_ASCII : 0) | (o->sort_keys ? VT_JSON_SORT : 0);
	bool colour = o->colour_output || (!o->no_colour && vt_wants_colour(stdout));

	return (o->raw || o->join ? QR_RAW : 0) | (o->yaml ? QR_YAML : 0) |
	       (o->each ? QR_EACH : 0) | (o->csv ? QR_CSV : 0) | (o->tsv ? QR_TSV : 0) |
	       (o->non_finite == 1 ? QR_NULLS : 0) | (o->fold ? QR_FOLD : 0) |
	       (colour && !o->replaced.n && !o->emit_c ? QR_COLOUR : 0) | QR_FLAGS * json;
}

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
		.interactive = o->interactive,
		.no_input = o->no_input,
		.slurp = o->slurp,
		.keep_going = o->keep_going,
		.lua_unsafe = o->lua_unsafe,
		.emit = o->emit_c ? EMIT_C : (enum emit_form)o->stage,
		.jit = (enum vc_jit)o->jit,
		.passes_off = o->passes_off,
		.form = form_of(o),
		.stream = o->events,
		.seq = o->seq,
		.join = o->join,
		.unbuffered = o->unbuffered,
		.exit_status = o->exit_status,
		.kind = o->raw_input ? QUERY_TEXT : (enum query_kind)(o->input_kind + 1),
		.fold = o->fold,
		.in_place = o->replaced,
		.timeout = o->timeout,
		.memory = o->memory,
		.document = o->max_document,
		.lua_steps = o->lua_steps,
		.lua_memory = o->lua_memory};

	if (!a.batch && !a.interactive && !a.from_file) { /* the first word is the expression */
		a.expr = *a.files.v++;
		a.nexpr = strlen(a.expr);
		a.files.n--;
	}
	/* the words behind the first of --args and --jsonargs are none of files */
	a.marks = o->positional;
	if (a.marks.n) {
		uint32_t first = a.marks.v[0].words,
			 begin = (uint32_t)(a.files.v - o->line.words.v);
		uint32_t keep = first > begin ? first - begin : 0;
		a.positional = (vt_cli_list){a.files.v + keep, a.files.n - keep};
		a.first_positional = begin + keep;
		a.files.n = keep;
	}
	return a;
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
		st = query_print_error(a, NULL, &e, NULL);
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
	if (st == VC_OK)
		st = query_set_vars(a, q);
	if (st == VC_OK && !query_load_lua(q, a, &e))
		st = query_print_error(a, NULL, &e, NULL);
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
	bool convert; /* the options let input be converted */
	bool truth;   /* the last result is neither null nor false */
	bool missing; /* a file was not there */
	vt_buf *into; /* results go here instead of standard output: -i; or NULL */
	/* The handler of the timer leaves a result alone that is being put. */
	volatile sig_atomic_t putting, over;
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

	if (r->into)
		vt_buf_put(r->into, r->out, r->n);
	else if (r->n > 0 && !r->failed)
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
	} else if (r->into)
		vt_buf_put(r->into, p, n);
	else if (!r->failed)
		r->failed = write_all(STDOUT_FILENO, p, n);
}

static void
end_of_time(run *r)
{
	if (r->into == NULL)
		write_all(STDOUT_FILENO, r->out, r->n);
	write_all(STDERR_FILENO, r->late.p, r->late.n);
	_exit(VT_LIMIT_TIME);
}

/* Only what is safe in a signal handler. Nothing but put_result() touches the run while the timer
 * is set. */
static void
out_of_time(int sig, siginfo_t *info, void *context)
{
	run *r = info->si_value.sival_ptr;

	(void)sig;
	(void)context;
	if (!r->putting)
		end_of_time(r);
	r->over = 1;
}

static bool
put_result(void *ctx, const char *text, size_t n, bool truth)
{
	run *r = ctx;
	bool lines = r->a->form & (QR_YAML | QR_CSV | QR_TSV);

	r->putting = 1;
	if (r->a->seq)
		put(r, "\x1e", 1);
	if (r->a->form & QR_YAML && r->nresults)
		put(r, "---\n", 4);
	put(r, text, n);
	if (!r->a->join && (!lines || n == 0 || text[n - 1] != '\n'))
		put(r, "\n", 1);
	r->nresults++;
	r->truth = truth;
	if (r->a->unbuffered)
		flush(r);
	r->putting = 0;
	if (r->over)
		end_of_time(r);
	return !r->failed;
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

static void
report_failure(run *r, qr_error *e)
{
	vt_remark note = document_note(r);

	flush(r);
	if (r->in && query_input_is_broken(r->in))
		r->st = VC_EINPUT; /* it was said: inputs() met the document */
	else
		r->st = query_print_error(r->a, r->q, e, note.text ? &note : NULL);
	free_note(note);
	qr_error_free(e);
}

/* Once, over the document that the session holds. */
static void
evaluate(run *r)
{
	qr_error e = {.type = NULL};
	bool ok;

	set_timer(r, r->a->timeout);
	ok = query_code_results(r->code, r->q, r->a->form, put_result, r, &e);
	set_timer(r, 0);
	if (!ok)
		report_failure(r, &e);
}

/* ---- documents ---- */

static bool
read_next(void *ctx)
{
	run *r = ctx;

	return query_input_next(r->in) == QUERY_DOC;
}

/* inputs() reads on. */
static vt_status
next_document(vt_rt *rt, void *ctx, vt_value *out)
{
	run *r = ctx;

	if (!qr_read_aside(r->q, read_next, r, out))
		return vt_raise(rt, VT_E_VALUE, "the value of a document cannot be converted");
	if (*out == VT_UNDEF && query_input_is_broken(r->in))
		return vt_raise(rt, VT_E_VALUE, "a document cannot be read");
	return VT_OK;
}

static void
document_place(void *ctx, const char **file, unsigned long *line)
{
	run *r = ctx;
	query_place p = query_input_place(r->in);

	*file = p.ordinal ? p.file : NULL;
	*line = p.line;
}

static const struct vt_documents documents = {next_document, document_place};

/* Without any document $ is null. */
static void
run_documents(run *r)
{
	enum query_got got = QUERY_END;
	bool any = false;

	while ((r->st == VC_OK || r->a->keep_going) && !r->failed &&
		!query_input_is_broken(r->in) && (got = query_input_next(r->in)) == QUERY_DOC) {
		any = true;
		if (r->a->slurp)
			qr_collect(r->q);
		else
			evaluate(r);
	}
	if (query_input_is_broken(r->in)) {
		flush(r);
		r->st = VC_EINPUT;
	} else if (got == QUERY_END && (r->a->slurp || !(any || query_input_missing(r->in)))) {
		if (r->a->slurp)
			qr_collected(r->q, r->a->kind == QUERY_TEXT);
		evaluate(r);
	}
}

static void
run_compiled(run *r, const char *const *files, uint32_t nfiles)
{
	qr_error e = {.type = NULL};
	bool none = r->a->no_input || (nfiles == 0 && isatty(STDIN_FILENO));

	r->in = query_input_new(r->a, files, nfiles, r->q, r->convert, flush, r);
	qr_documents(r->q, &documents, r);
	if (none)
		evaluate(r);
	else
		run_documents(r);
	if (r->st == VC_OK && r->a->fold && !qr_folded(r->q, r->a->form, put_result, r, &e))
		report_failure(r, &e);
	r->missing |= query_input_missing(r->in);
	qr_documents(r->q, NULL, NULL);
	query_input_free(r->in);
	r->in = NULL;
	flush(r);
	if (r->failed) {
		vt_say("vetro query: standard output: %s\n", strerror(r->failed));
		r->st = VC_EINPUT;
	}
}

/* The results of each file in its place, unless an evaluation failed. */
static void
run_in_place(run *r)
{
	for (uint32_t i = 0; i < r->a->in_place.n && r->st == VC_OK; i++) {
		const char *name = r->a->in_place.v[i];
		query_args own = *r->a;
		const query_args *whole = r->a;
		vt_buf into = {NULL, 0, 0};
		if (vt_ends_with(name, ".yaml") || vt_ends_with(name, ".yml") ||
			own.kind == QUERY_YAML)
			own.form |= QR_YAML;
		r->a = &own;
		r->into = &into;
		r->nresults = 0;
		run_compiled(r, &name, 1);
		if (r->st == VC_OK && !r->missing && !vt_replace_file(name, into.p, into.n, 0)) {
			vt_say("vetro query: %s: %s\n", name, strerror(errno));
			r->st = VC_EINPUT;
		}
		vt_buf_free(&into);
		r->into = NULL;
		r->a = whole;
	}
}

/* What -e says of the results; a file that was missing comes first, as in jq. */
static int
final_status(const run *r)
{
	enum { NO_FILE = 2, NO_RESULT = 4 };

	if (r->st != VC_OK)
		return r->st;
	if (r->missing)
		return NO_FILE;
	if (!r->a->exit_status)
		return VC_OK;
	return r->nresults == 0 ? NO_RESULT : r->truth ? VC_OK : 1;
}

int
query_run(const query_args *a)
{
	qr_request request = {.expr = a->expr,
		.n = a->nexpr,
		.legacy = a->legacy,
		.delegates = a->delegates,
		.layers = qr_layers(a->legacy, a->delegates) | VT_L_QUERY,
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
		query_jq_warn(a);
		r->code = query_code_new(&request, &e);
		set_timer(r, 0);
		r->convert = request.opt.convert_input;
		if (r->code && a->in_place.n)
			run_in_place(r);
		else if (r->code)
			run_compiled(r, a->files.v, a->files.n);
		else
			r->st = query_print_error(a, NULL, &e, NULL);
		qr_error_free(&e);
	}
	st = final_status(r);
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
		st = query_run(a);
	} else
		vc_print_diags(c, VC_TEXT, stderr);
	vc_free(c);
	return st;
}

static int
run_plain(query_args *a)
{
	return a->interactive ? query_prompt(a) : a->from_file ? run_file(a) : query_run(a);
}

int
cmd_query(cmd_options *o)
{
	query_args a = args_of(o);

	if (a.in_place.n && a.files.n)
		return vt_cli_usage(&o->line, "-i replaces what it reads, and %s is given besides",
			a.files.v[0]);
	return a.batch        ? query_batch(&a)
	       : a.memory > 0 ? query_within_memory(&a, run_plain)
			      : run_plain(&a);
}
