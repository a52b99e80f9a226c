/*
 * mistral.c - documents of Mistral, version 2.0: workbooks, lists of workflows, lists of actions.
 *
 * Keynames and rules are those of Mistral 15.  $ is what input, vars and publish of the workflow
 * give; in an action it is the action's input.
 */
#include "compiler/workflow/int.h"
#include "runtime/core/value.h"
#include "runtime/text/nearest.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- keynames ---- */

#define META "name", "version", "description", "tags"
#define POLICIES \
	"retry", "wait-before", "wait-after", "timeout", "pause-before", "concurrency", "fail-on"
#define CLAUSES "on-complete", "on-success", "on-error", "on-skip"
#define TASK \
	"type", "action", "workflow", "input", "with-items", "publish", "publish-on-error", \
		"publish-on-skip", "target", "keep-result", "safe-rerun"
static const char *const workbook_keys[] = {META, "actions", "workflows", NULL};
static const char *const workflow_keys[] = {
	META, "type", "task-defaults", "input", "output", "output-on-error", "vars", "tasks", NULL};
static const char *const direct_keys[] = {META, TASK, POLICIES, CLAUSES, "join", NULL};
static const char *const reverse_keys[] = {META, TASK, POLICIES, "requires", NULL};
static const char *const default_keys[] = {META, POLICIES, CLAUSES, "safe-rerun", "requires", NULL};
static const char *const retry_keys[] = {META, "count", "delay", "break-on", "continue-on", NULL};
static const char *const action_keys[] = {META, "base", "base-input", "input", "output", NULL};
static const char *const publish_keys[] = {META, "branch", "global", "atomic", NULL};
static const char *const clause_keys[] = {META, "publish", "next", NULL};
static const char *const clauses[] = {CLAUSES};
static const char *const publishes[] = {"publish", "publish-on-error", "publish-on-skip"};
static const char *const commands[] = {"noop", "fail", "succeed", "pause", NULL};

const char *const *
wf_mistral_keys(const char *noun)
{
	static const struct {
		const char *noun;
		const char *const *keys;
	} rows[] = {{"workbook", workbook_keys}, {"workflow", workflow_keys}, {"task", direct_keys},
		{"task of a reverse workflow", reverse_keys}, {"task-defaults", default_keys},
		{"retry", retry_keys}, {"action", action_keys}, {"publish", publish_keys},
		{"clause", clause_keys}};

	for (size_t i = 0; i < VC_LEN(rows); i++)
		if (strcmp(rows[i].noun, noun) == 0)
			return rows[i].keys;
	return NULL;
}

/* Places that take an expression or a plain value. */
static const struct {
	const char *key;
	uint32_t kinds;
} typed[] = {{"wait-before", VC_K_INT}, {"wait-after", VC_K_INT}, {"timeout", VC_K_INT},
	{"concurrency", VC_K_INT}, {"pause-before", VC_K_BOOL}, {"fail-on", VC_K_BOOL},
	{"keep-result", VC_K_BOOL}, {"safe-rerun", VC_K_BOOL}};

/* ---- one workflow ---- */

typedef struct flow {
	wf_flow w;
	wf_scope *s;
	const ynode *body, *defaults;
	const ynode *siblings;   /* the map in which it stands */
	const char *book;        /* the name of the workbook, or NULL */
	const wf_names *actions; /* of the document */
	bool reverse;
} flow;

/* The names of an input; their defaults are values. */
static void
read_input(wf_scope *s, const ynode *of, wf_names *names)
{
	const ynode *y = yn_get(of, "input"), *key, *value;
	if (!y || y->kind == YN_ERROR)
		return;
	if (y->kind != YN_SEQ || !y->n) {
		wf_say(s, VC_E5001, y->span, "'input' is a list with one entry at least");
		return;
	}
	for (uint32_t i = 0; i < y->n; i++)
		if (wf_entry(s, y, i, &key, &value, "input"))
			wf_add(s->c, names, key->text);
}

