/*
 * missing.c - includes of files that are not there, by a constant name: evaluation meets them
 * only where it comes by, which may be on another machine.
 */
#include "compiler/yay/run.h"

#include <string.h>
#include <unistd.h>

enum { ENOUGH = 100 };

const char *
yay_included(vc *c, const vt_ydoc *d, uint32_t row)
{
	uint32_t a = d->row[row].kind == YAY_INCLUDE ? d->row[row].a : 0, k;

	if (!a || (d->row[a].kind != YAY_STR && d->row[a].kind != YAY_TEXT))
		return NULL;
	k = d->row[a].a;
	return vc_strndup(c, d->chars + d->str[k], d->str[k + 1] - d->str[k]);
}

static bool
is_there(vc *c, const char *dir, size_t n, const char *name)
{
	const char *path = n && *name != '/' ? vc_format(c, "%.*s/%s", (int)n, dir, name) : name;

	return access(path, F_OK) == 0;
}

/* Beside the document, as it is called, or below the search path. */
static bool
is_found(
	const yay_world *w, const vt_ydoc *d, const char *name, const char *const *dirs, uint32_t n)
{
	const char *slash = strrchr(d->name, '/');

	if (is_there(w->c, d->name, slash ? (size_t)(slash - d->name) : 0, name) ||
		is_there(w->c, "", 0, name))
		return true;
	for (uint32_t i = 0; i < n; i++)
		if (is_there(w->c, dirs[i], strlen(dirs[i]), name))
			return true;
	return false;
}

/* yay.searchpath is an entry like any other: what it comes to is known when it is evaluated. */
bool
yay_is_search_path(const vt_ydoc *d, uint32_t row)
{
	uint32_t k = d->row[row].a;

	return d->row[row].kind == YAY_ENTRY && d->str[k + 1] - d->str[k] == 10 &&
	       memcmp(d->chars + d->str[k], "searchpath", 10) == 0;
}

/* Could it add to the search path? */
static bool
may_search(const vt_ydoc *d)
{
	for (uint32_t r = 1; r < d->nrows; r++)
		if (d->row[r].kind == YAY_SEARCH || yay_is_search_path(d, r))
			return true;
	return false;
}

/* Names with a scheme are not ours to look for. */
static void
warn(const yay_world *w, const vt_ydoc *d, const char *const *dirs, uint32_t ndirs,
	yay_reported_fn *reported, void *ctx, uint32_t *left)
{
	for (uint32_t r = 1; r < d->nrows && *left; r++) {
		const vt_yrow *row = &d->row[r];
		const char *name = yay_included(w->c, d, r);
		if (!name || strstr(name, "://") || is_found(w, d, name, dirs, ndirs) ||
			(reported && reported(ctx, d, row->line, row->col)))
			continue;
		vc_report(w->c, VC_W3002, yay_span(w->c, d->name, d->text, row->line, row->col),
			"there is no file '%s'", name);
		--*left;
	}
}

void
yay_warn_missing(const yay_world *w, const vt_ydoc *const *docs, uint32_t n,
	const char *const *dirs, uint32_t ndirs, yay_reported_fn *reported, void *ctx)
{
	uint32_t left = ENOUGH;

	for (uint32_t i = 0; i < n; i++)
		if (may_search(docs[i]))
			return;
	for (uint32_t i = 0; i < n; i++) {
		const yay_opened *o = yay_world_opened(w, docs[i]);
		if (o && !o->secret && !o->base)
			warn(w, docs[i], dirs, ndirs, reported, ctx, &left);
	}
}
