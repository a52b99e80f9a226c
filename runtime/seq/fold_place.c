/*
 * fold_place.c - folds that change what they have made so far in its place.
 *
 * The steps that only make the next `$1` out of `$1` are its spine: `$1 + [..]`, `$1.set(k, v)`,
 * chains of them, what a condition chooses among them, and `$1.get(k, []) + [..]` as the value that
 * is set for k again.  They are not done as steps.  All others are, for they change nothing; then
 * it is looked whether each change of the spine is certain to succeed; then they are made.
 *
 * Nothing may see a change that came after it was read: what the other steps have read of $1 is
 * held while changes are made, and what somebody holds is copied rather than changed.
 */
#include "runtime/seq/fold.h"

#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"

#include <string.h>

enum { LONG_TEXT = 256 };

/* Where a value lies: below the key of what lies at `up`; NULL: it is $1 itself. */
typedef struct path {
	const struct path *up;
	vt_value key;
} path;

/* ---- finding the spine ---- */

/* a.set(k, v) */
static bool
is_set(const vt_lambda_step *x)
{
	const vt_site *site = x->by;

	return x->op == VT_STEP_CALL && x->a != VT_STEP_K && x->n == 2 && site->nargs == 2 &&
	       site->kind == VT_SITE_METHOD && site->args[0].keyword == NULL &&
	       site->args[1].keyword == NULL && site->args[0].key == NULL &&
	       site->args[1].key == NULL && site->name->bytes == 3 &&
	       memcmp(site->name->s, "set", 3) == 0;
}

/* Where the step reads one value below another: the register of that; else VT_STEP_K. */
static uint8_t
container(const vt_lambda_step *x)
{
	if (x->op == VT_STEP_ATTR || x->op == VT_STEP_INDEX || (x->op == VT_STEP_GET && x->n > 0))
		return x->a;
	return x->op == VT_STEP_CALL && x->c == VT_CALL_AT && x->n == 2 ? x->args[0] : VT_STEP_K;
}

/* What a step does with $1, or with what lies in it. */
enum how { OTHER, SELF, READ, ADD, SET, CHOOSE };

static enum how
how(const vt_lambda_step *x)
{
	if (x->op == VT_STEP_ITEM)
		return x->a == 0 ? SELF : OTHER;
	if (x->op == VT_STEP_CHOOSE)
		return x->a != VT_STEP_K && x->b != VT_STEP_K ? CHOOSE : OTHER;
	if (x->op == VT_STEP_ADD)
		return x->a != VT_STEP_K ? ADD : OTHER;
	return is_set(x) ? SET : container(x) != VT_STEP_K ? READ : OTHER;
}

typedef struct plan {
	const vt_fold *f;
	const vt_lambda_program *t;
	uint8_t uses[VT_STEPS_MOST];
} plan;

/* A list that is made for nothing else than to be added. */
static bool
is_added_list(const vt_fold *f, uint8_t r)
{
	return r != VT_STEP_K && f->t->t[r].op == VT_STEP_LIST && (f->needs >> r & 1);
}

/* Adds the registers of a spine that ends at r; false: there is none. */
static bool
find_spine(const plan *p, uint8_t r, uint64_t *of)
{
	const vt_lambda_step *x = r != VT_STEP_K ? &p->t->t[r] : NULL;
	uint64_t below = 0;

	if (x == NULL || p->f->how[r] == SELF)
		return x != NULL;
	if (p->uses[r] != 1 || p->f->how[r] == OTHER || p->f->how[r] == CHOOSE)
		return false;
	if (p->f->how[r] == ADD && x->a == x->b)
		return false;
	if (p->f->how[r] == SET && x->args[1] != x->a && find_spine(p, x->args[1], &below))
		*of |= below;
	if (p->f->how[r] == ADD && is_added_list(p->f, x->b))
		*of |= UINT64_C(1) << x->b;
	*of |= UINT64_C(1) << r;
	return find_spine(p, p->f->of[r], of);
}

