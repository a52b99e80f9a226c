/*
 * unicode.c - properties and case mapping of code points, and UTF-8.
 *
 * Categories and mappings of one code point to one are tables that lua/build/unicode_tables.c makes
 * of utf8proc; what grows (SpecialCasing of the Unicode data) stands in tables here, and so do
 * decimal digits, which come in runs of ten.  Both follow Unicode 14.
 */
#include "runtime/core/base.h"
#include "runtime/core/blocks.h"
#include "runtime/core/value.h"

#include "unicode_tables.h"

#include <stdlib.h>

static const struct {
	uint16_t from;
	uint16_t to[3];
} grows[] = {
	{0x00df, {0x0053, 0x0053, 0x0000}},
	{0x0149, {0x02bc, 0x004e, 0x0000}},
	{0x01f0, {0x004a, 0x030c, 0x0000}},
	{0x0390, {0x0399, 0x0308, 0x0301}},
	{0x03b0, {0x03a5, 0x0308, 0x0301}},
	{0x0587, {0x0535, 0x0552, 0x0000}},
	{0x1e96, {0x0048, 0x0331, 0x0000}},
	{0x1e97, {0x0054, 0x0308, 0x0000}},
	{0x1e98, {0x0057, 0x030a, 0x0000}},
	{0x1e99, {0x0059, 0x030a, 0x0000}},
	{0x1e9a, {0x0041, 0x02be, 0x0000}},
	{0x1f50, {0x03a5, 0x0313, 0x0000}},
	{0x1f52, {0x03a5, 0x0313, 0x0300}},
	{0x1f54, {0x03a5, 0x0313, 0x0301}},
	{0x1f56, {0x03a5, 0x0313, 0x0342}},
	{0x1f80, {0x1f08, 0x0399, 0x0000}},
	{0x1f81, {0x1f09, 0x0399, 0x0000}},
	{0x1f82, {0x1f0a, 0x0399, 0x0000}},
	{0x1f83, {0x1f0b, 0x0399, 0x0000}},
	{0x1f84, {0x1f0c, 0x0399, 0x0000}},
	{0x1f85, {0x1f0d, 0x0399, 0x0000}},
	{0x1f86, {0x1f0e, 0x0399, 0x0000}},
	{0x1f87, {0x1f0f, 0x0399, 0x0000}},
	{0x1f88, {0x1f08, 0x0399, 0x0000}},
	{0x1f89, {0x1f09, 0x0399, 0x0000}},
	{0x1f8a, {0x1f0a, 0x0399, 0x0000}},
	{0x1f8b, {0x1f0b, 0x0399, 0x0000}},
	{0x1f8c, {0x1f0c, 0x0399, 0x0000}},
	{0x1f8d, {0x1f0d, 0x0399, 0x0000}},
	{0x1f8e, {0x1f0e, 0x0399, 0x0000}},
	{0x1f8f, {0x1f0f, 0x0399, 0x0000}},
	{0x1f90, {0x1f28, 0x0399, 0x0000}},
	{0x1f91, {0x1f29, 0x0399, 0x0000}},
	{0x1f92, {0x1f2a, 0x0399, 0x0000}},
	{0x1f93, {0x1f2b, 0x0399, 0x0000}},
	{0x1f94, {0x1f2c, 0x0399, 0x0000}},
	{0x1f95, {0x1f2d, 0x0399, 0x0000}},
	{0x1f96, {0x1f2e, 0x0399, 0x0000}},
	{0x1f97, {0x1f2f, 0x0399, 0x0000}},
	{0x1f98, {0x1f28, 0x0399, 0x0000}},
	{0x1f99, {0x1f29, 0x0399, 0x0000}},
	{0x1f9a, {0x1f2a, 0x0399, 0x0000}},
	{0x1f9b, {0x1f2b, 0x0399, 0x0000}},
	{0x1f9c, {0x1f2c, 0x0399, 0x0000}},
	{0x1f9d, {0x1f2d, 0x0399, 0x0000}},
	{0x1f9e, {0x1f2e, 0x0399, 0x0000}},
	{0x1f9f, {0x1f2f, 0x0399, 0x0000}},
	{0x1fa0, {0x1f68, 0x0399, 0x0000}},
	{0x1fa1, {0x1f69, 0x0399, 0x0000}},
	{0x1fa2, {0x1f6a, 0x0399, 0x0000}},
	{0x1fa3, {0x1f6b, 0x0399, 0x0000}},
	{0x1fa4, {0x1f6c, 0x0399, 0x0000}},
	{0x1fa5, {0x1f6d, 0x0399, 0x0000}},
	{0x1fa6, {0x1f6e, 0x0399, 0x0000}},
	{0x1fa7, {0x1f6f, 0x0399, 0x0000}},
	{0x1fa8, {0x1f68, 0x0399, 0x0000}},
	{0x1fa9, {0x1f69, 0x0399, 0x0000}},
	{0x1faa, {0x1f6a, 0x0399, 0x0000}},
	{0x1fab, {0x1f6b, 0x0399, 0x0000}},
	{0x1fac, {0x1f6c, 0x0399, 0x0000}},
	{0x1fad, {0x1f6d, 0x0399, 0x0000}},
	{0x1fae, {0x1f6e, 0x0399, 0x0000}},
	{0x1faf, {0x1f6f, 0x0399, 0x0000}},
	{0x1fb2, {0x1fba, 0x0399, 0x0000}},
	{0x1fb3, {0x0391, 0x0399, 0x0000}},
	{0x1fb4, {0x0386, 0x0399, 0x0000}},
	{0x1fb6, {0x0391, 0x0342, 0x0000}},
	{0x1fb7, {0x0391, 0x0342, 0x0399}},
	{0x1fbc, {0x0391, 0x0399, 0x0000}},
	{0x1fc2, {0x1fca, 0x0399, 0x0000}},
	{0x1fc3, {0x0397, 0x0399, 0x0000}},
	{0x1fc4, {0x0389, 0x0399, 0x0000}},
	{0x1fc6, {0x0397, 0x0342, 0x0000}},
	{0x1fc7, {0x0397, 0x0342, 0x0399}},
	{0x1fcc, {0x0397, 0x0399, 0x0000}},
	{0x1fd2, {0x0399, 0x0308, 0x0300}},
	{0x1fd3, {0x0399, 0x0308, 0x0301}},
	{0x1fd6, {0x0399, 0x0342, 0x0000}},
	{0x1fd7, {0x0399, 0x0308, 0x0342}},
	{0x1fe2, {0x03a5, 0x0308, 0x0300}},
	{0x1fe3, {0x03a5, 0x0308, 0x0301}},
	{0x1fe4, {0x03a1, 0x0313, 0x0000}},
	{0x1fe6, {0x03a5, 0x0342, 0x0000}},
	{0x1fe7, {0x03a5, 0x0308, 0x0342}},
	{0x1ff2, {0x1ffa, 0x0399, 0x0000}},
	{0x1ff3, {0x03a9, 0x0399, 0x0000}},
	{0x1ff4, {0x038f, 0x0399, 0x0000}},
	{0x1ff6, {0x03a9, 0x0342, 0x0000}},
	{0x1ff7, {0x03a9, 0x0342, 0x0399}},
	{0x1ffc, {0x03a9, 0x0399, 0x0000}},
	{0xfb00, {0x0046, 0x0046, 0x0000}},
	{0xfb01, {0x0046, 0x0049, 0x0000}},
	{0xfb02, {0x0046, 0x004c, 0x0000}},
	{0xfb03, {0x0046, 0x0046, 0x0049}},
	{0xfb04, {0x0046, 0x0046, 0x004c}},
	{0xfb05, {0x0053, 0x0054, 0x0000}},
	{0xfb06, {0x0053, 0x0054, 0x0000}},
	{0xfb13, {0x0544, 0x0546, 0x0000}},
	{0xfb14, {0x0544, 0x0535, 0x0000}},
	{0xfb15, {0x0544, 0x053b, 0x0000}},
	{0xfb16, {0x054e, 0x0546, 0x0000}},
	{0xfb17, {0x0544, 0x053d, 0x0000}},
};

