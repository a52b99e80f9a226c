/* cli.c - command lines from tables: which command it is, and its options' values. */
#include "runtime/text/cli.h"
#include "runtime/core/printable.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "runtime/task/task.h"
#include "runtime/text/limit.h"
#include "runtime/text/nearest.h"
#include "runtime/text/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tables ---- */

bool
vt_cli_part(const char **p, const char *separators, const char **part, size_t *n)
{
	*p += *p ? strspn(*p, separators) : 0;
	if (*p == NULL || **p == '\0')
		return false;
	*part = *p;
	*n = strcspn(*p, separators);
	*p += *n;
	return true;
}

static bool
is_part(const char *list, const char *separators, const char *s, size_t n)
{
	const char *part;
	size_t length;

	while (vt_cli_part(&list, separators, &part, &length))
		if (length == n && memcmp(part, s, n) == 0)
			return true;
	return false;
}

/* The number of the part, or -1. */
static int
index_of(const char *values, const char *s)
{
	const char *part;
	size_t n;

	for (int i = 0; vt_cli_part(&values, "|", &part, &n); i++)
		if (n == strlen(s) && memcmp(part, s, n) == 0)
			return i;
	return -1;
}

bool
vt_cli_is_option(const vt_cli_option *o)
{
	return o->kind > VT_CLI_NEEDS;
}

bool
vt_cli_is_group(const vt_cli_command *k)
{
	return k->args == NULL;
}

bool
vt_cli_is_in(const vt_cli_command *k, const char *group, size_t n)
{
	return strncmp(k->name, group, n) == 0 && k->name[n] == ' ';
}

bool
vt_cli_is_at(const vt_cli_option *o, const vt_cli_command *k)
{
	const char *where = o->where, *part;
	size_t n, own = strcspn(k->name, ",");

	if (own == 0)
		return *where == '\0';
	while (vt_cli_part(&where, ",", &part, &n)) {
		while (n && *part == ' ')
			part++, n--;
		if ((n == own && memcmp(part, k->name, n) == 0) || vt_cli_is_in(k, part, n))
			return true;
	}
	return false;
}

const char *
vt_cli_self(int argc, char **argv, const char *otherwise)
{
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;

	return slash ? slash + 1 : argc > 0 ? argv[0] : otherwise;
}

/* ---- errors ---- */

/* What `help` is to be asked for. */
static int
topic_length(const vt_cli_line *l)
{
	return l->command ? (int)strcspn(l->command->name, ", ") : 0;
}

static void
put_hint(vt_buf *b, const vt_cli_line *l, const char *near, const char *more)
{
	int n = topic_length(l);

	vt_buf_puts(b, "\nhint: ");
	if (near)
		vt_buf_printf(b, "did you mean %s? '%s help%s%.*s' lists them", near, l->self,
			n ? " " : "", n, n ? l->command->name : "");
	else
		vt_buf_printf(b, "see '%s help%s%.*s'", l->self, n ? " " : "", n,
			n ? l->command->name : "");
	if (more)
		vt_buf_printf(b, "\nhint: %s", more);
	vt_report_line(b);
}

int
vt_cli_usage(const vt_cli_line *l, const char *fmt, ...)
{
	vt_buf b = {0};
	va_list ap;

	vt_buf_printf(&b, "%s: ", l->self);
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	put_hint(&b, l, NULL, NULL);
	return VT_CLI_USAGE;
}

typedef struct names {
	const char **v;
	size_t n;
} names;

static void
add_names(names *to, const char *list, const char *separators)
{
	const char *part;
	size_t n;

	while (vt_cli_part(&list, separators, &part, &n))
		vt_push(to->v, to->n) = vt_xstrndup(part, n);
}

static void
free_names(names *of)
{
	for (size_t i = 0; i < of->n; i++)
		free((char *)(uintptr_t)of->v[i]);
	free(of->v);
}

