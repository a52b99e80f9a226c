/*
 * man.c - `vetro man PAGE`: manual pages from the tables of command lines, one for each program and
 * one for each command of vetro.  Without PAGE it lists them.
 */
#include "compiler/cmd/cmd.h"

#include "runtime/program/deploy.h"
#include "runtime/program/service.h"
#include "runtime/yay/yay.h"

#include <string.h>

typedef struct page {
	const char *name; /* of the page */
	const char *self; /* of the program */
	const char *about;
	const vt_cli *cli;
	const char *examples; /* or NULL */
	const char *also;
} page;

static const page pages[] = {
	{"vetro", "vetro",
		"translates MuranoPL packages, TOSCA services, Yay configurations and YAQL to C "
		"and to standalone binaries",
		&cmd_cli,
		"vetro query '$.servers.where($.cpu > 4).select($.name)' inventory.yaml\n"
		"vetro build examples/hello -o hello\n"
		"./hello run --model examples/hello/model.json\n",
		"vetro\\-deploy (1),\n.BR vetro\\-service (1),\n.BR vetro\\-config (1),\n"
		".BR libvetro (3)"},
	{"vetro-deploy", "deploy",
		"the binary that `vetro build` makes of a MuranoPL package, under its own name",
		&vt_deploy_cli, "deploy run --model model.json --snapshot state.mugl\n",
		"vetro (1)"},
	{"vetro-service", "service",
		"the binary that `vetro build` makes of a TOSCA service, under its own name",
		&vt_service_cli,
		"service run --input size=2\nservice outputs\nservice undeploy --dry-run\n",
		"vetro (1)"},
	{"vetro-config", "config",
		"the binary that `vetro build` makes of a Yay configuration, under its own name",
		&vt_yay_cli, "config 'sites[0].url' -r\n", "vetro (1)"},
};

static const struct example {
	const char *command, *what, *lines;
} examples[] = {
#define EXAMPLE(...) {__VA_ARGS__},
#include "compiler/cmd/examples.def"
};

/* ---- roff ---- */

/* Text that roff takes as it is: no request begins a line, hyphens are as they were typed. */
static void
put_text(vt_buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool first = i == 0 ? b->n == 0 || b->p[b->n - 1] == '\n' : s[i - 1] == '\n';
		if (first && (s[i] == '.' || s[i] == '\''))
			vt_buf_puts(b, "\\&");
		if (s[i] == '\\')
			vt_buf_puts(b, "\\e");
		else if (s[i] == '-')
			vt_buf_puts(b, "\\-");
		else
			vt_buf_putc(b, s[i]);
	}
}

static void
puts_text(vt_buf *b, const char *s)
{
	put_text(b, s, strlen(s));
}

/* A sentence: a capital, and a full stop. */
static void
put_sentence(vt_buf *b, const char *s)
{
	size_t from = b->n;

	puts_text(b, s);
	if (b->n > from && b->p[from] >= 'a' && b->p[from] <= 'z')
		b->p[from] = (char)(b->p[from] - 32);
	vt_buf_puts(b, ".\n");
}

static void
put_paragraphs(vt_buf *b, const char *text)
{
	const char *line;
	size_t n;

	while (vt_cli_part(&text, "\n", &line, &n)) {
		vt_buf_puts(b, ".PP\n");
		put_text(b, line, n);
		vt_buf_putc(b, '\n');
	}
}

static void
put_verbatim(vt_buf *b, const char *text)
{
	vt_buf_puts(b, ".nf\n");
	puts_text(b, text);
	vt_buf_puts(b, ".fi\n");
}

/* ---- parts of a page ---- */

static bool
is_shown(const vt_cli_command *k)
{
	return (k->about || !*k->name) && !vt_cli_is_group(k);
}

/* Is that the first word of the command?  NULL is that of all. */
static bool
begins_with(const vt_cli_command *k, const char *word)
{
	size_t n = strcspn(k->name, " ,");

	return !word || (strlen(word) == n && memcmp(k->name, word, n) == 0);
}

