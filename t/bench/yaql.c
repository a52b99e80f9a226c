/*
 * yaql.c - the benchmark's driver of vetro: the library over a document that is in memory.
 *
 * usage: yaql eval DATA.json EXPR SECONDS RESULT.json     times vetro_evaluate, writes its value
 *        yaql parse DATA.json SECONDS RESULT.json         times vetro_parse_json
 *        yaql first DATA.json EXPR TIMES RESULT.json      times texts that were never seen, compiled
 *                                                         and evaluated once
 *
 * Giving the value back is inside the time; reading the document and compiling the expression are
 * outside.
 */
#include "timer.h"
#include "compiler/libvetro/vetro.h"

#include <string.h>
#include <stdio.h>

typedef struct bench {
	vetro_engine *engine;
	vetro_query *query;
	vetro_value data;
	char *text;
	size_t n;
} bench;

static void
die(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
	exit(1);
}

static vetro_value
evaluate(bench *b)
{
	vetro_error *e = NULL;
	vetro_value v = vetro_evaluate(b->query, b->data, NULL, &e);

	if (!v)
		die("evaluation", vetro_error_message(e));
	return v;
}

static vetro_value
parse(bench *b)
{
	vetro_error *e = NULL;
	vetro_value v = vetro_parse_json(b->engine, b->text, b->n, &e);

	if (!v)
		die("JSON", vetro_error_message(e));
	return v;
}

static int
run_eval(void *data)
{
	vetro_unref(evaluate(data));
	return 1;
}

static int
run_parse(void *data)
{
	vetro_unref(parse(data));
	return 1;
}

static void
write_value(bench *b, vetro_value v, const char *path)
{
	vetro_error *e = NULL;
	size_t n;
	char *text = vetro_write_json(b->engine, v, 0, &n, &e);
	FILE *f = fopen(path, "w");

	if (!text || !f || fwrite(text, 1, n, f) != n || fclose(f) != 0)
		die(path, "cannot be written");
	vetro_free_text(text);
	vetro_unref(v);
}

static void
read_text(bench *b, const char *path)
{
	FILE *f = fopen(path, "r");
	long n;

	if (!f || fseek(f, 0, SEEK_END) != 0 || (n = ftell(f)) < 0)
		die(path, "cannot be read");
	rewind(f);
	b->text = malloc((size_t)n + 1);
	if (!b->text)
		die(path, "is too large");
	b->n = fread(b->text, 1, (size_t)n, f);
	fclose(f);
}

static void
bench_eval(bench *b, char **args)
{
	vetro_error *e = NULL;
	timer t;

	b->data = parse(b);
	b->query = vetro_compile(b->engine, args[0], VETRO_ZSTR, &e);
	if (!b->query)
		die(args[0], vetro_error_message(e));
	timer_run(&t, atof(args[1]), run_eval, b);
	timer_print(&t);
	write_value(b, evaluate(b), args[2]);
	vetro_query_free(b->query);
	vetro_unref(b->data);
}

/* EXPR in a list with a number that no text before had. */
static vetro_value
evaluate_new(bench *b, const char *expr, int i)
{
	char text[4096];
	vetro_error *e = NULL;
	int n = snprintf(text, sizeof text, "[%s, %d]", expr, i);
	vetro_value v;

	if (n < 0 || (size_t)n >= sizeof text)
		die(expr, "is too long");
	b->query = vetro_compile(b->engine, text, (size_t)n, &e);
	if (!b->query)
		die(text, vetro_error_message(e));
	v = evaluate(b);
	vetro_query_free(b->query);
	return v;
}

/* The first of them finds nothing warm in the process either; the median is of all. */
static void
bench_first(bench *b, char **args)
{
	int times = atoi(args[1]);
	timer t = {.n = 0};

	if (times <= 0 || times > TIMER_MOST)
		die(args[1], "is no number of times");
	b->data = parse(b);
	t.seconds = malloc((size_t)times * sizeof *t.seconds);
	if (!t.seconds)
		die(args[1], "is too much");
	for (; t.n < times; t.n++) {
		double start = timer_clock(CLOCK_PROCESS_CPUTIME_ID);

		vetro_unref(evaluate_new(b, args[0], t.n));
		t.seconds[t.n] = timer_clock(CLOCK_PROCESS_CPUTIME_ID) - start;
	}
	qsort(t.seconds, (size_t)t.n, sizeof *t.seconds, timer_order);
	timer_print(&t);
	write_value(b, evaluate_new(b, args[0], times), args[2]);
	vetro_unref(b->data);
}

static void
bench_parse(bench *b, char **args)
{
	timer t;

	timer_run(&t, atof(args[0]), run_parse, b);
	timer_print(&t);
	write_value(b, parse(b), args[1]);
}

int
main(int argc, char **argv)
{
	bench b = {.engine = vetro_engine_new()};

	if (argc > 2)
		read_text(&b, argv[2]);
	if (argc == 6 && !strcmp(argv[1], "eval"))
		bench_eval(&b, argv + 3);
	else if (argc == 6 && !strcmp(argv[1], "first"))
		bench_first(&b, argv + 3);
	else if (argc == 5 && !strcmp(argv[1], "parse"))
		bench_parse(&b, argv + 3);
	else
		die("usage",
			"yaql eval DATA EXPR SECONDS RESULT | yaql parse DATA SECONDS RESULT | "
			"yaql first DATA EXPR TIMES RESULT");
	free(b.text);
	vetro_engine_free(b.engine);
	return 0;
}
