/*
 * nest_made.c - what pipelines over a list of each item make of the values that come out of them:
 * sums, lists, groups and the like, what lambdas make one after the other (generate() and folds);
 * and what an index finds of the list.
 */
#include "runtime/seq/nest.h"

#include "runtime/core/dict.h"
#include "runtime/core/exception.h"
#include "runtime/core/heap.h"
#include "runtime/core/number.h"
#include "runtime/core/session.h"
#include "runtime/seq/seq.h"

#include <string.h>

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

	switch ((enum vt_nest_reduce)p->x->reduce) {
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
	/* vt_nest_take(), vt_nest_fold() */
	case VT_NEST_COUNT:
	case VT_NEST_SUM:
	case VT_NEST_LIST:
	case VT_NEST_DISTINCT:
	case VT_NEST_TURNED:
	case VT_NEST_RISING:
	case VT_NEST_FALLING:
	case VT_NEST_FOLDED:
	case VT_NEST_ACCUMULATED: break;
	}
	return false;
}

/* The list of an item in the order that is wanted.  False: it is not for this. */
bool
vt_nest_arrange(nest *p, uint32_t i)
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

void
vt_nest_take(nest *p, const piece *q)
{
	unsigned how = p->x->reduce;

	if (how == VT_NEST_COUNT) {
		for (uint32_t i = 0; i < q->n; i++)
			p->count[q->of[i]]++;
	} else if (how == VT_NEST_SUM) {
		for (uint32_t i = 0; i < q->n; i++)
			if (!add(p, &p->v[q->of[i]], q->cur[i]))
				p->bad[q->of[i]] = true;
	} else if (how >= VT_NEST_LIST && how <= VT_NEST_FALLING && how != VT_NEST_FLAT) {
		take_in_lists(p, q);
	} else {
		for (uint32_t i = 0; i < q->n; i++)
			if (!p->bad[q->of[i]] &&
				!take(p, q->of[i], q->cur[i],
					how >= VT_NEST_DICT ? q->before[i] : VT_UNDEF, i))
				p->bad[q->of[i]] = true;
	}
}

/* ---- generate() ---- */

enum {
	MADE_MOST = 1024
}; /* that may have no end: the code then gives them as they are asked for */

/* The values that are at hand, and the items that they are of. */
typedef struct made {
	uint32_t n;
	vt_value v[VT_BULK]; /* owned */
	uint8_t of[VT_BULK];
	uint32_t emitted[VT_BULK]; /* by item */
} made;

static void
drop_made(made *m, uint32_t i)
{
	vt_release(m->v[i]);
	m->n--;
	memmove(m->v + i, m->v + i + 1, (m->n - i) * sizeof *m->v);
	memmove(m->of + i, m->of + i + 1, m->n - i);
}

/* A stage for all of them; those that it is not for are left to the code. */
static void
made_stage(nest *p, uint32_t k, made *m)
{
	vt_batch *s = p->stage[k];
	uint32_t n = 0;

	s->seg = m->of;
	while (m->n > 0) {
		n = vt_batch_fill_known(s, p->x->stage[k].program, m->n, m->v, NULL, NULL, NULL);
		if (n == m->n)
			return;
		p->bad[m->of[n]] = true;
		drop_made(m, n);
	}
}

/* Those that come to an end. */
static void
end_made(nest *p, made *m)
{
	const vt_lambda_program *t = p->x->stage[0].program;
	uint32_t n = m->n, to = 0;

	for (uint32_t i = 0; i < n; i++) {
		bool goes_on = vt_batch_true(p->stage[0], t, i);
		uint32_t item = m->of[i];
		if (goes_on && m->emitted[item] >= MADE_MOST)
			p->bad[item] = true;
		if (!goes_on || p->bad[item] || m->emitted[item] >= p->x->most) {
			vt_release(m->v[i]);
			continue;
		}
		m->v[to] = m->v[i];
		m->of[to++] = (uint8_t)item;
	}
	m->n = to;
}

static void
emit_made(nest *p, made *m)
{
	const vt_lambda_program *t = p->x->n > 2 ? p->x->stage[2].program : NULL;
	const vt_value *v = m->v;

	if (t != NULL) {
		uint32_t n;
		made_stage(p, 2, m);
		n = m->n;
		v = n > 0 ? vt_batch_results(p->stage[2], t, &n) : m->v;
		while (m->n > n) {
			p->bad[m->of[m->n - 1]] = true;
			drop_made(m, m->n - 1);
		}
	}
	for (uint32_t i = 0; i < m->n; i++) {
		vt_list_push(p->s->rt, vt_as_list(p->v[m->of[i]]), vt_copy(v[i]));
		m->emitted[m->of[i]]++;
	}
}

static void
next_made(nest *p, made *m)
{
	const vt_lambda_program *t = p->x->stage[1].program;
	const vt_value *v;
	uint32_t n;

	made_stage(p, 1, m);
	n = m->n;
	if (n == 0)
		return;
	v = vt_batch_results(p->stage[1], t, &n);
	while (m->n > n) {
		p->bad[m->of[m->n - 1]] = true;
		drop_made(m, m->n - 1);
	}
	for (uint32_t i = 0; i < n; i++)
		vt_move(&m->v[i], vt_copy(v[i]));
}

