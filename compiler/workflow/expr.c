/*
 * expr.c - an expression inside of another text: it is parsed, and its names and types are checked.
 *
 * What the library knows of a call is said by compiler/check; here are the functions of the host
 * and the names of the workflow.  $ is followed as long as it is that of the expression: a lambda
 * has another one.
 */
#include "compiler/workflow/int.h"
#include "runtime/call/call.h"
#include "runtime/core/printable.h"

#include <string.h>

typedef struct walk {
	const wf_scope *s;
	const ynode *y;
	bool binds;   /* some $name may be set by the expression itself */
	bool defines; /* and some function */
} walk;

bool
wf_enough(const wf_scope *s, uint32_t n)
{
	enum { MOST = 200000 };
	uint32_t said = vc_said(s->c);
	return said > s->c->limit.max_errors || (uint64_t)said * n > MOST;
}

void
wf_say(const wf_scope *s, enum vc_code code, vc_span at, const char *fmt, ...)
{
	vt_buf b = {0};
	va_list ap;
	va_start(ap, fmt);
	vt_buf_vmessage(&b, fmt, ap);
	va_end(ap);
	const char *text = vc_take(s->c, &b);
	if (s->say)
		s->say(s->who, code, at, text);
	else
		vc_report(s->c, code, at, "%s", text);
}

static vc_span
span_of(const walk *w, const yq_node *e)
{
	return yn_subspan(w->y, e->from, e->to);
}

static vc_span
name_of(const walk *w, const yq_node *call)
{
	return yn_subspan(w->y, call->op_at, call->op_at + call->ntext);
}

/* As YAQL looks names up: underscores at their end do not count. */
static const char *
looked_up(const walk *w, const char *name)
{
	size_t n = strlen(name);
	while (n > 1 && name[n - 1] == '_')
		n--;
	return name[n] ? vc_strndup(w->s->c, name, n) : name;
}

/* The library's rows that a call may reach. */
static bool
in_library(const char *name, uint32_t flag)
{
	uint32_t n = 0;
	const vt_fnrow *row = vt_fn_find(name, &n);
	for (uint32_t i = 0; row && i < n; i++)
		if (row[i].layer == VT_L_STD && row[i].flags & flag)
			return true;
	return false;
}

/* ---- names ---- */

static void
hint_near(const walk *w, const char *name, const wf_names *names)
{
	const char *near = NULL;
	for (; names && !near && !wf_enough(w->s, names->n); names = names->outer)
		near = names->n ? vt_nearest(name, names->v, names->n) : NULL;
	if (near)
		vc_did_you_mean(w->s->c, "'%s'", near);
}

static void
check_task(const walk *w, const yq_node *e, const char *name)
{
	if (!w->s->tasks || wf_has(w->s->c, w->s->tasks, name))
		return;
	wf_say(w->s, VC_E5003, span_of(w, e), "the workflow has no task '%s'", name);
	hint_near(w, name, w->s->tasks);
}

static void
check_key(const walk *w, const wf_names *keys, const yq_node *e, const char *name)
{
	if (!keys || !strncmp(name, "__", 2))
		return;
	if (wf_has(w->s->c, keys, name)) {
		if (w->s->flow != NULL)
			wf_used(w->s->flow, keys, name, span_of(w, e));
		return;
	}
	wf_say(w->s, VC_W5001, span_of(w, e), "there is no '%s' here: %s", name,
		w->s->nobody ? w->s->nobody : "nothing sets it");
	hint_near(w, name, keys);
}

static void
check_variable(const walk *w, const yq_node *e)
{
	const wf_host *h = w->s->host;
	if (!e->ntext || (*e->text >= '0' && *e->text <= '9') || w->binds || !h ||
		wf_has(w->s->c, &h->variables, e->text))
		return;
	wf_say(w->s, VC_W5001, span_of(w, e), "nothing sets the variable '$%s', so it is null",
		e->text);
	if (w->s->keys && wf_has(w->s->c, w->s->keys, e->text))
		vc_hint(w->s->c, "variables of the workflow are keys of $: $.%s", e->text);
	else if (w->s->vars && wf_has(w->s->c, w->s->vars, e->text))
		vc_hint(w->s->c, "variables of the workflow are read with ctx(): ctx().%s",
			e->text);
}