static const uint32_t zeros[] = {
	0x0030,
	0x0660,
	0x06f0,
	0x07c0,
	0x0966,
	0x09e6,
	0x0a66,
	0x0ae6,
	0x0b66,
	0x0be6,
	0x0c66,
	0x0ce6,
	0x0d66,
	0x0de6,
	0x0e50,
	0x0ed0,
	0x0f20,
	0x1040,
	0x1090,
	0x17e0,
	0x1810,
	0x1946,
	0x19d0,
	0x1a80,
	0x1a90,
	0x1b50,
	0x1bb0,
	0x1c40,
	0x1c50,
	0xa620,
	0xa8d0,
	0xa900,
	0xa9d0,
	0xa9f0,
	0xaa50,
	0xabf0,
	0xff10,
	0x104a0,
	0x10d30,
	0x11066,
	0x110f0,
	0x11136,
	0x111d0,
	0x112f0,
	0x11450,
	0x114d0,
	0x11650,
	0x116c0,
	0x11730,
	0x118e0,
	0x11950,
	0x11c50,
	0x11d50,
	0x11da0,
	0x16a60,
	0x16ac0,
	0x16b50,
	0x1d7ce,
	0x1d7d8,
	0x1d7e2,
	0x1d7ec,
	0x1d7f6,
	0x1e140,
	0x1e2f0,
	0x1e950,
	0x1fbf0,
};

