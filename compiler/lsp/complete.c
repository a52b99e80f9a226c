/*
 * complete.c - what may stand at the cursor, and the signature of the call around it.
 */
#include "compiler/lsp/know.h"
#include "compiler/lsp/scope.h"
#include "compiler/murano/package.h"
#include "runtime/text/report.h"

#include <string.h>

/* Kinds of completion items. */
enum {
	I_METHOD = 2,
	I_FUNCTION = 3,
	I_VARIABLE = 6,
	I_CLASS = 7,
	I_PROPERTY = 10,
	I_KEYWORD = 14,
	I_VALUE = 12
};

typedef struct list {
	const lsp_place *p;
	vt_buf *out;
	uint32_t n;
	const char **name; /* what is there */
	bool on_value;
} list;

/* ---- items ---- */

static bool
is_there(list *l, const char *name)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (strcmp(l->name[i], name) == 0)
			return true;
	vc_push(l->p->w->c, l->name, l->n) = name;
	return false;
}

/* The edit says what is replaced, since editors do not agree on what a word is. */
void
lsp_put_item(vt_buf *b, bool comma, const lsp_server *s, const lsp_document *d, const lsp_put *x)
{
	vt_buf_puts(b, comma ? ",{\"label\":" : "{\"label\":");
	lsp_put_text(b, x->name);
	vt_buf_printf(b, ",\"kind\":%d", x->kind);
	if (x->detail) {
		vt_buf_puts(b, ",\"detail\":");
		lsp_put_text(b, x->detail);
	}
	if (x->doc && *x->doc) {
		vt_buf_puts(b, ",\"documentation\":{\"kind\":\"markdown\",\"value\":");
		lsp_put_text(b, x->doc);
		vt_buf_puts(b, "}");
	}
	vt_buf_puts(b, ",\"textEdit\":{\"range\":");
	lsp_put_range(b, s, d->text, d->n, x->from, x->to);
	vt_buf_puts(b, ",\"newText\":");
	lsp_put_text(b, x->text);
	vt_buf_puts(b, "}}");
}

/* doc is freed. */
static void
put_item(list *l, const char *name, int kind, const char *detail, vt_buf *doc)
{
	const lsp_place *p = l->p;
	vc *c = p->w->c;
	const char *text = kind == I_KEYWORD ? vc_format(c, "%s: ", name) : name;
	const char *told = doc && doc->n ? vc_take(c, doc) : NULL;

	if (!is_there(l, name))
		lsp_put_item(l->out, l->n > 1, p->w->s, p->d,
			&(lsp_put){name, detail, told, kind, p->from, p->at, text});
}

/* ---- members ---- */

static void
put_members(void *ctx, const mpl_class *k)
{
	list *l = ctx;
	vc *c = l->p->w->c;
	vt_buf doc = {0};

	for (uint32_t i = 0; i < k->nprops; i++) {
		lsp_describe_property(&doc, c, k->props[i]);
		put_item(l, k->props[i]->name, I_PROPERTY,
			lsp_contract_text(c, k->props[i]->contract), &doc);
	}
	for (uint32_t i = 0; i < k->nmethods; i++) {
		if (k->methods[i]->name[0] == '.')
			continue;
		lsp_describe_method(&doc, c, k->methods[i]);
		put_item(
			l, k->methods[i]->name, I_METHOD, lsp_signature_of(c, k->methods[i]), &doc);
	}
}

static void
put_function(void *ctx, const lsp_function *f)
{
	list *l = ctx;
	vt_buf doc = {0};

	if ((l->on_value ? !f->method : !f->function) || !lsp_sees(l->p->w, l->p->d, f))
		return;
	vt_buf_puts(&doc, f->doc);
	if (*f->example)
		vt_buf_printf(&doc, "\n\nExample: `%s`", f->example);
	put_item(l, f->name, I_FUNCTION, f->signature, &doc);
}

static void
put_functions(list *l, bool on_value)
{
	l->on_value = on_value;
	lsp_each_function(l->p->w->c, put_function, l);
}

static void
complete_member(list *l)
{
	const lsp_place *p = l->p;
	size_t dot = p->from - 1;
	vc_type t;

	dot -= dot > p->line && p->d->text[dot - 1] == '?';
	if (lsp_receiver(p, dot, &t) && t.cls && t.kinds & VC_K_OBJECT)
		lsp_each_class(t.cls, put_members, l);
	put_functions(l, true);
}

static void
complete_variable(list *l)
{
	const lsp_place *p = l->p;
	vc_typing *t = p->cls && p->method ? vc_typing_new(p->w->c, p->cls, p->method) : NULL;

	if (p->cls)
		put_item(l, "this", I_VARIABLE, p->cls->name, NULL);
	for (uint32_t i = 0; t && i < t->nvars; i++)
		if (*t->vars[i].name && t->vars[i].name[0] != '?' &&
			strncmp(t->vars[i].name, l->p->d->text + p->from, p->at - p->from) == 0)
			put_item(l, t->vars[i].name, I_VARIABLE,
				vc_type_text(p->w->c, t->vars[i].type), NULL);
}

/* ---- classes ---- */

