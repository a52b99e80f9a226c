/*
 * cli_complete.c - completion scripts for bash, zsh and fish, from the tables of a command line.
 *
 * The scripts hold all words and ask the program for nothing. What the program is called comes from
 * outside: it is quoted where it is a word, and of a function's name only its letters are left.
 */
#include "runtime/text/cli.h"
#include "runtime/core/printable.h"

#include <stdlib.h>
#include <string.h>

typedef struct script {
	vt_buf b;
	const vt_cli *cli;
	const char *self;
	char function[64];
} script;

/* What a value is completed with. */
enum what { NOTHING, TEXT, FILES, FOLDERS, VALUES };

static enum what
what_of(const vt_cli_option *o)
{
	switch (o->kind) {
	case VT_CLI_HEADING:
	case VT_CLI_EXCLUSIVE:
	case VT_CLI_NEEDS:
	case VT_CLI_SWITCHES:
	case VT_CLI_MARKS:
	case VT_CLI_FLAG: return NOTHING;
	case VT_CLI_PATH:
	case VT_CLI_PATHS: return FILES;
	case VT_CLI_DIR:
	case VT_CLI_DIRS: return FOLDERS;
	case VT_CLI_WORD:
	case VT_CLI_CHOICE: return VALUES;
	case VT_CLI_TEXT:
	case VT_CLI_NUMBER:
	case VT_CLI_REAL:
	case VT_CLI_TEXTS:
	case VT_CLI_PAIRS:
	case VT_CLI_USES: break;
	}
	return TEXT;
}

/* One word of a shell. In fish a backslash counts within single quotes too. */
static void
put_quoted(vt_buf *b, const char *s, size_t n, bool fish)
{
	if (!fish) {
		vt_put_sh(b, s, n);
		return;
	}
	vt_buf_putc(b, '\'');
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\'' || s[i] == '\\')
			vt_buf_putc(b, '\\');
		vt_buf_putc(b, s[i]);
	}
	vt_buf_putc(b, '\'');
}

static void
put_self(script *s, bool fish)
{
	put_quoted(&s->b, s->self, strlen(s->self), fish);
}

/* The parts of a list, with blanks between them. */
static void
put_parts(vt_buf *b, const char *list, const char *separators)
{
	const char *part;
	size_t n;

	for (bool first = true; vt_cli_part(&list, separators, &part, &n); first = false) {
		vt_buf_puts(b, first ? "" : " ");
		vt_buf_put(b, part, n);
	}
}

/* "-fNAME -fno-NAME" of each name, or the names of the option. */
static void
put_option_words(vt_buf *b, const vt_cli_option *o)
{
	const char *list = o->values, *part;
	size_t n;

	if (o->kind != VT_CLI_SWITCHES) {
		put_parts(b, o->names, " ");
		return;
	}
	for (bool first = true; vt_cli_part(&list, "|", &part, &n); first = false)
		vt_buf_printf(
			b, "%s-f%.*s -fno-%.*s", first ? "" : " ", (int)n, part, (int)n, part);
}

/* Those of the group, without its name; or all that stand first. */
static void
put_commands(vt_buf *b, const vt_cli *cli, const vt_cli_command *group)
{
	size_t n = group ? strlen(group->name) + 1 : 0;

	for (uint32_t i = 0; i < cli->ncommands; i++) {
		const vt_cli_command *k = &cli->commands[i];
		size_t end = strcspn(k->name, ",");
		if (group ? !vt_cli_is_in(k, group->name, n - 1)
			  : !k->about || memchr(k->name, ' ', end))
			continue;
		vt_buf_printf(b, "%.*s ", (int)(end - n), k->name + n);
	}
}

/* What stands where no option does: the words of "json|yaml" or of COMMAND. Else files. */
static bool
put_words(vt_buf *b, const vt_cli *cli, const vt_cli_command *k)
{
	const char *p = k->args + strspn(k->args, "[");
	size_t n = strcspn(p, " ]\n");
	char *list;

	if (strncmp(p, "COMMAND", 7) == 0)
		put_commands(b, cli, NULL);
	else if (memchr(p, '|', n)) {
		list = vt_xstrndup(p, n);
		put_parts(b, list, "|");
		free(list);
	} else
		return false;
	return true;
}

/* ---- bash ---- */

