/*
 * resolve.c - which overload a call means: yaql.md 3.1.
 *
 * Candidates stand in levels, innermost first: what def() made, the methods of the receiver's class
 * and the Extension methods that class imports, the same of the calling class, functions of the
 * host, and the registry's rows layer by layer.  A call goes through two stages, as the reference
 * has them:
 *
 *   1. every candidate of every level is bound by position and keyword and checked against what can
 *      be said without evaluation (constants, the receiver); those that remain must agree on which
 *      arguments stay unevaluated;
 *   2. the others are evaluated, once and in order, and the first level with a candidate that takes
 *      the values wins; within a level the more specialised one.
 *
 * Inline caches (vt_site.ic) remember an outcome that depends on nothing but the receiver's class
 * or the kinds of the evaluated arguments:
 *   key = a vt_class:  target is the vt_method_decl that objects of this class run here; aux is 1
 *                      when the arguments are its parameters, one by one (vt_invoke_plain);
 *   key = &row_key:    target is the vt_fnrow for the kinds in aux, six bits each, aux2 of them;
 *   key = &plain_key:  the same, and every argument reaches the row as it is: aux2 has the row's
 *                      number of standard parameters above PLAIN_SHIFT, and above VT_IN_SHIFT what
 *                      methods have in place of it.
 * A call that goes by the cache must behave as one that does not: an outcome that an Extension's
 * contract, def() or the host had a part in is not stored, and what def() made is looked for each
 * time.
 */
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 8, TAG_BITS = 6, MAX_TAGS = 10, TAG_LAZY = 63, RAW = 0xff };

/* One argument. kind is enum vt_arg_kind while it is an expression or a constant, RAW for a plain
 * value. */
typedef struct carg {
	const vt_arg *a;     /* as written, or NULL */
	const vt_code *code; /* of an expression; for a mapping, of its right side */
	const vt_str *name;  /* keyword, or NULL */
	vt_value v;          /* VT_UNDEF: not evaluated */
	uint8_t kind;
	bool owned;
} carg;

enum what { C_ROW, C_METHOD, C_DEF, C_MOCK };
typedef struct cand {
	uint8_t what;
	bool extension; /* C_METHOD: the receiver is its first argument */
	uint32_t level;
	const vt_fnrow *row;
	const vt_method_decl *m;
	const vt_mock *mock; /* C_MOCK; m is what it replaces */
	vt_value self;       /* C_METHOD, C_MOCK: what it runs on; C_DEF: the lambda. Borrowed */
} cand;

typedef struct call {
	vt_rt *rt;
	vt_scope *sc; /* of the caller; NULL for calls from C without one */
	const vt_unit *unit;
	const vt_site *site; /* or NULL */
	const char *name;    /* for messages */
	/* without the underscores that YAQL drops; or NULL when there were none */
	char *stripped;
	vt_value recv; /* VT_UNDEF: a plain call */
	carg *pos, *kw;
	uint32_t npos, nkw;
	int8_t no_kwargs; /* -1 until the first candidate has told */
	bool have_lazy, cacheable;
	uint32_t seen, level;
	uint32_t below;       /* only rows of the host with a smaller level; UINT32_MAX: all */
	uint8_t *lazy, *mine; /* npos + nkw marks: of all candidates, of the one at hand */
	cand *cands;
	uint32_t ncands, cap;
	carg small_pos[SMALL + 1], small_kw[SMALL];
	uint8_t small_lazy[4 * (SMALL + 1)];
	cand small_cands[12];
} call;

static const char row_key, plain_key;
enum { PLAIN_SHIFT = 16, MOST_PLAIN = 16 };

/* ---- types ----------------------------------------------------------------------------------- */

static bool
is_reflect(vt_value v, enum vt_reflect r)
{
	return vt_is(v, REFLECT) && vt_head_of(v)->aux == r;
}

static bool
is_set_like(vt_value v)
{
	return vt_is(v, SET) || (vt_is(v, VIEW) && vt_head_of(v)->aux != VT_VIEW_VALUES);
}

static bool
is_object(vt_value v)
{
	return vt_is(v, OBJECT) || vt_is(v, CAST);
}

static bool
is_lazy_type(uint8_t type)
{
	switch ((enum vt_type)type) {
	case VT_T_LAMBDA:
	case VT_T_LAMBDA_CTX:
	case VT_T_LAMBDA_METHOD:
	case VT_T_LAMBDA_CTX_METHOD:
	case VT_T_EXPR:
	case VT_T_RULE_LAZY: return true;
	case VT_T_ANY:
	case VT_T_STR:
	case VT_T_INT:
	case VT_T_INTEGER:
	case VT_T_NUMBER:
	case VT_T_BOOL:
	case VT_T_NULL:
	case VT_T_ITERABLE:
	case VT_T_ITERATOR:
	case VT_T_SEQUENCE:
	case VT_T_MAPPING:
	case VT_T_SET:
	case VT_T_DATETIME:
	case VT_T_TIMESPAN:
	case VT_T_REGEX:
	case VT_T_ORDERING:
	case VT_T_TUPLE:
	case VT_T_CONTEXT:
	case VT_T_CALLABLE:
	case VT_T_RULE:
	case VT_T_KEYWORD:
	case VT_T_STRING_CONST:
	case VT_T_OBJECT:
	case VT_T_TYPE:
	case VT_T_TYPEREF:
	case VT_T_NOT_OBJECT:
	case VT_T_REFLECT_TYPE:
	case VT_T_REFLECT_METHOD:
	case VT_T_REFLECT_PROPERTY:
	case VT_T_REFLECT_ARGUMENT:
	case VT_T_REFLECT_PACKAGE:
	case VT_T_REFLECT_VERSION:
	case VT_T_HOST:
	case VT_T_CONST:
	case VT_T_BOOL_CONST:
	case VT_T_NUMBER_CONST:
	case VT_T_MIXED:
	case VT_T_COUNT: return false;
	}
	return false;
}

/* A value that is not null. */
static bool
type_takes(const vt_unit *u, uint8_t type, vt_value v)
{
	switch ((enum vt_type)type) {
	case VT_T_ANY: return true;
	case VT_T_STR: return vt_is(v, STR);
	case VT_T_INT: return vt_is_integer(v) || vt_is_bool(v);
	case VT_T_INTEGER: return vt_is_integer(v);
	case VT_T_NUMBER: return vt_is_number(v);
	case VT_T_BOOL: return vt_is_bool(v);
	case VT_T_NULL: return false;
	case VT_T_ITERABLE: return vt_is_iterable(u, v);
	case VT_T_ITERATOR: return vt_is(v, ITER) || vt_is(v, MEMO);
	case VT_T_SEQUENCE: return vt_is_sequence(v);
	case VT_T_MAPPING: return vt_is(v, DICT);
	case VT_T_SET: return is_set_like(v);
	case VT_T_DATETIME: return vt_is(v, DATETIME) && !vt_is_date(v);
	case VT_T_TIMESPAN: return vt_is(v, TIMESPAN);
	case VT_T_REGEX: return vt_is(v, REGEX);
	case VT_T_ORDERING: return vt_is(v, ORDERING);
	case VT_T_TUPLE: return vt_is(v, TUPLE);
	case VT_T_CONTEXT: return vt_is(v, SCOPE);
	case VT_T_CALLABLE: return vt_is(v, LAMBDA);
	case VT_T_LAMBDA:
	case VT_T_LAMBDA_CTX:
	case VT_T_LAMBDA_METHOD:
	case VT_T_LAMBDA_CTX_METHOD: return true;
	case VT_T_EXPR:
	case VT_T_RULE_LAZY:
	case VT_T_KEYWORD:
	case VT_T_STRING_CONST:
	case VT_T_CONST:
	case VT_T_BOOL_CONST:
	case VT_T_NUMBER_CONST:
	case VT_T_MIXED: return false;
	case VT_T_RULE: return vt_is(v, MAPPING);
	case VT_T_OBJECT: return is_object(v);
	case VT_T_TYPE: return vt_is(v, TYPEREF) || vt_is(v, STR);
	case VT_T_TYPEREF: return vt_is(v, TYPEREF);
	case VT_T_NOT_OBJECT: return !is_object(v);
	case VT_T_REFLECT_TYPE: return is_reflect(v, VT_R_TYPE);
	case VT_T_REFLECT_METHOD: return is_reflect(v, VT_R_METHOD);
	case VT_T_REFLECT_PROPERTY: return is_reflect(v, VT_R_PROPERTY);
	case VT_T_REFLECT_ARGUMENT: return is_reflect(v, VT_R_ARGUMENT);
	case VT_T_REFLECT_PACKAGE: return is_reflect(v, VT_R_PACKAGE);
	case VT_T_REFLECT_VERSION: return is_reflect(v, VT_R_VERSION);
	case VT_T_HOST: return vt_is(v, HOST);
	case VT_T_COUNT: return false;
	}
	return false;
}

static bool
one_takes(const vt_unit *u, uint64_t types, vt_value v)
{
	for (uint8_t t = 0; t < VT_T_COUNT; t++)
		if (types >> t & 1 && type_takes(u, t, v))
			return true;
	return false;
}

