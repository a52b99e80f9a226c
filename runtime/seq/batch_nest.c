/*
 * batch_nest.c - a step of lambda programs that is a pipeline over a list of each item.
 *
 * The lists of all items are read as one: its pieces go through the programs of the stages by the
 * batch, and each value that comes out goes to the item that it belongs to.
 */
#include "runtime/seq/nest.h"

#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"
#include "runtime/seq/unmade.h"

#include <math.h>
#include <string.h>

enum { PAIR = sizeof(vt_list) + 2 * sizeof(vt_value) };

/* A piece on its way through the stages: cur[i] was made of item[at[i]]. */
typedef struct piece {
	uint32_t n;
	const vt_value *cur;
	uint8_t at[VT_BULK], of[VT_BULK];
	vt_value own[2][VT_BULK];
	const vt_value
		*beside; /* of pairs: cur has their first members, this the second; or NULL */
	vt_value second[2][VT_BULK];
	vt_value before[VT_BULK]; /* what the keys are of: LEAST, GREATEST, those of dicts */
} piece;

/* ---- values to their items ---- */

/* The first one is the sum.  Which are the first, no branch asks where all are words. */
static bool
add(nest *p, vt_value *sum, vt_value v)
{
	bool first = *sum == VT_UNDEF;
	vt_value begun = vt_pick(first, vt_mkint(0), *sum), made = VT_UNDEF;
	int64_t total;

	if (vt_is_float_word(v)) {
		begun = vt_pick(first, v, *sum);
		if (vt_is_float_word(begun) &&
			vt_float_put(vt_float_of_word(begun) + vt_float_of_word(v), &made)) {
			*sum = vt_pick(first, v, made);
			return true;
		}
	}
	if (vt_both_int(begun, v) &&
		!__builtin_add_overflow((int64_t)begun, (int64_t)(v - 1), &total)) {
		*sum = (vt_value)total;
		return true;
	}
	if (*sum == VT_UNDEF) {
		*sum = vt_copy(v);
		return true;
	}
	if (vt_float_grows(p->s->rt, sum, v))
		return true;
	if (!vt_is_number(*sum) || !vt_is_number(v))
		return false;
	if (vt_num_binary(p->s->rt, VT_OP_ADD, *sum, v, &made) != VT_OK) {
		vt_exc_clear(p->s->rt);
		return false;
	}
	vt_move(sum, made);
	return true;
}

/* The lesser or greater of both; of equal ones as min() and max() have it. */
static bool
keep_better(vt_value *best, vt_value v, bool greater)
{
	if (!vt_batch_ordered(v, *best))
		return false;
	if ((vt_batch_order(v, *best) == 1) == greater)
		vt_move(best, vt_copy(v));
	return true;
}

/* In order, the first of equal ones stays the first. */
static bool
keep_first(nest *p, uint32_t i, vt_value v, vt_value key)
{
	int c = p->v[i] == VT_UNDEF                 ? 0
		: !vt_batch_ordered(key, p->key[i]) ? 2
						    : vt_batch_order(key, p->key[i]);

	if (c == 2 || !vt_batch_ordered(key, key) || vt_batch_order(key, key) != 0)
		return false;
	if (p->v[i] != VT_UNDEF && (p->x->reduce == VT_NEST_LEAST ? c >= 0 : c <= 0))
		return true;
	vt_move(&p->v[i], vt_copy(v));
	vt_move(&p->key[i], vt_copy(key));
	return true;
}

/* A list's items; what is none, and nothing that could be walked, itself. */
static bool
add_flat(nest *p, vt_list *to, vt_value v)
{
	if (vt_is_sequence(v))
		vt_list_extend(p->s->rt, to, vt_as_list(v)->n, vt_as_list(v)->v);
	else if (vt_is_scalar(v) && v != VT_UNDEF)
		vt_list_push(p->s->rt, to, vt_copy(v));
	else
		return false;
	return true;
}

static bool
makes_dict(const vt_nest *x)
{
	return x->reduce == VT_NEST_DICT || x->reduce == VT_NEST_OPEN_DICT;
}

static bool
makes_groups(const vt_nest *x)
{
	return x->reduce == VT_NEST_GROUPED || x->reduce == VT_NEST_OLD_GROUPED;
}

