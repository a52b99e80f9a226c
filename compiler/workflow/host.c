/*
 * host.c - files that declare the functions of a host.
 *
 * A file is a map: `host` is its name, `variables` are the $NAMEs that it sets, `functions` are
 * texts such as "task(taskName: task? = null)", and so are
 * `actions`, whose names have dots.  Of a default only that there is one counts.
 */
#include "compiler/workflow/int.h"

#include <string.h>

static const struct {
	const char *name;
	uint32_t kinds;
} types[WF_NTYPES] = {
	[WF_ANY] = {"any", VC_K_ALL},
	[WF_TEXT] = {"text", VC_K_STR},
	[WF_INTEGER] = {"integer", VC_K_INT},
	[WF_NUMBER] = {"number", VC_K_INT | VC_K_FLOAT},
	[WF_BOOLEAN] = {"boolean", VC_K_BOOL},
	[WF_LIST] = {"list", VC_K_LIST | VC_K_ITER | VC_K_SET},
	[WF_DICT] = {"dict", VC_K_DICT},
	[WF_TASK] = {"task", VC_K_STR},
	[WF_VARIABLE] = {"variable", VC_K_STR},
	[WF_ITEM] = {"item", VC_K_STR},
};

const char *
wf_type_name(enum wf_type t)
{
	return types[t].name;
}

uint32_t
wf_type_kinds(enum wf_type t)
{
	return types[t].kinds;
}

const wf_function *
wf_function_of(const vc *c, const wf_host *h, const char *name)
{
	uint32_t i = h ? wf_find(c, &h->functions.names, name) : UINT32_MAX;
	return i == UINT32_MAX ? NULL : &h->functions.of[i];
}

const wf_function *
wf_action_of(const vc *c, const wf_host *h, const char *name)
{
	uint32_t i = h ? wf_find(c, &h->actions.names, name) : UINT32_MAX;
	return i == UINT32_MAX ? NULL : &h->actions.of[i];
}

/* ---- one signature ---- */

typedef struct reader {
	vc *c;
	const ynode *y;
	const char *p;
} reader;

static bool
wrong(reader *r, const char *what)
{
	uint32_t at = (uint32_t)(r->p - r->y->text);
	vc_report(r->c, VC_E5006, yn_subspan(r->y, at, at + (at < r->y->ntext)), "%s", what);
	vc_hint(r->c, "a function is written as name(one: text, other: integer? = 0, *rest)");
	return false;
}

static void
blanks(reader *r)
{
	r->p += strspn(r->p, " \t\n");
}

static bool
taken(reader *r, const char *word)
{
	blanks(r);
	size_t n = strlen(word);
	if (strncmp(r->p, word, n) != 0)
		return false;
	r->p += n;
	return true;
}

static const char *
word(reader *r)
{
	blanks(r);
	size_t n = strspn(r->p, wf_word_chars);
	r->p += n;
	return n ? vc_strndup(r->c, r->p - n, n) : NULL;
}

/* Names of actions have dots. */
static const char *
dotted(reader *r)
{
	blanks(r);
	size_t n = strspn(r->p, wf_word_chars);
	while (n && r->p[n] == '.' && strspn(r->p + n + 1, wf_word_chars))
		n += 1 + strspn(r->p + n + 1, wf_word_chars);
	r->p += n;
	return n ? vc_strndup(r->c, r->p - n, n) : NULL;
}

static bool
read_type(reader *r, wf_parameter *p)
{
	blanks(r);
	const char *at = r->p, *name = word(r);
	for (uint32_t i = 0; name && i < WF_NTYPES; i++)
		if (!strcmp(types[i].name, name)) {
			p->type = (uint8_t)i;
			p->nullable = taken(r, "?");
			return true;
		}
	r->p = at;
	return wrong(r, "a type is any, text, integer, number, boolean, list, dict, task, variable "
			"or item");
}

/* A word, a number or a text without quotes in it. */
static bool
skip_default(reader *r)
{
	blanks(r);
	const char quote = *r->p == '\'' || *r->p == '"' ? *r->p : 0;
	const char *end = quote ? strchr(r->p + 1, quote) : NULL;
	if (quote && !end)
		return wrong(r, "the text is not closed");
	size_t n = quote ? (size_t)(end + 1 - r->p) : strcspn(r->p, ",) ");
	if (!n)
		return wrong(r, "a default is missing");
	r->p += n;
	return true;
}