static void
no_function(const walk *w, const yq_node *call, const char *name)
{
	const wf_host *h = w->s->host;
	if (h)
		wf_say(w->s, VC_E5004, name_of(w, call),
			"Unknown function \"%s\": neither YAQL nor %s has it", name, h->name);
	else
		wf_say(w->s, VC_E5004, name_of(w, call), "Unknown function \"%s\"", name);
	const char *near =
		h && h->functions.n ? vt_nearest(name, h->functions.names.v, h->functions.n) : NULL;
	if (!near)
		near = vc_nearest_function(name, VT_L_STD, VT_FN_FUNCTION);
	if (in_library(name, VT_FN_METHOD))
		vc_hint(w->s->c, "it is a method: X.%s(...)", name);
	else if (near)
		vc_did_you_mean(w->s->c, "'%s'", near);
	else if (h)
		vc_hint(w->s->c, "--functions=FILE declares functions of your own");
}

static void
no_method(const walk *w, const yq_node *call, const char *name)
{
	wf_say(w->s, VC_E5004, name_of(w, call), "Unknown method \"%s\"", name);
	const char *near = vc_nearest_function(name, VT_L_STD, VT_FN_METHOD);
	if (wf_function_of(w->s->c, w->s->host, name) || in_library(name, VT_FN_FUNCTION))
		vc_hint(w->s->c, "it is a function: %s(...)", name);
	else if (near)
		vc_did_you_mean(w->s->c, "'%s'", near);
}

/* ---- calls of the host ---- */

static const yq_node *
keyword(const yq_node *arg)
{
	return arg->kind == YQ_MAPPING && arg->n == 2 && arg->kid[0]->kind == YQ_KEYWORD
		       ? arg->kid[0]
		       : NULL;
}

static const wf_parameter *
named_parameter(const wf_function *f, const char *name)
{
	const wf_parameter *any = NULL;
	for (uint32_t i = 0; i < f->nparams; i++) {
		if (f->params[i].keywords)
			any = &f->params[i];
		else if (!f->params[i].rest && !strcmp(f->params[i].name, name))
			return &f->params[i];
	}
	return any;
}

static const wf_parameter *
nth_parameter(const wf_function *f, uint32_t n)
{
	for (uint32_t i = 0; i < f->nparams; i++)
		if (f->params[i].rest || (!f->params[i].keywords && n-- == 0))
			return &f->params[i];
	return NULL;
}

static void
check_argument(const walk *w, const wf_function *f, const wf_parameter *p, const yq_node *e)
{
	uint32_t kinds = vc_literal_kinds(e = yq_unwrap(e));
	uint32_t wanted = wf_type_kinds(p->type) | (p->nullable ? VC_K_NULL : 0);
	if (e->kind == YQ_EMPTY)
		return;
	if (!(kinds & wanted)) {
		wf_say(w->s, VC_E5005, span_of(w, e), "argument '%s' of %s() is a %s", p->name,
			f->name, p->type >= WF_TASK ? "name" : wf_type_name(p->type));
		return;
	}
	if (kinds != VC_K_STR)
		return;
	const char *name = vc_strndup(w->s->c, e->text, e->ntext);
	if (p->type == WF_TASK)
		check_task(w, e, name);
	else if (p->type == WF_VARIABLE)
		check_key(w, w->s->vars, e, name);
	else if (p->type == WF_ITEM)
		check_key(w, w->s->items, e, name);
}

static void
check_count(const walk *w, const yq_node *call, const wf_function *f, uint32_t positional)
{
	uint32_t least = 0, most = 0, given = 0;
	bool rest = false;
	for (uint32_t i = 0; i < f->nparams; i++) {
		const wf_parameter *p = &f->params[i];
		bool named = false;
		rest |= p->rest;
		if (p->rest || p->keywords)
			continue;
		for (uint32_t k = 0; k < call->n; k++)
			named |= keyword(call->kid[k]) &&
				 !strcmp(keyword(call->kid[k])->text, p->name);
		given += named || most < positional;
		least += !p->has_default && !named && most >= positional;
		most++;
	}
	if (positional > most && !rest)
		wf_say(w->s, VC_E5005, name_of(w, call), "%s() takes %s%u argument%s, not %u",
			f->name, most ? "at most " : "", most, most == 1 ? "" : "s", positional);
	else if (least)
		wf_say(w->s, VC_E5005, name_of(w, call), "%s() lacks an argument: it has %u of %u",
			f->name, given, most);
}

