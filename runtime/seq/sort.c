/*
 * sort.c - the order of rows by columns, without comparisons.
 *
 * Each key becomes a word that sorts as the key does: an integer with its sign turned, a float and
 * integers beside floats by the bits of a double, a text by the eight bytes behind what all texts
 * begin with.  Of these words only the bits count that are
 * not the same everywhere; those of all columns and, below them, the row's number are packed into
 * one word a row, and a radix sort takes care of these.  A thousand names that end in a number are
 * a dozen bits.
 */
#include "runtime/seq/seq.h"

#include "runtime/core/blocks.h"
#include "runtime/core/heap.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"

#include <stdlib.h>

enum { DIGIT = 11, SMALL = 32, MOST_RUNS = 8 };

typedef struct key {
	vt_value *v; /* the keys; later their words */
	enum { INTS, REALS, TEXTS } are;
	bool exact;
	uint32_t skip;   /* bytes that all texts begin with */
	uint64_t varies; /* bits of the words that differ, and those below them in their byte */
	uint32_t bits;   /* how many those are */
} key;

/* ---- words ------------------------------------------------------------------------------- */

static uint64_t
big_endian(const char *p)
{
	return __builtin_bswap64(vt_load8(p));
}

/* The eight bytes from `skip` on, zeros where the text ends. */
static inline uint64_t
window(const vt_str *s, uint32_t skip)
{
	uint32_t n = s->bytes - skip;
	uint64_t w = 0;

	if (n >= 8)
		return big_endian(s->s + skip);
	if (n == 0)
		return 0;
	if (s->bytes >= 8)
		return big_endian(s->s + s->bytes - 8) << (64 - 8 * n);
	for (uint32_t i = 0; i < n; i++)
		w |= (uint64_t)(unsigned char)s->s[skip + i] << (56 - 8 * i);
	return w;
}

/* How much of the first `most` bytes two texts share. */
static uint32_t
shared(const vt_str *a, const vt_str *b, uint32_t most)
{
	uint32_t i = 0;

	if (most > b->bytes)
		most = b->bytes;
	for (; i + 8 <= most; i += 8) {
		uint64_t d = vt_load8(a->s + i) ^ vt_load8(b->s + i);
		if (d != 0)
			return i + (uint32_t)__builtin_ctzll(d) / 8;
	}
	while (i < most && a->s[i] == b->s[i])
		i++;
	return i;
}

/* A number that is one of the doubles, and compares as that does. */
static inline bool
is_real(vt_value v)
{
	int64_t most = INT64_C(1) << 52;

	if (vt_is_float_word(v))
		return true;
	if (vt_is_int(v))
		return vt_toint(v) < most && vt_toint(v) > -most;
	return vt_is(v, FLOAT) && vt_float_of(v) == vt_float_of(v);
}

/* All of one kind? */
static bool
is_uniform(key *k, uint32_t n)
{
	uint32_t i = 0;

	k->are = vt_is(k->v[0], STR) ? TEXTS : INTS;
	if (k->are == TEXTS)
		while (i < n && vt_is(k->v[i], STR))
			i++;
	else
		while (i < n && vt_is_int(k->v[i]))
			i++;
	if (i < n && k->are == INTS) {
		k->are = REALS;
		for (i = 0; i < n && is_real(k->v[i]);)
			i++;
	}
	return i == n;
}

/* Both zeros are one. */
static inline uint64_t
word_of_real(vt_value v)
{
	double d = vt_is_int(v) ? (double)vt_toint(v) : vt_float_of(v) + 0.0;
	uint64_t w;

	memcpy(&w, &d, sizeof w);
	return w ^ (w >> 63 ? ~UINT64_C(0) : UINT64_C(1) << 63);
}

static bool
has_zero(uint64_t w, uint32_t bytes)
{
	uint64_t z = vt_zero_bytes(w);

	if (bytes == 0)
		return false;
	return (bytes < 8 ? z >> (64 - 8 * bytes) : z) != 0;
}

