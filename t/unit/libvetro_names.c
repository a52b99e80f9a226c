/* Conventions: how names become names of expressions. */
#include "libvetro_check.h"

#include <vetro_host.h>

/* Says who it is, and the numbers it gets. */
static vetro_value
says(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	char text[100] = "mine";
	int64_t i;

	(void)user;
	for (size_t k = 0; k < n; k++)
		if (vetro_get_int(v[k], &i) == 0)
			snprintf(text + strlen(text), sizeof text - strlen(text), " %d", (int)i);
	return vetro_string(vetro_call_engine(c), text, VETRO_ZSTR);
}

static void
named(vetro_engine *e, const char *name, const char *params)
{
	vetro_register(e, name, params, VETRO_EXTENSION, says, "mine", NULL, NULL);
}

/* What yaql 2.0.0 makes of names with its conventions. */
static void
test_camel_case(void)
{
	static const struct {
		const char *name, *expression;
	} t[] = {
		{"user_name", "userName()"},
		{"a_b_c", "aBC()"},
		{"a__b", "a_b()"},
		{"let_in_", "letIn()"},
		{"_own_one_two", "_own_oneTwo()"},
		{"x_2y", "x2y()"},
		{"plain", "plain()"},
		{"isIt_so", "isItSo()"},
		{"na\xc3\xafve_\xc3\xa9t\xc3\xa9", "na\xc3\xafve\xc3\x89t\xc3\xa9()"},
		{"#own_one#is_two", "call('#own_one#isTwo', [], {})"},
		{"#own_one", "call('#own_one', [], {})"},
	};
	vetro_engine *e = vetro_engine_new();

	named(e, "as_written", "");
	check(vetro_engine_set(e, VETRO_CONVENTION, VETRO_CAMEL_CASE) == 0, "a convention");
	for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
		named(e, t[i].name, "");
		same(answer(e, t[i].expression, "1"), "\"mine\"", t[i].name);
	}
	same(answer(e, "as_written()", "1"), "\"mine\"", "what was there keeps its name");
	named(e, "with_key", "first_one: integer, last_one_: integer = 0");
	same(answer(e, "withKey(firstOne => 1, lastOne => 2)", "1"), "\"mine 1 2\"",
		"names of parameters");
	check(vetro_register(e, "__", "", 0, says, NULL, NULL, NULL) == -1, "no name is left");
	check(vetro_register(e, "a_\xc3", "", 0, says, NULL, NULL, NULL) == -1, "no UTF-8");
	same(answer(e, "[[2], [1, 1]].orderBy($.len())", "1"), "[[2],[1,1]]", "the library");
	check(vetro_engine_set(e, VETRO_CONVENTION, 3) == -1, "there are two");
	vetro_engine_free(e);
}

