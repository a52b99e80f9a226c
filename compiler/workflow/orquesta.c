/*
 * orquesta.c - workflows of Orquesta, version 1.0.
 *
 * Keynames and rules are those of Orquesta 1.5.  ctx() gives what input, vars, publish and output
 * of the workflow set, and st2, which StackStorm sets.
 */
#include "compiler/workflow/int.h"

#include <string.h>

#define META "name", "version", "description", "tags"
static const char *const workflow_keys[] = {META, "vars", "input", "output", "tasks", NULL};
static const char *const task_keys[] = {
	META, "delay", "join", "with", "action", "input", "retry", "next", NULL};
static const char *const next_keys[] = {META, "when", "publish", "do", NULL};
static const char *const with_keys[] = {META, "items", "concurrency", NULL};
static const char *const retry_keys[] = {META, "when", "count", "delay", NULL};
static const char *const commands[] = {"continue", "fail", "noop", "retry", NULL};

const char *const *
wf_orquesta_keys(const char *noun)
{
	static const struct {
		const char *noun;
		const char *const *keys;
	} rows[] = {{"workflow", workflow_keys}, {"task", task_keys}, {"next", next_keys},
		{"with", with_keys}, {"retry", retry_keys}};

	for (size_t i = 0; i < VC_LEN(rows); i++)
		if (strcmp(rows[i].noun, noun) == 0)
			return rows[i].keys;
	return NULL;
}

typedef wf_flow flow;

/* ---- variables ---- */

/* A list of names and maps of one name; bare: names alone will do. */
static void
read_list(flow *f, const ynode *of, const char *what, bool bare)
{
	const ynode *y = yn_get(of, what), *key, *value;
	if (!y || y->kind == YN_ERROR)
		return;
	if (y->kind != YN_SEQ) {
		wf_say(f->s, VC_E5001, y->span, "'%s' is a list of maps of one name each", what);
		return;
	}
	for (uint32_t i = 0; i < y->n; i++) {
		if (!wf_entry(f->s, y, i, &key, &value, what))
			continue;
		if (!value && !bare)
			wf_say(f->s, VC_E5001, key->span, "'%s' gives each name a value", what);
		wf_give(f, key->text, WF_ALWAYS);
	}
}

static void
add_published(flow *f, const ynode *next)
{
	const ynode *y = next->kind == YN_MAP ? yn_get(next, "publish") : NULL;
	const char *text = wf_text(y), *name;
	size_t n = 0;
	for (uint32_t i = 0; y && y->kind == YN_SEQ && i < y->n; i++)
		for (uint32_t k = 0; y->item[i]->kind == YN_MAP && k < y->item[i]->n; k++)
			if (y->item[i]->key[k]->kind == YN_SCALAR)
				wf_give(f, y->item[i]->key[k]->text, f->task);
	while (text && (name = wf_inline_name(&text, &n)) != NULL)
		wf_give(f, vc_strndup(f->s->c, name, n), f->task);
}

static void
collect(flow *f, const ynode *doc, const ynode *tasks)
{
	wf_give(f, "st2", WF_ALWAYS);
	read_list(f, doc, "input", true);
	read_list(f, doc, "vars", false);
	read_list(f, doc, "output", false);
	for (uint32_t i = 0; tasks && i < tasks->n; i++) {
		const ynode *task = tasks->item[i];
		if (!wf_enter(f, tasks, i))
			continue;
		const ynode *next = task->kind == YN_MAP ? yn_get(task, "next") : NULL;
		for (uint32_t k = 0; next && next->kind == YN_SEQ && k < next->n; k++)
			add_published(f, next->item[k]);
	}
	f->task = WF_ALWAYS;
}

/* ---- transitions ---- */

/* One name of text[from..to). */
static void
go_to(flow *f, const ynode *y, uint32_t from, uint32_t to)
{
	while (from < to && strchr(" \t\n", y->text[from]))
		from++;
	while (from < to && strchr(" \t\n", y->text[to - 1]))
		to--;
	uint32_t at = wf_named_task(f, y, from, to);
	if (at != WF_ALWAYS)
		wf_edge_add(f, f->task, at);
}

