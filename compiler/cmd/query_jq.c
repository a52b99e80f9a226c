/*
 * query_jq.c - what somebody who knows jq may have meant, in YAQL: docs/from-jq.md.
 */
#include "compiler/cmd/query_int.h"
#include "compiler/check/check.h"
#include "runtime/call/call.h"
#include "runtime/core/base.h"
#include "runtime/text/nearest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct jq_row {
	const char *name, *yaql;
} jq_row;

/* jq's functions; sorted. Those that are called alike are not here. */
static const jq_row functions[] = {
	{"add", "$.sum()"},
	{"ascii_downcase", "$.toLower()"},
	{"ascii_upcase", "$.toUpper()"},
	{"capture", "regex(\"...\").search($, [$1.value, $2.value])"},
	{"ceil", "int(round($ + 0.5))"},
	{"del", "unset($.a.b), or $.delete(a)"},
	{"delpaths", "deletePath($, [a, b])"},
	{"empty", "--each, where an empty list is no result"},
	{"endswith", "$.endsWith(\"...\")"},
	{"error", "assert($, CONDITION, \"message\")"},
	{"explode", "$.toCharArray()"},
	{"first", "$.first()"},
	{"floor", "int($)"},
	{"from_entries", "$.toDict($.key, $.value)"},
	{"fromjson", "$.fromJson()"},
	{"getpath", "getPath($, [a, b])"},
	{"group_by", "$.groupBy($.key)"},
	{"gsub", "$.replace(old, new), or regex(\"...\").replace($, new)"},
	{"has", "$.containsKey(a)"},
	{"implode", "$.join(\"\")"},
	{"index", "$.indexOf(x)"},
	{"input_filename", "inputName()"},
	{"input_line_number", "inputLine()"},
	{"inside", "$ in x"},
	{"keys", "$.keys()"},
	{"keys_unsorted", "$.keys().toList()"},
	{"last", "$.last()"},
	{"length", "$.len()"},
	{"ltrim", "$.trimLeft()"},
	{"ltrimstr", "switch($.startsWith(x) => $.substring(x.len()), true => $)"},
	{"map", "$.select(...)"},
	{"map_values", "$.items().toDict($[0], $[1])"},
	{"match", "regex(\"...\").search($)"},
	{"max_by", "$.orderByDescending($.key).first()"},
	{"min_by", "$.orderBy($.key).first()"},
	{"nth", "$[n]"},
	{"numbers", "$.where(isNumber($))"},
	{"objects", "$.where(isDict($))"},
	{"path", "pathsOf($.a.b)"},
	{"recurse", "descend($)"},
	{"reverse", "$.reverse()"},
	{"rtrim", "$.trimRight()"},
	{"scan", "regex(\"...\").searchAll($)"},
	{"select", "$.where(...)"},
	{"setpath", "setPath($, [a, b], x)"},
	{"sort", "$.orderBy($)"},
	{"sort_by", "$.orderBy($.key)"},
	{"splits", "$.split(x)"},
	{"sqrt", "pow($, 0.5)"},
	{"startswith", "$.startsWith(\"...\")"},
	{"strings", "$.where(isString($))"},
	{"sub", "regex(\"...\").replace($, new, 1)"},
	{"test", "$ =~ \"...\""},
	{"to_entries", "$.items().select({key => $[0], value => $[1]})"},
	{"tojson", "$.toJson()"},
	{"tonumber", "int($) or float($)"},
	{"tostring", "str($)"},
	{"transpose", "$[0].zip($[1])"},
	{"type", "isDict($), isList($), isString($) or isNumber($)"},
	{"unique", "$.distinct()"},
	{"unique_by", "$.distinct($.key)"},
	{"values", "$.values() of an object, or $.where($ != null)"},
	{"with_entries", "$.items().toDict($[0], $[1])"},
};

static int
by_name(const void *name, const void *row)
{
	return strcmp(name, ((const jq_row *)row)->name);
}

