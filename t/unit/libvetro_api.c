/* Every function of vetro.h in one thread: results, errors, ownership. */
#include "libvetro_check.h"

#include <math.h>
#include <time.h>

static void
json_to_json(vetro_engine *e)
{
	vetro_error *err = NULL;
	vetro_query *q = vetro_compile(e, "$.where($ > 2).select($ * 10)", VETRO_ZSTR, &err);
	size_t n = 0;
	char *text;

	check(q != NULL && err == NULL, "an expression compiles");
	text = vetro_evaluate_json(q, "[1,2,3,4]tail", 9, NULL, 0, &n, &err);
	same(text, "[30,40]", "JSON in, JSON out");
	check(n == 7, "the length is told");
	vetro_free_text(text);
	text = vetro_evaluate_json(q, "[5]", VETRO_ZSTR, NULL, VETRO_PRETTY, NULL, NULL);
	check(text != NULL && strchr(text, '\n') != NULL, "indented JSON");
	vetro_free_text(text);
	text = vetro_evaluate_json(q, "[1,", VETRO_ZSTR, NULL, 0, NULL, &err);
	check(text == NULL && err != NULL, "bad JSON fails");
	same(vetro_error_type(err), "ValueError", "bad JSON: type");
	check(vetro_error_line(err) == 1 && vetro_error_column(err) == 4, "bad JSON: place");
	vetro_error_free(err);
	vetro_query_free(q);
	same(answer(e, "$.a.select($.b)", "{\"a\":[{\"b\":\"\xc3\xbc\"}]}"), "[\"\xc3\xbc\"]",
		"UTF-8 goes through");
	q = vetro_compile(e, "$", VETRO_ZSTR, NULL);
	text = vetro_evaluate_json(q, "{\"b\":1,\"a\":\"\xc3\xbc\"}", VETRO_ZSTR, NULL,
		VETRO_ASCII | VETRO_SORT_KEYS, NULL, NULL);
	same(text, "{\"a\":\"\\u00fc\",\"b\":1}", "sorted keys, ASCII");
	vetro_free_text(text);
	vetro_query_free(q);
}

static void
errors(vetro_engine *e)
{
	vetro_error *err = NULL;
	vetro_query *q = vetro_compile(e, "1 +\n  * 2", VETRO_ZSTR, &err);

	check(q == NULL && err != NULL, "a text that is no expression fails");
	same(vetro_error_type(err), "YaqlGrammarException", "grammar: type");
	check(vetro_error_line(err) == 2 && vetro_error_column(err) == 3,
		"grammar: line and column");
	vetro_error_free(err);
	err = NULL;
	check(vetro_compile(e, "'open", VETRO_ZSTR, &err) == NULL, "lexical error");
	same(vetro_error_type(err), "YaqlLexicalException", "lexical: type");
	vetro_error_free(err);
	err = NULL;
	check(vetro_compile(e, "\xff", 1, &err) == NULL, "an expression must be UTF-8");
	vetro_error_free(err);
	check(vetro_compile(e, "(((", VETRO_ZSTR, NULL) == NULL, "the error need not be taken");
	err = NULL;
	q = vetro_compile(e, "1 + nope(2)", VETRO_ZSTR, &err);
	check(q != NULL, "an unknown function is found when it is called");
	check(vetro_evaluate(q, NULL, NULL, &err) == NULL, "and fails then");
	same(vetro_error_type(err), "NoFunctionRegisteredException", "evaluation: type");
	check(vetro_error_line(err) == 1 && vetro_error_column(err) == 5, "evaluation: place");
	vetro_error_free(err);
	check(vetro_evaluate(q, NULL, NULL, NULL) == NULL,
		"an evaluation's error need not be taken");
	err = NULL;
	check(vetro_evaluate(q, NULL, vetro_null(), &err) == NULL, "variables that are no dict");
	same(vetro_error_type(err), "UsageError", "variables: type");
	vetro_error_free(err);
	vetro_query_free(q);
	same(answer(e, "1/0", "null"), "ZeroDivisionError: integer division or modulo by zero",
		"an error of Python's");
	same(answer(e, "$.a", "{\"a\":7}"), "7", "the engine works on");
}

