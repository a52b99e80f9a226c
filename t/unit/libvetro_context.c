/* Contexts of the host, what functions may ask for, types by callback, members, operators, groups. */
#include "libvetro_check.h"

#include <vetro_host.h>

static int dropped;

static void
drop(void *user)
{
	(void)user;
	dropped++;
}

/* The expression in a context, as answer() shows it. */
static const char *
in(vetro_engine *e, vetro_value context, const char *expression)
{
	vetro_error *err = NULL;
	vetro_query *q = vetro_compile(e, expression, VETRO_ZSTR, &err);
	vetro_value v = q != NULL ? vetro_evaluate_in(q, NULL, context, &err) : NULL;
	char *text = v != NULL ? vetro_write_json(e, v, 0, NULL, &err) : NULL;

	vetro_unref(v);
	vetro_query_free(q);
	return shown_of(text, err);
}

static void
put(vetro_engine *e, vetro_value context, const char *name, int64_t i)
{
	vetro_value v = vetro_int(e, i);

	check(vetro_context_set(e, context, name, v) == 0, name);
	vetro_unref(v);
}

/* Says which one was called, and with what. */
static vetro_value
says(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	char text[200];
	size_t used = (size_t)snprintf(text, sizeof text, "%s", (const char *)user);
	int64_t i;

	for (size_t k = 0; k < n; k++)
		if (vetro_get_int(v[k], &i) == 0)
			used += (size_t)snprintf(text + used, sizeof text - used, " %d", (int)i);
	return vetro_string(vetro_call_engine(c), text, used);
}

static void
known(vetro_engine *e, vetro_value context, const char *name, const char *params, unsigned flags,
	vetro_function *fn, const char *user)
{
	vetro_error *err = NULL;
	int st = vetro_context_register(
		e, context, name, params, flags, fn, (void *)user, drop, &err);

	check(st == 0, name);
	if (err != NULL)
		printf("# %s\n", vetro_error_message(err));
	vetro_error_free(err);
}

static void
test_levels(vetro_engine *e)
{
	vetro_value outer = vetro_context(e, NULL), inner = vetro_context(e, outer), names;

	put(e, outer, "$a", 1);
	put(e, outer, "b", 2);
	put(e, inner, "b", 3);
	put(e, inner, "$", 7);
	same(in(e, inner, "[$, $1, $a, $b, $c]"), "[7,7,1,3,null]", "variables of levels");
	same(in(e, outer, "[$, $a, $b]"), "[null,1,2]", "the outer one");
	same(in(e, inner, "[1, 2].select($ + $a + $b)"), "[5,6]",
		"lambdas see them, and their own $");
	same(in(e, inner, "let(b => 10) -> $a + $b"), "11", "let() hides one");
	names = vetro_context_names(e, inner);
	check(vetro_length(names) == 2, "names of one level");
	vetro_unref(names);
	check(vetro_context_parent(inner) == outer, "the parent");
	check(vetro_context_parent(outer) == NULL, "the outermost has none");
	check(vetro_context_set(e, inner, "b", NULL) == 0, "a variable goes");
	check(vetro_context_set(e, inner, "b", NULL) == -1, "it was not there any more");
	same(in(e, inner, "$b"), "2", "so that of the parent is seen");
	check(vetro_form_of(inner) == VETRO_FORM_CONTEXT, "a context is a value");
	check(vetro_context(e, vetro_null()) == NULL, "null is no parent");
	known(e, outer, "who", "", 0, says, "outer");
	known(e, inner, "who", "", 0, says, "inner");
	known(e, outer, "who", "x: integer", 0, says, "outer");
	same(in(e, inner, "[who(), who(1)]"), "[\"inner\",\"outer 1\"]", "functions of levels");
	same(in(e, outer, "who()"), "\"outer\"", "the outer function");
	same(answer(e, "who()", "1"), "NoFunctionRegisteredException: Unknown function \"who\"",
		"no context, no function");
	known(e, inner, "len", "x: any", VETRO_METHOD, says, "mine");
	same(in(e, outer, "[1, 2].len()"), "2", "the library's, in the outer one");
	same(in(e, inner, "[1, 2].len()"), "\"mine\"", "a name of the library, in the inner one");
	same(in(e, outer, "[[1, 2], [3]].select($.len())"), "[2,1]", "and again");
	known(e, inner, "max", "a: integer, b: integer", VETRO_EXCLUSIVE, says, "exclusive");
	same(in(e, inner, "max(1.5, 2)"),
		"NoMatchingFunctionException: No function \"max\" matches supplied arguments",
		"an exclusive one hides what is further out");
	same(in(e, inner, "max(1, 2)"), "\"exclusive 1 2\"", "it is called itself");
	check(vetro_context_remove(e, inner, "max") == 0, "functions go");
	check(vetro_context_remove(e, inner, "max") == -1, "they were not there any more");
	same(in(e, inner, "max(1, 2)"), "2", "so the library's is seen");
	vetro_unref(outer);
	vetro_unref(inner);
	check(dropped == 5, "what was registered goes with its context");
}

