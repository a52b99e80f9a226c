/* query_error.c - what `vetro query` says of an error: its place, and what may have been meant. */
#include "compiler/cmd/query_int.h"
#include "compiler/check/check.h"
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/core/diag.h"
#include "runtime/core/value.h"
#include "runtime/text/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The byte at a place of the expression, which is counted in code points. */
static uint32_t
offset_of(const query_args *a, uint32_t line, uint32_t col)
{
	size_t i = 0;

	for (; line > 1 && i < a->nexpr; i++)
		line -= a->expr[i] == '\n' || (a->expr[i] == '\r' && a->expr[i + 1] != '\n');
	for (; col > 1 && i < a->nexpr; col--)
		do
			i++;
		while (i < a->nexpr && ((unsigned char)a->expr[i] & 0xc0) == 0x80);
	return (uint32_t)i;
}

/* Do more brackets open than close, outside of texts? */
static bool
is_open(const char *expr)
{
	int open = 0;
	char quote = 0;

	for (const char *p = expr; *p; p++) {
		if (quote && *p == '\\' && p[1])
			p++;
		else if (quote)
			quote = *p == quote ? 0 : quote;
		else if (strchr("'\"`", *p))
			quote = *p;
		else
			open += (strchr("([{", *p) != NULL) - (strchr(")]}", *p) != NULL);
	}
	return open > 0;
}

static bool
is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* `len $`: the name of a function, and a blank. */
static bool
is_function_before(const char *expr, uint32_t at)
{
	char name[64];
	uint32_t from, rows = 0;

	if (at < 2 || expr[at - 1] != ' ')
		return false;
	for (from = at - 1; from > 0 && isalnum((unsigned char)expr[from - 1]); from--)
		;
	snprintf(name, sizeof name, "%.*s", (int)(at - 1 - from), expr + from);
	return *name && vt_fn_find(name, &rows) != NULL;
}

/* What other languages write, where YAQL stumbles over it. */
static const char *
syntax_hint(const char *expr, uint32_t at)
{
	static const struct {
		const char *text, *hint;
	} foreign[] = {{"==", "equality is ="}, {"&&", "it is the word and"},
		{"||", "it is the word or"}, {"<>", "inequality is !="},
		{"!", "it is the word not"}, {"%", "the remainder is mod"}};

	if (is_file(expr))
		return "the expression comes first, and files behind it";
	if (at && (strncmp(expr + at - 1, "==", 2) == 0 || strncmp(expr + at - 1, "<>", 2) == 0))
		at--;
	for (size_t i = 0; i < VC_LEN(foreign); i++)
		if (strncmp(expr + at, foreign[i].text, strlen(foreign[i].text)) == 0)
			return foreign[i].hint;
	if ((expr[at] == '\'' || expr[at] == '"' || expr[at] == '`') &&
		strchr(expr + at + 1, expr[at]) == NULL)
		return "the quote is not closed";
	if (expr[at] == '?' && strstr(expr + at, " : "))
		return "a choice is switch(CONDITION => A, true => B)";
	if (expr[at] == '}' && at > 0 && isalnum((unsigned char)expr[at - 1]))
		return "in an object each key has a value: {name => $.name}";
	if (!expr[at])
		return is_open(expr) ? "a bracket is not closed" : NULL;
	return NULL;
}

/* The name that stands there is unknown as what it is called as. */
static const char *
name_hint(vc *c, const query_args *a, uint32_t at, bool method)
{
	const char *p = a->expr + at, *near;
	size_t n = 0;
	uint32_t layers = qr_layers(a->legacy, a->delegates), rows = 0;
	const vt_fnrow *row;

	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	p = vc_strndup(c, p, n);
	if ((near = query_jq_name(c, p)))
		return near;
	row = n ? vt_fn_find(p, &rows) : NULL;
	for (uint32_t i = 0; row && i < rows; i++)
		if (row[i].layer & layers &&
			row[i].flags & (method ? VT_FN_FUNCTION : VT_FN_METHOD))
			return vc_format(c,
				method ? "it is a function: %s(...)"
				: at > 0 && a->expr[at - 1] == '.'
					? "it is a function: .%s()"
					: "it is called on a value: x.%s(...)",
				p);
	near = n ? vc_nearest_function(p, layers, method ? VT_FN_METHOD : VT_FN_FUNCTION) : NULL;
	return near ? vc_format(c, "did you mean %s?", near) : NULL;
}

/* A key is not there: KeyError's message is the key as Python writes it. */
static const char *
key_hint(vc *c, const qr *q, uint32_t layers, const char *message)
{
	size_t n = strlen(message);
	const char *key;
	char *near;
	const vt_fnrow *row;
	uint32_t rows = 0;

	if (n < 3 || *message != '\'' || message[n - 1] != '\'')
		return NULL;
	key = vc_strndup(c, message + 1, n - 2);
	if (q && (near = qr_near_key(q, key))) {
		key = vc_format(c, "did you mean %s?", near);
		free(near);
		return key;
	}
	if (strcmp(key, "length") == 0 || strcmp(key, "size") == 0)
		return "how many there are says .len()";
	if ((row = vt_fn_find(key, &rows)))
		for (uint32_t i = 0; i < rows; i++)
			if (row[i].layer & layers && row[i].flags & VT_FN_METHOD)
				return vc_format(c, "it is a function: .%s()", key);
	return "x.get(KEY) is null for a key that is missing, and x.get(KEY, DEFAULT) the default";
}

