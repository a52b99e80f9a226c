/*
 * fold_path.c - folds that change a set, or what lies at a path in `$1` and nothing else:
 * `$1.set(k, $1.get(k, {}).set(l, $1.get(k, {}).get(l, 0) + x))`.
 *
 * The keys are the item's, or constants.  What lies at the path is read and worked out anew by the
 * steps that need it; it is put where it was, without a look at all that is on the way for each
 * step.  Where a step or key is not as foreseen nothing has been changed, and the item goes another
 * way (fold_place.c).
 */
#include "runtime/seq/fold.h"

#include "runtime/core/dict.h"
#include "runtime/core/heap.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"

#include <string.h>

/* ---- is the lambda such a one? ---- */

/* Which argument of a step is a key: a register, or a constant of the program. */
static vt_fold_key
argument_key(const vt_lambda_step *x, uint32_t k)
{
	const vt_arg *a = &((const vt_site *)x->by)->args[k];

	if (x->args[k] != VT_STEP_K)
		return (vt_fold_key){x->args[k], VT_UNDEF};
	return (vt_fold_key){VT_STEP_K, a->value != NULL ? vt_mkptr(a->value) : a->imm};
}

/* A step that puts one value below a key of what register `base` is. */
typedef struct put_step {
	uint8_t base, value, literal; /* literal: of the dict that is added; VT_STEP_K: set() */
	vt_fold_key key;
} put_step;

static bool
is_put(const vt_fold *f, uint8_t r, put_step *p)
{
	const vt_lambda_step *x = &f->t->t[r], *m;

	if (x->guard != VT_STEP_K || !(f->needs >> r & 1))
		return false;
	if (f->how[r] == SET) {
		*p = (put_step){x->a, x->args[1], VT_STEP_K, argument_key(x, 0)};
		return p->value != VT_STEP_K;
	}
	if (f->how[r] != ADD || x->b == VT_STEP_K || !(f->needs >> x->b & 1))
		return false;
	m = &f->t->t[x->b];
	if (m->guard != VT_STEP_K || vt_fold_pairs(m) != 1)
		return false;
	*p = (put_step){x->a, vt_fold_pair(m, 0), x->b,
		m->op == VT_STEP_DICT
			? (vt_fold_key){m->args[0], VT_UNDEF}
			: (vt_fold_key){VT_STEP_K, vt_mkptr(((const vt_str *const *)m->by)[0])}};
	return p->value != VT_STEP_K;
}

/* How far below $1 each register reads, as long as it only reads; 0: it is no such one. */
static void
measure(const vt_fold *f, uint8_t *depth)
{
	for (uint32_t r = 0; r < f->t->n; r++) {
		const vt_lambda_step *x = &f->t->t[r];
		depth[r] = f->how[r] == SELF ? 1 : 0;
		if (f->how[r] == READ && x->guard == VT_STEP_K && x->op != VT_STEP_CALL &&
			depth[f->of[r]] != 0)
			depth[r] = (uint8_t)(depth[f->of[r]] + 1);
	}
}

static vt_fold_key
read_key(const vt_lambda_step *x)
{
	if (x->op == VT_STEP_ATTR)
		return (vt_fold_key){VT_STEP_K, vt_mkptr(x->heap)};
	return x->op == VT_STEP_INDEX ? (vt_fold_key){VT_STEP_K, x->k} : argument_key(x, 0);
}

static bool
is_apart(const vt_fold *f, vt_fold_key k)
{
	return k.r == VT_STEP_K || !(f->needs >> k.r & 1);
}

/* Two members of the item are two keys: there is a register for each member. */
static bool
may_be_same(const vt_fold *f, vt_fold_key a, vt_fold_key b)
{
	if (a.r == VT_STEP_K || b.r == VT_STEP_K || a.r == b.r)
		return a.r == b.r;
	return f->t->t[a.r].op != VT_STEP_ATTR || f->t->t[b.r].op != VT_STEP_ATTR;
}