static const char *
jq_function(const char *name)
{
	const jq_row *row = bsearch(name, functions, VC_LEN(functions), sizeof *functions, by_name);

	return row ? row->yaql : NULL;
}

/* Names that other languages have for functions of YAQL. */
static const jq_row elsewhere[] = {
	{"append", "$ + [x]"},
	{"average", "$.sum() / $.len()"},
	{"avg", "$.sum() / $.len()"},
	{"capitalize", "$.substring(0, 1).toUpper() + $.substring(1)"},
	{"concat", "$.append(x), or format(\"{0}{1}\", a, b)"},
	{"count_if", "$.where(...).len()"},
	{"each", "$.select(...)"},
	{"every", "$.all(...)"},
	{"filterBy", "$.where(...)"},
	{"find", "$.where(...).first()"},
	{"flatMap", "$.selectMany(...)"},
	{"forEach", "$.select(...)"},
	{"includes", "x in $"},
	{"lengthOf", "$.len()"},
	{"lower", "$.toLower()"},
	{"mean", "$.sum() / $.len()"},
	{"none", "not $.any(...)"},
	{"order_by", "$.orderBy($.key)"},
	{"orderby", "$.orderBy($.key)"},
	{"parseInt", "int($)"},
	{"push", "$ + [x]"},
	{"reduce", "$.aggregate($1 + $2, 0)"},
	{"size", "$.len()"},
	{"slice", "$.skip(n).take(m)"},
	{"some", "$.any(...)"},
	{"sortBy", "$.orderBy($.key)"},
	{"sorted", "$.orderBy($)"},
	{"strip", "$.trim()"},
	{"substr", "$.substring(from, count)"},
	{"title", "$.substring(0, 1).toUpper() + $.substring(1)"},
	{"toLowerCase", "$.toLower()"},
	{"toString", "str($)"},
	{"toUpperCase", "$.toUpper()"},
	{"typeof", "isDict($), isList($), isString($) or isNumber($)"},
	{"uniq", "$.distinct()"},
	{"upper", "$.toUpper()"},
};

const char *
query_jq_name(vc *c, const char *name)
{
	const char *yaql = jq_function(name);

	for (size_t i = 0; !yaql && i < VC_LEN(elsewhere); i++)
		if (strcmp(elsewhere[i].name, name) == 0)
			return vc_format(c, "it is: %s", elsewhere[i].yaql);
	return yaql ? vc_format(c, "jq's %s is: %s", name, yaql) : NULL;
}

/* ---- syntax ---- */

/* Words of jq's syntax, where the parser stumbles over what follows or over the word. */
static const jq_row words[] = {
	{"if", "jq's if is: switch(CONDITION => X, true => Y)"},
	{"then", "jq's if is: switch(CONDITION => X, true => Y)"},
	{"reduce", "jq's reduce is: $.aggregate($1 + $2, 0)"},
	{"foreach", "jq's foreach is: $.accumulate($1 + $2, 0)"},
	{"as", "jq's `X as $x | Y` is: let(x => X) -> Y"},
	{"def", "jq's def is: def(name, BODY) -> ..."},
	{"try", "jq's try is: try(X, DEFAULT)"},
};

/* What begins at the place; the longer ones come first. */
static const jq_row signs[] = {
	{"|=", "jq's `PATH |= NEW` is: update(PATH, NEW)"},
	{"+=", "jq's `PATH += X` is: update(PATH, $ + X)"},
	{"-=", "jq's `PATH -= X` is: update(PATH, $ - X)"},
	{"*=", "jq's `PATH *= X` is: update(PATH, $ * X)"},
	{"//", "jq's `X // Y` is: coalesce(X, Y)"},
	{"| @csv", "rows of CSV: --csv"},
	{"| @tsv", "rows of TSV: --tsv"},
	{"|", "there is no |: a function is called on its argument, $.a.len()"},
	{"@csv", "rows of CSV: --csv"},
	{"@tsv", "rows of TSV: --tsv"},
	{"@json", "$.toJson()"},
	{"@text", "str($)"},
	{"@base64d", "$.base64decode()"},
	{"@base64", "$.base64encode()"},
	{"..", "everything inside is descend($)"},
	{".[]", "each item is a result with --each '$'; a key of each item is $.key"},
	{".[", "the document is $: $[0]"},
	{"[]", "each item is a result with --each; a key of each item is $.key"},
	{";", "arguments have commas between them"},
	{"?", "a key that may be missing is $.get(a); null is passed by $?.a; an error by try(X)"},
};