static void
test_views(vetro_engine *e)
{
	vetro_value root = vetro_context(e, NULL), left = vetro_context(e, root),
		    right = vetro_context(e, root), other = vetro_context(e, NULL), both[2], view,
		    of_views, linked, child;

	put(e, root, "r", 1);
	put(e, left, "a", 2);
	put(e, right, "a", 3);
	put(e, right, "b", 4);
	put(e, right, "$", 5);
	known(e, left, "f", "", 0, says, "left");
	known(e, right, "f", "x: integer", 0, says, "right");
	known(e, root, "f", "x: any", 0, says, "root");
	both[0] = left, both[1] = right;
	view = vetro_context_of(e, 2, both);
	same(in(e, view, "[$a, $b, $r, $]"), "[2,4,1,5]", "several contexts at one level");
	same(in(e, view, "[f(), f(1), f('x')]"), "[\"left\",\"right 1\",\"root\"]",
		"their functions");
	put(e, view, "new", 8);
	same(in(e, left, "$new"), "8", "what is set goes to the first");
	both[0] = view, both[1] = view;
	of_views = vetro_context_of(e, 2, both);
	same(in(e, of_views, "[$a, f(1)]"), "[2,\"right 1\"]",
		"one context twice is no other overload");
	known(e, right, "f", "x: integer", 0, says, "again");
	same(in(e, of_views, "f(1)"), "AmbiguousFunctionException: Ambiguous function \"f\"",
		"two overloads alike are");
	put(e, other, "o", 9);
	put(e, other, "a", 90);
	known(e, other, "g", "", 0, says, "other");
	linked = vetro_context_linked(e, other, left);
	same(in(e, linked, "[$a, $r, $o]"), "[2,1,9]", "a context below another parent");
	same(in(e, linked, "[f(), g()]"), "[\"left\",\"other\"]", "with its functions");
	child = vetro_context(e, linked);
	put(e, child, "r", 100);
	same(in(e, child, "[$a, $r, $o]"), "[2,100,9]", "a child of that");
	check(vetro_context_of(e, 0, both) == NULL, "of no context");
	both[1] = vetro_null();
	check(vetro_context_of(e, 2, both) == NULL, "null is no context");
	check(vetro_context_linked(e, vetro_null(), left) == NULL, "nor a parent");
	vetro_unref(child);
	vetro_unref(linked);
	vetro_unref(of_views);
	vetro_unref(view);
	vetro_unref(left);
	vetro_unref(right);
	vetro_unref(root);
	vetro_unref(other);
}

/* A context that holds what holds it: the engine cuts that. */
static void
test_rings(vetro_engine *e)
{
	vetro_value context = vetro_context(e, NULL), lambda;
	vetro_query *q;

	vetro_engine_set(e, VETRO_CONVERT_OUTPUT, 0);
	vetro_engine_set(e, VETRO_DELEGATE_FUNCTIONS, 1);
	q = vetro_compile(e, "lambda($ + $a)", VETRO_ZSTR, NULL);
	put(e, context, "a", 5);
	lambda = vetro_evaluate_in(q, NULL, context, NULL);
	check(vetro_kind_of(lambda) == VETRO_LAMBDA, "a lambda of a context");
	check(vetro_context_set(e, context, "self", lambda) == 0, "which it keeps");
	vetro_unref(lambda);
	vetro_query_free(q);
	vetro_engine_set(e, VETRO_CONVERT_OUTPUT, 1);
	vetro_engine_set(e, VETRO_DELEGATE_FUNCTIONS, 0);
	vetro_unref(context);
}

/* ---- what functions ask for ---- */

static vetro_value
twice_super(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	vetro_value r = vetro_call_receiver(c), first, both[2];
	int skip = r != NULL;

	(void)user;
	first = vetro_super(c, r, n - (size_t)skip, v + skip, vetro_call_keywords(c), NULL);
	if (first == NULL)
		return NULL;
	both[0] = first, both[1] = vetro_ref(first);
	return vetro_list_of(vetro_call_engine(c), 2, both);
}

static vetro_value
receiver_of(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	(void)n, (void)v, (void)user;
	if (vetro_call_receiver(c) == NULL)
		return vetro_string(vetro_call_engine(c), vetro_call_name(c), VETRO_ZSTR);
	return vetro_ref(vetro_call_receiver(c));
}

/* Sets a variable where it is called, and asks for one; the caller sees nothing of it. */
static vetro_value
with_context(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	vetro_engine *e = vetro_call_engine(c);
	vetro_value context = vetro_call_context(c), seen, made;

	(void)n, (void)user;
	vetro_context_set(e, context, "mine", v[0]);
	seen = vetro_context_get(e, context, "outer");
	made = vetro_invoke(e, context, NULL, "list", 1, seen != NULL ? &seen : v, NULL, NULL);
	vetro_unref(context);
	return made;
}

/* apply(f, receiver or null): in a context in which $k is 100. */
static vetro_value
apply(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	vetro_engine *e = vetro_call_engine(c);
	vetro_value context = user ? vetro_call_context(c) : NULL, kw = vetro_dict(e), made,
		    k = vetro_int(e, 100), one = vetro_int(e, 1);

	(void)n;
	vetro_dict_put_name(e, kw, "named", vetro_int(e, 10));
	if (context != NULL)
		vetro_context_set(e, context, "k", k);
	made = vetro_apply_in(e, v[0], context, vetro_kind_of(v[1]) == VETRO_NULL ? NULL : v[1], 1,
		&one, kw, NULL);
	vetro_unref(one);
	vetro_unref(k);
	vetro_unref(kw);
	vetro_unref(context);
	return made;
}

static vetro_value
text_of(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	const char *text = vetro_lambda_text(v[0], NULL);

	(void)n, (void)user;
	return text ? vetro_string(vetro_call_engine(c), text, VETRO_ZSTR) : vetro_null();
}

/* Passes the reason on. */
static vetro_value
refused(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	(void)n, (void)user;
	return vetro_apply_in(vetro_call_engine(c), v[0], NULL, NULL, 0, NULL, NULL, NULL);
}

