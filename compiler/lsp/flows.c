/*
 * flows.c - what may stand where in workflows of Mistral and Orquesta: keys, tasks, variables, and
 * YAQL between <% and %>.
 */
#include "compiler/lsp/know.h"
#include "compiler/lsp/scope.h"
#include "compiler/workflow/workflow.h"

#include <string.h>

typedef struct place {
	lsp_offers *o;
	const lsp_spot *s;
	const ynode *doc;
	bool mistral;
	uint32_t base;         /* steps to the workflow */
	const ynode *workflow; /* or NULL */
} place;

static const ynode *
member(const ynode *map, const char *key)
{
	return map && map->kind == YN_MAP ? yn_get(map, key) : NULL;
}

static const char *
noun_of_step(const lsp_spot *s, uint32_t i)
{
	return i < s->n ? s->step[i].key : NULL;
}

static bool
is_step(const lsp_spot *s, uint32_t i, const char *key)
{
	return noun_of_step(s, i) && strcmp(s->step[i].key, key) == 0;
}

static place
place_of(lsp_offers *o)
{
	const lsp_spot *s = o->s;
	place p = {.o = o, .s = s};

	p.doc = s->view && s->view->ndocs ? s->view->doc[0] : NULL;
	p.mistral = !member(p.doc, "tasks") && !is_step(s, 0, "tasks");
	p.base = !p.mistral ? 0 : is_step(s, 0, "workflows") ? 2 : 1;
	p.workflow = lsp_node_at(s, p.base);
	return p;
}

/* ---- tasks ---- */

static void
offer_tasks(const place *p, bool declared)
{
	const ynode *all = member(p->workflow, "tasks");

	for (uint32_t i = 0; all && all->kind == YN_MAP && i < all->n; i++) {
		const ynode *key = all->key[i];
		if (key->kind != YN_SCALAR || !lsp_wants(p->o, key->text))
			continue;
		const char *head = vc_format(p->o->c, "task `%s`", key->text);
		lsp_offer(p->o, &(lsp_item){.name = key->text,
					.kind = LSP_I_FUNCTION,
					.detail = "task",
					.doc = lsp_schema_text(p->o->c, head, all->item[i]),
					.at = key->span,
					.declared = declared});
	}
}

static void
offer_commands(const place *p)
{
	lsp_offer_words(p->o, p->mistral ? "noop fail succeed pause" : "continue fail noop retry",
		LSP_I_KEYWORD, false);
}

/* ---- variables ---- */

static void
offer_variable(const place *p, const ynode *key, const ynode *value, const char *what, bool part)
{
	if (!key || key->kind != YN_SCALAR || !lsp_wants(p->o, key->text))
		return;
	const char *head = vc_format(p->o->c, "`%s`, %s", key->text, what);
	lsp_offer(p->o, &(lsp_item){.name = key->text,
				.kind = LSP_I_VARIABLE,
				.detail = what,
				.doc = value ? lsp_schema_text(p->o->c, head, value) : head,
				.at = key->span,
				.part = part,
				.declared = !part});
}

/* Names alone, or with a value: lists of both, and maps. */
static void
offer_names(const place *p, const ynode *y, const char *what, bool part)
{
	for (uint32_t i = 0; y && i < y->n && (y->kind == YN_SEQ || y->kind == YN_MAP); i++) {
		const ynode *one = y->item[i];
		if (y->kind == YN_MAP)
			offer_variable(p, y->key[i], one, what, part);
		else if (one->kind == YN_SCALAR)
			offer_variable(p, one, NULL, what, part);
		else
			offer_names(p, one, what, part);
	}
}

static void
offer_published(const place *p, const ynode *task, const char *name, bool part)
{
	static const char *const keys[] = {"publish", "publish-on-error", "publish-on-skip"};
	const char *what = vc_format(p->o->c, "published by task %s", name);
	const ynode *next = member(task, "next");

	for (size_t i = 0; i < VC_LEN(keys); i++)
		offer_names(p, member(task, keys[i]), what, part);
	for (uint32_t i = 0; next && next->kind == YN_SEQ && i < next->n; i++)
		offer_names(p, member(next->item[i], "publish"), what, part);
}