/* The names that begin with `what`, each once, if they are few: "A, B or C". */
static void
put_longer(vt_buf *b, const char *what, const names *of)
{
	enum { LEAST = 4, MOST = 4 };
	const char *found[MOST];
	size_t n = strlen(what), k = 0;

	for (size_t i = 0; i < of->n && n >= LEAST && k <= MOST; i++) {
		bool is_new = strncmp(of->v[i], what, n) == 0;
		for (size_t j = 0; is_new && j < k && j < MOST; j++)
			is_new = strcmp(found[j], of->v[i]) != 0;
		if (is_new && k++ < MOST)
			found[k - 1] = of->v[i];
	}
	for (size_t i = 0; i < k && k <= MOST; i++)
		vt_buf_printf(b, "%s%s", i == 0 ? "" : i + 1 == k ? " or " : ", ", found[i]);
}

/* What was likely meant, and of a wrong value all that there are. */
static int
no_such(const vt_cli_line *l, vt_buf *b, const char *what, const names *of, const char *more)
{
	vt_buf longer = {0};

	put_longer(&longer, what, of);
	put_hint(b, l, longer.n ? longer.p : vt_nearest_option(what, of->v, of->n), more);
	vt_buf_free(&longer);
	return VT_CLI_USAGE;
}

/* ---- values ---- */

typedef struct reader {
	vt_cli_line *l;
	int argc, i; /* argv[i] is being read */
	char **argv;
	const char **given; /* by option: NULL, or its value, which is "" for a flag */
} reader;

static void *
field(const reader *r, const vt_cli_option *o)
{
	return (char *)r->l + o->at;
}

void
vt_cli_put_values(vt_buf *b, const char *values)
{
	const char *part;
	size_t n;

	for (bool first = true; vt_cli_part(&values, "|", &part, &n); first = false) {
		bool last = values[strspn(values, "|")] == '\0';
		vt_buf_puts(b, first ? "" : last ? " or " : ", ");
		vt_buf_put(b, part, n);
	}
}

static void
put_limits(vt_buf *b, const vt_cli_option *o)
{
	const char *most = o->values ? strstr(o->values, "..") + 2 : "";

	vt_buf_puts(b, o->kind == VT_CLI_REAL ? "a number" : "a whole number");
	if (o->values)
		vt_buf_printf(b, " from %.*s", (int)(most - 2 - o->values), o->values);
	if (*most)
		vt_buf_printf(b, " to %s", most);
	else if (o->values)
		vt_buf_puts(b, " on");
}

static int
wrong_value(const reader *r, const vt_cli_option *o, const char *name, const char *v)
{
	vt_buf b = {0};
	names of = {NULL, 0};
	int st;

	vt_buf_printf(&b, "%s: %s takes ", r->l->self, name);
	if (o->kind == VT_CLI_WORD || o->kind == VT_CLI_CHOICE) {
		vt_cli_put_values(&b, o->values);
		add_names(&of, o->values, "|");
	} else if (o->kind == VT_CLI_PAIRS)
		vt_buf_puts(&b, o->meta);
	else
		put_limits(&b, o);
	vt_buf_puts(&b, ", not ");
	vt_put_cut(&b, *v ? v : "''", *v ? strlen(v) : 2);
	st = no_such(r->l, &b, v, &of, NULL);
	free_names(&of);
	return st;
}

/* Digits alone: 0 to 2^64 - 1. */
static bool
read_whole(const char *s, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(s, &end, 10);
	return *s >= '0' && *s <= '9' && *end == '\0' && errno == 0;
}

/* As strtod() reads it, without what that brings along. */
static bool
read_real(const char *s, size_t n, double *out)
{
	char digits[40];
	const char *end = s + n;
	size_t k = 0;
	int64_t e = 0;
	bool fraction = false;

	for (; s < end &&
		((*s >= '0' && *s <= '9' && k < sizeof digits) || (*s == '.' && !fraction));
		s++) {
		if (*s == '.') {
			fraction = true;
			continue;
		}
		digits[k++] = *s;
		e -= fraction;
	}
	if (s < end && *s == 'e') {
		char *stop;
		e += strtol(s + 1, &stop, 10);
		s = stop > s + 1 ? stop : s;
	}
	*out = k ? vt_big_decimal(digits, k, e) : 0;
	return k > 0 && s == end;
}

