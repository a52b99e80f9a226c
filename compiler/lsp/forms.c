/*
 * forms.c - what may stand where in the form of a package, UI/ui.yaml: sections, fields with their
 * attributes by type, answers in expressions, and objects by the classes of the package.
 */
#include "compiler/form/form.h"
#include "compiler/lsp/know.h"
#include "compiler/lsp/scope.h"
#include "compiler/murano/package.h"

#include <ctype.h>
#include <string.h>

typedef struct place {
	lsp_offers *o;
	const lsp_spot *s;
	const ynode *doc;
} place;

static const ynode *
member(const ynode *map, const char *key)
{
	return map && map->kind == YN_MAP ? yn_get(map, key) : NULL;
}

static const char *
scalar(const ynode *y)
{
	return y && y->kind == YN_SCALAR && y->ntext ? y->text : NULL;
}

/* ---- forms and fields ---- */

/* The n-th form: its name's node, and its body. */
static const ynode *
form_at(const place *p, uint32_t i, const ynode **body)
{
	const ynode *all = member(p->doc, "Forms");
	const ynode *one = all && all->kind == YN_SEQ && i < all->n ? all->item[i] : NULL;

	*body = one && one->kind == YN_MAP && one->n ? one->item[0] : NULL;
	return *body ? one->key[0] : NULL;
}

static void
offer_forms(const place *p)
{
	const ynode *all = member(p->doc, "Forms"), *body;

	for (uint32_t i = 0; all && all->kind == YN_SEQ && i < all->n; i++) {
		const ynode *key = form_at(p, i, &body);
		if (key && scalar(key))
			lsp_offer(p->o, &(lsp_item){.name = key->text,
						.kind = LSP_I_STRUCT,
						.detail = "form",
						.doc = vc_format(p->o->c, "form `%s`", key->text),
						.at = key->span,
						.part = true});
	}
}

static void
offer_fields(const place *p, const char *form, bool declared)
{
	const ynode *all = member(p->doc, "Forms"), *body;

	for (uint32_t i = 0; all && all->kind == YN_SEQ && i < all->n; i++) {
		const ynode *key = form_at(p, i, &body), *fields = member(body, "fields");
		if (!key || !scalar(key) || strcmp(key->text, form) != 0)
			continue;
		for (uint32_t k = 0; fields && fields->kind == YN_SEQ && k < fields->n; k++) {
			const ynode *f = fields->item[k], *name = member(f, "name");
			if (!scalar(name) || !lsp_wants(p->o, name->text))
				continue;
			const char *head = vc_format(p->o->c, "field `%s`", name->text);
			lsp_offer(p->o, &(lsp_item){.name = name->text,
						.kind = LSP_I_FIELD,
						.detail = scalar(member(f, "type")),
						.doc = lsp_schema_text(p->o->c, head, f),
						.at = name->span,
						.part = !declared,
						.declared = declared});
		}
	}
}

/* help_text is written helpText. */
static const char *
camel(vc *c, const char *snake, size_t n)
{
	char *s = vc_strndup(c, snake, n), *to = s;

	for (const char *p = s; *p; p++)
		*to++ = *p == '_' && p[1] ? (char)toupper((unsigned char)*++p) : *p;
	*to = 0;
	return s;
}

/* With what the reference says of it. */
static void
offer_entry(const place *p, const char *name, const char *what, enum lsp_item_kind kind)
{
	if (!lsp_wants(p->o, name))
		return;
	const char *said = lsp_entry_text(p->o->c, "forms.txt", name);
	lsp_offer(p->o, &(lsp_item){.name = name,
				.kind = kind,
				.detail = what,
				.doc = vc_format(p->o->c, "%s `%s`%s%s", what, name,
					said ? "\n\n" : "", said ? said : ""),
				.key = kind == LSP_I_KEYWORD});
}

/* Words with blanks between. */
static void
offer_entries(const place *p, const char *words, const char *what)
{
	for (size_t n; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		offer_entry(p, vc_strndup(p->o->c, words, n), what, LSP_I_KEYWORD);
	}
}

static void
offer_attributes(const place *p, const ynode *field)
{
	const char *words = form_attributes(p->o->c, scalar(member(field, "type")));

	offer_entries(p, "name type", "attribute of a field:");
	for (size_t n; *words; words += n) {
		words += strspn(words, " ");
		n = strcspn(words, " ");
		const char *name = camel(p->o->c, words, n);
		if (n)
			offer_entry(p, name, "attribute of a field:", LSP_I_KEYWORD);
	}
}

/* ---- classes ---- */

static void
offer_classes(const place *p)
{
	uint32_t n;
	mpl_package **all = vc_packages(p->s->w->c, &n);

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < all[i]->nclasses; k++) {
			const mpl_class *cls = all[i]->classes[k];
			vt_buf doc = {0};
			if (!lsp_wants(p->o, cls->name))
				continue;
			lsp_describe_class(&doc, cls);
			lsp_offer(p->o, &(lsp_item){.name = cls->name,
						.kind = LSP_I_CLASS,
						.detail = all[i]->name,
						.doc = vc_take(p->o->c, &doc),
						.at = cls->span,
						.type = cls->span});
		}
}

