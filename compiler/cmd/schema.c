/*
 * schema.c - `vetro schema SOURCE CLASS [METHOD...]`: what the binary of SOURCE answers to
 * `schema`.
 *
 * check() may ask the program for the values it allows, so the program is run, from the same cache
 * as `vetro run`, and both commands always agree.
 */
#include "compiler/cmd/cmd.h"

#include <stdlib.h>
#include <string.h>

static int
usage(const char *what)
{
	return cmd_usage("schema", what, NULL);
}

/* These take a value of their own. */
static bool
takes_value(const char *arg)
{
	return strcmp(arg, "-I") == 0 || strcmp(arg, "--lua") == 0 || strcmp(arg, "--jit") == 0;
}

int
cmd_schema(int argc, char **argv)
{
	char **options = calloc((size_t)argc * 2 + 4, sizeof *options),
	     **words = options + argc + 2;
	int n = 0, nwords = 0, rc;

	if (options == NULL)
		return VC_EFAULT;
	options[n++] = "schema";
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-') {
			words[nwords++] = argv[i];
			continue;
		}
		options[n++] = argv[i];
		if (takes_value(argv[i]) && i + 1 < argc)
			options[n++] = argv[++i];
	}
	if (nwords < 2) {
		free(options);
		return usage(nwords ? "no CLASS given" : "no SOURCE given");
	}
	options[n++] = words[0];
	options[n++] = "--";
	options[n++] = "schema";
	memmove(options + n, words + 1, sizeof *words * (size_t)(nwords - 1));
	rc = cmd_run(n + nwords - 1, options);
	free(options);
	return rc;
}