/* All items in step, so that each lambda is done for all that go on. */
void
vt_nest_generate(nest *p, uint32_t n, const vt_value *from)
{
	made m;

	m.n = 0;
	for (uint32_t i = 0; i < n; i++) {
		m.emitted[i] = 0;
		if (p->bad[i])
			continue;
		m.v[m.n] = vt_copy(from[i]);
		m.of[m.n++] = (uint8_t)i;
	}
	while (m.n > 0) {
		made_stage(p, 0, &m);
		end_made(p, &m);
		emit_made(p, &m);
		next_made(p, &m);
	}
}

/* ---- folds ---- */

enum { GROWS = 16 };

/* Does it take a copy for each item, of something that is large by then? */
static bool
is_growing(const nest *p, vt_value seed, uint32_t n)
{
	return p->x->reduce == VT_NEST_FOLDED && n >= GROWS &&
	       (vt_is(seed, TUPLE) || vt_is(seed, DICT) || vt_is(seed, STR));
}

/* The items from the first one on, into a sum that is changed in its place.  False: the program is
 * not for them. */
static bool
change_along(vt_fold *f, vt_rt *rt, uint32_t n, const vt_value *v, vt_value *sum)
{
	uint32_t at = 0, most, i;
	vt_value next;

	while (at < n) {
		most = vt_fold_fill(f, n - at < VT_BULK ? n - at : VT_BULK, v + at);
		for (i = vt_fold_run(f, 0, most, sum, NULL); i < most;
			i += 1 + vt_fold_run(f, i + 1, most, sum, NULL)) {
			rt->s->spare = *sum;
			if (vt_fold_change(f, i, sum))
				continue;
			if (!vt_fold_step(f, i, *sum, &next))
				return false;
			vt_move(sum, next);
		}
		if (most == 0)
			return false;
		at += most;
	}
	return true;
}

/* False: it is no such program. */
static bool
grow(nest *p, uint32_t item, vt_value seed, uint32_t n, const vt_value *v)
{
	vt_rt *rt = p->s->rt;
	vt_fold *f = vt_fold_of(rt, p->x->stage[0].program, p->s->scope);
	vt_value was = rt->s->spare, sum = vt_copy(seed);
	uint8_t of[VT_BULK];

	if (f == NULL) {
		vt_release(sum);
		return false;
	}
	memset(of, (int)item, sizeof of);
	vt_fold_nest(f, p->s, p->t->args, of);
	p->bad[item] = !change_along(f, rt, n, v, &sum);
	rt->s->spare = was;
	vt_fold_free(f);
	if (p->bad[item])
		vt_clear(&sum);
	p->v[item] = sum;
	return true;
}

/* All lists in step: the next item of each goes into what was made of those before it. */
void
vt_nest_fold(nest *p, uint32_t n, const items *lists)
{
	bool keeps = p->x->reduce == VT_NEST_ACCUMULATED;
	const vt_value *seed = p->t->c != VT_STEP_K ? vt_batch_from(p->s, p->t->c) : NULL;
	const vt_lambda_program *t = p->x->stage[0].program;
	vt_batch *s = p->stage[0];
	made m;

	m.n = 0;
	for (uint32_t i = 0; i < n; i++) {
		vt_value v = p->bad[i]         ? VT_UNDEF
			     : seed != NULL    ? seed[i]
			     : lists[i].n == 0 ? VT_UNDEF
					       : lists[i].v[0];
		m.emitted[i] = seed == NULL;
		p->bad[i] = v == VT_UNDEF;
		if (p->bad[i] && !keeps)
			p->v[i] = VT_UNDEF;
		if (keeps && !p->bad[i])
			vt_list_push(p->s->rt, vt_as_list(p->v[i]), vt_copy(v));
		if (p->bad[i] || m.emitted[i] == lists[i].n) {
			if (!keeps && !p->bad[i])
				p->v[i] = vt_copy(v);
			continue;
		}
		if (is_growing(p, v, lists[i].n) &&
			grow(p, i, v, lists[i].n - m.emitted[i], lists[i].v + m.emitted[i]))
			continue;
		m.v[m.n] = vt_copy(v);
		m.of[m.n++] = (uint8_t)i;
	}
	while (m.n > 0) {
		vt_value next[VT_BULK];
		const vt_value *v = NULL;
		uint32_t done, to = 0;
		for (uint32_t k = 0; k < m.n; k++)
			next[k] = lists[m.of[k]].v[m.emitted[m.of[k]]++];
		s->seg = m.of;
		done = vt_batch_fill_known(s, t, m.n, m.v, next, NULL, NULL);
		if (done > 0)
			v = vt_batch_results(s, t, &done);
		for (uint32_t k = 0; k < m.n; k++) {
			uint32_t item = m.of[k];
			vt_value made = k < done ? vt_copy(v[k]) : VT_UNDEF;
			vt_release(m.v[k]);
			p->bad[item] = k >= done;
			if (keeps && k < done)
				vt_list_push(p->s->rt, vt_as_list(p->v[item]), vt_copy(made));
			if (k >= done || m.emitted[item] == lists[item].n) {
				if (!keeps)
					p->v[item] = made;
				else
					vt_release(made);
				continue;
			}
			m.v[to] = made;
			m.of[to++] = (uint8_t)item;
		}
		m.n = to;
	}
}

