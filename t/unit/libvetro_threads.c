/* Engines in threads: they compile, evaluate and free at the same time. One engine goes from thread
 * to thread. */
#include "libvetro_check.h"

#include <pthread.h>
#include <stdio.h>
#include <vetro_host.h>

enum { THREADS = 4, EXPRESSIONS = 25, ROUNDS = 20 };

static vetro_value
add(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	int64_t a = 0, b = 0;

	(void)n, (void)user;
	vetro_get_int(v[0], &a);
	vetro_get_int(v[1], &b);
	return vetro_int(vetro_call_engine(c), a + b);
}

static int
one_expression(vetro_engine *e, int t, int i)
{
	char expression[100], want[40];
	vetro_error *err = NULL;
	vetro_query *q;
	int good = 1;

	snprintf(expression, sizeof expression, "add($.select($ * %d).sum(), %d)", i, t);
	snprintf(want, sizeof want, "%d", 6 * i + t);
	q = vetro_compile(e, expression, VETRO_ZSTR, &err);
	for (int k = 0; q && k < ROUNDS; k++) {
		char *text = vetro_evaluate_json(q, "[1,2,3]", VETRO_ZSTR, NULL, 0, NULL, NULL);
		good = good && text && strcmp(text, want) == 0;
		vetro_free_text(text);
	}
	vetro_error_free(err);
	vetro_query_free(q);
	return q != NULL && good;
}

static void *
work(void *data)
{
	int t = *(int *)data;
	int good = 0;

	for (int round = 0; round < 2; round++) {
		vetro_engine *e = vetro_engine_new();
		vetro_engine_set(e, VETRO_TIME_LIMIT, 60000);
		vetro_register(e, "add", "a: int, b: int", 0, add, NULL, NULL, NULL);
		for (int i = 0; i < EXPRESSIONS; i++)
			good += one_expression(e, t, i);
		vetro_engine_free(e);
	}
	*(int *)data = good;
	return NULL;
}

/* ---- expressions that engines share ---- */

enum { SHARED = 6, SHARED_ROUNDS = 300 };

static const char *const common[SHARED] = {
	"add($.sum(), 1)",
	"$.where($ > 1).select($ * 2).toList()",
	"$.select(dict(n => $, t => 'n' + str($)))",
	"$.aggregate($1 ** $2, 2)",
	"'a1b22'.replaceBy(regex('[0-9]+'), $.value + '!')",
	"$.orderBy(-$).first() + 1.5",
};
static const char *const answers[SHARED] = {
	"7",
	"[4,6]",
	"[{\"n\":1,\"t\":\"n1\"},{\"n\":2,\"t\":\"n2\"},{\"n\":3,\"t\":\"n3\"}]",
	"8",
	"\"a1!b22!\"",
	"4.5",
};
static vetro_shared *shared[SHARED];

static vetro_engine *
engine_with_functions(void)
{
	vetro_engine *e = vetro_engine_new();

	vetro_register(e, "add", "a: int, b: int", 0, add, NULL, NULL, NULL);
	vetro_register(e, "#operator_**", "a: int, b: int", 0, add, NULL, NULL, NULL);
	return e;
}

/* Each round with another part of the expressions, some in an engine that goes at once. */
static void *
use_shared(void *data)
{
	vetro_engine *e = engine_with_functions();
	int good = 0;

	for (int round = 0; round < SHARED_ROUNDS; round++) {
		int i = (round + *(int *)data) % SHARED;
		vetro_engine *own = round % 50 == 0 ? engine_with_functions() : e;
		vetro_query *q = vetro_shared_query(own, shared[i], NULL);
		char *text = vetro_evaluate_json(q, "[1,2,3]", VETRO_ZSTR, NULL, 0, NULL, NULL);

		good += text != NULL && strcmp(text, answers[i]) == 0;
		vetro_free_text(text);
		vetro_query_free(q);
		if (own != e)
			vetro_engine_free(own);
	}
	vetro_engine_free(e);
	*(int *)data = good;
	return NULL;
}

