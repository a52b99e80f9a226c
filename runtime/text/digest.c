/*
 * digest.c - MD5 (RFC 1321), SHA-1 and SHA-2 (FIPS 180-4) of one piece of memory.
 *
 * The constants of SHA-2's 32-bit half are the upper halves of those of its 64-bit half.
 *
 * Why not libmd: Debian 12's has no SHA-224, and it does not use the processor's instructions for
 * SHA-256, by which the object cache finds its objects.  A build of examples/webserver out of the
 * cache hashes 1.9 MB in 125 calls, most of it the core library's C.  That takes 1.8 ms with the
 * instructions, 9.5 ms without and 9.9 ms with libmd, of 70 ms in all.  In MB/s, on one core of
 * an EPYC: SHA-256 1035, 190 and 127; SHA-512 290 and 236; MD5 220 and 523; SHA-1 270 and 402.
 */
#include "runtime/text/digest.h"

#include <stdio.h>
#include <string.h>
#if defined __x86_64__ && defined __has_include && !defined VT_NO_SHA_NI
#if __has_include(<sys/platform/x86.h>)
#define VT_SHA_NI
#include <immintrin.h>
#include <sys/platform/x86.h>
#endif
#endif

/* First 64 bits of the fractions of the cube roots of the first 80 primes. */
static const uint64_t K[80] = {0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f,
	0xe9b5dba58189dbbc, 0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b,
	0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c,
	0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
	0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5,
	0x240ca1cc77ac9c65, 0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4,
	0x76f988da831153b5, 0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f,
	0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f,
	0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
	0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6,
	0x92722c851482353b, 0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791,
	0xc76c51a30654be30, 0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a,
	0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99,
	0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
	0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72,
	0x8cc702081a6439ec, 0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915,
	0xc67178f2e372532b, 0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e,
	0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae,
	0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
	0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec,
	0x6c44198c4a475817};
/* First 64 bits of the fractions of the square roots of the first 16 primes. */
static const uint64_t ROOT[16] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
	0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b,
	0x5be0cd19137e2179, 0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17,
	0x152fecd8f70e5939, 0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7,
	0x47b5481dbefa4fa4};