/* "a, b", or a list of names. */
static void
check_do(flow *f, const ynode *y)
{
	if (y->kind == YN_SEQ) {
		for (uint32_t i = 0; i < y->n; i++) {
			const ynode *one = y->item[i];
			if (wf_text(one))
				go_to(f, one, 0, one->ntext);
			else if (one->kind != YN_ERROR)
				wf_say(f->s, VC_E5001, one->span, "'do' names tasks");
		}
		return;
	}
	const char *text = wf_text(y);
	if (!text) {
		if (y->kind != YN_ERROR)
			wf_say(f->s, VC_E5001, y->span, "'do' names tasks");
		return;
	}
	for (uint32_t from = 0; from <= y->ntext;) {
		uint32_t n = (uint32_t)strcspn(text + from, ",");
		go_to(f, y, from, from + n);
		from += n + 1;
	}
}

static void
check_publish(flow *f, const ynode *y)
{
	const ynode *key, *value;
	if (y->kind != YN_SEQ && !wf_text(y)) {
		if (y->kind != YN_ERROR)
			wf_say(f->s, VC_E5001, y->span,
				"'publish' is a list of maps of one name each, or a text");
		return;
	}
	for (uint32_t i = 0; y->kind == YN_SEQ && i < y->n; i++)
		if (wf_entry(f->s, y, i, &key, &value, "publish") && !value)
			wf_say(f->s, VC_E5001, key->span, "'publish' gives each name a value");
	wf_value(f->s, y);
}

static void
check_transition(flow *f, const ynode *y)
{
	if (y->kind == YN_ERROR || !wf_keys(f->s, y, "an entry of next", next_keys))
		return;
	const ynode *when = yn_get(y, "when"), *publish = yn_get(y, "publish"),
		    *go = yn_get(y, "do");
	if (when && when->kind != YN_ERROR && !wf_text(when))
		wf_say(f->s, VC_E5001, when->span, "'when' is an expression");
	wf_value(f->s, when);
	if (publish)
		check_publish(f, publish);
	if (go)
		check_do(f, go);
}

/* ---- tasks ---- */

/* `x, y in <% LIST %>` or `<% LIST %>`; the names are those of item(). */
static void
check_items(flow *f, const ynode *y, wf_names *items)
{
	const char *text = wf_text(y), *p = text, *end = NULL;
	const char *in = text ? strstr(text, " in ") : NULL,
		   *first = text ? strstr(text, "<%") : NULL;
	if (!text) {
		wf_say(f->s, VC_E5001, y->span, "'items' is 'NAME in <%% LIST %%>'");
		return;
	}
	if (in && (!first || in < first)) {
		for (size_t n; p < in; p += n ? n : 1)
			if ((n = strspn(p, wf_word_chars)) != 0)
				wf_add(f->s->c, items, vc_strndup(f->s->c, p, n));
		p = in + 4;
	}
	p += strspn(p, " \t\n");
	if (!wf_block(p, &end)) {
		wf_value(f->s, y);
		if (strncmp(p, "{{", 2) != 0 && strncmp(p, "<%", 2) != 0)
			wf_say(f->s, VC_E5001, y->span, "'items' is 'NAME in <%% LIST %%>'");
		return;
	}
	uint32_t at = (uint32_t)(p - text), n = (uint32_t)(end - p);
	vc_type got = wf_expression(f->s, y, at + 2, n - 4);
	uint32_t lists = VC_K_LIST | VC_K_ITER | VC_K_SET;
	if (got.kinds && !(got.kinds & lists))
		wf_say(f->s, VC_E5007, yn_subspan(y, at, at + n),
			"'with' goes through a list, and this is %s", vc_type_text(f->s->c, got));
}

static void
check_with(flow *f, const ynode *task, wf_names *items)
{
	const ynode *y = yn_get(task, "with");
	if (!y || y->kind == YN_ERROR)
		return;
	if (!yn_get(task, "action"))
		wf_say(f->s, VC_E5001, yn_key(task, "with")->span,
			"a task with items needs an action");
	if (y->kind == YN_SCALAR) {
		check_items(f, y, items);
		return;
	}
	if (!wf_keys(f->s, y, "'with'", with_keys))
		return;
	if (yn_get(y, "items"))
		check_items(f, yn_get(y, "items"), items);
	wf_typed(f->s, yn_get(y, "concurrency"), VC_K_INT | VC_K_STR, "concurrency");
}

