/* cli_help.c - usage and help from the tables of a command line. */
#include "runtime/text/cli.h"
#include "runtime/text/nearest.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 100, LEFT_LEAST = 14, LEFT_MOST = 26 };

/* Words in lines of COLUMNS; the text begins in column `at`, and so do its lines. */
static void
put_wrapped(vt_buf *b, const char *text, size_t at)
{
	size_t col = at;

	for (const char *p = text; *p;) {
		size_t n = strcspn(p, " \n");
		if (col > at && col + 1 + n > COLUMNS) {
			vt_buf_printf(b, "\n%*s", (int)at, "");
			col = at;
		} else if (col > at) {
			vt_buf_putc(b, ' ');
			col++;
		}
		vt_buf_put(b, p, n);
		col += n;
		p += n;
		if (*p == '\n') {
			vt_buf_printf(b, "\n%*s", p[1] && p[1] != '\n' ? (int)at : 0, "");
			col = at;
		}
		p += *p != '\0';
	}
	vt_buf_putc(b, '\n');
}

/* `names` in a column of its own, as far as they fit. */
static void
put_row(vt_buf *b, const char *names, size_t length, const char *text, size_t left)
{
	vt_buf_printf(b, "  %.*s", (int)length, names);
	if (length + 4 > left)
		vt_buf_printf(b, "\n%*s", (int)left, "");
	else
		vt_buf_printf(b, "%*s", (int)(left - length - 2), "");
	put_wrapped(b, text, left);
}

void
vt_cli_put_names(vt_buf *b, const vt_cli_option *o)
{
	const char *list = o->names, *part = "";
	size_t n = 0;

	for (bool first = true; vt_cli_part(&list, " ", &part, &n); first = false) {
		vt_buf_puts(b, first ? "" : ", ");
		vt_buf_put(b, part, n);
	}
	if (o->meta)
		vt_buf_printf(b, "%s%s", o->kind == VT_CLI_SWITCHES ? "" : " ", o->meta);
}

void
vt_cli_put_about(vt_buf *b, const vt_cli_option *o)
{
	vt_buf_puts(b, o->about);
	if (o->kind == VT_CLI_WORD || o->kind == VT_CLI_CHOICE || o->kind == VT_CLI_SWITCHES) {
		vt_buf_puts(b, ": ");
		vt_cli_put_values(b, o->values);
	}
	if (o->dflt)
		vt_buf_printf(b, "; default %s", o->dflt);
}

/* Of a group, the commands that have the option, where not all of it do. */
static void
put_where(vt_buf *b, const vt_cli_option *o, const vt_cli_command *group)
{
	size_t n = strlen(group->name), k;
	const char *where = o->where, *part;
	bool any = false;

	while (vt_cli_part(&where, ",", &part, &k)) {
		part += *part == ' ';
		if (strncmp(part, group->name, n) != 0 || part[n] != ' ')
			continue;
		vt_buf_printf(b, "%s%.*s", any ? ", " : "", (int)strcspn(part + n + 1, ","),
			part + n + 1);
		any = true;
	}
	if (any)
		vt_buf_puts(b, ": ");
}

static bool
is_shown(const vt_cli *cli, const vt_cli_option *o, const vt_cli_command *k)
{
	if (o->kind == VT_CLI_EXCLUSIVE || o->kind == VT_CLI_NEEDS)
		return false;
	if (!vt_cli_is_group(k))
		return vt_cli_is_at(o, k);
	for (uint32_t i = 0; i < cli->ncommands; i++)
		if (vt_cli_is_in(&cli->commands[i], k->name, strlen(k->name)) &&
			vt_cli_is_at(o, &cli->commands[i]))
			return true;
	return false;
}

static size_t
left_column(const vt_cli *cli, const vt_cli_command *k)
{
	size_t left = LEFT_LEAST;

	for (uint32_t i = 0; i < cli->noptions; i++) {
		vt_buf names = {0};
		if (!is_shown(cli, &cli->options[i], k))
			continue;
		vt_cli_put_names(&names, &cli->options[i]);
		if (names.n + 4 > left && names.n + 4 <= LEFT_MOST)
			left = names.n + 4;
		vt_buf_free(&names);
	}
	return left;
}

static void
put_options(vt_buf *b, const vt_cli *cli, const vt_cli_command *k)
{
	size_t left = left_column(cli, k);
	bool any = false;

	for (uint32_t i = 0; i < cli->noptions; i++) {
		const vt_cli_option *o = &cli->options[i];
		vt_buf names = {0}, about = {0};
		if (!is_shown(cli, o, k))
			continue;
		if (o->kind == VT_CLI_HEADING || !any)
			vt_buf_puts(b, "\n");
		any = true;
		if (o->kind == VT_CLI_HEADING) {
			vt_buf_printf(b, "%s\n", o->about);
			continue;
		}
		vt_cli_put_names(&names, o);
		if (vt_cli_is_group(k))
			put_where(&about, o, k);
		vt_cli_put_about(&about, o);
		put_row(b, names.p, names.n, about.p, left);
		vt_buf_free(&names);
		vt_buf_free(&about);
	}
}

static bool
has_options(const vt_cli *cli, const vt_cli_command *k)
{
	for (uint32_t i = 0; i < cli->noptions; i++)
		if (is_shown(cli, &cli->options[i], k))
			return true;
	return false;
}

