/*
 * body_parse.c - expressions of a plan's Body, by recursive descent; body_block.c has statements.
 */
#include "runtime/sim/body.h"

#include <stdlib.h>
#include <string.h>

/* ---- tokens ------------------------------------------------------------------------------ */

const body_token *
body_peek(const body *b)
{
	return &b->tokens[b->at];
}

bool
body_at(const body *b, const char *word)
{
	const body_token *t = body_peek(b);
	return (t->kind == TOK_OP || t->kind == TOK_NAME) && t->n == strlen(word) &&
	       memcmp(t->s, word, t->n) == 0;
}

bool
body_take(body *b, const char *word)
{
	if (!body_at(b, word))
		return false;
	b->at++;
	return true;
}

body_node *
body_syntax(body *b, const char *fmt, ...)
{
	vt_buf t = {0};
	va_list ap;
	if (b->syntax != NULL || b->unable != NULL)
		return NULL;
	va_start(ap, fmt);
	vt_buf_vprintf(&t, fmt, ap);
	va_end(ap);
	vt_buf_printf(&t, " (<string>, line %u)", body_peek(b)->line);
	b->syntax = t.p;
	return NULL;
}

body_node *
body_unlike(body *b, const char *construct)
{
	if (b->ntokens > 0) /* what Python reads has a line in front */
		b->line = body_peek(b)->line - 1;
	(void)body_unable(b, "%s", construct);
	return NULL;
}

bool
body_expect(body *b, const char *word)
{
	if (body_take(b, word))
		return true;
	(void)(strcmp(word, ":") == 0 ? body_syntax(b, "expected ':'")
				      : body_syntax(b, "invalid syntax"));
	return false;
}

body_node *
body_node_new(body *b, enum body_node_kind kind)
{
	body_node *x = body_alloc(b, sizeof *x);
	x->kind = kind;
	x->line = body_peek(b)->line;
	return x;
}

void
body_add(body *b, body_node *list, body_node *item)
{
	/* the room doubles when n is a power of two */
	if ((list->n & (list->n - 1)) == 0) {
		body_node **p = body_alloc(b, (list->n ? list->n * 2 : 1) * sizeof *p);
		if (list->n > 0)
			memcpy(p, list->item, list->n * sizeof *p);
		list->item = p;
	}
	list->item[list->n++] = item;
}

bool
body_deeper(body *b)
{
	if (b->nesting < BODY_NESTING && !body_too_deep(b)) {
		b->nesting++;
		return b->unable == NULL;
	}
	(void)body_unable(b, "a Body that is nested deeper than %d", BODY_NESTING);
	return false;
}

/* ---- names ------------------------------------------------------------------------------- */

static const char keywords[] =
	" False None True and as assert async await break class continue def del elif else except "
	"finally for from global if import in is lambda nonlocal not or pass raise return try "
	"while with yield ";

bool
body_has_word(const char *words, const char *word, size_t n)
{
	for (const char *p = words; (p = strstr(p, " ")) != NULL && p[1] != '\0'; p++)
		if (strncmp(p + 1, word, n) == 0 && p[1 + n] == ' ')
			return n > 0;
	return false;
}

static uint32_t
slot_of(body *b, const body_token *t)
{
	vt_value key = vt_str_new(b->rt, t->s, t->n), known;
	uint32_t slot = b->nslots;
	known = vt_dict_get(vt_as_dict(b->slot_of), key);
	if (known != VT_UNDEF) {
		vt_release(key);
		return (uint32_t)vt_toint(known);
	}
	if ((slot & (slot - 1)) == 0) {
		body_slot *p = body_alloc(b, (slot ? slot * 2 : 1) * sizeof *p);
		if (slot > 0)
			memcpy(p, b->slots, slot * sizeof *p);
		b->slots = p;
	}
	(void)vt_dict_set(b->rt, vt_as_dict(b->slot_of), key, vt_mkint(slot));
	b->slots[slot].name = vt_as_str(body_scalar(b, key)->v)->s;
	b->nslots++;
	return slot;
}

