/*
 * strings.c - rows of lib/strings.fn; format() is in format.c.
 *
 * Positions in the interface are code points; inside, most work goes by bytes, which is safe since
 * UTF-8 text contains another one only at the boundaries of code points.
 */
#define _GNU_SOURCE
#include "runtime/call/call.h"
#include "runtime/core/blocks.h"
#include "runtime/core/base.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/core/value.h"
#include "runtime/seq/lambda_program.h"
#include "runtime/seq/seq.h"
#include "registry.h"

#include <math.h>
#include <string.h>

static const vt_str *
str(vt_args *a, uint32_t i)
{
	return vt_as_str(a->v[i]);
}

vt_status
vt_count_arg(vt_args *a, uint32_t i, int64_t *n)
{
	if (!vt_int_fits(a->v[i], n))
		return vt_raise(
			a->rt, VT_E_OVERFLOW, "Python int too large to convert to C ssize_t");
	return VT_OK;
}

/* ---- comparison, concatenation --------------------------------------------------------------- */

#define COMPARISON(name, test) \
	vt_status vt_lib_str_##name(vt_args *a, vt_value *out) \
	{ \
		int order = vt_str_cmp(str(a, 0), str(a, 1)); \
		*out = vt_mkbool(test); \
		return VT_OK; \
	}
COMPARISON(lt, order < 0)
COMPARISON(le, order <= 0)
COMPARISON(gt, order > 0)
COMPARISON(ge, order >= 0)

vt_status
vt_lib_str_concat(vt_args *a, vt_value *out)
{
	vt_buf b = {0};
	size_t total = 0;
	for (uint32_t i = 0; i < a->nrest; i++)
		total += vt_as_str(a->rest[i])->bytes;
	if (total > INT32_MAX)
		return vt_raise_long_text(a->rt);
	for (uint32_t i = 0; i < a->nrest; i++)
		vt_buf_put(&b, vt_as_str(a->rest[i])->s, vt_as_str(a->rest[i])->bytes);
	*out = vt_str_take(a->rt, &b);
	return VT_OK;
}

/* ---- properties of one string ---------------------------------------------------------------- */

vt_status
vt_lib_str_len(vt_args *a, vt_value *out)
{
	*out = vt_mkint(str(a, 0)->points);
	return VT_OK;
}

vt_value
vt_quick_to_upper(vt_rt *rt, const vt_value *v)
{
	return vt_is(v[0], STR) ? vt_str_upper(rt, vt_as_str(v[0])) : VT_UNDEF;
}

vt_value
vt_quick_to_lower(vt_rt *rt, const vt_value *v)
{
	return vt_is(v[0], STR) ? vt_str_lower(rt, vt_as_str(v[0])) : VT_UNDEF;
}

vt_status
vt_lib_to_upper(vt_args *a, vt_value *out)
{
	*out = vt_str_upper(a->rt, str(a, 0));
	return VT_OK;
}

vt_status
vt_lib_to_lower(vt_args *a, vt_value *out)
{
	*out = vt_str_lower(a->rt, str(a, 0));
	return VT_OK;
}

vt_value
vt_quick_is_string(vt_rt *rt, const vt_value *v)
{
	(void)rt;
	return vt_mkbool(vt_is(v[0], STR));
}

vt_status
vt_lib_is_string(vt_args *a, vt_value *out)
{
	*out = vt_mkbool(vt_is(a->v[0], STR));
	return VT_OK;
}

/* ---- text of values -------------------------------------------------------------------------- */

static vt_value
digits_of(vt_rt *rt, int64_t n)
{
	char text[VT_INT_TEXT], *end = text + sizeof text, *p = vt_int_digits(end, n), *at;
	vt_value s;
	if (end - p == 1)
		return vt_str_new(rt, p, 1); /* a constant */
	s = vt_str_room(rt, (size_t)(end - p), (uint32_t)(end - p), &at);
	vt_copy_short(at, p, (size_t)(end - p));
	return s;
}

