/*
 * conf.c - reads murano.conf as oslo.config does: INI with continuation lines, the last value of a
 * name counts, $name and ${group.name} stand for other options.
 */
#define _GNU_SOURCE
#include "compiler/engine/conf.h"
#include "runtime/core/printable.h"
#include "runtime/text/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { FILE_MAX = 4 << 20, SETTINGS_MAX = 20000, NAMES_DEEP = 10 };

enum { USED = 1, MOOT = 0 };
const eng_option eng_options[] = {
#define OPTION(group, name, kind, dflt, use, about) \
	{group, #name, dflt, about, ENG_##kind, (use) == USED},
#include "compiler/engine/conf.def"
};
const uint32_t eng_noptions = sizeof eng_options / sizeof *eng_options;

/* Names that older versions had. */
static const char *const renamed[][4] = {
	{"engine", "workers", "engine", "engine_workers"},
	{"packages_opts", "load_packages_from", "engine", "load_packages_from"},
	{"packages_opts", "packages_cache", "engine", "packages_cache"},
	{"packages_opts", "packages_service", "engine", "packages_service"},
	{"packages_opts", "enable_packages_cache", "engine", "enable_packages_cache"},
	{"packages_opts", "limit_param_default", "murano", "limit_param_default"},
	{"DEFAULT", "notification_driver", "oslo_messaging_notifications", "driver"},
	{"murano_auth", "user_name", "murano_auth", "username"},
	{"murano_auth", "auth_uri", "murano_auth", "www_authenticate_uri"},
	{"keystone_authtoken", "auth_uri", "keystone_authtoken", "www_authenticate_uri"},
	{"keystone_authtoken", "admin_user", "keystone_authtoken", "username"},
	{"keystone_authtoken", "admin_password", "keystone_authtoken", "password"},
	{"oslo_messaging_rabbit", "rabbit_use_ssl", "oslo_messaging_rabbit", "ssl"},
	{"oslo_messaging_rabbit", "kombu_ssl_ca_certs", "oslo_messaging_rabbit", "ssl_ca_file"},
	{"oslo_messaging_rabbit", "rabbit_durable_queues", "oslo_messaging_rabbit",
		"amqp_durable_queues"},
};

const eng_option *
eng_option_find(const char *group, const char *name)
{
	for (uint32_t i = 0; i < eng_noptions; i++)
		if (strcmp(eng_options[i].name, name) == 0 &&
			strcasecmp(eng_options[i].group, group) == 0)
			return &eng_options[i];
	return NULL;
}

/* ---- reading ----------------------------------------------------------------------------- */

typedef struct reader {
	eng_conf *c;
	const char *file;
	uint32_t line;
	char *group;
	eng_setting *last; /* that a line with a blank before it goes on with */
} reader;

static void
say_wrong(eng_conf *c, const char *file, uint32_t line, const char *why)
{
	vt_buf b = {0};
	vt_put_printable(&b, file, strlen(file));
	if (line > 0)
		vt_buf_printf(&b, ":%u", line);
	vt_buf_printf(&b, ": %s", why);
	vt_push(c->wrong, c->nwrong) = b.p;
}

static char *
trimmed(const char *s, size_t n)
{
	while (n > 0 && strchr(" \t\r", s[0]) != NULL) {
		s++;
		n--;
	}
	while (n > 0 && strchr(" \t\r", s[n - 1]) != NULL)
		n--;
	return vt_xstrndup(s, n);
}

/* oslo takes bind-host for bind_host. */
static void
rename_setting(eng_setting *s)
{
	for (char *p = s->name; *p; p++)
		*p = *p == '-' ? '_' : *p;
	for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
		if (strcasecmp(s->group, renamed[i][0]) == 0 &&
			strcmp(s->name, renamed[i][1]) == 0) {
			free(s->group);
			free(s->name);
			s->group = vt_xstrdup(renamed[i][2]);
			s->name = vt_xstrdup(renamed[i][3]);
			return;
		}
}

static void
take_setting(reader *r, const char *s, size_t n, size_t sign)
{
	eng_setting *x;
	if (r->c->n >= SETTINGS_MAX) {
		say_wrong(r->c, r->file, r->line, "there are more options than 20,000");
		return;
	}
	x = &vt_push(r->c->v, r->c->n);
	*x = (eng_setting){.group = vt_xstrdup(r->group),
		.name = trimmed(s, sign),
		.value = trimmed(s + sign + 1, n - sign - 1),
		.file = r->file,
		.line = r->line};
	rename_setting(x);
	for (uint32_t i = 0; i + 1 < r->c->n; i++)
		if (!r->c->v[i].over && strcmp(r->c->v[i].name, x->name) == 0 &&
			strcasecmp(r->c->v[i].group, x->group) == 0)
			r->c->v[i].over = true;
	r->last = x;
}

static void
go_on(reader *r, const char *s, size_t n)
{
	char *more = trimmed(s, n), *whole;
	if (r->last == NULL) {
		say_wrong(r->c, r->file, r->line, "a line that begins with a blank continues none");
	} else {
		whole = vt_asprintf("%s%s%s", r->last->value, *r->last->value ? " " : "", more);
		free(r->last->value);
		r->last->value = whole;
	}
	free(more);
}

static void
take_line(reader *r, const char *s, size_t n)
{
	size_t sign = 0, blanks = 0;
	while (blanks < n && strchr(" \t\r", s[blanks]) != NULL)
		blanks++;
	if (blanks == n) {
		r->last = NULL;
	} else if (s[0] == '#' || s[0] == ';') {
		return;
	} else if (blanks > 0) {
		go_on(r, s, n);
	} else if (s[0] == '[') {
		const char *end = memchr(s, ']', n);
		r->last = NULL;
		if (end == NULL || end == s + 1) {
			say_wrong(r->c, r->file, r->line, "a group is written [NAME]");
			return;
		}
		free(r->group);
		r->group = trimmed(s + 1, (size_t)(end - s) - 1);
	} else {
		while (sign < n && s[sign] != '=' && s[sign] != ':')
			sign++;
		if (sign == n || sign == 0)
			say_wrong(r->c, r->file, r->line, "NAME = VALUE is expected");
		else if (r->group == NULL)
			say_wrong(r->c, r->file, r->line, "there is no [GROUP] before it");
		else
			take_setting(r, s, n, sign);
	}
}

static bool
read_file(eng_conf *c, const char *path)
{
	reader r = {.c = c};
	vt_buf b = {0};
	struct stat st;
	bool ok = stat(path, &st) == 0;
	if (ok && S_ISDIR(st.st_mode))
		errno = EISDIR;
	ok = ok && !S_ISDIR(st.st_mode) && vt_read_file(path, FILE_MAX, &b);
	r.file = vt_push(c->files, c->nfiles) = vt_xstrdup(path);
	if (!ok)
		say_wrong(c, path, 0, strerror(errno));
	else if (vt_utf8_check(b.p ? b.p : "", b.n) != b.n || memchr(b.p ? b.p : "", 0, b.n))
		say_wrong(c, path, 0, "it is no text in UTF-8");
	else
		for (size_t at = 0; at < b.n;) {
			const char *end = memchr(b.p + at, '\n', b.n - at);
			size_t n = end ? (size_t)(end - b.p) - at : b.n - at;
			r.line++;
			take_line(&r, b.p + at, n);
			at += n + 1;
		}
	free(r.group);
	if (b.p)
		explicit_bzero(b.p, b.n);
	vt_buf_free(&b);
	return c->nwrong == 0;
}

static int
is_conf(const struct dirent *e)
{
	return vt_ends_with(e->d_name, ".conf") && e->d_name[0] != '.';
}

static void
read_folder(eng_conf *c, const char *path)
{
	struct dirent **all;
	int n = scandir(path, &all, is_conf, alphasort);
	if (n < 0) {
		say_wrong(c, path, 0, strerror(errno));
		return;
	}
	for (int i = 0; i < n; i++) {
		char *file = vt_asprintf("%s/%s", path, all[i]->d_name);
		read_file(c, file);
		free(file);
		free(all[i]);
	}
	free(all);
}

bool
eng_conf_read(eng_conf *c, const eng_start *o)
{
	*c = (eng_conf){0};
	for (uint32_t i = 0; i < o->nfiles; i++)
		read_file(c, o->files[i]);
	if (o->nfiles == 0 && o->ndirs == 0)
		read_file(c, "/etc/murano/murano.conf");
	for (uint32_t i = 0; i < o->ndirs; i++)
		read_folder(c, o->dirs[i]);
	return c->nwrong == 0;
}

void
eng_conf_free(eng_conf *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		free(c->v[i].group);
		free(c->v[i].name);
		vt_free_secret(c->v[i].value);
	}
	for (uint32_t i = 0; i < c->nfiles; i++)
		free(c->files[i]);
	for (uint32_t i = 0; i < c->nwrong; i++)
		free(c->wrong[i]);
	free(c->v);
	free(c->files);
	free(c->wrong);
	*c = (eng_conf){0};
}

