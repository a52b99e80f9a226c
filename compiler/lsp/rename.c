/*
 * rename.c - a property, method, class or variable under another name, in all packages of the
 * workspace that use it.
 *
 * What is found are the references of refer.c, over the packages that may use this one too, the
 * places where a variable is named without its $, and the lines of manifests.  Then the packages
 * are checked as they would be: a rename that leaves anything new to tell is refused, since it
 * missed a place or took a name that is there already.
 */
#include "compiler/lsp/know.h"
#include "compiler/lsp/scope.h"
#include "compiler/murano/package.h"
#include "compiler/yay/front.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct edit {
	const char *path, *uri; /* uri: of an open document, or NULL */
	const char *text;
	size_t n, from, to;
} edit;

typedef struct renaming {
	lsp_worker *w;
	lsp_place at;
	lsp_named target;
	const char *name; /* the new one */
	edit *edits;
	uint32_t n;
} renaming;

/* ---- what is renamed ---- */

static bool
is_name(const char *s)
{
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++)
		if (!lsp_is_word(s[i]) || (unsigned char)s[i] >= 0x80)
			return false;
	return n > 0 && !(s[0] >= '0' && s[0] <= '9');
}

/* A class that declares the member and has no file that could be changed, or NULL. */
typedef struct foreign {
	const lsp_named *target;
	const char *name;
	const mpl_class *found;
} foreign;

static void
look_foreign(void *ctx, const mpl_class *k)
{
	foreign *f = ctx;
	bool has = false;

	for (uint32_t i = 0; f->target->method && i < k->nmethods; i++)
		has |= strcmp(k->methods[i]->name, f->name) == 0;
	for (uint32_t i = 0; f->target->argument_of && i < k->nmethods; i++)
		for (uint32_t n = 0; n < k->methods[i]->nargs; n++)
			has |= strcmp(k->methods[i]->name, f->target->argument_of->name) == 0 &&
			       strcmp(k->methods[i]->args[n].name, f->name) == 0;
	for (uint32_t i = 0; f->target->property && i < k->nprops; i++)
		has |= strcmp(k->props[i]->name, f->name) == 0;
	if (has && (!k->src || *k->src->name == '<'))
		f->found = k;
}

/* Why the word under the cursor cannot be renamed; NULL: it can. */
static const char *
hindrance(lsp_worker *w, const lsp_place *p, const lsp_named *t)
{
	if (!t->found)
		return "nothing here has a name that vetro knows";
	if (t->function)
		return vc_format(w->c, "%s is a function of the library", t->function);
	if (t->variable && strcmp(t->variable, "this") == 0)
		return "$this has this name in every method";
	const char *word = vc_strndup(w->c, p->d->text + p->from, p->to - p->from);
	foreign f = {t, word, NULL};
	if (t->cls && (!t->cls->src || *t->cls->src->name == '<'))
		f.found = t->cls;
	else if (t->method || t->property || t->argument_of)
		lsp_each_class(t->cls, look_foreign, &f);
	return f.found ? vc_format(w->c, "%s is declared in %s, which has no file here", word,
				 f.found->name)
		       : NULL;
}

/* ---- places ---- */

static void
add_edit(renaming *r, const lsp_document *d, size_t from, size_t to)
{
	vc_push(r->w->c, r->edits, r->n) =
		(edit){d->path, d->uri != d->path ? d->uri : NULL, d->text, d->n, from, to};
}

static void
add_use(void *ctx, const lsp_place *p)
{
	add_edit(ctx, p->d, p->from, p->to);
}

/* The class in its package's manifest: the last part of its whole name. */
static void
add_manifest(renaming *r)
{
	const mpl_class *k = r->target.cls;
	const char *dot = strrchr(k->name, '.'), *name = k->name;
	const char *path =
		vc_real_path(r->w->c, vc_format(r->w->c, "%s/manifest.yaml", k->pkg->path));
	vc_source *src = path ? vc_source_read(r->w->c, path) : NULL;
	lsp_document *open = path ? lsp_document_at(r->w->s, path) : NULL;

	if (!src)
		return;
	lsp_document *d = open ? open : vc_alloc(r->w->c, sizeof *d);
	if (!open)
		*d = (lsp_document){.path = (char *)(uintptr_t)path,
			.text = (char *)(uintptr_t)src->text,
			.n = src->n};
	for (const char *at = d->text; (at = strstr(at, name)) != NULL; at += strlen(name)) {
		size_t from = (size_t)(at - d->text), to = from + strlen(name);
		if ((from == 0 || !lsp_is_word(at[-1])) && d->text[to] == ':')
			add_edit(r, d, from + (size_t)(dot ? dot + 1 - name : 0), to);
	}
}

