/*
 * split.c - split() and rightSplit(): rows of lib/strings.fn.
 */
#include "runtime/call/call.h"
#include "runtime/core/blocks.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/value.h"
#include "registry.h"

#include <string.h>

/* A text that shrinks from either side while its pieces are collected. max < 0: no limit. */
typedef struct pieces {
	vt_rt *rt;
	const vt_str *of;
	vt_list *list;
	const char *from, *to;
	int64_t max;
} pieces;

static void
piece(pieces *x, const char *from, const char *to)
{
	vt_list_push(x->rt, x->list, vt_str_part(x->rt, x->of, from, (size_t)(to - from)));
}

static bool
may_split(pieces *x)
{
	if (x->max == 0)
		return false;
	if (x->max > 0)
		x->max--;
	return true;
}

static const char *
next_hit(const pieces *x, const vt_str *sep)
{
	size_t n = (size_t)(x->to - x->from);
	return sep->bytes == 1 ? vt_find_byte(x->from, n, sep->s[0])
			       : vt_find(x->from, n, sep->s, sep->bytes);
}

static void
split_by(pieces *x, const vt_str *sep)
{
	const char *hit;
	while (may_split(x) && (hit = next_hit(x, sep)) != NULL) {
		piece(x, x->from, hit);
		x->from = hit + sep->bytes;
	}
	piece(x, x->from, x->to);
}

/* Leaves out what is empty; what is left at the limit keeps the blanks at its other end. */
static void
split_blanks(pieces *x)
{
	for (;;) {
		const char *p, *next;
		while (x->from < x->to && (next = x->from, vt_is_space(vt_utf8_next(&next))))
			x->from = next;
		if (x->from == x->to)
			return;
		if (!may_split(x)) {
			piece(x, x->from, x->to);
			return;
		}
		p = x->from;
		while (p < x->to && (next = p, !vt_is_space(vt_utf8_next(&next))))
			p = next;
		piece(x, x->from, p);
		x->from = p;
	}
}

static const char *
last_hit(const pieces *x, const vt_str *sep)
{
	if ((size_t)(x->to - x->from) < sep->bytes)
		return NULL;
	for (const char *p = x->to - sep->bytes; p >= x->from; p--)
		if (memcmp(p, sep->s, sep->bytes) == 0)
			return p;
	return NULL;
}

static void
rsplit_by(pieces *x, const vt_str *sep)
{
	const char *hit;
	while (may_split(x) && (hit = last_hit(x, sep)) != NULL) {
		piece(x, hit + sep->bytes, x->to);
		x->to = hit;
	}
	piece(x, x->from, x->to);
}

static bool
blank_before(const char *p)
{
	p = vt_utf8_before(p);
	return vt_is_space(vt_utf8_next(&p));
}

static void
rsplit_blanks(pieces *x)
{
	for (;;) {
		const char *p;
		while (x->from < x->to && blank_before(x->to))
			x->to = vt_utf8_before(x->to);
		if (x->from == x->to)
			return;
		if (!may_split(x)) {
			piece(x, x->from, x->to);
			return;
		}
		p = x->to;
		while (p > x->from && !blank_before(p))
			p = vt_utf8_before(p);
		piece(x, p, x->to);
		x->to = p;
	}
}

static void
reverse(vt_list *l)
{
	for (uint32_t i = 0, j = l->n; i + 1 < j; i++) {
		vt_value v = l->v[i];
		l->v[i] = l->v[--j];
		l->v[j] = v;
	}
}

/*
 * All pieces of an ASCII text between single bytes, or between blanks, where none of them is empty.
 * Their places are marked by blocks; then the pieces are made together.
 */
enum { SPANS = 32 };
typedef struct spans {
	const vt_str *of;
	vt_list *list; /* NULL: nothing was made yet */
	uint32_t from[SPANS], to[SPANS];
} spans;

static __attribute__((noinline)) void
make_spans(vt_rt *rt, spans *x, uint32_t n)
{
	vt_value made[SPANS];
	if (x->list == NULL) {
		x->list = vt_list_grow(rt, VT_K_LIST, n);
		vt_str_parts(rt, x->of, n, x->from, x->to, x->list->v);
		x->list->n = n;
	} else {
		vt_str_parts(rt, x->of, n, x->from, x->to, made);
		vt_list_append(rt, x->list, n, made);
	}
}

/* Which of 32 bytes separate. */
static inline uint32_t
separators(const char *p, bool blanks, char sep)
{
	return blanks ? vt_blanks16(p) | vt_blanks16(p + VT_BLOCK) << VT_BLOCK
		      : ~(vt_marks16_not(p, sep) | vt_marks16_not(p + VT_BLOCK, sep) << VT_BLOCK);
}

