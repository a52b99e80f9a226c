/*
 * files.c - what a name of a document opens: a file, a text, something in a package, a URL.
 */
#define _GNU_SOURCE
#include "compiler/yay/run.h"
#include "compiler/yay/tree.h"

#include "runtime/net/http.h"
#include "runtime/call/call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* As it may be shown: a URL without user, password and query. */
static const char *
shown(yay_world *w, const char *name)
{
	return vt_net_is_url(name) ? vc_take_text(w->c, vt_net_shown(name)) : name;
}

static void
refuse(yay_world *w, yay_fault *f, const char *fmt, const char *name, const char *why)
{
	*f = (yay_fault){"NotFound", vc_format(w->c, fmt, name, why), NULL, 0, 0, 0, 0, VC_E3009};
}

/* ---- schemes ---- */

/* A text that is there, or NULL: *f says why, or it is not there. */
typedef char *opener(yay_world *, const char *rest, size_t *n, const char **base, yay_fault *);

static char *
open_path(yay_world *w, const char *path, size_t *n, const char **base, yay_fault *f)
{
	struct stat st;
	char *text;
	bool outside = false;

	if (w->contained && strcmp(path, "-") != 0 && !vc_allowed(w->c, path, &outside) &&
		outside) {
		refuse(w, f, "'%s' leads out of the folder of the configuration%s", path, "");
		w->led_out = true;
		return NULL;
	}
	if (strcmp(path, "-") != 0 && access(path, R_OK) != 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			refuse(w, f, "'%s' cannot be read: %s", path, strerror(errno));
		return NULL;
	}
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		refuse(w, f, "'%s' cannot be read: %s", path, strerror(EISDIR));
		return NULL;
	}
	if (!(text = vc_bytes_read(w->c, path, n)))
		refuse(w, f, "'%s' cannot be read%s", path, "");
	w->path = path;
	return text;
}

static char *
open_home(yay_world *w, const char *rest, size_t *n, const char **base, yay_fault *f)
{
	const char *home = getenv("HOME");

	return open_path(w, vc_format(w->c, "%s/%s", home ? home : ".", rest), n, base, f);
}

static char *
open_mem(yay_world *w, const char *name, size_t *n, const char **base, yay_fault *f)
{
	size_t len = strlen(name);

	for (uint32_t i = w->nmem; i-- > 0;)
		if (strncmp(w->mem[i], name, len) == 0 && w->mem[i][len] == '=')
			return vc_strndup(
				w->c, w->mem[i] + len + 1, *n = strlen(w->mem[i] + len + 1));
	return NULL;
}

static bool
leads_out(const char *path)
{
	for (const char *p = path; *p; p += strcspn(p, "/"), p += strspn(p, "/"))
		if (strcspn(p, "/") == 2 && p[0] == '.' && p[1] == '.')
			return true;
	return *path == '/';
}

/* A module is a folder: a.b is the folder a/b, or one that is called so. */
static char *
open_module(yay_world *w, const char *dir, const char *rest, size_t *n, yay_fault *f)
{
	size_t module = strcspn(rest, "/");
	char *path = vc_format(w->c, "%s/%s", dir, rest), *text;
	const char *base;

	if ((text = open_path(w, path, n, &base, f)) || f->type)
		return text;
	for (char *p = path + strlen(dir) + 1, *end = p + module; p < end; p++)
		if (*p == '.')
			*p = '/';
	return open_path(w, path, n, &base, f);
}

/* Below the directories of --search, the current one and those of VETRO_PATH. */
static char *
open_package(yay_world *w, const char *rest, size_t *n, const char **base, yay_fault *f)
{
	const char *path = getenv("VETRO_PATH");
	char *text = NULL;

	if (leads_out(rest) || !strchr(rest, '/') || *rest == '.') {
		refuse(w, f, "'package://%s' is not package://MODULE/PATH%s", rest, "");
		return NULL;
	}
	for (uint32_t i = 0; i < w->ndirs && !text && !f->type; i++)
		text = open_module(w, w->dirs[i], rest, n, f);
	if (!text && !f->type)
		text = open_module(w, ".", rest, n, f);
	while (path && *path && !text && !f->type) {
		size_t len = strcspn(path, ":");
		if (len)
			text = open_module(w, vc_strndup(w->c, path, len), rest, n, f);
		path += len + (path[len] == ':');
	}
	return text;
}

/* whole: the name goes in with its scheme; local: names in documents from the network may not have
 * it */
static const struct {
	const char *scheme;
	opener *open;
	bool whole, local;
} schemes[] = {
	{"file://", open_path, false, true},
	{"home://", open_home, false, true},
	{"mem://", open_mem, false, true},
	{"package://", open_package, false, false},
	{"http://", yay_fetch, true, false},
	{"https://", yay_fetch, true, false},
};

