/*
 * scope.c - what stands at a place: by the text around it and the classes that were read.
 */
#include "compiler/lsp/scope.h"
#include "compiler/lsp/know.h"
#include "compiler/murano/package.h"

#include <ctype.h>
#include <string.h>

bool
lsp_is_word(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_' || (unsigned char)ch >= 0x80;
}

/* ---- class and method ---- */

/* Classes with the real paths of their files, which take system calls: once for what was read. */
static void
list_classes(lsp_worker *w)
{
	uint32_t n;
	mpl_package **all = vc_packages(w->c, &n);
	const vc_source *last = NULL;
	const char *path = NULL;

	w->listed = w->c;
	w->classes = NULL;
	w->nclasses = 0;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < all[i]->nclasses; k++) {
			mpl_class *cls = all[i]->classes[k];
			if (!cls->src || *cls->src->name == '<')
				continue;
			if (cls->src != last)
				path = vc_real_path(w->c, cls->src->name);
			last = cls->src;
			vc_push(w->c, w->classes, w->nclasses) =
				(lsp_listed){cls, path ? path : cls->src->name};
		}
}

mpl_class **
lsp_classes_of(lsp_worker *w, const lsp_document *d, uint32_t *count)
{
	mpl_class **found = NULL;

	if (w->listed != w->c)
		list_classes(w);
	*count = 0;
	for (uint32_t i = 0; d->path && i < w->nclasses; i++)
		if (strcmp(w->classes[i].path, d->path) == 0 ||
			strcmp(w->classes[i].cls->src->name, d->path) == 0)
			vc_push(w->c, found, *count) = w->classes[i].cls;
	return found;
}

/* The last that begins before the place. */
static void
find_class(lsp_place *p)
{
	const lsp_document *d = p->d;
	size_t at = p->w->known == d ? lsp_to_known(d->known, d->nknown, d, p->at) : p->at;
	uint32_t n;
	mpl_class **all = lsp_classes_of(p->w, d, &n);

	for (uint32_t i = 0; i < n; i++)
		if (!p->cls || (all[i]->span.from <= at && all[i]->span.from >= p->cls->span.from))
			p->cls = all[i];
	for (uint32_t i = 0; p->cls && i < p->cls->nmethods; i++) {
		const mpl_method *m = p->cls->methods[i];
		if (m->span.src == p->cls->src && m->span.from <= at &&
			(!p->method || m->span.from > p->method->span.from))
			p->method = m;
	}
}

/* The line at hand may keep the file from being read, or another one. */
static void
look_without_line(lsp_place *p)
{
	vc *was = p->w->c, *without;

	p->w->patched = true;
	lsp_look_without(p->w, p->d, p->line, p->line + strcspn(p->d->text + p->line, "\n"));
	find_class(p);
	if (!p->cls && p->d->known && p->d->path) {
		without = p->w->c;
		p->w->c = was;
		lsp_forget(p->w, without);
		lsp_look_known(p->w, p->d);
		find_class(p);
	}
	if (p->cls) {
		p->w->whole = was;
	} else {
		without = p->w->c;
		p->w->c = was;
		p->w->known = NULL;
		lsp_forget(p->w, without);
	}
}

void
lsp_place_at(lsp_worker *w, const lsp_document *d, size_t at, lsp_place *p)
{
	*p = (lsp_place){.w = w, .d = d, .at = at, .line = at, .from = at, .to = at};
	while (p->line > 0 && d->text[p->line - 1] != '\n')
		p->line--;
	while (p->from > 0 && lsp_is_word(d->text[p->from - 1]))
		p->from--;
	while (p->to < d->n && lsp_is_word(d->text[p->to]))
		p->to++;
	if (w->p->kind == LSP_PACKAGE)
		find_class(p);
}

bool
lsp_place_of(lsp_worker *w, const lsp_document *d, vt_value params, lsp_place *p)
{
	lsp_position at;

	if (!d || !lsp_read_position(lsp_get(params, "position"), &at))
		return false;
	lsp_place_at(w, d, lsp_offset(d->text, d->n, w->s->encoding, at), p);
	if (w->p->kind == LSP_PACKAGE && !p->cls && !w->patched)
		look_without_line(p);
	return true;
}

