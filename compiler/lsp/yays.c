/*
 * yays.c - what may stand where in Yay: names of the configuration with what it includes,
 * functions, directives, macros and prototypes.
 *
 * Lines are looked at as they are written, since a text under way has no tree.
 */
#include "compiler/lsp/know.h"
#include "compiler/lsp/scope.h"
#include "compiler/yay/refer.h"
#include "runtime/yay/yay.h"

#include <string.h>

enum { MOST_FILES = 64, MOST_DEEP = 32 };

typedef struct place {
	lsp_offers *o;
	const lsp_spot *s;
	const char *seen[MOST_FILES];
	uint32_t nseen;
	const char *chain[MOST_DEEP]; /* names before the dot */
	uint32_t nchain;
	const char *prototype; /* that the members come from too; or NULL */
} place;

typedef struct line {
	vc_source *src;
	size_t from, text, to; /* its beginning, behind its blanks, its end */
} line;

static size_t
indent(const line *l)
{
	return l->text - l->from;
}

static bool
next_line(vc_source *src, size_t at, line *l)
{
	if (at >= src->n)
		return false;
	*l = (line){.src = src, .from = at, .to = at + strcspn(src->text + at, "\n")};
	l->text = at + strspn(src->text + at, " ");
	while (l->text < l->to && src->text[l->text] == '%') /* the old spelling */
		l->text += 1 + strspn(src->text + l->text + 1, " ");
	return true;
}

/* Behind a word and blanks; 0: the line does not begin with it. */
static size_t
behind_word(const line *l, const char *word)
{
	size_t n = strlen(word);

	if (l->to - l->text <= n || strncmp(l->src->text + l->text, word, n) != 0 ||
		l->src->text[l->text + n] != ' ')
		return 0;
	return l->text + n + strspn(l->src->text + l->text + n, " ");
}

static size_t
word_end(const char *text, size_t at)
{
	while (lsp_is_word(text[at]))
		at++;
	return at;
}

/* Where the key of the line ends, at its colon; 0: it has none. */
static size_t
key_end(const line *l)
{
	const char *text = l->src->text;
	size_t at = l->text;

	while (at < l->to && text[at] != ':' && text[at] != ' ')
		at++;
	return at > l->text && at < l->to && text[at] == ':' &&
			       (at + 1 == l->to || text[at + 1] == ' ')
		       ? at
		       : 0;
}

/* Where the block of a line ends, as far as it is worth showing. */
static size_t
block_end(const line *l)
{
	enum { MOST = 6 };
	size_t end = l->to;
	line next;

	for (int i = 0; i < MOST && next_line(l->src, end + 1, &next); i++) {
		if (next.text == next.to || next.text - next.from <= indent(l))
			break;
		end = next.to;
	}
	return end;
}

/* ---- declarations ---- */

static void
offer_name(const place *p, const line *l, size_t from, size_t to, const char *what,
	enum lsp_item_kind kind)
{
	const char *name = vc_strndup(p->o->c, l->src->text + from, to - from);

	if (to == from || !lsp_wants(p->o, name))
		return;
	lsp_offer(p->o, &(lsp_item){.name = name,
				.kind = kind,
				.detail = what,
				.at = {l->src, (uint32_t)from, (uint32_t)to},
				.part = true,
				.doc = vc_format(p->o->c, "%s `%s`\n```yaml\n%.*s\n```", what, name,
					(int)(block_end(l) - l->from), l->src->text + l->from)});
}

static void
offer_directive(const place *p, const line *l)
{
	static const struct {
		const char *word, *what;
		enum lsp_item_kind kind;
	} rows[] = {{"set", "name of a block", LSP_I_VARIABLE}, {"let", "name", LSP_I_VARIABLE},
		{"for", "variable of a loop", LSP_I_VARIABLE}, {"macro", "macro", LSP_I_FUNCTION},
		{"prototype", "prototype", LSP_I_CLASS}};

	for (size_t i = 0; i < VC_LEN(rows); i++) {
		size_t from = behind_word(l, rows[i].word);
		if (from)
			offer_name(p, l, from, word_end(l->src->text, from), rows[i].what,
				rows[i].kind);
	}
}

