/* Ever new texts in one engine: their code goes, and what is held of it stays. */
#include "libvetro_check.h"

#include <malloc.h>
#include <stdbool.h>

enum { TEXTS = 3000, HELD = 20 };

static vetro_value lambda;

/* A text that was not seen before; its result has constants and a key of its own. */
static void
evaluate_new(vetro_engine *e, int i, char *want, size_t room)
{
	char text[200];

	snprintf(text, sizeof text, "[$.a.where($ > %d).len(), 'word%d', {key%d => $.b}, %d.5]", i,
		i % 90, i % 90, i % 90);
	snprintf(want, room, "[%d,\"word%d\",{\"key%d\":\"q\"},%d.5]", i < 3 ? 3 - i : 0, i % 90,
		i % 90, i % 90);
	if (strcmp(answer(e, text, "{\"a\":[1,2,3],\"b\":\"q\"}"), want) != 0)
		same(answer(e, text, "{\"a\":[1,2,3],\"b\":\"q\"}"), want, text);
}

static void
pass_texts(vetro_engine *e, int from, int to)
{
	char want[200];

	for (int i = from; i < to; i++)
		evaluate_new(e, i, want, sizeof want);
}

static void
held_queries(vetro_engine *e)
{
	vetro_query *q[HELD];
	char text[100], want[100];
	bool good = true;

	for (int i = 0; i < HELD; i++) {
		snprintf(text, sizeof text, "$.select($ * %d + len('h%d')).join(' ')", i, i);
		q[i] = vetro_compile(e, text, VETRO_ZSTR, NULL);
	}
	pass_texts(e, 0, TEXTS);
	for (int i = 0; i < HELD; i++) {
		int n = i < 10 ? 2 : 3;
		char *got = vetro_evaluate_json(q[i], "[1,2]", VETRO_ZSTR, NULL, 0, NULL, NULL);
		snprintf(want, sizeof want, "\"%d %d\"", i + n, 2 * i + n);
		good = good && got != NULL && strcmp(got, want) == 0;
		vetro_free_text(got);
		vetro_query_free(q[i]);
	}
	check(good, "queries that are held go on");
	pass_texts(e, 0, TEXTS);
	same(answer(e, "$.select($ * 3 + len('h3')).join(' ')", "[1,2]"), "\"5 8\"",
		"a text that comes again");
}

/* The result is lazy, and the query that made it is gone. */
static void
lazy_result(vetro_engine *e)
{
	vetro_value data = vetro_parse_json(e, "[1,2,3]", VETRO_ZSTR, NULL), made;
	vetro_query *q;
	char *text;

	vetro_engine_set(e, VETRO_CONVERT_OUTPUT, 0);
	q = vetro_compile(e, "$.select($ * 7).where($ > 7)", VETRO_ZSTR, NULL);
	made = vetro_evaluate(q, data, NULL, NULL);
	vetro_query_free(q);
	vetro_engine_set(e, VETRO_CONVERT_OUTPUT, 1);
	pass_texts(e, 2 * TEXTS, 3 * TEXTS);
	text = vetro_write_json(e, made, 0, NULL, NULL);
	same(text, "[14,21]", "a lazy result outlives its query");
	vetro_free_text(text);
	vetro_unref(made);
	vetro_unref(data);
}

static vetro_value
keep(vetro_call *c, size_t n, const vetro_value *v, void *user)
{
	(void)n;
	(void)user;
	vetro_unref(lambda);
	lambda = vetro_ref(v[0]);
	(void)c;
	return vetro_null();
}

static void
kept_lambda(vetro_engine *e)
{
	vetro_value arg = vetro_int(e, 5), made;

	vetro_register(e, "keep", "f: lambda", 0, keep, NULL, NULL, NULL);
	same(answer(e, "keep($ * 100)", "null"), "null", "a lambda is kept");
	same(answer(e, "keep(str($) + 'km')", "null"), "null", "another takes its place");
	pass_texts(e, 3 * TEXTS, 4 * TEXTS);
	made = vetro_apply(e, lambda, 1, &arg, NULL);
	check(made != NULL && strcmp(vetro_get_string(made, NULL), "5km") == 0,
		"a lambda outlives its query");
	vetro_unref(made);
	vetro_unref(lambda);
	vetro_unref(arg);
}

/* Constants of texts that are gone: in results, as keys of dicts. */
static void
kept_results(vetro_engine *e)
{
	vetro_value data = vetro_parse_json(e, "[{\"a\":1},{\"a\":2}]", VETRO_ZSTR, NULL), made;
	vetro_query *q = vetro_compile(
		e, "$.select({only_here => $.a, why => 'because'}) + [0.125]", VETRO_ZSTR, NULL);
	char *text;

	made = vetro_evaluate(q, data, NULL, NULL);
	vetro_query_free(q);
	pass_texts(e, 4 * TEXTS, 5 * TEXTS);
	text = vetro_write_json(e, made, 0, NULL, NULL);
	same(text,
		"[{\"only_here\":1,\"why\":\"because\"},{\"only_here\":2,\"why\":\"because\"},0."
		"125]",
		"a result outlives its query");
	vetro_free_text(text);
	vetro_unref(made);
	vetro_unref(data);
}

/* Bytes that are allocated; 0 where nobody can tell. */
static size_t
allocated(void)
{
	return mallinfo2().uordblks;
}

static void
memory(vetro_engine *e)
{
	size_t before, after;

	pass_texts(e, 5 * TEXTS, 6 * TEXTS);
	before = allocated();
	pass_texts(e, 6 * TEXTS, 8 * TEXTS);
	after = allocated();
	check(after < before + 256 * 1024, "thousands of texts take no more memory");
	if (after >= before + 256 * 1024)
		printf("# %zu bytes, then %zu\n", before, after);
}

int
main(void)
{
	vetro_engine *e = vetro_engine_new();

	memory(e);
	held_queries(e);
	lazy_result(e);
	kept_results(e);
	kept_lambda(e);
	vetro_engine_free(e);
	return 0;
}
