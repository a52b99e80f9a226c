/*
 * view.c - the newest text of a document that can be read, for what is asked beside the check.
 *
 * That is the text itself, or the text without the line at hand, or the last text that a worker
 * could read, which the server keeps: a file that is broken keeps what was known of it.
 */
#include "compiler/lsp/know.h"
#include "compiler/tosca/front.h"
#include "compiler/yay/front.h"
#include "runtime/core/base.h"

#include <string.h>

/* ---- places in two texts that differ in one piece ---- */

typedef struct common {
	size_t front, back;
} common;

static common
common_ends(const char *a, size_t na, const char *b, size_t nb)
{
	common c = {0, 0};
	size_t most = na < nb ? na : nb;

	while (c.front < most && a[c.front] == b[c.front])
		c.front++;
	while (c.back < most - c.front && a[na - c.back - 1] == b[nb - c.back - 1])
		c.back++;
	return c;
}

static size_t
moved(const char *a, size_t na, const char *b, size_t nb, size_t at)
{
	common c = common_ends(a, na, b, nb);

	return at <= c.front ? at : at >= na - c.back ? at - na + nb : c.front;
}

size_t
lsp_to_known(const char *known, size_t nknown, const lsp_document *d, size_t at)
{
	return moved(d->text, d->n, known, nknown, at);
}

size_t
lsp_from_known(const char *known, size_t nknown, const lsp_document *d, size_t at)
{
	return moved(known, nknown, d->text, d->n, at);
}

/* ---- what can be read ---- */

static bool
is_yay(const lsp_document *d)
{
	return d->path && vt_ends_with(d->path, ".yay");
}

/* The tree of a text, in the view's compilation; false: it cannot be read. */
static bool
reads(lsp_view *v, const char *text, size_t n)
{
	const lsp_document *d = v->d;
	vc *c = vc_new();
	yay_fault fault = {0};
	const yay_old *old;
	uint32_t nold;
	bool good;

	if (is_yay(d)) {
		good = yay_read(c, d->path, text, n, false, &fault, &old, &nold) != NULL;
	} else {
		const char *name = d->path ? d->path : d->uri;
		vc_source *src = vc_source_take(c, name, vc_strndup(c, text, n), n);
		v->doc = src ? vc_yaml_parse(c, src, &(vc_yaml_opts){0}, &v->ndocs) : NULL;
		good = src && vc_errors(c) == 0;
	}
	if (!good) {
		v->doc = NULL;
		v->ndocs = 0;
		vc_free(c);
		return false;
	}
	v->c = c;
	v->text = text;
	v->n = n;
	return true;
}

/* The line at hand without what stands behind the place, with something there and brackets closed:
 * `{ get_property: [ web, `. */
static bool
reads_closed(lsp_view *v, const lsp_spot *s)
{
	const lsp_document *d = v->d;
	size_t rest = s->at + strcspn(d->text + s->at, "\n");
	vt_buf b = {0};

	if (!*s->close)
		return false;
	vt_buf_put(&b, d->text, s->at);
	vt_buf_printf(&b, "x%s", s->close);
	vt_buf_put(&b, d->text + rest, d->n - rest);
	size_t n = b.n;
	return reads(v, vc_take(v->c, &b), n);
}

static bool
reads_without_line(lsp_view *v, size_t line)
{
	const lsp_document *d = v->d;
	char *text = vc_strndup(v->c, d->text, d->n);

	memset(text + line, ' ', strcspn(text + line, "\n"));
	return reads(v, text, d->n);
}

static void
drop(void *c)
{
	vc_free(c);
}

/* Views last as long as their worker, whose text does not change. */
lsp_view *
lsp_view_of(const lsp_spot *s)
{
	lsp_worker *w = s->w;
	const lsp_document *d = s->d;
	lsp_view *v = w->view;

	if (v && v->d == d && (v->mended == SIZE_MAX || v->mended == s->at))
		return v->text ? v : NULL;
	v = vc_alloc(w->c, sizeof *v);
	*v = (lsp_view){.d = d, .c = w->c, .mended = SIZE_MAX};
	w->view = v;
	if (!reads(v, d->text, d->n)) {
		v->mended = s->at;
		if (!reads_closed(v, s) && !reads_without_line(v, s->line) && d->known)
			(void)reads(v, d->known, d->nknown);
	}
	if (v->text)
		vc_defer(w->c, drop, v->c);
	return v->text ? v : NULL;
}

/* ---- the tree ---- */

static const ynode *
child(const ynode *y, const lsp_step *step)
{
	if (!step->key)
		return y->kind == YN_SEQ && step->index < y->n ? y->item[step->index] : NULL;
	return y->kind == YN_MAP ? yn_get(y, step->key) : NULL;
}

const ynode *
lsp_node_at(const lsp_spot *s, uint32_t steps)
{
	const ynode *y = s->view && s->view->ndocs ? s->view->doc[0] : NULL;

	for (uint32_t i = 0; y && i < steps && i < s->n; i++)
		y = child(y, &s->step[i]);
	return y;
}
