/*
 * class_file.c - class files: YAML documents to mpl_class (catalogue C1 to C16).
 *
 * The parser is as strict as the reference's loader and no stricter: what that one ignores (unknown
 * keys) is a warning.  Every problem of a file is reported in one pass; a member that cannot be
 * understood is left out, a statement becomes MS_ERROR.
 */
#include "compiler/murano/murano.h"
#include "compiler/murano/package.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- small questions about nodes ---- */

bool
mpl_is_text(const ynode *n, const char *text)
{
	return n != NULL && yn_is_str(n) && n->ntext == strlen(text) &&
	       memcmp(n->text, text, n->ntext) == 0;
}

bool
mpl_is_scalar_text(const ynode *n)
{
	return n != NULL && n->kind == YN_SCALAR && (n->is_expr || n->type == YT_STR);
}

bool
mpl_is_null(const ynode *n)
{
	return n == NULL || (n->kind == YN_SCALAR && n->type == YT_NULL && !n->is_expr);
}

bool
mpl_falsy(const ynode *n)
{
	if (mpl_is_null(n))
		return true;
	if (n->kind != YN_SCALAR)
		return n->kind != YN_ERROR && n->n == 0;
	if (n->is_expr)
		return false;
	switch ((enum yn_type)n->type) {
	case YT_NULL: return true;
	case YT_STR:
	case YT_BINARY: return n->ntext == 0;
	case YT_BOOL: return n->i == 0;
	case YT_INT: return n->fits && n->i == 0;
	case YT_FLOAT: return n->f == 0;
	case YT_DATE:
	case YT_DATETIME: return false;
	}
	return false;
}

uint32_t
mpl_items(const ynode *n)
{
	return mpl_is_null(n) || n->kind == YN_ERROR ? 0 : n->kind == YN_SEQ ? n->n : 1;
}

ynode *
mpl_item(ynode *n, uint32_t i)
{
	return n->kind == YN_SEQ ? n->item[i] : n;
}

const char *
mpl_show(vc *c, const ynode *n)
{
	if (n == NULL)
		return "nothing";
	if (n->kind == YN_MAP)
		return "a mapping";
	if (n->kind == YN_SEQ)
		return "a list";
	if (n->kind == YN_ERROR)
		return "an unreadable value";
	if (n->type == YT_NULL && !n->is_expr)
		return "null";
	return vc_format(c, "\"%.*s%s\"", n->ntext > 60 ? 57 : (int)n->ntext, n->text,
		n->ntext > 60 ? "..." : "");
}

void
mpl_suggest(vc *c, const char *name, const char *const *names, size_t n)
{
	const char *near = vt_nearest(name, names, n);

	if (near)
		vc_did_you_mean(c, "\"%s\"", near);
}

static bool
listed(const ynode *key, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (mpl_is_text(key, names[i]))
			return true;
	return false;
}

/* Warns of the keys of a mapping that are in none of the names; `what` is "a property", ... */
static void
mpl_unknown_keys(vc *c, const ynode *map, const char *what, const char *const *names, size_t n)
{
	for (uint32_t i = 0; i < map->n; i++) {
		if (map->key[i]->kind != YN_SCALAR || listed(map->key[i], names, n))
			continue;
		vc_report(c, VC_W1020, map->key[i]->span,
			"key %s is not known in %s and is ignored", mpl_show(c, map->key[i]), what);
		mpl_suggest(c, map->key[i]->text, names, n);
	}
}

/* ---- names (C3) ---- */

static bool
word_start(unsigned char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
}

/* \w of the reference is Unicode's: every byte of a multi-byte character counts as a letter. */
static bool
word_char(unsigned char ch)
{
	return word_start(ch) || (ch >= '0' && ch <= '9') || ch >= 0x80;
}

/* The length of the word at s, or 0. */
static size_t
word(const char *s)
{
	size_t n = 0;

	if (!word_start((unsigned char)s[0]))
		return 0;
	while (word_char((unsigned char)s[n]))
		n++;
	return n;
}

