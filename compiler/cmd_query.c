/*
 * cmd_query.c - `vetro query`: YAQL over a JSON or YAML document, alone or as a batch of JSON
 * lines.
 *
 * An expression goes the way of every other one: parse, lower, emit, libtcc in memory.  queryrun.c
 * has the session.  A batch evaluates in a second process, so that no expression can end it or keep
 * it.
 */
#include "vc.h"

#include "queryrun.h"

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

enum emit_form { EMIT_NONE, EMIT_TOKENS, EMIT_AST, EMIT_IR, EMIT_C };

typedef struct query_args {
	const char *expr, *file, *options;
	const char **lua;
	uint32_t nlua;
	bool legacy, delegates, murano, batch, no_input;
	enum emit_form emit;
	int form;       /* QR_* */
	double timeout; /* seconds; 0: none */
	double memory;  /* MiB a batch may use */
} query_args;

static const char usage[] =
	"usage: vetro query EXPR [FILE] [option]...\n"
	"       vetro query --batch [option]...\n"
	"\n"
	"Evaluates a YAQL expression over a JSON or YAML document; FILE or standard input is $.\n"
	"A YAML file of several documents is a list of them.\n"
	"\n"
	"  --legacy         the older dialect: => is an operator\n"
	"  --delegates      allows to call values: $f(1)\n"
	"  --options JSON   engine options: {\"limitIterators\": 100}\n"
	"  --lua FILE       functions of the host; may be repeated\n"
	"  --timeout SEC    gives up after SEC seconds\n"
	"  -n               reads no document: $ is null\n"
	"  -r               prints a string without quotes\n"
	"  -c               prints on one line\n"
	"  --emit=tokens|ast|ir|c   prints that form of the expression instead; with --murano in "
	"MuranoPL's dialect\n"
	"  --batch          JSON lines in, JSON lines out\n"
	"  --memory MIB     what a batch may use: 4096\n";

/* ---- the command line
 * ------------------------------------------------------------------------------ */

static int
bad_usage(const char *message, const char *what)
{
	fprintf(stderr, "vetro query: %s%s%s\n", message, what ? ": " : "", what ? what : "");
	fputs("Try 'vetro help query'.\n", stderr);
	return VC_EUSAGE;
}

/* The value of --name VALUE or --name=VALUE; NULL when the argument is another one. */
static const char *
option_value(int argc, char **argv, int *i, const char *name, bool *missing)
{
	size_t n = strlen(name);

	if (strncmp(argv[*i], name, n))
		return NULL;
	if (argv[*i][n] == '=')
		return argv[*i] + n + 1;
	if (argv[*i][n])
		return NULL;
	if (*i + 1 < argc)
		return argv[++*i];
	*missing = true;
	return NULL;
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
set_flag(query_args *a, const char *v)
{
	static const struct {
		const char *name;
		size_t at;
	} flags[] = {
		{"--legacy", offsetof(query_args, legacy)},
		{"--delegates", offsetof(query_args, delegates)},
		{"--murano", offsetof(query_args, murano)},
		{"--batch", offsetof(query_args, batch)},
		{"-n", offsetof(query_args, no_input)},
	};

	for (size_t i = 0; i < VC_LEN(flags); i++)
		if (!strcmp(v, flags[i].name))
			return *((bool *)a + flags[i].at) = true;
	if (!strcmp(v, "-r"))
		a->form |= QR_RAW;
	else if (!strcmp(v, "-c"))
		a->form |= QR_COMPACT;
	else if (!strcmp(v, "-rc") || !strcmp(v, "-cr"))
		a->form |= QR_RAW | QR_COMPACT;
	else
		return false;
	return true;
}

static int
set_positional(query_args *a, const char *v)
{
	if (a->batch)
		return bad_usage("--batch takes no expression", v);
	if (!a->expr)
		a->expr = v;
	else if (!a->file)
		a->file = v;
	else
		return bad_usage("more than one file", v);
	return VC_OK;
}

static int
parse_option(query_args *a, int argc, char **argv, int *i)
{
	bool missing = false;
	const char *v, *arg = argv[*i];

	if ((v = option_value(argc, argv, i, "--options", &missing)))
		a->options = v;
	else if ((v = option_value(argc, argv, i, "--lua", &missing)))
		a->lua[a->nlua++] = v;
	else if ((v = option_value(argc, argv, i, "--emit", &missing))) {
		if (!set_emit(a, v))
			return bad_usage("--emit wants tokens, ast, ir or c", v);
	} else if ((v = option_value(argc, argv, i, "--timeout", &missing))) {
		if (!set_number(&a->timeout, v))
			return bad_usage("--timeout wants seconds", v);
	} else if ((v = option_value(argc, argv, i, "--memory", &missing))) {
		if (!set_number(&a->memory, v))
			return bad_usage("--memory wants MiB", v);
	} else if (missing) {
		return bad_usage("no value for option", arg);
	} else if (!set_flag(a, arg)) {
		return bad_usage(
			"unknown option (an expression that starts with - goes behind --)", arg);
	}
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
			st = set_positional(a, argv[i]);
		else
			st = parse_option(a, argc, argv, &i);
	}
	if (st == VC_OK && a->batch && a->expr)
		return bad_usage("--batch takes no expression", a->expr);
	if (st == VC_OK && !a->batch && !a->expr)
		return bad_usage("no expression", NULL);
	return st;
}

