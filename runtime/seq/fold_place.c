/*
 * fold_place.c - folds that change what they have made so far in its place.
 *
 * The steps that only make the next `$1` out of `$1` are its spine: `$1 + [..]`, `$1 + {k => v}`,
 * `$1.set(k, v)`, `$1.mergeWith(d)`, chains of them, what a condition chooses among them, lists and
 * records of as many members, and `$1.get(k, []) + [..]` as the value that comes to lie at k again.
 * They are not done as steps.  All others are, for they change nothing; then it is looked whether
 * each change of the spine is certain to succeed; then they are made.
 *
 * Nothing may see a change that came after it was read: what the other steps have read of $1 is
 * held while changes are made, and what somebody holds is copied rather than changed.
 */
#include "runtime/seq/fold.h"
#include "runtime/seq/word.h"

#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"

#include <string.h>

/* Where a value lies: below the key of what lies at `up`; NULL: it is $1 itself. */
typedef struct path {
	const struct path *up;
	vt_value key;
} path;

/* ---- values of the item at hand ---- */

/* What `+` adds. */
static vt_value
addend(const vt_fold *f, const vt_lambda_step *x)
{
	if (x->b != VT_STEP_K)
		return vt_fold_value(f, x->b);
	return x->heap != NULL ? vt_mkptr(x->heap) : x->k;
}

/* What a step has made is held until the item is done; a step that a smaller spine has made
 * already is not made a second time. */
static bool
make(vt_fold *f, uint8_t r)
{
	vt_batch *s = f->s;
	vt_value v;

	if (f->made >> r & 1)
		return true;
	if ((!vt_fold_word(f, r) && !vt_batch_one(s, &f->t->t[r], r)) ||
		(v = vt_fold_value(f, r)) == VT_UNDEF)
		return (f->t->t[r].flags & VT_STEP_SOFT) != 0;
	f->made |= UINT64_C(1) << r;
	if (!vt_is_ptr(v) || (s->owns >> r & 1))
		return true;
	if (s->col[r] != s->v + (size_t)r * s->cap)
		return false;
	vt_retain(v);
	vt_batch_own(s, r);
	return true;
}

/* A step with those of the spine that it takes, as steps after all. */
static bool
make_with_operands(vt_fold *f, uint8_t r)
{
	uint64_t of = f->takes[r];

	for (; of != 0; of &= of - 1) {
		uint8_t k = (uint8_t)__builtin_ctzll(of);
		if (!make_with_operands(f, k) || vt_fold_value(f, k) == VT_UNDEF)
			return false;
	}
	return make(f, r);
}

bool
vt_fold_make_plainly(vt_fold *f, uint8_t r)
{
	return make_with_operands(f, r) && vt_fold_value(f, r) != VT_UNDEF;
}

/* What was read or made for steps that are done is held no longer: it may be changed. */
static void
let_go(vt_fold *f)
{
	vt_batch *s = f->s;
	uint64_t of = f->made & f->passing & s->owns;

	for (uint64_t left = of; left != 0; left &= left - 1) {
		uint32_t r = (uint32_t)__builtin_ctzll(left);
		vt_clear(s->v + (size_t)r * s->cap + s->at);
	}
	for (uint64_t left = f->lent; left != 0; left &= left - 1)
		s->v[(size_t)__builtin_ctzll(left) * s->cap + s->at] = VT_UNDEF;
	f->made &= ~(of | f->lent);
	s->owns &= ~of;
}

/* ---- is every change certain to succeed? ---- */

static vt_value
key_of(const vt_fold *f, const vt_lambda_step *x)
{
	if (x->op == VT_STEP_ATTR)
		return vt_mkptr(x->heap);
	return x->op == VT_STEP_INDEX ? x->k : vt_fold_argument(f, x, x->op == VT_STEP_GET ? 0 : 1);
}

static bool
reads_below(const vt_fold *f, uint8_t r, const path *p)
{
	if (p == NULL || f->how[r] != READ)
		return p == NULL && f->how[r] == SELF;
	return vt_fold_in_spine(f, r) && vt_fold_same_key(key_of(f, &f->t->t[r]), p->key) &&
	       reads_below(f, f->of[r], p->up);
}

/* Is the register what lies at that path? */
static inline bool
reads(const vt_fold *f, uint8_t r, const path *p)
{
	return p == NULL ? f->how[r] == SELF : f->how[r] == READ && reads_below(f, r, p);
}

/* One that set() has made, or delete(). */
static bool
is_changeable(vt_value d)
{
	return vt_is(d, DICT) && ((vt_head_of(d)->flags & VT_F_FROZEN) != 0 || vt_dict_is_made(d));
}

