/*
 * batch_list.c - the step that makes a list of another one: with items replaced, put in or left
 * out, numbered, side by side with those of other lists, or in pieces.
 */
#include "runtime/seq/batch.h"

#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"

#include <string.h>

/* Does it walk, as far as can be seen, what never ends?  Who takes some of it asks for no more. */
static bool
is_endless(vt_value v)
{
	enum { DEEPEST = 8 };

	for (uint32_t i = 0; i < DEEPEST; i++) {
		const vt_iter *it;
		if (v == VT_UNDEF || !vt_is_ptr(v) || !vt_is(v, ITER))
			return false;
		it = VT_AS(vt_iter, v);
		if (strcmp(it->ops->name, "itertools.cycle") == 0 ||
			strcmp(it->ops->name, "itertools.count") == 0 ||
			strcmp(it->ops->name, "itertools.repeat") == 0)
			return true;
		v = it->v[0];
	}
	return false;
}

const vt_list *
vt_batch_whole(vt_rt *rt, vt_value v, bool fresh, vt_value *kept)
{
	if (v == VT_UNDEF)
		return NULL;
	if (vt_is_sequence(v))
		return vt_as_list(v);
	if ((!vt_is(v, VIEW) && !vt_is(v, ITER) && !vt_is(v, SET) && !vt_is(v, ORDERING)) ||
		!vt_is_data(v, fresh) || is_endless(v))
		return NULL;
	if (vt_collect(rt, NULL, v, VT_K_TUPLE, kept) != VT_OK) {
		vt_exc_clear(rt);
		return NULL;
	}
	return vt_as_list(*kept);
}

void
vt_batch_note_final(vt_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (vt_is_ptr(l->v[i]) && vt_head_of(l->v[i])->kind > VT_K_STR &&
			!(vt_head_of(l->v[i])->flags & VT_F_FINAL))
			return;
	l->h.flags |= VT_F_FINAL;
}

/* The list of one item on its way. */
typedef struct making {
	vt_batch *s;
	const vt_lambda_step *t;
	uint32_t i;
	const vt_list *from;
	vt_value made; /* `from`, where it was collected for this */
	bool own;      /* nobody else reads `from` */
} making;

static vt_value
argument(const making *m, uint32_t k)
{
	return k < m->t->n ? vt_batch_operand(m->s, m->t->args[k], m->i) : VT_UNDEF;
}

/* An argument that is a collection; *kept as for vt_batch_whole(). */
static const vt_list *
other_list(const making *m, uint32_t k, vt_value *kept)
{
	const vt_value *v = vt_batch_from(m->s, m->t->args[k]);

	*kept = VT_UNDEF;
	return v != NULL
		       ? vt_batch_whole(m->s->rt, v[m->i], vt_batch_owns(m->s, m->t->args[k]), kept)
		       : NULL;
}

/* ---- some items for others ---- */

static bool
all_final(uint32_t n, const vt_value *v)
{
	for (uint32_t i = 0; i < n; i++)
		if (!vt_is_final(v[i]))
			return false;
	return true;
}

/* May it be changed where it is? */
static bool
is_free(const making *m)
{
	return m->own && m->from->h.rc == 1 && m->from->h.aux == 0 &&
	       !(m->from->h.flags & VT_F_SHIFTED);
}

/* Where it is, for there is room. */
static vt_value
spliced_here(vt_list *l, uint32_t at, uint32_t without, uint32_t n, const vt_value *v)
{
	for (uint32_t k = 0; k < n; k++)
		vt_retain(v[k]);
	for (uint32_t k = 0; k < without; k++)
		vt_release(l->v[at + k]);
	memmove(l->v + at + n, l->v + at + without, (l->n - at - without) * sizeof *l->v);
	if (n > 0)
		memcpy(l->v + at, v, n * sizeof *v);
	l->n = l->n - without + n;
	if (!all_final(n, v))
		l->h.flags &= (uint8_t)~VT_F_FINAL;
	return vt_copy(vt_mkptr(l));
}

/* With n values in the place of some items. */
static vt_value
spliced(const making *m, uint32_t at, uint32_t without, uint32_t n, const vt_value *v)
{
	const vt_list *from = m->from;
	uint32_t behind = at + without;
	vt_list *l;

	if (is_free(m) && from->n - without + n <= from->cap)
		return spliced_here((vt_list *)(uintptr_t)from, at, without, n, v);
	l = vt_list_grow(m->s->rt, VT_K_TUPLE, from->n - without + n);
	l->h.flags |= VT_F_FINAL; /* as long as what is pushed is */
	vt_list_extend(m->s->rt, l, at, from->v);
	vt_list_extend(m->s->rt, l, n, v);
	vt_list_extend(m->s->rt, l, from->n - behind, from->v + behind);
	return vt_mkptr(l);
}