/* ---- expression to program
 * ----------------------------------------------------------------------------- */

static unsigned
dialect(const qr_request *r, bool murano)
{
	return (r->legacy ? YQ_F_LEGACY : 0) | (r->delegates ? YQ_F_DELEGATES : 0) |
	       (murano ? YQ_F_MURANO : 0);
}

static void
parse_failure(vc *c, const qr_request *r, const yq_error *err, qr_error *e)
{
	uint32_t line, col;

	vc_place(vc_source_new(c, "<expression>", r->expr, r->n), err->at, &line, &col);
	qr_error_set(e,
		err->escape    ? "UnicodeDecodeError"
		: err->lexical ? "YaqlLexicalException"
			       : "YaqlGrammarException",
		line, col, err->message);
}

/* Diagnostics of the later phases, as one message. */
static void
compile_failure(vc *c, qr_error *e)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (f) {
		vc_print_diags(c, VC_TEXT, f);
		fclose(f);
	}
	while (n && text[n - 1] == '\n')
		text[--n] = 0;
	qr_error_set(e, "CompileError", 0, 0, n ? text : "the expression cannot be compiled");
	free(text);
}

static ir_module *
lower(vc *c, const qr_request *r, const yq_node *tree, qr_error *e)
{
	vc_query_opts o = {.layers = r->layers,
		.file = "<expression>",
		.opt = {.limit_iterators = r->opt.limit_iterators,
			.memory_quota = r->opt.memory_quota,
			.tuples_to_lists = r->opt.tuples_to_lists,
			.sets_to_lists = r->opt.sets_to_lists,
			.iterable_dicts = r->opt.iterable_dicts,
			.convert_input = r->opt.convert_input,
			.convert_output = r->opt.convert_output}};
	ir_module *m = vc_lower_query(c, tree, r->expr, r->n, &o);

	if (m && vc_errors(c) == 0 && ir_verify(c, m))
		return m;
	compile_failure(c, e);
	return NULL;
}

static const yq_node *
parse(vc *c, const qr_request *r, bool murano, qr_error *e)
{
	yq_error err;
	const yq_node *tree = yq_parse(c, r->expr, r->n, dialect(r, murano), &err);

	if (!tree)
		parse_failure(c, r, &err, e);
	return tree;
}

/* The running program, or NULL with the error filled. nics: inline caches that are taken already. */
static vc_tcc *
compile(vc *c, const qr_request *r, uint32_t nics, const struct vt_program **program, qr_error *e)
{
	const yq_node *tree = parse(c, r, false, e);
	ir_module *m = tree ? lower(c, r, tree, e) : NULL;
	vc_buf text = {NULL, 0, 0};
	void *address = NULL;
	vc_tcc *t;

	if (!m)
		return NULL;
	vc_emit_query_at(c, m, nics, &text);
	t = vc_tcc_compile(c, text.p, "vt_query_program", &address);
	if (!t)
		compile_failure(c, e);
	*program = address;
	vc_buf_free(&text);
	return t;
}

/* Expressions that the host's functions bring while the query runs. Their code stays to the end. */
typedef struct joined {
	const qr_request *r;
	uint32_t n;
	struct {
		vc *c;
		vc_tcc *t;
	} v[QR_MAX_JOINED];
} joined;

