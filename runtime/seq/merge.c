/*
 * merge.c - mergeWith() into a dict where that lies: of a call (lib/merging.c), and of folds that
 * change what they have made so far in its place (fold_place.c).
 */
#include "runtime/seq/fold.h"

#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"

#include <stdlib.h>

enum { DEEPEST = 32 };

/* ---- mergers ---- */

static bool
is_sum(const vt_lambda_program *t)
{
	const vt_lambda_step *sum;

	if (t->kind != VT_PROGRAM_VALUE || t->n != 3)
		return false;
	sum = &t->t[t->out[0]];
	return sum->op == VT_STEP_ADD && sum->guard == VT_STEP_K && sum->a != VT_STEP_K &&
	       sum->b != VT_STEP_K && t->t[sum->a].op == VT_STEP_ITEM && t->t[sum->a].a == 0 &&
	       t->t[sum->b].op == VT_STEP_ITEM && t->t[sum->b].a == 1;
}

vt_merger
vt_merger_of(vt_rt *rt, vt_value lambda)
{
	const vt_lambda_program *t = vt_lambda_program_of(rt, lambda, 2);

	if (!vt_is(lambda, LAMBDA))
		return (vt_merger){.there = false};
	return (vt_merger){.there = true,
		.sum = t != NULL && is_sum(t),
		.program = t,
		.scope = t != NULL ? vt_scope_of(lambda) : NULL};
}

vt_merger
vt_merger_of_code(vt_rt *rt, const vt_code *code, vt_scope *scope)
{
	const vt_lambda_program *t = code != NULL ? code->program : NULL;

	if (t == NULL || t->nargs > 2 || scope == NULL ||
		!vt_lambda_program_usable(rt, code, scope))
		return (vt_merger){.there = true, .null = code == NULL};
	return (vt_merger){.there = true, .sum = is_sum(t), .program = t, .scope = scope};
}

/* ---- what changes ---- */

/* v: taken. */
static void
note(vt_merge *m, vt_merge_change x)
{
	if (m->n == m->room) {
		m->room = m->room != 0 ? 2 * m->room : 8;
		m->v = vt_xrealloc(m->v, m->room * sizeof *m->v);
	}
	m->v[m->n++] = x;
}

void
vt_merge_forget(vt_merge *m)
{
	while (m->n > 0)
		vt_release(m->v[--m->n].v);
}

void
vt_merge_end(vt_merge *m)
{
	vt_merge_forget(m);
	free(m->v);
	m->v = NULL;
	m->room = 0;
}

static inline bool
is_own(vt_value v)
{
	return vt_head_of(v)->rc == 1;
}

/* May what lies in the dict change where it is? */
static inline bool
may_change(const vt_merge *m, vt_value v)
{
	uint8_t want = VT_F_FINAL | (vt_is(v, DICT) ? VT_F_FROZEN : 0);

	if (m->final)
		return is_own(v) && (vt_head_of(v)->flags & (want | VT_F_BORROWED)) == want;
	return is_own(v) && (!vt_is(v, DICT) || vt_dict_is_made(v));
}

/* What a merger makes of both. */
static bool
merged(vt_merge *m, const vt_merger *by, vt_value x, vt_value y, vt_value *out)
{
	vt_value args[2] = {x, y};

	*out = VT_NULL;
	return by->null || (by->program != NULL &&
				   vt_lambda_program_run(m->rt, by->program, by->scope, args, out));
}

vt_status
vt_distinct_of_few(vt_rt *rt, enum vt_kind kind, vt_value x, vt_value y, vt_value *out)
{
	const vt_list *of[2] = {vt_as_list(x), vt_as_list(y)};
	vt_list *l = vt_list_grow(rt, kind, of[0]->n + of[1]->n);
	vt_status st = VT_OK;
	int seen;

	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t i = 0; i < of[k]->n && st == VT_OK; i++)
			st = vt_seen(rt, vt_mkptr(l), of[k]->v[i], &seen);
	return vt_settle(st, vt_mkptr(l), out);
}

static bool
distinct(vt_merge *m, vt_value x, vt_value y, vt_value *out)
{
	if (VT_KIND(x) != VT_KIND(y) ||
		(uint64_t)vt_as_list(x)->n + vt_as_list(y)->n > VT_MERGE_FEW)
		return false;
	if (vt_distinct_of_few(m->rt, m->kind, x, y, out) == VT_OK)
		return true;
	vt_exc_clear(m->rt);
	return false;
}

static bool
note_list(vt_merge *m, vt_merge_change x, vt_value now, vt_value y)
{
	if (m->lists.sum && vt_is(y, TUPLE) && vt_is(now, TUPLE) && may_change(m, now) &&
		(uint64_t)vt_as_list(now)->n + vt_as_list(y)->n <= VT_MOST_ITEMS / 2) {
		x.v = vt_copy(y);
		x.extends = true;
	} else if (!vt_is_sequence(now) || !(m->lists.there ? merged(m, &m->lists, now, y, &x.v)
							    : distinct(m, now, y, &x.v))) {
		return false;
	}
	note(m, x);
	return true;
}

