/*
 * names.c - names in expressions: classes, functions, methods.
 */
#include "compiler/check/int.h"
#include "runtime/call/call.h"
#include "runtime/core/value.h"
#include "compiler/check/check.h"

#include <string.h>

/* ---- small questions ---- */

static bool
is_operator(const yq_node *e, const char *op)
{
	return (e->kind == YQ_BINARY || e->kind == YQ_UNARY) && strcmp(e->text, op) == 0;
}

bool
ck_is_this(const ck *k, const yq_node *e)
{
	const yq_node *u = yq_unwrap(e);

	return u->kind == YQ_VAR && (strcmp(u->text, "this") == 0 || (u->ntext == 0 && !k->lambda));
}

bool
ck_keyword_is(const yq_node *e, const char *word)
{
	return e->kind == YQ_KEYWORD && e->ntext == strlen(word) &&
	       memcmp(e->text, word, e->ntext) == 0;
}

static vc_span
span_of(const ynode *node, const yq_node *e)
{
	return yn_subspan(node, e->from, e->to);
}

/* Where the name of a call stands. */
static vc_span
name_span(const ynode *node, const yq_node *call)
{
	return yn_subspan(node, call->op_at, call->op_at + call->ntext);
}

static uint32_t
visible_layers(const ck *k)
{
	uint32_t all = VT_L_STD | VT_L_DSL | VT_L_ENGINE;

	if (strcmp(k->pkg->name, "io.murano") == 0)
		all |= VT_L_CORE;
	if (k->pkg->format <= 101)
		return all | VT_L_LEGACY | VT_L_DSL_OLD | VT_L_DSL_LEGACY | VT_L_ENGINE_LEGACY;
	return all | (k->pkg->format <= 103 ? VT_L_DSL_OLD : VT_L_DSL_NEW);
}

/* Flags of the overloads the package's format sees; *elsewhere when only other formats have some.
 */
static uint32_t
registry_flags(const ck *k, const char *name, bool *elsewhere)
{
	uint32_t n = 0, flags = 0;
	const vt_fnrow *row = vt_fn_find(name, &n);

	for (uint32_t i = 0; row && i < n; i++)
		if (row[i].layer & visible_layers(k))
			flags |= row[i].flags;
	*elsewhere = row != NULL && n > 0 && flags == 0;
	return flags;
}

bool
ck_is_registry_method(const ck *k, const char *name)
{
	bool elsewhere;

	return registry_flags(k, name, &elsewhere) & VT_FN_METHOD;
}

bool
ck_is_registry_function(const ck *k, const char *name)
{
	bool elsewhere;

	return registry_flags(k, name, &elsewhere) & VT_FN_FUNCTION;
}

bool
ck_is_of_other_format(const ck *k, const char *name)
{
	bool elsewhere;

	registry_flags(k, name, &elsewhere);
	return elsewhere;
}

const char *
vc_nearest_function(const char *name, uint32_t layers, uint32_t flags)
{
	const char *names[2048], *last = "";
	size_t n = 0;

	for (uint32_t i = 0; i < vt_linked.nrows && n < VC_LEN(names); i++) {
		const vt_fnrow *row = &vt_linked.rows[i];
		if (row->name[0] == '#' || !(row->layer & layers) || !(row->flags & flags) ||
			strcmp(last, row->name) == 0)
			continue;
		names[n++] = last = row->name;
	}
	return vt_nearest(name, names, n);
}

/* ---- classes ---- */

/* ns:Name and :Name. */
static void
type_literal(ck *k, const ynode *node, const yq_node *e, enum ck_need need)
{
	const yq_node *last = e->kid[e->n - 1];

	if (e->kind == YQ_BINARY && is_operator(last, ":")) {
		vc_report(k->c, VC_W1028, span_of(node, e),
			"this is read as an expression on classes, and no class has such a name");
		vc_hint(k->c, "in quotes it is a text");
		return;
	}
	if (last->kind != YQ_KEYWORD || e->kid[0]->kind != YQ_KEYWORD) {
		for (uint32_t i = 0; i < e->n; i++)
			ck_expr(k, node, e->kid[i]);
		return;
	}
	ck_find(k, vc_format(k->c, "%s:%s", e->n > 1 ? e->kid[0]->text : "", last->text),
		span_of(node, e), need);
}