/* word(.word)* up to the end. */
static bool
dotted(const char *s)
{
	for (;;) {
		size_t n = word(s);
		if (n == 0)
			return false;
		s += n;
		if (*s == 0)
			return true;
		if (*s++ != '.')
			return false;
	}
}

static const mpl_prefix *
find_prefix(const mpl_class *cls, const char *prefix, size_t n)
{
	for (uint32_t i = 0; cls && i < cls->nprefixes; i++)
		if (strlen(cls->prefixes[i].prefix) == n &&
			memcmp(cls->prefixes[i].prefix, prefix, n) == 0)
			return &cls->prefixes[i];
	return NULL;
}

static char *
join_ns(vc *c, const char *ns, const char *name)
{
	return ns[0] ? vc_format(c, "%s.%s", ns, name) : vc_strdup(c, name);
}

enum mpl_name
mpl_resolve_try(vc *c, const mpl_class *cls, const char *name, char **fqn)
{
	const char *colon = strchr(name, ':'), *local = colon ? colon + 1 : name;
	const mpl_prefix *p;

	*fqn = NULL;
	if (!dotted(local) || (colon && colon != name && word(name) != (size_t)(colon - name)))
		return MPL_NAME_BAD;
	if (colon && colon != name) {
		p = find_prefix(cls, name, (size_t)(colon - name));
		if (p == NULL)
			return MPL_NAME_PREFIX;
	} else if (!colon && strchr(name, '.')) {
		p = NULL;
	} else
		p = find_prefix(cls, "=", 1);
	*fqn = join_ns(c, p ? p->ns : "", local);
	return MPL_NAME_OK;
}

static void
unknown_prefix(vc *c, const mpl_class *cls, const char *name, vc_span span)
{
	size_t len = strcspn(name, ":"), n = 0;
	const char *prefix = vc_strndup(c, name, len), **known = NULL, *near;

	vc_report(c, VC_E0602, span, "namespace prefix \"%s\" is not declared", prefix);
	for (uint32_t i = 0; cls && i < cls->nprefixes; i++)
		vc_push(c, known, n) = cls->prefixes[i].prefix;
	near = vt_nearest(prefix, known, n);
	if (near)
		vc_did_you_mean(c, "\"%s\"", vc_format(c, "%s%s", near, name + len));
	else
		vc_hint(c, "declare it below Namespaces");
}

char *
mpl_resolve(vc *c, const mpl_class *cls, const char *name, vc_span span)
{
	char *fqn;

	switch (mpl_resolve_try(c, cls, name, &fqn)) {
	case MPL_NAME_OK: return fqn;
	case MPL_NAME_BAD:
		vc_report(c, VC_E0605, span, "\"%s\" is no name of a class", name);
		vc_hint(c, "a class is named Name, :Name, prefix:Name or full.name.space.Name");
		return NULL;
	case MPL_NAME_PREFIX: unknown_prefix(c, cls, name, span); return NULL;
	}
	return NULL;
}

/* One namespace: prefix and value; false when it was reported. */
static bool
parse_prefix(vc *c, const ynode *key, const ynode *value, mpl_prefix *out)
{
	if (key->kind != YN_SCALAR || key->is_expr ||
		!(strcmp(key->text, "=") == 0 || word(key->text) == key->ntext) ||
		key->ntext == 0) {
		vc_report(c, VC_E0504, key->span, "%s is no namespace prefix", mpl_show(c, key));
		vc_hint(c, "a prefix is a word, or = for the namespace of the file's own classes");
		return false;
	}
	if (!mpl_is_null(value) &&
		!(yn_is_str(value) && (value->ntext == 0 || dotted(value->text)))) {
		vc_report(c, VC_E0504, value->span, "%s is no namespace", mpl_show(c, value));
		vc_hint(c, "a namespace is words joined by dots");
		return false;
	}
	out->prefix = vc_strdup(c, key->text);
	out->ns = mpl_is_null(value) ? "" : vc_strdup(c, value->text);
	return true;
}

