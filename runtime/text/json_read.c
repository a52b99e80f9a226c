/*
 * json_read.c - JSON text to values: RFC 8259, strict.
 *
 * One pass, recursive with a depth limit.  What dominates a plain reader is avoided: members' keys
 * are compared with the one that followed here last time, so that an array of records needs neither
 * hash nor allocation for them; items wait on a stack until their number is known, and a container
 * is allocated once, in its size; short strings that come again are shared.
 *
 * A function that reads gets the place where it starts and gives the place behind, or NULL after
 * bad(). Nothing is read at or behind `end`.
 */
#include "runtime/core/bytes.h"
#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/text/json.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/text/text.h"

#include <stdlib.h>

enum {
	MAX_DEPTH = 1000,
	MAX_DIGITS = 4300, /* turning digits into a number costs more than linear time */
	/* strings that are remembered, two at each of 2^k places: short texts, others, long */
	FEW = 3,
	SOME = 7,
	MANY = 11,
	SHORT_TEXT = 2048,
	LONG_TEXT = 128 * 1024,
	SPILL = 1024, /* items of one array that wait on the stack */
	SMALL_STACK = 256
};

/*
 * A string that was read before.  Of a short ASCII one low and high are its bytes, closed by a zero
 * at least; of others they are a mixture, with the highest bit set.  Borrowed: see forget().
 */
typedef struct recent {
	uint64_t low, high;
	vt_str *s;
} recent;

/* Two that come to lie at one place: the first was met again, so one that is met once does not
 * drive it out. */
typedef struct recent_two {
	recent often, last;
} recent_two;

/* Invariant: stack[0..top-1] is all that the reader owns. */
typedef struct reader {
	vt_rt *rt;
	vt_heap *heap;
	vt_shape *root;
	const char *text, *p, *end; /* p: where the error is */
	const char *why;            /* NULL: no error */
	uint32_t depth, max_depth;
	uint8_t list_kind,
		final; /* flags of containers whose items are final, as all are but tagged ones */
	bool frozen, tagged, python;
	vt_buf buf; /* a string with escapes */
	vt_value *stack;
	size_t top, cap;
	recent_two *recent; /* 1 << recent_bits */
	uint8_t recent_bits;
	vt_lanes *lanes;   /* of a long text; or NULL */
	const void *place; /* of the value that is read: its hint */
	vt_value small[SMALL_STACK];
	recent_two some[1 << SOME];
} reader;

static const char *
bad(reader *r, const char *p, const char *why)
{
	r->p = p;
	r->why = why;
	return NULL;
}

static inline bool
is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static const char *
skip_blanks(const char *p, const char *end)
{
	while (p < end && is_blank(*p)) {
		p++;
		while (end - p >= VT_BLOCK && *p == ' ') { /* an indentation */
			uint32_t ink = vt_marks16_not(p, ' ');
			p += ink ? __builtin_ctz(ink) : VT_BLOCK;
		}
	}
	return p;
}

static inline const char *
blanks(const reader *r, const char *p)
{
	if (p<r->end && * p> ' ')
		return p;
	if (r->end - p > 1 && *p == ' ' && p[1] > ' ')
		return p + 1;
	return skip_blanks(p, r->end);
}

/* ---- the stack ----------------------------------------------------------------------------- */

static void
more_stack(reader *r)
{
	vt_value *old = r->stack;

	r->cap *= 2;
	if (old != r->small) {
		r->stack = vt_xrealloc(old, r->cap * sizeof *old);
		return;
	}
	r->stack = vt_xmalloc(r->cap * sizeof *old);
	memcpy(r->stack, old, r->top * sizeof *old);
}

static inline void
push(reader *r, vt_value owned)
{
	if (unlikely(r->top == r->cap))
		more_stack(r);
	r->stack[r->top++] = owned;
}

