/*
 * rename.c - a property, method, class or variable under another name, in all packages of the
 * workspace that use it.
 *
 * What is found are the references of refer.c, over the packages that may use this one too, the
 * places where a variable is named without its $, and the lines of manifests.  Then the packages
 * are checked as they would be: a rename that leaves anything new to tell is refused, since it
 * missed a place or took a name that is there already.
 */
#include "compiler/lsp/scope.h"
#include "compiler/murano/package.h"

#include <stdlib.h>
#include <string.h>

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
	vc_push(r->w->c, r->edits, r->n) = (edit){d->path, d->uri, d->text, d->n, from, to};
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
find_places(renaming *r)
{
	uint32_t kept = 0;

	lsp_each_use(&r->at, &r->target, true, false, add_use, r);
	if (!r->target.variable && !r->target.property && !r->target.method)
		add_manifest(r);
	qsort(r->edits, r->n, sizeof *r->edits, by_place);
	for (uint32_t i = 0; i < r->n; i++)
		if (kept == 0 || by_place(&r->edits[kept - 1], &r->edits[i]) != 0)
			r->edits[kept++] = r->edits[i];
	r->n = kept;
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

static void
first_text(void *ctx, const vc_finding *f)
{
	const char **text = ctx;

	if (!*text && f->severity != VC_NOTE)
		*text = f->text;
}

/* NULL, or what would be wrong then and is not now. */
static const char *
objection(renaming *r)
{
	vc *before = r->w->c;
	vc_held *held = vc_alloc(before, (r->n + 1) * sizeof *held);
	uint32_t n = 0, said = vc_said(before);
	const char *text = NULL;

	for (uint32_t i = 0; i < r->n;)
		i = patch(r, i, &held[n++]);
	lsp_look_wide(r->w, held, n);
	if (vc_said(r->w->c) > said)
		vc_each_finding(r->w->c, first_text, &text);
	return text ? vc_format(before, "this would be wrong then: %s", text) : NULL;
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

	if (!lsp_place_of(w, d, params, &p))
		return;
	t = lsp_name_at(&p);
	w->refused = hindrance(w, &p, &t);
	if (!w->refused)
		lsp_put_range(out, w->s, d->text, d->n, p.from, p.to);
}

void
lsp_rename(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	const char *name = lsp_text(params, "newName");
	renaming r = {.w = w, .name = name && *name == '$' ? name + 1 : name};

	if (!name || !is_name(r.name)) {
		w->refused = "a name is letters, digits and _, and begins with no digit";
		return;
	}
	lsp_look_wide(w, NULL, 0);
	if (!lsp_place_of(w, d, params, &r.at))
		return;
	r.target = lsp_name_at(&r.at);
	if ((w->refused = hindrance(w, &r.at, &r.target)) != NULL)
		return;
	find_places(&r);
	put_edits(&r, out);
	w->refused = objection(&r);
}