typedef struct prefixes {
	mpl_prefix *v;
	uint32_t n;
} prefixes;

static prefixes
parse_namespaces(vc *c, const ynode *map)
{
	prefixes out = {NULL, 0};

	if (mpl_is_null(map) || map->kind == YN_ERROR)
		return out;
	if (map->kind != YN_MAP) {
		vc_report(c, VC_E0504, map->span, "Namespaces is a mapping of prefixes, not %s",
			mpl_show(c, map));
		return out;
	}
	for (uint32_t i = 0; i < map->n; i++) {
		mpl_prefix p;
		if (parse_prefix(c, map->key[i], map->item[i], &p))
			vc_push(c, out.v, out.n) = p;
	}
	return out;
}

/* A name or a list of names, resolved; spans in parallel. */
static void
parse_names(vc *c, const mpl_class *k, ynode *v, const char *key, const char ***names,
	vc_span **spans, uint32_t *n)
{
	for (uint32_t i = 0; i < mpl_items(v); i++) {
		ynode *item = mpl_item(v, i);
		uint32_t m = *n;
		char *fqn;
		if (item->kind == YN_ERROR)
			continue;
		if (!mpl_is_scalar_text(item)) {
			vc_report(c, VC_E0505, item->span,
				"%s takes the name of a class or a list of names, not %s", key,
				mpl_show(c, item));
			continue;
		}
		if ((fqn = mpl_resolve(c, k, item->text, item->span)) == NULL)
			continue;
		vc_push(c, *names, *n) = fqn;
		vc_push(c, *spans, m) = item->span;
	}
}

/* ---- members ---- */

static const char *const prop_usages[] = {
	"In", "Out", "InOut", "Const", "Runtime", "Config", "Static"};
static const char *const arg_usages[] = {"Standard", "VarArgs", "KwArgs"};
static const char *const method_usages[] = {"Runtime", "Action", "Static", "Extension"};
static const char *const scopes[] = {"Session", "Public"};

/* The index of a word; 0, the default, for a false value; -1 when it is none of them. */
static int
choice(const ynode *v, const char *const *names, size_t n)
{
	if (mpl_falsy(v))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (mpl_is_text(v, names[i]))
			return (int)i;
	return -1;
}

static const char *
words(vc *c, const char *const *names, size_t n)
{
	const char *out = names[0];

	for (size_t i = 1; i < n; i++)
		out = vc_format(c, "%s%s%s", out, i + 1 < n ? ", " : " or ", names[i]);
	return out;
}

/* As choice, but an unknown word is reported with the code and the default taken. */
static uint8_t
choose(vc *c, enum vc_code code, const char *what, const ynode *v, const char *const *names,
	size_t n)
{
	int i = choice(v, names, n);

	if (i >= 0)
		return (uint8_t)i;
	if (v->kind == YN_ERROR)
		return 0;
	vc_report(c, code, v->span, "%s %s is unknown: it is %s", what, mpl_show(c, v),
		words(c, names, n));
	if (v->kind == YN_SCALAR)
		mpl_suggest(c, v->text, names, n);
	return 0;
}

/* The name of a member; NULL when the key is no text. */
static const char *
member_name(vc *c, const ynode *key, const char *what)
{
	if (yn_is_str(key) && key->ntext > 0)
		return vc_strndup(c, key->text, key->ntext);
	if (key->kind == YN_ERROR)
		return NULL;
	vc_report(c, VC_E0506, key->span, "%s is no name of %s", mpl_show(c, key), what);
	if (key->kind == YN_SCALAR && key->is_expr)
		vc_hint(c, "it reads as an expression; a name is letters, digits and underscores");
	else if (key->kind == YN_SCALAR && key->type != YT_STR)
		vc_hint(c, "YAML reads this word as a %s; put it in quotes",
			key->type == YT_BOOL ? "truth value" : "number or another scalar");
	return NULL;
}