bool
body_name(body *b, body_node *x)
{
	const body_token *t = body_peek(b);
	if (t->kind != TOK_NAME || body_has_word(keywords, t->s, t->n)) {
		(void)body_syntax(b, "invalid syntax");
		return false;
	}
	x->slot = slot_of(b, t);
	x->text = b->slots[x->slot].name;
	b->at++;
	return true;
}

bool
body_assigns(body *b, body_node *target)
{
	switch (target->kind) {
	case EXPR_NAME: b->slots[target->slot].local = true; return true;
	case EXPR_MEMBER:
	case EXPR_INDEX: return true;
	case EXPR_TUPLE:
	case EXPR_LIST:
		for (uint32_t i = 0; i < target->n; i++)
			if (!body_assigns(b, target->item[i]))
				return false;
		return true;
	case EXPR_SLICE: (void)body_unlike(b, "an assignment to a slice"); return false;
	case EXPR_CONST:
	case EXPR_SET:
	case EXPR_DICT:
	case EXPR_EACH:
	case EXPR_CALL:
	case EXPR_KEYWORD:
	case EXPR_UNARY:
	case EXPR_BINARY:
	case EXPR_COMPARE:
	case EXPR_AND:
	case EXPR_OR:
	case EXPR_IF:
	case STAT_EXPR:
	case STAT_ASSIGN:
	case STAT_CHANGE:
	case STAT_RETURN:
	case STAT_IF:
	case STAT_WHILE:
	case STAT_FOR:
	case STAT_TRY:
	case STAT_HANDLER:
	case STAT_RAISE:
	case STAT_PASS:
	case STAT_BREAK:
	case STAT_CONTINUE:
	case STAT_BLOCK: break;
	}
	(void)body_syntax(b, "cannot assign to expression");
	return false;
}

/* ---- atoms ------------------------------------------------------------------------------- */

static body_node *
constant(body *b, vt_value v)
{
	body_node *x = body_node_new(b, EXPR_CONST);
	x->value = body_scalar(b, v);
	b->at++;
	return x;
}

/* Texts beside each other are one. */
static body_node *
literal(body *b)
{
	body_node *x = body_node_new(b, EXPR_CONST);
	vt_buf t = {0};
	x->value = body_peek(b)->value;
	b->at++;
	if (!body_is_text(x->value) || body_peek(b)->kind != TOK_VALUE)
		return x;
	vt_buf_put(&t, vt_as_str(x->value->v)->s, vt_as_str(x->value->v)->bytes);
	while (body_peek(b)->kind == TOK_VALUE && body_is_text(body_peek(b)->value)) {
		const vt_str *s = vt_as_str(body_peek(b)->value->v);
		vt_buf_put(&t, s->s, s->bytes);
		b->at++;
	}
	x->value = body_text(b, t.p, t.n);
	vt_buf_free(&t);
	return x;
}

static body_node *disjunction(body *);

/* Behind an element and `for`: the names, what is gone through, conditions.  A generator has a
 * text. */
static body_node *
each(body *b, body_node *element, bool generator)
{
	body_node *x = body_node_new(b, EXPR_EACH);
	x->a = element;
	x->text = generator ? "generator" : NULL;
	x->b = body_targets(b, true);
	if (x->b == NULL || !body_expect(b, "in"))
		return NULL;
	x->c = disjunction(b);
	while (x->c != NULL && body_take(b, "if")) {
		body_node *condition = disjunction(b);
		if (condition == NULL)
			return NULL;
		body_add(b, x, condition);
	}
	if (body_at(b, "for") || body_at(b, "async"))
		return body_unlike(b, "a comprehension over two lists");
	return x->c == NULL ? NULL : x;
}

/* Up to the closing bracket, which is taken. `comma`: one element was enough for a list. */
static bool
elements(body *b, body_node *list, const char *close)
{
	while (!body_take(b, close)) {
		body_node *x;
		if (body_at(b, "*") || body_at(b, "**"))
			return body_unlike(b, "* in front of an element") != NULL;
		x = body_expression(b);
		if (x == NULL)
			return false;
		body_add(b, list, x);
		if (!body_at(b, close) && !body_expect(b, ","))
			return false;
	}
	return true;
}

