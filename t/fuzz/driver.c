/*
 * Runs a fuzz target without libFuzzer: DRIVER SECONDS CRASHFILE SEED...
 * A seed is a file; of one whose name ends in .txt every line is one.  @FILE is a dictionary in
 * libFuzzer's form: a piece of syntax a line, in quotes.  Seeds, then changes of them one upon the
 * other and joints of two, until the time is over.  Each input is written to CRASHFILE before it is
 * tried, so that a crash or an input that takes longer than SLOW seconds leaves it there.  DRIVER
 * -1 CRASHFILE runs one input; t/fuzz/smoke.sh makes a crash smaller with it.
 *
 * FUZZ_SEED chooses another course than the usual one.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
/* What structure.c brings to some targets. */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(
	uint8_t *data, size_t n, size_t max, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);

enum { MAX_INPUT = 1 << 16, MAX_SEEDS = 8192, MAX_WORDS = 512, CHANGES = 40, SLOW = 60 };
typedef struct piece {
	uint8_t *p;
	size_t n;
} piece;
static piece seeds[MAX_SEEDS], words[MAX_WORDS];
static size_t nseeds, nwords;
static uint8_t text[MAX_INPUT];
static uint64_t state = 88172645463325252u;
static FILE *crash;

static uint32_t
dice(size_t sides)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state % (sides ? sides : 1));
}

/* ---- seeds and words ---- */

static piece
keep(const uint8_t *p, size_t n)
{
	piece k = {malloc(n + 1), n};

	if (!k.p)
		exit(2);
	memcpy(k.p, p, n);
	return k;
}

static void
add_seed(const uint8_t *p, size_t n)
{
	if (nseeds < MAX_SEEDS)
		seeds[nseeds++] = keep(p, n < MAX_INPUT / 2 ? n : MAX_INPUT / 2);
}

/* A line of a dictionary without its quotes: \\, \" and \xHH. */
static size_t
unescape(char *s)
{
	char *o = s, *p = s + 1;

	while (*p && *p != '"') {
		if (*p != '\\' || !p[1]) {
			*o++ = *p++;
			continue;
		}
		if (p[1] == 'x' && p[2] && p[3]) {
			char hex[3] = {p[2], p[3], 0};
			*o++ = (char)strtol(hex, NULL, 16);
			p += 4;
			continue;
		}
		*o++ = p[1];
		p += 2;
	}
	return (size_t)(o - s);
}