/* All that $ or ctx() may have. */
static void
offer_variables(const place *p, bool part)
{
	const ynode *tasks = member(p->workflow, "tasks");

	offer_names(p, member(p->workflow, "input"), "input of the workflow", part);
	offer_names(p, member(p->workflow, "vars"), "variable of the workflow", part);
	for (uint32_t i = 0; tasks && tasks->kind == YN_MAP && i < tasks->n; i++)
		if (tasks->key[i]->kind == YN_SCALAR)
			offer_published(p, tasks->item[i], tasks->key[i]->text, part);
	if (!p->mistral)
		offer_names(p, member(p->workflow, "output"), "output of the workflow", part);
}

/* `with-items: name in ...`: a name of this task alone. */
static void
offer_item(const place *p)
{
	uint32_t task = p->base + 2;
	const ynode *y = is_step(p->s, p->base, "tasks") ? lsp_node_at(p->s, task) : NULL;
	const ynode *with = member(y, "with-items");

	for (uint32_t i = 0; with && i < (with->kind == YN_SEQ ? with->n : 1); i++) {
		const ynode *one = with->kind == YN_SEQ ? with->item[i] : with;
		const char *end = one->kind == YN_SCALAR ? strstr(one->text, " in ") : NULL;
		if (!end)
			continue;
		uint32_t n = (uint32_t)(end - one->text);
		lsp_offer(p->o, &(lsp_item){.name = vc_strndup(p->o->c, one->text, n),
					.kind = LSP_I_VARIABLE,
					.detail = "an item",
					.doc = "an item of `with-items`",
					.at = yn_subspan(one, 0, n),
					.part = true});
	}
}

/* ---- expressions ---- */

/* Between <% and %>, of which the first may stand lines above. */
static bool
in_expression(const lsp_spot *s)
{
	enum { FAR = 4000 };
	const char *text = s->d->text;
	size_t stop = s->at > FAR ? s->at - FAR : 0;

	for (size_t i = s->at; i >= stop + 2; i--) {
		if (text[i - 2] == '%' && text[i - 1] == '>')
			return false;
		if (text[i - 2] == '<' && text[i - 1] == '%')
			return true;
	}
	return false;
}

static void
offer_host(const place *p)
{
	size_t n;
	uint32_t count = 0;
	const char *name = p->mistral ? "hosts/mistral.yaml" : "hosts/orquesta.yaml";
	const char *text = vc_asset(name, &n);
	vc_source *src = text ? vc_source_new(p->o->c, name, text, n) : NULL;
	ynode **docs = src ? vc_yaml_parse(p->o->c, src, &(vc_yaml_opts){0}, &count) : NULL;
	const ynode *all = count ? member(docs[0], "functions") : NULL;

	for (uint32_t i = 0; all && all->kind == YN_SEQ && i < all->n; i++) {
		const char *row = all->item[i]->text;
		lsp_offer(
			p->o, &(lsp_item){.name = vc_strndup(p->o->c, row, strcspn(row, "(")),
				      .kind = LSP_I_FUNCTION,
				      .detail = row,
				      .part = true,
				      .doc = vc_format(p->o->c, "```yaql\n%s\n```\nfunction of %s",
					      row, p->mistral ? "Mistral" : "Orquesta")});
	}
}

/* The function whose bracket was opened right before the word; "" : none. */
static const char *
called(const place *p, size_t from)
{
	const char *text = p->s->d->text;
	size_t to;

	while (from > p->s->line && strchr("'\" ", text[from - 1]))
		from--;
	if (from == p->s->line || text[from - 1] != '(')
		return "";
	for (to = --from; from > p->s->line && lsp_is_word(text[from - 1]);)
		from--;
	return vc_strndup(p->o->c, text + from, to - from);
}

static void
offer_expression(const place *p)
{
	char before;
	size_t from = lsp_yaql_word(p->s, &before);
	const char *name[1], *f, *text = p->s->d->text;

	if (before == '.') {
		bool ctx = from >= 6 && strncmp(text + from - 6, "ctx()", 5) == 0;
		if (ctx || lsp_yaql_chain(p->s, from - 1, name, 1) == 0) {
			offer_variables(p, true);
			offer_item(p);
		}
		lsp_offer_yaql(p->o, true);
		return;
	}
	f = called(p, from);
	if (strncmp(f, "task", 4) == 0)
		offer_tasks(p, false);
	if (strcmp(f, "ctx") == 0)
		offer_variables(p, true);
	if (before != '$') {
		offer_host(p);
		lsp_offer_yaql(p->o, false);
	}
}

/* ---- keys ---- */

