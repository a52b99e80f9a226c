/* TAP lines without numbers from programs over libvetro; yaql/libvetro.t numbers them. */
#ifndef LIBVETRO_CHECK_H
#define LIBVETRO_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vetro.h>

static inline void
check(int good, const char *title)
{
	printf("%s - %s\n", good ? "ok" : "not ok", title);
	fflush(stdout);
}

static inline void
same(const char *got, const char *want, const char *title)
{
	int good = got != NULL && strcmp(got, want) == 0;

	check(good, title);
	if (!good)
		printf("# got:  %s\n# want: %s\n", got ? got : "NULL", want);
}

/* The text of a result, or "Type: message" of the error; both are freed. Static. */
static inline const char *
shown_of(char *text, vetro_error *err)
{
	static char shown[4096];

	if (text)
		snprintf(shown, sizeof shown, "%s", text);
	else
		snprintf(shown, sizeof shown, "%s: %s", vetro_error_type(err),
			vetro_error_message(err));
	vetro_free_text(text);
	vetro_error_free(err);
	return shown;
}

/* The expression over JSON text: the result's text, or "Type: message" of the error. Static. */
static inline const char *
answer(vetro_engine *e, const char *expression, const char *json)
{
	vetro_error *err = NULL;
	vetro_query *q = vetro_compile(e, expression, VETRO_ZSTR, &err);
	char *text = q ? vetro_evaluate_json(q, json, VETRO_ZSTR, NULL, 0, NULL, &err) : NULL;

	vetro_query_free(q);
	return shown_of(text, err);
}

#endif