/* ---- values ------------------------------------------------------------------------------ */

static eng_setting *
find(const eng_conf *c, const char *group, const char *name)
{
	for (uint32_t i = c->n; i-- > 0;)
		if (!c->v[i].over && strcmp(c->v[i].name, name) == 0 &&
			strcasecmp(c->v[i].group, group) == 0)
			return &c->v[i];
	return NULL;
}

bool
eng_conf_has(const eng_conf *c, const char *group, const char *name)
{
	return find(c, group, name) != NULL;
}

static const char *
raw(const eng_conf *c, const char *group, const char *name)
{
	const eng_setting *s = find(c, group, name);
	const eng_option *o = s ? NULL : eng_option_find(group, name);
	return s ? s->value : o ? o->dflt : NULL;
}

/* The length of the name behind a $, with its braces; 0: there is none. */
static size_t
name_length(const char *s)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
	size_t n;
	if (s[0] != '{')
		return strspn(s, letters);
	n = strspn(s + 1, letters);
	return n > 0 && s[n + 1] == '}' ? n + 2 : 0;
}

/* A name without a group is of the same group, or of DEFAULT. */
static const char *
named(const eng_conf *c, const char *group, const char *s, size_t n)
{
	char *name = s[0] == '{' ? vt_xstrndup(s + 1, n - 2) : vt_xstrndup(s, n);
	char *dot = strchr(name, '.');
	const char *found;
	if (dot) {
		*dot = '\0';
		found = raw(c, name, dot + 1);
	} else {
		found = raw(c, group, name);
		found = found ? found : raw(c, "DEFAULT", name);
	}
	free(name);
	return found;
}

