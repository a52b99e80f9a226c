#define _GNU_SOURCE
/*
 * fn.c - functions that expressions may call: Yay's own and those of Python that have no
 * effects.
 *
 * Arguments arrive resolved.  A row says how many it takes; the function gives an owned value.
 */
#include "runtime/yay/int.h"
#include "runtime/core/exception.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"
#include "runtime/text/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct call {
	vt_yay *s;
	ydoc *d;
	uint32_t row;
	uint32_t n;
	vt_value v[8];
} call;

static vt_status
bad(call *c, const char *what)
{
	return vt_raise(c->s->rt, VT_E_TYPE, "%s", what);
}

static vt_status
want_str(call *c, uint32_t i)
{
	return vt_is(c->v[i], STR) ? VT_OK : bad(c, "Expected string");
}

static vt_status
want_int(call *c, uint32_t i, int64_t *out)
{
	if ((vt_is_integer(c->v[i]) || vt_is_bool(c->v[i])) && vt_int_fits(c->v[i], out))
		return VT_OK;
	return bad(c, "Expected integer");
}

/* Items of a list, keys of a mapping, characters of a text: owned list. */
static vt_status
items(call *c, uint32_t i, vt_value *out)
{
	vt_value it;
	vt_status st;

	if (!vt_is_sequence(c->v[i]) && !vt_is(c->v[i], DICT) && !vt_is(c->v[i], STR))
		return bad(c, "Expected iterable");
	VT_TRY(vt_iterate(c->s->rt, c->v[i], &it));
	st = vt_collect(c->s->rt, NULL, it, VT_K_LIST, out);
	vt_release(it);
	return st;
}

/* ---- Yay's own ---- */

static vt_status
fn_range(call *c, vt_value *out)
{
	int64_t from = 0, to, step = 1;
	vt_list *l;

	VT_TRY(want_int(c, c->n == 1 ? 0 : 1, &to));
	if (c->n > 1)
		VT_TRY(want_int(c, 0, &from));
	if (c->n > 2)
		VT_TRY(want_int(c, 2, &step));
	if (step == 0)
		return bad(c, "range() takes no step of 0");
	l = vt_list_grow(c->s->rt, VT_K_LIST, 8);
	for (int64_t i = from; step > 0 ? i < to : i > to;) {
		if (l->n >= c->s->limit.nodes / 4) {
			vt_release(vt_mkptr(l));
			return bad(c, "range() is longer than the limit");
		}
		vt_list_push(c->s->rt, l, vt_int_new(c->s->rt, i));
		if (__builtin_add_overflow(i, step, &i))
			break;
	}
	*out = vt_mkptr(l);
	return VT_OK;
}

static vt_status
within(call *c, const vt_buf *b)
{
	return b->n <= c->s->limit.text ? VT_OK : bad(c, "the text is longer than the limit");
}

static vt_status
take(call *c, vt_status st, vt_buf *b, vt_value *out)
{
	if (st == VT_OK)
		*out = vt_str_take(c->s->rt, b);
	vt_buf_free(b);
	return st;
}

/*
 * The next place of a text that is not empty.  The window doubles, so that many hits in a long text
 * cost what lies between them even where memmem looks at all that it is given (AddressSanitizer's).
 */
static const char *
next_hit(const char *p, const char *end, const vt_str *what)
{
	for (size_t window = 2 * (size_t)what->bytes + 64;; window *= 2) {
		size_t left = (size_t)(end - p), n = left < window ? left : window;
		const char *hit = memmem(p, n, what->s, what->bytes);
		if (hit || n == left)
			return hit;
		p += n - what->bytes + 1;
	}
}

