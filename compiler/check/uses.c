/*
 * uses.c - what becomes of values: results that are lost or are none, objects that may be null,
 * places of format(), names of Resources, names that differ by case only, fields nobody reads.
 */
#define _GNU_SOURCE
#include "compiler/check/int.h"
#include "compiler/check/types.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct uses {
	ck *k;
	const mpl_method *m;
	vc_typing *t;
} uses;

static bool
is_op(const yq_node *e, const char *op)
{
	return (e->kind == YQ_BINARY || e->kind == YQ_UNARY) && strcmp(e->text, op) == 0;
}

static vc_span
span_of(const ynode *node, const yq_node *e)
{
	return yn_subspan(node, e->from, e->to);
}

/* x.f(...): the call; else NULL. */
static const yq_node *
method_call(const yq_node *e)
{
	return is_op(e, ".") && e->n == 2 && e->kid[1]->kind == YQ_CALL ? e->kid[1] : NULL;
}

static vc_span
name_of(const ynode *node, const yq_node *call)
{
	return yn_subspan(node, call->op_at, call->op_at + call->ntext);
}

static vc_type
type_of(uses *u, const ynode *node, const yq_node *e)
{
	void (*fault)(void *, const ynode *, const ty_fault *) = u->t->fault;
	vc_type type;

	u->t->fault = NULL;
	type = vc_type_of(u->t, node, e);
	u->t->fault = fault;
	return type;
}

/* ---- results that are lost ---- */

static bool
has_call(const yq_node *e)
{
	bool found = e->kind == YQ_CALL || e->kind == YQ_INVOKE || is_op(e, "->");

	for (uint32_t i = 0; i < e->n && !found; i++)
		found = has_call(e->kid[i]);
	return found;
}

static bool
takes_lambda(const char *name)
{
	static const char *const plain[] = {"append", "insert", "insertMany", "delete", "replace",
		"replaceMany", "set", "setMany", "concat", "flatten", "distinct", "reverse", "skip",
		"limit", "take", "slice", "split", "join", "trim", "toUpper", "toLower", "union",
		"keys", "values", "items", "deleteAll", "add", "remove", "zip"};

	for (size_t i = 0; i < VC_LEN(plain); i++)
		if (strcmp(name, plain[i]) == 0)
			return false;
	return true;
}

/* A statement that makes a new list or text and drops it.  A lambda that calls may be meant. */
static void
lost(uses *u, const ynode *node, const yq_node *e)
{
	const uint32_t values = VC_K_LIST | VC_K_DICT | VC_K_SET | VC_K_NULL;
	const yq_node *call = method_call(yq_unwrap(e)), *recv;
	vc_type type;

	if (call == NULL || !ck_is_registry_method(u->k, call->text) ||
		ty_any(u->t->p, TS_EXTENSION, call->text))
		return;
	for (uint32_t i = 0; i < call->n; i++)
		if (takes_lambda(call->text) && has_call(call->kid[i]))
			return;
	recv = yq_unwrap(e)->kid[0];
	type = type_of(u, node, recv);
	if (type.kinds == 0 || type.kinds & ~values || type.kinds == VC_K_NULL)
		return;
	vc_report(u->k->c, VC_W1056, name_of(node, call),
		"%s() gives a new value and changes nothing; its result is dropped", call->text);
	vc_hint(u->k->c, "assign the result");
}

/* ---- methods that return nothing ---- */

static bool returns_value(mpl_stmt *const *, uint32_t);

static bool
returns_one(const mpl_stmt *s)
{
	bool found =
		s->kind == MS_ERROR ||
		(s->kind == MS_RETURN && s->a &&
			!(s->a->kind == YN_SCALAR && !s->a->is_expr && s->a->type == YT_NULL) &&
			!(s->a->is_expr && s->a->expr && yq_unwrap(s->a->expr)->kind == YQ_NULL));

	for (uint32_t i = 0; i < s->ncases && !found; i++)
		found = returns_value(s->cases[i].body, s->cases[i].nbody);
	for (uint32_t i = 0; i < s->ncatches && !found; i++)
		found = returns_value(s->catches[i].body, s->catches[i].nbody);
	return found || returns_value(s->body, s->nbody) || returns_value(s->orelse, s->norelse) ||
	       returns_value(s->finally, s->nfinally);
}

static bool
returns_value(mpl_stmt *const *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (returns_one(v[i]))
			return true;
	return false;
}