bool
vt_is_space(uint32_t c)
{
	if (c < 0x80)
		return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31);
	return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
	       c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

int
vt_digit_value(uint32_t c)
{
	size_t lo = 0, hi = VT_LEN(zeros);
	if (c < 0x80)
		return c >= '0' && c <= '9' ? (int)(c - '0') : -1;
	while (lo + 1 < hi) {
		size_t mid = (lo + hi) / 2;
		if (zeros[mid] <= c)
			lo = mid;
		else
			hi = mid;
	}
	return c - zeros[lo] < 10 ? (int)(c - zeros[lo]) : -1;
}

static enum unicode_category
category(uint32_t c)
{
	size_t lo = 0, hi = VT_LEN(category_ranges);
	if (c < UNICODE_LIMIT)
		return category_blocks[category_index[c / UNICODE_BLOCK] * UNICODE_BLOCK +
				       c % UNICODE_BLOCK];
	while (lo + 1 < hi) {
		size_t mid = (lo + hi) / 2;
		if (category_ranges[mid].from <= c)
			lo = mid;
		else
			hi = mid;
	}
	return category_ranges[lo].is;
}

/* str.isprintable() of one code point: not Other, not Separator but the blank. */
bool
vt_is_printable(uint32_t c)
{
	if (c < 0x7f)
		return c >= 0x20;
	switch (category(c)) {
	case U_CN:
	case U_CC:
	case U_CF:
	case U_CS:
	case U_CO:
	case U_ZS:
	case U_ZL:
	case U_ZP: return false;
	case U_LU:
	case U_LL:
	case U_LT:
	case U_LM:
	case U_LO:
	case U_MN:
	case U_MC:
	case U_ME:
	case U_ND:
	case U_NL:
	case U_NO:
	case U_PC:
	case U_PD:
	case U_PS:
	case U_PE:
	case U_PI:
	case U_PF:
	case U_PO:
	case U_SM:
	case U_SC:
	case U_SK:
	case U_SO: break;
	}
	return true;
}

bool
vt_is_word(uint32_t c)
{
	enum unicode_category k;
	if (c < 0x80)
		return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		       c == '_';
	k = category(c);
	return (k >= U_LU && k <= U_LO) || (k >= U_ND && k <= U_NO);
}

/* ---- case ---- */

