/*
 * query.c - `vetro query`: YAQL over JSON and YAML documents; the command and its options.
 *
 * An expression goes the way of every other one: parse, lower, emit, then libtcc in memory or cc.
 * query/code.c has that, query/input.c the documents, query/run.c the session, query/batch.c
 * --batch, templates/query.txt the help.
 */
#include "compiler/cmd/cmd.h"
#include "compiler/query/int.h"
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/value.h"
#include "runtime/core/diag.h"
#include "runtime/text/report.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the command line ---- */

static int
bad_usage(const char *message, const char *what)
{
	vc_say("vetro query: %s%s%s\n", message, what ? ": " : "", what ? what : "");
	fputs("hint: see 'vetro help query'\n", stderr);
	return VC_EUSAGE;
}

/* A single letter may as well begin an expression: -$.a */
static int
unknown_option(const char *arg)
{
	int rc = cmd_unknown_option("query", arg);

	if (arg[1] != '-')
		fputs("hint: an expression that starts with - goes behind --\n", stderr);
	return rc;
}

static bool
set_emit(query_args *a, const char *v)
{
	static const char *const names[] = {
		[EMIT_TOKENS] = "tokens",
		[EMIT_AST] = "ast",
		[EMIT_IR] = "ir",
		[EMIT_C] = "c",
	};

	for (size_t i = EMIT_TOKENS; i < VC_LEN(names); i++)
		if (!strcmp(v, names[i]))
			a->emit = (enum emit_form)i;
	return a->emit != EMIT_NONE;
}

static bool
set_number(double *to, const char *v)
{
	char *end;

	*to = strtod(v, &end);
	return end != v && !*end && *to > 0 && *to < 1e6;
}

static bool
set_count(uint64_t *to, const char *v)
{
	char *end;

	errno = 0;
	*to = strtoull(v, &end, 10);
	return *v >= '0' && *v <= '9' && !*end && errno == 0 && *to > 0;
}

/* A letter may stand among others: -rc. */
static const struct flag {
	char letter;
	const char *name;
	size_t at;
	int form; /* QR_*, or 0: the flag is a bool */
} flags[] = {
	{'n', "--null-input", offsetof(query_args, no_input), 0},
	{'s', "--slurp", offsetof(query_args, slurp), 0},
	{'k', "--keep-going", offsetof(query_args, keep_going), 0},
	{'r', "--raw-output", 0, QR_RAW},
	{'c', "--compact-output", 0, QR_COMPACT},
	{'y', "--yaml", 0, QR_YAML},
	{0, "--legacy", offsetof(query_args, legacy), 0},
	{0, "--delegates", offsetof(query_args, delegates), 0},
	{0, "--murano", offsetof(query_args, murano), 0},
	{0, "--batch", offsetof(query_args, batch), 0},
	{0, "--lua-unsafe", offsetof(query_args, lua_unsafe), 0},
};

static void
set_flag(query_args *a, const struct flag *f)
{
	if (f->form)
		a->form |= f->form;
	else
		*(bool *)((char *)a + f->at) = true;
}

static const struct flag *
find_letter(char c)
{
	for (size_t i = 0; i < VC_LEN(flags); i++)
		if (flags[i].letter && flags[i].letter == c)
			return &flags[i];
	return NULL;
}

static bool
set_flags(query_args *a, const char *v)
{
	if (!strcmp(v, "--emit-c")) {
		a->emit = EMIT_C;
		return true;
	}
	for (size_t i = 0; i < VC_LEN(flags); i++)
		if (!strcmp(v, flags[i].name)) {
			set_flag(a, &flags[i]);
			return true;
		}
	if (v[1] == '-')
		return false;
	for (const char *p = v + 1; *p; p++)
		if (!find_letter(*p))
			return false;
	for (const char *p = v + 1; *p; p++)
		set_flag(a, find_letter(*p));
	return true;
}

/* --arg NAME VALUE */
static int
set_var(query_args *a, int argc, char **argv, int *i, bool json)
{
	if (*i + 2 >= argc)
		return bad_usage("a name and a value belong to option", argv[*i]);
	a->vars[a->nvars++] = (query_var){argv[*i + 1], argv[*i + 2], json};
	*i += 2;
	return VC_OK;
}

