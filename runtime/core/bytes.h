/*
 * bytes.h - sixteen bytes of text at a time, for the JSON reader and writer and for UTF-8.
 *
 * SSE2 is part of every x86-64; elsewhere two words do the same.  Bit i of a mask speaks of byte i.
 */
#ifndef VT_BYTES_H
#define VT_BYTES_H

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { VT_BLOCK = 16 };

typedef struct vt_marks {
	uint32_t stop; /* a quote, a backslash, or a control character */
	uint32_t high; /* not ASCII */
} vt_marks;

/* The start of the code point that ends at p. */
static inline const char *
vt_utf8_before(const char *p)
{
	do
		p--;
	while (((unsigned char)*p & 0xc0) == 0x80);
	return p;
}

/* The words whose lowest byte is the first of the text. */
static inline uint32_t
vt_load4(const char *p)
{
	uint32_t w;

	memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap32(w);
#endif
	return w;
}

static inline uint64_t
vt_load8(const char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

static inline void
vt_store8(char *p, uint64_t w)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	memcpy(p, &w, sizeof w);
}

/* memcpy() of what is mostly short, where calling it costs more than the bytes do. */
static inline void
vt_copy_short(char *to, const char *from, size_t n)
{
	uint64_t a, b;
	uint32_t c, d;

	if (n > 32) {
		memcpy(to, from, n);
	} else if (n > 16) {
		memcpy(to, from, 16);
		memcpy(to + n - 16, from + n - 16, 16);
	} else if (n >= 8) {
		memcpy(&a, from, 8);
		memcpy(&b, from + n - 8, 8);
		memcpy(to, &a, 8);
		memcpy(to + n - 8, &b, 8);
	} else if (n >= 4) {
		memcpy(&c, from, 4);
		memcpy(&d, from + n - 4, 4);
		memcpy(to, &c, 4);
		memcpy(to + n - 4, &d, 4);
	} else if (n > 0) {
		to[0] = from[0];
		to[n / 2] = from[n / 2];
		to[n - 1] = from[n - 1];
	}
}

/* The same for no more than some hundred bytes: a function that has it in line calls nothing. */
static inline void
vt_copy_near(char *to, const char *from, size_t n)
{
	size_t i = 0;

	for (; i + 32 < n; i += 16)
		memcpy(to + i, from + i, 16);
	vt_copy_short(to + i, from + i, n - i > 32 ? 32 : n - i);
}

/*
 * How long a text is, nobody can foretell, and each branch that hangs on it costs more than copying
 * 32 bytes.  So short texts are read and written in two blocks, whatever they have: what is written
 * behind them has room, what is read there lies in the same page and is not looked at.
 */
enum { VT_OVER = 2 * VT_BLOCK, VT_PAGE = 4096 };

/* May n bytes be read at p, where one is: a text's first, or the NUL of one that has none? */
static inline int
vt_may_overread(const char *p, size_t n)
{
#ifdef __SANITIZE_ADDRESS__
	(void)p;
	(void)n;
	return 0;
#else
	return ((uintptr_t)p & (VT_PAGE - 1)) + n <= VT_PAGE;
#endif
}

/* n bytes to where n + VT_OVER have room. */
static inline void
vt_copy_over(char *to, const char *from, size_t n)
{
	if (n <= VT_OVER && vt_may_overread(from, VT_OVER)) {
		memcpy(to, from, VT_BLOCK);
		memcpy(to + VT_BLOCK, from + VT_BLOCK, VT_BLOCK);
	} else {
		memcpy(to, from, n);
	}
}

#define VT_EACH_BYTE(x) (UINT64_C(0x0101010101010101) * (x))

/* n bytes and a NUL into a string of the heap, whose room ends at a word. */
static inline void
vt_fill_string(char *to, const char *from, size_t n)
{
	if (n <= 2 * VT_OVER && vt_may_overread(from, n + 8)) {
		for (size_t i = 0; i <= n; i += 8)
			memcpy(to + i, from + i, 8);
	} else {
		memcpy(to, from, n);
	}
	to[n] = '\0';
}

