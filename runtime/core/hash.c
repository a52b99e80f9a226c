/*
 * hash.c - the hash of a value: equal values have equal hashes.
 *
 * There are two.  The plain one is fixed, because constants carry it (vt_str.hash), so keys can be
 * made that meet; a table that meets them asks for the other one, which is under the table's secret
 * (dict.c).  Both walk nested values to the same depth; beyond it all hash alike.
 */
#include "runtime/core/number.h"
#include "runtime/core/kind.h"
#include "runtime/core/value.h"

#include <math.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { MAX_DEPTH = VT_VALUE_DEPTH };

static uint64_t
mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ (h >> 29);
}

/* A word of a kind, which only its tag tells from the same word of another. */
static uint64_t
word(const vt_seed *s, uint64_t tag, uint64_t x)
{
	uint64_t both[2] = {tag, x};

	return s ? vt_sip(s, both, sizeof both) : mix(tag, x);
}

uint64_t
vt_hash_word(const vt_seed *s, uint64_t tag, uint64_t x)
{
	return word(s, tag, x);
}

/* ---- numbers under a secret: by sign and magnitude, as they are equal across types ------- */

uint64_t
vt_hash_magnitude(const vt_seed *s, const uint64_t *limb, size_t n, bool negative)
{
	const uint64_t zero = 0;
	uint64_t h = vt_sip(s, n ? limb : &zero, (n ? n : 1) * sizeof *limb);

	return negative ? ~h : h;
}

static uint64_t
whole_double(const vt_seed *s, double d)
{
	enum { LIMBS = 1024 / 64 + 1 };
	uint64_t limb[LIMBS] = {0};
	int e;
	uint64_t m = (uint64_t)ldexp(frexp(fabs(d), &e), 53);
	unsigned up, n = LIMBS;

	if (e < 53) {
		m >>= 53 - e;
		e = 53;
	}
	up = (unsigned)(e - 53);
	limb[up / 64] = m << up % 64;
	if (up % 64)
		limb[up / 64 + 1] = m >> (64 - up % 64);
	while (n > 1 && limb[n - 1] == 0)
		n--;
	return vt_hash_magnitude(s, limb, n, d < 0);
}

/* NaN equals nothing but the very same value. */
static uint64_t
keyed_double(const vt_seed *s, vt_value v)
{
	double d = vt_as_float(v);
	uint64_t bits;

	if (isnan(d))
		return word(s, 41, v);
	if (isfinite(d) && d == trunc(d))
		return d == 0 ? vt_hash_magnitude(s, NULL, 0, false) : whole_double(s, d);
	memcpy(&bits, &d, sizeof bits);
	return word(s, 43, bits);
}

#define NOT_INLINE __attribute__((noinline)) /* so that hash() has a small frame */

static NOT_INLINE uint64_t
number(const vt_seed *s, vt_value v)
{
	uint64_t magnitude;
	int64_t i;

	if (s == NULL)
		return vt_num_hash(v);
	if (vt_is(v, FLOAT))
		return keyed_double(s, v);
	if (vt_is(v, BIGINT))
		return vt_big_hash_keyed(v, s);
	i = vt_is_int(v) ? vt_toint(v) : v == VT_TRUE;
	magnitude = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
	return vt_hash_magnitude(s, &magnitude, 1, i < 0);
}

/* ---- the walk: a thousand nested values must fit the rest of a task's stack (task.h) ---- */

static bool hash(const vt_seed *, vt_value, uint64_t *out, int depth);

static NOT_INLINE bool
hash_dict(const vt_seed *s, vt_value v, uint64_t *out, int depth)
{
	uint32_t pos = 0;
	vt_value k, x;
	uint64_t sum = 0, hk, hx;

	if (!(vt_head_of(v)->flags & VT_F_FROZEN))
		return false;
	while (vt_dict_at(vt_as_dict(v), &pos, &k, &x)) {
		if (!hash(s, k, &hk, depth) || !hash(s, x, &hx, depth))
			return false;
		sum += mix(hk, hx);
	}
	*out = mix(11, sum);
	return true;
}

static NOT_INLINE bool
hash_items(const vt_seed *s, const vt_value *v, uint32_t n, uint64_t *out, int depth)
{
	uint64_t h = n + 1, x;

	for (uint32_t i = 0; i < n; i++) {
		if (s == NULL && vt_is(v[i], STR))
			x = vt_str_hash(vt_as_str(v[i]));
		else if (!hash(s, v[i], &x, depth))
			return false;
		h = mix(h, x);
	}
	*out = h;
	return true;
}

static NOT_INLINE bool
hash_set(const vt_seed *s, vt_value v, uint64_t *out, int depth)
{
	uint32_t pos = 0;
	vt_value x;
	uint64_t sum = 0, h;

	while (vt_set_at(vt_as_set(v), &pos, &x)) {
		if (!hash(s, x, &h, depth))
			return false;
		sum += mix(3, h);
	}
	*out = mix(13, sum);
	return true;
}