vt_value
vt_quick_str(vt_rt *rt, const vt_value *v)
{
	char text[VT_FLOAT_TEXT];
	vt_buf b = {0};
	if (vt_is_int(v[0]))
		return digits_of(rt, vt_toint(v[0]));
	if (vt_is(v[0], STR))
		return vt_copy(v[0]);
	if (v[0] == VT_NULL || vt_is_bool(v[0]))
		return vt_str_c(rt, v[0] == VT_NULL ? "null" : v[0] == VT_TRUE ? "true" : "false");
	if (vt_is_float(v[0]) && isfinite(vt_float_of(v[0])))
		return vt_str_new(
			rt, text, (size_t)(vt_decimal_repr(text, vt_float_of(v[0])) - text));
	vt_yaqlstr(rt, &b, v[0]);
	return vt_str_take(rt, &b);
}

vt_status
vt_lib_str(vt_args *a, vt_value *out)
{
	*out = vt_quick_str(a->rt, a->v);
	return VT_OK;
}

/* Is str() here the one above, so that nothing needs to be called? */
static bool
plain_str(vt_args *a)
{
	VT_STR_CONST(3) name = {{VT_IMMORTAL, VT_K_STR, VT_F_ASCII, 0}, 3, 3, 0, "str"};
	uint32_t n = 0;
	if (a->scope != NULL && vt_scope_function(a->scope, (const vt_str *)&name) != VT_UNDEF)
		return false;
	return !a->rt->s->host_hides || vt_host_find(a->rt, "str", &n) == NULL;
}

/* Appends the text of a value as the str() that is visible here makes it. */
static vt_status
put_text(vt_args *a, bool plain, vt_value v, vt_buf *b)
{
	vt_value s = VT_UNDEF;
	vt_status st = VT_OK;
	if (plain) {
		if (vt_is(v, STR))
			vt_buf_put(b, vt_as_str(v)->s, vt_as_str(v)->bytes);
		else if (vt_is_int(v))
			vt_int_repr(b, v, 10);
		else
			vt_yaqlstr(a->rt, b, v);
		return VT_OK;
	}
	VT_TRY(vt_call_name(a->rt, a->scope, a->unit, "str", 1, &v, &s));
	if (vt_is(s, STR))
		vt_buf_put(b, vt_as_str(s)->s, vt_as_str(s)->bytes);
	else
		st = vt_raise(a->rt, VT_E_TYPE, "expected str instance, %s found", vt_py_type(s));
	vt_release(s);
	return st;
}

/* Where str() is a function of the program it may look at the iterator: then item by item. */
static vt_status
join_items(vt_args *a, vt_value iter, const vt_str *sep, vt_buf *b)
{
	bool plain = plain_str(a), first = true;
	vt_status st = VT_OK;
	vt_value item;
	vt_pull p;
	vt_pull_open(&p, a->rt, iter);
	p.singly = !plain;
	while (VT_PULL_EACH(&p, item, st)) {
		if (!first)
			vt_buf_put(b, sep->s, sep->bytes);
		first = false;
		st = put_text(a, plain, item, b);
		vt_release(item);
		if (st == VT_OK && b->n > INT32_MAX)
			st = vt_raise_long_text(a->rt);
	}
	vt_pull_close(&p);
	return st;
}

static uint32_t
size_of_int(int64_t n)
{
	uint64_t u = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
	uint32_t size = 1 + (n < 0);
	for (; u >= 10; u /= 10)
		size++;
	return size;
}

/* A string or a small integer; behind it. */
static inline char *
write_text(char *at, vt_value v)
{
	char text[VT_INT_TEXT], *end = text + sizeof text;
	const char *p;
	size_t n;
	if (vt_is_int(v)) {
		p = vt_int_digits(end, vt_toint(v));
		n = (size_t)(end - p);
	} else {
		p = vt_as_str(v)->s;
		n = vt_as_str(v)->bytes;
	}
	if (n == 1)
		*at = *p;
	else
		vt_copy_short(at, p, n);
	return at + n;
}

/* How many there are in front that are texts of one byte. */
static uint32_t
letters(uint32_t n, const vt_value *v)
{
	uint32_t i = 0;
	while (i < n && vt_is(v[i], STR) && vt_as_str(v[i])->bytes == 1)
		i++;
	return i;
}