static uint32_t
mapped(const uint8_t *blocks, const uint16_t *index, uint32_t c)
{
	if (c >= UNICODE_LIMIT)
		return c;
	return c + (uint32_t)unicode_deltas[blocks[index[c / UNICODE_BLOCK] * UNICODE_BLOCK +
						   c % UNICODE_BLOCK]];
}

/* Is it among those that grow?  They lie in few places. */
static bool
may_grow(uint32_t c)
{
	if (c < 0x590)
		return c == 0xdf || c == 0x149 || c == 0x1f0 || c == 0x390 || c == 0x3b0 ||
		       c == 0x587;
	return (c >= 0x1e96 && c <= 0x1ffc) || (c >= 0xfb00 && c <= 0xfb17);
}

static const uint16_t *
grown(uint32_t c)
{
	for (size_t i = 0; may_grow(c) && i < VT_LEN(grows); i++)
		if (grows[i].from == c)
			return grows[i].to;
	return NULL;
}

static inline char *
put_point(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 63));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 63));
		*to++ = (char)(0x80 | (c & 63));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 63));
		*to++ = (char)(0x80 | (c >> 6 & 63));
		*to++ = (char)(0x80 | (c & 63));
	}
	return to;
}

/* The next code point; most texts that are not ASCII are of two bytes a letter. */
static inline uint32_t
next_point(const char **p)
{
	const unsigned char *at = (const unsigned char *)*p;

	if (at[0] >= 0xc0 && at[0] < 0xe0) {
		*p += 2;
		return (uint32_t)(at[0] & 0x1f) << 6 | (at[1] & 0x3f);
	}
	return vt_utf8_next(p);
}

/* Eight bytes with the 26 ASCII letters from `first` on in the other case; those that are not ASCII
 * come out as anything.  A sum's high bit says that the byte is at or behind the limit. */
static inline uint64_t
flip_letters(uint64_t w, char first)
{
	uint64_t low = w & VT_EACH_BYTE(0x7f), from = low + VT_EACH_BYTE((uint64_t)(128 - first)),
		 behind = low + VT_EACH_BYTE((uint64_t)(128 - first - 26));
	return w ^ (from & ~behind & VT_EACH_BYTE(0x80)) >> 2;
}

/* The ASCII letters from `first` on in the other case, as far as there are such: eight bytes at a
 * time, of which those that count are all up to the first that is not ASCII. */
static inline const char *
map_ascii(const char *p, const char *end, char first, char **to)
{
	while (p < end && vt_may_overread(p, 8)) {
		uint64_t w = vt_load8(p), high = w & VT_EACH_BYTE(0x80);
		ptrdiff_t k = high != 0 ? __builtin_ctzll(high) / 8 : 8;
		k = k < end - p ? k : end - p;
		vt_store8(*to, flip_letters(w, first));
		p += k;
		*to += k;
		if (k < 8)
			return p;
	}
	for (; p < end && (unsigned char)*p < 0x80; p++)
		*(*to)++ = (char)(*p ^ ((unsigned char)(*p - first) < 26 ? 32 : 0));
	return p;
}

/* U+3000 to U+9FFF, which have no case: three bytes each. */
static inline const char *
copy_ideographs(const char *p, const char *end, char **to)
{
	for (; p < end && (unsigned char)(*p - 0xe3) <= 0xe9 - 0xe3; p += 3, *to += 3)
		memcpy(*to, p, 3);
	return p;
}

/* ASCII, and what has no case behind it. */
static inline const char *
map_most(const char *p, const char *end, char first, char **to)
{
	return copy_ideographs(map_ascii(p, end, first, to), end, to);
}

static char *
upper_points(const char *p, const char *end, char *to)
{
	while ((p = map_most(p, end, 'a', &to)) < end) {
		if ((unsigned char)*p < 0x80)
			continue;
		uint32_t c = next_point(&p);
		const uint16_t *more = grown(c);
		if (more == NULL)
			to = put_point(to, mapped(upper_blocks, upper_index, c));
		for (int i = 0; more != NULL && i < 3 && more[i]; i++)
			to = put_point(to, more[i]);
	}
	return to;
}