static const struct vt_program *
join(void *data, const char *expr, size_t n, uint32_t nics, qr_error *e)
{
	joined *j = data;
	const struct vt_program *program = NULL;
	qr_request r = *j->r;
	vc *c;

	if (j->n == QR_MAX_JOINED) {
		qr_error_set(e, "RuntimeError", 0, 0, "too many expressions were compiled by functions of the host");
		return NULL;
	}
	c = vc_new();
	r.expr = vc_strndup(c, expr, n);
	r.n = n;
	j->v[j->n].c = c;
	j->v[j->n++].t = compile(c, &r, nics, &program, e);
	return program;
}

static void
free_joined(joined *j)
{
	while (j->n-- > 0) {
		if (j->v[j->n].t)
			vc_tcc_free(j->v[j->n].t);
		vc_free(j->v[j->n].c);
	}
}

/* Evaluates one request over the document that the session holds. */
static char *
evaluate(qr *q, const qr_request *r, int form, size_t *n, qr_error *e)
{
	const struct vt_program *program = NULL;
	vc *c = vc_new();
	joined j = {.r = r};
	vc_tcc *t = compile(c, r, 0, &program, e);
	char *text = NULL;

	qr_on_compile(q, join, &j);
	if (t)
		text = qr_run(q, program, form, n, e);
	qr_close(q); /* before the code goes that its values may point into */
	free_joined(&j);
	if (t)
		vc_tcc_free(t);
	vc_free(c);
	return text;
}

/* ---- forms of an expression
 * ----------------------------------------------------------------------------- */

static int
print_error(const query_args *a, const qr_error *e)
{
	const char *line = a->expr, *end;
	uint32_t col = 1;

	fprintf(stderr, "vetro query: %s: %s\n", e->type, e->message);
	if (e->line == 0)
		return VC_EINPUT;
	for (uint32_t i = 1; i < e->line && (end = strchr(line, '\n')); i++)
		line = end + 1;
	end = line + strcspn(line, "\n");
	if (end - line > 200)
		return VC_EINPUT;
	fprintf(stderr, "  %.*s\n  ", (int)(end - line), line);
	for (; col < e->col && line < end; line++)
		if (((unsigned char)*line & 0xc0) != 0x80) {
			fputc(*line == '\t' ? '\t' : ' ', stderr);
			col++;
		}
	fputs("^\n", stderr);
	return VC_EINPUT;
}

static bool
emit_form(vc *c, const query_args *a, const qr_request *r, vc_buf *b, qr_error *e)
{
	const yq_node *tree;
	ir_module *m;

	if (a->emit == EMIT_TOKENS) {
		yq_tokens(c, b, r->expr, r->n, dialect(r, a->murano));
		return true;
	}
	if (!(tree = parse(c, r, a->murano, e)))
		return false;
	if (a->emit == EMIT_AST) {
		yq_dump(b, tree);
		vc_puts(b, "\n");
		return true;
	}
	if (!(m = lower(c, r, tree, e)))
		return false;
	if (a->emit == EMIT_IR)
		ir_print(b, m);
	else
		vc_emit_query(c, m, b);
	return true;
}

static int
print_form(const query_args *a, const qr_request *r)
{
	vc_buf b = {NULL, 0, 0};
	qr_error e = {NULL, NULL, 0, 0};
	vc *c = vc_new();
	int st = VC_OK;

	if (emit_form(c, a, r, &b, &e))
		fwrite(b.p, 1, b.n, stdout);
	else
		st = print_error(a, &e);
	qr_error_free(&e);
	vc_buf_free(&b);
	vc_free(c);
	return st;
}

/* ---- documents
 * ---------------------------------------------------------------------------------------------- */

static void
put_json(vc_buf *b, const char *s, size_t n)
{
	vc_puts(b, "\"");
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] < 0x20 || s[i] == '"' || s[i] == '\\')
			vc_printf(b, "\\u%04x", (unsigned char)s[i]);
		else
			vc_put(b, s + i, 1);
	vc_puts(b, "\"");
}