static void
check_host_call(const walk *w, const yq_node *call, const wf_function *f)
{
	uint32_t positional = 0;
	for (uint32_t i = 0; i < call->n; i++) {
		const yq_node *kw = keyword(call->kid[i]);
		const wf_parameter *p =
			kw ? named_parameter(f, kw->text) : nth_parameter(f, positional++);
		if (p && !p->rest && !p->keywords)
			check_argument(w, f, p, kw ? call->kid[i]->kid[1] : call->kid[i]);
		if (p || !kw)
			continue;
		wf_say(w->s, VC_E5005, span_of(w, kw), "%s() has no argument '%s'", f->name,
			kw->text);
		for (uint32_t k = 0; k < f->nparams; k++)
			if (vt_nearest(kw->text, &f->params[k].name, 1))
				vc_did_you_mean(w->s->c, "'%s'", f->params[k].name);
		return;
	}
	check_count(w, call, f, positional);
}

/* ---- the walk ---- */

static void visit(const walk *, const yq_node *, bool root);

/* Does the function evaluate this argument itself, with a $ of its own? */
static bool
has_own_dollar(const char *name, uint32_t at, const yq_node *arg)
{
	static const char *const same[] = {"coalesce", "selectCase", "selectAllCases", "examine",
		"switchCase", "switch", "and", "or"};
	uint32_t n = 0;
	const vt_fnrow *row = vt_fn_find(name, &n);
	for (size_t i = 0; i < VC_LEN(same); i++)
		if (!strcmp(same[i], name))
			return false;
	for (uint32_t i = 0; row && i < n; i++) {
		const yq_node *kw = keyword(arg);
		const vt_fnparam *p = vc_parameter(
			&row[i], at, kw && !(row[i].flags & VT_FN_NO_KWARGS) ? kw->text : NULL);
		if (row[i].layer == VT_L_STD && p && vt_is_lazy_type(p->type))
			return true;
	}
	return false;
}

static void
visit_arguments(const walk *w, const yq_node *call, const char *name, uint32_t shift, bool root)
{
	for (uint32_t i = 0; i < call->n; i++)
		visit(w, call->kid[i], root && !has_own_dollar(name, i + shift, call->kid[i]));
}

static void
visit_function(const walk *w, const yq_node *call, bool root)
{
	const char *name = looked_up(w, call->text);
	const wf_function *f = wf_function_of(w->s->c, w->s->host, name);
	if (f)
		check_host_call(w, call, f);
	else if (!in_library(name, VT_FN_FUNCTION) && !w->defines)
		no_function(w, call, name);
	visit_arguments(w, call, name, 0, root);
}

static void
visit_method(const walk *w, const yq_node *call, bool root)
{
	const char *name = looked_up(w, call->text);
	if (!in_library(name, VT_FN_METHOD) && !w->defines)
		no_method(w, call, name);
	visit_arguments(w, call, name, 1, root);
}

/* Is it ctx(), whose keys are the variables? */
static bool
is_ctx(const walk *w, const yq_node *e)
{
	const wf_function *f = e->kind == YQ_CALL && e->n == 0
				       ? wf_function_of(w->s->c, w->s->host, e->text)
				       : NULL;
	return f && f->nparams == 1 && f->params[0].type == WF_VARIABLE;
}

/* $, where it is that of the expression. */
static bool
is_dollar(const yq_node *e, bool root)
{
	return root && e->kind == YQ_VAR && (!e->ntext || !strcmp(e->text, "1"));
}

