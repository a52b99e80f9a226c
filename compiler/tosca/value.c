/*
 * value.c - values, constraints and filters to expressions.
 *
 * A function call is a map with one key.  Before 2.0 the key is the name of a function; there is no
 * way to write such a map as a value.  From 2.0 on the key starts with $, and $$ is a literal $.  A
 * call's argument is a list of arguments, or one argument that is no list.
 *
 * Constraints of 1.x, `greater_than: 5`, become calls with $value in front: greater_than($value,
 * 5); the operand is one argument also where it is a list.
 */
#include "compiler/tosca/front.h"
#include "runtime/core/printable.h"

#include <string.h>

typedef struct tx {
	tosca_unit *u;
	unsigned what;
} tx;
static uint32_t node(const tx *, const ynode *);

/* ---- rows ---- */

static vt_texpr
row_at(const tx *x, const ynode *y, enum vt_tx_kind kind)
{
	/* what a Cloudify file brings is read as a part of the file that imports it */
	bool own = y->span.src == x->u->src || !y->span.src;
	return (vt_texpr){.kind = (uint8_t)kind,
		.constant = true,
		.file = (uint16_t)(own ? x->u->index : tm_place(x->u->t, y->span).file),
		.at = y->span.from};
}

static uint32_t
add(const tx *x, vt_texpr e)
{
	return tm_add_expr(x->u->t->m, e);
}

/* A row over others; fn is for calls. */
static uint32_t
add_over(const tx *x, vt_texpr e, const uint32_t *kid, uint32_t nkids, uint32_t n, uint32_t fn)
{
	tm *m = x->u->t->m;
	for (uint32_t i = 0; i < nkids; i++)
		e.constant &= ((vt_texpr *)tm_at(m, TM_expr, kid[i]))->constant;
	if (e.kind == VT_TX_CALL)
		e.constant = false;
	e.n = n;
	e.u.k.at = tm_indexes(m, kid, nkids).first;
	e.u.k.fn = fn;
	return add(x, e);
}

static uint32_t
add_text(const tx *x, const ynode *y, const char *s, size_t n)
{
	vt_texpr e = row_at(x, y, VT_TX_STR);
	e.u.str = tm_strn(x->u->t->m, s, n);
	return add(x, e);
}

static uint32_t
scalar(const tx *x, const ynode *y)
{
	vt_texpr e = row_at(x, y, VT_TX_NULL);
	bool keeps = !(x->u->version & (VT_TV_2_0 | VT_TV_HOT)) && y->text;
	if (keeps && (y->type == YT_BOOL || y->type == YT_FLOAT || (y->type == YT_INT && y->fits)))
		e.n = tm_strn(x->u->t->m, y->text, y->ntext);
	switch ((enum yn_type)y->type) {
	case YT_NULL: break;
	case YT_BOOL:
		/* 2.0 knows true and false only */
		if (x->u->version & VT_TV_2_0 && y->ntext &&
			strcmp(y->text, y->i ? "true" : "false") != 0)
			return add_text(x, y, y->text, y->ntext);
		e.kind = VT_TX_BOOL, e.u.i = y->i;
		break;
	case YT_INT:
		e.kind = y->fits ? VT_TX_INT : VT_TX_BIG;
		if (y->fits)
			e.u.i = y->i;
		else
			e.u.str = tm_str(x->u->t->m, y->digits);
		break;
	case YT_FLOAT: e.kind = VT_TX_FLOAT, e.u.f = y->f; break;
	case YT_STR:
	case YT_DATE:
	case YT_DATETIME:
	case YT_BINARY: return add_text(x, y, y->text, y->ntext);
	}
	return add(x, e);
}

/* ---- calls ---- */

/* Arguments as they are written; the number of them in *n. */
static uint32_t *
arguments(const tx *x, const ynode *y, uint32_t *n)
{
	uint32_t *arg = NULL;
	*n = 0;
	if (y->kind != YN_SEQ) {
		vc_push(x->u->t->c, arg, *n) = node(x, y);
		return arg;
	}
	for (uint32_t i = 0; i < y->n; i++)
		vc_push(x->u->t->c, arg, *n) = node(x, y->item[i]);
	return arg;
}