/* What the name of a type means that other languages have; `$` takes any value. */
static const char *
contract_of(const ynode *v)
{
	static const struct {
		const char *name, *contract;
	} rows[] = {{"string", "$.string()"}, {"str", "$.string()"}, {"text", "$.string()"},
		{"int", "$.int()"}, {"integer", "$.int()"}, {"number", "$.int()"},
		{"bool", "$.bool()"}, {"boolean", "$.bool()"}, {"list", "[$]"}, {"dict", "{}"},
		{"map", "{}"}};

	for (size_t i = 0; v->kind == YN_SCALAR && i < VC_LEN(rows); i++)
		if (strcasecmp(v->text, rows[i].name) == 0)
			return rows[i].contract;
	return "$";
}

/* The shared part of properties and arguments; false when the declaration is unusable. */
static bool
parse_spec(vc *c, const ynode *key, ynode *v, const char *what, const char *name, ynode **contract,
	ynode **dflt, ynode **meta)
{
	if (v->kind == YN_ERROR)
		return false;
	if (v->kind != YN_MAP) {
		vc_report(c, VC_E0507, mpl_is_null(v) ? key->span : v->span,
			"%s \"%s\" is declared by a mapping with a Contract, not by %s", what, name,
			mpl_show(c, v));
		if (v->kind == YN_SCALAR && v->is_expr)
			vc_hint(c, "write %s: {Contract: %s}", name, v->text);
		else
			vc_hint(c, "write %s: {Contract: %s}", name, contract_of(v));
		return false;
	}
	*contract = yn_get(v, "Contract");
	*dflt = yn_get(v, "Default");
	*meta = yn_get(v, "Meta");
	if (*contract)
		return true;
	vc_report(c, VC_E0508, key->span, "%s \"%s\" has no Contract", what, name);
	vc_hint(c, "Contract: $ accepts any value");
	return false;
}

static const char *const prop_keys[] = {"Contract", "Default", "Usage", "Meta"};

static void
parse_property(vc *c, mpl_class *k, const ynode *key, ynode *v)
{
	const char *name = member_name(c, key, "a property");
	mpl_property p = {.cls = k, .name = name, .span = key->span};

	if (name == NULL)
		return;
	bool usable = parse_spec(c, key, v, "property", name, &p.contract, &p.dflt, &p.meta);
	if (v->kind == YN_MAP) {
		mpl_unknown_keys(c, v, "a property", prop_keys, VC_LEN(prop_keys));
		p.usage = choose(
			c, VC_E0509, "usage", yn_get(v, "Usage"), prop_usages, VC_LEN(prop_usages));
	}
	if (!usable)
		return;
	mpl_property *kept = vc_alloc(c, sizeof *kept);
	*kept = p;
	vc_push(c, k->props, k->nprops) = kept;
}

/* VarArgs and KwArgs close the list in this order (C12). */
static void
check_order(vc *c, const mpl_method *m)
{
	bool varargs = false, kwargs = false;

	for (uint32_t i = 0; i < m->nargs; i++) {
		const mpl_argument *a = &m->args[i];
		if (kwargs || (varargs && a->usage != MPL_KWARGS)) {
			vc_report(c, VC_E0511, a->span,
				"argument \"%s\" of method \"%s\" stands in the wrong order",
				a->name, m->name);
			vc_hint(c, "the order is: Standard arguments, then one of VarArgs, then "
				   "one of KwArgs");
			return;
		}
		varargs |= a->usage == MPL_VARARGS;
		kwargs |= a->usage == MPL_KWARGS;
	}
}