static void
test_injected(vetro_engine *e)
{
	vetro_value outer = vetro_context(e, NULL), inner = vetro_context(e, outer);

	known(e, outer, "f", "x: integer", VETRO_EXTENSION, says, "outer");
	known(e, inner, "f", "x: integer", VETRO_EXTENSION, twice_super, "");
	same(in(e, inner, "f(1)"), "[\"outer 1\",\"outer 1\"]", "super of a function");
	same(in(e, inner, "1.f()"), "[\"outer 1\",\"outer 1\"]", "super of a method");
	known(e, inner, "toUpper", "x: str", VETRO_METHOD, twice_super, "");
	same(in(e, inner, "abc.toUpper()"), "[\"ABC\",\"ABC\"]", "super that is the library's");
	known(e, outer, "lost", "x: integer", 0, twice_super, "");
	same(in(e, inner, "lost(1)"), "NoFunctionRegisteredException: Unknown function \"lost\"",
		"there is nothing further out");
	vetro_register(e, "leveled", "x: integer", VETRO_LEVEL(2), twice_super, NULL, NULL, NULL);
	vetro_register(e, "leveled", "x: integer", VETRO_LEVEL(1), says, "engine", NULL, NULL);
	same(answer(e, "leveled(4)", "1"), "[\"engine 4\",\"engine 4\"]", "super between levels");
	known(e, outer, "me", "x: any = 0", VETRO_EXTENSION, receiver_of, "");
	same(in(e, inner, "[me(), 5.me(), me(5)]"), "[\"me\",5,\"me\"]", "receiver and name");
	known(e, outer, "ctx", "x: any", 0, with_context, "");
	same(in(e, inner, "let(outer => 3) -> [ctx(1), $mine]"), "[[3],null]",
		"a context of the call, with a call by name");
	same(in(e, inner, "[1, 2].select(ctx($))"), "[[1],[2]]", "the same in a lambda");
	known(e, outer, "apply", "f: lambda, r: any = null", 0, apply, NULL);
	known(e, outer, "applyIn", "f: lambda_ctx, r: any = null", 0, apply, "in");
	known(e, outer, "applyTo", "f: lambda_method, r: any", 0, apply, NULL);
	same(in(e, inner, "let(k => 2) -> apply([$, $k, $named])"), "[1,2,10]",
		"a lambda where it stands");
	same(in(e, inner, "let(k => 2) -> applyIn([$, $k, $named])"), "[1,100,10]", "in a context");
	same(in(e, inner, "apply(replace(a, x), abc)"), "\"xbc\"", "on a receiver");
	same(in(e, inner, "applyTo(substring($named - $ * 9), abc)"), "\"bc\"",
		"on a receiver, by its type");
	same(in(e, inner, "apply($ + 1, 1)"),
		"TypeError: the expression is no call: it has no receiver",
		"no call has no receiver");
	same(in(e, inner, "applyTo($ + 1, 1)"),
		"NoMatchingFunctionException: No function \"applyTo\" matches supplied arguments",
		"the type says so at once");
	same(in(e, inner, "applyTo(nothing(), 1)"),
		"NoMethodRegisteredException: Unknown method \"nothing\" for receiver 1",
		"an error in it is that of the method");
	known(e, outer, "refused", "x: any", 0, refused, "");
	same(in(e, inner, "refused(1)"),
		"UsageError: the value is no lambda, or there is no such context",
		"an error is passed on");
	known(e, outer, "text", "f: expr", 0, text_of, "");
	same(in(e, inner, "text($x.where( $ > 1 ))"), "\"$x.where( $ > 1 )\"",
		"the text of an expression");
	vetro_unref(outer);
	vetro_unref(inner);
}

static void
test_invoke(vetro_engine *e)
{
	vetro_value context = vetro_context(e, NULL),
		    list = vetro_parse_json(e, "[3, 1, 2]", VETRO_ZSTR, NULL), args[2], kw, v;
	vetro_error *err = NULL;
	char *text;

	known(e, context, "mine", "a: integer, b: integer = 5", 0, says, "mine");
	args[0] = vetro_int(e, 1);
	v = vetro_invoke(e, context, NULL, "mine", 1, args, NULL, &err);
	same(v ? vetro_get_string(v, NULL) : "", "mine 1 5", "a function of a context, from C");
	vetro_unref(v);
	kw = vetro_dict(e);
	vetro_dict_put_name(e, kw, "b", vetro_int(e, 7));
	v = vetro_invoke(e, context, NULL, "mine", 1, args, kw, &err);
	same(v ? vetro_get_string(v, NULL) : "", "mine 1 7", "with keywords");
	vetro_unref(v);
	args[1] = NULL;
	v = vetro_invoke(e, context, NULL, "mine", 2, args, NULL, &err);
	same(v ? vetro_get_string(v, NULL) : "", "mine 1 5", "with one that is left out");
	vetro_unref(v);
	v = vetro_invoke(e, NULL, list, "len", 0, NULL, NULL, &err);
	check(v != NULL && vetro_equal(v, vetro_int(e, 3)), "a method of the library");
	vetro_unref(v);
	v = vetro_invoke(e, NULL, NULL, "mine", 1, args, NULL, &err);
	check(v == NULL && !strcmp(vetro_error_type(err), "NoFunctionRegisteredException"),
		"no context, no function");
	vetro_error_free(err);
	err = NULL;
	v = vetro_invoke(e, list, NULL, "len", 0, NULL, NULL, &err);
	check(v == NULL && !strcmp(vetro_error_type(err), "UsageError"), "a list is no context");
	vetro_error_free(err);
	text = vetro_write_json(e, list, 0, NULL, NULL);
	same(text, "[3,1,2]", "arguments stay the caller's");
	vetro_free_text(text);
	vetro_unref(kw);
	vetro_unref(args[0]);
	vetro_unref(list);
	vetro_unref(context);
}

/* ---- types ---- */

static int
is_even(vetro_engine *e, vetro_value v, void *user)
{
	int64_t i;

	(void)e, (void)user;
	return vetro_get_int(v, &i) == 0 && i % 2 == 0;
}

