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
		q->own_at[m] = q->at[i];
		q->own_of[m] = q->of[i];
		m += is;
	}
	q->at = q->own_at;
	q->of = q->own_of;
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
		q->own_at[k] = q->at[place[k]];
		q->own_of[k] = q->of[place[k]];
		q->before[k] = q->before[place[k]];
	}
	q->at = q->own_at;
	q->of = q->own_of;
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

/* The numbers of the piece as plain_number() gives them. */
static bool
numbers_of(const piece *q, double *key)
{
	vt_value others = 0;

	for (uint32_t k = 0; k < q->n; k++)
		others |= q->cur[k] ^ 2;
	for (uint32_t k = 0; k < q->n && (others & 7) == 0; k++)
		key[k] = vt_float_of_word(q->cur[k]);
	for (uint32_t k = 0; k < q->n && (others & 7) != 0; k++)
		if (!plain_number(q->cur[k], &key[k]))
			return false;
	return true;
}

/* Of equal ones the first; of the least by min() the last. */
static void
narrow_to_best(piece *q, bool greater, bool last)
{
	static const double start[] = {0, -INFINITY};
	double key[VT_BULK], begins[VT_BULK], best = 0;
	uint8_t place[VT_BULK];
	uint32_t m = 0, of = VT_BULK, at = 0;

	if (!numbers_of(q, key))
		return;
	for (uint32_t k = 0; k < q->n; k++) {
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
	unsigned how = p->x->reduce;

	if ((how == VT_NEST_MIN || how == VT_NEST_MAX) && vt_nest_best(p, q, how == VT_NEST_MAX)) {
		q->n = 0;
		return;
	}
	switch (how) {
	case VT_NEST_FIRST: narrow_to_first(p, q); break;
	case VT_NEST_MIN:
	case VT_NEST_LEAST: narrow_to_best(q, false, how == VT_NEST_MIN); break;
	case VT_NEST_MAX:
	case VT_NEST_GREATEST: narrow_to_best(q, true, false); break;
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

/* Begins with the items from there on.  Only the first of them may be of an item of the step that
 * is done with already: of the others nothing has gone through the stages. */
static void
open_piece(nest *p, piece *q, uint32_t from)
{
	static const uint8_t places[VT_BULK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
		15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,
		36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
		57, 58, 59, 60, 61, 62, 63};
	const vt_value *second = p->columns ? p->second : p->item;
	uint32_t n = 0;

	q->n = p->m - from;
	q->cur = p->item + from;
	q->beside = p->columns ? p->second + from : NULL;
	q->at = places + from;
	q->of = p->of + from;
	if (!(p->bad[p->of[from]] | p->decided[p->of[from]]))
		return;
	for (uint32_t i = from; i < p->m; i++) {
		q->own[0][n] = p->item[i];
		q->second[0][n] = second[i];
		q->own_at[n] = (uint8_t)i;
		q->own_of[n] = p->of[i];
		n += !(p->bad[p->of[i]] | p->decided[p->of[i]]);
	}
	q->n = n;
	q->cur = q->own[0];
	q->beside = p->columns ? q->second[0] : NULL;
	q->at = q->own_at;
	q->of = q->own_of;
}

/* Of the piece only n have been worked out: what the next one is of fails. */
static void
stop(nest *p, piece *q, uint32_t n, uint32_t *end)
{
	if (n == q->n)
		return;
	*end = q->at[n];
	p->bad[q->of[n]] = true;
	q->n = n;
}

static void
run_stage(nest *p, piece *q, uint32_t k, uint32_t *end)
{
	const vt_nest_stage *stage = &p->x->stage[k];
	const vt_lambda_program *t = stage->program;
	vt_batch *s = p->stage[k];
	bool last = k + 1 == p->x->n;
	const vt_value *made;
	uint32_t n;

	s->seg = q->of;
	n = fill(q, s, t);
	if (last && p->x->reduce >= VT_NEST_LEAST)
		memcpy(q->before, q->cur, q->n * sizeof *q->before);
	if (stage->filter != 0) {
		stop(p, q, n, end);
		filter(q, s, t, stage->filter, p->turned, q->own[q->cur == q->own[0]]);
		return;
	}
	made = last && takes_rows(p->x) ? rows_of(p, q, s, t, n)
	       : n > 0                  ? vt_batch_results(s, t, &n)
					: q->cur;
	stop(p, q, n, end);
	q->cur = made;
	q->beside = NULL;
}

/* The items from *from on go through the stages; *from moves behind those that are done with. */
static void
run_piece(nest *p, uint32_t *from)
{
	uint32_t end = p->m;
	piece q;

	open_piece(p, &q, *from);
	if (p->x->n > 0)
		for (uint32_t i = *from; i < p->m; i++) {
			__builtin_prefetch((const char *)(uintptr_t)p->item[i]);
			__builtin_prefetch((const char *)(uintptr_t)(p->item[i] + 64));
		}
	for (uint32_t k = 0; k < p->x->n && q.n > 0; k++)
		run_stage(p, &q, k, &end);
	if (q.n > 0)
		narrow(p, &q);
	vt_nest_take(p, &q);
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

	if (likely(vt_is_sequence(v)))
		l = vt_as_list(v);
	else if (vt_is(v, VIEW) && vt_is_data(v, fresh))
		return of_view(p, i, VT_AS(vt_view_obj, v));
	else
		l = vt_batch_whole(p->s->rt, v, fresh, &p->kept[i]);
	if (l == NULL)
		return (items){NULL, 0, NULL, false};
	if (p->x->apart == VT_NEST_COLUMNS)
		return (items){l->v, l->n / 2, l->v + l->n / 2, false};
	return (items){l->v, l->n, NULL, !VT_ALL_LARGE && l->v == l->inl};
}

/* Room for the members of all items of all lists among them. */
static void
open_members(nest *p, uint32_t n, const vt_value *from)
{
	uint64_t all = 0;

	p->nmembers = 0;
	for (uint32_t i = 0; i < n && from != NULL; i++)
		if (from[i] != VT_UNDEF && vt_is_sequence(from[i]))
			all += vt_as_list(from[i])->n;
	p->members = all > 0 ? vt_block_new(p->s->rt->s->heap, all * sizeof *p->members) : NULL;
}

/* Of `list.name`: those members of the items that the pipeline may come to.  False: one of them has
 * none, or is no dict. */
static bool
read_members(nest *p, items *l)
{
	const vt_nest *x = p->x;
	vt_ic *ic = vt_ic_at(p->s->rt, p->t->ic);
	vt_value *to = p->members + p->nmembers;

	if (x->most != UINT32_MAX && l->n > (uint64_t)x->skip + x->most)
		l->n = x->skip + x->most;
	for (uint32_t k = 0; k < l->n; k++) {
		to[k] = vt_is(l->v[k], DICT) ? vt_dict_get_ic(vt_as_dict(l->v[k]), p->t->heap, ic)
					     : VT_UNDEF;
		if (to[k] == VT_UNDEF)
			return false;
	}
	p->nmembers += l->n;
	*l = (items){to, l->n, NULL, false};
	return true;
}

/* What `x.name` is where x is a dict; false: x is a list, of which it is each item's. */
static bool
is_member(const nest *p, vt_value *x)
{
	if (*x == VT_UNDEF || vt_is_sequence(*x))
		return *x == VT_UNDEF;
	*x = vt_is(*x, DICT)
		     ? vt_dict_get_ic(vt_as_dict(*x), p->t->heap, vt_ic_at(p->s->rt, p->t->ic))
		     : VT_UNDEF;
	return true;
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

/* What an item has before the first one of its list comes: where that is no more than nothing. */
static void
start(nest *p, uint32_t i, uint32_t n)
{
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
		if (p->other != NULL)
			p->v[i] = vt_copy(p->other[i]);
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

/* A pipeline without stages may be done at once.  False: it is not. */
static bool
read_bare(nest *p, uint32_t i, items *l)
{
	if (p->x->reduce == VT_NEST_COUNT) {
		p->count[i] = l->n;
		return true;
	}
	if (l->second == NULL && p->lists && p->x->reduce != VT_NEST_FLAT) {
		vt_list_extend(p->s->rt, vt_as_list(p->v[i]), l->n, l->v);
		return true;
	}
	if (l->second == NULL && p->x->reduce == VT_NEST_LAST && l->n > 1) {
		l->v += l->n - 1;
		l->n = 1;
	}
	return false;
}

/* Nothing has come to the item yet. */
static inline void
read_list(nest *p, uint32_t i, items l)
{
	if (p->one && l.n > 1)
		l.n = 1;
	if (p->x->n == 0 && read_bare(p, i, &l))
		return;
	if (p->x->apart != VT_NEST_WHOLE) {
		hold(p, l.second != NULL && p->apart);
		if (l.second != NULL) {
			read_pairs(p, i, l);
			return;
		}
	}
	for (uint32_t k = 0; k < l.n;) {
		uint32_t m = l.n - k < VT_BULK - p->m ? l.n - k : VT_BULK - p->m;
		push_items(p, i, &l, k, m);
		k += m;
		if (k < l.n && (p->bad[i] || p->decided[i]))
			break;
	}
}

/* False: there is no value. */
static bool
finish(nest *p, uint32_t i)
{
	if (!p->bad[i] && p->lists) {
		p->bad[i] = !vt_nest_arrange(p, i);
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
	else if (p->v[i] == VT_UNDEF && p->other != NULL)
		p->v[i] = vt_copy(p->other[i]);
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

/* Is it the first or last item of a list that is there?  No pipeline is needed then. */
static bool
wants_end(const vt_nest *x)
{
	return x->n == 0 && x->skip == 0 && x->most != 0 &&
	       (x->reduce == VT_NEST_FIRST || (x->reduce == VT_NEST_LAST && x->most == UINT32_MAX));
}

static bool
gives_end(nest *p, uint32_t i, vt_value from)
{
	const vt_list *l = vt_as_list(from);

	if (from == VT_UNDEF || !vt_is_sequence(from) || l->n == 0)
		return false;
	p->v[i] = vt_copy(l->v[p->x->reduce == VT_NEST_FIRST ? 0 : l->n - 1]);
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

/* What is the same for all items. */
static void
open_nest(nest *p, vt_batch *s, const vt_lambda_step *t, vt_value *v)
{
	const vt_nest *x = t->by;

	p->s = s;
	p->t = t;
	p->x = x;
	p->v = v;
	p->m = 0;
	p->pairs = NULL;
	p->other = t->c != VT_STEP_K ? vt_batch_from(s, t->c) : NULL;
	p->ends = wants_end(x);
	p->as_is = t->heap != NULL && x->n == 0 && x->reduce == VT_NEST_LIST && x->skip == 0 &&
		   x->most == UINT32_MAX && !x->iterator;
	p->cuts = x->skip > 0 || x->most != UINT32_MAX;
	p->one = wants_one(p);
	memset(p->count, 0, sizeof p->count);
	memset(p->bad, 0, sizeof p->bad);
	memset(p->decided, 0, sizeof p->decided);
	memset(p->turned, 0, sizeof p->turned);
	open_stages(p);
	p->starts = p->lists || p->other != NULL || makes_dict(x) || x->reduce == VT_NEST_ANY ||
		    x->reduce == VT_NEST_ALL;
	vt_nest_find_member(p);
	p->members = NULL;
}

/* The items that the i-th item's pipeline is over.  *done: the step's value is there already. */
static items
items_of(nest *p, uint32_t i, vt_value from, bool *done)
{
	bool whole = p->t->heap == NULL || is_member(p, &from);
	items l = {NULL, 0, NULL, false};

	*done = whole && p->ends && gives_end(p, i, from);
	if (whole && p->as_is && from != VT_UNDEF && vt_is_data(from, false)) {
		p->v[i] = vt_copy(from);
		*done = true;
	}
	if (*done)
		return l;
	if (p->x->generates)
		return generated(p, i, from);
	if (from == VT_UNDEF)
		return l;
	l = source(p, i, from);
	if (!whole && l.v != NULL && !read_members(p, &l))
		l.v = NULL;
	return l;
}

/* What the i-th item's pipeline is over, on its way or to be folded.  False: nothing, and the step
 * ends there. */
static bool
begin_item(nest *p, uint32_t i, const vt_value *from, items *lists)
{
	items l = {NULL, 0, NULL, false};
	bool done;

	p->v[i] = p->key[i] = p->kept[i] = VT_UNDEF;
	/* what it begins with, or what stands for it, is asked for in any case */
	if (from != NULL && (p->t->c == VT_STEP_K || p->other != NULL) &&
		(p->other != NULL ? p->other : from)[i] != VT_UNDEF &&
		vt_step_counts(p->s, p->t, i)) {
		l = items_of(p, i, from[i], &done);
		if (done)
			return true;
		if (p->cuts)
			l = cut(p->x, l);
	}
	if (p->starts)
		start(p, i, l.n);
	if (l.v == NULL || (p->s->brief && l.n > VT_BULK)) {
		p->bad[i] = true;
		return (p->t->flags & VT_STEP_SOFT) != 0;
	}
	if (is_fold(p->x))
		lists[i] = l;
	else if (!p->x->generates &&
		 (p->member == NULL || p->t->heap != NULL || !read_found(p, i, from[i])))
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

	open_nest(&p, s, t, vt_batch_values(s, r));
	vt_batch_own(s, r);
	if (p.member != NULL && p.computed != VT_STEP_K)
		vt_nest_find_keys(&p, s->n > 0 && from != NULL ? from[0] : VT_UNDEF);
	keys = p.member != NULL && p.computed != VT_STEP_K ? s->n : 0;
	if (t->heap != NULL)
		open_members(&p, s->n, from);
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
	vt_block_free(p.pairs);
	vt_block_free(p.members);
	end = i;
	for (uint32_t k = 0; k < i; k++)
		if (!finish(&p, k) && !(t->flags & VT_STEP_SOFT) && end == i)
			end = k;
	for (uint32_t k = end; k < i && end < i; k++)
		vt_clear(&p.v[k]);
	s->n = end;
}
