/*
 * types_expr.c - the type of an expression, and of the variables of a method.
 *
 * A variable has one type: the join of its contract, when it is an argument, and of all that is
 * assigned to it.  The statements are walked until the types stop growing; only then, in one more
 * walk, faults are reported.  While types grow, no kinds at all means "nothing is known yet".
 */
#include "compiler/check/types.h"
#include "runtime/core/value.h"

#include <string.h>

enum { MAX_ROUNDS = 8 };

static bool
is_word(const yq_node *e, const char *s)
{
	return strcmp(e->text, s) == 0;
}

static vc_type
anything(void)
{
	return ty_make(VC_K_ALL);
}

static vc_type
of_class(const mpl_class *cls)
{
	return (vc_type){.kinds = VC_K_OBJECT, .cls = cls};
}

/* ---- variables ---- */

static struct ty_var *
ty_variable(vc_typing *t, const char *name, bool add)
{
	const void **slot = ty_slot(t->c, &t->index, NULL, 0, name, add);

	if (slot == NULL)
		return NULL;
	if (*slot == NULL) {
		vc_push(t->c, t->vars, t->nvars) = (struct ty_var){.name = name};
		*slot = (const void *)(uintptr_t)t->nvars;
	}
	return &t->vars[(uintptr_t)*slot - 1];
}

static void
grow(vc_typing *t, const char *name, vc_type with)
{
	struct ty_var *v = ty_variable(t, name, true);
	vc_type was = v->type, now = vc_type_join(t->c, was, with);

	t->changed |= now.kinds != was.kinds || now.cls != was.cls || now.exact != was.exact ||
		      !now.keys != !was.keys || !now.item != !was.item ||
		      (now.item && now.item != was.item && now.item->kinds != was.item->kinds);
	v->type = now;
}

/* Assignment evaluates what is lazy. */
static vc_type
settled(vc_type v)
{
	if (v.kinds & (VC_K_ITER | VC_K_SET))
		v.kinds = (v.kinds & ~(uint32_t)VC_K_ITER) | VC_K_LIST;
	return v;
}

static vc_type
without_keys(vc_type v)
{
	v.keys = NULL;
	return v;
}

/* ---- expressions ---- */

static vc_type
of_variable(vc_typing *t, const yq_node *e)
{
	struct ty_var *v;

	if (e->ntext == 0 || is_word(e, "1"))
		return t->dollar;
	if (is_word(e, "this"))
		return t->self;
	v = ty_variable(t, e->text, false);
	if (v) {
		v->read = true;
		if (t->dynamic)
			return anything();
		if (v->type.kinds == 0 && t->grown)
			return anything();
		return v->opened ? without_keys(v->type) : v->type;
	}
	if (!t->dynamic && t->method && !t->broken && e->text[0] != '?' &&
		(e->text[0] < '0' || e->text[0] > '9'))
		ty_report(t, &(ty_fault){.kind = TF_VARIABLE, .at = e, .name = e->text});
	return t->grown || t->dynamic ? anything() : ty_make(0);
}

static vc_type
type_reference(vc_typing *t, const yq_node *e)
{
	const yq_node *last = e->kid[e->n - 1];

	if (last->kind != YQ_KEYWORD || e->kid[0]->kind != YQ_KEYWORD)
		return ty_make(VC_K_TYPE);
	return (vc_type){.kinds = VC_K_TYPE,
		.cls = ty_class(t->p, t->cls,
			vc_format(t->c, "%s:%s", e->n > 1 ? e->kid[0]->text : "", last->text))};
}

static vc_type
walk(vc_typing *t, const yq_node *e)
{
	return vc_type_of(t, t->node, e);
}

/* The right side runs in a context that the left side makes. */
static vc_type
in_context(vc_typing *t, const yq_node *e)
{
	vc_type dollar = t->dollar, out;

	walk(t, e->kid[0]);
	t->dollar = anything();
	t->dynamic++;
	out = walk(t, e->kid[1]);
	t->dynamic--;
	t->dollar = dollar;
	return out;
}

/* Booleans are numbers to the operator.  A test for null is made to be sure. */
void
ty_unequal(vc_typing *t, const yq_node *e, vc_type a, vc_type b)
{
	const uint32_t numbers = VC_K_BOOL | VC_K_INT | VC_K_FLOAT;
	const uint32_t known = numbers | VC_K_STR | VC_K_LIST | VC_K_DICT | VC_K_NULL;
	uint32_t left = a.kinds & numbers ? a.kinds | numbers : a.kinds;

	if (a.kinds == VC_K_NULL || b.kinds == VC_K_NULL || left & b.kinds ||
		(a.kinds | b.kinds) & ~known || a.kinds == 0 || b.kinds == 0)
		return;
	ty_report(t, &(ty_fault){.kind = TF_UNEQUAL,
			     .at = e,
			     .name = e ? e->text : NULL,
			     .recv = a,
			     .got = b});
}

