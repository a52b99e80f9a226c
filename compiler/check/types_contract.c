/*
 * types_contract.c - contracts over types and constants (T1 to T13): what passes and what comes
 * out.
 *
 * A contract gets a set of kinds and gives the set of what it makes of them; an empty set means
 * that it takes no such value.  Where it is not certain what a contract does, everything passes.
 */
#include "compiler/check/types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = VC_K_BOOL | VC_K_INT | VC_K_FLOAT, DEPTH_MAX = 100 };

typedef struct pass {
	vc_types *p;
	const mpl_class *cls;
	const ynode *node;
	ty_misfit *m;
	uint32_t depth;
} pass;

static vc_type contract(pass *, const ynode *, ty_value);

/* ---- constants ---- */

typedef struct constant {
	enum { C_NONE, C_NULL, C_BOOL, C_NUMBER, C_TEXT } kind;
	double f;
	bool exact; /* the number is small enough for f */
	const char *text;
	uint32_t n;
} constant;

static constant
constant_of(ty_value v)
{
	if (v.q)
		switch ((enum yq_kind)v.q->kind) {
		case YQ_NULL: return (constant){.kind = C_NULL};
		case YQ_TRUE:
		case YQ_FALSE:
			return (constant){.kind = C_BOOL, .f = v.q->kind == YQ_TRUE, .exact = true};
		case YQ_NUMBER:
			return (constant){.kind = C_NUMBER,
				.f = strtod(v.q->text, NULL),
				.exact = v.q->ntext < 15};
		case YQ_STRING:
		case YQ_KEYWORD:
			return (constant){.kind = C_TEXT, .text = v.q->text, .n = v.q->ntext};
		case YQ_VAR:
		case YQ_CALL:
		case YQ_INVOKE:
		case YQ_BINARY:
		case YQ_UNARY:
		case YQ_INDEX:
		case YQ_LIST:
		case YQ_MAP:
		case YQ_MAPPING:
		case YQ_WRAP:
		case YQ_EMPTY:
		case YQ_ERROR: break;
		}
	if (v.y == NULL || v.y->kind != YN_SCALAR || v.y->is_expr)
		return (constant){.kind = C_NONE};
	switch ((enum yn_type)v.y->type) {
	case YT_NULL: return (constant){.kind = C_NULL};
	case YT_BOOL: return (constant){.kind = C_BOOL, .f = v.y->i != 0, .exact = true};
	case YT_INT:
		return (constant){.kind = C_NUMBER,
			.f = (double)v.y->i,
			.exact = v.y->fits && v.y->i > -(1ll << 50) && v.y->i < 1ll << 50};
	case YT_FLOAT: return (constant){.kind = C_NUMBER, .f = v.y->f, .exact = v.y->ntext < 15};
	case YT_STR: return (constant){.kind = C_TEXT, .text = v.y->text, .n = v.y->ntext};
	case YT_DATE:
	case YT_DATETIME:
	case YT_BINARY: break;
	}
	return (constant){.kind = C_NONE};
}

/* 1 and 0: surely the same, surely not; -1: unknown. 1 = 1.0 = true, as in Python. */
static int
same_constant(constant a, constant b)
{
	bool na = a.kind == C_BOOL || a.kind == C_NUMBER,
	     nb = b.kind == C_BOOL || b.kind == C_NUMBER;

	if (a.kind == C_NONE || b.kind == C_NONE)
		return -1;
	if (na && nb)
		return a.exact && b.exact ? a.f == b.f : -1;
	if (a.kind != b.kind)
		return 0;
	return a.kind == C_NULL || (a.n == b.n && memcmp(a.text, b.text, a.n) == 0);
}

/* May int() of Python read the text? Only what surely fails is refused: characters outside ASCII
 * may be digits. */
static bool
reads_as_int(constant v)
{
	bool digit = false;

	for (uint32_t i = 0; i < v.n; i++) {
		unsigned char ch = (unsigned char)v.text[i];
		if (ch >= 0x80)
			return true;
		if (!strchr("0123456789_+- \t\n\r\f\v", ch) || ch == 0)
			return false;
		digit |= ch >= '0' && ch <= '9';
	}
	return digit;
}