/* The spine below a result, or below each of those that a condition chooses from. */
static void
find_root(const plan *p, uint8_t r, uint64_t *of)
{
	const vt_lambda_step *x = &p->t->t[r];
	uint64_t found = 0;

	if (p->f->how[r] == CHOOSE) {
		if (p->uses[r] != 1 || x->a == x->c || x->b == x->c || x->a == x->b)
			return;
		*of |= UINT64_C(1) << r;
		find_root(p, x->a, of);
		find_root(p, x->b, of);
	} else if (find_spine(p, r, &found))
		*of |= found;
}

/* Is $1 itself put into what is made? */
static bool
takes_itself(const vt_fold *f)
{
	uint64_t self = 0, into = 0;

	for (uint32_t r = 0; r < f->t->n; r++) {
		const vt_lambda_step *x = &f->t->t[r];
		if (f->how[r] == SELF)
			self |= UINT64_C(1) << r;
		if (!(f->spine >> r & 1))
			continue;
		if (f->how[r] == ADD && x->b != VT_STEP_K)
			into |= UINT64_C(1) << x->b;
		for (uint32_t k = 0; f->how[r] == SET && k < x->n; k++)
			into |= x->args[k] != VT_STEP_K ? UINT64_C(1) << x->args[k] : 0;
	}
	for (uint32_t k = 0; f->t->kind != VT_PROGRAM_VALUE && k < f->t->nout; k++)
		into |= UINT64_C(1) << f->t->out[k];
	return (self & into) != 0;
}

static void
note_steps(vt_fold *f, plan *p)
{
	for (uint32_t r = 0; r < f->t->n; r++) {
		const vt_lambda_step *x = &f->t->t[r];
		uint64_t of = vt_fold_operands(x);

		f->how[r] = (uint8_t)how(x);
		f->of[r] = f->how[r] == READ ? container(x) : x->a;
		for (; of != 0; of &= of - 1)
			p->uses[__builtin_ctzll(of)]++;
	}
	for (uint32_t k = 0; k < f->t->nout; k++)
		p->uses[f->t->out[k]]++;
}

/* Is it `$1.set(k, $1.get(l, n) + m)`, a count by key? */
static bool
is_count(const vt_fold *f)
{
	uint8_t r = f->t->out[0], sum, get;
	const vt_lambda_step *set = &f->t->t[r];

	if (f->t->kind != VT_PROGRAM_VALUE || !(f->spine >> r & 1) || f->how[r] != SET ||
		f->how[set->a] != SELF || (sum = set->args[1]) == VT_STEP_K ||
		!(f->spine >> sum & 1) || f->how[sum] != ADD)
		return false;
	get = f->of[sum];
	return f->t->t[get].op == VT_STEP_GET && f->t->t[get].n == 2 &&
	       f->t->t[get].args[1] == VT_STEP_K && f->how[get] == READ &&
	       f->how[f->of[get]] == SELF &&
	       (f->t->t[sum].b == VT_STEP_K || !(f->spine >> f->t->t[sum].b & 1));
}

void
vt_fold_plan(vt_fold *f)
{
	plan p = {.f = f, .t = f->t};

	note_steps(f, &p);
	for (uint32_t k = 0; k < f->t->nout; k++)
		find_root(&p, f->t->out[k], &f->spine);
	f->spine &= f->needs;
	if (takes_itself(f))
		f->spine = 0;
	f->is_count = is_count(f);
	for (uint32_t k = 0; k < f->nsteps; k++)
		if (!(f->spine >> f->step[k] & 1) && f->how[f->step[k]] != SELF)
			f->first[f->nfirst++] = f->step[k];
}

/* ---- values of the item at hand ---- */

static inline bool
in_spine(const vt_fold *f, uint8_t r)
{
	return r != VT_STEP_K && (f->spine >> r & 1);
}

static inline vt_value
value_of(const vt_fold *f, uint8_t r)
{
	const vt_value *v = vt_batch_from(f->s, r);

	return v != NULL ? *v : VT_UNDEF;
}