static void
read_lines(const char *name, int is_words)
{
	FILE *f = fopen(name, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	while (f && (n = getline(&line, &room, f)) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (is_words && nwords < MAX_WORDS && *line == '"') {
			size_t k = unescape(line);
			words[nwords++] = keep((uint8_t *)line, k);
		} else if (!is_words) {
			add_seed((uint8_t *)line, strlen(line));
		}
	}
	free(line);
	if (f)
		fclose(f);
}

static void
read_seed(const char *name)
{
	size_t len = strlen(name);
	FILE *f;

	if (*name == '@') {
		read_lines(name + 1, 1);
		return;
	}
	if (len > 4 && !strcmp(name + len - 4, ".txt")) {
		read_lines(name, 0);
		return;
	}
	f = fopen(name, "rb");
	if (f) {
		add_seed(text, fread(text, 1, MAX_INPUT / 2, f));
		fclose(f);
	}
}

/* ---- changes ---- */

static size_t
insert(size_t n, size_t at, const uint8_t *p, size_t k)
{
	if (n + k > MAX_INPUT)
		return n;
	memmove(text + at + k, text + at, n - at);
	memcpy(text + at, p, k);
	return n + k;
}

static size_t
insert_word(size_t n, size_t at)
{
	static const char *const bits[] = {"$", "(", ")", "[", "]", "{", "}", ".", ":", "- ", "=> ",
		"\"", "'", "\n", "  ", "*a", "&a ", "!yaql ", "!!int ", "0", "-1", "1e999", "null",
		"\xc3\xa9", "\xff", "\\u", "%1", "L2", "@\"x\"", "\xf0\x9f\x98\x80",
		"18446744073709551616", "\t", "\\"};
	uint32_t i = dice(nwords + (nwords ? 8 : sizeof bits / sizeof *bits));
	const char *bit;

	if (i < nwords)
		return insert(n, at, words[i].p, words[i].n);
	bit = bits[dice(sizeof bits / sizeof *bits)];
	return insert(n, at, (const uint8_t *)bit, strlen(bit));
}

/* A piece of another seed, put in or in place of the rest. */
static size_t
splice(size_t n, size_t at)
{
	const piece *s = &seeds[dice(nseeds)];
	size_t from = dice(s->n), k = dice(s->n - from + 1);

	if (dice(3) == 0)
		n = at;
	return insert(n, at, s->p + from, k);
}

/* A byte, a piece taken out, doubled or moved, syntax put in, a piece of a seed. */
static size_t
mutate(size_t n)
{
	size_t from = dice(n + 1), k = 1 + dice(n - from < 16 ? n - from : 16);
	uint8_t copy[16];

	if (k > n - from)
		k = n - from;
	switch (dice(6)) {
	case 0:
		if (from < n)
			text[from] =
				dice(2) ? (uint8_t)dice(256) : text[from] ^ (uint8_t)(1 << dice(8));
		return n;
	case 1: memmove(text + from, text + from + k, n - from - k); return n - k;
	case 2: memcpy(copy, text + from, k); return insert(n, dice(n + 1), copy, k);
	case 3: return splice(n, from);
	}
	return insert_word(n, from);
}

/* A change of bytes for who is not the text; whether it is or not, that holds what comes of it. */
size_t
LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max)
{
	if (data != text)
		memcpy(text, data, n);
	n = mutate(n);
	n = n < max ? n : max;
	if (data != text)
		memcpy(data, text, n);
	return n;
}

static size_t
change(size_t n)
{
	if (LLVMFuzzerCustomMutator && dice(4))
		return LLVMFuzzerCustomMutator(text, n, MAX_INPUT, dice(1u << 31));
	return mutate(n);
}

/* ---- running ---- */

/* The file is opened once: its writes are most of the time a small input takes. */
static void
try(size_t n)
{
	if (crash) {
		rewind(crash);
		fwrite(text, 1, n, crash);
		fflush(crash);
		if (ftruncate(fileno(crash), (off_t)n) != 0)
			exit(2);
	}
	alarm(SLOW);
	LLVMFuzzerTestOneInput(text, n);
	alarm(0);
}

static int
run_one(const char *name)
{
	FILE *f = fopen(name, "rb");
	size_t n;

	if (!f)
		return 2;
	n = fread(text, 1, MAX_INPUT, f);
	fclose(f);
	try(n);
	return 0;
}

int
main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);
	const char *course = getenv("FUZZ_SEED");
	unsigned long runs = 0;

	if (argc == 3 && !strcmp(argv[1], "-1"))
		return run_one(argv[2]);
	if (argc < 4)
		return 2;
	for (int i = 3; i < argc; i++)
		read_seed(argv[i]);
	if (nseeds == 0)
		add_seed((const uint8_t *)"", 0);
	if (course)
		state += strtoull(course, NULL, 0) * 2654435761u;
	crash = fopen(argv[2], "wb");
	for (size_t i = 0; time(NULL) < end; i = (i + 1) % nseeds) {
		size_t n = seeds[i].n;
		memcpy(text, seeds[i].p, n);
		for (int k = 0; k < CHANGES; k++, runs++) {
			try(n);
			n = change(n);
		}
	}
	if (crash)
		fclose(crash);
	remove(argv[2]);
	printf("%lu inputs of %zu seeds\n", runs, nseeds);
	return 0;
}