static void
check_arity(const tx *x, const ynode *key, const vt_tfunc_row *f, uint32_t n)
{
	if ((int)n >= f->min && (f->max < 0 || (int)n <= f->max))
		return;
	char want[64];
	if (f->max < 0)
		snprintf(want, sizeof want, "at least %d", f->min);
	else if (f->max == f->min)
		snprintf(want, sizeof want, "%d", f->min);
	else
		snprintf(want, sizeof want, "%d to %d", f->min, f->max);
	vc_report(x->u->t->c, VC_E2070, key->span, "'%s' takes %s argument%s, not %u", f->name,
		want, f->max == 1 ? "" : "s", n);
}

static bool
wants_list(const char *function)
{
	return !strcmp(function, "concat") || !strcmp(function, "join") ||
	       !strcmp(function, "token");
}

/* There is something to be checked in validations only. */
static void
check_value(const tx *x, const ynode *at, uint32_t fn)
{
	if (!(fn & VT_TX_CUSTOM) && !strcmp(vt_tfuncs[fn].name, "value") && !(x->what & TX_VALUE))
		vc_report(x->u->t->c, VC_E2070, at->span,
			"$value is what a validation is asked of, and this is none");
}

static uint32_t
call(const tx *x, const ynode *at, const ynode *key, const ynode *args, uint32_t fn)
{
	uint32_t n, *arg = arguments(x, args, &n);
	check_value(x, key, fn);
	if (!(fn & VT_TX_CUSTOM) && args->kind == YN_SCALAR && wants_list(vt_tfuncs[fn].name))
		vc_report(x->u->t->c, VC_E2070, key->span, "%s takes a list", key->text);
	else if (!(fn & VT_TX_CUSTOM))
		check_arity(x, key, &vt_tfuncs[fn], n);
	return add_over(x, row_at(x, at, VT_TX_CALL), arg, n, n, fn);
}

/* get_file of a path as it stands here: the text. */
static uint32_t
file(const tx *x, const ynode *at, const ynode *name)
{
	size_t n = 0;
	const char *text = tosca_file_text(x->u, name, &n);
	return text ? add_text(x, at, text, n) : add(x, row_at(x, at, VT_TX_NONE));
}

static uint32_t
custom_row(const tx *x, const char *name)
{
	te *e = tn_find(x->u, TN_FUNCTION, name);
	return e ? VT_TX_CUSTOM | tosca_function_row(x->u->t, e) : 0;
}

/* Puccini lets metadata bring functions and constraints in JavaScript, which nothing here runs:
 * what they make is unknown. */
static bool
is_scriptlet(const tx *x, const ynode *key, const char *kind)
{
	vc *c = x->u->t->c;
	const te *files[2] = {x->u->file, x->u->t->root ? x->u->t->root->file : NULL};
	for (int i = 0; i < 2; i++) {
		const ynode *m = te_y(files[i], "metadata");
		if (!m || (!yn_get(m, vc_format(c, "puccini.scriptlet:tosca.%s.%s", kind,
					      key->text)) &&
				  !yn_get(m, vc_format(c, "puccini.scriptlet.import:tosca.%s.%s",
						     kind, key->text))))
			continue;
		vc_report(c, VC_W2010, key->span,
			"the %s '%s' is a script in JavaScript, which vetro does not run", kind,
			key->text);
		return true;
	}
	return false;
}

static void
unknown_function(const tx *x, const ynode *key)
{
	const char **names = NULL;
	size_t n = 0;
	vc *c = x->u->t->c;
	if (x->u->incomplete)
		return;
	vc_report(c, VC_E2071, key->span, "there is no function '%s'", key->text);
	for (const vt_tfunc_row *f = vt_tfuncs + 1; f->name; f++)
		if (f->versions & x->u->version)
			vc_push(c, names, n) = f->name;
	const char *near = vt_nearest(key->text + 1, names, n);
	if (near)
		vc_did_you_mean(c, "'$%s'", near);
	else if (vt_tfunc_find(key->text + 1, x->u->version | VT_TV_2_0_OLD, false))
		vc_hint(c, "it is one of the operators that imports: [ { profile: "
			   "org.oasis-open.simple:2.0 } ] brings");
	else
		vc_hint(c, "a literal key that starts with $ is written with two: $%s", key->text);
}

/* The Simple profile for 2.0 still has operators that 2.0 dropped, and so has who imports it:
 * docs/differences.md. */