/* An argument that names a class; anything computed is walked as an expression. */
void
ck_type_argument(ck *k, const ynode *node, const yq_node *arg, enum ck_need need)
{
	const yq_node *u = yq_unwrap(arg);

	if (is_operator(u, ":"))
		type_literal(k, node, u, need);
	else if (u->kind == YQ_KEYWORD)
		ck_find(k, u->text, span_of(node, u), need);
	else if (u->kind == YQ_STRING)
		ck_find(k, u->text, span_of(node, u), need == CK_LOAD ? need : CK_TEXT);
	else
		ck_expr(k, node, arg);
}

/* ---- calls ---- */

static void
defined_by_def(ck *k, const yq_node *call)
{
	const yq_node *u;

	if (strcmp(call->text, "def") != 0 || call->n == 0)
		return;
	u = call->kid[0]->kind == YQ_MAPPING ? call->kid[0]->kid[1] : call->kid[0];
	if (u->kind == YQ_KEYWORD || u->kind == YQ_STRING)
		vc_push(k->c, k->defined.v, k->defined.n) = u->text;
}

static void
note_unknown(ck *k, const char *name, vc_span span, const char *hint, const char *near)
{
	for (uint32_t i = 0; i < k->nunknown; i++)
		if (strcmp(k->unknown[i].name, name) == 0) {
			k->unknown[i].count++;
			return;
		}
	if (k->nunknown < 1000)
		vc_push(k->c, k->unknown, k->nunknown) = (ck_place){name, hint, near, span, 1};
}

