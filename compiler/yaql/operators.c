/*
 * operators.c - tables of operators that a host changed, and the parser of their expressions.
 *
 * The grammar of yaql.y has a fixed table.  Where a host added operators, the same tokens are
 * parsed by climbing over the levels of its table; the smaller a level, the stronger it binds.
 *
 * No function here recurses without a bound: each value counts, and yq_branch() has its own limit.
 */
#include "compiler/yaql/int.h"
#include "yaql_parse.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OPERATORS = 256, MOST_SYMBOL = 32, WEAKEST = INT32_MAX, OWN = 1 << 16 };

/* A level for each way in which a symbol is used; 0: it is not. */
typedef struct row {
	char *symbol,
		*alias[2]; /* malloc'd; an alias of the unary and of the binary use, or NULL */
	uint32_t n;
	int32_t prefix, suffix, left, right;
	bool own;
} row;

struct yq_operators {
	row row[MOST_OPERATORS];
	uint32_t n;
	char *keyword; /* malloc'd: what => is to the language; NULL: there is none */
	bool own_keyword;
};

/* ---- tables ---- */

static const struct {
	const char *symbol;
	enum yq_fixity fixity;
	int32_t level;
} standard[] = {
	{".", YQ_LEFT, 1},
	{"?.", YQ_LEFT, 1},
	{"[]", YQ_LEFT, 2},
	{"{}", YQ_LEFT, 2},
	{"+", YQ_PREFIX, 3},
	{"-", YQ_PREFIX, 3},
	{"=~", YQ_LEFT, 4},
	{"!~", YQ_LEFT, 4},
	{"*", YQ_LEFT, 5},
	{"/", YQ_LEFT, 5},
	{"mod", YQ_LEFT, 5},
	{"+", YQ_LEFT, 6},
	{"-", YQ_LEFT, 6},
	{">", YQ_LEFT, 7},
	{"<", YQ_LEFT, 7},
	{">=", YQ_LEFT, 7},
	{"<=", YQ_LEFT, 7},
	{"!=", YQ_LEFT, 7},
	{"=", YQ_LEFT, 7},
	{"in", YQ_LEFT, 7},
	{"not", YQ_PREFIX, 8},
	{"and", YQ_LEFT, 9},
	{"or", YQ_LEFT, 10},
	{"=>", YQ_LEFT, 11}, /* an operator of the older dialect only */
	{"->", YQ_RIGHT, 12},
};

static row *
find_row(const yq_operators *t, const char *symbol, size_t n)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->row[i].n == n && memcmp(t->row[i].symbol, symbol, n) == 0)
			return (row *)&t->row[i];
	return NULL;
}

static int32_t *
level_of(row *r, enum yq_fixity f)
{
	switch (f) {
	case YQ_PREFIX: return &r->prefix;
	case YQ_SUFFIX: return &r->suffix;
	case YQ_LEFT: return &r->left;
	case YQ_RIGHT: return &r->right;
	}
	return &r->left;
}

static bool
is_used(const row *r)
{
	return (r->prefix | r->suffix | r->left | r->right) != 0;
}

static row *
add_row(yq_operators *t, const char *symbol, bool own)
{
	row *r = find_row(t, symbol, strlen(symbol));

	if (r != NULL || t->n == MOST_OPERATORS)
		return r;
	r = &t->row[t->n++];
	*r = (row){.symbol = vt_xstrdup(symbol), .n = (uint32_t)strlen(symbol), .own = own};
	return r;
}

yq_operators *
yq_operators_new(const yq_operators *from)
{
	yq_operators *t = vt_xzalloc(sizeof *t);

	for (size_t i = 0; from == NULL && i < VC_LEN(standard); i++)
		*level_of(add_row(t, standard[i].symbol, false), standard[i].fixity) =
			standard[i].level;
	for (uint32_t i = 0; from != NULL && i < from->n; i++) {
		t->row[i] = from->row[i];
		t->row[i].symbol = vt_xstrdup(from->row[i].symbol);
		for (int k = 0; k < 2; k++)
			if (from->row[i].alias[k] != NULL)
				t->row[i].alias[k] = vt_xstrdup(from->row[i].alias[k]);
	}
	if (from != NULL) {
		t->n = from->n;
		t->own_keyword = from->own_keyword;
	}
	if (from == NULL || from->keyword != NULL)
		t->keyword = vt_xstrdup(from != NULL ? from->keyword : "=>");
	return t;
}