static inline __attribute__((always_inline)) vt_list *
split_by_marks(vt_rt *rt, const vt_str *s, bool blanks, char sep)
{
	uint32_t n = 0, last = 0, marks;
	char rest[VT_OVER];
	spans x;
	x.of = s;
	x.list = NULL;
	for (uint32_t at = 0; at < s->bytes; at += VT_OVER) {
		uint32_t left = s->bytes - at;
		const char *p = s->s + at;
		if (left < VT_OVER && !vt_may_overread(p, VT_OVER))
			p = memcpy(rest, p, left);
		marks = separators(p, blanks, sep);
		if (left < VT_OVER)
			marks &= ((uint32_t)1 << left) - 1;
		for (; marks != 0; marks &= marks - 1) {
			uint32_t end = at + (uint32_t)__builtin_ctz(marks);
			x.from[n] = last;
			x.to[n] = end;
			n += !blanks || end > last;
			last = end + 1;
			if (unlikely(n == SPANS)) {
				make_spans(rt, &x, n);
				n = 0;
			}
		}
	}
	x.from[n] = last;
	x.to[n] = s->bytes;
	n += !blanks || s->bytes > last;
	if (n > 0 || x.list == NULL)
		make_spans(rt, &x, n);
	return x.list;
}

static vt_list *
split_ascii(vt_rt *rt, const vt_str *s, const vt_str *sep)
{
	return sep == NULL ? split_by_marks(rt, s, true, ' ')
			   : split_by_marks(rt, s, false, sep->s[0]);
}

/* Any other text, or so many times at most. */
static vt_list *
split_slowly(vt_rt *rt, const vt_str *s, const vt_str *sep, bool right, int64_t most)
{
	pieces x = {.rt = rt, .of = s, .from = s->s, .to = s->s + s->bytes, .max = most};
	x.list = vt_list_grow(rt, VT_K_LIST, 8);
	if (sep == NULL)
		(right ? rsplit_blanks : split_blanks)(&x);
	else
		(right ? rsplit_by : split_by)(&x, sep);
	if (right)
		reverse(x.list);
	return x.list;
}

static vt_status
split(vt_args *a, bool right, vt_value *out)
{
	const vt_str *s = vt_as_str(a->v[0]), *sep = a->v[1] == VT_NULL ? NULL : vt_as_str(a->v[1]);
	vt_list *l;
	int64_t most;
	VT_TRY(vt_count_arg(a, 2, &most));
	if (sep != NULL && sep->bytes == 0)
		return vt_raise(a->rt, VT_E_VALUE, "empty separator");
	if (!right && most < 0 && (s->h.flags & VT_F_ASCII) && (sep == NULL || sep->bytes == 1))
		l = split_ascii(a->rt, s, sep);
	else
		l = split_slowly(a->rt, s, sep, right, most);
	if (sep != NULL && s->points < sep->points)
		most = 0;
	l->h.aux = (uint16_t)(VT_LIST_SPLIT | (most < 0 || most >= 12 ? 12 : most + 1) << 8);
	*out = vt_mkptr(l);
	return VT_OK;
}

/* All pieces of a short ASCII text between single bytes. */
static inline vt_value
split_short(vt_rt *rt, const vt_str *s, char sep)
{
	uint32_t from[VT_OVER + 1], to[VT_OVER + 1], n = 0, last = 0;
	uint32_t marks = separators(s->s, false, sep) & (uint32_t)((UINT64_C(1) << s->bytes) - 1);
	vt_list *l;
	for (; marks != 0; marks &= marks - 1) {
		from[n] = last;
		to[n] = (uint32_t)__builtin_ctz(marks);
		last = to[n++] + 1;
	}
	from[n] = last;
	to[n++] = s->bytes;
	l = vt_list_grow(rt, VT_K_LIST, n);
	vt_str_parts(rt, s, n, from, to, l->v);
	l->n = n;
	l->h.aux = VT_LIST_SPLIT | 12 << 8; /* as split() without a limit has it */
	return vt_mkptr(l);
}

vt_value
vt_quick_str_split(vt_rt *rt, const vt_value *v)
{
	vt_args a; /* what split() does not read is not cleared */
	vt_value made = VT_UNDEF;
	const vt_str *s = vt_as_str(v[0]);
	if (vt_is(v[0], STR) && vt_is(v[1], STR) && vt_is_int(v[2]) && vt_toint(v[2]) < 0 &&
		(s->h.flags & VT_F_ASCII) && s->bytes - 1 < VT_OVER &&
		vt_as_str(v[1])->bytes == 1 && vt_may_overread(s->s, VT_OVER))
		return split_short(rt, s, vt_as_str(v[1])->s[0]);
	a.rt = rt;
	a.v = (vt_value *)(uintptr_t)v;
	a.nv = 3;
	if (!vt_is(v[0], STR) || !vt_is_int(v[2]) ||
		!(v[1] == VT_NULL || (vt_is(v[1], STR) && vt_as_str(v[1])->bytes > 0)))
		return VT_UNDEF;
	return split(&a, false, &made) == VT_OK ? made : VT_UNDEF;
}

vt_status
vt_lib_str_split(vt_args *a, vt_value *out)
{
	return split(a, false, out);
}

vt_status
vt_lib_str_rsplit(vt_args *a, vt_value *out)
{
	return split(a, true, out);
}