bool
vt_type_check(const vt_unit *unit, const vt_fnparam *p, vt_value v)
{
	if (v == VT_NULL)
		return p->nullable && !(p->type == VT_T_EXPR || p->type == VT_T_RULE_LAZY ||
					      p->type == VT_T_KEYWORD);
	if (p->type == VT_T_MIXED)
		return (p->any == 0 || one_takes(unit, p->any, v)) && !one_takes(unit, p->none, v);
	return type_takes(unit, p->type, v);
}

static bool
is_constant(uint8_t kind)
{
	return kind == VT_A_STRING || kind == VT_A_NUMBER || kind == VT_A_BOOL ||
	       kind == VT_A_NULL || kind == VT_A_KEYWORD;
}

/* What can be said of the argument as it stands: values and constants by value, expressions by
 * form. */
static bool
check_arg(const call *c, const vt_fnparam *p, const carg *g)
{
	bool constant = is_constant(g->kind);
	if (g->kind == RAW || g->kind == VT_A_NOVALUE)
		return vt_type_check(c->unit, p, g->v);
	switch ((enum vt_type)p->type) {
	case VT_T_LAMBDA:
	case VT_T_LAMBDA_CTX:
	case VT_T_EXPR: return true;
	case VT_T_LAMBDA_METHOD:
	case VT_T_LAMBDA_CTX_METHOD: return g->kind == VT_A_CALL;
	case VT_T_RULE_LAZY: return g->kind == VT_A_MAPPING;
	case VT_T_KEYWORD: return g->kind == VT_A_KEYWORD;
	case VT_T_STRING_CONST:
		return g->kind == VT_A_STRING || g->kind == VT_A_KEYWORD ||
		       (g->kind == VT_A_NULL && p->nullable);
	case VT_T_CONST: return constant && (g->kind != VT_A_NULL || p->nullable);
	case VT_T_BOOL_CONST: return g->kind == VT_A_BOOL || (g->kind == VT_A_NULL && p->nullable);
	case VT_T_NUMBER_CONST:
		return g->kind == VT_A_NUMBER || (g->kind == VT_A_NULL && p->nullable);
	case VT_T_ANY:
	case VT_T_STR:
	case VT_T_INT:
	case VT_T_INTEGER:
	case VT_T_NUMBER:
	case VT_T_BOOL:
	case VT_T_NULL:
	case VT_T_ITERABLE:
	case VT_T_ITERATOR:
	case VT_T_SEQUENCE:
	case VT_T_MAPPING:
	case VT_T_SET:
	case VT_T_DATETIME:
	case VT_T_TIMESPAN:
	case VT_T_REGEX:
	case VT_T_ORDERING:
	case VT_T_TUPLE:
	case VT_T_CONTEXT:
	case VT_T_CALLABLE:
	case VT_T_RULE:
	case VT_T_OBJECT:
	case VT_T_TYPE:
	case VT_T_TYPEREF:
	case VT_T_NOT_OBJECT:
	case VT_T_REFLECT_TYPE:
	case VT_T_REFLECT_METHOD:
	case VT_T_REFLECT_PROPERTY:
	case VT_T_REFLECT_ARGUMENT:
	case VT_T_REFLECT_PACKAGE:
	case VT_T_REFLECT_VERSION:
	case VT_T_HOST:
	case VT_T_MIXED:
	case VT_T_COUNT: return !constant || vt_type_check(c->unit, p, g->v);
	}
	return false;
}

/*
 * Is the class behind type a a proper subclass of the one behind b?  Types that stand for several
 * classes (number, object, type) and the syntactic ones never are, nor have they subclasses.
 */
static bool
more_special(uint8_t a, uint8_t b)
{
	bool single = !is_lazy_type(a) && a != VT_T_NUMBER && a != VT_T_OBJECT && a != VT_T_TYPE &&
		      a != VT_T_NOT_OBJECT && a != VT_T_MIXED && a != VT_T_CONST &&
		      a != VT_T_BOOL_CONST && a != VT_T_NUMBER_CONST && a != VT_T_KEYWORD &&
		      a != VT_T_STRING_CONST;
	if (!single)
		return false;
	if (b == VT_T_ANY || b == VT_T_CALLABLE || b == VT_T_HOST)
		return a != VT_T_ANY && a != VT_T_CALLABLE && a != VT_T_HOST;
	if (b == VT_T_ITERABLE || b == VT_T_ITERATOR)
		return a == VT_T_STR || a == VT_T_SEQUENCE || a == VT_T_MAPPING || a == VT_T_SET ||
		       a == VT_T_TUPLE || a == VT_T_ORDERING;
	if (b == VT_T_SEQUENCE)
		return a == VT_T_TUPLE || a == VT_T_STR;
	return a == VT_T_BOOL && (b == VT_T_INT || b == VT_T_INTEGER);
}

/* ---- errors ---------------------------------------------------------------------------------- */

vt_status
vt_placed(vt_rt *rt, const vt_site *s)
{
	vt_exc *e = vt_pending(rt);
	if (e != NULL && s != NULL && e->line == 0) {
		e->line = s->line;
		e->col = s->col;
	}
	return VT_ERROR;
}

/* fmt is for a plain call; the method form names the receiver in between. */
static vt_status
refuse(call *c, enum vt_etype fn, enum vt_etype method, const char *before, const char *after)
{
	vt_buf b = {0};
	bool m = c->recv != VT_UNDEF;
	vt_buf_puts(&b, before);
	vt_buf_puts(&b, m ? " method \"" : " function \"");
	vt_buf_puts(&b, c->name);
	vt_buf_putc(&b, '"');
	if (m) {
		vt_buf_puts(&b, " for receiver ");
		vt_pystr(c->rt, &b, c->recv);
	}
	vt_buf_puts(&b, after);
	return vt_raise_value(c->rt, m ? method : fn, vt_str_take(c->rt, &b));
}

static vt_status
no_match(call *c)
{
	return refuse(c, VT_E_NO_MATCHING_FUNCTION, VT_E_NO_MATCHING_METHOD, "No",
		" matches supplied arguments");
}

static vt_status
unknown(call *c)
{
	return refuse(c, VT_E_NO_FUNCTION, VT_E_NO_METHOD, "Unknown", "");
}

static vt_status
ambiguous(call *c)
{
	return refuse(c, VT_E_AMBIGUOUS_FUNCTION, VT_E_AMBIGUOUS_METHOD, "Ambiguous", "");
}

/* ---- arguments ------------------------------------------------------------------------------- */

static vt_value
constant_of(const vt_arg *a)
{
	return a->value != NULL ? vt_mkptr(a->value) : a->imm;
}

/* given: the value that the caller has evaluated already, or VT_UNDEF. Borrowed. */
static carg
written(const vt_arg *a, vt_value given)
{
	carg g = {.a = a, .code = a->code, .name = a->keyword, .v = given, .kind = a->kind};
	if (a->kind == VT_A_NOVALUE)
		g.v = VT_NOVALUE;
	else if (is_constant(a->kind) && given == VT_UNDEF)
		g.v = constant_of(a);
	return g;
}

static carg
plain(vt_value v)
{
	return (carg){.v = v, .kind = RAW};
}

static bool
omitted(const carg *g)
{
	return g->kind == VT_A_NOVALUE || (g->kind == RAW && g->v == VT_NOVALUE);
}

static carg *
keyword(const call *c, const char *name)
{
	for (uint32_t i = 0; i < c->nkw; i++)
		if (strcmp(c->kw[i].name->s, name) == 0)
			return &c->kw[i];
	return NULL;
}

static vt_status
put_keyword(call *c, carg g, bool again)
{
	carg *old = keyword(c, g.name->s);
	if (old == NULL)
		c->kw[c->nkw++] = g;
	else if (again)
		*old = g;
	else
		return vt_raise(c->rt, VT_E_MAPPING_TRANSLATION,
			"Cannot convert mapping to keyword argument");
	return VT_OK;
}

/* The candidates take keyword arguments: mappings with a bare word on the left become such. */
static vt_status
split_keywords(call *c)
{
	uint32_t n = c->npos, nraw = c->nkw;
	c->npos = 0;
	for (uint32_t i = 0; i < n; i++) {
		carg g = c->pos[i];
		if (g.name == NULL && g.kind != VT_A_MAPPING) {
			c->pos[c->npos++] = g;
			continue;
		}
		if (g.name == NULL) {
			if (g.a->key->kind != VT_A_KEYWORD)
				return vt_raise(c->rt, VT_E_MAPPING_TRANSLATION,
					"Cannot convert mapping to keyword argument");
			g.name = vt_as_str(constant_of(g.a->key));
			g.kind = g.code != NULL || g.v == VT_UNDEF ? VT_A_EXPR : RAW;
		}
		VT_TRY(put_keyword(c, g, nraw == 0));
	}
	return VT_OK;
}

static vt_status
keep_mappings(call *c)
{
	if (c->nkw > 0)
		return vt_raise(c->rt, VT_E_ARGUMENT, "Invalid argument %s", c->kw[0].name->s);
	for (uint32_t i = 0; i < c->npos; i++)
		if (c->pos[i].name != NULL)
			c->pos[i].kind = VT_A_MAPPING;
	return VT_OK;
}

static void *
room(uint32_t n, uint32_t have, void *small, size_t size)
{
	return n <= have ? small : vt_xmalloc(n * size);
}