static void
offer_keys(const place *p, const char *noun)
{
	const char *const *keys = p->mistral ? wf_mistral_keys(noun) : wf_orquesta_keys(noun);

	for (; keys && *keys; keys++)
		lsp_offer(p->o, &(lsp_item){.name = *keys,
					.kind = LSP_I_KEYWORD,
					.detail = noun,
					.doc = vc_format(p->o->c, "key `%s` of a %s", *keys, noun),
					.key = true});
}

static bool
starts(const char *s, const char *with)
{
	return s && strncmp(s, with, strlen(with)) == 0;
}

static void
offer_workflows(const place *p, const ynode *all)
{
	for (uint32_t i = 0; all && all->kind == YN_MAP && i < all->n; i++) {
		const ynode *key = all->key[i];
		if (all->item[i]->kind != YN_MAP || key->kind != YN_SCALAR)
			continue;
		const char *head = vc_format(p->o->c, "workflow `%s`", key->text);
		lsp_offer(p->o, &(lsp_item){.name = key->text,
					.kind = LSP_I_FUNCTION,
					.detail = "workflow",
					.doc = lsp_schema_text(p->o->c, head, all->item[i]),
					.at = key->span});
	}
}

/* Below a key of a task. */
static void
offer_in_task(const place *p, const char *key)
{
	const lsp_spot *s = p->s;
	uint32_t left = s->n - (p->base + 3);
	const char *last = s->step[s->n - 1].key;

	if (starts(key, "on-") || strcmp(key, "requires") == 0) {
		offer_tasks(p, false);
		offer_commands(p);
		if (left == 0 && s->key && starts(key, "on-"))
			offer_keys(p, "clause");
	} else if (starts(key, "publish")) {
		offer_variables(p, false);
	} else if (strcmp(key, "next") == 0 && left == 1) {
		offer_keys(p, "next");
	} else if (strcmp(key, "next") == 0 && last && strcmp(last, "publish") == 0) {
		offer_variables(p, false);
	} else if (strcmp(key, "next") == 0) {
		offer_tasks(p, false);
		offer_commands(p);
	} else if (strcmp(key, "workflow") == 0) {
		const ynode *all = p->base == 2 ? member(p->doc, "workflows") : p->doc;
		offer_workflows(p, all);
	} else if (left == 0) {
		offer_keys(p, key); /* retry, with */
	}
}

static void
offer_in_workflow(const place *p, uint32_t at)
{
	const lsp_spot *s = p->s;
	const char *key = s->step[at].key;

	if (!key)
		return;
	if (strcmp(key, "type") == 0)
		lsp_offer_words(p->o, "direct reverse", LSP_I_VALUE, false);
	else if (strcmp(key, "task-defaults") == 0 && s->n == at + 1)
		offer_keys(p, "task-defaults");
	else if (strcmp(key, "tasks") == 0 && s->n == at + 1)
		offer_tasks(p, true);
	else if (strcmp(key, "tasks") == 0 && s->n == at + 2)
		offer_keys(p, "task");
	else if (strcmp(key, "tasks") == 0 && s->step[at + 2].key)
		offer_in_task(p, s->step[at + 2].key);
	else
		offer_variables(p, false);
}

static bool
is_reverse(const place *p)
{
	const ynode *type = member(p->workflow, "type");

	return type && type->kind == YN_SCALAR && strcmp(type->text, "reverse") == 0;
}

static void
offer_structure(const place *p)
{
	const lsp_spot *s = p->s;

	if (p->mistral && is_step(s, 0, "actions")) {
		if (s->n == 2)
			offer_keys(p, "action");
	} else if (p->mistral && s->n == 0) {
		offer_keys(p, "workbook");
	} else if (is_step(s, 0, "version") && s->n == 1) {
		lsp_offer_words(p->o, p->mistral ? "'2.0'" : "1.0", LSP_I_VALUE, false);
	} else if (s->n == p->base) {
		offer_keys(p, "workflow");
	} else if (s->n == p->base + 2 && is_step(s, p->base, "tasks") && is_reverse(p)) {
		offer_keys(p, "task of a reverse workflow");
	} else if (s->n > p->base) {
		offer_in_workflow(p, p->base);
	}
}

static void
offer(lsp_offers *o)
{
	place p = place_of(o);

	if (in_expression(o->s))
		offer_expression(&p);
	else
		offer_structure(&p);
}

const lsp_language lsp_workflow_language = {offer, true, NULL};