static int
by_place(const void *a, const void *b)
{
	const edit *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : x->from < y->from ? -1 : x->from > y->from;
}

static void
sort_edits(renaming *r)
{
	uint32_t kept = 0;

	if (r->n == 0)
		return;
	qsort(r->edits, r->n, sizeof *r->edits, by_place);
	for (uint32_t i = 0; i < r->n; i++)
		if (kept == 0 || by_place(&r->edits[kept - 1], &r->edits[i]) != 0)
			r->edits[kept++] = r->edits[i];
	r->n = kept;
}

static void
find_places(renaming *r)
{
	lsp_each_use(&r->at, &r->target, true, false, add_use, r);
	if (!r->target.variable && !r->target.property && !r->target.method)
		add_manifest(r);
	sort_edits(r);
}

/* ---- the packages as they would be ---- */

/* Edits of one file from i on, as its text; the next file's first. */
static uint32_t
patch(const renaming *r, uint32_t i, vc_held *held)
{
	const edit *e = &r->edits[i];
	size_t at = 0;
	vt_buf b = {0};

	for (; i < r->n && strcmp(r->edits[i].path, e->path) == 0; i++) {
		vt_buf_put(&b, e->text + at, r->edits[i].from - at);
		vt_buf_puts(&b, r->name);
		at = r->edits[i].to;
	}
	vt_buf_put(&b, e->text + at, e->n - at);
	*held = (vc_held){e->path, NULL, b.n};
	held->text = vc_take(r->w->c, &b);
	return i;
}

/* What was found before: a rename keeps lines, so file, line and code tell the same finding. */
typedef struct said {
	const char *path, *code;
	uint32_t line;
	bool again;
} said;

typedef struct findings {
	vc *c; /* keeps them */
	said *v;
	uint32_t n;
	const char *fresh; /* the text of the first one that was not there */
} findings;

static uint32_t
line_of(const vc_finding *f)
{
	uint32_t line = 0, column;

	if (f->span.src)
		vc_place(f->span.src, f->span.from, &line, &column);
	return line;
}

static void
note_old(void *ctx, const vc_finding *f)
{
	findings *all = ctx;
	const char *path = f->span.src ? f->span.src->name : "";

	vc_push(all->c, all->v, all->n) =
		(said){vc_strdup(all->c, path), vc_strdup(all->c, f->code), line_of(f), false};
}

static void
find_fresh(void *ctx, const vc_finding *f)
{
	findings *all = ctx;
	const char *path = f->span.src ? f->span.src->name : "";

	for (uint32_t i = 0; i < all->n; i++) {
		said *s = &all->v[i];
		if (!s->again && s->line == line_of(f) && strcmp(s->code, f->code) == 0 &&
			strcmp(s->path, path) == 0) {
			s->again = true;
			return;
		}
	}
	if (!all->fresh && f->severity != VC_NOTE)
		all->fresh = f->text;
}

/* NULL, or what would be wrong then and is not now.  The worker goes on with what is now. */
static const char *
objection(renaming *r)
{
	vc *before = r->w->c;
	const char *text;
	vc_held *held = vc_alloc(before, (r->n + 1) * sizeof *held);
	findings all = {.c = before};
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n;)
		i = patch(r, i, &held[n++]);
	vc_each_finding(before, note_old, &all);
	lsp_look_wide(r->w, held, n);
	vc_each_finding(r->w->c, find_fresh, &all);
	text = all.fresh ? vc_format(before, "this would be wrong then: %s", all.fresh) : NULL;
	lsp_forget(r->w, r->w->c);
	r->w->c = before;
	lsp_hold(r->w->s, NULL, 0);
	return text;
}

/* All packages of the workspace count, and this one among them. */
static void
look_wide(lsp_worker *w)
{
	vc *old = w->c, *whole = w->whole;

	w->whole = NULL;
	w->c = NULL;
	lsp_forget(w, old);
	if (whole && whole != old)
		lsp_forget(w, whole);
	lsp_look_wide(w, NULL, 0);
}

/* ---- languages other than MuranoPL ---- */