/* As written in the class. */
static mpl_class *
class_of(vc *c, const mpl_class *from, const char *name)
{
	char *fqn = NULL;

	if (!from || mpl_resolve_try(c, from, name, &fqn) != MPL_NAME_OK || !fqn)
		return NULL;
	return vc_find_class(c, from->pkg, fqn);
}

void
lsp_each_class(const mpl_class *k, void (*each)(void *, const mpl_class *), void *ctx)
{
	each(ctx, k);
	for (uint32_t i = 0; k->parent && i < k->nparents; i++)
		if (k->parent[i] && k->parent[i] != k)
			lsp_each_class(k->parent[i], each, ctx);
}

/* ---- the registry ---- */

/* "pure method where(collection: iterable, ...)": the words before the name say what it is. */
static bool
read_head(vc *c, const char *line, size_t n, lsp_function *f)
{
	const char *open = memchr(line, '(', n), *name = open;

	while (name && name > line && name[-1] != ' ')
		name--;
	if (!name || name == line || !(isalpha((unsigned char)*name) || *name == '_'))
		return false;
	*f = (lsp_function){.name = vc_strndup(c, name, (size_t)(open - name)),
		.signature = vc_strndup(c, name, n - (size_t)(name - line)),
		.doc = "",
		.example = ""};
	const char *words = vc_strndup(c, line, (size_t)(name - line));
	f->method = strstr(words, "method ") || strstr(words, "ext ");
	f->function = strstr(words, "fn ") || strstr(words, "ext ");
	return true;
}

static void
read_rows(vc *c, const char *text, void (*each)(void *, const lsp_function *), void *ctx)
{
	lsp_function f = {0};
	const char *layer = "";

	for (; *text; text += *text == '\n') {
		size_t n = strcspn(text, "\n");
		if (*text == '\t' && f.name && strncmp(text + 1, "doc ", 4) == 0)
			f.doc = vc_format(
				c, "%s%s%.*s", f.doc, *f.doc ? " " : "", (int)n - 5, text + 5);
		else if (*text == '\t' && f.name && !*f.example && strncmp(text + 1, "ex ", 3) == 0)
			f.example = vc_strndup(c, text + 4, n - 4);
		else if (n && *text != '\t' && *text != '#') {
			if (f.name)
				each(ctx, &f);
			if (strncmp(text, "layer ", 6) == 0)
				layer = vc_strndup(c, text + 6, n - 6);
			if (!read_head(c, text, n, &f))
				f.name = NULL;
			f.layer = layer;
		}
		text += n;
	}
	if (f.name)
		each(ctx, &f);
}

void
lsp_each_function(vc *c, void (*each)(void *, const lsp_function *), void *ctx)
{
	for (const vc_asset_row *a = vc_assets; a->name; a++)
		if (vt_ends_with(a->name, ".fn"))
			read_rows(c, a->text, each, ctx);
}

bool
lsp_sees(const lsp_worker *w, const lsp_document *d, const lsp_function *f)
{
	static const char *const of_classes[] = {"std", "legacy", "dsl", "dsl_new", "dsl_old",
		"dsl_legacy", "engine", "engine_legacy"};
	const char *folder = d && d->path ? strstr(d->path, "/UI/") : NULL;

	if (strcmp(f->layer, "std") == 0 || w->p->kind == LSP_WORKFLOW)
		return strcmp(f->layer, "std") == 0;
	if (folder && !strchr(folder + 4, '/'))
		return strcmp(f->layer, "form") == 0 || strcmp(f->layer, "legacy") == 0;
	for (size_t i = 0; i < VC_LEN(of_classes); i++)
		if (strcmp(f->layer, of_classes[i]) == 0)
			return true;
	return false;
}

/* ---- names ---- */

/* "ns:Name" or a dotted name around the word. */
static const char *
long_word(const lsp_place *p)
{
	const char *text = p->d->text;
	size_t from = p->from, to = p->to;

	while (from > p->line && (lsp_is_word(text[from - 1]) || strchr(".:", text[from - 1])))
		from--;
	while (from < to && strchr(".:", text[from]))
		from++;
	while (to < p->d->n && text[to] &&
		(lsp_is_word(text[to]) || (strchr(".:", text[to]) && lsp_is_word(text[to + 1]))))
		to++;
	return vc_strndup(p->w->c, text + from, to - from);
}