/* Behind the bracket. A generator in parentheses is gone through at once. */
static body_node *
bracketed(body *b, enum body_node_kind kind, const char *close)
{
	body_node *list = body_node_new(b, kind), *x;
	if (body_take(b, close))
		return list;
	if (body_at(b, "*"))
		return body_unlike(b, "* in front of an element");
	if ((x = body_expression(b)) == NULL)
		return NULL;
	if (body_take(b, "for"))
		return (x = each(b, x, kind == EXPR_TUPLE)) != NULL && body_expect(b, close) ? x
											     : NULL;
	if (kind == EXPR_TUPLE && body_take(b, close))
		return x;
	body_add(b, list, x);
	if (!body_at(b, close) && !body_expect(b, ","))
		return NULL;
	return elements(b, list, close) ? list : NULL;
}

static body_node *
braces(body *b)
{
	body_node *x = body_node_new(b, EXPR_DICT);
	uint32_t i;
	for (i = 0; !body_take(b, "}"); i++) {
		body_node *key = body_at(b, "**") ? body_unlike(b, "** in a dictionary")
						  : body_expression(b),
			  *value = NULL;
		if (key == NULL)
			return NULL;
		if (i == 0 && !body_at(b, ":"))
			x->kind = EXPR_SET;
		body_add(b, x, key);
		if (x->kind == EXPR_DICT) {
			if (!body_expect(b, ":") || (value = body_expression(b)) == NULL)
				return NULL;
			body_add(b, x, value);
		}
		if (body_at(b, "for"))
			return body_unlike(b, "a comprehension in braces");
		if (!body_at(b, "}") && !body_expect(b, ","))
			return NULL;
	}
	return x;
}

static body_node *
atom(body *b)
{
	const body_token *t = body_peek(b);
	body_node *x;
	if (t->kind == TOK_VALUE)
		return literal(b);
	if (body_at(b, "None"))
		return constant(b, VT_NULL);
	if (body_at(b, "True") || body_at(b, "False"))
		return constant(b, vt_mkbool(body_at(b, "True")));
	if (body_at(b, "lambda") || body_at(b, "yield") || body_at(b, "await")) {
		char *what = vt_xstrndup(t->s, t->n);
		(void)body_unlike(b, what);
		free(what);
		return NULL;
	}
	if (body_at(b, "..."))
		return body_unlike(b, "...");
	if (t->kind == TOK_NAME) {
		x = body_node_new(b, EXPR_NAME);
		return body_name(b, x) ? x : NULL;
	}
	if (body_take(b, "("))
		return bracketed(b, EXPR_TUPLE, ")");
	if (body_take(b, "["))
		return bracketed(b, EXPR_LIST, "]");
	if (body_take(b, "{"))
		return braces(b);
	return body_syntax(b, "invalid syntax");
}

/* ---- calls, members, items --------------------------------------------------------------- */

static body_node *
argument(body *b)
{
	body_node *x, *value;
	if (body_at(b, "*") || body_at(b, "**"))
		return body_unlike(b, "* and ** in a call");
	x = body_expression(b);
	if (x == NULL)
		return NULL;
	if (body_take(b, "for"))
		return each(b, x, true);
	if (!body_take(b, "="))
		return x;
	if (x->kind != EXPR_NAME)
		return body_syntax(b, "expression cannot contain assignment");
	if ((value = body_expression(b)) == NULL)
		return NULL;
	x->kind = EXPR_KEYWORD;
	x->a = value;
	return x;
}

static bool
arguments(body *b, body_node *call)
{
	bool named = false;
	while (!body_take(b, ")")) {
		body_node *x = argument(b);
		if (x == NULL)
			return false;
		if (named && x->kind != EXPR_KEYWORD)
			return body_syntax(b, "positional argument follows keyword argument") !=
			       NULL;
		named |= x->kind == EXPR_KEYWORD;
		body_add(b, call, x);
		if (!body_at(b, ")") && !body_expect(b, ","))
			return false;
	}
	return true;
}

