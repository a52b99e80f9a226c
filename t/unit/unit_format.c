/* vc_format prints what the C library prints. */
#include "compiler/base/arena.c"
#include "compiler/base/format.c"

#include <stdarg.h>

static unsigned tests, failures;

static void
same(vc *c, const char *fmt, ...)
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
	vc *c = vc_new();

	same(c, "%s", "");
	same(c, "plain text, 100%% of it");
	same(c, "%s-%s.%s", "a", "", "b");
	same(c, "%d %d %d %d", 0, -1, 2147483647, -2147483647 - 1);
	same(c, "%u %u %x 0x%xu", 0u, 4294967295u, 0xdeadbeefu, 0u);
	same(c, "%lld %lld %llu %zu", 9223372036854775807LL, -9223372036854775807LL - 1,
		18446744073709551615ULL, (size_t)-1);
	same(c, "%.*s|%.*s|%.*s|%.*s", 2, "abcdef", 0, "abc", 9, "abc", -1, "abc");
	same(c, "%c%c%c", 'a', '%', '\n');
	same(c, "%s %.3s %s", "one", "twofold", "three");
	same(c, "%d %5d %-5d| %05d", 1, 2, 3, 4);
	same(c, "%s %016llx %02x %g %.17g", "x", 255ULL, 10u, 0.5, 0.1);
	same(c, "%ld %lu %s", -5L, 5UL, "after");
	printf("%sok %u - the text of vc_format is its own\n",
		strcmp(vc_format(c, "%s%s", vc_format(c, "a%d", 1), vc_format(c, "b")), "a1b") == 0
			? ""
			: "not ",
		++tests);
	printf("1..%u\n", tests);
	vc_free(c);
	return failures != 0;
}