static lsp_named
member(const lsp_place *p, const char *word, bool called)
{
	lsp_named x = {0};
	vc_type recv;
	size_t dot = p->from - 1;

	dot -= dot > p->line && p->d->text[dot - 1] == '?';
	if (lsp_receiver(p, dot, &recv) && recv.cls && recv.kinds & (VC_K_OBJECT | VC_K_TYPE)) {
		vc_types *types = ty_program(p->w->c);
		x.method = called ? ty_method(types, recv.cls, word) : NULL;
		x.property = called ? NULL : ty_property(types, recv.cls, word);
		x.cls = x.method ? x.method->cls : x.property ? x.property->cls : NULL;
		x.found = x.cls != NULL;
	}
	if (!x.found && called) {
		x.function = word;
		x.on_value = x.found = true;
	}
	return x;
}

static lsp_named
argument(const mpl_method *m, const char *word)
{
	return (lsp_named){.variable = word, .argument_of = m, .cls = m->cls, .found = true};
}

/* The method's argument of that name, or NULL. */
static const mpl_argument *
argument_named(const mpl_method *m, const char *word)
{
	for (uint32_t i = 0; m && i < m->nargs; i++)
		if (strcmp(m->args[i].name, word) == 0)
			return &m->args[i];
	return NULL;
}

const mpl_argument *
lsp_argument_of(const lsp_named *x)
{
	return x->argument_of ? argument_named(x->argument_of, x->variable) : NULL;
}

/* A key of Properties, Methods or Arguments is what it declares. */
static lsp_named
declared(const lsp_place *p, const char *word)
{
	const char *key[2];
	const mpl_argument *a = argument_named(p->method, word);
	lsp_named x = {0};

	if (a && a->span.src == p->cls->src && a->span.from <= p->from && p->to <= a->span.to)
		return argument(p->method, word);
	if (!p->cls || lsp_keys_above(p, key, 2) != 1)
		return x;
	for (uint32_t i = 0; !strcmp(key[0], "Properties") && i < p->cls->nprops; i++)
		if (strcmp(p->cls->props[i]->name, word) == 0)
			x = (lsp_named){.property = p->cls->props[i], .cls = p->cls, .found = true};
	for (uint32_t i = 0; !strcmp(key[0], "Methods") && i < p->cls->nmethods; i++)
		if (strcmp(p->cls->methods[i]->name, word) == 0)
			x = (lsp_named){.method = p->cls->methods[i], .cls = p->cls, .found = true};
	return x;
}

/* Where the call around text[at] has its bracket, in the same expression; `from`: there is none. */
static size_t
call_around(const lsp_place *p, size_t at, size_t from)
{
	const char *text = p->d->text;
	int depth = 0;

	while (at-- > from) {
		depth += text[at] && strchr(")]}", text[at]) != NULL;
		if (text[at] && strchr("([{", text[at]) && depth-- == 0)
			return at;
	}
	return from;
}

/* Of `new(Class, name => value)`: a property of that class, or an argument of its .init. */
static lsp_named
made(const lsp_place *p, const char *word, size_t open)
{
	const char *text = p->d->text;
	size_t from = open + 1 + strspn(text + open + 1, " "),
	       to = from + strcspn(text + from, " ,)\n");
	const mpl_class *cls =
		class_of(p->w->c, p->cls, vc_strndup(p->w->c, text + from, to - from));
	vc_types *types = ty_program(p->w->c);
	const mpl_method *init = cls ? ty_method(types, cls, ".init") : NULL;
	lsp_named x = {0};

	if (init && argument_named(init, word))
		return argument(init, word);
	x.property = cls ? ty_property(types, cls, word) : NULL;
	x.cls = x.property ? x.property->cls : NULL;
	x.found = x.property != NULL;
	return x;
}

