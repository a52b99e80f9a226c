/*
 * query_prompt.c - `vetro query -I [FILE]...`: an expression a line, over the same documents.
 *
 * Each expression is a run of its own, as if the command had been called with it: an error ends
 * that one, and all options hold. Without a terminal there is no prompt, and no history.  A
 * terminal that can do it has lines that are edited (line.c).
 */
#include "compiler/cmd/query_int.h"
#include "compiler/check/check.h"
#include "compiler/query/line.h"
#include "compiler/yaql/yaql.h"
#include "runtime/call/call.h"
#include "runtime/core/base.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 }; /* of an expression */

typedef struct prompt {
	const query_args *a;
	bool terminal;
	FILE *history;      /* or NULL */
	query_line *editor; /* or NULL */
	char *line;
	size_t room;
	vt_buf text; /* the expression so far */
	int st;
} prompt;

/* ---- commands of the prompt ---- */

static void
print_signature(const vt_fnrow *row)
{
	printf("%s%s(", row->flags & VT_FN_FUNCTION ? "" : "x.", row->name);
	for (uint32_t i = 0; i < row->nparams; i++)
		printf("%s%s%s%s", i ? ", " : "",
			row->params[i].kind == 1   ? "*"
			: row->params[i].kind == 2 ? "**"
						   : "",
			row->params[i].name, row->params[i].has_default ? "?" : "");
	puts(")");
}

static void
help_function(const query_args *a, const char *name)
{
	uint32_t layers = qr_layers(a->legacy, a->delegates) | VT_L_QUERY, rows = 0;
	const vt_fnrow *row = vt_fn_find(name, &rows);
	bool any = false;
	vc *c = vc_new();
	const char *hint = query_jq_name(c, name), *near;

	for (uint32_t i = 0; row && i < rows; i++)
		if (row[i].layer & layers) {
			print_signature(&row[i]);
			any = true;
		}
	if (!any && !hint && (near = vc_nearest_function(name, layers, ~0U)))
		hint = vc_format(c, "did you mean %s?", near);
	if (hint)
		puts(hint);
	else if (!any)
		puts("no function has that name");
	vc_free(c);
}

static void
list_functions(const query_args *a, const char *prefix)
{
	uint32_t layers = qr_layers(a->legacy, a->delegates) | VT_L_QUERY;
	const char *last = "";

	for (uint32_t i = 0; i < vt_linked.nrows; i++) {
		const vt_fnrow *row = &vt_linked.rows[i];
		if (isalpha((unsigned char)*row->name) && row->layer & layers &&
			strncmp(row->name, prefix, strlen(prefix)) == 0 && strcmp(row->name, last))
			puts(last = row->name);
	}
}

/* False: the prompt ends. */
static bool
obey(prompt *p, const char *command)
{
	if (strcmp(command, ":quit") == 0 || strcmp(command, ":q") == 0)
		return false;
	if (strncmp(command, ":help ", 6) == 0)
		help_function(p->a, command + 6);
	else if (strcmp(command, ":functions") == 0)
		list_functions(p->a, "");
	else if (strncmp(command, ":functions ", 11) == 0)
		list_functions(p->a, command + 11);
	else if (strcmp(command, ":help") == 0)
		puts("An expression is evaluated when its line ends, or goes on in the next line "
		     "while something is open.\nAn empty line ends it. $ is the document.\n"
		     ":help FUNCTION      what it takes\n:functions [START]  their names\n"
		     ":quit               ends, as the end of the input does");
	else {
		fprintf(stderr, "vetro query: there is no such command: :help tells of all\n");
		p->st = VC_EINPUT;
	}
	fflush(stdout);
	return true;
}

/* ---- expressions ---- */

/* The text ends where more was expected. */
static bool
goes_on(const prompt *p)
{
	vc *c = vc_new();
	yq_error err = {.value = ""};
	unsigned flags = (p->a->legacy ? YQ_F_LEGACY : 0) | (p->a->delegates ? YQ_F_DELEGATES : 0);
	bool more = yq_parse(c, p->text.p, p->text.n, flags, &err) == NULL && !err.lexical &&
		    err.at >= p->text.n;

	vc_free(c);
	return more;
}