/* A register that reads at level `at` of the path. */
static bool
add_read(vt_fold *f, uint8_t r, uint8_t at)
{
	vt_fold_path *p = &f->path;
	const vt_lambda_step *x = &f->t->t[r];
	vt_fold_key key = read_key(x);

	if (p->nreads == VT_FOLD_READS || !is_apart(f, key) || !may_be_same(f, key, p->key[at]))
		return false;
	p->read[p->nreads++] = (vt_fold_read){.r = r,
		.at = at,
		.same = key.r != VT_STEP_K && key.r == p->key[at].r,
		.defaults = x->op == VT_STEP_GET && x->n == 2,
		.key = key,
		.none = x->op == VT_STEP_GET && x->n == 2 ? argument_key(x, 1)
							  : (vt_fold_key){VT_STEP_K, VT_UNDEF}};
	return is_apart(f, p->read[p->nreads - 1].none);
}

/* What becomes of the registers that are no part of the way to the value. */
static bool
sort_registers(vt_fold *f, const uint8_t *depth, uint64_t way)
{
	vt_fold_path *p = &f->path;
	uint64_t known = 0; /* what lies at the path, and what is made of it */

	for (uint8_t r = 0; r < f->t->n; r++) {
		const uint64_t bit = UINT64_C(1) << r;
		if (!(f->needs & bit) || (way & bit) || f->how[r] == SELF)
			continue;
		if (depth[r] != 0 && depth[r] <= p->n + 1) {
			if (!add_read(f, r, (uint8_t)(depth[r] - 2)))
				return false;
			known |= depth[r] == p->n + 1 ? bit : 0;
			continue;
		}
		if ((vt_step_operands(&f->t->t[r]) & f->needs & ~known) != 0)
			return false;
		known |= bit;
		p->step[p->nsteps++] = r;
	}
	return !(f->needs >> p->leaf & 1) || (known >> p->leaf & 1);
}

static bool
is_add_of(const vt_lambda_step *x)
{
	const vt_site *site = x->by;

	return x->op == VT_STEP_CALL && x->a != VT_STEP_K && x->n == 1 && site->nargs == 1 &&
	       site->kind == VT_SITE_METHOD && site->args[0].keyword == NULL &&
	       site->args[0].key == NULL && strcmp(site->name->s, "add") == 0;
}

/* Is the value what lies there, with more in it?  That is done where it lies. */
static void
find_growth(vt_fold *f)
{
	vt_fold_path *p = &f->path;
	const vt_lambda_step *x = &f->t->t[p->leaf];
	uint8_t last = p->nreads - 1;

	if (p->nsteps == 0 || p->nsteps > 2 || p->nreads == 0 || p->read[last].r != x->a ||
		p->read[last].at + 1 != p->n || x->guard != VT_STEP_K)
		return;
	for (uint32_t k = 0; k < last; k++)
		if (p->read[k].at + 1 == p->n)
			return;
	if (p->nsteps == 1 && is_add_of(x) && x->args[0] != x->a)
		p->grows = VT_FOLD_SET;
	else if (x->op == VT_STEP_ADD && x->b != VT_STEP_K && x->b != x->a &&
		 f->t->t[x->b].op == VT_STEP_LIST && f->t->t[x->b].guard == VT_STEP_K &&
		 !(vt_step_operands(&f->t->t[x->b]) & f->needs))
		p->grows = VT_FOLD_ITEMS;
}

void
vt_fold_find_path(vt_fold *f)
{
	vt_fold_path *p = &f->path;
	uint8_t depth[VT_STEPS_MOST], r = f->t->out[0];
	uint64_t way = 0;
	put_step put;

	if (f->t->kind != VT_PROGRAM_VALUE || !is_put(f, r, &put))
		return;
	measure(f, depth);
	while (p->n < VT_FOLD_DEEP && depth[put.base] == p->n + 1 && is_apart(f, put.key)) {
		way |= UINT64_C(1) << r;
		if (put.literal != VT_STEP_K)
			way |= UINT64_C(1) << put.literal;
		p->key[p->n++] = put.key;
		r = p->leaf = put.value;
		if (!is_put(f, r, &put))
			break;
	}
	if (p->n == 0 || !sort_registers(f, depth, way))
		p->n = 0;
	else
		find_growth(f);
}

/* ---- the item at hand ---- */

static inline vt_value
key_value(const vt_fold *f, vt_fold_key k)
{
	const vt_value *v = k.r != VT_STEP_K ? vt_batch_from(f->s, k.r) : &k.k;

	return v != NULL ? *v : VT_UNDEF;
}

static inline bool
is_key(vt_value v)
{
	return v != VT_UNDEF && (vt_is_int(v) || vt_is(v, STR));
}