/* 2^32 times |sin(i)|, i in radians from 1 on. */
static const uint32_t SINE[64] = {0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf,
	0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
	0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51,
	0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6,
	0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942,
	0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
	0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8,
	0xc4ac5665, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92,
	0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82,
	0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

typedef struct hash {
	uint64_t h[8];
	void (*block)(struct hash *, const unsigned char *);
	uint32_t size; /* of a block in bytes */
	bool little;   /* bytes of a word, lowest first */
} hash;

static uint32_t
left(uint32_t x, int by)
{
	return x << by | x >> (32 - by);
}

static uint32_t
right(uint32_t x, int by)
{
	return x >> by | x << (32 - by);
}

static uint64_t
right64(uint64_t x, int by)
{
	return x >> by | x << (64 - by);
}

static uint64_t
word(const unsigned char *p, int n)
{
	uint64_t w = 0;
	for (int i = 0; i < n; i++)
		w = w << 8 | p[i];
	return w;
}

static void
md5_block(hash *s, const unsigned char *p)
{
	static const char turns[4][4] = {
		{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
	uint32_t a = (uint32_t)s->h[0], b = (uint32_t)s->h[1], c = (uint32_t)s->h[2],
		 d = (uint32_t)s->h[3];
	for (int i = 0; i < 64; i++) {
		uint32_t f = i < 16   ? (b & c) | (~b & d)
			     : i < 32 ? (d & b) | (~d & c)
			     : i < 48 ? b ^ c ^ d
				      : c ^ (b | ~d);
		int g = (i < 16 ? i : i < 32 ? 5 * i + 1 : i < 48 ? 3 * i + 5 : 7 * i) % 16;
		uint32_t w = __builtin_bswap32((uint32_t)word(p + 4 * g, 4));
		uint32_t sum = a + f + SINE[i] + w;
		a = d, d = c, c = b;
		b += left(sum, turns[i / 16][i % 4]);
	}
	s->h[0] += a, s->h[1] += b, s->h[2] += c, s->h[3] += d;
}

static void
sha1_block(hash *s, const unsigned char *p)
{
	uint32_t w[80], a = (uint32_t)s->h[0], b = (uint32_t)s->h[1], c = (uint32_t)s->h[2],
			d = (uint32_t)s->h[3];
	uint32_t e = (uint32_t)s->h[4];
	for (int i = 0; i < 80; i++) {
		static const uint32_t k[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
		uint32_t f = i < 20              ? (b & c) | (~b & d)
			     : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d)
						 : b ^ c ^ d,
			 sum;
		w[i] = i < 16 ? (uint32_t)word(p + 4 * i, 4)
			      : left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
		sum = left(a, 5) + f + e + k[i / 20] + w[i];
		e = d, d = c, c = left(b, 30), b = a, a = sum;
	}
	s->h[0] += a, s->h[1] += b, s->h[2] += c, s->h[3] += d, s->h[4] += e;
}

static void
add_words(hash *s, const uint32_t w[8])
{
	for (int i = 0; i < 8; i++)
		s->h[i] = (uint32_t)(s->h[i] + w[i]);
}

static void
sha256_block(hash *s, const unsigned char *p)
{
	uint32_t w[64], a = (uint32_t)s->h[0], b = (uint32_t)s->h[1], c = (uint32_t)s->h[2],
			d = (uint32_t)s->h[3], e = (uint32_t)s->h[4], f = (uint32_t)s->h[5],
			g = (uint32_t)s->h[6], h = (uint32_t)s->h[7];
	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)word(p + 4 * i, 4);
	for (int i = 16; i < 64; i++)
		w[i] = w[i - 16] + (right(w[i - 15], 7) ^ right(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       w[i - 7] + (right(w[i - 2], 17) ^ right(w[i - 2], 19) ^ w[i - 2] >> 10);
/* Eight rounds bring every variable back to its register. */
#pragma GCC unroll 8
	for (int i = 0; i < 64; i++) {
		uint32_t x = h + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) +
			     ((e & f) ^ (~e & g)) + (uint32_t)(K[i] >> 32) + w[i];
		uint32_t y =
			(right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
		h = g, g = f, f = e, e = d + x, d = c, c = b, b = a, a = x + y;
	}
	add_words(s, (const uint32_t[]){a, b, c, d, e, f, g, h});
}

#ifdef VT_SHA_NI
/* Where the processor has instructions for it. Two of a round's eight words are in each half: ABEF
 * and CDGH. */
__attribute__((target("sha,sse4.1"))) static void
sha256_block_ni(hash *s, const unsigned char *p)
{
	const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
	const uint64_t *h = s->h;
	__m128i abef = _mm_set_epi32((int)h[0], (int)h[1], (int)h[4], (int)h[5]);
	__m128i cdgh = _mm_set_epi32((int)h[2], (int)h[3], (int)h[6], (int)h[7]), w[4];
	uint32_t x[4], y[4];
#pragma GCC unroll 16
	for (int i = 0; i < 16; i++) {
		const __m128i *k = (const __m128i *)(const void *)(K + 4 * i);
		/* Upper halves of the constants. */
		__m128i sum = _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(_mm_loadu_si128(k)),
			_mm_castsi128_ps(_mm_loadu_si128(k + 1)), 0xdd));
		if (i < 4)
			w[i] = _mm_shuffle_epi8(
				_mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i)),
				order);
		else
			w[i % 4] = _mm_sha256msg2_epu32(
				_mm_add_epi32(_mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]),
					_mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4)),
				w[(i + 3) % 4]);
		sum = _mm_add_epi32(sum, w[i % 4]);
		cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
		abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
	}
	_mm_storeu_si128((__m128i *)(void *)x, abef);
	_mm_storeu_si128((__m128i *)(void *)y, cdgh);
	add_words(s, (const uint32_t[]){x[3], x[2], y[3], y[2], x[1], x[0], y[1], y[0]});
}

/* What libc found when the program began: asking the processor takes 15 microseconds on a virtual
 * machine. */
static bool
has_sha_ni(void)
{
	return CPU_FEATURE_PRESENT(SHA) && CPU_FEATURE_PRESENT(SSE4_1);
}
#else
#define sha256_block_ni sha256_block
#define has_sha_ni() false
#endif