static int
is_small(vetro_engine *e, vetro_value v, void *user)
{
	int64_t i;

	(void)e, (void)user;
	return vetro_get_int(v, &i) == 0 && i < 100;
}

static vetro_value
halved(vetro_engine *e, vetro_value v, void *user)
{
	int64_t i = 0;

	(void)user;
	vetro_get_int(v, &i);
	return i == 66 ? vetro_fail(e, "com.example.Unlucky", "66", NULL) : vetro_int(e, i / 2);
}

static vetro_value
negated(vetro_engine *e, vetro_value v, void *user)
{
	int64_t i = 0;

	(void)user;
	vetro_get_int(v, &i);
	return vetro_int(e, -i);
}

static int
before_integer(const char *other, void *user)
{
	(void)user;
	return !strcmp(other, "integer");
}

static int
is_comparison(vetro_engine *e, vetro_value v, void *user)
{
	const char *text = vetro_lambda_text(v, NULL);
	vetro_tree *t = text ? vetro_parse(e, text, VETRO_ZSTR, NULL) : NULL;
	const char *op;
	size_t n = 0;
	int good;

	(void)user;
	if (t == NULL)
		return 0;
	op = vetro_node_text(vetro_tree_root(t), &n);
	good = vetro_node_kind_of(vetro_tree_root(t)) == VETRO_NODE_BINARY && n == 1 &&
	       (*op == '<' || *op == '>');
	vetro_tree_free(t);
	return good;
}

static const vetro_type even = {sizeof even, 0, is_even, halved, before_integer};
static const vetro_type small = {sizeof small, 0, is_small, negated, NULL};
static const vetro_type comparison = {sizeof comparison, 1, is_comparison, NULL, NULL};

static const char *const halves[] = {"x: even&", "x: &even", "x: even|", "x: ", "x: even-?",
	"x: int|int|int|int|int|int|int|int|int|int|int|int|int|int|int|int|int"};

static void
test_types(vetro_engine *e)
{
	vetro_error *err = NULL;

	check(vetro_register_type(e, "even", &even, NULL, NULL, NULL) == 0, "a type");
	check(vetro_register_type(e, "small", &small, NULL, NULL, NULL) == 0, "another");
	check(vetro_register_type(e, "comparison", &comparison, NULL, NULL, NULL) == 0,
		"a lazy one");
	check(vetro_register_type(e, "even", &even, NULL, NULL, NULL) == -1,
		"a name is taken once");
	check(vetro_register_type(e, "str", &even, NULL, NULL, NULL) == -1,
		"nor is one of the library");
	check(vetro_register_type(e, "a b", &even, NULL, NULL, NULL) == -1, "a name is a word");
	vetro_register(e, "half", "x: even", VETRO_EXTENSION, says, "half", NULL, NULL);
	same(answer(e, "[half(8), 6.half()]", "1"), "[\"half 4\",\"half 3\"]",
		"checked and converted");
	same(answer(e, "half(7)", "1"),
		"NoMatchingFunctionException: No function \"half\" matches supplied arguments",
		"not taken");
	same(answer(e, "half(null)", "1"),
		"NoMatchingFunctionException: No function \"half\" matches supplied arguments",
		"nor is null");
	same(answer(e, "half(66)", "1"), "com.example.Unlucky: 66", "a conversion fails");
	same(answer(e, "$.select(half($))", "[2, 4]"), "[\"half 1\",\"half 2\"]",
		"values that are computed");
	vetro_register(e, "any", "x: even|str?", 0, says, "any", NULL, NULL);
	same(answer(e, "[any(8), any(a), any(null)]", "1"), "[\"any 4\",\"any\",\"any\"]",
		"either of two");
	same(answer(e, "any(7)", "1"),
		"NoMatchingFunctionException: No function \"any\" matches supplied arguments",
		"none of two");
	vetro_register(e, "chain", "x: small&even", 0, says, "chain", NULL, NULL);
	same(answer(e, "chain(8)", "1"), "\"chain -4\"", "both, one after the other");
	same(answer(e, "chain(108)", "1"),
		"NoMatchingFunctionException: No function \"chain\" matches supplied arguments",
		"not both");
	vetro_register(e, "odd", "x: any-even", 0, says, "odd", NULL, NULL);
	same(answer(e, "[odd(7), odd(a)]", "1"), "[\"odd 7\",\"odd\"]", "all but one");
	same(answer(e, "odd(8)", "1"),
		"NoMatchingFunctionException: No function \"odd\" matches supplied arguments",
		"that one");
	vetro_register(e, "mixed", "x: small&even|str-bool", 0, says, "mixed", NULL, NULL);
	same(answer(e, "[mixed(8), mixed(a)]", "1"), "[\"mixed -4\",\"mixed\"]",
		"a chain among others");
	vetro_register(e, "which", "x: even", 0, says, "even", NULL, NULL);
	vetro_register(e, "which", "x: integer", 0, says, "integer", NULL, NULL);
	same(answer(e, "[which(8), which(7)]", "1"), "[\"even 4\",\"integer 7\"]",
		"the more special one");
	vetro_register(e, "compares", "f: comparison", 0, text_of, NULL, NULL, NULL);
	same(answer(e, "compares($x < 1)", "1"), "\"$x < 1\"", "an expression of a certain form");
	same(answer(e, "compares($x + 1)", "1"),
		"NoMatchingFunctionException: No function \"compares\" matches supplied arguments",
		"of another form");
	vetro_register(e, "rest", "*x: even", 0, says, "rest", NULL, NULL);
	same(answer(e, "rest(2, 4, 6)", "1"), "\"rest 1 2 3\"", "the rest of arguments");
	vetro_register(e, "named", "**x: even", 0, twice_super, NULL, NULL, NULL);
	check(vetro_register(e, "bad", "x: comparison|str", 0, says, "", NULL, &err) == -1,
		"a lazy one is alone");
	vetro_error_free(err);
	err = NULL;
	check(vetro_register(e, "bad", "x: unheard", 0, says, "", NULL, &err) == -1,
		"an unknown type");
	vetro_error_free(err);
	for (size_t i = 0; i < sizeof halves / sizeof halves[0]; i++) {
		err = NULL;
		check(vetro_register(e, "bad", halves[i], 0, says, "", NULL, &err) == -1,
			halves[i]);
		vetro_error_free(err);
	}
}