static int
by_argument(const void *a, const void *b)
{
	const mpl_argument *x = *(mpl_argument *const *)a, *y = *(mpl_argument *const *)b;
	int d = strcmp(x->name, y->name);

	return d ? d : x < y ? -1 : x > y;
}

/* The later of two declarations takes the place of the earlier one. */
static void
drop_repeated(vc *c, mpl_method *m)
{
	mpl_argument **v = vc_alloc(c, sizeof *v * (m->nargs + 1));
	uint32_t kept = 0;

	for (uint32_t i = 0; i < m->nargs; i++)
		v[i] = &m->args[i];
	if (m->nargs)
		qsort(v, m->nargs, sizeof *v, by_argument);
	for (uint32_t i = 1, first = 0; i < m->nargs; i++) {
		if (strcmp(v[first]->name, v[i]->name) != 0) {
			first = i;
			continue;
		}
		vc_report(c, VC_W1022, v[i]->span,
			"argument \"%s\" of method \"%s\" is declared twice; the later declaration "
			"counts",
			v[i]->name, m->name);
		vc_note(c, v[first]->span, "the earlier one");
		*v[first] = *v[i];
		v[i]->contract = NULL;
	}
	for (uint32_t i = 0; i < m->nargs; i++)
		if (m->args[i].contract)
			m->args[kept++] = m->args[i];
	m->nargs = kept;
}

static const char *const arg_keys[] = {"Contract", "Default", "Usage", "Meta"};

static void
parse_argument(vc *c, mpl_method *m, const ynode *key, ynode *v)
{
	const char *name = member_name(c, key, "an argument");
	mpl_argument a = {.name = name, .span = key->span};

	if (name == NULL)
		return;
	bool usable = parse_spec(c, key, v, "argument", name, &a.contract, &a.dflt, &a.meta);
	if (v->kind == YN_MAP) {
		mpl_unknown_keys(c, v, "an argument", arg_keys, VC_LEN(arg_keys));
		a.usage = choose(
			c, VC_E0509, "usage", yn_get(v, "Usage"), arg_usages, VC_LEN(arg_usages));
	}
	if (usable)
		vc_push(c, m->args, m->nargs) = a;
}

/* One item of Arguments: a mapping with one key, or the whole section written as a mapping, whose
 * arguments then stand in the order of the text (C11; the reference takes one only, by mistake). */
static void
parse_argument_record(vc *c, mpl_method *m, ynode *rec, bool whole)
{
	if (rec->kind == YN_ERROR)
		return;
	if (rec->kind != YN_MAP || rec->n == 0) {
		vc_report(c, VC_E0510, rec->span,
			"an argument is declared as {name: {Contract: ...}}, not by %s",
			rec->kind == YN_MAP ? "an empty mapping" : mpl_show(c, rec));
		return;
	}
	if (rec->n > 1 && !whole) {
		vc_report(c, VC_E0510, rec->key[1]->span,
			"an item of Arguments declares one argument only");
		vc_hint(c, "is the indentation right? What belongs to an argument stands "
			   "deeper than its name");
	}
	for (uint32_t i = 0; i < rec->n; i++)
		if (rec->n == 1 || whole || rec->item[i]->kind == YN_MAP)
			parse_argument(c, m, rec->key[i], rec->item[i]);
}

static void
parse_arguments(vc *c, mpl_method *m, ynode *v)
{
	for (uint32_t i = 0; i < mpl_items(v); i++)
		parse_argument_record(c, m, mpl_item(v, i), v->kind != YN_SEQ);
	check_order(c, m);
	drop_repeated(c, m);
}