/* A method without a body, or with a Throw alone, may be meant for heirs. */
static bool
gives_nothing(const mpl_method *m)
{
	return !m->native && m->nbody > 0 && m->body[m->nbody - 1]->kind != MS_THROW &&
	       !returns_value(m->body, m->nbody);
}

static const mpl_method *
nothing_from(uses *u, const ynode *node, const yq_node *e)
{
	const yq_node *call = method_call(yq_unwrap(e));
	vc_type recv;
	const mpl_method *m;
	mpl_class **heirs;
	uint32_t n = 0;

	if (call == NULL || u->t->open || call->text[0] == '.')
		return NULL;
	recv = type_of(u, node, yq_unwrap(e)->kid[0]);
	if (recv.cls == NULL || recv.kinds & ~(uint32_t)(VC_K_OBJECT | VC_K_NULL | VC_K_TYPE))
		return NULL;
	m = ty_method(u->t->p, recv.cls, call->text);
	if (m == NULL || !gives_nothing(m) || (heirs = ty_heirs(u->t->p, recv.cls, &n)) == NULL)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		const mpl_method *other = ty_method(u->t->p, heirs[i], call->text);
		if (other != m && other && !gives_nothing(other))
			return NULL;
	}
	return m;
}

/* ---- methods without a body ---- */

static bool
any_has_body(uses *u, const mpl_class *cls, const char *name)
{
	uint32_t n = 0;
	mpl_class **heirs = ty_heirs(u->t->p, cls, &n);

	for (uint32_t i = 0; heirs && i < n; i++) {
		const mpl_method *m = ty_method(u->t->p, heirs[i], name);
		if (m && (m->native || !m->abstract))
			return true;
	}
	return heirs == NULL;
}

/*
 * A class may leave its methods to classes that extend it, so that on $this only those count that
 * another package left to this one.
 */
static void
without_body(uses *u, const ynode *node, const yq_node *e)
{
	const yq_node *call = method_call(e);
	const mpl_method *m;
	vc_type recv;

	if (call == NULL || u->t->open || call->text[0] == '.')
		return;
	recv = type_of(u, node, e->kid[0]);
	if (recv.cls == NULL || recv.kinds & ~(uint32_t)(VC_K_OBJECT | VC_K_NULL | VC_K_TYPE))
		return;
	m = ty_method(u->t->p, recv.cls, call->text);
	if (m == NULL || m->native || !m->abstract || m->cls->native ||
		!(recv.exact || u->t->p->closed ||
			(m->cls->pkg != u->k->pkg && ty_certain(u->t, e->kid[0], recv))) ||
		(!recv.exact && any_has_body(u, recv.cls, call->text)))
		return;
	vc_report(u->k->c, VC_W1077, name_of(node, call),
		"method \"%s\" of class \"%s\" has no Body: the call does nothing and gives null",
		m->name, m->cls->name);
	if (m->span.src)
		vc_note(u->k->c, m->span, "declared here");
	vc_hint(u->k->c, "call it on a class that overrides it, or write its Body");
}

enum use { UNUSED, TAKEN, NEEDED };

static void
nothing(uses *u, const ynode *node, const yq_node *e, enum use use)
{
	static const char *const arithmetic[] = {"+", "-", "*", "/", "mod"};
	const mpl_method *m;
	enum use inner = TAKEN;

	e = yq_unwrap(e);
	if (use != UNUSED && (m = nothing_from(u, node, e)) != NULL) {
		vc_report_as(u->k->c, use == NEEDED ? VC_FAULT : VC_WARNING, VC_W1057,
			name_of(node, e->kid[1]),
			"method \"%s\" of class \"%s\" returns nothing, so this is always null",
			m->name, m->cls->name);
		if (m->span.src)
			vc_note(u->k->c, m->span, "it has no Return with a value");
		return;
	}
	for (size_t i = 0; e->kind == YQ_BINARY && i < VC_LEN(arithmetic); i++)
		if (strcmp(e->text, arithmetic[i]) == 0)
			inner = UNUSED; /* the operator refuses null, which is told there */
	if (is_op(e, ".")) {
		nothing(u, node, e->kid[0], NEEDED);
		return; /* arguments of a method may be lambdas */
	}
	if (is_op(e, "->") || is_op(e, "?."))
		return;
	if (e->kind == YQ_CALL && (!strcmp(e->text, "super") || !strcmp(e->text, "psuper")))
		return; /* what it calls for each parent is called for its effects */
	for (uint32_t i = 0; i < e->n; i++)
		nothing(u, node, e->kid[i], inner);
}