/* ---- members ---- */

static vetro_value
member(vetro_engine *e, void *user, const char *name)
{
	(void)user;
	return strcmp(name, "inner") == 0 || strcmp(name, "plain") == 0
		       ? vetro_string(e, name, VETRO_ZSTR)
		       : NULL;
}

static vetro_value
method(vetro_engine *e, void *user, const char *name, size_t n, const vetro_value *args,
	vetro_value kw)
{
	char text[100];
	int64_t i = 0, k = 0;

	(void)user;
	if (strcmp(name, "fails") == 0)
		return vetro_fail(e, "com.example.Broken", "no", NULL);
	if (strcmp(name, "pay") != 0 && strcmp(name, "run") != 0)
		return NULL;
	if (n > 0)
		vetro_get_int(args[0], &i);
	if (kw != NULL)
		vetro_get_int(vetro_dict_get_name(kw, "amount"), &k);
	return vetro_string(
		e, text, (size_t)snprintf(text, sizeof text, "%s %d %d", name, (int)i, (int)k));
}

static vetro_value
item(vetro_engine *e, void *user, vetro_value key)
{
	int64_t i;

	(void)user;
	return vetro_get_int(key, &i) == 0 ? vetro_int(e, 10 * i) : NULL;
}

static int
shows(void *user, const char *name)
{
	(void)user;
	return strcmp(name, "secret") != 0;
}

static const char *const black[] = {"plain", NULL};
static const char *const white[] = {"plain", "pay", NULL};
static const char *const amounts[] = {"howMuch", "amount", NULL};
static const vetro_rename renames[] = {
	{"outer", "inner", NULL}, {"give", "pay", amounts}, {NULL, NULL, NULL}};
static const vetro_object_type plain_type = {.drop = NULL};
static const vetro_members all = {
	.size = sizeof all, .renames = renames, .get = member, .call = method, .item = item};
static const vetro_members blacks = {
	.size = sizeof all, .black = black, .shows = shows, .get = member, .call = method};
static const vetro_members whites = {
	.size = sizeof all, .white = white, .get = member, .call = method, .item = item};
static const vetro_members closed = {.size = sizeof all,
	.get = member,
	.call = method,
	.item = item,
	.hidden = VETRO_NO_ATTRIBUTES | VETRO_NO_METHODS | VETRO_NO_ITEMS};

static void
object(vetro_engine *e, vetro_value context, const char *name, const vetro_members *m)
{
	vetro_value v = vetro_object_with(e, &plain_type, m, context);

	vetro_context_set(e, context, name, v);
	vetro_unref(v);
}

static void
test_members(vetro_engine *e)
{
	vetro_value c = vetro_context(e, NULL);

	object(e, c, "o", &all);
	object(e, c, "black", &blacks);
	object(e, c, "white", &whites);
	object(e, c, "closed", &closed);
	object(e, c, "bare", NULL);
	same(in(e, c, "[$o.plain, $o.outer, $o?.plain]"), "[\"plain\",\"inner\",\"plain\"]",
		"attributes");
	same(in(e, c, "$o.inner"), "AttributeError: Cannot access inner",
		"an inner name is hidden");
	same(in(e, c, "$o._plain"), "AttributeError: Cannot access _plain", "so is one with _");
	same(in(e, c, "$o.nothing"), "AttributeError: 'object' object has no attribute 'nothing'",
		"there is none");
	same(in(e, c, "[$o.run(1), $o.give(howMuch => 3), $o.run(1, amount => 2)]"),
		"[\"run 1 0\",\"pay 0 3\",\"run 1 2\"]", "methods");
	same(in(e, c, "$o.fails()"), "com.example.Broken: no", "a method fails");
	same(in(e, c, "$o.toString()"),
		"AttributeError: 'object' object has no attribute 'toString'",
		"an object with methods has no functions but these");
	same(in(e, c, "$o[4]"), "40", "items");
	same(in(e, c, "$o[x]"), "KeyError: x", "no such item");
	same(in(e, c, "[$o, $o].select($.plain)"), "[\"plain\",\"plain\"]", "in a pipeline");
	same(in(e, c, "[$o, $o].plain"), "[\"plain\",\"plain\"]", "of all items");
	same(in(e, c, "$black.plain"), "AttributeError: Cannot access plain", "on the black list");
	same(in(e, c, "[$black.inner, $black.run()]"), "[\"inner\",\"run 0 0\"]", "not on it");
	same(in(e, c, "$black.secret()"), "AttributeError: Cannot access secret",
		"the predicate hides it");
	same(in(e, c, "$black[1]"),
		"NoMatchingFunctionException: No function \"#indexer\" matches supplied arguments",
		"no items");
	same(in(e, c, "[$white.plain, $white.pay()]"), "[\"plain\",\"pay 0 0\"]",
		"on the white list");
	same(in(e, c, "$white.run()"), "AttributeError: Cannot access run", "not on it");
	same(in(e, c, "$closed.plain"),
		"NoFunctionRegisteredException: Unknown function \"#property#plain\"",
		"closed attributes");
	same(in(e, c, "$closed.run()"),
		"NoMethodRegisteredException: Unknown method \"run\" for receiver <object object>",
		"closed methods");
	same(in(e, c, "$closed[1]"),
		"NoMatchingFunctionException: No function \"#indexer\" matches supplied arguments",
		"closed items");
	same(in(e, c, "$bare.plain"),
		"NoFunctionRegisteredException: Unknown function \"#property#plain\"",
		"an object without members");
	vetro_engine_set(e, VETRO_MEMORY_QUOTA, 1000000);
	same(in(e, c, "[$o.plain, $o.run(1), $o[2]]"), "[\"plain\",\"run 1 0\",20]",
		"the same within a quota");
	vetro_engine_set(e, VETRO_MEMORY_QUOTA, -1);
	check(vetro_load_lua(e,
		      "vetro.register { name = 'luaObject', fn = function() return vetro.object({ "
		      "x = 5 }) end }",
		      VETRO_ZSTR, "o.lua", NULL) == 0,
		"objects of Lua beside them");
	same(in(e, c, "[luaObject().x, $o.plain, luaObject()[x], $o[1]]"), "[5,\"plain\",5,10]",
		"each has its own");
	vetro_unref(c);
}

