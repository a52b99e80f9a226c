/*
 * str.c - strings: valid UTF-8, counted in code points.
 *
 * An ASCII string answers every question about code points at once; others walk their bytes.  A
 * string made at run time gets its hash when somebody asks (vt_str_hash), a constant has it from
 * the emitter.
 */
#define _GNU_SOURCE
#include "runtime/core/blocks.h"
#include "runtime/core/heap.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HASH_FACTOR UINT64_C(0x9fb21c651e98df25)

/*
 * One word more.  Each step can be undone, so words that differ alone never meet.  A product knows
 * all of a word in its upper bits only, and texts often differ at their end alone, which is up
 * there: turned round, its lower bits are those that tables of any size go by.
 */
static inline uint64_t
hash_word(uint64_t h, uint64_t w)
{
	return __builtin_bswap64((h ^ w) * HASH_FACTOR);
}

/* What has less than eight bytes, as one word. */
static inline uint64_t
short_word(const unsigned char *s, size_t n)
{
	if (n < 4)
		return n == 0 ? 0 : s[0] | (uint64_t)s[n / 2] << 8 | (uint64_t)s[n - 1] << 16;
	return vt_load4((const char *)s) | (uint64_t)vt_load4((const char *)s + n - 4) << 32;
}

/* The emitter and lua/build/natives.lua compute it too, so it may never change alone. */
uint64_t
vt_hash_bytes(const char *s, size_t n)
{
	uint64_t h = n;
	if (n < 8) {
		h = hash_word(h, short_word((const unsigned char *)s, n));
	} else {
		for (size_t i = 0; i + 8 < n; i += 8)
			h = hash_word(h, vt_load8(s + i));
		h = hash_word(h, vt_load8(s + n - 8));
	}
	return h ? h : 1;
}

/* Long texts may be made so that looking at each place takes long: they have their own way. */
enum { LONG_TEXT = 1024, LONG_NEEDLE = 64 };

static __attribute__((noinline)) const char *
find_slowly(const char *p, size_t n, const char *x, size_t m)
{
	return m == 1 ? memchr(p, x[0], n) : memmem(p, n, x, m);
}

/* Of a place whose first and last byte are those of the text; beyond: bits of what is none of its
 * first sixteen bytes. */
static inline bool
stands_at(const char *at, const char *x, size_t m, uint32_t beyond)
{
	return (vt_marks16_equal(at, x) | beyond) == 0xffff &&
	       (m <= VT_BLOCK || vt_same_bytes(at + VT_BLOCK, x + VT_BLOCK, m - VT_BLOCK));
}

/* Where the text stands in the n bytes, of which p is the first; NULL: nowhere.  Of 32 places at a
 * time those that can be are marked, and how many of them there are decides no branch. */
const char *
vt_find(const char *p, size_t n, const char *x, size_t m)
{
	uint32_t marks, beyond = m < VT_BLOCK ? 0xffffu << m & 0xffff : 0;

	if (m == 0 || m > n || n > LONG_TEXT || m > LONG_NEEDLE || !vt_may_overread(x, VT_BLOCK))
		return find_slowly(p, n, x, m);
	for (size_t places = n - m + 1;; p += VT_OVER, places -= VT_OVER) {
		if (!vt_may_overread(p, VT_OVER + (m < VT_BLOCK ? VT_BLOCK : m)))
			return find_slowly(p, places + m - 1, x, m);
		marks = vt_marks16_pair(p, x[0], m - 1, x[m - 1]) |
			vt_marks16_pair(p + VT_BLOCK, x[0], m - 1, x[m - 1]) << VT_BLOCK;
		if (places < VT_OVER)
			marks &= ((uint32_t)1 << places) - 1;
		for (; marks != 0; marks &= marks - 1)
			if (stands_at(p + __builtin_ctz(marks), x, m, beyond))
				return p + __builtin_ctz(marks);
		if (places <= VT_OVER)
			return NULL;
	}
}

