/*
 * reach.c - what a name that is worked out when the binary runs may be: its constant beginning and
 * end, and the files below a folder that have them.
 */
#include "compiler/yay/build.h"
#include "compiler/yay/run.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_PATTERNS = 64, MOST_DEPTH = 32 };

typedef struct patterns {
	yay_pattern *v;
	uint32_t n;
} patterns;

static void of_row(vc *c, const vt_ydoc *d, uint32_t row, patterns *out);

static void
put(vc *c, patterns *p, const char *begin, const char *end, bool whole)
{
	if (p->n < MOST_PATTERNS)
		vc_push(c, p->v, p->n) = (yay_pattern){begin, end, whole};
	else /* one that is all of them */
		p->v[0] = (yay_pattern){"", "", false};
}

/* Every text of one with every text of the other behind it. */
static patterns
joined(vc *c, const patterns *a, const patterns *b)
{
	patterns out = {0};

	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; k < b->n; k++) {
			const yay_pattern *x = &a->v[i], *y = &b->v[k];
			put(c, &out, x->whole ? vc_format(c, "%s%s", x->begin, y->begin) : x->begin,
				y->whole ? vc_format(c, "%s%s", x->end, y->end) : y->end,
				x->whole && y->whole);
		}
	return out;
}

static void
put_all(vc *c, patterns *out, const patterns *in)
{
	for (uint32_t i = 0; i < in->n; i++)
		put(c, out, in->v[i].begin, in->v[i].end, in->v[i].whole);
}

static void
of_sum(vc *c, const vt_ydoc *d, uint32_t left, uint32_t right, patterns *out)
{
	patterns a = {0}, b = {0}, both;

	of_row(c, d, left, &a);
	of_row(c, d, right, &b);
	both = joined(c, &a, &b);
	put_all(c, out, &both);
}

/* Scalars in a row are one text. */
static void
of_parts(vc *c, const vt_ydoc *d, uint32_t first, patterns *out)
{
	patterns all = {0};

	put(c, &all, "", "", true);
	for (uint32_t r = first; r; r = d->row[r].next) {
		patterns part = {0};
		of_row(c, d, r, &part);
		all = joined(c, &all, &part);
	}
	put_all(c, out, &all);
}

static void
of_chain(vc *c, const vt_ydoc *d, uint32_t first, bool items, patterns *out)
{
	for (uint32_t r = first; r; r = d->row[r].next)
		of_row(c, d, items ? d->row[r].a : r, out);
}

/* Whatever is no constant, and is not put together of some, may be any text. */
static void
of_row(vc *c, const vt_ydoc *d, uint32_t row, patterns *out)
{
	const vt_yrow *r = &d->row[row];
	const char *text;

	if (row == 0)
		return;
	if (r->kind == YAY_STR || r->kind == YAY_TEXT) {
		text = vc_strndup(c, d->chars + d->str[r->a], d->str[r->a + 1] - d->str[r->a]);
		put(c, out, text, text, true);
	} else if (r->kind == YAY_BINARY && r->op == '+')
		of_sum(c, d, r->a, r->b, out);
	else if (r->kind == YAY_MERGED)
		of_parts(c, d, r->a, out);
	else if (r->kind == YAY_TERNARY) {
		of_row(c, d, r->a, out);
		of_row(c, d, r->c, out);
	} else if (r->kind == YAY_ELSE || r->kind == YAY_OR || r->kind == YAY_AND) {
		of_row(c, d, r->a, out);
		of_row(c, d, r->b, out);
	} else if (r->kind == YAY_CHOSEN)
		of_row(c, d, r->a, out);
	else if (r->kind == YAY_BODY && !r->b)
		of_chain(c, d, r->a, false, out);
	else if (r->kind == YAY_TUPLE || r->kind == YAY_DISPLAY || r->kind == YAY_SETOF)
		of_chain(c, d, r->a, false, out);
	else if (r->kind == YAY_LIST)
		of_chain(c, d, r->a, true, out);
	else if (r->kind == YAY_COMP && d->row[r->a].kind != YAY_PAIR)
		of_row(c, d, r->a, out);
	else
		put(c, out, "", "", false);
}

uint32_t
yay_patterns(vc *c, const vt_ydoc *d, uint32_t row, yay_pattern **out)
{
	patterns p = {0};

	of_row(c, d, row, &p);
	*out = p.v;
	return p.n;
}

/* ---- files ---- */

typedef struct walk {
	vc *c;
	yay_tree *t;
	size_t root;       /* length of the folder's name */
	const char *begin; /* of what stands behind it */
	const char *end;
	const char *above[MOST_DEPTH]; /* real paths: a link may lead back */
} walk;

static bool
fits(const walk *w, const char *path)
{
	const char *rest = path + w->root;

	return strncmp(rest, w->begin, strlen(w->begin)) == 0 && vt_ends_with(path, w->end);
}

static bool
is_above(const walk *w, uint32_t depth, const char *real)
{
	for (uint32_t i = 0; i < depth; i++)
		if (strcmp(w->above[i], real) == 0)
			return true;
	return false;
}

/* What begins with a dot is no part of a configuration: .git, and files of editors. */
static void
walk_folder(walk *w, const char *dir, uint32_t depth)
{
	bool outside;
	const char *real = vc_allowed(w->c, *dir ? dir : ".", &outside);
	DIR *d = real && depth < MOST_DEPTH && !is_above(w, depth, real) ? opendir(real) : NULL;

	if (!d)
		return;
	w->above[depth] = real;
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		struct stat st;
		const char *path;
		if (e->d_name[0] == '.')
			continue;
		if (w->t->entries++ >= w->c->limit.max_entries)
			break;
		path = *dir ? vc_format(w->c, "%s/%s", dir, e->d_name) : vc_strdup(w->c, e->d_name);
		if (stat(path, &st) != 0)
			continue;
		if (S_ISDIR(st.st_mode))
			walk_folder(w, path, depth + 1);
		else if (S_ISREG(st.st_mode) && fits(w, path))
			vc_push(w->c, w->t->name, w->t->n) = path;
	}
	closedir(d);
}

bool
yay_files_below(vc *c, const char *dir, const char *begin, const char *end, yay_tree *t)
{
	walk w = {.c = c, .t = t, .begin = begin, .end = *end ? end : ".yay"};

	w.root = *dir ? strlen(dir) + 1 : 0;
	t->name = NULL;
	t->n = 0;
	walk_folder(&w, dir, 0);
	if (t->n)
		qsort(t->name, t->n, sizeof *t->name, vt_compare_texts);
	return t->entries < c->limit.max_entries;
}
