/*
 * know.c - what languages offer, as answers: completion, hover, definition, references.
 */
#include "compiler/heat/heat.h"
#include "compiler/lsp/know.h"
#include "compiler/lsp/scope.h"
#include "runtime/text/report.h"

#include <string.h>

/* ---- which language ---- */

static bool
is_form(const lsp_document *d)
{
	const char *folder = d->path ? strstr(d->path, "/UI/") : NULL;

	return folder && !strchr(folder + 4, '/');
}

static bool
is_heat(const lsp_document *d)
{
	return heat_says(&(vc_source){.text = d->text, .n = d->n});
}

const lsp_language *
lsp_language_of(const lsp_worker *w, const lsp_document *d)
{
	if (!d)
		return NULL;
	switch (w->p->kind) {
	case LSP_PACKAGE: return is_form(d) ? &lsp_form_language : NULL;
	case LSP_TOSCA: return is_heat(d) ? &lsp_heat_language : &lsp_tosca_language;
	case LSP_HEAT: return &lsp_heat_language;
	case LSP_YAY: return &lsp_yay_language;
	case LSP_WORKFLOW: return &lsp_workflow_language;
	case LSP_OTHER:
	case LSP_KINDS: break;
	}
	return NULL;
}

/* ---- offers ---- */

bool
lsp_wants(const lsp_offers *o, const char *name)
{
	return name && (!o->wanted || strcmp(o->wanted, name) == 0 || strcmp(o->part, name) == 0);
}

void
lsp_offer(lsp_offers *o, const lsp_item *item)
{
	if (item->name && *item->name &&
		(item->part || !o->wanted || !strcmp(o->wanted, item->name)))
		o->take(o, item);
}

void
lsp_offer_words(lsp_offers *o, const char *words, enum lsp_item_kind kind, bool key)
{
	for (size_t n; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		lsp_offer(o,
			&(lsp_item){.name = vc_strndup(o->c, words, n), .kind = kind, .key = key});
	}
}

void
lsp_offer_keys(lsp_offers *o, const ynode *map, enum lsp_item_kind kind, const char *what)
{
	for (uint32_t i = 0; map && map->kind == YN_MAP && i < map->n; i++) {
		const ynode *key = map->key[i];
		if (key->kind == YN_SCALAR && lsp_wants(o, key->text))
			lsp_offer(o, &(lsp_item){.name = key->text,
					     .kind = kind,
					     .detail = what,
					     .at = key->span,
					     .doc = lsp_schema_text(o->c,
						     vc_format(o->c, "%s `%s`", what, key->text),
						     map->item[i])});
	}
}

/* ---- schemas ---- */

/* On one line, as it is written, cut where it is long. */
static void
put_source(vt_buf *b, const ynode *y)
{
	enum { MOST = 120 };
	vc_span at = y->span;
	bool block = (y->kind == YN_MAP || y->kind == YN_SEQ) && !y->flow && y->n;

	if (y->kind == YN_SCALAR && y->text && !memchr(y->text, '\n', y->ntext))
		vt_buf_printf(b, "%.*s", (int)(y->ntext < MOST ? y->ntext : MOST), y->text);
	else if (block || !at.src || !at.src->text || at.to <= at.from || at.to - at.from > MOST)
		vt_buf_puts(b, "...");
	else
		vt_buf_printf(b, "%.*s", (int)(at.to - at.from), at.src->text + at.from);
}

const char *
lsp_schema_text(vc *c, const char *head, const ynode *schema)
{
	vt_buf b = {0}, rest = {0};
	const ynode *told = NULL;

	for (uint32_t i = 0; schema && schema->kind == YN_MAP && i < schema->n; i++) {
		const char *key = schema->key[i]->kind == YN_SCALAR ? schema->key[i]->text : NULL;
		const ynode *y = schema->item[i];
		if (!key)
			continue;
		if (strcmp(key, "description") == 0 && y->kind == YN_SCALAR) {
			told = y;
			continue;
		}
		vt_buf_printf(&rest, "%s: ", key);
		put_source(&rest, y);
		vt_buf_putc(&rest, '\n');
	}
	if (schema && schema->kind == YN_SCALAR && schema->ntext) {
		put_source(&rest, schema);
		vt_buf_putc(&rest, '\n');
	}
	vt_buf_puts(&b, head);
	if (rest.n)
		vt_buf_printf(&b, "\n```yaml\n%.*s```", (int)rest.n, rest.p);
	if (told)
		vt_buf_printf(&b, "\n\n%.*s", (int)told->ntext, told->text);
	vt_buf_free(&rest);
	return vc_take(c, &b);
}

