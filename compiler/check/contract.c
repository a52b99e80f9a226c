/*
 * contract.c - contracts (catalogue T1 to T16): the template's shape and the contract
 * functions' arguments.
 */
#include "compiler/check/int.h"

#include <string.h>

typedef struct contract_fn {
	const char *name;
	uint8_t min, max;
	const char *args[4]; /* keywords */
	uint8_t types;       /* bit i: argument i names a class */
} contract_fn;

static const contract_fn functions[] = {
	{"string", 0, 0, {NULL}, 0},
	{"int", 0, 0, {NULL}, 0},
	{"bool", 0, 0, {NULL}, 0},
	{"notNull", 0, 0, {NULL}, 0},
	{"owned", 0, 0, {NULL}, 0},
	{"notOwned", 0, 0, {NULL}, 0},
	{"check", 1, 2, {"predicate", "msg"}, 0},
	{"class", 1, 3, {"name", "defaultName", "versionSpec"}, 3},
	{"template", 1, 4, {"type", "defaultType", "versionSpec", "excludeProperties"}, 3},
};

static const contract_fn *
find_function(const char *name)
{
	for (size_t i = 0; i < VC_LEN(functions); i++)
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
	return NULL;
}

bool
ck_is_contract_function(const char *name)
{
	return find_function(name) != NULL;
}

static void
suggest_function(ck *k, const char *name)
{
	const char *names[VC_LEN(functions)];

	for (size_t i = 0; i < VC_LEN(functions); i++)
		names[i] = functions[i].name;
	const char *near = vt_nearest(name, names, VC_LEN(functions));
	if (near)
		vc_did_you_mean(k->c, "\"%s\"", near);
	else
		vc_hint(k->c, "the contract functions are string, int, bool, class, template, "
			      "notNull, check, owned and notOwned");
}

/* Which parameter an argument is for; -1 when there is none. */
static int
parameter(const contract_fn *f, const yq_node *arg, uint32_t position)
{
	if (arg->kind != YQ_MAPPING)
		return position < f->max ? (int)position : -1;
	for (uint32_t i = 0; i < f->max; i++)
		if (ck_keyword_is(arg->kid[0], f->args[i]))
			return (int)i;
	return -1;
}

static void
one_argument(ck *k, const ynode *node, const contract_fn *f, const yq_node *arg, int which)
{
	const yq_node *v = arg->kind == YQ_MAPPING ? arg->kid[1] : arg;
	bool outer = k->contract;

	if (f->types & 1u << which) {
		ck_type_argument(k, node, v, CK_LOAD);
		return;
	}
	/* A predicate is ordinary YAQL over the value. */
	k->contract = false;
	ck_expr(k, node, v);
	k->contract = outer;
}

static void
contract_call(ck *k, const ynode *node, const yq_node *call, const contract_fn *f)
{
	bool given[4] = {false};
	vc_span at = yn_subspan(node, call->from, call->to);

	for (uint32_t i = 0; i < call->n; i++) {
		const yq_node *arg = call->kid[i];
		int which = parameter(f, arg, i);
		if (arg->kind == YQ_EMPTY)
			continue;
		if (which < 0 || given[which]) {
			vc_report(k->c, VC_E0803, yn_subspan(node, arg->from, arg->to),
				"contract %s() takes %s", f->name,
				f->max == 0 ? "no arguments" : "no such argument");
			return;
		}
		given[which] = true;
		one_argument(k, node, f, arg, which);
	}
	if (f->min && !given[0]) {
		vc_report(k->c, VC_E0803, at, "contract %s() lacks its %s", f->name,
			strcmp(f->name, "check") == 0 ? "predicate" : "class");
		vc_hint(k->c,
			strcmp(f->name, "check") == 0 ? "write check($ > 0), for instance"
						      : "write %s(ns:Name)",
			f->name);
	}
}

static void
method_in_contract(ck *k, const ynode *node, const yq_node *call)
{
	const contract_fn *f = find_function(call->text);

	if (f) {
		contract_call(k, node, call, f);
		return;
	}
	if (!ck_is_registry_method(k, call->text) && !ck_has(&k->method_names, call->text)) {
		vc_report(k->c, VC_E0801,
			yn_subspan(node, call->op_at, call->op_at + (uint32_t)call->ntext),
			"there is no contract function \"%s\"", call->text);
		suggest_function(k, call->text);
	}
	for (uint32_t i = 0; i < call->n; i++)
		ck_expr(k, node, call->kid[i]);
}

/* `$.string` asks the value for a key. */
static void
not_called(ck *k, const ynode *node, const yq_node *name)
{
	vc_report(k->c, VC_E0801, yn_subspan(node, name->from, name->to),
		"contract function \"%s\" is not called", name->text);
	vc_hint(k->c, "write %s%s", name->text,
		strcmp(name->text, "class") == 0 || strcmp(name->text, "check") == 0 ? "(...)"
										     : "()");
}

