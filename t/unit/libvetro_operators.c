/* Operators of the host: how they parse, what they call, what is refused. The trees are those of python yaql with the same
 * table. */
#include "libvetro_check.h"

#include <stdio.h>
#include <vetro_host.h>

/* ---- trees as text ---- */

static void
put(char *to, size_t size, const char *s, size_t n)
{
	size_t at = strlen(to);

	if (at + n < size) {
		memcpy(to + at, s, n);
		to[at + n] = '\0';
	}
}

static void
put_node(char *to, size_t size, const vetro_node *node)
{
	vetro_node_kind kind = vetro_node_kind_of(node);
	size_t n, parts = vetro_node_parts(node);
	const char *text = vetro_node_text(node, &n);
	int brackets = parts > 0 || kind == VETRO_NODE_CALL;

	put(to, size, "(", (size_t)brackets);
	if (kind == VETRO_NODE_VARIABLE)
		put(to, size, "$", 1);
	put(to, size, text, n);
	if (kind == VETRO_NODE_INDEX || kind == VETRO_NODE_INVOKE || kind == VETRO_NODE_PARENTHESES)
		put(to, size,
			kind == VETRO_NODE_INDEX    ? "index"
			: kind == VETRO_NODE_INVOKE ? "#call"
						    : "wrap",
			kind == VETRO_NODE_PARENTHESES ? 4 : 5);
	for (size_t i = 0; i < parts; i++) {
		put(to, size, " ", 1);
		put_node(to, size, vetro_node_part(node, i));
	}
	put(to, size, ")", (size_t)brackets);
}

static void
parses(vetro_engine *e, const char *expression, const char *want)
{
	static char shown[1000];
	vetro_error *err = NULL;
	vetro_tree *t = vetro_parse(e, expression, VETRO_ZSTR, &err);

	shown[0] = '\0';
	if (t != NULL)
		put_node(shown, sizeof shown, vetro_tree_root(t));
	else
		snprintf(shown, sizeof shown, "%s", vetro_error_message(err));
	same(shown, want, expression);
	vetro_error_free(err);
	vetro_tree_free(t);
}

static void
precedence(void)
{
	vetro_engine *e = vetro_engine_new();

	vetro_engine_set(e, VETRO_DELEGATES, 1);
	check(vetro_insert_operator(e, "or", 1, "**", VETRO_BINARY_RIGHT, 1, NULL, NULL) == 0,
		"one behind `or`");
	check(vetro_insert_operator(e, "+", 0, "!", VETRO_UNARY_SUFFIX, 1, NULL, NULL) == 0,
		"one behind the signs");
	check(vetro_insert_operator(e, "and", 1, "xor", VETRO_BINARY_LEFT, 0, "myxor", NULL) == 0,
		"one beside `and`");
	check(vetro_insert_operator(e, NULL, 1, "@", VETRO_UNARY_PREFIX, 1, NULL, NULL) == 0,
		"one before all");
	parses(e, "$a ** $b ** $c", "(** $a (** $b $c))");
	parses(e, "$a + $b ** $c or $d", "(** (+ $a $b) (or $c $d))");
	parses(e, "$a -> $b ** $c", "(-> $a (** $b $c))");
	parses(e, "$a ** $b -> $c", "(-> (** $a $b) $c)");
	parses(e, "$a! + 2", "(+ (! $a) 2)");
	parses(e, "-$a!", "(! (- $a))");
	parses(e, "$a!.b", "(. (! $a) b)");
	parses(e, "$a.b!", "(! (. $a b))");
	parses(e, "(1)!!", "(! (! (wrap 1)))");
	parses(e, "$a! [1]", "(index (! $a) 1)");
	parses(e, "$a!(1)", "(#call (! $a) 1)");
	parses(e, "$a ** $b(1)", "(#call (** $a $b) 1)");
	parses(e, "$a xor $b and $c", "(and (xor $a $b) $c)");
	parses(e, "not $a xor $b", "(xor (not $a) $b)");
	parses(e, "xor(1)", "(xor 1)");
	parses(e, "@$a.b", "(. (@ $a) b)");
	parses(e, "$x != $y", "(!= $x $y)");
	parses(e, "$x! =$y", "(= (! $x) $y)");
	parses(e, "f(, $a ** 2, c => 3 ** 4)", "(f  (** $a 2) (=> c (** 3 4)))");
	parses(e, "$a.xor", "Parse error: unexpected 'xor' at position 3 of expression '$a.xor'");
	parses(e, "a ** b => 2",
		"Parse error: unexpected '=>' at position 7 of expression 'a ** b => 2'");
	parses(e, "f(1,)", "Parse error: unexpected ')' at position 4 of expression 'f(1,)'");
	parses(e, "1 ** ", "Parse error: unexpected end of statement");
	parses(e, "{a \"\\u`de \"",
		"'unicodeescape' codec can't decode bytes in position 0-1: truncated \\uXXXX "
		"escape");
	parses(e, "1 # 2", "Lexical error: illegal character '#' at position 2");
	parses(e, "\xc3\xa4 ** 1", "(** \xc3\xa4 1)");
	vetro_engine_free(e);
}

