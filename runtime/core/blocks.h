/*
 * blocks.h - short texts compared, searched and changed by words and blocks that reach beyond them.
 *
 * How long they are, and what is in them, decides as few branches as can be.
 */
#ifndef VT_BLOCKS_H
#define VT_BLOCKS_H

#include "runtime/core/bytes.h"
#include "runtime/core/value.h"

/* The first eight bytes of a text; a string of the heap has eight to be read. */
static inline uint64_t
vt_word8(const char *p, size_t n)
{
#ifdef __SANITIZE_ADDRESS__
	char word[8] = {0};

	memcpy(word, p, n < 8 ? n : 8);
	return vt_load8(word);
#else
	(void)n;
	return vt_load8(p);
#endif
}

/* 0 where the text has none.  So short ones are compared without a branch that asks how long they
 * are. */
static inline uint64_t
vt_first8(const char *p, size_t n)
{
	unsigned half = 4 * (unsigned)(n < 8 ? n : 8);

	return vt_word8(p, n) & ~(UINT64_MAX << half << half);
}

/* Of two strings of the heap. */
static inline int
vt_same_words(const char *a, size_t n, const char *b, size_t m)
{
	unsigned half = 4 * (unsigned)(n < 8 ? n : 8);
	uint64_t beyond = UINT64_MAX << half << half;
	size_t last = (n - 8) & -(size_t)((n > 8) & (n == m)); /* where the last word begins */
	uint64_t differ = (vt_word8(a, n) ^ vt_word8(b, m)) |
			  (vt_word8(a + last, n - last) ^ vt_word8(b + last, m - last));

	return ((differ & ~beyond) | (n ^ m)) == 0 &&
	       (n <= 16 || vt_same_bytes(a + 8, b + 8, n - 16));
}

/* Of two that are mostly the same where they have one length.  Whether they are one object is
 * nobody's guess, so that is asked of long ones only. */
static inline bool
vt_same_text(const vt_str *a, const vt_str *b)
{
	unsigned beyond = 4 * (8 - a->bytes);

	if (a->bytes != b->bytes)
		return false;
	if (a->bytes > 8)
		return (a->bytes > VT_BLOCK && a == b) || vt_same_bytes(a->s, b->s, a->bytes);
	return (vt_word8(a->s, a->bytes) ^ vt_word8(b->s, b->bytes)) << beyond << beyond == 0;
}

/* memchr() for texts that are mostly short. */
static inline const char *
vt_find_byte(const char *p, size_t n, char c)
{
	for (; vt_may_overread(p, VT_OVER); p += VT_OVER, n -= VT_OVER) {
		uint32_t marks =
			~(vt_marks16_not(p, c) | vt_marks16_not(p + VT_BLOCK, c) << VT_BLOCK);
		if (n < VT_OVER)
			marks &= ((uint32_t)1 << n) - 1;
		if (marks != 0)
			return p + __builtin_ctz(marks);
		if (n <= VT_OVER)
			return NULL;
	}
	return (const char *)memchr(p, c, n);
}

#ifdef __SSE2__

/* A change of single bytes: `n` of them, from one on, by xor.  Moved to the lower end of the signed
 * bytes these are the ones below a limit. */
typedef __m128i vt_vec;
typedef struct vt_bytemap {
	vt_vec first, limit, flip;
} vt_bytemap;

static inline vt_bytemap
vt_bytemap_of(char from, int n, char flip)
{
	return (vt_bytemap){_mm_set1_epi8((char)(from + 128)), _mm_set1_epi8((char)(-128 + n)),
		_mm_set1_epi8(flip)};
}

static inline vt_vec
vt_vec_load(const char *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline void
vt_vec_store(char *p, vt_vec v)
{
	_mm_storeu_si128((__m128i *)(void *)p, v);
}

static inline vt_vec
vt_vec_map(vt_vec v, const vt_bytemap *m)
{
	vt_vec hit = _mm_cmplt_epi8(_mm_sub_epi8(v, m->first), m->limit);

	return _mm_xor_si128(v, _mm_and_si128(hit, m->flip));
}

/* The first n of the sixteen bytes at p, and `past` behind them. */
static inline void
vt_block_until(char *to, const char *p, uint32_t n, int past)
{
	const __m128i at = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p),
		in = _mm_cmpgt_epi8(_mm_set1_epi8((char)n), at);

	_mm_storeu_si128(
		(__m128i *)(void *)to, _mm_or_si128(_mm_and_si128(in, v),
					       _mm_andnot_si128(in, _mm_set1_epi8((char)past))));
}

#else

typedef struct vt_vec {
	char b[VT_BLOCK];
} vt_vec;
typedef struct vt_bytemap {
	char from, flip;
	int n;
} vt_bytemap;

static inline vt_bytemap
vt_bytemap_of(char from, int n, char flip)
{
	return (vt_bytemap){from, flip, n};
}

static inline vt_vec
vt_vec_load(const char *p)
{
	vt_vec v;

	memcpy(&v, p, sizeof v);
	return v;
}

static inline void
vt_vec_store(char *p, vt_vec v)
{
	memcpy(p, &v, sizeof v);
}

static inline vt_vec
vt_vec_map(vt_vec v, const vt_bytemap *m)
{
	for (int i = 0; i < VT_BLOCK; i++)
		if ((unsigned char)(v.b[i] - m->from) < m->n)
			v.b[i] = (char)(v.b[i] ^ m->flip);
	return v;
}

static inline void
vt_block_until(char *to, const char *p, uint32_t n, int past)
{
	for (uint32_t i = 0; i < VT_BLOCK; i++)
		to[i] = i < n ? p[i] : (char)past;
}

#endif

static inline __attribute__((always_inline)) void
vt_map16(char *to, const char *from, const vt_bytemap *m, uint32_t k)
{
	vt_vec v = vt_vec_load(from);

	for (uint32_t i = 0; i < k; i++)
		v = vt_vec_map(v, &m[i]);
	vt_vec_store(to, v);
}

static inline __attribute__((always_inline)) void
vt_map_blocks(char *to, const char *p, size_t n, const vt_bytemap *m, uint32_t k)
{
	for (size_t i = 0; i + VT_BLOCK < n; i += VT_BLOCK)
		vt_map16(to + i, p + i, m, k);
	vt_map16(to + n - VT_BLOCK, p + n - VT_BLOCK, m, k);
}

/* n bytes through k maps; nothing is written behind them.  The last block overlaps the one before.
 */
static inline void
vt_map_bytes(char *to, const char *p, size_t n, const vt_bytemap *m, uint32_t k)
{
	char block[VT_BLOCK] = {0};

	if (n < VT_BLOCK) {
		vt_copy_short(block, p, n);
		vt_map16(block, block, m, k);
		vt_copy_short(to, block, n);
	} else if (k == 1) {
		vt_map_blocks(to, p, n, m, 1);
	} else if (k == 2) {
		vt_map_blocks(to, p, n, m, 2);
	} else {
		vt_map_blocks(to, p, n, m, k);
	}
}

/* The same to where n + VT_OVER have room. */
static inline void
vt_map_over(char *to, const char *p, size_t n, const vt_bytemap *m, uint32_t k)
{
	if (n <= VT_OVER && vt_may_overread(p, VT_OVER)) {
		vt_map16(to, p, m, k);
		vt_map16(to + VT_BLOCK, p + VT_BLOCK, m, k);
	} else {
		vt_map_bytes(to, p, n, m, k);
	}
}

#endif