static bool
makes_list(const vt_nest *x)
{
	return (x->reduce >= VT_NEST_ACCUMULATED && x->reduce <= VT_NEST_FALLING) ||
	       makes_groups(x) || x->reduce >= VT_NEST_RISING_BY;
}

static bool
put_pair(nest *p, vt_dict *d, vt_value key, vt_value v)
{
	if (!vt_is_scalar(key) || key == VT_UNDEF || v == VT_UNDEF ||
		vt_dict_len(d) >= VT_MOST_ITEMS)
		return false;
	return vt_dict_put(p->s->rt, d, key, v) == VT_OK;
}

/* An item, and the row of its keys, which is the at-th that the last stage has made. */
static bool
keep_keys(nest *p, uint32_t i, vt_value v, uint32_t at)
{
	const vt_lambda_program *t = p->x->stage[p->x->n - 1].program;
	const vt_batch *s = p->stage[p->x->n - 1];

	vt_list_push(p->s->rt, vt_as_list(p->v[i]), vt_copy(v));
	for (uint32_t k = 0; k < t->nout; k++) {
		if (s->col[t->out[k]][at] == VT_UNDEF)
			return false;
		vt_list_push(p->s->rt, vt_as_list(p->key[i]), vt_copy(s->col[t->out[k]][at]));
	}
	return true;
}

/* The list that is being made is one of those that the step gives. */
static void
end_part(nest *p, uint32_t i)
{
	vt_list *l = p->key[i] != VT_UNDEF ? vt_as_list(p->key[i])
					   : vt_list_grow(p->s->rt, VT_K_TUPLE, 0);

	vt_batch_note_final(l);
	vt_list_push(p->s->rt, vt_as_list(p->v[i]), vt_mkptr(l));
	p->key[i] = VT_UNDEF;
}

static void
add_to_part(nest *p, uint32_t i, vt_value v)
{
	if (p->key[i] == VT_UNDEF)
		p->key[i] = vt_mkptr(vt_list_grow(p->s->rt, VT_K_TUPLE, 4));
	vt_list_push(p->s->rt, vt_as_list(p->key[i]), vt_copy(v));
}

static bool
split(nest *p, uint32_t i, vt_value yes, vt_value v)
{
	if (!vt_is_scalar(yes))
		return false;
	if (vt_is_true(yes))
		end_part(p, i);
	else
		add_to_part(p, i, v);
	return true;
}

static bool
slice(nest *p, uint32_t i, vt_value is, vt_value v)
{
	if (!vt_is_bool(is))
		return false;
	if (p->key[i] != VT_UNDEF && p->turned[i] != (is == VT_TRUE))
		end_part(p, i);
	p->turned[i] = is == VT_TRUE;
	add_to_part(p, i, v);
	return true;
}

/* The at-th that the last stage has given.  False: it is not for this. */
static bool
take(nest *p, uint32_t i, vt_value v, vt_value before, uint32_t at)
{
	vt_value *to = &p->v[i];
	bool is;

	p->count[i]++;
	switch ((enum vt_nest_reduce)p->x->reduce) {
	case VT_NEST_COUNT: return true;
	case VT_NEST_SUM: return add(p, to, v);
	case VT_NEST_MIN:
	case VT_NEST_MAX:
		if (*to != VT_UNDEF)
			return keep_better(to, v, p->x->reduce == VT_NEST_MAX);
		*to = vt_copy(v);
		return true;
	case VT_NEST_ANY:
		*to = VT_TRUE;
		p->decided[i] = true;
		return true;
	case VT_NEST_ALL:
		is = vt_is_bool(v) ? v == VT_TRUE : vt_is_true(v);
		*to = vt_pick(is, *to, VT_FALSE);
		p->decided[i] |= !is;
		return true;
	case VT_NEST_FIRST: vt_move(to, vt_copy(v)); return true;
	case VT_NEST_LAST: vt_move(to, vt_copy(v)); return true;
	case VT_NEST_LIST:
	case VT_NEST_DISTINCT:
	case VT_NEST_TURNED:
	case VT_NEST_RISING:
	case VT_NEST_FALLING: vt_list_push(p->s->rt, vt_as_list(*to), vt_copy(v)); return true;
	case VT_NEST_RISING_BY:
	case VT_NEST_FALLING_BY:
		vt_list_push(p->s->rt, vt_as_list(*to), vt_copy(before));
		vt_list_push(p->s->rt, vt_as_list(p->key[i]), vt_copy(v));
		return true;
	case VT_NEST_FLAT: return add_flat(p, vt_as_list(*to), v);
	case VT_NEST_DICT:
	case VT_NEST_OPEN_DICT: return put_pair(p, vt_as_dict(*to), v, before);
	case VT_NEST_GROUPED:
	case VT_NEST_OLD_GROUPED:
		return vt_batch_group(p->s->rt, vt_as_list(*to), &p->key[i], v, before);
	case VT_NEST_BY_KEYS: return keep_keys(p, i, v, at);
	case VT_NEST_LEAST:
	case VT_NEST_GREATEST: return keep_first(p, i, before, v);
	case VT_NEST_SPLIT: return split(p, i, v, before);
	case VT_NEST_SLICED: return slice(p, i, v, before);
	case VT_NEST_FOLDED:
	case VT_NEST_ACCUMULATED: break;
	}
	return false;
}