static void
parse_usage_scope(vc *c, mpl_method *m, const ynode *v)
{
	const ynode *usage = yn_get(v, "Usage"), *scope = yn_get(v, "Scope");

	m->usage = choose(c, VC_W1021, "method usage", usage, method_usages, VC_LEN(method_usages));
	m->is_public = choose(c, VC_W1021, "scope", scope, scopes, VC_LEN(scopes)) == 1;
	if (m->usage != MPL_M_ACTION)
		return;
	if (mpl_is_text(scope, "Session")) {
		vc_report(c, VC_E0512, scope->span,
			"method \"%s\" is an Action, so its scope cannot be Session", m->name);
		vc_note(c, usage->span, "Usage: Action makes a method public");
		vc_hint(c, "leave Scope out, or write Scope: Public instead of Usage: Action");
	} else if (m->cls->pkg && m->cls->pkg->format > 103)
		vc_report(c, VC_W1035, usage->span,
			"Usage: Action is deprecated from format 1.4 on; write Scope: Public");
	m->is_public = true;
}

static const char *const method_keys[] = {"Arguments", "Body", "Usage", "Scope", "Meta"};

/* Keys of a mapping differ; only the aliases of .init and .destroy can meet. */
static void
add_method(vc *c, mpl_class *k, mpl_method *m)
{
	for (uint32_t i = 0; i < k->nmethods && m->name[0] == '.'; i++)
		if (strcmp(k->methods[i]->name, m->name) == 0) {
			vc_report(c, VC_W1022, m->span,
				"method \"%s\" is declared twice; the later declaration counts",
				m->name);
			vc_note(c, k->methods[i]->span, "the earlier one");
			k->methods[i] = m;
			return;
		}
	vc_push(c, k->methods, k->nmethods) = m;
}

static void
parse_method(vc *c, mpl_class *k, const ynode *key, ynode *v)
{
	const char *name = member_name(c, key, "a method");
	mpl_method *m;

	if (name == NULL || v->kind == YN_ERROR)
		return;
	m = vc_alloc(c, sizeof *m);
	m->cls = k;
	m->span = key->span;
	m->abstract = v->kind != YN_MAP || yn_get(v, "Body") == NULL;
	m->name = strcmp(name, "initialize") == 0 ? ".init"
		  : strcmp(name, "destroy") == 0  ? ".destroy"
						  : name;
	if (v->kind == YN_MAP) {
		mpl_unknown_keys(c, v, "a method", method_keys, VC_LEN(method_keys));
		parse_usage_scope(c, m, v);
		m->meta = yn_get(v, "Meta");
		if (yn_get(v, "Arguments"))
			parse_arguments(c, m, yn_get(v, "Arguments"));
		m->body = mpl_block(c, k, yn_get(v, "Body"), &m->nbody);
	} else if (!mpl_falsy(v)) {
		vc_report(c, VC_E0507, v->span,
			"method \"%s\" is declared by a mapping with a Body, not by %s", name,
			mpl_show(c, v));
		vc_hint(c, "write Body: before the statements");
		return;
	}
	add_method(c, k, m);
}

static void
parse_section(vc *c, mpl_class *k, const char *name, ynode *v,
	void (*each)(vc *, mpl_class *, const ynode *, ynode *))
{
	if (mpl_falsy(v) || v->kind == YN_ERROR)
		return;
	if (v->kind != YN_MAP) {
		vc_report(c, VC_E0505, v->span, "%s is a mapping of names, not %s", name,
			mpl_show(c, v));
		return;
	}
	for (uint32_t i = 0; i < v->n; i++)
		each(c, k, v->key[i], v->item[i]);
}

/* ---- Meta classes ---- */

static const char *const targets[] = {"Package", "Type", "Property", "Method", "Argument", "All"};
enum { ALL_TARGETS = 31 };