static char *
open_name(yay_world *w, const char *name, size_t *n, const char **base, yay_fault *f)
{
	for (size_t i = 0; i < VC_LEN(schemes); i++)
		if (starts(name, schemes[i].scheme))
			return schemes[i].open(w,
				schemes[i].whole ? name : name + strlen(schemes[i].scheme), n, base,
				f);
	if (strstr(name, "://")) {
		char *shown = vt_net_shown(name);
		refuse(w, f, "'%s' has a scheme that nothing opens%s", shown, "");
		f->hint = vc_strdup(w->c,
			"file://, home://, http://, https://, mem:// and package:// are opened");
		free(shown);
		return NULL;
	}
	return open_path(w, name, n, base, f);
}

static char *
text_of(yay_world *w, const char *name, size_t *n, const char **base, yay_fault *f)
{
	const char *why = NULL;
	size_t size = 0;
	char *text, *plain;
	vt_value v;

	if (w->files != VT_NULL) {
		v = vt_dict_get_c(vt_as_dict(w->files), name);
		if (v == VT_UNDEF || !vt_is(v, STR))
			return NULL;
		*base = vt_net_is_url(name) ? name : NULL;
		*n = vt_as_str(v)->bytes;
		return vc_strndup(w->c, vt_as_str(v)->s, *n);
	}
	w->path = NULL;
	text = open_name(w, name, &size, base, f);
	*n = size;
	if (!text || !vt_yay_is_encrypted(name))
		return text;
	if (!(plain = yay_decrypt(w, w->path, text, size, n, &why)))
		refuse(w, f, "'%s' could not be decrypted: %s", shown(w, name), why);
	return plain;
}

static bool
is_secret(const yay_world *w, const char *name)
{
	return vt_yay_is_encrypted(name) ||
	       (w->secret != VT_NULL && vt_dict_get_c(vt_as_dict(w->secret), name) != VT_UNDEF);
}

/* Old spellings mean the same as the new ones, but a user should know. */
static void
warn_old(yay_world *w, const char *name, char *text, size_t n, const yay_old *old, uint32_t nold)
{
	vc_source *src;

	if (!nold || w->files != VT_NULL || is_secret(w, name))
		return;
	src = vc_source_new(w->c, name, text, n);
	for (uint32_t i = 0; i < nold; i++) {
		vc_report(w->c, VC_W3001, (vc_span){src, old[i].from, old[i].to},
			"this is an old spelling");
		vc_hint(w->c, "write %s", old[i].better);
	}
}

/* Places of a text, which stays where it is as long as the run: its source is made once, and a line
 * is looked for from the last one on. */
typedef struct vc_placed {
	struct vc_placed *next;
	const char *text, *shown; /* without passwords; NULL: nobody has asked */
	vc_source *src;
	uint32_t line; /* begins at `from` */
	size_t from;
} placed;

static placed *
placed_text(vc *c, const char *name, const char *text)
{
	placed *t = c->placed, **link = &c->placed;

	for (; t && (t->text != text || strcmp(t->src->name, name) != 0); t = t->next)
		link = &t->next;
	if (t) {
		*link = t->next;
	} else {
		t = vc_alloc(c, sizeof *t);
		*t = (placed){.text = text, .line = 1};
		t->src = vc_source_new(c, name, text, strlen(text));
	}
	t->next = c->placed; /* who asks again finds it first */
	return c->placed = t;
}

/* The bytes of a place: a line's tail is no part of it. */
vc_span
yay_span(vc *c, const char *name, const char *text, uint32_t line, uint32_t col)
{
	placed *t;
	size_t at, n;

	if (!name)
		return (vc_span){0};
	if (!text || !line)
		return vc_file_span(c, name);
	t = placed_text(c, name, text);
	n = t->src->n;
	if (line < t->line)
		t->line = 1, t->from = 0;
	for (; t->line < line && t->from < n; t->from++)
		t->line += text[t->from] == '\n';
	at = t->from;
	for (uint32_t k = 1; k < col && at < n; k++)
		for (at++; at < n && (text[at] & 0xc0) == 0x80; at++)
			;
	return (vc_span){
		t->src, (uint32_t)at, (uint32_t)(at < n && text[at] != '\n' ? at + 1 : at)};
}

/* From `from` to the end of a word: a line of a document shows no password of a URL. */
static void
blank_url(char *from)
{
	size_t word = strcspn(from, " \t\r\n\"'"), host = strcspn(from, "/?# \t\r\n\"'");
	char *at = memrchr(from, '@', host), *query = memchr(from, '?', word);

	if (at)
		memset(from, '*', (size_t)(at - from));
	if (query)
		memset(query + 1, '*', (size_t)(from + word - query - 1));
}