static void
contract_expr(ck *k, const ynode *node, const yq_node *e)
{
	const yq_node *u = yq_unwrap(e);

	if (u->kind == YQ_BINARY && (strcmp(u->text, ".") == 0 || strcmp(u->text, "?.") == 0)) {
		contract_expr(k, node, u->kid[0]);
		if (u->kid[1]->kind == YQ_CALL)
			method_in_contract(k, node, u->kid[1]);
		else if (u->kid[1]->kind == YQ_KEYWORD && find_function(u->kid[1]->text))
			not_called(k, node, u->kid[1]);
		else
			ck_expr(k, node, u->kid[1]);
	} else if (u->kind == YQ_CALL && find_function(u->text)) {
		vc_report(k->c, VC_E0801, yn_subspan(node, u->from, u->to),
			"contract function \"%s\" is called on the value", u->text);
		vc_hint(k->c, "write $.%s(...)", u->text);
	} else if (u->kind == YQ_BINARY && strcmp(u->text, ":") != 0) {
		contract_expr(k, node, u->kid[0]);
		contract_expr(k, node, u->kid[1]);
	} else
		ck_expr(k, node, u);
}

/* A constant that was surely meant as a contract. */
static void
constant(ck *k, const ynode *v)
{
	if (v->type != YT_STR || (!find_function(v->text) && strncmp(v->text, "$.", 2) != 0))
		return;
	vc_report(k->c, VC_W1037, v->span,
		"this contract is a constant: it accepts nothing but the text %s",
		mpl_show(k->c, v));
	if (v->text[0] == '$')
		vc_hint(k->c, "leave the quotes out");
	else
		vc_hint(k->c, "write $.%s()", v->text);
}

static bool
is_bound(const ynode *v)
{
	return v->kind == YN_SCALAR && !v->is_expr && (v->type == YT_INT || v->type == YT_BOOL);
}

static bool
looks_like_bound(const ynode *v)
{
	return v->kind == YN_SCALAR && !v->is_expr &&
	       (v->type == YT_FLOAT || (v->type == YT_STR && v->ntext > 0 &&
					       strspn(v->text, "0123456789") == v->ntext));
}

static void
list_bounds(ck *k, const ynode *v, uint32_t items)
{
	const ynode *last = v->item[v->n - 1];

	if (items == 0) {
		vc_report(k->c, VC_E0804, v->span,
			"a list contract of numbers only has no contract for its items");
		vc_hint(k->c, "the item's contract comes first: [$.int(), 1, 5]");
		return;
	}
	if (v->n > 1 && looks_like_bound(last)) {
		vc_report(k->c, VC_E0804, last->span,
			"a bound of a list contract is an integer, not %s", mpl_show(k->c, last));
		return;
	}
	if (v->n - items == 2 && v->item[items]->fits && last->fits &&
		v->item[items]->i > last->i) {
		vc_report(k->c, VC_E0804, last->span,
			"no list fits: the greatest length %s is below the least length %s",
			last->text, v->item[items]->text);
		vc_hint(k->c, "the order is [contract, least, greatest]");
	}
}

static void
contract_list(ck *k, const ynode *v, bool argument)
{
	uint32_t items = v->n;

	if (v->n == 0)
		return;
	for (int i = 0; i < 2 && items > 0 && is_bound(v->item[items - 1]); i++)
		items--;
	list_bounds(k, v, items);
	for (uint32_t i = 0; i < items; i++)
		ck_contract(k, v->item[i], argument);
}

static void
contract_dict(ck *k, const ynode *v, bool argument)
{
	const ynode *first = NULL;

	for (uint32_t i = 0; i < v->n; i++) {
		if (v->key[i]->kind == YN_SCALAR && v->key[i]->is_expr) {
			if (first) {
				vc_report(k->c, argument ? VC_W1032 : VC_E0802, v->key[i]->span,
					"a dict contract takes one expression key only");
				vc_note(k->c, first->span, "the first one");
			} else
				first = v->key[i];
			ck_contract(k, v->key[i], argument);
		}
		ck_contract(k, v->item[i], argument);
	}
}

void
ck_contract(ck *k, const ynode *v, bool argument)
{
	bool outer = k->contract, lambda = k->lambda;

	k->contract = k->lambda = true;
	switch ((enum yn_kind)v->kind) {
	case YN_SCALAR:
		if (v->is_expr && v->expr)
			contract_expr(k, v, v->expr);
		else
			constant(k, v);
		break;
	case YN_SEQ: contract_list(k, v, argument); break;
	case YN_MAP: contract_dict(k, v, argument); break;
	case YN_ERROR: break;
	}
	k->contract = outer;
	k->lambda = lambda;
}