/* What two constants give is told elsewhere. */
static void
equality(vc_typing *t, const yq_node *e)
{
	vc_type a = walk(t, e->kid[0]), b = walk(t, e->kid[1]);

	if (vc_literal_kinds(yq_unwrap(e->kid[0])) == VC_K_ALL ||
		vc_literal_kinds(yq_unwrap(e->kid[1])) == VC_K_ALL)
		ty_unequal(t, e, a, b);
}

static vc_type
of_binary(vc_typing *t, const yq_node *e)
{
	vc_type a, b;

	if (is_word(e, ":"))
		return type_reference(t, e);
	if (is_word(e, ".") || is_word(e, "?.")) {
		a = walk(t, e->kid[0]);
		t->receiver = yq_unwrap(e->kid[0]);
		if (t->member)
			t->member(t->who, e->kid[1], a);
		if (is_word(e, ".") && a.kinds && vc_literal_kinds(e->kid[1]) != VC_K_ALL &&
			e->kid[1]->kind != YQ_KEYWORD)
			ty_report(t, &(ty_fault){.kind = TF_MEMBER, .at = e->kid[1], .recv = a});
		b = ty_member(t, e->kid[1], a);
		if (is_word(e, "?.") && b.kinds)
			b.kinds |= VC_K_NULL;
		return b;
	}
	if (is_word(e, "->"))
		return in_context(t, e);
	if (is_word(e, "and") || is_word(e, "or")) {
		a = walk(t, e->kid[0]);
		b = walk(t, e->kid[1]);
		return vc_type_join(t->c, a, b);
	}
	if (is_word(e, "=") || is_word(e, "!=")) {
		equality(t, e);
		return ty_make(VC_K_BOOL);
	}
	if (is_word(e, "is")) {
		walk(t, e->kid[0]);
		walk(t, e->kid[1]);
		return ty_make(VC_K_BOOL);
	}
	return ty_function(t, e, vc_format(t->c, "#operator_%s", e->text), e->kid, 2);
}

static vc_type
of_list(vc_typing *t, const yq_node *e)
{
	vc_type out = {.kinds = VC_K_LIST}, *item = vc_alloc(t->c, sizeof *item);

	for (uint32_t i = 0; i < e->n; i++)
		*item = vc_type_join(t->c, *item, walk(t, e->kid[i]));
	if (item->kinds && item->kinds != VC_K_ALL)
		out.item = item;
	return out;
}

static vc_type
of_kids(vc_typing *t, const yq_node *e, vc_type out)
{
	for (uint32_t i = 0; i < e->n; i++)
		walk(t, e->kid[i]);
	return out;
}

uint32_t
vc_literal_kinds(const yq_node *e)
{
	static const uint32_t kinds[] = {
		[YQ_NULL] = VC_K_NULL,
		[YQ_TRUE] = VC_K_BOOL,
		[YQ_FALSE] = VC_K_BOOL,
		[YQ_NUMBER] = VC_K_INT,
		[YQ_STRING] = VC_K_STR,
		[YQ_KEYWORD] = VC_K_STR,
		[YQ_LIST] = VC_K_LIST,
		[YQ_MAP] = VC_K_DICT,
		[YQ_ERROR] = 0,
	};

	if (e->kind == YQ_NUMBER && e->is_float)
		return VC_K_FLOAT;
	return kinds[e->kind] ? kinds[e->kind] : VC_K_ALL;
}

vc_type
vc_type_of(vc_typing *t, const ynode *node, const yq_node *e)
{
	t->node = node;
	switch ((enum yq_kind)e->kind) {
	case YQ_NULL:
	case YQ_TRUE:
	case YQ_FALSE:
	case YQ_NUMBER:
	case YQ_STRING:
	case YQ_KEYWORD: return ty_make(vc_literal_kinds(e));
	case YQ_VAR: return of_variable(t, e);
	case YQ_CALL: return ty_function(t, e, e->text, e->kid, e->n);
	case YQ_BINARY: return of_binary(t, e);
	case YQ_UNARY:
		if (is_word(e, ":"))
			return type_reference(t, e);
		if (is_word(e, "not"))
			return of_kids(t, e, ty_make(VC_K_BOOL));
		return ty_function(t, e, vc_format(t->c, "#unary_operator_%s", e->text), e->kid, 1);
	case YQ_INDEX: return ty_function(t, e, "#indexer", e->kid, e->n);
	case YQ_LIST: return of_list(t, e);
	case YQ_MAP: return of_kids(t, e, ty_make(VC_K_DICT));
	case YQ_WRAP: return e->n == 1 ? walk(t, e->kid[0]) : of_kids(t, e, anything());
	case YQ_INVOKE:
	case YQ_MAPPING: return of_kids(t, e, anything());
	case YQ_EMPTY:
	case YQ_ERROR: break;
	}
	return anything();
}

