/* Functions of the host: C and Lua, lambdas called back, errors, overloads, ownership. */
#include "libvetro_check.h"

#include <stdio.h>

static int dropped;

static void
drop(void *user)
{
	dropped += *(int *)user;
}

static vetro_value
twice(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	int64_t i = 0;

	(void)n, (void)user;
	vetro_get_int(v[0], &i);
	return vetro_int(vetro_call_engine(c), 2 * i);
}

static vetro_value
join(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	char text[200] = "";
	size_t used = 0;

	(void)user;
	for (size_t i = 1; i < n; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
			i > 1 ? vetro_get_string(v[0], NULL) : "", vetro_get_string(v[i], NULL));
	return vetro_string(vetro_call_engine(c), text, used);
}

static vetro_value
keywords(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	(void)n, (void)v, (void)user;
	return vetro_ref(vetro_call_keywords(c));
}

static vetro_value
left_out(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	(void)c, (void)user;
	return vetro_bool(n == 1 && v[0] == NULL);
}

/* user: the type of the error. */
static vetro_value
fails(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	(void)n, (void)v;
	return vetro_raise(c, user, "no good: %d", 42);
}

static vetro_value
nothing(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	(void)c, (void)n, (void)v, (void)user;
	return NULL;
}

/* Calls the lambda with each item; passes errors on. */
static vetro_value
each(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	vetro_engine *e = vetro_call_engine(c);
	vetro_iter *it = vetro_iterate(e, v[0], NULL);
	vetro_value list = vetro_list(e), item, made;
	int st = it ? 1 : -1;

	(void)n, (void)user;
	while (st == 1 && (st = vetro_next(it, &item, NULL)) == 1) {
		made = vetro_apply(e, v[1], 1, &item, NULL);
		vetro_unref(item);
		if (vetro_list_push(e, list, made) != 0)
			st = -1;
	}
	vetro_iter_free(it);
	if (st == 0)
		return list;
	vetro_unref(list);
	return NULL;
}

/* The text of the lambda's error, or its value. */
static vetro_value
try_it(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	vetro_error *err = NULL;
	vetro_value made = vetro_apply(vetro_call_engine(c), v[0], 0, NULL, &err);

	(void)n, (void)user;
	if (made == NULL)
		made = vetro_string(vetro_call_engine(c), vetro_error_type(err), VETRO_ZSTR);
	vetro_error_free(err);
	return made;
}

/* Swallows the error without looking at it. */
static vetro_value
or_null(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	vetro_value made = vetro_apply(vetro_call_engine(c), v[0], 0, NULL, NULL);

	(void)n, (void)user;
	return made ? made : vetro_null();
}

static vetro_value kept;

static vetro_value
keep(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	(void)c, (void)n, (void)user;
	vetro_unref(kept);
	kept = vetro_ref(v[0]);
	return vetro_null();
}

/* Evaluates another expression meanwhile. */
static vetro_value
inner(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	vetro_engine *e = vetro_call_engine(c);
	vetro_query *q = vetro_compile(e, vetro_get_string(v[0], NULL), VETRO_ZSTR, NULL);
	vetro_value made = q ? vetro_evaluate(q, v[1], NULL, NULL)
			     : vetro_raise(c, "ValueError", "no expression");

	(void)n, (void)user;
	if (vetro_register(e, "late", "", 0, nothing, NULL, NULL, NULL) == 0)
		made = NULL;
	vetro_query_free(q);
	return made;
}

static void
reg(vetro_engine *e, const char *name, const char *params, unsigned flags, vetro_function *fn,
	void *user)
{
	vetro_error *err = NULL;

	if (vetro_register(e, name, params, flags, fn, user, NULL, &err) != 0)
		same(vetro_error_message(err), "no error", name);
	vetro_error_free(err);
}