static NOT_INLINE uint64_t
string(const vt_seed *s, const vt_str *x)
{
	return s ? vt_sip(s, x->s, x->bytes) : vt_str_hash(x);
}

static uint64_t
instant(const vt_datetime *t)
{
	return (uint64_t)(t->us - t->offset * INT64_C(1000000));
}

/* What other rooms own, and whatever is hashed by its address. */
static NOT_INLINE uint64_t
hash_by_kind(const vt_seed *s, vt_value v)
{
	uint64_t (*of)(vt_value, const vt_seed *) =
		vt_is_ptr(v) ? vt_kinds[vt_head_of(v)->kind].hash : NULL;

	return of ? of(v, s) : word(s, 37, v);
}

/* Equal objects of a program have one hash, which it knows. */
static NOT_INLINE bool
hash_host(const vt_seed *s, vt_value v, uint64_t *out)
{
	const vt_foreign *f = vt_foreign_of(v);
	uint64_t own = 0;

	if (f == NULL || f->ops->hash == NULL) {
		*out = word(s, 37, v);
		return true;
	}
	if (!f->ops->hash(f->user, &own))
		return false;
	*out = word(s, 43, own);
	return true;
}

static bool
hash(const vt_seed *s, vt_value v, uint64_t *out, int depth)
{
	*out = 17;
	if (depth > MAX_DEPTH)
		return true;
	if (vt_is(v, STR)) {
		*out = string(s, vt_as_str(v));
		return true;
	}
	if (vt_is_number(v) || vt_is_bool(v)) {
		*out = number(s, v);
		return true;
	}
	switch (VT_KIND(v)) {
	case VT_K_LIST: return false;
	case VT_K_TUPLE: return hash_items(s, vt_as_list(v)->v, vt_as_list(v)->n, out, depth + 1);
	case VT_K_DICT: return hash_dict(s, v, out, depth + 1);
	case VT_K_SET: return hash_set(s, v, out, depth + 1);
	case VT_K_VIEW: *out = word(s, 47, v); return vt_head_of(v)->aux == VT_VIEW_VALUES;
	case VT_K_DATETIME: *out = word(s, 5, instant(VT_AS(vt_datetime, v))); return true;
	case VT_K_TIMESPAN: *out = word(s, 7, (uint64_t)vt_span_us(v)); return true;
	case VT_K_HOST: return hash_host(s, v, out);
	}
	*out = hash_by_kind(s, v);
	return true;
}

bool
vt_hash_try(vt_value v, uint64_t *out)
{
	if (vt_is(v, STR)) {
		*out = vt_str_hash(vt_as_str(v));
		return true;
	}
	if (vt_is_int(v)) {
		*out = vt_num_hash(v);
		return true;
	}
	return hash(NULL, v, out, 0);
}

/* A tuple of numbers, texts and the like: what most keys are that are no single values. */
static bool
is_plain_tuple(vt_value v)
{
	const vt_list *l = vt_as_list(v);
	uint32_t i = 0;

	if (!vt_is(v, TUPLE))
		return false;
	while (i < l->n && (!vt_is_ptr(l->v[i]) || vt_head_of(l->v[i])->kind <= VT_K_STR))
		i++;
	return i == l->n;
}

bool
vt_hashable(vt_value v)
{
	uint64_t h;

	if (!vt_is_ptr(v) || vt_head_of(v)->kind <= VT_K_STR || is_plain_tuple(v))
		return true;
	return hash(NULL, v, &h, 0);
}

uint64_t
vt_hash(vt_value v)
{
	uint64_t h;

	hash(NULL, v, &h, 0);
	return h;
}

uint64_t
vt_hash_keyed(const vt_seed *s, vt_value v)
{
	uint64_t h;

	hash(s, v, &h, 0);
	return h;
}

/* ---- SipHash-1-3 (Aumasson and Bernstein: SipHash, a fast short-input PRF), which is what hash
 * tables need: who does not know the seed cannot make keys that meet ------------------------ */

/* Where the system gives no random numbers, what differs from run to run has to do. */
vt_seed
vt_seed_new(void)
{
	vt_seed s;
	struct timespec t;

#ifdef VT_STEADY /* a runtime that counts has the same counts each time: PROFILE of GNUmakefile */
	return (vt_seed){{UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xbf58476d1ce4e5b9)}};
#endif
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
sip_round(uint64_t v[4])
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
		sip_round(v);
		v[0] ^= w;
	}
	w = 0;
	if (n)
		memcpy(&w, p, n);
	last |= w;
	v[3] ^= last;
	sip_round(v);
	v[0] ^= last;
	v[2] ^= 0xff;
	sip_round(v);
	sip_round(v);
	sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
