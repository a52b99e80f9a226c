/* vt_buf_vprintf prints what the C library prints. */
#include "runtime/core/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned tests, failures;

static void
same(const char *fmt, ...)
{
	char want[512];
	vt_buf got = {0};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(want, sizeof want, fmt, ap);
	va_end(ap);
	vt_buf_puts(&got, "before ");
	va_start(ap, fmt);
	vt_buf_vprintf(&got, fmt, ap);
	va_end(ap);
	tests++;
	if (got.n == strlen(want) + 7 && strcmp(got.p + 7, want) == 0 &&
		memcmp(got.p, "before ", 7) == 0) {
		printf("ok %u\n", tests);
	} else {
		printf("not ok %u\n# got:  %s\n# want: %s\n", tests, got.p, want);
		failures++;
	}
	vt_buf_free(&got);
}

int
main(void)
{
	char *whole = vt_asprintf("%s%s", "a1", "b");

	same("%s", "");
	same("plain text, 100%% of it");
	same("%s-%s.%s", "a", "", "b");
	same("%d %d %d %d", 0, -1, 2147483647, -2147483647 - 1);
	same("%u %u %x 0x%xu", 0u, 4294967295u, 0xdeadbeefu, 0u);
	same("%lld %lld %llu %zu", 9223372036854775807LL, -9223372036854775807LL - 1,
		18446744073709551615ULL, (size_t)-1);
	same("%.*s|%.*s|%.*s|%.*s", 2, "abcdef", 0, "abc", 9, "abc", -1, "abc");
	same("%c%c%c", 'a', '%', '\n');
	same("%s %.3s %s", "one", "twofold", "three");
	same("%d %5d %-5d| %05d", 1, 2, 3, 4);
	same("%s %016llx %02x %g %.17g", "x", 255ULL, 10u, 0.5, 0.1);
	same("%ld %lu %s", -5L, 5UL, "after");
	printf("%sok %u - a text of its own\n", strcmp(whole, "a1b") == 0 ? "" : "not ", ++tests);
	printf("1..%u\n", tests);
	free(whole);
	return failures != 0;
}