/* replace() and its like: `count` items from a position on give way to n values. */
static bool
replaced(const making *m, uint32_t n, const vt_value *v, vt_value count, vt_value *out)
{
	vt_value at = argument(m, 0);
	int64_t from, rest;

	if (!vt_is_int(at) || vt_toint(at) < 0 || !vt_is_int(count))
		return false;
	from = vt_toint(at) < m->from->n ? vt_toint(at) : m->from->n;
	rest = m->from->n - from;
	if (vt_toint(count) >= 0 && vt_toint(count) < rest)
		rest = vt_toint(count);
	*out = spliced(m, (uint32_t)from, (uint32_t)rest, rest > 0 ? n : 0, v);
	return true;
}

static bool
inserted(const making *m, uint32_t n, const vt_value *v, vt_value *out)
{
	vt_value at = argument(m, 0);

	if (!vt_is_int(at) || vt_toint(at) < 0)
		return false;
	*out = spliced(m, vt_toint(at) < m->from->n ? (uint32_t)vt_toint(at) : m->from->n, 0, n, v);
	return true;
}

static bool
put_in(const making *m, vt_value *out)
{
	unsigned how = m->t->c;
	vt_value one = VT_UNDEF, kept = VT_UNDEF, count;
	const vt_list *many = NULL;
	bool done;

	if (how == VT_LIST_REPLACE_MANY || how == VT_LIST_INSERT_MANY)
		many = other_list(m, 1, &kept);
	else
		one = argument(m, 1);
	if (many == NULL && one == VT_UNDEF)
		return false;
	count = m->t->n > 2 ? argument(m, 2) : vt_mkint(1);
	if (how == VT_LIST_INSERT || how == VT_LIST_INSERT_MANY)
		done = many ? inserted(m, many->n, many->v, out) : inserted(m, 1, &one, out);
	else
		done = many ? replaced(m, many->n, many->v, count, out)
			    : replaced(m, 1, &one, count, out);
	vt_release(kept);
	return done;
}

/* ---- behind the items ---- */

static bool
appended(const making *m, vt_value *out)
{
	vt_value v[VT_STEPS_MOST];

	for (uint32_t k = 0; k < m->t->n; k++)
		if ((v[k] = argument(m, k)) == VT_UNDEF ||
			(m->t->c == VT_LIST_ITEMS && vt_is(v[k], ITER)))
			return false;
	*out = spliced(m, m->from->n, 0, m->t->n, v);
	return true;
}

/* Such as list() takes apart, in its turn. */
static bool
has_iterators(const vt_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (vt_is(l->v[i], ITER))
			return true;
	return false;
}

static bool
chained(const making *m, vt_value *out)
{
	vt_value kept;
	vt_list *l = (vt_list *)(uintptr_t)m->from;
	bool ok = true;

	if (is_free(m)) {
		vt_retain(vt_mkptr(l));
	} else {
		l = vt_list_grow(m->s->rt, VT_K_TUPLE, m->from->n);
		l->h.flags |= VT_F_FINAL;
		vt_list_extend(m->s->rt, l, m->from->n, m->from->v);
	}
	for (uint32_t k = 0; ok && k < m->t->n; k++) {
		const vt_list *more = other_list(m, k, &kept);
		ok = more != NULL && l->n + (uint64_t)more->n <= VT_MOST_ITEMS &&
		     (m->t->c != VT_LIST_SPREAD || !has_iterators(more));
		if (ok)
			vt_list_extend(m->s->rt, l, more->n, more->v);
		vt_release(kept);
	}
	if (ok)
		*out = vt_mkptr(l);
	else
		vt_release(vt_mkptr(l));
	return ok;
}

/* How many items a list has without those that are lists, but with theirs.  False: some can be
 * walked and are none, or they lie too deep. */
static bool
count_flat(const vt_list *l, uint32_t depth, uint64_t *n)
{
	*n += l->n;
	for (uint32_t i = 0; i < l->n; i++) {
		vt_value v = l->v[i];
		if (vt_is_sequence(v)) {
			--*n;
			if (depth == 0 || !count_flat(vt_as_list(v), depth - 1, n))
				return false;
		} else if (!vt_is_scalar(v) && vt_is_iterable(NULL, v)) {
			return false;
		}
	}
	return true;
}