/* ---- check(): predicates over a constant ---- */

static bool
is_binary(const yq_node *e, const char *op)
{
	return e->kind == YQ_BINARY && e->n == 2 && strcmp(e->text, op) == 0;
}

static bool
is_negative(const yq_node *e)
{
	return e->kind == YQ_UNARY && e->n == 1 && strcmp(e->text, "-") == 0 &&
	       e->kid[0]->kind == YQ_NUMBER;
}

static constant
operand(const yq_node *e, constant it)
{
	e = yq_unwrap(e);
	if (e->kind == YQ_VAR && e->ntext == 0)
		return it;
	if (is_negative(e)) {
		constant v = constant_of((ty_value){.q = e->kid[0]});
		v.f = -v.f;
		return v;
	}
	if (is_binary(e, ".") && yq_unwrap(e->kid[0])->kind == YQ_VAR &&
		yq_unwrap(e->kid[0])->ntext == 0 && e->kid[1]->kind == YQ_CALL &&
		strcmp(e->kid[1]->text, "len") == 0 && e->kid[1]->n == 0 && it.kind == C_TEXT) {
		uint32_t points = 0;
		for (uint32_t i = 0; i < it.n; i++)
			points += ((unsigned char)it.text[i] & 0xc0) != 0x80;
		return (constant){.kind = C_NUMBER, .f = points, .exact = true};
	}
	return constant_of((ty_value){.q = e});
}

static int
compare(const char *op, constant a, constant b)
{
	int order;

	if (a.kind == C_NUMBER && b.kind == C_NUMBER && a.exact && b.exact)
		order = a.f < b.f ? -1 : a.f > b.f;
	else
		return -1;
	if (strcmp(op, "<") == 0)
		return order < 0;
	if (strcmp(op, "<=") == 0)
		return order <= 0;
	if (strcmp(op, ">") == 0)
		return order > 0;
	return strcmp(op, ">=") == 0 ? order >= 0 : -1;
}

static int
among(const yq_node *list, constant v, constant it)
{
	int known = 0;

	list = yq_unwrap(list);
	if (list->kind != YQ_LIST && !(list->kind == YQ_CALL && strcmp(list->text, "list") == 0))
		return -1;
	for (uint32_t i = 0; i < list->n; i++) {
		int eq = same_constant(v, operand(list->kid[i], it));
		if (eq == 1)
			return 1;
		known |= eq < 0;
	}
	return known ? -1 : 0;
}

/* 1: holds, 0: does not, -1: who knows. */
static int
predicate(const yq_node *e, constant it)
{
	int a, b;

	e = yq_unwrap(e);
	if (e->kind == YQ_UNARY && strcmp(e->text, "not") == 0)
		return (a = predicate(e->kid[0], it)) < 0 ? a : !a;
	if (e->kind != YQ_BINARY || e->n != 2)
		return -1;
	if (strcmp(e->text, "and") == 0 || strcmp(e->text, "or") == 0) {
		int stop = e->text[0] == 'o';
		a = predicate(e->kid[0], it);
		b = predicate(e->kid[1], it);
		return a == stop || b == stop ? stop : a < 0 || b < 0 ? -1 : !stop;
	}
	if (strcmp(e->text, "in") == 0)
		return among(e->kid[1], operand(e->kid[0], it), it);
	if (strcmp(e->text, "=") == 0)
		return same_constant(operand(e->kid[0], it), operand(e->kid[1], it));
	if (strcmp(e->text, "!=") == 0)
		return (a = same_constant(operand(e->kid[0], it), operand(e->kid[1], it))) < 0 ? a
											       : !a;
	return compare(e->text, operand(e->kid[0], it), operand(e->kid[1], it));
}

/* ---- contract functions ---- */

static ty_value
nothing(pass *s, const char *what)
{
	if (s->m->what == NULL)
		s->m->what = what;
	return (ty_value){.type = {0}};
}

static ty_value
restrict_to(pass *s, ty_value in, uint32_t kinds, const char *what)
{
	in.type.kinds &= kinds;
	return in.type.kinds ? in : nothing(s, what);
}