static void
calls(vetro_engine *e)
{
	reg(e, "twice", "x: int", VETRO_EXTENSION, twice, NULL);
	reg(e, "join3", "by: str, *rest: str", 0, join, NULL);
	reg(e, "kw", "**rest: any", 0, keywords, NULL);
	reg(e, "leftOut", "x: any = novalue", 0, left_out, NULL);
	same(answer(e, "twice(4) + 3.twice()", "null"), "14", "function and method");
	same(answer(e, "$.select(twice($))", "[1,2]"), "[2,4]", "in a pipeline");
	same(answer(e, "join3('-', a, b, c)", "null"), "\"a-b-c\"", "the rest");
	same(answer(e, "join3('-')", "null"), "\"\"", "no rest");
	same(answer(e, "join3('', a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t)",
		     "null"),
		"\"abcdefghijklmnopqrst\"", "many arguments");
	same(answer(e, "kw(a => 1, b => [2])", "null"), "{\"a\":1,\"b\":[2]}", "keywords");
	same(answer(e, "leftOut()", "null"), "true", "an argument that was left out");
	same(answer(e, "twice(x => 5)", "null"), "10", "a keyword argument");
	same(answer(e, "twice(abc)", "null"),
		"NoMatchingFunctionException: No function \"twice\" matches supplied arguments",
		"types take part in the choice");
	reg(e, "twice", "x: str", 0, keep, NULL);
	same(answer(e, "twice(abc)", "null"), "null", "an overload");
	same(vetro_get_string(kept, NULL), "abc", "was called");
	same(answer(e, "twice(5)", "null"), "10", "and the first one still is");
}

static void
failures(vetro_engine *e)
{
	vetro_error *err = NULL;

	reg(e, "bad", "", 0, fails, "ValueError");
	reg(e, "own", "", 0, fails, "com.example.Late");
	reg(e, "nothing", "", 0, nothing, NULL);
	same(answer(e, "bad()", "null"), "ValueError: no good: 42", "a known error");
	same(answer(e, "[1].select(own())", "null"), "com.example.Late: no good: 42",
		"one of its own");
	same(answer(e, "nothing()", "null"), "LuaError: the function of the host returned no value",
		"no value");
	check(vetro_register(e, "x", "a int", 0, twice, NULL, NULL, &err) == -1, "a bad signature");
	same(vetro_error_message(err), "x: ':' and a type must follow a parameter's name",
		"says why");
	vetro_error_free(err);
	check(vetro_register(e, "x", "", 1 << 20, twice, NULL, NULL, NULL) == -1, "a bad flag");
	check(vetro_register(e, "", "", 0, twice, NULL, NULL, NULL) == -1, "no name");
	for (int i = 0; i < 16; i++)
		reg(e, "many", "", 0, nothing, NULL);
	check(vetro_register(e, "many", "", 0, nothing, NULL, NULL, NULL) == -1,
		"too many overloads");
}

static void
lambdas(vetro_engine *e)
{
	vetro_value three = vetro_int(e, 3), made;

	reg(e, "each", "list: iterable, f: lambda", VETRO_EXTENSION, each, NULL);
	reg(e, "try", "f: lambda", 0, try_it, NULL);
	reg(e, "orNull", "f: lambda", 0, or_null, NULL);
	reg(e, "keep", "f: lambda", 0, keep, NULL);
	reg(e, "inner", "text: str, data: any", 0, inner, NULL);
	same(answer(e, "let(k => 10) -> $.each($ * $k)", "[1,2]"), "[10,20]",
		"a lambda is called back with its variables");
	same(answer(e, "range(3).select($ + 1).each($)", "null"), "[1,2,3]",
		"an iterator as argument");
	same(answer(e, "$.each(1 / $)", "[1,0]"),
		"ZeroDivisionError: integer division or modulo by zero", "an error passes through");
	same(answer(e, "[2, 0].select(1 / $).each($)", "null"),
		"ZeroDivisionError: integer division or modulo by zero", "and one of the iterator");
	same(answer(e, "[try(1 / 0), try(7)]", "null"), "[\"ZeroDivisionError\",7]",
		"an error that is looked at");
	same(answer(e, "[orNull(1 / 0), orNull(7)]", "null"), "[null,7]",
		"an error that is swallowed");
	same(answer(e, "let(a => 4) -> keep($ * $a)", "null"), "null", "a lambda is kept");
	made = vetro_apply(e, kept, 1, &three, NULL);
	check(vetro_equal(made, three) == 0 && vetro_kind_of(made) == VETRO_INT,
		"and called afterwards");
	vetro_unref(made);
	check(vetro_apply(e, three, 0, NULL, NULL) == NULL, "an integer is no lambda");
	vetro_unref(three);
	same(answer(e, "inner('$.a + 1', {a => 41})", "null"), "42",
		"an evaluation in an evaluation");
	same(answer(e, "inner('1 / 0', 0)", "null"),
		"ZeroDivisionError: integer division or modulo by zero", "its error");
	same(answer(e, "inner('((', 0)", "null"), "ValueError: no expression",
		"its compiler's error");
	same(answer(e, "[1, 2, 3].select(inner('$ * 2 + ' + str($), $))", "null"), "[3,6,9]",
		"one of its own each time");
	same(answer(e, "def(f, each([$], f($ + 1))) -> f(1)", "null"),
		"RecursionError: maximum recursion depth exceeded", "recursion through C ends");
}

