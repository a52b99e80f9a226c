/* vetro_host.h: exact kinds, values of the host, errors that carry them, the library, trees. */
#include "libvetro_check.h"

#include <stdio.h>
#include <vetro_host.h>

static int dropped, pulled;

/* ---- objects ---- */

typedef struct thing {
	int number;
} thing;

static const char *
thing_type(void *user)
{
	(void)user;
	return "Thing";
}

static int
thing_equal(void *a, void *b)
{
	return ((thing *)a)->number == ((thing *)b)->number;
}

static int
thing_hash(void *user, uint64_t *hash)
{
	*hash = (uint64_t)((thing *)user)->number;
	return ((thing *)user)->number < 0 ? -1 : 0;
}

static void
thing_text(void *user, int repr, vetro_text *to)
{
	char s[40];

	vetro_put(to, s,
		(size_t)snprintf(
			s, sizeof s, repr ? "<Thing %d>" : "thing %d", ((thing *)user)->number));
}

static int
thing_truth(void *user)
{
	return ((thing *)user)->number != 0;
}

static void
thing_drop(void *user)
{
	(void)user;
	dropped++;
}

static const vetro_object_type things = {
	thing_type, thing_equal, thing_hash, thing_text, thing_truth, thing_drop};

/* What the expression gives over the list of items, as JSON text. Static. */
static const char *
over(vetro_engine *e, const char *expression, vetro_value data)
{
	static char shown[1000];
	vetro_error *err = NULL;
	vetro_query *q = vetro_compile(e, expression, VETRO_ZSTR, &err);
	vetro_value v = q ? vetro_evaluate(q, data, NULL, &err) : NULL;
	char *text = v ? vetro_write_json(e, v, 0, NULL, &err) : NULL;

	snprintf(shown, sizeof shown, "%s", text ? text : vetro_error_message(err));
	vetro_free_text(text);
	vetro_unref(v);
	vetro_query_free(q);
	vetro_error_free(err);
	return shown;
}

static void
objects(vetro_engine *e)
{
	static thing t[] = {{1}, {1}, {2}, {0}, {-1}};
	vetro_value items[5], list;

	for (int i = 0; i < 5; i++)
		items[i] = vetro_object(e, &things, &t[i]);
	check(vetro_object_user(items[2], &things) == &t[2], "an object leads to its user pointer");
	check(vetro_form_of(items[0]) == VETRO_FORM_OBJECT && vetro_equal(items[0], items[1]) &&
			!vetro_equal(items[0], items[2]),
		"objects are equal as their type says");
	check(vetro_object_user(vetro_null(), &things) == NULL, "null is no object");
	list = vetro_tuple(e, 5, items);
	same(over(e, "$.take(4).distinct().len()", list), "3",
		"equal objects are one to distinct()");
	same(over(e, "$.select(bool($))", list), "[true,true,true,false,true]", "truth");
	same(over(e, "$.take(1).select(str($))", list), "[\"thing 1\"]", "text");
	same(over(e, "set($.last())", list), "unhashable type: 'Thing'", "no hash: TypeError");
	vetro_unref(list);
	check(dropped == 5, "each object is dropped once");
}

/* ---- functions and iterators ---- */

static vetro_value
add(vetro_engine *e, size_t n, const vetro_value *v, vetro_value kw, void *user)
{
	int64_t sum = *(int *)user, i;

	(void)kw;
	for (size_t k = 0; k < n; k++)
		if (vetro_get_int(v[k], &i) == 0)
			sum += i;
	if (sum > 100)
		return vetro_fail(e, "com.example.TooMuch", "too much", v[0]);
	return vetro_int(e, sum);
}

static int
next_number(vetro_engine *e, void *user, vetro_value *item)
{
	(void)user;
	*item = vetro_int(e, ++pulled);
	return 1;
}

static const vetro_lazy_type numbers = {"numbers", next_number, thing_drop};

static vetro_value
number_calls(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	vetro_value inner = vetro_call_variables(c),
		    x = inner ? vetro_dict_get_name(inner, "1") : NULL;
	vetro_value made = x ? vetro_ref(x) : vetro_null();

	(void)n, (void)v, (void)user;
	vetro_unref(inner);
	return made;
}

static void
functions(vetro_engine *e)
{
	static int ten = 10;
	vetro_error *err = NULL;
	vetro_value f = vetro_callable(e, add, &ten, NULL), vars = vetro_dict(e), v;
	vetro_query *q;

	check(vetro_callable_user(f, add) == &ten, "a function leads to its user pointer");
	vetro_engine_set(e, VETRO_DELEGATES, 1);
	vetro_dict_put_name(e, vars, "f", f);
	vetro_dict_put_name(e, vars, "n", vetro_lazy(e, &numbers, &ten));
	q = vetro_compile(e, "$f(1, 2) + $n.skip(2).first()", VETRO_ZSTR, NULL);
	v = vetro_evaluate(q, NULL, vars, &err);
	check(v && vetro_equal(v, vetro_int(e, 16)) && pulled == 3,
		"a function of the host is called, its endless iterator pulled as far as needed");
	vetro_unref(v);
	vetro_query_free(q);
	q = vetro_compile(e, "[1, 200].select($f($))", VETRO_ZSTR, NULL);
	v = vetro_evaluate(q, NULL, vars, &err);
	check(!v && err && strstr(vetro_error_type(err), "TooMuch") &&
			vetro_equal(vetro_error_value(err), vetro_int(e, 200)),
		"an error carries the value of the host");
	vetro_error_free(err);
	vetro_query_free(q);
	vetro_unref(vars);
	vetro_engine_set(e, VETRO_DELEGATES, 0);
	check(vetro_register(e, "inner", "", 0, number_calls, NULL, NULL, NULL) == 0, "registers");
	same(answer(e, "[1, 2].select(inner()) + [inner()]", "7"), "[1,2,null]",
		"a call sees the variables of the lambdas around it");
}

