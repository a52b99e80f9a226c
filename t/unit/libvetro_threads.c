/* Engines in threads: they compile, evaluate and free at the same time. One engine goes from thread
 * to thread. */
#include "libvetro_check.h"

#include <pthread.h>
#include <stdio.h>

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