/* The list of an item in the order that is wanted.  False: it is not for this. */
static bool
arrange(nest *p, uint32_t i)
{
	unsigned how = p->x->reduce;
	vt_list *l = vt_as_list(p->v[i]);

	switch (how) {
	case VT_NEST_DISTINCT: return vt_batch_distinct(p->s->rt, l);
	case VT_NEST_TURNED: vt_batch_turn(l); return true;
	case VT_NEST_RISING:
	case VT_NEST_FALLING:
		return vt_batch_sort(p->s->rt, l->n, l->v, l->v, how == VT_NEST_FALLING);
	case VT_NEST_RISING_BY:
	case VT_NEST_FALLING_BY:
		return vt_batch_sort(
			p->s->rt, l->n, vt_as_list(p->key[i])->v, l->v, how == VT_NEST_FALLING_BY);
	case VT_NEST_BY_KEYS:
		return vt_batch_sort_rows(l->n, p->x->stage[p->x->n - 1].program->nout,
			vt_as_list(p->key[i])->v, p->x->falls, l->v);
	case VT_NEST_OLD_GROUPED: return vt_batch_groups_are_old(l);
	case VT_NEST_SPLIT:
	case VT_NEST_SLICED:
		if (p->key[i] != VT_UNDEF)
			end_part(p, i);
	}
	return true;
}

/* ---- pieces ---- */

static void
filter(piece *q, const vt_batch *s, const vt_lambda_program *t, uint8_t how, bool *turned,
	vt_value *to)
{
	const vt_value *yes = vt_batch_column(s, t);
	const vt_value *beside = q->beside != NULL ? q->beside : q->cur;
	vt_value *second = q->second[q->beside == q->second[0]];
	uint32_t m = 0;

	for (uint32_t i = 0; i < q->n; i++) {
		bool is = yes != NULL && vt_is_bool(yes[i]) ? yes[i] == VT_TRUE
							    : vt_batch_true(s, t, i);
		if (how != VT_NEST_WHERE) {
			turned[q->of[i]] |= !is;
			is = turned[q->of[i]] == (how == VT_NEST_SKIP_WHILE);
		}
		to[m] = q->cur[i];
		second[m] = beside[i];
		q->at[m] = q->at[i];
		q->of[m] = q->of[i];
		m += is;
	}
	q->cur = to;
	q->beside = q->beside != NULL ? second : NULL;
	q->n = m;
}

/* Does the last stage make rows that are taken apart? */
static bool
takes_rows(const vt_nest *x)
{
	return makes_dict(x) || makes_groups(x) || x->reduce == VT_NEST_BY_KEYS;
}

/* The keys that the last stage has made of n items; their values are what stands before them.
 * BY_KEYS: the items themselves. */
static const vt_value *
rows_of(nest *p, piece *q, vt_batch *s, const vt_lambda_program *t, uint32_t n)
{
	if (n == 0)
		return q->cur;
	if (p->x->reduce == VT_NEST_BY_KEYS) {
		for (uint32_t k = 0; k < t->nout; k++)
			vt_batch_strings(s, t, UINT64_C(1) << t->out[k]);
		return q->cur;
	}
	vt_batch_strings(s, t, UINT64_C(1) << t->out[0] | UINT64_C(1) << t->out[1]);
	memcpy(q->before, s->col[t->out[1]], n * sizeof *q->before);
	return s->col[t->out[0]];
}