static uint32_t
versions(const tosca_unit *u)
{
	bool old = u->embedded;
	for (uint32_t i = 0; i < u->nimports && !old; i++)
		old = u->imports[i].unit && u->imports[i].unit->embedded && !u->imports[i].implicit;
	return u->version | (old ? VT_TV_2_0_OLD : 0);
}

/* A function of 2.0, or 0. */
static uint32_t
function_named(const tx *x, const char *name)
{
	uint32_t fn = vt_tfunc_find(name, versions(x->u), false);
	return fn ? fn : custom_row(x, name);
}

/* The function that a map with one key calls; 0: it is a plain map. */
static uint32_t
callee(const tx *x, const ynode *y)
{
	const char *key = y->n == 1 ? te_text(y->key[0]) : NULL;
	if (!key || y->literal || x->what & TX_LITERAL)
		return 0;
	if (!(x->u->version & VT_TV_2_0)) {
		uint32_t fn = vt_tfunc_find(key, x->u->version, false);
		return fn || !is_scriptlet(x, y->key[0], "function") ? fn : UINT32_MAX;
	}
	if (key[0] != '$' || key[1] == '$')
		return 0;
	uint32_t fn = function_named(x, key + 1);
	if (!fn)
		unknown_function(x, y->key[0]);
	return fn ? fn : UINT32_MAX;
}

bool
tx_knows_functions(tosca_unit *u, const ynode *y)
{
	tx x = {.u = u};
	const char *key = y->kind == YN_MAP && y->n == 1 ? te_text(y->key[0]) : NULL;
	bool known = !key || key[0] != '$' || key[1] == '$' || function_named(&x, key + 1);
	for (uint32_t i = 0; known && (y->kind == YN_MAP || y->kind == YN_SEQ) && i < y->n; i++)
		known = tx_knows_functions(u, y->item[i]);
	return known;
}

/* ---- collections ---- */

static uint32_t
map_key(const tx *x, const ynode *key)
{
	const char *s = te_text(key);
	if (s && x->u->version & VT_TV_2_0 && s[0] == '$' && s[1] == '$')
		return add_text(x, key, s + 1, key->ntext - 1);
	return node(x, key);
}

/* In 1.x: a function that a later version of the standard has. */
static bool
is_of_later(const tx *x, const ynode *key)
{
	uint32_t all = VT_TV_1_0 | VT_TV_1_1 | VT_TV_1_2 | VT_TV_1_3;
	if (!(x->u->version & all) || x->u->version & VT_TV_CLOUDIFY ||
		!vt_tfunc_find(key->text, all, false))
		return false;
	vc_report(x->u->t->c, VC_W2033, key->span,
		"'%s' is a function of later versions of TOSCA, and the map stays a map",
		key->text);
	return true;
}

/* concat, join, token: such names may stand in any JSON, so a call has to be inside. */
static const char *
near_short(const tx *x, const ynode *y, const char *key)
{
	static const char *const names[] = {"concat", "join", "token"};
	bool old = !(x->u->version & VT_TV_2_0), inside = false;
	const ynode *list = y->item[0];
	if (!old || strchr(key, '_') || list->kind != YN_SEQ)
		return NULL;
	for (uint32_t i = 0; i < list->n; i++)
		inside |= list->item[i]->kind == YN_MAP && list->item[i]->n == 1 &&
			  te_text(list->item[i]->key[0]) &&
			  vt_tfunc_find(list->item[i]->key[0]->text, x->u->version, false);
	return inside ? vt_nearest(key, names, VC_LEN(names)) : NULL;
}