/* False: there are others than strings and small integers.  The first ones are letters. */
static bool
measure(uint32_t n, const vt_value *v, uint32_t ones, const vt_str *sep, uint64_t *bytes,
	uint64_t *points)
{
	uint64_t seps = n > 0 ? n - 1 : 0;
	*bytes = seps * sep->bytes + ones;
	*points = seps * sep->points + ones;
	for (uint32_t i = ones; i < n; i++) {
		const vt_str *x = vt_is(v[i], STR) ? vt_as_str(v[i]) : NULL;
		uint32_t size = x == NULL && vt_is_int(v[i]) ? size_of_int(vt_toint(v[i])) : 0;
		if (x == NULL && size == 0)
			return false;
		*bytes += x != NULL ? x->bytes : size;
		*points += x != NULL ? x->points : size;
	}
	return true;
}

static bool
join_texts(vt_rt *rt, uint32_t n, const vt_value *v, const vt_str *sep, vt_value *out)
{
	uint64_t bytes, points;
	uint32_t ones = letters(n, v), i = 0;
	char *at;
	if (!measure(n, v, ones, sep, &bytes, &points) || bytes > INT32_MAX)
		return false;
	*out = vt_str_room(rt, bytes, (uint32_t)points, &at);
	for (; sep->bytes == 0 && i < ones; i++)
		*at++ = vt_as_str(v[i])->s[0];
	for (; i < n; i++) {
		if (i > 0 && sep->bytes == 1)
			*at++ = sep->s[0];
		else if (i > 0 && sep->bytes > 1)
			at = write_text(at, vt_mkptr(sep));
		at = write_text(at, v[i]);
	}
	return true;
}

static vt_status
join_walked(vt_args *a, vt_value sequence, const vt_str *sep, vt_value *out)
{
	vt_value iter = VT_UNDEF;
	vt_buf b = {0};
	vt_status st;
	VT_TRY(vt_iterate_limited(a->rt, a->unit, sequence, &iter));
	st = join_items(a, iter, sep, &b);
	vt_release(iter);
	if (st == VT_OK)
		*out = vt_str_take(a->rt, &b);
	vt_buf_free(&b);
	return st;
}

/* A list, and what is left of one, is measured first. */
static vt_status
join(vt_args *a, vt_value sequence, const vt_str *sep, vt_value *out)
{
	bool open = a->unit->opt.limit_iterators < 0 && plain_str(a);
	vt_value list = open && (vt_is(sequence, ITER) || vt_is(sequence, VIEW))
				? vt_collect_part(a->rt, sequence, VT_K_TUPLE)
				: VT_UNDEF;
	const vt_list *l;
	vt_status st = VT_OK;
	if (list != VT_UNDEF)
		sequence = list;
	l = vt_is_sequence(sequence) ? vt_as_list(sequence) : NULL;
	if (!open || l == NULL || !join_texts(a->rt, l->n, l->v, sep, out))
		st = join_walked(a, sequence, sep, out);
	vt_release(list);
	return st;
}

vt_status
vt_lib_str_join(vt_args *a, vt_value *out)
{
	return join(a, a->v[0], str(a, 1), out);
}

/* str() is not asked for texts and integers, so it has to be the library's. */
int
vt_join_fast(vt_rt *rt, const vt_ic *ic, vt_value list, vt_value by, vt_value *out)
{
	return vt_found(ic, VT_IN_GLUE) && vt_is_sequence(list) && vt_is(by, STR) &&
	       !rt->s->host_hides && !vt_metered(rt) &&
	       join_texts(rt, vt_as_list(list)->n, vt_as_list(list)->v, vt_as_str(by), out);
}

vt_status
vt_lib_str_join_by(vt_args *a, vt_value *out)
{
	return join(a, a->v[1], str(a, 0), out);
}

vt_value
vt_quick_hex(vt_rt *rt, const vt_value *v)
{
	char t[24], *at = t + sizeof t;
	int64_t n = vt_toint(v[0]);
	uint64_t u = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
	if (!vt_is_int(v[0]))
		return VT_UNDEF;
	do
		*--at = "0123456789abcdef"[u & 15];
	while ((u >>= 4) != 0);
	*--at = 'x';
	*--at = '0';
	if (n < 0)
		*--at = '-';
	return vt_str_new(rt, at, (size_t)(t + sizeof t - at));
}