static void
put_synopsis(vt_buf *b, const page *p, const char *word)
{
	for (uint32_t i = 0; i < p->cli->ncommands; i++) {
		const vt_cli_command *k = &p->cli->commands[i];
		const char *args = k->args;
		vt_buf line = {0};
		while (is_shown(k) && begins_with(k, word) &&
			vt_cli_put_usage(&line, p->cli, k, &args)) {
			vt_buf_puts(b, ".B ");
			puts_text(b, p->self);
			vt_buf_puts(b, "\n");
			put_text(b, line.p + (*line.p == ' '), line.n - (*line.p == ' '));
			vt_buf_puts(b, ".br\n");
			line.n = 0;
		}
		vt_buf_free(&line);
	}
}

static void
put_options(vt_buf *b, const vt_cli *cli, const vt_cli_command *k)
{
	for (uint32_t i = 0; i < cli->noptions; i++) {
		const vt_cli_option *o = &cli->options[i];
		vt_buf text = {0};
		if (!vt_cli_is_option(o) || !vt_cli_is_at(o, k))
			continue;
		vt_cli_put_names(&text, o);
		vt_buf_puts(b, ".TP\n.B ");
		puts_text(b, text.p);
		vt_buf_putc(b, '\n');
		text.n = 0;
		vt_cli_put_about(&text, o);
		puts_text(b, text.p);
		vt_buf_puts(b, ".\n");
		vt_buf_free(&text);
	}
}

static void
put_commands(vt_buf *b, const page *p)
{
	for (uint32_t i = 0; i < p->cli->ncommands; i++) {
		const vt_cli_command *k = &p->cli->commands[i];
		if (!k->about)
			continue;
		vt_buf_puts(b, ".SS ");
		put_text(b, k->name, strcspn(k->name, ","));
		vt_buf_putc(b, '\n');
		put_sentence(b, k->about);
		if (!vt_cli_is_group(k))
			put_options(b, p->cli, k);
		if (k->more)
			put_paragraphs(b, k->more);
	}
}

static void
put_head(vt_buf *b, const char *name, const char *about)
{
	vt_buf_puts(b, ".\\\" made from the tables of the command line (make docs)\n.TH ");
	for (const char *s = name; *s; s++)
		vt_buf_putc(b, *s >= 'a' && *s <= 'z' ? (char)(*s - 32) : *s);
	vt_buf_puts(b, " 1 \"\" \"vetro\" \"User Commands\"\n.SH NAME\n");
	puts_text(b, name);
	vt_buf_puts(b, " \\- ");
	puts_text(b, about);
	vt_buf_puts(b, "\n.SH SYNOPSIS\n");
}

/* The first word of a command, before a blank or another name. */
static int
word_length(uint32_t row)
{
	return (int)strcspn(cmd_cli.commands[row].name, " ,");
}

/* The first row that begins with a word stands for all of them. */
static bool
has_page(uint32_t row)
{
	const vt_cli_command *k = &cmd_cli.commands[row];

	if (!k->about || *k->name == '-')
		return false;
	for (uint32_t i = 0; i < row; i++)
		if (cmd_cli.commands[i].about && word_length(i) == word_length(row) &&
			memcmp(cmd_cli.commands[i].name, k->name, (size_t)word_length(row)) == 0)
			return false;
	return true;
}

static void
put_page(vt_buf *b, const page *p)
{
	const vt_cli_command *only = *p->cli->commands[0].name ? NULL : &p->cli->commands[0];

	put_head(b, p->name, p->about);
	put_synopsis(b, p, NULL);
	vt_buf_puts(b, ".SH DESCRIPTION\n");
	put_sentence(b, p->cli->about);
	if (only) {
		put_options(b, p->cli, only);
		if (only->more)
			put_paragraphs(b, only->more);
	}
	if (p->cli->notes)
		put_paragraphs(b, p->cli->notes);
	vt_buf_puts(b, ".SH COMMANDS\n");
	put_commands(b, p);
	if (p->examples) {
		vt_buf_puts(b, ".SH EXAMPLES\n");
		put_verbatim(b, p->examples);
	}
	vt_buf_printf(b, ".SH SEE ALSO\n.BR %s", p->also);
	for (uint32_t i = 0; p->cli == &cmd_cli && i < cmd_cli.ncommands; i++)
		if (has_page(i))
			vt_buf_printf(b, ",\n.BR vetro\\-%.*s (1)", word_length(i),
				cmd_cli.commands[i].name);
	vt_buf_putc(b, '\n');
}