static bool
read_parameter(reader *r, wf_function *f)
{
	wf_parameter p = {.keywords = taken(r, "**")};
	p.rest = !p.keywords && taken(r, "*");
	p.name = word(r);
	if (!p.name)
		return wrong(r, "the name of an argument is missing");
	if (taken(r, ":") && !read_type(r, &p))
		return false;
	p.nullable |= p.type == WF_ANY;
	p.has_default = taken(r, "=");
	if (p.has_default && !skip_default(r))
		return false;
	vc_push(r->c, f->params, f->nparams) = p;
	return true;
}

static bool
read_signature(reader *r, wf_function *f)
{
	f->name = dotted(r);
	if (!f->name)
		return wrong(r, "the name is missing");
	if (!taken(r, "("))
		return wrong(r, "arguments are missing, or ()");
	while (!taken(r, ")")) {
		if (f->nparams && !taken(r, ","))
			return wrong(r, "arguments are parted by commas");
		if (!read_parameter(r, f))
			return false;
	}
	blanks(r);
	return *r->p ? wrong(r, "nothing may follow") : true;
}

/* ---- a file ---- */

static const ynode *
list_of(vc *c, const ynode *doc, const char *key)
{
	const ynode *y = yn_get(doc, key);
	if (!y || y->kind == YN_SEQ)
		return y;
	vc_report(c, VC_E5006, y->span, "%s is a list", key);
	return NULL;
}

/* A later file declares a function anew. */
static void
read_functions(vc *c, wf_functions *to, const ynode *list)
{
	for (uint32_t i = 0; list && i < list->n; i++) {
		const ynode *y = list->item[i];
		wf_function f = {0};
		if (y->kind != YN_SCALAR || strlen(y->text) != y->ntext) {
			vc_report(c, VC_E5006, y->span, "a function is written as a text");
			continue;
		}
		reader r = {c, y, y->text};
		if (!read_signature(&r, &f))
			continue;
		wf_add(c, &to->names, f.name);
		uint32_t at = wf_find(c, &to->names, f.name);
		if (at == to->n)
			vc_push(c, to->of, to->n) = f;
		else
			to->of[at] = f;
	}
}

/* A name without its $. */
static void
read_variable(vc *c, wf_host *h, const ynode *y)
{
	const char *name = wf_text(y);
	if (name && *name && strspn(name, wf_word_chars) == strlen(name))
		wf_add(c, &h->variables, name);
	else if (y->kind != YN_ERROR) {
		vc_report(c, VC_E5006, y->span, "a variable is a name of letters, digits and _");
		if (name && *name == '$')
			vc_hint(c, "the $ is not written here: %s", name + 1);
	}
}

static void
read_host(vc *c, wf_host *h, vc_source *src)
{
	uint32_t n = 0;
	ynode **docs = src ? vc_yaml_parse(c, src, &(vc_yaml_opts){0}, &n) : NULL;
	if (!n)
		return;
	const ynode *doc = docs[0], *variables;
	if (doc->kind != YN_MAP) {
		vc_report(c, VC_E5006, doc->span,
			"a declaration is a map with host, variables, functions and actions");
		return;
	}
	for (uint32_t i = 0; i < doc->n; i++) {
		const char *key = doc->key[i]->text;
		if (!key || (strcmp(key, "host") && strcmp(key, "variables") &&
				    strcmp(key, "functions") && strcmp(key, "actions")))
			vc_report(c, VC_E5006, doc->key[i]->span,
				"a declaration has host, variables, functions and actions");
	}
	read_functions(c, &h->functions, list_of(c, doc, "functions"));
	read_functions(c, &h->actions, list_of(c, doc, "actions"));
	variables = list_of(c, doc, "variables");
	for (uint32_t i = 0; variables && i < variables->n; i++)
		read_variable(c, h, variables->item[i]);
}

wf_host *
wf_host_read(vc *c, enum wf_kind kind, const char *const *functions, uint32_t n)
{
	static const char *const names[] = {
		[WF_NONE] = "YAQL", [WF_MISTRAL] = "Mistral", [WF_ORQUESTA] = "Orquesta"};
	static const char *const files[] = {[WF_NONE] = NULL,
		[WF_MISTRAL] = "hosts/mistral.yaml",
		[WF_ORQUESTA] = "hosts/orquesta.yaml"};
	wf_host *h = vc_alloc(c, sizeof *h);
	size_t size = 0;
	h->name = names[kind];
	const char *text = files[kind] ? vc_asset(files[kind], &size) : NULL;
	if (text)
		read_host(c, h, vc_source_new(c, files[kind], text, size));
	for (uint32_t i = 0; i < n; i++)
		read_host(c, h, vc_source_read(c, functions[i]));
	return h;
}