static void
scalars(vetro_engine *e)
{
	static const int64_t ints[] = {
		0, 1, -1, INT64_MAX, INT64_MIN, INT64_MAX / 2 + 1, 4611686018427387903};
	vetro_value v, w;
	int64_t i = 7;
	double d = 0;
	size_t n = 0;
	char *text;

	check(vetro_kind_of(NULL) == VETRO_NONE && vetro_kind_of(vetro_null()) == VETRO_NULL,
		"none and null");
	check(vetro_truth(vetro_bool(5)) && !vetro_truth(vetro_bool(0)) && !vetro_truth(NULL),
		"truth");
	check(vetro_get_int(vetro_bool(1), &i) == -1 && i == 7, "a bool is no integer");
	for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
		v = vetro_int(e, ints[k]);
		check(vetro_kind_of(v) == VETRO_INT && vetro_get_int(v, &i) == 0 && i == ints[k],
			"64 bits");
		vetro_unref(v);
	}
	v = vetro_bigint(e, "-123456789012345678901234567890", VETRO_ZSTR);
	check(vetro_kind_of(v) == VETRO_BIGINT && vetro_get_int(v, &i) == -1, "a big integer");
	check(vetro_get_double(v, &d) == 0 &&
			fabs(d / -123456789012345678901234567890. - 1) < 1e-12,
		"as a double");
	text = vetro_to_text(e, v, &n);
	same(text, "-123456789012345678901234567890", "as text");
	check(n == 31, "length of the text");
	vetro_free_text(text);
	vetro_unref(v);
	w = vetro_bigint(e, "+12", VETRO_ZSTR);
	check(vetro_get_int(w, &i) == 0 && i == 12, "a small one is an integer");
	vetro_unref(w);
	check(!vetro_bigint(e, "1_0", VETRO_ZSTR) && !vetro_bigint(e, "", 0) &&
			!vetro_bigint(e, "-", 1),
		"not digits");
	v = vetro_double(e, 0.5);
	check(vetro_kind_of(v) == VETRO_DOUBLE && vetro_get_double(v, &d) == 0 && d == 0.5,
		"a double");
	vetro_unref(v);
	v = vetro_string(e, "a\0b", 3);
	check(vetro_get_string(v, &n) != NULL && n == 3 && vetro_get_string(v, NULL)[3] == 0,
		"a string with NUL inside");
	check(vetro_ref(v) == v, "a reference");
	vetro_unref(v);
	vetro_unref(v);
	check(vetro_string(e, "\xc3", 1) == NULL && vetro_get_string(vetro_null(), &n) == NULL,
		"no string");
	vetro_unref(NULL);
}

static void
containers(vetro_engine *e)
{
	vetro_value list = vetro_list(e), dict = vetro_dict(e), key, value, k, v;
	size_t pos = 0;
	int seen = 0;
	char *text;

	check(vetro_list_push(e, list, vetro_int(e, 1)) == 0, "push");
	check(vetro_list_push(e, list, vetro_string(e, "\xff", 1)) == -1,
		"a failed value is not pushed");
	check(vetro_list_push(e, list, list) == -1, "a list does not hold itself");
	check(vetro_list_push(e, dict, vetro_null()) == -1, "push to a dict");
	check(vetro_dict_put_name(e, dict, "one", vetro_int(e, 1)) == 0, "put");
	check(vetro_dict_put(e, dict, vetro_int(e, 2), vetro_double(e, 2.5)) == 0,
		"put with another key");
	check(vetro_dict_put_name(e, dict, "one", vetro_string(e, "x", 1)) == 0 &&
			vetro_length(dict) == 2,
		"put again");
	check(vetro_dict_put(e, dict, vetro_list(e), vetro_null()) == -1, "a list is no key");
	vetro_ref(list);
	check(vetro_list_push(e, list, vetro_null()) == -1, "a shared list is closed");
	check(vetro_dict_put_name(e, dict, "list", list) == 0, "a list in a dict");
	check(vetro_list_at(list, 0) != NULL && vetro_list_at(list, 1) == NULL, "items");
	check(vetro_list_at(vetro_dict_get_name(dict, "list"), 0) == vetro_list_at(list, 0),
		"a path");
	check(vetro_dict_get_name(dict, "no") == NULL && vetro_dict_get_name(list, "no") == NULL,
		"no such key");
	key = vetro_double(e, 2.0);
	check(vetro_kind_of(vetro_dict_get(dict, key)) == VETRO_DOUBLE, "2.0 finds 2");
	vetro_unref(key);
	check(vetro_dict_get(dict, list) == NULL, "a list finds nothing");
	while (vetro_dict_next(dict, &pos, &k, &v))
		seen += k != NULL && v != NULL;
	check(seen == 3, "going through a dict");
	text = vetro_write_json(e, dict, 0, NULL, NULL);
	same(text, "{\"one\":\"x\",\"2\":2.5,\"list\":[1]}", "written");
	vetro_free_text(text);
	check(vetro_length(vetro_null()) == -1 && vetro_length(list) == 1, "lengths");
	value = vetro_list(e);
	vetro_list_push(e, value, vetro_bool(1));
	check(vetro_equal(value, list) && !vetro_equal(value, dict) && !vetro_equal(value, NULL),
		"equal as the language has it");
	vetro_unref(value);
	vetro_unref(list);
	vetro_unref(dict);
}