static void
evaluate(prompt *p)
{
	query_args own = *p->a;
	int st;

	own.expr = p->text.p;
	own.nexpr = p->text.n;
	own.no_input |= own.files.n == 0;
	if (p->editor)
		query_line_remember(p->editor, p->text.p, p->text.n);
	if (p->history) {
		for (size_t i = 0; i < p->text.n; i++)
			putc(p->text.p[i] == '\n' ? ' ' : p->text.p[i], p->history);
		putc('\n', p->history);
		fflush(p->history);
	}
	st = query_run(&own);
	if (st != VC_OK)
		p->st = st;
	p->text.n = 0;
}

/* One more line of the expression, which an empty one ends. */
static void
take_line(prompt *p, size_t n)
{
	bool empty = n == 0;

	if (p->text.n + n > MOST_BYTES) {
		fprintf(stderr, "vetro query: the expression has more than a MiB\n");
		p->st = VC_EINPUT;
		p->text.n = 0;
		return;
	}
	if (p->text.n && !empty)
		vt_buf_putc(&p->text, '\n');
	vt_buf_put(&p->text, p->line, n);
	vt_buf_putc(&p->text, 0); /* the text of a run ends with one */
	p->text.n--;
	if (p->text.n && (empty || !goes_on(p)))
		evaluate(p);
}

/* What earlier prompts left; of a long file its end. */
static void
load_history(prompt *p, int fd)
{
	off_t size = lseek(fd, 0, SEEK_END), from = size > MOST_BYTES ? size - MOST_BYTES : 0;
	char *text = vt_xmalloc(MOST_BYTES), *at = text, *end;
	ssize_t n = size > 0 ? pread(fd, text, MOST_BYTES, from) : 0;

	end = text + (n > 0 ? n : 0);
	if (from > 0)
		at = memchr(at, '\n', (size_t)(end - at));
	for (char *nl; at != NULL && at < end; at = nl + 1) {
		nl = memchr(at, '\n', (size_t)(end - at));
		if (nl == NULL)
			nl = end;
		query_line_remember(p->editor, at, (size_t)(nl - at));
	}
	free(text);
}