static uint16_t
parse_applies(vc *c, const ynode *v)
{
	uint16_t bits = 0;

	if (v == NULL)
		return ALL_TARGETS;
	if (v->kind != YN_SEQ && !yn_is_str(v)) {
		vc_report(c, VC_E0505, v->span, "Applies is a target or a list of targets, not %s",
			mpl_show(c, v));
		return ALL_TARGETS;
	}
	for (uint32_t i = 0; i < mpl_items(v); i++) {
		const ynode *t = v->kind == YN_SEQ ? v->item[i] : v;
		int k = mpl_falsy(t) ? -1 : choice(t, targets, VC_LEN(targets));
		if (k < 0) {
			vc_report(c, VC_E0505, t->span, "Meta target %s is unknown: it is %s",
				mpl_show(c, t), words(c, targets, VC_LEN(targets)));
			if (t->kind == YN_SCALAR)
				mpl_suggest(c, t->text, targets, VC_LEN(targets));
		} else
			bits |= k == 5 ? ALL_TARGETS : 1u << k;
	}
	return bits;
}

static void
parse_meta_class(vc *c, mpl_class *k, const ynode *doc)
{
	static const char *const cardinality[] = {"One", "Many"};
	const ynode *card = yn_get(doc, "Cardinality"), *inherited = yn_get(doc, "Inherited");

	if (card && (mpl_falsy(card) || choice(card, cardinality, 2) < 0))
		vc_report(c, VC_E0505, card->span, "Cardinality is One or Many, not %s",
			mpl_show(c, card));
	else
		k->many = card && choice(card, cardinality, 2) == 1;
	if (inherited && !(inherited->kind == YN_SCALAR && inherited->type == YT_BOOL &&
				 !inherited->is_expr))
		vc_report(c, VC_E0505, inherited->span, "Inherited is true or false, not %s",
			mpl_show(c, inherited));
	else
		k->inherited = inherited && inherited->i;
	k->applies = parse_applies(c, yn_get(doc, "Applies"));
}

/* The shape of a Meta section; the checker looks at the classes it names. */
static void
check_meta_shape(vc *c, const ynode *meta)
{
	for (uint32_t i = 0; i < mpl_items(meta); i++) {
		const ynode *m = meta->kind == YN_SEQ ? meta->item[i] : meta;
		if (m->kind == YN_ERROR || mpl_is_scalar_text(m) ||
			(m->kind == YN_MAP && m->n == 1 && mpl_is_scalar_text(m->key[0])))
			continue;
		vc_report(c, VC_E0513, m->span,
			"an item of Meta is the name of a Meta class, or a mapping of one name to "
			"its properties, not %s",
			m->kind == YN_MAP ? vc_format(c, "a mapping with %u keys", m->n)
					  : mpl_show(c, m));
	}
}

static void
check_meta_shapes(vc *c, const mpl_class *k)
{
	check_meta_shape(c, k->meta);
	for (uint32_t i = 0; i < k->nprops; i++)
		check_meta_shape(c, k->props[i]->meta);
	for (uint32_t i = 0; i < k->nmethods; i++) {
		const mpl_method *m = k->methods[i];
		check_meta_shape(c, m->meta);
		for (uint32_t a = 0; a < m->nargs; a++)
			check_meta_shape(c, m->args[a].meta);
	}
}

/* ---- classes ---- */

static const char *const class_keys[] = {"Name", "Namespaces", "Extends", "Usage", "Properties",
	"Methods", "Workflow", "Meta", "Import", "Cardinality", "Applies", "Inherited"};
enum { PLAIN_CLASS_KEYS = 9 };

static void
parse_usage(vc *c, mpl_class *k, const ynode *doc)
{
	const ynode *usage = yn_get(doc, "Usage");
	static const char *const usages[] = {"Class", "Meta"};

	k->applies = ALL_TARGETS;
	if (usage && !mpl_is_text(usage, "Class") && !mpl_is_text(usage, "Meta")) {
		vc_report(c, VC_E0505, usage->span, "Usage of a class is Class or Meta, not %s",
			mpl_show(c, usage));
		if (usage->kind == YN_SCALAR)
			mpl_suggest(c, usage->text, usages, 2);
	}
	k->is_meta = mpl_is_text(usage, "Meta");
	if (k->is_meta)
		parse_meta_class(c, k, doc);
	mpl_unknown_keys(c, doc, k->is_meta ? "a Meta class" : "a class", class_keys,
		k->is_meta ? VC_LEN(class_keys) : PLAIN_CLASS_KEYS);
}