bool
vt_cli_put_usage(vt_buf *b, const vt_cli *cli, const vt_cli_command *k, const char **args)
{
	const char *line, *rest;
	size_t n, name = strcspn(k->name, ",");

	if (*args == NULL || (!vt_cli_part(args, "\n", &line, &n) && *args != k->args))
		return false;
	if (**args == '\0')
		*args = NULL;
	if (*k->args == '\0')
		line = "", n = 0;
	rest = strstr(line, "[-- ");
	rest = rest && rest < line + n ? rest : line + n;
	vt_buf_printf(b, "%s%.*s%s%.*s", name ? " " : "", (int)name, k->name,
		rest > line ? " " : "", (int)(rest - line), line);
	while (b->n && b->p[b->n - 1] == ' ')
		b->n--;
	if (has_options(cli, k))
		vt_buf_puts(b, " [option]...");
	if (rest < line + n)
		vt_buf_printf(b, " %.*s", (int)(line + n - rest), rest);
	vt_buf_putc(b, '\n');
	return true;
}

static void
put_usage(vt_buf *b, const vt_cli *cli, const char *self, const vt_cli_command *k, bool first)
{
	const char *args = k->args;
	vt_buf line = {0};

	while (vt_cli_put_usage(&line, cli, k, &args)) {
		vt_buf_printf(b, "%s %s%s", first ? "usage:" : "      ", self, line.p);
		line.n = 0;
		first = false;
	}
	vt_buf_free(&line);
}

static void
put_sentence(vt_buf *b, const char *text)
{
	vt_buf s = {0};

	vt_buf_puts(&s, text);
	if (s.n && s.p[0] >= 'a' && s.p[0] <= 'z')
		s.p[0] = (char)(s.p[0] - 32);
	vt_buf_puts(&s, ".");
	put_wrapped(b, s.p, 0);
	vt_buf_free(&s);
}

static void
put_group(vt_buf *b, const vt_cli *cli, const char *self, const vt_cli_command *group)
{
	size_t n = strlen(group->name), left = LEFT_LEAST;
	bool first = true;

	for (uint32_t i = 0; i < cli->ncommands; i++)
		if (vt_cli_is_in(&cli->commands[i], group->name, n)) {
			put_usage(b, cli, self, &cli->commands[i], first);
			first = false;
		}
	vt_buf_putc(b, '\n');
	put_sentence(b, group->about);
	vt_buf_putc(b, '\n');
	for (uint32_t i = 0; i < cli->ncommands; i++)
		if (vt_cli_is_in(&cli->commands[i], group->name, n))
			put_row(b, cli->commands[i].name + n + 1,
				strlen(cli->commands[i].name + n + 1), cli->commands[i].about,
				left);
}

static void
put_commands(vt_buf *b, const vt_cli *cli)
{
	for (uint32_t i = 0; i < cli->ncommands; i++) {
		const vt_cli_command *k = &cli->commands[i];
		size_t n = strcspn(k->name, ",");
		if (k->about && memchr(k->name, ' ', n) == NULL)
			put_row(b, k->name, n, k->about, LEFT_LEAST);
	}
}

static void
put_command(vt_buf *b, const vt_cli *cli, const char *self, const vt_cli_command *k)
{
	if (vt_cli_is_group(k))
		put_group(b, cli, self, k);
	else {
		put_usage(b, cli, self, k, true);
		vt_buf_putc(b, '\n');
		put_sentence(b, k->about ? k->about : cli->about);
	}
	put_options(b, cli, k);
	if (*k->name == '\0') {
		vt_buf_puts(b, "\n");
		put_commands(b, cli);
	}
	if (k->more) {
		vt_buf_putc(b, '\n');
		put_wrapped(b, k->more, 0);
	}
}

static void
put_all(vt_buf *b, const vt_cli *cli, const char *self)
{
	vt_buf_printf(b, "usage: %s COMMAND [argument]...\n\n", self);
	put_sentence(b, cli->about);
	vt_buf_putc(b, '\n');
	put_commands(b, cli);
	vt_buf_printf(b, "\n'%s help COMMAND' says more.\n", self);
	if (cli->notes)
		put_wrapped(b, cli->notes, 0);
}

/* The command or group of a topic; NULL: there is none. */
static const vt_cli_command *
find_topic(const vt_cli *cli, const char *name)
{
	size_t n = strlen(name);

	for (uint32_t i = 0; i < cli->ncommands; i++) {
		const char *names = cli->commands[i].name, *part;
		size_t k;
		while (vt_cli_part(&names, ",", &part, &k))
			if (k == n && memcmp(part, name, n) == 0)
				return &cli->commands[i];
	}
	return NULL;
}

static int
no_topic(const vt_cli_line *l)
{
	const char **names = NULL, *near;
	size_t n = 0;

	for (uint32_t i = 0; i < l->cli->ncommands; i++)
		if (!strchr(l->cli->commands[i].name, ','))
			vt_push(names, n) = l->cli->commands[i].name;
	near = vt_nearest(l->words.v[0], names, n);
	free(names);
	return vt_cli_usage(l, "there is no command %s%s%s%s", l->words.v[0],
		near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

int
vt_cli_help(const vt_cli_line *l)
{
	const vt_cli_command *k = l->command;
	vt_buf b = {0};

	if (strncmp(k->name, "help", 4) == 0) {
		k = l->words.n                ? find_topic(l->cli, l->words.v[0])
		    : *l->cli->commands->name ? NULL
					      : l->cli->commands;
		if (k == NULL && l->words.n)
			return no_topic(l);
	}
	if (k)
		put_command(&b, l->cli, l->self, k);
	else
		put_all(&b, l->cli, l->self);
	vt_buf_print(&b, stdout);
	return 0;
}
