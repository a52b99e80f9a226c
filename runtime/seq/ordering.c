/*
 * ordering.c - the value of orderBy(): it is sorted when its first item is wanted, once.
 *
 * All orderings of a session are in a list: thenBy() can make one hold a lambda whose scope holds
 * the ordering, and the end of a session cuts that.
 */
#include "runtime/core/blocks.h"
#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/core/kind.h"
#include "runtime/seq/lambda_program.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 16, FEW_KEYS = 64 }; /* so many items and keys are kept on the stack */
enum { SHORT = 4 };               /* so few are compared rather than sorted by columns */
enum { MOST_COLUMNS = 64 };

static void
link_ordering(vt_rt *rt, vt_ordering *o)
{
	o->link = &rt->s->orderings;
	o->next = *o->link;
	if (o->next != NULL)
		o->next->link = &o->next;
	*o->link = o;
}

static void
unlink_ordering(vt_ordering *o)
{
	*o->link = o->next;
	if (o->next != NULL)
		o->next->link = o->link;
}

/* An ordering without keys stays one: its elements keep the order that they have. */
static void
drop_keys(vt_rt *rt, vt_ordering *o)
{
	vt_move(&o->keys, vt_mkptr(vt_list_grow(rt, VT_K_LIST, 0)));
}

/* Dropping the keys of one may free others, so each step looks at the list anew. */
void
vt_orderings_break(vt_rt *rt)
{
	vt_ordering *o, *kept = NULL;
	while ((o = rt->s->orderings) != NULL) {
		vt_retain(vt_mkptr(o));
		unlink_ordering(o);
		o->next = kept;
		o->link = &kept;
		if (kept != NULL)
			kept->link = &o->next;
		kept = o;
		drop_keys(rt, o);
		vt_release(vt_mkptr(o));
	}
	rt->s->orderings = kept;
	if (kept != NULL)
		kept->link = &rt->s->orderings;
}

vt_ordering *
vt_ordering_new(vt_rt *rt, const vt_unit *unit, vt_value key)
{
	vt_ordering *o = vt_alloc(rt, sizeof *o, VT_K_ORDERING);
	vt_list *keys = vt_list_grow(rt, VT_K_LIST, 2);

	vt_list_push(rt, keys, vt_copy(key));
	o->keys = vt_mkptr(keys);
	o->source = VT_UNDEF;
	o->sorted = VT_UNDEF;
	o->down = 0;
	o->unit = unit;
	link_ordering(rt, o);
	return o;
}

void
vt_ordering_free(vt_head *h)
{
	vt_ordering *o = (vt_ordering *)h;

	unlink_ordering(o);
	vt_release(o->source);
	vt_release(o->keys);
	vt_release(o->sorted);
}

/* ---- sorting ---- */

/*
 * A sort in progress.  n elements with m keys each: keys[e * m + k] is computed when it is first
 * compared, so that a later key is asked for only where the earlier ones are equal.
 */
typedef struct sorting {
	vt_rt *rt;
	const vt_ordering *o;
	const vt_list *by; /* the lambdas */
	const vt_list *items;
	vt_value *keys;
	uint32_t m;
	vt_value few[SHORT]; /* room for keys */
} sorting;

static vt_status
key_of(sorting *s, uint32_t e, uint32_t k, vt_value *out)
{
	vt_value *slot = &s->keys[(size_t)e * s->m + k];
	if (*slot == VT_UNDEF)
		VT_TRY(vt_apply(s->rt, s->by->v[k], 1, &s->items->v[e], slot));
	*out = *slot;
	return VT_OK;
}

/* Most texts differ in their first byte. */
static inline int
order_texts(const vt_str *x, const vt_str *y)
{
	unsigned char a = (unsigned char)x->s[0], b = (unsigned char)y->s[0];
	return a != b ? (a < b ? -1 : 1) : vt_str_cmp(x, y);
}

/* Two that are no numbers are equal. */
static __attribute__((noinline)) int
order_floats(vt_value x, vt_value y)
{
	double a = vt_float_of(x), b = vt_float_of(y);
	return a < b ? -1 : a > b;
}

/* -1, 0 or 1 of two integers, floats or texts; false: they are no such. */
static inline bool
order_plain(const sorting *s, vt_value x, vt_value y, int *order)
{
	if (vt_both_int(x, y))
		*order = vt_toint(x) < vt_toint(y) ? -1 : vt_toint(x) > vt_toint(y);
	else if (vt_is_float(x) && vt_is_float(y))
		*order = order_floats(x, y);
	else if (vt_is(x, STR) && vt_is(y, STR) && !s->rt->s->host_hides)
		*order = order_texts(vt_as_str(x), vt_as_str(y));
	else
		return false;
	return true;
}