/* The texts of one ASCII character: constants, with the hash of vt_hash_bytes. */
#define HASH_OF(c) __builtin_bswap64((1 ^ UINT64_C(0x10101) * (c)) * HASH_FACTOR)
#define ONE(c) \
	{ \
		{VT_IMMORTAL, VT_K_STR, VT_F_ASCII, 0}, 1, 1, HASH_OF(c), \
		{ \
			(char)(c), 0 \
		} \
	}
#define FOUR(c) ONE(c), ONE((c) + 1), ONE((c) + 2), ONE((c) + 3)
#define SIXTEEN(c) FOUR(c), FOUR((c) + 4), FOUR((c) + 8), FOUR((c) + 12)
const vt_one_text vt_one_character[128] = {SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48),
	SIXTEEN(64), SIXTEEN(80), SIXTEEN(96), SIXTEEN(112)};

static bool
is_one_character(const char *p, size_t bytes)
{
	return bytes == 1 && (unsigned char)*p < 128;
}

static __attribute__((cold, noreturn)) void
too_long(void)
{
	static const char text[] = "vetro: a string of more than 2 GiB\n";
	if (write(2, text, sizeof text - 1) < 0)
		_exit(3);
	_exit(3);
}

static inline vt_str *
blank(vt_rt *rt, size_t bytes)
{
	vt_str *s;
	if (unlikely(bytes > INT32_MAX))
		too_long();
	s = vt_heap_take(rt->s->heap, sizeof *s + bytes + 1, VT_K_STR, 0);
	s->bytes = (uint32_t)bytes;
	s->hash = 0;
	s->s[bytes] = '\0';
	return s;
}

static vt_value
finish(vt_str *s, uint32_t points)
{
	s->points = points;
	if (points == s->bytes)
		s->h.flags |= VT_F_ASCII;
	return vt_mkptr(s);
}

vt_value
vt_str_new(vt_rt *rt, const char *p, size_t bytes)
{
	vt_str *s;
	if (is_one_character(p, bytes))
		return vt_mkptr(&vt_one_character[(unsigned char)*p]);
	s = blank(rt, bytes);
	if (bytes > 0)
		vt_copy_short(s->s, p, bytes);
	return finish(s, vt_points(s->s, bytes));
}

vt_value
vt_str_room(vt_rt *rt, size_t bytes, uint32_t points, char **at)
{
	vt_str *s = blank(rt, bytes);
	*at = s->s;
	return finish(s, points);
}

/* Of a text whose code points are known. */
static vt_value
piece(vt_rt *rt, const char *p, size_t n, uint32_t points)
{
	vt_str *s;
	if (is_one_character(p, n))
		return vt_mkptr(&vt_one_character[(unsigned char)*p]);
	s = blank(rt, n);
	vt_fill_string(s->s, p, n);
	return finish(s, points);
}

vt_value
vt_str_part(vt_rt *rt, const vt_str *of, const char *p, size_t n)
{
	return piece(rt, p, n, of->h.flags & VT_F_ASCII ? (uint32_t)n : vt_points(p, n));
}

vt_value
vt_str_character(const vt_str *s, uint32_t i)
{
	return vt_mkptr(&vt_one_character[(unsigned char)s->s[i]]);
}

void
vt_str_parts(vt_rt *rt, const vt_str *of, uint32_t n, const uint32_t *from, const uint32_t *to,
	vt_value *out)
{
	vt_heap *h = rt->s->heap;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t bytes = to[i] - from[i];
		const char *p = of->s + from[i];
		vt_str *s;
		if (bytes == 1) {
			out[i] = vt_mkptr(&vt_one_character[(unsigned char)*p]);
			continue;
		}
		s = vt_heap_take(h, sizeof *s + bytes + 1, VT_K_STR, VT_F_ASCII);
		s->bytes = s->points = bytes;
		s->hash = 0;
		vt_fill_string(s->s, p, bytes);
		out[i] = vt_mkptr(s);
	}
}