/* Queries are there before, and stay when the shared expression and its first engine are gone. */
static void
sharing(void)
{
	vetro_engine *e = engine_with_functions(), *other;
	vetro_query *q, *kept;
	vetro_error *err = NULL;
	pthread_t thread[THREADS];
	int data[THREADS];

	vetro_insert_operator(e, "or", 1, "**", VETRO_BINARY_LEFT, 1, NULL, NULL);
	for (int i = 0; i < SHARED; i++) {
		q = vetro_compile(e, common[i], VETRO_ZSTR, NULL);
		shared[i] = vetro_share(q, NULL);
		vetro_query_free(q);
	}
	for (int i = 0; i < THREADS; i++) {
		data[i] = i;
		pthread_create(&thread[i], NULL, use_shared, &data[i]);
	}
	vetro_engine_free(e);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		check(data[i] == SHARED_ROUNDS, "a thread with expressions that are shared");
	}
	other = vetro_engine_new();
	kept = vetro_shared_query(other, shared[3], NULL);
	for (int i = 0; i < SHARED; i++)
		vetro_shared_free(shared[i]);
	check(vetro_evaluate_json(kept, "[1]", VETRO_ZSTR, NULL, 0, NULL, &err) == NULL &&
			strcmp(vetro_error_type(err), "NoFunctionRegisteredException") == 0,
		"an engine without the function");
	vetro_error_free(err);
	vetro_register(other, "#operator_**", "a: int, b: int", 0, add, NULL, NULL, NULL);
	{
		char *text = vetro_evaluate_json(kept, "[1]", VETRO_ZSTR, NULL, 0, NULL, NULL);
		same(text, "3", "a query outlives what it was made of");
		vetro_free_text(text);
	}
	vetro_query_free(kept);
	vetro_engine_free(other);
}

/* The options are those of the engine in which it was compiled. */
static void
options(void)
{
	vetro_engine *e = vetro_engine_new(), *other = vetro_engine_new();
	vetro_query *q, *there;
	vetro_shared *s;
	vetro_error *err = NULL;

	vetro_engine_set(e, VETRO_LIMIT_ITERATORS, 2);
	q = vetro_compile(e, "$.select($ + 1)", VETRO_ZSTR, NULL);
	s = vetro_share(q, NULL);
	there = vetro_shared_query(other, s, NULL);
	check(vetro_evaluate_json(there, "[1,2,3]", VETRO_ZSTR, NULL, 0, NULL, &err) == NULL &&
			strcmp(vetro_error_type(err), "CollectionTooLargeException") == 0,
		"options come along");
	vetro_error_free(err);
	same(answer(other, "$.select($ + 1)", "[1,2,3]"), "[2,3,4]",
		"and change nothing else there");
	vetro_engine_set(other, VETRO_EXPRESSION_SIZE, 3);
	vetro_query_free(there);
	vetro_query_free(q);
	vetro_shared_free(s);
	vetro_shared_free(NULL);
	vetro_engine_free(e);
	vetro_engine_free(other);
}

static const char *shown;

static void *
elsewhere(void *engine)
{
	shown = answer(
		engine, "def(f, $ < 1 and 0 or f($ - 1)) -> f(3) = 0 or $.len() > 1", "[1,2]");
	shown = answer(engine, "def(f, f($)) -> f(1)", "null");
	return NULL;
}

int
main(void)
{
	pthread_t thread[THREADS];
	int data[THREADS];
	pthread_attr_t small;
	vetro_engine *e = vetro_engine_new();

	for (int i = 0; i < THREADS; i++) {
		data[i] = i + 1;
		pthread_create(&thread[i], NULL, work, &data[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		check(data[i] == 2 * EXPRESSIONS, "a thread with engines of its own");
	}
	sharing();
	options();
	same(answer(e, "1 + 1", "null"), "2", "an engine in the main thread");
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 1 << 20);
	pthread_create(&thread[0], &small, elsewhere, e);
	pthread_join(thread[0], NULL);
	pthread_attr_destroy(&small);
	same(shown, "RecursionError: maximum recursion depth exceeded",
		"it minds the small stack of another thread");
	same(answer(e, "2 + 2", "null"), "4", "and comes back");
	vetro_engine_free(e);
	return 0;
}