void
yq_operators_free(yq_operators *t)
{
	for (uint32_t i = 0; t != NULL && i < t->n; i++) {
		free(t->row[i].symbol);
		free(t->row[i].alias[0]);
		free(t->row[i].alias[1]);
	}
	if (t != NULL)
		free(t->keyword);
	free(t);
}

/* All that is weaker than the level `behind` makes room for one more. */
static void
make_level(yq_operators *t, int32_t behind)
{
	for (uint32_t i = 0; i < t->n; i++)
		for (enum yq_fixity f = YQ_PREFIX; f <= YQ_RIGHT; f++)
			if (*level_of(&t->row[i], f) > behind)
				++*level_of(&t->row[i], f);
}

/* ---- symbols ---- */

static bool
is_word_text(const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s, *end = p + n;
	uint32_t cp, len = yq_decode(p, end, &cp);

	if (len == 0 || vt_digit_value(cp) >= 0)
		return false;
	for (; p < end; p += len)
		if ((len = yq_decode(p, end, &cp)) == 0 || !vt_is_word(cp))
			return false;
	return true;
}

/* A word, or characters that mean nothing else: no letter, digit, bracket, quote, comma, $. */
static bool
is_symbol(const char *s)
{
	size_t n = strlen(s);

	if (n == 0 || n > MOST_SYMBOL)
		return false;
	if (is_word_text(s, n))
		return strncmp(s, "__", 2) != 0 && strcmp(s, "true") != 0 &&
		       strcmp(s, "false") != 0 && strcmp(s, "null") != 0;
	return strspn(s, "!#%&*+-./:;<=>?@\\^|~") == n;
}

const char *
yq_operators_insert(yq_operators *t, const char *existing, bool binary, const char *symbol,
	enum yq_fixity fixity, bool level, const char *alias)
{
	row *at = existing != NULL ? find_row(t, existing, strlen(existing)) : NULL, *r;
	int32_t behind = at == NULL ? (level ? 0 : 1)
			 : binary   ? at->left + at->right
				    : at->prefix + at->suffix;
	bool unary = fixity == YQ_PREFIX || fixity == YQ_SUFFIX;

	if (existing != NULL && (at == NULL || behind == 0))
		return YQ_NO_OPERATOR;
	if (!is_symbol(symbol))
		return "an operator is a word, or some of !#%&*+-./:;<=>?@\\^|~";
	if (alias != NULL && !is_word_text(alias, strlen(alias)))
		return "an alias is a word";
	r = add_row(t, symbol, true);
	if (r == NULL)
		return "there are too many operators";
	if (unary ? r->prefix || r->suffix : r->left || r->right)
		return YQ_TWO_OPERATORS;
	r->own |= !is_used(r);
	if (fixity == YQ_SUFFIX ? r->left || r->right : !unary && r->suffix)
		return "a symbol cannot stand behind its value and between two values";
	if (level)
		make_level(t, behind);
	*level_of(r, fixity) = behind + level;
	if (alias != NULL)
		r->alias[!unary] = vt_xstrdup(alias);
	return NULL;
}

/* => is free then for an operator; only the older dialect has it as one. */
const char *
yq_operators_keyword(yq_operators *t, const char *symbol)
{
	row *arrow = find_row(t, "=>", 2);

	if (symbol != NULL && !is_symbol(symbol))
		return "an operator is a word, or some of !#%&*+-./:;<=>?@\\^|~";
	if (!t->own_keyword)
		arrow->left = 0;
	if (symbol != NULL && find_row(t, symbol, strlen(symbol)) != NULL &&
		(find_row(t, symbol, strlen(symbol)) != arrow || arrow->left != 0))
		return YQ_TWO_OPERATORS;
	free(t->keyword);
	t->keyword = symbol != NULL ? vt_xstrdup(symbol) : NULL;
	t->own_keyword = true;
	return NULL;
}

/* ---- tokens ---- */

typedef struct run {
	yq_ctx *x; /* its last token is the one that comes */
	const yq_operators *table;
	uint32_t depth;
} run;

/* Words end where no letter follows, and a name before ( is that of a function. */
static bool
stands_here(const row *r, const unsigned char *p, const unsigned char *end)
{
	uint32_t cp;

	if ((size_t)(end - p) < r->n || memcmp(p, r->symbol, r->n) != 0)
		return false;
	if (!is_word_text(r->symbol, r->n))
		return true;
	p += r->n;
	return p == end || (*p != '(' && !(yq_decode(p, end, &cp) && vt_is_word(cp)));
}