/*
 * What of a piece does not count beside what stands in it for the same item is left out first, for
 * which of them it is nobody can foretell: all but the first, or the least or greatest of plain
 * numbers.
 */

/* As a finite double that has the number's own place among others; false: it is no such number. */
static inline bool
plain_number(vt_value v, double *d)
{
	const int64_t most = (int64_t)1 << 53;

	if (vt_is_float_word(v)) {
		*d = vt_float_of_word(v);
		return true;
	}
	if (vt_is_int(v)) {
		*d = (double)vt_toint(v);
		return vt_toint(v) < most && vt_toint(v) > -most;
	}
	if (!vt_is(v, FLOAT))
		return false;
	*d = vt_float_of(v);
	return isfinite(*d);
}

static void
keep_places(piece *q, uint32_t m, const uint8_t *place)
{
	vt_value *to = q->own[q->cur == q->own[0]];

	for (uint32_t k = 0; k < m; k++) {
		to[k] = q->cur[place[k]];
		q->at[k] = q->at[place[k]];
		q->of[k] = q->of[place[k]];
		q->before[k] = q->before[place[k]];
	}
	q->cur = to;
	q->n = m;
}

static void
narrow_to_first(nest *p, piece *q)
{
	uint8_t place[VT_BULK];
	uint32_t m = 0;

	for (uint32_t k = 0; k < q->n; k++) {
		bool *decided = &p->decided[q->of[k]];
		place[m] = (uint8_t)k;
		m += !(*decided | p->bad[q->of[k]]);
		*decided = true;
	}
	keep_places(q, m, place);
}

/* Of equal ones the first; of the least by min() the last. */
static void
narrow_to_best(piece *q, bool greater, bool last)
{
	static const double start[] = {0, -INFINITY};
	double key[VT_BULK], begins[VT_BULK], best = 0;
	uint8_t place[VT_BULK];
	uint32_t m = 0, of = VT_BULK, at = 0;

	for (uint32_t k = 0; k < q->n; k++) {
		if (!plain_number(q->cur[k], &key[k]))
			return;
		key[k] = greater ? key[k] : -key[k];
		begins[k] = start[q->of[k] != of];
		of = q->of[k];
	}
	for (uint32_t k = 0; k < q->n; k++) {
		double than = best + begins[k], d = key[k];
		bool fresh = begins[k] != 0, better = last ? d >= than : d > than;
		best = d > than ? d : than;
		at ^= (at ^ k) & -(uint32_t)(fresh | better);
		m += fresh;
		place[m - 1] = (uint8_t)at;
	}
	keep_places(q, m, place);
}

static void
narrow(nest *p, piece *q)
{
	switch (p->x->reduce) {
	case VT_NEST_FIRST: narrow_to_first(p, q); break;
	case VT_NEST_MIN:
	case VT_NEST_LEAST: narrow_to_best(q, false, p->x->reduce == VT_NEST_MIN); break;
	case VT_NEST_MAX:
	case VT_NEST_GREATEST: narrow_to_best(q, true, false); break;
	}
}

/* Those that come to lie in a list of their item, one after the other. */
static void
take_in_lists(nest *p, const piece *q)
{
	for (uint32_t i = 0, end; i < q->n; i = end) {
		uint32_t of = q->of[i];
		for (end = i + 1; end < q->n && q->of[end] == of; end++)
			;
		if (!p->bad[of])
			vt_list_extend(p->s->rt, vt_as_list(p->v[of]), end - i, q->cur + i);
	}
}

/* How many of the piece the program has worked out.  Of pairs it gets columns. */
static uint32_t
fill(const piece *q, vt_batch *s, const vt_lambda_program *t)
{
	vt_unmade u;

	if (q->beside == NULL)
		return vt_batch_fill_known(s, t, q->n, q->cur, NULL, NULL, NULL);
	vt_unmade_none(&u);
	u.n = q->n;
	u.m = 2;
	u.col[0] = q->cur;
	u.col[1] = q->beside;
	return vt_batch_fill_unmade(s, t, &u);
}

