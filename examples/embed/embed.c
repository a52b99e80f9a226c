/*
 * embed.c - YAQL in a C program: filters an inventory with expressions from the command line.
 *
 *	make                          (with vetro installed; else PKG_CONFIG_PATH must lead to
 * vetro.pc)
 *	./embed stock.json '$.servers.where($.memory.bytes() >= $least).select($.name)'
 *
 * It registers one function, bytes(), that the expressions use, and gives them one variable,
 * $least. The document is read once, whatever the number of expressions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vetro.h>

/* "4 GiB".bytes(): the arguments are borrowed, the result is given away, NULL fails with the error
 * that was raised. */
static vetro_value
bytes(vetro_call *call, size_t n, const vetro_value *args, void *user)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	const char *text = vetro_get_string(args[0], NULL);
	char *unit;
	double amount = strtod(text, &unit);

	(void)n, (void)user;
	while (*unit == ' ')
		unit++;
	for (size_t i = 0; unit != text && i < sizeof units / sizeof *units; i++)
		if (strcmp(unit, units[i]) == 0)
			return vetro_int(vetro_call_engine(call),
				(int64_t)(amount * (double)(1ll << (10 * i))));
	return vetro_raise(call, "ValueError", "'%s' is no amount of memory", text);
}

static char *
read_all(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	long size;

	if (f && fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0 &&
		(text = malloc((size_t)size + 1))) {
		rewind(f);
		*n = fread(text, 1, (size_t)size, f);
	}
	if (f)
		fclose(f);
	return text;
}

static int
complain(const char *what, vetro_error *err)
{
	fprintf(stderr, "%s: %s: %s", what, vetro_error_type(err), vetro_error_message(err));
	if (vetro_error_line(err))
		fprintf(stderr, " (line %u, column %u)", vetro_error_line(err),
			vetro_error_column(err));
	fputc('\n', stderr);
	vetro_error_free(err);
	return 1;
}

/* Compiles, evaluates over the document, prints JSON. */
static int
answer(vetro_engine *engine, const char *expression, vetro_value document, vetro_value vars)
{
	vetro_error *err = NULL;
	vetro_query *query = vetro_compile(engine, expression, VETRO_ZSTR, &err);
	vetro_value result = query ? vetro_evaluate(query, document, vars, &err) : NULL;
	char *text = result ? vetro_write_json(engine, result, 0, NULL, &err) : NULL;
	int status = text ? 0 : complain(expression, err);

	if (text)
		puts(text);
	vetro_free_text(text);
	vetro_unref(result);
	vetro_query_free(query);
	return status;
}

int
main(int argc, char **argv)
{
	vetro_engine *engine = vetro_engine_new();
	vetro_error *err = NULL;
	vetro_value document = NULL, vars = vetro_dict(engine);
	size_t n = 0;
	char *text = argc > 1 ? read_all(argv[1], &n) : NULL;
	int status = 0;

	if (!text) {
		fprintf(stderr, "usage: %s FILE EXPRESSION...\n", argv[0]);
		return 2;
	}
	vetro_engine_set(engine, VETRO_TIME_LIMIT, 5000);
	if (vetro_register(engine, "bytes", "amount: str", VETRO_EXTENSION, bytes, NULL, NULL,
		    &err) != 0 ||
		!(document = vetro_parse_json(engine, text, n, &err)))
		status = complain(argv[1], err);
	vetro_dict_put_name(engine, vars, "least", vetro_int(engine, 8ll << 30));
	for (int i = 2; document && i < argc; i++)
		status |= answer(engine, argv[i], document, vars);
	free(text);
	vetro_unref(vars);
	vetro_unref(document);
	vetro_engine_free(engine);
	return status;
}