static int
parse_option(query_args *a, int argc, char **argv, int *i)
{
	bool missing = false;
	const char *v, *arg = argv[*i];

	if (!strcmp(arg, "--arg") || !strcmp(arg, "--argjson"))
		return set_var(a, argc, argv, i, arg[5] != '\0');
	if ((v = cmd_option_value("--options", argc, argv, i, &missing)))
		a->options = v;
	else if ((v = cmd_option_value("--lua", argc, argv, i, &missing)))
		a->lua[a->nlua++] = v;
	else if ((v = cmd_option_value("--from-file", argc, argv, i, &missing)) ||
		 (v = cmd_option_value("-f", argc, argv, i, &missing)))
		a->from_file = v;
	else if ((v = cmd_option_value("--emit", argc, argv, i, &missing))) {
		if (!set_emit(a, v))
			return bad_usage("--emit wants tokens, ast, ir or c", v);
	} else if ((v = cmd_option_value("--jit", argc, argv, i, &missing))) {
		if (!cmd_jit(v, &a->jit))
			return bad_usage("--jit wants auto, memory or cc", v);
	} else if ((v = cmd_option_value("--timeout", argc, argv, i, &missing))) {
		if (!set_number(&a->timeout, v))
			return bad_usage("--timeout wants seconds", v);
	} else if ((v = cmd_option_value("--memory", argc, argv, i, &missing))) {
		if (!set_number(&a->memory, v))
			return bad_usage("--memory wants MiB", v);
	} else if ((v = cmd_option_value("--max-document", argc, argv, i, &missing))) {
		if (!set_number(&a->document, v))
			return bad_usage("--max-document wants MiB", v);
	} else if ((v = cmd_option_value("--lua-steps", argc, argv, i, &missing))) {
		if (!set_count(&a->lua_steps, v))
			return bad_usage("--lua-steps wants a number", v);
	} else if ((v = cmd_option_value("--lua-memory", argc, argv, i, &missing))) {
		if (!set_count(&a->lua_memory, v))
			return bad_usage("--lua-memory wants bytes", v);
	} else if (missing) {
		return cmd_usage("query", "a value is missing after", arg);
	} else if (vc_pass_option(arg, &a->passes_off)) {
		return VC_OK;
	} else if (!set_flags(a, arg)) {
		return unknown_option(arg);
	}
	return VC_OK;
}

/* What stands alone is the expression, unless that is in a file; then documents. */
static int
take_positionals(query_args *a)
{
	if (a->batch && (a->nfiles || a->from_file))
		return bad_usage(
			"--batch takes no expression", a->nfiles ? a->files[0] : a->from_file);
	if (!a->batch && !a->from_file) {
		if (!a->nfiles)
			return bad_usage("no expression", NULL);
		a->expr = a->files[0];
		a->nexpr = strlen(a->expr);
		a->files++;
		a->nfiles--;
	}
	if (a->no_input && a->nfiles)
		return bad_usage("-n reads no document", a->files[0]);
	return VC_OK;
}

static int
parse_args(query_args *a, int argc, char **argv)
{
	bool rest = false;
	int st = VC_OK;

	for (int i = 1; i < argc && st == VC_OK; i++) {
		if (!rest && !strcmp(argv[i], "--"))
			rest = true;
		else if (rest || argv[i][0] != '-' || !argv[i][1])
			a->files[a->nfiles++] = argv[i];
		else
			st = parse_option(a, argc, argv, &i);
	}
	return st == VC_OK ? take_positionals(a) : st;
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

bool
query_load_lua(qr *q, const query_args *a, qr_error *e)
{
	qr_lua_limits(q, a->lua_steps, a->lua_memory, a->lua_unsafe);
	for (uint32_t i = 0; i < a->nlua; i++) {
		vc *c = vc_new();
		vc_source *src = vc_source_read(c, a->lua[i]);
		bool ok = src && qr_lua(q, src->text, src->n, src->name, e);
		if (!src)
			qr_error_set(
				e, "LuaError", 0, 0, vc_format(c, "%s cannot be read", a->lua[i]));
		vc_free(c);
		if (!ok)
			return false;
	}
	return true;
}

static int
prepare(const query_args *a, qr *q, qr_request *r)
{
	qr_error e = {.type = NULL};
	int st = VC_OK;

	if (a->options && !qr_read_options(q, a->options, strlen(a->options), &r->opt, &e))
		st = bad_usage("--options", e.message);
	for (uint32_t i = 0; i < a->nvars && st == VC_OK; i++)
		if (!qr_var(q, a->vars[i].name, a->vars[i].value, a->vars[i].json, &e)) {
			fprintf(stderr,
				"vetro query: %s %s: ", a->vars[i].json ? "--argjson" : "--arg",
				a->vars[i].name);
			st = bad_usage(e.message, NULL);
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
	_exit(VC_EINPUT);
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
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};

	event.sigev_value.sival_ptr = r;
	sigaction(SIGALRM, &act, NULL);
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
	if (r->a->no_input || (r->a->nfiles == 0 && isatty(STDIN_FILENO)))
		evaluate(r);
	else
		run_documents(r, convert);
	flush(r);
	if (r->failed) {
		fprintf(stderr, "vetro query: cannot write: %s\n", strerror(r->failed));
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

static int
run_command(query_args *a, int argc, char **argv)
{
	int st = parse_args(a, argc, argv);

	if (st != VC_OK)
		return st;
	if (a->batch)
		return query_batch(a);
	return a->memory > 0 ? query_within_memory(a, run_plain) : run_plain(a);
}

int
cmd_query(int argc, char **argv)
{
	size_t n = (size_t)argc + 1;
	query_args a = {.memory = 0};
	const char **names;
	int st;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(vc_asset("query.txt", &n), stdout);
		return VC_OK;
	}
	a.files = names = calloc(n, sizeof *names);
	a.lua = calloc(n, sizeof *a.lua);
	a.vars = calloc(n, sizeof *a.vars);
	if (!names || !a.lua || !a.vars)
		vt_no_memory();
	st = run_command(&a, argc, argv);
	free(names);
	free(a.lua);
	free(a.vars);
	return st;
}