/* $.part, whose keys are known by themselves. */
static bool
is_part(const walk *w, const yq_node *e, bool root)
{
	return w->s->part && e->kind == YQ_BINARY && !strcmp(e->text, ".") &&
	       is_dollar(yq_unwrap(e->kid[0]), root) && e->kid[1]->kind == YQ_KEYWORD &&
	       e->kid[1]->ntext == strlen(w->s->part) &&
	       !memcmp(e->kid[1]->text, w->s->part, e->kid[1]->ntext);
}

static void
visit_member(const walk *w, const yq_node *e, bool root)
{
	const yq_node *left = yq_unwrap(e->kid[0]), *right = e->kid[1];
	visit(w, e->kid[0], root);
	if (right->kind == YQ_CALL) {
		visit_method(w, right, root);
		return;
	}
	if (right->kind != YQ_KEYWORD) {
		visit(w, right, false);
		return;
	}
	const char *name = vc_strndup(w->s->c, right->text, right->ntext);
	if (is_dollar(left, root))
		check_key(w, w->s->keys, right, name);
	else if (is_part(w, left, root))
		check_key(w, w->s->parts, right, name);
	else if (is_ctx(w, left))
		check_key(w, w->s->vars, right, name);
}

/* let(a => 1) leaves $ as it is. */
static bool
keeps_dollar(const yq_node *e)
{
	e = yq_unwrap(e);
	if (e->kind != YQ_CALL || strcmp(e->text, "let") != 0)
		return false;
	for (uint32_t i = 0; i < e->n; i++)
		if (!keyword(e->kid[i]))
			return false;
	return true;
}

static void
visit(const walk *w, const yq_node *e, bool root)
{
	if (e->kind == YQ_VAR)
		check_variable(w, e);
	else if (e->kind == YQ_CALL)
		visit_function(w, e, root);
	else if (e->kind == YQ_BINARY && (!strcmp(e->text, ".") || !strcmp(e->text, "?.")))
		visit_member(w, e, root);
	else if (e->kind == YQ_BINARY && !strcmp(e->text, "->")) {
		visit(w, e->kid[0], root);
		visit(w, e->kid[1], root && keeps_dollar(e->kid[0]));
	} else
		for (uint32_t i = 0; i < e->n; i++)
			visit(w, e->kid[i], root);
}

/* let(), with() and def() give names to what follows. */
static void
find_givers(walk *w, const yq_node *e)
{
	static const char *const names[] = {"let", "with", "def", "lambda"};
	for (size_t i = 0; e->kind == YQ_CALL && i < VC_LEN(names); i++)
		w->binds |= !strcmp(names[i], e->text);
	w->defines |= e->kind == YQ_CALL && !strcmp(e->text, "def");
	for (uint32_t i = 0; i < e->n; i++)
		find_givers(w, e->kid[i]);
}

/* Places of the tree become those of the whole scalar. */
static void
shift(yq_node *e, uint32_t by)
{
	e->from += by;
	e->to += by;
	e->op_at += by;
	for (uint32_t i = 0; i < e->n; i++)
		shift(e->kid[i], by);
}

static bool
is_hosts(void *who, const char *name)
{
	const wf_scope *s = who;
	return wf_function_of(s->c, s->host, name) != NULL;
}

vc_type
wf_expression(const wf_scope *s, const ynode *y, uint32_t from, uint32_t n)
{
	vc_type any = {.kinds = VC_K_ALL};
	yq_error err = {0};
	yq_node *e = yq_parse(s->c, vc_strndup(s->c, y->text + from, n), n, 0, &err);
	if (!e) {
		uint32_t at = from + err.at,
			 to = at + (err.value ? (uint32_t)strlen(err.value) : 0);
		wf_say(s, err.lexical ? VC_E0301 : VC_E0302, yn_subspan(y, at, to), "%s",
			err.message);
		return any;
	}
	shift(e, from);
	walk w = {.s = s, .y = y};
	find_givers(&w, e);
	visit(&w, e, true);
	if (s->untyped)
		return any;
	wf_scope *known = vc_alloc(s->c, sizeof *known);
	*known = *s;
	return vc_outside_type(s->c, y, e, &(vc_outside){VT_L_STD, is_hosts, known});
}