static bool
is_word(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_';
}

/* The word that `at` is in, or that ends before it with blanks between. */
static const char *
word_hint(const char *expr, size_t n, size_t at)
{
	size_t from = at, to = at;

	while (to < n && is_word(expr[to]))
		to++;
	if (to == at) {
		while (to > 0 && isspace((unsigned char)expr[to - 1]))
			to--;
		from = to;
	}
	while (from > 0 && is_word(expr[from - 1]))
		from--;
	if (from > 0 && strchr("$.", expr[from - 1]))
		return NULL;
	/* it is `as` that the parser stumbles over */
	if (strncmp(expr, "reduce ", 7) == 0 || strncmp(expr, "foreach ", 8) == 0)
		from = 0, to = (size_t)(strchr(expr, ' ') - expr);
	for (size_t i = 0; i < VC_LEN(words); i++)
		if (strlen(words[i].name) == to - from &&
			memcmp(words[i].name, expr + from, to - from) == 0)
			return words[i].yaql;
	return NULL;
}

/* The bracket that is open at a place, or 0. */
static char
open_bracket(const char *expr, size_t at)
{
	int depth = 0;

	while (at-- > 0) {
		if (strchr(")]}", expr[at]))
			depth++;
		else if (strchr("([{", expr[at]) && depth-- == 0)
			return expr[at];
	}
	return 0;
}

static const char *
colon_hint(const char *expr, size_t at)
{
	char open = open_bracket(expr, at);

	return open == '{' ? "an object is {name => value}"
	       : open == '['
		       ? "a slice is $.skip(from).limit(count), of a text $.substring(from, count)"
		       : NULL;
}

/* `.a` without something before it. */
static const char *
dot_hint(vc *c, const char *expr, size_t n, size_t at)
{
	size_t to = at + 1;

	if (expr[at] != '.' || (at > 0 && (is_word(expr[at - 1]) || strchr(")]$", expr[at - 1]))))
		return NULL;
	while (to < n && is_word(expr[to]))
		to++;
	return vc_format(c, "the document, or the item, is $: $%.*s",
		(int)(to - at == 1     ? 0
			: to - at < 60 ? to - at
				       : 60),
		expr + at);
}

const char *
query_jq_syntax(vc *c, const char *expr, size_t n, size_t at)
{
	const char *hint;
	size_t before = at;

	if (at > n)
		return NULL;
	/* the second character of a sign is what the parser stumbles over */
	if (at > 0 && strchr("/=|.", expr[at]) && strchr("/|+-*.", expr[at - 1]))
		before--;
	for (size_t i = 0; i < VC_LEN(signs); i++)
		for (size_t from = before; from <= at; from++)
			if (strncmp(expr + from, signs[i].name, strlen(signs[i].name)) == 0)
				return signs[i].yaql;
	if (expr[at] == ':')
		return colon_hint(expr, at);
	hint = dot_hint(c, expr, n, at);
	return hint ? hint : word_hint(expr, n, at);
}

/* ---- other languages ---- */

/* Does the word end before `at`, with blanks between at most? */
static bool
comes_before(const char *expr, size_t at, const char *word)
{
	size_t n = strlen(word);

	while (at > 0 && isspace((unsigned char)expr[at - 1]))
		at--;
	return at >= n && memcmp(expr + at - n, word, n) == 0 &&
	       (at == n || !is_word(word[0]) || !is_word(expr[at - n - 1]));
}