static bool
is_within(const vt_cli_option *o, double x)
{
	const char *dots = o->values ? strstr(o->values, "..") : NULL;
	double least = 0, most = 1e300;

	if (dots) {
		(void)read_real(o->values, (size_t)(dots - o->values), &least);
		if (dots[2])
			(void)read_real(dots + 2, strlen(dots + 2), &most);
	}
	return x >= least && x <= most;
}

static bool
is_pair(const char *v)
{
	return *v != '=' && strchr(v, '=') != NULL;
}

/* False: it is no such value. */
static bool
set(const reader *r, const vt_cli_option *o, const char *v, const char *more)
{
	void *to = field(r, o);
	vt_cli_list *list = to;
	vt_cli_uses *uses = to;

	switch (o->kind) {
	case VT_CLI_HEADING:
	case VT_CLI_EXCLUSIVE:
	case VT_CLI_NEEDS:
	case VT_CLI_SWITCHES: break; /* take_switch() */
	case VT_CLI_FLAG: *(bool *)to = true; break;
	case VT_CLI_WORD:
	case VT_CLI_TEXT:
	case VT_CLI_PATH:
	case VT_CLI_DIR:
		*(const char **)to = v;
		return o->kind != VT_CLI_WORD || index_of(o->values, v) >= 0;
	case VT_CLI_CHOICE: return (*(int *)to = index_of(o->values, v)) >= 0;
	case VT_CLI_NUMBER: return read_whole(v, to) && is_within(o, (double)*(uint64_t *)to);
	case VT_CLI_REAL: return read_real(v, strlen(v), to) && is_within(o, *(double *)to);
	case VT_CLI_PAIRS:
	case VT_CLI_TEXTS:
	case VT_CLI_PATHS:
	case VT_CLI_DIRS:
		vt_push(list->v, list->n) = v;
		return o->kind != VT_CLI_PAIRS || is_pair(v);
	case VT_CLI_USES:
	case VT_CLI_MARKS:
		vt_push(uses->v, uses->n) = (vt_cli_use){o, v, more, r->l->words.n};
		break;
	}
	return true;
}

/* Choices begin as "not given"; what has a default begins with that. */
static void
set_defaults(const reader *r)
{
	const vt_cli *cli = r->l->cli;

	for (uint32_t i = 0; i < cli->noptions; i++)
		if (cli->options[i].kind == VT_CLI_CHOICE)
			*(int *)field(r, &cli->options[i]) = -1;
	for (uint32_t i = 0; i < cli->noptions; i++)
		if (cli->options[i].dflt && vt_cli_is_at(&cli->options[i], r->l->command))
			set(r, &cli->options[i], cli->options[i].dflt, NULL);
}

/* ---- options ---- */

static const vt_cli_option *
named(const reader *r, const char *name, size_t n)
{
	const vt_cli *cli = r->l->cli;

	for (uint32_t i = 0; i < cli->noptions; i++)
		if (vt_cli_is_option(&cli->options[i]) &&
			vt_cli_is_at(&cli->options[i], r->l->command) &&
			is_part(cli->options[i].names, " ", name, n))
			return &cli->options[i];
	return NULL;
}

/* Where else it is an option, malloc'd: several rows may have it; NULL: nowhere. */
static char *
places_of(const vt_cli *cli, const char *name, size_t n)
{
	vt_buf b = {0};

	for (uint32_t i = 0; i < cli->noptions; i++)
		if (vt_cli_is_option(&cli->options[i]) &&
			is_part(cli->options[i].names, " ", name, n))
			vt_buf_printf(&b, "%s%s", b.n ? ", " : "", cli->options[i].where);
	if (b.n)
		vt_buf_putc(&b, '\0');
	return b.p;
}

