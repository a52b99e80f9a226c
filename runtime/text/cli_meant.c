/* cli_meant.c - the option that was likely meant: by its letters, or by what other tools call it. */
#include "runtime/text/cli.h"
#include "runtime/text/nearest.h"

#include <stdlib.h>
#include <string.h>

/* What people write, and what it is called here: the first one that the command has. */
static const struct {
	const char *written, *here[3];
} words[] = {
	{"state", {"snapshot", "journal"}},
	{"state-file", {"snapshot", "journal"}},
	{"statefile", {"snapshot", "journal"}},
	{"var", {"input", "arg", "args"}},
	{"vars", {"inputs", "args"}},
	{"var-file", {"inputs", "args"}},
	{"values", {"inputs", "answers"}},
	{"param", {"input", "arg", "args"}},
	{"params", {"inputs", "args"}},
	{"parameter", {"input", "arg", "args"}},
	{"parameters", {"inputs", "args"}},
	{"parameter-file", {"inputs"}},
	{"environment-file", {"inputs", "environment"}},
	{"arguments", {"args"}},
	{"set", {"input"}},
	{"input", {"model"}},
	{"inputs", {"model"}},
	{"file", {"model", "inputs"}},
	{"outfile", {"output"}},
	{"output-file", {"output"}},
	{"out-file", {"output"}},
	{"json", {"format"}},
	{"yaml", {"format"}},
	{"pretty", {"indent"}},
	{"verbose", {"progress"}},
	{"debug", {"progress", "trace"}},
	{"silent", {"quiet"}},
	{"simulate", {"dry-run"}},
	{"noop", {"dry-run"}},
	{"no-act", {"dry-run"}},
	{"jobs", {"workers", "jobs"}},
	{"parallel", {"workers", "jobs"}},
	{"parallelism", {"workers", "jobs"}},
	{"threads", {"workers", "jobs"}},
	{"forks", {"workers"}},
	{"method", {"call"}},
	{"action", {"call"}},
	{"bind", {"listen"}},
	{"port", {"listen"}},
	{"address", {"listen"}},
	{"user", {"ssh-user"}},
	{"key", {"ssh-key"}},
	{"private-key", {"ssh-key"}},
	{"identity", {"ssh-key"}},
	{"retry", {"retries"}},
	{"tail", {"follow"}},
	{"object-model", {"model"}},
	{"mock", {"scenario"}},
};

/* Behind the dashes of a long option; NULL: it is none. */
static const char *
letters(const char *name)
{
	return strncmp(name, "--", 2) == 0 ? name + 2 : NULL;
}

static const char *
named(const char *name, const char *const *v, size_t n)
{
	for (size_t i = 0; i < n && name != NULL; i++)
		if (letters(v[i]) != NULL && strcmp(letters(v[i]), name) == 0)
			return v[i];
	return NULL;
}

static const char *
by_word(const char *written, const char *const *v, size_t n)
{
	const char *found = NULL;

	for (size_t i = 0; i < sizeof words / sizeof *words && found == NULL; i++)
		for (size_t k = 0; k < 3 && found == NULL; k++)
			if (strcmp(words[i].written, written) == 0)
				found = named(words[i].here[k], v, n);
	return found;
}

/* The dashes of both would count as letters that are alike. */
static const char *
by_letters(const char *written, const char *const *v, size_t n)
{
	const char **bare = vt_xmalloc((n + 1) * sizeof *bare), *near;

	for (size_t i = 0; i < n; i++)
		bare[i] = letters(v[i]);
	near = vt_nearest(written, bare, n);
	free(bare);
	return named(near, v, n);
}

const char *
vt_cli_meant(const char *what, const char *const *v, size_t n)
{
	const char *written = letters(what), *found;

	if (written == NULL)
		return vt_nearest(what, v, n);
	found = by_word(written, v, n);
	return found != NULL ? found : by_letters(written, v, n);
}