/* The word that begins or ends there, where it is an operand without $; its length. */
static size_t
bare_word(const char *s, size_t n, size_t from, size_t to)
{
	static const char *const values[] = {"true", "false", "null", "not", "and", "or"};

	if (from == to || !isalpha((unsigned char)s[from]) ||
		(from > 0 && strchr("$.\"'`", s[from - 1])) || (to < n && strchr("(.\"'", s[to])))
		return 0;
	for (size_t i = 0; i < VC_LEN(values); i++)
		if (strlen(values[i]) == to - from && memcmp(values[i], s + from, to - from) == 0)
			return 0;
	return to - from;
}

/* `where(age > 30)`: a word without $ is a text, which the operator at that place does not take. */
static const char *
operand_hint(vc *c, const char *s, size_t n, size_t at)
{
	size_t left = at, right = at, from, to, k;

	while (left > 0 && s[left - 1] == ' ')
		left--;
	for (from = left; from > 0 && (isalnum((unsigned char)s[from - 1]) || s[from - 1] == '_');)
		from--;
	while (right < n && strchr("<>=!+-*/", s[right]))
		right++;
	while (right < n && s[right] == ' ')
		right++;
	for (to = right; to < n && (isalnum((unsigned char)s[to]) || s[to] == '_');)
		to++;
	if ((k = bare_word(s, n, from, left)))
		s += from;
	else if ((k = bare_word(s, n, right, to)))
		s += right;
	else
		return NULL;
	return vc_format(c, "a word without $ is a text; the key is $.%.*s", (int)k, s);
}

/* Functions that no user has written: operators and keys are called by such names. */
static const char *
internal_hint(vc *c, const char *message)
{
	static const char property[] = "#property#", operator[] = "#operator_";
	const char *name = strstr(message, "\"#"), *end = name ? strchr(name + 1, '"') : NULL;
	size_t n;

	if (end == NULL)
		return NULL;
	n = (size_t)(end - ++name);
	if (n > strlen(property) && memcmp(name, property, strlen(property)) == 0)
		return vc_format(c,
			"what stands before .%.*s is no object with keys; ?. passes null on",
			(int)(n - strlen(property)), name + strlen(property));
	if (n == strlen("#indexer") && memcmp(name, "#indexer", n) == 0)
		return "x[...] wants a list and a position, or an object and a key";
	if (n == strlen(operator) + 1 && memcmp(name, operator, n - 1) == 0 && name[n - 1] == '.')
		return "behind the dot stands a key or a function: $.a, $.len(), but $[0]";
	if (n > strlen(operator) && memcmp(name, operator, strlen(operator)) == 0)
		return vc_format(c, "the operator %.*s does not take values of these types%s",
			(int)(n - strlen(operator)), name + strlen(operator),
			n == strlen(operator) + 1 && name[n - 1] == '+'
				? "; str() makes a text of a value"
				: "");
	return NULL;
}

/* ---- calls that do not fit ---- */

/* The first argument of the call whose name begins at `at`, when it is one and short; or NULL. */
static const char *
lone_argument(vc *c, const char *s, size_t at)
{
	enum { MOST = 60 };
	size_t from = at + strcspn(s + at, "("), i = from + 1;
	int open = 1;

	if (!s[from])
		return NULL;
	for (; s[i] && open > 0 && i - from < MOST; i++) {
		open += (s[i] == '(' || s[i] == '[') - (s[i] == ')' || s[i] == ']');
		if (open == 1 && s[i] == ',')
			return NULL;
	}
	return open == 0 && i > from + 2 ? vc_strndup(c, s + from + 1, i - from - 2) : NULL;
}

static bool
is_word_at(const char *s, size_t at, const char *word)
{
	size_t n = strlen(word);

	return strncmp(s + at, word, n) == 0 && s[at + n] == '(';
}

/* sum($.n) of a list takes what it begins with, where the key of each item was meant. */
static const char *
total_hint(vc *c, const char *s, size_t at)
{
	static const char *const names[] = {"sum", "max", "min"};
	const char *arg = lone_argument(c, s, at);

	for (size_t i = 0; arg && i < VC_LEN(names); i++)
		if (is_word_at(s, at, names[i]) && strncmp(arg, "$.", 2) == 0)
			return at > 0 && s[at - 1] == '.'
				       ? vc_format(c, "of a key of each item it is select(%s).%s()",
						 arg, names[i])
				       : vc_format(c, "it is called on the list: %s.%s()", arg,
						 names[i]);
	return NULL;
}