/* The same by `<`, then `>`, as the operators say it. */
static vt_status
order_keys(sorting *s, vt_value x, vt_value y, int *order)
{
	bool less;
	if (order_plain(s, x, y, order))
		return VT_OK;
	*order = 0;
	VT_TRY(s->rt->s->calls->less(s->rt, NULL, s->o->unit, x, y, &less));
	if (less) {
		*order = -1;
	} else {
		vt_value argv[2] = {x, y}, r = VT_UNDEF;
		VT_TRY(s->rt->s->calls->binary(s->rt, NULL, VT_OP_GT, NULL, argv[0], argv[1], &r));
		*order = vt_is_true(r);
		vt_release(r);
	}
	return VT_OK;
}

static vt_status
order_slowly(sorting *s, uint32_t x, uint32_t y, int *order)
{
	vt_value kx, ky;
	*order = 0;
	for (uint32_t k = 0; k < s->m && *order == 0; k++) {
		VT_TRY(key_of(s, x, k, &kx));
		VT_TRY(key_of(s, y, k, &ky));
		VT_TRY(order_keys(s, kx, ky, order));
		if (s->o->down >> k & 1)
			*order = -*order;
	}
	return VT_OK;
}

static inline vt_status
order_items(sorting *s, uint32_t x, uint32_t y, int *order)
{
	if (s->m != 1 || !order_plain(s, s->keys[x], s->keys[y], order))
		return order_slowly(s, x, y, order);
	*order = s->o->down & 1 ? -*order : *order;
	return VT_OK;
}

/* Merges idx[0, half) and idx[half, n); the left one goes first when neither is less. */
static vt_status
merge(sorting *s, uint32_t *idx, uint32_t half, uint32_t n, uint32_t *spare)
{
	uint32_t i = 0, j = half, w = 0;
	int order;
	for (uint32_t k = 0; k < half; k++)
		spare[k] = idx[k];
	while (i < half && j < n) {
		VT_TRY(order_items(s, idx[j], spare[i], &order));
		idx[w++] = order < 0 ? idx[j++] : spare[i++];
	}
	while (i < half)
		idx[w++] = spare[i++];
	return VT_OK;
}

/* The length of the run that the elements begin with; one that falls strictly is turned round. */
static vt_status
first_run(sorting *s, uint32_t *idx, uint32_t n, uint32_t *length)
{
	uint32_t end = 2;
	int order, next;
	VT_TRY(order_items(s, idx[1], idx[0], &order));
	for (; end < n; end++) {
		VT_TRY(order_items(s, idx[end], idx[end - 1], &next));
		if ((next < 0) != (order < 0))
			break;
	}
	for (uint32_t i = 0; order < 0 && i < end / 2; i++) {
		uint32_t e = idx[i];
		idx[i] = idx[end - 1 - i];
		idx[end - 1 - i] = e;
	}
	*length = end;
	return VT_OK;
}

/*
 * Fewer than 64 elements as list.sort() of the reference takes them, comparison by comparison:
 * where the order is only a partial one (sets, NaN) that decides the result.
 */
static vt_status
sort_few(sorting *s, uint32_t *idx, uint32_t n)
{
	uint32_t i;
	int order;
	if (n < 2)
		return VT_OK;
	VT_TRY(first_run(s, idx, n, &i));
	for (; i < n; i++) {
		uint32_t e = idx[i], from = 0, to = i;
		while (from < to) {
			uint32_t middle = from + (to - from) / 2;
			VT_TRY(order_items(s, e, idx[middle], &order));
			if (order < 0)
				to = middle;
			else
				from = middle + 1;
		}
		for (to = i; to > from; to--)
			idx[to] = idx[to - 1];
		idx[from] = e;
	}
	return VT_OK;
}

/* Stable. Runs of fewer than 64, then merges; two halves in order already cost one comparison. */
static vt_status
sort_runs(sorting *s, uint32_t *idx, uint32_t n, uint32_t *spare)
{
	uint32_t half = n / 2;
	int order;
	if (n < 64)
		return sort_few(s, idx, n);
	VT_TRY(sort_runs(s, idx, half, spare));
	VT_TRY(sort_runs(s, idx + half, n - half, spare));
	VT_TRY(order_items(s, idx[half], idx[half - 1], &order));
	return order < 0 ? merge(s, idx, half, n, spare) : VT_OK;
}