static void
documents(vetro_engine *e)
{
	vetro_value doc = vetro_parse_json(
		e, "{\"s\":[{\"n\":\"a\",\"c\":2},{\"n\":\"b\",\"c\":8}]}", VETRO_ZSTR, NULL);
	vetro_query *names =
		vetro_compile(e, "$.s.where($.c >= $least).select($.n)", VETRO_ZSTR, NULL);
	vetro_query *sum = vetro_compile(e, "$.s.select($.c).sum()", VETRO_ZSTR, NULL);
	vetro_value r, first, vars, built;
	int64_t i = 0, total = 0;
	char *text;

	for (int least = 0; least < 10; least += 5) {
		vars = vetro_dict(e);
		vetro_dict_put_name(e, vars, least ? "least" : "$least", vetro_int(e, least));
		r = vetro_evaluate(names, doc, vars, NULL);
		check(vetro_length(r) == (least ? 1 : 2), "a variable");
		vetro_unref(vars);
		vetro_unref(r);
	}
	for (int k = 0; k < 1000; k++) {
		r = vetro_evaluate(sum, doc, NULL, NULL);
		total += vetro_get_int(r, &i) == 0 ? i : 0;
		vetro_unref(r);
	}
	check(total == 10000, "one document, many evaluations");
	first = vetro_list_at(vetro_dict_get_name(doc, "s"), 0);
	r = vetro_evaluate(sum, NULL, NULL, NULL);
	check(r == NULL, "null has no .s");
	vetro_query_free(sum);
	sum = vetro_compile(e, "$.n + $.n", VETRO_ZSTR, NULL);
	r = vetro_evaluate(sum, first, NULL, NULL);
	same(vetro_get_string(r, NULL), "aa", "a part of a document is one");
	vetro_unref(r);
	vetro_query_free(names);
	vetro_query_free(sum);
	built = vetro_list(e);
	vetro_list_push(e, built, vetro_ref(doc));
	r = vetro_prepare(e, built, NULL);
	check(r != NULL && r != built && vetro_equal(vetro_list_at(r, 0), doc), "prepared");
	text = vetro_write_json(e, r, 0, NULL, NULL);
	same(text, "[{\"s\":[{\"n\":\"a\",\"c\":2},{\"n\":\"b\",\"c\":8}]}]", "and written");
	vetro_free_text(text);
	vetro_unref(r);
	vetro_unref(built);
	vetro_unref(doc);
	r = NULL;
	check(vetro_prepare(e, NULL, NULL) == NULL &&
			vetro_write_json(e, NULL, 0, NULL, NULL) == NULL,
		"no value");
}