/* `include "file.yay"`: the file beside this one; NULL: it was seen, or is not there. */
static vc_source *
included(place *p, const line *l)
{
	size_t from = behind_word(l, "include");
	const char *text = l->src->text, *slash = strrchr(l->src->name, '/');
	size_t n = from && strchr("\"'", text[from]) ? strcspn(text + from + 1, "\"'\n") : 0;

	if (!n || p->nseen == MOST_FILES)
		return NULL;
	const char *name = vc_format(p->o->c, "%.*s%.*s",
		text[from + 1] == '/' || !slash ? 0 : (int)(slash + 1 - l->src->name), l->src->name,
		(int)n, text + from + 1);
	const char *real = vc_real_path(p->o->c, name);
	for (uint32_t i = 0; real && i < p->nseen; i++)
		if (strcmp(p->seen[i], real) == 0)
			return NULL;
	FILE *f = real ? vc_source_open(real) : NULL;
	if (!f)
		return NULL;
	fclose(f);
	p->seen[p->nseen++] = real;
	return vc_source_read(p->o->c, real);
}

/* The file and those that it includes, as far as their names are constant. */
static void
each_file(place *p, vc_source *first, void (*each)(place *, vc_source *))
{
	vc_source *file[MOST_FILES + 1] = {first};
	uint32_t n = 1;
	line l;

	p->nseen = 0;
	for (uint32_t i = 0; i < n; i++) {
		each(p, file[i]);
		for (size_t at = 0; next_line(file[i], at, &l); at = l.to + 1) {
			vc_source *src = included(p, &l);
			if (src)
				file[n++] = src;
		}
	}
}

/* Names of a file: keys at its left, and what directives declare. */
static void
offer_names(place *p, vc_source *src)
{
	line l;

	for (size_t at = 0; next_line(src, at, &l); at = l.to + 1) {
		size_t end = indent(&l) == 0 && src->text[l.text] != '#' ? key_end(&l) : 0;
		offer_directive(p, &l);
		if (end)
			offer_name(p, &l, l.text, end, "key", LSP_I_PROPERTY);
	}
}

/* ---- members: a.b. ---- */

/* The line of a key among those that stand at `left` from there on; its block follows it. */
static bool
find_key(vc_source *src, size_t *at, size_t left, const char *name)
{
	line l;
	size_t n = strlen(name);

	for (; next_line(src, *at, &l); *at = l.to + 1) {
		size_t end;
		if (l.text == l.to || src->text[l.text] == '#')
			continue;
		if (indent(&l) < left)
			return false;
		end = indent(&l) == left ? key_end(&l) : 0;
		if (end - l.text == n && end && strncmp(src->text + l.text, name, n) == 0) {
			*at = l.to + 1;
			return true;
		}
	}
	return false;
}

/* Where the first line of a block stands that is deeper than `left`; SIZE_MAX: there is none. */
static size_t
block_indent(vc_source *src, size_t at, size_t left)
{
	line l;

	for (; next_line(src, at, &l); at = l.to + 1) {
		if (l.text == l.to || src->text[l.text] == '#')
			continue;
		return indent(&l) > left || at == 0 ? indent(&l) : SIZE_MAX;
	}
	return SIZE_MAX;
}

/* The keys of a block, and of a prototype that it is made of: `new Site:`. */
static void
offer_block(place *p, vc_source *src, size_t at, size_t left)
{
	line l;

	for (; next_line(src, at, &l) && (l.text == l.to || indent(&l) >= left); at = l.to + 1) {
		size_t end = indent(&l) == left ? key_end(&l) : 0;
		size_t made = behind_word(&l, "new");
		if (end)
			offer_name(p, &l, l.text, end, "key", LSP_I_PROPERTY);
		if (made && indent(&l) == left && !p->prototype)
			p->prototype = vc_strndup(
				p->o->c, src->text + made, word_end(src->text, made) - made);
	}
}