/* ---- YAQL inside of other texts ---- */

size_t
lsp_yaql_word(const lsp_spot *s, char *before)
{
	const char *text = s->d->text;
	size_t from = s->at;

	while (from > s->line && lsp_is_word(text[from - 1]))
		from--;
	*before = from > s->line ? text[from - 1] : ' ';
	return from;
}

uint32_t
lsp_yaql_chain(const lsp_spot *s, size_t dot, const char **name, uint32_t most)
{
	const char *text = s->d->text, *last[LSP_DEEP];
	size_t at = dot;
	uint32_t n = 0;

	while (at > s->line && n < VC_LEN(last)) {
		size_t end = at -= text[at - 1] == '?';
		while (at > s->line && lsp_is_word(text[at - 1]))
			at--;
		if (at == end && at > s->line && text[at - 1] == '$')
			break; /* `$.` */
		if (at == end || at == s->line)
			return UINT32_MAX;
		last[n++] = vc_strndup(s->w->c, text + at, end - at);
		if (text[at - 1] != '.')
			return UINT32_MAX;
		at--;
	}
	for (uint32_t i = 0; i < n && i < most; i++)
		name[i] = last[n - 1 - i];
	return n < most ? n : most;
}

typedef struct functions {
	lsp_offers *o;
	bool behind;
} functions;

static void
offer_function(void *ctx, const lsp_function *f)
{
	functions *x = ctx;

	if ((x->behind ? f->method : f->function) && lsp_wants(x->o, f->name) &&
		lsp_sees(x->o->s->w, x->o->s->d, f))
		lsp_offer(x->o,
			&(lsp_item){.name = f->name,
				.detail = f->signature,
				.kind = LSP_I_FUNCTION,
				.part = true,
				.doc = vc_format(x->o->c, "```yaql\n%s\n```\n%s%s%s%s",
					f->signature, f->doc, *f->example ? "\n\nExample: `" : "",
					f->example, *f->example ? "`" : "")});
}

void
lsp_offer_yaql(lsp_offers *o, bool behind)
{
	functions x = {o, behind};

	lsp_each_function(o->c, offer_function, &x);
}

/* ---- one place ---- */

static bool
open_spot(lsp_worker *w, const lsp_document *d, size_t at, const lsp_language *l, lsp_spot *s,
	lsp_offers *o)
{
	(void)l;
	if (!lsp_spot_at(w, d, at, s) || s->comment)
		return false;
	s->view = lsp_view_of(s);
	*o = (lsp_offers){.s = s, .c = w->c};
	return true;
}

/* The word's part that an item may name: behind the last dot, or $. */
static size_t
part_start(const lsp_spot *s)
{
	char before;

	return lsp_yaql_word(s, &before);
}

/* ---- completion ---- */

typedef struct list {
	vt_buf *out;
	const char **name;
	uint32_t n;
} list;

static void
take_item(lsp_offers *o, const lsp_item *x)
{
	list *l = o->ctx;
	const lsp_spot *s = o->s;

	for (uint32_t i = 0; i < l->n; i++)
		if (strcmp(l->name[i], x->name) == 0)
			return;
	if (x->declared)
		return;
	vc_push(o->c, l->name, l->n) = x->name;
	lsp_put_item(l->out, l->n > 1, s->w->s, s->d,
		&(lsp_put){x->name, x->detail, x->doc, (int)x->kind,
			x->part ? part_start(s) : s->from, s->at,
			x->key ? vc_format(o->c, "%s: ", x->name) : x->name});
}

void
lsp_complete_known(
	lsp_worker *w, const lsp_document *d, const lsp_language *l, size_t at, vt_buf *out)
{
	lsp_spot s;
	lsp_offers o;
	list all = {.out = out};

	if (!open_spot(w, d, at, l, &s, &o))
		return;
	o.take = take_item;
	o.ctx = &all;
	l->offer(&o);
}