/* How many of eight bytes go on with a code point: 10xxxxxx. */
static inline uint32_t
vt_tails_of_8(uint64_t w)
{
	return (uint32_t)((w >> 7 & ~(w >> 6) & VT_EACH_BYTE(1)) * VT_EACH_BYTE(1) >> 56);
}

/* 0x80 in each byte of w that is zero. */
static inline uint64_t
vt_zero_bytes(uint64_t w)
{
	return ~(((w & VT_EACH_BYTE(0x7f)) + VT_EACH_BYTE(0x7f)) | w | VT_EACH_BYTE(0x7f));
}

/* 0x80 in each byte that a JSON string cannot hold as it is. */
static inline uint64_t
vt_stop_bytes(uint64_t w)
{
	return vt_zero_bytes(w ^ VT_EACH_BYTE('"')) | vt_zero_bytes(w ^ VT_EACH_BYTE('\\')) |
	       vt_zero_bytes(w & VT_EACH_BYTE(0xe0));
}

#ifdef __SSE2__

static inline vt_marks
vt_marks16(const char *p)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i low = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(31)), v);
	__m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
	__m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));

	return (vt_marks){
		(uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(low, quote), slash)),
		(uint32_t)_mm_movemask_epi8(v)};
}

/* The bytes that go on with a code point. */
static inline uint32_t
vt_tails16(const char *p)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);

	return (uint32_t)_mm_movemask_epi8(_mm_cmplt_epi8(v, _mm_set1_epi8(-64)));
}

static inline uint32_t
vt_marks16_not(const char *p, char c)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);

	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(c))) ^ 0xffff;
}

/* What Python takes for blanks, of ASCII. */
static inline uint32_t
vt_blanks16(const char *p)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i a = _mm_sub_epi8(v, _mm_set1_epi8(9)), b = _mm_sub_epi8(v, _mm_set1_epi8(28));
	__m128i is = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(a, _mm_set1_epi8(4)), a),
		_mm_cmpeq_epi8(_mm_min_epu8(b, _mm_set1_epi8(4)), b)); /* 28 to 31, and ' ' */

	return (uint32_t)_mm_movemask_epi8(is);
}

static inline uint32_t
vt_marks16_equal(const char *a, const char *b)
{
	return (uint32_t)_mm_movemask_epi8(
		_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)a),
			_mm_loadu_si128((const __m128i *)(const void *)b)));
}

/* Both bytes, one at p and the other `apart` behind it. */
static inline uint32_t
vt_marks16_pair(const char *p, char first, size_t apart, char second)
{
	__m128i a = _mm_loadu_si128((const __m128i *)(const void *)p),
		b = _mm_loadu_si128((const __m128i *)(const void *)(p + apart));

	return (uint32_t)_mm_movemask_epi8(_mm_and_si128(
		_mm_cmpeq_epi8(a, _mm_set1_epi8(first)), _mm_cmpeq_epi8(b, _mm_set1_epi8(second))));
}

#else

static inline uint32_t
vt_gather(uint64_t flags)
{
	return (uint32_t)(((flags >> 7) * UINT64_C(0x0102040810204080)) >> 56);
}

static inline uint32_t
vt_tails16(const char *p)
{
	uint64_t a = vt_load8(p), b = vt_load8(p + 8);

	return vt_gather(a & ~(a << 1) & VT_EACH_BYTE(0x80)) |
	       vt_gather(b & ~(b << 1) & VT_EACH_BYTE(0x80)) << 8;
}

static inline vt_marks
vt_marks16(const char *p)
{
	uint64_t a = vt_load8(p), b = vt_load8(p + 8);

	return (vt_marks){vt_gather(vt_stop_bytes(a)) | vt_gather(vt_stop_bytes(b)) << 8,
		vt_gather(a & VT_EACH_BYTE(0x80)) | vt_gather(b & VT_EACH_BYTE(0x80)) << 8};
}