/* The items from *from on go through the stages; *from moves behind those that are done with. */
static void
run_piece(nest *p, uint32_t *from)
{
	const vt_value *second = p->columns ? p->second : p->item;
	uint32_t end = p->m;
	piece q;

	q.n = 0;
	q.cur = q.own[0];
	q.beside = p->columns ? q.second[0] : NULL;
	for (uint32_t i = *from; i < p->m; i++) {
		q.own[0][q.n] = p->item[i];
		q.second[0][q.n] = second[i];
		q.at[q.n] = (uint8_t)i;
		q.of[q.n] = p->of[i];
		q.n += !(p->bad[p->of[i]] | p->decided[p->of[i]]);
		__builtin_prefetch((const char *)(uintptr_t)p->item[i]);
		__builtin_prefetch((const char *)(uintptr_t)(p->item[i] + 64));
	}
	for (uint32_t k = 0; k < p->x->n && q.n > 0; k++) {
		const vt_lambda_program *t = p->x->stage[k].program;
		vt_batch *s = p->stage[k];
		uint32_t n;
		s->seg = q.of;
		n = fill(&q, s, t);
		if (k + 1 == p->x->n && p->x->reduce >= VT_NEST_LEAST)
			memcpy(q.before, q.cur, q.n * sizeof *q.before);
		if (p->x->stage[k].filter != 0) {
			if (n < q.n) {
				end = q.at[n];
				p->bad[q.of[n]] = true;
				q.n = n;
			}
			filter(&q, s, t, p->x->stage[k].filter, p->turned,
				q.own[q.cur == q.own[0]]);
			continue;
		}
		const vt_value *made = k + 1 == p->x->n && takes_rows(p->x)
					       ? rows_of(p, &q, s, t, n)
				       : n > 0 ? vt_batch_results(s, t, &n)
					       : q.cur;
		if (n < q.n) {
			end = q.at[n];
			p->bad[q.of[n]] = true;
			q.n = n;
		}
		q.cur = made;
		q.beside = NULL;
	}
	if (q.n > 0)
		narrow(p, &q);
	if (p->x->reduce >= VT_NEST_LIST && p->x->reduce <= VT_NEST_FALLING &&
		p->x->reduce != VT_NEST_FLAT) {
		take_in_lists(p, &q);
		q.n = 0;
	}
	for (uint32_t i = 0; i < q.n; i++)
		if (!p->bad[q.of[i]] &&
			!take(p, q.of[i], q.cur[i],
				p->x->reduce >= VT_NEST_DICT ? q.before[i] : VT_UNDEF, i))
			p->bad[q.of[i]] = true;
	*from = end;
}

static void
run_pieces(nest *p)
{
	for (uint32_t from = 0; from < p->m;)
		run_piece(p, &from);
	p->m = 0;
}

static bool
wants_one(const nest *p)
{
	if (p->x->reduce != VT_NEST_FIRST)
		return false;
	for (uint32_t k = 0; k < p->x->n; k++)
		if (p->x->stage[k].filter)
			return false;
	return true;
}

/* ---- lists ---- */

/* Of a dict's keys, values or pairs: a record has the first two where it is. */
static items
of_view(nest *p, uint32_t i, const vt_view_obj *view)
{
	const vt_dict *d = vt_as_dict(view->dict);
	uint32_t pos = 0, n = vt_dict_len(d);
	vt_list *l;

	if (d->shape != NULL && view->h.aux == VT_VIEW_VALUES)
		return (items){d->v, n, NULL, vt_values_of_dict(d, false).slack};
	if (d->shape != NULL && (view->h.aux == VT_VIEW_KEYS || p->x->apart != VT_NEST_WHOLE))
		return (items){vt_record_keys(d), n, view->h.aux == VT_VIEW_KEYS ? NULL : d->v,
			!VT_ALL_LARGE};
	l = vt_list_grow(p->s->rt, VT_K_TUPLE, n);
	l->n = vt_dict_read(p->s->rt, d, (enum vt_view)view->h.aux, &pos, n, l->v);
	p->kept[i] = vt_mkptr(l);
	return (items){l->v, l->n, NULL, !VT_ALL_LARGE && l->v == l->inl};
}

