/*
 * Fuzz target: any bytes are an expression in every dialect or an error with a place inside the text.
 * The first byte chooses the dialect.  With libFuzzer: clang -fsanitize=fuzzer,address -DLIBFUZZER.  Else a
 * program, SEEDS [RUNS]: each line of the file SEEDS, and RUNS changes of it one upon the other.
 */
#include "vc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	vc_buf b = { NULL, 0, 0 };
	yq_error err;
	vc *c = vc_new();
	yq_node *tree = n ? yq_parse(c, (const char *)data + 1, n - 1, data[0] & 7, &err) : NULL;

	if (tree)
		yq_dump(&b, tree);
	else if (n && (err.at > n - 1 || !err.message || !*err.message))
		abort();
	if (n)
		yq_tokens(c, &b, (const char *)data + 1, n - 1, data[0] & 7);
	vc_buf_free(&b);
	vc_free(c);
	return 0;
}

#ifndef LIBFUZZER
static uint64_t state = 88172645463325252u;

static uint32_t
dice(size_t sides)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state % sides);
}

/* One change: a byte, a hole, a repeated piece or two lines crossed. */
static size_t
mutate(uint8_t *p, size_t n, size_t cap)
{
	static const char bytes[] = "$.[](){},=>+-*/<!~?:'\"`\\ \n09az_\x80\xc3\xff";
	size_t from = dice(n), k = 1 + dice(n - from);

	switch (dice(4)) {
	case 0:
		p[from] = (uint8_t)bytes[dice(sizeof bytes - 1)];
		return n;
	case 1:
		memmove(p + from, p + from + k, n - from - k);
		return n - k ? n - k : n;
	case 2:
		if (n + k > cap)
			return n;
		memmove(p + from + k, p + from, n - from);
		return n + k;
	}
	memmove(p + dice(n - k + 1), p + from, k);
	return n;
}

int
main(int argc, char **argv)
{
	static uint8_t text[65536];
	char *line = NULL;
	size_t cap = 0;
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
	int runs = argc > 2 ? atoi(argv[2]) : 100;
	ssize_t len;

	if (!f)
		return 2;
	while ((len = getline(&line, &cap, f)) > 0 && (size_t)len < sizeof text) {
		size_t n = (size_t)len;
		memcpy(text, line, n);
		for (int i = 0; i < runs; i++) {
			LLVMFuzzerTestOneInput(text, n);
			text[0] = (uint8_t)i;
			n = mutate(text, n, sizeof text);
		}
	}
	free(line);
	fclose(f);
	return 0;
}
#endif