/* How long the host's operator of keywords is here; 0: it does not stand here. */
static uint32_t
keyword_here(const run *r)
{
	const char *s = r->table->keyword;
	row own = {.symbol = (char *)s, .n = s != NULL ? (uint32_t)strlen(s) : 0};

	return s != NULL && stands_here(&own, r->x->cur, r->x->lim) ? own.n : 0;
}

/* The lexer takes => for what it is to the language. */
static void
lex_standard(run *r)
{
	yq_ctx *x = r->x;

	if (x->lim - x->cur >= 2 && memcmp(x->cur, "=>", 2) == 0)
		yq_lex_symbol(x, COMPARE, 1, false);
	else
		(void)yq_lex(x);
}

/* The longest symbol wins; the lexer knows those that are not the host's. */
static void
next(run *r)
{
	const row *best = NULL;
	yq_ctx *x = r->x;

	while (x->cur < x->lim && *x->cur && strchr(" \t\r\n", *x->cur))
		x->cur++;
	for (uint32_t i = 0; i < r->table->n; i++)
		if ((best == NULL || r->table->row[i].n > best->n) && is_used(&r->table->row[i]) &&
			stands_here(&r->table->row[i], x->cur, x->lim))
			best = &r->table->row[i];
	if (r->table->own_keyword && keyword_here(r) > (best != NULL ? best->n : 0))
		yq_lex_symbol(x, MAPPING, keyword_here(r), false);
	else if (best != NULL && best->own)
		yq_lex_symbol(x, OWN, best->n, best->suffix != 0);
	else if (r->table->own_keyword)
		lex_standard(r);
	else
		(void)yq_lex(x);
}

static const row *
row_here(const run *r)
{
	switch (r->x->kind) {
	case OWN:
	case SEND:
	case ARROW:
	case OR:
	case AND:
	case NOT:
	case COMPARE:
	case ADD:
	case MULTIPLY:
	case MATCH:
	case DOT: return find_row(r->table, r->x->tok.text, r->x->tok.n);
	default: return NULL;
	}
}

/* After an error of the lexer there is no token. */
static yq_node *
fail(run *r)
{
	if (!r->x->failed)
		yq_fail_token(r->x);
	return NULL;
}

/* ---- values ---- */

/* On a level, what associates to the right or stands behind its value is the stronger. */
static int32_t
weaker(int32_t level)
{
	return 2 * level;
}

static int32_t
stronger(int32_t level)
{
	return 2 * level - 1;
}

/* How weak an operator between two values is, or one behind its value; 0: it is none. */
static int32_t
strength(const row *op)
{
	if (op->right || op->suffix)
		return stronger(op->right + op->suffix);
	return weaker(op->left);
}

static yq_node *value(run *, int32_t most);

/* Values, then mappings. Values between commas may be left out: not the last one, not all of them,
 * and before mappings one at most. */
static bool
arguments(run *r, int close, yq_vec *made)
{
	yq_ctx *x = r->x;
	uint32_t holes = 0;
	bool named = false;

	*made = (yq_vec){NULL, 0};
	while (!x->failed && (x->kind != close || made->n > 0)) {
		yq_node *v;
		yq_tok op;

		if (x->kind == ',' && !named) {
			*made = yq_skip(x, *made, 1, x->tok.at);
			holes++;
			next(r);
			continue;
		}
		v = value(r, WEAKEST);
		if (v == NULL)
			return false;
		if (x->kind == MAPPING && (named || holes == 0 || (holes == 1 && made->n > 1))) {
			op = x->tok;
			next(r);
			yq_node *to = value(r, WEAKEST);
			v = to ? yq_pair(x, (yq_loc){v->from, to->to}, op, v, to) : NULL;
			named = true;
		} else if (named || x->kind == MAPPING) {
			return fail(r) != NULL;
		}
		if (v == NULL)
			return false;
		*made = yq_add(x, *made, v);
		holes = 0;
		if (x->kind == close)
			break;
		if (x->kind != ',')
			return fail(r) != NULL;
		next(r);
		if (x->kind == close)
			return fail(r) != NULL;
	}
	if (x->failed)
		return false;
	if (x->kind != close)
		return fail(r) != NULL;
	return true;
}

/* What stands in brackets, behind `front` unless that is NULL. The token is the opening one. */
static yq_node *
bracketed(run *r, enum yq_kind kind, int close, yq_node *front)
{
	yq_ctx *x = r->x;
	yq_tok open = x->tok;
	yq_loc loc = {front != NULL ? front->from : x->loc.from, 0};
	yq_vec parts;

	next(r);
	if (!arguments(r, close, &parts))
		return NULL;
	loc.to = x->loc.to;
	next(r);
	if (kind != YQ_CALL)
		open = (yq_tok){.at = open.at};
	if (front != NULL)
		parts = yq_front(x, front, parts);
	return yq_branch(x, kind, loc, open, parts);
}