static bool note_dict(vt_merge *m, vt_dict *d, vt_value y, int64_t levels, uint32_t depth);

/* What lies there is another's: a copy comes into its place. */
static bool
note_inner(vt_merge *m, vt_merge_change x, vt_value now, vt_value y, int64_t levels, uint32_t depth)
{
	if (!vt_is(now, DICT))
		return false;
	if (!may_change(m, now)) {
		x.v = vt_mkptr(vt_dict_copy(m->rt, vt_as_dict(now), m->final));
		note(m, x);
		now = x.v;
	}
	return note_dict(m, vt_as_dict(now), y, levels, depth);
}

static bool
note_value(vt_merge *m, vt_merge_change x, vt_value y, int64_t levels, uint32_t depth)
{
	vt_value now = *x.slot;

	if (levels != 1 && vt_is_ptr(y) && vt_is(y, DICT))
		return note_inner(m, x, now, y, levels == 0 ? 0 : levels - 1, depth + 1);
	if (levels != 1 && vt_is_ptr(y) && vt_is_sequence(y))
		return note_list(m, x, now, y);
	if (!m->items.there)
		x.v = vt_copy(y);
	else if ((!m->items.sum || !vt_both_int(now, y) || !vt_add_fast(now, y, &x.v)) &&
		 !merged(m, &m->items, now, y, &x.v))
		return false;
	note(m, x);
	return true;
}

static bool
note_pair(vt_merge *m, vt_dict *d, vt_value key, vt_value v, int64_t levels, uint32_t depth)
{
	vt_merge_change x = {d, key, VT_UNDEF, vt_dict_slot(d, key), false};

	if (x.slot != NULL)
		return note_value(m, x, v, levels, depth);
	x.v = vt_copy(v);
	note(m, x);
	return true;
}

static bool
note_dict(vt_merge *m, vt_dict *d, vt_value y, int64_t levels, uint32_t depth)
{
	vt_value key, v;

	if (depth > DEEPEST)
		return false;
	for (uint32_t pos = 0; vt_dict_at(vt_as_dict(y), &pos, &key, &v);)
		if (!note_pair(m, d, key, v, levels, depth))
			return false;
	return true;
}

bool
vt_merge_note(vt_merge *m, vt_value x, vt_value y)
{
	vt_merge_forget(m);
	if (note_dict(m, vt_as_dict(x), y, m->levels, 0))
		return true;
	vt_merge_forget(m);
	return false;
}

/* What is new comes last, for it moves the others of its dict. */
void
vt_merge_make(vt_merge *m)
{
	for (uint32_t i = 0; i < m->n; i++) {
		vt_merge_change *x = &m->v[i];
		if (x->extends)
			vt_list_extend(m->rt, vt_as_list(*x->slot), vt_as_list(x->v)->n,
				vt_as_list(x->v)->v);
		else if (x->slot != NULL)
			vt_move(x->slot, vt_copy(x->v));
		if (x->extends && m->final)
			vt_head_of(*x->slot)->flags |= VT_F_FINAL;
	}
	for (uint32_t i = 0; i < m->n; i++) {
		if (m->v[i].slot == NULL)
			(void)vt_dict_put(m->rt, m->v[i].d, m->v[i].key, m->v[i].v);
		if (m->final)
			m->v[i].d->h.flags |= VT_F_FINAL;
	}
	vt_merge_forget(m);
}

/* ---- in folds ---- */

static inline bool
is_plain(vt_value v)
{
	return !vt_is_ptr(v) || vt_head_of(v)->kind <= VT_K_STR;
}

static inline bool
is_same(vt_value a, vt_value b)
{
	if (a == b || vt_both_int(a, b))
		return a == b;
	return vt_is(a, STR) && vt_is(b, STR) ? vt_str_eq(vt_as_str(a), vt_as_str(b))
					      : vt_same(a, b);
}

/* [x], the value of a pair of mergeWith(), into the list that is there: the distinct items of both,
 * so x comes to its end, or nothing does.  That is so where the list has each item once, as those
 * have that began as [x]. */
static bool
grows_by_one(vt_fold *f, const vt_lambda_step *merge, uint8_t r, vt_value to, vt_value v)
{
	const vt_site *site = merge->by;
	const vt_list *l = vt_as_list(to);
	uint32_t good = 0;
	vt_value x;

	if (!f->singles || f->t->t[r].op != VT_STEP_LIST || !vt_is(to, TUPLE) || !vt_is(v, TUPLE) ||
		vt_head_of(to)->rc != 1 || to == v || l->n > VT_MOST_ITEMS / 2 ||
		vt_list_kind(site->unit) != VT_K_TUPLE || vt_has_borrowings(l) ||
		!is_plain(x = vt_as_list(v)->v[0]))
		return false;
	f->inner |= UINT64_C(1) << r;
	f->known &= ~(UINT64_C(1) << r);
	for (uint32_t i = 0; i < l->n; i++) {
		if (is_same(l->v[i], x)) {
			f->known |= UINT64_C(1) << r;
			return true;
		}
		if (!is_plain(l->v[i]))
			break;
		good++;
	}
	if (good == l->n)
		return true;
	f->inner &= ~(UINT64_C(1) << r);
	return false;
}