void
vt_str_characters(const vt_str *s, vt_value *to)
{
	for (uint32_t i = 0; i < s->bytes; i++)
		to[i] = vt_mkptr(&vt_one_character[(unsigned char)s->s[i]]);
}

vt_value
vt_str_concat(vt_rt *rt, const vt_str *a, const vt_str *b)
{
	vt_str *s = blank(rt, (size_t)a->bytes + b->bytes);
	vt_copy_short(s->s, a->s, a->bytes);
	vt_copy_short(s->s + a->bytes, b->s, b->bytes);
	return finish(s, a->points + b->points);
}

/* The texts of a sum, and the digits of those that are there as VT_LATER only. */
typedef struct parts {
	uint64_t bytes; /* of all */
	struct {
		const char *p;
		uint32_t bytes, points;
	} of[VT_SUMMED];
	char digits[VT_SUMMED][VT_INT_TEXT];
} parts;

/* False: one of them is no text. */
static inline bool
gather(parts *t, uint32_t n, const vt_value *v)
{
	t->bytes = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (likely(vt_is(v[i], STR))) {
			const vt_str *s = vt_as_str(v[i]);
			t->of[i].p = s->s;
			t->of[i].bytes = s->bytes;
			t->of[i].points = s->points;
		} else if (vt_is_later(v[i])) {
			char *end = t->digits[i] + VT_INT_TEXT;
			t->of[i].p = vt_int_digits(end, (int64_t)v[i] >> 6);
			t->of[i].bytes = t->of[i].points = (uint32_t)(end - t->of[i].p);
		} else {
			return false;
		}
		t->bytes += t->of[i].bytes;
	}
	return true;
}

/* Writes them one behind the other; how many code points they have. */
static inline uint32_t
put_parts(char *to, uint32_t n, const parts *t)
{
	uint32_t points = 0;
	for (uint32_t i = 0; i < n; i++) {
		vt_copy_short(to, t->of[i].p, t->of[i].bytes);
		to += t->of[i].bytes;
		points += t->of[i].points;
	}
	return points;
}

/* How many digits, and a sign: 1233 / 4096 is a little more than log10(2). */
static inline uint32_t
int_points(int64_t i)
{
	static const uint64_t power[] = {0, 10, 100, 1000, 10000, 100000, 1000000, 10000000,
		100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000,
		100000000000000, 1000000000000000, 10000000000000000, 100000000000000000,
		1000000000000000000, UINT64_C(10000000000000000000)};
	uint64_t u = i < 0 ? -(uint64_t)i : (uint64_t)i;
	uint32_t n = (uint32_t)(64 - __builtin_clzll(u | 1)) * 1233 >> 12;
	return n + (u >= power[n]) + (i < 0);
}

/* What n texts come to, of which some may be digits yet to be written, and each of them. */
typedef struct measure {
	uint64_t bytes;
	uint32_t points;
	uint32_t of[VT_SUMMED];
} measure;

static inline __attribute__((always_inline)) bool
measured_one(measure *m, uint32_t i, vt_value v)
{
	uint32_t points;
	if (likely(vt_is(v, STR))) {
		points = vt_as_str(v)->points;
		m->of[i] = vt_as_str(v)->bytes;
	} else if (vt_is_later(v)) {
		m->of[i] = points = int_points((int64_t)v >> 6);
	} else {
		return false;
	}
	m->bytes += m->of[i];
	m->points += points;
	return true;
}

/* False: one of them is no text.  Up to three need no loop, where n is a constant. */
static inline __attribute__((always_inline)) bool
measured(measure *m, uint32_t n, const vt_value *v)
{
	*m = (measure){.bytes = 0};
	if (__builtin_constant_p(n) && n <= 3)
		return measured_one(m, 0, v[0]) && (n < 2 || measured_one(m, 1, v[1])) &&
		       (n < 3 || measured_one(m, 2, v[2]));
	for (uint32_t i = 0; i < n; i++)
		if (!measured_one(m, i, v[i]))
			return false;
	return true;
}