static void
offer_members(place *p, vc_source *src)
{
	size_t at = 0, left = 0;

	for (uint32_t i = 0; i < p->nchain; i++) {
		if (!find_key(src, &at, left, p->chain[i]))
			return;
		left = block_indent(src, at, left);
		if (left == SIZE_MAX)
			return;
	}
	offer_block(p, src, at, left);
}

static void
offer_prototype(place *p, vc_source *src)
{
	size_t n = strlen(p->prototype);
	line l;

	for (size_t at = 0; next_line(src, at, &l); at = l.to + 1) {
		size_t from = behind_word(&l, "prototype");
		if (!from || strncmp(src->text + from, p->prototype, n) != 0 ||
			lsp_is_word(src->text[from + n]))
			continue;
		size_t left = block_indent(src, l.to + 1, indent(&l));
		if (left != SIZE_MAX)
			offer_block(p, src, l.to + 1, left);
	}
}

/* `a.b.` before the word; the names of the chain. 0: it is no chain of names. */
static uint32_t
chain(const lsp_spot *s, size_t dot, const char **name)
{
	const char *text = s->d->text, *last[MOST_DEEP];
	uint32_t n = 0;

	for (size_t at = dot;; at--) {
		size_t end = at;
		while (at > s->line && lsp_is_word(text[at - 1]))
			at--;
		if (at == end || n == MOST_DEEP)
			return 0;
		last[n++] = vc_strndup(s->w->c, text + at, end - at);
		if (at == s->line || text[at - 1] != '.')
			break;
	}
	for (uint32_t i = 0; i < n; i++)
		name[i] = last[n - 1 - i];
	return n;
}

/* ---- which of these ---- */

static const char directives[] = "include search set if elif else for select macro call prototype "
				 "new create configure extend";

static bool
in_template(const lsp_spot *s)
{
	const char *text = s->d->text;

	for (size_t i = s->at; i >= s->line + 2; i--) {
		if (text[i - 2] == '}' && text[i - 1] == '}')
			return false;
		if (text[i - 2] == '{' && text[i - 1] == '{')
			return true;
	}
	return false;
}

static bool
is_expression(const lsp_spot *s, const line *l)
{
	static const char *const words[] = {
		"include", "search", "set", "if", "elif", "for", "select", "call", "new"};
	bool is = in_template(s);

	for (size_t i = 0; i < VC_LEN(words); i++) {
		size_t from = behind_word(l, words[i]);
		is |= from && s->at >= from;
	}
	return is;
}

/* The keys above a line, whose blocks it stands in, and its own; 0: it stands in something else. */
static uint32_t
keys_above(vc *c, vc_source *src, const line *from, const char **name)
{
	const char *key[MOST_DEEP];
	size_t left = indent(from) + 1;
	uint32_t n = 0;
	line l = *from;

	for (;;) {
		size_t end = key_end(&l);
		if (l.text < l.to && src->text[l.text] != '#' && indent(&l) < left) {
			if (!end || n == MOST_DEEP)
				return 0;
			key[n++] = vc_strndup(c, src->text + l.text, end - l.text);
			left = indent(&l);
		}
		if (left == 0 || l.from == 0)
			break;
		size_t at = l.from - 1;
		while (at > 0 && src->text[at - 1] != '\n')
			at--;
		next_line(src, at, &l);
	}
	for (uint32_t i = 0; left == 0 && i < n; i++)
		name[i] = key[n - 1 - i];
	return left == 0 ? n : 0;
}

/* A key inside of others, where the way that leads to it declares it. */
static void
offer_inner_key(place *p, vc_source *src, const line *l)
{
	uint32_t n = keys_above(p->o->c, src, l, p->chain);

	p->nchain = n ? n - 1 : 0;
	if (p->nchain)
		each_file(p, src, offer_members);
}