static const mpl_class *
class_named(const place *p, const char *name)
{
	uint32_t n;
	mpl_package **all = vc_packages(p->s->w->c, &n);

	for (uint32_t i = 0; name && i < n; i++)
		for (uint32_t k = 0; k < all[i]->nclasses; k++)
			if (strcmp(all[i]->classes[k]->name, name) == 0)
				return all[i]->classes[k];
	return NULL;
}

static void
offer_properties(void *ctx, const mpl_class *k)
{
	const place *p = ctx;

	for (uint32_t i = 0; i < k->nprops; i++) {
		const mpl_property *x = k->props[i];
		vt_buf doc = {0};
		if (!lsp_wants(p->o, x->name))
			continue;
		lsp_describe_property(&doc, p->o->c, x);
		lsp_offer(p->o,
			&(lsp_item){.name = x->name,
				.kind = LSP_I_PROPERTY,
				.detail = lsp_contract_text(p->o->c, x->contract),
				.doc = vc_take(p->o->c, &doc),
				.at = x->span,
				.type = lsp_type_place(
					x->contract ? vc_contract_type(p->o->c, k, x->contract)
						    : (vc_type){0}),
				.key = true});
	}
}

/* Below Application and in templates: an object says its class behind `?`. */
static void
offer_object(place *p)
{
	const lsp_spot *s = p->s;
	const char *last = lsp_step_key(s, 1), *before = lsp_step_key(s, 2);
	const mpl_class *cls;

	if (last && before && strcmp(before, "?") == 0) {
		if (strcmp(last, "type") == 0)
			offer_classes(p);
		return;
	}
	if (!s->key)
		return;
	if (last && strcmp(last, "?") == 0) {
		lsp_offer_words(p->o, "type id name classVersion package", LSP_I_KEYWORD, true);
		return;
	}
	cls = class_named(p, scalar(member(member(lsp_node_at(s, s->n), "?"), "type")));
	if (cls)
		lsp_each_class(cls, offer_properties, p);
	lsp_offer_words(p->o, "?", LSP_I_KEYWORD, true);
}

/* ---- expressions ---- */

static void
offer_expression(const place *p)
{
	char before;
	size_t from = lsp_yaql_word(p->s, &before);
	const char *name[2];
	uint32_t n = before == '.' ? lsp_yaql_chain(p->s, from - 1, name, 2) : UINT32_MAX;

	if (n == 0)
		offer_forms(p);
	if (n == 1)
		offer_fields(p, name[0], false);
	if (before == '$')
		lsp_offer_keys(p->o, member(p->doc, "Templates"), LSP_I_VARIABLE, "template");
	else
		lsp_offer_yaql(p->o, before == '.');
}

/* ---- which of these ---- */

static void
offer_in_forms(place *p)
{
	const lsp_spot *s = p->s;
	const char *form = s->n > 2 ? s->step[2].key : NULL,
		   *part = s->n > 3 ? s->step[3].key : NULL;
	const char *key = s->n > 5 ? s->step[5].key : NULL;

	if (s->n == 3)
		offer_entries(p, "fields validators", "part of a form:");
	if (!form || !part || strcmp(part, "fields") != 0)
		return;
	if (s->n == 5)
		offer_attributes(p, lsp_node_at(s, 5));
	else if (key && strcmp(key, "name") == 0)
		offer_fields(p, form, true);
	else if (key && strcmp(key, "type") == 0)
		for (size_t i = 0; form_type_name(i); i++)
			offer_entry(p, form_type_name(i), "type of a field:", LSP_I_VALUE);
	else if (key && (strcmp(key, "required") == 0 || strcmp(key, "hidden") == 0))
		lsp_offer_words(p->o, "true false", LSP_I_VALUE, false);
	else if (key && strcmp(key, "validators") == 0 && s->key)
		lsp_offer_words(p->o, "expr message", LSP_I_KEYWORD, true);
}

static void
offer(lsp_offers *o)
{
	const lsp_spot *s = o->s;
	place p = {.o = o, .s = s, .doc = s->view && s->view->ndocs ? s->view->doc[0] : NULL};
	const char *top = s->n ? s->step[0].key : NULL;

	if (s->n == 0) {
		offer_entries(&p, "Version Application Templates Parameters ParametersSource Forms",
			"section of a form's file:");
		return;
	}
	if (top && strcmp(top, "Forms") == 0)
		offer_in_forms(&p);
	else if (top && (strcmp(top, "Application") == 0 || strcmp(top, "Templates") == 0))
		offer_object(&p);
	const char *key = lsp_step_key(s, 1);
	bool plain = !key || strcmp(key, "type") == 0 || strcmp(key, "name") == 0 ||
		     strcmp(key, "label") == 0;
	if (memchr(s->d->text + s->line, '$', s->at - s->line) || (!s->key && !plain))
		offer_expression(&p);
}

const lsp_language lsp_form_language = {offer, true, NULL};
