/* Digests by the instructions of the processor, where it has them, and by the code for any: the
 * same. */
#include "runtime/text/digest.h"

/* The file once more, without the former. */
#define VT_NO_SHA_NI
#define vt_digest plain_digest
#include "runtime/text/digest.c"

#include <stdio.h>
#undef vt_digest

bool vt_digest(const char *algorithm, const char *, size_t, char hex[VT_DIGEST_TEXT]);

int
main(void)
{
	static const char *const names[] = {"md5", "sha1", "sha224", "sha256", "sha384", "sha512"};
	static char text[1000];
	unsigned x = 1, failed = 0;

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)((x = x * 1103515245 + 12345) >> 16);
	printf("1..%zu\n", VT_LEN(names));
	for (size_t i = 0; i < VT_LEN(names); i++) {
		char a[VT_DIGEST_TEXT], b[VT_DIGEST_TEXT];
		bool same = true;
		for (size_t n = 0; n <= sizeof text; n++)
			same = vt_digest(names[i], text, n, a) &&
			       plain_digest(names[i], text, n, b) && strcmp(a, b) == 0 && same;
		printf("%sok %zu - %s of any length\n", same ? "" : "not ", i + 1, names[i]);
		failed += !same;
	}
	return failed != 0;
}
