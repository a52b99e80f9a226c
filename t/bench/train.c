/*
 * train.c - evaluates pipelines for a runtime that counts (t/bench/train.pl).
 *
 * usage: train TIMES < LINES      a line: the path of a JSON document, a tab, an expression
 *
 * Each document is read, each expression compiled and its first value written; what fails is left
 * out, for errors are done seldom.
 */
#include "compiler/libvetro/vetro.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static vetro_value
read_document(vetro_engine *engine, const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t n = 0, room = 0;
	vetro_value v = 0;

	if (!f) {
		perror(path);
		exit(1);
	}
	for (size_t k = 1; k > 0; n += k) {
		if (n == room && !(text = realloc(text, room = 2 * room + 65536)))
			exit(1);
		k = fread(text + n, 1, room - n, f);
	}
	fclose(f);
	v = vetro_parse_json(engine, text, n, NULL);
	free(text);
	return v;
}

static void
evaluate(vetro_engine *engine, const char *expr, vetro_value data, int times)
{
	vetro_query *query = vetro_compile(engine, expr, VETRO_ZSTR, NULL);
	size_t n;

	if (!query)
		return;
	for (int i = 0; i < times; i++) {
		vetro_value v = vetro_evaluate(query, data, NULL, NULL);
		if (!v)
			break;
		if (i == 0)
			vetro_free_text(vetro_write_json(engine, v, 0, &n, NULL));
		vetro_unref(v);
	}
	vetro_query_free(query);
}

int
main(int argc, char **argv)
{
	vetro_engine *engine = vetro_engine_new();
	int times = argc == 2 ? atoi(argv[1]) : 0;
	vetro_value data = 0;
	char *line = NULL, *path = NULL, *expr;
	size_t room = 0;

	while (times > 0 && getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!(expr = strchr(line, '\t')))
			continue;
		*expr++ = '\0';
		if (!path || strcmp(path, line) != 0) {
			if (data)
				vetro_unref(data);
			free(path);
			path = strdup(line);
			data = read_document(engine, path);
		}
		if (data)
			evaluate(engine, expr, data, times);
	}
	if (data)
		vetro_unref(data);
	free(path);
	free(line);
	vetro_engine_free(engine);
	return times > 0 ? 0 : 1;
}