static void
add_keys(wf_flow *w, const ynode *map, uint32_t task)
{
	for (uint32_t i = 0; map && map->kind == YN_MAP && i < map->n; i++)
		if (map->key[i]->kind == YN_SCALAR)
			wf_give(w, map->key[i]->text, task);
}

/* {branch: ..., global: ..., atomic: ...} of a clause; what is global may come from any task. */
static void
add_published(wf_flow *w, const ynode *clause, uint32_t task)
{
	const ynode *p = clause && clause->kind == YN_MAP ? yn_get(clause, "publish") : NULL;
	for (uint32_t i = 0; p && p->kind == YN_MAP && i < p->n; i++) {
		bool branch = p->key[i]->kind == YN_SCALAR && !strcmp(p->key[i]->text, "branch");
		add_keys(w, p->item[i], branch ? task : WF_ALWAYS);
	}
}

static void
add_of_task(wf_flow *w, const ynode *task)
{
	if (task->kind != YN_MAP)
		return;
	for (size_t i = 0; i < VC_LEN(publishes); i++)
		add_keys(w, yn_get(task, publishes[i]), w->task);
	for (size_t i = 0; i < VC_LEN(clauses); i++)
		add_published(w, yn_get(task, clauses[i]), w->task);
}

static void
collect(flow *f, const ynode *tasks)
{
	wf_names input = {0};
	wf_give(&f->w, "openstack", WF_ALWAYS);
	read_input(f->s, f->body, &input);
	for (uint32_t i = 0; i < input.n; i++)
		wf_give(&f->w, input.v[i], WF_ALWAYS);
	add_keys(&f->w, yn_get(f->body, "vars"), WF_ALWAYS);
	for (size_t i = 0; f->defaults && i < VC_LEN(clauses); i++)
		add_published(&f->w, yn_get(f->defaults, clauses[i]), WF_ALWAYS);
	for (uint32_t i = 0; tasks && i < tasks->n; i++)
		if (wf_enter(&f->w, tasks, i))
			add_of_task(&f->w, tasks->item[i]);
	f->w.task = WF_ALWAYS;
}

/* ---- clauses ---- */

static void
go_to(flow *f, const ynode *y, bool draw)
{
	const char *text = wf_text(y);
	if (!text) {
		if (y->kind != YN_ERROR)
			wf_say(f->s, VC_E5001, y->span, "the next task is a name");
		return;
	}
	wf_value(f->s, y);
	uint32_t n = (uint32_t)strcspn(text, " (");
	const char *name = vc_strndup(f->s->c, text, n);
	if (strstr(name, "<%") || strstr(name, "{{"))
		return;
	uint32_t to = wf_named_task(&f->w, y, 0, n);
	if (to != WF_ALWAYS && draw)
		wf_edge_add(&f->w, f->w.task, to);
	else if (to != WF_ALWAYS && f->reverse && f->w.task != WF_ALWAYS)
		wf_edge_add(&f->w, to, f->w.task); /* what is required comes before */
}

/* A name, {name: condition}, or a list of these. */
static void
check_next(flow *f, const ynode *y, bool draw)
{
	if (y->kind == YN_SEQ)
		for (uint32_t i = 0; i < y->n; i++)
			check_next(f, y->item[i], draw);
	else if (y->kind == YN_MAP && y->n == 1) {
		go_to(f, y->key[0], draw);
		wf_typed(f->s, y->item[0], VC_K_ALL & ~(uint32_t)VC_K_NULL, "condition");
	} else if (y->kind == YN_MAP)
		wf_say(f->s, VC_E5001, y->span, "several next tasks are a list");
	else
		go_to(f, y, draw);
}

static void
check_published(flow *f, const ynode *y)
{
	if (!wf_keys(f->s, y, "publish of a clause", publish_keys))
		return;
	for (uint32_t i = 0; i < y->n; i++)
		wf_value(f->s, y->item[i]);
}