/* At most npos positional and nkw keyword arguments will be put; a positional may become a
 * keyword. */
static void
open_call(call *c, uint32_t npos, uint32_t nkw)
{
	c->pos = room(npos, VT_LEN(c->small_pos), c->small_pos, sizeof *c->pos);
	c->kw = room(npos + nkw, VT_LEN(c->small_kw), c->small_kw, sizeof *c->kw);
	c->lazy = room(2 * (npos + nkw), VT_LEN(c->small_lazy), c->small_lazy, 1);
	c->mine = c->lazy + npos + nkw;
	c->cands = c->small_cands;
	c->cap = VT_LEN(c->small_cands);
	c->below = UINT32_MAX;
	c->no_kwargs = -1;
	c->cacheable = true;
}

static void
close_call(call *c)
{
	for (uint32_t i = 0; i < c->npos; i++)
		if (c->pos[i].owned)
			vt_release(c->pos[i].v);
	for (uint32_t i = 0; i < c->nkw; i++)
		if (c->kw[i].owned)
			vt_release(c->kw[i].v);
	if (c->pos != c->small_pos)
		free(c->pos);
	if (c->kw != c->small_kw)
		free(c->kw);
	if (c->lazy != c->small_lazy)
		free(c->lazy);
	if (c->cands != c->small_cands)
		free(c->cands);
	free(c->stripped);
}

/* ---- stage 1: binding ------------------------------------------------------------------------ */

static uint32_t
nstandard(const vt_fnrow *r)
{
	uint32_t n = 0;
	while (n < r->nparams && r->params[n].kind == 0)
		n++;
	return n;
}

static const vt_fnparam *
rest_param(const vt_fnrow *r, uint8_t kind)
{
	for (uint32_t i = r->nparams; i-- > 0 && r->params[i].kind != 0;)
		if (r->params[i].kind == kind)
			return &r->params[i];
	return NULL;
}

/* Which parameter takes the i-th positional argument; NULL: none. */
static const vt_fnparam *
positional(const vt_fnrow *r, uint32_t i)
{
	uint32_t n = nstandard(r);
	return i < n ? &r->params[i] : rest_param(r, 1);
}

static const vt_fnparam *
by_keyword(const vt_fnrow *r, const char *name)
{
	for (uint32_t i = 0; i < r->nparams && r->params[i].kind == 0; i++)
		if (strcmp(r->params[i].name, name) == 0)
			return &r->params[i];
	return rest_param(r, 2);
}

/*
 * Keyword arguments for standard parameters are not looked at here: the reference checks only those
 * that ** takes, so a wrong one shows in the second stage, after evaluation.
 */
static bool
bind_row(call *c, const vt_fnrow *r)
{
	uint32_t n = nstandard(r), i;
	const vt_fnparam *p;
	for (i = 0; i < n; i++) {
		carg *k = keyword(c, r->params[i].name);
		bool given = i < c->npos && !omitted(&c->pos[i]);
		/* Even a place that is left free does not go with the keyword. */
		if (k != NULL && i < c->npos)
			return false;
		if (given ? !check_arg(c, &r->params[i], &c->pos[i])
			  : k == NULL && !r->params[i].has_default)
			return false;
		if (i < c->npos)
			c->mine[i] = is_lazy_type(r->params[i].type);
	}
	p = rest_param(r, 1);
	for (; i < c->npos; i++) {
		if (p == NULL || !check_arg(c, p, &c->pos[i]))
			return false;
		c->mine[i] = is_lazy_type(p->type);
	}
	for (i = 0; i < c->nkw; i++) {
		p = by_keyword(r, c->kw[i].name->s);
		if (p == NULL || (p->kind == 2 && !check_arg(c, p, &c->kw[i])))
			return false;
		c->mine[c->npos + i] = is_lazy_type(p->type);
	}
	return true;
}

/* Names of parameters that are given by position must not come by keyword as well. */
static bool
bind_method(call *c, const cand *k)
{
	uint32_t shift = k->extension ? 0 : 1;
	memset(c->mine, 0, c->npos + c->nkw);
	for (uint32_t i = shift; i < c->npos && i - shift < k->m->nparams; i++) {
		const vt_param_decl *p = &k->m->params[i - shift];
		if (p->usage != VT_PARAM_STANDARD)
			break;
		if (!omitted(&c->pos[i]) && keyword(c, p->name->s) != NULL)
			return false;
	}
	return !k->extension || vt_param_check(c->rt, c->unit, k->m, 0, c->recv);
}

static bool
binds(call *c, const cand *k)
{
	switch ((enum what)k->what) {
	case C_ROW: return bind_row(c, k->row);
	case C_METHOD:
	case C_MOCK: return bind_method(c, k);
	case C_DEF: memset(c->mine, 0, c->npos + c->nkw); return true;
	}
	return false;
}

static void
keep(call *c, const cand *k)
{
	if (c->ncands == c->cap) {
		cand *bigger = vt_xmalloc(2 * c->cap * sizeof *bigger);
		memcpy(bigger, c->cands, c->ncands * sizeof *bigger);
		if (c->cands != c->small_cands)
			free(c->cands);
		c->cands = bigger;
		c->cap *= 2;
	}
	c->cands[c->ncands] = *k;
	c->cands[c->ncands++].level = c->level;
}

static vt_status
consider(call *c, cand k)
{
	bool no_kwargs = k.what == C_ROW && (k.row->flags & VT_FN_NO_KWARGS);
	uint32_t n;
	c->seen++;
	if (c->no_kwargs < 0) {
		c->no_kwargs = no_kwargs;
		VT_TRY(no_kwargs ? keep_mappings(c) : split_keywords(c));
	} else if (c->no_kwargs != no_kwargs) {
		return ambiguous(c);
	}
	if (!binds(c, &k))
		return VT_OK;
	n = c->npos + c->nkw;
	if (c->have_lazy && memcmp(c->lazy, c->mine, n) != 0)
		return ambiguous(c);
	memcpy(c->lazy, c->mine, n);
	c->have_lazy = true;
	keep(c, &k);
	return VT_OK;
}

/* ---- where candidates come from -------------------------------------------------------------- */

static const char *
lookup_name(const call *c)
{
	return c->stripped ? c->stripped : c->name;
}

static bool
any_functions(const vt_scope *sc)
{
	for (; sc != NULL; sc = sc->parent)
		if (sc->ext != NULL)
			return true;
	return false;
}

/* def() makes functions, never methods. */
static vt_status
from_scope(call *c)
{
	vt_value f, name;
	if (c->recv != VT_UNDEF || !any_functions(c->sc))
		return VT_OK;
	if (c->site != NULL && c->stripped == NULL) {
		f = vt_scope_function(c->sc, c->site->name);
	} else {
		name = vt_str_c(c->rt, lookup_name(c));
		f = vt_scope_function(c->sc, vt_as_str(name));
		vt_release(name);
	}
	if (f == VT_UNDEF)
		return VT_OK;
	c->cacheable = false;
	return consider(c, (cand){.what = C_DEF, .self = f});
}

/* The method's stubs: one for instances, one for types; an Extension takes any receiver, by its
 * contract. */
static vt_status
from_method(call *c, const vt_method_decl *m)
{
	bool type = vt_is(c->recv, TYPEREF), ok = true;
	vt_class *owner = vt_class_link(c->rt, m->cls, &ok);
	if (owner == NULL)
		return VT_ERROR;
	if (m->usage == VT_M_EXTENSION) {
		c->cacheable = false;
		VT_TRY(consider(c, (cand){.what = C_METHOD,
					   .m = m,
					   .self = owner->typeref,
					   .extension = true}));
		if (!type)
			return VT_OK;
	}
	if (type ? m->usage == VT_M_RUNTIME || m->usage == VT_M_ACTION : !is_object(c->recv)) {
		c->seen++;
		return VT_OK;
	}
	if (!vt_class_is(vt_cls_of(c->recv), owner)) {
		c->cacheable = false;
		c->seen++;
		return VT_OK;
	}
	return consider(c, (cand){.what = C_METHOD, .m = m, .self = c->recv});
}

/* Mocks stand inside of the methods of their class and replace what is called on objects, and
 * extension methods where this class's own code calls them. */
static vt_status
from_mocks(call *c, vt_class *cls, const vt_str *name)
{
	bool ok = true;
	c->level++;
	for (const vt_mock *k = NULL; (k = vt_mock_next(c->rt, k, cls, name)) != NULL;) {
		vt_class *owner = vt_class_link(c->rt, k->m->cls, &ok);
		if (owner == NULL)
			return VT_ERROR;
		c->cacheable = false;
		if (k->m->usage == VT_M_EXTENSION)
			VT_TRY(consider(c, (cand){.what = C_MOCK,
						   .m = k->m,
						   .mock = k,
						   .self = owner->typeref,
						   .extension = true}));
		else if (is_object(c->recv) && vt_class_is(vt_cls_of(c->recv), owner))
			VT_TRY(consider(
				c, (cand){.what = C_MOCK, .m = k->m, .mock = k, .self = c->recv}));
	}
	return VT_OK;
}