/* v NULL: it is over something else.  kept[i] may be what holds them. */
static items
source(nest *p, uint32_t i, vt_value v)
{
	bool fresh = p->s->owns >> p->t->a & 1;
	const vt_list *l;

	if (v != VT_UNDEF && vt_is(v, VIEW) && vt_is_data(v, fresh))
		return of_view(p, i, VT_AS(vt_view_obj, v));
	l = vt_batch_whole(p->s->rt, v, fresh, &p->kept[i]);
	if (l != NULL && p->x->apart == VT_NEST_COLUMNS)
		return (items){l->v, l->n / 2, l->v + l->n / 2, false};
	return l != NULL ? (items){l->v, l->n, NULL, !VT_ALL_LARGE && l->v == l->inl}
			 : (items){NULL, 0, NULL, false};
}

/* Those of the items that the pipeline begins with. */
static items
cut(const vt_nest *x, items l)
{
	uint32_t skip = x->skip < l.n ? x->skip : l.n;

	if (l.v == NULL)
		return l;
	l.n -= skip;
	return (items){l.v + skip, l.n < x->most ? l.n : x->most,
		l.second != NULL ? l.second + skip : NULL, l.slack};
}

/* A list for what n items give, with room for it where that can be said. */
static vt_value
new_list(const nest *p, uint32_t n)
{
	enum { SOME = 4, MORE = 8 };
	uint32_t room = p->x->reduce == VT_NEST_FLAT ? SOME : !p->filters || n < MORE ? n : MORE;
	vt_list *l = vt_list_grow(p->s->rt, VT_K_TUPLE, room);

	l->h.flags |= p->tracks ? VT_F_FINAL : 0;
	return vt_mkptr(l);
}

static void
start(nest *p, uint32_t i, uint32_t n)
{
	p->v[i] = p->key[i] = VT_UNDEF;
	p->count[i] = 0;
	p->bad[i] = p->decided[i] = p->turned[i] = false;
	if (p->lists) {
		p->v[i] = new_list(p, n);
		if (p->x->reduce >= VT_NEST_RISING_BY && p->x->reduce <= VT_NEST_BY_KEYS)
			p->key[i] = vt_mkptr(vt_list_grow(p->s->rt, VT_K_TUPLE, 4));
		return;
	}
	switch (p->x->reduce) {
	case VT_NEST_SUM:
	case VT_NEST_MIN:
	case VT_NEST_MAX:
		if (p->t->c != VT_STEP_K && vt_batch_from(p->s, p->t->c) != NULL)
			p->v[i] = vt_copy(vt_batch_from(p->s, p->t->c)[i]);
		break;
	case VT_NEST_ANY:
	case VT_NEST_ALL: p->v[i] = vt_mkbool(p->x->reduce == VT_NEST_ALL); break;
	case VT_NEST_DICT:
	case VT_NEST_OPEN_DICT:
		p->v[i] = vt_mkptr(vt_dict_new(p->s->rt, p->x->reduce == VT_NEST_DICT));
		break;
	}
}

static inline void
push_item(nest *p, uint32_t i, vt_value v)
{
	p->item[p->m] = v;
	p->of[p->m++] = (uint8_t)i;
	if (p->m == VT_BULK)
		run_pieces(p);
}

/* What comes next are columns, or is not: pieces are of either. */
static void
hold(nest *p, bool columns)
{
	if (p->columns != columns && p->m > 0)
		run_pieces(p);
	p->columns = columns;
}

/* Only the items that an index of the list finds. False: there is none. */
static bool
read_found(nest *p, uint32_t i, vt_value source)
{
	vt_value key = p->same != NULL ? p->same[i] : p->constant;
	vt_lookup *l = p->member != NULL && vt_is_sequence(source)
			       ? vt_lookup_of(p->s->rt, vt_as_list(source), p->member,
					 vt_nest_reads_all(p))
			       : NULL;
	uint32_t at;

	if (l == NULL || !vt_lookup_first(l, key, &at))
		return false;
	hold(p, false);
	l->busy++;
	for (; at != UINT32_MAX && !p->bad[i] && !p->decided[i]; at = l->next[at])
		push_item(p, i, l->list->v[at]);
	l->busy--;
	return true;
}

/* The next pair on its way: nobody keeps it. */
static vt_value
pair_at(nest *p, vt_value key, vt_value v)
{
	vt_list *l = (vt_list *)(void *)(p->pairs + (size_t)p->m * PAIR);

	*l = (vt_list){.h = {.rc = VT_IMMORTAL, .kind = VT_K_TUPLE, .flags = VT_F_FINAL},
		.n = 2,
		.cap = 2,
		.v = l->inl};
	l->v[0] = key;
	l->v[1] = v;
	return vt_mkptr(l);
}

