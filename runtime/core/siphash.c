/*
 * siphash.c - SipHash-1-3 (Aumasson and Bernstein: SipHash, a fast short-input PRF), which is what
 * hash tables need: who does not know the seed cannot make keys that meet.
 */
#include "runtime/core/value.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

/* Where the system gives no random numbers, what differs from run to run has to do. */
vt_seed
vt_seed_new(void)
{
	vt_seed s;
	struct timespec t;

	if (getrandom(&s, sizeof s, GRND_NONBLOCK) == (ssize_t)sizeof s)
		return s;
	clock_gettime(CLOCK_MONOTONIC, &t);
	s.k[0] = (uintptr_t)&s * UINT64_C(0x9e3779b97f4a7c15);
	s.k[1] = (uint64_t)t.tv_nsec * UINT64_C(0xbf58476d1ce4e5b9) ^ (uint64_t)t.tv_sec;
	return s;
}

static inline uint64_t
turn(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

static inline void
mix(uint64_t v[4])
{
	v[0] += v[1], v[1] = turn(v[1], 13) ^ v[0], v[0] = turn(v[0], 32);
	v[2] += v[3], v[3] = turn(v[3], 16) ^ v[2];
	v[0] += v[3], v[3] = turn(v[3], 21) ^ v[0];
	v[2] += v[1], v[1] = turn(v[1], 17) ^ v[2], v[2] = turn(v[2], 32);
}

uint64_t
vt_sip(const vt_seed *s, const void *bytes, size_t n)
{
	uint64_t v[4] = {s->k[0] ^ UINT64_C(0x736f6d6570736575),
		s->k[1] ^ UINT64_C(0x646f72616e646f6d), s->k[0] ^ UINT64_C(0x6c7967656e657261),
		s->k[1] ^ UINT64_C(0x7465646279746573)};
	uint64_t w, last = (uint64_t)n << 56;
	const char *p = bytes;

	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&w, p, 8);
		v[3] ^= w;
		mix(v);
		v[0] ^= w;
	}
	w = 0;
	if (n)
		memcpy(&w, p, n);
	last |= w;
	v[3] ^= last;
	mix(v);
	v[0] ^= last;
	v[2] ^= 0xff;
	mix(v);
	mix(v);
	mix(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