/* Words, - and . between them, in names of YAML. */
static bool
is_yaml_name(const char *s)
{
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++)
		if ((!lsp_is_word(s[i]) && !(i && i + 1 < n && strchr("-.", s[i]))) ||
			(unsigned char)s[i] >= 0x80)
			return false;
	return n > 0 && !(s[0] >= '0' && s[0] <= '9');
}

/* Why the language takes the word for something else than a name; NULL: it does not. */
static const char *
kept_word(vc *c, const lsp_language *l, const char *s)
{
	static const char *const taken[] = {
		"yes", "no", "on", "off", "true", "false", "null", "y", "n"};

	if (l == &lsp_yay_language)
		return yay_is_word(s)
			       ? vc_format(
					 c, "'%s' is a word of Yay: nothing can have that name", s)
			       : NULL;
	for (size_t i = 0; i < VC_LEN(taken); i++)
		if (strcasecmp(s, taken[i]) == 0)
			return vc_format(c, "YAML takes '%s' for %s: nothing can have that name", s,
				i == 6 ? "no value" : "true or false");
	return NULL;
}

static bool
is_in_workspace(const lsp_worker *w, const char *path)
{
	bool is = w->s->nfolders == 0;

	for (uint32_t i = 0; i < w->s->nfolders && !is; i++) {
		const char *folder = vc_real_path(w->c, w->s->folder[i]);
		size_t n = folder ? strlen(folder) : 0;
		is = n && strncmp(path, folder, n) == 0 && path[n] == '/';
	}
	return is;
}

/* Whose declaration nobody can change. */
static const char *
declared_elsewhere(vc *c, const lsp_known *k)
{
	const vc_source *src = k->item.at.src;
	unsigned line = 1;

	for (size_t i = 0; src->text && i < k->item.at.from; i++)
		line += src->text[i] == '\n';
	if (*src->name != '<')
		return vc_format(c,
			"%s is declared in line %u of %s, which is not in the workspace",
			k->item.name, line, src->name);
	return vc_format(c,
		"%s is declared in line %u of %.*s, which vetro brings: it cannot be renamed",
		k->item.name, line, (int)strcspn(src->name + 1, ">"), src->name + 1);
}

/* False: the word cannot be renamed, and w->refused says why. */
static bool
find_known(lsp_worker *w, const lsp_document *d, vt_value params, lsp_known *k, size_t *n)
{
	const lsp_language *l = lsp_language_of(w, d);
	lsp_position at;
	const char *path;

	w->exact = w->renames = true;
	if (!lsp_read_position(lsp_get(params, "position"), &at) ||
		!lsp_known_at(w, d, l, lsp_offset(d->text, d->n, w->s->encoding, at), k) ||
		!k->item.at.src) {
		w->refused = "nothing here has a name that somebody gave";
		return false;
	}
	w->refused = k->item.fixed;
	if (w->refused)
		return false;
	path = *k->item.at.src->name == '<' ? NULL : vc_real_path(w->c, k->item.at.src->name);
	*n = k->item.at.to - k->item.at.from;
	if (!path || !is_in_workspace(w, path))
		w->refused = declared_elsewhere(w->c, k);
	else if (*n > strlen(k->item.name))
		*n = strlen(k->item.name); /* in quotes */
	return w->refused == NULL;
}

typedef struct known_edits {
	renaming *r;
	const lsp_language *l;
	size_t n;      /* bytes of the old name */
	vc_span at;    /* of its declaration, which has to be among the places */
	bool declared; /* it is */
} known_edits;

static bool
is_same_file(vc *c, const char *a, const char *b)
{
	const char *x = vc_real_path(c, a), *y = vc_real_path(c, b);

	return x && y && strcmp(x, y) == 0;
}

static void
add_known(void *ctx, const lsp_document *d, const lsp_known *k)
{
	known_edits *x = ctx;
	size_t from, to;

	lsp_known_place(k, x->n, &from, &to);
	x->declared |= from <= x->at.from + 1 && x->at.from <= from &&
		       is_same_file(x->r->w->c, d->path, x->at.src->name);
	if (!x->r->w->refused && lsp_is_taken(x->r->w, d, x->l, from, x->r->name))
		x->r->w->refused = vc_format(x->r->w->c, "there is a %s already", x->r->name);
	add_edit(x->r, d, from, to);
}