/* The keys by the lambda's program, borrowed from the items or from `kept`. False: it is not for
 * all of them. */
static bool
key_column(sorting *s, uint32_t k, vt_value *to, vt_list *kept)
{
	const vt_lambda_program *t = vt_lambda_program_of(s->rt, s->by->v[k], 1);
	vt_batch *batch;
	bool ok = true;
	if (t == NULL)
		return false;
	batch = vt_batch_new(s->rt, vt_scope_of(s->by->v[k]));
	batch->still = true;
	for (uint32_t at = 0; ok && at < s->items->n;) {
		uint32_t n = vt_batch_fill_next(batch, t, s->items, &at), m = n;
		const vt_value *v = n > 0 ? vt_batch_results(batch, t, &m) : NULL;
		ok = n > 0 && m == n;
		if (ok)
			memcpy(to + at - n, v, n * sizeof *to);
		if (ok && vt_batch_owns_results(batch, t))
			vt_list_extend(s->rt, kept, n, v);
	}
	vt_batch_free(batch);
	return ok;
}

static bool
is_short(const vt_timespan *t)
{
	return t->days < 50000000 && t->days > -50000000;
}

/* Dates and spans as the instants or lengths that they are compared by, where all are such. */
static void
instants(vt_value *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!vt_is(v[i], DATETIME) || vt_is_date(v[i]))
			goto spans;
	for (uint32_t i = 0; i < n; i++) {
		const vt_datetime *t = VT_AS(vt_datetime, v[i]);
		v[i] = vt_mkint(t->us - (t->naive ? 0 : (int64_t)t->offset * 1000000));
	}
	return;
spans: /* as far as they are integers in one word */
	for (uint32_t i = 0; i < n; i++)
		if (!vt_is(v[i], TIMESPAN) || !is_short(VT_AS(const vt_timespan, v[i])))
			return;
	for (uint32_t i = 0; i < n; i++)
		v[i] = vt_mkint((int64_t)vt_span_us(v[i]));
}

/* ---- all keys at once ---- */

/* The keys of all rows by column; a key that may be null has one more in front, which says so. */
typedef struct columns {
	vt_rt *rt;
	uint32_t n, m;
	uint64_t down;
	vt_value *keys;  /* m columns, borrowed from the items or from `kept` */
	vt_value *words; /* the same again, which sorting writes over */
	vt_list *kept;
	uint8_t *tied;
} columns;

/* Null is less than all else. False: there is none. */
static bool
split_nulls(vt_value *key, vt_value *is_there, uint32_t n)
{
	vt_value other = vt_mkint(0);
	bool any = false;
	for (uint32_t i = 0; i < n; i++)
		if (key[i] == VT_NULL)
			any = true;
		else
			other = key[i];
	for (uint32_t i = 0; any && i < n; i++) {
		is_there[i] = vt_mkint(key[i] != VT_NULL);
		if (key[i] == VT_NULL)
			key[i] = other;
	}
	return any;
}

/* False: a lambda has to be called. */
static bool
fill_columns(sorting *s, columns *c)
{
	bool hidden = s->rt->s->host_hides;
	for (uint32_t k = 0; k < s->m; k++) {
		bool down = s->o->down >> k & 1;
		vt_value *key = c->keys + (size_t)c->n * c->m;
		if (!key_column(s, k, key, c->kept))
			return false;
		if (!hidden && split_nulls(key, key + c->n, c->n)) {
			for (uint32_t i = 0; i < c->n; i++) {
				vt_value v = key[i];
				key[i] = key[c->n + i];
				key[c->n + i] = v;
			}
			c->down |= (uint64_t)down << c->m++;
			key += c->n;
		}
		if (!hidden)
			instants(key, c->n);
		c->down |= (uint64_t)down << c->m++;
	}
	return true;
}

/* Some of the rows, in the order in which they stand in idx. */
static bool
sort_some(const columns *c, uint32_t *idx, uint32_t n, uint32_t *order, bool *exact, uint8_t *tied)
{
	vt_value *column[MOST_COLUMNS];
	for (uint32_t k = 0; k < c->m; k++) {
		column[k] = c->words + (size_t)n * k;
		for (uint32_t i = 0; i < n; i++)
			column[k][i] = c->keys[(size_t)c->n * k + idx[i]];
	}
	if (!vt_sort_columns(c->rt, n, c->m, column, c->down, order, exact, tied))
		return false;
	for (uint32_t i = 0; i < n; i++)
		order[i] = idx[order[i]];
	memcpy(idx, order, n * sizeof *idx);
	return true;
}

