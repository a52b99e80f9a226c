/* nearest.c - the name that was likely meant: few edits away, in relation to its length. */
#include "runtime/text/nearest.h"

#include <stdbool.h>
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
