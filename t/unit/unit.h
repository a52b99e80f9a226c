/* unit.h - what unit tests say: TAP. */
#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>
#include <stdio.h>

static int tests, failures;

static inline bool
ok(bool good, const char *what)
{
	failures += !good;
	printf("%sok %d - ", good ? "" : "not ", ++tests);
	for (; *what; what++) /* # begins a directive of TAP */
		putchar(*what == '#' || *what == '\n' ? '?' : *what);
	putchar('\n');
	fflush(stdout); /* some fork */
	return good;
}

#endif