static vt_status
sort_by_comparing(sorting *s, uint32_t *idx, uint32_t n, uint32_t *spare)
{
	size_t nkeys = (size_t)s->items->n * s->m;
	if (s->keys == NULL) {
		s->keys = nkeys <= SHORT ? s->few : vt_xmalloc(nkeys * sizeof *s->keys + 1);
		for (size_t i = 0; i < nkeys; i++)
			s->keys[i] = VT_UNDEF;
	}
	return sort_runs(s, idx, n, spare);
}

/* Rows that the words do not tell apart. They begin alike, so they are sorted by what follows. */
static vt_status
sort_tied(sorting *s, const columns *c, uint32_t *idx, uint32_t n, uint8_t *tied, uint32_t *spare)
{
	for (uint32_t i = 1, from; i < n; i++) {
		bool exact = true;
		for (from = i - 1; i < n && tied[i]; i++)
			;
		if (i - from < 2)
			continue;
		if (i - from == n ||
			!sort_some(c, idx + from, i - from, spare, &exact, tied + from)) {
			VT_TRY(sort_by_comparing(s, idx + from, i - from, spare));
			continue;
		}
		if (!exact)
			VT_TRY(sort_tied(s, c, idx + from, i - from, tied + from, spare));
	}
	return VT_OK;
}

/* Where that cannot be distinguished from asking for the keys one by one. */
static vt_status
sort_columns(sorting *s, columns *c, uint32_t *idx, bool *done)
{
	bool exact = true;
	vt_status st = VT_OK;
	for (uint32_t i = 0; i < c->n; i++)
		idx[i] = i;
	*done = fill_columns(s, c) && sort_some(c, idx, c->n, idx + c->n, &exact, c->tied);
	if (*done && !exact)
		st = sort_tied(s, c, idx, c->n, c->tied, idx + c->n);
	return st;
}

static vt_status
try_columns(sorting *s, uint32_t *idx, bool *done)
{
	size_t n = s->items->n, most = 2 * n * s->m;
	vt_value few[FEW_KEYS];
	uint8_t few_tied[FEW_KEYS];
	columns c = {.rt = s->rt, .n = s->items->n};
	vt_status st;
	*done = false;
	if (2 * s->m > MOST_COLUMNS || n < 2)
		return VT_OK;
	c.keys = 2 * most <= FEW_KEYS ? few
				      : vt_block_new(s->rt->s->heap, 2 * most * sizeof *c.keys);
	c.words = c.keys + most;
	c.tied = n <= FEW_KEYS ? few_tied : vt_block_new(s->rt->s->heap, n);
	c.kept = vt_list_grow(s->rt, VT_K_LIST, 0);
	st = sort_columns(s, &c, idx, done);
	if (c.keys != few)
		vt_block_free(c.keys);
	if (c.tied != few_tied)
		vt_block_free(c.tied);
	vt_release(vt_mkptr(c.kept));
	return st;
}

static bool
has_functions(const sorting *s)
{
	for (uint32_t k = 0; k < s->m; k++) {
		const vt_lambda *l = VT_AS(vt_lambda, s->by->v[k]);
		if (l->code == NULL || l->code->direct == NULL)
			return false;
	}
	return true;
}

static vt_status
sort_indices(sorting *s, uint32_t *idx)
{
	uint32_t n = s->items->n;
	bool done = false;
	vt_status st = VT_OK;
	if ((size_t)n * s->m > SHORT || !has_functions(s))
		st = try_columns(s, idx, &done);
	if (st == VT_OK && !done) {
		for (uint32_t i = 0; i < n; i++)
			idx[i] = i;
		st = sort_by_comparing(s, idx, n, idx + n);
	}
	for (size_t i = 0; s->keys != NULL && i < (size_t)n * s->m; i++)
		vt_release(s->keys[i]);
	if (s->keys != s->few)
		free(s->keys);
	return st;
}

/* Items of a list that nobody else has go over as they are: counting them would touch all again. */
static vt_value
in_order(vt_rt *rt, vt_list *items, const uint32_t *idx)
{
	bool own = items->h.rc == 1 && !vt_has_borrowings(items);
	vt_list *l = vt_list_new(rt, VT_K_TUPLE, items->n);
	for (uint32_t i = 0; i < items->n; i++)
		l->v[i] = own ? items->v[idx[i]] : vt_copy(items->v[idx[i]]);
	if (own)
		items->n = 0;
	return vt_mkptr(l);
}