static vt_status
fn_replace(call *c, vt_value *out)
{
	const vt_str *s, *from, *to;
	vt_buf b = {0};
	vt_status st = VT_OK;

	for (uint32_t i = 0; i < 3; i++)
		VT_TRY(want_str(c, i));
	s = vt_as_str(c->v[0]), from = vt_as_str(c->v[1]), to = vt_as_str(c->v[2]);
	for (const char *p = s->s, *end = p + s->bytes; st == VT_OK;) {
		const char *hit = from->bytes ? next_hit(p, end, from) : p;
		if (!hit || (!from->bytes && p > end)) {
			vt_buf_put(&b, p, (size_t)(end - p));
			break;
		}
		vt_buf_put(&b, p, (size_t)(hit - p));
		vt_buf_put(&b, to->s, to->bytes);
		p = hit + from->bytes;
		if (!from->bytes) {
			if (p == end)
				break;
			vt_utf8_next(&p);
			vt_buf_put(&b, hit, (size_t)(p - hit));
		}
		st = within(c, &b);
	}
	return take(c, st, &b, out);
}

static uint32_t
group_of(const vt_regex *re, const char *name, size_t n)
{
	char *end;
	unsigned long k = strtoul(name, &end, 10);

	if (n && end == name + n)
		return k <= re->ngroups ? (uint32_t)k : UINT32_MAX;
	for (uint32_t i = 0; i < re->nnames; i++)
		if (vt_as_str(re->names[i].name)->bytes == n &&
			!memcmp(vt_as_str(re->names[i].name)->s, name, n))
			return re->names[i].group;
	return UINT32_MAX;
}

/* One reference behind its backslash: \1, \g<1>, \g<name>, \n, \t; *p moves behind it. */
static vt_status
put_reference(call *c, vt_buf *b, const vt_regex *re, const vt_str *s, const size_t *spans,
	const char **p, const char *end)
{
	const char *from = *p, *close;
	uint32_t g;

	if (*from >= '0' && *from <= '9') {
		for (*p = from + 1; *p < end && *p < from + 2 && **p >= '0' && **p <= '9'; (*p)++)
			;
		g = group_of(re, from, (size_t)(*p - from));
	} else if (*from == 'g' && from + 1 < end && from[1] == '<' &&
		   (close = memchr(from, '>', (size_t)(end - from)))) {
		*p = close + 1;
		g = group_of(re, from + 2, (size_t)(close - from - 2));
	} else {
		*p = from + 1;
		vt_buf_putc(b, *from == 'n'   ? '\n'
			       : *from == 't' ? '\t'
			       : *from == 'r' ? '\r'
					      : *from);
		return VT_OK;
	}
	if (g == UINT32_MAX)
		return bad(c, "invalid group reference");
	if (spans[2 * g] != VT_RE_UNSET)
		vt_buf_put(b, s->s + spans[2 * g], spans[2 * g + 1] - spans[2 * g]);
	return VT_OK;
}

static vt_status
put_replacement(call *c, vt_buf *b, const vt_regex *re, const vt_str *by, const vt_str *s,
	const size_t *spans)
{
	for (const char *p = by->s, *end = p + by->bytes; p < end;) {
		if (*p != '\\' || p + 1 >= end) {
			vt_buf_putc(b, *p++);
			continue;
		}
		p++;
		VT_TRY(put_reference(c, b, re, s, spans, &p, end));
	}
	return within(c, b);
}

static vt_status
substitute(call *c, vt_regex *re, const vt_str *by, const vt_str *s, vt_buf *b)
{
	size_t at = 0, copied = 0;
	bool no_empty = false;
	const size_t *spans;

	while (at <= s->bytes) {
		VT_TRY(vt_regex_match(c->s->rt, re, s, at, no_empty, &spans));
		if (!spans)
			break;
		size_t from = spans[0], to = spans[1];
		vt_buf_put(b, s->s + copied, from - copied);
		VT_TRY(put_replacement(c, b, re, by, s, spans));
		copied = at = to;
		no_empty = to == from || at == to;
	}
	vt_buf_put(b, s->s + copied, s->bytes - copied);
	return VT_OK;
}