static void
bash_values(script *s, const vt_cli_command *k)
{
	static const char *const kinds[] = {
		[TEXT] = "text", [FILES] = "file", [FOLDERS] = "directory", [VALUES] = "values"};

	vt_buf_puts(&s->b, "\t\tcase $prev in\n");
	for (uint32_t i = 0; i < s->cli->noptions; i++) {
		const vt_cli_option *o = &s->cli->options[i];
		const char *names = o->names, *part;
		enum what what = what_of(o);
		size_t n;
		if (what == NOTHING || !vt_cli_is_at(o, k))
			continue;
		vt_buf_puts(&s->b, "\t\t");
		for (bool first = true; vt_cli_part(&names, " ", &part, &n); first = false)
			vt_buf_printf(&s->b, "%s%.*s", first ? "" : "|", (int)n, part);
		vt_buf_printf(&s->b, ") kind=%s", kinds[what]);
		if (what == VALUES) {
			vt_buf_puts(&s->b, " words='");
			put_parts(&s->b, o->values, "|");
			vt_buf_putc(&s->b, '\'');
		}
		vt_buf_puts(&s->b, ";;\n");
	}
	vt_buf_puts(&s->b, "\t\tesac\n");
}

static void
bash_command(script *s, const vt_cli_command *k)
{
	size_t n = strcspn(k->name, ",");

	vt_buf_puts(&s->b, "\t");
	put_quoted(&s->b, k->name, n, false);
	vt_buf_puts(&s->b, ")\n");
	bash_values(s, k);
	vt_buf_puts(&s->b, "\t\toptions='");
	for (uint32_t i = 0; i < s->cli->noptions; i++)
		if (vt_cli_is_option(&s->cli->options[i]) && vt_cli_is_at(&s->cli->options[i], k)) {
			put_option_words(&s->b, &s->cli->options[i]);
			vt_buf_putc(&s->b, ' ');
		}
	vt_buf_puts(&s->b, "--help' words=${words:-'");
	(void)put_words(&s->b, s->cli, k);
	vt_buf_puts(&s->b, "'};;\n");
}

static void
bash(script *s)
{
	const vt_cli *cli = s->cli;
	vt_buf *b = &s->b;

	vt_buf_printf(b,
		"# bash\n%s() {\n"
		"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
		"\tlocal command=${COMP_WORDS[1]-} kind='' words='' options='' at=2\n"
		"\tif [ \"$cur\" = = ]; then cur=''\n"
		"\telif [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
		"\tcase $command in\n",
		s->function);
	for (uint32_t i = 0; i < cli->ncommands; i++)
		if (vt_cli_is_group(&cli->commands[i])) {
			vt_buf_printf(b, "\t%s) at=3 words='", cli->commands[i].name);
			put_commands(b, cli, &cli->commands[i]);
			vt_buf_puts(b, "'; command=\"$command ${COMP_WORDS[2]-}\";;\n");
		}
	vt_buf_puts(b, "\tesac\n");
	if (*cli->commands[0].name) {
		vt_buf_puts(b, "\tif [ \"$COMP_CWORD\" -lt \"$at\" ]; then\n"
			       "\t\tcase $COMP_CWORD in 1) words='");
		put_commands(b, cli, NULL);
		vt_buf_puts(
			b, "';; esac\n\t\tkind=values command=''\n\telse\n\t\twords=''\n\tfi\n");
	} else
		vt_buf_puts(b, "\tcommand=''\n");
	vt_buf_puts(b, "\tcase $command in\n");
	for (uint32_t i = 0; i < cli->ncommands; i++)
		if (!vt_cli_is_group(&cli->commands[i]) &&
			(cli->commands[i].about || !*cli->commands[i].name))
			bash_command(s, &cli->commands[i]);
	vt_buf_puts(b, "\tesac\n"
		       "\tCOMPREPLY=()\n"
		       "\tcase $kind:$cur in\n"
		       "\ttext:*) return;;\n"
		       "\tdirectory:*) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")\n"
		       "\t\tcompopt -o filenames 2>/dev/null; return;;\n"
		       "\tvalues:*) ;;\n"
		       "\tfile:*) words='';;\n"
		       "\t:-*) words=$options;;\n"
		       "\tesac\n"
		       "\tif [ -n \"$words\" ]; then\n"
		       "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
		       "\telse\n"
		       "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
		       "\t\tcompopt -o filenames 2>/dev/null\n"
		       "\tfi\n"
		       "}\n"
		       "complete -F ");
	vt_buf_printf(b, "%s -- ", s->function);
	put_self(s, false);
	vt_buf_putc(b, '\n');
}

/* ---- zsh ---- */

/* Within the quotes of a specification, where brackets and colons mean something. */
static void
zsh_text(vt_buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strchr("[]:\\", s[i]))
			vt_buf_putc(b, '\\');
		vt_put_sh_inside(b, s + i, 1);
	}
}

static void
zsh_value(vt_buf *b, const vt_cli_option *o)
{
	switch (what_of(o)) {
	case NOTHING: return;
	case TEXT: vt_buf_printf(b, ":%s: ", o->meta); break;
	case FILES: vt_buf_printf(b, ":%s:_files", o->meta); break;
	case FOLDERS: vt_buf_printf(b, ":%s:_files -/", o->meta); break;
	case VALUES:
		vt_buf_printf(b, ":%s:(", o->meta);
		put_parts(b, o->values, "|");
		vt_buf_putc(b, ')');
		break;
	}
}