/* Where it ends. */
static inline __attribute__((always_inline)) char *
write_one(char *to, const measure *m, uint32_t i, vt_value v, bool near)
{
	if (unlikely(!vt_is_ptr(v)))
		(void)vt_int_digits(to + m->of[i], (int64_t)v >> 6);
	else if (near)
		vt_copy_near(to, vt_as_str(v)->s, m->of[i]);
	else
		vt_copy_short(to, vt_as_str(v)->s, m->of[i]);
	return to + m->of[i];
}

/* One behind the other; near: they have some hundred bytes together. */
static inline __attribute__((always_inline)) void
write_texts(char *to, const measure *m, uint32_t n, const vt_value *v, bool near)
{
	if (__builtin_constant_p(n) && n <= 3) {
		to = write_one(to, m, 0, v[0], near);
		to = n > 1 ? write_one(to, m, 1, v[1], near) : to;
		(void)(n > 2 ? write_one(to, m, 2, v[2], near) : to);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		to = write_one(to, m, i, v[i], near);
}

vt_value
vt_text_now(vt_rt *rt, vt_value v)
{
	parts t;
	if (!vt_is_later(v))
		return vt_copy(v);
	(void)gather(&t, 1, &v);
	return vt_str_new(rt, t.of[0].p, t.of[0].bytes);
}

enum { SHORT = 256, ROOM = 32 };

/* A short text has its cell of the heap: is that large enough for so many bytes? */
static inline bool
has_room(const vt_str *s, size_t bytes)
{
	return !(s->h.flags & (VT_F_LARGE | VT_F_SLAB)) &&
	       sizeof *s + bytes + 1 <= (size_t)vt_chunk_of(s)->class * VT_GRAIN;
}

static inline void
grown_short(vt_str *s, uint32_t bytes, uint32_t points)
{
	s->s[bytes] = '\0';
	s->bytes = bytes;
	s->points = points;
	s->hash = 0;
	s->h.flags = (uint8_t)((s->h.flags & ~VT_F_ASCII) | (points == bytes ? VT_F_ASCII : 0));
}

/* Texts, with which it has fewer than SHORT bytes.  What grows gets a cell with room for more. */
static inline void
append_short(vt_rt *rt, vt_value *var, uint32_t n, const parts *p)
{
	vt_str *s = (vt_str *)vt_head_of(*var), *t = s;
	uint32_t before = s->bytes, points = s->points, bytes = before + (uint32_t)p->bytes;
	if (s->h.rc != 1 || !has_room(s, bytes)) {
		t = vt_heap_take(rt->s->heap, sizeof *s + bytes + 1 + ROOM, VT_K_STR, 0);
		vt_copy_short(t->s, s->s, before);
	}
	points += put_parts(t->s + before, n, p); /* one of them may be the text itself */
	grown_short(t, bytes, points);
	if (t != s) {
		*var = vt_mkptr(t);
		vt_release(vt_mkptr(s));
	}
}

/*
 * Where every 64th code point of a long text begins, and where somebody was last, so that a walk by
 * position is linear.  The session holds the last few texts that were asked about; so no other one
 * comes to lie where they are.  A text that nobody else but its variable has grows all the same.
 */
enum { STEP = 64, FAR = 64, NEAR = 4, TEXTS = 4 };
struct vt_places {
	struct text {
		vt_value s; /* counted; VT_UNDEF: none */
		uint32_t *at, n, room, point, byte;
	} v[TEXTS];
	uint32_t next, last; /* that goes for another one; that was asked about */
};

static struct text *text_if_known(vt_rt *rt, const vt_str *s);
static void follow_text(struct text *t, const vt_str *s);

/*
 * A long text that grows by appending has a block with room for 1 << aux bytes.  False: somebody
 * else has it, and the sum is another one.
 */
bool
vt_str_append(vt_rt *rt, vt_value *var, const vt_str *x)
{
	vt_str *s = (vt_str *)vt_head_of(*var), *t;
	uint64_t n = (uint64_t)s->bytes + x->bytes;
	bool large = s->h.flags & VT_F_LARGE;
	struct text *known = NULL;
	uint16_t room = 9;
	if (n < SHORT && s->h.rc == 1 && x != s && has_room(s, (size_t)n)) {
		vt_copy_short(s->s + s->bytes, x->s, x->bytes);
		grown_short(s, (uint32_t)n, s->points + x->points);
		return true;
	}
	if (n < SHORT) {
		parts p;
		(void)gather(&p, 1, (vt_value[]){vt_mkptr(x)});
		append_short(rt, var, 1, &p);
		return true;
	}
	if (x == s || n > INT32_MAX / 2)
		return false;
	if (s->h.rc == 2 && (known = text_if_known(rt, s)) != NULL) {
		known->s = VT_UNDEF;
		s->h.rc--;
	}
	if (s->h.rc != 1)
		return false;
	if (!large || s->h.aux == 0 || n > UINT64_C(1) << s->h.aux) {
		while (UINT64_C(1) << room < n)
			room++;
		if (large) {
			t = vt_block_resize(s, sizeof *s + (UINT64_C(1) << room) + 1);
		} else {
			t = vt_heap_take(rt->s->heap, sizeof *s + (UINT64_C(1) << room) + 1,
				VT_K_STR, s->h.flags & VT_F_ASCII);
			t->bytes = s->bytes;
			t->points = s->points;
			memcpy(t->s, s->s, s->bytes);
			vt_release(*var);
		}
		s = t;
		s->h.aux = room;
		*var = vt_mkptr(s);
	}
	vt_copy_short(s->s + s->bytes, x->s, (size_t)x->bytes + 1);
	s->bytes = (uint32_t)n;
	s->points += x->points;
	s->hash = 0;
	if (s->points != s->bytes)
		s->h.flags &= (uint8_t)~VT_F_ASCII;
	if (known != NULL)
		follow_text(known, s);
	return true;
}

int
vt_texts(vt_value var, uint32_t n, const vt_value *v)
{
	measure m;
	return n <= VT_SUMMED && vt_is(var, STR) && measured(&m, n, v) &&
	       vt_as_str(var)->bytes + m.bytes <= INT32_MAX;
}

/* What does not stay short: one text after the other. */
static __attribute__((noinline)) int
add_texts_elsewhere(vt_rt *rt, vt_value *var, uint32_t n, const vt_value *v)
{
	vt_value next, sum;
	for (uint32_t i = 0; i < n; i++) {
		next = vt_text_now(rt, v[i]);
		if (!vt_str_append(rt, var, vt_as_str(next))) {
			sum = vt_str_concat(rt, vt_as_str(*var), vt_as_str(next));
			vt_move(var, sum);
		}
		vt_release(next);
	}
	return 1;
}

/* In place where nobody else has the text and its cell has room; one of the texts may be the
 * variable's own.  What grows gets a cell with room for more. */
static inline __attribute__((always_inline)) int
add_texts(vt_rt *rt, vt_value *var, uint32_t n, const vt_value *v)
{
	measure m;
	uint64_t bytes;
	vt_str *s = (vt_str *)vt_head_of(*var), *t = s;
	if (!vt_is(*var, STR) || !measured(&m, n, v) || (bytes = s->bytes + m.bytes) > INT32_MAX)
		return 0;
	if (unlikely(bytes >= SHORT))
		return add_texts_elsewhere(rt, var, n, v);
	if (s->h.rc != 1 || !has_room(s, bytes)) {
		t = vt_heap_take(rt->s->heap, sizeof *s + bytes + 1 + ROOM, VT_K_STR, 0);
		vt_copy_near(t->s, s->s, s->bytes);
	}
	write_texts(t->s + s->bytes, &m, n, v, true);
	grown_short(t, (uint32_t)bytes, s->points + m.points);
	if (t != s) {
		*var = vt_mkptr(t);
		vt_release(vt_mkptr(s));
	}
	return 1;
}

static __attribute__((noinline)) int
add_many_texts(vt_rt *rt, vt_value *var, uint32_t n, const vt_value *v)
{
	return n <= VT_SUMMED && add_texts(rt, var, n, v);
}

/* Few texts are the rule: one and two of them have code without a loop. */
int
vt_add_texts(vt_rt *rt, vt_value *var, uint32_t n, const vt_value *v)
{
	return n == 1   ? add_texts(rt, var, 1, v)
	       : n == 2 ? add_texts(rt, var, 2, v)
			: add_many_texts(rt, var, n, v);
}

static inline __attribute__((always_inline)) int
written(vt_rt *rt, const measure *m, uint32_t n, const vt_value *v, bool near, vt_value *out)
{
	vt_str *s;
	s = vt_heap_take(rt->s->heap, sizeof *s + (size_t)m->bytes + 1, VT_K_STR, 0);
	s->bytes = (uint32_t)m->bytes;
	s->hash = 0;
	s->s[m->bytes] = '\0';
	write_texts(s->s, m, n, v, near);
	*out = finish(s, m->points);
	return 1;
}

static __attribute__((noinline)) int
concat_many(vt_rt *rt, uint32_t n, const vt_value *v, vt_value *out)
{
	measure m;
	return measured(&m, n, v) && m.bytes <= INT32_MAX && written(rt, &m, n, v, false, out);
}

int
vt_concat(vt_rt *rt, uint32_t n, const vt_value *v, vt_value *out)
{
	measure m;
	if (n == 2 && measured(&m, 2, v) && m.bytes < SHORT)
		return written(rt, &m, 2, v, true, out);
	if (n == 3 && measured(&m, 3, v) && m.bytes < SHORT)
		return written(rt, &m, 3, v, true, out);
	return concat_many(rt, n, v, out);
}

int
vt_texts_len(uint32_t n, const vt_value *v, vt_value *out)
{
	uint64_t bytes = 0;
	int64_t points = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (vt_is_later(v[i])) {
			points += int_points((int64_t)v[i] >> 6);
		} else if (vt_is(v[i], STR)) {
			bytes += vt_as_str(v[i])->bytes;
			points += vt_as_str(v[i])->points;
		} else {
			return 0;
		}
	}
	if (bytes > INT32_MAX - VT_SUMMED * VT_INT_TEXT)
		return 0;
	*out = vt_mkint(points);
	return 1;
}

