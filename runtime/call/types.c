/*
 * types.c - what a parameter of a row takes, and which of two types is the more special one.
 */
#include "runtime/call/resolve.h"
#include "runtime/core/kind.h"
#include "runtime/object/object.h"
#include "runtime/seq/seq.h"

static bool
is_reflect(vt_value v, enum vt_reflect r)
{
	return vt_is(v, REFLECT) && vt_head_of(v)->aux == r;
}

bool
vt_type_takes(const vt_unit *u, uint8_t type, vt_value v)
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
	case VT_T_OWN:
	case VT_T_OWN_LAZY:
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
	case VT_T_SCRIPT_OBJECT: return vt_is(v, HOST) && vt_foreign_of(v) == NULL;
	case VT_T_COUNT: return false;
	}
	return false;
}

static bool
one_takes(const vt_unit *u, uint64_t types, vt_value v)
{
	for (uint8_t t = 0; t < VT_T_COUNT; t++)
		if (types >> t & 1 && vt_type_takes(u, t, v))
			return true;
	return false;
}

bool
vt_type_check(vt_rt *rt, const vt_unit *unit, const vt_fnparam *p, vt_value v)
{
	if (v == VT_NULL)
		return p->nullable && !(p->type == VT_T_EXPR || p->type == VT_T_RULE_LAZY ||
					      p->type == VT_T_KEYWORD);
	if (p->type == VT_T_MIXED)
		return (p->any == 0 || one_takes(unit, p->any, v)) && !one_takes(unit, p->none, v);
	if (p->own != NULL)
		return vt_own_takes(rt, unit, p->own, v);
	return vt_type_takes(unit, p->type, v);
}

/* An expression that the type of a host is to look at. */
static bool
takes_expression(const call *c, const vt_fnparam *p, const carg *g)
{
	vt_value made = vt_lazy_value(c, p, g), v = made != VT_UNDEF ? made : g->v;
	bool takes = v == VT_NULL ? p->nullable : vt_own_takes(c->rt, c->unit, p->own, v);
	vt_release(made);
	return takes;
}

/* What can be said of the argument as it stands: values and constants by value, expressions by
 * form. */
bool
vt_check_arg(const call *c, const vt_fnparam *p, const carg *g)
{
	bool constant = is_constant(g->kind);
	if (p->type == VT_T_OWN_LAZY)
		return takes_expression(c, p, g);
	if (g->kind == RAW || g->kind == VT_A_NOVALUE)
		return vt_type_check(c->rt, c->unit, p, g->v);
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
	case VT_T_SCRIPT_OBJECT:
	case VT_T_OWN:
	case VT_T_OWN_LAZY:
	case VT_T_MIXED:
	case VT_T_COUNT: return !constant || vt_type_check(c->rt, c->unit, p, g->v);
	}
	return false;
}

/*
 * Is the class behind type a a proper subclass of the one behind b?  Types that stand for several
 * classes (number, object, type) and the syntactic ones never are, nor have they subclasses.
 */
bool
vt_more_special(uint8_t a, uint8_t b)
{
	bool single = !vt_is_lazy_type(a) && a != VT_T_NUMBER && a != VT_T_OBJECT &&
		      a != VT_T_TYPE && a != VT_T_NOT_OBJECT && a != VT_T_MIXED &&
		      a != VT_T_CONST && a != VT_T_BOOL_CONST && a != VT_T_NUMBER_CONST &&
		      a != VT_T_KEYWORD && a != VT_T_STRING_CONST && a != VT_T_OWN;
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
