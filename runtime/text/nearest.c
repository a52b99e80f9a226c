/*
 * nearest.c - the name that was likely meant: few edits away, in relation to its length.  Of
 * options it may also be what other tools call it.
 */
#include "runtime/text/nearest.h"
#include "runtime/core/base.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 63 };

static char
lower(char ch)
{
	return ch >= 'A' && ch <= 'Z' ? (char)(ch + 32) : ch;
}

/* Edits between two short names: insert, delete, replace, swap of neighbours; letter case costs
 * nothing.  As many as `limit` stand for all that are more: a row depends on the two before it, so
 * what is in none of these comes no more. */
static unsigned
distance(const char *a, size_t na, const char *b, size_t nb, unsigned limit)
{
	unsigned row[3][LONGEST + 1], least = 0, least_before;
	if ((na > nb ? na - nb : nb - na) >= limit)
		return limit;
	for (size_t j = 0; j <= nb; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
		now[0] = (unsigned)i;
		least_before = least;
		least = now[0];
		for (size_t j = 1; j <= nb; j++) {
			bool eq = lower(a[i - 1]) == lower(b[j - 1]);
			unsigned best = last[j - 1] + !eq;
			if (last[j] + 1 < best)
				best = last[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
				lower(a[i - 2]) == lower(b[j - 1]) && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
			least = best < least ? best : least;
		}
		if (least >= limit && least_before >= limit)
			return limit;
	}
	return row[na % 3][nb];
}

const char *
vt_nearest(const char *name, const char *const *names, size_t n)
{
	size_t length = strlen(name);
	if (!length || length > LONGEST)
		return NULL;
	const char *found = NULL;
	unsigned best = (unsigned)(length + 5) / 4 + 1;
	for (size_t i = 0; i < n; i++) {
		size_t other = names[i] ? strlen(names[i]) : 0;
		if (!other || other > LONGEST || !strcmp(name, names[i]))
			continue;
		unsigned d = distance(name, length, names[i], other, best);
		if (d < best && d < length && d < other &&
			(d == 1 || 2 * d < (length > other ? length : other))) {
			best = d;
			found = names[i];
		}
	}
	return found;
}

/* ---- options ---- */

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
vt_nearest_option(const char *what, const char *const *v, size_t n)
{
	const char *written = letters(what), *found;

	if (written == NULL)
		return vt_nearest(what, v, n);
	found = by_word(written, v, n);
	return found != NULL ? found : by_letters(written, v, n);
}