static bool
has_final_values(const vt_dict *d)
{
	vt_value key, v;

	for (uint32_t pos = 0; vt_dict_at(d, &pos, &key, &v);)
		if (!vt_fold_is_key(key) || !vt_final_now(v))
			return false;
	return true;
}

static bool
appends(vt_value x, vt_value y)
{
	if (y == VT_UNDEF || x == y || !vt_is_ptr(y) || vt_head_of(x)->kind != vt_head_of(y)->kind)
		return false;
	if (vt_is(x, TUPLE))
		return vt_is_final(y) &&
		       (uint64_t)vt_as_list(x)->n + vt_as_list(y)->n <= VT_MOST_ITEMS / 2;
	if (vt_is(x, STR))
		return (uint64_t)vt_as_str(x)->bytes + vt_as_str(y)->bytes < INT32_MAX / 4;
	if (vt_is(x, SET))
		return vt_head_of(x)->rc == 1;
	return is_changeable(x) && (vt_is_final(y) || has_final_values(vt_as_dict(y)));
}

/* The same of a list that was not made. */
static bool
appends_items(const vt_fold *f, const vt_lambda_step *list, vt_value x)
{
	if (!vt_is(x, TUPLE) || vt_as_list(x)->n > VT_MOST_ITEMS / 2)
		return false;
	for (uint32_t k = 0; k < list->n; k++) {
		vt_value v = vt_fold_value(f, list->args[k]);
		if (v == VT_UNDEF || v == x || !vt_final_now(v))
			return false;
	}
	return true;
}

static bool fits(vt_fold *f, uint8_t r, const path *p, vt_value x);

/* What a condition of the spine chose; VT_STEP_K: that is open. */
static uint8_t
chosen(const vt_fold *f, uint8_t r)
{
	while (vt_fold_in_spine(f, r) && f->how[r] == CHOOSE) {
		vt_value v = vt_fold_value(f, f->t->t[r].c);
		if (v == VT_UNDEF)
			return VT_STEP_K;
		r = vt_is_true(v) ? f->t->t[r].a : f->t->t[r].b;
	}
	return r;
}

/* Where the spine begins; VT_STEP_K: not with what lies at p. */
static uint8_t
begin_of(const vt_fold *f, uint8_t r, const path *p)
{
	while (vt_fold_changes(f, r))
		r = f->of[r];
	return reads(f, r, p) ? r : VT_STEP_K;
}

/* What a get() gives for a key that is not there; or VT_UNDEF. */
static vt_value
default_of(const vt_fold *f, uint8_t r)
{
	const vt_lambda_step *x = &f->t->t[r];

	return x->op == VT_STEP_GET && x->n == 2 ? vt_fold_argument(f, x, 1) : VT_UNDEF;
}

/* What get() has to be given as well could not be worked out: that counts in any case. */
static bool
lacks_default(const vt_fold *f, uint8_t r)
{
	const vt_lambda_step *x = &f->t->t[r];

	return x->op == VT_STEP_GET && x->n == 2 && default_of(f, r) == VT_UNDEF;
}

/* May what lies at p, `now`, be changed into register r?  `fresh`: a copy of it is. */
static bool
is_inner(vt_fold *f, uint8_t r, const path *p, vt_value now, bool fresh)
{
	if (!vt_is_ptr(now) || (!fresh && vt_head_of(now)->rc != 1))
		return false;
	if (vt_is(now, STR)
			? fresh || vt_as_str(now)->bytes < VT_FOLD_LONG_TEXT
			: !vt_is(now, TUPLE) && !vt_is(now, DICT) && (fresh || !vt_is(now, SET)))
		return false;
	return fits(f, r, p, now);
}

/* The sum of what lies there and a small integer, into register r. */
static bool
counts(vt_fold *f, uint8_t r, uint8_t begin, vt_value now)
{
	const vt_lambda_step *x = &f->t->t[r];
	vt_value by, sum;

	if (f->how[r] != ADD || f->of[r] != begin || !vt_is_int(now))
		return false;
	by = vt_fold_in_spine(f, x->b) ? VT_UNDEF : addend(f, x);
	if (!vt_is_int(by) || vt_step_ints(VT_STEP_ADD, 1, &now, &by, 0, &sum) != 1)
		return false;
	*vt_batch_values(f->s, r) = sum;
	return true;
}

/* What is made anew each time of as many registers: a list, or a record with those keys. */
typedef struct made {
	uint32_t n;
	const uint8_t *of;
	const vt_str *const *keys; /* NULL: a list */
	const void *ic;            /* of the shape */
} made;

static made
made_by(const vt_lambda_step *x)
{
	return (made){x->n, x->args, x->op == VT_STEP_MAP ? x->by : NULL, x->ic};
}