/* A map with one key that is nearly a call stays a map; who wrote it meant something else. */
static void
looks_like_call(const tx *x, const ynode *y)
{
	const char *key = y->n == 1 ? te_text(y->key[0]) : NULL, *names[80];
	bool old = !(x->u->version & VT_TV_2_0);
	size_t n = 0;
	if (!key || y->literal || x->what & TX_LITERAL || x->u->embedded ||
		x->u->version & VT_TV_HOT || is_of_later(x, y->key[0]))
		return;
	const char *near = near_short(x, y, key);
	if (!near && !strchr(key, '_'))
		return;
	for (const vt_tfunc_row *f = vt_tfuncs + 1; f->name && n < VC_LEN(names); f++)
		if (f->versions & x->u->version && strchr(f->name, '_'))
			names[n++] = f->name;
	bool dollar = key[0] == '$' && key[1] != '$';
	near = near ? near : vt_nearest(key + dollar, names, n);
	/* get_attr of Heat */
	for (size_t i = 0; !near && strlen(key) > 6 && i < n; i++)
		if (strncmp(names[i], key + dollar, strlen(key + dollar)) == 0)
			near = names[i];
	if (dollar && old && vt_tfunc_find(key + 1, x->u->version, false))
		near = key + 1;
	if (!dollar && !old && vt_tfunc_find(key, x->u->version, false))
		near = key;
	if (!near || (!old && dollar))
		return;
	vc_push(x->u->t->c, x->u->t->bare, x->u->t->nbare) = y;
	vc_push(x->u->t->c, x->u->t->meant, x->u->t->nmeant) =
		vc_format(x->u->t->c, "%s%s", old ? "" : "$", near);
}

/* "{ get_input: x }" in quotes is a text; who wrote it meant the call.  Names of one word may stand
 * in any JSON. */
static void
reads_like_call(const tx *x, const ynode *y, const char *s)
{
	size_t n;
	const char *name = yn_called_in_text(s, &n);
	if (!name || x->what & TX_LITERAL || x->u->embedded || x->u->version & VT_TV_HOT)
		return;
	name = vc_strndup(x->u->t->c, name, n);
	if (!strchr(name, '_') && strcmp(name, "concat") != 0)
		return;
	if (!vt_tfunc_find(name, x->u->version, false))
		return;
	vc_report(x->u->t->c, VC_W2046, y->span,
		"the text reads like a call of '%s', and stays a text", name);
	vc_hint(x->u->t->c, "without the quotes it is one: { %s%s: ... }",
		x->u->version & VT_TV_2_0 ? "$" : "", name);
}