/* ---- objects that may be null ---- */

/* $.x or $this.x, a property that the class declares. */
static const mpl_property *
own_property(uses *u, const yq_node *e)
{
	e = yq_unwrap(e);
	if (!is_op(e, ".") || e->n != 2 || e->kid[1]->kind != YQ_KEYWORD ||
		!ck_is_this(u->k, e->kid[0]))
		return NULL;
	return ty_property(u->t->p, u->k->cls, e->kid[1]->text);
}

/* Is the property looked at anywhere in the expression, other than by going through it? */
static bool
tests_in(const yq_node *e, const char *name, bool through)
{
	const yq_node *x = yq_unwrap(e);

	if (is_op(x, ".") && x->kid[1]->kind == YQ_KEYWORD && strcmp(x->kid[1]->text, name) == 0 &&
		yq_unwrap(x->kid[0])->kind == YQ_VAR)
		return !through;
	for (uint32_t i = 0; i < x->n; i++)
		if (tests_in(x->kid[i], name, is_op(x, ".") && i == 0))
			return true;
	return false;
}

static bool
tests_value(const ynode *y, const char *name)
{
	if (y == NULL)
		return false;
	if (y->kind == YN_SCALAR)
		return y->is_expr && y->expr && tests_in(y->expr, name, false);
	for (uint32_t i = 0; (y->kind == YN_MAP || y->kind == YN_SEQ) && i < y->n; i++)
		if (tests_value(y->item[i], name))
			return true;
	return false;
}

static bool
tests(mpl_stmt *const *v, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++) {
		const mpl_stmt *s = v[i];
		bool found = tests_value(s->a, name) || tests_value(s->b, name);
		for (uint32_t c = 0; c < s->ncases && !found; c++)
			found = tests_value(s->cases[c].key, name) ||
				tests(s->cases[c].body, s->cases[c].nbody, name);
		for (uint32_t c = 0; c < s->ncatches && !found; c++)
			found = tests(s->catches[c].body, s->catches[c].nbody, name);
		if (found || tests(s->body, s->nbody, name) || tests(s->orelse, s->norelse, name) ||
			tests(s->finally, s->nfinally, name))
			return true;
	}
	return false;
}

static bool
may_be_null(uses *u, const mpl_property *p)
{
	vc_type type;

	if (p == NULL || p->dflt || p->cls->native || p->usage > MPL_CONST || p->usage == MPL_OUT ||
		ty_any(u->t->p, p->cls->pkg->builtin ? TS_WRITTEN : TS_WRITTEN_HERE, p->name))
		return false;
	type = vc_contract_type(u->k->c, p->cls, p->contract);
	return type.kinds == (VC_K_OBJECT | VC_K_NULL);
}

/* x.first(null) and the like */
static bool
is_or_null(const yq_node *e)
{
	const yq_node *call = method_call(yq_unwrap(e));

	return call && call->n == 1 && yq_unwrap(call->kid[0])->kind == YQ_NULL &&
	       (strcmp(call->text, "first") == 0 || strcmp(call->text, "last") == 0 ||
		       strcmp(call->text, "single") == 0);
}

/* What the class lacks is told elsewhere, and functions of the library may take null. */
static bool
has_member(uses *u, const mpl_property *p, const yq_node *member)
{
	vc_type type = vc_contract_type(u->k->c, p->cls, p->contract);

	if (type.cls == NULL)
		return false;
	if (member->kind == YQ_CALL && ck_is_registry_method(u->k, member->text))
		return false;
	return ty_may_have(u->t->p, type.cls, false, member->text, member->kind == YQ_CALL);
}