/* Python's re.sub. */
static vt_status
fn_sub(call *c, vt_value *out)
{
	vt_value re;
	vt_buf b = {0};
	vt_status st;

	for (uint32_t i = 0; i < 3; i++)
		VT_TRY(want_str(c, i));
	if (!vt_regex_make)
		return bad(c, "there are no regular expressions in this program");
	VT_TRY(vt_regex_make(c->s->rt, c->v[0], 0, &re));
	st = substitute(c, VT_AS(vt_regex, re), vt_as_str(c->v[1]), vt_as_str(c->v[2]), &b);
	vt_release(re);
	return take(c, st, &b, out);
}

/* ---- Python's ---- */

static vt_status
fn_sum(call *c, vt_value *out)
{
	vt_value l, sum, next;
	vt_status st = VT_OK;

	VT_TRY(items(c, 0, &l));
	sum = c->n > 1 ? vt_copy(c->v[1]) : vt_mkint(0);
	for (uint32_t i = 0; st == VT_OK && i < vt_as_list(l)->n; i++)
		if ((st = vt_num_binary(c->s->rt, VT_OP_ADD, sum, vt_as_list(l)->v[i], &next)) ==
			VT_OK)
			vt_move(&sum, next);
	vt_release(l);
	return vt_settle(st, sum, out);
}

static vt_status
fn_len(call *c, vt_value *out)
{
	int64_t n;

	VT_TRY(vt_len(c->s->rt, c->v[0], &n));
	if (n < 0)
		return bad(c, "len() takes a list, a mapping or a text");
	*out = vt_int_new(c->s->rt, n);
	return VT_OK;
}

/* -1, 0, 1; 2: cannot be compared. */
static int
order(vt_value a, vt_value b)
{
	if (vt_is(a, STR) && vt_is(b, STR)) {
		int k = vt_str_cmp(vt_as_str(a), vt_as_str(b));
		return (k > 0) - (k < 0);
	}
	if ((vt_is_number(a) || vt_is_bool(a)) && (vt_is_number(b) || vt_is_bool(b)))
		return vt_num_cmp(a, b);
	return 2;
}

static vt_status
extreme(call *c, int want, vt_value *out)
{
	vt_value l, best = VT_NULL;
	vt_status st = VT_OK;

	if (c->n == 1)
		VT_TRY(items(c, 0, &l));
	else
		VT_TRY(vt_tuple_of(c->s->rt, c->n, c->v, &l));
	if (vt_as_list(l)->n == 0)
		st = bad(c, "min() and max() take something that is not empty");
	else
		best = vt_as_list(l)->v[0];
	for (uint32_t i = 1; st == VT_OK && i < vt_as_list(l)->n; i++) {
		int k = order(vt_as_list(l)->v[i], best);
		if (k == 2)
			st = bad(c, "values of different types have no order");
		else if (k == want)
			best = vt_as_list(l)->v[i];
	}
	if (st == VT_OK)
		*out = vt_copy(best);
	vt_release(l);
	return st;
}

static vt_status
fn_min(call *c, vt_value *out)
{
	return extreme(c, -1, out);
}
static vt_status
fn_max(call *c, vt_value *out)
{
	return extreme(c, 1, out);
}

static bool
merge_sort(vt_value *v, vt_value *tmp, uint32_t n)
{
	uint32_t h = n / 2, i = 0, j = h, k = 0;

	if (n < 2)
		return true;
	if (!merge_sort(v, tmp, h) || !merge_sort(v + h, tmp, n - h))
		return false;
	while (i < h && j < n) {
		int o = order(v[j], v[i]);
		if (o == 2)
			return false;
		tmp[k++] = o < 0 ? v[j++] : v[i++];
	}
	while (i < h)
		tmp[k++] = v[i++];
	memcpy(v, tmp, k * sizeof *v);
	return true;
}

static vt_status
fn_sorted(call *c, vt_value *out)
{
	vt_value l, *tmp;
	bool good;

	VT_TRY(items(c, 0, &l));
	tmp = vt_xmalloc((vt_as_list(l)->n + 1) * sizeof *tmp);
	/* an order that fails half-way leaves the items as they were in number, if not in place */
	good = true;
	for (uint32_t i = 1; i < vt_as_list(l)->n && good; i++)
		good = order(vt_as_list(l)->v[0], vt_as_list(l)->v[i]) != 2;
	good = good && merge_sort(vt_as_list(l)->v, tmp, vt_as_list(l)->n);
	free(tmp);
	if (good) {
		*out = l;
		return VT_OK;
	}
	vt_release(l);
	return bad(c, "values of different types have no order");
}