const char *
yay_shown(vc *c, const char *name, const char *text)
{
	placed *t = text && name && strstr(text, "://") ? placed_text(c, name, text) : NULL;
	char *copy;

	if (!t || t->shown)
		return t ? t->shown : text;
	t->shown = copy = vc_strdup(c, text);
	for (char *p = copy; (p = strstr(p, "://")); p += 3)
		blank_url(p + 3);
	return copy;
}

/* Keys like `new Site` and `for x in y`: what a directive looks like behind the dash of an item. */
static bool
is_like_directive(const char *key, size_t length)
{
	static const char *const words[] = {"for", "if", "elif", "select", "call", "new", "create",
		"include", "search", "set", "macro", "prototype", "extend"};
	const char *blank = memchr(key, ' ', length);
	size_t n = blank ? (size_t)(blank - key) : 0;

	for (size_t i = 0; blank && i < VC_LEN(words); i++)
		if (strlen(words[i]) == n && memcmp(words[i], key, n) == 0)
			return true;
	return length == 4 && memcmp(key, "else", 4) == 0;
}

/* [1, 2] as it is written in YAML, where a value begins. */
static void
warn_brackets(yay_world *w, const vt_ydoc *d, const vt_yrow *row)
{
	const char *s = d->chars + d->str[row->a];
	size_t n = d->str[row->a + 1] - d->str[row->a];

	if (n < 5 || s[0] != '[' || s[n - 1] != ']' || !memchr(s, ',', n) || memchr(s, '\n', n) ||
		row->flag & YAY_BLOCK)
		return;
	vc_span at = yay_span(w->c, d->name, d->text, row->line, row->col);
	if (!at.src || !at.src->text)
		return;
	/* of an item the dash is its place; in quotes somebody wants the text */
	uint32_t from = at.from;
	while (from < at.src->n && (at.src->text[from] == '-' || at.src->text[from] == ' '))
		from++;
	if (at.src->text[from] != '[' || (from > 0 && at.src->text[from - 1] == '"'))
		return;
	at.from = from;
	at.to = from + 1;
	vc_report(w->c, VC_W3005, at, "this is a text, and no list");
	vc_hint(w->c, "items stand on lines of their own behind dashes, or in a template "
		      "{{ [1, 2] }}; a text with brackets may stand in double quotes");
}

/* Only blanks indent, so a tab belongs to the name behind it: hardly what somebody meant who
 * indents with tabs.  A directive has a line to itself. */
static void
warn_keys(yay_world *w, const vt_ydoc *d)
{
	if (w->files != VT_NULL)
		return;
	for (uint32_t r = 1; r < d->nrows; r++) {
		const vt_yrow *row = &d->row[r];
		if (row->kind == YAY_TEXT)
			warn_brackets(w, d, row);
		if (row->kind != YAY_ENTRY)
			continue;
		const char *key = d->chars + d->str[row->a];
		size_t n = d->str[row->a + 1] - d->str[row->a];
		if (*key == '\t') {
			vc_report(w->c, VC_W3003,
				yay_span(w->c, d->name, d->text, row->line, row->col),
				"this key begins with a tab, which is part of its name");
			vc_hint(w->c, "indent with blanks");
		} else if (is_like_directive(key, n)) {
			vc_report(w->c, VC_W3004,
				yay_span(w->c, d->name, d->text, row->line, row->col),
				"behind a dash '%.*s' is a key of a mapping, and no directive",
				(int)n, key);
			vc_hint(w->c, "loops and conditions make items without a dash; an object "
				      "of `new` gets a key, and the item is {{ key }}");
		}
	}
}

const vt_ydoc *
yay_world_open(yay_world *w, const char *name, bool *secret, yay_fault *f)
{
	const yay_old *old = NULL;
	const char *base = NULL;
	const vt_ydoc *d;
	uint32_t nold = 0;
	size_t n = 0;
	char *text;

	*f = (yay_fault){0};
	for (uint32_t i = 0; i < w->nopened; i++)
		if (strcmp(w->opened[i].name, name) == 0) {
			*secret = w->opened[i].secret;
			return w->opened[i].doc;
		}
	*secret = is_secret(w, name);
	if (!(text = text_of(w, name, &n, &base, f)))
		return NULL;
	name = vc_strdup(w->c, name);
	if (!(d = yay_read(w->c, shown(w, name), text, n, false, f, &old, &nold))) {
		if (*secret) { /* words of it are not shown */
			f->message = vc_strdup(w->c, "the decrypted text is no Yay");
			f->hint = NULL;
		}
		return NULL;
	}
	if (!*secret)
		warn_keys(w, d);
	if (!*secret && vc_pass_on(w->c, YAY_FOLD))
		d = yay_fold(w->c, d, NULL);
	warn_old(w, d->name, text, n, old, nold);
	vc_push(w->c, w->opened, w->nopened) = (yay_opened){name, d, *secret, base};
	return d;
}