static void
test_python_names(void)
{
	static const struct {
		const char *expression, *want;
	} t[] = {
		{"$.order_by(-$)", "[3,2,1]"},
		{"$.order_by_descending($).then_by(1)", "[3,2,1]"},
		{"$.orderBy(-$)", "NoMethodRegisteredException: Unknown method \"orderBy\" for "
				  "receiver (3, 1, 2)"},
		{"ab.to_upper() + str($.select_many([$, $]).len())", "\"AB6\""},
		{"$.where(str($).to_upper() = '1')", "[1]"},
		{"$.group_by($ mod 2, value_selector => $ * 10)", "[[1,[30,10]],[0,[20]]]"},
		{"'a b c'.split(' ', max_splits => 1)", "[\"a\",\"b c\"]"},
		{"'a b c'.split(' ', maxSplits => 1)",
			"NoMatchingMethodException: No method \"split\" for receiver a b c matches "
			"supplied arguments"},
		{"{a => 1, b => 2}.deleteAll([a])", "{\"b\":2}"},
		{"{a => 1}.delete_all([a])", "NoMethodRegisteredException: Unknown method "
					     "\"delete_all\" for receiver {'a': 1}"},
		{"'abab'.replaceBy(regex(b), str($.start))", "\"a1a3\""},
		{"regex(b).replace_by('abab', str($.start))", "\"a1a3\""},
		{"is_string(a) and not is_integer(a)", "true"},
		{"$.select(switch($ > 2 => big, true => small)).distinct().len()", "2"},
		{"my_name(one_thing => 4)", "\"mine 4\""},
		{"dict(max_splits => 1).max_splits + (let(a_b => 2) -> $a_b)", "3"},
		{"call(is_string, [ab], {})", "true"},
	};
	vetro_engine *e = vetro_engine_new();

	vetro_engine_set(e, VETRO_CONVENTION, VETRO_PYTHON_NAMES);
	named(e, "my_name_", "one_thing: integer");
	for (size_t i = 0; i < sizeof t / sizeof t[0]; i++)
		same(answer(e, t[i].expression, "[3, 1, 2]"), t[i].want, t[i].expression);
	vetro_engine_set(e, VETRO_LEFT_OUT, VETRO_GROUP_QUERIES);
	same(answer(e, "[1].order_by($)", "1"),
		"NoMethodRegisteredException: Unknown method \"order_by\" for receiver (1,)",
		"groups are left out");
	vetro_engine_set(e, VETRO_LEFT_OUT, 0);
	vetro_engine_set(e, VETRO_CONVENTION, 0);
	same(answer(e, "$.orderBy(-$)", "[3, 1, 2]"), "[3,2,1]", "without the convention");
	same(answer(e, "$.order_by(-$)", "[3, 1, 2]"),
		"NoMethodRegisteredException: Unknown method \"order_by\" for receiver (3, 1, 2)",
		"its names are gone");
	vetro_engine_free(e);
}

/* answer() in a context. */
static const char *
answer_in(vetro_engine *e, const char *expression, vetro_value context)
{
	vetro_error *err = NULL;
	vetro_query *q = vetro_compile(e, expression, VETRO_ZSTR, &err);
	vetro_value v = q ? vetro_evaluate_in(q, NULL, context, &err) : NULL;
	char *text = v ? vetro_to_text(e, v, NULL) : NULL;

	vetro_unref(v);
	vetro_query_free(q);
	return shown_of(text, err);
}

/* Contexts of one engine, each with its own; those inside of one have the same. */
static void
test_contexts(void)
{
	vetro_engine *e = vetro_engine_new();
	vetro_value plain = vetro_context(e, NULL), camel = vetro_context(e, NULL),
		    inner = vetro_context(e, camel), view;
	const vetro_value both[] = {inner, plain};

	check(vetro_context_convention(e, camel, VETRO_CAMEL_CASE) == 0, "a context has one");
	check(vetro_context_convention(e, camel, 3) == -1, "but there are two");
	check(vetro_context_convention(e, vetro_null(), VETRO_CAMEL_CASE) == -1, "no context");
	vetro_context_register(e, plain, "one_name", "", 0, says, NULL, NULL, NULL);
	vetro_context_register(e, inner, "one_name", "a_b: integer", 0, says, NULL, NULL, NULL);
	same(answer_in(e, "one_name()", plain), "mine", "as it was given");
	same(answer_in(e, "oneName(aB => 2)", inner), "mine 2", "as the convention has it");
	same(answer_in(e, "one_name()", inner),
		"NoFunctionRegisteredException: Unknown function \"one_name\"", "and not as given");
	view = vetro_context_of(e, 2, both);
	vetro_context_register(e, view, "two_names", "", 0, says, NULL, NULL, NULL);
	same(answer_in(e, "twoNames()", inner), "mine", "through a view, that of the first");
	vetro_engine_set(e, VETRO_CONVENTION, VETRO_CAMEL_CASE);
	vetro_context_convention(e, plain, 0);
	vetro_context_register(e, plain, "three_names", "", 0, says, NULL, NULL, NULL);
	same(answer_in(e, "three_names()", plain), "mine", "none, though the engine has one");
	vetro_unref(view);
	vetro_unref(inner);
	vetro_unref(camel);
	vetro_unref(plain);
	vetro_engine_free(e);
}