/* ---- pages of commands ---- */

static void
put_examples(vt_buf *b, const char *word)
{
	bool any = false;

	for (size_t i = 0; i < VC_LEN(examples); i++) {
		if (strcmp(examples[i].command, word) != 0)
			continue;
		if (!any)
			vt_buf_puts(b, ".SH EXAMPLES\n");
		any = true;
		vt_buf_puts(b, ".PP\n");
		puts_text(b, examples[i].what);
		vt_buf_puts(b, ":\n.PP\n");
		put_verbatim(b, examples[i].lines + (strncmp(examples[i].lines, "# ", 2) ? 0 : 2));
	}
}

/* What stands in the page of the command's row, or of one in its group. */
static void
put_command(vt_buf *b, const page *p, const vt_cli_command *k, bool group)
{
	if (vt_cli_is_group(k))
		return;
	if (group) {
		vt_buf_puts(b, ".SS ");
		put_text(b, k->name, strcspn(k->name, ","));
		vt_buf_putc(b, '\n');
		put_sentence(b, k->about);
	}
	if (k->more)
		put_paragraphs(b, k->more);
	if (!group)
		vt_buf_puts(b, ".SH OPTIONS\n");
	put_options(b, p->cli, k);
}

static void
put_command_page(vt_buf *b, uint32_t row)
{
	const page *p = &pages[0];
	const vt_cli_command *first = &p->cli->commands[row];
	char word[64], name[80];
	bool group = vt_cli_is_group(first);

	snprintf(word, sizeof word, "%.*s", word_length(row), first->name);
	snprintf(name, sizeof name, "vetro-%s", word);
	put_head(b, name, first->about);
	put_synopsis(b, p, word);
	vt_buf_puts(b, ".SH DESCRIPTION\n");
	put_sentence(b, first->about);
	if (group && first->more)
		put_paragraphs(b, first->more);
	for (uint32_t i = 0; i < p->cli->ncommands; i++)
		if (p->cli->commands[i].about && begins_with(&p->cli->commands[i], word))
			put_command(b, p, &p->cli->commands[i], group || i != row);
	put_examples(b, word);
	vt_buf_puts(b, ".SH NOTES\n");
	put_paragraphs(b, p->cli->notes);
	vt_buf_puts(b, ".SH SEE ALSO\n.BR vetro (1)\n");
}

/* The page of that name, or the names of all where it is NULL; false: there is none. */
static bool
put_named(vt_buf *b, const char *name)
{
	for (size_t i = 0; i < VC_LEN(pages); i++) {
		if (!name)
			vt_buf_printf(b, "%s\n", pages[i].name);
		else if (strcmp(pages[i].name, name) == 0)
			return put_page(b, &pages[i]), true;
	}
	for (uint32_t i = 0; i < cmd_cli.ncommands; i++) {
		char own[80];
		if (!has_page(i))
			continue;
		snprintf(own, sizeof own, "vetro-%.*s", word_length(i), cmd_cli.commands[i].name);
		if (!name)
			vt_buf_printf(b, "%s\n", own);
		else if (strcmp(own, name) == 0)
			return put_command_page(b, i), true;
	}
	return !name;
}

int
cmd_man(cmd_options *o)
{
	vt_buf b = {0};
	const char *name = o->line.words.n ? o->line.words.v[0] : NULL;

	if (!put_named(&b, name))
		return vt_cli_usage(&o->line, "there is no page %s; 'vetro man' lists them", name);
	vt_buf_print(&b, stdout);
	return VC_OK;
}
