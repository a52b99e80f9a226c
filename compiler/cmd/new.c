/*
 * new.c - `vetro new KIND NAME`: a folder with a project that checks, tests and runs.
 *
 * The files are those of templates/new/any and templates/new/KIND.  They are made in a folder
 * beside the one that is asked for, which gets its name when it is whole: rename() puts a folder in
 * no other's place unless that is empty.
 */
#define _GNU_SOURCE /* nftw */
#include "compiler/cmd/cmd.h"
#include "runtime/core/printable.h"
#include "runtime/core/value.h"
#include "runtime/text/outfile.h"

#include <ctype.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_NAME = 60 };

/* What may be said for a kind, and the folder of its files. */
static const struct {
	const char *name, *folder;
} kinds[] = {{"murano", "muranopl"}, {"muranopl", "muranopl"}, {"tosca", "tosca"}, {"hot", "hot"},
	{"heat", "hot"}, {"yay", "yay"}, {"yaql", "yaql"}, {"mistral", "mistral"},
	{"workflow", "mistral"}};

typedef struct project {
	vc *c;
	const char *kind, *name; /* the last part of where */
	const char *cls;         /* the name as a class has it: MyShop of my-shop */
	const char *where, *tmp;
} project;

static const char *
folder_of(const char *kind)
{
	for (size_t i = 0; i < VC_LEN(kinds); i++)
		if (strcmp(kinds[i].name, kind) == 0)
			return kinds[i].folder;
	return NULL;
}

/* ---- names ---- */

/* Files, classes, YAML keys, shells and URLs all take such a name as it is. */
static bool
is_name(const char *s)
{
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++)
		if (!(s[i] >= 'a' && s[i] <= 'z') && !(s[i] >= 'A' && s[i] <= 'Z') &&
			!(i && ((s[i] >= '0' && s[i] <= '9') || s[i] == '-' || s[i] == '_')))
			return false;
	return n && n <= LONGEST_NAME;
}

static const char *
class_of(vc *c, const char *name)
{
	char *cls = vc_strdup(c, name), *to = cls;
	bool first = true;

	for (const char *p = name; *p; p++) {
		if (*p == '-' || *p == '_') {
			first = true;
			continue;
		}
		*to++ = first ? (char)toupper((unsigned char)*p) : *p;
		first = false;
	}
	*to = '\0';
	return cls;
}

/* ---- files ---- */

/* The text of a template with its marks @NAME@ and @CLASS@ replaced. */
static void
fill_in(const project *p, vt_buf *out, const char *text, size_t n)
{
	const char *end = text + n, *at;
	const struct {
		const char *mark, *value;
	} marks[] = {{"@NAME@", p->name}, {"@CLASS@", p->cls}};

	for (; text < end && (at = memchr(text, '@', (size_t)(end - text))) != NULL;) {
		size_t skip = 0;
		vt_buf_put(out, text, (size_t)(at - text));
		for (size_t i = 0; i < VC_LEN(marks) && !skip; i++)
			if (strncmp(at, marks[i].mark, strlen(marks[i].mark)) == 0) {
				vt_buf_puts(out, marks[i].value);
				skip = strlen(marks[i].mark);
			}
		if (!skip)
			vt_buf_put(out, at, skip = 1);
		text = at + skip;
	}
	vt_buf_put(out, text, (size_t)(end - text));
}

/* As vt_make_folders(), which makes them the owner's alone: these are as the umask says. */
static bool
make_folders(char *path, size_t from)
{
	for (char *p = path + from; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
		*p = '/';
		if (!made)
			return false;
	}
	return true;
}

static bool
write_file(const project *p, const char *name, const vc_asset_row *a)
{
	char *path = vc_format(p->c, "%s/%s", p->tmp, name);
	mode_t mask = umask(0);
	vt_buf text = {0};
	bool done;

	umask(mask);
	fill_in(p, &text, a->text, a->n);
	done = make_folders(path, strlen(p->tmp) + 1) && vt_write_file(path, text.p, text.n) &&
	       chmod(path, (strncmp(a->text, "#!", 2) == 0 ? 0777 : 0666) & ~mask) == 0;
	vt_buf_free(&text);
	return done;
}

static bool
write_files(const project *p)
{
	const char *const folders[] = {"new/any/", vc_format(p->c, "new/%s/", p->kind)};
	bool done = true;

	for (size_t k = 0; k < VC_LEN(folders); k++)
		for (const vc_asset_row *a = vc_assets; a->name && done; a++)
			if (strncmp(a->name, folders[k], strlen(folders[k])) == 0)
				done = write_file(p, a->name + strlen(folders[k]), a);
	return done;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	return remove(path);
}

/* ---- the command ---- */

/* 0, or errno. */
static int
make_project(project *p)
{
	char *tmp = vc_format(p->c, "%s.XXXXXX", p->where);
	mode_t mask = umask(0);
	int why;

	umask(mask);
	if (mkdtemp(tmp) == NULL)
		return errno;
	p->tmp = tmp;
	if (write_files(p) && chmod(tmp, 0777 & ~mask) == 0 && rename(tmp, p->where) == 0)
		return 0;
	why = errno;
	nftw(tmp, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return why;
}

static void
say_made(const project *p)
{
	vt_buf shown = {0};

	vt_put_printable(&shown, p->where, strlen(p->where));
	vt_buf_put(&shown, "", 1);
	printf("%s is made. Go on with: cd %s && make check test run\n", shown.p, shown.p);
	vt_buf_free(&shown);
}

static int
cannot_make(const project *p, int why)
{
	bool there = why == ENOTEMPTY || why == EEXIST || why == ENOTDIR;
	vt_buf shown = {0};

	vt_put_printable(&shown, p->where, strlen(p->where));
	vt_buf_put(&shown, "", 1);
	vt_say("vetro new: cannot make %s: %s\nhint: %s\n", shown.p,
		there ? "there is something of this name, which stays as it is" : strerror(why),
		there           ? "choose another name, or remove it first"
		: why == ENOENT ? "the folder that it is to be in has to be there"
				: "what is needed is a folder that can be written to");
	vt_buf_free(&shown);
	return VC_EINPUT;
}

static int
bad_kind(const cmd_options *o, const char *kind)
{
	const char *names[VC_LEN(kinds)], *near;

	for (size_t i = 0; i < VC_LEN(kinds); i++)
		names[i] = kinds[i].name;
	near = vt_nearest(kind, names, VC_LEN(kinds));
	return vt_cli_usage(&o->line,
		"there is no kind %s%s%s%s: murano, tosca, hot, yay, yaql, workflow", kind,
		near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

int
cmd_new(cmd_options *o)
{
	const char *slash, *kind = folder_of(o->line.words.v[0]);
	project p = {.kind = kind};
	char *where;
	int why;

	if (kind == NULL)
		return bad_kind(o, o->line.words.v[0]);
	p.c = vc_new();
	where = vc_strdup(p.c, o->line.words.v[1]);
	for (size_t n = strlen(where); n > 1 && where[n - 1] == '/'; n--)
		where[n - 1] = '\0';
	p.where = where;
	p.name = (slash = strrchr(where, '/')) ? slash + 1 : where;
	p.cls = class_of(p.c, p.name);
	if (!is_name(p.name)) {
		vc_free(p.c);
		return vt_cli_usage(&o->line,
			"a name has up to %d letters (a-z), digits, - and _, and begins with a "
			"letter",
			LONGEST_NAME);
	}
	why = make_project(&p);
	if (why == 0)
		say_made(&p);
	else
		cannot_make(&p, why);
	vc_free(p.c);
	return why ? VC_EINPUT : VC_OK;
}