static inline uint32_t
vt_marks16_not(const char *p, char c)
{
	uint64_t all = VT_EACH_BYTE((unsigned char)c);

	return (vt_gather(vt_zero_bytes(vt_load8(p) ^ all)) |
		       vt_gather(vt_zero_bytes(vt_load8(p + 8) ^ all)) << 8) ^
	       0xffff;
}

static inline uint32_t
vt_blanks16(const char *p)
{
	uint32_t is = 0;

	for (int i = 0; i < VT_BLOCK; i++)
		is |= (uint32_t)((p[i] >= 9 && p[i] <= 13) || (p[i] >= 28 && p[i] <= 32)) << i;
	return is;
}

static inline uint32_t
vt_marks16_pair(const char *p, char first, size_t apart, char second)
{
	return (vt_marks16_not(p, first) | vt_marks16_not(p + apart, second)) ^ 0xffff;
}

static inline uint32_t
vt_marks16_equal(const char *a, const char *b)
{
	return vt_gather(vt_zero_bytes(vt_load8(a) ^ vt_load8(b))) |
	       vt_gather(vt_zero_bytes(vt_load8(a + 8) ^ vt_load8(b + 8))) << 8;
}

#endif

/* How many code points there are in a text: it is valid. */
static inline uint32_t
vt_points_of_long(const char *s, size_t n)
{
	size_t i = 0, tails = 0;

#ifdef __SSE2__
	for (; i + VT_BLOCK <= n; i += VT_BLOCK) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(s + i));
		__m128i is = _mm_cmplt_epi8(v, _mm_set1_epi8(-64)); /* 0x80 to 0xbf */
		__m128i sum =
			_mm_sad_epu8(_mm_sub_epi8(_mm_setzero_si128(), is), _mm_setzero_si128());
		tails += (size_t)(_mm_cvtsi128_si32(sum) + _mm_extract_epi16(sum, 4));
	}
#endif
	for (; i + 8 <= n; i += 8)
		tails += vt_tails_of_8(vt_load8(s + i));
	if (i < n && n >= 8) /* those behind i are the upper bytes */
		tails += vt_tails_of_8(vt_load8(s + n - 8) >> 8 * (8 - (n - i)));
	else
		for (; i < n; i++)
			tails += ((unsigned char)s[i] & 0xc0) == 0x80;
	return (uint32_t)(n - tails);
}

static inline uint32_t
vt_points(const char *s, size_t n)
{
	uint32_t tails;

	if (n > VT_OVER || !vt_may_overread(s, VT_OVER))
		return vt_points_of_long(s, n);
	tails = vt_tails16(s) | vt_tails16(s + VT_BLOCK) << VT_BLOCK;
	tails &= (uint32_t)((UINT64_C(1) << n) - 1);
	return (uint32_t)n - (tails != 0 ? (uint32_t)__builtin_popcount(tails) : 0);
}

/* As memcmp() == 0, for texts that are mostly short: where they differ decides no branch. */
static inline int
vt_same_bytes(const char *a, const char *b, size_t n)
{
	if (n >= 8) {
		for (size_t i = 0; i + 16 < n; i += 8)
			if (vt_load8(a + i) != vt_load8(b + i))
				return 0;
		size_t i = n > 16 ? n - 16 : 0;
		return ((vt_load8(a + i) ^ vt_load8(b + i)) |
			       (vt_load8(a + n - 8) ^ vt_load8(b + n - 8))) == 0;
	}
	if (n >= 4)
		return ((vt_load4(a) ^ vt_load4(b)) |
			       (vt_load4(a + n - 4) ^ vt_load4(b + n - 4))) == 0;
	return n == 0 || ((a[0] ^ b[0]) | (a[n / 2] ^ b[n / 2]) | (a[n - 1] ^ b[n - 1])) == 0;
}

/* n >= 16 bytes, nothing read or written behind them. */
static inline void
vt_copy16(char *to, const char *from, size_t n)
{
	for (size_t i = 0; i + VT_BLOCK < n; i += VT_BLOCK)
		memcpy(to + i, from + i, VT_BLOCK);
	memcpy(to + n - VT_BLOCK, from + n - VT_BLOCK, VT_BLOCK);
}

#endif