/* Where the value lies, or shall lie: below `key` of the dict at level n - 1. */
typedef struct place {
	vt_value key[VT_FOLD_DEEP];
	vt_dict *d; /* the last dict that is there, at level `at` */
	uint32_t at;
	vt_value *slot; /* what lies at the path; or NULL */
} place;

static bool
find_place(const vt_fold *f, vt_value sum, place *to)
{
	const vt_fold_path *p = &f->path;

	for (uint32_t i = 0; i < p->n; i++)
		if (!is_key(to->key[i] = key_value(f, p->key[i])))
			return false;
	for (to->at = 0;; to->at++) {
		if (!vt_is_ptr(sum) || !vt_is(sum, DICT) || vt_head_of(sum)->rc != 1 ||
			!(vt_head_of(sum)->flags & VT_F_FROZEN))
			return false;
		to->d = vt_as_dict(sum);
		to->slot = vt_dict_slot(to->d, to->key[to->at]);
		if (to->slot == NULL || to->at + 1 == p->n)
			return true;
		sum = *to->slot;
	}
}

static bool
is_empty_dict(vt_value v)
{
	return vt_is_ptr(v) && vt_is(v, DICT) && vt_dict_len(vt_as_dict(v)) == 0;
}

/* Into the registers that read: what lies at the path, or the default.  Those that read on the way
 * have dicts, or would have empty ones. */
static bool
do_reads(vt_fold *f, const place *to)
{
	const vt_fold_path *p = &f->path;

	for (uint32_t k = 0; k < p->nreads; k++) {
		const vt_fold_read *x = &p->read[k];
		bool there = x->at < to->at || (x->at == to->at && to->slot != NULL);
		vt_value key, none;
		if (!x->same && (key = key_value(f, x->key)) != to->key[x->at] &&
			!(vt_is(key, STR) && vt_is(to->key[x->at], STR) &&
				vt_str_eq(vt_as_str(key), vt_as_str(to->key[x->at]))))
			return false;
		none = x->defaults ? key_value(f, x->none) : VT_UNDEF;
		if (none == VT_UNDEF && (x->defaults || !there))
			return false;
		if (x->at + 1 == p->n)
			*vt_batch_values(f->s, x->r) = there ? *to->slot : none;
		else if (!there && !is_empty_dict(none))
			return false;
	}
	return true;
}

/* A value into a dict that is not there yet, with the dicts on the way. */
static void
put_new(vt_rt *rt, const vt_fold_path *p, const place *to, vt_value v)
{
	vt_dict *d = to->d;

	for (uint32_t i = to->at; i + 1 < p->n; i++) {
		vt_value below = vt_mkptr(vt_dict_new(rt, true));
		vt_head_of(below)->flags |= VT_F_FINAL;
		(void)vt_dict_put(rt, d, to->key[i], below);
		vt_release(below);
		d = vt_as_dict(below);
	}
	(void)vt_dict_put(rt, d, to->key[p->n - 1], v);
}

static bool
grow_set(vt_fold *f, const place *to)
{
	const vt_lambda_step *x = &f->t->t[f->path.leaf];
	vt_value v = key_value(f, argument_key(x, 0)), set;
	uint32_t before;

	if (to->slot == NULL || v == VT_UNDEF || (vt_is_ptr(v) && vt_head_of(v)->kind > VT_K_STR))
		return false;
	set = *to->slot;
	if (!vt_is_ptr(set) || !vt_is(set, SET) || vt_head_of(set)->rc != 1)
		return false;
	before = vt_set_len(vt_as_set(set));
	if (vt_set_add(f->s->rt, vt_as_set(set), v) != VT_OK)
		return false;
	vt_head_of(set)->aux =
		(uint16_t)vt_py_union_slots(before, vt_set_len(vt_as_set(set)) - before);
	return true;
}