/* The same as objection(), of files instead of packages. */
static const char *
objection_of_files(renaming *r)
{
	vc *before = r->w->c;
	const char **path = vc_alloc(before, (r->n + 1) * sizeof *path), *text;
	findings all = {.c = before};
	vc_held *held = vc_alloc(before, (r->n + 1) * sizeof *held);
	uint32_t n = 0, nheld = 0;

	for (uint32_t i = 0; i < r->n; i++)
		if ((i == 0 || strcmp(r->edits[i].path, r->edits[i - 1].path) != 0) &&
			strcmp(r->edits[i].path, r->w->p->path) != 0)
			path[n++] = r->edits[i].path;
	for (uint32_t i = 0; i < r->n;)
		i = patch(r, i, &held[nheld++]);
	lsp_look_files(r->w, path, n, NULL, 0);
	vc_each_finding(r->w->c, note_old, &all);
	vc_free(r->w->c);
	lsp_look_files(r->w, path, n, held, nheld);
	vc_each_finding(r->w->c, find_fresh, &all);
	text = all.fresh ? vc_format(before, "this would be wrong then: %s", all.fresh) : NULL;
	vc_free(r->w->c);
	r->w->c = before;
	lsp_hold(r->w->s, NULL, 0);
	return text;
}

/* ---- answers ---- */

static void
put_edits(const renaming *r, vt_buf *out)
{
	vt_buf_puts(out, "{\"changes\":{");
	for (uint32_t i = 0; i < r->n; i++) {
		const edit *e = &r->edits[i];
		if (i == 0 || strcmp(r->edits[i - 1].path, e->path) != 0) {
			vt_buf_puts(out, i ? "]," : "");
			if (e->uri)
				lsp_put_text(out, e->uri);
			else
				lsp_put_uri(out, e->path);
			vt_buf_puts(out, ":[");
		} else {
			vt_buf_puts(out, ",");
		}
		vt_buf_puts(out, "{\"range\":");
		lsp_put_range(out, r->w->s, e->text, e->n, e->from, e->to);
		vt_buf_puts(out, ",\"newText\":");
		lsp_put_text(out, r->name);
		vt_buf_puts(out, "}");
	}
	vt_buf_puts(out, r->n ? "]}}" : "}}");
}

/* The range of the word, or null where there is nothing to rename. */
void
lsp_prepare_rename(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	lsp_place p;
	lsp_named t;
	lsp_known k;
	size_t n, from, to;

	if (lsp_language_of(w, d)) {
		if (!find_known(w, d, params, &k, &n))
			return;
		lsp_known_place(&k, n, &from, &to);
		lsp_put_range(out, w->s, d->text, d->n, from, to);
		return;
	}
	if (!lsp_place_of(w, d, params, &p))
		return;
	t = lsp_name_at(&p);
	w->refused = hindrance(w, &p, &t);
	if (!w->refused)
		lsp_put_range(out, w->s, d->text, d->n, p.from, p.to);
}

static void
rename_known(renaming *r, const lsp_document *d, vt_value params, vt_buf *out)
{
	lsp_worker *w = r->w;
	known_edits x = {.r = r, .l = lsp_language_of(w, d)};
	lsp_known k;

	if (x.l == &lsp_yay_language ? !is_name(r->name) : !is_yaml_name(r->name))
		w->refused = "a name is letters, digits and _, in YAML with - and . between them, "
			     "and begins with no digit";
	else if ((w->refused = kept_word(w->c, x.l, r->name)) == NULL &&
		 find_known(w, d, params, &k, &x.n)) {
		x.at = k.item.at;
		lsp_each_known_use(w, d, x.l, &k, add_known, &x);
		sort_edits(r);
		put_edits(r, out);
		if (!w->refused && !x.declared)
			w->refused = "vetro cannot change the place where it is declared";
		if (!w->refused)
			w->refused = objection_of_files(r);
	}
}

void
lsp_rename(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	const char *name = lsp_text(params, "newName");
	renaming r = {.w = w, .name = name && *name == '$' ? name + 1 : name};

	if (name && lsp_language_of(w, d)) {
		r.name = name;
		rename_known(&r, d, params, out);
		return;
	}
	if (!name || !is_name(r.name)) {
		w->refused = "a name is letters, digits and _, and begins with no digit";
		return;
	}
	look_wide(w);
	if (!lsp_place_of(w, d, params, &r.at))
		return;
	r.target = lsp_name_at(&r.at);
	if ((w->refused = hindrance(w, &r.at, &r.target)) != NULL)
		return;
	find_places(&r);
	put_edits(&r, out);
	w->refused = objection(&r);
}