vc_type
ty_value_type(vc_typing *t, const ynode *v)
{
	vc_type out = {.kinds = VC_K_ALL}, *item;

	if (v == NULL)
		return ty_make(VC_K_NULL);
	switch ((enum yn_kind)v->kind) {
	case YN_SCALAR:
		if (v->is_expr)
			return v->expr ? settled(vc_type_of(t, v, v->expr)) : out;
		switch ((enum yn_type)v->type) {
		case YT_STR: return ty_make(VC_K_STR);
		case YT_NULL: return ty_make(VC_K_NULL);
		case YT_BOOL: return ty_make(VC_K_BOOL);
		case YT_INT: return ty_make(VC_K_INT);
		case YT_FLOAT: return ty_make(VC_K_FLOAT);
		case YT_DATE:
		case YT_DATETIME:
		case YT_BINARY: break;
		}
		return out;
	case YN_SEQ:
		item = vc_alloc(t->c, sizeof *item);
		for (uint32_t i = 0; i < v->n; i++)
			*item = vc_type_join(t->c, *item, ty_value_type(t, v->item[i]));
		out = ty_make(VC_K_LIST);
		if (item->kinds && item->kinds != VC_K_ALL)
			out.item = item;
		return out;
	case YN_MAP:
		for (uint32_t i = 0; i < v->n; i++) {
			ty_value_type(t, v->key[i]);
			ty_value_type(t, v->item[i]);
		}
		return ty_make(VC_K_DICT);
	case YN_ERROR: break;
	}
	return out;
}

/* ---- statements ---- */

/*
 * A target: `$x` is set, anything longer reads its base.  A key or an index set in a variable's
 * container changes items, so nothing is known of them any more.
 */
static void
target(vc_typing *t, const ynode *node, const yq_node *e, vc_type value)
{
	struct ty_var *v;

	e = yq_unwrap(e);
	if (e->kind == YQ_VAR && e->ntext && !is_word(e, "this")) {
		v = ty_variable(t, e->text, true);
		if (!v->assigned)
			v->node = node, v->at = e;
		v->assigned = true;
		grow(t, e->text, value);
		return;
	}
	for (const yq_node *base = e;;) {
		if (base->kind != YQ_INDEX && (base->kind != YQ_BINARY || !is_word(base, "."))) {
			if (base->kind == YQ_CALL)
				vc_type_of(t, node, base);
			break;
		}
		bool index = base->kind == YQ_INDEX;
		for (uint32_t i = 1; index && i < base->n; i++)
			vc_type_of(t, node, base->kid[i]);
		base = yq_unwrap(base->kid[0]);
		if (base->kind != YQ_VAR || !base->ntext || is_word(base, "this"))
			continue;
		v = ty_variable(t, base->text, true);
		v->read = v->assigned = v->opened = true;
		if (index || v->type.item)
			grow(t, base->text,
				(vc_type){.kinds = v->type.kinds &
						   (VC_K_LIST | VC_K_ITER | VC_K_SET)});
		if (v->type.kinds == 0)
			grow(t, base->text, anything());
	}
}

/* What For goes through. */
static vc_type
item_of(vc_type collection)
{
	const uint32_t listed = VC_K_LIST | VC_K_ITER | VC_K_SET;

	if (collection.kinds == 0)
		return ty_make(0);
	return collection.item && !(collection.kinds & ~(listed | VC_K_NULL)) ? *collection.item
									      : anything();
}

/* What Python iterates over: no number, and no object. */
static void
loop_over(vc_typing *t, const ynode *y, vc_type v)
{
	const uint32_t never = VC_K_NULL | VC_K_BOOL | VC_K_INT | VC_K_FLOAT | VC_K_DATE |
			       VC_K_SPAN | VC_K_REGEX | VC_K_OBJECT | VC_K_TYPE;
	bool object = v.kinds & VC_K_OBJECT && (v.cls == NULL || v.cls->native);
	uint32_t left = v.kinds & ~never;

	if (y == NULL || v.kinds == 0 || object || (left && left != VC_K_STR))
		return;
	t->node = y;
	ty_report(t, &(ty_fault){.kind = TF_LOOP, .recv = v, .certain = left == 0});
}

static void
repeat(vc_typing *t, const ynode *y, vc_type v)
{
	if (y == NULL || v.kinds == 0 || v.kinds & (VC_K_INT | VC_K_BOOL | VC_K_OTHER))
		return;
	t->node = y;
	ty_report(t, &(ty_fault){.kind = TF_TIMES, .recv = v, .certain = true});
}

