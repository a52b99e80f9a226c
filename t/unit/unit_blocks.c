/*
 * unit_blocks.c - texts that end where their page does: TAP.
 *
 * What reads by blocks reads beyond short texts.  Behind these lies a page that nobody may touch,
 * so a byte too many ends the test.
 */
#include "runtime/core/blocks.h"
#include "runtime/core/value.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LONGEST = 100, EACH = 20 };

/* The last bytes of a page; behind it there is none. */
static char *
last_bytes(void)
{
	char *p =
		mmap(NULL, 2 * VT_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + VT_PAGE, VT_PAGE, PROT_NONE) != 0) {
		printf("Bail out! no page\n");
		exit(1);
	}
	return p + VT_PAGE;
}

/* n bytes of UTF-8 at p; how many code points. */
static uint32_t
fill(char *p, size_t n)
{
	uint32_t points = 0;

	for (size_t i = 0; i < n; points++) {
		bool two = i + 1 < n && rand() % 5 == 0;
		p[i] = two ? (char)0xc3 : "abcABZ,"[rand() % 7];
		if (two)
			p[i + 1] = (char)(0xa0 + rand() % 16);
		i += two ? 2 : 1;
	}
	return points;
}

static const char *
plain_find(const char *p, size_t n, const char *x, size_t m)
{
	for (size_t i = 0; i + m <= n; i++)
		if (memcmp(p + i, x, m) == 0)
			return p + i;
	return NULL;
}

static bool
finds(const char *p, size_t n)
{
	char *x = malloc(LONGEST);
	bool right = true;

	for (size_t m = 1; m <= n && m < 24; m++) {
		memcpy(x, p + (size_t)rand() % (n - m + 1), m);
		if (rand() % 3 == 0)
			x[m - 1] = '-';
		right &= vt_find(p, n, x, m) == plain_find(p, n, x, m);
	}
	right &= vt_find_byte(p, n, ',') == memchr(p, ',', n);
	free(x);
	return right;
}

static bool
copies(const char *p, size_t n)
{
	char to[LONGEST + VT_OVER], want[LONGEST], block[VT_BLOCK];
	vt_bytemap m = vt_bytemap_of('a', 26, 0x20);
	bool right;

	vt_copy_over(to, p, n);
	right = memcmp(to, p, n) == 0;
	for (size_t i = 0; i < n; i++)
		want[i] = (char)(p[i] ^ (p[i] >= 'a' && p[i] <= 'z' ? 0x20 : 0));
	vt_map_over(to, p, n, &m, 1);
	right &= memcmp(to, want, n) == 0;
	if (n < VT_BLOCK)
		return right;
	vt_block_until(block, p, 5, '!');
	return right && memcmp(block, p, 5) == 0 && block[5] == '!' && block[15] == '!';
}

/* A string whose room ends with its word, at the end of the page: its bytes are p's, all but one. */
static const vt_str *
string_of(char *end, const char *p, uint32_t n, uint32_t other)
{
	vt_str *s = (vt_str *)(void *)(end - sizeof(vt_str) - ((n + 8) & ~7u));

	memset(s, '~', (size_t)(end - (char *)s));
	s->bytes = n;
	memcpy(s->s, p, n);
	s->s[n] = '\0';
	if (other < n)
		s->s[other] ^= 1;
	return s;
}

/* Strings are the same where all their bytes are, whatever lies behind these. */
static bool
tells_apart(char *end, char *beside)
{
	char text[LONGEST];
	bool right = true;

	(void)fill(text, sizeof text);
	for (uint32_t n = 0; n < 48; n++) {
		const vt_str *a = string_of(end, text, n, n), *b = string_of(beside, text, n, n);
		((char *)(uintptr_t)b->s)[n] = (char)(n + 1); /* no NUL: nobody asks */
		right &= vt_same_text(a, b) && vt_same_text(a, a);
		for (uint32_t i = 0; i < n; i++)
			right &= !vt_same_text(a, string_of(beside, text, n, i));
		right &= !vt_same_text(a, string_of(beside, text, n + 1, n + 1));
	}
	return right;
}

int
main(void)
{
	char *end = last_bytes();
	bool counts = true, found = true, copied = true, cased = true;
	char *to = malloc(LONGEST * VT_CASE_GROWTH + VT_CASE_ROOM);

	srand(5);
	for (size_t n = 0; n <= LONGEST; n++)
		for (int k = 0; k < EACH; k++) {
			char *p = end - (n > 0 ? n : 1); /* of none there is the NUL */
			uint32_t points = fill(p, n);
			counts &= vt_points(p, n) == points;
			found &= finds(p, n);
			copied &= copies(p, n);
			cased &= vt_change_case(k & 1, p, n, to) == to + n;
		}
	ok(tells_apart(end, last_bytes()), "strings are compared by their own bytes alone");
	ok(counts, "code points are counted to the last byte of a page");
	ok(found, "texts and bytes are found there");
	ok(copied, "they are copied, and mapped");
	ok(cased, "and their letters changed");
	free(to);
	printf("1..%d\n", tests);
	return failures != 0;
}