static void
offer_functions(const place *p)
{
	for (size_t i = 0; vt_yay_function(i); i++)
		lsp_offer(p->o, &(lsp_item){.name = vt_yay_function(i),
					.kind = LSP_I_FUNCTION,
					.detail = "function of Yay",
					.part = true,
					.doc = vc_format(p->o->c, "function `%s` of Yay",
						vt_yay_function(i))});
	if (!p->o->wanted)
		lsp_offer_words(p->o, "here self and or not in is if else for lambda",
			LSP_I_KEYWORD, false);
}

/* ---- all names of all files: compiler/yay/refer.h ---- */

typedef struct lsp_names {
	vc *c;
	yay_refer *r;
	const lsp_document **doc; /* by number */
	uint32_t ndocs;
	const char **broken; /* files that cannot be read */
	uint32_t nbroken;
} lsp_names;

static uint32_t
number_of(const lsp_names *n, const char *path)
{
	for (uint32_t i = 0; path && i < n->ndocs; i++)
		if (strcmp(yay_refer_path(n->r, i), path) == 0)
			return i;
	return UINT32_MAX;
}

static void
add_file(void *ctx, const lsp_document *d)
{
	lsp_names *n = ctx;
	const char *path = d->path ? d->path : d->uri;

	if (number_of(n, path) != UINT32_MAX)
		return;
	if (yay_refer_add(n->r, path, d->text, d->n) == UINT32_MAX)
		vc_push(n->c, n->broken, n->nbroken) = path;
	else
		vc_push(n->c, n->doc, n->ndocs) = d;
}

/* A file that is included: beside the other, else the one of that name below the workspace. */
static uint32_t
included_number(const lsp_names *n, uint32_t doc, const char *name)
{
	const char *path = yay_refer_path(n->r, doc), *slash = strrchr(path, '/');
	const char *full = *name == '/' || !slash
				   ? name
				   : vc_format(n->c, "%.*s%s", (int)(slash + 1 - path), path, name);
	const char *real = vc_real_path(n->c, full);
	uint32_t found = number_of(n, real ? real : full);
	size_t len = strlen(name);

	for (uint32_t i = 0; found == UINT32_MAX && i < n->ndocs; i++) {
		const char *other = yay_refer_path(n->r, i);
		size_t all = strlen(other);
		if (all > len && other[all - len - 1] == '/' && !strcmp(other + all - len, name))
			found = i;
	}
	return found;
}

void
lsp_names_end(lsp_worker *w)
{
	if (w->names)
		vc_free(w->names->c);
	w->names = NULL;
}

/* Of the document and the workspace; they last as long as a request. */
static lsp_names *
names_of(const lsp_spot *s)
{
	lsp_worker *w = s->w;
	lsp_names *n = w->names;

	if (n)
		return n;
	vc *c = vc_new();
	w->names = n = vc_alloc(c, sizeof *n);
	*n = (lsp_names){.c = c, .r = yay_refer_new(c)};
	add_file(n, s->d);
	lsp_each_file(w, &lsp_yay_language, add_file, n);
	for (uint32_t i = 0; i < n->ndocs; i++) {
		const char *name;
		for (uint32_t k = 0; (name = yay_refer_include(n->r, i, k)) != NULL; k++) {
			uint32_t other = included_number(n, i, name);
			if (other != UINT32_MAX)
				yay_refer_join(n->r, i, other, k);
		}
	}
	yay_refer_finish(n->r);
	return n;
}

static const char *
folder_of(vc *c, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? vc_strndup(c, path, (size_t)(slash - path)) : "";
}