vt_value
vt_str_c(vt_rt *rt, const char *s)
{
	return vt_str_new(rt, s, strlen(s));
}

vt_value
vt_str_take(vt_rt *rt, vt_buf *b)
{
	vt_value v = vt_str_new(rt, b->p, b->n);
	vt_buf_free(b);
	return v;
}

/* Formatted text may cite bytes from outside: what is not UTF-8 becomes U+FFFD. */
vt_value
vt_str_printf(vt_rt *rt, const char *fmt, ...)
{
	enum { MOST_MESSAGES = 200 }; /* they do not have to move as they grow */
	vt_buf b = {0};
	va_list ap;
	va_start(ap, fmt);
	(void)vt_buf_room(&b, MOST_MESSAGES);
	vt_buf_vprintf(&b, fmt, ap);
	va_end(ap);
	vt_buf_repair(&b);
	return vt_str_take(rt, &b);
}

void
vt_buf_repair(vt_buf *b)
{
	vt_buf r = {0};
	size_t at = vt_utf8_check(b->p, b->n);
	if (at == b->n)
		return;
	vt_buf_put(&r, b->p, at);
	while (at < b->n) {
		size_t good;
		vt_buf_put(&r, "\xef\xbf\xbd", 3);
		at++;
		good = vt_utf8_check(b->p + at, b->n - at);
		vt_buf_put(&r, b->p + at, good);
		at += good;
	}
	vt_buf_free(b);
	*b = r;
}

