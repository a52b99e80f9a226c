/*
 * query_prompt.c - `vetro query -I [FILE]...`: an expression a line, over the same documents.
 *
 * Each expression is a run of its own, as if the command had been called with it: an error ends
 * that one, and all options hold. Without a terminal there is no prompt, and no history.
 */
#include "compiler/cmd/query_int.h"
#include "compiler/check/check.h"
#include "compiler/yaql/yaql.h"
#include "runtime/call/call.h"
#include "runtime/core/base.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 }; /* of an expression */

typedef struct prompt {
	const query_args *a;
	bool terminal;
	FILE *history; /* or NULL */
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

/* Read as a line of the shell's history would be: only by the user. */
static FILE *
open_history(void)
{
	const char *name = getenv("VETRO_HISTORY"), *home = getenv("HOME");
	char *made = name ? NULL : home ? vt_asprintf("%s/.vetro_history", home) : NULL;
	int fd = -1;

	if (name ? *name != 0 : made != NULL)
		fd = open(name ? name : made, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	free(made);
	return fd < 0 ? NULL : fdopen(fd, "a");
}

static bool
read_line(prompt *p, ssize_t *n)
{
	if (p->terminal) {
		fputs(p->text.n ? "   ... " : "yaql> ", stdout);
		fflush(stdout);
	}
	if ((*n = getline(&p->line, &p->room, stdin)) < 0)
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
	ssize_t n;

	if (p.terminal) {
		p.history = open_history();
		puts("YAQL: :help tells what can be done, :quit ends.");
	}
	while (read_line(&p, &n))
		if (p.text.n == 0 && *p.line == ':') {
			if (!obey(&p, p.line))
				break;
		} else
			take_line(&p, (size_t)n);
	if (p.text.n)
		evaluate(&p);
	if (p.terminal)
		putchar('\n');
	if (p.history)
		fclose(p.history);
	free(p.line);
	vt_buf_free(&p.text);
	return p.terminal ? VC_OK : p.st;
}