static void
sha512_block(hash *s, const unsigned char *p)
{
	uint64_t w[80], a = s->h[0], b = s->h[1], c = s->h[2], d = s->h[3], e = s->h[4],
			f = s->h[5], g = s->h[6], h = s->h[7];
	for (int i = 0; i < 16; i++)
		w[i] = word(p + 8 * i, 8);
	for (int i = 16; i < 80; i++)
		w[i] = w[i - 16] +
		       (right64(w[i - 15], 1) ^ right64(w[i - 15], 8) ^ w[i - 15] >> 7) + w[i - 7] +
		       (right64(w[i - 2], 19) ^ right64(w[i - 2], 61) ^ w[i - 2] >> 6);
#pragma GCC unroll 8
	for (int i = 0; i < 80; i++) {
		uint64_t x = h + (right64(e, 14) ^ right64(e, 18) ^ right64(e, 41)) +
			     ((e & f) ^ (~e & g)) + K[i] + w[i];
		uint64_t y = (right64(a, 28) ^ right64(a, 34) ^ right64(a, 39)) +
			     ((a & b) ^ (a & c) ^ (b & c));
		h = g, g = f, f = e, e = d + x, d = c, c = b, b = a, a = x + y;
	}
	s->h[0] += a, s->h[1] += b, s->h[2] += c, s->h[3] += d;
	s->h[4] += e, s->h[5] += f, s->h[6] += g, s->h[7] += h;
}

/* Whole blocks, then the rest with a one bit behind it and the number of bits at the end. */
static void
run(hash *s, const unsigned char *p, size_t n)
{
	unsigned char last[256] = {0};
	size_t rest, end, bits = n * 8, length = s->size / 8;
	for (rest = n; rest >= s->size; rest -= s->size, p += s->size)
		s->block(s, p);
	memcpy(last, p, rest);
	last[rest] = 0x80;
	end = rest + 1 + length > s->size ? 2 * s->size : s->size;
	for (size_t i = 0; i < 8; i++)
		last[s->little ? end - 8 + i : end - 1 - i] = (unsigned char)(bits >> 8 * i);
	for (size_t i = 0; i < end; i += s->size)
		s->block(s, last + i);
}

static void
put_hex(const hash *s, int bytes, int per_word, char *to)
{
	for (int i = 0; i < bytes; i++) {
		static const char digits[] = "0123456789abcdef";
		int at = i % per_word, shift = 8 * (s->little ? at : per_word - 1 - at);
		unsigned byte = (unsigned)(s->h[i / per_word] >> shift) & 0xff;
		to[2 * i] = digits[byte >> 4];
		to[2 * i + 1] = digits[byte & 15];
	}
	to[2 * bytes] = '\0';
}

/* first: of ROOT; the others have constants of their own. */
static const struct algorithm {
	const char *name;
	void (*block)(hash *, const unsigned char *);
	int size, bytes, per_word, first;
} algorithms[] = {
	{"md5", md5_block, 64, 16, 4, -1},
	{"sha1", sha1_block, 64, 20, 4, -1},
	{"sha224", sha256_block, 64, 28, 4, 8},
	{"sha256", sha256_block, 64, 32, 4, 0},
	{"sha384", sha512_block, 128, 48, 8, 8},
	{"sha512", sha512_block, 128, 64, 8, 0},
};

static void
begin(hash *s, const struct algorithm *a)
{
	static const uint32_t old[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
	bool ni = a->block == sha256_block && has_sha_ni();
	*s = (hash){.block = ni ? sha256_block_ni : a->block,
		.size = (uint32_t)a->size,
		.little = a->block == md5_block};
	for (int i = 0; i < 8; i++) {
		if (a->first < 0)
			s->h[i] = i < 5 ? old[i] : 0;
		else if (a->per_word == 8)
			s->h[i] = ROOT[a->first + i];
		else /* SHA-224 begins with the lower halves of SHA-384's words */
			s->h[i] = a->first ? ROOT[8 + i] & 0xffffffff : ROOT[i] >> 32;
	}
}

bool
vt_digest(const char *algorithm, const char *p, size_t n, char hex[VT_DIGEST_TEXT])
{
	for (size_t i = 0; i < VT_LEN(algorithms); i++) {
		hash s;
		if (strcmp(algorithms[i].name, algorithm) != 0)
			continue;
		begin(&s, &algorithms[i]);
		run(&s, (const unsigned char *)p, n);
		put_hex(&s, algorithms[i].bytes, algorithms[i].per_word, hex);
		return true;
	}
	return false;
}