static void
check_retry(flow *f, const ynode *task)
{
	const ynode *y = yn_get(task, "retry");
	if (!y || y->kind == YN_ERROR || !wf_keys(f->s, y, "retry", retry_keys))
		return;
	if (!yn_get(y, "count"))
		wf_say(f->s, VC_E5001, y->span, "retry needs 'count'");
	wf_value(f->s, yn_get(y, "when"));
	wf_typed(f->s, yn_get(y, "count"), VC_K_INT | VC_K_STR, "count");
	wf_typed(f->s, yn_get(y, "delay"), VC_K_INT | VC_K_STR, "delay");
}

static void
check_task(flow *f, const ynode *key, const ynode *task)
{
	wf_names items = {0};
	if (task->kind == YN_ERROR || !wf_keys(f->s, task, "a task", task_keys))
		return;
	if (wf_is_command(f, key->text))
		wf_say(f->s, VC_E5001, key->span,
			"'%s' is a command of the engine, and no name of "
			"a task",
			key->text);
	f->later = false;
	check_with(f, task, &items);
	f->s->items = &items;
	wf_value(f->s, yn_get(task, "action"));
	wf_value(f->s, yn_get(task, "input"));
	wf_typed(f->s, yn_get(task, "delay"), VC_K_INT | VC_K_STR, "delay");
	f->s->items = NULL;
	f->later = true;
	check_retry(f, task);
	const ynode *next = yn_get(task, "next");
	if (next && next->kind != YN_SEQ && next->kind != YN_ERROR)
		wf_say(f->s, VC_E5001, next->span, "'next' is a list");
	for (uint32_t i = 0; next && next->kind == YN_SEQ && i < next->n; i++)
		check_transition(f, next->item[i]);
}

static void
check_join(flow *f, const ynode *task, uint32_t inbound)
{
	const ynode *y = yn_get(task, "join");
	if (!y || y->kind == YN_ERROR)
		return;
	bool number = y->kind == YN_SCALAR && y->type == YT_INT && y->fits && y->i >= 0;
	if (!number && !(wf_text(y) && !strcmp(y->text, "all")))
		wf_say(f->s, VC_E5001, y->span, "join is 'all' or a number");
	else if (number && inbound < y->i)
		wf_say(f->s, VC_E5001, y->span,
			"this join waits for %lld tasks, and %u lead%s here", (long long)y->i,
			inbound, inbound == 1 ? "s" : "");
}

static void
check_tasks(flow *f, const ynode *tasks)
{
	for (uint32_t i = 0; i < tasks->n; i++)
		if (wf_at(f, tasks, i))
			check_task(f, tasks->key[i], tasks->item[i]);
	if (!f->tasks.n)
		return;
	wf_check_joins(f, tasks, check_join);
	wf_check_reach(f);
	wf_check_order(f);
}

/* ---- the document ---- */

static void
check_version(const wf_scope *s, const ynode *doc)
{
	const ynode *y = yn_get(doc, "version");
	if (y && y->kind == YN_SCALAR && (!strcmp(y->text, "1.0") || !strcmp(y->text, "1")))
		return;
	vc_span top = {doc->span.src, doc->span.from, doc->span.from};
	if (!y || y->kind != YN_ERROR)
		wf_say(s, VC_E5001, y ? y->span : top, "Orquesta reads version 1.0");
}

void
wf_check_orquesta(wf_scope *s, const ynode *doc)
{
	flow f = {.s = s, .commands = commands};
	check_version(s, doc);
	wf_keys(s, doc, "a workflow", workflow_keys);
	bool missing;
	const ynode *tasks = wf_tasks(s, doc, &missing);
	if (missing)
		wf_say(s, VC_E5001, (vc_span){doc->span.src, doc->span.from, doc->span.from},
			"a workflow needs tasks");
	collect(&f, doc, tasks);
	s->tasks = &f.tasks;
	s->vars = &f.vars;
	s->flow = &f;
	s->nobody = "no input, vars, publish or output of the workflow gives it";
	wf_value(s, yn_get(doc, "input"));
	wf_value(s, yn_get(doc, "vars"));
	if (tasks)
		check_tasks(&f, tasks);
	wf_value(s, yn_get(doc, "output"));
	s->flow = NULL;
}