static void
zsh_option(script *s, const vt_cli_option *o)
{
	vt_buf names = {0};
	const char *list, *part;
	size_t n;

	put_option_words(&names, o);
	list = names.p;
	while (vt_cli_part(&list, " ", &part, &n)) {
		bool value = what_of(o) != NOTHING;
		vt_buf_puts(&s->b, " \\\n\t\t\t'*");
		vt_buf_put(&s->b, part, n);
		vt_buf_puts(&s->b, !value ? "" : part[1] == '-' ? "=" : "+");
		vt_buf_putc(&s->b, '[');
		zsh_text(&s->b, o->about, strlen(o->about));
		vt_buf_putc(&s->b, ']');
		zsh_value(&s->b, o);
		vt_buf_putc(&s->b, '\'');
	}
	vt_buf_free(&names);
}

static void
zsh_command(script *s, const vt_cli_command *k)
{
	vt_buf words = {0};

	vt_buf_puts(&s->b, "\t");
	put_quoted(&s->b, k->name, strcspn(k->name, ","), false);
	vt_buf_puts(&s->b, ")\n\t\t_arguments -s");
	for (uint32_t i = 0; i < s->cli->noptions; i++)
		if (vt_cli_is_option(&s->cli->options[i]) && vt_cli_is_at(&s->cli->options[i], k))
			zsh_option(s, &s->cli->options[i]);
	if (put_words(&words, s->cli, k))
		vt_buf_printf(&s->b, " \\\n\t\t\t'*: :(%.*s)';;\n", (int)words.n, words.p);
	else
		vt_buf_puts(&s->b, " \\\n\t\t\t'*: :_files';;\n");
	vt_buf_free(&words);
}

static void
zsh_describe(script *s, const vt_cli_command *group)
{
	size_t n = group ? strlen(group->name) + 1 : 0;

	vt_buf_puts(&s->b, "\t\tcommands=(");
	for (uint32_t i = 0; i < s->cli->ncommands; i++) {
		const vt_cli_command *k = &s->cli->commands[i];
		size_t end = strcspn(k->name, ",");
		if (!k->about || (group ? !vt_cli_is_in(k, group->name, n - 1)
					: memchr(k->name, ' ', end) != NULL))
			continue;
		vt_buf_puts(&s->b, "'");
		zsh_text(&s->b, k->name + n, end - n);
		vt_buf_putc(&s->b, ':');
		zsh_text(&s->b, k->about, strlen(k->about));
		vt_buf_puts(&s->b, "' ");
	}
	vt_buf_puts(&s->b, ")\n\t\t_describe command commands; return\n");
}

static void
zsh(script *s)
{
	const vt_cli *cli = s->cli;
	vt_buf *b = &s->b;

	if (strcmp(s->function + 1, s->self) == 0) /* a line end in it would end the comment */
		vt_buf_printf(b, "#compdef %s\n", s->self);
	vt_buf_printf(b, "%s() {\n\tlocal command=''\n\tlocal -a commands\n", s->function);
	if (*cli->commands[0].name) {
		vt_buf_puts(b, "\tif (( CURRENT == 2 )); then\n");
		zsh_describe(s, NULL);
		vt_buf_puts(b, "\tfi\n\tcommand=$words[2]\n\tshift words; (( CURRENT-- ))\n");
	}
	vt_buf_puts(b, "\tcase $command in\n");
	for (uint32_t i = 0; i < cli->ncommands; i++)
		if (vt_cli_is_group(&cli->commands[i])) {
			vt_buf_printf(b, "\t%s)\n\t\tif (( CURRENT == 2 )); then\n",
				cli->commands[i].name);
			zsh_describe(s, &cli->commands[i]);
			vt_buf_puts(b, "\t\tfi\n\t\tcommand=\"$command $words[2]\"\n"
				       "\t\tshift words; (( CURRENT-- ));;\n");
		}
	vt_buf_puts(b, "\tesac\n\tcase $command in\n");
	for (uint32_t i = 0; i < cli->ncommands; i++)
		if (!vt_cli_is_group(&cli->commands[i]) &&
			(cli->commands[i].about || !*cli->commands[i].name))
			zsh_command(s, &cli->commands[i]);
	vt_buf_printf(b,
		"\tesac\n}\nif [ \"$funcstack[1]\" = %s ]; then %s \"$@\"\nelse compdef %s ",
		s->function, s->function, s->function);
	put_self(s, false);
	vt_buf_puts(b, "; fi\n");
}

/* ---- fish ---- */