static body_node *
subscript(body *b, body_node *of)
{
	body_node *x = body_node_new(b, EXPR_INDEX);
	uint32_t i = 0;
	x->a = of;
	body_add(b, x, NULL);
	if (!body_at(b, ":") && (x->b = x->item[0] = body_expressions(b)) == NULL)
		return NULL;
	if (body_take(b, "]"))
		return x;
	x->kind = EXPR_SLICE;
	for (i = 1; i < 3 && body_take(b, ":"); i++) {
		body_add(b, x, NULL);
		if (!body_at(b, ":") && !body_at(b, "]") &&
			(x->item[i] = body_expression(b)) == NULL)
			return NULL;
	}
	while (x->n < 3)
		body_add(b, x, NULL);
	return body_expect(b, "]") ? x : NULL;
}

static body_node *
postfix(body *b)
{
	body_node *x = atom(b), *y;
	for (int links = 0; x != NULL; x = y, links++) {
		if (links == BODY_NESTING) /* evaluation nests as the chain is long */
			return body_unlike(b, "a chain that is as long as this");
		if (body_take(b, "(")) {
			y = body_node_new(b, EXPR_CALL);
			y->a = x;
			if (!arguments(b, y))
				return NULL;
		} else if (body_take(b, "[")) {
			y = subscript(b, x);
		} else if (body_take(b, ".")) {
			y = body_node_new(b, EXPR_MEMBER);
			y->a = x;
			if (!body_name(b, y))
				return NULL;
		} else {
			break;
		}
	}
	return x;
}

/* ---- operators --------------------------------------------------------------------------- */

static body_node *
unary(body *b)
{
	body_node *x;
	bool minus = body_at(b, "-");
	if (body_at(b, "~"))
		return body_unlike(b, "the operator ~");
	if (!minus && !body_at(b, "+")) {
		x = postfix(b);
		return x != NULL && body_at(b, "**") ? body_unlike(b, "the operator **") : x;
	}
	x = body_node_new(b, EXPR_UNARY);
	x->op = minus ? OP_MINUS : OP_PLUS;
	b->at++;
	if (!body_deeper(b))
		return NULL;
	x->a = unary(b);
	b->nesting--;
	return x->a == NULL ? NULL : x;
}

typedef struct operator
{
	const char *word;
	enum body_op op;
}
operator;
static const operator products[] = {
	{"*", OP_MUL}, {"/", OP_DIV}, {"//", OP_FLOOR}, {"%", OP_MOD}, {NULL, OP_MUL}};
static const operator sums[] = {{"+", OP_ADD}, {"-", OP_SUB}, {NULL, OP_ADD}};

static bool
take_operator(body *b, const operator* all, enum body_op *op)
{
	for (; all->word != NULL; all++)
		if (body_take(b, all->word)) {
			*op = all->op;
			return true;
		}
	return false;
}

/* Operands that stand beside each other nest to the left, so their number is bounded too. */
static body_node *
left_to_right(body *b, const operator* all, body_node *(*operand)(body *))
{
	body_node *x = operand(b);
	enum body_op op;
	for (int n = 0; x != NULL && take_operator(b, all, &op); n++) {
		body_node *y = body_node_new(b, EXPR_BINARY);
		if (n == BODY_NESTING)
			return body_unlike(b, "a sum or product of so many parts");
		y->op = op;
		y->a = x;
		y->b = operand(b);
		x = y->b == NULL ? NULL : y;
	}
	return x;
}

static body_node *
product(body *b)
{
	return left_to_right(b, products, unary);
}

static body_node *
sum(body *b)
{
	static const char *const bits[] = {"&", "|", "^", "<<", ">>", "@"};
	body_node *x = left_to_right(b, sums, product);
	for (size_t i = 0; x != NULL && i < VT_LEN(bits); i++)
		if (body_at(b, bits[i])) {
			char *what = vt_asprintf("the operator %s", bits[i]);
			(void)body_unlike(b, what);
			free(what);
			return NULL;
		}
	return x;
}

static bool
take_comparison(body *b, enum body_op *op)
{
	static const operator all[] = {{"==", OP_EQ}, {"!=", OP_NE}, {"<=", OP_LE}, {">=", OP_GE},
		{"<", OP_LT}, {">", OP_GT}, {"in", OP_IN}, {NULL, OP_EQ}};
	if (take_operator(b, all, op))
		return true;
	*op = OP_NOT_IN;
	if (body_take(b, "not")) /* an operand cannot be followed by `not` alone */
		return body_expect(b, "in");
	if (!body_take(b, "is"))
		return false;
	*op = body_take(b, "not") ? OP_IS_NOT : OP_IS;
	return true;
}