/* UTF-8 sorts by bytes as its code points do. */
int
vt_str_cmp(const vt_str *a, const vt_str *b)
{
	uint32_t n = a->bytes < b->bytes ? a->bytes : b->bytes;
	uint64_t x = __builtin_bswap64(vt_first8(a->s, a->bytes)),
		 y = __builtin_bswap64(vt_first8(b->s, b->bytes));
	int c;
	if (x != y)
		return (x > y) - (x < y);
	c = n > 8 ? memcmp(a->s + 8, b->s + 8, n - 8) : 0;
	return c ? (c < 0 ? -1 : 1) : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

bool
vt_str_eq(const vt_str *a, const vt_str *b)
{
	if (a == b)
		return true;
	return vt_same_words(a->s, a->bytes, b->s, b->bytes);
}

/* So many code points are there, from p, where one begins; the NUL behind a text is none. */
static inline const char *
skip_points(const char *p, uint32_t n)
{
	for (; n >= 8; p += 8) /* so many points have as many bytes and more */
		n -= 8 - vt_tails_of_8(vt_load8(p));
	for (;; p++)
		if (((unsigned char)*p & 0xc0) != 0x80 && n-- == 0)
			return p;
}

size_t
vt_str_offset(const vt_str *s, uint32_t point)
{
	if (point >= s->points)
		return s->bytes;
	if (s->h.flags & VT_F_ASCII)
		return point;
	return (size_t)(skip_points(s->s, point) - s->s);
}

/* ---- places of long texts ---- */

void
vt_places_free(struct vt_places *p)
{
	for (uint32_t i = 0; p != NULL && i < TEXTS; i++) {
		vt_release(p->v[i].s);
		free(p->v[i].at);
	}
	free(p);
}

/* From those that are known on. */
static void
find_places(struct text *t, const vt_str *s)
{
	uint32_t n = s->points / STEP + 1;
	if (n > t->room) {
		t->room = n + n / 2;
		t->at = vt_xrealloc(t->at, t->room * sizeof *t->at);
	}
	if (t->n == 0)
		t->at[t->n++] = 0;
	for (; t->n < n; t->n++)
		t->at[t->n] = (uint32_t)(skip_points(s->s + t->at[t->n - 1], STEP) - s->s);
}

static void
note_places(struct text *t, const vt_str *s)
{
	t->n = t->point = t->byte = 0;
	find_places(t, s);
	vt_move(&t->s, vt_copy(vt_mkptr(s)));
}

static void
follow_text(struct text *t, const vt_str *s)
{
	find_places(t, s);
	t->s = vt_copy(vt_mkptr(s));
}

static struct text *
text_if_known(vt_rt *rt, const vt_str *s)
{
	struct vt_places *p = rt->s->places;
	for (uint32_t i = 0; p != NULL && i < TEXTS; i++)
		if (p->v[i].s == vt_mkptr(s))
			return &p->v[i];
	return NULL;
}

bool
vt_str_is_known(vt_rt *rt, const vt_str *s)
{
	return text_if_known(rt, s) != NULL;
}

static __attribute__((noinline)) struct text *
other_text(vt_rt *rt, const vt_str *s)
{
	struct vt_places *p = rt->s->places;
	struct text *known;
	if (p == NULL) {
		p = rt->s->places = vt_xmalloc(sizeof *p);
		*p = (struct vt_places){0};
		for (uint32_t i = 0; i < TEXTS; i++)
			p->v[i].s = VT_UNDEF;
	}
	known = text_if_known(rt, s);
	if (known != NULL) {
		p->last = (uint32_t)(known - p->v);
		return known;
	}
	p->next = (p->next + 1) % TEXTS;
	note_places(&p->v[p->next], s);
	return &p->v[p->last = p->next];
}

static inline struct text *
text_of(vt_rt *rt, const vt_str *s)
{
	struct vt_places *p = rt->s->places;
	return likely(p != NULL && p->v[p->last].s == vt_mkptr(s)) ? &p->v[p->last]
								   : other_text(rt, s);
}

/* As vt_str_offset. */
static size_t
place(vt_rt *rt, const vt_str *s, uint32_t point)
{
	struct text *t;
	uint32_t from, byte;
	if (rt == NULL || point < FAR || point >= s->points || (s->h.flags & VT_F_ASCII))
		return vt_str_offset(s, point);
	t = text_of(rt, s);
	if (point - t->point < NEAR) {
		from = t->point;
		byte = t->byte;
	} else {
		from = point / STEP * STEP;
		byte = t->at[point / STEP];
		if (t->point <= point && t->point > from) {
			from = t->point;
			byte = t->byte;
		}
	}
	t->point = point;
	t->byte = (uint32_t)(skip_points(s->s + byte, point - from) - s->s);
	return t->byte;
}

static void
clamp(const vt_str *s, uint32_t *from, uint32_t *to)
{
	if (*to > s->points)
		*to = s->points;
	if (*from > *to)
		*from = *to;
}

/* The same without a call, a few code points behind where somebody was last. */
static inline size_t
place_near(vt_rt *rt, const vt_str *s, uint32_t point)
{
	struct vt_places *p = rt->s->places;
	struct text *t = p != NULL ? &p->v[p->last] : NULL;
	if (t == NULL || t->s != vt_mkptr(s) || point - t->point >= NEAR || point >= s->points)
		return place(rt, s, point);
	t->byte = (uint32_t)(skip_points(s->s + t->byte, point - t->point) - s->s);
	t->point = point;
	return t->byte;
}

vt_value
vt_str_sub(vt_rt *rt, const vt_str *s, uint32_t from, uint32_t to)
{
	size_t a, b;
	clamp(s, &from, &to);
	if (from == 0 && to == s->points)
		return vt_copy(vt_mkptr(s));
	if (s->h.flags & VT_F_ASCII)
		return piece(rt, s->s + from, to - from, to - from);
	a = place_near(rt, s, from);
	if (to - from < STEP)
		b = (size_t)(skip_points(s->s + a, to - from) - s->s);
	else
		b = place(rt, s, to);
	return piece(rt, s->s + a, b - a, to - from);
}

static int64_t
point_at(vt_rt *rt, const vt_str *s, const char *p)
{
	uint32_t low = 0, high = s->points / STEP, byte = (uint32_t)(p - s->s);
	const struct text *t;
	if (s->h.flags & VT_F_ASCII)
		return byte;
	if (rt == NULL || byte < FAR)
		return (int64_t)vt_points(s->s, byte);
	t = text_of(rt, s);
	while (low < high) {
		uint32_t mid = low + (high - low + 1) / 2;
		if (t->at[mid] <= byte)
			low = mid;
		else
			high = mid - 1;
	}
	return (int64_t)low * STEP + (int64_t)vt_points(s->s + t->at[low], byte - t->at[low]);
}

int64_t
vt_str_find(vt_rt *rt, const vt_str *s, const vt_str *needle, uint32_t from, uint32_t to)
{
	size_t a, b;
	const char *hit;
	if (from > s->points || from > to)
		return -1;
	clamp(s, &from, &to);
	a = place(rt, s, from);
	b = place(rt, s, to);
	hit = vt_find(s->s + a, b - a, needle->s, needle->bytes);
	return hit ? point_at(rt, s, hit) : -1;
}

int64_t
vt_str_rfind(vt_rt *rt, const vt_str *s, const vt_str *needle, uint32_t from, uint32_t to)
{
	const char *low, *p;
	if (from > s->points || from > to)
		return -1;
	clamp(s, &from, &to);
	low = s->s + place(rt, s, from);
	p = s->s + place(rt, s, to);
	if ((size_t)(p - low) < needle->bytes)
		return -1;
	for (p -= needle->bytes; p >= low; p--)
		if (memcmp(p, needle->s, needle->bytes) == 0)
			return point_at(rt, s, p);
	return -1;
}