static void
check_clause(flow *f, const ynode *y, bool draw)
{
	if (y->kind != YN_MAP || (!yn_get(y, "publish") && !yn_get(y, "next"))) {
		check_next(f, y, draw);
		return;
	}
	wf_keys(f->s, y, "a clause", clause_keys);
	const ynode *publish = yn_get(y, "publish"), *next = yn_get(y, "next");
	if (publish)
		check_published(f, publish);
	if (next)
		check_next(f, next, draw);
}

static const ynode *
next_of(const ynode *clause)
{
	return clause && clause->kind == YN_MAP &&
			       (yn_get(clause, "next") || yn_get(clause, "publish"))
		       ? yn_get(clause, "next")
		       : clause;
}

/* What task-defaults say leads from the task on, unless it leads to itself. */
static void
draw_default(flow *f, const ynode *y)
{
	if (y->kind == YN_SEQ) {
		for (uint32_t i = 0; i < y->n; i++)
			draw_default(f, y->item[i]);
		return;
	}
	const char *text = wf_text(y->kind == YN_MAP && y->n == 1 ? y->key[0] : y);
	const char *name = text ? vc_strndup(f->s->c, text, strcspn(text, " (")) : "";
	uint32_t to = wf_find(f->s->c, &f->w.tasks, name);
	if (to == UINT32_MAX || to == f->w.task)
		return;
	if (f->reverse)
		wf_edge_add(&f->w, to, f->w.task);
	else
		wf_edge_add(&f->w, f->w.task, to);
}

static void
check_clauses(flow *f, const ynode *task)
{
	for (size_t i = 0; i < VC_LEN(clauses); i++) {
		const ynode *own = yn_get(task, clauses[i]), *dflt;
		if (own && own->kind != YN_ERROR)
			check_clause(f, own, true);
		dflt = f->defaults ? next_of(yn_get(f->defaults, clauses[i])) : NULL;
		if (dflt && (!own || !next_of(own)))
			draw_default(f, dflt);
	}
}

/* ---- tasks ---- */

static void
check_retry(flow *f, const ynode *y)
{
	if (wf_text(y)) {
		wf_value(f->s, y);
		return;
	}
	if (!wf_keys(f->s, y, "retry", retry_keys))
		return;
	if (!yn_get(y, "count") || !yn_get(y, "delay"))
		wf_say(f->s, VC_E5001, y->span, "retry needs 'count' and 'delay'");
	wf_typed(f->s, yn_get(y, "count"), VC_K_INT, "count");
	wf_typed(f->s, yn_get(y, "delay"), VC_K_INT, "delay");
	wf_typed(f->s, yn_get(y, "break-on"), VC_K_ALL, "break-on");
	wf_typed(f->s, yn_get(y, "continue-on"), VC_K_ALL, "continue-on");
}

static void
check_policies(flow *f, const ynode *of)
{
	for (size_t i = 0; i < VC_LEN(typed); i++)
		wf_typed(f->s, yn_get(of, typed[i].key), typed[i].kinds, typed[i].key);
	const ynode *retry = yn_get(of, "retry");
	if (retry && retry->kind != YN_ERROR)
		check_retry(f, retry);
}

/* `NAME in <% ... %>` or `NAME in [...]`: the name, and the place behind `in`. */
static const char *
item_name(flow *f, const ynode *y, uint32_t *behind)
{
	const char *text = wf_text(y), *p = text;
	if (!text)
		return NULL;
	p += strspn(p, " \t\n");
	size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
	const char *name = vc_strndup(f->s->c, p, n), *end;
	p += n;
	p += strspn(p, " \t\n");
	if (!n || strncmp(p, "in", 2) != 0)
		return NULL;
	p += 2 + strspn(p + 2, " \t\n");
	*behind = (uint32_t)(p - text);
	bool jinja = !strncmp(p, "{{", 2) || !strncmp(p, "{%", 2);
	return *p == '[' || jinja || wf_block(p, &end) ? name : NULL;
}