/* A name with two definitions of equal right is an error only when the class is the receiver's. */
static vt_status
from_class(call *c, vt_class *cls, const vt_str *name, bool exported)
{
	bool unclear = false;
	const vt_method_decl *m = vt_class_method(c->rt, cls, name, &unclear);
	c->level++;
	if (m == NULL && unclear) {
		if (!exported && is_object(c->recv) && vt_cls_of(c->recv) == cls)
			return VT_ERROR;
		vt_exc_clear(c->rt);
	}
	if (m == NULL || (exported && m->usage != VT_M_EXTENSION))
		return VT_OK;
	return from_method(c, m);
}

static vt_status
from_type(call *c, vt_class *cls, const vt_str *name)
{
	const vt_class_decl *d = cls->decl;
	if (unlikely(c->rt->s->mocks != NULL))
		VT_TRY(from_mocks(c, cls, name));
	VT_TRY(from_class(c, cls, name, false));
	for (uint32_t i = 0; i < d->nimports; i++) {
		vt_class *imp = vt_find_class(c->rt, d->unit ? d->unit->pkg : NULL, d->imports[i]);
		if (imp == NULL)
			return VT_ERROR;
		VT_TRY(from_class(c, imp, name, true));
	}
	return VT_OK;
}

static vt_status
from_types(call *c)
{
	bool typed = is_object(c->recv) || vt_is(c->recv, TYPEREF), ok = true;
	vt_class *mine = NULL, *theirs = typed ? vt_cls_of(c->recv) : NULL;
	vt_value name;
	vt_status st = VT_OK;
	if (c->recv == VT_UNDEF || (theirs == NULL && (c->unit == NULL || c->unit->cls == NULL)))
		return VT_OK;
	if (c->unit != NULL && c->unit->cls != NULL &&
		(mine = vt_class_link(c->rt, c->unit->cls, &ok)) == NULL)
		return VT_ERROR;
	name = c->site != NULL && c->stripped == NULL ? vt_copy(vt_mkptr(c->site->name))
						      : vt_str_c(c->rt, lookup_name(c));
	if (theirs != NULL)
		st = from_type(c, theirs, vt_as_str(name));
	if (st == VT_OK && mine != NULL && mine != theirs)
		st = from_type(c, mine, vt_as_str(name));
	vt_release(name);
	return st;
}

enum { NLEVELS = 5 };
static uint32_t
level_of(uint32_t layer)
{
	if (layer & (VT_L_ENGINE | VT_L_ENGINE_LEGACY | VT_L_CORE))
		return 0;
	if (layer & VT_L_DSL_LEGACY)
		return 1;
	if (layer & (VT_L_DSL | VT_L_DSL_OLD | VT_L_DSL_NEW))
		return 2;
	return layer & VT_L_LEGACY ? 3 : 4;
}

static uint32_t
host_level(const vt_fnrow *r)
{
	return (r->flags & VT_FN_LEVEL) / (VT_FN_LEVEL & -VT_FN_LEVEL);
}

/* One level of the host's functions. *last: one of them is exclusive, what is further out is
 * hidden. */
static vt_status
from_host_level(call *c, const vt_fnrow *rows, uint32_t n, uint32_t level, bool *last)
{
	uint32_t kind = c->recv == VT_UNDEF ? VT_FN_FUNCTION : VT_FN_METHOD;
	for (uint32_t i = 0; i < n; i++) {
		if (host_level(&rows[i]) != level)
			continue;
		*last |= (rows[i].flags & VT_FN_EXCLUSIVE) != 0;
		if (rows[i].flags & kind)
			VT_TRY(consider(c, (cand){.what = C_ROW, .row = &rows[i]}));
	}
	return VT_OK;
}

/* Innermost first; level 0 comes with the rows of std. */
static vt_status
from_host(call *c, const vt_fnrow *rows, uint32_t n, bool *last)
{
	for (uint32_t below = c->below;;) {
		uint32_t level = 0;
		for (uint32_t i = 0; i < n; i++)
			if (host_level(&rows[i]) < below && host_level(&rows[i]) > level)
				level = host_level(&rows[i]);
		if (level == 0 || *last)
			return VT_OK;
		c->level++;
		VT_TRY(from_host_level(c, rows, n, level, last));
		below = level;
	}
}

static vt_status
from_rows(call *c, const vt_fnrow *rows, uint32_t n, uint32_t layers, bool *ended)
{
	uint32_t kind = c->recv == VT_UNDEF ? VT_FN_FUNCTION : VT_FN_METHOD;
	for (uint32_t level = 0; level < NLEVELS; level++) {
		bool last = false;
		c->level++;
		for (uint32_t i = 0; i < n; i++) {
			if (!(rows[i].layer & layers) || level_of(rows[i].layer) != level)
				continue;
			last |= (rows[i].flags & VT_FN_EXCLUSIVE) != 0;
			if (rows[i].flags & kind)
				VT_TRY(consider(c, (cand){.what = C_ROW, .row = &rows[i]}));
		}
		if (last) {
			*ended = level < NLEVELS - 1;
			break;
		}
	}
	return VT_OK;
}

static vt_status
from_registry(call *c)
{
	uint32_t nhost = 0, n = 0;
	const vt_fnrow *host = vt_host_find(c->rt, lookup_name(c), &nhost), *rows;
	bool ended = false;
	if (c->below == 0)
		return VT_OK;
	if (host != NULL)
		c->cacheable = false;
	VT_TRY(from_host(c, host, nhost, &ended));
	if (ended)
		return VT_OK;
	rows = vt_fn_find(lookup_name(c), &n);
	if (rows != NULL)
		VT_TRY(from_rows(c, rows, n, c->unit ? c->unit->layers : VT_L_STD, &ended));
	else if (unlikely(vt_fn_absent(lookup_name(c))))
		return vt_raise(c->rt, VT_E_RUNTIME,
			"this program was built without the function \"%s\": "
			"`vetro build -fno-subset` links all",
			lookup_name(c));
	return ended ? VT_OK : from_host_level(c, host, nhost, 0, &ended);
}