static void
add_flat(vt_list *to, const vt_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (vt_is_sequence(l->v[i]))
			add_flat(to, vt_as_list(l->v[i]));
		else
			to->v[to->n++] = vt_copy(l->v[i]);
}

static bool
flattened(const making *m, vt_value *out)
{
	enum { DEEPEST = 20 };
	uint64_t n = 0;
	vt_list *l;

	if (!count_flat(m->from, DEEPEST, &n) || n > VT_MOST_ITEMS)
		return false;
	l = vt_list_grow(m->s->rt, VT_K_TUPLE, (uint32_t)n);
	add_flat(l, m->from);
	vt_batch_note_final(l);
	*out = vt_mkptr(l);
	return true;
}

/* ---- rows ---- */

static bool
numbered(const making *m, vt_value *out)
{
	vt_value start = m->t->n > 0 ? argument(m, 0) : vt_mkint(0);
	vt_list *l;

	if (!vt_is_int(start) || vt_toint(start) > INT32_MAX || vt_toint(start) < INT32_MIN)
		return false;
	l = vt_list_grow(m->s->rt, VT_K_TUPLE, m->from->n);
	for (uint32_t i = 0; i < m->from->n; i++) {
		vt_list *pair = vt_list_grow(m->s->rt, VT_K_LIST, 2); /* which is no key */
		pair->v[0] = vt_mkint(vt_toint(start) + i);
		pair->v[1] = vt_copy(m->from->v[i]);
		pair->n = 2;
		l->v[l->n++] = vt_mkptr(pair);
	}
	*out = vt_mkptr(l);
	return true;
}

/* Their columns, one behind the other. */
static bool
numbers(const making *m, vt_value *out)
{
	vt_value start = m->t->n > 0 ? argument(m, 0) : vt_mkint(0);
	uint32_t n = m->from->n;
	vt_list *l;

	if (!vt_is_int(start) || vt_toint(start) > INT32_MAX || vt_toint(start) < INT32_MIN)
		return false;
	l = vt_list_grow(m->s->rt, VT_K_TUPLE, 2 * n);
	for (uint32_t i = 0; i < n; i++)
		l->v[i] = vt_mkint(vt_toint(start) + i);
	l->n = n;
	vt_list_extend(m->s->rt, l, n, m->from->v);
	*out = vt_mkptr(l);
	return true;
}

static bool
sides(const making *m, vt_value *out)
{
	vt_value kept;
	const vt_list *other = other_list(m, 0, &kept);
	uint32_t n = m->from->n;
	vt_list *l;

	if (other == NULL)
		return false;
	n = other->n < n ? other->n : n;
	l = vt_list_grow(m->s->rt, VT_K_TUPLE, 2 * n);
	vt_list_extend(m->s->rt, l, n, m->from->v);
	vt_list_extend(m->s->rt, l, n, other->v);
	*out = vt_mkptr(l);
	vt_release(kept);
	return true;
}

/* As many rows as the shortest of the lists has items. */
static bool
beside(const making *m, vt_value *out)
{
	const vt_list *of[VT_STEPS_MOST + 1];
	vt_value kept[VT_STEPS_MOST], row[VT_STEPS_MOST + 1];
	uint32_t n = m->from->n, given = 0;
	bool ok = true;

	of[0] = m->from;
	for (; ok && given < m->t->n; given++) {
		of[given + 1] = other_list(m, given, &kept[given]);
		ok = of[given + 1] != NULL;
		n = ok && of[given + 1]->n < n ? of[given + 1]->n : n;
	}
	if (ok) {
		vt_list *l = vt_list_grow(m->s->rt, VT_K_TUPLE, n);
		for (uint32_t i = 0; i < n; i++) {
			for (uint32_t k = 0; k <= given; k++)
				row[k] = of[k]->v[i];
			(void)vt_tuple_of(m->s->rt, given + 1, row, &l->v[l->n++]);
		}
		*out = vt_mkptr(l);
	}
	while (given > 0)
		vt_release(kept[--given]);
	return ok;
}