static int
unknown_option(const reader *r, const char *arg)
{
	const vt_cli *cli = r->l->cli;
	size_t n = arg[1] == '-' ? strcspn(arg, "=") : 2;
	char *elsewhere = places_of(cli, arg, n);
	char *name = vt_xstrndup(arg, n),
	     *more = strstr(r->l->command->args, "[-- ")
			     ? vt_asprintf("what is for the program stands behind --: "
					   "... -- run %s",
				       name)
		     : elsewhere ? vt_asprintf("%s belongs to: %s", name, elsewhere)
		     : arg[1] != '-'
			     ? vt_xstrdup("what starts with - and is no option goes behind --")
			     : NULL;
	names of = {NULL, 0};
	vt_buf b = {0};

	vt_buf_printf(&b, "%s: unknown option ", r->l->self);
	vt_put_cut(&b, arg, strlen(arg));
	for (uint32_t i = 0; i < cli->noptions && !elsewhere && arg[1] == '-'; i++)
		if (vt_cli_is_at(&cli->options[i], r->l->command))
			add_names(&of, cli->options[i].names, " ");
	no_such(r->l, &b, name, &of, more);
	free_names(&of);
	free(name);
	free(more);
	free(elsewhere);
	return VT_CLI_USAGE;
}

static bool
takes_value(const vt_cli_option *o)
{
	return o->kind != VT_CLI_FLAG && o->kind != VT_CLI_MARKS;
}

static bool
is_once(const vt_cli_option *o)
{
	return o->kind == VT_CLI_TEXT || o->kind == VT_CLI_PATH || o->kind == VT_CLI_DIR;
}

/* name: as it was written. attached: its value, or NULL. */
static int
take(reader *r, const vt_cli_option *o, const char *name, const char *attached)
{
	const char *v = attached, *more = NULL, **given = &r->given[o - r->l->cli->options];
	bool two = o->meta && strchr(o->meta, ' ');

	if (!takes_value(o) && attached)
		return vt_cli_usage(r->l, "%s takes no value, as %s", name, attached);
	if (takes_value(o) && !v)
		v = ++r->i < r->argc ? r->argv[r->i] : NULL;
	if (two && v)
		more = ++r->i < r->argc ? r->argv[r->i] : NULL;
	if (takes_value(o) && (!v || (two && !more)))
		return vt_cli_usage(r->l,
			two ? "a name and a value belong to %s" : "a value is missing after %s",
			name);
	if (*given && is_once(o))
		return vt_cli_usage(
			r->l, "%s is given twice: %s and %s", name, *(const char **)field(r, o), v);
	*given = v ? v : "";
	return set(r, o, v, more) ? VT_CLI_RUN : wrong_value(r, o, name, v);
}

/* -fNAME and -fno-NAME: -1 is another option, 0 unknown, 1 taken. */
static int
take_switch(reader *r, const char *arg)
{
	const vt_cli *cli = r->l->cli;
	bool no = strncmp(arg, "-fno-", 5) == 0;
	const char *name = arg + (no ? 5 : 2);
	uint32_t *off, bits;
	int index;

	if (strncmp(arg, "-f", 2) != 0)
		return -1;
	for (uint32_t i = 0; i < cli->noptions; i++) {
		const vt_cli_option *o = &cli->options[i];
		if (o->kind != VT_CLI_SWITCHES || !vt_cli_is_at(o, r->l->command))
			continue;
		index = index_of(o->values, name);
		if (index < 0)
			return no ? 0 : -1;
		bits = strcmp(strrchr(o->values, '|') + 1, name) == 0 ? ~0u : 1u << index;
		off = field(r, o);
		*off = no ? *off | bits : *off & ~bits;
		return 1;
	}
	return -1;
}

/* -rc, -rfFILE: flags, and at the end one with a value. */
static int
take_letters(reader *r, const char *arg)
{
	for (const char *p = arg + 1; *p; p++) {
		char name[3] = {'-', *p, '\0'};
		const vt_cli_option *o = named(r, name, 2);
		int st;
		if (o == NULL)
			return unknown_option(r, p == arg + 1 ? arg : name);
		if (takes_value(o))
			return take(r, o, name, p[1] ? p + 1 : NULL);
		if ((st = take(r, o, name, NULL)) != VT_CLI_RUN)
			return st;
	}
	return VT_CLI_RUN;
}