static void
nullable(uses *u, const ynode *node, const yq_node *e)
{
	const mpl_property *p;

	e = yq_unwrap(e);
	if (is_op(e, ".") && (p = own_property(u, e->kid[0])) != NULL && may_be_null(u, p) &&
		!tests(u->m->body, u->m->nbody, p->name) && has_member(u, p, e->kid[1])) {
		vc_report(u->k->c, VC_W1058, span_of(node, e->kid[1]),
			"property \"%s\" may be null here, and nothing in the method tests it",
			p->name);
		vc_note(u->k->c, p->span, "its Contract takes null");
		vc_hint(u->k->c, "notNull() in the Contract, a test, or ?. instead of the dot");
	}
	if (is_op(e, ".") && is_or_null(e->kid[0]) && e->kid[1]->kind == YQ_KEYWORD)
		vc_report(u->k->c, VC_W1058, span_of(node, e->kid[1]),
			"%s(null) gives null for an empty list, which has no \"%s\"",
			method_call(yq_unwrap(e->kid[0]))->text, e->kid[1]->text);
	if (is_op(e, "->"))
		return;
	for (uint32_t i = 0; i < e->n; i++)
		if (e->kind != YQ_CALL || i == 0 || !has_call(e))
			nullable(u, node, e->kid[i]);
}

/* The same variable or path of properties. */
static bool
same_path(const yq_node *a, const yq_node *b)
{
	a = yq_unwrap(a);
	b = yq_unwrap(b);
	if (a->kind != b->kind)
		return false;
	if (a->kind == YQ_VAR || a->kind == YQ_KEYWORD)
		return a->ntext == b->ntext && memcmp(a->text, b->text, a->ntext) == 0;
	return is_op(a, ".") && is_op(b, ".") && a->n == 2 && same_path(a->kid[0], b->kid[0]) &&
	       same_path(a->kid[1], b->kid[1]);
}

/* What goes through the path: path.member. */
static const yq_node *
goes_through(const yq_node *e, const yq_node *path)
{
	const yq_node *found = NULL;

	if (is_op(e, ".") && same_path(e->kid[0], path))
		return e->kid[1];
	for (uint32_t i = 0; i < e->n && !found; i++)
		found = goes_through(e->kid[i], path);
	return found;
}

/*
 * What stands behind the statement still finds null there: it gives nothing to the path, has no
 * blocks, and calls no method that might give something to a property.
 */
static bool
stays_null(const mpl_stmt *s, const yq_node *path)
{
	const yq_node *target =
		s->kind == MS_ASSIGN && s->a && s->a->expr ? yq_unwrap(s->a->expr) : NULL;
	const ynode *value = s->kind == MS_ASSIGN ? s->b : s->a;

	if (s->kind != MS_EXPR && (target == NULL || target->kind != YQ_VAR))
		return false;
	if (target && same_path(target, path))
		return false;
	return path->kind == YQ_VAR ||
	       (value && value->kind == YN_SCALAR &&
		       !(value->is_expr && value->expr && has_call(value->expr)));
}

/* False where the look ends. */
static bool
in_null_branch(uses *u, const mpl_stmt *s, const yq_node *path)
{
	const ynode *parts[] = {s->kind == MS_ASSIGN ? NULL : s->a, s->b};
	const yq_node *at;

	for (size_t i = 0; i < VC_LEN(parts); i++) {
		if (parts[i] == NULL || parts[i]->kind != YN_SCALAR || !parts[i]->is_expr ||
			parts[i]->expr == NULL || (at = goes_through(parts[i]->expr, path)) == NULL)
			continue;
		vc_report(u->k->c, VC_W1059, span_of(parts[i], at),
			"this is reached only when that is null, which has no \"%s\"", at->text);
		return false;
	}
	return stays_null(s, path);
}

/* Does the block end by leaving, so that what follows runs only without it? */
static bool
leaves(mpl_stmt *const *v, uint32_t n)
{
	enum mpl_stmt_kind last = n ? v[n - 1]->kind : MS_ERROR;

	return last == MS_RETURN || last == MS_THROW || last == MS_RETHROW || last == MS_BREAK ||
	       last == MS_CONTINUE;
}

/* rest: the statements behind it, which run with null where the other branch leaves. */
static void
inverted(uses *u, const mpl_stmt *s, mpl_stmt *const *rest, uint32_t nrest)
{
	const yq_node *e = s->a && s->a->is_expr && s->a->expr ? yq_unwrap(s->a->expr) : NULL,
		      *path;
	bool equal = e && is_op(e, "="), go_on = true;
	mpl_stmt *const *v;
	uint32_t n;

	if (e == NULL || (!equal && !is_op(e, "!=")) || e->kind != YQ_BINARY)
		return;
	if (yq_unwrap(e->kid[1])->kind == YQ_NULL)
		path = yq_unwrap(e->kid[0]);
	else if (yq_unwrap(e->kid[0])->kind == YQ_NULL)
		path = yq_unwrap(e->kid[1]);
	else
		return;
	if (path->kind == YQ_VAR ? path->ntext == 0
				 : !is_op(path, ".") || path->kid[1]->kind != YQ_KEYWORD)
		return;
	v = equal ? s->body : s->orelse;
	n = equal ? s->nbody : s->norelse;
	for (uint32_t i = 0; i < n && go_on; i++)
		go_on = in_null_branch(u, v[i], path);
	if (n > 0 || !go_on || !leaves(equal ? s->orelse : s->body, equal ? s->norelse : s->nbody))
		return;
	for (uint32_t i = 0; i < nrest && go_on; i++)
		go_on = in_null_branch(u, rest[i], path);
}