/* A value that was read is gone again: a string that is remembered may have been its last part. */
static void
forget(reader *r)
{
	memset(r->recent, 0, sizeof *r->recent << r->recent_bits);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static __attribute__((noinline)) void *
take(reader *r, size_t size, enum vt_kind kind, uint8_t flags)
{
	vt_head head = {1, (uint8_t)kind, flags, 0};
	void *o = NULL;

	if (r->lanes != NULL && size <= VT_LANE_MOST)
		o = vt_lanes_take(r->lanes, r->heap, r->place, size, head);
	return o != NULL ? o : vt_heap_take(r->heap, size, kind, flags);
}

/* As vt_list_owned. */
static inline vt_list *
new_list(reader *r, uint32_t n, const vt_value *owned)
{
	vt_list *l;

	if (r->lanes == NULL || n > (VT_LANE_MOST - sizeof *l) / sizeof *owned)
		return vt_list_owned(r->rt, r->list_kind, n, owned);
	l = take(r, sizeof *l + n * sizeof *owned, r->list_kind, 0);
	l->n = l->cap = n;
	l->v = l->inl;
	memcpy(l->v, owned, n * sizeof *owned);
	return l;
}

/* As vt_dict_shaped. */
static inline vt_dict *
new_dict(reader *r, vt_shape *s, const vt_value *owned)
{
	vt_dict *d;

	if (r->lanes == NULL || s->n > VT_DICT_INLINE)
		return vt_dict_shaped(r->rt, r->frozen, s, owned);
	d = take(r, sizeof *d + s->n * sizeof *owned, VT_K_DICT, r->frozen ? VT_F_FROZEN : 0);
	d->shape = s;
	d->n = d->cap = s->n;
	d->v = d->inl;
	memcpy(d->v, owned, s->n * sizeof *owned);
	return d;
}

/* ---- strings --------------------------------------------------------------------------------- */

/* Where a string of these bytes is remembered. */
static inline recent_two *
place_of(const reader *r, uint64_t low, uint64_t high)
{
	uint64_t mixed = (low ^ (high << 5 | high >> 59)) * UINT64_C(0x9e3779b97f4a7c15);

	return &r->recent[mixed >> (64 - r->recent_bits)];
}

/* The string that is remembered by these; NULL: none. */
static inline vt_str *
met_before(recent_two *two, uint64_t low, uint64_t high)
{
	recent again = two->last;

	if (two->often.low == low && two->often.high == high && two->often.s != NULL)
		return two->often.s;
	if (again.low != low || again.high != high || again.s == NULL)
		return NULL;
	two->last = two->often;
	two->often = again;
	return again.s;
}

/* k < 16 bytes of ASCII at p, where 16 can be read. */
static inline vt_value
short_string(reader *r, const char *p, unsigned k)
{
	uint64_t low = vt_load8(p), high = 0;
	recent_two *two;
	vt_str *s;

	if (k < 8)
		low &= (UINT64_C(1) << 8 * k) - 1;
	else
		high = vt_load8(p + 8) & ((UINT64_C(1) << 8 * (k - 8)) - 1);
	two = place_of(r, low, high);
	if ((s = met_before(two, low, high)) != NULL) {
		vt_retain(vt_mkptr(s));
		return vt_mkptr(s);
	}
	s = take(r, sizeof *s + (k < 8 ? 8 : 16), VT_K_STR, VT_F_ASCII);
	s->bytes = s->points = k;
	s->hash = 0;
	vt_store8(s->s, low);
	if (k >= 8)
		vt_store8(s->s + 8, high);
	two->last = (recent){low, high, s};
	return vt_mkptr(s);
}

/* Up to a byte that a string cannot hold as it is, or the end; *high says whether all is ASCII so
 * far. */
static const char *
plain_bytes(const char *p, const char *end, bool *high)
{
	uint32_t any = 0;

	for (; end - p >= VT_BLOCK; p += VT_BLOCK) {
		vt_marks m = vt_marks16(p);
		if (m.stop) {
			unsigned k = (unsigned)__builtin_ctz(m.stop);
			*high |= (any | (m.high & ((1u << k) - 1))) != 0;
			return p + k;
		}
		any |= m.high;
	}
	for (; p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 32; p++)
		any |= (unsigned char)*p & 0x80;
	*high |= any != 0;
	return p;
}

static vt_value
new_string(reader *r, const char *p, size_t n, bool ascii, uint32_t points)
{
	vt_str *s;

	if (n > INT32_MAX)
		return vt_str_new(r->rt, p, n);
	s = take(r, sizeof *s + n + 1, VT_K_STR, ascii ? VT_F_ASCII : 0);
	s->bytes = (uint32_t)n;
	s->points = points;
	s->hash = 0;
	s->s[n] = '\0';
	if (n >= VT_BLOCK)
		vt_copy16(s->s, p, n);
	else
		memcpy(s->s, p, n);
	return vt_mkptr(s);
}

static const char *
hex4(reader *r, const char *p, uint32_t *out)
{
	static const char why[] = "a \\u escape needs four hexadecimal digits";
	uint32_t v = 0;

	if (r->end - p < 4)
		return bad(r, p, why);
	for (int i = 0; i < 4; i++) {
		uint32_t c = (unsigned char)*p++, letter = (c | 32) - 'a';
		uint32_t d = letter < 6 ? letter + 10 : c - '0';
		if (d > 9 && letter >= 6)
			return bad(r, p, why);
		v = v << 4 | d;
	}
	*out = v;
	return p;
}

/* Behind \u. */
static const char *
read_unicode(reader *r, const char *p)
{
	static const char why[] = "half of a surrogate pair";
	uint32_t cp, low;

	p = hex4(r, p, &cp);
	if (p == NULL)
		return NULL;
	if (cp >= 0xdc00 && cp < 0xe000)
		return bad(r, p, why);
	if (cp >= 0xd800 && cp < 0xdc00) {
		if (r->end - p < 2 || p[0] != '\\' || p[1] != 'u')
			return bad(r, p, why);
		p = hex4(r, p + 2, &low);
		if (p == NULL)
			return NULL;
		if (low < 0xdc00 || low > 0xdfff)
			return bad(r, p, why);
		cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
	}
	if (cp < 0x800 && cp >= 0x80) { /* the buffer has room */
		r->buf.p[r->buf.n++] = (char)(0xc0 | cp >> 6);
		r->buf.p[r->buf.n++] = (char)(0x80 | (cp & 0x3f));
	} else
		vt_utf8_put(&r->buf, cp);
	return p;
}

/* Behind the backslash. The buffer has room. */
static inline const char *
read_escape(reader *r, const char *p)
{
	static const char meaning[256] = {['"'] = '"',
		['\\'] = '\\',
		['/'] = '/',
		['b'] = '\b',
		['f'] = '\f',
		['n'] = '\n',
		['r'] = '\r',
		['t'] = '\t'};
	char c;

	if (p >= r->end)
		return bad(r, p, "a string that is not closed");
	if (*p == 'u')
		return read_unicode(r, p + 1);
	c = meaning[(unsigned char)*p++];
	if (c == 0)
		return bad(r, p, "an escape that does not exist");
	r->buf.p[r->buf.n++] = c;
	return p;
}

/* The text of a string: where it stands, or, after escapes, in the reader's buffer until the next
 * one. */
typedef struct span {
	const char *p;
	size_t n;
	uint32_t points;
	bool ascii;
} span;

/* Copies bytes to the buffer up to one that a string cannot hold as it is; there is room for one
 * more then. */
static inline const char *
copy_plain(reader *r, const char *p)
{
	for (;;) {
		char *to = r->buf.cap - r->buf.n > VT_BLOCK ? r->buf.p + r->buf.n
							    : vt_buf_room(&r->buf, VT_BLOCK + 1);
		uint32_t stop;
		if (r->end - p < VT_BLOCK)
			break;
		memcpy(to, p, VT_BLOCK);
		stop = vt_marks16(p).stop;
		if (stop) {
			r->buf.n += (unsigned)__builtin_ctz(stop);
			return p + __builtin_ctz(stop);
		}
		r->buf.n += VT_BLOCK;
		p += VT_BLOCK;
	}
	for (; p < r->end && *p != '"' && *p != '\\' && (unsigned char)*p >= 32; p++)
		r->buf.p[r->buf.n++] = *p; /* fewer than a block */
	return p;
}

/* A string with escapes: `start` is its first byte, p the first that is not plain. */
static const char *
read_escaped(reader *r, const char *start, const char *p, span *out)
{
	r->buf.n = 0;
	vt_buf_put(&r->buf, start, (size_t)(p - start));
	while ((p = copy_plain(r, p)) < r->end && *p == '\\')
		do {
			p = read_escape(r, p + 1);
			if (p == NULL)
				return NULL;
		} while (p < r->end && *p == '\\' && r->buf.cap - r->buf.n > VT_BLOCK);
	if (p >= r->end)
		return bad(r, p, "a string that is not closed");
	if (*p != '"')
		return bad(r, p, "a control character in a string");
	out->p = r->buf.p;
	out->n = r->buf.n;
	if (!vt_utf8_count(out->p, out->n, &out->points))
		return bad(r, p + 1, "bytes that are not UTF-8");
	out->ascii = out->points == out->n;
	return p + 1;
}

/* Behind the opening quote. */
static const char *
read_span(reader *r, const char *p, span *out)
{
	bool high = false;
	const char *start = p;

	p = plain_bytes(p, r->end, &high);
	if (unlikely(p >= r->end || *p != '"'))
		return read_escaped(r, start, p, out);
	*out = (span){start, (size_t)(p - start), (uint32_t)(p - start), true};
	if (high) {
		if (!vt_utf8_count(start, out->n, &out->points))
			return bad(r, p + 1, "bytes that are not UTF-8");
		out->ascii = false;
	}
	return p + 1;
}

enum { LEAST_MIXED = 8, MOST_MIXED = 32 };

/* LEAST_MIXED to MOST_MIXED bytes: types, sites and addresses come again as words do. */
static vt_value
mixed_string(reader *r, const span *s)
{
	size_t half = s->n < 16 ? 0 : 8;
	uint64_t a = vt_load8(s->p), b = vt_load8(s->p + half),
		 c = vt_load8(s->p + s->n - 8 - half), d = vt_load8(s->p + s->n - 8);
	uint64_t low = a ^ (c << 23 | c >> 41), high = (b ^ (d << 31 | d >> 33)) + s->n;
	recent_two *two;
	vt_str *old;
	vt_value v;

	high |= UINT64_C(1) << 63;
	two = place_of(r, low, high);
	old = met_before(two, low, high);
	if (old != NULL && old->bytes == s->n && vt_same_bytes(old->s, s->p, (uint32_t)s->n)) {
		vt_retain(vt_mkptr(old));
		return vt_mkptr(old);
	}
	v = new_string(r, s->p, s->n, s->ascii, s->points);
	two->last = (recent){low, high, (vt_str *)vt_head_of(v)};
	return v;
}

static const char *
long_string(reader *r, const char *p, vt_value *out)
{
	span s;

	p = read_span(r, p, &s);
	if (p == NULL)
		return NULL;
	if (s.n >= LEAST_MIXED && s.n <= MOST_MIXED && !r->tagged)
		*out = mixed_string(r, &s);
	else
		*out = new_string(r, s.p, s.n, s.ascii, s.points);
	return p;
}

/* Behind the opening quote. */
static inline const char *
read_string(reader *r, const char *p, vt_value *out)
{
	if (likely(r->end - p >= VT_BLOCK && !r->tagged)) {
		vt_marks m = vt_marks16(p);
		if (m.stop) {
			unsigned k = (unsigned)__builtin_ctz(m.stop);
			if (likely(p[k] == '"' && (m.high & ((1u << k) - 1)) == 0)) {
				*out = short_string(r, p, k);
				return p + k + 1;
			}
		}
	}
	return long_string(r, p, out);
}

/* ---- numbers ----------------------------------------------------------------------------- */

static inline bool
is_digit(const reader *r, const char *p)
{
	return p < r->end && (unsigned char)(*p - '0') < 10;
}

/* Eight digits in three multiplications; false when there are fewer. */
static inline bool
eight_digits(const reader *r, const char *p, uint64_t *m)
{
	uint64_t w, x;

	if (r->end - p < 8)
		return false;
	w = vt_load8(p);
	x = w - VT_EACH_BYTE('0');
	if (((w + VT_EACH_BYTE(0x7f - '9')) | x) & VT_EACH_BYTE(0x80))
		return false;
	x = x * 10 + (x >> 8);
	x = ((x & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
		    (x >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
	    32;
	*m = *m * 100000000 + (uint32_t)x;
	return true;
}

/* *m wraps around when there are more than 19 digits. */
static inline const char *
read_digits(const reader *r, const char *p, uint64_t *m)
{
	while (eight_digits(r, p, m))
		p += 8;
	for (; is_digit(r, p); p++)
		*m = *m * 10 + (uint64_t)(*p - '0');
	return p;
}

/* A number as its text says: m * 10^e, m without the sign. */
typedef struct decimal {
	const char *start, *digits;
	uint64_t m;
	int64_t e;
} decimal;

static const char *
read_exponent(reader *r, const char *p, decimal *d)
{
	int64_t e = 0;
	bool negative;

	p++;
	negative = p < r->end && *p == '-';
	if (p < r->end && (*p == '+' || *p == '-'))
		p++;
	if (!is_digit(r, p))
		return bad(r, p, "a number without digits");
	for (; is_digit(r, p); p++)
		if (e < 1000000)
			e = e * 10 + (*p - '0');
	d->e += negative ? -e : e;
	return p;
}

static const char *
exact_float(reader *r, const char *start, const char *p, vt_value *out)
{
	double x = 0;

	if (p - start > MAX_DIGITS)
		return bad(r, p, "a number with too many digits");
	vt_float_parse(start, (size_t)(p - start), &x);
	*out = vt_float_new(r->rt, x);
	return p;
}

/* What begins at the digits' end with a point or an exponent. */
static const char *
read_float(reader *r, const char *p, decimal *d, vt_value *out)
{
	size_t n = (size_t)(p - d->digits);
	bool negative = *d->start == '-';
	double x;

	if (*p == '.') {
		const char *point = p++;
		if (!is_digit(r, p))
			return bad(r, p, "a number without digits");
		p = read_digits(r, p, &d->m);
		d->e = point + 1 - p;
		n += (size_t)(p - point - 1);
		if (n > 19) /* zeros in front do not count */
			for (const char *z = d->digits; n > 0 && (*z == '0' || *z == '.'); z++)
				n -= *z == '0';
	}
	if (p < r->end && (*p | 32) == 'e') {
		p = read_exponent(r, p, d);
		if (p == NULL)
			return NULL;
	}
	if (n <= 19 && d->m == 0)
		x = 0;
	else if (unlikely(n > 19 || !vt_decimal_double(d->m, d->e, &x)))
		return exact_float(r, d->start, p, out);
	if (p - d->start > MAX_DIGITS)
		return bad(r, p, "a number with too many digits");
	*out = vt_mkfloat(r->rt, negative ? -x : x);
	return p;
}

static const char *
large_integer(reader *r, const char *start, const char *p, vt_value *out)
{
	if (p - start > MAX_DIGITS)
		return bad(r, p, "a number with too many digits");
	if (vt_int_parse(r->rt, start, (size_t)(p - start), 10, out) != VT_OK)
		return bad(r, p, "a number that cannot be read");
	return p;
}

/* What Python's reader takes beyond JSON. */
static const char *
odd_number(reader *r, const char *p, vt_value *out)
{
	static const struct {
		const char *text;
		size_t n;
		double d;
	} odd[] = {{"NaN", 3, __builtin_nan("")}, {"Infinity", 8, __builtin_inf()},
		{"-Infinity", 9, -__builtin_inf()}};

	for (size_t i = 0; r->python && i < VT_LEN(odd); i++)
		if ((size_t)(r->end - p) >= odd[i].n && memcmp(p, odd[i].text, odd[i].n) == 0) {
			*out = vt_float_new(r->rt, odd[i].d);
			return p + odd[i].n;
		}
	return *p == '-' ? bad(r, p + 1, "a number without digits")
			 : bad(r, p, "something that is no JSON value");
}

static inline const char *
read_number(reader *r, const char *p, vt_value *out)
{
	decimal d = {.start = p};

	p += *p == '-';
	d.digits = p;
	if (!is_digit(r, p))
		return odd_number(r, d.start, out);
	if (*p == '0') {
		if (is_digit(r, ++p))
			return bad(r, p, "a number with a leading zero");
	} else
		p = read_digits(r, p, &d.m);
	if (p < r->end && (*p == '.' || (*p | 32) == 'e'))
		return read_float(r, p, &d, out);
	if (unlikely(p - d.digits > 18))
		return large_integer(r, d.start, p, out);
	*out = vt_mkint(*d.start == '-' ? -(int64_t)d.m : (int64_t)d.m);
	return p;
}

/* ---- values ------------------------------------------------------------------------------ */

static const char *
word(reader *r, const char *p, const char *text, size_t n, vt_value v, vt_value *out)
{
	if ((size_t)(r->end - p) < n || memcmp(p, text, n) != 0)
		return bad(r, p, "something that is no JSON value");
	*out = v;
	return p + n;
}

static const char *read_array(reader *, const char *, vt_shape **hint, vt_value *out);
static const char *read_object(reader *, const char *, vt_shape **hint, vt_value *out);

static const char *
nested(reader *r, const char *p, vt_shape **hint, vt_value *out)
{
	r->depth++;
	p = *p == '[' ? read_array(r, p + 1, hint, out) : read_object(r, p + 1, hint, out);
	r->depth--;
	return p;
}

/* *hint is where the first key of an object in this place leads; it is learned here. */
static inline __attribute__((always_inline)) const char *
value_here(reader *r, const char *p, vt_shape **hint, vt_value *out)
{
	p = blanks(r, p);
	if (unlikely(p >= r->end))
		return bad(r, p, "the text ends where a value is expected");
	if (unlikely(r->depth >= r->max_depth))
		return bad(r, p, "nested too deeply");
	r->place = hint;
	switch (*p) {
	case '"': return read_string(r, p + 1, out);
	case '{':
	case '[': return nested(r, p, hint, out);
	case 't': return word(r, p, "true", 4, VT_TRUE, out);
	case 'f': return word(r, p, "false", 5, VT_FALSE, out);
	case 'n': return word(r, p, "null", 4, VT_NULL, out);
	case '-':
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9': return read_number(r, p, out);
	default: return odd_number(r, p, out);
	}
}

static const char *
read_value(reader *r, const char *p, vt_shape **hint, vt_value *out)
{
	return value_here(r, p, hint, out);
}

/* Moves the items behind stack[base] to the list there, which is made when it is not. */
static void
spill(reader *r, size_t base, vt_list **l)
{
	size_t from = base + (*l != NULL);

	if (*l == NULL)
		*l = vt_list_grow(r->rt, r->list_kind, 2 * SPILL);
	vt_list_append(r->rt, *l, (uint32_t)(r->top - from), r->stack + from);
	r->stack[base] = vt_mkptr(*l);
	r->top = base + 1;
}

/* Behind the bracket. */
static const char *
read_array(reader *r, const char *p, vt_shape **hint, vt_value *out)
{
	size_t base = r->top;
	vt_list *l = NULL;
	vt_value item;

	p = blanks(r, p);
	if (p < r->end && *p == ']')
		p++;
	else
		for (;;) {
			p = value_here(r, p, hint, &item);
			if (unlikely(p == NULL))
				return NULL;
			push(r, item);
			p = blanks(r, p);
			if (unlikely(p >= r->end || (*p != ',' && *p != ']')))
				return bad(r, p, "expected , or ] in an array");
			if (*p++ == ']')
				break;
			if (r->top - base > SPILL)
				spill(r, base, &l);
		}
	if (unlikely(l != NULL)) {
		spill(r, base, &l);
		vt_list_trim(l);
	} else {
		r->place = hint;
		l = new_list(r, (uint32_t)(r->top - base), r->stack + base);
	}
	r->top = base;
	l->h.flags |= r->final;
	*out = vt_mkptr(l);
	return p;
}

/* A key up to and with its colon. */
static const char *
read_key(reader *r, const char *p, span *key)
{
	if (p >= r->end || *p != '"')
		return bad(r, p, "expected a string as the key of an object");
	p = read_span(r, p + 1, key);
	if (p == NULL)
		return NULL;
	p = blanks(r, p);
	if (p >= r->end || *p != ':')
		return bad(r, p, "expected : after a key");
	return p + 1;
}

static const char *
finish_object(reader *r, const char *p, vt_dict *d, vt_value *out)
{
	const char *why;

	d->h.flags |= r->final;
	*out = vt_mkptr(d);
	if (likely(!r->tagged))
		return p;
	why = vt_json_untag(r->rt, r->frozen ? 0 : VT_JSON_MUTABLE, out);
	return why ? bad(r, p, why) : p;
}

/* The rest of an object whose next key came already or fits no shape: s is what it has so far. */
static const char *
odd_object(reader *r, const char *p, vt_shape *s, size_t base, span *key, vt_value *out)
{
	vt_dict *d = vt_dict_many(r->rt, r->frozen, s, r->stack + base);
	vt_shape *inner = NULL;
	vt_value v;

	r->top = base;
	push(r, vt_mkptr(d));
	for (;;) {
		push(r, new_string(r, key->p, key->n, key->ascii, key->points));
		p = value_here(r, p, &inner, &v);
		if (unlikely(p == NULL))
			return NULL;
		vt_dict_more(r->rt, d, r->stack[--r->top], v);
		p = blanks(r, p);
		if (p >= r->end || (*p != ',' && *p != '}'))
			return bad(r, p, "expected , or } in an object");
		if (*p++ == '}')
			break;
		p = read_key(r, blanks(r, p), key);
		if (p == NULL)
			return NULL;
	}
	r->top = base;
	if (vt_dict_done(r->rt, d)) { /* rare, or hostile: then clearing much each time is dear */
		r->recent_bits = FEW;
		forget(r);
	}
	return finish_object(r, p, d, out);
}

/* Is the next member's key the one that leads to c, as it is most often written? */
static inline bool
is_next(const reader *r, const char *p, const vt_shape *c)
{
	size_t n = c->quoted_n;

	if (n == 0 || (size_t)(r->end - p) < (n < VT_BLOCK ? VT_BLOCK : n))
		return false;
	if (n <= VT_BLOCK)
		return (~vt_marks16_equal(p, c->quoted) & ((1u << n) - 1)) == 0;
	return memcmp(p, c->quoted, n) == 0;
}

/* The shape that the key leads to; NULL when it came already or no shape takes it. */
static vt_shape *
next_shape(reader *r, vt_shape *s, const span *key)
{
	vt_shape *c = vt_shape_child(s, key->p, key->n, vt_hash_bytes(key->p, key->n));
	vt_value k;

	if (c != NULL || key->n > VT_SHAPE_KEY_BYTES)
		return c;
	k = new_string(r, key->p, key->n, key->ascii, key->points);
	if (vt_shape_slot(s, vt_as_str(k)) < 0)
		c = vt_shape_add(r->rt, s, vt_as_str(k));
	vt_release(k);
	return c;
}

/* Behind the brace. */
static const char *
read_object(reader *r, const char *p, vt_shape **hint, vt_value *out)
{
	size_t base = r->top;
	vt_shape *s = r->root, **next = hint;
	vt_value item;
	span key;

	p = blanks(r, p);
	if (p < r->end && *p == '}')
		p++;
	else
		for (;;) {
			vt_shape *c = *next;
			if (likely(c != NULL && is_next(r, p, c)))
				p += c->quoted_n;
			else {
				p = read_key(r, p, &key);
				if (p == NULL)
					return NULL;
				c = next_shape(r, s, &key);
				if (c == NULL)
					return odd_object(r, p, s, base, &key, out);
				*next = c;
			}
			s = c;
			next = &s->hot;
			p = value_here(r, p, &s->inner, &item);
			if (unlikely(p == NULL))
				return NULL;
			push(r, item);
			p = blanks(r, p);
			if (unlikely(p >= r->end || (*p != ',' && *p != '}')))
				return bad(r, p, "expected , or } in an object");
			if (*p++ == '}')
				break;
			p = blanks(r, p);
		}
	r->top = base;
	r->place = hint;
	return finish_object(r, p, new_dict(r, s, r->stack + base), out);
}

/* ---- the text ---- */

static char *
place(const reader *r)
{
	unsigned long line = 1, col = 1;

	for (const char *p = r->text; p < r->p && p < r->end; p++) {
		if (*p == '\n')
			line++, col = 1;
		else if (((unsigned char)*p & 0xc0) != 0x80)
			col++;
	}
	return vt_asprintf("line %lu column %lu: %s", line, col, r->why);
}

static bool
failed(reader *r, char **err)
{
	while (r->top > 0)
		vt_release(r->stack[--r->top]);
	if (err)
		*err = place(r);
	vt_exc_clear(r->rt);
	return false;
}

/* whole: nothing but blanks may stand behind the value. */
static bool
read_text(vt_rt *rt, const char *text, size_t n, int flags, uint32_t max_depth, bool whole,
	vt_value *out, size_t *used, char **err)
{
	reader r;
	const char *p;
	bool ok;

	memset(&r, 0, offsetof(reader, small));
	r.rt = rt;
	r.heap = rt->s->heap;
	r.root = vt_shape_root(rt);
	r.text = text;
	r.end = text + n;
	r.max_depth = max_depth ? max_depth : MAX_DEPTH;
	r.frozen = !(flags & VT_JSON_MUTABLE);
	r.tagged = flags & VT_JSON_TAGGED;
	r.python = flags & VT_JSON_PYTHON;
	r.list_kind = r.frozen ? VT_K_TUPLE : VT_K_LIST;
	r.final = r.frozen && !r.tagged ? VT_F_FINAL | VT_F_DATA : 0;
	r.stack = r.small;
	r.cap = SMALL_STACK;
	r.recent_bits = n < SHORT_TEXT ? FEW : n < LONG_TEXT ? SOME : MANY;
	r.lanes = n < LONG_TEXT ? NULL : vt_lanes_new();
	r.recent = n < LONG_TEXT ? r.some : vt_xmalloc(sizeof *r.recent << MANY);
	forget(&r);
	p = read_value(&r, text, &r.root->inner, out);
	if (p != NULL && whole) {
		const char *end = p;
		p = blanks(&r, p);
		if (p < r.end) {
			vt_clear(out);
			bad(&r, p, "text after the value");
			p = NULL;
		} else
			p = end;
	}
	ok = p != NULL;
	if (ok)
		*used = (size_t)(p - text);
	else
		failed(&r, err);
	if (r.stack != r.small)
		free(r.stack);
	if (r.recent != r.some)
		free(r.recent);
	vt_lanes_free(r.lanes, r.heap);
	vt_buf_free(&r.buf);
	return ok;
}

bool
vt_json_read(vt_rt *rt, const char *text, size_t n, int flags, uint32_t max_depth, vt_value *out,
	char **err)
{
	size_t used;

	return read_text(rt, text, n, flags, max_depth, true, out, &used, err);
}

bool
vt_json_read_prefix(vt_rt *rt, const char *text, size_t n, int flags, uint32_t max_depth,
	vt_value *out, size_t *used, char **err)
{
	return read_text(rt, text, n, flags, max_depth, false, out, used, err);
}