/* ---- operators and groups ---- */

static void
test_keyword_operator(void)
{
	vetro_engine *e = vetro_engine_new();
	vetro_error *err = NULL;

	vetro_register(e, "f", "a: integer = 0, b: integer = 0", 0, says, "f", NULL, NULL);
	same(answer(e, "f(b => 3)", "1"), "\"f 0 3\"", "the language's");
	check(vetro_keyword_operator(e, ":=", NULL) == 0, "another one");
	same(answer(e, "f(b := 3)", "1"), "\"f 0 3\"", "is taken");
	same(answer(e, "{a := 1, 'b' := 2}", "1"), "{\"a\":1,\"b\":2}", "in dicts as well");
	same(answer(e, "let(x := 2) -> $x * 3 >= 4", "1"), "true", "other operators stay");
	check(strncmp(answer(e, "f(b => 3)", "1"), "YaqlGrammarException", 20) == 0,
		"=> is none now");
	check(vetro_keyword_operator(e, "and", &err) == -1, "one that is an operator");
	same(vetro_error_type(err), "InvalidOperatorTableException", "says so");
	vetro_error_free(err);
	err = NULL;
	check(vetro_keyword_operator(e, "(", &err) == -1, "one that cannot be");
	same(vetro_error_type(err), "UsageError", "says so, too");
	vetro_error_free(err);
	check(vetro_keyword_operator(e, NULL, NULL) == 0, "none at all");
	check(strncmp(answer(e, "f(b := 3)", "1"), "YaqlLexicalException", 20) == 0,
		"then there is none");
	check(vetro_insert_operator(e, "or", 1, "=>", VETRO_BINARY_LEFT, 1, NULL, NULL) == 0,
		"=> is free");
	vetro_register(e, "#operator_=>", "a: any, b: any", 0, says, "arrow", NULL, NULL);
	same(answer(e, "1 + 1 => 3", "1"), "\"arrow 2 3\"", "for an operator");
	check(vetro_keyword_operator(e, "is", NULL) == 0, "a word");
	same(answer(e, "f(a is 3, b is 4)", "1"), "\"f 3 4\"", "does, too");
	vetro_engine_free(e);
}

static void
test_own_operators(void)
{
	vetro_engine *e = vetro_engine_new();
	vetro_value c = vetro_context(e, NULL);

	known(e, c, "#operator_+", "a: str, b: integer", 0, says, "plus");
	same(in(e, c, "[1 + 2, a + 3, [1].select($ + 1)]"), "[3,\"plus 3\",[2]]",
		"an operator of a context");
	same(answer(e, "a + 3", "1"),
		"NoMatchingFunctionException: No function \"#operator_+\" matches supplied "
		"arguments",
		"is that of the context only");
	known(e, c, "#operator_and", "a: lambda, b: lambda", 0, text_of, "");
	same(in(e, c, "$x and $y"), "\"$x\"", "with lazy sides");
	known(e, c, "*equal", "a: str, b: str", 0, says, "equal");
	same(in(e, c, "[a = b, 1 = 1]"), "[\"equal\",true]", "equality");
	known(e, c, "#indexer", "a: integer, b: integer", 0, says, "index");
	same(in(e, c, "[5[2], [7, 8][1]]"), "[\"index 5 2\",8]", "an index");
	known(e, c, "#unary_operator_-", "a: str", 0, says, "minus");
	same(in(e, c, "[-a, -1, -(2)]"), "[\"minus\",-1,-2]", "a sign");
	vetro_unref(c);
	vetro_engine_free(e);
}