static vt_value
argument(const vt_fold *f, const vt_lambda_step *x, uint32_t k)
{
	const vt_arg *a = &((const vt_site *)x->by)->args[k];

	if (x->args[k] != VT_STEP_K)
		return value_of(f, x->args[k]);
	return a->value != NULL ? vt_mkptr(a->value) : a->imm;
}

/* What `+` adds. */
static vt_value
addend(const vt_fold *f, const vt_lambda_step *x)
{
	if (x->b != VT_STEP_K)
		return value_of(f, x->b);
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
	if (!vt_batch_one(s, &f->t->t[r], r) || (v = value_of(f, r)) == VT_UNDEF)
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

/* A step of the spine as a step after all, with those that it takes. */
static bool
make_plainly(vt_fold *f, uint8_t r)
{
	uint64_t of = vt_fold_operands(&f->t->t[r]) & f->spine;

	for (; of != 0; of &= of - 1)
		if (!make_plainly(f, (uint8_t)__builtin_ctzll(of)))
			return false;
	return make(f, r) && value_of(f, r) != VT_UNDEF;
}

/* ---- is every change certain to succeed? ---- */

static bool
is_key(vt_value key)
{
	return key != VT_UNDEF && (vt_is_int(key) || vt_is(key, STR));
}

static bool
same_key(vt_value a, vt_value b)
{
	return a == b || (is_key(a) && vt_is(a, STR) && vt_is(b, STR) &&
				 vt_str_eq(vt_as_str(a), vt_as_str(b)));
}

static vt_value
key_of(const vt_fold *f, const vt_lambda_step *x)
{
	if (x->op == VT_STEP_ATTR)
		return vt_mkptr(x->heap);
	return x->op == VT_STEP_INDEX ? x->k : argument(f, x, x->op == VT_STEP_GET ? 0 : 1);
}

/* Is the register what lies at that path? */
static bool
reads(const vt_fold *f, uint8_t r, const path *p)
{
	if (p == NULL || f->how[r] != READ)
		return p == NULL && f->how[r] == SELF;
	return in_spine(f, r) && same_key(key_of(f, &f->t->t[r]), p->key) &&
	       reads(f, f->of[r], p->up);
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
	return vt_is(x, DICT) && (vt_head_of(x)->flags & VT_F_FROZEN) && vt_is_final(y);
}

/* The same of a list that was not made. */
static bool
appends_items(const vt_fold *f, const vt_lambda_step *list, vt_value x)
{
	if (!vt_is(x, TUPLE) || vt_as_list(x)->n > VT_MOST_ITEMS / 2)
		return false;
	for (uint32_t k = 0; k < list->n; k++) {
		vt_value v = value_of(f, list->args[k]);
		if (v == VT_UNDEF || v == x || !vt_final_now(v))
			return false;
	}
	return true;
}

static bool fits(vt_fold *f, uint8_t r, const path *p, vt_value x, bool *taken);

/* Where the spine begins; VT_STEP_K: not with what lies at p. */
static uint8_t
begin_of(const vt_fold *f, uint8_t r, const path *p)
{
	while (f->how[r] == ADD || f->how[r] == SET)
		r = f->of[r];
	return reads(f, r, p) ? r : VT_STEP_K;
}

/* What a get() gives for a key that is not there; or VT_UNDEF. */
static vt_value
default_of(const vt_fold *f, uint8_t r)
{
	const vt_lambda_step *x = &f->t->t[r];

	return x->op == VT_STEP_GET && x->n == 2 ? argument(f, x, 1) : VT_UNDEF;
}

/* May what lies at p, `now`, be changed into register r?  `fresh`: a copy of it is. */
static bool
is_inner(vt_fold *f, uint8_t r, const path *p, vt_value now, bool fresh)
{
	bool taken = false;

	if (!vt_is_ptr(now) || (!fresh && vt_head_of(now)->rc != 1))
		return false;
	if (vt_is(now, STR) ? fresh || vt_as_str(now)->bytes < LONG_TEXT
			    : !vt_is(now, TUPLE) && !vt_is(now, DICT))
		return false;
	return fits(f, r, p, now, &taken);
}

/* The sum of what lies there and a small integer, into register r. */
static bool
counts(vt_fold *f, uint8_t r, uint8_t begin, vt_value now)
{
	const vt_lambda_step *x = &f->t->t[r];
	vt_value by, sum;

	if (f->how[r] != ADD || f->of[r] != begin || !vt_is_int(now))
		return false;
	by = in_spine(f, x->b) ? VT_UNDEF : addend(f, x);
	if (!vt_is_int(by) || vt_step_ints(VT_STEP_ADD, 1, &now, &by, 0, &sum) != 1)
		return false;
	*vt_batch_values(f->s, r) = sum;
	return true;
}

/* The value that comes to lie at p: changed there, unless something else there is, or made. */
static bool
has_value(vt_fold *f, uint8_t r, const path *p, vt_value now, bool *taken)
{
	bool fresh = now == VT_UNDEF;
	uint8_t begin;

	if (!in_spine(f, r))
		return true;
	begin = begin_of(f, r, p);
	if (begin == VT_STEP_K)
		return make_plainly(f, r);
	if (fresh)
		now = default_of(f, begin);
	if (counts(f, r, begin, now))
		return true;
	if (*taken || !is_inner(f, r, p, now, fresh))
		return make_plainly(f, r);
	*taken = true;
	f->inner |= UINT64_C(1) << r;
	return true;
}

/* Is what lies below the key what the item began with, when register r is made?  What an earlier
 * change has put there is another value than the one that was looked at. */
static bool
is_untouched(const vt_fold *f, uint8_t r, vt_value key)
{
	for (; f->how[r] == SET; r = f->of[r]) {
		vt_value other = argument(f, &f->t->t[r], 0);
		if (!is_key(other) || same_key(other, key))
			return false;
	}
	return f->how[r] != ADD;
}

static bool
sets(vt_fold *f, const vt_lambda_step *x, const path *p, vt_value d, bool *taken)
{
	path q = {p, argument(f, x, 0)};
	bool no_more = true;
	vt_value v, *slot;

	if (!is_key(q.key) || !vt_is(d, DICT) || !(vt_head_of(d)->flags & VT_F_FROZEN))
		return false;
	slot = vt_dict_slot(vt_as_dict(d), q.key);
	if (p == NULL && f->how[x->a] == SELF)
		f->slot = slot;
	if (!is_untouched(f, x->a, q.key))
		taken = &no_more;
	if (!has_value(f, x->args[1], &q, slot != NULL ? *slot : VT_UNDEF, taken))
		return false;
	if (x->args[1] != VT_STEP_K && (f->inner >> x->args[1] & 1))
		return true;
	v = argument(f, x, 1);
	return v != VT_UNDEF && vt_final_now(v);
}

/* Register r is what lies at p, x, with changes.  `taken`: something inside of x will change. */
static bool
fits(vt_fold *f, uint8_t r, const path *p, vt_value x, bool *taken)
{
	const vt_lambda_step *t = &f->t->t[r];

	if (reads(f, r, p))
		return true;
	if (!in_spine(f, r) || (f->how[r] != ADD && f->how[r] != SET) ||
		!fits(f, t->a, p, x, taken))
		return false;
	if (f->how[r] == SET)
		return sets(f, t, p, x, taken);
	return in_spine(f, t->b) ? appends_items(f, &f->t->t[t->b], x) : appends(x, addend(f, t));
}

/* ---- the changes ---- */

static void
append_list(vt_fold *f, const vt_lambda_step *list, vt_list *x)
{
	uint8_t final = x->h.flags & VT_F_FINAL;

	for (uint32_t k = 0; k < list->n; k++)
		vt_list_push(f->s->rt, x, vt_copy(value_of(f, list->args[k])));
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
	vt_value key, v;

	if (vt_is(*x, TUPLE))
		append_items(rt, vt_as_list(*x), vt_as_list(y));
	else if (vt_is(*x, DICT))
		for (uint32_t i = 0; vt_dict_at(vt_as_dict(y), &i, &key, &v);)
			(void)vt_dict_put(rt, vt_as_dict(*x), key, v);
	else if (!vt_str_append(rt, x, vt_as_str(y)))
		vt_move(x, vt_str_concat(rt, vt_as_str(*x), vt_as_str(y)));
}

/* One to be changed. */
static vt_value
own_copy(vt_rt *rt, vt_value x)
{
	vt_list *l;

	if (vt_is(x, STR))
		return vt_copy(x);
	if (vt_is(x, DICT))
		return vt_mkptr(vt_dict_copy(rt, vt_as_dict(x), true));
	l = vt_list_grow(rt, VT_K_TUPLE, vt_as_list(x)->n + 4);
	vt_list_extend(rt, l, vt_as_list(x)->n, vt_as_list(x)->v);
	l->h.flags |= vt_head_of(x)->flags & VT_F_FINAL;
	return vt_mkptr(l);
}

static void put(vt_fold *f, const vt_lambda_step *x, const path *p, vt_value d);

static void
change(vt_fold *f, uint8_t r, const path *p, vt_value *x)
{
	const vt_lambda_step *t = &f->t->t[r];

	if (reads(f, r, p))
		return;
	change(f, t->a, p, x);
	if (f->how[r] == SET)
		put(f, t, p, *x);
	else if (in_spine(f, t->b))
		append_list(f, &f->t->t[t->b], vt_as_list(*x));
	else
		append(f->s->rt, x, addend(f, t));
}

static void
change_inner(vt_fold *f, uint8_t r, const path *p, vt_value *to)
{
	if (vt_head_of(*to)->rc != 1)
		vt_move(to, own_copy(f->s->rt, *to));
	change(f, r, p, to);
}

static void
put(vt_fold *f, const vt_lambda_step *x, const path *p, vt_value d)
{
	path q = {p, argument(f, x, 0)};
	vt_value v = VT_UNDEF, *slot;
	uint8_t r = x->args[1];
	bool inner = r != VT_STEP_K && (f->inner >> r & 1);

	if (f->slot != NULL && p == NULL && f->how[x->a] == SELF)
		slot = f->slot;
	else
		slot = vt_dict_slot(vt_as_dict(d), q.key);
	if (inner && slot != NULL) {
		change_inner(f, r, &q, slot);
	} else if (slot != NULL) {
		vt_move(slot, vt_copy(argument(f, x, 1)));
	} else if (inner) {
		v = own_copy(f->s->rt, default_of(f, begin_of(f, r, &q)));
		change(f, r, &q, &v);
		(void)vt_dict_put(f->s->rt, vt_as_dict(d), q.key, v);
		vt_release(v);
	} else {
		(void)vt_dict_put(f->s->rt, vt_as_dict(d), q.key, argument(f, x, 1));
	}
}

/* ---- an item ---- */

/* An item of what is_count() finds. False: another way. */
static bool
count(vt_fold *f, vt_value d)
{
	const vt_lambda_step *set = &f->t->t[f->t->out[0]], *sum = &f->t->t[set->args[1]];
	const vt_lambda_step *get = &f->t->t[sum->a];
	vt_value key = argument(f, set, 0), by = addend(f, sum), now, *slot;

	if (!is_key(key) || !same_key(key, argument(f, get, 0)) || !vt_is_int(by) ||
		!vt_is(d, DICT) || !(vt_head_of(d)->flags & VT_F_FROZEN) || vt_head_of(d)->rc != 1)
		return false;
	slot = vt_dict_slot(vt_as_dict(d), key);
	now = slot != NULL ? *slot : argument(f, get, 1);
	if (!vt_is_int(now) || !vt_add_fast(now, by, &now))
		return false;
	if (slot != NULL)
		*slot = now;
	else
		(void)vt_dict_put(f->s->rt, vt_as_dict(d), key, now);
	return true;
}

static bool
change_value(vt_fold *f, vt_value *sum)
{
	uint8_t r = f->t->out[0];
	bool taken = false;
	vt_value v;

	if (f->is_count && count(f, *sum))
		return true;
	while (in_spine(f, r) && f->how[r] == CHOOSE) {
		if ((v = value_of(f, f->t->t[r].c)) == VT_UNDEF)
			return false;
		r = vt_is_true(v) ? f->t->t[r].a : f->t->t[r].b;
	}
	if (in_spine(f, r) || f->how[r] == SELF) {
		if (!fits(f, r, NULL, *sum, &taken) || vt_head_of(*sum)->rc != 1)
			return false;
		change(f, r, NULL, sum);
		return true;
	}
	if ((v = value_of(f, r)) == VT_UNDEF)
		return false;
	vt_move(sum, vt_copy(v));
	return true;
}

/* The members of a list or record that the lambda makes anew each time; NULL: it is another one. */
static vt_value *
members(const vt_fold *f, vt_value sum)
{
	const vt_lambda_program *t = f->t;
	vt_head *h = vt_head_of(sum);

	if (h->flags & VT_F_BORROWED || !(h->flags & VT_F_FINAL))
		return NULL;
	if (t->kind == VT_PROGRAM_LIST)
		return vt_is(sum, TUPLE) && vt_as_list(sum)->n == t->nout ? vt_as_list(sum)->v
									  : NULL;
	return vt_is(sum, DICT) && h->flags & VT_F_FROZEN && vt_as_dict(sum)->shape != NULL &&
			       vt_as_dict(sum)->shape == vt_ic_at(f->s->rt, t->ic)->key &&
			       vt_as_dict(sum)->n == t->nout
		       ? vt_as_dict(sum)->v
		       : NULL;
}

static path
member_path(const vt_fold *f, uint32_t k)
{
	return (path){NULL, f->t->kind == VT_PROGRAM_LIST ? vt_mkint(k) : vt_mkptr(f->t->keys[k])};
}

static bool
change_members(vt_fold *f, vt_value sum, vt_value *to)
{
	const vt_lambda_program *t = f->t;
	vt_value v;

	for (uint32_t k = 0; k < t->nout; k++) {
		path p = member_path(f, k);
		bool taken = false;
		if (!has_value(f, t->out[k], &p, to[k], &taken))
			return false;
		if (f->inner >> t->out[k] & 1)
			continue;
		v = value_of(f, t->out[k]);
		if (v == VT_UNDEF || !vt_final_now(v))
			return false;
	}
	if (vt_head_of(sum)->rc != 1)
		return false;
	for (uint32_t k = 0; k < t->nout; k++) {
		path p = member_path(f, k);
		if (f->inner >> t->out[k] & 1)
			change_inner(f, t->out[k], &p, &to[k]);
		else
			vt_move(&to[k], vt_copy(value_of(f, t->out[k])));
	}
	return true;
}

static bool
change_item(vt_fold *f, vt_value *sum)
{
	vt_batch *s = f->s;
	vt_value *to;

	f->inner = f->made = 0;
	f->slot = NULL;
	for (uint32_t r = 0; r < f->t->n; r++)
		if (f->how[r] == SELF)
			s->v[(size_t)r * s->cap + s->at] = *sum;
	for (uint32_t k = 0; k < f->nfirst; k++)
		if (!make(f, f->first[k]))
			return false;
	if (f->t->kind == VT_PROGRAM_VALUE)
		return change_value(f, sum);
	return (to = members(f, *sum)) != NULL && change_members(f, *sum, to);
}

bool
vt_fold_change(vt_fold *f, uint32_t i, vt_value *sum)
{
	vt_session *session = f->s->rt->s;
	vt_value spare = session->spare;
	uint32_t n = f->s->n;
	bool done;

	if (f->spine == 0 || vt_patience_waits(&f->misses) || spare != *sum || !vt_is_ptr(*sum) ||
		vt_head_of(*sum)->rc != 1)
		return false;
	f->s->at = i;
	session->spare = VT_UNDEF;
	done = change_item(f, sum);
	session->spare = spare;
	f->s->at = 0;
	f->s->n = n;
	vt_fold_leave(f, i);
	vt_patience_tell(&f->misses, done);
	if (done)
		vt_patience_tell(&f->failed, true);
	return done;
}