/* ---- what they call ---- */

static vetro_value
join(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	char text[200];
	const char *a = n > 0 ? vetro_get_string(v[0], NULL) : NULL,
		   *b = n > 1 ? vetro_get_string(v[1], NULL) : NULL;

	snprintf(text, sizeof text, "<%s%s%s>", a ? a : "", (const char *)user, b ? b : "");
	return vetro_string(vetro_call_engine(c), text, VETRO_ZSTR);
}

static vetro_value
swap(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	(void)n, (void)user;
	return vetro_apply(vetro_call_engine(c), v[1], 1, &v[0], NULL);
}

static void
calls(void)
{
	vetro_engine *e = vetro_engine_new();

	vetro_insert_operator(e, "or", 1, "**", VETRO_BINARY_RIGHT, 1, NULL, NULL);
	vetro_insert_operator(e, "and", 1, "xor", VETRO_BINARY_LEFT, 0, "either", NULL);
	vetro_insert_operator(e, "+", 0, "!", VETRO_UNARY_SUFFIX, 1, NULL, NULL);
	vetro_insert_operator(e, NULL, 0, "~", VETRO_UNARY_PREFIX, 0, "flip", NULL);
	vetro_insert_operator(e, "->", 1, "|", VETRO_BINARY_LEFT, 1, NULL, NULL);
	same(answer(e, "1 ** 2", "0"),
		"NoFunctionRegisteredException: Unknown function \"#operator_**\"",
		"an operator without a function");
	vetro_register(e, "#operator_**", "a: str, b: str", 0, join, "**", NULL, NULL);
	vetro_register(e, "*either", "a: str, b: str", 0, join, "^", NULL, NULL);
	vetro_register(e, "#unary_operator_!", "a: str", 0, join, "!", NULL, NULL);
	vetro_register(e, "*flip", "a: str", 0, join, "~", NULL, NULL);
	vetro_register(e, "#operator_|", "a: any, f: lambda", 0, swap, NULL, NULL, NULL);
	same(answer(e, "a ** b ** c", "0"), "\"<a**<b**c>>\"", "to the right");
	same(answer(e, "a xor b xor c", "0"), "\"<<a^b>^c>\"", "to the left, with an alias");
	same(answer(e, "~a!", "0"), "\"<<a~>!>\"", "before and behind");
	same(answer(e, "$.x ** $.y + '!'", "{\"x\": \"p\", \"y\": \"q\"}"), "\"<p**q!>\"",
		"with operators of the language");
	same(answer(e, "$.where($ > 1) | $.len() | $ * 10", "[1, 2, 3]"), "20", "a lazy operand");
	same(answer(e, "$.select($ ** a)", "[\"x\", \"y\"]"), "[\"<x**a>\",\"<y**a>\"]",
		"in a lambda");
	same(answer(e, "1 ** a", "0"),
		"NoMatchingFunctionException: No function \"#operator_**\" matches supplied "
		"arguments",
		"operands of other types");
	same(answer(e, "1 + 2 * 3 = 7 and not false", "0"), "true", "what was there is as it was");
	vetro_engine_free(e);
}