static bool
begins(const char *expr, size_t at, const char *word)
{
	size_t n = strlen(word);

	return strncmp(expr + at, word, n) == 0 && !is_word(expr[at + n]);
}

static bool
begins_as_sql(const char *expr)
{
	static const char word[] = "select ";

	for (size_t i = 0; word[i]; i++)
		if ((expr[i] | 32) != (word[i] | 32))
			return false;
	return true;
}

const char *
query_other_syntax(const char *expr, size_t n, size_t at)
{
	char last = at > 0 && at <= n ? expr[at - 1] : '\0';

	if (at > n)
		return NULL;
	if (begins_as_sql(expr))
		return "SELECT name FROM users WHERE age > 30 is: "
		       "$.users.where($.age > 30).select($.name)";
	if (last == '[' && expr[at] == '?')
		return "a filter is where(), and the item in it $: $.users.where($.age > 30)";
	if (last == '[' && expr[at] == '*')
		return "of every item a key is taken without [*]: $.items.key";
	if (last == '$' && (expr[at] == '{' || expr[at] == '('))
		return "a variable is $name, and values get into a text by format('{0}', $.name)";
	if (last == 'f' && (expr[at] == '"' || expr[at] == '\'') &&
		(at == 1 || !is_word(expr[at - 2])))
		return "values get into a text by format('{0}', $.name)";
	if (begins(expr, at, "not") && strncmp(expr + at + 3, " in ", 4) == 0)
		return "it is: not ($.a in $.list)";
	if (comes_before(expr, at, "lambda") || begins(expr, at, "lambda"))
		return "what a function does with an item is written with $: where($.age > 30)";
	if (comes_before(expr, at, "for") || begins(expr, at, "for"))
		return "of every item it is: $.users.select($.name)";
	if (comes_before(expr, at, "is") || begins(expr, at, "is"))
		return "it is: $.a = null, or $.a != null";
	return NULL;
}

const char *
query_gap(const char *expr, size_t n, size_t at)
{
	static const char *const operators[] = {"and", "or", "not", "in", "+", "-", "*", "/", "<",
		">", "=", "mod", "=>", "->", ","};
	char last;

	if (at > n)
		return NULL;
	for (size_t i = 0; i < VC_LEN(operators); i++)
		if ((expr[at] == '\0' || strchr(")]}", expr[at])) &&
			comes_before(expr, at, operators[i]))
			return "something is missing before this place";
	while (at > 0 && isspace((unsigned char)expr[at - 1]))
		at--;
	last = at > 0 ? expr[at - 1] : '\0';
	if (open_bracket(expr, at) && (is_word(last) || (last && strchr(")]}'\"", last))))
		return "is a comma missing here?";
	return NULL;
}

/* ---- what is no error, and hardly meant ---- */

typedef struct suspect {
	vc *c;
	const query_args *a;
	const char *known[512]; /* names that a variable may have here */
	size_t n;
	uint32_t at;
} suspect;

static void
know(suspect *s, const char *name)
{
	if (s->n < VC_LEN(s->known))
		s->known[s->n++] = name;
}

static void
warn(suspect *s, const yq_node *e, const char *message, const char *hint)
{
	vc_source *src = vc_source_new(s->c, "<expression>", s->a->expr, s->a->nexpr);
	vt_report r = {.severity = VT_SEVERITY_WARNING,
		.at = {.file = s->a->from_file ? s->a->from_file : "<expression>",
			.text = s->a->expr,
			.n = s->a->nexpr,
			.from = e->from,
			.to = e->to},
		.message = message,
		.hint = hint};

	vc_place(src, e->from, &r.at.line, &r.at.col);
	r.at.end_line = r.at.line;
	r.at.end_col = r.at.col;
	vt_report_print(&r, stderr);
}

/* Every word and text of the expression may be the name of a variable: let(), unpack(), as() and
 * def() take them so. */