/* The members of what was made the last time; NULL: it is another one. */
static vt_value *
members(const vt_fold *f, const made *m, vt_value sum)
{
	vt_head *h = vt_head_of(sum);

	if (h->flags & VT_F_BORROWED || !(h->flags & VT_F_FINAL))
		return NULL;
	if (m->keys == NULL)
		return vt_is(sum, TUPLE) && vt_as_list(sum)->n == m->n ? vt_as_list(sum)->v : NULL;
	return vt_is(sum, DICT) && h->flags & VT_F_FROZEN && vt_as_dict(sum)->shape != NULL &&
			       vt_as_dict(sum)->shape == vt_ic_at(f->s->rt, m->ic)->key &&
			       vt_as_dict(sum)->n == m->n
		       ? vt_as_dict(sum)->v
		       : NULL;
}

static path
member_path(const made *m, uint32_t k, const path *up)
{
	return (path){up, m->keys == NULL ? vt_mkint(k) : vt_mkptr(m->keys[k])};
}

static bool takes(
	vt_fold *f, const path *q, uint8_t r, vt_value constant, vt_value *slot, bool untouched);

/* The list or record of register r, which is made anew: what lies at p, `now`, is such a one, and
 * its members are changed; else it is made. */
static bool
has_members(vt_fold *f, uint8_t r, const path *p, vt_value now, bool untouched)
{
	made m = made_by(&f->t->t[r]);
	vt_value *to = NULL;

	if (untouched && now != VT_UNDEF && vt_is_ptr(now) && vt_head_of(now)->rc == 1)
		to = members(f, &m, now);
	for (uint32_t k = 0; to != NULL && k < m.n; k++) {
		path q = member_path(&m, k, p);
		if (!takes(f, &q, m.of[k], VT_UNDEF, &to[k], true))
			to = NULL;
	}
	if (to == NULL)
		return vt_fold_make_plainly(f, r);
	f->inner |= UINT64_C(1) << r;
	return true;
}

/* The value that comes to lie at p, register r of what was chosen: changed there, or made.
 * `untouched`: `now` is what will lie there when it is changed. */
static bool
has_value(vt_fold *f, uint8_t r, const path *p, vt_value now, bool untouched)
{
	bool fresh = now == VT_UNDEF;
	uint8_t begin;

	if (!vt_fold_in_spine(f, r))
		return true;
	if (f->how[r] == MAKE)
		return has_members(f, r, p, now, untouched);
	begin = begin_of(f, r, p);
	if (begin == VT_STEP_K)
		return vt_fold_make_plainly(f, r);
	if (lacks_default(f, begin))
		return false;
	if (fresh)
		now = default_of(f, begin);
	if (counts(f, r, begin, now))
		return true;
	if (!untouched || !is_inner(f, r, p, now, fresh))
		return vt_fold_make_plainly(f, r);
	f->inner |= UINT64_C(1) << r;
	return true;
}

/* Is what lies below the key what the item began with, when register r is made?  What an earlier
 * change has put there is another value than the one that was looked at. */
static bool
is_untouched(const vt_fold *f, uint8_t r, vt_value key)
{
	for (; f->how[r] == SET; r = f->of[r]) {
		vt_value other = vt_fold_argument(f, &f->t->t[r], 0);
		if (!vt_fold_is_key(other) || vt_fold_same_key(other, key))
			return false;
	}
	return !vt_fold_changes(f, r);
}

/* Can register r come to lie below the key of d, or, where r is VT_STEP_K, the constant? */
static bool
takes(vt_fold *f, const path *q, uint8_t r, vt_value constant, vt_value *slot, bool untouched)
{
	vt_value v = constant;

	if ((r != VT_STEP_K && (r = chosen(f, r)) == VT_STEP_K) ||
		!has_value(f, r, q, slot != NULL ? *slot : VT_UNDEF, untouched))
		return false;
	if (r != VT_STEP_K) {
		if (f->inner >> r & 1)
			return true;
		v = vt_fold_value(f, r);
	}
	return v != VT_UNDEF && vt_final_now(v);
}

static bool
sets(vt_fold *f, const vt_lambda_step *x, const path *p, vt_value d)
{
	path q = {p, vt_fold_argument(f, x, 0)};
	vt_value *slot;

	if (!vt_fold_is_key(q.key) || !is_changeable(d))
		return false;
	slot = vt_dict_slot(vt_as_dict(d), q.key);
	if (p == NULL && f->how[x->a] == SELF)
		f->slot = slot;
	return takes(f, &q, x->args[1],
		x->args[1] == VT_STEP_K ? vt_fold_argument(f, x, 1) : VT_UNDEF, slot,
		is_untouched(f, x->a, q.key));
}