/* By the prefixes of the class at hand, else in full. */
static const char *
name_of_class(vc *c, const mpl_class *from, const mpl_class *k)
{
	for (uint32_t i = 0; from && i < from->nprefixes; i++) {
		const mpl_prefix *x = &from->prefixes[i];
		size_t n = strlen(x->ns);
		if (strncmp(k->name, x->ns, n) != 0 || k->name[n] != '.' ||
			strchr(k->name + n + 1, '.'))
			continue;
		return strcmp(x->prefix, "=") == 0
			       ? k->name + n + 1
			       : vc_format(c, "%s:%s", x->prefix, k->name + n + 1);
	}
	return k->name;
}

/* prefix: those of one namespace, by their last part; NULL: all. */
static void
put_classes(list *l, const char *prefix)
{
	const lsp_place *p = l->p;
	uint32_t n;
	mpl_package **all = vc_packages(p->w->c, &n);

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < all[i]->nclasses; k++) {
			const mpl_class *cls = all[i]->classes[k];
			const char *name = name_of_class(p->w->c, p->cls, cls);
			const char *colon = strchr(name, ':');
			vt_buf doc = {0};
			if (prefix && (!colon || strncmp(name, prefix, strlen(prefix)) != 0 ||
					      name[strlen(prefix)] != ':'))
				continue;
			lsp_describe_class(&doc, cls);
			put_item(l, prefix ? colon + 1 : name, I_CLASS, cls->name, &doc);
		}
}

/* ---- keys of MuranoPL ---- */

/* What may stand below a key; "" is the top, "*" a name that the author chose. */
static const struct {
	const char *above, *over, *keys;
} murano_keys[] = {
	{"", NULL, "Namespaces Name Extends Import Properties Methods Meta Usage Scope"},
	{"*", "Properties", "Contract Usage Default Meta"},
	{"*", "Methods", "Arguments Body Scope Usage Meta"},
	{"*", "Workflow", "Arguments Body Scope Usage Meta"},
	{"*", "Arguments", "Contract Usage Default Meta"},
	{"Catch", NULL, "With As Do"},
};
static const char statements[] =
	"If Then Else While For In Do Repeat Match Default Switch Parallel Limit Try Catch Finally "
	"Throw Message Extra Cause Rethrow Return Break Continue Assert";
/* Fixed values of keys. */
static const struct {
	const char *key, *values;
} murano_values[] = {
	{"Scope", "Public Session"},
	{"Usage",
		"In Out InOut Const Runtime Config Static Action Extension Standard VarArgs KwArgs "
		"Class Meta"},
	{"Type", "Application Library"},
};

static void
put_words(list *l, const char *words, int kind)
{
	for (size_t n; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		put_item(l, vc_strndup(l->p->w->c, words, n), kind, NULL, NULL);
	}
}

static void
murano_key(list *l)
{
	const char *key[64];
	uint32_t n = lsp_keys_above(l->p, key, VC_LEN(key));
	bool body = false;

	for (uint32_t i = 0; i < n; i++)
		body |= strcmp(key[i], "Body") == 0;
	if (body)
		put_words(l, statements, I_KEYWORD);
	for (size_t i = 0; i < VC_LEN(murano_keys); i++) {
		const char *above = murano_keys[i].above, *over = murano_keys[i].over;
		bool fits = !*above         ? n == 0
			    : *above == '*' ? n > 1 && strcmp(key[1], over) == 0
					    : n > 0 && strcmp(key[0], above) == 0;
		if (fits)
			put_words(l, murano_keys[i].keys, I_KEYWORD);
	}
}

/* ---- which of these ---- */

/* The key whose value the cursor is in, or NULL: it stands where a key does. */
static const char *
value_of(const lsp_place *p)
{
	const char *line = p->d->text + p->line, *end = p->d->text + p->from;

	while (line < end && (*line == ' ' || *line == '-'))
		line++;
	for (const char *s = line; s < end; s++)
		if (*s == ':' && (s + 1 == end || s[1] == ' '))
			return vc_strndup(p->w->c, line, (size_t)(s - line));
	return NULL;
}

static void
complete_expression(list *l, const char *key)
{
	const lsp_place *p = l->p;
	const char *above[1];

	for (size_t i = 0; key && i < VC_LEN(murano_values); i++)
		if (strcmp(murano_values[i].key, key) == 0) {
			put_words(l, murano_values[i].values, I_VALUE);
			return;
		}
	if (!key && lsp_keys_above(p, above, 1) && strcmp(above[0], "Extends") == 0)
		key = "Extends";
	put_classes(l, NULL);
	if (!key || (strcmp(key, "Extends") != 0 && strcmp(key, "Import") != 0))
		put_functions(l, false);
}