static void
measure_texts(key *k, uint32_t n)
{
	const vt_str *first = vt_as_str(k->v[0]);
	uint32_t least = first->bytes, most = least;

	k->skip = first->bytes;
	for (uint32_t i = 1; i < n; i++) {
		const vt_str *s = vt_as_str(k->v[i]);
		k->skip = shared(first, s, k->skip);
		least = s->bytes < least ? s->bytes : least;
		most = s->bytes > most ? s->bytes : most;
	}
	k->exact = most - k->skip <= 8;
	/* A text that goes on with zeros looks like one that ends. */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t rest = vt_as_str(k->v[i])->bytes - k->skip;
		k->v[i] = window(vt_as_str(k->v[i]), k->skip);
		if (k->exact && least < most && has_zero(k->v[i], rest))
			k->exact = false;
	}
}

/* In each byte the highest bit that is set, and all below it: so the bits are at most eight runs.
 */
static uint64_t
filled(uint64_t w)
{
	for (uint32_t s = 1; s < 8; s *= 2)
		w |= (w >> s) & VT_EACH_BYTE(0xffu >> s);
	return w;
}

static void
measure(key *k, uint32_t n)
{
	uint64_t first, differ = 0;

	k->exact = true;
	if (k->are == TEXTS)
		measure_texts(k, n);
	for (uint32_t i = 0; k->are != TEXTS && i < n; i++)
		k->v[i] = k->are == INTS ? k->v[i] ^ UINT64_C(1) << 63 : word_of_real(k->v[i]);
	first = k->v[0];
	for (uint32_t i = 1; i < n; i++)
		differ |= k->v[i] ^ first;
	k->varies = filled(differ);
	k->bits = (uint32_t)__builtin_popcountll(k->varies);
}

/* ---- rows -------------------------------------------------------------------------------- */

/* A run of bits of a word and where it goes. */
typedef struct run {
	uint64_t mask;
	int shift; /* to the left; negative: to the right */
} run;

static uint32_t
runs_of(uint64_t varies, uint32_t up, run *r)
{
	uint32_t n = 0, at = up;

	while (varies != 0) {
		uint32_t low = (uint32_t)__builtin_ctzll(varies);
		uint64_t rest = ~(varies >> low);
		uint32_t length = rest == 0 ? 64 : (uint32_t)__builtin_ctzll(rest);
		uint64_t mask = (length == 64 ? ~UINT64_C(0) : (UINT64_C(1) << length) - 1) << low;
		r[n++] = (run){mask, (int)at - (int)low};
		at += length;
		varies &= ~mask;
	}
	return n;
}

/* Adds the key's bits to the rows, the lowest of them at bit `up`; those that come below bit
 * `floor` are left out. */
static void
pack(const key *k, uint32_t n, bool down, int up, uint32_t floor, uint64_t *row)
{
	run r[MOST_RUNS];
	uint32_t nr, cut = up < (int)floor ? floor - (uint32_t)up : 0;
	uint64_t varies = k->varies, turn;

	for (uint32_t i = 0; i < cut; i++)
		varies &= varies - 1;
	nr = runs_of(varies, (uint32_t)up + cut, r);
	turn = down ? varies : 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t w = k->v[i] ^ turn;
		for (uint32_t j = 0; j < nr; j++)
			row[i] |= r[j].shift >= 0 ? (w & r[j].mask) << r[j].shift
						  : (w & r[j].mask) >> -r[j].shift;
	}
}

static void
insertion(uint64_t *row, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		uint64_t w = row[i];
		uint32_t j = i;
		for (; j > 0 && row[j - 1] > w; j--)
			row[j] = row[j - 1];
		row[j] = w;
	}
}

/* By the bits [from, from + digit) of the rows. */
static void
radix_pass(const uint64_t *row, uint64_t *to, uint32_t n, uint32_t from, uint32_t digit,
	uint32_t *count)
{
	uint64_t mask = (UINT64_C(1) << digit) - 1;
	uint32_t sum = 0;

	memset(count, 0, sizeof *count << digit);
	for (uint32_t i = 0; i < n; i++)
		count[row[i] >> from & mask]++;
	for (uint64_t d = 0; d <= mask; d++) {
		uint32_t c = count[d];
		count[d] = sum;
		sum += c;
	}
	for (uint32_t i = 0; i < n; i++)
		to[count[row[i] >> from & mask]++] = row[i];
}