static void
hiding(vetro_engine *e)
{
	vetro_query *q = vetro_compile(e, "$.where($ > 1).select($ + 1)", VETRO_ZSTR, NULL);
	char *text = vetro_evaluate_json(q, "[1,2]", VETRO_ZSTR, NULL, 0, NULL, NULL);

	same(text, "[3]", "before");
	vetro_free_text(text);
	reg(e, "select", "list: iterable, f: lambda", VETRO_METHOD, each, NULL);
	reg(e, "len", "x: iterable", VETRO_METHOD, nothing, NULL);
	text = vetro_evaluate_json(q, "[1,2,3,4]", VETRO_ZSTR, NULL, 0, NULL, NULL);
	same(text, "[3,4,5]", "functions that hide vetro's hold for what is compiled already");
	vetro_free_text(text);
	vetro_query_free(q);
	same(answer(e, "$.len()", "[1]"), "LuaError: the function of the host returned no value",
		"for those of the library");
	same(answer(e, "$.select($.len())", "[[1]]"),
		"LuaError: the function of the host returned no value", "in lambdas");
}

static void
lua(vetro_engine *e)
{
	vetro_error *err = NULL;
	FILE *f;

	check(vetro_load_lua(e,
		      "n = 0\nvetro.register{name='thrice', params='x: int', fn=function(x) n = n "
		      "+ 1 return 3 * x end}\n"
		      "vetro.register{name='count', fn=function() return n end}\n"
		      "vetro.register{name='ask', params='t: str', fn=function(t) return "
		      "vetro.expr(t)() end}",
		      VETRO_ZSTR, "host.lua", &err) == 0,
		"Lua loads");
	same(answer(e, "thrice(2) + twice(1)", "null"), "8", "Lua beside C");
	same(answer(e, "thrice(2) + count()", "null"), "8", "the state stays");
	same(answer(e, "ask('$ + 1')", "5"), "6", "an expression from Lua");
	check(vetro_load_lua(e, "syntax error", VETRO_ZSTR, "bad.lua", &err) == -1, "bad Lua");
	same(vetro_error_type(err), "LuaError", "its type");
	check(strstr(vetro_error_message(err), "bad.lua:1:") != NULL, "its place");
	vetro_error_free(err);
	err = NULL;
	check(vetro_load_lua_file(e, "/nonexistent/x.lua", &err) == -1, "no file");
	same(vetro_error_type(err), "OSError", "no file: type");
	vetro_error_free(err);
	f = fopen("host.lua", "w");
	fputs("vetro.register{name='fromFile', fn=function() return 'file' end}", f);
	fclose(f);
	check(vetro_load_lua_file(e, "host.lua", NULL) == 0, "a file");
	same(answer(e, "fromFile()", "null"), "\"file\"", "and its function");
	remove("host.lua");
}

int
main(void)
{
	vetro_engine *e = vetro_engine_new();
	int one = 1, ten = 10;

	calls(e);
	failures(e);
	lambdas(e);
	lua(e);
	vetro_unref(kept);
	kept = NULL;
	check(vetro_register(e, "d", "", 0, nothing, &one, drop, NULL) == 0 && dropped == 0,
		"user data is kept");
	check(vetro_register(e, "d", "???", 0, nothing, &ten, drop, NULL) == -1 && dropped == 10,
		"or dropped at once");
	hiding(e);
	vetro_engine_free(e);
	check(dropped == 11, "user data is dropped with the engine");
	return 0;
}