/* Letters from `first` on, 26 of them, in the other case; the text is ASCII.  The last eight bytes
 * may be done twice: from the source. */
static vt_value
other_case(vt_rt *rt, const vt_str *s, char first)
{
	char *at;
	uint32_t n = s->bytes;
	vt_value v = vt_str_room(rt, n, n, &at);
	if (n >= VT_BLOCK) {
		vt_bytemap m = vt_bytemap_of(first, 26, 0x20);
		vt_map_blocks(at, s->s, n, &m, 1);
		return v;
	}
	if (n < 8) {
		for (uint32_t i = 0; i < n; i++)
			at[i] = (char)(s->s[i] ^ ((unsigned char)(s->s[i] - first) < 26 ? 32 : 0));
		return v;
	}
	vt_store8(at, flip_letters(vt_load8(s->s), first));
	vt_store8(at + n - 8, flip_letters(vt_load8(s->s + n - 8), first));
	return v;
}

/* Cased and Case_Ignorable of the Unicode data: the general categories and what is listed beside
 * them. */
static bool
is_cased(uint32_t c)
{
	enum unicode_category k = category(c);
	return k == U_LU || k == U_LL || k == U_LT || c == 0xaa || c == 0xba ||
	       (c >= 0x2160 && c <= 0x217f) || (c >= 0x24b6 && c <= 0x24e9) ||
	       (c >= 0x1f130 && c <= 0x1f149) || (c >= 0x1f150 && c <= 0x1f169) ||
	       (c >= 0x1f170 && c <= 0x1f189);
}

static bool
is_ignorable(uint32_t c)
{
	static const uint16_t more[] = {0x27, 0x2e, 0x3a, 0xb7, 0x387, 0x55f, 0x5f4, 0x2018, 0x2019,
		0x2024, 0x2027, 0xfe13, 0xfe52, 0xfe55, 0xff07, 0xff0e, 0xff1a};
	enum unicode_category k = category(c);
	for (size_t i = 0; i < VT_LEN(more); i++)
		if (c == more[i])
			return true;
	return k == U_MN || k == U_ME || k == U_CF || k == U_LM || k == U_SK;
}

/* Is the nearest code point in front of p that is not ignorable a letter with a case? */
static bool
follows_letter(const char *begin, const char *p)
{
	while (p > begin) {
		const char *at;
		uint32_t c;
		do
			p--;
		while (((unsigned char)*p & 0xc0) == 0x80);
		at = p;
		c = vt_utf8_next(&at);
		if (!is_ignorable(c))
			return is_cased(c);
	}
	return false;
}

/* A capital sigma ends a word when letters stand in front of it and none behind; p is behind it,
 * and it is two bytes long. */
static bool
final_sigma(const char *begin, const char *p, const char *end)
{
	if (!follows_letter(begin, p - 2))
		return false;
	while (p < end) {
		uint32_t c = vt_utf8_next(&p);
		if (!is_ignorable(c))
			return !is_cased(c);
	}
	return true;
}

static char *
lower_points(const char *p, const char *end, char *to)
{
	const char *begin = p;

	while ((p = map_most(p, end, 'A', &to)) < end) {
		if ((unsigned char)*p < 0x80)
			continue;
		uint32_t c = next_point(&p);
		if (c == 0x3a3) {
			to = put_point(to, final_sigma(begin, p, end) ? 0x3c2 : 0x3c3);
		} else if (c == 0x130) {
			*to++ = 'i';
			to = put_point(to, 0x307);
		} else {
			to = put_point(to, mapped(lower_blocks, lower_index, c));
		}
	}
	return to;
}

char *
vt_change_case(bool upper, const char *p, size_t n, char *to)
{
	return (upper ? upper_points : lower_points)(p, p + n, to);
}