/* An expression has the table that its engine had when it was compiled. */
static void
later(void)
{
	vetro_engine *e = vetro_engine_new();
	vetro_query *q;
	vetro_value v;

	vetro_insert_operator(e, "+", 1, "^", VETRO_BINARY_LEFT, 0, NULL, NULL);
	vetro_register(e, "#operator_^", "a: str, b: str", 0, join, "^", NULL, NULL);
	q = vetro_compile(e, "a ^ b ^ c", VETRO_ZSTR, NULL);
	vetro_insert_operator(e, "+", 1, "^^", VETRO_BINARY_LEFT, 0, NULL, NULL);
	for (int i = 0; i < 2000; i++) { /* also once it is compiled for real */
		v = vetro_evaluate(q, NULL, NULL, NULL);
		if (i == 1999)
			same(vetro_get_string(v, NULL), "<<a^b>^c>",
				"an expression that was compiled before");
		vetro_unref(v);
	}
	same(answer(e, "a ^^ b", "0"),
		"NoFunctionRegisteredException: Unknown function \"#operator_^^\"",
		"and one that comes after");
	vetro_query_free(q);
	vetro_engine_free(e);
}

/* ---- refusals ---- */

static void
refused(vetro_engine *e, const char *existing, const char *symbol, vetro_operator_kind kind,
	const char *alias, const char *want)
{
	vetro_error *err = NULL;
	char shown[200] = "taken";

	if (vetro_insert_operator(e, existing, 1, symbol, kind, 1, alias, &err) != 0)
		snprintf(shown, sizeof shown, "%s: %s", vetro_error_type(err),
			vetro_error_message(err));
	same(shown, want, "refused");
	vetro_error_free(err);
}

static void
refusals(void)
{
	static const char word[] =
		"UsageError: %s: an operator is a word, or some of !#%%&*+-./:;<=>?@\\^|~";
	static const char *const bad[] = {"", "a b", "(", "$", "1x", "true", "__x", "'", "a+",
		"\xff", "0123456789012345678901234567890123456789"};
	vetro_engine *e = vetro_engine_new();
	char want[200];

	refused(e, "nope", "^", VETRO_BINARY_LEFT, NULL,
		"ValueError: nope: there is no such operator");
	refused(e, "not", "^", VETRO_BINARY_LEFT, NULL,
		"ValueError: not: there is no such operator");
	refused(e, "or", "+", VETRO_BINARY_LEFT, NULL,
		"InvalidOperatorTableException: +: there is such an operator already");
	refused(e, "or", "-", VETRO_UNARY_SUFFIX, NULL,
		"InvalidOperatorTableException: -: there is such an operator already");
	refused(e, "or", "*", VETRO_UNARY_SUFFIX, NULL,
		"UsageError: *: a symbol cannot stand behind its value and between two values");
	refused(e, "or", "^", VETRO_BINARY_LEFT, "a-b", "UsageError: ^: an alias is a word");
	refused(e, "or", NULL, VETRO_BINARY_LEFT, NULL,
		"UsageError: : an operator needs a symbol and a kind");
	refused(e, "or", "^", (vetro_operator_kind)9, NULL,
		"UsageError: ^: an operator needs a symbol and a kind");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(want, sizeof want, word,
			(unsigned char)bad[i][0] == 0xff ? "\xef\xbf\xbd" : bad[i]);
		refused(e, "or", bad[i], VETRO_BINARY_LEFT, NULL, want);
	}
	same(answer(e, "1 + 1", "0"), "2", "the table is as it was");
	vetro_engine_free(e);
}

static void
deep(void)
{
	static char text[40000];
	vetro_engine *e = vetro_engine_new();

	vetro_insert_operator(e, "+", 0, "~", VETRO_UNARY_PREFIX, 0, NULL, NULL);
	memset(text, '~', sizeof text - 2);
	text[sizeof text - 2] = '1';
	check(strstr(answer(e, text, "0"), "nested deeper than") != NULL,
		"forty thousand operators before a value");
	memset(text, '(', sizeof text - 1);
	check(strstr(answer(e, text, "0"), "nested deeper than") != NULL,
		"forty thousand parentheses");
	vetro_engine_free(e);
}

int
main(void)
{
	precedence();
	calls();
	later();
	refusals();
	deep();
	return 0;
}