/* Tags as the suite's value encoding has them; only a document that needs one is read as tagged. */
static void
put_float(vc_buf *b, double f, bool *tagged)
{
	if (f != f || f > 1.7976931348623157e308 || f < -1.7976931348623157e308) {
		*tagged = true;
		vc_printf(b, "{\"$float\":\"%s\"}", f != f ? "nan" : f > 0 ? "inf" : "-inf");
	} else {
		size_t from = b->n;
		vc_printf(b, "%.17g", f);
		for (char *p = b->p + from; p < b->p + b->n; p++)
			*p = (char)(*p == ',' ? '.' : *p); /* a Lua hook may have set a locale */
		if (!memchr(b->p + from, '.', b->n - from) &&
			!memchr(b->p + from, 'e', b->n - from))
			vc_puts(b, ".0");
	}
}

static void
put_scalar(vc_buf *b, const ynode *y, bool *tagged)
{
	switch ((enum yn_type)y->type) {
	case YT_NULL: vc_puts(b, "null"); return;
	case YT_BOOL: vc_puts(b, y->i ? "true" : "false"); return;
	case YT_INT:
		if (y->fits)
			vc_printf(b, "%lld", (long long)y->i);
		else
			vc_puts(b, y->digits);
		return;
	case YT_FLOAT: put_float(b, y->f, tagged); return;
	/* datetime() reads the text of a date */
	case YT_STR:
	case YT_DATE:
	case YT_DATETIME:
	case YT_BINARY: put_json(b, y->text, y->ntext); return;
	}
}

static bool
plain_keys(const ynode *y)
{
	for (uint32_t i = 0; i < y->n; i++)
		if (y->key[i]->kind != YN_SCALAR || y->key[i]->type != YT_STR)
			return false;
	return true;
}

/* Recursion is bounded by the depth limit of the YAML reader. */
static void
put_yaml(vc_buf *b, const ynode *y, bool *tagged)
{
	bool plain = y->kind != YN_MAP || plain_keys(y);

	if (y->kind == YN_SCALAR) {
		put_scalar(b, y, tagged);
		return;
	}
	*tagged |= !plain;
	vc_puts(b, y->kind == YN_SEQ ? "[" : plain ? "{" : "{\"$dict\":[");
	for (uint32_t i = 0; i < y->n; i++) {
		vc_puts(b, i ? "," : "");
		if (y->kind == YN_MAP) {
			vc_puts(b, plain ? "" : "[");
			put_yaml(b, y->key[i], tagged);
			vc_puts(b, plain ? ":" : ",");
		}
		put_yaml(b, y->item[i], tagged);
		vc_puts(b, plain ? "" : "]");
	}
	vc_puts(b, y->kind == YN_SEQ ? "]" : plain ? "}" : "]}");
}

static bool
load_yaml(qr *q, vc *c, vc_source *src, bool convert, qr_error *e)
{
	vc_buf b = {NULL, 0, 0};
	bool tagged = false, ok;
	uint32_t n = 0;
	ynode **doc = vc_yaml_parse(c, src, false, &n);

	if (vc_errors(c))
		return false;
	if (n != 1)
		vc_puts(&b, n ? "[" : "null");
	for (uint32_t i = 0; i < n; i++) {
		vc_puts(&b, i ? "," : "");
		put_yaml(&b, doc[i], &tagged);
	}
	if (n > 1)
		vc_puts(&b, "]");
	ok = qr_data(q, b.p, b.n, tagged, convert, e);
	vc_buf_free(&b);
	return ok;
}

static bool
ends_with(const char *s, const char *tail)
{
	size_t n = strlen(s), k = strlen(tail);

	return n >= k && !strcmp(s + n - k, tail);
}

/* A name says what the text is; else what is no JSON is tried as YAML, which flow collections are
 * too. */
static bool
load_text(qr *q, vc *c, vc_source *src, bool convert, qr_error *e)
{
	const char *text = src->text;
	size_t n = src->n;
	qr_error json = {NULL, NULL, 0, 0};
	bool tried;

	if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		text += 3, n -= 3;
	if (strspn(text, " \t\r\n") == n)
		return true;
	if (ends_with(src->name, ".yaml") || ends_with(src->name, ".yml"))
		return load_yaml(q, c, src, convert, e);
	if (qr_data(q, text, n, false, convert, &json))
		return true;
	tried = !ends_with(src->name, ".json");
	if (tried && load_yaml(q, c, src, convert, e)) {
		qr_error_free(&json);
		return true;
	}
	if (tried && !strchr("{[\"", text[strspn(text, " \t\r\n")])) {
		qr_error_free(&json);
		return false;
	}
	qr_error_free(e);
	*e = json;
	return false;
}