static void
put_value(const eng_conf *c, vt_buf *b, const char *group, const char *s, int deep)
{
	for (; *s; s++) {
		size_t n = *s == '$' ? name_length(s + 1) : 0;
		const char *other = n ? named(c, group, s + 1, n) : NULL;
		if (s[0] == '$' && s[1] == '$') {
			vt_buf_putc(b, '$');
			s++;
		} else if (other != NULL && deep < NAMES_DEEP && b->n < FILE_MAX) {
			put_value(c, b, group, other, deep + 1);
			s += n;
		} else {
			vt_buf_putc(b, *s);
		}
	}
}

/* What stands there is replaced by what it means, so that texts stay where they are. */
const char *
eng_conf_text(const eng_conf *c, const char *group, const char *name)
{
	eng_setting *s = find(c, group, name);
	vt_buf b = {0};
	if (s == NULL || strchr(s->value, '$') == NULL)
		return raw(c, group, name);
	put_value(c, &b, group, s->value, 0);
	free(s->value);
	s->value = b.p ? b.p : vt_xstrdup("");
	return s->value;
}

static bool
is_one_of(const char *s, const char *const *words)
{
	for (; *words; words++)
		if (strcasecmp(s, *words) == 0)
			return true;
	return false;
}
static const char *const yes[] = {"true", "1", "on", "yes", NULL}, *const no[] = {"false", "0",
									   "off", "no", NULL};

const char *
eng_value_is_wrong(const eng_option *o, const char *value)
{
	char *end;
	switch (o->kind) {
	case ENG_FLAG:
		return is_one_of(value, yes) || is_one_of(value, no) ? NULL
								     : "true or false is expected";
	case ENG_NUMBER:
		errno = 0;
		(void)strtoll(value, &end, 10);
		return *value && *end == '\0' && errno == 0 ? NULL : "a whole number is expected";
	case ENG_TEXT:
	case ENG_SECRET:
	case ENG_LIST: break;
	}
	return NULL;
}

bool
eng_conf_flag(const eng_conf *c, const char *group, const char *name)
{
	const char *s = eng_conf_text(c, group, name);
	return s != NULL && is_one_of(s, yes);
}

int64_t
eng_conf_number(const eng_conf *c, const char *group, const char *name)
{
	const char *s = eng_conf_text(c, group, name);
	return s ? strtoll(s, NULL, 10) : 0;
}

char **
eng_conf_list(const eng_conf *c, const char *group, const char *name)
{
	const char *s = eng_conf_text(c, group, name);
	size_t n = 1, k = 0, all;
	char **list, *text;
	s = s ? s : "";
	all = strlen(s);
	for (size_t i = 0; i < all; i++)
		n += s[i] == ',';
	list = vt_xzalloc((n + 1) * sizeof *list + all + 1);
	text = (char *)(list + n + 1);
	memcpy(text, s, all + 1);
	for (char *p = text, *next; p != NULL; p = next) {
		next = strchr(p, ',');
		if (next)
			*next++ = '\0';
		p += strspn(p, " \t");
		for (size_t m = strlen(p); m > 0 && strchr(" \t", p[m - 1]); m--)
			p[m - 1] = '\0';
		if (*p)
			list[k++] = p;
	}
	return list;
}

void
eng_conf_set(eng_conf *c, const char *group, const char *name, int64_t value)
{
	eng_setting *s = find(c, group, name);
	if (s != NULL)
		s->over = true;
	vt_push(c->v, c->n) = (eng_setting){.group = vt_xstrdup(group),
		.name = vt_xstrdup(name),
		.value = vt_asprintf("%lld", (long long)value),
		.file = "the command line"};
}

const char *
eng_conf_auth(const eng_conf *c, const char *name)
{
	bool own = eng_conf_has(c, "murano_auth", "auth_url") ||
		   eng_conf_has(c, "murano_auth", "username") ||
		   eng_conf_has(c, "murano_auth", "www_authenticate_uri");
	return eng_conf_text(c, own ? "murano_auth" : "keystone_authtoken", name);
}