static void
read_pairs(nest *p, uint32_t i, items l)
{
	bool columns = p->columns;

	if (!columns && p->pairs == NULL)
		p->pairs = vt_block_new(p->s->rt->s->heap, VT_BULK * PAIR);
	for (uint32_t k = 0; k < l.n && !p->bad[i] && !p->decided[i]; k++) {
		p->second[p->m] = l.second[k];
		push_item(p, i, columns ? l.v[k] : pair_at(p, l.v[k], l.second[k]));
	}
}

/* As push_item() for m of them, m <= VT_BULK - p->m. */
static inline void
push_items(nest *p, uint32_t i, const items *l, uint32_t from, uint32_t m)
{
	vt_spill(p->item + p->m, VT_BULK + VT_SPILL - p->m, (vt_values){l->v + from, m, l->slack});
	memset(p->of + p->m, (int)i, VT_SPILL);
	if (m > VT_SPILL)
		memset(p->of + p->m, (int)i, m);
	p->m += m;
	if (p->m == VT_BULK)
		run_pieces(p);
}

static void
read_list(nest *p, uint32_t i, items l)
{
	uint32_t n = wants_one(p) && l.n > 1 ? 1 : l.n;

	if (p->x->n == 0 && p->x->reduce == VT_NEST_COUNT) {
		p->count[i] = n;
		return;
	}
	hold(p, l.second != NULL && p->apart);
	if (l.second != NULL) {
		l.n = n;
		read_pairs(p, i, l);
		return;
	}
	if (p->x->n == 0 && p->lists && p->x->reduce != VT_NEST_FLAT) {
		vt_list_extend(p->s->rt, vt_as_list(p->v[i]), l.n, l.v);
		return;
	}
	if (p->x->n == 0 && p->x->reduce == VT_NEST_LAST && n > 1)
		l.v += n - 1, n = 1;
	for (uint32_t k = 0, m; k < n && !p->bad[i] && !p->decided[i]; k += m) {
		m = n - k < VT_BULK - p->m ? n - k : VT_BULK - p->m;
		push_items(p, i, &l, k, m);
	}
}

/* False: there is no value. */
static bool
finish(nest *p, uint32_t i)
{
	const vt_value *other = p->t->c != VT_STEP_K ? vt_batch_from(p->s, p->t->c) : NULL;

	if (!p->bad[i] && p->lists) {
		p->bad[i] = !arrange(p, i);
		if (!p->tracks)
			vt_batch_note_final(vt_as_list(p->v[i]));
		if (p->x->iterator && !p->bad[i])
			p->v[i] =
				vt_made_over(p->s->rt, p->v[i], p->x->iterator == VT_NEST_FILTERED);
	}
	vt_release(p->key[i]);
	vt_release(p->kept[i]);
	if (p->bad[i]) {
		vt_clear(&p->v[i]);
		return false;
	}
	if (p->x->reduce == VT_NEST_COUNT)
		p->v[i] = vt_mkint(p->count[i]);
	else if (p->v[i] == VT_UNDEF && other != NULL)
		p->v[i] = vt_copy(other[i]);
	return p->v[i] != VT_UNDEF;
}

/* Do the stages that get pairs read no more of them than two members? */
static bool
takes_columns(const vt_nest *x)
{
	vt_unmade u;

	if (x->apart == VT_NEST_WHOLE)
		return false;
	vt_unmade_none(&u);
	u.m = 2;
	for (uint32_t k = 0; k < x->n; k++) {
		if (!vt_program_takes(x->stage[k].program, &u))
			return false;
		if (x->stage[k].filter == 0)
			break;
	}
	return true;
}

static void
open_stages(nest *p)
{
	unsigned how = p->x->reduce;

	p->apart = takes_columns(p->x);
	p->columns = false;

	p->lists = makes_list(p->x);
	p->tracks = how >= VT_NEST_LIST && how <= VT_NEST_FALLING && how != VT_NEST_FLAT;
	p->filters = false;
	for (uint32_t k = 0; k < p->x->n; k++) {
		p->filters |= p->x->stage[k].filter != 0;
		p->stage[k] = vt_batch_new(p->s->rt, p->s->scope);
		p->stage[k]->up = p->s;
		p->stage[k]->still = p->s->still;
		p->stage[k]->outer = p->t->args;
	}
}