/* ---- format() ---- */

/* The arguments that a pattern asks for by number, as bits; false: it has others, or is none. */
static bool
places_of(const char *s, size_t n, uint64_t *bits)
{
	uint64_t next = 0;

	*bits = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t place = 0;
		if (s[i] == '}' && i + 1 < n && s[i + 1] == '}')
			i++;
		if (s[i] != '{')
			continue;
		if (++i < n && s[i] == '{')
			continue;
		if (i < n && isdigit((unsigned char)s[i]))
			while (i < n && isdigit((unsigned char)s[i]) && place < 64)
				place = place * 10 + (uint64_t)(s[i++] - '0');
		else if (i < n && (s[i] == '}' || s[i] == ':' || s[i] == '!'))
			place = next++;
		else
			return false;
		if (place >= 63)
			return false;
		*bits |= 1ull << place;
		while (i < n && s[i] != '}') {
			if (s[i] == '{')
				return false;
			i++;
		}
		if (i == n)
			return false;
	}
	return true;
}

static void
format_call(uses *u, const ynode *node, const yq_node *call, const yq_node *pattern, uint32_t from)
{
	uint64_t bits;
	uint32_t given = call->n - from;

	if (pattern->kind != YQ_STRING || !places_of(pattern->text, pattern->ntext, &bits))
		return;
	for (uint32_t i = from; i < call->n; i++)
		if (call->kid[i]->kind == YQ_MAPPING || call->kid[i]->kind == YQ_EMPTY)
			return;
	for (uint32_t i = 0; i < 63; i++) {
		if ((bits >> i & 1) && i >= given) {
			vc_report(u->k->c, VC_W1041, span_of(node, pattern),
				"the pattern asks for {%u}, but only %u value%s follow%s it", i,
				given, given == 1 ? "" : "s", given == 1 ? "s" : "");
			return;
		}
		if (!(bits >> i & 1) && i < given) {
			vc_report(u->k->c, VC_W1070, span_of(node, call->kid[from + i]),
				"no place of the pattern shows this value");
			return;
		}
	}
}

/* ---- Resources ---- */

static bool
is_resources(uses *u, const ynode *node, const yq_node *e)
{
	const yq_node *x = yq_unwrap(e);
	vc_type type;

	if (x->kind != YQ_UNARY && x->kind != YQ_BINARY && x->kind != YQ_CALL)
		return false;
	if (x->kind == YQ_CALL && (strcmp(x->text, "new") != 0 || x->n != 1))
		return false;
	if (x->kind == YQ_BINARY && strcmp(x->text, ":") != 0)
		return false;
	type = type_of(u, node, x);
	return type.cls && strcmp(type.cls->name, "io.murano.system.Resources") == 0;
}

static void
resource(uses *u, const ynode *node, const yq_node *e)
{
	const yq_node *call = method_call(e), *name;
	size_t n;
	const char *path;
	const char *const *all;

	if (call == NULL || call->n == 0 || u->k->pkg->files == NULL ||
		(strcmp(call->text, "string") != 0 && strcmp(call->text, "yaml") != 0 &&
			strcmp(call->text, "json") != 0) ||
		!is_resources(u, node, e->kid[0]))
		return;
	name = yq_unwrap(call->kid[0]);
	if (name->kind != YQ_STRING && name->kind != YQ_KEYWORD)
		return;
	path = vc_format(u->k->c, "Resources/%.*s", (int)name->ntext, name->text);
	all = vc_files_list(u->k->c, u->k->pkg->files, "Resources", &n);
	const char **names = vc_alloc(u->k->c, (n + 1) * sizeof *names);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(all[i], path) == 0)
			return;
		names[i] = all[i];
	}
	vc_report(u->k->c, VC_W1071, span_of(node, name), "the package has no file \"%s\"", path);
	if ((path = vt_nearest(path, names, n)) != NULL)
		vc_did_you_mean(u->k->c, "\"%s\"", path + strlen("Resources/"));
}