/* `name => value` in a call of new() or of a method. */
static lsp_named
keyword(const lsp_place *p, const char *word)
{
	const char *text = p->d->text;
	size_t after = p->to + strspn(text + p->to, " "), first, open;
	lsp_named x = {0};
	lsp_place name;

	if (strncmp(text + after, "=>", 2) != 0)
		return x;
	first = lsp_expression_start(p);
	open = call_around(p, p->from, first);
	if (open <= first || text[open] != '(' || !lsp_is_word(text[open - 1]))
		return x;
	lsp_place_at(p->w, p->d, open, &name);
	if (name.to - name.from == 3 && strncmp(text + name.from, "new", 3) == 0)
		return made(p, word, open);
	name.to = open;
	lsp_named called = lsp_name_at(&name);
	return called.method && argument_named(called.method, word) ? argument(called.method, word)
								    : x;
}

/* The class of what stands from `from` to text[end]: `:Class`, or an object. */
static const mpl_class *
class_before(const lsp_place *p, size_t from, size_t end)
{
	const char *text = p->d->text;
	vc_type t = {0};

	from += strspn(text + from, " ");
	if (text[from] == ':' && from < end)
		return class_of(
			p->w->c, p->cls, vc_strndup(p->w->c, text + from + 1, end - from - 1));
	return lsp_receiver(p, end, &t) ? t.cls : NULL;
}

/* The second argument of `inject(TARGET, method, ...)` is the name of a method of the first. */
static lsp_named
mocked(const lsp_place *p, const char *word)
{
	const char *text = p->d->text;
	size_t first = lsp_expression_start(p), open = call_around(p, p->from, first);
	size_t comma = p->from;
	lsp_named x = {0};

	while (comma > open && strchr(" '\"", text[comma - 1]))
		comma--;
	if (open < first + 6 || comma <= open + 1 || text[comma - 1] != ',' ||
		memcmp(text + open - 6, "inject", 6) != 0 || lsp_is_word(text[open - 7]))
		return x;
	const mpl_class *cls = class_before(p, open + 1, comma - 1);
	x.method = cls ? ty_method(ty_program(p->w->c), cls, word) : NULL;
	x.cls = x.method ? x.method->cls : NULL;
	x.found = x.method != NULL;
	return x;
}

/* ---- models in the code: beside `?` stand properties of the class that it names ---- */

/* The class that the `?` of such a line names, on it or on the deeper lines below. */
static const mpl_class *
class_of_object(const lsp_place *p, lsp_line l)
{
	const char *text = p->d->text;
	size_t column = l.text - l.from;

	for (lsp_line at = l;;) {
		const char *line = vc_strndup(p->w->c, text + at.text, at.end - at.text);
		const char *type = strstr(line, "type:");
		if (type && (type == line || strchr(" {", type[-1]))) {
			type += 5 + strspn(type + 5, " '\"");
			size_t n = strcspn(type, " ,}'\"/");
			return class_of(p->w->c, p->cls, vc_strndup(p->w->c, type, n));
		}
		if (at.to >= p->d->n)
			return NULL;
		at = lsp_line_at(p->d, at.to + 1);
		if (at.end > at.text && at.text - at.from <= column)
			return NULL;
	}
}

static bool
is_object_key(const char *text, size_t key)
{
	return strncmp(text + key, "?:", 2) == 0 || strncmp(text + key, "'?':", 4) == 0 ||
	       strncmp(text + key, "\"?\":", 4) == 0;
}

/* Where the key of the line stands, behind all dashes. */
static size_t
key_of(const lsp_document *d, const lsp_line *l)
{
	size_t at = l->text, next;

	while ((next = lsp_behind_dash(d, l, at)) > at)
		at = next;
	return at;
}

/* The class of the map that the key at `column` is in; `up` or down from its line. */
static const mpl_class *
class_beside(const lsp_place *p, lsp_line l, size_t column, bool up)
{
	for (bool own = true;; own = false) {
		size_t key = key_of(p->d, &l);
		bool blank = l.end == l.text, same = key - l.from == column;
		bool first = l.text < key; /* a dash begins the map on this line */
		if (!blank && same && (up || own || !first) && is_object_key(p->d->text, key))
			return class_of_object(p, l);
		if (!blank && (up || !own) && (key - l.from < column || (same && first)))
			return NULL;
		if (up ? l.from == 0 : l.to >= p->d->n)
			return NULL;
		l = lsp_line_at(p->d, up ? l.from - 1 : l.to + 1);
	}
}