/* The same as sets() for each pair of a dict that is added to what register `of` is. */
static bool
adds_pairs(vt_fold *f, uint8_t of, const vt_lambda_step *m, const path *p, vt_value d)
{
	if (!is_changeable(d))
		return false;
	for (uint32_t k = 0; k < vt_fold_pairs(m); k++) {
		path q = {p, vt_fold_pair_key(f, m, k)};
		bool untouched;
		if (!vt_fold_is_key(q.key))
			return false;
		untouched = is_untouched(f, of, q.key);
		for (uint32_t i = 0; i < k; i++)
			untouched =
				untouched && !vt_fold_same_key(vt_fold_pair_key(f, m, i), q.key);
		if (!takes(f, &q, vt_fold_pair(m, k), VT_UNDEF, vt_dict_slot(vt_as_dict(d), q.key),
			    untouched))
			return false;
	}
	return true;
}

/* An item that is there, by another value, or changed. */
static bool
replaces(vt_fold *f, const vt_lambda_step *t, const path *p, vt_value x)
{
	path q = {p, vt_fold_argument(f, t, 0)};
	vt_list *l = vt_as_list(x);

	if (!vt_is(x, TUPLE) || !vt_is_int(q.key) || vt_toint(q.key) < 0 || vt_toint(q.key) >= l->n)
		return false;
	if (vt_has_borrowings(l))
		vt_settle_borrowings(l);
	return takes(f, &q, t->args[1],
		t->args[1] == VT_STEP_K ? vt_fold_argument(f, t, 1) : VT_UNDEF,
		&l->v[vt_toint(q.key)], reads(f, t->a, p));
}

/* Keys that go from a dict. */
static bool
forgets(const vt_fold *f, const vt_lambda_step *t, vt_value d)
{
	if (!is_changeable(d))
		return false;
	for (uint32_t k = 0; k < t->n; k++)
		if (!vt_fold_is_key(vt_fold_argument(f, t, k)))
			return false;
	return true;
}

/* delete() gives a dict that cannot be hashed. */
static void
forget(const vt_fold *f, const vt_lambda_step *t, vt_dict *d)
{
	d->h.flags &= (uint8_t) ~(VT_F_FROZEN | VT_F_FINAL);
	for (uint32_t k = 0; k < t->n; k++)
		(void)vt_dict_del(f->s->rt, d, vt_fold_argument(f, t, k));
}

/* Register r is what lies at p, x, with changes. */
static bool
fits(vt_fold *f, uint8_t r, const path *p, vt_value x)
{
	const vt_lambda_step *t = &f->t->t[r], *added;
	bool first;

	if (reads(f, r, p))
		return true;
	if (!vt_fold_in_spine(f, r) || !vt_fold_changes(f, r))
		return false;
	first = p == NULL && f->how[t->a] == SELF;
	if (!first && !reads(f, t->a, p) && !fits(f, t->a, p, x))
		return false;
	if (f->how[r] == SET)
		return sets(f, t, p, x);
	if (f->how[r] == REPLACE)
		return replaces(f, t, p, x);
	if (f->how[r] == TO_LIST)
		return true;
	if (f->how[r] == FORGET)
		return forgets(f, t, x);
	if (f->how[r] == CUT)
		return vt_is(x, TUPLE);
	if (f->how[r] == MERGE && vt_fold_in_spine(f, t->args[0]))
		return vt_dict_merges(x, VT_UNDEF) &&
		       vt_fold_merges_pairs(f, t, t->args[0], x, first, first);
	if (f->how[r] == MERGE)
		return vt_dict_merges(x, vt_fold_argument(f, t, 0));
	if (f->how[r] == MERGE_BY)
		return vt_fold_notes_merge(f, t, x);
	if (vt_fold_of_sets(f, r))
		return vt_fold_fits_set(f, r, x);
	if (!vt_fold_in_spine(f, t->b))
		return appends(x, addend(f, t));
	added = &f->t->t[t->b];
	return added->op == VT_STEP_LIST ? appends_items(f, added, x)
					 : adds_pairs(f, t->a, added, p, x);
}

/* ---- the changes ---- */

static void
append_list(vt_fold *f, const vt_lambda_step *list, vt_list *x)
{
	uint8_t final = x->h.flags & VT_F_FINAL;

	for (uint32_t k = 0; k < list->n; k++)
		vt_list_push(f->s->rt, x, vt_copy(vt_fold_value(f, list->args[k])));
	x->h.flags |= final;
}

static void
append_items(vt_rt *rt, vt_list *x, const vt_list *y)
{
	uint8_t final = x->h.flags & VT_F_FINAL;

	vt_list_extend(rt, x, y->n, y->v);
	x->h.flags |= final;
}