static void
options(vetro_engine *e)
{
	vetro_query *q;
	vetro_error *err = NULL;
	vetro_value r, item;
	vetro_iter *it;
	int n = 0;

	check(vetro_engine_get(e, VETRO_CONVERT_OUTPUT) == 1, "a default");
	check(vetro_engine_set(e, VETRO_CONVERT_OUTPUT, 2) == -1 &&
			vetro_engine_set(e, (vetro_option)99, 0) == -1,
		"bad options");
	check(vetro_engine_set(e, VETRO_LIMIT_ITERATORS, 10) == 0, "an option");
	same(answer(e, "range(20).toList()", "null"),
		"CollectionTooLargeException: Collection length exceeds 10 elements",
		"limitIterators");
	vetro_engine_set(e, VETRO_LIMIT_ITERATORS, -1);
	same(answer(e, "range(20).toList().len()", "null"), "20",
		"the same text with other options");
	same(answer(e, "{a => 1}.select($)", "null"),
		"NoMatchingMethodException: No method \"select\" for receiver {'a': 1} matches "
		"supplied arguments",
		"dicts do not iterate");
	vetro_engine_set(e, VETRO_ITERABLE_DICTS, 1);
	same(answer(e, "{a => 1}.select($)", "null"), "[\"a\"]", "but with an option");
	vetro_engine_set(e, VETRO_ITERABLE_DICTS, 0);
	vetro_engine_set(e, VETRO_MEMORY_QUOTA, 1000);
	same(answer(e, "'a' * 100000", "null"),
		"MemoryQuotaExceededException: Expression consumed too much memory", "memoryQuota");
	vetro_engine_set(e, VETRO_MEMORY_QUOTA, -1);
	vetro_engine_set(e, VETRO_LEGACY, 1);
	same(answer(e, "$.a => 1", "{\"a\":3}"), "[3,1]", "the legacy dialect");
	vetro_engine_set(e, VETRO_LEGACY, 0);
	vetro_engine_set(e, VETRO_LEGACY_FUNCTIONS, 1);
	same(answer(e, "[1, 2, 3][$ > 1]", "null"), "[2,3]", "the older dialect's functions");
	same(answer(e, "{a => 1}.foo", "null"), "null", "they ask for a key as it did");
	same(answer(e, "dict(tuple(a, $.a))", "{\"a\":3}"), "{\"a\":3}", "below this grammar");
	vetro_engine_set(e, VETRO_LEGACY_FUNCTIONS, 0);
	same(answer(e, "[1, 2, 3][$ > 1]", "null"), "1", "and gone: a text has two programs");
	same(answer(e, "lambda($ + 1)", "null"),
		"NoFunctionRegisteredException: Unknown function \"lambda\"", "no delegates");
	vetro_engine_set(e, VETRO_DELEGATE_FUNCTIONS, 1);
	same(answer(e, "[1].select(lambda($ + 1)).len()", "null"), "1", "functions of delegates");
	check(strstr(answer(e, "lambda($ * 2)(3)", "null"), "unexpected '('") != NULL,
		"without their grammar");
	vetro_engine_set(e, VETRO_DELEGATE_FUNCTIONS, 0);
	check(vetro_engine_set(e, VETRO_LEGACY_FUNCTIONS, 2) != 0, "a flag is 0 or 1");
	vetro_engine_set(e, VETRO_EXPRESSION_SIZE, 5);
	check(vetro_compile(e, "1 + 22", VETRO_ZSTR, &err) == NULL, "a long expression");
	vetro_error_free(err);
	vetro_engine_set(e, VETRO_EXPRESSION_SIZE, 1 << 18);
	vetro_engine_set(e, VETRO_JSON_DEPTH, 3);
	check(vetro_parse_json(e, "[[[[1]]]]", VETRO_ZSTR, NULL) == NULL, "deep JSON");
	vetro_engine_set(e, VETRO_JSON_DEPTH, 1000);
	vetro_engine_set(e, VETRO_CONVERT_OUTPUT, 0);
	q = vetro_compile(e, "range(5).select($ * $)", VETRO_ZSTR, NULL);
	r = vetro_evaluate(q, NULL, NULL, NULL);
	check(vetro_kind_of(r) == VETRO_LAZY, "a result that was not converted");
	it = vetro_iterate(e, r, NULL);
	while (vetro_next(it, &item, NULL) == 1) {
		n++;
		vetro_unref(item);
	}
	check(n == 5, "its items");
	check(vetro_next(it, &item, NULL) == 0, "the end stays the end");
	vetro_iter_free(it);
	vetro_unref(r);
	{
		char *text = vetro_evaluate_json(q, "null", VETRO_ZSTR, NULL, 0, NULL, NULL);
		same(text, "[0,1,4,9,16]", "JSON of it");
		vetro_free_text(text);
	}
	vetro_query_free(q);
	q = vetro_compile(e, "[1, 0].select(1 / $)", VETRO_ZSTR, NULL);
	r = vetro_evaluate(q, NULL, NULL, NULL);
	it = vetro_iterate(e, r, NULL);
	check(vetro_next(it, &item, NULL) == 1, "the first item of a lazy value");
	check(vetro_next(it, &item, &err) == -1, "a late error");
	same(vetro_error_type(err), "ZeroDivisionError", "its type");
	vetro_error_free(err);
	vetro_iter_free(it);
	vetro_unref(r);
	vetro_query_free(q);
	check(vetro_iterate(e, vetro_null(), NULL) == NULL, "null has no items");
	vetro_engine_set(e, VETRO_CONVERT_OUTPUT, 1);
}

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
limits(vetro_engine *e)
{
	double from = seconds();

	vetro_engine_set(e, VETRO_TIME_LIMIT, 50);
	same(answer(e, "range(1, 1000000000).where($ < 0).len()", "null"),
		"TimeoutError: the evaluation took longer than the time limit allows",
		"a long evaluation ends");
	same(answer(e, "def(f, f($ + 1)) -> f(1)", "null"),
		"RecursionError: maximum recursion depth exceeded",
		"endless recursion ends by itself");
	check(seconds() - from < 10, "in time");
	same(answer(e, "$.sum()", "[1,2]"), "3", "a short one is left alone");
	vetro_engine_set(e, VETRO_TIME_LIMIT, 0);
}

int
main(void)
{
	vetro_engine *e = vetro_engine_new();

	check(strlen(vetro_version()) >= 5, "there is a version");
	json_to_json(e);
	errors(e);
	scalars(e);
	containers(e);
	documents(e);
	options(e);
	limits(e);
	vetro_engine_free(e);
	vetro_engine_free(NULL);
	vetro_query_free(NULL);
	vetro_error_free(NULL);
	vetro_iter_free(NULL);
	return 0;
}