static int
take_option(reader *r, const char *arg)
{
	size_t n = strcspn(arg, "=");
	const vt_cli_option *o;
	char *name;
	int st = take_switch(r, arg);

	if (st >= 0)
		return st ? VT_CLI_RUN : unknown_option(r, arg);
	if ((o = named(r, arg, strlen(arg))) != NULL)
		return take(r, o, arg, NULL);
	if (arg[1] != '-')
		return take_letters(r, arg);
	if (!arg[n] || (o = named(r, arg, n)) == NULL)
		return unknown_option(r, arg);
	name = vt_xstrndup(arg, n);
	st = take(r, o, name, arg + n + 1);
	free(name);
	return st;
}

/* "--name", or "--name=VALUE" that was given so. */
static bool
is_given(const reader *r, const char *name, size_t n)
{
	size_t end = 0;
	const vt_cli_option *o;
	const char *v;

	while (end < n && name[end] != '=')
		end++;
	o = named(r, name, end);
	v = o ? r->given[o - r->l->cli->options] : NULL;
	return v &&
	       (end == n || (strlen(v) == n - end - 1 && !memcmp(v, name + end + 1, n - end - 1)));
}

/* Whether options go with one another. */
static int
check_rules(const reader *r)
{
	const vt_cli *cli = r->l->cli;

	for (uint32_t i = 0; i < cli->noptions; i++) {
		const vt_cli_option *o = &cli->options[i];
		const char *names = o->names, *first, *part = NULL;
		size_t n, length = 0;
		bool any = false;
		if (vt_cli_is_option(o) || o->kind == VT_CLI_HEADING ||
			!vt_cli_is_at(o, r->l->command) || !vt_cli_part(&names, " ", &first, &n) ||
			!is_given(r, first, n))
			continue;
		while (!any && vt_cli_part(&names, " ", &part, &length))
			any = is_given(r, part, length);
		if (any == (o->kind == VT_CLI_EXCLUSIVE))
			return vt_cli_usage(r->l,
				any ? "%.*s and %.*s exclude one another" : "%.*s goes with %.*s",
				(int)n, first, (int)length, part);
	}
	return VT_CLI_RUN;
}

/* ---- words ---- */

/* How many words a line of usage asks for and allows; *name: the n-th, or NULL. */
static void
count_words(const char *line, size_t end, uint32_t n, uint32_t *least, uint32_t *most,
	const char **name, int *length)
{
	const char *p = line, *part;
	bool optional = false;
	size_t size;
	uint32_t i = 0;

	*least = *most = 0;
	*name = NULL;
	while (vt_cli_part(&p, " ", &part, &size) && part < line + end) {
		bool opens = *part == '[', many = memchr(part, '.', size) != NULL;
		if (size == 3 && memcmp(part, "[--", 3) == 0)
			break;
		optional |= opens;
		if (part[opens] != '-') {
			*least += !optional;
			*most = many || *most == UINT32_MAX ? UINT32_MAX : *most + 1;
			if (i++ == n) {
				*name = part + opens;
				*length = (int)strcspn(*name, ".] \n");
			}
		}
		optional &= memchr(part, ']', size) == NULL;
	}
}

/* The first option that the line of usage asks for: 1 it is given, 0 not, -1 there is none. */
static int
has_option(const reader *r, const char *line, size_t end, const char **option, int *length)
{
	const char *p = line, *part;
	size_t n;

	while (vt_cli_part(&p, " ", &part, &n) && part < line + end)
		if (*part == '-') {
			*option = part;
			*length = (int)(part + n > line + end ? (size_t)(line + end - part) : n);
			return is_given(r, part, strcspn(part, "= \n"));
		}
	return -1;
}

/* The line of usage that these options are for; NULL: the status is *st. */
static const char *
choose_line(const reader *r, size_t *end, int *st)
{
	const char *p = r->l->command->args, *line = p, *chosen = NULL, *option = NULL;
	size_t n = 0;
	int length = 0, has;

	do {
		if (!vt_cli_part(&p, "\n", &line, &n))
			n = 0; /* nothing at all */
		has = has_option(r, line, n, &option, &length);
		if (has == 1 || (has < 0 && chosen == NULL)) {
			chosen = line;
			*end = n;
		}
	} while (has != 1 && *p);
	if (chosen == NULL)
		*st = vt_cli_usage(r->l, "%.*s needs %.*s", topic_length(r->l), r->l->command->name,
			length, option);
	return chosen;
}