/* -n with the commands that have the option; nothing where there is one command without a name. */
static void
fish_where(script *s, const vt_cli_option *o)
{
	bool any = false;

	if (*s->cli->commands[0].name == '\0')
		return;
	vt_buf_puts(&s->b, " -n '__fish_seen_subcommand_from");
	for (uint32_t i = 0; i < s->cli->ncommands; i++) {
		const vt_cli_command *k = &s->cli->commands[i];
		size_t n = strcspn(k->name, ", ");
		if (!k->about || vt_cli_is_group(k) || !vt_cli_is_at(o, k) ||
			(any && s->b.n > n && memcmp(s->b.p + s->b.n - n, k->name, n) == 0))
			continue;
		vt_buf_printf(&s->b, " %.*s", (int)n, k->name);
		any = true;
	}
	vt_buf_putc(&s->b, '\'');
}

static void
fish_option(script *s, const vt_cli_option *o)
{
	enum what what = what_of(o);
	vt_buf names = {0};
	const char *list, *part;
	size_t n;

	put_option_words(&names, o);
	list = names.p;
	while (vt_cli_part(&list, " ", &part, &n)) {
		vt_buf_puts(&s->b, "complete -c ");
		put_self(s, true);
		fish_where(s, o);
		vt_buf_puts(&s->b, part[1] == '-' ? " -l " : n == 2 ? " -s " : " -o ");
		part += part[1] == '-' ? 2 : 1;
		put_quoted(&s->b, part, strcspn(part, " "), true);
		vt_buf_puts(&s->b, what == NOTHING ? "" : what == FILES ? " -r -F" : " -x");
		if (what == FOLDERS)
			vt_buf_puts(&s->b, " -a '(__fish_complete_directories)'");
		if (what == VALUES) {
			vt_buf_puts(&s->b, " -a '");
			put_parts(&s->b, o->values, "|");
			vt_buf_putc(&s->b, '\'');
		}
		vt_buf_puts(&s->b, " -d ");
		put_quoted(&s->b, o->about, strlen(o->about), true);
		vt_buf_putc(&s->b, '\n');
	}
	vt_buf_free(&names);
}

/* A command of a group is offered behind the group's name. */
static void
fish_command(script *s, const vt_cli_command *k)
{
	size_t n = strcspn(k->name, ","), group = strcspn(k->name, " ");
	vt_buf words = {0};

	if (!k->about || n == 0)
		return;
	vt_buf_puts(&s->b, "complete -c ");
	put_self(s, true);
	if (group < n)
		vt_buf_printf(&s->b, " -n '__fish_seen_subcommand_from %.*s' -f -a ", (int)group,
			k->name);
	else
		vt_buf_puts(&s->b, " -n __fish_use_subcommand -f -a ");
	put_quoted(&s->b, group < n ? k->name + group + 1 : k->name, group < n ? n - group - 1 : n,
		true);
	vt_buf_puts(&s->b, " -d ");
	put_quoted(&s->b, k->about, strlen(k->about), true);
	vt_buf_putc(&s->b, '\n');
	if (!vt_cli_is_group(k) && put_words(&words, s->cli, k)) {
		vt_buf_puts(&s->b, "complete -c ");
		put_self(s, true);
		vt_buf_printf(&s->b, " -n '__fish_seen_subcommand_from %.*s' -f -a '%.*s'\n",
			(int)n, k->name, (int)words.n, words.p);
	}
	vt_buf_free(&words);
}

static void
fish(script *s)
{
	vt_buf_puts(&s->b, "# fish\n");
	for (uint32_t i = 0; i < s->cli->ncommands; i++)
		fish_command(s, &s->cli->commands[i]);
	for (uint32_t i = 0; i < s->cli->noptions; i++)
		if (vt_cli_is_option(&s->cli->options[i]))
			fish_option(s, &s->cli->options[i]);
}

/* ---- all of them ---- */

static void
name_function(script *s)
{
	size_t n = 0;

	s->function[n++] = '_';
	for (const char *p = s->self; *p && n + 1 < sizeof s->function; p++)
		if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
			(*p >= '0' && *p <= '9'))
			s->function[n++] = *p;
		else
			s->function[n++] = '_';
	s->function[n] = '\0';
}

int
vt_cli_completion(const vt_cli_line *l, const char *shell)
{
	script s = {.cli = l->cli, .self = l->self};

	name_function(&s);
	if (strcmp(shell, "bash") == 0)
		bash(&s);
	else if (strcmp(shell, "zsh") == 0)
		zsh(&s);
	else if (strcmp(shell, "fish") == 0)
		fish(&s);
	else
		return vt_cli_usage(
			l, "there are completions for bash, zsh and fish, not for %s", shell);
	fwrite(s.b.p, 1, s.b.n, stdout);
	vt_buf_free(&s.b);
	return 0;
}