static void
append(vt_rt *rt, vt_value *x, vt_value y)
{
	if (vt_is(*x, TUPLE))
		append_items(rt, vt_as_list(*x), vt_as_list(y));
	else if (vt_is(*x, DICT)) {
		vt_dict_put_all(rt, vt_as_dict(*x), vt_as_dict(y));
		vt_head_of(*x)->flags |= VT_F_FROZEN;
	} else if (vt_is(*x, SET))
		vt_fold_unite(rt, vt_as_set(*x), vt_as_set(y));
	else if (!vt_str_append(rt, x, vt_as_str(y)))
		vt_move(x, vt_str_concat(rt, vt_as_str(*x), vt_as_str(y)));
}

vt_value
vt_fold_own(vt_rt *rt, vt_value x)
{
	vt_list *l;

	if (!vt_is_ptr(x) || (!vt_is(x, DICT) && !vt_is(x, TUPLE)))
		return vt_copy(x);
	if (vt_is(x, DICT))
		return vt_mkptr(vt_dict_copy(rt, vt_as_dict(x), true));
	l = vt_list_grow(rt, VT_K_TUPLE, vt_as_list(x)->n + 4);
	vt_list_extend(rt, l, vt_as_list(x)->n, vt_as_list(x)->v);
	l->h.flags |= vt_head_of(x)->flags & VT_F_FINAL;
	return vt_mkptr(l);
}

/* The first n items go. */
static void
cut(vt_list *l, uint32_t n)
{
	vt_list_drop(l, n < l->n ? n : l->n);
	l->h.aux = 0; /* vt_item_class */
}

static void put(
	vt_fold *f, const path *q, uint8_t r, vt_value constant, vt_value *slot, vt_value d);

static void
set(vt_fold *f, const vt_lambda_step *x, const path *p, vt_value d)
{
	path q = {p, vt_fold_argument(f, x, 0)};
	vt_value *slot = f->slot != NULL && p == NULL && f->how[x->a] == SELF
				 ? f->slot
				 : vt_dict_slot(vt_as_dict(d), q.key);

	put(f, &q, x->args[1], x->args[1] == VT_STEP_K ? vt_fold_argument(f, x, 1) : VT_UNDEF, slot,
		d);
	vt_head_of(d)->flags |= VT_F_FROZEN;
}

static void
replace(vt_fold *f, const vt_lambda_step *t, const path *p, vt_list *l)
{
	path q = {p, vt_fold_argument(f, t, 0)};

	put(f, &q, t->args[1], t->args[1] == VT_STEP_K ? vt_fold_argument(f, t, 1) : VT_UNDEF,
		&l->v[vt_toint(q.key)], VT_UNDEF);
	l->h.aux = 0; /* vt_item_class */
}

static void
put_pairs(vt_fold *f, const vt_lambda_step *m, const path *p, vt_value d)
{
	for (uint32_t k = 0; k < vt_fold_pairs(m); k++) {
		path q = {p, vt_fold_pair_key(f, m, k)};
		put(f, &q, vt_fold_pair(m, k), VT_UNDEF, vt_dict_slot(vt_as_dict(d), q.key), d);
	}
	vt_head_of(d)->flags |= VT_F_FROZEN;
}

/* It was such a one when has_members() looked; a copy of it has the same flags and shape. */
static void
change_members(vt_fold *f, uint8_t r, const path *p, vt_value x)
{
	made m = made_by(&f->t->t[r]);
	vt_value *to = members(f, &m, x);

	for (uint32_t k = 0; k < m.n; k++) {
		path q = member_path(&m, k, p);
		put(f, &q, m.of[k], VT_UNDEF, &to[k], x);
	}
}

static void
change(vt_fold *f, uint8_t r, const path *p, vt_value *x)
{
	const vt_lambda_step *t = &f->t->t[r];

	if (reads(f, r, p))
		return;
	if (f->how[r] == MAKE) {
		change_members(f, r, p, *x);
		return;
	}
	if (!reads(f, t->a, p))
		change(f, t->a, p, x);
	if (f->how[r] == SET)
		set(f, t, p, *x);
	else if (f->how[r] == REPLACE)
		replace(f, t, p, vt_as_list(*x));
	else if (f->how[r] == TO_LIST)
		return;
	else if (f->how[r] == FORGET)
		forget(f, t, vt_as_dict(*x));
	else if (f->how[r] == CUT)
		cut(vt_as_list(*x), ((const vt_nest *)t->by)->skip);
	else if (f->how[r] == MERGE && vt_fold_in_spine(f, t->args[0]))
		vt_fold_merge_pairs(f, t->args[0], vt_as_dict(*x));
	else if (f->how[r] == MERGE)
		vt_dict_merge(f->s->rt, vt_as_dict(*x), vt_as_dict(vt_fold_argument(f, t, 0)));
	else if (f->how[r] == MERGE_BY)
		vt_merge_make(&f->merge);
	else if (vt_fold_of_sets(f, r))
		vt_fold_change_set(f, r, vt_as_set(*x));
	else if (vt_fold_in_spine(f, t->b) && f->t->t[t->b].op == VT_STEP_LIST)
		append_list(f, &f->t->t[t->b], vt_as_list(*x));
	else if (vt_fold_in_spine(f, t->b))
		put_pairs(f, &f->t->t[t->b], p, *x);
	else
		append(f->s->rt, x, addend(f, t));
}