vt_status
vt_lib_hex(vt_args *a, vt_value *out)
{
	vt_buf b = {0}, digits = {0};
	bool negative;
	if ((*out = vt_quick_hex(a->rt, a->v)) != VT_UNDEF)
		return VT_OK;
	if (!vt_is_integer(a->v[0]))
		return vt_raise(a->rt, VT_E_TYPE, "'%s' object cannot be interpreted as an integer",
			vt_py_type(a->v[0]));
	vt_int_repr(&digits, a->v[0], 16);
	negative = digits.p[0] == '-';
	vt_buf_puts(&b, negative ? "-0x" : "0x");
	vt_buf_put(&b, digits.p + negative, digits.n - negative);
	vt_buf_free(&digits);
	*out = vt_str_take(a->rt, &b);
	return VT_OK;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* A bound of a Python slice: negative ones count from the end. */
static uint32_t
bound(int64_t i, const vt_str *s)
{
	if (i < 0)
		i += s->points;
	return i < 0 ? 0 : i > s->points ? s->points : (uint32_t)i;
}

static vt_value
substring(vt_rt *rt, const vt_str *s, int64_t start, int64_t length)
{
	uint32_t from, to;
	if (length < 0)
		length = s->points;
	if (start < 0)
		start += s->points;
	from = bound(start, s);
	to = bound(start + length, s);
	return from < to ? vt_str_sub(rt, s, from, to) : vt_str_new(rt, "", 0);
}

vt_value
vt_quick_substring(vt_rt *rt, const vt_value *v)
{
	enum { FAR = INT32_MAX };
	int64_t start = vt_toint(v[1]), length = vt_toint(v[2]);
	if (!vt_is(v[0], STR) || !vt_both_int(v[1], v[2]) || start > FAR || start < -FAR ||
		length > FAR)
		return VT_UNDEF;
	if (length == 1 && (vt_head_of(v[0])->flags & VT_F_ASCII) && start >= 0 &&
		start < vt_as_str(v[0])->points)
		return vt_str_character(vt_as_str(v[0]), (uint32_t)start);
	if (start >= 0 && length > 0 && start < vt_as_str(v[0])->points)
		return vt_str_sub(rt, vt_as_str(v[0]), (uint32_t)start, (uint32_t)(start + length));
	return substring(rt, vt_as_str(v[0]), start, length);
}

vt_status
vt_lib_substring(vt_args *a, vt_value *out)
{
	*out = substring(a->rt, str(a, 0), vt_int_clamped(a->v[1]), vt_int_clamped(a->v[2]));
	return VT_OK;
}

typedef int64_t search(vt_rt *, const vt_str *, const vt_str *, uint32_t, uint32_t);

/* str.find(sub, start[, end]); unlike a slice it finds nothing, not even "", from beyond the
 * end. */
static vt_status
find(vt_args *a, search *how, int64_t start, int64_t end, vt_value *out)
{
	const vt_str *s = str(a, 0);
	int64_t at = -1;
	if (start <= s->points)
		at = how(a->rt, s, str(a, 1), bound(start, s), bound(end, s));
	*out = vt_mkint(at);
	return VT_OK;
}

static vt_status
find_within(vt_args *a, search *how, vt_value *out)
{
	int64_t start = vt_int_clamped(a->v[2]), length = vt_int_clamped(a->v[3]),
		points = str(a, 0)->points;
	if (start < 0)
		start += points;
	if (length < 0)
		length = points - start;
	return find(a, how, start, start + length, out);
}

vt_value
vt_quick_str_find(vt_rt *rt, const vt_value *v)
{
	const vt_str *s = vt_as_str(v[0]);
	int64_t start = vt_toint(v[2]);
	if (!vt_is(v[0], STR) || !vt_is(v[1], STR) || !vt_is_int(v[2]))
		return VT_UNDEF;
	return vt_mkint(start > s->points
				? -1
				: vt_str_find(rt, s, vt_as_str(v[1]), bound(start, s), s->points));
}

vt_status
vt_lib_str_find(vt_args *a, vt_value *out)
{
	return find(a, vt_str_find, vt_int_clamped(a->v[2]), INT32_MAX, out);
}

vt_status
vt_lib_str_find_within(vt_args *a, vt_value *out)
{
	return find_within(a, vt_str_find, out);
}

vt_status
vt_lib_str_rfind(vt_args *a, vt_value *out)
{
	return find(a, vt_str_rfind, vt_int_clamped(a->v[2]), INT32_MAX, out);
}

vt_status
vt_lib_str_rfind_within(vt_args *a, vt_value *out)
{
	return find_within(a, vt_str_rfind, out);
}

/* ---- replacing ------------------------------------------------------------------------------- */

typedef struct bytes {
	const char *p;
	size_t n;
} bytes;

/* Stops growing where no string may: the caller sees that by the length. */
static void
put_between(vt_buf *b, bytes s, bytes new, int64_t count)
{
	const char *p = s.p, *end = s.p + s.n;
	for (; count != 0 && b->n <= INT32_MAX; count -= count > 0) {
		const char *from = p;
		vt_buf_put(b, new.p, new.n);
		if (p == end)
			return;
		vt_utf8_next(&p);
		vt_buf_put(b, from, (size_t)(p - from));
	}
	vt_buf_put(b, p, (size_t)(end - p));
}

static void
put_replaced(vt_buf *b, bytes s, bytes old, bytes new, int64_t count)
{
	const char *p = s.p, *end = s.p + s.n, *hit;
	if (old.n == 0) {
		put_between(b, s, new, count);
		return;
	}
	for (; count != 0 && b->n <= INT32_MAX; count -= count > 0) {
		hit = vt_find(p, (size_t)(end - p), old.p, old.n);
		if (hit == NULL)
			break;
		vt_buf_put(b, p, (size_t)(hit - p));
		vt_buf_put(b, new.p, new.n);
		p = hit + old.n;
	}
	vt_buf_put(b, p, (size_t)(end - p));
}

static bytes
bytes_of(const vt_str *s)
{
	return (bytes){s->s, s->bytes};
}

/* An empty buffer has no memory yet. */
static bytes
bytes_in(const vt_buf *b)
{
	return (bytes){b->p ? b->p : "", b->n};
}

/* Where `old` stands, at most `most` places of it. */
enum { HITS = 32 };
static uint32_t
find_all(const vt_str *s, bytes old, uint32_t most, const char **hit)
{
	const char *p = s->s, *end = p + s->bytes;
	uint32_t n = 0;
	while (n < most && (p = vt_find(p, (size_t)(end - p), old.p, old.n)) != NULL) {
		hit[n++] = p;
		p += old.n;
	}
	return n;
}

/* The same of a byte, by blocks: the last one overlaps the one before. */
static uint32_t
find_bytes(const vt_str *s, char old, uint32_t most, const char **hit)
{
	const char *p = s->s, *end = p + s->bytes;
	uint32_t n = 0;
	while (p < end) {
		const char *from = end - p < VT_BLOCK ? end - VT_BLOCK : p;
		uint32_t marks = (vt_marks16_not(from, old) ^ 0xffff) >> (p - from);
		for (; marks != 0; marks &= marks - 1) {
			if (n == most)
				return n;
			hit[n++] = p + __builtin_ctz(marks);
		}
		p = from + VT_BLOCK;
	}
	return n;
}

/* With n of them replaced: the text is measured, and written once. */
static vt_value
with_hits(vt_rt *rt, const vt_str *s, uint32_t n, const char **hit, bytes old, bytes new)
{
	bool ascii = (s->h.flags & VT_F_ASCII) != 0;
	uint32_t less = ascii ? (uint32_t)old.n : vt_points(old.p, old.n);
	uint32_t more = new.n < 2 ? (uint32_t) new.n : vt_points(new.p, new.n);
	const char *p = s->s;
	vt_value v;
	char *to;
	v = vt_str_room(rt, s->bytes + n * new.n - n *old.n, s->points + n * more - n * less, &to);
	for (uint32_t i = 0; i < n; i++) {
		size_t before = (size_t)(hit[i] - p);
		vt_copy_short(to, p, before);
		vt_copy_short(to + before, new.p, new.n);
		to += before + new.n;
		p = hit[i] + old.n;
	}
	vt_copy_short(to, p, (size_t)(s->s + s->bytes - p));
	return v;
}

/* One byte by another one, everywhere. */
static __attribute__((noinline)) vt_value
with_other_byte(vt_rt *rt, vt_value text, char old, char new)
{
	const vt_str *s = vt_as_str(text);
	vt_bytemap m = vt_bytemap_of(old, 1, (char)(old ^ new));
	vt_value v;
	char *to;
	if (memchr(s->s, old, s->bytes) == NULL)
		return vt_copy(text);
	v = vt_str_room(rt, s->bytes, s->points, &to);
	vt_map_bytes(to, s->s, s->bytes, &m, 1);
	return v;
}

/* At few places; VT_UNDEF: there may be more. */
static __attribute__((noinline)) vt_value
with_few(vt_rt *rt, vt_value text, bytes old, bytes new, int64_t count)
{
	const vt_str *s = vt_as_str(text);
	const char *hit[HITS];
	uint32_t most = count < 0 || count > HITS ? HITS : (uint32_t)count;
	uint32_t n = old.n == 1 && s->bytes >= VT_BLOCK ? find_bytes(s, *old.p, most, hit)
							: find_all(s, old, most, hit);
	if (n == 0)
		return vt_copy(text);
	return n < HITS && s->bytes < INT32_MAX / 2 ? with_hits(rt, s, n, hit, old, new) : VT_UNDEF;
}

static __attribute__((noinline)) vt_status
with_many(vt_rt *rt, vt_value text, bytes old, bytes new, int64_t count, vt_value *out)
{
	vt_buf b = {0};
	put_replaced(&b, bytes_of(vt_as_str(text)), old, new, count);
	if (b.n > INT32_MAX) {
		vt_buf_free(&b);
		return vt_raise_long_text(rt);
	}
	*out = vt_str_take(rt, &b);
	return VT_OK;
}

/* The text with each `old` replaced; itself, where there is none of them. */
static inline vt_status
replaced(vt_rt *rt, vt_value text, bytes old, bytes new, int64_t count, vt_value *out)
{
	if (old.n == 1 && new.n == 1 && count < 0)
		*out = with_other_byte(rt, text, *old.p, *new.p);
	else if (old.n == 0 || new.n > 4096 ||
		 (*out = with_few(rt, text, old, new, count)) == VT_UNDEF)
		return with_many(rt, text, old, new, count, out);
	return VT_OK;
}

/* Texts whose result has at most a fraction of 2 GiB, whatever is replaced in them. */
enum { QUICKLY = 1 << 15 };

vt_value
vt_quick_str_replace(vt_rt *rt, const vt_value *v)
{
	vt_value made = VT_UNDEF;
	if (!vt_is(v[0], STR) || !vt_is(v[1], STR) || !vt_is(v[2], STR) || !vt_is_int(v[3]) ||
		vt_as_str(v[0])->bytes >= QUICKLY || vt_as_str(v[2])->bytes >= QUICKLY)
		return VT_UNDEF;
	(void)replaced(rt, v[0], bytes_of(vt_as_str(v[1])), bytes_of(vt_as_str(v[2])),
		vt_toint(v[3]), &made);
	return made;
}

int
vt_split_join(vt_rt *rt, const vt_ic *split, const vt_ic *join, vt_value s, vt_value by,
	vt_value glue, vt_value *out)
{
	const vt_value v[] = {s, by, glue, vt_mkint(-1)};
	vt_value made;
	if (!vt_found(split, VT_IN_SPLIT) || !vt_found(join, VT_IN_GLUE) || !vt_is(by, STR) ||
		vt_as_str(by)->bytes == 0 || vt_metered(rt) || rt->s->host_hides)
		return 0;
	made = vt_quick_str_replace(rt, v);
	if (made == VT_UNDEF)
		return 0;
	*out = made;
	return 1;
}

/* Has the site found the row of that function for what it is given? */
static bool
has_found(const vt_ic *ic, vt_fn fn)
{
	return ic->key == &vt_site_keys[VT_PLAIN_KEY] && ((const vt_fnrow *)ic->target)->fn == fn;
}

int
vt_turned_text(vt_rt *rt, const vt_ic *chars, const vt_ic *turn, const vt_ic *join, vt_value s,
	vt_value *out)
{
	const vt_str *from;
	const char *p, *next;
	char *at;
	if (!vt_is(s, STR) || vt_metered(rt) || rt->s->host_hides ||
		!has_found(chars, vt_lib_to_char_array) || !has_found(turn, vt_lib_reverse) ||
		!has_found(join, vt_lib_str_join))
		return 0;
	from = vt_as_str(s);
	*out = vt_str_room(rt, from->bytes, from->points, &at);
	at += from->bytes;
	for (p = from->s; p < from->s + from->bytes; p = next) {
		next = p + 1;
		if ((unsigned char)*p >= 0x80)
			(void)vt_utf8_next((next = p, &next));
		at -= next - p;
		memcpy(at, p, (size_t)(next - p));
	}
	return 1;
}

vt_status
vt_lib_str_replace(vt_args *a, vt_value *out)
{
	int64_t count;
	VT_TRY(vt_count_arg(a, 3, &count));
	return replaced(a->rt, a->v[0], bytes_of(str(a, 1)), bytes_of(str(a, 2)), count, out);
}

/* The value as str() has it: a text where it is one, else written into the buffer. */
static vt_status
text_of(vt_args *a, bool plain, vt_value v, vt_buf *b, bytes *text)
{
	vt_status st = VT_OK;
	if (plain && vt_is(v, STR)) {
		*text = bytes_of(vt_as_str(v));
		return VT_OK;
	}
	st = put_text(a, plain, v, b);
	*text = bytes_in(b);
	return st;
}

static vt_status
replace_pair(vt_args *a, bool plain, vt_value key, vt_value value, int64_t count, vt_value *text)
{
	vt_buf old = {0}, new = {0};
	vt_value made = VT_UNDEF;
	bytes from, to;
	vt_status st = text_of(a, plain, key, &old, &from);
	if (st == VT_OK)
		st = text_of(a, plain, value, &new, &to);
	if (st == VT_OK)
		st = replaced(a->rt, *text, from, to, count, &made);
	if (st == VT_OK)
		vt_move(text, made);
	vt_buf_free(&old);
	vt_buf_free(&new);
	return st;
}

vt_status
vt_lib_str_replace_dict(vt_args *a, vt_value *out)
{
	vt_value key, value, text;
	vt_status st = VT_OK;
	bool plain = plain_str(a);
	int64_t count;
	uint32_t pos = 0;
	if (vt_dict_len(vt_as_dict(a->v[1])) == 0) {
		*out = vt_copy(a->v[0]);
		return VT_OK;
	}
	VT_TRY(vt_count_arg(a, 2, &count));
	text = vt_copy(a->v[0]);
	while (st == VT_OK && vt_dict_at(vt_as_dict(a->v[1]), &pos, &key, &value))
		st = replace_pair(a, plain, key, value, count, &text);
	return vt_settle(st, text, out);
}

/* ---- characters ------------------------------------------------------------------------------ */

#define DIGITS "0123456789"
#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define PUNCTUATION "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
#define BLANKS " \t\n\r\v\f"

/* By parameter. NULL: Python 3 has no such set, and the reference fails when it is asked for. */
static const struct {
	const char *name, *set;
} alphabets[] = {
	{"digits", DIGITS},
	{"hexdigits", DIGITS "abcdefABCDEF"},
	{"ascii_lowercase", LOWER},
	{"ascii_uppercase", UPPER},
	{"ascii_letters", LOWER UPPER},
	{"letters", NULL},
	{"octdigits", "01234567"},
	{"punctuation", PUNCTUATION},
	{"printable", DIGITS LOWER UPPER PUNCTUATION BLANKS},
	{"lowercase", NULL},
	{"uppercase", NULL},
	{"whitespace", BLANKS},
};

vt_status
vt_lib_characters(vt_args *a, vt_value *out)
{
	bool wanted[128] = {false};
	vt_list *l;
	for (uint32_t i = 0; i < VT_LEN(alphabets); i++) {
		if (!vt_truth(a->v[i]))
			continue;
		if (alphabets[i].set == NULL)
			return vt_raise(a->rt, VT_E_ATTRIBUTE,
				"module 'string' has no attribute '%s'", alphabets[i].name);
		for (const char *p = alphabets[i].set; *p; p++)
			wanted[(unsigned char)*p] = true;
	}
	l = vt_list_grow(a->rt, VT_K_TUPLE, 8);
	l->h.flags |= VT_F_FINAL;
	for (int c = 0; c < 128; c++)
		if (wanted[c])
			vt_list_push(a->rt, l, vt_str_new(a->rt, &(char){(char)c}, 1));
	*out = vt_mkptr(l);
	return VT_OK;
}