static vetro_value
named(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	(void)n, (void)v;
	return vetro_string(vetro_call_engine(c), user, VETRO_ZSTR);
}

static void
levels(vetro_engine *e)
{
	vetro_register(e, "lv", "x: any", VETRO_LEVEL(1), named, "outer", NULL, NULL);
	vetro_register(e, "lv", "x: int", VETRO_LEVEL(2), named, "inner", NULL, NULL);
	same(answer(e, "[lv(1), lv(a)]", "null"), "[\"inner\",\"outer\"]",
		"the inner level is asked first");
}

/* ---- kinds ---- */

static void
kinds(vetro_engine *e)
{
	vetro_value pair[2] = {vetro_string(e, "a", 1), vetro_int(e, 1)}, bad[2], v, w;
	int64_t us, flags;
	int32_t offset;
	int naive;
	size_t n;

	v = vetro_frozen(e, 1, pair);
	check(vetro_form_of(v) == VETRO_FORM_FROZEN && vetro_length(v) == 1, "an immutable dict");
	vetro_unref(v);
	bad[0] = vetro_list(e), bad[1] = vetro_null();
	check(vetro_frozen(e, 1, bad) == NULL, "a list is no key");
	bad[0] = vetro_int(e, 2), bad[1] = vetro_int(e, 2);
	v = vetro_set(e, 2, bad);
	n = 0;
	check(vetro_length(v) == 1 && vetro_set_next(v, &n, &w) == 1 &&
			vetro_set_next(v, &n, &w) == 0,
		"a set");
	vetro_unref(v);
	v = vetro_datetime(e, 63000000000000000, 7200, 0);
	check(vetro_get_datetime(v, &us, &offset, &naive) == 0 && us == 63000000000000000 &&
			offset == 7200 && !naive,
		"a date with its offset");
	vetro_unref(v);
	v = vetro_timespan(e, -5);
	check(vetro_get_timespan(v, &us) == 0 && us == -5, "a timespan");
	vetro_unref(v);
	v = vetro_regex(e, "a+", 2, 2, NULL);
	check(!strcmp(vetro_get_regex(v, &n, &flags), "a+") && flags & 2, "a regular expression");
	vetro_unref(v);
	check(vetro_regex(e, "(", 1, 0, NULL) == NULL, "and what is none");
	check(vetro_form_of(vetro_no_value()) == VETRO_FORM_NO_VALUE, "no value");
}

/* ---- library and trees ---- */

static void
library(vetro_engine *e)
{
	const vetro_builtin *b, *len = NULL;
	vetro_parameter p;
	vetro_value text = vetro_string(e, "abc", 3), v;
	size_t i = 0;

	for (; (b = vetro_builtin_at(i)) != NULL; i++)
		if (!strcmp(vetro_builtin_name(b), "len") &&
			vetro_builtin_parameter(e, b, 0, &p) == 0 && !strcmp(p.type, "str"))
			len = b;
	check(i > 200 && len != NULL, "the library's functions are listed");
	check(vetro_builtin_layer(len) == VETRO_LAYER_STANDARD &&
			vetro_builtin_flags(len) == VETRO_EXTENSION,
		"with their kinds");
	v = vetro_builtin_call(e, len, 1, &text, NULL, NULL);
	check(v != NULL && vetro_equal(v, vetro_int(e, 3)), "and called");
	vetro_unref(v);
	v = vetro_builtin_call(e, len, 0, NULL, NULL, NULL);
	check(v == NULL, "not without arguments");
	vetro_unref(text);
}

static void
trees(vetro_engine *e)
{
	vetro_error *err = NULL;
	vetro_tree *t = vetro_parse(e, "$.a + f(2,, x => 'y')", VETRO_ZSTR, &err);
	const vetro_node *root = t ? vetro_tree_root(t) : NULL, *call;
	const char *s;
	size_t n, from, to, at;

	check(root && vetro_node_kind_of(root) == VETRO_NODE_BINARY, "a tree");
	s = vetro_node_text(root, &n);
	vetro_node_place(root, &from, &to, &at);
	check(n == 1 && *s == '+' && from == 0 && to == 21 && at == 4, "with places");
	call = vetro_node_part(root, 1);
	check(vetro_node_kind_of(call) == VETRO_NODE_CALL && vetro_node_parts(call) == 3 &&
			vetro_node_kind_of(vetro_node_part(call, 1)) == VETRO_NODE_NOTHING &&
			vetro_node_kind_of(vetro_node_part(call, 2)) == VETRO_NODE_MAPPING,
		"a call with an argument left out, and a mapping");
	vetro_tree_free(t);
	check(vetro_parse(e, "1 + * 2", VETRO_ZSTR, &err) == NULL &&
			vetro_error_token(err, &at, &s) == 0 && at == 4 && !strcmp(s, "*"),
		"an error knows the token");
	vetro_error_free(err);
}

int
main(void)
{
	vetro_engine *e = vetro_engine_new();

	objects(e);
	functions(e);
	levels(e);
	kinds(e);
	library(e);
	trees(e);
	vetro_engine_free(e);
	return 0;
}