/* What `vetro test` brings: runtime/call/testrun_mock.c. */
static bool
is_test_function(const ck *k, const char *name)
{
	static const char *const names[] = {"inject", "withOriginal", "originalMethod"};
	bool fixture = false;

	for (uint32_t i = 0; i < k->nline && !fixture; i++)
		fixture = strcmp(k->line[i]->name, "io.murano.test.TestFixture") == 0;
	for (size_t i = 0; fixture && i < VC_LEN(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static void
check_function(ck *k, const ynode *node, const yq_node *call)
{
	bool elsewhere;
	uint32_t flags = registry_flags(k, call->text, &elsewhere);
	const char *hint = NULL, *near = NULL;

	if ((flags & VT_FN_FUNCTION) || (k->contract && ck_is_contract_function(call->text)))
		return;
	if (strcmp(k->pkg->name, "io.murano") == 0 || is_test_function(k, call->text))
		return; /* the first has functions of its own */
	if (flags & VT_FN_METHOD)
		hint = vc_format(k->c, "it is called on a value: x.%s(...)", call->text);
	else if (elsewhere)
		hint = vc_format(k->c,
			"it belongs to another Format than the %u.%u of this package",
			k->pkg->format / 100, k->pkg->format % 100);
	else if (ck_has(&k->method_names, call->text))
		hint = vc_format(k->c, "a method is called on an object: $.%s(...)", call->text);
	else if (strcmp(call->text, "print") == 0 || strcmp(call->text, "log") == 0 ||
		 strcmp(call->text, "puts") == 0)
		hint = "logger('NAME').info(TEXT) writes into the log, and `vetro run --trace` "
		       "shows "
		       "values";
	else if ((near = vc_nearest_function(call->text, visible_layers(k), VT_FN_FUNCTION)) !=
		 NULL)
		hint = vc_format(k->c, "did you mean %s?", near);
	note_unknown(k, call->text, name_span(node, call), hint, near);
}

/* The script of the host writes the name in quotes, as it must to register it. */
static bool
host_names(const ck *k, const char *name)
{
	return k->c->lua && (strstr(k->c->lua, vc_format(k->c, "\"%s\"", name)) ||
				    strstr(k->c->lua, vc_format(k->c, "'%s'", name)));
}

void
ck_unknown_functions(ck *k)
{
	for (uint32_t i = 0; i < k->nunknown; i++) {
		const ck_place *p = &k->unknown[i];
		bool known = false;
		for (size_t d = 0; d < k->defined.n && !known; d++)
			known = strcmp(k->defined.v[d], p->name) == 0;
		if (known || host_names(k, p->name))
			continue;
		vc_report(k->c, VC_W1027, p->span,
			"function \"%s\" is not known; the host must bring it", p->name);
		if (p->count > 1)
			vc_note(k->c, (vc_span){NULL, 0, 0}, "called in %u places of the package",
				p->count);
		if (p->hint)
			vc_hint(k->c, "%s", p->hint);
		if (p->near)
			vc_near(k->c, p->near);
	}
	k->nunknown = 0;
	k->unknown = NULL;
	k->defined = (ck_list){NULL, 0};
}

/* Functions whose argument names a class; -1: none. */
static int
type_position(const ck *k, const yq_node *call, bool method)
{
	static const char *const first[] = {"new", "type", "typeinfo"};

	if (method)
		return (strcmp(call->text, "cast") == 0 || strcmp(call->text, "find") == 0) &&
				       !ck_has(&k->method_names, call->text)
			       ? 0
			       : -1;
	for (size_t i = 0; i < VC_LEN(first); i++)
		if (strcmp(call->text, first[i]) == 0)
			return 0;
	return strcmp(call->text, "cast") == 0 || strcmp(call->text, "find") == 0 ? 1 : -1;
}

static void
arguments(ck *k, const ynode *node, const yq_node *call, bool method)
{
	int type = type_position(k, call, method);
	bool lambda = k->lambda;

	for (uint32_t i = 0; i < call->n; i++) {
		const yq_node *arg = call->kid[i];
		/* An argument may be a lambda, and then $ is its own. */
		k->lambda = true;
		if (type == (int)i && arg->kind != YQ_MAPPING)
			ck_type_argument(k, node, arg, CK_LITERAL);
		else
			ck_expr(k, node,
				arg->kind == YQ_MAPPING && arg->n == 2 ? arg->kid[1] : arg);
		k->lambda = lambda;
	}
}

static void
member(ck *k, const ynode *node, const yq_node *e)
{
	const yq_node *right = e->kid[1];

	ck_expr(k, node, e->kid[0]);
	if (right->kind == YQ_CALL)
		arguments(k, node, right, true);
	else
		ck_expr(k, node, right);
}

/* ---- the walk ---- */

static void
binary(ck *k, const ynode *node, const yq_node *e)
{
	bool lambda = k->lambda;

	if (is_operator(e, ":")) {
		type_literal(k, node, e, CK_LITERAL);
	} else if (is_operator(e, ".") || is_operator(e, "?.")) {
		member(k, node, e);
	} else if (is_operator(e, "is")) {
		ck_expr(k, node, e->kid[0]);
		ck_type_argument(k, node, e->kid[1], CK_LITERAL);
	} else {
		ck_expr(k, node, e->kid[0]);
		k->lambda |= is_operator(e, "->");
		ck_expr(k, node, e->kid[1]);
		k->lambda = lambda;
	}
}

void
ck_expr(ck *k, const ynode *node, const yq_node *e)
{
	if (e->kind == YQ_CALL) {
		check_function(k, node, e);
		defined_by_def(k, e);
		arguments(k, node, e, false);
	} else if (e->kind == YQ_BINARY) {
		binary(k, node, e);
	} else if (e->kind == YQ_UNARY && is_operator(e, ":")) {
		type_literal(k, node, e, CK_LITERAL);
	} else {
		for (uint32_t i = 0; i < e->n; i++)
			ck_expr(k, node, e->kid[i]);
	}
}

void
ck_value(ck *k, const ynode *v)
{
	if (v == NULL)
		return;
	if (v->kind == YN_SCALAR && v->is_expr && v->expr)
		ck_expr(k, v, v->expr);
	for (uint32_t i = 0; v->kind == YN_MAP && i < v->n; i++)
		ck_value(k, v->key[i]);
	for (uint32_t i = 0; (v->kind == YN_MAP || v->kind == YN_SEQ) && i < v->n; i++)
		ck_value(k, v->item[i]);
}