bool
yay_world_shows(const yay_world *w, const vt_ydoc *d, const char *name)
{
	for (uint32_t i = 0; d && i < w->nopened; i++)
		if (w->opened[i].doc == d)
			return !w->opened[i].secret;
	return name && !is_secret(w, name);
}

/* ---- the evaluator's host ---- */

const yay_opened *
yay_world_opened(const yay_world *w, const vt_ydoc *d)
{
	for (uint32_t i = 0; i < w->nopened; i++)
		if (w->opened[i].doc == d)
			return &w->opened[i];
	return NULL;
}

static const char *
beside(yay_world *w, const char *name, const char *from)
{
	const char *slash = strrchr(from, '/');

	if (!slash || *name == '/' || strstr(name, "://"))
		return NULL;
	return vc_format(w->c, "%.*s/%s", (int)(slash - from), from, name);
}

/* The machine that a document came from decides over no files of this one, and sees no texts that
 * were given here. */
static bool
may_name(yay_world *w, const char *name, yay_fault *f)
{
	for (size_t i = 0; i < VC_LEN(schemes); i++)
		if (schemes[i].local && starts(name, schemes[i].scheme)) {
			refuse(w, f,
				"'%s' is of this machine, so a document from the network may not "
				"include it%s",
				name, "");
			return false;
		}
	return true;
}

/* Where a name of a document may be, in this order. */
static uint32_t
places(yay_world *w, const char *name, const vt_ydoc *from, const char *try[2], yay_fault *f)
{
	const yay_opened *o = yay_world_opened(w, from);
	uint32_t n = 0;

	if (o && o->base) {
		if (!may_name(w, name, f))
			return 0;
		try[n++] = vc_take_text(w->c, vt_net_join(o->base, name));
		return n;
	}
	if ((try[n] = beside(w, name, from->name)))
		n++;
	try[n++] = name;
	return n;
}

/* A file beside the one that includes it, then as it is called. */
static const vt_ydoc *
host_open(void *ctx, vt_yay *y, const char *name, const vt_ydoc *from, bool *secret)
{
	yay_world *w = ctx;
	const char *try[2];
	yay_fault f = {0};
	const vt_ydoc *d = NULL;
	uint32_t n = places(w, name, from, try, &f);

	w->hint = NULL;
	for (uint32_t i = 0; i < n && !d && !f.type; i++)
		if ((d = yay_world_open(w, try[i], secret, &f)) == NULL)
			name = try[i];
	if (!d && f.type) {
		w->hint = f.hint;
		vt_yay_refuse(y, f.type, f.message,
			(vt_yplace){NULL, f.line ? vc_strdup(w->c, shown(w, name)) : NULL, f.line,
				f.col});
	}
	return d;
}

/* ---- class bindings ---- */

bool
yay_load_lua(yay_world *w, const char *const *files, uint32_t n, char **why)
{
	for (uint32_t i = 0; i < n; i++) {
		size_t size;
		char *text = vc_bytes_read(w->c, files[i], &size);
		if (!text) {
			*why = vt_asprintf("%s cannot be read", files[i]);
			return false;
		}
		if (!vt_lua_load(w->rt, text, size, files[i], why))
			return false;
	}
	return true;
}

static bool
host_has_class(void *ctx, const char *name)
{
	return vt_yay_has_class(((yay_world *)ctx)->rt, name);
}

static vt_status
host_make(void *ctx, vt_rt *rt, const char *name, vt_value params, vt_value *out)
{
	return vt_yay_make_object(rt, name, params, out);
}

vt_yay_host
yay_host_of(yay_world *w)
{
	return (vt_yay_host){w, host_open, host_has_class, host_make};
}

void
yay_default_layer(yay_world *w, vt_yay *y)
{
	vt_dict *top = vt_dict_new_hashed(w->rt, false), *yay = vt_dict_new_hashed(w->rt, false);

	vt_dict_set_c(w->rt, yay, "searchpath", vt_mkptr(vt_list_grow(w->rt, VT_K_LIST, 0)));
	vt_dict_set_c(w->rt, top, "yay", vt_mkptr(yay));
	vt_yay_layer(y, vt_mkptr(top));
	vt_release(vt_mkptr(top));
}