/* Keys of Match are constants. */
static void
match_case(vc_typing *t, const ynode *key, vc_type value)
{
	if (key == NULL || key->kind != YN_SCALAR || key->is_expr)
		return;
	vc_type type = ty_value_type(t, key);
	t->node = key;
	ty_unequal(t, NULL, value, type);
}

static void
bind(vc_typing *t, const char *name, vc_type type)
{
	struct ty_var *v;

	if (name == NULL)
		return;
	v = ty_variable(t, name, true);
	v->loop = true;
	grow(t, name, type);
}

static void
statement(vc_typing *t, const mpl_stmt *s)
{
	vc_type a = {0};

	t->broken |= s->kind == MS_ERROR;
	if (s->kind != MS_ASSIGN && s->a)
		a = ty_value_type(t, s->a);
	if (s->b)
		a = ty_value_type(t, s->b);
	if (s->d)
		ty_value_type(t, s->d);
	if (s->kind == MS_ASSIGN && s->a && s->a->expr) {
		target(t, s->a, s->a->expr, a);
		if (t->assign)
			t->assign(t->who, s, a);
	}
	if (s->kind == MS_FOR) {
		loop_over(t, s->a, a);
		bind(t, s->name, item_of(a));
	}
	if (s->kind == MS_REPEAT)
		repeat(t, s->a, a);
	for (uint32_t i = 0; i < s->ncases; i++) {
		if (s->kind == MS_SWITCH)
			ty_value_type(t, s->cases[i].key);
		if (s->kind == MS_MATCH)
			match_case(t, s->cases[i].key, a);
		ty_statements(t, s->cases[i].body, s->cases[i].nbody);
	}
	ty_statements(t, s->body, s->nbody);
	for (uint32_t i = 0; i < s->ncatches; i++) {
		bind(t, s->catches[i].as, of_class(t->p->exception));
		ty_statements(t, s->catches[i].body, s->catches[i].nbody);
	}
	ty_statements(t, s->orelse, s->norelse);
	ty_statements(t, s->finally, s->nfinally);
}

void
ty_statements(vc_typing *t, mpl_stmt *const *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		statement(t, v[i]);
}

/* ---- a method ---- */

static uint32_t
layers_of(const mpl_package *p)
{
	uint32_t all = VT_L_STD | VT_L_DSL | VT_L_ENGINE;

	if (strcmp(p->name, "io.murano") == 0)
		all |= VT_L_CORE;
	if (p->format <= 101)
		return all | VT_L_LEGACY | VT_L_DSL_OLD | VT_L_DSL_LEGACY | VT_L_ENGINE_LEGACY;
	return all | (p->format <= 103 ? VT_L_DSL_OLD : VT_L_DSL_NEW);
}

static vc_type
argument_type(vc_typing *t, const mpl_argument *a)
{
	vc_type one = vc_contract_type(t->c, t->method->cls, a->contract), *item;

	switch ((enum mpl_arg_usage)a->usage) {
	case MPL_STANDARD: return one;
	case MPL_KWARGS: return ty_make(VC_K_DICT);
	case MPL_VARARGS: break;
	}
	item = vc_alloc(t->c, sizeof *item);
	*item = one;
	return (vc_type){.kinds = VC_K_LIST, .item = item};
}

/* Names are known before their first use in the order of the text: loops read what follows. */
static void
settle_variables(vc_typing *t)
{
	const mpl_method *m = t->method;
	int round = 0;

	do {
		t->changed = false;
		ty_statements(t, m->body, m->nbody);
	} while (t->changed && ++round < MAX_ROUNDS);
	for (uint32_t i = 0; i < t->nvars; i++) {
		if (t->changed)
			t->vars[i].type = anything();
		t->vars[i].read = false;
	}
}

vc_typing *
vc_typing_new(vc *c, const mpl_class *cls, const mpl_method *m)
{
	vc_typing *t = vc_alloc(c, sizeof *t);

	*t = (vc_typing){.c = c, .p = ty_program(c), .cls = cls, .method = m};
	t->layers = layers_of(cls->pkg);
	t->iterable_dicts = cls->pkg->format <= 101;
	t->self = t->dollar = of_class(cls);
	if (m && m->usage == MPL_M_STATIC)
		t->self = t->dollar = (vc_type){.kinds = VC_K_TYPE | VC_K_OBJECT, .cls = cls};
	else if (m && m->usage == MPL_M_EXTENSION)
		t->self = t->dollar = anything();
	for (uint32_t i = 0; m && i < m->nargs; i++) {
		ty_variable(t, m->args[i].name, true)->argument = true;
		grow(t, m->args[i].name, argument_type(t, &m->args[i]));
	}
	if (m)
		settle_variables(t);
	t->grown = true;
	return t;
}