/* [1, 2] behind `in`, up to the last bracket. */
static void
check_json(flow *f, const ynode *y, uint32_t at)
{
	const char *end = strrchr(y->text, ']');
	uint32_t n = end ? (uint32_t)(end + 1 - y->text) - at : y->ntext - at;
	vt_rt *rt = vt_rt_new(NULL);
	vt_value v = VT_NULL;
	char *why = NULL;
	if (vt_json_read(rt, y->text + at, n, 0, f->s->c->limit.max_depth, &v, &why))
		vt_release(v);
	else
		wf_say(f->s, VC_E5001, yn_subspan(y, at, at + n), "the list is no JSON: %s",
			why ? why : "");
	free(why);
	vt_rt_free(rt);
}

static void
check_items(flow *f, const ynode *y, wf_names *items)
{
	uint32_t at = 0;
	const char *name = item_name(f, y, &at), *end;
	if (!name) {
		wf_say(f->s, VC_E5001, y->span,
			"with-items is 'NAME in <%% LIST %%>', or a list of these");
		wf_value(f->s, y);
		return;
	}
	wf_add(f->s->c, items, name);
	if (!wf_block(y->text + at, &end)) {
		wf_value(f->s, y);
		if (y->text[at] == '[')
			check_json(f, y, at);
		return;
	}
	uint32_t n = (uint32_t)(end - y->text) - at;
	vc_type got = wf_expression(f->s, y, at + 2, n - 4);
	uint32_t lists = VC_K_LIST | VC_K_ITER | VC_K_SET | VC_K_DICT;
	if (got.kinds && !(got.kinds & lists))
		wf_say(f->s, VC_E5007, yn_subspan(y, at, at + n),
			"with-items goes through a list, and this is %s",
			vc_type_text(f->s->c, got));
}

static void
check_with_items(flow *f, const ynode *task, wf_names *items)
{
	const ynode *y = yn_get(task, "with-items");
	if (!y || y->kind == YN_ERROR)
		return;
	for (uint32_t i = 0; y->kind == YN_SEQ && i < y->n; i++)
		check_items(f, y->item[i], items);
	if (y->kind != YN_SEQ)
		check_items(f, y, items);
}

static void
check_requires(flow *f, const ynode *of)
{
	const ynode *y = yn_get(of, "requires");
	for (uint32_t i = 0; y && y->kind == YN_SEQ && i < y->n; i++)
		go_to(f, y->item[i], false);
	if (y && y->kind != YN_SEQ)
		go_to(f, y, false);
}

/* Keynames of the other type of workflow are told as such by their name alone. */
static bool
check_task_keys(flow *f, const ynode *task)
{
	return wf_keys(f->s, task, f->reverse ? "a task of a reverse workflow" : "a task",
		f->reverse ? reverse_keys : direct_keys);
}

static void
check_shapes(flow *f, const ynode *task)
{
	static const char *const texts[] = {"action", "workflow", "target"};
	for (size_t i = 0; i < VC_LEN(texts); i++) {
		const ynode *y = yn_get(task, texts[i]);
		if (y && y->kind != YN_ERROR && !(wf_text(y) && y->ntext))
			wf_say(f->s, VC_E5001, y->span, "'%s' is a text", texts[i]);
	}
	for (size_t i = 0; i < VC_LEN(publishes); i++)
		(void)wf_map(f->s, task, publishes[i]);
	const ynode *input = yn_get(task, "input");
	if (input && input->kind != YN_ERROR && input->kind != YN_MAP && !wf_text(input))
		wf_say(f->s, VC_E5001, input->span, "'input' is a map or a text");
	if (yn_get(task, "action") && yn_get(task, "workflow"))
		wf_say(f->s, VC_E5001, yn_key(task, "workflow")->span,
			"a task runs an action or a workflow, and not both");
}

/* ---- workflows that a task runs ---- */