/* ---- the word there ---- */

typedef struct wanted {
	lsp_known *known;
	const char *word, *part;
	size_t part_from, part_to;
	bool found;
} wanted;

static void
take_wanted(lsp_offers *o, const lsp_item *x)
{
	wanted *w = o->ctx;
	bool whole = strcmp(x->name, w->word) == 0;

	if (w->found || (x->part ? strcmp(x->name, w->part) != 0 : !whole))
		return;
	w->found = true;
	w->known->item = *x;
	w->known->from = x->part ? w->part_from : o->s->from;
	w->known->to = x->part ? w->part_to : o->s->to;
}

bool
lsp_known_at(lsp_worker *w, const lsp_document *d, const lsp_language *l, size_t at, lsp_known *k)
{
	lsp_spot s;
	lsp_offers o;
	wanted x = {.known = k};
	size_t end = at;

	/* the place at the end of the word knows the same, and what stands before it */
	if (!open_spot(w, d, at, l, &s, &o) || s.from == s.to)
		return false;
	while (end < s.to && lsp_is_word(d->text[end]))
		end++;
	s.at = end;
	x.part_from = part_start(&s);
	x.part_to = end;
	x.part = vc_strndup(w->c, d->text + x.part_from, end - x.part_from);
	x.word = o.wanted = lsp_spot_word(&s);
	o.part = x.part;
	o.take = take_wanted;
	o.ctx = &x;
	l->offer(&o);
	return x.found;
}

static void
take_taken(lsp_offers *o, const lsp_item *x)
{
	bool *taken = o->ctx;

	*taken |= x->at.src && strcmp(x->name, o->part) == 0;
}

bool
lsp_is_taken(
	lsp_worker *w, const lsp_document *d, const lsp_language *l, size_t at, const char *name)
{
	lsp_spot s;
	lsp_offers o;
	bool taken = false;

	if (!open_spot(w, d, at, l, &s, &o))
		return false;
	o.wanted = o.part = name;
	o.take = take_taken;
	o.ctx = &taken;
	l->offer(&o);
	return taken;
}

/* ---- references ---- */

static bool
same_place(vc *c, vc_span a, vc_span b)
{
	if (!a.src || !b.src || a.from != b.from)
		return false;
	if (a.src == b.src || strcmp(a.src->name, b.src->name) == 0)
		return true;
	const char *x = vc_real_path(c, a.src->name), *y = vc_real_path(c, b.src->name);
	return x && y && strcmp(x, y) == 0;
}

/* Who renames is told of a place where it may stand and nobody can say. */
static void
look_blind(lsp_worker *w, const lsp_document *d, const lsp_language *l, size_t at, const char *name)
{
	lsp_spot s;
	lsp_offers o;

	if (!w->renames || w->refused || !l->is_blind || !open_spot(w, d, at, l, &s, &o))
		return;
	size_t n = strlen(name), from = s.from < at && d->text[at - 1] == '.' ? at : s.from;
	if (from != at || (s.to > at + n && d->text[at + n] != '.'))
		return; /* a part of another word */
	s.at = at + n;
	if (!l->is_blind(&s))
		return;
	lsp_position p = lsp_position_of(d->text, d->n, w->s->encoding, at);
	const char *slash = d->path ? strrchr(d->path, '/') : NULL;
	w->refused = vc_format(w->c,
		"line %u of %s has '%s' too, and vetro cannot tell what it names there", p.line + 1,
		slash ? slash + 1 : "the file", name);
}

/* Calls for each word of the document that comes to the declaration of `of`. */
void
lsp_each_known(lsp_worker *w, const lsp_document *d, const lsp_language *l, const lsp_known *of,
	lsp_known_use *use, void *ctx)
{
	const char *name = of->item.name;
	size_t n = strlen(name);

	for (const char *at = d->text; (at = strstr(at, name)) != NULL; at += n) {
		lsp_known k;
		if ((at > d->text && lsp_is_word(at[-1])) || lsp_is_word(at[n]))
			continue;
		size_t i = (size_t)(at - d->text);
		if (!lsp_known_at(w, d, l, i, &k))
			look_blind(w, d, l, i, name);
		else if (same_place(w->c, k.item.at, of->item.at))
			use(ctx, d, &k);
	}
}