/* As many words as the usage says. */
static int
check_words(const reader *r)
{
	const vt_cli_line *l = r->l;
	const char *name, *line;
	uint32_t n = strstr(l->command->args, "[-- ") ? l->behind : l->words.n, least, most;
	size_t end = 0;
	int length = 0, st = VT_CLI_RUN;

	line = choose_line(r, &end, &st);
	if (line == NULL)
		return st;
	count_words(line, end, n, &least, &most, &name, &length);
	if (n < least)
		return vt_cli_usage(l, "no %.*s given: %s %.*s", length, name, l->command->name,
			(int)end, line);
	return n <= most ? VT_CLI_RUN
			 : vt_cli_usage(l, "unexpected argument: %s", l->words.v[most]);
}

/* ---- commands ---- */

static bool
has_name(const vt_cli_command *k, const char *name)
{
	return !vt_cli_is_group(k) && is_part(k->name, ",", name, strlen(name));
}

/* *words: how many of the arguments are its name. */
static const vt_cli_command *
find_command(const vt_cli *cli, int argc, char **argv, int *words)
{
	char *two = argc > 2 ? vt_asprintf("%s %s", argv[1], argv[2]) : NULL;
	const vt_cli_command *found = NULL;

	for (uint32_t i = 0; i < cli->ncommands && !found; i++) {
		*words = two && has_name(&cli->commands[i], two) ? 2 : 1;
		if (*words == 2 || (argc > 1 && has_name(&cli->commands[i], argv[1])))
			found = &cli->commands[i];
	}
	free(two);
	for (uint32_t i = 0; i < cli->ncommands && !found; i++)
		if (*cli->commands[i].name == '\0') {
			found = &cli->commands[i];
			*words = 0;
		}
	return found;
}

static const vt_cli_command *
find_group(const vt_cli *cli, const char *name)
{
	for (uint32_t i = 0; i < cli->ncommands; i++)
		if (vt_cli_is_group(&cli->commands[i]) && strcmp(cli->commands[i].name, name) == 0)
			return &cli->commands[i];
	return NULL;
}

/* A group has few commands. */
static void
put_list(vt_buf *b, const names *of)
{
	for (size_t i = 0; i < of->n; i++)
		vt_buf_printf(b, "%s%s", i ? ", " : ": there are ", of->v[i]);
}

/* The command of a group, or one of all, is missing or not known. */
static int
no_command(vt_cli_line *l, const vt_cli_command *group, const char *name)
{
	size_t n = group ? strlen(group->name) : 0;
	names of = {NULL, 0};
	const char *near;
	vt_buf b = {0};

	l->command = group;
	for (uint32_t i = 0; i < l->cli->ncommands; i++)
		if (group ? vt_cli_is_in(&l->cli->commands[i], group->name, n)
			  : l->cli->commands[i].about != NULL)
			add_names(&of, l->cli->commands[i].name + (group ? n + 1 : 0), ",");
	near = name ? vt_nearest(name, of.v, of.n) : NULL;
	vt_buf_printf(&b, "%s: %.*s%s", l->self, (int)n, n ? group->name : "", n ? " " : "");
	if (name) {
		vt_buf_puts(&b, n ? "does not know " : "there is no command ");
		vt_put_cut(&b, name, strlen(name));
	} else
		vt_buf_puts(&b, "needs a command");
	if (near) {
		vt_buf_printf(&b, "\nhint: did you mean '%s'?", near);
		vt_report_line(&b);
	} else {
		if (n)
			put_list(&b, &of);
		put_hint(&b, l, NULL, NULL);
	}
	free_names(&of);
	return VT_CLI_USAGE;
}

static bool
asks_version(const char *arg)
{
	return strcmp(arg, "--version") == 0;
}

static bool
asks(const char *arg)
{
	return strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0;
}

static int
print_version(const vt_cli_line *l)
{
	printf("%s\n", l->version);
	return 0;
}