/* Does no other pair of the dict have the key? */
static bool
is_only_key(const vt_fold *f, const vt_lambda_step *m, uint32_t at, vt_value key)
{
	for (uint32_t k = 0; k < at; k++)
		if (vt_fold_same_key(vt_fold_pair_key(f, m, k), key))
			return false;
	return true;
}

bool
vt_fold_merges_pairs(
	vt_fold *f, const vt_lambda_step *merge, uint8_t m, vt_value d, bool own, bool stays)
{
	const vt_lambda_step *x = &f->t->t[m];
	uint32_t n = vt_fold_pairs(x);

	for (uint32_t k = 0; k < n; k++) {
		vt_value key = vt_fold_pair_key(f, x, k), now, *to = NULL;
		uint8_t r = vt_fold_pair(x, k);
		if (!vt_fold_is_key(key))
			return false;
		if (!is_only_key(f, x, k, key))
			return false;
		if (stays && n == 1) {
			to = vt_dict_slot(vt_as_dict(d), key);
			now = to != NULL ? *to : VT_UNDEF;
		} else
			now = vt_dict_get(vt_as_dict(d), key);
		f->place[r] = to;
		if (vt_fold_in_spine(f, r) && now != VT_UNDEF) {
			bool alone = own && vt_is(now, DICT) && vt_head_of(now)->rc == 1;
			if (!vt_is(now, DICT) ||
				!vt_fold_merges_pairs(f, merge, r, now, alone,
					alone && to != NULL && vt_dict_merges(now, VT_UNDEF)))
				return false;
			continue;
		}
		if ((vt_fold_in_spine(f, r) && !vt_fold_make_plainly(f, r)) ||
			vt_fold_value(f, r) == VT_UNDEF)
			return false;
		if ((now == VT_UNDEF || !own ||
			    !grows_by_one(f, merge, r, now, vt_fold_value(f, r))) &&
			!vt_value_merges(now, vt_fold_value(f, r)))
			return false;
	}
	return true;
}

void
vt_fold_merge_pairs(vt_fold *f, uint8_t m, vt_dict *d)
{
	const vt_lambda_step *x = &f->t->t[m];
	uint32_t n = vt_fold_pairs(x);

	for (uint32_t k = 0; k < n; k++) {
		vt_value key = vt_fold_pair_key(f, x, k);
		uint8_t r = vt_fold_pair(x, k);
		bool grows = f->inner >> r & 1;
		vt_value *to = f->place[r] != NULL               ? f->place[r]
			       : vt_fold_in_spine(f, r) || grows ? vt_dict_slot(d, key)
								 : NULL;
		if (grows && !(f->known >> r & 1))
			vt_list_push(f->s->rt, vt_as_list(*to),
				vt_copy(vt_as_list(vt_fold_value(f, r))->v[0]));
		else if (!grows && vt_fold_in_spine(f, r) && to != NULL)
			vt_fold_merge_pairs(f, r, vt_dict_to_merge(f->s->rt, to));
		else if (!grows)
			vt_dict_merge_value(f->s->rt, d, key, vt_fold_value(f, r));
	}
}

/* The pairs of register m, a dict that was not made, into d. */
static bool
note_pairs(vt_fold *f, uint8_t m, vt_dict *d, int64_t levels, uint32_t depth)
{
	const vt_lambda_step *x = &f->t->t[m];
	uint32_t n = vt_fold_pairs(x);

	for (uint32_t k = 0; k < n; k++) {
		vt_value key = vt_fold_pair_key(f, x, k), *slot;
		uint8_t r = vt_fold_pair(x, k);
		if (!vt_fold_is_key(key) || !is_only_key(f, x, k, key))
			return false;
		slot = vt_fold_in_spine(f, r) && levels != 1 ? vt_dict_slot(d, key) : NULL;
		if (slot != NULL && vt_is(*slot, DICT) && vt_head_of(*slot)->rc == 1 &&
			vt_dict_is_made(*slot)) {
			if (!note_pairs(f, r, vt_as_dict(*slot), levels == 0 ? 0 : levels - 1,
				    depth + 1))
				return false;
			continue;
		}
		if ((vt_fold_in_spine(f, r) && !vt_fold_make_plainly(f, r)) ||
			vt_fold_value(f, r) == VT_UNDEF ||
			!note_pair(&f->merge, d, key, vt_fold_value(f, r), levels, depth))
			return false;
	}
	return true;
}

bool
vt_fold_notes_merge(vt_fold *f, const vt_lambda_step *t, vt_value x)
{
	vt_value y;

	if (!vt_is(x, DICT) || !vt_dict_is_made(x))
		return false;
	if (vt_fold_in_spine(f, t->args[0])) {
		vt_merge_forget(&f->merge);
		return note_pairs(f, t->args[0], vt_as_dict(x), f->merge.levels, 0);
	}
	y = vt_fold_argument(f, t, 0);
	return y != VT_UNDEF && vt_is_ptr(y) && vt_is(y, DICT) && vt_merge_note(&f->merge, x, y);
}