static void
parse_class(vc *c, mpl_package *pkg, vc_source *src, const ynode *doc, const char *name,
	vc_span span, prefixes ns)
{
	mpl_class *k = vc_alloc(c, sizeof *k);
	ynode *extends = yn_get(doc, "Extends"), *methods = yn_get(doc, "Methods");

	k->pkg = pkg;
	k->src = src;
	k->span = span;
	k->prefixes = ns.v;
	k->nprefixes = ns.n;
	if ((k->name = mpl_resolve(c, k, name, span)) == NULL)
		return;
	parse_usage(c, k, doc);
	if (!mpl_falsy(extends))
		parse_names(c, k, extends, "Extends", &k->parents, &k->parent_spans, &k->nparents);
	parse_names(
		c, k, yn_get(doc, "Import"), "Import", &k->imports, &k->import_spans, &k->nimports);
	k->meta = yn_get(doc, "Meta");
	parse_section(c, k, "Properties", yn_get(doc, "Properties"), parse_property);
	if (mpl_falsy(methods))
		parse_section(c, k, "Workflow", yn_get(doc, "Workflow"), parse_method);
	else
		parse_section(c, k, "Methods", methods, parse_method);
	check_meta_shapes(c, k);
	vc_push(c, pkg->classes, pkg->nclasses) = k;
}

/* A name given in the document; NULL when there is none, "" when it is unusable. */
static const char *
class_name(vc *c, const ynode *doc)
{
	const ynode *name = yn_get(doc, "Name");

	if (mpl_falsy(name))
		return NULL;
	if (mpl_is_scalar_text(name))
		return name->text;
	if (name->kind != YN_ERROR)
		vc_report(c, VC_E0503, name->span, "%s is no name of a class", mpl_show(c, name));
	return "";
}

/* A document that gives nothing but namespaces to those that follow. */
static bool
only_namespaces(const ynode *doc)
{
	return doc->n == 1 && mpl_is_text(doc->key[0], "Namespaces");
}

void
mpl_parse_file(vc *c, mpl_package *pkg, vc_source *src, const char *wanted)
{
	uint32_t ndocs;
	/* format 1.0 too: only its functions are legacy, `=>` is no operator */
	ynode **docs = vc_yaml_parse(
		c, src, &(vc_yaml_opts){.expressions = true, .flags = YQ_F_MURANO}, &ndocs);
	prefixes ns = {NULL, 0};
	const ynode *nameless = NULL;

	for (uint32_t i = 0; i < ndocs; i++) {
		const ynode *doc = docs[i];
		const char *name;
		if (doc->kind == YN_ERROR || (doc->kind == YN_MAP && doc->n == 0))
			continue;
		if (doc->kind != YN_MAP) {
			vc_report(c, VC_E0501, doc->span, "a class is a mapping, not %s",
				mpl_show(c, doc));
			continue;
		}
		if (yn_get(doc, "Namespaces"))
			ns = parse_namespaces(c, yn_get(doc, "Namespaces"));
		if (only_namespaces(doc))
			continue;
		name = class_name(c, doc);
		if (name == NULL && nameless) {
			vc_report(c, VC_E0502, doc->key[0]->span,
				"a file may hold one class without a Name only");
			vc_note(c, nameless->key[0]->span, "the first one");
			continue;
		}
		if (name == NULL)
			nameless = doc;
		if (name == NULL && wanted == NULL) {
			vc_report(c, VC_E0503, doc->key[0]->span,
				"a class without a Name, in a file the manifest does not name");
			continue;
		}
		if (name == NULL || name[0])
			parse_class(c, pkg, src, doc, name ? name : wanted,
				name ? yn_get(doc, "Name")->span : doc->key[0]->span, ns);
	}
}
