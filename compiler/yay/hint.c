/*
 * hint.c - what was likely meant, where a configuration failed: names that are nearly the one
 * that is not there, and what Yay has not.  Messages and their kinds are the evaluator's
 * (runtime/yay); secret documents are not looked at.
 */
#include "compiler/yay/run.h"

#include <string.h>

/* Names that are compared; a configuration with more has its hint from the first of them. */
enum { MOST_NAMES = 20000 };

typedef struct names {
	const char *v[MOST_NAMES];
	uint32_t n;
} names;

static const char *
text_of(vc *c, const vt_ydoc *d, uint32_t str)
{
	return vc_strndup(c, d->chars + d->str[str], d->str[str + 1] - d->str[str]);
}

/* The string of a row that defines a name, or 0. */
static uint32_t
defined(const vt_yrow *r)
{
	if (r->kind == YAY_ENTRY || r->kind == YAY_PROTOTYPE || r->kind == YAY_MACRO)
		return r->a;
	return r->kind == YAY_SET || r->kind == YAY_NEW ? r->c : 0;
}

static void
collect(vc *c, const yay_world *w, names *out)
{
	for (size_t i = 0; vt_yay_function(i); i++)
		out->v[out->n++] = vt_yay_function(i);
	for (uint32_t i = 0; i < w->nopened; i++) {
		const vt_ydoc *d = w->opened[i].doc;
		for (uint32_t r = 1; !w->opened[i].secret && r < d->nrows && out->n < MOST_NAMES;
			r++)
			if (defined(&d->row[r]))
				out->v[out->n++] = text_of(c, d, defined(&d->row[r]));
	}
}

/* The document that a place is in, if its text may be shown. */
static const vt_ydoc *
document(const yay_world *w, const vt_yplace *p)
{
	return p->doc && yay_world_shows(w, p->doc, p->name) ? p->doc : NULL;
}

/* The first row at a place that is of one of two kinds, or 0. */
static uint32_t
row_at(const vt_ydoc *d, const vt_yplace *p, int kind, int other)
{
	for (uint32_t r = 1; r < d->nrows; r++)
		if (d->row[r].line == p->line && d->row[r].col == p->col &&
			(d->row[r].kind == kind || d->row[r].kind == other))
			return r;
	return 0;
}

static const char *
near_name(vc *c, const yay_world *w, const char *name)
{
	names *all = vc_alloc(c, sizeof *all);

	collect(c, w, all);
	return vt_nearest(name, all->v, all->n);
}

/* YAML and Python have a word for it. */
static bool
is_constant(const char *name)
{
	static const char *const words[] = {
		"true", "false", "yes", "no", "on", "off", "null", "none"};

	for (size_t i = 0; i < VC_LEN(words); i++)
		if (strcasecmp(name, words[i]) == 0)
			return true;
	return false;
}

/* "Could not find 'NAME'" */
static const char *
missing_name(vc *c, const yay_world *w, const char *message)
{
	const char *from = strchr(message, '\''), *to = strrchr(message, '\''), *name, *near;

	if (from == NULL || to <= from + 1)
		return NULL;
	name = vc_strndup(c, from + 1, (size_t)(to - from - 1));
	if (is_constant(name))
		return vc_format(c,
			"there are no booleans and no null: %s in data is a text; conditions take "
			"1 and 0, or 1 == 1",
			name);
	near = near_name(c, w, name);
	if (near)
		vc_near(c, near);
	return near ? vc_format(c, "did you mean '%s'?", near) : NULL;
}

/* `new` and `call` of what nothing defines could only define it themselves. */
static const char *
called_name(vc *c, const yay_world *w, const vt_yplace *p)
{
	const vt_ydoc *d = document(w, p);
	uint32_t row = d ? row_at(d, p, YAY_NEW, YAY_CALL) : 0, callee = row ? d->row[row].a : 0;
	names *all = vc_alloc(c, sizeof *all);
	const char *name, *near;

	if (!callee || d->row[callee].kind != YAY_IDENT)
		return NULL;
	name = text_of(c, d, d->row[callee].a);
	collect(c, w, all);
	for (uint32_t i = 0; i < all->n; i++)
		if (strcmp(all->v[i], name) == 0)
			return NULL;
	near = vt_nearest(name, all->v, all->n);
	if (near)
		vc_near(c, near);
	return near ? vc_format(c, "nothing defines '%s'; did you mean '%s'?", name, near)
		    : vc_format(c,
			      "nothing defines '%s', so only what comes of this line itself could",
			      name);
}