/* The first or last item of a list that is there: no pipeline is needed. */
static inline bool
gives_end(nest *p, uint32_t i, vt_value from)
{
	const vt_list *l = vt_as_list(from);

	if (p->x->n > 0 || p->x->skip > 0 || p->x->most == 0 || from == VT_UNDEF ||
		(p->x->reduce != VT_NEST_FIRST &&
			(p->x->reduce != VT_NEST_LAST || p->x->most != UINT32_MAX)) ||
		!vt_is_sequence(from) || l->n == 0)
		return false;
	p->v[i] = vt_copy(l->v[p->x->reduce == VT_NEST_FIRST ? 0 : l->n - 1]);
	p->key[i] = VT_UNDEF;
	p->bad[i] = false;
	return true;
}

/* It has no items yet; where the value is none it stays so. */
static items
generated(const nest *p, uint32_t i, vt_value from)
{
	static const vt_value none[1];

	return (items){
		vt_is_data(from, vt_batch_owns(p->s, p->t->a)) ? none : NULL, 0, NULL, false};
}

/* What the i-th item's pipeline is over, on its way or to be folded.  False: nothing, and the step
 * ends there. */
static bool
begin_item(nest *p, uint32_t i, const vt_value *from, items *lists)
{
	const vt_value *other = p->t->c != VT_STEP_K ? vt_batch_from(p->s, p->t->c) : from;
	items l = {NULL, 0, NULL, false};

	p->kept[i] = VT_UNDEF;
	/* what it begins with, or what stands for it, is asked for in any case */
	if (from != NULL && other != NULL && other[i] != VT_UNDEF &&
		vt_step_counts(p->s, p->t, i)) {
		if (gives_end(p, i, from[i]))
			return true;
		if (p->x->generates)
			l = generated(p, i, from[i]);
		else
			l = cut(p->x, source(p, i, from[i]));
	}
	start(p, i, l.n);
	if (p->s->brief && l.n > VT_BULK)
		l.v = NULL;
	p->bad[i] = l.v == NULL;
	if (l.v == NULL)
		return (p->t->flags & VT_STEP_SOFT) != 0;
	if (is_fold(p->x))
		lists[i] = l;
	else if (!p->x->generates && (p->member == NULL || !read_found(p, i, from[i])))
		read_list(p, i, l);
	return true;
}

void
vt_batch_nest(vt_batch *s, const vt_lambda_step *t, uint32_t r)
{
	const vt_value *from = vt_batch_from(s, t->a);
	items lists[VT_BULK];
	nest p;
	uint32_t i, end, keys;

	p.s = s;
	p.t = t;
	p.x = t->by;
	p.v = vt_batch_values(s, r);
	p.m = 0;
	p.pairs = NULL;
	vt_batch_own(s, r);
	open_stages(&p);
	vt_nest_find_member(&p);
	if (p.member != NULL && p.computed != VT_STEP_K)
		vt_nest_find_keys(&p, s->n > 0 && from != NULL ? from[0] : VT_UNDEF);
	keys = p.member != NULL && p.computed != VT_STEP_K ? s->n : 0;
	for (i = 0; i < s->n; i++)
		if (!begin_item(&p, i, from, lists)) {
			i++;
			break;
		}
	if (is_fold(p.x))
		vt_nest_fold(&p, i, lists);
	else if (p.x->generates)
		vt_nest_generate(&p, i, from);
	else
		run_pieces(&p);
	for (uint32_t k = 0; k < keys; k++)
		vt_release(p.keys[k]);
	for (uint32_t k = 0; k < p.x->n; k++)
		vt_batch_free(p.stage[k]);
	if (p.pairs != NULL)
		vt_block_free(p.pairs);
	end = i;
	for (uint32_t k = 0; k < i; k++)
		if (!finish(&p, k) && !(t->flags & VT_STEP_SOFT) && end == i)
			end = k;
	for (uint32_t k = end; k < i && end < i; k++)
		vt_clear(&p.v[k]);
	s->n = end;
}