/* Why the name may not change; NULL: it may. */
static const char *
why_fixed(const lsp_names *n, const yay_place *p)
{
	const char *why = yay_refer_is_data(n->r, p);
	const char *folder = folder_of(n->c, yay_refer_path(n->r, p->doc));
	uint32_t twin = why ? UINT32_MAX : yay_refer_twin(n->r, p);

	for (uint32_t i = 0; i < n->nbroken; i++)
		if (strcmp(folder_of(n->c, n->broken[i]), folder) == 0)
			return vc_format(n->c, "%s cannot be read", n->broken[i]);
	if (!why && twin != UINT32_MAX &&
		strcmp(folder_of(n->c, yay_refer_path(n->r, twin)), folder) == 0)
		why = vc_format(n->c,
			"%s has it too, and does not say whether it is a layer of this one; an "
			"include would",
			strrchr(yay_refer_path(n->r, twin), '/') + 1);
	uint32_t by = why ? UINT32_MAX : yay_refer_computed(n->r, p);
	if (by != UINT32_MAX)
		why = vc_format(n->c,
			"%s includes a file whose name is computed, and another file has the same "
			"name",
			strrchr(yay_refer_path(n->r, by), '/') + 1);
	return why;
}

static bool
place_at(const lsp_spot *s, lsp_names **n, const yay_place **p)
{
	*n = names_of(s);
	uint32_t doc = number_of(*n, s->d->path ? s->d->path : s->d->uri);

	*p = doc == UINT32_MAX ? NULL : yay_refer_at((*n)->r, doc, s->at);
	return *p != NULL;
}

/* What all files say the word is. */
static void
offer_refer(lsp_offers *o)
{
	const lsp_spot *s = o->s;
	lsp_names *n;
	const yay_place *p, *first;

	if (!place_at(s, &n, &p) || !(first = yay_refer_declaration(n->r, p)))
		return;
	const lsp_document *d = n->doc[first->doc];
	const char *text = s->d->text, *path = yay_refer_path(n->r, first->doc);
	const char *name = vc_strndup(o->c, text + p->from, p->to - p->from);
	if (s->w->renames && !lsp_wants(o, name) && yay_refer_is_taken(n->r, p, o->wanted))
		name = o->wanted; /* another one */
	lsp_offer(
		o, &(lsp_item){.name = name,
			   .kind = LSP_I_PROPERTY,
			   .detail = "name",
			   .part = p->from != s->from || p->to != s->to,
			   .at = {vc_source_new(o->c, path, d->text, d->n), first->from, first->to},
			   .fixed = s->w->renames ? why_fixed(n, p) : NULL});
}

/* A member of something that nobody knows, as the parameter of a lambda. */
static bool
is_blind(const lsp_spot *s)
{
	lsp_names *n;
	const yay_place *p;

	return place_at(s, &n, &p) && !yay_refer_declaration(n->r, p);
}

/* What the lines say. */
static void
offer_lines(lsp_offers *o)
{
	const lsp_spot *s = o->s;
	place p = {.o = o, .s = s};
	char before;
	size_t from = lsp_yaql_word(s, &before);
	vc_source *src =
		vc_source_new(o->c, s->d->path ? s->d->path : s->d->uri, s->d->text, s->d->n);
	line l;

	next_line(src, s->line, &l);
	if (s->line >= src->n)
		l = (line){src, s->line, s->line, s->line};
	bool expression = is_expression(s, &l);
	if (before == '.') {
		p.nchain = chain(s, from - 1, p.chain);
		if (p.nchain)
			each_file(&p, src, offer_members);
		if (p.prototype)
			each_file(&p, src, offer_prototype);
		return;
	}
	if (o->wanted && from == l.text && indent(&l) && key_end(&l))
		offer_inner_key(&p, src, &l);
	else if (expression || o->wanted)
		each_file(&p, src, offer_names);
	if (expression)
		offer_functions(&p);
	else if (from == l.text)
		lsp_offer_words(o, directives, LSP_I_KEYWORD, false);
}

/* Lines are quick and need no tree; one word is looked for in all files where they do not know. */
static void
offer(lsp_offers *o)
{
	if (!o->s->w->exact)
		offer_lines(o);
	if (o->wanted)
		offer_refer(o);
}

const lsp_language lsp_yay_language = {offer, false, is_blind};