static ty_value
to_string(pass *s, ty_value in)
{
	uint32_t null = in.type.kinds & VC_K_NULL;

	in = restrict_to(s, in,
		VC_K_ALL & ~(VC_K_FLOAT | VC_K_LIST | VC_K_ITER | VC_K_DICT | VC_K_SET),
		"string()");
	if (in.type.kinds == 0)
		return in;
	bool text = in.type.kinds == VC_K_STR;
	in.type = (vc_type){.kinds = in.type.kinds == VC_K_NULL ? VC_K_NULL : null | VC_K_STR};
	if (!text && !(null && in.type.kinds == VC_K_NULL))
		in.y = NULL, in.q = NULL;
	return in;
}

static ty_value
to_int(pass *s, ty_value in)
{
	constant v = constant_of(in);
	uint32_t null = in.type.kinds & VC_K_NULL;

	if (v.kind == C_TEXT && !reads_as_int(v))
		return nothing(s, "int()");
	in = restrict_to(s, in,
		VC_K_NULL | VC_K_BOOL | VC_K_INT | VC_K_FLOAT | VC_K_STR | VC_K_OTHER, "int()");
	if (in.type.kinds == 0 || in.type.kinds == VC_K_NULL)
		return in;
	if (in.type.kinds != VC_K_INT)
		in.y = NULL, in.q = NULL;
	in.type = (vc_type){.kinds = null | VC_K_INT};
	return in;
}

static ty_value
to_bool(ty_value in)
{
	uint32_t null = in.type.kinds & VC_K_NULL;

	if (in.type.kinds == VC_K_NULL || in.type.kinds == VC_K_BOOL)
		return in;
	return (ty_value){.type = {.kinds = null | VC_K_BOOL}};
}

static const yq_node *
argument(const yq_node *call, uint32_t at, const char *name)
{
	for (uint32_t i = 0; i < call->n; i++) {
		const yq_node *a = call->kid[i];
		if (a->kind != YQ_MAPPING ? i == at
					  : a->kid[0]->kind == YQ_KEYWORD &&
						    strcmp(a->kid[0]->text, name) == 0)
			return yq_unwrap(a->kind == YQ_MAPPING ? a->kid[1] : a);
	}
	return NULL;
}

static const mpl_class *
class_of(pass *s, const yq_node *e)
{
	if (e == NULL)
		return NULL;
	if (e->kind == YQ_KEYWORD || e->kind == YQ_STRING)
		return ty_class(s->p, s->cls, e->text);
	if ((e->kind == YQ_BINARY || e->kind == YQ_UNARY) && strcmp(e->text, ":") == 0 &&
		e->kid[e->n - 1]->kind == YQ_KEYWORD)
		return ty_class(s->p, s->cls,
			vc_format(s->p->c, "%s:%s", e->n > 1 ? e->kid[0]->text : "",
				e->kid[e->n - 1]->text));
	return NULL;
}

/* Of two classes of one package, which one class would have to join: nobody in sight does. */
static bool
unrelated(vc_types *p, const mpl_class *a, const mpl_class *b)
{
	return a->pkg == b->pkg && !a->native && !b->native && !ty_meet(p, a, b);
}