static void
change_inner(vt_fold *f, uint8_t r, const path *p, vt_value *to)
{
	if (vt_head_of(*to)->rc != 1)
		vt_move(to, vt_fold_own(f->s->rt, *to));
	change(f, r, p, to);
}

/* Register r, or the constant, below the key of d, where `slot` is; or NULL. */
static void
put(vt_fold *f, const path *q, uint8_t r, vt_value constant, vt_value *slot, vt_value d)
{
	vt_value v = constant;
	bool inner = false;

	if (r != VT_STEP_K) {
		r = chosen(f, r);
		inner = f->inner >> r & 1;
		v = inner ? VT_UNDEF : vt_fold_value(f, r);
	}

	if (inner && slot != NULL) {
		change_inner(f, r, q, slot);
	} else if (slot != NULL) {
		vt_move(slot, vt_copy(v));
	} else if (inner) {
		v = vt_fold_own(f->s->rt, default_of(f, begin_of(f, r, q)));
		change(f, r, q, &v);
		(void)vt_dict_put(f->s->rt, vt_as_dict(d), q->key, v);
		vt_release(v);
	} else {
		(void)vt_dict_put(f->s->rt, vt_as_dict(d), q->key, v);
	}
}

/* ---- an item ---- */

/* What stands where nothing lies below the key yet; VT_UNDEF: that is not known. */
static vt_value
nothing_of(const vt_fold *f)
{
	const vt_lambda_step *x = f->key_none != VT_STEP_K ? &f->t->t[f->key_none] : NULL;

	if (x == NULL)
		return vt_fold_argument(f, f->key_get, 1);
	if (x->op == VT_STEP_CONST)
		return x->heap != NULL ? vt_mkptr(x->heap) : x->k;
	return f->needs >> f->key_none & 1 ? VT_UNDEF : vt_fold_value(f, f->key_none);
}

static bool
count(vt_fold *f, vt_dict *d, vt_value key, vt_value *slot)
{
	vt_value by = addend(f, f->key_sum), now;

	if (!vt_is_int(by) && (by == VT_UNDEF || !vt_is(by, FLOAT)))
		return false;
	if (slot != NULL && vt_float_grows(f->s->rt, slot, by))
		return true;
	now = slot != NULL ? *slot : nothing_of(f);
	if (!vt_is_int(now) || !vt_is_int(by) || !vt_add_fast(now, by, &now)) {
		if (now == VT_UNDEF || !vt_step_real(f->s->rt, VT_STEP_ADD, now, by, &now))
			return false;
	}
	if (slot != NULL)
		vt_move(slot, now);
	else if (vt_dict_put(f->s->rt, d, key, now) == VT_OK)
		vt_release(now);
	return true;
}

static bool
collect(vt_fold *f, const vt_lambda_step *list, vt_dict *d, vt_value key, vt_value *slot)
{
	const vt_lambda_step *none = f->key_none != VT_STEP_K ? &f->t->t[f->key_none] : NULL;
	bool empty = none != NULL && none->op == VT_STEP_LIST && none->n == 0;
	vt_value to = slot != NULL ? *slot : VT_UNDEF;

	if (slot != NULL && (!vt_is(to, TUPLE) || vt_head_of(to)->rc != 1))
		return false;
	if (slot == NULL && !empty)
		return false;
	for (uint32_t k = 0; k < list->n; k++) {
		vt_value v = vt_fold_value(f, list->args[k]);
		if (v == VT_UNDEF || v == to || !vt_final_now(v))
			return false;
	}
	if (slot == NULL) {
		vt_list *l = vt_list_grow(f->s->rt, VT_K_TUPLE, 4);
		l->h.flags |= VT_F_FINAL;
		to = vt_mkptr(l);
		(void)vt_dict_put(f->s->rt, d, key, to);
		vt_release(to);
	}
	if (vt_as_list(to)->n > VT_MOST_ITEMS / 2)
		return false;
	append_list(f, list, vt_as_list(to));
	return true;
}