static vc_source *
read_stdin(vc *c)
{
	vc_buf b = {NULL, 0, 0};
	char block[65536];
	size_t n;
	vc_source *src;

	while ((n = fread(block, 1, sizeof block, stdin)) > 0 && b.n <= c->limit.max_file)
		vc_put(&b, block, n);
	src = vc_source_new(c, "<stdin>", vc_strndup(c, b.p ? b.p : "", b.n), b.n);
	vc_buf_free(&b);
	return src;
}

/* False after the reason was printed. */
static bool
load_document(qr *q, const query_args *a, bool convert)
{
	vc *c = vc_new();
	qr_error e = {NULL, NULL, 0, 0};
	vc_source *src =
		a->file && strcmp(a->file, "-") ? vc_source_read(c, a->file) : read_stdin(c);
	bool ok = src && load_text(q, c, src, convert, &e);

	if (src && src->n > c->limit.max_file) {
		fprintf(stderr, "vetro query: %s: document is larger than %zu bytes\n", src->name,
			c->limit.max_file);
		ok = false;
	} else if (!ok && e.message) {
		fprintf(stderr, "vetro query: %s: %s\n", src->name, e.message);
	} else if (!ok) {
		vc_print_diags(c, VC_TEXT, stderr);
	}
	qr_error_free(&e);
	vc_free(c);
	return ok;
}

/* ---- the plain command
 * ---------------------------------------------------------------------------------------- */

static bool
load_lua(qr *q, const query_args *a, qr_error *e)
{
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

/* Only what is safe in a signal handler. */
static void
out_of_time(int sig)
{
	static const char message[] =
		"vetro query: the expression took longer than --timeout allows\n";

	(void)sig;
	if (write(STDERR_FILENO, message, sizeof message - 1) < 0)
		_exit(VC_EFAULT);
	_exit(VC_EINPUT);
}

static void
start_timer(double seconds)
{
	struct itimerspec when = {
		.it_value = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)}};
	timer_t timer;

	signal(SIGALRM, out_of_time);
	if (timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0)
		timer_settime(timer, 0, &when, NULL);
}

static int
print_value(const query_args *a, qr *q, const qr_request *r)
{
	qr_error e = {NULL, NULL, 0, 0};
	size_t n = 0;
	char *text = evaluate(q, r, a->form, &n, &e);
	int st = VC_OK;

	if (!text) {
		st = print_error(a, &e);
		qr_error_free(&e);
		return st;
	}
	fwrite(text, 1, n, stdout);
	if (n == 0 || text[n - 1] != '\n' || a->form & QR_RAW)
		fputc('\n', stdout);
	free(text);
	if (fflush(stdout) != 0) {
		fprintf(stderr, "vetro query: cannot write: %s\n", strerror(errno));
		st = VC_EINPUT;
	}
	return st;
}

static int
run_query(const query_args *a)
{
	qr_request r = {.expr = a->expr,
		.n = strlen(a->expr),
		.legacy = a->legacy,
		.delegates = a->delegates,
		.layers = qr_layers(a->legacy, a->delegates),
		.opt = qr_default_options};
	qr_error e = {NULL, NULL, 0, 0};
	qr *q = qr_open();
	int st = VC_OK;

	if (a->options && !qr_read_options(q, a->options, strlen(a->options), &r.opt, &e))
		st = bad_usage("--options", e.message);
	else if (!load_lua(q, a, &e))
		st = print_error(a, &e);
	else if (a->emit == EMIT_NONE && !a->no_input && (a->file || !isatty(STDIN_FILENO)) &&
		 !load_document(q, a, r.opt.convert_input))
		st = VC_EINPUT;
	qr_error_free(&e);
	if (a->legacy)
		qr_force_legacy(&r.opt);
	if (st == VC_OK && a->emit == EMIT_NONE) {
		if (a->timeout > 0)
			start_timer(a->timeout);
		return print_value(a, q, &r);
	}
	qr_close(q);
	return st == VC_OK ? print_form(a, &r) : st;
}

/* ---- batches
 * ----------------------------------------------------------------------------------------------------
 */