const vt_fnrow *
vt_fn_find(const char *name, uint32_t *n)
{
	const vt_fnrow *rows = vt_linked.rows;
	uint32_t lo = 0, hi = vt_linked.nrows, mid;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (strcmp(rows[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	*n = 0;
	while (lo + *n < vt_linked.nrows && strcmp(rows[lo + *n].name, name) == 0)
		++*n;
	return *n ? &rows[lo] : NULL;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static vt_status
value_of(vt_rt *rt, vt_scope *sc, const vt_arg *a, vt_value *out)
{
	if (a->code != NULL)
		return a->code->fn(rt, sc, out);
	*out = vt_copy(a->kind == VT_A_NOVALUE ? VT_NOVALUE : constant_of(a));
	return VT_OK;
}

static vt_value
mapping(vt_rt *rt, vt_value key, vt_value value)
{
	vt_mapping *m = vt_alloc(rt, sizeof *m, VT_K_MAPPING);
	m->key = key;
	m->value = value;
	return vt_mkptr(m);
}

static vt_status
evaluate_mapping(call *c, carg *g)
{
	vt_value key = VT_UNDEF, v = VT_UNDEF;
	vt_status st;
	VT_TRY(value_of(c->rt, c->sc, g->a->key, &key));
	if (g->v != VT_UNDEF) {
		v = vt_copy(g->v);
		st = VT_OK;
	} else {
		st = g->code->fn(c->rt, c->sc, &v);
	}
	if (st != VT_OK) {
		vt_release(key);
		return st;
	}
	g->v = mapping(c->rt, key, v);
	g->owned = true;
	return VT_OK;
}

static vt_status
evaluate(call *c, carg *g)
{
	vt_value v = VT_UNDEF;
	if (g->kind != VT_A_EXPR && g->kind != VT_A_CALL && g->kind != VT_A_MAPPING)
		return VT_OK;
	if (g->kind == VT_A_MAPPING) {
		VT_TRY(evaluate_mapping(c, g));
	} else if (g->v == VT_UNDEF) {
		VT_TRY(g->code->fn(c->rt, c->sc, &v));
		g->v = v;
		g->owned = true;
	}
	g->kind = RAW;
	return VT_OK;
}

static vt_status
evaluate_all(call *c)
{
	for (uint32_t i = 0; i < c->npos; i++)
		if (!c->lazy[i])
			VT_TRY(evaluate(c, &c->pos[i]));
	for (uint32_t i = 0; i < c->nkw; i++)
		if (!c->lazy[c->npos + i])
			VT_TRY(evaluate(c, &c->kw[i]));
	return VT_OK;
}

/* ---- stage 2: choice ------------------------------------------------------------------------- */

static bool
takes(call *c, const cand *k)
{
	const vt_fnrow *r = k->row;
	uint32_t n;
	if (k->what != C_ROW)
		return true;
	n = nstandard(r);
	for (uint32_t i = 0; i < c->npos; i++)
		if (!(i < n && omitted(&c->pos[i])) && !check_arg(c, positional(r, i), &c->pos[i]))
			return false;
	for (uint32_t i = 0; i < c->nkw; i++)
		if (!check_arg(c, by_keyword(r, c->kw[i].name->s), &c->kw[i]))
			return false;
	/* An argument that turned out to be the NoValue marker needs a default after all. */
	for (uint32_t i = 0; i < n && i < c->npos; i++)
		if (omitted(&c->pos[i]) && !r->params[i].has_default &&
			keyword(c, r->params[i].name) == NULL)
			return false;
	return true;
}

static bool
specialises(const call *c, const vt_fnrow *a, const vt_fnrow *b)
{
	bool res = false;
	for (uint32_t i = 0; i < c->npos + c->nkw; i++) {
		const char *kw = i < c->npos ? NULL : c->kw[i - c->npos].name->s;
		uint8_t ta = (kw ? by_keyword(a, kw) : positional(a, i))->type;
		uint8_t tb = (kw ? by_keyword(b, kw) : positional(b, i))->type;
		if (more_special(tb, ta))
			return false;
		res |= more_special(ta, tb);
	}
	return res;
}

static vt_status
choose(call *c, const cand **out)
{
	const cand *best = NULL;
	for (uint32_t i = 0; i < c->ncands; i++) {
		const cand *k = &c->cands[i];
		if (best != NULL && k->level != best->level)
			break;
		if (!takes(c, k))
			continue;
		if (best != NULL) {
			bool rows = best->what == C_ROW && k->what == C_ROW;
			if (rows && specialises(c, best->row, k->row))
				continue;
			if (!rows || !specialises(c, k->row, best->row))
				return ambiguous(c);
		}
		best = k;
	}
	*out = best;
	return best ? VT_OK : no_match(c);
}

/* ---- calling a row --------------------------------------------------------------------------- */

static vt_status
constant_lambda(vt_rt *rt, void *data, uint32_t n, const vt_value *args, vt_value *out)
{
	*out = vt_copy((vt_value)(uintptr_t)data);
	return VT_OK;
}

static vt_status
null_lambda(vt_rt *rt, void *data, uint32_t n, const vt_value *args, vt_value *out)
{
	return vt_raise(rt, VT_E_TYPE, "'NoneType' object is not callable");
}

static void
drop_constant(void *data)
{
	vt_release((vt_value)(uintptr_t)data);
}

static vt_value
lambda_of_value(vt_rt *rt, vt_value v)
{
	return vt_lambda_native(rt, constant_lambda, (void *)(uintptr_t)vt_copy(v), drop_constant);
}

static vt_value
lambda_of_arg(call *c, const vt_arg *a)
{
	if (a->code != NULL)
		return vt_lambda_new(c->rt, a->code, c->sc);
	return lambda_of_value(c->rt, a->kind == VT_A_NOVALUE ? VT_NOVALUE : constant_of(a));
}

/* Both sides of a mapping as lambdas: switch() and its like evaluate what they need. */
static vt_value
lazy_mapping(call *c, const carg *g)
{
	vt_value key = lambda_of_arg(c, g->a->key), v;
	v = g->code != NULL ? vt_lambda_new(c->rt, g->code, c->sc) : lambda_of_value(c->rt, g->v);
	return mapping(c->rt, key, v);
}

/* Owned, or VT_UNDEF where the value itself is what the function gets. */
static vt_value
lazy_value(call *c, const vt_fnparam *p, const carg *g)
{
	vt_value l;
	if (g->kind == VT_A_MAPPING)
		return lazy_mapping(c, g);
	if (g->kind == RAW && g->v == VT_NULL)
		return p->has_default && p->dflt == VT_NULL
			       ? VT_UNDEF
			       : vt_lambda_native(c->rt, null_lambda, NULL, NULL);
	if (g->kind == RAW && vt_is(g->v, LAMBDA))
		return VT_UNDEF;
	if (g->code == NULL)
		return lambda_of_value(c->rt, g->v);
	l = vt_lambda_new(c->rt, g->code, c->sc);
	if (p->type == VT_T_LAMBDA_METHOD || p->type == VT_T_LAMBDA_CTX_METHOD)
		VT_AS(vt_lambda, l)->method = 1;
	return l;
}

/* Sized collections are measured when they are passed; the others count as they are read. */
static vt_status
limit(call *c, vt_value v)
{
	int64_t most = c->unit ? c->unit->opt.limit_iterators : -1, n = -1;
	if (most < 0 || !(vt_is_sequence(v) || vt_is(v, DICT) || is_set_like(v)))
		return VT_OK;
	VT_TRY(vt_len(c->rt, v, &n));
	if (n > most)
		return vt_raise(c->rt, VT_E_TOO_LARGE, "Collection length exceeds %lld elements",
			(long long)most);
	return VT_OK;
}

static vt_value
in_utc(vt_rt *rt, vt_value v)
{
	vt_datetime *d = vt_alloc(rt, sizeof *d, VT_K_DATETIME);
	d->us = VT_AS(vt_datetime, v)->us;
	d->offset = 0;
	d->naive = 0;
	return vt_mkptr(d);
}

/* What stays an expression or is a keyword is one to the reference, whatever it will give. */
static vt_status
quota_of_arg(call *c, const vt_fnparam *p, const carg *g)
{
	bool constant = p->type == VT_T_KEYWORD || p->type == VT_T_STRING_CONST ||
			p->type == VT_T_CONST || p->type == VT_T_BOOL_CONST ||
			p->type == VT_T_NUMBER_CONST;
	if (p->type == VT_T_DATETIME)
		return VT_OK;
	if (constant || (is_lazy_type(p->type) && g->kind != RAW))
		return vt_quota_expression(c->rt);
	return vt_quota_value(c->rt, g->v);
}

static inline vt_status
convert(call *c, const vt_fnparam *p, const carg *g, vt_value *v, vt_value *own)
{
	*own = VT_UNDEF;
	if (vt_metered(c->rt))
		VT_TRY(quota_of_arg(c, p, g));
	*v = g->v;
	if (is_lazy_type(p->type))
		*own = lazy_value(c, p, g);
	else if (p->type == VT_T_DATETIME && vt_is(g->v, DATETIME) &&
		 VT_AS(vt_datetime, g->v)->naive)
		*own = in_utc(c->rt, g->v);
	else if (p->type == VT_T_ITERABLE || p->type == VT_T_ITERATOR)
		VT_TRY(limit(c, g->v));
	if (*own != VT_UNDEF)
		*v = *own;
	return VT_OK;
}

static vt_status
standard_value(call *c, const vt_fnparam *p, uint32_t i, vt_value *v, vt_value *own)
{
	carg *g = i < c->npos && !omitted(&c->pos[i]) ? &c->pos[i]
		  : c->nkw                            ? keyword(c, p->name)
						      : NULL;
	if (g != NULL)
		return convert(c, p, g, v, own);
	*own = p->dflt_str ? vt_str_c(c->rt, p->dflt_str) : VT_UNDEF;
	*v = p->dflt_str ? *own : p->dflt;
	return vt_metered(c->rt) && *v != VT_NOVALUE ? vt_quota_value(c->rt, *v) : VT_OK;
}

/* The result of a call counts, and goes when it is too much. */
static vt_status
quota_of_result(vt_rt *rt, vt_status st, vt_value *out)
{
	if (st == VT_OK && (st = vt_quota_value(rt, *out)) != VT_OK)
		vt_clear(out);
	return st;
}

static vt_status
keyword_values(call *c, const vt_fnrow *r, vt_args *a)
{
	const vt_fnparam *rest = rest_param(r, 2);
	vt_dict *d;
	if (rest == NULL)
		return VT_OK;
	d = vt_dict_new(c->rt, true);
	a->kw = vt_mkptr(d);
	for (uint32_t i = 0; i < c->nkw; i++) {
		vt_value v, own;
		vt_status st;
		if (by_keyword(r, c->kw[i].name->s) != rest)
			continue;
		VT_TRY(convert(c, rest, &c->kw[i], &v, &own));
		st = vt_dict_set(c->rt, d, vt_mkptr(c->kw[i].name), v);
		vt_release(own);
		VT_TRY(st);
	}
	return VT_OK;
}

static vt_status
bind_values(call *c, const vt_fnrow *r, vt_args *a, vt_value *v, vt_value *own)
{
	const vt_fnparam *rest = rest_param(r, 1);
	a->v = v;
	a->rest = v + a->nv;
	for (uint32_t i = 0; i < a->nv; i++)
		VT_TRY(standard_value(c, &r->params[i], i, &v[i], &own[i]));
	for (uint32_t i = a->nv; i < c->npos; i++) {
		VT_TRY(convert(c, rest, &c->pos[i], &v[i], &own[i]));
		a->nrest++;
	}
	return keyword_values(c, r, a);
}

static vt_status
call_row(call *c, const vt_fnrow *r, vt_value *out)
{
	vt_value small[4 * SMALL], *v = small, *own;
	vt_args a = {.rt = c->rt,
		.scope = c->sc,
		.unit = c->unit,
		.site = c->site,
		.row = r,
		.self = VT_UNDEF,
		.kw = VT_NULL,
		.nv = nstandard(r)};
	uint32_t n = a.nv > c->npos ? a.nv : c->npos;
	vt_status st;
	if (2 * n > VT_LEN(small))
		v = vt_xmalloc(2 * n * sizeof *v);
	own = v + n;
	for (uint32_t i = 0; i < n; i++)
		own[i] = VT_UNDEF;
	st = bind_values(c, r, &a, v, own);
	if (st == VT_OK)
		st = r->fn(&a, out);
	if (vt_metered(c->rt))
		st = quota_of_result(c->rt, st, out);
	for (uint32_t i = 0; i < n; i++)
		vt_release(own[i]);
	vt_release(a.kw);
	if (v != small)
		free(v);
	return st;
}

/* ---- calling methods and what def() made ----------------------------------------------------- */

static vt_status
keywords_dict(call *c, vt_value *out)
{
	vt_dict *d;
	*out = VT_NULL;
	if (c->nkw == 0)
		return VT_OK;
	d = vt_dict_new(c->rt, true);
	*out = vt_mkptr(d);
	for (uint32_t i = 0; i < c->nkw; i++)
		VT_TRY(vt_dict_set(c->rt, d, vt_mkptr(c->kw[i].name), c->kw[i].v));
	return VT_OK;
}

static vt_status
call_other(call *c, const cand *k, vt_value *out)
{
	uint32_t from = (k->what == C_METHOD || k->what == C_MOCK) && !k->extension ? 1 : 0,
		 n = c->npos - from;
	vt_value small[SMALL + 1], *v = n <= VT_LEN(small) ? small : vt_xmalloc(n * sizeof *v),
				   kw = VT_NULL;
	vt_status st = keywords_dict(c, &kw);
	for (uint32_t i = 0; i < n; i++)
		v[i] = c->pos[i + from].v;
	for (uint32_t i = 0; vt_metered(c->rt) && st == VT_OK && i < n; i++)
		st = vt_quota_value(c->rt, v[i]);
	if (st == VT_OK && k->what == C_METHOD)
		st = vt_invoke(c->rt, c->unit, k->m, k->self, n, v, kw, out);
	else if (st == VT_OK && k->what == C_MOCK)
		st = vt_mock_call(c->rt, c->sc, c->unit, k->mock, k->self, n, v, kw, out);
	else if (st == VT_OK)
		st = vt_apply_kw(c->rt, k->self, n, v, kw, out);
	if (vt_metered(c->rt))
		st = quota_of_result(c->rt, st, out);
	vt_release(kw);
	if (v != small)
		free(v);
	return st;
}

/* ---- the inline cache ------------------------------------------------------------------------ */

/* Two values with one tag are alike to every type of the registry. */
static uint64_t
tag_of(vt_value v)
{
	if (vt_is_int(v))
		return 1;
	if (!vt_is_ptr(v))
		return vt_is_bool(v) ? 2 : v == VT_NULL ? 3 : 4;
	switch ((enum vt_kind)vt_head_of(v)->kind) {
	case VT_K_VIEW: return 5 + vt_head_of(v)->aux;
	case VT_K_REFLECT: return 8 + vt_head_of(v)->aux;
	case VT_K_FLOAT:
	case VT_K_BIGINT:
	case VT_K_STR:
	case VT_K_TUPLE:
	case VT_K_LIST:
	case VT_K_DICT:
	case VT_K_SET:
	case VT_K_ITER:
	case VT_K_ORDERING:
	case VT_K_MEMO:
	case VT_K_LAMBDA:
	case VT_K_SCOPE:
	case VT_K_MAPPING:
	case VT_K_REGEX:
	case VT_K_DATETIME:
	case VT_K_TIMESPAN:
	case VT_K_OBJECT:
	case VT_K_CAST:
	case VT_K_TYPEREF:
	case VT_K_EXC:
	case VT_K_HOST:
	case VT_K_COUNT: break;
	}
	return 16 + vt_head_of(v)->kind;
}

static uint64_t
tags(const call *c, const vt_fnrow *r)
{
	uint64_t t = 0;
	uint32_t ns = nstandard(r);
	for (uint32_t i = 0; i < c->npos; i++) {
		bool lazy = r->lazy >> (i < ns ? i : 31) & 1;
		t = t << TAG_BITS | (lazy ? TAG_LAZY : tag_of(c->pos[i].v));
	}
	for (uint32_t i = 0; i < c->nkw; i++) {
		bool lazy = is_lazy_type(by_keyword(r, c->kw[i].name->s)->type);
		t = t << TAG_BITS | (lazy ? TAG_LAZY : tag_of(c->kw[i].v));
	}
	return t;
}

static vt_ic *
cache_of(vt_rt *rt, const vt_site *s)
{
	return s != NULL && rt->ic != NULL ? vt_ic_at(rt, s->ic) : NULL;
}

/* Omitted arguments, and mappings that are evaluated or become keywords only here, go the long
 * way. */
static bool
simple_args(const vt_site *s, const vt_fnrow *r)
{
	for (uint32_t i = 0; i < s->nargs; i++) {
		if (s->args[i].kind == VT_A_NOVALUE)
			return false;
		if (s->args[i].kind == VT_A_MAPPING &&
			(r == NULL || !(r->lazy >> 31) || !(r->flags & VT_FN_NO_KWARGS)))
			return false;
		if (s->args[i].keyword != NULL && r != NULL && (r->flags & VT_FN_NO_KWARGS) &&
			!(r->lazy >> 31))
			return false;
	}
	return s->nargs <= SMALL;
}

/* Does the value of an argument reach such a parameter unchanged? */
static bool
takes_plainly(const vt_unit *u, const vt_fnparam *p)
{
	bool limited = u != NULL && u->opt.limit_iterators >= 0;
	return !is_lazy_type(p->type) && p->type != VT_T_DATETIME && p->dflt_str == NULL &&
	       p->kind != 2 && !(limited && (p->type == VT_T_ITERABLE || p->type == VT_T_ITERATOR));
}

/* No keywords, nothing that is evaluated here or wrapped, nothing that is converted. */
static bool
is_plain(const call *c, const vt_fnrow *r)
{
	const vt_site *s = c->site;
	if (c->nkw > 0 || r->nparams > MOST_PLAIN || vt_metered(c->rt))
		return false;
	for (uint32_t i = 0; i < s->nargs; i++)
		if (s->args[i].code != NULL || s->args[i].keyword != NULL)
			return false;
	for (uint32_t i = 0; i < r->nparams; i++)
		if (!takes_plainly(s->unit, &r->params[i]))
			return false;
	return true;
}

static bool
fits_plainly(const vt_site *s, const vt_method_decl *m)
{
	if (s->nargs > m->nparams || m->nparams > SMALL || !vt_method_is_plain(m))
		return false;
	for (uint32_t i = s->nargs; i < m->nparams; i++)
		if (m->params[i].value == NULL && m->params[i].imm == 0)
			return false;
	for (uint32_t i = 0; i < s->nargs; i++)
		if (s->args[i].code != NULL || s->args[i].keyword != NULL ||
			s->args[i].kind == VT_A_NOVALUE)
			return false;
	return true;
}

/* What methods have in place of the row, or know of it, for arguments of these kinds: see
 * VT_IN_SHIFT. */
static uint64_t
in_place(const call *c, const vt_fnrow *r)
{
	uint32_t what = r->flags >> VT_FN_PLACE, k = what == VT_IN_IN;
	bool fits = what == VT_IN_RANGE ||
		    (k < c->npos && (what == VT_IN_EATS ? vt_is(c->pos[k].v, ITER)
							: vt_is_sequence(c->pos[k].v)));
	return what != 0 && fits ? (uint64_t)what << VT_IN_SHIFT : 0;
}

static vt_ic
cache_row(const call *c, const vt_fnrow *r)
{
	vt_ic ic = {.key = &row_key,
		.target = (void *)(uintptr_t)r,
		.aux = tags(c, r),
		.aux2 = c->npos + c->nkw};
	if (is_plain(c, r)) {
		ic.key = &plain_key;
		ic.aux2 |= (uint64_t)nstandard(r) << PLAIN_SHIFT;
		ic.aux2 |= in_place(c, r);
	}
	return ic;
}

/*
 * aux: arguments and parameters go together one by one, and those left out are known; aux2: the
 * method's entry, if it has one and no argument is left out.
 */
static vt_ic
cache_method(const call *c, const vt_method_decl *m)
{
	bool plain = fits_plainly(c->site, m);
	return (vt_ic){.key = vt_cls_of(c->recv),
		.target = (void *)(uintptr_t)m,
		.aux = plain,
		.aux2 = plain && c->site->nargs == m->nparams ? (uint64_t)(uintptr_t)m->entry : 0};
}

/* After a choice: may the next call here skip the search? */
static void
remember(call *c, const cand *k)
{
	vt_ic *ic = cache_of(c->rt, c->site);
	bool typed = is_object(c->recv) || vt_is(c->recv, TYPEREF);
	if (ic == NULL || !c->cacheable || c->stripped != NULL || k->what == C_DEF ||
		!simple_args(c->site, k->row))
		return;
	if (k->what == C_METHOD && !k->extension && vt_is(c->recv, OBJECT))
		*ic = cache_method(c, k->m);
	else if (k->what == C_ROW && !typed && c->npos + c->nkw <= MAX_TAGS)
		*ic = cache_row(c, k->row);
}

/* The row of the last call here with the values as they are. False: the kinds are others. */
static bool
call_plainly(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_ic *ic, vt_value recv,
	const vt_value *argv, vt_value *out, vt_status *st)
{
	const vt_fnrow *r = ic->target;
	vt_value v[MOST_PLAIN + SMALL + 1];
	uint32_t n = 0, nv = (uint32_t)(ic->aux2 >> PLAIN_SHIFT);
	uint64_t t = 0;
	if (recv != VT_UNDEF)
		t = tag_of(v[n++] = recv);
	for (uint32_t i = 0; i < s->nargs; i++) {
		v[n] = argv[i] != VT_UNDEF ? argv[i] : constant_of(&s->args[i]);
		t = t << TAG_BITS | tag_of(v[n++]);
	}
	if (t != ic->aux || n != (ic->aux2 & ((1 << PLAIN_SHIFT) - 1)) ||
		(recv == VT_UNDEF && any_functions(sc) &&
			vt_scope_function(sc, s->name) != VT_UNDEF))
		return false;
	for (uint32_t i = n; i < nv; i++)
		v[i] = r->params[i].dflt;
	*st = r->fn(&(vt_args){.rt = rt,
			    .scope = sc,
			    .unit = s->unit,
			    .site = s,
			    .row = r,
			    .self = VT_UNDEF,
			    .kw = VT_NULL,
			    .v = v,
			    .nv = nv,
			    .rest = v + nv,
			    .nrest = n > nv ? n - nv : 0},
		out);
	return true;
}

static vt_status
cached_arg(vt_rt *rt, vt_scope *sc, const vt_arg *a, vt_dict **kw, vt_value *v)
{
	vt_status st;
	if (*v == VT_UNDEF)
		VT_TRY(value_of(rt, sc, a, v));
	else
		vt_retain(*v);
	if (a->keyword == NULL)
		return VT_OK;
	if (*kw == NULL)
		*kw = vt_dict_new(rt, true);
	st = vt_dict_set(rt, *kw, vt_mkptr(a->keyword), *v);
	vt_clear(v);
	return st;
}

/* A method of the receiver's class: all arguments are eager; keywords stand behind the others. */
static vt_status
cached_method(vt_rt *rt, vt_scope *sc, const vt_site *s, const vt_method_decl *m, vt_value recv,
	const vt_value *argv, vt_value *out)
{
	vt_value v[SMALL];
	vt_dict *kw = NULL;
	uint32_t n = 0, done;
	vt_status st = VT_OK;
	for (done = 0; done < s->nargs && st == VT_OK; done++) {
		v[done] = argv[done];
		st = cached_arg(rt, sc, &s->args[done], &kw, &v[done]);
		n += s->args[done].keyword == NULL;
	}
	if (st == VT_OK)
		st = vt_invoke(rt, s->unit, m, recv, n, v, kw ? vt_mkptr(kw) : VT_NULL, out);
	for (uint32_t i = 0; i < done; i++)
		vt_release(v[i]);
	if (kw != NULL)
		vt_release(vt_mkptr(kw));
	return st;
}

static vt_status
plain_method(vt_rt *rt, const vt_site *s, const vt_method_decl *m, vt_value recv,
	const vt_value *argv, vt_value *out)
{
	vt_value v[SMALL];
	for (uint32_t i = 0; i < s->nargs; i++)
		v[i] = argv[i] != VT_UNDEF ? argv[i] : constant_of(&s->args[i]);
	for (uint32_t i = s->nargs; i < m->nparams; i++)
		v[i] = m->params[i].value != NULL ? vt_mkptr(m->params[i].value) : m->params[i].imm;
	return m->entry != NULL ? m->entry(rt, s->unit, recv, v, out)
				: vt_invoke_plain(rt, s->unit, m, recv, v, out);
}

static void
fill_site(call *c, const vt_site *s, const vt_value *argv)
{
	if (c->recv != VT_UNDEF)
		c->pos[c->npos++] = plain(c->recv);
	for (uint32_t i = 0; i < s->nargs; i++)
		c->pos[c->npos++] = written(&s->args[i], argv[i]);
}

static vt_status
evaluate_early(call *c, carg *g, bool lazy)
{
	vt_value v = VT_UNDEF;
	if (lazy || g->v != VT_UNDEF || g->code == NULL)
		return VT_OK;
	VT_TRY(g->code->fn(c->rt, c->sc, &v));
	g->v = v;
	g->owned = true;
	return VT_OK;
}

/*
 * The row that the last call here chose, if the kinds are the same.  *hit tells; without a hit the
 * arguments are as evaluated as they must be anyhow, for the search remembers which were
 * expressions.
 */
static vt_status
try_cached_row(call *c, vt_ic *ic, bool *hit, vt_value *out)
{
	const vt_fnrow *r = ic->target;
	uint32_t ns = nstandard(r);
	*hit = false;
	if (c->npos != ic->aux2)
		return VT_OK;
	if (c->recv != VT_UNDEF && (ic->aux >> (c->npos - 1) * TAG_BITS) != tag_of(c->recv))
		return VT_OK;
	if (c->recv == VT_UNDEF && any_functions(c->sc) &&
		vt_scope_function(c->sc, c->site->name) != VT_UNDEF)
		return VT_OK;
	VT_TRY(r->flags & VT_FN_NO_KWARGS ? keep_mappings(c) : split_keywords(c));
	if (c->npos + c->nkw != ic->aux2)
		return VT_OK;
	for (uint32_t i = 0; i < c->npos; i++)
		VT_TRY(evaluate_early(c, &c->pos[i], r->lazy >> (i < ns ? i : 31) & 1));
	for (uint32_t i = 0; i < c->nkw; i++)
		VT_TRY(evaluate_early(
			c, &c->kw[i], is_lazy_type(by_keyword(r, c->kw[i].name->s)->type)));
	if (tags(c, r) != ic->aux)
		return VT_OK;
	*hit = true;
	return call_row(c, r, out);
}

/* ---- entries --------------------------------------------------------------------------------- */

/* let_() is let(): contexts drop underscores at the end of a name. */
static void
strip_name(call *c)
{
	size_t n = strlen(c->name);
	if (n == 0 || c->name[n - 1] != '_')
		return;
	while (n > 0 && c->name[n - 1] == '_')
		n--;
	c->stripped = vt_xmalloc(n + 1);
	memcpy(c->stripped, c->name, n);
	c->stripped[n] = '\0';
}

static vt_status
collect(call *c)
{
	if (c->below == UINT32_MAX) {
		VT_TRY(from_scope(c));
		c->level++;
		VT_TRY(from_types(c));
	}
	VT_TRY(from_registry(c));
	if (c->seen == 0)
		return unknown(c);
	return c->ncands == 0 ? no_match(c) : VT_OK;
}

static vt_status
resolve(call *c, vt_value *out)
{
	const cand *k = NULL;
	strip_name(c);
	VT_TRY(collect(c));
	VT_TRY(evaluate_all(c));
	VT_TRY(choose(c, &k));
	remember(c, k);
	return k->what == C_ROW ? call_row(c, k->row, out) : call_other(c, k, out);
}

/* The object's own method, with all arguments evaluated: c has no receiver among them. */
static vt_status
call_host(call *c, vt_value *out)
{
	vt_value small[SMALL], *v = small, kw = VT_NULL;
	vt_status st;
	VT_TRY(split_keywords(c));
	memset(c->lazy, 0, c->npos + c->nkw);
	VT_TRY(evaluate_all(c));
	VT_TRY(keywords_dict(c, &kw));
	if (c->npos > SMALL)
		v = vt_xmalloc(c->npos * sizeof *v);
	for (uint32_t i = 0; i < c->npos; i++)
		v[i] = c->pos[i].v;
	st = vt_lua_send(c->rt, c->recv, c->name, c->npos, v, kw, out);
	vt_release(kw);
	if (v != small)
		free(v);
	return st;
}

/* The call that a site makes, ready to be resolved; close_call ends it. */
static void
open_site_call(call *c, vt_rt *rt, vt_scope *sc, const vt_site *s)
{
	memset(c, 0, offsetof(call, small_pos));
	c->rt = rt;
	c->sc = sc;
	c->unit = s->unit;
	c->site = s;
	c->name = s->name->s;
	c->recv = VT_UNDEF;
	open_call(c, s->nargs + 1, 0);
}

static vt_status
call_on_host(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_value recv, const vt_value *argv,
	vt_value *out)
{
	call c;
	vt_status st;
	open_site_call(&c, rt, sc, s);
	fill_site(&c, s, argv);
	c.recv = recv;
	st = call_host(&c, out);
	close_call(&c);
	return st == VT_ERROR ? vt_placed(rt, s) : st;
}

/* Legacy: a method of a context is called on what as() kept in it, with its variables in sight. */
static vt_status
call_in_context(vt_rt *rt, vt_scope *ctx, const vt_site *s, const vt_value *argv, vt_value *out)
{
	vt_value zero = vt_str_c(rt, "0"), recv = vt_scope_get(rt, ctx, vt_as_str(zero));
	vt_release(zero);
	return vt_call(rt, ctx, s, recv, argv, out);
}

vt_status
vt_call(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_value recv, const vt_value *argv,
	vt_value *out)
{
	vt_ic *ic = cache_of(rt, s);
	call c;
	bool hit = false;
	vt_status st = VT_OK;
	if (unlikely(vt_is(recv, SCOPE)) && (s->unit->layers & VT_L_LEGACY))
		return call_in_context(rt, VT_AS(vt_scope, recv), s, argv, out);
	if (unlikely(vt_is(recv, HOST)) && vt_lua_has_methods(rt, recv))
		return call_on_host(rt, sc, s, recv, argv, out);
	if (ic != NULL && vt_is(recv, OBJECT) && ic->key == VT_AS(vt_object, recv)->cls) {
		st = ic->aux ? plain_method(rt, s, ic->target, recv, argv, out)
			     : cached_method(rt, sc, s, ic->target, recv, argv, out);
		return st == VT_OK ? st : st == VT_ERROR ? vt_placed(rt, s) : st;
	}
	/* #operator_. took it before the method was looked for */
	if (recv != VT_UNDEF && vt_metered(rt)) {
		VT_TRY(vt_quota_value(rt, recv));
		VT_TRY(vt_quota_expression(rt));
	}
	if (ic != NULL && ic->key == &plain_key &&
		call_plainly(rt, sc, s, ic, recv, argv, out, &st))
		return st == VT_ERROR ? vt_placed(rt, s) : st;
	open_site_call(&c, rt, sc, s);
	c.recv = recv;
	fill_site(&c, s, argv);
	if (ic != NULL && ic->key == &row_key)
		st = try_cached_row(&c, ic, &hit, out);
	if (st == VT_OK && !hit)
		st = resolve(&c, out);
	close_call(&c);
	return st == VT_ERROR ? vt_placed(rt, s) : st;
}

/* Whom a call with integers would find, without making it; its cache knows then. */
static bool
site_finds(vt_rt *rt, const vt_site *s, vt_value self, const vt_method_decl *m)
{
	vt_ic *ic = cache_of(rt, s);
	vt_value argv[SMALL];
	const cand *k = NULL;
	call c;
	if (ic == NULL || s->nargs > SMALL)
		return false;
	if (ic->key != vt_cls_of(self)) {
		for (uint32_t i = 0; i < s->nargs; i++)
			argv[i] = vt_mkint(0);
		open_site_call(&c, rt, NULL, s);
		c.recv = self;
		fill_site(&c, s, argv);
		strip_name(&c);
		if (collect(&c) == VT_OK && choose(&c, &k) == VT_OK)
			remember(&c, k);
		else
			vt_exc_clear(rt);
		close_call(&c);
	}
	return ic->key == vt_cls_of(self) && ic->target == m && ic->aux;
}

int
vt_int_method_bind(vt_rt *rt, vt_ic *own, vt_value self, const vt_bound *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!site_finds(rt, b[i].site, self, b[i].method)) {
			own->aux++;
			return 0;
		}
	own->key = vt_cls_of(self);
	return 1;
}

vt_status
vt_called(vt_rt *rt, const vt_site *s, vt_status st)
{
	return st == VT_ERROR ? vt_placed(rt, s) : st;
}

vt_status
vt_refuse(vt_rt *rt, vt_scope *sc, const vt_site *s, vt_value recv)
{
	vt_value failure = vt_exc_take(rt), argv[SMALL], *v = argv;
	vt_status st;
	call c;
	if (vt_is(recv, HOST) || vt_is(recv, SCOPE)) { /* these evaluate first: see vt_call */
		vt_exc_set(rt, failure);
		return VT_ERROR;
	}
	if (s->nargs > SMALL)
		v = vt_xmalloc(s->nargs * sizeof *v);
	for (uint32_t i = 0; i < s->nargs; i++)
		v[i] = VT_UNDEF;
	open_site_call(&c, rt, sc, s);
	c.recv = recv;
	fill_site(&c, s, v);
	strip_name(&c);
	st = collect(&c);
	close_call(&c);
	if (v != argv)
		free(v);
	if (st == VT_OK)
		vt_exc_set(rt, failure);
	else
		vt_release(failure);
	return st == VT_OK ? VT_ERROR : vt_placed(rt, s);
}

/* Plain values only: what the library and call() ask for. kwargs: a dict or NULL. */
static vt_status
call_below(vt_rt *rt, vt_scope *sc, const vt_unit *unit, const char *name, vt_value recv,
	uint32_t n, const vt_value *args, const vt_dict *kwargs, uint32_t below, vt_value *out)
{
	bool to_object = vt_is(recv, HOST) && vt_lua_has_methods(rt, recv);
	call c;
	vt_value key, v;
	vt_status st;
	memset(&c, 0, offsetof(call, small_pos));
	c.rt = rt;
	c.sc = sc;
	c.unit = unit;
	c.name = name;
	c.recv = recv;
	open_call(&c, n + 1, kwargs ? vt_dict_len(kwargs) : 0);
	c.below = below;
	if (recv != VT_UNDEF && !to_object)
		c.pos[c.npos++] = plain(recv);
	for (uint32_t i = 0; i < n; i++)
		c.pos[c.npos++] = plain(args[i]);
	for (uint32_t i = 0; kwargs != NULL && vt_dict_at(kwargs, &i, &key, &v);) {
		c.kw[c.nkw] = plain(v);
		c.kw[c.nkw++].name = vt_as_str(key);
	}
	st = to_object ? call_host(&c, out) : resolve(&c, out);
	close_call(&c);
	return st;
}

static vt_status
call_plain(vt_rt *rt, vt_scope *sc, const vt_unit *unit, const char *name, vt_value recv,
	uint32_t n, const vt_value *args, const vt_dict *kwargs, vt_value *out)
{
	return call_below(rt, sc, unit, name, recv, n, args, kwargs, UINT32_MAX, out);
}

vt_status
vt_call_super(
	const vt_args *a, uint32_t n, const vt_value *args, const vt_dict *kwargs, vt_value *out)
{
	bool method = !(a->row->flags & VT_FN_FUNCTION);
	if (method && n == 0)
		return vt_raise(a->rt, VT_E_TYPE, "%s() needs its receiver as the first argument",
			a->row->name);
	return call_below(a->rt, a->scope, a->unit, a->row->name, method ? args[0] : VT_UNDEF,
		n - method, args + method, kwargs, host_level(a->row), out);
}

vt_status
vt_call_name(vt_rt *rt, vt_scope *sc, const vt_unit *unit, const char *name, uint32_t n,
	const vt_value *args, vt_value *out)
{
	return call_plain(rt, sc, unit, name, VT_UNDEF, n, args, NULL, out);
}

vt_status
vt_call_method_name(vt_rt *rt, vt_scope *sc, const vt_unit *unit, const char *name, vt_value recv,
	uint32_t n, const vt_value *args, vt_value *out)
{
	return call_plain(rt, sc, unit, name, recv, n, args, NULL, out);
}

/*
 * call() drops keyword arguments whose name is no keyword, but the reference changes the dict that
 * it walks: the attempt is an error already.
 */
static vt_status
check_keywords(vt_rt *rt, const vt_dict *d)
{
	vt_value key, v;
	for (uint32_t i = 0; vt_dict_at(d, &i, &key, &v);) {
		const char *s;
		uint32_t cp;
		if (!vt_is(key, STR))
			return vt_raise(rt, VT_E_TYPE,
				"expected string or bytes-like object, got '%s'", vt_py_type(key));
		s = vt_as_str(key)->s;
		if (strncmp(s, "__", 2) == 0 || vt_as_str(key)->bytes == 0)
			return vt_raise(
				rt, VT_E_RUNTIME, "dictionary changed size during iteration");
		cp = vt_utf8_next(&s);
		if (!vt_is_word(cp) || vt_digit_value(cp) >= 0)
			return vt_raise(
				rt, VT_E_RUNTIME, "dictionary changed size during iteration");
	}
	return VT_OK;
}

vt_status
vt_call_dynamic(vt_rt *rt, vt_scope *sc, const vt_unit *unit, const vt_str *name, vt_value recv,
	vt_value args_seq, vt_value kwargs, vt_value *out)
{
	const vt_dict *kw = vt_is(kwargs, DICT) ? vt_as_dict(kwargs) : NULL;
	vt_list *l = vt_is_sequence(args_seq) ? vt_as_list(args_seq) : NULL;
	if (recv == VT_NOVALUE)
		recv = VT_UNDEF;
	if (kw != NULL)
		VT_TRY(check_keywords(rt, kw));
	return call_plain(rt, sc, unit, name->s, recv, l ? l->n : 0, l ? l->v : NULL, kw, out);
}

/* `a.name` where nothing simpler applies: the function #operator_. with a bare word on the
 * right. */
vt_status
vt_call_member(vt_rt *rt, vt_scope *sc, const vt_unit *unit, const vt_site *site, vt_value a,
	const vt_str *name, vt_value *out)
{
	vt_arg word = {.kind = VT_A_KEYWORD, .value = name};
	call c;
	vt_status st;
	memset(&c, 0, offsetof(call, small_pos));
	c.rt = rt;
	c.sc = sc;
	c.unit = unit;
	c.name = "#operator_.";
	c.recv = VT_UNDEF;
	open_call(&c, 2, 0);
	c.pos[c.npos++] = plain(a);
	c.pos[c.npos++] = written(&word, VT_UNDEF);
	st = resolve(&c, out);
	close_call(&c);
	return st == VT_ERROR ? vt_placed(rt, site) : st;
}