/* $concat, and not "$5 or so". */
static bool
is_function_name(const char *s)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	return s && s[0] == '$' && s[1] && strchr(letters, s[1]) &&
	       s[1 + strspn(s + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_:.-")] == 0;
}

/* A call is a map of one key. */
static bool
is_malformed_call(const tx *x, const ynode *y, const ynode *key)
{
	if (y->n < 2 || y->literal || x->what & TX_LITERAL || !(x->u->version & VT_TV_2_0) ||
		!te_text(key) || !is_function_name(key->text))
		return false;
	vc_report(x->u->t->c, VC_E2005, key->span,
		"'%s' calls a function, and a call has no other key beside it", key->text);
	vc_hint(x->u->t->c, "'$%s' is a key that begins with a dollar", key->text);
	return true;
}

static uint32_t
map(const tx *x, const ynode *y)
{
	uint32_t fn = callee(x, y), *kid = NULL, n = 0;
	if (!fn)
		looks_like_call(x, y);
	if (fn == UINT32_MAX)
		return add(x, row_at(x, y, VT_TX_NONE)); /* reported: unknown */
	if (fn && !(fn & VT_TX_CUSTOM) && te_text(y->item[0]) &&
		!strcmp(vt_tfuncs[fn].name, "get_file"))
		return file(x, y, y->item[0]);
	if (fn)
		return call(x, y, y->key[0], y->item[0], fn);
	for (uint32_t i = 0; i < y->n; i++) {
		if (is_malformed_call(x, y, y->key[i]))
			return add(x, row_at(x, y, VT_TX_NONE));
		vc_push(x->u->t->c, kid, n) = map_key(x, y->key[i]);
		vc_push(x->u->t->c, kid, n) = node(x, y->item[i]);
	}
	return add_over(x, row_at(x, y, VT_TX_MAP), kid, n, y->n, 0);
}

static uint32_t
list(const tx *x, const ynode *y)
{
	uint32_t *kid = NULL, n = 0;
	for (uint32_t i = 0; i < y->n; i++)
		vc_push(x->u->t->c, kid, n) = node(x, y->item[i]);
	return add_over(x, row_at(x, y, VT_TX_LIST), kid, n, n, 0);
}

/* $value and the like are calls that need no map. */
static uint32_t
bare_call(const tx *x, const ynode *y)
{
	const char *s = te_text(y);
	if (!s || s[0] != '$' || !(x->u->version & VT_TV_2_0) || x->what & TX_LITERAL)
		return 0;
	if (!is_function_name(s))
		return 0;
	uint32_t fn = function_named(x, s + 1);
	if (!fn) {
		unknown_function(x, y);
		vc_hint(x->u->t->c, "'$%s' is a text that begins with a dollar", s);
		return add(x, row_at(x, y, VT_TX_NONE));
	}
	check_value(x, y, fn);
	if (!(fn & VT_TX_CUSTOM))
		check_arity(x, y, &vt_tfuncs[fn], 0);
	return add_over(x, row_at(x, y, VT_TX_CALL), NULL, 0, 0, fn);
}

static uint32_t
node(const tx *x, const ynode *y)
{
	switch ((enum yn_kind)y->kind) {
	case YN_SEQ: return list(x, y);
	case YN_MAP: return map(x, y);
	case YN_SCALAR: {
		const char *s = te_text(y);
		if (s && s[0] == '$' && s[1] == '$' && x->u->version & VT_TV_2_0 &&
			!(x->what & TX_LITERAL))
			return add_text(x, y, s + 1, y->ntext - 1);
		uint32_t fn = bare_call(x, y);
		if (s && !fn)
			reads_like_call(x, y, s);
		return fn ? fn : scalar(x, y);
	}
	case YN_ERROR: break;
	}
	return add(x, row_at(x, y, VT_TX_NONE));
}

uint32_t
tx_value(tosca_unit *u, const ynode *y, unsigned what)
{
	tx x = {u, what};
	return node(&x, y);
}

uint32_t
tx_product(tosca_unit *u, ynode *const *y, uint32_t n)
{
	tx x = {u, 0};
	uint32_t *arg = vc_alloc(u->t->c, (n + 1) * sizeof *arg);
	for (uint32_t i = 0; i < n; i++)
		arg[i] = node(&x, y[i]);
	return n < 2 ? arg[0]
		     : add_over(&x, row_at(&x, y[0], VT_TX_CALL), arg, n, n,
			       vt_tfunc_find("product", VT_TV_2_0, false));
}

/* mapping: [ node, attribute... ] reads as { $get_attribute: [ node, attribute... ] }. */
uint32_t
tx_mapping(tosca_unit *u, const ynode *y)
{
	tx x = {u, 0};
	uint32_t n, *arg = arguments(&x, y, &n);
	return add_over(&x, row_at(&x, y, VT_TX_CALL), arg, n, n,
		vt_tfunc_find("get_attribute", u->version, false));
}

/* ---- constraints ---- */

static uint32_t
value_call(const tx *x, const ynode *at)
{
	return add_over(
		x, row_at(x, at, VT_TX_CALL), NULL, 0, 0, vt_tfunc_find("value", VT_TV_2_0, false));
}

static void
bad_clause(const tx *x, const ynode *y, const char *op)
{
	const char *names[64];
	size_t n = 0;
	vc *c = x->u->t->c;
	for (const vt_tfunc_row *f = vt_tfuncs + 1; f->name && n < VC_LEN(names); f++)
		if (f->clause & x->u->version)
			names[n++] = f->name;
	if (!op) {
		vc_report(c, VC_E2042, y->span,
			"a constraint is a map with one key: the name of the operator");
		return;
	}
	vc_report(c, VC_E2042, y->span, "there is no constraint '%s'", op);
	const char *near = vt_nearest(op, names, n);
	if (near)
		vc_did_you_mean(c, "'%s'", near);
}

/* The operators of conditions before 2.0, which are asked when somebody reports an event: clauses
 * below and, or, not and assert; { attribute: [ { operator: operand } ] }. */
void
tx_check_condition(tosca_unit *u, const ynode *y)
{
	static const char *const words[] = {"and", "or", "not", "assert", "constraint"};
	tx x = {u, 0};
	for (uint32_t i = 0; y->kind == YN_SEQ && i < y->n; i++)
		tx_check_condition(u, y->item[i]);
	for (uint32_t i = 0; y->kind == YN_MAP && i < y->n; i++) {
		const char *key = te_text(y->key[i]);
		const ynode *list = y->item[i];
		bool inner = false;
		for (size_t k = 0; key && k < VC_LEN(words); k++)
			inner |= !strcmp(words[k], key);
		if (inner)
			tx_check_condition(u, list);
		for (uint32_t k = 0; !inner && list->kind == YN_SEQ && k < list->n; k++) {
			const ynode *c = list->item[k];
			const char *op = c->kind == YN_MAP && c->n == 1 ? te_text(c->key[0]) : NULL;
			if (op && !vt_tfunc_find(op, u->version, true))
				bad_clause(&x, c, op);
		}
	}
}

static bool
is_count(const ynode *y)
{
	return y->kind == YN_SCALAR && y->type == YT_INT && (!y->fits || y->i >= 0);
}

/* What is wrong with an operand that can be seen as it is written; NULL: nothing. */
static const char *
bad_operand(const char *op, const ynode *y)
{
	bool text = te_text(y) != NULL;
	if (y->kind == YN_MAP || y->kind == YN_ERROR)
		return NULL; /* a call, or it was reported */
	if (!strcmp(op, "valid_values"))
		return y->kind == YN_SEQ ? NULL : "takes a list of values";
	if (!strcmp(op, "min_length") || !strcmp(op, "max_length") || !strcmp(op, "length"))
		return is_count(y) ? NULL : "takes an integer from 0 on";
	if (!strcmp(op, "pattern"))
		return text ? NULL : "takes a regular expression, which is a string";
	if (strcmp(op, "in_range") != 0)
		return NULL;
	if (y->kind != YN_SEQ || y->n != 2)
		return "takes the bounds as a list of two";
	const ynode *lo = y->item[0], *hi = y->item[1];
	if (lo->kind == YN_SCALAR && hi->kind == YN_SCALAR && lo->type == YT_INT &&
		hi->type == YT_INT && lo->fits && hi->fits && hi->i < lo->i)
		return "has an upper bound below the lower one";
	return NULL;
}

/* operator: operand, over the expression `subject`. */
static uint32_t
old_clause(const tx *x, const ynode *y, uint32_t (*subject)(const tx *, const void *),
	const void *data)
{
	const char *op = y->kind == YN_MAP && y->n == 1 ? te_text(y->key[0]) : NULL;
	uint32_t fn = op ? vt_tfunc_find(op, x->u->version, true) : 0;
	if (!fn) {
		if (!op || !is_scriptlet(x, y->key[0], "constraint"))
			bad_clause(x, y, op);
		return 0;
	}
	const char *why = bad_operand(op, y->item[0]);
	if (why) {
		vc_report(x->u->t->c, VC_E2042, y->item[0]->span, "the constraint %s %.*s", op,
			VT_WHOLE(why));
		return 0;
	}
	uint32_t kid[2] = {subject(x, data), node(x, y->item[0])};
	return add_over(x, row_at(x, y, VT_TX_CALL), kid, 2, 2, fn);
}

static uint32_t
the_value(const tx *x, const void *at)
{
	return value_call(x, at);
}

uint32_t
tx_clause(tosca_unit *u, const ynode *y)
{
	tx x = {u, TX_VALUE};
	if (!(u->version & VT_TV_2_0))
		return old_clause(&x, y, the_value, y);
	const char *op = y->kind == YN_MAP && y->n == 1 ? te_text(y->key[0]) : NULL;
	if (!op || op[0] != '$') {
		vc_report(u->t->c, VC_E2042, y->span,
			"a validation is a call of a boolean function over $value");
		vc_hint(u->t->c,
			op ? "{ $%s: [ $value, ... ] }"
			   : "for example { $greater_than: [ $value, 0 ] }",
			op);
		return 0;
	}
	return node(&x, y);
}

/* ---- node filters ---- */

/* get_property: [ SELF, CAPABILITY capability, name ] */
typedef struct subject {
	const ynode *at, *capability, *name;
} subject;

static uint32_t
property_of_self(const tx *x, const void *data)
{
	const subject *s = data;
	uint32_t kid[4], n = 0;
	kid[n++] = add_text(x, s->at, "SELF", 4);
	if (s->capability) {
		if (x->u->version & VT_TV_2_0)
			kid[n++] = add_text(x, s->at, "CAPABILITY", 10);
		kid[n++] = add_text(x, s->capability, s->capability->text, s->capability->ntext);
	}
	kid[n++] = add_text(x, s->name, s->name->text, s->name->ntext);
	return add_over(x, row_at(x, s->at, VT_TX_CALL), kid, n, n,
		vt_tfunc_find("get_property", x->u->version, false));
}

typedef struct conjunction {
	uint32_t *e, n;
} conjunction;

static void
conjoin(const tx *x, conjunction *all, uint32_t e)
{
	if (e)
		vc_push(x->u->t->c, all->e, all->n) = e;
}

/* name: one constraint or a list of them; a value that is none must be equal. */
static void
property_filter(
	const tx *x, const ynode *capability, const ynode *key, const ynode *y, conjunction *all)
{
	if (!te_text(key)) {
		vc_report(x->u->t->c, VC_E2004, key->span, "a property's name must be a string");
		return;
	}
	for (uint32_t i = 0; i < (y->kind == YN_SEQ ? y->n : 1); i++) {
		const ynode *clause = y->kind == YN_SEQ ? y->item[i] : y;
		subject s = {clause, capability, key};
		if (x->u->version & VT_TV_2_0 && clause->kind == YN_MAP && clause->n == 1 &&
			te_text(clause->key[0]) && clause->key[0]->text[0] == '$') {
			conjoin(x, all, node(x, clause));
			continue;
		}
		conjoin(x, all, old_clause(x, clause, property_of_self, &s));
	}
}

/* A list of maps with one key, or a map. */
static void
each_pair(const tx *x, const ynode *y, const ynode *capability, conjunction *all,
	void (*visit)(const tx *, const ynode *, const ynode *, const ynode *, conjunction *))
{
	if (y->kind == YN_MAP) {
		for (uint32_t i = 0; i < y->n; i++)
			visit(x, capability, y->key[i], y->item[i], all);
		return;
	}
	if (y->kind != YN_SEQ) {
		vc_report(x->u->t->c, VC_E2004, y->span,
			"a filter is a list of maps with one key each");
		return;
	}
	for (uint32_t i = 0; i < y->n; i++)
		if (y->item[i]->kind == YN_MAP && y->item[i]->n == 1)
			visit(x, capability, y->item[i]->key[0], y->item[i]->item[0], all);
		else
			vc_report(x->u->t->c, VC_E2006, y->item[i]->span,
				"each item of a filter must be a map with one key: the name");
}

static void
capability_filter(
	const tx *x, const ynode *none, const ynode *key, const ynode *y, conjunction *all)
{
	(void)none;
	for (uint32_t i = 0; y->kind == YN_MAP && i < y->n; i++) {
		if (!te_text(y->key[i]) || strcmp(y->key[i]->text, "properties") != 0)
			vc_report(x->u->t->c, VC_E2002, y->key[i]->span,
				"the filter of a capability has the keyname 'properties' only");
		else
			each_pair(x, y->item[i], key, all, property_filter);
	}
	if (y->kind != YN_MAP)
		vc_report(x->u->t->c, VC_E2004, y->span,
			"the filter of a capability must be a map with 'properties'");
}

uint32_t
tx_all(tosca_unit *u, const ynode *at, const uint32_t *e, uint32_t n)
{
	tx x = {u, 0};
	if (n < 2)
		return n ? e[0] : 0;
	return add_over(
		&x, row_at(&x, at, VT_TX_CALL), e, n, n, vt_tfunc_find("and", VT_TV_2_0, false));
}

uint32_t
tx_filter(tosca_unit *u, te *e)
{
	tx x = {u, 0};
	conjunction all = {0};
	if (e->y->kind == YN_MAP && e->y->n == 1 && te_text(e->y->key[0]) &&
		e->y->key[0]->text[0] == '$')
		return node(&x, e->y);
	for (uint32_t i = 0; i < e->n; i++)
		if (e->field[i].row->flags & TK_REST) {
			vc_report(u->t->c, VC_E2042, e->field[i].key->span,
				"a node filter is a call of one boolean function");
			return 0;
		}
	if (te_y(e, "properties"))
		each_pair(&x, te_y(e, "properties"), NULL, &all, property_filter);
	if (te_y(e, "capabilities"))
		each_pair(&x, te_y(e, "capabilities"), NULL, &all, capability_filter);
	return tx_all(u, e->y, all.e, all.n);
}