static bool
in_pieces(const making *m, vt_value *out)
{
	vt_value length = argument(m, 0);
	uint32_t n = m->from->n, size;
	vt_list *l;

	if (!vt_is_int(length) || vt_toint(length) <= 0)
		return false;
	size = vt_toint(length) < n ? (uint32_t)vt_toint(length) : n;
	l = vt_list_grow(m->s->rt, VT_K_TUPLE, size > 0 ? n / size + 1 : 0);
	for (uint32_t i = 0; i < n; i += size) {
		uint32_t here = n - i < size ? n - i : size;
		vt_list *piece = vt_list_grow(
			m->s->rt, vt_list_kind(((const vt_site *)m->t->by)->unit), here);
		piece->h.flags |= VT_F_FINAL;
		vt_list_extend(m->s->rt, piece, here, m->from->v + i);
		if (piece->h.kind != VT_K_TUPLE)
			piece->h.flags &= (uint8_t)~VT_F_FINAL;
		l->v[l->n++] = vt_mkptr(piece);
	}
	*out = vt_mkptr(l);
	return true;
}

/* ---- parts ---- */

static bool
part(const making *m, bool skips, vt_value *out)
{
	vt_value by = argument(m, 0);
	uint32_t n = m->from->n, at;
	vt_list *l;

	if (!vt_is_int(by) || vt_toint(by) < 0)
		return false;
	at = vt_toint(by) < n ? (uint32_t)vt_toint(by) : n;
	n = skips ? n - at : at;
	l = vt_list_grow(m->s->rt, VT_K_TUPLE, n);
	l->h.flags |= VT_F_FINAL; /* as long as what is pushed is */
	vt_list_extend(m->s->rt, l, n, m->from->v + (skips ? at : 0));
	*out = vt_mkptr(l);
	return true;
}

/* ---- regular expressions ---- */

static bool
found(const making *m, vt_value text, vt_value *out)
{
	vt_value re = argument(m, 0);
	vt_list *l;

	if (vt_regex_all == NULL || text == VT_UNDEF || !vt_is(text, STR) || re == VT_UNDEF ||
		!vt_is(re, REGEX))
		return false;
	l = vt_list_grow(m->s->rt, VT_K_TUPLE, 8);
	*out = vt_mkptr(l);
	return vt_regex_all(m->s->rt, VT_AS(vt_regex, re), vt_as_str(text),
		       (uint32_t)vt_toint(argument(m, 1)), vt_toint(argument(m, 2)), l) &&
	       l->n < VT_MOST_ITEMS;
}

static vt_value
group(const making *m, const vt_str *text, const vt_value *span)
{
	int64_t from = vt_toint(span[0]), to = vt_toint(span[1]);

	return from < 0 ? VT_NULL
			: vt_str_part(m->s->rt, text, text->s + from, (size_t)(to - from));
}

static bool
matches(const making *m, vt_value *out)
{
	const vt_str *text = vt_as_str(argument(m, 0));
	uint32_t size = 2 * (uint32_t)vt_toint(argument(m, 1)), n = m->from->n / size;
	int64_t one = vt_toint(argument(m, 2));
	vt_list *l = vt_list_new(m->s->rt, VT_K_TUPLE, n), *row;

	*out = vt_mkptr(l);
	for (uint32_t i = 0; i < n; i++) {
		const vt_value *span = m->from->v + (size_t)i * size;
		if (one >= 0) {
			l->v[i] = group(m, text, span + 2 * one);
			continue;
		}
		row = vt_list_new(m->s->rt, VT_K_TUPLE, size / 2);
		for (uint32_t g = 0; g < size / 2; g++)
			row->v[g] = group(m, text, span + 2 * g);
		row->h.flags |= VT_F_FINAL;
		l->v[i] = vt_mkptr(row);
	}
	return true;
}

/* How long the text becomes; 0: not all that is put into it are texts or null. */
static uint64_t
length_with(const vt_list *with, const vt_list *at, uint32_t size, const vt_str *text)
{
	uint64_t n = text->bytes + 1u;

	for (uint32_t i = 0; i < with->n; i++) {
		const vt_value *span = at->v + (size_t)i * size;
		if (with->v[i] != VT_NULL && !vt_is(with->v[i], STR))
			return 0;
		n += with->v[i] != VT_NULL ? vt_as_str(with->v[i])->bytes : 0;
		n -= (uint64_t)(vt_toint(span[1]) - vt_toint(span[0]));
	}
	return n <= INT32_MAX ? n : 0;
}