/* A text that YAML would take for a boolean. */
static const char *
boolean_text(vc *c, const yay_world *w, const vt_yplace *p)
{
	const vt_ydoc *d = document(w, p);
	uint32_t row = d ? row_at(d, p, YAY_TEXT, YAY_TEXT) : 0;
	const char *text = row ? text_of(c, d, d->row[row].a) : NULL;

	return text && is_constant(text)
		       ? vc_format(c, "there are no booleans: %s is a text; write 1 or 0", text)
		       : NULL;
}

/* Are there items in the block, and no keys? */
static bool
is_list(const vt_ydoc *d, uint32_t body)
{
	bool items = false;

	for (uint32_t s = d->row[body].kind == YAY_BODY ? d->row[body].a : 0; s;
		s = d->row[s].next) {
		if (d->row[s].kind == YAY_MAP)
			return false;
		items |= d->row[s].kind == YAY_LIST || d->row[s].kind == YAY_FOR;
	}
	return items;
}

/* What stands between brackets is a text; so is, or a number, what has members asked of it. */
static const char *
no_members(vc *c, const yay_world *w, const vt_yfault *f)
{
	const vt_ydoc *d = document(w, &f->place[0]);
	uint32_t row = d ? row_at(d, &f->place[0], YAY_TEXT, YAY_TEXT) : 0;
	const char *text = row ? text_of(c, d, d->row[row].a) : "";

	if (f->message && strcmp(f->message, "Expected integer") == 0)
		return "an item is asked for by its number, as list[0]; lists have no methods, and "
		       "+ "
		       "joins them";
	if (f->message && strncmp(f->message, "Expected an integer, '", 22) == 0 && d &&
		is_list(d, d->root))
		return "names are keys of the mapping at the top, and a list stands there: give it "
		       "a key, and indent it below";
	if (!f->message || strcmp(f->message, "Expecting dictionary or list") != 0)
		return NULL;
	if (*text == '[')
		return "brackets in a value are text: items stand on lines of their own behind "
		       "dashes, or in a template {{ [1, 2] }}";
	return "a text or a number has no keys and no methods; functions stand before what they "
	       "are given, as len(x)";
}

/* `x or "default"` of a name that is not there, and `x | filter`. */
static const char *
with_or(const vt_ydoc *d, const vt_yplace *p)
{
	for (uint32_t r = 1; d && r < d->nrows; r++)
		if (d->row[r].kind == YAY_BINARY && d->row[r].op == '|' &&
			d->row[r].line == p->line && d->row[d->row[r].b].kind == YAY_IDENT)
			return "there are no filters: functions stand before what they are given, "
			       "as "
			       "len(x)";
		else if (d->row[r].kind == YAY_OR && d->row[r].line == p->line &&
			 d->row[d->row[r].a].kind == YAY_IDENT)
			return "a value for a name that is not there stands behind else: "
			       "{{ name else \"value\" }}";
	return NULL;
}

/* A name that goes on as that of a file: `include base.yay`. */
static const char *
bare_file(vc *c, const yay_world *w, const vt_yplace *p)
{
	static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
				   "./-";
	const vt_ydoc *d = document(w, p);
	vc_span at = d ? yay_span(c, d->name, d->text, p->line, p->col) : (vc_span){0};
	const char *text = at.src ? at.src->text + at.from : "";
	size_t n = strspn(text, more);

	if (n < 5 || strncmp(text + n - 4, ".yay", 4) != 0)
		return NULL;
	return vc_format(c, "the name of a file stands in quotes: \"%.*s\"", (int)n, text);
}

const char *
yay_hint(vc *c, const yay_world *w, const vt_yfault *f)
{
	const char *hint =
		f->kind == VT_YE_NO_MATCHING && f->nplaces ? bare_file(c, w, &f->place[0]) : NULL;

	if (hint)
		return hint;
	if (f->kind == VT_YE_NO_MATCHING && f->message) {
		hint = missing_name(c, w, f->message);
		return hint || !f->nplaces ? hint
					   : with_or(document(w, &f->place[0]), &f->place[0]);
	}
	if (f->kind == VT_YE_CYCLE && f->nplaces == 1)
		return called_name(c, w, &f->place[0]);
	if (f->kind != VT_YE_TYPE || !f->nplaces)
		return NULL;
	hint = boolean_text(c, w, &f->place[0]);
	return hint ? hint : no_members(c, w, f);
}