static vt_status
fn_list(call *c, vt_value *out)
{
	if (c->n == 0) {
		*out = vt_mkptr(vt_list_grow(c->s->rt, VT_K_LIST, 0));
		return VT_OK;
	}
	return items(c, 0, out);
}

static vt_status
fn_reversed(call *c, vt_value *out)
{
	VT_TRY(items(c, 0, out));
	for (uint32_t i = 0, n = vt_as_list(*out)->n; i < n / 2; i++) {
		vt_value t = vt_as_list(*out)->v[i];
		vt_as_list(*out)->v[i] = vt_as_list(*out)->v[n - 1 - i];
		vt_as_list(*out)->v[n - 1 - i] = t;
	}
	return VT_OK;
}

static vt_value
pair(call *c, vt_value a, vt_value b)
{
	vt_list *l = vt_list_grow(c->s->rt, VT_K_LIST, 2);

	vt_list_push(c->s->rt, l, a);
	vt_list_push(c->s->rt, l, b);
	return vt_mkptr(l);
}

static vt_status
fn_enumerate(call *c, vt_value *out)
{
	vt_value l;
	int64_t at = 0;

	if (c->n > 1)
		VT_TRY(want_int(c, 1, &at));
	VT_TRY(items(c, 0, &l));
	for (uint32_t i = 0; i < vt_as_list(l)->n; i++)
		vt_as_list(l)->v[i] = pair(c, vt_int_new(c->s->rt, at + i), vt_as_list(l)->v[i]);
	*out = l;
	return VT_OK;
}

static vt_status
fn_zip(call *c, vt_value *out)
{
	vt_value l[8];
	uint32_t least = UINT32_MAX, n = 0;
	vt_list *all;
	vt_status st = VT_OK;

	for (; n < c->n && st == VT_OK; n++)
		if ((st = items(c, n, &l[n])) != VT_OK)
			break;
		else if (vt_as_list(l[n])->n < least)
			least = vt_as_list(l[n])->n;
	all = vt_list_grow(c->s->rt, VT_K_LIST, 4);
	for (uint32_t i = 0; st == VT_OK && n && i < least; i++) {
		vt_list *row = vt_list_grow(c->s->rt, VT_K_LIST, n);
		for (uint32_t k = 0; k < n; k++)
			vt_list_push(c->s->rt, row, vt_copy(vt_as_list(l[k])->v[i]));
		vt_list_push(c->s->rt, all, vt_mkptr(row));
	}
	while (n > 0)
		vt_release(l[--n]);
	return vt_settle(st, vt_mkptr(all), out);
}

static vt_status
quantified(call *c, bool all, vt_value *out)
{
	vt_value l;
	bool yes = all;

	VT_TRY(items(c, 0, &l));
	for (uint32_t i = 0; i < vt_as_list(l)->n && yes == all; i++)
		yes = vt_is_true(vt_as_list(l)->v[i]);
	vt_release(l);
	*out = vt_mkbool(yes);
	return VT_OK;
}

static vt_status
fn_all(call *c, vt_value *out)
{
	return quantified(c, true, out);
}
static vt_status
fn_any(call *c, vt_value *out)
{
	return quantified(c, false, out);
}

static vt_status
fn_bool(call *c, vt_value *out)
{
	*out = vt_mkbool(c->n && vt_is_true(c->v[0]));
	return VT_OK;
}

static vt_status
fn_str(call *c, vt_value *out)
{
	vt_buf b = {0};

	if (c->n)
		vt_pystr(c->s->rt, &b, c->v[0]);
	*out = vt_str_take(c->s->rt, &b);
	return VT_OK;
}