static vt_value
in_case(vt_rt *rt, const vt_str *s, bool upper)
{
	char small[1024 + VT_CASE_ROOM], *to = small, *end;
	vt_value v;

	if (s->h.flags & VT_F_ASCII)
		return other_case(rt, s, upper ? 'a' : 'A');
	if ((size_t)s->bytes * VT_CASE_GROWTH + VT_CASE_ROOM > sizeof small)
		to = vt_xmalloc((size_t)s->bytes * VT_CASE_GROWTH + VT_CASE_ROOM);
	end = vt_change_case(upper, s->s, s->bytes, to);
	v = vt_str_new(rt, to, (size_t)(end - to));
	if (to != small)
		free(to);
	return v;
}

vt_value
vt_str_upper(vt_rt *rt, const vt_str *s)
{
	return in_case(rt, s, true);
}

vt_value
vt_str_lower(vt_rt *rt, const vt_str *s)
{
	return in_case(rt, s, false);
}

/* ---- UTF-8 ---- */

uint32_t
vt_utf8_next(const char **pp)
{
	const unsigned char *p = (const unsigned char *)*pp;
	uint32_t c = p[0];
	if (c < 0x80) {
		*pp += 1;
		return c;
	}
	if (c < 0xe0) {
		*pp += 2;
		return (c & 0x1f) << 6 | (p[1] & 0x3fu);
	}
	if (c < 0xf0) {
		*pp += 3;
		return (c & 0x0f) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
	}
	*pp += 4;
	return (c & 7) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
}

void
vt_utf8_put(vt_buf *b, uint32_t c)
{
	char t[4];
	size_t n = 0;
	if (c < 0x80) {
		t[n++] = (char)c;
	} else if (c < 0x800) {
		t[n++] = (char)(0xc0 | c >> 6);
		t[n++] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		t[n++] = (char)(0xe0 | c >> 12);
		t[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		t[n++] = (char)(0x80 | (c & 0x3f));
	} else {
		t[n++] = (char)(0xf0 | c >> 18);
		t[n++] = (char)(0x80 | (c >> 12 & 0x3f));
		t[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		t[n++] = (char)(0x80 | (c & 0x3f));
	}
	vt_buf_put(b, t, n);
}

/* Length of the sequence at p, or 0: overlong forms, surrogates and what lies above U+10FFFF are
 * refused. */
static size_t
sequence(const unsigned char *p, size_t n)
{
	size_t len = p[0] < 0x80   ? 1
		     : p[0] < 0xc2 ? 0
		     : p[0] < 0xe0 ? 2
		     : p[0] < 0xf0 ? 3
		     : p[0] < 0xf5 ? 4
				   : 0;
	if (len == 0 || len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f))
		return 0;
	if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return len;
}

static inline bool
is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/*
 * The valid prefix and its code points.  Runs of two and three bytes, what most scripts are written
 * in, stay in loops of their own.
 */
static size_t
valid_prefix(const char *s, size_t n, uint32_t *points)
{
	const unsigned char *p = (const unsigned char *)s, *end;
	size_t k, more = 0; /* bytes that begin no code point */

	if (n == 0) { /* s may be NULL */
		*points = 0;
		return 0;
	}
	end = p + n;
	while (p < end) {
		while (end - p >= VT_BLOCK && vt_marks16((const char *)p).high == 0)
			p += VT_BLOCK;
		while (p < end && *p < 0x80)
			p++;
		for (; end - p >= 2 && p[0] >= 0xc2 && p[0] < 0xe0 && is_tail(p[1]); p += 2)
			more++;
		for (; end - p >= 3 && p[0] > 0xe0 && p[0] < 0xed && is_tail(p[1]) && is_tail(p[2]);
			p += 3)
			more += 2;
		if (p == end || *p < 0x80)
			continue;
		k = sequence(p, (size_t)(end - p));
		if (k == 0)
			break;
		more += k - 1;
		p += k;
	}
	k = (size_t)((const char *)p - s);
	*points = (uint32_t)(k - more);
	return k;
}

size_t
vt_utf8_check(const char *s, size_t n)
{
	uint32_t points;
	return valid_prefix(s, n, &points);
}

bool
vt_utf8_count(const char *s, size_t n, uint32_t *points)
{
	return valid_prefix(s, n, points) == n;
}