/* ---- expressions of all kinds ---- */

static void
switch_call(uses *u, const ynode *node, const yq_node *call, const yq_node *parent)
{
	const yq_node *last = call->n ? call->kid[call->n - 1] : NULL, *key;

	if (last == NULL || (parent && (is_op(parent, "=") || is_op(parent, "!="))))
		return;
	for (uint32_t i = 0; i < call->n; i++)
		if (call->kid[i]->kind != YQ_MAPPING)
			return;
	if (parent && parent->kind == YQ_CALL && strcmp(parent->text, "coalesce") == 0)
		return;
	key = yq_unwrap(last->kid[0]);
	if (key->kind == YQ_TRUE || (key->kind != YQ_BINARY && key->kind != YQ_UNARY))
		return;
	vc_report(u->k->c, VC_W1062, name_of(node, call),
		"where none of its conditions holds, switch() gives null");
	vc_hint(u->k->c, "a last case true => ... takes what is left");
}

static void
each(uses *u, const ynode *node, const yq_node *e, const yq_node *parent)
{
	if (e->kind == YQ_CALL && e->n && strcmp(e->text, "format") == 0 &&
		!(parent && is_op(parent, ".")))
		format_call(u, node, e, yq_unwrap(e->kid[0]), 1);
	if (method_call(e) && strcmp(e->kid[1]->text, "format") == 0)
		format_call(u, node, e->kid[1], yq_unwrap(e->kid[0]), 0);
	if (e->kind == YQ_CALL && strcmp(e->text, "switch") == 0 && !(parent && is_op(parent, ".")))
		switch_call(u, node, e, parent);
	resource(u, node, e);
	without_body(u, node, e);
	ck_site(u->k, u->t, node, e);
	for (uint32_t i = 0; i < e->n; i++)
		each(u, node, e->kid[i], e);
}

static void
values(uses *u, const ynode *y)
{
	if (y == NULL)
		return;
	if (y->kind == YN_SCALAR && y->is_expr && y->expr) {
		each(u, y, y->expr, NULL);
		nullable(u, y, y->expr);
	}
	for (uint32_t i = 0; (y->kind == YN_MAP || y->kind == YN_SEQ) && i < y->n; i++) {
		if (y->kind == YN_MAP)
			values(u, y->key[i]);
		values(u, y->item[i]);
	}
}

static void statements(uses *, mpl_stmt *const *, uint32_t);

static void
statement(uses *u, const mpl_stmt *s, mpl_stmt *const *rest, uint32_t nrest)
{
	const ynode *a = s->a && s->a->is_expr && s->a->expr ? s->a : NULL,
		    *b = s->b && s->b->is_expr && s->b->expr ? s->b : NULL;

	if (s->kind == MS_EXPR && a)
		lost(u, a, a->expr);
	if (a && s->kind != MS_ASSIGN)
		nothing(u, a, a->expr, s->kind == MS_EXPR || s->kind == MS_RETURN ? UNUSED : TAKEN);
	if (b)
		nothing(u, b, b->expr, TAKEN);
	if (s->kind == MS_IF)
		inverted(u, s, rest, nrest);
	if (s->kind != MS_ASSIGN)
		values(u, s->a);
	values(u, s->b);
	values(u, s->d);
	for (uint32_t i = 0; i < s->ncases; i++)
		statements(u, s->cases[i].body, s->cases[i].nbody);
	statements(u, s->body, s->nbody);
	for (uint32_t i = 0; i < s->ncatches; i++)
		statements(u, s->catches[i].body, s->catches[i].nbody);
	statements(u, s->orelse, s->norelse);
	statements(u, s->finally, s->nfinally);
}

static void
statements(uses *u, mpl_stmt *const *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		statement(u, v[i], v + i + 1, n - i - 1);
}

void
ck_uses(ck *k, const mpl_method *m, vc_typing *t)
{
	uses u = {k, m, t};

	k->lambda = false;
	statements(&u, m->body, m->nbody);
}

/* ---- names of a class ---- */

/* How often the file says the name behind a dot. */
static uint32_t
mentions(const mpl_class *cls, const char *name)
{
	uint32_t n = 0;
	size_t length = strlen(name);

	for (const char *p = cls->src ? cls->src->text : NULL; p && (p = strstr(p, name));
		p += length)
		n += p > cls->src->text && p[-1] == '.';
	return n;
}

