/* exception.c - an exception that nothing caught, as a diagnostic on standard error. */
#include "runtime/program/exception.h"

#include "runtime/core/diag.h"
#include "runtime/text/report.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NOTES = 40 };

/* The notes of a report while it is made; their texts are malloc'd. */
typedef struct notes {
	vt_remark v[MOST_NOTES];
	uint32_t n;
} notes;

static void
add_note(notes *all, vt_place at, char *text)
{
	if (all->n < MOST_NOTES)
		all->v[all->n++] = (vt_remark){at, text};
	else
		free(text);
}

/* The instruction is all that a binary has of the source. */
static vt_place
place_of(const vt_exc *e, uint32_t i)
{
	const vt_frame f = vt_exc_frame(e, i);
	size_t n = strlen(f.instruction);

	if (!*f.file || !f.line)
		return (vt_place){0};
	return (vt_place){.file = f.file,
		.line = f.line,
		.col = f.col,
		.end_line = f.line,
		.end_col = f.col,
		.text = n ? f.instruction : NULL,
		.n = n,
		.to = n};
}

static char *
said(vt_exc *e)
{
	const vt_str *s = vt_is(e->message, STR) ? vt_as_str(e->message) : NULL;

	return vt_asprintf("%s%s%.*s", vt_exc_shown_type(e), s && s->bytes ? ": " : "",
		s ? (int)s->bytes : 0, s ? s->s : "");
}

/* The innermost frame is the place of the report; it needs no second excerpt. */
static void
add_frames(notes *all, const vt_exc *e, bool placed)
{
	for (uint32_t i = e->nframes; i-- > 0;) {
		const vt_frame f = vt_exc_frame(e, i);
		bool here = placed && i + 1 == e->nframes;
		add_note(all, here ? (vt_place){0} : place_of(e, i),
			vt_asprintf("in method %s of type %s", f.method, f.type));
	}
}

static void
print(const char *self, const char *file, const char *what, const char *more, vt_exc *e)
{
	vt_report r = {.code = vt_diag_name(vt_etype_diag(e->type)), .self = self};
	notes all = {.n = 0};
	char *text = said(e), *hint;
	char *message = vt_asprintf("%s%s%s", what ? what : "", what ? ": " : "", text);

	if (e->nframes)
		r.at = place_of(e, e->nframes - 1);
	else
		r.at.file = file;
	add_frames(&all, e, r.at.line > 0);
	for (const vt_exc *x = e; vt_is(x->cause, EXC) && all.n < MOST_NOTES;) {
		vt_exc *cause = VT_AS(vt_exc, x->cause);
		char *why = said(cause);
		vt_place at = {0};
		if (cause->nframes)
			at = place_of(cause, cause->nframes - 1);
		add_note(&all, at, vt_asprintf("caused by %s", why));
		free(why);
		x = cause;
	}
	hint = vt_asprintf("%s%s%s'vetro explain %s' says more",
		e->type == VT_E_NOT_EXPOSED ? "Scope: Public makes a method one; " : "",
		more ? more : "", more ? "; " : "", r.code);
	r.message = message;
	r.notes = all.v;
	r.nnotes = all.n;
	r.hint = hint;
	vt_report_print(&r, stderr);
	for (uint32_t i = 0; i < all.n; i++)
		free((char *)(uintptr_t)all.v[i].text);
	free(hint);
	free(message);
	free(text);
}

void
vt_exception_print(const char *self, const char *file, const char *what, vt_exc *e)
{
	print(self, file, what, NULL, e);
}

void
vt_exception_print_with(const char *self, const char *hint, vt_exc *e)
{
	print(self, NULL, NULL, hint, e);
}