static vt_status
sort_items(vt_rt *rt, vt_ordering *o, const vt_list *by, vt_list *items, vt_value *out)
{
	sorting s = {.rt = rt, .o = o, .by = by, .items = items, .m = by->n};
	uint32_t few[2 * FEW], *idx = items->n <= FEW ? few
						      : vt_block_new(rt->s->heap,
								2 * (size_t)items->n * sizeof *idx);
	vt_status st = sort_indices(&s, idx);
	if (st == VT_OK)
		*out = in_order(rt, items, idx);
	if (idx != few)
		vt_block_free(idx);
	return st;
}

/* A key may iterate the ordering again: nothing of it is in use while the keys run but what is
 * counted here. */
vt_status
vt_ordering_sorted(vt_rt *rt, vt_ordering *o, vt_value *out)
{
	vt_value items = VT_UNDEF, keys, sorted = VT_UNDEF;
	vt_status st;
	if (o->sorted != VT_UNDEF) {
		*out = o->sorted;
		return VT_OK;
	}
	VT_TRY(vt_to_tuple(rt, NULL, o->source, &items));
	keys = vt_copy(o->keys);
	st = sort_items(rt, o, vt_as_list(keys), vt_as_list(items), &sorted);
	vt_release(keys);
	vt_release(items);
	if (st == VT_OK) {
		vt_move(&o->sorted, sorted);
		*out = sorted;
		/* Never needed again; a key's scope may hold this ordering. */
		vt_clear(&o->keys);
	}
	return st;
}

/* A word whose order is the key's among keys of its kind: integers, floats, texts of at most seven
 * bytes.  False: it has none. */
static inline bool
word_of_key(const vt_rt *rt, vt_value first, vt_value key, uint64_t *w)
{
	const uint64_t sign = UINT64_C(1) << 63;
	double d;
	if (vt_is_int(key) && vt_is_int(first)) {
		*w = key ^ sign;
	} else if (vt_is_float_word(key) && vt_is_float_word(first)) {
		d = vt_float_of_word(key) + 0.0; /* -0.0 equals 0.0 */
		memcpy(w, &d, sizeof *w);
		*w = *w & sign ? ~*w : *w | sign;
		return d == d;
	} else if (vt_is(key, STR) && vt_is(first, STR) && vt_as_str(key)->bytes < 8 &&
		   !rt->s->host_hides) {
		const vt_str *t = vt_as_str(key);
		*w = __builtin_bswap64(vt_first8(t->s, t->bytes)) | t->bytes;
	} else {
		return false;
	}
	return true;
}

/* By one key each; idx counts up.  False: nothing was done. */
static bool
sort_words(const vt_rt *rt, const vt_value *keys, bool down, uint32_t *idx, uint32_t n)
{
	uint64_t w[FEW_KEYS], x;
	uint32_t k;
	for (uint32_t i = 0; i < n; i++) {
		if (!word_of_key(rt, keys[0], keys[i], &w[i]))
			return false;
		w[i] = down ? ~w[i] : w[i];
	}
	for (uint32_t i = 1; i < n; i++) {
		for (x = w[i], k = i; k > 0 && w[k - 1] > x; k--) {
			w[k] = w[k - 1];
			idx[k] = idx[k - 1];
		}
		w[k] = x;
		idx[k] = i;
	}
	return true;
}

/* So many keys for each item, or none, where nothing is compared. */
vt_status
vt_sort_few(vt_rt *rt, const vt_unit *u, vt_value items, vt_value keys, int down, vt_value *sorted)
{
	const vt_list *l = vt_as_list(items), *by = vt_as_list(keys);
	const vt_ordering order = {.unit = u, .down = (uint64_t)down};
	sorting s = {.rt = rt, .o = &order, .items = l, .keys = by->v};
	uint32_t idx[FEW_KEYS];
	vt_list *made;

	for (uint32_t i = 0; i < l->n; i++)
		idx[i] = i;
	if (by->n > 0) {
		s.m = by->n / l->n;
		if (s.m != 1 || !sort_words(rt, by->v, down & 1, idx, l->n))
			VT_TRY(sort_few(&s, idx, l->n));
	}
	made = vt_list_grow(rt, VT_K_TUPLE, l->n);
	for (uint32_t i = 0; i < l->n; i++)
		made->v[i] = vt_copy(l->v[idx[i]]);
	made->n = l->n;
	*sorted = vt_mkptr(made);
	return VT_OK;
}