/* Told at the one that is used less; of an ancestor's, at the class's own. */
static void
twin(ck *k, const char *name, vc_span span, const char *other, vc_span at, bool own)
{
	bool swap;

	if (strcasecmp(name, other) != 0 || strcmp(name, other) == 0)
		return;
	swap = own && mentions(k->cls, other) < mentions(k->cls, name);
	vc_report(k->c, VC_W1063, swap ? at : span, "\"%s\" differs from \"%s\" by case only",
		swap ? other : name, swap ? name : other);
	if (at.src)
		vc_note(k->c, swap ? span : at, "the other one");
}

typedef struct member {
	const char *name;
	vc_span span;
	uint32_t i;
} member;

typedef struct members {
	member *v;
	uint32_t n;
} members;

static members
methods_of(ck *k, const mpl_class *cls)
{
	members all = {vc_alloc(k->c, (cls->nmethods + 1) * sizeof *all.v), cls->nmethods};

	for (uint32_t i = 0; i < all.n; i++)
		all.v[i] = (member){cls->methods[i]->name, cls->methods[i]->span, i};
	return all;
}

static members
props_of(ck *k, const mpl_class *cls)
{
	members all = {vc_alloc(k->c, (cls->nprops + 1) * sizeof *all.v), cls->nprops};

	for (uint32_t i = 0; i < all.n; i++)
		all.v[i] = (member){cls->props[i]->name, cls->props[i]->span, i};
	return all;
}

static int
by_letters(const void *a, const void *b)
{
	const member *x = a, *y = b;
	int order = strcasecmp(x->name, y->name);

	return order ? order : (x->i > y->i) - (x->i < y->i);
}

/* The first of the sorted members that does not stand before the name. */
static uint32_t
first_like(const members *sorted, const char *name)
{
	uint32_t from = 0, to = sorted->n;

	while (from < to) {
		uint32_t at = from + (to - from) / 2;
		if (strcasecmp(sorted->v[at].name, name) < 0)
			from = at + 1;
		else
			to = at;
	}
	return from;
}

/* Each of the class's beside those of `up` with the same letters; of its own, each pair once. */
static void
twins_among(ck *k, members own, members up, bool same)
{
	qsort(up.v, up.n, sizeof *up.v, by_letters);
	for (uint32_t i = 0; i < own.n; i++) {
		const member *m = &own.v[i];
		for (uint32_t j = first_like(&up, m->name);
			j < up.n && strcasecmp(up.v[j].name, m->name) == 0; j++)
			if (!same || up.v[j].i < i)
				twin(k, m->name, m->span, up.v[j].name, up.v[j].span, same);
	}
}

/* Members of the class and, behind it, of its ancestors. */
static void
twins(ck *k)
{
	for (uint32_t l = 0; l < k->nline && l < 50; l++) {
		twins_among(k, methods_of(k, k->cls), methods_of(k, k->line[l]), l == 0);
		twins_among(k, props_of(k, k->cls), props_of(k, k->line[l]), l == 0);
	}
}

/* How often `prefix:` stands in the file; the first is its declaration, at *at. */
static uint32_t
prefix_uses(const vc_source *src, const char *prefix, uint32_t *at)
{
	size_t n = strlen(prefix);
	uint32_t found = 0;

	for (const char *p = src->text;
		(p = memmem(p, (size_t)(src->text + src->n - p), prefix, n)); p += n) {
		bool whole = (p == src->text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_')) &&
			     p[n] == ':';
		if (whole && found++ == 0)
			*at = (uint32_t)(p - src->text);
	}
	return found;
}

static void
prefixes(ck *k)
{
	vc_source *src = k->cls->src;

	for (uint32_t i = 0; src && src->text && i < k->cls->nprefixes; i++) {
		const char *prefix = k->cls->prefixes[i].prefix;
		uint32_t at = 0;
		if (strcmp(prefix, "=") == 0 || prefix[0] == '\0' ||
			prefix_uses(src, prefix, &at) != 1)
			continue;
		vc_report(k->c, VC_W1064, (vc_span){src, at, at + (uint32_t)strlen(prefix)},
			"nothing uses the prefix \"%s\"", prefix);
	}
}

void
ck_class_names(ck *k, bool first_of_file)
{
	twins(k);
	if (first_of_file)
		prefixes(k);
}
