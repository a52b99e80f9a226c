/* man.c - `vetro man PAGE`: manual pages from the tables of command lines. */
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
		"vetro\\-deploy (1), vetro\\-service (1), vetro\\-config (1), libvetro (3)"},
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

static void
put_synopsis(vt_buf *b, const page *p)
{
	for (uint32_t i = 0; i < p->cli->ncommands; i++) {
		const vt_cli_command *k = &p->cli->commands[i];
		const char *args = k->args;
		vt_buf line = {0};
		while (is_shown(k) && vt_cli_put_usage(&line, p->cli, k, &args)) {
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
put_page(vt_buf *b, const page *p)
{
	const vt_cli_command *only = *p->cli->commands[0].name ? NULL : &p->cli->commands[0];

	vt_buf_puts(b, ".\\\" made from the tables of the command line (make docs)\n.TH ");
	for (const char *s = p->name; *s; s++)
		vt_buf_putc(b, *s >= 'a' && *s <= 'z' ? (char)(*s - 32) : *s);
	vt_buf_puts(b, " 1 \"\" \"vetro\" \"User Commands\"\n.SH NAME\n");
	puts_text(b, p->name);
	vt_buf_puts(b, " \\- ");
	puts_text(b, p->about);
	vt_buf_puts(b, "\n.SH SYNOPSIS\n");
	put_synopsis(b, p);
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
	vt_buf_printf(b, ".SH SEE ALSO\n.BR %s\n", p->also);
}

int
cmd_man(cmd_options *o)
{
	vt_buf b = {0};

	for (size_t i = 0; i < VC_LEN(pages); i++)
		if (strcmp(pages[i].name, o->line.words.v[0]) == 0)
			put_page(&b, &pages[i]);
	vt_buf_print(&b, stdout);
	return VC_OK;
}