static yq_node *
leaf(run *r, enum yq_kind kind)
{
	yq_node *made = yq_leaf(r->x, kind, r->x->loc, r->x->tok);

	next(r);
	return made;
}

static yq_node *
in_parentheses(run *r)
{
	yq_loc loc = r->x->loc;
	yq_node *inner;

	next(r);
	inner = value(r, WEAKEST);
	if (inner == NULL || r->x->kind != ')')
		return inner != NULL ? fail(r) : NULL;
	loc.to = r->x->loc.to;
	next(r);
	return yq_wrap(r->x, loc, inner);
}

static yq_node *
with_alias(yq_node *made, const char *alias)
{
	if (made != NULL)
		made->alias = alias;
	return made;
}

static yq_node *
prefixed(run *r)
{
	const row *op = row_here(r);
	yq_tok tok = r->x->tok;
	yq_loc loc = r->x->loc;
	yq_node *operand;

	if (op == NULL || op->prefix == 0)
		return fail(r);
	next(r);
	operand = value(r, weaker(op->prefix) - 1);
	if (operand == NULL)
		return NULL;
	loc.to = operand->to;
	return with_alias(yq_unary(r->x, loc, tok, operand), op->alias[0]);
}

static yq_node *
primary(run *r)
{
	switch (r->x->kind) {
	case STRING: return leaf(r, YQ_STRING);
	case NUMBER: return leaf(r, YQ_NUMBER);
	case TRUE: return leaf(r, YQ_TRUE);
	case FALSE: return leaf(r, YQ_FALSE);
	case NULLCONST: return leaf(r, YQ_NULL);
	case KEYWORD: return leaf(r, YQ_KEYWORD);
	case DOLLAR: return leaf(r, YQ_VAR);
	case FUNC: return bracketed(r, YQ_CALL, ')', NULL);
	case '[': return bracketed(r, YQ_LIST, ']', NULL);
	case '{': return bracketed(r, YQ_MAP, '}', NULL);
	case '(': return in_parentheses(r);
	default: return prefixed(r);
	}
}

static yq_node *
between(run *r, const row *op, yq_node *left)
{
	yq_tok tok = r->x->tok;
	yq_node *right;

	next(r);
	right = value(r, op->right ? strength(op) : strength(op) - 1);
	if (right == NULL)
		return NULL;
	return with_alias(
		yq_binary(r->x, (yq_loc){left->from, right->to}, tok, left, right), op->alias[1]);
}

static yq_node *
behind(run *r, const row *op, yq_node *left)
{
	yq_tok tok = r->x->tok;
	yq_loc loc = {left->from, r->x->loc.to};

	next(r);
	return with_alias(yq_unary(r->x, loc, tok, left), op->alias[0]);
}

/* What follows a value and binds at least as strong as `most`; calls of values are weaker than
 * all operators. *done: nothing does. */
static yq_node *
follow(run *r, int32_t most, yq_node *left, bool *done)
{
	const row *op = row_here(r);

	if (r->x->kind == '[' && weaker(find_row(r->table, "[]", 2)->left) <= most)
		return bracketed(r, YQ_INDEX, ']', left);
	if (r->x->kind == CALL && most == WEAKEST)
		return bracketed(r, YQ_INVOKE, ')', left);
	if (op != NULL && strength(op) > 0 && strength(op) <= most)
		return op->suffix ? behind(r, op, left) : between(r, op, left);
	*done = true;
	return left;
}

static yq_node *
value(run *r, int32_t most)
{
	bool done = false;
	yq_node *left;

	if (r->x->failed)
		return NULL;
	if (++r->depth > 4 * r->x->c->limit.max_depth) {
		yq_fail_depth(r->x, r->x->tok.at);
		return NULL;
	}
	left = primary(r);
	while (left != NULL && !r->x->failed && !done)
		left = follow(r, most, left, &done);
	r->depth--;
	return left;
}

yq_node *
yq_parse_own(yq_ctx *x, const yq_operators *table)
{
	run r = {x, table, 0};
	yq_node *tree;

	next(&r);
	tree = value(&r, WEAKEST);
	if (tree != NULL && !x->failed && x->kind != YQY_EOF)
		yq_fail_token(x);
	return x->failed ? NULL : tree;
}
