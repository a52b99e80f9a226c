/*
 * Runs a fuzz target without libFuzzer: DRIVER SECONDS CRASHFILE SEED...
 * Seeds, then changes of them one upon the other, until the time is over.  Each input is written to
 * CRASHFILE before it is tried, so that a crash leaves it there.  With libFuzzer instead: clang
 * -fsanitize=fuzzer,address.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MAX_INPUT = 1 << 16 };
static uint8_t text[MAX_INPUT];
static uint64_t state = 88172645463325252u;

static uint32_t
dice(size_t sides)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state % (sides ? sides : 1));
}

/* One change: a byte, a piece taken out, doubled or moved, or a piece of syntax put in. */
static size_t
mutate(size_t n)
{
	static const char *const bits[] = {"$", "(", ")", "[", "]", "{", "}", ".", ":", "- ", "=> ",
		"\"", "'", "\n", "  ", "*a", "&a ", "!yaql ", "!!int ", "0", "-1", "1e999", "null",
		"\xc3\xa9", "\xff", "\\u", "%1", "L2", "@\"x\""};
	size_t from = dice(n), k = 1 + dice(n - from < 16 ? n - from : 16);
	const char *bit = bits[dice(sizeof bits / sizeof *bits)];

	if (k > n - from)
		k = n - from;
	switch (dice(4)) {
	case 0:
		if (n)
			text[from] = (uint8_t)dice(256);
		return n;
	case 1: memmove(text + from, text + from + k, n - from - k); return n - k;
	case 2:
		if (n + k > MAX_INPUT)
			return n;
		memmove(text + from + k, text + from, n - from);
		return n + k;
	}
	k = strlen(bit);
	if (n + k > MAX_INPUT)
		return n;
	memmove(text + from + k, text + from, n - from);
	memcpy(text + from, bit, k);
	return n + k;
}

static void
try(const char *crash, size_t n)
{
	FILE *f = fopen(crash, "wb");

	if (f) {
		fwrite(text, 1, n, f);
		fclose(f);
	}
	LLVMFuzzerTestOneInput(text, n);
}

int
main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);
	unsigned long runs = 0;

	if (argc < 4)
		return 2;
	do
		for (int i = 3; i < argc; i++) {
			FILE *f = fopen(argv[i], "rb");
			size_t n = f ? fread(text, 1, MAX_INPUT / 2, f) : 0;
			if (f)
				fclose(f);
			for (int k = 0; k < 40; k++, runs++) {
				try(argv[2], n);
				n = mutate(n);
			}
		}
	while (time(NULL) < end);
	remove(argv[2]);
	printf("%lu inputs\n", runs);
	return 0;
}