/* The rows begin with the key in `bits` bits above `from`. The result is in row or in spare. */
static uint64_t *
sort_rows(uint64_t *row, uint64_t *spare, uint32_t n, uint32_t from, uint32_t bits)
{
	uint32_t passes = (bits + DIGIT - 1) / DIGIT,
		 digit = passes ? (bits + passes - 1) / passes : 0;
	uint32_t *count;

	if (n <= SMALL) {
		insertion(row, n);
		return row;
	}
	count = vt_xmalloc(sizeof *count << DIGIT);
	for (uint32_t p = 0; p < passes; p++) {
		uint64_t *t = spare;
		uint32_t at = p * digit;
		radix_pass(row, spare, n, from + at, bits - at < digit ? bits - at : digit, count);
		spare = row;
		row = t;
	}
	free(count);
	return row;
}

/* Which columns go into the rows, and whether they tell all there is to tell. */
static uint32_t
plan(key *k, uint32_t m, uint32_t room, uint32_t *used, bool *exact)
{
	uint32_t bits = 0;

	*exact = true;
	for (*used = 0; *used < m && *exact; ++*used) {
		bits += k[*used].bits;
		*exact = k[*used].exact && bits <= room;
	}
	return bits;
}

/* ---- rows that the words were too long for ---- */

/* Does row a stand behind row b, by whole words? */
static bool
is_behind_by_words(const key *k, uint32_t m, uint64_t down, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < m; i++)
		if (k[i].v[a] != k[i].v[b])
			return (k[i].v[a] > k[i].v[b]) != ((down >> i & 1) != 0);
	return false;
}

/* Stable; most often they are in order already. */
static void
sort_group(const key *k, uint32_t m, uint64_t down, uint32_t *order, uint32_t n, uint32_t *spare)
{
	uint32_t half = n / 2, i = 1, j, w = 0;

	while (i < n && !is_behind_by_words(k, m, down, order[i - 1], order[i]))
		i++;
	if (i >= n)
		return;
	sort_group(k, m, down, order, half, spare);
	sort_group(k, m, down, order + half, n - half, spare);
	memcpy(spare, order, half * sizeof *spare);
	for (i = 0, j = half; i < half && j < n;)
		order[w++] = is_behind_by_words(k, m, down, spare[i], order[j]) ? order[j++]
										: spare[i++];
	while (i < half)
		order[w++] = spare[i++];
}

/* The groups that `tied` tells of.  False: words do not say all there is to say. */
static bool
sort_groups(const key *k, uint32_t m, uint64_t down, uint32_t n, uint32_t *order,
	const uint8_t *tied, uint32_t *spare)
{
	for (uint32_t i = 0; i < m; i++)
		if (!k[i].exact)
			return false;
	for (uint32_t i = 1, from; i < n; i++) {
		for (from = i - 1; i < n && tied[i]; i++)
			;
		if (i - from > 1)
			sort_group(k, m, down, order + from, i - from, spare);
	}
	return true;
}

static void
read_order(const uint64_t *row, uint32_t n, uint32_t number, uint32_t *order, const bool *exact,
	uint8_t *tied)
{
	uint64_t mask = (UINT64_C(1) << number) - 1;

	for (uint32_t i = 0; i < n; i++)
		order[i] = (uint32_t)(row[i] & mask);
	for (uint32_t i = 0; !*exact && i < n; i++)
		tied[i] = i > 0 && row[i] >> number == row[i - 1] >> number;
}

/* ---- a few rows ---- */

/* Does row a stand behind row b?  Rows that are alike stay in their order. */
static bool
is_behind(const key *k, uint32_t m, uint64_t down, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < m; i++) {
		vt_value x = k[i].v[a], y = k[i].v[b];
		int order = k[i].are == INTS ? ((int64_t)x > (int64_t)y) - ((int64_t)x < (int64_t)y)
					     : vt_str_cmp(vt_as_str(x), vt_as_str(y));
		if (order != 0)
			return (order > 0) != ((down >> i & 1) != 0);
	}
	return false;
}