static body_node *
comparison(body *b)
{
	body_node *first = sum(b), *x = NULL, *y;
	enum body_op op = OP_EQ;
	uint8_t ops[BODY_NESTING];
	while (first != NULL && take_comparison(b, &op)) {
		if (x == NULL) {
			x = body_node_new(b, EXPR_COMPARE);
			body_add(b, x, first);
		}
		if (x->n == BODY_NESTING)
			return body_unlike(b, "a comparison of so many values");
		ops[x->n - 1] = (uint8_t)op;
		if ((y = sum(b)) == NULL)
			return NULL;
		body_add(b, x, y);
	}
	if (b->syntax != NULL || b->unable != NULL)
		return NULL;
	if (x == NULL)
		return first;
	x->ops = body_alloc(b, x->n);
	memcpy(x->ops, ops, x->n - 1);
	return x;
}

static body_node *
negation(body *b)
{
	body_node *x;
	if (!body_at(b, "not"))
		return comparison(b);
	x = body_node_new(b, EXPR_UNARY);
	x->op = OP_NOT;
	b->at++;
	if (!body_deeper(b))
		return NULL;
	x->a = negation(b);
	b->nesting--;
	return x->a == NULL ? NULL : x;
}

/* `and` and `or` have all their operands in one node. */
static body_node *
chain(body *b, const char *word, enum body_node_kind kind, body_node *(*operand)(body *))
{
	body_node *first = operand(b), *x, *y;
	if (first == NULL || !body_at(b, word))
		return first;
	x = body_node_new(b, kind);
	body_add(b, x, first);
	while (body_take(b, word)) {
		if ((y = operand(b)) == NULL)
			return NULL;
		body_add(b, x, y);
	}
	return x;
}

static body_node *
conjunction(body *b)
{
	return chain(b, "and", EXPR_AND, negation);
}

/* An expression without `if` and `else`. */
static body_node *
disjunction(body *b)
{
	return chain(b, "or", EXPR_OR, conjunction);
}

body_node *
body_expression(body *b)
{
	body_node *x, *y;
	if (!body_deeper(b))
		return NULL;
	x = disjunction(b);
	if (x != NULL && body_take(b, "if")) {
		y = body_node_new(b, EXPR_IF);
		y->a = x;
		y->b = disjunction(b);
		x = y->b != NULL && body_expect(b, "else") && (y->c = body_expression(b)) != NULL
			    ? y
			    : NULL;
	}
	if (x != NULL && body_at(b, ":="))
		x = body_unlike(b, "the operator :=");
	b->nesting--;
	return x;
}

static body_node *
listed(body *b, body_node *(*one)(body *), const char *end)
{
	body_node *x, *list;
	if (body_at(b, "*"))
		return body_unlike(b, "* in front of an element");
	x = one(b);
	if (x == NULL || !body_at(b, ","))
		return x;
	list = body_node_new(b, EXPR_TUPLE);
	body_add(b, list, x);
	while (body_take(b, ",")) {
		if (body_peek(b)->kind == TOK_LINE || body_at(b, end) || body_at(b, "]") ||
			body_at(b, ";"))
			break;
		if ((x = one(b)) == NULL)
			return NULL;
		body_add(b, list, x);
	}
	return list;
}

body_node *
body_expressions(body *b)
{
	return listed(b, body_expression, "=");
}

/* Names of a comprehension are its own, so nothing else of the body sees them assigned. */
static bool
names_only(const body_node *x, int depth)
{
	if (x->kind == EXPR_NAME)
		return true;
	for (uint32_t i = 0; x->kind == EXPR_TUPLE && i < x->n; i++)
		if (depth > 1 || !names_only(x->item[i], depth + 1))
			return false;
	return x->kind == EXPR_TUPLE;
}

/* Behind `for`: names, members or items; `in` ends them. */
body_node *
body_targets(body *b, bool own)
{
	body_node *x = listed(b, postfix, "in");
	if (x != NULL && own)
		return names_only(x, 0) ? x
					: body_unlike(b, "a comprehension over more than names");
	return x != NULL && body_assigns(b, x) ? x : NULL;
}