static bool
grow_list(vt_fold *f, const place *to)
{
	const vt_lambda_step *list = &f->t->t[f->t->t[f->path.leaf].b];
	vt_value l = to->slot != NULL ? *to->slot : VT_UNDEF, v[VT_STEPS_MOST];
	uint8_t final;

	if (!vt_is_ptr(l) || l == VT_UNDEF || !vt_is(l, TUPLE) || vt_head_of(l)->rc != 1 ||
		vt_as_list(l)->n > VT_MOST_ITEMS / 2 || list->n > VT_STEPS_MOST)
		return false;
	for (uint32_t k = 0; k < list->n; k++) {
		const vt_value *from =
			list->args[k] != VT_STEP_K ? vt_batch_from(f->s, list->args[k]) : NULL;
		if (from == NULL || *from == VT_UNDEF || !vt_final_now(*from))
			return false;
		v[k] = *from;
	}
	final = vt_head_of(l)->flags & VT_F_FINAL;
	for (uint32_t k = 0; k < list->n; k++)
		vt_list_push(f->s->rt, vt_as_list(l), vt_copy(v[k]));
	vt_head_of(l)->flags |= final;
	return true;
}

/* The value that comes to lie at the path; VT_UNDEF: another way. */
static vt_value
new_value(vt_fold *f, vt_value sum)
{
	const vt_fold_path *p = &f->path;
	const vt_value *v;

	if (!vt_fold_do(f, p->step, p->nsteps, sum))
		return VT_UNDEF;
	v = vt_batch_from(f->s, p->leaf);
	return v != NULL && *v != VT_UNDEF && vt_final_now(*v) ? *v : VT_UNDEF;
}

static bool
has_many(vt_value v)
{
	if (vt_is(v, STR))
		return vt_as_str(v)->bytes >= VT_FOLD_LONG_TEXT;
	return (vt_is_sequence(v) && vt_as_list(v)->n >= VT_FOLD_LONG) ||
	       (vt_is(v, DICT) && vt_dict_len(vt_as_dict(v)) >= VT_FOLD_LONG) ||
	       (vt_is(v, SET) && vt_set_len(vt_as_set(v)) >= VT_FOLD_LONG);
}

/* Another in its place would be a copy for each item, of what lies in a short list or record too:
 * fold_place.c may change it where it lies. */
static bool
is_long(vt_value v, uint32_t depth)
{
	uint32_t n = 0;
	const vt_value *in = NULL;

	if (!vt_is_ptr(v) || has_many(v))
		return vt_is_ptr(v);
	if (vt_is(v, DICT) && vt_as_dict(v)->shape != NULL) {
		in = vt_as_dict(v)->v;
		n = vt_as_dict(v)->n;
	} else if (vt_is(v, TUPLE)) {
		in = vt_as_list(v)->v;
		n = vt_as_list(v)->n;
	}
	for (uint32_t k = 0; depth > 0 && n <= VT_FOLD_PARTS && k < n; k++)
		if (is_long(in[k], depth - 1))
			return true;
	return false;
}

static bool
change_path(vt_fold *f, vt_value sum)
{
	const vt_fold_path *p = &f->path;
	place to;
	vt_value v;

	if (!find_place(f, sum, &to) || !do_reads(f, &to))
		return false;
	if (p->grows != VT_FOLD_ANEW &&
		(p->grows == VT_FOLD_SET ? grow_set(f, &to) : grow_list(f, &to)))
		return true;
	if (to.slot != NULL && p->nsteps > 0 && is_long(*to.slot, VT_FOLD_DEEP))
		return false;
	if ((v = new_value(f, sum)) == VT_UNDEF)
		return false;
	if (to.slot != NULL)
		vt_move(to.slot, vt_copy(v));
	else
		put_new(f->s->rt, p, &to, v);
	return true;
}

/* False: another way, for which registers are as they were. */
bool
vt_fold_change_path(vt_fold *f, vt_value sum)
{
	vt_batch *s = f->s;
	bool done;

	if (vt_patience_waits(&f->path.misses))
		return false;
	done = change_path(f, sum);
	vt_patience_tell(&f->path.misses, done);
	if (done)
		return true;
	vt_fold_leave(f, s->at);
	for (uint32_t k = 0; k < f->path.nreads; k++)
		s->v[(size_t)f->path.read[k].r * s->cap + s->at] = VT_UNDEF;
	for (uint32_t k = 0; k < f->path.nsteps; k++)
		s->v[(size_t)f->path.step[k] * s->cap + s->at] = VT_UNDEF;
	return false;
}

/* ---- sets ---- */

/* Words and texts, which a set finds without a call. */
static bool
is_item(vt_value v)
{
	return v != VT_UNDEF && (!vt_is_ptr(v) || vt_head_of(v)->kind <= VT_K_STR);
}