/* A workflow of the same document; in a workbook also by its whole name. */
static const ynode *
sibling(const flow *f, const char *name)
{
	size_t n = f->book ? strlen(f->book) : 0;
	const ynode *y = f->siblings ? yn_get(f->siblings, name) : NULL;
	if (!y && n && !strncmp(name, f->book, n) && name[n] == '.')
		y = yn_get(f->siblings, name + n + 1);
	return y && y->kind == YN_MAP && yn_get(y, "tasks") ? y : NULL;
}

/* Mistral takes what is no input for a parameter of the execution; these are meant so. */
static bool
is_parameter(const char *name)
{
	static const char *const names[] = {
		"env", "evaluate_env", "notify", "namespace", "task_name", "description"};
	for (size_t i = 0; i < VC_LEN(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* The inputs of a workflow, and whether each has a default. */
static wf_names
inputs_of(const flow *f, const ynode *body, bool **optional)
{
	wf_names names = {0};
	const ynode *y = yn_get(body, "input");
	uint32_t n = y && y->kind == YN_SEQ ? y->n : 0;
	*optional = vc_alloc(f->s->c, n + 1);
	for (uint32_t i = 0; i < n; i++) {
		const ynode *one = y->item[i];
		bool map = one->kind == YN_MAP && one->n == 1;
		const char *name = wf_text(map ? one->key[0] : one);
		if (!name)
			continue;
		wf_add(f->s->c, &names, name);
		(*optional)[wf_find(f->s->c, &names, name)] |= map;
	}
	return names;
}

static void
check_sub_workflow(flow *f, const ynode *task)
{
	const ynode *y = yn_get(task, "workflow");
	const char *text = wf_text(y);
	wf_wanted w = {.noun = "workflow",
		.unexpected = VC_W5006,
		.missing = VC_E5008,
		.also = is_parameter};
	w.name = vc_strndup(f->s->c, text ? text : "", text ? strcspn(text, " ") : 0);
	const ynode *body = text ? sibling(f, w.name) : NULL;
	if (!body)
		return;
	w.inputs = inputs_of(f, body, &w.optional);
	wf_check_inputs(f->s, &w, y, yn_get(task, "input"));
}

static void
check_task(flow *f, const ynode *key, const ynode *task)
{
	static const char *const values[] = {"input", "action", "workflow", "target"};
	wf_names items = {.outer = &f->w.vars};
	if (task->kind == YN_ERROR || !check_task_keys(f, task))
		return;
	if (!task->n)
		wf_say(f->s, VC_E5001, key->span, "a task has one key at least");
	f->w.later = false;
	check_with_items(f, task, &items);
	f->s->keys = &items;
	for (size_t i = 0; i < VC_LEN(values); i++)
		wf_value(f->s, yn_get(task, values[i]));
	f->w.later = true;
	for (size_t i = 0; i < VC_LEN(publishes); i++)
		wf_value(f->s, yn_get(task, publishes[i]));
	check_shapes(f, task);
	check_sub_workflow(f, task);
	wf_check_action(f->s, f->actions, yn_get(task, "action"), yn_get(task, "input"));
	check_policies(f, task);
	check_clauses(f, task);
	check_requires(f, task);
	if (f->reverse && f->defaults && yn_get(f->defaults, "requires"))
		draw_default(f, yn_get(f->defaults, "requires"));
	f->s->keys = &f->w.vars;
}

static void
check_join(wf_flow *f, const ynode *task, uint32_t inbound)
{
	const ynode *y = yn_get(task, "join");
	if (!y || y->kind == YN_ERROR)
		return;
	const char *text = wf_text(y);
	bool number = y->kind == YN_SCALAR && y->type == YT_INT && y->fits && y->i >= 0;
	if (!number && !(text && (!strcmp(text, "all") || !strcmp(text, "one")))) {
		wf_say(f->s, VC_E5001, y->span, "join is 'all', 'one' or a number");
		return;
	}
	int64_t least = number ? y->i : 1;
	if (inbound < least)
		wf_say(f->s, VC_E5001, y->span,
			"this join waits for %s%lld task%s, and %u lead%s here",
			text && !strcmp(text, "all") ? "at least " : "", (long long)least,
			least == 1 ? "" : "s", inbound, inbound == 1 ? "s" : "");
}

static void
check_tasks(flow *f, const ynode *tasks)
{
	for (uint32_t i = 0; i < tasks->n; i++)
		if (wf_at(&f->w, tasks, i))
			check_task(f, tasks->key[i], tasks->item[i]);
	f->w.task = WF_ALWAYS;
	if (!f->w.tasks.n)
		return;
	if (!f->reverse) {
		wf_check_joins(&f->w, tasks, check_join);
		wf_check_reach(&f->w);
	}
	wf_check_order(&f->w);
}

/* ---- workflows and actions ---- */

static void
check_defaults(flow *f)
{
	if (!f->defaults || !wf_keys(f->s, f->defaults, "task-defaults", default_keys))
		return;
	check_policies(f, f->defaults);
	for (size_t i = 0; i < VC_LEN(clauses); i++)
		if (yn_get(f->defaults, clauses[i]))
			check_clause(f, yn_get(f->defaults, clauses[i]), false);
	check_requires(f, f->defaults);
}

static bool
read_type(flow *f)
{
	const ynode *y = yn_get(f->body, "type");
	const char *text = wf_text(y);
	f->reverse = text && !strcmp(text, "reverse");
	if (!y || y->kind == YN_ERROR || f->reverse || (text && !strcmp(text, "direct")))
		return true;
	wf_say(f->s, VC_E5001, y->span, "type is 'direct' or 'reverse'");
	return false;
}

static void
check_workflow(wf_scope *s, const wf_names *actions, const ynode *key, const ynode *body,
	const ynode *siblings, const char *book)
{
	flow f = {.w = {.s = s, .commands = commands, .no_task = "version", .task = WF_ALWAYS},
		.s = s,
		.body = body,
		.siblings = siblings,
		.actions = actions,
		.book = book};
	if (body->kind == YN_ERROR || !wf_keys(s, body, "a workflow", workflow_keys) ||
		!read_type(&f))
		return;
	bool missing;
	const ynode *tasks = wf_tasks(s, body, &missing);
	f.defaults = wf_map(s, body, "task-defaults");
	if (missing)
		wf_say(s, VC_E5001, key->span, "workflow '%s' has no tasks", key->text);
	collect(&f, tasks);
	s->tasks = &f.w.tasks;
	s->keys = &f.w.vars;
	s->flow = &f.w;
	s->nobody = "no input, vars or publish of the workflow gives it";
	wf_value(s, yn_get(body, "input"));
	wf_value(s, wf_map(s, body, "vars"));
	check_defaults(&f);
	if (tasks)
		check_tasks(&f, tasks);
	wf_value(s, wf_map(s, body, "output"));
	wf_value(s, wf_map(s, body, "output-on-error"));
	s->tasks = s->keys = NULL;
	s->flow = NULL;
}

/* What the base action gives is $ of the output. */
static void
check_action(wf_scope *s, const wf_names *actions, const ynode *key, const ynode *body)
{
	wf_names names = {0};
	if (body->kind == YN_ERROR || !wf_keys(s, body, "an action", action_keys))
		return;
	if (!wf_text(yn_get(body, "base")))
		wf_say(s, VC_E5001, key->span, "action '%s' needs a base", key->text);
	read_input(s, body, &names);
	s->keys = &names;
	s->nobody = "the action has no such input";
	wf_value(s, yn_get(body, "base"));
	wf_value(s, yn_get(body, "base-input"));
	wf_check_action(s, actions, yn_get(body, "base"), yn_get(body, "base-input"));
	s->keys = NULL;
	wf_value(s, yn_get(body, "output"));
}

/* ---- documents ---- */

static void
check_version(wf_scope *s, const ynode *doc)
{
	const ynode *y = yn_get(doc, "version");
	bool text = y && wf_text(y) && !strcmp(y->text, "2.0");
	if (text || (y && y->kind == YN_SCALAR && (y->type == YT_FLOAT || y->type == YT_INT) &&
			    (!strcmp(y->text, "2.0") || !strcmp(y->text, "2"))))
		return;
	vc_span top = {doc->span.src, doc->span.from, doc->span.from};
	if (!y || y->kind != YN_ERROR)
		wf_say(s, VC_E5001, y ? y->span : top, "Mistral reads version '2.0'");
}

static bool
is_entry(const ynode *key)
{
	return key->kind == YN_SCALAR && strcmp(key->text, "version") != 0;
}

static bool
is_action(const ynode *body)
{
	return body->kind == YN_MAP && yn_get(body, "base") && !yn_get(body, "tasks");
}

/* Names of the actions in a map, which may have workflows as well. */
static wf_names
actions_of(wf_scope *s, const ynode *map, const char *book)
{
	wf_names names = {0};
	for (uint32_t i = 0; map && i < map->n; i++) {
		if (!is_entry(map->key[i]) || !is_action(map->item[i]))
			continue;
		const char *name = map->key[i]->text;
		wf_add(s->c, &names, name);
		if (book)
			wf_add(s->c, &names, vc_format(s->c, "%s.%s", book, name));
	}
	return names;
}

/* A workflow without a name, as Orquesta has them. */
static bool
has_no_name(const wf_scope *s, const ynode *key, const ynode *body)
{
	static const char *const name = "tasks";
	bool near = !strcmp(key->text, name) || vt_nearest(key->text, &name, 1);
	if (!near || !wf_like_tasks(body))
		return false;
	wf_say(s, VC_E5001, key->span, "tasks stand in a workflow, and each workflow has a name");
	vc_hint(s->c, "it is written NAME: { tasks: ... }; Orquesta, whose version is 1.0, has no "
		      "name there");
	return true;
}

static void
check_each(wf_scope *s, const ynode *map)
{
	wf_names actions = actions_of(s, map, NULL);
	for (uint32_t i = 0; map && i < map->n; i++) {
		const ynode *key = map->key[i], *body = map->item[i];
		if (is_entry(key) && is_action(body))
			check_action(s, &actions, key, body);
		else if (is_entry(key) && !has_no_name(s, key, body))
			check_workflow(s, &actions, key, body, map, NULL);
	}
}

static bool
is_workbook(const ynode *doc)
{
	const ynode *flows = yn_get(doc, "workflows"), *actions = yn_get(doc, "actions");
	bool misspelt = false; /* "workflow", whose value is a map of workflows */
	for (uint32_t i = 0; !flows && !actions && i < doc->n && !misspelt; i++)
		misspelt = doc->key[i]->kind == YN_SCALAR && doc->item[i]->kind == YN_MAP &&
			   !yn_get(doc->item[i], "tasks") && wf_has_flows(doc->item[i]);
	return misspelt || (flows && !(flows->kind == YN_MAP && yn_get(flows, "tasks"))) ||
	       (actions && !(actions->kind == YN_MAP && yn_get(actions, "base")));
}

void
wf_check_mistral(wf_scope *s, const ynode *doc)
{
	check_version(s, doc);
	if (!is_workbook(doc)) {
		check_each(s, doc);
		return;
	}
	wf_keys(s, doc, "a workbook", workbook_keys);
	if (!yn_get(doc, "name"))
		wf_say(s, VC_E5001, (vc_span){doc->span.src, doc->span.from, doc->span.from},
			"a workbook needs a name");
	const ynode *actions = wf_map(s, doc, "actions"), *flows = wf_map(s, doc, "workflows");
	const char *book = wf_text(yn_get(doc, "name"));
	wf_names own = actions_of(s, actions, book);
	for (uint32_t i = 0; actions && i < actions->n; i++)
		if (is_entry(actions->key[i]))
			check_action(s, &own, actions->key[i], actions->item[i]);
	for (uint32_t i = 0; flows && i < flows->n; i++)
		if (is_entry(flows->key[i]))
			check_workflow(s, &own, flows->key[i], flows->item[i], flows, book);
}
