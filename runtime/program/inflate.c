/*
 * inflate.c - a gzip member (RFC 1952) as the bytes that it stands for (RFC 1951).
 *
 * The page of a binary is kept compressed, for most clients want it so; this is for those that do
 * not say so, such as curl.  It reads what the build made and nothing from outside; all the same no
 * input makes it read or write elsewhere, or more than LIMIT.
 */
#include "runtime/program/serve.h"

#include <string.h>

enum { MAX_BITS = 15, LITERALS = 288, DISTANCES = 32, LIMIT = 16 << 20 };

typedef struct source {
	const unsigned char *p, *end;
	uint32_t held, nheld; /* bits that were read and not used, lowest first */
	bool bad;
	vt_buf *out;
} source;

/* A canonical code: how many codes have each length, and their symbols in order. */
typedef struct huffman {
	uint16_t count[MAX_BITS + 1], symbol[LITERALS];
} huffman;

static uint32_t
bits(source *s, uint32_t n)
{
	uint32_t v;
	for (; s->nheld < n; s->nheld += 8) {
		s->bad |= s->p == s->end;
		s->held |= (s->p < s->end ? (uint32_t)*s->p++ : 0) << s->nheld;
	}
	v = s->held & ((1u << n) - 1);
	s->held >>= n;
	s->nheld -= n;
	return v;
}

static void
make_code(huffman *h, const uint8_t *length, uint32_t n)
{
	uint16_t at[MAX_BITS + 2] = {0};
	memset(h->count, 0, sizeof h->count);
	for (uint32_t i = 0; i < n; i++)
		h->count[length[i]]++;
	h->count[0] = 0;
	for (uint32_t i = 1; i <= MAX_BITS; i++)
		at[i + 1] = (uint16_t)(at[i] + h->count[i]);
	for (uint32_t i = 0; i < n; i++)
		if (length[i] > 0)
			h->symbol[at[length[i]]++] = (uint16_t)i;
}

static uint32_t
symbol(source *s, const huffman *h)
{
	int32_t code = 0, first = 0, index = 0;
	for (uint32_t i = 1; i <= MAX_BITS && !s->bad; i++) {
		code |= (int32_t)bits(s, 1);
		if (code - first < h->count[i])
			return h->symbol[index + code - first];
		index += h->count[i];
		first = (first + h->count[i]) * 2;
		code *= 2;
	}
	s->bad = true;
	return 0;
}

/* What was written `distance` bytes ago, so many bytes of it; they may overlap. */
static void
repeat(source *s, uint32_t length, uint32_t distance)
{
	s->bad |= distance > s->out->n || s->out->n + length > LIMIT;
	for (; length > 0 && !s->bad; length--)
		vt_buf_putc(s->out, s->out->p[s->out->n - distance]);
}

static void
copy_codes(source *s, const huffman *literal, const huffman *distance)
{
	static const uint16_t lengths[] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31,
		35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258},
			      far[] = {1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193,
				      257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193,
				      12289, 16385, 24577};
	while (!s->bad) {
		uint32_t c = symbol(s, literal), length, back;
		if (c == 256)
			return;
		if (c < 256) {
			s->bad |= s->out->n >= LIMIT;
			vt_buf_putc(s->out, (char)c);
			continue;
		}
		c -= 257;
		if (c >= sizeof lengths / sizeof *lengths)
			break;
		length = lengths[c] + (c < 8 || c == 28 ? 0 : bits(s, (c - 4) / 4));
		back = symbol(s, distance);
		if (back >= sizeof far / sizeof *far)
			break;
		repeat(s, length, far[back] + (back < 4 ? 0 : bits(s, (back - 2) / 2)));
	}
	s->bad = true;
}

static void
fixed(source *s)
{
	uint8_t length[LITERALS];
	huffman literal, distance;
	for (uint32_t i = 0; i < LITERALS; i++)
		length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
	make_code(&literal, length, LITERALS);
	memset(length, 5, DISTANCES);
	make_code(&distance, length, DISTANCES);
	copy_codes(s, &literal, &distance);
}

/* The lengths of both codes, which are under a code themselves. */
static void
dynamic(source *s)
{
	static const uint8_t order[] = {
		16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
	uint8_t length[LITERALS + DISTANCES] = {0};
	uint32_t nliteral = bits(s, 5) + 257, n = nliteral + bits(s, 5) + 1, ncode = bits(s, 4) + 4;
	huffman code, distance;
	for (uint32_t i = 0; i < ncode; i++)
		length[order[i]] = (uint8_t)bits(s, 3);
	make_code(&code, length, 19);
	for (uint32_t i = 0; i < n && !s->bad;) {
		uint32_t c = symbol(s, &code), times = 1, what = c;
		if (c >= 16) {
			what = c == 16 && i > 0 ? length[i - 1] : 0;
			times = c == 16   ? 3 + bits(s, 2)
				: c == 17 ? 3 + bits(s, 3)
					  : 11 + bits(s, 7);
		}
		s->bad |= times > n - i || nliteral > LITERALS;
		for (; times > 0 && !s->bad; times--)
			length[i++] = (uint8_t)what;
	}
	if (s->bad)
		return;
	make_code(&code, length, nliteral);
	make_code(&distance, length + nliteral, n - nliteral);
	copy_codes(s, &code, &distance);
}

static void
stored(source *s)
{
	uint32_t n;
	s->held = s->nheld = 0; /* the rest of the byte */
	n = bits(s, 16);
	(void)bits(s, 16); /* the same, inverted */
	for (; n > 0 && !s->bad; n--) {
		s->bad |= s->out->n >= LIMIT;
		vt_buf_putc(s->out, (char)bits(s, 8));
	}
}

bool
vt_inflate(const char *gzip, size_t n, vt_buf *out)
{
	enum { HEADER = 10, TRAILER = 8 };
	source s = {.out = out};
	bool last = false;
	/* as gzip -n writes it: no name, no comment, no extra field */
	if (n < HEADER + TRAILER || memcmp(gzip, "\x1f\x8b\x08\0", 4) != 0)
		return false;
	s.p = (const unsigned char *)gzip + HEADER;
	s.end = (const unsigned char *)gzip + n - TRAILER;
	while (!last && !s.bad) {
		uint32_t kind;
		last = bits(&s, 1);
		kind = bits(&s, 2);
		if (kind == 0)
			stored(&s);
		else if (kind == 1)
			fixed(&s);
		else if (kind == 2)
			dynamic(&s);
		else
			s.bad = true;
	}
	return !s.bad;
}