static const char *
indexer_hint(const char *s, size_t at)
{
	if (strncmp(s + at, "[]", 2) == 0)
		return "x[...] wants a list and a position, or an object and a key; of every item "
		       "a "
		       "key is taken without []: $.items.key";
	if (at > 0 && s[at - 1] == ')')
		return "what a function gives may have no positions: first() takes the first, and "
		       "toList() makes a list";
	return NULL;
}

/* A method that does not take these arguments, by what is likely wrong; else where it is told. */
static const char *
call_hint(vc *c, const query_args *a, const char *message, size_t at)
{
	const char *s = a->expr;
	size_t n = a->nexpr;
	size_t name =
		strspn(s + at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
	const char *arrow = strstr(s + at, " => $"), *in = strstr(s + at, " in ");

	if (at >= n || name == 0)
		return NULL;
	if (strstr(message, "for receiver <"))
		return "what a function gives is a list behind toList(); count() counts it";
	if (is_word_at(s, at, "contains"))
		return "in a text it is: \"part\" in $";
	if (strstr(s + at, "=> ") && !arrow && strchr(s + at, '.'))
		return "the item is $, and nothing stands before it: select($.name)";
	if (in && isdigit((unsigned char)in[4]) && strchr(in, ','))
		return "a list stands in brackets: in [1, 2]";
	return vc_format(c, "vetro explain %.*s says what it takes", (int)name, s + at);
}

static const char *
error_hint(vc *c, const query_args *a, const qr *q, const qr_error *e, uint32_t at)
{
	const char *hint = NULL, *name;

	if (strcmp(e->type, "TypeError") == 0 && strncmp(e->message, "unhashable type", 15) == 0)
		return "sets and keys hold no lists: x.items().toList() makes a list of pairs";
	if (strcmp(e->type, "IndexError") == 0)
		return "outside of a list x[5] is an error; x.skip(5).first(null) is null";
	if (strcmp(e->type, "KeyError") == 0)
		return key_hint(c, q, qr_layers(a->legacy, a->delegates), e->message);
	if (a->expr == NULL || !e->line || at > a->nexpr)
		return NULL;
	if (strcmp(e->type, "YaqlGrammarException") == 0 ||
		strcmp(e->type, "YaqlLexicalException") == 0) {
		hint = query_other_syntax(a->expr, a->nexpr, at);
		if (hint == NULL)
			hint = syntax_hint(a->expr, at);
		if (hint == NULL)
			hint = query_jq_syntax(c, a->expr, a->nexpr, at);
		if (hint == NULL && a->expr[at] == '$' && is_function_before(a->expr, at))
			return "what a function takes stands in brackets: len($)";
		return hint != NULL ? hint : query_gap(a->expr, a->nexpr, at);
	}
	if (strncmp(e->message, "Unknown function \"#property#", 27) == 0 &&
		(name = yq_bare_name(c, a->expr, a->nexpr, at)))
		return vc_format(c,
			"a text with dots stands in quotes: \"%s\"; a path begins with $: $.%s",
			name, name);
	if (at == 2 && strncmp(a->expr, "$.", 2) == 0 && q != NULL &&
		strstr(e->message, "\"#property#") && (hint = qr_no_keys(q)) != NULL)
		return hint;
	if ((hint = total_hint(c, a->expr, at)) != NULL)
		return hint;
	if (strstr(e->message, "\"#indexer\"") && (hint = indexer_hint(a->expr, at)) != NULL)
		return hint;
	if (strstr(e->message, "\"#operator_"))
		hint = operand_hint(c, a->expr, a->nexpr, at);
	else if (strcmp(e->type, "NoMethodRegisteredException") == 0)
		hint = name_hint(c, a, at, true);
	else if (strcmp(e->type, "NoFunctionRegisteredException") == 0)
		hint = name_hint(c, a, at, false);
	if (!hint)
		hint = internal_hint(c, e->message);
	return hint || strncmp(e->type, "NoMatching", 10) != 0 ? hint
							       : call_hint(c, a, e->message, at);
}

static vt_place
expression_place(const query_args *a, const qr_error *e)
{
	vt_place p = {.file = a->from_file ? a->from_file : "<expression>"};

	if (!e->line)
		return (vt_place){0};
	p.line = p.end_line = e->line;
	p.col = p.end_col = e->col;
	p.text = a->expr;
	p.n = a->nexpr;
	p.from = p.to = offset_of(a, e->line, e->col);
	return p;
}

/* note: the document that was worked on; or NULL. */
int
query_print_error(const query_args *a, const qr *q, const qr_error *e, const vt_remark *note)
{
	vc *c = vc_new();
	char *message = vt_asprintf("%s%s%s", e->type, *e->message ? ": " : "", e->message);
	vt_report r = {.code = vt_diag_name((enum vt_diag)e->code),
		.self = "vetro query",
		.at = expression_place(a, e),
		.message = message,
		.notes = note,
		.nnotes = note != NULL};

	r.hint = error_hint(c, a, q, e, (uint32_t)r.at.from);
	vt_report_print(&r, stderr);
	free(message);
	vc_free(c);
	return strcmp(e->type, "CompilerError") ? VC_EINPUT : VC_ECC;
}