static void
collect_names(suspect *s, const yq_node *e)
{
	if (e->kind == YQ_KEYWORD || e->kind == YQ_STRING)
		know(s, e->text);
	for (uint32_t i = 0; i < e->n; i++)
		collect_names(s, e->kid[i]);
}

static bool
is_known(const suspect *s, const yq_node *e)
{
	const char *group; /* of a regular expression */

	if (e->ntext == 0 || isdigit((unsigned char)*e->text) || s->n == VC_LEN(s->known))
		return true;
	group = vc_format(s->c, "<%s>", e->text);
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->known[i], e->text) == 0 || strstr(s->known[i], group))
			return true;
	return false;
}

static void
check_variables(suspect *s, const yq_node *e)
{
	if (e->kind == YQ_VAR && !is_known(s, e)) {
		const char *near = vt_nearest(e->text, s->known, s->n);
		warn(s, e, vc_format(s->c, "$%s has no value here: it is null", e->text),
			near ? vc_format(s->c, "did you mean $%s?", near)
			     : vc_format(s->c, "--arg %s TEXT and let(%s => ...) give it one",
				       e->text, e->text));
	}
	for (uint32_t i = 0; i < e->n; i++)
		check_variables(s, e->kid[i]);
}

static void
check_words(suspect *s, const yq_node *e)
{
	uint32_t rows = 0;

	if (e->kind == YQ_KEYWORD) {
		const char *yaql = jq_function(e->text);
		if (yaql || vt_fn_find(e->text, &rows))
			warn(s, e, vc_format(s->c, "the word %s is a text here", e->text),
				yaql ? vc_format(s->c, "jq's %s is: %s", e->text, yaql)
				     : vc_format(s->c,
					       "a call has parentheses: %s(...) or $.%s(...)",
					       e->text, e->text));
	} else if (e->kind == YQ_STRING && strstr(e->text, "\\("))
		warn(s, e, "\\( inserts nothing in a text",
			"jq's \"a \\(.b)\" is: format(\"a {0}\", $.b)");
}

/* orderBy(n), where the key of each item is meant. */
static void
check_lambda(suspect *s, const yq_node *e)
{
	static const char *const names[] = {"where", "select", "selectMany", "orderBy",
		"orderByDescending", "thenBy", "groupBy", "any", "all", "filter", "takeWhile",
		"skipWhile", "distinct"};

	for (size_t i = 0; e->kind == YQ_CALL && e->n == 1 && i < VC_LEN(names); i++)
		if (strcmp(e->text, names[i]) == 0 && e->kid[0]->kind == YQ_KEYWORD)
			warn(s, e->kid[0],
				vc_format(s->c,
					"the word %s is a text here, the same for all items",
					e->kid[0]->text),
				vc_format(s->c, "the key of an item is $.%s", e->kid[0]->text));
}

static void
check_texts(suspect *s, const yq_node *e)
{
	check_lambda(s, e);
	if (e->kind == YQ_STRING)
		check_words(s, e);
	for (uint32_t i = 0; i < e->n; i++)
		check_texts(s, e->kid[i]);
}

void
query_jq_warn(const query_args *a)
{
	suspect *s = vt_xzalloc(sizeof *s);
	yq_error err;
	const yq_node *tree;

	s->c = vc_new();
	s->a = a;
	know(s, "ARGS");
	if (a->fold)
		know(s, "acc");
	for (uint32_t i = 0; i < a->vars.n; i++)
		know(s, a->vars.v[i].text);
	tree = yq_parse(s->c, a->expr, a->nexpr,
		(a->legacy ? YQ_F_LEGACY : 0) | (a->delegates ? YQ_F_DELEGATES : 0), &err);
	if (tree) {
		collect_names(s, tree);
		if (!a->lua.n) /* a function of the host may set variables */
			check_variables(s, tree);
		if (tree->kind == YQ_KEYWORD)
			check_words(s, tree);
		check_texts(s, tree);
	}
	vc_free(s->c);
	free(s);
}