static void
test_groups(void)
{
	vetro_engine *e = vetro_engine_new(), *other = vetro_engine_new();
	vetro_shared *shared;
	vetro_query *q, *mine;
	vetro_error *err = NULL;
	static const struct {
		int64_t out;
		const char *expression, *want;
	} t[] = {
		{VETRO_GROUP_MATH, "1 + 1",
			"NoMatchingFunctionException: No function \"#operator_+\" matches supplied "
			"arguments"},
		{VETRO_GROUP_MATH, "abs(1)",
			"NoFunctionRegisteredException: Unknown function \"abs\""},
		{VETRO_GROUP_MATH, "[a + b, $.select($ = 1)]", "[\"ab\",[true,false]]"},
		{VETRO_GROUP_BOOLEAN, "true and false",
			"NoFunctionRegisteredException: Unknown function \"#operator_and\""},
		{VETRO_GROUP_BOOLEAN, "not true",
			"NoFunctionRegisteredException: Unknown function \"#unary_operator_not\""},
		{VETRO_GROUP_QUERIES, "$.where($ > 1)",
			"NoMethodRegisteredException: Unknown method \"where\" for receiver (1, "
			"2)"},
		{VETRO_GROUP_QUERIES, "[1 + 1, $.len()]", "[2,2]"},
		{VETRO_GROUP_STRINGS, "abc.toUpper()",
			"NoMethodRegisteredException: Unknown method \"toUpper\" for receiver abc"},
		{VETRO_GROUP_COLLECTIONS | VETRO_GROUP_SETS, "[1]",
			"NoFunctionRegisteredException: Unknown function \"#list\""},
		{VETRO_GROUP_SETS, "set(1)",
			"NoFunctionRegisteredException: Unknown function \"set\""},
		{VETRO_GROUP_SETS, "[[1, 2][1], dict(a => 1)]", "[2,{\"a\":1}]"},
		{VETRO_GROUP_SYSTEM, "abs(1)", "1"},
		{VETRO_GROUP_SYSTEM, "abs(1).abs()",
			"NoMatchingFunctionException: No function \"#operator_.\" matches supplied "
			"arguments"},
		{VETRO_GROUP_SYSTEM, "$x",
			"NoFunctionRegisteredException: Unknown function \"#get_context_data\""},
		{VETRO_GROUP_REGEX, "regex(a)",
			"NoFunctionRegisteredException: Unknown function \"regex\""},
		{VETRO_GROUP_BRANCHING, "switch(true => 1)",
			"NoFunctionRegisteredException: Unknown function \"switch\""},
		{VETRO_GROUP_DATETIME, "now()",
			"NoFunctionRegisteredException: Unknown function \"now\""},
		{VETRO_GROUP_DATETIME, "2 * 3", "6"},
		{VETRO_GROUP_COMMON, "1 = 1",
			"NoFunctionRegisteredException: Unknown function \"*equal\""},
		{0, "[1 + 1, true and false, $.where($ > 1)]", "[2,false,[2]]"},
	};

	for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
		check(vetro_engine_set(e, VETRO_LEFT_OUT, t[i].out) == 0, "a group is left out");
		same(answer(e, t[i].expression, "[1, 2]"), t[i].want, t[i].expression);
	}
	vetro_engine_set(e, VETRO_LEFT_OUT, VETRO_GROUP_STRINGS);
	q = vetro_compile(e, "$.select($.len())", VETRO_ZSTR, NULL);
	shared = vetro_share(q, NULL);
	mine = vetro_shared_query(other, shared, NULL);
	check(vetro_evaluate_json(mine, "[\"abc\"]", VETRO_ZSTR, NULL, 0, NULL, &err) == NULL &&
			!strcmp(vetro_error_type(err), "NoMatchingMethodException"),
		"a shared query has the groups that it was compiled with");
	vetro_error_free(err);
	vetro_query_free(mine);
	vetro_query_free(q);
	vetro_shared_free(shared);
	vetro_engine_free(other);
	check(vetro_engine_set(e, VETRO_LEFT_OUT, 2048) == -1, "there is no such group");
	vetro_engine_free(e);
}

/* What yaql 2.0.0 answers with create_context(group_by_agg_fallback=...). */
static void
test_fallback(void)
{
	static const struct {
		const char *expression, *with, *without;
	} t[] = {
		{"$.groupBy($[1], $[0], $.sum())", "[[1,\"ac\"],[2,\"b\"]]", NULL},
		{"$.groupBy($[1], $[0], [$[0], $[1].sum()])", "[[1,\"ac\"],[2,\"b\"]]",
			"NoMatchingMethodException: No method \"sum\" for receiver c matches "
			"supplied arguments"},
		{"$.groupBy($[1], $[0], [$[0], $[1].len()])", "[[1,[\"a\",1]],[2,1]]",
			"IndexError: list index out of range"},
		{"$.take(2).groupBy($[1], $[0], [$[0], $[1].sum()])", "[[1,\"a\"],[2,\"b\"]]",
			"IndexError: list index out of range"},
		{"[1, 2, 3].groupBy($ mod 2, aggregator => [$[0], $[1].sum()])", "[[1,4],[0,2]]",
			"NoMatchingMethodException: No method \"sum\" for receiver 3 matches "
			"supplied arguments"},
		{"$.groupBy($[1], $[0], $[5])", "IndexError: list index out of range", NULL},
		{"[1, 2, 3].groupBy($ mod 2)", "[[1,[1,3]],[0,[2]]]", NULL},
	};
	const char *data = "[[\"a\", 1], [\"b\", 2], [\"c\", 1]]";
	vetro_engine *e = vetro_engine_new();

	check(vetro_engine_get(e, VETRO_GROUP_BY_FALLBACK) == 1, "groupBy() falls back at first");
	for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
		vetro_engine_set(e, VETRO_GROUP_BY_FALLBACK, 1);
		same(answer(e, t[i].expression, data), t[i].with, t[i].expression);
		vetro_engine_set(e, VETRO_GROUP_BY_FALLBACK, 0);
		same(answer(e, t[i].expression, data), t[i].without ? t[i].without : t[i].with,
			"the same without the fallback");
	}
	check(vetro_engine_set(e, VETRO_GROUP_BY_FALLBACK, 2) == -1, "it is on or off");
	vetro_engine_free(e);
}

/* The conversion, and something around it. */
static vetro_value
wrapped(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	vetro_engine *e = vetro_call_engine(c);
	vetro_value made = vetro_super(c, NULL, n, v, NULL, NULL), list;

	if (made == NULL)
		return NULL;
	list = vetro_list(e);
	vetro_list_push(e, list, vetro_string(e, user, VETRO_ZSTR));
	vetro_list_push(e, list, made);
	return list;
}

static vetro_value
as_it_is(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	(void)c, (void)n, (void)user;
	return vetro_ref(v[0]);
}