/* ---- items that an index of the list finds ---- */

/* A step of a stage that is the member of an item; its name, or NULL. */
static const vt_str *
member_of(const vt_lambda_program *t, uint8_t r)
{
	const vt_lambda_step *x = &t->t[r];

	return x->op == VT_STEP_ATTR && x->guard == VT_STEP_K && t->t[x->a].op == VT_STEP_ITEM
		       ? x->heap
		       : NULL;
}

/* Does the register depend on nothing but what is around the stage? */
static bool
is_around(const vt_lambda_program *t, uint8_t r)
{
	const vt_lambda_step *x = &t->t[r];

	if (x->guard != VT_STEP_K)
		return false;
	switch (x->op) {
	case VT_STEP_OUTER:
	case VT_STEP_CONST:
	case VT_STEP_DYN: return true;
	case VT_STEP_ATTR:
	case VT_STEP_INDEX:
	case VT_STEP_UPPER:
	case VT_STEP_LOWER:
	case VT_STEP_TRIM:
	case VT_STEP_PART: return is_around(t, x->a);
	case VT_STEP_ADD:
	case VT_STEP_SUB:
	case VT_STEP_MUL: return is_around(t, x->a) && (x->b == VT_STEP_K || is_around(t, x->b));
	}
	return false;
}

/* What that register holds for all items of a list. False: it differs. */
static bool
is_fixed(nest *p, const vt_lambda_program *t, uint8_t r)
{
	const vt_lambda_step *x = &t->t[r];

	p->same = NULL;
	p->computed = VT_STEP_K;
	if (x->op == VT_STEP_OUTER)
		p->same = vt_batch_from(p->s, p->t->args[x->a]);
	else if (x->op == VT_STEP_CONST)
		p->constant = x->heap != NULL ? vt_mkptr(x->heap) : x->k;
	else if (x->op == VT_STEP_DYN)
		p->constant = vt_step_variable(p->s->rt, p->s->scope, x);
	else if (is_around(t, r)) {
		p->same = p->keys;
		p->computed = r;
	} else
		return false;
	return x->op != VT_STEP_OUTER || p->same != NULL;
}

/* The keys that the stage's program makes, by any item of the list: they do not depend on it. */
static void
compute_keys(nest *p, const vt_list *l)
{
	const vt_lambda_program *t = p->x->stage[0].program;
	vt_batch *s = p->stage[0];
	vt_value items[VT_BULK];
	uint8_t of[VT_BULK];
	uint32_t n = p->s->n;

	for (uint32_t i = 0; i < n; i++) {
		items[i] = l->v[0];
		of[i] = (uint8_t)i;
	}
	s->seg = of;
	n = vt_batch_fill_known(s, t, n, items, NULL, NULL, NULL);
	if (n > 0 && s->col[p->computed] == NULL)
		vt_batch_strings(s, t, UINT64_C(1) << p->computed);
	for (uint32_t i = 0; i < n && s->col[p->computed] != NULL; i++)
		p->keys[i] = vt_copy(s->col[p->computed][i]);
}

bool
vt_nest_reads_all(const nest *p)
{
	return p->x->reduce != VT_NEST_FIRST && p->x->reduce != VT_NEST_ANY &&
	       p->x->reduce != VT_NEST_ALL;
}

void
vt_nest_find_keys(nest *p, vt_value source)
{
	for (uint32_t i = 0; i < p->s->n; i++)
		p->keys[i] = VT_UNDEF;
	if (vt_is_sequence(source) &&
		vt_lookup_of(p->s->rt, vt_as_list(source), p->member, vt_nest_reads_all(p)) != NULL)
		compute_keys(p, vt_as_list(source));
}

void
vt_nest_find_member(nest *p)
{
	const vt_lambda_program *t = p->x->n > 0 ? p->x->stage[0].program : NULL;
	const vt_lambda_step *x;

	p->member = NULL;
	p->same = NULL;
	p->constant = VT_UNDEF;
	p->computed = VT_STEP_K;
	if (t == NULL || p->x->generates || p->x->stage[0].filter != VT_NEST_WHERE ||
		t->kind != VT_PROGRAM_VALUE || p->x->skip != 0 || p->x->most != UINT32_MAX)
		return;
	for (x = &t->t[t->out[0]]; x->op == VT_STEP_AND; x = &t->t[x->a])
		;
	if (x->op != VT_STEP_EQ || x->guard != VT_STEP_K)
		return;
	if (x->b == VT_STEP_K) {
		p->same = NULL;
		p->constant = x->heap != NULL ? vt_mkptr(x->heap) : x->k;
		p->member = member_of(t, x->a);
	} else if (is_fixed(p, t, x->b)) {
		p->member = member_of(t, x->a);
	} else if (is_fixed(p, t, x->a)) {
		p->member = member_of(t, x->b);
	}
}
