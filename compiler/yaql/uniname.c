/*
 * uniname.c - names of Unicode characters: what \N{NAME} in a string stands for.
 *
 * The tables are made of Debian's unicode-data while vetro is built; lua/build/uninames.lua
 * documents their layout.  With Unicode 15 they take 263 kB: the words 70 kB, 35,296 names and
 * aliases 188 kB.  A lookup is a binary search for each word, one for the block, and a walk over
 * at most 32 names.
 *
 * As in Python, case does not matter, aliases are names, and named sequences are not, because a
 * literal names one character.  Ideographs and Hangul syllables have names that are computed
 * (Unicode 15, 4.8 and 3.12).
 */
#include "compiler/yaql/int.h"
#include "uninames.h"

#include <string.h>

/* A name in capital letters, cut into the numbers of its words. */
typedef struct numbers {
	uint16_t v[MOST_WORDS + 1];
	uint32_t n;
} numbers;

/* ---- words ---- */

static bool
find_word(const char *s, size_t n, uint16_t *number)
{
	uint32_t lo, hi, first;

	if (n > LONGEST_WORD)
		return false;
	first = lengths[n].number;
	for (lo = first, hi = lengths[n + 1].number; lo < hi;) {
		uint32_t mid = lo + (hi - lo) / 2;
		int order = memcmp(s, words + lengths[n].at + (mid - first) * n, n);
		if (order == 0) {
			*number = (uint16_t)mid;
			return true;
		}
		if (order < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return false;
}

/* The length of the word at p: it ends in front of a space and behind a hyphen. */
static size_t
word_length(const char *p, const char *end)
{
	const char *from = p;

	while (p < end && *p != ' ')
		if (*p++ == '-')
			break;
	return (size_t)(p - from);
}

static bool
split(const char *p, size_t n, numbers *out)
{
	const char *end = p + n;

	for (out->n = 0; out->n < MOST_WORDS;) {
		size_t len = word_length(p, end);
		if (!find_word(p, len, &out->v[out->n++]))
			return false;
		p += len;
		if (len > 0 && p[-1] == '-')
			continue;
		if (p == end)
			return true;
		p++;
	}
	return false;
}

/* ---- names ---- */

/* The name at p in *x, which held the one before it. */
static const unsigned char *
next_name(const unsigned char *p, numbers *x, uint32_t *cp)
{
	uint32_t shared = *p >> 4, difference = 0, shift = 0;

	x->n = shared + (*p++ & 15);
	for (uint32_t i = shared; i < x->n; i++, p += 2)
		x->v[i] = (uint16_t)(p[0] << 8 | p[1]);
	do {
		difference |= (uint32_t)(*p & 0x7f) << shift;
		shift += 7;
	} while (*p++ & 0x80);
	*cp = difference & 1 ? *cp - (difference >> 1) : *cp + (difference >> 1);
	return p;
}

static int
compare(const numbers *a, const numbers *b)
{
	for (uint32_t i = 0; i < a->n && i < b->n; i++)
		if (a->v[i] != b->v[i])
			return a->v[i] < b->v[i] ? -1 : 1;
	return a->n < b->n ? -1 : a->n > b->n;
}

/* The last block that begins with no later name; 0 when there is none. */
static uint32_t
find_block(const numbers *want)
{
	uint32_t lo = 0, hi = NBLOCKS;

	while (lo + 1 < hi) {
		uint32_t mid = lo + (hi - lo) / 2, cp = 0;
		numbers have;
		(void)next_name(names + blocks[mid], &have, &cp);
		if (compare(&have, want) <= 0)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static bool
find_name(const numbers *want, uint32_t *out)
{
	uint32_t block = find_block(want), cp = 0;
	const unsigned char *p = names + blocks[block];
	numbers have;

	for (uint32_t i = block * BLOCK; i < NAMES && i < (block + 1) * BLOCK; i++) {
		int order;
		p = next_name(p, &have, &cp);
		order = compare(&have, want);
		if (order == 0)
			*out = cp;
		if (order >= 0)
			return order == 0;
	}
	return false;
}

/* ---- names that are computed ---- */

static bool
read_number(const char *p, size_t n, uint32_t *out)
{
	*out = 0;
	for (size_t i = 0; i < n; i++) {
		bool digit = p[i] >= '0' && p[i] <= '9';
		if (!digit && !(p[i] >= 'A' && p[i] <= 'F'))
			return false;
		*out = *out << 4 | (uint32_t)(digit ? p[i] - '0' : p[i] - 'A' + 10);
	}
	return n == 4 || n == 5;
}

static bool
ideograph(const char *name, size_t n, uint32_t *cp)
{
	for (size_t i = 0; i < VC_LEN(ranges); i++) {
		size_t skip = ranges[i].n;
		if (n > skip && memcmp(name, ranges[i].prefix, skip) == 0 &&
			read_number(name + skip, n - skip, cp) && *cp >= ranges[i].from &&
			*cp <= ranges[i].to)
			return true;
	}
	return false;
}

/* The longest of the sounds that the text begins with; -1: none. The text ends with a NUL. */
static int
sound(const char **p, const char (*of)[4], int n)
{
	size_t longest = 0;
	int found = -1;

	for (int i = 0; i < n; i++) {
		size_t len = strlen(of[i]);
		if ((found < 0 || len > longest) && strncmp(*p, of[i], len) == 0) {
			found = i;
			longest = len;
		}
	}
	*p += longest;
	return found;
}

/* A syllable is named by the sounds of its letters. */
static bool
hangul(const char *name, size_t n, uint32_t *cp)
{
	static const char prefix[] = "HANGUL SYLLABLE ";
	static const char leading[19][4] = {"G", "GG", "N", "D", "DD", "R", "M", "B", "BB", "S",
		"SS", "", "J", "JJ", "C", "K", "T", "P", "H"};
	static const char vowels[21][4] = {"A", "AE", "YA", "YAE", "EO", "E", "YEO", "YE", "O",
		"WA", "WAE", "OE", "YO", "U", "WEO", "WE", "WI", "YU", "EU", "YI", "I"};
	static const char trailing[28][4] = {"", "G", "GG", "GS", "N", "NJ", "NH", "D", "L", "LG",
		"LM", "LB", "LS", "LT", "LP", "LH", "M", "B", "BS", "S", "SS", "NG", "J", "C", "K",
		"T", "P", "H"};
	const char *p = name + sizeof prefix - 1;
	int l, v, t;

	if (strncmp(name, prefix, sizeof prefix - 1) != 0)
		return false;
	l = sound(&p, leading, 19);
	v = sound(&p, vowels, 21);
	t = sound(&p, trailing, 28);
	*cp = 0xac00 + (uint32_t)((l * 21 + v) * 28 + t);
	return l >= 0 && v >= 0 && t >= 0 && p == name + n;
}

bool
yq_uniname(const char *name, size_t n, uint32_t *cp)
{
	char upper[LONGEST + 1];
	numbers want;

	if (n > LONGEST)
		return false;
	for (size_t i = 0; i < n; i++)
		upper[i] = (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 32 : name[i]);
	upper[n] = '\0';
	return (split(upper, n, &want) && find_name(&want, cp)) || ideograph(upper, n, cp) ||
	       hangul(upper, n, cp);
}