/* Read as a line of the shell's history would be: only by the user. */
static void
open_history(prompt *p)
{
	const char *name = getenv("VETRO_HISTORY"), *home = getenv("HOME");
	char *made = name ? NULL : home ? vt_asprintf("%s/.vetro_history", home) : NULL;
	int fd = -1;

	if (name ? *name != 0 : made != NULL)
		fd = open(name ? name : made, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	free(made);
	if (fd < 0)
		return;
	if (p->editor)
		load_history(p, fd);
	p->history = fdopen(fd, "a");
}

/* ---- completion ---- */

static void
add_functions(const prompt *p, bool method, query_words *found)
{
	uint32_t layers = qr_layers(p->a->legacy, p->a->delegates) | VT_L_QUERY;

	for (uint32_t i = 0; i < vt_linked.nrows; i++) {
		const vt_fnrow *row = &vt_linked.rows[i];
		if (isalpha((unsigned char)*row->name) && row->layer & layers &&
			row->flags & (method ? VT_FN_METHOD : VT_FN_FUNCTION))
			query_words_add(found, row->name, strlen(row->name));
	}
}

/* Where what stands in front of text[dot] begins: a value with its brackets. */
static size_t
value_before(const char *text, size_t dot)
{
	size_t at = dot, open = 0;

	for (; at > 0; at--) {
		char c = text[at - 1];
		if (strchr(")]}", c))
			open++;
		else if (strchr("([{", c) && open-- == 0)
			break;
		else if (open == 0 && !isalnum((unsigned char)c) && !strchr("$_.?)]}([{", c) &&
			 (unsigned char)c < 0x80)
			break;
	}
	return at;
}

/* Can it stand behind a dot? */
static bool
is_name(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_' && (unsigned char)s[i] < 0x80)
			return false;
	return n > 0 && !isdigit((unsigned char)s[0]);
}

enum { MOST_KEYS = 1 << 16, KEY_SECONDS = 2 };

/* In a process of its own: the keys of what the expression gives, a line each. */
static void
print_keys(const query_args *a, const char *value, size_t n, int out)
{
	static const char *const forms[] = {"(%.*s).keys()", "(%.*s).first().keys()"};
	int none = open("/dev/null", O_WRONLY);

	alarm(KEY_SECONDS);
	dup2(out, STDOUT_FILENO);
	dup2(none, STDERR_FILENO);
	for (size_t i = 0; i < VT_LEN(forms); i++) {
		query_args own = *a;
		char *text = vt_asprintf(forms[i], (int)n, value);
		own.expr = text;
		own.nexpr = strlen(text);
		own.form = QR_RAW | QR_EACH;
		own.no_input |= own.files.n == 0;
		if (query_run(&own) == VC_OK)
			break;
	}
	fflush(stdout);
	_exit(0);
}

static void
add_keys(const prompt *p, const char *value, size_t n, query_words *found)
{
	int ends[2];
	vt_buf b = {NULL, 0, 0};
	char part[4096];
	ssize_t got = 0;
	pid_t pid;

	fflush(stdout);
	if (pipe(ends) != 0)
		return;
	pid = fork();
	if (pid == 0)
		print_keys(p->a, value, n, ends[1]);
	close(ends[1]);
	while (pid > 0 && b.n < MOST_KEYS && (got = read(ends[0], part, sizeof part)) > 0)
		vt_buf_put(&b, part, (size_t)got);
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	for (size_t at = 0, to; at < b.n; at = to + 1) {
		for (to = at; to < b.n && b.p[to] != '\n';)
			to++;
		if (is_name(b.p + at, to - at))
			query_words_add(found, b.p + at, to - at);
	}
	vt_buf_free(&b);
}

/* Behind a dot the keys of the value and methods, elsewhere functions; of a command its names. */
static void
complete(void *ctx, const char *text, size_t word, size_t at, query_words *found)
{
	static const char *const commands[] = {"help", "functions", "quit"};
	const prompt *p = ctx;
	size_t from;

	(void)at;
	if (word == 1 && text[0] == ':') {
		for (size_t i = 0; i < VT_LEN(commands); i++)
			query_words_add(found, commands[i], strlen(commands[i]));
	} else if (word > 0 && text[word - 1] == '.') {
		from = value_before(text, word - 1);
		add_functions(p, true, found);
		if (from < word - 1 && p->text.n == 0)
			add_keys(p, text + from, word - 1 - from, found);
	} else if (word == 0 || text[word - 1] != '$') {
		add_functions(p, false, found);
	}
}

static bool
edit_line(prompt *p, ssize_t *n)
{
	vt_buf b = {NULL, 0, 0};
	enum query_line_got got = query_line_read(p->editor, p->text.n ? "   ... " : "yaql> ", &b);

	if (got == QUERY_LINE_CANCELLED)
		p->text.n = 0;
	vt_buf_putc(&b, '\0');
	free(p->line);
	p->line = b.p;
	p->room = b.n;
	*n = (ssize_t)b.n - 1;
	return got != QUERY_LINE_END;
}

static bool
read_line(prompt *p, ssize_t *n)
{
	if (p->editor) {
		if (!edit_line(p, n))
			return false;
	} else if (p->terminal) {
		fputs(p->text.n ? "   ... " : "yaql> ", stdout);
		fflush(stdout);
	}
	if (!p->editor && (*n = getline(&p->line, &p->room, stdin)) < 0)
		return false;
	while (*n > 0 && isspace((unsigned char)p->line[*n - 1]))
		--*n;
	p->line[*n] = 0;
	return true;
}

int
query_prompt(const query_args *a)
{
	prompt p = {.a = a, .terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)};
	ssize_t n = 0;

	if (p.terminal) {
		p.editor = query_line_new(complete, &p);
		open_history(&p);
		puts("YAQL: :help tells what can be done, :quit ends.");
		fflush(stdout);
	}
	while (read_line(&p, &n))
		if (p.text.n == 0 && *p.line == ':') {
			if (!obey(&p, p.line))
				break;
		} else
			take_line(&p, (size_t)n);
	if (p.text.n)
		evaluate(&p);
	if (p.terminal && !p.editor)
		putchar('\n');
	query_line_free(p.editor);
	if (p.history)
		fclose(p.history);
	free(p.line);
	vt_buf_free(&p.text);
	return p.terminal ? VC_OK : p.st;
}