/* A dict is made an object, a text is the id of one. */
static ty_value
to_object(pass *s, ty_value in, const yq_node *call, bool template)
{
	const mpl_class *want = class_of(s, argument(call, 0, template ? "type" : "name"));
	const char *what = template ? "template()" : "class()";
	uint32_t null = in.type.kinds & VC_K_NULL;
	const vc_type had = in.type;

	const mpl_package *from = argument(call, 2, "versionSpec") ? NULL : s->cls->pkg;

	if (want && in.type.kinds & VC_K_OBJECT && in.type.cls && ty_whole(s->p, in.type.cls) &&
		(in.type.exact ? !ty_extends(s->p, in.type.cls, want)
			       : unrelated(s->p, in.type.cls, want)) &&
		!ty_versions_meet(s->p, in.type.cls, want, from))
		in.type.kinds &= ~(uint32_t)VC_K_OBJECT;
	in = restrict_to(s, in,
		VC_K_NULL | VC_K_OBJECT | VC_K_DICT | VC_K_STR | VC_K_OTHER | VC_K_TYPE, what);
	if (in.type.kinds == 0) {
		if (had.kinds & VC_K_OBJECT && want)
			s->m->detail =
				vc_format(s->p->c, "it takes objects of class \"%s\"", want->name);
		return in;
	}
	if (in.type.kinds == VC_K_NULL)
		return in;
	if (template)
		return (ty_value){
			.type = {.kinds = VC_K_ALL & (null ? VC_K_ALL : ~(uint32_t)VC_K_NULL)}};
	vc_type out = {.kinds = null | VC_K_OBJECT, .cls = want};
	if (want && had.kinds & VC_K_OBJECT && had.cls && !(had.kinds & (VC_K_DICT | VC_K_STR)) &&
		ty_extends(s->p, had.cls, want))
		out.cls = had.cls, out.exact = had.exact;
	return (ty_value){.type = out};
}

static ty_value
checked(pass *s, ty_value in, const yq_node *call)
{
	const yq_node *e = argument(call, 0, "predicate");
	constant it = constant_of(in);

	if (e == NULL || it.kind == C_NONE || it.kind == C_NULL || predicate(e, it) != 0)
		return in;
	s->m->detail = vc_format(s->p->c, "the predicate is %s",
		vc_strndup(s->p->c, s->node->text + e->from, e->to - e->from));
	return nothing(s, "check()");
}