static vetro_value
no_results(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	(void)n, (void)v, (void)user;
	return vetro_raise(c, "com.example.Refused", "no results today");
}

static void
finalizes(vetro_engine *e, vetro_value context, vetro_function *fn, const char *user)
{
	check(vetro_finalizer(e, context, fn, (void *)user, drop, NULL) == 0, "a finalizer");
}

static void
test_finalizer(void)
{
	vetro_engine *e = vetro_engine_new();
	vetro_value outer = vetro_context(e, NULL), inner = vetro_context(e, outer), lazy;
	vetro_value other = vetro_context(e, NULL);
	vetro_query *q = vetro_compile(e, "$.select($ + 1)", VETRO_ZSTR, NULL);
	vetro_value data = vetro_parse_json(e, "[1, 2]", VETRO_ZSTR, NULL);
	vetro_error *err = NULL;

	finalizes(e, outer, wrapped, "outer");
	same(in(e, inner, "[1, 2].select($ + 1)"), "[\"outer\",[2,3]]", "it sees the result");
	same(in(e, other, "[1, 2].select($ + 1)"), "[2,3]", "other contexts have none");
	same(answer(e, "$ + 1", "1"), "2", "nor has what runs without a context");
	finalizes(e, inner, wrapped, "inner");
	same(in(e, inner, "null"), "[\"inner\",[\"outer\",null]]",
		"the innermost one is taken, and super is the next one");
	same(in(e, inner, "foo()"), "NoFunctionRegisteredException: Unknown function \"foo\"",
		"what fails has no result");
	dropped = 0;
	finalizes(e, inner, no_results, NULL);
	check(dropped == 1, "a new one takes the place of the old one");
	same(in(e, inner, "1"), "com.example.Refused: no results today", "it may fail");
	check(vetro_context_remove(e, inner, "#finalize") == 0, "it goes");
	same(in(e, inner, "1"), "[\"outer\",1]", "so that of the outer context is seen");
	finalizes(e, NULL, wrapped, "engine");
	finalizes(e, NULL, wrapped, "engine 2");
	same(answer(e, "$ + 1", "1"), "[\"engine 2\",2]", "one of the engine");
	same(answer(e, "[$, 2, 3].where($ > 1).len() * 2", "1"), "[\"engine 2\",4]", "and again");
	same(in(e, outer, "1"), "[\"outer\",[\"engine 2\",1]]", "contexts go before it");
	finalizes(e, NULL, as_it_is, NULL);
	lazy = vetro_evaluate(q, data, NULL, NULL);
	check(vetro_kind_of(lazy) == VETRO_LAZY, "it is in place of the conversion");
	vetro_unref(lazy);
	same(answer(e, "$.select($ + 1)", "[1, 2]"), "[2,3]", "JSON is written of what is lazy");
	vetro_engine_set(e, VETRO_CONVERT_OUTPUT, 0);
	finalizes(e, NULL, wrapped, "raw");
	same(answer(e, "$.select($ + 1)", "[1, 2]"), "[\"raw\",[2,3]]", "the conversion is off");
	check(vetro_finalizer(e, data, wrapped, NULL, drop, &err) == -1, "a list is no context");
	vetro_error_free(err);
	err = NULL;
	check(vetro_finalizer(e, NULL, NULL, NULL, NULL, &err) == -1, "there is no function");
	vetro_error_free(err);
	vetro_query_free(q);
	vetro_unref(data);
	vetro_unref(inner);
	vetro_unref(outer);
	vetro_unref(other);
	vetro_engine_free(e);
}

/* Registers `late` in the engine, and in the context of its argument; says what came of it. */
static vetro_value
registers(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	vetro_engine *e = vetro_call_engine(c);
	vetro_error *err[3] = {NULL, NULL, NULL};
	int st = vetro_register(e, "late", "", 0, says, user, drop, &err[0]);
	char text[600];

	(void)n;
	st += vetro_context_register(e, v[0], "late", "", 0, says, user, drop, &err[1]);
	st += vetro_finalizer(e, v[0], says, user, drop, &err[2]);
	snprintf(text, sizeof text, "%d", st);
	for (int i = 0; i < 3; i++) {
		size_t used = strlen(text);
		snprintf(text + used, sizeof text - used, "; %s: %s", vetro_error_type(err[i]),
			vetro_error_message(err[i]));
		vetro_error_free(err[i]);
	}
	return vetro_string(e, text, VETRO_ZSTR);
}

static void
test_late_registration(void)
{
	vetro_engine *e = vetro_engine_new();
	vetro_value context = vetro_context(e, NULL);

	check(vetro_context_set(e, context, "c", context) == 0, "a context as a variable");
	known(e, context, "registers", "where: context", 0, registers, "late");
	dropped = 0;
	same(in(e, context, "registers($c)"),
		"\"-3; UsageError: late: functions cannot be registered during an evaluation; "
		"UsageError: late: functions cannot be registered during an evaluation; "
		"UsageError: #finalize: functions cannot be registered during an evaluation\"",
		"an evaluation that is going on finds no new functions");
	check(dropped == 3, "what was refused is dropped");
	same(in(e, context, "late()"), "NoFunctionRegisteredException: Unknown function \"late\"",
		"nothing was registered");
	known(e, context, "late", "", 0, says, "now");
	same(in(e, context, "late()"), "\"now\"", "afterwards it can be");
	vetro_unref(context);
	vetro_engine_free(e);
}

int
main(void)
{
	vetro_engine *e = vetro_engine_new();

	test_levels(e);
	test_views(e);
	test_rings(e);
	test_injected(e);
	test_invoke(e);
	test_types(e);
	test_members(e);
	vetro_engine_free(e);
	test_keyword_operator();
	test_own_operators();
	test_groups();
	test_fallback();
	test_finalizer();
	test_late_registration();
	return 0;
}