static void
complete_package(list *l)
{
	const lsp_place *p = l->p;
	const char *text = p->d->text, *key = value_of(p);
	size_t from = p->from;
	char before = from > p->line ? text[from - 1] : ' ';

	if (before == '.') {
		complete_member(l);
	} else if (before == '$') {
		complete_variable(l);
	} else if (before == ':' && from - 1 > p->line && lsp_is_word(text[from - 2])) {
		size_t start = --from;
		while (start > p->line && lsp_is_word(text[start - 1]))
			start--;
		put_classes(l, vc_strndup(p->w->c, text + start, from - start));
	} else {
		if (!key)
			murano_key(l);
		if (key || l->n == 0 || before == '(' ||
			memchr(text + p->line, '-', from - p->line))
			complete_expression(l, key);
	}
}

void
lsp_completion(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	const lsp_language *language = lsp_language_of(w, d);
	lsp_place p;
	list l = {.p = &p, .out = out};

	if (!lsp_place_of(w, d, params, &p))
		return;
	vt_buf_puts(out, "{\"isIncomplete\":false,\"items\":[");
	if (language)
		lsp_complete_known(w, d, language, p.at, out);
	else if (w->p->kind == LSP_PACKAGE)
		complete_package(&l);
	vt_buf_puts(out, "]}");
}

/* ---- signature help ---- */

typedef struct signatures {
	vt_buf *out;
	const char *name;
	bool on_value;
	uint32_t n;
} signatures;

static void
put_signature(vt_buf *b, const char *label, const char *doc, uint32_t n)
{
	const char *open = strchr(label, '('), *s = open ? open + 1 : NULL;
	int depth = 0;

	vt_buf_puts(b, n ? ",{\"label\":" : "{\"label\":");
	lsp_put_text(b, label);
	vt_buf_puts(b, ",\"documentation\":");
	lsp_put_text(b, doc);
	vt_buf_puts(b, ",\"parameters\":[");
	for (const char *from = s, *at = s; s && *at; at++) {
		depth += *at == '(' || *at == '[';
		depth -= (*at == ')' || *at == ']') && at[1];
		if (depth > 0 || (*at != ',' && at[1]))
			continue;
		while (*from == ' ')
			from++;
		if (at > from)
			vt_buf_printf(b, "%s{\"label\":[%d,%d]}", from == s ? "" : ",",
				(int)(from - label), (int)(at - label));
		from = at + 1;
	}
	vt_buf_puts(b, "]}");
}

static void
add_signature(void *ctx, const lsp_function *f)
{
	signatures *s = ctx;

	if (strcmp(f->name, s->name) == 0 && (s->on_value ? f->method : f->function))
		put_signature(s->out, f->signature, f->doc, s->n++);
}

/* Where the arguments begin that the cursor is in, and how many commas stand before it: behind
 * `name(`, and in TOSCA and Heat behind `name: [`. */
static bool
call_around(const lsp_place *p, size_t *open, uint32_t *commas)
{
	const char *text = p->d->text;
	int depth = 0;

	*commas = 0;
	for (size_t at = p->at; at > p->line; at--) {
		char ch = text[at - 1];
		if (strchr(")]}", ch) && ch)
			depth++;
		else if (strchr("([{", ch) && ch && depth-- == 0) {
			at--;
			while (ch == '[' && at > p->line && strchr(" :", text[at - 1]))
				at--;
			*open = at;
			return strchr("([", ch) && at > p->line && lsp_is_word(text[at - 1]);
		}
		*commas += ch == ',' && depth == 0;
	}
	return false;
}

/* What hosts, TOSCA and Heat say of a function's arguments; NULL: it is none. */
static const char *
known_signature(lsp_worker *w, const lsp_document *d, const lsp_language *l, const lsp_place *p)
{
	lsp_known k;
	bool call = d->text[p->to] == '(';

	if (!lsp_known_at(w, d, l, p->from, &k) || !k.item.detail)
		return NULL;
	if (call || k.item.kind != LSP_I_FUNCTION)
		return call && strchr(k.item.detail, '(') ? k.item.detail : NULL;
	size_t n = strlen(k.item.detail);
	bool brackets = n > 1 && k.item.detail[0] == '[';
	return vc_format(w->c, "%s(%.*s)", k.item.name, (int)(brackets ? n - 2 : n),
		k.item.detail + brackets);
}

void
lsp_signature(lsp_worker *w, const lsp_document *d, vt_value params, vt_buf *out)
{
	lsp_place p;
	size_t open;
	uint32_t commas, before = (uint32_t)out->n;
	lsp_named x;
	const char *known;
	const lsp_language *language = lsp_language_of(w, d);

	if (!lsp_place_of(w, d, params, &p) || !call_around(&p, &open, &commas))
		return;
	p.to = p.from = open;
	while (p.from > p.line && lsp_is_word(d->text[p.from - 1]))
		p.from--;
	x = lsp_name_at(&p);
	signatures s = {out, x.function, x.on_value, 0};
	vt_buf_puts(out, "{\"signatures\":[");
	if (x.method)
		put_signature(out, lsp_signature_of(w->c, x.method), "", s.n++);
	else if (x.function)
		lsp_each_function(w->c, add_signature, &s);
	if (!s.n && language && (known = known_signature(w, d, language, &p)) != NULL)
		put_signature(out, known, "", s.n++);
	vt_buf_printf(out, "],\"activeSignature\":0,\"activeParameter\":%u}", commas);
	if (!s.n)
		out->n = before;
}