enum { MAX_LINE = 256 << 20 };

/* One answer, malloc'd, without the newline. */
static char *
answer(const query_args *a, const char *line, size_t n)
{
	qr_error e = {NULL, NULL, 0, 0};
	qr_request r;
	qr *q = qr_open();
	char *text = NULL, *out = NULL;
	size_t len = 0;

	if (!qr_read_request(q, line, n, &r, &e) || !load_lua(q, a, &e))
		qr_close(q);
	else
		text = evaluate(q, &r, QR_TAGGED, &len, &e);
	if (text) {
		vc_buf b = {NULL, 0, 0};
		vc_puts(&b, "{\"value\":");
		vc_put(&b, text, len);
		vc_put(&b, "}", 2);
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

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

enum received { RECEIVED, ENDED, LATE };

/* until: 0 waits for ever. */
static enum received
receive_bytes(int fd, void *bytes, size_t n, double until)
{
	struct pollfd p = {fd, POLLIN, 0};
	char *to = bytes;

	while (n > 0) {
		double left = until - now();
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
		return ENDED;
	(*text)[*n] = 0;
	got = receive_bytes(fd, *text, *n, until);
	if (got != RECEIVED)
		free(*text);
	return got;
}

/* The sanitizers reserve more than any limit. */
static void
limit_memory(double mib)
{
#ifndef __SANITIZE_ADDRESS__
	struct rlimit limit = {(rlim_t)(mib * 1048576), (rlim_t)(mib * 1048576)};

	setrlimit(RLIMIT_AS, &limit);
#else
	(void)mib;
#endif
}

/* Standard input is the parent's: at exit the C library would move its offset. */
static _Noreturn void
serve(const query_args *a, int in, int out)
{
	int null = open("/dev/null", O_RDONLY);
	char *line, *text;
	uint64_t n;

	if (null < 0 || dup2(null, STDIN_FILENO) < 0)
		_exit(VC_EFAULT);
	limit_memory(a->memory);
	while (receive_frame(in, &line, &n, 0) == RECEIVED) {
		text = answer(a, line, n);
		free(line);
		if (!send_frame(out, text, strlen(text)))
			_exit(VC_EFAULT);
		free(text);
	}
	exit(VC_OK);
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
		got = receive_frame(w->from, &text, &size, a->timeout > 0 ? now() + a->timeout : 0);
	switch (got) {
	case RECEIVED: return text;
	case LATE:
		stop_worker(w, true);
		return failure("TimeoutError", "the expression took longer than --timeout allows");
	case ENDED: return died(stop_worker(w, false));
	}
	return NULL;
}

/* A line without its newline; false at the end of the input. What is behind MAX_LINE is dropped,
 * *over set. */
static bool
next_line(FILE *f, vc_buf *b, bool *over)
{
	int ch;

	b->n = 0;
	*over = false;
	while ((ch = getc_unlocked(f)) != EOF && ch != '\n') {
		char byte = (char)ch;
		if (b->n < MAX_LINE)
			vc_put(b, &byte, 1);
		else
			*over = true;
	}
	return ch != EOF || b->n > 0;
}

static int
run_batch(const query_args *a)
{
	vc_buf line = {NULL, 0, 0};
	worker w = {0, -1, -1};
	bool over;
	int st = VC_OK;

	signal(SIGPIPE, SIG_IGN);
	while (st == VC_OK && next_line(stdin, &line, &over)) {
		char *out = over ? failure("RequestError", "the line is too long")
				 : ask(&w, a, line.n ? line.p : "", line.n);
		fputs(out, stdout);
		fputc('\n', stdout);
		if (fflush(stdout) != 0)
			st = VC_EINPUT;
		free(out);
	}
	vc_buf_free(&line);
	if (stop_worker(&w, false) != 0)
		st = VC_EFAULT;
	return st;
}

int
cmd_query(int argc, char **argv)
{
	query_args a = {.lua = calloc((size_t)argc + 1, sizeof *a.lua), .memory = 4096};
	int st;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		free(a.lua);
		fputs(usage, stdout);
		return VC_OK;
	}
	st = a.lua ? parse_args(&a, argc, argv) : VC_EFAULT;
	if (st == VC_OK)
		st = a.batch ? run_batch(&a) : run_query(&a);
	free(a.lua);
	return st;
}