static vt_status
fn_repr(call *c, vt_value *out)
{
	vt_buf b = {0};

	vt_repr(c->s->rt, &b, c->v[0]);
	*out = vt_str_take(c->s->rt, &b);
	return VT_OK;
}

static vt_status
fn_int(call *c, vt_value *out)
{
	int64_t base = 10;

	if (c->n > 1) {
		VT_TRY(want_str(c, 0));
		VT_TRY(want_int(c, 1, &base));
		if (base < 2 || base > 36)
			return bad(c, "int() takes a base from 2 to 36");
		return vt_int_parse(
			c->s->rt, vt_as_str(c->v[0])->s, vt_as_str(c->v[0])->bytes, (int)base, out);
	}
	if (vt_is(c->v[0], FLOAT))
		return vt_float_to_int(c->s->rt, vt_as_float(c->v[0]), out);
	if (vt_is(c->v[0], STR))
		return vt_int_from_str(c->s->rt, vt_as_str(c->v[0]), out)
			       ? VT_OK
			       : bad(c, "Expected integer");
	if (!vt_is_integer(c->v[0]) && !vt_is_bool(c->v[0]))
		return bad(c, "Expected integer");
	*out = vt_is_bool(c->v[0]) ? vt_mkint(c->v[0] == VT_TRUE) : vt_copy(c->v[0]);
	return VT_OK;
}

static vt_status
fn_float(call *c, vt_value *out)
{
	double f;

	if (vt_is(c->v[0], STR)) {
		if (!vt_float_from_str(vt_as_str(c->v[0]), &f))
			return bad(c, "Expected float");
	} else {
		VT_TRY(vt_num_double(c->s->rt, c->v[0], &f));
	}
	*out = vt_float_new(c->s->rt, f);
	return VT_OK;
}

static vt_status
want_number(call *c, uint32_t i)
{
	return vt_is_number(c->v[i]) || vt_is_bool(c->v[i]) ? VT_OK
							    : bad(c, "Expected integer or float");
}

static vt_status
fn_abs(call *c, vt_value *out)
{
	VT_TRY(want_number(c, 0));
	if (vt_num_cmp(c->v[0], vt_mkint(0)) == -1)
		return vt_num_neg(c->s->rt, c->v[0], out);
	return vt_is_bool(c->v[0]) ? fn_int(c, out) : (*out = vt_copy(c->v[0]), VT_OK);
}

static vt_status
fn_round(call *c, vt_value *out)
{
	int64_t digits = 0;
	vt_value v;

	VT_TRY(want_number(c, 0));
	if (c->n > 1)
		VT_TRY(want_int(c, 1, &digits));
	VT_TRY(vt_num_round(c->s->rt, c->v[0], digits, &v));
	if (c->n > 1 || !vt_is(v, FLOAT)) {
		*out = v;
		return VT_OK;
	}
	vt_status st = vt_float_to_int(c->s->rt, vt_as_float(v), out);
	vt_release(v);
	return st;
}