static lsp_named
modelled(const lsp_place *p, const char *word)
{
	lsp_line l = lsp_line_at(p->d, p->at);
	size_t key = key_of(p->d, &l);
	const mpl_class *cls = NULL;
	lsp_named x = {0};

	if (!p->method || key != p->from || p->d->text[p->to] != ':')
		return x;
	cls = class_beside(p, l, key - l.from, true);
	if (!cls)
		cls = class_beside(p, l, key - l.from, false);
	x.property = cls ? ty_property(ty_program(p->w->c), cls, word) : NULL;
	x.cls = x.property ? x.property->cls : NULL;
	x.found = x.property != NULL;
	return x;
}

static lsp_named
variable(const lsp_place *p, const char *word)
{
	vc_typing *t = lsp_typing(p);
	lsp_named x = {.variable = word};

	x.type = (vc_type){.kinds = VC_K_ALL};
	if (argument_named(p->method, word)) {
		x.argument_of = p->method;
		x.cls = p->method->cls;
	}
	if (strcmp(word, "this") == 0)
		x.type = (vc_type){.kinds = VC_K_OBJECT, .cls = p->cls};
	for (uint32_t i = 0; t && i < t->nvars; i++)
		if (strcmp(t->vars[i].name, word) == 0) {
			x.type = t->vars[i].type;
			x.found = true;
		}
	x.found |= p->cls && strcmp(word, "this") == 0;
	return x;
}

/* `For: name` and `As: name` name a variable without its $. */
static bool
names_variable(const lsp_place *p)
{
	const char *line = p->d->text + p->line;
	size_t n = p->from - p->line;

	while (n && line[n - 1] == ' ')
		n--;
	return (n >= 4 && memcmp(line + n - 4, "For:", 4) == 0) ||
	       (n >= 3 && memcmp(line + n - 3, "As:", 3) == 0);
}

lsp_named
lsp_name_at(const lsp_place *p)
{
	const char *text = p->d->text, *word;
	bool called = p->to < p->d->n && text[p->to] == '(';
	lsp_named x = {0};

	if (p->from == p->to)
		return x;
	word = vc_strndup(p->w->c, text + p->from, p->to - p->from);
	if (p->from > p->line && text[p->from - 1] == '$')
		return variable(p, word);
	if (p->method && names_variable(p))
		return variable(p, word);
	x.cls = class_of(p->w->c, p->cls, long_word(p));
	x.found = x.cls != NULL;
	if (x.found || (x = declared(p, word)).found || (x = keyword(p, word)).found ||
		(x = modelled(p, word)).found || (x = mocked(p, word)).found)
		return x;
	if (p->from > p->line && text[p->from - 1] == '.')
		return member(p, word, called);
	if (called)
		x = (lsp_named){.function = word, .found = true};
	return x;
}

/* ---- keys above ---- */

static size_t
indent_of(const char *line, size_t n)
{
	size_t i = 0;

	while (i < n && (line[i] == ' ' || (line[i] == '-' && i + 1 < n && line[i + 1] == ' ')))
		i++;
	return i;
}

/* By indentation, so that it works in a text that is no YAML at the moment. */
uint32_t
lsp_keys_above(const lsp_place *p, const char **key, uint32_t most)
{
	const char *text = p->d->text;
	size_t at = p->line, left = indent_of(text + at, p->d->n - at);
	uint32_t n = 0;

	if (left > p->at - p->line && p->at > p->line)
		left = p->at - p->line;
	while (at > 0 && n < most) {
		size_t end = at - 1, i, k;
		for (at = end; at > 0 && text[at - 1] != '\n';)
			at--;
		i = indent_of(text + at, end - at);
		if (at + i >= end || text[at + i] == '#' || i >= left)
			continue;
		for (k = at + i; k < end && text[k] != ':';)
			k++;
		left = i;
		if (k < end)
			key[n++] = vc_strndup(p->w->c, text + at + i, k - at - i);
	}
	return n;
}