/* The commands of every program; VT_CLI_RUN: it is none of them. */
static int
run_common(const vt_cli_line *l)
{
	if (has_name(l->command, "help"))
		return vt_cli_help(l);
	if (has_name(l->command, "completion"))
		return vt_cli_completion(l, l->words.v[0]);
	return has_name(l->command, "--version") ? print_version(l) : VT_CLI_RUN;
}

static int
read_arguments(reader *r)
{
	vt_cli_line *l = r->l;
	bool options = true;
	int st = VT_CLI_RUN;

	l->behind = UINT32_MAX;
	for (; r->i < r->argc && st == VT_CLI_RUN; r->i++) {
		const char *arg = r->argv[r->i];
		if (options && strcmp(arg, "--") == 0) {
			options = false;
			l->behind = l->words.n;
		} else if (!options || arg[0] != '-' || arg[1] == '\0')
			vt_push(l->words.v, l->words.n) = arg;
		else if (asks(arg) && named(r, arg, strlen(arg)) == NULL) {
			if (has_name(l->command, "help"))
				vt_push(l->words.v, l->words.n) =
					"help"; /* about that command itself */
			return vt_cli_help(l);
		} else if (asks_version(arg) && named(r, arg, strlen(arg)) == NULL)
			return print_version(l);
		else
			st = take_option(r, arg);
	}
	if (l->behind > l->words.n)
		l->behind = l->words.n;
	if (st == VT_CLI_RUN)
		st = check_rules(r);
	if (st == VT_CLI_RUN)
		st = check_words(r);
	return st == VT_CLI_RUN ? run_common(l) : st;
}

/* VT_CLI_RUN: the command is to be run; else the exit status. */
static int
read_line(vt_cli_line *l, const vt_cli *cli, int argc, char **argv)
{
	reader r = {l, argc, 0, argv, NULL};
	const vt_cli_command *group;
	int words = 0, st;

	l->cli = cli;
	l->command = find_command(cli, argc, argv, &words);
	if (l->command == NULL && argc > 1) {
		group = find_group(cli, argv[1]);
		if (group && argc > 2 && asks(argv[2])) {
			l->command = group;
			return vt_cli_help(l);
		}
		return no_command(l, group, group ? argc > 2 ? argv[2] : NULL : argv[1]);
	}
	if (l->command == NULL)
		return no_command(l, NULL, NULL);
	r.i = 1 + words;
	r.given = vt_xzalloc(cli->noptions * sizeof *r.given);
	set_defaults(&r);
	st = read_arguments(&r);
	free((void *)r.given);
	vt_set_colour(l->colour);
	if (st == VT_CLI_RUN)
		vt_limit_begin(l->self, l->memory, l->seconds);
	return st;
}

/* Frees what the line holds. */
static int
end_line(vt_cli_line *l, int status)
{
	const vt_cli *cli = l->cli;
	bool lost = ferror(stdout);

	for (uint32_t i = 0; i < cli->noptions; i++) {
		void *at = (char *)l + cli->options[i].at;
		if (cli->options[i].kind == VT_CLI_USES || cli->options[i].kind == VT_CLI_MARKS)
			free(((vt_cli_uses *)at)->v);
		else if (cli->options[i].kind >= VT_CLI_TEXTS)
			free((void *)((vt_cli_list *)at)->v);
		if (cli->options[i].kind >= VT_CLI_TEXTS) /* several rows may have one field */
			memset(at, 0, sizeof(vt_cli_list));
	}
	free((void *)l->words.v);
	status = vt_limit_status(status);
	errno = 0;
	if (fflush(stdout) == 0 && !lost)
		return status;
	vt_say("%s: standard output: %s\n", l->self,
		errno ? strerror(errno) : "not all was written");
	return status ? status : 1;
}

int
vt_cli_main(vt_cli_line *l, const vt_cli *cli, int argc, char **argv, size_t stack,
	int (*run)(void *), void *arg)
{
	int st = read_line(l, cli, argc, argv);

	return end_line(l, st == VT_CLI_RUN ? vt_with_stack(stack, run, arg) : st);
}