static void
test_lua(void)
{
	static const char script[] = "vetro.register { name = 'own_sum', params = 'first_one: "
				     "integer, last: integer = 1', "
				     "fn = function(a, b) return a + b end }";
	vetro_engine *e = vetro_engine_new();

	vetro_engine_set(e, VETRO_CONVENTION, VETRO_CAMEL_CASE);
	check(vetro_load_lua(e, script, VETRO_ZSTR, "own.lua", NULL) == 0, "a script");
	same(answer(e, "ownSum(firstOne => 4, last => 3)", "1"), "7", "functions of Lua");
	same(answer(e, "own_sum(1)", "1"),
		"NoFunctionRegisteredException: Unknown function \"own_sum\"", "not as given");
	vetro_engine_free(e);
}

/* Counts to three; the user pointer is the last number. */
static int
next_number(vetro_engine *e, void *user, vetro_value *item)
{
	int *last = user;

	if (*last == 3)
		return 0;
	*item = vetro_int(e, ++*last);
	return 1;
}

static const vetro_lazy_type numbers = {"numbers", next_number, free};

static vetro_value
from_one(vetro_engine *e, void *user)
{
	(void)user;
	return vetro_lazy(e, &numbers, calloc(1, sizeof(int)));
}

static vetro_value
attribute(vetro_engine *e, void *user, const char *name)
{
	(void)user;
	return strcmp(name, "own") == 0 ? vetro_int(e, 7) : NULL;
}

/* Objects with items are collections, read anew each time; their own members go first. */
static void
test_collections(void)
{
	static const vetro_object_type type = {NULL, NULL, NULL, NULL, NULL, NULL};
	static const vetro_members rows = {
		.size = sizeof rows, .get = attribute, .items = from_one};
	static const vetro_members plain = {.size = sizeof plain, .get = attribute};
	vetro_engine *e = vetro_engine_new();
	vetro_value c = vetro_context(e, NULL), v = vetro_object_with(e, &type, &rows, c),
		    o = vetro_object_with(e, &type, &plain, c);

	vetro_context_set(e, c, "rows", v);
	vetro_context_set(e, c, "plain", o);
	same(answer_in(e, "$rows.sum() + $rows.select($ * 2).sum()", c), "18", "twice");
	same(answer_in(e, "[[$rows].flatten(), $rows.own]", c), "[[1, 2, 3], 7]", "parts, members");
	same(answer_in(e, "$rows", c), "[1, 2, 3]", "as a result");
	same(answer_in(e, "[$rows, $plain].select($.where(true))", c),
		"NoMatchingMethodException: No method \"where\" for receiver <object object> "
		"matches "
		"supplied arguments",
		"one kind and the other at one place");
	vetro_unref(v);
	vetro_unref(o);
	vetro_unref(c);
	vetro_engine_free(e);
}

static vetro_value
show_keywords(vetro_engine *e, size_t n, const vetro_value *args, vetro_value keywords, void *user)
{
	(void)user;
	(void)args;
	return keywords != NULL ? vetro_ref(keywords) : vetro_int(e, (int64_t)n);
}

static void
test_keywords_of_values(void)
{
	vetro_engine *e = vetro_engine_new();
	vetro_value c = vetro_context(e, NULL), f = vetro_callable(e, show_keywords, NULL, NULL);

	vetro_engine_set(e, VETRO_DELEGATES, 1);
	vetro_context_set(e, c, "f", f);
	same(answer_in(e, "$f(1, a => 2)", c), "{'a': 2}", "keywords reach a function as a value");
	same(answer_in(e, "[$f(1, a => 2).a, $f(1, 2)]", c), "[2, 2]", "and not the next call");
	vetro_unref(f);
	vetro_unref(c);
	vetro_engine_free(e);
}

int
main(void)
{
	test_collections();
	test_keywords_of_values();
	test_contexts();
	test_lua();
	test_camel_case();
	test_python_names();
	return 0;
}