/* Words that sort as the keys do.  Where *exact comes out false, keys that have one word may still
 * differ. */
static bool
words_of(uint32_t n, const vt_value *key, uint64_t *word, bool *exact)
{
	bool numbers = vt_is_int(key[0]) || vt_is(key[0], FLOAT);
	uint64_t all = 1;

	*exact = true;
	for (uint32_t i = 0; i < n; i++)
		all &= key[i];
	if (vt_is_int(all)) {
		for (uint32_t i = 0; i < n; i++)
			word[i] = key[i] ^ UINT64_C(1) << 63;
		return true;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (numbers ? !is_real(key[i]) : !vt_is(key[i], STR))
			return false;
		if (numbers) {
			word[i] = word_of_real(key[i]);
		} else {
			const vt_str *s = vt_as_str(key[i]);
			word[i] = __builtin_bswap64(vt_first8(s->s, s->bytes));
			*exact &= s->bytes <= 8 && !has_zero(word[i], s->bytes);
		}
	}
	return true;
}

bool
vt_order_few(uint32_t n, const vt_value *key, bool down, uint8_t *order)
{
	uint64_t word[VT_ORDER_FEW], turn = down ? UINT64_MAX : 0;
	uint8_t behind[VT_ORDER_FEW] = {0}; /* how many stand in front of it */
	bool exact, tie = false;

	if (n < 2 || !words_of(n, key, word, &exact)) {
		order[0] = 0;
		return n < 2;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint64_t w = word[i] ^= turn;
		uint8_t before = 0;
		for (uint32_t j = 0; j < i; j++) {
			bool turned = word[j] > w;
			tie |= word[j] == w;
			behind[j] = (uint8_t)(behind[j] + turned);
			before = (uint8_t)(before + !turned);
		}
		behind[i] = before;
	}
	for (uint32_t i = 0; i < n; i++)
		order[behind[i]] = (uint8_t)i;
	return exact || !tie;
}

/* False: not for such keys. */
static bool
sort_few(uint32_t n, uint32_t m, const key *k, uint64_t down, uint32_t *order)
{
	uint8_t place[VT_ORDER_FEW];

	if (n > VT_ORDER_FEW)
		return false;
	if (m == 1 && vt_order_few(n, k[0].v, down & 1, place)) {
		for (uint32_t i = 0; i < n; i++)
			order[i] = place[i];
		return true;
	}
	for (uint32_t i = 0; i < m; i++)
		if (k[i].are == REALS)
			return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = i;
		for (; j > 0 && is_behind(k, m, down, order[j - 1], i); j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
	return true;
}

bool
vt_sort_columns(vt_rt *rt, uint32_t n, uint32_t m, vt_value *const *column, uint64_t down,
	uint32_t *order, bool *exact, uint8_t *tied)
{
	key k[64];
	uint32_t number = n > 1 ? 32 - (uint32_t)__builtin_clz(n - 1) : 0, bits, used;
	uint64_t *row, *sorted;
	int at;

	for (uint32_t i = 0; i < m; i++) {
		k[i].v = column[i];
		if (n == 0 || !is_uniform(&k[i], n))
			return false;
	}
	*exact = true;
	if (sort_few(n, m, k, down, order))
		return true;
	for (uint32_t i = 0; i < m; i++)
		measure(&k[i], n);
	bits = plan(k, m, 64 - number, &used, exact);
	row = vt_block_new(rt->s->heap, 2 * (size_t)n * sizeof *row);
	for (uint32_t i = 0; i < n; i++)
		row[i] = i;
	at = (int)(bits + number > 64 ? 64 : bits + number);
	for (uint32_t i = 0; i < used; i++) {
		at -= (int)k[i].bits;
		pack(&k[i], n, (down >> i & 1) != 0, at, number, row);
	}
	sorted = sort_rows(row, row + n, n, number, bits + number > 64 ? 64 - number : bits);
	read_order(sorted, n, number, order, exact, tied);
	if (!*exact)
		*exact = sort_groups(k, m, down, n, order, tied, (uint32_t *)(void *)row);
	vt_block_free(row);
	return true;
}