static bool
is_contract(const char *name)
{
	static const char *const names[] = {"string", "int", "bool", "notNull", "class", "template",
		"check", "owned", "notOwned"};

	for (size_t i = 0; i < VC_LEN(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static ty_value
apply(pass *s, ty_value in, const yq_node *call)
{
	const char *f = call->text;

	if (strcmp(f, "string") == 0)
		return to_string(s, in);
	if (strcmp(f, "int") == 0)
		return to_int(s, in);
	if (strcmp(f, "bool") == 0)
		return to_bool(in);
	if (strcmp(f, "notNull") == 0)
		return restrict_to(s, in, VC_K_ALL & ~(uint32_t)VC_K_NULL, "notNull()");
	if (strcmp(f, "class") == 0 || strcmp(f, "template") == 0)
		return to_object(s, in, call, f[0] == 't');
	if (strcmp(f, "check") == 0)
		return checked(s, in, call);
	return restrict_to(s, in, VC_K_NULL | VC_K_OBJECT | VC_K_OTHER | VC_K_DICT | VC_K_STR,
		f[0] == 'o' ? "owned()" : "notOwned()");
}

/* `$` and contract functions called on it; any other YAQL may make anything of the value. */
static ty_value
chain(pass *s, const yq_node *e, ty_value in)
{
	e = yq_unwrap(e);
	if (e->kind == YQ_VAR && e->ntext == 0)
		return in;
	if (is_binary(e, ".") && e->kid[1]->kind == YQ_CALL && is_contract(e->kid[1]->text)) {
		ty_value v = chain(s, e->kid[0], in);
		return v.type.kinds == 0 ? v : apply(s, v, e->kid[1]);
	}
	return (ty_value){.type = {.kinds = VC_K_ALL}};
}

static vc_type
expression(pass *s, const ynode *c, ty_value in)
{
	s->node = c;
	return chain(s, c->expr, in).type;
}

/* ---- constants, lists, dicts ---- */

static vc_type
type_of_constant(const ynode *y)
{
	static const uint32_t kinds[] = {[YT_STR] = VC_K_STR,
		[YT_NULL] = VC_K_NULL,
		[YT_BOOL] = VC_K_BOOL,
		[YT_INT] = VC_K_INT,
		[YT_FLOAT] = VC_K_FLOAT,
		[YT_DATE] = VC_K_OTHER,
		[YT_DATETIME] = VC_K_OTHER,
		[YT_BINARY] = VC_K_STR | VC_K_OTHER};

	return ty_make(kinds[y->type]);
}

static vc_type
exact_value(pass *s, const ynode *c, ty_value in)
{
	vc_type t = type_of_constant(c);
	uint32_t like = t.kinds & NUMBERS ? NUMBERS : t.kinds;

	if (same_constant(constant_of(in), constant_of((ty_value){.y = c})) == 0 ||
		!(in.type.kinds & (like | VC_K_OTHER)))
		return nothing(s, vc_format(s->p->c, "the constant %s", mpl_show(s->p->c, c))).type;
	return t;
}

static ty_value
value_of(pass *s, const ynode *y)
{
	static const uint32_t shape[] = {[YN_SEQ] = VC_K_LIST,
		[YN_MAP] = VC_K_DICT,
		[YN_ERROR] = VC_K_ALL,
		[YN_SCALAR] = VC_K_ALL};

	(void)s;
	if (y->kind != YN_SCALAR)
		return (ty_value){.type = {.kinds = shape[y->kind]}, .y = y};
	if (y->is_expr)
		return (ty_value){.type = {.kinds = VC_K_ALL}};
	return (ty_value){.type = type_of_constant(y), .y = y};
}

/* One item, where the constant stands. */
static vc_type
part(pass *s, const ynode *c, const ynode *y)
{
	vc_type t = contract(s, c, value_of(s, y));

	if (t.kinds == 0 && s->m->at == NULL)
		s->m->at = y;
	return t;
}

static bool
is_length(const ynode *v)
{
	return v->kind == YN_SCALAR && !v->is_expr && (v->type == YT_INT || v->type == YT_BOOL);
}

static bool
length_fits(pass *s, const ynode *c, uint32_t items, uint32_t n)
{
	int64_t least = items < c->n ? c->item[items]->i : 0;
	int64_t most = c->n - items == 2 ? c->item[items + 1]->i : INT64_MAX;

	if ((int64_t)n >= least && (int64_t)n <= most)
		return true;
	s->m->detail = vc_format(s->p->c, "it has %u items", n);
	nothing(s, c->n - items == 2
			   ? vc_format(s->p->c, "a length from %lld to %lld", (long long)least,
				     (long long)most)
			   : vc_format(s->p->c, "a length from %lld on", (long long)least));
	return false;
}

static vc_type
list(pass *s, const ynode *c, ty_value in)
{
	const uint32_t listed = VC_K_LIST | VC_K_ITER | VC_K_SET;
	uint32_t items = c->n;
	vc_type out = {.kinds = VC_K_LIST}, *item;

	for (int i = 0; i < 2 && items > 0 && is_length(c->item[items - 1]); i++)
		items--;
	if (items == 0)
		return out;
	if (in.type.kinds == VC_K_NULL && !length_fits(s, c, items, 0))
		return ty_make(0);
	if (in.y && in.y->kind == YN_SEQ) {
		if (!length_fits(s, c, items, in.y->n))
			return ty_make(0);
		for (uint32_t i = 0; i < in.y->n; i++)
			if (part(s, c->item[i < items ? i : items - 1], in.y->item[i]).kinds == 0)
				return ty_make(0);
	} else if (!(in.type.kinds & (listed | VC_K_NULL | VC_K_OTHER)) &&
		   contract(s, c->item[0], in).kinds == 0) /* becomes a list of one */
		return ty_make(0);
	item = vc_alloc(s->p->c, sizeof *item);
	ty_misfit none = {0}, *outer = s->m;
	s->m = &none;
	for (uint32_t i = 0; i < items; i++)
		*item = vc_type_join(s->p->c, *item,
			contract(s, c->item[i], (ty_value){.type = {.kinds = VC_K_ALL}}));
	s->m = outer;
	if (item->kinds)
		out.item = item;
	return out;
}

static const ynode *
value_at(const ynode *map, const ynode *key)
{
	for (uint32_t i = 0; i < map->n; i++)
		if (map->key[i]->kind == YN_SCALAR && !map->key[i]->is_expr &&
			map->key[i]->type == key->type && strcmp(map->key[i]->text, key->text) == 0)
			return map->item[i];
	return NULL;
}

static bool
has_expressions(const ynode *map)
{
	for (uint32_t i = 0; i < map->n; i++)
		if (map->key[i]->kind != YN_SCALAR || map->key[i]->is_expr)
			return true;
	return false;
}

/* A missing key is null, and the contract sees it. */
static bool
dict_items(pass *s, const ynode *c, const ynode *y)
{
	if (has_expressions(y))
		return true;
	for (uint32_t i = 0; i < c->n; i++) {
		const ynode *key = c->key[i], *v;
		if (key->kind != YN_SCALAR || key->is_expr)
			continue;
		v = value_at(y, key);
		if (v ? part(s, c->item[i], v).kinds == 0
		      : contract(s, c->item[i], (ty_value){.type = {.kinds = VC_K_NULL}}).kinds ==
					0) {
			if (!v)
				s->m->detail =
					vc_format(s->p->c, "key \"%s\" is missing", key->text);
			return false;
		}
	}
	return true;
}

/* Keys that no constant names go through the one expression key. */
static bool
dict_rest(pass *s, const ynode *c, const ynode *y)
{
	const ynode *key = NULL, *value = NULL;

	for (uint32_t i = 0; i < c->n; i++)
		if (c->key[i]->kind == YN_SCALAR && c->key[i]->is_expr) {
			if (key)
				return true;
			key = c->key[i];
			value = c->item[i];
		}
	for (uint32_t i = 0; key && i < y->n; i++)
		if (y->key[i]->kind == YN_SCALAR && !y->key[i]->is_expr &&
			!value_at(c, y->key[i]) &&
			(part(s, key, y->key[i]).kinds == 0 ||
				part(s, value, y->item[i]).kinds == 0))
			return false;
	return true;
}

/* Without an expression as a key, what the contract does not name is left out. */
static vc_type
keyed(pass *s, const ynode *c)
{
	vc_keys *keys;

	if (c->n == 0 || has_expressions(c))
		return ty_make(VC_K_DICT);
	keys = vc_alloc(s->p->c, sizeof *keys);
	*keys = (vc_keys){s->cls, c};
	return (vc_type){.kinds = VC_K_DICT, .keys = keys};
}

static vc_type
dict(pass *s, const ynode *c, ty_value in)
{
	static const ynode empty = {.kind = YN_MAP};

	if (!(in.type.kinds & (VC_K_DICT | VC_K_NULL | VC_K_OTHER)))
		return nothing(s, "a dict").type;
	if (in.type.kinds == VC_K_NULL && !dict_items(s, c, &empty))
		return ty_make(0);
	if (in.y && in.y->kind == YN_MAP && (!dict_items(s, c, in.y) || !dict_rest(s, c, in.y)))
		return ty_make(0);
	return keyed(s, c);
}

static vc_type
contract(pass *s, const ynode *c, ty_value in)
{
	vc_type out = ty_make(VC_K_ALL);

	if (s->depth >= DEPTH_MAX)
		return out;
	s->depth++;
	switch ((enum yn_kind)c->kind) {
	case YN_SCALAR:
		if (!c->is_expr)
			out = exact_value(s, c, in);
		else if (c->expr)
			out = expression(s, c, in);
		break;
	case YN_SEQ: out = c->n ? list(s, c, in) : ty_make(VC_K_LIST); break;
	case YN_MAP: out = dict(s, c, in); break;
	case YN_ERROR: break;
	}
	s->depth--;
	return out;
}

vc_type
ty_contract(vc_types *p, const mpl_class *cls, const ynode *c, ty_value in, ty_misfit *m)
{
	pass s = {.p = p, .cls = cls, .m = m};

	*m = (ty_misfit){0};
	if (c == NULL)
		return ty_make(VC_K_ALL);
	return contract(&s, c, in);
}

vc_type
vc_contract_type(vc *c, const mpl_class *cls, const ynode *node)
{
	ty_misfit m;
	vc_type t =
		ty_contract(ty_program(c), cls, node, (ty_value){.type = {.kinds = VC_K_ALL}}, &m);

	return t.kinds ? t : ty_make(VC_K_ALL);
}