/* The item by what find_sum_by_key() has found. False: another way. */
static bool
add_by_key(vt_fold *f, vt_value d)
{
	const vt_lambda_step *sum = f->key_sum;
	const vt_lambda_step *list = sum->b != VT_STEP_K ? &f->t->t[sum->b] : NULL;
	vt_value key = vt_fold_argument(f, &f->t->t[f->t->out[0]], 0), *slot;

	if (!vt_fold_is_key(key) || !vt_fold_same_key(key, vt_fold_argument(f, f->key_get, 0)) ||
		!is_changeable(d) || vt_head_of(d)->rc != 1)
		return false;
	slot = vt_dict_slot(vt_as_dict(d), key);
	if (slot != NULL && f->coalesces && *slot == VT_NULL)
		return false;
	return list != NULL && list->op == VT_STEP_LIST && f->needs >> sum->b & 1
		       ? collect(f, list, vt_as_dict(d), key, slot)
		       : count(f, vt_as_dict(d), key, slot);
}

static bool change_made(vt_fold *f, const made *m, vt_value sum);

/* A step of the spine, where it makes a word of words. */
static bool
make_word(vt_fold *f, uint8_t r, const vt_value *sum)
{
	vt_value *v = f->s->v + f->s->at, *to = v + (size_t)r * VT_BULK;

	if (f->t->t[r].guard == VT_STEP_K &&
		vt_quick_step(f->s->rt, &f->t->t[r], sum, v, VT_BULK_BITS, to) && !vt_is_ptr(*to))
		return true;
	*to = VT_UNDEF;
	return false;
}

/* What comes to lie below a key, where it is there or a word; VT_UNDEF: another way. */
static vt_value
plain_value(vt_fold *f, uint8_t r, const vt_value *sum)
{
	if (r == VT_STEP_K || (r = chosen(f, r)) == VT_STEP_K)
		return VT_UNDEF;
	if (!vt_fold_in_spine(f, r))
		return vt_fold_value(f, r);
	for (uint64_t of = f->takes[r]; of != 0; of &= of - 1) {
		uint8_t k = (uint8_t)__builtin_ctzll(of);
		if (f->takes[k] != 0 || !make_word(f, k, sum))
			return VT_UNDEF;
	}
	return make_word(f, r, sum) ? vt_fold_value(f, r) : VT_UNDEF;
}

/* The keys that the lambda sets, where nothing has to be changed inside of what lies there. */
static bool
set_plainly(vt_fold *f, vt_value sum)
{
	vt_value key[VT_FOLD_PARTS], v[VT_FOLD_PARTS];

	if (f->nsets == 0 || !is_changeable(sum) || vt_head_of(sum)->rc != 1)
		return false;
	for (uint32_t k = 0; k < f->nsets; k++) {
		const vt_lambda_step *x = &f->t->t[f->sets[k]];
		key[k] = vt_fold_argument(f, x, 0);
		v[k] = x->args[1] == VT_STEP_K ? vt_fold_argument(f, x, 1)
					       : plain_value(f, x->args[1], &sum);
		if (!vt_fold_is_key(key[k]) || v[k] == VT_UNDEF || !vt_final_now(v[k]))
			return false;
	}
	for (uint32_t k = 0; k < f->nsets; k++) {
		vt_value *slot = vt_dict_slot(vt_as_dict(sum), key[k]);
		if (slot != NULL)
			vt_move(slot, vt_copy(v[k]));
		else
			(void)vt_dict_put(f->s->rt, vt_as_dict(sum), key[k], v[k]);
	}
	return true;
}

static bool
change_value(vt_fold *f, vt_value *sum)
{
	uint8_t r;
	vt_value v;

	if (set_plainly(f, *sum))
		return true;
	if ((r = chosen(f, f->t->out[0])) == VT_STEP_K)
		return false;
	if (vt_fold_in_spine(f, r) && f->how[r] == MAKE) {
		made m = made_by(&f->t->t[r]);
		return change_made(f, &m, *sum);
	}
	if (vt_fold_in_spine(f, r) || f->how[r] == SELF) {
		if (!fits(f, r, NULL, *sum) || vt_head_of(*sum)->rc != 1)
			return false;
		change(f, r, NULL, sum);
		return true;
	}
	if ((v = vt_fold_value(f, r)) == VT_UNDEF)
		return false;
	vt_move(sum, vt_copy(v));
	return true;
}

/* Is register r the k-th member of $1? */
static bool
reads_member(const vt_fold *f, const made *m, uint8_t r, uint32_t k)
{
	const vt_lambda_step *x = &f->t->t[r];

	if (f->how[r] != READ || f->how[f->of[r]] != SELF)
		return false;
	if (m->keys == NULL)
		return x->op == VT_STEP_INDEX && x->k == vt_mkint(k);
	return x->op == VT_STEP_ATTR && (x->heap == m->keys[k] || vt_str_eq(x->heap, m->keys[k]));
}

/* What becomes of a member: nothing, one more item or several, another number; or another way. */
enum part { PART_SAME, PART_GROWS, PART_COUNTS, PART_OTHER };