static bool
are_items(uint32_t n, const vt_value *v)
{
	for (uint32_t i = 0; i < n; i++)
		if (!is_item(v[i]))
			return false;
	return true;
}

/* The items of the step's arguments. */
static bool
arguments(const vt_fold *f, const vt_lambda_step *x, vt_value *v)
{
	for (uint32_t k = 0; k < x->n; k++)
		v[k] = vt_fold_argument(f, x, k);
	return are_items(x->n, v);
}

/* A set, and items that stand for one. */
typedef struct operand {
	const vt_set *set; /* or NULL */
	uint32_t n;
	const vt_value *v;
	vt_value given[VT_STEPS_MOST];
} operand;

/* What the step unites with a set, or so; false: another way. */
static bool
open_operand(const vt_fold *f, uint8_t r, operand *o)
{
	const vt_lambda_step *x = &f->t->t[r], *made;
	vt_value v;

	o->set = NULL; /* not the whole: `given` is large */
	o->v = o->given;
	if (f->how[r] < UNITE || !vt_fold_in_spine(f, x->args[0])) {
		o->n = f->how[r] < UNITE ? x->n : 0;
		if (f->how[r] < UNITE)
			return arguments(f, x, o->given);
		v = vt_fold_argument(f, x, 0);
		o->set = v != VT_UNDEF && vt_is(v, SET) ? vt_as_set(v) : NULL;
		return o->set != NULL;
	}
	made = &f->t->t[x->args[0]];
	if (made->a == VT_STEP_K) {
		o->n = made->n;
		return arguments(f, made, o->given);
	}
	v = vt_fold_value(f, made->a);
	if (v == VT_UNDEF || !vt_is_sequence(v))
		return false;
	o->n = vt_as_list(v)->n;
	o->v = vt_as_list(v)->v;
	return are_items(o->n, o->v);
}

bool
vt_fold_fits_set(vt_fold *f, uint8_t r, vt_value x)
{
	operand o;

	return vt_is(x, SET) && vt_head_of(x)->rc == 1 && open_operand(f, r, &o) &&
	       (o.set == NULL || o.set != vt_as_set(x));
}

static void
put_or_take(vt_rt *rt, vt_set *s, vt_value item, bool puts)
{
	if (puts)
		(void)vt_set_add(rt, s, item);
	else
		(void)vt_set_del(s, item);
}

void
vt_fold_change_set(vt_fold *f, uint8_t r, vt_set *s)
{
	bool adds = f->how[r] == ADD_ITEMS || f->how[r] == UNITE;
	uint32_t before = vt_set_len(s);
	vt_head *h = (vt_head *)(void *)s;
	vt_value item;
	operand o;

	(void)open_operand(f, r, &o);
	for (uint32_t i = 0; i < o.n; i++)
		put_or_take(f->s->rt, s, o.v[i], adds);
	for (uint32_t pos = 0; o.set != NULL && vt_set_at(o.set, &pos, &item);)
		put_or_take(f->s->rt, s, item, adds);
	h->aux = adds ? (uint16_t)vt_py_union_slots(before, vt_set_len(s) - before) : 0;
}

/* The members of another set. */
void
vt_fold_unite(vt_rt *rt, vt_set *s, const vt_set *more)
{
	uint32_t before = vt_set_len(s);
	vt_head *h = (vt_head *)(void *)s;
	vt_value item;

	for (uint32_t pos = 0; vt_set_at(more, &pos, &item);)
		(void)vt_set_add(rt, s, item);
	h->aux = (uint16_t)vt_py_union_slots(before, vt_set_len(s) - before);
}

/* `$1.add(x)`, where x is the item's. */
bool
vt_fold_add_one(vt_fold *f, vt_value sum)
{
	vt_value x = vt_fold_argument(f, &f->t->t[f->t->out[0]], 0);
	uint32_t before;

	if (!is_item(x) || !vt_is(sum, SET) || vt_head_of(sum)->rc != 1)
		return false;
	before = vt_set_len(vt_as_set(sum));
	(void)vt_set_add(f->s->rt, vt_as_set(sum), x);
	if (vt_set_len(vt_as_set(sum)) > before)
		vt_head_of(sum)->aux = (uint16_t)vt_py_union_slots(before, 1);
	return true;
}