static vt_status
fn_chr(call *c, vt_value *out)
{
	int64_t cp;
	vt_buf b = {0};

	VT_TRY(want_int(c, 0, &cp));
	if (cp < 0 || cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
		return bad(c, "chr() takes the number of a character");
	vt_utf8_put(&b, (uint32_t)cp);
	*out = vt_str_take(c->s->rt, &b);
	return VT_OK;
}

static vt_status
fn_ord(call *c, vt_value *out)
{
	const char *p;

	VT_TRY(want_str(c, 0));
	if (vt_as_str(c->v[0])->points != 1)
		return bad(c, "ord() takes one character");
	p = vt_as_str(c->v[0])->s;
	*out = vt_mkint(vt_utf8_next(&p));
	return VT_OK;
}

static vt_status
in_base(call *c, int base, const char *prefix, vt_value *out)
{
	vt_buf b = {0}, digits = {0};

	if (!vt_is_integer(c->v[0]))
		return bad(c, "Expected integer");
	vt_int_repr(&digits, c->v[0], base);
	if (digits.n && digits.p[0] == '-')
		vt_buf_putc(&b, '-');
	vt_buf_puts(&b, prefix);
	vt_buf_put(&b, digits.p + (digits.p[0] == '-'), digits.n - (digits.p[0] == '-'));
	vt_buf_free(&digits);
	*out = vt_str_take(c->s->rt, &b);
	return VT_OK;
}

static vt_status
fn_hex(call *c, vt_value *out)
{
	return in_base(c, 16, "0x", out);
}
static vt_status
fn_oct(call *c, vt_value *out)
{
	return in_base(c, 8, "0o", out);
}
static vt_status
fn_bin(call *c, vt_value *out)
{
	return in_base(c, 2, "0b", out);
}

static const struct fn {
	const char *name;
	vt_status (*run)(call *, vt_value *out);
	uint32_t least, most;
} functions[] = {
	{"range", fn_range, 1, 3},
	{"replace", fn_replace, 3, 3},
	{"sub", fn_sub, 3, 3},
	{"sum", fn_sum, 1, 2},
	{"len", fn_len, 1, 1},
	{"min", fn_min, 1, 8},
	{"max", fn_max, 1, 8},
	{"sorted", fn_sorted, 1, 1},
	{"reversed", fn_reversed, 1, 1},
	{"list", fn_list, 0, 1},
	{"tuple", fn_list, 0, 1},
	{"enumerate", fn_enumerate, 1, 2},
	{"zip", fn_zip, 0, 8},
	{"all", fn_all, 1, 1},
	{"any", fn_any, 1, 1},
	{"bool", fn_bool, 0, 1},
	{"str", fn_str, 0, 1},
	{"repr", fn_repr, 1, 1},
	{"int", fn_int, 1, 2},
	{"float", fn_float, 1, 1},
	{"abs", fn_abs, 1, 1},
	{"round", fn_round, 1, 2},
	{"chr", fn_chr, 1, 1},
	{"ord", fn_ord, 1, 1},
	{"hex", fn_hex, 1, 1},
	{"oct", fn_oct, 1, 1},
	{"bin", fn_bin, 1, 1},
};

static const struct fn *
find(const vt_str *name)
{
	for (size_t i = 0; i < VT_LEN(functions); i++)
		if (strcmp(functions[i].name, name->s) == 0)
			return &functions[i];
	return NULL;
}

const char *
vt_yay_function(size_t i)
{
	return i < VT_LEN(functions) ? functions[i].name : NULL;
}

bool
yay_is_function(const vt_str *name)
{
	return find(name) != NULL;
}

static bool
arguments(call *c, const struct fn *f, yframe *env)
{
	vt_yay *s = c->s;

	for (uint32_t a = ROW(c->d, c->row)->b; a; a = ROW(c->d, a)->next) {
		yshape *sh;
		if (ROW(c->d, a)->kind == YAY_KWARG)
			return yay_fail(
				s, VT_YE_TYPE, c->d, a, "%s() takes no named arguments", f->name);
		if (c->n == f->most)
			return yay_fail(s, VT_YE_TYPE, c->d, c->row,
				"%s() takes at most %u arguments", f->name, f->most);
		if (!(sh = yay_eval(s, c->d, a, env)) || !yay_resolve(s, sh, &c->v[c->n]))
			return false;
		s->secret |= sh->secret;
		c->n++;
	}
	return c->n >= f->least || yay_fail(s, VT_YE_TYPE, c->d, c->row,
					   "%s() takes at least %u arguments", f->name, f->least);
}

yshape *
yay_function(vt_yay *s, ydoc *d, uint32_t row, const vt_str *name, yframe *env)
{
	const struct fn *f = find(name);
	call c = {.s = s, .d = d, .row = row};
	vt_value out = VT_UNDEF;
	yshape *sh = NULL;

	if (arguments(&c, f, env)) {
		if (f->run(&c, &out) == VT_OK)
			sh = yay_from_value(s, d, row, out);
		else
			yay_fail_rt(s, d, row);
	}
	vt_release(out);
	while (c.n > 0)
		vt_release(c.v[--c.n]);
	return sh;
}