static bool
put_back(const making *m, vt_value *out)
{
	vt_value of = vt_batch_from(m->s, m->t->args[0])[m->i];
	const vt_list *at = vt_as_list(of);
	const vt_str *text = vt_as_str(argument(m, 1));
	uint32_t size = 2 * (uint32_t)vt_toint(argument(m, 2)), points = text->points;
	uint64_t n = (uint64_t)at->n == (uint64_t)m->from->n * size
			     ? length_with(m->from, at, size, text)
			     : 0;
	size_t last = 0;
	char *to;

	if (n == 0)
		return false;
	for (uint32_t i = 0; i < m->from->n; i++) {
		const vt_value *span = at->v + (size_t)i * size;
		size_t from = (size_t)vt_toint(span[0]), end = (size_t)vt_toint(span[1]);
		points -= vt_points(text->s + from, end - from);
		points += m->from->v[i] != VT_NULL ? vt_as_str(m->from->v[i])->points : 0;
	}
	*out = vt_str_room(m->s->rt, (uint32_t)n - 1, points, &to);
	for (uint32_t i = 0; i < m->from->n; i++) {
		const vt_value *span = at->v + (size_t)i * size, v = m->from->v[i];
		size_t from = (size_t)vt_toint(span[0]);
		memcpy(to, text->s + last, from - last);
		to += from - last;
		last = (size_t)vt_toint(span[1]);
		if (v != VT_NULL) {
			memcpy(to, vt_as_str(v)->s, vt_as_str(v)->bytes);
			to += vt_as_str(v)->bytes;
		}
	}
	memcpy(to, text->s + last, text->bytes - last);
	return true;
}

/* ---- the step ---- */

static bool
make(const making *m, vt_value *out)
{
	switch ((enum vt_list_step)m->t->c) {
	case VT_LIST_REPLACE:
	case VT_LIST_REPLACE_MANY:
	case VT_LIST_INSERT:
	case VT_LIST_INSERT_MANY: return put_in(m, out);
	case VT_LIST_DELETE:
		return replaced(m, 0, NULL, m->t->n > 1 ? argument(m, 1) : vt_mkint(1), out);
	case VT_LIST_ITEMS:
	case VT_LIST_APPEND: return appended(m, out);
	case VT_LIST_SPREAD:
	case VT_LIST_CONCAT: return chained(m, out);
	case VT_LIST_ENUMERATE: return numbered(m, out);
	case VT_LIST_ZIP: return beside(m, out);
	case VT_LIST_NUMBERS: return numbers(m, out);
	case VT_LIST_SIDES: return sides(m, out);
	case VT_LIST_FLATTEN: return flattened(m, out);
	case VT_LIST_SLICE: return in_pieces(m, out);
	case VT_LIST_LIMIT: return part(m, false, out);
	case VT_LIST_SKIP: return part(m, true, out);
	case VT_LIST_MATCHES: return matches(m, out);
	case VT_LIST_PUT: return put_back(m, out);
	case VT_LIST_FOUND: break;
	}
	return false;
}

static bool
listed(vt_batch *s, const vt_lambda_step *t, vt_value from, uint32_t i, vt_value *out)
{
	making m = {.s = s, .t = t, .i = i, .made = VT_UNDEF};
	bool done;

	if (!vt_step_counts(s, t, i))
		return false;
	if (t->c == VT_LIST_FOUND) {
		if (found(&m, from, out))
			return true;
		vt_clear(out);
		return false;
	}
	if (t->c == VT_LIST_INSERT && from != VT_UNDEF && !vt_is_sequence(from) &&
		!vt_is(from, ITER))
		return false; /* sets and the like have no insert() */
	m.from = vt_batch_whole(s->rt, from, vt_batch_owns(s, t->a), &m.made);
	if (m.from == NULL || m.from->n >= VT_MOST_ITEMS)
		return false;
	m.own = m.made != VT_UNDEF || (t->b != VT_STEP_K && vt_batch_owns(s, t->a));
	done = make(&m, out);
	vt_release(m.made);
	if (done && t->c != VT_LIST_PUT && !(vt_as_list(*out)->h.flags & VT_F_FINAL))
		vt_batch_note_final(vt_as_list(*out));
	return done;
}

void
vt_batch_listed(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_value *from = vt_batch_from(s, t->a);
	vt_value *v = vt_batch_values(s, r);
	uint32_t i;

	vt_batch_own(s, r);
	for (i = 0; from != NULL && i < s->n; i++) {
		v[i] = VT_UNDEF;
		if (!listed(s, t, from[i], i, &v[i]) && !(t->flags & VT_STEP_SOFT))
			break;
	}
	s->n = i;
}