static enum part
part_of(vt_fold *f, const made *m, uint8_t r, uint32_t k, vt_value *v)
{
	const vt_lambda_step *x = &f->t->t[r];

	if (reads_member(f, m, r, k))
		return PART_SAME;
	if (f->how[r] != ADD || !vt_fold_in_spine(f, r) || !reads_member(f, m, f->of[r], k))
		return PART_OTHER;
	if (!vt_fold_in_spine(f, x->b)) {
		vt_value by = addend(f, x);
		return vt_both_int(*v, by) && vt_add_fast(*v, by, v) ? PART_COUNTS : PART_OTHER;
	}
	return f->t->t[x->b].op == VT_STEP_LIST && vt_is_ptr(*v) && vt_head_of(*v)->rc == 1 &&
			       appends_items(f, &f->t->t[x->b], *v)
		       ? PART_GROWS
		       : PART_OTHER;
}

static bool
change_made(vt_fold *f, const made *m, vt_value sum)
{
	vt_value *to = members(f, m, sum), v[VT_STEPS_MOST];
	uint8_t of[VT_STEPS_MOST], part[VT_STEPS_MOST];

	if (to == NULL)
		return false;
	for (uint32_t k = 0; k < m->n; k++) {
		path p = member_path(m, k, NULL);
		of[k] = chosen(f, m->of[k]);
		if (of[k] == VT_STEP_K)
			return false;
		v[k] = to[k];
		part[k] = (uint8_t)part_of(f, m, of[k], k, &v[k]);
		if (part[k] == PART_OTHER && !takes(f, &p, of[k], VT_UNDEF, &to[k], true))
			return false;
	}
	if (vt_head_of(sum)->rc != 1)
		return false;
	for (uint32_t k = 0; k < m->n; k++) {
		path p = member_path(m, k, NULL);
		if (part[k] == PART_COUNTS)
			to[k] = v[k];
		else if (part[k] == PART_GROWS)
			append_list(f, &f->t->t[f->t->t[of[k]].b], vt_as_list(to[k]));
		else if (part[k] == PART_OTHER)
			put(f, &p, of[k], VT_UNDEF, &to[k], sum);
	}
	return true;
}

/* Is it a step of a branch that is not taken?  Nothing stands in its register then. */
static inline bool
is_left_open(const vt_fold_first *p, const vt_value *v)
{
	vt_value guard = v[(size_t)p->guard * VT_BULK];

	return guard != p->want && (guard == VT_UNDEF || vt_is_true(guard) != (p->want == VT_TRUE));
}

/* What a step has read is held until it is not needed any more. */
static inline void
hold(vt_fold *f, uint8_t r, vt_value v)
{
	const uint64_t bit = UINT64_C(1) << r;

	f->made |= bit;
	if (!vt_is_ptr(v))
		return;
	if (f->passing & bit) {
		f->lent |= bit;
	} else {
		vt_retain(v);
		vt_batch_own(f->s, r);
	}
}

/* The steps that are done before anything is changed. */
static bool
do_first(vt_fold *f, vt_value sum)
{
	vt_rt *rt = f->s->rt;
	vt_value *v = f->s->v + f->s->at;
	const vt_fold_first *p = f->first, *end = p + f->nfirst;

	for (; p < end; p++) {
		const uint8_t r = p->r;
		vt_value *to = v + (size_t)r * VT_BULK;
		if (p->guard != VT_STEP_K && is_left_open(p, v))
			p += p->same;
		else if (p->quick && vt_quick_step(rt, &f->t->t[r], &sum, v, VT_BULK_BITS, to))
			hold(f, r, *to);
		else if (!(f->takes[r] != 0 ? make_with_operands(f, r) : make(f, r)))
			return false;
	}
	return true;
}

bool
vt_fold_change_item(vt_fold *f, vt_value *sum)
{
	vt_batch *s = f->s;
	made m = {f->t->nout, f->t->out, f->t->kind == VT_PROGRAM_RECORD ? f->t->keys : NULL,
		f->t->ic};

	if ((f->key_sum != NULL && add_by_key(f, *sum)) ||
		(f->adds_one && vt_fold_add_one(f, *sum)))
		return true;
	if (f->path.n > 0 && vt_fold_change_path(f, *sum))
		return true;
	if (f->spine == 0)
		return false;
	f->inner = f->made = f->lent = 0;
	f->slot = NULL;
	for (uint64_t of = f->self; of != 0; of &= of - 1)
		s->v[(size_t)__builtin_ctzll(of) * s->cap + s->at] = *sum;
	if (!do_first(f, *sum))
		return false;
	let_go(f);
	return f->t->kind == VT_PROGRAM_VALUE ? change_value(f, sum) : change_made(f, &m, *sum);
}
